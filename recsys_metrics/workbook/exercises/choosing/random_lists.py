"""What a list is worth whose films were drawn by lot."""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics.workbook.exercises import movielens


def _lots_draw(rng: np.random.Generator) -> Any:
    return {"share": movielens.draw_share(rng), "k": int(rng.integers(12, 41))}
