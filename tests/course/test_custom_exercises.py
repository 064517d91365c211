"""A course's own exercises: held to the law, kept out of the package, graded in the sandbox."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from recsys_metrics import cli
from recsys_metrics.workbook.checking import check_notebook
from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.course import (
    assignment,
    item_statistics,
    mistake_proposals,
    release,
    summary,
)
from recsys_metrics.workbook.course.course_folder import Student
from recsys_metrics.workbook.course.grade import Grading
from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.exercises.function import Case, Function
from recsys_metrics.workbook.exercises.order import Order
from recsys_metrics.workbook.grading import (
    copy_probability,
    custom_exercises,
    exercise_rules,
    questions,
)
from recsys_metrics.workbook.grading.limits import GradingError
from tests.course.exercise_mistakes import (
    EXAMPLE,
    GAP,
    ORDER,
    PLANTED,
    PYTHON,
    UPSIDE_DOWN,
    read_template,
    share_words,
)
from tests.course.simulated_people import write_correct_answer


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
    exercise_file.write_text(EXAMPLE + share_words("percent-for-ratio"))
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
        run_cli("course", "own", "exercise", "mine.yaml", "--kind", "text", cwd=tmp_path).returncode
        == 0
    )
    checked = run_cli("course", "own", "check", "mine.yaml", "--page", "mine.html", cwd=tmp_path)
    assert checked.stdout.endswith(
        "1 exercise, 0 to be mended\nmine.html: the cards of the valid ones\n"
    )
    again = run_cli("course", "own", "exercise", "mine.yaml", cwd=tmp_path)
    assert "mine.yaml is there; give another name" in again.stderr
    # The page of an earlier check is replaced, and no other file.
    mine = list(custom_exercises.load_exercises(tmp_path / "mine.yaml").values())
    custom_exercises.write_page(tmp_path / "mine.html", "Mine", mine)
    with pytest.raises(GradingError, match=r"mine\.yaml is there and is no earlier page"):
        custom_exercises.write_page(tmp_path / "mine.yaml", "Mine", mine)


def test_a_full_disk_cuts_no_page_and_leaves_no_half_of_a_template(exercise_file, tmp_path):
    resource = pytest.importorskip("resource", reason="only Unix limits the size of a file")
    page, exercises = tmp_path / "p.html", custom_exercises.load_exercises(exercise_file).values()
    custom_exercises.write_page(page, "first", exercises)
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(GradingError, match=r"p\.html could not be written: the file would be"):
            custom_exercises.write_page(page, "second", exercises)
        with pytest.raises(GradingError, match=r"new\.yaml cannot be written: File too large"):
            custom_exercises.write_template(tmp_path / "new.yaml", "numbers")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_an_unknown_kind_of_exercise_raises(run_cli, tmp_path):
    done = run_cli("course", "own", "exercise", "mine.yaml", "--kind", "poem", cwd=tmp_path)
    assert "no exercise is of the kind 'poem'; choice, function, numbers, text are" in done.stderr


def test_the_preview_page_has_the_messages_of_all_mistakes(exercise_file):
    page = exercise_file.with_suffix(".html")
    custom_exercises.write_page(
        page, "Mine", custom_exercises.load_exercises(exercise_file).values()
    )
    text = page.read_text("utf-8")
    for words in ("upside down", "Can a rate be above 1?", "the number of impressions behind each"):
        assert words in text


@pytest.mark.browser
@pytest.mark.parametrize("kind", ["numbers", "choice", "function", "text"])
def test_the_preview_page_fits_a_phone(kind, tmp_path, browser):
    custom_exercises.write_template(tmp_path / "mine.yaml", kind)
    exercises = custom_exercises.load_exercises(tmp_path / "mine.yaml").values()
    orders = [one for one in REGISTRY.values() if isinstance(one, Order)][:3]
    custom_exercises.write_page(tmp_path / "mine.html", "Mine", [*exercises, *orders])
    page = browser.new_page(viewport={"width": 320, "height": 640})
    page.set_content((tmp_path / "mine.html").read_text("utf-8"))
    wide = page.evaluate("document.documentElement.scrollWidth")
    page.close()
    assert wide <= 320


def test_errors_that_occur_only_in_another_process_are_reported(exercise_file):
    file = edit_exercise(
        exercise_file,
        "def draw(rng):",
        "import sys\n\n\ndef draw(rng):\n    sys.argv[1:] and 1 / 0",
    )
    with pytest.raises(GradingError, match="in another process: ZeroDivisionError"):
        exercise_rules.find_unsteady_draws(file)


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


def test_an_own_function_with_a_gap_counts_as_answered_once_it_is_filled(desk, tmp_path, capsys):
    file = tmp_path / "mine.yaml"
    custom_exercises.write_template(file, "function")
    file.write_text(GAP)
    at = desk(["ann"], ["ranking.e4"])
    ids = list(custom_exercises.load_exercises(file))
    release.release(at.course, "own1", ids, [Student("ann")], own=file)
    given = at.course.notebook("release", "ann", "own1")
    assert check_notebook(given, seconds=60) == 1
    assert "0 of 1 answers found" in capsys.readouterr().out
    book = json.loads(given.read_text())
    (cell,) = [one for one in book["cells"] if one["id"].endswith("-answer")]
    name = re.search(r"def (\w+)", cell["source"])[1]
    cell["source"] = f"def {name}(*given):\n    return 1"
    (tmp_path / "own1.ipynb").write_text(json.dumps(book))
    assert check_notebook(tmp_path / "own1.ipynb", seconds=60) == 0
    assert "1 of 1 answers found" in capsys.readouterr().out


def test_too_few_different_variants_are_reported(exercise_file):
    narrow = "    return {'shown': [1000, 250], 'clicks': [90, int(rng.integers(20, 26))]}\n"
    file = edit_exercise(exercise_file, "    shown = [int(n)", f"{narrow}    shown = [int(n)")
    (fault,) = faults(file, variants=60)
    assert re.match(
        r"has one right answer for \d\d% of all pairs of students \(5% at most\); draw from", fault
    )


@pytest.mark.parametrize(
    ("module", "number", "says"),
    [
        ("", "int(n) + hash('one') % 997", "in another process; draw from `rng` and sort"),
        ("import random", "int(n) + random.randrange(99)", "when they are drawn again in another"),
        ("R = np.random.default_rng(7)", "int(R.integers(200, 2000))", "when they are drawn again"),
        (
            "SHIFTS = [*range(9999)]",
            "int(n) + SHIFTS.pop()",
            "when they are drawn again in another",
        ),
    ],
)
def test_variants_that_are_not_reproducible_are_reported(
    exercise_file, capsys, module, number, says
):
    numbers = "[int(n) for n in rng.integers(200, 2000, size=2)]"
    file = edit_exercise(exercise_file, numbers, numbers.replace("int(n)", number, 1))
    python = file.with_suffix(".py")
    python.write_text(f"import numpy as np\n\n{module}\n\n{python.read_text()}")
    with pytest.raises(SystemExit) as ended:
        cli.main(["course", "own", "check", str(file)])
    assert ended.value.code == 1
    assert f"mine.two_weeks has other variants {says}" in capsys.readouterr().out


JARGON = re.compile(
    "schema|propert|instance|of type|unexpected|required|does not match|minimum|TypeError|KeyError"
)


def test_a_missing_file_in_python_is_reported_as_missing(exercise_file):
    exercise_file.with_suffix(".py").unlink()
    says = r"line 23: mine\.two_weeks: 'draw' is not in mine\.py, and there is no such file next"
    with pytest.raises(GradingError, match=says):
        custom_exercises.load_exercises(exercise_file)


def test_a_file_must_have_a_name_that_ids_can_begin_with(exercise_file):
    with pytest.raises(GradingError, match="are declared in YAML; name a file that ends in"):
        custom_exercises.load_exercises(exercise_file.with_suffix(".py"))
    with pytest.raises(GradingError, match=r"in YAML; rename it to mine\.yaml"):
        custom_exercises.load_exercises(exercise_file.with_suffix(".yml"))
    for name, near in (("Week-1.yaml", "week.yaml"), ("1.yaml", "mine.yaml"), ("a b.yaml", "a_b")):
        with pytest.raises(GradingError, match=rf"with a letter first, such as {near}"):
            custom_exercises.load_exercises(exercise_file.rename(exercise_file.with_name(name)))
        exercise_file.with_name(name).rename(exercise_file)
    week = exercise_file.with_name("week8.yaml")
    week.write_text(EXAMPLE)
    week.with_suffix(".py").write_text(PYTHON)
    assert [*custom_exercises.load_exercises(week)] == ["week8.two_weeks"]
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


def test_a_file_of_which_no_exercise_is_named_is_refused(empty_course, exercise_file, run_cli):
    done = run_cli(
        *("course", "release", "own1", "--exercises", "ranking.e4"),
        *("--exercises-file", str(exercise_file), "--course", str(empty_course)),
    )
    assert done.returncode == 1
    said = " ".join(done.stderr.split())
    assert "mine.yaml no exercise is named; add mine.two_weeks to --exercises" in said


HIDDEN = {
    "\\e[31m": "U+001B (ESCAPE)",
    "\\u202e": "U+202E (RIGHT-TO-LEFT OVERRIDE)",
    "\\u2066": "U+2066 (LEFT-TO-RIGHT ISOLATE)",
    "\\0": "U+0000 (NULL)",
    "\\a": "U+0007 (BELL)",
    "\\b": "U+0008",
    "\\x7f": "U+007F",
    "\\x9b": "U+009B",
    "\\r": "U+000D (CARRIAGE RETURN)",
    "\\L": "U+2028 (LINE SEPARATOR)",
    "\\u200b": "U+200B (ZERO WIDTH SPACE)",
    "\\ufeff": "U+FEFF (ZERO WIDTH NO-BREAK SPACE)",
    "\\U000e0041": "U+E0041 (TAG LATIN CAPITAL LETTER A)",
}
FIELDS = r"^( *(?:- )?)(title|prompt|insight|text|cause|hint|name|code): (?![>|{]).*$"


@pytest.mark.parametrize("sign", HIDDEN)
def test_a_sign_that_is_not_seen_is_refused_with_its_field_and_line(sign, exercise_file):
    text = exercise_file.read_text()
    found = [*re.finditer(FIELDS, text, re.MULTILINE)]
    assert {"title", "text", "cause", "hint"} <= {one[2] for one in found}
    for one in found:
        odd = f'{one[1]}{one[2]}: "Two{sign}weeks"'
        exercise_file.write_text(f"{text[: one.start()]}{odd}{text[one.end() :]}")
        line = text[: one.start()].count("\n") + 1
        says = rf"mine.yaml, line {line}: .*{one[2]}: contains {re.escape(HIDDEN[sign])}"
        with pytest.raises(GradingError, match=says):
            custom_exercises.load_exercises(exercise_file)


def test_a_sign_that_is_not_seen_in_a_name_or_a_drawn_text_is_refused(exercise_file):
    text = exercise_file.read_text()
    (mistake, *_) = re.findall(r"^  mistakes:\n    ([\w-]+):", text, re.MULTILINE)
    exercise_file.write_text(text.replace(f"    {mistake}:", f'    "{mistake}\\u202e":'))
    with pytest.raises(GradingError, match=r"mistakes: the name `.*` contains U\+202E"):
        custom_exercises.load_exercises(exercise_file)
    exercise_file.write_text(text.replace("hints:", "hints:\n    - {python: odd_hint}", 1))
    python = exercise_file.with_suffix(".py")
    python.write_text(f'{python.read_text()}\n\ndef odd_hint(i):\n    return "a\\x1b[31mb"\n')
    (fault, *_) = faults(exercise_file)
    assert "has a text, hints, 1, that contains U+001B (ESCAPE)" in fault


@pytest.mark.parametrize(
    "title", ["नमस्\u200dते", "👩\u200d🔬 and ❤\ufe0f", "Zoë, Ångström", "两周", "a\u00a0b"]
)
def test_joiners_accents_and_scripts_are_no_fault(title, exercise_file):
    text = exercise_file.read_text()
    exercise_file.write_text(re.sub("^  title: .*$", f'  title: "{title}"', text, flags=re.M))
    assert [one.title for one in custom_exercises.load_exercises(exercise_file).values()] == [title]


@pytest.mark.parametrize("depth", [60, 900, 3_000, 200_000])
@pytest.mark.parametrize("pair", ["[]", "{}"])
def test_brackets_in_brackets_are_refused_in_a_sentence(depth, pair, tmp_path, run_cli):
    inside = "[" * depth + "]" * depth if pair == "[]" else "{a: " * depth + "1" + "}" * depth
    (tmp_path / "m.yaml").write_text(f"a: {inside}\n")
    done = run_cli("course", "own", "check", "m.yaml", cwd=tmp_path)
    assert done.returncode == 1
    assert "m.yaml, line 1: a: values within values, 50 deep and more" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_page_of_a_check_has_one_arrow_at_a_hint(exercise_file, tmp_path):
    file = tmp_path / "mine.html"
    exercises = custom_exercises.load_exercises(exercise_file)
    custom_exercises.write_page(file, "mine", exercises.values())
    assert ".unfold { display: none }" in file.read_text()


def test_custom_exercises_are_released_and_graded_without_their_code(desk, sandbox, exercise_file):
    students = [Student("ann"), Student("bob")]
    ids = ["mine.two_weeks", "ranking.e4"]
    suits_bob = True
    # The key of a course is drawn; what Ann gave may be right for Bob, or a mistake that he makes.
    while suits_bob:
        at = desk(["ann", "bob"], ["ranking.e4"])
        done = release.release(at.course, "own1", ids, students, own=exercise_file)
        drawn = assignment.load(at.course, "own1")
        of_ann, of_bob = (drawn.questions(at.course, student) for student in ("ann", "bob"))
        suits_bob = any(
            theirs.exercise.check(**one.exercise.answer).mistake
            or any(
                value == theirs.exercise.answer[name] for name, value in one.exercise.answer.items()
            )
            for one, theirs in zip(of_ann, of_bob, strict=True)
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
    items = item_statistics.of_assignment(at.course, one)
    assert [(each.exercise.id, len(each.unexplained)) for each in items] == [
        ("mine.two_weeks", 1),
        ("ranking.e4", 1),
    ]
    assert mistake_proposals.propose(at.course, one, "mine.two_weeks") == []
    with pytest.raises(GradingError, match="exercises of the course's own, and without a sandbox"):
        list(grading.Grading(at.course, one, sandboxed=False).run())
    # Who joins later gets the same, without the file being named once more.
    later = release.release(at.course, "own1", ids, [*students, Student("cy")])
    assert later.written == ["cy"]
    assert later.kept == []


def test_an_exercise_that_violates_the_rules_is_not_released(desk, exercise_file):
    at = desk(["ann"], ["ranking.e4"])
    edit_exercise(exercise_file, "minutes: 3", "minutes: 30")
    says = r"mine\.yaml, line 7: mine\.two_weeks takes 30 minutes.*course own check"
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
    assert "2 of 5 points, more than a tenth, are for questions whose right answer all" in said
    assert f"all students share, or about half of them: {same.id}" in said
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
    python = exercise_file.with_suffix(".py")
    python.write_text(python.read_text().replace("size=2", "size=3"))
    release.release(at.course, "own2", *given, own=exercise_file)
    assert kept.read_text() == "90,60\n"
    assert (at.course.own_exercises("own2") / "clicks.csv").read_text() == "1,2\n"
    with pytest.raises(GradingError, match="own was released with other exercises"):
        release.release(at.course, "own", *given, own=exercise_file)


ONLY_THREE_WEEKS = """def my_rate(clicks, shown):
    return (clicks[0] + clicks[1] + clicks[2]) / (shown[0] + shown[1] + shown[2])
