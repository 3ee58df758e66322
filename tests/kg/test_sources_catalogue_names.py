"""Catalogue names in the order of speech, on names as UniProt prints them."""

from __future__ import annotations

import pytest

from kg.graph import Layer, Node
from kg.sources import catalogue_names, uniprot


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        ("seizures, benign familial infantile, 5", "benign familial infantile seizures 5"),
        ("myasthenic syndrome, congenital", "congenital myasthenic syndrome"),
        ("spastic paraplegia 10, autosomal dominant", "autosomal dominant spastic paraplegia 10"),
        ("microcephaly 1, primary, autosomal recessive", "autosomal recessive primary microcephaly 1"),
        (
            "neuronopathy, distal hereditary motor, autosomal dominant 9",
            "autosomal dominant distal hereditary motor neuronopathy 9",
        ),
        ("Charcot-Marie-Tooth disease, axonal, 2A2B", "axonal Charcot-Marie-Tooth disease 2A2B"),
        (
            "encephalopathy, neonatal severe, due to MECP2 mutations",
            "neonatal severe encephalopathy due to MECP2 mutations",
        ),
        ("Parkinson disease 19A, juvenile-onset", "juvenile-onset Parkinson disease 19A"),
    ],
)
def test_modifiers_come_before_the_noun(printed: str, said: str) -> None:
    assert catalogue_names.natural(printed) == said


@pytest.mark.parametrize(
    "printed",
    [
        "Alzheimer disease",
        "microcephaly, epilepsy, and diabetes syndrome 1",
        "polyglucosan body neuropathy, adult form",
        "cerebellar ataxia, Cayman type",
        "mitochondrial complex IV deficiency, nuclear type 2",
        "ceroid lipofuscinosis, neuronal, 4A (Kufs type), autosomal recessive",
        "dystonia, early-onset, and/or spastic paraplegia",
        "spastic paraplegia 10, autosomal dominant, 4",
    ],
)
def test_what_is_not_plain_to_see_stays(printed: str) -> None:
    assert catalogue_names.natural(printed) == printed


def test_the_old_name_becomes_a_synonym_and_no_two_nodes_get_one_name() -> None:
    nodes = [
        Node("o:1", "myoclonus, familial", "genetic_disorder", ("FM",)),
        Node("o:2", "ataxia, familial", "genetic_disorder"),
        Node("o:3", "familial ataxia", "genetic_disorder"),
        Node("o:4", "a, b", "gene"),
    ]
    renamed = catalogue_names.renamed(Layer("uniprot", nodes, []), frozenset({"genetic_disorder"})).nodes
    assert [node.label for node in renamed] == ["familial myoclonus", "ataxia, familial", "familial ataxia", "a, b"]
    assert renamed[0].synonyms == ("FM", "myoclonus, familial")


def test_the_layer_is_read_with_natural_names() -> None:
    labels = {node.id: node.label for node in uniprot.load().nodes}
    assert labels["OMIM:108120"] == "distal arthrogryposis 1A"
