"""Tables in files with all of their columns: logs of events, users of an experiment, rounds."""

from __future__ import annotations

import datetime
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from recsys_metrics._core import csv_injection
from recsys_metrics._core.inputs.frames import ARM_NAMES, COLUMN_NAMES, usual_columns
from recsys_metrics._core.inputs.times import (
    FINER_TIME,
    explain_unit,
    is_finer,
    parse_iso_time,
    read_times,
)
from recsys_metrics._core.iso_times import AmbiguousTimeError
from recsys_metrics._core.whole_files import begin_draft_name, give_name, naming
from recsys_metrics.frames._files import (
    PARQUET,
    check_exists,
    escape_path,
    explain_decimal,
    scan_parquet,
    without_mark,
)
from recsys_metrics.frames._tables import explain_twice, format_names
from recsys_metrics.frames._text_files import (
    LINES,
    SEPARATED,
    FileError,
    check_ids_of_lines,
    check_lines,
    find_malformed_row,
    read_header,
    read_keys,
    refuse_repeated_header,
    refuse_row_column,
    scan_lines,
    scan_separated,
    unreadable,
)
from recsys_metrics.frames._writing import write_parquet

NAMES: Mapping[str, tuple[str, ...]] = {
    **COLUMN_NAMES,
    **ARM_NAMES,
    **{role: (role,) for role in ("reward", "propensity", "target", "model", "value")},
}
"""What the column of each role may be called, in small letters."""
ROW = "_row"
_SECONDS = r"^[+-]?[0-9]+(\.[0-9]+)?$"
# What Polars parses much faster than Python does; all other forms of ISO are left to Python.
_TIME_FORMS = tuple(f"%Y-%m-%d{between}%H:%M:%S%.f{zone}" for between in "T " for zone in ("", "Z"))


