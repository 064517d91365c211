"""An explorable as ipywidgets: one HTML panel, redrawn when a control moves."""

from __future__ import annotations

import html
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import ipywidgets as widgets

from recsys_metrics.workbook import progress
from recsys_metrics.workbook.explorables.control import Control, Numbers, State
from recsys_metrics.workbook.explorables.goals import Goal, as_list


class Movable(Protocol):
    """What a form needs to know of an explorable."""

    @property
    def question(self) -> str:
        """What to find out."""

    @property
    def controls(self) -> tuple[Control, ...]:
        """What can be moved."""

    @property
    def goals(self) -> tuple[Goal, ...]:
        """What is to be found."""

    @property
    def id(self) -> str:
        """Subject and name."""

    def reached(self, state: State, numbers: Numbers) -> set[int]:
        """Return which goals a state reaches, by place."""

    def compute(self, state: State, /) -> Numbers:
        """Return the numbers of a state."""

    def panel(
        self, state: State, before: Numbers | None = None, *, numbers: Numbers | None = None
    ) -> str:
        """Return picture and readout of a state as HTML."""


class Form(widgets.VBox):  # type: ignore[misc]
    """The question, the panel, and the controls that redraw it.

    Parameters
    ----------
    explorable : Movable
    """

    def __init__(self, explorable: Movable) -> None:
        self._explorable = explorable
        self._panel = widgets.HTML()
        self._goals = widgets.HTML()
        self._found = progress.goals_found(explorable.id)
        self._boxes = {control.name: _box(control) for control in explorable.controls}
        self._shown: Numbers | None = None
        self._still = False
        reset = widgets.Button(description="Reset", icon="undo", tooltip="Back to the start")
        reset.on_click(lambda _: self.reset())
        for box in self._boxes.values():
            box.observe(self._redraw, names="value")
        self._redraw()
        question = widgets.HTML(
            f'<p style="font-weight:600;margin:0">{html.escape(explorable.question)}</p>'
        )
        controls = widgets.HBox(
            [*self._boxes.values(), reset],
            layout=widgets.Layout(flex_flow="row wrap", align_items="center"),
        )
        super().__init__([question, self._panel, controls, self._goals])

    def move(self, state: State) -> None:
        """Set all controls; the panel is redrawn once."""
        with self._held():
            for name, value in state.items():
                self._boxes[name].value = value

    def reset(self) -> None:
        """Go back to the start."""
        self.move({control.name: control.start for control in self._explorable.controls})

    @contextmanager
    def _held(self) -> Iterator[None]:
        before = {name: box.value for name, box in self._boxes.items()}
        self._still = True
        try:
            yield
        finally:
            self._still = False
        if before != {name: box.value for name, box in self._boxes.items()}:
            self._redraw()

    def _redraw(self, _: Any = None) -> None:
        if self._still:
            return
        state = {name: box.value for name, box in self._boxes.items()}
        numbers = self._explorable.compute(state)
        self._panel.value = self._explorable.panel(state, self._shown, numbers=numbers)
        # What shows at the start was not found by anybody.
        if self._shown is not None:
            self._note(self._explorable.reached(state, numbers) - self._found)
        self._goals.value = as_list(self._explorable.goals, self._found)
        self._shown = numbers

    def _note(self, new: set[int]) -> None:
        """Keep that goals were found, here and in the learner's history."""
        self._found |= new
        for place in sorted(new):
            progress.note_goal(self._explorable.id, place)


def build(explorable: Movable) -> Form:
    """Return the controls and the panel, wired to each other."""
    return Form(explorable)


def _box(control: Control) -> widgets.Widget:
    options = [(text, value) for value, text in control.values.items()]
    if control.kind == "slider":
        return widgets.SelectionSlider(
            description=control.label,
            options=options,
            value=control.start,
            style={"description_width": "initial"},
            layout=widgets.Layout(width="min(100%, 440px)"),
        )
    return widgets.Dropdown(
        description=control.label,
        options=options,
        value=control.start,
        style={"description_width": "initial"},
        layout=widgets.Layout(width="auto"),
    )
