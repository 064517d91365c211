"""One over the propensity: what a click weighs."""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics.bias.propensity import inverse_propensity_weights
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.open_answer import Text

_STATED: Inputs = {"p_a": 0.8, "p_b": 0.2, "clicks_a": 2, "clicks_b": 1}


def _draw(rng: np.random.Generator) -> dict[str, Any]:
    """Return an item that is shown less and clicked less, and counts for more."""
    while True:
        p_a, p_b = (
            float(rng.choice([0.5, 0.6, 0.75, 0.8, 0.9])),
            float(rng.choice([0.05, 0.1, 0.15, 0.2, 0.25, 0.3])),
        )
        clicks_b = int(rng.integers(1, 4))
        clicks_a = clicks_b + int(rng.integers(1, 5))
        if clicks_b / p_b > clicks_a / p_a:
            return {"p_a": p_a, "p_b": p_b, "clicks_a": clicks_a, "clicks_b": clicks_b}


def _all(inputs: Inputs, weight_a: float, weight_b: float) -> dict[str, float]:
    """Return weights with the totals that follow from them."""
    return {
        "weight_a": weight_a,
        "weight_b": weight_b,
        "total_a": inputs["clicks_a"] * weight_a,
        "total_b": inputs["clicks_b"] * weight_b,
    }


def _solve(inputs: Inputs) -> dict[str, float]:
    weight_a, weight_b = inverse_propensity_weights([inputs["p_a"], inputs["p_b"]])
    return _all(inputs, float(weight_a), float(weight_b))


def _by_propensity(inputs: Inputs) -> dict[str, float]:
    return _all(inputs, inputs["p_a"], inputs["p_b"])


def _swapped(inputs: Inputs) -> dict[str, float]:
    return _all(inputs, 1 / inputs["p_b"], 1 / inputs["p_a"])


def _relative(inputs: Inputs) -> dict[str, float]:
    return _all(inputs, 1.0, inputs["p_a"] / inputs["p_b"])


def _raw_clicks(inputs: Inputs) -> dict[str, float]:
    return {"total_a": inputs["clicks_a"], "total_b": inputs["clicks_b"]}


def _one_click_each(inputs: Inputs) -> dict[str, float]:
    right = _solve(inputs)
    return {"total_a": right["weight_a"], "total_b": right["weight_b"]}


def _shares(inputs: Inputs) -> dict[str, float]:
    right = _solve(inputs)
    both = right["total_a"] + right["total_b"]
    return {"total_a": right["total_a"] / both, "total_b": right["total_b"] / both}


weight_of_a_click = Numbers(
    attribute="weight_of_a_click",
    id="bias.e7",
    title="What a click weighs",
    prompt="""
Item A was shown with propensity {p_a}, item B with propensity {p_b}. The log holds {clicks_a}
clicks on A; on B it holds {clicks_b}.

What does a click on each weigh, and what is each item's weighted total?
""",
    asks={
        "weight_a": "weight of a click on A",
        "weight_b": "weight of a click on B",
        "total_a": "weighted total of A",
        "total_b": "weighted total of B",
    },
    inputs=_STATED,
    solve=_solve,
    draw=_draw,
    misconceptions=(
        Misconception(
            id="propensity-not-inverse",
            name="propensity for its inverse",
            wrong_answer=_by_propensity,
            cause="Each click was weighed by the propensity itself, so that what was shown often "
            "counts even more.",
            hint=(
                "Should a click on the rarely shown item weigh more or less than one on the other?"
            ),
        ),
        Misconception(
            id="swapped-propensities",
            name="swapped propensities",
            wrong_answer=_swapped,
            cause="Each click was weighed by the other item's propensity, or by the chance of not "
            "being shown.",
            hint="What should a click weigh on an item that is always shown?",
        ),
        Misconception(
            id="relative-weight",
            name="relative weight",
            wrong_answer=_relative,
            cause="The weights were given relative to A. Their ratio is right; the inverse "
            "propensity of A is not 1.",
            hint="What is one divided by A's propensity?",
        ),
        Misconception(
            id="raw-clicks",
            name="clicks as logged",
            wrong_answer=_raw_clicks,
            cause="The totals are the numbers of clicks, without their weights.",
            hint="What does each of these clicks weigh?",
        ),
        Misconception(
            id="one-click-each",
            name="weight for total",
            wrong_answer=_one_click_each,
            cause="The weight of one click was given as the total.",
            hint="How many clicks does each item have?",
        ),
        Misconception(
            id="shares-for-totals",
            name="share for total",
            wrong_answer=_shares,
            cause="The totals were divided by their sum. That gives each item's share.",
            hint="How many clicks would you expect on the item, had it always been shown?",
        ),
    ),
    hints=(
        "The rarer something is shown, the more a click on it says.",
        "A click weighs one divided by the propensity of its item.",
        "The total is the number of clicks times the weight of one.",
    ),
    steps=(
        Step(
            "One over each propensity.",
            "weight_a, weight_b = 1 / p_a, 1 / p_b\n"
            "{p_a: round(weight_a, 3), p_b: round(weight_b, 3)}",
        ),
        Step(
            "Times the clicks.",
            "total_a, total_b = clicks_a * weight_a, clicks_b * weight_b\n"
            "round(total_a, 3), round(total_b, 3)",
        ),
        Step(
            "By clicks as logged A leads. By what could be expected if both were always shown, B "
            "does: few clicks, and hardly a chance to get any."
        ),
    ),
    insight="Fewer clicks, larger total: a click on B came through a narrower door, so it stands "
    "for more of those that could not come.",
    minutes=4,
    points=4,
)


