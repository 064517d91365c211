"""A grader that is killed at a moment that was chosen before; a program of its own.

`killed_grader.py COURSE REFERENCE SEED TIMES` grades REFERENCE undisturbed, twice, and counts what
the grader asks of the system and of the database. Then it grades COURSE so many times, each in a
process that kills itself by SIGKILL at one of these requests, drawn with the seed; and at last
undisturbed. It prints as JSON what each run came to.
"""

from __future__ import annotations

import importlib
import json
import os
import random
import signal
import sqlite3
import sys
import tempfile
from pathlib import Path

import sqlalchemy

from recsys_metrics.workbook.course import assignment as assignments
from recsys_metrics.workbook.course import course_folder
from recsys_metrics.workbook.course.grade import Grading
from recsys_metrics.workbook.course.grading_report import read_report

# What reads, writes, moves and removes in the course and among the temporary files, and starts
# processes there.
_COUNTED = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "subprocess.Popen",
            "sqlite3.connect", "shutil.rmtree"}  # fmt: skip


def grade(root: Path, moment: int = 0) -> int:
    """Grade in a process of its own, killed at a request; return how many it made, or -1."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        said = os.read(reading, 100)
        os.close(reading)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
            return -1
        assert os.waitstatus_to_exitcode(status) == 0, "the grader broke"
        return int(said)
    count = 0

    def another() -> None:
        nonlocal count
        count += 1
        if count == moment:
            os.kill(os.getpid(), signal.SIGKILL)

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event in _COUNTED and any(str(one).startswith(places) for one in arguments):
            another()

    places = (str(root), tempfile.gettempdir(), sys.executable)
    for asked in ("before_cursor_execute", "after_cursor_execute", "commit"):
        sqlalchemy.event.listen(sqlalchemy.engine.Engine, asked, lambda *_: another())
    course = course_folder.read(root)
    which = assignments.load(course, "ps1")
    sys.addaudithook(hook)
    for _ in Grading(course, which, sandboxed=False, jobs=2).run():
        pass
    os.write(writing, str(count).encode())
    os._exit(0)


def is_sound(root: Path) -> bool:
    """Whether the gradebook is one, and the report can be read."""
    course = course_folder.read(root)
    database = sqlite3.connect(course.gradebook)
    try:
        (said,) = database.execute("pragma integrity_check").fetchone()
    finally:
        database.close()
    return said == "ok" and isinstance(read_report(course, "ps1"), dict)


def main() -> None:
    """Run what the command line names."""
    root, reference = Path(sys.argv[1]), Path(sys.argv[2])
    draw = random.Random(int(sys.argv[3]))
    # Imported once, so that no process spends its time on it.
    importlib.import_module("nbgrader.api")
    importlib.import_module("sqlalchemy.dialects.sqlite")

    # Who finds a part done has less to ask for.
    requests = min(grade(reference), grade(reference))
    runs = []
    for _ in range(int(sys.argv[4])):
        moment = draw.randint(1, requests)
        runs.append([moment, grade(root, moment) == -1, is_sound(root)])
    grade(root)
    print(json.dumps({"requests": requests, "runs": runs}))


if __name__ == "__main__":
    main()
