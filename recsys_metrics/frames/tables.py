"""The columns of a long table, by whatever names they have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw

_NAMES: Mapping[str, tuple[str, ...]] = {
    "user": ("user", "user_id", "userid", "query_id", "qid", "uid"),
    "item": ("item", "item_id", "itemid", "doc_id", "docno", "iid"),
    "rank": ("rank", "position"),
    "score": ("score", "prediction", "weight"),
    "group": ("group", "segment", "stratum", "cohort"),
    "grade": ("grade", "relevance", "rel", "rating", "label"),
}
"""What a column may be called, in small letters; the first that is there is taken."""

# Where a rank or a score should be and is not.
UNRANKED = -(2**31)


def read_recommendations(given: Any, names: Mapping[str, str]) -> nw.LazyFrame[Any]:
    """Return user, item and rank of a table of recommendations.

    Without ranks they are taken from the scores, the highest first; among equal scores the
    smaller item goes first.
    """
    frame = lazy(given, "recommendations")
    found = _find(frame, ("user", "item", "rank", "score"), names, "recommendations")
    if "rank" in found:
        return frame.select(
            user=nw.col(found["user"]),
            item=nw.col(found["item"]),
            rank=nw.col(found["rank"]).cast(nw.Int32).fill_null(UNRANKED),
        )
    if "score" not in found:
        raise ValueError(
            "recommendations has no column of ranks or scores; there are "
            f"{_listed(frame)}. Name it, columns={{'rank': …}} or columns={{'score': …}}"
        )
    score = nw.col(found["score"]).cast(nw.Float64)
    scored = frame.select(
        user=nw.col(found["user"]),
        item=nw.col(found["item"]),
        _order=-score,
        _scored=~(score.is_null() | score.is_nan()),
    )
    place = nw.col("item").cum_count().over("user", order_by=["_order", "item"]).cast(nw.Int32)
    ranked = scored.with_columns(
        rank=nw.when(nw.col("_scored")).then(place).otherwise(nw.lit(UNRANKED, dtype=nw.Int32))
    )
    return ranked.drop("_order", "_scored")


def read_truth(given: Any, names: Mapping[str, str]) -> nw.LazyFrame[Any]:
    """Return user, item and grade of a table of what was wanted; 1 without a grade."""
    frame = lazy(given, "truth")
    found = _find(frame, ("user", "item", "grade"), names, "truth")
    grade = nw.col(found["grade"]).cast(nw.Float64) if "grade" in found else nw.lit(1.0)
    return frame.select(user=nw.col(found["user"]), item=nw.col(found["item"]), grade=grade)


def read_history(given: Any, names: Mapping[str, str]) -> nw.LazyFrame[Any]:
    """Return user and item of a table of what users met before, each pair once."""
    frame = lazy(given, "history")
    found = _find(frame, ("user", "item"), names, "history")
    return frame.select(user=nw.col(found["user"]), item=nw.col(found["item"])).unique()


def read_groups(frame: nw.LazyFrame[Any], names: Mapping[str, str]) -> nw.LazyFrame[Any]:
    """Return user and group of a table of users."""
    there = frame.collect_schema().names()
    meant = {role: name for role, name in names.items() if name in there}
    found = find(there, ("user", "group"), meant)
    for role in ("user", "group"):
        if role not in found:
            raise ValueError(
                f"groups has no column that looks like the {role}; there are {_listed(frame)}. "
                f"Name it: columns={{{role!r}: …}}"
            )
    return frame.select(user=nw.col(found["user"]), group=nw.col(found["group"])).unique()


def check_named(names: Mapping[str, str], tables: Mapping[str, Any]) -> None:
    """Raise if a column was named that no table has."""
    unknown = sorted(set(names) - set(_NAMES))
    if unknown:
        raise ValueError(f"there is no role {unknown[0]!r}; there are {', '.join(_NAMES)}")
    there = [
        name
        for table, given in tables.items()
        for name in lazy(given, table).collect_schema().names()
    ]
    for role, name in names.items():
        if name not in there:
            listed = ", ".join(map(repr, dict.fromkeys(there)))
            raise ValueError(f"no table has a column {name!r} for the {role}; there are {listed}")


def lazy(given: Any, name: str) -> nw.LazyFrame[Any]:
    """Return a frame of any kind as a lazy one."""
    try:
        frame = nw.from_native(given)
    except TypeError:
        raise TypeError(
            f"{name} must be a data frame (Polars, DuckDB, PySpark, pandas, PyArrow), not "
            f"{type(given).__name__}; lists and arrays go to recsys_metrics.evaluate"
        ) from None
    return frame.lazy() if isinstance(frame, nw.DataFrame) else frame


def find(columns: Sequence[str], wanted: Sequence[str], names: Mapping[str, str]) -> dict[str, str]:
    """Return the name of each wanted column that is there, by its role."""
    by_small = {column.lower(): column for column in reversed(columns)}
    found = {}
    for role in wanted:
        guesses = [by_small[guess] for guess in _NAMES[role] if guess in by_small]
        if role in names:
            found[role] = names[role]
        elif guesses:
            found[role] = guesses[0]
    return found


def _find(
    frame: nw.LazyFrame[Any], wanted: Sequence[str], names: Mapping[str, str], table: str
) -> dict[str, str]:
    """Return the columns of a table by their roles, or say which is missing."""
    columns = frame.collect_schema().names()
    # A name may be meant for one of the tables only.
    meant = {role: name for role, name in names.items() if name in columns}
    found = find(columns, wanted, meant)
    for role in ("user", "item"):
        if role in found:
            continue
        if role in names:
            raise ValueError(
                f"{table} has no column {names[role]!r} for the {role}; there are {_listed(frame)}"
            )
        raise ValueError(
            f"{table} has no column that looks like the {role}; there are {_listed(frame)}. "
            f"Name it: columns={{{role!r}: …}}"
        )
    return found


def _listed(frame: nw.LazyFrame[Any]) -> str:
    return ", ".join(map(repr, frame.collect_schema().names()))
