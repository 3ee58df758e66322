"""The core against another layer: agreements, conflicts of each kind, silences; and rulings on conflicts."""

from __future__ import annotations

from pathlib import Path

import pytest

from kg import rulings
from kg.comparison import Area, Compared, Comparison, Conflict, Statement
from kg.errors import InputError
from kg.graph import Complete, Fact, Layer
from kg.schema import Schema
from tests.hand_made import fact, graph_of

AREA = Area("circuits", "go", frozenset({"excites", "inhibits", "projects_to", "exits_from"}))
KINDS = {"n": "nerve", "s": "site", "s2": "site"}


def layer(name: str, *texts: str | Fact, complete: tuple[Complete, ...] = ()) -> Layer:
    graph = graph_of(*texts, categories={k: v for k, v in KINDS.items() if any(k in str(text) for text in texts)})
    return Layer(name, list(graph.nodes.values()), list(graph.facts.values()), complete=list(complete))


def compared(schema: Schema, ours: Layer, theirs: Layer) -> Compared:
    return Comparison([ours, theirs], schema).compare(AREA)


def test_agreements_in_the_same_and_in_weaker_words(small_schema: Schema) -> None:
    """Exciting a region entails projecting to it."""
    made = compared(
        small_schema, layer("core", "a excites b", "c excites d"), layer("go", "a excites b", "c projects_to d")
    )
    assert made.agree == [("t:a", "t:b"), ("t:c", "t:d")]
    assert (made.differ, made.conflicts, made.only_core, made.only_layer) == ([], [], [], [])


def test_other_words_are_no_conflict(small_schema: Schema) -> None:
    made = Comparison([layer("core", "a inhibits b"), layer("go", "a cleaves b")], small_schema).compare(
        AREA._replace(predicates=frozenset({"inhibits", "cleaves"}))
    )
    assert (made.differ, made.agree, made.conflicts) == ([("t:a", "t:b")], [], [])


@pytest.mark.parametrize(
    ("ours", "theirs", "against"),
    [
        ("a excites b", "a inhibits b", "a excites b"),
        ("NOT a excites b", "a excites b", "NOT a excites b"),
        ("a excites b", "NOT a excites b", "a excites b"),
        ("NOT a projects_to b", "a excites b", "NOT a projects_to b"),
    ],
)
def test_contradictions(small_schema: Schema, ours: str, theirs: str, against: str) -> None:
    (found,) = compared(small_schema, layer("core", ours), layer("go", theirs)).conflicts
    assert (found.layer, found.kind, found.against) == ("go", "contradiction", against)
    assert str(found.statement) == theirs


def test_a_qualified_fact_contradicts_nothing(small_schema: Schema) -> None:
    ours = layer("core", fact("a excites b", "early in life"))
    assert compared(small_schema, ours, layer("go", "a inhibits b")).conflicts == []


def test_another_value_of_a_functional_predicate(small_schema: Schema) -> None:
    (found,) = compared(small_schema, layer("core", "n exits_from s"), layer("go", "n exits_from s2")).conflicts
    assert (found.kind, str(found.statement), found.against) == ("another value", "n exits_from s2", "n exits_from s")
    ours = layer("core", "n exits_from s", "s part_of s2")
    assert compared(small_schema, ours, layer("go", "n exits_from s2")).conflicts == []


def test_a_complete_list_that_lacks_what_the_other_side_states(small_schema: Schema) -> None:
    whole = (Complete("t:a", "excites", "forward"),)
    ours = layer("core", "a excites b", "c excites x", complete=whole)
    (found,) = compared(small_schema, ours, layer("go", "a excites c")).conflicts
    assert found == Conflict(
        "go", "not in the core's complete list", Statement("a", "excites", "c"), "a excites forward: b"
    )
    (found,) = compared(
        small_schema, layer("core", "a excites c"), layer("go", "a excites b", "c excites x", complete=whole)
    ).conflicts
    assert found == Conflict(
        "go", "not in the layer's complete list", Statement("a", "excites", "c"), "a excites forward: b"
    )


def test_a_part_of_a_listed_value_is_no_conflict(small_schema: Schema) -> None:
    ours = layer("core", "a excites b", "c part_of b", complete=(Complete("t:a", "excites", "forward"),))
    assert compared(small_schema, ours, layer("go", "a excites c")).conflicts == []


def test_silences_are_of_entities_that_both_know(small_schema: Schema) -> None:
    ours, theirs = (
        layer("core", "a excites b", "c excites x"),
        layer("go", "b excites a", "b excites z", fact("a excites a2")),
    )
    made = compared(small_schema, ours, theirs)
    assert (made.only_core, made.only_layer) == ([("t:a", "t:b")], [("t:b", "t:a")])


# --- rulings ------------------------------------------------------------------------------------------------------------


CONFLICT = Conflict("go", "contradiction", Statement("a", "inhibits", "b"), "a excites b")


def table(folder: Path, *rows: tuple[str, ...]) -> Path:
    lines = ["\t".join(rulings.COLUMNS), *("\t".join(row) for row in rows), ""]
    (folder / rulings.FILE).write_text("\n".join(lines))
    return folder


def test_a_conflict_needs_a_ruling(tmp_path: Path) -> None:
    (fault,) = rulings.faults([CONFLICT], rulings.read(tmp_path))
    assert fault.startswith("no ruling on: go has a inhibits b; contradiction: a excites b; mend the core or the layer")
    ruled = rulings.read(table(tmp_path, ("go", "a", "inhibits", "b", "core", "seen in mice only", "")))
    assert rulings.faults([CONFLICT], ruled) == []
    made = Compared(AREA, conflicts=[CONFLICT])
    assert "go: a inhibits b\n    contradiction: a excites b\n    the core is right: seen in mice only" in rulings.told(
        [made], ruled
    )


def test_a_conflict_that_was_mended_does_not_come_back(tmp_path: Path) -> None:
    ruled = rulings.read(table(tmp_path, ("go", "a", "inhibits", "b", "mended", "b was c", "")))
    assert rulings.faults([], ruled) == []
    (fault,) = rulings.faults([CONFLICT], ruled)
    assert "resolved.tsv:2: says that it was mended, but go has a inhibits b" in fault


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (("go", "a", "inhibits", "b", "layer", "x", ""), "resolved.tsv:3: ruling is 'layer'; write core or mended"),
        (("go", "a", "inhibits", "b", "core", "", ""), "resolved.tsv:3: gives no reason"),
        (("go", "a", "inhibits", "c", "core", "x", ""), "resolved.tsv:3: the conflict has a row at"),
    ],
)
def test_a_faulty_ruling(tmp_path: Path, row: tuple[str, ...], said: str) -> None:
    with pytest.raises(InputError) as caught:
        rulings.read(table(tmp_path, ("go", "a", "inhibits", "c", "core", "x", ""), row))
    assert said in str(caught.value)
