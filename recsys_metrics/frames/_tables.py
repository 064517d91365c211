"""Read the columns of a long table under standard names and types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw

from recsys_metrics._core.inputs.engines import engine_errors
from recsys_metrics._core.inputs.frames import COLUMN_NAMES, usual_columns
from recsys_metrics.frames._queries import engine_name, one_row

_TEXT = (nw.String, nw.Categorical, nw.Enum)
_NESTED = (nw.List, nw.Array, nw.Struct, nw.Object)


@dataclass(frozen=True)
class Fault:
    """What can be wrong with a row.

    Attributes
    ----------
    role : str
        Of the column.
    bad : narwhals.Expr or None
        Whether a row is at fault, as an expression that finds it in any engine; None where a user
        may have each value of the column once only.
    words : str
        What such rows, or users with such rows, are said to be: "2 rows …", "2 users …".
    row : str
        What the first of them is said to be, with `{rank}` for what stands in the rank's column.
    """

    role: str
    bad: nw.Expr | None
    words: str
    row: str


class TableError(ValueError):
    """A table that cannot be evaluated.

    Attributes
    ----------
    table : str
        Which of the tables.
    problem : str
        What is wrong with it.
    role : str or None
        Which column cannot be told by its name, so that naming it is the cure.
    fault : Fault or None
        Which rows are at fault, so that the first can be looked for.
    other : tuple of str, or None
        The table that it does not agree with, and what that one has.

    Examples
    --------
    >>> import pytest
    >>> pl = pytest.importorskip("polars")
    >>> from recsys_metrics import frames
    >>> lists = pl.DataFrame({"user": [1, 1], "item": [7, 7], "rank": [1, 2]})
    >>> try:
    ...     frames.evaluate(lists, lists, ["mrr"])
    ... except frames.TableError as problem:
    ...     print(problem)
    recommended has 1 user with an item twice; it would count twice, so keep one row, or take
    repeats out with repeats='drop' (user 1 has item 7 a second time)
    """

    def __init__(
        self,
        table: str,
        problem: str,
        *,
        roles: Sequence[str] = (),
        fault: Fault | None = None,
        other: tuple[str, str] | None = None,
    ) -> None:
        self.roles = tuple(roles)
        named = ", ".join(f"{each!r}: …" for each in self.roles)
        it = "it" if len(self.roles) == 1 else "them"
        super().__init__(
            f"{table} {problem}"
            + (f", and {other[0]} {other[1]}" if other else "")
            + (f". Name {it}: columns={{{named}}}" if named else "")
        )
        self.table, self.problem, self.fault, self.other = table, problem, fault, other


@dataclass(frozen=True)
class LongTable:
    """A table whose columns have their role's name; numbers and ids are as they came.

    Attributes
    ----------
    name : str
        What messages call it.
    frame : narwhals.LazyFrame
    columns : mapping
        The name that each role's column had.
    """

    name: str
    frame: nw.LazyFrame[Any]
    columns: Mapping[str, str]

    def cast(self, role: str, dtype: Any) -> LongTable:
        """Return the table with a column of another type."""
        return replace(self, frame=self.frame.with_columns(nw.col(role).cast(dtype)))


_COLUMNS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "relevant": (("user", "item"), ("grade",)),
    "history": (("user", "item"), ()),
    "groups": (("user", "group"), ()),
    "features": (("item", "category"), ()),
}


def choose_columns(columns: Sequence[str], table: str, names: Mapping[str, str]) -> dict[str, str]:
    """Return the name of each role's column in one of the tables.

    Parameters
    ----------
    columns : sequence of str
        The names that are there.
    table : str
        What the table holds: relevant, history, groups, features; any other is of
        recommendations, with the rank taken if there are both rank and score and `names` has no
        score.
    names : mapping
        Which column is which, where its name does not say so.
    """
    found = _choose(columns, table, names)
    roles: dict[str, str] = {}
    for role, column in found.items():
        refuse_pattern(column, role, table)
        if (other := roles.setdefault(column, role)) != role:
            raise TableError(
                table,
                f"has one column, {column!r}, for the {other} and the {role}; there are "
                f"{format_names(columns)}",
                roles=[other, role],
            )
    return found


def refuse_pattern(column: str, role: str, table: str) -> None:
    """Raise if Polars would take the name of a column for a pattern of names."""
    if column == "*" or (column.startswith("^") and column.endswith("$")):
        raise TableError(
            table,
            f"has the column {column!r} for the {role}, a name that engines read as a pattern of "
            "names; rename it",
        )


def _choose(columns: Sequence[str], table: str, names: Mapping[str, str]) -> dict[str, str]:
    if table in _COLUMNS:
        needed, optional = _COLUMNS[table]
        return find_columns(columns, (*needed, *optional), names, table, needed=needed)
    try:
        found = find_columns(columns, ("user", "item"), names, table, needed=("user", "item"))
    except TableError as problem:
        # What else is missing is said at once.
        if problem.roles and not find_columns(columns, ("rank", "score"), names, table):
            roles = (*problem.roles, "rank")
            raise TableError(
                table,
                f"has no column that looks like the {' or the '.join(roles)}; there are "
                f"{format_names(columns)}",
                roles=roles,
            ) from None
        raise
    for role in ("score", "rank") if names.get("score") in columns else ("rank", "score"):
        if not {"rank", "score"} & set(found):
            found |= find_columns(columns, (role,), names, table)
    if not {"rank", "score"} & set(found):
        raise TableError(
            table,
            f"has no column of ranks or scores; there are {format_names(columns)}",
            roles=["rank"],
        )
    return found


def read(given: Any, table: str, names: Mapping[str, str]) -> LongTable:
    """Return a frame's columns by their role; `choose_columns` says which."""
    return _read(given, table, choose_columns(column_names(given, table), table, names))


