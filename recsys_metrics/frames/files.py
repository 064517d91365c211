"""Tables in files: found, opened lazily by an engine, and searched for the row at fault."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from recsys_metrics._distribution import DISTRIBUTION

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
READABLE = (".csv", ".tsv", ".parquet", ".pq")


class FileError(ValueError):
    """A file that cannot be evaluated; the message names it."""


def scan(path: Path, engine: Engine, *, memory: int = MEMORY) -> Any:
    """Return a file as a lazy frame of an engine.

    Parameters
    ----------
    path : Path
        CSV, TSV or Parquet.
    engine : {"polars", "duckdb", "spark"}
        Spark runs on this machine, unless the program was started by `spark-submit` or a session
        is open.
    memory : int
        Gigabytes that DuckDB or a Spark on this machine may hold; the rest goes to disk. Counts
        when the engine is first used.

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
    try:
        if engine == "duckdb":
            return _in_duckdb(path, _database(memory))
        if engine == "spark":
            return _in_spark(path, _session(memory))
        return _in_polars(path)
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


def _in_duckdb(path: Path, database: Any) -> Any:
    if path.suffix.lower() in (".parquet", ".pq"):
        return database.read_parquet(str(path))
    return database.read_csv(str(path), sep=_separator(path), header=True)


@lru_cache(maxsize=1)
def _database(memory: int) -> Any:
    """Return the one database that holds all tables of a command."""
    import duckdb

    settings: dict[str, Any] = {"memory_limit": f"{memory}GB", "preserve_insertion_order": False}
    return duckdb.connect(config=settings)


def _in_spark(path: Path, session: Any) -> Any:
    if path.suffix.lower() in (".parquet", ".pq"):
        return session.read.parquet(str(path))
    return session.read.csv(str(path), sep=_separator(path), header=True, inferSchema=True)


def _session(memory: int) -> Any:
    """Return the session that is open or was submitted, else one of this machine alone."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName(DISTRIBUTION)
    submitted = "PYSPARK_GATEWAY_PORT" in os.environ
    if not submitted and SparkSession.getActiveSession() is None:
        builder = builder.master("local[*]")
        for name, value in {**ON_THIS_MACHINE, "spark.driver.memory": f"{memory}g"}.items():
            builder = builder.config(name, value)
    return builder.getOrCreate()


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
