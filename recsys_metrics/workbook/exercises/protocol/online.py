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
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.numbers import Numbers
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


funnel = Numbers(
    id="protocol.funnel",
    title="From impression to order",
    prompt=lambda inputs: (
        f"""
On one day {inputs["users"]:,} users were shown {inputs["impressions"]:,} recommended items, all in
the visible window. They clicked {inputs["clicks"]:,} times; {inputs["clickers"]:,} users clicked
at least once. The clicks led to {inputs["orders"]:,} orders.

Compute the click-through rate, the clicks per user, the conversion rate per click, and the hit
rate in the window.
"""
    ),
    asks={
        "ctr": "click-through rate",
        "per_user": "clicks per user",
        "conversion": "conversion rate per click",
        "window": "click-through probability",
    },
    inputs={"impressions": 4000, "clicks": 120, "users": 400, "clickers": 90, "orders": 18},
    solve=_rates,
    draw=_draw_funnel,
    misconceptions=(
        Misconception(
            id="swapped-denominators",
            name="swapped denominators",
            wrong_answer=_swapped,
            cause="Click-through rate and clicks per user have changed places.",
            hint="Which of the two can exceed 1?",
        ),
        Misconception(
            id="orders-per-impression",
            name="wrong stage",
            wrong_answer=_per_impression,
            cause="Orders were divided by what was shown, so that this rate holds the "
            "click-through rate as well.",
            hint="Of what do {orders} orders come: of impressions, or of clicks?",
        ),
        Misconception(
            id="orders-per-user",
            name="per user for per click",
            wrong_answer=_per_user,
            cause="Orders were divided by users. That rate exists too, under the same name, and "
            "answers how much of the audience was won.",
            hint="What does the exercise divide by?",
        ),
        Misconception(
            id="clicks-for-clickers",
            name="clicks for users",
            wrong_answer=_clicks_in_window,
            cause="Clicks were counted where users are asked for. Whoever clicked twice is one "
            "user.",
            hint="How many users clicked at least once?",
        ),
        Misconception(
            id="only-who-clicked",
            name="only who clicked",
            wrong_answer=_only_clickers,
            cause="The users who never clicked were left out.",
            hint="How many users were there, with the silent ones?",
        ),
    ),
    hints=(
        "Each rate is a count over a count. Ask of each: out of how many could it have happened?",
        "Click-through counts impressions below the line, clicks per user counts all users, the "
        "silent ones too.",
        "Conversion per click has clicks below the line. The click-through probability counts "
        "users above and below.",
    ),
    steps=(
        Step(
            "Of what was shown, how much was clicked? And how much does a user click?",
            "ctr = clicks / impressions\nper_user = clicks / users\n"
            "round(ctr, 3), round(per_user, 3)",
        ),
        Step(
            "Were the clicks worth it? And for how many users was there anything?",
            "conversion = orders / clicks\nwindow = clickers / users\n"
            "round(conversion, 3), round(window, 3)",
        ),
    ),
    insight="A rate without its denominator is half a number: per impression, per click, per user.",
    minutes=3,
    points=2,
)


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


