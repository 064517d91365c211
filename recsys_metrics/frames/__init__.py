"""Evaluate long tables that are larger than memory, with Polars, DuckDB or Spark.

A table of recommendations has a row for each item that was recommended to a user, a table of what
is relevant a row for each item that is relevant to a user. Any frame that Narwhals knows will do:
Polars (eager, lazy, or `scan_parquet`), DuckDB, PySpark, and by way of Polars pandas and PyArrow.
Lazy frames stay lazy: one query is built for all measures, each table is read once in it, and only
sums come back. Two more passes have a reason of their own: one that looks for faults in the tables
comes first, and what is counted per item, such as coverage, is another grouping of the
recommendations.

=============  ==================================================================
file           holds
=============  ==================================================================
`_evaluate`    the one call
`_tables`      the columns of a table, by whatever names they have
`_plan`        what all measures need of the tables, collected once
`_per_list`    the ranking measures as expressions
`_of_items`    what is counted per item: Gini, entropy, personalization
`_checks`      what is wrong with the tables
`_off_policy`  IPS and other estimators over a log
`_values`      the values of users as a query, behind a `Report`
`_files`       tables in files, and the row at fault
`_text_files`  CSV, TSV, TREC and JSON, read in one way for every engine
`_example`     files to try it on
`_writing`     tables into files
=============  ==================================================================

The measures, their conventions and their values are those of `recsys_metrics.evaluate`.

Stable: names and meanings stay from now on, and the changelog announces any change.
"""

from recsys_metrics.frames._evaluate import evaluate
from recsys_metrics.frames._off_policy import off_policy
from recsys_metrics.frames._plan import EngineError
from recsys_metrics.frames._tables import TableError

__all__ = ["EngineError", "TableError", "evaluate", "off_policy"]


def __dir__() -> list[str]:
    return __all__
