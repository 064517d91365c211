"""Columns of pandas that are read row by row have to carry their labels in one order."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from functools import partial

import numpy as np
import pytest

from recsys_metrics import (
    calibration,
    evaluate_predictions,
    fraction_of_concordant_pairs,
    group_auc,
    mean_percentile_rank,
    rating,
    roc_auc,
)
from recsys_metrics._core.inputs import frames
from recsys_metrics.beyond_accuracy import f_beta_score
from recsys_metrics.bias import fairness, off_policy, propensity
from recsys_metrics.protocol import judges, online, significance
from tests.public import modules

pd = pytest.importorskip("pandas")

ZERO_ONE = [0, 1, 1, 0, 1, 0]
SHARES = [0.2, 0.8, 0.6, 0.4, 0.7, 0.3]
NUMBERS = [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]
PLACES = [1, 2, 1, 2, 1, 2]
NAMES = list("aabbab")
TWO = np.array([[0.4, 0.6]] * 6)

# Each function with the columns that are read row by row, and what else it needs.
CASES = {
    "agreement": (
        judges.agreement,
        {"human": ZERO_ONE, "machine": [0, 1, 0, 0, 1, 1], "groups": [1, 1, 2, 2, 3, 3]},
    ),
    "cohen_kappa": (judges.cohen_kappa, {"human": ZERO_ONE, "machine": [0, 1, 0, 0, 1, 1]}),
    "order_sensitivity": (
        judges.order_sensitivity,
        {"in_order": [1, -1, 1, 1, -1, 0], "swapped": [1, 1, 1, -1, -1, 0]},
    ),
    # They take ten rows or more.
    "prediction_powered_mean": (
        lambda human, machine: judges.prediction_powered_mean(
            pd.concat([human] * 2), pd.concat([machine] * 2), SHARES
        ),
        {"human": SHARES, "machine": NUMBERS},
    ),
    "prediction_powered_gain": (
        lambda human, machine: judges.prediction_powered_gain(
            (pd.concat([human] * 2), pd.concat([machine] * 2), SHARES),
            (SHARES * 2, NUMBERS * 2, NUMBERS),
        ),
        {"human": NUMBERS, "machine": SHARES},
    ),
    "fraction_of_concordant_pairs": (
        fraction_of_concordant_pairs,
        {"preference": NUMBERS, "scores": SHARES, "users": NAMES},
    ),
    "roc_auc": (roc_auc, {"labels": ZERO_ONE, "scores": SHARES}),
    "group_auc": (group_auc, {"labels": ZERO_ONE, "scores": SHARES, "users": NAMES}),
    "mean_percentile_rank": (
        mean_percentile_rank,
        {"ranks": PLACES, "n_candidates": [9] * 6, "weights": NUMBERS},
    ),
    "evaluate_predictions": (
        lambda actual, predicted, users: evaluate_predictions(
            actual, predicted, ["mae"], users=users
        ).as_dict(),
        {"actual": NUMBERS, "predicted": SHARES, "users": NAMES},
    ),
    "ratio_sd": (
        lambda numerator, denominator: online.ratio_sd(
            numerator=numerator, denominator=denominator
        ),
        {"numerator": NUMBERS, "denominator": PLACES},
    ),
    "f_beta_score": (f_beta_score, {"first": SHARES, "second": SHARES}),
    "by_group": (fairness.by_group, {"values": ZERO_ONE, "groups": NAMES}),
    "demographic_parity": (fairness.demographic_parity, {"selected": ZERO_ONE, "groups": NAMES}),
    "equal_opportunity": (
        fairness.equal_opportunity,
        {"labels": [1] * 6, "selected": ZERO_ONE, "groups": NAMES},
    ),
    "importance_weights": (
        off_policy.importance_weights,
        {"propensities": SHARES, "target": SHARES},
    ),
    "ips": (
        off_policy.ips,
        {"rewards": ZERO_ONE, "propensities": SHARES, "target": SHARES, "users": NAMES},
    ),
    "unbiased_recall": (
        off_policy.unbiased_recall,
        {"ranks": PLACES, "propensities": SHARES, "users": NAMES},
        {"k": 1},
    ),
    "unbiased_dcg": (
        off_policy.unbiased_dcg,
        {"ranks": PLACES, "propensities": SHARES, "users": NAMES},
    ),
    "doubly_robust": (
        off_policy.doubly_robust,
        {
            "rewards": ZERO_ONE,
            "actions": ZERO_ONE,
            "propensities": SHARES,
            "policy": TWO,
            "users": NAMES,
        },
        {"reward_model": TWO},
    ),
    "estimates": (
        lambda rewards, actions, propensities, policy, users: off_policy.estimates(
            rewards, actions, propensities, policy, users=users, estimators="snips"
        )["snips"],
        {
            "rewards": ZERO_ONE,
            "actions": ZERO_ONE,
            "propensities": SHARES,
            "policy": TWO,
            "users": NAMES,
        },
    ),
    "position_bias_em": (
        propensity.position_bias_em,
        {"clicks": ZERO_ONE, "items": NAMES, "positions": PLACES},
    ),
    "position_bias_swap": (
        propensity.position_bias_swap,
        {"clicks": [1, 1, 1, 0, 1, 0], "positions": PLACES, "partners": [2] * 6},
    ),
    "fit_popularity_power": (
        propensity.fit_popularity_power,
        {"counts": NUMBERS, "exposures": NUMBERS[::-1]},
    ),
    "brier_score": (
        calibration.brier_score,
        {"labels": ZERO_ONE, "probabilities": SHARES, "weights": NUMBERS},
    ),
    "log_loss": (
        calibration.log_loss,
        {"labels": ZERO_ONE, "probabilities": SHARES, "weights": NUMBERS},
    ),
    "calibration_ratio": (
        calibration.calibration_ratio,
        {"labels": ZERO_ONE, "probabilities": SHARES},
    ),
    "reliability_curve": (
        calibration.reliability_curve,
        {"labels": ZERO_ONE, "probabilities": SHARES},
    ),
    "PlattScaling": (
        calibration.PlattScaling().fit,
        {"scores": [0.2, 0.8, 0.6, 0.7, 0.7, 0.3], "labels": ZERO_ONE},
    ),
    "calibration_split": (
        calibration.calibration_split,
        {"scores": SHARES, "labels": ZERO_ONE, "timestamps": NUMBERS},
    ),
    "bounce_rate": (online.bounce_rate, {"pages": PLACES, "users": NAMES}),
    "switchback_test": (
        online.switchback_test,
        {"values": NUMBERS, "treated": ZERO_ONE, "blocks": range(6)},
    ),
    "sample_ratio": (online.sample_ratio, {"counts": [500] * 6, "shares": [1] * 6}),
    "paired_t_test": (significance.paired_t_test, {"a": NUMBERS, "b": SHARES}),
    "wilcoxon": (significance.wilcoxon, {"a": NUMBERS, "b": SHARES}),
    "mae": (
        rating.mae,
        {"actual": NUMBERS, "predicted": SHARES, "weights": NUMBERS, "users": NAMES},
    ),
    "amortized_attention": (
        fairness.amortized_attention,
        {"recommended": np.array([[0, 1]] * 6), "relevance": TWO},
    ),
    "cascade_doubly_robust": (
        off_policy.cascade_doubly_robust,
        dict.fromkeys(("rewards", "propensities", "target", "predicted", "expected"), TWO),
    ),
    "cross_fit": (
        partial(calibration.cross_fit, calibration.HistogramBinning(n_bins=1)),
        {"scores": SHARES, "labels": ZERO_ONE, "users": list("abcdef")},
        {"n_folds": 2, "seed": 1},
    ),
    "cuped": (
        online.cuped,
        {"control": NUMBERS, "control_before": SHARES},
        {"treatment": NUMBERS, "treatment_before": SHARES},
    ),
    "cuped, treatment": (
        online.cuped,
        {"treatment": NUMBERS, "treatment_before": SHARES},
        {"control": NUMBERS, "control_before": SHARES},
    ),
    "direct_method": (off_policy.direct_method, {"policy": TWO, "reward_model": TWO}),
    "empirical_propensities": (
        propensity.empirical_propensities,
        {"items": ZERO_ONE, "positions": PLACES},
    ),
    "expected_calibration_error": (
        calibration.expected_calibration_error,
        {"labels": ZERO_ONE, "probabilities": SHARES},
    ),
    "fit_logging_policy": (
        propensity.fit_logging_policy,
        {"features": TWO, "actions": ZERO_ONE},
        {"n_folds": 1},
    ),
    "gain_interval": (
        significance.gain_interval,
        {"a": SHARES, "b": SHARES[::-1]},
        {"bounds": (0, 1)},
    ),
    "marginalized_ips": (
        off_policy.marginalized_ips,
        {"rewards": ZERO_ONE, "embeddings": ZERO_ONE, "logging": TWO, "policy": TWO},
        {"action_embeddings": [0, 1]},
    ),
    "mcnemar": (significance.mcnemar, {"a": ZERO_ONE, "b": ZERO_ONE[::-1]}),
    "position_bias_harvest": (
        propensity.position_bias_harvest,
        {"clicks": [1, 1, 1, 0, 1, 1], "items": NAMES, "positions": [1, 2, 1, 2, 2, 1]},
    ),
    "pseudo_inverse": (
        off_policy.pseudo_inverse,
        {"rewards": ZERO_ONE, "propensities": TWO, "target": TWO},
    ),
    "randomization_test": (significance.randomization_test, {"a": SHARES, "b": NUMBERS}),
    "score_decomposition": (
        calibration.score_decomposition,
        {"labels": ZERO_ONE, "probabilities": SHARES},
    ),
    "sign_test": (significance.sign_test, {"a": SHARES, "b": NUMBERS}),
    "slate_ips": (
        off_policy.slate_ips,
        {**dict.fromkeys(("rewards", "propensities", "target"), TWO), "users": NAMES},
    ),
    "stratified_test": (
        online.stratified_test,
        {"control": NUMBERS, "control_strata": NAMES},
        {"treatment": NUMBERS, "treatment_strata": NAMES},
    ),
    "win_tie_loss": (significance.win_tie_loss, {"a": SHARES, "b": NUMBERS}),
}


def labelled(column, labels):
    if isinstance(column, np.ndarray):
        return pd.DataFrame(column, index=labels)
    return pd.Series(list(column), index=labels)


@pytest.mark.parametrize("name", CASES)
def test_labels_in_another_order_are_an_error_that_names_both_columns(name):
    function, columns, *others = CASES[name]
    others = others[0] if others else {}
    as_they_are = {each: labelled(column, list("uvwxyz")) for each, column in columns.items()}
    function(**as_they_are, **others)
    for each, column in list(columns.items())[1:]:
        turned = {**as_they_are, each: labelled(column, list("vuwxyz"))}
        with pytest.raises(ValueError, match=r"their indexes differ: row 0 is '[uv]' in") as caught:
            function(**turned, **others)
        assert f" {each}" in str(caught.value)


def test_labels_that_only_count_the_rows_say_nothing():
    sample = pd.Series(ZERO_ONE, index=[3, 7, 8, 11, 12, 40])
    assert calibration.calibration_ratio(sample, pd.Series(SHARES)) == pytest.approx(1)
    with pytest.raises(ValueError, match="row 0 is 0 in labels and 5 in probabilities"):
        calibration.calibration_ratio(
            pd.Series(ZERO_ONE), pd.Series(SHARES, index=[5, 4, 3, 2, 1, 0])
        )


@pytest.mark.parametrize("name", CASES)
def test_range_labels_in_another_order_are_an_error(name):
    function, columns, *others = CASES[name]
    others = others[0] if others else {}
    there = {each: labelled(column, pd.RangeIndex(6)) for each, column in columns.items()}
    function(**there, **others)
    for each, column in list(columns.items())[1:]:
        turned = labelled(column[::-1], pd.RangeIndex(6))[::-1]
        with pytest.raises(ValueError, match=r"their indexes differ: row 0 is [05] in"):
            function(**{**there, each: turned}, **others)


def test_two_ranges_that_were_cut_from_a_table_have_to_be_equal():
    whole = pd.Series(NUMBERS * 3)
    even, odd, tail = whole[::2], whole[1::2], whole[9:]
    assert rating.mae(tail, whole[9:]) == 0
    with pytest.raises(ValueError, match="row 0 is 1 in actual and 9 in predicted"):
        rating.mae(odd, tail)
    # Predictions for a part of a table are often a new column, which counts its own rows.
    assert rating.mae(tail, pd.Series(tail.to_numpy())) == 0
    assert rating.mae(even, even.to_numpy()) == 0


def test_equal_ranges_are_not_listed(monkeypatch):
    def listed(column):
        raise AssertionError(f"{column!r} was listed")

    monkeypatch.setattr(frames, "entries_of", listed)
    column = pd.Series(NUMBERS)
    frames.refuse_other_labels(a=column, b=column.copy(), c=column[:])
    frames.refuse_other_labels(a=column[3:], b=column[3:].copy())


def test_mappings_are_brought_into_one_order():
    a = dict(zip("uvwxyz", NUMBERS, strict=True))
    b = dict(reversed(dict(zip("uvwxyz", SHARES, strict=True)).items()))
    assert significance.paired_t_test(a, b) == significance.paired_t_test(NUMBERS, SHARES)
    assert rating.mae(a, b) == rating.mae(NUMBERS, SHARES)
    old, new = [dict(a), dict(a)], [{k: v + 1 for k, v in a.items()}, dict(reversed(a.items()))]
    keyed = online.cuped(old[0], new[0], control_before=old[1], treatment_before=new[1])
    plain = online.cuped(
        NUMBERS,
        [v + 1 for v in NUMBERS],
        control_before=NUMBERS,
        treatment_before=NUMBERS,
    )
    assert keyed.control.tolist() == plain.control.tolist()


def test_mappings_of_other_keys_are_an_error_that_counts_them():
    with pytest.raises(ValueError, match="a and b have different keys: 1 only in a, 'v' for one"):
        significance.sign_test({"u": 1, "v": 2}, {"u": 2})
    with pytest.raises(ValueError, match="1 only in actual, 'v' for one and 2 only in predicted"):
        rating.rmse({"u": 1, "v": 2}, {"u": 2, "w": 1, "x": 2})
    with pytest.raises(TypeError, match="a is a mapping and b is not"):
        significance.sign_test({"u": 1, "v": 2}, [1, 2])


# Read as lists, or as one array for each item.
NOT_ROWS = (
    "cascade_model",
    "expected_sampled_metric",
    "exposure_by_group",
    "interleave",
    "sampled_ranks",
    "bootstrap_interval",
)


# Takes more users than a case here has; `tests/protocol/test_surrogate_index.py` gives it labels.
MORE_ROWS = ("surrogate_index",)


def test_each_function_of_several_columns_is_tried():
    """Parameters whose documented shapes begin with the same letter are columns of one table."""
    found = {
        name
        for module in modules()
        for name in module.__all__
        if inspect.isfunction(getattr(module, name)) and shares_rows(getattr(module, name))
    }
    assert {*NOT_ROWS} <= found <= {*CASES, *NOT_ROWS, *MORE_ROWS}


def shares_rows(function):
    """Whether the documented shapes of two parameters begin with the same letter."""
    parameters = inspect.getdoc(function).split("Returns")[0]
    letters = Counter()
    for names, text in re.findall(r"^([\w, ]+) : (.*)$", parameters, re.M):
        shapes = re.findall(r"\((\w+),", text)
        letters.update(shapes if len(shapes) > 1 else shapes * len(names.split(",")))
    return max(letters.values(), default=0) > 1
