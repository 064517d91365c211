"""Judge ranked lists: look each recommended item up in what its user wanted."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from recsys_metrics.ranking._codes import (
    FloatArray,
    IntArray,
    check_threshold,
    encode,
    lengths_of,
    row_of,
    row_pointers,
)
from recsys_metrics.ranking._forms import (
    as_id_table,
    as_triple,
    grades_of,
    id_kind,
    ids_of,
    kind,
    name_list,
    number_of,
    read_lists,
    read_truths,
    triple_of_ints,
)
from recsys_metrics.ranking._match import RepeatedItemError, first_repeat, match
from recsys_metrics.ranking.judged import Judged


def judge(recommended: Any, relevant: Any, *, threshold: float | None = None) -> Judged:
    """Judge ranked lists against what is relevant.

    Parameters
    ----------
    recommended
        What was served, best first. Either one list: a sequence of ids, where a string, a
        number or a tuple is an id. Or many: a sequence of such lists, or a mapping from user
        to list. Or an array of whole numbers of shape (n, K), with -1 for an empty slot: the
        rank of an empty slot inside a list stays used, empty slots at the end shorten the list.
    relevant
        What each user wanted. For one list: a set or sequence of ids, or a mapping from id to
        grade. For many: a sequence of those in the same order, or a mapping from user to them.
        For an array also a `scipy.sparse` CSR array (lists x items, data = grade) or a triple
        `(indptr, items, grades)`. A grade of 0 means judged and not relevant; an id that is
        absent was not judged.
    threshold : float, optional
        Lowest grade that counts as relevant for the binary metrics, 4 for "four stars or
        more". By default any grade above 0. Gains keep their grades either way.

    Returns
    -------
    Judged

    Raises
    ------
    ValueError
        If a list holds an id twice, a grade is negative or not finite, the two sides differ
        in length, or ids of the two sides can never match. The message names the list and
        the item.
    TypeError
        If an input is of none of these forms, or an id cannot be hashed.

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
    >>> judged.served, judged.relevant
    (5, 4)

    Many lists are the same call:

    >>> judge({"ann": ["A", "B"], "bob": ["C"]}, {"ann": {"B": 3}, "eve": {"A": 1}}).gains
    array([[0., 3.],
           [0., 0.],
           [0., 0.]])
    """
    threshold = check_threshold(threshold)
    lists, users, single = read_lists(recommended, relevant)
    triple = as_triple(relevant)
    if triple is not None:
        return _judge_arrays(as_id_table(lists), triple, threshold, users, single)
    truths = read_truths(relevant, lists, users, single)
    if users is not None and isinstance(relevant, Mapping):
        known = set(users)
        extra = [user for user in relevant if user not in known]
        users = (*users, *extra)
        lists = [*lists, *([] for _ in extra)]
        truths = [*truths, *(relevant[user] for user in extra)]
    if isinstance(lists, np.ndarray) and np.issubdtype(lists.dtype, np.integer):
        return _judge_arrays(lists, triple_of_ints(truths, users), threshold, users, single)
    return _judge_objects(lists, truths, threshold, users, single)


def _judge_arrays(
    items: IntArray,
    triple: tuple[IntArray, IntArray, FloatArray],
    threshold: float | None,
    users: tuple[Hashable, ...] | None,
    single: bool,
) -> Judged:
    indptr, truth_items, grades = triple
    if not np.issubdtype(truth_items.dtype, np.integer):
        raise TypeError(f"relevant items must be whole numbers, got {truth_items.dtype}")
    if len(indptr) != len(items) + 1:
        raise ValueError(
            f"recommended holds {len(items)} lists and relevant {max(0, len(indptr) - 1)}; "
            "each list needs its own"
        )
    if not (
        len(truth_items) == len(grades) == indptr[-1]
        and indptr[0] == 0
        and (np.diff(indptr) >= 0).all()
    ):
        raise ValueError(
            "relevant is no valid (indptr, items, grades): indptr must rise from 0 to "
            f"the number of items, which is {len(truth_items)}, with {len(grades)} grades"
        )
    if items.size and items.min() < -1:
        row, rank = (int(x) for x in np.argwhere(items < -1)[0])
        raise ValueError(
            f"{name_list(row, users, single)} holds the id {items[row, rank]} at rank "
            f"{rank + 1}; ids are 0 or more, and -1 is an empty slot"
        )
    if truth_items.size and truth_items.min() < 0:
        row = row_of(indptr, int(truth_items.argmin()))
        raise ValueError(
            f"{name_list(row, users, single)} has the relevant item {truth_items.min()}; "
            "ids are 0 or more"
        )
    return _build(items, (indptr, truth_items, grades), threshold, users, single, labels=None)


def _judge_objects(
    lists: Sequence[Any],
    truths: Sequence[Any],
    threshold: float | None,
    users: tuple[Hashable, ...] | None,
    single: bool,
) -> Judged:
    """Give ids numbers in order of appearance, then judge whole numbers."""
    numbers: dict[Hashable, int] = {}
    width = 0
    coded: list[list[int]] = []
    for row, served in enumerate(lists):
        if isinstance(served, AbstractSet | str | bytes | Mapping):
            raise TypeError(
                f"{name_list(row, users, single)} is {kind(served)}, not a ranked list of ids"
            )
        coded.append(
            [number_of(item, numbers, row, users, single, "recommends") for item in served]
        )
        width = max(width, len(coded[-1]))
    served_kinds = {id_kind(item) for item in numbers}

    table = np.full((len(coded), width), -1, dtype=np.intp)
    for row, numbered in enumerate(coded):
        table[row, : len(numbered)] = numbered

    wanted = [
        number_of(item, numbers, row, users, single, "has the relevant item")
        for row, truth in enumerate(truths)
        for item in ids_of(truth, row, users, single)
    ]
    labels = list(numbers)
    wanted_kinds = {id_kind(labels[number]) for number in wanted}
    if served_kinds and wanted_kinds and not served_kinds & wanted_kinds:
        raise ValueError(
            f"the lists hold {' and '.join(sorted(served_kinds))}, {labels[0]!r} for one, and the "
            f"relevant items {' and '.join(sorted(wanted_kinds))}, {labels[wanted[0]]!r} for one: "
            "they can never match. Use the same ids on both sides"
        )
    sizes = [len(truth) for truth in truths]
    triple = (
        row_pointers(sizes),
        np.asarray(wanted, dtype=np.intp),
        grades_of(truths, users, single),
    )
    return _build(table, triple, threshold, users, single, labels)


def _build(
    items: IntArray,
    triple: tuple[IntArray, IntArray, FloatArray],
    threshold: float | None,
    users: tuple[Hashable, ...] | None,
    single: bool,
    labels: Sequence[Hashable] | None,
) -> Judged:
    indptr, truth_items, grades = triple

    def name(item: int) -> str:
        return repr(labels[item] if labels is not None else int(item))

    twice = first_repeat(indptr, truth_items)
    if twice is not None:
        raise ValueError(
            f"{name_list(twice[0], users, single)} has the relevant item {name(twice[1])} twice; "
            "name each relevant item once"
        )
    bad = ~(np.isfinite(grades) & (grades >= 0))
    if bad.any():
        where = int(bad.argmax())
        raise ValueError(
            f"{name_list(row_of(indptr, where), users, single)} has grade {grades[where]!s} "
            f"for item {name(truth_items[where])}; a grade is a finite number, 0 or more"
        )
    levels, truth_codes = encode(grades)
    try:
        codes = match(items, indptr, truth_items, truth_codes)
    except RepeatedItemError as repeat:
        raise ValueError(
            f"{name_list(repeat.row, users, single)} recommends item "
            f"{name(items[repeat.row, repeat.first])} twice, at ranks {repeat.first + 1} and "
            f"{repeat.second + 1}; a ranking metric would count it twice. "
            "Remove the repeat or rank each item once"
        ) from None
    return Judged(
        codes=codes,
        levels=levels,
        lengths=lengths_of(items),
        truth_indptr=np.asarray(indptr, dtype=np.intp),
        truth_codes=truth_codes,
        threshold=threshold,
        users=users,
        single=single,
    )
