"""Isotonic regression by pooling, one falling pair after another."""

from __future__ import annotations

from itertools import pairwise

from recsys_metrics._core.colors import BLUE, VERMILION
from recsys_metrics.calibration import brier_score
from recsys_metrics.workbook.charts.board import board
from recsys_metrics.workbook.charts.protocol import Scale
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.explorables import handles
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess

# Labels by ascending score, as in the text.
START = (0, 1, 0, 0, 1, 1, 0, 1)
_N = len(START)
_NAMES = tuple(f"event_{place}" for place in range(1, _N + 1))
_MOST = _N - 1

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


def labels_of(state: State) -> tuple[int, ...]:
    """Return which events were clicked, from the lowest score to the highest."""
    return tuple(state[name] for name in _NAMES)


def _values(pools: Pools) -> list[float]:
    return [hits / n for n, hits in pools for _ in range(n)]


def _numbers(state: State) -> Numbers:
    labels = labels_of(state)
    pools = pools_after(labels, state["step"])
    return {
        "pools": float(len(pools)),
        "falling": float(sum(a * m > b * n for (n, a), (m, b) in pairwise(pools))),
        "largest": float(max(size for size, _ in pools)),
        "brier": brier_score(labels, _values(pools)),
    }


_LEFT, _RIGHT, _TRACK = 34.0, 470.0, 202.0
_Y = Scale(0, 1, 132, 18)
_STEPS = Scale(0, _MOST, 140, 440)


def _picture(state: State, numbers: Numbers) -> Picture:
    labels = labels_of(state)
    pools = pools_after(labels, state["step"])
    falling = first_falling(pools)
    parts = [svg.line(_LEFT, _Y.start + 12, _RIGHT, _Y.start + 12)]
    parts += [svg.text(_LEFT - 8, _Y(rate) + 5, f"{rate:g}", anchor="end") for rate in (0, 0.5, 1)]
    words = "events, from the lowest score to the highest"
    parts.append(svg.text(_RIGHT, _Y.start + 57, words, anchor="end"))
    parts += [*_pools(pools, falling), *_events(labels), _track(state)]
    rates = ", ".join(f"{hits} of {size}" for size, hits in pools)
    state_of_things = (
        "the rates no longer decrease: this is the isotonic fit"
        if falling is None
        else f"pools {falling + 1} and {falling + 2} are out of order and are pooled next"
    )
    alt = f"Pools from left to right with their clicks: {rates}; {state_of_things}."
    title = f"{len(pools)} pool{'s' if len(pools) > 1 else ''}: " + (
        "in order, this is the fit"
        if falling is None
        else f"pool {falling + 1} is above pool {falling + 2}"
    )
    return board(title, _TRACK + 30, parts, alt)


def _across(event: float) -> float:
    return _LEFT + (_RIGHT - _LEFT) * event / _N


def _events(labels: tuple[int, ...]) -> list[str]:
    """Draw the events where they happened, at 1 or at 0; each is pressed."""
    parts = []
    for place, (name, label) in enumerate(zip(_NAMES, labels, strict=True)):
        x = _across(place + 0.5)
        marks = [
            svg.dot(x, _Y(label), "currentColor" if label else "", size=8),
            svg.text(x, _Y.start + 31, f"{place + 1}", anchor="middle"),
        ]
        wide = (_RIGHT - _LEFT) / _N
        hit = (x - wide / 2, _Y.end - 14, wide, _Y.start - _Y.end + 50)
        plate = (x - 15, _Y.start + 15, 30, 22)
        parts.append(handles.press(name, marks, plate=plate, hit=hit))
    return parts


def _pools(pools: Pools, falling: int | None) -> list[str]:
    """Draw the rate of each pool over its events; the pair that is pooled next is of one colour."""
    start, parts = 0, []
    for place, (size, hits) in enumerate(pools):
        x0, x1 = _across(start) + 3, _across(start + size) - 3
        goes = falling is not None and place in (falling, falling + 1)
        parts.append(svg.box(x0, _Y(hits / size) - 4, x1 - x0, 8, VERMILION if goes else BLUE))
        start += size
    return parts + [svg.box(_RIGHT - 3, _Y(0) - 4, 0, 8, BLUE)] * (_N - len(pools))


def _track(state: State) -> str:
    """Draw how many pairs were pooled, on a line along which it is dragged."""
    x, words = _STEPS(state["step"]), f"{state['step']}"
    stops = [_STEPS(step) for step in range(_MOST + 1)]
    middle = _TRACK + 13
    ticks = "".join(f"M{stop:.1f} {middle - 5:.0f}v10" for stop in stops)
    rail = [
        svg.text(0, middle + 6, "pairs pooled"),
        f'<path d="{ticks}" stroke="currentColor" fill="none"/>',
        svg.line(stops[0], middle, stops[-1], middle),
    ]
    return "".join(rail) + handles.drag("step", stops, (x, middle), along="x", words=words)


def _is_backwards(labels: tuple[int, ...]) -> bool:
    return list(labels) == sorted(labels, reverse=True) and len(set(labels)) == 2


pooling = Explorable(
    id="calibration.pooling",
    question="What does each step of pooling cost?",
    goals=(
        Goal(
            "Reverse the ranking, then pool until no rate decreases.",
            lambda s, n: n["pools"] == 1 and _is_backwards(labels_of(s)),
            "One pool is left, with the base rate. Isotonic regression cannot reverse a ranking.",
        ),
        Goal(
            "End with 2 pools of 4 events each.",
            lambda s, n: n["pools"] == 2 and n["largest"] == 4 and n["falling"] == 0,
            "Eight different scores become two large pools.",
        ),
    ),
    guess=Guess(
        "The first pair that is out of order is pooled. The Brier score will …",
        {"step": 1},
        "brier",
        "Before pooling, each event was given its own outcome, which no other fit can improve on "
        "for these events.",
    ),
    controls=(
        Control(
            "step",
            "Pairs pooled",
            {step: str(step) for step in range(_MOST + 1)},
            0,
            "slider",
        ),
        *(
            Control(name, f"Event {place}", {0: "○ not clicked", 1: "● clicked"}, label, "press")
            for place, (name, label) in enumerate(zip(_NAMES, START, strict=True), 1)
        ),
    ),
    compute=_numbers,
    draw=_picture,
    in_picture=("pools",),
    labels={
        "pools": Quantity("Pools", high=float(_N), places=0),
        "falling": Quantity("Pairs out of order", high=float(_N), places=0),
        "largest": Quantity("Largest pool", high=float(_N), places=0),
        "brier": "Brier score",
    },
)
