"""What a student is told: the page after grading, and the check before handing in."""

from __future__ import annotations

import json
import re

import pytest

from recsys_metrics.workbook import checking
from recsys_metrics.workbook.course import course_folder, open_answer_marking
from recsys_metrics.workbook.course.grade import Grading
from recsys_metrics.workbook.course.reasons import has_unit_range
from recsys_metrics.workbook.exercises import REGISTRY, answers
from recsys_metrics.workbook.exercises.answers import UnreadableError, read_number
from recsys_metrics.workbook.exercises.function import Function
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.open_answer import Text
from recsys_metrics.workbook.grading import submissions
from recsys_metrics.workbook.grading.limits import Refusal
from tests.course.simulated_people import NAME, add_code, cell_of, write_answer

NUMBERS, DCG, WRITTEN, TEXT = (
    "ranking.e4",
    "ranking.e5",
    "ranking.write_precision",
    "ranking.explain_ideal",
)


OTHER_TEXT = next(
    one for one, exercise in REGISTRY.items() if isinstance(exercise, Text) and one != TEXT
)


def sections(page):
    """Return what the page says of each question, as text, and what it says above them."""
    text = re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)
    head, *found = re.split(r"<h2>Question \d+\. ", text)
    return [" ".join(re.sub(r"<[^>]+>", " ", one).split()) for one in (head, *found)]


@pytest.fixture(scope="module")
def students(sandbox, desk):
    """Each of these hands in something else; the pages are read by the tests below."""
    names = ["right", "missing", "markdown", "changed", "crashed", "named", "comma", "range"]
    names += ["copied", "late"]
    at = desk(names, [NUMBERS, DCG, WRITTEN, TEXT])
    settings = at.course.root / course_folder.SETTINGS
    settings.write_text(
        settings.read_text() + f"\n[deadlines.{NAME}]\ndue = 2100-11-05T23:59:00+01:00\n"
        "late_percent = 10\n"
    )
    at.course = course_folder.read(at.course.root)

    def answered(student, **other):
        given = {one: at.right(student, one) for one in at.assignment.points}
        return at.answered(student, {**given, **other})

    book = answered("missing")
    book["cells"].remove(cell_of(book, "ranking-e4"))
    at.hand_in("missing", book)
    book = answered("changed", **{NUMBERS: "ap = 0.9"})
    for cell in book["cells"]:
        if cell["id"] == "ranking-e4-given":
            cell["source"] = "k = 3"
    at.hand_in("changed", book)
    at.hand_in("crashed", answered("crashed", **{NUMBERS: "ap = 1 / 0"}))
    at.hand_in(
        "named", answered("named", **{WRITTEN: "def precision_at_k(a, b, k):\n    return 1"})
    )
    at.hand_in("comma", answered("comma", **{NUMBERS: "ap = 0,5", DCG: "dcg = 0,05"}))
    at.hand_in("range", answered("range", **{DCG: "dcg, idcg, ndcg = 1.1, 1.2, 97.3"}))
    book = answered("markdown")
    (cell,) = (one for one in book["cells"] if one["id"] == "ranking-e4-answer")
    cell["cell_type"] = "markdown"
    at.hand_in("markdown", book)
    at.hand_in("copied", answered("right"))
    at.hand_in("right", answered("right"))
    at.grade()
    return at


def test_a_page_names_answers_that_stand_below_another_question(sandbox, desk):
    at = desk(["ann", "bob", "cleo"], [NUMBERS, DCG, WRITTEN])
    every = "\n".join(at.right("ann", one) for one in (NUMBERS, DCG, WRITTEN))
    book = at.opened("ann")
    for grade_id in ("ranking-e4", "ranking-e5"):
        book["cells"].remove(cell_of(book, grade_id))
    add_code(book, every, before="ranking-write_precision")
    at.hand_in("ann", book)
    # What is assigned below its own heading is judged, although its cell is gone.
    book = at.answered("bob")
    place = book["cells"].index(cell_of(book, "ranking-e4"))
    add_code(book, at.right("bob", NUMBERS), before="ranking-e4")
    del book["cells"][place + 1]
    at.hand_in("bob", book)
    book = at.answered("cleo")
    book["cells"].remove(cell_of(book, "ranking-e4"))
    at.hand_in("cleo", book)
    graded = at.grade()
    notes = "; ".join(graded["ann"].notes)
    assert "the cell of question 1 is missing (ap in a cell of another question)" in notes
    assert "question 2 is missing (dcg and idcg and ndcg in a cell of another" in notes
    said = sections(at.page("ann"))
    assert "ap is assigned in a cell of question 3, and is not judged: several questions" in said[1]
    assert "dcg and idcg and ndcg are assigned in a cell of question 3" in said[2]
    assert "Copy them into a cell there" in said[2]
    assert "2 of 2" in sections(at.page("bob"))[1].partition("Correct")[0]
    assert graded["bob"].notes == ["the cell of question 1 is missing"]
    assert "is assigned in" not in at.page("cleo")


SAID = "It ignores every item that was never recommended; she should use all relevant items."