def _read(given: Any, name: str, columns: Mapping[str, str]) -> LongTable:
    frame = _lazy(_frame(given, name), name, [*columns.values()])
    frame = frame.select(**{role: nw.col(column) for role, column in columns.items()})
    schema = frame.collect_schema()
    check_types({role: schema[role] for role in columns}, columns, name)
    for role in {"user", "item"} & columns.keys():
        if isinstance(schema[role], (nw.Categorical, nw.Enum)):
            frame = frame.with_columns(nw.col(role).cast(nw.String))
    return LongTable(name, frame, dict(columns))


def check_types(types: Mapping[str, Any], columns: Mapping[str, str], name: str) -> None:
    """Raise if the type of a role's column is none that ids or numbers have."""
    for role, column in columns.items():
        dtype = types[role]
        if isinstance(dtype, (nw.Int128, nw.UInt128)):
            raise TableError(name, f"has numbers of 128 bits as the {role} in {column!r}; cast it")
        if role in ("user", "item") and not _is_id(dtype):
            what = "nested values" if isinstance(dtype, _NESTED) else "values"
            what = "decimals" if dtype.is_float() else what
            cure = "an id is a whole number or text; cast it"
            if dtype.is_float():
                cure += " (an empty cell makes decimals of whole numbers in pandas)"
            raise TableError(name, f"has {what} ({dtype}) as the {role} in {column!r}; {cure}")
        if role == "group" and isinstance(dtype, _NESTED):
            raise TableError(
                name,
                f"has nested values ({dtype}) as the group in {column!r}; a group is text or a "
                "number, so cast it or name another column",
            )
        if role in ("rank", "score", "grade") and not _is_number(dtype, role):
            raise TableError(
                name,
                f"has {_kind(dtype)} in {column!r}, where the {role} should be a number; cast it "
                "or name another column",
            )


def _is_id(dtype: Any) -> bool:
    # A column without a type is one without a value, which is another error.
    return bool(dtype.is_integer() or isinstance(dtype, (*_TEXT, nw.Unknown)))


def _is_number(dtype: Any, role: str) -> bool:
    # A grade may be yes or no; a column without a type is one without a value.
    return bool(
        dtype.is_numeric()
        or isinstance(dtype, nw.Unknown)
        or (role == "grade" and isinstance(dtype, nw.Boolean))
    )


def _kind(dtype: Any) -> str:
    if dtype.is_integer():
        return "whole numbers"
    if isinstance(dtype, _TEXT):
        return "text"
    return f"values of type {dtype}"


