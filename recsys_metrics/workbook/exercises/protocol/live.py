"""Live tests: what lasts, and finding the fault of an experiment in its log."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from recsys_metrics._core import sorted_arrays
from recsys_metrics.protocol.online import ab_test, sample_ratio
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.simulator import (
    Effect,
    Shop,
    Traffic,
    add_bots,
    duplicate_users,
    lose_users,
)

# More clicks in two weeks than a user makes.
_TOO_MANY = 2_000


def _lift(traffic: Traffic, first: int = 0, last: int | None = None) -> list[float]:
    """Return the interval of the lift in clicks per user, in percent."""
    old, new = traffic.groups(traffic.per_user("clicks", first=first, last=last))
    return [round(100 * end, 1) for end in ab_test(old, new).lift_interval]


def _report(traffic: Traffic) -> dict[str, Any]:
    """Return what an experimenter reads off a log."""
    users = traffic.groups(traffic.user)
    of_kind = {
        kind: traffic.take(np.flatnonzero(traffic.kinds == kind))
        for kind in ("light", "usual", "heavy")
    }
    return {
        "rows": [len(group) for group in users],
        "people": [len(sorted_arrays.distinct(group)) for group in users],
        "most": int(traffic.per_user("clicks").max()),
        "weeks": [_lift(traffic, 0, 7), _lift(traffic, 7, 14)],
        "kinds": {kind: _lift(part) for kind, part in of_kind.items()},
    }


def _signs(inputs: Inputs) -> list[str]:
    """Return every fault that the report shows."""
    (lowest_at_first, _), (_, highest_later) = inputs["weeks"]
    shown = {
        "twice": sum(inputs["rows"]) > sum(inputs["people"]),
        "bots": inputs["most"] > _TOO_MANY,
        "missing": sample_ratio(inputs["people"]).mismatch,
        "novelty": highest_later < lowest_at_first,
        "harmed": inputs["kinds"]["light"][1] < 0 < inputs["kinds"]["heavy"][0],
    }
    return [fault for fault, is_shown in shown.items() if is_shown]


def _fault(inputs: Inputs) -> str:
    return _signs(inputs)[0]


def _broken_log(fault: str, rng: np.random.Generator) -> Traffic:
    effects = {
        "novelty": Effect(novelty=2.0),
        "harmed": Effect(lift=0.8, harmed=1 / 3),
    }
    seed = int(rng.integers(2**31))
    traffic = Shop(n_users=6_000).experiment(effects.get(fault), seed=seed)
    match fault:
        case "twice":
            return duplicate_users(traffic, 0.05, seed=seed)
        case "bots":
            return add_bots(traffic, 5, treated=True, seed=seed)
        case "missing":
            return lose_users(traffic, 0.5, seed=seed)
    return traffic


_FAULTS = ("twice", "bots", "missing", "novelty", "harmed")


def _draw_broken(rng: np.random.Generator) -> dict[str, Any]:
    return _draw_with(str(rng.choice(_FAULTS)), rng)


def _draw_with(fault: str, rng: np.random.Generator) -> dict[str, Any]:
    while True:
        report = _report(_broken_log(fault, rng))
        # By chance a sound part of a log may look like a second fault.
        if _signs(report) == [fault]:
            return report


def _log_as_table(inputs: Inputs) -> str:
    def counts(name: str) -> str:
        old, new = inputs[name]
        return f"{old:,} old, {new:,} new"

    def ends(interval: list[float]) -> str:
        return f"[{interval[0]:g}, {interval[1]:g}]"

    first, second = map(ends, inputs["weeks"])
    light, usual, heavy = map(ends, inputs["kinds"].values())
    return f"""
Each user was assigned by a fair coin to the old or the new recommender for two weeks.
The table summarises the log. Each lift in clicks per user is a 95% confidence interval in percent.

