"""Ranks of held-out items: against the whole catalogue, or against a sample of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._sorted import distinct
from recsys_metrics.interactions import Interactions
from recsys_metrics.protocol._checks import (
    FloatArray,
    IntArray,
    Seed,
    check_choice,
    check_count,
    generator,
)

Ties = Literal["worst", "best", "order", "expected"]
Others = Literal["compete", "removed"]
Weights = Literal["uniform", "popularity"]
# Or a scipy.sparse matrix, which has no type of its own here.
Items = Interactions | Sequence[Sequence[int]] | NDArray[Any] | Any
Scores = ArrayLike | Callable[[NDArray[np.intp]], ArrayLike]
Progress = bool | Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Ranks:
    """Where each held-out item stands, user after user and within a user by item number.

    Attributes
    ----------
    user, item : (m,) array of int
        The held-out pairs.
    rank : (m,) array
        From 1; whole numbers, except where ties were ranked as "expected".
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

    user: IntArray
    item: IntArray
    rank: NDArray[Any]
    n_items: IntArray
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
    others: Others = "compete",
    ties: Ties = "worst",
    progress: Progress = False,
    block_bytes: int = 2**26,
) -> Ranks:
    """At which rank of the whole catalogue does each held-out item stand?

    Parameters
    ----------
    scores : (n_users, n_items) array of float, or callable
        The model's scores, -inf for an item that must not be listed; any other finite value is
        a score. A memory-mapped array is read block by block. A callable takes an array of user
        numbers and returns their rows, so that the whole table need never exist.
    held_out
        The items to find: `Interactions`, a `scipy.sparse` matrix or boolean array of users x
        items, one sequence of item numbers per user, or an array with one item number per user.
    exclude : optional
        Items that are no candidates, those seen in training, in the same forms.
    others : {"compete", "removed"}
        Whether a user's other held-out items may stand above the one that is ranked, as in the
        list the user would see, or are left out, as sampled evaluation does.
    ties : {"worst", "best", "order", "expected"}
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
    check_choice("ties", ties, Ties)
    check_choice("others", others, Others)
    wanted = _Wanted(scores, held_out, exclude, check_count("block_bytes", block_bytes))
    rank = np.empty(len(wanted.item), dtype=np.float64 if ties == "expected" else np.intp)
    sizes = np.empty(len(wanted.item), dtype=np.intp)
    for here, own, rows, columns in wanted.compared(others, _reporter(progress)):
        above = np.count_nonzero(rows > own, axis=1)
        # The item is its own equal, so there is always one.
        equal = rows == own
        if ties == "best":
            rank[here] = above + 1
        elif ties == "order":
            before = np.arange(rows.shape[1]) < columns[:, None]
            rank[here] = above + 1 + np.count_nonzero(equal & before, axis=1)
        elif ties == "worst":
            rank[here] = above + np.count_nonzero(equal, axis=1)
        else:
            rank[here] = above + (np.count_nonzero(equal, axis=1) + 1) / 2
        sizes[here] = np.count_nonzero(rows > -np.inf, axis=1)
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
    ties: Literal["worst", "best"] = "worst",
    progress: Progress = False,
    block_bytes: int = 2**26,
    seed: Seed = 0,
) -> Ranks:
    """At which rank among a sample of the catalogue does each held-out item stand?

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
    if isinstance(weights, str):
        check_choice("weights", weights, Weights)
    uniform = isinstance(weights, str) and weights == "uniform"
    if ties not in ("worst", "best"):
        raise ValueError(f"ties must be one of 'worst', 'best'; got {ties!r}")
    wanted = _Wanted(scores, held_out, exclude, check_count("block_bytes", block_bytes))
    rng = generator(seed)
    m = len(wanted.item)
    chance: FloatArray | None = None
    above, total = np.zeros(m), np.zeros(m)
    rank = np.empty(m, dtype=np.intp)
    for here, own, rows, _ in wanted.compared("removed", _reporter(progress)):
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
            chance = _read_weights(weights, item_counts, rows.shape[1])
        able = open_to & (chance > 0)
        if replacement:
            above[here] = np.where(higher, chance, 0.0).sum(axis=1)
            total[here] = np.where(able, chance, 0.0).sum(axis=1)
            continue
        _enough(wanted, here.start, np.count_nonzero(able, axis=1), drawn)
        rank[here] = 1 + _successive(higher, able, chance, drawn, rng)
    if uniform:
        _enough(wanted, 0, total, 1 if replacement else drawn)
    if replacement:
        _enough(wanted, 0, total, 0)
        rank = 1 + rng.binomial(drawn, np.minimum(above / total, 1.0))
    elif uniform:
        counts = above.astype(np.int64)
        rank = 1 + rng.hypergeometric(counts, total.astype(np.int64) - counts, drawn)
    return Ranks(
        wanted.user, wanted.item, rank.astype(np.intp), np.full(m, drawn + 1), sampled=drawn
    )


