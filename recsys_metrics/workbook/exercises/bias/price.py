"""What fairness costs, and what a report may say of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.choice import Choice


def _conclusion(inputs: Inputs) -> str:
    low, high = inputs["interval"]
    if low > -inputs["accepted"]:
        return "within"
    return "beyond" if high < -inputs["accepted"] else "open"


def _unless(key: str) -> Callable[[Inputs], str | None]:
    """Return the mistake of choosing an option, wherever it is one."""
    return lambda inputs: None if _conclusion(inputs) == key else key


def _draw(rng: np.random.Generator) -> Inputs:
    wanted = str(rng.choice(["within", "beyond", "open"]))
    while True:
        slots = int(rng.integers(2, 6))
        change = -int(rng.integers(2, 40)) / 1000
        half = int(rng.integers(3, 20)) / 1000
        inputs: Inputs = {
            "slots": slots,
            "accepted": int(rng.choice([10, 15, 20])) / 1000,
            "change": change,
            "interval": [round(change - half, 3), round(change + half, 3)],
        }
        ends = [abs(end + inputs["accepted"]) for end in inputs["interval"]]
        if min(ends) > 0.001 and _conclusion(inputs) == wanted:
            return inputs


price_of_fairness = Choice(
    id="bias.price_of_fairness",
    title="What the tail costs",
    prompt="""
Before the test Mara said that she accepts a loss of up to {accepted} in NDCG@10. Then Matinee kept
{slots} of 10 slots for the tail. Over its users the mean changed by {change}, with the 95 %
interval [{interval}]. What may the report say?
""",
    options={
        "within": "The loss is within what Mara accepts.",
        "beyond": "The loss is larger than what Mara accepts.",
        "open": "The test does not tell whether the loss is within what she accepts.",
        "free": "The tail costs nothing.",
    },
    ordered=True,
    inputs={"slots": 5, "accepted": 0.02, "change": -0.011, "interval": [-0.022, 0.001]},
    solve=_conclusion,
    draw=_draw,
    reasons={
        "within": "Both ends lose less than she accepts.",
        "beyond": "Both ends lose more than she accepts.",
        "open": "The interval holds losses that she accepts, and losses that she does not.",
        "free": "Only an interval whose every loss is too small to matter would say so.",
    },
    misconceptions=(
        Misconception(
            id="not-clear-for-nothing",
            name="not clear for nothing",
            wrong_answer=_unless("free"),
            cause="A loss that is not clear was taken for none. The interval holds losses.",
            hint="Which is the largest loss that the interval still holds?",
        ),
        Misconception(
            id="not-within",
            name="mean for interval",
            wrong_answer=_unless("within"),
            cause="The low end loses more than she accepts. Its mean, or its upper end, does not "
            "decide alone.",
            hint="Is the low end of the interval within what she accepts, too?",
        ),
        Misconception(
            id="not-beyond",
            name="nought for the margin",
            wrong_answer=_unless("beyond"),
            cause="The high end loses less than she accepts. Whether the interval lies below 0 is "
            "another question.",
            hint="With which number must both ends be compared?",
        ),
        Misconception(
            id="not-open",
            name="interval not read",
            wrong_answer=_unless("open"),
            cause="Both ends of the interval lie on one side of the loss that she accepts, so the "
            "test does tell.",
            hint="On which side of the accepted loss does each end lie?",
        ),
    ),
    hints=(
        "Mara did not ask for no loss. She said which loss she accepts.",
        "Put a minus before the accepted loss, and compare it with both ends of the interval.",
        "Both ends above it: within. Both below: beyond. One on each side: the test does not tell.",
    ),
    steps=(
        Step(
            "What the test says, and what Mara accepts.",
            "low, high = interval\nchange, low, high, accepted",
        ),
        Step(
            "Both ends of the interval beside the loss that is accepted: is the low one above it, "
            "or the high one below?",
            "low > -accepted, high < -accepted",
        ),
    ),
    insight="Which loss is acceptable comes from Mara, before the test. The interval then says "
    "whether the loss is within it; 0 does not decide.",
    minutes=2,
    points=1,
)
