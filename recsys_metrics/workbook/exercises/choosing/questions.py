"""Exercises on the three questions and the four tasks, of chapters 00 and 07."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from recsys_metrics import judge, precision
from recsys_metrics.beyond_accuracy import catalog_coverage
from recsys_metrics.rating import mae
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.function import Case

# Which question ----------------------------------------------------------------------------------

_STATEMENTS = {
    "stars": ("close", "On average, the stars that we show for a film are off by 0.{n} stars."),
    "price": ("close", "For {n} in 10 users, the predicted ratings are half a star too high."),
    "minutes": ("close", "The predicted watching time is off by {n} minutes on average."),
    "first": ("ordered", "For {n} in 10 users, none of the first five films is relevant."),
    "rank": ("ordered", "The film that a user chose next was at rank {n} on average."),
    "missed": ("ordered", "Of the films that users later loved, {n} in 10 were not in the top 20."),
    "corner": ("good", "Last month, {n} in 10 films of the catalogue were not shown to anybody."),
    "alike": ("good", "Every user's list contains {n} films of the same series."),
    "known": ("good", "Users say that they already knew {n} of the ten films in their list."),
}


def _statement(inputs: Inputs) -> str:
    return _STATEMENTS[inputs["statement"]][1].format(n=inputs["n"])


def _question(inputs: Inputs) -> str:
    return _STATEMENTS[inputs["statement"]][0]


def _which_question_prompt(inputs: Inputs) -> str:
    return f"""
Someone in a meeting says:

> {_statement(inputs)}

Which of the three questions does this statement answer?
"""


def _which_question_draw(rng: np.random.Generator) -> Any:
    return {
        "statement": str(rng.choice(list(_STATEMENTS))),
        "n": int(rng.integers(3, 9)),
    }


def _which_question_step_1(inputs: Inputs) -> str:
    return f'The statement is "{_statement(inputs)}"'


# Which task --------------------------------------------------------------------------------------


_JOBS = {
    "shelf": ("rating", "A page shows, for each book, how many stars you would probably give it."),
    "hotel": ("rating", "A form suggests the rating that a guest will probably give to a hotel."),
    "evening": ("top_n", "A start page shows ten films that a user might watch some evening."),
    "gifts": (
        "top_n",
        "A shop sends a letter with the 20 articles that it expects you to like.",
    ),
    "song": ("next_item", "A player has to predict, song after song, which song comes next."),
    "basket": ("next_item", "While a customer fills a basket, the shop predicts the next article."),
    "banner": ("ctr", "An advertiser pays per click, so the probability of a click is needed."),
    "teaser": ("ctr", "A news page needs the probability of a click for each possible teaser."),
}


def _task(inputs: Inputs) -> str:
    return _JOBS[inputs["job"]][0]


def _which_task_prompt(inputs: Inputs) -> str:
    return f"""
{_JOBS[inputs["job"]][1]}
How would you split the data, and which metrics would you report first?
"""


def _which_task_draw(rng: np.random.Generator) -> Any:
    return {"job": str(rng.choice(list(_JOBS)))}


def _which_task_step_1(inputs: Inputs) -> str:
    return f"The task is described as follows: {_JOBS[inputs['job']][1]}"


# Why the first answer is not enough --------------------------------------------------------------


def _why_useless_draw(rng: np.random.Generator) -> Any:
    return {"n": int(rng.integers(5, 13))}


def _why_useless_solve(_: Any) -> Any:
    return frozenset({"other_films", "chosen", "top"})


# Coverage with one line missing ------------------------------------------------------------------


def _coverage(lists: Sequence[Sequence[str]], n_films: int) -> float:
    return catalog_coverage([list(films) for films in lists], n_films)


def _lists(*lists: str, n_films: int, why: str = "") -> Case:
    """Return lists of films with one letter each."""
    return Case({"lists": [[*films] for films in lists], "n_films": n_films}, why)


def _draw_lists(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return lists of three to five that share films, and the edges."""
    drawn = []
    for people in (2, 3, 4, 5):
        size, n_films = int(rng.integers(3, 6)), int(rng.choice([10, 16, 20, 25]))
        rows = ["".join(rng.permutation([*"ABCDEFGHIJ"])[:size]) for _ in range(people)]
        drawn.append(_lists(*rows, n_films=n_films))
    return (*drawn, *_EDGES)


_EDGES = (
    _lists("ABC", "ABC", n_films=10, why="both are shown the same three films"),
    _lists("ABCD", n_films=8, why="there is one list"),
    _lists("AB", "CD", n_films=4, why="every film is shown"),
)

_complete_coverage_cases = (
    _lists("CXY", "XYF", n_films=12),
    _lists("ABC", "ADE", "AFC", n_films=20),
    _lists("ABCDE", "BCDEF", "ABCDE", "GBCDE", n_films=10, why="most films are shared"),
    *_EDGES,
)

# Three answers to one system ---------------------------------------------------------------------


def _mean_precision(inputs: Inputs) -> float:
    lists = [judge(inputs[name], set(inputs[f"{name}_likes"])) for name in ("ann", "ben")]
    return sum(precision(judged, 3) for judged in lists) / 2


def _solve(inputs: Inputs) -> dict[str, float]:
    return {
        "mae": mae(inputs["actual"], inputs["predicted"]),
        "precision": _mean_precision(inputs),
        "coverage": catalog_coverage([inputs["ann"], inputs["ben"]], inputs["films"]),
    }


def _draw(rng: np.random.Generator) -> Inputs:
    """Return two lists of three that share a film, with a hit or two, and half-star errors."""
    while True:
        actual = [int(star) for star in rng.integers(2, 6, size=4)]
        off = rng.choice([-0.5, -0.2, 0.1, 0.2, 0.5], size=4)
        letters = [str(letter) for letter in rng.permutation(list("ABCDEFGHIJ"))]
        ann, ben = letters[:3], [letters[2], *letters[3:5]]
        likes = [
            sorted(str(x) for x in rng.choice(letters[:8], size=rng.integers(2, 5), replace=False))
            for _ in range(2)
        ]
        inputs = {
            "actual": actual,
            "predicted": [round(star + float(o), 1) for star, o in zip(actual, off, strict=True)],
            "ann": ann,
            "ben": [str(x) for x in rng.permutation(ben)],
            "ann_likes": likes[0],
            "ben_likes": likes[1],
            "films": int(rng.choice([10, 16, 20])),
        }
        if 0 < _mean_precision(inputs) < 1:
            return inputs


# In words ----------------------------------------------------------------------------------------


def _tell_mara_draw(rng: np.random.Generator) -> Any:
    return {
        "tenths": str(rng.choice(["a tenth", "two tenths", "three tenths"])),
        "n": int(rng.integers(3, 15)),
    }
