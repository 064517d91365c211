"""Tables in other shapes: streams of Arrow, and one row for each user with a list of items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from importlib import import_module
from typing import Any

import narwhals as nw

from recsys_metrics import convert
from recsys_metrics._core.checks import is_missing
from recsys_metrics._core.inputs.frames import (
    COLUMN_NAMES,
    entries_of,
    in_memory,
    is_column,
    is_frame,
    usual_columns,
)
from recsys_metrics.frames._tables import (
    TableError,
    check_types,
    choose_columns,
    column_names,
    find_columns,
    format_names,
)

_LISTS_OF_ITEMS = (
    *("items", "item_ids", "recommended", "recommendations", "recs", "predictions", "ranking"),
    *("relevant", "relevant_items", "truth", "ground_truth", "actual", "labels"),
)


def read_stream(given: Any) -> Any:
    """Return a stream or a batch of Arrow as a table; anything else as it is."""
    if type(given).__name__ == "RecordBatch":
        return import_module("pyarrow").Table.from_batches([given])
    if not hasattr(type(given), "__arrow_c_stream__") or is_frame(given) or is_column(given):
        return given
    try:
        arrow: Any = import_module("pyarrow")
    except ImportError:
        import polars

        return polars.DataFrame(given)
    return arrow.RecordBatchReader.from_stream(given).read_all()


def read_lists(
    recommended: Any, relevant: Any, columns: Mapping[str, str] | None
) -> tuple[Any, Any] | None:
    """Return lists and relevant items by user if a table has lists in its rows, else None."""
    names = columns or {}
    tables = {"recommended": recommended, "relevant": relevant}
    nested = {
        name: found
        for name, table in tables.items()
        if is_frame(table) and (found := _lists_of(table, name, names)) is not None
    }
    if not nested:
        return None
    for name, table in tables.items():
        if name not in nested:
            nested[name] = _of_long_table(table, name, names) if is_frame(table) else table
    return nested["recommended"], nested["relevant"]


def _lists_of(table: Any, name: str, names: Mapping[str, str]) -> dict[Any, list[Any]] | None:
    """Return the list in each user's row, or None where no column holds lists."""
    column_names(table, name)  # which raises for two of one name
    schema = nw.from_native(table).lazy().collect_schema()
    lists = [column for column, dtype in schema.items() if isinstance(dtype, nw.List | nw.Array)]
    objects = [column for column, dtype in schema.items() if isinstance(dtype, nw.Object)]
    if not lists and not objects:
        return None
    frame = nw.from_native(in_memory(table, name), eager_only=True)
    lists += [column for column in objects if _holds_lists(frame[column])]
    if not lists:
        return None
    item = names.get("item", "")
    if item not in lists:
        usual = {"item": (*_LISTS_OF_ITEMS, *COLUMN_NAMES["item"])}
        guesses = usual_columns(lists, "item", usual) or lists
        if len(guesses) > 1:
            raise TableError(
                name, f"has several columns of lists: {format_names(guesses)}", roles=["item"]
            )
        item = guesses[0]
    others = [column for column in lists if column != item]
    if others:
        raise TableError(
            name,
            f"has lists in {item!r} and in {format_names(others)}: lists of items are read best "
            "first, and other lists are not read; drop them, or pass a row for each item",
        )
    _refuse_unread_roles(name, names, [*schema])
    if "user" in names and names["user"] not in schema:
        raise TableError(
            name,
            f"has no column {names['user']!r} for the user; there are {format_names([*schema])}",
        )
    user = find_columns([*schema], ("user",), names, name, needed=("user",))["user"]
    users, rows = frame[user].to_list(), frame[item].to_list()
    # A column of objects may hold True, which is the user 1 to Python.
    is_bool = isinstance(schema[user], nw.Object) and any(isinstance(each, bool) for each in users)
    if is_bool or not isinstance(schema[user], nw.Object):
        check_types({"user": nw.Boolean() if is_bool else schema[user]}, {"user": user}, name)
    found = {each: _entries(row, each, name) for each, row in zip(users, rows, strict=True)}
    if len(found) < len(users):
        twice = next(each for each, times in Counter(users).items() if times > 1)
        raise TableError(
            name, f"has user {twice!r} in two rows; a row contains the user's whole list"
        )
    return found


def _refuse_unread_roles(name: str, names: Mapping[str, str], columns: list[str]) -> None:
    """Raise if a column of ranks, scores or grades stands beside lists of items: it has no use."""
    roles = ("grade",) if name == "relevant" else ("rank", "score")
    named = [names[role] for role in roles if names.get(role) in columns]
    if others := named or (usual_columns(columns, "grade") if name == "relevant" else []):
        raise TableError(
            name,
            f"has lists of items and the column {others[0]!r} with one value for each list, which "
            "is not read; drop it, or pass a row for each item",
        )


def _holds_lists(column: Any) -> bool:
    return any(
        (isinstance(each, (Sequence, AbstractSet, Mapping)) and not isinstance(each, str | bytes))
        or is_column(each)
        or getattr(each, "ndim", 0) > 0
        for each in column.to_list()
    )


def _entries(row: Any, user: Any, name: str) -> list[Any]:
    """Return the items in a user's row, none where nothing is there."""
    held = row.tolist() if hasattr(row, "tolist") else entries_of(row) if is_column(row) else row
    if isinstance(held, Sequence) and not isinstance(held, str | bytes):
        return [*held]
    if is_missing(held):
        return []
    if isinstance(held, AbstractSet) and name == "relevant":
        return [*held]
    cure = "a row has the list of the user's items, or nothing"
    if isinstance(held, AbstractSet):
        cure = "a set has no order; pass a list, best first"
    elif isinstance(held, Mapping):
        cure = "numbers of items are read from a table with a row for each item"
    raise TableError(name, f"has {held!r:.60} for user {user!r}, which is no list; {cure}")


def _of_long_table(table: Any, name: str, names: Mapping[str, str]) -> Any:
    """Return lists, or graded items, of a table with a row for each item."""
    held = in_memory(table, name)
    columns = [*nw.from_native(held, eager_only=True).columns]
    role = choose_columns(columns, name, names)
    if name == "relevant":
        return convert.relevant_from_frame(
            held, user=role["user"], item=role["item"], grade=role.get("grade")
        )
    return convert.lists_from_frame(
        held,
        user=role["user"],
        item=role["item"],
        score=role.get("score"),
        rank=role.get("rank"),
    )
