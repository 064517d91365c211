"""Three films as arrows: how alike they are in pairs, and how varied the list of them is."""

from __future__ import annotations

import math
from collections.abc import Sequence

from recsys_metrics.beyond_accuracy import intra_list_diversity
from recsys_metrics.workbook import svg
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.palette import BLUE, GREEN, GREY, ORANGE
from recsys_metrics.workbook.picture import Picture

_ANGLES = {angle: f"{angle}°" for angle in range(0, 360, 30)}
_ABSENT = -1
_LOOKS = {"A": BLUE, "B": ORANGE, "C": GREEN}
_PAIRS = (("A", "B"), ("A", "C"), ("B", "C"))
_X, _Y, _LONG = 150, 142, 100


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
    how = ", the most there is" if most - value < 1e-9 else ""
    finding = f"{len(listed)} films, diversity {value:.3f}{how}"
    corner = f"{_X},{_Y} {_X + _LONG},{_Y} {_X + _LONG},{_Y - _LONG} {_X},{_Y - _LONG}"
    parts = [
        svg.text(0, 14, finding, bold=True),
        f'<polygon points="{corner}" fill="{GREY}" opacity="0.22"/>',
        svg.line(_X - _LONG - 8, _Y, _X + _LONG + 8, _Y),
        svg.line(_X, _Y - _LONG - 8, _X, _Y + _LONG + 8),
        f'<circle cx="{_X}" cy="{_Y}" r="{_LONG}" fill="none" stroke="currentColor" '
        'opacity="0.4"/>',
        svg.text(312, 60, "shaded: no feature"),
        svg.text(312, 76, "is below 0"),
    ]
    for angle in dict.fromkeys(_angles(state).values()):
        parts += _arrows([film for film, own in _angles(state).items() if own == angle], angle)
    for row, (one, other) in enumerate(_PAIRS):
        alike = numbers[f"{one}{other}".lower()]
        if not math.isnan(alike):
            parts.append(svg.text(312, 120 + 20 * row, f"{one} and {other}: {1 - alike:.3f} apart"))
    angles = ", ".join(f"{film} at {angle}°" for film, angle in _angles(state).items())
    return svg.sheet(452, 266, parts, f"Arrows of one length: {angles}. {finding}.")


def _arrows(names: Sequence[str], angle: int) -> list[str]:
    """Draw the films of one direction beside each other, with one label."""
    x, y = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    parts = []
    for place, film in enumerate(names):
        aside = 4 * (place - (len(names) - 1) / 2)
        from_x, from_y = _X - y * aside, _Y - x * aside
        tip_x, tip_y = from_x + x * _LONG, from_y - y * _LONG
        back_x, back_y = tip_x - 11 * x, tip_y + 11 * y
        head = (
            f"{tip_x:.1f},{tip_y:.1f} {back_x - 5 * y:.1f},{back_y - 5 * x:.1f} "
            f"{back_x + 5 * y:.1f},{back_y + 5 * x:.1f}"
        )
        parts.append(
            f'<path d="M{from_x:.1f} {from_y:.1f}L{back_x:.1f} {back_y:.1f}" '
            f'stroke="{_LOOKS[film]}" stroke-width="3.5"/>'
            f'<polygon points="{head}" fill="{_LOOKS[film]}"/>'
        )
    away = _LONG + 10 + 6 * len(names) * abs(x)
    label = svg.text(_X + x * away, _Y - y * away + 4, " ".join(names), anchor="middle", bold=True)
    return [*parts, label]


arrows = Explorable(
    id="beyond_accuracy.arrows",
    question="Two films can be 2 apart. How diverse can a list of three be, where do they point "
    "then, and what is the most within the shaded quarter?",
    goals=(
        Goal(
            "Put three films as far from each other as they can be.",
            lambda s, n: s["c"] >= 0 and math.isclose(n["diversity"], n["most"]),
            "A third of the circle each.",
        ),
        Goal(
            "Find the most diverse three within the shaded quarter.",
            lambda s, n: s["b"] <= 90 and 0 <= s["c"] <= 90 and math.isclose(n["diversity"], 2 / 3),
            "Two point one way and one the other: with no negative feature, three cannot all part.",
        ),
    ),
    controls=(
        Control("b", "Film B points to", _ANGLES, 60, "slider"),
        Control("c", "Film C", {_ABSENT: "not in the list", **_ANGLES}, 90, "slider"),
    ),
    compute=_compute,
    draw=_draw,
    labels={
        "ab": Quantity("similarity of A and B", -1.0, 1.0),
        "ac": Quantity("similarity of A and C", -1.0, 1.0),
        "bc": Quantity("similarity of B and C", -1.0, 1.0),
        "diversity": Quantity("diversity: mean over pairs", 0.0, 2.0),
        "most": Quantity("the most for so many films", 0.0, 2.0),
        "by_length": Quantity("divided by the length instead", 0.0, 2.0),
    },
)
