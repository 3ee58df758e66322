"""How the grpo split is filled, when it is left alone, and what may be said of it."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from scripted_judges import Refuses, World, knows
from stage_runs import config, keys, ran, rejects

from generation.item import ITEM
from generation.judge import Bar, judge, label
from generation.judge.items import read_split
from generation.report import NOT_JUDGED
from kg.errors import GateError
from kg.store import write_table


def test_rejected_candidates_are_replaced_from_the_reserve_in_rank(
    world: World, questions: Path, graph_folder: Path
) -> None:
    bad = {world.rows[n]["item_id"] for n in (3, 17, 40)}  # two candidates and the first of the reserve
    outcome, _ = ran(config(questions, graph_folder), rejects(world, bad))
    ids = [row["item_id"] for row in read_split(questions, "grpo")]
    wanted = [row["item_id"] for n, row in enumerate(world.rows[:43]) if n not in (3, 17, 40)]
    assert ids == wanted
    assert outcome.filled == "grpo: 38 of 40 candidates accepted, 2 of 3 read from the reserve of 8: full"


def test_a_dry_reserve_is_said(world: World, questions: Path, graph_folder: Path) -> None:
    bad = {row["item_id"] for row in world.rows[:12]}
    outcome, _ = ran(config(questions, graph_folder), rejects(world, bad))
    assert len(read_split(questions, "grpo")) == 36
    assert outcome.filled.endswith("the reserve is dry: 4 short of 40")


def test_a_judge_that_is_not_validated_leaves_the_split_alone_and_says_so(
    world: World, questions: Path, graph_folder: Path
) -> None:
    before = (questions / "grpo.parquet").read_bytes()
    settings = config(questions, graph_folder, fill="validated")
    outcome, _ = ran(settings, rejects(world, {row["item_id"] for row in world.rows[:39]}))
    assert (questions / "grpo.parquet").read_bytes() == before
    assert "grpo: NOT FILLED, the split is as it was: a judge that is not validated" in outcome.text()
    assert outcome.label == label(questions) == "proved, not judged (1 of 40 items accepted by a judge)"
    with pytest.raises(GateError, match="the grpo split was not filled"):
        outcome.check()
    trusted, _ = ran(dataclasses.replace(settings, bar=Bar(trust=True)), knows(keys(world)))
    trusted.check()
    assert len(read_split(questions, "grpo")) == 9  # one candidate and the reserve


def test_a_judge_that_accepts_nothing_leaves_the_split_alone(world: World, questions: Path, graph_folder: Path) -> None:
    before = (questions / "grpo.parquet").read_bytes()
    outcome, _ = ran(config(questions, graph_folder), lambda ask: "hm")
    assert (questions / "grpo.parquet").read_bytes() == before
    with pytest.raises(GateError, match="none of 40 candidates and 8 items of the reserve was accepted"):
        outcome.check()


def test_items_that_were_not_judged_are_not_replaced_from_the_reserve(
    world: World, questions: Path, graph_folder: Path
) -> None:
    lost = world.rows[0]["item_id"]
    backend = Refuses(knows(keys(world)), lambda ask: "timed out" if ask.item_id == lost else "")
    outcome = judge(config(questions, graph_folder), lambda _: backend)
    assert outcome.filled == "grpo: not filled yet: 1 items were not judged in this run"
    outcome, _ = ran(config(questions, graph_folder), knows(keys(world)))
    assert outcome.filled == "grpo: 40 of 40 candidates accepted, 0 of 0 read from the reserve of 8: full"


def test_filling_again_starts_from_the_candidates(world: World, questions: Path, graph_folder: Path) -> None:
    bad = {world.rows[n]["item_id"] for n in (3, 17)}
    ran(config(questions, graph_folder), rejects(world, bad))
    first = (questions / "grpo.parquet").read_bytes()
    outcome, _ = ran(config(questions, graph_folder), rejects(world, bad))
    assert (questions / "grpo.parquet").read_bytes() == first
    assert "38 of 40" in outcome.filled
    metadata = pq.read_schema(questions / "grpo.parquet").metadata
    assert (metadata[b"judged_from"], metadata[b"seed"]) == (b"a-judge", b"0")


def test_data_without_a_judge_is_labelled_so(questions: Path) -> None:
    assert label(questions) == NOT_JUDGED


def test_an_unmeasured_judge_validates_nothing_unless_trusted(
    world: World, questions: Path, graph_folder: Path
) -> None:
    outcome, _ = ran(config(questions, graph_folder), knows(keys(world)))
    assert outcome.label == label(questions) == "proved, judged by a-judge, which is not validated"
    outcome, _ = ran(config(questions, graph_folder, bar=Bar(trust=True)), knows(keys(world)))
    assert outcome.label == label(questions) == "proved, and validated by a-judge"


def test_a_label_does_not_outlive_its_items(world: World, questions: Path, graph_folder: Path) -> None:
    ran(config(questions, graph_folder), knows(keys(world)))
    write_table(questions / "grpo.parquet", world.rows[80:90], ITEM, {})
    assert label(questions) == "proved, not judged (0 of 10 items accepted by a judge)"
