"""Live tests: how many users, the error of a ratio, CUPED, and which procedure answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics.protocol.online import cuped
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.lettered_options import LetteredOptions
from recsys_metrics.workbook.exercises.numbers import Numbers

# How many users --------------------------------------------------------------------------------


def _by_rule_of_thumb(gain: float, deviation: float) -> dict[str, float]:
    each = round(16 * (deviation / gain) ** 2, 6)
    return {"gain": gain, "each": each, "half": 4 * each}


def _gain(inputs: Inputs) -> float:
    return round(float(inputs["mean"] * inputs["percent"] / 100), 9)


def _users(inputs: Inputs) -> dict[str, float]:
    return _by_rule_of_thumb(_gain(inputs), inputs["deviation"])


def _percent_for_gain(inputs: Inputs) -> dict[str, float]:
    return _by_rule_of_thumb(inputs["percent"] / 100, inputs["deviation"])


def _deviation_for_variance(inputs: Inputs) -> dict[str, float]:
    each = 16 * inputs["deviation"] / _gain(inputs)
    return {"each": each, "half": 2 * each}


def _both_groups(inputs: Inputs) -> dict[str, float]:
    right = _users(inputs)
    return {"each": 2 * right["each"], "half": 2 * right["half"]}


def _twice_the_users(inputs: Inputs) -> dict[str, float]:
    return {"half": 2 * _users(inputs)["each"]}


def _fewer_users(inputs: Inputs) -> dict[str, float]:
    return {"half": _users(inputs)["each"] / 4}


def _draw_users(rng: np.random.Generator) -> dict[str, Any]:
    mean = int(rng.integers(3, 17)) / 2
    percent = int(rng.choice([2, 4, 5, 8, 10]))
    # So that the numbers of users are whole.
    deviation = round(int(rng.integers(11, 60)) * mean * percent / 100, 6)
    return {"mean": mean, "deviation": deviation, "percent": percent}


users_needed = Numbers(
    id="protocol.users_needed",
    title="How many users",
    prompt="""
In two weeks a user clicks {mean} times on average, with a standard deviation of {deviation}.
A gain of {percent} % would be worth having.

