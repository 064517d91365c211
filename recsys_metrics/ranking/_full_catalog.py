"""Top-k, ranks and AUC over rows of scores as wide as the catalogue, without a sort.

Each function has a plain counterpart that sorts (`_best_of` in `top_k`, `_areas` in `pairs`) and
gives the same values; it serves for narrow rows, where calls per row would cost more.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.inputs.arrays import BoolArray, IndexArray

WIDE = 1024
"""Cells from which on a row is worth calls of its own."""

# Up to so many wanted items, comparing the row with each beats sorting it.
_FEW_WANTED = 24
# How many maxima there are for each place that is asked for: with more of them fewer scores
# pass the bar in vain, with fewer the maxima are found faster.
_SPARE = 4


def can_prefilter(n_items: int, n_places: int) -> bool:
    """Whether a row is wide enough for a bar over which so many scores stand."""
    return n_items >= WIDE and n_items >= 4 * _SPARE * n_places


def score_thresholds(scores: NDArray[Any], n_places: int) -> NDArray[Any]:
    """Return for each row a score that at least so many of its scores reach.

    The columns are dealt into groups, and each group's maximum is one score: where the k-th
    best maximum lies, at least k scores stand. It takes one comparison a score.
    """
    n_rows, n_items = scores.shape
    n_groups = _SPARE * n_places
    deep = n_items // n_groups
    dealt = scores[:, : deep * n_groups].reshape(n_rows, deep, n_groups)
    best = dealt.max(axis=1)
    place = n_groups - n_places
    best.partition(place, axis=1)
    bar: NDArray[Any] = best[:, place, None]
    return bar


def select_above(
    scores: NDArray[Any], bar: NDArray[Any], seen: tuple[IndexArray, IndexArray]
) -> tuple[IndexArray, IndexArray]:
    """Return (rows, columns) of the scores that reach the bar and were not seen, in order."""
    reach = scores >= bar
    reach[seen] = False
    found = np.flatnonzero(reach)
    rows = found // scores.shape[1]
    return rows, found - rows * scores.shape[1]


def sort_candidates(
    rows: IndexArray, items: IndexArray, values: NDArray[Any], n_rows: int, k: int
) -> IndexArray:
    """Return the k best items of each row, -1 where there are fewer; ties by item number.

    `rows` ascends and `items` ascends within a row.
    """
    counts = np.bincount(rows, minlength=n_rows)
    width = max(k, int(counts.max(initial=0)))
    place = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    # Behind the last column stands the empty slot.
    numbers = np.full((n_rows, width + 1), -1, dtype=np.intp)
    numbers[rows, place] = items
    if values.dtype == np.float32:
        order = _columns_in_order(rows, place, values, (n_rows, width))[:, :k]
    else:
        negated = np.full((n_rows, width), np.inf, dtype=values.dtype)
        negated[rows, place] = -values
        order = np.argsort(negated, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(numbers, order, axis=1)


def _columns_in_order(
    rows: IndexArray, columns: IndexArray, values: NDArray[np.float32], shape: tuple[int, int]
) -> IndexArray:
    """Return the columns of each row, highest value first; behind them `shape[1]` for none.

    Whole numbers of 64 bits are sorted within vector registers, an order of numbers is not. So
    value and column make one number: the value's bits above, the column below.
    """
    # 0.0 takes the sign off a zero. Bits of negative floats run backwards.
    bits = (values + np.float32(0.0)).view(np.int32)
    rising = bits ^ (bits >> np.int32(31) & np.int32(2**31 - 1))
    keys = np.full(shape, np.iinfo(np.int64).max)
    keys[rows, columns] = ~rising.astype(np.int64) << 32 | columns
    keys.sort(axis=1)
    in_order: IndexArray = np.minimum(keys & (2**32 - 1), shape[1])
    return in_order


def area(scores: NDArray[Any], wanted: BoolArray) -> float:
    """Return the AUC of a row without NaN, NaN if it has no pair."""
    own = scores[wanted]
    pairs = len(own) * (len(scores) - len(own))
    if not pairs:
        return float("nan")
    # Scores below each wanted one, and a half for those equal to it, itself included.
    if len(own) <= _FEW_WANTED:
        mask = np.empty(len(scores), dtype=bool)
        twice = 0
        for score in own:
            twice += int(np.count_nonzero(np.less(scores, score, out=mask)))
            twice += int(np.count_nonzero(np.less_equal(scores, score, out=mask)))
    else:
        ordered = np.sort(scores)
        twice = int(np.searchsorted(ordered, own, "left").sum())
        twice += int(np.searchsorted(ordered, own, "right").sum())
    # Among the wanted themselves every pair counts once and each with itself a half.
    return (twice - len(own) ** 2) / 2 / pairs
