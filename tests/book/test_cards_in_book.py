"""Exercise cards answered in the page: right, wrong with each mistake, empty."""

from __future__ import annotations

import base64
import html
import itertools
import json
import re
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from recsys_metrics.workbook.exercises import REGISTRY, Exercise, answers
from recsys_metrics.workbook.exercises.card import QUIET_CLASS, describe_result, quieten
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.open_answer import TOO_SHORT, Text
from recsys_metrics.workbook.exercises.order import Order
from recsys_metrics.workbook.exercises.prediction import Predict
from recsys_metrics.workbook.exercises.result import CheckResult, Line
from tests.book.conftest import View, press_progress
from tests.exercises.natural_answers import first_check


def find_all(kind: type[Exercise]) -> dict[str, Any]:
    return {name: exercise for name, exercise in REGISTRY.items() if isinstance(exercise, kind)}


FIRST = [next(iter(find_all(kind))) for kind in (Numbers, Choice, Predict, Order, Text)]
# The rules of every exercise are checked in Python in every run; what is sampled is whether the
# page says the same. `first_of_its_kind` is pressed for real, so it is always in the sample.
some_cards = pytest.mark.sweep("name", keep=14, always=FIRST)

PAGE = "chapters/exercises_ranking.html"
SEEDS = ("1", "2", "3")


def visible_text(text: str) -> str:
    """Return HTML or a page's text without marks and without what differs in a notebook."""
    text = html.unescape(re.sub(r"<[^>]+>", "", text))
    text = re.sub(r"A hint: [\w.]+\.hint\(\)\.", "The hints may help.", text)
    return re.sub(r"\s+", " ", text.replace('"', "")).strip()


def read_feedback(lines: tuple[Line, ...]) -> list[str]:
    """Return what a feedback says, without what the reader still sees in the field."""
    return [
        visible_text(line.as_html())
        for line in lines
        if line.label not in {"You gave", "You chose", "Your guess", "In order"}
    ]


# The table ------------------------------------------------------------------------------------


def read_card(folder, name: str, kind: str = "exercises") -> dict[str, Any]:
    text = (folder / kind / f"{name}.js").read_text(encoding="ascii")
    told = {"alone": "opened", "exercises": "asked", "reviews": "opened"}[kind]
    coded = re.fullmatch(rf'recsysBook\.{told}\("[\w./]+","([\w+/=]+)"\);\n', text)
    assert coded
    return json.loads(base64.b64decode(coded[1]))


def test_every_exercise_has_a_data_file(precomputed_folder):
    assert {path.stem for path in (precomputed_folder / "exercises").iterdir()} == set(REGISTRY)
    assert not any("variant" in name for name in REGISTRY)


def test_dependencies_between_answers_are_exported(precomputed_folder):
    for name, exercise in find_all(Numbers).items():
        assert set(read_card(precomputed_folder, name)["follows"]) == set(exercise.follows), name


def test_every_review_has_variants_with_different_answers(precomputed_folder):
    reviewed = [exercise for exercise in REGISTRY.values() if exercise.has_variants]
    files = {f"{one.id}.{seed}" for one in reviewed for seed in SEEDS}
    assert {path.stem for path in (precomputed_folder / "reviews").iterdir()} == files
    for exercise in reviewed:
        asked = [read_card(precomputed_folder, exercise.id)]
        for seed in SEEDS:
            table = read_card(precomputed_folder, f"{exercise.id}.{seed}", "reviews")
            variant = exercise.variant(seed)
            assert visible_text(variant.title) in visible_text(table["card"])
            assert table["kind"] == asked[0]["kind"]
            if isinstance(variant, Numbers):
                assert table["right"] == pytest.approx(variant.answer, rel=1e-12)
            asked.append(table)
        for one, other in itertools.pairwise(asked):
            assert {**one, "card": ""} != {**other, "card": ""}, exercise.id


def test_every_graded_exercise_has_a_card_for_the_page_hand_in(precomputed_folder):
    alone = {one.id for one in REGISTRY.values() if one.points and not one.varies_in_page}
    assert {path.stem for path in (precomputed_folder / "alone").iterdir()} == alone
    for name in alone:
        table = read_card(precomputed_folder, name, "alone")
        assert visible_text(REGISTRY[name].title) in visible_text(table["card"])
        assert table["kind"] == read_card(precomputed_folder, name)["kind"]


def test_answers_are_not_readable_in_the_page_source(precomputed_folder, sample_site):
    for name, exercise in find_all(Numbers).items():
        source = (precomputed_folder / "exercises" / f"{name}.js").read_text(encoding="ascii")
        for value in exercise.answer.values():
            if len(said := answers.format_value(value)) > 3:
                assert said not in source


# Numbers: the script against Python, without the page's fields --------------------------------

FORMS = (
    "",
    "...",
    "?",
    "abc",
    "nan",
    "-inf",
    "1e200",
    "1/0",
    "0,5",
    "12 %",
    "1e-3",
    " .5 ",
    "−0.25",
    "1/3",
    "0.50000",
    "x" * 70,
)


