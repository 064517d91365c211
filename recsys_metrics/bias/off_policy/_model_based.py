"""Estimators with a model of the rewards: the direct method and the doubly robust one."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from numpy.typing import ArrayLike

from recsys_metrics._core.inputs.frames import refuse_other_labels
from recsys_metrics.bias.off_policy._estimate import Estimate, estimate, select_weighted
from recsys_metrics.bias.off_policy._logs import log_of_tables, log_without_rounds

DoublyRobustWeights = Literal["plain", "self-normalized", "switch", "shrinkage", "sub-gaussian"]

_DOUBLY_ROBUST: Mapping[str, str] = MappingProxyType(
    {
        "plain": "doubly_robust",
        "self-normalized": "self_normalized_doubly_robust",
        "switch": "switch_doubly_robust",
        "shrinkage": "shrinkage_doubly_robust",
        "sub-gaussian": "subgaussian_doubly_robust",
    }
)


def direct_method(
    policy: ArrayLike, reward_model: ArrayLike, *, users: ArrayLike | None = None
) -> Estimate:
    r"""How much would the policy earn, if the model of the rewards is right?

    Parameters
    ----------
    policy : (n, actions) array of float
        Probability of each action in each round; a row sums to 1.
    reward_model : (n, actions) array of float
        What each action is expected to earn there.
    users : (n,) array, optional
        As in `ips`.

    Returns
    -------
    Estimate
        Its interval holds the chance in which rounds were logged, and nothing of the model's
        error, which is usually the larger part. Fit the model on other rounds.

    Raises
    ------
    ValueError
        If shapes differ, a number is NaN, a probability is outside [0, 1], or a row of the
        policy does not sum to 1.

    Notes
    -----
    .. math:: \hat V = \frac{1}{n} \sum_i \sum_a \pi(a \mid x_i) \, \hat q(x_i, a)

    References
    ----------
    Beygelzimer and Langford (2009), The offset tree for learning with partial labels, KDD.

    Examples
    --------
    >>> from recsys_metrics.bias.off_policy import direct_method
    >>> round(direct_method([[0.6, 0.2, 0.2]], [[0.5, 0.2, 0.3]]).value, 3)
    0.4
    """
    refuse_other_labels(policy=policy, reward_model=reward_model, users=users)
    log = log_without_rounds(policy=policy, reward_model=reward_model)
    return estimate("direct_method", log, users=users)


def doubly_robust(
    rewards: ArrayLike,
    actions: ArrayLike,
    propensities: ArrayLike,
    policy: ArrayLike,
    reward_model: ArrayLike,
    *,
    weights: DoublyRobustWeights = "plain",
    threshold: float | None = None,
    shrinkage: float | None = None,
    users: ArrayLike | None = None,
) -> Estimate:
    r"""How much would the policy earn, by the model and a weighted correction of its errors?

    Parameters
    ----------
    rewards : (n,) array of float
        What each logged round earned.
    actions : (n,) array of int
        What was done, numbered from 0.
    propensities : (n,) array of float
        Probability with which the logging policy did it, in (0, 1].
    policy, reward_model : (n, actions) array of float
        As in `direct_method`.
    weights : {"plain", "self-normalized", "switch", "shrinkage", "sub-gaussian"}
        How the errors of the model are weighted: by the importance weights; by these divided by
        their mean; by these up to a threshold and not at all above it; by weights that are
        shrunk, large ones most; or by the harmonic mean of the weight and 1.
    threshold : float, optional
        For "switch": rounds with a larger weight get no correction, there the model alone counts.
    shrinkage : float, optional
        For "shrinkage": 0 trusts the model alone, infinity gives the plain weights. For
        "sub-gaussian": as in `ips`, 0 gives the plain weights.
    users : (n,) array, optional
        As in `ips`.

    Returns
    -------
    Estimate
        As in `ips`; the effective sample size is that of the weights that are used.

    Raises
    ------
    ValueError
        As in `ips` and `direct_method`; also if an action has no column, and with
        "self-normalized" if the policy takes none of the logged actions.
    TypeError
        If actions are no whole numbers.

    Notes
    -----
    .. math:: \hat V = \frac{1}{n} \sum_i \Bigl( \sum_a \pi(a \mid x_i) \, \hat q(x_i, a)
              + w_i \bigl( r_i - \hat q(x_i, a_i) \bigr) \Bigr)

    Unbiased if either the propensities or the model are right. With a model of 0 it is `ips`.
    The other weights replace :math:`w_i`:

    - self-normalized: :math:`w_i / \bar w` with the mean weight :math:`\bar w`;
    - switch: :math:`[w_i \le \tau] \, w_i` with the threshold :math:`\tau`. A threshold of
      infinity gives the plain weights; as it falls to 0 the value becomes that of
      `direct_method`;
    - shrinkage: :math:`\lambda w_i / (w_i^2 + \lambda)` with the shrinkage :math:`\lambda`, the
      optimistic shrinkage, DRos. A weight counts most near the square root of :math:`\lambda`,
      and less above it;
    - sub-gaussian: :math:`w_i / (1 - \lambda + \lambda w_i)`, as in `ips`.

    References
    ----------
    Dudík, Langford and Li (2011), Doubly robust policy evaluation and learning, ICML.
    Self-normalized: Thomas and Brunskill (2016), Data-efficient off-policy policy evaluation for
    reinforcement learning, ICML. Switch: Wang, Agarwal and Dudík (2017), Optimal and adaptive
    off-policy evaluation in contextual bandits, ICML. Shrinkage: Su, Dimakopoulou, Krishnamurthy
    and Dudík (2020), Doubly robust off-policy evaluation with shrinkage, ICML. Sub-Gaussian:
    Metelli, Russo and Restelli (2021), Subgaussian and differentiable importance sampling for
    off-policy evaluation and learning, NeurIPS.

    Examples
    --------
    >>> from recsys_metrics.bias.off_policy import doubly_robust
    >>> policy, model = [[0.6, 0.2, 0.2]] * 4, [[0.5, 0.2, 0.3]] * 4
    >>> log = [1, 0, 1, 1], [0, 1, 0, 2], [0.5, 0.25, 0.1, 0.25], policy, model
    >>> round(doubly_robust(*log).value, 3)
    1.4
    >>> round(doubly_robust(*log, weights="self-normalized").value, 4)
    0.8545
    >>> round(doubly_robust(*log, weights="switch", threshold=2).value, 3)
    0.65
    >>> round(doubly_robust(*log, weights="shrinkage", shrinkage=2).value, 4)
    0.6024
    >>> round(doubly_robust(*log, weights="sub-gaussian", shrinkage=0.5).value, 4)
    0.8618
    """
    name, limit = select_weighted(_DOUBLY_ROBUST, weights, threshold=threshold, shrinkage=shrinkage)
    log = log_of_tables(
        rewards, actions, propensities, users=users, policy=policy, reward_model=reward_model
    )
    return estimate(name, log, limit, users)
