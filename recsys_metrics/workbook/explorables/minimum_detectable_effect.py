"""How many users it takes until a gain like the one that was measured would be found."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.colors import BLUE, ORANGE, SKY
from recsys_metrics.baselines import Popularity
from recsys_metrics.protocol import significance
from recsys_metrics.ranking import judge, ndcg, rank_from_scores
from recsys_metrics.workbook.charts.board import axes, board
from recsys_metrics.workbook.charts.marks import group, tag
from recsys_metrics.workbook.charts.protocol import Scale
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.experiments.movielens import movielens_experiment
from recsys_metrics.workbook.explorables import handles
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess

_USERS = (50, 100, 145, 200, 500, 1000, 2000, 5000, 10_000)
_POWERS = {0.5: "every second test", 0.8: "four tests in five", 0.95: "19 tests in 20"}
_YEARS, _A_YEAR = 5, 365 * 24 * 60 * 60


@cache
def gains() -> tuple[NDArray[np.float64], float]:
    """Return each user's gain in NDCG@10 of EASE over today's list, and today's mean."""
    data = movielens_experiment()
    times = np.asarray(data.past.timestamp)
    recent = data.past.take(times > times.max() - _YEARS * _A_YEAR)
    today = rank_from_scores(Popularity().fit(recent).scores(data.users), 10, exclude=data.seen)
    new, old = (
        np.asarray(ndcg(judge(lists, data.truth), k=10)) for lists in (data.lists()["EASE"], today)
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
_Y = Scale(0, 0.1, 170, 44)


def _draw(state: State, numbers: Numbers) -> Picture:
    users, power = state["users"], state["power"]
    found, measured = numbers["smallest"], numbers["measured"]
    ticks = {100.0: "100", 1000.0: "1,000", 10_000.0: "10,000"}
    parts = axes(
        *(_X, _Y),
        x_ticks=ticks,
        y_ticks={0.0: "0", 0.05: "0.05", 0.1: "0.1"},
        x_label="users",
        y_label="",
    )
    parts.append(svg.text(478, 40, "the smallest gain found", anchor="end"))
    curve = [(_X(n), _Y(smallest_effect(n, power))) for n in _USERS]
    parts.append(svg.stroke(curve, BLUE))
    parts.append(svg.line(_X.start, _Y(measured), _X.end, _Y(measured), dashed=True))
    parts.append(svg.text(_X.end, _Y(measured) - 6, "measured", anchor="end"))
    parts.append(svg.dot(_X(users), _Y(found), ORANGE, size=7))
    stops = [_X(n) for n in _USERS]
    line = group([svg.box(-1.5, 26, 3, _Y(0) - 26, ORANGE)], x=_X(users))
    words = "".join(tag(_X(users), 4, f"{users:,}", wide=76))
    grip = (_X(users) - 38, 0, 76, _Y(0))
    parts.append(handles.drag("users", stops, [line, words], along="x", grip=grip))
    label = tag(388, 62, _POWERS[power], wide=176, fill=SKY)
    parts.append(handles.press("power", label, grip=(298, 54, 180, 44)))
    outcome = "found" if found <= measured else "not found"
    title = f"{users:,} users: the smallest gain found is {found:.3f}"
    alt = (
        f"The smallest gain that is found in {_POWERS[power]}, over the number of users. With "
        f"{users:,} it is {found:.3f}; the gain measured, {measured:.3f}, would be {outcome}."
    )
    return board(title, 216, parts, alt)


minimum_detectable_effect = Explorable(
    id="choosing.minimum_detectable_effect",
    question="How many users would find the gain that was measured?",
    goals=(
        Goal(
            "Find the measured gain in four tests of five, by as few users as do.",
            lambda s, n: (
                s["power"] == 0.8
                and n["smallest"] <= n["measured"]
                and s["users"] == _fewest(0.8, n["measured"])
            ),
            "The test had less than a tenth of them.",
        ),
        Goal(
            "Find a gain below three hundredths with the 145 users there are.",
            lambda s, n: s["users"] == 145 and n["smallest"] < 0.03,
            "In every second test only: the other half of the tests miss it.",
        ),
    ),
    guess=Guess(
        "Found by 19 tests in 20, not four in five: the smallest gain will …",
        {"power": 0.95},
        "smallest",
        "To be surer of finding it takes a larger gain, or more users.",
    ),
    hint="Drag the line: how many users. Press the blue tag: how surely it is found.",
    controls=(
        Control("users", "Users", {n: f"{n:,}" for n in _USERS}, 145, "slider"),
        Control("power", "Found in", _POWERS, 0.8, "press"),
    ),
    compute=_compute,
    draw=_draw,
    labels={
        "smallest": Quantity("Smallest gain", 0.0, 0.1),
        "measured": Quantity("Gain measured", 0.0, 0.1),
        "share": Quantity("Of today's NDCG", 0.0, 100.0, places=0, unit="%"),
    },
)


def _fewest(power: float, gain: float) -> int:
    """Return the fewest users of those offered that find a gain."""
    return next((n for n in _USERS if smallest_effect(n, power) <= gain), _USERS[-1])
