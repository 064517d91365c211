"""On MovieLens: what a map gains for one genre, and another badge."""

from __future__ import annotations

from typing import Any

import numpy as np

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
