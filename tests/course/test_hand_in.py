"""Answers from the book's page and from JupyterLite: collected and graded like a notebook."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import zipfile
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from recsys_metrics.workbook import progress
from recsys_metrics.workbook.course import collect as collecting
from recsys_metrics.workbook.course import course_folder, provenance, release
from recsys_metrics.workbook.course.course_folder import Student
from recsys_metrics.workbook.course.deadlines import Deadline
from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.grading import signatures
from recsys_metrics.workbook.grading.limits import GradingError
from recsys_metrics.workbook.progress.hand_in import (
    Assigned,
    HandIn,
    format_file,
    hand_in,
    read_assigned,
    select_answers,
)
from tests.course.simulated_people import NAME, WORDY, Desk, save_answer

AP, ORDER, CHOICE = "ranking.e4", "bias.order_weight", "ranking.choose_cutoff"
CODE, WORDS = "ranking.write_precision", "ranking.explain_ideal"
STUDENTS = ["ann", "bob", "cleo"]
WHEN = "2026-03-02T12:00:00.000+01:00"


def pick(kind, *, varies):
    """Return the id of an exercise of a kind."""
    return next(
        one.id
        for one in REGISTRY.values()
        if type(one).__name__ == kind and one.points and one.varies_in_page is varies
    )


EXERCISES = [AP, pick("Order", varies=True), pick("Choice", varies=True), CODE, WORDS]


@pytest.fixture(scope="module")
def made(empty_course, tmp_path_factory):
    """A desk whose assignment may be answered in the page."""
    root = tmp_path_factory.mktemp("page") / "recsys"
    shutil.copytree(empty_course, root)
    course = course_folder.read(root)
    done = release.release(course, NAME, EXERCISES, [Student(one) for one in STUDENTS], page=True)
    return Desk(course, done.assignment)


@pytest.fixture
def at(made, tmp_path, monkeypatch):
    """The desk with downloads of its own, and nothing handed in."""
    for folder in ("submitted", "submitted_earlier", "to_decide"):
        shutil.rmtree(made.course.root / folder, ignore_errors=True)
    made.course.collected(NAME).unlink(missing_ok=True)
    monkeypatch.setattr(type(made), "downloads", tmp_path)
    return made


def saved(at, student, **changed):
    """Return the file that a student saves whose answers are right, as JSON holds it."""
    assigned = read_assigned(at.course.notebook("release", student, NAME))
    answers = [
        {"exercise": one.id, "variant": one.seed, "when": WHEN, "hints": 1, "solution": False,
         "answer": save_answer(one)}
        for one in assigned.exercises
    ]  # fmt: skip
    about = {"format": "recsys-workbook hand-in", "version": 1, "assignment": NAME}
    signed = {"student": student, "tag": assigned.tag, "saved": WHEN}
    return {**about, **signed, "answers": answers, **changed}


def test_a_file_of_the_page_has_the_points_of_a_notebook(at):
    at.put("ann.ipynb", at.answered("ann"))
    at.put("x/ps1.hand-in.json", saved(at, "bob"))
    done = at.collect()
    assert (sorted(done.new), done.problems) == (["ann", "bob"], [])
    graded = at.grade("ann", "bob", sandboxed=False)
    assert graded["ann"].problem == graded["bob"].problem == ""
    assert graded["ann"].points == graded["bob"].points > 0
    assert graded["ann"].waiting == graded["bob"].waiting == 1
    assert graded["bob"].hints == dict.fromkeys(EXERCISES, 1)
    assert graded["bob"].notes == ["it was answered in the page, which shows the solutions"]
    assert "bob" in at.export().read_text()


def test_a_function_of_another_name_brings_nothing_in_either_file(at):
    (name,) = {one.function for one in at.asked("ann").values() if one.function}
    code = "def mine(recommended, relevant, k):\n    return 0.5"
    at.put("ann.ipynb", at.answered("ann", {CODE: code}))
    file = saved(at, "bob")
    (answer,) = [one for one in file["answers"] if one["exercise"] == CODE]
    answer["answer"] = answer["answer"].replace(f"def {name}", "def mine")
    at.put("x/ps1.hand-in.json", file)
    at.collect()
    graded = at.grade("ann", "bob", sandboxed=False)
    for student in ("ann", "bob"):
        (judged,) = [one for one in graded[student].judged_answers if one.exercise == CODE]
        assert judged.points == 0
        says = f"No function is called <code>{name}</code>, and only a function of this name is"
        assert says in " ".join(at.page(student).split())


def test_a_wrong_answer_has_the_mistake_that_was_made(at):
    exercise = read_assigned(at.course.notebook("release", "bob", NAME)).exercises[0]
    mistake = exercise.own_mistakes[0]
    file = saved(at, "bob")
    wrong = {name: f"{value:.6f}" for name, value in exercise.wrong_answers(mistake).items()}
    file["answers"][0]["answer"] = wrong
    at.put("ps1.hand-in.json", file)
    at.collect()
    first, *_ = at.grade("bob", sandboxed=False)["bob"].judged_answers
    assert (first.mistake, first.points) == (mistake.id, 0)


def test_the_words_of_a_page_are_read_with_what_the_page_asked(at):
    from recsys_metrics.workbook.course import open_answer_marking

    at.put("ps1.hand-in.json", saved(at, "bob"))
    at.collect()
    done = open_answer_marking.write_pages(at.course, at.assignment, "first")
    page = (done.folder / f"{WORDS}.html").read_text()
    assert WORDY in page
    shutil.rmtree(done.folder)


@pytest.mark.parametrize("name", ["bob.ipynb", "bob.json", "bob.txt", "bob.hand-in.json.txt"])
def test_a_file_is_known_by_what_it_says_under_any_name(name, at):
    at.put(name, saved(at, "bob"))
    done = at.collect()
    assert (done.new, done.problems) == (["bob"], [])
    assert at.grade("bob", sandboxed=False)["bob"].points


def test_a_later_file_takes_the_place_of_an_earlier_one(at):
    first = saved(at, "bob")
    first["answers"] = first["answers"][:1]
    at.put("bob.hand-in.json", first)
    assert at.collect().new == ["bob"]
    at.put("bob.hand-in.json", saved(at, "bob"))
    assert at.collect().replaced == ["bob"]
    assert at.collect().unchanged == ["bob"]


def test_a_file_is_the_same_notebook_whatever_the_settings_say_later(at):
    at.put("bob.hand-in.json", saved(at, "bob"))
    assert at.collect().new == ["bob"]
    due = Deadline(datetime(2026, 11, 20, 12, tzinfo=UTC))
    later = replace(at.course, deadlines={NAME: due}, name="Renamed")
    again = replace(at, course=later).collect()
    assert (again.unchanged, again.replaced) == (["bob"], [])
    assert not later.earlier("bob", NAME).exists()


def test_an_instructor_takes_a_file_as_its_owners_alone(at):
    file = at.put("mail.hand-in.json", saved(at, "bob"))
    options = {"roster": (), "worksheet": None}
    done = collecting.collect(at.course, at.assignment, file, owner="bob", **options)
    assert done.new == ["bob"]
    with pytest.raises(GradingError, match="is the file of bob, not of ann"):
        collecting.collect(at.course, at.assignment, file, owner="ann", **options)
    at.put("ann/ps1.hand-in.json", saved(at, "bob"))
    done = at.collect()
    assert (
        "is the notebook of bob, handed in as ann's" in dict(done.problems)["ann/ps1.hand-in.json"]
    )


def test_what_is_no_number_is_told_and_earns_nothing(at):
    file = saved(at, "bob")
    name = next(iter(file["answers"][0]["answer"]))
    file["answers"][0]["answer"] = {name: "__import__('os').getcwd()"}
    at.put("ps1.hand-in.json", file)
    says = f"the answer to {AP} is no number and brings nothing: {name}"
    assert at.collect().problems == [("ps1.hand-in.json", says)]
    first, *_ = at.grade("bob", sandboxed=False)["bob"].judged_answers
    assert first.points == 0


def test_a_refused_file_names_nobody_on_its_student_s_page(sandbox, desk):
    """The reasons are in the words of the file's format, and one names who signed it."""
    at = desk(["ann", "bob", "cleo"], [AP], page=True)
    at.put("bob/ps1.hand-in.json", {**saved(at, "bob"), "student": "ann"})
    at.put("cleo/ps1.hand-in.json", {**saved(at, "cleo"), "outcome": "PASS"})
    done = at.collect()
    assert "its signature is not that of 'ann'" in done.refused["bob"]
    at.grade()
    for student in ("bob", "cleo"):
        page = at.page(student)
        said = "is not a file that the page saved for you; save the answers again"
        assert f"what was handed in, ps1.hand-in.json, {said}" in page
        assert not re.search(r"\bann\b|never saved|signature", page)