def add_text(book, grade_id, source, *, is_code=False):
    """Put a new cell below the cell of an answer."""
    new = {"cell_type": "markdown", "id": "new", "metadata": {}, "source": source}
    if is_code:
        new |= {"cell_type": "code", "execution_count": None, "outputs": []}
    book["cells"].insert(book["cells"].index(cell_of(book, grade_id)) + 1, new)


def prompt_of(book, grade_id):
    return next(one for one in book["cells"] if one["id"] == f"{grade_id}-prompt")


@pytest.fixture(scope="module")
def stray(desk):
    """Each of these writes the answer in words to another place than its cell."""
    names = {
        "ann": "the cell that asks question 2",
        "bob": "a code cell of question 2",
        "cleo": "a text cell of question 1",
        "dan": "a file attached to a cell of question 2",
        "eve": "the cell that asks question 1",
        "fay": "a code cell of question 1",
        "gil": "a code cell of question 2",
        "hal": "a text cell above the first question",
        "ida": "a text cell of question 3",
        "jon": "the cell that asks question 2",
        "kay": "the first cell of the notebook",
        "lou": "the cell with the picture of question 1",
        "max": "a file attached to a cell above the first question",
        "ned": "the cell that asks question 1",
        "ola": "the first cell of the notebook",
    }
    skipped = ["nil", "own"]
    at = desk([*names, *skipped], [NUMBERS, TEXT, OTHER_TEXT])
    numbers, text, other = (one.replace(".", "-") for one in (NUMBERS, TEXT, OTHER_TEXT))
    books = {
        one: at.answered(one, {NUMBERS: at.right(one, NUMBERS), OTHER_TEXT: "Of the other."})
        for one in [*names, *skipped]
    }
    prompt_of(books["ann"], text)["source"] += f"\n\n{SAID}"
    add_text(books["bob"], text, f"# {SAID}", is_code=True)
    add_text(books["cleo"], numbers, f"Question 2: {SAID}")
    cell_of(books["dan"], text).update(source="", attachments={"page.png": {"image/png": ""}})
    prompt_of(books["eve"], numbers)["source"] += f"\n{SAID}"
    add_text(books["fay"], numbers, f'"""{SAID}"""', is_code=True)
    add_text(books["gil"], text, SAID, is_code=True)
    first = {"cell_type": "markdown", "id": "new", "metadata": {}, "source": SAID}
    books["hal"]["cells"].insert(0, first)
    add_text(books["ida"], other, SAID)
    # Neither ids nor metadata are left, and the cell of the answer is gone.
    prompt_of(books["jon"], text)["source"] += f"\n{SAID}"
    books["jon"]["cells"].remove(cell_of(books["jon"], text))
    for cell in books["jon"]["cells"]:
        cell["metadata"] = {}
        del cell["id"]
    books["kay"]["cells"][0]["source"] += f"\n{SAID}"
    drawn = next(one for one in books["lou"]["cells"] if one["id"].endswith("-picture"))
    drawn["source"] = f"{SAID}\n{drawn['source']}"
    books["max"]["cells"][0]["attachments"] = {"page.png": {"image/png": ""}}
    # Behind the last words of another question.
    prompt_of(books["ned"], numbers)["source"] += f" {SAID}"
    books["ola"]["cells"][0]["source"] = f"{SAID}\n\n{books['ola']['cells'][0]['source']}"
    # Notes in code are none, and words below an open question are its answer.
    add_text(books["nil"], numbers, "# the sum of it\nap + 0", is_code=True)
    cell_of(books["own"], other)["source"] = ""
    add_text(books["own"], other, SAID)
    for name, book in books.items():
        at.hand_in(name, book)
    return at, at.grade(sandboxed=False), names


def test_words_written_elsewhere_are_read_by_a_person(stray):
    at, graded, names = stray
    for name, where in names.items():
        answer = graded[name].judged_answers[1]
        assert answer.needs_marking, name
        (note,) = [one for one in graded[name].notes if one.startswith("the answer to question 2")]
        assert (
            note == f"the answer to question 2 is not in its cell; to be read is what is in {where}"
        )
        said = sections(at.page(name))[2]
        assert f"so your instructor reads what you wrote in {where}. Write an answer" in said
        assert graded[name].judged_answers[0].points


def test_no_answer_in_words_is_made_of_other_text(stray):
    at, graded, _ = stray
    for name in ("nil", "own"):
        assert graded[name].judged_answers[1].points == 0, name
        assert "instructor reads what you wrote" not in sections(at.page(name))[2]
    assert graded["nil"].notes == []
    assert graded["own"].judged_answers[2].needs_marking
    says = "the answer to question 3 is not in its cell; to be read is what is in a text cell of"
    assert graded["own"].notes == [f"{says} question 3"]


