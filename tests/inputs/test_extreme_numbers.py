"""Weights, errors, gains and propensities near the ends of what a float holds."""

from __future__ import annotations

import math
import warnings
from decimal import Decimal
from functools import partial

import numpy as np
import pytest
from scipy.sparse import csr_array

import recsys_metrics as rm
from recsys_metrics import beyond_accuracy, calibration, ranking, rating
from recsys_metrics.bias import fairness, off_policy, propensity
from recsys_metrics.protocol import online, significance

RATINGS = [rating.mae, rating.mse, rating.rmse, rating.r2, rating.explained_variance, rating.smape,
           rating.median_absolute_error]  # fmt: skip


@pytest.fixture(autouse=True)
def _no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("scale", [5e-324, 1e-320, 1e-200, 1e200, 1e308])
@pytest.mark.parametrize("metric", RATINGS)
def test_only_the_ratios_of_weights_count(metric, scale):
    actual, predicted = [1, 4, 2, 5], [1.5, 3, 2, 4.5]
    assert metric(actual, predicted, weights=[scale] * 4) == pytest.approx(
        metric(actual, predicted), rel=1e-12
    )
    # Each user's weights count beside each other only.
    users = ["a", "a", "b", "b"]
    of_users = metric(actual, predicted, users=users, weights=[scale, scale, 1, 1])
    np.testing.assert_allclose(of_users, metric(actual, predicted, users=users), rtol=1e-12)


@pytest.mark.parametrize("scale", [5e-324, 1e-320, 1e308])
@pytest.mark.parametrize("metric", [calibration.log_loss, calibration.brier_score])
def test_weights_of_proper_scores(metric, scale):
    labels, said = [1, 0, 1], [0.7, 0.4, 0.6]
    assert metric(labels, said, weights=[scale] * 3) == pytest.approx(metric(labels, said))


def test_errors_that_a_float_holds_have_a_mean():
    assert rating.mae([1e308] * 10, [0] * 10) == pytest.approx(1e308)
    users = ["a"] * 5 + ["b"] * 5
    assert rating.mae([1e308] * 10, [0] * 10, users=users) == pytest.approx([1e308, 1e308])
    assert rating.rmse([1e308] * 10, [0] * 10) == pytest.approx(1e308)
    with pytest.raises(ValueError, match=r"predicted - actual\[0\] is .*divide all ratings"):
        rating.mae([-1e308], [1e308])


@pytest.mark.parametrize("tiny", [1e-160, 1e-250, 1e-300])
def test_importance_weights_whose_squares_leave_the_floats(tiny):
    rewards, logged, target = [1, 0, 1], [tiny, 0.5, 0.5], [1, 0.5, 0.5]
    found = off_policy.ips(rewards, logged, target)
    assert found.value == pytest.approx(1 / tiny / 3)
    assert found.standard_error == pytest.approx(1 / tiny / 3, rel=1e-6)
    assert off_policy.snips(rewards, logged, target).value == pytest.approx(1)
    diagnosis = off_policy.weight_diagnostics(logged, target)
    assert diagnosis.mean == pytest.approx(1 / tiny / 3)
    assert all(map(math.isfinite, diagnosis.mean_interval))
    model = [[0.5, 0.5]] * 3
    two = [[1, 0], [0.5, 0.5], [0.5, 0.5]]
    found = off_policy.doubly_robust(rewards, [0, 0, 0], logged, model, two)
    assert math.isfinite(found.standard_error)


def test_inverse_propensities_beyond_the_floats():
    weights = propensity.inverse_propensity_weights
    assert weights([1e-320, 1e-320], normalize=True).tolist() == [1, 1]
    assert weights([1e-320, 1e-320], cap=10).tolist() == [10, 10]
    with pytest.raises(ValueError, match=r"^propensities\[1\] is 1e-320, whose inverse is more"):
        weights([0.5, 1e-320])


@pytest.mark.parametrize("scale", [5e-324, 1e-300, 1e300, 1e307])
@pytest.mark.parametrize("ideal", ["all", "list", "listed", "uncut"])
def test_only_the_ratios_of_linear_gains_count(scale, ideal):
    lists = [["A", "B", "C"], ["B", "X", "A"]]
    small, large = ([{"A": 1 * s, "B": 2 * s, "C": 4 * s}] * 2 for s in (1, scale))
    assert rm.ndcg(rm.judge(lists, large), 3, ideal=ideal) == pytest.approx(
        rm.ndcg(rm.judge(lists, small), 3, ideal=ideal), rel=1e-12
    )


