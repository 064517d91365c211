"""One class in which every student but three hands in a forged or damaged file of answers.

The files are in `forged_hand_ins.py` and `damaged_hand_ins.py`. They are collected and graded
together, in the sandbox, since a file that breaks the run, or that changes somebody else's grade,
is as bad as one that earns points.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from pathlib import Path

import pytest

from recsys_metrics.workbook.course import release
from recsys_metrics.workbook.course.course_folder import Student
from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.progress.hand_in import read_assigned
from tests.course import altered_files as files
from tests.course import damaged_hand_ins, forged_hand_ins  # noqa: F401 - they fill the list
from tests.course.simulated_people import NAME, Desk, save_answer
from tests.tiers import of_a_course

pytestmark = [pytest.mark.slow, of_a_course]

OTHER = "ps2"
HONEST = {"bob": True, "cleo": True, "dora": False}
"""Students who hand in what the page saved, and whether their answers are right."""
WHEN = "2026-03-02T12:00:00.000+01:00"
LIMITS = {"seconds": 30, "cell_seconds": 5}
WRONG = {
    files.NUMBERS: {"precision": "0.11", "recall": "0.12", "f1": "0.13"},
    files.FUNCTION: "def my_precision(recommended, relevant, k):\n    return 0.123\n",
    files.TEXT: {"text": "These are words that say little of it, and go on for a while."},
}


ALL = 9
"""Points of right answers; those for words are given by a person."""
SIGNATURE, SAVED = "its signature is not that of", "which is never saved"
NO_NUMBER, LINK = "is no number and brings nothing", "is a symbolic link, which is never followed"
NO_FILE, LARGE = "is no file of answers, which begins with {", "it is larger than"
BECOMES = {
    "outcomes": (None, f"has 'outcome', {SAVED}"),
    "score": (None, f"has 'points', {SAVED}"),
    "outcome_as_number": (None, "has the number 'outcome', which was not asked"),
    "weights": (None, f"has 'maximum', {SAVED}"),
    "another_name": (None, f"{SIGNATURE} 'bob'"),
    "no_such_name": (None, f"{SIGNATURE} 'mallory'"),
    "bobs_answers": (None, SIGNATURE),
    "bobs_file": (None, "is the notebook of bob"),
    "no_signature": (None, "it has no 'tag'"),
    "no_owner": (None, "it has no 'assignment'"),
    "other_signature": (None, SIGNATURE),
    "other_assignment_renamed": (None, SIGNATURE),
    "other_assignment": (None, "it is of 'ps2', not of ps1"),
    "other_course": (None, SIGNATURE),
    "another_variant": (None, "was asked variant"),
    "variant_null": (None, "it answers the first numbers of ranking.e2"),
    "variant_number": (None, "has a whole number as 'variant'"),
    "variant_code": (None, "was asked variant"),
    "not_asked": (None, "is to 'ranking.e4', which was not asked"),
    "exchanged": (None, "has no numbers by their names"),
    "answered_twice": (None, "it answers ranking.e2 twice"),
    "keys_twice": (None, "it has 'answers' twice in one object"),
    "exercise_path": (None, "which was not asked"),
    "number_code": (0, NO_NUMBER),
    "number_break": (0, NO_NUMBER),
    "number_special": (0, NO_NUMBER),
    "number_long": (None, LARGE),
    "text_break": (0, ""),
    "reads_files": (0, ""),
    "reads_memory": (0, ""),
    "known_cases": (0, ""),
    "equal_to_all": (0, ""),
    "patches_checks": (0, ""),
    "prints_results": (0, ""),
    "cell_magic": (0, ""),
    "checks_others": (0, ""),
    "endless": (0, ""),
    "markup": (0, ""),
    "markup_in_names": (None, "not of ps1"),
    "control_characters": (0, ""),
    "control_in_names": (None, SIGNATURE),
    "answers_object": (None, "it has an object as 'answers'"),
    "student_list": (None, "it has a list as 'student'"),
    "version": (None, "it contains a number of 31 digits"),
    "version_true": (None, "it has true or false as 'version'"),
    "answer_numbers": (None, "has a precision that nobody typed"),
    "picks_all": (None, "has 6 options, and one is chosen"),
    "picks_nested": (None, "has ['pq'], which is not there to be picked"),
    "order_long": (None, "has 'def', which is not there to be picked"),
    "help_negative": (None, "has a text as 'solution'"),
    "fields_missing": (None, "has no 'variant'"),
    "not_numbers": (None, "it contains NaN, which is no JSON"),
    "huge_number": (None, "it contains a number of 5,000 digits"),
    # No rule depends on these times.
    "future": (ALL, ""),
    "before_release": (ALL, ""),
    "no_time": (None, "which is no time"),
    "empty": (None, NO_FILE),
    "cut_off": (None, "it is damaged or cut off"),
    "comments": (None, NO_FILE),
    "not_utf8": (None, "it is not in UTF-8"),
    "byte_order_mark": (ALL, ""),
    "utf16": (None, "it is not in UTF-8"),
    "deep": (None, "it is nested too deep"),
    "deep_answer": (None, "it is nested too deep"),
    "huge_text": (None, LARGE),
    "long_text": (None, LARGE),
    "many_answers": (None, LARGE),
    "a_list": (None, NO_FILE),
    "null": (None, NO_FILE),
    "compressed": (None, NO_FILE),
    "notebook_as_answers": (0, "nothing is answered in it"),
    "answers_as_notebook": (ALL, ""),
    "odd_name": (ALL, ""),
    "link_to_key": (None, LINK),
    "link_to_bob": (None, LINK),
    "link_to_device": (None, LINK),
    "pipe": (None, "is no plain file"),
    "a_folder": (None, ""),
    "odd_archive": (None, "hand in the one file, not packed"),
    "archive_as_answers": (None, NO_FILE),
    "two_files": (0, "taken is ps1 (1).hand-in.json"),
    "newer_damaged": (ALL, "it is damaged or cut off"),
}
"""The points of each, None if it is refused, and what `collect` says."""
NOTHING_THERE = {"link_to_key", "link_to_bob", "link_to_device", "pipe", "a_folder"}
"""Those of whom no file is read, and whose page is that of a student who handed in nothing."""


@dataclass(frozen=True)
class Outcome:
    """What became of the class."""

    desk: Desk
    said: dict[str, str]
    """What `collect` said, by the file or the student."""
    graded: dict

    def all_said(self, student: str) -> str:
        """Return what was said of a student and of what lies in the student's folder."""
        return "\n".join(
            f"{what}: {says}"
            for what, says in self.said.items()
            if what == student or what.startswith(f"{student}/")
        )


