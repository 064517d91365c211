"""Temperature and beta: which of Platt's two relatives repairs which promises."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.choice import Choice


def _conclusion(inputs: Inputs) -> str:
    (low, middle, high), (of_low, of_middle, of_high) = inputs["said"], inputs["happened"]
    if (of_low, of_middle, of_high) == (low, middle, high):
        return "keep"
    if of_middle != middle or of_low + of_high != low + high:
        return "beta"
    return "above" if of_high < high else "below"


def _unless(key: str) -> Callable[[Inputs], str | None]:
    """Return the mistake of choosing an option, wherever it is one."""
    return lambda inputs: None if _conclusion(inputs) == key else key


def _upside_down(inputs: Inputs) -> str | None:
    """Return the wrong side of 1, wherever a temperature is right."""
    return {"above": "below", "below": "above"}.get(_conclusion(inputs))


def _where(*conclusions: str, option: str) -> Callable[[Inputs], str | None]:
    """Return the mistake of choosing an option, wherever one of these conclusions is right."""
    return lambda inputs: option if _conclusion(inputs) in conclusions else None


def _slopes(inputs: Inputs) -> NDArray[np.float64]:
    """Return both slopes of the beta map through the three points; it may have none below 0."""
    said, happened = np.array([inputs["said"], inputs["happened"]]) / 100
    sides = np.column_stack([np.log(said), -np.log1p(-said), np.ones(3)])
    found: NDArray[np.float64] = np.linalg.solve(sides, np.log(happened / (1 - happened)))
    return found[:2]


def _draw(rng: np.random.Generator) -> Inputs:
    wanted = str(rng.choice(["above", "below", "beta", "keep"]))
    while True:
        end = int(rng.choice([10, 15, 20, 25, 30]))
        said = [end, 50, 100 - end]
        moved = int(rng.choice([5, 10]))
        happened = {
            "keep": list(said),
            "above": [end + moved, 50, 100 - end - moved],
            "below": [end - moved, 50, 100 - end + moved],
            "beta": [end, 50 - moved, 100 - end - moved],
        }[wanted]
        inputs = {"said": said, "happened": happened}
        if min(happened) > 0 and min(_slopes(inputs)) > 0:
            return inputs


two_relatives = Choice(
    id="calibration.two_relatives",
    title="Which relative repairs it",
    prompt="""
A model says three numbers, in per cent: {said}. After each of them this share of the events
happened, in per cent and in the same order: {happened}. There are thousands of events for each.
Which map makes all three promises true?
""",
    options={
        "keep": "None is needed.",
        "above": "Temperature, with a T above 1.",
        "below": "Temperature, with a T below 1.",
        "beta": "Beta calibration; no temperature does.",
    },
    ordered=True,
    inputs={"said": [20, 50, 80], "happened": [20, 45, 70]},
    solve=_conclusion,
    draw=_draw,
    reasons={
        "keep": "Each number is the share that happened.",
        "above": "One half is kept, and both ends must come to the middle by as much: their "
        "log-odds are divided by one number above 1.",
        "below": "One half is kept, and both ends must leave the middle by as much: their log-odds "
        "are divided by one number below 1.",
        "beta": "One end is kept and the other is not, so one number for both ends cannot do it.",
    },
    misconceptions=(
        Misconception(
            id="one-for-both-ends",
            name="one number for both ends",
            wrong_answer=_where("beta", option="above"),
            cause="A temperature moves both ends alike and leaves one half where it is. That is "
            "not what these promises need.",
            hint="What would happen to the lowest of the three numbers?",
        ),
        Misconception(
            id="upside-down",
            name="temperature upside down",
            wrong_answer=_upside_down,
            cause="It is the other side of 1. A T above 1 brings both ends to the middle; a T "
            "below 1 makes both bolder.",
            hint="Is a number bolder or more careful after its log-odds are divided by a half?",
        ),
        Misconception(
            id="without-need",
            name="a map without need",
            wrong_answer=_where("keep", option="above"),
            cause="All three promises are kept already, and a temperature would break two of them.",
            hint="Which of the three promises was broken?",
        ),
        Misconception(
            id="further-away",
            name="further from what came",
            wrong_answer=_where("beta", "keep", option="below"),
            cause="A T below 1 makes both ends bolder. It takes the highest number further from "
            "what came.",
            hint="Must the highest number rise, fall or stay?",
        ),
        Misconception(
            id="not-beta",
            name="more than is needed",
            wrong_answer=_unless("beta"),
            cause="Three parameters are not needed here: one half is kept, and the ends are off "
            "by as much, or not at all.",
            hint="By how much is each of the two ends off, and in which direction?",
        ),
        Misconception(
            id="not-keep",
            name="promise not compared",
            wrong_answer=_unless("keep"),
            cause="At least one number is not the share that happened.",
            hint="Which of the three promises was broken?",
        ),
    ),
    hints=(
        "Compare the three pairs: which numbers must rise, which must fall, and which stay?",
        "Temperature never moves one half, and moves both ends alike.",
        "If one end stays and the other moves, each end needs a slope of its own.",
    ),
    steps=(
        Step(
            "How far each number must move, in per cent.",
            "[share - number for number, share in zip(said, happened)]",
        ),
    ),
    insight="Temperature has one number for all, beta one for each end and one for the level. What "
    "is broken decides which is needed.",
    minutes=2,
    points=1,
)
