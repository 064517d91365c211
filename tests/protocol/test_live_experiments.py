"""Experiments on live traffic: planning, less noise, margins, planned looks, switches, one list."""

from __future__ import annotations

import itertools
import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.power import TTestIndPower
from statsmodels.stats.weightstats import ttost_ind

from recsys_metrics.protocol import online

# Jennison and Turnbull (2000), Group sequential methods with applications to clinical trials,
# tables 2.1 and 2.3: constants of Pocock's and O'Brien and Fleming's tests for 1 to 10 looks.
POCOCK = {
    0.01: [2.576, 2.772, 2.873, 2.939, 2.986, 3.023, 3.053, 3.078, 3.099, 3.117],
    0.05: [1.960, 2.178, 2.289, 2.361, 2.413, 2.453, 2.485, 2.512, 2.535, 2.555],
    0.1: [1.645, 1.875, 1.992, 2.067, 2.122, 2.164, 2.197, 2.225, 2.249, 2.270],
}
OBRIEN_FLEMING = [1.960, 1.977, 2.004, 2.024, 2.040, 2.053, 2.063, 2.072, 2.080, 2.087]
# As Lan and DeMets' programs print them: five looks, 5 % to both sides together.
SPENT_LATE = [4.877, 3.357, 2.680, 2.290, 2.031]
SPENT_EVENLY = [2.438, 2.427, 2.410, 2.397, 2.386]


@pytest.mark.parametrize("alpha", POCOCK)
def test_pocock_constants_equal_the_published_table(alpha):
    for looks, constant in enumerate(POCOCK[alpha], start=1):
        design = online.group_sequential(looks, alpha=alpha, family="pocock", by="constant")
        assert np.round(design.bounds, 3).tolist() == [constant] * looks


def test_obrien_fleming_constants_equal_the_published_table():
    for looks, constant in enumerate(OBRIEN_FLEMING, start=1):
        design = online.group_sequential(looks, by="constant")
        assert round(design.bounds[-1], 3) == constant
        assert np.allclose(np.multiply(design.bounds, np.sqrt(design.fractions)), design.bounds[-1])


def test_spent_alpha_gives_the_published_bounds():
    assert np.round(online.group_sequential(5).bounds, 3).tolist() == SPENT_LATE
    evenly = online.group_sequential(5, family="pocock").bounds
    assert np.round(evenly, 3).tolist() == SPENT_EVENLY


def test_inflation_factors_equal_the_published_ones():
    # Jennison and Turnbull, tables 2.2 and 2.4, five looks at 5 %: powers of 80 and 90 %.
    pocock = online.group_sequential(5, family="pocock", by="constant")
    late = online.group_sequential(5, by="constant")
    assert [round(late.inflation(power), 3) for power in (0.8, 0.9)] == [1.028, 1.026]
    assert pocock.inflation(0.8) == pytest.approx(1.229, abs=1.5e-3)
    assert pocock.inflation(0.9) == pytest.approx(1.207, abs=1.5e-3)
    assert online.group_sequential(1).inflation() == pytest.approx(1)


@pytest.mark.slow
@given(
    fractions=st.lists(st.floats(0.02, 0.98), max_size=5, unique=True),
    alpha=st.sampled_from([0.001, 0.05, 0.2]),
    family=st.sampled_from(["obrien-fleming", "pocock"]),
    by=st.sampled_from(["spending", "constant"]),
)
def test_a_group_sequential_design_spends_exactly_its_alpha(fractions, alpha, family, by):
    looks = [*sorted(fractions), 1.0]
    if min(np.diff([0, *looks])) < 1e-3:
        looks = [1.0]
    design = online.group_sequential(looks, alpha=alpha, family=family, by=by)
    assert design.power(0.0) == pytest.approx(alpha, rel=1e-6)
    assert design.alpha_spent[-1] == pytest.approx(alpha, rel=1e-9)
    assert (np.diff(design.alpha_spent) >= 0).all()


def walks(drift, looks, n, seed):
    """Return the statistic at each look, of many experiments: sums of normal gains."""
    steps = np.random.default_rng(seed).normal(drift / looks, math.sqrt(1 / looks), (n, looks))
    return steps.cumsum(axis=1) / np.sqrt(np.arange(1, looks + 1) / looks)


