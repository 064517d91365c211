"""Each explorable moved in the page by keyboard and by pointer: it shows what Python computes."""

from __future__ import annotations

import html
import math
import re
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import groupby
from typing import Any

import pytest

from recsys_metrics.workbook.explorables import REGISTRY, Explorable
from recsys_metrics.workbook.progress._record import parse_event
from tests.book.conftest import View
from tests.book.reader import steps, walk

pytestmark = pytest.mark.browser

# What each figure shows at its start is compared in every run, with a script and without.
some_figures = pytest.mark.sweep("name", keep=4)

PAGE = "chapters/explorables_rating.html"
GAINS_PAGE = "chapters/explorables_ranking.html"


def page_of(name: str) -> str:
    """Return the page of an explorable."""
    return f"chapters/explorables_{name.partition('.')[0]}.html"


SHOWN = """id => {
    const section = document.querySelector(`[data-explorable="${id}"]`);
    const all = (pick) => [...section.querySelectorAll(pick)];
    const texts = (pick) => all(pick).map(e => e.textContent);
    const field = (control) => {
        const select = control.querySelector('select');
        return select ? select.selectedOptions[0].textContent
            : control.querySelector('.explorable-value').textContent;
    };
    const pressed = (part) => part.getAttribute('aria-label').replace(/^.*?: |[.] Press.*$/g, '');
    return {
        labels: texts('.explorable-readout tbody th'),
        numbers: texts('.explorable-readout tbody td:nth-child(2) > span:first-child'),
        alt: section.querySelector('.explorable-picture svg').getAttribute('aria-label'),
        values: Object.fromEntries([
            ...all('.explorable-control').map(e => [e.dataset.control, field(e)]),
            ...all('[data-move][role=button]').map(e => [e.dataset.move, pressed(e)]),
        ]),
    };
}"""

# What moves a control: its field, or what is pressed in the picture.
MOVER = (
    '.explorable-control[data-control="{0}"] :is(input, select), [data-move="{0}"][role="button"]'
)


# Notes what is shown after each move.
NOTE_STATES = f"""id => {{
    window.states = [];
    const shown = {SHOWN};
    const section = document.querySelector(`[data-explorable="${{id}}"]`);
    section.addEventListener("input", () => states.push(shown(id)));
    section.addEventListener("keyup", event => {{
        if (event.target.matches("[data-move]")) states.push(shown(id));
    }});
}}"""


def expected(explorable: Explorable, at: tuple[int, ...]) -> dict[str, Any]:
    """Return what the page must show of a state, given by the place of each value."""
    return computed(explorable.id, at)


@cache
def computed(name: str, at: tuple[int, ...]) -> dict[str, Any]:
    """Return the same by the explorable's id; several tests ask for the start and for ends."""
    explorable = REGISTRY[name]
    pairs = [
        (control, list(control.values)[i])
        for control, i in zip(explorable.controls, at, strict=True)
    ]
    state = {control.name: value for control, value in pairs}
    numbers = explorable.compute(state)
    quantities = explorable.quantities
    return {
        "labels": [quantity.label for quantity in quantities.values()],
        "numbers": [quantity.format_value(numbers[name]) for name, quantity in quantities.items()],
        "alt": explorable.draw(state, numbers).alt,
        "values": {control.name: control.values[value] for control, value in pairs},
    }


def start(explorable: Explorable) -> tuple[int, ...]:
    return tuple(list(control.values).index(control.start) for control in explorable.controls)


def sizes(explorable: Explorable) -> list[int]:
    return [len(control.values) for control in explorable.controls]


@pytest.fixture(scope="module")
def pages(sample_site, open_shared_view):
    """Opens the page of a subject, once, with all of it awake."""

    @cache
    def opened(path: str) -> View:
        view = open_shared_view(sample_site, path)
        view.wake()
        views.append(view)
        return view

    views: list[View] = []
    yield opened
    assert [view.errors + view.outside for view in views if view.errors + view.outside] == []


@pytest.fixture
def view(pages, name):
    return pages(page_of(name))


def section(view, name):
    return view.page.locator(f'[data-explorable="{name}"]')


@pytest.mark.parametrize("name", REGISTRY)
def test_figures_start_in_the_declared_state(view, name):
    assert view.page.evaluate(SHOWN, name) == expected(REGISTRY[name], start(REGISTRY[name]))


@some_figures
@pytest.mark.parametrize("name", REGISTRY)
def test_keyboard_reaches_every_value_of_every_control(view, name):
    explorable, page, form = REGISTRY[name], view.page, section(view, name)
    boxes = [form.locator(MOVER.format(control.name)) for control in explorable.controls]
    wanted: list[dict[str, Any]] = []
    for box in boxes:
        box.focus()
        page.keyboard.press("Home")
    assert page.evaluate(SHOWN, name) == expected(explorable, (0,) * len(boxes))
    page.evaluate(NOTE_STATES, name)
    for axis, moves in groupby(steps(sizes(explorable)), key=lambda step: step[0]):
        boxes[axis].focus()
        key = "ArrowDown" if explorable.controls[axis].kind == "choice" else "ArrowRight"
        for _, at in moves:
            page.keyboard.press(key)
            wanted.append(expected(explorable, at))
    assert page.evaluate("states") == wanted
    # What is moved in the picture and open fields come before the button, folded ones after it.
    folded = page.evaluate("document.activeElement.closest('.explorable-exact') !== null")
    while page.evaluate("document.activeElement.textContent") != "Reset":
        page.keyboard.press("Shift+Tab" if folded else "Tab")
    page.keyboard.press("Enter")
    # The button has gone, and the focus is on the one beside it.
    assert page.evaluate("document.activeElement.className") == "explorable-count"
    assert page.evaluate(SHOWN, name) == expected(explorable, start(explorable))


