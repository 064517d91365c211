"""A course's own exercises: held to the law, kept out of the package, graded in the sandbox."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from recsys_metrics import cli
from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.course import assignment, release, summary
from recsys_metrics.workbook.course.course_folder import Student
from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.exercises.function import Case
from recsys_metrics.workbook.grading import copy_probability, custom_exercises, exercise_rules
from recsys_metrics.workbook.grading.limits import GradingError
from tests.course.simulated_people import write_correct_answer

TEMPLATES = Path(custom_exercises.__file__).with_name("templates")
EXAMPLE = (TEMPLATES / "numbers.yaml").read_text("utf-8")
PYTHON = (TEMPLATES / "numbers.py.txt").read_text("utf-8")


SAME = "swap: {clicked / seen: sum(clicks) / seen}"
MEAN = 'swap: {clicked / seen: "sum(c / n for c, n in zip(clicks, shown)) / len(clicks)"}'
GONE = "swap: {clicked / seen: nothing}"


def shared(words):
    """Return a mistake that has its words from the shared file."""
    swap = "swap: {clicked / seen: 100 * clicked / seen}"
    return f"    in-percent:\n      shared: {words}\n      {swap}\n"


@pytest.fixture
def exercise_file(tmp_path):
    """The file that a command writes, with the one in Python beside it."""
    file = tmp_path / "mine.yaml"
    custom_exercises.write_template(file, "numbers")
    return file


def edit_exercise(file, old, new):
    """Change the text of an exercise, or the Python beside it."""
    assert (old in EXAMPLE) != (old in PYTHON)
    if old in EXAMPLE:
        file.write_text(EXAMPLE.replace(old, new))
    else:
        file.with_suffix(".py").write_text(PYTHON.replace(old, new))
    return file


def faults(file, **how):
    (exercise,) = custom_exercises.load_exercises(file).values()
    python = custom_exercises.get_python_file(file)
    return exercise_rules.find_faults(exercise, file=python, **how)


def line_of(text, words):
    return next(n for n, line in enumerate(text.splitlines(), 1) if words in line)


def test_the_default_template_follows_the_exercise_rules(exercise_file):
    assert faults(exercise_file) == []
    (exercise,) = custom_exercises.load_exercises(exercise_file).values()
    assert copy_probability.copy_chance(exercise) <= copy_probability.OF_NUMBERS
    # By hand: 150 clicks of 1250.
    assert exercise.answer == {"rate": 0.12}


def test_an_exercise_of_a_course_may_have_a_shared_mistake(exercise_file, tmp_path):
    exercise_file.write_text(EXAMPLE + shared("percent-for-ratio"))
    assert faults(exercise_file) == []
    (exercise,) = custom_exercises.load_exercises(exercise_file).values()
    assert "That is the ratio in percent." in exercise.check(12).message
    custom_exercises.write_page(tmp_path / "mine.html", "Mine", [exercise])
    assert "That is the ratio in percent." in (tmp_path / "mine.html").read_text("utf-8")


@pytest.mark.parametrize("kind", ["numbers", "choice", "function", "text"])
def test_every_template_follows_the_exercise_rules_and_has_a_card(kind, tmp_path):
    custom_exercises.write_template(tmp_path / "mine.yaml", kind)
    exercises = custom_exercises.load_exercises(tmp_path / "mine.yaml")
    assert [exercise_rules.find_faults(one) for one in exercises.values()] == [[]]
    custom_exercises.write_page(tmp_path / "mine.html", "Mine", exercises.values())
    page = (tmp_path / "mine.html").read_text("utf-8")
    for one in exercises.values():
        assert markup.render_inline(one.title) in page
    assert "The worked solution" in page


def test_the_commands_write_and_check_without_overwriting(run_cli, tmp_path):
    assert (
        run_cli("course", "new-exercise", "mine.yaml", "--kind", "text", cwd=tmp_path).returncode
        == 0
    )
    checked = run_cli("course", "check-exercises", "mine.yaml", "--page", "mine.html", cwd=tmp_path)
    assert checked.stdout.endswith(
        "1 exercise, 0 to be mended\nmine.html: the cards of those that hold\n"
    )
    again = run_cli("course", "new-exercise", "mine.yaml", cwd=tmp_path)
    assert "mine.yaml is there; give another name" in again.stderr
    # The page of an earlier check is replaced, and no other file.
    mine = list(custom_exercises.load_exercises(tmp_path / "mine.yaml").values())
    custom_exercises.write_page(tmp_path / "mine.html", "Mine", mine)
    with pytest.raises(GradingError, match=r"mine\.yaml is there and is no earlier page"):
        custom_exercises.write_page(tmp_path / "mine.yaml", "Mine", mine)


def test_an_unknown_kind_of_exercise_raises(run_cli, tmp_path):
    done = run_cli("course", "new-exercise", "mine.yaml", "--kind", "poem", cwd=tmp_path)
    assert "no exercise is of the kind 'poem'; choice, function, numbers, text are" in done.stderr


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("minutes: 3", "minutes: 30", "takes 30 minutes"),
        ("points: 2", "points: 9", "brings 9 points"),
        ("    - How many clicks were there in all?\n", "", "has 2 hints; give 3"),
        (
            "  insight: A rate of rates forgets how much stands behind each.\n",
            "",
            "has no insight",
        ),
        ("code: rate = clicked / seen", "code: rate = seen, clicked / seen", "breaks: TypeError"),
        ("swap: {clicked / seen: seen / clicked}", SAME, "a mistake that is right: upside-down"),
        ("swap: {clicked / seen: seen / clicked}", MEAN, "cannot be told apart"),
        ("Add up before you divide.", "It is 0.12.", "shows the right `rate`, 0.12, before"),
        ("swap: {clicked / seen: seen / clicked}", GONE, "breaks: NameError: name 'nothing'"),
        (
            "shown {shown} times",
            "shown {klicks} times",
            "names {klicks}, which is no input; the in",
        ),
        ("shown {shown} times", "shown {1, 2} times", "Write {{ and }} for braces that are meant"),
        ("shown {shown} times", "shown {shown[0]} times", "names a part of an input, 0; only a wh"),
        ("rate: click-through rate", "rate: rate\n    seen_by: x", "leaves no value in seen_by"),
        ('{"shown": shown, "clicks"', '{"show": shown, "clicks"', "draws clicks, show; its inputs"),
        ('return {"shown": shown,', 'return {"more": 1, "shown": shown,', "its inputs are clicks"),
        (
            '"shown": shown, "clicks"',
            '"shown": np.ones(2), "clicks"',
            "NameError: name 'np' is not",
        ),
    ],
)
def test_violations_of_the_exercise_rules_are_reported(old, new, says, exercise_file):
    assert any(
        says in fault for fault in faults(edit_exercise(exercise_file, old, new), variants=2)
    )


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("shown {shown} times", "shown {klicks} times", "mine.yaml, line 13: "),
        ("shown {shown} times", "shown {klicks} times", "names {klicks}"),
        ('"shown": shown, "clicks"', '"shown": np.ones(2), "clicks"', "mine.py, line 9: "),
        ("swap: {clicked / seen: seen / clicked}", SAME, "mine.yaml, line 50: "),
        ("swap: {clicked / seen: seen / clicked}", SAME, "that is right"),
        ("minutes: 3", "minutes: 30", "mine.yaml, line 7: "),
    ],
)
def test_check_exercises_reports_violations_and_omits_the_card(
    old, new, says, exercise_file, capsys
):
    page = exercise_file.with_suffix(".html")
    with pytest.raises(SystemExit) as ended:
        cli.main(
            [
                "course",
                "check-exercises",
                str(edit_exercise(exercise_file, old, new)),
                "--page",
                str(page),
            ]
        )
    assert ended.value.code == 1
    assert says in capsys.readouterr().out
    assert "Two weeks" not in page.read_text("utf-8")


def test_the_preview_page_has_the_messages_of_all_mistakes(exercise_file):
    page = exercise_file.with_suffix(".html")
    custom_exercises.write_page(
        page, "Mine", custom_exercises.load_exercises(exercise_file).values()
    )
    text = page.read_text("utf-8")
    for words in ("upside down", "Can a rate be above 1?", "forgets how much stands behind each"):
        assert words in text


def test_errors_that_occur_only_in_another_process_are_reported(exercise_file):
    file = edit_exercise(
        exercise_file,
        "def draw(rng):",
        "import sys\n\n\ndef draw(rng):\n    sys.argv[1:] and 1 / 0",
    )
    with pytest.raises(GradingError, match="in another process: ZeroDivisionError"):
        exercise_rules.find_faults_elsewhere(file)


def test_a_changed_exercise_file_cannot_reuse_an_assignment_name(desk, exercise_file):
    at = desk(["ann"], ["ranking.e4"])
    given = (at.course, "own1", ["mine.two_weeks"], [Student("ann")])
    release.release(*given, own=exercise_file)
    kept = {one.name: one.read_bytes() for one in at.course.own_exercises("own1").iterdir()}
    assert sorted(kept) == ["mine.py", "mine.yaml"]
    release.release(*given, own=exercise_file)
    edit_exercise(exercise_file, "size=2", "size=3")
    with pytest.raises(GradingError, match="own1 was released with other exercises, and its 1 not"):
        release.release(*given, own=exercise_file)
    folder = at.course.own_exercises("own1")
    assert {one.name: one.read_bytes() for one in folder.iterdir()} == kept


def test_too_few_different_variants_are_reported(exercise_file):
    narrow = "    return {'shown': [1000, 250], 'clicks': [90, int(rng.integers(20, 26))]}\n"
    file = edit_exercise(exercise_file, "    shown = [int(n)", f"{narrow}    shown = [int(n)")
    (fault,) = faults(file, variants=60)
    assert re.match(
        r"has one right answer for \d\d% of all pairs of students \(5% at most\); draw from", fault
    )


def test_variants_that_are_not_reproducible_are_reported(exercise_file, tmp_path, capsys):
    unsteady = "shown = [200 + hash(word) % 1000 for word in ('one', 'two')]"
    file = edit_exercise(
        exercise_file, "shown = [int(n) for n in rng.integers(200, 2000, size=2)]", unsteady
    )
    with pytest.raises(SystemExit) as ended:
        cli.main(["course", "check-exercises", str(file)])
    assert ended.value.code == 1
    assert "mine.two_weeks has other variants in another process" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a: (", r"line 1: a: '\(' is not of type 'object'"),
        ("a: [", r"mine\.yaml, line 2: this is no YAML"),
        ("", "declares no exercise; `new-exercise` writes one"),
        ("a: 1", r"mine\.yaml, line 1: a: 1 is not of type 'object'"),
        (EXAMPLE + EXAMPLE, r"mine\.yaml, line \d+: 'two_weeks' stands there a second time"),
        (
            EXAMPLE.replace("points: 2", "pints: 2"),
            r"mine\.yaml, line 8: two_weeks\.pints: .*'pints' was unexpected",
        ),
        (
            EXAMPLE.replace("minutes: 3", "minutes: soon"),
            r"mine\.yaml, line 7: two_weeks\.minutes: 'soon' is not of type 'integer'",
        ),
        (
            EXAMPLE.replace("draw: draw", "draw: drew"),
            rf"mine\.yaml, line {line_of(EXAMPLE, 'draw: draw')}: .*'drew' is not in mine\.py",
        ),
        (
            EXAMPLE.replace("{clicked / seen: seen / clicked}", "{clickt: seen}"),
            rf"line {line_of(EXAMPLE, 'seen / clicked}')}: .*'upside-down' swaps 'clickt'",
        ),
        (
            EXAMPLE.replace("rate = clicked / seen", "rate = (clicked / seen"),
            rf"mine\.yaml, line {line_of(EXAMPLE, '  solution:')}: .*is no Python",
        ),
        (
            EXAMPLE.replace("cause: That is how", "couse: That is how"),
            r"mine\.yaml, line \d+: two_weeks\.mistakes\.upside-down",
        ),
        (
            EXAMPLE + shared("percent-of-ratio"),
            rf"mine\.yaml, line {len(EXAMPLE.splitlines()) + 2}: mine\.two_weeks: the mistake "
            "'in-percent' shares 'percent-of-ratio', which is not in shared_mistakes"
            r"\.yaml; did you mean 'percent-for-ratio'",
        ),
    ],
)
def test_an_invalid_exercise_file_raises_with_the_line(text, says, exercise_file):
    exercise_file.write_text(text)
    with pytest.raises(GradingError, match=says):
        custom_exercises.load_exercises(exercise_file)
    with pytest.raises(GradingError, match="cannot be read"):
        custom_exercises.load_exercises(exercise_file.with_name("none.yaml"))


def test_a_file_must_have_a_name_that_ids_can_begin_with(exercise_file):
    with pytest.raises(GradingError, match="are declared in YAML"):
        custom_exercises.load_exercises(exercise_file.with_suffix(".py"))
    for name in ("Week-1.yaml", "1.yaml"):
        with pytest.raises(GradingError, match="give it one of small letters"):
            custom_exercises.load_exercises(exercise_file.rename(exercise_file.with_name(name)))
        exercise_file.with_name(name).rename(exercise_file)
    taken = exercise_file.with_name("ranking.yaml")
    taken.write_text(EXAMPLE.replace("two_weeks:", "e4:"))
    taken.with_suffix(".py").write_text(PYTHON)
    with pytest.raises(GradingError, match=r"line 4: ranking\.e4 is an exercise of the workbook"):
        custom_exercises.load_exercises(taken)


def test_errors_of_the_python_beside_a_file_have_its_line(exercise_file):
    python = exercise_file.with_suffix(".py")
    for text, says in (
        ("x = (", r"mine\.py, line 1: SyntaxError"),
        ("\n\n1 / 0", r"mine\.py, line 3: ZeroDivisionError: division by zero"),
    ):
        python.write_text(text)
        with pytest.raises(GradingError, match=says):
            custom_exercises.load_exercises(exercise_file)


def test_custom_exercises_are_released_and_graded_without_their_code(desk, sandbox, exercise_file):
    students = [Student("ann"), Student("bob")]
    ids = ["mine.two_weeks", "ranking.e4"]
    shared = True
    while shared:  # The key of a course is drawn; a value of Ann's may be right for Bob.
        at = desk(["ann", "bob"], ["ranking.e4"])
        done = release.release(at.course, "own1", ids, students, own=exercise_file)
        drawn = assignment.load(at.course, "own1")
        of_ann, of_bob = (drawn.questions(at.course, student) for student in ("ann", "bob"))
        shared = any(
            value == theirs.exercise.answer[name]
            for one, theirs in zip(of_ann, of_bob, strict=True)
            for name, value in one.exercise.answer.items()
        )
    assert done.assignment.points == {"mine.two_weeks": 2, "ranking.e4": 2}
    folder = at.course.own_exercises("own1")
    assert all(one.stat().st_mode & 0o077 == 0 for one in (folder, *folder.iterdir()))
    exercise_file.unlink()  # the copy is what counts
    one = assignment.load(at.course, "own1")
    asked = {student: one.questions(at.course, student) for student in ("ann", "bob")}
    shown = at.course.notebook("release", "ann", "own1").read_text("utf-8")
    assert "mean of rates" not in shown
    assert asked["ann"][0].exercise.inputs != asked["bob"][0].exercise.inputs

    import recsys_metrics.workbook.course.grade as grading

    for student in asked:
        book = json.loads(at.course.notebook("release", student, "own1").read_text("utf-8"))
        by_id = {question.grade_id: question for question in asked["ann"]}
        for cell in book["cells"]:
            question = by_id.get(cell["metadata"].get("nbgrader", {}).get("grade_id"))
            cell["source"] = write_correct_answer(question) if question else cell["source"]
        file = at.course.notebook("submitted", student, "own1")
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(book))
    graded = {each.student: each for each in grading.Grading(at.course, one).run()}
    assert graded["ann"].points == 4
    # Bob has handed in Ann's answers: they are wrong for him, and it shows.
    assert graded["bob"].points == 0
    from recsys_metrics.workbook.course import similarity

    kept = {student: each.answers for student, each in graded.items()}
    (match,) = similarity.matches(kept, one.lookup(at.course))
    assert (match.student, match.other, match.wrong) == ("bob", "ann", 2)
    assert match.exercises == ("mine.two_weeks", "ranking.e4")
    told = summary.of_matches(at.course, one)
    assert "evidence, and no proof" in told
    assert "bob: 2 of 2 wrong answers are right for ann: mine.two_weeks, ranking.e4. By" in told
    with pytest.raises(GradingError, match="exercises of the course's own, and without a sandbox"):
        list(grading.Grading(at.course, one, sandboxed=False).run())
    # Who joins later gets the same, without the file being named once more.
    later = release.release(at.course, "own1", ids, [*students, Student("cy")])
    assert later.written == ["cy"]
    assert later.kept == []


def test_an_exercise_that_violates_the_rules_is_not_released(desk, exercise_file):
    at = desk(["ann"], ["ranking.e4"])
    edit_exercise(exercise_file, "minutes: 3", "minutes: 30")
    says = r"mine\.yaml, line 7: mine\.two_weeks takes 30 minutes.*check-exercises"
    with pytest.raises(GradingError, match=says):
        release.release(at.course, "own1", ["mine.two_weeks"], [Student("ann")], own=exercise_file)
    assert not at.course.own_exercises("own1").exists()


def test_exercises_without_variants_are_reported_on_release(desk):
    at = desk(["ann"], ["ranking.e4"])
    same = next(one for one in REGISTRY.values() if one.same_for_all and one.points == 2)
    done = release.release(at.course, "ps2", [same.id, "ranking.e5"], [Student("ann")])
    assert (done.same, done.same_points, done.too_much_is_same) == ([same.id], 2, True)
    alone = release.release(at.course, "ps3", ["ranking.e5"], [Student("ann")])
    assert (alone.same, alone.too_much_is_same) == ([], False)
    said = (
        f"{summary.of_release(done, at.course.root)}\n{summary.of_release(alone, at.course.root)}"
    )
    assert "2 of 5 points, more than a tenth, are for one right answer that all" in said
    assert f"students share: {same.id}" in said
    assert said.count("all students share") == 1


def test_data_files_of_exercises_are_stored_with_the_assignment(desk, exercise_file, tmp_path):
    (tmp_path / "clicks.csv").write_text("90,60\n")
    exercise_file.with_suffix(".py").write_text(
        "from pathlib import Path\n\n"
        "READ = Path(__file__).with_name('clicks.csv').read_text()\n"
        f"DATA = 'clicks.csv'\n{PYTHON}"
    )
    at = desk(["ann"], ["ranking.e4"])
    given = (["mine.two_weeks"], [Student("ann")])
    done = release.release(at.course, "own", *given, own=exercise_file)
    kept = at.course.own_exercises("own") / "clicks.csv"
    assert kept.read_text() == "90,60\n"
    assert done.assignment.lookup(at.course)("mine.two_weeks").title == "Two weeks"
    # Another assignment has data of its own, and what was released keeps its own.
    (tmp_path / "clicks.csv").write_text("1,2\n")
    release.release(at.course, "own2", *given, own=exercise_file)
    assert kept.read_text() == "90,60\n"
    assert (at.course.own_exercises("own2") / "clicks.csv").read_text() == "1,2\n"
    with pytest.raises(GradingError, match="own was released with other exercises"):
        release.release(at.course, "own", *given, own=exercise_file)


def test_mutants_that_pass_the_cases_are_listed(tmp_path):
    file = tmp_path / "function.yaml"
    custom_exercises.write_template(file, "function")
    (exercise,) = custom_exercises.load_exercises(file).values()
    assert exercise_rules.find_unnoticed_changes(exercise) == []
    # A week of one showing and no click: times, over and whole parts of it are all 0.
    blind = replace(exercise, cases=(Case({"clicks": [0], "shown": [1]}),))
    assert [one.rpartition(" ")[2] for one in exercise_rules.find_unnoticed_changes(blind)] == [
        "Mult",
        "FloorDiv",
    ]
    (number,) = custom_exercises.load_exercises(_written(tmp_path / "n.yaml", "numbers")).values()
    assert exercise_rules.find_unnoticed_changes(number) == []


def _written(file, kind):
    custom_exercises.write_template(file, kind)
    return file
