"""How long one move of an explorable takes: in Jupyter, and in the book.

In Jupyter a move is the callback with all it computes and draws, until the widget has the new
picture. In the book it is the event with all it does to the page, until the browser has laid it
out. Not counted is what Jupyter's or the screen's own way takes from there.
"""

from __future__ import annotations

import random
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recsys_metrics.workbook.common.frontend import as_script as front_as_script
from recsys_metrics.workbook.common.frontend import read_style
from recsys_metrics.workbook.explorables import REGISTRY, Explorable, frontend
from recsys_metrics.workbook.explorables.precomputed import as_script
from recsys_metrics.workbook.explorables.widget import create_widget

_RANDOM = 150

BOOK = Path(__file__).resolve().parents[2] / "book"

_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>moves</title>
<link rel="stylesheet" href="book.css"><link rel="stylesheet" href="front/explorable.css">
<main>{stills}</main>
<script src="book.js"></script><script src="front/explorable.js"></script>
<script src="progress.js"></script><script src="explorables.js"></script></html>"""

# All moves of a page, one control after another, each with the layout that follows.
_MOVES = """async ([id, most]) => {
    const section = document.querySelector(`[data-explorable="${id}"]`);
    section.scrollIntoView();
    while (!section.matches('[data-alive]')) await new Promise(done => setTimeout(done, 10));
    const times = [];
    const timed = async (move) => {
        const started = performance.now();
        move();
        section.getBoundingClientRect();
        times.push(performance.now() - started);
        await new Promise(requestAnimationFrame);
    };
    for (const box of section.querySelectorAll('.explorable-control :is(input, select)')) {
        const last = box.matches('select') ? box.options.length - 1 : Number(box.max);
        for (let turn = 0; turn < 2; turn++) {
            for (let at = 0; at <= last && times.length < most; at++) {
                await timed(() => {
                    box.value = at;
                    box.dispatchEvent(new Event('input', {bubbles: true}));
                });
            }
        }
    }
    // What is pressed in the picture may be drawn anew by a press.
    const buttons = '[data-move][role="button"]';
    const pressed = [...section.querySelectorAll(buttons)].map(e => e.dataset.move);
    for (let turn = 0; turn < 4; turn++) {
        for (const name of pressed) {
            const part = section.querySelector(`${buttons}[data-move="${name}"]`);
            await timed(() => part.dispatchEvent(new MouseEvent('click', {bubbles: true})));
        }
    }
    return times;
}"""


def moves(explorable: Explorable) -> Iterator[tuple[str, Any]]:
    """Yield control and value: once through every value of every control, then at random."""
    for control in explorable.controls:
        for value in control.values:
            yield control.name, value
    rng = random.Random(0)
    for _ in range(_RANDOM):
        control = rng.choice(explorable.controls)
        yield control.name, rng.choice(list(control.values))


def in_jupyter(explorable: Explorable) -> list[float]:
    """Return the milliseconds of each move of the live form."""
    form = create_widget(explorable)
    times = []
    for name, value in moves(explorable):
        started = time.perf_counter()
        form.move({name: value})
        times.append(1000 * (time.perf_counter() - started))
    return times


def in_the_book(most: int = 200) -> dict[str, list[float]]:
    """Return the milliseconds of each move in Chromium, by explorable; none without Chromium."""
    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        return {}
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as name, sync_playwright() as driver:
        folder = Path(name)
        (folder / "explorables").mkdir()
        for file in ("book.js", "progress.js", "explorables.js", "book.css"):
            shutil.copy(BOOK / "_static" / file, folder)
        (folder / "front").mkdir()
        script = front_as_script(frontend.EXPLORABLE)
        (folder / "front" / "explorable.js").write_text(script, encoding="utf-8")
        style = read_style(frontend.STYLE)
        (folder / "front" / "explorable.css").write_text(style, encoding="utf-8")
        for key, explorable in REGISTRY.items():
            (folder / "explorables" / f"{key}.js").write_text(as_script(explorable))
        stills = "".join(explorable.static_html() for explorable in REGISTRY.values())
        (folder / "index.html").write_text(_PAGE.format(stills=stills), encoding="utf-8")
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto((folder / "index.html").as_uri())
        times = {key: page.evaluate(_MOVES, [key, most]) for key in REGISTRY}
        browser.close()
    return times


def percentile_95(times: list[float]) -> float:
    """Return the time that 95 of 100 moves stay below."""
    return statistics.quantiles(times, n=20, method="inclusive")[-1]


def report() -> None:
    """Measure every explorable and print a table."""
    # Before the book's pictures are drawn: what an explorable has computed once it may keep.
    jupyter = {name: percentile_95(in_jupyter(one)) for name, one in REGISTRY.items()}
    book = {name: percentile_95(times) for name, times in in_the_book().items()}
    print(f"one move, 95th percentile in milliseconds{'' if book else ' (no Chromium here)'}\n")
    print(f"{'':34}{'states':>8}{'Jupyter':>10}{'book':>8}")
    for name, explorable in REGISTRY.items():
        browser = f"{book[name]:8.1f}" if book else f"{'–':>8}"
        print(f"{name:34}{explorable.n_states:8,}{jupyter[name]:10.1f}{browser}")