watch_time = Numbers(
    id="protocol.watch_time",
    title="One marathon",
    prompt="""
Eight users watched for {minutes} minutes.

Compute the mean, the median, and the mean trimmed by one user at either end.
""",
    asks={"mean": "mean", "median": "median", "trimmed": "trimmed mean"},
    inputs={"minutes": [4, 9, 12, 90, 5, 3, 8, 14]},
    solve=_watched,
    draw=_draw_minutes,
    misconceptions=(
        Misconception(
            id="unsorted",
            name="not sorted",
            wrong_answer=_unsorted,
            cause="The middle of the list was taken as it stands. The median is the middle of "
            "the sorted list.",
            hint="Who is in the middle once the users stand in order of their minutes?",
        ),
        Misconception(
            id="lower-middle",
            name="one of two middles",
            wrong_answer=_lower_middle,
            cause="Of eight values two are in the middle; the lower one was taken.",
            hint="What lies half way between the fourth and the fifth value?",
        ),
        Misconception(
            id="top-only",
            name="one end only",
            wrong_answer=_top_only,
            cause="Only the marathon was left out. Trimming takes as many from the other end.",
            hint="How many users are left if one goes at either end?",
        ),
        Misconception(
            id="divided-by-all",
            name="divided by all",
            wrong_answer=_trimmed_by_all,
            cause="Six values were added up and divided by eight.",
            hint="How many users are left after trimming?",
        ),
        Misconception(
            id="trimmed-unsorted",
            name="ends of the list",
            wrong_answer=_trimmed_in_place,
            cause="The first and the last of the list were left out, not the smallest and the "
            "largest.",
            hint="Which two of the eight are the extremes?",
        ),
    ),
    hints=(
        "Sort the eight values first; only the mean does without.",
        "With eight values the median lies half way between the fourth and the fifth.",
        "The trimmed mean leaves out the smallest and the largest and divides by six.",
    ),
    steps=(
        Step(
            "The mean has the marathon in it.",
            "mean = sum(minutes) / len(minutes)\nround(mean, 3)",
        ),
        Step(
            "The median does not care how long the longest is.",
            "ordered = sorted(minutes)\nmedian = (ordered[3] + ordered[4]) / 2\nmedian",
        ),
        Step(
            "Nor does the mean of the six in between.",
            "trimmed = sum(ordered[1:-1]) / 6\nround(trimmed, 3)",
        ),
    ),
    insight="Mean, median and trimmed mean answer three questions. If the money comes from the "
    "marathons, only the mean sees it.",
    minutes=3,
    points=2,
)


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


ab_by_hand = Numbers(
    id="protocol.ab_by_hand",
    title="An A/B test by hand",
    prompt=lambda inputs: (
        f"""
Matinee tosses a coin for each user. Of {inputs["old"]:,} users with the old recommender
{inputs["bought"]:,} bought a film, of {inputs["new"]:,} with the new one {inputs["bought_new"]:,}
did.

Count in buyers per thousand users. Compute the gain, its standard error, and the ends of its 95 %
interval, with 1.96 standard errors to either side.
"""
    ),
    asks={
        "gain": "gain, per thousand users",
        "error": "its standard error",
        "low": "lower end",
        "high": "upper end",
    },
    inputs={"old": 2500, "bought": 150, "new": 2000, "bought_new": 148},
    solve=_ab,
    draw=_draw_ab,
    follows={
        "low": lambda own: own["gain"] - _Z * own["error"],
        "high": lambda own: own["gain"] + _Z * own["error"],
    },
    misconceptions=(
        Misconception(
            id="errors-added",
            name="errors added",
            wrong_answer=_errors_added,
            cause="The standard errors of the two groups were added. Two independent errors seldom "
            "point the same way; their squares add up.",
            hint="What is the root of the sum of the two squares?",
        ),
        Misconception(
            id="one-group",
            name="one group's error",
            wrong_answer=_new_alone,
            cause="Only the new group's error is in it. The old group's share is a guess as well.",
            hint="How much would the old group's share vary from test to test?",
        ),
        Misconception(
            id="one-standard-error",
            name="one standard error",
            wrong_answer=_one_ab_error,
            cause="The interval goes one standard error to either side, which holds the truth "
            "about two times in three.",
            hint="How many standard errors does it take for 95 %?",
        ),
        Misconception(
            id="lift-for-gain",
            name="lift for gain",
            wrong_answer=_lift_for_gain,
            cause="The gain was divided by the old share, which makes a lift in per cent of it.",
            hint="How many more buyers does a thousand users hold?",
        ),
        Misconception(
            id="old-less-new",
            name="gain turned round",
            wrong_answer=_old_less_new,
            cause="The new share was taken from the old one.",
            hint="Should a gain above 0 speak for the new recommender or for the old one?",
        ),
        Misconception(
            id="no-root-of-n",
            name="no root of n",
            wrong_answer=_no_root_of_n,
            cause="The variances of single users were added, without dividing each by its number "
            "of users.",
            hint="How much less does the share of a group vary than one user?",
        ),
    ),
    hints=(
        "One value for each user: 1 for who bought, 0 for who did not. The share is their mean.",
        "The variance of a share p of n users is p (1 − p) / n. Add those of both groups, and take "
        "the root.",
        "Everything times a thousand; then 1.96 standard errors to either side of the gain.",
    ),
    steps=(
        Step(
            "The two shares, and the gain per thousand.",
            "p, q = bought / old, bought_new / new\ngain = 1000 * (q - p)\nround(gain, 3)",
        ),
        Step(
            "The variances of two independent groups add up.",
            "error = 1000 * (p * (1 - p) / old + q * (1 - q) / new) ** 0.5\nround(error, 3)",
        ),
        Step(
            "The interval of the gain.",
            "z = 1.96\nlow, high = gain - z * error, gain + z * error\n"
            "z, round(low, 3), round(high, 3)",
        ),
    ),
    insight="In two independent groups no noise cancels, so the interval has the noise of both.",
    minutes=4,
    points=2,
)


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


