"""One assignment, answered in a notebook, in the page and in JupyterLite; the page by itself."""

from __future__ import annotations

import csv
import json
import re
import shutil
import time
from pathlib import Path

import pytest

from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.progress.hand_in import read_assigned
from tests.book.conftest import View
from tests.book.test_every_page import broken_rules
from tests.book.test_jupyter_front_ends import fill
from tests.course.conftest import empty_course, sandbox
from tests.course.simulated_people import NAME, Desk
from tests.jupyterlab_page import idle, listen, recommended, run_all, state, wait_for_kernel
from tests.test_lite import ASK, NOTEBOOK, site
from tests.test_lite import page as lite_page
from tests.tiers import in_a_lab
from tests.workbook.test_handed_answers import CASES

__all__ = ["empty_course", "lite_page", "sandbox", "site"]

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

ROOT = Path(__file__).resolve().parents[2]
RUNTIME = ROOT / "build" / "wasm" / "runtime"

pytestmark = pytest.mark.browser

PAGE = "chapters/hand_in.html"
AP, CODE, WORDS = "ranking.e4", "ranking.write_precision", "ranking.explain_ideal"
CHOICE = next(
    one.id for one in REGISTRY.values() if type(one).__name__ == "Choice" and one.varies_in_page
)
EXERCISES = [AP, CHOICE, CODE, WORDS]
NUMBERS, MANY, LINES = FORMS = [
    "ranking.e5",
    "ranking.comparable",
    "ranking.order_average_precision",
]
SELECT = """async cases => {
    const found = []
    for (const { exercise, checks, entered } of cases) {
        const table = recsysBook.decode(await recsysBook.load("exercises", exercise))
        const events = checks.map((answer, at) =>
            answer === null ? { unsaved: true, when: `${at}` } : { answer, when: `${at}` })
        const { selectAnswer, explain } = recsysBook.handedAnswers
        const chosen = selectAnswer(table, events, entered ?? undefined)
        const { handed } = chosen
        found.push({
            handed: handed?.answer ?? null,
            checked: Boolean(handed?.when),
            complete: Boolean(handed && !handed.fault),
            says: explain("X", chosen),
        })
    }
    return found
}"""
STUDENTS = ["ann", "bob", "cleo"]
WORDY = "The ideal list has every relevant item first, so it is the most that can be reached."
PRECISION = """def my_precision(recommended, relevant, k):
    return len({*recommended[:k]} & {*relevant}) / k
"""
# Where its notebooks are, in JupyterLite's own files.
PUT = """async ([path, content]) => {
    await jupyterapp.serviceManager.contents.save(
        path, { type: "notebook", format: "json", content: JSON.parse(content) })
}"""
# As the lab downloads a file, however it holds it.
GET = """async path => {
    const address = await jupyterapp.serviceManager.contents.getDownloadUrl(path)
    return await (await fetch(address)).text()
}"""
ADD = f"""source => {{
    const notebook = {NOTEBOOK}
    notebook.model.sharedModel.insertCell(1, {{ cell_type: "code", source }})
    notebook.activeCellIndex = 1
    notebook.scrollToItem(1, "start")
    // By its command: a key that is pressed while the lab draws the cell anew is lost.
    jupyterapp.commands.execute("notebook:run-cell")
}}"""


@pytest.fixture(scope="module")
def desk(empty_course, tmp_path_factory):
    """An instructor whose assignment may be answered in the page."""
    from recsys_metrics.workbook.course import course_folder, release
    from recsys_metrics.workbook.course.course_folder import Student

    root = tmp_path_factory.mktemp("hand-in") / "recsys"
    shutil.copytree(empty_course, root)
    course = course_folder.read(root)
    done = release.release(course, NAME, EXERCISES, [Student(s) for s in STUDENTS], page=True)
    return Desk(course, done.assignment)


def typed(exercise):
    """Return the right answer to a card of numbers, by the labels of its fields."""
    labels = {field.name: field.label for field in exercise.fields}
    return {labels[name]: f"{value:.4f}" for name, value in exercise.answer.items()}


def open_assignment(view, file):
    """Open a student's notebook on the page, and wait for its cards."""
    page = view.page
    page.locator("[data-hand-in] input[type=file]").set_input_files(file)
    page.locator(f'[data-hand-in] [data-exercise="{WORDS}"]').wait_for()
    return {one: page.locator(f'[data-hand-in] [data-exercise="{one}"]') for one in EXERCISES}


