"""Gene Ontology: scope, evidence, general terms, regulation terms, hierarchy; on a small ontology and on the tables."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import networkx as nx
import pytest

from kg.graph import Layer
from kg.sources import go
from kg.sources.derive import derive

TERMS = {
    "GO:0007399": ("nervous system development", "BP"),
    "GO:0000001": ("neuron migration", "BP"),
    "GO:0000002": ("regulation of neuron migration", "BP"),
    "GO:0000003": ("reelin-mediated signaling pathway", "BP"),
    "GO:0000004": ("kidney development", "BP"),
    "GO:0000005": ("cardiac conduction by neurons", "BP"),
    "GO:0045202": ("synapse", "CC"),
    "GO:0000006": ("active zone", "CC"),
}
PARENTS = {
    "bp": [
        ("GO:0000001", "GO:0007399", "isa"),
        ("GO:0000002", "GO:0000001", "regulates"),
        ("GO:0000003", "GO:0007399", "part of"),
        ("GO:0000005", "GO:0007399", "isa"),
    ],
    "cc": [("GO:0000006", "GO:0045202", "part of")],
    "mf": [],
}
GENES = {"RELN": "reelin", "CENPJ": "centromere protein J", "LOC1": "uncharacterized LOC1"} | {
    f"GEN{chr(65 + n)}": f"gene number {n}" for n in range(26)
}


@pytest.fixture(scope="module")
def layer() -> Layer:
    return go.load()


def small(folder: Path, annotations: list[tuple[str, str, str]]) -> Path:
    with closing(sqlite3.connect(folder / "GO.sqlite")) as db, db:
        db.execute("create table go_term (_id integer, go_id text, term text, ontology text)")
        ids = {term: n for n, term in enumerate(TERMS)}
        db.executemany("insert into go_term values (?, ?, ?, ?)", [(ids[t], t, *about) for t, about in TERMS.items()])
        for aspect, rows in PARENTS.items():
            db.execute(f"create table go_{aspect}_parents (_id integer, _parent_id integer, relationship_type text)")
            db.executemany(
                f"insert into go_{aspect}_parents values (?, ?, ?)", [(ids[a], ids[b], kind) for a, b, kind in rows]
            )
    with closing(sqlite3.connect(folder / "org.Hs.eg.sqlite")) as db, db:
        db.execute("create table gene_info (_id integer, gene_name text, symbol text)")
        numbers = {symbol: n for n, symbol in enumerate(GENES)}
        db.executemany("insert into gene_info values (?, ?, ?)", [(numbers[s], name, s) for s, name in GENES.items()])
        for aspect in PARENTS:
            db.execute(f"create table go_{aspect} (_id integer, go_id text, evidence text)")
        for symbol, term, evidence in annotations:
            aspect = TERMS[term][1].lower()
            db.execute(f"insert into go_{aspect} values (?, ?, ?)", (numbers[symbol], term, evidence))
    return folder


def said(layer: Layer) -> dict[tuple[str, str, str], bool]:
    return {(f.head_id, f.predicate, f.tail_id): f.askable for f in layer.facts}


def test_small_ontology(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(go, "GENERAL", 0.9)
    annotations = [
        ("GENA", "GO:0000001", "IMP"),
        ("GENB", "GO:0000001", "IEA"),
        ("GENC", "GO:0000002", "IDA"),  # regulates migration: kept as taking part in it
        ("RELN", "GO:0000003", "IDA"),  # spelled in its name
        ("RELN", "GO:0000001", "IDA"),
        ("GENA", "GO:0000004", "IDA"),  # another organ
        ("GENA", "GO:0000005", "IDA"),  # heart
        ("CENPJ", "GO:0000006", "IDA"),  # renamed CPAP
        ("LOC1", "GO:0000006", "IDA"),  # no symbol
    ]
    layer = derive("go", small(tmp_path, annotations), tmp_path / "one")
    assert said(layer) == {
        ("gene:GENA", "participates_in", "GO:0000001"): True,
        ("gene:GENB", "participates_in", "GO:0000001"): False,
        ("gene:GENC", "participates_in", "GO:0000001"): False,
        ("gene:RELN", "participates_in", "GO:0000003"): False,
        ("gene:RELN", "participates_in", "GO:0000001"): True,
        ("gene:CPAP", "product_located_in", "GO:0000006"): True,
        ("GO:0000001", "is_a", "GO:0007399"): False,
        ("GO:0000006", "part_of", "GO:0045202"): False,
    }
    assert layer.dropped == {
        "evidence electronic, high-throughput or indirect (kept, not asked)": 2,
        "one label gives the other away (kept, not asked)": 1,
        "term outside the nervous system": 1,
    }
    derive("go", tmp_path, tmp_path / "two")
    for name in ("nodes.tsv", "facts.tsv", "complete.tsv", "SOURCE.yaml"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_a_term_true_of_many_genes_is_not_asked(tmp_path: Path) -> None:
    annotations = [(symbol, "GO:0000001", "IDA") for symbol in GENES if symbol.startswith("GEN")]
    layer = derive("go", small(tmp_path, annotations), tmp_path / "out")
    assert not any(fact.askable for fact in layer.facts)
    assert layer.dropped == Counter({"general term (kept, not asked)": 26, "term outside the nervous system": 1})


@pytest.mark.parametrize(
    "fact",
    [
        ("gene:VIP", "product_located_in", "perikaryon"),
        ("gene:DLG4", "product_located_in", "postsynaptic density membrane"),
        ("gene:NKX2-1", "participates_in", "globus pallidus development"),
        ("gene:SNCA", "participates_in", "synaptic vesicle priming"),
    ],
)
def test_known_annotations_may_be_asked(layer: Layer, fact: tuple[str, str, str]) -> None:
    labels = {node.id: node.label for node in layer.nodes}
    assert any((f.head_id, f.predicate, labels[f.tail_id]) == fact and f.askable for f in layer.facts)


def test_no_regulation_terms_and_no_general_term_is_asked(layer: Layer) -> None:
    labels = {node.id: node.label for node in layer.nodes}
    assert not [label for label in labels.values() if label.startswith(("regulation of", "positive regulation"))]
    asked = {labels[f.tail_id] for f in layer.facts if f.askable}
    assert asked.isdisjoint({"synapse", "axon", "dendrite", "nervous system development", "neuron projection"})
    assert not [label for label in asked if label.startswith("integral component")]


def test_negated_annotations_are_not_among_the_rows(layer: Layer) -> None:
    """GO denies these of AGO1 and AGO3; Bioconductor's files leave them out, or they would stand here as true."""
    assert not [f for f in layer.facts if f.head_id == "gene:AGO3" and f.tail_id == "GO:0035279"]
    assert not any(fact.negated for fact in layer.facts)


def test_the_hierarchy_has_no_cycle(layer: Layer) -> None:
    graph = nx.DiGraph((f.head_id, f.tail_id) for f in layer.facts if f.predicate in ("is_a", "part_of"))
    assert graph.number_of_edges() == 1131
    assert nx.is_directed_acyclic_graph(graph)