def test_gains_that_vanish_beside_others_are_refused():
    judged = rm.judge([["A", "B"]], [{"A": 5e-324, "B": 1e308}])
    with pytest.raises(ValueError, match=r"^gains run from 4.94066e-324 to 1e\+308, and the first"):
        rm.ndcg(judged, 2)


def test_gains_that_add_up_to_more_than_a_float_are_refused():
    judged = rm.judge([["A", "B", "C"]], [{"A": 1e308, "B": 1e308, "C": 1e308}])
    with pytest.raises(ValueError, match=r"^the gains of list 0 add up to more than a float"):
        rm.dcg(judged, 3)
    assert rm.ndcg(judged, 3) == pytest.approx(1)
    with pytest.raises(ValueError, match=r"so close to 0 that no gain can be divided by it"):
        rm.dcg(rm.judge([["A", "B"]], [{"A"}]), 2, discount=[5e-324, 1])


@pytest.mark.parametrize("beta", [1e154, 1e200, 1e308])
def test_a_huge_beta_leaves_recall(beta):
    judged = rm.judge([["A", "B"]], [{"A", "C", "D"}])
    assert rm.f_beta(judged, 2, beta=beta) == pytest.approx(rm.recall(judged, 2))


def test_weights_whose_sum_leaves_the_floats():
    ranks = rm.mean_percentile_rank([1, 3], [5, 5], weights=[1e308, 1e308])
    assert ranks == rm.mean_percentile_rank([1, 3], [5, 5]) == 0.25
    with pytest.raises(ValueError, match=r"^propensities\[1\] is 5e-324, so close to 0"):
        off_policy.importance_weights([0.5, 5e-324], [0.5, 0.5])


@pytest.mark.parametrize("scale", [1e-320, 1e-200, 1e200, 1e300])
def test_users_of_an_experiment_whose_squares_leave_the_floats_are_refused(scale):
    old, new = [scale * each for each in (1, 2, 4, 8)], [2, 3, 5, 9]
    strata = {"control_strata": [0, 0, 1, 1], "treatment_strata": [0, 0, 1, 1]}
    before = {"control_before": [1, 2, 3, 4], "treatment_before": [1, 2, 3, 5]}
    words = r"^control\[\d\] is .*, too (large|small) to square"
    for test in (
        online.ab_test,
        partial(online.quantile_test, quantile=0.5),
        partial(online.stratified_test, **strata),
        partial(online.cuped, **before),
    ):
        with pytest.raises(ValueError, match=words):
            test(old, new)
    before["control_before"] = old
    with pytest.raises(ValueError, match=r"^control_before\[\d, 0\] is .* to square"):
        online.cuped([1, 2, 3, 4], new, **before)


def test_systems_whose_values_leave_the_floats_are_refused():
    runs = {"a": [1e300, 2e300, 3e300], "b": [0, 0, 1]}
    for test in (significance.tukey_hsd, significance.friedman):
        with pytest.raises(ValueError, match=r"^value 0 of 'a' is 1e\+300, too large to square"):
            test(runs)


@pytest.mark.parametrize("scale", [1e-135, 1e-100, 1e100, 1e135])
def test_an_experiment_has_the_same_test_in_any_unit(scale):
    old, new = np.array([3.0, 1, 2, 6, 4, 5]), np.array([4.0, 2, 3, 7, 9, 5])
    plain, scaled = online.ab_test(old, new), online.ab_test(scale * old, scale * new)
    assert scaled.gain.p_value == pytest.approx(plain.gain.p_value)
    assert scaled.lift == pytest.approx(plain.lift)
    assert scaled.lift_interval.low == pytest.approx(plain.lift_interval.low)
    assert scaled.lift_interval.high == pytest.approx(plain.lift_interval.high)


