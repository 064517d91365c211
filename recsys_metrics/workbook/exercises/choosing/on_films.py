"""On MovieLens: may a list go live because it does no harm, and which row decides."""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics.protocol.significance import t_interval
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.on_films import (
    ListMistake,
    by_user,
    paired,
    turned,
    unpaired,
)

_TODAY = 5

# No harm ---------------------------------------------------------------------------------------


def _lists(inputs: Inputs, mistake: ListMistake = "") -> tuple[Any, Any]:
    name = f"ndcg@{inputs['k']}"
    return by_user(_TODAY, name, mistake), by_user(inputs["years"], name, mistake)


def _loss(inputs: Inputs, mistake: ListMistake = "", *, by_new: bool = False) -> dict[str, float]:
    old, new = _lists(inputs, mistake)
    found = paired(old, new, scale=100 / float((new if by_new else old).mean()))
    return {"gain": found["gain"], "low": found["low"]}


def _loss_in_points(inputs: Inputs) -> dict[str, float]:
    found = paired(*_lists(inputs), scale=100.0)
    return {"gain": found["gain"], "low": found["low"]}


def _harmless_unpaired(inputs: Inputs) -> dict[str, float]:
    old, new = _lists(inputs)
    return {"low": unpaired(old, new, scale=100 / float(old.mean()))["low"]}


def _upper_end(inputs: Inputs) -> dict[str, float]:
    old, new = _lists(inputs)
    return {"low": 100 * t_interval(new - old).high / float(old.mean())}


def _harmless_old_less_new(inputs: Inputs) -> dict[str, float]:
    return {"gain": -_loss(inputs)["gain"], "low": -_upper_end(inputs)["low"]}


def _draw_harmless(rng: np.random.Generator) -> dict[str, Any]:
    years = [years for years in range(1, 13) if years != _TODAY]
    return {"years": int(rng.choice(years)), "k": int(rng.choice([5, 8, 15, 20]))}


def _harmless_share_of_the_new(inputs: Inputs) -> Any:
    return _loss(inputs, by_new=True)


def _harmless_k_of_the_chapter(inputs: Inputs) -> dict[str, float]:
    return _loss({**inputs, "k": 10})


def _harmless_all_time_for_today(inputs: Inputs) -> dict[str, float]:
    old, new = (by_user(years, f"ndcg@{inputs['k']}") for years in (0, inputs["years"]))
    found = paired(old, new, scale=100 / float(old.mean()))
    return {"gain": found["gain"], "low": found["low"]}


def _harmless_as_they_are(inputs: Inputs) -> dict[str, float]:
    return {name: value / 100 for name, value in _loss(inputs).items()}


def _harmless_leak_from_the_future(inputs: Inputs) -> dict[str, float]:
    return _loss(inputs, "leak")


def _harmless_seen_again(inputs: Inputs) -> dict[str, float]:
    return _loss(inputs, "seen")


# Another goal ----------------------------------------------------------------------------------

_GOALS = {
    "find one good film fast: people leave with the first one they like, and look at ten": "mrr@10",
    "help people plan a season: they look at all twenty films, in no order, and want to find as "
    "much of what they would like as they can": "recall@20",
    "fill the five places of a small screen, all seen at once, and waste none": "precision@5",
}

_AT_ANOTHER_K = {"mrr@10": "mrr@20", "recall@20": "recall@10", "precision@5": "precision@10"}


def _decides(inputs: Inputs) -> str:
    return _GOALS[inputs["goal"]]


def _goal_with(inputs: Inputs, name: str, mistake: ListMistake = "") -> dict[str, float]:
    return paired(by_user(0, name, mistake), by_user(inputs["years"], name, mistake), scale=1000.0)


def _goal(inputs: Inputs) -> dict[str, float]:
    return _goal_with(inputs, _decides(inputs))


def _draw_goal(rng: np.random.Generator) -> dict[str, Any]:
    return {"goal": str(rng.choice(list(_GOALS))), "years": int(rng.integers(1, 13))}


def _another_goal_always_ndcg(inputs: Inputs) -> Any:
    return _goal_with(inputs, f"ndcg@{_decides(inputs).partition('@')[2]}")


def _another_goal_another_k(inputs: Inputs) -> Any:
    return _goal_with(inputs, _AT_ANOTHER_K[_decides(inputs)])


_OF_ANOTHER_KIND = {
    "mrr@10": ("precision@10", "recall@10"),
    "recall@20": ("precision@20", "mrr@20"),
    "precision@5": ("recall@5", "mrr@5"),
}


def _another_goal_other_measure(inputs: Inputs) -> dict[str, float]:
    return _goal_with(inputs, _OF_ANOTHER_KIND[_decides(inputs)][0])


def _another_goal_yet_another_measure(inputs: Inputs) -> dict[str, float]:
    return _goal_with(inputs, _OF_ANOTHER_KIND[_decides(inputs)][1])


def _another_goal_unpaired(inputs: Inputs) -> dict[str, float]:
    name = _decides(inputs)
    return unpaired(by_user(0, name), by_user(inputs["years"], name), scale=1000.0)


def _another_goal_leak_from_the_future(inputs: Inputs) -> dict[str, float]:
    return _goal_with(inputs, _decides(inputs), "leak")


def _another_goal_seen_again(inputs: Inputs) -> dict[str, float]:
    return _goal_with(inputs, _decides(inputs), "seen")


def _another_goal_old_less_new(inputs: Inputs) -> dict[str, float]:
    return turned(_goal(inputs))


def _another_goal_as_they_are(inputs: Inputs) -> dict[str, float]:
    return {name: value / 1000 for name, value in _goal(inputs).items()}
