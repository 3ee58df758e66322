"""Wrong options: proven, plausible, apart; checked again from the finished rows by other means than the search's own."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import pytest

from generation.court import Court
from generation.distractors import WANTED, Distractors, _Sides
from generation.item import Item
from generation.likeness import alike
from generation.make import Made
from kg.closure import Closure
from kg.graph import Graph
from kg.paths import Hop, Limits, Path, singles, walks
from kg.schema import Schema, Step
from kg.verdict import PROOFS
from tests.hand_made import fact, graph_of

LIMITS = Limits()


def items_of(made: Made) -> list[Item]:
    return [item for part in made.items.values() for item in part]


def steps_of(item: Item) -> list[Step]:
    return [Step(hop["predicate"], hop["inverse"]) for hop in item["path"]]


def distractors_of(item: Item) -> Iterator[tuple[str, str]]:
    """(node id, proof) of the three wrong options."""
    return (
        (node, proof) for node, proof in zip(item["option_ids"], item["option_proofs"], strict=True) if proof != "key"
    )


def every_answer(closure: Closure, item: Item) -> frozenset[str]:
    """All that the graph entails, whatever bridge leads there."""
    ends = frozenset((item["source_id"],))
    for step in steps_of(item):
        ends = frozenset().union(*(closure.entailed(end, step) for end in ends))
    return ends


# --- the finished rows of the core -----------------------------------------------------------------------------------


def test_no_distractor_is_entailed_by_any_bridge(core_made: Made, core_closure: Closure) -> None:
    """The hard gate of docs/quality.md: 0 distractors true under closure."""
    for item in items_of(core_made):
        right = every_answer(core_closure, item)
        assert item["target_id"] in right
        for node, _ in distractors_of(item):
            assert node not in right, item["item_id"]


def test_no_distractor_is_another_right_answer_of_the_walk(core_made: Made, core_closure: Closure) -> None:
    for item in items_of(core_made):
        ends = frozenset((item["source_id"],))
        for step in steps_of(item):
            ends = frozenset().union(*(core_closure.linked(end, step) for end in ends))
        assert not ends & {node for node, _ in distractors_of(item)}


def test_every_distractor_has_a_proof_and_the_key_has_none(core_made: Made) -> None:
    for item in items_of(core_made):
        assert Counter(proof in PROOFS for proof in item["option_proofs"]) == {True: 3, False: 1}
        assert item["option_proofs"].count("key") == 1


def test_a_stored_proof_is_what_the_graph_shows(core_made: Made, core_closure: Closure) -> None:
    for item in items_of(core_made):
        path = Path(tuple(Hop(core_closure.graph.facts[hop["edge_id"]], hop["inverse"]) for hop in item["path"]))
        court = Court(core_closure, path)
        for node, proof in distractors_of(item):
            assert court.judge(node).status == proof


def test_options_are_of_one_category_and_none_is_kin_or_twin_of_another(
    core_made: Made, core_closure: Closure, schema: Schema
) -> None:
    nodes = core_closure.graph.nodes
    for item in items_of(core_made):
        lines = [set(schema.ancestors(nodes[node].category)) - {"entity"} for node in item["option_ids"]]
        assert set.intersection(*lines), item["item_id"]
        for first, second in combinations(item["option_ids"], 2):
            assert first not in core_closure.kin(second)
            assert not alike(nodes[first].label, nodes[second].label)


def test_no_option_is_a_node_of_the_path_but_the_key(core_made: Made) -> None:
    for item in items_of(core_made):
        on_path = {item["source_id"], *item["bridge_ids"], item["target_id"]}
        assert set(item["option_ids"]) & on_path == {item["target_id"]}


def test_bridge_foils_are_of_the_bridge_s_category_and_not_the_bridge(core_made: Made, core_closure: Closure) -> None:
    nodes = core_closure.graph.nodes
    with_foils = 0
    for item in items_of(core_made):
        assert len(item["bridge_foils"]) == len(item["bridge_ids"]) == item["hops"] - 1
        for bridge, foils in zip(item["bridge_ids"], item["bridge_foils"], strict=True):
            with_foils += bool(foils)
            assert bridge not in foils
            assert {nodes[foil].category for foil in foils} <= {nodes[bridge].category}
    assert with_foils > 50


# --- the search ---------------------------------------------------------------------------------------------------------


def sited(*more: str, complete: tuple[str, ...] = ()) -> Graph:
    """Four nerves with an exit and a muscle each."""
    kinds = {f"{kind[0]}{n}": kind for kind in ("nerve", "site", "muscle") for n in range(5)}
    facts = [text for n in range(5) for text in (f"n{n} exits_from s{n}", f"n{n} innervates m{n}")]
    return graph_of(*facts, *more, categories=kinds, complete=complete)


def found(closure: Closure, path: Path, seed: int = 0) -> dict[str, str]:
    every = [*singles(closure, LIMITS, Counter()), *walks(closure, 2, LIMITS, Counter())]
    return {one.node: one.verdict.status for one in Distractors(closure, every, seed).find(path).distractors}


def single(graph: Graph, head: str, predicate: str, inverse: bool = False) -> Path:
    (one,) = (f for f in graph.facts.values() if (f.head_id, f.predicate) == (f"t:{head}", predicate) and not f.negated)
    return Path((Hop(one, inverse),))


def test_three_distractors_of_the_category_asked_for(small_schema: Schema) -> None:
    graph = sited()
    chosen = found(Closure(graph, small_schema), single(graph, "n0", "exits_from"))
    assert len(chosen) == WANTED
    assert chosen.keys() <= {"t:s1", "t:s2", "t:s3", "t:s4"}
    assert set(chosen.values()) == {"contradicted"}


def test_what_is_near_the_truth_is_never_a_distractor(small_schema: Schema) -> None:
    """s1 holds s0, s2 is a kind of s0: both may be true as well."""
    graph = sited("s0 part_of s1", "s2 is_a s0")
    path = single(graph, "n0", "exits_from")
    for seed in range(20):
        assert not {"t:s1", "t:s2"} & found(Closure(graph, small_schema), path, seed).keys()


def test_an_item_without_enough_distractors_is_dropped_with_a_reason(small_schema: Schema) -> None:
    graph = graph_of("a cleaves b", categories={"a": "toxin", "b": "vesicle_protein"})
    closure = Closure(graph, small_schema)
    path = single(graph, "a", "cleaves")
    assert Distractors(closure, [path], 0).find(path) == ("", (), "fewer than 3 sound distractors")


def test_proven_distractors_go_before_absent_ones(small_schema: Schema) -> None:
    graph = sited("NOT n0 innervates m1", "NOT n0 innervates m2", "NOT n0 innervates m3")
    chosen = found(Closure(graph, small_schema), single(graph, "n0", "innervates"))
    assert chosen == {"t:m1": "contradicted", "t:m2": "contradicted", "t:m3": "contradicted"}


def test_the_choice_depends_on_seed_and_content_not_on_the_order_of_facts(small_schema: Schema) -> None:
    graph = sited()
    facts = random.Random(2).sample(list(graph.facts.items()), len(graph.facts))
    turned = Graph(dict(reversed(graph.nodes.items())), dict(facts))
    path = single(graph, "n0", "innervates")
    one, other = Closure(graph, small_schema), Closure(turned, small_schema)
    assert [found(one, path, seed) for seed in range(9)] == [found(other, path, seed) for seed in range(9)]
    assert len({frozenset(found(one, path, seed)) for seed in range(30)}) > 1


def test_a_fact_elsewhere_moves_no_choice(small_schema: Schema) -> None:
    graph, larger = sited(), sited("zz1 excites zz2")
    for n in range(5):
        path = single(graph, f"n{n}", "innervates")
        assert found(Closure(graph, small_schema), path) == found(Closure(larger, small_schema), path)


# --- the court --------------------------------------------------------------------------------------------------------


def two_hops(graph: Graph) -> Path:
    """From m0 over n0 to s0."""
    by_name = {(f.head_id, f.predicate): f for f in graph.facts.values()}
    return Path((Hop(by_name["t:n0", "innervates"], True), Hop(by_name["t:n0", "exits_from"], False)))


def test_a_second_hop_is_proven_only_if_no_unknown_bridge_can_lead_there(small_schema: Schema) -> None:
    """Nobody says that n0 is the only nerve of m0: another one might leave at s1."""
    unknown, known = sited(), sited(complete=("m0 innervates backward",))
    assert Court(Closure(unknown, small_schema), two_hops(unknown)).judge("t:s1").status == "absent"
    assert Court(Closure(known, small_schema), two_hops(known)).judge("t:s1").status == "contradicted"


def test_or_if_the_option_s_own_bridges_are_all_known(small_schema: Schema) -> None:
    graph = sited(complete=("s1 exits_from backward",))
    court = Court(Closure(graph, small_schema), two_hops(graph))
    assert court.judge("t:s1").status == "contradicted"
    assert court.judge("t:s2").status == "absent"


def test_an_option_that_another_bridge_reaches_is_no_distractor(small_schema: Schema) -> None:
    graph = sited("n1 innervates m0")
    assert not Court(Closure(graph, small_schema), two_hops(graph)).judge("t:s1").false


# --- pieces --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("left thalamus", "right thalamus", True),
        ("alpha synuclein", "α-synuclein", True),
        ("disorders of sleep", "sleep disorder", True),
        ("GluN2A", "GluN2B", False),
        ("type 6", "type 8", False),
        ("medial rectus muscle", "lateral rectus muscle", False),
    ],
)
def test_labels_that_read_alike(first: str, second: str, same: bool) -> None:
    assert alike(first, second) is same
    assert alike(second, first) is same


@pytest.mark.parametrize("shorter", range(4))
def test_sides_have_room_for_three(shorter: int) -> None:
    sides = _Sides(10, shorter)
    assert [sides.take(5) for _ in range(4)] == [True] * shorter + [False] * (4 - shorter)
    assert [sides.take(15) for _ in range(4)] == [True] * (3 - shorter) + [False] * (1 + shorter)


def test_options_of_equal_length_take_either_side() -> None:
    sides = _Sides(10, 1)
    assert [sides.take(10) for _ in range(4)] == [True, True, True, False]


def test_a_qualified_fact_of_the_hand_made_graph_proves_nothing(small_schema: Schema) -> None:
    graph = sited()
    one = fact("n4 exits_from s3", "in some people")
    more = Graph(graph.nodes, {**graph.facts, one.edge_id: one})
    closure = Closure(more, small_schema)
    assert closure.judge("t:n4", Step("exits_from"), "t:s3").status == "entailed"
