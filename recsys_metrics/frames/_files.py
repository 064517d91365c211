"""Open tables in files lazily with an engine, and locate invalid rows."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from recsys_metrics._core import console
from recsys_metrics._core.inputs.engines import EngineError
from recsys_metrics._core.package_names import DISTRIBUTION
from recsys_metrics.frames import _tables
from recsys_metrics.frames._tables import Fault
from recsys_metrics.frames._text_files import (
    LINES,
    SEPARATED,
    TREC,
    FileError,
    check_ids_of_lines,
    check_lines,
    find_malformed_row,
    read_header,
    read_json,
    read_keys,
    read_trec,
    refuse_repeated_header,
    refuse_row_column,
    scan_lines,
    scan_separated,
    unreadable,
)

Engine = Literal["polars", "duckdb", "spark"]
MEMORY = 3
ON_THIS_MACHINE = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.log.level": "OFF",
    # Where in a program each expression was written: looked up anew for every one of them.
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    "spark.sql.shuffle.partitions": str(os.cpu_count() or 1),
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
PARQUET = (".parquet", ".pq")
READABLE = (*SEPARATED, *PARQUET, *TREC, ".json", *LINES)

# Up to here floats tell whole numbers apart.
_EXACT = 2**53
# Of the decimals of all engines; Arrow's of 256 bits have more.
_MOST_DIGITS = 38
# The beginning of a text that is another number than 0.
_NOT_ZERO = r"^\s*[+-]?[0.]*[1-9]"


@dataclass
class FileSource:
    """One file, as it was found.

    Attributes
    ----------
    path : Path
    columns : mapping
        The name of each role's column.
    frame : polars.LazyFrame
        These columns, with the row's number in `_row` where a file has rows.
    types : mapping
        What each role's column becomes, where the file itself holds only text.
    """

    path: Path
    columns: Mapping[str, str]
    frame: Any
    types: dict[str, Any] = field(default_factory=dict)

    @property
    def is_text(self) -> bool:
        """Whether the file holds no types of its own."""
        return self.path.suffix.lower() not in PARQUET

    def typed(self) -> Any:
        """Return the frame with a column for each role, as the engines get it."""
        import polars as pl

        columns = [pl.col(self.columns[role]).cast(dtype) for role, dtype in self.types.items()]
        return self.frame.with_columns(columns)

    def first(self, bad: Any) -> dict[str, Any] | None:
        """Return the first row of which an expression holds, by the names of its columns.

        An expression of Narwhals speaks of roles.
        """
        import narwhals as nw

        if isinstance(bad, nw.Expr):
            roles = {role: nw.col(name) for role, name in self.columns.items()}
            marked = nw.from_native(self.typed()).with_columns(**roles).filter(bad).to_native()
        else:
            marked = self.typed().filter(bad)
        rows = marked.head(1).collect(engine="streaming").rows(named=True)
        return rows[0] if rows else None

    def first_text(self, bad: Any) -> dict[str, Any] | None:
        """Return the first row, as the file has it, of which an expression holds."""
        rows = self.frame.filter(bad).head(1).collect(engine="streaming").rows(named=True)
        return rows[0] if rows else None

    def error(self, role: str, row: Mapping[str, Any], words: str) -> FileError:
        """Return an error that names the file, the column and the row."""
        where = f", row {row['_row']}" if "_row" in row else f", user {row[self.columns['user']]!r}"
        return FileError(f"{self.path}, column {self.columns[role]!r}{where}: {words}")


@dataclass(frozen=True)
class OpenedFiles:
    """Files that are open: a frame of the engine for each table, and the rows to look at."""

    sources: Mapping[str, FileSource]
    frames: Mapping[str, Any]

    def select_columns(self, names: Mapping[str, str], tables: Iterable[str]) -> dict[str, str]:
        """Return those of the named columns that some tables have, by their roles."""
        there = [self.sources[table].columns for table in tables if table in self.sources]
        return {
            role: name
            for role, name in names.items()
            if any(columns.get(role) == name for columns in there)
        }

    @contextmanager
    def name_sources(self, recommended: str = "recommended") -> Iterator[None]:
        """Turn what is wrong with a table into the name of its file, the column and the row.

        Parameters
        ----------
        recommended : str
            Which table the recommendations are.
        """
        try:
            yield
        except _tables.TableError as problem:
            tables = {**self.sources, "recommended": self.sources[recommended]}
            source = tables[problem.table]
            if problem.other is not None:
                other, has = problem.other
                raise FileError(
                    f"{source.path} {problem.problem}, and {tables[other].path} {has}"
                ) from None
            raise _locate_error(source, problem) from None
        except EngineError as problem:
            damaged = next(filter(None, map(_find_damage, self.sources.values())), None)
            raise damaged or problem from None


@contextmanager
def open_files(
    paths: Mapping[str, Path],
    engine: Engine,
    columns: Mapping[str, str] | None = None,
    *,
    memory: int = MEMORY,
) -> Iterator[OpenedFiles]:
    """Open files as lazy frames of an engine; what is read of text is kept until they are closed.

    Parameters
    ----------
    paths : mapping
        The file of each table: relevant, history, groups, features; any other holds
        recommendations. CSV, TSV, Parquet, TREC, JSON or JSON Lines. A name is that of one file,
        whatever signs it holds.
    engine : {"polars", "duckdb", "spark"}
        Spark runs on this machine, unless the program was started by `spark-submit` or a session
        is open.
    columns : mapping, optional
        Which column is which, as in `frames.evaluate`.
    memory : int
        Gigabytes that DuckDB or a Spark on this machine may hold; the rest goes to disk. Counts
        when the engine is first used.

    Yields
    ------
    Opened

    Raises
    ------
    FileError
        If there is no such file, it is empty, of another kind, or damaged, a column is missing or
        could be several, or a row holds what its column cannot.
    """
    with tempfile.TemporaryDirectory(prefix="recsys-") as folder:
        sources = _inspect_files(paths, columns or {}, Path(folder))
        for role in ("user", "item"):
            _infer_id_types(role, sources)
        frames = {
            table: _engine_frame(source, Path(folder) / f"{table}.parquet", engine, memory)
            for table, source in sources.items()
        }
        yield OpenedFiles(sources, frames)


def scan(path: Path, engine: Engine, *, memory: int = MEMORY) -> Any:
    """Return a Parquet file, or a folder of them, as a lazy frame of an engine."""
    check_exists(path)
    return _scan(path, engine, memory)


def _inspect_files(
    paths: Mapping[str, Path], columns: Mapping[str, str], folder: Path
) -> dict[str, FileSource]:
    """Return all files, or raise for the columns that any of them lacks."""
    sources, problems = {}, []
    for table, path in paths.items():
        try:
            sources[table] = _inspect_file(table, path, columns, folder / f"{table}.text.parquet")
        except FileError as problem:
            if not problem.roles:
                raise
            problems.append(problem)
    if problems:
        roles = dict.fromkeys(role for problem in problems for role in problem.roles)
        raise FileError("; ".join(map(str, problems)), roles=[*roles])
    return sources


def check_exists(path: Path) -> None:
    """Raise if a path is no file, or folder of Parquet files, that can be read."""
    kind = path.suffix.lower()
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise FileError(
            f"{console.printable(str(path), 400)}: the name of the file is not UTF-8, and no "
            "engine opens it; rename the file"
        ) from None
    # A path loses one slash of an address.
    if address := re.match(r"([a-z][a-z0-9+.-]+):/+(.*)", path.as_posix()):
        scheme, rest = address.groups()
        raise FileError(
            f"{scheme}://{rest}: an address, and the command reads files of this machine. Download "
            "it, or read it in Python: evaluate(polars.scan_parquet(…), …) takes lazy frames"
        )
    if not path.exists():
        raise FileError(f"{path}: there is no such file")
    if kind not in READABLE:
        if path.is_dir():
            raise FileError(
                f"{path}: a folder; name a file, or give a folder of Parquet files a name that "
                "ends in .parquet"
            )
        raise FileError(f"{path}: not a CSV, TSV, Parquet, TREC or JSON (Lines) file, by its name")
    if path.is_dir() and kind not in PARQUET:
        raise FileError(f"{path}: a folder; name a file, or a folder of Parquet files")
    if not path.is_dir() and not path.is_file():
        raise FileError(f"{path}: not a file but a pipe or a device, which cannot be read twice")
    if path.is_file() and path.stat().st_size == 0:
        raise FileError(f"{path}: the file is empty")


def without_mark(path: Path, kept: Path) -> Path:
    """Return a file without the byte-order mark at its beginning, which Polars does not read."""
    with path.open("rb") as file:
        if file.read(len(BOM_UTF8)) != BOM_UTF8:
            return path
        plain = kept.with_suffix(".unmarked.jsonl")
        with plain.open("wb") as copy:
            shutil.copyfileobj(file, copy)
    return plain


def _inspect_file(table: str, path: Path, names: Mapping[str, str], kept: Path) -> FileSource:
    """Look into a file; text is read into a Parquet file, column by column as text."""
    import narwhals as nw
    import polars as pl

    check_exists(path)
    kind = path.suffix.lower()
    try:
        if kind in PARQUET:
            refuse_row_column(path, scan_parquet(path, **_OTHER_COLUMNS).collect_schema().names())
            frame = scan_parquet(path, row_index_name="_row", row_index_offset=1, **_OTHER_COLUMNS)
            there = [name for name in frame.collect_schema().names() if name != "_row"]
            columns = _tables.choose_columns(there, table, names)
            _check_parts(path, columns)
            # Of the types of Polars: an engine may read a time span as a whole number.
            types = nw.from_native(frame).collect_schema()
            _tables.check_types(
                {role: types[name] for role, name in columns.items()}, columns, table
            )
            if not frame.select(pl.len()).collect().item():
                raise FileError(f"{path}: there is no row in it")
            return FileSource(path, columns, frame)
        if kind in SEPARATED:
            there = read_header(path)
            columns = _tables.choose_columns(there, table, names)
            every = scan_separated(path, there, {name: name for name in there})
            labels = _unread_labels(table, columns, there, every)
            scan_separated(path, there, {**columns, **labels}).sink_parquet(kept)
            refuse_repeated_header(path, columns, pl.scan_parquet(kept, glob=False))
        elif kind in LINES:
            name = escape_path(without_mark(path, kept), "*?[", "[{}]")
            there = read_keys(path, name)
            columns = _tables.choose_columns(there, table, names)
            labels = _unread_labels(
                table, columns, there, scan_lines(name, {key: key for key in there})
            )
            scan_lines(name, {**columns, **labels}).sink_parquet(kept)
        else:
            read = read_trec(path, table) if kind in TREC else read_json(path, table)
            columns = {role: role for role in read}
            pl.DataFrame(read).write_parquet(kept)
    except _tables.TableError as problem:
        raise FileError(f"{path} {problem.problem}", roles=problem.roles) from None
    except (pl.exceptions.PolarsError, EngineError, OSError) as problem:
        row = find_malformed_row(path) if kind in SEPARATED else ""
        if kind in LINES:
            check_lines(path)
        raise (FileError(f"{path}, {row}") if row else unreadable(path, problem)) from None
    source = FileSource(path, columns, pl.scan_parquet(kept, glob=False))
    if source.frame.select(pl.len()).collect().item() == 0:
        raise FileError(f"{path}: there is no row in it")
    if kind in LINES:
        ids = ("user", "item", "group", "category")
        check_ids_of_lines(path, {role: columns[role] for role in ids if role in columns})
    for role in {"rank", "score", "grade"} & set(columns):
        value = pl.col(columns[role])
        bad = source.first(value.is_not_null() & value.cast(pl.Float64, strict=False).is_null())
        if bad:
            raise source.error(role, bad, f"{bad[columns[role]]!r} is no number")
        source.types[role] = pl.Float64
        if role == "score":
            _keep_digits(source)
            _refuse_equal_floats(source)
        if role == "grade":
            _refuse_vanished(source)
    return source


def _unread_labels(
    table: str, columns: Mapping[str, str], there: Sequence[str], frame: Any
) -> dict[str, str]:
    """Return the columns of 0 and 1 of a text file that are of no role, so that they are kept.

    Nothing reads them but the warning that they are not read.
    """
    import narwhals as nw

    from recsys_metrics.frames._unread import count_zeros

    if table not in ("relevant", "history") or "grade" in columns:
        return {}
    others = [name for name in dict.fromkeys(there) if name not in columns.values()]
    return {name: name for name in count_zeros(nw.from_native(frame), others)}


def _keep_digits(source: FileSource) -> None:
    """Read scores as whole numbers if as floats different ones would be equal."""
    import polars as pl

    held = source.frame.collect_schema()[source.columns["score"]]
    if held != pl.String:  # JSON has numbers, and keeps whole ones where floats would not do
        source.types["score"] = pl.Int64 if held.is_integer() else pl.Float64
        return
    value = pl.col(source.columns["score"])
    words = (
        "has more digits than a float stores, so that different scores would be equal; subtract "
        "the smallest from all, or divide them"
    )
    # Decimals that are all 0 leave a whole number.
    plain = value.str.extract(r"^\s*([+-]?\d{16,})\.0*\s*$").cast(pl.Int128, strict=False)
    other = value.cast(pl.Float64, strict=False).cast(pl.Int128, strict=False)
    if lost := source.first_text(plain != other):
        raise source.error("score", lost, f"{lost[source.columns['score']]!r:.60} {words}")
    whole = value.cast(pl.Int64, strict=False)
    # Floats tell all numbers of 15 digits apart. Of 1e20 in JSON, Polars makes a 1 with 20 zeros.
    few = value.str.contains(r"^\s*[+-]?0*\d{1,15}0*\s*$")
    longer = value.str.contains(r"^\s*[+-]?\d{19,}\s*$") & whole.is_null() & ~few
    wide = source.first_text(longer | ((whole > _EXACT) | (whole < -_EXACT)).fill_null(False))
    if not wide:
        return
    other = source.first_text(value.is_not_null() & whole.is_null())
    if not other:
        source.types["score"] = pl.Int64
        return
    inexact = whole != value.cast(pl.Float64, strict=False).cast(pl.Int64, strict=False)
    if lost := source.first_text(longer | inexact.fill_null(False)):
        raise source.error("score", lost, f"{lost[source.columns['score']]!r:.60} {words}")


def _refuse_equal_floats(source: FileSource) -> None:
    """Raise if two different scores of a text file are one float, for then they would tie."""
    import polars as pl

    held = source.frame.collect_schema()[source.columns["score"]]
    if held != pl.String or source.types["score"] != pl.Float64:
        return
    value = pl.col(source.columns["score"])
    number = value.cast(pl.Float64)
    # A float is written with 17 digits or fewer; near 0 it tells less apart.
    long = value.str.contains(r"^\s*[+-]?[0.]*[1-9](\.?\d){17}")
    tiny = (number.abs() < sys.float_info.min) & value.str.contains(_NOT_ZERO)
    if not source.first_text(long | tiny):
        return
    texts = source.frame.select(number=number, text=value).drop_nulls()
    equal = texts.filter(pl.col("number").is_finite()).group_by("number").agg(pl.all().unique())
    several = equal.filter(pl.col("text").list.len() > 1).select("text")
    for (alike,) in several.collect(engine="streaming").iter_rows():
        first = {Decimal(text): text for text in sorted(alike)}
        if len(first) > 1:
            one, other, *_ = first.values()
            row = source.first_text(value.is_in([one, other]))
            assert row is not None
            raise source.error(
                "score",
                row,
                f"{one!r:.60} and {other!r:.60} are 2 different scores, of which a float tells "
                "only 1 apart; write ranks, or round the scores",
            )


def _refuse_vanished(source: FileSource) -> None:
    """Raise if a grade of a text file is too small for a float, where it would be 0."""
    import polars as pl

    if source.frame.collect_schema()[source.columns["grade"]] != pl.String:
        return
    value = pl.col(source.columns["grade"])
    if lost := source.first_text((value.cast(pl.Float64) == 0) & value.str.contains(_NOT_ZERO)):
        raise source.error(
            "grade",
            lost,
            f"{lost[source.columns['grade']]!r:.60} is so small that a float takes it for 0, not "
            "relevant; multiply all grades by one number",
        )


def _infer_id_types(role: str, sources: Mapping[str, FileSource]) -> None:
    """Say what ids in text are: whole numbers if all of them are, and those of other files.

    In text, 1 and "1" are the same; what a user is has to be told from all files together.
    """
    import polars as pl

    held = [
        source
        for table, source in sources.items()
        if role in source.columns and not (role == "user" and table == "history")
    ]
    text = [source for source in held if source.is_text]
    numbers_elsewhere = [
        source
        for source in held
        if not source.is_text and source.frame.collect_schema()[source.columns[role]].is_integer()
    ]
    odd: list[tuple[FileSource, dict[str, Any]]] = []
    for source in text:
        first = _first_not_whole(role, source)
        if not first:
            continue
        value = pl.col(source.columns[role])
        number = value.cast(pl.Float64, strict=False)
        has_point = number.is_not_null() & value.str.contains(".", literal=True)
        point = source.first(has_point)
        if point and not source.first(value.is_not_null() & number.is_null()):
            said = point[source.columns[role]]
            raise source.error(role, point, explain_decimal(said))
        odd.append((source, first))
    if odd and numbers_elsewhere:
        source, first = odd[0]
        said, other = first[source.columns[role]], numbers_elsewhere[0].path
        what = f"{said!r} is no whole number, as in {other}"
        if re.fullmatch(r"-?[1-9][0-9]*", said):
            what = (
                f"{said!r} does not fit in 64 bits with a sign, as which ids in text are read if "
                f"those of {other} are numbers; write the ids of both files as text, or both "
                "files as Parquet"
            )
        raise source.error(role, first, what)
    others = len(held) > len(text) + len(numbers_elsewhere)
    if not odd and not others:
        # The users of a history follow those of the lists where they can.
        history = sources.get("history")
        if role == "user" and history and history.is_text and role in history.columns:
            text += [history] if _first_not_whole(role, history) is None else []
        for source in text:
            source.types[role] = pl.Int64


def explain_decimal(said: str) -> str:
    """Return why a number with a point is no id, where all others of its column are numbers."""
    return f"{said!r} is a decimal; an id is a whole number or text"


def _first_not_whole(role: str, source: FileSource) -> dict[str, Any] | None:
    """Return the first row of a file of text in which an id is no whole number."""
    import polars as pl

    value = pl.col(source.columns[role])
    # Written as it would be printed: 007 and 1e3 are text.
    whole = value.cast(pl.Int64, strict=False).cast(pl.String) == value
    return source.first(value.is_not_null() & ~whole.fill_null(False))


def _engine_frame(source: FileSource, kept: Path, engine: Engine, memory: int) -> Any:
    """Return the frame of an engine, by way of a Parquet file with types if it read text."""
    if not source.is_text:
        return _scan(source.path, engine, memory)
    frame = source.typed()
    if engine == "polars":
        return frame
    if engine == "spark" and not _session(memory).sparkContext.master.startswith("local"):
        raise FileError(
            f"{source.path}: text is read on this machine, where the cluster does not see it; give "
            "Parquet"
        )
    frame.sink_parquet(kept)
    return _scan(kept, engine, memory)


def _scan(path: Path, engine: Engine, memory: int) -> Any:
    """Return a Parquet file as a frame of an engine, its name taken letter by letter."""
    try:
        if engine == "duckdb":
            return _database(memory).read_parquet(
                [escape_path(part, "*?[", "[{}]") for part in find_parts(path)],
                hive_partitioning=_is_partitioned(path),
            )
        if engine == "spark":
            return _session(memory).read.parquet(escape_path(path, "*?[]{}\\", "\\{}"))
        return scan_parquet(path, **_OTHER_COLUMNS)
    except (ModuleNotFoundError, FileError):
        raise
    except Exception as problem:  # each engine has errors of its own
        raise unreadable(path, problem) from None


def find_parts(path: Path) -> list[Path]:
    """Return the files of a folder of Parquet files, or the one file that a path names.

    Leftovers of a writer, whose path below the folder has a part that begins with `_` or `.`, are
    passed over, as Spark does: what `_temporary` holds is there a second time or was given up.
    """
    if not path.is_dir():
        return [path]
    parts = sorted(
        part
        for part in path.rglob("*")
        if part.is_file()
        and not any(name.startswith(("_", ".")) for name in part.relative_to(path).parts)
    )
    if other := next((part for part in parts if part.suffix.lower() not in PARQUET), None):
        raise FileError(
            f"{path}: a folder of Parquet files, and {other.relative_to(path)} is none by its "
            "name; move it elsewhere"
        )
    if not parts:
        raise FileError(f"{path}: there is no Parquet file in the folder")
    return parts


def _is_partitioned(path: Path) -> bool:
    """Whether folders below a folder hold the values of a column in their names: `user=ann`."""
    return any("=" in str(part.relative_to(path).parent) for part in find_parts(path))


def scan_parquet(path: Path, **options: Any) -> Any:
    """Return a Parquet file, or a folder of them, as a lazy frame of Polars."""
    import polars as pl

    partitioned = _is_partitioned(path)
    frame = pl.scan_parquet(find_parts(path), glob=False, hive_partitioning=partitioned, **options)
    try:
        types = frame.collect_schema()
    except pl.exceptions.DuplicateError as problem:
        twice = re.search("'(.+)'", str(problem))
        name = f" {twice[1]!r}" if twice else " of one name"
        raise FileError(f"{path} has two columns{name}; rename one, or leave it out") from None
    except (pl.exceptions.PolarsError, OSError) as problem:
        raise unreadable(path, problem) from None
    for name, kind in types.items():
        if isinstance(kind, pl.Decimal) and kind.precision > _MOST_DIGITS:
            raise FileError(
                f"{path}, column {name!r}: decimals of {kind.precision} digits, and engines hold "
                f"{_MOST_DIGITS}; write it as float64, or as decimals of fewer digits"
            )
    return frame


# Columns that only some parts of a folder have; those of a role are checked before.
_OTHER_COLUMNS = {"extra_columns": "ignore", "missing_columns": "insert"}


def _check_parts(path: Path, columns: Mapping[str, str]) -> None:
    """Raise if a column has another type in one part of a folder, which engines treat variously."""
    import polars as pl

    first, *others = find_parts(path)
    for part in (first, *others):
        for folder in part.relative_to(path).parts[:-1] if path.is_dir() else ():
            name, equals, value = folder.partition("=")
            if equals and name in columns.values() and re.fullmatch(r"[+-]?0\d+|\+\d+", value):
                raise FileError(
                    f"{path}: the folder {folder} has an id that one engine reads as the text "
                    f"{value!r} and another as the number {int(value)}; write the ids into the "
                    "files"
                )
    types = pl.scan_parquet(first, glob=False).collect_schema()
    for part in others:
        here = pl.scan_parquet(part, glob=False).collect_schema()
        for name in columns.values():
            if here.get(name) != types.get(name):
                raise FileError(
                    f"{part}, column {name!r}: {_type_name(here, name)} here, and "
                    f"{_type_name(types, name)} in {first}; write all parts with the same types"
                )


def _type_name(types: Mapping[str, Any], name: str) -> str:
    return f"values of type {types[name]}" if name in types else "no such column"


def escape_path(path: Path, signs: str, form: str) -> str:
    """Return a path in which signs that an engine would read as a pattern mean themselves."""
    text = str(path.absolute())
    return "".join(form.format(sign) if sign in signs else sign for sign in text)


@lru_cache(maxsize=1)
def _database(memory: int) -> Any:
    """Return the one database that holds all tables of a command."""
    import duckdb

    settings: dict[str, Any] = {"memory_limit": f"{memory}GB", "preserve_insertion_order": False}
    return duckdb.connect(config=settings)


def _session(memory: int) -> Any:
    """Return the session that is open or was submitted, else one of this machine alone."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName(DISTRIBUTION)
    submitted = "PYSPARK_GATEWAY_PORT" in os.environ
    if not submitted and SparkSession.getActiveSession() is None:
        builder = builder.master("local[*]")
        # The workers import this package, as this Python does.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        for name, value in {**ON_THIS_MACHINE, "spark.driver.memory": f"{memory}g"}.items():
            builder = builder.config(name, value)
    return builder.getOrCreate()


