"""The curated core: its tables are clean, every faulty row is named, and inverse predicates are stored one way."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from kg.build import assemble
from kg.closure import Closure
from kg.errors import InputError
from kg.graph import Graph
from kg.schema import Schema, Step
from kg.sources import core, core_facts, core_lists
from tests.hand_made import CORE_FOLDER

HEADER = "\t".join(core_facts.FACT_COLUMNS)


def row(
    head: str = "trochlear nerve",
    kind: str = "nerve",
    predicate: str = "innervates",
    tail: str = "muscle A",
    to: str = "muscle",
) -> str:
    return "\t".join((head, kind, predicate, tail, to, "", "", ""))


def folder_of(tmp_path: Path, *rows: str, **tables: str) -> Path:
    (tmp_path / "topic.tsv").write_text("\n".join([HEADER, *rows, ""]), encoding="utf-8")
    for name, text in tables.items():
        (tmp_path / f"{name}.tsv").write_text(text, encoding="utf-8")
    return tmp_path


def message(schema: Schema, folder: Path) -> str:
    with pytest.raises(InputError) as caught:
        core.load(schema, folder)
    return str(caught.value)


def test_a_row_becomes_a_fact_and_its_ends(small_schema: Schema, tmp_path: Path) -> None:
    layer = core.load(small_schema, folder_of(tmp_path, row()))
    (fact,) = layer.facts
    assert (fact.head_id, fact.predicate, fact.tail_id) == ("core:trochlear-nerve", "innervates", "core:muscle-a")
    assert (fact.layer, fact.source, fact.license) == (
        "core",
        f"neuro-si core {core_facts.VERSION}/topic",
        "Apache-2.0",
    )
    assert (fact.qualifier, fact.reference, fact.negated, fact.askable) == (None, None, False, True)
    assert [(node.id, node.label, node.category) for node in layer.nodes] == [
        ("core:muscle-a", "muscle A", "muscle"),
        ("core:trochlear-nerve", "trochlear nerve", "nerve"),
    ]


def test_an_inverse_predicate_is_stored_as_the_other_with_its_ends_exchanged(
    small_schema: Schema, tmp_path: Path
) -> None:
    folder = folder_of(tmp_path, row("thalamus", "region", "receives_from", "pallidum", "region"))
    (fact,) = core.load(small_schema, folder).facts
    assert (fact.head_id, fact.predicate, fact.tail_id) == ("core:pallidum", "projects_to", "core:thalamus")


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_a_row_said_several_times_is_one_fact_with_a_reference_whatever_the_order(
    small_schema: Schema, tmp_path: Path, order: tuple[int, ...]
) -> None:
    rows = []
    for reference in ("", "doi:10.1/x", "doi:10.1/y"):
        cells = row().split("\t")
        cells[6] = reference
        rows.append("\t".join(cells))
    (fact,) = core.load(small_schema, folder_of(tmp_path, *(rows[place] for place in order))).facts
    assert fact.reference == "doi:10.1/x"


def test_a_fact_of_two_topics_is_of_the_first_by_name_whoever_gives_a_reference(
    small_schema: Schema, tmp_path: Path
) -> None:
    folder = folder_of(tmp_path, row())
    for name, reference in (("cranial", ""), ("zoster", "PMID:1")):
        cells = row().split("\t")
        cells[6] = reference
        (folder / f"{name}.tsv").write_text("\n".join([HEADER, "\t".join(cells), ""]))
    (fact,) = core.load(small_schema, folder).facts
    assert (core_facts.topic(fact), fact.reference) == ("cranial", "PMID:1")


def test_synonyms_and_complete_lists(small_graph: Graph) -> None:
    assert small_graph.nodes["core:synaptobrevin"].synonyms == ("VAMP2",)
    assert small_graph.nodes["core:trochlear-nerve"].xrefs == ("uberon:0001644",)
    assert small_graph.complete["core:trochlear-nerve", "innervates", "forward"] == "https://example.org/nerves"
    assert small_graph.complete["core:abducens-nerve", "innervates", "forward"] is None


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (row(predicate="innervate"), "topic.tsv:2: unknown predicate 'innervate'; did you mean 'innervates'?"),
        (row(kind="nerv"), "topic.tsv:2: unknown category 'nerv'; did you mean 'nerve'?"),
        (
            row(to="nerve"),
            "topic.tsv:2: tail 'muscle A' is a nerve, but 'innervates' takes muscle; change the predicate or the category",
        ),
        (row(head=""), "label '' is empty"),
        (row(tail="x" * 71), "is over 70 characters or not plain text; write a shorter, plain one"),
        (row(tail="mus\u202ecle"), "not plain text"),
        (row(tail="mus\x1bcle"), "not plain text"),
        (row(tail="mus\u2028cle"), "not plain text"),
    ],
)
def test_a_faulty_row_is_named(small_schema: Schema, tmp_path: Path, line: str, said: str) -> None:
    assert said in message(small_schema, folder_of(tmp_path, line))


def test_one_spelling_and_one_category_for_one_entity(small_schema: Schema, tmp_path: Path) -> None:
    twice = folder_of(tmp_path, row(), row(head="Trochlear nerve"))
    assert "topic.tsv:3: label 'Trochlear nerve' is written 'trochlear nerve' at" in message(small_schema, twice)
    kinds = folder_of(tmp_path, row(), row("muscle A", "region", "part_of", "b", "region"))
    assert "'muscle A' is a region here, a muscle at" in message(small_schema, kinds)


def test_no_tables(small_schema: Schema, tmp_path: Path) -> None:
    assert "holds no *.tsv table of facts" in message(small_schema, tmp_path)
    assert "holds no *.tsv table of facts" in message(small_schema, tmp_path / "nowhere")


def test_a_synonym_row_without_a_fact(small_schema: Schema, tmp_path: Path) -> None:
    folder = folder_of(tmp_path, row(), entities="label\tcategory\tsynonyms\txrefs\nvagus nerve\tnerve\tX\t\n")
    assert "entities.tsv:2: 'vagus nerve' (nerve) occurs in no fact" in message(small_schema, folder)


def test_a_complete_list_needs_its_values(small_schema: Schema, tmp_path: Path) -> None:
    folder = folder_of(
        tmp_path,
        row(),
        complete="entity\tpredicate\tdirection\treference\tnote\ntrochlear nerve\texits_from\tforward\t\t\n",
    )
    assert "complete.tsv:2: no fact gives 'trochlear nerve' a value of 'exits_from' forward" in message(
        small_schema, folder
    )


def denied(*rows: tuple[str, ...]) -> str:
    return "\n".join(["\t".join(core_lists.DENIED_COLUMNS), *("\t".join((*cells, "", "")) for cells in rows), ""])


def test_denied_values_become_negated_facts_in_either_direction(small_schema: Schema, tmp_path: Path) -> None:
    rows = [row(), row("abducens nerve", tail="muscle B"), row("facial nerve", tail="muscle C")]
    table = denied(
        ("trochlear nerve", "innervates", "forward", "muscle B|muscle C"),
        ("muscle A", "innervates", "backward", "abducens nerve"),
        ("abducens nerve", "innervates", "forward", "muscle A"),
    )
    layer = core.load(small_schema, folder_of(tmp_path, *rows, denied=table))
    negated = {(f.head_id, f.tail_id) for f in layer.facts if f.negated}
    assert negated == {
        ("core:trochlear-nerve", "core:muscle-b"),
        ("core:trochlear-nerve", "core:muscle-c"),
        ("core:abducens-nerve", "core:muscle-a"),
    }
    assert not any(f.askable for f in layer.facts if f.negated)
    assert sum(not f.negated for f in layer.facts) == 3


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (
            ("trochlear nerve", "innervates", "forward", "muscle A"),
            "denied.tsv:2: 'trochlear nerve' innervates 'muscle A' is denied here and stated in a table of facts",
        ),
        (
            ("trochlear nerve", "innervates", "forward", "muscle Z"),
            "denied.tsv:2: 'muscle Z' occurs in no fact as something that can be the tail of 'innervates' (muscle)",
        ),
        (("trochlear nerve", "innervates", "forward", "trochlear nerve"), "can be the tail of 'innervates'"),
        (("trochlear nerve", "innervate", "forward", "muscle A"), "did you mean 'innervates'?"),
        (
            ("trochlear nerve", "innervates", "onward", "muscle A"),
            "direction is 'onward'; give 'forward' or 'backward'",
        ),
    ],
)
def test_a_faulty_denial_is_named(small_schema: Schema, tmp_path: Path, cells: tuple[str, ...], said: str) -> None:
    assert said in message(small_schema, folder_of(tmp_path, row(), denied=denied(cells)))


def test_all_faults_are_listed(small_schema: Schema, tmp_path: Path) -> None:
    folder = folder_of(tmp_path, row(predicate="x"), row(), row(kind="x"))
    assert [fault.partition(": ")[0].rpartition(":")[2] for fault in core.faults(small_schema, folder)] == ["2", "4"]


@pytest.mark.parametrize(
    "label", ["{{ 7*7 }}", "{% import os %}", "<script>alert(1)</script>", "</think>", "a $x^2$ b", "'; DROP TABLE"]
)
def test_labels_are_data(small_schema: Schema, tmp_path: Path, label: str) -> None:
    """They are taken as they are; what is made of them is tested in tests/generation/test_bad_input.py."""
    layer = core.load(small_schema, folder_of(tmp_path, row(tail=label)))
    assert label in {node.label for node in layer.nodes}


# --- the embedded tables -----------------------------------------------------------------------------------------


def test_the_embedded_tables_are_clean(schema: Schema) -> None:
    assert core.faults(schema) == []


def test_the_core_denies_nothing_that_follows_from_it(core_closure: Closure, core_graph: Graph) -> None:
    for fact in core_graph.negated.values():
        assert fact.tail_id not in core_closure.entailed(fact.head_id, Step(fact.predicate)), fact
        assert fact.head_id not in core_closure.entailed(fact.tail_id, Step(fact.predicate, inverse=True)), fact


def test_the_core_has_600_facts_or_more_over_many_predicates(core_graph: Graph) -> None:
    assert len(core_graph.facts) >= 600
    assert len({fact.predicate for fact in core_graph.facts.values()}) >= 28


@pytest.mark.parametrize(
    "said",
    [
        "trochlear nerve innervates superior oblique muscle",
        "tetanus toxin cleaves synaptobrevin",
    ],
)
def test_textbook_facts_are_there(core_graph: Graph, said: str) -> None:
    told = {
        f"{core_graph.label(f.head_id)} {f.predicate} {core_graph.label(f.tail_id)}" for f in core_graph.facts.values()
    }
    assert any(one.startswith(said) for one in told)


def test_the_order_of_rows_does_not_matter(schema: Schema, core_graph: Graph, tmp_path: Path) -> None:
    folder = tmp_path / "core"
    shutil.copytree(core.core_folder(), folder)
    draw = random.Random(7)
    for path in folder.glob("*.tsv"):
        header, *rows = path.read_text(encoding="utf-8").splitlines()
        draw.shuffle(rows)
        path.write_text("\n".join([header, *rows, ""]), encoding="utf-8")
    assert assemble(schema, [core.load(schema, folder)]).graph.sha256 == core_graph.sha256


def test_the_tests_own_tables_are_clean(small_schema: Schema) -> None:
    assert core.faults(small_schema, CORE_FOLDER) == []
