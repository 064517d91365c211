"""Metrics of predicted ratings and probabilities as functions of sums over each user's rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from recsys_metrics import calibration, rating
from recsys_metrics._core.inputs.arrays import FloatArray
from recsys_metrics.measures import Measure, Metric
from recsys_metrics.measures._catalogue import Better
from recsys_metrics.measures._measure_mapping import plain_name

Subject = Literal["rating", "probability"]
Terms = Callable[[FloatArray, FloatArray], list[FloatArray]]
Combine = Callable[..., Any]

_N_BINS = 10


PREDICTION_ALIASES = {
    "ece": "expected_calibration_error",
    "ace": "average_calibration_error",
    "brier": "brier_score",
    "logloss": "log_loss",
    "ne": "normalized_entropy",
    "r_squared": "r2",
}
"""Common other names of metrics of predictions."""


@dataclass(frozen=True)
class PredictionMetric:
    """A metric of rows that follows from sums over them.

    Attributes
    ----------
    measure : Measure
        With the function that computes it, its better side and bounds.
    subject : {"rating", "probability"}
        What is predicted.
    terms : callable
        Of actual and predicted values: the terms of each row that are summed up.
    combine : callable
        Of those sums, in the same order, and the number of rows: the metric's value.
    of_single_users : bool
        Whether the value of a single user means what that of all rows means.
    """

    measure: Measure
    subject: Subject
    terms: Terms
    combine: Combine
    of_single_users: bool

    def sums(
        self, actual: FloatArray, predicted: FloatArray, group: NDArray[np.intp], n_groups: int
    ) -> list[FloatArray]:
        """Return each group's sums, and last the number of its rows."""
        columns = [*self.terms(actual, predicted), np.ones(len(actual))]
        return [np.bincount(group, column, n_groups).astype(float) for column in columns]


def _rating_error(name: str, terms: Terms, combine: Combine, **known: Any) -> PredictionMetric:
    return _build(name, getattr(rating, name), "rating", terms, combine, **known)


def _of_events(name: str, terms: Terms, combine: Combine, **known: Any) -> PredictionMetric:
    return _build(name, getattr(calibration, name), "probability", terms, combine, **known)


def _build(
    name: str,
    function: Callable[..., Any],
    subject: Subject,
    terms: Terms,
    combine: Combine,
    *,
    better: Better | None = "lower",
    bounds: tuple[float, float] = (0.0, np.inf),
    of_single_users: bool = False,
) -> PredictionMetric:
    others = (other for other, of in PREDICTION_ALIASES.items() if of == name)
    metric = Metric(
        function, "accuracy", better, per_user=True, bounds=bounds, names=(name, *others)
    )
    return PredictionMetric(Measure(name, own=metric), subject, terms, combine, of_single_users)


def _log_losses(happened: FloatArray, predicted: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        losses: FloatArray = -np.log(np.where(happened > 0, predicted, 1.0 - predicted))
    return losses


def _explained(squares: Any, of_actual: Any, n: Any, mean: Any = 0.0) -> Any:
    """Return 1 minus a sum of squares over that of the actual values about their mean."""
    return 1.0 - squares / (of_actual - n * (mean / n) ** 2)


def _entropy(rate: Any) -> Any:
    return -rate * np.log(rate) - (1.0 - rate) * np.log1p(-rate)


def _bin_terms(happened: FloatArray, predicted: FloatArray) -> list[FloatArray]:
    """Return the number, the gap and nothing else of each row, by bin."""
    which = np.searchsorted(np.linspace(0.0, 1.0, _N_BINS + 1)[1:-1], predicted)
    members = [which == number for number in range(_N_BINS)]
    gaps = predicted - happened
    return [*(part.astype(float) for part in members), *(gaps * part for part in members)]


def _weighted_gaps(*sums: Any) -> Any:
    gaps, n = sums[_N_BINS : 2 * _N_BINS], sums[-1]
    return sum(np.abs(gap) for gap in gaps) / n


def _mean_gap(*sums: Any) -> Any:
    counts, gaps = np.array(sums[:_N_BINS]), np.array(sums[_N_BINS : 2 * _N_BINS])
    used = counts > 0.5
    each = np.divide(np.abs(gaps), counts, out=np.zeros(gaps.shape), where=used)
    return each.sum(axis=0) / used.sum(axis=0)


PREDICTION_METRICS = {
    metric.measure.name: metric
    for metric in (
        _rating_error(
            "mae", lambda y, p: [np.abs(p - y)], lambda e, n: e / n, of_single_users=True
        ),
        _rating_error("mse", lambda y, p: [(p - y) ** 2], lambda e, n: e / n, of_single_users=True),
        _rating_error(
            "rmse",
            lambda y, p: [(p - y) ** 2],
            lambda e, n: np.sqrt(np.maximum(e, 0.0) / n),
            of_single_users=True,
        ),
        _rating_error(
            "error_ratio",
            lambda y, p: [(p - y) ** 2, np.abs(p - y)],
            lambda squares, errors, n: np.sqrt(np.maximum(squares, 0.0) * n) / errors,
            better=None,
            bounds=(1.0, np.inf),
        ),
        _rating_error(
            "r2",
            # About the mean of all rows: no difference of two large sums.
            lambda y, p: [(p - y) ** 2, (y - y.mean()) ** 2, y - y.mean()],
            lambda e, squares, mean, n: _explained(e, squares, n, mean),
            better="higher",
            bounds=(-np.inf, 1.0),
        ),
        _rating_error(
            "explained_variance",
            lambda y, p: [(p - y) ** 2, p - y, (y - y.mean()) ** 2, y - y.mean()],
            lambda e, bias, squares, mean, n: _explained(e - bias**2 / n, squares, n, mean),
            better="higher",
            bounds=(-np.inf, 1.0),
        ),
        _of_events(
            "log_loss", lambda y, p: [_log_losses(y, p)], lambda e, n: e / n, of_single_users=True
        ),
        _of_events(
            "brier_score",
            lambda y, p: [(p - y) ** 2],
            lambda e, n: e / n,
            bounds=(0.0, 1.0),
            of_single_users=True,
        ),
        _of_events(
            "normalized_entropy",
            lambda y, p: [_log_losses(y, p), y],
            lambda e, hits, n: e / n / _entropy(hits / n),
        ),
        _of_events(
            "calibration_ratio",
            lambda y, p: [p, y],
            lambda total, hits, n: total / hits,
            better=None,
        ),
        _of_events("expected_calibration_error", _bin_terms, _weighted_gaps, bounds=(0.0, 1.0)),
        _of_events("average_calibration_error", _bin_terms, _mean_gap, bounds=(0.0, 1.0)),
    )
}
"""Every metric of predictions whose value follows from sums, by name."""


def find_prediction_metric(name: Any) -> PredictionMetric | None:
    """Return a metric of predictions by its name or a common other one, in any case."""
    if not isinstance(name, str):
        return None
    plain = plain_name(name)
    return PREDICTION_METRICS.get(PREDICTION_ALIASES.get(plain, plain))
