"""What another system needs to score notebooks with `check`: Gradescope, GitHub Classroom.

Gradescope: https://gradescope-autograders.readthedocs.io/en/latest/specs/. GitHub Classroom: the
readme of https://github.com/classroom-resources/autograding-grading-reporter.
"""

from __future__ import annotations

import re
import shlex
import shutil
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from recsys_metrics import __version__
from recsys_metrics._core.package_names import COMMAND, DISTRIBUTION

_NOTEBOOK = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9._-]*/)*[A-Za-z0-9_][A-Za-z0-9._-]*\.ipynb")

_SETUP = """\
#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the image of the autograder.
set -euo pipefail
root="${{AUTOGRADER_ROOT:-/autograder}}"

apt-get update
apt-get install -y --no-install-recommends bubblewrap python3 python3-venv
python=python3
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  apt-get install -y --no-install-recommends python3.11 python3.11-venv
  python=python3.11
fi
"$python" -m venv "$root/venv"
cd "$root/source"
"$root/venv/bin/pip" install {package}
"""

_RUN = """\
#!/usr/bin/env bash
# Gradescope runs this for each submission. What it prints is for instructors alone.
set -uo pipefail
shopt -s nullglob
root="${{AUTOGRADER_ROOT:-/autograder}}"
cd "$root" || exit 2

notebook=submission/{notebook}
others=(submission/*.ipynb)
if [ ! -e "$notebook" ] && [ "${{#others[@]}}" -eq 1 ]; then notebook="${{others[0]}}"; fi

new=results/.results.json
venv/bin/{command} check "$notebook" --format gradescope \\
  --exercises {exercises} --seconds {seconds} > "$new"
code=$?
# 0 and 1 are scores. Anything else is a fault of this autograder, and nobody's score.
if [ "$code" -gt 1 ]; then rm -f "$new"; exit "$code"; fi
mv "$new" results/results.json
"""

_WORKFLOW = """\
# The reporter of GitHub Classroom asks for these names: of the workflow, and of its only job.
name: Autograding Tests
on:
  - push
  - workflow_dispatch
permissions:
  actions: read
  contents: read
jobs:
  run-autograding-tests:
    runs-on: ubuntu-latest
    steps:
      - name: Checkout code
        uses: actions/checkout@v4
      - name: Python
        uses: actions/setup-python@v5
        with:
          python-version: "3.11"
      - name: The checker and its sandbox
        run: |
          sudo apt-get update
          sudo apt-get install -y bubblewrap
          # Ubuntu 24.04 lets no program make a sandbox unless this is off.
          setting=kernel.apparmor_restrict_unprivileged_userns
          if [ -e "/proc/sys/${{setting/.//}}" ]; then sudo sysctl -w "$setting=0"; fi
          python -m pip install {package}
      - name: Check the notebook
        id: check
        run: |
          code=0
          {command} check {notebook} --format classroom \\
            --exercises {exercises} --seconds {seconds} > "$RUNNER_TEMP/result" || code=$?
          # 0 and 1 are scores. Anything else is a fault of this workflow, and nobody's score.
          if [ "$code" -gt 1 ]; then exit "$code"; fi
          echo "result=$(cat "$RUNNER_TEMP/result")" >> "$GITHUB_OUTPUT"
      - name: Autograding Reporter
        uses: classroom-resources/autograding-grading-reporter@v1
        env:
          CHECK_RESULTS: "${{{{ steps.check.outputs.result }}}}"
        with:
          runners: check
"""


class AutograderError(Exception):
    """What keeps an autograder from being written, in words for the instructor."""


@dataclass(frozen=True)
class Scoring:
    """What an autograder scores, and how it is installed.

    Attributes
    ----------
    exercises : sequence of str
        Ids.
    notebook : str
        The name of the file that is handed in.
    seconds : int
        How long it may take.
    package : Path or None
        A wheel to install; None for the release of this version.
    """

    exercises: Sequence[str]
    notebook: str
    seconds: int = 120
    package: Path | None = None

    def fill_template(self, template: str, folder: str = "") -> str:
        """Return a template with all of it filled in, as a shell reads it.

        Parameters
        ----------
        template : str
        folder : str
            Where the wheel lies, seen from where the template is run.
        """
        if self.package is None:
            package = f"{DISTRIBUTION}[workbook]=={__version__}"
        else:
            package = f"./{folder}{self.package.name}[workbook]"
        return template.format(
            command=COMMAND,
            package=shlex.quote(package),
            notebook=shlex.quote(self.notebook),
            exercises=",".join(self.exercises),
            seconds=self.seconds,
        )


def write_gradescope(folder: Path, scoring: Scoring) -> Path:
    """Write the folder of a Gradescope autograder, and the archive to upload beside it.

    Parameters
    ----------
    folder : Path
        One that is not there yet.
    scoring : Scoring

    Returns
    -------
    Path
        The archive.

    Raises
    ------
    AutograderError
        If something is there already, or there is nothing to score.
    """
    archive = folder.resolve().with_name(f"{folder.resolve().name}.zip")
    if archive.exists():
        raise AutograderError(f"{archive} is there already, and nothing is overwritten")
    texts = {
        "setup.sh": scoring.fill_template(_SETUP),
        "run_autograder": scoring.fill_template(_RUN),
    }
    _write(folder, texts, scoring)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for file in sorted(folder.iterdir()):
            packed.write(file, file.name)  # at the root of the archive, as Gradescope asks
    return archive


def write_classroom(folder: Path, scoring: Scoring) -> Path:
    """Write the workflow of a GitHub Classroom assignment into a template repository.

    Parameters
    ----------
    folder : Path
        The repository.
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
    workflows = folder / ".github" / "workflows"
    file = workflows / "classroom.yml"
    if file.exists():
        raise AutograderError(f"{file} is there already, and nothing is overwritten")
    _write(
        workflows,
        {file.name: scoring.fill_template(_WORKFLOW, ".github/workflows/")},
        scoring,
        new=False,
    )
    return file


def _write(folder: Path, texts: Mapping[str, str], scoring: Scoring, *, new: bool = True) -> None:
    if not scoring.exercises:
        raise AutograderError("name a chapter or exercises to score")
    if not _NOTEBOOK.fullmatch(scoring.notebook):
        raise AutograderError(
            f"{scoring.notebook!r} cannot name the notebook; use letters, digits, . _ - and /, "
            "with .ipynb at the end"
        )
    if scoring.package is not None and scoring.package.suffix != ".whl":
        raise AutograderError(f"{scoring.package} is no wheel; its name ends in .whl")
    try:
        folder.mkdir(parents=True, exist_ok=not new)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
            (folder / name).chmod(0o644 if name.endswith(".yml") else 0o755)
        if scoring.package is not None:
            shutil.copy(scoring.package, folder)
    except FileExistsError:
        raise AutograderError(f"{folder} is there already; give another name") from None
    except OSError as problem:
        raise AutograderError(f"{folder} cannot be written: {problem.strerror}") from None