def test_all_that_may_be_an_answer_in_words_reaches_the_reader(desk):
    students = ["both", "moved", "kept", "noted", "old"]
    at = desk(students, [NUMBERS, TEXT, OTHER_TEXT])
    numbers, text, other = (one.replace(".", "-") for one in (NUMBERS, TEXT, OTHER_TEXT))
    of_other = "The two weeks differ in how often the list was shown, so neither rate decides."
    books = {one: at.answered(one, {OTHER_TEXT: of_other}) for one in students}
    for one in ("both", "noted"):
        prompt_of(books[one], text)["source"] += f"\n\n{SAID}"
    add_text(books["both"], text, "(answered above)")
    cell_of(books["noted"], text)["source"] = "see above"
    # The answer to question 2 lies below question 3, whose own is in the cell with the question.
    cell_of(books["moved"], other)["source"] = ""
    prompt_of(books["moved"], other)["source"] += f"\n\n{of_other}"
    add_text(books["moved"], other, SAID)
    # A note below a question with numbers is no part of an answer that is in its cell.
    cell_of(books["kept"], text)["source"] = SAID
    add_text(books["kept"], numbers, "My steps: two hits, divided by three.")
    add_text(books["old"], numbers, "# ap = 0.25", is_code=True)
    for name, book in books.items():
        at.hand_in(name, book)
    graded = at.grade(sandboxed=False)
    done = open_answer_marking.write_pages(at.course, at.assignment, "kim")
    page = (done.folder / f"{TEXT}.html").read_text()
    assert page.count("It ignores every item that was never recommended") == 4
    assert page.count("This is in the cell that asks question 2:") == 1
    assert page.count("This is also in the cell that asks question 2:") == 1
    assert "(answered above)" in page
    assert "see above" in page
    assert "My steps" not in page
    where = "the cell that asks question 2 and a text cell of question 2"
    assert f"instructor reads what you wrote in {where}." in sections(at.page("both"))[2]
    where = "the cell that asks question 2"
    assert f"Your instructor also reads what you wrote in {where}." in sections(at.page("noted"))[2]
    assert graded["noted"].notes == [
        f"the answer to question 2 is not all in its cell; to be read is also what is in {where}"
    ]
    found = ["the cell that asks question 3 and a text cell of question 3"] * 2
    assert [one.partition("what is in ")[2] for one in graded["moved"].notes] == found
    assert graded["kept"].notes == []
    # Code that was commented out is no answer in words.
    assert graded["old"].judged_answers[1].points == 0
    assert graded["old"].notes == []


def test_a_marker_gets_words_that_were_written_elsewhere(stray):
    at, _, names = stray
    done = open_answer_marking.write_pages(at.course, at.assignment, "kim")
    assert done.answers[TEXT] == len(names)
    page = (done.folder / f"{TEXT}.html").read_text()
    files = sum("a file attached" in where for where in names.values())
    assert page.count("It ignores every item that was never recommended") == len(names) - files
    assert page.count("page.png (it is in the notebook that was handed in)") == files
    for where in names.values():
        assert f"This is in {where}:" in page


def test_a_name_that_no_cell_defines_is_said_with_the_error(sandbox, desk):
    at = desk(["ann", "bob"], [WRITTEN])
    (function,) = {one.function for one in at.asked("ann").values()}
    head = f"def {function}(recommended, relevant, k):\n"
    at.hand_in("ann", at.answered("ann", {WRITTEN: f"{head}    return len(hist) / k"}))
    # Which case it was must not be told by the choice of a name that is raised.
    tells = f"{head}    raise NameError(f'name case{{k}} is not defined', name=f'case{{k}}')"
    names = "".join(f"case{number} = 0\n" for number in range(50))
    at.hand_in("bob", at.answered("bob", {WRITTEN: names + tells}))
    at.grade()
    said = sections(at.page("ann"))[1]
    assert "Raised: NameError" in said
    assert "No cell of the notebook defines hist ." in said
    said = sections(at.page("bob"))[1]
    assert "Raised: NameError" in said
    assert "case" not in said.replace("cases", "")


def test_undefined_names_are_those_of_functions_that_nothing_defines():
    def find(*sources):
        cells = [submissions.Cell(True, source, 0) for source in sources]
        return submissions.Submission(tuple(cells)).find_undefined(0)

    assert find("def f(a):\n    b = a\n    return b + c + len(a) + In[1]") == ["c"]
    assert find("import numpy as np\nx = 1", "def f(a):\n    return np.sum(a) + x + g(a)") == ["g"]
    assert find("def f(a):\n    def inner():\n        return a + y\n    return inner()") == ["y"]
    assert find("def f(a):\n    global z\n    z = 1\n    return z\n", "cut(") == []


def test_a_page_says_when_it_was_due_and_how_digits_count(students):
    head = sections(students.page("right"))[0]
    assert "Due Friday, 5 November 2100, 23:59 (UTC+01:00)." in head
    assert "Numbers count to three decimals" in head
    assert "7 of 9 points" in head


