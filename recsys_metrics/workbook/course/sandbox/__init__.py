"""Where a submission runs: a system of its own, made, filled, watched and ended from outside.

`running` starts and hears it; `bubblewrap`, `account` and `syscalls` say what is in there, who
runs it and what it may ask of the kernel; `memory`, `cgroup` and `processes` hold it to its
limits; `runner` is what stands on the other side.
"""

from recsys_metrics.workbook.course.sandbox.job import Job, Trace
from recsys_metrics.workbook.course.sandbox.running import (
    MISSING,
    DoubtError,
    Stop,
    make_ready,
    run,
)

__all__ = ["MISSING", "DoubtError", "Job", "Stop", "Trace", "make_ready", "run"]
