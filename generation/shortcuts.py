"""Ways to score without knowing neuroscience. Each gives an accuracy on a test split; 0.25 is chance.

  choices_only       a classifier on option texts and ids, trained on another split, that never sees the stem
  stem_source_only   the answer most frequent for the stem's entity, else for the metapath: the bridge is ignored
  most_prevalent     the option that stands in most training paths
  nearest_item       the key of the training question with the most similar stem, where it is an option

Ties and blanks count as a guess (a share of 1 over the options that tie).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from statistics import mean

import numpy as np

from generation.item import Item
from generation.prompt import LETTERS

BATCH = 512


def battery(train: Sequence[Item], test: Sequence[Item]) -> dict[str, float]:
    """All four accuracies."""
    return {
        "choices_only": choices_only(train, test),
        "stem_source_only": stem_source_only(train, test),
        "most_prevalent": most_prevalent(train, test),
        "nearest_item": nearest_item(train, test),
    }


def choices_only(train: Sequence[Item], test: Sequence[Item], seed: int = 0) -> float:
    """Accuracy of a linear classifier on options alone."""
    from sklearn.feature_extraction.text import HashingVectorizer  # takes 2 s to load: not needed by `show`
    from sklearn.linear_model import SGDClassifier

    vectors = HashingVectorizer(
        n_features=2**18, ngram_range=(1, 2), token_pattern=r"\S+", norm="l2", alternate_sign=False
    )
    model = SGDClassifier(loss="log_loss", alpha=1e-6, max_iter=12, tol=None, random_state=seed)
    model.fit(vectors.transform(_option_texts(train)), _is_key(train))
    scores = model.decision_function(vectors.transform(_option_texts(test))).reshape(-1, 4)
    return mean(_credit(list(row), LETTERS.index(item["answer"])) for row, item in zip(scores, test, strict=True))


def _option_texts(items: Sequence[Item]) -> list[str]:
    """Each option as words, id, length and place; what a reader sees who covers the stem."""
    return [
        f"{option.lower()} id={node} place={place} longest={len(option) == max(map(len, item['options']))}"
        for item in items
        for place, (option, node) in enumerate(zip(item["options"], item["option_ids"], strict=True))
    ]


def _is_key(items: Sequence[Item]) -> list[int]:
    return [int(proof == "key") for item in items for proof in item["option_proofs"]]


def stem_source_only(train: Sequence[Item], test: Sequence[Item]) -> float:
    """Accuracy of the most frequent training answer for the stem's entity, else for its metapath."""
    by_source = Counter((item["source_id"], item["target_id"]) for item in train)
    by_metapath = Counter((item["metapath"], item["target_id"]) for item in train)

    def score(item: Item, node: str) -> tuple[int, int]:
        return by_source[item["source_id"], node], by_metapath[item["metapath"], node]

    return _accuracy(test, score)


def most_prevalent(train: Sequence[Item], test: Sequence[Item]) -> float:
    """Accuracy of the option that occurs in most training paths."""
    seen = Counter(end for item in train for hop in item["path"] for end in (hop["head_id"], hop["tail_id"]))
    return _accuracy(test, lambda _, node: seen[node])


def nearest_item(train: Sequence[Item], test: Sequence[Item]) -> float:
    """Accuracy of the key of the most similar training stem."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectors = TfidfVectorizer(sublinear_tf=True)
    known = vectors.fit_transform([item["question"] for item in train]).T.tocsc()
    asked = vectors.transform([item["question"] for item in test])
    nearest = [
        int(place)
        for start in range(0, len(test), BATCH)
        for place in np.asarray((asked[start : start + BATCH] @ known).argmax(axis=1)).ravel()
    ]
    keys = [train[place]["target_id"] for place in nearest]
    return mean(
        _credit([float(node == key) for node in item["option_ids"]], LETTERS.index(item["answer"]))
        for item, key in zip(test, keys, strict=True)
    )


def _accuracy(items: Sequence[Item], score: Callable[[Item, str], object]) -> float:
    return mean(
        _credit([score(item, node) for node in item["option_ids"]], LETTERS.index(item["answer"])) for item in items
    )


def _credit(scores: Sequence[object], key: int) -> float:
    """1 if the key scores highest, a share if it ties, else 0."""
    best = max(scores)  # type: ignore[type-var]
    return 1 / sum(one == best for one in scores) if scores[key] == best else 0.0
