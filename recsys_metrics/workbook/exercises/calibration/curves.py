"""Platt's curve applied by hand, and what a map does to the order."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.prediction import Predict

guess = Predict(
    id="calibration.guess",
    title="What a rising curve does to AUC",
    prompt="""
A smooth curve that always rises makes each of the model's probabilities more careful, and they
come true more often as said. What happens to the model's AUC?
""",
    options={
        "rises": "It rises: the numbers are better.",
        "falls": "It falls: careful numbers tell events apart less.",
        "stays": "It stays the same.",
        "depends": "That depends on the data.",
    },
    beliefs={
        "rises": "You expect one quality behind all grades. Watch what each grade looks at.",
        "falls": "You expect the spread of the numbers to matter. Watch what AUC compares.",
        "stays": "You think of the order of the events. Watch where ties come in.",
        "depends": "You expect an exception. Watch which of the two maps of this chapter has one.",
    },
    observed="It stays: a curve that always rises turns no pair round and makes no ties, and AUC "
    "knows nothing but pairs. Log loss, Brier score and ECE do change. A map that is flat in "
    "places is another matter.",
)

after_the_map = Predict(
    id="calibration.after_the_map",
    title="A small model, repaired",
    prompt="""
A {size} model of what people like promises too much. A map repairs it, and the expected calibration
error falls to less than half. What happens to its log loss?
""",
    options={
        "half": "It falls to less than half as well.",
        "little": "It falls a little.",
        "stays": "It stays.",
    },
    beliefs={
        "half": "You expect one repair to help all grades alike. Watch what else log loss sees.",
        "little": "You expect log loss to see more than kept promises. Watch whether any map makes "
        "it worse.",
        "stays": "You think of the order, which a rising map keeps. Watch what log loss looks at.",
    },
    observed="It falls by a fiftieth with Platt's map, and with the isotonic one it is infinite. "
    "Log loss sees kept promises and told-apart events together, and a map repairs the promises "
    "alone.",
    inputs={"size": "small"},
    ordered=True,
)


# The curve by hand ----------------------------------------------------------------------------


def _log_odds(p: float) -> float:
    return math.log(p / (1 - p))


def _sigmoid(z: float) -> float:
    return 1 / (1 + math.exp(-z))


def _after(inputs: Inputs, z: float) -> float:
    return _sigmoid(inputs["a"] * z + inputs["b"])


def _solve(inputs: Inputs) -> dict[str, float]:
    z = _log_odds(inputs["said"])
    return {"log_odds": z, "after": _after(inputs, z)}


def _through(inputs: Inputs, z: float) -> dict[str, float]:
    """Return the answers of someone who has other log-odds and goes on rightly."""
    return {"log_odds": z, "after": _after(inputs, z)}


def _raw(inputs: Inputs) -> dict[str, float]:
    return {"after": _after(inputs, inputs["said"])}


def _odds(inputs: Inputs) -> dict[str, float]:
    return _through(inputs, inputs["said"] / (1 - inputs["said"]))


def _turned(inputs: Inputs) -> dict[str, float]:
    return _through(inputs, -_log_odds(inputs["said"]))


def _logarithm(inputs: Inputs) -> dict[str, float]:
    return _through(inputs, math.log(inputs["said"]))


def _base_ten(inputs: Inputs) -> dict[str, float]:
    return _through(inputs, _log_odds(inputs["said"]) / math.log(10))


def _no_intercept(inputs: Inputs) -> dict[str, float]:
    return {"after": _sigmoid(inputs["a"] * _log_odds(inputs["said"]))}


def _sign_of_platt(inputs: Inputs) -> dict[str, float]:
    return {"after": 1 - _solve(inputs)["after"]}


def _line_only(inputs: Inputs) -> dict[str, float]:
    return {"after": inputs["a"] * _log_odds(inputs["said"]) + inputs["b"]}


def _draw(rng: np.random.Generator) -> dict[str, Any]:
    said = rng.choice([0.05, 0.1, 0.15, 0.2, 0.3, 0.7, 0.8, 0.85, 0.9, 0.95])
    a = rng.choice([0.4, 0.5, 0.6, 0.7, 0.8])
    b = rng.choice([-0.8, -0.6, -0.4, -0.3, 0.3, 0.4, 0.6])
    return {"said": float(said), "a": float(a), "b": float(b)}


platt = Numbers(
    id="calibration.platt",
    title="Through the fitted curve",
    prompt="""
Platt scaling over log-odds was fitted: slope a = {a}, intercept b = {b}. A new event was called
{said}.

