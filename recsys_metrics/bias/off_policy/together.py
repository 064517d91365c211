"""Several estimates of one policy, from one reading of the log."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, get_args

from numpy.typing import ArrayLike

from recsys_metrics.bias.off_policy._logs import modelled_log, policy_log
from recsys_metrics.bias.off_policy._recipes import Recipe, corrected, expected, weighed
from recsys_metrics.bias.off_policy._terms import read
from recsys_metrics.bias.off_policy.estimate import Estimate, estimate
from recsys_metrics.bias.off_policy.modelled import none_above
from recsys_metrics.bias.off_policy.weighting import at_most

Estimator = Literal[
    "ips",
    "clipped_ips",
    "snips",
    "direct_method",
    "doubly_robust",
    "self_normalized_doubly_robust",
    "switch_doubly_robust",
]

_PLAIN: Mapping[str, Recipe] = MappingProxyType(
    {
        "ips": weighed(),
        "snips": weighed(by_weights=True),
        "direct_method": expected(),
        "doubly_robust": corrected(),
        "self_normalized_doubly_robust": corrected(by_weights=True),
    }
)
# Those with a limit to the weights, and what the limit is called.
_LIMITED: Mapping[str, tuple[str, Callable[[float], Recipe]]] = MappingProxyType(
    {
        "clipped_ips": ("cap", lambda cap: weighed(at_most(cap))),
        "switch_doubly_robust": ("threshold", lambda most: corrected(none_above(most))),
    }
)


def estimates(
    rewards: ArrayLike,
    actions: ArrayLike,
    propensities: ArrayLike,
    policy: ArrayLike,
    reward_model: ArrayLike | None = None,
    *,
    estimators: Sequence[Estimator] | Estimator | None = None,
    cap: float | None = None,
    threshold: float | None = None,
) -> dict[str, Estimate]:
    r"""How much would the policy earn, by each estimator that this log allows?

    Parameters
    ----------
    rewards, actions, propensities, policy
        As in `doubly_robust`.
    reward_model : (n, actions) array of float, optional
        What each action is expected to earn in each round; without it there are only the
        estimators that weigh rewards.
    estimators : one or many of {"ips", "clipped_ips", "snips", "direct_method", "doubly_robust", \
"self_normalized_doubly_robust", "switch_doubly_robust"}, optional
        By default all for which what they need is given.
    cap : float, optional
        The largest weight of clipped IPS.
    threshold : float, optional
        The largest weight that switch doubly robust corrects by.

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
    {'ips': 2.0, 'clipped_ips': 1.0, 'snips': 0.909, 'direct_method': 0.4, 'doubly_robust': 1.4,
     'self_normalized_doubly_robust': 0.855}
    """
    limits = {"clipped_ips": cap, "switch_doubly_robust": threshold}
    if estimators is None:
        asked = [name for name in get_args(Estimator) if limits.get(name, 0.0) is not None]
    else:
        asked = [estimators] if isinstance(estimators, str) else [*estimators]
    recipes = {name: recipe_of(name, limits) for name in asked}
    if not recipes:
        raise ValueError("estimators is empty; leave it out for all that are possible")
    for name in [name for name in recipes if recipes[name].modelled and reward_model is None]:
        if estimators is not None:
            raise ValueError(f"{name} needs reward_model, what each action is expected to earn")
        del recipes[name]
    given = rewards, actions, propensities, policy
    log = policy_log(*given) if reward_model is None else modelled_log(*given, reward_model)
    found = read(log, [*recipes.values()])
    return {
        name: estimate(name, log, recipe, means)
        for (name, recipe), means in zip(recipes.items(), found, strict=True)
    }


def recipe_of(name: str, limits: Mapping[str, float | None]) -> Recipe:
    """Return an estimator by its name, with its limit where it has one."""
    if name in _PLAIN:
        return _PLAIN[name]
    if name not in _LIMITED:
        known = ", ".join(get_args(Estimator))
        raise ValueError(f"there is no estimator {name!r}; there are {known}")
    argument, made = _LIMITED[name]
    limit = limits[name]
    if limit is None:
        raise ValueError(f"{name} needs {argument}, the largest weight allowed")
    return made(limit)
