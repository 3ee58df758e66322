"""Real items made by the pipeline from the core layer, and small real models and servers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from real_engine import GREEDY, Kept, config, judge_here, said
from scripted_judges import World

from generation import candidates as work
from generation.item import ITEM
from generation.judge import Judge, judge
from generation.judge.ask import asks
from generation.judge.engine import Engine
from generation.judge.items import shown, teller
from generation.judge.local import LocalServer
from kg.build import build
from kg.closure import Closure
from kg.paths import Limits, walks
from kg.schema import Schema
from kg.store import save, write_table


@pytest.fixture(scope="session")
def world() -> World:
    """120 two-hop questions of the core layer."""
    schema = Schema.load()
    closure = Closure(build(schema, ("core",)).graph, schema)
    paths = list(islice(walks(closure, 2, Limits(), Counter()), 600))
    found = work.Draw(closure, paths, 0, 1).questions()
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


# --- the real vLLM: used only by tests marked so ---


@pytest.fixture(scope="session")
def model(world: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from small_model import make

    return make(
        tmp_path_factory.mktemp("models") / "tiny-qwen3",
        [ask.rubric + ask.text for one in world.seen[:30] for ask in asks(one, GREEDY, 0)],
    )


@pytest.fixture(scope="session")
def engine(model: Path) -> Iterator[Engine]:
    """One engine for the whole session: starting it is what takes time."""
    made = Engine(Judge(model=str(model), dtype="float32"))
    yield made
    made.close()


@pytest.fixture(scope="session")
def server(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    made = LocalServer(model, tmp_path_factory.mktemp("log") / "server.log")
    try:
        made.start()
        yield made
    finally:
        made.stop()


@pytest.fixture(scope="session")
def undisturbed(
    world: World, graph_folder: Path, model: Path, engine: Engine, tmp_path_factory: pytest.TempPathFactory
) -> list[dict[str, object]]:
    """The verdicts of a run in this process in which nothing goes wrong."""
    folder = tmp_path_factory.mktemp("undisturbed")
    write_table(folder / "test.parquet", world.rows[48:68], ITEM, {})
    judge(config(folder, graph_folder, judge_here(model)), lambda _: Kept(engine))
    return said(folder)
