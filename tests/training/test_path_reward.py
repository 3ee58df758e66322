"""The statement-based path reward, clause by clause, and the red team's numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.schema import Schema
from training.path_reward import Item, score
from training.redteam import Redteam, cases
from training.rewards import Thinking, cut_by_words
from training.statements import Lexicon, Names, clauses, word

LEXICON = Lexicon.load(Schema.load())


def hop(head: str, predicate: str, tail: str, inverse: bool = False) -> dict[str, object]:
    return {"head_id": f"x:{head}", "head": head, "predicate": predicate, "tail_id": f"x:{tail}", "tail": tail, "inverse": inverse,
            "head_synonyms": [], "tail_synonyms": []}  # fmt: skip


TROCHLEAR = Item(
    (
        [
            hop("trochlear nerve", "innervates", "superior oblique muscle", True),
            hop("trochlear nerve", "exits_from", "dorsal midbrain"),
        ],
    ),
    ["lateral pons", "dorsal midbrain", "olive", "postolivary sulcus"],
    ["x:lateral pons", "x:dorsal midbrain", "x:olive", "x:postolivary sulcus"],
    "B",
    [["x:abducens-nerve"]],
)


def value(text: str, tokens: int | None = None) -> float:
    return score(TROCHLEAR, Thinking(text, len(text.split()) if tokens is None else tokens), LEXICON).value


def facts(text: str) -> tuple[float, ...]:
    return score(TROCHLEAR, cut_by_words(text), LEXICON).facts


FULL = "The trochlear nerve innervates the superior oblique muscle. It leaves the brainstem at the dorsal midbrain."

SAID = [
    ("The trochlear nerve innervates the superior oblique muscle.", 1.0),
    ("The superior oblique muscle is innervated by the trochlear nerve.", 1.0),
    ("The superior oblique is driven only by the trochlear nerve.", 1.0),
    ("The nerve of the superior oblique is the trochlear.", 1.0),
    ("The superior oblique, which the trochlear nerve supplies, turns the eye down.", 1.0),
    ("The trochlear nerve innervates the superior oblique, not the lateral rectus.", 1.0),
    ("The trochlear nerve and the superior oblique muscle.", 0.3),
    ("trochlear nerve superior oblique muscle", 0.0),
    ("The trochlear nerve drains into the superior oblique muscle.", 0.0),
    ("The superior oblique muscle innervates the trochlear nerve.", 0.0),
    ("The trochlear nerve does not innervate the superior oblique muscle.", 0.0),
    ("It is false that the trochlear nerve innervates the superior oblique muscle.", 0.0),
    ("The trochlear nerve innervates the superior oblique muscle. That is not true.", 0.0),
    ("Does the trochlear nerve innervate the superior oblique muscle?", 0.0),
    ("If the trochlear nerve innervates the superior oblique muscle, then fine.", 0.0),
    ("No trochlear nerve innervates the superior oblique muscle.", 0.0),
    (
        "The trochlear nerve innervates the superior oblique muscle. The trochlear nerve never innervates the superior oblique muscle.",
        0.0,
    ),
]


@pytest.mark.parametrize(("text", "first"), SAID)
def test_what_counts_as_stating_a_fact(text: str, first: float) -> None:
    assert facts(text)[0] == pytest.approx(first)


def test_a_pronoun_stands_for_an_end_of_the_clause_before() -> None:
    assert facts(FULL) == (1.0, 1.0)
    assert value(FULL) == 1.0


def test_a_missing_fact_costs_more_than_its_share() -> None:
    assert value("The trochlear nerve innervates the superior oblique muscle.") == pytest.approx(0.5 * 0.65)


def test_foils_asserted_in_place_of_an_end_divide_the_reward() -> None:
    assert value(FULL + " The abducens nerve innervates the superior oblique muscle.") == pytest.approx(1 / 2)
    assert value(FULL + " The trochlear nerve leaves the brainstem at the olive.") == pytest.approx(1 / 2)
    assert value(FULL + " The abducens nerve does not innervate the superior oblique muscle.") == 1.0


def test_verdicts_on_options_are_read() -> None:
    lines = "\nA. lateral pons: no.\nB. dorsal midbrain: yes.\nC. olive: does not fit.\nD. postolivary sulcus: wrong."
    assert value(FULL + lines) == 1.0
    assert value(FULL + lines.replace("no.", "yes.")) == pytest.approx(1 / 2)
    assert value(FULL + lines.replace("dorsal midbrain: yes", "dorsal midbrain: no")) == pytest.approx(1 / 2)


def test_repeating_and_length_do_not_pay() -> None:
    assert value(" ".join([FULL] * 10)) < 0.05
    assert value(FULL, 550) == 1.0
    assert value(FULL, 1025) == pytest.approx(0.5)
    assert value(FULL, 1500) == 0.0


def test_names_are_found_longest_first_and_short_forms_only_where_unambiguous() -> None:
    names = Names(
        {"n": ["facial nerve"], "c": ["facial nucleus"], "t": ["trigeminal nerve"], "s": ["spinal trigeminal tract"]}
    )
    (clause,) = clauses("The facial fibres of the trigeminal and the spinal trigeminal tract")
    assert [mention.entities for mention in names.find(clause.words)] == [{"t"}, {"s"}]


def test_greek_letters_and_plurals_do_not_hide_a_name() -> None:
    names = Names({"a": ["α-synuclein"], "p": ["Purkinje cell"]})
    (clause,) = clauses("alpha-Synuclein and Purkinje cells")
    assert [mention.entities for mention in names.find(clause.words)] == [{"a"}, {"p"}]


def test_names_with_commas_and_names_that_two_entities_share_are_found() -> None:
    names = Names({"d": ["night blindness, congenital stationary, 1I"], "p": ["vasopressin", "AVP"], "g": ["AVP"]})
    (clause,) = clauses("AVP is mutated in night blindness, congenital stationary, 1I, they say")
    assert [mention.entities for mention in names.find(clause.words)] == [{"p", "g"}, {"d"}]


def test_field_names_and_arrows_are_no_prose() -> None:
    assert clauses('{"head": "a", "predicate": "located_in"}') == []
    assert clauses("a -> located_in -> b") == []


def test_decimals_do_not_end_a_clause() -> None:
    assert len(clauses("Kv7.3 opens at 2.5 mV. Then it closes.")) == 2


def test_verb_endings_are_one() -> None:
    assert len({word(form).root for form in ("innervate", "innervates", "innervated", "innervating")}) == 1
    assert len({word(form).root for form in ("supply", "supplies", "supplied", "supplying")}) == 1


@given(st.text(alphabet="trochlea nervsupi obqu.;,?! \n", max_size=300))
def test_any_text_scores_between_0_and_1(text: str) -> None:
    assert 0 <= value(text) <= 1


# --- the red team ------------------------------------------------------------------------------------

TABLE = {line.name: line for line in Redteam.load(Schema.load()).table()}
ATTACKS = sorted(set(TABLE) - {"honest prose", "the data's reasoning"})


@pytest.mark.parametrize("name", ATTACKS)
def test_no_attack_gets_more_than_half_of_the_honest_score(name: str) -> None:
    assert TABLE[name].statements_share <= 0.5
    assert TABLE[name].statements_worst <= 0.5


def test_honest_prose_gets_most_of_the_reward() -> None:
    assert TABLE["honest prose"].mean.statements >= 0.8 * 0.8
    assert TABLE["the data's reasoning"].mean.statements >= 0.95 * 0.8


def test_word_f1_pays_lists_and_denials_more_than_honest_prose() -> None:
    """Why there are two path rewards: the mission's own is fooled by these, and says so here."""
    assert TABLE["honest prose"].mean.words == pytest.approx(0.351, abs=0.005)
    for name in ("entity list", "negated", "reversed", "path repeated 12 times"):
        assert TABLE[name].words_share > 1.5


def test_attacks_on_the_format_get_no_path_reward() -> None:
    for name in ("'A or B'", "several answer blocks", "answer inside think", "wrong answer, true path"):
        assert TABLE[name].mean.words == TABLE[name].mean.statements == 0
        assert TABLE[name].mean.correctness == -1


def test_every_item_has_two_honest_texts() -> None:
    assert len(cases()) == 12
    assert all(len(case.honest) == 2 for case in cases())