# Brings something into the window and returns a place in it: its middle, or beside an end of it.
IN_WINDOW = """(e, end) => {{
    const near = e.getBoundingClientRect();
    if (near.top < 100 || near.bottom > innerHeight - 50) e.scrollIntoView({{ block: "center" }});
    const {{ x, y, width, height }} = e.getBoundingClientRect();
    return [{}];
}}"""
MIDDLE = IN_WINDOW.format("x + width / 2, y + height / 2")
BESIDE_ITS_END = IN_WINDOW.format("end === 0 ? x + 2 : x + width - 2, y + 8")


def open_menu(form):
    """Open the menu of a figure and return it."""
    form.get_by_role("button", name="More for this figure").click()
    return form.get_by_role("menu", name="More for this figure")


def unfold(form):
    """Open the exact values, which are folded for the eye."""
    if not form.evaluate("e => e.classList.contains('is-exact')"):
        open_menu(form).get_by_role("menuitemcheckbox", name="Exact values").click()


def fold(form):
    """Fold the exact values."""
    if form.evaluate("e => e.classList.contains('is-exact')"):
        open_menu(form).get_by_role("menuitemcheckbox", name="Exact values").click()


def reset(form):
    """Go back to the start, where there is a way."""
    button = form.locator(".explorable-reset.is-away")
    if button.count():
        button.click()


@some_figures
@pytest.mark.parametrize("name", REGISTRY)
def test_pointer_reaches_both_ends_of_every_control(view, name):
    explorable, page, form = REGISTRY[name], view.page, section(view, name)
    at = list(start(explorable))
    for axis, control in enumerate(explorable.controls):
        box = form.locator(MOVER.format(control.name))
        for end in (0, len(control.values) - 1):
            if control.kind == "press":
                for _ in range((end - at[axis]) % len(control.values)):
                    page.mouse.click(*box.evaluate(MIDDLE))
            elif control.kind == "slider":
                unfold(form)
                page.mouse.click(*box.evaluate(BESIDE_ITS_END, end))
            else:
                box.select_option(index=end)
            at[axis] = end
            assert page.evaluate(SHOWN, name) == expected(explorable, tuple(at))
    reset(form)
    assert page.evaluate(SHOWN, name) == expected(explorable, start(explorable))


