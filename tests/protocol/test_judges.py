"""Judges: hand-computed cases, identities, and what others compute."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import recsys_metrics as rm
from recsys_metrics.protocol.judges import (
    agreement,
    cohen_kappa,
    drop_faults,
    list_overlap,
    list_validity,
    order_sensitivity,
    place_shares,
    prediction_powered_gain,
    prediction_powered_mean,
    replace_faults,
    variance_components,
)
from recsys_metrics.protocol.significance import gain_interval, mean_interval, t_interval
from tests.examples import examples

HUMAN = [0.2, 0.3, 0.4, 0.4, 0.5, 0.5, 0.6, 0.6, 0.7, 0.8]
MACHINE = [0.3, 0.4, 0.5, 0.5, 0.6, 0.6, 0.7, 0.7, 0.8, 0.9]
OTHERS = [0.7, 0.8] * 50


def labels(seed: int = 0, n: int = 200, more: int = 2_000, noise: float = 0.1):
    rng = np.random.default_rng(seed)
    truth = rng.random(n + more)
    machine = np.clip(truth + rng.normal(0.1, noise, n + more), 0, 1)
    return truth[:n], machine[:n], machine[n:]


# Prediction-powered means ------------------------------------------------------------------------


def test_the_mean_of_the_judge_is_corrected_by_its_bias():
    # The judge's mean of the others is 0.75, and it is 0.1 too high on what people labelled.
    found = prediction_powered_mean(HUMAN, MACHINE, OTHERS, weight=1)
    assert found.estimate == pytest.approx(0.75 - 0.1)
    assert found.judge_bias.estimate == pytest.approx(0.1)
    assert (found.n, found.n_machine, found.weight) == (10, 100, 1.0)
    # What is left of people's values has no spread, so the error is that of the judge's mean.
    assert found.standard_error == pytest.approx(np.std(OTHERS, ddof=1) / 10)


def test_half_the_weight_makes_half_the_correction():
    found = prediction_powered_mean(HUMAN, MACHINE, OTHERS, weight=0.5)
    assert found.estimate == pytest.approx(0.5 + 0.5 * (0.75 - 0.6))


def test_the_best_weight_by_hand():
    # Cov(y, f) over n is 0.03, the pooled variance of f over n + N - 1 is as computed here.
    pooled = np.var(MACHINE + OTHERS, ddof=1)
    weight = 0.03 / (1.1 * pooled)
    assert np.mean((np.array(HUMAN) - 0.5) * (np.array(MACHINE) - 0.6)) == pytest.approx(0.03)
    found = prediction_powered_mean(HUMAN, MACHINE, OTHERS)
    assert weight > 1
    assert found.weight == 1.0
    less = prediction_powered_mean(HUMAN, np.array(MACHINE) * 2, np.array(OTHERS) * 2)
    # Twice the judge's values need half the weight.
    assert less.weight == pytest.approx(min(weight / 2, 1))


def test_without_the_judge_it_is_the_interval_of_people():
    y, f, others = labels()
    found = prediction_powered_mean(y, f, others, weight=0, bounds=(0, 1))
    alone = mean_interval(y, bounds=(0, 1))
    assert (found.estimate, *found) == pytest.approx((alone.estimate, *alone))
    assert found.human == alone
    assert found.equivalent_labels == pytest.approx(200)
    # A judge that says the same of every list has no weight, and costs nothing.
    same = prediction_powered_mean(y, np.full(200, 0.5), np.full(2_000, 0.5), bounds=(0, 1))
    assert same.weight == 0
    assert [*same] == [*alone]


def test_a_judge_without_weight_leaves_the_interval_of_hits():
    # The judge finds a hit mainly where people find none, so that its best weight is 0.
    hits = np.repeat([1.0, 1.0, 0.0], [180, 15, 5])
    judged = np.repeat([1.0, 0.0, 1.0], [180, 15, 5])
    others = np.repeat([1.0, 0.0], [1_500, 500])
    found = prediction_powered_mean(hits, judged, others, bounds=(0, 1))
    assert found.weight == 0
    assert [*found] == [*mean_interval(hits, bounds=(0, 1))]
    # The same for the difference of two recommenders, whose interval is that of paired hits.
    missed = np.zeros(200)
    parts = (missed, missed, np.zeros(2_000)), (1 - hits, 1 - judged, 1 - others)
    gain = prediction_powered_gain(*parts, bounds=(0, 1))
    assert gain.weight == 0
    assert [*gain] == [*gain_interval(missed, 1 - hits, bounds=(0, 1))]


@examples(60)
@given(
    seed=st.integers(0, 10_000),
    shift=st.floats(-5, 5),
    scale=st.floats(0.1, 10),
    bias=st.floats(-5, 5),
)
def test_units_and_the_bias_of_the_judge_do_not_matter(seed, shift, scale, bias):
    y, f, others = labels(seed, n=20, more=50)
    plain = prediction_powered_mean(y, f, others)
    moved = prediction_powered_mean(shift + scale * y, shift + scale * f, shift + scale * others)
    biased = prediction_powered_mean(y, f + bias, others + bias)
    expected = [shift + scale * x for x in (plain.estimate, plain.low, plain.high)]
    assert [moved.estimate, *moved] == pytest.approx(expected, abs=1e-9)
    assert [biased.estimate, *biased] == pytest.approx([plain.estimate, *plain], abs=1e-9)
    assert biased.weight == pytest.approx(plain.weight, abs=1e-9)
    assert biased.judge_bias.estimate == pytest.approx(plain.judge_bias.estimate + bias, abs=1e-9)


def test_an_order_of_lists_or_a_key_does_not_matter():
    y, f, others = labels(3, n=30, more=60)
    plain = prediction_powered_mean(y, f, others)
    order = np.random.default_rng(0).permutation(30)
    assert prediction_powered_mean(y[order], f[order], others[::-1]).estimate == pytest.approx(
        plain.estimate
    )
    keyed = prediction_powered_mean(
        dict(enumerate(y)),
        {key: f[key] for key in order.tolist()},
        dict(enumerate(others, 30)),
    )
    assert (keyed.estimate, *keyed) == pytest.approx((plain.estimate, *plain))


def test_a_good_judge_saves_labels_and_a_useless_one_costs_few():
    y, f, others = labels(noise=0.05)
    good = prediction_powered_mean(y, f, others, bounds=(0, 1))
    assert good.equivalent_labels > 1_000
    rng = np.random.default_rng(5)
    useless = prediction_powered_mean(y, rng.random(200), rng.random(2_000), bounds=(0, 1))
    assert useless.weight < 0.2
    assert useless.half_width < 1.02 * useless.human.half_width


def test_the_standard_error_is_that_of_repeated_samples():
    rng = np.random.default_rng(1)
    truth = rng.random(20_000)
    machine = np.clip(truth + rng.normal(0, 0.2, 20_000), 0, 1)
    found = []
    for _ in range(2_000):
        few, many = rng.integers(20_000, size=100), rng.integers(20_000, size=1_000)
        result = prediction_powered_mean(truth[few], machine[few], machine[many])
        found.append((result.estimate, result.standard_error))
    estimates, errors = np.array(found).T
    assert estimates.mean() == pytest.approx(truth.mean(), abs=4 * estimates.std() / 2_000**0.5)
    # The standard error of a standard deviation of 2,000 values is 1.6% of it.
    assert errors.mean() == pytest.approx(estimates.std(), rel=0.06)


def test_an_estimate_outside_the_bounds_is_moved_to_them():
    y, f = np.r_[np.zeros(19), 0.1], np.r_[np.full(19, 0.5), 0.6]
    found = prediction_powered_mean(y, f, np.full(50, 0.4), bounds=(0, 1), weight=1)
    assert found.estimate == found.low == 0
    assert 0 < found.high < 0.2


def test_the_gain_is_the_mean_of_the_differences():
    y, f, others = labels(2)
    rng = np.random.default_rng(7)
    gains = [rng.normal(0.05, 0.1, len(each)) for each in (y, others)]
    old = y, f, others
    new = y + gains[0], f + gains[0], others + gains[1]
    found = prediction_powered_gain(old, new)
    apart = prediction_powered_mean(gains[0], gains[0], gains[1])
    assert (found.estimate, found.weight) == pytest.approx((apart.estimate, apart.weight))
    back = prediction_powered_gain(new, old)
    assert [back.estimate, *back] == pytest.approx([-found.estimate, -found.high, -found.low])
    alone = gain_interval(y, new[0])
    assert [*found.human] == pytest.approx([*alone])


def test_bad_input_is_refused_with_its_name():
    y, f, others = labels(n=20, more=30)
    cases = [
        ((y, f[:-1], others), {}, "human has 20 values and machine 19"),
        ((y[:9], f[:9], others), {}, "human: 9 values, but it takes at least 10"),
        ((y, f, others[:1]), {}, "machine_only: 1 value"),
        ((np.r_[y[:-1], np.nan], f, others), {}, r"human\[19\] is nan"),
        ((y, f, others * 2), {"bounds": (0, 1)}, "machine_only"),
        ((y, f, others), {"weight": 1.5}, "weight is 'optimal' or a number from 0 to 1; got 1.5"),
        ((y, f, others), {"weight": True}, "weight"),
        ((np.ones(20), np.ones(20), np.ones(5)), {}, "there is no confidence interval: all 20"),
        ((dict(enumerate(y)), dict(enumerate(f[:-1])), others), {}, "different keys"),
    ]
    for arguments, options, words in cases:
        with pytest.raises(ValueError, match=words):
            prediction_powered_mean(*arguments, **options)
    with pytest.raises(TypeError, match=r"b is \(human, machine, machine_only\)"):
        prediction_powered_gain((y, f, others), (y, f))
    with pytest.raises(ValueError, match="machine_only has 30 values in a and 29 in b"):
        prediction_powered_gain((y, f, others), (y, f, others[:-1]))


# Agreement ---------------------------------------------------------------------------------------


def test_kappa_by_hand():
    # 8 of 10 equal; by chance 0.3 * 0.3 + 0.7 * 0.7 = 0.58.
    human, machine = [1, 1, 1, 0, 0, 0, 0, 0, 0, 0], [1, 1, 0, 1, 0, 0, 0, 0, 0, 0]
    found = agreement(human, machine)
    assert found.by_chance == pytest.approx(0.58)
    assert found.kappa.estimate == pytest.approx((0.8 - 0.58) / 0.42)
    assert cohen_kappa(human, machine) == pytest.approx(found.kappa.estimate)
    assert found.counts.tolist() == [[6, 1], [1, 2]]


def test_weighted_kappa_by_hand():
    # Three equal grades and one that is one apart: seen 1/4; by chance 2.
    assert cohen_kappa([0, 1, 2, 3], [0, 1, 2, 2], weights="quadratic") == pytest.approx(0.875)
    assert cohen_kappa([0, 1], [0, 1], weights="quadratic") == 1
    assert cohen_kappa([0, 1], [1, 0], weights="quadratic") == -1
    assert cohen_kappa([0, 1], [0, 0], weights="quadratic") == 0
    assert np.isnan(cohen_kappa([1, 1], [1, 1]))


@examples(60)
@given(
    pairs=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=3, max_size=40),
    weights=st.sampled_from(["none", "linear", "quadratic"]),
)
def test_kappa_is_symmetric_and_keeps_its_range(pairs, weights):
    one, other = zip(*pairs, strict=True)
    found = cohen_kappa(one, other, weights=weights)
    if np.isnan(found):
        assert len({*one, *other}) == 1
        return
    assert found == pytest.approx(cohen_kappa(other, one, weights=weights))
    assert found == pytest.approx(cohen_kappa(one[::-1], other[::-1], weights=weights))
    assert -1 - 1e-9 <= found <= 1
    named = [["a", "b", "c", "d"][level] for level in one], [["a", "b", "c", "d"][x] for x in other]
    if weights == "none":
        assert cohen_kappa(*named) == pytest.approx(found)


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_kappa_is_that_of_scikit_learn(weights):
    sklearn = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    rng = np.random.default_rng(0)
    for _ in range(30):
        one = rng.integers(0, 4, 25)
        other = np.where(rng.random(25) < 0.6, one, rng.integers(0, 4, 25))
        theirs = sklearn.cohen_kappa_score(
            one, other, weights=None if weights == "none" else weights
        )
        # Their weights are places of the labels, which are the labels if none is missing.
        if {*one, *other} == {0, 1, 2, 3}:
            assert cohen_kappa(one, other, weights=weights) == pytest.approx(theirs)


def test_labels_of_one_list_are_not_independent():
    rng = np.random.default_rng(3)
    good = np.repeat(rng.random(60) < 0.7, 20)
    human = rng.random(1_200) < 0.4
    machine = np.where(good, human, ~human)
    apart = agreement(human, machine)
    by_list = agreement(human, machine, groups=np.repeat(np.arange(60), 20))
    assert by_list.kappa.estimate == pytest.approx(apart.kappa.estimate)
    assert by_list.kappa.half_width > 3 * apart.kappa.half_width
    assert by_list.kappa.n == 60


def test_the_interval_of_kappa_contains_the_truth_in_95_percent():
    rng = np.random.default_rng(0)
    # Sensitivity and specificity of 0.8, relevant items 0.3: observed 0.8, and the truth below.
    said = 0.3 * 0.8 + 0.7 * 0.2
    by_chance = 0.3 * said + 0.7 * (1 - said)
    truth = (0.8 - by_chance) / (1 - by_chance)
    hits = 0
    for _ in range(1_000):
        human = rng.random(150) < 0.3
        machine = np.where(rng.random(150) < 0.8, human, ~human)
        hits += truth in agreement(human, machine).kappa
    assert 0.93 < hits / 1_000 < 0.97


def test_a_judge_that_always_agrees_has_an_interval():
    found = agreement([0, 1] * 20, [0, 1] * 20)
    assert found.kappa.estimate == 1
    assert found.kappa.high == 1
    # The share may be 0.91, where chance gives 0.5.
    assert found.kappa.low == pytest.approx(1 - (1 - found.observed.low) / 0.5)


def test_agreement_refuses_what_it_cannot_use():
    with pytest.raises(ValueError, match="gave the label 1 to all; kappa is not defined"):
        agreement([1, 1, 1], [1, 1, 1])
    with pytest.raises(ValueError, match="lengths differ: human 3, machine 2"):
        agreement([1, 0, 1], [1, 0])
    with pytest.raises(ValueError, match="groups: 2 cannot show"):
        agreement([1, 0, 1], [1, 0, 0], groups=["a", "a", "b"])
    with pytest.raises(ValueError, match="weights"):
        agreement([1, 0, 1], [1, 0, 0], weights="cubic")
    with pytest.raises(TypeError, match="the labels, for weights, must be numbers"):
        cohen_kappa(["a", "b"], ["a", "a"], weights="linear")
    with pytest.raises(ValueError, match="no label"):
        cohen_kappa([1.0, np.nan], [1.0, 0.0])


# Order -------------------------------------------------------------------------------------------


def test_order_sensitivity_by_hand():
    # Pairs: b twice, a twice, first twice over, tie and tie; first once more.
    found = order_sensitivity([1, -1, -1, -1, 0], [1, -1, 1, 1, 0])
    assert found.consistent.estimate == 0.6
    assert (found.first.estimate, found.second.estimate) == (0.4, 0.0)
    assert found.advantage.estimate == pytest.approx(0.4)
    assert found.preference.estimate == pytest.approx(0.0)
    assert found.one_order.estimate == pytest.approx(-0.4)
    assert found.consistent.n == 5


@examples(60)
@given(st.lists(st.tuples(st.integers(-1, 1), st.integers(-1, 1)), min_size=2, max_size=40))
def test_swapping_the_names_keeps_places_and_turns_preference(pairs):
    c, s = map(np.array, zip(*pairs, strict=True))
    found, turned = order_sensitivity(c, s), order_sensitivity(-s, -c)
    assert turned.advantage.estimate == pytest.approx(found.advantage.estimate)
    assert turned.preference.estimate == pytest.approx(-found.preference.estimate)
    assert (turned.first, turned.second) == (found.first, found.second)
    total = found.consistent.estimate + found.first.estimate + found.second.estimate
    assert total <= 1 + 1e-12
    # With the place alone, the answer of one order is the preference less the advantage.
    assert found.one_order.estimate == pytest.approx(
        found.preference.estimate - found.advantage.estimate
    )


def test_places_by_hand_and_with_shuffled_candidates():
    found = place_shares([[1, 2], [1, 4], [2, 1]], n_places=4)
    assert found.share.tolist() == pytest.approx([1, 2 / 3, 0, 1 / 3])
    assert (found.expected, found.n) == (0.5, 3)
    rng = np.random.default_rng(0)
    drawn = np.array([rng.permutation(20)[:5] + 1 for _ in range(2_000)])
    even = place_shares(drawn, n_places=20)
    assert even.share.sum() == pytest.approx(5)
    assert ((even.low <= 0.25) & (even.high >= 0.25)).sum() >= 17
    with pytest.raises(ValueError, match=r"places\[1\] has a place twice"):
        place_shares([[1, 2], [3, 3]], n_places=4)
    with pytest.raises(ValueError, match="they run from 1 to 4"):
        place_shares([[1, 5]], n_places=4)


def test_overlap_by_hand():
    runs = [[["A", "B"], ["C", "D"]], [["B", "A"], ["C", "E"]], [["A", "X"], ["C", "D"]]]
    # User 1: 2, 1, 1 of 2; user 2: 1, 2, 1 of 2.
    assert list_overlap(runs, k=2).estimate == pytest.approx(4 / 6)
    assert list_overlap(runs[:2], k=1).estimate == 0.5
    same = list_overlap([np.arange(20).reshape(4, 5)] * 2, k=5)
    assert (same.estimate, same.high) == (1, 1)
    with pytest.raises(ValueError, match="at least two runs"):
        list_overlap(runs[:1], k=2)
    with pytest.raises(ValueError, match="lists of 2 users and runs"):
        list_overlap([runs[0], runs[1][:1]], k=2)


# Generated lists ---------------------------------------------------------------------------------


def test_validity_by_hand():
    lists = [["A", "B", "A"], ["A", "Z"], None, ["C", "Z", "Z", "A"]]
    found = list_validity(lists, [*"ABC"], k=3)
    thirds = [[2, 0, 1, 0], [1, 1, 0, 1], [0, 0, 0, 3], [1, 2, 0, 0]]
    np.testing.assert_allclose(found.per_list, np.array(thirds) / 3)
    assert found.valid.estimate == pytest.approx(4 / 12)
    assert found.unknown.estimate == pytest.approx(3 / 12)
    assert (found.unreadable.estimate, found.faultless.estimate) == (0.25, 0)


ids = st.sampled_from([*"ABCDEFXYZ"])


@examples(80)
@given(
    lists=st.lists(st.none() | st.lists(ids, max_size=8), min_size=2, max_size=6),
    k=st.integers(1, 8),
)
def test_shares_add_up_and_repaired_lists_are_judged(lists, k):
    catalog = [*"ABCDEF"]
    found = list_validity(lists, catalog, k=k)
    np.testing.assert_allclose(found.per_list.sum(axis=1), 1)
    counted, dropped = (repair(lists, catalog, k=k) for repair in (replace_faults, drop_faults))
    truth = [{"A", "C", "E"}] * len(lists)
    misses = rm.precision(rm.judge(counted, truth), k=k)
    moved = rm.precision(rm.judge(dropped, truth), k=k)
    # A fault is no hit, whether it keeps its place or not.
    np.testing.assert_allclose(misses, moved)
    assert (
        rm.reciprocal_rank(rm.judge(counted, truth))
        <= rm.reciprocal_rank(rm.judge(dropped, truth)) + 1e-12
    ).all()
    for row, kept, shares in zip(counted, dropped, found.per_list, strict=True):
        assert len(set(row)) == len(row) <= k
        assert [item for item in row if item in catalog] == kept
        assert len(kept) == pytest.approx(shares[0] * k)
    # What is repaired has no fault but slots that are missing.
    again = list_validity(dropped, catalog, k=k)
    assert again.unknown.estimate == again.repeated.estimate == 0


def test_faults_of_numbered_items_and_forms():
    assert replace_faults([[3, 9, 3], [1]], range(5), k=3) == [[3, 6, 7], [1]]
    assert replace_faults({"ann": ["A", "A"]}, ["A", "fault at 2"], k=2) == {
        "ann": ["A", "_fault at 2"]
    }
    assert drop_faults(np.array([[3, 9], [1, 1]]), range(5), k=2) == [[3], [1]]
    with pytest.raises(TypeError, match="neither all texts nor all whole numbers"):
        replace_faults([["A"]], ["A", 1], k=1)
    with pytest.raises(TypeError, match=r"the answer for 1 is a str, '1\. Gilda'"):
        list_validity([["A"], "1. Gilda"], ["A"], k=1)
    with pytest.raises(TypeError, match="recommended is a list of lists"):
        list_validity("A", ["A"], k=1)


# Variance components -----------------------------------------------------------------------------


def test_components_by_hand():
    # Means by user 0.1 and 0.5, by run 0.2 and 0.4: MS are 0.16 and 0.04, nothing is left.
    found = variance_components([[0.0, 0.4], [0.2, 0.6]])
    assert (found.user, found.run, found.residual) == pytest.approx((0.08, 0.02, 0), abs=1e-12)
    assert found.standard_error(n_users=2, n_runs=2) == pytest.approx(np.sqrt(0.05))
    # Satterthwaite: (0.08 + 0.02)² / (0.08² + 0.02²) of the two variances of the mean's parts.
    half = stats.t.ppf(0.975, 0.05**2 / (0.04**2 + 0.01**2)) * np.sqrt(0.05)
    assert found.mean.half_width == pytest.approx(half)


def test_equal_runs_leave_the_interval_over_users():
    values = np.random.default_rng(0).random(30)
    found = variance_components([values] * 4)
    assert (found.run, found.residual) == pytest.approx((0, 0), abs=1e-15)
    assert [*found.mean] == pytest.approx([*t_interval(values)])
    assert [*found.users_only] == pytest.approx([*t_interval(values)])


@examples(40)
@given(seed=st.integers(0, 1_000), shift=st.floats(-3, 3), scale=st.floats(0.1, 5))
def test_components_follow_the_units(seed, shift, scale):
    values = np.random.default_rng(seed).random((4, 7))
    plain, moved = variance_components(values), variance_components(shift + scale * values)
    for name in ("user", "run", "residual"):
        assert getattr(moved, name) == pytest.approx(scale**2 * getattr(plain, name), abs=1e-9)
    assert [*moved.mean] == pytest.approx([shift + scale * end for end in plain.mean], abs=1e-9)


def test_components_and_coverage_of_a_known_model():
    rng = np.random.default_rng(0)
    found, inside, only = [], 0, 0
    for _ in range(1_000):
        users, runs = rng.normal(0, 0.2, 60), rng.normal(0, 0.05, 5)
        values = 0.4 + users + runs[:, None] + rng.normal(0, 0.1, (5, 60))
        each = variance_components(values)
        found.append((each.user, each.run, each.residual))
        inside += 0.4 in each.mean
        only += 0.4 in each.users_only
    assert np.mean(found, axis=0) == pytest.approx([0.04, 0.0025, 0.01], rel=0.1)
    assert 0.92 < inside / 1_000 < 0.98
    # Over other users alone it is too narrow for other runs.
    assert only / 1_000 < 0.9


def test_components_need_a_table():
    with pytest.raises(ValueError, match=r"1 run\(s\) of 3 user\(s\)"):
        variance_components([[0.1, 0.2, 0.3]])
    with pytest.raises(ValueError, match="a table"):
        variance_components([0.1, 0.2])


@pytest.mark.parametrize(
    ("human", "machine_only", "cure"),
    [
        ([0.5] * 9, [0.5] * 20, "label more lists$"),
        ([0.5] * 11 + [np.nan], [0.5] * 20, "leave it out, with the judge's value and that of "),
        ([0.5] * 12, [0.5, np.nan], "leave it out, with the judge's value and that of people$"),
    ],
)
def test_labels_that_do_not_suffice_come_with_what_to_do(human, machine_only, cure):
    with pytest.raises(ValueError, match=cure) as caught:
        prediction_powered_mean(human, [0.4] * len(human), machine_only)
    # It has no such parameter.
    assert "missing=" not in str(caught.value)
