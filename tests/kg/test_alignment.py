"""One entity for one thing: what merges, what never does, and the record of it."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from kg.alignment import align
from kg.graph import Complete, Fact, Graph, Layer, Node, edge_id
from kg.schema import Schema


def node(
    name: str, label: str, category: str = "protein", synonyms: Sequence[str] = (), xrefs: Sequence[str] = ()
) -> Node:
    return Node(name, label, category, tuple(synonyms), tuple(xrefs))


def said(layer: str, head: str, predicate: str, tail: str, askable: bool = True) -> Fact:
    return Fact(edge_id(layer, head, predicate, tail), head, predicate, tail, layer, "", "", askable=askable)


def merged(schema: Schema, first: Node, second: Node) -> bool:
    return len(align([Layer("core", [first], []), Layer("go", [second], [])], schema).nodes) == 1


@pytest.mark.parametrize(
    ("first", "second", "one"),
    [
        (node("gene:A", "A", "gene"), node("gene:A", "A", "gene"), True),
        (node("core:a", "prestin", xrefs=["symbol:SLC26A5"]), node("up:1", "Prestin protein", xrefs=["symbol:SLC26A5"]), True),
        (node("core:a", "α-synuclein"), node("up:1", "alpha synuclein"), True),
        (node("core:a", "dopamine transporter", synonyms=["DAT1"]), node("up:1", "DAT1"), True),
        (node("core:a", "receptor X", "receptor"), node("up:1", "receptor X", "ion_channel"), True),
        (node("core:a", "prestin"), node("gene:a", "prestin", "gene"), False),
        (node("core:a", "tremor", "disease"), node("hp:1", "tremor", "sign"), False),
        (node("core:a", "neuropathy type 6", "disease"), node("hp:1", "neuropathy type 8", "disease"), False),
        (node("core:a", "prestin", xrefs=["symbol:X"]), node("gene:x", "X", "gene", xrefs=["symbol:X"]), False),
        (node("core:a", "DA"), node("up:1", "something", synonyms=["DA"]), False),
    ],
    ids=["id", "xref", "Greek", "synonym", "kinds of protein", "gene and protein", "disease and sign", "near names", "symbol of a gene", "short"],
)  # fmt: skip
def test_what_is_one_thing(schema: Schema, first: Node, second: Node, one: bool) -> None:
    assert merged(schema, first, second) is one


def test_a_name_of_two_nodes_merges_nothing(schema: Schema) -> None:
    core = Layer(
        "core", [node("core:a", "alpha thing", synonyms=["AT1"]), node("core:b", "beta thing", synonyms=["AT1"])], []
    )
    assert len(align([core, Layer("go", [node("go:1", "AT1")], [])], schema).nodes) == 3


def test_a_label_beats_a_synonym_of_another(schema: Schema) -> None:
    core = Layer("core", [node("core:a", "AT1"), node("core:b", "beta thing", synonyms=["AT1"])], [])
    graph = align([core, Layer("go", [node("go:1", "AT1")], [])], schema)
    assert [merge.kept_id for merge in graph.merges] == ["core:a"]


def test_nodes_of_one_layer_are_left_alone(schema: Schema) -> None:
    assert len(align([Layer("core", [node("core:a", "x thing"), node("core:b", "x thing")], [])], schema).nodes) == 2


def test_the_earlier_node_is_kept_with_the_names_of_both_and_recorded(schema: Schema) -> None:
    first = node("core:a", "prestin", "protein", ["motor protein of hair cells"], ["symbol:SLC26A5"])
    second = node("up:P58743", "Prestin (SLC26A5)", "transporter", ["DFNB61"], ["symbol:SLC26A5"])
    graph = align([Layer("core", [first], []), Layer("uniprot", [second], [])], schema)
    (kept,) = graph.nodes.values()
    assert (kept.id, kept.label, kept.category) == ("core:a", "prestin", "protein")
    assert set(kept.synonyms) == {"motor protein of hair cells", "Prestin (SLC26A5)", "DFNB61"}
    assert set(kept.xrefs) == {"symbol:SLC26A5", "up:P58743"}
    assert [tuple(merge) for merge in graph.merges] == [
        ("core:a", "up:P58743", "Prestin (SLC26A5)", "xref symbol:SLC26A5")
    ]


def test_facts_and_complete_lists_move_with_their_entity(schema: Schema) -> None:
    core = Layer("core", [node("core:a", "prestin")], [])
    other = Layer(
        "go",
        [node("go:1", "Prestin"), node("go:2", "hearing", "neural_function")],
        [said("go", "go:1", "participates_in", "go:2")],
        complete=[Complete("go:1", "participates_in", "forward", "someone")],
    )
    graph = align([core, other], schema)
    (moved,) = graph.facts.values()
    assert (moved.head_id, moved.edge_id) == ("core:a", edge_id("go", "core:a", "participates_in", "go:2"))
    assert graph.complete == {("core:a", "participates_in", "forward"): "someone"}


def test_a_fact_of_two_layers_is_said_once_by_the_first_that_may_be_asked(schema: Schema) -> None:
    nodes = [node("p:1", "alpha thing"), node("p:2", "beta thing")]
    layers = [
        Layer(name, nodes, [said(name, "p:1", "activates", "p:2", ask)])
        for name, ask in (("core", False), ("go", True), ("hpo", True))
    ]
    assert [(f.layer, f.askable) for f in align(layers, schema).facts.values()] == [("go", True)]


def test_a_fact_whose_ends_become_one_is_gone(schema: Schema) -> None:
    core = Layer("core", [node("core:a", "prestin", synonyms=["SLC26A5 protein"])], [])
    other = Layer(
        "go",
        [node("go:1", "prestin"), node("go:2", "something else", xrefs=["core:a"])],
        [said("go", "go:1", "activates", "go:2")],
    )
    assert align([core, other], schema).facts == {}


def test_order_of_rows_within_layers_does_not_matter(full_layers: list[Layer], schema: Schema) -> None:
    draw = random.Random(4)
    shuffled = [
        Layer(
            one.name,
            draw.sample(one.nodes, len(one.nodes)),
            draw.sample(one.facts, len(one.facts)),
            one.dropped,
            one.complete,
        )
        for one in full_layers
    ]
    one, other = align(full_layers, schema), align(shuffled, schema)
    assert one.sha256 == other.sha256
    assert set(one.merges) == set(other.merges)


@pytest.fixture(scope="module")
def full_layers(schema: Schema) -> list[Layer]:
    from kg.sources import core, go, uniprot

    return [core.load(schema), uniprot.load(), go.load()]


def test_open_layers_meet_the_core(full_layers: list[Layer], schema: Schema) -> None:
    graph: Graph = align(full_layers, schema)
    assert len(graph.merges) > 50
    kinds = {merge.reason.split(" ")[0] for merge in graph.merges}
    assert "name" in kinds
    for merge in graph.merges:
        assert merge.gone_id not in graph.nodes
        assert merge.kept_id in graph.nodes
