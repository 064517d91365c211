"""How many threads the library may start."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import AbstractContextManager, ExitStack
from typing import Any

from recsys_metrics._core.checks import check_count

# More than these wait for memory, not for a core.
_MOST = 8

_chosen: int | None = None


def set_threads(n: int | None) -> AbstractContextManager[Any]:
    """On how many threads does the library compute?

    Large arrays are shared out between threads, each with its own rows; a result has the same
    last digit on one thread and on eight.

    Parameters
    ----------
    n : int or None
        So many at most, in the whole process. None returns to the default.

    Returns
    -------
    context manager
        Used with `with`, it brings back at its end what was set before. Otherwise leave it.

    Raises
    ------
    TypeError, ValueError
        If n is no whole number of 1 or more.

    Notes
    -----
    The number is, in this order:

    1. what `set_threads` says;
    2. the environment's `RECSYS_METRICS_THREADS`;
    3. one in a thread other than the main one (a thread pool's, Dask's) and in a task of Spark,
       where others are at work beside it;
    4. the environment's `OMP_NUM_THREADS`, which other numerical libraries obey, too, and which
       joblib sets in its processes to their share of the cores;
    5. one in a process that `multiprocessing` started, a process pool's say;
    6. the cores that the process may use, at most eight; one in a browser.

    A process that was only forked, as those of gunicorn and Celery are, cannot be told from any
    other: set the number there. What `set_threads` says holds in children that are forked, not
    in those that start anew; the environment holds in both. What NumPy itself shares out (a
    product of matrices) follows its own BLAS.

    Examples
    --------
    >>> import recsys_metrics as rm
    >>> with rm.set_threads(1):
    ...     share = rm.recall(rm.judge(["A", "B"], {"B"}), k=2)
    """
    global _chosen
    before, _chosen = _chosen, None if n is None else check_count("n", n, meaning="threads")
    restoring = ExitStack()
    restoring.callback(set_threads, before)
    return restoring


def n_threads() -> int:
    """Return how many threads may work at once; `set_threads` says how it is chosen."""
    return (
        _chosen
        or _from_environment("RECSYS_METRICS_THREADS")
        or (1 if _beside_others() else None)
        or _from_environment("OMP_NUM_THREADS")
        or (1 if _in_child() else _cores())
    )


def _from_environment(name: str) -> int | None:
    # OpenMP's variable may list a number for each level of threads within threads.
    value = os.environ.get(name, "").split(",")[0].strip()
    if not value:
        return None
    if not value.isdecimal() or int(value) < 1:
        raise ValueError(
            f"the environment's {name} is {os.environ[name]!r}; it is how many threads may "
            "compute, a whole number of 1 or more. Correct it, or remove it for the default"
        )
    return int(value)


def _beside_others() -> bool:
    # Spark sets OpenMP's variable to the cores of all tasks of an executor together.
    spark = sys.modules.get("pyspark.taskcontext")
    return threading.current_thread() is not threading.main_thread() or (
        spark is not None and spark.TaskContext.get() is not None
    )


def _in_child() -> bool:
    # Where it was not imported it started nothing.
    processes = sys.modules.get("multiprocessing.process")
    return processes is not None and processes.parent_process() is not None


def _cores() -> int:
    if sys.platform in ("emscripten", "wasi"):
        return 1
    if hasattr(os, "sched_getaffinity"):
        return min(_MOST, len(os.sched_getaffinity(0)))
    return min(_MOST, os.cpu_count() or 1)
