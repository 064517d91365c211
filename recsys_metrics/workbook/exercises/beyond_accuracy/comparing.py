"""What coverage and other metrics show when systems are compared, and what they do not."""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics.workbook.exercises.base import Inputs


def _always(key: str) -> Any:
    return lambda inputs: key


# Coverage and the crowd -----------------------------------------------------------------------


def _draw_crowd(rng: np.random.Generator) -> Inputs:
    few = int(rng.choice([50, 100, 200]))
    return {
        "few": few,
        "many": few * int(rng.choice([10, 20, 50])),
        "low": int(rng.integers(15, 25)),
        "high": int(rng.integers(35, 60)),
    }


_crowd_coverage_solve = _always("nothing")


# What a profile supports ----------------------------------------------------------------------


_SAYS = {"coverage": "wider", "novelty": "rarer", "personalization": "differ"}


def _draw_profile(rng: np.random.Generator) -> Inputs:
    rose = [name for name in _SAYS if rng.random() < 0.5] or list(_SAYS)
    return {
        "coverage": round(float(rng.uniform(0.12, 0.4)), 2),
        "novelty": round(float(rng.uniform(6.0, 9.0)), 1),
        "same": round(float(rng.uniform(0.96, 0.99)), 2),
        "rose": rose,
    }


def _profile(inputs: Inputs) -> str:
    rose, others = inputs["rose"], [name for name in _SAYS if name not in inputs["rose"]]
    lower = "all three" if not others else f"{' and '.join(rose)}, but not in {' or '.join(others)}"
    return f"""
A new recommender has a coverage of {inputs["coverage"]}, a novelty of {inputs["novelty"]} bits \
and a personalization of {inputs["same"]}.
The old recommender is lower in {lower}, for the same users and the same K.

Which of these statements do the three numbers support? The lists of the new recommender …
"""


def _unmoved(inputs: Inputs) -> tuple[str, ...] | None:
    return tuple(key for name, key in _SAYS.items() if name not in inputs["rose"]) or None


def _read_profile_solve(inputs: Inputs) -> Any:
    return frozenset(_SAYS[name] for name in inputs["rose"])