@pytest.mark.parametrize(
    ("student", "question", "says"),
    [
        ("markdown", 1, "The cell for this answer is a text now, so it was not run."),
        ("missing", 1, "The cell for this answer is missing from the notebook you handed in."),
        ("changed", 1, "The cell with the given values was changed or removed."),
        ("crashed", 1, "raised an error: ZeroDivisionError: division by zero"),
        ("named", 3, "No function is called my_precision"),
        ("named", 3, "The cell defines precision_at_k ."),
        ("comma", 1, "write a decimal point, as in 0.5 ."),
        ("comma", 2, "raised an error: SyntaxError: leading zeros"),
        ("comma", 2, "write a decimal point, as in 0.5 ."),
        ("range", 2, "ndcg is out of range: this value lies between 0 and 1."),
    ],
)
def test_the_reason_is_given_at_its_question(students, student, question, says):
    if student == "named":
        says = says.replace("my_precision", students.asked("named")[WRITTEN].function)
    told = sections(students.page(student))
    assert says in told[question]
    # And at no other.
    assert [number for number, text in enumerate(told) if says in text] in ([question], [1, 2])


def test_the_instructor_is_told_of_changed_values(students):
    (graded,) = Grading(students.course, students.assignment).run(["changed"])
    assert "the cell with the given values of question 1 was changed" in graded.notes
    (other,) = Grading(students.course, students.assignment).run(["right"])
    assert not any("given values" in note for note in other.notes)


def test_an_update_of_an_exercise_is_no_change_of_the_student(sandbox, desk):
    """The notebook holds the values of the version that released it; a person reads the answer."""
    at = desk(["ann"], [NUMBERS])
    book = at.answered("ann")
    for cell in book["cells"]:
        if cell["id"] == "ranking-e4-given":
            cell["source"] += "\nold = 1"
    file = at.course.manifest(NAME)
    kept = json.loads(file.read_text())
    kept["asked"]["ann"][NUMBERS] = "another version"
    file.write_text(json.dumps(kept))
    at.hand_in("ann", book)
    graded = at.grade()["ann"]
    assert any("changed since it was released" in note for note in graded.notes)
    assert not any("given values" in note for note in graded.notes)
    assert "given values" not in at.page("ann")


def test_an_answer_whose_cell_raised_an_error_was_attempted(students):
    (graded,) = Grading(students.course, students.assignment).run(["crashed"])
    assert (str(graded.judged_answers[0].outcome), graded.judged_answers[0].points) == ("ERROR", 0)
    assert {str(one.outcome) for one in graded.judged_answers[1:3]} == {"PASS"}
    assert "Not attempted" not in students.page("crashed")
    assert "Not attempted" in students.page("missing")


def test_an_answer_with_points_was_attempted(desk):
    at = desk(["ann"], [DCG])
    at.hand_in("ann", at.answered("ann", {DCG: f"{at.right('ann', DCG)}\ndel idcg"}))
    (judged,) = at.grade("ann", sandboxed=False)["ann"].judged_answers
    assert (str(judged.outcome), judged.points) == ("WRONG", 2)
    assert [str(part.outcome) for part in judged.parts] == ["PASS", "NOT ATTEMPTED", "PASS"]


def test_a_right_answer_needs_no_reason(students):
    page = students.page("right")
    for words in ("missing from", "was changed", "raised an error", "out of range", "is called"):
        assert words not in page


def test_an_error_of_another_question_stands_there_alone(students):
    head, first, *others = sections(students.page("crashed"))
    assert "ZeroDivisionError" in first
    assert not any("ZeroDivisionError" in one for one in (head, *others))


def test_an_error_above_the_questions_stands_in_the_head(students):
    book = students.answered("late")
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    book["cells"].insert(1, {**cell, "source": "import no_such_module"})
    students.hand_in("late", book)
    students.grade("late")
    head, *others = sections(students.page("late"))
    assert "code cell 1: ModuleNotFoundError" in head
    assert not any("ModuleNotFoundError" in one for one in others)


def test_a_page_names_no_other_student(students):
    page = students.page("copied")
    text = " ".join(sections(page))
    assert "a notebook that is not yours; hand in your own" in text
    assert "not graded" in text
    assert " of 0 points" not in text
    assert "<table>" not in page
    for other in set(students.assignment.students) - {"copied"}:
        assert not re.search(rf"\b{other}\b(?! graded)", text), other


def test_the_name_of_a_file_does_not_decide_what_a_page_says(desk):
    at = desk(["ann", "bob"], [NUMBERS])
    at.put("ann/is the notebook of.pdf", b"%PDF-1.7")
    at.put("bob/ps1.ipynb", at.answered("ann"))
    at.collect()
    at.grade(sandboxed=False)
    assert "what was handed in, is the notebook of.pdf, is no notebook" in at.page("ann")
    assert "a notebook that is not yours" in at.page("bob")
    # What counts is kept beside the words, and these may change.
    for file in (at.course.collected(NAME), at.course.report(NAME)):
        kept = json.loads(file.read_text())["students"]
        assert kept["ann"]["refusal"] == Refusal.OTHER
        assert kept["bob"]["refusal"] == Refusal.NOTEBOOK_OF_ANOTHER


def test_a_page_names_no_other_student_where_the_platform_named_the_folder(sandbox, desk):
    at = desk(["ann", "bob"], [NUMBERS])
    at.put("bob/ps1.ipynb", at.answered("ann"))
    at.collect()
    at.grade()
    page = at.page("bob")
    assert "not yours" in page
    assert not re.search(r"\bann\b", page)


