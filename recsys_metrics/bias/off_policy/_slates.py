"""Estimators for slates, and for large action spaces with embeddings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.arithmetic import divide
from recsys_metrics._core.checks import (
    LARGEST_SQUARED,
    MOST_ENTRIES,
    check_flag,
    first_true,
    refuse,
)
from recsys_metrics._core.inputs.arrays import FloatArray, as_numbers
from recsys_metrics._core.inputs.columns import check_between, check_numbers, check_whole
from recsys_metrics._core.inputs.frames import refuse_other_labels
from recsys_metrics.bias._checks import check_propensities
from recsys_metrics.bias.off_policy._estimate import Estimate, compute_estimates, estimate
from recsys_metrics.bias.off_policy._formulas import LOGGED, Columns, Estimator, Terms
from recsys_metrics.bias.off_policy._logs import Log, check_sums, log_of_columns


def slate_ips(
    rewards: ArrayLike,
    propensities: ArrayLike,
    target: ArrayLike,
    *,
    self_normalized: bool = False,
    users: ArrayLike | None = None,
) -> Estimate:
    r"""How much would the target policy's slates earn, if each slot's reward has its own weight?

    The probabilities in the columns state the assumed model of how a user reads a slate:

    =============================  ==========================================================
    slot l's column contains       the reward of a slot depends on
    =============================  ==========================================================
    probability of the slate       all of the slate (standard IPS; a column without slots will
                                   do)
    probability of slots 1 to l    the slots above, and on itself (reward interaction, the
                                   cascade of a reader from the top)
    probability of slot l's item   itself alone (independent IPS)
    =============================  ==========================================================

    Parameters
    ----------
    rewards : (n, L) array of float
        What each slot of each logged slate earned.
    propensities : (n, L) or (n,) array of float
        Probability of this under the logging policy, in (0, 1].
    target : (n, L) or (n,) array of float
        Probability of this under the target policy, in [0, 1].
    self_normalized : bool
        Divide each slot's weights by their mean, as `snips` does: a small bias that vanishes as
        the log grows, and usually less variance.
    users : (n,) array, optional
        Whose slate each is, as in `ips`.

    Returns
    -------
    Estimate
        `.value` per slate. The effective sample size is that of the slot whose weights are the
        least even.

    Raises
    ------
    ValueError
        If shapes do not fit, a propensity is outside (0, 1] or a target outside [0, 1]; also if
        it is self-normalised and a slot has no weight.

    Notes
    -----
    .. math:: \hat V = \frac{1}{n} \sum_i \sum_{l=1}^{L} w_{il} \, r_{il}

    Self-normalised, the sum over i of each slot is divided by the sum of its weights in place of
    n, and both intervals take the ratio by its linearisation.

    The fewer slots a weight is of, the less the estimate varies, and the more it supposes: if
    clicks do hang on the neighbours, the independent estimate is wrong however long the log is.

    References
    ----------
    Li, Abbasi-Yadkori, Kveton, Muthukrishnan, Vinay and Wen (2018), Offline evaluation of ranking
    policies with click models, KDD. McInerney et al. (2020), Counterfactual evaluation of slate
    recommendations with sequential reward interactions, KDD.

    Examples
    --------
    Two slots, filled one by one from two items; the target policy reverses the order with
    probability 0.8, and the logging policy did with probability 0.5:

    >>> from recsys_metrics.bias.off_policy import slate_ips
    >>> rewards = [[1, 0], [0, 1], [1, 1], [0, 0]]
    >>> whole = [0.5, 0.5, 0.5, 0.5], [0.2, 0.8, 0.8, 0.2]
    >>> round(slate_ips(rewards, *whole).value, 2)
    1.3
    """
    refuse_other_labels(rewards=rewards, propensities=propensities, target=target, users=users)
    earned = check_numbers("rewards", rewards, 2)
    logged = _read_slots("propensities", propensities, earned.shape)
    wanted = _read_slots("target", target, earned.shape)
    check_propensities(logged, 2)
    check_between("target", wanted, 0.0, 1.0, axes=2)
    check_flag("self_normalized", self_normalized)
    weights = _slot_weights(logged, wanted)
    if self_normalized:
        mean = weights.mean(axis=0)
        if empty := first_true(mean == 0):
            raise ValueError(
                f"in slot {empty[0]} (from 0) the policy shows nothing that was logged, so its "
                "weights have no mean to be divided by; this log cannot be used to evaluate it"
            )
        value = (weights * earned).mean(axis=0) / mean
        # Linearised: the mean is the ratio, and the spread that of the ratio.
        per_slate = (value + weights * (earned - value) / mean).sum(axis=1)
        return _estimate_slates("self-normalised slate IPS", per_slate, logged, wanted, users)
    per_slate = np.einsum("ij,ij->i", weights, earned)
    return _estimate_slates("slate IPS", per_slate, logged, wanted, users)


def cascade_doubly_robust(
    rewards: ArrayLike,
    propensities: ArrayLike,
    target: ArrayLike,
    predicted: ArrayLike,
    expected: ArrayLike,
    *,
    users: ArrayLike | None = None,
) -> Estimate:
    r"""How much would the target policy's slates earn, by a model corrected slot by slot?

    Parameters
    ----------
    rewards : (n, L) array of float
        What each slot of each logged slate earned.
    propensities, target : (n, L) array of float
        Probability of the logged slots 1 to l under each policy.
    predicted : (n, L) array of float
        What the model expects of slot l and all below it, for the logged slots 1 to l.
    expected : (n, L) array of float
        The same if the target policy filled slot l, for the logged slots 1 to l - 1.
    users : (n,) array, optional
        Whose slate each is, as in `ips`.

    Returns
    -------
    Estimate
        As of `slate_ips`.

    Raises
    ------
    ValueError
        As in `slate_ips`.

    Notes
    -----
    .. math:: \hat V = \frac{1}{n} \sum_i \sum_{l=1}^{L}
              w_{i, 1:l} (r_{il} - \hat Q_{il}) + w_{i, 1:l-1} \hat V_{il}

    With a model of 0 it is `slate_ips` over the slots 1 to l; with a perfect one only the users'
    own noise is left.

    References
    ----------
    Kiyohara, Saito, Matsuhiro, Narita, Shimizu and Yamamoto (2022), Doubly robust off-policy
    evaluation for ranking policies under the cascade behavior model, WSDM.

    Examples
    --------
    >>> from recsys_metrics.bias.off_policy import cascade_doubly_robust, slate_ips
    >>> log = [[1, 0], [0, 1]], [[0.5, 0.25], [0.5, 0.25]], [[0.8, 0.4], [0.2, 0.1]]
    >>> nothing = [[0, 0], [0, 0]]
    >>> cascade_doubly_robust(*log, nothing, nothing).value == slate_ips(*log).value
    True
    """
    refuse_other_labels(
        rewards=rewards,
        propensities=propensities,
        target=target,
        predicted=predicted,
        expected=expected,
        users=users,
    )
    earned = check_numbers("rewards", rewards, 2)
    tables = {"propensities": propensities, "target": target, "predicted": predicted}
    logged, wanted, of_model, of_policy = (
        _read_slots(name, table, earned.shape, flat=False)
        for name, table in {**tables, "expected": expected}.items()
    )
    check_propensities(logged, 2)
    check_between("target", wanted, 0.0, 1.0, axes=2)
    weights = _slot_weights(logged, wanted)
    before = np.column_stack([np.ones(len(weights)), weights[:, :-1]])
    per_slate = (weights * (earned - of_model) + before * of_policy).sum(axis=1)
    return _estimate_slates("cascade doubly robust", per_slate, logged, wanted, users)


def _slot_weights(logged: FloatArray, wanted: FloatArray) -> FloatArray:
    """Return the importance weight of each slot, whose square is a float."""
    with np.errstate(over="ignore"):
        weights: FloatArray = wanted / logged
    words = ", so close to 0 that the square of its weight is more than a float holds"
    refuse(weights > LARGEST_SQUARED, "propensities", logged, words)
    return weights


def pseudo_inverse(
    rewards: ArrayLike,
    propensities: ArrayLike,
    target: ArrayLike,
    *,
    users: ArrayLike | None = None,
) -> Estimate:
    r"""How much would the target policy's slates earn, if only the whole slate has a reward?

    Parameters
    ----------
    rewards : (n,) array of float
        What each logged slate earned: time spent, a purchase.
    propensities : (n, L) array of float
        Probability of the logged item in each slot under the logging policy, in (0, 1]. Its
        slots must have been filled independently of each other.
    target : (n, L) array of float
        Probability of the same item under the target policy, in [0, 1].
    users : (n,) array, optional
        Whose slate each is, as in `ips`.

    Returns
    -------
    Estimate
        As of `slate_ips`; weights may be below 0.

    Raises
    ------
    ValueError
        As in `slate_ips`.

    Notes
    -----
    .. math:: \hat V = \frac{1}{n} \sum_i r_i \left(1 - L + \sum_{l=1}^{L} w_{il}\right)

    Unbiased if a slate's reward is a sum of what each item adds in its slot, unseen though the
    parts are. A weight of a whole slate grows with the product of its slots, this one with the
    sum.

    References
    ----------
    Swaminathan et al. (2017), Off-policy evaluation for slate recommendation, NeurIPS.

    Examples
    --------
    >>> from recsys_metrics.bias.off_policy import pseudo_inverse
    >>> propensities = [[0.5, 0.5], [0.5, 0.5]], [[0.8, 0.9], [0.2, 0.9]]
    >>> round(pseudo_inverse([1, 0], *propensities).value, 2)
    1.2
    """
    refuse_other_labels(rewards=rewards, propensities=propensities, target=target, users=users)
    wanted = check_between("target", target, 0.0, 1.0, axes=2)
    logged = _read_slots("propensities", propensities, wanted.shape, flat=False)
    check_propensities(logged, 2)
    earned = check_numbers("rewards", rewards)
    if len(earned) != len(wanted):
        raise ValueError(f"there are {len(earned)} rewards and {len(wanted)} slates")
    weights = (wanted / logged).sum(axis=1) - (wanted.shape[1] - 1)
    return _estimate_slates("pseudo-inverse", weights * earned, logged, wanted, users)


def marginalized_ips(
    rewards: ArrayLike,
    embeddings: ArrayLike,
    logging: ArrayLike,
    policy: ArrayLike,
    *,
    action_embeddings: ArrayLike,
    users: ArrayLike | None = None,
) -> Estimate:
    r"""How much would the target policy earn, if only an action's embedding affects the reward?

    Parameters
    ----------
    rewards : (n,) array of float
        What each logged round earned.
    embeddings : (n,) array of int
        The number of the embedding of what was shown: a genre, a brand, a cluster of items.
    logging, policy : (n, actions) array of float
        Probabilities with which the logging policy and the target policy take each action.
    action_embeddings : (actions,) array of int, or (actions, embeddings) array of float
        The embedding of each action, or the probability of each embedding given the action.
    users : (n,) array, optional
        As in `ips`.

    Returns
    -------
    Estimate
        As of `ips`.

    Raises
    ------
    ValueError
        If shapes do not fit, a row of probabilities does not sum to 1, or the logging policy never
        shows an embedding that was logged.

    Notes
    -----
    `ips` with the weight of the embedding :math:`e` in place of the weight of the action:

    .. math:: w_i = \frac{\sum_a \pi(a \mid x_i)\, p(e_i \mid a)}
                         {\sum_a \pi_0(a \mid x_i)\, p(e_i \mid a)}

    With many actions, the weights are large and a log lacks most of the actions; embeddings are
    few. If two actions with one embedding earn differently, that difference biases the estimate.

    References
    ----------
    Saito and Joachims (2022), Off-policy evaluation for large action spaces via embeddings, ICML.

    Examples
    --------
    Four films of two genres. The logging policy shows all of them with the same probability, the
    target policy only the last one:

    >>> from recsys_metrics.bias.off_policy import marginalized_ips
    >>> even, last = [[0.25] * 4] * 4, [[0, 0, 0, 1]] * 4
    >>> genres = [0, 0, 1, 1]
    >>> marginalized_ips([1, 0, 1, 1], genres, even, last, action_embeddings=genres).value
    1.0
    """
    refuse_other_labels(
        rewards=rewards, embeddings=embeddings, logging=logging, policy=policy, users=users
    )
    chances = {"logging": logging, "policy": policy}
    tables = {name: check_between(name, table, 0.0, 1.0, axes=2) for name, table in chances.items()}
    for name, table in tables.items():
        check_sums(name, table)
    of_action = as_numbers(action_embeddings, "action_embeddings")
    if of_action.ndim == 1:
        # A table with a column for each embedding.
        last = MOST_ENTRIES // max(1, len(of_action)) - 1
        numbers = check_whole("action_embeddings", action_embeddings, 0, last)
        of_action = np.eye(int(of_action.max()) + 1)[numbers]
    n_actions = tables["policy"].shape[1]
    if len(of_action) != n_actions or tables["logging"].shape != tables["policy"].shape:
        raise ValueError(
            f"policy has the shape {tables['policy'].shape}, logging {tables['logging'].shape}, "
            f"and action_embeddings describes {len(of_action)} actions; all three must be over the "
            "same actions"
        )
    shown = check_whole("embeddings", embeddings, 0, of_action.shape[1] - 1)
    rounds = np.arange(len(shown))
    of_log, of_policy = (
        np.minimum((tables[name] @ of_action)[rounds, shown], 1.0) for name in ("logging", "policy")
    )
    found = estimate("ips", log_of_columns(rewards, of_log, of_policy), users=users)
    return replace(found, name="marginalized IPS")


def _read_slots(
    name: str, table: ArrayLike, shape: tuple[int, ...], *, flat: bool = True
) -> FloatArray:
    """Return a table of the shape of the slates; a column without slots stands for all of them."""
    numbers = as_numbers(table, name)
    if flat and numbers.ndim == 1 and len(numbers) == shape[0]:
        numbers = np.repeat(numbers[:, None], shape[1], axis=1)
    if numbers.shape != shape:
        raise ValueError(f"{name} has the shape {numbers.shape}; the slates have {shape}")
    return check_numbers(name, numbers, 2)


def _mean_of_rounds(log: Columns, w: FloatArray) -> Terms:
    return Terms(base=log.r)


def _estimate_slates(
    title: str,
    per_slate: FloatArray,
    logged: FloatArray,
    wanted: FloatArray,
    users: ArrayLike | None,
) -> Estimate:
    """Return the mean over slates; its weights are those of the slot that are the least even."""
    weights = wanted / logged
    even = divide(weights.sum(axis=0) ** 2, (weights**2).sum(axis=0))
    least = int(np.nan_to_num(even, nan=0.0).argmin())
    log = Log(
        {
            "rewards": np.ascontiguousarray(per_slate),
            "propensities": np.ascontiguousarray(logged[:, least]),
            "target": np.ascontiguousarray(wanted[:, least]),
        }
    )
    return compute_estimates(log, [Estimator(title, _mean_of_rounds, LOGGED)], users)[0]
