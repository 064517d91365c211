"""Recomputed entries on calibration."""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics import roc_auc
from recsys_metrics.calibration import (
    IsotonicCalibration,
    PlattScaling,
    TemperatureScaling,
    expected_calibration_error,
    reliability_curve,
)

Values = dict[str, Any]


def _events(bins: list[dict[str, float]]) -> tuple[list[int], list[float]]:
    labels: list[int] = []
    scores: list[float] = []
    for one in bins:
        clicks, n = int(one["clicks"]), int(one["n"])
        labels += [1] * clicks + [0] * (n - clicks)
        scores += [one["predicted"]] * n
    return labels, scores


def two_bins(bins: list[dict[str, float]]) -> Values:
    """Return the reliability of events called by a few probabilities, in the order given."""
    labels, scores = _events(bins)
    curve = reliability_curve(labels, scores)
    order = [int(np.argmin(np.abs(curve.predicted - one["predicted"]))) for one in bins]
    promised, kept = (
        float(np.average(part, weights=curve.count)) for part in (curve.predicted, curve.observed)
    )
    return {
        "gaps": np.abs(curve.gap)[order].tolist(),
        "observed": curve.observed[order].tolist(),
        "ece": expected_calibration_error(labels, scores),
        "mean_predicted": promised,
        "mean_observed": kept,
        "over_confident": promised > kept,
    }


def platt(bins: list[dict[str, float]]) -> Values:
    """Return Platt's two parameters, fitted on the scores and on their log-odds."""
    labels, scores = _events(bins)
    raw = PlattScaling(on="scores").fit(scores, labels)
    odds = PlattScaling(on="log-odds").fit(scores, labels)
    called = [one["predicted"] for one in bins]
    one_parameter = TemperatureScaling(on="log-odds").fit(scores, labels)
    observed = [one["clicks"] / one["n"] for one in bins]
    return {
        "slope_on_scores": raw.slope_,
        "intercept_on_scores": raw.intercept_,
        "slope_on_log_odds": odds.slope_,
        "intercept_on_log_odds": odds.intercept_,
        "slope_below_1_on_scores": bool(raw.slope_ < 1),
        "slope_below_1_on_log_odds": bool(odds.slope_ < 1),
        "fitted": raw.predict(called).tolist(),
        # What a fit has learned ends in an underscore, as in scikit-learn.
        "parameters": sum(n.endswith("_") and not n.startswith("_") for n in vars(raw)),
        "one_parameter_meets_both_bins": bool(np.allclose(one_parameter.predict(called), observed)),
    }


def platt_and_order(scores: list[float], rising: list[int], falling: list[int]) -> Values:
    """Return whether Platt keeps the order, for labels that rise and that fall with the score."""
    slopes, kept = [], []
    for labels in (rising, falling):
        fitted = PlattScaling().fit(scores, labels)
        slopes.append(bool(fitted.slope_ > 0))
        kept.append(bool((np.diff(fitted.predict(sorted(scores))) > 0).all()))
    return {"slope_above_0": slopes, "order_kept": kept}


def isotonic(scores: list[float], labels: list[int]) -> Values:
    """Return an isotonic fit, and the AUC before and after."""
    fitted = IsotonicCalibration().fit(scores, labels).predict(scores)
    return {
        "fit": fitted.tolist(),
        "auc_before": roc_auc(labels, scores),
        "auc_after": roc_auc(labels, fitted),
        "distinct_before": len(set(scores)),
        "distinct_after": len(set(fitted.tolist())),
        "inversions": int((np.diff(fitted[np.argsort(scores)]) < 0).sum()),
        "ranking_untouched": len(set(fitted.tolist())) == len(set(scores)),
    }


def isotonic_with_ties(scores: list[float], labels: list[int]) -> Values:
    """Return an isotonic fit of tied scores, pooled first and not."""
    fitted = IsotonicCalibration().fit(scores, labels)
    levels = sorted(set(scores))
    places = list(range(len(scores)))
    unpooled = IsotonicCalibration().fit(places, labels).predict(places)
    return {
        "scores": levels,
        "fit": fitted.predict(levels).tolist(),
        "ece_after": expected_calibration_error(labels, fitted.predict(scores)),
        "fit_without_pooling": unpooled.tolist(),
    }


WAYS = {
    two_bins: "ch11e-ece",
    platt: "ch11e-platt-parameters ch11e-platt-slope",
    platt_and_order: "ch11e-platt-sign",
    isotonic: "ch11e-isotonic-ranking",
    isotonic_with_ties: "ch11e-isotonic-two-bins",
}
