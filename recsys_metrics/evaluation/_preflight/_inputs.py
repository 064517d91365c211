"""Read an evaluation as it is, faults included: nothing is refused that a check can report."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.checks import is_one_of
from recsys_metrics._core.inputs.arrays import as_array, is_array
from recsys_metrics._core.inputs.catalog import catalog_ids
from recsys_metrics._core.inputs.frames import (
    column_names,
    entries_of,
    find_column,
    in_memory,
    is_frame,
)
from recsys_metrics._core.inputs.ids import is_missing, kind
from recsys_metrics._core.inputs.parse_lists import parse_lists
from recsys_metrics._core.inputs.parse_sets import ParsedSets, parse_sets
from recsys_metrics._core.inputs.ties import best_first
from recsys_metrics.interactions import Interactions

Grades = dict[Hashable, float]
_MOST_RANKS = 1000  # more of a list tells no check anything


@dataclass(frozen=True)
class GivenLists:
    """Ranked lists as they were given, with repeats and missing items, and scores where known."""

    users: list[Hashable]
    rows: list[list[Any]]
    scores: list[Mapping[Any, float]] | None
    keyed: bool


def read_given_lists(recommended: Any, columns: Mapping[str, str]) -> GivenLists:
    """Return lists of any form that `evaluate` takes."""
    if is_frame(recommended):
        return _lists_of_frame(recommended, columns)
    parsed = parse_lists(recommended)
    keyed = parsed.users is not None
    users: list[Hashable] = [*(parsed.users or range(len(parsed.rows)))]
    if isinstance(parsed.rows, np.ndarray):
        table = parsed.rows[:, :_MOST_RANKS]
        rows = [[item for item in row if item >= 0] for row in table.tolist()]
        return GivenLists(users, rows, None, keyed)
    scored = [row for row in parsed.rows if isinstance(row, Mapping)]
    if scored:
        rows = [_in_order(row) if isinstance(row, Mapping) else [*row] for row in parsed.rows]
        scores = [row if isinstance(row, Mapping) else {} for row in parsed.rows]
        return GivenLists(users, rows, scores, keyed)
    return GivenLists(users, [_plain_row(row)[:_MOST_RANKS] for row in parsed.rows], None, keyed)


def _plain_row(row: Any) -> list[Any]:
    return row.tolist() if isinstance(row, np.ndarray) else [*row]


def _in_order(scores: Mapping[Any, float]) -> list[Any]:
    """Return items by descending score, equal ones by their ids; without a score they come last."""
    known = {
        item: float(score)
        if isinstance(score, int | float | np.number) and not math.isnan(score)
        else -math.inf
        for item, score in scores.items()
    }
    return best_first(sorted(scores, key=_by_text), known, "order")[:_MOST_RANKS]


def _lists_of_frame(frame: Any, columns: Mapping[str, str]) -> GivenLists:
    frame = in_memory(frame, "recommended")
    user, item, rank, score = (
        find_column(frame, role, _column(frame, role, columns), needed=role in ("user", "item"))
        for role in ("user", "item", "rank", "score")
    )
    by: Any = None
    if rank is not None:
        by = np.asarray(entries_of(rank), dtype=np.float64)
    elif score is not None:
        by = -np.asarray(entries_of(score), dtype=np.float64)
    users, items = entries_of(user), entries_of(item)
    order = range(len(users)) if by is None else np.argsort(by, kind="stable").tolist()
    rows: dict[Hashable, list[Any]] = {each: [] for each in users}
    points: dict[Hashable, dict[Any, float]] = {each: {} for each in rows}
    for at in order:
        rows[users[at]].append(items[at])
        if by is not None:
            points[users[at]].setdefault(items[at], -float(by[at]))
    scored: list[Mapping[Any, float]] | None = None
    if rank is None and score is not None:
        scored = [*points.values()]
    return GivenLists([*rows], [row[:_MOST_RANKS] for row in rows.values()], scored, True)


def _column(frame: Any, role: str, columns: Mapping[str, str]) -> str | None:
    """Return the name of a role's column where this frame has it."""
    name = columns.get(role)
    return name if name in column_names(frame) else None