def unify_id_types(tables: Sequence[LongTable], role: str) -> list[LongTable]:
    """Return tables whose ids of a role are of one type, so that every engine compares them alike.

    Left to itself one engine casts text to numbers, another refuses in its own words, a third
    finds nothing.
    """
    dtypes = [table.frame.collect_schema()[role] for table in tables]
    known = [
        (table, dtype)
        for table, dtype in zip(tables, dtypes, strict=True)
        if not isinstance(dtype, nw.Unknown)
    ]
    if not known:
        return [*tables]
    first, kind = known[0]
    for table, dtype in known[1:]:
        if _kind(dtype) != _kind(kind):
            raise TableError(
                table.name,
                f"has {_kind(dtype)} as the {role} ({table.columns[role]!r})",
                other=(
                    first.name,
                    f"has {_kind(kind)} ({first.columns[role]!r}), so they can never match; cast "
                    "one of the columns",
                ),
            )
    wide = kind if len({dtype for _, dtype in known}) == 1 else _widen(kind)
    for table, dtype in known if isinstance(wide, nw.Int64) else ():
        if isinstance(dtype, nw.UInt64):
            _refuse_beyond_63_bits(table, role)
    return [
        table if dtype == wide else table.cast(role, wide)
        for table, dtype in zip(tables, dtypes, strict=True)
    ]


def _refuse_beyond_63_bits(table: LongTable, role: str) -> None:
    """Raise if an id is too large for the whole numbers with a sign of another table."""
    highest = one_row(table.frame.select(highest=nw.col(role).max()), table.name)["highest"]
    if highest is not None and highest >= 2**63:
        raise TableError(
            table.name,
            f"has {highest} as the {role} in {table.columns[role]!r}, more than the 64-bit whole "
            f"numbers with a sign hold that another table has as the {role}; cast the columns of "
            "all tables to text, or all to unsigned numbers of 64 bits",
        )


def _widen(dtype: Any) -> Any:
    return nw.Int64() if dtype.is_integer() else dtype


def check_named(names: Mapping[str, str], tables: Mapping[str, Any]) -> None:
    """Raise if a column was named that no table has."""
    unknown = sorted(set(names) - set(COLUMN_NAMES))
    if unknown:
        raise ValueError(f"there is no role {unknown[0]!r}; there are {', '.join(COLUMN_NAMES)}")
    there = [column for name, given in tables.items() for column in column_names(given, name)]
    for role, column in names.items():
        if column not in there:
            known = format_names([*dict.fromkeys(there)])
            raise ValueError(f"no table has a column {column!r} for the {role}; there are {known}")


def describe_renamed(tables: Sequence[LongTable]) -> list[str]:
    """Return, in words, which columns were taken under another name than their role's."""
    return [
        f"{column} as {role}"
        for role, column in dict.fromkeys(
            pair for table in tables for pair in table.columns.items()
        )
        if column != role
    ]


def column_names(given: Any, name: str) -> list[str]:
    """Return the names of a frame's columns."""
    try:
        frame = _frame(given, name)
        with engine_errors(engine_name(frame), name, passing=(nw.exceptions.DuplicateError,)):
            names = [*frame.collect_schema().names()]
    except nw.exceptions.DuplicateError:
        raise _two_columns(given, name) from None
    if odd := [each for each in names if not isinstance(each, str)]:
        raise TableError(name, f"has the column {odd[0]!r}, whose name is no text; rename it")
    return names


def _two_columns(given: Any, name: str) -> TableError:
    columns = [*map(str, given.columns)]
    twice = next(column for column in columns if columns.count(column) > 1)
    return TableError(name, f"has two columns {twice!r}; rename one")


def as_lazy(given: Any, name: str) -> nw.LazyFrame[Any]:
    """Return a frame of any kind as a lazy one."""
    return _lazy(_frame(given, name), name, column_names(given, name))


