"""Ray Data's vLLM batch processing on this machine's cores. Runs where ray is installed beside vLLM: pip install 'ray[data]'."""

from __future__ import annotations

from pathlib import Path

import pytest
from real_engine import GREEDY
from scripted_judges import World

from generation.judge import Judge
from generation.judge.ask import asks, read
from generation.judge.engine import Engine

pytest.importorskip("ray", reason="ray is not installed; no extra of this repository brings it")
pytestmark = pytest.mark.vllm


def test_ray_gives_the_replies_of_the_engine(world: World, model: Path, engine: Engine) -> None:
    from generation.judge.ray_data import RayData

    long = world.seen[2]._replace(reasoning="word " * 6000)
    wanted = [ask for one in (*world.seen[:2], long) for ask in asks(one, GREEDY, 0)]
    backend = RayData(Judge(model=str(model), backend="ray", dtype="float32", engine={"replicas": 1}))
    try:
        there = backend.answer(wanted, 0)
    finally:
        backend.close()
    here = engine.answer(wanted, 0)
    assert [(answer.text, answer.failed) for answer in there] == [(answer.text, answer.failed) for answer in here]
    assert sum(read(ask, answer.text) is not None for ask, answer in zip(wanted, there, strict=True)) == len(wanted) - 1
