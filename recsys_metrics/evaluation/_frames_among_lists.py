"""Read data frames that come together with lists, arrays or mappings."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from recsys_metrics import convert
from recsys_metrics._core.inputs.categories import categories_by_item
from recsys_metrics._core.inputs.frames import (
    ColumnError,
    column_names,
    entries_of,
    find_column,
    in_memory,
    is_frame,
)
from recsys_metrics._core.inputs.item_sets import GRADE_CURE
from recsys_metrics._core.inputs.ties import ListTies

_HOW_TO_RENAME = ". Name them: columns={'user': …, 'item': …}"


def read_lists(recommended: Any, columns: Mapping[str, str], ties: ListTies) -> Any:
    """Return lists by user where they came as a frame, and anything else as it is."""
    if not is_frame(recommended):
        return recommended
    found = _find_columns(recommended, "recommended", columns, ("user", "item"), ("rank", "score"))
    order = next((role for role in ("rank", "score") if role in found), None)
    by = {} if order is None else {order: order}
    return convert.lists_from_frame(found, user="user", item="item", ties=ties, **by)


def read_relevant(relevant: Any, columns: Mapping[str, str], repeats: str) -> tuple[Any, int]:
    """Return grades by user where they came as a frame, and anything else as it is.

    Also how many rows were taken out because their user had the item already.

    Raises
    ------
    ValueError
        If a column is not there, or a user has an item twice and repeats are an error or have
        two grades.
    """
    if not is_frame(relevant):
        return relevant, 0
    found = _find_columns(relevant, "relevant", columns, ("user", "item"), ("grade",))
    n_repeats = len(found["user"]) - len({*zip(found["user"], found["item"], strict=True)})
    if repeats == "raise" and n_repeats:
        raise ValueError(
            f"relevant has {n_repeats:,} rows with an item that its user already has, which would "
            "count twice; keep one row of each, or take repeats out with repeats='drop'"
        )
    rows = _first_rows(found)
    kept = {role: [column[row] for row in rows] for role, column in found.items()}
    grade = "grade" if "grade" in kept else None
    return convert.relevant_from_frame(kept, user="user", item="item", grade=grade), n_repeats


def read_history(history: Any, columns: Mapping[str, str]) -> Any:
    """Return the items of each user where they came as a frame, and anything else as it is."""
    if not is_frame(history):
        return history
    found = _find_columns(history, "history", columns, ("user", "item"), ())
    by_user: dict[Hashable, set[Hashable]] = {}
    for user, item in zip(found["user"], found["item"], strict=True):
        by_user.setdefault(user, set()).add(item)
    return by_user


def read_features(features: Any, columns: Mapping[str, str]) -> Any:
    """Return the categories of a frame whose columns are named, and anything else as it is."""
    roles = ("item", "category")
    if not is_frame(features) or not any(role in columns for role in roles):
        return features
    found = _find_columns(features, "features", columns, roles, ())
    return categories_by_item(found["item"], found["category"])


def _first_rows(found: Mapping[str, list[Any]]) -> list[int]:
    """Return the first row of each pair of user and item; raise if another has another grade."""
    seen: dict[tuple[Any, Any], int] = {}
    grades = found.get("grade")
    for row, (user, item) in enumerate(zip(found["user"], found["item"], strict=True)):
        first = seen.setdefault((user, item), row)
        if grades is not None and first != row and grades[first] != grades[row]:
            raise ValueError(
                f"relevant has item {item!r} of user {user!r} with the grades {grades[first]} and "
                f"{grades[row]}; {GRADE_CURE}"
            )
    return [*seen.values()]


def _find_columns(
    frame: Any,
    name: str,
    columns: Mapping[str, str],
    needed: tuple[str, ...],
    optional: tuple[str, ...],
) -> dict[str, list[Any]]:
    """Return the entries of the columns of some roles, by role."""
    frame = in_memory(frame, name)
    there = column_names(frame)
    found = {}
    for role in (*needed, *optional):
        column = columns.get(role)
        try:
            if column is not None and column not in there and role in optional:
                continue  # It names a column of another table.
            entries = find_column(frame, role, column, needed=role in needed)
        except ColumnError as error:
            words = error.problem.replace("the frame", name, 1)
            raise ValueError(f"{words}{_HOW_TO_RENAME}") from None
        if entries is not None:
            found[role] = entries_of(entries)
    return found
