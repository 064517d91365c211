"""Online metrics: rates, durations, and A/B tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics.protocol.online import (
    click_through_probability,
    click_through_rate,
    clicks_per_user,
    conversion_rate,
    sample_ratio,
    trimmed_mean,
)
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.on_films import NOTEBOOK

# The funnel ------------------------------------------------------------------------------------


def _rates(inputs: Inputs) -> dict[str, float]:
    return {
        "ctr": click_through_rate(inputs["clicks"], inputs["impressions"]),
        "per_user": clicks_per_user(inputs["clicks"], inputs["users"]),
        "conversion": conversion_rate(inputs["orders"], clicks=inputs["clicks"]),
        "ctp": click_through_probability(inputs["clickers"], inputs["users"]),
    }


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
the visible part of the page. They clicked {inputs["clicks"]:,} times, and
{inputs["clickers"]:,} users clicked at least once. The clicks led to {inputs["orders"]:,} orders.

Compute the click-through rate, the clicks per user, the conversion rate per click, and the
click-through probability, which is the share of users who clicked at least once.
"""


# Watch time ------------------------------------------------------------------------------------


def _watched(inputs: Inputs) -> dict[str, float]:
    minutes = inputs["minutes"]
    return {
        "mean": float(np.mean(minutes)),
        "median": float(np.median(minutes)),
        "trimmed": trimmed_mean(minutes, trim=1 / len(minutes)),
    }


def _draw_minutes(rng: np.random.Generator) -> dict[str, Any]:
    """Return seven short times and a marathon, with half a minute between median and trimmed."""
    while True:
        short = [int(m) for m in rng.choice(np.arange(2, 25), size=7, replace=False)]
        minutes = [*short, int(rng.integers(60, 200))]
        inputs = {"minutes": [minutes[int(i)] for i in rng.permutation(8)]}
        values = _watched(inputs)
        if abs(values["median"] - values["trimmed"]) >= 1 / 2:
            return inputs


# An A/B test by hand ---------------------------------------------------------------------------


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
Matinee assigns each user to a group at random. Of {inputs["old"]:,} users with the old recommender
{inputs["bought"]:,} bought a film, and of {inputs["new"]:,} users with the new one
{inputs["bought_new"]:,} did.

Use buyers per 1,000 users as the unit. Compute the gain, its standard error, and the ends of its
95% confidence interval, with 1.96 standard errors on either side.
"""


# One slot of a real shop -----------------------------------------------------------------------


def _one_slot_prompt(inputs: Inputs) -> str:
    return f"""
`load_open_bandit(policy, "{inputs["campaign"]}")` of `recsys_metrics.datasets` has `.click` and
`.position`, with one value per impression; the policies are `"random"` and `"bts"`.

Take the first {inputs["rounds"]:,} impressions of each log, and of these the impressions in slot
{inputs["position"]}. How many more clicks per 1,000 impressions does `"bts"` get than `"random"`,
and what are the ends of the 95% confidence interval of this gain that `online.ab_test` computes?
{NOTEBOOK}
"""


def _one_slot_draw(rng: np.random.Generator) -> Any:
    return {
        "campaign": str(rng.choice(["all", "men", "women"])),
        "rounds": int(rng.integers(16, 49)) * 200,
        "position": int(rng.integers(1, 4)),
    }


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


def _misread_cause(inputs: Inputs) -> str:
    if _by_interval(inputs) == "ship":
        return "The whole interval is above 0."
    return "The interval includes 0."


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
Users were assigned to two recommenders by a fair coin. At the end of the planned time there were
{inputs["control"]:,} users with the old one and {inputs["treatment"]:,} with the new one. The 95%
confidence interval of the lift in watch time is {inputs["low"]}% to {inputs["high"]}%.

What do you do?
"""
