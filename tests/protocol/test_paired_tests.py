"""Paired tests against scipy, statsmodels and plain counting; many comparisons at once."""

from __future__ import annotations

import gc
import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from recsys_metrics.protocol.significance import (
    _paired,
    adjust,
    gain_interval,
    mcnemar,
    paired_t_test,
    randomization_test,
    sign_test,
    wilcoxon,
)
from tests.examples import examples

ALTERNATIVES = ["two-sided", "greater", "less"]
pairs = st.lists(
    st.tuples(st.integers(0, 10), st.integers(0, 10)).map(lambda p: (p[0] / 10, p[1] / 10)),
    min_size=2,
    max_size=12,
)
hits = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=2, max_size=40)


def columns(rows):
    return (np.array(part) for part in zip(*rows, strict=True))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_paired_t_test_equals_scipy(alternative):
    rng = np.random.default_rng(0)
    a, b = rng.random(20), rng.random(20)
    found = paired_t_test(a, b, alternative=alternative)
    right = stats.ttest_rel(b, a, alternative=alternative)
    assert (found.statistic, found.p_value) == pytest.approx((right.statistic, right.pvalue))
    assert found.gain == pytest.approx((b - a).mean())
    assert found.n == 20
    swapped = paired_t_test(b, a)
    assert swapped.statistic == pytest.approx(-found.statistic)


def test_equal_recommenders_and_constant_differences():
    same = paired_t_test([0.1, 0.2, 0.3], [0.1, 0.2, 0.3])
    assert (same.statistic, same.p_value, same.interval) == (0.0, 1.0, None)
    # 0.3 - 0.2 and 0.2 - 0.1 differ in the last digit: that is no variation.
    with pytest.raises(ValueError, match=r"all 3 gains are 0.1: without any variation"):
        paired_t_test([0.1, 0.2, 0.3], [0.2, 0.3, 0.4])


@examples(80)
@given(pairs, st.sampled_from(["wilcox", "pratt"]), st.booleans(), st.sampled_from(ALTERNATIVES))
def test_wilcoxon_test_equals_scipy(rows, zeros, correction, alternative):
    a, b = columns(rows)
    found = wilcoxon(a, b, zeros=zeros, correction=correction, alternative=alternative)
    if (a == b).all():
        assert (found.statistic, found.p_value, found.n) == (0.0, 1.0, 0)
        return
    size = np.abs(b - a)
    exact = len(np.unique(size)) == len(size) and (size > 0).all()
    right = stats.wilcoxon(
        b - a,
        zero_method=zeros,
        correction=correction,
        alternative=alternative,
        method="exact" if exact else "approx",
    )
    assert (found.statistic, found.p_value) == pytest.approx((right.statistic, right.pvalue))
    assert found.n == (a != b).sum()


def test_exact_wilcoxon_with_ties_raises():
    with pytest.raises(ValueError, match="gains that are all different"):
        wilcoxon([0, 0, 0], [1, 1, 2], method="exact")
    assert wilcoxon([0, 0, 0], [1, 2, 3], method="exact").p_value == 0.25
    assert wilcoxon([0, 0, 0], [1, 2, 3], method="approx").p_value == pytest.approx(
        stats.wilcoxon([1, 2, 3], method="approx").pvalue
    )


def test_a_requested_approximation_does_not_warn(monkeypatch):
    signed_ranks = stats.wilcoxon

    def of_scipy_1_12(*args, **kwargs):
        warnings.warn("Sample size too small for normal approximation.", stacklevel=2)
        return signed_ranks(*args, **kwargs)

    monkeypatch.setattr(stats, "wilcoxon", of_scipy_1_12)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert 0 < wilcoxon([0, 0, 0], [1, 2, 3], method="approx").p_value < 1


@examples(80)
@given(pairs, st.sampled_from(ALTERNATIVES))
def test_sign_test_equals_a_binomial_test(rows, alternative):
    a, b = columns(rows)
    found = sign_test(a, b, alternative=alternative, level=0.9)
    wins, losses = int((b > a).sum()), int((b < a).sum())
    if not wins + losses:
        assert (found.p_value, found.interval) == (1.0, None)
        return
    right = stats.binomtest(wins, wins + losses, alternative=alternative)
    assert found.p_value == pytest.approx(right.pvalue)
    ends = stats.binomtest(wins, wins + losses).proportion_ci(0.9)
    assert list(found.interval) == pytest.approx([ends.low - 0.5, ends.high - 0.5])
    assert (found.statistic, found.n) == (wins, wins + losses)


