"""Isotonic calibration: the best step function that never falls."""

from __future__ import annotations

from typing import Literal

import numpy as np

from recsys_metrics._core.checks import check_choice
from recsys_metrics._core.inputs.arrays import BoolArray, FloatArray
from recsys_metrics._core.sorted_arrays import distinct, starts_of_runs
from recsys_metrics.calibration._calibrator import Calibrator

Interpolation = Literal["linear", "step"]


class IsotonicCalibration(Calibrator):
    r"""Which probabilities that never fall with the score fit the labels best?

    Parameters
    ----------
    interpolation : {"linear", "step"}
        What a score between two that were seen gets: a value on the straight line between
        theirs, or that of the lower one. Scores beyond the ends get the value at the end.

    Attributes
    ----------
    scores_, probabilities_ : (m,) array
        The ends of the steps and their values; both ascend.

    Notes
    -----
    .. math:: \min_g \sum_i \bigl( y_i - g(s_i) \bigr)^2 \quad\text{with}\quad
              g(s_i) \le g(s_j) \text{ wherever } s_i \le s_j

    Equal scores are pooled into their mean label first, so the order of the rows does not
    matter; pool-adjacent-violators does the rest in linear time after one sort.

    No pair of scores changes its order, but steps make ties: different scores may get one
    probability, so AUC and any cut inside a step can change. Rank by the old score within a
    step where order matters.

    "linear" is what scikit-learn's `IsotonicRegression` predicts. The ends can be exactly 0 or
    1, and `log_loss` is infinite if such a certainty is wrong on new events.

    References
    ----------
    Zadrozny and Elkan (2002), Transforming classifier scores into accurate multiclass
    probability estimates, KDD. Niculescu-Mizil and Caruana (2005), Predicting good
    probabilities with supervised learning, ICML.

    Examples
    --------
    >>> from recsys_metrics.calibration import IsotonicCalibration
    >>> isotonic = IsotonicCalibration().fit([0.2, 0.4, 0.6, 0.8], [0, 1, 0, 1])
    >>> isotonic.predict([0.2, 0.4, 0.6, 0.8])
    array([0. , 0.5, 0.5, 1. ])
    >>> IsotonicCalibration().fit([0.2] * 5 + [0.8] * 5, [0, 0, 0, 0, 1, 0, 0, 1, 1, 1]).predict(
    ...     [0.2, 0.8]
    ... )
    array([0.2, 0.6])
    """

    scores_: FloatArray
    probabilities_: FloatArray

    def __init__(self, *, interpolation: Interpolation = "linear") -> None:
        check_choice("interpolation", interpolation, Interpolation)
        self.interpolation: Interpolation = interpolation

    def __repr__(self) -> str:
        steps = f": {len(distinct(self.probabilities_))} steps" if self._fitted else ""
        return f"IsotonicCalibration(interpolation={self.interpolation!r}){steps}"

    def _learn(self, scores: FloatArray, happened: BoolArray) -> None:
        from scipy.optimize import isotonic_regression

        ascending, hit = _in_order(scores, happened)
        starts = np.flatnonzero(starts_of_runs(ascending))
        if len(starts) == len(scores):
            value = isotonic_regression(hit.astype(np.float64)).x
        else:
            count = np.diff(np.append(starts, len(scores)))
            rate = np.add.reduceat(hit, starts, dtype=np.float64) / count
            value = isotonic_regression(rate, weights=count).x
        # Between its two ends a step is flat, so the scores inside it need not be kept.
        changes = value[1:] != value[:-1]
        end = np.append(True, changes) | np.append(changes, True)
        self.scores_ = ascending[starts][end]
        self.probabilities_ = np.clip(value[end], 0.0, 1.0)

    def _apply(self, scores: FloatArray) -> FloatArray:
        if self.interpolation == "step":
            which = np.searchsorted(self.scores_, scores, side="right") - 1
            return self.probabilities_[np.maximum(which, 0)]
        # Rounding between two values must not leave [0, 1].
        return np.clip(np.interp(scores, self.scores_, self.probabilities_), 0.0, 1.0)


def _in_order(scores: FloatArray, happened: BoolArray) -> tuple[FloatArray, BoolArray]:
    """Return the scores, ascending, and their labels; those of equal scores in any order."""
    # Numbers are sorted within vector registers, an order of numbers is not. So the label rides
    # in the last bit of a copy of its score, and the scores themselves are sorted beside it.
    bits = scores.view(np.uint64)
    ascending: FloatArray = np.sort(scores)
    carriers = np.sort(((bits | np.uint64(1)) ^ ~happened).view(np.float64)).view(np.uint64)
    steps = ascending.view(np.uint64)
    if ((steps ^ carriers) > 1).any() or ((steps[1:] ^ steps[:-1]) == 1).any():
        # A zero with a sign, or two scores that differ in that bit alone: labels may have
        # changed places.
        return _in_order_one_by_one(scores, happened)
    return ascending, (carriers & np.uint64(1)).astype(bool)


def _in_order_one_by_one(scores: FloatArray, happened: BoolArray) -> tuple[FloatArray, BoolArray]:
    """Return the same by the definition: an order, and both columns in it."""
    order = np.argsort(scores)
    return scores[order], happened[order]
