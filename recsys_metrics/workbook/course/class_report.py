"""What a class knows and does not: a page for whoever teaches on Monday, without a name on it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.course import provenance
from recsys_metrics.workbook.course.assignment import Assignment
from recsys_metrics.workbook.course.course_folder import Course
from recsys_metrics.workbook.course.gradebook import Grade, opened
from recsys_metrics.workbook.course.grading_report import read_grades
from recsys_metrics.workbook.course.totals import total_of
from recsys_metrics.workbook.exercises.arithmetic_mistakes import find_general_mistake
from recsys_metrics.workbook.exercises.base import Exercise, render_text
from recsys_metrics.workbook.exercises.function import Function
from recsys_metrics.workbook.exercises.output_patterns import find_general_pattern
from recsys_metrics.workbook.exercises.result import Outcome
from recsys_metrics.workbook.grading.escaped_html import escape_html
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.grading.points import format_points
from recsys_metrics.workbook.grading.static_page import render_page

_STYLE = """\
:root { --blue: light-dark(#2563eb, #60a5fa); --grey: light-dark(#e5e7eb, #374151) }
h2 { font-size: 1.2rem; margin-top: 2em }
h3 { font-size: 1rem; margin: 1.4em 0 .2em }
p { margin: .2em 0 .6em; max-width: 40em }
table { width: 100% }
th, td { padding: .25em 1em .25em 0 }
th[scope=row] { font-weight: normal; min-width: 10em }
.number { text-align: right; font-variant-numeric: tabular-nums }
.bar { display: block; min-width: 6em; background: var(--grey); border-radius: 2px }
.bar > span { display: block; height: .8em; background: var(--blue); border-radius: 2px }
td.wide { width: 25%; vertical-align: middle }
@media (max-width: 34em) { th, td { padding-right: .5em } .bar { min-width: 2em }
  table { font-size: .9rem } th[scope=row] { min-width: 6em } }
@media print { .bar, .bar > span { print-color-adjust: exact } }
"""
# More than this many mistakes are no plan for a lesson.
_MOST_MISTAKES = 8


@dataclass(frozen=True)
class ClassMistake:
    """A named mistake, and how many of the class made it.

    Attributes
    ----------
    exercise : Exercise
    id, name : str
    students : int
    cause, hint : str
        What was done, on the numbers of the workbook, and what to ask back.
    """

    exercise: Exercise
    id: str
    name: str
    students: int
    cause: str
    hint: str


@dataclass(frozen=True)
class Answered:
    """What became of one question in a class.

    Attributes
    ----------
    exercise : Exercise
    right, partly, wrong, nothing, to_be_read : int
        Students: with all points, with some of them, with none, without an answer, and those whose
        answer a person has to read.
    comments : int
        Answers that a person has commented on.
    """

    exercise: Exercise
    right: int
    partly: int
    wrong: int
    nothing: int
    to_be_read: int
    comments: int


@dataclass(frozen=True)
class ClassReport:
    """What a class has made of an assignment.

    Attributes
    ----------
    assignment : Assignment
    points : list of float
        Of everybody who was graded.
    questions : list of Answered
        In the order of the notebook.
    mistakes : list of Mistake
        The commonest first.
    """

    assignment: Assignment
    points: list[float]
    questions: list[Answered]
    mistakes: list[ClassMistake]


def of_class(course: Course, assignment: Assignment) -> ClassReport:
    """Return what a class has made of an assignment.

    Raises
    ------
    GradingError
        If nobody was graded yet.
    """
    reports, origins = read_grades(course, assignment), provenance.read(course, assignment.name)
    find = assignment.lookup(course)
    with opened(course) as book:
        book.require_assignments([assignment.name])
        totals = [
            total_of(course, assignment, student, book, reports, origins)
            for student in assignment.students
        ]
        graded = {
            student: {one.exercise: one for one in book.grades(assignment, student) or ()}
            for student in assignment.students
        }
    points = [one.points for one in totals if one.points is not None]
    if not points:
        raise GradingError(f"no student was graded for {assignment.name} yet; grade it first")
    rows = {
        exercise: [
            (grades[exercise], reports.get(student, {}).get("questions", {}).get(exercise, {}))
            for student, grades in graded.items()
            if grades
        ]
        for exercise in assignment.points
    }
    return ClassReport(
        assignment,
        points,
        [_answered(find(one), most, rows[one]) for one, most in assignment.points.items()],
        _mistakes(assignment, rows, find),
    )


def _answered(
    exercise: Exercise, most: int, rows: Sequence[tuple[Grade, Mapping[str, Any]]]
) -> Answered:
    kinds = Counter(_kind(grade, said, most) for grade, said in rows)
    comments = sum(bool(grade.comment.strip()) for grade, _ in rows)
    return Answered(
        exercise,
        kinds["right"],
        kinds["partly"],
        kinds["wrong"],
        kinds["nothing"],
        kinds["waits"],
        comments,
    )


def _kind(grade: Grade, said: Mapping[str, Any], most: int) -> str:
    """Return what an answer is; empty if that is not known.

    It is "right", "partly", "wrong", "nothing" or "waits".

    What a person gave counts before what the check said.
    """
    if grade.waits:
        return "waits"
    outcome = said.get("outcome")
    if outcome == str(Outcome.NOT_ATTEMPTED) and not grade.points:
        return "nothing"
    if grade.manual is not None:
        is_right = grade.manual >= most
    elif outcome is not None:
        is_right = outcome == str(Outcome.PASS)
    else:
        return ""
    if is_right:
        return "right"
    return "partly" if grade.points else "wrong"


def _mistakes(
    assignment: Assignment,
    rows: Mapping[str, Sequence[tuple[Grade, Mapping[str, Any]]]],
    find: Callable[[str], Exercise],
) -> list[ClassMistake]:
    made: dict[str, Counter[str]] = defaultdict(Counter)
    for name, answers in rows.items():
        for grade, said in answers:
            # Of an answer that a person gave all points for, the check was mistaken.
            full = grade.manual is not None and grade.manual >= assignment.points[name]
            if said.get("mistake") and not full:
                made[name][said["mistake"]] += 1
    found: list[ClassMistake] = []
    for name, counts in made.items():
        exercise = find(name)
        for mistake, students in counts.items():
            if told := _describe(exercise, mistake):
                found.append(ClassMistake(exercise, mistake, told[0], students, *told[1:]))
    return sorted(found, key=lambda one: (-one.students, one.exercise.id, one.id))


def _describe(exercise: Exercise, mistake: str) -> tuple[str, str, str] | None:
    """Return the name of a mistake, its cause and what to ask back.

    None where an update has taken it out of the exercise.
    """
    for one in exercise.mistakes:
        if one.id == mistake:
            cause = render_text(one.cause, exercise.inputs)
            return one.name, cause, render_text(one.hint, exercise.inputs)
    of_functions = find_general_pattern(mistake) if isinstance(exercise, Function) else None
    general = of_functions or find_general_mistake(mistake)
    return (general.name, general.cause, general.hint) if general else None


def page(course: Course, report: ClassReport) -> str:
    """Return a report on a class as a page."""
    one, points = report.assignment, report.points
    title = f"{one.name} · {course.name} · the class"
    waits = sum(each.to_be_read for each in report.questions)
    parts = [
        f"<h1>{escape_html(title)}</h1>",
        f"<p>{len(points)} of {len(one.students)} students were graded. Half of them have "
        f"{format_points(median(points))} of {one.out_of} points or more"
        + (f"; {waits} answers wait to be read" if waits else "")
        + ". No student is named here.</p>",
        "<h2>What to talk about</h2>",
        *(_told(each, len(points)) for each in report.mistakes[:_MOST_MISTAKES]),
    ]
    if not report.mistakes:
        parts.append("<p>No mistake that has a name was made.</p>")
    elif len(report.mistakes) > _MOST_MISTAKES:
        parts.append(
            f"<p>{len(report.mistakes) - _MOST_MISTAKES} more mistakes were made by "
            f"{report.mistakes[_MOST_MISTAKES].students} or fewer each.</p>"
        )
    parts += ["<h2>Question by question</h2>", _questions(report)]
    parts += ["<h2>Points</h2>", _histogram(points, one.out_of)]
    return render_page(title, "\n".join(parts), style=_STYLE)


def _told(mistake: ClassMistake, of: int) -> str:
    students = f"{mistake.students} student{'s' if mistake.students > 1 else ''}"
    return (
        f"<h3>{escape_html(mistake.name)}: {students}</h3>{_bar(mistake.students, of)}"
        f"<p>{escape_html(mistake.exercise.title)} ({escape_html(mistake.exercise.id)}). "
        f"{markup.render_inline(mistake.cause)} "
        f"<em>Ask:</em> {markup.render_inline(mistake.hint)}</p>"
    )


def _questions(report: ClassReport) -> str:
    rows = []
    for each in report.questions:
        judged = each.right + each.partly + each.wrong + each.nothing
        counts = "".join(
            f"<td class='number'>{n}</td>"
            for n in (
                *(each.right, each.partly, each.wrong, each.nothing),
                *(each.to_be_read, each.comments),
            )
        )
        rows.append(
            f"<tr><th scope='row'>{escape_html(each.exercise.title)}</th>{counts}"
            f"<td class='wide'>{_bar(each.right, judged) if judged else ''}</td></tr>"
        )
    heads = ("Right", "In part", "Wrong", "No answer", "To be read", "Comments")
    numbers = "".join(f"<th scope='col' class='number'>{one}</th>" for one in heads)
    head = f"<th scope='col'>Question</th>{numbers}<th scope='col'>Share right</th>"
    return (
        f"<div class='scroll'><table><thead><tr>{head}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _histogram(points: Sequence[float], out_of: int) -> str:
    """Return how many students have how many points, in at most ten steps."""
    width = max(1, -(-out_of // 10))
    # Thirds of points add up to a little less than the whole number that is shown.
    counts = Counter(min(int(round(one, 2) // width), out_of // width) for one in points)
    rows = []
    for step in range(out_of // width + 1):
        low = step * width
        beyond = f"under {low + width}" if low + width <= out_of else f"{out_of}"
        label = f"{low}" if low == out_of else f"{low} to {beyond}"
        rows.append(
            f"<tr><th scope='row'>{label}</th><td class='number'>{counts[step]}</td>"
            f"<td class='wide'>{_bar(counts[step], max(counts.values()))}</td></tr>"
        )
    head = "<th scope='col'>Points</th><th scope='col' class='number'>Students</th><td></td>"
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _bar(part: int, whole: int) -> str:
    """Return a bar; the number stands beside it in words."""
    length = f"width:{part / whole:.0%}"
    return f"<span class='bar' aria-hidden='true'><span style='{length}'></span></span>"
