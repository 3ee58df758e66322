"""What check-core says to a contributor: one broken edit after another to the tests' own tables, each with file, row, problem and remedy."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from kg.schema import Schema
from kg.sources import core, core_lists
from tests.hand_made import CORE_FOLDER

FACTS = "head\thead_category\tpredicate\ttail\ttail_category\tqualifier\treference\tnote"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the tests' own tables."""
    return Path(shutil.copytree(CORE_FOLDER, tmp_path / "core"))


def add(name: str, line: str) -> Callable[[Path], None]:
    """An edit: a line at the end of a table."""

    def edit(folder: Path) -> None:
        with (folder / name).open("a", encoding="utf-8") as table:
            table.write(line + "\n")

    return edit


def table(name: str, text: str) -> Callable[[Path], None]:
    """An edit: a table of these lines."""

    def edit(folder: Path) -> None:
        (folder / name).write_text(text, encoding="utf-8")

    return edit


def fact(
    head: str = "trochlear nerve",
    kind: str = "nerve",
    predicate: str = "innervates",
    tail: str = "muscle A",
    to: str = "muscle",
    qualifier: str = "",
    reference: str = "",
) -> Callable[[Path], None]:
    return add("nerves.tsv", "\t".join((head, kind, predicate, tail, to, qualifier, reference, "")))


def listed(name: str, *cells: str) -> Callable[[Path], None]:
    return add(name, "\t".join((*cells, "", "")))


