"""From replies to figures: of a whole split, and of every part of it.

An item's score is the share of its replies (over orders of the options and samples) that are right. All intervals are
clustered by the source entity of the path (evaluation/statistics.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.asking import Item, stored_letter
from evaluation.facets import FACETS
from evaluation.replies import Row
from evaluation.statistics import Interval, Outcomes, mean_interval, pass_at, share_interval
from generation.prompt import Reply, parse_reply
from kg.errors import InputError
from kg.schema import Schema
from training.path_reward import Item as PathItem
from training.path_reward import Scored, score
from training.rewards import PATH_WEIGHT, Thinking, alignment, phrases_of
from training.statements import Lexicon


class Read(NamedTuple):
    """A reply, read.

    Attributes:
        chosen: the stored letter of the option it chose, or None.
        words: F1 of path words before the gate, 0 to 1. stated: factors of the statement reward.
    """

    row: Row
    reply: Reply
    chosen: str | None
    words: float
    stated: Scored

    @property
    def paid(self) -> bool:
        """Whether a path reward is paid: right and valid."""
        return bool(self.row["correct"] and self.row["format_valid"])


@dataclass(frozen=True)
class Answered:
    """An item with all its replies, in the order asked."""

    item: Item
    replies: tuple[Read, ...]

    def mean(self, value: Callable[[Read], float]) -> float:
        return sum(map(value, self.replies)) / len(self.replies)


class Reader:
    """Reads replies with the path rewards of training."""

    def __init__(self, schema: Schema) -> None:
        self.phrases, self.lexicon = phrases_of(schema), Lexicon.load(schema)

    def read(self, item: Item, row: Row) -> Read:
        """One reply to an item."""
        reply = parse_reply(row["reply"])
        thinking = Thinking(reply.thinking[: row["thinking_end"]], row["thinking_tokens"])
        words = alignment(item["path"], thinking, self.phrases)
        asked = PathItem((item["path"],), item["options"], item["option_ids"], item["answer"], item["bridge_foils"])
        chosen = stored_letter(row["answer"], row["rotation"]) if row["answer"] else None
        return Read(row, reply, chosen, words, score(asked, thinking, self.lexicon))

    def answered(self, items: Sequence[Item], rows: Sequence[Row]) -> list[Answered]:
        """Items with their replies, items in the order given.

        Raises:
            InputError: an item without a reply, or items with unequal numbers of replies.
        """
        by_item: dict[str, list[Row]] = {item["item_id"]: [] for item in items}
        for row in rows:
            if row["item_id"] in by_item:
                by_item[row["item_id"]].append(row)
        counts = {len(found) for found in by_item.values()}
        if len(counts) != 1 or counts == {0}:
            raise InputError(
                f"replies are incomplete: items have {sorted(counts)} replies; run `python -m evaluation run` again"
            )
        return [Answered(item, tuple(self.read(item, row) for row in by_item[item["item_id"]])) for item in items]


@dataclass(frozen=True)
class Scores:
    """Figures of one model on one split.

    Attributes:
        shares: name -> interval of a share. amounts: name -> interval of a mean.
        tokens_median: of all replies. facets: facet -> value -> (items, accuracy).
    """

    model: str
    items: int
    replies: int
    shares: Mapping[str, Interval]
    amounts: Mapping[str, Interval]
    tokens_median: float
    facets: Mapping[str, Mapping[str, tuple[int, Interval]]]


def scores(model: str, answered: Sequence[Answered], facets: Sequence[Mapping[str, str]]) -> Scores:
    """All figures of a model.

    Args:
        facets: of each item (evaluation.facets.facets), in the same order.
    """
    clusters = [one.item["source_id"] for one in answered]
    shares = {name: share_interval(values, clusters) for name, values in _shares(answered).items()}
    amounts = {
        "path words (reward)": [
            one.mean(lambda read: PATH_WEIGHT * read.words if read.paid else 0.0) for one in answered
        ],
        "path words (F1)": [one.mean(lambda read: read.words) for one in answered],
        "path statements (reward)": [
            one.mean(lambda read: PATH_WEIGHT * read.stated.value if read.paid else 0.0) for one in answered
        ],
        "path statements": [one.mean(lambda read: read.stated.value) for one in answered],
        "tokens": [one.mean(lambda read: read.row["tokens"]) for one in answered],
    }
    tokens = [read.row["tokens"] for one in answered for read in one.replies]
    return Scores(
        model,
        len(answered),
        len(tokens),
        shares,
        {name: mean_interval(values, clusters) for name, values in amounts.items()},
        float(median(tokens)),
        _by_facet(answered, facets),
    )


def _shares(answered: Sequence[Answered]) -> dict[str, list[float]]:
    found = {
        "accuracy": [one.mean(lambda read: read.row["correct"]) for one in answered],
        "answered": [one.mean(lambda read: read.chosen is not None) for one in answered],
        "format valid": [one.mean(lambda read: read.row["format_valid"]) for one in answered],
        "whole path stated": [one.mean(lambda read: min(read.stated.facts) > 0) for one in answered],
        "truncated": [one.mean(lambda read: read.row["truncated"]) for one in answered],
    }
    rotations = {read.row["rotation"] for one in answered for read in one.replies}
    if len(rotations) > 1:
        found["right in all orders"] = [_all_right(one) for one in answered]
        found["same choice in all orders"] = [_same(one) for one in answered]
    samples = len({read.row["sample"] for one in answered for read in one.replies})
    if samples > 1:
        found[f"majority@{samples}"] = [_per_rotation(one, majority) for one in answered]
        for k in (k for k in (1, 2, 4, 8, 16, 32, 64) if k <= samples):
            found[f"pass@{k}"] = [_pass(one, k) for one in answered]
    return found


def _right(reads: Sequence[Read]) -> int:
    return sum(read.row["correct"] for read in reads)


def _groups(one: Answered, column: str) -> list[list[Read]]:
    groups: dict[int, list[Read]] = {}
    for read in one.replies:
        groups.setdefault(read.row[column], []).append(read)
    return list(groups.values())


def _all_right(one: Answered) -> float:
    """Share of samples that are right in every order."""
    groups = _groups(one, "sample")
    return sum(_right(group) == len(group) for group in groups) / len(groups)


def _same(one: Answered) -> float:
    """Share of samples that choose the same option in every order."""
    groups = _groups(one, "sample")
    return sum(len({read.chosen for read in group}) == 1 and group[0].chosen is not None for group in groups) / len(
        groups
    )


def _per_rotation(one: Answered, value: Callable[[Sequence[Read]], float]) -> float:
    groups = _groups(one, "rotation")
    return sum(map(value, groups)) / len(groups)


def _pass(one: Answered, k: int) -> float:
    return _per_rotation(one, lambda reads: pass_at(k, _right(reads), len(reads)))


def majority(reads: Sequence[Read]) -> float:
    """Probability that the most frequent answer is right; ties are shared evenly, no answer is not counted."""
    votes = Counter(read.chosen for read in reads if read.chosen is not None)
    if not votes:
        return 0.0
    right = next((read.chosen for read in reads if read.row["correct"]), None)
    most = max(votes.values())
    return float(right is not None and votes[right] == most) / sum(count == most for count in votes.values())


def _by_facet(
    answered: Sequence[Answered], facets: Sequence[Mapping[str, str]]
) -> dict[str, dict[str, tuple[int, Interval]]]:
    found: dict[str, dict[str, tuple[int, Interval]]] = {}
    for facet in FACETS:
        groups: dict[str, list[int]] = {}
        for place, values in enumerate(facets):
            groups.setdefault(values[facet], []).append(place)
        found[facet] = {}
        for value, places in sorted(groups.items()):
            right = [answered[place].mean(lambda read: read.row["correct"]) for place in places]
            interval = share_interval(right, [answered[place].item["source_id"] for place in places])
            found[facet][value] = (len(places), interval)
    return found


def outcomes(model: str, answered: Sequence[Answered]) -> Outcomes:
    """What comparisons need."""
    values: NDArray[np.float64] = np.array([one.mean(lambda read: read.row["correct"]) for one in answered])
    return Outcomes(model, values, [bool(one.replies[0].row["correct"]) for one in answered])


def as_json(found: Scores) -> dict[str, Any]:
    """Plain numbers."""
    return {
        "items": found.items,
        "replies": found.replies,
        "shares": {name: one._asdict() for name, one in found.shares.items()},
        "amounts": {name: one._asdict() for name, one in found.amounts.items()}
        | {"tokens_median": found.tokens_median},
        "by": {
            facet: {value: {"items": count, **one._asdict()} for value, (count, one) in values.items()}
            for facet, values in found.facets.items()
        },
    }
