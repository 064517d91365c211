"""Live traffic: rates, durations, and whether an experiment can be read."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from recsys_metrics.datasets import load_open_bandit
from recsys_metrics.protocol.online import (
    ab_test,
    click_through_probability,
    click_through_rate,
    clicks_per_user,
    conversion_rate,
    sample_ratio,
    trimmed_mean,
)
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.on_films import NOTEBOOK, as_they_are, old_less_new, turned

# The funnel ------------------------------------------------------------------------------------


def _rates(inputs: Inputs) -> dict[str, float]:
    return {
        "ctr": click_through_rate(inputs["clicks"], inputs["impressions"]),
        "per_user": clicks_per_user(inputs["clicks"], inputs["users"]),
        "conversion": conversion_rate(inputs["orders"], clicks=inputs["clicks"]),
        "window": click_through_probability(inputs["clickers"], inputs["users"]),
    }


def _swapped(inputs: Inputs) -> dict[str, float]:
    right = _rates(inputs)
    return {"ctr": right["per_user"], "per_user": right["ctr"]}


def _per_impression(inputs: Inputs) -> dict[str, float]:
    return {"conversion": inputs["orders"] / inputs["impressions"]}


def _per_user(inputs: Inputs) -> dict[str, float]:
    return {"conversion": inputs["orders"] / inputs["users"]}


def _clicks_in_window(inputs: Inputs) -> dict[str, float]:
    return {"window": inputs["clicks"] / inputs["users"]}


def _only_clickers(inputs: Inputs) -> dict[str, float]:
    return {"per_user": inputs["clicks"] / inputs["clickers"]}


def _draw_funnel(rng: np.random.Generator) -> dict[str, Any]:
    users = int(rng.integers(15, 60)) * 10
    clickers = int(users * rng.uniform(0.1, 0.4))
    clicks = clickers + int(rng.integers(5, clickers))
    return {
        "impressions": int(rng.integers(8, 15)) * users,
        "clicks": clicks,
        "users": users,
        "clickers": clickers,
        "orders": int(rng.integers(2, clicks // 3)),
    }


def _funnel_prompt(inputs: Inputs) -> str:
    return f"""
On one day {inputs["users"]:,} users were shown {inputs["impressions"]:,} recommended items, all in
the visible window. They clicked {inputs["clicks"]:,} times; {inputs["clickers"]:,} users clicked
at least once. The clicks led to {inputs["orders"]:,} orders.

Compute the click-through rate, the clicks per user, the conversion rate per click, and the hit
rate in the window.
"""


# Watch time ------------------------------------------------------------------------------------


def _watched(inputs: Inputs) -> dict[str, float]:
    minutes = inputs["minutes"]
    return {
        "mean": float(np.mean(minutes)),
        "median": float(np.median(minutes)),
        "trimmed": trimmed_mean(minutes, trim=1 / len(minutes)),
    }


def _unsorted(inputs: Inputs) -> dict[str, float]:
    minutes = inputs["minutes"]
    middle = len(minutes) // 2
    return {"median": (minutes[middle - 1] + minutes[middle]) / 2}


def _lower_middle(inputs: Inputs) -> dict[str, float]:
    minutes = sorted(inputs["minutes"])
    return {"median": minutes[len(minutes) // 2 - 1]}


def _top_only(inputs: Inputs) -> dict[str, float]:
    return {"trimmed": float(np.mean(sorted(inputs["minutes"])[:-1]))}


def _trimmed_by_all(inputs: Inputs) -> dict[str, float]:
    return {"trimmed": sum(sorted(inputs["minutes"])[1:-1]) / len(inputs["minutes"])}


def _trimmed_in_place(inputs: Inputs) -> dict[str, float]:
    return {"trimmed": float(np.mean(inputs["minutes"][1:-1]))}


def _draw_minutes(rng: np.random.Generator) -> dict[str, Any]:
    short = [int(m) for m in rng.choice(np.arange(2, 25), size=7, replace=False)]
    minutes = [*short, int(rng.integers(60, 200))]
    return {"minutes": [minutes[int(i)] for i in rng.permutation(8)]}


# An A/B test by hand ---------------------------------------------------------------------------

_Z = 1.96


def _variances(inputs: Inputs) -> tuple[float, float]:
    """Return the variance of each group's mean, in buyers per thousand users, squared."""
    groups = ((inputs["bought"], inputs["old"]), (inputs["bought_new"], inputs["new"]))
    shares = [(b / n, n) for b, n in groups]
    old, new = (1e6 * share * (1 - share) / n for share, n in shares)
    return old, new


