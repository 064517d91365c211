"""Estimates from a log that another policy made: IPS, SNIPS, clipping."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from recsys_metrics.bias.off_policy import (
    effective_sample_size,
    importance_weights,
    ips,
    snips,
)
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.function import Case, Function
from recsys_metrics.workbook.exercises.numbers import Numbers

# IPS and SNIPS ----------------------------------------------------------------------------------


def _log(inputs: Inputs) -> tuple[Any, Any, Any]:
    """Return clicks, propensities and what the new policy would do, round by round."""
    of_b = np.array([item == "B" for item in inputs["shown"]])
    propensities = np.where(of_b, 1 - inputs["logged"], inputs["logged"])
    target = np.where(of_b, 1 - inputs["wanted"], inputs["wanted"])
    return np.array(inputs["clicks"], dtype=float), propensities, target


def _both(inputs: Inputs) -> dict[str, float]:
    log = _log(inputs)
    return {"ips": ips(*log).value, "snips": snips(*log).value}


def _divisors_swapped(inputs: Inputs) -> dict[str, float]:
    right = _both(inputs)
    return {"ips": right["snips"], "snips": right["ips"]}


def _as_logged(inputs: Inputs) -> dict[str, float]:
    rate = float(np.mean(inputs["clicks"]))
    return {"ips": rate, "snips": rate}


def _weighed_by(weights: Any, clicks: Any) -> dict[str, float]:
    total = float(weights @ clicks)
    return {"ips": total / len(clicks), "snips": total / float(weights.sum())}


def _target_forgotten(inputs: Inputs) -> dict[str, float]:
    clicks, propensities, _ = _log(inputs)
    return _weighed_by(1 / propensities, clicks)


def _upside_down(inputs: Inputs) -> dict[str, float]:
    clicks, propensities, target = _log(inputs)
    return _weighed_by(propensities / target, clicks)


def _over_clicks(inputs: Inputs) -> dict[str, float]:
    clicks, *_ = log = _log(inputs)
    return {"ips": ips(*log).value * len(clicks) / clicks.sum()}


def _not_divided(inputs: Inputs) -> dict[str, float]:
    return {"ips": ips(*_log(inputs)).value * len(inputs["clicks"])}


def _draw_log(rng: np.random.Generator) -> Inputs:
    """Return a short log with clicks on both items."""
    n = int(rng.integers(5, 9))
    while True:
        shown = ["B" if b else "A" for b in rng.random(n) < 0.35]
        clicks = rng.integers(0, 2, n).tolist()
        clicked = {item for item, click in zip(shown, clicks, strict=True) if click}
        if clicked == {"A", "B"} and sum(clicks) < n:
            break
    logged, wanted = float(rng.choice([0.7, 0.75, 0.8, 0.9])), float(rng.choice([0.3, 0.4, 0.6]))
    return {"clicks": clicks, "shown": shown, "logged": logged, "wanted": wanted}


ips_and_snips = Numbers(
    id="bias.ips_and_snips",
    title="Two estimates from one log",
    prompt="""
A policy shows A with probability {logged}, else B. Its log, round by round:

- shown: {shown}
- clicked: {clicks}

