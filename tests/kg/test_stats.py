"""Tables for people."""

from __future__ import annotations

from kg.graph import Graph
from kg.stats import overview, table

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


def test_overview_of_a_small_graph() -> None:
    from tests.hand_made import fact, graph_of

    graph = graph_of("a excites b", "NOT c excites d", fact("b excites a", layer="go"), complete=["a excites forward"])
    text = overview(graph)
    assert text.startswith(OVERVIEW)
    assert "excites       1   1" in text
    assert "core: 2 facts over 4 entities, 1 predicates (most used: excites, 100.0%), 0% with a reference" in text


def test_overview_of_an_empty_graph() -> None:
    assert overview(Graph({}, {})).startswith("0 nodes, 0 facts, 0 complete lists, 0 merged entities")


def test_overview_of_the_core(core_graph: Graph) -> None:
    text = overview(core_graph)
    assert f"{len(core_graph.facts):,} facts" in text
    assert "core entities in three or more facts" in text
