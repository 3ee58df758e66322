"""Ways to answer without knowing the field: the shortcut battery of the benchmark, as pure functions over item rows.

    from generation.shortcuts import battery
    for guess in battery(train, test):
        print(guess.name, guess.accuracy)

Every attack gives each item a credit between 0 and 1: the probability that it gets the item right, ties shared evenly
(so the figures need no coin). Chance is 0.25. Attacks that learn do so from `train` (usually the `sft` split) and are
scored on `test`. The classifier that sees the options alone is in generation/choices.py.

Needed columns of a row (docs/contract.md): question, options, option_ids, answer, source_id, target_id, metapath.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer

from generation.prompt import LETTERS
from kg.errors import InputError

Item = Mapping[str, Any]
Scorer = Callable[[Item], Sequence[float]]  # an item -> a score for each option
CHANCE = 0.25
NEIGHBOURS = 20  # most similar training stems looked through for one whose key is an option
_CHUNK = 512  # test stems compared with all training stems at a time


class Guess(NamedTuple):
    """What an attack gets.

    Attributes:
        name: of the attack.
        credit: probability of being right, one an item, in the order of the items.
        told: share of the items on which the attack had anything to go by (elsewhere it guesses).
    """

    name: str
    credit: NDArray[np.float64]
    told: float = 1.0

    @property
    def accuracy(self) -> float:
        """Mean credit; not a number without items."""
        return float(self.credit.mean()) if len(self.credit) else float("nan")


def key_place(item: Item) -> int:
    """Place of the right option, 0 to 3.

    Raises:
        InputError: the answer is not one of the letters.
    """
    place = LETTERS.find(item["answer"]) if item["answer"] else -1
    if place < 0 or len(item["answer"]) != 1:
        known = ", ".join(LETTERS)
        raise InputError(f"item {item.get('item_id')}: answer is {item['answer']!r}; it must be one of {known}")
    return place


def credit_of(item: Item, scores: Sequence[float]) -> float:
    """Credit for choosing the best-scored option: 1 divided by the number of options that share the best score."""
    best = max(scores)
    return float(scores[key_place(item)] == best) / sum(score == best for score in scores)


def by_score(name: str, items: Iterable[Item], score: Scorer) -> Guess:
    """An attack that chooses the option with the highest score."""
    scored = [(item, score(item)) for item in items]
    credit = np.array([credit_of(item, scores) for item, scores in scored], dtype=np.float64)
    told = [max(scores) > min(scores) for _, scores in scored]
    return Guess(name, credit, float(np.mean(told)) if told else 0.0)


def random_choice(items: Sequence[Item]) -> Guess:
    """Chance."""
    return Guess("random", np.full(len(items), CHANCE), 0.0)


def longest(items: Iterable[Item]) -> Guess:
    """The option with the most characters."""
    return by_score("longest option", items, lambda item: [len(text) for text in item["options"]])


def shortest(items: Iterable[Item]) -> Guess:
    """The option with the fewest characters."""
    return by_score("shortest option", items, lambda item: [-len(text) for text in item["options"]])


def best_letter(train: Iterable[Item], test: Iterable[Item]) -> Guess:
    """Always the letter that is right most often in training."""
    counts = Counter(item["answer"] for item in train)
    return by_score("best letter", test, lambda item: [counts[letter] for letter in LETTERS])


def prevalence(train: Iterable[Item], test: Iterable[Item]) -> Guess:
    """The option that is the key of most training items."""
    counts = Counter(item["target_id"] for item in train)
    return by_score("most common answer", test, lambda item: [counts[node] for node in item["option_ids"]])


def most_connected(test: Iterable[Item], degree: Mapping[str, int]) -> Guess:
    """The option of which most facts are known.

    Args:
        degree: entity id -> number of facts in the graph.
    """
    return by_score("most connected entity", test, lambda item: [degree.get(node, 0) for node in item["option_ids"]])


def degrees(items: Iterable[Item]) -> Counter[str]:
    """Number of distinct facts of the items' paths that an entity stands in (where no graph is at hand)."""
    facts = {(hop["edge_id"], hop["head_id"], hop["tail_id"]) for item in items for hop in item["path"]}
    return Counter(end for _, head, tail in facts for end in (head, tail))


def stem_source_only(train: Iterable[Item], test: Iterable[Item]) -> Guess:
    """The most frequent answer for the stem's entity, else for the metapath, else of all: the bridge is never used.

    A looser table only breaks the ties of a stricter one.
    """
    tables: tuple[Callable[[Item], tuple[str, ...]], ...] = (
        lambda item: (item["source_id"], item["metapath"].rpartition(" > ")[2]),
        lambda item: (item["source_id"],),
        lambda item: (item["metapath"],),
        lambda item: (item["metapath"].rpartition(" > ")[2],),
    )
    rows = list(train)
    counts = [Counter((*table(item), item["target_id"]) for item in rows) for table in tables]
    overall = Counter(item["target_id"] for item in rows)

    def score(item: Item) -> list[float]:
        ids = item["option_ids"]
        strict = [[seen[(*table(item), node)] for node in ids] for table, seen in zip(tables, counts, strict=True)]
        return _lexical([*strict, [overall[node] for node in ids]])

    return by_score("stem source only", test, score)


