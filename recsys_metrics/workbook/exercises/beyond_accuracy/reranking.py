"""Re-ranking: what a film is worth beside those that the list holds already."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.numbers import Numbers


def _alike(inputs: Inputs) -> list[float]:
    return [inputs["first"], inputs["second"], inputs["third"]]


def _worth(score: float, alike: float, variety: float) -> float:
    return (1 - variety) * score - variety * alike


def _judged_by(likeness: Callable[[list[float]], float]) -> Callable[[Inputs], float]:
    """Return the rule that puts another number in place of the likeness to the nearest film."""
    return lambda inputs: _worth(inputs["score"], likeness(_alike(inputs)), inputs["variety"])


def _swapped(inputs: Inputs) -> float:
    return _worth(inputs["score"], max(_alike(inputs)), 1 - inputs["variety"])


def _whole_score(inputs: Inputs) -> float:
    return float(inputs["score"] - inputs["variety"] * max(_alike(inputs)))


def _no_weights(inputs: Inputs) -> float:
    return float(inputs["score"] - max(_alike(inputs)))


def _draw(rng: np.random.Generator) -> Inputs:
    """Return likenesses of which the last is neither the largest nor the smallest."""
    low, middle, high = sorted(int(tenths) for tenths in rng.choice(9, size=3, replace=False) + 1)
    first, second = rng.permutation([low, high])
    return {
        "score": int(rng.integers(10, 20)) / 20,
        "first": int(first) / 10,
        "second": int(second) / 10,
        "third": middle / 10,
        "variety": float(rng.choice([0.2, 0.3, 0.4, 0.6, 0.7])),
    }


fourth_place = Numbers(
    id="beyond_accuracy.fourth_place",
    title="The fourth place",
    prompt="""
A list is filled film by film, each time with the one that is worth most: its score less its
likeness to the nearest film on the list, where the likeness has a weight of {variety} and the
score the rest of 1. Three films are chosen. The next film has the score {score}. Its likeness to
the first of the three is {first}, to the second {second}, and to the third {third}.

Compute what this film is worth at the fourth place.
""",
    asks={"worth": "Worth"},
    inputs={"score": 0.9, "first": 0.3, "second": 0.8, "third": 0.5, "variety": 0.4},
    solve=_judged_by(max),
    draw=_draw,
    misconceptions=(
        Misconception(
            id="mean-likeness",
            name="mean likeness",
            wrong_answer=_judged_by(lambda alike: float(np.mean(alike))),
            cause="The likeness to all three was averaged. A twin of one film hides well among "
            "two strangers.",
            hint="What would a copy of the second film be worth by this reckoning?",
        ),
        Misconception(
            id="last-chosen",
            name="last chosen only",
            wrong_answer=_judged_by(lambda alike: alike[-1]),
            cause="Only the film that was chosen last was looked at. The reader sees the whole "
            "list.",
            hint="Which of the three chosen films is this one most like?",
        ),
        Misconception(
            id="sum-of-likenesses",
            name="likenesses added up",
            wrong_answer=_judged_by(sum),
            cause="The three likenesses were added up. Then every film loses more the longer the "
            "list already is.",
            hint="How large can that sum become at the tenth place, and how large can a score?",
        ),
        Misconception(
            id="least-alike",
            name="least alike",
            wrong_answer=_judged_by(min),
            cause="The film that is least like this one was taken. The rule asks for the nearest.",
            hint="Does a film repeat the list when it is unlike one of its films, or when it is "
            "like one?",
        ),
        Misconception(
            id="weights-swapped",
            name="weights swapped",
            wrong_answer=_swapped,
            cause="The two weights have changed places.",
            hint="What should a weight of 0 on variety leave: the score, or the likeness?",
        ),
        Misconception(
            id="whole-score",
            name="whole score",
            wrong_answer=_whole_score,
            cause="The score has its full weight here. It should have what variety leaves of 1.",
            hint="With a weight of 1 on variety, how much should the score still say?",
        ),
        Misconception(
            id="no-weights",
            name="no weights",
            wrong_answer=_no_weights,
            cause="Score and likeness were subtracted as they stand, without their weights.",
            hint="What would a weight of 0 on variety change in this reckoning?",
        ),
    ),
    hints=(
        "Look for the film on the list that this one is most like.",
        "The score counts with what the weight on variety leaves of 1.",
        "Take from it that weight times the likeness to the nearest film.",
    ),
    steps=(
        Step("The likeness to the nearest of the three.", "nearest = max(first, second, third)"),
        Step(
            "The score and the likeness, each with its weight.",
            "worth = (1 - variety) * score - variety * nearest\nround(worth, 3)",
        ),
    ),
    insight="One film that is nearly the same is enough to be a repetition; that the others "
    "differ does not help.",
    minutes=3,
    points=2,
)
