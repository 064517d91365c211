"""Live tests: what is wrong with an experiment, from its log."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from recsys_metrics._core import sorted_arrays
from recsys_metrics.protocol.online import ab_test, sample_ratio
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.simulator import (
    Effect,
    Shop,
    Traffic,
    add_bots,
    duplicate_users,
    lose_users,
)

# More clicks in two weeks than a person makes.
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


def _takes_for(fault: str) -> Callable[[Inputs], str | None]:
    def wrong(inputs: Inputs) -> str | None:
        return None if _fault(inputs) == fault else fault

    return wrong


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


def _draw_broken(rng: np.random.Generator) -> dict[str, Any]:
    fault = str(rng.choice(["twice", "bots", "missing", "novelty", "harmed"]))
    while True:
        report = _report(_broken_log(fault, rng))
        # By luck a sound part of a log may look like a second fault.
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
A fair coin gave each person the old or the new recommender for two weeks.
This is what the log says; lifts are in clicks per user, 95 % intervals in percent.

| Of the log | |
|---|---|
| rows | {counts("rows")} |
| different people | {counts("people")} |
| most clicks in one row | {inputs["most"]:,} |
| lift in the first week | {first} |
| lift in the second week | {second} |
| lift among light visitors | {light} |
| lift among usual visitors | {usual} |
| lift among heavy visitors | {heavy} |
"""


def _what_is_wrong(inputs: Inputs) -> str:
    return _log_as_table(inputs) + "\nWhat is wrong?\n"


broken_experiment = Choice(
    id="protocol.broken_experiment",
    title="A broken experiment",
    prompt=_what_is_wrong,
    options={
        "twice": "Some people's rows are in the log twice.",
        "bots": "Programs click in one of the groups.",
        "missing": "People of one group are missing.",
        "novelty": "A novelty that fades is taken for a lift.",
        "harmed": "A group of visitors is harmed, and the mean hides it.",
    },
    solve=_fault,
    inputs={
        "rows": [2965, 2525],
        "people": [2965, 2525],
        "most": 56,
        "weeks": [[10.7, 37.3], [8.5, 34.9]],
        "kinds": {"light": [-23.8, 71.9], "usual": [-6.5, 21.0], "heavy": [-4.9, 16.4]},
    },
    draw=_draw_broken,
    reasons={
        "twice": "There are more rows than people, so the rows are not independent.",
        "bots": "No person clicks thousands of times in two weeks.",
        "missing": "A fair coin hardly ever gives such counts of people.",
        "novelty": "The intervals of the two weeks do not touch, and the second is the lower.",
        "harmed": "The interval of light visitors lies below 0, that of heavy ones above.",
    },
    misconceptions=(
        Misconception(
            id="rows-for-people",
            name="rows taken for people",
            wrong_answer=_takes_for("twice"),
            cause="Each person has one row in this log.",
            hint="Are there more rows than different people?",
        ),
        Misconception(
            id="heavy-for-bots",
            name="heavy users taken for programs",
            wrong_answer=_takes_for("bots"),
            cause="The row with the most clicks is one that an eager person can make.",
            hint="How many clicks a day are that?",
        ),
        Misconception(
            id="noise-for-mismatch",
            name="noise for mismatch",
            wrong_answer=_takes_for("missing"),
            cause="The groups have about as many people as a fair coin gives.",
            hint="By how much do the groups differ, and how much is the root of all people?",
        ),
        Misconception(
            id="noise-for-novelty",
            name="noise for novelty",
            wrong_answer=_takes_for("novelty"),
            cause="The intervals of the two weeks overlap: nothing shows that the lift has faded.",
            hint="Is there a lift that both intervals hold?",
        ),
        Misconception(
            id="noise-for-harm",
            name="noise for harm",
            wrong_answer=_takes_for("harmed"),
            cause="No interval of a kind of visitor lies below 0 while another lies above.",
            hint="Which of the three intervals leave out 0, and on which side?",
        ),
    ),
    hints=(
        "Read from the top: first who is in the log, then what they did.",
        "Rows against people; the difference of people divided by the root of all of them; the "
        "largest row against what a person can do.",
        "If all these are sound, compare the two weeks, and then the kinds of visitors.",
    ),
    steps=(
        Step(
            "Who is in the log: rows for each person, the split, and the largest row.",
            "from recsys_metrics.protocol.online import sample_ratio\n"
            "sum(rows) - sum(people), sample_ratio(people).mismatch, most",
        ),
        Step(
            "What they did: whether the weeks are apart, and whether the kinds are.",
            "faded = weeks[1][1] < weeks[0][0]\n"
            'harmed = kinds["light"][1] < 0 < kinds["heavy"][0]\n'
            "weeks, faded, kinds, harmed",
        ),
    ),
    insight="Each fault leaves a number that a sound log cannot have. Look for it before the lift.",
    minutes=3,
    points=2,
)


