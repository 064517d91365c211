"""Sample sizes of rates, ratios and unequal groups: by hand, against statsmodels, simulated."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.power import NormalIndPower, TTestIndPower
from statsmodels.stats.proportion import proportion_effectsize

from recsys_metrics.protocol import online
from recsys_metrics.protocol.online import ab_test, ratio_sd, sample_size


def test_users_of_a_rate_by_hand():
    # From 10% to 10.5%: (1.959964 sqrt(2 * 0.1025 * 0.8975) + 0.841621 sqrt(0.09 + 0.093975))^2
    # over 0.005^2 is 57,762 without the correction for an exact test, which adds 2 / 0.005.
    plain = (1.959964 * np.sqrt(2 * 0.1025 * 0.8975) + 0.841621 * np.sqrt(0.183975)) ** 2 / 2.5e-5
    assert plain == pytest.approx(57_762, abs=1)
    n = sample_size(0.005, rate=0.10)
    assert n == pytest.approx(plain + 2 / 0.005, abs=2)
    # The deviation of the base rate alone is 3% short of that, and statsmodels' arcsine 0.7%.
    assert sample_size(0.005, sd=np.sqrt(0.1 * 0.9)) == 56_513
    arcsine = NormalIndPower().solve_power(proportion_effectsize(0.105, 0.1), alpha=0.05, power=0.8)
    assert arcsine == pytest.approx(57_756, abs=1)
    assert plain == pytest.approx(arcsine, rel=2e-4)


@pytest.mark.parametrize(
    ("rate", "gain", "share"),
    [(0.2, 0.1, None), (0.01, 0.02, 0.2), (0.3, 0.1, 0.8)],
)
def test_fisher_s_test_has_the_power_that_was_planned(rate, gain, share):
    found = sample_size(gain, rate=rate, share=share)
    n, m = (found, found) if share is None else found
    rng, detected = np.random.default_rng(1), 0
    for hits, others in zip(
        rng.binomial(n, rate, 600), rng.binomial(m, rate + gain, 600), strict=True
    ):
        groups = np.repeat([0, 1], [n - hits, hits]), np.repeat([0, 1], [m - others, others])
        detected += ab_test(*groups, shares=(n, m)).gain.p_value < 0.05
    # 80% but for three standard errors of 600 draws, and at most 3 points more.
    error = 3 * np.sqrt(0.8 * 0.2 / 600)
    assert 0.8 - error < detected / 600 < 0.83 + error


@pytest.mark.parametrize("share", [0.1, 0.25, 0.4, 0.5, 0.9])
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_unequal_groups_have_the_power_of_statsmodels(share, alternative):
    control, treatment = sample_size(0.3, sd=1.5, share=share, alternative=alternative)
    assert treatment / (control + treatment) == pytest.approx(share, abs=0.005)
    kind = {"greater": "larger"}.get(alternative, alternative)

    def power(smaller, larger):
        ratio = larger / smaller
        return TTestIndPower().power(0.2, smaller, 0.05, ratio=ratio, alternative=kind)

    small, large = sorted((control, treatment))
    # Rounded first: in binary 0.9 / 0.1 is above 9.
    fewer = np.ceil(round((small - 1) * max(share, 1 - share) / min(share, 1 - share), 9))
    assert power(small, large) >= 0.8 > power(small - 1, fewer)


def test_half_of_the_users_is_what_equal_groups_have():
    for how in ({"sd": 1.5}, {"rate": 0.2}):
        n = sample_size(0.1, **how)
        assert sample_size(0.1, share=0.5, **how) == (n, n)
        sizes = sample_size(0.1, share=0.3, **how)
        assert isinstance(sizes, online.GroupSizes)
        assert sizes.control + sizes.treatment > 2 * n


def test_swapped_shares_swap_the_groups_of_means():
    one, other = (sample_size(0.3, sd=1.5, share=share) for share in (0.2, 0.8))
    assert one == other[::-1]


def test_the_deviation_of_a_ratio_by_hand():
    # R = 6 / 60; x - R y is 0, -0.5, 1, -0.5 with the variance 0.5, and the mean of y is 15.
    clicks, views = [1, 0, 3, 2], [10, 5, 20, 25]
    assert ratio_sd(clicks, views) == pytest.approx(np.sqrt(0.5) / 15)


def test_moments_and_users_give_the_same_deviation_and_it_is_that_of_the_test():
    rng = np.random.default_rng(2)
    views = rng.poisson(20, 400) + 1
    clicks = rng.binomial(views, 0.1)
    sd = ratio_sd(clicks, views)
    covariance = np.cov(clicks, views)
    assert sd == pytest.approx(
        ratio_sd(
            means=(clicks.mean(), views.mean()),
            variances=(covariance[0, 0], covariance[1, 1]),
            covariance=covariance[0, 1],
        )
    )
    more = clicks[:300] + rng.binomial(1, 0.5, 300)
    test = ab_test(clicks, more, control_per=views, treatment_per=views[:300])
    error = np.sqrt(sd**2 / 400 + ratio_sd(more, views[:300]) ** 2 / 300)
    assert test.gain.gain / test.gain.statistic == pytest.approx(error)


def test_the_users_of_a_ratio_have_the_power_that_was_planned():
    rng = np.random.default_rng(6)

    def users(n, rate):
        views = rng.poisson(5, n) + 1
        # Users differ in how often they click, so that impressions are not independent.
        return rng.binomial(views, rng.beta(2, 2 / rate - 2, n)), views

    sd = ratio_sd(*users(200_000, 0.2))
    n, detected = sample_size(0.03, sd=sd), 0
    for _ in range(400):
        (clicks, views), (others, shown) = users(n, 0.2), users(n, 0.23)
        test = ab_test(clicks, others, control_per=views, treatment_per=shown)
        detected += test.gain.p_value < 0.05
    assert detected / 400 == pytest.approx(0.8, abs=3 * np.sqrt(0.8 * 0.2 / 400) + 0.01)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "give either sd=, the standard deviation of the users' values, or rate="),
        ({"sd": 1, "rate": 0.5}, "give either sd="),
        ({"rate": 0.95}, "rate 0.95 and gain 0.1 add up to 1.05, which is no rate"),
        ({"rate": 0}, "rate is a share between 0 and 1"),
        ({"sd": 1, "share": 1}, "share is a share between 0 and 1"),
    ],
)
def test_what_cannot_be_planned_is_refused(arguments, words):
    with pytest.raises((TypeError, ValueError), match=words):
        sample_size(0.1, **arguments)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "give either numerator and denominator of each user, or means="),
        ({"numerator": [1, 2]}, "got one of them"),
        ({"numerator": [1, 2], "denominator": [1, 2], "covariance": 1}, "give either numerator"),
        (
            {"numerator": [1, 2], "denominator": [1, 2, 3]},
            "numerator has 2 users and denominator 3",
        ),
        ({"numerator": [1, 2], "denominator": [0, 0]}, "counts of 0 or more, and not only 0"),
        (
            {"numerator": [1, np.nan], "denominator": [1, 2]},
            "A user who did nothing has the value 0",
        ),
        ({"means": (1, 2), "variances": (1, 1)}, "all three"),
        ({"means": (1, 0), "variances": (1, 1), "covariance": 0}, "denominator is above 0; got 0"),
        ({"means": (1, 2), "variances": (1, 1), "covariance": 2}, "no two variables have the vari"),
        (
            {"means": (1, 2, 3), "variances": (1, 1), "covariance": 0},
            "means are two finite numbers",
        ),
    ],
)
def test_what_is_no_ratio_is_refused(arguments, words):
    with pytest.raises((TypeError, ValueError), match=words):
        ratio_sd(**arguments)


def test_columns_of_pandas_in_another_order_are_refused():
    clicks = pd.Series([1.0, 2, 3], index=["a", "b", "c"])
    with pytest.raises(ValueError, match="numerator and denominator are read row by row"):
        ratio_sd(clicks, pd.Series([9.0, 8, 7], index=["c", "b", "a"]))
