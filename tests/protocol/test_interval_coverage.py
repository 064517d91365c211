"""How often intervals hold the truth: exact for shares, simulated for other values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import gammaln

from recsys_metrics._core import confidence_intervals
from recsys_metrics.protocol.online import ab_test
from recsys_metrics.protocol.significance import (
    gain_interval,
    mcnemar,
    mean_interval,
    proportion_interval,
)
from tests.examples import examples

SIZES = [2, 3, 5, 10, 20, 50, 100, 300, 1000]
RATES = np.geomspace(0.005, 0.5, 60)
SHARES = (0.0, 1.0)


def t_interval_of_hits(hits, n):
    share = hits / n
    half = stats.t.ppf(0.975, n - 1) * np.sqrt(share * (1 - share) / (n - 1))
    return share - half, share + half


def wilson_interval(hits, n):
    z = stats.norm.ppf(0.975)
    middle = (hits + z * z / 2) / (n + z * z)
    half = z / (n + z * z) * np.sqrt(hits * (n - hits) / n + z * z / 4)
    return np.where(hits > 0, middle - half, 0), np.where(hits < n, middle + half, 1)


def coverage_of_shares(interval, n):
    """Return, exactly, how often the interval of n users holds each of the rates."""
    hits = np.arange(n + 1)
    low, high = interval(hits, n)
    inside = (low <= RATES[:, None]) & (RATES[:, None] <= high)
    return (stats.binom.pmf(hits, n, RATES[:, None]) * inside).sum(axis=1)


def test_exact_interval_of_a_share_covers_at_every_n_and_rate():
    for n in SIZES:
        held = coverage_of_shares(lambda k, n: confidence_intervals.of_proportion(k, n, 0.95), n)
        assert held.min() >= 0.95
        # The values' mean and deviation lead to the same interval as the counts.
        hits = np.arange(n + 1)
        share = hits / n
        deviation = np.sqrt(share * (1 - share) * n / (n - 1))
        low, high = confidence_intervals.of_mean(share, deviation, n, SHARES, 0.95)
        right = confidence_intervals.of_proportion(hits, n, 0.95)
        np.testing.assert_allclose((low, high), right, atol=1e-12)
    assert coverage_of_shares(t_interval_of_hits, 2).min() < 0.02
    assert coverage_of_shares(t_interval_of_hits, 1000)[0] < 0.90
    # What the docstring of `proportion_interval` says of Wilson's, which is not used.
    wilson = [coverage_of_shares(wilson_interval, n) for n in SIZES]
    assert np.mean(wilson) == pytest.approx(0.95, abs=0.005)
    assert np.min(wilson) < 0.84


@examples(60)
@given(st.integers(1, 400), st.data(), st.sampled_from([0.8, 0.95, 0.99]))
def test_proportion_interval_equals_scipy(n, data, level):
    hits = data.draw(st.integers(0, n))
    found = proportion_interval(hits, n, level=level)
    right = stats.binomtest(hits, n).proportion_ci(level, method="exact")
    assert list(found) == pytest.approx([right.low, right.high], abs=1e-12)
    assert found.estimate == hits / n


def test_proportion_interval_computed_by_hand():
    # No hit among n: the share at which that has a chance of a fortieth.
    assert proportion_interval(0, 20).high == pytest.approx(1 - 0.025 ** (1 / 20))
    assert list(proportion_interval(1, 1)) == pytest.approx([0.025, 1])
    with pytest.raises(ValueError, match="3 of 2 users cannot have a hit"):
        proportion_interval(3, 2)


# Values of one user of the usual measures, and some that are hard on any interval.
RECIPROCAL = 1 / np.arange(1, 11)
DISCOUNTS = 1 / np.log2(np.arange(2, 12))


def _sometimes(share, of_size):
    return lambda rng, size: (rng.random(size) < share) * of_size(rng, size)


def _kinds():
    kinds = {
        "flat": lambda rng, size: rng.random(size),
        "diverse": lambda rng, size: rng.beta(30, 20, size),
        "high": lambda rng, size: 1 - rng.beta(0.5, 9, size),
        "low": lambda rng, size: np.minimum(rng.exponential(0.05, size), 1),
        "skewed": lambda rng, size: np.minimum(0.02 * np.exp(rng.normal(size=size)), 1),
    }
    of_size = {
        "reciprocal rank": lambda rng, size: rng.choice(RECIPROCAL, size),
        "ndcg of one": lambda rng, size: rng.choice(DISCOUNTS, size),
        "precision": lambda rng, size: (1 + rng.binomial(9, 0.15, size)) / 10,
        "recall": lambda rng, size: rng.choice([1, 1, 0.5, 0.5, 1 / 3, 0.25], size),
    }
    for share in (0.02, 0.1, 0.3, 0.7):
        kinds |= {f"{name} {share}": _sometimes(share, f) for name, f in of_size.items()}
    return kinds


def _moments(values):
    deviation = values.std(axis=1, ddof=1)
    flat = values.max(axis=1) == values.min(axis=1)
    return values.mean(axis=1), np.where(flat, 0.0, deviation)


@pytest.mark.slow
def test_interval_of_a_bounded_mean_covers_nearly_at_its_level():
    rng = np.random.default_rng(0)
    worst, worst_of_t = {}, {}
    for draw in _kinds().values():
        truth = draw(rng, 200_000).mean()
        for n in (2, 3, 5, 10, 20, 50, 100, 300):
            mean, deviation = _moments(draw(rng, (800, n)))
            low, high = confidence_intervals.of_mean(mean, deviation, n, SHARES, 0.95)
            assert low.min() >= 0
            assert high.max() <= 1
            assert (high > low).all()
            # The truth itself is an estimate; half of its own interval is allowed for.
            slack = 0.001 * truth
            held = ((low - slack <= truth) & (truth <= high + slack)).mean()
            worst[n] = min(worst.get(n, 1.0), held)
            half = stats.t.ppf(0.975, n - 1) * deviation / np.sqrt(n)
            held = (np.abs(mean - truth) <= half).mean()
            worst_of_t[n] = min(worst_of_t.get(n, 1.0), held)
    # About two standard errors of a simulation of 800 below what 3,000 samples gave.
    assert min(worst.values()) > 0.86
    assert worst_of_t[2] < 0.1
    assert worst_of_t[20] < 0.4


def test_an_unseen_kind_of_user_is_outside_the_interval_as_documented():
    # 1 user in 20 has 0.9. Without one among 20, which has a probability of 0.36, nothing tells.
    rng = np.random.default_rng(3)
    values = np.where(rng.random((2000, 20)) < 0.05, 0.9, 0.1 + 0.02 * rng.random((2000, 20)))
    low, high = confidence_intervals.of_mean(*_moments(values), 20, SHARES, 0.95)
    truth = 0.05 * 0.9 + 0.95 * 0.11
    assert ((low <= truth) & (truth <= high)).mean() == pytest.approx(0.64, abs=0.03)


def test_interval_of_a_difference_of_hits_covers():
    for n in (2, 4, 7, 10, 20, 50, 100):
        up, down = (grid.ravel() for grid in np.meshgrid(np.arange(n + 1.0), np.arange(n + 1.0)))
        up, down = up[up + down <= n], down[up + down <= n]
        mean = (up - down) / n
        deviation = np.sqrt(np.maximum(up + down - n * mean**2, 0) / (n - 1))
        low, high = confidence_intervals.of_gain(mean, deviation, n, up, down, SHARES, 0.95)
        assert low.min() >= -1
        assert high.max() <= 1
        assert (high > low).all()
        ways = gammaln(n + 1) - gammaln(up + 1) - gammaln(down + 1) - gammaln(n - up - down + 1)
        for moving in (0.01, 0.05, 0.2, 0.6, 0.9, 0.999):
            for rising in (0.5, 0.7, 0.99):
                p, q = moving * rising, moving * (1 - rising)
                chance = np.exp(
                    ways + up * np.log(p) + down * np.log(q) + (n - up - down) * np.log(1 - p - q)
                )
                held = chance[(low <= p - q) & (p - q <= high)].sum()
                assert held >= (0.95 if n >= 8 else 0.93)


def test_interval_of_a_difference_of_other_values_covers_nearly():
    rng = np.random.default_rng(1)
    sizes = {
        "reciprocal ranks": lambda size: rng.choice(RECIPROCAL - 0.05, size),
        "tenths": lambda size: rng.choice([0.1, 0.1, 0.1, 0.2], size),
        "small": lambda size: np.minimum(rng.exponential(0.1, size), 1),
    }
    for draw in sizes.values():
        typical = draw(200_000).mean()
        for moving in (0.02, 0.1, 0.5, 1.0):
            for rising in (0.5, 1.0):
                truth = typical * moving * (2 * rising - 1)
                for n in (2, 5, 20, 100, 300):
                    size = (500, n)
                    sign = np.where(rng.random(size) < rising, 1, -1)
                    gains = (rng.random(size) < moving) * sign * draw(size)
                    up, down = (gains > 0).sum(axis=1), (gains < 0).sum(axis=1)
                    low, high = confidence_intervals.of_gain(
                        *_moments(gains), n, up, down, SHARES, 0.95
                    )
                    assert (high > low).all()
                    # Gains of one sign, by few users and of very different sizes, are skewed.
                    least = 0.905 if rising == 0.5 else 0.78
                    assert ((low <= truth) & (truth <= high)).mean() > least


def test_interval_of_two_independent_shares_covers():
    rates = [0.005, 0.02, 0.1, 0.3, 0.5, 0.9]
    for n, m in [(2, 2), (5, 5), (10, 10), (50, 50), (10, 100), (100, 100)]:
        hits, others = np.arange(n + 1)[:, None], np.arange(m + 1)
        low, high = confidence_intervals.of_difference(
            hits / n,
            confidence_intervals.of_proportion(hits, n, 0.95),
            others / m,
            confidence_intervals.of_proportion(others, m, 0.95),
        )
        for p in rates:
            for q in rates:
                inside = (low <= p - q + 1e-12) & (p - q - 1e-12 <= high)
                chance = stats.binom.pmf(hits, n, p) * stats.binom.pmf(others, m, q)
                assert (chance * inside).sum() >= (0.95 if n + m > 40 else 0.925)


# One interval at a time -------------------------------------------------------------------------


@examples(80)
@given(
    st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=2, max_size=40),
    st.sampled_from([(0.0, 1.0), (-1.0, 2.0), (0.0, 7.5)]),
)
def test_mean_interval_is_equivariant_to_reflection_and_scale(values, bounds):
    found = mean_interval(values, bounds=(0, 1))
    assert 0 <= found.low < found.high <= 1
    assert found.low <= found.estimate <= found.high
    mirrored = mean_interval([1 - value for value in values], bounds=(0, 1))
    assert [1 - mirrored.high, 1 - mirrored.low] == pytest.approx(list(found), abs=1e-9)
    least, most = bounds
    stretched = mean_interval([least + (most - least) * value for value in values], bounds=bounds)
    assert [(end - least) / (most - least) for end in stretched] == pytest.approx(
        list(found), abs=1e-9
    )
    assert list(mean_interval(values[::-1], bounds=(0, 1))) == list(found)


def test_with_many_users_the_mean_interval_equals_the_t_interval():
    values = np.random.default_rng(2).beta(2, 3, 20_000)
    found = mean_interval(values, bounds=(0, 1))
    t = stats.ttest_1samp(values, 0).confidence_interval()
    assert list(found) == pytest.approx([t.low, t.high], abs=0.02 * found.half_width)
    other = np.clip(values + np.random.default_rng(3).normal(0, 0.1, 20_000), 0, 1)
    t = stats.ttest_rel(other, values).confidence_interval()
    found = gain_interval(values, other, bounds=(0, 1))
    assert list(found) == pytest.approx([t.low, t.high])
    # And of a billion values that hardly differ the ends are still apart.
    low, high = confidence_intervals.of_mean(0.3, 1e-5, 1e9, SHARES, 0.95)
    assert high - low == pytest.approx(2 * 1.96e-5 / np.sqrt(1e9), rel=0.01)


def test_constant_values_have_an_interval_with_width():
    # Nobody changed: a kind of user that is not among n is at most q of all.
    q = 1 - 0.025 ** (1 / 8)
    same = gain_interval([0.3] * 8, [0.3] * 8, bounds=(0, 1))
    assert list(same) == pytest.approx([-q, q])
    # Everybody gained 0.1: as if one more user had gained nothing.
    gained = gain_interval([0.3] * 8, [0.4] * 8, bounds=(0, 1))
    assert gained.half_width == pytest.approx(stats.t.ppf(0.975, 7) * 0.1 / 8)
    for n in (8, 60, 500):
        assert mean_interval([0.3] * n, bounds=(0, 1)).half_width > 0
        assert gain_interval([0.3] * n, [0.4] * n, bounds=(0, 1)).half_width > 0
        with pytest.raises(ValueError, match=f"all {n} users have the same value"):
            mean_interval([0.3] * n)
        with pytest.raises(ValueError, match=f"all {n} users have the same value in both"):
            gain_interval([0.3] * n, [0.3] * n)
    three = stats.ttest_1samp([1.0, 2.0, 4.0], 0).confidence_interval()
    assert list(mean_interval([1.0, 2.0, 4.0])) == pytest.approx([three.low, three.high])
    with pytest.raises(ValueError, match=r"values\[1\] is 1.5, outside the bounds"):
        mean_interval([0.5, 1.5], bounds=(0, 1))
    with pytest.raises(ValueError, match=r"b\[0\] is -1, outside the bounds"):
        gain_interval([0, 0], [-1, 1], bounds=(0, 1))
    with pytest.raises(ValueError, match="bounds are the least and the most"):
        mean_interval([0.5, 1.5], bounds=(1, 0))


def test_intervals_respect_a_one_sided_bound():
    values = np.random.default_rng(4).exponential(size=60)
    values[values < 1] = 0
    t = stats.ttest_1samp(values / 10, 0).confidence_interval()
    assert list(mean_interval(values / 10)) == pytest.approx([t.low, t.high])
    few = np.concatenate([np.zeros(59), [1.0]])
    assert mean_interval(few, bounds=(0, np.inf)).low == 0


def test_mcnemar_has_the_interval_of_a_difference_of_hits():
    rng = np.random.default_rng(5)
    old, new = rng.integers(0, 2, (2, 40))
    assert mcnemar(old, new).interval == gain_interval(old, new, bounds=(0, 1))


def test_an_ab_test_of_hits_is_a_test_of_proportions():
    # [0, 1] against [1, 1] printed [-5.853, 6.853].
    small = ab_test([0, 1], [1, 1])
    assert -1 <= small.gain.interval.low < small.gain.interval.high <= 1
    assert small.gain.p_value == 1
    sure = ab_test([0] * 5, [1] * 5)
    assert sure.gain.interval.low < 1 == sure.gain.interval.high
    rng = np.random.default_rng(6)
    old, new = rng.random(300) < 0.1, rng.random(250) < 0.2
    table = [[new.sum(), 250 - new.sum()], [old.sum(), 300 - old.sum()]]
    for alternative in ("greater", "less"):
        found = ab_test(old * 1, new * 1, alternative=alternative).gain
        right = stats.fisher_exact(table, alternative=alternative)
        assert found.p_value == pytest.approx(right.pvalue)
    found = ab_test(old * 1, new * 1)
    # Not of another test than the p-value.
    assert found.gain.statistic == pytest.approx(stats.fisher_exact(table).statistic)
    assert ab_test([0, 1, 0], [1, 1, 1]).gain.statistic == math.inf
    assert math.isnan(ab_test([0, 0], [0, 0]).gain.statistic)
    amounts = ab_test(old * 1, new * 1, outcome="amounts").gain
    welch = stats.ttest_ind(new * 1, old * 1, equal_var=False)
    assert amounts.p_value == pytest.approx(welch.pvalue)
    assert list(found.gain.interval) == pytest.approx(list(amounts.interval), abs=0.01)
    with pytest.raises(ValueError, match="outcome='hits' takes one 0 or 1 a user"):
        ab_test([0, 1, 2], [0, 1, 1], outcome="hits")
    with pytest.raises(ValueError, match="treatment: all 3 users have the same value"):
        ab_test([1.0, 2.0, 3.0], [2.0, 2.0, 2.0])


def test_the_gain_interval_computed_by_hand():
    # 2 of 10 users gain 0.3 and 0.1: mean 0.04, four degrees of freedom.
    gains = np.array([0.3, 0.1] + [0.0] * 8)
    spread = math.sqrt((gains.var(ddof=1) + 0.04**2 / 10) / 10)
    found = gain_interval(np.zeros(10), gains, bounds=(0, 1))
    assert found.estimate == pytest.approx(0.04)
    assert found.half_width == pytest.approx(stats.t.ppf(0.975, 4) * spread)


@pytest.mark.parametrize("n", [50, 139, 1000])
def test_equal_gains_move_an_end_gradually(n):
    ends = np.array([list(gain_interval(np.zeros(n), _equal_gains(n, c))) for c in range(3, 50)])
    moved = np.abs(np.diff(ends, axis=0)).max(axis=1)
    width = np.maximum(*(np.diff(ends, axis=1)[rows, 0] for rows in (slice(1, None), slice(-1))))
    assert (moved / width).max() < 0.25


def _equal_gains(n, changed):
    return np.where(np.arange(n) < changed, 0.05, 0.0)


def test_thirty_small_gains_without_a_loss_exclude_zero():
    # 30 of 139 users gain 0.05: the sign test gives p = 2e-9, and the interval agrees.
    low, _ = gain_interval(np.zeros(139), _equal_gains(139, 30), bounds=(0, 1))
    assert low > 0.005
    low, _ = gain_interval(np.zeros(139), _equal_gains(139, 4), bounds=(0, 1))
    assert low < 0