one_slot = Numbers(
    id="protocol.one_slot",
    title="One slot of a real shop",
    prompt=lambda inputs: (
        f"""
`load_open_bandit(policy, "{inputs["campaign"]}")` of `recsys_metrics.datasets` has `.click` and
`.position`, one value for each showing; the policies are `"random"` and `"bts"`.

Of the first {inputs["rounds"]:,} showings of each log take those in slot {inputs["position"]}.
How many clicks more does `"bts"` get than `"random"`, per thousand showings, and where does the
95 % interval of that gain end, as `online.ab_test` has it?
{NOTEBOOK}
"""
    ),
    asks={
        "gain": "gain in clicks per thousand showings",
        "low": "lower end",
        "high": "upper end",
    },
    inputs={"campaign": "women", "rounds": 8000, "position": 3},
    solve=_slot,
    draw=lambda rng: {
        "campaign": str(rng.choice(["all", "men", "women"])),
        "rounds": int(rng.integers(16, 49)) * 200,
        "position": int(rng.integers(1, 4)),
    },
    misconceptions=(
        Misconception(
            id="all-slots",
            name="all slots for one",
            wrong_answer=lambda inputs: _slot(inputs, position=0),
            cause="The showings of all three slots are in it.",
            hint="Which rows have `position == {position}`?",
        ),
        Misconception(
            id="whole-log",
            name="the whole log",
            wrong_answer=lambda inputs: _slot(inputs, rounds=10_000),
            cause="All showings of the slot were taken, also those after the first {rounds}.",
            hint="With how many rows do you begin?",
        ),
        old_less_new(lambda inputs: turned(_slot(inputs))),
        as_they_are("per thousand showings", lambda inputs: _slot(inputs, scale=1 / 1000)),
        Misconception(
            id="lift-for-gain",
            name="lift for gain",
            wrong_answer=_as_gain("lift"),
            cause="That is the gain in per cent of the old rate.",
            hint="How many clicks more do a thousand showings bring?",
        ),
        Misconception(
            id="clicks-counted",
            name="clicks counted",
            wrong_answer=_as_gain("clicks"),
            cause="The clicks of the two logs were subtracted as they are. The two policies had "
            "different numbers of showings in this slot.",
            hint="Clicks out of how many showings?",
        ),
    ),
    hints=(
        "Cut both columns first, `log.click[:n]` and `log.position[:n]`; then "
        "`clicks[positions == slot]` is what one policy got in one slot.",
        "`online.ab_test(old, new).gain` has the gain in `.gain` and its ends in `.interval`.",
        "The random policy is the old one. Multiply all three by a thousand.",
    ),
    steps=(
        Step(
            "The clicks of either policy in this slot.",
            "from recsys_metrics.datasets import load_open_bandit\n\n"
            'logs = [load_open_bandit(policy, campaign) for policy in ("random", "bts")]\n'
            "clicks = [\n"
            "    log.click[:rounds][log.position[:rounds] == position] for log in logs\n"
            "]\n"
            "[(int(of.sum()), len(of)) for of in clicks]",
        ),
        Step(
            "Their difference, and its interval.",
            "from recsys_metrics.protocol import online\n\n"
            "found = online.ab_test(*clicks).gain\n"
            "gain, low, high = (1000 * v for v in (found.gain, *found.interval))\n"
            "round(gain, 3), round(low, 3), round(high, 3)",
        ),
    ),
    insight="Three campaigns with three slots are nine tests. The one that you were asked about "
    "was named before you looked; one chosen from the nine would not be. And a cut at a showing "
    "that is chosen by its result would be peeking.",
    minutes=5,
    points=2,
)


