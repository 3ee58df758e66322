"""Runs of the stage over real items with a judge that follows a rule."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from scripted_judges import Say, Scripted, World, flaws, knows

from generation.judge import Asking, Config, Judge, Outcome, judge
from generation.judge.verdict import VERDICT
from kg.store import read_rows

MODEL = Judge(model="a-judge")


def keys(world: World) -> dict[str, int]:
    return {one.item_id: one.key for one in world.seen}


def config(questions: Path, graph: Path, **changes: object) -> Config:
    plain = Config(questions=questions, graph=graph, judges=[MODEL], asking=Asking(samples=2), batch=7, fill="always")
    return dataclasses.replace(plain, **changes)  # type: ignore[arg-type]


def ran(settings: Config, say: Say) -> tuple[Outcome, Scripted]:
    backend = Scripted(say)
    return judge(settings, lambda _: backend), backend


def verdicts(questions: Path) -> dict[str, str]:
    return {row["item_id"]: row["verdict"] for row in read_rows(questions / "verdicts.parquet", VERDICT)}


def rejects(world: World, ids: set[str]) -> Say:
    good = knows(keys(world))
    return lambda ask: flaws("ambiguous") if ask.kind == "form" and ask.item_id in ids else good(ask)