def numbers_to_try(exercise: Numbers) -> list[dict[str, str]]:
    """Return answers as they are typed: right, each mistake, nearly right, and no numbers."""
    right, tries = exercise.answer, []
    ways = [right, *(exercise.wrong_answers(m) for m in exercise.mistakes)]
    for values in ways:
        tries.append({name: answers.format_value(value) for name, value in values.items()})
        tries.append({name: repr(float(value)) for name, value in values.items()})
        tries.append({name: f"{value:.2f}" for name, value in values.items()})
        tries.append({name: f"{100 * value:.1f}" for name, value in values.items()})
        tries.append({name: f"{100 * value:.1f} %" for name, value in values.items()})
        tries.append({name: f"{int(value * 10**5) / 10**5}" for name, value in values.items()})
        tries.append({name: f"{value + 0.0004:.6f}" for name, value in values.items()})
    tries += [
        {key: answers.format_value((one if key == name else other)[key]) for key in right}
        for one, other in itertools.combinations(ways, 2)
        for name in right
    ]
    tries += [dict.fromkeys(right, form) for form in FORMS]
    first = next(iter(right))
    tries += [
        {key: answers.format_value(right[key] * (times if key == first else 1)) for key in right}
        for times in (0.3, 1.25)
    ]
    tries.append({first: answers.format_value(right[first])})
    for name, follows in exercise.follows.items():
        own = {key: round(value * 1.137, 4) for key, value in right.items()}
        given = {key: value for key, value in exercise.inputs.items() if key not in right}
        own[name] = follows({**given, **own})
        tries.append({key: repr(float(value)) for key, value in own.items()})
    return tries


def by_python(exercise: Numbers, given: dict[str, str]) -> dict[str, Any]:
    """Return the feedback, part by part, and of each line whether it is quiet."""
    result = first_check(exercise.id, **given)
    shown = describe_result(result)["parts"]
    return {
        part.name: [
            part.outcome.name,
            part.pitfall,
            [*map(read_line, shown[part.name]["lines"])],
            [*part.expected],
        ]
        for part in result.parts
    }


def read_line(line: str) -> tuple[str, bool]:
    """Return what a line of a card says and whether it is quiet."""
    return visible_text(line), QUIET_CLASS in line


@pytest.mark.browser
@some_cards
@pytest.mark.parametrize("name", find_all(Numbers))
def test_numbers_get_the_same_outcome_as_in_python(view, name):
    exercise = REGISTRY[name]
    tries = numbers_to_try(exercise)
    found = view.page.evaluate(
        """async ([id, tries]) => {
            const table = recsysBook.decode(await recsysBook.load("exercises", id));
            return tries.map(given => recsysBook.checkNumbers(table, given));
        }""",
        [name, tries],
    )
    for given, parts in zip(tries, found, strict=True):
        said = {
            key: [
                part["outcome"],
                visible_text(part.get("pitfall", "")),
                [*map(read_line, part["lines"])],
                part.get("expected", []),
            ]
            for key, part in parts.items()
        }
        assert said == by_python(exercise, given), given


# Cards in the page ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pages(sample_site, open_shared_view):
    """Opens the page of a subject, once."""

    @cache
    def opened(subject: str) -> View:
        view = open_shared_view(sample_site, f"chapters/exercises_{subject}.html")
        view.wake()
        views.append(view)
        return view

    views: list[View] = []
    yield opened
    assert [view.errors + view.outside for view in views if view.errors + view.outside] == []


@pytest.fixture
def view(pages, name):
    return pages(name.partition(".")[0])


SHOWN = """card => ({
    heads: [...card.querySelectorAll('.feedback > p:first-child')].map(e => e.textContent.trim()),
    lines: [...card.querySelectorAll('.feedback')].map(e => [...e.querySelectorAll(
        ':scope > :not(.feedback-head, .feedback-more, button), .feedback-more > :not(summary)'
    )].map(line => line.textContent)),
    quiet: [...card.querySelectorAll('.exercise-quiet')].map(e => e.textContent),
    solution: [...card.querySelectorAll('.card-items button')].some(
        e => !e.disabled && e.textContent === 'Worked solution'),
})"""
QUIET = {
    Numbers: "Type an answer first.",
    Choice: "Choose an answer first.",
    Predict: "Choose an answer first.",
    Order: "Put at least one line in order first.",
    Text: "Write an answer first.",
}


def fresh_card(view, name: str) -> Any:
    """Return a card that nothing was tried on: on the page's first visit, or after a reload."""
    return view.page.locator(f'[data-exercise="{name}"]')


