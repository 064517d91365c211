"""The test of a quantile of two groups: ordered values by hand, identities, coverage."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from scipy.stats import binom

from recsys_metrics.protocol.online import quantile_test

TEN = np.arange(1.0, 11.0)
# With 10 values the chance that at most one is below the median is 11 / 1024.
EXACT = 1 - 2 * 11 / 1024


def test_interval_of_the_hand_computed_case():
    # Each median is 5.5 or 105.5 and lies between the 2nd and the 9th value, 3.5 to either side,
    # so the difference of 100 has the interval 100 -/+ 3.5 * sqrt(2).
    found = quantile_test(TEN, TEN + 100, quantile=0.5, level=EXACT)
    assert (found.control, found.treatment, found.gain.gain) == (5.5, 105.5, 100.0)
    half = 3.5 * np.sqrt(2)
    assert [*found.gain.interval] == pytest.approx([100 - half, 100 + half])
    assert found.lift == pytest.approx(100 / 5.5)


def test_distances_to_either_side_are_squared_and_added():
    # The 2nd and 9th values of the control are 1 below and 12 above its median.
    control = np.array([0, 1, 1, 2, 2, 2, 2, 5, 14, 99.0])
    found = quantile_test(control, TEN, quantile=0.5, level=EXACT)
    low, high = 3.5 - np.hypot(3.5, 12), 3.5 + np.hypot(3.5, 1)
    assert [*found.gain.interval] == pytest.approx([low, high])


@pytest.mark.parametrize(("n", "quantile"), [(50, 0.5), (400, 0.9), (3000, 0.99), (80, 0.2)])
def test_ends_are_within_one_ordered_value_of_the_exact_interval(n, quantile):
    values = np.sort(np.random.default_rng(n).lognormal(size=n))
    # A control that hardly varies leaves the treatment's own interval.
    control = np.linspace(0, 1e-12, n)
    low, high = quantile_test(control, values, quantile=quantile).gain.interval
    lower, upper = (int(place) for place in binom.ppf([0.025, 0.975], n, quantile))
    assert values[lower - 1] <= low <= values[lower]
    assert values[upper - 1] <= high <= values[upper]
    # Scipy's interval ends at ordered values, the next ones outwards.
    exact = scipy.stats.quantile_test(values, p=quantile).confidence_interval(0.95)
    assert exact.low <= low < high <= exact.high


def test_swapped_groups_change_the_sign():
    rng = np.random.default_rng(0)
    old, new = rng.lognormal(size=300), rng.lognormal(0.2, 1, 200)
    one, other = (quantile_test(*pair, quantile=0.75) for pair in ((old, new), (new, old)))
    assert one.gain.gain == -other.gain.gain
    assert [*one.gain.interval] == pytest.approx([-end for end in other.gain.interval][::-1])
    assert one.gain.p_value == pytest.approx(other.gain.p_value)
    assert one.gain.statistic == pytest.approx(-other.gain.statistic)


def test_the_p_value_is_the_alpha_at_which_the_interval_begins_to_exclude_0():
    rng = np.random.default_rng(3)
    old, new = rng.lognormal(size=200), rng.lognormal(0.25, 1, 200)
    p = quantile_test(old, new, quantile=0.5).gain.p_value
    assert 0.001 < p < 0.2
    wider, narrower = (
        quantile_test(old, new, quantile=0.5, level=1 - p * factor) for factor in (0.98, 1.02)
    )
    assert 0 in wider.gain.interval
    assert 0 not in narrower.gain.interval


def test_equal_groups_and_groups_far_apart():
    assert quantile_test(TEN, TEN, quantile=0.5, level=0.9).gain.p_value == 1
    far = quantile_test(np.arange(500.0), np.arange(500.0) + 1e6, quantile=0.5)
    assert far.gain.p_value < 1e-12


def test_the_interval_contains_the_true_difference_as_often_as_promised():
    rng, held = np.random.default_rng(5), 0
    for _ in range(400):
        old, new = rng.lognormal(0, 1, 120), rng.lognormal(0.3, 1, 90)
        interval = quantile_test(old, new, quantile=0.75).gain.interval
        upper = np.exp(0.6744897501960817)
        held += (np.exp(0.3) - 1) * upper in interval
    # 95% but for three standard errors of 400 draws.
    assert held / 400 > 0.95 - 3 * np.sqrt(0.95 * 0.05 / 400)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"quantile": 0.99}, "control has 10 users, too few for the 95% interval of the quantile"),
        ({"quantile": 1.0}, "quantile is a share between 0 and 1"),
        ({"quantile": 0.5, "level": 2}, "level is a confidence between 0 and 1"),
    ],
)
def test_what_cannot_be_tested_is_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        quantile_test(TEN, TEN + 1, **arguments)


def test_the_number_of_users_that_an_error_names_is_enough():
    # All of 368 values are below the 99th percentile with a chance of 0.0248, of 367 with 0.02501.
    assert 0.99**368 < 0.025 < 0.99**367
    with pytest.raises(ValueError, match="takes 368"):
        quantile_test(np.arange(367.0), np.arange(367.0), quantile=0.99)
    quantile_test(np.arange(368.0), np.arange(368.0), quantile=0.99)


def test_values_keyed_by_user_are_read():
    keyed = {f"u{i}": value for i, value in enumerate(TEN)}
    assert quantile_test(keyed, TEN + 1, quantile=0.5, level=0.9).gain.gain == 1
