"""The error ratio: computed, and read without computing."""

from __future__ import annotations

import numpy as np

from recsys_metrics.rating import error_ratio, mae, rmse
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.rating import stars


def _solve(inputs: Inputs) -> dict[str, float]:
    nothing, found = [0.0] * len(inputs["errors"]), inputs["errors"]
    return {
        "mae": mae(nothing, found),
        "rmse": rmse(nothing, found),
        "ratio": error_ratio(nothing, found),
    }


def _upside_down(inputs: Inputs) -> dict[str, float]:
    return {"ratio": 1 / _solve(inputs)["ratio"]}


def _difference(inputs: Inputs) -> dict[str, float]:
    right = _solve(inputs)
    return {"ratio": right["rmse"] - right["mae"]}


def _no_root(inputs: Inputs) -> dict[str, float]:
    right = _solve(inputs)
    return {"rmse": right["rmse"] ** 2, "ratio": right["rmse"] ** 2 / right["mae"]}


def _cancelled(inputs: Inputs) -> dict[str, float]:
    mean = abs(stars.mean(inputs["errors"]))
    return {"mae": mean, "ratio": _solve(inputs)["rmse"] / mean}


def _largest_over_mean(inputs: Inputs) -> dict[str, float]:
    return {"ratio": max(map(abs, inputs["errors"])) / _solve(inputs)["mae"]}


def _draw(rng: np.random.Generator) -> Inputs:
    """Return five errors in half stars that do not cancel."""
    while True:
        found = [float(error) for error in rng.integers(-6, 7, size=5) / 2]
        if 0 not in found and sum(found) != 0 and len(set(map(abs, found))) >= 2:
            return {"errors": found}


ratio = Numbers(
    id="rating.ratio",
    title="How uneven are these errors?",
    prompt="""
Five predictions are off by {errors} stars; below zero is too low.

Compute the MAE, the RMSE, and the error ratio, RMSE over MAE.
""",
    asks={"mae": "MAE", "rmse": "RMSE", "ratio": "error ratio"},
    inputs={"errors": [0.5, -0.5, 1.0, -3.0, 0.5]},
    solve=_solve,
    draw=_draw,
    follows={"ratio": lambda own: own["rmse"] / own["mae"]},
    misconceptions=(
        Misconception(
            id="ratio-upside-down",
            name="ratio upside down",
            wrong_answer=_upside_down,
            cause="That is MAE over RMSE.",
            hint="Can the ratio be below 1?",
        ),
        Misconception(
            id="gap-for-ratio",
            name="gap for ratio",
            wrong_answer=_difference,
            cause="That is RMSE minus MAE, a number of stars.",
            hint="What should the ratio be if every error were twice as large?",
        ),
        Misconception(
            id="missing-root",
            name="missing root",
            wrong_answer=_no_root,
            cause="The MSE was taken where the RMSE belongs.",
            hint="What is the unit of stars squared over stars?",
        ),
        Misconception(
            id="cancelled-errors",
            name="cancelled errors",
            wrong_answer=_cancelled,
            cause="The mean was taken of errors with their signs, so that they made up for each "
            "other.",
            hint="By how many stars is a prediction off that is three stars too low?",
        ),
        Misconception(
            id="worst-over-mean",
            name="worst over mean",
            wrong_answer=_largest_over_mean,
            cause="The largest error was divided by the MAE.",
            hint="Which mean of all five errors does RMSE stand for?",
        ),
    ),
    hints=(
        "Leave the signs out first.",
        "MAE is the mean of the sizes; RMSE the root of the mean of their squares.",
        "RMSE stands above the line, so the ratio is 1 or more.",
    ),
    steps=(
        Step(
            "The mean of the sizes:",
            "mae = sum(abs(error) for error in errors) / len(errors)\nround(mae, 3)",
        ),
        Step(
            "The root of the mean of the squares:",
            "rmse = (sum(error**2 for error in errors) / len(errors)) ** 0.5\nround(rmse, 3)",
        ),
        Step("One over the other:", "ratio = rmse / mae\nround(ratio, 3)"),
    ),
    insight="The ratio has no unit: make every error twice as large, and it stays.",
    minutes=4,
    points=2,
)


def _draw_models(rng: np.random.Generator) -> Inputs:
    """Return two sizes of steady errors, and the outlier of the third model."""
    return {
        "n": int(rng.choice([10, 20, 25])),
        "large": float(rng.choice([1.5, 2.0, 2.5])),
        "small": float(rng.choice([0.1, 0.2])),
        "outlier": float(rng.choice([3.0, 3.5, 4.0])),
    }


which_ratio = Choice(
    id="rating.which_ratio",
    title="Which ratio is the highest?",
    same_for_all=True,
    prompt="""
Four models predict the same {n} ratings.
Without computing: whose error ratio, RMSE over MAE, is the highest?
""",
    options={
        "outlier": "off by {small} stars each time, and by {outlier} once",
        "large": "off by {large} stars each time, always too low",
        "small": "off by {small} stars each time, now too high, now too low",
        "halves": "off by {small} stars half of the time, by {large} the other half",
    },
    solve=lambda inputs: "outlier",
    inputs={"n": 10, "large": 2.0, "small": 0.2, "outlier": 3.0},
    draw=_draw_models,
    reasons={
        "outlier": "One error unlike all others: the mean hardly feels it, the root of the mean "
        "square does.",
    },
    misconceptions=(
        Misconception(
            id="large-for-uneven",
            name="large for uneven",
            wrong_answer=lambda _: "large",
            cause="These errors are large, and all alike. The ratio is 1, whatever their size.",
            hint="What are MAE and RMSE when every error has one size?",
        ),
        Misconception(
            id="small-for-uneven",
            name="signs for sizes",
            wrong_answer=lambda _: "small",
            cause="The signs change and the sizes do not. Both numbers leave the sign out, so the "
            "ratio is 1.",
            hint="What becomes of a sign when it is squared?",
        ),
        Misconception(
            id="two-sizes",
            name="many for few",
            wrong_answer=lambda _: "halves",
            cause="Where half of the errors are large, the mean is large, too. The ratio grows "
            "most when few errors hold nearly all of it.",
            hint="How far can the ratio grow if half of the errors are 0 and the rest alike?",
        ),
    ),
    hints=(
        "The ratio does not see how large errors are, only how much they differ in size.",
        "Two of the four have the lowest ratio there is.",
        "Of the two that are left: in which one do fewer errors hold most of the stars?",
    ),
    steps=(
        Step("All errors of one size: the ratio is 1, large or small, and whatever the sign."),
        Step(
            "The two whose errors differ, to three decimals:",
            "from recsys_metrics.rating import error_ratio\n"
            "once = [small] * (n - 1) + [outlier]\n"
            "halves = [small, large] * (n // 2)\n"
            "[round(error_ratio([0] * len(e), e), 3) for e in (once, halves)]",
        ),
    ),
    insight="A ratio far above that of Gaussian errors says *look at the worst predictions*. "
    "A low one says nothing good by itself.",
    minutes=2,
)
