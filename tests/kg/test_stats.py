"""Tables for people."""

from __future__ import annotations

from pathlib import Path

from kg import store
from kg.__main__ import stats
from kg.blueprint import Cell
from kg.graph import Graph
from kg.schema import Schema
from kg.stats import overview, table
from tests.hand_made import CORE_FOLDER, about, fact, graph_of

OVERVIEW = """\
4 nodes, 3 facts, 1 complete lists, 0 merged entities

layer  facts  askable  negated  referenced  licence
-----  -----  -------  -------  ----------  ----------
core       2        1        1           0  Apache-2.0
go         1        1        0           0  Apache-2.0
"""


def test_numbers_are_right_aligned_and_thousands_marked() -> None:
    assert table([("a", 1200, 0.5), ("bcd", 7, 12.25)], ("name", "rows", "share")) == (
        "name   rows  share\n----  -----  -----\na     1,200   0.50\nbcd       7  12.25"
    )


def test_a_table_without_rows() -> None:
    assert table([], ("name", "rows")) == "name  rows\n----  ----"


def test_overview_of_a_small_graph(small_schema: Schema) -> None:
    graph = graph_of("a excites b", "NOT c excites d", fact("b excites a", layer="go"), complete=["a excites forward"])
    text = overview(graph, small_schema)
    assert text.startswith(OVERVIEW)
    assert "excites       1   1" in text
    assert "the core: facts that may be asked" in text


def test_overview_of_an_empty_graph(small_schema: Schema) -> None:
    assert overview(Graph({}, {}), small_schema).startswith("0 nodes, 0 facts, 0 complete lists, 0 merged entities")


def test_overview_names_the_cells_that_fall_short_or_all(small_schema: Schema) -> None:
    graph = graph_of(about("a excites b", "basal"), about("a inhibits c", "basal"))
    plan = [Cell("basal", "excites", 1, "one"), Cell("basal", "inhibits", 3, "three nuclei")]
    short, every = overview(graph, small_schema, plan), overview(graph, small_schema, plan, every_cell=True)
    assert "basal  inhibits        3     1      2  three nuclei" in short
    assert "basal  excites " not in short
    assert "basal  excites         1     1      0  one" in every


def test_the_command_prints_and_draws(small_graph: Graph, small_schema: Schema, tmp_path: Path) -> None:
    store.save(small_graph, small_schema, tmp_path / "graph", {})
    for name, start in (("core.svg", b"<?xml"), ("core.png", b"\x89PNG")):
        stats(tmp_path / "graph", CORE_FOLDER, plot=tmp_path / "plots" / name)
        assert (tmp_path / "plots" / name).read_bytes().startswith(start)
