"""An exercise of a course's own that is corrected after its release: what was handed out stays."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from recsys_metrics.workbook.course import assignment, release
from recsys_metrics.workbook.course.course_folder import Student
from recsys_metrics.workbook.course.grade import Grading
from recsys_metrics.workbook.grading import custom_exercises
from recsys_metrics.workbook.grading.limits import GradingError
from tests.course.exercise_mistakes import ORDER, read_template
from tests.course.simulated_people import write_correct_answer

STUDENTS = [Student(f"s{number}") for number in range(40)]
CHOICE_BUG = {
    '"new" if given["new"] > given["old"] else "old"': '"old" if given["new"] > given["old"] '
    'else "new"'
}
# The right order and a mistake change places.
ORDER_BUG = {
    "answer: [split, train, test,": "answer: [split, test, train,",
    "order: [split, test, train,": "order: [split, train, test,",
}
# Some weeks have the same number of impressions: the mean of the rates is the rate there.
EQUAL_WEEKS = {
    "    shown = [int(n) for n in rng.integers(200, 2000, size=2)]": (
        "    shown = [int(n) for n in rng.integers(200, 2000, size=2)]\n"
        "    shown = [shown[0], shown[0] if rng.random() < 0.5 else shown[1]]"
    )
}


def write_exercise(file, kind, changes=(), always=()):
    """Write an example, with changes in its YAML or in its Python."""
    texts = [ORDER, ""] if kind == "order" else [*read_template(kind)]
    for old, new in [*dict(changes).items(), *dict(always).items()]:
        (place,) = [place for place, text in enumerate(texts) if old in text]
        texts[place] = texts[place].replace(old, new, 1)
    file.write_text(texts[0])
    file.with_suffix(".py").write_text(texts[1])
    return [*custom_exercises.load_exercises(file)]


def read_asked(at, students=STUDENTS):
    """Return what each student is asked for by an exercise of the course's own."""
    released = assignment.load(at.course, "own1")
    return {one.id: released.questions(at.course, one.id)[-1].exercise for one in students}


def read_notebooks(at):
    return {file: file.read_bytes() for file in at.course.root.glob("release/*/own1/own1.ipynb")}


@pytest.mark.parametrize(
    ("kind", "bug", "moves"),
    [
        ("numbers", {"sum(clicks), sum(shown)": "sum(clicks), shown[0]"}, True),
        ("numbers", {"rate = clicked / seen": "rate = int(1000 * clicked / seen) / 1000"}, True),
        ("numbers", {"clicks, shown)) / 2": "clicks, shown)) / len('ab') / 1.5"}, False),
        ("numbers", {"seen / clicked}": "1 / (clicked / seen + 1)}"}, False),
        ("choice", CHOICE_BUG, True),
        ("order", ORDER_BUG, True),
    ],
)
def test_a_corrected_exercise_keeps_what_was_handed_out(kind, bug, moves, desk, tmp_path):
    at, file = desk(["ann"], ["ranking.e4"]), tmp_path / "mine.yaml"
    always = EQUAL_WEEKS if kind == "numbers" else ()
    ids = write_exercise(file, kind, bug, always)
    release.release(at.course, "own1", ids, STUDENTS[:-1], own=file)
    before, notebooks = read_asked(at, STUDENTS[:-1]), read_notebooks(at)
    write_exercise(file, kind, always=always)
    done = release.release(at.course, "own1", ids, STUDENTS, own=file)
    assert done.corrected
    assert done.written == [STUDENTS[-1].id]
    assert (done.kept, done.kept_with_head) == ([], [])
    assert notebooks.items() <= read_notebooks(at).items()
    now = read_asked(at)
    for student, was in before.items():
        assert now[student].inputs == was.inputs
        assert now[student].statement == was.statement
        assert now[student].check(**now[student].answer).passed
    assert moves == any(now[one].answer != was.answer for one, was in before.items())
    # Who joins later gets a draw that is usable now, and another correction changes neither.
    assert now[STUDENTS[-1].id].indistinguishable_mistakes() == []
    write_exercise(file, kind, bug, always)
    assert release.release(at.course, "own1", ids, STUDENTS, own=file).corrected
    again = read_asked(at)
    assert all(again[one].inputs == is_now.inputs for one, is_now in now.items())
    released = assignment.load(at.course, "own1")
    for one in STUDENTS:
        assert released.changed(one.id, released.questions(at.course, one.id)) == []


