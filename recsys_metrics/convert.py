"""Convert from and to the formats of other libraries: TREC files, dictionaries, frames, arrays.

`judge` and `evaluate` take lists of ids and sets or mappings of what was relevant, by user. These
functions make them, and write them, without any other library.

Stable: names and meanings stay from now on, and the changelog announces any change.

>>> from recsys_metrics import convert, judge, ndcg
>>> run = {"u1": {"a": 0.1, "b": 0.9}, "u2": {"c": 0.5, "d": 0.5}}
>>> lists = convert.lists_from_scores(run)
>>> lists
{'u1': ['b', 'a'], 'u2': ['c', 'd']}
>>> ndcg(judge(lists, {"u1": {"b": 1}, "u2": {"d": 1}})).round(3).tolist()
[1.0, 0.631]
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.checks import (
    MOST_RANKS,
    check_choice,
    check_lengths,
    is_among,
    is_missing,
)
from recsys_metrics._core.inputs.arrays import (
    as_array,
    as_labels,
    as_numbers,
    as_scores,
)
from recsys_metrics._core.inputs.frames import (
    by_key,
    column_names,
    column_of,
    in_memory,
    refuse_other_labels,
)
from recsys_metrics._core.inputs.ids import (
    has_half_a_character,
    id_kinds,
    kind,
    refuse_arrays,
    whole_numbers,
)
from recsys_metrics._core.inputs.several import read_ids, refuse_odd_ids
from recsys_metrics._core.inputs.ties import ListTies, check_list_ties, in_order_of_scores
from recsys_metrics._core.package_names import DISTRIBUTION
from recsys_metrics._core.sorted_arrays import factorize
from recsys_metrics._core.whole_files import replace_file

Order = Literal["score", "rank"]
Source = str | PathLike[str] | Iterable[str]
Lists = dict[Any, list[Any]]
Truths = dict[Any, dict[Any, float]]

__all__ = [
    "as_array",
    "lists_from_array",
    "lists_from_frame",
    "lists_from_scores",
    "read_qrels",
    "read_run",
    "read_scores",
    "read_unjudged",
    "relevant_from_frame",
    "scores_from_lists",
    "write_qrels",
    "write_run",
]


# Up to here floats tell whole numbers apart.
_EXACT = 2.0**53
# With decimals that are all 0, too.
_WHOLE = re.compile(r"([+-]?)0*(\d+)(?:\.0*)?")


def __dir__() -> list[str]:
    return __all__


def read_run(source: Source, *, order: Order = "score", ties: ListTies = "id") -> Lists:
    """Read ranked lists from a TREC run file.

    Parameters
    ----------
    source : path, or iterable of lines
        Lines of six columns: user (topic), Q0, item, rank, score and the name of the run. A line
        that begins with # is a comment, as in version 10 of trec_eval.
    order : {"score", "rank"}
        What a list is sorted by: the score, as trec_eval does whatever the rank column says; or
        the rank column.
    ties : {"id", "id-descending", "order"}
        As in `lists_from_scores`. trec_eval takes the higher id first, "id-descending".

    Returns
    -------
    dict of str to list of str
        The items of each user, best first, as `judge` takes them.

    Raises
    ------
    ValueError
        If a line has another form, or a user has an item twice; the message says which line, and of
        which file.

    Notes
    -----
    `write_run` writes such a file, and `read_scores` keeps the scores of one.

    Examples
    --------
    >>> from recsys_metrics import convert
    >>> lines = ["u1 Q0 b 1 0.5 mine", "u1 Q0 a 2 0.5 mine", "u2 Q0 c 1 0.9 mine"]
    >>> convert.read_run(lines)
    {'u1': ['a', 'b'], 'u2': ['c']}
    >>> convert.read_run(lines, ties="id-descending")
    {'u1': ['b', 'a'], 'u2': ['c']}
    """
    check_choice("order", order, Order)
    return lists_from_scores(_read_run(source, order), ties=ties)


def read_scores(source: Source) -> dict[str, dict[str, float]]:
    """Read scores by user and item from a TREC run file.

    Parameters
    ----------
    source : path, or iterable of lines
        As in `read_run`.

    Returns
    -------
    dict of str to dict of str to float

    Raises
    ------
    ValueError
        As `read_run`.

    Examples
    --------
    >>> from recsys_metrics import convert
    >>> convert.read_scores(["u1 Q0 a 1 0.5 mine"])
    {'u1': {'a': 0.5}}
    """
    return _read_run(source, "score")


def _read_run(source: Source, order: Order) -> dict[str, dict[str, float]]:
    form = "a run has user, Q0, item, rank, score and tag"
    if order == "score":
        return _read_columns(source, 6, form, 4, order)
    ranks = _read_columns(source, 6, form, 3, order)
    return {user: {item: -rank for item, rank in row.items()} for user, row in ranks.items()}


def read_qrels(source: Source) -> Truths:
    """Read what was relevant from a TREC qrels file.

    Parameters
    ----------
    source : path, or iterable of lines
        Lines of four columns: user (topic), 0, item and grade. A line that begins with # is a
        comment, as in version 10 of trec_eval.

    Returns
    -------
    dict of str to dict of str to float
        Grades by user and item. An item with a grade below 0 is left out: trec_eval takes it
        for one of the pool that was not judged. A user all of whose grades are below 0 stays,
        with nothing judged.

    Raises
    ------
    ValueError
        If a line has another form, or a user has an item twice; the message says which line, and of
        which file.

    See Also
    --------
    read_unjudged : The items with a grade below 0.

    Notes
    -----
    `write_qrels` writes such a file, and `read_unjudged` reads which items have no judgment.

    Examples
    --------
    >>> from recsys_metrics import convert
    >>> convert.read_qrels(["# user 0 item grade", "u1 0 a 2", "u1 0 b 0", "u1 0 c -1"])
    {'u1': {'a': 2.0, 'b': 0.0}}
    """
    return {
        user: row if min(row.values()) >= 0 else {i: g for i, g in row.items() if g >= 0}
        for user, row in _read_grades(source).items()
    }


def read_unjudged(source: Source) -> dict[str, set[str]]:
    """Read from a TREC qrels file which items of the pool were not judged.

    Parameters
    ----------
    source : path, or iterable of lines
        As in `read_qrels`.

    Returns
    -------
    dict of str to set of str
        The items with a grade below 0 of each user of the file, as
        `inferred_average_precision` takes them.

    Raises
    ------
    ValueError
        As `read_qrels`.

    Examples
    --------
    >>> from recsys_metrics import convert
    >>> convert.read_unjudged(["u1 0 a 2", "u1 0 b -1", "u2 0 a 1"])
    {'u1': {'b'}, 'u2': set()}
    """
    return {
        user: {item for item, grade in row.items() if grade < 0}
        for user, row in _read_grades(source).items()
    }


def _read_grades(source: Source) -> dict[str, dict[str, float]]:
    return _read_columns(source, 4, "qrels have user, 0, item and grade", 3, "grade")


def write_run(
    path: str | PathLike[str], lists: Mapping[Any, Sequence[Any]], *, tag: str = DISTRIBUTION
) -> None:
    """Write ranked lists as a TREC run file that every reader orders the same way.

    Parameters
    ----------
    path
        Of the file; one that is there is replaced.
    lists : mapping of user to list of ids
        Best first. Scores are written that fall with the rank, so that no two are equal.
    tag : str
        The name of the run.

    Raises
    ------
    ValueError
        If a user, an item or the tag is empty or has a space in it, a user begins with #, or a
        list is empty, which the format cannot hold.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from recsys_metrics import convert
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "run.txt"
    >>> convert.write_run(path, {"u1": ["b", "a"]})
    >>> print(path.read_text(), end="")
    u1 Q0 b 1 2 recsys-workbook
    u1 Q0 a 2 1 recsys-workbook
    >>> convert.read_run(path)
    {'u1': ['b', 'a']}
    """
    name = _check_word(tag, "the tag")
    _refuse_scores(lists, "write_run")
    empty = [user for user, row in lists.items() if not len(row)]
    if empty:
        raise ValueError(
            f"user {empty[0]!r} has an empty list, which a run file cannot represent ({len(empty)} "
            f"of {len(lists)} users have one); leave such users out: a program that reads "
            f"the file finds "
            "them in the qrels, and counts what has no list as an empty one"
        )
    _check_path(path)
    _refuse_equal_texts(lists)

    def lines() -> Iterator[str]:
        for user, row in lists.items():
            who = _check_user(user)
            for rank, item in enumerate(row, start=1):
                yield f"{who} Q0 {_check_word(item, 'item')} {rank} {len(row) - rank + 1} {name}\n"

    replace_file(Path(path), lines())


def write_qrels(path: str | PathLike[str], relevant: Mapping[Any, Any]) -> None:
    """Write what was relevant as a TREC qrels file.

    Parameters
    ----------
    path
        Of the file; one that is there is replaced.
    relevant : mapping of user to set of ids, or to mapping of id to grade
        An item of a set has the grade 1.

    Raises
    ------
    ValueError
        If a user or an item is empty or has a space in it, a user begins with #, or a grade is no
        whole number, which the format cannot hold.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from recsys_metrics import convert
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> convert.write_qrels(path, {"u1": {"a": 2, "b": 0}, "u2": {"c"}})
    >>> convert.read_qrels(path)
    {'u1': {'a': 2.0, 'b': 0.0}, 'u2': {'c': 1.0}}
    """
    _check_path(path)
    _check_by_user("relevant", relevant)
    _refuse_equal_texts(relevant)

    def lines() -> Iterator[str]:
        for user, row in relevant.items():
            who = _check_user(user)
            graded = row if isinstance(row, Mapping) else dict.fromkeys(row, 1)
            for item, grade in graded.items():
                number = as_numbers(grade, f"the grade of item {item!r} of user {user!r}")
                if number.ndim or not float(number).is_integer():
                    raise ValueError(
                        f"item {item!r} of user {user!r} has the grade {grade}; qrels contain "
                        "whole numbers only"
                    )
                yield f"{who} 0 {_check_word(item, 'item')} {int(number)}\n"

    replace_file(Path(path), lines())


def lists_from_scores(scores: Mapping[Any, Mapping[Any, float]], *, ties: ListTies = "id") -> Lists:
    """Return lists from scores by user and item, the shape of pytrec_eval and ranx.

    Parameters
    ----------
    scores : mapping of user to mapping of id to score
        In any order.
    ties : {"id", "id-descending", "order"}
        Which of two equal scores comes first: the smaller id (numbers by value, text by its code
        points, as everywhere in this library), the larger one, as in trec_eval, or the one that
        stands first in the mapping.

    Returns
    -------
    dict of user to list of ids
        Best first.

    Raises
    ------
    TypeError, ValueError
        If a score is not finite, or ids of several types have no order.

    Notes
    -----
    `scores_from_lists` gives lists scores again, for a tool that reads only these.

    Examples
    --------
    >>> from recsys_metrics import convert
    >>> convert.lists_from_scores({"u": {"b": 1.0, "a": 1.0, "c": 2.0}})
    {'u': ['c', 'a', 'b']}
    >>> convert.lists_from_scores({"u": {"b": 1.0, "a": 1.0, "c": 2.0}}, ties="order")
    {'u': ['c', 'b', 'a']}
    """
    check_list_ties(ties)
    _check_by_user("scores", scores)
    return {user: in_order_of_scores(row, ties, f"user {user!r}") for user, row in scores.items()}


def scores_from_lists(lists: Mapping[Any, Sequence[Any]]) -> dict[str, dict[str, float]]:
    """Return lists in the shape of pytrec_eval and ranx, with scores that fall with the rank.

    Parameters
    ----------
    lists : mapping of user to list of ids
        Best first.

    Returns
    -------
    dict of str to dict of str to float
        Ids and users as text, which those libraries ask for.

    Raises
    ------
    ValueError
        If a user has an item twice, or two of them read the same as text.

    Examples
    --------
    >>> from recsys_metrics import convert
    >>> convert.scores_from_lists({7: [3, 1]})
    {'7': {'3': 2.0, '1': 1.0}}
    """
    _refuse_scores(lists, "scores_from_lists")
    _refuse_equal_texts(lists)
    return {
        _as_text(user, "user"): {
            _as_text(item, "item"): float(len(row) - rank) for rank, item in enumerate(row)
        }
        for user, row in lists.items()
    }


def _check_path(path: Any) -> None:
    if not isinstance(path, str | PathLike):
        raise TypeError(f"path must be text or a Path; got {kind(path)}")


def _check_by_user(name: str, given: Any) -> None:
    if not isinstance(given, Mapping):
        raise TypeError(f"{name} must be a mapping by user; got {kind(given)}")


def _refuse_scores(lists: Mapping[Any, Any], function: str) -> None:
    """Raise if there are scores by item in place of lists, whose order says nothing."""
    _check_by_user("lists", lists)
    for user, row in lists.items():
        if isinstance(row, Mapping | AbstractSet):
            raise TypeError(
                f"user {user!r} has {kind(row)}, which has no order; {function} takes lists, best "
                "first. Of scores by item, lists_from_scores makes them"
            )


def lists_from_array(
    rows: Any, *, users: Iterable[Hashable] | None = None, items: Iterable[Hashable] | None = None
) -> Lists | list[list[Any]]:
    """Return lists from an array with a row per user, by the ids of the users and of the items.

    Parameters
    ----------
    rows : (n, K) array
        The numbers of the recommended items, or their ids, best first; -1 is an empty slot, which
        is left out.
    users : sequence of ids, optional
        Whose row each is.
    items : sequence of ids, or mapping from number to id, optional
        The id of each item number, from 0; of a column of pandas the index has the numbers.

    Returns
    -------
    dict of user to list of ids, or list of lists of ids
        Without `users` a list for each row.

    Raises
    ------
    TypeError
        If `rows` is no table, or holds no whole numbers where `items` is given.
    ValueError
        If a number has no id, an id or a user comes twice, or there is not one user for each row.

    Notes
    -----
    ``np.array(ids)[rows]`` takes the last item for an empty slot; this function leaves it out.

    Examples
    --------
    >>> import numpy as np
    >>> from recsys_metrics import convert
    >>> top = np.array([[2, 0], [1, -1]])
    >>> convert.lists_from_array(top, users=["ann", "bob"], items=["x", "y", "z"])
    {'ann': ['z', 'x'], 'bob': ['y']}
    """
    table: NDArray[Any] = as_array(rows, "rows")
    if table.ndim != 2:
        raise TypeError(
            f"rows must be a table with a row per user and a column per rank; got {kind(rows)} of "
            f"shape {table.shape}"
        )
    if items is not None:
        return _with_users(_name_items(table, items), users)
    return _with_users(_ids_of_rows(table), users)


def _ids_of_rows(table: NDArray[Any]) -> list[list[Any]]:
    """Return the ids in each row of an array, without the empty slots."""
    numbers = table
    if table.dtype.kind == "f" and np.isfinite(table).all() and (table == np.rint(table)).all():
        # Numbers that a missing value, filled by now, has made floats.
        numbers = table.astype(np.intp)
    if numbers.dtype.kind in "iu":
        if (numbers < -1).any():
            row, column = (int(axis) for axis in np.argwhere(numbers < -1)[0])
            raise ValueError(
                f"row {row} has {numbers[row, column]}; item numbers are 0 or more, and -1 is an "
                "empty slot"
            )
        return [[each for each in row if each != -1] for row in numbers.tolist()]
    if table.dtype.kind not in "USO":
        raise TypeError(
            f"rows has {table.dtype} values; ids are whole numbers or text. Fill missing values "
            "with -1 and turn the rest into whole numbers; if these are scores, rank them first, "
            "rank_from_scores(scores, k)"
        )
    lists: list[list[Any]] = table.tolist()
    for number, ids in enumerate(lists):
        _check_ids(ids, f"row {number} of rows")
    return lists


def _name_items(table: NDArray[Any], items: Iterable[Hashable]) -> list[list[Any]]:
    if table.dtype.kind not in "iu":
        raise TypeError(
            f"items gives the id of each item number, but rows contains {table.dtype} values; "
            "leave items= out if they are ids already"
        )
    label_of = _label_by_number(items)
    for row, numbers in enumerate(table.tolist()):
        odd = next((each for each in numbers if each != -1 and each not in label_of), None)
        if odd is not None:
            known = f"{min(label_of)} to {max(label_of)}"
            raise ValueError(
                f"row {row} has the item number {odd}, and items has the ids of {known}"
            )
    return [[label_of[number] for number in row if number != -1] for row in table.tolist()]


def _label_by_number(items: Any) -> Mapping[int, Any]:
    """Return the id of each item number, from ids in the order of the numbers or a mapping."""
    keyed = by_key(items)
    if keyed is None:
        label_of = dict(enumerate(read_ids("items", items, "item number")))
    else:
        label_of = dict(keyed)
        if whole_numbers([*label_of]) is None:
            odd = next(key for key in label_of if whole_numbers([key]) is None)
            raise TypeError(
                f"items maps {odd!r:.60} to {label_of[odd]!r:.60}; it goes from the number of an "
                "item to its id. Turn it around, {number: id for id, number in items.items()}"
            )
    labels = [*label_of.values()]
    if not labels:
        raise ValueError("items is empty; give the id of each item number")
    _check_ids(labels, "items")
    if twice := next((label for label, n in Counter(labels).items() if n > 1), None):
        raise ValueError(f"items has {twice!r} twice; give each item an id of its own")
    return label_of


def _with_users(
    lists: list[list[Any]], users: Iterable[Hashable] | None
) -> Lists | list[list[Any]]:
    if users is None:
        return lists
    names = read_ids("users", users, "list")
    _check_ids(names, "users")
    check_lengths(users=names, rows=lists)
    if twice := next((user for user, n in Counter(names).items() if n > 1), None):
        raise ValueError(f"users has {twice!r} twice; give each user one row")
    return dict(zip(names, lists, strict=True))


def lists_from_frame(
    frame: Any,
    *,
    user: str,
    item: str,
    score: str | None = None,
    rank: str | None = None,
    ties: ListTies = "id",
) -> Lists:
    """Return lists from a long table: a row per user and item.

    Parameters
    ----------
    frame
        With columns by name: a frame of any kind (pandas, Polars, PyArrow, DuckDB, Spark), or a
        mapping of names to columns.
    user, item : str
        Names of the columns.
    score, rank : str, optional
        Column to sort by, high scores or low ranks first. With neither, the rows stand in order.
    ties : {"id", "id-descending", "order"}
        Which of two equal scores comes first, as in `lists_from_scores`; "order" is the row that
        comes first.

    Returns
    -------
    dict of user to list of ids
        Users in the order in which they first occur.

    Raises
    ------
    ValueError
        If a column is not there, lengths differ, both score and rank are given, a value to
        sort by is not finite, a rank is no whole number from 1 up, or a user has two items at one
        rank.

    Notes
    -----
    `relevant_from_frame` reads what was relevant to each user in the same way.

    Examples
    --------
    >>> from recsys_metrics import convert
    >>> table = {"who": ["a", "b", "a"], "what": [1, 2, 3], "s": [0.1, 0.2, 0.9]}
    >>> convert.lists_from_frame(table, user="who", item="what", score="s")
    {'a': [3, 1], 'b': [2]}
    """
    if score is not None and rank is not None:
        raise ValueError(f"sort by the score {score!r} or by the rank {rank!r}, not by both")
    check_list_ties(ties)
    sorted_by = score if score is not None else rank
    names = [user, item] if sorted_by is None else [user, item, sorted_by]
    columns = _columns(frame, names)
    users, items = columns[0].tolist(), columns[1].tolist()
    _check_ids(users, user)
    _check_ids(items, item)
    rows: Iterable[int] = range(len(users))
    if sorted_by is not None:
        value = as_scores(columns[2], f"the column {sorted_by!r}")
        odd = ~np.isfinite(value)
        if odd.any():
            row = int(odd.argmax())
            raise ValueError(f"row {row} of {sorted_by!r} is {value[row]}, not a finite number")
        if rank is not None:
            _check_ranks(value, columns, rank)
        keys: list[NDArray[Any]] = [value if score is None else -value]
        if ties != "order":
            _, place = factorize(columns[1])
            keys.insert(0, place if ties == "id" else -place)
        rows = np.lexsort(keys).tolist()
    lists: Lists = {who: [] for who in users}
    for row in rows:
        lists[users[row]].append(items[row])
    return lists


def _check_ranks(ranks: NDArray[Any], columns: Sequence[NDArray[Any]], name: str) -> None:
    """Raise if a rank is no place in a list, or if a user has two items at one."""
    bad = (ranks < 1) | (ranks > MOST_RANKS) | (np.floor(ranks) != ranks)
    if bad.any():
        row = int(bad.argmax())
        raise ValueError(
            f"row {row} of {name!r} is {ranks[row]:.15g}; ranks are whole numbers from 1 to "
            f"{MOST_RANKS:,}"
        )
    _, who = factorize(columns[0])
    order = np.lexsort([ranks, who])
    alike = (np.diff(who[order]) == 0) & (np.diff(ranks[order]) == 0)
    if alike.any():
        first, second = order[[at := int(alike.argmax()), at + 1]].tolist()
        users, items = (column.tolist() for column in columns[:2])
        raise ValueError(
            f"user {users[first]!r} has two items at rank {ranks[first]:g}, {items[first]!r} and "
            f"{items[second]!r}; rank each item once, and give each recommender a table of its own"
        )


def relevant_from_frame(frame: Any, *, user: str, item: str, grade: str | None = None) -> Truths:
    """Return what was relevant from a long table: a row per user and item.

    Parameters
    ----------
    frame
        As in `lists_from_frame`.
    user, item : str
        Names of the columns.
    grade : str, optional
        Name of the column with grades; by default every row counts 1.

    Returns
    -------
    dict of user to dict of id to grade

    Raises
    ------
    ValueError
        If a column is not there, lengths differ, or a user has an item twice.

    Notes
    -----
    `lists_from_frame` reads the recommendations in the same way.

    Examples
    --------
    >>> from recsys_metrics import convert
    >>> table = {"who": ["a", "b", "a"], "what": [1, 2, 3], "stars": [5, 4, 0]}
    >>> convert.relevant_from_frame(table, user="who", item="what", grade="stars")
    {'a': {1: 5.0, 3: 0.0}, 'b': {2: 4.0}}
    """
    columns = _columns(frame, [user, item] if grade is None else [user, item, grade])
    grades = np.ones(len(columns[0]))
    if grade is not None:
        grades = as_numbers(columns[2], f"the column {grade!r}")
        if (odd := ~np.isfinite(grades)).any():
            row = int(odd.argmax())
            raise ValueError(
                f"row {row} of {grade!r} is {grades[row]}, not a finite number; leave such rows "
                "out, or give items that were judged not relevant the grade 0"
            )
    found: Truths = {}
    users, items = columns[0].tolist(), columns[1].tolist()
    _check_ids(users, user)
    _check_ids(items, item)
    rows = zip(users, items, grades.tolist(), strict=True)
    for number, (who, what, worth) in enumerate(rows):
        of_user = found.setdefault(who, {})
        if what in of_user:
            raise ValueError(f"row {number} has item {what!r} of user {who!r} a second time")
        of_user[what] = worth
    return found


def _read_columns(
    source: Source, wide: int, form: str, at: int, name: str
) -> dict[str, dict[str, float]]:
    """Return the numbers of a column by user and item; `form` says which columns there should be.

    Raises
    ------
    ValueError
        If a line has another form, or a user has an item twice.
    """
    if isinstance(source, str | PathLike):
        path = Path(fspath(source))
        # Windows' editors mark a file as UTF-8 by a sign that would become part of the user.
        try:
            with path.open(encoding="utf-8-sig") as lines:
                return _numbers_of_lines(lines, wide, form, at, name, f"{path}, ")
        except UnicodeDecodeError:
            raise ValueError(
                f"{path} is not text in UTF-8; was it saved in UTF-16, or is it compressed? Save "
                "it in UTF-8, or unpack it"
            ) from None
    if not isinstance(source, Iterable):
        raise TypeError(f"source must be a path, or lines of text; got {kind(source)}")
    return _numbers_of_lines(source, wide, form, at, name, "")


def _refuse_inexact(value: float, text: str, where: str, name: str) -> None:
    """Raise if a whole number lost digits as a float, so that others would equal it."""
    if int(value) != int(text):
        raise ValueError(
            f"{where} has the {name} {text}, a whole number with more digits than a float stores: "
            "different ones would be equal. Subtract the smallest from all, or divide them"
        )


def _numbers_of_lines(
    lines: Iterable[str], wide: int, form: str, at: int, name: str, file: str
) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    last, row = None, {}
    for number, line in enumerate(lines, start=1):
        if not isinstance(line, str):
            raise TypeError(f"line {number} of source must be text; got {kind(line)}")
        if "\0" in line:
            raise ValueError(
                f"{file}line {number} has a NUL character: this is not text, or text in UTF-16; "
                "save the file in UTF-8"
            )
        columns = line.split()
        if number == 1 and columns:
            columns[0] = columns[0].removeprefix("\ufeff")
        if any("\ufeff" in each for each in columns):
            raise ValueError(
                f"{file}line {number} has a byte-order mark within the text, as where files were "
                "joined; remove it"
            )
        if len(columns) != wide or columns[0][0] == "#":
            if not columns or columns[0][0] == "#":
                continue
            raise ValueError(
                f"{file}line {number} has {len(columns)} columns; {form}: {line.rstrip()!r:.80}"
            )
        user, item = columns[0], columns[2]
        try:
            # Python reads 1_0 as ten, and the digits of any script; in a file that is damage.
            is_plain = columns[at].isascii() and "_" not in columns[at]
            value = float(columns[at]) if is_plain else math.nan
        except ValueError:
            value = math.nan
        if not -math.inf < value < math.inf:
            raise ValueError(
                f"{file}line {number} has the {name} {columns[at]!r:.60}, not a finite number"
            )
        if abs(value) >= _EXACT and (whole := _WHOLE.fullmatch(columns[at])):
            _refuse_inexact(value, whole[1] + whole[2], f"{file}line {number}", name)
        if user != last:
            last, row = user, found.setdefault(user, {})
        if item in row:
            raise ValueError(
                f"{file}line {number} has item {item!r} of user {user!r} a second time"
            )
        row[item] = value
    return found


def _check_user(user: Hashable) -> str:
    text = _check_word(user, "user")
    if text[0] == "#":
        raise ValueError(
            f"user {user!r} begins with #, which makes its lines comments; write it in another way"
        )
    return text


def _refuse_equal_texts(by_user: Mapping[Any, Iterable[Any]]) -> None:
    """Raise if a user, or an item of one, would be there twice as text: 1 and "1"."""
    for user, row in by_user.items():
        if isinstance(row, str | bytes):
            raise TypeError(f"user {user!r} has the single id {row!r:.60}; write [{row!r:.60}]")
        if not isinstance(row, Iterable):
            raise TypeError(f"user {user!r} has {kind(row)}, and not ids; got {row!r:.60}")
    if len({*map(str, by_user)}) < len(by_user):
        user = next(user for user, times in Counter(map(str, by_user)).items() if times > 1)
        raise ValueError(f"user {user!r} is there twice, as text")
    for user, row in by_user.items():
        texts = [*map(str, row)]
        if len({*texts}) < len(texts):
            item, _ = Counter(texts).most_common(1)[0]
            raise ValueError(f"item {item!r} of user {user!r} is there twice, as text")


def _as_text(value: Any, name: str) -> str:
    """Return an id as the text that a file or another library has for it.

    Raises
    ------
    TypeError, ValueError
        If the text would be that of another id: 1.0 is 1 for Python, and b"a" is not "b'a'".
    """
    if is_missing(value):
        raise ValueError(f"{name} {value!r} is no id; leave it out")
    if isinstance(value, bool | np.bool_ | bytes | float | np.floating):
        cure = {bytes: "decode it, .decode()", bool: "give the id of the item"}.get(
            type(value), "as text it differs from the whole number; pass whole numbers or text"
        )
        raise TypeError(f"{name} {value!r} is {kind(value)}; {cure}")
    return str(value)


def _check_word(value: Hashable, name: str) -> str:
    text = _as_text(value, name)
    if not text.isascii() and has_half_a_character(text):
        raise ValueError(f"{name} {value!a:.80} contains half a character, which no file holds")
    if "\0" in text:
        raise ValueError(f"{name} {value!a:.80} contains a NUL character, which no reader takes")
    if not text or text.split() != [text]:
        raise ValueError(f"{name} {value!r} has a space in it or is empty; columns end at spaces")
    return text


def _check_ids(ids: list[Any], column: str) -> None:
    """Raise if a row has no id, or if some ids can never equal others that look like them."""
    missing = next((row for row, each in enumerate(ids) if is_missing(each)), None)
    if missing is not None:
        raise ValueError(
            f"row {missing} of {column!r} is {ids[missing]!r}, which is no id; leave such rows out"
        )
    refuse_arrays(ids, f"an entry of {column!r}")
    refuse_odd_ids(ids, f"the column {column!r}")
    kinds = id_kinds(ids)
    if len(kinds) > 1:
        first = next(each for each in ids if id_kinds([each]) != id_kinds(ids[:1]))
        raise ValueError(
            f"the column {column!r} contains {' and '.join(sorted(kinds))}, {ids[0]!r} "
            f"and {first!r}; "
            "turn all ids into one type"
        )


def _columns(frame: Any, names: Sequence[str]) -> list[NDArray[Any]]:
    frame = in_memory(frame)
    known = column_names(frame)
    for name in names:
        if not is_among(name, known):
            raise ValueError(
                f"there is no column {name!r:.60}; there are {', '.join(map(repr, known))}"
            )
        if known.count(name) > 1:
            raise ValueError(f"the frame has {known.count(name)} columns {name!r}; rename one")
    if names[0] == names[1]:
        raise ValueError(f"user and item are both the column {names[0]!r}; name two columns")
    given = {str(name): column_of(frame, name) for name in names}
    refuse_other_labels(**given)
    columns = {name: np.asarray(as_labels(column, name)) for name, column in given.items()}
    for name, column in columns.items():
        if column.ndim != 1:
            raise ValueError(f"the column {name!r} has the shape {column.shape}; give one row")
    check_lengths(**columns)
    _refuse_repeated_names(columns)
    return [columns[str(name)] for name in names]


def _refuse_repeated_names(columns: Mapping[str, NDArray[Any]]) -> None:
    """Raise if a row has the names of the columns: it would become a user."""
    # Where a column holds numbers alone, no row repeats its name.
    if any(values.dtype.kind not in "OUT" for values in columns.values()):
        return
    # One by one, for pandas' NA is neither equal nor not.
    repeated = np.logical_and.reduce(
        [
            [isinstance(each, str) and each == name for each in values.tolist()]
            for name, values in columns.items()
        ]
    )
    if repeated.any():
        raise ValueError(
            f"row {int(repeated.argmax())} repeats the names of the columns, "
            f"{', '.join(map(repr, columns))}, as where files were joined; leave such rows out"
        )