def change_answer(at, place, **changed):
    file = saved(at, "bob")
    file["answers"][place] |= changed
    return file


def without(file, name):
    return {key: value for key, value in file.items() if key != name}


def nested(depth):
    return b'{"format":' + b"[" * depth + b"]" * depth + b"}"


def other_variant(at):
    file = saved(at, "bob")
    seed = file["answers"][0]["variant"]
    file["answers"][0]["variant"] = next(one for one in "123" if one != seed)
    return file


FORGED = {
    "an outcome": (lambda at: change_answer(at, 0, outcome="PASS"), "'outcome', which is never"),
    "points": (lambda at: {**saved(at, "bob"), "points": 9}, "has 'points', which is never saved"),
    "another variant": (other_variant, "and bob was asked variant"),
    "no variant": (lambda at: change_answer(at, 0, variant=None), "the first numbers of ranking"),
    "the student's name": (lambda at: {**saved(at, "ann"), "student": "bob"}, "signature is not"),
    "a made-up student": (
        lambda at: {**saved(at, "bob"), "student": "../../etc"}, "signature is not that of"
    ),
    "another assignment": (
        lambda at: {**saved(at, "bob"), "assignment": "exam"}, "it is of 'exam', not of ps1"
    ),
    "one who has left": (
        lambda at: {
            **saved(at, "bob"), "student": "zoe",
            "tag": signatures.sign_notebook(at.course.key, NAME, "zoe"),
        },
        "belongs to zoe, who is not on the list",
    ),
    "an exercise twice": (
        lambda at: {**saved(at, "bob"), "answers": saved(at, "bob")["answers"][:1] * 2},
        "it answers ranking.e4 twice",
    ),
    "an exercise that was not asked": (
        lambda at: change_answer(at, 0, exercise="ranking.e5"), "'ranking.e5', which was not asked"
    ),
    "a path for an exercise": (
        lambda at: change_answer(at, 0, exercise="../ranking.e4"), "which was not asked"
    ),
    "a number of its own": (
        lambda at: change_answer(at, 0, answer={"grade": "1"}), "'grade', which was not asked"
    ),
    "a number that is none": (lambda at: change_answer(at, 0, answer={"ap": 1}), "nobody typed"),
    "a long number": (
        lambda at: change_answer(at, 0, answer={"ap": "9" * 30_000}), "that nobody typed"
    ),
    "a list for numbers": (lambda at: change_answer(at, 0, answer=["1"]), "no numbers by their"),
    "an option that is not there": (
        lambda at: change_answer(at, 2, answer=["all"]), "'all', which is not there to be picked"
    ),
    "a line twice": (lambda at: change_answer(at, 1, answer=["a", "a"]), "'a' twice"),
    "code for an order": (
        lambda at: change_answer(at, 1, answer=["a'; import os #"]), "not there to be picked"
    ),
    "a long function": (
        lambda at: change_answer(at, 3, answer="#" * 30_000), "has 30,000 characters"
    ),
    "a function that is a list": (lambda at: change_answer(at, 3, answer=[]), "is no text"),
    "words and marks": (
        lambda at: change_answer(at, 4, answer={"text": WORDY, "marks": "yes"}), "is no text"
    ),
    "no time": (lambda at: change_answer(at, 0, when="soon"), "given at 'soon', which is no time"),
    "hints below zero": (lambda at: change_answer(at, 0, hints=-1), "has -1 hints"),
    "true for a number": (
        lambda at: change_answer(at, 0, hints=True), "has true or false as 'hints'"
    ),
    "no tag": (lambda at: without(saved(at, "bob"), "tag"), "it has no 'tag'"),
    "a newer version": (lambda at: {**saved(at, "bob"), "version": 2}, "it is of version 2"),
    "another format": (lambda at: {**saved(at, "bob"), "format": "x"}, "it has the format 'x'"),
    "no answers": (lambda at: {**saved(at, "bob"), "answers": []}, "it has no answers"),
    "no object": (lambda at: b"[]", "is no file of answers, which begins with {"),
    "a text": (lambda at: b"{", "it is damaged or cut off"),
    "half of it": (
        lambda at: json.dumps(saved(at, "bob")).encode()[:-200], "it is damaged or cut off"
    ),
    "nothing": (lambda at: b"", "is no file of answers"),
    "a key twice": (
        lambda at: json.dumps(saved(at, "bob")).encode().replace(
            b'"student": "bob"', b'"student": "bob", "student": "ann"'
        ),
        "it has 'student' twice",
    ),
    "NaN": (
        lambda at: json.dumps(change_answer(at, 0, hints=float("nan"))).encode(), "contains NaN"
    ),
    "a huge integer": (
        lambda at: json.dumps(saved(at, "bob")).encode().replace(
            b'"hints": 1', b'"hints": ' + b"9" * 5_000, 1
        ),
        "it contains a number of 5,000 digits",
    ),
    "deep nesting": (lambda at: nested(200_000), "it is nested too deep"),
    "many values": (lambda at: b"{" + b"[]," * 600_000, "it contains more than 500,000 values"),
    "a large file": (
        lambda at: json.dumps(change_answer(at, 3, answer="#" * 3_000_000)).encode(),
        "it is larger than 2 MB",
    ),
    "UTF-16": (lambda at: json.dumps(saved(at, "bob")).encode("utf-16"), "it is not in UTF-8"),
    "compressed": (
        lambda at: gzip.compress(json.dumps(saved(at, "bob")).encode()),
        "is no file of answers, which begins with {",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_or_damaged_file_is_refused_with_a_sentence(name, at):
    make, says = FORGED[name]
    at.put("bob/ps1.hand-in.json", make(at))
    done = at.collect()
    assert done.new == []
    ((file, problem),) = done.problems
    assert file == "bob/ps1.hand-in.json"
    assert says in problem
    assert provenance.read(at.course, NAME)["bob"].problem
    assert at.grade("bob", sandboxed=False)["bob"].points is None


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("x.json", b"[1]", "is no file of answers, which begins with {"),
        ("x.json", b'{"answers": []}', "is no notebook; the student should hand in the .ipynb"),
        ("x.hand-in.json.gz", gzip.compress(b"{}" * 10**6), "is an archive that is not a zip"),
        ("x.hand-in.zip", b"PK", "is damaged or no zip archive"),
    ],
)
def test_a_file_of_nobody_is_named_too(name, content, says, at):
    at.put(name, content)
    ((file, problem),) = at.collect().problems
    assert file == name
    assert says in problem