def test_where_a_mistake_gives_the_corrected_answer_the_answer_is_right(desk, tmp_path):
    at, file = desk(["ann"], ["ranking.e4"]), tmp_path / "mine.yaml"
    ids = write_exercise(file, "numbers", {"sum(clicks), sum": "max(clicks), sum"}, EQUAL_WEEKS)
    release.release(at.course, "own1", ids, STUDENTS, own=file)
    write_exercise(file, "numbers", always=EQUAL_WEEKS)
    release.release(at.course, "own1", ids, STUDENTS, own=file)
    alike = [one for one in read_asked(at).values() if len({*one.inputs["shown"]}) == 1]
    assert len(alike) > 5
    for one in alike:
        assert ("mean-of-rates",) in one.indistinguishable_mistakes()
        (mistake,) = [each for each in one.mistakes if each.id == "mean-of-rates"]
        result = one.check(**one.wrong_answers(mistake))
        assert result.passed
        assert result.mistake is None
        (other,) = [each for each in one.mistakes if each.id == "upside-down"]
        assert one.check(**one.wrong_answers(other)).mistake == "upside-down"


def test_where_two_corrected_mistakes_are_the_same_both_are_named(desk, tmp_path):
    at, file = desk(["ann"], ["ranking.e4"]), tmp_path / "mine.yaml"
    always = {"sum(clicks), sum": "max(clicks), sum"} | EQUAL_WEEKS
    ids = write_exercise(file, "numbers", always=always)
    release.release(at.course, "own1", ids, STUDENTS, own=file)
    # All clicks by the impressions of one week are the sum of the rates if the weeks are equal.
    corrected = {"seen / clicked}": '"sum(clicks) / shown[0]"}'}
    write_exercise(file, "numbers", corrected, always)
    assert release.release(at.course, "own1", ids, STUDENTS, own=file).corrected
    alike = [one for one in read_asked(at).values() if len({*one.inputs["shown"]}) == 1]
    assert len(alike) > 5
    for one in alike:
        result = one.check(sum(one.inputs["clicks"]) / one.inputs["shown"][0])
        assert not result.passed
        assert "Perhaps sum of rates" in result.message
        assert "Or perhaps upside down" in result.message


def test_a_correction_that_breaks_on_the_values_of_a_student_is_refused(desk, tmp_path):
    at, file = desk(["ann"], ["ranking.e4"]), tmp_path / "mine.yaml"
    ids = write_exercise(file, "numbers")
    release.release(at.course, "own1", ids, STUDENTS, own=file)
    kept = (at.course.own_exercises("own1") / "mine.yaml").read_bytes()
    asked = read_asked(at)["s7"]
    broken = {"clicked / seen\n": f"clicked / seen / (shown != {asked.inputs['shown']})\n"}
    write_exercise(file, "numbers", broken)
    says = r"mine\.two_weeks breaks on the values that s7 was given \(ZeroDivisionError"
    with pytest.raises(GradingError, match=says):
        release.release(at.course, "own1", ids, STUDENTS, own=file)
    assert (at.course.own_exercises("own1") / "mine.yaml").read_bytes() == kept


def hand_in(at, student, answer):
    """Hand in the notebook that a student was given, with an answer to the last question."""
    book = json.loads(at.course.notebook("release", student, "own1").read_text())
    for cell in book["cells"]:
        if cell["id"].startswith("mine-") and cell["id"].endswith("-answer"):
            cell["source"] = answer
    file = at.course.notebook("submitted", student, "own1")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(book))


