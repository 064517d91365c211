"""Relevant and unexpected: against a baseline, and against what the user knows."""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics import precision
from recsys_metrics.beyond_accuracy import serendipity
from recsys_metrics.workbook.exercises.base import Inputs, cache_latest
from recsys_metrics.workbook.exercises.ranking import running_list

# Against a baseline ---------------------------------------------------------------------------


@cache_latest
def _serendipity(inputs: Inputs) -> float:
    return float(
        serendipity(inputs["recommended"], inputs["relevant"], inputs["popular"], k=inputs["k"])
    )


def _precision(inputs: Inputs) -> float:
    return float(precision(running_list.judged(inputs), inputs["k"]))


def _both(inputs: Inputs) -> dict[str, float]:
    return {"serendipity": _serendipity(inputs), "lost": _precision(inputs) - _serendipity(inputs)}


def _instead(value: Any) -> Any:
    """Return answers of someone who takes this for serendipity."""

    def wrong(inputs: Inputs) -> dict[str, float]:
        found = value(inputs)
        return {"serendipity": found, "lost": _precision(inputs) - found}

    return wrong


def _by_hits(inputs: Inputs) -> float:
    return _serendipity(inputs) * int(inputs["k"]) / len(running_list.hit_ranks(inputs))


def _by_relevant(inputs: Inputs) -> float:
    return _serendipity(inputs) * int(inputs["k"]) / len(inputs["relevant"])


def _not_popular(inputs: Inputs) -> float:
    return sum(item not in inputs["popular"] for item in inputs["recommended"]) / int(inputs["k"])


def _popular_hits(inputs: Inputs) -> float:
    return _precision(inputs) - _serendipity(inputs)


def _all_wanted(inputs: Inputs) -> float:
    return len(inputs["relevant"] - set(inputs["popular"])) / len(inputs["relevant"])


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


_serendipity_of_list_hits_divisor = _instead(_by_hits)

_serendipity_of_list_relevant_denominator = _instead(_by_relevant)

_serendipity_of_list_not_relevant = _instead(_not_popular)

_serendipity_of_list_obvious_hits = _instead(_popular_hits)

_serendipity_of_list_plain_precision = _instead(_precision)

_serendipity_of_list_not_recommended = _instead(_all_wanted)


# Against the history --------------------------------------------------------------------------


def _readings(inputs: Inputs) -> dict[str, float]:
    far, wanted = inputs["distances"], inputs["wanted"]
    hits = [distance for distance, liked in zip(far, wanted, strict=True) if liked]
    return {
        "all_items": sum(far) / len(far),
        "relevant_only": sum(hits) / len(hits),
        "times_relevance": sum(hits) / len(far),
    }


def _swapped(inputs: Inputs) -> dict[str, float]:
    right = _readings(inputs)
    return {
        "relevant_only": right["times_relevance"],
        "times_relevance": right["relevant_only"],
    }


def _sum_for_mean(inputs: Inputs) -> dict[str, float]:
    right, n = _readings(inputs), len(inputs["distances"])
    return {
        "all_items": right["all_items"] * n,
        "relevant_only": right["relevant_only"] * sum(inputs["wanted"]),
        "times_relevance": right["times_relevance"] * n,
    }


def _similarities(inputs: Inputs) -> dict[str, float]:
    far = [1 - distance for distance in inputs["distances"]]
    return _readings({**inputs, "distances": far})


def _not_wanted(inputs: Inputs) -> dict[str, float]:
    right = _readings({**inputs, "wanted": [1 - liked for liked in inputs["wanted"]]})
    return {name: right[name] for name in ("relevant_only", "times_relevance")}


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
