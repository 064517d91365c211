"""The file with a learner's answers to an assignment, written from the history.

The book's page *Hand in* writes the same file (`book/_static/hand_in.js`), and `recsys-workbook
course collect` reads both. It has the answers as they were typed and picked, with the variant that
was asked and the time. It has no outcome: a course checks every answer anew.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from recsys_metrics.workbook import progress
from recsys_metrics.workbook.common.interactive import create_bundle
from recsys_metrics.workbook.common.state_file import write_atomically
from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.exercises.base import Exercise
from recsys_metrics.workbook.progress._record import MOST_CHARACTERS, Answer, Event, create_event

FORMAT = "recsys-workbook hand-in"
VERSION = 1
SUFFIX = ".hand-in.json"
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
_MOST_BYTES = 20_000_000


@dataclass(frozen=True)
class Assigned:
    """What a released notebook says of itself.

    Attributes
    ----------
    assignment, student, tag : str
        The tag shows a course that it released the notebook.
    page : mapping
        The variant to answer of each exercise; None for the exercise as its chapter has it.
    """

    assignment: str
    student: str
    tag: str
    page: Mapping[str, str | None]

    @property
    def exercises(self) -> list[Exercise]:
        """The exercises in the student's variants."""
        return [
            REGISTRY[name] if seed is None else REGISTRY[name].variant(seed)
            for name, seed in self.page.items()
        ]


def read_assigned(notebook: Path) -> Assigned:
    """Return what a notebook that a course released says of itself.

    Raises
    ------
    ValueError
        If no course released it, or it is to be answered in itself alone.
    """
    try:
        if notebook.stat().st_size > _MOST_BYTES:
            raise ValueError(f"it is larger than {_MOST_BYTES // 10**6} MB")
        about = json.loads(notebook.read_text(encoding="utf-8-sig"))["metadata"]["recsys_metrics"]
        assignment, student, tag = (str(about[one]) for one in ("assignment", "student", "tag"))
    except (KeyError, TypeError, ValueError, RecursionError):
        raise ValueError(
            f"{notebook} is no notebook that a course released; give the one that you got"
        ) from None
    if "page" not in about:
        raise ValueError(
            f"{notebook} is to be answered in the notebook itself; hand in the notebook"
        )
    page = about["page"]
    is_sound = isinstance(page, dict) and all(
        name in REGISTRY and (seed is None or isinstance(seed, str)) for name, seed in page.items()
    )
    if not (is_sound and _ID.fullmatch(assignment) and _ID.fullmatch(student)):
        raise ValueError(
            f"{notebook} asks for exercises that this workbook does not have; upgrade the workbook"
        )
    return Assigned(assignment, student, tag, page)


def find_answers(
    assigned: Assigned, events: Iterable[Event]
) -> dict[str, tuple[Answer, str, int, bool]]:
    """Return the last answer to each exercise of an assignment, in the student's variant.

    Parameters
    ----------
    assigned : Assigned
    events : iterable of Event
        In the order in which they happened.

    Returns
    -------
    dict
        By exercise: the answer, when it was given, how many hints were opened, and whether the
        worked solution was.
    """
    found: dict[str, tuple[Answer, str]] = {}
    hints = dict.fromkeys(assigned.page, 0)
    solved: set[str] = set()
    for event in events:
        name = event.exercise
        if name not in assigned.page or event.seed != assigned.page[name]:
            continue
        if event.what == "check" and event.answer:
            found[name] = event.answer, event.when
        elif event.what == "hint":
            hints[name] = max(hints[name], event.number)
        elif event.what == "solution":
            solved.add(name)
    return {
        name: (*found[name], hints[name], name in solved) for name in assigned.page if name in found
    }


def find_unsaved(assigned: Assigned, events: Iterable[Event]) -> list[str]:
    """Return the exercises whose last checked answer was too long to be saved."""
    last: dict[str, bool] = {}
    for event in events:
        name = event.exercise
        is_asked = name in assigned.page and event.seed == assigned.page[name]
        if is_asked and event.what == "check" and (event.answer or event.unsaved):
            last[name] = event.unsaved
    return [name for name in assigned.page if last.get(name)]


