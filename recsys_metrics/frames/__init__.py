"""The same measures over long tables: larger than memory, larger than a machine.

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
`evaluate`     the one call
`tables`       the columns of a table, by whatever names they have
`plan`         what all measures need of the tables, collected once
`per_list`     the ranking measures as expressions
`of_items`     what is counted per item: Gini, entropy, personalization
`checks`       what is wrong with the tables
`_off_policy`  IPS and other estimators over a log
`values`       the values of users as a query, behind a `Report`
`files`        tables in files, and the row at fault
`text_files`   CSV, TSV, TREC and JSON, read in one way for every engine
`example`      files to try it on
`writing`      tables into files
=============  ==================================================================

The measures, their conventions and their values are those of `recsys_metrics.evaluate`.
"""

from recsys_metrics.frames._off_policy import off_policy
from recsys_metrics.frames.evaluate import evaluate
from recsys_metrics.frames.plan import EngineError
from recsys_metrics.frames.tables import TableError

__all__ = ["EngineError", "TableError", "evaluate", "off_policy"]
