"""The shortcut battery: 25 % on fair items, high where a tell is planted."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from generation import shortcuts
from generation.item import Item
from generation.prompt import LETTERS
from tests.hand_items import hop, item

NAMES = [f"name{n:03}" for n in range(40)]


def fair(draw: random.Random, **changes: Any) -> Item:
    """An item whose four options and key are drawn without rhyme or reason."""
    options = draw.sample(NAMES, 4)
    place = draw.randrange(4)
    source, bridge = f"source{draw.randrange(500)}", f"bridge{draw.randrange(500)}"
    proofs = ["key" if n == place else "absent" for n in range(4)]
    row = item(
        options=options,
        option_ids=[f"core:{name}" for name in options],
        option_proofs=proofs,
        answer=LETTERS[place],
        target=options[place],
        target_id=f"core:{options[place]}",
        source_id=source,
        metapath=f"m{draw.randrange(50)}",
        question=f"What does {source} do to {bridge}?",
        path=[hop("1", source, "innervates", bridge), hop("2", bridge, "innervates", draw.choice(NAMES))],
    )
    return {**row, **changes}


def key_is_always_first_of_the_alphabet(row: Item) -> Item:
    place = min(range(4), key=lambda n: row["options"][n])
    proofs = ["key" if n == place else "absent" for n in range(4)]
    return {
        **row,
        "option_proofs": proofs,
        "answer": LETTERS[place],
        "target_id": row["option_ids"][place],
        "target": row["options"][place],
    }


def rows(number: int, seed: int, change: Callable[[Item], Item] = lambda row: row) -> list[Item]:
    draw = random.Random(seed)
    return [change(fair(draw)) for _ in range(number)]


@pytest.mark.parametrize("name", ["choices_only", "stem_source_only", "most_prevalent", "nearest_item"])
def test_fair_items_give_chance(name: str) -> None:
    found = shortcuts.battery(rows(800, 1), rows(400, 2))[name]
    assert 0.17 < found < 0.33


def test_choices_only_finds_a_tell_in_the_options() -> None:
    train, test = rows(800, 1, key_is_always_first_of_the_alphabet), rows(300, 2, key_is_always_first_of_the_alphabet)
    assert shortcuts.choices_only(train, test) > 0.6


def test_stem_source_only_finds_what_a_source_always_answers() -> None:
    train = rows(300, 1, lambda row: {**row, "source_id": row["target_id"]})
    test = rows(200, 2, lambda row: {**row, "source_id": row["target_id"]})
    assert shortcuts.stem_source_only(train, test) > 0.95


def test_most_prevalent_finds_what_stands_in_most_paths() -> None:
    train = rows(300, 1, lambda row: {**row, "path": [hop("1", "name000", "innervates", "x")]})
    test = rows(
        300,
        2,
        lambda row: (
            row if "name000" not in row["options"] else {**row, "answer": LETTERS[row["options"].index("name000")]}
        ),
    )
    shown = [row for row in test if "name000" in row["options"]]
    assert len(shown) > 10
    assert shortcuts.most_prevalent(train, shown) == 1.0


def test_nearest_item_finds_a_stem_said_again() -> None:
    train = rows(300, 1)
    assert shortcuts.nearest_item(train, train) > 0.9


def test_a_tie_is_a_guess() -> None:
    assert shortcuts._credit([1, 1, 0, 0], 0) == 0.5
    assert shortcuts._credit([0, 0, 0, 0], 3) == 0.25
    assert shortcuts._credit([2, 1, 0, 0], 1) == 0.0


def test_the_battery_gives_the_same_figures_twice() -> None:
    train, test = rows(200, 1), rows(100, 2)
    assert shortcuts.battery(train, test) == shortcuts.battery(train, test)


def test_one_item_of_each_is_enough() -> None:
    found = shortcuts.battery(rows(1, 1), rows(1, 2))
    assert all(0 <= value <= 1 for value in found.values())
