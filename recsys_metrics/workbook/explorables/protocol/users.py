"""The bootstrap over few users: what it says, and where it says too much."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from recsys_metrics._core.colors import BLUE, GREY, ORANGE, VERMILION
from recsys_metrics.protocol.significance import bootstrap_interval, sign_test
from recsys_metrics.workbook.charts.board import board, slot
from recsys_metrics.workbook.charts.marks import upright
from recsys_metrics.workbook.charts.protocol import Scale
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.explorables import handles
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess

_GROUP = 20
_USERS = (20, 80, 320)


@cache
def _intervals(hits: int, users: int) -> dict[str, float]:
    found = np.repeat([1.0, 0.0], [hits, users - hits])
    resampled = bootstrap_interval(found)
    # A hit is a win against one half; the test's interval is the exact one of a share.
    exact = sign_test(np.full(users, 0.5), found).interval
    assert exact is not None
    return {
        "hit_rate": resampled.estimate,
        "low": resampled.low,
        "high": resampled.high,
        "exact_low": max(0.0, exact.low + 0.5),
        "exact_high": exact.high + 0.5,
        "width": resampled.high - resampled.low,
    }


def _compute(state: State) -> Numbers:
    users = state["users"]
    return _intervals(state["hits"] * users // _GROUP, users)


def _chances(hits: int, users: int) -> dict[int, float]:
    """Return how likely a resample has so many hits, where that is seen at all."""
    rate = hits / users
    chances = {
        n: math.comb(users, n) * rate**n * (1 - rate) ** (users - n) for n in range(users + 1)
    }
    top = max(chances.values())
    return {n: chance for n, chance in chances.items() if chance > top / 200}


_X = Scale(0, 1, 10, 470)
_SIDE = (_X.end - _X.start) / _GROUP
_USERS_AT, _SPANS, _TALL, _FLOOR = 33, 73, 70.0, 175.0


def _draw(state: State, numbers: Numbers) -> Picture:
    users = state["users"]
    hits = state["hits"] * users // _GROUP
    low, high = numbers["low"], numbers["high"]
    exact = numbers["exact_low"], numbers["exact_high"]
    # What users can be is on the same axis as their share of hits: the line goes through both.
    parts = [
        part
        for n in range(_GROUP)
        for part in slot(_X.start + n * _SIDE, _USERS_AT, _SIDE - 2, *_mark(n < state["hits"]))
    ]
    parts += [*_resamples(hits, users, low, high)]
    parts += [*_span(low, high, _SPANS, BLUE, "bootstrap")]
    parts += [*_span(*exact, _SPANS + 19, VERMILION, "exact")]
    parts.append(svg.line(_X.start, _FLOOR, _X.end, _FLOOR))
    for share in (0, 0.2, 0.4, 0.6, 0.8, 1):
        at = min(max(_X(share), 8.0), 470.0)
        parts.append(svg.line(_X(share), _FLOOR, _X(share), _FLOOR + 4))
        parts.append(svg.text(at, _FLOOR + 20, f"{share:g}", anchor="middle"))
    parts.append(svg.text(_X.end, _FLOOR + 45, "hit rate of a resample", anchor="end"))
    parts += [_line(state, hits), _group(state)]
    alt = (
        f"{hits} hits of {users} users. The bootstrap interval, which contains 95% of the "
        f"resampled hit rates, runs from {low:.3f} to {high:.3f}; the exact (Clopper–Pearson) "
        f"interval runs from {exact[0]:.3f} to {exact[1]:.3f}."
    )
    title = f"{hits} of {users} users: 95% CI {low:.2f} to {high:.2f}"
    return board(title, _FLOOR + 55, parts, alt)


def _mark(hit: bool) -> tuple[str, str]:
    return ("●", BLUE) if hit else ("○", "")


def _line(state: State, hits: int) -> str:
    """Draw the line between users who were hit and users who were not, which is dragged."""
    x, words = _X(state["hits"] / _GROUP), f"{hits} hits"
    line = [upright(x, 27, _FLOOR, ORANGE)]
    stops = [_X(n / _GROUP) for n in range(_GROUP + 1)]
    return handles.drag("hits", stops, (x, 13.5), along="x", parts=line, words=words, wide=100)


def _group(state: State) -> str:
    """Draw how many users there are, which is pressed."""
    words = f"{state['users']} users, ● = {state['users'] // _GROUP}"
    return handles.button("users", words, (_X.start, _FLOOR + 27, 176, 28))


def _resamples(hits: int, users: int, low: float, high: float) -> list[str]:
    """Draw how often a resample has each hit rate: filled within the bootstrap interval."""
    chances = _chances(hits, users)
    top = max(chances.values())
    wide = max(1.2, 0.8 * (_X.end - _X.start) / users)
    inner = outer = ""
    for n, chance in chances.items():
        x, tall = _X(n / users) - wide / 2, chance / top * _TALL
        bar = f"M{x:.1f} {_FLOOR:.0f}v{-tall:.1f}h{wide:.1f}v{tall:.1f}z"
        if low - 1e-9 <= n / users <= high + 1e-9:
            inner += bar
        else:
            outer += bar
    return [
        f'<path d="{inner or "M0 0"}" fill="{BLUE}" opacity="0.75"/>',
        f'<path d="{outer or "M0 0"}" fill="none" stroke="{GREY}"/>',
    ]


def _span(low: float, high: float, y: float, colour: str, name: str) -> list[str]:
    """Draw an interval with its name on the side that has more space."""
    right = low + high < 1
    x = _X(high) + 9 if right else _X(low) - 9
    parts = [svg.box(_X(low), y - 2.5, _X(high) - _X(low), 5, colour)]
    parts += [svg.box(_X(end) - 1.5, y - 7, 3, 14, colour) for end in (low, high)]
    return [*parts, svg.text(x, y + 6, name, anchor="start" if right else "end")]


resampled_users = Explorable(
    id="protocol.resampled_users",
    question="When is the bootstrap interval too narrow?",
    goals=(
        Goal(
            "Make the width of the bootstrap interval 0.",
            lambda s, n: n["low"] == n["high"],
            "Identical users give identical resamples, but the exact interval still has a width.",
        ),
        Goal(
            "With at least one hit, make the bootstrap interval start at 0.",
            lambda s, n: n["low"] == 0 and n["hit_rate"] > 0,
            "A true rate of 0 gives no hits, so that lower limit is impossible.",
        ),
    ),
    guess=Guess(
        "6 hits become 0. The width of the bootstrap interval will …",
        {"hits": 0},
        "width",
        "If all users are alike, every resample is the same, which does not mean that the rate "
        "is certain.",
    ),
    controls=(
        Control(
            "hits",
            "Hits per 20 users",
            {n: str(n) for n in range(_GROUP + 1)},
            6,
            "slider",
        ),
        Control("users", "Test users", {n: str(n) for n in _USERS}, 20, "press"),
    ),
    compute=_compute,
    draw=_draw,
    in_picture=("hit_rate", "low", "high"),
    labels={
        "hit_rate": "Hit rate",
        "low": "Bootstrap from",
        "high": "to",
        "exact_low": "Exact from",
        "exact_high": Quantity("to"),
        "width": "Bootstrap width",
    },
)
