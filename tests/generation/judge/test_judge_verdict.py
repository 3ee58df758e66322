"""The rule from replies to a verdict, votes, agreement and shares."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_judges import Say, Scripted, flaws, knows, letter
from test_judge_ask import ITEM

from generation.judge.answer import ask_all
from generation.judge.ask import asks
from generation.judge.config import Asking
from generation.judge.figures import kappa, share
from generation.judge.verdict import Row, combined, decide, majority, raw

KEYS = {ITEM.item_id: ITEM.key}


def verdict(say: Say, asking: Asking | None = None) -> Row:
    asking = asking or Asking()
    asked = ask_all(Scripted(say), list(asks(ITEM, asking, 0)), asking.retries)
    return decide(ITEM, [one.reply for one in asked if one.reply], asking)


def test_a_judge_that_agrees_in_all_accepts() -> None:
    row = verdict(knows(KEYS))
    assert (row["verdict"], row["why"], row["stable"], row["own_answers"]) == ("accept", "", True, ["A", "A"])
    assert (row["passes"], row["samples"], row["pass_rate"]) == (4, 4, 1.0)


def test_another_open_book_answer_rejects_and_is_given_as_stored() -> None:
    row = verdict(lambda ask: letter(ask, 2) if ask.kind == "open_book" else knows(KEYS)(ask))
    assert (row["verdict"], row["why"], row["own_answers"]) == ("reject", "open book: C", ["C", "C"])


def test_another_right_option_rejects() -> None:
    row = verdict(lambda ask: "yes" if ask.place == 3 else knows(KEYS)(ask))
    assert (row["verdict"], row["why"], row["also_right"]) == ("reject", "also right: D", ["D"])


def test_unsure_rejects_nothing() -> None:
    assert verdict(lambda ask: "unsure" if ask.kind == "option" else knows(KEYS)(ask))["verdict"] == "accept"


def test_a_fatal_flaw_rejects_and_another_is_only_reported() -> None:
    fatal = verdict(lambda ask: flaws("giveaway") if ask.kind == "form" else knows(KEYS)(ask))
    mild = verdict(lambda ask: flaws("trivial") if ask.kind == "form" else knows(KEYS)(ask))
    assert (fatal["verdict"], fatal["why"]) == ("reject", "flaw: giveaway")
    assert (mild["verdict"], mild["flaws"]) == ("accept", ["trivial"])


def test_a_judge_that_always_says_a_does_not_survive_rotation() -> None:
    row = verdict(lambda ask: "A" if ask.kind in ("open_book", "closed_book") else knows(KEYS)(ask))
    assert (row["verdict"], row["stable"]) == ("abstain", False)
    assert row["why"].startswith("did not survive rotation")
    assert row["pass_rate"] == 0.25


@pytest.mark.parametrize("kind", ["open_book", "option", "form"])
def test_an_unreadable_reply_is_asked_again_and_then_abstains(kind: str) -> None:
    backend = Scripted(lambda ask: "I think that" if ask.kind == kind else knows(KEYS)(ask))
    asked = ask_all(backend, list(asks(ITEM, Asking(), 0)), 2)
    row = decide(ITEM, [one.reply for one in asked if one.reply], Asking())
    count = sum(ask.kind == kind for ask in asks(ITEM, Asking(), 0))
    assert sum(ask.kind == kind for ask in backend.asked) == 3 * count
    assert (row["verdict"], row["why"], row["stable"]) == ("abstain", f"unreadable: {kind}", None)


def test_each_retry_has_twice_the_budget() -> None:
    ask = next(asks(ITEM, Asking(), 0))
    assert [ask.budget(n) for n in range(3)] == [6, 12, 24]


def test_an_unreadable_closed_book_answer_costs_a_sample_and_nothing_else() -> None:
    row = verdict(lambda ask: "?" if ask.kind == "closed_book" and ask.sample == 0 else knows(KEYS)(ask))
    assert (row["verdict"], row["passes"], row["samples"]) == ("accept", 3, 3)


def test_raw_text_is_kept_with_its_attempts() -> None:
    asked = ask_all(Scripted(lambda ask: "zzz"), list(asks(ITEM, Asking(), 0)), 1)
    kept = raw("j", [one.reply for one in asked if one.reply])
    assert {(one["text"], one["attempts"], one["readable"]) for one in kept} == {("zzz", 2, False)}


def test_judges_vote_and_a_tie_abstains() -> None:
    assert majority(["accept", "accept", "reject"]) == "accept"
    assert majority(["accept", "reject"]) == "abstain"
    assert majority([]) == "abstain"


def test_one_row_of_two_judges_adds_up_what_both_said() -> None:
    meta = {
        "judge": "a",
        "model": "m",
        "backend": "engine",
        "dtype": "float32",
        "prompt_hash": "p",
        "sampling": "s",
        "key": "k",
        "raw": [],
    }
    one = {**verdict(knows(KEYS)), **meta}
    two = {**verdict(lambda ask: "yes" if ask.place == 1 else knows(KEYS)(ask)), **meta, "judge": "b"}
    row = combined([one, two])
    assert (row["verdict"], row["judge"], row["samples"], row["also_right"]) == ("abstain", "a + b", 8, ["B"])
    assert row["votes"] == [{"judge": "a", "verdict": "accept"}, {"judge": "b", "verdict": "reject"}]


def test_wilson_intervals_agree_with_published_values() -> None:
    """Newcombe 1998, table I, method 3."""
    for hits, trials, low, high in (
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ):
        found = share(hits, trials)
        assert found.low == pytest.approx(low, abs=5e-5)
        assert found.high == pytest.approx(high, abs=5e-5)


@given(st.lists(st.tuples(st.sampled_from("arb"), st.sampled_from("arb")), min_size=1))
def test_kappa_is_symmetric_and_at_most_one(pairs: list[tuple[str, str]]) -> None:
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    there, back = kappa(first, second), kappa(second, first)
    assert (there is None) == (back is None)
    if there is not None and back is not None:
        assert math.isclose(there, back)
        assert there <= 1 + 1e-12


def test_kappa_of_one_word_is_undefined() -> None:
    assert kappa(["accept"] * 3, ["accept"] * 3) is None
    assert kappa([], []) is None


def test_a_share_of_nothing_is_no_number() -> None:
    assert str(share(0, 0)) == "-"
