"""Evaluate long tables that are larger than memory, with Polars, DuckDB or Spark.

A table of recommendations has a row for each item that was recommended to a user, a table of what
is relevant a row for each item that is relevant to a user. Any frame that Narwhals knows will do:
Polars (eager, lazy, or `scan_parquet`), DuckDB, PySpark, and by way of Polars pandas and PyArrow.
The engine checks the rows, leaves out those below the largest cut-off, and parts the tables by
user; blocks of users then go to `recsys_metrics.Evaluation` as arrays, so that every measure is
there and has the value that it has over lists. A table of more than two million rows is parted on
disk, and a block is in memory at a time; Spark evaluates each part in the worker that holds it.

===============  ==================================================================
file             holds
===============  ==================================================================
`_evaluate`      the one call
`_tables`        the columns of a table, by whatever names they have
`_checks`        what is wrong with the tables
`_engines`       which rows are whose: Polars, DuckDB, Spark
`_blocks`        a block of users as numbered lists
`_queries`       queries of an engine, and its errors
`_off_policy`    IPS and other estimators over a log
`_files`         tables in files, and the row at fault
`_whole_tables`  tables in files with all of their columns
`_text_files`    CSV, TSV, TREC and JSON, read in one way for every engine
`_example`       files to try it on
`_writing`       tables into files
===============  ==================================================================

The measures, their conventions and their values are those of `recsys_metrics.evaluate`.

Stable: names and meanings stay from now on, and the changelog announces any change.
"""

from recsys_metrics._core.inputs.engines import EngineError
from recsys_metrics.frames._evaluate import evaluate
from recsys_metrics.frames._off_policy import off_policy
from recsys_metrics.frames._tables import TableError

__all__ = ["EngineError", "TableError", "evaluate", "off_policy"]


def __dir__() -> list[str]:
    return __all__
