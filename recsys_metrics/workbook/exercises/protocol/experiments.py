"""Live tests: sample size, standard error of a ratio, CUPED, and the choice of a procedure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics.protocol.online import cuped
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.lettered_options import LetteredOptions

# How many users --------------------------------------------------------------------------------


def _draw_users(rng: np.random.Generator) -> dict[str, Any]:
    mean = int(rng.integers(3, 17)) / 2
    percent = int(rng.choice([2, 4, 5, 8, 10]))
    # So that the numbers of users are whole.
    sd = round(int(rng.integers(11, 60)) * mean * percent / 100, 6)
    return {"mean": mean, "sd": sd, "percent": percent}


# The error of a ratio --------------------------------------------------------------------------


def _draw_ratio(rng: np.random.Generator) -> dict[str, Any]:
    """Return users of whom none clicked more often than they were shown an item."""
    while True:
        shown = [int(n) for n in rng.choice(np.arange(3, 25), size=4, replace=False)]
        clicks = [int(rng.integers(0, min(n, 8))) for n in shown]
        if sum(clicks) >= 4:
            return {"clicks": clicks, "impressions": shown}


# CUPED -----------------------------------------------------------------------------------------


def _groups(inputs: Inputs) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return clicks now and before, each of shape (2, users)."""
    now = np.array([inputs["old"], inputs["new"]], dtype=float)
    before = np.array([inputs["old_before"], inputs["new_before"]], dtype=float)
    return now, before


def _adjusted(inputs: Inputs) -> dict[str, float]:
    now, before = _groups(inputs)
    left = cuped(*now, control_before=before[0], treatment_before=before[1])
    gain = float(np.mean(left.treatment) - np.mean(left.control))
    return {"slope": float(left.weights[0]), "gain": gain}


def _draw_groups(rng: np.random.Generator) -> dict[str, Any]:
    while True:
        before = rng.integers(0, 12, size=(2, 3))
        slope = rng.choice([0.5, 1.5, 2.0])
        now = np.rint(slope * before + rng.integers(0, 6, size=(2, 3)) + [[0], [2]]).astype(int)
        # Groups whose pasts are apart, and people who differ within each.
        if abs(np.diff(before.sum(axis=1))[0]) > 1 and (np.ptp(before, axis=1) > 1).all():
            break
    return {
        "old": now[0].tolist(),
        "new": now[1].tolist(),
        "old_before": before[0].tolist(),
        "new_before": before[1].tolist(),
    }


# Strata ----------------------------------------------------------------------------------------


def _gains_by_kind(inputs: Inputs) -> NDArray[np.float64]:
    old, new = (np.array(inputs[f"{group}_means"], np.float64) for group in ("old", "new"))
    return new - old


def _like_with_like(inputs: Inputs) -> float:
    people = np.add(inputs["old"], inputs["new"])
    return float(_gains_by_kind(inputs) @ people / people.sum())


def _as_they_came(inputs: Inputs) -> float:
    new, old = (np.average(inputs[f"{g}_means"], weights=inputs[g]) for g in ("new", "old"))
    return float(new - old)


def _kinds_alike(inputs: Inputs) -> float:
    return float(_gains_by_kind(inputs).mean())


def _kinds_added(inputs: Inputs) -> float:
    return float(_gains_by_kind(inputs).sum())


_WAYS: dict[str, Callable[[Inputs], float]] = {
    "right": _like_with_like,
    "mix-for-gain": _as_they_came,
    "kinds-alike": _kinds_alike,
    "gains-added": _kinds_added,
}


def _clicks(gain: Callable[[Inputs], float]) -> Callable[[Inputs], str]:
    def text(inputs: Inputs) -> str:
        value = round(gain(inputs), 2)
        return f"{value:g} click{'' if abs(value) == 1 else 's'} per user"

    return text


_gain_of = LetteredOptions({name: _clicks(gain) for name, gain in _WAYS.items()})


def _draw_kinds(rng: np.random.Generator) -> dict[str, Any]:
    while True:
        # A difference of 10 in 100 occurs by chance now and then.
        light = np.array([60, 70]) + 10 * rng.integers(-1, 2)
        light = light if rng.random() < 1 / 2 else light[::-1]
        before = np.array([rng.integers(1, 5), rng.integers(12, 31)])
        inputs = {
            "old": [int(light[0]), int(100 - light[0])],
            "new": [int(light[1]), int(100 - light[1])],
            "old_means": before.tolist(),
            "new_means": (before + rng.integers((1, 1), (4, 7))).tolist(),
        }
        # No option is the gain of one segment alone, which would be another mistake.
        options = {round(way(inputs), 2) for way in _WAYS.values()}
        if len(options) == len(_WAYS) and options.isdisjoint(_gains_by_kind(inputs).tolist()):
            return inputs


