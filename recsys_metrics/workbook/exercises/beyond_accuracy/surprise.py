"""Relevant and unexpected: against a baseline, and against what the user knows."""

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
    wanted = [1] * int(rng.integers(2, n)) + [0] * n
    return {
        "distances": [int(value) / 20 for value in rng.integers(1, 20, n)],
        "wanted": [int(liked) for liked in rng.permutation(wanted[:n])],
    }


_STORIES = {
    "blockbuster": "A thriller that everybody knows is shown to somebody who has only watched "
    "comedies, and is liked. The popularity baseline shows it, too.",
    "niche": "A comedy that hardly anybody knows is shown to somebody who has only watched "
    "comedies, and is liked. The popularity baseline does not show it.",
    "find": "A thriller that hardly anybody knows is shown to somebody who has only watched "
    "comedies, and is liked. The popularity baseline does not show it.",
    "hit": "A comedy that everybody knows is shown to somebody who has only watched comedies, and "
    "is liked. The popularity baseline shows it, too.",
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
        "A comedy is like the user's own films: the history announces it."
        if inputs["case"] == "hit"
        else "That the film is unlike the user's own is one surprise. The crowd did not "
        "announce it either."
    )


_who_is_surprised_crowd_alone = _alone("baseline")


def _who_is_surprised_crowd_alone_cause(inputs: Inputs) -> str:
    return (
        "Everybody knows the film, and the popular items hold it: the crowd announces it."
        if inputs["case"] == "hit"
        else "That the crowd does not know the film is one surprise. It is also unlike the "
        "user's own."
    )
