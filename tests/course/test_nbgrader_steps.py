"""Steps of nbgrader that would run or replace what our commands made are refused in a course."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import pytest

from tests.course.simulated_people import NAME, add_code

NUMBER, WORDS = "ranking.e4", "ranking.explain_ideal"
STEPS = {
    "autograde": f"recsys-workbook course grade {NAME}",
    "generate_assignment": f"recsys-workbook course release {NAME}",
    "generate_feedback": f"recsys-workbook course feedback {NAME} feedback.zip",
}


@pytest.fixture(scope="module")
def graded(desk, tmp_path_factory):
    at = desk(["ann"], [NUMBER, WORDS])
    mark = tmp_path_factory.mktemp("outside") / "ran"
    book = at.answered("ann")
    add_code(book, f"open({str(mark)!r}, 'w').close()", before="ranking-e4")
    at.hand_in("ann", book)
    # Judged without the cell, which an ordinary process would run.
    at.hand_in("ann", at.answered("ann"))
    at.grade(sandboxed=False)
    at.hand_in("ann", book)
    return at, mark


def hashes(at):
    return {
        file.relative_to(at.course.root): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(at.course.root.rglob("*"))
        if file.is_file() and file.suffix != ".log"
    }


@pytest.mark.parametrize("step", STEPS)
def test_the_commands_of_nbgrader_are_refused(step, graded):
    at, mark = graded
    before = hashes(at)
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", step, NAME, "--force"],
        cwd=at.course.root,
        env={**os.environ, "JUPYTER_PLATFORM_DIRS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "is switched off in this course" in done.stderr
    assert STEPS[step] in done.stderr
    assert hashes(at) == before
    assert not mark.exists()


def test_the_buttons_of_the_formgrader_are_refused(graded, monkeypatch):
    from nbgrader.apps.api import NbGraderAPI
    from nbgrader.apps.baseapp import NbGrader
    from nbgrader.coursedir import CourseDirectory

    at, mark = graded
    monkeypatch.chdir(at.course.root)
    # As the server extension loads it: with the file of the folder in which the lab was started.
    app = NbGrader()
    app.load_cwd_config = True
    app.load_config_file()
    api = NbGraderAPI(CourseDirectory(parent=app), parent=app)
    before = hashes(at)
    for done, step in (
        (api.autograde(NAME, "ann"), "autograde"),
        (api.generate_assignment(NAME), "generate_assignment"),
        (api.generate_feedback(NAME, "ann"), "generate_feedback"),
    ):
        assert not done["success"]
        # The interface shows both.
        assert STEPS[step] in done["log"]
        assert STEPS[step] in done["error"]
    assert hashes(at) == before
    assert not mark.exists()