def test_no_page_has_a_call_that_fails_in_the_released_notebook(sandbox, desk):
    """Every named mistake of each exercise, and no answer at all: `ex` is not in that notebook."""
    every = [one.id for one in REGISTRY.values() if one.points][::7]
    at = desk([f"s{number}" for number in range(4)], every)
    for number, student in enumerate(at.assignment.students):
        at.hand_in(student, at.answered(student, wrong_answers(at.asked(student), number)))
    at.grade()
    for student in at.assignment.students:
        page = at.page(student)
        assert not re.search(r"\bex\.\w+|\.hint\(|\.check\(|\.solution\(", page), student


def wrong_answers(asked, number):
    found = {}
    for name, question in asked.items():
        exercise = question.exercise
        if number and exercise.own_mistakes and isinstance(exercise, Numbers):
            mistake = exercise.own_mistakes[number % len(exercise.own_mistakes)]
            found[name] = write_answer(question, exercise.wrong_answers(mistake))
        elif number and isinstance(exercise, Function):
            names = ", ".join(exercise.cases[0].arguments)
            found[name] = f"def {exercise.function}({names}):\n    return {number}"
    return found


# A run that ends ------------------------------------------------------------------------------


def test_a_name_that_is_assigned_and_not_read_is_told(sandbox, desk, run_cli):
    at = desk(["ann", "bob", "cleo"], [NUMBERS, DCG])
    above = at.answered("ann", {DCG: at.right("ann", DCG)})
    add_code(above, at.right("ann", NUMBERS), before="ranking-e4")
    at.hand_in("ann", above)
    at.hand_in("bob", at.answered("bob", {NUMBERS: "AP = 0.5", DCG: at.right("bob", DCG)}))
    at.hand_in("cleo", at.answered("cleo", {DCG: at.right("cleo", DCG)}))
    at.grade()
    says = "A cell above assigns ap , but the cell for this answer runs after it and sets ap to ..."
    assert says in sections(at.page("ann"))[1]
    says = "The cell assigns AP , but the answer is read from ap : capital and small letters make"
    assert says in sections(at.page("bob"))[1]
    for student in ("ann", "bob"):
        assert "assigns" not in sections(at.page(student))[2]
    assert "assigns" not in at.page("cleo")
    said = {
        student: run_cli(
            *("check", str(at.course.notebook("submitted", student, NAME))), cwd=at.course.root
        ).stdout
        for student in ("ann", "bob")
    }
    assert "a cell above assigns ap, but the cell for the answer sets it again" in said["ann"]
    assert "a cell assigns AP, but the answer is read from ap" in said["bob"]


ANOTHER = "ranking.complete_recall"
EXIT = "import os\nos._exit(0)"
ENDED = "its process ended by itself"


def test_a_run_that_ends_says_so_at_each_question(sandbox, desk):
    """What stands above counts, functions included; what stands below was not run."""
    at = desk(["ann"], [WRITTEN, NUMBERS, DCG, ANOTHER, TEXT])
    answers_ = {one: at.right("ann", one) for one in (WRITTEN, DCG, TEXT)}
    at.hand_in("ann", at.answered("ann", {**answers_, NUMBERS: EXIT}))
    graded = at.grade()["ann"]
    outcomes = [str(one.outcome) for one in graded.judged_answers[:4]]
    assert outcomes == ["PASS", "ERROR", "ERROR", "NOT ATTEMPTED"]
    (note,) = graded.notes
    assert note.startswith(ENDED)
    assert note.endswith("in a cell of question 2")
    head, _, second, third, fourth, _ = sections(at.page("ann"))
    assert "The notebook was not run to its end" in head
    assert f"ended in a cell of this question: {ENDED}" in second
    assert f"was not run, because the notebook ended in a cell of question 2: {ENDED}" in third
    # Nothing was written there that could have been run.
    assert "Not attempted" in fourth
    assert "was not run" not in fourth


@pytest.mark.parametrize("ended", [0, 1], ids=["the first", "the last"])
def test_a_function_that_ends_the_run_costs_no_other(sandbox, desk, ended):
    at = desk(["ann"], [WRITTEN, NUMBERS, ANOTHER])
    functions = [WRITTEN, ANOTHER]
    name = at.asked("ann")[functions[ended]].function
    source = f"def {name}(recommended, relevant, k):\n    import os\n    os._exit(0)"
    right = {one: at.right("ann", one) for one in at.assignment.points}
    at.hand_in("ann", at.answered("ann", {**right, functions[ended]: source}))
    judged = {one.exercise: str(one.outcome) for one in at.grade()["ann"].judged_answers}
    assert judged == {**dict.fromkeys(at.assignment.points, "PASS"), functions[ended]: "ERROR"}
    told = sections(at.page("ann"))
    place = 1 + list(at.assignment.points).index(functions[ended])
    assert f"The run ended while this function was called: {ENDED}" in told[place]
    assert sum("The run ended" in text for text in told) == 1


def test_a_run_that_ends_above_the_questions_says_so(sandbox, desk):
    at = desk(["ann"], [NUMBERS])
    book = at.answered("ann")
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    book["cells"].insert(0, {**cell, "source": EXIT})
    at.hand_in("ann", book)
    at.grade()
    assert "because the notebook ended in a cell above the first question" in at.page("ann")


