"""The open-world error: a hidden layer's facts are looked for among distractors."""

from __future__ import annotations

import pytest
from scipy.stats import binom

from generation.openworld import hidden_layers, upper_bound
from kg.graph import Graph
from kg.paths import Limits
from kg.schema import Schema
from tests.hand_made import fact, graph_of


@pytest.mark.parametrize(("true", "of"), [(0, 100), (3, 100), (10, 4000), (1, 2)])
def test_the_upper_bound_is_that_of_clopper_and_pearson(true: int, of: int) -> None:
    """At the bound, seeing so few or fewer has probability 2.5 %."""
    assert binom.cdf(true, of, upper_bound(true, of)) == pytest.approx(0.025, abs=1e-6)


def test_nothing_seen_bounds_nothing() -> None:
    assert (upper_bound(0, 0), upper_bound(5, 5)) == (1.0, 1.0)


NERVES = "kilo lima mike november oscar papa quebec romeo sierra tango".split()
MUSCLES = "apple beach candy dream eagle frost grape honey ivory jelly".split()


def layered(hidden_truths: int) -> Graph:
    """Ten nerves of one muscle each; the layer `go` says that some nerves innervate others' muscles, too."""
    kinds = dict.fromkeys(NERVES, "nerve") | dict.fromkeys(MUSCLES, "muscle")
    core = [fact(f"{nerve} innervates {muscle}") for nerve, muscle in zip(NERVES, MUSCLES, strict=True)]
    wider = [(n, (n + step) % 10) for step in (1, 2, 3) for n in range(hidden_truths)]
    more = [fact(f"{NERVES[n]} innervates {MUSCLES[m]}", layer="go") for n, m in wider]
    other = [fact(f"{NERVES[9]} innervates {MUSCLES[9]}", layer="hpo")]
    return graph_of(*core, *more, *other, categories=kinds)


def test_true_distractors_are_counted_with_examples(small_schema: Schema) -> None:
    found = {one.layer: one for one in hidden_layers(layered(8), small_schema, Limits(), 0)}["go"]
    assert found.distractors > 20
    assert 0 < found.true < found.distractors
    assert found.upper == upper_bound(found.true, found.distractors)
    assert found.examples[0].count("innervates") == 1


def test_a_layer_that_says_nothing_new_makes_nothing_true(small_schema: Schema) -> None:
    found = {one.layer: one for one in hidden_layers(layered(0), small_schema, Limits(), 0)}
    assert found["hpo"].true == 0
    assert found["hpo"].distractors > 20


def test_the_only_layer_cannot_be_hidden(small_graph: Graph, small_schema: Schema) -> None:
    assert hidden_layers(small_graph, small_schema, Limits(), 0) == []


def test_a_sample_bounds_the_questions(small_schema: Schema) -> None:
    found = {one.layer: one for one in hidden_layers(layered(0), small_schema, Limits(), 0, sample=5)}["hpo"]
    assert found.questions == 5
    assert found.distractors <= 15
