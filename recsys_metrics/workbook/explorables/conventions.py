"""Explorables of the chapter on conventions: flip one, and see whose number it is."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping
from functools import cache

from recsys_metrics.measures import Measure, measure
from recsys_metrics.peers import interpretations
from recsys_metrics.ranking import judge
from recsys_metrics.workbook import svg
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.palette import BLUE
from recsys_metrics.workbook.picture import Picture

SERVED = ["A", "B", "C", "D", "E"]
GRADES = {"B": 1, "C": 3, "E": 1, "G": 2}
_JUDGED = judge(SERVED, GRADES)
_CUTS = {2: "2", 5: "5", 10: "10, longer than the list"}


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


def _divisor(state: State) -> Measure:
    return measure(f"average_precision(divisor={state['divisor']})@{state['k']}")


def _draw(metric: str, made: Measure, numbers: Numbers) -> Picture:
    """Draw every value that some library gives, and light up the one asked for."""
    found = readings(metric, made.k or 1)
    rows = sorted({round(theirs, 9) for theirs in found.values() if not math.isnan(theirs)})
    parts = [svg.text(0, 14, str(made), bold=True)]
    y = 38
    for theirs in rows:
        libraries = [who for who, other in found.items() if abs(other - theirs) < 1e-6]
        lit = abs(theirs - numbers["value"]) < 1e-6
        parts.append(svg.dot(8, y, BLUE if lit else "", size=6))
        parts.append(svg.text(24, y + 4, f"{theirs:.3f}", bold=lit))
        lines = _lines(libraries)
        parts += [svg.text(72, y + 4 + 14 * i, names, bold=lit) for i, names in enumerate(lines)]
        y += 20 + 14 * len(lines)
    undefined = sum(math.isnan(theirs) for theirs in found.values())
    if undefined:
        parts.append(svg.text(24, y + 4, f"{undefined} not defined for grades above 1"))
        y += 18
    return svg.sheet(430, y - 10, parts, _finding(made, numbers))


def _lines(names: list[str]) -> list[str]:
    """Return names on lines as wide as the sheet; a name is never cut in two."""
    shown = [name.rpartition(" ")[0] if "(" not in name else name for name in names]
    unbroken = [name.replace(" ", "\N{NO-BREAK SPACE}") for name in dict.fromkeys(shown)]
    return textwrap.wrap(", ".join(unbroken), 46, break_on_hyphens=False)


def _finding(made: Measure, numbers: Numbers) -> str:
    if math.isnan(numbers["value"]):
        return f"{made} is not defined for this list, whose grades exceed 1."
    n = int(numbers["agree"])
    who = f"the number of {n}" if n else "a number of none"
    return (
        f"{made} is {numbers['value']:.3f} for this list, {who} of the {int(numbers['all'])} "
        "readings in libraries."
    )


_LABELS: dict[str, str | Quantity] = {
    "value": "Value",
    "agree": Quantity("Readings that give it", high=None, places=0),
    "all": Quantity("Readings in all", high=None, places=0),
}

ndcg = Explorable(
    id="conventions.ndcg",
    question="B, C and E of this list have grades 1, 3 and 1, and G, grade 2, was missed. "
    "Which conventions give the number of which library?",
    goals=(
        Goal(
            "Find a number that one reading alone gives.",
            lambda s, n: n["agree"] == 1,
            "The same list and grades, one convention further on.",
        ),
    ),
    controls=(
        Control("k", "K", _CUTS, 5),
        Control(
            "gain",
            "Gain",
            {
                "linear": "the grade",
                "binary": "1 if relevant",
                "exponential": "two to the grade, less 1",
            },
            "linear",
        ),
        Control(
            "discount",
            "Discount",
            {"log2": "log of the rank + 1", "log2-from-2": "ranks 1 and 2 whole"},
            "log2",
        ),
        Control(
            "ideal",
            "Ideal",
            {
                "all": "all relevant items, cut at K",
                "listed": "the items of the list",
                "uncut": "all relevant items, not cut",
                "full": "K relevant items",
            },
            "all",
        ),
    ),
    compute=lambda state: _numbers("ndcg", _gain(state)),
    draw=lambda state, numbers: _draw("ndcg", _gain(state), numbers),
    labels=_LABELS,
)

average_precision = Explorable(
    id="conventions.average_precision",
    question="Three of four relevant items were found, at ranks 2, 3 and 5. "
    "Which divisor is whose, and for which K do most of them agree?",
    goals=(
        Goal(
            "Find a number that one or two readings alone give.",
            lambda s, n: 1 <= n["agree"] <= 2,
            "Same list, same name, another divisor.",
        ),
    ),
    controls=(
        Control("k", "K", _CUTS, 5),
        Control(
            "divisor",
            "Divided by",
            {
                "relevant": "all relevant items",
                "achievable": "K, or all relevant items if fewer",
                "served": "the same, with the ranks used for K",
                "k": "K",
                "hits": "the hits in the first K",
                "listed": "the hits in the whole list",
                "prefixes": "precision at every rank, over K",
            },
            "relevant",
        ),
    ),
    compute=lambda state: _numbers("average_precision", _divisor(state)),
    draw=lambda state, numbers: _draw("average_precision", _divisor(state), numbers),
    labels=_LABELS,
)

EXPLORABLES = (ndcg, average_precision)
