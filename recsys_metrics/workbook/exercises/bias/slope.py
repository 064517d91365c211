"""Choosing without the truth: one line of SLOPE."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from recsys_metrics.workbook.exercises.base import Misconception, Step
from recsys_metrics.workbook.exercises.function import Case, Function, make_completer

_Row = Sequence[float]


def _slope(lows: _Row, highs: _Row) -> int:
    meets_all = np.maximum.accumulate(lows) <= np.minimum.accumulate(highs)
    return int(np.append(meets_all, False).argmin()) - 1


def _candidates(values: _Row, errors: _Row, why: str = "") -> Case:
    """Return the intervals of estimates with these errors."""
    ends = np.subtract(values, errors), np.add(values, errors)
    return Case({"lows": ends[0].tolist(), "highs": ends[1].tolist()}, why)


_EDGES = (
    _candidates([7], [2], "there is one candidate"),
    _candidates([8, 4], [3, 1], "the two intervals touch, and so they meet"),
    _candidates([4, 8], [3, 1], "they touch from the other side"),
    _candidates([9, 2, 9], [1, 1, 1], "the third meets the first, and the second does not"),
)


def _draw_candidates(rng: np.random.Generator) -> tuple[Case, ...]:
    drawn = []
    for sign in (-1, -1, -1, 1, 1):
        errors = np.sort(rng.integers(1, 9, 5))[::-1]
        values = 20 + sign * rng.integers(0, 4, 5).cumsum()
        drawn.append(_candidates(values.tolist(), errors.tolist()))
    return (*drawn, *_EDGES)


_GIVEN = """
for i in range(1, len(lows)):
    meets_all = ...
    if not meets_all:
        return i - 1
return len(lows) - 1
""".strip()
_with = make_completer("lows, highs", _GIVEN)


complete_slope = Function(
    id="bias.complete_slope",
    title="SLOPE with one line missing",
    prompt="""
`my_slope(lows, highs)` chooses one of several estimates of the same number. They are sorted from
least bias to least spread; the two lists have the lower and the upper end of the interval of each.
The function returns the place of the last one before the first whose interval no longer meets all
intervals before it. The first place is 0.

Complete the line with `...`: whether the interval at place `i` meets all before it.
""",
    function="my_slope",
    solve=_slope,
    template=_GIVEN,
    template_answer="max(lows[: i + 1]) <= min(highs[: i + 1])",
    cases=(
        _candidates([10, 9, 7, 4], [4, 3, 2, 1], "each meets its neighbour"),
        _candidates([12, 11, 10, 5], [2, 6, 4, 4], "the last is below the first alone"),
        _candidates([5, 6, 7, 12], [2, 6, 4, 4], "the last is above the first alone"),
        _candidates([4, 6, 9, 11], [4, 3, 2, 1], "the values rise"),
        _candidates([10, 9, 12, 8], [5, 3, 2, 2], "all meet"),
        _candidates([10, 8, 11, 6], [6, 1, 3, 1], "the first is wide and meets all"),
        *_EDGES,
    ),
    draw=_draw_candidates,
    misconceptions=(
        Misconception(
            id="neighbour-alone",
            name="neighbour for all",
            wrong_answer=_with("lows[i] <= highs[i - 1] and lows[i - 1] <= highs[i]"),
            cause="Each interval was held against the one before it. Small steps then lead as far "
            "away as one likes.",
            hint="Can the fourth interval meet the third and miss the first?",
        ),
        Misconception(
            id="first-alone",
            name="first for all",
            wrong_answer=_with("lows[i] <= highs[0] and lows[0] <= highs[i]"),
            cause="Each interval was held against the first alone, which is the widest.",
            hint="Can the fourth interval meet the first and miss the third?",
        ),
        Misconception(
            id="any-for-all",
            name="any for all",
            wrong_answer=_with(
                "any(lows[i] <= highs[j] and lows[j] <= highs[i] for j in range(i))"
            ),
            cause="It was enough to meet one of the intervals before.",
            hint="An interval meets the third and misses the first. Does the search go on?",
        ),
        Misconception(
            id="middle-for-interval",
            name="middle for interval",
            wrong_answer=_with("max(lows[:i]) <= (lows[i] + highs[i]) / 2 <= min(highs[:i])"),
            cause="The middle of the interval was asked to lie within all intervals before. Two "
            "intervals meet as soon as their ends do.",
            hint="Do the intervals from 0 to 4 and from 3 to 9 meet?",
        ),
        Misconception(
            id="one-side-low",
            name="one side alone",
            wrong_answer=_with("lows[i] <= min(highs[:i])"),
            cause="The lower end was held against the intervals before, and the upper end against "
            "nothing: an interval that lies below all others passes.",
            hint="What does your line say of an interval that lies far below the first?",
        ),
        Misconception(
            id="one-side-high",
            name="the other side alone",
            wrong_answer=_with("max(lows[:i]) <= highs[i]"),
            cause="The upper end was held against the intervals before, and the lower end against "
            "nothing: an interval that lies above all others passes.",
            hint="What does your line say of an interval that lies far above the first?",
        ),
        Misconception(
            id="ends-exchanged",
            name="union for meeting",
            wrong_answer=_with("min(lows[: i + 1]) <= max(highs[: i + 1])"),
            cause="The lowest of the lower ends lies below the highest of the upper ends whatever "
            "the intervals do, so nothing ever stops.",
            hint="Which of the lower ends is the strictest?",
        ),
    ),
    hints=(
        "Intervals that all meet have a point in common.",
        "That point lies above every lower end and below every upper end.",
        "`max(lows[: i + 1])` is the highest of the lower ends so far.",
    ),
    steps=(
        Step("The highest of the lower ends must not be above the lowest of the upper ends."),
        Step(
            "The fourth meets the third and misses the first, so the third is taken.",
            "my_slope([10, 5, 6, 1], [14, 17, 14, 9])",
        ),
        Step(
            "A single candidate is taken as it is.",
            "my_slope([5], [9])",
        ),
    ),
    insight="The test compares the candidates with one another, never with the truth: it can say "
    "that a bias has come in, not that none was there.",
    minutes=5,
    points=2,
)
