"""The judge stage: read the splits, vote, write the verdicts, fill the grpo split, say where things stand.

Files in the questions folder:
  verdicts.parquet     one row an item: the verdict of the judges (`votes` holds each one's)
  judge.json           this summary, machine-readable
  judge/               each judge's own rows (`shards.py`), and the grpo candidates once a judge has filled the split
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from generation.item import Item
from generation.judge.ask import prompt_hash
from generation.judge.card import standing
from generation.judge.config import Config, check
from generation.judge.figures import kappa, share
from generation.judge.items import Tell, grpo_pool, open_closure, read_split, shown, teller, write_filled
from generation.judge.reviews import agreement, final, people
from generation.judge.run import Open, Ran, Session, open_backend
from generation.judge.shards import Shards
from generation.judge.verdict import VERDICT, VERDICTS, Row, combined
from generation.report import NOT_JUDGED
from kg.errors import ShortfallError
from kg.store import replacing, write_table

SUMMARY, VERDICTS_FILE = "judge.json", "verdicts.parquet"


@dataclass
class Outcome:
    """What the stage did. All counts are of items.

    Attributes:
        splits: split -> verdict -> count (people's verdicts win). difficulty: split -> mean closed-book pass rate.
        failed: judge -> reason -> items that it did not judge. asked: judge -> items asked in this run.
        rates: judge -> (items/s, tokens/s) of this run. stable: judge -> share that survived rotation.
        kappas: pair of judges -> Cohen's kappa. with_people: judge -> agreement with people.
        standing: judge -> (may be called validated, why). filled: what became of the grpo split.
    """

    splits: dict[str, dict[str, int]] = field(default_factory=dict)
    difficulty: dict[str, float | None] = field(default_factory=dict)
    failed: dict[str, dict[str, int]] = field(default_factory=dict)
    asked: dict[str, int] = field(default_factory=dict)
    rates: dict[str, tuple[float, float]] = field(default_factory=dict)
    stable: dict[str, str] = field(default_factory=dict)
    kappas: dict[str, float | None] = field(default_factory=dict)
    with_people: dict[str, str] = field(default_factory=dict)
    standing: dict[str, tuple[bool, str]] = field(default_factory=dict)
    filled: str = ""
    label: str = ""

    def text(self) -> str:
        """The outcome as a table and a few sentences."""
        lines = [f"{'split':10} {'items':>6} {'accept':>7} {'reject':>7} {'abstain':>8}  closed book"]
        for name, counts in self.splits.items():
            rate = self.difficulty[name]
            lines.append(
                f"{name:10} {sum(counts.values()):6} {counts['accept']:7} {counts['reject']:7} {counts['abstain']:8}  "
                + ("-" if rate is None else f"{100 * rate:.1f} % right")
            )
        for name, asked in self.asked.items():
            items, tokens = self.rates[name]
            speed = f", {items:.2f} items/s, {tokens:,.0f} tokens/s" if asked else ""
            lines.append(f"{name}: asked {asked} items in this run{speed}; survived rotation: {self.stable[name]}")
            lines += [f"{name}: not judged: {count} ({reason})" for reason, count in self.failed[name].items()]
        lines += [
            f"agreement {pair}: kappa {'undefined' if k is None else f'{k:.2f}'}" for pair, k in self.kappas.items()
        ]
        lines += [f"agreement of {name} with people: {told}" for name, told in self.with_people.items()]
        for name, (good, why) in self.standing.items():
            lines.append(f"{name}: {'validated' if good else 'not validated'}: {why}")
        return "\n".join([*lines, *([self.filled] if self.filled else []), f"label of the data: {self.label}"])


class Bench:
    """The judges of a run, side by side."""

    def __init__(self, config: Config, tell: Tell, opener: Open) -> None:
        self.config, self.tell = config, tell
        self.sessions = [
            Session(judge, config.asking, Shards.open(config.questions, judge, config.asking), config.batch, opener)
            for judge in config.judges
        ]
        self.rans: dict[str, list[Ran]] = {judge.name: [] for judge in config.judges}

    def read(self, items: Sequence[Item]) -> dict[str, Row]:
        """Judge items; one row for each that all judges have judged. A judge's engine is freed before the next starts."""
        seen = shown(items, self.tell)
        found = []
        for session in self.sessions:
            try:
                ran = session.run(seen)
            finally:
                if len(self.sessions) > 1:
                    session.close()
            self.rans[session.judge.name].append(ran)
            found.append(ran.rows)
        return {
            one.item_id: combined([rows[one.item_id] for rows in found])
            for one in seen
            if all(one.item_id in rows for rows in found)
        }

    def close(self) -> None:
        for session in self.sessions:
            session.close()


def judge(config: Config, opener: Open = open_backend) -> Outcome:
    """Run the stage.

    Raises:
        InputError: bad settings, no such model, server or split, a full disk.
        ShortfallError: a server was lost, or some items could not be judged; what was judged is kept and written.
    """
    check(config)
    outcome, bench = Outcome(), Bench(config, teller(open_closure(config.graph)), opener)
    reviewed = people(config.questions)
    try:
        rows: dict[str, dict[str, Row]] = {}
        for name in config.splits:
            items = grpo_pool(config.questions).candidates if name == "grpo" and config.limit is None else None
            rows[name] = bench.read(items if items is not None else read_split(config.questions, name, config.limit))
        if config.fill and config.limit is None and "grpo" in config.splits:
            rows["reserve"] = _fill(config, bench, rows["grpo"], reviewed, outcome)
    finally:
        bench.close()
    _account(config, bench, rows, reviewed, outcome)
    _write(config, rows, outcome)
    if any(outcome.failed.values()):
        raise ShortfallError(
            f"{outcome.text()}\nsome items were not judged; run the same command again, or change what the reason says"
        )
    return outcome


def _fill(
    config: Config, bench: Bench, judged: dict[str, Row], reviewed: dict[str, str], outcome: Outcome
) -> dict[str, Row]:
    """Accepted candidates, then accepted items of the reserve in their rank, until the split is full or the reserve is dry."""
    pool = grpo_pool(config.questions)
    wanted, verdicts = len(pool.candidates), final(judged, reviewed)
    taken = [item for item in pool.candidates if verdicts.get(item["item_id"]) == "accept"]
    kept, looked, rows = len(taken), 0, dict[str, Row]()
    while len(taken) < wanted and looked < len(pool.reserve):
        part = pool.reserve[looked : looked + wanted - len(taken)]
        looked += len(part)
        found = bench.read(part)
        rows |= found
        verdicts = final(found, reviewed)
        taken += [item for item in part if verdicts.get(item["item_id"]) == "accept"]
    write_filled(config.questions, pool.candidates, taken, " + ".join(one.name for one in config.judges))
    outcome.filled = f"grpo: {kept} of {wanted} candidates accepted, {len(taken) - kept} of {looked} read from the reserve of {len(pool.reserve)}"
    outcome.filled += (
        ": full" if len(taken) == wanted else f"; the reserve is dry: {wanted - len(taken)} short of {wanted}"
    )
    return rows


def _account(
    config: Config, bench: Bench, rows: dict[str, dict[str, Row]], reviewed: dict[str, str], outcome: Outcome
) -> None:
    every = {item_id: row for part in rows.values() for item_id, row in part.items()}
    for name, part in rows.items():
        counts = Counter(final(part, {i: v for i, v in reviewed.items() if i in part}).values())
        outcome.splits[name] = {word: counts[word] for word in VERDICTS}
        rates = [row["pass_rate"] for row in part.values() if row["pass_rate"] is not None]
        outcome.difficulty[name] = sum(rates) / len(rates) if rates else None
    said: dict[str, dict[str, Row]] = {}
    for one in config.judges:
        rans = bench.rans[one.name]
        own = said[one.name] = {item_id: row for ran in rans for item_id, row in ran.rows.items()}
        outcome.asked[one.name] = sum(ran.asked for ran in rans)
        outcome.failed[one.name] = dict(sum((ran.failed for ran in rans), Counter()))
        seconds = sum(ran.seconds for ran in rans if ran.asked) or 1e-9
        outcome.rates[one.name] = (outcome.asked[one.name] / seconds, sum(ran.tokens for ran in rans) / seconds)
        turned = [row["stable"] for row in own.values() if row["stable"] is not None]
        outcome.stable[one.name] = str(share(sum(turned), len(turned)))
        if reviewed.keys() & own.keys():
            with_people = agreement(own, reviewed)
            outcome.with_people[one.name] = f"{with_people.same}, kappa {with_people.kappa}"
        stands = standing(config.questions, one, config.asking, config.bar)
        outcome.standing[one.name] = (stands.validated, stands.why)
    for first, second in combinations(said, 2):
        both = sorted(said[first].keys() & said[second].keys())
        verdicts = ([said[name][i]["verdict"] for i in both] for name in (first, second))
        outcome.kappas[f"{first} / {second}"] = kappa(*verdicts)
    outcome.label = _label(len(every), outcome)


def _label(judged: int, outcome: Outcome) -> str:
    names = " + ".join(outcome.standing)
    if not judged:
        return NOT_JUDGED
    if all(good for good, _ in outcome.standing.values()):
        return f"proved, and validated by {names}"
    return f"proved, judged by {names}, which is not validated"


def label(questions: Path) -> str:
    """What may be said of the grpo split: `proved, not judged` unless every one of its items has an accepted verdict."""
    import pyarrow.parquet as pq

    path, summary = questions / VERDICTS_FILE, questions / SUMMARY
    if not path.exists() or not summary.exists():
        return NOT_JUDGED
    table = pq.read_table(path, columns=["item_id", "verdict"]).to_pylist()
    verdicts = {**{row["item_id"]: row["verdict"] for row in table}, **people(questions)}
    ids = pq.read_table(questions / "grpo.parquet", columns=["item_id"]).column("item_id").to_pylist()
    accepted = sum(verdicts.get(item_id) == "accept" for item_id in ids)
    said = str(json.loads(summary.read_text(encoding="utf-8"))["label"])
    return (
        said if ids and accepted == len(ids) else f"{NOT_JUDGED} ({accepted} of {len(ids)} items accepted by a judge)"
    )


def _write(config: Config, rows: dict[str, dict[str, Row]], outcome: Outcome) -> None:
    metadata = {"prompt_hash": prompt_hash(), "judges": json.dumps([one.name for one in config.judges])}
    every = {item_id: row for part in rows.values() for item_id, row in part.items()}
    write_table(config.questions / VERDICTS_FILE, [every[item_id] for item_id in sorted(every)], VERDICT, metadata)
    summary: dict[str, Any] = {**asdict(outcome), "text": outcome.text(), "config": asdict(config)}
    with replacing(config.questions / SUMMARY) as temporary:
        temporary.write_text(json.dumps(summary, indent=1, ensure_ascii=False, default=str) + "\n", encoding="utf-8")