def save(page, place):
    """Press the one button, and return the file that comes."""
    with page.expect_download() as coming:
        page.get_by_role("button", name="Save my answers").click()
    file = place / coming.value.suggested_filename
    coming.value.save_as(file)
    return file


def answer(cards, exercises, choose=None):
    """Answer the cards of an assignment rightly."""
    fill(cards[AP], typed(exercises[AP]))
    (first, *_) = exercises[CHOICE].accepted_answers
    picked = [*first] if exercises[CHOICE].chooses_all else [first]
    for key in choose or picked:
        cards[CHOICE].locator(f'input[value="{key}"]').check()
    cards[CHOICE].locator("button[type=submit]").click()
    cards[WORDS].locator("textarea").first.fill(WORDY)
    cards[WORDS].locator("button[type=submit]").click()
    field = cards[CODE].get_by_role("textbox", name="Your function")
    field.click()
    cards[CODE].page.wait_for_selector(".cm-editor.cm-focused")
    cards[CODE].page.keyboard.press("ControlOrMeta+a")
    cards[CODE].page.keyboard.insert_text(PRECISION)


def mine(desk, student):
    """Return the exercises as the page asks a student."""
    file = desk.course.notebook("release", student, NAME)
    return {one.id: one for one in read_assigned(file).exercises}


def test_the_page_saves_what_was_answered_and_remembers_it(sample_site, open_view, desk, tmp_path):
    view = open_view(sample_site, PAGE)
    page, file = view.page, desk.course.notebook("release", "bob", NAME)
    exercises = mine(desk, "bob")
    cards = open_assignment(view, file)
    status = page.locator("[data-hand-in] > [role=status]")
    page.get_by_role("button", name="Save my answers").click()
    titles = ", ".join(REGISTRY[name].title for name in EXERCISES)
    assert status.locator("p").inner_text() == "Nothing is saved: answer a question first."
    assert status.locator("li").all_inner_texts() == [f"Not answered: {titles}."]
    # A variant on the way to another page would be somebody else's.
    assert page.get_by_text("With other numbers").count() == 0
    fill(cards[AP], dict.fromkeys(typed(exercises[AP]), "0.1234"))
    cards[AP].locator(".feedback").first.wait_for()
    answer(cards, exercises)
    handed = json.loads(save(page, tmp_path).read_text("utf-8"))
    assert status.locator("p").inner_text() == saved_line(4, 4)
    title = REGISTRY[CODE].title
    assert status.locator("li").all_inner_texts() == [f"Handed in without a check: {title}."]
    given = {one["exercise"]: one for one in handed["answers"]}
    assert [*given] == EXERCISES
    assert given[AP]["answer"] == {
        name: f"{value:.4f}" for name, value in exercises[AP].answer.items()
    }
    assert {name: one["variant"] for name, one in given.items()} == {
        name: one.seed for name, one in exercises.items()
    }
    assert given[CODE]["answer"] == PRECISION
    assert given[WORDS]["answer"] == {"text": WORDY}
    assert "outcome" not in json.dumps(handed)
    assert broken_rules(page, page.locator("[data-hand-in]")) == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.reload()
    page.locator(f'[data-exercise="{WORDS}"]').wait_for()
    field = page.locator(f'[data-exercise="{AP}"] input').first
    assert field.input_value() == next(iter(given[AP]["answer"].values()))
    page.get_by_role("button", name="Close the assignment").click()
    page.reload()
    assert page.locator("[data-hand-in] [data-exercise]").count() == 0
    assert view.errors == view.outside == []


def test_the_page_names_what_is_too_long_to_hand_in(sample_site, open_view, desk, tmp_path):
    view = open_view(sample_site, PAGE)
    page = view.page
    cards = open_assignment(view, desk.course.notebook("release", "ann", NAME))
    status = page.locator("[data-hand-in] > [role=status]")
    words = cards[WORDS].locator("textarea").first
    words.fill(WORDY)
    cards[WORDS].locator("button[type=submit]").click()
    # What was written after the last check is handed in, as a function is.
    words.fill(f"{WORDY} And more.")
    (given,) = json.loads(save(page, tmp_path).read_text("utf-8"))["answers"]
    assert given["answer"] == {"text": f"{WORDY} And more."}
    words.fill("word " * 5000)
    cards[CODE].get_by_role("textbox", name="Your function").fill("#" * 20_001)
    (given,) = json.loads(save(page, tmp_path).read_text("utf-8"))["answers"]
    assert given["answer"] == {"text": WORDY}
    longer = "is longer than 20,000 characters"
    assert status.locator("p").inner_text() == saved_line(1, 4)
    assert status.locator("li").all_inner_texts()[:2] == [
        f"The answer to {REGISTRY[CODE].title} {longer} and is not in the file.",
        f"The answer to {REGISTRY[WORDS].title} was changed after its last check and {longer}: the "
        "checked one is handed in.",
    ]
    assert view.errors == []


