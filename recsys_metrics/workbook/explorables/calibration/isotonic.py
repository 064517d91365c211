"""Isotonic regression by pooling, one falling pair after another."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from recsys_metrics.calibration import brier_score
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.palette import BLUE, ORANGE
from recsys_metrics.workbook.picture import Picture
from recsys_metrics.workbook.plots.calibration import Square

# Labels by ascending score.
EVENTS = {
    "chapter": (0, 1, 0, 0, 1, 1, 0, 1),
    "good": (0, 0, 0, 1, 0, 1, 1, 1, 0, 1),
    "chance": (1, 0, 0, 1, 1, 0, 1, 0, 0, 1),
    "backwards": (1, 1, 1, 0, 1, 0, 0, 1, 0, 0),
}
_MOST = max(map(len, EVENTS.values())) - 1

Pools = tuple[tuple[int, int], ...]
"""Pools from the lowest score to the highest: how many events each holds, how many clicked."""


def pools_after(labels: tuple[int, ...], steps: int) -> Pools:
    """Return the pools when the first falling pair was pooled so many times.

    Parameters
    ----------
    labels : tuple of int
        0 and 1, by ascending score.
    steps : int
        More than are needed change nothing.

    Returns
    -------
    tuple of (int, int)
    """
    pools = [(1, label) for label in labels]
    for _ in range(steps):
        place = first_falling(tuple(pools))
        if place is None:
            break
        (n, hits), (m, more) = pools[place : place + 2]
        pools[place : place + 2] = [(n + m, hits + more)]
    return tuple(pools)


def first_falling(pools: Pools) -> int | None:
    """Return the first pool whose rate is above that of the next, if there is one."""
    for place, ((n, hits), (m, more)) in enumerate(pairwise(pools)):
        # Crosswise, because the rates themselves would be rounded.
        if hits * m > more * n:
            return place
    return None


def _values(pools: Pools) -> list[float]:
    return [hits / n for n, hits in pools for _ in range(n)]


def _numbers(state: State) -> Numbers:
    labels = EVENTS[state["events"]]
    pools = pools_after(labels, state["step"])
    return {
        "pools": float(len(pools)),
        "falling": float(sum(a * m > b * n for (n, a), (m, b) in pairwise(pools))),
        "largest": float(max(size for size, _ in pools)),
        "brier": brier_score(labels, _values(pools)),
    }


def _picture(state: State, numbers: Numbers) -> Picture:
    labels = EVENTS[state["events"]]
    pools = pools_after(labels, state["step"])
    falling = first_falling(pools)
    n = len(labels)
    square = Square("event, from the lowest score to the highest", "rate of the pool")
    square.x_ticks = {(i + 0.5) / n: str(i + 1) for i in range(n)}
    start = 0
    for place, (size, hits) in enumerate(pools):
        left, right = start / n, (start + size) / n
        next_to_go = falling is not None and place in (falling, falling + 1)
        colour = ORANGE if next_to_go else BLUE
        square.line([left + 0.008, right - 0.008], [hits / size] * 2, colour, width=6)
        if next_to_go:
            up = square.y(hits / size)
            square.words(
                square.x((left + right) / 2),
                up + (18 if hits / size > 0.9 else -8),
                "falls" if place != falling else "too high",
                size=11,
                anchor="middle",
            )
        start += size
    at = (np.arange(n) + 0.5) / n
    clicked = np.array(labels) == 1
    square.dots(at[clicked], np.ones(clicked.sum()), "currentColor", size=5)
    square.dots(at[~clicked], np.zeros((~clicked).sum()), "currentColor", size=5, hollow=True)
    rates = ", ".join(f"{hits} of {size}" for size, hits in pools)
    state_of_things = (
        "none falls any more: this is the isotonic fit"
        if falling is None
        else f"pools {falling + 1} and {falling + 2} fall and are pooled next"
    )
    return square.picture(
        f"Pools from left to right with their clicks: {rates}; {state_of_things}."
    )


pooling = Explorable(
    id="calibration.pooling",
    question="Pool step by step. What does each step cost, and when does it end?",
    goals=(
        Goal(
            "Pool the events ranked backwards until nothing falls.",
            lambda s, n: s["events"] == "backwards" and n["falling"] == 0,
            "One pool is left, the base rate: a ranking is not turned round.",
        ),
        Goal(
            "Pool the events ranked by chance until nothing falls.",
            lambda s, n: s["events"] == "chance" and n["falling"] == 0,
            "A few large pools remain of what looked like ten opinions.",
        ),
    ),
    controls=(
        Control(
            "step",
            "Pairs pooled",
            {step: str(step) for step in range(_MOST + 1)},
            0,
            "slider",
        ),
        Control(
            "events",
            "Events",
            {
                "chapter": "the eight of the text",
                "good": "ten, ranked well",
                "chance": "ten, ranked by chance",
                "backwards": "ten, ranked backwards",
            },
            "chapter",
        ),
    ),
    compute=_numbers,
    draw=_picture,
    labels={
        "pools": Quantity("Pools", high=10.0, places=0),
        "falling": Quantity("Neighbours that fall", high=10.0, places=0),
        "largest": Quantity("Events in the largest pool", high=10.0, places=0),
        "brier": "Brier score on these events",
    },
)
