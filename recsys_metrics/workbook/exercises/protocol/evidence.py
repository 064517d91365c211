"""Is the gain real: intervals, paired tests, many comparisons, E11."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, product
from typing import Any

import numpy as np

from recsys_metrics.protocol.significance import (
    adjust,
    paired_t_test,
    randomization_test,
    t_interval,
)
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.function import Case, Function
from recsys_metrics.workbook.exercises.numbers import Numbers

_Z = 1.96


def _around(mean: float, error: float, critical: float) -> dict[str, float]:
    return {"low": mean - critical * error, "high": mean + critical * error}


# Five seeds ------------------------------------------------------------------------------------


def _seeds(inputs: Inputs) -> dict[str, float]:
    found = t_interval(inputs["ndcg"])
    return {
        "deviation": found.standard_deviation,
        "error": found.standard_error,
        "low": found.low,
        "high": found.high,
    }


def _population(inputs: Inputs) -> dict[str, float]:
    found, deviation = t_interval(inputs["ndcg"]), float(np.std(inputs["ndcg"]))
    error = deviation / np.sqrt(found.n)
    return {
        "deviation": deviation,
        "error": error,
        **_around(found.estimate, error, found.critical),
    }


def _z_for_t(inputs: Inputs) -> dict[str, float]:
    found = t_interval(inputs["ndcg"])
    return _around(found.estimate, found.standard_error, _Z)


def _no_root(inputs: Inputs) -> dict[str, float]:
    found = t_interval(inputs["ndcg"])
    error = found.standard_deviation / found.n
    return {"error": error, **_around(found.estimate, error, found.critical)}


def _spread(inputs: Inputs) -> dict[str, float]:
    found = t_interval(inputs["ndcg"])
    return _around(found.estimate, found.standard_deviation, 1.0)


def _one_error(inputs: Inputs) -> dict[str, float]:
    found = t_interval(inputs["ndcg"])
    return _around(found.estimate, found.standard_error, 1.0)


def _draw_seeds(rng: np.random.Generator) -> dict[str, Any]:
    start = int(rng.integers(15, 60))
    steps = rng.choice(13, size=5, replace=False)
    return {"ndcg": [(start + int(step)) / 100 for step in steps]}


seed_interval = Numbers(
    id="protocol.seed_interval",
    title="Five seeds, one interval",
    prompt="""
One model was trained with five seeds. Its NDCG@10 was {ndcg}.