# What only an editor has ----------------------------------------------------------------------


ELSEWHERE = [
    *("!pip install seaborn", "%pip install seaborn", "%conda install seaborn", "there = !ls"),
    *("%matplotlib inline", "%matplotlib widget", "%pylab inline", "%gui qt", "%store"),
    *("get_ipython().system('ls')", "%ls", "import os; os.system('ls')"),
    "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()",
]


def test_what_only_an_editor_can_do_costs_no_answer(sandbox, desk):
    at = desk([f"s{number}" for number in range(len(ELSEWHERE))], [NUMBERS])
    for student, line in zip(at.assignment.students, ELSEWHERE, strict=True):
        source = f"{line}\n{at.right(student, NUMBERS)}"
        at.hand_in(student, at.answered(student, {NUMBERS: source}))
    done = at.grade()
    for student, line in zip(at.assignment.students, ELSEWHERE, strict=True):
        (judged,) = done[student].judged_answers
        assert str(judged.outcome) == "PASS", line
        assert "raised an error" not in at.page(student), line


def test_a_cell_for_another_program_costs_no_answer(sandbox, desk):
    at = desk(["ann", "bob"], [NUMBERS])
    for student, line in (("ann", "%%bash"), ("bob", "%%script perl")):
        book = at.answered(student)
        cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
        book["cells"].append({**cell, "source": f"{line}\nls"})
        at.hand_in(student, book)
    for graded in at.grade().values():
        assert str(graded.judged_answers[0].outcome) == "PASS"
        assert "raised an error" not in at.page(graded.student)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("ap = float(input())", "Write the value into the cell in place of input()"),
        ("import no_such_module", "is not installed where notebooks are graded"),
        ("open('table.csv')", "No other file is there when the notebook is graded."),
        ("import subprocess\nsubprocess.run(['ls'])", "No other program can be started"),
        ("import urllib.request as u\nu.urlopen('http://a.example')", "There is no network"),
        ("!pip install seaborn\nap = 0.123", "so !pip install seaborn did nothing"),
        ("ap = (1\nb = 2", "was never closed (line 1)"),
    ],
)
def test_an_error_is_explained_where_python_s_words_are_not_enough(sandbox, desk, source, says):
    at = desk(["ann"], [NUMBERS])
    at.hand_in("ann", at.answered("ann", {NUMBERS: source}))
    at.grade()
    told = " ".join(sections(at.page("ann"))[1].split())
    assert says in told
    assert "ipython-input" not in told


def test_a_cell_that_was_stopped_says_so(sandbox, desk):
    at = desk(["ann"], [NUMBERS], cell_seconds=1)
    at.hand_in("ann", at.answered("ann", {NUMBERS: "while True:\n    pass"}))
    at.grade()
    told = sections(at.page("ann"))[1]
    assert "A cell of this question took too long and was stopped." in told
    assert "OutOfTime" not in told


def test_a_function_of_another_name_was_attempted(students):
    (graded,) = Grading(students.course, students.assignment).run(["named"])
    assert str(graded.judged_answers[2].outcome) == "ERROR"
    assert "There is no function yet" not in students.page("named")


def test_a_percentage_is_said_to_be_out_of_range_once(sandbox, desk):
    at = desk(["ann"], ["ranking.e2"])
    names = at.asked("ann")["ranking.e2"].names
    lines = [f"{name} = {value}" for name, value in zip(names, (66.6, 43.3, 12.4), strict=True)]
    at.hand_in("ann", at.answered("ann", {"ranking.e2": "\n".join(lines)}))
    at.grade()
    told = " ".join(sections(at.page("ann"))[1].split())
    assert "precision , recall and f1 are out of range: these values lie between 0 and 1." in told
    assert told.count("out of range") == 1
    assert "Divide a percentage by 100" in told


# The ranges ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "exercise", [one for one in REGISTRY.values() if isinstance(one, Numbers)], ids=str
)
def test_a_value_that_is_said_to_be_a_share_is_one(exercise):
    for seed in ("a", "b", "c"):
        one = exercise if exercise.same_for_all else exercise.variant(seed)
        for asked in one.fields:
            if has_unit_range(asked.label):
                assert -1e-9 <= one.answer[asked.name] <= 1 + 1e-9, asked.label


def test_the_common_metrics_are_known_to_be_shares():
    labels = {
        asked.label
        for one in REGISTRY.values()
        if isinstance(one, Numbers)
        for asked in one.fields
        if has_unit_range(asked.label)
    }
    assert {"AP@5", "NDCG@5", "precision@5", "recall@5", "AUC", "ECE", "reciprocal rank"} <= labels


@pytest.mark.parametrize("given", [(0, 5), (1, 52)])
def test_a_decimal_comma_is_recognised(given):
    with pytest.raises(UnreadableError) as raised:
        read_number(given)
    assert answers.DECIMAL_POINT in raised.value.message