@dataclass(frozen=True)
class WholeTable:
    """A table in a file.

    Attributes
    ----------
    path : Path
    columns : tuple of str
    frame : polars.DataFrame
        In a text file every value is text; where there are rows that a reader counts, their numbers
        are in `_row`.
    """

    path: Path
    columns: tuple[str, ...]
    frame: pl.DataFrame

    @property
    def is_text(self) -> bool:
        """Whether the file holds no types of its own."""
        return self.path.suffix.lower() not in PARQUET

    def find(
        self,
        needed: Sequence[str],
        optional: Sequence[str],
        names: Mapping[str, str],
        *,
        also: Iterable[str] = (),
    ) -> dict[str, str]:
        """Return the name of each role's column; raise for all that are absent at once.

        Parameters
        ----------
        needed, optional : sequence of str
            Roles.
        names : mapping from role to name
            Where the caller said it.
        also : iterable of str
            Columns that have to be there, too, by their own names.
        """
        found: dict[str, str] = {}
        problems, roles = [], []
        for role in (*needed, *optional):
            if role in names:
                guesses = [each for each in self.columns if each == names[role]]
                absent = f"no column {names[role]!r} for the {role}"
            else:
                guesses = usual_columns(self.columns, role, NAMES)
                absent = f"no column that looks like the {role}"
            if len(guesses) == 1:
                found[role] = guesses[0]
            elif len({*guesses}) < len(guesses):
                problems.append(explain_twice(guesses))
            elif guesses:
                problems.append(f"several columns for the {role}: {format_names(guesses)}")
                roles.append(role)
            elif role in needed or role in names:
                problems.append(absent)
                roles += [role] * (role not in names)
        for role, name in found.items():
            other = next((each for each in found if found[each] == name), role)
            if other != role:
                problems.append(f"one column, {name!r}, for the {other} and the {role}")
                roles += [other, role]
        problems += [
            f"no column {each!r}" for each in dict.fromkeys(also) if each not in self.columns
        ]
        if problems:
            raise FileError(
                f"{self.path} has {', '.join(problems)}; there are {format_names(self.columns)}",
                roles=roles,
            )
        return found

    def place(self, column: str, row: int) -> str:
        """Return where a value stands, for an error, from the number of its row in the frame."""
        number = self.frame[ROW][row] if ROW in self.frame.columns else row + 1
        return f"{self.path}, column {column!r}, row {number}"

    def texts(self, column: str) -> pl.Series:
        """Return ids or labels as text."""
        values = self.frame[column]
        if values.dtype.is_float() or values.dtype.is_nested():
            what = "decimals" if values.dtype.is_float() else "nested values"
            raise FileError(
                f"{self.path}, column {column!r}: {what}, where an id or a label should be; write "
                "whole numbers or text"
            )
        return values.cast(pl.String)

    def ids(self, column: str, role: str) -> pl.Series:
        """Return ids as text; raise for the first row without one."""
        values = self.texts(column)
        if self.path.suffix.lower() in LINES:
            check_ids_of_lines(self.path, {role: column})
        nothing = values.is_null() | (values == "")
        if nothing.any():
            row = int(nothing.arg_max() or 0)
            raise FileError(f"{self.place(column, row)}: no {role}; leave such rows out")
        # 7.0 is what a program makes of the number 7 once its column had a gap.
        has_point = values.str.contains(".", literal=True)
        if has_point.any() and not values.cast(pl.Float64, strict=False).null_count():
            row = int(has_point.arg_max() or 0)
            raise FileError(f"{self.place(column, row)}: {explain_decimal(values[row])}")
        return values

    def numbers(
        self, column: str, cure: str = "; leave such rows out", *, gaps: bool = False
    ) -> pl.Series:
        """Return a column of numbers; raise for the first row without one, unless it may be empty.

        An empty row is null.
        """
        values = self.frame[column]
        if not values.dtype.is_numeric() and values.dtype not in (pl.Boolean, pl.String, pl.Null):
            raise FileError(
                f"{self.path}, column {column!r}: {values.dtype}, where numbers should be; name "
                "another column, or convert this one"
            )
        if values.dtype == pl.String:
            lower = values.str.strip_chars().str.to_lowercase()
            values = lower.replace({"true": "1", "false": "0"})
        read = values.cast(pl.Float64, strict=False)
        bad = read.is_null() | ~read.is_finite().fill_null(value=False)
        if gaps:
            read = read.fill_nan(None)
            bad &= ~(values.is_null() | (values.is_nan() if values.dtype.is_float() else False))
        if bad.any():
            row = int(bad.arg_max() or 0)
            given = self.frame[column][row]
            said = "nothing is there" if given is None else f"{given!r:.60} is no finite number"
            raise FileError(f"{self.place(column, row)}: {said}{cure}")
        return read

    def times(self, column: str) -> pl.Series:
        """Return times, as datetimes or as seconds, in the digits that they are given in."""
        values = self._read_times(column)
        if values.dtype.is_numeric() and len(values):
            row = int(values.arg_max() or 0)
            if what := explain_unit(values[row]):
                raise FileError(f"{self.place(column, row)}: {what}")
        return values

    def _read_times(self, column: str) -> pl.Series:
        values = self.frame[column]
        if values.null_count():
            row = int(values.is_null().arg_max() or 0)
            raise FileError(f"{self.place(column, row)}: no time; leave such rows out")
        if values.dtype == pl.Datetime:
            self._refuse_finer(column, values != values.dt.truncate("1us"))
            return values
        if values.dtype == pl.Date or values.dtype.is_integer():
            return values
        if values.dtype == pl.Float64 and values.is_finite().all():
            return values
        if values.dtype != pl.String:
            raise FileError(
                f"{self.path}, column {column!r}: {values.dtype}, where times should be; write "
                "seconds since 1970 or datetimes"
            )
        whole = values.cast(pl.Int64, strict=False)
        if not whole.null_count():
            return whole
        self._refuse_finer(column, values.str.contains(FINER_TIME))
        are_numbers = values.str.contains(_SECONDS)
        if are_numbers.all():
            return values.cast(pl.Float64)
        if are_numbers.any():
            row, other = (int(each.arg_max() or 0) for each in (~are_numbers, are_numbers))
            raise FileError(
                f"{self.place(column, row)}: {values[row]!r:.60} is no number, and "
                f"{values[other]!r:.60} in another row is one; write all times as seconds since "
                "1970, or all as dates such as 2024-01-31T18:30:00+01:00"
            )
        for form in _TIME_FORMS:
            parsed = values.str.to_datetime(form, strict=False, time_unit="us")
            if not parsed.null_count():
                return parsed
        times: dict[str, datetime.datetime] = {}
        for text in values.unique(maintain_order=True).to_list():
            try:
                times[text] = parse_iso_time(text).replace(tzinfo=None)
            except (ValueError, OverflowError) as problem:  # a time zone may lead out of all years
                row = int((values == text).arg_max() or 0)
                if isinstance(problem, AmbiguousTimeError):
                    raise FileError(f"{self.place(column, row)}: {problem}") from None
                raise FileError(
                    f"{self.place(column, row)}: {text!r} is no time; write seconds since 1970, or "
                    "a date such as 2024-01-31 or 2024-01-31T18:30:00+01:00"
                ) from None
        return values.replace_strict(times, return_dtype=pl.Datetime("us"))

    def _refuse_finer(self, column: str, finer: pl.Series) -> None:
        """Raise if a time has digits beyond microseconds, which are not compared."""
        if finer.any():
            row = int(finer.arg_max() or 0)
            raise FileError(
                f"{self.place(column, row)}: {self.frame[column][row]!s:.60} is finer than a "
                "microsecond, and events are compared by microseconds; round the column to them, "
                "or write the order of the events as whole numbers"
            )


