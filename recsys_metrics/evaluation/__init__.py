"""Evaluate lists by many measures: intervals, groups, comparisons and protocol.

=================  ===============================================================
file               holds
=================  ===============================================================
`_evaluation`      `Evaluation`: lists in batches and in processes; `evaluate` is one batch
`_epochs`          `EpochEvaluation`: one that begins again, for training loops
`_settings`        the measures and conventions that were asked for
`_context`         what measures need besides, put into the order of the lists
`_report`          `Report`, `_result` `Result`: the answer
`_user_values`     the values of each user
`_aggregate`       their number, mean and spread, and the interval made from these
`_comparison`      two reports of the same users, side by side, with a conclusion
`_comparability`   whether two reports can be compared
`_leaderboard`     many reports of the same users, with marks where one is better than another
`_grouped`         a report by groups of users
`_protocol`        the card that says how the numbers came about
`_caveats`         what to keep in mind
`_rendering`       reports as text, HTML, Markdown and LaTeX
`_report_file`     reports as JSON
=================  ===============================================================

Stable: names and meanings stay from now on, and the changelog announces any change. `Aggregate` and
`Protocol`, of which reports are built, may change.

>>> from recsys_metrics import evaluate
>>> report = evaluate(["A", "B", "C", "D", "E"], {"B", "C", "E", "G"}, ["recall@5", "ndcg@5"])
>>> report["recall@5"].mean
0.75
"""

from recsys_metrics.evaluation._aggregate import Aggregate
from recsys_metrics.evaluation._comparison import Comparison, Difference
from recsys_metrics.evaluation._epochs import EpochEvaluation
from recsys_metrics.evaluation._evaluation import Evaluation
from recsys_metrics.evaluation._grouped import GroupedReport
from recsys_metrics.evaluation._leaderboard import Leaderboard, compare_many
from recsys_metrics.evaluation._protocol import Protocol
from recsys_metrics.evaluation._report import Report
from recsys_metrics.evaluation._result import Result

__all__ = [
    "Aggregate",
    "Comparison",
    "Difference",
    "EpochEvaluation",
    "Evaluation",
    "GroupedReport",
    "Leaderboard",
    "Protocol",
    "Report",
    "Result",
    "compare_many",
]


def __dir__() -> list[str]:
    return __all__
