"""Reliability bins: what is the model's fault, and what is the fault of bins and few events."""

from __future__ import annotations

from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from recsys_metrics.calibration import (
    expected_calibration_error,
    log_loss,
    reliability_curve,
)
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.palette import BLUE
from recsys_metrics.workbook.picture import Picture
from recsys_metrics.workbook.plots.calibration import Square, draw_curve

Model = Literal["calibrated", "over-confident", "wavy"]

_MOST = 10_000


@cache
def simulated(model: Model) -> tuple[NDArray[np.bool_], NDArray[np.float64], NDArray[np.float64]]:
    """Return labels, what the model said, and the true probabilities of the most events.

    A smaller sample is their beginning. Low probabilities are more common than high ones, as
    with clicks.
    """
    rng = np.random.default_rng(5)
    said = rng.beta(0.9, 1.8, size=_MOST)
    odds = np.log(said) - np.log1p(-said)
    true = {
        "calibrated": said,
        "over-confident": 1 / (1 + np.exp(-0.5 * odds)),
        "wavy": np.clip(said + 0.09 * np.sin(10 * np.pi * said), 0, 1),
    }[model]
    return rng.random(_MOST) < true, said, true


def _numbers(state: State) -> Numbers:
    happened, said, true = (column[: state["events"]] for column in simulated(state["model"]))
    bins = {"n_bins": state["n_bins"], "binning": state["binning"]}
    curve = reliability_curve(happened, said, **bins)
    near = 1e-12  # the ends of an interval belong to it
    agrees = (curve.lower - near <= curve.predicted) & (curve.predicted <= curve.upper + near)
    return {
        "ece": expected_calibration_error(happened, said, **bins),
        "largest": expected_calibration_error(happened, said, norm="max", **bins),
        "true_gap": float(np.abs(said - true).mean()),
        "agree": float(agrees.mean()),
        "log_loss": log_loss(happened, said),
    }


def _diagram(state: State, numbers: Numbers) -> Picture:
    happened, said, _ = (column[: state["events"]] for column in simulated(state["model"]))
    curve = reliability_curve(happened, said, n_bins=state["n_bins"], binning=state["binning"])
    square = Square("said: mean probability in the bin", "happened: share of its events", below=62)
    square.line([0, 1], [0, 1], dash="5 4", width=1.2)
    draw_curve(square, curve, BLUE, "circle")
    square.bars_below(curve.left, curve.right, curve.count, "events in each bin")
    fewest, most = int(curve.count.min()), int(curve.count.max())
    return square.picture(
        f"Reliability diagram of {state['events']:,} events in {len(curve)} bins of {fewest:,} to "
        f"{most:,} events. The intervals of {round(numbers['agree'] * len(curve))} of them hold "
        f"the diagonal; ECE is {numbers['ece']:.3f}, the true mean gap {numbers['true_gap']:.3f}."
    )


reliability_bins = Explorable(
    id="calibration.reliability_bins",
    question="The true mean gap is known here. When does ECE claim more than it, and when less?",
    goals=(
        Goal(
            "Make ECE accuse the calibrated model of more than a tenth.",
            lambda s, n: s["model"] == "calibrated" and n["ece"] > 0.1,
            "Few events in many bins: the gaps are chance.",
        ),
        Goal(
            "Make ECE see less than a third of what is wrong with the wavy model.",
            lambda s, n: s["model"] == "wavy" and 3 * n["ece"] < n["true_gap"],
            "In a wide bin what is too high and what is too low cancel.",
        ),
    ),
    controls=(
        Control(
            "model",
            "What the model is",
            {
                "calibrated": "calibrated: it says the truth",
                "over-confident": "over-confident: too far from the middle",
                "wavy": "wavy: too low here, too high there",
            },
            "calibrated",
        ),
        Control(
            "events",
            "Events",
            {n: f"{n:,}" for n in (50, 200, 1_000, 10_000)},
            200,
            "slider",
        ),
        Control(
            "n_bins",
            "Bins",
            {n: str(n) for n in (1, 2, 5, 10, 15, 20, 30, 50)},
            10,
            "slider",
        ),
        Control(
            "binning",
            "Binning",
            {
                "equal-width": "equal width: cuts at equal steps",
                "equal-mass": "equal mass: as many events in each",
            },
            "equal-width",
        ),
    ),
    compute=_numbers,
    draw=_diagram,
    labels={
        "ece": "ECE",
        "largest": "Largest gap of a bin",
        "true_gap": "True mean gap",
        "agree": "Bins whose interval holds the diagonal",
        "log_loss": "Log loss",
    },
)
