"""Values that others report: what they mean, and whether they are comparable."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from recsys_metrics import average_precision
from recsys_metrics.workbook.exercises.base import Inputs, render_text
from recsys_metrics.workbook.exercises.ranking import running_list

# Three pages, three denominators -----------------------------------------------------------------

_PAGES = ("P", "Q", "R")


def _values(inputs: Inputs) -> dict[str, float]:
    """Return the value on each page."""
    judged = running_list.judged(inputs)
    return {
        page: float(average_precision(judged, inputs["k"], denominator=denominator))
        for page, denominator in zip(_PAGES, inputs["denominators"], strict=True)
    }


def _pages_prompt(inputs: Inputs) -> str:
    values = ", ".join(f"page {page} {value:.3f}" for page, value in _values(inputs).items())
    told = render_text(
        "A recommender returns the list {recommended}, best first. The user's relevant items are "
        "{relevant}.",
        inputs,
    )
    return (
        f"{told}\n\nThree pages report AP@{inputs['k']} for this list: {values}. One page divides "
        "by the number of all relevant items, one by the number of hits, and one by K. Which page "
        "divides by all relevant items, and which by the hits?"
    )


def _page_of(inputs: Inputs, denominator: str) -> str:
    return _PAGES[inputs["denominators"].index(denominator)].lower()


def _pair(first: str, second: str) -> Any:
    """Return the choice of the pages with these denominators, by the inputs."""
    return lambda inputs: _page_of(inputs, first) + _page_of(inputs, second)


def _two_places_off(inputs: Inputs) -> tuple[str, ...]:
    return _pair("hits", "k")(inputs), _pair("k", "relevant")(inputs)


def _draw_pages(rng: np.random.Generator) -> Inputs:
    """Return a list whose three denominators differ, and the pages in another order."""
    while True:
        inputs = running_list.draw(rng)
        counts = {len(inputs["relevant"]), len(running_list.hit_ranks(inputs)), inputs["k"]}
        if len(counts) == 3:
            break
    return {**inputs, "denominators": [str(d) for d in rng.permutation(["relevant", "hits", "k"])]}


_which_pages_solve = _pair("relevant", "hits")

_which_pages_swapped_denominators = _pair("hits", "relevant")

_which_pages_list_for_relevant = _pair("k", "hits")

_which_pages_list_for_hits = _pair("relevant", "k")


# A table with one wrong cell --------------------------------------------------------------------


def _right_cells(inputs: Inputs) -> list[float]:
    return [grade / math.log2(rank + 1) for rank, grade in enumerate(inputs["grades"], 1)]


def _wrong_row(inputs: Inputs) -> str:
    """Return the rank whose printed cell is furthest from its value."""
    gaps = [
        abs(cell - right)
        for cell, right in zip(inputs["printed"], _right_cells(inputs), strict=True)
    ]
    return str(1 + gaps.index(max(gaps)))


def _row(place: int) -> Any:
    """Return how a row of the table reads."""
    return lambda inputs: (
        f"grade {inputs['grades'][place]}, divided by log₂({place + 2}): "
        f"`{inputs['printed'][place]:.3f}`"
    )


def _table_prompt(inputs: Inputs) -> str:
    return (
        "A page shows a list of six films with their ratings in stars and, for each rank, how much "
        "the film adds to the DCG (linear gain).\n\n"
        "One of these values is wrong in its last digits. At which rank? The total below the "
        f"table, `{sum(inputs['printed']):.3f}`, is the sum of the printed values, the wrong one "
        "included."
    )


def _draw_table(rng: np.random.Generator) -> Inputs:
    """Return other grades, and a slip in a row below the first with at least three stars."""
    grades = [int(grade) for grade in rng.permutation([5, 5, 4, 4, 3, 1])]
    if grades[0] == 1:
        grades.reverse()
    printed = [round(cell, 3) for cell in _right_cells({"grades": grades})]
    place = int(rng.choice([i for i in range(1, 6) if grades[i] >= 3]))
    slip = float(rng.choice([-0.005, -0.004, -0.003, 0.003, 0.004, 0.005]))
    printed[place] = round(printed[place] + slip, 3)
    return {"grades": grades, "printed": printed}


def _rows(inputs: Inputs, which: Any) -> tuple[str, ...] | None:
    """Return the right rows of a kind, if there are any."""
    wrong = _wrong_row(inputs)
    places = [str(i) for i, grade in enumerate(inputs["grades"], 1) if which(i, grade)]
    return tuple(place for place in places if place != wrong) or None


_wrong_cell_options = {str(place + 1): _row(place) for place in range(6)}


def _wrong_cell_low_grade(inputs: Inputs) -> Any:
    return _rows(inputs, lambda place, grade: place > 1 and grade == 1)


def _wrong_cell_not_recomputed(inputs: Inputs) -> Any:
    return _rows(inputs, lambda place, grade: place > 1 and grade > 1)


# What two NDCG must share -----------------------------------------------------------------------


def _comparable_draw(rng: np.random.Generator) -> Any:
    return {
        "metric": "NDCG",
        "k": int(rng.choice([5, 10, 20])),
        "first": round(float(rng.uniform(0.3, 0.5)), 2),
        "second": round(float(rng.uniform(0.1, 0.3)), 2),
    }


def _comparable_solve(inputs: Inputs) -> Any:
    return frozenset({"gain", "ideal", "users", "nothing"})


# In words ---------------------------------------------------------------------------------------


def _explain_ideal_draw(rng: np.random.Generator) -> Any:
    return {"k": int(rng.choice([5, 10, 20])), "high": float(rng.choice([0.8, 0.9]))}