def _ab_gain(inputs: Inputs) -> float:
    return float(1000 * (inputs["bought_new"] / inputs["new"] - inputs["bought"] / inputs["old"]))


def _ab_with(gain: float, error: float, critical: float = _Z) -> dict[str, float]:
    low, high = gain - critical * error, gain + critical * error
    return {"gain": gain, "error": error, "low": low, "high": high}


def _ab(inputs: Inputs) -> dict[str, float]:
    return _ab_with(_ab_gain(inputs), sum(_variances(inputs)) ** 0.5)


def _errors_added(inputs: Inputs) -> dict[str, float]:
    old, new = _variances(inputs)
    return _ab_with(_ab_gain(inputs), old**0.5 + new**0.5)


def _new_alone(inputs: Inputs) -> dict[str, float]:
    return _ab_with(_ab_gain(inputs), _variances(inputs)[1] ** 0.5)


def _one_ab_error(inputs: Inputs) -> dict[str, float]:
    right = _ab(inputs)
    return _ab_with(right["gain"], right["error"], 1.0)


def _lift_for_gain(inputs: Inputs) -> dict[str, float]:
    old = inputs["bought"] / inputs["old"]
    lift = _ab_gain(inputs) / old / 10
    return _ab_with(lift, _ab(inputs)["error"])


def _old_less_new(inputs: Inputs) -> dict[str, float]:
    right = _ab(inputs)
    return _ab_with(-right["gain"], right["error"])


def _no_root_of_n(inputs: Inputs) -> dict[str, float]:
    old, new = _variances(inputs)
    error = float(np.sqrt(old * inputs["old"] + new * inputs["new"]))
    return _ab_with(_ab_gain(inputs), error)


def _draw_ab(rng: np.random.Generator) -> dict[str, Any]:
    old, new = (int(n) * 100 for n in rng.choice(np.arange(15, 60), size=2, replace=False))
    share = int(rng.integers(30, 120)) / 1000
    gain = float(rng.choice([-4, 6, 9, 12, 18, 25])) / 1000
    return {
        "old": old,
        "bought": round(share * old),
        "new": new,
        "bought_new": round((share + gain) * new),
    }


def _ab_by_hand_prompt(inputs: Inputs) -> str:
    return f"""
Matinee tosses a coin for each user. Of {inputs["old"]:,} users with the old recommender
{inputs["bought"]:,} bought a film, of {inputs["new"]:,} with the new one {inputs["bought_new"]:,}
did.

Count in buyers per thousand users. Compute the gain, its standard error, and the ends of its 95 %
interval, with 1.96 standard errors to either side.
"""


def _ab_by_hand_low_follows(own: Any) -> Any:
    return own["gain"] - _Z * own["error"]


def _ab_by_hand_high_follows(own: Any) -> Any:
    return own["gain"] + _Z * own["error"]


# One slot of a real shop -----------------------------------------------------------------------