def saved_line(done, asked):
    """Return what is said of a file that was saved, before what is said of single answers."""
    answered = f"{done} of {asked} questions of {NAME} answered."
    return f"Saved {NAME}.hand-in.json, the file to hand in. {answered}"


def test_the_page_chooses_what_is_handed_in_as_a_notebook_does(sample_site, open_view):
    view = open_view(sample_site, PAGE)
    for case, found in zip(CASES, view.page.evaluate(SELECT, CASES), strict=True):
        told = {key: case[key] for key in ("handed", "checked", "complete", "says")}
        assert found == told, case["why"]
    assert view.errors == []


@pytest.fixture(scope="module")
def forms(empty_course, tmp_path_factory):
    """An assignment with every kind of card but those of functions and texts."""
    from recsys_metrics.workbook.course import course_folder, release
    from recsys_metrics.workbook.course.course_folder import Student

    root = tmp_path_factory.mktemp("forms") / "recsys"
    shutil.copytree(empty_course, root)
    course = course_folder.read(root)
    release.release(course, NAME, FORMS, [Student(s) for s in STUDENTS], page=True)
    return course


@pytest.fixture
def open_forms(forms, sample_site, open_view, tmp_path):
    """Open the assignment, and return its page, its cards, and what saves and says."""

    def open_page(student="ann", view=None, **options):
        view = view or open_view(sample_site, PAGE, **options)
        page = view.page
        # The cards of an assignment that is open already go when the new ones come.
        page.evaluate(
            """() => document.querySelectorAll("[data-hand-in] [data-exercise]")
                .forEach(card => { card.dataset.before = "" })"""
        )
        page.locator("[data-hand-in] input[type=file]").set_input_files(
            forms.notebook("release", student, NAME)
        )
        page.wait_for_function("() => !document.querySelector('[data-before]')")
        return Forms(view, tmp_path)

    return open_page


class Forms:
    """The cards of the assignment in a page."""

    def __init__(self, view, place):
        self.view, self.page, self.place = view, view.page, place
        self.status = self.page.locator("[data-hand-in] > [role=status]")
        self.cards = {
            one: self.page.locator(f'[data-hand-in] [data-exercise="{one}"]') for one in FORMS
        }
        self.wait()

    def wait(self):
        self.page.locator("[data-hand-in] > form [type=submit]:enabled").wait_for()

    def reload(self):
        self.page.reload()
        self.wait()

    def type(self, *values):
        for field, value in zip(self.cards[NUMBERS].locator("input").all(), values, strict=True):
            field.fill(value)

    def pick(self, *keys):
        for box in self.cards[MANY].locator("input").all():
            box.set_checked(box.get_attribute("value") in keys)

    def put(self, letters):
        for letter in letters:
            self.cards[LINES].locator(f'ul [data-letter="{letter}"] > button').click()

    def check(self, name):
        self.cards[name].locator("button[type=submit]").click()

    @property
    def shown(self):
        """What stands in the cards."""
        letters = self.cards[LINES].locator("ol > li")
        return [
            [field.input_value() for field in self.cards[NUMBERS].locator("input").all()],
            [box.get_attribute("value") for box in self.cards[MANY].locator(":checked").all()],
            letters.evaluate_all("all => all.map(one => one.dataset.letter)"),
        ]

    def save(self):
        """Press the button, and return the answers, the sentence and the list that come."""
        handed = json.loads(save(self.page, self.place).read_text("utf-8"))
        answers = {one["exercise"]: one["answer"] for one in handed["answers"]}
        return answers, self.said, self.listed

    @property
    def said(self):
        return self.status.locator("p").inner_text()

    @property
    def listed(self):
        return self.status.locator("li").all_inner_texts()


def changed(name, fault):
    return (
        f"The answer to {REGISTRY[name].title} was changed after its last check and {fault}: the "
        "checked one is handed in."
    )


