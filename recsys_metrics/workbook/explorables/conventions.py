"""Explorables of the chapter on conventions: flip one, and see whose number it is."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping
from functools import cache

import numpy as np

from recsys_metrics._core.colors import BLUE, ORANGE, VERMILION
from recsys_metrics.measures import Measure, measure
from recsys_metrics.peers import interpretations
from recsys_metrics.ranking import Judged, dcg, judge, precision
from recsys_metrics.workbook.charts.board import board
from recsys_metrics.workbook.charts.marks import group, upright
from recsys_metrics.workbook.charts.protocol import Scale
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.explorables import handles
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess
from recsys_metrics.workbook.explorables.panels import Panel, stack, value_row

SERVED = ["A", "B", "C", "D", "E"]
GRADES = {"B": 1, "C": 3, "E": 1, "G": 2}
_JUDGED = judge(SERVED, GRADES)
_CUTS = {2: "2", 5: "5", 10: "10"}
_RANKS = max(_CUTS)


def value(made: Measure) -> float:
    """Return what a measure gives for the list, NaN where it is not defined."""
    try:
        return float(made(_JUDGED))
    except ValueError:
        # Grades above 1 have no ideal of k ones.
        return math.nan


@cache
def readings(metric: str, k: int) -> Mapping[str, float]:
    """Return the value of each library that takes a cut-off for the metric."""
    found = interpretations(metric, k)
    return {who: value(made) for who, made in found.items() if made.k is not None}


def whose(metric: str, k: int, asked: float) -> list[str]:
    """Return the libraries that give a value for the list."""
    return [who for who, theirs in readings(metric, k).items() if abs(theirs - asked) < 1e-9]


def _numbers(metric: str, made: Measure) -> Numbers:
    k = made.k or 1
    asked = value(made)
    return {
        "value": asked,
        "agree": len(whose(metric, k, asked)),
        "all": len(readings(metric, k)),
    }


def _gain(state: State) -> Measure:
    return measure(
        f"ndcg(gain={state['gain']}, discount={state['discount']}, ideal={state['ideal']})"
        f"@{state['k']}"
    )


def _denominator(state: State) -> Measure:
    return measure(f"average_precision(denominator={state['denominator']})@{state['k']}")


def _title(numbers: Numbers) -> str:
    if math.isnan(numbers["value"]):
        return "Not defined for grades above 1"
    n, all_ = int(numbers["agree"]), int(numbers["all"])
    return f"{numbers['value']:.3f}: {n or 'none'} of {all_} conventions give this value"


def _libraries(metric: str, k: int, asked: float, y: float, lines: int) -> list[str]:
    """Name the libraries that give a value, on so many lines; a name is never cut in two."""
    shown = [who.partition(" ")[0] + ("*" if "(" in who else "") for who in whose(metric, k, asked)]
    # Where one name stands for several readings, that with no option is enough.
    names = [
        name for name in dict.fromkeys(shown) if name.rstrip("*") == name or name[:-1] not in shown
    ]
    unbroken = [name.replace("-", "\N{NON-BREAKING HYPHEN}") for name in names]
    wrapped = textwrap.wrap(", ".join(unbroken), 56, break_on_hyphens=False)
    wrapped += ["\N{NO-BREAK SPACE}"] * (lines - len(wrapped))
    return [svg.text(0, y + 20 * row, words) for row, words in enumerate(wrapped)]


def _cut(ends: Mapping[int, float], k: int, floor: float) -> str:
    x = ends[k]
    line = [upright(x, 20, floor, ORANGE)]
    words = f"K = {k}"
    return handles.drag("k", list(ends.values()), (x, 13), along="x", parts=line, words=words)


def _finding(made: Measure, numbers: Numbers) -> str:
    if math.isnan(numbers["value"]):
        return f"{made} is not defined for this list, whose grades exceed 1."
    n = int(numbers["agree"])
    who = f"the value of {n}" if n else "the value of none"
    return (
        f"{made} is {numbers['value']:.3f} for this list, {who} of the {int(numbers['all'])} "
        "conventions in libraries."
    )


_LABELS: dict[str, str | Quantity] = {
    "value": "Value",
    "agree": Quantity("Conventions with this value", high=None, places=0),
    "all": Quantity("All conventions", high=None, places=0),
}

# NDCG: conventions to press, the list, its gains beside those of the ideal, and all readings.
_GAINS = {"linear": "the grade", "binary": "1 if relevant", "exponential": "2^grade − 1"}
_DISCOUNTS = {"log2": "log of rank + 1", "log2-from-2": "none at ranks 1–2"}
_IDEALS = {
    "all": "all, cut off at K",
    "listed": "listed items only",
    "uncut": "all, no cut-off",
    "full": "K relevant",
}
_CHIPS = (
    ("gain", _GAINS, 0, 128),
    ("discount", _DISCOUNTS, 133, 176),
    ("ideal", _IDEALS, 314, 166),
)
_WIDTHS = (50.0,) * 5 + (27.0,) * 5
_ENDS = [56 + sum(_WIDTHS[: rank + 1]) for rank in range(_RANKS)]
_LIST, _BARS = 80, 168
_VALUES = Scale(0, 1, 24, 456)


def bars(state: State) -> tuple[list[float], list[float]]:
    """Return what each rank adds to the DCG of the list, and to that of its ideal."""
    k, ordered = state["k"], sorted(GRADES.values(), reverse=True)
    ideal = {
        "all": ordered[:k],
        "listed": sorted((GRADES.get(item, 0) for item in SERVED), reverse=True)[:k],
        "uncut": ordered,
        "full": [1] * k,
    }[state["ideal"]]
    own = [GRADES.get(item, 0) for item in SERVED[:k]]
    return _added(own, state), _added(ideal, state)


def _added(grades: list[int], state: State) -> list[float]:
    gains = [float(grade) for grade in grades] + [0.0] * (_RANKS - len(grades))
    judged = Judged.from_gains(gains, ideal=sorted(gains, reverse=True))
    upto = [
        float(dcg(judged, n, gain=state["gain"], discount=state["discount"], no_relevant="zero"))
        for n in range(1, _RANKS + 1)
    ]
    return [float(step) for step in np.diff([0.0, *upto])]


def _draw_ndcg(state: State, numbers: Numbers) -> Picture:
    k, value_ = state["k"], numbers["value"]
    parts = [
        *_list_of(k),
        *_bars_of(state),
        *_all_readings(k, value_),
        *_libraries("ndcg", k, value_, _BARS + 45, 2),
    ]
    ends = {cut: _ENDS[cut - 1] - 2 for cut in _CUTS}
    parts += [group([_cut(ends, k, _BARS - 46)], y=48), *_conventions(state)]
    return board(_title(numbers), _BARS + 70, parts, _finding(_gain(state), numbers))


def _conventions(state: State) -> list[str]:
    """Draw each convention as a plate to be pressed, under its name."""
    parts = []
    for name, words, x, wide in _CHIPS:
        parts.append(svg.text(x + 4, 12, name))
        parts.append(handles.button(name, words[state[name]], (x, 18, wide, 28)))
    return parts


def _list_of(k: int) -> list[str]:
    """Draw the list with its grades, and the ranks below it that are empty."""
    parts = [svg.text(0, _LIST + 18, "grade")]
    for rank in range(_RANKS):
        item = SERVED[rank] if rank < len(SERVED) else ""
        grade = GRADES.get(item, 0)
        wide = _WIDTHS[rank] - 4
        x = _ENDS[rank] - _WIDTHS[rank]
        words = f"{item} {grade}" if item else ""
        ink = "#ffffff" if grade else ""
        marks = [
            svg.box(x, _LIST, wide, 26, BLUE if grade else "", dashed=not item),
            svg.text(x + wide / 2, _LIST + 19, words, anchor="middle", ink=ink),
        ]
        parts.append(group(marks, opacity=1 if rank < k else 0.4))
    return parts


def _bars_of(state: State) -> list[str]:
    """Draw what each rank adds, to the list filled, to its ideal hollow; the largest is full."""
    own, ideal = bars(state)
    tall = 54 / max(*own, *ideal)
    parts = [
        svg.line(0, _BARS, _ENDS[-1], _BARS),
        f"{svg.text(0, _BARS - 34, 'list')}{svg.box(38, _BARS - 47, 13, 13, BLUE)}",
        svg.text(0, _BARS - 10, "ideal □"),
    ]
    for rank in range(_RANKS):
        half = (_WIDTHS[rank] - 8) / 2
        x = _ENDS[rank] - _WIDTHS[rank] + 1
        for at, size, fill in ((x, own[rank], BLUE), (x + half, ideal[rank], "")):
            parts.append(svg.box(at, _BARS - size * tall, half - 1, size * tall, fill))
    return parts


def _all_readings(k: int, asked: float) -> list[str]:
    """Draw every value that some library gives on one line, and where the asked one stands."""
    y = _BARS + 18
    found = sorted({round(v, 9) for v in readings("ndcg", k).values() if not math.isnan(v)})
    found += [found[-1]] * (8 - len(found))
    parts = [svg.line(_VALUES(0), y, _VALUES(1), y)]
    parts += [
        svg.text(_VALUES(end) + (12 if end else -12), y + 6, str(end), anchor="middle")
        for end in (0, 1)
    ]
    parts += [group([svg.dot(0, 0, size=5)], x=_VALUES(value), y=y) for value in found]
    known = not math.isnan(asked)
    here = [svg.dot(0, 0, VERMILION, size=6)]
    parts.append(group(here, x=_VALUES(asked if known else 0), y=y, opacity=float(known)))
    return parts


ndcg = Explorable(
    id="conventions.ndcg",
    question="Which NDCG does each library compute?",
    goals=(
        Goal(
            "Find a value that only one convention gives.",
            lambda s, n: n["agree"] == 1,
            "The list and the grades are the same; only the convention differs.",
        ),
    ),
    guess=Guess(
        "The ideal uses only the listed items, without G. NDCG will …",
        {"ideal": "listed"},
        "value",
        "The ideal DCG is smaller without G, so the same list is closer to it.",
    ),
    hint="* with an option of the library",
    controls=(
        Control("k", "K", _CUTS, 5, "slider"),
        Control("gain", "Gain", _GAINS, "linear", "press"),
        Control("discount", "Discount", _DISCOUNTS, "log2", "press"),
        Control("ideal", "Ideal", _IDEALS, "all", "press"),
    ),
    compute=lambda state: _numbers("ndcg", _gain(state)),
    draw=_draw_ndcg,
    labels=_LABELS,
    in_picture=tuple(_LABELS),
)

# Average precision: the list with the precision at each rank, beside all denominators.
_DIVISORS = {
    "relevant": "all relevant",
    "achievable": "K, or all if fewer",
    "recommended": "K, all or list length",
    "k": "K",
    "hits": "hits in the first K",
    "listed": "hits in the list",
    "prefixes": "P at every rank, / K",
}
_AP_WIDE = (58.0,) * 5 + (36.0,) * 5
_AP_ENDS = [sum(_AP_WIDE[: rank + 1]) for rank in range(_RANKS)]
_AP_FLOOR, _LIST_TALL, _ROW = 56.0, 26.0, 20.0
_AP_VALUES = Scale(0, 1, 222, 418)


def denominator(state: State) -> float:
    """Return what the precisions are divided by: their sum over the value."""
    return _summed(state) / value(_denominator(state))


def _summed(state: State) -> float:
    return sum(size for size, counts in _precisions(state) if counts)


def _precisions(state: State) -> list[tuple[float, bool]]:
    """Return precision at each rank, and whether it is one of those that are added up."""
    every = state["denominator"] == "prefixes"
    hit = [item in GRADES for item in SERVED] + [False] * (_RANKS - len(SERVED))
    return [
        (float(precision(_JUDGED, rank)), rank <= state["k"] and (every or hit[rank - 1]))
        for rank in range(1, _RANKS + 1)
    ]


def _draw_average_precision(state: State, numbers: Numbers) -> Picture:
    k, metric = state["k"], "average_precision"
    panels = (
        Panel("Precision at each rank", f"sum {_summed(state):.2f}", 116, _ap_list(state)),
        Panel(
            *("divided by", f"{denominator(state):g}"),
            *(_ROW * len(_DIVISORS) + 4, _ap_denominators(state)),
        ),
    )
    parts, height = stack(panels)
    parts += _libraries(metric, k, numbers["value"], height + 22, 3)
    return board(_title(numbers), height + 68, parts, _finding(_denominator(state), numbers))


def _ap_list(state: State) -> list[str]:
    """Draw the list and the precision at each rank; what is added up is filled."""
    k = state["k"]
    parts = []
    for rank, (size, counts) in enumerate(_precisions(state)):
        item = SERVED[rank] if rank < len(SERVED) else ""
        hit = item in GRADES
        wide, x = _AP_WIDE[rank] - 5, _AP_ENDS[rank] - _AP_WIDE[rank]
        tall = size * (_AP_FLOOR - 20)
        middle = x + wide / 2
        marks = [
            svg.box(x, _AP_FLOOR - tall, wide, tall, BLUE if counts else ""),
            svg.text(
                *(middle, _AP_FLOOR - tall - 4, f"{size:.2f}" if counts else ""), anchor="middle"
            ),
            svg.box(x, _AP_FLOOR + 4, wide, _LIST_TALL, BLUE if hit else "", dashed=not item),
            svg.text(
                *(middle, _AP_FLOOR + 24, f"{item} {'●' if hit else '○'}" if item else ""),
                anchor="middle",
                ink="#ffffff" if hit else "",
            ),
        ]
        parts.append(group(marks, opacity=1 if rank < k else 0.4))
    stops = [_AP_ENDS[cut - 1] - 2.5 for cut in _CUTS]
    x, floor = _AP_ENDS[k - 1] - 2.5, _AP_FLOOR + _LIST_TALL + 8
    line, at = [upright(x, 6, floor, ORANGE)], (x, floor + 14)
    return [*parts, handles.drag("k", stops, at, along="x", parts=line, words=f"K = {k}")]


def _ap_denominators(state: State) -> list[str]:
    """Draw the value that each denominator gives, with the grip at the one that is taken."""
    names = list(_DIVISORS)
    stops = [_ROW * (row + 0.5) for row in range(len(names))]
    parts = [svg.line(14, stops[0], 14, stops[-1])]
    for name, y in zip(names, stops, strict=True):
        theirs = value(_denominator({**state, "denominator": name}))
        taken = name == state["denominator"]
        parts += value_row(
            *(y, _DIVISORS[name], theirs, f"{theirs:.3f}"), scale=_AP_VALUES, bold=taken
        )
    at = (14.0, stops[names.index(state["denominator"])])
    return [*parts, handles.drag("denominator", stops, at, along="y")]


average_precision = Explorable(
    id="conventions.average_precision",
    question="What does each library divide average precision by?",
    goals=(
        Goal(
            "Find a value that only 1 or 2 conventions give.",
            lambda s, n: 1 <= n["agree"] <= 2,
            "The list and the name are the same, but the denominator differs.",
        ),
    ),
    guess=Guess(
        "5 films, and K goes to 10. The value will …",
        {"k": 10},
        "value",
        "The denominator counts all relevant films, and no further one was found.",
    ),
    hint="* with an option of the library",
    controls=(
        Control("k", "K", _CUTS, 5, "slider"),
        Control("denominator", "Divided by", _DIVISORS, "relevant", "slider"),
    ),
    compute=lambda state: _numbers("average_precision", _denominator(state)),
    draw=_draw_average_precision,
    labels=_LABELS,
    in_picture=tuple(_LABELS),
)

EXPLORABLES = (ndcg, average_precision)
