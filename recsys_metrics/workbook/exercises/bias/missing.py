"""What is missing from a log, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.function import Case, Function, make_completer
from recsys_metrics.workbook.exercises.numbers import Numbers

# A mean of what is there ------------------------------------------------------------------------


def _columns(inputs: Inputs) -> tuple[Any, Any, Any]:
    stars, people, chances = (np.asarray(inputs[name]) for name in ("stars", "people", "chances"))
    return stars, people, chances


def _means(inputs: Inputs) -> dict[str, float]:
    stars, people, chances = _columns(inputs)
    return {
        "truth": float(np.average(stars, weights=people)),
        "observed": float(np.average(stars, weights=people * chances)),
    }


def _as_if_nothing_was_missing(inputs: Inputs) -> dict[str, float]:
    return {"observed": _means(inputs)["truth"]}


def _stars_unweighted(inputs: Inputs) -> dict[str, float]:
    return {"truth": float(np.mean(inputs["stars"]))}


def _people_forgotten(inputs: Inputs) -> dict[str, float]:
    stars, _, chances = _columns(inputs)
    return {"observed": float(np.average(stars, weights=chances))}


def _over_everybody(inputs: Inputs) -> dict[str, float]:
    stars, people, chances = _columns(inputs)
    return {"observed": float(stars @ (people * chances) / people.sum())}


def _swapped_means(inputs: Inputs) -> dict[str, float]:
    right = _means(inputs)
    return {"truth": right["observed"], "observed": right["truth"]}


def _draw_opinions(rng: np.random.Generator) -> Inputs:
    """Return opinions of which the high ones are voiced more often."""
    people = rng.choice(np.arange(1, 7), 3, replace=False) * 10
    chances = np.sort(rng.choice(np.arange(1, 10), 3, replace=False)) / 10
    return {"stars": [1, 3, 5], "people": people.tolist(), "chances": chances.tolist()}


mean_that_lies = Numbers(
    id="bias.mean_that_lies",
    title="The mean of what was rated",
    prompt="""
Everybody has an opinion of a film: {stars} stars, held by {people} people, in this order. Not
everybody writes it down: of those groups, shares of {chances} do.

What is the mean opinion of all, and what mean does the site show?
""",
    asks={"truth": "mean of all opinions", "observed": "mean of the ratings that exist"},
    inputs={"stars": [1, 3, 5], "people": [40, 40, 20], "chances": [0.1, 0.2, 0.8]},
    solve=_means,
    draw=_draw_opinions,
    misconceptions=(
        Misconception(
            id="gaps-ignored",
            name="gaps ignored",
            wrong_answer=_as_if_nothing_was_missing,
            cause="The mean of all opinions was given twice, as if gaps did not matter.",
            hint="How many ratings of each kind does the site hold?",
        ),
        Misconception(
            id="swapped-means",
            name="swapped means",
            wrong_answer=_swapped_means,
            cause="The two means have changed places.",
            hint="Which of the two can the site compute?",
        ),
        Misconception(
            id="stars-unweighted",
            name="unweighted stars",
            wrong_answer=_stars_unweighted,
            cause="The star values were averaged, without how many people hold each.",
            hint="If one person gave five stars and a thousand gave one, what would be the mean?",
        ),
        Misconception(
            id="people-forgotten",
            name="chances for counts",
            wrong_answer=_people_forgotten,
            cause="The stars were weighed by the chance of a rating, without how many people there "
            "are of each kind.",
            hint="How many ratings come from each group: people times chance?",
        ),
        Misconception(
            id="over-everybody",
            name="denominator of all",
            wrong_answer=_over_everybody,
            cause="The sum of the ratings was divided by everybody, also those who did not rate. "
            "That counts a silent person as zero stars.",
            hint="How many ratings does the site hold?",
        ),
    ),
    hints=(
        "Two means over two crowds: everybody, and those who rated.",
        "For each group, the number of ratings is the number of people times their chance.",
        "Divide each sum of stars by how many opinions are in that sum.",
    ),
    steps=(
        Step(
            "The mean of all opinions weighs each star value by its people.",
            "truth = sum(s * n for s, n in zip(stars, people)) / sum(people)\nround(truth, 3)",
        ),
        Step(
            "So many ratings of each kind are written down.",
            "rated = [n * chance for n, chance in zip(people, chances)]\n"
            "[round(n, 3) for n in rated]",
        ),
        Step(
            "The site averages those.",
            "observed = sum(s * n for s, n in zip(stars, rated)) / sum(rated)\nround(observed, 3)",
        ),
    ),
    insight="Nobody lied and nobody erred: the more likely an opinion is to be voiced, the more it "
    "counts. More data of the same kind does not help.",
    minutes=4,
    points=2,
)


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


_GIVEN = """
weights = ...
total = sum(w * r * s for w, r, s in zip(weights, rated, stars))
return total / sum(w * r for w, r in zip(weights, rated))
""".strip()
_with = make_completer("stars, rated, people", _GIVEN)


complete_repaired_mean = Function(
    id="bias.complete_repaired_mean",
    title="A repaired mean with one line missing",
    prompt="""
`my_repaired_mean(stars, rated, people)` returns the mean opinion of all people, of whom some kept
silent. Each list has one entry per group: the stars that its people would give, how many of them
wrote their rating down, and how many people it has.

