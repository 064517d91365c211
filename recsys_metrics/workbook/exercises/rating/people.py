"""Macro and micro average of the error, and which metric answers which question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from recsys_metrics.rating import rmse
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.function import Case


def _rows(inputs: Inputs) -> tuple[list[float], list[str]]:
    """Return all errors, and whose they are."""
    found = [*inputs["ann"], *inputs["ben"]]
    return found, ["ann"] * len(inputs["ann"]) + ["ben"] * len(inputs["ben"])


def _solve(inputs: Inputs) -> dict[str, float]:
    found, users = _rows(inputs)
    nothing = [0.0] * len(found)
    return {
        "macro": float(rmse(nothing, found, users=users).mean()),
        "pooled": rmse(nothing, found),
    }


def _draw(rng: np.random.Generator) -> Inputs:
    """Return few errors of one user and many of another, large ones of the first."""
    few, many = int(rng.integers(2, 4)), int(rng.integers(5, 8))
    ann = rng.choice([1.0, 2.0, 3.0], size=few) * rng.choice([-1, 1], size=few)
    ben = rng.choice([0.5, 1.0, 1.5], size=many) * rng.choice([-1, 1], size=many)
    return {"ann": ann.tolist(), "ben": ben.tolist()}


def _macro_pooled_prompt(inputs: Inputs) -> str:
    return (
        f"The errors of the predictions for Ann are {_stars(inputs['ann'])} stars, and those for "
        f"Ben are {_stars(inputs['ben'])} stars.\n\n"
        "Compute the mean of the two users' RMSEs (macro average), and the RMSE of all errors in "
        "one list (micro average)."
    )


def _stars(found: list[float]) -> str:
    return ", ".join(f"{error:g}" for error in found)


# The function -----------------------------------------------------------------------------------

_Errors = Mapping[str, list[float]]


def _macro(errors: _Errors) -> float:
    found = [(error, name) for name, of in errors.items() for error in of]
    values, users = zip(*found, strict=True)
    return float(np.mean(rmse(np.zeros(len(values)), values, users=users)))


def _squares_kept(errors: _Errors) -> float:
    """Return the mean of people's RMSE where the sum of squares is never set back to 0."""
    squares, of_each = 0.0, []
    for of in errors.values():
        squares += sum(error**2 for error in of)
        of_each.append((squares / len(of)) ** 0.5)
    return float(sum(of_each) / len(of_each))


def _people(why: str = "", **errors: list[float]) -> Case:
    return Case({"errors": errors}, why)


_ALONE = (
    _people("there is one person", Ann=[1.0, -2.0]),
    _people("one person's predictions are exact", Ann=[0.0, 0.0], Ben=[1.5, -0.5, 1.0]),
)


def _draw_people(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return two to four people with errors in half stars, of several numbers of ratings."""
    drawn = []
    for n in (2, 3, 4):
        of = {
            name: (rng.integers(1, 7, size=size) / 2 * rng.choice([-1, 1], size=size)).tolist()
            for name, size in zip(
                ["Ann", "Ben", "Cem", "Dee"][:n], rng.permutation(np.arange(1, 7)), strict=False
            )
        }
        drawn.append(_people(**of))
    return (*drawn, *_ALONE)


_write_macro_cases = (
    _people(Ann=[2.0, -1.0], Ben=[0.5, -0.5, 1.0, 0.5]),
    _people(
        "all have the same number of ratings", Ann=[1.0, 3.0], Ben=[-0.5, 0.5], Cem=[2.0, -2.5]
    ),
    _people("one person has most of the ratings", Ann=[3.0], Ben=[0.5, 1.0, -1.5, 0.5, 0.5]),
    *_ALONE,
)

# Which number -----------------------------------------------------------------------------------


def _which_error_draw(rng: np.random.Generator) -> Any:
    return {
        "large": int(rng.choice([2, 3, 4])),
        "n": int(rng.choice([200, 500, 1000, 2000])),
    }


def _which_error_solve(_: Any) -> Any:
    return "rmse"


# In words ----------------------------------------------------------------------------------------


def _explain_drop_draw(rng: np.random.Generator) -> Any:
    return {
        "percent": int(rng.integers(3, 15)),
        "n": int(rng.integers(5, 60)),
    }
