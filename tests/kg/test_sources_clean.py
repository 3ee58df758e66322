"""Cleaning: every trap of labels that the open data was seen to hold, with a real example each."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.sources import clean
from kg.sources.gene_names import abbreviates, symbol_shows


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("5-HT<sub>6</sub> receptor", "5-HT6 receptor"),
        ("K<SUB>v</SUB>1.1", "Kv1.1"),
        ("&mu; receptor", "μ receptor"),
        ("<i>N</i>-Acylethanolamine turnover", "N-Acylethanolamine turnover"),
        ("10-OBn-7&alpha;-F-gingkolide B", "10-OBn-7α-F-gingkolide B"),
        ("\ufeffAtaxia", "Ataxia"),
        ("  <i>TAAR4P </i> ", "TAAR4P"),
        ("a\u00a0b\t c", "a b c"),
        ("µ-opioid", "μ-opioid"),
        ("Me\u0301nie\u0300re disease", "Ménière disease"),
        ("SERCA < 2 of 3", "SERCA < 2 of 3"),
    ],
)
def test_label_is_plain_unicode(raw: str, cleaned: str) -> None:
    assert clean.label(raw) == cleaned


@given(st.text())
def test_cleaning_twice_changes_nothing_in_text_without_markup(text: str) -> None:
    once = clean.label(text.replace("&", "").replace("<", ""))
    assert clean.label(once) == once
    assert unicodedata.is_normalized("NFC", once)
    assert "  " not in once


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("compound 18 [PMID 123]", "placeholder label"),
        ("compound 34 [PMID: 20866075]", "placeholder label"),
        ("obsolete thioredoxin", "obsolete term"),
        ("OBSOLETE: Marker chromosome", "obsolete term"),
        ("", "blank label"),
        ("-", "blank label"),
        ("HYPERLEUCINE-ISOLEUCINEMIA", "label all in capitals"),
        ("x" * 71, "label over 70 characters"),
        ("CADASIL", None),
        ("compound heterozygosity", None),
        ("x" * 70, None),
    ],
)
def test_reject_reason(text: str, reason: str | None) -> None:
    assert clean.reject_reason(text) == reason


def test_one_thing_in_two_wordings_has_one_key() -> None:
    assert clean.same_key("Pontocerebellar hypoplasia 10") == clean.same_key("Pontocerebellar hypoplasia, type 10")
    assert clean.same_key("mu-opioid receptor") == clean.same_key("μ-opioid Receptor")
    assert clean.same_key("Parkinson's disease") == clean.same_key("Parkinson disease")


def test_things_nearly_alike_stay_apart() -> None:
    assert clean.same_key("intellectual disability, autosomal dominant 6") != clean.same_key(
        "intellectual disability, autosomal recessive 6"
    )
    assert clean.same_key("spastic paraplegia 6") != clean.same_key("spastic paraplegia 8")


@pytest.mark.parametrize(
    ("one", "other", "given_away"),
    [
        ("histamine", "histamine H1 receptor", True),
        ("muscarine", "muscarinic M1 receptor", True),
        ("acetylcholine", "cholinergic neuron", False),  # caught by the core's checks, not by spelling
        ("noradrenaline", "noradrenaline transporter", True),
        ("pitolisant", "histamine H3 receptor", False),
        ("sodium", "Nav1.7 channel", False),
    ],
)
def test_gives_away(one: str, other: str, given_away: bool) -> None:
    assert clean.gives_away([one], [other]) is given_away


def test_first_letter_falls_only_where_the_word_is_ordinary() -> None:
    ordinary = {"ataxia", "gaba", "down", "diamond"}
    assert clean.lower_initial("Ataxia with oculomotor apraxia", ordinary) == "ataxia with oculomotor apraxia"
    for name in ("Rett syndrome", "GABA transaminase deficiency", "Diamond-Blackfan anemia", "Xia-Gibbs syndrome"):
        assert clean.lower_initial(name, ordinary) == name
    assert clean.lower_unless("Aplasia/Hypoplasia of the cerebellum", set()) == "aplasia/hypoplasia of the cerebellum"
    assert clean.lower_unless("Babinski sign", {"babinski"}) == "Babinski sign"
    assert "down" not in clean.ordinary_words(["down below"], frozenset({"down"}))


@pytest.mark.parametrize(
    ("symbol", "name", "shown"),
    [
        ("HTR1A", "5-HT1A receptor", True),
        ("DRD2", "dopamine D2 receptor", True),
        ("ADRA1A", "α1A adrenoceptor", True),
        ("GRM5", "mGluR5", True),
        ("ASIC2", "ASIC2 channel", True),
        ("SCN9A", "Nav1.7 channel", False),
        ("KCNMA1", "BK channel", False),
        ("SLC6A4", "serotonin transporter", False),
    ],
)
def test_symbol_of_a_protein_that_can_be_read_off_its_name(symbol: str, name: str, shown: bool) -> None:
    assert symbol_shows(symbol, [name]) is shown


def test_numbers_of_a_disease_series_are_no_leak_but_the_symbol_is() -> None:
    assert not symbol_shows("RARS2", ["pontocerebellar hypoplasia 6", "PCH6"], numbers=False)
    assert not symbol_shows("TREX1", ["Aicardi-Goutieres syndrome 1"], numbers=False)
    assert symbol_shows("SPG11", ["spastic paraplegia 11", "SPG11"], numbers=False)
    assert abbreviates("BTD", "biotinidase deficiency")
    assert not abbreviates("HEXA", "Tay-Sachs disease")
