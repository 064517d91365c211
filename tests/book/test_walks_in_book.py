"""A walk in a page: the picture stays and goes to the state of the step that is being read."""

from __future__ import annotations

import pytest

from recsys_metrics.workbook.explorables import REGISTRY
from tests.chapters.test_walks import ALL

pytestmark = pytest.mark.browser

# What is seen when a step stands in the middle of what is read.
READ = """at => {
    const steps = [...document.querySelectorAll('.walk-step')];
    const box = steps[at].getBoundingClientRect();
    const goal = innerHeight * (innerWidth < 1200 ? 0.72 : 0.55);
    const top = scrollY + box.top - goal + Math.min(box.height, 200) / 2;
    scrollTo({ top, behavior: 'instant' });
}"""
SHOWN = """() => ({
    alt: document.querySelector('.walk-stage svg').getAttribute('aria-label'),
    now: [...document.querySelectorAll('.walk-step')].findIndex(e => e.matches('.walk-now')),
    top: document.querySelector('.walk-stage').getBoundingClientRect().top,
    bottom: document.querySelector('.walk-stage').getBoundingClientRect().bottom,
    sideways: document.documentElement.scrollWidth > innerWidth,
    // Words that pass the top of the window are below the bar.
    covered: [0.01, 0.5, 0.99].every(part => {
        const { left, width } = document.querySelector('.walk-steps').getBoundingClientRect();
        const there = document.elementFromPoint(left + part * width, 10);
        return there?.closest('.bd-header-article') != null;
    }),
})"""
SIZES = {"laptop": (1280, 720), "phone": (390, 700)}


def describe_steps(stem: str) -> list[str]:
    """Return what the picture of each step of a walk says."""
    _, walk = ALL[stem]
    explorable = REGISTRY[walk[0][0]]
    return [
        explorable.render_state(explorable.state_from_indices(state))["alt"] for _, state, _ in walk
    ]


@pytest.mark.sweep("stem", keep=1)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("stem", ALL)
def test_the_picture_stays_visible_while_the_steps_scroll(book, open_shared_view, stem, size):
    wide, tall = SIZES[size]
    view = open_shared_view(book, f"chapters/{stem}.html", width=wide)
    page = view.page
    page.set_viewport_size({"width": wide, "height": tall})
    page.locator("[data-step], .walk").first.scroll_into_view_if_needed()
    page.wait_for_selector(".walk[data-alive]")
    words = describe_steps(stem)
    for at in (*range(len(words)), 0):
        page.evaluate(READ, at)
        page.wait_for_function(
            "at => document.querySelectorAll('.walk-step')[at].matches('.walk-now')", arg=at
        )
        seen = page.evaluate(SHOWN)
        assert seen["alt"] == words[at]
        assert seen["now"] == at
        assert not seen["sideways"]
        if at:  # it has come to its place
            assert seen["covered"]
            assert 0 <= seen["top"] < tall / 3
            assert seen["bottom"] <= tall * (0.65 if size == "phone" else 1)
    # What each picture says is there for whoever does not see it go from state to state.
    assert page.locator(".walk-said").all_text_contents() == words
    kept = page.evaluate("JSON.parse(recsysBook.progress.asFile()).history")
    assert kept == [], "a walk notes nothing of what it shows"
    assert view.errors == []


def test_without_javascript_the_steps_are_stacked(book, open_shared_view):
    stem = next(iter(ALL))
    page = open_shared_view(book, f"chapters/{stem}.html", java_script_enabled=False).page
    pictures = page.locator("[data-step] svg[role=img]")
    alts = [one.get_attribute("aria-label") for one in pictures.all()]
    assert alts == describe_steps(stem)
    tops = [one.bounding_box()["y"] for one in pictures.all()]
    assert tops == sorted(tops)
