"""Data frames and their columns, recognised by their type's name: their libraries stay unloaded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

_LIBRARIES = frozenset(
    {"cudf", "dask", "dask_expr", "duckdb", "_duckdb", "ibis", "modin", "narwhals", "pandas",
     "polars", "pyarrow", "pyspark", "sqlframe"}
)  # fmt: skip
_FRAMES = frozenset(
    {"DataFrame", "LazyFrame", "Table", "RecordBatch", "DuckDBPyRelation", "BaseDataFrame"}
)
_COLUMNS = frozenset({"Series", "ChunkedArray", "Array", "ListArray", "Index"})


def is_frame(given: Any) -> bool:
    """Whether something is a data frame: pandas, Polars, PyArrow, DuckDB, Spark and others."""
    return _is_one_of(given, _FRAMES)


def is_column(given: Any) -> bool:
    """Whether something is a column of such a frame."""
    return _is_one_of(given, _COLUMNS)


def refuse_frame(given: Any, name: str) -> None:
    """Raise if lists or truths came as a data frame."""
    if is_frame(given):
        library = type(given).__module__.partition(".")[0].lstrip("_")
        raise TypeError(
            f"{name} is a data frame ({library} {type(given).__name__}), a row per user and item, "
            "and not lists. recsys_metrics.frames.evaluate(recommendations, truth, measures) "
            "reads such frames, and so does recsys_metrics.evaluate; "
            "convert.lists_from_frame and convert.relevant_from_frame give lists and grades by "
            "user, as judge takes them"
        )


def in_memory(frame: Any) -> Any:
    """Return a frame that holds its columns, of one that is a query or lies elsewhere."""
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
    # In PyArrow `columns` are the columns themselves.
    return list(frame.column_names if hasattr(type(frame), "column_names") else frame.columns)


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
    keys = entries_of(given.index)
    if keys == list(range(len(keys))) and not isinstance(given.index, np.ndarray):
        return None
    entries = dict(zip(keys, entries_of(given), strict=True))
    if len(entries) < len(keys):
        twice = next(key for i, key in enumerate(keys) if key in keys[:i])
        raise ValueError(f"the index of a column has {twice!r} twice; give each user one entry")
    return entries


def _is_one_of(given: Any, names: frozenset[str]) -> bool:
    return type(given).__module__ not in ("builtins", "numpy") and any(
        kind.__name__ in names and kind.__module__.partition(".")[0] in _LIBRARIES
        for kind in type(given).__mro__
    )