def test_a_file_of_answers_may_lie_in_a_zip(at):
    file = at.course.root.with_name("bob.zip")
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("work/ps1.hand-in.json", json.dumps(saved(at, "bob")))
    at.put("bob/answers.zip", file.read_bytes())
    done = at.collect()
    assert (done.new, done.problems) == (["bob"], [])
    assert at.grade("bob", sandboxed=False)["bob"].points
    done = collecting.collect(at.course, at.assignment, file, owner="bob")
    assert done.unchanged == ["bob"]


def test_answers_of_the_page_have_the_values_of_the_page(at):
    at.put("ps1.hand-in.json", saved(at, "bob"))
    at.collect()
    graded = at.grade("bob", sandboxed=False)["bob"]
    assert not any("given values" in note for note in graded.notes)
    assert "given values" not in at.page("bob")


def test_a_preview_says_that_the_page_may_be_used(at):
    _, file, _ = release.preview(at.course, "ps2", EXERCISES, [Student("ann")], page=True)
    assert "on its page *Hand in*" in file.read_text()
    assert sorted(json.loads(file.read_text())["metadata"]["recsys_metrics"]["page"]) == sorted(
        EXERCISES
    )


def test_a_forged_file_does_not_replace_an_honest_one(at):
    at.put("bob/ps1.hand-in.json", saved(at, "bob"))
    at.collect()
    at.put("bob/ps1.hand-in.json", {**saved(at, "bob"), "points": 9})
    at.collect()
    graded = at.grade("bob", sandboxed=False)["bob"]
    assert graded.points
    assert any("what came after it was not taken" in note for note in graded.notes)