Complete the line with `...`: what one rating of each group weighs.
""",
    function="my_repaired_mean",
    solve=_repaired,
    template=_GIVEN,
    template_answer="[n / r for n, r in zip(people, rated)]",
    cases=(
        _groups([2, 4], [90, 10], [100, 100]),
        _groups([1, 3, 5], [4, 8, 16], [40, 60, 20], "three groups of three sizes"),
        _groups([5, 1], [10, 10], [20, 80], "two groups with as many ratings each"),
        _groups([4, 2], [12, 30], [24, 60], "every second one of each group rates"),
    ),
    draw=_draw_groups,
    misconceptions=(
        Misconception(
            id="gaps-ignored",
            name="gaps ignored",
            wrong_answer=_with("[1 for _ in rated]"),
            cause="Every rating weighs the same, so that a group counts the more, the more of its "
            "people rate.",
            hint="For how many people does a rating of the quiet group stand?",
        ),
        Misconception(
            id="weight-upside-down",
            name="weight upside down",
            wrong_answer=_with("[r / n for n, r in zip(people, rated)]"),
            cause="Each rating is weighed by its chance to be written, so that the loud group "
            "counts twice over.",
            hint="Should a rating of the group that seldom rates weigh more or less than others?",
        ),
        Misconception(
            id="people-for-weight",
            name="group for rating",
            wrong_answer=_with("people"),
            cause="Each rating weighs as much as its whole group has people. All ratings of the "
            "group share these people.",
            hint="A group of 100 wrote 10 ratings. For how many people does one of them stand?",
        ),
        Misconception(
            id="groups-alike",
            name="groups alike",
            wrong_answer=_with("[1 / r for r in rated]"),
            cause="The weight is one over the number of ratings, so that every group counts the "
            "same, however many people it has.",
            hint="Where in your line is the size of the group?",
        ),
        Misconception(
            id="silent-alone",
            name="the silent alone",
            wrong_answer=_with("[(n - r) / r for n, r in zip(people, rated)]"),
            variants=(_with("[n - r for n, r in zip(people, rated)]"),),
            cause="The weight counts those who kept silent, without those who did rate.",
            hint="Everybody of a group rates. What does one of their ratings weigh?",
        ),
    ),
    hints=(
        "A rating stands for itself and for those of its group who kept silent.",
        "The chance of a rating is `rated` over `people`; the weight is one over it.",
        "`[... for n, r in zip(people, rated)]`, with a division at the dots.",
    ),
    steps=(
        Step("One over the chance to rate: the people of a group, shared by its ratings."),
        Step(
            "With these weights each group counts with all its people again.",
            "round(my_repaired_mean([2, 4], [90, 10], [100, 100]), 3)",
        ),
    ),
    insight="The repair needs one thing that the ratings do not hold: how many were silent in each "
    "group.",
    minutes=3,
    points=1,
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

_NAMES = {
    "selection": "selection bias (exposure bias)",
    "position": "position bias",
    "popularity": "popularity bias",
    "loop": "the feedback loop",
}


def _right_bias(inputs: Inputs) -> str:
    return _STORIES[inputs["story"]][1]


def _unless_right(key: str) -> Any:
    """Return the mistake of choosing an option, wherever it is one."""
    return lambda inputs: None if _right_bias(inputs) == key else key


which_bias = Choice(
    id="bias.which_bias",
    title="Name the bias",
    prompt=lambda inputs: f"{_STORIES[inputs['story']][0]}\n\nWhat is this first of all?",
    options=_NAMES,
    inputs={"story": "coin"},
    solve=_right_bias,
    draw=lambda rng: {"story": str(rng.choice(list(_STORIES)))},
    reasons={
        "selection": "What was never shown cannot be clicked, so silence says nothing.",
        "position": "The place got the clicks, not the item.",
        "popularity": "A few items take the places and the feedback of all others.",
        "loop": "It grows from training to training: output becomes input.",
    },
    misconceptions=(
        Misconception(
            id="not-selection",
            name="silence for dislike",
            wrong_answer=_unless_right("selection"),
            cause="Selection bias is about items that could not be clicked at all, because they "
            "were not shown. Here they were.",
            hint="Was the item in question in the lists?",
        ),
        Misconception(
            id="not-position",
            name="place for taste",
            wrong_answer=_unless_right("position"),
            cause="Position bias is about where in a shown list an item stands. The story does not "
            "speak of ranks.",
            hint="Would it help to show the same items in another order?",
        ),
        Misconception(
            id="not-popularity",
            name="known for liked",
            wrong_answer=_unless_right("popularity"),
            cause="Popularity bias is about a few known items that take most of the places, at one "
            "moment. That is not the point of the story.",
            hint="What changes in the story: the rank, the time, or whether something is shown?",
        ),
        Misconception(
            id="not-loop",
            name="snapshot for course",
            wrong_answer=_unless_right("loop"),
            cause="The loop is what happens from one training to the next. The story tells of one "
            "moment.",
            hint="Is a model trained again anywhere in the story?",
        ),
    ),
    hints=(
        "Ask in turn: was it shown at all, where was it shown, how often, and what came of it?",
        "Never shown: selection. Shown at another rank: position. A few shown to all: popularity.",
        "If the story needs several trainings to be told, it is the loop.",
    ),
    steps=(
        Step(
            "Look for the word that carries the story: *never shown*, *rank* or *place*, *a few "
            "for all*, or *again and again*."
        ),
    ),
    insight="The three biases feed one another, and each has its own remedy: show it, swap it, "
    "spread it.",
    minutes=2,
    points=1,
)
