"""The one way to normalise words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generation.words import STOP_WORDS, content_words, stem, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The α-synuclein of Lewy bodies", ("the", "alpha", "synuclein", "of", "lewy", "body")),
        ("β2-adrenoceptors", ("beta2", "adrenoceptor")),
        ("Ménière's disease", ("meniere", "disease")),
        ("5-HT₂A receptors", ("5", "ht2a", "receptor")),
        ("ＮＭＤＡ", ("nmda",)),
        ("Broca’s area", ("broca", "area")),
        ("head_id tail", ("head", "id", "tail")),
        ("", ()),
        ("?!, -", ()),
        ("мозг и 脳", ("мозг", "и", "脳")),
    ],
)
def test_words(text: str, expected: tuple[str, ...]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("neurons", "neuron"),
        ("bodies", "body"),
        ("axis", "axis"),
        ("nucleus", "nucleus"),
        ("abscess", "abscess"),
        ("dies", "die"),
        ("gas", "gas"),
        ("is", "is"),
        ("nerve's", "nerve"),
        ("nerve’s", "nerve"),
        ("cortices", "cortice"),
    ],
)
def test_stem(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_greek_letters_and_their_names_are_one() -> None:
    assert content_words("γ-aminobutyric acid") == content_words("Gamma aminobutyric acid")
    assert content_words("Δ9-THC") == content_words("delta9 THC")


def test_content_words_leave_out_what_carries_no_meaning() -> None:
    assert content_words("Which of these does the thalamus project to?") == {"thalamus", "project"}
    assert content_words("The of and to") == frozenset()


def test_stop_words_are_themselves_normalised() -> None:
    for word in STOP_WORDS:
        assert stem(word) in STOP_WORDS, word


@given(st.text())
def test_words_are_words_of_themselves(text: str) -> None:
    once = words(text)
    assert words(" ".join(once)) == once


@given(st.text())
def test_case_and_surroundings_do_not_matter(text: str) -> None:
    assert words(text) == words(f"  {text}. ")
    assert content_words(text) <= set(words(text))
    assert not content_words(text) & STOP_WORDS


@given(
    st.lists(st.sampled_from(["axons", "α", "the", "bodies", "Purkinje", "is", "Na+"]), max_size=8),
    st.sampled_from([" ", ", ", "\n", " - "]),
)
def test_words_of_a_joined_text_are_the_words_of_its_parts(parts: list[str], mark: str) -> None:
    assert words(mark.join(parts)) == tuple(word for part in parts for word in words(part))


@given(st.text(alphabet="abcdeiousy", min_size=4, max_size=10))
def test_a_plain_plural_meets_its_singular(word: str) -> None:
    """For words that do not end in s themselves: `word` and `words` are one."""
    if not word.endswith(("s", "u", "i", "e", "y")):
        assert stem(word + "s") == stem(word)
