"""On MovieLens: what a map gains for one genre, and another badge."""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics.calibration import PlattScaling
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.experiments.match_percent import movielens_match_percent

_SCALINGS = ("PlattScaling", "TemperatureScaling")
_GRADES = ("Brier score", "log loss")
_GENRES = (
    "Action",
    "Adventure",
    "Animation",
    "Children",
    "Comedy",
    "Crime",
    "Drama",
    "Fantasy",
    "Horror",
    "IMAX",
    "Musical",
    "Mystery",
    "Romance",
    "Sci-Fi",
    "Thriller",
    "War",
)


# One genre -------------------------------------------------------------------------------------


def _draw_genre(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "genre": str(rng.choice(_GENRES)),
        "grade": str(rng.choice(_GRADES)),
        "scaling": str(rng.choice(_SCALINGS)),
    }


# Another badge ---------------------------------------------------------------------------------


def _draw_badge(rng: np.random.Generator) -> dict[str, Any]:
    # The chapter's own badge stands at 90.
    return {"percent": int(rng.integers(55, 89))}


def _another_badge_not_over_log_odds(inputs: Inputs) -> dict[str, float]:
    data = movielens_match_percent()
    platt = PlattScaling()
    platt.fit(data.score[data.middle], data.liked[data.middle])
    p = platt.predict(data.score[data.late])
    badge = p >= inputs["percent"] / 100
    found = {
        "badges": 100 * float(badge.mean()),
        "people": len(np.unique(data.user[data.late][badge])),
    }
    if badge.any():  # so fitted, no chance is high enough for the strictest badges
        found["predicted"] = 100 * float(p[badge].mean())
        found["liked"] = 100 * float(data.liked[data.late][badge].mean())
    return found
