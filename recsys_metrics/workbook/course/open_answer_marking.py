"""Answers in words: a marker's pages without names, and what two markers gave, as points.

`words/NAME/MARKER` holds a page for each question, and a table for the levels. The level of an
answer is how many of the statements about it hold that its exercise is marked by.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from recsys_metrics._core import console
from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.course import inter_rater_agreement, page_writing
from recsys_metrics.workbook.course.assignment import Assignment
from recsys_metrics.workbook.course.course_folder import (
    Course,
    check_name,
    read_bounded,
    refuse_other_case,
)
from recsys_metrics.workbook.course.feedback import cut_words, inert
from recsys_metrics.workbook.course.gradebook import opened
from recsys_metrics.workbook.exercises.base import render_text
from recsys_metrics.workbook.exercises.open_answer import Text
from recsys_metrics.workbook.grading import atomic_files, signatures, submissions
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.grading.points import format_points
from recsys_metrics.workbook.grading.questions import Question
from recsys_metrics.workbook.grading.static_page import render_page

_STYLE = """\
.answer { border-left: 3px solid #6B7280; padding-left: 1em; margin: 0 0 2em }
.answer h1, .answer h2, .answer h3 { font-size: 1rem }
"""


@dataclass(frozen=True)
class MarkingFiles:
    """What was written for a marker.

    Attributes
    ----------
    folder, sheet : Path
    answers : dict of str to int
        How many there are to each question.
    missing : list of str
        Codes that a table which is there has no row for.
    """

    folder: Path
    sheet: Path
    answers: dict[str, int]
    missing: list[str]


def write_pages(course: Course, assignment: Assignment, marker: str) -> MarkingFiles:
    """Write a page for each question that asks for words, and a table for levels.

    Parameters
    ----------
    course : Course
    assignment : Assignment
    marker : str
        Each has an order of their own.

    Raises
    ------
    GradingError
        If nothing asks for words, or nobody has answered.
    """
    asked = _asked(course, assignment)
    given = _given(course, assignment)
    if not given:
        raise GradingError(f"nobody has handed in words for {assignment.name} yet")
    root = _root(course, assignment)
    place = root / check_name(marker, "a marker")
    refuse_other_case(marker, (other.name for other in root.glob("*")))
    place.mkdir(parents=True, exist_ok=True)
    counts = {}
    for exercise in asked:
        answers = [(student, said[exercise]) for student, said in given.items() if said[exercise]]
        # Another order for each question, too: who is read first is not always the same.
        answers.sort(
            key=lambda one: signatures.derive_seed(
                course.key, f"{assignment.name} order of {marker}", one[0], exercise
            )
        )
        counts[exercise] = len(answers)
        # Of a variant, the page shows what that student was asked.
        shown = [_answer(course, assignment, exercise, *one) for one in answers]
        body = f"<h1>{markup.escape(asked[exercise].title)}</h1>{''.join(shown)}"
        atomic_files.replace_file(
            place / f"{exercise}.html", render_page(asked[exercise].title, body, style=_STYLE)
        )
    sheet = place / inter_rater_agreement.SHEET
    codes = sorted(code(course, assignment, student) for student in given)
    missing = inter_rater_agreement.keep_sheet(sheet, codes, _columns(asked))
    return MarkingFiles(place, sheet, counts, missing)


def code(course: Course, assignment: Assignment, student: str) -> str:
    """Return what stands for a student's name where names are not to be seen."""
    return signatures.sign_notebook(course.key, f"{assignment.name} words", student)[:6]


def compare(
    course: Course, assignment: Assignment, file: Path, *, enter: bool = False
) -> Iterator[str]:
    """Say how far the markers agree, and write the points: by the mean of their levels.

    Parameters
    ----------
    course : Course
    assignment : Assignment
    file : Path
        A table that is not there yet.
    enter : bool
        Whether the points go into the gradebook, where nobody has given any there.

    Yields
    ------
    str
        A line of what is said. Levels of answers that nobody wrote give no points, and are said.

    Raises
    ------
    GradingError
        If the file is there, or nobody has given levels.
    """
    if file.exists():
        raise GradingError(f"{file} is there already and stays as it is; give another name")
    asked = _asked(course, assignment)
    columns = _columns(asked)
    root = _root(course, assignment)
    files = sorted(root.glob(f"*/{inter_rater_agreement.SHEET}"))
    sheets = inter_rater_agreement.read_sheets(
        files,
        columns,
        {code(course, assignment, student) for student in assignment.students},
    )
    if not sheets:
        raise GradingError(f"nobody has written levels into {root} yet")
    given = _given(course, assignment)
    yield from inter_rater_agreement.told(sheets, columns, {one: asked[one].title for one in asked})
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["id", *asked])
    found, unwritten = {}, []
    for student in assignment.students:
        levels = inter_rater_agreement.means(sheets, columns, code(course, assignment, student))
        if levels is None:
            continue
        # A row is filled in as a whole, so 0 is what a marker has to give where nothing is.
        answers = given.get(student, {})
        absent = {one for one, level in levels.items() if level and not answers.get(one)}
        unwritten += [f"{student} ({one})" for one in levels if one in absent]
        if absent.issuperset(levels):
            continue
        found[student] = {
            one: round(assignment.points[one] * level / columns[one], 2)
            for one, level in levels.items()
            if one not in absent
        }
        shown = (found[student].get(one) for one in asked)
        rows.writerow(
            [student, *("" if points is None else format_points(points) for points in shown)]
        )
    atomic_files.replace_file(file, out.getvalue())
    if unwritten:
        many = "levels" if len(unwritten) > 1 else "level"
        yield (
            f"{len(unwritten)} {many} left out, of answers that were not written: "
            f"{', '.join(unwritten)}"
        )
    yield f"{file}: points of {console.count(len(found), 'student')}"
    if enter:
        comments = _comments(course, assignment, files, {one: [*found[one]] for one in found})
        with opened(course) as book:
            taken = sum(book.give(assignment.name, one, points) for one, points in found.items())
            said = sum(
                book.comment(assignment.name, student, exercise, text)
                for student, (exercise, text) in comments.items()
            )
        page_writing.write_all(course, assignment)
        also = f", {said} comment{'s' * (said > 1)}" if said else ""
        yield f"{console.count(taken, 'grade')}{also} entered; what was given in nbgrader stays"


