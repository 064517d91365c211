"""Columns of 0 and 1 that are not read, although they may say which rows count."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import narwhals as nw

from recsys_metrics.frames._queries import collect, one_row
from recsys_metrics.frames._tables import as_lazy, column_names

_NO = ("0", "0.0", "false")
_YES = ("1", "1.0", "true")
# So many rows tell most columns of anything else apart, before whole columns are read.
_FIRST = 100
_COUNTS = {
    "relevant": "relevant, too. If the column says what is relevant, name it as the grade",
    "history": "earlier interactions, too. If the column says what happened, leave such rows out",
}
"""What a row with 0 counts as in the tables without a grade, and what to do about it."""


def count_zeros(frame: nw.LazyFrame[Any], columns: Sequence[str]) -> dict[str, int]:
    """Return in how many rows a column is 0, for each that has nothing but 0 and 1, and both."""
    types = frame.collect_schema()
    plain = [name for name in columns if _may_be_labels(types[name])]
    if not plain:
        return {}
    first = collect(frame.select(*plain).head(_FIRST))
    plain = [name for name in plain if {*map(_as_text, first[name].to_list())} <= {*_NO, *_YES}]
    if not plain:
        return {}
    sums = {}
    for at, name in enumerate(plain):
        text = nw.col(name).cast(nw.String).str.to_lowercase()
        sums[f"no {at}"] = text.is_in(_NO).cast(nw.Int64).sum()
        sums[f"yes {at}"] = text.is_in(_YES).cast(nw.Int64).sum()
    totals = one_row(frame.select(rows=nw.len(), **sums))
    no = {name: int(totals[f"no {at}"] or 0) for at, name in enumerate(plain)}
    yes = {name: int(totals[f"yes {at}"] or 0) for at, name in enumerate(plain)}
    return {n: no[n] for n in plain if no[n] and yes[n] and no[n] + yes[n] == totals["rows"]}


def list_unread_labels(
    tables: Mapping[str, Any], read: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    """Yield a warning for each column that looks like a label and was not read.

    Parameters
    ----------
    tables : mapping
        The frames that were given, by what they hold.
    read : mapping
        The columns that were read of each, by their roles.
    """
    for table, counts in _COUNTS.items():
        roles = read.get(table)
        if roles is None or "grade" in roles:
            continue
        others = [name for name in column_names(tables[table], table) if name not in roles.values()]
        for name, zeros in count_zeros(as_lazy(tables[table], table), others).items():
            rows = f"{zeros:,} rows with 0 count" if zeros != 1 else "1 row with 0 counts"
            cure = (
                f": columns={{'grade': {name!r}}}, on the command line --column grade={name}"
                if table == "relevant"
                else ""
            )
            yield (
                f"The table {table} has the column {name!r} of 0 and 1, which was not read: {rows} "
                f"as {counts}{cure}."
            )


def _may_be_labels(dtype: Any) -> bool:
    return bool(dtype.is_numeric() or isinstance(dtype, nw.Boolean | nw.String))


def _as_text(value: Any) -> str:
    return str(value).lower()
