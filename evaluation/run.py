"""Ask models the held-out questions: `python -m evaluation run --models base=... sft=... grpo=... --split test`."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Protocol

from tqdm import tqdm

from evaluation.asking import Ask, Item, asks, chosen
from evaluation.config import Asking, Engine, Model, Sampling
from evaluation.replies import Completion, Row, Store, clear, row
from generation.judge.shards import model_identity
from kg.errors import InputError
from training.hardware import gpus

WITHOUT_GPU = 600  # items asked by default where replies take seconds each


class Replies(Protocol):
    """What an engine does."""

    def replies(self, asks: Sequence[Ask], think_switch: bool) -> Iterator[tuple[list[Ask], list[Completion]]]: ...
    def close(self) -> None: ...


def settings(model: Model, asking: Asking, engine: Engine, sampling: Sampling) -> dict[str, object]:
    """Everything besides the items that a reply depends on."""
    shown = {"think_switch": asking.think_switch, "backend": engine.backend, "dtype": engine.dtype}
    return {"model": model.place, "weights": model_identity(model.place), **asdict(sampling), **shown}


def collect(
    model: Model,
    items: Sequence[Item],
    asking: Asking,
    engine: Engine,
    sampling: Sampling,
    folder: Path,
    restart: bool = False,
) -> list[Row]:
    """The replies of one model, asked or read: rows in the order of `evaluation.asking.asks`.

    Args:
        items: already limited.
        folder: `<out>/<model>/<split>`.
        restart: throw away what is there.

    Raises:
        InputError: see Store, Local, Served.
    """
    for part in (asking, engine, sampling):
        part.check()
    if restart:
        clear(folder)
    store = Store(folder, settings(model, asking, engine, sampling))
    wanted = list(asks(items, asking))
    missing = store.missing(wanted)
    if missing:
        _ask(model, missing, asking, engine, sampling, store, known=len(wanted) - len(missing))
    return store.finish(wanted)


def _ask(
    model: Model, missing: Sequence[Ask], asking: Asking, engine: Engine, sampling: Sampling, store: Store, known: int
) -> None:
    loaded = load(model, engine, sampling)
    right = seen = 0
    with tqdm(total=known + len(missing), initial=known, desc=model.name, unit="reply", disable=None) as bar:
        for some, completions in loaded.replies(missing, asking.think_switch):
            rows = [row(ask, completion) for ask, completion in zip(some, completions, strict=True)]
            store.add(rows)
            right, seen = right + sum(one["correct"] for one in rows), seen + len(rows)
            bar.update(len(rows))
            bar.set_postfix_str(f"right {right / seen:.1%}")
    loaded.close()
    del loaded
    gc.collect()


def load(model: Model, engine: Engine, sampling: Sampling) -> Replies:
    """Start the engine that the settings name."""
    if engine.backend == "vllm":
        from evaluation.served import Served

        return Served(model, engine, sampling)
    if engine.backend != "transformers":
        raise InputError(f"--engine.backend: unknown backend {engine.backend!r}; give transformers or vllm")
    from evaluation.local import Local

    return Local(model, engine, sampling)


def limited(items: Sequence[Item], asking: Asking) -> list[Item]:
    """The items that are asked."""
    asking.check()
    if asking.limit is None and len(items) > WITHOUT_GPU and not gpus():
        print(f"No GPU: {WITHOUT_GPU} of {len(items):,} items are asked; --asking.limit {len(items)} asks all.")
        return chosen(items, WITHOUT_GPU)
    return chosen(items, asking.limit)
