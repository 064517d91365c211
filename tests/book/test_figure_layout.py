"""How interactive figures are laid out: zones that are apart, and words that do not overlap."""

from __future__ import annotations

import pytest

from recsys_metrics.workbook.explorables import REGISTRY

pytestmark = pytest.mark.browser

PAGES = {f"chapters/explorables_{name.partition('.')[0]}.html": None for name in REGISTRY}

ZONES = """id => {
    const section = document.querySelector(`[data-explorable="${id}"]`);
    const box = (pick) => section.querySelector(pick).getBoundingClientRect();
    const guess = section.querySelector('.explorable-guess');
    const [title, body] = [box('.explorable-question'), box('.explorable-body')];
    const edges = section.getBoundingClientRect();
    const first = (guess ?? section.querySelector('.explorable-body')).getBoundingClientRect();
    const main = box('.explorable-main');
    const quiet = (e) => {
        const { boxShadow, filter } = getComputedStyle(e);
        return e.closest('.card-items') || (boxShadow === 'none' && filter === 'none');
    };
    return {
        gaps: [
            title.x - edges.x, title.y - edges.y, first.y - title.bottom,
            body.y - (guess ? first.bottom : title.bottom),
        ],
        selects: [...section.querySelectorAll('select')]
            .map(e => e.offsetWidth / main.width),
        shadows: [...section.querySelectorAll('*')].filter(e => !quiet(e)).map(e => e.outerHTML),
    };
}"""


@pytest.mark.parametrize(("width", "least"), [(1280, 16), (390, 11)])
@pytest.mark.parametrize("path", PAGES)
def test_zones_of_a_figure_are_apart_and_nothing_has_a_shadow(
    sample_site, open_shared_view, path, width, least
):
    view = open_shared_view(sample_site, path, width=width)
    view.wake()
    for name in REGISTRY:
        if not path.endswith(f"_{name.partition('.')[0]}.html"):
            continue
        found = view.page.evaluate(ZONES, name)
        assert min(found["gaps"]) >= least, (name, found["gaps"])
        assert max(found["selects"], default=0) < 0.9, name
        assert found["shadows"] == [], name


# Which words of a drawing cover each other or a grip, or leave the sheet.
CROWDED = """svg => {
    document.body.innerHTML = svg;
    const sheet = document.querySelector('svg');
    sheet.setAttribute('width', 480);
    sheet.removeAttribute('height');
    const box = (e) => e.getBoundingClientRect();
    const seen = (e) => {
        for (let up = e; up !== sheet; up = up.parentElement)
            if (Number(up.getAttribute('opacity') ?? 1) < 0.05) return false;
        return true;
    };
    const words = [...sheet.querySelectorAll('text')].filter(e => e.textContent.trim() && seen(e));
    const over = (a, b) => [
        Math.min(a.right, b.right) - Math.max(a.left, b.left),
        Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top),
    ];
    const paper = box(sheet);
    const found = [];
    words.forEach((one, at) => {
        const here = box(one);
        const name = one.textContent;
        const isOut = here.right > paper.right + 3 || here.bottom > paper.bottom + 5;
        if (isOut) found.push([name, 'out']);
        for (const other of words.slice(at + 1)) {
            const [across, down] = over(here, box(other));
            if (across > 2 && down > 6) found.push([name, other.textContent]);
        }
        for (const grip of sheet.querySelectorAll('.grip')) {
            const [across, down] = over(here, box(grip));
            const own = grip.parentElement === one.parentElement;
            if (!own && across > 3 && down > 7) found.push([name, 'grip']);
        }
    });
    return found;
}"""


@pytest.mark.parametrize("name", REGISTRY)
def test_words_of_a_figure_do_not_cover_each_other(sample_site, open_shared_view, name):
    page = open_shared_view(sample_site, "explorables/ranking.hits.html").page
    explorable = REGISTRY[name]
    for control in explorable.controls:
        for value in control.values:
            state = {**explorable.start, control.name: value}
            svg = explorable.draw(state, explorable.compute(state)).svg
            assert page.evaluate(CROWDED, svg) == [], state