Compute the standard deviation of the runs, the standard error of their mean, and the ends of the
95 % interval of the mean.
""",
    asks={
        "deviation": "standard deviation",
        "error": "standard error",
        "low": "lower end",
        "high": "upper end",
    },
    inputs={"ndcg": [0.38, 0.45, 0.41, 0.36, 0.40]},
    solve=_seeds,
    draw=_draw_seeds,
    misconceptions=(
        Misconception(
            id="population-deviation",
            name="population deviation",
            wrong_answer=_population,
            cause="The squares were divided by the number of runs, as numpy does unless told "
            "otherwise.",
            hint="The mean was estimated from the same runs. What is below the line then?",
        ),
        Misconception(
            id="z-for-t",
            name="z for t",
            wrong_answer=_z_for_t,
            cause="The interval was made with 1.96, which is right for many runs only.",
            hint="What is t* for five runs, with four degrees of freedom?",
        ),
        Misconception(
            id="no-root",
            name="no root",
            wrong_answer=_no_root,
            cause="The deviation was divided by the number of runs and not by its root.",
            hint="How many times as many runs does it take to halve a standard error?",
        ),
        Misconception(
            id="spread-for-interval",
            name="spread for interval",
            wrong_answer=_spread,
            cause="That is the mean plus and minus a standard deviation: where single runs lie, "
            "not where the mean lies.",
            hint="Should the interval of a mean become narrower with more runs?",
        ),
        Misconception(
            id="one-standard-error",
            name="one standard error",
            wrong_answer=_one_error,
            cause="That is the mean plus and minus one standard error, which holds the truth "
            "about six times in ten.",
            hint="How many standard errors to either side does it take for 95 %?",
        ),
    ),
    hints=(
        "The squares of the distances to the mean are divided by n − 1, because the mean was "
        "estimated from the same runs.",
        "The standard error is the deviation over the root of n.",
        "The interval is the mean plus and minus t* standard errors; for four degrees of freedom "
        "t* is 2.776, or `scipy.stats.t.ppf(0.975, 4)`.",
    ),
    steps=(
        Step(
            "The mean of the runs, and how far each is from it.",
            "import numpy as np\nmean = np.mean(ndcg)\n"
            "[(run, round(float(run - mean), 3)) for run in ndcg]",
        ),
        Step(
            "The deviation of a sample has n − 1 below the line; numpy needs to be told.",
            "deviation = np.std(ndcg, ddof=1)\nround(float(deviation), 4)",
        ),
        Step(
            "The mean of five runs varies less than one run, by the root of five.",
            "error = deviation / np.sqrt(len(ndcg))\nround(float(error), 4)",
        ),
        Step(
            "To either side of the mean go t* standard errors.",
            "from scipy.stats import t\n"
            "half = t.ppf(0.975, len(ndcg) - 1) * error\n"
            "low, high = mean - half, mean + half\n"
            "round(float(low), 3), round(float(high), 3)",
        ),
    ),
    insight="Five runs buy a wide interval. Say how many runs a ± comes from, and whether it is a "
    "deviation or an interval.",
    minutes=4,
    points=2,
)


# Paired ----------------------------------------------------------------------------------------


def _paired(inputs: Inputs) -> dict[str, float]:
    test = paired_t_test(inputs["old"], inputs["new"])
    return {"gain": test.gain, "error": test.gain / test.statistic, "t": test.statistic}


def _with_error(inputs: Inputs, error: float) -> dict[str, float]:
    return {"error": error, "t": _paired(inputs)["gain"] / error}


def _unpaired(inputs: Inputs) -> dict[str, float]:
    old, new = np.asarray(inputs["old"]), np.asarray(inputs["new"])
    return _with_error(inputs, float(np.sqrt((old.var(ddof=1) + new.var(ddof=1)) / len(old))))


def _population_gain(inputs: Inputs) -> dict[str, float]:
    gains = np.subtract(inputs["new"], inputs["old"])
    return _with_error(inputs, float(gains.std() / np.sqrt(len(gains))))


def _turned(inputs: Inputs) -> dict[str, float]:
    right = _paired(inputs)
    return {"gain": -right["gain"], "t": -right["t"]}


def _deviation_for_error(inputs: Inputs) -> dict[str, float]:
    return _with_error(inputs, float(np.subtract(inputs["new"], inputs["old"]).std(ddof=1)))


def _summed(inputs: Inputs) -> dict[str, float]:
    return {"gain": _paired(inputs)["gain"] * len(inputs["old"])}


def _draw_pairs(rng: np.random.Generator) -> dict[str, Any]:
    old = [int(value) / 100 for value in rng.choice(np.arange(5, 80), size=5, replace=False)]
    gains = rng.choice(np.arange(-3, 13), size=5, replace=False)
    return {
        "old": old,
        "new": [round(o + int(g) / 100, 2) for o, g in zip(old, gains, strict=True)],
    }


paired_gain = Numbers(
    id="protocol.paired_gain",
    title="The same users twice",
    prompt="""
Five users were recommended by two recommenders. Their NDCG@10, user by user:

- old: {old}
- new: {new}