def test_a_notebook_that_claims_to_be_of_the_page_has_its_students_variants(at):
    book = at.answered("bob")
    book["metadata"]["recsys_metrics"]["answered_in"] = "page"
    at.put("bob.ipynb", book)
    at.collect()
    graded = at.grade("bob", sandboxed=False)["bob"]
    # The numbers of the notebook are others, and only what has none is right.
    assert graded.judged_answers[0].points == 0


def test_without_the_option_no_page_is_taken(desk):
    at = desk(["ann"], [AP])
    exercise = REGISTRY[AP]
    tag = signatures.sign_notebook(at.course.key, NAME, "ann")
    answers = [{"exercise": AP, "variant": None, "when": WHEN, "hints": 0, "solution": False,
                "answer": save_answer(exercise)}]  # fmt: skip
    about = {"format": "recsys-workbook hand-in", "version": 1, "assignment": NAME}
    at.put("x.hand-in.json", {**about, "student": "ann", "tag": tag, "saved": WHEN,
                              "answers": answers})  # fmt: skip
    ((_, problem),) = at.collect().problems
    assert "ps1 was released without --page; hand in the notebook" in problem
    with pytest.raises(ValueError, match="is to be answered in the notebook itself"):
        hand_in(at.course.notebook("release", "ann", NAME))
    with pytest.raises(GradingError, match="was released without --page"):
        release.release(at.course, NAME, [AP], [Student("bob")], page=True)
    book = at.answered("ann")
    book["metadata"]["recsys_metrics"]["answered_in"] = "page"
    at.put("ann.ipynb", book)
    at.collect()
    assert "released without --page" in at.grade("ann", sandboxed=False)["ann"].problem


