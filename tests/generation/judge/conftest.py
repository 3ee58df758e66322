"""Real items made by the pipeline from the core layer, and small real models and servers."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from pathlib import Path

import pytest
from scripted_judges import World

from generation import candidates as work
from generation.item import ITEM
from generation.judge.items import shown, teller
from kg.build import build
from kg.closure import Closure
from kg.paths import Limits, walks
from kg.schema import Schema
from kg.store import save, write_table


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "engine: runs the real vLLM; skipped where it is not installed")


@pytest.fixture(scope="session")
def world() -> World:
    """120 two-hop questions of the core layer."""
    schema = Schema.load()
    closure = Closure(build(schema, ("core",)).graph, schema)
    paths = list(islice(walks(closure, 2, Limits(), Counter()), 600))
    found = work.find(closure, paths, 0, 1)
    rows = [{**one.item, "split": "grpo"} for one in found.candidates[:120] if one.item is not None]
    return World(closure, rows, shown(rows, teller(closure)))


@pytest.fixture(scope="session")
def graph_folder(world: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("graph")
    save(world.closure.graph, world.closure.schema, folder, {})
    return folder


@pytest.fixture
def questions(world: World, tmp_path: Path) -> Path:
    """40 grpo candidates, a reserve of 8, 20 test items."""
    parts = {
        "grpo": world.rows[:40],
        "grpo_reserve": world.rows[40:48],
        "test": world.rows[48:68],
        "sft": world.rows[68:],
    }
    for name, rows in parts.items():
        write_table(tmp_path / "questions" / f"{name}.parquet", rows, ITEM, {"seed": "0"})
    return tmp_path / "questions"