def _light_and_heavy(inputs: Inputs) -> str:
    rows = (
        ("users with the old recommender", "old"),
        ("their mean clicks", "old_means"),
        ("users with the new recommender", "new"),
        ("their mean clicks", "new_means"),
    )
    lines = "\n".join(f"| {words} | {inputs[k][0]} | {inputs[k][1]} |" for words, k in rows)
    return f"""
Of 200 users, 100 were assigned at random to the old recommender and 100 to the new one.

| | light users | heavy users |
|---|---|---|
{lines}

What is the gain of the new recommender, if users are compared only within each segment? Each
segment counts by its share of all 200 users.
"""


_kinds_of_visitors_solve = _gain_of.key("right")

_kinds_of_visitors_mix_for_gain = _gain_of.key("mix-for-gain")

_kinds_of_visitors_kinds_alike = _gain_of.key("kinds-alike")

_kinds_of_visitors_gains_added = _gain_of.key("gains-added")


# A mismatch ------------------------------------------------------------------------------------

_KINDS = ("light", "usual", "heavy")


def _kind_missing(inputs: Inputs) -> str:
    old, new = np.asarray(inputs["old"], float), np.asarray(inputs["new"], float)
    return _KINDS[int(np.argmax(abs(old - new) / np.sqrt(old + new)))]


def _kind_not_missing(inputs: Inputs) -> tuple[str, ...]:
    return tuple(kind for kind in _KINDS if kind != _kind_missing(inputs))


def _draw_missing(rng: np.random.Generator) -> dict[str, Any]:
    tossed = np.array([rng.integers(4_000, 6_000), rng.integers(2_500, 3_500), 2_000])
    # Within a root of all: as a fair coin gives.
    apart = np.rint(rng.uniform(-0.4, 0.4, 3) * np.sqrt(2 * tossed)).astype(int)
    groups = np.array([tossed + apart, tossed - apart])
    kind = int(rng.integers(3))
    groups[int(rng.integers(2)), kind] *= 1 - float(rng.uniform(0.2, 0.3))
    return {"old": groups[0].tolist(), "new": groups[1].tolist()}


def _counts_by_kind(inputs: Inputs) -> str:
    rows = zip(_KINDS, inputs["old"], inputs["new"], strict=True)
    lines = "\n".join(f"| {kind} | {old:,} | {new:,} |" for kind, old, new in rows)
    return f"""
Each user was assigned by a fair coin to the old or the new recommender. The log contains these
numbers of users:

| segment | old recommender | new recommender |
|---|---|---|
{lines}

What do you do?
"""


# Which procedure -------------------------------------------------------------------------------

_CASES = {
    "one-look": "The test runs for {weeks} weeks. No result is available before the last day, and "
    "then a gain of {percent}% decides.",
    "planned-looks": "The test runs for {weeks} weeks. At the end of every week there is a "
    "meeting that may stop it if the gain is significant.",
    "any-look": "A page shows the result of the test hour by hour, for about {weeks} weeks, and "
    "the team wants to stop the first time that the gain is significant, whenever that is.",
    "not-worse": "The new recommender costs half as much to run. The test is analysed once, after "
    "{weeks} weeks, and the new one may replace the old one if sales do not fall by {percent}% or "
    "more.",
    "after-first-week": "The new page is animated, and for some days users click on anything that "
    "moves. The test runs for {weeks} weeks and is analysed once. A lasting gain of {percent}% "
    "decides.",
    "switchback": "Drivers are recommended to riders, and both groups of riders use the same "
    "drivers. The test runs for {weeks} weeks and should detect a gain of {percent}%.",
}


def _situation(inputs: Inputs) -> str:
    case = _CASES[inputs["case"]].format(**inputs)
    return f"\n{case}\n\nWhich procedure is appropriate?\n"


def _procedure(inputs: Inputs) -> str:
    return str(inputs["case"])


def _takes(procedure: str) -> Callable[[Inputs], str | None]:
    def wrong(inputs: Inputs) -> str | None:
        return None if inputs["case"] == procedure else procedure

    return wrong


# What the usual test misses has a name of its own in these two cases.
_MISSED = ("after-first-week", "switchback")


def _usual_for(case: str) -> Callable[[Inputs], str | None]:
    return lambda inputs: "one-look" if inputs["case"] == case else None


def _usual_elsewhere(inputs: Inputs) -> str | None:
    return None if inputs["case"] in _MISSED else _takes("one-look")(inputs)


def _draw_situation(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "case": str(rng.choice(list(_CASES))),
        "weeks": int(rng.integers(2, 9)),
        "percent": int(rng.integers(1, 6)),
    }


_which_procedure_novelty_for_lift = _usual_for("after-first-week")

_which_procedure_one_stock = _usual_for("switchback")
