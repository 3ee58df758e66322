"""Judges that follow a rule: the arithmetic of the stage is tested with them, never the quality of a model."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import NamedTuple

from generation.item import Item
from generation.judge.answer import Answer
from generation.judge.ask import Ask, Material
from generation.prompt import LETTERS
from kg.closure import Closure

Say = Callable[[Ask], str]


class World(NamedTuple):
    """A graph, items made from it, and what a judge is shown of them."""

    closure: Closure
    rows: list[Item]
    seen: list[Material]


class Scripted:
    """A backend whose answers a function gives. Counts what it was asked."""

    def __init__(self, say: Say) -> None:
        self.say = say
        self.asked: list[Ask] = []
        self.closed = False

    def answer(self, asks: Sequence[Ask], attempt: int) -> list[Answer]:
        self.asked += asks
        return [Answer(self.say(ask), "stop", 10, 1) for ask in asks]

    def close(self) -> None:
        self.closed = True


class Refuses(Scripted):
    """Fails on some items for a reason that is no reply."""

    def __init__(self, say: Say, fails: Callable[[Ask], str]) -> None:
        super().__init__(say)
        self.fails = fails

    def answer(self, asks, attempt):  # type: ignore[no-untyped-def]
        return [a._replace(failed=self.fails(ask)) for ask, a in zip(asks, super().answer(asks, attempt), strict=True)]


def flaws(*names: str) -> str:
    return json.dumps({"flaws": list(names)})


def letter(ask: Ask, place: int) -> str:
    """The letter under which the option stored at `place` is shown."""
    return LETTERS[(place - ask.shift) % 4]


def knows(keys: dict[str, int], faults: dict[str, str] | None = None) -> Say:
    """Right by construction: knows each item's key, and the planted fault of each faulty one."""
    faults = faults or {}

    def say(ask: Ask) -> str:
        fault = faults.get(ask.item_id, "good")
        if ask.kind == "form":
            named = {
                "stem names the answer": ("giveaway",),
                "reasoning of another item": ("reasoning",),
                "garbled stem": ("ungrammatical",),
            }
            return flaws(*named.get(fault, ()))
        if ask.kind == "option":
            return "yes" if fault == "second true option" else "no"
        wrong = ("wrong key", "key missing", "label orders the judge to accept")
        return "none" if fault in wrong and ask.kind == "open_book" else letter(ask, keys[ask.item_id])

    return say


def accepts(keys: dict[str, int]) -> Say:
    """Finds nothing wrong with anything."""
    return knows(keys)
