"""Runs the cells of a notebook in this process and writes down what each check said.

``python -m recsys_metrics.workbook.checking.worker CELLS FOUND``: the cells come as a JSON list in
the first file; one line of JSON is added to the second for each check and each cell that failed,
at once, so that what was found is there also if the process is stopped.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any


def main(arguments: list[str]) -> None:
    """Run the cells.

    Parameters
    ----------
    arguments : list of str
        The two paths.
    """
    cells = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    with open(arguments[1], "a", encoding="utf-8") as found:  # noqa: PTH123
        run_cells(cells, found)


def run_cells(cells: list[str], found: Any) -> None:
    """Run cells one after the other, whatever becomes of each.

    Parameters
    ----------
    cells : list of str
    found : text file
    """
    from IPython.core.interactiveshell import InteractiveShell

    from recsys_metrics.workbook.common.hooks import on_check
    from recsys_metrics.workbook.exercises.base import Exercise
    from recsys_metrics.workbook.exercises.result import CheckResult

    here = -1

    def write(**entry: Any) -> None:
        found.write(json.dumps({"cell": here, **entry}) + "\n")
        found.flush()

    def heard(exercise: Exercise, result: CheckResult) -> None:
        write(
            exercise=exercise.id,
            seed=exercise.seed,
            outcome=str(result.outcome),
            mistake=result.mistake,
            message=result.message,
        )

    on_check.append(heard)
    shell = InteractiveShell.instance(colors="NoColor")
    shell.ask_exit = lambda: None
    # There is no window, and `%matplotlib inline` is no fault of a notebook.
    shell.enable_gui = lambda gui=None: None
    shell.enable_matplotlib = lambda gui=None: (None, "agg")
    for source in cells:
        here += 1
        ended = shell.run_cell(source, store_history=False)
        error = ended.error_before_exec or ended.error_in_exec
        if error is not None:
            write(error=f"{type(error).__name__}: {error}"[:500])
    write(done=True)


if __name__ == "__main__":
    # A learner's drawings and pages have nobody to look at them here.
    os.environ["MPLBACKEND"] = "agg"
    main(sys.argv[1:])
