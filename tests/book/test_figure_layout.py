"""How interactive figures are laid out: zones that are apart, without shadows."""

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
