"""What the section on auctions prints, recomputed without the package.

The auctions are drawn once more with numpy's random numbers, in the same order; the map, the
metrics and the intervals are loops and formulas.
"""

from __future__ import annotations

import math
from functools import cache
from statistics import mean, stdev

import numpy as np
import pytest
from scipy import stats

from tests.independent.test_movielens import format_row, read_printed

BEFORE, AFTER = "before Platt", "after Platt"


@pytest.fixture(scope="module")
def told():
    return read_printed("05_calibration_movielens")


def logit(p):
    return np.log(p) - np.log1p(-p)


def logistic(x):
    return 1 / (1 + np.exp(-x))


def draw_ads(n, n_ads, seed):
    """Return bids, true and predicted probabilities and clicks, drawn in the part's order."""
    rng = np.random.default_rng(seed)
    true = logistic(-3 + 0.6 * rng.standard_normal((n, n_ads)))
    predicted = logistic(logit(true) - 0.15 + 0.6 * rng.standard_normal((n, n_ads)))
    bids = np.exp(3.5 + 0.5 * rng.standard_normal((n, n_ads)))
    return bids, true, predicted, rng.random((n, n_ads)) < true


def fit_line(p, clicked):
    """Return slope and intercept of the logistic regression on the log-odds, by Newton steps."""
    x, a, b = logit(p), 1.0, 0.0
    for _ in range(30):
        q = logistic(a * x + b)
        weight, missing = q * (1 - q), clicked - q
        m11, m12, m22 = (weight * x * x).sum(), (weight * x).sum(), weight.sum()
        g1, g2 = (missing * x).sum(), missing.sum()
        determinant = m11 * m22 - m12 * m12
        a += (m22 * g1 - m12 * g2) / determinant
        b += (m11 * g2 - m12 * g1) / determinant
    return a, b


def auc(clicked, p):
    """Count the pairs of a click and no click in the right order."""
    without = np.sort(p[~clicked])
    below = np.searchsorted(without, p[clicked], side="left")
    not_above = np.searchsorted(without, p[clicked], side="right")
    return float((below + not_above).sum() / 2 / (clicked.sum() * (~clicked).sum()))


def entropy(clicked, p):
    rate = float(clicked.mean())
    loss = -float(np.where(clicked, np.log(p), np.log1p(-p)).mean())
    return loss / -(rate * math.log(rate) + (1 - rate) * math.log(1 - rate))


def sell(bids, p):
    """Return the winner of each auction and its price per click, one auction after another."""
    winners, prices = [], []
    for row, chance in zip(bids.tolist(), p.tolist(), strict=True):
        expected = [b * q for b, q in zip(row, chance, strict=True)]
        winner = max(range(len(row)), key=expected.__getitem__)
        second = max(e for ad, e in enumerate(expected) if ad != winner)
        winners.append(winner)
        prices.append(second / chance[winner])
    return winners, prices


def of_winners(table, winners):
    return [row[winner] for row, winner in zip(table.tolist(), winners, strict=True)]


def t_row(name, values):
    n, middle = len(values), mean(values)
    half = float(stats.t.ppf(0.975, n - 1)) * stdev(values) / math.sqrt(n)
    return format_row(name, middle, middle - half, middle + half)


@cache
def simulated():
    """Return the draws of the map and of the auctions of five ads, with both probabilities."""
    _, _, earlier, clicked = draw_ads(100_000, 1, seed=1)
    a, b = fit_line(earlier.ravel(), clicked.ravel())
    bids, true, predicted, clicks = draw_ads(20_000, 5, seed=2)
    return (
        bids,
        true,
        clicks,
        {
            BEFORE: predicted,
            AFTER: logistic(a * logit(predicted) + b),
        },
    )


def test_auction_of_three_ads(told):
    bids, right, sure = (60, 25, 90), (0.1, 0.2, 0.04), (0.09, 0.3, 0.02)
    for ad, b, p, q in zip("ABC", bids, right, sure, strict=True):
        assert format_row(ad, b, p, b * p, q, b * q) in told
    assert sell(np.array([bids]), np.array([right])) == ([0], [pytest.approx(50)])
    assert sell(np.array([bids]), np.array([sure])) == ([1], [pytest.approx(18)])


def test_ratio_and_entropy_of_ten_events(told):
    predicted = np.array([0.8] * 5 + [0.2] * 5)
    clicked = np.array([1, 1, 1, 0, 0, 1, 0, 0, 0, 0], dtype=bool)
    assert format_row("ratio", 5 / 4, 5 / 4) in told
    found = entropy(clicked, predicted)
    assert format_row("NE", found, found) in told


def test_metrics_of_all_ads_and_of_the_winners(told):
    bids, _, clicks, both = simulated()
    for name, p in both.items():
        winners, _ = sell(bids, p)
        of_all = float(p.sum() / clicks.sum())
        of_won = sum(of_winners(p, winners)) / sum(of_winners(clicks, winners))
        metrics = auc(clicks.ravel(), p.ravel()), entropy(clicks.ravel(), p.ravel())
        assert format_row(name, *metrics, of_all, of_won) in told


def test_gains_in_value_and_revenue(told):
    bids, true, _, both = simulated()
    value, revenue = {}, {}
    for name, p in both.items():
        winners, prices = sell(bids, p)
        chance = of_winners(true, winners)
        paid = of_winners(bids, winners)
        value[name] = [10 * b * p for b, p in zip(paid, chance, strict=True)]
        revenue[name] = [10 * c * p for c, p in zip(prices, chance, strict=True)]
    for name, of in (("value", value), ("revenue", revenue)):
        pairs = zip(of[AFTER], of[BEFORE], strict=True)
        assert t_row(name, [after - before for after, before in pairs]) in told
