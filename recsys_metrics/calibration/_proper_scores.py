"""Proper scoring rules and other summaries of probabilities without bins."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.blocks import over_blocks_with_scratch
from recsys_metrics._core.checks import check_real
from recsys_metrics._core.inputs.arrays import BoolArray, FloatArray
from recsys_metrics._core.inputs.columns import check_zero_one
from recsys_metrics._core.inputs.frames import refuse_other_labels
from recsys_metrics.calibration._checks import ROWS, check_both_classes, check_events, check_weights


def log_loss(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    clip: float = 0.0,
) -> float:
    r"""How improbable were the outcomes according to the predicted probabilities?

    Parameters
    ----------
    labels : (n,) array of 0 and 1
        The observed outcomes: 1 for a click, say.
    probabilities : (n,) array of float
        The predicted probability of a 1.
    weights : (n,) array of float, optional
        How much each event counts. By default all the same.
    clip : float
        Probabilities are moved into [clip, 1 - clip] first. By default they are not, so one
        event that was called impossible and happened makes the loss infinite.

    Returns
    -------
    float
        0 or more, in nats; lower is better. Saying the base rate r every time costs its
        entropy, -r ln r - (1 - r) ln(1 - r).

    Raises
    ------
    ValueError
        If a label is neither 0 nor 1, a probability is NaN or outside [0, 1], lengths differ,
        there is no event, a weight is below 0, or clip is not in [0, 0.5).

    Notes
    -----
    .. math:: \mathrm{LogLoss} = -\frac{1}{n} \sum_i \bigl( y_i \ln p_i +
              (1 - y_i) \ln (1 - p_i) \bigr)

    where :math:`y_i` is the observed value of case :math:`i`, which is a rating, or 1 for yes and 0
    for no; :math:`n` is the number of cases; :math:`p_i` is the predicted probability of case
    :math:`i`.

    scikit-learn clips at the spacing of floats, 2.2e-16 (`clip=numpy.finfo(float).eps`). A
    certain and wrong prediction then costs 36.04 instead of infinity.

    References
    ----------
    Good (1952), Rational decisions, Journal of the Royal Statistical Society B 14(1).

    Examples
    --------
    >>> from recsys_metrics.calibration import log_loss
    >>> labels = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    >>> round(log_loss(labels, [0.8] * 5 + [0.2] * 5), 3)
    0.639
    >>> round(log_loss(labels, [0.6] * 5 + [0.2] * 5), 3)
    0.587
    """
    clip = check_real("clip", clip)
    if not 0 <= clip < 0.5:
        raise ValueError(f"clip must be at least 0 and below 0.5; got {clip!r}")

    def surprise(happened: BoolArray, said: FloatArray, loss: FloatArray) -> None:
        if clip:
            said = np.clip(said, clip, 1.0 - clip)
        np.subtract(1.0, said, out=loss)
        np.copyto(loss, said, where=happened)
        with np.errstate(divide="ignore"):
            np.log(loss, out=loss)
        np.negative(loss, out=loss)

    return _mean_loss(labels, probabilities, weights, surprise)


def brier_score(
    labels: ArrayLike, probabilities: ArrayLike, *, weights: ArrayLike | None = None
) -> float:
    r"""How large is the squared difference between the probabilities and the outcomes?

    Parameters
    ----------
    labels : (n,) array of 0 and 1
        The observed outcomes.
    probabilities : (n,) array of float
        The probability of a 1.
    weights : (n,) array of float, optional
        How much each event counts. By default all the same.

    Returns
    -------
    float
        Between 0 and 1; lower is better. Saying 0.5 every time costs 0.25, saying the base
        rate r costs r (1 - r).

    Raises
    ------
    ValueError
        As in `log_loss`.

    Notes
    -----
    .. math:: \mathrm{Brier} = \frac{1}{n} \sum_i (p_i - y_i)^2

    where :math:`y_i` is the observed value of case :math:`i`, which is a rating, or 1 for yes and 0
    for no; :math:`n` is the number of cases; :math:`p_i` is the predicted probability of case
    :math:`i`.

    This is scikit-learn's `brier_score_loss`. Brier's own sum runs over both classes and is
    twice as large.

    References
    ----------
    Brier (1950), Verification of forecasts expressed in terms of probability, Monthly Weather
    Review 78(1).

    Examples
    --------
    >>> from recsys_metrics.calibration import brier_score
    >>> labels = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    >>> round(brier_score(labels, [0.8] * 5 + [0.2] * 5), 3)
    0.22
    """

    def squared(happened: BoolArray, said: FloatArray, loss: FloatArray) -> None:
        np.subtract(said, happened, out=loss)
        np.square(loss, out=loss)

    return _mean_loss(labels, probabilities, weights, squared)


def calibration_ratio(labels: ArrayLike, probabilities: ArrayLike) -> float:
    r"""How large is the sum of the predictions relative to the sum of the outcomes?

    Parameters
    ----------
    labels : (n,) array of 0 and 1
        The observed outcomes.
    probabilities : (n,) array of float
        The probability of a 1.

    Returns
    -------
    float
        0 or more; 1 where the totals agree, above 1 for a model that predicts too much.

    Raises
    ------
    ValueError
        If nothing happened, a label is neither 0 nor 1, a probability is outside [0, 1], or
        lengths differ.

    Notes
    -----
    .. math:: \mathrm{ratio} = \frac{\sum_i p_i}{\sum_i y_i}

    where :math:`y_i` is the observed value of case :math:`i`, which is a rating, or 1 for yes and 0
    for no; :math:`p_i` is the predicted probability of case :math:`i`.

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
    happened, said = check_events(labels, probabilities)
    if not happened.any():
        raise ValueError("no label is 1, so there is no observed rate to divide by")
    return float(said.sum() / np.count_nonzero(happened))


def normalized_entropy(labels: ArrayLike, probabilities: ArrayLike) -> float:
    r"""How large is the log loss relative to that of always predicting the base rate?

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
    .. math:: \mathrm{NE} = \frac{\mathrm{LogLoss}}
              {-\bar y \ln \bar y - (1 - \bar y) \ln (1 - \bar y)}

    where :math:`\bar y` is the mean of :math:`y`.

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
    happened = check_zero_one("labels", labels)
    check_both_classes(happened)
    rate = np.full(len(happened), happened.mean())
    return log_loss(labels, probabilities) / log_loss(labels, rate)


def _mean_loss(
    labels: ArrayLike,
    probabilities: ArrayLike,
    weights: ArrayLike | None,
    loss: Callable[[BoolArray, FloatArray, FloatArray], None],
) -> float:
    """Return the mean of what `loss` writes for each event into its last argument."""
    happened, said = check_events(labels, probabilities)
    refuse_other_labels(labels=labels, weights=weights)
    weight = check_weights(weights, len(happened))

    def total(rows: slice, scratch: FloatArray) -> float:
        losses = scratch[0]
        loss(happened[rows], said[rows], losses)
        if weight is not None:
            # An event without weight may be infinitely surprising and still not count.
            counted = weight[rows] > 0
            losses = losses[counted] * weight[rows][counted]
        return float(losses.sum())

    weight_of_all = len(happened) if weight is None else float(weight.sum())
    return sum(over_blocks_with_scratch(total, len(happened), 1, ROWS, n_buffers=1)) / weight_of_all