Another policy would show A with probability {wanted}, else B. How many clicks a round would it
get, by IPS and by SNIPS?
""",
    asks={"ips": "IPS", "snips": "SNIPS"},
    inputs={
        "clicks": [1, 0, 1, 0, 0],
        "shown": ["A", "A", "B", "A", "B"],
        "logged": 0.8,
        "wanted": 0.4,
    },
    solve=_both,
    draw=_draw_log,
    misconceptions=(
        Misconception(
            id="swapped-denominators",
            name="swapped denominators",
            wrong_answer=_divisors_swapped,
            cause="IPS was divided by the sum of the weights and SNIPS by the number of rounds.",
            hint="Which of the two has *self-normalised* in its name?",
        ),
        Misconception(
            id="clicks-as-logged",
            name="clicks as logged",
            wrong_answer=_as_logged,
            cause="That is the click rate of the policy that made the log.",
            hint="What would the other policy do more often, and what less?",
        ),
        Misconception(
            id="target-forgotten",
            name="target forgotten",
            wrong_answer=_target_forgotten,
            cause="Each click weighs one over the propensity, as if the new policy always did what "
            "was logged.",
            hint="With which probability would the new policy have shown that item?",
        ),
        Misconception(
            id="weight-upside-down",
            name="weight upside down",
            wrong_answer=_upside_down,
            cause="The log's probability stands over the new policy's.",
            hint="Should a round count more if the new policy does it more often?",
        ),
        Misconception(
            id="divided-by-clicks",
            name="divided by clicks",
            wrong_answer=_over_clicks,
            cause="For IPS the weighted clicks were divided by the number of clicks. Rounds "
            "without a click belong in the denominator.",
            hint="How many rounds does the log have?",
        ),
        Misconception(
            id="not-divided",
            name="sum for mean",
            wrong_answer=_not_divided,
            cause="For IPS the weighted clicks were added up and not divided.",
            hint="Clicks a round are asked for: how many rounds?",
        ),
    ),
    hints=(
        "Give each round a weight first, clicked or not.",
        "The weight is the new policy's probability of the shown item over the log's.",
        "Add up the weights of the clicked rounds. IPS divides by the number of rounds, SNIPS by "
        "the sum of all weights.",
    ),
    steps=(
        Step(
            "The weight of a round depends on what was shown.",
            'of_item = {"A": wanted / logged, "B": (1 - wanted) / (1 - logged)}\n'
            "weights = [of_item[item] for item in shown]\n"
            "[round(w, 3) for w in weights]",
        ),
        Step(
            "The weights of the rounds with a click, added up.",
            "total = sum(w * click for w, click in zip(weights, clicks))\nround(total, 3)",
        ),
        Step(
            "Over all rounds, and over all weights.",
            "ips, snips = total / len(clicks), total / sum(weights)\n"
            "round(ips, 3), round(snips, 3)",
        ),
    ),
    insight="The two agree where the weights average 1. How far they are apart says how far the "
    "log is from what was expected of it.",
    minutes=6,
    points=2,
)


# Clipping ---------------------------------------------------------------------------------------


def _clip(inputs: Inputs) -> dict[str, float]:
    weights = np.array(inputs["weights"], dtype=float)
    kept = np.minimum(weights, inputs["cap"])
    return {
        "before": float(weights @ inputs["clicks"]) / len(weights),
        "after": float(kept @ inputs["clicks"]) / len(weights),
        "worth_before": effective_sample_size(weights),
        "worth_after": effective_sample_size(kept),
    }


def _dropped(inputs: Inputs) -> dict[str, float]:
    weights = np.array(inputs["weights"], dtype=float)
    kept = np.where(weights <= inputs["cap"], weights, 0.0)
    return {
        "after": float(kept @ inputs["clicks"]) / len(weights),
        "worth_after": effective_sample_size(kept),
    }


def _normalised(inputs: Inputs) -> dict[str, float]:
    weights = np.array(inputs["weights"], dtype=float)
    kept = np.minimum(weights, inputs["cap"])
    return {
        "before": float(weights @ inputs["clicks"] / weights.sum()),
        "after": float(kept @ inputs["clicks"] / kept.sum()),
    }


def _as_shares(inputs: Inputs) -> dict[str, float]:
    right, n = _clip(inputs), len(inputs["weights"])
    return {name: right[name] / n for name in ("worth_before", "worth_after")}


def _worth_upside_down(inputs: Inputs) -> dict[str, float]:
    right = _clip(inputs)
    return {name: 1 / right[name] for name in ("worth_before", "worth_after")}


def _sum_of_weights(inputs: Inputs) -> dict[str, float]:
    weights = np.array(inputs["weights"], dtype=float)
    return {
        "worth_before": float(weights.sum()),
        "worth_after": float(np.minimum(weights, inputs["cap"]).sum()),
    }


def _draw_weights(rng: np.random.Generator) -> Inputs:
    """Return weights of which the largest is clipped, with a click on it."""
    cap = int(rng.integers(2, 5))
    small = rng.choice([0.25, 0.5, 0.75, 1.0, 1.5, 2.0], int(rng.integers(3, 6)))
    weights = [*small.tolist(), cap + int(rng.integers(2, 7))]
    clicks = [*rng.integers(0, 2, len(small)).tolist(), 1]
    return {"weights": weights, "clicks": clicks, "cap": cap}


clip_weights = Numbers(
    id="bias.clip_weights",
    title="Clip a weight",
    prompt="""
