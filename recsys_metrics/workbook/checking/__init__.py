"""Checking from the command line: where a learner stands, and what a notebook's checks say.

=============  ==================================================================
file           holds
=============  ==================================================================
`overview`     progress by chapter, and what to review next
`notebook`     the code cells of a notebook or its text, and the checks in them
`child`        runs the cells, in a process of its own
`grade`        starts that process, stops it in time, and puts together what it found
`formats`      the report as text, JSON, JUnit XML, or for Gradescope
=============  ==================================================================
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

from recsys_metrics.workbook import progress
from recsys_metrics.workbook.checking.formats import FORMATS
from recsys_metrics.workbook.checking.grade import SECONDS, grade
from recsys_metrics.workbook.checking.notebook import NotebookError
from recsys_metrics.workbook.checking.overview import overview

PASSED, NOT_PASSED, NOTHING_TO_CHECK = 0, 1, 2
"""Exit codes."""


def standing() -> str:
    """Return where the learner stands, and where that is kept."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", progress.ProgressWarning)
        text = overview(progress.load())
    for warning in caught:
        print(warning.message, file=sys.stderr)
    file = progress.path()
    kept = f"Kept in {file}" if file else f"Not kept: {progress.VARIABLE} says so"
    return f"{text}\n\n{kept}"


def check(
    notebook: Path, *, form: str = "text", watch: bool = False, seconds: float = SECONDS
) -> int:
    """Check a notebook, once or whenever it is saved, and print the report.

    Parameters
    ----------
    notebook : Path
    form : str
        How the report is written, one of `FORMATS`.
    watch : bool
        Whether to go on until the user interrupts.
    seconds : float
        How long a run may take.

    Returns
    -------
    int
        The exit code of the last run.
    """
    if form not in FORMATS:
        print(
            f"recsys-metrics check: no format is called {form!r}; there are {', '.join(FORMATS)}",
            file=sys.stderr,
        )
        return NOTHING_TO_CHECK
    code = NOT_PASSED
    saved = saves(notebook) if watch else iter(())
    try:
        code = _once(notebook, form, seconds)
        for _ in saved:
            print()
            code = _once(notebook, form, seconds)
    except KeyboardInterrupt:
        if not watch:
            raise
    return code


def saves(file: Path, *, pause: Callable[[float], None] = time.sleep) -> Iterator[None]:
    """Yield each time a file was saved since this was called.

    Parameters
    ----------
    file : Path
        It may be away for a moment while it is saved.
    pause : callable
        Waits for so many seconds.
    """
    # Taken now, and not when the first one is asked for: a check may lie between.
    first = _state(file)

    def watch() -> Iterator[None]:
        before = first
        while True:
            now = _state(file)
            if now is not None and now != before:
                before = now
                yield
            pause(0.5)

    return watch()


def _state(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _once(notebook: Path, form: str, seconds: float) -> int:
    try:
        report = grade(notebook, seconds=seconds)
    except NotebookError as problem:
        print(f"recsys-metrics check: {problem}", file=sys.stderr)
        return NOTHING_TO_CHECK
    print(FORMATS[form](report), flush=True)
    return PASSED if report.passed else NOT_PASSED
