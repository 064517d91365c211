"""A grader that is killed, ten times in a row, and begun again: the gradebook is the same."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.course.simulated_people import NAME
from tests.tiers import of_a_course

pytestmark = of_a_course

ROOT = Path(__file__).resolve().parents[2]
EXERCISES = ["ranking.e4", "ranking.explain_ideal"]
SEED, TIMES = 20261122, 10


@pytest.fixture(scope="module")
def graded(desk, tmp_path_factory):
    at = desk(["ann", "bob", "cy", "di"], EXERCISES)
    at.hand_in("ann", at.answered("ann"))
    at.hand_in("bob", at.answered("bob", {EXERCISES[0]: "ap = 7"}))
    at.hand_in("cy", b"no notebook")
    reference = tmp_path_factory.mktemp("reference") / "recsys"
    shutil.copytree(at.course.root, reference)
    temporary = tmp_path_factory.mktemp("tmp")
    done = subprocess.run(
        [sys.executable, Path(__file__).with_name("killed_grader.py"), at.course.root, reference,
         str(SEED), str(TIMES)],
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    other = replace(at, course=replace(at.course, root=reference))
    return at, other, temporary, json.loads(done.stdout)


def test_the_gradebook_is_valid_after_each_of_ten_kills(graded, capsys):
    *_, told = graded
    moments = [moment for moment, _, _ in told["runs"]]
    with capsys.disabled():
        print(f"\nkilled at requests {sorted(moments)} of {told['requests']}")
    assert len(told["runs"]) == TIMES
    assert all(killed for _, killed, _ in told["runs"])
    assert all(sound for *_, sound in told["runs"])
    assert min(moments) < told["requests"] / 3
    assert max(moments) > told["requests"] * 2 / 3


def test_the_gradebook_equals_that_of_an_uninterrupted_grader(graded):
    at, other, *_ = graded
    assert at.export().read_text() == other.export().read_text()
    assert at.export(questions=True).read_text() == other.export(questions=True).read_text()
    rows = {row["id"]: row[NAME] for row in csv.DictReader(at.export().open())}
    assert rows == {"ann": "2", "bob": "0", "cy": "", "di": ""}
    assert tables(at) == tables(other)
    for student in ("ann", "bob", "cy"):
        assert at.page(student) == other.page(student)
    for student in ("ann", "bob"):
        shown = [
            one.course.notebook("autograded", student, NAME).read_bytes() for one in (at, other)
        ]
        assert shown[0] == shown[1]


def test_no_temporary_files_are_left(graded):
    at, _, temporary, _ = graded
    assert [one for one in at.course.root.rglob("*") if one.name.endswith(".new")] == []
    assert not (at.course.root / ".lock.json").exists()
    assert list(temporary.glob("recsys-course-*")) == []


def tables(at):
    """Return what the database holds of each answer, without the names of its rows."""
    from nbgrader.api import Gradebook

    book = Gradebook(f"sqlite:///{at.course.gradebook}")
    found = sorted(
        (one.student.id, grade.name, grade.auto_score, grade.manual_score, grade.needs_manual_grade)
        for one in book.assignment_submissions(NAME)
        for notebook in one.notebooks
        for grade in notebook.grades
    )
    book.close()
    return found
