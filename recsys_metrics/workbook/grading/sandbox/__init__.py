"""Where a submission runs: a system of its own, made, filled, watched and ended from outside.

`supervisor` starts it and reads what it writes; `bubblewrap`, `run_as` and `syscalls` say what is
in there, who runs it and what it may ask of the kernel; `memory`, `cgroup` and `processes` enforce
its limits; `in_sandbox` runs on the other side.
"""

from recsys_metrics.workbook.grading.sandbox.job import Job, Trace
from recsys_metrics.workbook.grading.sandbox.supervisor import (
    MISSING,
    DoubtError,
    Stop,
    require_sandbox,
    run_submission,
)

__all__ = ["MISSING", "DoubtError", "Job", "Stop", "Trace", "require_sandbox", "run_submission"]
