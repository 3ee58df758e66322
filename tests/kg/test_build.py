"""From layers to one graph: choosing, settling contradictions, counting, and refusing rows that cannot be used."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kg import rulings
from kg.build import EMBEDDED, LAYERS, PROFILES, Build, assemble, build
from kg.comparison import AREAS, Comparison
from kg.errors import InputError
from kg.graph import Complete, Fact, Layer
from kg.schema import Schema
from kg.sources import core
from kg.validate import findings
from tests.hand_made import fact, graph_of, node


def layer(name: str, *texts: str | Fact, complete: tuple[Complete, ...] = ()) -> Layer:
    facts = [replace(text, layer=name) if isinstance(text, Fact) else fact(text, layer=name) for text in texts]
    return Layer(name, list(graph_of(*facts).nodes.values()), facts, complete=list(complete))


def said(made: Build) -> set[str]:
    return {
        f"{'NOT ' if f.negated else ''}{f.head_id[2:]} {f.predicate} {f.tail_id[2:]}" for f in made.graph.facts.values()
    }


def message(schema: Schema, *layers: Layer) -> str:
    with pytest.raises(InputError) as caught:
        assemble(schema, layers)
    return str(caught.value)


# --- contradictions ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("earlier", "later"),
    [("a excites b", "a inhibits b"), ("NOT a excites b", "a excites b"), ("a excites b", "NOT a excites b")],
)
def test_an_earlier_layer_wins_a_contradiction(small_schema: Schema, earlier: str, later: str) -> None:
    made = assemble(small_schema, [layer("core", earlier), layer("go", later, "c excites d")])
    assert said(made) == {earlier, "c excites d"}
    assert made.dropped["go"] == {"contradicts an earlier layer": 1}
    ((loser, winner),) = made.conflicts
    assert (loser.layer, winner.layer) == ("go", "core")


def test_a_qualified_fact_contradicts_nothing(small_schema: Schema) -> None:
    made = assemble(small_schema, [layer("core", fact("a excites b", "early in life")), layer("go", "a inhibits b")])
    assert len(made.graph.facts) == 2


def test_a_list_that_lost_its_values_is_not_complete(small_schema: Schema) -> None:
    rows = (Complete("t:a", "inhibits", "forward"), Complete("t:c", "excites", "forward"))
    made = assemble(
        small_schema, [layer("core", "a excites b"), layer("go", "a inhibits b", "c excites d", complete=rows)]
    )
    assert set(made.graph.complete) == {("t:c", "excites", "forward")}


# --- choosing ------------------------------------------------------------------------------------------------------


def test_licences_choose_facts_and_count_the_rest(small_schema: Schema) -> None:
    other = Layer("go", [node("c"), node("d")], [replace(fact("c excites d", layer="go"), license="CC-BY-4.0")])
    made = assemble(small_schema, [layer("core", "a excites b"), other], ["CC-BY-4.0"])
    assert said(made) == {"c excites d"}
    assert set(made.graph.nodes) == {"t:c", "t:d"}
    assert made.dropped["core"] == {"licence not chosen": 1}


def test_an_unknown_licence_names_the_nearest(small_schema: Schema) -> None:
    with pytest.raises(InputError, match=r"--licenses: no fact is under 'Apache'; did you mean 'Apache-2\.0'"):
        assemble(small_schema, [layer("core", "a excites b")], ["Apache"])


def test_an_unknown_layer_names_the_nearest(schema: Schema) -> None:
    with pytest.raises(InputError, match="--layers: unknown layer 'uniprt'; did you mean 'uniprot'"):
        build(schema, ["core", "uniprt"])


def test_what_a_layer_left_out_stays_counted(small_schema: Schema) -> None:
    first = layer("core", "a excites b")
    first.dropped["blank label"] += 3
    assert assemble(small_schema, [first]).dropped["core"] == {"blank label": 3}


def test_profiles_name_layers(schema: Schema) -> None:
    assert set(PROFILES["open"]) < set(PROFILES["full"]) == set(LAYERS)


# --- rows that cannot be used ---------------------------------------------------------------------------------------


def test_a_fact_whose_end_is_no_node(small_schema: Schema) -> None:
    one = layer("core", "a excites b")
    broken = Layer("core", one.nodes[:1], one.facts)
    assert "names 't:b', which is no node; add the node" in message(small_schema, broken)


def test_an_end_may_be_a_node_of_another_layer(small_schema: Schema) -> None:
    one = layer("core", "a excites b")
    assert said(assemble(small_schema, [Layer("core", one.nodes, []), Layer("go", [], one.facts)])) == {"a excites b"}


def test_unknown_predicate(small_schema: Schema) -> None:
    assert "has the unknown predicate 'excite'; did you mean 'excites'?" in message(
        small_schema, layer("core", "a excite b")
    )


def test_unknown_category(small_schema: Schema) -> None:
    broken = Layer("core", [node("a", "regoin")], [])
    assert "node t:a has the unknown category 'regoin'; did you mean 'region'?" in message(small_schema, broken)


def test_one_id_with_two_labels(small_schema: Schema) -> None:
    broken = Layer("core", [node("a"), replace(node("a"), label="other")], [])
    assert "id t:a has two labels: 'a' and 'other'" in message(small_schema, broken)


def test_one_id_said_twice_alike_is_one_node(small_schema: Schema) -> None:
    assert len(assemble(small_schema, [Layer("core", [node("a"), node("a")], [])]).graph.nodes) == 1


@pytest.mark.parametrize(
    "label", ["", "  ", "a\nb", "a\0b", "a\x1b[31mb", "a\u202eb", "a\u200fb", "a\u2028b", "a\ud800b"]
)
def test_a_label_that_is_not_plain_text(small_schema: Schema, label: str) -> None:
    broken = Layer("core", [replace(node("a"), label=label)], [])
    assert "the label of node t:a is blank or holds a control character" in message(small_schema, broken)


def test_a_label_of_a_million_characters(small_schema: Schema) -> None:
    broken = Layer("core", [replace(node("a"), label="x" * 1_000_000)], [])
    assert "the label of node t:a has 1,000,000 characters; at most 10,000 are read" in message(small_schema, broken)


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (Complete("t:a", "excite", "forward"), "unknown predicate 'excite'; did you mean 'excites'?"),
        (Complete("t:a", "excites", "forwards"), "is 'forwards'; write forward or backward"),
        (Complete("t:z", "excites", "forward"), "is of 't:z', which is no node"),
    ],
)
def test_a_faulty_complete_list(small_schema: Schema, row: Complete, told: str) -> None:
    assert told in message(small_schema, layer("core", "a excites b", complete=(row,)))


def test_no_layers_make_an_empty_graph(small_schema: Schema) -> None:
    made = assemble(small_schema, [])
    assert (made.graph.nodes, made.graph.facts, made.conflicts) == ({}, {}, [])


# --- the embedded graph -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def loaded(schema: Schema) -> list[Layer]:
    """Every layer; some 10 s."""
    return [core.load(schema), *(EMBEDDED[name]() for name in LAYERS[1:])]


def test_every_conflict_of_the_core_with_an_open_layer_has_a_ruling(schema: Schema, loaded: list[Layer]) -> None:
    comparison = Comparison([one for one in loaded if one.name != "go"], schema)
    compared = [comparison.compare(area) for area in AREAS]
    assert all(made.agree for made in compared)
    conflicts = [conflict for made in compared for conflict in made.conflicts]
    assert rulings.faults(conflicts, rulings.read(core.core_folder())) == []


@pytest.mark.parametrize(
    ("profile", "licences"),
    [
        ("open", {"Apache-2.0", "CC-BY-4.0"}),
        ("full", {"Apache-2.0", "CC-BY-4.0", "ODbL-1.0 AND CC-BY-SA-4.0", "HPO licence"}),
    ],
)
def test_what_a_profile_carries(loaded: list[Layer], profile: str, licences: set[str]) -> None:
    chosen = [one for one in loaded if one.name in PROFILES[profile]]
    assert {fact.license for one in chosen for fact in one.facts} == licences
    assert {node.license for one in chosen for node in one.nodes} == licences


def test_the_embedded_graph_is_whole_and_sound(schema: Schema, loaded: list[Layer]) -> None:
    made = assemble(schema, loaded)
    graph = made.graph
    assert {one.layer for one in graph.facts.values()} == set(LAYERS) == set(made.dropped)
    assert all(one.license and one.source for one in graph.facts.values())
    assert all({one.head_id, one.tail_id} <= graph.nodes.keys() for one in graph.facts.values())
    assert [
        one.label for one in graph.nodes.values() if not one.label.isprintable() or one.label != one.label.strip()
    ] == []
    for loser, winner in made.conflicts:
        assert LAYERS.index(winner.layer) <= LAYERS.index(loser.layer)
        assert loser.edge_id not in graph.facts
    assert {merge.reason.partition(" ")[0] for merge in graph.merges} == {"xref", "name"}
    assert [one for one in findings(graph, schema) if one.hard] == []