_REPEAT_CURES = {
    "item": "; keep one of the rows, or take repeats out: --repeats drop. The lists of several "
    "recommenders go into a file each",
    "rank": "; rank each item once. The lists of several recommenders go into a file each",
}


def _locate_error(source: FileSource, problem: _tables.TableError) -> FileError:
    """Return an error that names the file and, where it can be found, the row at fault."""
    fault = problem.fault
    row = _find_faulty_row(source, fault) if fault else None
    if not fault or not row:
        return FileError(f"{source.path} {problem.problem}", roles=problem.roles)
    words = fault.row.format(**{role: _plain(row[c]) for role, c in source.columns.items()})
    if fault.bad is None:
        return FileError(f"{source.path}, row {row['_row']}: {words}{_REPEAT_CURES[fault.role]}")
    return source.error(fault.role, row, words)


def _find_damage(source: FileSource) -> FileError | None:
    """Return what is wrong with a file of which the beginning can be read, and not all the rest."""
    import polars as pl

    try:
        source.frame.select(pl.col(*source.columns.values()).null_count()).collect(
            engine="streaming"
        )
    except (pl.exceptions.PolarsError, OSError) as problem:
        return FileError(f"{source.path}: damaged, so it cannot be read to its end: {problem}")
    return None


def _plain(value: Any) -> Any:
    return f"{value:g}" if isinstance(value, float) else value


def _find_faulty_row(source: FileSource, fault: Fault) -> dict[str, Any] | None:
    """Find the first row; of repeats the first user, and then that user's first repeat."""
    if fault.bad is not None:
        return source.first(fault.bad)
    import polars as pl

    user, column = pl.col(source.columns["user"]), pl.col(source.columns[fault.role])
    at_fault = (
        source.typed()
        .group_by(user)
        .agg(repeats=column.n_unique() < pl.len(), first=pl.col("_row").min())
        .filter("repeats")
        .sort("first")
        .head(1)
        .collect(engine="streaming")
    )
    if not len(at_fault):
        return None
    rows = source.typed().filter(user == at_fault[0, 0]).collect(engine="streaming").sort("_row")
    row: dict[str, Any] = rows.filter(~column.is_first_distinct()).row(0, named=True)
    return row
