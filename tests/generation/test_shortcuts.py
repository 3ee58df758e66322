"""The shortcut battery: finds each planted shortcut, and stays at chance where there is none."""

from __future__ import annotations

import numpy as np
import pytest

from generation import choices, shortcuts
from generation.choices import choices_only, choices_only_within
from kg.errors import InputError
from tests.option_rows import fair, row


def test_ties_share_the_credit_evenly():
    item = row(0, ["e:aa", "e:bb", "e:c", "e:d"], key=0)
    assert shortcuts.longest([item]).accuracy == 0.5
    assert shortcuts.shortest([item]).accuracy == 0.0
    assert shortcuts.random_choice([item]).accuracy == 0.25


def test_longest_finds_long_keys():
    items = [row(n, ["e:a", "e:b", "e:c", "e:much longer"], key=3) for n in range(3)]
    assert shortcuts.longest(items).credit.tolist() == [1.0, 1.0, 1.0]


def test_most_common_answer_counts_keys_of_training():
    train = [row(n, ["e:a", "e:b", "e:c", "e:d"], key=1) for n in range(3)]
    test = [row(9, ["e:x", "e:b", "e:y", "e:z"], key=1), row(8, ["e:x", "e:w", "e:y", "e:z"], key=1)]
    guess = shortcuts.prevalence(train, test)
    assert guess.credit.tolist() == [1.0, 0.25]
    assert guess.told == 0.5


def test_best_letter_and_letter_balance():
    items = [row(n, ["e:a", "e:b", "e:c", "e:d"], key=int(n % 4 == 3)) for n in range(8)]
    assert shortcuts.best_letter(items, items).accuracy == 0.75
    balance = shortcuts.letters(items)
    assert balance.shares == {"A": 0.75, "B": 0.25, "C": 0.0, "D": 0.0}
    assert balance.farthest == 0.5


def test_stem_source_only_prefers_the_same_source_and_falls_back_to_the_metapath():
    train = [
        row(0, ["e:a", "e:b", "e:c", "e:d"], key=0, source_id="s:1", metapath="p > r"),
        *[row(n, ["e:a", "e:b", "e:c", "e:d"], key=2, source_id="s:2", metapath="p > r") for n in (1, 2)],
    ]
    same_source = row(5, ["e:a", "e:b", "e:c", "e:d"], key=0, source_id="s:1", metapath="q > r")
    unknown_source = row(6, ["e:a", "e:b", "e:c", "e:d"], key=2, source_id="s:9", metapath="p > r")
    assert shortcuts.stem_source_only(train, [same_source, unknown_source]).credit.tolist() == [1.0, 1.0]


def test_nearest_item_gives_the_key_of_the_most_similar_stem_that_is_an_option():
    train = [
        row(0, ["e:a", "e:b", "e:c", "e:d"], key=0, question="Which drug blocks the alpha receptor?"),
        row(1, ["e:a", "e:b", "e:c", "e:d"], key=1, question="Which muscle turns the eye outwards?"),
    ]
    test = [
        row(2, ["e:b", "e:x", "e:a", "e:y"], key=2, question="Which drug blocks the alpha receptors here?"),
        row(3, ["e:x", "e:y", "e:z", "e:w"], key=2, question="Which muscle turns the eye?"),
    ]
    guess = shortcuts.nearest_item(train, test)
    assert guess.credit.tolist() == [1.0, 0.25]
    assert guess.told == 0.5


def test_neighbours_are_the_same_in_one_chunk_and_in_many(monkeypatch):
    train, test = fair(40, 1), fair(30, 2)
    whole = shortcuts.neighbours(train, test, most=1)
    monkeypatch.setattr(shortcuts, "_CHUNK", 7)
    assert (shortcuts.neighbours(train, test, most=1) == whole).all()


def test_degrees_count_each_fact_once():
    path = [{"edge_id": "1", "head_id": "e:a", "tail_id": "e:b"}]
    items = [row(n, ["e:a", "e:b", "e:c", "e:d"], key=0, path=path) for n in range(3)]
    assert shortcuts.degrees(items) == {"e:a": 1, "e:b": 1}
    assert shortcuts.most_connected(items, {"e:a": 5}).accuracy == 1.0


def test_every_attack_is_at_chance_on_fair_items():
    for guess in shortcuts.battery(fair(1500, 1), fair(1500, 2)):
        standard_error = np.sqrt(0.1875 / 1500)
        assert abs(guess.accuracy - 0.25) < 4 * standard_error, guess.name


def _told_by(planted, count=800, seed=0):
    """Items of which `planted` names the entity that is always right when shown."""
    rng = np.random.default_rng(seed)
    rows = []
    for number, item in enumerate(fair(count, seed)):
        place = int(rng.integers(4))
        ids = [*item["option_ids"]]
        ids[place] = planted[number % len(planted)]
        rows.append(row(number, ids, place))
    return rows


def test_both_classifiers_find_entities_that_are_always_right():
    planted = [f"e:always {n}" for n in range(8)]
    for guess in choices_only(_told_by(planted, seed=1), _told_by(planted, seed=2)):
        assert guess.accuracy > 0.9, guess.name


def test_the_boosted_classifier_finds_long_keys_of_unseen_entities():
    def items(seed):
        ids = [item["option_ids"] for item in fair(600, seed)]
        return [row(n, four, int(np.argmax([len(one) for one in four]))) for n, four in enumerate(ids)]

    boosted = choices_only(items(1), items(2))[1]
    assert boosted.name == choices.NAMES[1]
    assert boosted.accuracy > 0.85


def test_cross_validation_finds_a_shortcut_and_none_where_there_is_none():
    planted = [f"e:always {n}" for n in range(8)]
    assert all(guess.accuracy > 0.9 for guess in choices_only_within(_told_by(planted)))
    assert all(abs(guess.accuracy - 0.25) < 0.06 for guess in choices_only_within(fair(800, 3)))


def test_classifiers_guess_when_there_is_nothing_to_learn_from():
    for guess in [*choices_only([], fair(5, 1)), *choices_only_within(fair(5, 1))]:
        assert guess.accuracy == 0.25
        assert guess.told == 0.0


def test_the_classifiers_give_the_same_with_the_same_seed():
    train, test = fair(200, 1), fair(100, 2)
    first, again = choices_only(train, test, 3), choices_only(train, test, 3)
    assert all((a.credit == b.credit).all() for a, b in zip(first, again, strict=True))


def test_key_rates_count_shown_and_right():
    items = [row(n, ["e:a", "e:b", "e:c", "e:d"], key=0) for n in range(20)]
    rates = shortcuts.key_rates(items)
    assert rates[0] == ("e:a", 20, 20)
    assert shortcuts.key_rates(items, least=21) == []


def test_length_ratio():
    assert shortcuts.length_ratio([row(0, ["e:aaaa", "e:bb", "e:bb", "e:bb"], key=0)]) == 2.0


@pytest.mark.parametrize("answer", ["E", "", None, "AB"])
def test_an_answer_that_is_no_letter_is_named(answer):
    with pytest.raises(InputError, match="item0: answer is"):
        shortcuts.key_place(row(0, ["e:a", "e:b", "e:c", "e:d"], key=0, answer=answer))
