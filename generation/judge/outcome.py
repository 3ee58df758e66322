"""What a judging run did, as counts, a table and a few sentences; and what may be said of the data after it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

import pyarrow.parquet as pq

from generation.judge.card import Standing
from generation.judge.figures import kappa, share
from generation.judge.reviews import agreement, final, people
from generation.judge.run import Ran
from generation.judge.verdict import VERDICTS, Row
from generation.report import NOT_JUDGED
from kg.errors import GateError, ShortfallError
from kg.stats import table

SUMMARY, VERDICTS_FILE = "judge.json", "verdicts.parquet"


@dataclass
class Outcome:
    """What the stage did. All counts are of items.

    Attributes:
        splits: split -> verdict -> count (people's verdicts win). difficulty: split -> mean closed-book pass rate.
        failed: judge -> reason -> items that it did not judge. asked: judge -> items asked in this run.
        rates: judge -> (items/s, tokens/s) of this run. stable: judge -> share that survived rotation.
        kappas: pair of judges -> Cohen's kappa. with_people: judge -> agreement with people.
        standing: judge -> (may be called validated, why). filled: what became of the grpo split. barred: why these judges
            may not replace it; then it stays as it was.
    """

    splits: dict[str, dict[str, int]] = field(default_factory=dict)
    difficulty: dict[str, float | None] = field(default_factory=dict)
    failed: dict[str, dict[str, int]] = field(default_factory=dict)
    asked: dict[str, int] = field(default_factory=dict)
    rates: dict[str, tuple[float, float]] = field(default_factory=dict)
    stable: dict[str, str] = field(default_factory=dict)
    kappas: dict[str, float | None] = field(default_factory=dict)
    with_people: dict[str, str] = field(default_factory=dict)
    standing: dict[str, Standing] = field(default_factory=dict)
    filled: str = ""
    barred: str = ""
    label: str = ""

    @property
    def validated(self) -> bool:
        """Whether every judge that voted may be called validated."""
        return all(one.validated for one in self.standing.values())

    def count(self, name: str, rows: Mapping[str, Row], reviewed: Mapping[str, str]) -> None:
        """Take in the verdicts of a split."""
        counts = Counter(final(rows, {i: v for i, v in reviewed.items() if i in rows}).values())
        self.splits[name] = {word: counts[word] for word in VERDICTS}
        rates = [row["pass_rate"] for row in rows.values() if row["pass_rate"] is not None]
        self.difficulty[name] = sum(rates) / len(rates) if rates else None

    def account(self, name: str, rans: Sequence[Ran], reviewed: Mapping[str, str]) -> None:
        """Take in what one judge did in all its runs."""
        self.asked[name] = sum(ran.asked for ran in rans)
        self.failed[name] = dict(sum((ran.failed for ran in rans), Counter()))
        seconds = sum(ran.seconds for ran in rans if ran.asked) or 1e-9
        self.rates[name] = (self.asked[name] / seconds, sum(ran.tokens for ran in rans) / seconds)
        own = rows_of(rans)
        turned = [row["stable"] for row in own.values() if row["stable"] is not None]
        self.stable[name] = str(share(sum(turned), len(turned)))
        if reviewed.keys() & own.keys():
            with_people = agreement(own, reviewed)
            self.with_people[name] = f"{with_people.same}, kappa {with_people.kappa}"

    def compare(self, said: Mapping[str, Mapping[str, Row]]) -> None:
        """Take in how far each pair of judges agrees (judge -> item_id -> row)."""
        for first, second in combinations(said, 2):
            both = sorted(said[first].keys() & said[second].keys())
            verdicts = ([str(said[name][i]["verdict"]) for i in both] for name in (first, second))
            self.kappas[f"{first} / {second}"] = kappa(*verdicts)

    def text(self) -> str:
        """The outcome as a table and a few sentences."""
        rows = [
            (
                name,
                sum(counts.values()),
                *counts.values(),
                "-" if (rate := self.difficulty[name]) is None else f"{100 * rate:.1f} % right",
            )
            for name, counts in self.splits.items()
        ]
        lines = [table(rows, ("split", "items", *VERDICTS, "closed book"))]
        for name, asked in self.asked.items():
            items, tokens = self.rates[name]
            speed = f", {items:.2f} items/s, {tokens:,.0f} tokens/s" if asked else ""
            lines.append(f"{name}: asked {asked} items in this run{speed}; survived rotation: {self.stable[name]}")
            lines += [f"{name}: not judged: {count} ({reason})" for reason, count in self.failed[name].items()]
        return "\n".join([*lines, *self.sentences()])

    def sentences(self) -> list[str]:
        """What does not belong to one run alone: agreement, standing, what became of the grpo split, the label."""
        lines = [
            f"agreement {pair}: kappa {'undefined' if k is None else f'{k:.2f}'}" for pair, k in self.kappas.items()
        ]
        lines += [f"agreement of {name} with people: {told}" for name, told in self.with_people.items()]
        lines += [
            f"{name}: {'' if one.validated else 'not '}validated: {one.why}" for name, one in self.standing.items()
        ]
        if self.barred:
            lines.append(f"grpo: NOT FILLED, the split is as it was: {self.barred}")
        return [*lines, *([self.filled] if self.filled else []), f"label of the data: {self.label}"]

    def check(self) -> None:
        """Say what is wrong with how the run ended.

        Raises:
            ShortfallError: some items were not judged.
            GateError: the judges may not replace the grpo split, or accepted nothing.
        """
        if count := sum(sum(reasons.values()) for reasons in self.failed.values()):
            raise ShortfallError(
                f"{count} items were not judged; run the same command again, or change what the reason says"
            )
        if self.barred:
            raise GateError(f"the verdicts are kept, but the grpo split was not filled: {self.barred}")


def rows_of(rans: Sequence[Ran]) -> dict[str, Row]:
    """item_id -> row, of all runs of one judge."""
    return {item_id: row for ran in rans for item_id, row in ran.rows.items()}


def label(questions: Path) -> str:
    """What may be said of the grpo split: `proved, not judged` unless every one of its items has an accepted verdict."""
    if not (questions / VERDICTS_FILE).exists() or not (questions / SUMMARY).exists():
        return NOT_JUDGED
    table = pq.read_table(questions / VERDICTS_FILE, columns=["item_id", "verdict"]).to_pylist()
    verdicts = {**{row["item_id"]: row["verdict"] for row in table}, **people(questions)}
    standing = json.loads((questions / SUMMARY).read_text(encoding="utf-8"))["standing"]
    return labelled(grpo_ids(questions), verdicts, {name: Standing(*one) for name, one in standing.items()})


def labelled(ids: Collection[str], verdicts: Mapping[str, str], standing: Mapping[str, Standing]) -> str:
    """The label of a split from its items, their verdicts and who gave them."""
    accepted = sum(verdicts.get(item_id) == "accept" for item_id in ids)
    if not ids or accepted < len(ids):
        return f"{NOT_JUDGED} ({accepted} of {len(ids)} items accepted by a judge)" if ids else NOT_JUDGED
    names = " + ".join(standing)
    if all(one.validated for one in standing.values()):
        return f"proved, and validated by {names}"
    return f"proved, judged by {names}, which is not validated"


def grpo_ids(questions: Path) -> list[str]:
    """Ids of the grpo split as it stands; none where there is no such split."""
    path = questions / "grpo.parquet"
    ids: list[str] = pq.read_table(path, columns=["item_id"]).column("item_id").to_pylist() if path.exists() else []
    return ids
