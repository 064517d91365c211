"""Examination probabilities from clicks alone (EM), and from swap interventions."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core.checks import (
    check_count,
    check_entries,
    check_level,
    check_positive,
    first_true,
)
from recsys_metrics._core.confidence_intervals import normal_quantile
from recsys_metrics._core.inputs.arrays import FloatArray, IntArray
from recsys_metrics._core.inputs.columns import check_same_rows, check_whole, check_zero_one
from recsys_metrics._core.sorted_arrays import factorize
from recsys_metrics.bias._checks import number_items

_LEAST = 1e-300
_MOST = 1.0 - 1e-12


@dataclass(frozen=True, eq=False)
class PositionBias:
    """A fitted position-based model.

    Attributes
    ----------
    examination : (n_positions,) array
        How likely each position is to be looked at, relative to position 1.
    attractiveness : (n_items,) array
        How likely each item is to be clicked at position 1.
    items : (n_items,) array
        The items, ascending.
    log_likelihood : (n_steps + 1,) array
        Mean per row, at the start and after each step; it never falls.
    converged : bool
        Whether the last step changed no examination by more than the tolerance.

    Examples
    --------
    >>> from recsys_metrics.bias.propensity import position_bias_em
    >>> found = position_bias_em([1, 0, 1, 0, 0, 0], ["a"] * 6, [1, 1, 2, 2, 2, 2])
    >>> found.items.tolist(), found.examination.round(3), found.attractiveness.round(3)
    (['a'], array([1. , 0.5]), array([0.5]))
    """

    examination: FloatArray
    attractiveness: FloatArray
    items: NDArray[Any]
    log_likelihood: FloatArray
    converged: bool


def position_bias_em(
    clicks: ArrayLike,
    items: ArrayLike,
    positions: ArrayLike,
    *,
    max_steps: int = 2000,
    tolerance: float = 1e-8,
) -> PositionBias:
    r"""How likely is each position to be examined, if items were shown at several?

    Parameters
    ----------
    clicks : (n,) array of 0 and 1
        Whether each row was clicked.
    items : (n,) array
        What was shown: an item, or a pair of query and item. Any values that can be sorted.
    positions : (n,) array of int
        Where, from 1.
    max_steps : int
        Steps of three passes of EM each.
    tolerance : float
        Stop when no logarithm of an examination changes by more.

    Returns
    -------
    PositionBias
        With `.examination` relative to position 1 and `.attractiveness` at position 1.

    Raises
    ------
    ValueError
        If a click is neither 0 nor 1, lengths differ, nothing was clicked at position 1, or
        some positions share no clicked item with position 1, directly or over others, so that
        they cannot be compared.
    TypeError
        If positions are no whole numbers.

    Warns
    -----
    RuntimeWarning
        If the steps ran out before the tolerance was met.

    Notes
    -----
    The model: a click needs an examined position and an attractive item, independently,

    .. math:: P(c = 1 \mid i, k) = \theta_k \, \gamma_i .

    EM alternates the probability that each row was examined (and that its item was attractive)
    with the means of those probabilities. Only products count, so θ is given relative to
    position 1. Rows are first counted per item and position; SQUAREM extrapolates EM's slow
    walk where clicks are rare, and a step that would lower the likelihood is not taken.

    References
    ----------
    Craswell, Zoeter, Taylor and Ramsey (2008), An experimental comparison of click
    position-bias models, WSDM. Wang, Golbandi, Bendersky, Metzler and Najork (2018), Position
    bias estimation for unbiased learning to rank in personal search, WSDM. Varadhan and Roland
    (2008), Simple and globally convergent methods for accelerating the convergence of any EM
    algorithm, Scandinavian Journal of Statistics 35(2).

    Examples
    --------
    Item a gets 40 clicks in 100 rows at position 1 and 20 in 100 at position 2, item b half of
    that:

    >>> import numpy as np
    >>> from recsys_metrics.bias.propensity import position_bias_em
    >>> items = np.repeat(["a", "a", "b", "b"], 100)
    >>> positions = np.repeat([1, 2, 1, 2], 100)
    >>> clicks = np.concatenate([np.arange(100) < n for n in (40, 20, 20, 10)])
    >>> found = position_bias_em(clicks, items, positions)
    >>> found.examination.round(3), found.attractiveness.round(3)
    (array([1. , 0.5]), array([0.4, 0.2]))
    """
    clicked = check_zero_one("clicks", clicks)
    place = check_whole("positions", positions, 1, None) - 1
    names, item = number_items("items", items)
    check_same_rows(clicks=clicks, items=items, positions=positions)
    max_steps = check_count("max_steps", max_steps)
    tolerance = check_positive("tolerance", tolerance)
    n_positions = int(place.max()) + 1
    check_entries("positions", n_positions)
    cell, which = factorize(item * n_positions + place)
    rows = np.bincount(which).astype(np.float64)
    hits = np.bincount(which[clicked], minlength=len(cell)).astype(np.float64)
    # An item, or a position, without a click is likeliest to have a chance of 0, whatever the
    # others are; so it says nothing about them.
    per_item = np.bincount(cell // n_positions, weights=hits, minlength=len(names))
    per_place = np.bincount(cell % n_positions, weights=hits, minlength=n_positions)
    if per_place[0] == 0:
        raise ValueError(
            "nothing was clicked at position 1, so no position can be compared with it"
        )
    kept = (per_item[cell // n_positions] > 0) & (per_place[cell % n_positions] > 0)
    cells = _Cells(
        *factorize(cell[kept] // n_positions),
        *factorize(cell[kept] % n_positions),
        rows[kept],
        hits[kept],
    )
    _check_connected(cells)
    theta, gamma, heights, converged = _run_em(cells, max_steps, tolerance)
    if not converged:
        warnings.warn(
            f"EM did not settle in {max_steps} steps; the examination is not final. Give more "
            "max_steps",
            RuntimeWarning,
            stacklevel=2,
        )
    examination, attractiveness = np.zeros(n_positions), np.zeros(len(names))
    examination[cells.places] = theta / theta[0]
    attractiveness[cells.items] = gamma * theta[0]
    return PositionBias(examination, attractiveness, names, heights / len(clicked), converged)


@dataclass(frozen=True, eq=False)
class SwapBias:
    """Examination of each position, measured by an intervention.

    Attributes
    ----------
    examination : (n_positions,) array
        Relative to the landmark; NaN where there was no intervention.
    lower, upper : (n_positions,) array
        Interval of it; NaN where either side has no click.
    rows : (n_positions,) array of int
        Rows at the position that were used.
    landmark : int
        The position all are compared with.

    Examples
    --------
    >>> from recsys_metrics.bias.propensity import position_bias_swap
    >>> found = position_bias_swap([1, 0, 1, 0, 0, 0], [1, 1, 2, 2, 2, 2])
    >>> found.examination, found.rows
    (array([1. , 0.5]), array([2, 4]))
    """

    examination: FloatArray
    lower: FloatArray
    upper: FloatArray
    rows: IntArray
    landmark: int


def position_bias_swap(
    clicks: ArrayLike,
    positions: ArrayLike,
    partners: ArrayLike | None = None,
    *,
    landmark: int = 1,
    level: float = 0.95,
) -> SwapBias:
    r"""How likely is each position to be examined, by items that were swapped at random?

    Parameters
    ----------
    clicks : (n,) array of 0 and 1
        Whether each row was clicked.
    positions : (n,) array of int
        Where the item was shown, from 1.
    partners : (n,) array of int, optional
        With which position the landmark was to be swapped in this row's list, heads or tails.
        Only rows at the landmark or at the partner are used. By default the whole order was
        random, and all rows serve for all positions.
    landmark : int
        The position that the others are compared with.
    level : float
        Confidence of the intervals.

    Returns
    -------
    SwapBias
        With `.examination`, `.lower` and `.upper` per position.

    Raises
    ------
    ValueError
        If a click is neither 0 nor 1, lengths differ, or the landmark has no row or no click.
    TypeError
        If positions or partners are no whole numbers.

    Notes
    -----
    .. math:: \hat\theta_k = \frac{\text{click rate at } k}{\text{click rate at the landmark}}

    over lists in which a coin decided whether the items of the two positions were swapped. Both
    positions then held the same items on average, so that only the examination differs, and no
    model of the items is needed. The interval is Katz's, on the logarithm of the ratio.

    References
    ----------
    Joachims, Swaminathan and Schnabel (2017), Unbiased learning-to-rank with biased feedback,
    WSDM.

    Examples
    --------
    >>> import numpy as np
    >>> from recsys_metrics.bias.propensity import position_bias_swap
    >>> positions = np.repeat([1, 2], 100)
    >>> clicks = np.concatenate([np.arange(100) < 40, np.arange(100) < 20])
    >>> found = position_bias_swap(clicks, positions, partners=np.full(200, 2))
    >>> found.examination, found.lower.round(2), found.upper.round(2)
    (array([1. , 0.5]), array([1.  , 0.32]), array([1.  , 0.79]))
    """
    clicked = check_zero_one("clicks", clicks)
    place = check_whole("positions", positions, 1, None)
    check_same_rows(clicks=clicks, positions=positions, partners=partners)
    landmark = check_count("landmark", landmark)
    n_positions = int(place.max())
    check_entries("positions", n_positions)
    at_landmark = place == landmark
    if not at_landmark.any() or not clicked[at_landmark].any():
        what = "was clicked" if at_landmark.any() else "was shown"
        raise ValueError(f"nothing {what} at position {landmark}, the landmark; choose another one")
    if partners is None:
        seen = np.bincount(place, minlength=n_positions + 1)[1:]
        hits = np.bincount(place[clicked], minlength=n_positions + 1)[1:]
        base = np.full(n_positions, seen[landmark - 1])
        base_hits = np.full(n_positions, hits[landmark - 1])
    else:
        other = check_whole("partners", partners, 1, None)
        n_positions = max(n_positions, int(other.max()))
        check_entries("partners", n_positions)
        moved = (place == other) & ~at_landmark
        size = n_positions + 1
        seen = np.bincount(place[moved], minlength=size)[1:]
        hits = np.bincount(place[moved & clicked], minlength=size)[1:]
        base = np.bincount(other[at_landmark], minlength=size)[1:]
        base_hits = np.bincount(other[at_landmark & clicked], minlength=size)[1:]
        seen[landmark - 1] = at_landmark.sum()
    z = normal_quantile(check_level(level))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (hits / seen) / (base_hits / base)
        error = np.sqrt(1 / hits - 1 / seen + 1 / base_hits - 1 / base)
        lower, upper = ratio * np.exp(-z * error), ratio * np.exp(z * error)
    known = np.isfinite(ratio)
    ratio = np.where(known, ratio, np.nan)
    bounded = known & (hits > 0)
    lower, upper = np.where(bounded, lower, np.nan), np.where(bounded, upper, np.nan)
    for column in (ratio, lower, upper):
        column[landmark - 1] = 1.0
    return SwapBias(ratio, lower, upper, seen.astype(np.intp), landmark)


@dataclass(frozen=True, eq=False)
class _Cells:
    """Rows and clicks counted per item and position, with items and positions renumbered."""

    items: IntArray
    item: IntArray
    places: IntArray
    place: IntArray
    rows: FloatArray
    hits: FloatArray


def _check_connected(cells: _Cells) -> None:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n_places, n_items = len(cells.places), len(cells.items)
    ends = (cells.place, n_places + cells.item)
    graph = coo_array((np.ones(len(cells.rows)), ends), shape=(n_places + n_items,) * 2)
    part = connected_components(graph, directed=False)[1][:n_places]
    if apart := first_true(part != part[0]):
        which = int(cells.places[apart]) + 1
        raise ValueError(
            f"no clicked item links position {which} with position 1: the items shown at one "
            "were never shown at the other, nor at positions in between. Their difference could "
            "be the items'; show some items at both"
        )


def _run_em(
    cells: _Cells, max_steps: int, tolerance: float
) -> tuple[FloatArray, FloatArray, FloatArray, bool]:
    """Run EM from close to the data; return θ, γ, the log likelihoods, and whether it settled."""
    rate = np.bincount(cells.place, cells.hits) / np.bincount(cells.place, cells.rows)
    theta = 0.9 * rate / rate.max()
    looks = np.bincount(cells.item, cells.rows * theta[cells.place])
    gamma = np.bincount(cells.item, cells.hits) / looks
    here = np.log(np.clip(np.concatenate([theta, gamma]), _LEAST, 0.9))
    heights, n_places = [_log_likelihood(cells, here)], len(theta)
    for _ in range(max_steps):
        one = _em_step(cells, here)
        two = _em_step(cells, one)
        first, second = one - here, (two - one) - (one - here)
        length = -float(np.sqrt((first @ first) / max(second @ second, _LEAST)))
        there = two
        if length < -1:
            far = here - 2 * length * first + length**2 * second
            leap = _em_step(cells, np.clip(far, np.log(_LEAST), np.log(_MOST)))
            if _log_likelihood(cells, leap) >= _log_likelihood(cells, two):
                there = leap
        height = _log_likelihood(cells, there)
        moved = (there - there[0])[:n_places] - (here - here[0])[:n_places]
        here = there
        heights.append(height)
        if np.abs(moved).max() < tolerance:
            chances = np.exp(here)
            return chances[:n_places], chances[n_places:], np.array(heights), True
    chances = np.exp(here)
    return chances[:n_places], chances[n_places:], np.array(heights), False


def _em_step(cells: _Cells, logs: FloatArray) -> FloatArray:
    """Return one pass of EM, in logarithms."""
    n_places = len(cells.places)
    theta, gamma = np.exp(logs[:n_places])[cells.place], np.exp(logs[n_places:])[cells.item]
    # Without a click the row was overlooked, or its item not liked, or both.
    missed = (cells.rows - cells.hits) / np.maximum(1.0 - theta * gamma, _LEAST)
    looked = cells.hits + missed * theta * (1.0 - gamma)
    liked = cells.hits + missed * gamma * (1.0 - theta)
    new = np.concatenate(
        [
            np.bincount(cells.place, looked) / np.bincount(cells.place, cells.rows),
            np.bincount(cells.item, liked) / np.bincount(cells.item, cells.rows),
        ]
    )
    logarithms: FloatArray = np.log(np.clip(new, _LEAST, 1.0))
    return logarithms


def _log_likelihood(cells: _Cells, logs: FloatArray) -> float:
    n_places = len(cells.places)
    log_chance = logs[:n_places][cells.place] + logs[n_places:][cells.item]
    missed = cells.rows - cells.hits
    with np.errstate(divide="ignore"):
        # Where a chance is 1 and nothing was missed, 0 times minus infinity is 0.
        without = np.where(missed > 0, np.log1p(-np.exp(log_chance)), 0.0)
    return float(cells.hits @ log_chance + missed @ without)
