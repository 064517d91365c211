"""From users to one number: who counts, and how much."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from recsys_metrics import judge, recall
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.numbers import Numbers


def _each(inputs: Inputs) -> list[float]:
    """Return the recall of each user; nan where nothing was relevant."""
    lists = [[*range(found)] for found in inputs["found"]]
    return [float(value) for value in recall(judge(lists, [*map(range, inputs["wanted"])]))]


def _means(inputs: Inputs) -> dict[str, float]:
    each = _each(inputs)
    return {
        "left_out": float(np.nanmean(each)),
        "as_zero": float(np.nansum(each)) / len(each),
        "pooled": sum(inputs["found"]) / sum(inputs["wanted"]),
    }


def _counted_as(value: float) -> Callable[[Inputs], dict[str, float]]:
    """Return the mistake of giving users with nothing relevant a value and keeping them."""
    return lambda inputs: {"left_out": float(np.mean(np.nan_to_num(_each(inputs), nan=value)))}


def _hitless_left_out(inputs: Inputs) -> dict[str, float]:
    hits = [value for value in _each(inputs) if value > 0]
    return {"left_out": sum(hits) / len(hits)}


def _pooled_for_mean(inputs: Inputs) -> dict[str, float]:
    return {"left_out": _means(inputs)["pooled"]}


def _mean_for_pooled(inputs: Inputs) -> dict[str, float]:
    return {"pooled": _means(inputs)["left_out"]}


def _found_a_user(inputs: Inputs) -> dict[str, float]:
    return {"pooled": sum(inputs["found"]) / len(inputs["found"])}


def _draw(rng: np.random.Generator) -> Inputs:
    """Return four to six users: one with nothing relevant, and one who finds nothing."""
    wanted = [int(n) for n in rng.integers(1, 8, int(rng.integers(3, 6)))]
    found = [int(rng.integers(1, n + 1)) for n in wanted]
    found[int(rng.integers(len(found)))] = 0
    place = int(rng.integers(len(wanted) + 1))
    wanted.insert(place, 0)
    found.insert(place, 0)
    return {"found": found, "wanted": wanted}


one_number = Numbers(
    id="ranking.one_number",
    title="One recall for several people",
    prompt="""
The lists of several people found {found} relevant films, of {wanted} that were relevant for each
(in the same order of people).

Compute the mean recall over the people, once with those left out for whom nothing was relevant, and
once with 0 for them. Then pool: of all that was relevant, which share was found?
""",
    asks={
        "left_out": "mean, those without a relevant film left out",
        "as_zero": "mean, 0 for them",
        "pooled": "pooled",
    },
    inputs={"found": [2, 0, 3, 0], "wanted": [2, 4, 10, 0]},
    solve=_means,
    draw=_draw,
    misconceptions=(
        Misconception(
            id="kept-as-zero",
            name="silent users",
            wrong_answer=_counted_as(0.0),
            cause="The person for whom nothing was relevant is in the mean, with 0.",
            hint="Over how many people is the mean taken if that person is left out?",
        ),
        Misconception(
            id="kept-as-one",
            name="silent users",
            wrong_answer=_counted_as(1.0),
            cause="The person for whom nothing was relevant is in the mean, with 1.",
            hint="What does 0 films of 0 say about a list?",
        ),
        Misconception(
            id="hitless-left-out",
            name="misses left out",
            wrong_answer=_hitless_left_out,
            cause="Those were left out whose list found nothing. They wanted something, and their "
            "recall is 0.",
            hint="For whom could no list have found anything?",
        ),
        Misconception(
            id="pooled-for-mean",
            name="pooled for mean",
            wrong_answer=_pooled_for_mean,
            cause="All films were pooled, so that a person counts as often as films were relevant.",
            hint="What is the recall of each person alone?",
        ),
        Misconception(
            id="mean-for-pooled",
            name="mean for pooled",
            wrong_answer=_mean_for_pooled,
            cause="That is the mean over the people again.",
            hint="How many films were relevant for all of them together?",
        ),
        Misconception(
            id="found-a-user",
            name="hits per person",
            wrong_answer=_found_a_user,
            cause="The hits were divided by the number of people.",
            hint="Of how many films is it a share?",
        ),
    ),
    hints=(
        "Write the recall of each person down. For one of them it is 0 over 0.",
        "The two means have one sum above the line. Below it stand different counts of people.",
        "Pooling adds all hits, and divides by all that was relevant.",
    ),
    steps=(
        Step(
            "The recall of each person for whom something was relevant:",
            "each = [f / w for f, w in zip(found, wanted) if w]\neach",
        ),
        Step(
            "One sum, divided by the people who are left, or by all.",
            "left_out, as_zero = sum(each) / len(each), sum(each) / len(wanted)\n"
            "round(left_out, 3), round(as_zero, 3)",
        ),
        Step(
            "Pooled, each film counts the same, and nobody has to be left out.",
            "pooled = sum(found) / sum(wanted)\nround(pooled, 3)",
        ),
    ),
    insight="Three numbers from the same lists. A report says which one it prints, and how many "
    "people it left out.",
    minutes=4,
    points=2,
)
