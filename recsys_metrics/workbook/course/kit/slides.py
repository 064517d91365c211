"""Slides of a part: its formulas, its argument, its pictures, and notes for who speaks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import nbformat

from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.common.mathml import render_with_formulas
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
.shown { flex: 1; min-height: 0; display: flex; flex-direction: column; justify-content: center;
  font-size: clamp(1rem, 2.2vw, 1.6rem) }
.argument > * { max-width: 48em; margin: .5em 0 }
.shown svg { width: 100%; max-width: 64rem; max-height: 60vh; margin: 0 auto }
.shown li { margin: .2em 0 }
.argument + svg { max-height: 46vh }
.shown table { font-size: .7em; line-height: 1.3 }
.argument > table { max-width: none }
math[display=block] { font-size: 1.3em; margin: .6em 0 }
blockquote { border-left: 4px solid #D55E00; margin-left: 0; padding-left: 1em }
details { font-size: .95rem; max-width: 60em }
summary { cursor: pointer }
@page { size: A4 landscape; margin: 1cm }
@media print { section { break-after: page; break-inside: avoid; min-height: 0; height: 17cm;
  border: 0; padding: 0 } .shown { font-size: 15pt } .shown svg { max-height: 11cm }
  details:not([open]) { display: none } }
"""
_PICTURE = '<svg role="img"'
_ALT = re.compile(r'aria-label="([^"]*)"')
_GUESS = re.compile(r"^ex\.(\w+)$", re.MULTILINE)
_MOST_WORDS = 140
# Of the argument on one slide: a minute to read.
_MOST_SHOWN = 70
_SHOWN_IN_WORDS = ("Predict first", "Summary")
# A sentence that speaks of the notebook says nothing on a slide.
_INTERFACE = re.compile(
    r"\b(?:cells?|buttons?|fields?|notebook|[Dd]rag|slider|card|[Cc]lick on|is saved|commit to|"
    r"exercises?|function `|argument `|library|by hand|the code|You need)\b|\*\*About \d+ minutes"
)
# Nor does one that points at what the slide does not show.
_POINTS_AT_TABLE = re.compile(
    r"\b(?:[Tt]h(?:e|is|ese)|[Ff]ollowing|[Nn]ext|Mara's) (?:(?:next|following|last) )?tables?\b|"
    r"\b(?:first|second|last|other|some) (?:\w+ )?(?:rows?|columns?)\b"
)
_POINTS_AT_OUTPUT = re.compile(
    r"\bprint(?:s|ed)\b|\bthe output\b|\b[Bb]oth results\b|\b[Rr]eturn to it\b"
)
_POINTS_AT_PICTURE = re.compile(r"\bfigures?\b|\bpanels?\b")
_LEADS_TO_TABLE = re.compile(
    r"\b[Tt]he (?:next|following) table\b|\bThe table [a-z]+s\b|\bcolumn of this table\b"
)
_LEADS_TO_PICTURE = re.compile(r"\b[Tt]he (?:next|following) figure\b|\bThe figure [a-z]+s\b")
_MOST_ROWS, _MOST_WORDS_OF_TABLE = 15, 150
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z(*\[$`])")


@dataclass(frozen=True)
class Slide:
    """What is shown, and what is said to it.

    Attributes
    ----------
    title : str
        In markdown.
    shown : str
        HTML: a picture, a table, options, a list; empty where the argument stands alone.
    notes : tuple of str
        In markdown, a paragraph each.
    argument : tuple of str
        In markdown, a paragraph or a formula each; it stands above what is shown.
    """

    title: str
    shown: str
    notes: tuple[str, ...]
    argument: tuple[str, ...] = ()


@dataclass
class _Section:
    """The paragraphs below a heading that are on no slide yet.

    Attributes
    ----------
    title : str
    paragraphs : list of str
    slides : int
        How many the section has already.
    """

    title: str = ""
    paragraphs: list[str] = field(default_factory=list)
    slides: int = 0


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
        Its opening, what to predict, and for each section its formulas, what it argues, its
        pictures and its pitfalls; at the end its summary.
    """
    found: list[Slide] = []
    here = _Section()
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            # What follows a picture is said to it, too.
            if found and not here.paragraphs:
                found[-1] = _with_notes(found[-1], cell.source)
            for heading, text in _sections(cell.source):
                if heading:
                    found += _in_words(here)
                    here = _Section(heading)
                if text and heading in _SHOWN_IN_WORDS:
                    found.append(Slide(heading, "", (), tuple(_for_a_slide(text))))
                elif text:
                    here.paragraphs += text.split("\n\n")
            continue
        for picture in _pictures(cell):
            # The opening is the picture alone, under the title of the part.
            found += _in_words(here, before_shown=True) if found else []
            notes = _noted([*here.paragraphs, f"Shown: {_alt(picture)}"])
            above = _last_words(here.paragraphs, _LEADS_TO_PICTURE) if found else ()
            found.append(Slide(here.title, picture, notes, above))
            here.paragraphs, here.slides = [], here.slides + 1
        if table := _announced_table(cell, here):
            found += _in_words(here, before_shown=True)
            above = _last_words(here.paragraphs, _POINTS_AT_TABLE)
            found.append(Slide(here.title, table, _noted(here.paragraphs), above))
            here.paragraphs, here.slides = [], here.slides + 1
        if here.title == "Predict first" and (asked := _guesses(cell.source, exercises)):
            # What leads to it stands above it.
            words_alone = found[-1].title == here.title and not found[-1].shown
            led = found.pop().argument if words_alone else ()
            found.append(Slide(here.title, asked, (), led))
            here.slides += 1
    found += _in_words(here)
    ends = [at for at, one in enumerate(found, 1) if one.title == "Summary"]
    # What comes after it is for readers: questions from memory, the next part, references.
    return list(_numbered(found[: ends[-1]] if ends else found))


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
        said = "".join(map(_block, one.notes))
        notes = f"<details><summary>Notes</summary>{said}</details>" if said else ""
        above = '<div class="argument">' + _block("\n\n".join(one.argument)) + "</div>"
        parts.append(
            f"<section><{level}>{render_with_formulas(one.title, markup.render_inline)}</{level}>"
            f'<div class="shown">{above if one.argument else ""}{one.shown}</div>{notes}</section>'
        )
    return render_page(title, "\n".join(parts), style=_STYLE)


_block = partial(render_with_formulas, render=markup.render_block)


def _sections(source: str) -> Iterator[tuple[str, str]]:
    """Yield the headings of a cell, each with the text below it; the first may have none."""
    source = re.sub(r"<!--.*?-->|<details>.*?</details>", "", source, flags=re.DOTALL)
    # The colour of a word is that of a figure beside it in the book.
    source = re.sub(r"</?(?:span|em)\b[^>]*>", "", source)
    pieces = re.split(r"^#+ (.+)$", source, flags=re.MULTILINE)
    yield "", pieces[0].strip()
    yield from zip(pieces[1::2], (text.strip() for text in pieces[2::2]), strict=True)


# What is shown of the text ---------------------------------------------------------------------


def _in_words(here: _Section, *, before_shown: bool = False) -> list[Slide]:
    """Return slides of the formulas, pitfalls and words that are on no slide yet."""
    if not here.title or here.title in _SHOWN_IN_WORDS:
        return []
    said = [_without_links(one) for one in here.paragraphs if one.strip()]
    found = [
        Slide(here.title, "", tuple(notes), tuple(shown)) for shown, notes in _of_formulas(said)
    ]
    found += [_pitfall(one) for one in said if one.startswith("> **Pitfall")]
    if not (found or here.slides or before_shown):
        shown = _first_words(said)
        found = [Slide(here.title, "", _noted(said), shown)] if shown else []
    here.slides += len(found)
    return found


def _of_formulas(said: Sequence[str]) -> Iterator[tuple[list[str], list[str]]]:
    """Yield each formula with what leads to it, what its signs are and what follows from it."""
    for place, formula in enumerate(said):
        if not formula.startswith("$$"):
            continue
        before = said[place - 1] if place and not said[place - 1].startswith("$$") else ""
        after = said[place + 1 : place + 3]
        shown = [_last_sentences(before, 40), formula]
        if after and after[0].startswith("where"):
            first, *others = _SENTENCE.split(" ".join(after[0].split()))
            shown.append(" ".join([first, *_sentences(" ".join(others))]))
            after = after[1:]
        left = _MOST_SHOWN - _count(" ".join(shown))
        if after and not after[0].startswith(("$$", ">")):
            shown.append(_sentences_within(after[0], min(left, 30)))
        yield [one for one in shown if one], [before, *said[place + 1 : place + 3]]


def _pitfall(paragraph: str) -> Slide:
    text = re.sub(r"^> ?", "", paragraph, flags=re.MULTILINE)
    name, _, words = text.partition("\n")
    title = name.strip("* ").rstrip(".")
    return Slide(title, "", (), (f"> {_sentences_within(words, _MOST_SHOWN)}",))


def _first_words(said: Sequence[str]) -> tuple[str, ...]:
    """Return the first sentences, no more than one slide takes."""
    shown: list[str] = []
    for one, after in zip(said, [*said[1:], ""], strict=False):
        left = _MOST_SHOWN - _count(" ".join(shown))
        if _POINTS_AT_TABLE.search(one) and _is_table_for_a_slide(after):
            led = _sentences_within(one, left, _POINTS_AT_TABLE)
            return (*shown, *filter(None, [led]), after)
        if text := _sentences_within(one, left):
            shown.append(text)
        if left < 20:
            break
    return tuple(shown)


def _is_table_for_a_slide(paragraph: str) -> bool:
    return (
        paragraph.startswith("|")
        and paragraph.count("\n") <= _MOST_ROWS
        and _count(paragraph.replace("|", " ")) <= _MOST_WORDS_OF_TABLE
    )


def _last_words(paragraphs: Sequence[str], leads: re.Pattern[str]) -> tuple[str, ...]:
    """Return what leads to a picture or a table, and to no formula.

    Parameters
    ----------
    paragraphs : sequence of str
    leads : re.Pattern
        How sentences point at what is shown below them.
    """
    followed = zip(paragraphs, [*paragraphs[1:], ""], strict=False)
    said = [
        _without_links(one)
        for one, after in followed
        if one and not one.startswith(("$$", ">", "where")) and not after.startswith("$$")
    ]
    text = _last_sentences(said[-1], 40, leads) if said else ""
    return (text,) if text else ()


def _for_a_slide(text: str) -> Iterator[str]:
    """Yield the paragraphs of a text without what they say of the notebook."""
    for one in _without_links(text).split("\n\n"):
        is_list = re.match(r"[-*\d]", one)
        if kept := one if is_list else _sentences_within(one, 2 * _MOST_SHOWN):
            yield kept


def _sentences(paragraph: str, leads: re.Pattern[str] | None = None) -> list[str]:
    """Return the sentences that a slide can show.

    Parameters
    ----------
    paragraph : str
    leads : re.Pattern, optional
        How a sentence points at what the slide shows below; by default it shows nothing.
    """
    return [
        one
        for one in _SENTENCE.split(" ".join(paragraph.split()))
        if one and not _INTERFACE.search(one) and not _points_elsewhere(one, leads)
    ]


def _points_elsewhere(sentence: str, leads: re.Pattern[str] | None) -> bool:
    if _POINTS_AT_OUTPUT.search(sentence):
        return True
    points = _POINTS_AT_TABLE.search(sentence) or _POINTS_AT_PICTURE.search(sentence)
    return bool(points) and not (leads and leads.search(sentence))


def _sentences_within(paragraph: str, words: int, leads: re.Pattern[str] | None = None) -> str:
    """Return the first sentences of a paragraph that have no more words."""
    if re.match(r"[-*|] |\d+\. |<|```", paragraph):
        return paragraph if _count(paragraph) <= words and paragraph[0] != "<" else ""
    kept: list[str] = []
    for one in _sentences(paragraph, leads):
        if _count(" ".join([*kept, one])) > words:
            break
        kept.append(one)
    return " ".join(kept)


def _last_sentences(paragraph: str, words: int, leads: re.Pattern[str] | None = None) -> str:
    if re.match(r"[-*|>] |\d+\. |<|```", paragraph):
        return ""
    kept: list[str] = []
    for one in reversed(_sentences(paragraph, leads)):
        if _count(" ".join([one, *kept])) > words:
            break
        kept.insert(0, one)
    return " ".join(kept)


def _count(text: str) -> int:
    return len(text.split())


def _numbered(slides: Sequence[Slide]) -> Iterator[Slide]:
    """Yield slides, whose titles say where one goes on with what the last one began."""
    before = set[str]()
    for one in slides:
        yield replace(one, title=f"{one.title} (continued)") if one.title in before else one
        before.add(one.title)


# Pictures and predictions ----------------------------------------------------------------------


def _pictures(cell: nbformat.NotebookNode) -> list[str]:
    shown = [
        inline_pictures(output.get("data", {}).get("text/html", "")) for output in cell.outputs
    ]
    return [html for html in shown if html.lstrip().startswith(_PICTURE)]


def _announced_table(cell: nbformat.NotebookNode, here: _Section) -> str:
    """Return the table of a cell that the words before it point at, if it fits a slide."""
    if not here.paragraphs or not _LEADS_TO_TABLE.search(here.paragraphs[-1]):
        return ""
    tables = (output.get("data", {}).get("text/html", "") for output in cell.outputs)
    for html in tables:
        words = _count(re.sub(r"<[^>]*>", " ", html))
        is_short = html.count("<tr") - 1 <= _MOST_ROWS and words <= _MOST_WORDS_OF_TABLE
        if html.startswith("<table") and is_short:
            return str(html)
    return ""


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


def _noted(words: Sequence[str]) -> tuple[str, ...]:
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