Say how many clicks per user that gain is. By the rule of thumb, sixteen variances divided by the
squared gain, how many users does each group need, and how many for half that gain?
""",
    asks={
        "gain": "gain in clicks per user",
        "each": "users in each group",
        "half": "users in each group for half the gain",
    },
    inputs={"mean": 3, "deviation": 3, "percent": 4},
    solve=_users,
    draw=_draw_users,
    misconceptions=(
        Misconception(
            id="percent-for-gain",
            name="per cent for clicks",
            wrong_answer=_percent_for_gain,
            cause="The gain was left as a share, and the deviation is in clicks.",
            hint="{percent} % of how many clicks?",
        ),
        Misconception(
            id="deviation-for-variance",
            name="nothing squared",
            wrong_answer=_deviation_for_variance,
            cause="The deviation was divided by the gain, and neither was squared.",
            hint="How many times as many users halve a standard error?",
        ),
        Misconception(
            id="both-groups",
            name="both groups for one",
            wrong_answer=_both_groups,
            cause="The two groups were added up.",
            hint="The sixteen counts both groups' noise already. Whose users does it give?",
        ),
        Misconception(
            id="twice-the-users",
            name="twice for half",
            wrong_answer=_twice_the_users,
            cause="For half the gain the users were doubled.",
            hint="The gain stands below the line squared. What does half of it do?",
        ),
        Misconception(
            id="fewer-users",
            name="fewer for less",
            wrong_answer=_fewer_users,
            cause="For half the gain there are fewer users than for all of it.",
            hint="Is a small difference easier to see, or harder?",
        ),
    ),
    hints=(
        "Bring the gain and the deviation to one unit first: clicks per user.",
        "The variance is the deviation squared; sixteen of it, divided by the gain squared.",
        "Half the gain, squared, is a quarter.",
    ),
    steps=(
        Step("The gain in clicks.", "gain = mean * percent / 100\nround(gain, 3)"),
        Step(
            "Sixteen variances divided by the squared gain, for each group.",
            "each = 16 * (deviation / gain) ** 2\nround(each)",
        ),
        Step("Half the gain.", "half = 16 * (deviation / (gain / 2)) ** 2\nround(half)"),
    ),
    insight="Half the gain takes four times the users: plan for the smallest gain that matters, "
    "and for no smaller one.",
    minutes=3,
    points=2,
)


# The error of a ratio --------------------------------------------------------------------------


def _columns(inputs: Inputs) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    clicks = np.asarray(inputs["clicks"], dtype=float)
    shown = np.asarray(inputs["impressions"], dtype=float)
    return clicks, shown, float(clicks.sum() / shown.sum())


def _moves(inputs: Inputs) -> NDArray[np.float64]:
    clicks, shown, ratio = _columns(inputs)
    moves: NDArray[np.float64] = (clicks - ratio * shown) / shown.mean()
    return moves


def _ratio(inputs: Inputs) -> dict[str, float]:
    moves = _moves(inputs)
    return {
        "ratio": _columns(inputs)[2],
        "error": float(moves.std(ddof=1) / np.sqrt(len(moves))),
    }


def _by_impression(inputs: Inputs) -> dict[str, float]:
    _, shown, ratio = _columns(inputs)
    return {"error": float(np.sqrt(ratio * (1 - ratio) / shown.sum()))}


def _mean_of_ratios(inputs: Inputs) -> dict[str, float]:
    clicks, shown, _ = _columns(inputs)
    rates = clicks / shown
    return {
        "ratio": float(rates.mean()),
        "error": float(rates.std(ddof=1) / np.sqrt(len(rates))),
    }


def _denominator_fixed(inputs: Inputs) -> dict[str, float]:
    clicks, shown, _ = _columns(inputs)
    return {"error": float(clicks.std(ddof=1) / shown.mean() / np.sqrt(len(clicks)))}


def _population(inputs: Inputs) -> dict[str, float]:
    moves = _moves(inputs)
    return {"error": float(moves.std() / np.sqrt(len(moves)))}


def _of_one_user(inputs: Inputs) -> dict[str, float]:
    return {"error": float(_moves(inputs).std(ddof=1))}


def _draw_ratio(rng: np.random.Generator) -> dict[str, Any]:
    shown = [int(n) for n in rng.choice(np.arange(3, 25), size=4, replace=False)]
    clicks = [int(rng.integers(0, min(n, 8))) for n in shown]
    if sum(clicks) < 4:
        clicks[0] += 2
    return {"clicks": clicks, "impressions": shown}


ratio_error = Numbers(
    id="protocol.ratio_error",
    title="The error of a ratio",
    prompt="""
Four users clicked {clicks} times and were shown {impressions} items.

Compute clicks per impression over all of them, and its standard error by the delta method, with
users as units.
""",
    asks={"ratio": "clicks per impression", "error": "its standard error"},
    inputs={"clicks": [3, 1, 4, 4], "impressions": [4, 5, 10, 21]},
    solve=_ratio,
    draw=_draw_ratio,
    misconceptions=(
        Misconception(
            id="impressions-as-units",
            name="impressions as units",
            wrong_answer=_by_impression,
            cause="Each impression was taken for a toss of its own, as in the error of a share.",
            hint="Of what did the coin decide: of impressions, or of users?",
        ),
        Misconception(
            id="mean-of-ratios",
            name="mean of ratios",
            wrong_answer=_mean_of_ratios,
            cause="Each user's rate was taken first, and then their mean: a user with few "
            "impressions counts as much as one with many.",
            hint="What do you get if you add up first and divide once?",
        ),
        Misconception(
            id="denominator-fixed",
            name="fixed denominator",
            wrong_answer=_denominator_fixed,
            cause="Only the clicks were let vary. The impressions differ from user to user, too.",
            hint="What is left of a user's clicks after the ratio's share of their impressions?",
        ),
        Misconception(
            id="population-deviation",
            name="population deviation",
            wrong_answer=_population,
            cause="The squares were divided by the number of users, as numpy does unless told "
            "otherwise.",
            hint="What stands below the line in the deviation of a sample?",
        ),
        Misconception(
            id="of-one-user",
            name="no root of n",
            wrong_answer=_of_one_user,
            cause="That is how much one user's number varies, not how much the mean of four does.",
            hint="By what is a deviation divided to become the error of a mean?",
        ),
    ),
    hints=(
        "Add up clicks and impressions, then divide.",
        "Take from each user's clicks the ratio times their impressions, and divide by the mean "
        "number of impressions.",
        "The standard error is the deviation of these four numbers (with n − 1) divided by the "
        "root of 4.",
    ),
    steps=(
        Step(
            "Sums first.",
            "import numpy as np\ny, x = np.array(clicks), np.array(impressions)\n"
            "ratio = y.sum() / x.sum()\nround(float(ratio), 3)",
        ),
        Step(
            "One number for each user.",
            "moves = (y - ratio * x) / x.mean()\nmoves.round(3)",
        ),
        Step(
            "Its deviation by the root of how many users there are.",
            "error = moves.std(ddof=1) / np.sqrt(len(moves))\nround(float(error), 4)",
        ),
    ),
    insight="A ratio of sums is a mean of one number for each user, nearly; its error is that of "
    "any mean.",
    minutes=3,
    points=2,
)


# CUPED -----------------------------------------------------------------------------------------


def _groups(inputs: Inputs) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return clicks now and before, each of shape (2, users)."""
    now = np.array([inputs["old"], inputs["new"]], dtype=float)
    before = np.array([inputs["old_before"], inputs["new_before"]], dtype=float)
    return now, before


