"""The judge stage: read the splits, vote, write the verdicts, fill the grpo split, say where things stand.

Files in the questions folder:
  verdicts.parquet     one row an item: the verdict of the judges (`votes` holds each one's)
  judge.json           the outcome, machine-readable
  judge/               each judge's own rows (`shards.py`), and the grpo candidates once a judge has filled the split
  report.json, report.html, README.md    told of it (`published.py`)
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from generation.item import Item
from generation.judge.answer import DOES_NOT_FIT
from generation.judge.ask import prompt_hash
from generation.judge.card import standing
from generation.judge.config import Config, check
from generation.judge.fill import Pool, filled, grpo_pool, write_filled
from generation.judge.items import Tell, open_closure, read_split, shown, teller
from generation.judge.outcome import SUMMARY, VERDICTS_FILE, Outcome, grpo_ids, labelled, rows_of
from generation.judge.published import publish
from generation.judge.reviews import final, people
from generation.judge.run import Open, Ran, Session, open_backend
from generation.judge.shards import Shards
from generation.judge.verdict import VERDICT, Row, combined
from kg.store import replacing, write_table


class Bench:
    """The judges of a run, side by side."""

    def __init__(self, config: Config, tell: Tell, opener: Open) -> None:
        self.tell = tell
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

    def lost(self) -> int:
        """Items that a judge did not judge, though another run may."""
        failed = [ran.failed for rans in self.rans.values() for ran in rans]
        return sum(count for reasons in failed for reason, count in reasons.items() if reason != DOES_NOT_FIT)

    def close(self) -> None:
        for session in self.sessions:
            session.close()


def judge(config: Config, opener: Open = open_backend) -> Outcome:
    """Run the stage. `Outcome.check` raises what is wrong with how it ended; all that was judged is written by then.

    Raises:
        InputError: bad settings, no such model, server or split, a full disk.
        ShortfallError: a server was lost; what was judged is kept.
    """
    check(config)
    outcome, bench = Outcome(), Bench(config, teller(open_closure(config.graph)), opener)
    outcome.standing = {one.name: standing(config.questions, one, config.asking, config.bar) for one in config.judges}
    reviewed, rows = people(config.questions), dict[str, dict[str, Row]]()
    pool = grpo_pool(config.questions) if config.limit is None and "grpo" in config.splits else None
    try:
        for name in config.splits:
            own = pool.candidates if pool and name == "grpo" else read_split(config.questions, name, config.limit)
            rows[name] = bench.read(own)
        if pool and config.fill != "never" and (read := _fill(config, bench, pool, reviewed, rows["grpo"], outcome)):
            rows["reserve"] = read
    finally:
        bench.close()
    for name, part in rows.items():
        outcome.count(name, part, reviewed)
    for name, rans in bench.rans.items():
        outcome.account(name, rans, reviewed)
    outcome.compare({name: rows_of(rans) for name, rans in bench.rans.items()})
    every = {item_id: row for part in rows.values() for item_id, row in part.items()}
    outcome.label = labelled(grpo_ids(config.questions), final(every, reviewed), outcome.standing)
    _write(config, every, outcome)
    return outcome


def _fill(
    config: Config, bench: Bench, pool: Pool, reviewed: dict[str, str], judged: dict[str, Row], outcome: Outcome
) -> dict[str, Row]:
    """Fill the grpo split if these judges may; the rows of what was read of the reserve."""
    rows: dict[str, Row] = {}
    if config.fill == "validated" and not outcome.validated:
        outcome.barred = "a judge that is not validated replaces nothing (--fill always has it do so all the same)"
        return rows
    if lost := bench.lost():
        outcome.filled = f"grpo: not filled yet: {lost} items were not judged in this run"
        return rows

    def read(items: Sequence[Item]) -> dict[str, str]:
        found = bench.read(items)
        rows.update(found)
        return final(found, reviewed)

    done = filled(pool, final(judged, reviewed), read)
    if done.taken:
        write_filled(config.questions, pool.candidates, done.taken, " + ".join(bench.rans))
        outcome.filled = done.told(pool)
    else:
        outcome.barred = (
            f"none of {len(pool.candidates)} candidates and {done.looked} items of the reserve was accepted"
        )
    return rows


def _write(config: Config, rows: dict[str, Row], outcome: Outcome) -> None:
    metadata = {"prompt_hash": prompt_hash(), "judges": json.dumps([one.name for one in config.judges])}
    write_table(config.questions / VERDICTS_FILE, [rows[item_id] for item_id in sorted(rows)], VERDICT, metadata)
    summary: dict[str, Any] = {
        **asdict(outcome),
        "text": outcome.text(),
        "sentences": outcome.sentences(),
        "config": asdict(config),
    }
    with replacing(config.questions / SUMMARY) as temporary:
        temporary.write_text(json.dumps(summary, indent=1, ensure_ascii=False, default=str) + "\n", encoding="utf-8")
    publish(config.questions)
