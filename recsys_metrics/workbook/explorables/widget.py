"""An explorable in a notebook: the front end's module, answered by the library at every move."""

from __future__ import annotations

from typing import Any, Protocol

import anywidget
import traitlets

from recsys_metrics.workbook import progress
from recsys_metrics.workbook.common.frontend import read_module, read_style
from recsys_metrics.workbook.explorables import frontend
from recsys_metrics.workbook.explorables.control import State


class Movable(Protocol):
    """What a form needs to know of an explorable."""

    @property
    def id(self) -> str:
        """Subject and name."""

    @property
    def start(self) -> dict[str, Any]:
        """The state at the start."""

    def describe(self) -> dict[str, Any]:
        """Return what no state changes."""

    def render_state(self, state: State, /) -> dict[str, Any]:
        """Return what is shown of a state."""

    def indices(self, state: State, /) -> list[int]:
        """Return a state as the place of each control's value."""

    def state_from_indices(self, places: list[int], /) -> dict[str, Any]:
        """Return the state that has each control's value at a place."""


class ExplorableWidget(anywidget.AnyWidget):  # type: ignore[misc]
    """The explorable, alive: the module sets `state`, and this answers what is `shown` of it.

    Parameters
    ----------
    explorable : Movable
    """

    _esm = read_module(frontend.EXPLORABLE)
    _css = read_style(frontend.STYLE)

    facts = traitlets.Dict().tag(sync=True)
    state = traitlets.List().tag(sync=True)
    shown = traitlets.Dict().tag(sync=True)
    found = traitlets.List().tag(sync=True)
    guessed = traitlets.Unicode().tag(sync=True)

    def __init__(self, explorable: Movable) -> None:
        self._explorable = explorable
        super().__init__(
            facts=explorable.describe(),
            state=explorable.indices(explorable.start),
            shown=explorable.render_state(explorable.start),
            found=sorted(progress.load_goals(explorable.id)),
            guessed=progress.load_guess(explorable.id),
        )
        self.observe(self._answer, names="state")
        self.observe(self._note_guess, names="guessed")

    def move(self, state: State) -> None:
        """Set the controls that are named; the others stay."""
        now = self._explorable.state_from_indices(self.state)
        self.state = self._explorable.indices({**now, **state})

    def reset(self) -> None:
        """Go back to the start."""
        self.move(self._explorable.start)

    def _answer(self, _: Any) -> None:
        shown = self._explorable.render_state(self._explorable.state_from_indices(self.state))
        new = [at for at, here in enumerate(shown["goals"]) if here and at not in self.found]
        with self.hold_sync():
            self.shown = shown
            self.found = sorted([*self.found, *new])
        for at in new:
            progress.record_goal(self._explorable.id, at)

    def _note_guess(self, _: Any) -> None:
        progress.record_guess(self._explorable.id, self.guessed)


def create_widget(explorable: Movable) -> ExplorableWidget:
    """Return the explorable as a widget."""
    return ExplorableWidget(explorable)
