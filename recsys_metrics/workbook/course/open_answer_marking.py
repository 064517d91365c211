"""Answers in words: a marker's pages without names, and what two markers gave, as points.

`words/NAME/MARKER` holds a page for each question, and a table for the levels. The level of an
answer is how many of the statements about it hold that its exercise is marked by. A level belongs
to a text: the code of a row stands for the student and for each text, and a level whose text was
handed in again gives no points.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from recsys_metrics._core import console
from recsys_metrics._core.package_names import COMMAND
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
from recsys_metrics.workbook.course.points_of_texts import LevelPoints, hash_text
from recsys_metrics.workbook.course.text_tables import check_ending
from recsys_metrics.workbook.exercises.base import render_text
from recsys_metrics.workbook.exercises.open_answer import Text
from recsys_metrics.workbook.grading import atomic_files, signatures, stray_words, submissions
from recsys_metrics.workbook.grading.escaped_html import escape_html
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.grading.points import write_points
from recsys_metrics.workbook.grading.questions import Question
from recsys_metrics.workbook.grading.static_page import render_page

_STYLE = """\
.answer { border-left: 3px solid #6B7280; padding-left: 1em; margin: 0 0 2em }
.answer h1, .answer h2, .answer h3 { font-size: 1rem }
"""


_Level = TypeVar("_Level")


@dataclass(frozen=True)
class MarkingFiles:
    """What was written for a marker.

    Attributes
    ----------
    folder, sheet : Path
    answers : dict of str to int
        How many there are to each question.
    added : list of str
        Codes for which rows were added to a table that was there.
    again : list of str
        Codes of students with an answer that was handed in again since this marker gave a level.
    """

    folder: Path
    sheet: Path
    answers: dict[str, int]
    added: list[str]
    again: list[str]


@dataclass(frozen=True)
class _Words:
    """What a student wrote.

    Attributes
    ----------
    texts : dict of str to str
        By exercise.
    is_from_page : bool
        Whether it answers the variants of the book's pages.
    """

    texts: dict[str, str] = field(default_factory=dict)
    is_from_page: bool = False

    def hash_of(self, course: Course, assignment: Assignment, student: str, exercise: str) -> str:
        """Return what changes with the text, but for its blanks, and with the question."""
        text, in_page = self.texts.get(exercise, ""), self.is_from_page
        return hash_text(course, assignment.name, student, exercise, text, in_page=in_page)


@dataclass(frozen=True)
class _Marked(Generic[_Level]):
    """The levels of a marker.

    Attributes
    ----------
    levels : dict
        Of the texts that are there now, by student and exercise.
    stale : dict of str to list of str
        The exercises of each student whose text was handed in again since a level was given.
    """

    levels: dict[str, dict[str, _Level]]
    stale: dict[str, list[str]]


def write_pages(course: Course, assignment: Assignment, marker: str) -> MarkingFiles:
    """Write a page for each question that asks for words, and a table for levels.

    A table that is there gets rows for new students, and for those who have handed in another
    text since.

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
    sheet = place / inter_rater_agreement.SHEET
    codes = {one: _code(course, assignment, one, words) for one, words in given.items()}
    columns = _columns(asked)
    added = inter_rater_agreement.complete_sheet(sheet, sorted(codes.values()), columns)
    # A row may be half filled in as yet.
    rows = {
        row.get(inter_rater_agreement.CODE, ""): {one: row[one] for one in asked if row.get(one)}
        for row in inter_rater_agreement.read_cells(sheet)
    }
    marked = _current({code: levels for code, levels in rows.items() if levels}, codes, asked)
    counts = {}
    for exercise in asked:
        answers = [one for one, words in given.items() if words.texts[exercise]]
        # Another order for each question, too: who is read first is not always the same.
        answers.sort(
            key=lambda one: signatures.derive_seed(
                course.key, f"{assignment.name} order of {marker}", one, exercise
            )
        )
        counts[exercise] = len(answers)
        shown = []
        for student in answers:
            note = ""
            if exercise in marked.stale.get(student, ()):
                note = "Handed in again since you gave a level: read it anew."
            elif exercise not in rows.get(codes[student], {}):
                level = marked.levels.get(student, {}).get(exercise)
                note = f"You gave this text level {level}." if level is not None else ""
            # Of a variant, the page shows what that student was asked.
            text = given[student].texts[exercise]
            shown.append(_answer(course, assignment, exercise, student, text, codes[student], note))
        body = f"<h1>{escape_html(asked[exercise].title)}</h1>{''.join(shown)}"
        atomic_files.replace_file(
            place / f"{exercise}.html", render_page(asked[exercise].title, body, style=_STYLE)
        )
    again = sorted(codes[one] for one in marked.stale)
    return MarkingFiles(place, sheet, counts, added, again)


def code(course: Course, assignment: Assignment, student: str) -> str:
    """Return what stands for a student and the texts that are handed in, where no name is seen."""
    words = _read_words(course, assignment, student) or _Words()
    return _code(course, assignment, student, words)


def _code(course: Course, assignment: Assignment, student: str, words: _Words) -> str:
    hashes = [
        words.hash_of(course, assignment, student, exercise)[: inter_rater_agreement.HASH]
        for exercise in _asked(course, assignment)
    ]
    return "-".join([_anonym(course, assignment, student), *hashes])


def _anonym(course: Course, assignment: Assignment, student: str) -> str:
    return signatures.sign_notebook(course.key, f"{assignment.name} words", student)[:6]


def _current(
    rows: Mapping[str, Mapping[str, _Level]], codes: Mapping[str, str], asked: Iterable[str]
) -> _Marked[_Level]:
    """Return which levels are of the texts that are there now.

    Parameters
    ----------
    rows : mapping
        Levels by code and by exercise, in the order of a table: the last one counts.
    codes : mapping of str to str
        Of the texts that are there now, by student.
    asked : iterable of str
    """
    found: _Marked[_Level] = _Marked({}, {})
    by_student: dict[str, list[tuple[list[str], Mapping[str, _Level]]]] = {}
    for row, levels in rows.items():
        whose, *texts = row.split("-")
        by_student.setdefault(whose, []).append((texts, levels))
    for student, now in codes.items():
        whose, *texts = now.split("-")
        for place, exercise in enumerate(asked):
            given = [
                (place < len(of) and of[place] == texts[place], levels[exercise])
                for of, levels in by_student.get(whose, ())
                if exercise in levels
            ]
            if levels_now := [level for is_now, level in given if is_now]:
                found.levels.setdefault(student, {})[exercise] = levels_now[-1]
            elif given:
                found.stale.setdefault(student, []).append(exercise)
    return found


def compare(
    course: Course, assignment: Assignment, file: Path, *, enter: bool = False
) -> Iterator[str]:
    """Say how far the markers agree, and write the points: by the mean of their levels.

    Parameters
    ----------
    course : Course
    assignment : Assignment
    file : Path
        A new table, or an earlier one of the same assignment, which is replaced.
    enter : bool
        Whether the points go into the gradebook, where no person has given others in nbgrader.

    Yields
    ------
    str
        A line of what is said. Levels of answers that nobody wrote give no points, nor do those of
        a text that was handed in again since, and both are said.

    Raises
    ------
    GradingError
        If the file is another one, or nobody has given levels.
    """
    asked = _asked(course, assignment)
    check_ending(file)
    if file.exists() and not _is_earlier_table(file, asked):
        raise GradingError(
            f"{file} is there, is no earlier table of {assignment.name}, and stays as it is; give "
            "another name"
        )
    columns = _columns(asked)
    root = _root(course, assignment)
    files = sorted(root.glob(f"*/{inter_rater_agreement.SHEET}"))
    known = {_anonym(course, assignment, student) for student in assignment.students}
    sheets = inter_rater_agreement.read_sheets(
        files, columns, inter_rater_agreement.TextCodes(known, len(asked))
    )
    if not sheets:
        raise GradingError(f"nobody has written levels into {root} yet")
    given = _given(course, assignment)
    codes = {
        one: _code(course, assignment, one, given.get(one, _Words())) for one in assignment.students
    }
    marked = {marker: _current(rows, codes, asked) for marker, rows in sheets.items()}
    yield from inter_rater_agreement.told(
        _complete(marked, columns), columns, {one: asked[one].title for one in asked}
    )
    points, unwritten = _points(assignment, given, marked, columns)
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["id", *asked])
    for student, found in points.items():
        shown = (found.get(one) for one in asked)
        rows.writerow([student, *("" if one is None else write_points(one) for one in shown)])
    atomic_files.replace_file(file, out.getvalue())
    stale = [
        f"{student} ({exercise}, {marker})"
        for marker, one in marked.items()
        for student, exercises in one.stale.items()
        for exercise in exercises
    ]
    yield from _left_out(unwritten, "of answers that were not written")
    yield from _left_out(stale, "given for a text that was handed in again since")
    if stale:
        pages = f"{COMMAND} course words pages {assignment.name} --marker NAME"
        yield f"Read them anew: `{pages}` shows the new texts"
    yield f"{file}: points of {console.count(len(points), 'student')}"
    if enter:
        comments = _comments(files, codes, points, [*asked])
        levels = {
            student: {
                exercise: LevelPoints(
                    given.get(student, _Words()).hash_of(course, assignment, student, exercise),
                    value,
                )
                for exercise, value in found.items()
            }
            for student, found in points.items()
        }
        yield from _enter(course, assignment, levels, comments)


