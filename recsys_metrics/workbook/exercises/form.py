"""An exercise's card as a form for Jupyter: fields, buttons, and the feedback under its field.

It is operated by keyboard as by pointer: Tab reaches each field, option and button, Space chooses
and presses, Enter in a line checks. (The arrow keys belong to JupyterLab, which moves to the next
cell with them.) The same check is behind it that a learner calls in code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import ipywidgets as widgets

from recsys_metrics._core.colors import BLUE
from recsys_metrics.workbook.common import markup
from recsys_metrics.workbook.exercises.fields import Field, Fillable
from recsys_metrics.workbook.exercises.press_order import PressOrder
from recsys_metrics.workbook.exercises.result import CheckResult, Outcome, render_below_fields

# Options are sentences: without this they are cut at the width of a narrow column.
_STYLE = """<style>
.recsys-card .widget-radio-box { max-width: 100%; margin-bottom: 0 }
.recsys-card .widget-radio-box label, .recsys-card .widget-checkbox label {
  height: auto; white-space: normal; line-height: 1.5; width: auto }
.recsys-card :is(.widget-radio-box, .widget-checkbox) label {
  display: flex; align-items: flex-start }
.recsys-card :is(.widget-radio-box, .widget-checkbox) input { flex: none; margin-right: .5em }
.recsys-card .widget-radio-box input { height: 1.5em; order: -1 }
.recsys-card .widget-checkbox { height: auto }
.recsys-card pre { white-space: pre; overflow-x: auto; word-break: normal }
/* JupyterLab breaks what is printed inside of words and of numbers. */
.jp-OutputArea-output pre { word-break: normal; overflow-wrap: break-word }
.recsys-card .widget-html, .recsys-card .widget-html-content {
  height: auto; line-height: 1.5; overflow: visible }
/* JupyterLab takes the arrow from all that unfolds, on the whole page. */
:is(.jp-RenderedHTMLCommon, .recsys-card) summary {
  list-style: disclosure-closed inside; cursor: pointer }
:is(.jp-RenderedHTMLCommon, .recsys-card) details[open] > summary {
  list-style-type: disclosure-open }
.jp-RenderedHTMLCommon summary > .unfold { display: none }
/* A long label leaves its field as wide as a short one. */
.recsys-card :is(.widget-text, .widget-textarea) {
  flex-direction: column; align-items: stretch; height: auto }
.recsys-card :is(.widget-text, .widget-textarea) > .widget-label {
  height: auto; text-align: start; white-space: normal; width: auto }