def _comments(
    course: Course, assignment: Assignment, files: Sequence[Path], marked: Mapping[str, list[str]]
) -> dict[str, tuple[str, str]]:
    """Return what the markers wrote to each student, at the first answer that was marked."""
    said = inter_rater_agreement.read_comments(files)
    found = {}
    for student, exercises in marked.items():
        if texts := said.get(code(course, assignment, student)):
            found[student] = exercises[0], "\n\n".join(dict.fromkeys(texts))
    return found


def _asked(course: Course, assignment: Assignment) -> dict[str, Text]:
    """Return the questions that ask for words."""
    lookup = assignment.lookup(course)
    asked = {one: found for one in assignment.points if isinstance(found := lookup(one), Text)}
    if not asked:
        raise GradingError(f"{assignment.name} asks for no words")
    return asked


def _columns(asked: dict[str, Text]) -> dict[str, int]:
    return {one: len(exercise.criteria) for one, exercise in asked.items()}


def _given(course: Course, assignment: Assignment) -> dict[str, dict[str, str]]:
    """Return what each student has written, by exercise; of those who handed something in."""
    found = {}
    for student in assignment.students:
        try:
            came, questions = _read(course, assignment, student)
        except GradingError:
            continue  # grading says why
        found[student] = {
            one.id: came.get_text(place) for place, one in enumerate(questions) if one.is_words
        }
    return found


def _read(
    course: Course, assignment: Assignment, student: str
) -> tuple[submissions.Submission, list[Question]]:
    """Return what a student handed in, and the questions as they were asked there."""
    file = course.notebook("submitted", student, assignment.name)
    content = read_bounded(file, course.limits.notebook_mb)
    questions = assignment.questions(course, student)
    came = submissions.parse_notebook(content, questions)
    if came.is_from_page:
        questions = assignment.questions(course, student, in_page=True)
    return came, questions


def _answer(course: Course, assignment: Assignment, exercise: str, student: str, said: str) -> str:
    """Return an answer with what was asked and what it is marked by."""
    _, questions = _read(course, assignment, student)
    (question,) = [one for one in questions if one.id == exercise]
    asked = question.exercise
    assert isinstance(asked, Text)
    statements = "".join(
        f"<li>{markup.render_inline(render_text(one, asked.inputs))}</li>" for one in asked.criteria
    )
    model = markup.render_block(render_text(asked.model, asked.inputs))
    most = len(asked.criteria)
    return (
        f"<h2>{code(course, assignment, student)}</h2>"
        f'<div class="answer">{markup.render_block(inert(cut_words(said)))}</div>'
        f"<p>Level, 0 to {most}: how many of these hold.</p><ol>{statements}</ol>"
        f"<details><summary>What was asked, and a good answer</summary>"
        f"{markup.render_block(asked.statement)}{model}</details>"
    )


def _root(course: Course, assignment: Assignment) -> Path:
    return course.root / "words" / assignment.name