def _lexical(columns: Sequence[Sequence[float]]) -> list[float]:
    """Ranks of options by the first column, ties by the next, and so on."""
    keys = list(zip(*columns, strict=True))
    order = sorted(set(keys))
    return [float(order.index(key)) for key in keys]


def nearest_item(train: Sequence[Item], test: Sequence[Item], most: int = NEIGHBOURS) -> Guess:
    """The key of the training item with the most similar stem (TF-IDF of words and word pairs, cosine).

    Of the `most` similar stems the first counts whose key is among the options; `told` is the share of items that have
    one. On the others the attack guesses.
    """
    found = neighbours(train, test, most)
    keys = [item["target_id"] for item in train]

    def score(item: Item, near: NDArray[np.int64]) -> list[float]:
        key = next((keys[place] for place in near if keys[place] in item["option_ids"]), None)
        return [float(node == key) for node in item["option_ids"]]

    credit = [credit_of(item, score(item, near)) for item, near in zip(test, found, strict=True)]
    told = [any(keys[place] in item["option_ids"] for place in near) for item, near in zip(test, found, strict=True)]
    return Guess("nearest training item", np.array(credit, dtype=np.float64), float(np.mean(told)) if told else 0.0)


def neighbours(train: Sequence[Item], test: Sequence[Item], most: int = NEIGHBOURS) -> NDArray[np.int64]:
    """Places in `train` of the most similar stems, nearest first: (test items, up to `most`)."""
    if not train or not test:
        return np.zeros((len(test), 0), dtype=np.int64)
    common = 0.2 if len(train) > 50 else 1.0
    vectoriser = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, token_pattern=r"[^\W_]+", max_df=common)
    known = vectoriser.fit_transform(item["question"] for item in train).T.tocsr()
    asked = vectoriser.transform(item["question"] for item in test)
    few = min(most, len(train))
    rows = []
    for start in range(0, len(test), _CHUNK):
        similar = (asked[start : start + _CHUNK] @ known).toarray().astype(np.float32)
        best = np.argpartition(-similar, few - 1, axis=1)[:, :few]
        order = np.argsort(-np.take_along_axis(similar, best, axis=1), axis=1, kind="stable")
        rows.append(np.take_along_axis(best, order, axis=1))
    return np.concatenate(rows).astype(np.int64)


def battery(train: Sequence[Item], test: Sequence[Item], seed: int = 0) -> list[Guess]:
    """Every attack that needs item rows alone, in the order of the report."""
    from generation.choices import choices_only  # which builds on this file

    return [
        random_choice(test),
        longest(test),
        shortest(test),
        best_letter(train, test),
        prevalence(train, test),
        most_connected(test, degrees([*train, *test])),
        stem_source_only(train, test),
        nearest_item(train, test),
        *choices_only(train, test, seed),
    ]


# --- figures that are no attack ----------------------------------------------------------------------------------


class Letters(NamedTuple):
    """Share of items whose key is A, B, C, D, and the greatest distance of a share from a quarter."""

    shares: dict[str, float]
    farthest: float


def letters(items: Sequence[Item]) -> Letters:
    """Letter balance (not a number without items)."""
    counts = Counter(item["answer"] for item in items)
    shares = {letter: counts[letter] / len(items) if items else float("nan") for letter in LETTERS}
    return Letters(shares, max(abs(share - CHANCE) for share in shares.values()))


class KeyRate(NamedTuple):
    """How often an entity is right when it is shown: `keys` of `shown`."""

    entity: str
    shown: int
    keys: int

    @property
    def rate(self) -> float:
        return self.keys / self.shown


def key_rates(items: Iterable[Item], least: int = 20) -> list[KeyRate]:
    """Key rate of every entity that is shown at least `least` times, farthest from a quarter first."""
    shown, keys = Counter[str](), Counter[str]()
    for item in items:
        shown.update(item["option_ids"])
        keys[item["target_id"]] += 1
    rates = [KeyRate(entity, count, keys[entity]) for entity, count in shown.items() if count >= least]
    return sorted(rates, key=lambda one: (-abs(one.rate - CHANCE), one.entity))


def length_ratio(items: Iterable[Item]) -> float:
    """Mean key length divided by mean distractor length, in characters."""
    key: list[int] = []
    rest: list[int] = []
    for item in items:
        place = key_place(item)
        for n, text in enumerate(item["options"]):
            (key if n == place else rest).append(len(text))
    return float(np.mean(key) / np.mean(rest)) if key else float("nan")