.recsys-card button:focus-visible, .recsys-card input:focus-visible,
.recsys-card textarea:focus-visible { outline: 2px solid #0072B2; outline-offset: 1px }
</style>"""


def build_form(exercise: Fillable) -> widgets.VBox:
    """Return the card of an exercise that has fields, wired to its check.

    Parameters
    ----------
    exercise : Exercise

    Returns
    -------
    ipywidgets.VBox
    """
    return _Form(exercise).box


@dataclass
class _Entry:
    """A field as it is shown: the widget, how to read it, and where its feedback goes."""

    box: widgets.Widget
    read: Callable[[], Any]
    write: Callable[[Any], None]
    feedback: widgets.HTML = field(default_factory=widgets.HTML)

    def __post_init__(self) -> None:
        self.row = widgets.VBox([self.box, self.feedback], layout={"overflow": "visible"})

    @property
    def shown(self) -> bool:
        """Whether the field is to be seen."""
        return bool(self.row.layout.display != "none")

    @shown.setter
    def shown(self, seen: bool) -> None:
        self.row.layout.display = "flex" if seen else "none"


class _Form:
    """A form and what it remembers: how many hints were taken."""

    def __init__(self, exercise: Fillable) -> None:
        self.exercise = exercise
        self.hints = 0
        self.entries = {asked.name: _entry(asked) for asked in exercise.fields}
        # A text is marked once it was written and the model answer was seen.
        self.later = [name for name in self.entries if name == "marks"]
        self.summary, self.help = widgets.HTML(), widgets.HTML()
        verb = "Check" if exercise.points else "Note my guess"
        self.check = widgets.Button(description=verb, button_style="primary")
        self.press_order = PressOrder()
        self.hint = widgets.Button(description="Hint")
        self.solution = widgets.Button(
            description="Solution", tooltip="Opens after a first try", disabled=True
        )
        self.check.on_click(self._pressed)
        self.hint.on_click(self._hint)
        self.solution.on_click(self._solution)
        for entry in self.entries.values():
            entry.box.on_msg(self._entered)
        self._count_hints()
        self._open_solution()
        self.box = self._lay_out()
        self._restore_answer()

    def _lay_out(self) -> widgets.VBox:
        rows = [widgets.HTML(_STYLE + _head(self.exercise))]
        for name, entry in self.entries.items():
            entry.shown = name not in self.later
            rows.append(entry.row)
        buttons = [self.check]
        buttons += [self.hint] if self.exercise.hints else []
        buttons += [self.solution] if self.exercise.points else []
        rows += [
            widgets.HBox(buttons, layout={"flex_flow": "row wrap"}),
            self.summary,
            self.help,
            widgets.HTML(_in_code(self.exercise)),
        ]
        edge = f"4px solid {BLUE}"
        thin = "1px solid #6B728080"
        box = widgets.VBox(
            rows,
            layout={
                "max_width": "54em",
                "padding": "6px 16px",
                "border_left": edge,
                "border_top": thin,
                "border_right": thin,
                "border_bottom": thin,
                "overflow": "visible",
            },
        )
        box.add_class("recsys-card")
        return box

    def _restore_answer(self) -> None:
        """Show again what was answered before this kernel, and what was said of it."""
        answer = self.exercise.load_previous_answer()
        if isinstance(answer, list):
            answer = {next(iter(self.entries)): answer}
        if not isinstance(answer, Mapping):
            return
        for name, value in answer.items():
            if name in self.entries:
                self.entries[name].write(value)
        given = {name: entry.read() for name, entry in self.entries.items() if entry.shown}
        self._show(self.exercise.check_quietly(**given))

    def _entered(self, _: Any, content: Any, __: Any) -> None:
        """Check when Enter is pressed in a line."""
        if isinstance(content, dict) and content.get("event") == "submit":
            self._pressed()

    def _pressed(self, _: Any = None) -> None:
        self.press_order.run_after_edits(self._check)

    def _check(self) -> None:
        answers = {name: entry.read() for name, entry in self.entries.items() if entry.shown}
        self._show(self.exercise.check(**answers))

    def _show(self, result: CheckResult) -> None:
        shown = render_below_fields(result)
        for name, entry in self.entries.items():
            entry.feedback.value = _announce(shown.get(name, ""))
        self.summary.value = _announce(shown[""])
        if result.noted and self.later:
            for name in self.later:
                self.entries[name].shown = True
            self.check.description = "Mark it"
        if result.outcome is not Outcome.NOT_ATTEMPTED or result.noted:
            self._open_solution()

    def _hint(self, _: Any) -> None:
        if self.hints < len(self.exercise.hints):
            self.hints += 1
            shown = "".join(
                self.exercise.hint(number)._repr_html_() for number in range(1, self.hints + 1)
            )
            self.help.value = _announce(shown)
        self._count_hints()

    def _solution(self, _: Any) -> None:
        self.help.value = _announce(self.exercise.solution()._repr_html_())

    def _count_hints(self) -> None:
        left = len(self.exercise.hints) - self.hints
        self.hint.description = f"Hint ({left} left)"
        self.hint.disabled = left == 0

    def _open_solution(self) -> None:
        self.solution.disabled = not self.exercise.attempted


def _entry(asked: Field) -> _Entry:
    """Return the widget of a field, and how its answer is read."""
    wide = {"description_width": "initial"}
    if asked.kind == "one":
        labels = {reads: key for key, reads in asked.options.items()}
        box = widgets.RadioButtons(
            options=list(labels), value=None, layout={"width": "auto"}, style=wide
        )

        def choose(picked: Any) -> None:
            key = next(iter(picked), None)
            box.value = asked.options.get(key) if isinstance(key, str) else None

        return _Entry(box, lambda: labels.get(box.value), choose)
    if asked.kind == "many":
        boxes = {
            key: widgets.Checkbox(description=reads, indent=False, layout={"width": "auto"})
            for key, reads in asked.options.items()
        }
        group = widgets.VBox(
            [widgets.HTML(markup.escape(asked.label)), *boxes.values()],
            layout={"overflow": "visible"},
        )

        def tick(picked: Any) -> None:
            for key, one in boxes.items():
                one.value = key in picked

        if asked.name == "marks":
            return _Entry(group, lambda: [one.value for one in boxes.values()], tick)
        return _Entry(group, lambda: [key for key, one in boxes.items() if one.value], tick)
    if asked.kind == "text":
        area = widgets.Textarea(
            description=asked.label, rows=4, style=wide, layout={"width": "min(100%, 48em)"}
        )
        return _Entry(area, lambda: area.value, _make_writer(area))
    line = widgets.Text(description=asked.label, style=wide, layout={"width": "min(100%, 28em)"})
    return _Entry(line, lambda: line.value, _make_writer(line))


def _make_writer(line: widgets.Widget) -> Callable[[Any], None]:
    def write(value: Any) -> None:
        line.value = value if isinstance(value, str) else " ".join(value)

    return write


def _head(exercise: Fillable) -> str:
    """Return title, cost, picture and question; options are among the fields."""
    picked = any(asked.kind == "one" or asked.name == "choice" for asked in exercise.fields)
    figure = exercise.figure
    picture = figure.inline() if figure else ""
    return (
        f'<p style="margin:.2em 0"><strong>{markup.escape(exercise.label)} · '
        f"{markup.escape(exercise.title)}</strong><br><small>{exercise.effort}</small></p>"
        f"{picture}{markup.render_block(exercise.question if picked else exercise.statement)}"
    )


def _in_code(exercise: Fillable) -> str:
    return (
        '<details style="margin:.3em 0"><summary>Answer in code instead</summary>'
        f"{markup.render_code_block(exercise.check_template)}</details>"
    )


def _announce(page: str) -> str:
    """Return HTML that a screen reader speaks when it comes."""
    return f'<div role="status">{page}</div>' if page else ""
