"""What a round adds to an estimate: one line of IPS, one of doubly robust."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from recsys_metrics.bias.off_policy import ips
from recsys_metrics.workbook.exercises.base import Misconception, Step
from recsys_metrics.workbook.exercises.function import Case, Function, make_completer

_Row = Sequence[float]

# IPS ---------------------------------------------------------------------------------------------


def _ips(rewards: _Row, propensities: _Row, target: _Row) -> float:
    return ips(rewards, propensities, target).value


def _rounds(rewards: _Row, propensities: _Row, target: _Row, why: str = "") -> Case:
    each = {"rewards": rewards, "propensities": propensities, "target": target}
    return Case({name: list(column) for name, column in each.items()}, why)


_NOTHING = _rounds([0, 0], [0.5, 0.25], [0.5, 0.5], "nothing was earned")
_SAME = _rounds([1, 0, 2], [0.5, 0.2, 0.4], [0.5, 0.2, 0.4], "both policies are the same")


def _draw_rounds(rng: np.random.Generator) -> tuple[Case, ...]:
    drawn = []
    for n in (3, 4, 5):
        rewards = rng.integers(0, 4, n)
        rewards[0] = 2
        chances = rng.choice([0.1, 0.2, 0.25, 0.4, 0.5, 0.8], (2, n))
        drawn.append(_rounds(rewards.tolist(), *chances.tolist()))
    return (*drawn, _NOTHING, _SAME)


_IPS = """
total = 0
for reward, p, wanted in zip(rewards, propensities, target):
    total += ...
return total / len(rewards)
""".strip()
_ips_with = make_completer("rewards, propensities, target", _IPS)


complete_ips = Function(
    id="bias.complete_ips",
    title="IPS with one line missing",
    prompt="""
`my_ips(rewards, propensities, target)` estimates what a new policy would earn per round. Each list
has one entry per round: what was earned, the chance with which the log's policy did what it did,
and the chance with which the new policy would do the same.

Complete the line with `...`: what a round adds.
""",
    function="my_ips",
    solve=_ips,
    template=_IPS,
    template_answer="wanted / p * reward",
    cases=(
        _rounds([1, 0, 1, 1], [0.5, 0.25, 0.1, 0.25], [0.6, 0.2, 0.6, 0.2]),
        _rounds([3, 0, 1], [0.2, 0.5, 0.8], [0.1, 0.5, 0.4], "rewards are above 1"),
        _NOTHING,
        _SAME,
    ),
    draw=_draw_rounds,
    misconceptions=(
        Misconception(
            id="clicks-as-logged",
            name="clicks as logged",
            wrong_answer=_ips_with("reward"),
            cause="A round adds its reward as it was logged, without a weight.",
            hint="Should a round count more if the new policy would do it more often?",
        ),
        Misconception(
            id="target-left-out",
            name="target forgotten",
            wrong_answer=_ips_with("reward / p"),
            cause="The weight is one over the propensity, as if the new policy always did what was "
            "logged.",
            hint="Where in your line is what the new policy wants?",
        ),
        Misconception(
            id="weight-upside-down",
            name="weight upside down",
            wrong_answer=_ips_with("p / wanted * reward"),
            cause="The log's chance stands over the new policy's.",
            hint="The new policy does it twice as often. Should the round count double or half?",
        ),
        Misconception(
            id="log-left-out",
            name="log forgotten",
            wrong_answer=_ips_with("wanted * reward"),
            cause="The reward is weighed by what the new policy wants, and not by what the log's "
            "policy did: what was seldom shown stays small.",
            hint="Both policies are the same. What should a round weigh then?",
        ),
        Misconception(
            id="reward-left-out",
            name="reward forgotten",
            wrong_answer=_ips_with("wanted / p"),
            cause="A round adds its weight, whatever it earned.",
            hint="What should the estimate be for a log in which nothing was earned?",
        ),
        Misconception(
            id="both-multiplied",
            name="product of chances",
            wrong_answer=_ips_with("wanted * p * reward"),
            cause="The two chances were multiplied, so a round that was seldom shown counts less "
            "than others.",
            hint="Should a click on what was seldom shown weigh more or less than others?",
        ),
    ),
    hints=(
        "A round counts more if the new policy would do it more often than the log's did.",
        "The weight of a round is `wanted / p`.",
        "A weight multiplies what it weighs: the reward.",
    ),
    steps=(
        Step("The new policy's chance over the log's, times what was earned."),
        Step(
            "Where both policies are the same, every round weighs 1, and the mean reward is left.",
            "my_ips([1, 0, 2], [0.5, 0.2, 0.4], [0.5, 0.2, 0.4])",
        ),
    ),
    insight="Divided by the rounds. Put the sum of the weights below the line instead, and it is "
    "SNIPS.",
    minutes=2,
    points=1,
)


# Doubly robust -----------------------------------------------------------------------------------


def _doubly_robust(rewards: _Row, weights: _Row, predicted: _Row, expected: _Row) -> float:
    missed = np.subtract(rewards, predicted)
    return float(np.mean(np.add(expected, np.multiply(weights, missed))))


def _log(rewards: _Row, weights: _Row, predicted: _Row, expected: _Row, why: str = "") -> Case:
    return Case(
        {
            "rewards": list(rewards),
            "weights": list(weights),
            "predicted": list(predicted),
            "expected": list(expected),
        },
        why,
    )


_EDGES = (
    _log([1, 0, 1], [0.5, 2, 3], [1, 0, 1], [0.5, 0.25, 0.5], "the model is right in each round"),
    _log([1, 0, 1], [0, 0, 0], [0.5, 0.5, 0.5], [0.25, 0.5, 0.5], "the log says nothing of it"),
)


def _drawn(rng: np.random.Generator, n: int) -> Case:
    rewards, weights = rng.integers(0, 3, n), rng.integers(1, 17, n) / 4
    predicted, expected = rng.integers(1, 8, (2, n)) / 8
    return _log(*(column.tolist() for column in (rewards, weights, predicted, expected)))


def _draw_logs(rng: np.random.Generator) -> tuple[Case, ...]:
    return (*(_drawn(rng, n) for n in (3, 4, 5)), *_EDGES)


_ROBUST = """
total = 0
for reward, weight, guess, policy in zip(rewards, weights, predicted, expected):
    total += ...
