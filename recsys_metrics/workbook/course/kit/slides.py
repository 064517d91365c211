"""Slides of a part: its own pictures, its prediction, its summary, and notes for who speaks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import nbformat

from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.common.picture import inline_pictures
from recsys_metrics.workbook.exercises.base import Exercise
from recsys_metrics.workbook.exercises.prediction import Predict
from recsys_metrics.workbook.grading.static_page import render_page

_STYLE = """\
html { scroll-snap-type: y proximity }
body { max-width: none; margin: 0; padding: 0 }
section { box-sizing: border-box; min-height: 100vh; scroll-snap-align: start; display: flex;
  flex-direction: column; padding: 4vh 6vw 2vh; border-bottom: 1px solid #8884 }
h1, h2 { font-size: clamp(1.4rem, 4vw, 2.4rem); margin: 0 0 2vh }
.shown { flex: 1; display: flex; flex-direction: column; justify-content: center;
  font-size: clamp(1rem, 2.2vw, 1.6rem) }
.shown svg { width: 100%; max-width: 64rem; max-height: 70vh; margin: 0 auto }
.shown li { margin: .4em 0 }
details { font-size: .95rem; max-width: 60em }
summary { cursor: pointer }
@page { size: A4 landscape; margin: 1cm }
@media print { section { break-after: page; break-inside: avoid; min-height: 0; height: 17cm;
  border: 0; padding: 0 } details:not([open]) { display: none } }
"""
_PICTURE = '<svg role="img"'
_ALT = re.compile(r'aria-label="([^"]*)"')
_GUESS = re.compile(r"^ex\.(\w+)$", re.MULTILINE)
_MOST_WORDS = 140
_SHOWN_IN_WORDS = ("Predict first", "Summary")


@dataclass(frozen=True)
class Slide:
    """What is shown, and what is said to it.

    Attributes
    ----------
    title : str
        In markdown.
    shown : str
        HTML.
    notes : tuple of str
        In markdown, a paragraph each.
    """

    title: str
    shown: str
    notes: tuple[str, ...]


def slides_of(notebook: nbformat.NotebookNode, exercises: Sequence[Exercise]) -> list[Slide]:
    """Return the slides of a part.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        The part as it is saved, with its outputs.
    exercises : sequence of Exercise
        Of the part: its prediction is among them.

    Returns
    -------
    list of Slide
        Its opening, what to predict, a slide for each picture, and its summary.
    """
    found: list[Slide] = []
    title, heading, words = "", "", list[str]()
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            # What follows a picture is said to it, too.
            if found and not words:
                found[-1] = _with_notes(found[-1], cell.source)
            for heading_here, text in _sections(cell.source):
                if heading_here:
                    heading, words = heading_here, []
                    title = title or heading
                if text and heading_here in _SHOWN_IN_WORDS:
                    found.append(Slide(heading, markup.render_block(_without_links(text)), ()))
                elif text:
                    words.append(text)
            continue
        found += [
            Slide(heading, picture, _noted([*words, f"Shown: {_alt(picture)}"]))
            for picture in _pictures(cell)
        ]
        words = [] if _pictures(cell) else words
        if heading == "Predict first" and (asked := _guesses(cell.source, exercises)):
            # What leads to it stands above it.
            words_alone = found[-1].title == heading and not _is_picture(found[-1].shown)
            led = found.pop().shown if words_alone else ""
            found.append(Slide(heading, led + asked, ()))
    return found


def slides_page(title: str, slides: list[Slide]) -> str:
    """Return slides as a page: scrolled through, or printed one to a sheet.

    Parameters
    ----------
    title : str
    slides : list of Slide
    """
    parts = []
    for at, one in enumerate(slides):
        level = "h1" if at == 0 else "h2"
        said = "".join(map(markup.render_block, one.notes))
        notes = f"<details><summary>Notes</summary>{said}</details>" if said else ""
        parts.append(
            f"<section><{level}>{markup.render_inline(one.title)}</{level}>"
            f'<div class="shown">{one.shown}</div>{notes}</section>'
        )
    return render_page(title, "\n".join(parts), style=_STYLE)


def _sections(source: str) -> Iterator[tuple[str, str]]:
    """Yield the headings of a cell, each with the text below it; the first may have none."""
    source = re.sub(r"<!--.*?-->|<details>.*?</details>", "", source, flags=re.DOTALL)
    pieces = re.split(r"^#+ (.+)$", source, flags=re.MULTILINE)
    yield "", pieces[0].strip()
    yield from zip(pieces[1::2], (text.strip() for text in pieces[2::2]), strict=True)


def _pictures(cell: nbformat.NotebookNode) -> list[str]:
    shown = [
        inline_pictures(output.get("data", {}).get("text/html", "")) for output in cell.outputs
    ]
    return [html for html in shown if _is_picture(html)]


def _is_picture(html: str) -> bool:
    return html.lstrip().startswith(_PICTURE)


def _alt(picture: str) -> str:
    found = _ALT.search(picture)
    return re.sub(r"&#x27;", "'", found[1]) if found else ""


def _guesses(source: str, exercises: Sequence[Exercise]) -> str:
    """Return the predictions that a cell shows the cards of, with what there is to choose."""
    names = _GUESS.findall(source)
    html = ""
    for one in exercises:
        if isinstance(one, Predict) and one.name in names:
            options = (
                f"<li>{markup.render_inline(one.option_list.texts[key])}</li>"
                for key in one.option_list.keys
            )
            html += f"{markup.render_block(one.question)}<ol>{''.join(options)}</ol>"
    return html


def _noted(words: list[str]) -> tuple[str, ...]:
    """Return the last paragraphs that are not too many words."""
    kept: list[str] = []
    for text in reversed(words):
        if kept and sum(len(one.split()) for one in [*kept, text]) > _MOST_WORDS:
            break
        kept.insert(0, _without_links(text))
    return tuple(kept)


def _with_notes(slide: Slide, source: str) -> Slide:
    text = next(text for _, text in _sections(source))
    return replace(slide, notes=(*slide.notes, _without_links(text))) if text else slide


def _without_links(markdown: str) -> str:
    """Return markdown whose links, which lead nowhere from a slide, are their words."""
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", markdown)
