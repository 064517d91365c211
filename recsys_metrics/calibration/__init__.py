"""Calibration: metrics of predicted probabilities, and maps that calibrate scores.

=============================  ==================================================
file                           holds
=============================  ==================================================
`_scores`                      log loss, Brier score, normalized entropy, calibration ratio
`_reliability`                 reliability curve, expected and average calibration error
`_decomposition`               what a loss consists of; the reliability diagram without bins
`_platt`                       `PlattScaling`: a logistic curve, two parameters
`_temperature`                 `TemperatureScaling`: one parameter
`_beta`                        `BetaCalibration`: three parameters
`_isotonic`                    `IsotonicCalibration`: steps that never fall
`_histogram`                   `HistogramBinning`: the rate of each bin
`_split`                       `calibration_split`: what to fit on, what to test on
`_cross_fit`                   `cross_fit`: every event tests, and none was fitted on
`_negatives`                   `correct_negative_sampling`
=============================  ==================================================

A calibration learns from scores and labels, and predicts from scores: ``fit(scores, labels)``,
``predict(scores)``.

Stable: names and meanings stay from now on, and the changelog announces any change.
"""

from recsys_metrics.calibration._beta import BetaCalibration
from recsys_metrics.calibration._cross_fit import cross_fit
from recsys_metrics.calibration._decomposition import ScoreDecomposition, score_decomposition
from recsys_metrics.calibration._histogram import HistogramBinning
from recsys_metrics.calibration._isotonic import IsotonicCalibration
from recsys_metrics.calibration._negative_sampling import correct_negative_sampling
from recsys_metrics.calibration._platt import PlattScaling
from recsys_metrics.calibration._proper_scores import (
    brier_score,
    calibration_ratio,
    log_loss,
    normalized_entropy,
)
from recsys_metrics.calibration._reliability import (
    ReliabilityCurve,
    average_calibration_error,
    expected_calibration_error,
    reliability_curve,
)
from recsys_metrics.calibration._split import CalibrationSplit, calibration_split
from recsys_metrics.calibration._temperature import TemperatureScaling

__all__ = [
    "BetaCalibration",
    "CalibrationSplit",
    "HistogramBinning",
    "IsotonicCalibration",
    "PlattScaling",
    "ReliabilityCurve",
    "ScoreDecomposition",
    "TemperatureScaling",
    "average_calibration_error",
    "brier_score",
    "calibration_ratio",
    "calibration_split",
    "correct_negative_sampling",
    "cross_fit",
    "expected_calibration_error",
    "log_loss",
    "normalized_entropy",
    "reliability_curve",
    "score_decomposition",
]


def __dir__() -> list[str]:
    return __all__
