"""UniProt: genes and the diseases that they cause; scope, merging, acronyms, completeness."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from kg.graph import Layer
from kg.sources import uniprot
from kg.sources.derive import derive

FOLDER = "trytond/modules/health_genetics_uniprot/data"


@pytest.fixture(scope="module")
def layer() -> Layer:
    return uniprot.load()


def disease(number: int, name: str, acronym: str, mim: str, text: str, keywords: str = "") -> str:
    return (
        f'<record model="d" id="DI-{number:05}"><field name="disease_name">{name}</field>'
        f'<field name="acronym">{acronym}</field><field name="mim_reference">MIM:{mim}</field>'
        f'<field name="keywords">{keywords}</field><field name="description">{text}</field></record>'
    )


def package(path: Path, diseases: list[str], variants: list[tuple[str, str, int]]) -> Path:
    """variants: gene, significance, number of the disease."""
    genes, links = [], []
    for n, (gene, significance, number) in enumerate(variants):
        search = f"[('name', '=', '{gene}')]"
        genes.append(
            f'<record model="v" id="VAR_{n}"><field name="gene" search="{search}"/>'
            f'<field name="significance">{significance}</field></record>'
        )
        links.append(
            f'<record model="p" id="VP{n}"><field name="variant" ref="VAR_{n}"/>'
            f'<field name="phenotype" ref="DI-{number:05}"/></record>'
        )
    with zipfile.ZipFile(path, "w") as wheel:
        for name, records in (("protein_diseases", diseases), ("gene_variants", genes), ("variant_phenotypes", links)):
            wheel.writestr(f"{FOLDER}/{name}.xml", "<tryton><data>" + "\n".join(records) + "</data></tryton>")
    return path


def made(tmp_path: Path, diseases: list[str], variants: list[tuple[str, str, int]]) -> Layer:
    return derive("uniprot", package(tmp_path / "u.whl", diseases, variants), tmp_path / "out")


def test_counts(layer: Layer) -> None:
    assert (len(layer.nodes), len(layer.complete)) == (3773, 1839)


@pytest.mark.parametrize(
    ("symbol", "number", "label"),
    [
        ("MECP2", "OMIM:312750", "Rett syndrome"),
        ("ATP7B", "OMIM:277900", "Wilson disease"),
        ("CACNA1A", "OMIM:108500", "episodic ataxia 2"),
        ("PINK1", "OMIM:605909", "Parkinson disease 6"),
    ],
)
def test_textbook_pairs(layer: Layer, symbol: str, number: str, label: str) -> None:
    [fact] = [f for f in layer.facts if (f.head_id, f.tail_id) == (f"gene:{symbol}", number)]
    assert fact.askable
    assert {node.id: node.label for node in layer.nodes}[number] == label


def test_diseases_of_repeats_have_no_variant_and_are_not_declared_complete(layer: Layer) -> None:
    assert "OMIM:143100" not in {row.entity_id for row in layer.complete}  # Huntington disease


def test_digenic_diseases_are_not_declared_complete(layer: Layer) -> None:
    assert {"OMIM:160900", "OMIM:127750", "OMIM:253400"}.isdisjoint(row.entity_id for row in layer.complete)


def test_an_acronym_of_two_diseases_is_no_synonym(tmp_path: Path) -> None:
    ataxia = "A neurodegenerative disorder."
    layer = made(
        tmp_path,
        [
            disease(1, "Frontal ataxia syndrome", "FAS", "100001", ataxia),
            disease(2, "Familial absence seizures", "FAS", "100002", ataxia),
            disease(3, "Ruff ataxia", "RAX", "100003", ataxia),
        ],
        [("ABC1", "lpp", 1), ("BCD2", "lpp", 2), ("CDE3", "lpp", 3)],
    )
    synonyms = {node.label: node.synonyms for node in layer.nodes if node.category != "gene"}
    assert synonyms == {"Familial absence seizures": (), "Frontal ataxia syndrome": (), "Ruff ataxia": ("RAX",)}
    assert layer.dropped["acronym of several diseases (not a synonym)"] == 2


def test_one_disease_in_two_wordings_is_merged_and_near_names_stay_apart(tmp_path: Path) -> None:
    text = "A disorder of the brain."
    layer = made(
        tmp_path,
        [
            disease(1, "Pontocerebellar hypoplasia 10", "A1", "100001", text),
            disease(2, "Pontocerebellar hypoplasia, type 10", "A2", "100002", text),
            disease(3, "Pontocerebellar hypoplasia 8", "A3", "100003", text),
        ],
        [("ABC1", "lpp", 1), ("BCD2", "lpp", 2), ("CDE3", "lpp", 3)],
    )
    found = {(f.head_id, f.tail_id) for f in layer.facts if f.predicate == "mutation_causes"}
    assert found == {("gene:ABC1", "OMIM:100001"), ("gene:BCD2", "OMIM:100001"), ("gene:CDE3", "OMIM:100003")}
    assert layer.dropped["same disease under another wording (merged)"] == 1
    assert [row.entity_id for row in layer.complete] == ["OMIM:100003"]


def test_what_is_kept_but_not_asked(tmp_path: Path) -> None:
    layer = made(
        tmp_path,
        [
            disease(1, "Spastic paraplegia 11", "SPG11", "100001", "A neurodegenerative disorder."),
            disease(2, "Biotinidase deficiency", "BTD", "100002", "A disorder with seizures."),
            disease(3, "Ruff ataxia", "RAX", "100003", "Susceptibility to ataxia."),
            disease(4, "Quux ataxia", "QAX", "100004", "A disorder of the brain."),
            disease(5, "Kidney stones", "KS", "100005", "A disorder of the kidney. Seizures may occur."),
        ],
        [("SPG11", "lpp", 1), ("BTD", "lpp", 2), ("ABC1", "lpp", 3), ("BCD2", "us", 4), ("CDE3", "lpp", 5)],
    )
    assert not any(fact.askable for fact in layer.facts)
    assert layer.dropped == {
        "disease outside the nervous system": 1,
        "no likely pathogenic variant (kept, not asked)": 1,
        "one label gives the other away (kept, not asked)": 2,
        "susceptibility (kept, not asked)": 1,
    }


def test_numbered_subtypes_are_kinds_of_their_series(layer: Layer) -> None:
    names = {node.id: node.label for node in layer.nodes}
    kinds = {(names[f.head_id], names[f.tail_id]) for f in layer.facts if f.predicate == "is_a"}
    assert {("Parkinson disease 6", "Parkinson disease"), ("Usher syndrome 2A", "Usher syndrome")} <= kinds


def test_two_records_of_one_number_bear_the_general_name(layer: Layer) -> None:
    assert {n.id: n.label for n in layer.nodes}["OMIM:104300"] == "Alzheimer disease"