Compute the mean gain, its standard error, and t of the paired test.
""",
    asks={"gain": "mean gain", "error": "standard error of the gain", "t": "t"},
    inputs={"old": [0.12, 0.55, 0.30, 0.71, 0.42], "new": [0.17, 0.58, 0.39, 0.70, 0.50]},
    solve=_paired,
    draw=_draw_pairs,
    follows={"t": lambda own: own["gain"] / own["error"]},
    misconceptions=(
        Misconception(
            id="unpaired",
            name="unpaired users",
            wrong_answer=_unpaired,
            cause="The two rows were treated as two groups of strangers. The differences between "
            "users then drown the gain.",
            hint="Each user has one gain. How much do these five gains vary?",
        ),
        Misconception(
            id="population-deviation",
            name="population deviation",
            wrong_answer=_population_gain,
            cause="The squares were divided by the number of gains and not by one less.",
            hint="What is below the line if the mean comes from the same values?",
        ),
        Misconception(
            id="old-less-new",
            name="gain turned round",
            wrong_answer=_turned,
            cause="The new values were taken from the old ones.",
            hint="Should a gain above 0 speak for the new recommender or for the old one?",
        ),
        Misconception(
            id="deviation-for-error",
            name="spread for interval",
            wrong_answer=_deviation_for_error,
            cause="That is the standard deviation of the gains. Their mean varies less.",
            hint="By what is a deviation divided to get the standard error of a mean?",
        ),
        Misconception(
            id="sum-for-mean",
            name="sum for mean",
            wrong_answer=_summed,
            cause="The gains were added up and not divided.",
            hint="How many users are there?",
        ),
    ),
    hints=(
        "Subtract first: new less old, user by user. From then on there is one row of gains.",
        "The standard error of the mean gain is the deviation of the gains, with n − 1, over the "
        "root of n.",
        "t says how many standard errors the mean gain is away from 0.",
    ),
    steps=(
        Step(
            "One gain for each user: what is common to both rows cancels.",
            "import numpy as np\ngains = np.subtract(new, old)\n"
            "list(zip(old, new, gains.round(3).tolist()))",
        ),
        Step("Their mean.", "gain = gains.mean()\nround(float(gain), 3)"),
        Step(
            "The wobble of the gains, and of their mean.",
            "error = gains.std(ddof=1) / np.sqrt(len(gains))\nround(float(error), 4)",
        ),
        Step("How many standard errors from 0?", "t = gain / error\nround(float(t), 3)"),
    ),
    insight="Pairing removes what the two rows share: easy and hard users, good and bad seeds.",
    minutes=5,
    points=2,
)


# E11 -------------------------------------------------------------------------------------------


def _gains(inputs: Inputs) -> dict[str, float]:
    found = t_interval(inputs["gains"])
    return {"mean": found.estimate, "low": found.low, "high": found.high}


def _gains_with(inputs: Inputs, deviation: float, critical: float) -> dict[str, float]:
    n = len(inputs["gains"])
    return _around(float(np.mean(inputs["gains"])), deviation / np.sqrt(n), critical)


def _gains_population(inputs: Inputs) -> dict[str, float]:
    return _gains_with(inputs, float(np.std(inputs["gains"])), t_interval(inputs["gains"]).critical)


def _gains_z(inputs: Inputs) -> dict[str, float]:
    return _gains_with(inputs, float(np.std(inputs["gains"], ddof=1)), _Z)


def _gains_no_root(inputs: Inputs) -> dict[str, float]:
    deviation = float(np.std(inputs["gains"], ddof=1))
    n = len(inputs["gains"])
    return _gains_with(inputs, deviation / np.sqrt(n), t_interval(inputs["gains"]).critical)


def _sizes(inputs: Inputs) -> dict[str, float]:
    found = t_interval(np.abs(inputs["gains"]))
    return {"mean": found.estimate, "low": found.low, "high": found.high}


def _gain_sum(inputs: Inputs) -> dict[str, float]:
    return {"mean": float(np.sum(inputs["gains"]))}


def _draw_gains(rng: np.random.Generator) -> dict[str, Any]:
    middle = int(rng.integers(2, 13))
    steps = rng.choice(np.arange(-14, 15), size=5, replace=False) * int(rng.integers(1, 4)) // 3
    return {"gains": [int(middle + step) / 1000 for step in steps]}


_FIVE_GAINS = {"gains": [0.012, -0.006, 0.011, -0.004, 0.002]}

interval_of_the_gain = Numbers(
    attribute="interval_of_the_gain",
    id="protocol.e11",
    title="Looks better, but should you ship?",
    prompt="""
