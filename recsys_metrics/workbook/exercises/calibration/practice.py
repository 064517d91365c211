"""Which calibrator, and in which order it is fitted and judged."""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics.workbook.exercises.base import Inputs

_SITUATIONS = {
    "small": "{rows} events are reserved for calibration. In the reliability diagram the points "
    "form an S-shaped curve that is flatter than the diagonal and crosses it once, and the "
    "predictions are too high on average.",
    "large": "{rows} events are reserved for calibration. In the reliability diagram the points "
    "follow the diagonal, but they jump above it in two places and are far below it at the end.",
}
_RIGHT = {"small": "platt", "large": "isotonic"}


def _situation(inputs: Inputs) -> str:
    told = _SITUATIONS[inputs["kind"]].format(rows=f"{inputs['rows']:,}")
    return f"{told}\n\nWhich calibration method do you fit, and on which events?"


def _draw(rng: np.random.Generator) -> dict[str, Any]:
    kind = str(rng.choice(list(_SITUATIONS)))
    few, many = [80, 120, 150, 200, 250], [50_000, 80_000, 200_000, 500_000]
    return {"kind": kind, "rows": int(rng.choice(few if kind == "small" else many))}


def _which_calibrator_solve(inputs: Inputs) -> Any:
    return _RIGHT[inputs["kind"]]
