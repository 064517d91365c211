"""Platt scaling: a logistic curve from scores to probabilities."""

from __future__ import annotations

from typing import Literal

import numpy as np

from recsys_metrics._core.checks import check_choice
from recsys_metrics._core.inputs.arrays import BoolArray, FloatArray
from recsys_metrics.calibration._calibrator import (
    LogOddsCalibrator,
    On,
    check_inside,
    check_overlap,
    multiply_finite,
    sigmoid,
)
from recsys_metrics.calibration._logistic import fit_logistic

Targets = Literal["labels", "smoothed"]


class PlattScaling(LogOddsCalibrator):
    r"""Which logistic curve turns the scores into probabilities?

    Parameters
    ----------
    on : {"scores", "log-odds"}
        What the line under the curve runs over: the scores as they are given, whatever their
        unit; or the log-odds of scores that are probabilities themselves.
    targets : {"labels", "smoothed"}
        What the curve is drawn to: the labels; or Platt's (n₁ + 1)/(n₁ + 2) and 1/(n₀ + 2) in
        place of 1 and 0, which keeps the curve finite when a threshold splits the labels.

    Attributes
    ----------
    slope_, intercept_ : float
        a and b. They are two parameters, fitted together.

    Notes
    -----
    .. math:: p(s) = \sigma(a\,s + b), \qquad \sigma(z) = \frac{1}{1 + e^{-z}}

    The likelihood has one peak, found by Newton's method; there is no penalty on a.

    A slope below 1 means "too confident" only with `on="log-odds"`, where a = 1, b = 0 leaves
    the probabilities as they are. On raw scores the slope has the unit of the scores.

    The order of the scores is kept if a > 0, and reversed if a < 0, which says that the model
    ranks the wrong way round. Equal scores for all give a = 0 and the base rate.

    `targets="smoothed"` is what `CalibratedClassifierCV` of scikit-learn fits; with "labels" it
    is `LogisticRegression` without a penalty.

    References
    ----------
    Platt (1999), Probabilistic outputs for support vector machines, Advances in Large Margin
    Classifiers. Lin, Lin and Weng (2007), A note on Platt's probabilistic outputs, Machine
    Learning 68(3).

    Examples
    --------
    Five events called 0.2, of which one happened, and five called 0.8, of which three did:

    >>> from recsys_metrics.calibration import PlattScaling
    >>> scores, labels = [0.2] * 5 + [0.8] * 5, [1, 0, 0, 0, 0, 1, 1, 1, 0, 0]
    >>> platt = PlattScaling(on="scores").fit(scores, labels)
    >>> round(platt.slope_, 3), round(platt.intercept_, 3)
    (2.986, -1.984)
    >>> platt = PlattScaling(on="log-odds").fit(scores, labels)
    >>> round(platt.slope_, 3), round(platt.intercept_, 3)
    (0.646, -0.49)
    >>> platt.predict([0.2, 0.8]).round(3)
    array([0.2, 0.6])
    """

    slope_: float
    intercept_: float

    def __init__(self, *, on: On = "scores", targets: Targets = "labels") -> None:
        check_choice("on", on, On)
        check_choice("targets", targets, Targets)
        self.on: On = on
        self.targets: Targets = targets

    def __repr__(self) -> str:
        fitted = f": a = {self.slope_:.4g}, b = {self.intercept_:.4g}" if self._fitted else ""
        return f"PlattScaling(on={self.on!r}, targets={self.targets!r}){fitted}"

    def _learn(self, scores: FloatArray, happened: BoolArray) -> None:
        if self.on == "log-odds":
            check_inside(scores)
        line = self._line(scores)
        goal: FloatArray | BoolArray = happened
        if self.targets == "smoothed":
            hits = int(happened.sum())
            misses = len(happened) - hits
            goal = np.where(happened, (hits + 1) / (hits + 2), 1 / (misses + 2))
        if line.min() == line.max():
            rate = float(goal.mean())
            self.slope_, self.intercept_ = 0.0, float(np.log(rate) - np.log1p(-rate))
            return
        if self.targets == "labels":
            check_overlap(scores, happened, 'Fit with targets="smoothed", or on more events')
        found = fit_logistic([line], goal)
        if found is None:
            raise ValueError(
                "the scores are too close together, or too far apart, for a slope to be found "
                f"in floating point: they run from {line.min():g} to {line.max():g}"
            )
        self.slope_, self.intercept_ = float(found[0][0]), found[1]

    def _apply(self, scores: FloatArray) -> FloatArray:
        return sigmoid(multiply_finite(self.slope_, self._line(scores)) + self.intercept_)
