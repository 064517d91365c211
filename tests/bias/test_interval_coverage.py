"""Intervals are as wide as they say: they hold the truth about as often as their level."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from recsys_metrics import beyond_accuracy
from recsys_metrics.bias import _checks
from recsys_metrics.bias.fairness import (
    attention_weighted_rank_fairness,
    by_group,
    demographic_parity,
    exposure_by_group,
)
from recsys_metrics.bias.off_policy import weight_diagnostics

REPEATS = 600
# Of 600 draws at 90 %, four standard errors to either side.
LOW, HIGH = 0.90 - 0.05, 0.90 + 0.05


@functools.cache
def reports(draw, seed, repeats):
    """Return what is drawn; a report holds several intervals, each of them looked at in turn."""
    rng = np.random.default_rng(seed)
    return [draw(rng) for _ in range(repeats)]


def share_covered(draw, truth, pick, *, seed=17, repeats=REPEATS):
    """Return how often the interval that `pick` takes from a report holds the truth."""
    intervals = map(pick, reports(draw, seed, repeats))
    return np.mean([low <= truth <= high for low, high in intervals])


GROUPS = np.repeat(["old", "young"], [40, 60])


def means(rng):
    values = np.where(GROUPS == "old", rng.gamma(4, 0.25, 100), rng.gamma(2, 0.25, 100))
    return by_group(values, GROUPS, bounds=(0, np.inf), level=0.9)


@pytest.mark.parametrize(
    ("truth", "pick"),
    [
        (1.0, lambda report: report.intervals["old"]),
        (0.5, lambda report: report.intervals["young"]),
        (0.5, lambda report: report.gap_interval),
        (0.5, lambda report: report.ratio_interval),
    ],
    ids=["old", "young", "gap", "ratio"],
)
def test_intervals_of_group_means_cover(truth, pick):
    assert LOW <= share_covered(means, truth, pick) <= HIGH


def of_function(rng):
    values = np.where(GROUPS == "old", rng.gamma(4, 0.25, 100), rng.gamma(2, 0.25, 100))
    return by_group(
        lambda cases: float(values[cases].mean()), GROUPS, level=0.9, n_resamples=150, seed=rng
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("truth", "pick"),
    [
        (1.0, lambda report: report.intervals["old"]),
        (0.5, lambda report: report.gap_interval),
        (0.5, lambda report: report.ratio_interval),
    ],
    ids=["old", "gap", "ratio"],
)
def test_intervals_of_group_functions_cover(truth, pick):
    # Percentiles of few cases are a little narrow; 200 draws are a little rough.
    assert 0.80 <= share_covered(of_function, truth, pick, seed=5, repeats=200) <= 0.97


def slots(rng):
    # Lists differ in how much of them goes to the second group: a half on average.
    lean = rng.beta(6, 6, 60)
    second = rng.random((60, 4)) < lean[:, None]
    items = np.where(second, rng.integers(5, 10, (60, 4)), rng.integers(0, 5, (60, 4)))
    return exposure_by_group(items, ["a"] * 5 + ["b"] * 5, attention="none", per="share", level=0.9)


@pytest.mark.parametrize("group", ["a", "b"])
def test_intervals_of_group_exposure_cover(group):
    held = share_covered(slots, 0.5, lambda report: report.intervals[group])
    assert LOW <= held <= HIGH


def uneven_slots(rng):
    lean = rng.beta(3, 9, 60)
    second = rng.random((60, 4)) < lean[:, None]
    items = np.where(second, rng.integers(5, 10, (60, 4)), rng.integers(0, 5, (60, 4)))
    return exposure_by_group(items, ["a"] * 5 + ["b"] * 5, attention="none", per="share", level=0.9)


@pytest.mark.parametrize(
    ("truth", "pick"),
    [
        (0.75, lambda report: report.intervals["a"]),
        (0.5, lambda report: report.gap_interval),
        (1 / 3, lambda report: report.ratio_interval),
    ],
    ids=["share", "gap", "ratio"],
)
def test_intervals_cover_when_exposure_is_uneven(truth, pick):
    assert LOW <= share_covered(uneven_slots, truth, pick) <= HIGH


def chosen(rng):
    selected = rng.random(100) < np.where(GROUPS == "old", 0.6, 0.3)
    return demographic_parity(selected, GROUPS, level=0.9)


@pytest.mark.parametrize(
    ("truth", "pick"),
    [
        (0.6, lambda report: report.intervals["old"]),
        (0.3, lambda report: report.intervals["young"]),
        (0.3, lambda report: report.gap_interval),
        (0.5, lambda report: report.ratio_interval),
    ],
    ids=["old", "young", "gap", "ratio"],
)
def test_intervals_of_group_rates_cover(truth, pick):
    assert LOW <= share_covered(chosen, truth, pick) <= HIGH


def test_rate_intervals_at_0_and_1_are_one_sided():
    report = demographic_parity([1, 1, 0, 0], ["a", "a", "b", "b"])
    assert report.intervals["a"][1] == 1
    assert report.intervals["b"][0] == 0
    assert 0 < report.intervals["a"][0] < 1


def test_rank_fairness_is_1_minus_half_the_sum_of_gaps():
    # Three slots of four go to a, and half are meant to.
    lists = [[0, 1, 2, 5]]
    groups = ["a"] * 5 + ["b"] * 5
    fair = attention_weighted_rank_fairness(
        lists, groups, attention="none", distance="total-variation"
    )
    assert fair == pytest.approx([1 - 0.25])


@pytest.mark.parametrize("seed", range(5))
def test_both_gini_implementations_agree(seed):
    counts = np.random.default_rng(seed).integers(0, 20, 12).astype(float)
    assert _checks.gini(counts) == pytest.approx(beyond_accuracy.gini(counts), abs=1e-15)
    assert _checks.gini(np.ones(7)) == pytest.approx(0, abs=1e-15)


def test_the_error_of_the_mean_weight():
    propensities = np.array([0.5, 0.25, 0.1, 0.8])
    target = np.array([0.4, 0.5, 0.2, 0.1])
    weights = target / propensities
    found = weight_diagnostics(propensities, target)
    assert found.mean == pytest.approx(weights.mean())
    half = 1.959964 * weights.std(ddof=1) / 2
    assert found.mean_interval == pytest.approx((found.mean - half, found.mean + half))
