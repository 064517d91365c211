"""One declaration of an explorable: controls on finite grids, numbers, a picture.

In Jupyter it is alive through ipywidgets, in the book from `frames` drawn ahead. Where neither
runs it shows its first state, drawn by the same code. `states` yields every state there is, so
that tests can sweep them all.
"""

from __future__ import annotations

import html
import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from recsys_metrics.workbook.attended import bundle
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal, as_list
from recsys_metrics.workbook.explorables.readout import readout
from recsys_metrics.workbook.picture import Picture


@dataclass(frozen=True)
class Explorable:
    """A question, controls, the numbers they give, and a picture of them.

    Parameters
    ----------
    id : str
        Subject and name, ``"ranking.verdicts"``.
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
    """

    id: str
    question: str
    controls: tuple[Control, ...]
    compute: Callable[[State], Numbers]
    draw: Callable[[State, Numbers], Picture]
    labels: Mapping[str, str | Quantity]
    goals: tuple[Goal, ...] = ()

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

    @property
    def quantities(self) -> dict[str, Quantity]:
        """How each number reads."""
        return {
            name: label if isinstance(label, Quantity) else Quantity(label)
            for name, label in self.labels.items()
        }

    def readout(self, numbers: Numbers, before: Numbers | None = None) -> str:
        """Return the numbers as a table with bars; a thin line marks where each was before."""
        return readout(self.quantities, numbers, before)

    def panel(
        self, state: State, before: Numbers | None = None, *, numbers: Numbers | None = None
    ) -> str:
        """Return picture and readout of a state as HTML.

        Parameters
        ----------
        state : mapping
        before : mapping, optional
            The numbers that were shown last; each leaves a thin line.
        numbers : mapping, optional
            The numbers of the state, where they are known already.
        """
        numbers = self.compute(state) if numbers is None else numbers
        return self._beside(self.draw(state, numbers).inline(), self.readout(numbers, before))

    def _beside(self, picture: str, readout: str) -> str:
        return (
            '<div style="display:flex;flex-wrap:wrap;gap:12px 28px;align-items:flex-start">'
            f'<div style="flex:1 1 320px;min-width:260px">{picture}</div>'
            f"<div>{readout}</div></div>"
        )

    def reached(self, state: State, numbers: Numbers) -> set[int]:
        """Return which goals a state reaches, by place."""
        return {place for place, goal in enumerate(self.goals) if goal.reached(state, numbers)}

    def settings(self, state: State) -> str:
        """Return the state in words, one control after another."""
        return "; ".join(
            f"{control.label}: {control.values[state[control.name]]}" for control in self.controls
        )

    def widget(self) -> Any:
        """Return the live form for Jupyter."""
        from recsys_metrics.workbook.explorables.live import build

        return build(self)

    def still(self, note: str = "") -> str:
        """Return the first state as HTML; the book's script finds it by its id and moves it.

        Parameters
        ----------
        note : str
            A sentence for readers of whom nothing moves it, after the state in words.
        """
        numbers = self.compute(self.start)
        shown = self.draw(self.start, numbers)._repr_html_()
        words = f"{html.escape(self.settings(self.start))}. {html.escape(note)}".rstrip()
        return (
            f'<section data-explorable="{self.id}" data-goals="{len(self.goals)}" '
            f'aria-label="{html.escape(self.question, quote=True)}">'
            f'<p style="font-weight:600;margin:0 0 8px">{html.escape(self.question)}</p>'
            f"{self._beside(shown, self.readout(numbers))}{as_list(self.goals)}"
            f'<p style="margin:8px 0 0"><small>{words}</small></p></section>'
        )

    def _repr_html_(self) -> str:
        return self.still("Run this cell in Jupyter to move it.")

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return bundle(self, self.widget)

    def __repr__(self) -> str:
        return f"Explorable {self.id}: {self.question} ({self.n_states:,} states)"
