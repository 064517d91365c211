"""From a table of scores to lists and exact ranks, without sorting the catalogue."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._blocks import over_blocks, row_blocks
from recsys_metrics.ranking import _wide
from recsys_metrics.ranking._codes import FloatArray
from recsys_metrics.ranking._per_list import check_choice, check_k

# Cells of a block of users: enough for threads to work side by side, few enough for the cache.
_CELLS = 2**19

Ties = Literal["order", "id", "worst", "expected"]


def rank_from_scores(
    scores: ArrayLike,
    k: int,
    *,
    exclude: Any = None,
    held_out: Any = None,
    ties: Ties = "order",
) -> NDArray[np.intp]:
    """Which k items score highest, best first, among those the user has not seen?

    Parameters
    ----------
    scores : (n_items,) or (n_users, n_items) array of float
        The model's scores; any finite value is a score, and -inf keeps an item out.
    k : int
        Length of the lists.
    exclude : optional
        Items that must not be listed, the ones seen in training: a `scipy.sparse` matrix or a
        boolean array of the shape of `scores`, or one sequence of item numbers per user.
    held_out : optional
        Items to place last among equal scores, in the same forms; needed by `ties="worst"`.
    ties : {"order", "id", "worst", "expected"}
        Which of two equal scores comes first: the lower item number, the higher (trec_eval
        takes the id that sorts last), or the item that is not held out. "expected" has no
        single list; `exact_ranks` offers it.

    Returns
    -------
    (k,) or (n_users, k) array of int
        Item numbers, -1 where a user has fewer than k candidates; what `judge` takes.

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
    check_choice("ties", ties, Ties)
    cut = check_k(k)
    if cut is None:
        raise TypeError("k is the length of the lists and must be given")
    if ties == "expected":
        raise ValueError(
            "ties='expected' averages over all orders of tied items, which no single list shows; "
            "use exact_ranks(scores, held_out, ties='expected')"
        )
    if ties == "worst" and held_out is None:
        raise ValueError("ties='worst' puts held-out items last among equals, so it needs held_out")
    table, single = _read_scores(scores)
    seen = _read_items(exclude, table.shape, "exclude")
    last = _read_items(held_out if ties == "worst" else None, table.shape, "held_out")
    lists = np.full((len(table), cut), -1, dtype=np.intp)
    most_seen = int(np.bincount(seen[0]).max(initial=0))
    barred = ties != "worst" and _wide.can_bar(table.shape[1], cut + most_seen)

    def fill(block: slice) -> None:
        _check_scores(table, block)
        if barred:
            lists[block] = _best_over_bar(
                table[block], cut, cut + most_seen, ties, _positions(seen, block)
            )
        else:
            lists[block] = _best_of(
                _candidates(table, seen, block), cut, ties, _positions(last, block)
            )

    over_blocks(fill, len(table), table.shape[1], _CELLS)
    return lists[0] if single else lists


def exact_ranks(
    scores: ArrayLike, held_out: Any, *, exclude: Any = None, ties: Ties = "worst"
) -> NDArray[Any]:
    """At which rank of the full catalogue does each held-out item stand?

    Parameters
    ----------
    scores : (n_items,) or (n_users, n_items) array of float
        The model's scores.
    held_out
        The items to find: a `scipy.sparse` matrix or boolean array of the shape of `scores`,
        or one sequence of item numbers per user.
    exclude : optional
        Items that are no candidates, in the same forms.
    ties : {"order", "id", "worst", "expected"}
        Where an item stands among equal scores: after the lower item numbers, after the higher,
        after all of them, or at their mean rank. The default never flatters.

    Returns
    -------
    (m,) array
        Ranks from 1, user after user and within a user by item number; whole numbers, except
        for "expected".

    Raises
    ------
    ValueError
        If a held-out item is excluded or scored -inf, a score is NaN, or shapes do not fit.

    Notes
    -----
    The rank is one more than the number of candidates that score higher: one comparison with
    the user's row per held-out item, and no sort.

    Examples
    --------
    >>> from recsys_metrics import exact_ranks
    >>> exact_ranks([0.1, 0.9, 0.4, 0.9], [2, 3])
    array([3, 2])
    >>> exact_ranks([0.1, 0.9, 0.4, 0.9], [2, 3], ties="expected")
    array([3. , 1.5])
    """
    check_choice("ties", ties, Ties)
    table, _ = _read_scores(scores)
    users, items = _read_items(held_out, table.shape, "held_out")
    seen = _read_items(exclude, table.shape, "exclude")
    ranks = np.empty(len(items), dtype=np.float64 if ties == "expected" else np.intp)
    above = np.empty(table.shape[1], dtype=bool)
    # On one core: its steps are so short that threads would wait for each other.
    for block in row_blocks(len(table), table.shape[1], _CELLS):
        _check_scores(table, block)
        here = slice(*np.searchsorted(users, [block.start, block.stop]))
        if here.start == here.stop:
            continue
        candidates = _candidates(table, seen, block)
        own = candidates[users[here] - block.start, items[here]]
        if np.isneginf(own).any():
            bad = here.start + int(np.isneginf(own).argmax())
            raise ValueError(
                f"item {items[bad]} of user {users[bad]} is held out but is no candidate: it is "
                "excluded or scored -inf, so it has no rank"
            )
        for wanted, score in zip(range(here.start, here.stop), own, strict=True):
            row = candidates[users[wanted] - block.start]
            ranks[wanted] = _rank(row, int(items[wanted]), score, ties, above)
    return ranks


