"""Guide to Pharmacology: how rows become facts, and that the layer says what a textbook says."""

from __future__ import annotations

import csv
import io
import tarfile
from collections import Counter
from pathlib import Path

import pytest

from kg.graph import Layer
from kg.sources import derived, guide_to_pharmacology
from kg.sources.derive import derive
from kg.sources.pharmacology import PARTIAL, Claim, Settled, predicate_for, settle, strong

INTERACTION = {
    "target": "D<sub>2</sub> receptor", "target_id": "215", "target_species": "Human", "ligand": "haloperidol",
    "ligand_id": "1", "ligand_species": "", "approved_drug": "t", "type": "Antagonist", "action": "Antagonist",
    "endogenous": "f", "primary_target": "t", "affinity_high": "", "affinity_median": "8.8", "pubmed_id": "7|12",
}  # fmt: skip

FLAGS = ("partial", "primary", "approved", "endogenous")


@pytest.fixture(scope="module")
def layer() -> Layer:
    return guide_to_pharmacology.load()


@pytest.fixture(scope="module")
def said(layer: Layer) -> dict[tuple[str, str, str], bool]:
    """(head label, predicate, tail label) -> whether it may be asked."""
    label = {node.id: node.label for node in layer.nodes}
    return {(label[f.head_id], f.predicate, label[f.tail_id]): f.askable for f in layer.facts}


def claim(predicate: str, affinity: float | None = 8.0, **other: bool) -> Claim:
    flags = {"partial": False, "primary": False, "approved": False, "endogenous": False} | other
    return Claim(
        predicate, flags["partial"], affinity, flags["primary"], flags["approved"], flags["endogenous"], ("9",)
    )


@pytest.mark.parametrize(
    ("kind", "action", "predicate"),
    [
        ("Agonist", "Full agonist", "agonist_of"),
        ("Agonist", "Inverse agonist", "antagonist_of"),
        ("Channel blocker", "None", "blocks"),
        ("Channel blocker", "Antagonist", "blocks"),
        ("Gating inhibitor", "None", "inhibits"),
        ("Allosteric modulator", "Positive", "potentiates"),
        ("Allosteric modulator", "Negative", "inhibits"),
        ("Allosteric modulator", "Neutral", "binds_to"),
        ("None", "None", "binds_to"),
        ("a new type", "x", "binds_to"),
    ],
)
def test_predicate_for(kind: str, action: str, predicate: str) -> None:
    assert predicate_for(kind, action) == predicate


def test_agonist_and_antagonist_of_one_receptor_is_kept_as_binding_only() -> None:
    dropped: Counter[str] = Counter()
    facts = settle([claim("agonist_of"), claim("antagonist_of")], True, dropped)
    assert facts == [Settled("binds_to", None, False, "PMID:9"), Settled("modulates", None, False, "PMID:9")]
    assert dropped == {"contradictory actions (kept as binding, not asked)": 1}


def test_a_partial_agonist_is_qualified_and_bars_itself_as_a_wrong_antagonist() -> None:
    facts = settle([claim("agonist_of", partial=True)], True, Counter())
    assert facts == [Settled("agonist_of", PARTIAL, True, "PMID:9"), Settled("binds_to", None, False, "PMID:9")]


def test_the_predicate_with_most_rows_is_asked() -> None:
    facts = settle([claim("activates"), claim("agonist_of"), claim("agonist_of")], True, Counter())
    assert [(f.predicate, f.askable) for f in facts] == [("agonist_of", True), ("activates", False)]
    assert [f.predicate for f in settle([claim("blocks"), claim("inhibits")], True, Counter())] == ["blocks"]


@pytest.mark.parametrize(
    ("claims", "best", "known", "expected"),
    [
        ([claim("antagonist_of", 8.2, approved=True)], 8.8, False, True),
        ([claim("antagonist_of", 8.2, approved=True)], 9.8, False, False),
        ([claim("antagonist_of", 6.0, approved=True, primary=True)], 9.0, False, True),
        ([claim("antagonist_of", 9.5)], 9.5, False, False),
        ([claim("antagonist_of", 7.5)], 7.5, True, True),
        ([claim("antagonist_of", 7.5)], 9.5, True, False),
        ([claim("agonist_of", 5.5, endogenous=True)], 6.0, True, True),
        ([claim("agonist_of", 5.5, endogenous=True)], 8.0, True, False),
    ],
)
def test_strong(claims: list[Claim], best: float, known: bool, expected: bool) -> None:
    assert strong(claims, best, known) is expected


@pytest.mark.parametrize(
    "fact",
    [
        ("haloperidol", "antagonist_of", "dopamine D2 receptor"),
        ("aripiprazole", "agonist_of", "dopamine D2 receptor"),
        ("tetrodotoxin", "blocks", "Nav1.7 channel"),
        ("fluoxetine", "inhibits", "serotonin transporter"),
        ("diazepam", "potentiates", "GABA-A receptor"),
        ("reserpine", "inhibits", "VMAT2"),
        ("pitolisant", "antagonist_of", "histamine H3 receptor"),
        ("substance P", "agonist_of", "NK1 receptor"),
        ("suvorexant", "antagonist_of", "orexin receptor 2"),
        ("donepezil", "inhibits", "acetylcholinesterase"),
        ("Nav1.7 channel", "encoded_by", "SCN9A"),
    ],
)
def test_textbook_pharmacology_may_be_asked(said: dict[tuple[str, str, str], bool], fact: tuple[str, str, str]) -> None:
    assert said[fact]