def format_file(assigned: Assigned, events: Iterable[Event]) -> str:
    """Return the file to hand in, as text."""
    answers = [
        {
            "exercise": name,
            "variant": assigned.page[name],
            "when": when,
            "hints": hints,
            "solution": solved,
            "answer": answer,
        }
        for name, (answer, when, hints, solved) in find_answers(assigned, events).items()
    ]
    about = {
        "format": FORMAT,
        "version": VERSION,
        "assignment": assigned.assignment,
        "student": assigned.student,
        "tag": assigned.tag,
        "saved": create_event(exercise="").when,
        "answers": answers,
    }
    return json.dumps(about, ensure_ascii=False, indent=1) + "\n"


@dataclass(frozen=True, repr=False)
class HandIn:
    """The cards of an assignment, and a button that saves the answers to a file.

    Attributes
    ----------
    assigned : Assigned
    folder : Path
        Where the file is written.
    """

    assigned: Assigned
    folder: Path

    def save(self) -> Path:
        """Write the answers that were checked so far to a file, and return it.

        An earlier file is replaced when all of the new one is written.

        Raises
        ------
        ValueError
            If nothing was answered yet.
        OSError
            If the file cannot be written; an earlier one stays as it is then.
        """
        events = progress.load_history()
        if not find_answers(self.assigned, events):
            if self.unsaved:
                raise ValueError(self._say_what_is_missing())
            raise ValueError(
                "nothing was answered yet: only answers that you have checked are saved"
            )
        file = self.folder / f"{self.assigned.assignment}{SUFFIX}"
        write_atomically(file, format_file(self.assigned, events).encode())
        return file

    @property
    def missing(self) -> list[str]:
        """Titles of the exercises without an answer."""
        known = find_answers(self.assigned, progress.load_history())
        return [one.title for one in self.assigned.exercises if one.id not in known]

    @property
    def unsaved(self) -> list[str]:
        """Titles of the exercises whose last checked answer was too long to be saved."""
        names = find_unsaved(self.assigned, progress.load_history())
        return [one.title for one in self.assigned.exercises if one.id in names]

    def _say_what_is_missing(self) -> str:
        if not self.unsaved:
            return ""
        return (
            f"The last answer to {', '.join(self.unsaved)} is longer than {MOST_CHARACTERS:,} "
            "characters and is not in the file; an earlier answer is, if there was one. Shorten "
            "it, check it and save again."
        )

    def __repr__(self) -> str:
        rows = [f"{one.access}: {one.title}" for one in self.assigned.exercises]
        return "\n".join([f"{self.assigned.assignment}, for {self.assigned.student}", *rows])

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<li>{html.escape(one.title)}: <code>{html.escape(one.access)}</code></li>"
            for one in self.assigned.exercises
        )
        return f"<ol>{rows}</ol>"

    def widget(self) -> Any:
        """Return the cards and the button as a widget for Jupyter.

        Raises
        ------
        ImportError
            Without ipywidgets and anywidget.
        """
        import ipywidgets

        button = ipywidgets.Button(description="Save my answers")
        said = ipywidgets.HTML()
        button.on_click(partial(self._press, said))
        cards = [one.widget() for one in self.assigned.exercises]
        return ipywidgets.VBox([*cards, button, said])

    def _press(self, said: Any, _: Any) -> None:
        try:
            file = self.save()
        except (ValueError, OSError) as problem:
            said.value = html.escape(f"Not saved: {problem}")
            return
        missing = self.missing
        left = f" Not answered: {', '.join(missing)}." if missing else ""
        lacks = self._say_what_is_missing()
        told = f"Saved {file.name} beside this notebook. Hand it in.{left} {lacks}"
        said.value = html.escape(told.rstrip())

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return create_bundle(self, self.widget)


def hand_in(notebook: str | Path) -> HandIn:
    """Return the cards of an assignment, with a button that saves the answers to a file.

    A function is answered with the `check` of its exercise in a cell, as in a chapter.

    Parameters
    ----------
    notebook : str or Path
        The notebook that a course gave you. It must say that it may be answered here.

    Returns
    -------
    HandIn

    Raises
    ------
    ValueError
        If no course released it, or it is to be answered in itself alone.
    """
    file = Path(notebook)
    return HandIn(read_assigned(file), file.parent)
