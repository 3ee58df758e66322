"""Can the answer be told from the options alone? Two classifiers that never see the stem.

`linear` scores an option by its letters, words, id and place (a pairwise logistic model: the key against each
distractor of its item, so the score is comparable within an item only). `boosted` uses figures of an option beside
the others: lengths, likeness to the others, how often it was shown and right in training, which options it was right
beside. What a training item says of itself is kept out of its own figures (out-of-fold).

Neither sees more than options, ids and order. On a sound set both stay at chance: see docs/evaluating.md.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import LogisticRegression

from generation.shortcuts import Guess, Item, credit_of, key_place

FOLDS = 5
NAMES = ("choices only (linear)", "choices only (boosted)")
_TEXT_BITS = 17
_MARK = re.compile(r"[^\w\s]")


def choices_only(train: Sequence[Item], test: Sequence[Item], seed: int = 0) -> list[Guess]:
    """Train both classifiers on `train`, score them on `test`.

    Returns:
        one Guess a classifier, in the order of NAMES; chance where there is nothing to learn from.
    """
    if len(train) < 2 * FOLDS or not test:
        return [Guess(name, np.full(len(test), 0.25), 0.0) for name in NAMES]
    return [_guess(NAMES[0], test, _linear(train, test, seed)), _guess(NAMES[1], test, _boosted(train, test, seed))]


def choices_only_within(items: Sequence[Item], seed: int = 0) -> list[Guess]:
    """The same within one split by cross-validation; all questions of one path fall into one fold."""
    if len(items) < 4 * FOLDS:
        return [Guess(name, np.full(len(items), 0.25), 0.0) for name in NAMES]
    fold = _folds([item["path_id"] for item in items], seed)
    credit = np.zeros((len(NAMES), len(items)))
    for number in range(FOLDS):
        train = [item for item, own in zip(items, fold, strict=True) if own != number]
        test = [item for item, own in zip(items, fold, strict=True) if own == number]
        for row, guess in enumerate(choices_only(train, test, seed)):
            credit[row, fold == number] = guess.credit
    return [Guess(f"{name}, cross-validated", row) for name, row in zip(NAMES, credit, strict=True)]


def _folds(names: Sequence[str], seed: int) -> NDArray[np.int64]:
    """A fold for each row; equal names share one."""
    unique = sorted(set(names))
    drawn = np.random.default_rng(seed).permutation(len(unique)) % FOLDS
    fold = dict(zip(unique, drawn.tolist(), strict=True))
    return np.array([fold[name] for name in names], dtype=np.int64)


def _guess(name: str, test: Sequence[Item], scores: NDArray[np.float64]) -> Guess:
    """Scores (items, 4) to credit."""
    credit = [credit_of(item, row) for item, row in zip(test, scores.tolist(), strict=True)]
    return Guess(name, np.array(credit, dtype=np.float64))


# --- linear ------------------------------------------------------------------------------------------------------


def _linear(train: Sequence[Item], test: Sequence[Item], seed: int) -> NDArray[np.float64]:
    rows, places = _sparse(train, train), np.array([key_place(item) for item in train])
    key = np.arange(len(train)) * 4 + places
    others = [np.arange(len(train)) * 4 + (places + step) % 4 for step in (1, 2, 3)]
    differences = sparse.vstack([rows[key] - rows[other] for other in others]).tocsr()
    sign = np.random.default_rng(seed).choice((-1.0, 1.0), size=differences.shape[0])
    model = LogisticRegression(C=1.0, fit_intercept=False, max_iter=40, tol=1e-3)
    with warnings.catch_warnings():  # close to the optimum is enough for an attack
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(sparse.diags(sign) @ differences, sign)
    scores: NDArray[np.float64] = np.asarray(_sparse(test, train) @ model.coef_[0]).reshape(len(test), 4)
    return scores


def _sparse(items: Sequence[Item], known: Sequence[Item]) -> sparse.csr_matrix:
    """Features of every option: hashed letters and words, id (if known from training), place. (4 × items, features)."""
    texts = [text for item in items for text in item["options"]]
    unique = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    pick = np.array([unique[text] for text in texts])
    letters = HashingVectorizer(analyzer="char_wb", ngram_range=(2, 4), n_features=1 << _TEXT_BITS, lowercase=False)
    words = HashingVectorizer(ngram_range=(1, 2), n_features=1 << _TEXT_BITS, token_pattern=r"[^\W_]+")
    known_ids = dict.fromkeys(node for item in known for node in item["option_ids"])
    ids = {node: place for place, node in enumerate(known_ids)}
    column = np.array([ids.get(node, len(ids)) for item in items for node in item["option_ids"]])
    cells = (np.ones(len(column)), (np.arange(len(column)), column))
    one_hot = sparse.csr_matrix(cells, shape=(len(column), len(ids) + 1))
    place = sparse.csr_matrix(np.tile(np.eye(4), (len(items), 1)))
    names = list(unique)
    return sparse.hstack([letters.transform(names)[pick], words.transform(names)[pick], one_hot, place]).tocsr()


# --- boosted -----------------------------------------------------------------------------------------------------


@dataclass
class _Seen:
    """What training items tell of entities: how often shown, how often right, right beside which."""

    shown: Counter[str]
    keys: Counter[str]
    beside: Counter[tuple[str, str]]

    @classmethod
    def of(cls, items: Sequence[Item]) -> _Seen:
        seen = cls(Counter(), Counter(), Counter())
        for item in items:
            seen.shown.update(item["option_ids"])
            seen.keys[item["target_id"]] += 1
            seen.beside.update((item["target_id"], node) for node in item["option_ids"] if node != item["target_id"])
        return seen


def _boosted(train: Sequence[Item], test: Sequence[Item], seed: int) -> NDArray[np.float64]:
    fold = _folds([item["item_id"] for item in train], seed)
    features = np.zeros((len(train), 4, FIGURES))
    for number in range(FOLDS):
        seen = _Seen.of([item for item, own in zip(train, fold, strict=True) if own != number])
        held_out = [item for item, own in zip(train, fold, strict=True) if own == number]
        features[fold == number] = _figures(held_out, seen, FOLDS / (FOLDS - 1))
    right = np.eye(4)[[key_place(item) for item in train]]
    model = HistGradientBoostingClassifier(max_iter=120, learning_rate=0.08, max_leaf_nodes=15, random_state=seed)
    model.fit(features.reshape(-1, FIGURES), right.reshape(-1))
    scores = model.predict_proba(_figures(test, _Seen.of(train), 1.0).reshape(-1, FIGURES))[:, 1]
    return np.asarray(scores, dtype=np.float64).reshape(len(test), 4)


def _figures(items: Sequence[Item], seen: _Seen, scale: float) -> NDArray[np.float64]:
    """Figures of options: (items, 4, FIGURES). `scale` makes counts of a part those of the whole."""
    grams = {text: _grams(text) for item in items for text in item["options"]}
    rows = [_of_item(item, seen, grams) for item in items]
    table = np.array(rows, dtype=np.float64).reshape(len(items), len(ROWS), 4)
    values = {name: table[:, place] for place, name in enumerate(ROWS)}
    for name in ("shown", "keys", "won", "lost"):
        values[name] = values[name] * scale
    values["rate"] = (values["keys"] + 1) / (values["shown"] + 4)
    values |= {name: np.log1p(values[name]) for name in ("shown", "keys")}
    beside = {name: values[name] - values[name].mean(1, keepdims=True) for name in ("length", "shown", "keys", "rate")}
    place = np.broadcast_to(np.arange(4.0), (len(items), 4))
    return np.stack([*values.values(), *beside.values(), place], axis=2)


ROWS = ("length", "words", "capitals", "marks", "space", "shown", "keys", "likeness", "nearest", "won", "lost")
FIGURES = len(ROWS) + 6


def _of_item(item: Item, seen: _Seen, grams: Mapping[str, frozenset[str]]) -> list[list[float]]:
    """ROWS of one item, each for four options."""
    texts, ids = item["options"], item["option_ids"]
    spaces = [node.partition(":")[0] for node in ids]
    like = [[_dice(grams[a], grams[b]) if a is not b else 0.0 for b in texts] for a in texts]
    return [
        [len(text) for text in texts],
        [text.count(" ") for text in texts],
        [sum(map(str.isupper, text)) for text in texts],
        [len(_MARK.findall(text)) for text in texts],
        [spaces.count(space) for space in spaces],
        [seen.shown[node] for node in ids],
        [seen.keys[node] for node in ids],
        [sum(row) for row in like],
        [max(row) for row in like],
        [sum(seen.beside[(node, other)] for other in ids) for node in ids],
        [sum(seen.beside[(other, node)] for other in ids) for node in ids],
    ]


def _dice(first: frozenset[str], second: frozenset[str]) -> float:
    return 2 * len(first & second) / max(1, len(first) + len(second))


def _grams(text: str) -> frozenset[str]:
    padded = f" {text.lower()} "
    return frozenset(padded[n : n + 3] for n in range(len(padded) - 2))