def mean_percentile_rank(
    ranks: ArrayLike, n_candidates: ArrayLike, *, weights: ArrayLike | None = None
) -> float:
    r"""How far down the whole ranking do the wanted items stand, from 0 to 1?

    Parameters
    ----------
    ranks : (m,) array
        Rank of each wanted item among its user's candidates, from 1; what `exact_ranks` returns.
    n_candidates : int or (m,) array
        How many candidates there were, two or more.
    weights : (m,) array, optional
        How much each item counts, the times it was met, say. By default all the same.

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
    .. math:: \mathrm{MPR} = \frac{\sum_i w_i (r_i - 1)/(n_i - 1)}{\sum_i w_i}

    References
    ----------
    Hu, Koren and Volinsky (2008), Collaborative filtering for implicit feedback datasets, ICDM.

    Examples
    --------
    >>> from recsys_metrics import exact_ranks, mean_percentile_rank
    >>> ranks = exact_ranks([0.1, 0.9, 0.4, 0.8], [1, 2])
    >>> round(mean_percentile_rank(ranks, 4), 3)
    0.333
    """
    places = np.asarray(ranks, dtype=np.float64)
    among = np.broadcast_to(np.asarray(n_candidates, dtype=np.float64), places.shape)
    worth = np.ones(places.shape) if weights is None else np.asarray(weights, dtype=np.float64)
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
    if not ((worth >= 0) & np.isfinite(worth)).all() or worth.sum() == 0:
        raise ValueError("weights are finite, 0 or more, and not all 0")
    return float(np.average((places - 1) / (among - 1), weights=worth))


def _rank(row: NDArray[Any], item: int, score: Any, ties: Ties, mask: NDArray[np.bool_]) -> float:
    """Return the rank of one item; `mask` is a buffer for a comparison with the row."""
    if ties == "worst":
        return int(np.count_nonzero(np.greater_equal(row, score, out=mask)))
    above = int(np.count_nonzero(np.greater(row, score, out=mask)))
    if ties == "expected":
        tied = int(np.count_nonzero(np.equal(row, score, out=mask)))
        return above + (tied + 1) / 2
    earlier = row[:item] if ties == "order" else row[item + 1 :]
    return above + 1 + int(np.count_nonzero(earlier == score))


def _read_scores(scores: ArrayLike) -> tuple[NDArray[Any], bool]:
    table = np.asarray(scores)
    if table.ndim not in (1, 2) or 0 in table.shape:
        raise ValueError(
            f"scores must be (n_items,) or (n_users, n_items) and not empty; got {table.shape}"
        )
    if not np.issubdtype(table.dtype, np.floating):
        table = table.astype(np.float64)
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


