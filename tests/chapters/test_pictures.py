"""Pictures of the chapters on a phone: letters that can be read, on their sheet, none on another.

What an explorable draws is left out: its states are many more than the one that a notebook keeps.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.chapters.test_chapter_texts import IDS, TEXTS, pair, style
from tests.svg_text import CARD, PHONE, SMALLEST, smallest_letter

# Of each drawing, the texts that reach beyond it and the pairs that lie on each other. A text's
# box has room above and below its letters, which may lie in that of the next line.
FAULTS = """() => [...document.querySelectorAll('svg[role=img]')].map(svg => {
    const sheet = svg.getBoundingClientRect(), found = [], before = [];
    for (const text of svg.querySelectorAll('text')) {
        const box = text.getBoundingClientRect(), words = text.textContent.trim();
        const beyond = Math.max(sheet.left - box.left, box.right - sheet.right,
                                sheet.top - box.top - 1, box.bottom - sheet.bottom - 1);
        if (words && beyond > 1.5) found.push(`${words}: ${beyond.toFixed(1)} beyond the sheet`);
        for (const [other, its] of before) {
            const across = Math.min(box.right, its.right) - Math.max(box.left, its.left);
            const down = Math.min(box.bottom, its.bottom) - Math.max(box.top, its.top);
            if (words && across > 1 && down > 4.5) found.push(`${words} lies on ${other}`);
        }
        if (words) before.push([words, box]);
    }
    return found;
})"""


def drawings(path: Path) -> dict[str, int]:
    """Return what a notebook draws, but for explorables, with the column that each drawing has."""
    found = {}
    for cell in pair(path).cells:
        page = style.shown(cell) if cell.cell_type == "code" else ""
        if "data-explorable" not in page:
            framed = "metric-card" in page or "data-exercise" in page
            found |= dict.fromkeys(_whole(page), CARD if framed else PHONE)
    return found


def _whole(page: str) -> list[str]:
    """Return the drawings of a page, each with those that are put into it."""
    found = []
    for start in (one.start() for one in re.finditer('<svg role="img"', page)):
        depth = 0
        for tag in re.finditer(r"<svg\b|</svg>", page[start:]):
            depth += 1 if tag[0] == "<svg" else -1
            if not depth:
                found.append(page[start : start + tag.end()])
                break
    return found


def test_cards_charts_and_figures_are_all_collected():
    drawn = {svg: column for path in TEXTS for svg, column in drawings(path).items()}
    assert len(drawn) > 150
    assert {*drawn.values()} == {CARD, PHONE}
    assert any(">K = " in svg for svg in drawn)  # a list
    assert any('width="360pt"' in svg for svg in drawn)  # a chart


@pytest.mark.parametrize("path", TEXTS, ids=IDS)
def test_no_picture_has_a_style_element(path):
    """Matplotlib's took the round ends from strokes of no length: the dots of three explorables."""
    assert [svg[:150] for svg in drawings(path) if "<style" in svg] == []


@pytest.mark.parametrize("path", TEXTS, ids=IDS)
def test_text_in_pictures_is_large_enough_on_a_phone(path):
    sizes = {svg[:150]: smallest_letter(svg, column) for svg, column in drawings(path).items()}
    assert {svg: size for svg, size in sizes.items() if size < SMALLEST} == {}


@pytest.mark.browser
def test_no_text_overflows_or_overlaps(browser):
    page = browser.new_page(viewport={"width": PHONE + 48, "height": 844})
    faults = {}
    for path, name in zip(TEXTS, IDS, strict=True):
        drawn = drawings(path)
        page.set_content("".join(f'<div style="width:{PHONE}px">{svg}</div>' for svg in drawn))
        found = page.evaluate(FAULTS)
        assert len(found) == len(drawn)
        for svg, each in zip(drawn, found, strict=True):
            if each:
                faults[f"{name}, {svg[14:90]}"] = each
    page.close()
    assert faults == {}


@pytest.mark.browser
def test_overflowing_and_overlapping_text_is_detected(browser):
    page = browser.new_page()
    texts = "".join(
        f'<text x="{x}" y="{y}">{words}</text>'
        for x, y, words in ((2, 20, "under"), (9, 22, "over"), (60, 20, "goes too far"))
    )
    page.set_content(f'<svg role="img" width="100" height="40">{texts}</svg>')
    (found,) = page.evaluate(FAULTS)
    page.close()
    assert len(found) == 2
    assert "over lies on under" in found
    assert "beyond the sheet" in found[1]
