"""Protocol in words: why a headline is no evidence, a conclusion, offline and live, a plan."""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics.protocol.significance import t_interval
from recsys_metrics.workbook.exercises.base import Inputs, Misconception
from recsys_metrics.workbook.exercises.open_answer import Text


def _nothing(inputs: Inputs) -> None:
    """No answer in words is told by its value."""


# E10 -------------------------------------------------------------------------------------------


def _headline(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "gain": f"{int(rng.integers(1, 10))} thousandths",
        "k": int(rng.choice([5, 10, 20])),
        "n": int(rng.choice([50, 99, 100, 200])),
    }


why_the_mean_is_not_enough = Text(
    attribute="why_the_mean_is_not_enough",
    id="protocol.e10_why",
    title="Why the headline is not enough",
    prompt="""
Mara has one line from the engineers: *the new model beats the old one by {gain} of NDCG@{k}*.
Each hidden film was ranked among {n} others, drawn at random.

Write her two or three sentences. Why does this line not show that the new model is better? Say of
each of the two facts that you ask for how the gain could be gone, or turned round, once you know
it.
""",
    inputs={"gain": "4 thousandths", "k": 10, "n": 100},
    draw=_headline,
    model="A gain of {gain} may be luck: other seeds, or other users, could have given a loss of "
    "that size, so I ask for the interval of the gain, over the same users and over several "
    "seeds. And among {n} drawn films the order of two models can be the reverse of their order "
    "among all films, as Krichene and Rendle showed in 2020; no larger number of users mends "
    "that, so I ask for the ranks among the whole catalogue.",
    criteria=(
        "It says that the gain may be chance, and of what: seeds, or users.",
        "It asks for an interval or a test of the paired gain.",
        "It says that against a sample the order of two models can be the reverse of the full "
        "order.",
        "It says, or cites the result, that this is no accident of few users: more data do not "
        "mend it.",
    ),
    misconceptions=(
        Misconception(
            id="small-so-unreal",
            name="small taken for unreal",
            wrong_answer=_nothing,
            cause="That {gain} is little is no reason: a small gain can be sure, and a large one "
            "luck.",
            hint="Which interval would make a gain of this size sure?",
        ),
        Misconception(
            id="more-users-mend-sampling",
            name="noise for bias",
            wrong_answer=_nothing,
            cause="More users make the sampled number steadier. They do not make it the full one.",
            hint="Among how many films does the live system choose?",
        ),
    ),
    hints=(
        "There are two doubts. One would be smaller with more seeds and users, the other would "
        "not.",
        "For the first ask: what if it had been other users? For the second: what if it had been "
        "all films?",
        "Begin with: the gain may be luck, because …; and the order may turn round, because …",
    ),
    insight="Chance and candidates are two doubts, and each needs its own fact.",
    minutes=3,
    points=2,
)


# E11 -------------------------------------------------------------------------------------------


def _draw_gains(rng: np.random.Generator) -> dict[str, Any]:
    while True:
        middle = int(rng.integers(2, 10))
        gains = [int(g) / 1000 for g in middle + rng.choice(np.arange(-14, 15), 5, replace=False)]
        if np.mean(gains) > 0:
            return {"gains": gains}


def _ends(inputs: Inputs) -> str:
    low, high = t_interval(inputs["gains"])
    return f"[{low:.3f}, {high:.3f}]"


def _conclusion_in_words(inputs: Inputs) -> str:
    if t_interval(inputs["gains"]).low > 0:
        return (
            f"I would ship B: the whole 95 % interval of its gain, {_ends(inputs)}, lies above 0, "
            "so a difference of this size seldom comes up without any gain. It says nothing of "
            "other users: the five runs differ only in their seeds. And ask whether a gain as "
            "small as the lower end is worth what B costs."
        )
    return (
        f"I would not ship B: the 95 % interval of its gain, {_ends(inputs)}, holds 0, so five "
        "runs of two equal models could well look like this. That does not show that B is no "
        "better: gains lie in the interval, too. More runs, or more users, would make it "
        "narrower."
    )


def _reason(inputs: Inputs) -> str:
    where = "lies above 0" if t_interval(inputs["gains"]).low > 0 else "holds 0"
    return f"It gives the reason in one sentence: the interval of the gain {where}."


why_ship_or_not = Text(
    attribute="why_ship_or_not",
    id="protocol.e11_why",
    title="Ship it, or not, and why",
    prompt="""
Over five seeds that both models share, B gained {gains} in NDCG@10. The mean is above 0, and an
engineer wants to ship B today.

Answer in two or three sentences. Do you ship B? Give the reason in one sentence, and say what
your answer does *not* say about B.
""",
    inputs={"gains": [0.012, -0.006, 0.011, -0.004, 0.002]},
    draw=_draw_gains,
    model=_conclusion_in_words,
    criteria=(
        "It says whether to ship.",
        _reason,
        "It says what is left open: another conclusion is possible with more evidence, or what the "
        "five seeds say nothing about.",
        "It does not lean on the mean alone, nor on the number of runs that B won.",
    ),
    misconceptions=(
        Misconception(
            id="absence-in-words",
            name="absence for proof",
            wrong_answer=_nothing,
            cause="*There is no difference* is more than an interval that holds 0 can say.",
            hint="Which gains does the interval leave possible?",
        ),
        Misconception(
            id="mean-in-words",
            name="headline mean",
            wrong_answer=_nothing,
            cause="A mean above 0 comes up every other time where nothing was gained.",
            hint="How far from 0 is the mean, in standard errors?",
        ),
    ),
    hints=(
        "Compute the interval of the gain first, as in the exercise before.",
        "The reason is where that interval lies. The mean alone is none.",
        "Then ask: could B still be better, or worse? Of which other luck does the interval not "
        "know?",
    ),
    insight="A conclusion is a sentence about evidence, and seldom one about the models.",
    minutes=3,
    points=2,
)


