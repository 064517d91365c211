"""One page, longer or shorter: clicks per impression, per visit and per user."""

from __future__ import annotations

from functools import cache

from recsys_metrics._core.colors import BLUE, GREEN, ORANGE, VERMILION
from recsys_metrics.protocol.online import (
    click_through_probability,
    click_through_rate,
    clicks_per_user,
)
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

PEOPLE = 100
APPEAL = 0.1
"""How likely a film is clicked once it is looked at."""

OLD_SHOWN, OLD_VISITS = 10, 4
_MOST = 20
_VISITS = (1, 2, 3, 4, 5, 6)
_PATIENCE = {
    0.7: "with probability 0.7",
    0.85: "with probability 0.85",
    0.95: "with probability 0.95",
}
_RATES = {"impression": "per impression", "visit": "per visit", "user": "per user"}


@cache
def day(shown: int, visits: int, patience: float) -> dict[str, float]:
    """Return the rates of a day: a visitor looks down the page, and after each film stops or not.

    Parameters
    ----------
    shown : int
        Films on the page.
    visits : int
        Of each user.
    patience : float
        How likely a visitor looks at the next film.

    Returns
    -------
    dict of str to float
    """
    looked = [patience**place for place in range(shown)]
    clicks = PEOPLE * visits * APPEAL * sum(looked)
    # Who stops after n films has clicked none of them with this chance.
    stops = [here - after for here, after in zip(looked, [*looked[1:], 0.0], strict=True)]
    nothing = sum(stop * (1 - APPEAL) ** n for n, stop in enumerate(stops, 1))
    return {
        "impression": click_through_rate(clicks, PEOPLE * visits * shown),
        "visit": clicks_per_user(clicks, PEOPLE * visits),
        "user": clicks_per_user(clicks, PEOPLE),
        "clickers": click_through_probability(PEOPLE * (1 - nothing**visits), PEOPLE),
    }


def _compute(state: State) -> Numbers:
    return day(state["shown"], state["visits"], state["patience"])


def against_old(state: State, name: str) -> float:
    """Return a rate of the new page as a multiple of the old one's."""
    old = day(OLD_SHOWN, OLD_VISITS, state["patience"])
    return _compute(state)[name] / old[name]


_LEFT, _STEP, _SLOTS, _TALL = 4.0, 22.0, 60.0, 26.0
# The old page ends where its rates are drawn: one line is both.
_X = Scale(0, 3.2, 137, 412)
_ROWS, _GAP = 118.0, 25.0


def _draw(state: State, numbers: Numbers) -> Picture:
    shown, visits = state["shown"], state["visits"]
    parts = [svg.line(_X(1), _SLOTS - 4, _X(1), _ROWS + 2 * _GAP + 8, wide=1.5, dashed=True)]
    parts.append(svg.text(_X(1) + 7, _SLOTS + 38, "the old page"))
    for place in range(_MOST):
        on = place < shown
        x, tall = _LEFT + place * _STEP, _TALL * state["patience"] ** place
        bar = svg.box(x + 2, _SLOTS - 2 - tall, _STEP - 6, tall, BLUE)
        mark = svg.box(x, _SLOTS, _STEP - 2, 20, "", dashed=not on)
        parts.append(f'<g opacity="{1 if on else 0.35}">{bar}{mark}</g>')
    parts.append(_edge(shown))
    times = {name: against_old(state, name) for name in _RATES}
    for row, (name, label) in enumerate(_RATES.items()):
        y = _ROWS + _GAP * row
        parts.append(svg.text(0, y + 5, label))
        parts += _bar(times[name], y)
    parts.append(_visits(state, _ROWS + 2 * _GAP))
    alt = (
        f"The new page shows {shown} films to users who visit {visits} times and continue "
        f"{_PATIENCE[state['patience']]} after each film. Clicks per impression are "
        f"{times['impression']:.2f} times those of the old page, per visit {times['visit']:.2f}, "
        f"per user {times['user']:.2f}."
    )
    says = ", ".join(f"{label} {_word(times[name])}" for name, label in _RATES.items())
    return board(says[0].upper() + says[1:], _ROWS + 2 * _GAP + 42, parts, alt)


def _word(times: float) -> str:
    return "▲" if times > 1.0005 else "▼" if times < 0.9995 else "="


def _bar(times: float, y: float) -> list[str]:
    """Draw how far a rate is from the old page's: to the right ahead, to the left behind."""
    start, end = sorted((_X(1), _X(times)))
    colour = VERMILION if times < 1 else GREEN
    return [
        svg.box(start, y - 7, end - start, 14, colour),
        svg.text(_X.end + 8, y + 5, f"× {times:.2f}"),
    ]


def _edge(shown: int) -> str:
    """Draw the end of the page, which is dragged."""
    stops = [_LEFT + n * _STEP - 1 for n in range(1, _MOST + 1)]
    x, words = stops[shown - 1], f"{shown} shown"
    line = [upright(x, 26, _SLOTS + 26, ORANGE)]
    return handles.drag("shown", stops, (x, 13.5), along="x", parts=line, words=words, wide=120)


def _visits(state: State, y: float) -> str:
    """Draw the end of the bar of users, which is dragged: users who come more often."""
    stops = [_X(against_old({**state, "visits": n}, "user")) for n in _VISITS]
    n = state["visits"]
    x, words = stops[_VISITS.index(n)], f"{n} visit{'s' if n > 1 else ''}"
    line = [upright(x, y - 9, y + 12, ORANGE)]
    return handles.drag("visits", stops, (x, y + 25), along="x", parts=line, words=words)


denominator = Explorable(
    id="protocol.denominator",
    question="A longer page: which rate improves?",
    goals=(
        Goal(
            "Make clicks per impression higher and clicks per user lower.",
            lambda s, n: against_old(s, "impression") > 1.0005 > 0.9995 > against_old(s, "user"),
            "A shorter page has fewer impressions without a click, and also fewer clicks.",
        ),
        Goal(
            "Make clicks per visit higher and clicks per user lower.",
            lambda s, n: against_old(s, "visit") > 1.0005 > 0.9995 > against_old(s, "user"),
            "Each visit has more clicks, but there are fewer visits.",
        ),
    ),
    guess=Guess(
        "Each user visits 2 times instead of 4. Clicks per impression will …",
        {"visits": 2},
        "impression",
        "Clicks and impressions are both halved, so their ratio does not change.",
    ),
    controls=(
        Control("shown", "Films shown", {n: str(n) for n in range(1, _MOST + 1)}, 20, "slider"),
        Control("visits", "Visits per user", {n: str(n) for n in _VISITS}, 4, "slider"),
        Control("patience", "They continue", _PATIENCE, 0.85),
    ),
    compute=_compute,
    draw=_draw,
    labels={
        "impression": "Per impression",
        "visit": Quantity("Per visit", high=None),
        "user": Quantity("Per user", high=None),
        "clickers": "Users with a click",
    },
)
