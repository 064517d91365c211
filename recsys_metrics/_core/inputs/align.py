"""Bring lists and the items that are relevant to each together: same users, same ids.

`parse_lists` and `parse_sets` say which form each side has. Only here are the two compared: whose
list belongs to whose items, whether one entry of a side may mean two things beside the other, and
whether their ids can be equal at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from recsys_metrics._core.inputs.arrays import as_array, is_array
from recsys_metrics._core.inputs.frames import entries_of, ids_of_row, is_column
from recsys_metrics._core.inputs.ids import flatten, id_kinds, is_missing, kind, whole_numbers
from recsys_metrics._core.inputs.item_sets import (
    GRADE_CURE,
    ContradictoryGradesError,
    ItemSets,
    as_sets,
    first_repeat,
    merge_repeats,
)
from recsys_metrics._core.inputs.lists import Lists, Repeats, number_lists
from recsys_metrics._core.inputs.parse_lists import ParsedLists
from recsys_metrics._core.inputs.parse_sets import ParsedSets, parse_sets, refuse_plain_triple
from recsys_metrics._core.inputs.tables import row_of, row_pointers
from recsys_metrics._core.inputs.ties import ListTies
from recsys_metrics._core.inputs.users import check_same_users, refuse_no_user

_CURE = "a grade is a number; turn it into one with float(…)"
_WITHOUT_REPEATS = {set, frozenset, dict}


def align(
    recommended: ParsedLists,
    relevant: ParsedSets,
    *,
    k: int | None = None,
    ties: ListTies = "id",
    repeats: Repeats = "raise",
) -> tuple[Lists, ItemSets]:
    """Return lists down to rank k as item numbers, and the graded items of each.

    A user with relevant items and without a list gets an empty one. An item that is named again
    as relevant is an error, unless `repeats` are taken out: then it counts once, and only two
    different grades are an error.

    Raises
    ------
    ValueError, TypeError
        If the two sides have different users or numbers of lists, or ids that can never be equal,
        or an id or a grade is none.
    """
    if recommended.is_nothing and relevant.is_nothing:
        # No list at all, rather than one without an item.
        recommended = ParsedLists(np.empty((0, 0), dtype=np.intp), None, False, recommended.name)
    lists = number_lists(recommended, ties=ties, k=k, repeats=repeats)
    name = relevant.name
    if lists.users is not None:
        by_user = _by_user(relevant)
        refuse_no_user(by_user, name)
        check_same_users(lists.users, by_user, recommended.name, name)
        lists = lists.with_users(list(by_user))
    entries = None
    sets = _sets_of_arrays(lists, relevant)
    if sets is None:
        entries = _entries(lists, relevant)
        if lists.ids.index is None and not lists.ids.strict:
            flat = flatten(entries)
            # Numbers that are no item numbers, 0.5 or -3, are ids all the same.
            if whole_numbers(flat) is None and id_kinds(flat) == {"numbers"}:
                lists = lists.with_labels()
        sets = _number_entries(entries, lists, name, graded=True)
    _refuse_bad_grades(sets, lists, name)
    if entries is None or not {*map(type, entries)} <= _WITHOUT_REPEATS:
        if repeats != "raise":
            sets = _merge_repeats(sets, lists, name)
        _refuse_repeats(sets, lists, name)
    return lists, sets


def read_sets(given: Any, lists: Lists, name: str, *, graded: bool = False) -> ItemSets:
    """Return one set of items per list, in any form that relevant items may have, without grades.

    An item counts once, however often it is named. `graded` leaves out items of grade 0; without
    it a mapping's values say nothing, as counts of a history do not. Where both sides are keyed by
    user, some may be on one of them only, but not all, and not because their ids differ in type.
    """
    if isinstance(given, ItemSets):
        return given
    parsed = parse_sets(given, name)
    sets = _sets_of_arrays(lists, parsed)
    if sets is None:
        if lists.users is not None:
            check_same_users(lists.users, _by_user(parsed), "recommended", name)
        sets = _number_entries(_entries(lists, parsed), lists, name, graded=graded)
    if sets.given_grades is None or (parsed.is_log and not graded):
        return as_sets(sets.rows, sets.items, len(lists))
    _refuse_bad_grades(sets, lists, name, negative=not graded)
    counts = sets.grades != 0
    return as_sets(sets.rows[counts], sets.items[counts], len(lists))


def _sets_of_arrays(lists: Lists, parsed: ParsedSets) -> ItemSets | None:
    """Return sets of item numbers, if they came as arrays."""
    name = parsed.name
    if parsed.sparse is not None:
        indptr, items, grades = parsed.sparse
    elif parsed.is_plain_triple:
        refuse_plain_triple(parsed, len(lists), single=lists.single)
        return None
    elif parsed.table is not None:
        array = _item_numbers(parsed.table, lists, name)
        if array is None:
            return None
        filled = array >= 0
        if array.size and array.min() < -1:
            row, column = (int(x) for x in np.argwhere(array < -1)[0])
            raise ValueError(
                f"{lists.name(row) if row < len(lists) else f'row {row}'}{_has(name)} "
                f"{array[row, column]}; ids are 0 or more, and -1 is an empty slot"
            )
        indptr, items, grades = row_pointers(filled.sum(axis=1)), array[filled], None
    else:
        return None
    _check_sparse_rows(indptr, items, grades, lists, name)
    lists.ids.take_numbers(name)
    return ItemSets(np.asarray(indptr, dtype=np.intp), items, grades)


def _item_numbers(array: Any, lists: Lists, name: str) -> Any:
    """Return an array as a table of item numbers, a row for each list; None if it is none."""
    one_row = lists.single and array.ndim == 1 and array.dtype.kind in "iu"
    array = array[None] if one_row else array
    if array.ndim != 2:
        if array.ndim == 1 and not lists.single and array.dtype.kind in "iuf":
            raise TypeError(
                f"{name} is one row of {len(array)} for {len(lists)} lists: is each entry the "
                f"one item of a list, or the row the items of a single list? Write "
                f"{name}[:, None] for one item each; if there is one list only, pass it as "
                "one, recommended[0]"
            )
        return None
    if array.dtype.kind not in "iu":
        if array.dtype.kind in "fb":
            raise TypeError(_dense(name, array, "its values are no ids"))
        return None
    if lists.ids.index and id_kinds(lists.ids.index) == {"numbers"}:
        return None  # Ids too large to be item numbers, or 0.5.
    if not one_row:
        _refuse_dense(array, lists, name)
    return array


def _check_sparse_rows(indptr: Any, items: Any, grades: Any, lists: Lists, name: str) -> None:
    if items.dtype.kind not in "iu":
        raise TypeError(f"items of {name} must be whole numbers, got {items.dtype}")
    cure = ""
    if grades is not None and len(lists) == 3:
        cure = (
            ". If three arrays contain the items of three lists, pass them in a list, not a tuple"
        )
    if len(indptr) != len(lists) + 1:
        raise ValueError(
            f"recommended has {len(lists)} lists and {name} {max(0, len(indptr) - 1)}; each "
            f"list needs its own{cure}"
        )
    n_grades = len(items) if grades is None else len(grades)
    if not (
        len(items) == n_grades == indptr[-1] and indptr[0] == 0 and (np.diff(indptr) >= 0).all()
    ):
        raise ValueError(
            f"{name} is no valid (indptr, items, grades): indptr must rise from 0 to the number "
            f"of items, which is {len(items)}, with {n_grades} grades{cure}"
        )
    if items.size and items.min() < 0:
        row = row_of(indptr, int(items.argmin()))
        raise ValueError(f"{lists.name(row)}{_has(name)} {items.min()}; ids are 0 or more")


def _refuse_dense(array: Any, lists: Lists, name: str) -> None:
    """Raise if a table of item numbers may be a users x items table of grades."""
    width = array.shape[1]
    if lists.ids.index or width < 2 or not array.size or array.min() < 0:
        return
    # With fewer columns than there are items, it is none of grades.
    if 0 <= int(lists.items.max(initial=-1)) < width:
        ordered = np.sort(array, axis=1)
        twice = (ordered[:, 1:] == ordered[:, :-1]).any()
        reading = "one item twice" if twice else f"{width} items for each list"
        raise TypeError(_dense(name, array, f"as ids it would name {reading}"))


def _dense(name: str, array: Any, but: str) -> str:
    return (
        f"{name} is a table of shape {array.shape}: does it contain grades, a column for "
        f"each item, "
        f"or the ids of the items, a row for each list? For grades pass "
        f"scipy.sparse.csr_array({name}) ({but}); for ids pass {name}.tolist()"
    )


def _entries(lists: Lists, parsed: ParsedSets) -> list[Any]:
    """Return one collection of ids per list."""
    given, name = parsed.given, parsed.name
    if lists.users is not None:
        by_user = _by_user(parsed)
        entries = [by_user.get(user, ()) for user in lists.users]
    elif lists.single:
        entries = [given]
        _refuse_several(given, name)
    else:
        if parsed.by_user is not None and not isinstance(given, Mapping):
            raise TypeError(
                f"{name} is a column whose index is not 0, 1, 2, …, so it belongs to users, but "
                "recommended is not keyed by user; key both, or pass the entries in the lists' "
                f"order: {name}.tolist()"
            )
        if is_column(given):
            given = entries_of(given)
        if isinstance(given, Mapping):
            raise TypeError(
                f"{name} is keyed by user, so recommended must be too: a mapping from user to "
                "list, which convert.lists_from_array(recommended, users=…) makes of an array; for "
                f"{len(lists)} lists in an order give a sequence with the items of each"
            )
        if isinstance(given, AbstractSet | str | bytes) or not isinstance(
            given, Sequence | np.ndarray
        ):
            raise TypeError(
                f"recommended has {len(lists)} lists, so {name} must be a sequence with the "
                f"items of each, not {kind(given)}"
            )
        entries = list(given)
    if len(entries) != len(lists):
        raise ValueError(
            f"recommended has {len(lists)} lists and {name} {len(entries)} entries; each list "
            "needs its own"
        )
    if {*map(type, entries)} <= _WITHOUT_REPEATS | {list, tuple, range}:
        return entries
    return [_collection(entry, lists.name(row), name) for row, entry in enumerate(entries)]


def _by_user(parsed: ParsedSets) -> Mapping[Any, Any]:
    """Return what is keyed by user, as it has to be where the lists are."""
    if parsed.by_user is None:
        raise TypeError(
            f"recommended is keyed by user, so {parsed.name} must be too: a mapping from user to "
            f"the user's {_items(parsed.name)}, not {kind(parsed.given)}"
        )
    return parsed.by_user


def _collection(entry: Any, whose: str, name: str) -> Any:
    """Return a collection of ids, or a mapping from id to grade."""
    if isinstance(entry, list | tuple | range | AbstractSet | Mapping):
        return entry
    if is_column(entry):
        return ids_of_row(entry, f"{name} of {whose}")
    if is_array(entry):
        array = as_array(entry, f"{name} of {whose}")
        if array.ndim == 1:
            # As in a table, -1 is an empty slot.
            return array[array != -1] if array.dtype.kind == "i" else array
        raise TypeError(f"{name} of {whose} is an array of shape {array.shape}; a set has one axis")
    if isinstance(entry, str | bytes | Real):
        raise TypeError(
            f"{whose} has the {_items(name)} {entry!r}, which is one id; write {{{entry!r}}} for "
            "a set of one"
        )
    raise TypeError(
        f"{name} of {whose} must be a set of ids or a mapping from id to grade, not {kind(entry)}"
    )


def _refuse_several(given: Any, name: str) -> None:
    """Raise if there is one list, and sets of several."""
    if isinstance(given, list | tuple) and any(
        isinstance(entry, list | AbstractSet | Mapping) or is_array(entry) for entry in given
    ):
        raise ValueError(
            f"recommended is one list but {name} has {len(given)} entries of several ids; give "
            f"the {_items(name)} of this one list"
        )


def _number_entries(entries: Sequence[Any], lists: Lists, name: str, *, graded: bool) -> ItemSets:
    """Return the item numbers of collections of ids, and the grades if any is a mapping."""
    sizes = np.fromiter(map(len, entries), np.intp, len(entries))
    flat = flatten(entries)
    _refuse_other_kinds(flat, lists, name)

    def where(at: int) -> tuple[str, str]:
        row = int(np.searchsorted(np.cumsum(sizes), at, side="right"))
        return f"{lists.name(row)}{_has(name)}", ""

    numbers = lists.ids.number(flat, where)
    grades = None
    if graded and any(issubclass(kind, Mapping) for kind in {*map(type, entries)}):
        grades = np.ones(len(flat))
        ends = np.cumsum(sizes)
        for row, entry in enumerate(entries):
            if isinstance(entry, Mapping):
                _refuse_no_grades(entry, lists.name(row))
                try:
                    grades[ends[row] - sizes[row] : ends[row]] = _as_floats(entry.values())
                except OverflowError:
                    raise ValueError(
                        f"a grade of {lists.name(row)} is too large for a float"
                    ) from None
    return ItemSets(row_pointers(sizes), numbers, grades)


def _refuse_other_kinds(flat: list[Any], lists: Lists, name: str) -> None:
    """Raise if the ids of the two sides are of kinds that can never be equal."""
    ids = lists.ids
    listed = {"numbers"} if ids.index is None else id_kinds(ids.index)
    kinds = id_kinds(flat)
    if not listed or not kinds or listed & kinds or not (lists.items >= 0).any():
        return
    if any(map(is_missing, flat)):
        # Then that is what is wrong, and numbering will say so.
        return
    some = ids.label(int(lists.items[lists.items >= 0][0]))
    cure = ""
    if "numbers" in listed and "text" in kinds:
        cure = (
            "; if the numbers are those of items with such ids, "
            "convert.lists_from_array(recommended, items=the id of each number) names them"
        )
    raise ValueError(
        f"the lists contain {' and '.join(sorted(listed))}, {some!r} for one, and the "
        f"{_items(name)} {' and '.join(sorted(kinds))}, {flat[0]!r} for one: they can never match. "
        f"Use the same ids on both sides{cure}"
    )


def _refuse_no_grades(entry: Mapping[Any, Any], whose: str) -> None:
    """Raise if a mapping's values are no numbers."""
    kinds = set(map(type, entry.values()))
    if all(map(_is_number, kinds)):
        if any(issubclass(kind, Decimal) for kind in kinds):
            _refuse_signals(entry, whose)
        return
    item, grade = next(
        (item, grade) for item, grade in entry.items() if not _is_number(type(grade))
    )
    raise TypeError(f"{whose} has grade {grade!r} for item {item!r}; {_CURE}")