def unchecked(*names):
    return f"Handed in without a check: {', '.join(REGISTRY[name].title for name in names)}."


def test_what_stands_in_a_card_of_any_kind_is_handed_in_and_survives_a_reload(open_forms):
    at = open_forms()
    assert at.said == f"For ann: 0 of 3 questions of {NAME} answered."
    at.type("1.5", "2.5", "0.6")
    at.pick("gain", "users")
    at.put("db")
    entered = [["1.5", "2.5", "0.6"], ["gain", "users"], ["d", "b"]]
    assert at.said == f"3 of 3 questions of {NAME} answered."
    for _ in range(2):
        answers, said, listed = at.save()
        assert answers == {
            NUMBERS: {"dcg": "1.5", "idcg": "2.5", "ndcg": "0.6"},
            MANY: at.shown[1], LINES: ["d", "b"],
        }  # fmt: skip
        assert (said, listed) == (saved_line(3, 3), [unchecked(*FORMS)])
        assert [sorted(at.shown[1]), at.shown[0], at.shown[2]] == [
            sorted(entered[1]), entered[0], entered[2]
        ]  # fmt: skip
        at.reload()
    # What was checked is not a draft any more, and what is changed after it is one again.
    for name in FORMS:
        at.check(name)
    assert at.save()[2] == []
    at.type("1.5", "2.5", "0.7")
    at.cards[LINES].get_by_role("button", name="Move down d").click()
    at.pick("gain")
    assert at.said.endswith(" The file that you saved has other answers: save it again.")
    at.reload()
    assert at.shown == [["1.5", "2.5", "0.7"], ["gain"], ["b", "d"]]
    answers, _, listed = at.save()
    assert answers[NUMBERS]["ndcg"] == "0.7"
    assert (answers[MANY], answers[LINES]) == (["gain"], ["b", "d"])
    assert listed == [unchecked(*FORMS)]
    assert at.view.errors == []


def test_what_is_empty_or_unreadable_leaves_the_checked_answer_and_names_the_card(open_forms):
    at = open_forms()
    at.type("1.5", "2.5", "0.6")
    at.pick("gain")
    at.put("db")
    for name in FORMS:
        at.check(name)
    before = at.save()[0]
    labels = [field.label for field in mine_of(at, NUMBERS).fields]
    at.type("1.5", "", "0.6")
    at.pick()
    at.cards[LINES].get_by_role("button", name="Put back").first.click()
    at.cards[LINES].get_by_role("button", name="Put back").first.click()
    answers, said, listed = at.save()
    assert answers == before
    assert said == saved_line(3, 3)
    assert listed == [
        changed(NUMBERS, f"is not complete (empty: {labels[1]})"),
        changed(MANY, "is empty"),
        changed(LINES, "is empty"),
    ]
    at.type("1.5", "two", "0.6")
    assert at.save()[2][0] == changed(NUMBERS, f"cannot be read (no number: {labels[1]})")
    at.type("1.5", "2.5", "0.6")
    assert changed(NUMBERS, "") not in at.save()[2]
    # What is checked and cannot be read is no answer either.
    at.type("1.5", "two", "0.6")
    at.check(NUMBERS)
    answers, said, listed = at.save()
    assert answers == before
    title = REGISTRY[NUMBERS].title
    assert listed[0] == (
        f"The last answer to {title} that was checked cannot be read (no number: {labels[1]}): the "
        "one that was checked before is handed in."
    )
    # A card that was emptied shows what was checked when the page is opened anew.
    at.reload()
    assert at.shown[1:] == [["gain"], ["d", "b"]]
    assert at.save()[0] == before
    assert at.view.errors == []


def mine_of(at, name):
    """Return an exercise in the variant that a card shows."""
    label = at.cards[name].locator(".exercise-title").inner_text()
    return REGISTRY[name].variant(re.search(r"variant (\d)", label)[1])


def test_a_part_of_an_answer_is_handed_in_where_there_is_nothing_else_and_not_counted(open_forms):
    at = open_forms()
    labels = [field.label for field in mine_of(at, NUMBERS).fields]
    at.type("1.5", "", "")
    answers, said, listed = at.save()
    assert answers == {NUMBERS: {"dcg": "1.5"}}
    assert said == saved_line(0, 3)
    missing = ", ".join(REGISTRY[name].title for name in FORMS[1:])
    assert listed == [
        f"The answer to {REGISTRY[NUMBERS].title} is not complete (empty: {labels[1]}, "
        f"{labels[2]}) and is handed in as it is.",
        unchecked(NUMBERS),
        f"Not answered: {missing}.",
    ]
    assert at.view.errors == []


