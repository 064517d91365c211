"""Lists and exact ranks from a table of scores, without sorting the catalogue."""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core.arithmetic import scale_weights
from recsys_metrics._core.blocks import over_blocks, row_blocks
from recsys_metrics._core.checks import MOST_RANKS, check_count, generator, refuse
from recsys_metrics._core.inputs.arrays import as_array, as_numbers, as_scores, is_array
from recsys_metrics._core.inputs.events import check_labels_of_scores, read_pairs
from recsys_metrics._core.inputs.frames import refuse_other_labels
from recsys_metrics._core.inputs.ties import check_ties
from recsys_metrics.ranking import _full_catalog
from recsys_metrics.ranking._grade_codes import FloatArray

# Cells of a block of users: enough for threads to work side by side, few enough for the cache.
_CELLS = 2**19

TopTies = Literal["id", "worst", "random"]


_REASONS = {
    "order": "items are columns, whose order is that of their ids; take 'id'",
    "best": "a list that uses the held-out items would be biased upwards; take 'worst', "
    "which does not",
    "average": "a list shows one order; protocol.candidates.full_ranks has mean ranks",
    "expected": "a list shows one order; expected_over_ties takes the mean over all",
}


def rank_from_scores(
    scores: ArrayLike,
    k: int,
    *,
    exclude: Any = None,
    held_out: Any = None,
    ties: TopTies = "id",
    seed: int | np.random.Generator = 0,
) -> NDArray[np.intp]:
    """Which k items score highest, best first, among those the user has not seen?

    Parameters
    ----------
    scores : (n_items,) or (n_users, n_items) array of float
        The model's scores; any finite value is a score, and -inf keeps an item out.
    k : int
        Length of the lists, or the number of items where that is less.
    exclude : optional
        Items that must not be listed, the ones seen in training: a `scipy.sparse` matrix or a
        boolean array of the shape of `scores`, or one sequence of item numbers per user.
    held_out : optional
        Items to place last among equal scores, in the same forms; needed by `ties="worst"`.
    ties : {"id", "worst", "random"}
        Which of two equal scores comes first: the lower item number, the item that is not held
        out, or any, drawn anew for each user. trec_eval takes the id that sorts last: rank the
        columns in reverse.
    seed : int or numpy.random.Generator
        Of the draw, for "random".

    Returns
    -------
    (k,) or (n_users, k) array of int
        Item numbers, -1 where a user has fewer candidates; what `judge` takes.

    Raises
    ------
    TypeError, ValueError
        If k is no whole number of 1 or more, a score is NaN or inf, or the shapes do not fit.

    Notes
    -----
    The columns are dealt into groups; what reaches the k-th best of the groups' maxima is sorted
    and nothing else, in blocks of users, so that memory stays a small multiple of one block.

    Examples
    --------
    >>> from recsys_metrics import rank_from_scores
    >>> rank_from_scores([0.1, 0.9, 0.4, 0.9], 3)
    array([1, 3, 2])
    >>> rank_from_scores([[0.1, 0.9, 0.4, 0.9]], 2, exclude=[[1]])
    array([[3, 2]])
    """
    check_ties(ties, TopTies, _REASONS)
    cut = check_count("k", k, meaning="the length of the lists", most=MOST_RANKS)
    if ties == "worst" and held_out is None:
        raise ValueError("ties='worst' puts held-out items last among equals, so it needs held_out")
    check_labels_of_scores(scores, exclude=exclude, held_out=held_out)
    table, single = _read_scores(scores)
    seen = _read_pairs(exclude, "exclude", table.shape)
    last = _read_pairs(held_out if ties == "worst" else None, "held_out", table.shape)
    lots = generator(seed) if ties == "random" else None
    # No list is longer than the catalogue.
    cut = min(cut, table.shape[1])
    lists = np.full((len(table), cut), -1, dtype=np.intp)
    most_seen = int(np.bincount(seen[0]).max(initial=0))
    barred = ties == "id" and _full_catalog.can_prefilter(table.shape[1], cut + most_seen)

    def fill(block: slice) -> None:
        _check_scores(table, block)
        if barred:
            lists[block] = _best_over_bar(
                table[block], cut, cut + most_seen, _positions(seen, block)
            )
        else:
            scores_left = table[block].copy()
            scores_left[_positions(seen, block)] = -np.inf
            lists[block] = _best_of(scores_left, cut, _positions(last, block), lots)

    if lots is None:
        over_blocks(fill, len(table), table.shape[1], _CELLS)
    else:
        # One after another, so that a seed gives the same lists on any number of cores.
        for block in row_blocks(len(table), table.shape[1], _CELLS):
            fill(block)
    if ties == "id":
        _warn_of_equal_scores(table, lists, seen)
    return lists[0] if single else lists


