"""Temperature scaling: divide all log-odds by one number."""

from __future__ import annotations

import warnings

import numpy as np

from recsys_metrics._core.checks import check_choice
from recsys_metrics._core.inputs.arrays import BoolArray, FloatArray
from recsys_metrics.calibration._calibrator import LogOddsCalibrator, On, check_inside, sigmoid
from recsys_metrics.calibration._logistic import fit_logistic


class TemperatureScaling(LogOddsCalibrator):
    r"""By what should all log-odds be divided?

    Parameters
    ----------
    on : {"scores", "log-odds"}
        The scores are log-odds already, as a network's last layer gives them; or they are
        probabilities, whose log-odds are taken. If all "scores" lie between 0 and 1, there is a
        warning.

    Attributes
    ----------
    temperature_ : float
        Above 1 the scores were too confident, below 1 too careful.

    Notes
    -----
    .. math:: p(z) = \sigma(z / T), \qquad T > 0

    One parameter, fitted by maximum likelihood. The order is always kept, and 0.5 stays 0.5;
    so a base rate that is off cannot be repaired (`PlattScaling` can).

    References
    ----------
    Guo, Pleiss, Sun and Weinberger (2017), On calibration of modern neural networks, ICML.

    Examples
    --------
    >>> from recsys_metrics.calibration import TemperatureScaling
    >>> scores, labels = [0.1] * 5 + [0.9] * 5, [1, 0, 0, 0, 0, 1, 1, 1, 1, 0]
    >>> temperature = TemperatureScaling(on="log-odds").fit(scores, labels)
    >>> round(temperature.temperature_, 3), temperature.predict([0.1, 0.9]).round(3)
    (1.585, array([0.2, 0.8]))
    """

    temperature_: float

    def __init__(self, *, on: On = "scores") -> None:
        check_choice("on", on, On)
        self.on: On = on

    def __repr__(self) -> str:
        fitted = f": T = {self.temperature_:.4g}" if self._fitted else ""
        return f"TemperatureScaling(on={self.on!r}){fitted}"

    def _learn(self, scores: FloatArray, happened: BoolArray) -> None:
        if self.on == "log-odds":
            check_inside(scores)
        elif len(scores) > 1 and scores.min() > 0 and scores.max() < 1:
            warnings.warn(
                "all scores lie between 0 and 1, as probabilities do, and they are read as "
                'log-odds; for probabilities use TemperatureScaling(on="log-odds")',
                stacklevel=3,
            )
        line = self._line(scores)
        toward = np.where(happened, line, -line)
        # At infinite temperature everything is 0.5; from there it must pay to cool down.
        if not toward.sum() > 0:
            raise ValueError(
                "the log-odds point the wrong way on average, so no temperature above 0 fits "
                "better than predicting 0.5 for every event. If they are no log-odds around 0, use "
                "PlattScaling"
            )
        if toward.min() >= 0:
            raise ValueError(
                "every score is on its label's side of 0, so the likelihood grows as T "
                "falls and no "
                "temperature is best. Fit on more events"
            )
        found = fit_logistic([line], happened.astype(np.float64), intercept=False)
        if found is None:
            raise ValueError(
                f"no temperature can be found in floating point for log-odds from {line.min():g} "
                f"to {line.max():g}"
            )
        self.temperature_ = 1.0 / float(found[0][0])

    def _apply(self, scores: FloatArray) -> FloatArray:
        return sigmoid(self._line(scores) / self.temperature_)
