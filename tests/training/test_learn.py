"""The learning experiment, small: every stage and control, going on after a stop, and its report."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kg.closure import Closure
from kg.errors import InputError
from kg.graph import Graph
from kg.schema import Schema
from tests.training.conftest import NETWORK
from tests.training.stage_output import Said

pytest.importorskip("torch", reason="the training extra is not installed")
pytest.importorskip("trl", reason="the training extra is not installed")

from training import learn, sft
from training.learn import Recipes


def small(seed: int) -> Recipes:
    """tiny-cpu with a smaller slice and network, and few steps."""
    read = learn.load_recipes(seed)
    assert read.made.slice is not None
    metapaths = (
        "^innervates > exits_from",
        "^innervates > lesion_causes",
        "^innervates > branch_of",
        "^innervates > passes_through",
    )
    part = replace(
        read.made.slice, metapaths=metapaths, fan_out=2, facts=60, shares=(0.5, 0.2, 0.3), draws=(2, 2, 2), singles=1
    )
    return Recipes(
        replace(read.made, network=NETWORK, slice=part, comparing=1, reading=1, steps=3, batch=8),
        replace(read.sft, per_device_batch=8, max_steps=4, save_steps=2, log_steps=1, track="none"),
        replace(read.grpo, per_device_batch=8, max_steps=2, save_steps=2, max_completion=8, track="none"),
    )


def test_every_stage_and_control_runs_once_and_is_reported(
    core_closure: Closure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load() -> tuple[Graph, Schema]:
        return core_closure.graph, core_closure.schema

    real, stops = sft.run, [None]
    monkeypatch.setattr(sft, "run", lambda *args, **more: stops.pop() if stops else real(*args, **more))
    said = Said()
    stopped = learn.run(load, tmp_path, [0], ["sft", "shuffled"], small, prompts=8, say=said)
    assert "stopped in seed0 sft; the same command goes on" in said.text
    assert list(stopped["seeds"]["seed0"]) == ["base"]

    report = learn.run(load, tmp_path, [0], ["sft", "shuffled"], small, prompts=8, say=said)
    arms = report["seeds"]["seed0"]
    assert list(arms) == ["base", "sft", "grpo", "control-sft", "control-shuffled"]
    assert all(arm["prompts"] == 8 and 0 <= arm["accuracy"].low <= arm["accuracy"].high <= 1 for arm in arms.values())
    assert arms["base"]["over_sft"] is arms["sft"]["over_sft"] is None
    assert arms["grpo"]["over_sft"].low <= arms["grpo"]["over_sft"].high
    assert {"learn.json", "learn.md", "learn.png"} <= {file.name for file in tmp_path.iterdir()}
    assert "| seed0 | GRPO, shuffled paths |" in (tmp_path / "learn.md").read_text()

    before = json.loads((tmp_path / "seed0" / "times" / "sft.json").read_text())
    monkeypatch.setattr(sft, "run", lambda *_, **__: pytest.fail("a finished stage was run again"))
    learn.run(load, tmp_path, [0], ["sft"], small, prompts=8, say=said)
    assert json.loads((tmp_path / "seed0" / "times" / "sft.json").read_text()) == before


def test_an_unknown_control_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unknown 'word'; choose from sft, none, statements, shuffled"):
        learn.run(lambda: pytest.fail("no graph is needed"), tmp_path, [0], ["word"])