@pytest.mark.parametrize("family", ["obrien-fleming", "pocock"])
@pytest.mark.parametrize("drift", [0.0, 2.8])
def test_simulated_stopping_probabilities_match_the_design(family, drift):
    design, n = online.group_sequential(4, family=family), 40_000
    stops = (np.abs(walks(drift, 4, n, seed=1)) > design.bounds).any(axis=1).mean()
    chance = design.power(drift)
    assert abs(stops - chance) < 4 * math.sqrt(chance * (1 - chance) / n)


@pytest.mark.slow
def test_an_interim_test_stops_if_its_p_value_is_below_alpha():
    rng = np.random.default_rng(3)
    design = online.group_sequential(3)
    for _ in range(15):
        old, new = rng.normal(0, 1, 300), rng.normal(0.2, 1, 300)
        for look, users in enumerate((100, 200, 300), start=1):
            test = online.group_sequential_test(old[:users], new[:users], design=design, look=look)
            beyond = abs(test.gain.statistic) > design.bounds[look - 1]
            assert beyond == (test.gain.p_value < design.alpha) == (0 not in test.gain.interval)


def test_a_design_with_one_look_is_the_fixed_sample_test():
    rng = np.random.default_rng(4)
    old, new = rng.normal(0, 1, 200), rng.normal(0.3, 1, 200)
    test = online.group_sequential_test(old, new, design=online.group_sequential(1), look=1)
    z = test.gain.statistic
    assert test.gain.p_value == pytest.approx(2 * stats.norm.sf(abs(z)))
    assert test.gain.interval.half_width == pytest.approx(
        test.gain.gain / z * stats.norm.isf(0.025)
    )


@pytest.mark.parametrize("looks", [[0.5, 0.5, 1], [0.2, 0.7], [], [0.5, math.nan, 1], [-1, 1]])
def test_invalid_looks_raise(looks):
    with pytest.raises((ValueError, TypeError), match="looks"):
        online.group_sequential(looks)


def test_an_unplanned_look_raises():
    some = np.arange(200.0)
    with pytest.raises(
        ValueError, match="look is the number of the interim analysis, a whole number of at most 2"
    ):
        online.group_sequential_test(some, some, design=online.group_sequential(2), look=3)
    with pytest.raises(ValueError, match="has 99 users"):
        online.group_sequential_test(some[:99], some, design=online.group_sequential(2), look=1)


@pytest.mark.parametrize("gain", [0.02, 0.1, 0.5, 2.0, 9.0])
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_sample_size_is_the_smallest_with_the_power_of_statsmodels(gain, alternative):
    n = online.sample_size(gain, sd=1, power=0.9, alternative=alternative)
    kind = {"greater": "larger"}.get(alternative, alternative)
    powers = [
        TTestIndPower().power(gain, users, 0.05, alternative=kind) for users in (n, max(n - 1, 2))
    ]
    assert powers[0] >= 0.9 > powers[1] or n == 2


def test_invalid_sample_size_arguments_raise():
    for how in ({"sd": 0}, {"sd": 1, "power": 0.01}, {"sd": 1, "alpha": 1}):
        with pytest.raises(ValueError, match=r"sd|power|alpha"):
            online.sample_size(0.1, **how)
    with pytest.raises(ValueError, match="gain"):
        online.sample_size(0, sd=1)


def test_cuped_computed_by_hand():
    # Within the groups the values move by 2 for each 1 known before; all in all the mean is 2.
    found = online.cuped([1, 3, 5], [3, 5, 7], control_before=[1, 2, 3], treatment_before=[1, 2, 3])
    assert found.weights.tolist() == pytest.approx([2.0])
    assert found.control.tolist() == pytest.approx([3.0, 3.0, 3.0])
    assert found.treatment.tolist() == pytest.approx([5.0, 5.0, 5.0])


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(4, 40), known=st.integers(1, 3))
def test_cuped_keeps_the_mean_and_removes_the_explained_variance(seed, n, known):
    rng = np.random.default_rng(seed)
    past = rng.normal(5, 2, (2, n, known))
    now = past.sum(axis=2) + rng.normal(0, 1, (2, n))
    found = online.cuped(*now, control_before=past[0], treatment_before=past[1])
    both = np.concatenate([found.control, found.treatment])
    assert both.mean() == pytest.approx(now.mean())
    # The same as the regression of statsmodels and R: a mean of its own for each group.
    design = np.column_stack([np.repeat(np.eye(2), n, axis=0), past.reshape(2 * n, known)])
    weights = np.linalg.lstsq(design, now.ravel(), rcond=None)[0]
    assert found.weights == pytest.approx(weights[2:], abs=1e-8)
    assert found.treatment.mean() - found.control.mean() == pytest.approx(
        weights[1] - weights[0], abs=1e-8
    )
    inside = [values - values.mean() for values in (found.control, found.treatment, *now)]
    left = sum(v @ v for v in inside[:2]) / sum(v @ v for v in inside[2:])
    assert found.variance_ratio == pytest.approx(left, abs=1e-9)