def parse_time(text: str) -> float | datetime.datetime:
    """Return seconds since 1970, or a date and time in ISO's form.

    Raises
    ------
    ValueError
        If the text is neither, could be both, as 20240301, or is finer than a microsecond.
    """
    if is_finer(text):
        raise ValueError(f"{text} is finer than a microsecond")
    if re.fullmatch(_SECONDS, text) and "." in text:
        read_times([float(text)], "time")
        return float(text)
    if re.fullmatch(r"[+-]?[0-9]+", text):
        read_times([int(text)], "time")
        return int(text)
    return parse_iso_time(text)


def read_table(path: Path) -> WholeTable:
    """Return a table of a CSV, TSV, Parquet or JSON Lines file.

    Raises
    ------
    FileError
        If there is no such file, it is empty, of another kind, or damaged.
    """
    check_exists(path)
    kind = path.suffix.lower()
    try:
        if kind in PARQUET:
            frame = scan_parquet(path)
            refuse_row_column(path, frame.collect_schema().names())
        elif kind in SEPARATED:
            names = read_header(path)
            twice = next((name for name in names if names.count(name) > 1), None)
            if twice is not None:
                raise FileError(f"{path} has two columns {twice!r}; rename one")
            frame = scan_separated(path, names, {name: name for name in names}).collect()
            refuse_repeated_header(path, {name: name for name in names}, frame)
        elif kind in LINES:
            with tempfile.TemporaryDirectory(prefix="recsys-") as folder:
                plain = without_mark(path, Path(folder, "table"))
                name = escape_path(plain, "*?[", "[{}]")
                keys = read_keys(plain, name)
                refuse_row_column(path, keys)
                frame = scan_lines(name, {key: key for key in keys}).collect()
        else:
            raise FileError(
                f"{path}: a table with named columns is needed, and {kind} files hold lists; give "
                "CSV, TSV, Parquet or JSON Lines"
            )
        read = frame if isinstance(frame, pl.DataFrame) else frame.collect()
    except (pl.exceptions.PolarsError, OSError) as problem:
        row = find_malformed_row(path) if kind in SEPARATED else ""
        if kind in LINES:
            check_lines(path)
        raise (FileError(f"{path}, {row}") if row else unreadable(path, problem)) from None
    if not len(read):
        raise FileError(f"{path}: there is no row in it")
    return WholeTable(path, tuple(name for name in read.columns if name != ROW), read)


def check_writable(table: pl.DataFrame, path: Path) -> None:
    """Raise if a CSV or TSV file holds no such values, or a spreadsheet takes one for a formula."""
    if path.suffix.lower() not in SEPARATED:
        return
    for name, dtype in table.schema.items():
        if dtype.is_nested() or dtype in (pl.Binary, pl.Object):
            raise FileError(
                f"{path}: the column {name!r} has values of type {dtype}, which CSV and TSV do not "
                "hold; write Parquet, which keeps them as they are"
            )
    if not csv_injection.harmless_frame(table).equals(table):
        raise FileError(
            f"{path}: the table has values that a spreadsheet takes for formulas, such as =1+1; "
            "write Parquet, which keeps them as they are"
        )


def write_new(table: pl.DataFrame, path: Path) -> None:
    """Write a table to a new Parquet, CSV or TSV file.

    Raises
    ------
    FileExistsError
        If there is such a file or link; it stays as it is.
    """
    kind = path.suffix.lower()
    prefix = begin_draft_name(path)
    with naming(path), tempfile.TemporaryDirectory(prefix=prefix, dir=path.parent) as folder:
        draft = Path(folder, path.name)
        if kind in SEPARATED:
            table.write_csv(draft, separator=SEPARATED[kind])
        else:
            write_parquet(table, draft)
        give_name(draft, path)
