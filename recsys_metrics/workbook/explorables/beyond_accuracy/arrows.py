"""Three films as arrows: how alike they are in pairs, and how varied the list of them is."""

from __future__ import annotations

import math
from collections.abc import Mapping

from recsys_metrics._core.colors import BLUE, GREEN, GREY, ORANGE
from recsys_metrics.beyond_accuracy import intra_list_diversity
from recsys_metrics.workbook.charts.board import board
from recsys_metrics.workbook.charts.marks import group, path
from recsys_metrics.workbook.charts.protocol import Scale
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.explorables import handles
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess

_ANGLES = {angle: f"{angle}°" for angle in range(0, 360, 30)}
_ABSENT = -1
_TURNS = {_ABSENT: "not in the list", **_ANGLES}
_LOOKS = {"A": BLUE, "B": ORANGE, "C": GREEN}
_PAIRS = (("A", "B"), ("A", "C"), ("B", "C"))
_X, _Y, _LONG = 122, 110, 84
# The lanes in which films are turned; left of the first angle C is not in the list.
_LANE = Scale(-30, 330, 274, 466)


def films(state: State) -> dict[str, tuple[float, float]]:
    """Return the films that are in the list, and where each of them points."""
    return {
        film: (math.cos(math.radians(angle)), math.sin(math.radians(angle)))
        for film, angle in _angles(state).items()
    }


def _angles(state: State) -> dict[str, int]:
    given = {"A": 0, "B": state["b"], "C": state["c"]}
    return {film: angle for film, angle in given.items() if angle != _ABSENT}


def _compute(state: State) -> Numbers:
    listed = films(state)
    numbers = {
        f"{one}{other}".lower(): (
            1.0 - intra_list_diversity([one, other], features=listed)
            if {one, other} <= set(listed)
            else math.nan
        )
        for one, other in _PAIRS
    }
    diversity = intra_list_diversity(list(listed), features=listed)
    return {
        **numbers,
        "diversity": diversity,
        "most": len(listed) / (len(listed) - 1),
        "by_length": diversity * (len(listed) - 1) / 2,
    }


def _draw(state: State, numbers: Numbers) -> Picture:
    listed = films(state)
    value, most = numbers["diversity"], numbers["most"]
    how = ", the maximum" if most - value < 1e-9 else ""
    finding = f"{len(listed)} films, diversity {value:.3f}{how}"
    parts = [*_circle(), *_chords(listed), *_arrows(state), *_lanes(state)]
    angles = ", ".join(f"{film} at {angle}°" for film, angle in _angles(state).items())
    return board(
        finding, 2 * _Y + 12, parts, f"Feature vectors of equal length: {angles}. {finding}."
    )


def _circle() -> list[str]:
    return [
        f'<rect x="{_X}" y="{_Y - _LONG}" width="{_LONG}" height="{_LONG}" fill="{GREY}" '
        'opacity="0.22"/>',
        svg.line(_X - _LONG, _Y, _X + _LONG, _Y),
        svg.line(_X, _Y - _LONG, _X, _Y + _LONG),
        f'<circle cx="{_X}" cy="{_Y}" r="{_LONG}" fill="none" stroke="currentColor" '
        'opacity="0.4"/>',
    ]


def _chords(listed: Mapping[str, tuple[float, float]]) -> list[str]:
    """Join the tips of every two films of the list."""
    tips = {film: (_X + _LONG * x, _Y - _LONG * y) for film, (x, y) in listed.items()}
    look = 'fill="none" stroke="currentColor" stroke-width="1.3" stroke-dasharray="4 3"'
    return [
        group([path([tips.get(one, tips["A"]), tips.get(other, tips["A"])], look)])
        for one, other in _PAIRS
    ]


def _arrows(state: State) -> list[str]:
    """Draw the films as arrows; those of one direction beside each other."""
    angles = _angles(state)
    parts = []
    for film, colour in _LOOKS.items():
        angle = angles.get(film, 0)
        alike = [other for other, own in angles.items() if own == angle]
        place = alike.index(film) if film in angles else 0
        aside = 5 * (place - (len(alike) - 1) / 2)
        shaft = [(0.0, aside), (_LONG - 11, aside)]
        head = f"{_LONG},{aside:g} {_LONG - 12},{aside - 6:g} {_LONG - 12},{aside + 6:g}"
        arrow = [
            path(shaft, f'stroke="{colour}" stroke-width="4" fill="none"'),
            f'<polygon points="{head}" fill="{colour}"/>',
        ]
        seen = float(film in angles)
        parts.append(group(arrow, x=_X, y=_Y, turn=-angle, opacity=seen))
        away = _LONG + 13 + 15 * place
        x, y = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        name = [svg.text(0, 6, film, anchor="middle", bold=True)]
        parts.append(group(name, x=_X + x * away, y=_Y - y * away, opacity=seen))
    return parts


def _lanes(state: State) -> list[str]:
    """Draw for B and C a lane in which a knob is dragged, and the film turns with it."""
    parts = []
    for name, values, y in (("b", _ANGLES, 52), ("c", _TURNS, 132)):
        at = state[name]
        words = "not in the list" if at == _ABSENT else f"at {_ANGLES[at]}"
        x = _LANE(-30 if at == _ABSENT else at)
        stops = [_LANE(-30 if value == _ABSENT else value) for value in values]
        parts += [
            svg.text(stops[0] - 9, y - 26, f"{name.upper()} {words}", bold=True),
            svg.line(stops[0], y, stops[-1], y),
            handles.drag(name, stops, (x, y), along="x"),
        ]
    note = ("shaded: no feature", "is below 0")
    parts += [svg.text(265, 176 + 20 * row, words) for row, words in enumerate(note)]
    return parts


arrows = Explorable(
    id="beyond_accuracy.arrows",
    question="How diverse can a list of 3 films be?",
    goals=(
        Goal(
            "Make 3 films as diverse as possible.",
            lambda s, n: s["c"] >= 0 and math.isclose(n["diversity"], n["most"]),
            "The arrows are 120° apart, a third of a circle.",
        ),
        Goal(
            "Find the most diverse 3 in the shaded quarter.",
            lambda s, n: s["b"] <= 90 and 0 <= s["c"] <= 90 and math.isclose(n["diversity"], 2 / 3),
            "Two films share one direction and the third is at a right angle to them. Without "
            "negative features, three directions cannot all be far apart.",
        ),
    ),
    guess=Guess(
        "A third film is added at a right angle to both. Diversity will …",
        {"c": 90},
        "diversity",
        "Diversity is a mean over pairs, and two of the three pairs are only half as far apart.",
    ),
    controls=(
        Control("b", "Film B points to", _ANGLES, 180, "slider"),
        Control("c", "Film C", _TURNS, _ABSENT, "slider"),
    ),
    compute=_compute,
    draw=_draw,
    in_picture=("diversity",),
    labels={
        "ab": Quantity("Similarity of A and B", -1.0, 1.0),
        "ac": Quantity("Similarity of A and C", -1.0, 1.0),
        "bc": Quantity("Similarity of B and C", -1.0, 1.0),
        "diversity": Quantity("diversity", 0.0, 2.0),
        "most": Quantity("maximum diversity", 0.0, 2.0),
        "by_length": Quantity("sum of pairs / length", 0.0, 2.0),
    },
)
