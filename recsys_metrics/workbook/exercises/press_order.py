"""A press that waits for what was typed before it.

A page holds back what is typed for as long as the kernel has not answered for the letters before,
yet sends a press of a button or of Enter at once: while a cell runs, the press overtakes the end of
the answer. What goes to the page and comes back overtakes nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import ipywidgets as widgets

from recsys_metrics.workbook.common.interactive import is_widget_event

PATIENCE = 2.0
"""Seconds after which a page that sends nothing back is not waited for any longer."""

_NEIGHBOURS = 0.02
"""Seconds in which a kernel may still take up, out of turn, what came right before."""


class PressOrder:
    """Calls back once all that a page has sent before has come."""

    def __init__(self) -> None:
        # A layout is the smallest widget there is, and these two lay nothing out: the page sets
        # the second to what the first is set to, and tells the kernel.
        self._there, self._back = widgets.Layout(), widgets.Layout()
        self._link = widgets.jslink((self._there, "width"), (self._back, "width"))
        self._back.observe(self._on_change, "width")
        self._turn = 0
        self._waiting: Callable[[], None] | None = None

    def run_after_edits(self, call: Callable[[], None]) -> None:
        """Call when all has come; of two presses in a row the later one counts.

        Parameters
        ----------
        call : callable
        """
        if not is_widget_event():
            # A program presses, which types nothing.
            call()
            return
        self._turn += 1
        self._waiting = call
        self._there.width = f"{self._turn}px"
        self._call_in(PATIENCE, self._there.width)

    def _on_change(self, change: Any) -> None:
        self._call_in(_NEIGHBOURS, change["new"])

    def _call_in(self, seconds: float, turn: str) -> None:
        asyncio.get_running_loop().call_later(seconds, self._call, turn)

    def _call(self, turn: str) -> None:
        if turn == self._there.width and self._waiting is not None:
            call, self._waiting = self._waiting, None
            call()