@examples(80)
@given(hits)
def test_mcnemar_test_computed_by_hand(rows):
    a, b = columns(rows)
    only_b, only_a = int((b > a).sum()), int((a > b).sum())
    found = mcnemar(a, b)
    n = only_a + only_b
    assert found.statistic == min(only_a, only_b)
    assert found.p_value == pytest.approx(stats.binomtest(only_b, n).pvalue if n else 1.0)
    assert found.gain == pytest.approx(b.mean() - a.mean())
    assert -1 <= found.interval.low <= found.interval.high <= 1
    for correction in (True, False):
        rough = mcnemar(a, b, exact=False, correction=correction)
        right = max(0, abs(only_a - only_b) - correction) ** 2 / n if n else 0.0
        assert rough.statistic == pytest.approx(right)
        assert rough.p_value == pytest.approx(stats.chi2.sf(right, 1))
    assert mcnemar(b, a).p_value == found.p_value


def test_mcnemar_test_equals_statsmodels():
    table = pytest.importorskip("statsmodels.stats.contingency_tables")
    a = np.repeat([1, 1, 0, 0], [30, 12, 25, 50])
    b = np.repeat([1, 0, 1, 0], [30, 12, 25, 50])
    counts = [[30, 12], [25, 50]]
    for exact, correction in ((True, True), (False, True), (False, False)):
        right = table.mcnemar(counts, exact=exact, correction=correction)
        found = mcnemar(a, b, exact=exact, correction=correction)
        assert (found.statistic, found.p_value) == pytest.approx((right.statistic, right.pvalue))


def test_mcnemar_interval_covers():
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(1500):
        kind = rng.choice(3, size=30, p=[0.2, 0.05, 0.75])
        held += 0.15 in mcnemar(kind == 1, kind == 0).interval
    assert 0.95 < held / 1500 < 0.995


@examples(80)
@given(pairs, st.sampled_from(ALTERNATIVES))
def test_exact_randomization_counts_every_pattern(rows, alternative):
    # Whole numbers, so that counting has no rounding of its own.
    a, b = (np.rint(part * 10) for part in columns(rows))
    gains = b - a
    found = randomization_test(a / 10, b / 10, alternative=alternative)
    sums = np.array(list(itertools.product([-1, 1], repeat=len(gains)))) @ gains
    total = gains.sum()
    extreme = {
        "two-sided": np.abs(sums) >= abs(total),
        "greater": sums >= total,
        "less": sums <= total,
    }[alternative]
    assert found.p_value == pytest.approx(extreme.mean(), abs=1e-12)
    assert found.statistic == pytest.approx(gains.mean() / 10)