def test_cuped_with_an_uninformative_covariate_raises():
    with pytest.raises(ValueError, match="explains nothing"):
        online.cuped([1, 2], [2, 3], control_before=[1, 1], treatment_before=[1, 1])
    with pytest.raises(ValueError, match="control_before has shape"):
        online.cuped([1, 2], [2, 3], control_before=[1], treatment_before=[1, 2])
    with pytest.raises(ValueError, match="not a finite number"):
        online.cuped([1, 2], [2, 3], control_before=[1, math.nan], treatment_before=[1, 2])
    with pytest.raises(ValueError, match="knows 1 things of a user and treatment_before 2"):
        online.cuped([1, 2], [2, 3], control_before=[1, 2], treatment_before=[[1, 2], [3, 5]])


def test_stratified_test_computed_by_hand():
    # Strata of 5 and 5 users: gains of 1 and of 2.
    old, new = [1, 3, 10, 12, 14], [2, 4, 3, 13, 15]
    kinds = list("xxyyy"), list("xxxyy")
    test = online.stratified_test(old, new, control_strata=kinds[0], treatment_strata=kinds[1])
    assert test.gain.gain == pytest.approx(0.5 * 1 + 0.5 * 2)
    squared = 0.25 * (2 / 2 + 4 / 3) + 0.25 * (1 / 3 + 2 / 2)
    assert test.gain.statistic == pytest.approx(1.5 / math.sqrt(squared))


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 30))
def test_a_test_with_one_stratum_is_the_ab_test(seed, n):
    rng = np.random.default_rng(seed)
    old, new = rng.normal(0, 1, (2, n))
    plain = online.ab_test(old, new)
    same = online.stratified_test(old, new, control_strata=["x"] * n, treatment_strata=["x"] * n)
    assert same.gain.gain == pytest.approx(plain.gain.gain)
    assert same.gain.p_value == pytest.approx(plain.gain.p_value)


def test_errors_name_the_stratum():
    with pytest.raises(ValueError, match="control has 1 users of the stratum 'b'"):
        online.stratified_test(
            [1, 2, 3], [1, 2, 3], control_strata=list("aab"), treatment_strata=list("aab")
        )
    with pytest.raises(TypeError, match="one kind"):
        online.stratified_test([1, 2], [1, 2], control_strata=list("aa"), treatment_strata=[1, 1])
    with pytest.raises(ValueError, match="treatment_strata names one stratum for each of the 2"):
        online.stratified_test([1, 2], [1, 2], control_strata=list("aa"), treatment_strata=["a"])
    with pytest.raises(ValueError, match="have the strata 'A' and 'a', which differ"):
        online.stratified_test(
            [1, 2, 3, 4], [1, 2, 3, 4], control_strata=list("aaAA"), treatment_strata=list("aaAA")
        )


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(3, 40),
    shift=st.floats(-1, 1),
    margin=st.floats(0.05, 2),
)
def test_equivalence_test_equals_statsmodels(seed, n, shift, margin):
    rng = np.random.default_rng(seed)
    old, new = rng.normal(0, 1, n), rng.normal(shift, 1.5, n)
    both, low, _ = ttost_ind(new, old, -margin, margin, usevar="unequal")
    test = online.equivalence_test(old, new, margin=margin)
    assert test.p_value == pytest.approx(both, abs=1e-9)
    assert test.holds == (both < 0.05)
    not_worse = online.non_inferiority_test(old, new, margin=margin)
    assert not_worse.p_value == pytest.approx(low[1], abs=1e-9)
    assert not_worse.holds == (low[1] < 0.05)


@pytest.mark.slow
@given(st.integers(0, 60), st.integers(0, 60), st.floats(0.02, 0.5))
def test_non_inferiority_of_hits_follows_the_interval(first, second, margin):
    old, new = np.arange(60) < first, np.arange(60) < second
    test = online.non_inferiority_test(old.astype(int), new.astype(int), margin=margin)
    low = online.ab_test(old.astype(int), new.astype(int), level=0.9).gain.interval.low
    assert test.gain.low == low
    assert test.holds == (low > -margin) == (test.p_value < 0.05)