def read_given_sets(
    given: Any, name: str, lists: GivenLists, columns: Mapping[str, str]
) -> dict[Hashable, Grades]:
    """Return the items of each user with their grades, 1 where there are none."""
    if is_frame(given):
        return _sets_of_frame(given, name, columns)
    parsed = parse_sets(given, name)
    if parsed.by_user is not None and isinstance(given, Mapping):
        return {user: _grades(entry) for user, entry in given.items()}
    rows = _rows_of(parsed, single=len(lists.users) == 1 and not lists.keyed)
    keys: Iterable[Hashable] = range(len(rows))
    if not lists.keyed and len(rows) != len(lists.users) and name == "relevant":
        raise ValueError(
            f"recommended has {len(lists.users):,} lists and {name} {len(rows):,} entries; give "
            "one for each list, or key both by user"
        )
    if lists.keyed and len(rows) == len(lists.users) and not _is_numbered(lists.users):
        keys = lists.users
    return {user: row for user, row in zip(keys, rows, strict=True) if row}


def _is_numbered(users: Sequence[Any]) -> bool:
    return all(isinstance(user, int | np.integer) for user in users)


def _rows_of(parsed: ParsedSets, *, single: bool) -> list[Grades]:
    """Return the sets of a sparse table, an array or a sequence."""
    if parsed.sparse is not None:
        indptr, items, grades = (np.asarray(part) for part in _filled(parsed.sparse))
        ends = indptr.tolist()
        flat, values = items.tolist(), grades.tolist()
        return [
            dict(zip(flat[start:end], values[start:end], strict=True))
            for start, end in pairwise(ends)
        ]
    if parsed.table is not None:
        table = np.atleast_2d(parsed.table).tolist() if single else parsed.table.tolist()
        return [{item: 1.0 for item in row if item != -1} for row in table]
    given = parsed.given
    if not isinstance(given, Iterable):
        raise TypeError(f"{parsed.name} has no sets of items; got {given!r:.60}")
    if single and not any(isinstance(each, list | set | frozenset | dict) for each in given):
        return [_grades(given)]
    return [_grades(entry) for entry in given]


def _filled(sparse: Any) -> tuple[Any, Any, Any]:
    indptr, items, grades = sparse
    return indptr, items, np.ones(len(items)) if grades is None else grades


def _grades(entry: Any) -> Grades:
    if isinstance(entry, Mapping):
        return {item: float(grade) for item, grade in entry.items()}
    if isinstance(entry, str | bytes) or not isinstance(entry, Iterable):
        raise TypeError(f"a user has the items {entry!r:.40}, which is one id; give a set of ids")
    return dict.fromkeys(as_array(entry, "items").tolist() if is_array(entry) else entry, 1.0)


def _sets_of_frame(frame: Any, name: str, columns: Mapping[str, str]) -> dict[Hashable, Grades]:
    frame = in_memory(frame, name)
    user = entries_of(find_column(frame, "user", _column(frame, "user", columns), needed=True))
    item = entries_of(find_column(frame, "item", _column(frame, "item", columns), needed=True))
    grade = None
    if name == "relevant":
        grade = find_column(frame, "grade", _column(frame, "grade", columns), needed=False)
    values = [1.0] * len(user) if grade is None else [*map(float, entries_of(grade))]
    sets: dict[Hashable, Grades] = {}
    for who, what, value in zip(user, item, values, strict=True):
        own = sets.setdefault(who, {})
        own[what] = max(value, own.get(what, value))
    return sets


