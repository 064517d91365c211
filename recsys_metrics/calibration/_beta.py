"""Beta calibration: a curve between probabilities that can also be the identity."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.inputs.arrays import BoolArray, FloatArray
from recsys_metrics.calibration._calibrator import (
    Calibrator,
    check_inside,
    check_overlap,
    multiply_finite,
    sigmoid,
)
from recsys_metrics.calibration._checks import check_probabilities
from recsys_metrics.calibration._logistic import fit_logistic, mean_log_likelihood


class BetaCalibration(Calibrator):
    r"""Which curve turns badly calibrated probabilities into good ones?

    Attributes
    ----------
    a_, b_ : float
        How steep the curve is towards 0 and towards 1; both 0 or more.
    c_ : float
        Where it stands.

    Notes
    -----
    .. math:: \ln \frac{q}{1 - q} = a \ln p - b \ln (1 - p) + c, \qquad a, b \ge 0

    Three parameters by maximum likelihood. The likelihood is concave, so the best of the four
    cases (both free, one of them 0, both 0) is the constrained peak. a = b = 1, c = 0 leaves
    the probabilities as they are, and a = b is `PlattScaling` on log-odds. The order is kept,
    up to ties where a or b is 0 at the ends.

    The scores must be probabilities; predictions for 0 and 1 are the limits of the curve.

    References
    ----------
    Kull, Silva Filho and Flach (2017), Beta calibration: a well-founded and easily implemented
    improvement on logistic calibration, AISTATS.

    Examples
    --------
    >>> from recsys_metrics.calibration import BetaCalibration
    >>> scores = [0.2] * 5 + [0.5] * 5 + [0.8] * 5
    >>> labels = [1, 0, 0, 0, 0] + [1, 1, 0, 0, 0] + [1, 1, 1, 0, 0]
    >>> BetaCalibration().fit(scores, labels).predict([0.2, 0.5, 0.8]).round(3)
    array([0.2, 0.4, 0.6])
    """

    a_: float
    b_: float
    c_: float

    def __repr__(self) -> str:
        if not self._fitted:
            return "BetaCalibration()"
        return f"BetaCalibration(): a = {self.a_:.4g}, b = {self.b_:.4g}, c = {self.c_:.4g}"

    def _read(self, scores: ArrayLike) -> FloatArray:
        return check_probabilities("scores", scores)

    def _learn(self, scores: FloatArray, happened: BoolArray) -> None:
        check_inside(scores)
        goal = happened.astype(np.float64)
        rate = float(goal.mean())
        best = (0.0, 0.0, float(np.log(rate) - np.log1p(-rate)))
        if scores.min() < scores.max():
            # A fall is no cause to refuse: the best curve that does not fall is then flat.
            if scores[~happened].max() <= scores[happened].min():
                check_overlap(scores, happened, "Fit on more events")
            best = _fit_constrained(np.log(scores), -np.log1p(-scores), goal, flat=best)
        self.a_, self.b_, self.c_ = best

    def _apply(self, scores: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            low, high = np.log(scores), -np.log1p(-scores)
        return sigmoid(multiply_finite(self.a_, low) + multiply_finite(self.b_, high) + self.c_)


def _fit_constrained(
    low: FloatArray, high: FloatArray, goal: FloatArray, flat: tuple[float, float, float]
) -> tuple[float, float, float]:
    """Return the likeliest (a, b, c) with neither a nor b below 0."""
    free = fit_logistic([low, high], goal)
    if free is not None and (free[0] >= 0).all():
        return float(free[0][0]), float(free[0][1]), free[1]
    cases = [flat]
    one = fit_logistic([low], goal)
    if one is not None and one[0][0] > 0:
        cases.append((float(one[0][0]), 0.0, one[1]))
    other = fit_logistic([high], goal)
    if other is not None and other[0][0] > 0:
        cases.append((0.0, float(other[0][0]), other[1]))
    return max(
        cases,
        key=lambda case: mean_log_likelihood(
            multiply_finite(case[0], low) + multiply_finite(case[1], high) + case[2], goal
        ),
    )
