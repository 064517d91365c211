"""Discounted cumulative gain, plain and normalised."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from recsys_metrics._core.arithmetic import exp2_minus_1, scale_weights
from recsys_metrics._core.checks import MOST_ENTRIES, check_count, first_true
from recsys_metrics._core.inputs.arrays import as_numbers, is_array
from recsys_metrics._core.long_sums import rank_blocks, sum_of_smooth
from recsys_metrics.ranking._grade_codes import FEW_LEVELS, BoolArray, FloatArray
from recsys_metrics.ranking._judged import Judged, Values
from recsys_metrics.ranking._per_list import (
    NoRelevant,
    apply_weights,
    check_choice,
    check_judged,
    check_whole,
    divide,
    finish,
    over_hits,
    over_levels,
)

Gain = Literal["linear", "binary", "exponential", "exponential-from-threshold"]
Discount = Literal["log2", "log2-from-2", "none"]
Ideal = Literal["all", "list", "listed", "uncut", "full"]
Own = Callable[[FloatArray], Any] | Sequence[float] | FloatArray
"""A gain or a discount of the caller's: a function, or its values one by one."""

# 2 to the power of 1,024 is no float any more, and sums of gains reach it sooner.
_HIGHEST_POWER = 1000.0
# Beside the highest gain a lower one than this is none.
_LEAST_RATIO = 2.0**-1020


def dcg(
    judged: Judged[Values],
    k: int | None = None,
    *,
    gain: Gain | Own = "linear",
    discount: Discount | Own = "log2",
    no_relevant: NoRelevant = "nan",
) -> Values:
    r"""How much gain does the list contain, with a discount for lower ranks?

    Parameters
    ----------
    judged : Judged
        Lists made by `judge`.
    k : int, optional
        How many ranks count. By default the whole list.
    gain : {"linear", "binary", "exponential", "exponential-from-threshold"}, callable or array
        What an item of grade g is worth: g; 1 if it is relevant; 2**g - 1; or, if it is
        relevant, 2**(g - t + 1) - 1 with the threshold t of `judge` (1 where there is none). Or
        a function of an array of grades, or what the grades 0, 1, 2 … are worth: 0 for grade 0,
        and never less for a higher grade.
    discount : {"log2", "log2-from-2", "none"}, callable or array
        What the gain at rank i is divided by: log2(i + 1), as most do; max(1, log2(i)), which
        leaves ranks 1 and 2 whole, the original form; or 1. Or a function of an array of ranks,
        or what the ranks 1, 2, 3 … are divided by: above 0, and never less for a lower rank.
    no_relevant : {"nan", "zero", "one", "raise"}
        Value for a user with nothing relevant; "nan" leaves the user out of `numpy.nanmean`.

    Returns
    -------
    float or (n,) array
        0 or more, without an upper bound; in the unit of the gain.

    Raises
    ------
    TypeError, ValueError
        As in `hit_rate`; also for a grade above 1,000 with an exponential gain, or gains whose
        sum is more than a float holds.

    Notes
    -----
    .. math:: \mathrm{DCG@}K = \sum_{i \le K} \frac{g_i}{\log_2(i + 1)}

    where :math:`K` is the cut-off, the number of ranks that count; :math:`g_i` is the gain of the
    item at rank :math:`i`, by default its grade.

    References
    ----------
    Järvelin and Kekäläinen (2002), Cumulated gain-based evaluation of IR techniques, ACM
    TOIS 20(4). Exponential gain: Burges et al. (2005), Learning to rank using gradient descent.

    Examples
    --------
    >>> from recsys_metrics import dcg, judge
    >>> judged = judge(["A", "B", "C", "D", "E"], {"B", "C", "E", "G"})
    >>> round(dcg(judged, k=5), 3)
    1.518

    A reader who looks at two ranks, and at the second half as often:

    >>> dcg(judged, k=2, discount=[1, 2])
    0.5
    """
    cut = check_judged(judged, k)
    worth = compute_gains(judged._levels, gain, judged.threshold)
    values = _dcg(judged, cut, worth, discount)
    if at := first_true(~np.isfinite(values)):
        raise ValueError(
            f"the gains of list {at[0]} add up to more than a float holds; put the grades on a "
            "shorter scale, such as np.log2(1 + grade)"
        )
    return finish(judged, values, no_relevant, nothing=judged._count_judged(worth > 0) == 0)