def correct(question, exercise):
    """Return a question as a corrected exercise asks it of the same student."""
    was = question.exercise
    return replace(question, exercise=exercise.take_draw(was.seed, was.draw_number))


def grade(at):
    grading = Grading(at.course, assignment.load(at.course, "own1"))
    return {one.student: one for one in grading.run()}


@pytest.mark.parametrize(
    ("kind", "bug"),
    [
        ("numbers", {"sum(clicks), sum(shown)": "sum(clicks), shown[0]"}),
        ("choice", CHOICE_BUG),
        ("order", ORDER_BUG),
    ],
)
def test_a_corrected_exercise_file_grades_what_was_handed_in(
    kind, bug, sandbox, desk, tmp_path, run_cli
):
    """The solution is found to be wrong after the hand-in; students see the same of the file."""
    at, file = desk(["ann"], ["ranking.e4"]), tmp_path / "mine.yaml"
    write_exercise(file, kind)
    ((_, right),) = custom_exercises.load_exercises(file).items()
    ids = ["ranking.e4", *write_exercise(file, kind, bug)]
    release.release(at.course, "own1", ids, STUDENTS[:12], own=file)
    released = assignment.load(at.course, "own1")
    asked = {one.id: released.questions(at.course, one.id)[1] for one in STUDENTS[:12]}
    true = {student: correct(question, right) for student, question in asked.items()}
    # Two of those for whom the solutions differ: with as many clicks on both lists they do not.
    ann, bob, *_ = [one for one in asked if asked[one].exercise.answer != true[one].exercise.answer]
    notebooks = read_notebooks(at)
    hand_in(at, ann, write_correct_answer(true[ann]))
    hand_in(at, bob, write_correct_answer(asked[bob]))
    before = grade(at)
    assert (before[ann].points, before[bob].points) == (0, right.points)

    write_exercise(file, kind)
    people = "".join(f"{one.id},,,\n" for one in STUDENTS[:13])
    (at.course.root / "roster.csv").write_text(f"id,first_name,last_name,email\n{people}")
    release_it = ("course", "release", "own1", "--exercises-file", str(file))
    said = run_cli(*release_it, cwd=at.course.root)
    assert said.returncode == 0, said.stderr
    told = " ".join(said.stdout.split())
    assert "is corrected, and students see the same of it, so the notebooks stay. Grade" in told
    folder = at.course.own_exercises("own1")
    assert (folder / "mine.yaml").read_bytes() == file.read_bytes()
    assert len([*folder.glob("until-*")]) == 1
    assert notebooks.items() <= read_notebooks(at).items()
    # The notebook from before the correction and the one of who joins after it are both judged.
    new = STUDENTS[12].id
    _, joined = assignment.load(at.course, "own1").questions(at.course, new)
    hand_in(at, new, write_correct_answer(joined))
    after = grade(at)
    assert (after[ann].points, after[bob].points, after[new].points) == (
        right.points,
        0,
        right.points,
    )
    for student, change in ((ann, f"0, now {right.points}"), (bob, f"{right.points}, now 0")):
        says = f"points changed since the last grading: {right.id} {change}"
        assert says in after[student].notes
        assert not any("changed since it was released" in one for one in after[student].notes)
    assert not any("points changed" in one for each in grade(at).values() for one in each.notes)

    # The same file again changes nothing, and another title is another question.
    assert "is corrected" not in run_cli(*release_it, cwd=at.course.root).stdout
    kept = file.read_bytes()
    file.write_text(file.read_text().replace("  title: ", "  title: New ", 1))
    said = run_cli(*release_it, cwd=at.course.root)
    assert said.returncode == 1
    assert f"students would see something else of {right.id}" in " ".join(said.stderr.split())
    assert (folder / "mine.yaml").read_bytes() == kept
