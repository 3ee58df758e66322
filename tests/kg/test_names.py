"""Folding of names: case, width, Greek letters, accents, punctuation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.names import GREEK, fold, key, slug


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("α-Synuclein", "alpha synuclein"),
        ("Ménière disease", "Meniere disease"),
        ("Ｐｕｒｋｉｎｊｅ cell", "purkinje CELL"),
        ("Guillain-Barré syndrome", "Guillain–Barré syndrome"),
        ("5-HT₂A", "5-HT2A"),
        ("ﬁbre", "fibre"),
        ("ΓABA", "gammaABA"),
        ("ϑ rhythm", "theta rhythm"),
        ("straße", "STRASSE"),
    ],
)
def test_spellings_of_one_name_share_a_key(first: str, second: str) -> None:
    assert key(first) == key(second)


@pytest.mark.parametrize(("first", "second"), [("type 6", "type 8"), ("GluN2A", "GluN2B"), ("CA1", "CA3"), ("α", "β")])
def test_near_identical_names_stay_apart(first: str, second: str) -> None:
    assert key(first) != key(second)


@pytest.mark.parametrize(
    ("letter", "name"), [("α", "alpha"), ("ω", "omega"), ("ς", "sigma"), ("Δ", "delta"), ("ά", "alpha"), ("µ", "mu")]
)
def test_a_greek_letter_is_its_name(letter: str, name: str) -> None:
    assert fold(letter) == name


def test_all_greek_letters_are_known() -> None:
    assert set("αβγδεζηθικλμνξοπρστυφχψω") <= set(GREEK)


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text())
def test_a_key_is_words_of_ascii_letters_and_digits(text: str) -> None:
    folded = key(text)
    assert folded == " ".join(folded.split())
    assert set(folded) <= set("abcdefghijklmnopqrstuvwxyz0123456789 ")


@given(st.text(alphabet="abc XYZ-α'", max_size=12))
def test_case_does_not_matter(text: str) -> None:
    assert key(text.upper()) == key(text.lower())


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("Purkinje cell", "purkinje-cell"),
        ("K+", "k-plus"),
        ("Ca2+ channel", "ca2-plus-channel"),
        ("5′-nucleotidase", "5-prime-nucleotidase"),
        ("γ-aminobutyric acid", "gamma-aminobutyric-acid"),
    ],
)
def test_slug(label: str, expected: str) -> None:
    assert slug(label) == expected


def test_signs_that_carry_meaning_keep_ids_apart() -> None:
    assert slug("K+") != slug("K")