def test_changed_code_is_told_from_an_editor_s_blanks(desk):
    at = desk(["ann"], [NUMBERS, WRITTEN])
    questions = list(at.asked("ann").values())
    book = at.opened("ann")
    given = next(cell for cell in book["cells"] if cell["id"] == "ranking-e4-given")

    def changed():
        content = json.dumps(book).encode()
        return submissions.parse_notebook(content, questions).find_changed_setup(questions)

    assert changed() == []
    given["source"] = given["source"].replace("\n", "  \n\n") + "\n"
    assert changed() == []
    given["source"] += "\nk = 1"
    assert [question.id for question in changed()] == [NUMBERS]
    book["cells"].remove(given)
    assert [question.id for question in changed()] == [NUMBERS]
    # Without a sign which cell it was, nobody is said to have changed it.
    for cell in book["cells"]:
        cell["metadata"].pop("recsys_metrics", None)
        cell.pop("id", None)
    assert changed() == []


# Before handing in --------------------------------------------------------------------------------


@pytest.fixture
def before(desk, tmp_path, capsys):
    at = desk(["ann"], [NUMBERS, DCG, WRITTEN, TEXT])

    def check(book):
        file = tmp_path / "ps1.ipynb"
        file.write_text(json.dumps(book), encoding="utf-8")
        code = checking.check_notebook(file, seconds=60)
        return code, capsys.readouterr().out

    return at, check


def test_the_released_notebook_says_what_to_do(desk):
    at = desk(["ann"], [NUMBERS, WRITTEN])
    head = at.opened("ann")["cells"][0]["source"]
    assert "**2 questions, 4 points.** Numbers count to three decimals" in head
    assert "`recsys-workbook check ps1.ipynb`" in head
    assert "Due" not in head


def test_a_deadline_stands_in_the_released_notebook(empty_course, tmp_path):
    import shutil

    from recsys_metrics.workbook.course import release
    from recsys_metrics.workbook.course.course_folder import Student

    root = tmp_path / "recsys"
    shutil.copytree(empty_course, root)
    settings = root / course_folder.SETTINGS
    settings.write_text(
        settings.read_text() + "\n[deadlines.ps1]\ndue = 2026-11-20T23:59:00+01:00\n"
        "\n[deadlines.ps1.extensions]\nann = 2026-11-27T23:59:00+01:00\n"
    )
    course = course_folder.read(root)
    release.release(course, "ps1", [NUMBERS], [Student("ann"), Student("bob")])
    for student, day in (("ann", 27), ("bob", 20)):
        text = course.notebook("release", student, "ps1").read_text()
        assert f"Due Friday, {day} November 2026, 23:59 (UTC+01:00)." in text


def test_an_unanswered_notebook_has_no_answers(before):
    at, check = before
    code, told = check(at.opened("ann"))
    assert code == 1
    assert "0 of 4 answers found." in told
    assert "ap: not answered" in told


def test_words_in_another_cell_are_named_before(before):
    at, check = before
    book = at.answered("ann", {one: at.right("ann", one) for one in (NUMBERS, DCG, WRITTEN)})
    text = TEXT.replace(".", "-")
    prompt_of(book, text)["source"] += f"\n\n{SAID}"
    says = "there are words in the cell that asks question 4; an answer in words is written into"
    told = " ".join(check(book)[1].split())
    assert says in told
    assert "not answered" in told
    book["cells"].remove(cell_of(book, text))
    told = " ".join(check(book)[1].split())
    assert says in told
    assert "its cell is missing" in told


@pytest.mark.parametrize(
    ("place", "where"),
    [("head", "the first cell of the notebook"), ("picture", "the cell with the picture of")],
)
def test_words_in_a_cell_of_ours_are_named_before(before, place, where):
    at, check = before
    book = at.answered("ann", {one: at.right("ann", one) for one in (NUMBERS, DCG, WRITTEN)})
    cell = book["cells"][0]
    if place == "picture":
        cell = next(one for one in book["cells"] if one["id"].endswith("-picture"))
    cell["source"] += f"\n# {SAID}"
    assert f"there are words in {where}" in " ".join(check(book)[1].split())


def test_the_cell_of_an_answer_in_words_is_described_before(before):
    at, check = before

    def say(change):
        book = at.answered("ann")
        cell_of(book, TEXT.replace(".", "-")).update(change)
        return " ".join(check(book)[1].split())

    said = say({"source": "*Your answer.*"})
    assert "not answered: its cell still contains *Your answer.*" in said
    assert "not answered: its cell is empty" in say({"source": "  \n"})
    again = "select it and make it a text cell again (in Jupyter with Esc, then M)"
    assert f"5 words its cell is a raw cell now; {again}" in say(
        {"cell_type": "raw", "source": "It depends on the goal."}
    )
    code = {"cell_type": "code", "outputs": [], "source": "# It depends on the goal."}
    assert f"its cell is a code cell now; {again}" in say(code)


def test_an_answer_in_code_that_is_a_text_now_is_described_before(before):
    at, check = before
    book = at.answered("ann")
    cell_of(book, "ranking-e4")["cell_type"] = "markdown"
    says = "ap: not answered its cell is a text cell now, so it was not run; select it and make it"
    assert says not in " ".join(check(at.answered("ann"))[1].split())
    assert says in " ".join(check(book)[1].split())


