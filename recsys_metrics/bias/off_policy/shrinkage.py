"""Estimators that shrink large weights smoothly instead of cutting them off."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics.bias._checks import FloatArray
from recsys_metrics.bias.off_policy._logs import modelled_log, weighed_log
from recsys_metrics.bias.off_policy._recipes import Reweigh, corrected, weighed
from recsys_metrics.bias.off_policy.estimate import Estimate, estimate


def shrinkage_doubly_robust(
    rewards: ArrayLike,
    actions: ArrayLike,
    propensities: ArrayLike,
    policy: ArrayLike,
    reward_model: ArrayLike,
    *,
    shrinkage: float,
) -> Estimate:
    r"""How much would the policy earn, if large weights are shrunk before the model is corrected?

    Parameters
    ----------
    rewards, actions, propensities, policy, reward_model
        As in `doubly_robust`.
    shrinkage : float
        0 trusts the model alone, infinity gives `doubly_robust`.

    Returns
    -------
    Estimate
        As in `ips`; the effective sample size is that of the shrunken weights.

    Raises
    ------
    ValueError, TypeError
        As in `doubly_robust`; also if the shrinkage is below 0.

    Notes
    -----
    .. math:: \hat w_i = \frac{\lambda\, w_i}{w_i^2 + \lambda}

    in place of the weights of `doubly_robust`: the optimistic shrinkage, DRos. A weight counts
    most near the square root of λ, and less above it.

    References
    ----------
    Su, Dimakopoulou, Krishnamurthy and Dudík (2020), Doubly robust off-policy evaluation with
    shrinkage, ICML.

    Examples
    --------
    >>> from recsys_metrics.bias.off_policy import shrinkage_doubly_robust
    >>> policy, model = [[0.6, 0.2, 0.2]] * 4, [[0.5, 0.2, 0.3]] * 4
    >>> log = [1, 0, 1, 1], [0, 1, 0, 2], [0.5, 0.25, 0.1, 0.25]
    >>> round(shrinkage_doubly_robust(*log, policy, model, shrinkage=2).value, 4)
    0.6024
    """
    strength = _check_shrinkage(shrinkage)
    log = modelled_log(rewards, actions, propensities, policy, reward_model)

    def optimistic(weights: FloatArray, row: FloatArray) -> FloatArray:
        # A weight of 0 stays 0, for a shrinkage of 0, too.
        bottom = np.square(weights) + strength
        row[:] = 0.0
        return np.divide(strength * weights, bottom, out=row, where=bottom > 0)

    return estimate(
        "shrinkage_doubly_robust", log, corrected(optimistic if np.isfinite(strength) else None)
    )


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
    log = weighed_log(rewards, propensities, target)
    return estimate("subgaussian_ips", log, weighed(_harmonic(shrinkage)))


def subgaussian_doubly_robust(
    rewards: ArrayLike,
    actions: ArrayLike,
    propensities: ArrayLike,
    policy: ArrayLike,
    reward_model: ArrayLike,
    *,
    shrinkage: float,
) -> Estimate:
    r"""How much would the policy earn, by the model and errors whose weights are not huge?

    Parameters
    ----------
    rewards, actions, propensities, policy, reward_model
        As in `doubly_robust`.
    shrinkage : float
        As in `subgaussian_ips`; 0 gives `doubly_robust`.

    Returns
    -------
    Estimate
        As in `subgaussian_ips`.

    Raises
    ------
    ValueError, TypeError
        As in `doubly_robust`; also if the shrinkage is outside [0, 1].

    Notes
    -----
    `doubly_robust` with the weights of `subgaussian_ips`.

    References
    ----------
    Metelli, Russo and Restelli (2021), Subgaussian and differentiable importance sampling for
    off-policy evaluation and learning, NeurIPS.

    Examples
    --------
    >>> from recsys_metrics.bias.off_policy import subgaussian_doubly_robust
    >>> policy, model = [[0.6, 0.2, 0.2]] * 4, [[0.5, 0.2, 0.3]] * 4
    >>> log = [1, 0, 1, 1], [0, 1, 0, 2], [0.5, 0.25, 0.1, 0.25]
    >>> round(subgaussian_doubly_robust(*log, policy, model, shrinkage=0.5).value, 4)
    0.8618
    """
    log = modelled_log(rewards, actions, propensities, policy, reward_model)
    return estimate("subgaussian_doubly_robust", log, corrected(_harmonic(shrinkage)))


def _harmonic(shrinkage: float) -> Reweigh:
    """Return what makes the weighted harmonic mean of a weight and 1; 0 stays 0."""
    strength = _check_shrinkage(shrinkage)
    if strength > 1:
        raise ValueError(f"shrinkage of a harmonic mean is from 0 to 1; got {shrinkage!r}")

    def mean(weights: FloatArray, row: FloatArray) -> FloatArray:
        bottom = 1.0 - strength + strength * weights
        row[:] = 0.0
        return np.divide(weights, bottom, out=row, where=weights > 0)

    return mean


def _check_shrinkage(shrinkage: Any) -> float:
    if isinstance(shrinkage, bool | str) or not shrinkage >= 0:
        raise ValueError(f"shrinkage is 0 or more; got {shrinkage!r}")
    return float(shrinkage)
