"""The page to come back to: what is due today, where to go on, and what stands where.

It is the first page of the lab, and a notebook, `home.ipynb`, because JupyterLab shows the cards of
exercises in nothing else.
It is written from the learner's history each time the lab starts and holds nothing of its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from recsys_metrics.workbook.common.state_file import write_atomically
from recsys_metrics.workbook.common.toc import find_page, list_pages, read_minutes, read_title
from recsys_metrics.workbook.exercises import PARTS, REGISTRY
from recsys_metrics.workbook.lab.overview import (
    count_due_questions,
    find_common_mistakes,
    find_next_untried,
    list_due_reviews,
)
from recsys_metrics.workbook.progress import (
    Event,
    collect_goals,
    collect_guesses,
    summarize_history,
)
from recsys_metrics.workbook.progress.review_questions import RECALL_MINUTES, read_questions

if TYPE_CHECKING:
    from recsys_metrics.workbook.progress._reviews import Review

PAGE = "home.ipynb"
# More than this at once is no review any more.
_AT_ONCE = 10
_WRONG_SHOWN = 3
_MARK = "recsys_workbook_home"
_NUMBERS = (
    *("no", "one", "two", "three", "four", "five"),
    *("six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_STEM_OF = {exercise.id: stem for stem, held in PARTS.items() for exercise in held}


def write_home(
    folder: Path, toc: Mapping[str, Any], events: Sequence[Event], *, now: datetime
) -> bool:
    """Write the page into a workbook, unless a file of the reader's has its name.

    Parameters
    ----------
    folder : Path
        Where the workbook was laid out.
    toc : mapping
        The table of contents that the book has too.
    events : sequence of Event
        What `progress.history` returns.
    now : datetime
        The moment to judge by what is due.

    Returns
    -------
    bool
        Whether it is there now.
    """
    path = folder / PAGE
    if (path.exists() or path.is_symlink()) and not _is_home(path):
        return False
    # A chapter and its solutions share their name without the folder.
    pages = {
        path.name: (str(path), title)
        for path, title in list_pages(toc)
        if path.parts[0] == "chapters" and path.name in PARTS
        if (folder / f"{path}.ipynb").is_file()
    }
    minutes = {stem: read_minutes(folder / f"{file}.md") for stem, (file, _) in pages.items()}
    asked = {stem: [one.id for one in read_questions(stem)] for stem in pages}
    notebook = render_home(
        pages, minutes, events, asked, list_reference_pages(folder, toc), now=now
    )
    write_atomically(path, nbformat.writes(notebook).encode())
    return True


def _is_home(path: Path) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    try:
        return _MARK in json.loads(path.read_bytes())["metadata"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False


def list_reference_pages(folder: Path, toc: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the pages beside the parts that are in a workbook: their files and titles."""
    found = []
    for path, _ in list_pages(toc):
        if path.parts[0] != "chapters" or path.name in PARTS:
            continue
        file = find_page(folder, str(path))
        title = read_title(folder / f"{path}.md")
        if file and title:
            found.append((file, title))
    return found


def render_home(
    pages: Mapping[str, tuple[str, str]],
    minutes: Mapping[str, int | None],
    events: Sequence[Event],
    asked: Mapping[str, Sequence[str]],
    beside: Sequence[tuple[str, str]] = (),
    *,
    now: datetime,
) -> nbformat.NotebookNode:
    """Return the page: today, the cards that are due, the parts, and mistakes that came back.

    Parameters
    ----------
    pages : mapping of str to (str, str)
        Of each part, by its name in `PARTS`: its file without a suffix, and its title.
    minutes : mapping of str to int or None
        How long each takes.
    events : sequence of Event
    asked : mapping of str to sequence of str
        Of each part the ids of its recall questions.
    beside : sequence of (str, str)
        The pages where things are looked up: file and title.
    now : datetime

    Returns
    -------
    nbformat.NotebookNode
    """
    due = list_due_reviews(events, now=now)
    today = due[:_AT_ONCE]
    recall = count_due_questions(events, asked, now=now)
    told = _today(pages, events, len(due), today, recall)
    cells: list[tuple[Any, str]] = [(new_markdown_cell, told)]
    if today:
        cells.append((new_code_cell, "from recsys_metrics.workbook.exercises import REGISTRY"))
        cells += [
            (new_code_cell, f'REGISTRY["{one.exercise}"].variant("{one.seed}")') for one in today
        ]
    links = " · ".join(f"[{title}]({file})" for file, title in beside)
    to_look_up = f"\n\nTo look up: {links}." if links else ""
    cells.append((new_markdown_cell, _parts(pages, minutes, events) + to_look_up))
    if mistakes := _mistakes(pages, events):
        cells.append((new_markdown_cell, mistakes))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return new_notebook(
        cells=[cell(source, id=f"home-{number}") for number, (cell, source) in enumerate(cells)],
        metadata={"kernelspec": kernel, _MARK: True},
    )


