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
    chances = np.sort(rng.choice(np.arange(1, 10), 3, replace=False)) / 10
    return {"stars": [1, 3, 5], "people": people.tolist(), "chances": chances.tolist()}


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
    _groups([1, 3, 5], [4, 8, 16], [40, 60, 20], "three groups of three sizes"),
    _groups([5, 1], [10, 10], [20, 80], "two groups with as many ratings each"),
    _groups([4, 2], [12, 30], [24, 60], "every second one of each group rates"),
)


# Which bias is it -------------------------------------------------------------------------------

_STORIES = {
    "coin": (
        "An item at rank 1 gets three times the clicks of the item at rank 5. A coin swaps the two "
        "in half of the lists, and then the other one gets three times the clicks.",
        "position",
    ),
    "banner": (
        "A shop moves its slowest seller to the first place of the page. Its clicks rise, and "
        "nobody likes it better than before.",
        "position",
    ),
    "never": (
        "A film has no click in two years. It turns out that no list ever held it.",
        "selection",
    ),
    "filter": (
        "A music service plays jazz only to those who played jazz before, and concludes from its "
        "log that nobody else likes jazz.",
        "selection",
    ),
    "charts": (
        "One song in a hundred gets half of all plays and of all places in the lists; songs that "
        "are liked as well but little known hardly appear.",
        "popularity",
    ),
    "hits": (
        "Whoever the user is, the list holds the same bestsellers, and their clicks outnumber all "
        "others.",
        "popularity",
    ),
    "weeks": (
        "Every Monday a model is trained on last week's clicks. Week by week the Gini index of "
        "what it shows rises, though no user changed.",
        "loop",
    ),
    "lead": (
        "Two equal videos start on one day; one is shown a little more by chance. A month and "
        "thirty retrainings later it has all the views.",
        "loop",
    ),
}


def _right_bias(inputs: Inputs) -> str:
    return _STORIES[inputs["story"]][1]


def _which_bias_prompt(inputs: Inputs) -> str:
    return f"{_STORIES[inputs['story']][0]}\n\nWhat is this first of all?"


def _which_bias_draw(rng: np.random.Generator) -> Any:
    return {"story": str(rng.choice(list(_STORIES)))}
