"""All tasks, by name. A library is imported only when it is asked."""

from __future__ import annotations

from dev.benchmarks import beyond_accuracy, calibration, off_policy, ranking, resampling, scores
from dev.benchmarks.task import Task

TASKS: dict[str, Task] = {
    **ranking.TASKS,
    **scores.TASKS,
    **beyond_accuracy.TASKS,
    **resampling.TASKS,
    **calibration.TASKS,
    **off_policy.TASKS,
}
