"""What a model is shown and how its reply is read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generation.prompt import LETTERS, SYSTEM_PROMPT, Reply, parse_reply, reply, user_turn

GOLD = """\
<think>
recall
</think>
<explanation>
because
</explanation>
<answer>B</answer>"""
TURN = """\
Which nerve innervates the superior oblique muscle?
Options:
A. trochlear nerve
B. abducens nerve
C. facial nerve
D. optic nerve"""
OPTIONS = ["trochlear nerve", "abducens nerve", "facial nerve", "optic nerve"]
QUESTION = "Which nerve innervates the superior oblique muscle?"
TAGS = ["<think>", "</think>", "<explanation>", "</explanation>", "<answer>", "</answer>"]

pieces = st.lists(
    st.sampled_from([*TAGS, "A", "B", " ", "\n", "or", "</answer", "<", "answer>", "Ω"]), max_size=16
).map("".join)
plain = st.text(alphabet=st.characters(exclude_characters="<>", exclude_categories=["Cs"]))


# --- what is shown ---------------------------------------------------------------------------------------------


def test_user_turn() -> None:
    assert user_turn(QUESTION, OPTIONS) == TURN
    assert user_turn(QUESTION, OPTIONS, think=True) == TURN + "\n/think"


@pytest.mark.parametrize("number", [0, 3, 5])
def test_user_turn_takes_four_options(number: int) -> None:
    with pytest.raises(ValueError, match="zip"):
        user_turn(QUESTION, ["x"] * number)


def test_labels_are_not_rendered() -> None:
    assert "{{ 7*7 }}" in user_turn("{{ 7*7 }}?", ["{% x %}", "b", "c", "</think>"])


def test_system_prompt_shows_a_reply_of_valid_format() -> None:
    example = SYSTEM_PROMPT[SYSTEM_PROMPT.index("<think>\n") :]
    assert parse_reply(example) == Reply("your reasoning", "your justification", "A", parse_reply(GOLD).format)


def test_reply_is_in_the_mission_s_format() -> None:
    assert reply("recall", "because", "B") == GOLD


# --- how a reply is read ---------------------------------------------------------------------------------------


def test_a_good_reply() -> None:
    read = parse_reply(GOLD)
    assert (read.thinking, read.explanation, read.answer) == ("recall", "because", "B")
    assert read.format.valid
    assert read.format == (True, True, True, True, True)


@pytest.mark.parametrize(
    ("text", "answer", "broken"),
    [
        (GOLD + "\n \t\n", "B", ()),
        ("Sure!\n" + GOLD, "B", ()),
        (GOLD.replace("B</answer>", " B\n</answer>"), "B", ()),
        (GOLD + " done", "B", ("nothing_after",)),
        (GOLD.replace(">B<", ">A or B<"), None, ("one_answer",)),
        (GOLD.replace(">B<", ">AB<"), None, ("one_answer",)),
        (GOLD.replace(">B<", ">b<"), None, ("one_answer",)),
        (GOLD.replace(">B<", ">E<"), None, ("one_answer",)),
        (GOLD.replace(">B<", "><"), None, ("one_answer",)),
        (GOLD.replace(">B<", ">B.<"), None, ("one_answer",)),
        (GOLD + GOLD, None, ("one_think", "one_explanation", "one_answer", "in_order")),
        (GOLD + "<answer>B</answer>", None, ("one_answer", "in_order")),
        (GOLD.replace("recall", "maybe <answer>A</answer>"), None, ("one_answer", "in_order")),
        (GOLD.replace("<think>\n", ""), "B", ("one_think", "in_order")),
        (GOLD.replace("</think>\n", ""), None, ("one_think", "in_order")),
        (GOLD.replace("<explanation>\nbecause\n</explanation>\n", ""), "B", ("one_explanation", "in_order")),
        (GOLD.replace("<answer>B</answer>", ""), None, ("one_answer", "nothing_after", "in_order")),
        ("<answer>B</answer>\n" + GOLD.replace("<answer>B</answer>", ""), None, ("nothing_after", "in_order")),
        ("<explanation>x</explanation><think>y</think><answer>B</answer>", "B", ("in_order",)),
        ("<think><explanation>x</explanation></think><answer>B</answer>", "B", ("in_order",)),
        ("", None, ("one_think", "one_explanation", "one_answer", "nothing_after", "in_order")),
        ("B", None, ("one_think", "one_explanation", "one_answer", "nothing_after", "in_order")),
        ("</answer>B<answer>", None, ("one_think", "one_explanation", "one_answer", "nothing_after", "in_order")),
        (GOLD.replace("answer>", "ANSWER>"), None, ("one_answer", "nothing_after", "in_order")),
    ],
)  # fmt: skip
def test_replies(text: str, answer: str | None, broken: tuple[str, ...]) -> None:
    read = parse_reply(text)
    assert read.answer == answer
    assert tuple(name for name, kept in read.format._asdict().items() if not kept) == broken


@given(plain, plain, st.sampled_from(LETTERS))
def test_what_is_built_is_read_back(thinking: str, explanation: str, letter: str) -> None:
    read = parse_reply(reply(thinking, explanation, letter))
    assert (read.thinking, read.explanation, read.answer) == (thinking.strip(), explanation.strip(), letter)
    assert read.format.valid


@given(st.one_of(pieces, st.text()))
def test_whatever_a_model_writes_is_a_reply(text: str) -> None:
    """Never an error; an answer only where the contract sees one; white space at the end changes nothing."""
    read = parse_reply(text)
    if read.answer is not None:
        assert read.answer in LETTERS
        assert text.count("<answer>") == text.count("</answer>") == text.count("</think>") == 1
        assert text[text.index("<answer>") + 8 : text.index("</answer>")].strip() == read.answer
        assert text.index("</think>") < text.index("<answer>")
    if read.format.valid:
        assert read.answer is not None
        assert all(text.count(tag) == 1 for tag in TAGS)
        assert [text.index(tag) for tag in TAGS] == sorted(text.index(tag) for tag in TAGS)
        assert text.rstrip().endswith("</answer>")
    assert parse_reply(text + " \n") == read


@given(pieces)
def test_a_second_answer_takes_the_answer_away(text: str) -> None:
    assert parse_reply(text + "<answer>A</answer><answer>A</answer>").answer is None