@pytest.fixture
def no_room():
    """Let a disk take 1,000 bytes of a file and no more."""
    resource = pytest.importorskip("resource", reason="only Unix limits the size of a file")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))

    yield limit
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_save_that_is_interrupted_leaves_the_earlier_file(tmp_path, monkeypatch, no_room):
    monkeypatch.setenv(progress.VARIABLE, str(tmp_path / "progress.json"))
    folder = tmp_path / "work"
    folder.mkdir()
    mine = HandIn(Assigned(NAME, "ann", "tag", {AP: None, WORDS: None}), folder)
    REGISTRY[AP].check(0.5)
    before = mine.save().read_bytes()
    REGISTRY[WORDS].check(text="word " * 3_000)
    no_room()
    with pytest.raises(OSError, match="File too large"):
        mine.save()
    assert [one.read_bytes() for one in folder.iterdir()] == [before]


def test_students_who_join_later_may_use_the_page_too(at):
    release.release(at.course, NAME, EXERCISES, [Student("dora")])
    at.put("dora.hand-in.json", saved(at, "dora"))
    at.assignment = release.assignments.load(at.course, NAME)
    assert at.collect().new == ["dora"]


def test_a_notebook_saves_what_was_checked_in_it(at, tmp_path_factory, monkeypatch):
    place = tmp_path_factory.mktemp("work")
    monkeypatch.setenv(progress.VARIABLE, str(place / "progress.json"))
    file = shutil.copy(at.course.notebook("release", "cleo", NAME), place)
    mine = hand_in(file)
    with pytest.raises(ValueError, match="nothing was answered yet"):
        mine.save()
    numbers, *_, code, words = mine.assigned.exercises
    numbers.hint(2)
    numbers.check(**dict.fromkeys(numbers.asks, 0.123))
    numbers.check(**numbers.answer)
    code.check(precision_by_name)
    words.check(text=WORDY)
    assert mine.describe().startswith("3 of 5 questions of ps1 answered. Not answered: ")
    handed = json.loads(mine.save().read_text())
    assert [one["exercise"] for one in handed["answers"]] == [AP, CODE, WORDS]
    assert [one["hints"] for one in handed["answers"]] == [2, 0, 0]
    at.put("ps1.hand-in.json", handed)
    assert at.collect().problems == []
    graded = at.grade("cleo", sandboxed=False)["cleo"]
    assert [one.points for one in graded.judged_answers] == [
        numbers.points, 0, 0, code.points, None
    ]  # fmt: skip