# Reading an experiment -------------------------------------------------------------------------


def _broken(inputs: Inputs) -> bool:
    return sample_ratio([inputs["control"], inputs["treatment"]]).mismatch


def _by_interval(inputs: Inputs) -> str:
    return "ship" if inputs["low"] > 0 else "stay"


def _reading(inputs: Inputs) -> str:
    return "find" if _broken(inputs) else _by_interval(inputs)


def _reads_anyway(inputs: Inputs) -> str | None:
    return _by_interval(inputs) if _broken(inputs) else None


def _false_alarm(inputs: Inputs) -> str | None:
    return None if _broken(inputs) else "find"


def _misread(inputs: Inputs) -> str:
    return "stay" if _by_interval(inputs) == "ship" else "ship"


def _goes_on(inputs: Inputs) -> str:
    return "go-on"


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


read_experiment = Choice(
    id="protocol.read_experiment",
    title="Read an experiment",
    prompt=_story,
    options={
        "ship": "Ship: the interval lies above 0.",
        "stay": "Do not ship: the interval holds 0.",
        "find": "Do not read the lift: find out first why the groups differ in size.",
        "go-on": "Let it run on, and look every day until the interval is clear of 0.",
    },
    solve=_reading,
    inputs={"control": 50_000, "treatment": 48_200, "low": 0.2, "high": 1.4},
    draw=_draw_experiment,
    reasons={
        "find": "A fair coin hardly ever gives such counts, so somebody is missing, and perhaps "
        "not by chance.",
        "ship": "The counts are what a coin gives, and the whole interval lies above 0.",
        "stay": "The counts are what a coin gives, and no gain is among the values left.",
    },
    misconceptions=(
        Misconception(
            id="sample-ratio",
            name="sample ratio mismatch",
            wrong_answer=_reads_anyway,
            cause="The interval was read although the groups are not the ones that were drawn. "
            "If the users who are missing are those the new one put off, any lift can appear.",
            hint="How likely are such counts with a fair coin?",
        ),
        Misconception(
            id="false-alarm",
            name="noise for mismatch",
            wrong_answer=_false_alarm,
            cause="Two groups are never quite equal; a difference of this size is what a coin "
            "gives.",
            hint="How far from one half do so many tosses usually come out?",
        ),
        Misconception(
            id="misread-interval",
            name="misread interval",
            wrong_answer=_misread,
            cause="The interval does not say that.",
            hint="Is 0 between its ends?",
        ),
        Misconception(
            id="peeking",
            name="peeking",
            wrong_answer=_goes_on,
            cause="Looking until it fits finds a lift sooner or later, also where there is none.",
            hint="If nothing was gained, how often would twenty looks show something?",
        ),
    ),
    hints=(
        "There is something to check before the lift is read.",
        "Were the groups as large as they were meant to be? Of n tosses of a fair coin, heads "
        "and tails seldom differ by more than three times the root of n.",
        "If the groups are sound, the lower end of the interval decides.",
    ),
    steps=(
        Step(
            "First the counts. A p-value below one in a thousand means that the split is broken.",
            "from recsys_metrics.protocol.online import sample_ratio\n"
            "check = sample_ratio([control, treatment])\n"
            "check.mismatch",
        ),
        Step(
            "Only if it is sound is the interval read.",
            'decision = "find" if check.mismatch else "ship" if low > 0 else "stay"\n'
            "(low, high), decision",
        ),
    ),
    insight="First the sample ratio, then the interval, and once.",
    minutes=2,
)