@dataclass(frozen=True)
class EvaluationInput:
    """Lists, truth and context of one evaluation, aligned by user.

    Attributes
    ----------
    users : list
        Of either side; those with a list come first, in its order.
    rows : list of lists
        The list of each user as given; empty where there is none.
    truth, history : lists of mappings and of sets
        Relevant items with grades that count, and earlier items, of each user. The history is None
        where none was given.
    has_list, has_truth : (n,) arrays of bool
    scores : list of mappings or None
    keyed : bool
        Whether lists came with the ids of their users.
    catalog : set or None
        Ids that can be recommended.
    catalog_size : int or None
    width : int or None
        Number of the items of an event log, which are numbered from 0.
    """

    users: list[Hashable]
    rows: list[list[Any]]
    truth: list[Grades]
    graded: list[Grades]
    history: list[set[Hashable]] | None
    history_users: set[Hashable]
    history_counts: Mapping[Hashable, int]
    has_list: NDArray[np.bool_]
    has_truth: NDArray[np.bool_]
    scores: list[Mapping[Any, float]] | None
    keyed: bool
    catalog: set[Hashable] | None
    catalog_size: int | None
    width: int | None
    k: int

    @cached_property
    def lists(self) -> list[list[Hashable]]:
        """The lists without repeats and missing items."""
        return [[*dict.fromkeys(item for item in row if not is_gap(item))] for row in self.rows]

    @cached_property
    def top(self) -> list[list[Hashable]]:
        """The lists down to rank K."""
        return [row[: self.k] for row in self.lists]

    @cached_property
    def pool(self) -> list[Hashable]:
        """What random lists are drawn from: the catalogue, or all items that occur.

        Of a catalogue of which only the size is known, items that do not occur have no id.
        """
        if self.catalog is not None:
            return sorted(self.catalog, key=_by_text)
        known = sorted(self.occurring, key=_by_text)
        return [*known, *(_Unknown(at) for at in range((self.catalog_size or 0) - len(known)))]

    @cached_property
    def occurring(self) -> set[Hashable]:
        """Every item of a list, of the truth, or of the history."""
        return {
            *(item for row in self.lists for item in row),
            *(item for own in self.truth for item in own),
            *self.history_counts,
        }

    @property
    def knows_pool(self) -> bool:
        """Whether the pool is that of the recommender and not made from a part of its lists."""
        return (
            self.catalog is not None or self.catalog_size is not None or bool(self.history_counts)
        )


@dataclass(frozen=True)
class _Unknown:
    """An item of the catalogue of which no id is known."""

    number: int


def is_gap(item: Any) -> bool:
    """Whether an entry of a list is no item."""
    return is_missing(item) or is_one_of(item, ("",))


def _by_text(item: Hashable) -> tuple[str, str]:
    return type(item).__name__, f"{item:020d}" if type(item) is int else str(item)


def read_evaluation(
    recommended: Any,
    relevant: Any,
    *,
    history: Any,
    catalog: Any,
    threshold: float | None,
    k: int | None,
    columns: Mapping[str, str],
) -> EvaluationInput:
    """Return lists, truth and context, whatever is wrong with them."""
    given = read_given_lists(recommended, columns)
    graded = read_given_sets(relevant, "relevant", given, columns)
    seen = {} if history is None else read_given_sets(history, "history", given, columns)
    if not given.users and not graded:
        raise ValueError("there is no list to check: recommended and relevant are both empty")
    users = [*dict.fromkeys((*given.users, *graded))]
    least = np.nextafter(0, 1) if threshold is None else threshold
    truth = {
        user: {item: grade for item, grade in own.items() if grade >= least}
        for user, own in graded.items()
    }
    listed = dict(zip(given.users, given.rows, strict=True))
    counts: dict[Hashable, int] = {}
    for own in seen.values():
        for item in own:
            counts[item] = counts.get(item, 0) + 1
    scores = None
    if given.scores is not None:
        scored = dict(zip(given.users, given.scores, strict=True))
        scores = [scored.get(user, {}) for user in users]
    ids, size = _read_catalog(catalog)
    width = history.n_items if isinstance(history, Interactions) else None
    longest = max(map(len, given.rows), default=0)
    return EvaluationInput(
        users=users,
        rows=[listed.get(user, []) for user in users],
        truth=[truth.get(user, {}) for user in users],
        graded=[graded.get(user, {}) for user in users],
        history=None if history is None else [{*seen.get(user, {})} for user in users],
        history_users={user for user, own in seen.items() if own},
        history_counts=counts,
        has_list=np.array([bool(listed.get(user)) for user in users], dtype=np.bool_),
        has_truth=np.array([bool(truth.get(user)) for user in users], dtype=np.bool_),
        scores=scores,
        keyed=given.keyed,
        catalog=ids,
        catalog_size=size if size is not None else width,
        width=width,
        k=k or max(longest, 1),
    )


def _read_catalog(catalog: Any) -> tuple[set[Hashable] | None, int | None]:
    """Return the ids that can be recommended, and their number."""
    if catalog is None:
        return None, None
    if isinstance(catalog, bool | float):
        raise TypeError(f"catalog is {catalog!r}, {kind(catalog)}; give item ids, or their number")
    if isinstance(catalog, int | np.integer):
        if catalog < 1:
            raise ValueError(f"catalog is {catalog}; give a number of items of 1 or more, or ids")
        return None, int(catalog)
    ids = {*catalog_ids(catalog)}
    if not ids:
        raise ValueError("catalog is empty; give the ids of the items that can be recommended")
    return ids, len(ids)
