"""What every model is read beside: guessing, shortcuts, and the graph itself, which must be right every time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from evaluation.asking import Item
from evaluation.statistics import Interval, share_interval
from generation.checks import stored_path
from generation.choices import choices_only
from generation.shortcuts import (
    Guess,
    degrees,
    key_place,
    longest,
    most_connected,
    nearest_item,
    prevalence,
    random_choice,
    stem_source_only,
)
from kg.closure import Closure
from kg.errors import InputError


class Baseline(NamedTuple):
    """A baseline's accuracy, clustered as a model's is."""

    name: str
    accuracy: Interval


def baselines(train: Sequence[Item], test: Sequence[Item], closure: Closure | None, seed: int = 0) -> list[Baseline]:
    """The baselines of the report.

    Args:
        train: what the shortcuts learn from; those that need it are left out where there is none.
        closure: of the graph the questions were made from; the graph is left out where there is none.
    """
    guesses = [random_choice(test), longest(test)]
    if train:
        guesses += [prevalence(train, test), most_connected(test, degrees([*train, *test]))]
        guesses += [*choices_only(train, test, seed), stem_source_only(train, test), nearest_item(train, test)]
    if closure is not None:
        guesses.append(graph_itself(closure, test))
    clusters = [item["source_id"] for item in test]
    return [Baseline(guess.name, share_interval(guess.credit, clusters)) for guess in guesses]


def graph_itself(closure: Closure, items: Sequence[Item]) -> Guess:
    """Walk the question's relations from its source in the graph and choose the option that the walk reaches.

    Credit is shared over all options that it reaches: a second right option shows as less than 100 %.

    Raises:
        InputError: the graph does not hold the facts of an item.
    """
    return Guess("the graph itself", np.array([_by_graph(closure, item) for item in items], dtype=np.float64))


def _by_graph(closure: Closure, item: Item) -> float:
    try:
        path = stored_path(closure, dict(item))
    except KeyError as error:
        raise InputError(
            f"item {item['item_id']}: fact {error} is not in the graph; give the graph the questions were made from (--graph)"
        ) from error
    ends = frozenset((path.source,))
    for step in path.steps[:-1]:
        ends = frozenset().union(*(closure.linked(end, step) for end in ends))
    right = frozenset().union(*(closure.entailed(end, path.steps[-1]) for end in ends))
    reached = [node in right for node in item["option_ids"]]
    return reached[key_place(item)] / sum(reached) if any(reached) else 0.0