def _with_slope(inputs: Inputs, slope: float) -> dict[str, float]:
    now, before = (np.diff(table.mean(axis=1))[0] for table in _groups(inputs))
    return {"slope": float(slope), "gain": float(now - slope * before)}


def _adjusted(inputs: Inputs) -> dict[str, float]:
    now, before = _groups(inputs)
    left = cuped(*now, control_before=before[0], treatment_before=before[1])
    gain = float(np.mean(left.treatment) - np.mean(left.control))
    return {"slope": float(left.weights[0]), "gain": gain}


def _not_adjusted(inputs: Inputs) -> dict[str, float]:
    return {"gain": _with_slope(inputs, 0.0)["gain"]}


def _added(inputs: Inputs) -> dict[str, float]:
    return {"gain": _with_slope(inputs, -_adjusted(inputs)["slope"])["gain"]}


def _whole_past(inputs: Inputs) -> dict[str, float]:
    return {"gain": _with_slope(inputs, 1.0)["gain"]}


def _one_mean(inputs: Inputs) -> dict[str, float]:
    now, before = _groups(inputs)
    spread = before - before.mean()
    return _with_slope(inputs, float((spread * now).sum() / (spread**2).sum()))


def _turned(inputs: Inputs) -> dict[str, float]:
    now, before = (t - t.mean(axis=1, keepdims=True) for t in _groups(inputs))
    return _with_slope(inputs, float((before * now).sum() / (now**2).sum()))


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


cuped_by_hand = Numbers(
    id="protocol.cuped_by_hand",
    title="The past taken off",
    prompt="""
Three users with the old recommender clicked {old} times during the test and {old_before} times
before it; three with the new one {new} times and {new_before} times before.

Compute the slope of clicks now on clicks before, within the groups, and the gain in mean clicks
that CUPED leaves.
""",
    asks={"slope": "slope within the groups", "gain": "gain after CUPED"},
    inputs={
        "old": [2, 5, 8],
        "new": [7, 9, 14],
        "old_before": [1, 2, 3],
        "new_before": [2, 4, 6],
    },
    solve=_adjusted,
    draw=_draw_groups,
    misconceptions=(
        Misconception(
            id="not-adjusted",
            name="nothing taken off",
            wrong_answer=_not_adjusted,
            cause="That is the difference of the means as they are.",
            hint="How far apart were the groups before the test?",
        ),
        Misconception(
            id="past-added",
            name="added for taken off",
            wrong_answer=_added,
            cause="What the past foretold was added. The group that clicked more before was given "
            "more for it.",
            hint="A group that was ahead before would have been ahead anyway. Which way does that "
            "go?",
        ),
        Misconception(
            id="whole-past",
            name="a slope of 1",
            wrong_answer=_whole_past,
            cause="Clicks before were subtracted as they are, as if each foretold one click now.",
            hint="By how much does the slope say that one more click before moves clicks now?",
        ),
        Misconception(
            id="one-mean",
            name="one mean for both groups",
            wrong_answer=_one_mean,
            cause="The slope runs around one mean of all six, so that the treatment itself is "
            "part of it.",
            hint="What is each user's distance to the mean of their own group?",
        ),
        Misconception(
            id="slope-turned",
            name="slope turned",
            wrong_answer=_turned,
            cause="The products were divided by the squares of clicks now: the slope of before "
            "on now.",
            hint="Which of the two is foretold, and from which?",
        ),
    ),
    hints=(
        "In each group take clicks before minus that group's mean.",
        "The slope is the sum of these distances times clicks now, divided by the sum of their "
        "squares, over all six.",
        "The gain is the difference now minus the slope times the difference before.",
    ),
    steps=(
        Step(
            "Distances to the group's own mean, and the slope.",
            "import numpy as np\nnow = np.array([old, new])\n"
            "before = np.array([old_before, new_before])\n"
            "inside = before - before.mean(axis=1, keepdims=True)\n"
            "slope = (inside * now).sum() / (inside**2).sum()\nround(float(slope), 3)",
        ),
        Step(
            "The difference now, less what the difference before foretold.",
            "ahead, was_ahead = np.diff(now.mean(axis=1))[0], np.diff(before.mean(axis=1))[0]\n"
            "gain = ahead - slope * was_ahead\n"
            "round(float(ahead), 3), round(float(gain), 3)",
        ),
    ),
    insight="CUPED takes off what the groups differed by before anybody was treated, as far as "
    "the past foretells the present.",
    minutes=5,
    points=2,
)


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
    return lambda inputs: f"{round(gain(inputs), 2):g} clicks per user"


