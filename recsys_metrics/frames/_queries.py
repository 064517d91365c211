"""Run queries of an engine, and say in its own words what it could not run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import narwhals as nw

Expr = nw.Expr


class EngineError(RuntimeError):
    """A query that an engine could not run; the message holds the first line of its own."""


@contextmanager
def engine_errors(frame: nw.LazyFrame[Any]) -> Iterator[None]:
    """Turn what an engine raises into an `EngineError`."""
    try:
        yield
    except Exception as problem:  # each engine has errors of its own
        said = _first_line(problem)
        raise EngineError(f"{frame.implementation.name.lower()} says: {said}") from problem


def _first_line(problem: Exception) -> str:
    """Return what an engine says in one line; of a worker's traceback what it ends with."""
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"\w*(\.\w+)*Error: ", line)]
    if not lines:
        return type(problem).__name__
    if "Python worker" not in lines[0] or not errors:
        return lines[0]
    if errors[-1].startswith("ModuleNotFoundError"):
        return (
            f"{errors[-1]} on a worker. The workers need recsys-workbook[frames], pandas and "
            "pyarrow: the page Scale shows how to send them an environment"
        )
    return f"{errors[-1]} (on a worker)"


def one_row(frame: nw.LazyFrame[Any]) -> dict[str, Any]:
    """Return a frame of one row as a mapping."""
    rows = collect(frame)
    return {name: rows[name][0] for name in rows.columns}


def collect(frame: nw.LazyFrame[Any]) -> nw.DataFrame[Any]:
    """Run a query; Polars streams the tables through it."""
    with engine_errors(frame):
        if frame.implementation.is_polars():
            return frame.collect("polars", engine="streaming")
        return frame.collect()


def divide(top: Expr, bottom: Expr) -> Expr:
    """Divide, with 0 where there is nothing to divide by."""
    some = bottom != 0
    # Spark writes both sides of a division out several times: the long one stays outside it.
    over = 1.0 / nw.when(some).then(bottom).otherwise(1.0)
    return nw.when(some).then(top * over).otherwise(0.0)


def minimum(one: Expr, other: Expr) -> Expr:
    """Return the smaller of two values."""
    return nw.when(one <= other).then(one).otherwise(other)
