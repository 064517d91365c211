"""Interleaving: two recommenders in one list, compared by clicks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core.checks import (
    MOST_ENTRIES,
    Seed,
    check_choice,
    check_count,
    generator,
    missing_entries,
    refuse,
    zero_one,
)
from recsys_metrics._core.inputs.arrays import BoolArray, FloatArray, IntArray, as_array
from recsys_metrics._core.inputs.columns import number_labels
from recsys_metrics._core.sorted_arrays import IntpArray, factorize

Method = Literal["team-draft", "balanced", "optimized"]

# The lists that may be shown double with each rank at most.
_DEEPEST = 12


@dataclass(frozen=True, eq=False)
class Interleaved:
    """One list a visit, of the items of two.

    Attributes
    ----------
    items : (n, k) array
        What is shown on each of n visits, best first.
    method : {"team-draft", "balanced", "optimized"}
    credit : (n, k) array of float
        What a click on each item speaks for: above 0 for b, below 0 for a. Of balanced
        interleaving it depends on the clicks and is not known before: `preference` knows.

    Examples
    --------
    >>> from recsys_metrics.protocol.online import interleave
    >>> shown = interleave(["A", "B", "C"], ["B", "D", "A"], k=3, n=1, seed=1)
    >>> shown.items.tolist(), shown.credit.tolist()
    ([['A', 'B', 'C']], [[-1.0, 1.0, -1.0]])
    """

    items: NDArray[Any]
    method: Method
    credit: FloatArray
    _ranks: tuple[IntArray, IntArray]

    def preference(self, clicked: ArrayLike) -> FloatArray:
        """Return what each visit's clicks say: above 0 for b, below 0 for a, 0 for neither.

        Parameters
        ----------
        clicked : (n, k) array of 0 and 1
            Which items were clicked on each visit.

        Returns
        -------
        (n,) array of float
            Of team draft, clicks on the items of b less those of a; of balanced interleaving,
            clicks among the first ranks of b less those among as many of a; of optimized
            interleaving, the sum of the credits.
        """
        given = as_array(clicked, "clicked", fill="0")
        if given.shape != self.items.shape:
            raise ValueError(
                f"clicked tells of each of the items shown, in the shape {self.items.shape}, "
                f"whether it was clicked; got the shape {given.shape}"
            )
        hits: BoolArray = zero_one(given, "clicked")
        if self.method != "balanced":
            return _per_visit(hits * self.credit)
        # As deep into both as it takes one of them to have shown the lowest clicked item.
        of_a, of_b = self._ranks
        lowest = (hits * np.arange(hits.shape[1])).argmax(axis=1)[:, None]
        deep = np.take_along_axis(np.minimum(of_a, of_b), lowest, axis=1)
        gained = (of_b <= deep).astype(np.float64) - (of_a <= deep)
        return _per_visit(hits * gained)


def _per_visit(values: FloatArray) -> FloatArray:
    totals: FloatArray = values.sum(axis=1)
    return totals


def interleave(
    a: ArrayLike,
    b: ArrayLike,
    *,
    k: int,
    n: int = 1,
    method: Method = "team-draft",
    seed: Seed = 0,
) -> Interleaved:
    r"""Which items are shown to a visitor if both recommenders are mixed in one list?

    Parameters
    ----------
    a, b : (m,) array of items
        The lists of the two recommenders for one user, best first, each item once.
    k : int
        How many items are shown; each list has as many or more.
    n : int
        How many visits to draw.
    method : {"team-draft", "balanced", "optimized"}
        Two captains who pick in turn, the first of each round by a coin; both lists merged rank
        by rank, who begins by one coin; or any list whose beginnings are made of beginnings of
        both, drawn so that a click at random speaks for neither.
    seed : int or Generator

    Returns
    -------
    Interleaved

    Raises
    ------
    TypeError, ValueError
        If a list is shorter than k or has an item twice, or k is above 12 for "optimized".

    Notes
    -----
    Which recommender is better is then a question of one sample: hand the preferences of all
    users, one number a user, to `significance.sign_test` or `significance.t_interval`.

    Balanced interleaving can prefer a list over one that is as good where one is the other moved
    by a rank; team draft is blind to some differences that are there. Optimized interleaving
    credits a click by the difference of the two ranks, :math:`\delta`, and shows each list with
    a chance :math:`p_L` such that

    .. math:: \sum_L p_L \sum_{j \le i} \delta_j(L) = 0 \quad \text{for each rank } i

    Of all such chances it takes those with which a click, at rank j with weight 1/j, most often
    speaks for one of the two.

    References
    ----------
    Joachims (2003), Evaluating retrieval performance using clickthrough data, Text Mining.
    Radlinski, Kurup and Joachims (2008), How does clickthrough data reflect retrieval quality?,
    CIKM. Radlinski and Craswell (2013), Optimized interleaving for online retrieval evaluation,
    WSDM. Chapelle, Joachims, Radlinski and Yue (2012), Large-scale validation and analysis of
    interleaved search evaluation, TOIS 30(1).

    Examples
    --------
    >>> from recsys_metrics.protocol.online import interleave
    >>> shown = interleave(["A", "B", "C"], ["B", "D", "A"], k=3, n=2, method="balanced", seed=0)
    >>> shown.items.tolist()
    [['B', 'A', 'D'], ['B', 'A', 'D']]
    >>> shown.preference([[0, 0, 1], [1, 0, 0]]).tolist()
    [1.0, 1.0]
    """
    check_choice("method", method, Method)
    depth = check_count("k", k)
    first, second = _read_list("a", a, depth), _read_list("b", b, depth)
    visits = check_count("n", n, meaning="how many lists to show", most=MOST_ENTRIES // depth)
    words = ", which is no item"
    together = np.concatenate([first.astype(object), second.astype(object)])
    names, codes = number_labels("items", together, words)
    lists = codes[: len(first)], codes[len(first) :]
    rng = generator(seed)
    # Where each item stands in either list; behind the end if nowhere.
    ranks = tuple(np.full(len(names), len(one)) for one in lists)
    for rank, one in zip(ranks, lists, strict=True):
        rank[one] = np.arange(len(one))
    if method == "optimized":
        shown = _optimized(lists, depth, visits, rng)
        credit = (ranks[0] - ranks[1]).astype(np.float64)[shown]
    else:
        draw = _team_draft if method == "team-draft" else _balanced
        shown, credit = draw(lists, depth, visits, rng)
    return Interleaved(
        np.asarray(names.tolist())[shown], method, credit, (ranks[0][shown], ranks[1][shown])
    )


Lists = tuple[IntArray, IntArray]


def _read_list(name: str, items: ArrayLike, depth: int) -> NDArray[Any]:
    given = as_array(items, name)
    if given.ndim != 1 or len(given) < depth:
        raise ValueError(f"{name} is one list of {depth} items or more; got {items!r}")
    refuse(missing_entries(given), name, given, "; a missing value is no item")
    if len(factorize(given)[0]) < len(given):
        raise ValueError(f"{name} contains an item twice; show each once")
    row: NDArray[Any] = given
    return row


def _team_draft(
    lists: Lists, depth: int, visits: int, rng: np.random.Generator
) -> tuple[IntpArray, FloatArray]:
    rounds = rng.random((visits, (depth + 1) // 2)) < 0.5
    # Who picks at each rank: in a round the winner of the coin, then the other.
    of_b: BoolArray = np.stack([rounds, ~rounds], axis=2).reshape(visits, -1)[:, :depth]
    shown = _draft_picks(lists, of_b)
    return shown, np.where(of_b, 1.0, -1.0)


def _draft_picks(lists: Lists, of_b: BoolArray) -> IntpArray:
    """Return what each captain picks in turn: the first item of the own list not yet taken."""
    visits, depth = of_b.shape
    taken = np.zeros((visits, max(map(np.max, lists)) + 1), dtype=bool)
    shown = np.empty((visits, depth), dtype=np.intp)
    rows = np.arange(visits)
    for rank in range(depth):
        picks = [one[taken[:, one].argmin(axis=1)] for one in lists]
        shown[:, rank] = np.where(of_b[:, rank], picks[1], picks[0])
        taken[rows, shown[:, rank]] = True
    return shown


def _balanced(
    lists: Lists, depth: int, visits: int, rng: np.random.Generator
) -> tuple[IntpArray, FloatArray]:
    both = []
    for begins in (0, 1):
        turns = np.empty(2 * depth, dtype=np.intp)
        turns[begins::2], turns[1 - begins :: 2] = lists[0][:depth], lists[1][:depth]
        both.append(list(dict.fromkeys(turns.tolist()))[:depth])
    shown = np.array(both)[rng.integers(2, size=visits)]
    return shown, np.full(shown.shape, np.nan)


def _optimized(lists: Lists, depth: int, visits: int, rng: np.random.Generator) -> IntpArray:
    if depth > _DEEPEST:
        raise ValueError(
            f"method='optimized' weighs every list that may be shown, which are too many beyond "
            f"{_DEEPEST} ranks; got k={depth}. Take 'team-draft'"
        )
    allowed, chances = _mix(tuple(lists[0].tolist()), tuple(lists[1].tolist()), depth)
    shown: IntpArray = allowed[rng.choice(len(allowed), size=visits, p=chances)]
    return shown


@lru_cache(maxsize=256)
def _mix(a: tuple[int, ...], b: tuple[int, ...], depth: int) -> tuple[IntpArray, FloatArray]:
    """Return the lists that may be shown and the chance of each."""
    from scipy.optimize import linprog

    lists: list[tuple[int, ...]] = [()]
    for _ in range(depth):
        longer = {
            (*one, next(item for item in ranked if item not in one)): None
            for one in lists
            for ranked in (a, b)
        }
        lists = list(longer)
    allowed = np.array(lists)
    of_a = np.full(max(*a, *b) + 1, len(a))
    of_b = np.full(max(*a, *b) + 1, len(b))
    of_a[list(a)], of_b[list(b)] = np.arange(len(a)), np.arange(len(b))
    delta = (of_a - of_b)[allowed]
    weight = 1 / np.arange(1, depth + 1)
    found = linprog(
        -((delta != 0) @ weight),
        A_eq=np.vstack([np.ones(len(allowed)), np.cumsum(delta, axis=1).T]),
        b_eq=np.concatenate([[1.0], np.zeros(depth)]),
        method="highs",
    )
    if not found.success:
        raise ValueError(
            "no mix of these two lists is fair: at some rank a click at random would speak for "
            "one of them. Take 'team-draft'"
        )
    chances = np.maximum(found.x, 0.0)
    return allowed, chances / chances.sum()
