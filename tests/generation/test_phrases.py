"""Articles, number and capitals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generation.phrases import Phrase, capital, definite, head_word, indefinite, is_plural, listing
from kg.graph import Node
from kg.schema import Schema


@pytest.mark.parametrize(
    ("label", "plural"),
    [
        ("deep cerebellar nuclei", True),
        ("mossy fibres", True),
        ("basal ganglia", True),
        ("astrocytes", True),
        ("pons", False),
        ("biceps brachii", False),
        ("nucleus of the solitary tract", False),
        ("nuclei of the lateral lemniscus", True),
        ("nucleus accumbens", False),
        ("thalamus", False),
        ("abscess", False),
        ("diabetes", False),
        ("SNAREs", False),
        ("loss of reflexes", False),
        ("hair cells (inner)", True),
        ("tetanus", False),
    ],
)
def test_number(label: str, plural: bool) -> None:
    assert is_plural(label) is plural


@pytest.mark.parametrize(
    ("label", "word"),
    [
        ("nucleus of the solitary tract", "nucleus"),
        ("Broca area", "area"),
        ("cells, inner (hair)", "cells"),
        ("T-cells", "cells"),
    ],
)
def test_head_word(label: str, word: str) -> None:
    assert head_word(label) == word


@pytest.mark.parametrize(
    ("label", "category", "text"),
    [
        ("red nucleus", "nucleus", "the red nucleus"),
        ("dopamine", "neurotransmitter", "dopamine"),
        ("Purkinje cell", "neuron", "the Purkinje cell"),
        ("Broca area", "cortical_area", "Broca area"),
        ("area V1", "cortical_area", "area V1"),
        ("lamina II", "cortical_layer", "lamina II"),
        ("dopamine transporter", "transporter", "the dopamine transporter"),
        ("prestin", "transporter", "prestin"),
        ("trochlear nerve", "cranial_nerve", "the trochlear nerve"),
        ("neonatal Fc receptor", "protein", "the neonatal Fc receptor"),
        ("Posner cueing task", "method", "the Posner cueing task"),
        ("egg-yolk macular lesion", "sign", "an egg-yolk macular lesion"),
        ("vestibular schwannoma", "tumour", "vestibular schwannoma"),
        ("lucid interval", "sign", "a lucid interval"),
        ("oscillopsia", "sign", "oscillopsia"),
        ("drusen", "pathology", "drusen"),
    ],
)
def test_articles(schema: Schema, label: str, category: str, text: str) -> None:
    assert definite(Node("x", label, category), schema) == text


@pytest.mark.parametrize(
    ("label", "category", "many"),
    [
        ("rod", "sensory_cell", "rods"),
        ("Purkinje cell", "neuron", "Purkinje cells"),
        ("red nucleus", "nucleus", "red nucleus"),
        ("astrocytes", "glial_cell", "astrocytes"),
        ("dopamine", "neurotransmitter", "dopamine"),
    ],
)
def test_many_of_a_kind(schema: Schema, label: str, category: str, many: str) -> None:
    assert definite(Node("x", label, category), schema).many == many


def test_a_phrase_knows_its_number(schema: Schema) -> None:
    phrase = definite(Node("x", "basal ganglia", "brain_region"), schema)
    assert (str(phrase), phrase.plural) == ("the basal ganglia", True)
    assert f"{Phrase('x')} y" == "x y"


@pytest.mark.parametrize(
    ("noun", "text"),
    [("artery", "an artery"), ("nucleus", "a nucleus"), ("enzyme", "an enzyme"), ("unit", "a unit"), ("hour", "an hour"), ("use", "a use"), ("G protein", "a G protein")],
)  # fmt: skip
def test_indefinite(noun: str, text: str) -> None:
    assert indefinite(noun) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dopamine", "Dopamine"),
        ("mGluR5", "mGluR5"),
        ("α-synuclein", "α-Synuclein"),
        ("5-HT", "5-HT"),
        ("c-Fos", "c-Fos"),
        ("the pons", "The pons"),
        ("pH of blood", "pH of blood"),
        ("", ""),
        ("α", "α"),
        (" x", " x"),
    ],
)
def test_capital(text: str, expected: str) -> None:
    assert capital(text) == expected


@given(st.text(max_size=30))
def test_a_capital_changes_no_more_than_letters_case(text: str) -> None:
    assert capital(text).casefold() == text.casefold()


def test_listing() -> None:
    assert [listing(list(names)) for names in ("", "a", "ab", "abc")] == ["", "a", "a and b", "a, b and c"]
    assert listing(["a", "b"], "or") == "a or b"