# As a reader's pointer and keys leave the fields, without the way there: the first card of each
# kind is pressed for real. One try after another, and the page is laid out after the last.
FILL_AND_PRESS = f"""(card, tries) => tries.map(([values, picked]) => {{
    const shown = {SHOWN};
    const inputs = [...card.querySelectorAll('.exercise-field input')];
    inputs.slice(0, values.length).forEach((input, i) => {{
        input.value = values[i];
        input.dispatchEvent(new Event('input', {{bubbles: true}}));
    }});
    if (picked) for (const box of card.querySelectorAll('fieldset input')) {{
        if (box.checked !== picked.includes(box.value) && (box.type === 'checkbox' || !box.checked))
            box.click();
    }}
    card.querySelector('button[type=submit]').click();
    return shown(card);
}})"""
NOTHING = [[], None]


def press(card: Any) -> dict[str, Any]:
    card.locator("button[type=submit]").click()
    return card.evaluate(SHOWN)


def first_of_its_kind(name: str) -> bool:
    return name in FIRST


def head(result: CheckResult) -> str:
    pitfalls = [part.pitfall for part in result.parts if part.pitfall]
    name = f": {pitfalls[0]}" if pitfalls else ""
    return f"{result.outcome.symbol} {result.outcome.label}{name}"


def heads_of_numbers(exercise: Numbers, result: CheckResult) -> list[str]:
    """Return what is over the feedback on numbers: parts that are told the same stand together."""
    if result.passed:
        return ["✓ Correct"]
    labels = {field.name: field.label for field in exercise.fields}
    together: dict[str, list[Any]] = {}
    for part in result.parts:
        if part.outcome.name != "NOT_ATTEMPTED" and (part.lines or part.outcome.name != "PASS"):
            same = part.pitfall or str((part.outcome, part.lines))
            together.setdefault(same, []).append(part)
    found = []
    for first, *more in together.values():
        names = ", ".join(labels[part.name] for part in (first, *more))
        pitfall = f": {first.pitfall}" if first.pitfall else ""
        about = f"{names}: " if len(labels) > 1 else ""
        found.append(f"{about}{first.outcome.symbol} {first.outcome.label}{pitfall}")
    return found


@pytest.mark.browser
@some_cards
@pytest.mark.parametrize("name", find_all(Numbers))
def test_number_cards_handle_empty_wrong_and_correct_answers(view, name):
    exercise, form = REGISTRY[name], fresh_card(view, name)
    fields = dict(zip(exercise.asks, form.locator(".exercise-field input").all(), strict=True))

    def fill_and_press(values: dict[str, float]) -> dict[str, Any]:
        for key, field in fields.items():
            field.fill(answers.format_value(values[key]))
        return press(form)

    wrong = [exercise.wrong_answers(mistake) for mistake in exercise.own_mistakes]
    ways = [*wrong, exercise.answer]
    tries = [[[answers.format_value(values[key]) for key in fields], None] for values in ways]
    if first_of_its_kind(name):
        (nothing,) = form.evaluate(FILL_AND_PRESS, [NOTHING])
        seen = [fill_and_press(values) for values in ways]
    else:
        nothing, *seen = form.evaluate(FILL_AND_PRESS, [NOTHING, *tries])
    assert nothing["heads"] == []
    assert nothing["quiet"] == [QUIET[Numbers]]
    assert not nothing["solution"]
    for values, shown in zip(wrong, seen[:-1], strict=True):
        typed = {key: answers.format_value(value) for key, value in values.items()}
        assert shown["heads"] == heads_of_numbers(exercise, replace(exercise).check(**typed))
        assert any("✗ Not yet" in said for said in shown["heads"])
        assert shown["solution"]
    shown = seen[-1]
    if first_of_its_kind(name):
        next(iter(fields.values())).press("Enter")
        shown = form.evaluate(SHOWN)
    assert set(shown["heads"]) == {"✓ Correct"}
    assert form.locator(".exercise-done").text_content() == "· ✓ Done"


@pytest.mark.browser
@some_cards
@pytest.mark.parametrize("name", [*find_all(Choice), *find_all(Predict)])
def test_choice_cards_handle_empty_wrong_and_correct_answers(view, name):
    exercise, form = REGISTRY[name], fresh_card(view, name)
    many = isinstance(exercise, Choice) and exercise.chooses_all
    key = "guess" if isinstance(exercise, Predict) else "choice"
    picks = [[option] for option in exercise.options]
    if many:
        picks += [sorted(answer["choice"]) for m in exercise.mistakes
                  for answer in exercise.wrong_answers(m)]  # fmt: skip
        picks.append(sorted(exercise.answer["choice"]))
    elif key == "choice":
        picks.append([exercise.accepted_answers[0]])

    def pick_and_press(picked: list[str]) -> dict[str, Any]:
        for box in form.locator("fieldset input").all():
            if many:
                box.set_checked(box.get_attribute("value") in picked)
            elif box.get_attribute("value") in picked:
                box.check()
        return press(form)

    if first_of_its_kind(name):
        (nothing,) = form.evaluate(FILL_AND_PRESS, [NOTHING])
        seen = [pick_and_press(picked) for picked in picks]
    else:
        nothing, *seen = form.evaluate(FILL_AND_PRESS, [NOTHING, *([[], one] for one in picks)])
    assert nothing["heads"] == []
    assert nothing["quiet"] == [QUIET[type(exercise)]]
    wrong = replace(exercise)
    for picked, shown in zip(picks, seen, strict=True):
        result = wrong.check(**{key: picked if many else picked[0]})
        if result.noted:
            assert shown["heads"] == ["• Saved"]
        else:
            assert shown["heads"] == [head(result)]
        lines = read_feedback((*result.parts[0].lines, *result.lines))
        assert [*map(visible_text, shown["lines"][0])] == lines
    # A guess is saved, and not called right.
    is_guess = isinstance(exercise, Predict)
    done = form.locator(".exercise-done").text_content()
    assert done == ("· Saved" if is_guess else "· ✓ Done")
    if is_guess:
        assert form.get_by_role("button", name="Read on").is_visible()


