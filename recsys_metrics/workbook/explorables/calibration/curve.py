"""Platt's a and b, moved by hand, over twenty events."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from recsys_metrics.calibration import brier_score, expected_calibration_error, log_loss
from recsys_metrics.ranking import roc_auc
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.palette import BLUE, ORANGE, VERMILION
from recsys_metrics.workbook.picture import Picture
from recsys_metrics.workbook.plots.calibration import Square

SAID = (
    *(0.03, 0.05, 0.08, 0.12, 0.18, 0.22, 0.30, 0.38, 0.45, 0.55),
    *(0.62, 0.68, 0.75, 0.80, 0.85, 0.88, 0.91, 0.94, 0.96, 0.98),
)
CLICKED = (0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 1)
N_BINS = 5

_GRID = np.linspace(0.005, 0.995, 67)


def _curve(said: NDArray[np.float64], a: float, b: float) -> NDArray[np.float64]:
    """Return log-odds times a, plus b, as probabilities again."""
    odds = np.log(said) - np.log1p(-said)
    mapped: NDArray[np.float64] = 1 / (1 + np.exp(-(a * odds + b)))
    return mapped


def _numbers(state: State) -> Numbers:
    mapped = _curve(np.array(SAID), state["a"], state["b"])
    return {
        "log_loss": log_loss(CLICKED, mapped),
        "brier": brier_score(CLICKED, mapped),
        "ece": expected_calibration_error(CLICKED, mapped, n_bins=N_BINS),
        "auc": roc_auc(CLICKED, mapped),
        "mean": float(mapped.mean()),
    }


def _picture(state: State, numbers: Numbers) -> Picture:
    said, clicked = np.array(SAID), np.array(CLICKED) == 1
    mapped = _curve(said, state["a"], state["b"])
    square = Square("what the model said", "probability after the curve")
    square.line([0, 1], [0, 1], dash="5 4", width=1.2)
    # What each event is short of: the distance that the losses grow with.
    square.upright(said, mapped, clicked, VERMILION, width=1.2, opacity=0.6)
    square.line(_GRID, _curve(_GRID, state["a"], state["b"]), BLUE, width=2.6)
    square.dots(said[clicked], np.ones(clicked.sum()), ORANGE)
    square.dots(said[~clicked], np.zeros((~clicked).sum()), "currentColor", hollow=True)
    square.key(["clicked"], [(ORANGE, "circle")])
    square.dots([0.72], [0.05], "currentColor", hollow=True)
    square.words(square.x(0.72) + 10, square.y(0.05) + 4, "not clicked")
    return square.picture(
        f"The curve for a = {state['a']:g} and b = {state['b']:g} over twenty events, the clicked "
        f"ones on top, the others at the bottom, each joined to the curve. Log loss is "
        f"{numbers['log_loss']:.3f}, ECE {numbers['ece']:.3f}, AUC {numbers['auc']:.3f}."
    )


def _written(values: list[float]) -> dict[float, str]:
    return {value: f"{value:g}".replace("-", "−") for value in values}


@lru_cache(maxsize=1)
def _lowest() -> tuple[float, float]:
    """Return the slope and the intercept on offer that have the lowest log loss."""
    best = min(platt_curve.states(), key=lambda state: _numbers(state)["log_loss"])
    return best["a"], best["b"]


platt_curve = Explorable(
    id="calibration.platt_curve",
    question="Which a and b have the lowest log loss? Which have an ECE of nearly 0?",
    goals=(
        Goal(
            "Find an ECE of nearly 0 that says the same of everybody.",
            lambda s, n: s["a"] == 0 and n["ece"] < 0.02,
            "The base rate for all is calibrated, and tells nobody from another.",
        ),
        Goal(
            "Find the lowest log loss.",
            lambda s, n: (s["a"], s["b"]) == _lowest(),
            "A slope below 1 pulls towards the middle.",
        ),
    ),
    controls=(
        Control(
            "a",
            "a, slope over the log-odds",
            _written([-0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0]),
            1.0,
            "slider",
        ),
        Control(
            "b",
            "b, intercept",
            _written([step / 5 for step in range(-8, 9)]),
            0.0,
            "slider",
        ),
    ),
    compute=_numbers,
    draw=_picture,
    labels={
        "log_loss": Quantity("Log loss", high=2.5),
        "brier": "Brier score",
        "ece": f"ECE in {N_BINS} bins of equal width",
        "auc": "AUC",
        "mean": "Mean probability",
    },
)
