"""What a backend gives, and the one interface that engine, server and Ray share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from generation.judge.ask import Ask, read
from generation.judge.verdict import Reply

DOES_NOT_FIT = "does not fit"  # the context is too short for the item: asking again does not help


class Answer(NamedTuple):
    """One reply as it came.

    finish: why it ended (`stop`, `length`). failed: why there is no reply (`does not fit`, `timed out`), else empty: the
    item is then not judged in this run, which is reported and is no verdict.
    """

    text: str = ""
    finish: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    failed: str = ""


class Backend(Protocol):
    """Something that answers."""

    def answer(self, asks: Sequence[Ask], attempt: int) -> list[Answer]:
        """Answers in the order of the asks.

        Args:
            attempt: 0 at first; each further one has twice the budget (`Ask.budget`).

        Raises:
            InputError: no such model, no such server, a wrong key.
            ShortfallError: the server was lost for longer than its patience.
        """
        ...

    def close(self) -> None:
        """Give back what it holds."""
        ...


class Asked(NamedTuple):
    """A reply, or why there is none."""

    reply: Reply | None
    failed: str


def ask_all(backend: Backend, asks: Sequence[Ask], retries: int) -> list[Asked]:
    """Ask everything; ask unreadable replies again, `retries` times, each with twice the budget."""
    done: dict[int, Asked] = {}
    spent = [(0, 0)] * len(asks)
    todo = list(range(len(asks)))
    for attempt in range(retries + 1):
        answers = backend.answer([asks[place] for place in todo], attempt)
        unread = []
        for place, answer in zip(todo, answers, strict=True):
            ask, (before_in, before_out) = asks[place], spent[place]
            spent[place] = used = (before_in + answer.tokens_in, before_out + answer.tokens_out)
            value = None if answer.failed else read(ask, answer.text)
            reply = Reply(ask, value, answer.text, answer.finish, attempt + 1, *used)
            done[place] = Asked(None, answer.failed) if answer.failed else Asked(reply, "")
            if value is None and not answer.failed:
                unread.append(place)
        todo = unread
        if not todo:
            break
    return [done[place] for place in range(len(asks))]
