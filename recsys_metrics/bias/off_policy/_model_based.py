"""Estimators with a model of the rewards: the direct method and the doubly robust ones."""

from __future__ import annotations

from numpy.typing import ArrayLike

from recsys_metrics.bias.off_policy._estimate import Estimate, estimate
from recsys_metrics.bias.off_policy._logs import log_of_tables, log_without_rounds


def direct_method(policy: ArrayLike, reward_model: ArrayLike) -> Estimate:
    r"""How much would the policy earn, if the model of the rewards is right?

    Parameters
    ----------
    policy : (n, actions) array of float
        Probability of each action in each round; a row sums to 1.
    reward_model : (n, actions) array of float
        What each action is expected to earn there.

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
    return estimate("direct_method", log_without_rounds(policy=policy, reward_model=reward_model))


def doubly_robust(
    rewards: ArrayLike,
    actions: ArrayLike,
    propensities: ArrayLike,
    policy: ArrayLike,
    reward_model: ArrayLike,
) -> Estimate:
    r"""How much would the policy earn, by the model and a weighted correction of its errors?

    Parameters
    ----------
    rewards : (n,) array of float
        What each logged round earned.
    actions : (n,) array of int
        What was done, numbered from 0.
    propensities : (n,) array of float
        Probability with which the log's policy did it, in (0, 1].
    policy, reward_model : (n, actions) array of float
        As in `direct_method`.

    Returns
    -------
    Estimate
        As in `ips`.

    Raises
    ------
    ValueError
        As in `ips` and `direct_method`; also if an action has no column.
    TypeError
        If actions are no whole numbers.

    Notes
    -----
    .. math:: \hat V = \frac{1}{n} \sum_i \Bigl( \sum_a \pi(a \mid x_i) \, \hat q(x_i, a)
              + w_i \bigl( r_i - \hat q(x_i, a_i) \bigr) \Bigr)

    Unbiased if either the propensities or the model are right. With a model of 0 it is `ips`.

    References
    ----------
    Dudík, Langford and Li (2011), Doubly robust policy evaluation and learning, ICML.

    Examples
    --------
    >>> from recsys_metrics.bias.off_policy import doubly_robust
    >>> policy, model = [[0.6, 0.2, 0.2]] * 4, [[0.5, 0.2, 0.3]] * 4
    >>> log = [1, 0, 1, 1], [0, 1, 0, 2], [0.5, 0.25, 0.1, 0.25]
    >>> round(doubly_robust(*log, policy, model).value, 3)
    1.4
    """
    log = log_of_tables(rewards, actions, propensities, policy=policy, reward_model=reward_model)
    return estimate("doubly_robust", log)


def self_normalized_doubly_robust(
    rewards: ArrayLike,
    actions: ArrayLike,
    propensities: ArrayLike,
    policy: ArrayLike,
    reward_model: ArrayLike,
) -> Estimate:
    r"""How much would the policy earn, by the model and the weighted mean of its errors?

    Parameters
    ----------
    rewards, actions, propensities, policy, reward_model
        As in `doubly_robust`.

    Returns
    -------
    Estimate
        As in `snips`.

    Raises
    ------
    ValueError, TypeError
        As in `doubly_robust`; also if the policy takes none of the logged actions.

    Notes
    -----
    .. math:: \hat V = \frac{1}{n} \sum_i \sum_a \pi(a \mid x_i) \, \hat q(x_i, a) +
              \frac{\sum_i w_i (r_i - \hat q(x_i, a_i))}{\sum_i w_i}

    References
    ----------
    Thomas and Brunskill (2016), Data-efficient off-policy policy evaluation for reinforcement
    learning, ICML.

    Examples
    --------
    >>> from recsys_metrics.bias.off_policy import self_normalized_doubly_robust
    >>> policy, model = [[0.6, 0.2, 0.2]] * 4, [[0.5, 0.2, 0.3]] * 4
    >>> log = [1, 0, 1, 1], [0, 1, 0, 2], [0.5, 0.25, 0.1, 0.25]
    >>> round(self_normalized_doubly_robust(*log, policy, model).value, 4)
    0.8545
    """
    log = log_of_tables(rewards, actions, propensities, policy=policy, reward_model=reward_model)
    return estimate("self_normalized_doubly_robust", log)


def switch_doubly_robust(
    rewards: ArrayLike,
    actions: ArrayLike,
    propensities: ArrayLike,
    policy: ArrayLike,
    reward_model: ArrayLike,
    *,
    threshold: float,
) -> Estimate:
    r"""How much would the policy earn, if the model is trusted where weights are large?

    Parameters
    ----------
    rewards, actions, propensities, policy, reward_model
        As in `doubly_robust`.
    threshold : float
        Rounds with a larger weight get no correction: there the model alone speaks.

    Returns
    -------
    Estimate
        As in `ips`; the effective sample size is that of the weights that are used.

    Raises
    ------
    ValueError, TypeError
        As in `doubly_robust`; also if the threshold is not above 0.

    Notes
    -----
    .. math:: \hat V = \frac{1}{n} \sum_i \Bigl( \sum_a \pi(a \mid x_i) \, \hat q(x_i, a)
              + [w_i \le \tau] \, w_i \bigl( r_i - \hat q(x_i, a_i) \bigr) \Bigr)

    A threshold of infinity gives `doubly_robust`; as it falls to 0 the value becomes that of
    `direct_method`.

    References
    ----------
    Wang, Agarwal and Dudík (2017), Optimal and adaptive off-policy evaluation in contextual
    bandits, ICML.

    Examples
    --------
    >>> from recsys_metrics.bias.off_policy import switch_doubly_robust
    >>> policy, model = [[0.6, 0.2, 0.2]] * 4, [[0.5, 0.2, 0.3]] * 4
    >>> log = [1, 0, 1, 1], [0, 1, 0, 2], [0.5, 0.25, 0.1, 0.25]
    >>> round(switch_doubly_robust(*log, policy, model, threshold=2).value, 3)
    0.65
    """
    log = log_of_tables(rewards, actions, propensities, policy=policy, reward_model=reward_model)
    return estimate("switch_doubly_robust", log, threshold)


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
    log = log_of_tables(rewards, actions, propensities, policy=policy, reward_model=reward_model)
    return estimate("shrinkage_doubly_robust", log, shrinkage)


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
    log = log_of_tables(rewards, actions, propensities, policy=policy, reward_model=reward_model)
    return estimate("subgaussian_doubly_robust", log, shrinkage)
