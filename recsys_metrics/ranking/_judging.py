"""Judge ranked lists: look up each recommended item among the user's relevant items."""

from __future__ import annotations

from typing import Any, overload

import numpy as np

from recsys_metrics._core.checks import check_choice
from recsys_metrics._core.inputs.align import align
from recsys_metrics._core.inputs.hits import Hits, align_hits
from recsys_metrics._core.inputs.item_sets import ItemSets
from recsys_metrics._core.inputs.lists import Lists, Repeats
from recsys_metrics._core.inputs.membership import match
from recsys_metrics._core.inputs.parse_lists import parse_lists
from recsys_metrics._core.inputs.parse_sets import parse_sets
from recsys_metrics._core.inputs.scalar_or_batch import ManyLists, OneList
from recsys_metrics._core.inputs.ties import ListTies, check_list_ties
from recsys_metrics.ranking._grade_codes import FloatArray, IntArray, check_threshold, encode
from recsys_metrics.ranking._judged import Judged
from recsys_metrics.ranking._per_list import check_k


@overload
def judge(
    recommended: OneList,
    relevant: Any,
    *,
    k: int | None = ...,
    threshold: float | None = ...,
    ties: ListTies = ...,
    repeats: Repeats = ...,
) -> Judged[float]: ...
@overload
def judge(
    recommended: ManyLists,
    relevant: Any,
    *,
    k: int | None = ...,
    threshold: float | None = ...,
    ties: ListTies = ...,
    repeats: Repeats = ...,
) -> Judged[FloatArray]: ...
@overload
def judge(
    recommended: Any,
    relevant: Any,
    *,
    k: int | None = ...,
    threshold: float | None = ...,
    ties: ListTies = ...,
    repeats: Repeats = ...,
) -> Judged[Any]: ...
def judge(
    recommended: Any,
    relevant: Any,
    *,
    k: int | None = None,
    threshold: float | None = None,
    ties: ListTies = "id",
    repeats: Repeats = "raise",
) -> Judged[Any]:
    """Judge ranked lists against what is relevant.

    Parameters
    ----------
    recommended
        What was recommended, best first. Either one list: a sequence of ids, where a string, a
        number or a tuple is an id. Or many: a sequence of such lists, or a mapping from user
        to list, or to scores, ``{user: {item: score}}``, the run format of ranx, pytrec_eval and
        ir_measures. Or an array or tensor of whole numbers of shape (n, K), with -1 for an empty
        slot: the rank of an empty slot inside a list stays used, empty slots at the end shorten
        the list. A column of a data frame stands for the sequence of its entries, or for a
        mapping if it has an index of users.
    relevant
        What each user wanted. For one list: a set or sequence of ids, or a mapping from id to
        grade. For many: a sequence of those in the same order, or a mapping from user to them.
        For an array also a `scipy.sparse` CSR array (lists x items, data = grade), a triple
        `(indptr, items, grades)`, or an array of item numbers (n, R), -1 for nothing; one next
        item for each list is ``next_items[:, None]``. A grade of 0 means judged and not relevant;
        an id that is absent was not judged.
    k : int, optional
        The deepest rank that will be asked about. Ids below it are counted, neither looked up nor
        checked, which takes less time, and a metric that asks for more is an error. By default
        the whole lists are judged.
    threshold : float, optional
        Lowest grade that counts as relevant for the binary metrics, 4 for "four stars or
        more". By default any grade above 0. Gains keep their grades either way.
    ties : {"id", "order"}
        Where scores came in place of lists, which of two equal ones comes first: the smaller item
        id (numbers by value, texts by code point), or the one that stands first in the mapping.
    repeats : {"raise", "drop", "blank"}
        What becomes of an item that stands in a list once more: it is an error, or it is taken
        out, and what follows moves up ("drop") or its rank stays used ("blank"). An item that is
        named again as relevant is an error, or counts once; two grades of it are an error.

    Returns
    -------
    Judged

    Raises
    ------
    ValueError
        If k is below 1, a list holds an id twice, a grade is negative or not finite, the two sides
        differ in length, ids or users of the two sides can never match, or one is missing (None,
        NaN). The message names the list and the item.
    TypeError
        If an input is of none of these forms, an id cannot be hashed, or an input has two
        readings: rows that are tuples, a dense table of grades, a masked array. The message
        names both, and how to say which is meant.

    Notes
    -----
    A user with relevant items and no list counts as an empty list. A user with a list and no
    entry in `relevant` has nothing relevant. Both are kept, in the order of `recommended` and
    then of `relevant`; `Judged.users` names them.

    Examples
    --------
    >>> from recsys_metrics import judge
    >>> judged = judge(["A", "B", "C", "D", "E"], {"B", "C", "E", "G"})
    >>> judged.gains
    array([0., 1., 1., 0., 1.])
    >>> judged.n_returned, judged.n_relevant
    (5, 4)

    Many lists are the same call:

    >>> judge({"ann": ["A", "B"], "bob": ["C"]}, {"ann": {"B": 3}, "eve": {"A": 1}}).gains
    array([[0., 3.],
           [0., 0.],
           [0., 0.]])
    """
    cut = check_k(k)
    check_list_ties(ties)
    check_choice("repeats", repeats, Repeats)
    lists, sets = parse_lists(recommended), parse_sets(relevant)
    if cut is not None and repeats == "raise":
        hits = align_hits(lists, sets, cut, ties, digests=False)
        if hits is not None:
            return judged_hits(hits, threshold)
    return judged_lists(*align(lists, sets, k=cut, ties=ties, repeats=repeats), threshold)


def judged_lists(lists: Lists, relevant: ItemSets, threshold: float | None) -> Judged[Any]:
    """Judge lists that were read."""
    lowest = check_threshold(threshold)
    if relevant.given_grades is None:
        levels, codes = np.array([0.0, 1.0]), relevant.grades
    else:
        levels, codes = encode(relevant.given_grades)
    return Judged(
        _codes=match(lists.items, relevant.indptr, relevant.items, codes),
        _levels=levels,
        _lengths=lists.ranks,
        _truth_indptr=np.asarray(relevant.indptr, dtype=np.intp),
        _truth_codes=codes,
        threshold=lowest,
        users=lists.users,
        single=lists.single,
        _cut=None if lists.whole is None else lists.items.shape[1],
    )


def judged_hits(hits: Hits, threshold: float | None) -> Judged[Any]:
    """Judge lists of which only the hits were read."""
    lowest = check_threshold(threshold)
    codes: IntArray
    if hits.relevant_grades is None:
        levels, codes = np.array([0.0, 1.0]), np.ones(int(hits.indptr[-1]), dtype=np.uint8)
        found = hits.grades
    else:
        levels, codes = encode(hits.relevant_grades)
        found = np.zeros(hits.grades.shape, dtype=codes.dtype)
        judged = hits.grades >= 0
        found[judged] = np.searchsorted(levels[1:], hits.grades[judged]) + 1
    width = found.shape[1]
    return Judged(
        _codes=found,
        _levels=levels,
        _lengths=hits.lengths,
        _truth_indptr=hits.indptr,
        _truth_codes=codes,
        threshold=lowest,
        users=hits.users,
        single=False,
        _cut=width if int(hits.lengths.max(initial=0)) > width else None,
    )