def _is_earlier_table(file: Path, asked: Iterable[str]) -> bool:
    """Whether a file is a table of points that `compare` wrote."""
    try:
        with file.open(encoding="utf-8", newline="") as lines:
            return file.is_file() and next(csv.reader(lines), []) == ["id", *asked]
    except (OSError, UnicodeDecodeError, csv.Error):
        return False


def _left_out(levels: list[str], why: str) -> Iterator[str]:
    if levels:
        yield f"{console.count(len(levels), 'level')} left out, {why}: {', '.join(levels)}"


def _complete(
    marked: Mapping[str, _Marked[int]], columns: Mapping[str, int]
) -> dict[str, dict[str, dict[str, int]]]:
    """Return the levels of each marker, of those students all of whose texts have one."""
    found = {
        marker: {
            student: levels for student, levels in one.levels.items() if len(levels) == len(columns)
        }
        for marker, one in marked.items()
    }
    return {marker: levels for marker, levels in found.items() if levels}


def _points(
    assignment: Assignment,
    given: Mapping[str, _Words],
    marked: Mapping[str, _Marked[int]],
    columns: Mapping[str, int],
) -> tuple[dict[str, dict[str, float]], list[str]]:
    """Return the points of each student by exercise, and the levels of answers nobody wrote."""
    found: dict[str, dict[str, float]] = {}
    unwritten: list[str] = []
    for student in assignment.students:
        for exercise, most in columns.items():
            levels = [
                one.levels[student][exercise]
                for one in marked.values()
                if exercise in one.levels.get(student, {})
            ]
            if not levels:
                continue
            # A row is filled in as a whole, so 0 is what a marker has to give where nothing is.
            if any(levels) and not given.get(student, _Words()).texts.get(exercise):
                unwritten.append(f"{student} ({exercise})")
                continue
            points = assignment.points[exercise] * (sum(levels) / len(levels)) / most
            found.setdefault(student, {})[exercise] = points
    return found, unwritten


