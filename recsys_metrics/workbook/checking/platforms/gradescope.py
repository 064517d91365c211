"""The archive of a Gradescope autograder.

https://gradescope-autograders.readthedocs.io/en/latest/specs/ says what is in it.
"""

from __future__ import annotations

import shlex
import zipfile
from pathlib import Path

from recsys_metrics._core.package_names import COMMAND
from recsys_metrics.workbook.checking.platforms import student_notebook
from recsys_metrics.workbook.checking.platforms.scoring import (
    AutograderError,
    Scoring,
    write_files,
)
from recsys_metrics.workbook.common.state_file import real_path

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
"$root/venv/bin/pip" install {requirements}
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


def write(folder: Path, scoring: Scoring) -> Path:
    """Write the autograder, its archive, and the notebook to hand out.

    Parameters
    ----------
    folder : Path
        One that is not there yet. The archive lies beside it.
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
    scoring.check()
    archive = real_path(folder).with_name(f"{real_path(folder).name}.zip")
    if archive.exists():
        raise AutograderError(f"{archive} is there already, and nothing is overwritten")
    named = {
        "command": COMMAND,
        "requirements": shlex.join(scoring.requirements),
        "notebook": shlex.quote(scoring.notebook),
        "exercises": ",".join(scoring.exercises),
        "seconds": scoring.seconds,
    }
    scripts = {"setup.sh": _SETUP.format(**named), "run_autograder": _RUN.format(**named)}
    handed_out = {scoring.notebook: student_notebook.create(scoring.exercises)}
    write_files(folder, {**scripts, **handed_out}, scoring)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        # At the root of the archive, as Gradescope asks.
        for name in sorted([*scripts, *(wheel.name for wheel in scoring.wheels)]):
            packed.write(folder / name, name)
    return archive