def test_not_significant_does_not_imply_non_inferior():
    old, new = [1, 0, 1, 1, 0, 1, 1, 0], [0, 0, 1, 0, 0, 1, 1, 0]
    assert online.ab_test(old, new).gain.p_value > 0.3
    test = online.non_inferiority_test(old, new, margin=0.05)
    assert not test.holds
    assert str(test).startswith("a loss of 0.05 or more is not ruled out: the 90% CI")


def test_a_sample_ratio_mismatch_precedes_the_equivalence_result():
    old, new = np.tile([0.0, 1.0], 500), np.tile([0.0, 1.0], 400)
    test = online.equivalence_test(old, new, margin=0.2)
    assert test.test.ratio.mismatch
    assert str(test).startswith(
        "no conclusion: sample ratio mismatch, the groups have 1,000 and 800"
    )
    assert not test.holds


def test_a_sample_ratio_mismatch_gives_no_conclusion_in_any_attribute():
    # The treatment is better by far, and a sixth of its users are missing.
    test = online.ab_test(np.tile([0.0, 1.0], 500), np.tile([1.0, 2.0], 420))
    assert test.ratio.mismatch
    assert test.conclusion is None
    with pytest.raises(ValueError, match="nothing to decide: sample ratio mismatch"):
        test.decide(margin=0.1, guardrails={})
    sound = online.ab_test(np.tile([0.0, 1.0], 500), np.tile([1.0, 2.0], 500))
    broken = online.non_inferiority_test(np.tile([0.0, 1.0], 500), np.ones(840), margin=0.2)
    with pytest.raises(ValueError, match="guardrail 'visits': sample ratio mismatch"):
        sound.decide(margin=0.1, guardrails={"visits": broken})


def test_shipping_needs_the_margin_and_every_guardrail():
    rng = np.random.default_rng(5)
    old, new = rng.normal(1, 1, 4000), rng.normal(1.2, 1, 4000)
    test = online.ab_test(old, new)
    steady = online.non_inferiority_test(old, old[::-1], margin=0.1)
    worse = online.non_inferiority_test(new, old, margin=0.1)
    assert test.decide(margin=0.1, guardrails={"visits": steady}).ship
    large = test.decide(margin=0.25, guardrails={"visits": steady})
    assert not large.ship
    assert "a difference below the margin of 0.25 is compatible" in str(large)
    refused = test.decide(margin=0.1, guardrails={"visits": steady, "revenue": worse})
    assert not refused.ship
    assert str(refused).endswith("these guardrails fail: revenue")
    assert str(test.decide(margin=0.1, guardrails={})).endswith("no guardrail was checked")
    with pytest.raises(ValueError, match="margin is the smallest difference that matters"):
        test.decide(margin=0, guardrails={})
    few = online.ab_test([0, 1, 2, 1], [4, 5, 6, 5])
    assert few.conclusion is None
    with pytest.raises(ValueError, match="8 users are too few"):
        few.decide(margin=0.1, guardrails={})


@pytest.mark.parametrize("margin", [0, -1, math.inf, (0.1,), (0.1, -0.1)])
def test_invalid_margins_raise(margin):
    with pytest.raises(ValueError, match="margin"):
        online.equivalence_test([1, 2], [1, 3], margin=margin)
    with pytest.raises(ValueError, match="below one half"):
        online.equivalence_test([1, 2], [1, 3], margin=1, alpha=0.5)


@given(seed=st.integers(0, 2**32 - 1))
def test_the_interval_of_a_lift_of_means_equals_fieller(seed):
    rng = np.random.default_rng(seed)
    old, new = rng.normal(10, 2, 30), rng.normal(11, 3, 40)
    test = online.ab_test(old, new)
    t = test.gain.interval.half_width / math.sqrt(old.var(ddof=1) / 30 + new.var(ddof=1) / 40)
    g = t**2 * old.var(ddof=1) / 30 / old.mean() ** 2
    ratio = new.mean() / old.mean()
    root = math.sqrt((1 - g) * new.var(ddof=1) / 40 + ratio**2 * old.var(ddof=1) / 30)
    ends = [(ratio + sign * t / old.mean() * root) / (1 - g) - 1 for sign in (-1, 1)]
    assert [*test.lift_interval] == pytest.approx(ends)
    assert test.lift_interval.estimate == test.lift


