"""Settings that were tried: what the winner promises, and what it keeps on new users."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core.colors import BLUE, GREEN, ORANGE, VERMILION
from recsys_metrics._core.confidence_intervals import Ends, of_proportion
from recsys_metrics.workbook.charts.board import board
from recsys_metrics.workbook.charts.marks import upright
from recsys_metrics.workbook.charts.protocol import Scale
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.explorables import handles
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess
from recsys_metrics.workbook.explorables.panels import ruler

RATE, SPREAD = 0.3, 0.02
"""Mean hit rate of the settings, and how far apart they are where they are not all alike."""

_TRIED = (1, 2, 5, 10, 20, 50, 100)
_USERS = (50, 100, 200, 500, 1_000, 5_000)
_LEVEL = 0.95


def rates(settings: str) -> NDArray[np.float64]:
    """Return the true hit rate of every setting that can be tried; the first is the mean one."""
    from scipy.special import ndtri

    n = _TRIED[-1]
    order = np.random.default_rng(1).permutation(n - 1)
    apart = np.concatenate([[0.0], ndtri((np.arange(n - 1) + 0.5) / (n - 1))[order]])
    return RATE + (SPREAD if settings == "differ" else 0.0) * apart


@cache
def _winners(tried: int, users: int, settings: str) -> NDArray[np.float64]:
    """Return how likely each number of hits is the winner's and each setting the winner.

    Each setting is tried on users of its own luck; of equal ones the first wins.
    """
    from scipy.special import bdtr

    true = rates(settings)[:tried]
    upto = bdtr(np.arange(users + 1)[:, None], users, true)
    below = np.vstack([np.zeros(tried), upto[:-1]])
    before = np.ones_like(upto)
    before[:, 1:] = np.cumprod(below[:, :-1], axis=1)
    after = np.ones_like(upto)
    after[:, :-1] = np.cumprod(upto[:, :0:-1], axis=1)[:, ::-1]
    chances: NDArray[np.float64] = (upto - below) * before * after
    return chances


@cache
def _holds(users: int, rate: float) -> NDArray[np.bool_]:
    """Return for each number of hits whether its interval holds a rate."""
    low, high = _ends(np.arange(users + 1) / users, users)
    return (low <= rate) & (rate <= high)


def _ends(share: ArrayLike, users: int) -> Ends:
    return of_proportion(np.asarray(share) * users, users, _LEVEL)


@cache
def outcome(tried: int, users: int, chosen_on: str, settings: str) -> dict[str, float]:
    """Return what the winner of so many settings promises and keeps, on average."""
    from scipy.special import bdtr

    chances, true = _winners(tried, users, settings), rates(settings)[:tried]
    kept = float(chances.sum(axis=0) @ true)
    hits = np.arange(users + 1)
    holds = np.stack([_holds(users, rate) for rate in true.tolist()], axis=1)
    if chosen_on == "test":
        promised = float(chances.sum(axis=1) @ hits) / users
        held = float((chances * holds).sum())
    else:
        # Users who had no part in the choice hit as often as new ones, whoever was chosen.
        promised = kept
        upto = bdtr(hits[:, None], users, true)
        chance = np.diff(upto, axis=0, prepend=0.0)
        held = float(chances.sum(axis=0) @ (chance * holds).sum(axis=0))
    return {"promised": promised, "kept": kept, "too_much": promised - kept, "holds": held}


@cache
def scores(tried: int, users: int, settings: str) -> tuple[float, ...]:
    """Return the hit rates that were chosen from, from the lowest to the highest, on average."""
    drawn = np.random.default_rng(users).binomial(users, rates(settings)[:tried], (400, tried))
    ordered = np.sort(drawn, axis=1).mean(axis=0) / users
    return *ordered[:-1].tolist(), outcome(tried, users, "test", settings)["promised"]


def _compute(state: State) -> Numbers:
    return outcome(state["tried"], state["users"], state["chosen_on"], state["settings"])


_X = Scale(0.1, 0.65, 92, 468)
_TICKS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
_TRIED_AT, _SAID_AT, _KEPT_AT, _FLOOR = 46, 84, 142, 162


def _draw(state: State, numbers: Numbers) -> Picture:
    said, kept = numbers["promised"], numbers["kept"]
    too_much = numbers["too_much"] > 0.0005
    colour = VERMILION if too_much else BLUE
    parts = [
        svg.text(0, _TRIED_AT + 5, "tried"),
        svg.text(0, _SAID_AT + 5, "reported"),
        svg.text(0, _KEPT_AT + 5, "new users"),
        svg.line(_X(kept), _SAID_AT - 12, _X(kept), _FLOOR, dashed=True),
        *ruler(_X, _FLOOR, {value: f"{value:g}" for value in _TICKS}),
    ]
    parts.append(svg.text(_X.end, _FLOOR + 45, "hit rate", anchor="end"))
    parts += [_others(state), *_reported(state, said, colour)]
    parts.append(svg.dot(_X(kept), _KEPT_AT, GREEN, size=7))
    parts += [_winner(state), _switch(state)]
    tried = f"{state['tried']} setting{'s' if state['tried'] > 1 else ''}"
    place = "the test set" if state["chosen_on"] == "test" else "a validation split"
    alt = (
        f"The best of {tried} that "
        f"{'are equally good' if state['settings'] == 'alike' else 'differ'}, chosen on {place} "
        f"with {state['users']:,} users. The reported hit rate is {said:.3f}, and on new users it "
        f"is {kept:.3f}. The coverage of the confidence interval is {100 * numbers['holds']:.0f}%."
    )
    return board(f"Reported {said:.3f}, on new users {kept:.3f}", _FLOOR + 56, parts, alt)


def _others(state: State) -> str:
    """Draw the scores that were chosen from; one path, however many."""
    found = scores(state["tried"], state["users"], state["settings"])
    dots = "".join(f"M{_X(score):.1f} {_TRIED_AT}h0" for score in found)
    return (
        f'<path d="{dots}" stroke="currentColor" stroke-width="8" stroke-linecap="round" '
        'opacity="0.35"/>'
    )


def _best(state: State, tried: int) -> float:
    return outcome(tried, state["users"], "test", state["settings"])["promised"]


def _winner(state: State) -> str:
    """Draw the winner, which is dragged: to get a better one takes more settings."""
    stops = [_X(_best(state, tried)) for tried in _TRIED]
    x, words = stops[_TRIED.index(state["tried"])], f"{state['tried']} tried"
    marks = [
        upright(x, 26, _TRIED_AT, ORANGE),
        svg.dot(x, _TRIED_AT, VERMILION if state["chosen_on"] == "test" else BLUE, size=7),
    ]
    return handles.drag("tried", stops, (x, 13.5), along="x", parts=marks, words=words)


def _reported(state: State, said: float, colour: str) -> list[str]:
    """Draw the number that is reported; the end of its interval is dragged: it takes users."""
    ends = []
    for users in _USERS:
        there = outcome(state["tried"], users, state["chosen_on"], state["settings"])["promised"]
        ends.append(_X(float(_ends(there, users)[1])))
    low, high = (_X(float(end)) for end in _ends(said, state["users"]))
    words = f"{state['users']:,} users"
    line = [upright(high, _SAID_AT - 8, _SAID_AT + 14, colour)]
    at = (high, _SAID_AT + 26.5)
    return [
        svg.box(low, _SAID_AT - 3, high - low, 6, colour),
        svg.stroke([(low, _SAID_AT - 8), (low, _SAID_AT + 8)], colour),
        svg.dot(_X(said), _SAID_AT, colour, size=7),
        handles.drag("users", ends, at, along="x", parts=line, words=words),
    ]


def _switch(state: State) -> str:
    return handles.button(
        "chosen_on", state["chosen_on"], (0, _FLOOR + 27, 212, 28), name="chosen on"
    )


tuning = Explorable(
    id="protocol.tuning",
    question="When is the winner's reported score biased upwards?",
    goals=(
        Goal(
            "Equally good settings: report 0.1 more than new users get.",
            lambda s, n: s["settings"] == "alike" and n["too_much"] > 0.1,
            "No setting is better than another, so the reported maximum is only chance.",
        ),
        Goal(
            "Try 10 or more settings, and report what new users get.",
            lambda s, n: s["tried"] >= 10 and n["too_much"] < 0.001,
            "The choice was made on the validation split, and the test set was used only once.",
        ),
    ),
    guess=Guess(
        "Choose on a validation split instead. The reported number will …",
        {"chosen_on": "validation"},
        "promised",
        "The test set was not used for the choice, so its estimate does not contain the optimism "
        "from selection.",
    ),
    controls=(
        Control("tried", "Settings tried", {n: str(n) for n in _TRIED}, 20, "slider"),
        Control("users", "Users", {n: f"{n:,}" for n in _USERS}, 100, "slider"),
        Control(
            "chosen_on",
            "Chosen on",
            {"test": "the test set", "validation": "a validation split"},
            "test",
            "press",
        ),
        Control(
            "settings",
            "The settings",
            {"alike": "are equally good", "differ": "differ a little"},
            "alike",
        ),
    ),
    compute=_compute,
    draw=_draw,
    in_picture=("promised", "kept"),
    labels={
        "promised": "Reported",
        "kept": "On new users",
        "too_much": Quantity("Optimism", high=None),
        "holds": "Coverage of the CI",
    },
)
