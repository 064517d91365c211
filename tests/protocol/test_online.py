"""Rates and durations of live traffic, the A/B test, and looking while it runs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from recsys_metrics.protocol.online import (
    ab_test,
    always_valid_interval,
    bounce_rate,
    click_through_probability,
    click_through_rate,
    clicks_per_user,
    conversion_rate,
    dwell_time,
    mann_whitney,
    sample_ratio,
    sequential_test,
    trimmed_mean,
)
from recsys_metrics.protocol.significance import Conclusion, bootstrap_interval
from tests.examples import examples

ALTERNATIVES = ["two-sided", "greater", "less"]
samples = st.lists(st.integers(0, 6).map(float), min_size=1, max_size=12)


def test_rates_of_arrays_and_of_zero_impressions():
    rates = click_through_rate([1, 0, 0], [4, 5, 0])
    assert rates[:2].tolist() == [0.25, 0.0]
    assert np.isnan(rates[2])
    assert clicks_per_user([3, 8], 4).tolist() == [0.75, 2.0]
    assert np.isnan(conversion_rate(0, clicks=0))
    assert isinstance(click_through_probability(np.int64(1), 2), float)


@examples(60)
@given(st.lists(st.integers(-50, 50).map(float), min_size=1, max_size=30), st.floats(0, 0.49))
def test_trimmed_mean_equals_scipy(values, trim):
    assert trimmed_mean(values, trim=trim) == pytest.approx(stats.trim_mean(values, trim))


def test_trimming_an_integer_number_of_values_is_exact():
    # 0.29 of 100 is 28.999… in binary.
    values = np.r_[np.full(29, -1e6), np.arange(42.0), np.full(29, 1e6)]
    assert trimmed_mean(values, trim=0.29) == np.arange(42).mean()


@examples(80)
@given(samples, samples, st.sampled_from(ALTERNATIVES), st.booleans())
def test_mann_whitney_test_equals_scipy(a, b, alternative, correction):
    found = mann_whitney(a, b, alternative=alternative, correction=correction)
    wins = np.greater.outer(b, a).sum() + 0.5 * np.equal.outer(b, a).sum()
    assert found.statistic == wins
    assert found.superiority == pytest.approx(wins / (len(a) * len(b)))
    if len({*a, *b}) == 1:
        assert found.p_value == 1.0
        return
    right = stats.mannwhitneyu(b, a, alternative=alternative, use_continuity=correction)
    assert found.p_value == pytest.approx(right.pvalue)
    assert mann_whitney(a[::-1], b[::-1], correction=correction).statistic == found.statistic


def test_mann_whitney_methods():
    a, b = [1.0, 2.0, 3.5], [2.5, 4.0]
    for ours, theirs in (("exact", "exact"), ("approx", "asymptotic")):
        right = stats.mannwhitneyu(b, a, method=theirs).pvalue
        assert mann_whitney(a, b, method=ours).p_value == pytest.approx(right)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_ab_test_equals_welch(alternative):
    rng = np.random.default_rng(0)
    a, b = rng.normal(1, 1, 40), rng.normal(1.4, 2, 55)
    found = ab_test(a, b, alternative=alternative)
    right = stats.ttest_ind(b, a, equal_var=False, alternative=alternative)
    assert found.gain.statistic == pytest.approx(right.statistic)
    assert found.gain.p_value == pytest.approx(right.pvalue)
    ends = stats.ttest_ind(b, a, equal_var=False).confidence_interval()
    assert list(found.gain.interval) == pytest.approx([ends.low, ends.high])
    assert found.lift == pytest.approx(b.mean() / a.mean() - 1)
    assert (found.control, found.treatment) == pytest.approx((a.mean(), b.mean()))
    assert found.conclusion == Conclusion.of(found.gain)
    again = ab_test(a[::-1], b[::-1], alternative=alternative)
    assert again.gain.p_value == found.gain.p_value


def test_ab_test_of_a_ratio_counts_users_not_events():
    rng = np.random.default_rng(3)

    def group(rate):
        shown = rng.geometric(0.05, 3000)
        taste = rng.beta(2, 2 / rate - 2, 3000)
        return rng.binomial(shown, taste), shown

    (a, a_shown), (b, b_shown) = group(0.1), group(0.1)
    found = ab_test(a, b, control_per=a_shown, treatment_per=b_shown)
    assert found.control == pytest.approx(a.sum() / a_shown.sum())

    def ratio(rows):
        return rows[:, 0].sum() / rows[:, 1].sum()

    # The delta method's error against the users resampled.
    one = bootstrap_interval(np.column_stack([a, a_shown]), statistic=ratio, n_resamples=800)
    two = bootstrap_interval(np.column_stack([b, b_shown]), statistic=ratio, n_resamples=800)
    both = np.hypot(one.half_width, two.half_width)
    assert found.gain.interval.half_width == pytest.approx(both, rel=0.1)
    # Events as if they were independent give a much smaller error.
    pooled = a.sum() / a_shown.sum()
    naive = 1.96 * np.sqrt(pooled * (1 - pooled) * (1 / a_shown.sum() + 1 / b_shown.sum()))
    assert naive < 0.7 * found.gain.interval.half_width
    # With a denominator of 1 it is the mean.
    plain = ab_test(a, b)
    ones = ab_test(a, b, control_per=np.ones(3000), treatment_per=np.ones(3000))
    assert ones.gain.p_value == pytest.approx(plain.gain.p_value)


def test_a_sample_ratio_mismatch_gives_no_conclusion():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=2000), rng.normal(1, 1, 1700)
    broken = ab_test(a, b)
    assert broken.ratio.mismatch
    assert str(broken) == (
        "no conclusion: sample ratio mismatch, the groups have 2,000 and 1,700 users where 1,850 "
        f"and 1,850 were expected (p = {broken.ratio.p_value:.2g}). Find out which users are "
        "missing first"
    )
    meant = ab_test(a, b, shares=(20, 17))
    assert not meant.ratio.mismatch
    assert str(meant).startswith("better: difference ")


def test_sample_ratio_is_the_chi_squared_test():
    found = sample_ratio([500, 560, 530], shares=[1, 1, 1])
    right = stats.chisquare([500, 560, 530])
    assert (found.statistic, found.p_value) == pytest.approx((right.statistic, right.pvalue))
    assert sample_ratio([10, 90], shares=[0.1, 0.9]).p_value == 1.0
    assert found.expected == (530, 530, 530)


def test_always_valid_interval_and_p_value_agree():
    gains = np.linspace(-0.1, 0.1, 41)
    errors = np.full(41, 0.02)
    for level in (0.8, 0.95):
        found = always_valid_interval(gains, errors, expected_gain=0.03, level=level)
        holds = (found.low <= 0) & (found.high >= 0)
        assert (holds == (found.p_value > 1 - level)).all()
        one = always_valid_interval(gains[3], 0.02, expected_gain=0.03, level=level)
        assert (one.low, one.high, one.p_value) == (found.low[3], found.high[3], found.p_value[3])
    # Never below one and a half times the width for a single look.
    ratios = [
        always_valid_interval(0.0, e, expected_gain=1.0).high / (1.959964 * e)
        for e in np.geomspace(0.001, 100, 400)
    ]
    assert 1.5 < min(ratios) < 1.56


def test_peeking_is_safe_with_always_valid_intervals_only():
    rng = np.random.default_rng(0)
    runs, users = 600, 2000
    looks = np.arange(100, users + 1, 20)
    gains = np.cumsum(rng.normal(size=(runs, users)), axis=1)[:, looks - 1] / looks
    errors = np.broadcast_to(1 / np.sqrt(looks), gains.shape)
    ever_fixed = (np.abs(gains) > 1.96 * errors).any(axis=1).mean()
    found = always_valid_interval(gains, errors, expected_gain=0.1)
    ever_valid = (found.p_value <= 0.05).any(axis=1).mean()
    assert ever_fixed > 0.25
    assert ever_valid <= 0.05
    assert ((found.low <= 0) & (found.high >= 0)).all(axis=1).mean() >= 0.95


def test_sequential_test_stops_for_a_true_effect():
    rng = np.random.default_rng(1)
    old, new = rng.normal(1, 1, 5000), rng.normal(1.1, 1, 5000)
    stopped = [
        n
        for n in range(500, 5001, 500)
        if 0 not in sequential_test(old[:n], new[:n], expected_gain=0.1).gain.interval
    ]
    assert stopped
    found = sequential_test(old, new, expected_gain=0.1).gain
    assert found.p_value == pytest.approx(min(1.0, 1 / found.statistic))
    assert Conclusion.of(found).outcome == "better"
    assert found.gain == pytest.approx(new.mean() - old.mean())
    planned = ab_test(old, new).gain.interval
    assert found.interval.half_width > 1.5 * planned.half_width


@pytest.mark.slow
def test_peeking_from_the_minimum_sample_size_keeps_the_error_rate():
    rng = np.random.default_rng(2)
    users = np.arange(1, 801)
    for draw in (rng.normal, rng.exponential):
        old, new = draw(size=(2, 1000, 800))
        # The variance of each mean so far, and the gain.
        means = [group.cumsum(axis=1) / users for group in (old, new)]
        squares = [(group**2).cumsum(axis=1) for group in (old, new)]
        with np.errstate(divide="ignore", invalid="ignore"):
            errors = [
                (square / users - mean**2) / (users - 1)
                for square, mean in zip(squares, means, strict=True)
            ]
        for first, most in ((1, 1.0), (100, 0.05)):
            gain, squared = (means[1] - means[0])[:, first:], (errors[0] + errors[1])[:, first:]
            looks = always_valid_interval(gain, np.sqrt(squared), expected_gain=0.3)
            fooled = ((looks.low > 0) | (looks.high < 0)).any(axis=1).mean()
            assert fooled <= most
            if first == 1:
                assert fooled > 0.05
        found = sequential_test(old[0], new[0], expected_gain=0.3)
        assert found.gain.interval.low == pytest.approx(looks.low[0, -1])


@pytest.mark.slow
def test_the_sample_ratio_can_be_checked_at_every_look():
    rng = np.random.default_rng(3)
    control = rng.binomial(200, 0.5, (300, 40)).cumsum(axis=1)
    users = 200 * np.arange(1, 41)
    checks = [
        min(
            sample_ratio([some, total - some], looks="any").p_value
            for some, total in zip(row.tolist(), users.tolist(), strict=True)
        )
        for row in control
    ]
    assert np.mean(np.array(checks) < 0.05) <= 0.05
    broken = sample_ratio([50_000, 52_000], looks="any")
    assert broken.mismatch
    assert broken.p_value == pytest.approx(1 / broken.statistic)
    old, new = rng.normal(size=9_000), rng.normal(size=8_000)
    found = sequential_test(old, new, expected_gain=0.1)
    assert found.ratio.mismatch
    assert str(found).startswith(
        "no conclusion: sample ratio mismatch, the groups have 9,000 and 8,000 users"
    )
    assert not sequential_test(old, new, expected_gain=0.1, shares=(9, 8)).ratio.mismatch


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: click_through_rate(5, 4), ValueError, r"more clicks \(5\) than impressions \(4\)"),
        (lambda: click_through_rate(-1, 4), ValueError, "clicks is -1; a count is 0 or more"),
        (lambda: click_through_rate(1, np.nan), ValueError, "impressions is nan"),
        (lambda: click_through_rate("a", 4), TypeError, "clicks must be counts"),
        (lambda: click_through_rate([1, 2], [3, 4, 5]), ValueError, r"clicks has shape \(2,\)"),
        (lambda: conversion_rate(1), TypeError, "give clicks= or users="),
        (lambda: conversion_rate(1, clicks=2, users=3), TypeError, "give clicks= or users="),
        (lambda: conversion_rate(3, users=2), ValueError, r"more conversions \(3\) than users"),
        (lambda: click_through_probability(3, 2), ValueError, "more users_who_clicked"),
        (lambda: bounce_rate([]), ValueError, "pages is empty"),
        (lambda: bounce_rate([1, 0]), ValueError, r"pages\[1\] is 0; a session views"),
        (lambda: bounce_rate([1, 1.5]), ValueError, r"pages\[1\] is 1.5"),
        (lambda: bounce_rate([1], by="users"), ValueError, "needs users="),
        (lambda: bounce_rate([1], by="pages"), ValueError, "by must be one of"),
        (lambda: bounce_rate([1], users=["a", "b"]), ValueError, "1 sessions and users of shape"),
        (
            lambda: dwell_time([1, 9], [2, 3]),
            ValueError,
            "dwell time 1 ends at 3, before it starts",
        ),
        (lambda: dwell_time(1, [2, 3]), ValueError, r"start has shape \(\)"),
        (lambda: dwell_time(np.nan, 2), ValueError, "start is nan; a time is finite"),
        (lambda: dwell_time("noon", 2), TypeError, "start must be times as numbers"),
        (lambda: trimmed_mean([1, 2], trim=0.5), ValueError, "from 0 to 0.5; got 0.5"),
        (lambda: trimmed_mean([]), ValueError, "0 values, but it takes at least 1"),
        (lambda: trimmed_mean([1, np.nan]), ValueError, "missing='omit'"),
        (lambda: mann_whitney([], [1]), ValueError, "a: 0 values"),
        (lambda: mann_whitney([1], [2], method="x"), ValueError, "method must be one of"),
        (lambda: sample_ratio([5]), ValueError, "two groups or more"),
        (lambda: sample_ratio([0, 0]), ValueError, "no user in any group"),
        (lambda: sample_ratio([1.5, 2]), TypeError, "a group's count is a whole number"),
        (lambda: sample_ratio([1, 2], shares=[1, 0]), ValueError, "one number above 0 per group"),
        (lambda: ab_test([1], [1, 2]), ValueError, "control: 1 value, but it takes at least 2"),
        (lambda: ab_test([1, 1], [2, 2]), ValueError, r"control: all 2 .* the same value \(1\)"),
        (
            lambda: ab_test([1e308, 1], [2, 3]),
            ValueError,
            "control.0. is 1e.308, too large to square",
        ),
        (lambda: sample_ratio([1, 2], looks="two"), ValueError, "looks must be one of"),
        (lambda: ab_test([1, 2], [1, np.inf]), ValueError, r"treatment\[1\] is inf"),
        (
            lambda: ab_test([1, 2], [1, 2], control_per=[1, 1]),
            TypeError,
            "denominators of both groups",
        ),
        (
            lambda: ab_test([1, 2], [1, 2], control_per=[1], treatment_per=[1, 1]),
            ValueError,
            "control_per: 1 value",
        ),
        (
            lambda: ab_test([1, 2, 3], [1, 2], control_per=[1, 1], treatment_per=[1, 1]),
            ValueError,
            "control has 3 users and control_per 2",
        ),
        (
            lambda: ab_test([1, 2], [1, 2], control_per=[0, 0], treatment_per=[1, 1]),
            ValueError,
            "control_per is 0 for every user, so there is nothing to divide by; wait until",
        ),
        (
            lambda: ab_test([1, 2], [1, 2], control_per=[1, 2], treatment_per=[1, -1]),
            ValueError,
            r"treatment_per\[1\] is -1; a denominator is 0 or more",
        ),
        (
            # A ratio of 1e-200, whose square is no float: all users seemed to be the same.
            lambda: ab_test(
                [1e-100, 3e-100], [1, 2], control_per=[1e100, 1e100], treatment_per=[1, 1]
            ),
            ValueError,
            "too small to square; multiply all values by one number first",
        ),
        (
            lambda: ab_test([1e100, 3e100], [1, 2], control_per=[1e-99] * 2, treatment_per=[1, 1]),
            ValueError,
            "too large to square; divide all values by one number first",
        ),
        (
            lambda: sequential_test([1] * 100, [2] * 100, expected_gain=1),
            ValueError,
            "wait for more users",
        ),
        (
            lambda: sequential_test(range(100), range(99), expected_gain=1),
            ValueError,
            "treatment has 99 users; the variance of fewer than 100",
        ),
        (
            lambda: sequential_test(range(100), range(100), expected_gain=0),
            ValueError,
            "expected_gain is a finite number above 0",
        ),
        (
            lambda: sequential_test([1, 2], [2, 2], expected_gain=1, control_per=[1, 1]),
            TypeError,
            "denominators of both groups",
        ),
        (
            lambda: always_valid_interval([1, 2], [1], expected_gain=1),
            ValueError,
            r"gain has shape \(2,\)",
        ),
        (lambda: always_valid_interval(1, 0, expected_gain=1), ValueError, "finite and above 0"),
    ],
)
def test_invalid_arguments_raise(call, error, message):
    with pytest.raises(error, match=message):
        call()