def test_the_lift_is_nan_if_the_control_may_be_zero():
    few = online.ab_test([0] * 50, [0] * 40 + [1] * 10)
    assert math.isnan(few.lift)
    assert math.isnan(few.lift_interval.low)
    noisy = online.ab_test([-9, 10, 2], [3, 4, 5.5])
    assert noisy.lift_interval.high == math.inf
    below = online.ab_test([-3.0, -2], [1, 2.5])
    assert math.isnan(below.lift_interval.high)


@pytest.mark.parametrize("rates", [(0.05, 0.05), (0.05, 0.08), (0.4, 0.5)])
def test_the_interval_of_a_lift_of_rates_covers(rates):
    n, runs = 300, 400
    hits = np.random.default_rng(5).binomial(n, rates, (runs, 2))
    held = 0
    for few, many in hits:
        old, new = (np.arange(n) < few).astype(int), (np.arange(n) < many).astype(int)
        held += rates[1] / rates[0] - 1 in online.ab_test(old, new).lift_interval
    assert held / runs > 0.95 - 3 * math.sqrt(0.95 * 0.05 / runs)


def test_switchback_test_computed_by_hand():
    # Two days without and two with; the first period of a day still has the day before.
    values, treated = [4, 1, 9, 5, 5, 2, 8, 7], [0, 0, 1, 1, 0, 0, 1, 1]
    days = list("aabbccdd")
    whole = online.switchback_test(values, treated, blocks=days)
    assert (whole.control, whole.treatment) == ((2.5 + 3.5) / 2, (7 + 7.5) / 2)
    clean = online.switchback_test(values, treated, blocks=days, washout=1)
    # The first day follows none, so that all of it counts.
    assert (clean.control, clean.treatment) == ((2.5 + 2) / 2, (5 + 7) / 2)
    assert whole.ratio.counts == (2, 2)


def test_washout_starts_at_the_last_switch():
    values = np.arange(8.0)
    test = online.switchback_test(values, [0, 0, 1, 1, 1, 1, 0, 0], washout=1)
    # Left out: periods 2 and 6.
    assert (test.control, test.treatment) == ((0 + 1 + 7) / 3, (3 + 4 + 5) / 3)


def test_a_partly_treated_block_raises():
    with pytest.raises(ValueError, match="block 'x' is treated in some periods"):
        online.switchback_test([1, 2, 3, 4], [0, 1, 1, 0], blocks=list("xxyz"))
    with pytest.raises(ValueError, match="blocks says one thing of each of the 4 periods"):
        online.switchback_test([1, 2, 3, 4], [0, 1, 1, 0], blocks=list("xx"))


LISTS = ["A", "B", "C"], ["B", "D", "A"]


def chances(method, n=30_000):
    shown = online.interleave(*LISTS, k=3, n=n, method=method, seed=2).items
    seen, counts = np.unique(["".join(row) for row in shown], return_counts=True)
    return dict(zip(seen.tolist(), (counts / n).tolist(), strict=True))


def test_team_draft_interleaving_computed_by_hand():
    # A begins: A, B, then a coin: C of the first or D of the second. B begins: B, A, and the same.
    assert chances("team-draft") == pytest.approx(
        dict.fromkeys(("ABC", "ABD", "BAC", "BAD"), 0.25), abs=0.02
    )


def test_balanced_interleaving_computed_by_hand():
    assert chances("balanced") == pytest.approx({"ABD": 0.5, "BAD": 0.5}, abs=0.02)
    shown = online.interleave(*LISTS, k=3, n=9, method="balanced", seed=0)
    # A click on D, rank 2 of the second list: two of it against A and B of the first; D is only
    # in the second. A click on A: rank 1 of the first.
    one = {"A": -1.0, "B": 1.0, "D": 1.0}
    for item, speaks_for in one.items():
        assert set(shown.preference(shown.items == item)) == {speaks_for}


def test_balanced_interleaving_is_biased_and_other_methods_are_not():
    # Joachims' counterexample: the second list is the first with its head moved to the end. A
    # reader who clicks one item at random is for neither.
    first, second = list("ABCD"), list("BCDA")
    n = 20_000
    clicked = np.eye(3)[np.random.default_rng(6).integers(3, size=n)]
    means = {}
    for method in ("team-draft", "balanced", "optimized"):
        says = online.interleave(first, second, k=3, n=n, method=method, seed=7).preference(clicked)
        means[method] = np.sign(says).mean() if method == "balanced" else says.mean()
        bar = 4 * says.std() / math.sqrt(n)
        assert (abs(means[method]) > bar) == (method == "balanced")


