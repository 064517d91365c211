"""Those who take part in a course: an instructor at a desk, students who hand things in."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.course import assignment as assignments
from recsys_metrics.workbook.course import collect, course_folder, export, release
from recsys_metrics.workbook.course.assignment import Assignment
from recsys_metrics.workbook.course.course_folder import Course, Student
from recsys_metrics.workbook.course.grade import GradedStudent, Grading
from recsys_metrics.workbook.exercises.base import Exercise
from recsys_metrics.workbook.grading import atomic_files
from recsys_metrics.workbook.grading.questions import Question

NAME = "ps1"
WORDY = "The ideal list has every relevant item first, so it is the most that can be reached."


@dataclass
class Desk:
    """An instructor with one assignment."""

    course: Course
    assignment: Assignment
    questions: dict[str, dict[str, Question]] = field(default_factory=dict)

    @classmethod
    def release(
        cls,
        root: Path,
        students: Sequence[str],
        exercises: Sequence[str],
        limits: Mapping[str, int] | None = None,
        *,
        page: bool = False,
    ) -> Desk:
        for limit, value in (limits or {}).items():
            settings = root / course_folder.SETTINGS
            text = settings.read_text(encoding="utf-8").replace(f"\n{limit} = ", f"\n{limit} = 0")
            kept = [line for line in text.splitlines() if not line.startswith(f"{limit} = 0")]
            settings.write_text("\n".join([*kept, f"{limit} = {value}\n"]), encoding="utf-8")
        course = course_folder.read(root)
        people = [Student(one) for one in students]
        done = release.release(course, NAME, exercises, people, page=page)
        return cls(course, done.assignment)

    @property
    def downloads(self) -> Path:
        place = self.course.root.with_name("downloads")
        place.mkdir(exist_ok=True)
        return place

    def asked(self, student: str) -> dict[str, Question]:
        if student not in self.questions:
            found = self.assignment.questions(self.course, student)
            self.questions[student] = {question.id: question for question in found}
        return self.questions[student]

    def opened(self, student: str) -> dict:
        """Return the notebook that the student got."""
        file = self.course.notebook("release", student, NAME)
        return json.loads(file.read_text(encoding="utf-8"))

    def right(self, student: str, exercise: str) -> str:
        """Return the right answer, as it is written into the cell."""
        return write_correct_answer(self.asked(student)[exercise])

    def answered(self, student: str, answers: Mapping[str, str] | None = None) -> dict:
        """Return the student's notebook with answers, by exercise; right ones by default."""
        book = self.opened(student)
        if answers is None:
            answers = {one: self.right(student, one) for one in self.assignment.points}
        by_grade_id = {self.asked(student)[one].grade_id: text for one, text in answers.items()}
        for cell in book["cells"]:
            graded = cell["metadata"].get("nbgrader", {}).get("grade_id")
            cell["source"] = by_grade_id.get(graded, cell["source"])
        return book

    def put(self, name: str, content: Mapping | bytes) -> Path:
        """Put a file among the downloads."""
        file = self.downloads / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return file

    def hand_in(self, student: str, content: Mapping | bytes) -> None:
        """Put a file where it is graded, past collecting it."""
        file = self.course.notebook("submitted", student, NAME)
        text = content if isinstance(content, bytes) else json.dumps(content).encode()
        atomic_files.replace_file(file, text)

    def collect(self, **options) -> collect.Collected:
        return collect.collect(self.course, self.assignment, self.downloads, **options)

    def grade(self, *students: str, **options) -> dict[str, GradedStudent]:
        self.assignment = assignments.load(self.course, NAME)
        grading = Grading(self.course, self.assignment, **options)
        return {one.student: one for one in grading.run(students or None)}

    def export(self, *, questions: bool = False) -> Path:
        file = self.course.root / ("questions.csv" if questions else "grades.csv")
        export.export(self.course, file, questions=questions)
        return file

    def page(self, student: str) -> str:
        return self.course.feedback(student, NAME).read_text(encoding="utf-8")


def write_correct_answer(question: Question) -> str:
    """Return the right answer to a question, as it is written into its cell."""
    exercise = question.exercise
    if question.is_words:
        return "It depends on the goal, and here is why."
    if question.function:
        return "\n\n".join(code for _, code in exercise.walkthrough() if code)
    return write_answer(question, exercise.answer)


def save_answer(exercise: Exercise) -> Any:
    """Return the right answer to an exercise as a card of the book's page saves it."""
    kind = type(exercise).__name__
    if kind == "Numbers":
        return {name: f"{value:.6f}" for name, value in exercise.answer.items()}
    if kind == "Text":
        return {"text": WORDY}
    if kind == "Function":
        return "\n\n".join(code for _, code in exercise.walkthrough() if code)
    if kind == "Order":
        return [*exercise.accepted_answers[0]]
    (first, *_) = exercise.accepted_answers
    return [*first] if exercise.chooses_all else [first]


def write_answer(question: Question, answer: Mapping) -> str:
    """Return an answer as it is written into its cell."""
    return "\n".join(f"{name} = {_code(answer[asked])}" for name, asked in question.names.items())


def cell_of(book: dict, grade_id: str) -> dict:
    """Return the cell of an answer."""
    return next(
        cell
        for cell in book["cells"]
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == grade_id
    )


def add_code(book: dict, source: str, *, before: str) -> None:
    """Add a code cell above an answer."""
    place = book["cells"].index(cell_of(book, before))
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    book["cells"].insert(place, {**cell, "source": source})


def _code(value: object) -> str:
    return markup.format_python(set(value) if isinstance(value, frozenset) else value)
