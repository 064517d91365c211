"""One heavy round: what doubly robust does with it, and what switch does."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.numbers import Numbers


def _columns(inputs: Inputs) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    weights, rewards, predicted = (
        np.array(inputs[name], dtype=float) for name in ("weights", "rewards", "predicted")
    )
    return weights, rewards, predicted


def _light(inputs: Inputs) -> NDArray[Any]:
    """Return the weights, those above the threshold set to 0."""
    weights, *_ = _columns(inputs)
    return np.where(weights <= inputs["threshold"], weights, 0)


def _both(inputs: Inputs) -> dict[str, float]:
    weights, rewards, predicted = _columns(inputs)
    missed, expected = rewards - predicted, inputs["expected"]
    return {
        "plain": expected + float((weights * missed).mean()),
        "switched": expected + float((_light(inputs) * missed).mean()),
    }


def _capped(inputs: Inputs) -> dict[str, float]:
    weights, rewards, predicted = _columns(inputs)
    capped = np.minimum(weights, inputs["threshold"])
    return {"switched": inputs["expected"] + float((capped * (rewards - predicted)).mean())}


def _round_dropped(inputs: Inputs) -> dict[str, float]:
    weights, rewards, predicted = _columns(inputs)
    kept = weights <= inputs["threshold"]
    missed = (weights * (rewards - predicted))[kept]
    return {"switched": inputs["expected"] + float(missed.mean())}


def _light_dropped(inputs: Inputs) -> dict[str, float]:
    weights, rewards, predicted = _columns(inputs)
    heavy = np.where(weights > inputs["threshold"], weights, 0)
    return {"switched": inputs["expected"] + float((heavy * (rewards - predicted)).mean())}


def _reward_for_error(inputs: Inputs) -> dict[str, float]:
    weights, rewards, _ = _columns(inputs)
    return {
        "plain": inputs["expected"] + float((weights * rewards).mean()),
        "switched": inputs["expected"] + float((_light(inputs) * rewards).mean()),
    }


def _model_left_out(inputs: Inputs) -> dict[str, float]:
    weights, rewards, _ = _columns(inputs)
    return {
        "plain": float((weights * rewards).mean()),
        "switched": float((_light(inputs) * rewards).mean()),
    }


def _error_alone(inputs: Inputs) -> dict[str, float]:
    right = _both(inputs)
    return {name: value - inputs["expected"] for name, value in right.items()}


def _summed(inputs: Inputs) -> dict[str, float]:
    n = len(inputs["weights"])
    return {name: inputs["expected"] + n * value for name, value in _error_alone(inputs).items()}


def _draw(rng: np.random.Generator) -> Inputs:
    """Return a log in which one weight lies above the threshold."""
    n = int(rng.integers(4, 6))
    weights = rng.choice([0.25, 0.5, 0.75, 1.25, 1.5], n)
    weights[int(rng.integers(n))] = float(rng.integers(5, 10))
    return {
        "weights": weights.tolist(),
        "rewards": rng.integers(0, 2, n).tolist(),
        "predicted": rng.choice([0.2, 0.25, 0.4, 0.5, 0.6], n).tolist(),
        "expected": float(rng.choice([0.3, 0.35, 0.45])),
        "threshold": int(rng.choice([2, 3])),
    }


heavy_round = Numbers(
    id="bias.heavy_round",
    title="One heavy round",
    prompt="""
A log has these rounds, in this order:

- weights: {weights}
- earned: {rewards}
- what a model predicts for the item that was shown: {predicted}

In each round the model expects {expected} of the new policy. What would that policy earn per
round, by doubly robust, and by switch with a threshold of {threshold}?
""",
    asks={"plain": "doubly robust", "switched": "switch"},
    inputs={
        "weights": [0.5, 1.5, 8.0, 0.5, 1.5],
        "rewards": [0, 1, 1, 1, 0],
        "predicted": [0.2, 0.6, 0.4, 0.5, 0.2],
        "expected": 0.35,
        "threshold": 2,
    },
    solve=_both,
    draw=_draw,
    misconceptions=(
        Misconception(
            id="lowered-for-dropped",
            name="lowered for dropped",
            wrong_answer=_capped,
            cause="The heavy weight was lowered to the threshold. That is clipping; switch sets it "
            "to 0.",
            hint="Who speaks for the heavy round under switch: the log, the model, or both?",
        ),
        Misconception(
            id="round-left-out",
            name="round left out",
            wrong_answer=_round_dropped,
            cause="The heavy round was left out of the denominator, too. Its error counts 0, and "
            "the "
            "round stays.",
            hint="By how many rounds do you divide?",
        ),
        Misconception(
            id="light-dropped",
            name="light for heavy",
            wrong_answer=_light_dropped,
            cause="The weights below the threshold were set to 0, and the heavy one was kept.",
            hint="Which of the weights makes the estimate restless?",
        ),
        Misconception(
            id="reward-for-error",
            name="reward for error",
            wrong_answer=_reward_for_error,
            cause="The whole rewards were weighed, so that what the model foresaw counts twice.",
            hint="What is left of a reward of 1 if the model predicted 0.6?",
        ),
        Misconception(
            id="model-left-out",
            name="model left out",
            wrong_answer=_model_left_out,
            cause="The weighed rewards alone were averaged. That is IPS, without the model.",
            hint="Where in your number is what the model expects of the new policy?",
        ),
        Misconception(
            id="error-alone",
            name="error alone",
            wrong_answer=_error_alone,
            cause="The correction was given, without what it corrects.",
            hint="What would the estimate be if the model were right in every round?",
        ),
        Misconception(
            id="sum-for-mean",
            name="sum for mean",
            wrong_answer=_summed,
            cause="The weighed errors were added up and not divided by the rounds.",
            hint="What does your number become if the log is written down twice?",
        ),
    ),
    hints=(
        "Take the error of each round first: what was earned, less what the model predicted.",
        "Weigh the errors, take their mean over all rounds, and add what the model expects.",
        "Switch is the same with a 0 in the place of each weight above the threshold.",
    ),
    steps=(
        Step(
            "The error of each round.",
            "missed = [r - q for r, q in zip(rewards, predicted)]\n[round(m, 3) for m in missed]",
        ),
        Step(
            "What the model expects, and the mean of the weighed errors.",
            "plain = expected + sum(w * m for w, m in zip(weights, missed)) / len(weights)\n"
            "expected, round(plain, 3)",
        ),
        Step(
            "The same, with the heavy weight at 0.",
            "light = [w if w <= threshold else 0 for w in weights]\n"
            "switched = expected + sum(w * m for w, m in zip(light, missed)) / len(weights)\n"
            "light, round(switched, 3)",
        ),
    ),
    insight="Between the two lies one round. Switch trusts the model with it, doubly robust the "
    "log.",
    minutes=4,
    points=2,
)
