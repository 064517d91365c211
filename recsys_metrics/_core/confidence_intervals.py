"""Confidence intervals of proportions, of means within bounds, and of their differences.

Every function takes arrays of one shape and returns the lower and the upper ends: NaN where the
data do not allow an interval. How often they contain the truth is measured by
`dev/tools/interval_study.py`; the page on intervals shows the result.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
Ends = tuple[FloatArray, FloatArray]
Bounds = tuple[float, float]

UNBOUNDED: Bounds = (-math.inf, math.inf)

# Relative rounding that an engine's mean and deviation may carry.
_ROUNDING = 1e-9
# The square of a smaller number is none.
_TINY = 2.0**-480
# Beyond so many hits and misses the beta quantiles lose digits; the normal interval is as good.
_MANY = 1e8


def normal_quantile(level: float) -> float:
    """Return how many standard errors an interval of that confidence reaches to either side."""
    from scipy.special import ndtri

    return float(ndtri(0.5 + level / 2))


def of_proportion(hits: ArrayLike, cases: ArrayLike, level: float) -> Ends:
    """Return Clopper and Pearson's interval of a proportion; NaN without a case.

    Counts need not be whole: an effective sample size has a fraction.
    """
    from scipy.special import betaincinv

    some, n = np.broadcast_arrays(
        np.asarray(hits, dtype=np.float64), np.asarray(cases, dtype=np.float64)
    )
    misses = n - some
    tail = (1 - level) / 2
    low = np.where(some > 0, betaincinv(np.maximum(some, 1e-300), misses + 1, tail), 0.0)
    high = np.where(misses > 0, betaincinv(some + 1, np.maximum(misses, 1e-300), 1 - tail), 1.0)
    many = np.minimum(some, misses) > _MANY
    if many.any():
        with np.errstate(divide="ignore", invalid="ignore"):
            share = some / n
            half = normal_quantile(level) * np.sqrt(share * (1 - share) / n)
        low, high = np.where(many, share - half, low), np.where(many, share + half, high)
    return np.where(n > 0, low, np.nan), np.where(n > 0, high, np.nan)


def of_mean(
    mean: ArrayLike, deviation: ArrayLike, n: ArrayLike, bounds: Bounds, level: float
) -> Ends:
    """Return the interval of a mean whose values lie between bounds.

    `deviation` is over n - 1. See `protocol.significance.mean_interval` for the method.
    """
    centre, spread, users = _floats(mean, deviation, n)
    least, most = bounds
    low, high = _student(centre, spread, users - 1, users, level)
    known = (users > 1) & (spread > _ROUNDING * np.abs(centre))
    low, high = np.where(known, low, np.nan), np.where(known, high, np.nan)
    if math.isfinite(most - least):
        share, scaled = (centre - least) / (most - least), spread / (most - least)
        inside = scaled**2 * (users - 1) / users <= share * (1 - share) + _ROUNDING
        inside &= (share >= -_ROUNDING) & (share <= 1 + _ROUNDING) & (users > 1)
        between = _of_mean_share(np.clip(share, 0.0, 1.0), scaled, users, level)
        low = np.where(inside, least + (most - least) * between[0], low)
        high = np.where(inside, least + (most - least) * between[1], high)
    # fmax and fmin would take the bound for an end that is not known.
    return np.maximum(low, least), np.minimum(high, most)


def of_gain(
    mean: ArrayLike,
    deviation: ArrayLike,
    n: ArrayLike,
    up: ArrayLike,
    down: ArrayLike,
    bounds: Bounds,
    level: float,
) -> Ends:
    """Return the interval of a mean gain over the same users, `up` and `down` of whom changed.

    See `protocol.significance.gain_interval` for the method.
    """
    centre, spread, users, better, worse = _floats(mean, deviation, n, up, down)
    changed = better + worse
    most = bounds[1] - bounds[0]
    # One more user, whose value did not change, keeps equal gains from an interval without width.
    with np.errstate(divide="ignore", invalid="ignore"):
        widened = np.sqrt(spread**2 + centre**2 / users)
        # Where the squares would vanish.
        tiny = np.maximum(spread, np.abs(centre)) < _TINY
        widened = np.where(tiny, np.hypot(spread, centre / np.sqrt(users)), widened)
    low, high = _student(centre, widened, np.minimum(2 * changed, users - 1), users, level)
    if math.isfinite(most):
        # Nobody changed, which says nothing of how much a value changes when it does.
        reach = most_unseen(users, level) * most
        low, high = np.where(changed > 0, low, -reach), np.where(changed > 0, high, reach)
        low, high = np.maximum(low, -most), np.minimum(high, most)
        whole = all_or_nothing(centre, spread, users, changed, bounds)
        shares = _of_two_shares_of_one(better, worse, users, level)
        low = np.where(whole, most * shares[0], low)
        high = np.where(whole, most * shares[1], high)
    else:
        low, high = np.where(changed > 0, low, np.nan), np.where(changed > 0, high, np.nan)
    one = users < 2
    return np.where(one, np.nan, low), np.where(one, np.nan, high)


def all_or_nothing(
    mean: ArrayLike, deviation: ArrayLike, n: ArrayLike, changed: ArrayLike, bounds: Bounds
) -> NDArray[np.bool_]:
    """Return whether every gain is 0 or the whole distance between the bounds."""
    centre, spread, users, moved = _floats(mean, deviation, n, changed)
    most = bounds[1] - bounds[0]
    squares = (users - 1) * (spread / most) ** 2 + users * (centre / most) ** 2
    same: NDArray[np.bool_] = np.abs(squares - moved) <= _ROUNDING * np.maximum(1.0, moved)
    return same & math.isfinite(most)


def of_difference(
    first: ArrayLike, ends: Ends, second: ArrayLike, others: Ends, correlation: ArrayLike = 0.0
) -> Ends:
    """Return the interval of the difference first − second, each with an interval of its own.

    The distances from either value to its ends are added as if they were standard errors
    (Newcombe's square-and-add, MOVER).
    """
    one, other, shared = _floats(first, second, correlation)
    below, above = one - ends[0], ends[1] - one
    under, over = other - others[0], others[1] - other
    # By a power of two, so that no square leaves the floats.
    sizes = np.abs(np.stack(np.broadcast_arrays(below, above, under, over)))
    exponent = math.frexp(float(sizes.max(where=np.isfinite(sizes), initial=0.0)))[1]
    below, above, under, over = (np.ldexp(e, -exponent) for e in (below, above, under, over))
    down = np.sqrt(np.maximum(below**2 - 2 * shared * below * over + over**2, 0.0))
    up = np.sqrt(np.maximum(above**2 - 2 * shared * above * under + under**2, 0.0))
    return one - other - np.ldexp(down, exponent), one - other + np.ldexp(up, exponent)


def of_ratio(first: float, ends: Bounds, second: float, others: Bounds) -> Bounds:
    """Return the interval of first over second, each with an interval of its own.

    The distances are added as in `of_difference` (MOVER for a ratio; Fieller's interval where
    either interval is as long to both sides). The upper end is infinite where the second may be
    0; below 0 there is no answer.
    """
    if min(first, second) < 0 or second == 0:
        return math.nan, math.nan
    # By powers of two, so that no product leaves the floats.
    (top, *tops), up = _scaled(first, *ends)
    (bottom, *bottoms), down = _scaled(second, *others)
    product = top * bottom
    low, high = tops[0] * (2 * top - tops[0]), tops[1] * (2 * top - tops[1])
    under, over = bottoms[0] * (2 * bottom - bottoms[0]), bottoms[1] * (2 * bottom - bottoms[1])
    # Two forms of the roots of one equation; these never divide by what may be 0 or cancel.
    root = math.sqrt(max(product**2 - low * over, 0.0))
    least = low / (product + root) if product + root else 0.0
    most = math.inf
    if bottoms[0] > 0 and under > 0:
        most = (product + math.sqrt(max(product**2 - high * under, 0.0))) / under
    with np.errstate(over="ignore"):
        return float(np.ldexp(least, up - down)), float(np.ldexp(most, up - down))


def _scaled(*numbers: float) -> tuple[list[float], int]:
    """Return numbers divided by a power of two, so that the largest is about 1; its exponent."""
    exponent = math.frexp(max(map(abs, numbers)))[1]
    return [math.ldexp(each, -exponent) for each in numbers], exponent


def most_unseen(n: ArrayLike, level: float) -> FloatArray:
    """Return how large a share of users may be of a kind that none of n users is of."""
    share: FloatArray = -np.expm1(math.log((1 - level) / 2) / np.asarray(n, dtype=np.float64))
    return share


def _of_mean_share(share: FloatArray, spread: FloatArray, users: FloatArray, level: float) -> Ends:
    """Return the interval of a mean between 0 and 1: that of hits among the effective cases."""
    most = share * (1 - share)
    # The variance can reach this only if every value is 0 or 1.
    hits = np.abs(spread**2 * (users - 1) / users - most) <= _ROUNDING * np.maximum(most, 1e-300)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        # The distance to the nearer bound keeps equal values from an interval without width.
        variance = spread**2 + (np.minimum(share, 1 - share) / users) ** 2
        factor = (normal_quantile(level) / _t_quantile(users - 1, level)) ** 2
        effective = users * most / variance * factor
    size = np.where(hits, users, effective)
    return of_proportion(share * size, size, level)


def _of_two_shares_of_one(
    better: FloatArray, worse: FloatArray, users: FloatArray, level: float
) -> Ends:
    """Return the interval of the share that is better less the share that is worse."""
    up, down = better / users, worse / users
    spread = np.sqrt(up * (1 - up) * down * (1 - down))
    # Who is better is not worse: the two shares move against each other, and are one where
    # everybody is one or the other.
    shared = np.divide(-up * down, spread, out=np.zeros_like(spread), where=spread > 0)
    shared = np.where(better + worse == users, -1.0, shared)
    low, high = of_difference(
        up, of_proportion(better, users, level), down, of_proportion(worse, users, level), shared
    )
    return np.maximum(low, -1.0), np.minimum(high, 1.0)


def _student(
    mean: FloatArray, deviation: FloatArray, freedom: FloatArray, n: FloatArray, level: float
) -> Ends:
    with np.errstate(divide="ignore", invalid="ignore"):
        half = _t_quantile(freedom, level) * deviation / np.sqrt(n)
    return mean - half, mean + half


def _t_quantile(freedom: FloatArray, level: float) -> FloatArray:
    from scipy.special import stdtrit

    quantile: FloatArray = stdtrit(np.maximum(freedom, 1.0), 0.5 + level / 2)
    return quantile


def _floats(*values: Any) -> tuple[FloatArray, ...]:
    return tuple(np.broadcast_arrays(*(np.asarray(value, dtype=np.float64) for value in values)))
