"""Estimators that weigh logged rewards: IPS and SNIPS, each also with clipped weights."""

from __future__ import annotations

from numpy.typing import ArrayLike

from recsys_metrics.bias.off_policy._estimate import Estimate, estimate
from recsys_metrics.bias.off_policy._logs import log_of_columns


def ips(rewards: ArrayLike, propensities: ArrayLike, target: ArrayLike) -> Estimate:
    r"""How much would the policy earn, if every logged reward counts by its weight?

    Parameters
    ----------
    rewards : (n,) array of float
        What each logged round earned, rounds without a reward included as 0.
    propensities : (n,) array of float
        Probability with which the log's policy took each logged action, in (0, 1].
    target : float or (n,) array of float
        Probability with which the policy in question takes that same action, in [0, 1].

    Returns
    -------
    Estimate
        `.value` per round, `.interval()`, `.effective_sample_size`. The value may exceed the
        largest reward.

    Raises
    ------
    ValueError
        If a propensity is outside (0, 1], a target outside [0, 1], a number is NaN, or lengths
        differ.

    Notes
    -----
    .. math:: \hat V = \frac{1}{n} \sum_{i=1}^{n} w_i \, r_i, \qquad w_i = \frac{\pi_i}{p_i}

    where :math:`n` is the number of cases; :math:`p_i` is the propensity of event :math:`i`, the
    probability that the logging policy chose what it showed; :math:`\pi_i` is the probability that
    the target policy would have shown it; :math:`r_i` is the reward of event :math:`i`.

    The sum is divided by the number of **all** rounds. That makes it unbiased, if the
    propensities are right and the log could show every action the policy takes. Divided by the
    weights it is `snips`, which is not unbiased.

    References
    ----------
    Horvitz and Thompson (1952), A generalization of sampling without replacement, JASA
    47(260). Schnabel et al. (2016), Recommendations as treatments, ICML.

    Examples
    --------
    A click on A, shown with propensity 0.8, and one on B, shown with 0.2, among ten rounds:

    >>> from recsys_metrics.bias.off_policy import ips
    >>> rewards, propensities = [1, 1] + [0] * 8, [0.8, 0.2] + [0.5] * 8
    >>> round(ips(rewards, propensities, 1).value, 4)
    0.625
    """
    return estimate("ips", log_of_columns(rewards, propensities, target))


def clipped_ips(
    rewards: ArrayLike, propensities: ArrayLike, target: ArrayLike, *, cap: float
) -> Estimate:
    r"""How much would the policy earn, if no round may weigh more than the cap?

    Parameters
    ----------
    rewards, propensities, target
        As in `ips`.
    cap : float
        The largest weight; larger ones are lowered to it.

    Returns
    -------
    Estimate
        As in `ips`; the effective sample size is that of the clipped weights.

    Raises
    ------
    ValueError
        As in `ips`; also if the cap is not above 0.

    Notes
    -----
    .. math:: \hat V = \frac{1}{n} \sum_{i=1}^{n} \min(w_i, M) \, r_i,
              \qquad w_i = \frac{\pi_i}{p_i}

    Clipping is biased, and in one direction: for rewards of 0 or more the value is **too low**
    on average, never too high; for negative rewards too high. It is the price of a smaller
    variance, and the interval does not know of it.

    References
    ----------
    Ionides (2008), Truncated importance sampling, Journal of Computational and Graphical
    Statistics 17(2). Bottou et al. (2013), Counterfactual reasoning and learning systems, JMLR.

    Examples
    --------
    >>> from recsys_metrics.bias.off_policy import clipped_ips, ips
    >>> log = [1, 0, 1, 1], [0.5, 0.25, 0.1, 0.25], [0.6, 0.2, 0.6, 0.2]
    >>> round(ips(*log).value, 3), round(clipped_ips(*log, cap=2).value, 3)
    (2.0, 1.0)
    """
    return estimate("clipped_ips", log_of_columns(rewards, propensities, target), cap)