@pytest.mark.slow
@given(st.permutations(range(7)), st.permutations(range(7)), st.integers(1, 6))
def test_optimized_interleaving_is_fair_at_every_rank(first, second, k):
    shown = online.interleave(first, second, k=k, n=400, method="optimized", seed=0)
    for row in np.unique(shown.items, axis=0).tolist():
        for rank in range(1, k + 1):
            top = set(row[:rank])
            assert any(
                top == {*first[:i], *second[:j]}
                for i, j in itertools.product(range(rank + 1), repeat=2)
            )
    from recsys_metrics.protocol.online import _interleaving

    allowed, weights = _interleaving._mix(tuple(first), tuple(second), k)
    of = [np.argsort(one) for one in (first, second)]
    credit = np.cumsum((of[0] - of[1])[allowed], axis=1)
    assert np.abs(weights @ credit).max() < 1e-9
    assert weights.sum() == pytest.approx(1)


@given(
    st.permutations(range(9)),
    st.permutations(range(9)),
    st.integers(1, 9),
    st.sampled_from(["team-draft", "balanced", "optimized"]),
)
def test_every_interleaved_list_has_k_different_items(first, second, k, method):
    shown = online.interleave(first, second, k=k, n=5, method=method, seed=1)
    assert shown.items.shape == (5, k)
    assert all(len(set(row)) == k for row in shown.items.tolist())
    assert shown.preference(np.zeros((5, k), int)).tolist() == [0.0] * 5


@given(st.permutations(range(6)), st.sampled_from(["team-draft", "balanced", "optimized"]))
def test_interleaving_a_list_with_itself_returns_it(one, method):
    shown = online.interleave(one, one, k=4, n=3, method=method, seed=1)
    assert shown.items.tolist() == [list(one[:4])] * 3


def test_interleaving_invalid_lists_raises():
    with pytest.raises(ValueError, match="b is one list of 3 items or more"):
        online.interleave(list("ABC"), ["A", "B"], k=3)
    with pytest.raises(ValueError, match="a contains an item twice"):
        online.interleave(["A", "A", "B"], ["A", "B", "C"], k=3)
    with pytest.raises(ValueError, match="too many beyond 12 ranks"):
        online.interleave(range(20), range(20), k=13, method="optimized")
    with pytest.raises(TypeError, match="one kind"):
        online.interleave(["A", "B"], [1, 2], k=2)
    shown = online.interleave(*LISTS, k=3)
    with pytest.raises(ValueError, match="in the shape"):
        shown.preference([1, 0, 0])


def test_long_switchback_runs_without_blocks_warn():
    rng = np.random.default_rng(2)
    on = np.repeat(rng.permutation([0, 1] * 5), 7)
    values = rng.normal(size=70)
    with pytest.warns(UserWarning, match=r"stays on or off for .* Pass blocks="):
        online.switchback_test(values, on)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        online.switchback_test(values, on, blocks=np.repeat(np.arange(10), 7))
        for _ in range(50):
            online.switchback_test(values, rng.permutation(on))


def test_the_documented_rate_of_false_alarms_of_long_runs():
    # Weeks on and off, days with an autocorrelation of 0.5, no effect.
    rng = np.random.default_rng(3)
    noise = rng.normal(size=(600, 140))
    days = noise.copy()
    for day in range(1, 140):
        days[:, day] = 0.5 * days[:, day - 1] + noise[:, day]
    alarms = []
    for values in days:
        on = np.repeat(rng.permutation([0, 1] * 10), 7)
        with pytest.warns(UserWarning, match="blocks="):
            alarms.append(online.switchback_test(values, on).gain.p_value < 0.05)
    assert np.mean(alarms) == pytest.approx(0.22, abs=0.05)


