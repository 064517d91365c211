"""On the shop: may a list go live because it does no harm, and which row decides."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics.protocol.significance import t_interval
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.gains import ends_apart, paired, turned, unpaired
from recsys_metrics.workbook.exercises.on_shop import ListMistake, by_user
from recsys_metrics.workbook.experiments.shop import PRODUCTION_WEEKS

_TODAY = PRODUCTION_WEEKS

Ends = Callable[..., dict[str, float]]


def _around(
    old: NDArray[Any], new: NDArray[Any], *, scale: float, errors: float
) -> dict[str, float]:
    """Return the mean gain plus and minus so many standard errors."""
    gains = scale * (new - old)
    mean, half = float(gains.mean()), errors * float(gains.std(ddof=1)) / math.sqrt(len(gains))
    return {"low": mean - half, "high": mean + half}


def _at_level(
    old: NDArray[Any], new: NDArray[Any], *, scale: float, level: float
) -> dict[str, float]:
    """Return the ends of the t interval with another level."""
    found = t_interval(new - old, level=level)
    return {"low": scale * found.low, "high": scale * found.high}


# No harm ---------------------------------------------------------------------------------------


def _lists(inputs: Inputs, mistake: ListMistake = "") -> tuple[Any, Any]:
    name = f"ndcg@{inputs['k']}"
    return by_user(_TODAY, name, mistake), by_user(inputs["weeks"], name, mistake)


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
    return {"weeks": int(rng.integers(2, 13)), "k": int(rng.choice([5, 8, 15, 20]))}


def _harmless_share_of_the_new(inputs: Inputs) -> Any:
    return _loss(inputs, by_new=True)


def _harmless_k_of_the_chapter(inputs: Inputs) -> dict[str, float]:
    return _loss({**inputs, "k": 10})


def _harmless_all_time_for_today(inputs: Inputs) -> dict[str, float]:
    old, new = (by_user(weeks, f"ndcg@{inputs['k']}") for weeks in (0, inputs["weeks"]))
    found = paired(old, new, scale=100 / float(old.mean()))
    return {"gain": found["gain"], "low": found["low"]}


def _harmless_as_they_are(inputs: Inputs) -> dict[str, float]:
    return {name: value / 100 for name, value in _loss(inputs).items()}


def _harmless_leak_from_the_future(inputs: Inputs) -> dict[str, float]:
    return _loss(inputs, "leak")


def _harmless_seen_again(inputs: Inputs) -> dict[str, float]:
    return _loss(inputs, "seen")


def _harmless_in_ndcg(inputs: Inputs) -> dict[str, float]:
    return {name: value / 100 for name, value in _loss_in_points(inputs).items()}


def _harmless_in_thousandths(inputs: Inputs) -> dict[str, float]:
    return {name: 10 * value for name, value in _loss_in_points(inputs).items()}


def _low_of(ends: Ends, **options: float) -> Callable[[Inputs], dict[str, float]]:
    """Return a function from the inputs to a lower end that was made in another way."""

    def low(inputs: Inputs) -> dict[str, float]:
        old, new = _lists(inputs)
        return {"low": ends(old, new, scale=100 / float(old.mean()), **options)["low"]}

    return low


_harmless_one_sided = _low_of(_at_level, level=0.9)

_harmless_other_level = _low_of(_at_level, level=0.99)

_harmless_one_error = _low_of(_around, errors=1)

_harmless_ends_apart = _low_of(ends_apart)


def _harmless_spread(inputs: Inputs) -> dict[str, float]:
    return _low_of(_around, errors=1.96 * math.sqrt(len(_lists(inputs)[0])))(inputs)


def _harmless_half_width(inputs: Inputs) -> dict[str, float]:
    right = _loss(inputs)
    return {"low": right["gain"] - right["low"]}


def _harmless_low_ends(inputs: Inputs) -> dict[str, float]:
    old, new = _lists(inputs)
    return {"low": 100 * (t_interval(new).low - t_interval(old).low) / float(old.mean())}


def _harmless_new_value(inputs: Inputs) -> dict[str, float]:
    return {name: 100 + value for name, value in _loss(inputs).items()}


def _harmless_new_interval(inputs: Inputs) -> dict[str, float]:
    old, new = _lists(inputs)
    scale = 100 / float(old.mean())
    return {"gain": scale * float(new.mean()), "low": scale * t_interval(new).low}


def _harmless_by(measure: str) -> Callable[[Inputs], dict[str, float]]:
    """Return a function from the inputs to what is gained by another measure."""

    def loss(inputs: Inputs) -> dict[str, float]:
        old, new = (by_user(n, f"{measure}@{inputs['k']}") for n in (_TODAY, inputs["weeks"]))
        found = paired(old, new, scale=100 / float(old.mean()))
        return {"gain": found["gain"], "low": found["low"]}

    return loss


_harmless_recall = _harmless_by("recall")

_harmless_precision = _harmless_by("precision")

_harmless_reciprocal_rank = _harmless_by("mrr")


def _harmless_mean_of_shares(inputs: Inputs) -> dict[str, float]:
    old, new = _lists(inputs)
    some = old > 0
    found = t_interval(100 * (new[some] / old[some] - 1))
    return {"gain": found.estimate, "low": found.low}


def _harmless_tie_rule(inputs: Inputs) -> dict[str, float]:
    return _loss(inputs, "ties")


# Another goal ----------------------------------------------------------------------------------

_GOALS = {
    "help people find one good product fast: they leave with the first one they like, and look at "
    "ten": "mrr@10",
    "help people choose presents: they look at all twenty products, in no order, and want to find "
    "as much of what they would like as they can": "recall@20",
    "fill the five places of a small screen, all seen at once, and waste none": "precision@5",
}

_AT_ANOTHER_K = {
    "mrr@10": ("mrr@20", "mrr@5"),
    "recall@20": ("recall@10", "recall@5"),
    "precision@5": ("precision@10", "precision@20"),
}


def _decides(inputs: Inputs) -> str:
    return _GOALS[inputs["goal"]]


def _goal_with(inputs: Inputs, name: str, mistake: ListMistake = "") -> dict[str, float]:
    return paired(by_user(0, name, mistake), by_user(inputs["weeks"], name, mistake), scale=1000.0)


def _goal(inputs: Inputs) -> dict[str, float]:
    return _goal_with(inputs, _decides(inputs))


def _draw_goal(rng: np.random.Generator) -> dict[str, Any]:
    return {"goal": str(rng.choice(list(_GOALS))), "weeks": int(rng.integers(2, 13))}


def _another_goal_always_ndcg(inputs: Inputs) -> Any:
    return _goal_with(inputs, f"ndcg@{_decides(inputs).partition('@')[2]}")


def _another_goal_another_k(inputs: Inputs) -> Any:
    return _goal_with(inputs, _AT_ANOTHER_K[_decides(inputs)][0])


def _another_goal_yet_another_k(inputs: Inputs) -> Any:
    return _goal_with(inputs, _AT_ANOTHER_K[_decides(inputs)][1])


def _another_goal_ndcg_at_5(inputs: Inputs) -> Any:
    return _goal_with(inputs, "ndcg@5")


def _another_goal_ndcg_at_10(inputs: Inputs) -> Any:
    return _goal_with(inputs, "ndcg@10")


def _another_goal_ndcg_at_20(inputs: Inputs) -> Any:
    return _goal_with(inputs, "ndcg@20")


def _neither(place: int) -> Callable[[Inputs], dict[str, float]]:
    """Return a function from the inputs to the gain by one of the rows of which nothing fits."""

    def gain(inputs: Inputs) -> dict[str, float]:
        right, k = _decides(inputs).split("@")
        names = [
            f"{measure}@{other}"
            for measure in ("mrr", "precision", "recall")
            for other in (5, 10, 20)
            if measure != right and str(other) != k
        ]
        return _goal_with(inputs, names[place])

    return gain


_another_goal_neither_1 = _neither(0)

_another_goal_neither_2 = _neither(1)

_another_goal_neither_3 = _neither(2)

_another_goal_neither_4 = _neither(3)


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
    return unpaired(by_user(0, name), by_user(inputs["weeks"], name), scale=1000.0)


def _another_goal_leak_from_the_future(inputs: Inputs) -> dict[str, float]:
    return _goal_with(inputs, _decides(inputs), "leak")


def _another_goal_seen_again(inputs: Inputs) -> dict[str, float]:
    return _goal_with(inputs, _decides(inputs), "seen")


def _another_goal_old_less_new(inputs: Inputs) -> dict[str, float]:
    return turned(_goal(inputs))


def _another_goal_as_they_are(inputs: Inputs) -> dict[str, float]:
    return {name: value / 1000 for name, value in _goal(inputs).items()}


def _another_goal_in_percent(inputs: Inputs) -> dict[str, float]:
    return {name: value / 10 for name, value in _goal(inputs).items()}


def _rows(inputs: Inputs, mistake: ListMistake = "") -> tuple[Any, Any]:
    name = _decides(inputs)
    return by_user(0, name, mistake), by_user(inputs["weeks"], name, mistake)


def _another_goal_against_production(inputs: Inputs) -> dict[str, float]:
    name = _decides(inputs)
    return paired(by_user(_TODAY, name), by_user(inputs["weeks"], name), scale=1000.0)


def _another_goal_relative(inputs: Inputs) -> dict[str, float]:
    return {name: value / float(_rows(inputs)[0].mean()) for name, value in _goal(inputs).items()}


def _another_goal_relative_in_percent(inputs: Inputs) -> dict[str, float]:
    return {name: value / 10 for name, value in _another_goal_relative(inputs).items()}


def _another_goal_one_sided(inputs: Inputs) -> dict[str, float]:
    return _at_level(*_rows(inputs), scale=1000.0, level=0.9)


def _another_goal_other_level(inputs: Inputs) -> dict[str, float]:
    return _at_level(*_rows(inputs), scale=1000.0, level=0.99)


def _another_goal_spread(inputs: Inputs) -> dict[str, float]:
    old, new = _rows(inputs)
    return _around(old, new, scale=1000.0, errors=1.96 * math.sqrt(len(old)))


def _another_goal_one_error(inputs: Inputs) -> dict[str, float]:
    return _around(*_rows(inputs), scale=1000.0, errors=1)


def _another_goal_half_width(inputs: Inputs) -> dict[str, float]:
    right = _goal(inputs)
    return {"low": right["low"] - right["gain"], "high": right["high"] - right["gain"]}


def _another_goal_half_widths(inputs: Inputs) -> dict[str, float]:
    right = _goal(inputs)
    return {"low": right["gain"] - right["low"], "high": right["high"] - right["gain"]}


def _another_goal_ends_apart(inputs: Inputs) -> dict[str, float]:
    return ends_apart(*_rows(inputs), scale=1000.0)


def _another_goal_like_ends(inputs: Inputs) -> dict[str, float]:
    old, new = map(t_interval, _rows(inputs))
    return {"low": 1000 * (new.low - old.low), "high": 1000 * (new.high - old.high)}


def _another_goal_tie_rule(inputs: Inputs) -> dict[str, float]:
    return paired(*_rows(inputs, "ties"), scale=1000.0)