def test_gains_that_no_test_can_look_for_are_refused():
    found = online.always_valid_interval(2e-60, 1e-60, expected_gain=2e-60)
    plain = online.always_valid_interval(0.02, 0.01, expected_gain=0.02)
    assert found.p_value == pytest.approx(plain.p_value)
    for name, value in {"gain": 1e90, "standard_error": 1e-90, "expected_gain": 1e-320}.items():
        given = {"gain": 0.02, "standard_error": 0.01, "expected_gain": 0.02, name: value}
        with pytest.raises(ValueError, match=rf"^{name} is .*, whose fourth power"):
            online.always_valid_interval(**given)
    for options in ({"gain": 1e-200}, {"gain": 0.01, "share": 1e-300}):
        with pytest.raises(ValueError, match=r"would take more than 10\*\*18 users"):
            online.sample_size(options.pop("gain"), rate=0.05, **options)


def test_errors_that_no_float_holds_are_refused():
    assert rating.rmse([1e200], [0]) == pytest.approx(1e200)
    with pytest.raises(ValueError, match=r"^predicted - actual\[0\] is -1e\+200, .*; take rmse"):
        rating.mse([1e200], [0])
    with pytest.raises(ValueError, match=r"^actual\[0\] is 1e-320, so close to 0 that"):
        rating.mape([1e-320], [1])


COMPLEX = {
    "actual": lambda odd: rating.mae([1, odd], [1, 2]),
    "predicted": lambda odd: rating.rmse([1, 2], (1, odd)),
    "labels": lambda odd: calibration.brier_score([1, odd], [0.5, 0.5]),
    "probabilities": lambda odd: calibration.brier_score([1, 0], [0.5, odd]),
    "rewards": lambda odd: off_policy.ips([1, odd], [0.5, 0.5], [0.5, 0.5]),
    "target": lambda odd: off_policy.ips([1, 0], [0.5, 0.5], odd),
    "a": lambda odd: significance.paired_t_test({"u": 1, "v": odd}, {"u": 1, "v": 2}),
    "values": lambda odd: significance.mean_interval([1, 2, odd]),
    "control": lambda odd: online.ab_test([1, odd], [1, 2]),
    "grades": lambda odd: rm.judge_scores([[0.1, odd]], [{1}]),
}


@pytest.mark.parametrize("odd", [1 + 5j, 1 + 0j, np.complex64(1 + 5j)])
@pytest.mark.parametrize("name", COMPLEX)
def test_numbers_that_are_not_real_are_refused_with_the_entry(name, odd):
    with pytest.raises(TypeError, match=rf"^{name} must be .*complex.*, \(\S+[+][05]j\) for one"):
        COMPLEX[name](odd)


def test_durations_in_a_list_are_no_numbers():
    days = [np.timedelta64(1, "D"), np.timedelta64(2, "D")]
    with pytest.raises(TypeError, match=r"actual must be .*timedelta64\[D\] values, 1 days for"):
        rating.mae(days, [1, 2])


def test_an_infinite_sum_of_rewards_is_refused():
    with pytest.raises(ValueError, match="so large that a float does not hold their sum; divide"):
        off_policy.ips([1e300, 1], [1e-20, 0.5], [0.5, 0.5])


HUGE = np.full(4, 1e308)


def test_middles_of_huge_numbers_are_the_numbers_themselves():
    assert rating.median_absolute_error(HUGE, [1, 2, 3, 4]) == 1e308
    assert rating.median_absolute_error(HUGE, [1, 2, 3, 4], users=[1, 1, 2, 2]).tolist() == [
        1e308,
        1e308,
    ]
    assert online.trimmed_mean(HUGE) == 1e308
    assert beyond_accuracy.average_popularity([[0, 1, 2]], HUGE).tolist() == [1e308]
    assert ranking.expected_over_ties("ndcg", HUGE, [1, 1, 2, 3]) == 1


def test_a_bootstrap_of_numbers_without_a_sum_is_refused():
    with pytest.raises(ValueError, match="values are so large that a sum of them is no float"):
        significance.bootstrap_interval([1e308, 1, 2, 3])


@pytest.mark.parametrize("far", [1e9, 1e17, 1e308])
def test_one_prediction_for_all_explains_nothing_however_far_it_is(far):
    assert rating.explained_variance([1, 2, 3, 4], [far] * 4) == 0


@pytest.mark.parametrize("metric", [rating.r2, rating.explained_variance])
def test_errors_beyond_all_proportion_are_refused(metric):
    with pytest.raises(ValueError, match="predicted is so far from actual"):
        metric([1, 2, 3, 4], [1e308, 1, 2, 3])