class _Wanted:
    """The held-out pairs, and the rows of scores to compare them with, a block at a time."""

    def __init__(self, scores: Scores, held_out: Items, exclude: Items | None, size: int) -> None:
        table: Any = scores if callable(scores) else _table(scores)
        shape = None if callable(scores) else table.shape
        self._scores = table
        self._width = 0 if shape is None else int(shape[1])
        self.user, self.item = _read_items(held_out, "held_out", shape)
        self._seen = _read_items([] if exclude is None else exclude, "exclude", shape)
        self._users = distinct(self.user)
        self._bytes = size

    def compared(
        self, others: Others, report: Callable[[int, int], None] | None
    ) -> Iterator[tuple[slice, NDArray[Any], NDArray[Any], IntArray]]:
        """Yield (which pairs, their scores as a column, rows of candidates, their items)."""
        done, step = 0, 1 if callable(self._scores) else 0
        while done < len(self._users):
            # The width of a callable's rows is known once it has answered for one user.
            step = step or self._step(self._width, 4)
            users = self._users[done : done + step]
            table = self._rows(users)
            first, last = np.searchsorted(self.user, [users[0], users[-1] + 1])
            chunk = self._step(table.shape[1], 4)
            for start in range(int(first), int(last), chunk):
                here = slice(start, min(start + chunk, int(last)))
                place = np.searchsorted(users, self.user[here])
                columns = self.item[here]
                rows = table[place]
                own = rows[np.arange(len(rows)), columns][:, None]
                self._check_ranked(own, here)
                if others == "removed":
                    self._remove_others(rows, here)
                yield here, own, rows, columns
            done += len(users)
            step = self._step(table.shape[1], 4)
            if report is not None:
                report(done, len(self._users))

    def _step(self, width: int, copies: int) -> int:
        return max(1, self._bytes // (8 * copies * max(1, width)))

    def _rows(self, users: IntArray) -> NDArray[Any]:
        """Return the users' scores, with the excluded items at -inf."""
        if callable(self._scores):
            table = _table(self._scores(users))
            if len(table) != len(users):
                raise ValueError(
                    f"scores returned {len(table)} rows for {len(users)} users; return one each"
                )
            table = table.copy()
        else:
            table = self._scores[users]
        wrong = np.isnan(table) | np.isposinf(table)
        if wrong.any():
            row, item = (int(x) for x in np.argwhere(wrong)[0])
            raise ValueError(
                f"the score of item {item} for user {users[row]} is {table[row, item]}; a score "
                "is a finite number, or -inf for an item that must not be listed"
            )
        seen_user, seen_item = self._seen
        for name, owner, items in (
            ("held_out", self.user, self.item),
            ("exclude", seen_user, seen_item),
        ):
            first, last = np.searchsorted(owner, [users[0], users[-1] + 1])
            beyond = items[first:last] >= table.shape[1]
            if beyond.any():
                at = int(first) + int(beyond.argmax())
                raise ValueError(
                    f"{name} names item {items[at]} for user {owner[at]}, but scores has "
                    f"{table.shape[1]} items"
                )
        first, last = np.searchsorted(seen_user, [users[0], users[-1] + 1])
        who, which = seen_user[first:last], seen_item[first:last]
        place = np.minimum(np.searchsorted(users, who), len(users) - 1)
        asked = users[place] == who
        table[place[asked], which[asked]] = -np.inf
        return table

    def _check_ranked(self, own: NDArray[Any], here: slice) -> None:
        lost = np.isneginf(own[:, 0])
        if lost.any():
            at = here.start + int(lost.argmax())
            raise ValueError(
                f"item {self.item[at]} of user {self.user[at]} is held out but is no candidate: "
                "it is excluded or scored -inf, so it has no rank"
            )

    def _remove_others(self, rows: NDArray[Any], here: slice) -> None:
        """Set a user's other held-out items to -inf in the rows of each of them."""
        first = np.searchsorted(self.user, self.user[here], "left")
        counts = np.searchsorted(self.user, self.user[here], "right") - first
        row = np.repeat(np.arange(len(rows)), counts)
        pair = np.arange(len(row)) + np.repeat(first - (np.cumsum(counts) - counts), counts)
        other = pair != here.start + row
        rows[row[other], self.item[pair[other]]] = -np.inf


def _read_items(given: Any, name: str, shape: tuple[int, ...] | None) -> tuple[IntArray, IntArray]:
    """Return (users, items) in order, each pair once, whatever form they came in."""
    users: Any
    items: Any
    if isinstance(given, Interactions):
        users, items = given.user, given.item
    elif hasattr(given, "tocoo") or (isinstance(given, np.ndarray) and given.dtype == bool):
        if shape is not None and given.shape != shape:
            raise ValueError(f"{name} has shape {given.shape} and scores {shape}")
        users, items = given.nonzero()
    elif isinstance(given, np.ndarray) and given.ndim == 1 and given.dtype.kind in "iu":
        users, items = np.arange(len(given)), given
        _one_per_user(name, len(given), shape)
    else:
        lists = list(given)
        if lists or name == "held_out":
            _one_per_user(name, len(lists), shape)
        try:
            parts = [np.asarray(list(row)) for row in lists]
        except TypeError:
            raise TypeError(
                f"{name} holds the item numbers of each user: Interactions, a users x items "
                "matrix, one sequence per user, or an array with one item per user"
            ) from None
        users = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        filled = [part for part in parts if len(part)]
        items = np.concatenate(filled) if filled else np.empty(0, dtype=np.intp)
        if items.dtype.kind not in "iu":
            raise TypeError(f"{name} must hold item numbers, got {items.dtype}")
    users, items = np.asarray(users, dtype=np.intp), np.asarray(items, dtype=np.intp)
    wrong = items < 0
    if shape is not None:
        wrong = wrong | (items >= shape[1]) | (users >= shape[0])
    if wrong.any():
        at = int(wrong.argmax())
        of = "" if shape is None else f", but scores has {shape[0]} users and {shape[1]} items"
        raise ValueError(f"{name} names item {items[at]} for user {users[at]}{of}")
    order = np.lexsort((items, users))
    users, items = users[order], items[order]
    first = np.ones(len(users), dtype=bool)
    first[1:] = (users[1:] != users[:-1]) | (items[1:] != items[:-1])
    return users[first], items[first]


def _one_per_user(name: str, count: int, shape: tuple[int, ...] | None) -> None:
    if shape is not None and count != shape[0]:
        raise ValueError(f"{name} holds {count} entries and scores {shape[0]} users")


def _table(scores: Any) -> NDArray[Any]:
    table: NDArray[Any] = np.asanyarray(scores)
    if table.ndim != 2 or 0 in table.shape:
        raise ValueError(f"scores must be (n_users, n_items) and not empty; got {table.shape}")
    return table if table.dtype.kind == "f" else table.astype(np.float64)


def _reporter(progress: Progress) -> Callable[[int, int], None] | None:
    if callable(progress):
        return progress
    return _to_stderr if progress else None


def _to_stderr(done: int, total: int) -> None:
    end = "\n" if done == total else ""
    sys.stderr.write(f"\rranked {done:,} of {total:,} users ({done / total:.0%}){end}")
    sys.stderr.flush()


def _read_weights(weights: Any, item_counts: ArrayLike | None, n_items: int) -> FloatArray:
    if isinstance(weights, str):
        check_choice("weights", weights, Weights)
        if item_counts is None:
            raise ValueError("weights='popularity' draws in proportion to item_counts; give them")
        weights = item_counts
    chance = np.asarray(weights, dtype=np.float64)
    if chance.shape != (n_items,):
        raise ValueError(
            f"there are {n_items} items to weigh and the weights have shape {chance.shape}"
        )
    wrong = ~(np.isfinite(chance) & (chance >= 0))
    if wrong.any():
        item = int(wrong.argmax())
        raise ValueError(f"item {item} has weight {chance[item]}; a weight is finite, 0 or more")
    return chance


def _enough(wanted: _Wanted, start: int, there: NDArray[Any], needed: int) -> None:
    """Raise if a user has fewer items to draw from than needed, or none at all."""
    short = there < max(needed, 1) if needed else there <= 0
    if short.any():
        at = int(short.argmax())
        count = f"{there[at]:g}" if needed else "no"
        raise ValueError(
            f"user {wanted.user[start + at]} has {count} items to draw from, and {max(needed, 1)} "
            "are to be drawn; lower n_samples or pass replacement=True"
        )


def _successive(
    higher: NDArray[np.bool_],
    able: NDArray[np.bool_],
    chance: FloatArray,
    n_samples: int,
    rng: np.random.Generator,
) -> IntArray:
    """Return how many of `n_samples` weighted draws without replacement are higher.

    The items with the smallest exponential times of rate `chance` are those that drawing one
    after another, in proportion to the weights, would give.
    """
    with np.errstate(divide="ignore"):
        times = rng.standard_exponential(higher.shape) / chance
    times[~able] = np.inf
    # The held-out item is never able, so there are more columns than draws.
    last = np.partition(times, n_samples - 1, axis=1)[:, n_samples - 1, None]
    drawn: IntArray = np.count_nonzero(higher & able & (times <= last), axis=1)
    return drawn
