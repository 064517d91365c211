"""Estimators held against the truth: by hand, identities, simulated coverage, refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from recsys_metrics.bias.off_policy import Estimate, evaluate_estimators, ips, snips

NUMBERS = st.lists(st.floats(-5, 5), min_size=2, max_size=20)


def test_errors_computed_by_hand():
    found = evaluate_estimators([{"a": 0.5, "b": 0.4}, {"a": 0.2, "b": 0.4}], 0.4)
    one = found["a"]
    assert [*found] == ["a", "b"]
    assert (one.n_logs, one.mean) == (2, pytest.approx(0.35))
    assert one.bias == pytest.approx(-0.05)
    assert one.mean_squared_error == pytest.approx((0.01 + 0.04) / 2)
    assert one.relative_error == pytest.approx((0.25 + 0.5) / 2)
    assert one.standard_deviation == pytest.approx(0.3 / math.sqrt(2))
    half = 1.959964 * 0.15
    assert one.bias_interval == pytest.approx((-0.05 - half, -0.05 + half))
    assert math.isnan(one.coverage)
    assert math.isnan(one.effective_sample_size)
    assert (found["b"].mean_squared_error, found["b"].relative_error) == (0, 0)


@given(NUMBERS, st.floats(0.1, 3))
def test_squared_error_is_squared_bias_plus_variance(values, truth):
    one = evaluate_estimators([{"a": value} for value in values], truth)["a"]
    n = len(values)
    total = one.bias**2 + one.standard_deviation**2 * (n - 1) / n
    assert one.mean_squared_error == pytest.approx(total, abs=1e-9)
    moved = evaluate_estimators([{"a": value + 1} for value in values], np.full(n, truth + 1))["a"]
    assert moved.mean_squared_error == pytest.approx(one.mean_squared_error, abs=1e-9)
    assert moved.bias == pytest.approx(one.bias, abs=1e-9)


def test_each_log_may_have_its_own_truth():
    one = evaluate_estimators([{"a": 2.0}, {"a": 3.0}], [1.0, 4.0])["a"]
    assert (one.bias, one.mean_squared_error) == (0, 1)
    assert one.relative_error == pytest.approx((1 + 1 / 4) / 2)
    assert math.isnan(evaluate_estimators([{"a": 2.0}] * 2, [1.0, 0.0])["a"].relative_error)


def test_coverage_counts_the_intervals_of_the_estimates():
    rng = np.random.default_rng(1)

    def logs():
        for _ in range(300):
            of_b = rng.random(200) < 0.3
            log = rng.random(200) < np.where(of_b, 0.5, 0.2), np.where(of_b, 0.3, 0.7), 1 / 2
            yield {"ips": ips(*log), "snips": snips(*log)}

    rows = [*logs()]
    for name, one in evaluate_estimators(rows, 0.35).items():
        ends = [row[name].interval(method="normal") for row in rows]
        held = sum(low <= 0.35 <= high for low, high in ends)
        assert one.coverage == held / 300
        assert one.coverage_interval == pytest.approx(
            proportion_confint(held, 300, method="beta"), abs=1e-9
        )
        assert one.coverage > 0.9
        assert isinstance(rows[0][name], Estimate)
        assert one.effective_sample_size == pytest.approx(
            np.mean([row[name].effective_sample_size for row in rows])
        )
        assert one.bias_interval[0] < 0 < one.bias_interval[1]
    narrow = evaluate_estimators(rows, 0.35, level=0.5)["ips"]
    assert 0.4 < narrow.coverage < 0.6


@pytest.mark.parametrize(
    ("rows", "truth", "message"),
    [
        ([], 1, "contains no log"),
        ([{"a": 1}, {"b": 1}], 1, "log 1 has estimates by b, and the first log by a"),
        ([{"a": 1}, {"a": math.nan}], 1, r"estimates by a\[1\] is nan"),
        ([{"a": 1}], [1, 2], "2 truths for 1 logs"),
        ([{"a": 1}], math.inf, r"truth\[0\] is inf"),
    ],
)
def test_invalid_rows_and_truths_raise(rows, truth, message):
    with pytest.raises(ValueError, match=message):
        evaluate_estimators(rows, truth)
