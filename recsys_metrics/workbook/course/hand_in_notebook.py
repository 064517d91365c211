"""The notebook that a file of answers from the book's page or from JupyterLite becomes.

It is the student's released notebook with the questions that the pages ask and the answers that
were given, so that everything after `collect` has one kind of submission. What is in it depends on
the file and the questions alone: a file that is collected again is no other submission.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from recsys_metrics.workbook.course import release_notebook
from recsys_metrics.workbook.course.assignment import Assignment
from recsys_metrics.workbook.course.course_folder import Course, Student
from recsys_metrics.workbook.grading import hand_ins
from recsys_metrics.workbook.grading.hand_ins import HandedFile
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.grading.questions import Question
from recsys_metrics.workbook.grading.submissions import OURS, PAGE, SOLUTION

_HEAD = "# Answers saved by the page\n"
CURE = "save the answers again from the notebook that was released, and hand in that file as it is"


def convert(
    course: Course, assignment: Assignment, content: bytes, plain: Sequence[Question]
) -> tuple[bytes, list[str]]:
    """Return a file of answers as the student's notebook, and what there is to say of it.

    Parameters
    ----------
    course : Course
    assignment : Assignment
    content : bytes
    plain : sequence of Question
        The questions of the assignment as they are declared.

    Raises
    ------
    GradingError
        If it is no such file, or not one that its student can have saved.
    """
    file = hand_ins.parse_hand_in(content, plain, assignment.name, course.key, assignment.release)
    if file.student not in assignment.students:
        raise GradingError(f"it belongs to {file.student}, who is not on the list")
    questions = assignment.questions(course, file.student, in_page=True)
    hand_ins.check_variants(file, assignment.page_seeds(course, file.student))
    said = [
        f"the answer to {one.exercise} is no number and brings nothing: {', '.join(one.unreadable)}"
        for one in file.answers
        if one.unreadable
    ]
    return _write(course, assignment, questions, file), said


def _write(
    course: Course, assignment: Assignment, questions: Sequence[Question], file: HandedFile
) -> bytes:
    seeds = assignment.page_seeds(course, file.student)
    built = release_notebook.build(
        *(course, assignment.name, questions, Student(file.student), seeds), assignment.release
    )
    notebook = json.loads(built)
    # The head says what the settings say today, and the same file is the same notebook tomorrow.
    notebook["cells"][0]["source"] = _HEAD
    given = {one.exercise.replace(".", "-"): one.source for one in file.answers}
    for cell in notebook["cells"]:
        name = cell["metadata"].get("nbgrader", {}).get("grade_id")
        cell["source"] = given.get(name, cell["source"])
    notebook["metadata"][OURS] |= {
        "head": _HEAD,
        "answered_in": PAGE,
        "hints": {one.exercise: SOLUTION if one.solution else one.hints for one in file.answers},
    }
    return json.dumps(notebook, indent=1, ensure_ascii=False).encode() + b"\n"