why_b_counts_more = Choice(
    attribute="why_b_counts_more",
    id="bias.e7_why",
    title="Why B counts for more",
    same_for_all=True,
    prompt="""
Item A was shown with propensity {p_a} and has {clicks_a} clicks. Item B was shown with propensity
{p_b} and has {clicks_b}. Weighted, B's total is the larger one. Why?
""",
    options={
        "stands-for": "B had few chances to be clicked, so each click stands for others that would "
        "have come, had it been shown.",
        "bonus": "Rare items deserve support, and the weight is a bonus for them.",
        "certain": "A click on a rare item is more certain, so it carries less noise.",
        "equalise": "The weights make up for the difference in clicks, so that no item is ahead.",
    },
    inputs=_STATED,
    solve=lambda inputs: "stands-for",
    draw=_draw,
    reasons={
        "stands-for": "Clicks over propensity is what could be expected from showing the item "
        "always.",
    },
    misconceptions=(
        Misconception(
            id="weight-as-bonus",
            name="weight for bonus",
            wrong_answer=lambda inputs: "bonus",
            cause="The weight is no favour: on average it restores the total that full exposure "
            "would have given, no more. A rare item that nobody likes gets nothing.",
            hint="What is the weighted total of an item without clicks?",
        ),
        Misconception(
            id="weight-as-certainty",
            name="weight for certainty",
            wrong_answer=lambda inputs: "certain",
            cause="It is the other way round: one click more or less on a rare item moves its "
            "total by a large weight, so its total is the noisier one.",
            hint="By how much does each total change if its item gets one click more?",
        ),
        Misconception(
            id="weight-as-levelling",
            name="weight for levelling",
            wrong_answer=lambda inputs: "equalise",
            cause="The weights undo the difference in exposure, not in clicks. Here they turn the "
            "order round; with other clicks they would not.",
            hint="If both had been shown always, would they have the same number of clicks?",
        ),
    ),
    hints=(
        "What do the totals estimate?",
        "Suppose B had been shown as often as A. About how many clicks would it have?",
        "One of the answers speaks of clicks that could not happen.",
    ),
    steps=(
        Step(
            "Expected clicks are chances to be seen times liking. Dividing by the chances leaves "
            "the liking, up to a factor that is the same for all.",
            "{p_a: round(clicks_a / p_a, 3), p_b: round(clicks_b / p_b, 3)}",
        ),
    ),
    insight="Inverse propensity is bookkeeping: it counts those who could not speak through those "
    "who did.",
    minutes=2,
    points=1,
)


explain_the_weights = Text(
    attribute="explain_the_weights",
    id="bias.e7_in_words",
    title="Say why to Mara",
    prompt="""
Item A was shown with propensity {p_a} and has {clicks_a} clicks. Item B was shown with propensity
{p_b} and has {clicks_b}. Your report puts B first.

"B has fewer clicks, and you call it the better one," says Mara. "You made these clicks up." Answer
her in two or three sentences, in your own words and without a formula.
""",
    inputs=_STATED,
    draw=_draw,
    model="The clicks hold two things: how often an item was shown, and how well it is liked. "
    "B had fewer occasions to be clicked than A, so each of its clicks stands for others that "
    "would have come, had we shown it as often. The weight takes the showing out and leaves the "
    "liking. It adds nothing to an item that nobody clicks, and few clicks on B leave its total "
    "uncertain.",
    criteria=(
        "It says that clicks depend on how often an item was shown, not on liking alone.",
        "It says what a click on B stands for: clicks that could not happen.",
        "It says a limit: no clicks stay none, or the total of the rare item is the less certain.",
    ),
    misconceptions=(
        Misconception(
            id="weight-as-bonus",
            name="weight for bonus",
            wrong_answer=lambda inputs: None,
            cause="The answer says that rare items deserve help. The weight is no favour: it "
            "restores what showing the item always would have given.",
            hint="What is the weighted total of a rare item that nobody clicks?",
        ),
        Misconception(
            id="formula-repeated",
            name="the formula again",
            wrong_answer=lambda inputs: None,
            cause="The answer says that one divides by the propensity. That is what was done, and "
            "Mara asks why.",
            hint="What would have happened, had B been shown as often as A?",
        ),
    ),
    hints=(
        "Begin with what a click needs before anybody can like anything.",
        "Suppose both items had been shown to everybody. How many clicks would each have?",
        "End with what the weight cannot do.",
    ),
    insight="Who can say it without the formula can also say when it fails.",
    minutes=3,
    points=2,
)
