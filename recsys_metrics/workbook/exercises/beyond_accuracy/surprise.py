"""Serendipity with a popularity baseline, and with the distance from the user's history."""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics import precision
from recsys_metrics.beyond_accuracy import serendipity
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.ranking import running_list

# Against a baseline ---------------------------------------------------------------------------


def _both(inputs: Inputs) -> dict[str, float]:
    recommended, k = inputs["recommended"], inputs["k"]
    found = float(serendipity(recommended, inputs["relevant"], inputs["popular"], k=k))
    return {"serendipity": found, "lost": float(precision(running_list.judged(inputs), k)) - found}


def _draw_baseline(rng: np.random.Generator) -> Inputs:
    """Return another list, with a baseline that holds hits and perhaps more of the list."""
    inputs = running_list.draw(rng, longest=10)
    k, recommended = inputs["k"], inputs["recommended"]
    hits = [item for item in recommended if item in inputs["relevant"]]
    others = [item for item in recommended if item not in inputs["relevant"]]
    obvious = [str(item) for item in rng.permutation(hits)[: int(rng.integers(1, len(hits)))]]
    shared = [*obvious, *others[: int(rng.integers(0, 2))]]
    strangers = [str(item) for item in rng.permutation(list("PQRSTUVWXYZ"))]
    popular = [*shared, *strangers][:k]
    return {**inputs, "popular": [str(item) for item in rng.permutation(popular)]}


# Against the history --------------------------------------------------------------------------


def _draw_distances(rng: np.random.Generator) -> Inputs:
    n = int(rng.integers(4, 6))
    relevance = [1] * int(rng.integers(2, n)) + [0] * n
    return {
        "distances": [int(value) / 20 for value in rng.integers(1, 20, n)],
        "relevance": [int(liked) for liked in rng.permutation(relevance[:n])],
    }


_STORIES = {
    "blockbuster": "A user who has watched only comedies is shown a thriller that everybody knows, "
    "and likes it. The popularity baseline recommends this film, too.",
    "niche": "A user who has watched only comedies is shown a comedy that hardly anybody knows, "
    "and likes it. The popularity baseline does not recommend this film.",
    "find": "A user who has watched only comedies is shown a thriller that hardly anybody knows, "
    "and likes it. The popularity baseline does not recommend this film.",
    "hit": "A user who has watched only comedies is shown a comedy that everybody knows, and likes "
    "it. The popularity baseline recommends this film, too.",
}
_CREDIT = {"blockbuster": "history", "niche": "baseline", "find": "both", "hit": "neither"}


def _right_reading(inputs: Inputs) -> str:
    return _CREDIT[inputs["case"]]


def _other_reading(inputs: Inputs) -> str | None:
    return {"blockbuster": "baseline", "niche": "history"}.get(inputs["case"])


def _alone(key: str) -> Any:
    """Return a mistake that picks one kind where both give credit, or none does."""
    return lambda inputs: key if _right_reading(inputs) in {"both", "neither"} else None


def _draw_story(rng: np.random.Generator) -> Inputs:
    case = str(rng.choice(list(_STORIES)))
    return {"case": case, "story": _STORIES[case]}


_who_is_surprised_history_alone = _alone("history")


def _who_is_surprised_history_alone_cause(inputs: Inputs) -> str:
    return (
        "A comedy is similar to the user's own films, so the history suggests it."
        if inputs["case"] == "hit"
        else "The film is unlike the user's own films, but it is also not on the popular list, so "
        "it is unexpected by both definitions."
    )


_who_is_surprised_crowd_alone = _alone("baseline")


def _who_is_surprised_crowd_alone_cause(inputs: Inputs) -> str:
    return (
        "Everybody knows the film, and the popularity baseline recommends it."
        if inputs["case"] == "hit"
        else "Hardly anybody knows the film, but it is also unlike the user's own films, so it is "
        "unexpected by both definitions."
    )