Model B looks better than A. Over five seeds that both share, the gains in NDCG@10 are {gains}.

Compute the mean gain, and the ends of its 95 % interval.
""",
    asks={"mean": "mean gain", "low": "lower end", "high": "upper end"},
    inputs=_FIVE_GAINS,
    solve=_gains,
    draw=_draw_gains,
    follows={"high": lambda own: 2 * own["mean"] - own["low"]},
    misconceptions=(
        Misconception(
            id="z-for-t",
            name="z for t",
            wrong_answer=_gains_z,
            cause="The interval was made with 1.96. For five runs that is almost a third too "
            "narrow.",
            hint="What is t* with four degrees of freedom?",
        ),
        Misconception(
            id="population-deviation",
            name="population deviation",
            wrong_answer=_gains_population,
            cause="The squares were divided by five and not by four.",
            hint="Which `ddof` does the deviation of a sample need?",
        ),
        Misconception(
            id="no-root",
            name="no root",
            wrong_answer=_gains_no_root,
            cause="The deviation was divided by the number of runs and not by its root.",
            hint="By what is the deviation divided to get the standard error?",
        ),
        Misconception(
            id="signs-lost",
            name="signs lost",
            wrong_answer=_sizes,
            cause="The sizes of the gains were taken, so that a loss counts as a gain.",
            hint="What should a run in which B was worse do to the mean?",
        ),
        Misconception(
            id="sum-for-mean",
            name="sum for mean",
            wrong_answer=_gain_sum,
            cause="The gains were added up and not divided.",
            hint="How many runs are there?",
        ),
    ),
    hints=(
        "Keep the signs. The mean is the sum of the five gains over five.",
        "The standard error: the deviation with n − 1 below the line, over the root of five.",
        "Go t* standard errors to either side; with four degrees of freedom t* is 2.776.",
    ),
    steps=(
        Step(
            "The mean, signs included, and how far each gain is from it.",
            "import numpy as np\nmean = np.mean(gains)\n"
            "[(gain, round(float(gain - mean), 4)) for gain in gains]",
        ),
        Step(
            "The standard error of the mean.",
            "error = np.std(gains, ddof=1) / np.sqrt(len(gains))\nround(float(error), 4)",
        ),
        Step(
            "And its interval.",
            "from scipy.stats import t\n"
            "half = t.ppf(0.975, len(gains) - 1) * error\n"
            "low, high = mean - half, mean + half\n"
            "round(float(low), 3), round(float(high), 3)",
        ),
    ),
    insight="The interval of the gain decides, not its mean.",
    minutes=4,
    points=2,
)


def _conclude(inputs: Inputs) -> str:
    return "excludes" if t_interval(inputs["gains"]).low > 0 else "includes"


def _conclude_the_opposite(inputs: Inputs) -> str:
    return "includes" if _conclude(inputs) == "excludes" else "excludes"


def _always(key: str) -> Any:
    def picks(inputs: Inputs) -> str:
        return key

    return picks


ship_or_not = Choice(
    attribute="ship_or_not",
    id="protocol.e11c",
    title="Ship B or not",
    same_for_all=True,
    prompt="""
Over five seeds that both models share, the gains of B in NDCG@10 are {gains}.

