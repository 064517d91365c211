"""What is missing from a log, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.function import Case

# A mean of what is there ------------------------------------------------------------------------


def _draw_opinions(rng: np.random.Generator) -> Inputs:
    """Return opinions of which the high ones are voiced more often."""
    people = rng.choice(np.arange(1, 7), 3, replace=False) * 10
    probabilities = np.sort(rng.choice(np.arange(1, 10), 3, replace=False)) / 10
    return {"stars": [1, 3, 5], "people": people.tolist(), "probabilities": probabilities.tolist()}


def _median_of_all(inputs: Inputs) -> dict[str, float]:
    return {"truth": float(np.median(np.repeat(inputs["stars"], inputs["people"])))}


def _median_of_ratings(inputs: Inputs) -> dict[str, float]:
    rated = np.multiply(inputs["people"], inputs["probabilities"]).round().astype(int)
    return {"observed": float(np.median(np.repeat(inputs["stars"], rated)))}


def _medians(inputs: Inputs) -> dict[str, float]:
    return _median_of_all(inputs) | _median_of_ratings(inputs)


# The same mean, repaired ------------------------------------------------------------------------

_Row = Sequence[float]


def _repaired(stars: _Row, rated: _Row, people: _Row) -> float:
    return float(np.average(stars, weights=people))


def _groups(stars: _Row, rated: _Row, people: _Row, why: str = "") -> Case:
    return Case({"stars": list(stars), "rated": list(rated), "people": list(people)}, why)


def _draw_groups(rng: np.random.Generator) -> tuple[Case, ...]:
    drawn = []
    for n_groups in (2, 3, 4, 2):
        people = rng.choice(np.arange(2, 12), n_groups, replace=False) * 10
        rated = (people * rng.choice([0.1, 0.2, 0.3, 0.5, 0.7, 0.9], n_groups)).astype(int)
        stars = rng.choice(np.arange(1, 6), n_groups, replace=False)
        drawn.append(_groups(stars.tolist(), rated.tolist(), people.tolist()))
    return tuple(drawn)


_complete_repaired_mean_cases = (
    _groups([2, 4], [90, 10], [100, 100]),
    _groups([1, 3, 5], [4, 8, 16], [40, 60, 20], "the three groups differ in size"),
    _groups([5, 1], [10, 10], [20, 80], "both groups have the same number of ratings"),
    _groups([4, 2], [12, 30], [24, 60], "half of each group rates"),
)


# Which bias is it -------------------------------------------------------------------------------

_STORIES = {
    "coin": (
        "An item at rank 1 gets three times as many clicks as the item at rank 5. A random half of "
        "the lists exchanges the two, and there the other item gets three times as many clicks.",
        "position",
    ),
    "banner": (
        "A shop moves the product that sells worst to the first place of the page. Its clicks "
        "rise, although users do not like it better than before.",
        "position",
    ),
    "never": (
        "A film has had no clicks in two years. It turns out that no list ever contained it.",
        "selection",
    ),
    "filter": (
        "A music service recommends jazz only to users who played jazz before, and concludes from "
        "its log that no other users like jazz.",
        "selection",
    ),
    "charts": (
        "1% of the songs get half of all plays and half of all places in the lists. Songs that "
        "users like just as much, but that are little known, hardly appear.",
        "popularity",
    ),
    "hits": (
        "All users get a list with the same bestsellers, which have more clicks than all other "
        "items together.",
        "popularity",
    ),
    "weeks": (
        "Every Monday a model is trained on last week's clicks. The Gini index of its exposure "
        "rises from week to week, although the users' preferences do not change.",
        "loop",
    ),
    "lead": (
        "Two equally good videos start on the same day, and by chance one is shown slightly more "
        "often. A month and 30 retrainings later it has all the views.",
        "loop",
    ),
}


def _right_bias(inputs: Inputs) -> str:
    return _STORIES[inputs["story"]][1]


def _which_bias_prompt(inputs: Inputs) -> str:
    return f"{_STORIES[inputs['story']][0]}\n\nWhich bias does this story describe best?"


def _which_bias_draw(rng: np.random.Generator) -> Any:
    return {"story": str(rng.choice(list(_STORIES)))}
