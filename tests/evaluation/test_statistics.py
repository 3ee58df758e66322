"""Statistics against independent implementations, and against truth in a simulation."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation import statistics as ours


def clustered(rng, count, mean, correlation):
    """Right/wrong for `count` clusters of 1 to 6 items; the chance of a cluster is beta-distributed."""
    scale = (1 - correlation) / correlation
    chances = rng.beta(mean * scale, (1 - mean) * scale, size=count)
    sizes = rng.integers(1, 7, size=count)
    clusters = np.repeat(np.arange(count), sizes)
    return (rng.random(len(clusters)) < chances[clusters]).astype(float), clusters.tolist()


def test_clustered_error_and_interval_agree_with_statsmodels():
    models = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(1)
    for _ in range(5):
        values, clusters = clustered(rng, 40, 0.6, 0.3)
        fit = models.OLS(values, np.ones(len(values))).fit(
            cov_type="cluster",
            cov_kwds={"groups": np.array(clusters), "use_correction": True, "df_correction": True},
            use_t=True,
        )
        mine = ours.mean_interval(values, clusters)
        assert mine.mean == pytest.approx(fit.params[0])
        assert mine.error == pytest.approx(fit.bse[0], rel=1e-9)
        assert (mine.low, mine.high) == pytest.approx(tuple(fit.conf_int()[0]), rel=1e-9)


def test_without_clustering_the_share_interval_is_wilsons():
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    values = np.array([1.0] * 640 + [0.0] * 360)
    mine = ours.share_interval(values, list(range(1000)))
    assert (mine.low, mine.high) == pytest.approx(proportion.proportion_confint(640, 1000, method="wilson"), abs=3e-4)


def test_mcnemar_agrees_with_statsmodels():
    tables = pytest.importorskip("statsmodels.stats.contingency_tables")
    rng = np.random.default_rng(2)
    for size in (5, 60, 700):
        first, second = rng.random(size) < 0.5, rng.random(size) < 0.6
        only_first, only_second, p = ours.mcnemar(first.tolist(), second.tolist())
        both, neither = int((first & second).sum()), int((~first & ~second).sum())
        assert p == pytest.approx(tables.mcnemar([[both, only_first], [only_second, neither]], exact=True).pvalue)


def test_holm_agrees_with_statsmodels():
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    for p_values in ([0.01, 0.04, 0.03, 0.5], [0.2], [0.04, 0.04, 0.04], [0.9, 0.001]):
        assert ours.holm(p_values) == pytest.approx(multitest.multipletests(p_values, method="holm")[1])
    assert ours.holm([]) == []


def test_permutation_agrees_with_scipy_when_every_item_is_a_cluster():
    stats = pytest.importorskip("scipy.stats")
    differences = np.array([1, 1, 1, -1, 1, 1, 0, 1, -1, 1], dtype=float)
    theirs = stats.permutation_test((differences,), np.sum, permutation_type="samples", n_resamples=np.inf)
    assert ours.permutation_test(differences, list(range(10)), seed=0) == pytest.approx(theirs.pvalue)


def test_drawn_permutations_come_near_the_exact_p_value():
    rng = np.random.default_rng(3)
    sums = rng.normal(0.5, 1, size=12)
    exact = ours.permutation_test(sums, list(range(12)), seed=0)
    padded = np.concatenate([sums, [1e-9, -1e-9]])  # over the limit for trying all
    assert ours.permutation_test(padded, list(range(14)), seed=0) == pytest.approx(exact, abs=0.015)


@pytest.mark.parametrize(("mean", "correlation"), [(0.3, 0.1), (0.6, 0.3), (0.9, 0.2), (0.97, 0.1)])
def test_share_intervals_cover_the_truth_95_percent_of_the_time(mean, correlation):
    rng = np.random.default_rng(int(mean * 100))
    hits = 0
    for _ in range(2000):
        values, clusters = clustered(rng, 150, mean, correlation)
        found = ours.share_interval(values, clusters)
        hits += found.low <= mean <= found.high
    assert hits / 2000 == pytest.approx(0.95, abs=0.02)


def test_intervals_of_paired_differences_cover_and_the_test_keeps_its_level():
    rng = np.random.default_rng(8)
    hits = rejected = 0
    for _ in range(1000):
        first, clusters = clustered(rng, 100, 0.5, 0.3)
        second = np.where(rng.random(len(first)) < 0.3, 1 - first, first)  # the mean stays 0.5
        found = ours.mean_interval(second - first, clusters)
        hits += found.low <= 0 <= found.high
        rejected += ours.permutation_test(second - first, clusters, seed=1, rounds=199) <= 0.05
    assert hits / 1000 == pytest.approx(0.95, abs=0.02)
    assert rejected / 1000 == pytest.approx(0.05, abs=0.02)


def test_clusters_widen_the_interval():
    values = np.array([1.0, 0.0] * 20).repeat(5)
    alone = ours.share_interval(values, list(range(200)))
    together = ours.share_interval(values, np.arange(40).repeat(5).tolist())
    assert together.high - together.low > 2 * (alone.high - alone.low)


def test_all_right_is_not_certain():
    found = ours.share_interval(np.ones(50), list(range(50)))
    assert found.high == 1.0
    assert 0.9 < found.low < 0.95


def test_too_little_for_an_interval_is_said_with_no_number():
    assert math.isnan(ours.share_interval([1.0, 0.0], ["a", "a"]).low)
    assert math.isnan(ours.share_interval([], []).mean)


def test_comparisons_are_made_for_each_pair_and_corrected_together():
    rng = np.random.default_rng(5)
    base = rng.random(300) < 0.4
    better = base | (rng.random(300) < 0.3)
    models = [
        ours.Outcomes(name, right.astype(float), right.tolist())
        for name, right in (("base", base), ("sft", better), ("grpo", better))
    ]
    found = ours.compare(models, [n // 3 for n in range(300)], seed=0)
    assert [(one.first, one.second) for one in found] == [("base", "sft"), ("base", "grpo"), ("sft", "grpo")]
    assert found[0].difference.low > 0
    assert found[0].only_first == 0
    assert found[0].p_permutation < 0.001
    assert found[0].p_holm == pytest.approx(3 * found[0].p_permutation)
    assert found[2].difference.mean == 0
    assert found[2].p_holm == 1.0


def test_models_scored_on_different_items_are_not_compared():
    models = [ours.Outcomes("a", np.zeros(3), [False] * 3), ours.Outcomes("b", np.zeros(2), [False] * 2)]
    with pytest.raises(ValueError, match="different items"):
        ours.compare(models, ["x"] * 3, seed=0)


@given(st.integers(1, 8), st.data())
def test_pass_at_k_is_the_share_of_draws_with_a_right_one(of, data):
    right, k = data.draw(st.integers(0, of)), data.draw(st.integers(1, of))
    draws = list(combinations([True] * right + [False] * (of - right), k))
    assert ours.pass_at(k, right, of) == pytest.approx(sum(map(any, draws)) / len(draws))


def test_pass_at_more_than_there_are_is_refused():
    with pytest.raises(ValueError, match="pass@5 needs 5 samples; there are 4"):
        ours.pass_at(5, 1, 4)
