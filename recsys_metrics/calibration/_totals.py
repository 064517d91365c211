"""Calibration in one number without weighing the bins, or without any."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics.calibration._checks import (
    check_both_classes,
    check_labels,
    check_lengths,
    check_probabilities,
)
from recsys_metrics.calibration._reliability import Binning, reliability_curve
from recsys_metrics.calibration._scores import log_loss


def calibration_ratio(labels: ArrayLike, probabilities: ArrayLike) -> float:
    r"""How many times as much was predicted as happened?

    Parameters
    ----------
    labels : (n,) array of 0 and 1
        What happened.
    probabilities : (n,) array of float
        The probability of a 1.

    Returns
    -------
    float
        0 or more; 1 where the totals agree, above 1 for a model that promises too much.

    Raises
    ------
    ValueError
        If nothing happened, a label is neither 0 nor 1, a probability is outside [0, 1], or
        lengths differ.

    Notes
    -----
    .. math:: \frac{\sum_i p_i}{\sum_i y_i}

    torchrec's calibration. Errors in either direction cancel: the base rate for everyone has 1.

    References
    ----------
    He et al. (2014), Practical lessons from predicting clicks on ads at Facebook, ADKDD.

    Examples
    --------
    >>> from recsys_metrics.calibration import calibration_ratio
    >>> round(calibration_ratio([1, 1, 1, 0, 0, 1, 0, 0, 0, 0], [0.8] * 5 + [0.2] * 5), 3)
    1.25
    """
    happened, said = check_labels(labels), check_probabilities(probabilities)
    check_lengths(labels=happened, probabilities=said)
    if not happened.any():
        raise ValueError("no label is 1, so nothing happened that predictions could be a ratio to")
    return float(said.sum() / np.count_nonzero(happened))


def normalized_entropy(labels: ArrayLike, probabilities: ArrayLike) -> float:
    r"""How large is the log loss, against that of the base rate for everyone?

    Parameters
    ----------
    labels, probabilities
        As in `calibration_ratio`.

    Returns
    -------
    float
        0 for certainty that was right, 1 for a model that knows no more than the base rate,
        above 1 for one that is worse.

    Raises
    ------
    ValueError
        As in `log_loss`; also if all labels are alike.

    Notes
    -----
    .. math:: \mathrm{NE} = \frac{\mathrm{log\ loss}}{-\bar y \ln \bar y -
              (1 - \bar y) \ln (1 - \bar y)}

    Log losses of data with different base rates cannot be compared; these can.

    References
    ----------
    He et al. (2014), Practical lessons from predicting clicks on ads at Facebook, ADKDD.

    Examples
    --------
    >>> from recsys_metrics.calibration import normalized_entropy
    >>> normalized_entropy([1, 1, 0, 0], [0.5] * 4)
    1.0
    >>> round(normalized_entropy([1, 1, 1, 0, 0, 1, 0, 0, 0, 0], [0.8] * 5 + [0.2] * 5), 3)
    0.95
    """
    happened = check_labels(labels)
    check_both_classes(happened)
    rate = np.full(len(happened), happened.mean())
    return log_loss(labels, probabilities) / log_loss(labels, rate)


def average_calibration_error(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    n_bins: int = 10,
    binning: Binning = "equal-width",
) -> float:
    r"""How far are predicted and observed rates apart, if every bin counts the same?

    Parameters
    ----------
    labels, probabilities
        As in `calibration_ratio`.
    n_bins, binning
        As in `reliability_curve`.

    Returns
    -------
    float
        Between 0 and 1; the mean over the bins that hold an event.

    Raises
    ------
    ValueError
        As in `reliability_curve`.

    Notes
    -----
    .. math:: \mathrm{ACE} = \frac{1}{|B|} \sum_{b \in B} |\bar p_b - \bar y_b|

    netcal's ACE. A bin with one event counts as much as one with a thousand, so the number
    wanders; `expected_calibration_error` weighs the bins. With equal-mass bins both agree.

    References
    ----------
    Neumann, Zisserman and Vedaldi (2018), Relaxed softmax: efficient confidence
    auto-calibration for safe pedestrian detection, NeurIPS workshop.

    Examples
    --------
    >>> from recsys_metrics.calibration import average_calibration_error
    >>> round(average_calibration_error([1, 0, 0, 0], [0.9, 0.1, 0.1, 0.1]), 3)
    0.1
    """
    curve = reliability_curve(labels, probabilities, n_bins=n_bins, binning=binning)
    return float(np.abs(curve.gap).mean())