def _warn_of_equal_scores(table: NDArray[Any], lists: NDArray[np.intp], seen: Any) -> None:
    """Warn if in most rows all items have one score: the order is none of the model's."""
    rows = np.arange(len(table))
    first = table[rows, lists[:, 0]]
    # Whether the last listed item, or an item at the edge, has the first one's score, tells of
    # nearly all rows that they are not meant.
    n_listed = (lists >= 0).sum(axis=1)
    last = table[rows, lists[rows, n_listed - 1]]
    maybe = (n_listed > 0) & (first == last)
    if 2 * np.count_nonzero(maybe) <= len(table):
        return
    if lists.shape[1] == 1:
        excluded = np.zeros(table.shape[1], dtype=bool)
        excluded[seen[1]] = True
        maybe &= (excluded[0] | (table[:, 0] == first)) & (excluded[-1] | (table[:, -1] == first))
    n_equal = 0
    for row in np.flatnonzero(maybe).tolist():
        left = np.delete(table[row], seen[1][seen[0] == row])
        left = left[left > -np.inf]
        n_equal += len(left) > 1 and bool((left == left[0]).all())
    # Some users of whom the model knows nothing are common; most of them say it learned nothing.
    if 2 * n_equal > len(table):
        warnings.warn(
            f"{n_equal:,} of {len(table):,} rows {'has' if n_equal == 1 else 'have'} equal scores "
            "for all items, so that the list is in the order of the item numbers and not "
            "the model's; ties='random' draws an order",
            stacklevel=3,
        )


def mean_percentile_rank(
    ranks: ArrayLike, n_candidates: ArrayLike, *, weights: ArrayLike | None = None
) -> float:
    r"""How far down the whole ranking are the relevant items, from 0 to 1?

    Parameters
    ----------
    ranks : (m,) array
        Rank of each relevant item among its user's candidates, from 1, as
        `protocol.candidates.full_ranks` finds them.
    n_candidates : int or (m,) array
        How many candidates there were, two or more.
    weights : (m,) array, optional
        How much each item counts, its number of interactions, say. By default all the same.

    Returns
    -------
    float
        0 if every wanted item stands first, 1 if last; 0.5 is what a random order gets. Lower is
        better.

    Raises
    ------
    ValueError
        If there is no rank, one is outside of 1 to the number of candidates, or a weight is
        negative or all are 0.

    Notes
    -----
    .. math:: \mathrm{MPR} = \frac{\sum_i w_i \, (\rho_i - 1) / (|I| - 1)}{\sum_i w_i}

    where :math:`I` is the catalogue, the set of all items; :math:`w_i` is the weight of case
    :math:`i`; :math:`\rho_i` is the rank of the relevant item of case :math:`i`.

    References
    ----------
    Hu, Koren and Volinsky (2008), Collaborative filtering for implicit feedback datasets, ICDM.

    Examples
    --------
    >>> from recsys_metrics import mean_percentile_rank
    >>> from recsys_metrics.protocol.candidates import full_ranks
    >>> ranks = full_ranks([0.1, 0.9, 0.4, 0.8], [1, 2])
    >>> round(mean_percentile_rank(ranks.rank, ranks.n_items), 3)
    0.333
    """
    refuse_other_labels(ranks=ranks, n_candidates=n_candidates, weights=weights)
    places = as_numbers(ranks, "ranks")
    among = as_numbers(n_candidates, "n_candidates")
    refuse(
        ~np.isfinite(among) | (among != np.floor(among)),
        "n_candidates",
        among,
        "; it is how many candidates there were, a whole number",
    )
    if among.shape not in ((), places.shape):
        raise ValueError(
            f"n_candidates is one number, or one for each rank; got shapes {among.shape} and "
            f"{places.shape}"
        )
    among = np.broadcast_to(among, places.shape)
    worth = np.ones(places.shape) if weights is None else as_numbers(weights, "weights")
    if places.ndim != 1 or not len(places) or worth.shape != places.shape:
        raise ValueError(
            f"ranks is one row of ranks with a weight each; got shapes {places.shape} and "
            f"{worth.shape}"
        )
    odd = ~((places >= 1) & (places <= among) & (among >= 2))
    if odd.any():
        bad = int(odd.argmax())
        raise ValueError(
            f"rank {bad} is {places[bad]:g} of {among[bad]:g} candidates; a rank lies between 1 "
            "and their number, which is 2 or more"
        )
    if not ((worth >= 0) & np.isfinite(worth)).all() or not worth.any():
        raise ValueError("weights are finite, 0 or more, and not all 0")
    return float(np.average((places - 1) / (among - 1), weights=scale_weights(worth)))


