"""One declaration of an explorable: controls on finite grids, numbers, a picture.

One module of a browser draws it and lets it be moved: in a notebook a kernel answers it (`live`),
in the book a table of all states that were drawn ahead (`frames`). Where neither runs it shows one
state, drawn by the same code. `states` yields every state there is, so that tests can sweep them
all.
"""

from __future__ import annotations

import html
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from recsys_metrics.workbook.common.interactive import create_bundle
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal, render_goals
from recsys_metrics.workbook.explorables.guess import DIRECTIONS, Guess
from recsys_metrics.workbook.explorables.readout import bar_position, render_readout


@dataclass(frozen=True)
class Explorable:
    """A question, controls, the numbers they give, and a picture of them.

    Parameters
    ----------
    id : str
        Subject and name, ``"ranking.metric_values"``.
    question : str
        What to find out by moving it.
    controls : tuple of Control
        In the order they are shown.
    compute : callable
        State to numbers, by the library; pure.
    draw : callable
        State and numbers to a picture; pure.
    labels : mapping
        How each number reads in the table, in order: a `Quantity`, or the label of a number
        between 0 and 1. NaN says that a number is not defined.
    goals : tuple of Goal
        What is to be found by moving it.
    guess : Guess, optional
        What is asked before the first move.
    hint : str
        What in the picture can be moved, in a few words: "Drag the line, press a film."
    in_picture : tuple of str
        Numbers that the picture writes; the others are shown as bars beside it.
    """

    id: str
    question: str
    controls: tuple[Control, ...]
    compute: Callable[[State], Numbers]
    draw: Callable[[State, Numbers], Picture]
    labels: Mapping[str, str | Quantity]
    goals: tuple[Goal, ...] = ()
    guess: Guess | None = None
    hint: str = ""
    in_picture: tuple[str, ...] = ()

    @property
    def start(self) -> dict[str, Any]:
        """The state at the start."""
        return {control.name: control.start for control in self.controls}

    def states(self) -> Iterator[dict[str, Any]]:
        """Yield every state the controls can reach."""
        names = [control.name for control in self.controls]
        for values in itertools.product(*(control.values for control in self.controls)):
            yield dict(zip(names, values, strict=True))

    @property
    def n_states(self) -> int:
        """How many states there are."""
        return math.prod(len(control.values) for control in self.controls)

    # Asked at every state of the book's tables.
    @cached_property
    def quantities(self) -> dict[str, Quantity]:
        """How each number reads."""
        return {
            name: label if isinstance(label, Quantity) else Quantity(label)
            for name, label in self.labels.items()
        }

    def readout(self, numbers: Numbers) -> str:
        """Return the numbers as a table with bars."""
        return render_readout(self.quantities, numbers)

    def describe(self) -> dict[str, Any]:
        """Return what the front end has to know and no state changes, as JSON has it."""
        start = self.compute(self.start)
        return {
            "id": self.id,
            "question": self.question,
            "hint": self.hint,
            "controls": [
                {
                    "name": control.name,
                    "label": control.label,
                    "kind": control.kind,
                    "start": list(control.values).index(control.start),
                    "texts": list(control.values.values()),
                    "keys": list(control.keys.values()),
                }
                for control in self.controls
            ],
            "readout": self.readout(start),
            "numbers": [
                {
                    "label": quantity.label,
                    "zero": bar_position(quantity, 0.0),
                    "drawn": name in self.in_picture,
                }
                for name, quantity in self.quantities.items()
            ],
            "goals": [{"text": goal.text, "found": goal.explanation} for goal in self.goals],
            "guess": self._describe_guess(start),
        }

    def _describe_guess(self, start: Numbers) -> dict[str, Any] | None:
        if self.guess is None:
            return None
        state = {**self.start, **self.guess.move}
        quantity = self.quantities[self.guess.number]
        return {
            "text": self.guess.text,
            "options": list(DIRECTIONS),
            "state": self.indices(state),
            "told": self.guess.explain_guesses(quantity, start, self.compute(state)),
        }

    def indices(self, state: State) -> list[int]:
        """Return a state as the place of each control's value."""
        return [list(control.values).index(state[control.name]) for control in self.controls]

    def state_from_indices(self, places: Sequence[int]) -> dict[str, Any]:
        """Return the state that has each control's value at a place."""
        return {
            control.name: list(control.values)[at]
            for control, at in zip(self.controls, places, strict=True)
        }

    def render_state(self, state: State) -> dict[str, Any]:
        """Return what the front end shows of a state, as JSON has it."""
        numbers = self.compute(state)
        picture = self.draw(state, numbers)
        reached = self.goals_met(state, numbers)
        return {
            "state": self.indices(state),
            "numbers": [
                (quantity.format_value(numbers[name]), bar_position(quantity, numbers[name]))
                for name, quantity in self.quantities.items()
            ],
            "goals": [at in reached for at in range(len(self.goals))],
            "svg": picture.svg,
            "alt": picture.alt,
        }

    def goals_met(self, state: State, numbers: Numbers) -> set[int]:
        """Return which goals a state reaches, by place."""
        return {place for place, goal in enumerate(self.goals) if goal.is_met(state, numbers)}

    def settings(self, state: State) -> str:
        """Return the state in words, one control after another."""
        return "; ".join(
            f"{control.label}: {control.values[state[control.name]]}" for control in self.controls
        )

    def widget(self) -> Any:
        """Return the live form for Jupyter."""
        from recsys_metrics.workbook.explorables.widget import create_widget

        return create_widget(self)

    def static_html(self, note: str = "") -> str:
        """Return the first state as HTML; the book's script finds it by its id and moves it.

        Parameters
        ----------
        note : str
            A sentence for readers of whom nothing moves it, after the state in words.
        """
        words = f"{html.escape(self.settings(self.start))}. {html.escape(note)}".rstrip()
        guess = ' data-guess=""' if self.guess else ""
        return (
            f'<section data-explorable="{self.id}" data-goals="{len(self.goals)}"{guess} '
            f'aria-label="{html.escape(self.question, quote=True)}">'
            f'<p style="font-weight:600;margin:0 0 8px">{html.escape(self.question)}</p>'
            f"{self.render_static(self.start)}{render_goals(self.goals)}"
            f'<p style="margin:8px 0 0"><small>{words}</small></p></section>'
        )

    def render_static(self, state: State) -> str:
        """Return picture and numbers of a state as HTML that stands still.

        Parameters
        ----------
        state : mapping
        """
        numbers = self.compute(state)
        picture = self.draw(state, numbers)._repr_html_()
        table = self.readout(numbers)
        return (
            '<div style="display:flex;flex-wrap:wrap;gap:12px 28px;align-items:flex-start">'
            f'<div style="flex:1 1 320px;min-width:260px">{picture}</div>'
            f"<div>{table}</div></div>"
        )

    def at(self, **changed: Any) -> WalkStep:
        """Return a state as a step of a walk; what is not named is as at the start.

        Parameters
        ----------
        **changed
            Values of controls, by name.

        Raises
        ------
        ValueError
            If there is no such control, or a control has no such value.
        """
        for name, value in changed.items():
            values = {control.name: list(control.values) for control in self.controls}
            if value not in values.get(name, ()):
                raise ValueError(
                    f"{self.id} has no state {name}={value!r}; its controls are {values}"
                )
        return WalkStep(self, {**self.start, **changed})

    def _repr_html_(self) -> str:
        return self.static_html("Run this cell in Jupyter to interact with the figure.")

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return create_bundle(self, self.widget)

    def __repr__(self) -> str:
        return f"Explorable {self.id}: {self.question} ({self.n_states:,} states)"


@dataclass(frozen=True)
class WalkStep:
    """One state of an explorable, with the words that follow it: a step of a walk.

    In a notebook, and in a page without a script, it stands still. In the book its words pass by
    the explorable itself, which goes to this state; the explorable's own cell ends the walk.

    Parameters
    ----------
    explorable : Explorable
    state : mapping
    """

    explorable: Explorable
    state: State

    def _repr_html_(self) -> str:
        at = " ".join(map(str, self.explorable.indices(self.state)))
        return (
            f'<div data-step="{self.explorable.id}" data-state="{at}">'
            f"{self.explorable.render_static(self.state)}</div>"
        )

    def __repr__(self) -> str:
        return f"{self.explorable.id} at {self.explorable.settings(self.state)}"
