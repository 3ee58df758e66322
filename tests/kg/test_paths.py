"""Walks: the strict rule recomputed by brute force, both directions, caps, order."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import networkx as nx
import pytest

from kg.closure import Closure
from kg.graph import Graph
from kg.paths import Hop, Limits, Path, answers, digest, in_hash_order, singles, walks
from kg.schema import Schema, Step
from tests.hand_made import fact, graph_of

LIMITS = Limits()


def all_walks(closure: Closure, hops: int = 2, limits: Limits = LIMITS) -> tuple[list[Path], Counter[str]]:
    dropped = Counter[str]()
    return list(walks(closure, hops, limits, dropped)), dropped


def nerve_graph(*more: str, **kinds: str) -> Graph:
    """Two nerves, their muscles and exits, and further facts."""
    categories = {"n1": "nerve", "n2": "nerve", "m1": "muscle", "m2": "muscle", "s1": "site", "s2": "site", **kinds}
    return graph_of(
        "n1 innervates m1", "n1 exits_from s1", "n2 innervates m2", "n2 exits_from s2", *more, categories=categories
    )


@pytest.fixture(scope="module")
def core_walks(core_paths: dict[int, list[Path]]) -> list[Path]:
    return core_paths[2]


# --- a hop and a path ---------------------------------------------------------------------------------------


def test_a_hop_knows_where_it_starts_and_ends() -> None:
    one = fact("a cleaves b")
    assert (Hop(one, False).start, Hop(one, False).end) == ("t:a", "t:b")
    assert (Hop(one, True).start, Hop(one, True).end, Hop(one, True).step) == ("t:b", "t:a", Step("cleaves", True))


def test_a_path_has_the_same_id_and_pair_from_both_ends() -> None:
    one, two = fact("n innervates m"), fact("n exits_from s")
    there, back = Path((Hop(one, True), Hop(two, False))), Path((Hop(two, True), Hop(one, False)))
    assert there.nodes == tuple(reversed(back.nodes)) == ("t:m", "t:n", "t:s")
    assert (there.path_id, there.pair) == (back.path_id, back.pair)
    assert (there.metapath, back.metapath) == ("^innervates > exits_from", "^exits_from > innervates")
    assert there.bridges == ("t:n",)


def test_digest_tells_parts_apart() -> None:
    assert digest("ab", "c") != digest("a", "bc")
    assert digest("a") == "40f89e395b66422f"


def test_hash_order_does_not_depend_on_the_order_given() -> None:
    assert in_hash_order("edcba") == in_hash_order("abcde")
    assert in_hash_order("abcde") != list("abcde")


# --- single hops --------------------------------------------------------------------------------------------


def test_single_facts_are_asked_where_the_schema_lets_them(small_schema: Schema) -> None:
    graph = graph_of("a lesion_causes b", "c is_a d", "NOT e cleaves f", fact("g cleaves h", askable=False))
    found = {path.metapath for path in singles(Closure(graph, small_schema), LIMITS, Counter())}
    assert found == {"lesion_causes"}


def test_single_facts_with_too_many_answers_are_counted(small_schema: Schema) -> None:
    graph = graph_of(*(f"hub projects_to r{n}" for n in range(9)))
    dropped = Counter[str]()
    found = list(singles(Closure(graph, small_schema), LIMITS, dropped))
    assert {path.metapath for path in found} == {"^projects_to"}
    assert dropped == {"1 hop: too many right answers": 9}


# --- several hops -------------------------------------------------------------------------------------------


def test_walks_go_both_ways_over_a_bridge(small_schema: Schema) -> None:
    found, dropped = all_walks(Closure(nerve_graph(), small_schema))
    assert {(path.nodes, path.metapath) for path in found} == {
        (("t:m1", "t:n1", "t:s1"), "^innervates > exits_from"),
        (("t:m2", "t:n2", "t:s2"), "^innervates > exits_from"),
        (("t:s1", "t:n1", "t:m1"), "^exits_from > innervates"),
        (("t:s2", "t:n2", "t:m2"), "^exits_from > innervates"),
    }
    assert not dropped


def test_a_metapath_that_is_not_listed_is_not_walked(small_schema: Schema) -> None:
    graph = graph_of("a exits_from b", "b part_of c", "x cleaves y", "y located_in z")
    assert all_walks(Closure(graph, small_schema))[0] == []


def test_categories_of_a_metapath_are_kept(small_schema: Schema) -> None:
    found, _ = all_walks(Closure(nerve_graph(s1="region"), small_schema))
    assert "t:s1" not in {path.target for path in found}


def test_a_shortcut_is_no_path(small_schema: Schema) -> None:
    found, dropped = all_walks(Closure(nerve_graph("s1 connected_to m1"), small_schema))
    assert ("t:m1", "t:s1") not in {(path.source, path.target) for path in found}
    assert dropped == {"2 hops: shortcut: one fact joins its ends": 2}


def test_a_shortcut_of_facts_that_are_not_asked_does_no_harm(small_schema: Schema) -> None:
    graph = nerve_graph()
    hidden = fact("s1 connected_to m1", askable=False)
    found, _ = all_walks(Closure(Graph(graph.nodes, {**graph.facts, hidden.edge_id: hidden}), small_schema))
    assert len(found) == 4


def test_a_fact_under_a_condition_is_no_hop_of_a_longer_walk(small_schema: Schema) -> None:
    """A stem of several hops has no place for `in rodents` where it is plain which fact it belongs to."""
    graph = graph_of(fact("toxin cleaves protein", "in vitro"), "protein required_for fusion")
    found, dropped = all_walks(Closure(graph, small_schema))
    assert found == []
    assert dropped == {"2 hops: a fact that holds under a condition": 2}


def test_a_bridge_whose_branch_is_a_bridge_too_is_not_asked(small_schema: Schema) -> None:
    """The skin that the saphenous nerve supplies leads to no sign of the femoral nerve."""
    graph = nerve_graph("n3 innervates m1", "n3 exits_from s3", "n3 part_of n1", n3="nerve", s3="site")
    whole = Graph(graph.nodes, graph.facts, complete={("t:m1", "innervates", "backward"): None})
    found, dropped = all_walks(Closure(whole, small_schema))
    assert {path.target for path in found if path.source == "t:m1"} == {"t:s3"}
    assert dropped["2 hops: a branch or part of the bridge is a bridge, too"] == 1


def test_the_only_value_known_of_a_broad_predicate_is_no_clue(small_schema: Schema) -> None:
    broad = replace(small_schema.predicates["cleaves"], broad=True)
    schema = replace(small_schema, predicates={**small_schema.predicates, "cleaves": broad})
    facts = ("toxin cleaves protein", "protein required_for fusion")
    assert all_walks(Closure(graph_of(*facts), small_schema))[0]
    assert "t:toxin" not in {path.source for path in all_walks(Closure(graph_of(*facts), schema))[0]}
    whole = graph_of(*facts, complete=["toxin cleaves forward"])
    assert "t:toxin" in {path.source for path in all_walks(Closure(whole, schema))[0]}


def test_too_many_bridges(small_schema: Schema) -> None:
    more = [f"x{n} innervates m1" for n in range(6)]
    found, dropped = all_walks(Closure(nerve_graph(*more, **{f"x{n}": "nerve" for n in range(6)}), small_schema))
    assert ("t:m1", "t:n1", "t:s1") not in {path.nodes for path in found}
    assert dropped["2 hops: too many bridges or values"] >= 1


def test_too_many_right_answers(small_schema: Schema) -> None:
    pairs = [(f"x{n}", f"y{n}") for n in range(5)]
    kinds = {x: "nerve" for x, _ in pairs} | {y: "site" for _, y in pairs} | {"m": "muscle"}
    graph = graph_of(
        *(text for x, y in pairs for text in (f"{x} innervates m", f"{x} exits_from {y}")),
        categories=kinds,
        complete=("m innervates backward",),
    )
    found, dropped = all_walks(Closure(graph, small_schema))
    assert "t:m" not in {path.source for path in found}
    assert dropped["2 hops: too many right answers"] == 5


def test_a_metapath_keeps_its_own_bounds(small_schema: Schema) -> None:
    """`^required_for > ^cleaves` takes two bridges at most, `afferent_limb_of > located_in` sources in three facts."""
    kinds = dict.fromkeys(("p", "q", "r"), "vesicle_protein") | {"s": "step", "t1": "toxin"}
    whole = ("s required_for backward",)
    two = graph_of("p required_for s", "q required_for s", "t1 cleaves p", categories=kinds, complete=whole)
    three = graph_of(
        "p required_for s", "q required_for s", "r required_for s", "t1 cleaves p", categories=kinds, complete=whole
    )
    assert [path.nodes for path in all_walks(Closure(two, small_schema))[0] if path.source == "t:s"] == [
        ("t:s", "t:p", "t:t1")
    ]
    assert [path for path in all_walks(Closure(three, small_schema))[0] if path.source == "t:s"] == []


@pytest.mark.parametrize("hops", [-1, 0, 1, 6, 10**9])
def test_lengths_out_of_range(small_closure: Closure, hops: int) -> None:
    with pytest.raises(ValueError, match=f"hops is {hops}; walks have 2 to 5"):
        next(walks(small_closure, hops, LIMITS, Counter()))


@pytest.mark.parametrize("hops", [3, 4, 5])
def test_every_window_of_a_longer_walk_is_allowed(core_closure: Closure, hops: int) -> None:
    sources = in_hash_order(core_closure.graph.nodes)[:150]
    found = list(walks(core_closure, hops, Limits(), Counter(), sources))
    assert all(len(path.hops) == hops and len(set(path.nodes)) == hops + 1 for path in found)
    for path in found:
        for window in pairwise(path.steps):
            assert window in core_closure.schema.by_steps


# --- the strict rule on the whole core ------------------------------------------------------------------------


def test_every_two_hop_path_of_the_core_keeps_the_strict_rule(core_closure: Closure, core_walks: list[Path]) -> None:
    assert len(core_walks) > 3000
    asked = nx.MultiGraph(
        (f.head_id, f.tail_id) for f in core_closure.graph.facts.values() if f.askable and not f.negated
    )
    for path in core_walks:
        source, bridge, target = path.nodes
        first, last = path.steps
        assert len({source, bridge, target}) == 3
        assert last != first.back
        assert len(core_closure.linked(source, first)) <= 6
        assert len(core_closure.linked(bridge, last)) <= 6
        assert 1 <= len(answers(core_closure, source, path.steps)) <= 4
        assert target in answers(core_closure, source, path.steps)
        assert not asked.has_edge(source, target)
        assert any(str(metapath) == path.metapath for metapath in core_closure.schema.metapaths)


def test_every_hop_is_a_fact_that_may_be_asked_and_joins_the_next(
    core_closure: Closure, core_walks: list[Path]
) -> None:
    for path in core_walks:
        assert all(hop.fact.askable and not hop.fact.negated for hop in path.hops)
        assert all(first.end == second.start for first, second in pairwise(path.hops))
        assert path.nodes == (path.hops[0].start, *(hop.end for hop in path.hops))
        assert all(core_closure.graph.facts[hop.fact.edge_id] == hop.fact for hop in path.hops)


def test_no_path_is_given_twice(core_walks: list[Path]) -> None:
    said = Counter((path.path_id, path.source) for path in core_walks)
    assert max(said.values()) == 1


def test_paths_do_not_depend_on_the_order_of_rows(small_graph: Graph, small_schema: Schema) -> None:
    turned = Graph(
        dict(reversed(small_graph.nodes.items())), dict(reversed(small_graph.facts.items())), small_graph.complete
    )
    one, other = Closure(small_graph, small_schema), Closure(turned, small_schema)
    assert all_walks(one) == all_walks(other)
    assert list(singles(one, LIMITS, Counter())) == list(singles(other, LIMITS, Counter()))


def test_a_fact_added_elsewhere_moves_no_path(small_graph: Graph, small_schema: Schema) -> None:
    more = graph_of("zz1 excites zz2")
    larger = Graph({**small_graph.nodes, **more.nodes}, {**small_graph.facts, **more.facts}, small_graph.complete)
    assert all_walks(Closure(larger, small_schema)) == all_walks(Closure(small_graph, small_schema))


def test_several_bridges_of_a_list_that_is_not_whole_are_no_clue(small_schema: Schema) -> None:
    kinds = dict.fromkeys(("p", "q"), "vesicle_protein") | {"s": "step", "t1": "toxin"}
    facts = ("p required_for s", "q required_for s", "t1 cleaves p")
    found, dropped = all_walks(Closure(graph_of(*facts, categories=kinds), small_schema))
    assert "t:s" not in {path.source for path in found}
    assert dropped["2 hops: several bridges, and perhaps more"] == 1