def _today(
    pages: Mapping[str, tuple[str, str]],
    events: Sequence[Event],
    due: int,
    today: Sequence[Review],
    recall: Mapping[str, int],
) -> str:
    said = "" if recall else "**Today:** nothing is due."
    if due:
        takes = sum(REGISTRY[review.exercise].minutes for review in today)
        which = f", the {_number(len(today))} longest due below" if due > len(today) else ""
        said = f"**Today:** {_number(due)} due{which}, about {_counted(takes, 'minute')}."
        said += " *Run all cells* shows them below, with other numbers than last time."
    lines = ["# Home", *filter(None, [said])]
    if recall:
        counts = [f"{_link(pages, stem, '#Recall')}, {_number(n)}" for stem, n in recall.items()]
        takes = sum(recall.values()) * RECALL_MINUTES
        all_of_them = _counted(sum(recall.values()), "question")
        lines.append(
            f"**From memory:** {all_of_them} due, about {_counted(takes, 'minute')}: "
            f"{'; '.join(counts)}."
        )
    known = summarize_history(events)
    wrong = [key for key in _STEM_OF if key in known and not known[key].passed]
    if wrong:
        named = [f"{_link(pages, _STEM_OF[key])}, *{REGISTRY[key].title}*" for key in wrong]
        lines.append(f"**Not right yet:** {'; '.join(named[:_WRONG_SHOWN])}.")
    if key := find_next_untried(events):
        verb = "Continue" if events else "Begin"
        lines.append(f"**{verb}:** {_link(pages, _STEM_OF[key])}, *{REGISTRY[key].title}*.")
    if found := _goals(events):
        lines.append(found)
    lines.append(
        "This page is written anew each time the workbook opens: "
        "notes of your own belong in another notebook."
    )
    return "\n\n".join(lines)


def _goals(events: Sequence[Event]) -> str:
    """Return how many goals and guesses of explorables there are; nothing before the first."""
    from recsys_metrics.workbook.explorables import REGISTRY as EXPLORABLES

    known, guesses = collect_goals(events), collect_guesses(events)
    found = sum(len(known[one]) for one in known if one in EXPLORABLES)
    every = sum(len(one.goals) for one in EXPLORABLES.values())
    guessed = sum(one in guesses for one in EXPLORABLES)
    asked = sum(one.guess is not None for one in EXPLORABLES.values())
    lines = [f"**Goals found** by moving pictures: {found} of {every}."] if found else []
    lines += [f"**Guesses made** before the first move: {guessed} of {asked}."] if guessed else []
    return " ".join(lines)


def _parts(
    pages: Mapping[str, tuple[str, str]],
    minutes: Mapping[str, int | None],
    events: Sequence[Event],
) -> str:
    known = summarize_history(events)
    tiles = []
    for stem, (file, title) in pages.items():
        held = PARTS[stem]
        passed = sum(
            one.id in known and known[one.id].passed and known[one.id].matches(one) for one in held
        )
        takes = f"{minutes[stem]} minutes · " if minutes.get(stem) else ""
        count = f"{passed} of {len(held)} passed"
        bar = "●" * passed + "○" * (len(held) - passed)
        tiles.append(f":::{{card}} {title}\n:link: {file}.ipynb\n{takes}{count}\n\n{bar}\n:::")
    # jupyterlab-myst, which comes with the lab, draws these as tiles.
    return "\n\n".join(["## Parts, in reading order", "::::{grid} 1 2 2 3", *tiles, "::::"])


def _mistakes(pages: Mapping[str, tuple[str, str]], events: Sequence[Event]) -> str:
    rows = [
        f"- *{one.name}*, {_times(one.times)}, last in {_link(pages, _STEM_OF[one.exercise])}"
        for one in find_common_mistakes(events)
    ]
    return "\n".join(["## Mistakes that came back", "", *rows]) if rows else ""


def _link(pages: Mapping[str, tuple[str, str]], stem: str, place: str = "") -> str:
    if stem not in pages:
        return stem
    file, title = pages[stem]
    return f"[{title}]({file}.ipynb{place})"


def _number(n: int) -> str:
    return _NUMBERS[n] if n < len(_NUMBERS) else str(n)


def _counted(n: int, noun: str) -> str:
    return f"{_number(n)} {noun}{'' if n == 1 else 's'}"


def _times(n: int) -> str:
    return "twice" if n == 2 else f"{_number(n)} times"
