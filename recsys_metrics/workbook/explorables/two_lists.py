"""The explorable of chapter 07: two lists, and the goal that decides between them."""

from __future__ import annotations

from functools import cache

from recsys_metrics._core.colors import BLUE, ORANGE
from recsys_metrics.measures import measure
from recsys_metrics.ranking import Judged
from recsys_metrics.workbook.charts.board import board
from recsys_metrics.workbook.charts.marks import group
from recsys_metrics.workbook.charts.protocol import Scale
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.explorables import handles
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess

RANKS = range(1, 6)
WANTED = "BCEG"
"""The films that Alice wants, one fewer than a list can show."""
_OTHERS = "XYZWV"

_GOALS = {
    "reciprocal_rank@5": "one good item early: MRR",
    "hit_rate@5": "at least one hit: hit rate",
    "hit_rate@1": "a hit at rank 1: hit rate@1",
    "precision@3": "no wasted slot of three: precision@3",
    "recall@5": "find them all: recall@5",
    "average_precision@5": "all of them high: average precision@5",
    "ndcg@5": "high, log discount: NDCG@5",
}
_NAMES = {"first": "A", "second": "B"}
_SAID = {"first": "Early", "second": "Late"}
_START = {"first": (1,), "second": (3, 4, 5)}

_SLOT, _STEP, _LEFT, _TOP, _ROW = 44, 50, 2, 26, 74
_VALUE = Scale(0, 1, 276, 416)


def hits(state: State, name: str) -> tuple[int, ...]:
    """Return the ranks of a list that hold a film that is wanted; there are four in all."""
    pressed = (rank for rank in RANKS if state[f"{_NAMES[name]}{rank}"])
    return tuple(pressed)[: len(WANTED)]


def letters(ranks: tuple[int, ...]) -> str:
    """Return the films of a list that has hits at these ranks, by their letters.

    Examples
    --------
    >>> letters((3, 4, 5))
    'XYBCE'
    """
    wanted, others = iter(WANTED), iter(_OTHERS)
    return "".join(next(wanted if rank in ranks else others) for rank in RANKS)


@cache
def _value(goal: str, ranks: tuple[int, ...]) -> float:
    gains = [float(rank in ranks) for rank in RANKS]
    return float(measure(goal)(Judged.from_gains(gains, ideal=[1.0] * len(WANTED))))


def _compute(state: State) -> Numbers:
    return {name: _value(state["goal"], hits(state, name)) for name in _NAMES}


def _draw(state: State, numbers: Numbers) -> Picture:
    first, second = numbers["first"], numbers["second"]
    winner = "first" if first > second else "second" if second > first else ""
    said = f"the {winner} list is better" if winner else "the two lists are equal"
    cut = measure(state["goal"]).k or len(RANKS)
    parts = [
        svg.text(_LEFT + _STEP * (rank - 0.5) - 3, 16, str(rank), anchor="middle") for rank in RANKS
    ]
    for row, name in enumerate(_NAMES):
        parts += _list(state, name, _TOP + row * _ROW, cut)
        parts += _bar(name, numbers[name], winner, _TOP + row * _ROW)
    x = _LEFT + _STEP * cut - 3
    foot = _TOP + _ROW + _SLOT + 6
    line = [
        svg.stroke([(0, 0), (0, foot)], ORANGE),
        svg.text(0, foot + 17, f"K = {cut}", anchor="middle", bold=True),
    ]
    parts.append(group(line, x=x))
    where = {name: _where(hits(state, name)) for name in _NAMES}
    metric = _GOALS[state["goal"]].rpartition(": ")[2]
    return board(
        f"{metric[0].upper()}{metric[1:]}: {said}",
        foot + 24,
        parts,
        # Without the goal, which stands in its field: so many states share these words.
        f"{said.capitalize()}: {where['first']} against {where['second']}.",
    )


def _where(ranks: tuple[int, ...]) -> str:
    return f"hits at {', '.join(map(str, ranks))}" if ranks else "no hit"


def _list(state: State, name: str, y: float, cut: int) -> list[str]:
    """Draw five slots that can be pressed; those beyond the cut are faint."""
    parts, found = [], hits(state, name)
    for rank, film in zip(RANKS, letters(found), strict=True):
        control, x = f"{_NAMES[name]}{rank}", _LEFT + _STEP * (rank - 1)
        hit = rank in found
        middle, ink = x + _SLOT / 2, "#ffffff" if hit else ""
        marks = [
            svg.box(x, y, _SLOT, _SLOT, BLUE if hit else ""),
            svg.text(middle, y + 19, film, anchor="middle", ink=ink, bold=True),
            svg.text(middle, y + 38, "●" if hit else "○", anchor="middle", ink=ink),
        ]
        drawn = group(marks, opacity=1 if rank <= cut else 0.4)
        around = (x - 3, y - 6, _STEP, _SLOT + 12)
        plate = (x, y, _SLOT, _SLOT)
        parts.append(handles.press(control, [drawn], plate=plate, hit=around, is_slot=True))
    return parts


def _bar(name: str, value: float, winner: str, y: float) -> list[str]:
    """Draw what the goal makes of a list."""
    sign = "= equal" if not winner else "▲ better" if name == winner else "▽ worse"
    return [
        svg.text(_VALUE(0), y + 12, f"{name.capitalize()} list {sign}", bold=name == winner),
        svg.box(_VALUE(0), y + 20, _VALUE(1) - _VALUE(0), 24),
        svg.box(_VALUE(0), y + 20, _VALUE(value) - _VALUE(0), 24, BLUE),
        svg.text(_VALUE(1) + 8, y + 38, f"{value:.3f}"),
    ]


def _as_given(state: State) -> bool:
    return all(hits(state, name) == ranks for name, ranks in _START.items())


goal = Explorable(
    id="choosing.goal",
    question="Which list is better: early or late hits?",
    goals=(
        Goal(
            "Same lists: make the late one better.",
            lambda s, n: _as_given(s) and n["second"] > n["first"],
            "The lists are the same, but for another goal the other list is better.",
        ),
        Goal(
            "Same lists: find a goal with equal values.",
            lambda s, n: _as_given(s) and n["first"] == n["second"],
            "Both lists have the same value for that goal.",
        ),
    ),
    guess=Guess(
        "The early list gets a hit at rank 2. Its MRR will …",
        {"A2": 1},
        "first",
        "Reciprocal rank depends only on the first hit and ignores all later ones.",
    ),
    hint="B, C, E and G are relevant to Alice.",
    controls=(
        Control("goal", "Goal", _GOALS, "reciprocal_rank@5"),
        *(
            Control(
                f"{letter}{rank}",
                f"{_SAID[name]} list, rank {rank}",
                {0: "○ no hit", 1: "● a hit"},
                int(rank in _START[name]),
                "press",
            )
            for name, letter in _NAMES.items()
            for rank in RANKS
        ),
    ),
    compute=_compute,
    draw=_draw,
    in_picture=("first", "second"),
    labels={"first": "Early list", "second": "Late list"},
)

EXPLORABLES: tuple[Explorable, ...] = (goal,)
