"""Findings: each kind on a small graph, and none that is hard on the embedded one."""

from __future__ import annotations

import pytest

from kg.graph import Fact, Graph
from kg.schema import Schema
from kg.validate import disagree, findings, said
from tests.hand_made import fact, graph_of, node


def found(schema: Schema, *texts: str | Fact, **kinds: str) -> list[tuple[str, bool]]:
    return [(one.kind, one.hard) for one in findings(graph_of(*texts, categories=kinds), schema)]


def test_a_sound_graph_has_no_findings(small_graph: Graph, small_schema: Schema) -> None:
    assert findings(small_graph, small_schema) == []
    assert findings(Graph({}, {}), small_schema) == []


def test_an_end_that_is_no_node(small_schema: Schema) -> None:
    one = fact("a excites b")
    (finding,) = findings(Graph({"t:a": node("a")}, {one.edge_id: one}), small_schema)
    assert finding == ("an end is no node", True, "a excites t:b [core]", (one.edge_id,))


def test_outside_domain_or_range_is_hard_only_where_it_is_asked(small_schema: Schema) -> None:
    assert found(small_schema, "a cleaves b", a="toxin", b="region") == [("outside domain or range", True)]
    assert found(small_schema, fact("a cleaves b", askable=False), a="toxin", b="region") == [
        ("outside domain or range", False)
    ]


def test_a_cycle(small_schema: Schema) -> None:
    graph = graph_of("a part_of b", "b part_of c", "c part_of a", "d part_of a")
    (finding,) = findings(graph, small_schema)
    assert finding[:3] == ("cycle of part_of", True, "a, b, c")
    assert {graph.facts[key].head_id for key in finding.facts} == {"t:a", "t:b", "t:c"}


def test_several_values_of_a_functional_predicate(small_schema: Schema) -> None:
    kinds = {"n": "nerve", "s1": "site", "s2": "site"}
    assert found(small_schema, "n exits_from s1", "n exits_from s2", **kinds) == [
        ("several values of a functional predicate", True)
    ]
    assert found(small_schema, "n exits_from s1", fact("n exits_from s2", "in some"), **kinds) == []
    assert found(small_schema, "n exits_from s1", fact("n exits_from s2", askable=False), **kinds)[0][1] is False


def test_several_things_in_the_one_place_of_a_predicate(small_schema: Schema) -> None:
    """A reflex has one afferent limb; a nerve and its part may both be called so."""
    kinds = {"n": "nerve", "m": "nerve", "r": "reflex"}
    several = ("several things in the one place of a predicate", False)
    assert found(small_schema, "n afferent_limb_of r", "m afferent_limb_of r", **kinds) == [several]
    assert found(small_schema, "n afferent_limb_of r", "m afferent_limb_of r", "m part_of n", **kinds) == []
    assert found(small_schema, "n afferent_limb_of r", fact("m afferent_limb_of r", "in some"), **kinds) == []


def test_contradictions(small_schema: Schema) -> None:
    assert found(small_schema, "a excites b", "a inhibits b") == [("contradiction", True)]
    assert found(small_schema, "a excites b", "NOT a excites b") == [("contradiction", True)]
    assert found(small_schema, "a excites b", "b inhibits a") == []


@pytest.mark.parametrize(
    ("first", "second", "clash"),
    [
        ("a excites b", "a inhibits b", True),
        ("a projects_to b", "a inhibits b", False),
        ("NOT a excites b", "a excites b", True),
        ("NOT a excites b", "a projects_to b", False),
        ("NOT a excites b", "NOT a inhibits b", False),
    ],
)
def test_what_disagrees(small_schema: Schema, first: str, second: str, clash: bool) -> None:
    assert disagree(fact(first), fact(second), small_schema) is clash
    assert disagree(fact(second), fact(first), small_schema) is clash


def test_hard_findings_come_first(small_schema: Schema) -> None:
    texts = [fact("a cleaves b", askable=False), "c excites d", "c inhibits d"]
    assert [hard for _, hard in found(small_schema, *texts)] == [True, False, False]


def test_a_fact_in_short(small_graph: Graph) -> None:
    one = next(
        f for f in small_graph.facts.values() if f.head_id == "core:trochlear-nerve" and f.predicate == "innervates"
    )
    assert said(small_graph, one) == "trochlear nerve innervates superior oblique muscle [core]"