The rounds of a log have the weights {weights} and the clicks {clicks}, in this order.

Compute IPS and the effective sample size, first as it is, then with the weights clipped at {cap}.
""",
    asks={
        "before": "IPS",
        "after": "clipped IPS",
        "worth_before": "effective sample size",
        "worth_after": "effective sample size, clipped",
    },
    inputs={"weights": [0.5, 0.5, 1.0, 2.0, 8], "clicks": [0, 1, 0, 1, 1], "cap": 3},
    solve=_clip,
    draw=_draw_weights,
    misconceptions=(
        Misconception(
            id="dropped-not-lowered",
            name="dropped for lowered",
            wrong_answer=_dropped,
            cause="Rounds above the cap were left out. Clipping lowers their weight to the cap and "
            "keeps them.",
            hint="What does the heaviest round weigh after clipping?",
        ),
        Misconception(
            id="self-normalised",
            name="weights for rounds",
            wrong_answer=_normalised,
            cause="The weighted clicks were divided by the weights. That is SNIPS.",
            hint="How many rounds are there?",
        ),
        Misconception(
            id="share-for-size",
            name="share for size",
            wrong_answer=_as_shares,
            cause="The effective sample size was divided by the number of rounds.",
            hint="What should it be where all weights are equal?",
        ),
        Misconception(
            id="size-upside-down",
            name="size upside down",
            wrong_answer=_worth_upside_down,
            cause="The sum of squares stands over the square of the sum.",
            hint="Can a log of several rounds be worth less than one?",
        ),
        Misconception(
            id="sum-of-weights",
            name="sum of weights",
            wrong_answer=_sum_of_weights,
            cause="The weights were added up. One huge weight would then be worth many rounds.",
            hint="Does your number go up or down when one weight is doubled?",
        ),
    ),
    hints=(
        "A round above the cap stays, and weighs as much as the cap.",
        "IPS divides by the number of rounds, whatever the weights are.",
        "Effective sample size: the square of the sum of the weights, over the sum of their "
        "squares.",
    ),
    steps=(
        Step(
            "Weighted clicks over rounds.",
            "before = sum(w * c for w, c in zip(weights, clicks)) / len(weights)\nround(before, 3)",
        ),
        Step(
            "The cap lowers the heaviest weights, and the estimate with them.",
            "clipped = [min(w, cap) for w in weights]\n"
            "after = sum(w * c for w, c in zip(clipped, clicks)) / len(weights)\n"
            "round(after, 3)",
        ),
        Step(
            "What the rounds are worth: the square of the sum over the sum of the squares.",
            "worth_before = sum(weights) ** 2 / sum(w**2 for w in weights)\n"
            "worth_after = sum(clipped) ** 2 / sum(w**2 for w in clipped)\n"
            "round(worth_before, 3), round(worth_after, 3)",
        ),
    ),
    insight="The cap bought rounds' worth and paid in bias, always in one direction: with rewards "
    "of 0 or more, downwards.",
    minutes=6,
    points=4,
)


# Write it ---------------------------------------------------------------------------------------

_Row = Sequence[float]


def _clipped_ips(rewards: _Row, propensities: _Row, target: _Row, cap: float) -> float:
    return ips(rewards, propensities, target, weights="clipped", cap=cap).value


def _weights(propensities: _Row, target: _Row) -> list[float]:
    return [float(weight) for weight in importance_weights(propensities, target)]


def _no_cap(rewards: _Row, propensities: _Row, target: _Row, cap: float) -> float:
    return ips(rewards, propensities, target).value


def _snips(rewards: _Row, propensities: _Row, target: _Row, cap: float) -> float:
    weights = [min(w, cap) for w in _weights(propensities, target)]
    return sum(w * r for w, r in zip(weights, rewards, strict=True)) / sum(weights)


def _snips_guarded(rewards: _Row, propensities: _Row, target: _Row, cap: float) -> float:
    return _snips(rewards, propensities, target, cap) if any(target) else 0.0


def _product_capped(rewards: _Row, propensities: _Row, target: _Row, cap: float) -> float:
    weights = _weights(propensities, target)
    return sum(min(w * r, cap) for w, r in zip(weights, rewards, strict=True)) / len(rewards)


def _propensity_raised(rewards: _Row, propensities: _Row, target: _Row, cap: float) -> float:
    raised = [max(p, 1 / cap) for p in propensities]
    return sum(t / p * r for t, p, r in zip(target, raised, rewards, strict=True)) / len(rewards)


def _large_dropped(rewards: _Row, propensities: _Row, target: _Row, cap: float) -> float:
    weights = [w if w <= cap else 0.0 for w in _weights(propensities, target)]
    return sum(w * r for w, r in zip(weights, rewards, strict=True)) / len(rewards)


def _target_left_out(rewards: _Row, propensities: _Row, target: _Row, cap: float) -> float:
    weights = [min(1 / p, cap) for p in propensities]
    return sum(w * r for w, r in zip(weights, rewards, strict=True)) / len(rewards)


def _inverted(rewards: _Row, propensities: _Row, target: _Row, cap: float) -> float:
    weights = [min(p / t, cap) for p, t in zip(propensities, target, strict=True)]
    return sum(w * r for w, r in zip(weights, rewards, strict=True)) / len(rewards)


def _inverted_guarded(rewards: _Row, propensities: _Row, target: _Row, cap: float) -> float:
    weights = [min(p / t, cap) if t else 0.0 for p, t in zip(propensities, target, strict=True)]
    return sum(w * r for w, r in zip(weights, rewards, strict=True)) / len(rewards)


def _summed(rewards: _Row, propensities: _Row, target: _Row, cap: float) -> float:
    return _clipped_ips(rewards, propensities, target, cap) * len(rewards)


def _over_rewarded(rewards: _Row, propensities: _Row, target: _Row, cap: float) -> float:
    return _summed(rewards, propensities, target, cap) / sum(1 for r in rewards if r)


def _over_rewarded_guarded(rewards: _Row, propensities: _Row, target: _Row, cap: float) -> float:
    return _over_rewarded(rewards, propensities, target, cap) if any(rewards) else 0.0


def _case(rewards: _Row, propensities: _Row, target: _Row, cap: float, why: str = "") -> Case:
    return Case(
        {
            "rewards": list(rewards),
            "propensities": list(propensities),
            "target": list(target),
            "cap": cap,
        },
        why,
    )


_EDGES = (
    _case([0, 0, 0], [0.5, 0.25, 0.1], [0.5, 0.5, 0.5], 3, "nothing was earned"),
    _case([1, 2], [0.5, 0.4], [0, 0], 2, "the new policy does none of what was logged"),
)

_CASES = (
    _case([1, 0, 1, 1], [0.5, 0.25, 0.1, 0.25], [0.6, 0.2, 0.6, 0.2], 2),
    _case([1, 0, 1, 1], [0.5, 0.25, 0.1, 0.25], [0.6, 0.2, 0.6, 0.2], 10, "the cap cuts nothing"),
    _case([5, 0, 2, 4], [0.2, 0.8, 0.5, 0.1], [0.5, 0.5, 0.5, 0.5], 2, "rewards are above 1"),
    _case([1, 1, 0], [0.8, 0.2, 0.8], [0.3, 0.7, 0.3], 3, "one weight is cut"),
    _case([0, 2, 0, 0], [0.5, 0.4, 0.2, 0.5], [0.5, 0.6, 0.8, 0.5], 3, "one round earned"),
    *_EDGES,
)


def _draw_cases(rng: np.random.Generator) -> tuple[Case, ...]:
    drawn = []
    for number in range(5):
        n = int(rng.integers(3, 7))
        drawn.append(
            _case(
                rng.integers(0, 4, n).tolist(),
                rng.choice([0.05, 0.1, 0.2, 0.4, 0.5, 0.8], n).tolist(),
                rng.choice([0.1, 0.2, 0.5, 0.6, 0.9], n).tolist(),
                2 + number,
            )
        )
    return (*drawn, *_EDGES)


write_clipped_ips = Function(
    id="bias.write_clipped_ips",
    title="Write clipped IPS",
    prompt="""
