"""The judge's report card: what it did with items whose faults are known.

`python -m generation judge-report` plants faults (`plant.py`), has each judge read faulty and good items mixed, and prints
for every kind how many were caught (rejected), missed (accepted) and left open (abstain), with intervals; for the good
ones, false alarms. The good items are the data's own: one that is bad without anyone knowing counts as a false alarm, so
that figure is an upper bound. The card is kept in `<questions>/judge_report.json` under the key of judge and asking.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from generation.judge.config import Asking, Bar, Judge
from generation.judge.figures import Share, share
from generation.judge.plant import GOOD, KINDS
from generation.judge.shards import judge_key
from generation.judge.verdict import Row
from kg.stats import table
from kg.store import replacing

FILE = "judge_report.json"


class Line(NamedTuple):
    """One kind of item: its verdicts, those not judged, and the share rejected among the judged."""

    kind: str
    items: int
    rejected: int
    accepted: int
    abstained: int
    not_judged: int
    share: Share


@dataclass(frozen=True)
class Card:
    """A judge's card. `stable`: verdicts that survived rotation. `unreadable`: replies that stayed so."""

    judge: str
    backend: str
    dtype: str
    lines: tuple[Line, ...]
    recall: Share
    alarms: Share
    stable: Share
    unreadable: Share

    def fails(self, bar: Bar) -> list[str]:
        """Why the judge may not be called validated; empty if it may."""
        found = []
        if min(self.recall.trials, self.alarms.trials) < bar.least:
            found.append(
                f"its card rests on {self.recall.trials} planted faults and {self.alarms.trials} good items, {bar.least} of each are wanted"
            )
        if self.recall.value is None or self.recall.value < bar.recall:
            found.append(f"it caught {self.recall} of the planted faults, {100 * bar.recall:g} % are wanted")
        if self.alarms.value is None or self.alarms.value > bar.alarms:
            found.append(f"it rejected {self.alarms} of the good items, at most {100 * bar.alarms:g} % are allowed")
        return found

    @property
    def title(self) -> str:
        return f"Report card of {self.judge} ({self.backend}, {self.dtype})"

    def rows(self) -> list[tuple[str, int, int, int, int, int, str]]:
        """Kind, items, rejected, accepted, left open, not judged, and the share rejected in words; a kind a row."""
        return [(*line[:-1], str(line.share)) for line in self.lines]

    def sentences(self) -> list[str]:
        """The figures over all kinds."""
        return [
            f"faults caught in all: {self.recall}",
            f"good items rejected: {self.alarms}",
            f"survived rotation: {self.stable}",
            f"unreadable replies: {self.unreadable}",
        ]

    def text(self, bar: Bar) -> str:
        """The card as a table, and whether the judge passes."""
        head = ("", "items", "caught", "missed", "open", "not judged", "share rejected (95 % interval)")
        faults = self.fails(bar)
        end = "NOT validated: " + "; ".join(faults) if faults else "may be called validated"
        return "\n".join([self.title, table(self.rows(), head), *self.sentences(), end])


def card(judge: Judge, kinds: Mapping[str, str], rows: Mapping[str, Row]) -> Card:
    """Count.

    Args:
        kinds: item_id -> planted fault or `good`.
        rows: item_id -> verdict row; items without one were not judged.
    """
    lines = [_line(kind, [i for i, k in kinds.items() if k == kind], rows) for kind in (*KINDS, GOOD)]
    lines = [line for line in lines if line.items]
    faulty, good = [line for line in lines if line.kind != GOOD], [line for line in lines if line.kind == GOOD]
    turned = [row["stable"] for row in rows.values() if row["stable"] is not None]
    readable = [raw["readable"] for row in rows.values() for raw in row["raw"]]
    return Card(judge.name, judge.backend, judge.dtype, tuple(lines), _rejected(faulty), _rejected(good),
                share(sum(turned), len(turned)), share(readable.count(False), len(readable)))  # fmt: skip


def _line(kind: str, ids: Sequence[str], rows: Mapping[str, Row]) -> Line:
    verdicts = Counter(rows[i]["verdict"] for i in ids if i in rows)
    judged = sum(verdicts.values())
    rejected = verdicts["reject"]
    return Line(
        kind, len(ids), rejected, verdicts["accept"], verdicts["abstain"], len(ids) - judged, share(rejected, judged)
    )


def _rejected(lines: Sequence[Line]) -> Share:
    return share(sum(line.rejected for line in lines), sum(line.items - line.not_judged for line in lines))


def save_card(questions: Path, judge: Judge, asking: Asking, made: Card) -> None:
    """Add the card to the file of cards, in place of an older one of this judge and asking."""
    cards = {**read_cards(questions), judge_key(judge, asking): asdict(made)}
    with replacing(questions / FILE) as temporary:
        temporary.write_text(json.dumps(cards, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def read_cards(questions: Path) -> dict[str, Any]:
    """All cards by key, as plain data; none if there is no file."""
    path = questions / FILE
    cards: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return cards


class Standing(NamedTuple):
    """Whether a judge's verdicts may be called validated, and why (not)."""

    validated: bool
    why: str


def standing(questions: Path, judge: Judge, asking: Asking, bar: Bar) -> Standing:
    """Look up the card of exactly this judge and asking."""
    if bar.trust:
        return Standing(True, "trusted by the user's word (--bar.trust), whatever its report card says")
    plain = read_cards(questions).get(judge_key(judge, asking))
    if plain is None:
        return Standing(False, "it has no report card for this asking; run `python -m generation judge-report`")
    faults = card_from(plain).fails(bar)
    return Standing(not faults, "; ".join(faults) or "its report card passes the bar")


def card_from(plain: Mapping[str, Any]) -> Card:
    """A card from its plain form (JSON knows lists only)."""
    shares = {name: Share(*plain[name]) for name in ("recall", "alarms", "stable", "unreadable")}
    lines = tuple(Line(*line)._replace(share=Share(*line[-1])) for line in plain["lines"])
    return Card(plain["judge"], plain["backend"], plain["dtype"], lines, **shares)