def _is_number(kind: type) -> bool:
    # numpy's times count as its whole numbers.
    return issubclass(kind, Real | Decimal | np.number | np.bool_) and not issubclass(
        kind, np.timedelta64 | np.complexfloating
    )


def _as_floats(grades: Iterable[Any]) -> list[float]:
    """Return grades as floats: 0.7 with 32 bits is the grade 0.7, and not a little less."""
    values = [*grades]
    if not any(issubclass(kind, np.floating) for kind in {*map(type, values)} - {np.float64}):
        return values
    return [float(str(each)) if isinstance(each, np.floating) else float(each) for each in values]


def _refuse_signals(entry: Mapping[Any, Any], whose: str) -> None:
    """Raise if a grade is a decimal number that is none, and that no float is."""
    for item, grade in entry.items():
        if isinstance(grade, Decimal) and grade.is_snan():
            raise ValueError(f"{whose} has grade {grade!r} for item {item!r}; {_CURE}")


def _refuse_bad_grades(sets: ItemSets, lists: Lists, name: str, *, negative: bool = False) -> None:
    """Raise if a grade is not finite, or below 0 where that is not allowed."""
    if sets.given_grades is None:
        return
    bad = np.isnan(sets.grades) if negative else ~(np.isfinite(sets.grades) & (sets.grades >= 0))
    if bad.any():
        at = int(bad.argmax())
        of = "" if name == "relevant" else f" of {name}"
        raise ValueError(
            f"{lists.name(row_of(sets.indptr, at))}{of} has grade {sets.grades[at]!s} for item "
            f"{lists.ids.label(int(sets.items[at]))!r}; a grade is a finite number, 0 or more"
        )


def _refuse_repeats(sets: ItemSets, lists: Lists, name: str) -> None:
    """Raise if an item is named twice for one list."""
    repeat = first_repeat(sets.indptr, sets.items)
    if repeat is None:
        return
    row, item = repeat
    label = lists.ids.label(item)
    cure = ""
    if label in (0, 1):
        cure = (
            f". If {name} is a users x items table of grades, a column for each item, pass "
            f"scipy.sparse.csr_array({name})"
        )
    raise ValueError(
        f"{lists.name(row)}{_has(name)} {label!r} twice; name each {_items(name)[:-1]} once{cure}"
    )


def _merge_repeats(sets: ItemSets, lists: Lists, name: str) -> ItemSets:
    """Return sets with each item once; raise if one has two grades."""
    try:
        return merge_repeats(sets)
    except ContradictoryGradesError as found:
        raise ValueError(
            f"{lists.name(found.row)}{_has(name)} {lists.ids.label(found.item)!r} with the grades "
            f"{found.low:g} and {found.high:g}; {GRADE_CURE}"
        ) from None


def _items(name: str) -> str:
    return "relevant items" if name == "relevant" else f"items of {name}"


def _has(name: str) -> str:
    return " has the relevant item" if name == "relevant" else f" has in {name} the item"