def _enter(
    course: Course,
    assignment: Assignment,
    levels: Mapping[str, Mapping[str, LevelPoints]],
    comments: Mapping[str, Mapping[str, str]],
) -> Iterator[str]:
    """Put points and comments into the gradebook, and say what was entered and what stays."""
    changed, said, kept = 0, 0, []
    with opened(course) as book:
        texts = book.texts(assignment.name)
        earlier = [
            f"{student} ({exercise})"
            for student, record in texts.students.items()
            for exercise in record.levels
            if exercise not in levels.get(student, {})
            and record.find_level(exercise, record.graded.get(exercise, ""))
        ]
        own = {student: texts.of(student).comments for student in levels}
        before = {student: dict(given) for student, given in own.items()}
        wanted = {
            student: {name: "" for name in before[student] if name in found}
            | dict(comments.get(student, {}))
            for student, found in levels.items()
        }
        # Should the run end between the two files, what the gradebook has by then is known as ours.
        for student, given in wanted.items():
            own[student] |= {name: [*own[student].get(name, ()), given[name]] for name in given}
        texts.save()
        for student, found in levels.items():
            entered = book.enter_levels(assignment.name, student, found)
            changed += len(entered.changed)
            kept += [f"{student} ({name})" for name in entered.kept]
            for name, text in wanted[student].items():
                ours = before[student].get(name, ())
                is_new = book.comment(assignment.name, student, name, text, own=ours)
                said += bool(is_new)
                # A comment that a person wrote since is no longer ours, whatever it says.
                own[student].pop(name)
                own[student] |= {name: [text]} if text and is_new is not None else {}
        texts.save()
    page_writing.write_all(course, assignment)
    also = f", {console.count(said, 'comment')}" if said else ""
    stays = f"; what was given in nbgrader stays: {', '.join(kept)}" if kept else ""
    yield f"{console.count(changed, 'grade')}{also} entered or changed{stays}"
    if earlier:
        yield f"Points that were entered before stay where no level counts: {', '.join(earlier)}"


