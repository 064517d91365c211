"""Propensities from counts of exposure or popularity, and their clipping."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.checks import (
    MOST_ENTRIES,
    check_at_least,
    check_choice,
    check_count,
    check_entries,
    check_flag,
    check_level,
    check_real,
    refuse,
)
from recsys_metrics._core.inputs.arrays import FloatArray, IntArray, as_numbers
from recsys_metrics._core.inputs.columns import check_between, check_same_rows, check_whole
from recsys_metrics._core.inputs.frames import refuse_unsorted_numbers
from recsys_metrics.bias._checks import check_propensities

Scale = Literal["max", "total"]


def empirical_propensities(
    items: ArrayLike,
    *,
    n_items: int | None = None,
    positions: ArrayLike | None = None,
    smoothing: float = 0.0,
) -> FloatArray:
    r"""How likely was each item to be the one shown, by how often it was?

    Parameters
    ----------
    items : (n,) array of int
        Number of the item shown in each logged row, from 0.
    n_items : int, optional
        How many items there are. By default one more than the highest number.
    positions : (n,) array of int, optional
        Position at which it was shown, from 1. The shares are then taken per position.
    smoothing : float
        Added to every count, so that an item never shown is not impossible. 0 adds nothing.

    Returns
    -------
    (n_items,) array or (n_positions, n_items) array
        Shares that sum to 1, in each position's row where there are positions: the policy's
        distribution of actions, as far as it does not depend on the user.

    Raises
    ------
    ValueError
        If a number is out of range, lengths differ, smoothing is below 0, or a position holds
        no row and there is no smoothing.
    TypeError
        If items or positions are no whole numbers.

    Notes
    -----
    .. math:: \hat p(i) = \frac{n_i + s}{\sum_j (n_j + s)}

    Examples
    --------
    >>> from recsys_metrics.bias.propensity import empirical_propensities
    >>> empirical_propensities([0, 0, 0, 0, 1], n_items=3)
    array([0.8, 0.2, 0. ])
    >>> empirical_propensities([0, 1, 1, 1], positions=[1, 1, 2, 2])
    array([[0.5, 0.5],
           [0. , 1. ]])
    """
    if n_items is not None:
        n_items = check_count("n_items", n_items, most=MOST_ENTRIES)
    shown = check_whole("items", items, 0, None if n_items is None else n_items - 1)
    width = int(shown.max()) + 1 if n_items is None else n_items
    smoothing = check_at_least("smoothing, which is added to each count,", smoothing, 0)
    place: IntArray = np.zeros(len(shown), dtype=np.intp)
    if positions is not None:
        place = check_whole("positions", positions, 1, None) - 1
        check_same_rows(items=items, positions=positions)
    height = int(place.max()) + 1
    check_entries("items and positions", height * width)
    counts = np.bincount(place * width + shown, minlength=height * width) + float(smoothing)
    table = counts.reshape(height, width)
    totals = table.sum(axis=1, keepdims=True)
    if not totals.all():
        raise ValueError(
            f"position {int((totals == 0).argmax()) + 1} has no row, so its shares are not "
            "known; number the positions without gaps, or smooth"
        )
    shares: FloatArray = table / totals
    return shares[0] if positions is None else shares


def popularity_propensity(
    counts: ArrayLike, *, power: float = 0.5, scale: Scale = "max", floor: float = 0.0
) -> FloatArray:
    r"""How likely was each item to be observed, if that grows as a power of its popularity?

    Parameters
    ----------
    counts : (n_items,) array of float
        Interactions with each item in the training data.
    power : float
        0 gives all items the same, 1 a propensity proportional to the counts.
    scale : {"max", "total"}
        Divide so that the most popular item has 1, or so that all sum to 1.
    floor : float
        Propensities below it are raised to it.

    Returns
    -------
    (n_items,) array
        Between 0 and 1. An item without interactions has 0 (or the floor), and no estimator
        that divides by propensities will take it.

    Raises
    ------
    ValueError
        If a count is negative or not finite, all are 0, power is below 0, or the floor is
        outside [0, 1].

    Notes
    -----
    .. math:: \hat p(i) \propto n_i^{\,\eta}

    Yang et al. use power (γ + 1)/2 and only the ratios within a user, so that the scale does
    not count (γ from 1 to 3 in their figures; γ = -1 gives the plain average). WarpRec takes
    `power=0.5, scale="max", floor=0.1`; recpack `power=1, scale="total"`.

    The power is an assumption; `fit_popularity_power` measures it where exposure was logged.

    References
    ----------
    Yang et al. (2018), Unbiased offline recommender evaluation for missing-not-at-random
    implicit feedback, RecSys.

    Examples
    --------
    >>> from recsys_metrics.bias.propensity import popularity_propensity
    >>> popularity_propensity([100, 25, 4, 0])
    array([1. , 0.5, 0.2, 0. ])
    >>> popularity_propensity([100, 25, 4, 0], floor=0.3)
    array([1. , 0.5, 0.3, 0.3])
    """
    check_choice("scale", scale, Scale)
    refuse_unsorted_numbers("counts", counts, rows="item")
    popular = check_between("counts", counts, 0.0, np.inf)
    if not popular.any():
        raise ValueError("all counts are 0; propensities come from at least one interaction")
    power = check_at_least("power", power, 0)
    floor = _check_floor(floor, allow_zero=True)
    relative = np.where(popular > 0, (popular / popular.max()) ** power, 0.0)
    if scale == "total":
        relative = relative / relative.sum()
    return np.maximum(relative, floor)


@dataclass(frozen=True)
class PopularityPower:
    """How exposure grew with popularity.

    Attributes
    ----------
    power : float
        Twice the popularity brings 2**power times the exposure.
    interval : (float, float)
        Of the power.
    r_squared : float
        Share of the variance of log exposure that the straight line explains.
    n_items : int
        Items that were used: those with both numbers above 0.

    Examples
    --------
    >>> from recsys_metrics.bias.propensity import fit_popularity_power
    >>> fit_popularity_power([1, 2, 4, 0], [3, 6, 12, 5]).n_items
    3
    """

    power: float
    interval: tuple[float, float]
    r_squared: float
    n_items: int


def fit_popularity_power(
    counts: ArrayLike, exposures: ArrayLike, *, level: float = 0.95
) -> PopularityPower:
    r"""With which power of popularity did exposure grow?

    Parameters
    ----------
    counts : (n_items,) array of float
        Interactions with each item before.
    exposures : (n_items,) array of float
        How often it was shown afterwards.
    level : float
        Confidence of the interval.

    Returns
    -------
    PopularityPower
        With `.power` for `popularity_propensity`.

    Raises
    ------
    ValueError
        If a number is negative or not finite, lengths differ, fewer than three items have both
        numbers above 0, or those are all equally popular.

    Notes
    -----
    Least squares of log exposure on log count; the interval is Student's. Items without
    interactions or without exposure have no logarithm and are left out.

    Examples
    --------
    >>> from recsys_metrics.bias.propensity import fit_popularity_power
    >>> found = fit_popularity_power([1, 4, 16, 100], [10, 20, 40, 100])
    >>> round(found.power, 3), round(found.r_squared, 3)
    (0.5, 1.0)
    """
    from scipy.special import stdtrit

    before = check_between("counts", counts, 0.0, np.inf)
    shown = check_between("exposures", exposures, 0.0, np.inf)
    check_same_rows(counts=counts, exposures=exposures)
    level = check_level(level)
    used = (before > 0) & (shown > 0)
    n = int(used.sum())
    if n < 3:
        raise ValueError(
            f"{n} items have both interactions and exposure; a power with a confidence "
            f"interval needs 3"
        )
    x, y = np.log(before[used]), np.log(shown[used])
    x, y = x - x.mean(), y - y.mean()
    spread = float(x @ x)
    if spread == 0:
        raise ValueError(
            f"all {n} items that can be used are equally popular, so no power can be estimated"
        )
    power = float(x @ y) / spread
    left = float(np.square(y - power * x).sum())
    half = float(stdtrit(n - 2, (1 + level) / 2)) * float(np.sqrt(left / (n - 2) / spread))
    total = float(y @ y)
    return PopularityPower(
        power=power,
        interval=(power - half, power + half),
        r_squared=1 - left / total if total else float("nan"),
        n_items=n,
    )


def clip_propensities(propensities: ArrayLike, *, floor: float) -> FloatArray:
    """Keep a rare exposure from dominating: raise propensities below the floor to it.

    Parameters
    ----------
    propensities : array of float
        Probabilities, 0 allowed.
    floor : float
        The smallest that is kept; a weight 1/p is then at most 1/floor.

    Returns
    -------
    array
        Of the same shape, in [floor, 1].

    Raises
    ------
    ValueError
        If a propensity is NaN or outside [0, 1], or the floor is outside (0, 1].

    Notes
    -----
    The estimate is biased afterwards: for rewards of 0 or more it is too low, for what was
    raised counts less than it should (see `ips` with clipped weights).

    Examples
    --------
    >>> from recsys_metrics.bias.propensity import clip_propensities
    >>> clip_propensities([0.8, 0.2, 0.001], floor=0.05)
    array([0.8 , 0.2 , 0.05])
    """
    floor = _check_floor(floor, allow_zero=False)
    given = as_numbers(propensities, "propensities")
    check_between("propensities", given.ravel(), 0.0, 1.0)
    return np.maximum(given, floor)


def inverse_propensity_weights(
    propensities: ArrayLike, *, cap: float | None = None, normalize: bool = False
) -> FloatArray:
    r"""How much does one observed event stand for?

    Parameters
    ----------
    propensities : (n,) array of float
        Probability with which each event could be observed, in (0, 1].
    cap : float, optional
        The largest weight; larger ones are lowered to it, which biases what is computed.
    normalize : bool
        Divide by the mean weight, so that the weights sum to n.

    Returns
    -------
    (n,) array
        1/p; never below 1 before normalisation.

    Raises
    ------
    ValueError
        If a propensity is NaN or outside (0, 1], or the cap is not above 0.

    Examples
    --------
    >>> from recsys_metrics.bias.propensity import inverse_propensity_weights
    >>> inverse_propensity_weights([0.8, 0.2]), inverse_propensity_weights([0.8, 0.2], cap=2)
    (array([1.25, 5.  ]), array([1.25, 2.  ]))
    """
    check_flag("normalize", normalize)
    given = check_propensities(propensities)
    with np.errstate(over="ignore"):
        weights = 1.0 / given
    if cap is None and np.isinf(weights).any():
        if not normalize:
            words = (
                ", whose inverse is more than a number can hold; give a cap or clip_propensities"
            )
            refuse(np.isinf(weights), "propensities", given, words)
        weights = given.min() / given
    if cap is not None:
        cap = check_real("cap", cap)
        if not cap > 0:
            raise ValueError(f"cap is the largest weight and must be above 0; got {cap!r:.80}")
        weights = np.minimum(weights, cap if math.isinf(cap) else min(cap, 1e300))
    return weights / weights.mean() if normalize else weights


def _check_floor(floor: float, *, allow_zero: bool) -> float:
    floor = check_real("floor", floor)
    fits = 0 <= floor <= 1 if allow_zero else 0 < floor <= 1
    if not fits:
        bracket = "[" if allow_zero else "("
        raise ValueError(f"floor is a probability in {bracket}0, 1]; got {floor!r:.80}")
    return floor