@some_figures
@pytest.mark.parametrize("name", REGISTRY)
def test_the_script_decodes_every_state_as_encoded(view, name):
    explorable = REGISTRY[name]
    found = view.page.evaluate(
        """async id => {
            const table = await recsysBook.load("explorables", id);
            const sizes = table.facts.controls.map(control => control.texts.length);
            const all = sizes.reduce((n, size) => n * size, 1);
            const rows = [];
            for (let n = 0; n < all; n++) {
                const state = [];
                for (let rest = n, i = sizes.length - 1; i >= 0; i--) {
                    state[i] = rest % sizes[i];
                    rest = Math.floor(rest / sizes[i]);
                }
                const shown = recsysBook.read(table, state);
                rows.push([shown.numbers.map(([text]) => text).join("|"), shown.svg.length]);
            }
            return rows;
        }""",
        name,
    )
    assert len(found) == explorable.n_states
    every = -(-explorable.n_states // 400)
    for n, (state, (numbers, length)) in enumerate(zip(explorable.states(), found, strict=True)):
        if n % every:
            continue
        computed = explorable.compute(state)
        said = [
            quantity.format_value(computed[key]) for key, quantity in explorable.quantities.items()
        ]
        assert numbers == "|".join(said), state
        if n % (5 * every) == 0:
            assert length == len(explorable.draw(state, computed).svg), state


def moved_to_its_last_state(view: View, name: str) -> tuple[str, dict[str, Any]]:
    """Move every control to its end; return the link to that state, and what it must show."""
    explorable, form = REGISTRY[name], section(view, name)
    last = list(walk(sizes(explorable)))[-1]
    for axis, control in enumerate(explorable.controls):
        box = form.locator(MOVER.format(control.name))
        if control.kind != "choice":
            box.press("End")
        else:
            box.select_option(index=last[axis])
    link = form.locator('[role="menuitem"]', has_text="Link to this state").get_attribute("href")
    view.page.wait_for_url(f"**{link}")
    return link, expected(explorable, last)


@some_figures
@pytest.mark.parametrize("name", REGISTRY)
def test_a_state_is_restored_from_its_address(sample_site, view, name):
    explorable, page = REGISTRY[name], view.page
    link, shown = moved_to_its_last_state(view, name)
    reset(section(view, name))
    page.wait_for_url(f"**#{name}?")
    assert page.evaluate(SHOWN, name) == expected(explorable, start(explorable))
    page.goto(f"{sample_site.address}/{page_of(name)}{link}")
    assert page.evaluate(SHOWN, name) == shown
    assert section(view, name).evaluate("e => e.getBoundingClientRect().width") > 0
    reset(section(view, name))


# The last on its page is the furthest from where a page begins.
@some_figures
@pytest.mark.parametrize("name", {page_of(name): name for name in REGISTRY}.values())
def test_opening_an_address_scrolls_to_its_figure(sample_site, pages, open_view, name):
    link, shown = moved_to_its_last_state(pages(page_of(name)), name)
    other = open_view(sample_site, f"{page_of(name)}{link}").page
    other.wait_for_selector(f'[data-explorable="{name}"][data-alive]')
    assert other.evaluate(SHOWN, name) == shown
    top = other.locator(f'[data-explorable="{name}"]').bounding_box()["y"]
    assert -10 < top < 800
    reset(section(pages(page_of(name)), name))


def test_an_invalid_address_shows_the_start_state(sample_site, open_view):
    metric_values = REGISTRY["ranking.metric_values"]
    view = open_view(sample_site, f"{GAINS_PAGE}#ranking.metric_values?k=99&nothing=1&A=3")
    view.page.wait_for_selector('[data-explorable="ranking.metric_values"][data-alive]')
    at = list(start(metric_values))
    at[1] = 2  # what can be read of it is used
    assert view.page.evaluate(SHOWN, metric_values.id) == expected(metric_values, tuple(at))
    assert view.errors == []


def test_precomputed_files_load_lazily_and_once(sample_site, open_view):
    asked: list[str] = []
    page = open_view(sample_site, PAGE).page
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    page.wait_for_selector("[data-explorable][data-alive]")
    drawn = [url for url in asked if "/explorables/" in url]
    assert 1 <= len(drawn) < page.locator("[data-explorable]").count()
    page.locator("[data-explorable]").last.scroll_into_view_if_needed()
    page.wait_for_selector("[data-explorable][data-alive] >> nth=-1")
    drawn = [url for url in asked if "/explorables/" in url]
    assert len(drawn) == len(set(drawn))


def test_the_previous_value_is_marked_and_a_move_is_announced_once(pages):
    view = pages(GAINS_PAGE)
    page, form = view.page, section(view, "ranking.metric_values")
    slider = form.locator("input[type=range]").first
    lines = form.locator(".explorable-was:not([hidden])")
    reset(form)
    page.wait_for_timeout(1000)
    slider.focus()
    form.locator(".explorable-status").evaluate(
        """status => {
            window.said = [];
            new MutationObserver(() => said.push(status.textContent))
                .observe(status, {childList: true, characterData: true, subtree: true});
        }"""
    )
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    assert lines.count() > 0
    page.wait_for_function("said.length > 0")
    page.wait_for_timeout(500)  # a second word would come now
    said = page.evaluate("said")
    assert len(said) == 1
    assert "Recall" in said[0]
    assert slider.get_attribute("aria-valuetext") == "2"
    reset(form)


@pytest.fixture(scope="module")
def still(sample_site, open_shared_view):
    """Opens the page of a subject for somebody without scripts, once."""
    return cache(lambda path: open_shared_view(sample_site, path, java_script_enabled=False).page)


@pytest.mark.parametrize("name", REGISTRY)
def test_without_javascript_the_picture_and_its_numbers_are_shown(still, name):
    explorable = REGISTRY[name]
    shown = still(page_of(name)).locator(f'[data-explorable="{name}"]')
    first = expected(explorable, start(explorable))
    assert shown.locator("svg[role=img]").get_attribute("aria-label") == first["alt"]
    assert shown.locator("tbody td:nth-child(2)").all_text_contents() == first["numbers"]
    assert shown.locator("input, select").count() == 0


def test_figures_work_in_a_page_opened_as_a_file(sample_site, open_view):
    page = open_view(sample_site, GAINS_PAGE).page
    page.goto((sample_site.folder / GAINS_PAGE).as_uri())
    box = page.locator('[data-explorable="ranking.metric_values"]')
    box.scroll_into_view_if_needed()
    page.wait_for_selector('[data-explorable="ranking.metric_values"][data-alive]')
    box.locator("input[type=range]").first.press("End")
    metric_values = REGISTRY["ranking.metric_values"]
    at = (len(metric_values.controls[0].values) - 1, *start(metric_values)[1:])
    assert page.evaluate(SHOWN, metric_values.id) == expected(metric_values, at)


def test_a_reached_goal_is_announced_and_stored(sample_site, open_shared_view):
    """Moving the looks to the end finds the first goal, here and after a reload."""
    expect = pytest.importorskip("playwright.sync_api").expect
    view = open_shared_view(sample_site, page_of("protocol.peeking"))
    page, goal = view.page, REGISTRY["protocol.peeking"].goals[0]
    form = section(view, "protocol.peeking")
    form.scroll_into_view_if_needed()
    found = form.locator(".explorable-goals li.is-found")
    expect(form.locator(".explorable-goals li")).to_have_count(2)
    expect(found).to_have_count(0)
    form.locator('input[type="range"]').press("End")
    expect(found).to_have_count(1)
    expect(found.locator(".explorable-asks")).to_be_hidden()
    expect(found.locator(".explorable-shows")).to_be_visible()
    expect(found.locator(".explorable-shows")).to_have_text(f"Found. {goal.explanation}")
    words = f"Found: {goal.text} {goal.explanation}"
    expect(form.locator(".explorable-status")).to_contain_text(words)
    here = [one for one in REGISTRY if page_of(one) == page_of("protocol.peeking")]
    every = sum(len(REGISTRY[one].goals) for one in here)
    status = page.locator(".progress-line [role=status]")
    expect(status).to_contain_text(f"1 of {every} goals found")
    form.locator('input[type="range"]').press("Home")
    expect(found).to_have_count(1)
    page.reload()
    form.scroll_into_view_if_needed()
    expect(found).to_have_count(1)
    kept = page.evaluate("JSON.parse(recsysBook.progress.asFile()).history")
    assert [(one["exercise"], one["what"], one["number"]) for one in kept] == [
        ("protocol.peeking", "goal", 1)
    ]
    assert parse_event(kept[0]) is not None


DRAG = """([id, name, at]) => {
    const part = document.querySelector(`[data-explorable="${id}"] [data-move="${name}"]`);
    const near = part.getBoundingClientRect();
    if (near.top < 100 || near.bottom > innerHeight - 50) part.scrollIntoView({ block: "center" });
    const along = part.dataset.x ? 'x' : 'y';
    const stops = part.dataset[along].split(' ').map(Number);
    const box = part.querySelector('.grip').getBoundingClientRect();
    const from = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    const to = new DOMPoint(stops[at], stops[at]).matrixTransform(part.parentNode.getScreenCTM());
    return [from, { ...from, [along]: to[along] }];
}"""


def drag(explorable: Explorable) -> list[tuple[int, str]]:
    """Return what of an explorable's picture is dragged, by place and name of the control."""
    svg = explorable.render_state(explorable.start)["svg"]
    names = [control.name for control in explorable.controls]
    found = re.findall(r'<g data-move="(\w+)" data-[xy]="', svg)
    return [(names.index(name), name) for name in dict.fromkeys(found)]


@some_figures
@pytest.mark.parametrize("name", REGISTRY)
def test_a_dragged_handle_follows_the_pointer(view, name):
    explorable, page, form = REGISTRY[name], view.page, section(view, name)
    reset(form)
    form.scroll_into_view_if_needed()
    at = list(start(explorable))
    for axis, control in drag(explorable):
        for end in (0, sizes(explorable)[axis] - 1):
            (x0, y0), (x1, y1) = (
                (point["x"], point["y"]) for point in page.evaluate(DRAG, [name, control, end])
            )
            page.mouse.move(x0, y0)
            page.mouse.down()
            page.mouse.move((x0 + x1) / 2, (y0 + y1) / 2)
            page.mouse.move(x1, y1)
            page.mouse.up()
            at[axis] = end
            assert page.evaluate(SHOWN, name) == expected(explorable, tuple(at))
    reset(form)
    assert page.evaluate(SHOWN, name) == expected(explorable, start(explorable))


def test_a_prediction_is_requested_first_quoted_and_stored(sample_site, open_shared_view):
    expect = pytest.importorskip("playwright.sync_api").expect
    view = open_shared_view(sample_site, GAINS_PAGE)
    page, form = view.page, section(view, "ranking.metric_values")
    told = REGISTRY["ranking.metric_values"].describe()["guess"]["told"]
    form.scroll_into_view_if_needed()
    row = form.locator(".explorable-guess")
    expect(row).to_contain_text("Precision will")
    row.get_by_role("button", name="rise").click()
    # The guess itself moves the picture.
    guess = REGISTRY["ranking.metric_values"].guess
    state = {**REGISTRY["ranking.metric_values"].start, **guess.move}
    at = tuple(REGISTRY["ranking.metric_values"].indices(state))
    assert page.evaluate(SHOWN, "ranking.metric_values") == computed("ranking.metric_values", at)
    expect(row.locator(".explorable-told")).to_have_text(told["rise"])
    expect(form.locator(".explorable-status")).to_contain_text("Your guess was: rise")
    expect(page.locator(".progress-line [role=status]")).to_contain_text("1 of")
    page.reload()
    form.scroll_into_view_if_needed()
    expect(row.locator(".explorable-told")).to_have_text(told["rise"])
    kept = page.evaluate("JSON.parse(recsysBook.progress.asFile()).history")
    guesses = [parse_event(one) for one in kept if one["what"] == "guess"]
    assert [(one.exercise, one.answer) for one in guesses] == [("ranking.metric_values", "rise")]


ARROWS = """id => Object.fromEntries(
    [...document.querySelectorAll(`[data-explorable="${id}"] .explorable-meter`)].map(meter => [
        meter.firstChild.textContent, meter.querySelector('.explorable-change').textContent,
    ])
)"""


@pytest.mark.parametrize("name", [name for name, one in REGISTRY.items() if one.guess])
def test_an_arrow_points_where_python_says_that_a_number_went(sample_site, view, name):
    explorable, guess = REGISTRY[name], REGISTRY[name].guess
    reset(section(view, name))
    before, state = explorable.start, {**explorable.start, **guess.move}
    places = explorable.indices(state)
    moved = [
        f"{control.name}={list(control.keys.values())[at]}"
        for control, at in zip(explorable.controls, places, strict=True)
        if control.name in guess.move
    ]
    view.page.evaluate("hash => { location.hash = hash; }", f"#{name}?{'&'.join(moved)}")
    view.page.wait_for_function(
        "([id, alt]) => document.querySelector(`[data-explorable='${id}'] .explorable-picture svg`)"
        ".getAttribute('aria-label') === alt",
        arg=[name, expected(explorable, tuple(places))["alt"]],
    )
    old, new = explorable.compute(before), explorable.compute(state)
    signs = {"rise": "▲", "fall": "▼", "stay": ""}
    found = view.page.evaluate(ARROWS, name)
    for key, quantity in explorable.quantities.items():
        if key in explorable.in_picture or math.isnan(old[key]) or math.isnan(new[key]):
            continue
        way = replace(guess, number=key).find_direction(quantity, old, new)
        assert found[quantity.label] == signs[way], key
    reset(section(view, name))


def test_moving_a_control_first_answers_the_question_in_its_place(sample_site, open_shared_view):
    expect = pytest.importorskip("playwright.sync_api").expect
    form = section(open_shared_view(sample_site, GAINS_PAGE), "ranking.metric_values")
    form.scroll_into_view_if_needed()
    row, picture = form.locator(".explorable-guess"), form.locator(".explorable-picture")
    told = REGISTRY["ranking.metric_values"].describe()["guess"]["told"][""]
    expect(row.get_by_role("button", name="rise")).to_be_visible()
    before = picture.bounding_box()["y"] - form.bounding_box()["y"]
    form.locator(MOVER.format("k")).press("ArrowRight")
    expect(row.locator(".explorable-told")).to_have_text(told)
    expect(row.get_by_role("button", name="rise")).to_be_hidden()
    assert picture.bounding_box()["y"] - form.bounding_box()["y"] >= before
    # It is true of one state, which it names, and is not told where the picture shows another.
    said = row.locator(".explorable-said")
    expect(said).to_have_text(f"At Cut-off K = 6: {told}")
    expect(said).to_have_class("explorable-said")
    height = row.bounding_box()["height"]
    form.locator(MOVER.format("k")).press("ArrowRight")
    # Nobody has guessed who moved first.
    expect(row.locator(".explorable-when")).to_have_text("")
    expect(row.locator(".explorable-told")).to_be_hidden()
    assert row.bounding_box()["height"] == height
    form.locator(MOVER.format("k")).press("ArrowLeft")
    expect(said).to_have_text(f"At Cut-off K = 6: {told}")


def test_a_guess_is_remembered_where_the_picture_shows_another_state(sample_site, open_shared_view):
    expect = pytest.importorskip("playwright.sync_api").expect
    form = section(open_shared_view(sample_site, GAINS_PAGE), "ranking.metric_values")
    row = form.locator(".explorable-guess")
    row.get_by_role("button", name="rise").click()
    expect(row.locator(".explorable-when")).to_have_text("At Cut-off K = 6:")
    form.locator(MOVER.format("k")).press("ArrowRight")
    expect(row.locator(".explorable-when")).to_have_text("Your guess was about Cut-off K = 6.")
    expect(row.locator(".explorable-told")).to_be_hidden()


# A model whose answers come when they are asked for, as those of a slow kernel.
SLOW = """async id => {
    const table = await recsysBook.load("explorables", id);
    const starts = table.facts.controls.map(control => control.start);
    const model = recsysBook.modelOf(id, table, starts, { quiet: true });
    const answer = model.save_changes;
    model.save_changes = () => { window.answerNow = answer; };
    const el = document.createElement("div");
    el.id = "slow";
    document.querySelector("article").prepend(el);
    recsysBook.fronts.get("explorable").render({ model, el });
    el.scrollIntoView({ block: "center" });
}"""
GRIP = """() => {
    const part = document.querySelector('#slow [data-move="k"]');
    const { x, width } = part.querySelector(".grip").getBoundingClientRect();
    return [x + width / 2, part.querySelector("text").textContent];
}"""


def test_a_grip_says_where_it_is_before_a_slow_kernel_has_answered(sample_site, open_view):
    page = open_view(sample_site, GAINS_PAGE).page
    page.evaluate(SLOW, "ranking.metric_values")
    at, words = page.evaluate(GRIP)
    assert words == "K = 5"
    box = page.locator('#slow [data-move="k"] .hit').bounding_box()
    page.mouse.move(at, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(at - box["width"], box["y"] + box["height"] / 2, steps=4)
    moved, words = page.evaluate(GRIP)
    assert moved < at - box["width"] / 3
    assert words in {"K = 3", "K = 4"}
    page.evaluate("answerNow()")
    assert page.evaluate(GRIP) == [pytest.approx(moved, abs=1), words]
    page.mouse.up()


def test_a_grip_does_not_lag_behind_its_words(sample_site, open_view):
    page = open_view(sample_site, GAINS_PAGE).page
    page.emulate_media(reduced_motion="no-preference")
    form = page.locator('[data-explorable="ranking.metric_values"]')
    form.scroll_into_view_if_needed()
    page.locator('[data-explorable="ranking.metric_values"][data-alive]').wait_for()
    form.locator(MOVER.format("k")).press("ArrowLeft")
    where = "e => [e.textContent, e.querySelector('.grip').getBoundingClientRect().x]"
    grip = form.locator('[data-move="k"]')
    first = grip.evaluate(where)
    page.wait_for_timeout(300)  # longer than other marks take
    assert grip.evaluate(where) == first
    page.emulate_media(reduced_motion="reduce")


# By then a picture knows of the window's new size.
NEXT_FRAME = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
# Width of the window, and how tall a figure may be with all that belongs to it.
SIZES = {"laptop": (1280, 480), "phone": (390, 600)}
TAKES = """id => {
    const section = document.querySelector(`[data-explorable="${id}"]`);
    const svg = section.querySelector('.explorable-svg');
    const width = (e) => e.getBoundingClientRect().width;
    const parts = [svg, ...section.querySelectorAll('.explorable-meters, .explorable-foot')];
    const drawn = svg.getBBox().width / svg.viewBox.baseVal.width;
    const ends = parts.map(e => e.getBoundingClientRect());
    const across = Math.max(...ends.map(e => e.right)) - Math.min(...ends.map(e => e.left));
    return { tall: section.offsetHeight, drawn, filled: across / width(section) };
}"""


@pytest.mark.parametrize("size", SIZES)
def test_a_figure_with_its_goals_and_controls_fits(sample_site, open_shared_view, size):
    wide, most = SIZES[size]
    phone = {"has_touch": True, "is_mobile": True} if size == "phone" else {}
    found = {}
    for path, names in groupby(REGISTRY, key=page_of):
        view, here = open_shared_view(sample_site, path, width=wide, **phone), list(names)
        view.wake()
        view.page.evaluate(NEXT_FRAME)
        found |= {name: view.page.evaluate(TAKES, name) for name in here}
    assert {name: one["tall"] for name, one in found.items() if one["tall"] > most} == {}
    # The drawing takes its sheet, and what there is to see takes the figure.
    for part in ("drawn", "filled"):
        assert {name: one[part] for name, one in found.items() if one[part] < 0.9} == {}


@pytest.mark.parametrize("size", SIZES)
def test_the_numbers_of_a_figure_are_in_rows_of_about_one_length(
    sample_site, open_shared_view, size
):
    wide, _ = SIZES[size]
    view = open_shared_view(sample_site, GAINS_PAGE, width=wide)
    view.wake()
    tops = view.page.locator(".explorable-body.is-wide .explorable-meters").evaluate_all(
        """all => all.map(one => [...one.querySelectorAll('.explorable-meter')].map(
            meter => Math.round(meter.getBoundingClientRect().bottom)))"""
    )
    assert tops
    for bottoms in tops:
        rows = [*Counter(bottoms).values()]
        assert max(rows[:-1], default=rows[-1]) - rows[-1] < len(rows), rows


# Touch ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def phones(sample_site, open_shared_view):
    """Opens the page of a subject on a phone, once, with all of it awake."""

    @cache
    def opened(path: str) -> tuple[View, Any]:
        view = open_shared_view(sample_site, path, width=390, has_touch=True, is_mobile=True)
        view.wake()
        view.page.evaluate(
            """() => {
                window.cancelled = 0;
                addEventListener('pointercancel', () => { cancelled += 1; }, true);
            }"""
        )
        return view, view.page.context.new_cdp_session(view.page)

    return opened


def swipe(finger, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Put a finger down, move it in steps, and lift it."""
    (x0, y0), (x1, y1) = start, end
    finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point(x0, y0)]})
    for part in range(1, 9):
        here = point(x0 + (x1 - x0) * part / 8, y0 + (y1 - y0) * part / 8)
        finger.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [here]})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def point(x: float, y: float) -> dict[str, float]:
    return {"x": x, "y": y}


# Where a finger takes hold of a grip, off its middle by less than half of 44 pixels; where it is 80
# pixels later, towards the end of the way that is further off; and which value is under it then.
TAKE_HOLD = """([id, name]) => {
    const part = document.querySelector(`[data-explorable="${id}"] [data-move="${name}"]`);
    part.scrollIntoView({ block: 'center', behavior: 'instant' });
    const along = part.dataset.x ? 'x' : 'y';
    const stops = part.dataset[along].split(' ').map(stop => {
        const onSheet = new DOMPoint(Number(stop), Number(stop));
        return onSheet.matrixTransform(part.parentNode.getScreenCTM())[along];
    });
    const box = part.querySelector('.grip').getBoundingClientRect();
    const from = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    const ahead = Math.max(...stops) - from[along] > from[along] - Math.min(...stops);
    const to = { ...from, [along]: from[along] + (ahead ? 80 : -80) };
    const far = stops.map(stop => Math.abs(stop - to[along]));
    return [[from.x, from.y], [to.x, to.y], far.indexOf(Math.min(...far))];
}"""


@pytest.mark.parametrize("name", REGISTRY)
def test_a_finger_moves_the_picture(phones, name):
    explorable = REGISTRY[name]
    view, finger = phones(page_of(name))
    page = view.page
    reset(section(view, name))
    at, cancelled = list(start(explorable)), page.evaluate("cancelled")
    if drags := drag(explorable):
        axis, control = drags[0]
        begin, end, at[axis] = page.evaluate(TAKE_HOLD, [name, control])
        swipe(finger, begin, end)
        assert at != list(start(explorable))
    else:
        box = section(view, name).locator('[data-move][role="button"]').first
        axis = [control.kind for control in explorable.controls].index("press")
        page.touchscreen.tap(*box.evaluate(MIDDLE, 0))
        at[axis] = (at[axis] + 1) % sizes(explorable)[axis]
    assert page.evaluate(SHOWN, name) == expected(explorable, tuple(at))
    assert page.evaluate("cancelled") == cancelled


# A place in the picture that is further from all that is moved than a finger is wide.
BETWEEN = """id => {
    const section = document.querySelector(`[data-explorable="${id}"]`);
    const picture = section.querySelector('.explorable-picture');
    picture.scrollIntoView({ block: 'center', behavior: 'instant' });
    const parts = [...section.querySelectorAll('[data-move]')].map(e => e.getBoundingClientRect());
    const { left, right, top, bottom } = picture.getBoundingClientRect();
    for (let y = bottom - 4; y > top; y -= 4) {
        for (let x = left + 4; x < right; x += 4) {
            const free = parts.every(e =>
                x < e.left - 23 || x > e.right + 23 || y < e.top - 23 || y > e.bottom + 23);
            if (free) return [x, y];
        }
    }
    return null;
}"""


@pytest.mark.parametrize("name", REGISTRY)
def test_a_swipe_elsewhere_on_the_picture_scrolls(phones, name):
    view, finger = phones(page_of(name))
    reset(section(view, name))
    before = view.page.evaluate(SHOWN, name)
    place = view.page.evaluate(BETWEEN, name)
    assert place is not None
    x, y = place
    was = view.page.evaluate("scrollY")
    # At the end of a short page there is nothing below to scroll to, so the finger goes down.
    below = view.page.evaluate("document.documentElement.scrollHeight - innerHeight - scrollY")
    way = 1 if below > 60 else -1
    swipe(finger, (x, y), (x, y - 120 * way))
    view.page.wait_for_function("([was, way]) => (scrollY - was) * way > 60", arg=[was, way])
    assert view.page.evaluate(SHOWN, name) == before


# Which handles a finger does not find although it comes down within 22 pixels of their middles.
OUT_OF_REACH = """id => {
    const section = document.querySelector(`[data-explorable="${id}"]`);
    section.scrollIntoView({ block: 'center', behavior: 'instant' });
    const missed = [];
    for (const part of section.querySelectorAll('[data-x], [data-y]')) {
        const box = part.querySelector('.grip').getBoundingClientRect();
        const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
        for (const [across, down] of [[-21, 0], [21, 0], [0, -21], [0, 21]]) {
            const [clientX, clientY] = [x + across, y + down];
            const target = document.elementFromPoint(clientX, clientY);
            const other = target?.closest('[data-move], button, select, input, a');
            if (!target || (other && other !== part) || !section.contains(target)) continue;
            const touch = new Touch({ identifier: 1, target, clientX, clientY });
            const down_ = new TouchEvent(
                'touchstart', { bubbles: true, cancelable: true, changedTouches: [touch] });
            target.dispatchEvent(down_);
            if (!down_.defaultPrevented) missed.push([part.dataset.move, across, down]);
        }
    }
    return missed;
}"""


@pytest.mark.parametrize("name", REGISTRY)
def test_every_grip_can_be_hit_within_44_pixels(phones, name):
    assert phones(page_of(name))[0].page.evaluate(OUT_OF_REACH, name) == []


def test_a_grip_is_moved_by_the_keyboard(pages):
    name = "ranking.metric_values"
    view, explorable = pages(GAINS_PAGE), REGISTRY[name]
    form = section(view, name)
    reset(form)
    grip = form.get_by_role("slider", name="Cut-off K").first
    grip.focus()
    view.page.keyboard.press("ArrowLeft")
    at = list(start(explorable))
    at[0] -= 1
    assert view.page.evaluate(SHOWN, name) == expected(explorable, tuple(at))
    assert grip.get_attribute("aria-valuetext") == "4"
    assert view.page.evaluate("document.activeElement.dataset.move") == "k"
    reset(form)


def test_exact_values_are_folded_for_the_eye_alone(pages):
    view = pages(GAINS_PAGE)
    form = section(view, "ranking.hits")
    exact, button = form.locator(".explorable-exact"), form.locator(".card-more")
    item = form.locator("[role=menuitemcheckbox]")
    tall = "e => e.offsetHeight"
    fold(form)
    assert exact.evaluate(tall) <= 1
    assert exact.get_by_role("row").count() == 6  # a screen reader has them
    exact.locator("input").focus()
    assert exact.evaluate(tall) > 40
    button.focus()
    assert exact.evaluate(tall) <= 1
    unfold(form)
    assert exact.evaluate(tall) > 40
    assert item.get_attribute("aria-checked") == "true"
    fold(form)
    assert exact.evaluate(tall) <= 1


# The menu, and what there is to find ------------------------------------------------------------

FOCUS = "document.activeElement.textContent"
ITEMS = ["Exact values", "Link to this state", "Embed this figure"]


def test_the_menu_of_a_figure_works_by_keyboard(pages):
    view = pages(GAINS_PAGE)
    page, form = view.page, section(view, "ranking.ties")
    fold(form)
    button, menu = form.locator(".card-more"), form.locator("[role=menu]")
    assert button.get_attribute("aria-haspopup") == "menu"
    button.focus()
    page.keyboard.press("ArrowDown")
    assert button.get_attribute("aria-expanded") == "true"
    assert [item.inner_text() for item in menu.locator("[role^=menuitem]").all()] == ITEMS
    found = [page.evaluate(FOCUS)]
    for key in ("ArrowDown", "End", "ArrowDown", "ArrowUp", "Home"):
        page.keyboard.press(key)
        found.append(page.evaluate(FOCUS))
    assert found == [ITEMS[at] for at in (0, 1, 2, 0, 2, 0)]
    page.keyboard.press("Escape")
    assert menu.is_hidden()
    assert button.get_attribute("aria-expanded") == "false"
    assert button.evaluate("e => e === document.activeElement")
    page.keyboard.press("Enter")
    page.keyboard.press("Space")
    assert form.locator(".explorable-exact").evaluate("e => e.offsetHeight") > 40
    assert menu.is_hidden()
    assert button.evaluate("e => e === document.activeElement")
    # It goes where the focus leaves it, and where something else is pressed.
    for leave in (lambda: page.keyboard.press("Tab"), lambda: page.mouse.click(2, 300)):
        button.click()
        assert menu.is_visible()
        leave()
        assert menu.is_hidden()
    # The space bar follows a link, too.
    form.locator('[data-move="k"]').first.press("ArrowLeft")
    button.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    assert page.evaluate("location.hash").startswith("#ranking.ties?k=")
    fold(form)
    reset(form)


def test_a_press_that_folds_the_exact_values_at_the_end_of_a_page_is_heard(pages):
    name = "ranking.two_stages"
    view = pages(GAINS_PAGE)
    form = section(view, name)
    fold(form)
    form.locator(MOVER.format("k")).first.press("End")
    view.page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    form.locator(".explorable-reset").click()
    assert form.locator(".explorable-exact").evaluate("e => e.offsetHeight") <= 1
    assert view.page.evaluate(SHOWN, name) == expected(REGISTRY[name], start(REGISTRY[name]))


def test_a_finger_opens_the_menu_of_a_figure(phones):
    view, _ = phones(GAINS_PAGE)
    form = section(view, "ranking.ties")
    form.scroll_into_view_if_needed()
    form.locator(".card-more").tap()
    for thing in (form.locator(".card-more"), *form.locator("[role^=menuitem]").all()):
        box = thing.bounding_box()
        assert min(box["width"], box["height"]) >= 44
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
    form.get_by_role("menuitemcheckbox", name="Exact values").tap()
    assert form.locator(".explorable-exact").evaluate("e => e.offsetHeight") > 40
    form.locator(".card-more").tap()
    form.get_by_role("menuitemcheckbox", name="Exact values").tap()
    assert form.locator(".explorable-exact").evaluate("e => e.offsetHeight") <= 1


def test_a_way_back_is_offered_where_there_is_one(sample_site, open_view):
    page = open_view(sample_site, GAINS_PAGE).page
    form = page.locator('[data-explorable="ranking.metric_values"]')
    form.scroll_into_view_if_needed()
    page.locator('[data-explorable="ranking.metric_values"][data-alive]').wait_for()
    button = form.locator(".explorable-reset")
    assert button.is_hidden()
    form.locator('[data-move="k"]').press("ArrowLeft")
    assert button.is_visible()
    form.locator('[data-move="k"]').press("ArrowRight")
    assert button.is_hidden()
    # Who saw the answer before guessing gets the question again.
    form.locator('[data-move="k"]').press("ArrowRight")
    form.locator('[data-move="k"]').press("ArrowLeft")
    assert button.is_visible()
    button.click()
    assert form.get_by_role("button", name="rise").is_visible()
    assert button.is_hidden()


PARTS = ".explorable-picture, .explorable-meter, .explorable-controls, .card-more"
TOPS = """([form, parts]) => {
    const top = (e) => e.getBoundingClientRect().y - form.getBoundingClientRect().y;
    const shown = [...form.querySelectorAll(parts)].filter(e => e.checkVisibility());
    return [...shown.map(top), form.offsetHeight];
}"""


def tops(form):
    """Return how far below its upper edge the parts of a figure are, and how tall it is."""
    return form.page.evaluate(TOPS, [form.element_handle(), PARTS])


# How much taller a figure may be while it shows its goals, and what they show once they are found.
GROWS = {390: 120, 1280: 90}


@pytest.mark.parametrize("width", GROWS)
@pytest.mark.parametrize("path", dict.fromkeys(map(page_of, REGISTRY)))
def test_goals_are_shown_to_who_asks_and_move_nothing(sample_site, open_view, path, width):
    view = open_view(sample_site, path, width=width)
    view.wake()
    for name in [name for name in REGISTRY if page_of(name) == path]:
        form = section(view, name)
        count, goals = form.locator(".explorable-count"), form.locator(".explorable-goals")
        assert count.inner_text() == f"{len(REGISTRY[name].goals)} to find"
        assert count.get_attribute("aria-expanded") == "false"
        assert count.get_attribute("aria-controls") == goals.get_attribute("id")
        assert goals.is_hidden()
        *parts, height = tops(form)
        count.click()
        assert goals.is_visible()
        assert count.get_attribute("aria-expanded") == "true"
        goals.evaluate("e => [...e.children].forEach(li => li.classList.add('is-found'))")
        *after, taller = tops(form)
        assert after == parts
        assert taller - height <= GROWS[width]
        count.click()
        assert goals.is_hidden()
        assert tops(form) == [*parts, height]


def test_goals_are_shown_after_a_find_and_not_after_a_move(sample_site, open_view):
    expect = pytest.importorskip("playwright.sync_api").expect
    name = "protocol.peeking"
    page = open_view(sample_site, page_of(name)).page
    form = page.locator(f'[data-explorable="{name}"]')
    form.scroll_into_view_if_needed()
    page.locator(f'[data-explorable="{name}"][data-alive]').wait_for()
    goals, count = form.locator(".explorable-goals"), form.locator(".explorable-count")
    assert goals.is_hidden()
    form.locator('input[type="range"]').press("ArrowRight")
    assert goals.is_hidden()
    form.locator('input[type="range"]').press("End")
    form.locator(".explorable-goals li.is-found").wait_for()
    assert goals.is_visible()
    expect(count).to_have_text("1 of 2 found")
    # A later visit says how much was found, and shows it on request.
    page.reload()
    form.scroll_into_view_if_needed()
    expect(count).to_have_text("1 of 2 found")
    assert goals.is_hidden()
    count.click()
    assert form.locator(".explorable-goals li.is-found .explorable-shows").is_visible()


def test_a_printed_figure_has_its_goals_and_no_controls(sample_site, open_view):
    view = open_view(sample_site, page_of("protocol.peeking"))
    view.wake()
    form = section(view, "protocol.peeking")
    view.page.emulate_media(media="print")
    assert form.locator(".explorable-goals").is_visible()
    for part in (".explorable-foot", ".card-more", ".explorable-guess", "select"):
        assert form.locator(part).first.is_hidden()
    view.page.emulate_media(media="screen")


# A page of its own ------------------------------------------------------------------------------


def test_every_figure_has_a_page_that_can_be_embedded(sample_site, open_view):
    for name, explorable in REGISTRY.items():
        page = (sample_site.folder / "explorables" / f"{name}.html").read_text(encoding="utf-8")
        assert f'data-explorable="{name}"' in page
        assert f'href="../{page_of(name)}"' in page
        assert f"<title>{html.escape(explorable.question)}</title>" in page
    name = "ranking.hits"
    view = open_view(sample_site, f"explorables/{name}.html?#{name}?k=3", width=390)
    page = view.page
    page.wait_for_selector(f'[data-explorable="{name}"][data-alive]')
    at = (REGISTRY[name].indices({**REGISTRY[name].start, "k": 3})[0], *start(REGISTRY[name])[1:])
    assert page.evaluate(SHOWN, name) == expected(REGISTRY[name], at)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("button", name="Copy the embed code").click()
    page.wait_for_function("document.querySelector('.embed-foot [role=status]').textContent")
    page.locator(".embed-foot a").click()
    page.wait_for_selector(f'[data-explorable="{name}"][data-alive]')
    assert page.url.endswith(f"/{page_of(name)}#{name}?k=3")
    assert page.evaluate(SHOWN, name) == expected(REGISTRY[name], at)
    assert view.errors + view.outside == []


def test_a_figure_works_in_a_frame_of_another_page(sample_site, open_view):
    name = "ranking.hits"
    view = open_view(sample_site, PAGE)
    page = view.page
    page.evaluate(
        """src => {
            const frame = document.createElement('iframe');
            frame.src = src;
            document.body.append(frame);
        }""",
        f"{sample_site.address}/explorables/{name}.html",
    )
    page.locator("iframe").last.scroll_into_view_if_needed()
    frame = page.frame_locator("iframe").last
    frame.locator(f'[data-explorable="{name}"][data-alive]').wait_for()
    frame.get_by_role("slider").first.press("Home")
    assert "K = 1" in frame.locator(".explorable-svg").text_content()
    section(view, "rating.outlier").scroll_into_view_if_needed()
    menu = open_menu(section(view, "rating.outlier"))
    link = menu.get_by_role("menuitem", name="Embed this figure")
    assert link.get_attribute("href").endswith("/explorables/rating.outlier.html")
    assert view.errors == []