def precision_by_name(recommended, relevant, k):
    """Return the precision, with a helper that is defined beside it."""
    return count_hits(recommended[:k], relevant) / k


def count_hits(recommended, relevant):
    return len(set(recommended) & set(relevant))


def test_an_answer_that_was_too_long_to_be_saved_is_named(at, tmp_path, monkeypatch):
    monkeypatch.setenv(progress.VARIABLE, str(tmp_path / "progress.json"))
    mine = hand_in(shutil.copy(at.course.notebook("release", "ann", NAME), tmp_path))
    words = mine.assigned.exercises[-1]
    *_, button, said = mine.widget().children
    words.check(text="word " * 5000)
    button.click()
    longer = "is longer than 20,000 characters"
    assert said.value == (
        f"Not saved: The answer to {words.title} {longer} and is not in the file."
    )
    words.check(text=WORDY)
    button.click()
    assert "longer" not in said.value
    words.check(text="word " * 5000)
    button.click()
    assert "Saved ps1.hand-in.json" in said.value
    assert f"The last answer to {words.title} that was checked {longer}: the one that" in said.value
    assert "1 of 5 questions of ps1 answered." in said.value


def test_a_hand_in_that_cannot_be_written_leaves_the_earlier_one(at, tmp_path, monkeypatch):
    monkeypatch.setenv(progress.VARIABLE, str(tmp_path / "progress.json"))
    mine = hand_in(shutil.copy(at.course.notebook("release", "ann", NAME), tmp_path))
    mine.assigned.exercises[-1].check(text=WORDY)
    before = mine.save().read_bytes()

    def fails(*_, **__):
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", fails)
    with pytest.raises(OSError, match="disk full"):
        mine.save()
    assert (tmp_path / "ps1.hand-in.json").read_bytes() == before


def test_the_last_answer_to_the_own_variant_counts(at):
    assigned = read_assigned(at.course.notebook("release", "ann", NAME))
    seed = assigned.page[AP]

    def event(number, **known):
        when = f"2026-03-02T12:00:{number:02d}+01:00"
        about = {"exercise": AP, "seed": seed, "outcome": "WRONG", **known}
        return progress.Event(id=f"{number}", when=when, **about)

    events = [
        event(1, answer={"ap": "0.1"}),
        event(2, answer={"ap": "0.2"}),
        event(3, what="solution", outcome=""),
        event(4, seed=None, answer={"ap": "0.3"}),
        event(5, exercise="ranking.e5", answer={"ap": "0.4"}),
    ]
    selections = select_answers(assigned, events)
    assert [name for name, one in selections.items() if one.handed] == [AP]
    assert json.loads(format_file(assigned, events, selections))["answers"] == [
        {"exercise": AP, "variant": seed, "when": "2026-03-02T12:00:02+01:00", "hints": 0,
         "solution": True, "answer": {"ap": "0.2"}}
    ]  # fmt: skip