@lru_cache(maxsize=128)
def _in_slot(campaign: Any, rounds: int, position: int = 0) -> dict[str, float]:
    """Return the test of two policies, per thousand showings; position 0 is all slots."""
    clicks = []
    for policy in ("random", "bts"):
        log = load_open_bandit(policy, campaign)
        here = (log.position == position) | (position == 0)
        clicks.append(log.click[:rounds][here[:rounds]])
    found = ab_test(*clicks)
    interval = found.gain.interval
    assert interval is not None
    return {
        "gain": 1000 * found.gain.gain,
        "low": 1000 * interval.low,
        "high": 1000 * interval.high,
        "lift": 100 * found.lift,
        "clicks": float(clicks[1].sum()) - float(clicks[0].sum()),
    }


def _slot(inputs: Inputs, *names: str, scale: float = 1.0, **other: int) -> dict[str, float]:
    found = _in_slot(**{**inputs, **other})
    return {name: scale * found[name] for name in names or ("gain", "low", "high")}


def _as_gain(name: str) -> Any:
    return lambda inputs: {"gain": _slot(inputs, name)[name]}


def _one_slot_prompt(inputs: Inputs) -> str:
    return f"""
`load_open_bandit(policy, "{inputs["campaign"]}")` of `recsys_metrics.datasets` has `.click` and
`.position`, one value for each showing; the policies are `"random"` and `"bts"`.

Of the first {inputs["rounds"]:,} showings of each log take those in slot {inputs["position"]}.
How many clicks more does `"bts"` get than `"random"`, per thousand showings, and where does the
95 % interval of that gain end, as `online.ab_test` has it?
{NOTEBOOK}
"""


def _one_slot_draw(rng: np.random.Generator) -> Any:
    return {
        "campaign": str(rng.choice(["all", "men", "women"])),
        "rounds": int(rng.integers(16, 49)) * 200,
        "position": int(rng.integers(1, 4)),
    }


def _one_slot_all_slots(inputs: Inputs) -> Any:
    return _slot(inputs, position=0)


def _one_slot_whole_log(inputs: Inputs) -> Any:
    return _slot(inputs, rounds=10_000)


_one_slot_old_less_new = old_less_new(lambda inputs: turned(_slot(inputs))).wrong_answer

_one_slot_as_they_are = as_they_are(
    "per thousand showings", lambda inputs: _slot(inputs, scale=1 / 1000)
).wrong_answer

_one_slot_lift_for_gain = _as_gain("lift")

_one_slot_clicks_counted = _as_gain("clicks")


# Reading an experiment -------------------------------------------------------------------------


def _broken(inputs: Inputs) -> bool:
    return sample_ratio([inputs["control"], inputs["treatment"]]).mismatch


def _by_interval(inputs: Inputs) -> str:
    return "ship" if inputs["low"] > 0 else "stay"


def _reading(inputs: Inputs) -> str:
    return "find" if _broken(inputs) else _by_interval(inputs)


def _reads_anyway(inputs: Inputs) -> str | None:
    return _by_interval(inputs) if _broken(inputs) else None


def _misread(inputs: Inputs) -> str:
    return "stay" if _by_interval(inputs) == "ship" else "ship"


def _draw_experiment(rng: np.random.Generator) -> dict[str, Any]:
    users = int(rng.integers(30, 90)) * 1000
    # Either well within chance or far beyond it, in counts and in the interval alike.
    missing = int(rng.integers(1200, 2500)) if rng.random() < 1 / 3 else int(rng.integers(5, 120))
    low = float(rng.choice([-0.9, -0.6, -0.4, 0.2, 0.3, 0.5]))
    return {
        "control": users,
        "treatment": users - missing,
        "low": low,
        "high": round(low + float(rng.choice([1.2, 1.5, 1.8])), 1),
    }


def _story(inputs: Inputs) -> str:
    return f"""
Users were assigned to two recommenders by the toss of a fair coin. When the planned time was over
there were {inputs["control"]:,} users with the old one and {inputs["treatment"]:,} with the new
one. The 95 % interval of the lift in watch time goes from {inputs["low"]} % to {inputs["high"]} %.

What do you do?
"""
