"""Figures of the core: what is counted, what is not, and whether the embedded core reaches its blueprint."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kg import blueprint
from kg.blueprint import Cell
from kg.coverage import Coverage, Figure
from kg.errors import InputError
from kg.graph import Graph
from kg.plots import draw
from kg.schema import Schema
from kg.sources import core
from tests.hand_made import about, fact, graph_of


def figures(graph: Graph, schema: Schema, *cells: Cell) -> dict[str, Figure]:
    return {figure.name: figure for figure in Coverage(graph, schema, cells).figures()}


@pytest.fixture(scope="module")
def circuit() -> Graph:
    """a is in three facts of the core; b in two and in one of another layer; a denial and an is_a row count nowhere."""
    return graph_of(
        about("a excites b", "basal", reference="PMID:1"),
        about("a excites c", "basal"),
        about("a inhibits d", "cortex"),
        about("b inhibits e", "cortex"),
        "NOT c excites d",
        "a is_a e",
        fact("b excites f", layer="go"),
        fact("e excites f", layer="go", askable=False),
        complete=["a excites forward", "b excites forward"],
    )


def test_facts_entities_and_references(circuit: Graph, small_schema: Schema) -> None:
    found = figures(circuit, small_schema)
    assert (found["facts"].value, found["facts"].verdict) == ("4", "MISSED")
    assert found["entities"].value == "5"
    assert found["most used predicate (excites)"].value == "50.0%"
    assert found["facts with a reference"].value == "25.0% (1 of 4)"
    assert found["denials"].value == "1"


def test_entities_that_walks_run_through(circuit: Graph, small_schema: Schema) -> None:
    """Counted over facts that may be asked: is_a rows, denials and facts that are not asked open no walk."""
    found = figures(circuit, small_schema)
    assert found["entities in 3 facts or more of the core"].value == "20.0% (1 of 5)"
    assert found["entities in 3 facts or more of the graph"].value == "40.0% (2 of 5)"


def test_bridges_and_complete_lists(circuit: Graph, small_schema: Schema) -> None:
    found = figures(circuit, small_schema)
    assert found["entities that go knows too"].value == "2"  # b and e
    assert found["complete lists"].value == "1"  # that of b holds no fact of the core


def test_a_predicate_is_in_use_from_ten_facts_on(small_schema: Schema) -> None:
    few = [f"a excites x{n}" for n in range(9)]
    assert figures(graph_of(*few), small_schema)["predicates with 10 facts or more"].value == "0"
    assert figures(graph_of(*few, "b excites x"), small_schema)["predicates with 10 facts or more"].value == "1"


def test_topics(circuit: Graph, small_schema: Schema) -> None:
    cells = [Cell("basal", "excites", 2, "x"), Cell("cortex", "inhibits", 3, "x"), Cell("cortex", "excites", 1, "x")]
    core_ = Coverage(circuit, small_schema, cells)
    assert core_.by_topic() == [("basal", 2, 1, "50%", 1, "1 of 1"), ("cortex", 2, 1, "0%", 0, "0 of 2")]
    assert [(cell.have, cell.short) for cell in core_.cells] == [(2, 0), (2, 1), (0, 1)]
    reached = next(figure for figure in core_.figures() if "blueprint" in figure.name)
    assert (reached.value, reached.verdict) == ("33.3% (1 of 3)", "MISSED")


def test_a_graph_without_a_core(small_schema: Schema, tmp_path: Path) -> None:
    nothing = Coverage(graph_of(fact("a excites b", layer="go")), small_schema)
    assert list(nothing.figures()) == []
    with pytest.raises(InputError, match="holds no facts of the core; nothing to draw"):
        draw(nothing, tmp_path / "core.svg")


def test_a_plot_of_another_kind(circuit: Graph, small_schema: Schema, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"ends in '.gif'; draw to a file that ends in .svg or .png"):
        draw(Coverage(circuit, small_schema), tmp_path / "core.gif")


def test_the_same_plot_twice(circuit: Graph, small_schema: Schema, tmp_path: Path) -> None:
    cells = [Cell("basal", "excites", 4, "x")]
    for name in ("1.svg", "2.svg"):
        draw(Coverage(circuit, small_schema, cells), tmp_path / name)
    assert (tmp_path / "1.svg").read_bytes() == (tmp_path / "2.svg").read_bytes()


def test_a_faulty_number_of_a_blueprint(tmp_path: Path) -> None:
    (tmp_path / blueprint.FILE).write_text("topic\tpredicate\twanted\twhy\nbasal\texcites\t-1\tx\n")
    with pytest.raises(InputError, match=r"blueprint\.tsv:2: wanted is '-1'; give a whole number of facts, 1 or more"):
        blueprint.read(tmp_path)


def test_a_folder_without_a_blueprint(tmp_path: Path) -> None:
    assert blueprint.read(tmp_path) == []
    with pytest.raises(InputError, match="nowhere: is no folder; give one of core tables"):
        blueprint.read(tmp_path / "nowhere")


# --- the embedded core -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def embedded(core_graph: Graph, schema: Schema) -> Coverage:
    return Coverage(core_graph, schema, blueprint.read(core.core_folder()))


def test_the_blueprint_plans_every_topic(embedded: Coverage) -> None:
    planned = {cell.topic for cell in embedded.cells}
    assert planned == set(embedded.topics)
    for name in planned:
        assert sum(cell.topic == name for cell in embedded.cells) >= 8, name


@pytest.mark.parametrize(
    "name",
    ["facts", "entities", "predicates with 10 facts or more", "complete lists", "cells of the blueprint reached"],
)
def test_the_embedded_core_meets_its_targets(embedded: Coverage, name: str) -> None:
    found = {figure.name: figure for figure in embedded.figures()}
    assert found[name].met, found[name]


def test_no_predicate_is_over_15_percent_of_the_embedded_core(embedded: Coverage) -> None:
    assert max(embedded.predicates.values()) / len(embedded.facts) <= 0.15


def test_the_guide_to_the_data_shows_the_blueprint_as_it_is(embedded: Coverage) -> None:
    text = (core.core_folder().parent / "README.md").read_text(encoding="utf-8")
    for name in embedded.topics:
        cells = [cell for cell in embedded.cells if cell.topic == name]
        assert re.search(rf"^\| {name} \| .* \| {len(cells)} \| {sum(cell.wanted for cell in cells)} \|", text, re.M), (
            name
        )