@pytest.fixture
def desk_card(at, tmp_path, monkeypatch):
    """The cards of Ann's assignment in a notebook, its exercises, and what saves it."""
    monkeypatch.setenv(progress.VARIABLE, str(tmp_path / "progress.json"))
    mine = hand_in(shutil.copy(at.course.notebook("release", "ann", NAME), tmp_path))
    *cards, button, said = mine.widget().children
    cards = dict(zip([one.id for one in mine.assigned.exercises], cards, strict=True))

    def save():
        button.click()
        file = tmp_path / "ps1.hand-in.json"
        handed = json.loads(file.read_text()) if file.exists() else {"answers": []}
        return {one["exercise"]: one["answer"] for one in handed["answers"]}, said.value

    return cards, {one.id: one for one in mine.assigned.exercises}, save


def test_a_notebook_saves_what_stands_in_its_cards(desk_card):
    cards, exercises, save = desk_card
    order, choice = EXERCISES[1:3]
    key = next(iter(exercises[choice].option_list.keys))
    many = exercises[choice].chooses_all
    cards[AP].answer("check", answers={"ap": "0.1"})
    for typed in ("0.", "0.2"):
        cards[AP].answer("enter", answers={"ap": typed})
    cards[order].answer("enter", answers={"order": "b a"})
    cards[choice].answer("enter", answers={"choice": [key] if many else key})
    cards[WORDS].answer("enter", answers={"text": WORDY, "marks": [False]})
    handed, said = save()
    assert handed == {AP: {"ap": "0.2"}, order: ["b", "a"], choice: [key], WORDS: {"text": WORDY}}
    titles = ", ".join(exercises[name].title for name in handed)
    assert said == (
        "Saved ps1.hand-in.json beside this notebook. Hand it in. 4 of 5 questions of ps1 "
        f"answered. Handed in without a check: {titles}. Not answered: {exercises[CODE].title}."
    )


def test_a_notebook_names_a_card_whose_checked_answer_is_handed_in(desk_card):
    cards, exercises, save = desk_card
    cards[AP].answer("check", answers={"ap": "0.1"})
    title, (field,) = exercises[AP].title, exercises[AP].fields
    for typed, fault in (("", "is empty"), ("half", f"cannot be read (no number: {field.label})")):
        cards[AP].answer("enter", answers={"ap": typed})
        handed, said = save()
        assert handed == {AP: {"ap": "0.1"}}
        assert (
            f"The answer to {title} was changed after its last check and {fault}: the checked one "
            "is handed in."
        ) in said


def test_a_check_in_a_cell_is_later_than_what_was_entered_before_it(desk_card):
    cards, exercises, save = desk_card
    cards[AP].answer("enter", answers={"ap": "0.2"})
    exercises[AP].check(0.3)
    assert save()[0] == {AP: {"ap": "0.3"}}
    # A check that saves no answer leaves what stands in the card.
    cards[AP].answer("check", answers={"ap": "half"})
    handed, said = save()
    assert handed == {AP: {"ap": "0.3"}}
    (field,) = exercises[AP].fields
    assert f"cannot be read (no number: {field.label}): the checked one is handed in" in said
    cards[AP].answer("check", answers={"ap": "0.4"})
    handed, said = save()
    assert handed == {AP: {"ap": "0.4"}}
    assert "changed" not in said
    assert "without a check" not in said


def test_the_cards_of_an_assignment_ask_for_its_numbers_alone(desk_card):
    cards, exercises, _ = desk_card
    assert exercises[AP].has_variants
    assert not any(card.spec["hasVariants"] for card in cards.values())