| Property of the log | |
|---|---|
| rows | {counts("rows")} |
| different users | {counts("people")} |
| most clicks in one row | {inputs["most"]:,} |
| lift in the first week | {first} |
| lift in the second week | {second} |
| lift of light users | {light} |
| lift of usual users | {usual} |
| lift of heavy users | {heavy} |
"""


def _what_is_wrong(inputs: Inputs) -> str:
    return _log_as_table(inputs) + "\nWhat is wrong?\n"


# The numbers that prove it ---------------------------------------------------------------------

_N_DAYS = 14
# Below this many standard errors a wrong denominator could not be told from the right one.
_APART = 0.5
_N_LOGS = 80
# What the text says that chance does not do.
_BOUNDS = {"surplus": 0.0, "daily": 100.0, "split": 10 / 3, "weeks": 0.0, "kinds": 0.0}


def _proofs(inputs: Inputs) -> dict[str, float]:
    (first_low, _), (_, second_high) = inputs["weeks"]
    old, new = inputs["people"]
    return {
        "surplus": float(sum(inputs["rows"]) - sum(inputs["people"])),
        "daily": inputs["most"] / _N_DAYS,
        "split": abs(old - new) / float(np.sqrt(old + new)),
        "weeks": first_low - second_high,
        "kinds": inputs["kinds"]["heavy"][0] - inputs["kinds"]["light"][1],
    }


@cache
def _kept_log(number: int) -> dict[str, Any]:
    rng = np.random.default_rng(number)
    while True:
        report = _draw_with(_FAULTS[number % len(_FAULTS)], rng)
        proofs = _proofs(report)
        beyond = [proofs[name] > bound for name, bound in _BOUNDS.items()]
        if proofs["split"] >= _APART and sum(beyond) == 1:
            return report


def _draw_log(rng: np.random.Generator) -> dict[str, Any]:
    # Each log takes an experiment to simulate, so some are kept for all to draw from.
    return dict(_kept_log(int(rng.integers(_N_LOGS))))


def _what_proves_it(inputs: Inputs) -> str:
    return (
        _log_as_table(inputs)
        + """
Each fault has a number that a sound log cannot have. Compute all five:

- the number of rows minus the number of users, both groups together;
- the clicks per day in the row with the most clicks, which are its clicks divided by 14 days;
- the difference between the groups in the number of users, without its sign, divided by the square
  root of the number of all users;
- the gap between the weeks, which is the lower end of the first minus the upper end of the second;
- the gap between the segments, which is the lower end of heavy minus the upper end of light users.

One of them is beyond what can be due to chance: a surplus of rows, more than 100 clicks per day, a
divided difference above 3.33, or a gap above 0.
"""
    )


# A surrogate index -----------------------------------------------------------------------------


def _surrogate(inputs: Inputs) -> dict[str, float]:
    stayed = np.asarray(inputs["stayed"])
    old, new = (np.divide(inputs[name], sum(inputs[name])) for name in ("control", "treatment"))
    return {
        "started": float(new[1:].sum() - old[1:].sum()),
        "index": float(stayed @ (new - old)),
    }


def _draw_surrogate(rng: np.random.Generator) -> dict[str, Any]:
    """Return a test in which more users start a film, and fewer are predicted to come back."""
    while True:
        idle, given_up, finished = (
            int(n) for n in (rng.integers(25, 40), rng.integers(10, 20), rng.integers(50, 75))
        )
        before = [int(n) * 10 for n in (rng.integers(44, 54), rng.integers(16, 24))]
        control = [*before, 1000 - sum(before)]
        moved, lost = int(rng.integers(8, 14)) * 10, int(rng.integers(5, 12)) * 10
        treatment = [control[0] - moved, control[1] + moved + lost, control[2] - lost]
        drawn = {
            "stayed": [idle / 100, given_up / 100, finished / 100],
            "control": control,
            "treatment": treatment,
        }
        found = _surrogate(drawn)
        if found["started"] > 0.05 and found["index"] < -0.01:
            return drawn
