"""Estimators by inverse propensity: IPS and SNIPS, plain or with clipped weights."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from numpy.typing import ArrayLike

from recsys_metrics.bias.off_policy._estimate import Estimate, estimate, select_weighted
from recsys_metrics.bias.off_policy._logs import log_of_columns

IPSWeights = Literal["plain", "clipped", "sub-gaussian"]
SNIPSWeights = Literal["plain", "clipped"]

_IPS: Mapping[str, str] = MappingProxyType(
    {"plain": "ips", "clipped": "clipped_ips", "sub-gaussian": "subgaussian_ips"}
)
_SNIPS: Mapping[str, str] = MappingProxyType({"plain": "snips", "clipped": "clipped_snips"})


def ips(
    rewards: ArrayLike,
    propensities: ArrayLike,
    target: ArrayLike,
    *,
    weights: IPSWeights = "plain",
    cap: float | None = None,
    shrinkage: float | None = None,
    users: ArrayLike | None = None,
) -> Estimate:
    r"""How much would the target policy earn, by the mean of the importance-weighted rewards?

    Parameters
    ----------
    rewards : (n,) array of float
        What each logged round earned, rounds without a reward included as 0.
    propensities : (n,) array of float
        Probability with which the logging policy took each logged action, in (0, 1].
    target : float or (n,) array of float
        Probability with which the target policy takes that same action, in [0, 1].
    weights : {"plain", "clipped", "sub-gaussian"}
        The importance weights as they are; lowered to a cap; or their harmonic mean with 1.
    cap : float, optional
        The largest weight, for "clipped".
    shrinkage : float, optional
        For "sub-gaussian": from 0, which gives the plain weights, to 1, where every round that
        the target policy could have made has the weight 1.
    users : (n,) array, optional
        Whose round each is. The rounds of one user are not independent: with users the standard
        error and the interval keep them together, and generalise to other users.

    Returns
    -------
    Estimate
        `.value` per round, `.interval()`, `.effective_sample_size`, which is that of the weights
        that are used. The value may exceed the largest reward.

    Raises
    ------
    ValueError
        If a propensity is outside (0, 1], a target outside [0, 1], a number is NaN, lengths
        differ, or the weights lack their limit, have that of others, or one outside its range.

    Notes
    -----
    .. math:: \hat V = \frac{1}{n} \sum_{i=1}^{n} w_i \, r_i, \qquad w_i = \frac{\pi_i}{p_i}

    where :math:`n` is the number of cases; :math:`p_i` is the propensity of event :math:`i`, the
    probability that the logging policy chose what it showed; :math:`\pi_i` is the probability that
    the target policy would have shown it; :math:`r_i` is the reward of event :math:`i`.

    The sum is divided by the number of **all** rounds. That makes it unbiased, if the
    propensities are right and the log could show every action that the target policy takes.
    Divided by the weights it is `snips`, which is not unbiased.

    Clipped weights are :math:`\min(w_i, M)` with the cap :math:`M`. Clipping is biased, and in
    one direction: for rewards of 0 or more the value is **too low** on average, never too high;
    for negative rewards it is too high. That is the price of a smaller variance, and the interval
    does not include it.

    Sub-Gaussian weights are :math:`w_i / (1 - \lambda + \lambda w_i)` with the shrinkage
    :math:`\lambda`, the weighted harmonic mean of the weight and 1, so at most
    :math:`1/\lambda`. Unlike clipping it is smooth, and the errors of the estimate have
    sub-Gaussian tails.

    References
    ----------
    Horvitz and Thompson (1952), A generalization of sampling without replacement, JASA
    47(260). Schnabel et al. (2016), Recommendations as treatments, ICML. Clipped: Ionides (2008),
    Truncated importance sampling, Journal of Computational and Graphical Statistics 17(2), and
    Bottou et al. (2013), Counterfactual reasoning and learning systems, JMLR. Sub-Gaussian:
    Metelli, Russo and Restelli (2021), Subgaussian and differentiable importance sampling for
    off-policy evaluation and learning, NeurIPS.

    Examples
    --------
    A click on A, shown with propensity 0.8, and one on B, shown with 0.2, among ten rounds:

    >>> from recsys_metrics.bias.off_policy import ips
    >>> rewards, propensities = [1, 1] + [0] * 8, [0.8, 0.2] + [0.5] * 8
    >>> round(ips(rewards, propensities, 1).value, 4)
    0.625
    >>> log = [1, 0, 1, 1], [0.5, 0.25, 0.1, 0.25], [0.6, 0.2, 0.6, 0.2]
    >>> round(ips(*log).value, 3)
    2.0
    >>> round(ips(*log, weights="clipped", cap=2).value, 3)
    1.0
    >>> round(ips(*log, weights="sub-gaussian", shrinkage=0.5).value, 4)
    0.9235
    """
    name, limit = select_weighted(_IPS, weights, cap=cap, shrinkage=shrinkage)
    return estimate(name, log_of_columns(rewards, propensities, target, users), limit, users)


def snips(
    rewards: ArrayLike,
    propensities: ArrayLike,
    target: ArrayLike,
    *,
    weights: SNIPSWeights = "plain",
    cap: float | None = None,
    users: ArrayLike | None = None,
) -> Estimate:
    r"""How much would the target policy earn, by the weighted mean of the logged rewards?

    Parameters
    ----------
    rewards, propensities, target
        As in `ips`.
    weights : {"plain", "clipped"}
        The importance weights as they are, or lowered to a cap.
    cap : float, optional
        The largest weight, for "clipped".
    users : (n,) array, optional
        As in `ips`.

    Returns
    -------
    Estimate
        As in `ips`; the value lies between the smallest and the largest reward.

    Raises
    ------
    ValueError
        As in `ips`; also if the target policy takes none of the logged actions.

    Notes
    -----
    .. math:: \hat V = \frac{\sum_i w_i \, r_i}{\sum_i w_i}, \qquad w_i = \frac{\pi_i}{p_i}

    where :math:`p_i` is the propensity of event :math:`i`, the probability that the logging policy
    chose what it showed; :math:`\pi_i` is the probability that the target policy would have shown
    it; :math:`r_i` is the reward of event :math:`i`.

    The sum is divided by the **weights**, so a constant added to the rewards moves the value by
    as much, and a common factor in the propensities cancels. It has a small bias that vanishes
    as the log grows, and usually less variance than `ips`. The interval resamples rounds and
    computes the ratio anew each time.

    With clipped weights it is normalised capped importance sampling, NCIS. What is lost above
    the cap is missing in the denominator too, so the value is not too low throughout: it is the
    reward of a policy between the logging policy and the target policy. A cap of infinity gives
    the plain weights.

    References
    ----------
    Swaminathan and Joachims (2015), The self-normalized estimator for counterfactual learning,
    NeurIPS. Clipped: Gilotte, Calauzènes, Nedelec, Abraham and Dollé (2018), Offline A/B testing
    for recommender systems, WSDM.

    Examples
    --------
    >>> from recsys_metrics.bias.off_policy import snips
    >>> log = [1, 0, 1, 1], [0.5, 0.25, 0.1, 0.25], [0.6, 0.2, 0.6, 0.2]
    >>> round(snips(*log).value, 4)
    0.9091
    >>> round(snips(*log, weights="clipped", cap=2).value, 4)
    0.8333
    """
    name, limit = select_weighted(_SNIPS, weights, cap=cap)
    return estimate(name, log_of_columns(rewards, propensities, target, users), limit, users)
