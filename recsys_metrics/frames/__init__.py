"""The same measures over long tables: larger than memory, larger than a machine.

A table of recommendations has a row for each item that a user was shown, a table of what was
wanted a row for each item that a user wanted. Any frame that Narwhals knows will do: Polars
(eager, lazy, or `scan_parquet`), DuckDB, PySpark, pandas, PyArrow. Lazy frames stay lazy: one
query is built for all measures, each table is read once in it, and only sums come back. Two more
passes have a reason of their own: one that looks for faults in the tables comes first, and what is
counted per item, such as coverage, is another grouping of the recommendations.

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
`report`       the answer
`comparison`   two answers side by side
`groups`       an answer for each group of users
`files`        tables in files, and the row at fault
`example`      files to try it on
`writing`      tables into files
=============  ==================================================================

The measures, their conventions and their values are those of `recsys_metrics.evaluate`.
"""

from recsys_metrics.frames._off_policy import off_policy
from recsys_metrics.frames.comparison import compare
from recsys_metrics.frames.evaluate import evaluate
from recsys_metrics.frames.groups import by_group
from recsys_metrics.frames.report import FrameReport, FrameResult

__all__ = ["FrameReport", "FrameResult", "by_group", "compare", "evaluate", "off_policy"]
