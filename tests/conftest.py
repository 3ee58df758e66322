"""Graphs and items that many tests share. `small_*` comes from tests/small (84 entities), `core_*` from kg/data/core."""

from __future__ import annotations

import importlib.util
import os
from collections import Counter

import pytest
from hypothesis import HealthCheck, settings

from generation.make import Config, Made, make
from generation.splits import Caps, Sizes
from kg.build import assemble
from kg.closure import Closure
from kg.graph import Graph
from kg.paths import Limits, Path, singles, walks
from kg.schema import Schema
from kg.sources import core
from tests.hand_made import CORE_FOLDER, SCHEMA_FILE

os.environ.setdefault("OMP_NUM_THREADS", "1")
settings.register_profile(  # the same examples every time; FUZZ=1 draws others
    "tests",
    derandomize=not os.environ.get("FUZZ"),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("tests")

OPEN_CAPS = Caps(answer=1.0, bridge=1.0, metapath=1.0, rare_disease=1.0)
SMALL_CONFIG = Config(sizes=Sizes(sft_single=150, sft=40, grpo=10, test=10), caps=OPEN_CAPS)
CORE_CONFIG = Config(sizes=Sizes(sft_single=300, sft=200, grpo=60, test=100))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "vllm: runs the real vLLM; where REQUIRE_VLLM is set it must be installed")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests with the real vLLM share one worker, and so one engine and one server."""
    for item in items:
        if item.get_closest_marker("vllm"):
            item.add_marker(pytest.mark.xdist_group("vllm"))
            item.add_marker(pytest.mark.filterwarnings("ignore"))  # vLLM's own


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("vllm") and importlib.util.find_spec("vllm") is None:
        reason = "vLLM is not installed (make .venv/judge-cpu)"
        pytest.fail(reason, pytrace=False) if os.environ.get("REQUIRE_VLLM") else pytest.skip(reason)


@pytest.fixture(scope="session")
def small_schema() -> Schema:
    return Schema.load(SCHEMA_FILE)


@pytest.fixture(scope="session")
def small_graph(small_schema: Schema) -> Graph:
    return assemble(small_schema, [core.load(small_schema, CORE_FOLDER)]).graph


@pytest.fixture(scope="session")
def small_closure(small_graph: Graph, small_schema: Schema) -> Closure:
    return Closure(small_graph, small_schema)


@pytest.fixture(scope="session")
def small_made(small_graph: Graph, small_schema: Schema) -> Made:
    return make(small_graph, small_schema, SMALL_CONFIG)


@pytest.fixture(scope="session")
def schema() -> Schema:
    """The embedded vocabulary."""
    return Schema.load()


@pytest.fixture(scope="session")
def core_graph(schema: Schema) -> Graph:
    """The curated core alone."""
    return assemble(schema, [core.load(schema)]).graph


@pytest.fixture(scope="session")
def core_closure(core_graph: Graph, schema: Schema) -> Closure:
    return Closure(core_graph, schema)


@pytest.fixture(scope="session")
def core_paths(core_closure: Closure) -> dict[int, list[Path]]:
    """Every path of one and two hops by hops, leaking ones included."""
    one = list(singles(core_closure, Limits(), Counter()))
    return {1: one, 2: list(walks(core_closure, 2, Limits(), Counter()))}


@pytest.fixture(scope="session")
def core_made(core_graph: Graph, schema: Schema) -> Made:
    return make(core_graph, schema, CORE_CONFIG)