def test_an_order_that_was_asked_for_is_not_handed_in_for_the_students_own(open_forms):
    at = open_forms()
    at.put("ab")
    card = at.cards[LINES]
    at.check(LINES)
    card.locator(".feedback").wait_for()
    at.check(LINES)
    card.get_by_role("button", name="Show the answer").click()
    right = at.shown[2]
    assert right != ["a", "b"]
    answers, _, listed = at.save()
    assert answers == {LINES: ["a", "b"]}
    title = REGISTRY[LINES].title
    assert listed[0] == (
        f"The card of {title} shows another answer than the one that you entered, which is handed "
        "in."
    )
    card.get_by_role("button", name="Move down").first.click()
    assert at.save()[0][LINES] == [right[1], right[0], *right[2:]]
    assert at.view.errors == []


def test_two_tabs_show_and_hand_in_one_answer(open_forms, sample_site):
    first = open_forms()
    other = first.page.context.new_page()
    try:
        other.goto(f"{sample_site.address}/{PAGE}")
        second = Forms(View(other), first.place)
        first.page.locator("body").click(position={"x": 1, "y": 1})
        second.type("1.5", "2.5", "0.6")
        second.put("db")
        second.pick("gain")
        until(lambda: first.shown == [["1.5", "2.5", "0.6"], ["gain"], ["d", "b"]])
        second.check(NUMBERS)
        second.type("1.5", "2.5", "0.7")
        second.check(NUMBERS)
        until(lambda: first.shown[0] == ["1.5", "2.5", "0.7"])
        answers, said, listed = first.save()
        assert answers[NUMBERS]["ndcg"] == "0.7"
        assert (said, listed) == (saved_line(3, 3), [unchecked(MANY, LINES)])
        second.type("", "", "")
        until(lambda: "".join(first.shown[0]) == "1.52.50.7")
    finally:
        other.close()
    assert first.view.errors == []