"""
ONLY_FIXED_CASES = """def my_rate(clicks, shown):
    return sum(clicks) / sum(shown) if max(shown) <= 1000 else 0.0
"""


def test_a_function_is_graded_on_the_fixed_and_on_the_drawn_cases(desk, sandbox, tmp_path):
    python = _written(tmp_path / "mine.yaml", "function").with_suffix(".py")
    # The list is shown more often in every drawn week than in those of the fixed cases.
    python.write_text(python.read_text().replace("integers(200, 2000", "integers(1200, 2000"))
    functions = {
        "ann": "def my_rate(clicks, shown):\n    return sum(clicks) / sum(shown)",
        "bob": ONLY_THREE_WEEKS,
        "cy": "def my_rate(clicks, shown):\n    return sum(shown) / sum(clicks)",
        "dan": ONLY_FIXED_CASES,
    }
    at = desk(["ann"], ["ranking.e4"])
    students = [Student(one) for one in functions]
    release.release(at.course, "own1", ["mine.write_rate"], students, own=tmp_path / "mine.yaml")
    for student, source in functions.items():
        book = json.loads(at.course.notebook("release", student, "own1").read_text("utf-8"))
        for cell in book["cells"]:
            if cell["id"] == "mine-write_rate-answer":
                cell["source"] = source
        file = at.course.notebook("submitted", student, "own1")
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(book))
    graded = {
        one.student: one for one in Grading(at.course, assignment.load(at.course, "own1")).run()
    }
    assert [graded[one].points for one in functions] == [3, 0, 0, 0]
    pages = {one: at.course.feedback(one, "own1").read_text("utf-8") for one in functions}
    assert "Right so far" not in pages["ann"]
    # Three of the four fixed cases have fewer than three weeks.
    for student, right in (("bob", 2), ("cy", 0), ("dan", 4)):
        assert f"{right} of 5 cases" in pages[student]


def test_the_fixed_cases_of_the_workbooks_functions_count_too():
    asked = [one for one in REGISTRY.values() if isinstance(one, Function)]
    for question in questions.create_questions("ab" * 32, "ps1", "ann", [one.id for one in asked]):
        fixed, cases = REGISTRY[question.id].cases, question.exercise.cases
        assert cases[: len(fixed)] == fixed
        drawn = REGISTRY[question.id].variant(question.exercise.seed).cases
        assert [one.arguments.keys() for one in cases[len(fixed) :]] == [
            one.arguments.keys() for one in drawn
        ]
        assert drawn


@pytest.mark.parametrize(
    ("drawn", "says"),
    [("(case(", "1 drawn;"), ("int(rng.integers(2, 4)) * (case(", "2 to 3 drawn;")],
)
def test_own_check_counts_the_fixed_and_the_drawn_cases(drawn, says, tmp_path, capsys):
    file = _written(tmp_path / "mine.yaml", "function")
    python = file.with_suffix(".py")
    python.write_text(python.read_text().replace("return (case(", f"return {drawn}"))
    with pytest.raises(SystemExit) as ended:
        cli.main(["course", "own", "check", str(file)])
    assert not ended.value.code
    assert f"tried on 4 fixed cases and {says}" in capsys.readouterr().out


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


def test_a_draw_that_returns_nothing_is_reported(exercise_file):
    python = exercise_file.with_suffix(".py")
    python.write_text("def draw(rng):\n    pass\n")
    (one,) = custom_exercises.load_exercises(exercise_file).values()
    (fault,) = exercise_rules.find_faults(one, file=python)
    assert fault.startswith("draws NoneType; its draw has to return the inputs by their names")
    assert custom_exercises.locate(exercise_file, one.id, fault) == "mine.yaml, line 23"


def plant(what, file):
    """Write a template with the mistake of an entry, and return the words that are to be said."""
    kind, changes, says = PLANTED[what]
    text, python = read_template(kind)
    if isinstance(changes, str):
        text, changes = changes, {}
    for old, new in changes.items():
        assert (old in text) != (old in python)
        text, python = text.replace(old, new, 1), python.replace(old, new, 1)
    file.write_text(text)
    file.with_suffix(".py").write_text(python)
    # `{words}` stands for the file and the line with these words.
    begins = re.match(r"\{(.+?)\} (?=mine\.|\w+: |\w+, |`)", says)
    if begins:
        of, name = (text, file.name) if begins[1] in text else (python, f"{file.stem}.py")
        lines = of.splitlines()
        first = next(n for n, one in enumerate(lines, 1) if begins_with(one, begins[1]))
        says = f"{name}, line {first}: {says[begins.end() :]}"
    return says


def begins_with(line, words):
    return line.strip(" \u00a0").startswith(words)


JARGON = re.compile(
    "schema|propert|instance|of type|required|does not match|minimum|TypeError|KeyError"
)


@pytest.mark.parametrize("what", PLANTED)
def test_a_planted_mistake_is_said_with_its_line_and_its_cure(what, tmp_path, monkeypatch):
    monkeypatch.setattr(custom_exercises, "_CALL_SECONDS", 2.0)
    says = plant(what, tmp_path / "mine.yaml")
    told, is_read = say_what_is_wrong(tmp_path / "mine.yaml")
    assert says in told
    assert is_read or not JARGON.search(told)
    assert "line " in told or what == "a file is empty"


def say_what_is_wrong(file):
    """Return what is said of a file, and whether it could be read."""
    try:
        exercises = custom_exercises.load_exercises(file)
    except GradingError as problem:
        return str(problem), False
    (one,) = exercises.values()
    found = exercise_rules.find_faults(one, variants=2, file=file.with_suffix(".py"))
    return "\n".join(
        f"{custom_exercises.locate(file, one.id, fault)}: {one.id} {fault}" for fault in found
    ), True


@pytest.mark.parametrize(
    "what", ["a prompt names no input", "a draw has an unknown name", "a mistake is right"]
)
def test_check_exercises_reports_violations_and_omits_the_card(what, exercise_file, capsys):
    says, page = plant(what, exercise_file), exercise_file.with_suffix(".html")
    with pytest.raises(SystemExit) as ended:
        cli.main(["course", "own", "check", str(exercise_file), "--page", str(page)])
    assert ended.value.code == 1
    said = capsys.readouterr().out
    assert says in said
    assert "no card, as no exercise holds" in said
    assert "Two weeks" not in page.read_text("utf-8")


@pytest.mark.parametrize(
    ("what", "how_many"),
    [
        ("a mistake is right", 1),
        ("two mistakes are the same", 1),
        ("the right function of another function is wrong", 1),
    ],
)
def test_what_follows_from_a_fault_is_not_reported_again(what, how_many, exercise_file):
    plant(what, exercise_file)
    assert len(faults(exercise_file, variants=2)) == how_many


def test_a_function_with_few_different_results_is_reported(tmp_path):
    file = tmp_path / "mine.yaml"
    text, python = read_template("function")
    file.write_text(text)
    narrow = "    return (case([1, int(rng.integers(2, 8))], [2, 9]),)\n\n\ndef rate"
    begins = python.index("    shown = [int(n)")
    file.with_suffix(".py").write_text(
        python[:begins] + narrow + python[begins:].partition("def rate")[2]
    )
    (fault,) = faults(file)
    assert fault.endswith(
        "(5% at most); draw several cases for each student, or cases with more different results"
    )


def test_an_exercise_with_a_gap_and_an_order_follow_the_rules(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text(GAP)
    file.with_suffix(".py").write_text(read_template("function")[1])
    assert say_what_is_wrong(file) == ("", True)
    file.write_text(ORDER)
    assert say_what_is_wrong(file) == ("", True)


def test_a_rule_that_is_broken_below_a_list_in_brackets_is_said_with_its_line(tmp_path):
    file = tmp_path / "mine.yaml"
    # A question mark before a comma is read by the parser in C, and refused by the one in Python.
    assert "What comes first?, " in ORDER
    file.write_text(ORDER.replace("minutes: 2", "minutes: 30"))
    says, _ = say_what_is_wrong(file)
    assert says.startswith("mine.yaml, line 4: mine.steps takes 30 minutes")


def test_the_functions_in_the_guide_follow_the_rules(exercise_file):
    guide = Path(__file__).resolve().parents[2] / "chapters" / "instructors_guide.md"
    blocks = re.findall(r"```python\n(def my_.*?)```", guide.read_text("utf-8"), re.DOTALL)
    assert len(blocks) == 2
    begins, ends = EXAMPLE.index("  prompt: |"), EXAMPLE.index("  # What is asked for")
    text = f"{EXAMPLE[:begins]}  prompt: {{python: my_prompt}}\n{EXAMPLE[ends:]}"
    exercise_file.write_text(text.replace(UPSIDE_DOWN, "function: my_mistake"))
    exercise_file.with_suffix(".py").write_text("\n\n".join([PYTHON, *blocks]))
    assert say_what_is_wrong(exercise_file) == ("", True)
    (one,) = custom_exercises.load_exercises(exercise_file).values()
    assert "| 1000 | 90 |" in one.question
    assert one.check(60 / 250).mistake == "upside-down"


def test_a_file_that_is_not_in_utf8_is_said_with_the_line_and_the_exercise(exercise_file):
    exercise_file.write_bytes(EXAMPLE.replace("Two weeks", "Zwölf").encode("latin-1"))
    line = line_of(EXAMPLE, "title: Two weeks")
    says = (
        rf"mine\.yaml, line {line}: two_weeks: a character is not in UTF-8 .* save the file as UTF-"
    )
    with pytest.raises(GradingError, match=says):
        custom_exercises.load_exercises(exercise_file)


def test_a_value_above_one_is_shown_on_such_a_case(tmp_path):
    custom_exercises.write_template(tmp_path / "mine.yaml", "function")
    (exercise,) = custom_exercises.load_exercises(tmp_path / "mine.yaml").values()
    cases = ([0], [5]), ([2], [2]), ([3, 4, 5], [6, 7, 11])
    shares = replace(exercise, cases=tuple(Case({"clicks": c, "shown": n}) for c, n in cases))
    # 0.3 where 0 is right; then 1 as it should be; then 1.5.
    message = shares.check(lambda clicks, shown: {0: 0.3, 2: 1.0}.get(clicks[0], 1.5)).message
    assert "more than 1 on some of the cases" in message
    assert "my_rate([3, 4, 5], [6, 7, 11])" in message
    assert "1.5" in message


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("\nimport sys\nsys.exit(0)\n", r"mine\.py, line \d+: SystemExit: 0"),
        ("\nwhile True:\n    pass\n", r"mine\.py was still running after 1 seconds"),
    ],
)
def test_python_that_ends_or_never_does_is_an_error_of_its_file(
    more, says, exercise_file, monkeypatch, capsys
):
    monkeypatch.setattr(custom_exercises, "_MOST_SECONDS", 1)
    python = custom_exercises.get_python_file(exercise_file)
    python.write_text(python.read_text() + more)
    with pytest.raises(GradingError, match=says):
        custom_exercises.load_exercises(exercise_file)
    with pytest.raises(SystemExit, match=says):
        cli.main(["course", "own", "check", str(exercise_file)])


def test_a_draw_that_ends_the_program_is_an_error_of_its_file(exercise_file):
    python = custom_exercises.get_python_file(exercise_file)
    text = python.read_text()
    python.write_text(re.sub(r"(\ndef draw\w*\(.*\n)", r"\1    raise SystemExit(0)\n", text))
    assert python.read_text() != text
    with pytest.raises(SystemExit, match=r"mine\.py, line \d+: SystemExit: 0"):
        cli.main(["course", "own", "check", str(exercise_file)])


@pytest.mark.parametrize("kind", ["numbers", "choice", "function"])
def test_a_draw_that_is_endless_for_some_students_is_an_error(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(custom_exercises, "_CALL_SECONDS", 1.0)
    file = tmp_path / "mine.yaml"
    custom_exercises.write_template(file, kind)
    python = custom_exercises.get_python_file(file)
    endless = "    while rng.bit_generator.state['state']['state'] % 7 == 3:\n        pass\n"
    text = python.read_text()
    python.write_text(re.sub(r"(\ndef draw\(rng\):\n)", rf"\g<1>{endless}", text))
    (found,) = faults(file)
    assert found == "did not end within 1 seconds in its draw; look for an endless loop"
    (one,) = custom_exercises.load_exercises(file).values()
    assert re.fullmatch(r"mine\.yaml, line \d+", custom_exercises.locate(file, one.id, found))
    with pytest.raises(GradingError, match=f"{one.id} did not end within 1 seconds in its draw"):
        [one.variant(seed) for seed in range(100)]


def test_one_step_that_never_ends_ends_the_check(exercise_file, tmp_path):
    edit_exercise(exercise_file, "def draw(rng):\n", "def draw(rng):\n    9 ** 9 ** 9\n")
    checked = subprocess.run(
        [sys.executable, "-c", CHECK_IMPATIENTLY, "course", "own", "check", "mine.yaml"],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert checked.returncode
    assert "mine.py: mine.two_weeks was still in one step of Python after 2 s" in checked.stderr


CHECK_IMPATIENTLY = """
import sys
from recsys_metrics import cli
from recsys_metrics.workbook.grading import watchdog
watchdog._SECONDS = 2.0
cli.main(sys.argv[1:])
"""