Do you recommend B on this evidence, and why?
""",
    options={
        "excludes": "Yes: the whole 95% confidence interval of the gain is above 0.",
        "mean": "Yes: the mean gain is above 0.",
        "wins": "Yes: B is better in more runs than it is worse.",
        "includes": "No: the 95% confidence interval of the gain includes 0.",
        "equal": "No: the two models were shown to be equally good.",
    },
    solve=_conclude,
    inputs=_FIVE_GAINS,
    draw=_draw_gains,
    reasons={
        "includes": "A gain of this size is likely even if the models do not differ.",
        "excludes": "If the models did not differ, a gain of this size would be unlikely.",
    },
    misconceptions=(
        Misconception(
            id="headline-mean",
            name="headline mean",
            wrong_answer=_always("mean"),
            cause="The mean of five runs is above 0 half of the time when nothing was gained.",
            hint="How much do the gains vary from run to run, compared to their mean?",
        ),
        Misconception(
            id="counted-wins",
            name="counted wins",
            wrong_answer=_always("wins"),
            cause="Wins without their size are weak evidence, and five of them are few.",
            hint="How often does a fair coin show heads three times or more in five tosses?",
        ),
        Misconception(
            id="no-proof-of-equality",
            name="absence for proof",
            wrong_answer=_always("equal"),
            cause="An interval that includes 0 includes other values as well. It does not show "
            "that there is no gain.",
            hint="Which gains does the interval leave possible?",
        ),
        Misconception(
            id="misread-interval",
            name="misread interval",
            wrong_answer=_conclude_the_opposite,
            cause="The interval does not lie where this says. With z in place of t*, or 5 in "
            "place of 4, it comes out too narrow.",
            hint="Where is the lower end, made with t* for four degrees of freedom?",
        ),
    ),
    hints=(
        "The mean says which way the gain points. The interval says whether it can be told from 0.",
        "Compute the interval: the mean plus and minus 2.776 standard errors.",
        "Is its lower end above 0?",
    ),
    steps=(
        Step("In order of size, so that losses and gains stand apart:", "sorted(gains)"),
        Step(
            "The conclusion follows from the confidence interval of the gain.",
            "from recsys_metrics.protocol.significance import t_interval\nprint(t_interval(gains))",
        ),
        Step(
            "An interval that includes 0 is no proof that B is no better: the evidence is too weak."
        ),
    ),
    insight="Recommend a change if the whole confidence interval of the gain is above the smallest "
    "gain that matters. Otherwise measure more, or keep what you have.",
    minutes=1,
)


# The randomization test ------------------------------------------------------------------------


def _p_value(gains: Sequence[float]) -> float:
    return randomization_test(np.zeros(len(gains)), gains, method="exact").p_value


def _patterns(gains: Sequence[float]) -> list[float]:
    signs = product([1, -1], repeat=len(gains))
    return [sum(s * g for s, g in zip(pattern, gains, strict=True)) for pattern in signs]


def _strictly(gains: Sequence[float]) -> float:
    sums = _patterns(gains)
    return sum(abs(s) > abs(sum(gains)) for s in sums) / len(sums)


def _one_sided(gains: Sequence[float]) -> float:
    sums = _patterns(gains)
    return sum(s >= sum(gains) for s in sums) / len(sums)


def _one_sided_size(gains: Sequence[float]) -> float:
    sums = _patterns(gains)
    return sum(s >= abs(sum(gains)) for s in sums) / len(sums)


def _unlike(gains: Sequence[float]) -> float:
    sums = _patterns(gains)
    return sum(abs(s) <= abs(sum(gains)) for s in sums) / len(sums)


def _coin(gains: Sequence[float]) -> float:
    wins = sum(g > 0 for g in gains)
    losses = sum(g < 0 for g in gains)
    far = abs(wins - losses)
    tosses = list(product([1, -1], repeat=wins + losses))
    return sum(abs(sum(toss)) >= far for toss in tosses) / len(tosses)


def _t_test(gains: Sequence[float]) -> float:
    if len(set(gains)) == 1:
        return 1.0 if gains[0] == 0 else 0.0
    return paired_t_test(np.zeros(len(gains)), gains).p_value


def _gain_case(gains: list[int], why: str = "") -> Case:
    return Case({"gains": gains}, why)


_EDGES = (
    _gain_case([0, 0, 0], "no user differs"),
    _gain_case([-6, -5, 1, -2], "the new one is worse"),
)


def _draw_gain_cases(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return a few rows of three to seven whole gains, and the edges."""
    drawn = [
        _gain_case([int(g) for g in rng.integers(-6, 13, size=int(rng.integers(3, 8)))])
        for _ in range(6)
    ]
    return (*drawn, *_EDGES)


