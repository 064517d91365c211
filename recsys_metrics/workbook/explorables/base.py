"""One declaration of an explorable: controls on finite grids, numbers, a picture.

In Jupyter it is alive through ipywidgets. Where no kernel runs it shows its first state, drawn
by the same code. `states` yields every state there is, so that tests can sweep them all.
"""

from __future__ import annotations

import html
import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.palette import BLUE
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
    """

    id: str
    question: str
    controls: tuple[Control, ...]
    compute: Callable[[State], Numbers]
    draw: Callable[[State, Numbers], Picture]
    labels: Mapping[str, str | Quantity]

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
        rows = []
        for name, quantity in self.quantities.items():
            value, old = numbers[name], (before or {}).get(name, math.nan)
            rows.append(
                f'<tr><th scope="row" style="text-align:left;font-weight:500;'
                f'padding:2px 10px 2px 0;background:none">{html.escape(quantity.label)}</th>'
                f'<td style="text-align:right;font-variant-numeric:tabular-nums;'
                f'padding:2px 10px 2px 0;background:none">{html.escape(quantity.say(value))}</td>'
                f'<td style="padding:2px 0;background:none" aria-hidden="true">'
                f"{_bar(quantity, value, old)}</td></tr>"
            )
        ends = {(q.low, q.high) for q in self.quantities.values() if q.high is not None}
        scale = " to ".join(f"{end:g}" for end in ends.pop()) if len(ends) == 1 else ""
        return (
            '<table style="border-collapse:collapse;margin:0;color:inherit">'
            '<thead><tr><th scope="col" style="text-align:left;background:none">Number</th>'
            '<th scope="col" style="text-align:right;padding-right:10px;background:none">Value</th>'
            f'<th scope="col" style="text-align:left;background:none">{scale}</th></tr></thead>'
            f"<tbody>{''.join(rows)}</tbody></table>"
        )

    def panel(self, state: State, before: Numbers | None = None) -> str:
        """Return picture and readout of a state as HTML."""
        numbers = self.compute(state)
        picture = self.draw(state, numbers)._repr_html_()
        return (
            '<div style="display:flex;flex-wrap:wrap;gap:12px 28px;align-items:flex-start">'
            f'<div style="flex:1 1 320px;min-width:260px">{picture}</div>'
            f"<div>{self.readout(numbers, before)}</div></div>"
        )

    def settings(self, state: State) -> str:
        """Return the state in words, one control after another."""
        return "; ".join(
            f"{control.label}: {control.values[state[control.name]]}" for control in self.controls
        )

    def widget(self) -> Any:
        """Return the live form for Jupyter."""
        from recsys_metrics.workbook.explorables.live import build

        return build(self)

    def _repr_html_(self) -> str:
        return (
            f'<section aria-label="{html.escape(self.question, quote=True)}">'
            f'<p style="font-weight:600;margin:0 0 8px">{html.escape(self.question)}</p>'
            f"{self.panel(self.start)}"
            f'<p style="margin:8px 0 0"><small>{html.escape(self.settings(self.start))}. '
            "Run this cell in Jupyter to move it.</small></p></section>"
        )

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        bundle: dict[str, Any] = {"text/plain": repr(self), "text/html": self._repr_html_()}
        try:
            live = self.widget()
        except ImportError:
            return bundle
        view = live._repr_mimebundle_()
        key = "application/vnd.jupyter.widget-view+json"
        return {**bundle, key: view[key]} if key in view else bundle

    def __repr__(self) -> str:
        return f"Explorable {self.id}: {self.question} ({self.n_states:,} states)"


def _bar(quantity: Quantity, value: float, old: float) -> str:
    if quantity.high is None:
        return ""
    wide, tall = 110, 12
    low, span = quantity.low, quantity.high - quantity.low

    def place(of: float) -> float:
        return 0.5 + min(1.0, max(0.0, (of - low) / span)) * wide

    parts = [
        f'<rect x="0.5" y="0.5" width="{wide}" height="{tall - 1}" fill="none" '
        'stroke="currentColor" opacity="0.35"/>'
    ]
    if not math.isnan(value):
        # A bar starts at zero, wherever the scale begins.
        start, end = sorted((place(0.0), place(value)))
        parts.append(
            f'<rect x="{start:.1f}" y="0.5" width="{end - start:.1f}" height="{tall - 1}" '
            f'fill="{BLUE}"/>'
        )
    if not math.isnan(old) and old != value:
        parts.append(
            f'<line x1="{place(old):.1f}" x2="{place(old):.1f}" y1="0" y2="{tall}" '
            'stroke="currentColor" stroke-width="2"/>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide + 1}" height="{tall}" '
        f'viewBox="0 0 {wide + 1} {tall}">{"".join(parts)}</svg>'
    )