# The numbers that prove it ---------------------------------------------------------------------

_N_DAYS = 14
# Below this many standard errors a wrong denominator could not be told from the right one.
_APART = 0.5
_N_LOGS = 80


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


def _by_total(inputs: Inputs) -> dict[str, float]:
    return {"split": abs(np.subtract(*inputs["people"])) / sum(inputs["people"])}


def _by_one_group(inputs: Inputs) -> dict[str, float]:
    old, new = inputs["people"]
    return {"split": abs(old - new) / float(np.sqrt(old))}


def _by_week(inputs: Inputs) -> dict[str, float]:
    return {"daily": inputs["most"] / 7}


def _gaps_turned(inputs: Inputs) -> dict[str, float]:
    right = _proofs(inputs)
    return {name: -right[name] for name in ("weeks", "kinds")}


def _outer_ends(inputs: Inputs) -> dict[str, float]:
    (_, first_high), (second_low, _) = inputs["weeks"]
    kinds = inputs["kinds"]
    return {"weeks": first_high - second_low, "kinds": kinds["heavy"][1] - kinds["light"][0]}


@cache
def _kept_log(number: int) -> dict[str, Any]:
    rng = np.random.default_rng(number)
    while True:
        report = _draw_broken(rng)
        if _proofs(report)["split"] >= _APART:
            return report


def _draw_log(rng: np.random.Generator) -> dict[str, Any]:
    # Each log takes an experiment to simulate, so some are kept for all to draw from.
    return dict(_kept_log(int(rng.integers(_N_LOGS))))


def _what_proves_it(inputs: Inputs) -> str:
    return (
        _log_as_table(inputs)
        + """
Each fault has a number that a sound log cannot have. Compute all five. One of them is far beyond
what luck does: more rows than people; thousands of clicks in a day or so; a difference of people
of more than three and a third roots; or a gap above 0 between intervals that should overlap.
"""
    )


broken_signs = Numbers(
    id="protocol.broken_signs",
    title="The number that proves it",
    prompt=_what_proves_it,
    asks={
        "surplus": "rows more than people, both groups together",
        "daily": "clicks a day in the largest row",
        "split": "difference of people between the groups, divided by the root of all people",
        "weeks": "gap between the weeks: lower end of the first minus upper end of the second",
        "kinds": "gap between the kinds: lower end of heavy minus upper end of light visitors",
    },
    inputs=broken_experiment.inputs,
    solve=_proofs,
    draw=_draw_log,
    misconceptions=(
        Misconception(
            id="share-for-error",
            name="share for error",
            wrong_answer=_by_total,
            cause="The difference was divided by all people. A share does not say whether luck "
            "does that.",
            hint="How much do so many tosses of a fair coin differ: by their number, or its root?",
        ),
        Misconception(
            id="root-of-one-group",
            name="root of one group",
            wrong_answer=_by_one_group,
            cause="The root was taken of one group's people.",
            hint="How many tosses of the coin were there in all?",
        ),
        Misconception(
            id="one-week",
            name="one week for two",
            wrong_answer=_by_week,
            cause="The clicks of two weeks were divided by the days of one.",
            hint="For how many days did the test run?",
        ),
        Misconception(
            id="gap-turned",
            name="gap turned round",
            wrong_answer=_gaps_turned,
            cause="The difference was taken the other way round: overlap looks like a gap.",
            hint="If the lower end of the first lies below the upper end of the second, is there "
            "a gap?",
        ),
        Misconception(
            id="outer-ends",
            name="outer ends",
            wrong_answer=_outer_ends,
            cause="The two ends that are farthest apart were compared. They are apart for any "
            "two intervals.",
            hint="Which two ends face each other?",
        ),
    ),
    hints=(
        "Counts first: rows less people; the largest row divided by fourteen days.",
        "The difference of a fair split is about as large as the root of all people, and hardly "
        "ever more than three and a third times that.",
        "A gap is the lower end of the upper interval minus the upper end of the lower one; below "
        "0 they overlap.",
    ),
    steps=(
        Step(
            "Who is in the log.",
            "surplus = sum(rows) - sum(people)\ndaily = most / 14\n"
            "split = abs(people[0] - people[1]) / sum(people) ** 0.5\n"
            "surplus, daily, round(split, 3)",
        ),
        Step(
            "What they did.",
            "(first_low, _), (_, second_high) = weeks\ngap = first_low - second_high\n"
            'apart = kinds["heavy"][0] - kinds["light"][1]\n'
            "round(gap, 3), round(apart, 3)",
        ),
        Step("The gaps are those that were asked for.", "weeks, kinds = gap, apart"),
    ),
    insight="A diagnosis is a number beyond its bound. Four of the five are what a sound log has.",
    minutes=4,
    points=2,
)