def ndcg(
    judged: Judged[Values],
    k: int | None = None,
    *,
    gain: Gain | Own = "linear",
    discount: Discount | Own = "log2",
    ideal: Ideal = "all",
    no_relevant: NoRelevant = "nan",
) -> Values:
    r"""How close is the list to the best possible order?

    Parameters
    ----------
    judged : Judged
        Lists made by `judge`.
    k : int, optional
        How many ranks count. By default the whole list, against an ideal that is not cut.
    gain, discount
        As in `dcg`.
    ideal : {"all", "list", "listed", "uncut", "full"}
        The best order to compare with: all relevant items, the first k of them, so that missed
        items cost; the first k items of this list sorted, so that they do not; the whole list
        sorted and then cut at k; all relevant items however many; or k items of gain 1, as if
        every rank could have been a hit.
    no_relevant : {"nan", "zero", "one", "raise"}
        Value for a user with nothing relevant; "nan" leaves the user out of `numpy.nanmean`.

    Returns
    -------
    float or (n,) array
        Between 0 and 1, where 1 is the best order.

    Raises
    ------
    TypeError, ValueError
        As in `dcg`; also for `ideal="full"` with gains above 1, which k ones cannot bound.

    Notes
    -----
    .. math:: \mathrm{NDCG@}K = \frac{\mathrm{DCG@}K}{\mathrm{IDCG@}K},
              \qquad \mathrm{IDCG@}K = \sum_{i \le K} \frac{g^*_i}{\log_2(i + 1)}

    where :math:`K` is the cut-off, the number of ranks that count; :math:`g^*_i` is the
    :math:`i`-th highest gain among all relevant items.

    "listed" is the ideal of scikit-learn, torchmetrics and TensorFlow Ranking when they are
    given the recommended items only, "list" when they are given the first k; "uncut" is that of
    jurity, "full" the default of RecTools. Exponential gain is `ndcg_burges` in ranx and the
    usual gain of search; "exponential-from-threshold" is Elliot's nDCG.

    References
    ----------
    Järvelin and Kekäläinen (2002), Cumulated gain-based evaluation of IR techniques, ACM
    TOIS 20(4).

    Examples
    --------
    >>> from recsys_metrics import judge, ndcg
    >>> judged = judge(["A", "B", "C", "D", "E"], {"B", "C", "E", "G"})
    >>> round(ndcg(judged, k=5), 3)
    0.593
    >>> round(ndcg(judged, k=5, ideal="list"), 3)
    0.712
    """
    cut = check_judged(judged, k)
    check_choice("ideal", ideal, Ideal)
    worth = compute_gains(judged._levels, gain, judged.threshold)
    if ideal != "full":
        worth = _scale_gains(worth)
    found = _dcg(judged, cut, worth, discount)
    nothing = judged._count_judged(worth > 0) == 0
    if ideal in ("list", "listed"):
        if ideal == "listed":
            check_whole(judged, "ideal='listed'")
        best = _best_of_list(judged, cut if ideal == "list" else None, cut, worth, discount)
    elif ideal == "full":
        if worth.max(initial=0.0) > 1:
            raise ValueError(
                f"ideal='full' compares with k items of gain 1, but the highest gain here is "
                f"{worth.max():g}; use gain='binary' or another ideal"
            )
        if cut is None:
            totals = np.concatenate([[0.0], np.cumsum(discounts(judged._codes.shape[1], discount))])
            best = totals[judged._lengths]
        else:
            best = np.full(len(judged), _sum_discounts(cut, discount))
    else:
        best = _best(judged, None if ideal == "uncut" else cut, worth, discount)
    return finish(judged, divide(found, best), no_relevant, nothing=nothing)


def _scale_gains(worth: FloatArray) -> FloatArray:
    """Return gains of which only the ratios count, so that no sum of them leaves the floats."""
    scaled = scale_weights(worth)
    if scaled is not worth:
        lowest, highest = worth[worth > 0].min(), worth.max()
        if lowest / highest < _LEAST_RATIO:
            raise ValueError(
                f"gains run from {lowest:g} to {highest:g}, and the first is lost beside the last; "
                "put the grades on a shorter scale, such as np.log2(1 + grade)"
            )
    return scaled


def discounts(n_ranks: int, discount: Discount | Own = "log2") -> FloatArray:
    """Return what a gain at each of the first ranks is multiplied by.

    Parameters
    ----------
    n_ranks : int
        How many ranks.
    discount : {"log2", "log2-from-2", "none"}, callable or array
        As in `dcg`: what a gain is divided by.

    Returns
    -------
    (n_ranks,) array
        Factors that never rise; between 0 and 1 where the discount has a name.

    Raises
    ------
    ValueError
        If the discount has no such name, or its values are none that a gain can be divided by.

    Examples
    --------
    >>> from recsys_metrics import discounts
    >>> discounts(4).round(3)
    array([1.   , 0.631, 0.5  , 0.431])
    >>> discounts(4, "log2-from-2").round(3)
    array([1.   , 1.   , 0.631, 0.5  ])
    """
    return _discounts_between(1, check_count("n_ranks", n_ranks, 0, most=MOST_ENTRIES), discount)