@pytest.mark.browser
def test_a_choice_is_marked_as_it_was_judged_until_another_is_made(pages):
    name, exercise = next((n, e) for n, e in find_all(Choice).items() if not e.chooses_all)
    form = fresh_card(pages(name.partition(".")[0]), name)
    right = exercise.accepted_answers[0]
    wrong = next(one for one in exercise.options if one not in exercise.accepted_answers)
    for picked, mark in ((wrong, "exercise-wrong"), (right, "exercise-right")):
        form.locator(f'fieldset input[value="{picked}"]').check()
        assert form.locator(".exercise-wrong, .exercise-right").count() == 0
        press(form)
        marked = form.locator(".exercise-wrong, .exercise-right")
        assert marked.count() == 1
        assert mark in marked.get_attribute("class")
        assert marked.locator("input").get_attribute("value") == picked
    # There is nothing to check, and what comes next is below what is said.
    check, after = form.locator(".exercise-check"), form.locator(".exercise-next")
    said = form.locator(".feedback").bounding_box()
    assert check.is_hidden()
    assert after.bounding_box()["y"] >= said["y"] + said["height"]
    form.locator(f'fieldset input[value="{wrong}"]').check()
    assert check.is_visible()
    assert after.count() == 0
    form.locator(f'fieldset input[value="{right}"]').check()
    assert check.is_hidden()
    form.get_by_role("button", name="Answer again").click()
    assert check.is_visible()
    assert form.locator("fieldset input:checked, .feedback, .exercise-right").count() == 0


# As for fields: the right order of each card is taken by keys, and all orders of the first card.
TAKE_AND_PRESS = f"""(card, orders) => orders.map(order => {{
    const shown = {SHOWN};
    const taken = () => card.querySelector("ol.exercise-lines li button[aria-label^='Put back']");
    while (taken()) taken().click();
    for (const letter of order)
        card.querySelector(`ul [data-letter="${{letter}}"] > button`).click();
    card.querySelector('button[type=submit]').click();
    return shown(card);
}})"""


@pytest.mark.browser
@some_cards
@pytest.mark.parametrize("name", find_all(Order))
def test_order_cards_work_by_keyboard(view, name):
    exercise, form = REGISTRY[name], fresh_card(view, name)
    orders = [exercise.wrong_answers(m)[0]["order"] for m in exercise.mistakes]
    orders += [exercise.accepted_answers[0][:2], exercise.accepted_answers[0]]
    assert press(form)["quiet"] == [QUIET[Order]]
    counted = replace(exercise)

    def take_and_press(order: tuple[str, ...]) -> dict[str, Any]:
        for _ in form.locator("ol.exercise-lines li").all():
            form.locator("ol.exercise-lines li button[aria-label^='Put back']").first.press("Enter")
        for letter in order:
            form.locator(f'ul [data-letter="{letter}"] > button').press("Enter")
        return press(form)

    by_script = [] if first_of_its_kind(name) else orders[:-1]
    seen = form.evaluate(TAKE_AND_PRESS, [list(order) for order in by_script])
    seen += [take_and_press(order) for order in orders[len(by_script) :]]
    for order, shown in zip(orders, seen, strict=True):
        result = counted.check(order=list(order))
        assert shown["heads"] == [head(result)]
        assert [*map(visible_text, shown["lines"][0])] == read_feedback(result.parts[0].lines)
    assert not form.get_by_role("button", name="Move up").count()
    form.get_by_role("button", name="Answer again").press("Enter")
    first, second = form.locator("ol.exercise-lines li").all()[:2]
    moved = [first.get_attribute("data-letter"), second.get_attribute("data-letter")]
    form.locator("ol.exercise-lines li").nth(1).get_by_role("button", name="Move up").press("Enter")
    now = [
        item.get_attribute("data-letter") for item in form.locator("ol.exercise-lines li").all()[:2]
    ]
    assert now == moved[::-1]
    assert view.page.evaluate("document.activeElement.ariaLabel") == f"Move up {moved[1]}"


