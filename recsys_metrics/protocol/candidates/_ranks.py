"""Ranks of held-out items: against the whole catalogue, or against a sample of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core.checks import (
    Seed,
    check_choice,
    check_count,
    check_flag,
    first_true,
    generator,
    refuse,
)
from recsys_metrics._core.inputs.arrays import (
    BoolArray,
    FloatArray,
    IndexArray,
    as_array,
    as_numbers,
    as_scores,
    is_array,
)
from recsys_metrics._core.inputs.events import check_labels_of_scores, read_pairs
from recsys_metrics._core.inputs.frames import in_order_of_columns
from recsys_metrics._core.inputs.ties import check_ties
from recsys_metrics._core.sorted_arrays import distinct
from recsys_metrics.interactions import Interactions

RankTies = Literal["worst", "best", "id", "average"]
SampledTies = Literal["worst", "best"]
OtherHeldOut = Literal["include", "exclude"]
Weights = Literal["uniform", "popularity"]
# Or a scipy.sparse matrix, which has no type of its own here.
Items = Interactions | Sequence[Sequence[int]] | NDArray[Any] | Any
Scores = ArrayLike | Callable[[NDArray[np.intp]], ArrayLike]
Progress = bool | Callable[[int, int], None]


# Cells of a block of scores that stays in the cache while its items are ranked.
_CELLS = 2**19

_REASONS: dict[str, str] = {
    "order": "items are columns, whose order is that of their ids; take 'id'",
    "expected": "the rank to expect is the mean of those that are tied; take 'average'",
    "random": "a rank drawn at random says no more than their mean; take 'average'",
}
_SAMPLED_REASONS = dict.fromkeys(
    ("id", "order", "random", "average", "expected"),
    "the items are drawn at random already, so an equal score counts as above or as below",
)


@dataclass(frozen=True, eq=False)
class Ranks:
    """The rank of each held-out item, user after user and within a user by item number.

    Attributes
    ----------
    user, item : (m,) array of int
        The held-out pairs.
    rank : (m,) array
        From 1; whole numbers, except where ties have their mean rank, "average".
    n_items : (m,) array of int
        Among how many items, itself included.
    sampled : int or None
        How many items were drawn to compete, None for the whole catalogue.

    Examples
    --------
    >>> from recsys_metrics.protocol.candidates import full_ranks
    >>> found = full_ranks([[0.1, 0.9, 0.4], [0.3, 0.2, 0.8]], [[2], [0, 1]])
    >>> found.user.tolist(), found.item.tolist(), found.rank.tolist()
    ([0, 1, 1], [2, 0, 1], [2, 2, 3])
    """

    user: IndexArray
    item: IndexArray
    rank: NDArray[Any]
    n_items: IndexArray
    sampled: int | None = None

    def __len__(self) -> int:
        return len(self.rank)

    def __repr__(self) -> str:
        among = (
            f"the whole catalogue of up to {self.n_items.max(initial=0):,} items"
            if self.sampled is None
            else f"{self.sampled:,} sampled items; not comparable with full ranks"
        )
        return f"Ranks({len(self):,} held-out items against {among})"


def full_ranks(
    scores: Scores,
    held_out: Items,
    *,
    exclude: Items | None = None,
    other_held_out: OtherHeldOut = "include",
    ties: RankTies = "worst",
    progress: Progress = False,
    block_bytes: int = 2**26,
) -> Ranks:
    """Which rank does each held-out item have in the whole catalogue?

    Parameters
    ----------
    scores : (n_items,) or (n_users, n_items) array of float, or callable
        The model's scores, -inf for an item that must not be listed; any other finite value is
        a score. A memory-mapped array is read block by block. A callable takes an array of user
        numbers and returns their rows, so that the whole table need never exist.
    held_out
        The items to find: `Interactions`, a `scipy.sparse` matrix or boolean array of users x
        items, one sequence of item numbers per user, or an array with one item number per user.
    exclude : optional
        Items that are no candidates, those seen in training, in the same forms.
    other_held_out : {"include", "exclude"}
        Whether a user's other held-out items may stand above the one that is ranked, as in the
        list the user would see, or are left out, as sampled evaluation does.
    ties : {"worst", "best", "id", "average"}
        Where an item stands among equal scores: after all of them, before all of them, after
        the lower item numbers, or at their mean rank. The default never flatters.
    progress : bool or callable
        True writes the number of users done to stderr; a callable gets (done, total).
    block_bytes : int
        About how much memory the copies of one block of scores may take.

    Returns
    -------
    Ranks

    Raises
    ------
    TypeError, ValueError
        If a score is NaN or inf, shapes do not fit, or a held-out item is excluded, scored
        -inf, or outside the catalogue; the message names the user and the item.

    Notes
    -----
    `mean_percentile_rank` takes `.rank` and `.n_items`, `metric_at_rank` the ranks.

    A rank is one more than the number of candidates with a higher score: one comparison with
    the user's row per held-out item, and no sort. Users without a held-out item are not scored.

    Examples
    --------
    >>> from recsys_metrics.protocol.candidates import full_ranks
    >>> full_ranks([[0.1, 0.9, 0.4, 0.7]], [[2]]).rank
    array([3])
    >>> full_ranks([[0.1, 0.9, 0.4, 0.7]], [[2]], exclude=[[1]]).rank
    array([2])
    """
    check_ties(ties, RankTies, _REASONS)
    check_choice("other_held_out", other_held_out, OtherHeldOut)
    wanted = _HeldOut(scores, held_out, exclude, check_count("block_bytes", block_bytes))
    rank = np.empty(len(wanted.item), dtype=np.float64 if ties == "average" else np.intp)
    sizes = np.empty(len(wanted.item), dtype=np.intp)
    for here, row, table in wanted.blocks(_reporter(progress)):
        items = wanted.item[here]
        own = table[row, items]
        above = np.empty(table.shape[1], dtype=bool)
        for at, score in enumerate(own, here.start):
            candidates = table[row[at - here.start]]
            rank[at] = _rank(candidates, int(wanted.item[at]), score, ties, above)
        sizes[here] = np.count_nonzero(table > -np.inf, axis=1)[row]
        if other_held_out == "exclude":
            rank[here] -= wanted.others_above(here, own, ties).astype(rank.dtype)
            sizes[here] -= (np.bincount(row) - 1)[row]
    return Ranks(wanted.user, wanted.item, rank, sizes)


def sampled_ranks(
    scores: Scores,
    held_out: Items,
    *,
    n_samples: int,
    weights: Weights | ArrayLike = "uniform",
    item_counts: ArrayLike | None = None,
    replacement: bool = False,
    exclude: Items | None = None,
    ties: SampledTies = "worst",
    progress: Progress = False,
    block_bytes: int = 2**26,
    seed: Seed = 0,
) -> Ranks:
    """Which rank does each held-out item have in a sample of the catalogue?

    Parameters
    ----------
    scores, held_out, exclude, progress, block_bytes
        As in `full_ranks`. What is drawn comes from the items that are neither excluded nor
        held out for the user.
    n_samples : int
        How many items each held-out item is ranked against; each gets a sample of its own.
    weights : {"uniform", "popularity"} or (n_items,) array of float
        The chance of an item to be drawn: all the same, in proportion to `item_counts`, or in
        proportion to these numbers.
    item_counts : (n_items,) array, optional
        How often each item occurs in training; needed by "popularity". An item that never does
        is never drawn.
    replacement : bool
        Whether one item may be drawn twice.
    ties : {"worst", "best"}
        Whether a drawn item with the same score counts as above or below.
    seed : int or numpy.random.Generator
        The same seed gives the same ranks, whatever the size of the blocks.

    Returns
    -------
    Ranks
        `.n_items` is n_samples + 1.

    Raises
    ------
    TypeError, ValueError
        As in `full_ranks`; also if there are fewer items to draw than n_samples without
        replacement, or the weights do not fit.

    Notes
    -----
    Only how many of the drawn items score higher matters, and for a uniform sample, or any with
    replacement, that number has a known distribution (hypergeometric or binomial) given how
    many, or how much weight, there is above: it is drawn directly. Weighted sampling without
    replacement draws the items, one after another (successive sampling).

    The metrics of these ranks are others than those of full ranks, and can order two
    recommenders the other way round, under popularity weights as well; see
    `expected_sampled_metric`.

    References
    ----------
    Krichene and Rendle (2020), On sampled metrics for item recommendation, KDD. Efraimidis and
    Spirakis (2006), Weighted random sampling with a reservoir, Inf. Process. Lett. 97(5).

    Examples
    --------
    >>> from recsys_metrics.protocol.candidates import sampled_ranks
    >>> found = sampled_ranks([[0.1, 0.9, 0.4, 0.7, 0.2]], [[2]], n_samples=4)
    >>> found.rank, found
    (array([3]), Ranks(1 held-out items against 4 sampled items; not comparable with full ranks))
    """
    drawn = check_count("n_samples", n_samples)
    check_flag("replacement", replacement)
    if isinstance(weights, str):
        check_choice("weights", weights, Weights)
    uniform = isinstance(weights, str) and weights == "uniform"
    check_ties(ties, SampledTies, _SAMPLED_REASONS)
    wanted = _HeldOut(scores, held_out, exclude, check_count("block_bytes", block_bytes))
    rng = generator(seed)
    m = len(wanted.item)
    chance: FloatArray | None = None
    above, total = np.zeros(m), np.zeros(m)
    rank = np.empty(m, dtype=np.intp)
    for here, own, rows in wanted.blocks_by_item(_reporter(progress)):
        higher = rows >= own if ties == "worst" else rows > own
        open_to = rows > -np.inf
        # The held-out item itself is no candidate to be drawn.
        itself = np.arange(here.stop - here.start), wanted.item[here]
        higher[itself] = open_to[itself] = False
        if uniform:
            above[here] = np.count_nonzero(higher, axis=1)
            total[here] = np.count_nonzero(open_to, axis=1)
            continue
        if chance is None:
            chance = _read_weights(weights, item_counts, scores, rows.shape[1])
        able = open_to & (chance > 0)
        if replacement:
            above[here] = np.where(higher, chance, 0.0).sum(axis=1)
            total[here] = np.where(able, chance, 0.0).sum(axis=1)
            continue
        _check_enough(wanted, here.start, np.count_nonzero(able, axis=1), drawn)
        rank[here] = 1 + _sample_successively(higher, able, chance, drawn, rng)
    if uniform:
        _check_enough(wanted, 0, total, 1 if replacement else drawn)
    if replacement:
        _check_enough(wanted, 0, total, 0)
        rank = 1 + rng.binomial(drawn, np.minimum(above / total, 1.0))
    elif uniform:
        counts = above.astype(np.int64)
        rank = 1 + rng.hypergeometric(counts, total.astype(np.int64) - counts, drawn)
    return Ranks(
        wanted.user, wanted.item, rank.astype(np.intp), np.full(m, drawn + 1), sampled=drawn
    )


def _rank(row: NDArray[Any], item: int, score: Any, ties: RankTies, mask: BoolArray) -> float:
    """Return the rank of one item; `mask` is scratch for a comparison with the row."""
    if ties == "worst":
        return int(np.count_nonzero(np.greater_equal(row, score, out=mask)))
    above = int(np.count_nonzero(np.greater(row, score, out=mask)))
    if ties == "best":
        return above + 1
    if ties == "id":
        return above + 1 + int(np.count_nonzero(row[:item] == score))
    tied = int(np.count_nonzero(np.equal(row, score, out=mask)))
    return above + (tied + 1) / 2


class _HeldOut:
    """The held-out pairs, and the rows of scores to compare them with, a block at a time."""

    def __init__(self, scores: Scores, held_out: Items, exclude: Items | None, size: int) -> None:
        check_labels_of_scores(scores, held_out=held_out, exclude=exclude)
        table: Any = scores if callable(scores) else _table(scores)
        shape = None if callable(scores) else table.shape
        self._scores = table
        self._width = 0 if shape is None else int(shape[1])
        self.user, self.item = read_pairs(held_out, "held_out", shape)
        nothing = np.empty(0, dtype=np.intp)
        self._seen = (
            (nothing, nothing) if exclude is None else read_pairs(exclude, "exclude", shape)
        )
        self._users = distinct(self.user)
        self._bytes = size

    def blocks(
        self, report: Callable[[int, int], None] | None
    ) -> Iterator[tuple[slice, IndexArray, NDArray[Any]]]:
        """Yield (which pairs, the row of each, rows of candidates), some users at a time."""
        done, step = 0, 1 if callable(self._scores) else 0
        while done < len(self._users):
            # The width of a callable's rows is known once it has answered for one user.
            step = step or min(self._step(self._width), max(1, _CELLS // self._width))
            users = self._users[done : done + step]
            table = self._rows(users)
            here = slice(*(int(x) for x in np.searchsorted(self.user, [users[0], users[-1] + 1])))
            row = np.searchsorted(users, self.user[here])
            self._check_ranked(table[row, self.item[here]], here)
            yield here, row, table
            done += len(users)
            if callable(self._scores):
                step = self._step(table.shape[1])
            if report is not None:
                report(done, len(self._users))

    def blocks_by_item(
        self, report: Callable[[int, int], None] | None
    ) -> Iterator[tuple[slice, NDArray[Any], NDArray[Any]]]:
        """Yield (which pairs, their scores as a column, a row of candidates for each).

        A user's other held-out items are no candidates.
        """
        for block, row, table in self.blocks(report):
            chunk = self._step(table.shape[1])
            for start in range(block.start, block.stop, chunk):
                here = slice(start, min(start + chunk, block.stop))
                rows = table[row[here.start - block.start : here.stop - block.start]]
                own = rows[np.arange(len(rows)), self.item[here]][:, None]
                self._remove_others(rows, here)
                yield here, own, rows

    def others_above(self, here: slice, own: NDArray[Any], ties: RankTies) -> IndexArray:
        """Return by how much a user's other held-out items lower the rank of each."""
        one, other = self._others(here)
        other -= here.start
        above, tied = own[other] > own[one], own[other] == own[one]
        if ties == "id":
            tied &= other < one
        weight = {"best": 0.0, "average": 0.5}.get(ties, 1.0)
        return np.bincount(one, above + weight * tied, minlength=len(own))

    def _step(self, width: int) -> int:
        """Return how many rows of scores fit into memory with three more of their kind."""
        return max(1, self._bytes // (8 * 4 * max(1, width)))

    def _rows(self, users: IndexArray) -> NDArray[Any]:
        """Return the users' scores, with the excluded items at -inf."""
        if callable(self._scores):
            table = _table(self._scores(users.copy()))
            if len(table) != len(users):
                raise ValueError(
                    f"scores returned {len(table)} rows for {len(users)} users; return one each"
                )
            table = table.copy()
        elif users[-1] - users[0] < len(users):
            # Users one after another are copied as one piece.
            table = self._scores[users[0] : users[-1] + 1].copy()
        else:
            table = self._scores[users]
        # NaN is the maximum of whatever holds it.
        if not table.max() < np.inf:
            row, item = first_true(np.isnan(table) | np.isposinf(table))
            raise ValueError(
                f"the score of item {item} for user {users[row]} is {table[row, item]}; a score "
                "is a finite number, or -inf for an item that must not be listed"
            )
        pairs = {"held_out": (self.user, self.item), "exclude": self._seen}
        for name, (owner, items) in pairs.items():
            first, last = np.searchsorted(owner, [users[0], users[-1] + 1])
            if beyond := first_true(items[first:last] >= table.shape[1]):
                at = int(first) + beyond[0]
                raise ValueError(
                    f"{name} names item {items[at]} for user {owner[at]}, but scores has "
                    f"{table.shape[1]} items"
                )
        seen_user, seen_item = self._seen
        first, last = np.searchsorted(seen_user, [users[0], users[-1] + 1])
        who, which = seen_user[first:last], seen_item[first:last]
        place = np.minimum(np.searchsorted(users, who), len(users) - 1)
        asked = users[place] == who
        table[place[asked], which[asked]] = -np.inf
        return table

    def _check_ranked(self, own: NDArray[Any], here: slice) -> None:
        if lost := first_true(np.isneginf(own)):
            at = here.start + lost[0]
            raise ValueError(
                f"item {self.item[at]} of user {self.user[at]} is held out but is no candidate: "
                "it is excluded or scored -inf, so it has no rank"
            )

    def _remove_others(self, rows: NDArray[Any], here: slice) -> None:
        """Set a user's other held-out items to -inf in the rows of each of them."""
        row, other = self._others(here)
        rows[row, self.item[other]] = -np.inf

    def _others(self, here: slice) -> tuple[IndexArray, IndexArray]:
        """Return each pair of a user's items: the place of one from here on, the other's in all."""
        first = np.searchsorted(self.user, self.user[here], "left")
        counts = np.searchsorted(self.user, self.user[here], "right") - first
        one = np.repeat(np.arange(len(first)), counts)
        other = np.arange(len(one)) + np.repeat(first - (np.cumsum(counts) - counts), counts)
        apart = other != here.start + one
        return one[apart], other[apart]


_FLOATS = (np.float16, np.float32, np.float64)


def _table(scores: Any) -> NDArray[Any]:
    # A memory map stays one: its blocks are read when their users come.
    given = scores if isinstance(scores, np.memmap) else as_array(scores, "scores", fill="-inf")
    if not is_array(scores):
        given = as_scores(scores, "scores")
    table: NDArray[Any] = np.atleast_2d(given)
    if given.ndim not in (1, 2) or 0 in table.shape:
        raise ValueError(
            f"scores must be (n_items,) or (n_users, n_items) and not empty; got {given.shape}"
        )
    return table if table.dtype in _FLOATS else as_scores(table, "scores")


def _reporter(progress: Progress) -> Callable[[int, int], None] | None:
    if callable(progress):
        return progress
    return _to_stderr if check_flag("progress", progress) else None


def _to_stderr(done: int, total: int) -> None:
    end = "\n" if done == total else ""
    sys.stderr.write(f"\rranked {done:,} of {total:,} users ({done / total:.0%}){end}")
    sys.stderr.flush()


def _read_weights(
    weights: Any, item_counts: ArrayLike | None, scores: Scores, n_items: int
) -> FloatArray:
    name = "weights"
    if isinstance(weights, str):
        if item_counts is None:
            raise ValueError("weights='popularity' draws in proportion to item_counts; give them")
        name, weights = "item_counts", item_counts
    chance = as_numbers(in_order_of_columns(weights, scores), name)
    if chance.shape != (n_items,):
        raise ValueError(
            f"there are {n_items} items to draw and the weights have shape {chance.shape}"
        )
    wrong = ~(np.isfinite(chance) & (chance >= 0))
    refuse(wrong, "weights", chance, "; a weight is finite, 0 or more")
    return chance


def _check_enough(wanted: _HeldOut, start: int, there: NDArray[Any], needed: int) -> None:
    """Raise if a user has fewer items to draw from than needed, or none at all."""
    if at := first_true(there < max(needed, 1) if needed else there <= 0):
        count = f"{there[at]:g}" if needed else "no"
        raise ValueError(
            f"user {wanted.user[start + at[0]]} has {count} items to draw from, and "
            f"{max(needed, 1)} are to be drawn; lower n_samples or pass replacement=True"
        )


def _sample_successively(
    higher: NDArray[np.bool_],
    able: NDArray[np.bool_],
    chance: FloatArray,
    n_samples: int,
    rng: np.random.Generator,
) -> IndexArray:
    """Return how many of `n_samples` weighted draws without replacement are higher.

    The items with the smallest exponential times of rate `chance` are those that drawing one
    after another, in proportion to the weights, would give.
    """
    with np.errstate(divide="ignore"):
        times = rng.standard_exponential(higher.shape) / chance
    times[~able] = np.inf
    # The held-out item is never able, so there are more columns than draws.
    last = np.partition(times, n_samples - 1, axis=1)[:, n_samples - 1, None]
    drawn: IndexArray = np.count_nonzero(higher & able & (times <= last), axis=1)
    return drawn
