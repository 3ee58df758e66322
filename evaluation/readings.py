"""The replies worth reading: where a score hides what happened."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from evaluation.asking import Item
from evaluation.scores import Answered, Read
from kg.paths import digest

EACH = 5  # replies of each kind


class Reading(NamedTuple):
    """A reply to read: whose it is, and the reply before it where a change is shown."""

    model: str
    item: Item
    read: Read
    before: tuple[str, Read] | None = None


class Kind(NamedTuple):
    """A kind of reply: how many there are in all, and the few that are shown."""

    title: str
    note: str
    found: int
    shown: list[Reading]


def readings(models: Mapping[str, Sequence[Answered]], each: int = EACH) -> list[Kind]:
    """Kinds of replies from the last model, and what changed from the model before it.

    Args:
        models: name -> answered items, the same items in the same order, earlier stages first.
        each: shown of each kind, drawn by hash.
    """
    if not models:
        return []
    *_, last = models
    kinds = [
        _kind(f"Right for the wrong reason ({last})", "The answer is right; no fact of its path is stated in the thinking.",
              _alone(last, models[last], lambda read: bool(read.row["correct"]) and max(read.stated.facts) <= 0), each),
        _kind(f"Wrong with the right path ({last})", "Every fact of the path is stated in the thinking; the answer is wrong or missing.",
              _alone(last, models[last], lambda read: not read.row["correct"] and min(read.stated.facts) >= 1), each),
    ]  # fmt: skip
    if len(models) > 1:
        first = list(models)[-2]
        pairs = list(zip(models[first], models[last], strict=True))
        fixed = _changed(first, last, pairs, right=True)
        broken = _changed(first, last, pairs, right=False)
        kinds.append(_kind(f"{last} fixed", f"{first} was wrong, {last} is right.", fixed, each))
        kinds.append(_kind(f"{last} broke", f"{first} was right, {last} is wrong.", broken, each))
    return kinds


def _kind(title: str, note: str, found: Iterable[Reading], each: int) -> Kind:
    rows = sorted(found, key=lambda one: digest("reading", one.item["item_id"]))
    return Kind(title, note, len(rows), rows[:each])


def _alone(model: str, answered: Sequence[Answered], wanted: Callable[[Read], bool]) -> list[Reading]:
    return [Reading(model, one.item, one.replies[0]) for one in answered if wanted(one.replies[0])]


def _changed(first: str, last: str, pairs: Sequence[tuple[Answered, Answered]], right: bool) -> list[Reading]:
    """Items whose first reply became right (or wrong)."""
    return [
        Reading(last, after.item, after.replies[0], (first, before.replies[0]))
        for before, after in pairs
        if bool(after.replies[0].row["correct"]) is right and bool(before.replies[0].row["correct"]) is not right
    ]


def marked(text: str, words: frozenset[str]) -> list[tuple[str, bool]]:
    """A text in pieces, each with whether it is a word of the path."""
    from generation.words import content_words

    pieces: list[tuple[str, bool]] = []
    for token in _tokens(text):
        hit = bool(content_words(token) & words)
        if pieces and pieces[-1][1] == hit:
            pieces[-1] = (pieces[-1][0] + token, hit)
        else:
            pieces.append((token, hit))
    return pieces


def _tokens(text: str) -> list[str]:
    import re

    return re.findall(r"[^\W_]+(?:['’][^\W_]+)?|[\W_]+", text)
