"""Tables in files: found, opened lazily by an engine, and searched for the row at fault."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

Engine = Literal["polars", "duckdb", "spark"]
READABLE = (".csv", ".tsv", ".parquet", ".pq")


class FileError(ValueError):
    """A file that cannot be evaluated; the message names it."""


def scan(path: Path, engine: Engine) -> Any:
    """Return a file as a lazy frame of an engine.

    Parameters
    ----------
    path : Path
        CSV, TSV or Parquet.
    engine : {"polars", "duckdb", "spark"}

    Returns
    -------
    polars.LazyFrame, duckdb.DuckDBPyRelation or pyspark.sql.DataFrame

    Raises
    ------
    FileError
        If there is no such file, it is empty, of another kind, or damaged.
    """
    if not path.exists():
        raise FileError(f"{path}: there is no such file")
    if path.suffix.lower() not in READABLE:
        raise FileError(f"{path}: not a CSV, TSV or Parquet file, by its name")
    if path.is_file() and path.stat().st_size == 0:
        raise FileError(f"{path}: the file is empty")
    opened = {"polars": _in_polars, "duckdb": _in_duckdb, "spark": _in_spark}[engine]
    try:
        return opened(path)
    except ModuleNotFoundError:
        raise
    except Exception as problem:
        raise FileError(f"{path}: cannot be read: {_first_line(problem)}") from None


def _in_polars(path: Path) -> Any:
    import polars as pl

    if path.suffix.lower() in (".parquet", ".pq"):
        frame = pl.scan_parquet(path)
    else:
        frame = pl.scan_csv(path, separator=_separator(path), infer_schema_length=10_000)
    frame.collect_schema()
    return frame


def _in_duckdb(path: Path) -> Any:
    import duckdb

    if path.suffix.lower() in (".parquet", ".pq"):
        return duckdb.read_parquet(str(path))
    return duckdb.read_csv(str(path), sep=_separator(path), header=True)


def _in_spark(path: Path) -> Any:
    from pyspark.sql import SparkSession

    session = SparkSession.builder.appName("recsys-metrics").getOrCreate()
    if path.suffix.lower() in (".parquet", ".pq"):
        return session.read.parquet(str(path))
    return session.read.csv(str(path), sep=_separator(path), header=True, inferSchema=True)


def _separator(path: Path) -> str:
    return "\t" if path.suffix.lower() == ".tsv" else ","


def _first_line(problem: Exception) -> str:
    return next(filter(None, map(str.strip, str(problem).splitlines())), type(problem).__name__)


def fault(path: Path, columns: dict[str, str]) -> str:
    """Return the first row at fault in a file, in words, or nothing if none is found.

    Looked for only after an evaluation has failed, by reading the file once more.
    """
    import polars as pl

    from recsys_metrics.frames.tables import find

    table = _in_polars(path).with_row_index("_row").collect()
    roles = ("user", "item", "rank", "score", "grade")
    names = find([c for c in table.columns if c != "_row"], roles, columns)

    def row(at: int) -> str:
        first = 1 if path.suffix.lower() in (".parquet", ".pq") else 2
        return f"row {at + first}"

    if not len(table):
        return f"{path}: there is a header and no row"
    for role, name in names.items():
        empty = table.filter(pl.col(name).is_null())
        if len(empty):
            return f"{path}, column {name!r}, {row(empty['_row'][0])}: nothing is there"
        if role in ("rank", "score", "grade") and not table[name].dtype.is_numeric():
            read = table.with_columns(_number=pl.col(name).cast(pl.Float64, strict=False))
            bad = read.filter(pl.col("_number").is_null())
            if len(bad):
                return (
                    f"{path}, column {name!r}, {row(bad['_row'][0])}: {bad[name][0]!r} is no number"
                )
    if {"user", "item"} <= set(names):
        pair = [names["user"], names["item"]]
        twice = table.filter(~pl.struct(pair).is_first_distinct())
        if len(twice):
            user, item = (twice[name][0] for name in pair)
            return f"{path}, {row(twice['_row'][0])}: user {user!r} has item {item!r} a second time"
    if "rank" in names:
        low = table.filter(pl.col(names["rank"]) < 1)
        if len(low):
            return (
                f"{path}, column {names['rank']!r}, {row(low['_row'][0])}: the rank is "
                f"{low[names['rank']][0]}; ranks start at 1"
            )
    if "grade" in names:
        low = table.filter(pl.col(names["grade"]) < 0)
        if len(low):
            return (
                f"{path}, column {names['grade']!r}, {row(low['_row'][0])}: the grade is "
                f"{low[names['grade']][0]}; a grade is 0 or more"
            )
    return ""
