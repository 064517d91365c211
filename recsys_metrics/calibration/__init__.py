"""Are the scores probabilities? Measures of that, and maps that make them so.

=============================  ==================================================
file                           holds
=============================  ==================================================
`scores`                       log loss, Brier score
`reliability`                  reliability curve, expected calibration error
`totals`                       totals predicted and observed; measures beside the first two
`platt`                        `PlattScaling`: a logistic curve, two parameters
`temperature`                  `TemperatureScaling`: one parameter
`beta`                         `BetaCalibration`: three parameters
`isotonic`                     `IsotonicCalibration`: steps that never fall
`histogram`                    `HistogramBinning`: the rate of each bin
`split`                        `calibration_split`: what to fit on, what to test on
=============================  ==================================================

A calibration learns from scores and labels, and predicts from scores: ``fit(scores, labels)``,
``predict(scores)``.
"""

from recsys_metrics.calibration.beta import BetaCalibration
from recsys_metrics.calibration.histogram import HistogramBinning
from recsys_metrics.calibration.isotonic import IsotonicCalibration
from recsys_metrics.calibration.platt import PlattScaling
from recsys_metrics.calibration.reliability import (
    ReliabilityCurve,
    expected_calibration_error,
    reliability_curve,
)
from recsys_metrics.calibration.scores import brier_score, log_loss
from recsys_metrics.calibration.split import CalibrationSplit, calibration_split
from recsys_metrics.calibration.temperature import TemperatureScaling
from recsys_metrics.calibration.totals import (
    average_calibration_error,
    calibration_ratio,
    normalized_entropy,
)

__all__ = [
    "BetaCalibration",
    "CalibrationSplit",
    "HistogramBinning",
    "IsotonicCalibration",
    "PlattScaling",
    "ReliabilityCurve",
    "TemperatureScaling",
    "average_calibration_error",
    "brier_score",
    "calibration_ratio",
    "calibration_split",
    "expected_calibration_error",
    "log_loss",
    "normalized_entropy",
    "reliability_curve",
]
