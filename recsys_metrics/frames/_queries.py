"""Run queries of an engine."""

from __future__ import annotations

from typing import Any

import narwhals as nw

from recsys_metrics._core.inputs.engines import engine_errors

Expr = nw.Expr


def engine_name(frame: Any) -> str:
    """Return what an error calls the engine of a frame of Narwhals."""
    return str(frame.implementation.name.lower())


def one_row(frame: nw.LazyFrame[Any], table: str = "") -> dict[str, Any]:
    """Return a frame of one row as a mapping; an error of the engine names the table."""
    rows = collect(frame, table)
    return {name: rows[name][0] for name in rows.columns}


def collect(frame: nw.LazyFrame[Any], table: str = "") -> nw.DataFrame[Any]:
    """Run a query; Polars streams the tables through it. An engine's error names the table."""
    with engine_errors(engine_name(frame), table):
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