@pytest.mark.browser
@some_cards
@pytest.mark.parametrize("name", find_all(Order))
def test_orders_get_the_same_outcome_as_in_python(view, name):
    exercise = REGISTRY[name]
    letters = exercise.option_list.labels
    tries = [
        order
        for n in (1, 2, 3)
        for order in itertools.islice(itertools.permutations(letters, n), 0, None, 2 * n - 1)
    ]
    for right in exercise.accepted_answers:
        spare = [letter for letter in letters if letter not in right]
        for n in range(1, len(right) + 1):
            tries.append(right[:n])
            tries += [(*right[:n], letter) for letter in letters if letter not in right[:n]]
        tries += [(*right, *spare)]
    found = view.page.evaluate(
        """async ([id, tries]) => {
            const table = recsysBook.decode(await recsysBook.load("exercises", id));
            return tries.map(order => recsysBook.findFeedback(table, order.join(" ")));
        }""",
        [name, [list(order) for order in tries]],
    )
    for order, feedback in zip(tries, found, strict=True):
        result = replace(exercise).check(order=list(order))
        assert feedback["outcome"] == result.outcome.name, order
        (part,) = feedback["parts"].values()
        assert [*map(visible_text, part["lines"])] == read_feedback(result.parts[0].lines), order
        assert tuple(part["expected"]) == result.parts[0].expected, order
        assert part["wrongLine"] == result.parts[0].wrong_line, order


ORDERED = "all => all.map(one => [one.dataset.letter, one.dataset.outcome ?? ''])"


@pytest.mark.browser
def test_the_first_wrong_line_is_marked_until_a_line_is_moved(pages):
    name, exercise = next(o for o in find_all(Order).items() if o[0].startswith("ranking."))
    form = fresh_card(pages(name.partition(".")[0]), name)
    right = list(exercise.accepted_answers[0])
    wrong = [*right[:2], right[3], right[2], *right[4:]]
    form.evaluate(TAKE_AND_PRESS, [wrong])
    lines = form.locator("ol.exercise-lines li")
    outcomes = ["", "", "wrong", *[""] * (len(right) - 3)]
    assert lines.evaluate_all(ORDERED) == [*map(list, zip(wrong, outcomes, strict=True))]
    lines.nth(3).get_by_role("button", name="Move up").click()
    assert lines.evaluate_all(ORDERED) == [[letter, ""] for letter in right]
    # No line is asked for any more, and those that are left are behind a button.
    place = "it => getComputedStyle(it, '::after').content"
    taken = form.locator("ol.exercise-lines")
    assert "Choose the next line" in taken.evaluate(place)
    left = form.locator("ul.exercise-lines")
    before = form.evaluate("it => it.offsetHeight")
    press(form)
    assert lines.evaluate_all(ORDERED) == [[letter, "pass"] for letter in right]
    # The list is the answer: nothing repeats it, and nothing moves it.
    assert taken.get_attribute("aria-label") == "Your order, which is right"
    assert form.evaluate("it => it.offsetHeight") < before
    assert taken.evaluate("it => getComputedStyle(it, '::after').display") == "none"
    assert form.locator(".exercise-moves:visible, .exercise-check:visible").count() == 0
    assert left.is_hidden()
    form.get_by_text("Lines that are not needed").click()
    assert left.is_visible()
    form.get_by_role("button", name="Answer again").click()
    assert lines.evaluate_all(ORDERED) == [[letter, ""] for letter in right]
    assert form.locator(".exercise-check").is_visible()
    assert form.locator(".exercise-moves:visible").count() == len(right)


@pytest.mark.browser
def test_the_cause_comes_first_and_what_follows_is_quieter(pages):
    form = fresh_card(pages("ranking"), "ranking.e4")
    exercise = REGISTRY["ranking.e4"]
    (value,) = exercise.wrong_answers(exercise.own_mistakes[0]).values()
    form.locator("input").fill(answers.format_value(value))
    press(form)
    head, cause, ask = form.locator(".feedback > :not(button)").all()
    weight = "it => Number(getComputedStyle(it).fontWeight)"
    assert head.locator("strong").evaluate(weight) > cause.evaluate(weight)
    assert cause.text_content().startswith("Likely cause:")
    assert ask.text_content().startswith("Try:")
    ink = "it => getComputedStyle(it).color"
    size = "it => parseFloat(getComputedStyle(it).fontSize)"
    assert ask.evaluate(ink) != cause.evaluate(ink)
    assert ask.evaluate(size) < cause.evaluate(size)


@pytest.mark.browser
def test_what_is_right_keeps_the_focus_of_a_keyboard(pages):
    form = fresh_card(pages("ranking"), "ranking.e4")
    form.locator("input").fill(answers.format_value(REGISTRY["ranking.e4"].answer["ap"]))
    form.locator(".exercise-check").press("Enter")
    said = form.locator(".feedback")
    assert said.evaluate("it => it === document.activeElement")
    form.page.keyboard.press("Tab")
    after = form.locator(".exercise-next")
    assert after.evaluate("it => it === document.activeElement")
    assert after.text_content() == "Next exercise"
    assert after.get_attribute("aria-label").startswith("Next exercise: ")
    form.get_by_role("button", name="Answer again").press("Enter")
    assert form.locator("input").evaluate("it => it === document.activeElement")
    assert form.locator("input").input_value() == ""


