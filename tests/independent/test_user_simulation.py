"""What the section on user simulation prints, recomputed without the package.

The feed is written down once more, and draws numpy's random numbers in the same order; behaviour,
intervals and differences are loops and formulas.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from scipy import stats

from tests.independent.test_movielens import format_row, read_printed

READ = (0.9, 0.6, 0.4)
TRIED = (-2.6, -2.35, -2.1)
# How large the score is, and how much a visitor's own taste counts in it.
OLD, NEW = (3.0, 0.0), (2.0, 1.0)
SPREADS = {"no own taste": 0.0, "half the spread": 0.5, "the full spread": 1.0}
STRIDES = [s for s in range(1, 300) if math.gcd(s, 300) == 1]


@pytest.fixture(scope="module")
def told():
    return read_printed("06_bias_lab")


def draw_visits(level, spread, policy, n, seed):
    """Return the visitors, films and clicks of n pages."""
    rng = np.random.default_rng([0, 7])
    popularity = level + 0.7 * rng.standard_normal(300)
    tastes = spread * rng.standard_normal((2_000, 3))
    films = 0.6 * rng.standard_normal((300, 3))

    rng = np.random.default_rng([seed, 8])
    visitor = rng.integers(2_000, size=n)
    first = rng.integers(300, size=(n, 1))
    pool = (first + rng.choice(STRIDES, size=(n, 1)) * np.arange(10)) % 300
    liking = popularity[pool] + (tastes[visitor][:, None, :] * films[pool]).sum(axis=2)
    sharpness, share = policy
    score = sharpness * (popularity[pool] + share * (liking - popularity[pool]))
    noisy = score + rng.gumbel(size=score.shape)
    shown = np.argsort(-noisy, axis=1)[:, :3]
    likes = rng.random((n, 3)) < 1 / (1 + np.exp(-np.take_along_axis(liking, shown, axis=1)))
    clicks = likes & (rng.random((n, 3)) < np.array(READ))
    return visitor, np.take_along_axis(pool, shown, axis=1), clicks


@cache
def fitted(spread):
    """Return the level at which the click rate is that of the log, between the levels tried."""
    wanted = draw_visits(-2.5, 1.0, OLD, 40_000, 1)[2].mean()
    rates = [draw_visits(level, spread, OLD, 40_000, 5)[2].mean() for level in TRIED]
    for place in range(2):
        if wanted <= rates[place + 1]:
            part = (wanted - rates[place]) / (rates[place + 1] - rates[place])
            return TRIED[place] + part * (TRIED[place + 1] - TRIED[place])
    raise AssertionError("no level gives this click rate")


def count_behaviour(visits):
    """Return the clicks and the number of chances of each statistic."""
    visitor, films, clicks = visits
    found = {f"slot {slot + 1}": (int(clicks[:, slot].sum()), len(clicks)) for slot in range(3)}
    found["two or more clicks"] = int((clicks.sum(axis=1) >= 2).sum()), len(clicks)
    before, again, times = {}, 0, 0
    for who, page, clicked in zip(visitor.tolist(), films.tolist(), clicks.tolist(), strict=True):
        for film, is_click in zip(page, clicked, strict=True):
            if before.get((who, film)):
                times += 1
                again += is_click
            before[who, film] = is_click
    found["click after a click"] = again, times
    return found


def exact_ends(some, n, error):
    beta = stats.beta.ppf
    low = float(beta(error / 2, some, n - some + 1)) if some else 0.0
    return low, float(beta(1 - error / 2, some + 1, n - some)) if some < n else 1.0


def difference_of_shares(one, other, error):
    """Return the difference with Newcombe's interval, from exact limits of both shares."""
    (x, n), (y, m) = one, other
    p, q = x / n, y / m
    (p_low, p_high), (q_low, q_high) = exact_ends(x, n, error), exact_ends(y, m, error)
    low = q - p - math.hypot(q - q_low, p_high - p)
    return q - p, low, q - p + math.hypot(q_high - q, p - p_low)


def test_behaviour_of_the_simulator_without_tastes(told):
    logged = count_behaviour(draw_visits(-2.5, 1.0, OLD, 40_000, 1))
    simulated = count_behaviour(draw_visits(fitted(0.0), 0.0, OLD, 40_000, 2))
    excluding_0 = []
    for name, (some, n) in logged.items():
        clicks, times = simulated[name]
        gap, low, high = difference_of_shares((some, n), (clicks, times), 0.01)
        assert format_row(name, some / n, clicks / times, gap, low, high) in told
        if not low < 0 < high:
            excluding_0.append(name)
    assert excluding_0 == ["click after a click"]


def test_differences_between_two_policies(told):
    worlds = {"A/B test": (-2.5, 1.0)}
    worlds |= {name: (fitted(spread), spread) for name, spread in SPREADS.items()}
    for number, (name, (level, spread)) in enumerate(worlds.items()):
        n = 100_000 if number else 20_000
        before = 100.0 * draw_visits(level, spread, OLD, n, 11 + number)[2].sum(axis=1)
        after = 100.0 * draw_visits(level, spread, NEW, n, 21 + number)[2].sum(axis=1)
        variances = before.var(ddof=1) / n, after.var(ddof=1) / n
        freedom = sum(variances) ** 2 / sum(v**2 / (n - 1) for v in variances)
        half = float(stats.t.ppf(0.975, freedom)) * math.sqrt(sum(variances))
        gain = float(after.mean() - before.mean())
        assert format_row(name, gain, gain - half, gain + half) in told
