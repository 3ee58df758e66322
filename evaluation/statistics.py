"""Honest statistics for scores: items that share a source entity are not independent.

Intervals use the variance between clusters (CR1: sandwich with G / (G - 1)) and Student's t with G - 1 degrees of
freedom; shares get Wilson's shape with the effective number of items that this variance implies, so that an interval
never leaves 0 to 1. Two models are compared on the same items: difference with a clustered interval, a permutation
test that flips the sign of whole clusters, exact McNemar beside it, Holm over all pairs.

Tested against statsmodels and scipy, and by a coverage simulation (tests/evaluation/test_statistics.py).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

LEVEL = 0.95
ROUNDS = 9_999  # sign flips drawn where there are too many to try all
_TRY_ALL = 12  # clusters up to which every sign flip is tried
_BLOCK = 1_000  # sign flips held in memory at a time


class Interval(NamedTuple):
    """A mean with its confidence interval; `error` is the clustered standard error, `clusters` their number.

    Bounds are not numbers where fewer than two clusters leave nothing to estimate from.
    """

    mean: float
    low: float
    high: float
    error: float
    clusters: int


def clustered_error(values: NDArray[np.float64], clusters: Sequence[Hashable]) -> tuple[float, int]:
    """Standard error of a mean whose values are correlated within clusters, and the number of clusters.

    Raises:
        ValueError: not one cluster a value.
    """
    if len(values) != len(clusters):
        raise ValueError(f"{len(values)} values, {len(clusters)} clusters")
    sums = cluster_sums(values - values.mean(), clusters) if len(values) else np.zeros(0)
    count = len(sums)
    if count < 2:
        return float("nan"), count
    return float(np.sqrt(count / (count - 1) * (sums**2).sum()) / len(values)), count


def cluster_sums(values: NDArray[np.float64], clusters: Sequence[Hashable]) -> NDArray[np.float64]:
    """Sum of the values of each cluster, in order of first sight."""
    place: dict[Hashable, int] = {}
    own = [place.setdefault(cluster, len(place)) for cluster in clusters]
    return np.bincount(own, weights=values, minlength=len(place)).astype(np.float64)


def mean_interval(values: ArrayLike, clusters: Sequence[Hashable], level: float = LEVEL) -> Interval:
    """Mean of any values, with Student's t."""
    array = np.asarray(values, dtype=np.float64)
    if not len(array):
        return Interval(float("nan"), float("nan"), float("nan"), float("nan"), 0)
    error, count = clustered_error(array, clusters)
    mean = float(array.mean())
    if count < 2:
        return Interval(mean, float("nan"), float("nan"), error, count)
    reach = float(stats.t.ppf((1 + level) / 2, count - 1)) * error
    return Interval(mean, mean - reach, mean + reach, error, count)


def share_interval(values: ArrayLike, clusters: Sequence[Hashable], level: float = LEVEL) -> Interval:
    """A share (mean of values between 0 and 1), with Wilson's shape.

    The effective number of items is p (1 - p) / error², at most the number of items; where no value differs (all
    right, all wrong) it is the number of clusters.
    """
    array = np.asarray(values, dtype=np.float64)
    plain = mean_interval(array, clusters, level)
    if plain.clusters < 2:
        return plain
    p, error = plain.mean, plain.error
    items = float(plain.clusters) if error == 0 else min(p * (1 - p) / error**2, float(len(array)))
    z = float(stats.t.ppf((1 + level) / 2, plain.clusters - 1))
    middle = (p + z**2 / (2 * items)) / (1 + z**2 / items)
    reach = z / (1 + z**2 / items) * np.sqrt(p * (1 - p) / items + z**2 / (4 * items**2))
    low = 0.0 if p == 0 else max(0.0, float(middle - reach))
    high = 1.0 if p == 1 else min(1.0, float(middle + reach))
    return plain._replace(low=low, high=high)


class Comparison(NamedTuple):
    """Two models on the same items: `second` minus `first`.

    Attributes:
        difference: of means, with its clustered interval.
        p_permutation: two-sided, clusters' signs flipped.
        only_first, only_second: items that only one of them got right (first reply of each item).
        p_mcnemar: two-sided, exact, items taken as independent.
        p_holm: p_permutation after Holm's correction over all comparisons made together.
    """

    first: str
    second: str
    difference: Interval
    p_permutation: float
    only_first: int
    only_second: int
    p_mcnemar: float
    p_holm: float = float("nan")


def permutation_test(differences: ArrayLike, clusters: Sequence[Hashable], seed: int, rounds: int = ROUNDS) -> float:
    """Two-sided p-value for a mean difference of 0, flipping the sign of whole clusters.

    All flips are tried where few clusters differ; else `rounds` are drawn and (1 + as extreme) / (1 + rounds) is
    given, which is never 0.
    """
    sums = cluster_sums(np.asarray(differences, dtype=np.float64), clusters)
    sums = sums[sums != 0]
    if not len(sums):
        return 1.0
    seen = abs(sums.sum()) * (1 - 1e-12)
    if len(sums) <= _TRY_ALL:
        flips = np.array(list(product((-1.0, 1.0), repeat=len(sums))))
        return float((np.abs(flips @ sums) >= seen).mean())
    rng = np.random.default_rng(seed)
    extreme = 0
    for start in range(0, rounds, _BLOCK):
        signs = rng.choice((-1.0, 1.0), size=(min(_BLOCK, rounds - start), len(sums)))
        extreme += int((np.abs(signs @ sums) >= seen).sum())
    return (1 + extreme) / (1 + rounds)


def mcnemar(first: Sequence[bool], second: Sequence[bool]) -> tuple[int, int, float]:
    """Items only the first has right, only the second, and the exact two-sided p-value."""
    pairs = list(zip(first, second, strict=True))
    only_first = sum(a and not b for a, b in pairs)
    only_second = sum(b and not a for a, b in pairs)
    differing = only_first + only_second
    p = 2 * float(stats.binom.cdf(min(only_first, only_second), differing, 0.5)) if differing else 1.0
    return only_first, only_second, min(1.0, p)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjusted p-values, in the order given."""
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
    return adjusted


class Outcomes(NamedTuple):
    """A model's results on items in a fixed order: mean score of each, and whether its first reply was right."""

    name: str
    score: NDArray[np.float64]
    first_right: Sequence[bool]


def compare(models: Sequence[Outcomes], clusters: Sequence[Hashable], seed: int) -> list[Comparison]:
    """Every pair of models, earlier before later, with Holm over all pairs.

    Raises:
        ValueError: models do not have the same number of items.
    """
    if len({len(model.score) for model in models} | {len(clusters)}) > 1:
        raise ValueError("models were scored on different items")
    found = [
        Comparison(
            first.name,
            second.name,
            mean_interval(second.score - first.score, clusters),
            permutation_test(second.score - first.score, clusters, seed),
            *mcnemar(first.first_right, second.first_right),
        )
        for place, first in enumerate(models)
        for second in models[place + 1 :]
    ]
    corrected = holm([one.p_permutation for one in found])
    return [one._replace(p_holm=p) for one, p in zip(found, corrected, strict=True)]


def pass_at(k: int, right: int, of: int) -> float:
    """Probability that at least one of `k` samples is right, of which `right` out of `of` were (Chen et al. 2021).

    Raises:
        ValueError: fewer than `k` samples.
    """
    if not 1 <= k <= of:
        raise ValueError(f"pass@{k} needs {k} samples; there are {of}")
    if of - right < k:
        return 1.0
    return float(1.0 - np.prod(1.0 - k / np.arange(of - right + 1, of + 1)))