def test_exact_randomization_test_equals_scipy():
    rng = np.random.default_rng(5)
    a, b = rng.random(13), rng.random(13)
    right = stats.permutation_test(
        (a, b),
        lambda x, y, axis: (y - x).mean(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    )
    assert randomization_test(a, b).p_value == pytest.approx(right.pvalue)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_sampled_randomization_test_approximates_the_exact_one(alternative):
    rng = np.random.default_rng(1)
    a = rng.random(37)
    b = a + rng.normal(0.1, 0.3, 37)
    exact = randomization_test(a, b, alternative=alternative).p_value
    sampled = randomization_test(
        a, b, alternative=alternative, method="sampled", n_resamples=40_000
    ).p_value
    assert sampled == pytest.approx(exact, abs=0.012)


def test_sampled_randomization_of_many_users_is_close_to_the_t_test():
    rng = np.random.default_rng(1)
    a = rng.random(5000)
    b = a + rng.normal(0.004, 0.15, 5000)
    found = randomization_test(a, b, n_resamples=20_000)
    assert found.p_value == pytest.approx(paired_t_test(a, b).p_value, abs=0.01)
    assert found.n == 5000


def test_randomization_p_values_are_positive_and_reproducible():
    a, b = np.zeros(1000), np.linspace(1, 2, 1000)
    assert randomization_test(a, b, n_resamples=999).p_value == 1 / 1000
    assert randomization_test([0, 0], [1, 2]).p_value == 0.5
    rng = np.random.default_rng(0)
    b = rng.normal(0.02, 1, 1000)
    values = {randomization_test(a, b, seed=7, n_resamples=999).p_value for _ in range(3)}
    shuffled = rng.permutation(1000)
    values.add(randomization_test(a, b[shuffled], seed=7, n_resamples=999).p_value)
    assert len(values) == 1
    assert randomization_test(a, b, seed=8, n_resamples=999).p_value not in values


def test_equal_recommenders_have_a_p_value_of_1():
    for method in ("auto", "exact", "sampled"):
        assert randomization_test([0.5] * 3, [0.5] * 3, method=method).p_value == 1.0
    assert randomization_test([0, 1], [1, 0]).p_value == 1.0  # gains that cancel


def test_p_values_are_uniform_under_the_null():
    rng = np.random.default_rng(2)
    tests = (paired_t_test, wilcoxon, randomization_test)
    found = np.array(
        [[test(a, b).p_value for test in tests] for a, b in rng.normal(size=(400, 2, 14))]
    )
    assert np.abs((found <= 0.1).mean(axis=0) - 0.1).max() < 0.05
    assert np.abs((found <= 0.5).mean(axis=0) - 0.5).max() < 0.09


@pytest.mark.parametrize("test", [paired_t_test, wilcoxon, sign_test, mcnemar, randomization_test])
def test_invalid_pairs_raise(test):
    with pytest.raises(ValueError, match="a has 2 values and b 3"):
        test([0, 1], [0, 1, 1])
    with pytest.raises(ValueError, match="a and b: 1 value, but it takes at least 2"):
        test([0], [1])
    with pytest.raises(ValueError, match=r"b\[1\] is nan.*missing='omit'"):
        test([0, 1, 0], [1, np.nan, 1])
    with pytest.raises(ValueError, match=r"one row of numbers|McNemar"):
        test([[0, 1]], [[1, 0]])
    a, b = [0, 1, 0, np.nan, 0, 1], [1, np.nan, 1, 1, 0, 0]
    left = test(a, b, missing="omit")
    assert left.p_value == test([0, 0, 0, 1], [1, 1, 0, 0]).p_value


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mcnemar([0, 0.5], [0, 1]), r"a\[1\] is 0.5; McNemar's test compares hits"),
        (lambda: paired_t_test([0, 1], [1, 3], alternative="b"), "alternative must be one of"),
        (lambda: wilcoxon([0, 1], [1, 3], zeros="zsplit"), "zeros must be one of"),
        (lambda: wilcoxon([0, 1], [1, 3], method="x"), "method must be one of"),
        (lambda: randomization_test([0, 1], [1, 3], method="x"), "method must be one of"),
        (
            lambda: randomization_test(np.zeros(41), np.ones(41), method="exact"),
            "at most 40 pairs that differ, and here 41 do",
        ),
        (lambda: sign_test([0, 1], [1, 3], level=1), "level is a confidence"),
    ],
)
def test_invalid_arguments_raise(call, message):
    with pytest.raises(ValueError, match=message):
        call()


STATSMODELS = {
    "holm": "holm",
    "benjamini-hochberg": "fdr_bh",
    "bonferroni": "bonferroni",
    "hochberg": "simes-hochberg",
    "sidak": "sidak",
    "holm-sidak": "holm-sidak",
    "benjamini-yekutieli": "fdr_by",
}


@pytest.mark.parametrize("method", STATSMODELS)
@examples(40)
@given(values=st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_adjusted_p_values_equal_statsmodels(method, values):
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    gc.freeze()  # it asks for a full look at all objects in each call
    with np.errstate(divide="ignore"):
        right = multitest.multipletests(values, method=STATSMODELS[method])[1]
    np.testing.assert_allclose(adjust(values, method=method), right, atol=1e-12)


@examples(60)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.sampled_from(list(STATSMODELS)))
def test_adjusting_keeps_the_order_and_raises_every_value(values, method):
    found = adjust(values, method=method)
    given_ = np.array(values)
    assert (found >= given_ - 1e-12).all()
    assert (found <= 1).all()
    order = np.argsort(given_, kind="stable")
    assert (np.diff(found[order]) >= -1e-12).all()
    assert adjust(values[::-1], method=method).tolist() == pytest.approx(found[::-1].tolist())
    if len(values) == 1:
        assert found == pytest.approx(given_, rel=1e-9, abs=1e-12)


