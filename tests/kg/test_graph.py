"""Nodes, facts, adjacency, hash, and the networkx view."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from kg.graph import Graph, edge_id
from tests.hand_made import fact, graph_of


def test_edge_ids_differ_by_everything_that_a_fact_says() -> None:
    said = [("a", "p", "b"), ("b", "p", "a"), ("a", "q", "b"), ("a", "p", "b", "left"), ("a", "p", "b", None, True)]
    assert len({edge_id("core", *parts) for parts in said}) == len(said)
    assert edge_id("core", "a", "p", "b") != edge_id("go", "a", "p", "b")


def test_adjacency_leaves_denials_out() -> None:
    graph = graph_of("a inhibits b", "NOT a excites b", "c inhibits b")
    assert [f.tail_id for f in graph.out["t:a"]["inhibits"]] == ["t:b"]
    assert "excites" not in graph.out["t:a"]
    assert {f.head_id for f in graph.into["t:b"]["inhibits"]} == {"t:a", "t:c"}
    assert graph.negated == {("t:a", "excites", "t:b"): fact("NOT a excites b")}
    assert graph.degree == Counter({"t:b": 2, "t:a": 1, "t:c": 1})


def test_adjacency_does_not_depend_on_the_order_of_facts() -> None:
    facts = [fact(f"n{a} inhibits n{b}") for a in range(5) for b in range(5) if a != b]
    shuffled = random.Random(1).sample(facts, len(facts))
    assert graph_of(*facts).out == graph_of(*shuffled).out


def test_hash_does_not_depend_on_order_but_on_content(small_graph: Graph) -> None:
    turned = Graph(
        dict(reversed(small_graph.nodes.items())),
        dict(reversed(small_graph.facts.items())),
        dict(reversed(small_graph.complete.items())),
    )
    assert turned.sha256 == small_graph.sha256
    fewer = dict(list(small_graph.facts.items())[1:])
    assert Graph(small_graph.nodes, fewer, small_graph.complete).sha256 != small_graph.sha256
    assert Graph(small_graph.nodes, small_graph.facts).sha256 != small_graph.sha256


def test_networkx_view_keeps_attributes_and_direction(small_graph: Graph) -> None:
    view = small_graph.to_networkx()
    assert view.number_of_nodes() == len(small_graph.nodes)
    assert view.number_of_edges() == len(small_graph.facts)
    attributes = next(iter(view.get_edge_data("core:trochlear-nerve", "core:superior-oblique-muscle").values()))
    assert (attributes["predicate"], attributes["reference"]) == ("innervates", "https://example.org/nerves")
    assert not view.has_edge("core:superior-oblique-muscle", "core:trochlear-nerve")
    assert view.nodes["core:trochlear-nerve"]["synonyms"] == ("cranial nerve IV", "fourth cranial nerve")


def test_networkx_view_of_chosen_layers() -> None:
    graph = graph_of(fact("a inhibits b"), fact("b inhibits c", layer="go"))
    assert list(graph.to_networkx(["go"]).edges()) == [("t:b", "t:c")]


def test_label_of_an_unknown_node(small_graph: Graph) -> None:
    with pytest.raises(KeyError):
        small_graph.label("core:nothing")


def test_edge_id_is_stable() -> None:
    assert edge_id("core", "core:a", "part_of", "core:b") == "core:e25f4c6225fe2f61"
