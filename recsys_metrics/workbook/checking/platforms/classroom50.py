"""The autograder of a Classroom 50 assignment.

https://github.com/foundation50/classroom50/wiki/Advanced-Autograding says what the script is given
and what `result.json` holds. Classroom 50 replaces GitHub Classroom, which ended in August 2026.
"""

from __future__ import annotations

import json
from pathlib import Path

from recsys_metrics._core.package_names import COMMAND
from recsys_metrics.workbook.checking.platforms import student_notebook
from recsys_metrics.workbook.checking.platforms.scoring import (
    AutograderError,
    Scoring,
    write_files,
)

# What the runner downloads of a classroom for each submission.
_MOST_BYTES = 10 * 1024**2

_SCRIPT = '''\
#!/usr/bin/env python3
"""Scores a notebook of the workbook for Classroom 50, and writes result.json."""

import datetime
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

REQUIREMENTS = {requirements}
CHECK = {check}
NOTEBOOK = {notebook}
PROFILE = "kernel.apparmor_restrict_unprivileged_userns"

bundle = Path(__file__).resolve().parent
checkout = Path.cwd()
answer = checkout / "result.json"

# What the student committed by this name is no result, and a link would lead out of the checkout.
if answer.is_dir() and not answer.is_symlink():
    shutil.rmtree(answer)
else:
    answer.unlink(missing_ok=True)


def run(*command, **more):
    # Not in the student's checkout, where a file could stand in for a module of Python.
    return subprocess.run([*map(str, command)], cwd=bundle, check=True, **more)


# Ubuntu 24.04 lets no program make a sandbox unless this is off.
if Path("/proc/sys", PROFILE.replace(".", "/")).exists():
    run("sudo", "-n", "sysctl", "-w", PROFILE + "=0")
environment = bundle / "venv"
run(sys.executable, "-m", "venv", environment)
run(environment / "bin" / "pip", "install", "--quiet", *REQUIREMENTS)

# 0 and 1 are scores. Anything else is a fault of this autograder, and nobody's score: the runner
# reports an exit code other than 0 as an error.
done = subprocess.run(
    [str(environment / "bin" / CHECK[0]), "check", str(checkout / NOTEBOOK), *CHECK[1:]],
    cwd=bundle,
    stdout=subprocess.PIPE,
    check=False,
)
if done.returncode > 1:
    sys.exit(done.returncode)
result = json.loads(done.stdout)
result.update(
    classroom=os.environ["CLASSROOM"],
    assignment=os.environ["ASSIGNMENT"],
    submission=os.environ["SUBMISSION_TAG"],
    commit=os.environ["COMMIT_URL"],
    release=os.environ["RELEASE_URL"],
    review=os.environ.get("REVIEW_URL") or os.environ["COMMIT_URL"],
    datetime=datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
)
with answer.open("x", encoding="utf-8") as file:
    json.dump(result, file, indent=2)
'''

_RUNTIME = {"runs-on": "ubuntu-latest", "python": "3.12", "apt": ["bubblewrap"]}


def write(folder: Path, scoring: Scoring) -> Path:
    """Write the autograder's folder, its runtime, and the template repository's notebook.

    Parameters
    ----------
    folder : Path
        One that is not there yet.
    scoring : Scoring

    Returns
    -------
    Path
        The folder to copy to `CLASSROOM/autograders/ASSIGNMENT`.

    Raises
    ------
    AutograderError
        If the folder is there, there is nothing to score, or the wheels are too large.
    """
    scoring.check()
    size = sum(wheel.stat().st_size for wheel in scoring.wheels)
    if size > _MOST_BYTES:
        raise AutograderError(
            f"the wheels have {size / 1024**2:.1f} MB, and Classroom 50 takes at most "
            f"{_MOST_BYTES // 1024**2} MB for an assignment; leave out what an index has"
        )
    if folder.exists():
        raise AutograderError(f"{folder} is there already; give another name")
    check = [COMMAND, "--format", "classroom50", "--exercises", ",".join(scoring.exercises)]
    script = _SCRIPT.format(
        requirements=json.dumps(scoring.requirements),
        check=json.dumps([*check, "--seconds", str(scoring.seconds)]),
        notebook=json.dumps(scoring.notebook),
    )
    write_files(folder / "autograder", {"autograder.py": script}, scoring)
    (folder / "runtime.json").write_text(json.dumps(_RUNTIME, indent=2) + "\n", encoding="utf-8")
    notebook = folder / "template" / scoring.notebook
    notebook.parent.mkdir(parents=True)
    notebook.write_text(student_notebook.create(scoring.exercises), encoding="utf-8")
    return folder / "autograder"