def _discounts_between(first: int, last: int, discount: Discount | Own) -> FloatArray:
    """Return what a gain at each of some ranks is multiplied by."""
    ranks = np.arange(first, last + 1, dtype=np.float64)
    if not isinstance(discount, str):
        denominators = _call_custom("discount", discount, ranks, first=1)
        _reject_custom(
            "discount", discount, denominators <= 0, ranks, denominators, "must be above 0"
        )
        _reject_custom(
            "discount",
            discount,
            np.diff(denominators, prepend=denominators[:1]) < 0,
            ranks,
            denominators,
            "is less than at the rank above: gains are divided by it, so it never falls. If these "
            "are factors, give 1 / factor",
        )
        with np.errstate(over="ignore"):
            factors: FloatArray = 1.0 / denominators
        words = "is so close to 0 that no gain can be divided by it"
        _reject_custom("discount", discount, np.isinf(factors), ranks, denominators, words)
        return factors
    return _named_discounts(ranks, discount)


def _named_discounts(ranks: FloatArray, discount: Discount) -> FloatArray:
    check_choice("discount", discount, Discount)
    if discount == "log2":
        return 1.0 / np.log2(ranks + 1.0)
    if discount == "log2-from-2":
        return 1.0 / np.log2(np.maximum(ranks, 2.0))
    return np.ones(len(ranks))


def _sum_discounts(n_ranks: int, discount: Discount | Own) -> float:
    """Return the sum of the discounts of the first ranks, however many."""
    if not isinstance(discount, str):
        # A block begins with the last rank of the one before, so that a rise between is seen.
        blocks = (
            _discounts_between(max(first - 1, 1), last, discount)[first > 1 :]
            for first, last in rank_blocks(n_ranks)
        )
        return math.fsum(float(np.cumsum(block)[-1]) for block in blocks)
    if discount == "none":
        return float(n_ranks)
    # From rank 2 on log2-from-2 is what log2 is one rank above.
    shift = 0 if discount == "log2-from-2" else 1

    def integral(first: float, last: float) -> float:
        from scipy.special import expi

        low, high = expi(np.log([first + shift, last + shift]))
        return math.log(2) * float(high - low)

    def slope(rank: float) -> float:
        return -math.log(2) / ((rank + shift) * math.log(rank + shift) ** 2)

    return sum_of_smooth(n_ranks, lambda ranks: _named_discounts(ranks, discount), integral, slope)


def compute_gains(grades: FloatArray, gain: Gain | Own, threshold: float | None) -> FloatArray:
    """Return the gain of each grade."""
    if not isinstance(gain, str):
        return _custom_gains(grades, gain)
    check_choice("gain", gain, Gain)
    relevant = grades > 0 if threshold is None else grades >= threshold
    if gain == "binary":
        return relevant.astype(np.float64)
    if gain == "linear":
        return grades
    power = grades
    if gain == "exponential-from-threshold":
        lowest = 1.0 if threshold is None else threshold
        power = np.where(relevant, grades - lowest + 1.0, 0.0)
    if power.max(initial=0.0) > _HIGHEST_POWER:
        raise ValueError(
            f"gain={gain!r} raises 2 to the power of the grade, and the grade "
            f"{grades.flat[power.argmax()]:g} is too high for that; take gain='linear', or put "
            "counts on a short scale first, such as np.log2(1 + count)"
        )
    return exp2_minus_1(power)


def _custom_gains(grades: FloatArray, gain: Own) -> FloatArray:
    """Return the gains of the caller's function or table, which must not turn the order round."""
    worth = _call_custom("gain", gain, grades, first=0)
    _reject_custom("gain", gain, worth < 0, grades, worth, "must be 0 or more")
    words = "must be 0: the item is not relevant"
    _reject_custom("gain", gain, (grades == 0) & (worth != 0), grades, worth, words)
    order = np.argsort(grades, axis=None, kind="stable")
    falls = np.zeros(grades.size, dtype=bool)
    falls[order[1:]] = np.diff(worth.ravel()[order]) < 0
    words = "is less than for a lower grade, so the best order would not be that of the grades"
    _reject_custom("gain", gain, falls.reshape(grades.shape), grades, worth, words)
    return worth