def _read_pairs(
    given: Any, name: str, shape: tuple[int, int]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    if given is None:
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
    return read_pairs(given, name, shape)


def _read_scores(scores: ArrayLike) -> tuple[NDArray[Any], bool]:
    table = as_array(scores, "scores", fill="-numpy.inf")
    if table.ndim not in (1, 2) or 0 in table.shape:
        raise ValueError(
            f"scores must be (n_items,) or (n_users, n_items) and not empty; got {table.shape}"
        )
    if table.dtype not in (np.float16, np.float32, np.float64) or not is_array(scores):
        table = as_scores(scores, "scores")
    single = table.ndim == 1
    table = np.atleast_2d(table)
    return table, single


def _check_scores(table: NDArray[Any], block: slice) -> None:
    """Raise if a score of a block of users is none.

    Called block by block: what was just checked is still in the cache when it is worked on.
    """
    # NaN is the maximum of whatever holds it.
    if not table[block].max() < np.inf:
        bad = np.argwhere(np.isnan(table[block]) | np.isposinf(table[block]))
        user, item = int(bad[0, 0]) + block.start, int(bad[0, 1])
        raise ValueError(
            f"the score of item {item} for user {user} is {table[user, item]}; "
            "a score is a finite number, or -inf for an item that must not be listed"
        )


def _positions(
    listed: tuple[NDArray[np.intp], NDArray[np.intp]], block: slice
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the (row in the block, item) of the entries of a block's users."""
    users, items = listed
    here = slice(*np.searchsorted(users, [block.start, block.stop]))
    return users[here] - block.start, items[here]


def _best_over_bar(
    scores: NDArray[Any], k: int, n_places: int, seen: tuple[Any, Any]
) -> NDArray[np.intp]:
    """Return what `_best_of` does, from the few scores that reach a bar; nothing is copied.

    So many scores reach it that k are left even if all that were seen are among them.
    """
    rows, items = _full_catalog.select_above(
        scores, _full_catalog.score_thresholds(scores, n_places), seen
    )
    values = scores[rows, items]
    listed = ~np.isneginf(values)
    if not listed.all():
        rows, items, values = rows[listed], items[listed], values[listed]
    return _full_catalog.sort_candidates(rows, items, values, len(scores), k)


def _best_of(
    scores: NDArray[Any],
    k: int,
    last: tuple[NDArray[np.intp], NDArray[np.intp]],
    lots: np.random.Generator | None,
) -> NDArray[np.intp]:
    """Return the best k columns of each row, -1 where there are fewer candidates."""
    n_rows, n_items = scores.shape
    best = np.full((n_rows, k), -1, dtype=np.intp)
    bar: FloatArray | NDArray[Any] = np.full((n_rows, 1), -np.inf)
    if k < n_items:
        bar = np.partition(scores, n_items - k, axis=1)[:, n_items - k, None]
    rows, items = np.nonzero((scores >= bar) & ~np.isneginf(scores))
    values = scores[rows, items]
    held = np.zeros(scores.shape, dtype=bool)
    held[last] = True
    lot = items if lots is None else lots.random(len(items))
    order = np.lexsort((lot, held[rows, items], -values, rows))
    rows, items = rows[order], items[order]
    place = np.arange(len(rows)) - np.searchsorted(rows, rows)
    kept = place < k
    best[rows[kept], place[kept]] = items[kept]
    return best