write_randomization = Function(
    id="protocol.write_randomization",
    title="Write the randomization test",
    prompt="""
Write `my_p_value(gains)`: if each gain had its sign by the toss of a coin, how often would the
sum be at least as far from 0 as it is?

- `gains` is a list of at most eight whole numbers, new less old, in thousandths.
- Go through all patterns of signs; each is equally likely.
- Far from 0 means either way: both very good and very bad count.
""",
    function="my_p_value",
    solve=_p_value,
    cases=(
        _gain_case([4, 6, -1, 3]),
        _gain_case([10, -10, 20, -10, 0]),
        _gain_case([5, 5, 5, 5, 5], "all gains are equal"),
        _gain_case([12, -6, 11, -4, 2]),
        _gain_case([1, 9]),
        *_EDGES,
    ),
    draw=_draw_gain_cases,
    misconceptions=(
        Misconception(
            id="strictly-further",
            name="strictly further",
            wrong_answer=_strictly,
            cause="Only patterns that are further from 0 are counted. The pattern that was seen "
            "is as likely as any, and counts too.",
            hint="What should come out if all gains are equal: can p be 0?",
        ),
        Misconception(
            id="one-side",
            name="one side only",
            wrong_answer=_one_sided,
            variants=(_one_sided_size,),
            cause="Only one direction is counted.",
            hint="Would you have called it a finding had the sum come out as far below 0?",
        ),
        Misconception(
            id="share-of-the-others",
            name="counted the others",
            wrong_answer=_unlike,
            cause="The patterns that are nearer to 0, or as near, are counted.",
            hint="If p is small, should few or many patterns be as extreme?",
        ),
        Misconception(
            id="counted-wins",
            name="counted wins",
            wrong_answer=_coin,
            cause="Only the number of wins is looked at. That is the sign test.",
            hint="Should a gain of 12 count more than a gain of 2?",
        ),
        Misconception(
            id="t-for-patterns",
            name="t for patterns",
            wrong_answer=_t_test,
            cause="That is the p-value of the t-test, which supposes normal gains.",
            hint="How many patterns of signs are there, and what is the sum of each?",
        ),
    ),
    hints=(
        "`itertools.product([1, -1], repeat=len(gains))` gives every pattern of signs.",
        "For each pattern add up sign times gain, and take the size of the sum.",
        "p is the share of patterns whose size is at least `abs(sum(gains))`. The pattern that "
        "was seen is one of them.",
    ),
    steps=(
        Step(
            "If the two recommenders do not differ, new and old could have changed places for "
            "any user. That turns the sign of the gain.",
            "from itertools import accumulate, product\n\n"
            "def my_p_value(gains):\n"
            "    patterns = list(product([1, -1], repeat=len(gains)))\n"
            "    sums = [abs(sum(s * g for s, g in zip(p, gains))) for p in patterns]\n"
            "    return sum(size >= abs(sum(gains)) for size in sums) / len(sums)",
        ),
        Step(
            "With five equal gains two patterns of 32 are as extreme: all up and all down. "
            "Five runs can never give less.",
            "my_p_value([5, 5, 5, 5, 5])",
        ),
    ),
    insight="No table and no bell curve: the data are their own. With n gains, p cannot be below "
    "2 over two to the n.",
    minutes=8,
    points=3,
)


# Many comparisons ------------------------------------------------------------------------------


def _named(values: Sequence[float]) -> dict[str, float]:
    return {name: float(value) for name, value in zip("abc", values, strict=True)}


def _holm(inputs: Inputs) -> dict[str, float]:
    return _named(adjust(inputs["p"], method="holm").tolist())


def _untouched(inputs: Inputs) -> dict[str, float]:
    return _named(inputs["p"])


def _bonferroni(inputs: Inputs) -> dict[str, float]:
    return _named([min(1.0, 3 * p) for p in inputs["p"]])