LISTS = "entity\tpredicate\tdirection\treference\tnote\n"
PLAN = "topic\tpredicate\twanted\twhy\n"
EDITS: dict[str, tuple[Callable[[Path], None], str]] = {
    # the form of a table
    "cells are missing": (
        add("nerves.tsv", "a\tnerve\tinnervates"),
        "nerves.tsv:45: 3 cells, but the header has 8; check for missing or extra tabs",
    ),
    "a tab too many": (
        fact(reference="https://a.org/1\t"),
        "nerves.tsv:45: 9 cells, but the header has 8; check for missing or extra tabs",
    ),
    "a column is missing": (
        table("more.tsv", FACTS.removesuffix("\tnote") + "\n"),
        "more.tsv:1: column 'note' is missing; the header needs: head, head_category, predicate, tail, tail_category, qualifier, reference, note (tab-separated)",
    ),
    "a column is misspelt": (
        table("more.tsv", FACTS + "\tnotes\n"),
        "more.tsv:1: unknown column 'notes'; did you mean 'note'?",
    ),
    "a column stands twice": (
        table("more.tsv", FACTS + "\tnote\n"),
        "more.tsv:1: column 'note' stands there twice; keep one",
    ),
    "the name of a table": (
        table("My Nerves.tsv", f"{FACTS}\nfacial nerve\tnerve\tinnervates\tm\tmuscle\t\t\t\n"),
        "My Nerves.tsv:2: the table's name 'My Nerves' is the topic; write small_words_like_this.tsv",
    ),
    # facts
    "an unknown predicate": (
        fact(predicate="innervate"),
        "nerves.tsv:45: unknown predicate 'innervate'; did you mean 'innervates'?",
    ),
    "an unknown category": (fact(kind="nerv"), "nerves.tsv:45: unknown category 'nerv'; did you mean 'nerve'?"),
    "outside the range": (
        fact(to="nerve"),
        "nerves.tsv:45: tail 'muscle A' is a nerve, but 'innervates' takes muscle; change the predicate or the category",
    ),
    "an empty label": (fact(tail=""), "nerves.tsv:45: label '' is empty; name the entity"),
    "a long label": (
        fact(tail="x" * 71),
        "nerves.tsv:45: label 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' is over 70 characters or not plain text; write a shorter, plain one",
    ),
    "another spelling": (
        fact(head="Trochlear nerve"),
        "nerves.tsv:45: label 'Trochlear nerve' is written 'trochlear nerve' at nerves.tsv:6; use one spelling",
    ),
    "another category": (
        fact(tail="facial nerve"),
        "nerves.tsv:45: 'facial nerve' is a muscle here, a nerve at nerves.tsv:8; use one category",
    ),
    "an article": (
        fact(tail="the muscle A"),
        "nerves.tsv:45: tail 'the muscle A' begins with an article; write 'muscle A'",
    ),
    "a bar in a label": (
        fact(tail="muscle A|muscle B"),
        "nerves.tsv:45: tail 'muscle A|muscle B' holds '|' or two blanks; lists of labels could not tell it: write it without",
    ),
    "a fact of itself": (
        fact("thalamus", "region", "projects_to", "thalamus", "region"),
        "nerves.tsv:45: 'thalamus' projects_to itself; head and tail must differ",
    ),
    "a row said twice": (
        fact(tail="superior oblique muscle"),
        "nerves.tsv:45: says what nerves.tsv:6 says; remove one of the two",
    ),
    "a qualifier that is a sentence": (
        fact(qualifier="In rodents."),
        "nerves.tsv:45: qualifier 'In rodents.' is no phrase that could open a sentence; write it small, short and without a final mark: 'in rodents'",
    ),
    "a reference that nobody can look up": (
        fact(reference="own knowledge"),
        "nerves.tsv:45: reference 'own knowledge' cannot be looked up; give the address, PMID:, doi: or book and chapter of the passage you read, or leave the cell empty",
    ),
    # entities
    "a name without a fact": (
        add("entities.tsv", "vagus nerve\tnerve\tX\t"),
        "entities.tsv:4: 'vagus nerve' (nerve) occurs in no fact; remove the row or fix the label",
    ),
    "a second row for an entity": (
        add("entities.tsv", "synaptobrevin\tvesicle_protein\t\t"),
        "entities.tsv:4: 'synaptobrevin' has a row at entities.tsv:3; make them one",
    ),
    "a synonym that is an entity": (
        add("entities.tsv", "SNAP-25\tvesicle_protein\tSyntaxin\t"),
        "entities.tsv:4: synonym 'Syntaxin' of 'SNAP-25' is the label of another entity (transmission.tsv:5); write 'SNAP-25' there, or remove the synonym",
    ),
    "a synonym of itself": (
        add("entities.tsv", "SNAP-25\tvesicle_protein\tSNAP-25\t"),
        "entities.tsv:4: 'SNAP-25' is no synonym of itself; remove it",
    ),
    "an identifier without prefix": (
        add("entities.tsv", "SNAP-25\tvesicle_protein\t\tP60880"),
        "entities.tsv:4: xref 'P60880' has no prefix; write it as symbol:SCN1A or UBERON:0001644",
    ),
    # complete lists
    "a list of an unknown predicate": (
        listed("complete.tsv", "facial nerve", "innervate", "forward"),
        "complete.tsv:8: unknown predicate 'innervate'; did you mean 'innervates'?",
    ),
    "a list of an inverse predicate": (
        listed("complete.tsv", "striatum", "receives_from", "forward"),
        "complete.tsv:8: 'receives_from' is stored as 'projects_to'; write 'projects_to' and 'backward'",
    ),
    "a list in no direction": (
        listed("complete.tsv", "facial nerve", "innervates", "onward"),
        "complete.tsv:8: direction is 'onward'; give 'forward' or 'backward'",
    ),
    "a list of a misspelt entity": (
        listed("complete.tsv", "facial nervs", "innervates", "forward"),
        "complete.tsv:8: 'facial nervs' occurs in no fact as something that can be the head of 'innervates' (nerve); did you mean 'facial nerve'?",
    ),
    "a list without values": (
        listed("complete.tsv", "accessory nerve", "exits_from", "forward"),
        "complete.tsv:8: no fact gives 'accessory nerve' a value of 'exits_from' forward; a complete list needs its values in the fact tables: add them or remove the row",
    ),
    "a list said twice": (
        listed("complete.tsv", "tetanus toxin", "cleaves", "forward"),
        "complete.tsv:8: is about what complete.tsv:7 is about; make them one row",
    ),
    # denials
    "a denial of nothing": (
        listed("denied.tsv", "facial nerve", "innervates", "forward", " | "),
        "denied.tsv:2: denies 'innervates' of 'facial nerve' without values; name some ('|' between) or remove it",
    ),
    "a denial of itself": (
        listed("denied.tsv", "thalamus", "projects_to", "forward", "thalamus"),
        "denied.tsv:2: 'thalamus' projects_to itself is denied, which nobody would say; remove the value",
    ),
    "a denial of a stated fact": (
        listed("denied.tsv", "facial nerve", "innervates", "forward", "buccinator muscle"),
        "denied.tsv:2: 'facial nerve' innervates 'buccinator muscle' is denied here and stated in a table of facts; remove one of the two",
    ),
    "a denial of what follows": (
        listed("denied.tsv", "putamen", "part_of", "forward", "basal ganglia"),
        "denied.tsv:2: 'putamen' part_of 'basal ganglia' is denied but follows from stated facts; remove it",
    ),
    "a misspelt value": (
        listed("denied.tsv", "facial nerve", "innervates", "forward", "masseter muscles"),
        "denied.tsv:2: 'masseter muscles' occurs in no fact as something that can be the tail of 'innervates' (muscle); did you mean 'masseter muscle'?",
    ),
    "a value named twice": (
        listed("denied.tsv", "facial nerve", "innervates", "forward", "masseter muscle|masseter muscle"),
        "denied.tsv:2: 'masseter muscle' is doubled or empty among the values; name each once",
    ),
    # the whole
    "two values of a functional predicate": (
        fact(predicate="exits_from", tail="lateral pons", to="site"),
        "nerves.tsv:20 and nerves.tsv:45: several values of a functional predicate: trochlear nerve exits_from lateral pons [core]; trochlear nerve exits_from dorsal midbrain [core]; keep one row, or give the others a qualifier that says when",
    ),
    "a cycle": (
        fact("midbrain", "region", "part_of", "dorsal midbrain", "site"),
        "circuits.tsv:21 and nerves.tsv:45: cycle of part_of: dorsal midbrain, midbrain; mend or remove one of these rows",
    ),
    "a contradiction": (
        fact("striatum", "region", "excites", "globus pallidus", "region"),
        "circuits.tsv:7 and nerves.tsv:45: contradiction: striatum inhibits globus pallidus [core] / striatum excites globus pallidus [core]; remove one, or give it a qualifier that says when",
    ),
    # the blueprint
    "a cell of an unknown topic": (
        table("blueprint.tsv", PLAN + "nerve\tinnervates\t5\tfive\n"),
        "blueprint.tsv:2: no table of facts is called 'nerve'; did you mean 'nerves'?",
    ),
    "a cell of an unknown predicate": (
        table("blueprint.tsv", PLAN + "nerves\tinnervate\t5\tfive\n"),
        "blueprint.tsv:2: no facts are stored as 'innervate'; did you mean 'innervates'?",
    ),
    "a cell without a number": (
        table("blueprint.tsv", PLAN + "nerves\tinnervates\tmany\tall\n"),
        "blueprint.tsv:2: wanted is 'many'; give a whole number of facts, 1 or more",
    ),
    "a cell without a reason": (
        table("blueprint.tsv", PLAN + "nerves\tinnervates\t5\t\n"),
        "blueprint.tsv:2: gives no reason for 5; say in 'why' what the facts are",
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_a_broken_edit(small_schema: Schema, folder: Path, name: str) -> None:
    edit, said = EDITS[name]
    (folder / "denied.tsv").write_text("\t".join(core_lists.DENIED_COLUMNS) + "\n")
    edit(folder)
    found = [fault.replace(f"{folder}/", "") for fault in core.faults(small_schema, folder)]
    assert found == [said]


def test_one_run_tells_every_faulty_row(small_schema: Schema, folder: Path) -> None:
    for edit in (fact(predicate="x"), add("nerves.tsv", "a\tnerve"), fact(kind="x"), fact(tail="the muscle A")):
        edit(folder)
    places = [fault.partition(": ")[0].rpartition("/")[2] for fault in core.faults(small_schema, folder)]
    assert sorted(places) == ["nerves.tsv:45", "nerves.tsv:46", "nerves.tsv:47", "nerves.tsv:48"]


def test_a_gene_is_an_hgnc_symbol(schema: Schema, folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()
    row = "Nav1.1 channel\tion_channel\tencoded_by\tscn1a\tgene\t\t\t\n"
    table("topic.tsv", f"{FACTS}\n{row}")(folder)
    (fault,) = core.faults(schema, folder)
    assert "topic.tsv:2: tail 'scn1a' is no HGNC symbol; write 'SCN1A'" in fault
    table("topic.tsv", f"{FACTS}\n{row.replace('scn1a', 'SCN1A')}{row.replace('scn1a', 'C9orf72')}")(folder)
    assert core.faults(schema, folder) == []


@pytest.mark.parametrize(
    "reference",
    ["https://example.org/a?b=1", "PMID:12345678", "doi:10.1016/x", "Kandel, Principles of Neural Science, ch. 14"],
)
def test_references_that_can_be_looked_up(small_schema: Schema, folder: Path, reference: str) -> None:
    fact(reference=reference)(folder)
    assert core.faults(small_schema, folder) == []


def test_tables_that_load_may_be_plainer_than_the_house_asks(small_schema: Schema, folder: Path) -> None:
    fact(tail="the muscle A", qualifier="In rodents.")(folder)
    assert "core:the-muscle-a" in {node.id for node in core.load(small_schema, folder).nodes}