@pytest.mark.parametrize(
    ("head", "body", "says"),
    [
        ("(recommended, relevant, k)", "return 0.5", "runs on an example"),
        (
            "(relevant, recommended, k)",
            "return 0.5",
            "runs on an example; its arguments are (relevant, recommended, k), and it is called "
            "with (recommended, relevant, k), in this order",
        ),
        (
            "(recommended, relevant, k)",
            "recommended.clear()\n    return 0.5",
            "runs on an example, and changes its argument recommended",
        ),
    ],
)
def test_the_arguments_of_a_function_are_described_before(before, head, body, says):
    at, check = before
    name = at.asked("ann")[WRITTEN].function
    answers_ = {one: at.right("ann", one) for one in at.assignment.points}
    code, told = check(at.answered("ann", {**answers_, WRITTEN: f"def {name}{head}:\n    {body}"}))
    assert re.search(rf"{name}: {re.escape(says)}\n", told)
    assert code == 0


def test_a_full_notebook_is_complete_whether_it_is_right_or_wrong(before):
    at, check = before
    right = check(at.answered("ann"))
    function = at.asked("ann")[WRITTEN].function
    wrong = {
        NUMBERS: "ap = 0.123",
        DCG: "dcg, idcg, ndcg = 1, 2, 0.5",
        WRITTEN: f"def {function}(recommended, relevant, k):\n    return 0.75",
        TEXT: "It depends on the goal, and here is why.",
    }
    other = check(at.answered("ann", wrong))
    assert right[0] == other[0] == 0
    assert "4 of 4 answers found. Nothing here says whether they are right." in right[1]
    assert f"{function}: runs on an example" in other[1]
    assert "9 words" in other[1]

    # What differs is what was written, and nothing else.
    def shape(text):
        return re.sub(r"\d+(\.\d+)?", "N", text)

    assert shape(right[1]) == shape(other[1])


@pytest.mark.parametrize(
    ("exercise", "source", "says"),
    [
        (NUMBERS, "ap = 0,5", "write a decimal point"),
        (NUMBERS, "ap = 1 / 0", "a cell raises ZeroDivisionError"),
        (NUMBERS, "average = 0.5", "ap: not answered"),
        (WRITTEN, "def other(a, b, k):\n    return 1", "there is no function of this name"),
        (WRITTEN, None, "raises ZeroDivisionError on an example"),
        (TEXT, "*Your answer.*", "not answered"),
    ],
)
def test_what_keeps_an_answer_from_counting_is_said_before(before, exercise, source, says):
    at, check = before
    if source is None:
        name = at.asked("ann")[WRITTEN].function
        source = f"def {name}(recommended, relevant, k):\n    return 1 / 0"
    answers_ = {one: at.right("ann", one) for one in at.assignment.points}
    code, told = check(at.answered("ann", {**answers_, exercise: source}))
    assert code == 1
    assert says in told
    assert "3 of 4 answers found" in told


def test_missing_and_changed_cells_are_said_before(before):
    at, check = before
    book = at.answered("ann")
    book["cells"].remove(cell_of(book, "ranking-e5"))
    for cell in book["cells"]:
        if cell["id"] == "ranking-e4-given":
            cell["source"] += "\nk = 1"
    code, told = check(book)
    assert code == 1
    assert "its cell is missing" in told
    assert "the cell with the given values was changed or removed" in told
    assert "2 of 4 answers found" in told


def test_a_damaged_released_notebook_is_refused(before, tmp_path, capsys):
    at, _ = before
    file = tmp_path / "cut.ipynb"
    file.write_text(json.dumps(at.opened("ann"))[:3_000])
    assert checking.check_notebook(file) == 2
    assert "damaged or cut off" in capsys.readouterr().err


def test_words_are_found_wherever_the_run_ended(before):
    at, check = before
    answers_ = {one: at.right("ann", one) for one in at.assignment.points}
    _, told = check(at.answered("ann", {**answers_, DCG: EXIT}))
    assert "2 of 4 answers found" in told
    assert told.count("was not run to its end: its process ended with status 0") == 2


def test_a_plot_is_no_error_before_either(before):
    at, check = before
    source = f"%matplotlib inline\n{at.right('ann', NUMBERS)}"
    answers_ = {one: at.right("ann", one) for one in at.assignment.points}
    assert check(at.answered("ann", {**answers_, NUMBERS: source}))[0] == 0


def test_the_grading_agrees_with_the_check_before(sandbox, before, desk):
    """An answer that was found is judged, and one that was not found brings nothing."""
    at, check = before
    book = at.answered("ann", {NUMBERS: "ap = 0.123", DCG: "dcg = 1.1"})
    _, told = check(book)
    at.hand_in("ann", book)
    (graded,) = Grading(at.course, at.assignment).run()
    outcomes = [str(one.outcome) for one in graded.judged_answers]
    assert outcomes == ["WRONG", "WRONG", "NOT ATTEMPTED", "NOT ATTEMPTED"]
    assert "ap: 0.123" in told
    assert "idcg: not answered" in told
    assert "1 of 4 answers found" in told
