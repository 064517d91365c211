"""Writes the notebooks of an assignment, one for each student."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from recsys_metrics.workbook.course import assignment as assignments
from recsys_metrics.workbook.course import folder, gradebook, notebook
from recsys_metrics.workbook.course.assignment import Assignment
from recsys_metrics.workbook.course.folder import Course, CourseError, Student
from recsys_metrics.workbook.course.questions import find, plain


@dataclass
class Released:
    """What was done.

    Attributes
    ----------
    assignment : Assignment
    written, unchanged : list of str
        Students whose notebook is new, and whose was there.
    kept : list of str
        Students whose notebook is there and differs from what would be written now.
    """

    assignment: Assignment
    written: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)


def release(
    course: Course, name: str, exercises: Sequence[str], students: Sequence[Student]
) -> Released:
    """Write a notebook for each student who has none yet.

    Parameters
    ----------
    course : Course
    name : str
        Of the assignment.
    exercises : sequence of str
        Ids.
    students : sequence of Student
        Those who come later may be released to later: nothing that is there is written again.

    Returns
    -------
    Released

    Raises
    ------
    CourseError
        If an assignment of this name has other questions.
    """
    folder.check_name(name)
    gradebook.require()
    asked = _assignment(course, name, exercises)
    done = Released(asked)
    hashes = dict(asked.asked)
    for student in students:
        questions = asked.questions(course, student.id)
        text = notebook.build(course, name, questions, student)
        file = course.notebook("release", student.id, name)
        if not file.exists():
            folder.replace_file(file, text)
            done.written.append(student.id)
        elif file.read_text(encoding="utf-8") == text:
            done.unchanged.append(student.id)
        else:
            done.kept.append(student.id)
        if student.id in done.written or student.id not in hashes:
            hashes[student.id] = {question.id: question.asked for question in questions}
    done.assignment = replace(asked, asked=hashes)
    source = plain(list(asked.points))
    with gradebook.opened(course) as book:
        book.enter(done.assignment, source)
        book.enrol(students)
    folder.replace_file(
        course.root / "source" / name / f"{name}.ipynb",
        notebook.build_source(course, name, source),
    )
    assignments.save(course, done.assignment)
    return done


def _assignment(course: Course, name: str, exercises: Sequence[str]) -> Assignment:
    twice = sorted({one for one in exercises if list(exercises).count(one) > 1})
    if twice:
        raise CourseError(f"{twice[0]} is asked for twice; name each exercise once")
    points = {one: find(one).points for one in exercises}
    if not points:
        raise CourseError("an assignment has at least one exercise; name a chapter")
    if name not in course.assignments():
        return Assignment(name, points)
    before = assignments.load(course, name)
    if list(before.points) != list(points):
        raise CourseError(
            f"{name} was released with other questions ({', '.join(before.points)}); "
            "give this assignment another name"
        )
    return before