def until(holds, seconds=5):
    """Wait for what another tab does."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.05)


def test_another_student_and_a_closed_assignment_keep_their_own_drafts(open_forms, forms):
    at = open_forms("ann")
    seeds = {}
    for student in STUDENTS:
        page = read_assigned(forms.notebook("release", student, NAME)).page
        seeds.setdefault(page[NUMBERS], student)
    assert len(seeds) > 1
    one, two, *_ = seeds.values()
    at = open_forms(one, at.view)
    at.type("1.5", "2.5", "0.6")
    at = open_forms(two, at.view)
    assert at.shown[0] == ["", "", ""]
    at.type("1.1", "", "")
    at.page.get_by_role("button", name="Close the assignment").click()
    at = open_forms(one, at.view)
    assert at.shown[0] == ["1.5", "2.5", "0.6"]
    assert at.save()[0][NUMBERS]["ndcg"] == "0.6"
    assert at.view.errors == []


@pytest.mark.parametrize("later", ["another notebook", "closed"])
def test_a_notebook_that_is_read_slowly_does_not_replace_what_is_done_later(
    forms, sample_site, open_view, tmp_path, later
):
    view = open_view(sample_site, PAGE)
    page = view.page
    choose = page.locator("[data-hand-in] input[type=file]")
    choose.set_input_files(forms.notebook("release", "bob", NAME))
    at = Forms(view, tmp_path)
    page.evaluate(
        """() => {
            const read = Blob.prototype.text;
            Blob.prototype.text = async function () {
                const text = await read.call(this);
                Blob.prototype.text = read;
                await new Promise((done) => (window.release = done));
                return text;
            };
        }"""
    )
    choose.set_input_files(forms.notebook("release", "ann", NAME))
    page.wait_for_function("Boolean(window.release)")
    if later == "closed":
        page.get_by_role("button", name="Close the assignment").click()
        expected = "Closed."
    else:
        choose.set_input_files(forms.notebook("release", "cleo", NAME))
        expected = "For cleo:"
    at.status.get_by_text(expected).wait_for()
    page.evaluate("release()")
    page.wait_for_timeout(300)
    assert at.status.inner_text().startswith(expected)
    assert view.errors == []


def test_a_card_that_does_not_load_is_named(forms, sample_site, open_view, tmp_path):
    view = open_view(sample_site, PAGE)
    pattern = f"**/reviews/{NUMBERS}.*"
    view.page.route(pattern, lambda route: route.abort())
    view.page.locator("[data-hand-in] input[type=file]").set_input_files(
        forms.notebook("release", "ann", NAME)
    )
    at = Forms(view, tmp_path)
    at.pick("gain")
    assert at.save()[2][0] == (
        f"The card of {NUMBERS} did not load: only what was checked in it is handed in."
    )
    view.page.unroute(pattern)  # the tab is used again


def test_the_page_is_used_with_keys_alone_on_a_narrow_screen(open_forms):
    at = open_forms(width=390)
    at.cards[NUMBERS].locator("input").first.focus()
    for value in ("1.5", "2.5", "0.6"):
        at.page.keyboard.type(value)
        at.page.keyboard.press("Tab")
    at.cards[MANY].locator("input").first.focus()
    at.page.keyboard.press("Space")
    at.cards[LINES].locator("ul button").first.focus()
    at.page.keyboard.press("Enter")
    at.page.get_by_role("button", name="Save my answers").focus()
    with at.page.expect_download() as coming:
        at.page.keyboard.press("Enter")
    handed = json.loads(Path(coming.value.path()).read_text("utf-8"))
    assert [one["exercise"] for one in handed["answers"]] == FORMS
    assert at.said == saved_line(3, 3)
    assert at.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert broken_rules(at.page, at.page.locator("[data-hand-in]")) == []
    assert at.view.errors == []


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "it is no notebook that a course released. Open the one that you got"),
        ('{"metadata": {}}', "it is no notebook that a course released"),
        ('{"metadata": {"recsys_metrics": {"assignment": "ps1", "student": "bob", "tag": "a"}}}',
         "ps1 is answered in the notebook itself. Hand in the notebook"),
        ('{"metadata": {"recsys_metrics": {"assignment": "ps1", "student": "bob", "tag": "a", '
         '"page": {"../x": "1"}}}}', "what it asks for is damaged"),
        ('{"metadata": {"recsys_metrics": {"assignment": "<b>", "student": "bob", "tag": "a", '
         '"page": {}}}}', "it is no notebook that a course released"),
    ],
)  # fmt: skip
def test_another_file_is_refused_in_a_sentence(content, says, sample_site, open_view, tmp_path):
    view = open_view(sample_site, PAGE)
    file = tmp_path / "mine.ipynb"
    file.write_text(content)
    view.page.locator("[data-hand-in] input[type=file]").set_input_files(file)
    said = view.page.locator("[data-hand-in] > [role=status]").get_by_text("was not opened")
    said.wait_for()
    assert f"mine.ipynb was not opened: {says}" in said.inner_text()
    assert view.errors == []


@in_a_lab
def test_a_notebook_hands_in_what_was_typed_while_a_cell_ran(forms, browser, tmp_path):
    shutil.copy(forms.notebook("release", "ann", NAME), tmp_path / "ps1.ipynb")
    cells = (
        "from recsys_metrics.workbook import hand_in\nhand_in('ps1.ipynb')",
        "import time\ntime.sleep(3)",
    )
    record = {"RECSYS_METRICS_PROGRESS": str(tmp_path / "progress.json")}
    with recommended(tmp_path, cells, **record) as address:
        page = browser.new_context().new_page()
        heard = listen(page)
        page.goto(address)
        page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=60_000)
        numbers = page.locator(f'.jp-OutputArea [data-exercise="{NUMBERS}"]')
        run_all(page, numbers, heard)
        idle(page).wait_for(state="attached", timeout=60_000)
        page.locator(".jp-CodeCell").filter(has_text="time.sleep(3)").click()
        page.keyboard.press("Control+Enter")
        page.locator('[data-status="busy"]').first.wait_for(state="attached", timeout=60_000)
        fields = numbers.locator("input")
        for field, value in zip(fields.all(), ("1.5", "2.5", "0.625"), strict=True):
            field.press_sequentially(value)
        page.locator(f'.jp-OutputArea [data-exercise="{MANY}"] input').first.check()
        assert not idle(page).count()
        page.get_by_role("button", name="Save my answers").click()
        page.get_by_text("2 of 3 questions of ps1 answered").wait_for(timeout=60_000)
        # What was entered is there again while the kernel lives.
        page.get_by_role("menuitem", name="File", exact=True).click()
        page.get_by_role("menuitem", name=re.compile(r"^Save Notebook(?! As)")).click()
        page.locator(".jp-mod-dirty").first.wait_for(state="detached", timeout=60_000)
        page.reload()
        fields.first.wait_for(timeout=60_000)
        playwright.expect(fields.last).to_have_value("0.625", timeout=60_000)
        page.context.close()
    handed = json.loads((tmp_path / f"{NAME}.hand-in.json").read_text("utf-8"))["answers"]
    assert [one["exercise"] for one in handed] == [NUMBERS, MANY]
    assert handed[0]["answer"] == {"dcg": "1.5", "idcg": "2.5", "ndcg": "0.625"}


@in_a_lab
@pytest.mark.skipif(
    not (RUNTIME / "pyodide-lock.json").exists(),
    reason="no Python for notebooks in build/wasm/runtime: make pyodide",
)
def test_a_notebook_a_page_and_jupyterlite_are_graded_in_one_run(
    sandbox, desk, sample_site, open_view, lite_page, tmp_path, record_property
):
    begun = time.monotonic()
    desk.put("ann.ipynb", desk.answered("ann"))

    view = open_view(sample_site, PAGE)
    cards = open_assignment(view, desk.course.notebook("release", "bob", NAME))
    answer(cards, mine(desk, "bob"))
    file = save(view.page, tmp_path)
    desk.put("bob/ps1.hand-in.json", file.read_bytes())

    exercises = mine(desk, "cleo")
    lite_page.goto("/lab/index.html?path=chapters/02_ranking_gains.ipynb")
    wait_for_kernel(lite_page)
    released = desk.course.notebook("release", "cleo", NAME).read_text("utf-8")
    lite_page.evaluate(PUT, ["chapters/ps1.ipynb", released])
    installs = lite_page.evaluate(f"{NOTEBOOK}.model.cells.get(0).sharedModel.source")
    assert lite_page.evaluate(ASK, installs).strip() == ""
    lite_page.evaluate(ADD, "from recsys_metrics.workbook import hand_in\nhand_in('ps1.ipynb')")
    shown = lite_page.locator(".jp-OutputArea .exercise")
    try:
        shown.nth(len(EXERCISES) - 1).wait_for(timeout=400_000)
    except playwright.TimeoutError:
        raise AssertionError(f"hand_in was run, and shows no cards.\n{state(lite_page)}") from None
    of = dict(zip(EXERCISES, [shown.nth(n) for n in range(len(EXERCISES))], strict=True))
    fill(of[AP], typed(exercises[AP]))
    of[AP].get_by_text("✓ Correct").wait_for(timeout=200_000)
    (first, *_) = exercises[CHOICE].accepted_answers
    picked = [*first] if exercises[CHOICE].chooses_all else [first]
    for key in picked:
        of[CHOICE].locator(f'input[value="{key}"]').check()
    of[CHOICE].locator("button[type=submit]").click()
    of[CHOICE].get_by_text("✓ Correct").wait_for(timeout=200_000)
    of[WORDS].locator("textarea").first.fill(WORDY)
    of[WORDS].locator("button[type=submit]").click()
    of[WORDS].get_by_text("Saved").wait_for(timeout=200_000)
    check = "from recsys_metrics.workbook.exercises import ranking as ex"
    lite_page.evaluate(ASK, f"{PRECISION}\n{check}\nex.write_precision.check(my_precision)")
    lite_page.get_by_role("button", name="Save my answers").click()
    lite_page.get_by_text("Saved ps1.hand-in.json beside this notebook").wait_for(timeout=200_000)
    saved = lite_page.evaluate(GET, "chapters/ps1.hand-in.json")
    desk.put("cleo/ps1.hand-in.json", saved.encode())

    done = desk.collect()
    assert (sorted(done.new), done.problems) == (STUDENTS, [])
    graded = desk.grade()
    assert {name: one.problem for name, one in graded.items()} == dict.fromkeys(STUDENTS, "")
    points = {name: [each.points for each in one.judged_answers] for name, one in graded.items()}
    full = [REGISTRY[name].points for name in EXERCISES[:-1]]
    assert points == {name: [*full, None] for name in STUDENTS}
    rows = list(csv.DictReader(desk.export().open(encoding="utf-8")))
    assert {row["id"] for row in rows} == set(STUDENTS)
    record_property("table", f"hand-in from three places: {time.monotonic() - begun:.0f} s")