return total / len(rewards)
""".strip()
_robust_with = make_completer("rewards, weights, predicted, expected", _ROBUST)


complete_doubly_robust = Function(
    id="bias.complete_doubly_robust",
    title="Doubly robust with one line missing",
    prompt="""
`my_doubly_robust(rewards, weights, predicted, expected)` estimates what a policy would earn per
round. Each list has one entry per round:

- what was earned, and the weight of the round: the new policy's chance over the log's;
- what a model predicts for the item that was shown;
- what the model expects of the new policy in this round, whatever was shown.

Complete the line with `...`: what a round adds.
""",
    function="my_doubly_robust",
    solve=_doubly_robust,
    template=_ROBUST,
    template_answer="policy + weight * (reward - guess)",
    cases=(
        _log([1, 0, 1, 1], [1.2, 0.8, 6, 0.8], [0.5, 0.2, 0.5, 0.3], [0.4, 0.4, 0.4, 0.4]),
        _log([0, 2, 0], [1.5, 0.5, 2], [0.5, 1, 0.25], [0.75, 0.5, 0.5], "the model is too high"),
        _log([3, 0], [0.5, 4], [1, 0.5], [2, 0.25], "one round earned, the other weighs more"),
        *_EDGES,
    ),
    draw=_draw_logs,
    misconceptions=(
        Misconception(
            id="model-left-out",
            name="model left out",
            wrong_answer=_robust_with("weight * reward"),
            cause="A round adds its weighted reward, and nothing of the model. That is IPS.",
            hint="Where in your line is what the model expects of the new policy?",
        ),
        Misconception(
            id="never-corrected",
            name="never corrected",
            wrong_answer=_robust_with("policy"),
            cause="A round adds what the model expects, whatever was earned. That is the direct "
            "method.",
            hint="What does your line do with a reward that the model did not foresee?",
        ),
        Misconception(
            id="reward-for-error",
            name="reward for error",
            wrong_answer=_robust_with("policy + weight * reward"),
            cause="The whole reward is added to what the model expects, so that what the model "
            "foresaw counts twice.",
            hint="The model is right in every round. By how much should the log correct it?",
        ),
        Misconception(
            id="error-unweighed",
            name="error unweighed",
            wrong_answer=_robust_with("policy + reward - guess"),
            cause="The error of the model has no weight, so the log's policy decides which errors "
            "count.",
            hint="Should an error count more in a round that the new policy would do more often?",
        ),
        Misconception(
            id="error-turned-round",
            name="error turned round",
            wrong_answer=_robust_with("policy + weight * (guess - reward)"),
            cause="The prediction less the reward was added: where the model was too low, the "
            "estimate goes down.",
            hint="The model said 0 and the round earned 1. Should the estimate rise or fall?",
        ),
        Misconception(
            id="error-alone",
            name="error alone",
            wrong_answer=_robust_with("weight * (reward - guess)"),
            cause="A round adds the correction, without what it corrects.",
            hint="The model is right in every round. What should the estimate be then?",
        ),
        Misconception(
            id="brackets-forgotten",
            name="brackets forgotten",
            wrong_answer=_robust_with("policy + weight * reward - guess"),
            cause="The weight multiplies the reward alone, and the prediction is taken off without "
            "it.",
            hint="Which of the two numbers in the error should the weight multiply?",
        ),
        Misconception(
            id="model-weighed",
            name="model weighed",
            wrong_answer=_robust_with("weight * (policy + reward - guess)"),
            cause="What the model expects of the new policy was weighed, too. It speaks for the "
            "new policy already, so its weight is 1.",
            hint="Which of the numbers in your line depends on what the log's policy did?",
        ),
        Misconception(
            id="shown-for-policy",
            name="shown for policy",
            wrong_answer=_robust_with("guess + weight * (reward - guess)"),
            cause="The correction was added to the prediction for what the log showed, not to what "
            "the model expects of the new policy.",
            hint="Which of the two predictions would change if the new policy changed?",
        ),
    ),
    hints=(
        "First the model speaks for the new policy, then the log corrects the model.",
        "The error of the model in a round is the reward less what it predicted for what was "
        "shown.",
        "The round's weight belongs to the error alone.",
    ),
    steps=(
        Step(
            "What the model expects of the policy, and the weighed error that it made on what was "
            "shown."
        ),
        Step(
            "A model that is right leaves nothing to correct.",
            "round(my_doubly_robust([1, 0, 1], [0.5, 2, 3], [1, 0, 1], [0.5, 0.25, 0.5]), 3)",
        ),
        Step(
            "One that is wrong is corrected most where the weight is largest.",
            "round(my_doubly_robust([3, 0], [0.5, 4], [1, 0.5], [2, 0.25]), 3)",
        ),
    ),
    insight="The reward minus the guess is the whole trick: what the model already knew must not "
    "be counted again.",
    minutes=4,
    points=2,
)