def _no_maximum(inputs: Inputs) -> dict[str, float]:
    order = sorted(inputs["p"])
    return _named([min(1.0, (3 - order.index(p)) * p) for p in inputs["p"]])


def _as_given(inputs: Inputs) -> dict[str, float]:
    raised = [(3 - place) * p for place, p in enumerate(inputs["p"])]
    return _named(list(accumulate(raised, max)))


def _hochberg(inputs: Inputs) -> dict[str, float]:
    return _named(adjust(inputs["p"], method="benjamini-hochberg").tolist())


def _draw_p(rng: np.random.Generator) -> dict[str, Any]:
    smallest = int(rng.integers(2, 20))
    second = smallest + int(rng.integers(8, 25))
    # Between one and two times the second, so that the running maximum matters.
    third = second + int(rng.integers(3, second - 1))
    values = [smallest / 1000, second / 1000, third / 1000]
    return {"p": [values[int(i)] for i in rng.permutation(3)]}


holm = Numbers(
    id="protocol.holm",
    title="Three comparisons at once",
    prompt="""
One new recommender was compared with three old ones, and the p-values are {p}.

Adjust them by Holm's method, in the order in which they stand.
""",
    asks={"a": "first", "b": "second", "c": "third"},
    inputs={"p": [0.04, 0.012, 0.03]},
    solve=_holm,
    draw=_draw_p,
    misconceptions=(
        Misconception(
            id="untouched",
            name="many looks",
            wrong_answer=_untouched,
            cause="The p-values are as they were. With three tries one of them is small by "
            "chance more often than one in twenty.",
            hint="By what is the smallest of three p-values multiplied?",
        ),
        Misconception(
            id="bonferroni",
            name="Bonferroni for Holm",
            wrong_answer=_bonferroni,
            cause="All were multiplied by three. That is Bonferroni's method; Holm goes down "
            "step by step.",
            hint="Once the smallest is settled, how many comparisons are left?",
        ),
        Misconception(
            id="no-running-maximum",
            name="fell on the way",
            wrong_answer=_no_maximum,
            cause="An adjusted value came out below one whose p-value was smaller.",
            hint="Can the third comparison be stronger evidence than the second, after the "
            "adjustment?",
        ),
        Misconception(
            id="order-as-given",
            name="not sorted",
            wrong_answer=_as_given,
            cause="The factors 3, 2 and 1 were given out in the order of the list.",
            hint="Which of the three p-values is the smallest?",
        ),
        Misconception(
            id="false-discoveries",
            name="another promise",
            wrong_answer=_hochberg,
            cause="That is Benjamini and Hochberg's method. It limits the share of false alarms "
            "among the alarms, not the chance of any.",
            hint="Is the smallest multiplied by 3 and then divided by its place, or is the factor "
            "what is left to compare?",
        ),
    ),
    hints=(
        "Sort first. The smallest is multiplied by the number of comparisons.",
        "The next is multiplied by one less, and so on down.",
        "No adjusted value may be below the one before it; then put them back in their places.",
    ),
    steps=(
        Step(
            "From the smallest on, multiply by how many are left: 3, 2, 1.",
            "order = sorted(range(3), key=lambda i: p[i])\n"
            "raised = [(3 - place) * p[i] for place, i in enumerate(order)]\n"
            "[(p[i], round(value, 3)) for i, value in zip(order, raised)]",
        ),
        Step(
            "None may fall below the one before.",
            "from itertools import accumulate\n"
            "adjusted = dict(zip(order, accumulate(raised, max)))\n"
            "a, b, c = (min(1.0, adjusted[i]) for i in range(3))\n"
            "round(a, 3), round(b, 3), round(c, 3)",
        ),
    ),
    insight="Count every comparison that was made, not only those that are reported.",
    minutes=4,
    points=2,
)

__all__ = [
    "holm",
    "interval_of_the_gain",
    "paired_gain",
    "seed_interval",
    "ship_or_not",
    "write_randomization",
]
