"""The bootstrap over few users: what it says, and where it says too much."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from recsys_metrics.protocol.significance import bootstrap_interval, sign_test
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.palette import BLUE, GREY, ORANGE
from recsys_metrics.workbook.picture import Picture
from recsys_metrics.workbook.plots.protocol import Scale, line, picture, text, x_axis

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


def _draw(state: State, numbers: Numbers) -> Picture:
    users = state["users"]
    hits = state["hits"] * users // _GROUP
    x, floor, tall = Scale(0, 1, 26, 414), 170.0, 112.0
    chances = _chances(hits, users)
    top = max(chances.values())
    low, high = numbers["low"], numbers["high"]
    width = max(1.2, 0.8 * 388 / users)
    words = f"{hits} of {users} users: between {low:.2f} and {high:.2f}"
    parts = [text(10, 18, words, anchor="start", bold=True)]
    for n, chance in chances.items():
        inside = low - 1e-9 <= n / users <= high + 1e-9
        look = f'fill="{BLUE}"' if inside else f'fill="none" stroke="{GREY}"'
        height = chance / top * tall
        parts.append(
            f'<rect x="{x(n / users) - width / 2:.1f}" y="{floor - height:.1f}" '
            f'width="{width:.1f}" height="{height:.1f}" {look}/>'
        )
    ticks = {share: f"{share:g}" for share in (0, 0.2, 0.4, 0.6, 0.8, 1)}
    parts.append(x_axis(x, floor, ticks, "hit rate of a resample"))
    parts.append(_span(x, low, high, 44, BLUE, ""))
    exact = numbers["exact_low"], numbers["exact_high"]
    parts.append(_span(x, *exact, 34, ORANGE, "6 3"))
    alt = (
        f"{hits} hits of {users} users. Of resampled hit rates, 95 % lie from {low:.3f} to "
        f"{high:.3f}; the exact interval goes from {exact[0]:.3f} to {exact[1]:.3f}."
    )
    return picture(440, 216, parts, alt)


def _span(x: Scale, low: float, high: float, y: float, colour: str, dash: str) -> str:
    ends = [line(x(end), y - 4, x(end), y + 4, colour=colour, width=2.5) for end in (low, high)]
    return line(x(low), y, x(high), y, colour=colour, width=3, dash=dash) + "".join(ends)


resampled_users = Explorable(
    id="protocol.resampled_users",
    question="For which numbers of hits does the bootstrap claim more than 20 users can tell?",
    goals=(
        Goal(
            "Make the bootstrap claim certainty.",
            lambda s, n: n["low"] == n["high"],
            "All users alike leave nothing to resample; the exact interval knows better.",
        ),
        Goal(
            "Make the bootstrap reach down to 0 although there were hits.",
            lambda s, n: n["low"] == 0 and n["hit_rate"] > 0,
            "A true rate of 0 gives no hit at all, so that end is impossible.",
        ),
    ),
    controls=(
        Control(
            "hits",
            "Hits, of every 20 users",
            {n: str(n) for n in range(_GROUP + 1)},
            6,
            "slider",
        ),
        Control("users", "Test users", {n: str(n) for n in _USERS}, 20),
    ),
    compute=_compute,
    draw=_draw,
    labels={
        "hit_rate": "Hit rate",
        "low": "Bootstrap from (blue)",
        "high": "to",
        "exact_low": "Exact from (orange)",
        "exact_high": Quantity("to"),
    },
)
