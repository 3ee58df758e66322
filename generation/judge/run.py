"""One judge over many items: ask what is missing, keep each batch, count everything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from generation.judge.answer import Backend, ask_all
from generation.judge.ask import Material, asks, prompt_hash
from generation.judge.config import Asking, Judge
from generation.judge.progress import Progress
from generation.judge.shards import Shards, sampling
from generation.judge.verdict import Reply, Row, decide, raw

Open = Callable[[Judge], Backend]


class Ran(NamedTuple):
    """What a run of one judge gave.

    rows: item_id -> verdict row. failed: reason -> items not judged in this run. asked: items asked in this run.
    requests, seconds, tokens: of this run.
    """

    judge: Judge
    rows: dict[str, Row]
    failed: Counter[str]
    asked: int
    requests: int
    seconds: float
    tokens: int


def open_backend(judge: Judge) -> Backend:
    """The backend that a judge names."""
    if judge.backend == "server":
        from generation.judge.server import Server

        return Server(judge)
    if judge.backend == "ray":
        from generation.judge.ray_data import RayData

        return RayData(judge)
    from generation.judge.engine import Engine

    return Engine(judge)


class Session:
    """A judge at work on one folder. Its backend is opened when the first item is missing, and not before."""

    def __init__(self, judge: Judge, asking: Asking, shards: Shards, batch: int, opener: Open = open_backend) -> None:
        self.judge, self.asking, self.shards, self.batch = judge, asking, shards, batch
        self._opener = opener
        self._backend: Backend | None = None

    def run(self, items: Sequence[Material]) -> Ran:
        """Judge the items that have no verdict yet.

        Raises:
            InputError: the model or the server does not exist, or the disk is full.
            ShortfallError: the server was lost. All batches before are kept.
        """
        missing = [shown for shown in items if self.shards.get(shown) is None]
        progress = Progress(self.judge.name, len(items), len(items) - len(missing))
        for batch in _batches(missing, self.batch):
            replies, failed = self._ask(batch)
            rows = [self._row(shown, replies[n]) for n, shown in enumerate(batch) if n in replies]
            if rows:
                self.shards.append(rows)
            progress.add(rows, list(failed.values()), len(batch))
        self.shards.compact()
        kept = {shown.item_id: row for shown in items if (row := self.shards.get(shown)) is not None}
        requests = sum(len(row["raw"]) for shown in missing if (row := self.shards.get(shown)) is not None)
        return Ran(self.judge, kept, progress.failed, len(missing), requests, progress.seconds, progress.tokens)

    def _ask(self, batch: Sequence[Material]) -> tuple[dict[int, list[Reply]], dict[int, str]]:
        """Replies by place in the batch, and why there are none for the others."""
        if self._backend is None:
            self._backend = self._opener(self.judge)
        wanted = [(n, ask) for n, shown in enumerate(batch) for ask in asks(shown, self.asking, self.judge.seed)]
        got = ask_all(self._backend, [ask for _, ask in wanted], self.asking.retries)
        replies: dict[int, list[Reply]] = {}
        failed: dict[int, str] = {}
        for (n, _), asked in zip(wanted, got, strict=True):
            if asked.reply is None:
                failed.setdefault(n, asked.failed)
            else:
                replies.setdefault(n, []).append(asked.reply)
        return {n: found for n, found in replies.items() if n not in failed}, failed

    def _row(self, shown: Material, replies: Sequence[Reply]) -> Row:
        name = self.judge.name
        row = decide(shown, replies, self.asking)
        return {
            **row,
            "judge": name,
            "model": self.judge.model,
            "backend": self.judge.backend,
            "dtype": self.judge.dtype,
            "prompt_hash": prompt_hash(),
            "sampling": sampling(self.judge, self.asking),
            "votes": [{"judge": name, "verdict": row["verdict"]}],
            "raw": raw(name, replies),
            "key": self.shards.key(shown),
        }

    def close(self) -> None:
        if self._backend is not None:
            self._backend.close()
            self._backend = None


def _batches(items: Sequence[Material], size: int) -> Iterator[Sequence[Material]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