def _comments(
    files: Sequence[Path],
    codes: Mapping[str, str],
    marked: Mapping[str, Container[str]],
    asked: Sequence[str],
) -> dict[str, dict[str, str]]:
    """Return what the markers wrote to each student, by the answer at which it stands.

    The comment of a row stands at its first answer that has points. It counts as long as the text
    of this answer is the one of the row, whatever was handed in again of the others. Of several
    comments of a marker at one answer the last one counts, as for levels.
    """
    students = {code.partition("-")[0]: student for student, code in codes.items()}
    found: dict[str, dict[str, list[str]]] = {}
    for file in files:
        last: dict[tuple[str, str], str] = {}
        for row in inter_rater_agreement.read_cells(file):
            code, comment = row.get(inter_rater_agreement.CODE, ""), row.get("comment", "")
            student = students.get(code.partition("-")[0])
            if student is None or not comment:
                continue
            texts = zip(code.split("-")[1:], codes[student].split("-")[1:], strict=False)
            is_now = {one: of == now for one, (of, now) in zip(asked, texts, strict=False)}
            levels = [one for one in is_now if row.get(one)] or is_now
            # An answer that nobody wrote has no points.
            place = (one for one in levels if not is_now[one] or one in marked.get(student, ()))
            first = next(place, "")
            if is_now.get(first):
                last[student, first] = comment
        for (student, first), comment in last.items():
            found.setdefault(student, {}).setdefault(first, []).append(comment)
    return {
        student: {one: "\n\n".join(dict.fromkeys(texts)) for one, texts in said.items()}
        for student, said in found.items()
    }


def _asked(course: Course, assignment: Assignment) -> dict[str, Text]:
    """Return the questions that ask for words."""
    lookup = assignment.lookup(course)
    asked = {one: found for one in assignment.points if isinstance(found := lookup(one), Text)}
    if not asked:
        raise GradingError(f"{assignment.name} asks for no words")
    return asked


def _columns(asked: dict[str, Text]) -> dict[str, int]:
    return {one: len(exercise.criteria) for one, exercise in asked.items()}


def _given(course: Course, assignment: Assignment) -> dict[str, _Words]:
    """Return what each student has written, of those who handed something in."""
    found = {}
    for student in assignment.students:
        words = _read_words(course, assignment, student)
        if words is not None:
            found[student] = words
    return found


def _read_words(course: Course, assignment: Assignment, student: str) -> _Words | None:
    try:
        came, questions = _read(course, assignment, student)
    except GradingError:
        return None  # grading says why
    texts = {
        one.id: stray_words.read_answer(place, questions, came)
        for place, one in enumerate(questions)
        if one.is_words
    }
    return _Words(texts, came.is_from_page)


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


def _answer(
    course: Course,
    assignment: Assignment,
    exercise: str,
    student: str,
    said: str,
    row: str,
    note: str,
) -> str:
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
        f"<h2>{row}</h2>"
        f"{f'<p><strong>{note}</strong></p>' if note else ''}"
        f'<div class="answer">{markup.render_block(inert(cut_words(said)))}</div>'
        f"<p>Level, 0 to {most}: how many of these hold.</p><ol>{statements}</ol>"
        f"<details><summary>What was asked, and a good answer</summary>"
        f"{markup.render_block(asked.statement)}{model}</details>"
    )


def _root(course: Course, assignment: Assignment) -> Path:
    return course.root / "words" / assignment.name
