"""Correct the probabilities of a model that was trained on sampled negatives."""

from __future__ import annotations

from numpy.typing import ArrayLike

from recsys_metrics._core.checks import check_share
from recsys_metrics._core.inputs.arrays import FloatArray
from recsys_metrics.calibration._checks import check_probabilities


def correct_negative_sampling(probabilities: ArrayLike, *, sampling_rate: float) -> FloatArray:
    r"""How likely is it really, if the model was trained on a share of the negatives?

    Parameters
    ----------
    probabilities : (n,) array of float
        What the model says of a 1, calibrated to the sample that it was trained on.
    sampling_rate : float
        Which share of the events with label 0 stayed in that sample, above 0 and up to 1; the
        events with label 1 all stayed.

    Returns
    -------
    (n,) array
        Probabilities of the whole; none is larger than before, and 0 and 1 stay.

    Raises
    ------
    ValueError
        If a probability is NaN or outside [0, 1], or sampling_rate is not above 0 and at most 1.

    Notes
    -----
    .. math:: q = \frac{p}{p + (1 - p) / w}

    with w the share that was kept: the odds are multiplied by w. The order stays, so ranking
    metrics do; every measure of calibration changes.

    References
    ----------
    He et al. (2014), Practical lessons from predicting clicks on ads at Facebook, ADKDD,
    section 6.3.

    Examples
    --------
    Of 1,000 views with 10 clicks a tenth of the others was kept, so half of a rate of 10 in 109
    is not 1 in 2 any more:

    >>> from recsys_metrics.calibration import correct_negative_sampling
    >>> correct_negative_sampling([10 / 109, 0.5], sampling_rate=0.1).round(4)
    array([0.01  , 0.0909])
    """
    said = check_probabilities("probabilities", probabilities)
    sampling_rate = check_share(
        "sampling_rate", sampling_rate, "the share of negatives in the training sample,", whole=True
    )
    # Without a division by w, so that a tiny share overflows nothing.
    weighed = sampling_rate * said
    corrected: FloatArray = weighed / (weighed + (1.0 - said))
    return corrected
