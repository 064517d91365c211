"""What an instructor reads when a command is done."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from recsys_metrics.workbook.course import similarity
from recsys_metrics.workbook.course.assignment import Assignment
from recsys_metrics.workbook.course.collect import Collected
from recsys_metrics.workbook.course.course_folder import Course
from recsys_metrics.workbook.course.grade import GradedStudent, read_report
from recsys_metrics.workbook.course.release import OF_OPEN_ANSWERS, Released


def of_release(done: Released, root: Path) -> str:
    """Return what was released, and where it lies in the course's folder."""
    one = done.assignment
    questions = f"{len(one.points)} question{'s' * (len(one.points) > 1)}"
    lines = [f"{one.name}: {questions}, {one.out_of} points"]
    if done.same:
        more = ", more than a tenth" if done.too_much_is_same else ""
        lines.append(
            f"  {done.same_points} of {one.out_of} points{more}, are for one right answer that all "
            f"students share: {', '.join(done.same)}"
        )
    if done.too_little_is_open:
        lines.append(
            f"  {done.open_points} of {one.out_of} points are for words or code; let it be "
            f"{OF_OPEN_ANSWERS:.0%} or more: numbers and options say little of why"
        )
    lines.append(
        f"  {len(done.written)} notebooks written, {len(done.unchanged)} were there already"
    )
    for student in done.kept:
        file = Path("release", student, one.name, f"{one.name}.ipynb")
        lines.append(
            f"  kept {file}: it differs from what would be written now. To release it again, "
            "remove it first."
        )
    return "\n".join([*lines, f"Hand out {root / 'release'}/STUDENT/{one.name}/{one.name}.ipynb"])


def of_collection(done: Collected, name: str) -> str:
    """Return what was collected for an assignment, and what does not fit."""
    lines = [
        f"{name}: {len(done.new)} new, {len(done.replaced)} replaced (the earlier ones are in "
        f"submitted_earlier), {len(done.unchanged)} as before, {len(done.missing)} missing"
    ]
    lines += [f"  replaced: {', '.join(done.replaced)}"] if done.replaced else []
    lines += [f"  missing: {', '.join(done.missing)}"] if done.missing else []
    return "\n".join([*lines, *(f"  {what}: {problem}" for what, problem in done.problems)])


def of_grades(done: Sequence[GradedStudent], root: Path) -> str:
    """Return how many were graded, and what is left to do."""
    waiting = sum(one.waiting for one in done)
    failed = sum(one.points is None for one in done)
    lines = [
        f"{len(done) - failed} graded, {failed} not, {waiting} answers to be read",
        f"Pages for the students: {root / 'feedback'}/STUDENT/",
    ]
    if waiting:
        lines.append("Read the answers in nbgrader: `jupyter lab` here, menu Nbgrader, Formgrader")
    return "\n".join(lines)


def of_matches(course: Course, assignment: Assignment) -> str:
    """Return whose wrong answers are right for somebody else; nothing if nobody's are."""
    report = read_report(course, assignment.name)
    answers = {student: one["answers"] for student, one in report.items() if one.get("answers")}
    lines = [
        f"  {one.student}: {len(one.exercises)} of {one.wrong} wrong answers are right for "
        f"{one.other}: {', '.join(one.exercises)}. By chance: 1 in {1 / one.chance:,.0f} pairs"
        for one in similarity.matches(answers, assignment.lookup(course))
    ]
    head = "Wrong answers that are right for somebody else (evidence, and no proof):"
    return "\n".join([head, *lines]) if lines else ""
