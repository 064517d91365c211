"""Murphy's parts of the Brier score: promises kept, events told apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.numbers import Numbers

_Reals = NDArray[np.float64]


def _groups(inputs: Inputs) -> tuple[_Reals, _Reals, _Reals, float]:
    """Return weights, what was said, what came, and the base rate."""
    events = np.array(inputs["events"], dtype=float)
    clicks = np.array(inputs["clicks"], dtype=float)
    base = float(clicks.sum() / events.sum())
    return events / events.sum(), np.array(inputs["said"]), clicks / events, base


def _solve(inputs: Inputs) -> dict[str, float]:
    weight, said, came, base = _groups(inputs)
    unkept, told_apart = weight @ (said - came) ** 2, weight @ (came - base) ** 2
    return {"unkept": float(unkept), "told_apart": float(told_apart)}


def _unweighted(inputs: Inputs) -> dict[str, float]:
    _, said, came, base = _groups(inputs)
    unkept, told_apart = ((said - came) ** 2).mean(), ((came - base) ** 2).mean()
    return {"unkept": float(unkept), "told_apart": float(told_apart)}


def _sizes(inputs: Inputs) -> dict[str, float]:
    weight, said, came, base = _groups(inputs)
    return {
        "unkept": float(weight @ abs(said - came)),
        "told_apart": float(weight @ abs(came - base)),
    }


def _not_divided(inputs: Inputs) -> dict[str, float]:
    total = sum(inputs["events"])
    return {name: total * value for name, value in _solve(inputs).items()}


def _said_apart(inputs: Inputs) -> dict[str, float]:
    weight, said, _, base = _groups(inputs)
    return {"told_apart": float(weight @ (said - base) ** 2)}


def _mean_of_shares(inputs: Inputs) -> dict[str, float]:
    weight, _, came, _ = _groups(inputs)
    return {"told_apart": float(weight @ (came - came.mean()) ** 2)}


def _from_a_half(inputs: Inputs) -> dict[str, float]:
    weight, _, came, _ = _groups(inputs)
    return {"told_apart": float(weight @ (came - 0.5) ** 2)}


def _draw(rng: np.random.Generator) -> Inputs:
    """Return two groups in which every mistake has a value of its own."""
    while True:
        few, many = sorted(int(n) for n in rng.choice([4, 5, 8, 10, 16, 20], 2, replace=False))
        low, high = int(rng.integers(2, 9)) / 20, int(rng.integers(12, 19)) / 20
        clicks = [int(rng.integers(1, many)), int(rng.integers(1, few))]
        inputs = {"events": [many, few], "said": [low, high], "clicks": clicks}
        if _lie_apart(inputs):
            return inputs


_WRONG = (_unweighted, _sizes, _not_divided, _said_apart, _mean_of_shares, _from_a_half)


def _lie_apart(inputs: Inputs) -> bool:
    for name in ("unkept", "told_apart"):
        values = [way(inputs).get(name) for way in (_solve, *_WRONG)]
        known = np.sort([value for value in values if value is not None])
        if known[0] < 0.004 or np.diff(known).min() < 0.003:
            return False
    return True


two_parts = Numbers(
    id="calibration.two_parts",
    title="Kept, and told apart",
    prompt="""
A model said {said}. It said so of {events} events, in that order, and {clicks} of these were
clicked.

Compute two parts of its Brier score: by how much its promises were not kept, and how far it told
the events apart.
""",
    asks={"unkept": "promises not kept", "told_apart": "told apart"},
    inputs={"events": [16, 4], "said": [0.2, 0.8], "clicks": [5, 2]},
    solve=_solve,
    draw=_draw,
    misconceptions=(
        Misconception(
            id="unweighted-groups",
            name="unweighted groups",
            wrong_answer=_unweighted,
            cause="The two groups count alike here, although one has more events.",
            hint="How many of all events does each group hold?",
        ),
        Misconception(
            id="not-squared",
            name="distance for square",
            wrong_answer=_sizes,
            cause="The distances were averaged without squaring them. The Brier score squares.",
            hint="What does the Brier score do with a distance before it averages?",
        ),
        Misconception(
            id="not-divided",
            name="sum for mean",
            wrong_answer=_not_divided,
            cause="The squares were added up over the events and not divided by their number.",
            hint="What do the weights of the two groups add up to?",
        ),
        Misconception(
            id="said-for-came",
            name="said for came",
            wrong_answer=_said_apart,
            cause="What was said was held against the base rate. A bold model then tells events "
            "apart by talking.",
            hint="Which shares differ between groups that are truly told apart?",
        ),
        Misconception(
            id="mean-of-shares",
            name="mean of the shares",
            wrong_answer=_mean_of_shares,
            cause="The base rate was taken as the mean of the two shares. The groups are not of "
            "one size.",
            hint="How many clicks are there in all, out of how many events?",
        ),
        Misconception(
            id="half-for-base",
            name="half for base rate",
            wrong_answer=_from_a_half,
            cause="The shares were held against one half. Who knows nothing says the base rate.",
            hint="Which share of all events was clicked?",
        ),
    ),
    hints=(
        "First the share that came in each group, and the share of all clicks: the base rate.",
        "Promises not kept: said minus came, squared. Told apart: came minus base rate, squared.",
        "Average each of the two with the events of the groups as weights.",
    ),
    steps=(
        Step(
            "What came in each group, and in all.",
            "came = [k / n for k, n in zip(clicks, events)]\n"
            "base = sum(clicks) / sum(events)\n"
            "[round(share, 3) for share in came], round(base, 3)",
        ),
        Step(
            "Each group weighs as much as it has of all events.",
            "weights = [n / sum(events) for n in events]\n"
            "unkept = sum(w * (p - c) ** 2 for w, p, c in zip(weights, said, came))\n"
            "round(unkept, 3)",
        ),
        Step(
            "The same weights, and the distance of what came from the base rate.",
            "told_apart = sum(w * (c - base) ** 2 for w, c in zip(weights, came))\n"
            "round(told_apart, 3)",
        ),
    ),
    insight="A map from scores to probabilities repairs the first part. The second it cannot add: "
    "what the model does not know stays unknown.",
    minutes=4,
    points=2,
)
