"""Data frames and their columns, recognised by their type's name: their libraries stay unloaded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from recsys_metrics._core.checks import is_among, is_missing
from recsys_metrics._core.inputs.engines import engine_errors, engine_of
from recsys_metrics._core.inputs.ids import kind

_LIBRARIES = frozenset(
    {"cudf", "dask", "dask_expr", "duckdb", "_duckdb", "ibis", "modin", "narwhals", "pandas",
     "polars", "pyarrow", "pyspark", "sqlframe"}
)  # fmt: skip
_FRAMES = frozenset(
    {"DataFrame", "LazyFrame", "Table", "RecordBatch", "DuckDBPyRelation", "BaseDataFrame"}
)
_COLUMNS = frozenset({"Series", "ChunkedArray", "Array", "ListArray", "Index"})


COLUMN_NAMES: Mapping[str, tuple[str, ...]] = {
    "user": (
        *("user", "user_id", "userid", "uid", "query_id", "queryid", "qid", "topic_id"),
        *("customer", "customer_id", "visitor_id", "visitorid"),
    ),
    "item": (
        *("item", "item_id", "itemid", "iid", "doc_id", "docid", "docno", "movie_id", "movieid"),
        *("product_id", "productid", "article_id", "articleid", "track_id", "news_id", "sku"),
    ),
    "rank": ("rank", "position"),
    "score": ("score", "prediction", "weight"),
    "group": ("group", "segment", "stratum", "cohort"),
    "category": ("category", "categories", "genre", "genres", "tag", "tags", "topic", "topics"),
    "grade": ("grade", "relevance", "rel", "rating", "label"),
    "rating": ("rating", "stars", "grade"),
    "timestamp": ("timestamp", "time", "datetime", "date", "ts", "event_time", "unixtime", "when"),
}
"""What the column of each role may be called, in small letters."""

ARM_NAMES: Mapping[str, tuple[str, ...]] = {
    "arm": ("arm", "variant", "variation", "bucket", "experiment_group")
}
"""What the column of arms may be called, in small letters."""

_RARER_NAMES: Mapping[str, tuple[str, ...]] = {
    "user": (
        *("visitor", "member_id", "account_id", "profile_id", "listener", "listener_id"),
        *("viewer", "viewer_id", "reader", "reader_id"),
    ),
    "item": (
        *("track_uri", "song_id", "video_id", "film_id", "book_id", "content_id", "asin"),
        *("product", "article", "track", "movie"),
    ),
    "timestamp": (
        *("event_timestamp", "created_at", "occurred_at", "clicked_at", "viewed_at"),
        *("watched_at", "played_at", "read_at", "rated_at"),
    ),
}
"""Names that count only where no column has a more usual one."""


def usual_columns(
    columns: Iterable[Any],
    role: str,
    names: Mapping[str, Sequence[str]] = COLUMN_NAMES,
) -> list[Any]:
    """Return the columns that are called as those of a role usually are."""
    named = [(column, str(column).lower()) for column in columns]
    for usual in (names, _RARER_NAMES):
        if found := [column for column, name in named if name in usual.get(role, ())]:
            return found
    return []


def is_frame(given: Any) -> bool:
    """Whether something is a data frame: pandas, Polars, PyArrow, DuckDB, Spark and others."""
    return _is_one_of(given, _FRAMES)


def is_column(given: Any) -> bool:
    """Whether something is a column of such a frame."""
    return _is_one_of(given, _COLUMNS)


def refuse_frame(given: Any, name: str) -> None:
    """Raise if lists or truths came as a data frame."""
    if is_frame(given):
        raise TypeError(
            f"{name} is a data frame ({engine_of(given)} {type(given).__name__}), a row per user "
            "and item, and not lists. recsys_metrics.frames.evaluate(recommendations, truth, "
            "measures) reads such frames, and so does recsys_metrics.evaluate; "
            "convert.lists_from_frame and convert.relevant_from_frame give lists and grades by "
            "user, the form that judge takes"
        )


def in_memory(frame: Any, name: str = "frame") -> Any:
    """Return a frame that holds its columns, of one that is a query or lies elsewhere.

    Raises
    ------
    EngineError
        If the engine cannot run the query; the message names the table.
    """
    with engine_errors(engine_of(frame), name):
        for method in ("toArrow", "to_arrow_table", "to_pyarrow"):  # Spark, DuckDB, Ibis
            # Asked of the type: a column may have such a name.
            if hasattr(type(frame), method):
                return getattr(frame, method)()
        lazy = hasattr(type(frame), "collect") and hasattr(type(frame), "collect_schema")
        return frame.collect() if lazy else frame


def column_names(frame: Any) -> list[Any]:
    """Return the names of the columns of a frame, or of a mapping from name to column."""
    if isinstance(frame, Mapping):
        return list(frame)
    if not hasattr(frame, "columns"):
        raise TypeError(
            f"frame must be a data frame, or a mapping from name to column; got {kind(frame)}"
        )
    # In PyArrow `columns` are the columns themselves.
    return list(frame.column_names if hasattr(type(frame), "column_names") else frame.columns)


def column_of(frame: Any, name: Any) -> Any:
    """Return a column of a frame by its name."""
    # An Arrow table takes no name in brackets in every version.
    return frame.column(name) if hasattr(type(frame), "column_names") else frame[name]


class ColumnError(ValueError):
    """A frame without the column of a role, or with several that could be meant.

    Parameters
    ----------
    problem : str
        What is wrong with "the frame". A caller whose own arguments name columns in another way
        says so behind it.
    cure : str
        What to do where a column is named by its role.
    """

    def __init__(self, problem: str, cure: str) -> None:
        super().__init__(f"{problem}{cure}")
        self.problem = problem


def find_column(frame: Any, role: str, name: str | None, *, needed: bool) -> Any:
    """Return the column of a role, by its name or by what such a column is usually called.

    Raises
    ------
    ColumnError
        If there is no such column, or several could be meant.
    """
    names = column_names(frame)
    if name is not None:
        if not is_among(name, names):
            raise ColumnError(
                f"{role}={name!r:.60} is no column of the frame; there are {names}", ""
            )
        return column_of(frame, name)
    guesses = usual_columns(names, role)
    if len(guesses) > 1:
        raise ColumnError(
            f"the frame has several columns that could be the {role}, {guesses}",
            f"; say which with {role}={guesses[0]!r}",
        )
    if not guesses and needed:
        refuse_without_columns(frame, [role])
    return column_of(frame, guesses[0]) if guesses else None


def refuse_without_columns(frame: Any, roles: Sequence[str]) -> None:
    """Raise if there are roles that no column of a frame looks like."""
    if roles:
        looks, options = " or the ".join(roles), ", ".join(f"{role}=…" for role in roles)
        raise ColumnError(
            f"the frame has no column that looks like the {looks}; there are {column_names(frame)}",
            f". Say which it is with {options}",
        )


def ids_of_row(row: Any, whose: str) -> list[Any]:
    """Return the ids in a column that is one user's row.

    Raises
    ------
    TypeError
        If a pandas column has scores or grades by item, its index, and not ids.
    """
    entries = entries_of(row)
    if hasattr(row, "iloc"):
        of_floats = any(isinstance(each, float) and each == each for each in entries)
        counted = hasattr(row.index, "start")
        by_text = not counted and getattr(row.index.dtype, "kind", "") not in "iu"
        if entries and (of_floats or by_text):
            labels = entries_of(row.index)
            raise TypeError(
                f"{whose} is a pandas Series with the index {labels!r:.40} and the values "
                f"{entries!r:.40}: are the values ids, or numbers of the items in the index? For "
                "ids pass .tolist() of it, for scores or grades by item .to_dict()"
            )
    return entries


def refuse_other_labels(**columns: Any) -> None:
    """Raise if pandas' columns or tables that belong together carry labels in different orders.

    Parameters
    ----------
    **columns
        The arguments by name; only those with an index are looked at.
    """
    refuse_other_rows(**columns)
    refuse_other_columns(**columns)


def refuse_other_rows(**columns: Any) -> None:
    """Raise if columns or tables that are read row by row carry labels in different orders."""
    labelled = [
        (name, _labels_of(column.index)) for name, column in columns.items() if _has_labels(column)
    ]
    # Each with each: a column that only counts its rows may stand between two that differ.
    for (name, labels), (other, others) in combinations(labelled, 2):
        if len(labels) != len(others) or _are_equal(labels, others):
            continue
        # Nobody chose the labels 0, 1, 2, …: they say something only in another order.
        unchosen = range(len(labels)) in (labels, others)
        if unchosen and not _have_equal_labels(labels, others):
            continue
        row = _first_difference(labels, others)
        raise ValueError(
            f"{name} and {other} are read row by row, but their indexes differ: row {row} is "
            f"{labels[row]!r} in {name} and {others[row]!r} in {other}. Bring them into one "
            f"order, {other}.reindex({name}.index), or drop the labels, {other}.to_numpy()"
        )


def refuse_other_columns(**tables: Any) -> None:
    """Raise if tables of pandas that are read cell by cell have their columns in other orders.

    Tables may name their columns in different ways, the probabilities p1 and the rewards r1; a
    name that both have stands in one place.
    """
    labelled = [
        (name, _labels_of(table.columns))
        for name, table in tables.items()
        if _has_labels(table) and is_frame(table)
    ]
    for (name, labels), (other, others) in combinations(labelled, 2):
        if len(labels) != len(others) or _are_equal(labels, others):
            continue
        equal = _have_equal_labels(labels, others)
        if not equal and (range(len(labels)) in (labels, others) or {*labels}.isdisjoint(others)):
            continue
        at = _first_difference(labels, others)
        if not equal and labels[at] not in others and others[at] not in labels:
            continue
        raise ValueError(
            f"{name} and {other} are read column by column, but their columns differ: column {at} "
            f"is {labels[at]!r} in {name} and {others[at]!r} in {other}. Bring them into one "
            f"order, {other}[{name}.columns], or drop the names, {other}.to_numpy()"
        )


def refuse_unsorted_numbers(name: str, given: Any, *, rows: str = "", columns: str = "") -> None:
    """Raise if pandas numbers the rows of a column or table, and they are in another order.

    Parameters
    ----------
    name : str
        What an error calls it.
    given
        Only a column or a table with an index is looked at.
    rows, columns : str
        What a row or a column is read as: "item". By default the rows, or the columns, are not
        looked at.
    """
    if not _has_labels(given):
        return
    axes = [("row", "index", given.index, rows)] if rows else []
    if columns and is_frame(given):
        axes.append(("column", "columns", given.columns, columns))
    for axis, attribute, index, meaning in axes:
        if getattr(index.dtype, "kind", "") not in "iu" or index.is_monotonic_increasing:
            continue
        labels = _labels_of(index)
        at = next(i for i, (one, after) in enumerate(pairwise(labels)) if after < one) + 1
        raise ValueError(
            f"{name} is read by position, {axis} {at} for {meaning} {at}, but pandas numbers the "
            f"{axis}s in another order (see its .{attribute}): {axis} {at} is {labels[at]!r}, "
            f"after {labels[at - 1]!r}. Sort it, .sort_index({'' if axis == 'row' else 'axis=1'}), "
            "or drop the labels, .to_numpy()"
        )


def _has_labels(given: Any) -> bool:
    """Whether something is a column or a table of pandas."""
    return (is_column(given) or is_frame(given)) and hasattr(given, "iloc")


def _first_difference(labels: range | list[Any], others: range | list[Any]) -> int:
    return next(i for i, pair in enumerate(zip(labels, others, strict=True)) if len({*pair}) > 1)


def _labels_of(index: Any) -> range | list[Any]:
    """Return the labels of an index; those of a RangeIndex are not listed, as there are many."""
    if hasattr(index, "start"):
        return range(index.start, index.stop, index.step)
    labels = entries_of(index)
    counted = range(len(labels))
    return counted if labels == [*counted] else labels


def _are_equal(labels: range | list[Any], others: range | list[Any]) -> bool:
    if isinstance(labels, range) and isinstance(others, range):
        return labels == others
    # A missing label, NaN, equals itself here.
    return all(
        one is other or one == other or (is_missing(one) and is_missing(other))
        for one, other in zip(labels, others, strict=True)
    )


def _have_equal_labels(labels: range | list[Any], others: range | list[Any]) -> bool:
    if isinstance(labels, range) and isinstance(others, range):
        return labels[::-1] == others
    return {*labels} == {*others}


def in_order_of_columns(given: Any, table: Any) -> Any:
    """Return one entry per column of a table, by the labels where pandas labels both.

    Labels of the column that number the items, in any order, need no labelled table.
    """
    if not _has_labels(given) or is_frame(given):
        return given
    if is_frame(table) and _has_labels(table):
        labels, others = _labels_of(table.columns), _labels_of(given.index)
        if len(labels) == len(others) and {*labels} == {*others}:
            entries = dict(zip(others, entries_of(given), strict=True))
            return [entries[label] for label in labels]
    found = by_item(given)
    return entries_of(given) if isinstance(found, Mapping) else found


def entries_of(column: Any) -> list[Any]:
    """Return the entries of a column."""
    for method in ("to_list", "tolist", "to_pylist"):
        if hasattr(column, method):
            return list(getattr(column, method)())
    return list(column)


def by_key(given: Any) -> Mapping[Any, Any] | None:
    """Return a mapping, or a column with an index other than 0, 1, 2, … as one; else None."""
    if isinstance(given, Mapping):
        return given
    if not is_column(given) or not hasattr(given, "iloc"):
        return None
    labels = _labels_of(given.index)
    if labels == range(len(labels)) and not isinstance(given.index, np.ndarray):
        return None
    entries = dict(zip(labels, entries_of(given), strict=True))
    if len(entries) < len(labels):
        twice, _ = Counter(labels).most_common(1)[0]
        raise ValueError(f"the index of a column has {twice!r} twice; give each label one entry")
    return entries


def by_item(given: Any) -> Any:
    """Return one entry per item by the labels that a column of pandas gives them.

    A column whose labels are 0, 1, 2, … in some order comes as a list in the order of these
    numbers, and one with other labels as a mapping. What has no such labels is returned as it is.
    """
    keyed = by_key(given)
    if keyed is None or keyed is given:
        return given
    if all(number in keyed for number in range(len(keyed))):
        return [keyed[number] for number in range(len(keyed))]
    return keyed


def _is_one_of(given: Any, names: frozenset[str]) -> bool:
    return type(given).__module__ not in ("builtins", "numpy") and any(
        kind.__name__ in names and kind.__module__.partition(".")[0] in _LIBRARIES
        for kind in type(given).__mro__
    )