def _call_custom(what: str, by: Own, at: FloatArray, *, first: int) -> FloatArray:
    """Return a function's values at some grades or ranks, or those of a table that begins there."""
    if callable(by):
        # A copy: a function that works in place would change what was judged, for all metrics.
        values = as_numbers(
            by(at.copy()), f"{what}={_name(by)}", what="a function that returns numbers"
        )
        if values.shape != at.shape:
            raise ValueError(
                f"{what}={_name(by)} got an array of shape {at.shape} and returned one of shape "
                f"{values.shape}; return one number for each entry"
            )
    else:
        if not (isinstance(by, Sequence) or is_array(by)):
            raise TypeError(f"{what} is a name, a function or an array; got {by!r:.60}")
        table = as_numbers(by, what)
        if table.ndim != 1:
            raise ValueError(f"{what} has one axis as an array; got shape {table.shape}")
        places = at - first
        outside = (places >= len(table)) | (places != np.floor(places))
        if outside.any():
            kind = "grade" if what == "gain" else "rank"
            raise ValueError(
                f"{what} is an array for the {kind}s {first} to {first + len(table) - 1}, and "
                f"there is the {kind} {at[outside][0]:g}; give more entries, or a function"
            )
        values = table[places.astype(np.intp)]
    _reject_custom(what, by, ~np.isfinite(values), at, values, "must be finite")
    return values


def _reject_custom(
    what: str, by: Own, wrong: BoolArray, at: FloatArray, values: FloatArray, words: str
) -> None:
    if wrong.any():
        where = "grade" if what == "gain" else "rank"
        name = f"={_name(by)}" if callable(by) else ""
        raise ValueError(
            f"{what}{name} of {where} {at[wrong][0]:g} is {values[wrong][0]:g}; it {words}"
        )


def _name(function: Any) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def _dcg(
    judged: Judged[Any], k: int | None, worth: FloatArray, discount: Discount | Own
) -> FloatArray:
    factors = discounts(judged._codes[:, :k].shape[1], discount)
    if (worth == judged._is_relevant).all():
        return over_hits(judged, k, lambda hits: apply_weights(hits, factors))
    return over_levels(judged, k, worth, lambda gains: apply_weights(gains, factors))


def _best_of_list(
    judged: Judged[Any],
    looks_at: int | None,
    k: int | None,
    worth: FloatArray,
    discount: Discount | Own,
) -> FloatArray:
    """Return the DCG of the best k of the ranks that it looks at."""
    factors = discounts(judged._codes[:, :k].shape[1], discount)
    return over_levels(
        judged,
        looks_at,
        worth,
        lambda gains: apply_weights(-np.sort(-gains, axis=1)[:, : len(factors)], factors),
    )


def _best(
    judged: Judged[Any], k: int | None, worth: FloatArray, discount: Discount | Own
) -> FloatArray:
    """Return the DCG of the best order of all judged items, cut at k."""
    if len(judged._levels) > FEW_LEVELS:
        return _best_in_order(judged, k, worth, discount)
    # With few grades nothing is sorted: the c best items fill the ranks 1 to c, so a gain
    # takes a run of ranks, and a run is worth the difference of two sums of discounts.
    longest = int(np.diff(judged._truth_indptr).max(initial=0))
    most = longest if k is None else min(k, longest)
    totals = np.concatenate([[0.0], np.cumsum(discounts(most, discount))])
    best, before = np.zeros(len(judged)), np.zeros(len(judged))
    filled = np.zeros(len(judged), dtype=np.intp)
    for gain in sorted(set(worth[worth > 0].tolist()), reverse=True):
        filled += judged._count_judged(worth == gain)
        upto = totals.take(filled, mode="clip")
        best += gain * (upto - before)
        before = upto
    return best


def _best_in_order(
    judged: Judged[Any], k: int | None, worth: FloatArray, discount: Discount | Own
) -> FloatArray:
    """Return the DCG of the best order by visiting its ranks: the plain definition."""
    indptr, codes = judged._ideal_order
    counts = np.diff(indptr)
    factors = discounts(int(counts.max(initial=0)), discount)
    if k is not None:
        factors[k:] = 0.0
    ranks = np.arange(len(codes)) - np.repeat(indptr[:-1], counts)
    rows = np.repeat(np.arange(len(judged)), counts)
    best: FloatArray = np.bincount(
        rows, weights=worth[codes] * factors[ranks], minlength=len(judged)
    ).astype(np.float64)
    return best
