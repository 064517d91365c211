"""Temperature and beta: which of Platt's two relatives repairs which promises."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from recsys_metrics.workbook.exercises.base import Inputs


def _conclusion(inputs: Inputs) -> str:
    (low, middle, high), (of_low, of_middle, of_high) = inputs["predicted"], inputs["observed"]
    if (of_low, of_middle, of_high) == (low, middle, high):
        return "keep"
    if of_middle != middle or of_low + of_high != low + high:
        return "beta"
    return "above" if of_high < high else "below"


def _upside_down(inputs: Inputs) -> str | None:
    """Return the wrong side of 1, wherever a temperature is right."""
    return {"above": "below", "below": "above"}.get(_conclusion(inputs))


def _where(*conclusions: str, option: str) -> Callable[[Inputs], str | None]:
    """Return the mistake of choosing an option, wherever one of these conclusions is right."""
    return lambda inputs: option if _conclusion(inputs) in conclusions else None


def _slopes(inputs: Inputs) -> NDArray[np.float64]:
    """Return both slopes of the beta map through the three points; it may have none below 0."""
    predicted, observed = np.array([inputs["predicted"], inputs["observed"]]) / 100
    sides = np.column_stack([np.log(predicted), -np.log1p(-predicted), np.ones(3)])
    found: NDArray[np.float64] = np.linalg.solve(sides, np.log(observed / (1 - observed)))
    return found[:2]


def _draw(rng: np.random.Generator) -> Inputs:
    wanted = str(rng.choice(["above", "below", "beta", "keep"]))
    while True:
        end = int(rng.choice([10, 15, 20, 25, 30]))
        predicted = [end, 50, 100 - end]
        moved = int(rng.choice([5, 10]))
        observed = {
            "keep": list(predicted),
            "above": [end + moved, 50, 100 - end - moved],
            "below": [end - moved, 50, 100 - end + moved],
            "beta": [end, 50 - moved, 100 - end - moved],
        }[wanted]
        inputs = {"predicted": predicted, "observed": observed}
        if min(observed) > 0 and min(_slopes(inputs)) > 0:
            return inputs


_two_relatives_one_for_both_ends = _where("beta", option="above")

_two_relatives_without_need = _where("keep", option="above")

_two_relatives_further_away = _where("beta", "keep", option="below")