@pytest.mark.parametrize(
    "fact",
    [
        ("histamine", "agonist_of", "histamine H1 receptor"),  # the label gives it away
        ("oxytocin", "agonist_of", "oxytocin receptor"),
        ("5-HT1A receptor", "encoded_by", "HTR1A"),
        ("gabapentin", "activates", "Kv7.3 channel"),  # asked.tsv: contradicts the established action
        ("clozapine", "antagonist_of", "5-HT7 receptor"),  # a weaker target
        ("GluN2B subunit", "subunit_of", "NMDA receptor"),
    ],
)
def test_kept_but_not_asked(said: dict[tuple[str, str, str], bool], fact: tuple[str, str, str]) -> None:
    assert fact in said
    assert not said[fact]


def test_short_names_carry_their_family_and_bare_ones_are_no_synonyms(layer: Layer) -> None:
    labels = {node.label for node in layer.nodes}
    assert {"muscarinic M1 receptor", "adenosine A1 receptor", "histamine H1 receptor", "α1A adrenoceptor"} <= labels
    assert labels.isdisjoint({"M1 receptor", "A1 receptor", "H1 receptor", "D2 receptor", "μ receptor", "Nav1.7"})
    synonyms = {synonym for node in layer.nodes for synonym in node.synonyms}
    assert synonyms.isdisjoint({"M1", "H1", "A1", "D2", "M1 receptor", "D2 receptor"})


def test_a_protein_and_its_gene_are_two_nodes_tied_by_symbol(layer: Layer) -> None:
    nodes = {node.id: node for node in layer.nodes}
    assert nodes["gene:ASIC2"].category == "gene"
    protein = nodes["gtopdb:asic2-channel"]
    assert protein.category == "ion_channel"
    assert protein.xrefs == ("symbol:ASIC2",)


def test_no_pair_is_both_activated_and_inhibited(layer: Layer) -> None:
    signs: dict[tuple[str, str], set[str]] = {}
    for fact in layer.facts:
        sign = {"agonist_of": "+", "activates": "+", "potentiates": "+",
                "antagonist_of": "-", "inhibits": "-", "blocks": "-"}.get(fact.predicate)  # fmt: skip
        if sign:
            signs.setdefault((fact.head_id, fact.tail_id), set()).add(sign)
    assert [pair for pair, found in signs.items() if len(found) > 1] == []


def archive(path: Path, rows: list[dict[str, str]], ligands: list[dict[str, str]]) -> Path:
    with tarfile.open(path, "w:gz") as package:
        for name, table in (("interactions.csv", rows), ("ligands.csv", ligands)):
            text = io.StringIO()
            writer = csv.DictWriter(text, list(table[0]))
            writer.writeheader()
            writer.writerows(table)
            data = text.getvalue().encode("utf-8-sig")
            member = tarfile.TarInfo(f"scConnect-1.0.3/scConnect/data/GTP_tables/2020-5/{name}")
            member.size = len(data)
            package.addfile(member, io.BytesIO(data))
    return path


def test_deriving_twice_gives_the_same_bytes_and_counts_what_it_leaves_out(tmp_path: Path) -> None:
    rows = [
        INTERACTION,
        INTERACTION | {"ligand": "[3H]spiperone", "ligand_id": "2"},
        INTERACTION | {"ligand": "compound 18 [PMID 123]", "ligand_id": "3"},
        INTERACTION | {"target_species": "Rat"},
        INTERACTION | {"target_id": "999999"},
        INTERACTION | {"ligand": "(-)-<i>quux</i>", "ligand_id": "4"},
    ]
    ligands = [{"Ligand id": str(n), "Labelled": "", "Approved": "yes" if n == 4 else ""} for n in range(1, 5)]
    package = archive(tmp_path / "package.tar.gz", rows, ligands)
    layer = derive("guide_to_pharmacology", package, tmp_path / "one")
    derive("guide_to_pharmacology", archive(tmp_path / "again.tar.gz", rows[::-1], ligands), tmp_path / "two")
    for name in ("nodes.tsv", "facts.tsv", "complete.tsv", "SOURCE.yaml"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert layer.dropped == {
        "labelled ligand": 1,
        "placeholder label": 1,
        "target not human": 1,
        "target outside the nervous system": 1,
    }
    drugs = {node.label: node for node in layer.nodes if node.category == "drug"}
    assert set(drugs) == {"haloperidol", "quux"}
    [fact] = [fact for fact in layer.facts if fact.head_id == "gtopdb:haloperidol"]
    assert (fact.predicate, fact.tail_id, fact.askable, fact.reference) == (
        "antagonist_of", "gtopdb:dopamine-d2-receptor", True, "PMID:7",
    )  # fmt: skip
    assert derived.read("guide_to_pharmacology", tmp_path / "one").facts == sorted(
        layer.facts, key=lambda f: (f.head_id, f.predicate, f.tail_id)
    )
