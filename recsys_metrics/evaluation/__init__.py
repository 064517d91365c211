"""Evaluate lists by many measures: intervals, groups, comparisons and protocol.

=====================  ===============================================================
file                   holds
=====================  ===============================================================
`_evaluation`          `Evaluation`: lists in batches and in processes; `evaluate` is one batch
`_epochs`              `EpochEvaluation`: one that begins again, for training loops
`_settings`            the measures and conventions that were asked for
`_context`             what measures need besides, put into the order of the lists
`_report`              `Report`, `_result` `Result`: the answer
`_user_values`         the values of each user
`_aggregate`           their number, mean and spread, and the interval made from these
`_comparison`          two reports of the same users, side by side, with a conclusion
`_difference`          the paired difference by one metric
`_grouped_comparison`  the paired differences within groups of users
`_comparability`       whether two reports can be compared
`_gate`                whether a report is worse than another by more than a margin
`_goals`               many reports by several goals: weights at which the winner changes
`_pareto`              the Pareto front and the hypervolume
`_sensitivity`         where a conclusion turns if something else had been assumed
`_preflight`           whether something is wrong with lists, truth, split or metric
`_leaderboard`         many reports of the same users, with marks where one is better than another
`_grouped`             a report by groups of users
`_ranked`              held-out items that were ranked one by one
`_predictions`         ratings and probabilities: values, intervals, groups, comparisons
`_prediction_metrics`  their metrics as functions of sums
`_protocol`            the card that says how the numbers came about
`_caveats`             what to keep in mind
`_rendering`           reports as text, HTML, Markdown and LaTeX
`_report_file`         reports as JSON
`_table_style`         digits, names and emphasis of tables
`_scorecard`           `Scorecard`: the metrics of an A/B test, arm by arm
`_arm_comparison`      how it is made from a table of users
`_experiment_metrics`  its metrics and their columns
=====================  ===============================================================

Stable: names and meanings stay from now on, and the changelog announces any change. `Aggregate` and
`Protocol`, of which reports are built, may change.

>>> from recsys_metrics import evaluate
>>> report = evaluate(["A", "B", "C", "D", "E"], {"B", "C", "E", "G"}, ["recall@5", "ndcg@5"])
>>> report["recall@5"].mean
0.75
"""

from recsys_metrics.evaluation._aggregate import Aggregate
from recsys_metrics.evaluation._arm_comparison import scorecard
from recsys_metrics.evaluation._comparison import Comparison
from recsys_metrics.evaluation._difference import Difference
from recsys_metrics.evaluation._epochs import EpochEvaluation
from recsys_metrics.evaluation._evaluation import Evaluation
from recsys_metrics.evaluation._gate import GateCheck, GateResult, GateRule, gate
from recsys_metrics.evaluation._goals import GoalComparison, WinnerChange, compare_goals
from recsys_metrics.evaluation._grouped import GroupedReport
from recsys_metrics.evaluation._grouped_comparison import GroupedComparison
from recsys_metrics.evaluation._leaderboard import Leaderboard, compare_many
from recsys_metrics.evaluation._pareto import hypervolume, pareto_front
from recsys_metrics.evaluation._predictions import (
    PredictionReport,
    PredictionResult,
    evaluate_predictions,
)
from recsys_metrics.evaluation._preflight._finding import (
    Finding,
    PreflightResult,
    ReferenceValue,
)
from recsys_metrics.evaluation._preflight._preflight import preflight
from recsys_metrics.evaluation._protocol import Protocol
from recsys_metrics.evaluation._ranked import evaluate_ranks
from recsys_metrics.evaluation._report import Report
from recsys_metrics.evaluation._result import Result
from recsys_metrics.evaluation._scorecard import Scorecard, ScorecardRow
from recsys_metrics.evaluation._sensitivity import (
    Sensitivity,
    Setting,
    TurningPoint,
    sensitivity,
)

__all__ = [
    "Aggregate",
    "Comparison",
    "Difference",
    "EpochEvaluation",
    "Evaluation",
    "Finding",
    "GateCheck",
    "GateResult",
    "GateRule",
    "GoalComparison",
    "GroupedComparison",
    "GroupedReport",
    "Leaderboard",
    "PredictionReport",
    "PredictionResult",
    "PreflightResult",
    "Protocol",
    "ReferenceValue",
    "Report",
    "Result",
    "Scorecard",
    "ScorecardRow",
    "Sensitivity",
    "Setting",
    "TurningPoint",
    "WinnerChange",
    "compare_goals",
    "compare_many",
    "evaluate_predictions",
    "evaluate_ranks",
    "gate",
    "hypervolume",
    "pareto_front",
    "preflight",
    "scorecard",
    "sensitivity",
]


def __dir__() -> list[str]:
    return __all__