def test_cuped_warns_of_groups_that_differ_before():
    rng = np.random.default_rng(4)
    past = rng.normal(10, 3, 400)
    now = past + rng.normal(size=400)
    one, other = slice(0, 200), slice(200, 400)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        online.cuped(now[one], now[other], control_before=past[one], treatment_before=past[other])
    both = np.column_stack([rng.normal(size=400), past + 3 * (np.arange(400) < 200)])
    with pytest.warns(UserWarning, match=r"control_before\[:, 1\] and .* differ before") as caught:
        online.cuped(now[one], now[other], control_before=both[one], treatment_before=both[other])
    (warned,) = (each.message for each in caught)
    assert warned.column == 1
    assert warned.means == pytest.approx((both[one, 1].mean(), both[other, 1].mean()))
    renamed = warned.rename("the values of 'visits'")
    assert str(renamed) == str(warned).replace(
        "control_before[:, 1] and treatment_before[:, 1]", "the values of 'visits'"
    )
    assert (renamed.column, renamed.p_value) == (1, warned.p_value)


# Ratios with what was known before ---------------------------------------------------------------


def users_of(rng, n, lift=0.0):
    """Return clicks and impressions of users, and those of the weeks before."""
    taste = rng.beta(4, 36, n) * (1 + lift)
    shown, before = rng.poisson(rng.gamma(4, 10, n)) + 1, rng.poisson(40, n) + 1
    return rng.binomial(shown, taste), shown, rng.binomial(before, taste / (1 + lift)), before


def test_cuped_of_a_ratio_computed_by_hand():
    clicks, shown = np.array([1.0, 3.0]), np.array([10.0, 10.0])
    found = online.cuped(
        clicks,
        clicks,
        control_before=[1.0, 3.0],
        treatment_before=[1.0, 3.0],
        control_per=shown,
        treatment_per=shown,
    )
    # 4 / 20 in both groups: 0.2 + (1 - 2) / 10 and 0.2 + (3 - 2) / 10, which the past explains.
    assert found.control == pytest.approx([0.2, 0.2])
    assert found.variance_ratio == pytest.approx(0)


def test_cuped_of_a_ratio_without_a_useful_past_is_the_ratio_test():
    rng = np.random.default_rng(6)
    (a, a_per, *_), (b, b_per, *_) = users_of(rng, 300), users_of(rng, 400)
    noise = rng.normal(size=700)
    found = online.cuped(
        a,
        b,
        control_before=noise[:300],
        treatment_before=noise[300:],
        control_per=a_per,
        treatment_per=b_per,
    )
    plain = online.ab_test(a, b, control_per=a_per, treatment_per=b_per)
    adjusted = online.ab_test(found.control, found.treatment)
    assert found.variance_ratio == pytest.approx(1, abs=0.02)
    assert adjusted.gain.gain == pytest.approx(plain.gain.gain, abs=2e-4)
    assert adjusted.gain.interval.half_width == pytest.approx(
        plain.gain.interval.half_width, rel=0.02
    )


def test_cuped_of_a_ratio_covers_and_is_narrower():
    rng = np.random.default_rng(7)
    covered, widths = 0, []
    for _ in range(300):
        old, new = users_of(rng, 400), users_of(rng, 400, lift=0.1)
        found = online.cuped(
            old[0],
            new[0],
            control_before=np.column_stack(old[2:]),
            treatment_before=np.column_stack(new[2:]),
            control_per=old[1],
            treatment_per=new[1],
        )
        interval = online.ab_test(found.control, found.treatment).gain.interval
        plain = online.ab_test(old[0], new[0], control_per=old[1], treatment_per=new[1])
        covered += 0.01 in interval  # a tenth of the rate of 0.1
        widths.append(interval.half_width / plain.gain.interval.half_width)
    assert covered / 300 == pytest.approx(0.95, abs=0.035)
    assert np.mean(widths) < 0.95


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"control_per": [1, 2, 3]}, "a ratio needs the denominators of both groups"),
        ({"control_per": [1, 2], "treatment_per": [1, 2, 3]}, "3 users and control_per 2"),
        ({"control_per": [0, 0, 0], "treatment_per": [1, 2, 3]}, "control_per is 0 for every user"),
    ],
)
def test_invalid_divisors_of_cuped_raise(more, message):
    before = {"control_before": [1, 2, 4], "treatment_before": [1, 2, 4]}
    with pytest.raises((TypeError, ValueError), match=message):
        online.cuped([1, 2, 3], [2, 3, 4], **before, **more)


def test_a_missing_value_of_an_experiment_is_no_advice_to_leave_users_out():
    for call in (online.ab_test, online.mann_whitney):
        with pytest.raises(ValueError, match="A user who did nothing has the value 0") as caught:
            call([0, 1, np.nan], [1, 2, 3])
        assert "omit" not in str(caught.value)
