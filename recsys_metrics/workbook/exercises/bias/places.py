"""Positions: what a swap says about looks."""

from __future__ import annotations

import numpy as np

from recsys_metrics.bias.propensity import position_bias_swap
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.numbers import Numbers


def _swap(inputs: Inputs) -> dict[str, float]:
    shown, clicked = inputs["shown"], inputs["clicked"]
    rows = [np.arange(n) < c for n, c in zip(shown, clicked, strict=True)]
    found = position_bias_swap(np.concatenate(rows), np.repeat([1, 2], shown))
    return _with_item(inputs, float(found.examination[1]))


def _with_item(inputs: Inputs, looked: float) -> dict[str, float]:
    """Return an examination with the item's attraction that follows from it."""
    return {"examination": looked, "attraction": inputs["rate"] / looked}


def _rates(inputs: Inputs) -> list[float]:
    return [c / n for n, c in zip(inputs["shown"], inputs["clicked"], strict=True)]


def _counts(inputs: Inputs) -> dict[str, float]:
    return _with_item(inputs, inputs["clicked"][1] / inputs["clicked"][0])


def _upside_down(inputs: Inputs) -> dict[str, float]:
    top, low = _rates(inputs)
    return _with_item(inputs, top / low)


def _click_rate(inputs: Inputs) -> dict[str, float]:
    return _with_item(inputs, _rates(inputs)[1])


def _difference(inputs: Inputs) -> dict[str, float]:
    top, low = _rates(inputs)
    return _with_item(inputs, 1 - (top - low))


def _times(inputs: Inputs) -> dict[str, float]:
    return {"attraction": inputs["rate"] * _swap(inputs)["examination"]}


def _place_ignored(inputs: Inputs) -> dict[str, float]:
    return {"attraction": inputs["rate"]}


def _draw(rng: np.random.Generator) -> Inputs:
    shown = (rng.integers(4, 10, 2) * 50).tolist()
    top = float(rng.uniform(0.1, 0.3))
    low = top * float(rng.uniform(0.25, 0.8))
    clicked = [round(shown[0] * top), round(shown[1] * low)]
    return {"shown": shown, "clicked": clicked, "rate": int(rng.integers(2, 9)) / 100}


swap_positions = Numbers(
    id="bias.swap_positions",
    title="What a swap tells",
    prompt="""
In some lists a coin decides whether the items at ranks 1 and 4 change places. In these lists rank
1 and rank 4 were shown {shown} times, in this order, and clicked {clicked} times.

How likely is rank 4 looked at, relative to rank 1? Elsewhere an item that always stood at rank 4
was clicked in a share of {rate} of its rows: what share would it get at rank 1?
""",
    asks={
        "examination": "looks at rank 4, relative to rank 1",
        "attraction": "the item's click rate at rank 1",
    },
    inputs={"shown": [400, 360], "clicked": [48, 18], "rate": 0.06},
    solve=_swap,
    draw=_draw,
    misconceptions=(
        Misconception(
            id="counts-for-rates",
            name="counts for rates",
            wrong_answer=_counts,
            cause="Clicks were compared as counts, although the ranks were not shown equally "
            "often.",
            hint="What share of its rows was clicked at each rank?",
        ),
        Misconception(
            id="ratio-upside-down",
            name="ratio upside down",
            wrong_answer=_upside_down,
            cause="Rank 1 was divided by rank 4.",
            hint="Is rank 4 looked at more or less often than rank 1?",
        ),
        Misconception(
            id="click-for-look",
            name="click rate for look rate",
            wrong_answer=_click_rate,
            cause="The click rate at rank 4 was taken for the rate of looks. A click needs a look "
            "and a liking.",
            hint="What would the click rate be at rank 1, where everybody looks?",
        ),
        Misconception(
            id="difference-for-ratio",
            name="difference for ratio",
            wrong_answer=_difference,
            cause="The click rates were subtracted. A look is a factor of the click rate, not a "
            "part of it.",
            hint="If the items were twice as good, which would stay: the difference or the ratio?",
        ),
        Misconception(
            id="multiplied",
            name="weight upside down",
            wrong_answer=_times,
            cause="The item's click rate was multiplied by the chance of a look, though that is "
            "in it already.",
            hint="Does the item get more or fewer clicks at rank 1 than at rank 4?",
        ),
        Misconception(
            id="clicks-as-logged",
            name="clicks as logged",
            wrong_answer=_place_ignored,
            cause="The item's click rate at rank 4 was taken for that at rank 1.",
            hint="How many of those who were shown the list looked at rank 4?",
        ),
    ),
    hints=(
        "The coin makes the items of both ranks alike on average. What is left to differ?",
        "Compare click rates: clicks over rows, at rank 4 over rank 1.",
        "At rank 4 an item's click rate is its rate at rank 1 times the chance of a look.",
    ),
    steps=(
        Step(
            "Click rates of both ranks.",
            "rates = [c / n for c, n in zip(clicked, shown)]\n[round(r, 3) for r in rates]",
        ),
        Step(
            "The coin made the items alike, so their ratio is that of the looks.",
            "examination = rates[1] / rates[0]\nround(examination, 3)",
        ),
        Step(
            "Dividing by the propensity of a look gives the item its clicks back.",
            "attraction = rate / examination\nrate, round(attraction, 3)",
        ),
    ),
    insight="A swap measures looks without any model of the items; then the look is a propensity "
    "like any other.",
    minutes=5,
    points=2,
)
