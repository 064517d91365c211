"""How many users it takes until a gain like the one that was measured would be found."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.colors import BLUE, ORANGE
from recsys_metrics.protocol import significance
from recsys_metrics.ranking import judge, ndcg, rank_from_scores
from recsys_metrics.workbook.charts.board import axes, board
from recsys_metrics.workbook.charts.marks import upright
from recsys_metrics.workbook.charts.protocol import Scale
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.experiments.shop import shop_experiment
from recsys_metrics.workbook.explorables import handles
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess

_USERS = (50, 100, 196, 500, 1000, 2000, 5000, 10_000)
_POWERS = {0.5: "50% of tests", 0.8: "80% of tests", 0.95: "95% of tests"}


@cache
def gains() -> tuple[NDArray[np.float64], float]:
    """Return each user's gain in NDCG@10 of EASE over the production list, and that list's mean."""
    shop = shop_experiment()
    new, old = (
        np.asarray(
            ndcg(
                judge(rank_from_scores(shop.scores[name], 10, exclude=shop.seen), shop.truth), k=10
            )
        )
        for name in ("EASE", "production baseline")
    )
    return new - old, float(old.mean())


@cache
def smallest_effect(users: int, power: float) -> float:
    """Return the smallest gain that so many users show in that share of all tests."""
    found = significance.minimum_detectable_effect(
        sd=float(gains()[0].std(ddof=1)), n=users, power=power
    )
    return round(found, 8)  # where the search for it ends is another SciPy's own


def _compute(state: State) -> Numbers:
    each, today = gains()
    found = smallest_effect(state["users"], state["power"])
    return {"smallest": found, "measured": float(each.mean()), "share": 100 * found / today}


_X = Scale(_USERS[0], _USERS[-1], 56, 420, math.log10)
_Y = Scale(0, 0.16, 170, 44)


def _draw(state: State, numbers: Numbers) -> Picture:
    users, power = state["users"], state["power"]
    found, measured = numbers["smallest"], numbers["measured"]
    ticks = {100.0: "100", 1000.0: "1,000", 10_000.0: "10,000"}
    parts = axes(
        *(_X, _Y),
        x_ticks=ticks,
        y_ticks={0.0: "0", 0.05: "0.05", 0.1: "0.1", 0.15: "0.15"},
        x_label="users",
        y_label="",
    )
    parts.append(svg.text(478, 40, "minimum detectable effect", anchor="end"))
    curve = [(_X(n), _Y(smallest_effect(n, power))) for n in _USERS]
    parts.append(svg.stroke(curve, BLUE))
    parts.append(svg.line(_X.start, _Y(measured), _X.end, _Y(measured), dashed=True))
    parts.append(svg.text(_X.end, _Y(measured) - 6, "measured", anchor="end"))
    parts.append(svg.dot(_X(users), _Y(found), ORANGE, size=7))
    stops = [_X(n) for n in _USERS]
    line, at = upright(_X(users), 26, _Y(0), ORANGE), (_X(users), 17)
    parts.append(
        handles.drag("users", stops, at, along="x", parts=[line], words=f"{users:,}", wide=102)
    )
    parts.append(handles.button("power", _POWERS[power], (300, 62, 178, 30)))
    outcome = "detectable" if found <= measured else "not detectable"
    title = f"{users:,} users: the MDE is {found:.3f}"
    alt = (
        f"The minimum detectable effect by number of users, at a power of {power:.0%}. With "
        f"{users:,} users it is {found:.3f}; a difference of {measured:.3f}, which was measured, "
        f"is {outcome}."
    )
    return board(title, 216, parts, alt)


minimum_detectable_effect = Explorable(
    id="choosing.minimum_detectable_effect",
    question="How many users does it take to detect the gain?",
    goals=(
        Goal(
            "Find the measured gain with 80% power and few users.",
            lambda s, n: (
                s["power"] == 0.8
                and n["smallest"] <= n["measured"]
                and s["users"] == _fewest(0.8, n["measured"])
            ),
            "The test had about a tenth of that number.",
        ),
        Goal(
            "Find a gain below 0.05 with 196 users.",
            lambda s, n: s["users"] == 196 and n["smallest"] < 0.05,
            "The power is then only 50%: the other half of the tests miss the gain.",
        ),
    ),
    guess=Guess(
        "Power goes from 80% to 95%. The minimum detectable effect will …",
        {"power": 0.95},
        "smallest",
        "To reach a power of 95% takes a larger effect or more users.",
    ),
    controls=(
        Control("users", "Users", {n: f"{n:,}" for n in _USERS}, 196, "slider"),
        Control("power", "Detected in", _POWERS, 0.8, "press"),
    ),
    compute=_compute,
    draw=_draw,
    in_picture=("smallest",),
    labels={
        "smallest": Quantity("MDE", 0.0, 0.16),
        "measured": Quantity("Measured gain", 0.0, 0.16),
        "share": Quantity("MDE / NDCG", 0.0, 100.0, places=0, unit="%"),
    },
)


def _fewest(power: float, gain: float) -> int:
    """Return the fewest users of those offered that find a gain."""
    return next((n for n in _USERS if smallest_effect(n, power) <= gain), _USERS[-1])
