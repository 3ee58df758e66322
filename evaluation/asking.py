"""What a model is asked: items in one or several orders of the options, one or several times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any, NamedTuple

from evaluation.config import Asking
from generation.prompt import LETTERS, SYSTEM_PROMPT, user_turn
from kg.paths import digest

Item = Mapping[str, Any]
_CYCLIC = [tuple((place + shift) % 4 for place in range(4)) for shift in range(4)]
ORDERS: tuple[tuple[int, ...], ...] = (*_CYCLIC, *(order for order in permutations(range(4)) if order not in _CYCLIC))
# the four cyclic rotations, the stored order first; then the other twenty orders


class Ask(NamedTuple):
    """One reply that is wanted. `options` and `answer` are as shown: option n is stored option ORDERS[rotation][n]."""

    item_id: str
    rotation: int
    sample: int
    question: str
    options: tuple[str, ...]
    answer: str

    @property
    def key(self) -> tuple[str, int, int]:
        return self.item_id, self.rotation, self.sample

    def messages(self, think_switch: bool) -> list[dict[str, str]]:
        """System and user turn."""
        user = user_turn(self.question, self.options, think_switch)
        return [{"role": "system", "content": SYSTEM_PROMPT}, {"role": "user", "content": user}]

    def draw(self, seed: int) -> int:
        """The seed of this reply (63 bits)."""
        return int(digest(str(seed), self.item_id, str(self.rotation), str(self.sample)), 16) >> 1


def shown(item: Item, rotation: int) -> tuple[tuple[str, ...], str]:
    """Options in the order of a rotation, and the letter of the key there."""
    order = ORDERS[rotation]
    return tuple(item["options"][place] for place in order), LETTERS[order.index(LETTERS.index(item["answer"]))]


def stored_letter(letter: str, rotation: int) -> str:
    """The stored letter of the option that was shown under `letter`."""
    return LETTERS[ORDERS[rotation][LETTERS.index(letter)]]


def chosen(items: Sequence[Item], limit: int | None) -> list[Item]:
    """The items to ask: all, or `limit` drawn by a hash of their id (a larger limit keeps those of a smaller)."""
    if limit is None or limit >= len(items):
        return list(items)
    drawn = sorted(range(len(items)), key=lambda place: digest("asked", items[place]["item_id"]))[:limit]
    return [items[place] for place in sorted(drawn)]


def asks(items: Sequence[Item], asking: Asking) -> Iterator[Ask]:
    """Every reply wanted: first all items in the stored order, then the next rotation, and so on."""
    for sample in range(asking.samples):
        for rotation in range(asking.rotations):
            for item in items:
                yield Ask(item["item_id"], rotation, sample, item["question"], *shown(item, rotation))