def wrong_answer(exercise):
    """Return an answer that earns nothing, as a card saves it."""
    if exercise.id in WRONG:
        return WRONG[exercise.id]
    if exercise.id == files.ORDER:
        return save_answer(exercise)[::-1]
    (right,) = save_answer(exercise)
    return [next(key for key in exercise.option_list.keys if key != right)]


def saved(notebook, *, right, shift=0):
    """Return the file that the page saves; with a shift, of variants that were not asked."""
    assigned = read_assigned(notebook)
    answers = []
    for name, asked in assigned.page.items():
        seed = asked if asked is None or not shift else str((int(asked) - 1 + shift) % 3 + 1)
        one = REGISTRY[name] if seed is None else REGISTRY[name].variant(seed)
        answer = save_answer(one) if right else wrong_answer(one)
        more = {"when": WHEN, "hints": 0, "solution": False, "answer": answer}
        answers.append({"exercise": name, "variant": seed, **more})
    about = {"format": "recsys-workbook hand-in", "version": 1, "assignment": assigned.assignment}
    signed = {"student": assigned.student, "tag": assigned.tag, "saved": WHEN}
    return {**about, **signed, "answers": answers}


@pytest.fixture(scope="module")
def outcome(desk, sandbox, tmp_path_factory):
    """The class, collected and graded once."""
    # Every student has the name of what is tried.
    students = [*HONEST, *(one.name for one in files.FORGERIES)]
    here = desk(students, files.EXERCISES, page=True, **LIMITS)
    elsewhere = desk(students, files.EXERCISES, page=True)
    people = [Student(one) for one in students]
    release.release(here.course, OTHER, ["ranking.e4"], people, page=True)

    def notebook(at, student, assignment=NAME):
        return at.course.notebook("release", student, assignment)

    for student, right in HONEST.items():
        here.put(f"{student}/{files.FILE}", saved(notebook(here, student), right=right))
    bob = saved(notebook(here, "bob"), right=True)
    for one in files.FORGERIES:
        own = notebook(here, one.name)
        folder = here.downloads / one.name
        folder.mkdir()
        known = files.Known(
            ann=saved(own, right=False),
            right=saved(own, right=True),
            bob=copy.deepcopy(bob),
            other_variants=saved(own, right=True, shift=1)["answers"],
            elsewhere=saved(notebook(elsewhere, one.name), right=True),
            other=saved(notebook(here, one.name, OTHER), right=True),
            notebook=own.read_bytes(),
            course=here.course.root,
        )
        one.write(known, folder)
    done = here.collect()
    said: dict[str, str] = {}
    for what, says in done.problems:
        said[what] = f"{said[what]}\n{says}" if what in said else says
    return Outcome(here, said, here.grade(sandboxed=True, jobs=2))


@pytest.mark.parametrize("forgery", files.FORGERIES, ids=lambda one: one.name)
def test_a_file_earns_what_its_answers_earn_when_typed(forgery, outcome):
    points, says = BECOMES[forgery.name]
    assert outcome.graded[forgery.name].points == points
    said = outcome.all_said(forgery.name)
    assert says in said if says else not said
    # Not that a part of ours broke.
    assert "Error" not in said


def test_nobody_elses_grade_changed(outcome):
    points = {one: outcome.graded[one].points for one in HONEST}
    assert points == {"bob": ALL, "cleo": ALL, "dora": 0}
    assert not any(outcome.all_said(one) for one in HONEST)


@pytest.mark.parametrize("forgery", files.FORGERIES, ids=lambda one: one.name)
def test_what_is_refused_is_said_on_the_students_page(forgery, outcome):
    graded = outcome.graded[forgery.name]
    if graded.points is None and forgery.name not in NOTHING_THERE:
        page = outcome.desk.page(forgery.name)
        assert "not graded" in page
        assert "hand in" in page


def test_no_page_holds_what_a_browser_or_a_terminal_obeys(outcome):
    for student in outcome.graded:
        file = outcome.desk.course.feedback(student, NAME)
        page = file.read_text("utf-8") if file.exists() else ""
        assert "<script>document" not in page
        assert "\x1b" not in page
    assert "\x1b" not in "".join(outcome.said)


def test_nothing_ran_outside_the_sandbox(outcome):
    assert not Path(files.TOUCHED).exists()
