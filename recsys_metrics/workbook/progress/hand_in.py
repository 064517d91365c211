"""The file with a learner's answers to an assignment, written from the history.

The book's page *Hand in* writes the same file (`book/_static/hand_in.js`), and `recsys-workbook
course collect` reads both. It has the answers as they were typed and picked, with the variant that
was asked and the time. It has no outcome: a course checks every answer anew.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from recsys_metrics.workbook import progress
from recsys_metrics.workbook.common.interactive import create_bundle
from recsys_metrics.workbook.common.state_file import write_atomically
from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.exercises.base import Exercise
from recsys_metrics.workbook.progress._record import Answer, Event, create_event
from recsys_metrics.workbook.progress.handed_answers import (
    Selection,
    format_title,
    select_answer,
)

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

    def asks(self, event: Event) -> bool:
        """Whether an event is about an exercise of the assignment, in the student's variant."""
        return event.exercise in self.page and event.seed == self.page[event.exercise]

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


def select_answers(
    assigned: Assigned, events: Iterable[Event], entered: Mapping[str, Answer] | None = None
) -> dict[str, Selection]:
    """Return which answer to each exercise of an assignment is handed in.

    Parameters
    ----------
    assigned : Assigned
    events : iterable of Event
        In the order in which they happened.
    entered : mapping, optional
        By exercise, what stands in its card and was not checked.

    Returns
    -------
    dict
        By exercise, in the order of the assignment.
    """
    checks: dict[str, list[Event]] = {name: [] for name in assigned.page}
    for event in events:
        if event.what == "check" and assigned.asks(event):
            checks[event.exercise].append(event)
    return {
        one.id: select_answer(one, checks[one.id], (entered or {}).get(one.id))
        for one in assigned.exercises
    }


def explain(assigned: Assigned, selections: Mapping[str, Selection]) -> list[str]:
    """Return a sentence on each answer that is not handed in as it looks in its card."""
    said = [selections[one.id].explain(format_title(one)) for one in assigned.exercises]
    return [*filter(None, said)]


def format_file(
    assigned: Assigned, events: Sequence[Event], selections: Mapping[str, Selection]
) -> str:
    """Return the file to hand in, as text.

    Parameters
    ----------
    assigned : Assigned
    events : sequence of Event
        In the order in which they happened.
    selections : mapping
        By exercise, which answer is handed in.
    """
    now = create_event(exercise="").when
    help_opened = [event for event in events if assigned.asks(event)]
    answers = [
        {
            "exercise": name,
            "variant": assigned.page[name],
            "when": selection.handed.when or now,
            "hints": max(
                (one.number for one in help_opened if (one.exercise, one.what) == (name, "hint")),
                default=0,
            ),
            "solution": any((one.exercise, one.what) == (name, "solution") for one in help_opened),
            "answer": selection.handed.read.answer,
        }
        for name, selection in selections.items()
        if selection.handed
    ]
    about = {
        "format": FORMAT,
        "version": VERSION,
        "assignment": assigned.assignment,
        "student": assigned.student,
        "tag": assigned.tag,
        "saved": now,
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

    def save(self, entered: Mapping[str, Answer] | None = None) -> Path:
        """Write the answers to a file, and return it.

        An earlier file is replaced when all of the new one is written.

        Parameters
        ----------
        entered : mapping, optional
            By exercise, what stands in its card and was not checked.

        Raises
        ------
        ValueError
            If nothing was answered yet.
        OSError
            If the file cannot be written; an earlier one stays as it is then.
        """
        events = progress.load_history()
        return self._write(events, select_answers(self.assigned, events, entered))

    def _write(self, events: Sequence[Event], selections: Mapping[str, Selection]) -> Path:
        if not any(one.handed for one in selections.values()):
            raise ValueError(
                " ".join(explain(self.assigned, selections)) or "nothing was answered yet"
            )
        file = self.folder / f"{self.assigned.assignment}{SUFFIX}"
        write_atomically(file, format_file(self.assigned, events, selections).encode())
        return file

    def describe(self, entered: Mapping[str, Answer] | None = None) -> str:
        """Return how many questions are answered, and what is handed in for the others.

        Parameters
        ----------
        entered : mapping, optional
            By exercise, what stands in its card and was not checked.
        """
        return self._describe(select_answers(self.assigned, progress.load_history(), entered))

    def _describe(self, selections: Mapping[str, Selection]) -> str:
        titles = [format_title(one) for one in self.assigned.exercises]
        named = [*zip(titles, selections.values(), strict=True)]
        done, asked = sum(one.is_complete for one in selections.values()), len(named)
        questions = f"{asked} question{'' if asked == 1 else 's'}"
        unchecked = ", ".join(title for title, one in named if one.is_unchecked)
        missing = ", ".join(title for title, one in named if not one.last)
        said = [
            f"{done} of {questions} of {self.assigned.assignment} answered.",
            *explain(self.assigned, selections),
            f"Handed in without a check: {unchecked}." if unchecked else "",
            f"Not answered: {missing}." if missing else "",
        ]
        return " ".join(filter(None, said))

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
        cards = {one.id: one.widget(offers_variants=False) for one in self.assigned.exercises}
        button.on_click(partial(self._press, cards, said))
        return ipywidgets.VBox([*cards.values(), button, said])

    def _press(self, cards: Mapping[str, Any], said: Any, _: Any) -> None:
        entered = {
            name: answer for name, card in cards.items() if (answer := card.entered) is not None
        }
        events = progress.load_history()
        selections = select_answers(self.assigned, events, entered)
        try:
            file = self._write(events, selections)
        except (ValueError, OSError) as problem:
            said.value = html.escape(f"Not saved: {problem}")
            return
        told = f"Saved {file.name} beside this notebook. Hand it in. {self._describe(selections)}"
        said.value = html.escape(told)

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