_gain_of = LetteredOptions({name: _clicks(gain) for name, gain in _WAYS.items()})


def _draw_kinds(rng: np.random.Generator) -> dict[str, Any]:
    while True:
        # Ten in a hundred apart: a fair coin does that now and then.
        light = np.array([60, 70]) + 10 * rng.integers(-1, 2)
        light = light if rng.random() < 1 / 2 else light[::-1]
        before = np.array([rng.integers(1, 5), rng.integers(12, 31)])
        inputs = {
            "old": [int(light[0]), int(100 - light[0])],
            "new": [int(light[1]), int(100 - light[1])],
            "old_means": before.tolist(),
            "new_means": (before + rng.integers((0, 1), (4, 7))).tolist(),
        }
        if len({round(way(inputs), 2) for way in _WAYS.values()}) == len(_WAYS):
            return inputs


def _light_and_heavy(inputs: Inputs) -> str:
    rows = (
        ("people with the old one", "old"),
        ("their mean clicks", "old_means"),
        ("people with the new one", "new"),
        ("their mean clicks", "new_means"),
    )
    lines = "\n".join(f"| {words} | {inputs[k][0]} | {inputs[k][1]} |" for words, k in rows)
    return f"""
A coin gave a hundred visitors the old recommender and a hundred the new one.

| | light visitors | heavy visitors |
|---|---|---|
{lines}

Compare like with like. What is the gain of the new recommender?
"""


kinds_of_visitors = Choice(
    id="protocol.kinds_of_visitors",
    title="Like with like",
    prompt=_light_and_heavy,
    options=_gain_of.options,
    ordered=True,
    solve=_gain_of.key("right"),
    inputs={"old": [70, 30], "new": [60, 40], "old_means": [2, 20], "new_means": [3, 24]},
    draw=_draw_kinds,
    reasons=_gain_of.reasons("Each kind has its own gain, and counts as often as it came."),
    misconceptions=(
        Misconception(
            id="mix-for-gain",
            name="the mix taken for a gain",
            wrong_answer=_gain_of.key("mix-for-gain"),
            cause="That is the difference of the two groups' means. The coin gave them unequal "
            "shares of heavy visitors, who click more under either recommender.",
            hint="What would that difference be if each kind clicked alike in both groups?",
        ),
        Misconception(
            id="kinds-alike",
            name="kinds counted alike",
            wrong_answer=_gain_of.key("kinds-alike"),
            cause="The gains of the two kinds were averaged as if there were as many of either.",
            hint="How many of all visitors are light ones?",
        ),
        Misconception(
            id="gains-added",
            name="gains added up",
            wrong_answer=_gain_of.key("gains-added"),
            cause="The gains of the two kinds were added. No visitor is of both kinds.",
            hint="Can the gain of a mean visitor lie above that of every kind?",
        ),
    ),
    hints=(
        "Take the gain within each kind first: new mean less old mean.",
        "Count how many of all two hundred visitors are of each kind.",
        "Weigh each kind's gain by that share.",
    ),
    steps=(
        Step(
            "The gain within each kind.",
            "import numpy as np\n\ngains = np.subtract(new_means, old_means)\ngains",
        ),
        Step(
            "Each counts by its share of all visitors.",
            "people = np.add(old, new)\nround(gains @ people / people.sum(), 2)",
        ),
        Step(
            "What the others computed: the groups as they came, the kinds alike, their sum.",
            "means = [np.average(m, weights=w) for m, w in ((old_means, old), (new_means, new))]\n"
            "np.round([means[1] - means[0], gains.mean(), gains.sum()], 2)",
        ),
    ),
    insight="What kind a visitor is, was known before. A comparison within kinds takes their "
    "differences out of the gain, and out of its noise. This mends what a fair coin can do, not a "
    "log from which people are missing.",
    minutes=2,
)


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
A fair coin gave each person the old or the new recommender. The log holds these people:

