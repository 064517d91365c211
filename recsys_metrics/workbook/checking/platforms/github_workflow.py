"""A workflow of GitHub that checks a notebook at each push and needs no other service."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

from recsys_metrics._core.package_names import COMMAND
from recsys_metrics._core.whole_files import write_new_file
from recsys_metrics.workbook.checking.platforms import student_notebook
from recsys_metrics.workbook.checking.platforms.scoring import AutograderError, Scoring

NAME = "check-notebook.yml"
_WHEELS = ".github/wheels"

_WORKFLOW = """\
name: Check the notebook
on:
  - push
  - workflow_dispatch
permissions:
  contents: read
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v7
      - uses: actions/setup-python@v7
        with:
          python-version: "3.12"
      - name: Install the checker and its sandbox
        run: |
          sudo apt-get update
          sudo apt-get install -y bubblewrap
          # Ubuntu 24.04 lets no program make a sandbox unless this is off.
          setting=kernel.apparmor_restrict_unprivileged_userns
          if [ -e "/proc/sys/${{setting//.//}}" ]; then sudo sysctl -w "$setting=0"; fi
          {enter}python -m pip install {requirements}
      - name: Check
        run: |
          code=0
          {command} check {notebook} --format markdown \\
            --exercises {exercises} --seconds {seconds} > "$RUNNER_TEMP/report.md" || code=$?
          # 0 and 1 are scores. Anything else is a fault of this workflow, and nobody's score.
          if [ "$code" -le 1 ]; then cat "$RUNNER_TEMP/report.md" >> "$GITHUB_STEP_SUMMARY"; fi
          exit "$code"
"""


def write(repository: Path, scoring: Scoring) -> Path:
    """Write the workflow into a repository, and the notebook where there is none.

    Parameters
    ----------
    repository : Path
        The folder of the repository that students copy.
    scoring : Scoring

    Returns
    -------
    Path
        The workflow.

    Raises
    ------
    AutograderError
        If there is one already, or there is nothing to score.
    """
    scoring.check()
    file = repository / ".github" / "workflows" / NAME
    if file.exists():
        raise AutograderError(f"{file} is there already, and nothing is overwritten")
    text = _WORKFLOW.format(
        command=COMMAND,
        enter=f"cd {_WHEELS} && " if scoring.wheels else "",
        requirements=shlex.join(scoring.requirements),
        notebook=shlex.quote(scoring.notebook),
        exercises=",".join(scoring.exercises),
        seconds=scoring.seconds,
    )
    notebook = repository / scoring.notebook
    try:
        for place in (file, notebook, *([repository / _WHEELS / "x"] if scoring.wheels else [])):
            place.parent.mkdir(parents=True, exist_ok=True)
        write_new_file(file, [text])
        if not notebook.exists():
            write_new_file(notebook, [student_notebook.create(scoring.exercises)])
        for wheel in scoring.wheels:
            shutil.copy(wheel, repository / _WHEELS)
    except OSError as problem:
        raise AutograderError(
            f"{repository} cannot be written: {problem.strerror or problem}"
        ) from None
    return file
