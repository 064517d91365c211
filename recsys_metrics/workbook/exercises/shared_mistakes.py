"""Mistakes that several exercises share, explained in the same words.

`SHARED_MISTAKES` says what was done; `MISTAKES_BY_EXERCISE` gives the values that result from the
inputs of an exercise. Unlike the mistakes that an exercise declares, these need not differ from
each other or from the right value: they are named where the digits that were typed identify them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.diagnosis import Suspect


@dataclass(frozen=True)
class Idea:
    """A mistake without its numbers.

    Parameters
    ----------
    name, cause, hint : str
        As of a `Mistake`.
    """

    name: str
    cause: str
    hint: str


SHARED_MISTAKES: dict[str, Idea] = {
    # Means, sums and roots.
    "sum-for-mean": Idea(
        "sum for mean",
        "The values were added up and not divided by how many there are.",
        "How many values are there?",
    ),
    "sum-over-fewer": Idea(
        "one fewer",
        "The sum was divided by one less than there are.",
        "How many are there in all?",
    ),
    "cancelled-errors": Idea(
        "cancelled errors",
        "The errors were averaged with their signs, so that those above and below cancel.",
        "What becomes of a mean of −2 and 2?",
    ),
    "squares-for-sizes": Idea(
        "squares for sizes",
        "The errors were squared before they were averaged.",
        "Does a mean absolute error square anything?",
    ),
    "mean-of-values": Idea(
        "values for errors",
        "That is the mean of the values themselves, not of how far off they are.",
        "What is the first prediction, and how far is it from the first value?",
    ),
    "other-list": Idea(
        "the other list",
        "That was worked out on the other one of the two lists.",
        "Which list is asked about?",
    ),
    "median-for-mean": Idea(
        "median for mean",
        "That is the median, not the mean.",
        "What happens to your value if the largest one doubles?",
    ),
    "worst-error": Idea(
        "worst for mean",
        "That is the largest of the errors alone.",
        "Do the other errors count?",
    ),
    "root-mean-square": Idea(
        "RMSE for MAE",
        "The errors were squared, averaged, and the root taken of that.",
        "Does a mean absolute error square anything?",
    ),
    "percent-for-ratio": Idea(
        "percent for ratio",
        "That is the ratio in percent.",
        "How many times as large is the one as the other?",
    ),
    "sum-of-others": Idea(
        "similarity for distance",
        "That is the sum of the similarities.",
        "How different are two films whose similarity is 1?",
    ),
    "product-for-ratio": Idea(
        "product for ratio",
        "The gain was multiplied by its error.",
        "Should t be larger or smaller where the error is small?",
    ),
    "other-shares": Idea(
        "catalogue for slots",
        "That is the gap between the shares of the catalogue.",
        "Whose shares are compared: those of the items or those of the slots?",
    ),
    # Intervals.
    "two-for-t": Idea(
        "z for t",
        "The interval was made with 2, which is near enough for many values only.",
        "What is t* for so few values?",
    ),
    "one-sided-t": Idea(
        "one-sided t",
        "The t* leaves 5 % on one side alone. On both sides together that is 10 %: an interval "
        "of 90 %.",
        "Which share lies beyond either end of a 95 % interval?",
    ),
    "degrees-of-freedom": Idea(
        "degrees of freedom",
        "The t* is that of as many degrees of freedom as there are values.",
        "The mean comes from the same values. How many of them are free then?",
    ),
    "other-level": Idea(
        "another level",
        "The t* is that of a 99 % interval.",
        "Which share should lie between the ends?",
    ),
    "deviation-for-error": Idea(
        "spread for interval",
        "The deviation of the single values was taken where the standard error of their mean "
        "belongs.",
        "By what is a deviation divided to get the standard error of a mean?",
    ),
    "spread-for-interval": Idea(
        "spread for interval",
        "That is the mean plus and minus a standard deviation: where single values lie, not "
        "where the mean lies.",
        "Should the interval of a mean become narrower with more values?",
    ),
    "one-standard-error": Idea(
        "one standard error",
        "That is the mean plus and minus one standard error, which holds the truth about six "
        "times in ten.",
        "How many standard errors to either side does it take for 95 %?",
    ),
    "half-width": Idea(
        "width for ends",
        "That is how far the ends are from the mean, not where they are.",
        "Around which value does the interval lie?",
    ),
    "gain-turned-round": Idea(
        "gain turned round",
        "The new values were taken from the old ones.",
        "Should a gain above 0 speak for the new recommender or for the old one?",
    ),
    "one-fewer": Idea(
        "one fewer",
        "The deviation was divided by the root of one less than the number of values.",
        "How many values has the mean?",
    ),
    "signs-lost": Idea(
        "signs lost",
        "The gains were taken without their signs.",
        "What does a gain below 0 say?",
    ),
    # Ranks.
    "all-hits-added": Idea(
        "every hit counted",
        "The reciprocal ranks of all hits were added up.",
        "Which hit does a reciprocal rank look at?",
    ),
    "all-hits-averaged": Idea(
        "every hit counted",
        "The reciprocal ranks of all hits were averaged.",
        "Which hit does a reciprocal rank look at?",
    ),
    "rank-not-reciprocal": Idea(
        "rank for reciprocal",
        "That is the rank of the first hit.",
        "What is 1 divided by it?",
    ),
    "rank-plus-one": Idea(
        "off-by-one rank",
        "1 was divided by the rank + 1, as if the list began at rank 0.",
        "What is the reciprocal rank of a list that begins with a hit?",
    ),
    "last-hit": Idea(
        "last hit",
        "The last hit was taken, not the first.",
        "Which hit does a reciprocal rank look at?",
    ),
    "recall-for-precision": Idea(
        "recall for precision",
        "That is the share of the relevant items that were found.",
        "Does the order of the list change your value?",
    ),
    "product-for-mean": Idea(
        "product for mean",
        "The two were multiplied, and not combined to a mean.",
        "What should come out where both are 0.5?",
    ),
    "geometric-mean": Idea(
        "geometric mean",
        "That is the root of the product.",
        "Which mean is F1: the arithmetic, the geometric or the harmonic one?",
    ),
    "gap-for-ratio": Idea(
        "gap for ratio",
        "One was subtracted from the other and not divided by it.",
        "What should come out where the two are equal: 0 or 1?",
    ),
    "ratio-for-gap": Idea(
        "ratio for gap",
        "One was divided by the other and not subtracted from it.",
        "What should come out where the two are equal: 0 or 1?",
    ),
    "items-for-pairs": Idea(
        "items for pairs",
        "It was divided by the number of items and not by the number of pairs.",
        "How many pairs are there?",
    ),
    # Shares and probabilities.
    "not-complemented": Idea(
        "p for 1 − p",
        "The probability of the one was taken for the other, whose probability is 1 less it.",
        "With which probability is B shown where A is shown with 0.8?",
    ),
    "complement-for-weight": Idea(
        "1 − p for 1 / p",
        "Each click was weighed by 1 less its propensity.",
        "What should a click weigh on an item that is always shown?",
    ),
    "labels-turned": Idea(
        "labels turned round",
        "What happened was read as what did not happen.",
        "Which of the two does a 1 stand for?",
    ),
    "clicks-only": Idea(
        "clicks only",
        "Only the events with a click were averaged.",
        "What does an event without a click add?",
    ),
    "wrong-denominator": Idea(
        "wrong denominator",
        "It was divided by another number than is asked for.",
        "Of what is it a share?",
    ),
    "clicks-ignored": Idea(
        "clicks ignored",
        "The weights were averaged, whether there was a click or not.",
        "What does a round without a click earn?",
    ),
    "square-not-root": Idea(
        "squares for sizes",
        "The gaps were squared before they were weighted.",
        "Does the L1 error square anything?",
    ),
    "sum-of-gaps": Idea(
        "sum of gaps",
        "The gaps were added up as they are.",
        "How much does a bin with few events count?",
    ),
    "weighted-gap": Idea(
        "weighted largest gap",
        "The largest gap was weighted by its share of the events.",
        "Does the largest gap depend on how many events there are?",
    ),
    "smallest-gap": Idea(
        "smallest for largest",
        "That is the smallest of the gaps.",
        "Which bin is furthest off?",
    ),
    "other-bin": Idea(
        "the other bin",
        "That is the lower bin.",
        "Which events have a probability above one half?",
    ),
    # Curves.
    "base-two": Idea(
        "base two",
        "The logarithm was taken to the base 2.",
        "To which base is the logarithm of the odds?",
    ),
    "slope-for-intercept": Idea(
        "slope for intercept",
        "The slope and the intercept stand in each other's place.",
        "Which of the two is multiplied by the log-odds?",
    ),
    "intercept-turned": Idea(
        "intercept turned round",
        "The intercept was subtracted where it is added, or its sign was lost.",
        "What is the line at log-odds of 0?",
    ),
    "no-slope": Idea(
        "slope left out",
        "The log-odds were not multiplied by the slope.",
        "What does the slope do to log-odds of 2?",
    ),
    "odds-for-probability": Idea(
        "odds for probability",
        "That is the odds after the curve: the exponential alone.",
        "Which probability has odds of 1?",
    ),
    "correlation": Idea(
        "correlation",
        "That is the correlation of the two rows.",
        "What would it be if every prediction were one star too high?",
    ),
    # Medians.
    "upper-middle": Idea(
        "one of two middles",
        "The upper one of the two values in the middle was taken.",
        "How many values are below it, and how many above?",
    ),
    "clicks-for-rounds": Idea(
        "divided by clicks",
        "The sum was divided by the number of clicks.",
        "How many rounds are in the log?",
    ),
    "squares-for-size": Idea(
        "sum of squares",
        "That is the sum of the squared weights, which stands below the line.",
        "What should come out where all weights are 1?",
    ),
    "old-for-change": Idea(
        "value for change",
        "That is the value of the week before, and no change.",
        "What is subtracted from what?",
    ),
    "relative-change": Idea(
        "relative change",
        "The change was divided by the value before.",
        "Is a difference asked for, or a share?",
    ),
    "mean-share": Idea(
        "share for bits",
        "That is the mean share of users, without a logarithm.",
        "How many bits has an event of probability one half?",
    ),
    "rarest-only": Idea(
        "rarest only",
        "Only the film that the fewest have met was counted.",
        "Over which films is the mean taken?",
    ),
    "counts-for-shares": Idea(
        "counts for shares",
        "The logarithm was taken of the counts and not of the shares.",
        "Which share of the users has met the film?",
    ),
    "divided-not-multiplied": Idea(
        "divided for multiplied",
        "The p-values were divided by the number of tests, where they are multiplied.",
        "Should an adjusted p-value be smaller or larger?",
    ),
    "clicked-rate": Idea(
        "rate of the list",
        "That is the click rate of rank 1 in the lists with the coin, not of this item.",
        "Which clicks are those of the item?",
    ),
    "users-of-clicks": Idea(
        "wrong stage",
        "Orders were divided by those who clicked, not by the clicks.",
        "Of what is a conversion per click a share?",
    ),
}


Values = Mapping[str, float]
Wrong = Callable[[Any, Any], Values]
"""The inputs and the right values to the values that a mistake changes."""


def find_shared_mistakes(exercise: str, inputs: Inputs, right: Values) -> list[Suspect]:
    """Return the mistakes of the table that are made in an exercise.

    Parameters
    ----------
    exercise : str
        Its id.
    inputs, right : mapping
        What is given, and the right value of each answer.

    Returns
    -------
    list of Suspect
    """
    return [
        Suspect(
            idea,
            SHARED_MISTAKES[idea].name,
            SHARED_MISTAKES[idea].cause,
            SHARED_MISTAKES[idea].hint,
            {**right, **wrong(inputs, right)},
            tier=1,
        )
        for idea, wrong in MISTAKES_BY_EXERCISE.get(exercise, ())
    ]


# How an idea comes out ---------------------------------------------------------------------------


def _of_an_interval(row: str, *names: str) -> tuple[tuple[str, Wrong], ...]:
    """Return the mistakes with the interval of a mean of a row, for the answers of these names."""

    def wrong(
        share: float, *, lost: int = 1, root: float = 0.5, times: float = 0, fewer: int = 0
    ) -> Wrong:
        def values(inputs: Inputs, _: Values) -> dict[str, float]:
            from scipy.special import stdtrit

            n, mean = len(inputs[row]), float(np.mean(inputs[row]))
            error = float(np.std(inputs[row], ddof=1)) / (n - fewer) ** root
            half = (times or float(stdtrit(n - lost, share))) * error
            found = {"low": mean - half, "high": mean + half}
            # Where the number before the error is wrong, the error itself is right.
            found |= {} if times else {"error": error}
            return {name: found[name] for name in names if name in found}

        return values

    return (
        ("two-for-t", wrong(0, times=2)),
        ("one-sided-t", wrong(0.95)),
        ("degrees-of-freedom", wrong(0.975, lost=0)),
        ("other-level", wrong(0.995)),
        ("deviation-for-error", wrong(0.975, root=0)),
        ("one-fewer", wrong(0.975, fewer=1)),
        ("spread-for-interval", wrong(0, times=1, root=0)),
        ("one-standard-error", wrong(0, times=1)),
        ("half-width", lambda i, r: _half_width(r)),
    )


def _half_width(right: Values) -> Values:
    half = (right["high"] - right["low"]) / 2
    return {"low": -half, "high": half}


def _lift(popularity: float, known: Sequence[float]) -> Values:
    return {"arp": popularity, "lift": popularity / float(np.mean(known)) - 1}


def _worst(inputs: Inputs) -> float:
    return float(np.max(np.abs(np.subtract(inputs["predicted"], inputs["actual"]))))


def _last_of(inputs: Inputs) -> Values:
    ranks = [i for i, item in enumerate(inputs["recommended"], 1) if item in inputs["relevant"]]
    return {"rr": 1 / ranks[-1], "mrr": (1 / ranks[-1] + 1 / inputs["rank_of_second"]) / 2}


def _gaps(inputs: Inputs) -> list[tuple[int, float]]:
    rows = zip(inputs["said"], inputs["events"], inputs["clicks"], strict=True)
    return [(n, abs(said - clicks / n)) for said, n, clicks in rows]


def _losses(said: Sequence[float], clicked: Sequence[int]) -> Values:
    chances = [p if y else 1 - p for p, y in zip(said, clicked, strict=True)]
    return {
        "log_loss": -float(np.mean(np.log(chances))),
        "brier": float(np.mean([(1 - q) ** 2 for q in chances])),
    }


def _of_the_clicked(inputs: Inputs) -> list[float]:
    return [p for p, y in zip(inputs["said"], inputs["clicked"], strict=True) if y]


def _bin(inputs: Inputs, *, upper: bool) -> tuple[list[float], list[int]]:
    rows = zip(inputs["said"], inputs["clicked"], strict=True)
    inside = [(p, y) for p, y in rows if (p > 0.5) is upper]
    return [p for p, _ in inside], [y for _, y in inside]


def _summed_bin(inputs: Inputs) -> Values:
    said, clicked = _bin(inputs, upper=True)
    return {"said": sum(said), "happened": sum(clicked), "gap": sum(said) - sum(clicked)}


def _lower_bin(inputs: Inputs) -> Values:
    said, clicked = (float(np.mean(part)) for part in _bin(inputs, upper=False))
    return {"said": said, "happened": clicked, "gap": said - clicked}


def _through_the_curve(z: float) -> Values:
    return {"after": 1 / (1 + math.exp(-z))}


def _ips(inputs: Inputs, logged: Mapping[str, float], wanted: Mapping[str, float]) -> Values:
    weights = [wanted[item] / logged[item] for item in inputs["shown"]]
    earned = sum(w * click for w, click in zip(weights, inputs["clicks"], strict=True))
    return {"ips": earned / len(weights), "snips": earned / sum(weights)}


def _not_complemented(*, logged: bool, wanted: bool) -> Wrong:
    def values(inputs: Inputs, _: Values) -> Values:
        p, q = inputs["logged"], inputs["wanted"]
        return _ips(
            inputs,
            {"A": p, "B": p if logged else 1 - p},
            {"A": q, "B": q if wanted else 1 - q},
        )

    return values


def _per(inputs: Inputs, denominator: float, *, clicks: bool = True) -> Values:
    gained = inputs["clicks"] if clicks else [1] * len(inputs["clicks"])
    lowered = [min(weight, inputs["cap"]) for weight in inputs["weights"]]
    return {
        name: sum(w * gain for w, gain in zip(weights, gained, strict=True)) / denominator
        for name, weights in (("before", inputs["weights"]), ("after", lowered))
    }


def _squared_weights(inputs: Inputs) -> Values:
    return {
        "worth_before": sum(w * w for w in inputs["weights"]),
        "worth_after": sum(min(w, inputs["cap"]) ** 2 for w in inputs["weights"]),
    }


def _mean_square(inputs: Inputs) -> float:
    return float(np.mean(np.square(np.subtract(inputs["predicted"], inputs["actual"]))))


def _by_hits(
    worth: Callable[[list[int]], float], *lists: tuple[str, str, str]
) -> Callable[[Inputs], Values]:
    """Return what a reciprocal rank becomes that is worked out from all ranks of hits."""

    def values(inputs: Inputs) -> Values:
        found = {}
        for name, recommended, wanted in lists:
            ranks = [i for i, item in enumerate(inputs[recommended], 1) if item in inputs[wanted]]
            found[name] = worth(ranks) if ranks else 0.0
        return found

    return values


def _of_two_lists(worth: Callable[[list[int]], float]) -> Wrong:
    found = _by_hits(worth, ("rr_first", "first", "wanted"), ("rr_second", "second", "wanted"))
    return lambda inputs, _: found(inputs)


MISTAKES_BY_EXERCISE: dict[str, tuple[tuple[str, Wrong], ...]] = {
    "rating.ratio": (
        (
            "cancelled-errors",
            lambda i, r: {
                "mae": float(np.mean(i["errors"])),
                "ratio": r["rmse"] / float(np.mean(i["errors"])),
            },
        ),
        ("percent-for-ratio", lambda i, r: {"ratio": 100 * r["ratio"]}),
    ),
    "rating.own_mean": (("mean-of-values", lambda i, r: {"mae": float(np.mean(i["actual"]))}),),
    "rating.two_r2": (
        (
            "correlation",
            lambda i, r: {"r2": float(np.corrcoef(i["predicted"], i["actual"])[0, 1])},
        ),
    ),
    "rating.e1": (("worst-error", lambda i, r: {"rmse": _worst(i)}),),
    "ranking.e2": (
        ("product-for-mean", lambda i, r: {"f1": r["precision"] * r["recall"]}),
        ("geometric-mean", lambda i, r: {"f1": math.sqrt(r["precision"] * r["recall"])}),
    ),
    "ranking.e3": (
        ("last-hit", lambda i, r: _last_of(i)),
        (
            "rank-plus-one",
            lambda i, r: {
                "rr": 1 / (1 / r["rr"] + 1),
                "mrr": (1 / (1 / r["rr"] + 1) + 1 / i["rank_of_second"]) / 2,
            },
        ),
    ),
    "ranking.e4": (
        (
            "recall-for-precision",
            lambda i, r: {
                "ap": len({*i["recommended"][: i["k"]]} & i["relevant"]) / len(i["relevant"])
            },
        ),
    ),
    "ranking.which_denominator": (
        (
            "sum-for-mean",
            lambda i, r: dict.fromkeys(r, r["relevant"] * len(i["relevant"])),
        ),
    ),
    "ranking.e5": (("gap-for-ratio", lambda i, r: {"ndcg": r["idcg"] - r["dcg"]}),),
    "ranking.tied_auc": (
        (
            "items-for-pairs",
            lambda i, r: {
                "auc": r["auc"]
                * (len(i["relevant"]) * len(i["other"]))
                / (len(i["relevant"]) + len(i["other"]))
            },
        ),
    ),
    "beyond_accuracy.e8a": (
        ("old-for-change", lambda i, r: {"change": r["gini"] - r["change"]}),
        ("relative-change", lambda i, r: {"change": r["change"] / (r["gini"] - r["change"])}),
    ),
    "beyond_accuracy.lift": (
        (
            "sum-over-fewer",
            lambda i, r: _lift(sum(i["recommended"]) / (len(i["recommended"]) - 1), i["known"]),
        ),
        ("other-list", lambda i, r: {"arp": float(np.mean(i["known"]))}),
        ("median-for-mean", lambda i, r: {"arp": float(np.median(i["recommended"]))}),
    ),
    "beyond_accuracy.in_bits": (
        ("mean-share", lambda i, r: {"novelty": float(np.mean(i["met"])) / i["users"]}),
        ("rarest-only", lambda i, r: {"novelty": math.log2(i["users"] / min(i["met"]))}),
        ("counts-for-shares", lambda i, r: {"novelty": float(np.mean(np.log2(i["met"])))}),
    ),
    "beyond_accuracy.four_films": (
        ("sum-of-others", lambda i, r: {"diversity": float(sum(i["similarities"]))}),
    ),
    "protocol.seed_interval": _of_an_interval("ndcg", "error", "low", "high"),
    "protocol.e11": (
        *_of_an_interval("gains", "low", "high"),
        (
            "gain-turned-round",
            lambda i, r: {"mean": -r["mean"], "low": -r["high"], "high": -r["low"]},
        ),
    ),
    "protocol.paired_gain": (
        (
            "signs-lost",
            lambda i, r: {"gain": float(np.mean(np.abs(np.subtract(i["new"], i["old"]))))},
        ),
        ("product-for-ratio", lambda i, r: {"t": r["gain"] * r["error"]}),
    ),
    "protocol.holm": (
        (
            "divided-not-multiplied",
            lambda i, r: {n: p / len(i["p"]) for n, p in zip("abc", i["p"], strict=True)},
        ),
    ),
    "protocol.funnel": (
        ("users-of-clicks", lambda i, r: {"conversion": i["orders"] / i["clickers"]}),
        ("wrong-denominator", lambda i, r: {"window": i["clickers"] / i["impressions"]}),
    ),
    "protocol.watch_time": (
        (
            "upper-middle",
            lambda i, r: {"median": float(sorted(i["minutes"])[len(i["minutes"]) // 2])},
        ),
        ("sum-for-mean", lambda i, r: {"trimmed": float(sum(sorted(i["minutes"])[1:-1]))}),
    ),
    "calibration.losses": (
        ("labels-turned", lambda i, r: _losses(i["said"], [1 - y for y in i["clicked"]])),
        (
            "clicks-only",
            lambda i, r: {"log_loss": -float(np.mean(np.log(_of_the_clicked(i))))},
        ),
    ),
    "calibration.upper_bin": (
        ("sum-for-mean", lambda i, r: _summed_bin(i)),
        ("other-bin", lambda i, r: _lower_bin(i)),
        ("ratio-for-gap", lambda i, r: {"gap": r["said"] / r["happened"]}),
    ),
    "calibration.ece": (
        (
            "square-not-root",
            lambda i, r: {"ece": sum(n * g * g for n, g in _gaps(i)) / sum(i["events"])},
        ),
        ("sum-of-gaps", lambda i, r: {"ece": sum(g for _, g in _gaps(i))}),
        (
            "weighted-gap",
            lambda i, r: {
                "largest": max((g, n) for n, g in _gaps(i))[1] * r["largest"] / sum(i["events"])
            },
        ),
        ("smallest-gap", lambda i, r: {"largest": min(g for _, g in _gaps(i))}),
    ),
    "calibration.platt": (
        (
            "base-two",
            lambda i, r: {
                "log_odds": r["log_odds"] / math.log(2),
                **_through_the_curve(i["a"] * r["log_odds"] / math.log(2) + i["b"]),
            },
        ),
        ("slope-for-intercept", lambda i, r: _through_the_curve(i["b"] * r["log_odds"] + i["a"])),
        ("intercept-turned", lambda i, r: _through_the_curve(i["a"] * r["log_odds"] - i["b"])),
        ("no-slope", lambda i, r: _through_the_curve(r["log_odds"] + i["b"])),
        (
            "odds-for-probability",
            lambda i, r: {"after": math.exp(i["a"] * r["log_odds"] + i["b"])},
        ),
    ),
    "bias.mean_that_lies": (
        (
            "sum-for-mean",
            lambda i, r: {
                "truth": float(np.dot(i["stars"], i["people"])),
                "observed": float(np.dot(np.multiply(i["stars"], i["people"]), i["chances"])),
            },
        ),
    ),
    "bias.e7": (
        (
            "complement-for-weight",
            lambda i, r: {
                "weight_a": 1 - i["p_a"],
                "weight_b": 1 - i["p_b"],
                "total_a": i["clicks_a"] * (1 - i["p_a"]),
                "total_b": i["clicks_b"] * (1 - i["p_b"]),
            },
        ),
    ),
    "bias.ips_and_snips": (
        ("not-complemented", _not_complemented(logged=True, wanted=False)),
        ("not-complemented", _not_complemented(logged=False, wanted=True)),
        ("not-complemented", _not_complemented(logged=True, wanted=True)),
    ),
    "bias.clip_weights": (
        ("clicks-for-rounds", lambda i, r: _per(i, sum(i["clicks"]))),
        ("clicks-ignored", lambda i, r: _per(i, len(i["clicks"]), clicks=False)),
        ("squares-for-size", lambda i, r: _squared_weights(i)),
    ),
    "bias.swap_positions": (
        ("clicked-rate", lambda i, r: {"attraction": i["clicked"][0] / i["shown"][0]}),
    ),
    "bias.shares_and_rates": (
        ("gap-for-ratio", lambda i, r: {"ratio": abs(r["rate_a"] - r["rate_b"])}),
        (
            "other-shares",
            lambda i, r: {"gap": abs(i["items"][0] - i["items"][1]) / sum(i["items"])},
        ),
    ),
    "choosing.three_answers": (
        ("squares-for-sizes", lambda i, r: {"mae": _mean_square(i)}),
        ("root-mean-square", lambda i, r: {"mae": math.sqrt(_mean_square(i))}),
    ),
    "choosing.two_goals": (
        ("all-hits-added", _of_two_lists(lambda ranks: sum(1 / rank for rank in ranks))),
        (
            "all-hits-averaged",
            _of_two_lists(lambda ranks: sum(1 / rank for rank in ranks) / len(ranks)),
        ),
        ("rank-plus-one", _of_two_lists(lambda ranks: 1 / (ranks[0] + 1))),
        ("rank-not-reciprocal", _of_two_lists(lambda ranks: float(ranks[0]))),
    ),
}
"""The ideas by exercise, each with how it comes out there."""