| visitors | with the old one | with the new one |
|---|---|---|
{lines}

What do you do?
"""


who_is_missing = Choice(
    id="protocol.who_is_missing",
    title="Who is missing",
    prompt=_counts_by_kind,
    options={
        "as-they-are": "Compare the two groups as they are.",
        "weigh": "Weigh the kinds until the groups match, then compare.",
        "light": "Read no gain, and look for a fault that light visitors meet.",
        "usual": "Read no gain, and look for a fault that usual visitors meet.",
        "heavy": "Read no gain, and look for a fault that heavy visitors meet.",
    },
    ordered=True,
    solve=_kind_missing,
    inputs={"old": [5012, 3040, 2011], "new": [4988, 2961, 1523]},
    draw=_draw_missing,
    reasons=dict.fromkeys(
        _KINDS, "This kind alone differs by more than a fair coin does, so it meets the fault."
    ),
    misconceptions=(
        Misconception(
            id="mismatch-passed-over",
            name="a mismatch passed over",
            wrong_answer=lambda inputs: "as-they-are",
            cause="A fair coin hardly ever gives such counts, so the groups are no longer alike.",
            hint="By how many roots of all its people does each kind differ?",
        ),
        Misconception(
            id="mended-mismatch",
            name="a mended mismatch",
            wrong_answer=lambda inputs: "weigh",
            cause="Weights make the counts match. Those who are left of a kind still differ from "
            "those who are missing of it.",
            hint="Why would the missing people of a kind click like those who stayed?",
        ),
        Misconception(
            id="kind-that-matches",
            name="a kind that matches",
            wrong_answer=_kind_not_missing,
            cause="Of this kind there are about as many people in both groups.",
            hint="In which row are the two counts far apart?",
        ),
    ),
    hints=(
        "Hold the two counts of each row side by side.",
        "A fair coin lets them differ by about the root of their sum.",
        "Could weights say how the missing people would have clicked?",
    ),
    steps=(
        Step(
            "The difference within each kind, divided by the root of its people.",
            "import numpy as np\n\napart = np.subtract(old, new) / np.sqrt(np.add(old, new))\n"
            "apart.round(1)",
        ),
        Step("One kind differs by several roots: look for the fault there, and read no gain."),
    ),
    insight="A mismatch is a fault to be found. No weight says what the missing people would have "
    "done.",
    minutes=1,
)


# Which procedure -------------------------------------------------------------------------------

_CASES = {
    "one-look": "The test runs for {weeks} weeks. Nobody sees a result before the last day, and "
    "then a gain of {percent} % decides.",
    "planned-looks": "The test runs for {weeks} weeks. At the end of every week there is a "
    "meeting that may stop it if the gain is clear.",
    "any-look": "A page shows the result of the test hour by hour, for about {weeks} weeks, and "
    "the team wants to stop the first time that the gain is clear, whenever that is.",
    "not-worse": "The new recommender costs half as much to run. After {weeks} weeks, read "
    "once, it may replace the old one if sales do not fall by {percent} % or more.",
    "after-first-week": "The new page moves, and people click on whatever moves for some days. The "
    "test runs for {weeks} weeks and is read once; a gain of {percent} % that lasts decides.",
    "switchback": "Drivers are recommended to riders, and both groups of riders call the same "
    "drivers. In {weeks} weeks a gain of {percent} % is to be found.",
}


def _situation(inputs: Inputs) -> str:
    case = _CASES[inputs["case"]].format(**inputs)
    return f"\n{case}\n\nWhich procedure answers?\n"


def _procedure(inputs: Inputs) -> str:
    return str(inputs["case"])


def _takes(procedure: str) -> Callable[[Inputs], str | None]:
    def wrong(inputs: Inputs) -> str | None:
        return None if inputs["case"] == procedure else procedure

    return wrong


# What the usual test misses has a name of its own in these two.
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


which_procedure = Choice(
    id="protocol.which_procedure",
    title="Which procedure",
    prompt=_situation,
    options={
        "one-look": "A two-sample test, read at the end.",
        "planned-looks": "A group-sequential test.",
        "any-look": "An always-valid interval.",
        "not-worse": "A non-inferiority test.",
        "after-first-week": "A two-sample test of the weeks after the first.",
        "switchback": "All users on and off by turns, with days as units.",
    },
    solve=_procedure,
    inputs={"case": "planned-looks", "weeks": 4, "percent": 2},
    draw=_draw_situation,
    reasons={
        "one-look": "It is looked at once, so nothing has to be paid for looking.",
        "planned-looks": "The looks are few and known beforehand, so each can have its bound.",
        "any-look": "Nobody knows how many looks there will be, and this holds for any number.",
        "not-worse": "What is to be shown is that a loss is smaller than a margin.",
        "after-first-week": "What is new draws people for some days, and only what lasts counts.",
        "switchback": "What one group takes the other lacks, so no split of users shows the gain.",
    },
    misconceptions=(
        Misconception(
            id="one-look-for-all",
            name="the usual test for everything",
            wrong_answer=_usual_elsewhere,
            cause="That asks whether there is a gain, and it asks once. One of the two does not "
            "hold here.",
            hint="Who looks when, and what is to be shown?",
        ),
        Misconception(
            id="novelty-for-lift",
            name="a novelty taken for a lift",
            wrong_answer=_usual_for("after-first-week"),
            cause="The first days are full of people who try what is new, and they count in this "
            "test as much as what lasts.",
            hint="Which days say what people will do next month?",
        ),
        Misconception(
            id="one-stock",
            name="one stock",
            wrong_answer=_usual_for("switchback"),
            cause="Two groups of riders take drivers from each other, so the gain of one may be "
            "the loss of the other.",
            hint=(
                "What happens to the group without the treatment when the other gets more drivers?"
            ),
        ),
        Misconception(
            id="days-thrown-away",
            name="days thrown away",
            wrong_answer=_takes("after-first-week"),
            cause="Nothing here says that people click otherwise at first, and what is asked "
            "stays the same in the weeks that are left.",
            hint="Is anything expected to fade?",
        ),
        Misconception(
            id="no-plan-of-looks",
            name="bounds without planned looks",
            wrong_answer=_takes("planned-looks"),
            cause="Its bounds belong to several looks that were planned, and none are planned "
            "here before the end.",
            hint="At how many moments, named beforehand, may this test stop?",
        ),
        Misconception(
            id="price-for-nothing",
            name="a price for nothing",
            wrong_answer=_takes("any-look"),
            cause="It pays for looking at any time, and nobody does that here.",
            hint="Could somebody stop this test on any day they like?",
        ),
        Misconception(
            id="margin-for-gain",
            name="a margin for a gain",
            wrong_answer=_takes("not-worse"),
            cause="It would show that the new one is not much worse; what is looked for is a gain.",
            hint="Would a result just below 0 be good enough?",
        ),
        Misconception(
            id="days-for-people",
            name="days for people",
            wrong_answer=_takes("switchback"),
            cause="The groups take nothing from each other, and days are far fewer units than "
            "people.",
            hint="Does what one group does change anything for the other?",
        ),
    ),
    hints=(
        "Ask first whether two groups of users can be compared at all.",
        "Then what is to be shown: that it is better, or that it does little harm.",
        "Then whether something fades, who looks before the end, and at which moments.",
    ),
    steps=(
        Step(
            "Do the groups share something? Is a small loss allowed? Will something fade? Who "
            "looks before the end?"
        ),
    ),
    insight="Name what is shared, what is to be shown, what may fade and who looks; the procedure "
    "follows.",
    minutes=2,
)
