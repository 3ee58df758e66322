"""Items that say the same thing, within a split and across splits, and facts that two splits share."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from evaluation.facets import facts_of
from generation.shortcuts import Item
from generation.words import words

GRAM = 8  # words
ALIKE = 0.8  # Jaccard likeness of 8-grams from which two stems with the same key are near-duplicates
_COMMON = 200  # an 8-gram in more stems than this comes from a template and does not bring pairs together


class Pair(NamedTuple):
    """Two items that say the same, and how alike their stems are (1.0: the same words)."""

    first: str
    second: str
    likeness: float


def exact_text(item: Item) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a reader takes in: the words of the stem, and the options whatever their order."""
    return words(item["question"]), tuple(sorted(item["option_ids"]))


def repeated(items: Iterable[Item]) -> int:
    """Items whose stem and options were there before."""
    return sum(count - 1 for count in Counter(map(exact_text, items)).values())


def shared(first: Iterable[Item], second: Iterable[Item]) -> int:
    """Items of `second` whose stem and options are in `first`."""
    known = set(map(exact_text, first))
    return sum(exact_text(item) in known for item in second)


def grams(item: Item) -> frozenset[tuple[str, ...]]:
    """8-grams of the stem's words (all of it where it is shorter)."""
    said = words(item["question"])
    return frozenset(said[start : start + GRAM] for start in range(max(1, len(said) - GRAM + 1)))


def near_duplicates(first: Sequence[Item], second: Sequence[Item] | None = None) -> list[Pair]:
    """Pairs with the same key whose stems share most of their 8-grams; within `first`, or from `first` to `second`.

    Pairs are sought through the 8-grams that they share, so the work grows with what is alike, not with all pairs.
    """
    table: dict[tuple[str, ...], list[int]] = defaultdict(list)
    own = [grams(item) for item in first]
    for place, found in enumerate(own):
        for gram in found:
            table[gram].append(place)
    pairs = []
    for number, item in enumerate(first if second is None else second):
        found = own[number] if second is None else grams(item)
        seen = {place for gram in found if len(table[gram]) <= _COMMON for place in table[gram]}
        for place in sorted(seen):
            if (second is not None or place < number) and first[place]["target_id"] == item["target_id"]:
                likeness = len(found & own[place]) / len(found | own[place])
                if likeness >= ALIKE:
                    pairs.append(Pair(first[place]["item_id"], item["item_id"], likeness))
    return pairs


def pairs_and_paths(splits: Mapping[str, Sequence[Item]]) -> dict[str, int]:
    """Paths and unordered (source, target) pairs that stand in more than one split: both must be 0."""
    paths: dict[str, set[str]] = defaultdict(set)
    ends: dict[frozenset[str], set[str]] = defaultdict(set)
    for name, items in splits.items():
        for item in items:
            paths[item["path_id"]].add(name)
            ends[frozenset((item["source_id"], item["target_id"]))].add(name)
    return {
        "paths in two splits": sum(len(found) > 1 for found in paths.values()),
        "pairs in two splits": sum(len(found) > 1 for found in ends.values()),
    }


def facts_seen(train: Iterable[Item], test: Iterable[Item]) -> dict[str, int]:
    """Test items by how many of their facts stand in training questions."""
    seen = facts_of(train)
    counts = Counter(sum(hop["edge_id"] in seen for hop in item["path"]) for item in test)
    return {str(number): counts[number] for number in sorted(counts)}