def _frame(given: Any, name: str) -> Any:
    if hasattr(type(given), "__arrow_c_array__") and hasattr(type(given), "column_names"):
        import polars as pl  # which reads the record batches of Arrow; Narwhals knows tables only

        for field in given.schema:
            _refuse_wide_decimals(field.name, field.type, name)
        given = pl.from_arrow(given)
    try:
        return nw.from_native(given)
    except TypeError:
        raise TypeError(
            f"{name} must be a data frame (Polars, DuckDB, PySpark, pandas, PyArrow), not "
            f"{type(given).__name__}; lists and arrays go to recsys_metrics.evaluate"
        ) from None
    except nw.exceptions.DuplicateError:
        raise _two_columns(given, name) from None


def _lazy(frame: Any, name: str, columns: Sequence[str]) -> nw.LazyFrame[Any]:
    """Return some columns as a lazy frame; what has no lazy form of its own goes to Polars."""
    selected = frame.select(*columns)
    if isinstance(selected, nw.DataFrame) and not selected.implementation.is_polars():
        import polars as pl

        if len(selected):
            read = pl.DataFrame([_in_polars(selected[column], name) for column in columns])
        else:  # and so without a type that means anything
            read = pl.DataFrame(schema=dict.fromkeys(columns, pl.Null))
        selected = nw.from_native(read)
    lazy: nw.LazyFrame[Any] = selected.lazy()
    return lazy


def _refuse_wide_decimals(column: str, dtype: Any, name: str) -> None:
    """Raise for a type of Arrow at which Polars panics, which is no exception to be caught."""
    if "decimal256" in str(dtype).lower():
        raise TableError(
            name,
            f"has decimals of 256 bits in {column!r}, and engines hold 128; cast it to float64, or "
            "to decimals of fewer digits",
        )


def _in_polars(column: Any, name: str) -> Any:
    import polars as pl

    native = column.to_native()
    _refuse_wide_decimals(column.name, getattr(native, "type", getattr(native, "dtype", "")), name)
    try:
        return column.to_polars()
    except ModuleNotFoundError:  # pandas gives text to Polars by way of PyArrow
        values = [None if value != value else value for value in column.to_list()]
    except Exception:  # each library has an error of its own for what it cannot take
        values = column.to_list()
    try:
        return pl.Series(column.name, values)
    except OverflowError:
        raise TableError(
            name,
            f"has a whole number in {column.name!r} of more than 128 bits; write ids as text, and "
            "scores or grades as floats",
        ) from None
    except (TypeError, pl.exceptions.PolarsError):
        kinds = sorted({type(value).__name__ for value in values})
        raise TableError(
            name, f"has values of several types in {column.name!r}: {', '.join(kinds)}"
        ) from None


def find_columns(
    columns: Sequence[str],
    roles: Sequence[str],
    names: Mapping[str, str],
    table: str,
    *,
    needed: Sequence[str] = (),
) -> dict[str, str]:
    """Return the name of each role's column, if it is there; raise if it could be several."""
    found: dict[str, str] = {}
    unknown = []
    for role in roles:
        # A name may be meant for one of the tables only.
        if names.get(role) in columns:
            guesses = [column for column in columns if column == names[role]]
        else:
            guesses = usual_columns(columns, role)
        if len({*guesses}) < len(guesses):
            raise TableError(table, f"has {explain_twice(guesses)}")
        if len(guesses) > 1:
            raise TableError(
                table, f"has several columns for the {role}: {format_names(guesses)}", roles=[role]
            )
        if guesses:
            found[role] = guesses[0]
        elif role in needed and role in names:
            raise TableError(
                table,
                f"has no column {names[role]!r} for the {role}; there are {format_names(columns)}",
            )
        elif role in needed:
            unknown.append(role)
    if unknown:
        raise TableError(
            table,
            f"has no column that looks like the {' or the '.join(unknown)}; there are "
            f"{format_names(columns)}",
            roles=unknown,
        )
    return found


def explain_twice(columns: Sequence[str]) -> str:
    """Return which of some names stands twice, and the cure, for a message that begins with has."""
    name = next(one for one in columns if columns.count(one) > 1)
    return f"the column {name!r} twice, of which one would count; leave one out or rename it"


def format_names(columns: Sequence[str], most: int = 20) -> str:
    """Return names of columns in a row, the first of many."""
    more = f" and {len(columns) - most:,} more" if len(columns) > most else ""
    return ", ".join(map(repr, columns[:most])) + more