def _read_items(
    given: Any, shape: tuple[int, int], name: str
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return (users, items) of a sparse or boolean table or of one sequence per user, sorted."""
    n_users, n_items = shape
    if given is None:
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
    if hasattr(given, "tocsr") or (isinstance(given, np.ndarray) and given.dtype == bool):
        if given.shape != shape and not (given.ndim == 1 and (1, *given.shape) == shape):
            raise ValueError(f"{name} has shape {given.shape} and scores {shape}")
        if isinstance(given, np.ndarray):
            found = np.nonzero(np.atleast_2d(given))
        else:
            coo = given.tocoo()
            kept = coo.data != 0
            found = coo.row[kept], coo.col[kept]
        users, items = (np.asarray(part, dtype=np.intp) for part in found)
    elif isinstance(given, np.ndarray) and given.ndim == 2 and given.dtype.kind in "iu":
        if len(given) != n_users:
            raise ValueError(f"{name} holds {len(given)} entries and scores {n_users} users")
        users = np.repeat(np.arange(n_users), given.shape[1])
        items = given.astype(np.intp).reshape(-1)
    else:
        rows = list(given)
        if n_users == 1 and all(isinstance(row, int | np.integer) for row in rows):
            rows = [rows]
        if len(rows) != n_users:
            raise ValueError(f"{name} holds {len(rows)} entries and scores {n_users} users")
        sizes = [len(row) for row in rows]
        users = np.repeat(np.arange(n_users), sizes)
        parts = [np.asarray(list(row), dtype=np.intp) for row in rows if len(row)]
        items = np.concatenate(parts) if parts else np.empty(0, dtype=np.intp)
    if items.size and (items.min() < 0 or items.max() >= n_items):
        bad = int(np.flatnonzero((items < 0) | (items >= n_items))[0])
        raise ValueError(
            f"{name} names item {items[bad]} for user {users[bad]}, but scores has {n_items} items"
        )
    keys = users * n_items + items
    if (keys[1:] > keys[:-1]).all():
        return users, items
    order = np.argsort(keys, kind="stable")
    return users[order], items[order]


def _positions(
    listed: tuple[NDArray[np.intp], NDArray[np.intp]], block: slice
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the (row in the block, item) of the entries of a block's users."""
    users, items = listed
    here = slice(*np.searchsorted(users, [block.start, block.stop]))
    return users[here] - block.start, items[here]


def _candidates(
    table: NDArray[Any], seen: tuple[NDArray[np.intp], NDArray[np.intp]], block: slice
) -> NDArray[Any]:
    """Return a block of scores with the excluded items at -inf."""
    scores = table[block].copy()
    scores[_positions(seen, block)] = -np.inf
    return scores


def _best_over_bar(
    scores: NDArray[Any], k: int, n_places: int, ties: Ties, seen: tuple[Any, Any]
) -> NDArray[np.intp]:
    """Return what `_best_of` does, from the few scores that reach a bar; nothing is copied.

    So many scores reach it that k are left even if all that were seen are among them.
    """
    rows, items = _wide.survivors(scores, _wide.bars(scores, n_places), seen)
    values = scores[rows, items]
    listed = ~np.isneginf(values)
    if not listed.all():
        rows, items, values = rows[listed], items[listed], values[listed]
    return _wide.best_first(rows, items, values, len(scores), k, high_id=ties == "id")


def _best_of(
    scores: NDArray[Any],
    k: int,
    ties: Ties,
    last: tuple[NDArray[np.intp], NDArray[np.intp]],
) -> NDArray[np.intp]:
    """Return the best k columns of each row, -1 where there are fewer candidates."""
    n_rows, n_items = scores.shape
    best = np.full((n_rows, k), -1, dtype=np.intp)
    bar: FloatArray | NDArray[Any] = np.full((n_rows, 1), -np.inf)
    if k < n_items:
        bar = np.partition(scores, n_items - k, axis=1)[:, n_items - k, None]
    rows, items = np.nonzero((scores >= bar) & ~np.isneginf(scores))
    values = scores[rows, items]
    if ties == "worst":
        held = np.zeros(scores.shape, dtype=bool)
        held[last] = True
        order = np.lexsort((items, held[rows, items], -values, rows))
    elif ties == "id":
        order = np.lexsort((-items, -values, rows))
    else:
        order = np.lexsort((items, -values, rows))
    rows, items = rows[order], items[order]
    place = np.arange(len(rows)) - np.searchsorted(rows, rows)
    kept = place < k
    best[rows[kept], place[kept]] = items[kept]
    return best