def snips(rewards: ArrayLike, propensities: ArrayLike, target: ArrayLike) -> Estimate:
    r"""How much would the policy earn, as a weighted mean of the logged rewards?

    Parameters
    ----------
    rewards, propensities, target
        As in `ips`.

    Returns
    -------
    Estimate
        As in `ips`; the value lies between the smallest and the largest reward.

    Raises
    ------
    ValueError
        As in `ips`; also if the policy takes none of the logged actions.

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

    References
    ----------
    Swaminathan and Joachims (2015), The self-normalized estimator for counterfactual learning,
    NeurIPS.

    Examples
    --------
    >>> from recsys_metrics.bias.off_policy import snips
    >>> round(snips([1, 0, 1, 1], [0.5, 0.25, 0.1, 0.25], [0.6, 0.2, 0.6, 0.2]).value, 4)
    0.9091
    """
    return estimate("snips", log_of_columns(rewards, propensities, target))


def clipped_snips(
    rewards: ArrayLike, propensities: ArrayLike, target: ArrayLike, *, cap: float
) -> Estimate:
    r"""How much would the policy earn, as a mean weighed by weights of at most the cap?

    Parameters
    ----------
    rewards, propensities, target
        As in `ips`.
    cap : float
        The largest weight; larger ones are lowered to it.

    Returns
    -------
    Estimate
        As in `snips`; the effective sample size is that of the clipped weights.

    Raises
    ------
    ValueError
        As in `snips`; also if the cap is not above 0.

    Notes
    -----
    .. math:: \hat V = \frac{\sum_i \min(w_i, M) \, r_i}{\sum_i \min(w_i, M)},
              \qquad w_i = \frac{\pi_i}{p_i}

    Normalised capped importance sampling, NCIS. What `clipped_ips` loses above the cap is
    missing below the line too, so it is not too low throughout: it is the reward of a policy
    between the log's and the one in question. A cap of infinity gives `snips`.

    References
    ----------
    Gilotte, Calauzènes, Nedelec, Abraham and Dollé (2018), Offline A/B testing for recommender
    systems, WSDM.

    Examples
    --------
    >>> from recsys_metrics.bias.off_policy import clipped_snips
    >>> log = [1, 0, 1, 1], [0.5, 0.25, 0.1, 0.25], [0.6, 0.2, 0.6, 0.2]
    >>> round(clipped_snips(*log, cap=2).value, 4)
    0.8333
    """
    return estimate("clipped_snips", log_of_columns(rewards, propensities, target), cap)


def subgaussian_ips(
    rewards: ArrayLike, propensities: ArrayLike, target: ArrayLike, *, shrinkage: float
) -> Estimate:
    r"""How much would the policy earn, if weights are averaged with 1 so that none is huge?

    Parameters
    ----------
    rewards, propensities, target
        As in `ips`.
    shrinkage : float
        From 0, which gives `ips`, to 1, where every round that the policy could have made
        weighs 1.

    Returns
    -------
    Estimate
        As in `ips`; the effective sample size is that of the shrunken weights.

    Raises
    ------
    ValueError
        As in `ips`; also if the shrinkage is outside [0, 1].

    Notes
    -----
    .. math:: \hat w_i = \frac{w_i}{1 - \lambda + \lambda w_i}

    the weighted harmonic mean of the weight and 1, so at most 1/λ. Unlike clipping it is
    smooth, and errors of the estimate have sub-Gaussian tails.

    References
    ----------
    Metelli, Russo and Restelli (2021), Subgaussian and differentiable importance sampling for
    off-policy evaluation and learning, NeurIPS.

    Examples
    --------
    >>> from recsys_metrics.bias.off_policy import subgaussian_ips
    >>> log = [1, 0, 1, 1], [0.5, 0.25, 0.1, 0.25], [0.6, 0.2, 0.6, 0.2]
    >>> round(subgaussian_ips(*log, shrinkage=0.5).value, 4)
    0.9235
    """
    return estimate("subgaussian_ips", log_of_columns(rewards, propensities, target), shrinkage)
