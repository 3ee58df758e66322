"""What a graph entails: worked cases, then laws on random small graphs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import networkx as nx
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kg.closure import Closure
from kg.graph import Fact, Graph
from kg.schema import Schema, Step
from kg.verdict import PROOFS, Verdict
from tests.hand_made import SCHEMA_FILE, fact, graph_of

SMALL = Schema.load(SCHEMA_FILE)
NAMES = "abcdef"
RELATIONS = ("is_a", "part_of", "connected_to", "projects_to", "excites", "inhibits", "exits_from", "afferent_limb_of", "located_in", "required_for", "cleaves")  # fmt: skip


def closure(*facts: str | Fact, complete: Sequence[str] = ()) -> Closure:
    return Closure(graph_of(*facts, complete=complete), SMALL)


def step(text: str) -> Step:
    return Step.parse(text)


def says(known: Closure, text: str) -> Verdict:
    """The verdict on `head predicate tail`."""
    head, predicate, tail = text.split(" ")
    return known.judge(f"t:{head}", Step(predicate), f"t:{tail}")


# --- worked cases ------------------------------------------------------------------------------------------


def test_a_stored_fact_is_entailed_from_both_ends() -> None:
    known = closure("a cleaves b", "c cleaves d")
    assert known.judge("t:a", step("cleaves"), "t:b").status == "entailed"
    assert known.judge("t:b", step("^cleaves"), "t:a").status == "entailed"


def test_a_fact_is_not_true_the_wrong_way_round() -> None:
    assert says(closure("a cleaves b"), "b cleaves a").status == "absent"


def test_a_stronger_predicate_entails_the_weaker_and_not_the_other_way() -> None:
    known = closure("a excites b", "c connected_to d")
    assert says(known, "a projects_to b").status == "entailed"
    assert says(known, "a connected_to b").status == "entailed"
    assert says(known, "c projects_to d").status == "unsettled"


def test_a_symmetric_predicate_reads_both_ways() -> None:
    known = closure("a connected_to b", "c excites d")
    assert says(known, "b connected_to a").status == "entailed"
    assert says(known, "d connected_to c").status == "entailed"


def test_transitive_chains() -> None:
    known = closure("a part_of b", "b part_of c")
    assert says(known, "a part_of c").status == "entailed"
    assert known.entailed("t:c", step("^part_of")) == {"t:a", "t:b"}


def test_what_holds_of_a_kind_holds_of_its_members() -> None:
    known = closure("kind cleaves b", "a is_a kind")
    assert says(known, "a cleaves b").status == "entailed"
    assert known.entailed("t:b", step("^cleaves")) == {"t:a", "t:kind"}


def test_what_holds_of_a_member_does_not_settle_the_kind() -> None:
    assert says(closure("a cleaves b", "a is_a kind"), "kind cleaves b").status == "unsettled"


def test_a_place_is_widened_along_part_of_where_the_schema_says_so() -> None:
    known = closure("a located_in b", "b part_of c", "x cleaves y", "y part_of z")
    assert says(known, "a located_in c").status == "entailed"
    assert says(known, "x cleaves z").status == "unsettled"


def test_a_part_is_unsettled_never_a_distractor() -> None:
    assert not says(closure("a located_in b", "c part_of b"), "a located_in c").false


def test_a_denial_contradicts_and_shows_the_fact() -> None:
    verdict = says(closure("NOT a cleaves b", "a cleaves c"), "a cleaves b")
    assert (verdict.status, verdict.kind, verdict.facts) == ("contradicted", "negated", (fact("NOT a cleaves b"),))


def test_a_denial_of_a_kind_denies_its_members() -> None:
    assert says(closure("NOT a cleaves kind", "b is_a kind"), "a cleaves b").kind == "negated"


def test_a_stored_fact_beats_a_denial() -> None:
    assert says(closure("a cleaves b", "NOT a cleaves b"), "a cleaves b").status == "entailed"


def test_a_functional_predicate_has_one_value() -> None:
    verdict = says(closure("a exits_from b", "c exits_from d"), "a exits_from d")
    assert (verdict.status, verdict.kind, verdict.facts) == ("contradicted", "functional", (fact("a exits_from b"),))


def test_a_functional_value_does_not_contradict_its_own_part_or_whole() -> None:
    known = closure("a exits_from b", "b part_of c", "d part_of b")
    assert not says(known, "a exits_from c").false
    assert not says(known, "a exits_from d").false


def test_a_qualified_value_proves_nothing() -> None:
    known = closure(fact("a exits_from b", "in some people"), "c exits_from d")
    assert says(known, "a exits_from d").status == "absent"


def test_an_inverse_functional_predicate_has_one_head() -> None:
    assert (
        says(closure("a afferent_limb_of b", "c afferent_limb_of d"), "c afferent_limb_of b").kind
        == "inverse_functional"
    )


def test_disjoint_predicates() -> None:
    verdict = says(closure("a excites b"), "a inhibits b")
    assert (verdict.status, verdict.kind) == ("contradicted", "disjoint")
    assert says(closure(fact("a excites b", "early in life")), "a inhibits b").status != "contradicted"


def test_a_declared_list_closes_both_ends() -> None:
    known = closure("a cleaves b", "c cleaves d", complete=["a cleaves forward", "d cleaves backward"])
    assert says(known, "a cleaves d").kind == "complete head"
    assert (
        says(closure("a cleaves b", "c cleaves d", complete=["d cleaves backward"]), "a cleaves d").kind
        == "complete tail"
    )
    assert says(known, "c cleaves b").status == "absent"


def test_a_schema_can_declare_a_predicate_complete_but_not_an_empty_list() -> None:
    known = closure("a required_for b", "c cleaves d")
    assert says(known, "a required_for d").status == "closed"


def test_a_whole_list_says_nothing_of_things_of_another_kind() -> None:
    """All nerves whose damage causes a sign may be known: which regions do is not said by that."""
    kinds = {"n": "nerve", "m": "nerve", "s": "sign", "t": "sign"}
    facts = ("n lesion_causes s", "m lesion_causes t", "r lesion_causes t")
    known = Closure(graph_of(*facts, categories=kinds, complete=["s lesion_causes backward"]), SMALL)
    assert says(known, "m lesion_causes s").status == "closed"
    assert says(known, "r lesion_causes s").status == "absent"


def test_absent_is_the_weakest() -> None:
    assert says(closure("a cleaves b", "c cleaves d"), "a cleaves d") == Verdict("absent", "absent")


def test_an_unknown_node_is_an_error() -> None:
    with pytest.raises(KeyError):
        closure("a cleaves b").judge("t:a", step("cleaves"), "t:nothing")


def test_cycles_do_no_harm() -> None:
    known = closure("a is_a b", "b is_a a", "a part_of b", "b part_of a", "a cleaves c")
    assert says(known, "b cleaves c").status == "entailed"


# --- laws --------------------------------------------------------------------------------------------------

facts = st.builds(
    lambda head, relation, tail, negated, qualifier: fact(
        f"{'NOT ' if negated else ''}{head} {relation} {tail}", qualifier
    ),
    st.sampled_from(NAMES),
    st.sampled_from(RELATIONS),
    st.sampled_from(NAMES),
    st.sampled_from([False, False, False, True]),
    st.sampled_from([None, None, None, "in rats"]),
).filter(lambda one: one.head_id != one.tail_id)
lists = st.lists(
    st.builds(
        " ".join,
        st.tuples(st.sampled_from(NAMES), st.sampled_from(RELATIONS), st.sampled_from(("forward", "backward"))),
    ),
    max_size=3,
)


def random_graph(chosen: Sequence[Fact], complete: Sequence[str]) -> Graph:
    """A graph over all of NAMES whose complete lists are not empty."""
    graph = graph_of(*chosen, categories=dict.fromkeys(NAMES, "region"), complete=complete)
    valued = {(f.head_id, f.predicate, "forward") for f in chosen if not f.negated}
    valued |= {(f.tail_id, f.predicate, "backward") for f in chosen if not f.negated}
    return Graph(graph.nodes, graph.facts, {row: None for row in graph.complete if row in valued})


graphs = st.builds(random_graph, st.lists(facts, min_size=1, max_size=14), lists)


some = settings(max_examples=40)  # each example looks at every statement over six nodes


def statements() -> list[tuple[str, Step, str]]:
    steps = [Step(name) for name in RELATIONS]
    return [(f"t:{a}", one, f"t:{b}") for a, one, b in product(NAMES, steps, NAMES) if a != b]


def denied(graph: Graph, head: str, predicate: str, tail: str, known: Closure) -> bool:
    """Whether the graph itself says no, of this tail or a wider one."""
    return any((head, predicate, wide) in graph.negated for wide in known.kinds(tail))


@some
@given(graphs)
def test_nothing_is_both_entailed_and_false(graph: Graph) -> None:
    known = Closure(graph, SMALL)
    for head, one, tail in statements():
        verdict = known.judge(head, one, tail)
        if verdict.false and verdict.kind != "negated":
            assert tail not in known.entailed(head, one), (head, one, tail)
            assert head not in known.entailed(tail, one.back), (head, one, tail)
            assert tail not in known.possible(head, one), (head, one, tail)
        if verdict.status == "entailed":
            assert not verdict.false


@some
@given(graphs)
def test_both_ends_agree(graph: Graph) -> None:
    """Inverse law: what is walked from the head is what is walked back from the tail, verdict and evidence included."""
    known = Closure(graph, SMALL)
    for head, one, tail in statements():
        assert (tail in known.linked(head, one)) == (head in known.linked(tail, one.back))
        assert (tail in known.entailed(head, one)) == (head in known.entailed(tail, one.back)), (head, one, tail)
        assert known.judge(head, one, tail).false == known.judge(tail, one.back, head).false, (head, one, tail)


@some
@given(graphs)
def test_symmetric_law(graph: Graph) -> None:
    known, one = Closure(graph, SMALL), Step("connected_to")
    for head, tail in product(graph.nodes, graph.nodes):
        assert (tail in known.entailed(head, one)) == (head in known.entailed(tail, one)), (head, tail)


@some
@given(graphs)
def test_transitive_law(graph: Graph) -> None:
    known, one = Closure(graph, SMALL), Step("part_of")
    chains = nx.DiGraph(
        (f.head_id, f.tail_id) for f in graph.facts.values() if f.predicate == "part_of" and not f.negated
    )
    for node in graph.nodes:
        reached = set(nx.descendants(chains, node)) if node in chains else set()
        assert known.entailed(node, one) == reached - {node}


@some
@given(graphs)
def test_what_is_linked_is_entailed_and_what_is_entailed_is_possible(graph: Graph) -> None:
    known = Closure(graph, SMALL)
    for node, name, inverse in product(graph.nodes, RELATIONS, (False, True)):
        one = Step(name, inverse)
        assert known.linked(node, one) - {node} <= known.entailed(node, one) | {node}
        assert known.entailed(node, one) <= known.possible(node, one)


@some
@given(graphs)
def test_kinship_is_mutual_and_a_verdict_is_false_just_where_nothing_is_possible(graph: Graph) -> None:
    known = Closure(graph, SMALL)
    for node, other in product(graph.nodes, repeat=2):
        assert (other in known.kin(node)) == (node in known.kin(other))
    for head, one, tail in statements():
        verdict = known.judge(head, one, tail)
        if verdict.kind != "negated":
            may_hold = tail in known.possible(head, one) | known.kin(head)
            assert verdict.false != may_hold, (head, one, tail, verdict)


@some
@given(graphs)
def test_what_holds_of_the_stronger_predicate_holds_of_the_weaker(graph: Graph) -> None:
    known = Closure(graph, SMALL)
    for head, one, tail in statements():
        if tail in known.linked(head, one):
            for weak in SMALL.weaker[one.predicate]:
                assert known.judge(head, Step(weak), tail).status == "entailed"


@some
@given(graphs, facts)
def test_a_fact_more_takes_nothing_back(graph: Graph, more: Fact) -> None:
    """What was entailed stays so; only a denial may speak against it."""
    before = Closure(graph, SMALL)
    after = Closure(Graph(graph.nodes, {**graph.facts, more.edge_id: more}, graph.complete), SMALL)
    for head, one, tail in statements():
        if before.judge(head, one, tail).status == "entailed":
            assert after.judge(head, one, tail).status == "entailed" or after.judge(head, one, tail).kind == "negated"


@some
@given(graphs, facts)
def test_a_fact_elsewhere_makes_no_proven_distractor_true(graph: Graph, more: Fact) -> None:
    """Only a fact about an end of the statement, or what it is a kind, part or whole of, can change the verdict."""
    before = Closure(graph, SMALL)
    after = Closure(Graph(graph.nodes, {**graph.facts, more.edge_id: more}, graph.complete), SMALL)
    touched = {more.head_id, more.tail_id}
    for head, one, tail in statements():
        if touched & (after.kin(head) | after.kin(tail)):
            continue
        assert before.judge(head, one, tail) == after.judge(head, one, tail), (head, one, tail)


@some
@given(graphs, facts)
def test_a_proof_falls_only_to_a_fact_that_speaks_against_it(graph: Graph, more: Fact) -> None:
    """A closed or functional proof that a further fact makes false says who lied: the list or value was declared whole."""
    assume(not more.negated)
    before = Closure(graph, SMALL)
    after = Closure(Graph(graph.nodes, {**graph.facts, more.edge_id: more}, graph.complete), SMALL)
    for head, one, tail in statements():
        old = before.judge(head, one, tail)
        if old.status in ("contradicted", "closed") and after.judge(head, one, tail).status == "entailed":
            near = before.kin(head) | before.kin(tail)
            assert {more.head_id, more.tail_id} & near, (head, one, tail, old)


@some
@given(graphs)
def test_the_order_of_facts_does_not_matter(graph: Graph) -> None:
    turned = Graph(
        dict(reversed(graph.nodes.items())), dict(reversed(graph.facts.items())), dict(reversed(graph.complete.items()))
    )
    one, other = Closure(graph, SMALL), Closure(turned, SMALL)
    for statement in statements():
        assert one.judge(*statement) == other.judge(*statement)


# --- the core ----------------------------------------------------------------------------------------------


def test_every_fact_of_the_core_is_entailed_from_both_ends(core_closure: Closure) -> None:
    for one in core_closure.graph.facts.values():
        if not one.negated:
            walked = Step(one.predicate)
            assert core_closure.judge(one.head_id, walked, one.tail_id).status == "entailed"
            assert core_closure.judge(one.tail_id, walked.back, one.head_id).status == "entailed"


def test_textbook_verdicts(core_closure: Closure) -> None:
    trochlear, oblique, rectus = "core:trochlear-nerve", "core:superior-oblique-muscle", "core:lateral-rectus-muscle"
    assert core_closure.judge(trochlear, Step("innervates"), oblique).status == "entailed"
    assert core_closure.judge(trochlear, Step("innervates"), rectus).status in PROOFS[:2]