# Offline and live ------------------------------------------------------------------------------


offline_live = Text(
    id="protocol.offline_live",
    title="It led on the log, and nobody clicks",
    prompt="""
A new recommender gained {percent} % in NDCG@{k} on Matinee's log. Live, the two groups click alike.
Mara asks: "Which of the two numbers is wrong?"

Answer her in three sentences or so: say what each number was computed on, name two reasons why
they can part, and say which of them decides.
""",
    inputs={"percent": 8, "k": 10},
    draw=lambda rng: {
        "percent": int(rng.integers(3, 15)),
        "k": int(rng.choice([5, 10, 20])),
    },
    model="Neither is wrong, for they answer two questions. The log holds what people did with "
    "what the old system showed them: films that it never showed count as misses, and a film that "
    "somebody would have found anyway counts as a hit and gains nothing. The live test shows each "
    "group its own page and counts all that follows, so it decides; the log said only which "
    "recommender deserved a test.",
    criteria=(
        "It says that the offline number was computed on what the old system had shown.",
        "It names two reasons why the numbers can part: films never shown, hits that would have "
        "come anyway, another measure than clicks, a page around the list.",
        "It says that the live test decides, and what the offline number is for.",
    ),
    misconceptions=(
        Misconception(
            id="one-is-wrong",
            name="one of them is wrong",
            wrong_answer=_nothing,
            cause="Both can be right: a list can find more of what was rated and bring no click "
            "that would not have come anyway.",
            hint="Of whose pages were the ratings of the log?",
        ),
        Misconception(
            id="equal-live",
            name="absence for proof",
            wrong_answer=_nothing,
            cause="That the groups click alike is also what a live test shows that is too small.",
            hint="How large a lift could that test have seen?",
        ),
    ),
    hints=(
        "What did people see when the log was written, and what do they see now?",
        "What happens to a good film that the old system never showed? And to one that its user "
        "searches for anyway?",
        "One of them filters, the other decides.",
    ),
    insight="The log filters ideas; an A/B test with users decides.",
    minutes=4,
    points=2,
)

# The plan of a test ----------------------------------------------------------------------------


plan_test = Text(
    id="protocol.plan_test",
    title="Name the day beforehand",
    prompt="""
Mara will test the new recommender on live users. A gain of {percent} % in sessions per user would
be worth having, and {users} people come to Matinee in two weeks.

Write the plan that she signs before the test begins, in four or five sentences, so that afterwards
nobody can ask which day counts.
""",
    inputs={"percent": 5, "users": "60,000"},
    draw=lambda rng: {
        "percent": int(rng.integers(2, 9)),
        "users": f"{int(rng.integers(3, 12)) * 10_000:,}",
    },
    model="A coin is tossed for each person, and people are the units. Sessions per user decide: "
    "we ship if the whole 95 % interval of the gain lies above 0 after two whole weeks. We plan "
    "for a gain of {percent} %; from last month's deviation we have computed whether {users} "
    "people are enough to find it, and if not, for how many weeks the test runs. Revenue per user "
    "is the guardrail: its interval has to lie above a loss of one per cent. Before any lift we "
    "read how many people each group has. We look once, on the last day; if anybody wants to look "
    "on Fridays, the bounds for those looks are fixed now.",
    criteria=(
        "It names the one number that decides, and what counts as a success.",
        "It names the unit: people.",
        "It says how many people, or how long in whole weeks, and from what that was computed.",
        "It says when somebody looks: once at the end, or at named looks with bounds.",
        "It names a guardrail with a margin.",
        "It says that the groups' sizes are checked before the lift is read.",
    ),
    misconceptions=(
        Misconception(
            id="until-clear",
            name="peeking",
            wrong_answer=_nothing,
            cause="*Until the gain is clear* names no day: among many days one is good by luck.",
            hint="On which days may the test stop, and with which bound?",
        ),
        Misconception(
            id="many-criteria",
            name="many looks",
            wrong_answer=_nothing,
            cause="If any of several numbers may decide, one of them will.",
            hint="Which number decides if two of them disagree?",
        ),
        Misconception(
            id="guardrail-without-margin",
            name="no difference taken for equal",
            wrong_answer=_nothing,
            cause="*Revenue must not fall significantly* is kept by any test that is too small.",
            hint="Which loss would be too small to matter?",
        ),
    ),
    hints=(
        "Go through the part from its top: what is measured, how many, how long, whose coin, when "
        "somebody looks.",
        "For each ask: could it be chosen afterwards, so that the result pleases?",
        "Begin with: each person gets …; the number that decides is …",
    ),
    insight="A day counts if it was named beforehand.",
    minutes=4,
    points=2,
)

__all__ = ["offline_live", "plan_test", "why_ship_or_not", "why_the_mean_is_not_enough"]