Compute its log-odds, and its probability after the curve.
""",
    asks={"log_odds": "log-odds of {said}", "after": "probability after"},
    inputs={"said": 0.9, "a": 0.6, "b": -0.4},
    solve=_solve,
    draw=_draw,
    misconceptions=(
        Misconception(
            id="raw-for-log-odds",
            name="raw score for log-odds",
            wrong_answer=_raw,
            cause="The slope was applied to the probability itself. It was fitted over log-odds.",
            hint="Over which scale does the line of this fit run?",
        ),
        Misconception(
            id="odds-without-logarithm",
            name="odds for log-odds",
            wrong_answer=_odds,
            cause="Those are the odds, p / (1 − p). Their logarithm is missing.",
            hint="What are the log-odds of one half?",
        ),
        Misconception(
            id="log-odds-turned",
            name="odds turned round",
            wrong_answer=_turned,
            cause="The odds are upside down: (1 − p) / p.",
            hint="Should the log-odds be above or below 0 for what is likely?",
        ),
        Misconception(
            id="logarithm-of-p",
            name="logarithm for log-odds",
            wrong_answer=_logarithm,
            cause="That is the logarithm of p. Log-odds also take 1 − p into account.",
            hint="What are the log-odds of one half?",
        ),
        Misconception(
            id="base-ten",
            name="base ten",
            wrong_answer=_base_ten,
            cause="The logarithm has base 10; the sigmoid undoes the natural one.",
            hint="Does the sigmoid of your log-odds give back what was said?",
        ),
        Misconception(
            id="no-intercept",
            name="intercept left out",
            wrong_answer=_no_intercept,
            cause="The slope was applied, the intercept was not.",
            hint="What does b do to every event?",
        ),
        Misconception(
            id="sign-turned",
            name="sign turned",
            wrong_answer=_sign_of_platt,
            cause="The sigmoid was taken of minus the line, as in Platt's paper, whose a and b "
            "have the other sign.",
            hint="Should a likelier event be mapped to more or to less?",
        ),
        Misconception(
            id="line-for-curve",
            name="line for curve",
            wrong_answer=_line_only,
            cause="That is the line, on the scale of log-odds. The way back is missing.",
            hint="Which function turns log-odds into a probability?",
        ),
    ),
    hints=(
        "Three steps: to log-odds, along the line, and back.",
        "The log-odds are the natural logarithm of p / (1 − p). The line is a times them, plus b.",
        "Back: one divided by 1 plus e to the power of minus the line.",
    ),
    steps=(
        Step(
            "To log-odds:",
            "from math import exp, log\n\nlog_odds = log(said / (1 - said))\nround(log_odds, 3)",
        ),
        Step("Along the line:", "line = a * log_odds + b\nround(line, 3)"),
        Step("And back to a probability:", "after = 1 / (1 + exp(-line))\nround(after, 3)"),
    ),
    insight="A slope below 1 pulls towards one half; the intercept moves everything to one side. "
    "Only together do they say where an event ends.",
    minutes=4,
    points=2,
)


# The order ------------------------------------------------------------------------------------

what_moves_auc = Choice(
    id="calibration.what_moves_auc",
    title="What moves AUC",
    same_for_all=True,
    prompt="Which of these maps can change the AUC of new events?",
    options={
        "isotonic": "isotonic regression with a few wide steps",
        "negative": "Platt scaling whose slope came out below 0",
        "platt": "Platt scaling whose slope came out at one third",
        "temperature": "temperature scaling with T = 4",
        "intercept": "Platt scaling whose intercept came out at −5",
    },
    solve=lambda inputs: frozenset({"isotonic", "negative"}),
    reasons={
        "isotonic": "Events inside a step become ties.",
        "negative": "The curve falls, so every pair is turned round.",
    },
    misconceptions=(
        Misconception(
            id="ties-forgotten",
            name="ties forgotten",
            wrong_answer=lambda inputs: frozenset({"negative"}),
            cause="No pair is turned round by isotonic regression, but events inside one step "
            "become equal, and a tie counts one half.",
            hint="What do two events get whose scores lie inside one step?",
        ),
        Misconception(
            id="sign-forgotten",
            name="sign forgotten",
            wrong_answer=lambda inputs: frozenset({"isotonic"}),
            cause="Platt's curve need not rise: nothing in the fit keeps the slope above 0.",
            hint="Which of two events gets more if the slope is below 0?",
        ),
        Misconception(
            id="spread-for-order",
            name="spread for order",
            wrong_answer=lambda inputs: ("platt", "temperature"),
            cause="A small slope or a high temperature brings the probabilities close together. "
            "Their order stays, and AUC looks at nothing else.",
            hint="Is there a pair that changes its order?",
        ),
        Misconception(
            id="level-for-order",
            name="level for order",
            wrong_answer=lambda inputs: "intercept",
            cause="An intercept moves all events the same way along the log-odds.",
            hint="Is there a pair that changes its order?",
        ),
    ),
    hints=(
        "AUC compares pairs: which of two events has the higher number. Nothing else.",
        "Ask of each map whether it always rises, falls, or is flat somewhere.",
        "A map that always rises changes nothing; a map that falls turns pairs round; a flat "
        "stretch makes ties.",
    ),
    steps=(
        Step(
            "AUC knows pairs only. A map that always rises keeps every pair; one that falls turns "
            "every pair round; one that is flat somewhere makes ties there."
        ),
    ),
    insight="Rank by the old scores and show the calibrated ones: then no map can hurt the list.",
    minutes=3,
    points=2,
)
