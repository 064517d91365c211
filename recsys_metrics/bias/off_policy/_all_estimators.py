"""Several estimates of one policy, from one pass over the log."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from recsys_metrics._core.inputs.several import read_several
from recsys_metrics.bias.off_policy._estimate import Estimate, compute_estimates
from recsys_metrics.bias.off_policy._formulas import EstimatorName, select
from recsys_metrics.bias.off_policy._logs import log_of_tables


def estimates(
    rewards: ArrayLike,
    actions: ArrayLike,
    propensities: ArrayLike,
    policy: ArrayLike,
    reward_model: ArrayLike | None = None,
    *,
    estimators: Sequence[EstimatorName] | EstimatorName | None = None,
    cap: float | None = None,
    threshold: float | None = None,
    users: ArrayLike | None = None,
) -> dict[str, Estimate]:
    r"""How much would the target policy earn, by each estimator that this log allows?

    Parameters
    ----------
    rewards, actions, propensities, policy
        As in `doubly_robust`.
    reward_model : (n, actions) array of float, optional
        What each action is expected to earn in each round; without it there are only the
        estimators that weigh rewards.
    estimators : str or sequence of str, optional
        Any of "ips", "clipped_ips", "snips", "clipped_snips", "direct_method", "doubly_robust",
        "self_normalized_doubly_robust" and "switch_doubly_robust". By default all for which what
        they need is given.
    cap : float, optional
        The largest weight of the clipped ones.
    threshold : float, optional
        The largest weight that switch doubly robust corrects by.
    users : (n,) array, optional
        As in `ips`.

    Returns
    -------
    dict from str to Estimate
        In the order asked for. Each equals what its own function returns.

    Raises
    ------
    ValueError, TypeError
        As in `doubly_robust`; also if an estimator is unknown or lacks the model, the cap or
        the threshold that it needs.

    Notes
    -----
    The log is read and checked once for all of them. Estimators that lean on different things
    (the propensities, the model) and still agree are a better sign than one narrow interval; if
    they differ by more than their intervals, find out why before believing any.

    References
    ----------
    Saito, Aihara, Matsutani and Narita (2021), Open Bandit Dataset and Pipeline, NeurIPS
    Datasets and Benchmarks.

    Examples
    --------
    >>> from recsys_metrics.bias.off_policy import estimates
    >>> policy, model = [[0.6, 0.2, 0.2]] * 4, [[0.5, 0.2, 0.3]] * 4
    >>> log = [1, 0, 1, 1], [0, 1, 0, 2], [0.5, 0.25, 0.1, 0.25]
    >>> found = estimates(*log, policy, model, cap=2)
    >>> {name: round(one.value, 3) for name, one in found.items()}  # doctest: +NORMALIZE_WHITESPACE
    {'ips': 2.0, 'clipped_ips': 1.0, 'snips': 0.909, 'clipped_snips': 0.833, 'direct_method': 0.4,
     'doubly_robust': 1.4, 'self_normalized_doubly_robust': 0.855}
    """
    names = None
    if estimators is not None:
        names = read_several("estimators", estimators, "names such as ['ips', 'snips']", alone=str)
    tables = {"policy": policy} | ({} if reward_model is None else {"reward_model": reward_model})
    limits = {"cap": cap, "threshold": threshold}
    selected = select(names, limits, has_model=len(tables) == 2)
    if not selected:
        raise ValueError("estimators is empty; leave it out for all that are possible")
    log = log_of_tables(rewards, actions, propensities, users=users, **tables)
    return dict(zip(selected, compute_estimates(log, [*selected.values()], users), strict=True))
