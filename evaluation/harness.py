"""What an exported lm-evaluation-harness task calls: our user turn, our parser as a filter.

`python -m evaluation export lm-eval` writes a task folder that names these functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from generation.prompt import parse_reply, user_turn

NO_ANSWER = "none"


def doc_to_text(doc: Mapping[str, Any]) -> str:
    """The user's turn (the system prompt is the task's description)."""
    return user_turn(doc["question"], doc["options"])


def answers(replies: Iterable[Sequence[str]], _docs: Any) -> list[list[str]]:
    """Replies to letters; a reply without an answer becomes `none`."""
    return [[parse_reply(text).answer or NO_ANSWER for text in some] for some in replies]
