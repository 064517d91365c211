"""One event after another: log loss and Brier score."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from recsys_metrics.calibration import brier_score, log_loss
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.numbers import Numbers


def _solve(inputs: Inputs) -> dict[str, float]:
    given = inputs["clicked"], inputs["said"]
    return {"log_loss": log_loss(*given), "brier": brier_score(*given)}


def _draw(rng: np.random.Generator) -> dict[str, Any]:
    n = int(rng.integers(3, 6))
    said = rng.choice(np.arange(1, 20), n, replace=False) / 20
    while True:
        clicked = rng.integers(0, 2, n)
        if 0 < clicked.sum() < n:
            return {"said": said.tolist(), "clicked": clicked.tolist()}


def _mean(cost: Callable[[float, int], float]) -> Callable[[Inputs], float]:
    """Return the mean cost of an event, given what was said and what happened."""

    def of(inputs: Inputs) -> float:
        pairs = list(zip(inputs["said"], inputs["clicked"], strict=True))
        return sum(cost(p, y) for p, y in pairs) / len(pairs)

    return of


_clicks_only = _mean(lambda p, y: -math.log(p) if y else 0.0)
_called_a_click = _mean(lambda p, y: -math.log(p))
_distance = _mean(lambda p, y: abs(p - y))


losses = Numbers(
    id="calibration.losses",
    title="Log loss and Brier score",
    prompt="""
A model said these probabilities of a click: {said}. What happened, 1 for a click: {clicked}.

Compute the log loss (natural logarithm) and the Brier score.
""",
    asks={"log_loss": "log loss", "brier": "Brier score"},
    inputs={"said": [0.9, 0.6, 0.25, 0.1], "clicked": [1, 0, 1, 0]},
    solve=_solve,
    draw=_draw,
    misconceptions=(
        Misconception(
            id="always-as-a-click",
            name="every event a click",
            wrong_answer=lambda inputs: {"log_loss": _called_a_click(inputs)},
            cause="The logarithm of p was taken for every event, also where no click came.",
            hint="What probability did the model give to what happened, where nothing was clicked?",
        ),
        Misconception(
            id="clicks-only",
            name="clicks only",
            wrong_answer=lambda inputs: {"log_loss": _clicks_only(inputs)},
            cause="Only the events with a click were counted. A model that says 1 to everything "
            "would then be perfect.",
            hint="How surprising is no click, for an event that was called p?",
        ),
        Misconception(
            id="base-two",
            name="base two",
            wrong_answer=lambda inputs: {"log_loss": _solve(inputs)["log_loss"] / math.log(2)},
            cause="The logarithm has base 2, so the loss is in bits.",
            hint="What does `math.log` give for one half?",
        ),
        Misconception(
            id="base-ten",
            name="base ten",
            wrong_answer=lambda inputs: {"log_loss": _solve(inputs)["log_loss"] / math.log(10)},
            cause="The logarithm has base 10.",
            hint="What does `math.log` give for one half?",
        ),
        Misconception(
            id="distance-not-squared",
            name="distance for square",
            wrong_answer=lambda inputs: {"brier": _distance(inputs)},
            cause="The distances were averaged and not squared. It would then pay to exaggerate.",
            hint="What becomes of a distance of one half when it is squared?",
        ),
        Misconception(
            id="root-taken",
            name="root of the Brier score",
            wrong_answer=lambda inputs: {"brier": math.sqrt(_solve(inputs)["brier"])},
            cause="The root was taken. The Brier score is the mean square itself.",
            hint="What should saying one half every time cost?",
        ),
        Misconception(
            id="both-classes",
            name="both classes counted",
            wrong_answer=lambda inputs: {"brier": 2 * _solve(inputs)["brier"]},
            cause="The squares of click and of no click were added, as in Brier's own paper. "
            "Today each event is counted once.",
            hint="How many squares are there for one event?",
        ),
        Misconception(
            id="sum-not-mean",
            name="sum for mean",
            wrong_answer=lambda inputs: {
                name: value * len(inputs["said"]) for name, value in _solve(inputs).items()
            },
            cause="The losses were added up and not divided.",
            hint="How many events are there?",
        ),
    ),
    hints=(
        "For each event, write down the probability that the model gave to what happened.",
        "The log loss is the mean of minus the logarithm of those. Where no click came, that "
        "probability is 1 minus p.",
        "The Brier score is the mean of (p − 1)² where a click came and p² where none came.",
    ),
    steps=(
        Step(
            "What happened had this probability: p for a click, 1 − p for none.",
            "happened = [p if y else 1 - p for p, y in zip(said, clicked)]\n"
            "[round(p, 3) for p in happened]",
        ),
        Step(
            "Log loss is the mean of minus their logarithms.",
            "from math import log\n\n"
            "log_loss = sum(-log(p) for p in happened) / len(happened)\n"
            "round(log_loss, 3)",
        ),
        Step(
            "The distance to what happened is 1 less that probability. Brier squares it.",
            "brier = sum((1 - p) ** 2 for p in happened) / len(happened)\nround(brier, 3)",
        ),
    ),
    insight="Both are means over events, and both are lowest for the honest probability. Only log "
    "loss has no upper end.",
    minutes=4,
    points=2,
)
