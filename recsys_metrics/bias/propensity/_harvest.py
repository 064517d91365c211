"""Examination probabilities from rankers that disagree (intervention harvesting)."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.checks import (
    check_choice,
    check_count,
    check_entries,
    check_level,
    generator,
)
from recsys_metrics._core.inputs.arrays import FloatArray
from recsys_metrics._core.inputs.columns import check_same_rows, check_whole, check_zero_one
from recsys_metrics._core.sorted_arrays import factorize
from recsys_metrics.bias._checks import number_items
from recsys_metrics.bias.propensity._position import SwapBias, _Cells, _check_connected, _run_em

Pairs = Literal["all", "landmark"]

_PARTS = 20
_STEPS, _TOLERANCE = 2_000, 1e-8


def position_bias_harvest(
    clicks: ArrayLike,
    items: ArrayLike,
    positions: ArrayLike,
    *,
    pairs: Pairs = "all",
    landmark: int = 1,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
) -> SwapBias:
    r"""How likely is each position to be examined, by items that rankers put at several?

    Parameters
    ----------
    clicks : (n,) array of 0 and 1
        Whether each row was clicked.
    items : (n,) array
        What was shown: an item, or a pair of query and item. Any values that can be sorted.
    positions : (n,) array of int
        Where, from 1.
    pairs : {"all", "landmark"}
        Whether every pair of positions speaks, or only those with the landmark.
    landmark : int
        The position that the others are compared with.
    level : float
        Confidence of the intervals.
    seed : int or numpy.random.Generator
        Shares the items out for the intervals.

    Returns
    -------
    SwapBias
        With `.examination`, `.lower` and `.upper` per position, relative to the landmark, and the
        rows of items that were shown at two positions or more. Intervals are NaN with fewer than
        40 such items.

    Raises
    ------
    ValueError
        If a click is neither 0 nor 1, lengths differ, no clicked item links the landmark with
        another position, or clicked positions fall into two groups that share no clicked item.
    TypeError
        If positions are no whole numbers.

    Notes
    -----
    Two rankers of which chance takes one for each request disagree about an item: one shows it at
    position k, the other at k'. That is a swap that nobody had to plan. Over the items
    :math:`S_{kk'}` shown at both positions, each counts alike in both sums, however often it came:

    .. math:: \hat c_{kk'} = \sum_{i \in S_{kk'}} \frac{\text{clicks on } i \text{ at } k}
                                                      {\text{impressions of } i \text{ at } k}

    With the landmark alone, examination is the ratio
    :math:`\hat c_{k1} / \hat c_{1k}` of each position's own pair. With all pairs it is the
    largest likelihood of

    .. math:: \hat c_{kk'} \sim \theta_k \, \gamma_{kk'}, \qquad \gamma_{kk'} = \gamma_{k'k}

    in which positions that share few items with the landmark are linked over others. A row's
    position must hang on the ranker alone, or on what the item's name holds: if a ranker puts an
    item higher for the people who like it, take the pair of person and item. The interval leaves
    out a twentieth of the items at a time (jackknife, on the logarithm).

    References
    ----------
    Agarwal, Zaitsev, Wang, Li, Najork and Joachims (2019), Estimating position bias without
    intrusive interventions, WSDM.

    Examples
    --------
    Two rankers show a and b in opposite orders; at position 2 half of the clicks are left:

    >>> import numpy as np
    >>> from recsys_metrics.bias.propensity import position_bias_harvest
    >>> items = np.repeat(["a", "b", "b", "a"], 100)
    >>> positions = np.repeat([1, 2, 1, 2], 100)
    >>> clicks = np.concatenate([np.arange(100) < n for n in (40, 10, 20, 20)])
    >>> found = position_bias_harvest(clicks, items, positions)
    >>> found.examination.round(3), found.rows
    (array([1. , 0.5]), array([200, 200]))
    """
    clicked = check_zero_one("clicks", clicks)
    place = check_whole("positions", positions, 1, None) - 1
    names, item = number_items("items", items)
    check_same_rows(clicks=clicks, items=items, positions=positions)
    check_choice("pairs", pairs, Pairs)
    landmark = check_count("landmark", landmark)
    level = check_level(level)
    n_positions = max(int(place.max()) + 1, landmark)
    check_entries("positions and landmark", len(names) * n_positions)
    check_entries("positions and landmark", n_positions**2)
    cell, which = factorize(item * n_positions + place)
    rows = np.bincount(which).astype(np.float64)
    hits = np.bincount(which[clicked], minlength=len(cell)).astype(np.float64)
    shown = np.zeros((len(names), n_positions))
    rate = np.zeros_like(shown)
    shown.flat[cell], rate.flat[cell] = rows, hits / rows
    several = (shown > 0).sum(axis=1) > 1
    shown, rate = shown[several], rate[several]
    part = generator(seed).permutation(len(shown)) % _PARTS
    one_hot = (part == np.arange(_PARTS)[:, None]).astype(np.float64)
    seen = (shown > 0).astype(np.float64)
    # By part and pair (k, l): items that were at both, and their rates at k, one for each item.
    both = np.einsum("pi,ik,il->pkl", one_hot, seen, seen, optimize=True)
    at_first = np.einsum("pi,ik,il->pkl", one_hot, rate, seen, optimize=True)
    examination = _fit(both.sum(axis=0), at_first.sum(axis=0), pairs, landmark - 1)
    lower = upper = np.full(n_positions, np.nan)
    if len(shown) >= 2 * _PARTS:
        without = np.array(
            [
                _fit(both.sum(axis=0) - b, at_first.sum(axis=0) - c, pairs, landmark - 1)
                for b, c in zip(both, at_first, strict=True)
            ]
        )
        lower, upper = _jackknife(examination, without, level)
    lower, upper = lower.copy(), upper.copy()
    examination[landmark - 1] = lower[landmark - 1] = upper[landmark - 1] = 1.0
    return SwapBias(examination, lower, upper, shown.sum(axis=0).astype(np.intp), landmark)


def _fit(both: FloatArray, at_first: FloatArray, pairs: Pairs, landmark: int) -> FloatArray:
    """Return examination relative to the landmark from items and rates by pair of positions."""
    n_positions = len(both)
    others = both * (1 - np.eye(n_positions))
    if pairs == "landmark" and at_first[landmark, others[landmark] > 0].any():
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = at_first[:, landmark] / at_first[landmark]
        return np.where(np.isfinite(ratio), ratio, np.nan)
    first, second = np.nonzero(others)
    hits = at_first[first, second]
    # A pair, or a position, without a click has the likeliest chance of 0, whatever others have.
    speaks = (hits + at_first[second, first] > 0) & (
        np.bincount(first, hits, minlength=n_positions)[[first, second]] > 0
    ).all(axis=0)
    found = np.where(others.any(axis=1), 0.0, np.nan)
    first, second, hits = first[speaks], second[speaks], hits[speaks]
    if landmark not in first:
        raise ValueError(
            f"no clicked item was shown at position {landmark + 1}, the landmark, and at another "
            "with clicks; take a log of rankers that disagree, or another landmark"
        )
    pair = np.minimum(first, second) * n_positions + np.maximum(first, second)
    cells = _Cells(*factorize(pair), *factorize(first), both[first, second], hits)
    _check_connected(cells)
    theta, *_ = _run_em(cells, _STEPS, _TOLERANCE)
    found[cells.places] = theta
    return np.asarray(found / found[landmark])


def _jackknife(
    whole: FloatArray, without: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    from scipy.special import stdtrit

    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(without)
        parts = len(logs)
        error = np.sqrt((parts - 1) / parts * ((logs - logs.mean(axis=0)) ** 2).sum(axis=0))
        half = float(stdtrit(parts - 1, (1 + level) / 2)) * error
        ends = whole * np.exp(-half), whole * np.exp(half)
    known = np.isfinite(half)
    return np.where(known, ends[0], np.nan), np.where(known, ends[1], np.nan)