@examples(60)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_adjustment_methods_are_ordered_by_power(values):
    found = {method: adjust(values, method=method) for method in STATSMODELS}
    slack = 1e-12
    assert (found["holm"] <= found["bonferroni"] + slack).all()
    assert (found["hochberg"] <= found["holm"] + slack).all()
    assert (found["benjamini-hochberg"] <= found["hochberg"] + slack).all()
    assert (found["benjamini-hochberg"] <= found["benjamini-yekutieli"] + slack).all()
    assert (found["sidak"] <= found["bonferroni"] + slack).all()
    assert (found["holm-sidak"] <= found["holm"] + slack).all()


def test_adjust_by_hand_and_scipy():
    values = [0.01, 0.04, 0.03, 0.005]
    assert adjust(values).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert adjust(values, method="hochberg").tolist() == pytest.approx([0.03, 0.04, 0.04, 0.02])
    assert adjust(values, method="bonferroni").tolist() == pytest.approx([0.04, 0.16, 0.12, 0.02])
    assert adjust(values, method="sidak")[0] == pytest.approx(1 - 0.99**4)
    assert adjust(values, method="holm-sidak")[0] == pytest.approx(1 - 0.99**3)
    for ours, theirs in (("benjamini-hochberg", "bh"), ("benjamini-yekutieli", "by")):
        right = stats.false_discovery_control(values, method=theirs)
        assert adjust(values, method=ours).tolist() == pytest.approx(right.tolist())
    assert adjust([1e-20], method="sidak")[0] == pytest.approx(1e-20)
    assert adjust([]).tolist() == []


@pytest.mark.parametrize("values", [[0.1, np.nan], [0.1, 1.2], [0.1, -0.1]])
def test_p_values_outside_0_and_1_raise(values):
    with pytest.raises(ValueError, match=r"p_values\[1\] is .*between 0 and 1"):
        adjust(values)


def test_invalid_adjustments_raise():
    with pytest.raises(ValueError, match="method must be one of 'holm'"):
        adjust([0.1], method="fdr_bh")
    with pytest.raises(ValueError, match="one row"):
        adjust([[0.1]])


@pytest.mark.parametrize(("n", "resamples"), [(1, 7), (9, 300), (1_003, 5_000)])
def test_random_signs_from_bytes_equal_single_signs(n, resamples):
    gains = np.random.default_rng(n).normal(size=n)
    found = _paired._signed_sums(gains, resamples, np.random.default_rng(5))
    rng = np.random.default_rng(5)
    bytes_of = -(-n // 8)
    signs = np.empty((bytes_of, resamples, 8))
    for start in range(0, bytes_of, 64):
        for first in range(0, resamples, 4096):
            part = signs[start : start + 64, first : first + 4096]
            drawn = np.frombuffer(rng.bytes(part.shape[0] * part.shape[1]), dtype=np.uint8)
            part[:] = 2.0 * np.unpackbits(drawn).reshape(part.shape) - 1
    plain = np.einsum("brs,bs->r", signs, np.pad(gains, (0, -n % 8)).reshape(-1, 8))
    np.testing.assert_allclose(found, plain, atol=1e-10)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("test", [paired_t_test, gain_interval])
def test_values_too_large_to_square_raise_without_a_warning(test):
    with pytest.raises(ValueError, match=r"from -1e\+308 to 1e\+308 are too large to square"):
        test([0, 0, 0], [1e308, -1e308, 1e307])
    with pytest.raises(ValueError, match=r"b - a\[0\] is -inf, more than a number can hold"):
        test([1e308, 0, 0], [-1e308, 1, 2])


def test_a_t_test_is_the_same_in_any_unit():
    small, large = (paired_t_test([0, 0, 0], [unit, 2 * unit, 4 * unit]) for unit in (1, 2.0**470))
    assert large.p_value == small.p_value
    assert large.statistic == small.statistic