def test_ratings_that_a_float_does_not_tell_apart_are_refused():
    with pytest.raises(ValueError, match="actual contains whole numbers with more digits"):
        rating.mae([2**53 + 1], [2**53])
    assert rating.mae([2**53], [2**53 - 1]) == 1


@pytest.mark.parametrize("n_candidates", [math.inf, 8.5])
def test_the_number_of_candidates_is_whole(n_candidates):
    with pytest.raises(ValueError, match=r"n_candidates is .*; it is how many candidates there"):
        ranking.mean_percentile_rank([1, 2], n_candidates)


@pytest.mark.parametrize(
    "metric",
    [ranking.label_ranking_average_precision, ranking.coverage_error, ranking.ranking_loss],
)
@pytest.mark.parametrize("label", [math.nan, math.inf])
def test_a_label_that_is_not_known_is_refused(metric, label):
    with pytest.raises(ValueError, match=r"labels\[0\] is (nan|inf); it is a finite number"):
        metric([label, 1, 0], [3, 2, 1])


SIGNALS = Decimal("sNaN")


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("users", lambda odd: ranking.group_auc([0, 1, 1], [1, 2, 3], odd)),
        ("groups", lambda odd: fairness.by_group([0.1, 0.2, 0.3], odd)),
        ("a", lambda odd: online.interleave(odd, [3, 4, 5], k=2)),
        ("strata", lambda odd: online.stratified_test(
            [1, 2, 3], [1, 2, 4], control_strata=odd, treatment_strata=[1, 1, 1])),
    ],
)  # fmt: skip
def test_a_decimal_that_signals_is_a_missing_label(name, call):
    with pytest.raises(ValueError, match=rf"{name}\[0\] is sNaN"):
        call([SIGNALS, 1, 2])


DURATIONS = np.array([0, 1], dtype="timedelta64[s]")


@pytest.mark.parametrize(
    "call",
    [
        lambda: propensity.empirical_propensities(DURATIONS),
        lambda: off_policy.doubly_robust([1, 0], DURATIONS, [0.5] * 2, np.eye(2), np.eye(2)),
        lambda: fairness.amortized_attention(DURATIONS[None], [[0.5, 0.5]]),
    ],
)
def test_durations_are_no_whole_numbers(call):
    with pytest.raises(TypeError, match=r"must be whole numbers; got timedelta64\[s\] values"):
        call()


def test_labels_in_text_are_called_so():
    with pytest.raises(TypeError, match="labels must be 0 and 1; got '1', a text"):
        calibration.brier_score(["1", "0"], [0.5, 0.5])


def test_a_sparse_column_is_named():
    with pytest.raises(TypeError, match="values is a sparse matrix"):
        significance.bootstrap_interval(csr_array([[1.0, 0.0]]))


@pytest.mark.parametrize("size", [1e-200, 1e200])
@pytest.mark.parametrize(
    "varies",
    [
        lambda values: fairness.by_group(values, list("aabb"), bounds=(0, np.inf)),
        lambda values: fairness.by_group([np.nan, *values], list("aaabb"), bounds=(0, np.inf)),
        lambda values: significance.friedman({"a": values, "b": values[::-1], "c": values}),
        lambda values: significance.tukey_hsd({"a": values, "b": values[::-1]}),
        lambda values: online.ab_test(values, values[::-1]),
    ],
)
def test_values_whose_squares_are_no_floats_name_the_cure(varies, size):
    with pytest.raises(ValueError, match=r"too (small|large) to square; (multiply|divide) all val"):
        varies([size, 2 * size, 3 * size, 5 * size])
    assert varies([0.1, 0.2, 0.3, 0.5])


@pytest.mark.parametrize("grades", [(3e-16, 4e-16), (1e-17, 2e-17), (1e-300, 2e-300)])
def test_an_exponential_gain_of_tiny_grades_is_their_ratio(grades):
    # Near 0, 2 to the power of a grade, minus 1, grows as the grade does.
    first, best = grades
    judged = rm.judge(["A"], {"A": first, "Z": best})
    ideal = best / math.log2(2) + first / math.log2(3)
    value = rm.ndcg(judged, 10, gain="exponential")
    assert value == pytest.approx(first / ideal, rel=1e-9)
