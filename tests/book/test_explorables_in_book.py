"""Each explorable moved in the page by keyboard and by pointer: it shows what Python computes."""

from __future__ import annotations

import re
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
    page.keyboard.press("Tab")
    while page.evaluate("document.activeElement.textContent") != "Reset":
        page.keyboard.press("Tab")  # what is pressed in the picture comes before its fields
    page.keyboard.press("Enter")
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
                page.mouse.click(*box.evaluate(BESIDE_ITS_END, end))
            else:
                box.select_option(index=end)
            at[axis] = end
            assert page.evaluate(SHOWN, name) == expected(explorable, tuple(at))
    form.get_by_role("button", name="Reset").click()
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
    link = form.get_by_role("link", name="Link to this state").get_attribute("href")
    view.page.wait_for_url(f"**{link}")
    return link, expected(explorable, last)


@some_figures
@pytest.mark.parametrize("name", REGISTRY)
def test_a_state_is_restored_from_its_address(sample_site, view, name):
    explorable, page = REGISTRY[name], view.page
    link, shown = moved_to_its_last_state(view, name)
    section(view, name).get_by_role("button", name="Reset").click()
    page.wait_for_url(f"**#{name}?")
    assert page.evaluate(SHOWN, name) == expected(explorable, start(explorable))
    page.goto(f"{sample_site.address}/{page_of(name)}{link}")
    assert page.evaluate(SHOWN, name) == shown
    assert section(view, name).evaluate("e => e.getBoundingClientRect().width") > 0
    section(view, name).get_by_role("button", name="Reset").click()


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
    section(pages(page_of(name)), name).get_by_role("button", name="Reset").click()


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
    lines = form.locator(".explorable-readout line")
    form.get_by_role("button", name="Reset").click()
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
    form.get_by_role("button", name="Reset").click()


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
    found = form.locator(".explorable-goals strong")
    expect(form.locator(".explorable-goals li")).to_have_count(2)
    expect(found).to_have_count(0)
    form.locator('input[type="range"]').press("End")
    expect(found).to_have_count(1)
    expect(form.locator(".explorable-goals li").first).to_contain_text(goal.explanation)
    expect(form.locator(".explorable-status")).to_contain_text(f"Found: {goal.text}")
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
    const box = part.getBoundingClientRect();
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
    form.get_by_role("button", name="Reset").click()
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
    form.get_by_role("button", name="Reset").click()
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
    expect(row).to_contain_text("Noted.")
    row.get_by_role("button", name="Show it").click()
    expect(row.locator(".explorable-told")).to_have_text(told["rise"])
    expect(form.locator(".explorable-status")).to_contain_text("You said rise")
    expect(page.locator(".progress-line [role=status]")).to_contain_text("1 of")
    page.reload()
    form.scroll_into_view_if_needed()
    expect(row.locator(".explorable-told")).to_have_text(told["rise"])
    kept = page.evaluate("JSON.parse(recsysBook.progress.asFile()).history")
    guesses = [parse_event(one) for one in kept if one["what"] == "guess"]
    assert [(one.exercise, one.answer) for one in guesses] == [("ranking.metric_values", "rise")]


def test_moving_a_control_first_hides_the_prediction(sample_site, open_shared_view):
    expect = pytest.importorskip("playwright.sync_api").expect
    form = section(open_shared_view(sample_site, GAINS_PAGE), "ranking.metric_values")
    form.scroll_into_view_if_needed()
    row = form.locator(".explorable-guess")
    expect(row).to_be_visible()
    form.locator(MOVER.format("k")).press("ArrowRight")
    expect(row).to_be_hidden()


# By then a picture knows of the window's new size.
NEXT_FRAME = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
SIZES = {"laptop": (1280, 720), "phone": (390, 700)}
IN_VIEW = """id => {
    const section = document.querySelector(`[data-explorable="${id}"]`);
    const bar = document.querySelector('.bd-header-article')?.getBoundingClientRect().bottom ?? 0;
    const parts = ['.explorable-picture', '.explorable-readout tbody'];
    // On a phone the fields of what is moved in the picture may stand below it.
    const moved = new Set([...section.querySelectorAll('[data-move]')].map(e => e.dataset.move));
    const fields = [...section.querySelectorAll('.explorable-control')];
    const needed = parts.map(pick => section.querySelector(pick));
    if (innerWidth > 600) needed.push(...fields);
    else needed.push(...fields.filter(e => !moved.has(e.dataset.control)).slice(0, 1));
    const boxes = needed.map(e => e.getBoundingClientRect());
    return Math.max(...boxes.map(b => b.bottom)) - Math.min(...boxes.map(b => b.top)) + bar;
}"""


def test_a_figure_with_its_numbers_and_controls_fits_the_window(sample_site, open_shared_view):
    too_tall = {}
    for path, names in groupby(REGISTRY, key=page_of):
        view, here = open_shared_view(sample_site, path), list(names)
        view.wake()
        for size, (wide, tall) in SIZES.items():
            view.page.set_viewport_size({"width": wide, "height": tall})
            view.page.evaluate(NEXT_FRAME)
            for name in here:
                needs = view.page.evaluate(IN_VIEW, name)
                if needs > tall:
                    too_tall[size, name] = round(needs)
    assert too_tall == {}
