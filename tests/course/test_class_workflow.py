"""A class of sixty: released, handed in, collected, graded and exported by the commands.

Who they are stands in `sixty_students.py`, with the grade that each is to have.
"""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
import time
import zipfile
from collections import Counter
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from recsys_metrics.workbook.course import (
    class_report,
    gradebook,
    provenance,
    regrade,
    return_feedback,
)
from recsys_metrics.workbook.course.grade import Grading
from recsys_metrics.workbook.course.grading_report import read_report
from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.grading.questions import format_grade_id
from tests.course.simulated_people import NAME
from tests.course.sixty_students import ALL, AP, FUNCTIONS, OUT_OF, WRITE, Class
from tests.tiers import of_a_course

pytestmark = of_a_course

ROOT = Path(__file__).resolve().parents[2]


def command(at, *arguments):
    done = subprocess.run(
        [sys.executable, "-m", "recsys_metrics.cli", "course", *arguments],
        cwd=at.course.root,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def class_(desk, sandbox):
    who = Class(desk)
    collected = command(who.at, "collect", NAME, "../downloads", "--times", "../times.csv")
    begun = time.monotonic()
    told = command(who.at, "grade", NAME, "--jobs", "2")
    seconds = time.monotonic() - begun
    return who, collected, told, read_report(who.at.course, NAME), seconds


@pytest.fixture(scope="module")
def table(class_):
    """What was exported, by student."""
    who, *_ = class_
    return {row["id"]: row for row in csv.DictReader(who.at.export().open())}


def test_the_class_has_sixty_students(class_):
    who, *_ = class_
    assert len(set(who.names)) == 60


def test_every_grade_is_as_expected(class_, table):
    who, *_ = class_
    got = {name: float(row[NAME]) if row[NAME] else None for name, row in table.items()}
    assert got == pytest.approx(who.expected)
    assert {row[f"{NAME} maximum"] for row in table.values()} == {str(sum(OUT_OF.values()))}


def test_grading_prints_a_line_for_each_student(class_):
    who, _, told, *_ = class_
    graded = sum(points is not None for points in who.expected.values())
    assert f"{graded} graded, {60 - graded} not" in told
    assert all(f"\n {name} " in told for name in who.names)
    assert told.replace("\n", "").isprintable()


def test_every_feedback_reason_is_a_sentence(table):
    notes = {name: row[f"{NAME} note"] for name, row in table.items()}
    too_large = "it is larger than 1 MB; clear the outputs of all cells and save it again"
    assert notes["empty"] == "it is empty"
    for name in ("huge", "huge_outputs"):
        came = f"what was handed in, {name}_ps1.ipynb, cannot be taken"
        assert notes[name] == f"{came}: {too_large}"
    assert notes["picture"] == (
        "what was handed in, picture_ps1.png, is no notebook; hand in the .ipynb"
    )
    assert notes["copied"] == "what was handed in is the notebook of right; hand in your own"
    assert notes["malory"] == "what was handed in is the notebook of victim; hand in your own"
    assert notes["twin"] == "several notebooks claim to be this student's; a person decides"
    assert notes["many_cells"] == "it has 6000 cells, more than 5000"
    assert notes["a_list"] == "it contains no cells; save it again from Jupyter as a notebook"
    for name in ("cut_off", "deep", "no_json"):
        assert notes[name].startswith("it is damaged or cut off")
    for name in ("missing", "nameless", "a_folder", "a_link", "a_pipe", "a_socket"):
        assert notes[name] == "nothing was handed in"
    assert notes["late"] == (
        "handed in 1 day 3 hours late: 10% for each of 2 days begun makes 20%, so "
        f"{ALL} points count as {ALL * 0.8:g}"
    )
    assert notes["right"] == notes["extended"] == notes["utf16"] == ""


def test_each_mistake_is_named_in_the_export(class_):
    who, *_ = class_
    rows = list(csv.DictReader(who.at.export(questions=True).open()))
    told = {(row["id"], row["question"]): row["mistake"] for row in rows}
    for name, mistake in who.mistakes.items():
        assert told[name, AP] == mistake
        pitfall = next(m.name for m in REGISTRY[AP].mistakes if m.id == mistake)
        assert pitfall in who.at.page(name)
    for name, (_, mistake) in FUNCTIONS.items():
        assert told[name, WRITE] == (mistake or "")
    assert "Did you forget <code>return</code>" in who.at.page("no_return")
    assert "belongs to the caller" in who.at.page("changes")
    assert "did not finish in time" in who.at.page("endless")
    assert all(len(row) == 12 for row in rows)


def test_collecting_reports_files_it_cannot_assign(class_):
    who, collected, *_ = class_
    head, *lines = collected.splitlines()
    taken = sum(who.at.course.notebook("submitted", name, NAME).exists() for name in who.names)
    assert head.startswith(f"{NAME}: {taken} new, 0 replaced")
    said = dict(line.strip().partition(": ")[::2] for line in lines)
    said = {what.removeprefix("downloads/"): says for what, says in said.items()}
    assert said["missing"].split(", ") == [
        name for name in who.names
        if name in {"missing", "a_folder", "a_link", "a_pipe", "a_socket", "nameless"}
    ]  # fmt: skip
    refused = {what.removeprefix("not taken of ") for what in said if what.startswith("not taken")}
    assert refused == {"copied", "huge", "huge_outputs", "picture", "malory", "twin"}
    says = {
        "empty_ps1.ipynb": "is taken as it is, but it is empty",
        "huge_ps1.ipynb": "is not taken: it is larger than 1 MB",
        "copied_ps1.ipynb": "is the notebook of right, handed in as copied's; it is not taken",
        "a_link_ps1.ipynb": "is a symbolic link, which is never followed",
        "a_pipe_ps1.ipynb": "is no plain file",
        "a_socket_ps1.ipynb": "is no plain file",
        "picture_ps1.png": "is no notebook; picture should hand in the .ipynb",
        "final.ipynb": "names no student, and its signature is lost",
        "Malory Ory_1003_assignsubmission_file/ps1.ipynb": "is the notebook of victim, handed in "
        "as malory's; it is not taken; kept as to_decide/malory/ps1/",
        "Twin Same_5_assignsubmission_file/ps1.ipynb": "is one of 2 that claim to be twin's; kept",
        "canvas_again": "2 files; taken is againcara_99_4712_ps1-1.ipynb, not againcara_99_4711_",
    }
    for what, start in says.items():
        assert said[what].startswith(start)
    assert "renamed" in provenance.read(who.at.course, NAME)


def test_grading_reports_lost_signatures_and_metadata(class_):
    *_, report, _ = class_
    lost = "its signature is lost; it was graded by where it lay"
    bare = "its cells have lost their marks; answers were found by their names"
    assert report["cell_gone"]["notes"] == ["the cell of question 1 is missing"]
    assert report["unsigned"]["notes"] == report["forged"]["notes"] == [lost]
    assert report["bare"]["notes"] == [lost, bare]
    assert report["renamed"]["notes"] == report["victim"]["notes"] == []
    assert report["exits"]["notes"] == [
        "its process ended by itself, as after os._exit or a crash, in a cell of question 1"
    ]
    assert report["canvas"]["notes"] == ["the learning system marks it as late, its time does not"]
    assert report["late"]["time_from"] == "the learning system"
    assert datetime.fromisoformat(report["right"]["handed_in"]).hour == 10
    assert report["right"]["time_from"] == "the file"


def test_open_answers_wait_for_a_marker(table):
    waiting = {name for name, row in table.items() if row[f"{NAME} to be read"]}
    assert {"right", "nasty", "bare", "late"} <= waiting
    assert not waiting & {"untouched", "wrong", "empty", "missing"}


def test_grading_again_gives_the_same_result(class_):
    who, _, _, report, _ = class_
    some = ["right", "partly", "late", "deep"]
    before = {name: who.at.page(name) for name in some}
    table = who.at.export().read_text()
    who.at.grade(*some, jobs=2)
    assert {name: who.at.page(name) for name in some} == before
    assert who.at.export().read_text() == table
    after = read_report(who.at.course, NAME)
    assert {name: _untimed(one) for name, one in after.items()} == {
        name: _untimed(one) for name, one in report.items()
    }


def _untimed(one):
    return {name: value for name, value in one.items() if name != "seconds"}


def test_grading_time_per_submission_is_recorded(class_, capsys):
    who, _, _, report, seconds = class_
    times = [one["seconds"] for one in report.values() if one.get("seconds")]
    with capsys.disabled():
        print(
            f"\n{len(times)} submissions graded in {seconds:.1f} s; each took "
            f"{np.median(times):.1f} s in the sandbox (median), {max(times):.1f} s at most"
        )
    assert len(times) == sum(points is not None for points in who.expected.values())


def test_the_class_report_is_anonymous_and_lists_common_mistakes(class_, tmp_path):
    who, _, _, report, _ = class_
    told = command(who.at, "class", "report", NAME, str(tmp_path / "class.html"))
    page = (tmp_path / "class.html").read_text(encoding="utf-8")
    made = Counter(
        (exercise, one["mistake"])
        for student in report.values()
        for exercise, one in student.get("questions", {}).items()
        if one["mistake"]
    )
    found = class_report.of_class(who.at.course, who.at.assignment)
    assert {(one.exercise.id, one.id): one.students for one in found.mistakes} == made
    counts = [one.students for one in found.mistakes]
    assert counts == sorted(counts, reverse=True)
    assert f"{found.mistakes[0].name}: {counts[0]} student" in page
    assert found.mistakes[0].name in told
    graded = [points for points in who.expected.values() if points is not None]
    assert sorted(found.points) == pytest.approx(sorted(graded))
    for one in found.questions:
        judged = one.right + one.partly + one.wrong + one.nothing
        assert judged + one.to_be_read == len(graded)
    words = next(one for one in found.questions if one.exercise.id == "ranking.explain_ideal")
    assert words.to_be_read > 0
    assert not [name for name in who.names if re.search(rf"\b{name}\b", page) and len(name) > 6]
    assert page.count("<tr>") == 2 + len(found.questions) + sum(OUT_OF.values()) // 2 + 1


def test_feedback_is_returned_in_moodle_folders(class_, tmp_path):
    who, *_ = class_
    archive = tmp_path / "feedback.zip"
    command(who.at, "feedback", NAME, str(archive))
    with zipfile.ZipFile(archive) as pages:
        names = set(pages.namelist())
        assert pages.read(f"right/{NAME}.html").decode() == who.at.page("right")
    assert f"Mona Moodle_1001_assignsubmission_file/{NAME}.html" in names
    assert f"Another Name_71_assignsubmission_file/{NAME}.html" in names
    assert f"missing/{NAME}.html" not in names
    # As mod/assign/feedback/file/importziplib.php takes a path apart.
    for name in names:
        parts = name.split("/")[0].split("_", 4)
        assert len(parts) < 4 or (parts[1].isdigit() and parts[2:4] == ["assignsubmission", "file"])
    before = archive.read_bytes()
    return_feedback.archive(who.at.course, who.at.assignment, archive)
    assert archive.read_bytes() == before


def test_only_grades_change_in_the_table_of_the_lms(class_, tmp_path, table):
    who, *_ = class_
    sheet = tmp_path / "worksheet.csv"
    sheet.write_text(
        "\ufeffIdentifier,Full name,Email address,Status,Grade,Maximum Grade,"
        "Last modified (grade),Feedback comments\n"
        'Participant 1001,Mona Moodle,,Submitted,,14.00,-,"=HYPERLINK(1), as it was"\n'
        "Participant 71,Another Name,,Submitted,3.00,14.00,-,\n"
        "Participant 5,Who Ever,who@ever.org,Submitted,1.00,14.00,-,\n"
        "Participant 1002,missing,,No submission,,14.00,-,\n",
        encoding="utf-8",
    )
    told = command(who.at, "fill", NAME, str(sheet), str(tmp_path / "up.csv"), "--unread")
    before = list(csv.reader(sheet.open(encoding="utf-8-sig")))
    after = list(csv.reader((tmp_path / "up.csv").open(encoding="utf-8-sig")))
    assert [row[4] for row in after] == [
        "Grade", table["moodle"][NAME], table["moodle_flat"][NAME], "1.00", ""
    ]  # fmt: skip
    assert [row[:4] + row[5:] for row in after] == [row[:4] + row[5:] for row in before]
    counts = "2 grades of ps1 written, 1 student without a grade, 1 row without a student"
    assert counts in told
    assert "no student of the course: Who Ever" in told


def test_a_regrade_request_is_answered_and_recorded(class_):
    who, *_ = class_
    at = who.at
    before = regrade.points(at.course, at.assignment, "wrong", AP)
    why = "rank 1 is where the list begins <b>"
    said = command(at, "request", NAME, "wrong", "--question", AP, "--why", why)
    assert f"wrong, {AP}, asked on " in said
    assert f"({before:g} points): rank 1" in said
    with pytest.raises(GradingError, match=r"has asked about ranking\.e4 already"):
        regrade.ask(at.course, at.assignment, "wrong", AP, "once more")
    with pytest.raises(GradingError, match=r"does not ask 'ranking\.e1'"):
        regrade.ask(at.course, at.assignment, "wrong", "ranking.e1", "this one")
    with pytest.raises(GradingError, match="was not released to 'nobody'"):
        regrade.ask(at.course, at.assignment, "nobody", "", "me")
    answered = []

    def grade():
        # A person gives a point by hand, as in nbgrader; the grading keeps it.
        with gradebook.opened(at.course) as book:
            submitted = book._api.find_submission_notebook(NAME, NAME, "wrong")
            next(
                one for one in submitted.grades if one.name == format_grade_id(AP)
            ).manual_score = 1.0
            book._api.db.commit()
        answered.extend(Grading(at.course, at.assignment).run(["wrong"]))

    done = regrade.answer(
        at.course, at.assignment, "wrong", AP, "the ranks were right", grade=grade
    )
    assert (done.before, done.after, len(answered)) == (before, 1.0, 1)
    page = at.page("wrong")
    assert "rank 1 is where the list begins &lt;b&gt;" in page
    assert "the ranks were right" in page
    listed = command(at, "request", NAME)
    assert "1 request about ps1, 0 open" in listed
    assert f"({before:g} points, now 1 point): the ranks were right" in " ".join(listed.split())
    with pytest.raises(GradingError, match=r"no open request about ranking\.e4"):
        regrade.answer(at.course, at.assignment, "wrong", AP, "again", grade=grade)
