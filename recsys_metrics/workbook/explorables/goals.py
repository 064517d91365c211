"""What is to be found by moving an explorable, which notices when it is."""

from __future__ import annotations

import html
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from recsys_metrics.workbook.explorables.control import Numbers, State


@dataclass(frozen=True)
class Goal:
    """Something to be found.

    Parameters
    ----------
    text : str
        What to find, as a request: "Make recall 1 with precision 0.5 or less."
    is_met : callable
        State and its numbers to whether this is it; not at the start.
    explanation : str
        What it shows, displayed once the goal is met.
    """

    text: str
    is_met: Callable[[State, Numbers], bool]
    explanation: str


def render_goals(goals: Sequence[Goal], found: Collection[int] = ()) -> str:
    """Return goals as HTML; those that were found, by place, say what they show."""
    rows = "".join(
        f"<li>{_render_met_goal(goal) if place in found else html.escape(goal.text)}</li>"
        for place, goal in enumerate(goals)
    )
    return f'<ul class="explorable-goals" aria-label="To find">{rows}</ul>' if rows else ""


def _render_met_goal(goal: Goal) -> str:
    text, shows = html.escape(goal.text), html.escape(goal.explanation)
    return f"<strong>\N{CHECK MARK} Found.</strong> {text} {shows}"