@pytest.mark.browser
def test_more_than_three_quiet_lines_are_behind_a_button(pages):
    lines = ["<p>The cause.</p>", *(quieten(f"<p>{letter * 110}</p>") for letter in "abc")]
    found = pages("ranking").page.evaluate(
        """all => all.map(lines => {
            const fields = [{name: "choice", label: "", kind: "one", options: [["x", "X"]]}];
            const spec = {title: "", label: "", effort: "", kind: "pick", question: "", hints: 0,
                points: 1, fields};
            const parts = {choice: {outcome: "WRONG", lines}};
            const check = () => ({outcome: "WRONG", lines: [], parts});
            const card = recsysBook.fronts.get("card").createCard(spec, {check});
            document.body.append(card);
            card.querySelector("form").requestSubmit();
            card.remove();
            const more = card.querySelectorAll(".feedback-more > :not(summary)");
            return [...more].map(one => one.textContent);
        })""",
        [lines, lines[:3], [*lines[:3], quieten("<p>A little more.</p>")]],
    )
    assert found == [["c" * 110], [], []]


@pytest.mark.browser
def test_a_finger_orders_lines(sample_site, open_view):
    page = open_view(sample_site, PAGE, width=390, has_touch=True, is_mobile=True).page
    name, exercise = next(o for o in find_all(Order).items() if o[0].startswith("ranking."))
    page.locator(f'[data-exercise="{name}"]').scroll_into_view_if_needed()
    card = page.locator(f'[data-exercise="{name}"][data-alive]')
    letters = exercise.option_list.labels[:3]
    for letter in letters:
        card.locator(f'ul [data-letter="{letter}"] > button').tap()
    lines = card.locator("ol.exercise-lines li")
    assert card.get_by_text("Tap a line to move it, or drag it by its number.").is_visible()
    lines.first.locator(".exercise-words").tap()
    lines.first.get_by_role("button", name="Move down").tap()
    lines.last.locator(".exercise-words").tap()
    lines.last.get_by_role("button", name="Move up").tap()
    a, b, c = letters
    assert [letter for letter, _ in lines.evaluate_all(ORDERED)] == [b, c, a]
    for sign in ("↑", "↓"):
        for button in lines.get_by_text(sign, exact=True).all():
            box = button.bounding_box()
            assert min(box["width"], box["height"]) >= 44
    words = lines.first.locator(".exercise-words").bounding_box()
    back = lines.first.get_by_role("button", name="Put back").bounding_box()
    assert words["x"] + words["width"] <= back["x"]
    lines.nth(1).get_by_role("button", name="Put back").tap()
    assert [letter for letter, _ in lines.evaluate_all(ORDERED)] == [b, a]
    assert card.locator(f'ul [data-letter="{c}"]').is_visible()


# Where each row of a line of code begins.
ROWS = """all => all.map(line => {
    const range = document.createRange();
    range.selectNodeContents(line);
    return [...range.getClientRects()].filter(row => row.width > 1).map(row => row.left);
})"""


@pytest.mark.browser
def test_on_a_phone_a_line_of_code_goes_on_below_its_own_start(sample_site, open_view):
    page = open_view(sample_site, PAGE.replace("ranking", "rating"), width=390, is_mobile=True).page
    name = "rating.order_rmse"
    page.locator(f'[data-exercise="{name}"]').scroll_into_view_if_needed()
    card = page.locator(f'[data-exercise="{name}"][data-alive]')
    exercise = REGISTRY[name]
    card.evaluate(TAKE_AND_PRESS, [list(exercise.accepted_answers[0])])
    card.locator(".card-more").click()
    card.get_by_role("menuitem", name="Worked solution").click()
    lines = card.locator(".exercise-note .code-line")
    lines.first.wait_for()
    blocks = card.locator(".exercise-note pre").count()
    rows = lines.evaluate_all(ROWS)
    broken = [row for row in rows if len(row) > 1]
    assert broken
    assert all(min(later) > first for first, *later in broken)
    assert "".join(lines.all_text_contents()).count("\n") >= len(rows) - blocks


@pytest.mark.browser
def test_what_is_typed_anew_is_not_marked(pages):
    form = fresh_card(pages("ranking"), "ranking.two_areas")
    right = [answers.format_value(value) for value in REGISTRY["ranking.two_areas"].answer.values()]
    fields = form.locator("input[type=text]").all()
    for field, value in zip(fields, [right[0], "7.7"], strict=True):
        field.fill(value)
    press(form)
    rows = form.locator(".exercise-field")
    marks = "all => all.map(one => one.dataset.outcome ?? '')"
    assert rows.evaluate_all(marks) == ["pass", "wrong"]
    assert form.locator(".exercise-mark").all_text_contents() == ["✓", "✗"]
    assert [field.get_attribute("aria-invalid") for field in fields] == ["false", "true"]
    for field in fields:
        field.press("End")
        field.press("1")
    assert rows.evaluate_all(marks) == ["", ""]
    assert [field.get_attribute("aria-invalid") for field in fields] == [None, None]
    assert form.locator(".exercise-mark").all_text_contents() == ["", ""]


