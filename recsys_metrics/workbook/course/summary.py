"""What an instructor reads when a command is done."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from recsys_metrics._core import console
from recsys_metrics._core.package_names import COMMAND
from recsys_metrics.workbook.course import similarity
from recsys_metrics.workbook.course.assignment import Assignment
from recsys_metrics.workbook.course.collect import Collected
from recsys_metrics.workbook.course.course_folder import Course
from recsys_metrics.workbook.course.grade import GradedStudent
from recsys_metrics.workbook.course.grading_report import read_grades
from recsys_metrics.workbook.course.handout import Handout
from recsys_metrics.workbook.course.release import OF_OPEN_ANSWERS, Released
from recsys_metrics.workbook.exercises.base import Exercise

_FEW = 5


def of_preview(done: Released, file: Path, asked: Sequence[Exercise]) -> str:
    """Return what a release would do."""
    lines = [
        f"  {number}. {one.title} ({one.id}), {done.assignment.points[one.id]} "
        f"point{'s' * (done.assignment.points[one.id] > 1)}"
        for number, one in enumerate(asked, 1)
    ]
    return "\n".join(
        [
            *_described(done),
            *lines,
            f"{console.count(len(done.written), 'notebook')} would be written, "
            f"{len(done.unchanged)} are there already. Nothing was released",
            f"Open {file}: it has numbers of no student",
        ]
    )


def of_handout(done: Handout, name: str) -> str:
    """Return what was written to hand an assignment out, and for whom there is nothing."""
    count = len(done.moodle) + len(done.plain)
    notebooks = console.count(count, "notebook")
    lines = [f"{done.archive}: {notebooks}, {len(done.moodle)} of them in Moodle's folders"]
    if done.replaced:
        others = console.count(done.replaced, "notebook")
        lines.append(
            f"  in the place of an earlier archive with {others} for students that this table does "
            "not list"
        )
    if done.moodle:
        lines.append(
            f"  In Moodle: the assignment {name}, View all submissions, Upload multiple feedback "
            "files in a zip"
        )
    lines.append(f"{done.mail}: a table for a mail merge, with the notebook as attachment")
    if done.without_email:
        lines.append(f"  no e-mail in roster.csv: {', '.join(done.without_email)}")
    if done.absent:
        lines.append(f"  not in the table, so in neither file: {', '.join(done.absent)}")
    lines += [f"  no student of the course: {one}" for one in done.unknown]
    return "\n".join(lines)


def _described(done: Released) -> list[str]:
    one = done.assignment
    questions = f"{len(one.points)} question{'s' * (len(one.points) > 1)}"
    lines = [f"{one.name}: {questions}, {one.out_of} points"]
    if done.same:
        more = ", more than a tenth," if done.too_much_is_same else ""
        lines.append(
            f"  {done.same_points} of {one.out_of} points{more} are for questions whose right "
            f"answer all students share, or about half of them: {', '.join(done.same)}"
        )
    if done.too_little_is_open:
        lines.append(
            f"  {done.open_points} of {one.out_of} points are for words or code; let it be "
            f"{OF_OPEN_ANSWERS:.0%} or more: numbers and options say little of why"
        )
    return lines


def of_release(done: Released, root: Path) -> str:
    """Return what was released, and where it lies in the course's folder."""
    one, lines = done.assignment, _described(done)
    lines.append(
        f"  {console.count(len(done.written), 'notebook')} written, {len(done.unchanged)} were "
        "there already"
    )
    if done.kept_with_head:
        lines.append(
            f"  {console.count(len(done.kept_with_head), 'notebook')} kept as handed out: only the "
            "first cell of a new one would be another, with a deadline or a name that was changed "
            "since. Nothing has to be done; what course.toml says counts"
        )
    if done.kept:
        lines.append(
            f"  {console.count(len(done.kept), 'notebook')} kept as handed out, although a new one "
            "would ask otherwise, since the file or an exercise was changed after the release: "
            f"{_list_few(done.kept)}. An answer to a question that was changed is to be read"
        )
    if done.corrected:
        lines.append(
            "  The file of your exercises is corrected, and students see the same of it, so the "
            f"notebooks stay. Grade again with `{COMMAND} course grade {one.name}`: the column "
            "*to know* lists whose points change"
        )
    return "\n".join([*lines, f"Hand out {root / 'release'}/STUDENT/{one.name}/{one.name}.ipynb"])


def _list_few(students: Sequence[str]) -> str:
    more = len(students) - _FEW
    return ", ".join(students[:_FEW]) + (f" and {more} more" if more > 0 else "")


def of_collection(done: Collected, name: str) -> str:
    """Return what was collected for an assignment, and what does not fit."""
    lines = [
        f"{name}: {len(done.new)} new, {len(done.replaced)} replaced (the earlier ones are in "
        f"submitted_earlier), {len(done.unchanged)} as before, {len(done.missing)} missing"
        + (f", {len(done.refused)} not taken" if done.refused else "")
    ]
    if done.times:
        said = " and ".join(f"{count} by {what}" for what, count in sorted(done.times.items()))
        lines.append(f"  times of handing in: {said}")
    lines += [f"  replaced: {', '.join(done.replaced)}"] if done.replaced else []
    lines += [f"  missing: {', '.join(done.missing)}"] if done.missing else []
    lines += [f"  not taken of {student}: {why}" for student, why in done.refused.items()]
    if done.left_out:
        first, *more = done.left_out
        others = f" and {len(more)} more" if more else ""
        lines.append(
            f"  left out: {first}{others}, which macOS, Jupyter or an Office program wrote beside "
            "the notebooks"
        )
    return "\n".join([*lines, *(f"  {what}: {problem}" for what, problem in done.problems)])


def of_grades(done: Sequence[GradedStudent], root: Path) -> str:
    """Return how many were graded, and what is left to do."""
    waiting = sum(one.waiting for one in done)
    failed = sum(one.points is None for one in done)
    lines = [
        f"{len(done) - failed} graded, {failed} not, {console.count(waiting, 'answer')} to be read",
        f"Pages for the students: {root / 'feedback'}/STUDENT/",
    ]
    if waiting:
        lines.append("Read the answers in nbgrader: `jupyter lab` here, menu Nbgrader, Formgrader")
    return "\n".join(lines)


def of_matches(course: Course, assignment: Assignment) -> str:
    """Return whose wrong answers are right for somebody else, and who wrote the same words."""
    report = read_grades(course, assignment)
    # The pages have three variants: what is right for others there is no evidence.
    answers = {
        student: one["answers"]
        for student, one in report.items()
        if one.get("answers") and not one.get("in_page")
    }
    lines = [
        f"  {one.student}: {len(one.exercises)} of {one.wrong} wrong answers are right for "
        f"{one.other}: {', '.join(one.exercises)}. By chance: 1 in {1 / one.chance:,.0f} pairs"
        for one in similarity.matches(answers, assignment.lookup(course))
    ]
    if lines:
        lines.insert(
            0, "Wrong answers that are right for another student (evidence, and no proof):"
        )
    same = similarity.find_same_words({who: one.get("words", {}) for who, one in report.items()})
    if same:
        lines.append("The same words in the answers of several students:")
        lines += [f"  {exercise}: {', '.join(who)}" for exercise, who in same]
    return "\n".join(lines)
