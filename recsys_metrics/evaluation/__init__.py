"""Many measures of many lists: judged once, with intervals, groups, comparison and protocol.

=============  ==================================================================
file           holds
=============  ==================================================================
`evaluate`     the one call, and what it reads from its arguments
`sources`      what was given, put into the order of the lists
`report`       `Report`, `Result`: the answer
`values`       the values of each user, in memory or in an engine
`aggregate`    their number, mean and spread, and the interval made from these
`comparison`   two reports of the same users, side by side, with a verdict
`grouped`      a report by groups of users
`protocol`     the card that says how the numbers came about
`views`        reports as text and as HTML
=============  ==================================================================

>>> from recsys_metrics import evaluate
>>> report = evaluate(["A", "B", "C", "D", "E"], {"B", "C", "E", "G"}, ["recall@5", "ndcg@5"])
>>> report["recall@5"].mean
0.75
"""

from recsys_metrics.evaluation.aggregate import Aggregate
from recsys_metrics.evaluation.comparison import Comparison, Difference
from recsys_metrics.evaluation.evaluate import evaluate
from recsys_metrics.evaluation.grouped import GroupedReport
from recsys_metrics.evaluation.protocol import Protocol
from recsys_metrics.evaluation.report import Report, Result

__all__ = [
    "Aggregate",
    "Comparison",
    "Difference",
    "GroupedReport",
    "Protocol",
    "Report",
    "Result",
    "evaluate",
]
