"""The three rewards against values worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generation.prompt import parse_reply, reply
from kg.errors import InputError
from kg.schema import Schema
from training.rewards import (
    alignment,
    correctness,
    correctness_reward,
    cut_by_words,
    format_reward,
    gate,
    length_penalty,
    path_words,
    path_words_reward,
    phrases_of,
    valid_format_reward,
    word_f1,
)

PHRASES = {
    "projects_to": "projects to",
    "inhibits": "inhibits",
    "encoded_by": "is encoded by",
    "located_in": "is found in",
}
GOOD = reply("Some thought.", "Some reason.", "B")


def hop(head: str, predicate: str, tail: str) -> dict[str, object]:
    return {"head": head, "predicate": predicate, "tail": tail, "inverse": False, "head_id": head, "tail_id": tail}


# Completion tokens and penalty: 0 up to 550, (n - 550) / 950 between, 1 from 1,500.
LENGTHS = [
    (0, 0.0), (1, 0.0), (549, 0.0), (550, 0.0), (551, 1 / 950), (645, 0.1), (740, 0.2), (1025, 0.5), (1310, 0.8),
    (1499, 949 / 950), (1500, 1.0), (1501, 1.0), (9999, 1.0),
]  # fmt: skip


@pytest.mark.parametrize(("tokens", "penalty"), LENGTHS)
def test_length_penalty_by_hand(tokens: int, penalty: float) -> None:
    assert length_penalty(tokens) == pytest.approx(penalty)


# Reply text, key, tokens, correctness.
CORRECT = [
    (GOOD, "B", 100, 1.0),
    (GOOD, "A", 100, -1.0),
    (GOOD, "B", 550, 1.0),
    (GOOD, "B", 551, 1 - 1 / 950),
    (GOOD, "B", 1025, 0.5),
    (GOOD, "B", 1499, 1 - 949 / 950),
    (GOOD, "B", 1500, 0.0),
    (GOOD, "B", 9999, 0.0),
    (GOOD, "C", 1025, -1.5),
    (GOOD, "C", 1500, -2.0),
    ("", "B", 1, -1.0),
    ("B", "B", 1, -1.0),
    ("<answer>B</answer>", "B", 5, -1.0),  # nothing closes the thinking, so there is no answer after it
    ("<think>x</think><answer>B</answer>", "B", 9, 1.0),  # right, though the explanation is missing
    ("<think>x</think><answer> B </answer>", "B", 9, 1.0),
    ("<think>x</think><answer>b</answer>", "B", 9, -1.0),
    ("<think>x</think><answer>B.</answer>", "B", 9, -1.0),
    ("<think>x</think><answer>A or B</answer>", "B", 9, -1.0),
    ("<think>x</think><answer>AB</answer>", "B", 9, -1.0),
    ("<think>x</think><answer>E</answer>", "B", 9, -1.0),
    ("<think>x</think><answer></answer>", "B", 9, -1.0),
    ("<think>x</think><answer>B</answer><answer>B</answer>", "B", 9, -1.0),
    ("<think>x <answer>B</answer></think>", "B", 9, -1.0),
    ("<think>x <answer>B</answer></think><answer>B</answer>", "B", 9, -1.0),
    ("<think>x</think><think>y</think><answer>B</answer>", "B", 9, -1.0),  # two ends of thinking: after which one?
]


@pytest.mark.parametrize(("text", "key", "tokens", "value"), CORRECT)
def test_correctness_by_hand(text: str, key: str, tokens: int, value: float) -> None:
    assert correctness(parse_reply(text), key, tokens) == pytest.approx(value)


T, E, A = "<think>\nx\n</think>\n", "<explanation>\ny\n</explanation>\n", "<answer>C</answer>"
# Reply text and format reward: one think, one explanation, one answer of one letter, nothing after, in order.
FORMATS = [
    (T + E + A, 0.20),
    (T + E + A + "\n \n", 0.20),
    ("Well. " + T + E + A, 0.20),  # words before the first block break none of the five
    (T + E + A + " So C.", 0.16),
    (E + A, 0.12),
    (T + A, 0.12),
    (T + E, 0.08),
    (T, 0.04),
    (A, 0.08),
    ("", 0.0),
    ("C", 0.0),
    (E + T + A, 0.16),
    (T + A + E, 0.12),
    (T + T + E + A, 0.12),
    (T + E + E + A, 0.12),
    (T + E + A + A, 0.12),
    (T + E + "<answer>A or C</answer>", 0.16),
    (T + E + "<answer>c</answer>", 0.16),
    (T + E + "<answer>C", 0.08),
    ("<think>x " + E + A, 0.12),
    ("<THINK>x</THINK>" + E + A, 0.12),
]


@pytest.mark.parametrize(("text", "value"), FORMATS)
def test_format_by_hand(text: str, value: float) -> None:
    assert format_reward(parse_reply(text)) == pytest.approx(value)


NRT = hop(
    "thalamic reticular nucleus", "inhibits", "relay neuron"
)  # 6 words: thalamic reticular nucleus inhibit relay neuron
SNCA = hop("α-synuclein", "encoded_by", "SNCA")  # 4 words: alpha synuclein encoded snca
# Path, thinking, F1 = 2 common / (expected + found).
ALIGNED = [
    ([NRT], "The thalamic reticular nucleus inhibits the relay neuron.", 1.0),
    ([NRT], "thalamic reticular nuclei", 2 * 2 / (6 + 3)),
    ([NRT], "Relay neurons, inhibited?", 2 * 2 / (6 + 3)),  # plural s goes, `inhibited` stays another word
    ([NRT], "Relay neurons inhibit", 2 * 3 / (6 + 3)),
    ([NRT], "the of and is", 0.0),
    ([NRT], "", 0.0),
    ([NRT], "basal ganglia", 0.0),
    ([NRT], "relay relay relay", 2 * 1 / (6 + 1)),
    ([SNCA], "alpha-synuclein is encoded by SNCA", 1.0),
    ([SNCA], "α-Synuclein is encoded by snca.", 1.0),
    ([SNCA], "synuclein", 2 * 1 / (4 + 1)),
    ([SNCA], "beta synuclein encoded SNCA", 2 * 3 / (4 + 4)),
    (
        [SNCA],
        "head predicate tail encoded_by inverse",
        0.0 if False else 2 * 1 / (4 + 5),
    ),  # `encoded` alone is a word of the path
    ([NRT, hop("relay neuron", "projects_to", "cortex")], "relay neuron projects to cortex", 2 * 4 / (8 + 4)),
    ([hop("Purkinje cells", "located_in", "cortices")], "Purkinje cell found in cortices", 1.0),
]


@pytest.mark.parametrize(("path", "thinking", "value"), ALIGNED)
def test_alignment_by_hand(path: list[dict[str, object]], thinking: str, value: float) -> None:
    assert alignment(path, cut_by_words(thinking), PHRASES) == pytest.approx(value)


def test_there_are_sixty_cases_or_more() -> None:
    assert len(LENGTHS) + len(CORRECT) + len(FORMATS) + len(ALIGNED) >= 60


def test_only_the_first_550_tokens_of_the_thinking_are_read() -> None:
    late = "filler " * 550 + "thalamic reticular nucleus inhibits relay neuron"
    assert alignment([NRT], cut_by_words(late), PHRASES) == 0
    just = "filler " * 544 + "thalamic reticular nucleus inhibits relay neuron"
    assert alignment([NRT], cut_by_words(just), PHRASES) == pytest.approx(2 * 6 / (6 + 7))


# Gates: 0.8 x F1 only for a right answer in a valid format.
FULL = "The thalamic reticular nucleus inhibits the relay neuron."
GATED = [
    (reply(FULL, "e", "B"), 0.8),
    (reply(FULL, "e", "A"), 0.0),
    (reply(FULL, "e", "B") + " done", 0.0),
    (f"<think>{FULL}</think><answer>B</answer>", 0.0),
    (reply("relay", "e", "B"), 0.8 * 2 / 7),
    (reply("", FULL, "B"), 0.0),  # the explanation is not read
]


@pytest.mark.parametrize(("text", "value"), GATED)
def test_path_reward_behind_its_gates(text: str, value: float) -> None:
    reward = path_words_reward(PHRASES, cut_by_words)
    assert reward(completions=[text], completion_ids=[[0] * 40], answer=["B"], path=[[NRT]]) == pytest.approx([value])


def test_rewards_take_messages_and_ignore_other_columns() -> None:
    batch = {"completions": [[{"role": "assistant", "content": GOOD}], [{"role": "assistant", "content": "no"}]], "completion_ids": [[1] * 1025, [1]],
             "answer": ["B", "B"], "path": [[NRT], [NRT]], "prompts": ["p", "p"], "topic": ["x", "y"]}  # fmt: skip
    assert correctness_reward()(**batch) == pytest.approx([0.5, -1.0])
    assert valid_format_reward()(**batch) == pytest.approx([0.2, 0.0])


def test_alignment_is_logged_without_the_gate() -> None:
    logged: dict[str, float] = {}
    reward = path_words_reward(PHRASES, cut_by_words)
    reward(
        completions=[reply(FULL, "e", "A")],
        completion_ids=[[0]],
        answer=["B"],
        path=[[NRT]],
        log_metric=logged.__setitem__,
    )
    assert logged == {"path_f1/ungated": pytest.approx(1.0)}


def test_field_names_are_no_words_of_a_path() -> None:
    words = path_words([{**NRT, "edge_id": "e1", "layer": "core", "source": "x", "qualifier": None}], PHRASES)
    assert words == {"thalamic", "reticular", "nucleus", "inhibit", "relay", "neuron"}


def test_an_unknown_predicate_is_named() -> None:
    with pytest.raises(InputError, match=r"'inhibit'.*did you mean 'inhibits'"):
        alignment([hop("a", "inhibit", "b")], cut_by_words("x"), PHRASES)


def test_every_predicate_of_the_schema_has_a_phrase() -> None:
    schema = Schema.load()
    assert set(phrases_of(schema)) == set(schema.predicates)


@given(st.text(), st.integers(0, 3000))
def test_rewards_stay_in_their_bounds_whatever_is_written(text: str, tokens: int) -> None:
    parsed = parse_reply(text)
    assert -2 <= correctness(parsed, "A", tokens) <= 1
    assert 0 <= format_reward(parsed) <= 0.2
    assert 0 <= alignment([NRT], cut_by_words(text), PHRASES) <= 1
    assert not gate(parsed, "A") or parsed.answer == "A"


@given(st.frozensets(st.text(min_size=1)), st.frozensets(st.text(min_size=1)))
def test_f1_is_symmetric_and_one_only_for_equal_sets(a: frozenset[str], b: frozenset[str]) -> None:
    assert word_f1(a, b) == word_f1(b, a)
    assert (word_f1(a, b) == 1) == (a == b and bool(a))
