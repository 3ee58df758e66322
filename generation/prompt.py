"""What a model is shown, and how its reply is read: one function builds it, one parser reads it.

SFT, rewards and evaluation all use these; the judge has prompts of its own. The tags are plain text, never
special tokens (TRL decodes without special tokens). Standard library only.

A reply:

    <think>
    ...
    </think>
    <explanation>
    ...
    </explanation>
    <answer>B</answer>
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

LETTERS = "ABCD"

SYSTEM_PROMPT = """\
You are a neuroscience expert. You are given a single-choice question with four options, exactly one of which is right.

Think step by step inside <think> and </think>: recall the facts that the question turns on, then go through the options \
in order and say of each whether it fits. After that, give a short justification inside <explanation> and \
</explanation>, and finally only the letter of your choice inside <answer> and </answer>, like this:

<think>
your reasoning
</think>
<explanation>
your justification
</explanation>
<answer>A</answer>"""


def user_turn(question: str, options: Sequence[str], think: bool = False) -> str:
    """The user's message: stem, `Options:`, one line an option.

    Args:
        options: four texts, in the order shown.
        think: append `/think`, for models that know it as a switch (Qwen3).
    """
    lines = [question, "Options:", *(f"{letter}. {text}" for letter, text in zip(LETTERS, options, strict=True))]
    return "\n".join([*lines, "/think"] if think else lines)


def reply(reasoning: str, explanation: str, answer: str) -> str:
    """A reply in the mission's format."""
    return f"<think>\n{reasoning}\n</think>\n<explanation>\n{explanation}\n</explanation>\n<answer>{answer}</answer>"


class Format(NamedTuple):
    """The five parts of the format reward, each 0.04."""

    one_think: bool
    one_explanation: bool
    one_answer: bool
    nothing_after: bool
    in_order: bool

    @property
    def valid(self) -> bool:
        return all(self)


class Reply(NamedTuple):
    """A parsed reply. `answer` is None unless exactly one letter stands in one <answer> after </think>."""

    thinking: str
    explanation: str
    answer: str | None
    format: Format


_BLOCKS = {name: re.compile(rf"<{name}>(.*?)</{name}>", re.DOTALL) for name in ("think", "explanation", "answer")}
_TAG = {name: (f"<{name}>", f"</{name}>") for name in _BLOCKS}
TAGS = tuple(tag for pair in _TAG.values() for tag in pair)
_LETTER = re.compile(r"\s*([A-D])\s*")


def parse_reply(text: str) -> Reply:
    """Read a completion. Never raises: whatever a model writes is a reply.

    A block counts as one when its opening and its closing tag each occur exactly once, in this order. An answer
    inside the thinking is part of the thinking: it makes the answer tags occur there, so there is no answer.
    """
    blocks = {name: _single(text, name) for name in _BLOCKS}
    think, explanation, answer = blocks["think"], blocks["explanation"], blocks["answer"]
    letter = _LETTER.fullmatch(answer.group(1)) if answer else None
    after_think = text.count("</think>") == 1 and answer is not None and answer.start() > text.index("</think>")
    in_order = bool(
        think and explanation and answer and think.end() <= explanation.start() and explanation.end() <= answer.start()
    )
    close = text.rfind("</answer>")
    form = Format(
        one_think=think is not None,
        one_explanation=explanation is not None,
        one_answer=letter is not None,
        nothing_after=close >= 0 and not text[close + len("</answer>") :].strip(),
        in_order=in_order,
    )
    return Reply(
        think.group(1).strip() if think else "",
        explanation.group(1).strip() if explanation else "",
        letter.group(1) if letter and after_think else None,
        form,
    )


def _single(text: str, name: str) -> re.Match[str] | None:
    opening, closing = _TAG[name]
    if text.count(opening) != 1 or text.count(closing) != 1:
        return None
    return _BLOCKS[name].search(text)
