"""An explorable as ipywidgets: one HTML panel, redrawn when a control moves."""

from __future__ import annotations

import html
from typing import Any, Protocol

import ipywidgets as widgets

from recsys_metrics.workbook.explorables.control import Control, Numbers, State


class Movable(Protocol):
    """What a form needs to know of an explorable."""

    @property
    def question(self) -> str:
        """What to find out."""

    @property
    def controls(self) -> tuple[Control, ...]:
        """What can be moved."""

    def compute(self, state: State, /) -> Numbers:
        """Return the numbers of a state."""

    def panel(self, state: State, before: Numbers | None = None) -> str:
        """Return picture and readout of a state as HTML."""


def build(explorable: Movable) -> widgets.VBox:
    """Return the controls and the panel, wired to each other."""
    panel = widgets.HTML()
    boxes = {control.name: _box(control) for control in explorable.controls}
    reset = widgets.Button(
        description="Reset", icon="undo", tooltip="Back to the list at the start"
    )
    shown: dict[str, Any] = {"numbers": None}

    def redraw(_: Any = None) -> None:
        state = {name: box.value for name, box in boxes.items()}
        panel.value = explorable.panel(state, before=shown["numbers"])
        shown["numbers"] = explorable.compute(state)

    def back(_: Any) -> None:
        for control in explorable.controls:
            boxes[control.name].value = control.start

    for box in boxes.values():
        box.observe(redraw, names="value")
    reset.on_click(back)
    redraw()
    question = widgets.HTML(
        f'<p style="font-weight:600;margin:0">{html.escape(explorable.question)}</p>'
    )
    controls = widgets.HBox(
        [*boxes.values(), reset], layout=widgets.Layout(flex_flow="row wrap", align_items="center")
    )
    return widgets.VBox([question, panel, controls])


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