Write `my_clipped_ips(rewards, propensities, target, cap)`: what a policy would earn per round.

- The three lists have one entry per round: what was earned, the probability with which the log's
  policy did it, and the probability with which the new policy would.
- A weight above `cap` counts as `cap`.
- Every round is in the denominator.
""",
    function="my_clipped_ips",
    solve=_clipped_ips,
    cases=_CASES,
    draw=_draw_cases,
    misconceptions=(
        Misconception(
            id="no-cap",
            name="no cap",
            wrong_answer=_no_cap,
            cause="The weights are used as they are, however large.",
            hint="Where in your function is the cap?",
        ),
        Misconception(
            id="weights-for-rounds",
            name="weights for rounds",
            wrong_answer=_snips,
            variants=(_snips_guarded,),
            cause="The sum is divided by the weights, as in SNIPS. Where all weights are 0 that is "
            "0 over 0.",
            hint="How many rounds are there, whatever they weigh?",
        ),
        Misconception(
            id="product-capped",
            name="capped reward",
            wrong_answer=_product_capped,
            cause="The cap is laid on weight times reward. A large reward is then cut although its "
            "weight is small.",
            hint="What should a reward of 5 with a weight of 1 count, with a cap of 2?",
        ),
        Misconception(
            id="propensity-raised",
            name="floor for cap",
            wrong_answer=_propensity_raised,
            cause="Propensities are raised to one over the cap. That limits one over the "
            "propensity; the weight also has the target in it.",
            hint="What is the weight of a round with a propensity of 0.1 and a target of 0.1?",
        ),
        Misconception(
            id="large-dropped",
            name="dropped for lowered",
            wrong_answer=_large_dropped,
            cause="Rounds above the cap are left out instead of counted with the cap.",
            hint="What does a round weigh that is above the cap?",
        ),
        Misconception(
            id="target-left-out",
            name="target forgotten",
            wrong_answer=_target_left_out,
            cause="The weight is one over the propensity, as if the new policy always did what was "
            "logged.",
            hint="Where in your function is `target`?",
        ),
        Misconception(
            id="weight-upside-down",
            name="weight upside down",
            wrong_answer=_inverted,
            variants=(_inverted_guarded,),
            cause="The log's probability stands over the new policy's.",
            hint="Should a round count more if the new policy does it more often?",
        ),
        Misconception(
            id="sum-not-mean",
            name="sum for mean",
            wrong_answer=_summed,
            cause="The weighted rewards are added up and not divided.",
            hint="What does your function give for a log that is written down twice?",
        ),
        Misconception(
            id="divided-by-rewarded",
            name="divided by clicks",
            wrong_answer=_over_rewarded,
            variants=(_over_rewarded_guarded,),
            cause="The sum is divided by the rounds that earned something. The others earned 0, "
            "and were rounds.",
            hint="What should your function give if half of the rounds earn nothing?",
        ),
    ),
    hints=(
        "One weight a round, one product a round, one division at the end.",
        "The weight is target over propensity; `min(weight, cap)` clips it.",
        "Multiply by the reward after clipping, add up, divide by `len(rewards)`.",
    ),
    steps=(
        Step(
            "The weight of each round, no larger than the cap; then the mean of weight times "
            "reward over all rounds.",
            "def my_clipped_ips(rewards, propensities, target, cap):\n"
            "    weights = [min(t / p, cap) for t, p in zip(target, propensities)]\n"
            "    return sum(w * r for w, r in zip(weights, rewards)) / len(rewards)",
        ),
        Step(
            "With a cap that cuts and with one that does not.",
            "log = [1, 0, 1, 1], [0.5, 0.25, 0.1, 0.25], [0.6, 0.2, 0.6, 0.2]\n"
            "round(my_clipped_ips(*log, 2), 3), round(my_clipped_ips(*log, 10), 3)",
        ),
    ),
    insight="Three conventions in three lines: what the weight is, where it is cut, what divides. "
    "An estimate without them cannot be repeated.",
    minutes=8,
    points=3,
)
