"""Intervals: Student's, the bootstrap, and the decision read from them."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from recsys_metrics.protocol.significance import (
    Conclusion,
    Interval,
    Significance,
    bootstrap_interval,
    minimum_detectable_effect,
    sign_test,
    t_interval,
    wilcoxon,
)
from tests.examples import examples

numbers = st.lists(st.integers(-20, 20).map(lambda x: x / 20), min_size=2, max_size=30)


@examples(60)
@given(numbers, st.sampled_from([0.8, 0.95, 0.99]))
def test_t_interval_equals_scipy(values, level):
    found = t_interval(values, level=level)
    if len(set(values)) == 1:
        assert (found.estimate, *found) == (values[0],) * 3
        return
    right = stats.ttest_1samp(values, 0).confidence_interval(level)
    assert list(found) == pytest.approx([right.low, right.high])
    assert found.half_width == pytest.approx(found.critical * found.standard_error)
    assert found.estimate in found
    assert list(t_interval(values[::-1], level=level)) == list(found)


@pytest.mark.parametrize("statistic", ["mean", "median"])
@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_bootstrap_agrees_with_scipy(statistic, method):
    rng = np.random.default_rng(0)
    for values in (rng.exponential(size=51), rng.integers(0, 3, 400) / 2.0):
        if statistic == "median" and len(values) == 400:
            continue  # every resample has the same median, where scipy's BCa is NaN
        found = bootstrap_interval(values, statistic=statistic, method=method, seed=1)
        right = stats.bootstrap(
            (values,), getattr(np, statistic), method=method, random_state=2, batch=500
        ).confidence_interval
        width = right.high - right.low
        assert found.low == pytest.approx(right.low, abs=0.06 * width)
        assert found.high == pytest.approx(right.high, abs=0.06 * width)
        assert found.estimate == pytest.approx(getattr(np, statistic)(values))


def test_bootstrap_of_few_distinct_values_has_the_same_distribution():
    values = np.repeat([0.0, 0.5, 1.0], [70, 20, 10])
    counted = bootstrap_interval(values, n_resamples=20_000, seed=1)
    drawn = bootstrap_interval(
        values, statistic=lambda rows: float(rows.mean()), n_resamples=20_000, seed=1
    )
    assert list(counted) == pytest.approx(list(drawn), abs=0.006)
    assert counted.estimate == drawn.estimate


@examples(30)
@given(numbers, st.sampled_from(["mean", "median"]), st.integers(0, 99))
def test_bootstrap_is_deterministic_and_independent_of_user_order(values, statistic, seed):
    how = {"statistic": statistic, "n_resamples": 50, "seed": seed}
    found = bootstrap_interval(values, **how)
    assert list(found) == list(bootstrap_interval(values[::-1], **how))
    assert min(values) - 1e-12 <= found.low <= found.high <= max(values) + 1e-12


@pytest.mark.slow
def test_jackknife_values_equal_recomputation():
    rng = np.random.default_rng(3)
    for n in (2, 3, 4, 7, 10):
        values = rng.normal(size=n)
        for name, compute in (("mean", np.mean), ("median", np.median)):
            plain = bootstrap_interval(
                values, statistic=name, method="percentile", n_resamples=999, seed=5
            )
            assert plain.estimate == pytest.approx(compute(values))
            if n < 7:
                continue
            fast = bootstrap_interval(values, statistic=name, method="bca", seed=5)
            slow = bootstrap_interval(
                values, statistic=lambda rows, f=compute: float(f(rows)), method="bca", seed=5
            )
            assert list(fast) == pytest.approx(list(slow))


def test_a_ratio_of_two_columns_is_resampled_by_user():
    rng = np.random.default_rng(1)
    shown = rng.integers(1, 50, 200)
    clicked = rng.binomial(shown, 0.1)
    rows = np.column_stack([clicked, shown])

    def ratio(part):
        return part[:, 0].sum() / part[:, 1].sum()

    found = bootstrap_interval(rows, statistic=ratio, n_resamples=500, method="bca")
    assert found.estimate == pytest.approx(clicked.sum() / shown.sum())
    assert found.low < found.estimate < found.high
    shuffled = bootstrap_interval(
        rng.permutation(rows), statistic=ratio, n_resamples=500, method="bca"
    )
    assert list(found) == pytest.approx(list(shuffled))
    holes = rows.astype(float)
    holes[3, 1] = np.nan
    left = bootstrap_interval(holes, statistic=ratio, n_resamples=99, missing="omit")
    assert left.n == 199
    with pytest.raises(ValueError, match=r"values\[3, 1\] is nan, not a finite number"):
        bootstrap_interval(holes, statistic=ratio)


def test_constant_values_have_a_zero_width_interval():
    for method in ("percentile", "bca"):
        assert list(bootstrap_interval([0.3] * 8, method=method)) == [0.3, 0.3]
    assert list(t_interval([0.1] * 3)) == [0.1, 0.1]


def test_missing_values_raise_or_are_omitted():
    values = [0.1, np.nan, 0.3, 0.5]
    for interval in (t_interval, bootstrap_interval):
        with pytest.raises(ValueError, match=r"values\[1\] is nan.*missing='omit'"):
            interval(values)
        assert interval(values, missing="omit").n == 3
        with pytest.raises(ValueError, match=r"values\[0\] is inf, not a finite number$"):
            interval([np.inf, 1.0], missing="omit")


NO = "no difference detected: … -0.014 to 0.018 (n = 90); the largest difference compatible with "
SMALL = " (n = 90), but a difference below the margin of"


@pytest.mark.parametrize(
    ("interval", "margin", "p", "text"),
    [
        ((-0.0142, 0.0182), None, 0.7, f"{NO}the data is 0.018"),
        ((-0.0142, 0.0182), 0.01, 0.7, f"{NO}the data is 0.018, above the margin of 0.01"),
        ((-0.0142, 0.0182), 0.02, 0.7, f"{NO}the data is 0.018, below the margin of 0.02"),
        ((0.0042, 0.0182), None, 0.01, "better: … 0.004 to 0.018 (n = 90); no margin was given"),
        ((0.0042, 0.0182), None, 0.06, "no difference detected: … 0.004 to 0.018 (n = 90); the"),
        ((0.0042, 0.0182), 0.002, 0.01, "better: … 0.004 to 0.018 (n = 90), beyond the margin of"),
        ((0.0042, 0.0182), 0.01, 0.01, f"better: … 0.004 to 0.018{SMALL} 0.01 is compatible"),
        ((-0.0182, -0.0042), 0.002, 0.01, "worse: … -0.018 to -0.004 (n = 90), beyond the margin"),
        ((-0.0182, -0.0042), 0.01, 0.01, f"worse: … -0.018 to -0.004{SMALL} 0.01 is compatible"),
        ((0.0, 0.5), None, 0.05, "no difference detected: … 0.000 to 0.500 (n = 90)"),
        ((-0.0004, 0.0182), None, np.nan, "no difference detected: … -0.0004 to 0.0182 (n = 90)"),
        ((0.00001, 0.00002), None, np.nan, "better: … 0.000010 to 0.000020 (n = 90)"),
    ],
)
def test_conclusion_of_an_interval(interval, margin, p, text):
    low, high = interval
    found = Conclusion.of(Interval((low + high) / 2, low, high, 0.95, 90), margin=margin, p_value=p)
    outcome, rest = text.split(": … ")
    assert found.outcome == outcome
    assert re.fullmatch(
        rf"{outcome}: difference -?[0-9.]+, 95% CI {re.escape(rest)}.*", str(found)
    ), str(found)
    assert found.largest_compatible == max(map(abs, interval))


def test_conclusion_of_invalid_input_raises():
    with pytest.raises(TypeError, match="there is none here"):
        Conclusion.of(wilcoxon([1, 2], [2, 4]))
    with pytest.raises(TypeError, match="read from the confidence interval"):
        Conclusion.of(0.3)
    with pytest.raises(ValueError, match=r"\[nan, 1\]"):
        Conclusion.of(Interval(0, np.nan, 1, 0.95, 30))
    with pytest.raises(
        ValueError, match=r"all differences are 0\.3, so the confidence interval has no width"
    ):
        Conclusion.of(Interval(0.3, 0.3, 0.3, 0.95, 30))
    for margin in (-1, 0, np.nan, np.inf):
        with pytest.raises(ValueError, match="margin is the smallest difference that matters"):
            Conclusion.of(t_interval(range(20)), margin=margin)
    with pytest.raises(ValueError, match="5 cases allow an estimate and a confidence interval"):
        Conclusion.of(t_interval([0.012, 0.014, 0.017, 0.013, 0.011]))
    assert Conclusion.of(sign_test([1] * 20, [2] * 20)).outcome == "better"
    assert isinstance(sign_test([1, 2], [2, 3]), Significance)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("n", [2, 3, 5, 30, 1000, 100_000])
def test_minimum_detectable_effect_has_the_requested_power(n, alternative):
    for power in (0.5, 0.8, 0.99):
        gain = minimum_detectable_effect(sd=2.0, n=n, power=power, alternative=alternative)
        shift = gain / 2 * np.sqrt(n)
        tail = 0.025 if alternative == "two-sided" else 0.05
        bar = stats.t.isf(tail, n - 1)
        found = stats.nct.sf(bar, n - 1, shift)
        if alternative == "two-sided":
            # Far out scipy has no number for a tail that is nothing.
            found += np.nan_to_num(stats.nct.cdf(-bar, n - 1, shift))
        assert found == pytest.approx(power, abs=1e-6)


def test_minimum_detectable_effect_of_two_values_at_a_strict_level():
    # The bar is 637 standard errors high, and half of the power lies beyond twice that.
    gain = minimum_detectable_effect(sd=1, n=2, alpha=0.001, power=0.99)
    bar = stats.t.isf(0.0005, 1)
    # SciPy 1.12 has this tail to four digits.
    assert stats.nct.sf(bar, 1, gain * np.sqrt(2)) == pytest.approx(0.99, abs=1e-4)


def test_minimum_detectable_effect_agrees_with_statsmodels():
    power = pytest.importorskip("statsmodels.stats.power")
    right = power.TTestPower().solve_power(nobs=25, alpha=0.05, power=0.8)
    assert minimum_detectable_effect(sd=1, n=25) == pytest.approx(right, rel=1e-6)


def test_minimum_detectable_effect_has_its_power_in_a_simulation():
    gain = minimum_detectable_effect(sd=1, n=12)
    runs = np.random.default_rng(0).normal(gain, 1, (4000, 12))
    found = stats.ttest_1samp(runs, 0, axis=1).pvalue < 0.05
    assert found.mean() == pytest.approx(0.8, abs=0.02)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: t_interval([0.4]), ValueError, "1 value, but it takes at least 2"),
        (lambda: t_interval([]), ValueError, "0 values, but it takes at least 2"),
        (lambda: t_interval([[1, 2]]), ValueError, r"one row of numbers; got shape \(1, 2\)"),
        (lambda: t_interval(["a", "b"]), TypeError, "values must be numbers"),
        (lambda: t_interval([1, 2], level=95), ValueError, "level is a confidence between 0 and 1"),
        (lambda: t_interval([1, 2], missing="skip"), ValueError, "missing must be one of"),
        (lambda: bootstrap_interval([1]), ValueError, "1 value, but it takes at least 2"),
        (lambda: bootstrap_interval([[1, 2]]), ValueError, "1 row, but it takes at least 2"),
        (lambda: bootstrap_interval([1, 2], statistic="mode"), ValueError, "'mean', 'median'"),
        (lambda: bootstrap_interval([1, 2], statistic=3), TypeError, "or a function; got 3"),
        (lambda: bootstrap_interval([1, 2], method="basic"), ValueError, "'percentile', 'bca'"),
        (lambda: bootstrap_interval([1, 2], n_resamples=0), ValueError, "n_resamples is a whole"),
        (lambda: bootstrap_interval([1, 2], n_resamples=True), TypeError, "got True"),
        (lambda: bootstrap_interval([1, 2], seed=1.5), TypeError, "seed is a whole number"),
        (
            lambda: bootstrap_interval([1, 2], statistic=lambda rows: np.nan),
            ValueError,
            "statistic of the values is nan",
        ),
        (
            lambda: bootstrap_interval(
                np.arange(40), method="bca", statistic=lambda rows: float(len(set(rows)))
            ),
            ValueError,
            "every resample lies on one side",
        ),
        (lambda: minimum_detectable_effect(sd=0, n=9), ValueError, "sd is a finite number above 0"),
        (lambda: minimum_detectable_effect(sd=1, n=1), ValueError, "n is a whole number of 2"),
        (lambda: minimum_detectable_effect(sd=1, n=9, alpha=0), ValueError, "alpha is a share"),
        (
            lambda: minimum_detectable_effect(sd=1, n=9, alpha=0.5, power=0.4),
            ValueError,
            "power 0.4 is not above alpha 0.5",
        ),
        (
            lambda: minimum_detectable_effect(sd=1, n=9, alternative="up"),
            ValueError,
            "alternative must be one of",
        ),
    ],
)
def test_invalid_arguments_raise(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize(
    ("interval", "shown"),
    [
        (
            Interval(0.5, 1 / 3, 0.75, 0.9, 7),
            "estimate=0.50, low=0.33, high=0.75, level=0.90, n=7)",
        ),
        (t_interval([0.1, 0.2, 0.4]), "estimate=0.23, low=-0.15, high=0.61, level=0.95, n=3, "),
    ],
)
def test_intervals_are_displayed_with_their_own_precision(interval, shown):
    pretty = pytest.importorskip("IPython.core.formatters", reason="IPython is not installed")
    printer = pretty.PlainTextFormatter()

    def as_shown():
        return " ".join(printer(interval).split())

    assert as_shown() == repr(interval)
    with np.printoptions():
        printer.float_precision = "2"
        assert as_shown().startswith(f"{type(interval).__name__}({shown}")