@pytest.mark.browser
@some_cards
@pytest.mark.parametrize("name", find_all(Text))
def test_an_open_answer_is_marked_and_then_compared_with_the_model(view, name):
    exercise, form = REGISTRY[name], fresh_card(view, name)
    assert press(form)["quiet"] == [QUIET[Text]]
    form.locator("textarea").fill("x")
    assert press(form)["lines"] == [[TOO_SHORT]]
    form.locator("textarea").fill("An answer of my own.")
    assert press(form)["heads"] == ["• Saved"]
    assert "A good answer:" not in form.inner_text()
    boxes = form.locator("fieldset input").all()
    assert len(boxes) == len(exercise.criteria)
    boxes[0].check()
    assert press(form)["heads"] == ["✗ Not yet" if len(boxes) > 1 else "✓ Correct"]
    assert "A good answer:" in form.inner_text()
    for box in boxes:
        box.check()
    assert press(form)["heads"] == ["✓ Correct"]


EARLIER = "This feedback is on an earlier version of your answer."


@pytest.mark.browser
def test_feedback_on_an_earlier_answer_says_so(sample_site, open_view):
    view = open_view(sample_site, PAGE)
    view.wake()
    form = fresh_card(view, "ranking.e4")
    earlier = form.get_by_text(EARLIER)
    field = form.locator("input[type=text]")
    assert form.get_attribute("data-blank") == ""
    press(form)
    assert form.get_by_text(QUIET[Numbers]).is_visible()
    # What asks for an answer is of no use once there is one.
    field.fill("0.3")
    assert form.get_by_text(QUIET[Numbers]).count() == 0
    assert form.get_attribute("data-blank") is None
    assert press(form)["heads"] == ["✗ Not yet"]
    assert earlier.is_hidden()
    field.fill("0.31")
    assert earlier.is_visible()
    field.fill("0.3")
    assert earlier.is_hidden()
    field.fill(answers.format_value(REGISTRY["ranking.e4"].answer["ap"]))
    assert earlier.is_visible()
    assert press(form)["heads"] == ["✓ Correct"]
    assert earlier.is_hidden()

    form = fresh_card(view, "ranking.explain_ideal")
    earlier = form.get_by_text(EARLIER)
    form.locator("textarea").fill("An answer of my own.")
    assert press(form)["heads"] == ["• Saved"]
    # To tick what holds is what this feedback asks for.
    form.locator("fieldset input").first.check()
    assert earlier.is_hidden()
    press(form)
    assert earlier.is_hidden()
    form.locator("fieldset input").first.uncheck()
    assert earlier.is_visible()
    form.locator("fieldset input").first.check()
    assert earlier.is_hidden()
    form.locator("textarea").fill("An answer of my own, and more.")
    assert earlier.is_visible()

    name = next(name for name in find_all(Order) if name.startswith("ranking."))
    form = fresh_card(view, name)
    form.locator("ul.exercise-lines button").first.click()
    press(form)
    assert form.get_by_text(EARLIER).is_hidden()
    form.locator("ul.exercise-lines button").first.click()
    assert form.get_by_text(EARLIER).is_visible()
    form.get_by_role("button", name="Put back").last.click()
    assert form.get_by_text(EARLIER).is_hidden()
    assert view.errors == []


@pytest.mark.browser
def test_a_text_that_is_too_long_to_be_saved_says_so_and_stays(sample_site, open_view):
    view = open_view(sample_site, PAGE)
    view.wake()
    form, long = fresh_card(view, "ranking.explain_ideal"), "word " * 4001
    form.locator("textarea").fill(long)
    assert press(form)["heads"] == ["• Not saved as usual"]
    said = form.locator(".exercise-saving").inner_text()
    assert said.startswith("Your answer was not saved, only its outcome: an answer may have 20,000")
    view.page.reload()
    view.wake()
    assert form.locator("textarea").input_value() == long
    form.locator("textarea").fill("An answer of my own.")
    assert press(form)["heads"] == ["• Saved"]
    assert form.locator(".exercise-saving").count() == 0
    assert view.errors == []


@pytest.mark.browser
def test_a_text_that_was_not_checked_is_there_after_a_reload(sample_site, open_view):
    view = open_view(sample_site, PAGE)
    view.wake()
    form = fresh_card(view, "ranking.explain_ideal")
    for text in ("A first text of mine.", "A second text, which was not checked."):
        form.locator("textarea").fill(text)
        view.page.reload()
        view.wake()
        assert form.locator("textarea").input_value() == text
        press(form)
    assert (
        view.page.evaluate("recsysBook.progress.draftOf('ranking.explain_ideal') ?? null") is None
    )
    form.locator("textarea").fill("")
    view.page.reload()
    view.wake()
    assert form.locator("textarea").input_value() == "A second text, which was not checked."


