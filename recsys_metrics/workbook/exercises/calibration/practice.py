"""Which calibrator, and in which order it is fitted and judged."""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.order import Order

_SITUATIONS = {
    "small": "{rows} events are left for calibration. In the reliability diagram the points cross "
    "the diagonal once, flatter than it, in the shape of an S; on the whole too much is said.",
    "large": "{rows} events are left for calibration. In the reliability diagram the points "
    "follow the diagonal, jump above it in two places, and lie far below it at the end.",
}
_RIGHT = {"small": "platt", "large": "isotonic"}


def _situation(inputs: Inputs) -> str:
    told = _SITUATIONS[inputs["kind"]].format(rows=f"{inputs['rows']:,}")
    return f"{told}\n\nWhich calibration do you fit, and on what?"


def _draw(rng: np.random.Generator) -> dict[str, Any]:
    kind = str(rng.choice(list(_SITUATIONS)))
    few, many = [80, 120, 150, 200, 250], [50_000, 80_000, 200_000, 500_000]
    return {"kind": kind, "rows": int(rng.choice(few if kind == "small" else many))}


which_calibrator = Choice(
    id="calibration.which_calibrator",
    title="Which calibrator for this many events",
    same_for_all=True,
    prompt=_situation,
    options={
        "platt": "Platt scaling, on the events left for calibration",
        "isotonic": "isotonic regression, on the events left for calibration",
        "temperature": "temperature scaling, on the events left for calibration",
        "best-on-test": "all of them, also on the test events; then keep the best",
    },
    inputs={"kind": "small", "rows": 150},
    solve=lambda inputs: _RIGHT[inputs["kind"]],
    draw=_draw,
    reasons={
        "platt": "The shape is Platt's, its intercept repairs the level, and two parameters are "
        "settled by few events.",
        "isotonic": "No curve with two parameters follows jumps, and there are events enough to "
        "settle many steps.",
    },
    misconceptions=(
        Misconception(
            id="steps-from-noise",
            name="steps from noise",
            wrong_answer=lambda inputs: "isotonic" if inputs["kind"] == "small" else None,
            cause="Isotonic regression would turn the noise of few events into steps, and into "
            "certain ends.",
            hint="How many events would stand behind each step?",
        ),
        Misconception(
            id="one-shape-for-all",
            name="one shape for all",
            wrong_answer=lambda inputs: "platt" if inputs["kind"] == "large" else None,
            cause="Platt's curve cannot follow jumps, however many events there are.",
            hint="Where would a smooth curve with two parameters pass such points?",
        ),
        Misconception(
            id="no-intercept",
            name="one parameter too few",
            wrong_answer=lambda inputs: "temperature",
            cause="Temperature scaling leaves one half where it is: it moves no level and follows "
            "no jump.",
            hint="What would have to happen to an event that is called one half?",
        ),
        Misconception(
            id="judged-on-the-fit",
            name="judged on the fit",
            wrong_answer=lambda inputs: "best-on-test",
            cause="The best of several fits on the test events is best there by memory, the most "
            "flexible one above all.",
            hint="On which events would you then find out how good it is?",
        ),
    ),
    hints=(
        "Look at the number of events first: how many parameters can they settle?",
        "Then at the shape: would a smooth S pass through the points?",
        "A map with two parameters needs few events and has one shape; one with many steps has "
        "any rising shape and needs many events.",
    ),
    steps=(
        Step(
            "Count the events, look at the shape, and never touch the test events: they are to "
            "judge the map that was chosen without them."
        ),
    ),
    insight="Flexible costs events. In doubt fit both, and compare them on events that neither has "
    "seen.",
    minutes=2,
    points=1,
)


steps = Order(
    id="calibration.steps",
    title="Fit and judge a calibrator",
    prompt="""
A model's probabilities are to be calibrated, and you want to know what that is worth.
Bring the steps into order.
""",
    lines={
        "split": "Cut the log by time into three parts: oldest, middle, newest.",
        "train": "Train the model on the oldest part and freeze it.",
        "score": "Let the frozen model score the middle part.",
        "fit": "Fit the calibrator on those scores and what happened.",
        "map": "Score the newest part with the frozen model, and map the scores.",
        "judge": "Compare log loss and reliability on the newest part, before and after mapping, "
        "with intervals.",
        "fit-newest": "Fit the calibrator on the scores of the newest part and what happened.",
        "fit-oldest": "Fit the calibrator on the oldest part's scores, which the model was "
        "trained on.",
    },
    code=False,
    solve=lambda inputs: ("split", "train", "score", "fit", "map", "judge"),
    misconceptions=(
        Misconception(
            id="judged-on-the-fit",
            name="judged on the fit",
            wrong_answer=lambda inputs: [
                ("split", "train", "score", "fit-newest", "map", "judge"),
                ("split", "train", "map", "fit-newest", "judge"),
                ("split", "train", "fit-newest", "map", "judge"),
                ("split", "train", "score", "map", "fit-newest", "judge"),
                ("split", "train", "score", "fit", "fit-newest", "map", "judge"),
                ("split", "train", "score", "fit", "map", "fit-newest", "judge"),
            ],
            cause="The calibrator is fitted on the events it is judged on.",
            hint="Which part has neither the model nor the calibrator seen?",
        ),
        Misconception(
            id="fitted-on-training",
            name="fitted on the training part",
            wrong_answer=lambda inputs: [
                ("split", "train", "fit-oldest", "map", "judge"),
                ("split", "train", "score", "fit-oldest", "map", "judge"),
                ("split", "train", "fit-oldest", "score", "map", "judge"),
            ],
            cause="The calibrator learns from events the model has learned by heart, where it is "
            "bolder, and more often right, than on new ones.",
            hint="On which events does the model behave as it will later?",
        ),
        Misconception(
            id="leak-from-the-future",
            name="leak from the future",
            wrong_answer=lambda inputs: [
                ("train", "split", "score", "fit", "map", "judge"),
                ("train", "score", "split", "fit", "map", "judge"),
                ("train", "score", "fit", "split", "map", "judge"),
            ],
            cause="The model is trained before the log is cut: it has seen what it is judged on.",
            hint="What must be settled before anything learns?",
        ),
        Misconception(
            id="judged-before-mapping",
            name="judged before mapping",
            wrong_answer=lambda inputs: ("split", "train", "score", "fit", "judge", "map"),
            cause="The comparison stands before the newest part was scored and mapped.",
            hint="What does the comparison need?",
        ),
        Misconception(
            id="fitted-before-scored",
            name="fitted before scored",
            wrong_answer=lambda inputs: [
                ("split", "train", "fit", "score", "map", "judge"),
                ("split", "fit", "train", "score", "map", "judge"),
            ],
            cause="The calibrator is fitted on scores that do not exist yet.",
            hint="What does the calibrator learn from?",
        ),
    ),
    hints=(
        "Before anything learns, decide which events each step may see.",
        "The model learns from the oldest part, the calibrator from the middle one. The newest "
        "part only judges.",
        "Two of the fits do not belong: one uses what the model has seen, one what it is judged "
        "on.",
    ),
    steps=(
        Step(
            "First decide who may see what: the model the oldest part, the calibrator the middle "
            "one, the judge the newest. Then each step needs only what the step before it made."
        ),
    ),
    insight="The calibrator is a small model, and has a training part, a test part and a leak of "
    "its own.",
    minutes=3,
    points=2,
)