@pytest.mark.browser
def test_a_check_that_the_browser_does_not_keep_says_so_on_its_card(sample_site, open_view):
    view = open_view(sample_site, PAGE)
    view.wake()
    view.page.evaluate(
        "() => { Storage.prototype.setItem = () => {"
        " throw new DOMException('', 'QuotaExceededError') } }"
    )
    form = fresh_card(view, "ranking.e4")
    form.locator("input[type=text]").fill("0.3")
    press(form)
    said = form.locator(".exercise-saving").inner_text()
    assert said.startswith("This browser does not keep your progress (QuotaExceededError)")
    form = fresh_card(view, "ranking.explain_ideal")
    form.locator("textarea").fill("An answer of my own.")
    assert press(form)["heads"] == ["• Not saved as usual"]


@pytest.mark.browser
def test_progress_is_stored_counted_saved_and_loaded(sample_site, open_view, tmp_path):
    page = open_view(sample_site, PAGE).page
    line = page.locator(".progress-line")
    total = sum(name.startswith("ranking.") for name in REGISTRY)
    assert line.get_by_role("status").text_content().startswith(f"0 of {total} ")
    page.locator('[data-exercise="ranking.e4"]').scroll_into_view_if_needed()
    form = page.locator('[data-exercise="ranking.e4"][data-alive]')
    form.locator("input").fill(answers.format_value(REGISTRY["ranking.e4"].answer["ap"]))
    form.locator("button[type=submit]").click()
    assert line.get_by_role("status").text_content().startswith(f"1 of {total} ")
    page.reload()
    assert line.get_by_role("status").text_content().startswith(f"1 of {total} ")
    with page.expect_download() as saving:
        press_progress(page, "Save progress")
    saving.value.save_as(tmp_path / "progress.json")
    saved = json.loads((tmp_path / "progress.json").read_text(encoding="utf-8"))
    (event,) = saved["history"]
    assert (event["exercise"], event["outcome"]) == ("ranking.e4", "PASS")
    other = open_view(sample_site, PAGE).page
    other.locator(".progress-line input[type=file]").set_input_files(tmp_path / "progress.json")
    other.wait_for_function("document.querySelector('.progress-line progress').value === 1")
    (tmp_path / "no.json").write_text("[1]", encoding="utf-8")
    other.locator(".progress-line input[type=file]").set_input_files(tmp_path / "no.json")
    other.wait_for_function("document.querySelector('.progress-problem').textContent !== ''")
    assert "cannot be read" in other.locator(".progress-problem").text_content()


@pytest.mark.browser
def test_a_finger_finds_the_button_where_it_was_and_sees_what_is_said(sample_site, open_view):
    page = open_view(sample_site, PAGE, width=390, has_touch=True, is_mobile=True).page
    # The card is drawn anew when it comes near, so no handle of it is kept.
    page.evaluate("""document.querySelector('[data-exercise="ranking.e2"]').scrollIntoView()""")
    card = page.locator('[data-exercise="ranking.e2"][data-alive]')
    # Its values in the order of another field: a mistake, of which much is said.
    values = [*REGISTRY["ranking.e2"].answer.values()]
    for field, value in zip(card.locator("input[type=text]").all(), values[::-1], strict=True):
        field.fill(answers.format_value(value))
    check = card.locator(".exercise-check")
    place = "(one, card) => one.getBoundingClientRect().top - card.getBoundingClientRect().top"
    before = check.evaluate(place, card.element_handle())
    check.tap()
    first = card.locator(".feedback").first
    assert first.is_visible()
    assert check.evaluate(place, card.element_handle()) == before
    bar = page.locator(".bd-header-article").bounding_box()["height"]
    for said in (first, card.locator(".exercise-note")):
        box = said.bounding_box()
        assert bar <= box["y"] < 800
        assert box["y"] + box["height"] <= 800
        if said is first:
            card.get_by_role("button", name=re.compile("^Hint")).tap()
            card.locator(".exercise-note p").nth(1).wait_for()
    card.locator(".card-more").tap()
    box = card.locator(".card-items").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    for button in card.locator(".exercise-buttons button:visible").all():
        size = button.bounding_box()
        assert min(size["width"], size["height"]) >= 44


@pytest.mark.browser
def test_a_printed_card_shows_its_question_without_controls(pages):
    view = pages("ranking")
    page = view.page
    page.emulate_media(media="print")
    try:
        form = fresh_card(view, "ranking.e5")
        assert form.locator(".exercise-question").is_visible()
        assert form.locator("button[type=submit]").is_hidden()
        assert page.locator(".progress-line").is_hidden()
    finally:
        page.emulate_media(media="screen")


@pytest.mark.browser
def test_without_javascript_a_card_refers_to_the_notebook(sample_site, open_view):
    page = open_view(sample_site, PAGE, java_script_enabled=False).page
    form = page.locator('[data-exercise="ranking.e5"]')
    assert "ex.ndcg_from_scratch.check(" in form.text_content()
    assert form.locator("input").count() == 0
