"""Bias in words: what a log of the old system says about a new one."""

from __future__ import annotations

from recsys_metrics.workbook.exercises.base import Misconception
from recsys_metrics.workbook.exercises.open_answer import Text

explain_log = Text(
    id="bias.explain_log",
    title="Tell Mara what a log cannot say",
    prompt="""
The new recommender shows other films than the old one. On last week's clicks of the old one it has
{share} % fewer hits, and Mara wants to drop it.
Tell her in two or three sentences what these clicks cannot say about the new recommender, and
what could.
""",
    inputs={"share": 30},
    draw=lambda rng: {"share": int(rng.integers(3, 9)) * 5},
    model="Only what the old system showed could be clicked, so a film that the new one would show "
    "and the old one did not counts as a miss, however well it is liked. The comparison rewards "
    "whoever repeats the old choices. A slice of traffic shown at random, logged chances to "
    "weigh the clicks by, or a live test could decide it.",
    criteria=(
        "It says that what was not shown could not be clicked.",
        "It says whom that favours: the old recommender, or one that resembles it.",
        "It names a cure: a random slice, logged propensities, or a live test.",
    ),
    misconceptions=(
        Misconception(
            id="more-of-the-same-log",
            name="a longer log",
            wrong_answer=lambda inputs: None,
            cause="More weeks of the same log leave out the same films.",
            hint="In which week would a film be clicked that is never shown?",
        ),
    ),
    hints=(
        "How could a film get a click last week?",
        "What does a hit on these clicks reward?",
        "Say what would have to be logged, or shown, to know better.",
    ),
    insight="A log answers for what its system did.",
    minutes=4,
    points=2,
)


refuse_log = Text(
    id="bias.refuse_log",
    title="Send a log back",
    prompt="""
Mara has a log of {n} rounds and asks what the new recommender would have earned. Its weights are
worth {worth} even rounds, and a share of {never} % of what the new recommender shows could not be
in the log. "The estimate has an interval," she says. "Give me that."

Write her two or three sentences: why you give no number, and what she could do instead.
""",
    inputs={"n": "50,000", "worth": 40, "never": 8},
    draw=lambda rng: {
        "n": str(rng.choice(["20,000", "50,000", "80,000"])),
        "worth": int(rng.integers(2, 9)) * 10,
        "never": int(rng.integers(3, 16)),
    },
    model="A few dozen rounds carry all the weight, so the interval knows nothing of the rounds "
    "that did not come up, and is too narrow. What the old recommender could never show is in no "
    "round, and no weight brings it back. Show a small slice of the pages at random for some "
    "weeks, or ask about a recommender that stays within what was shown; or test the two live.",
    criteria=(
        "It says that few rounds carry the weight, so that the interval cannot be believed.",
        "It says that what could never be shown has no estimate at all.",
        "It names what to do: a random slice, a question within the log, or a live test.",
    ),
    misconceptions=(
        Misconception(
            id="length-for-worth",
            name="length for worth",
            wrong_answer=lambda inputs: None,
            cause="The answer leans on the length of the log. The weights leave a small part of "
            "it to speak.",
            hint="How many even rounds are left?",
        ),
        Misconception(
            id="seldom-for-never",
            name="seldom for never",
            wrong_answer=lambda inputs: None,
            cause="The answer asks for a longer log of the same kind. What was never shown stays "
            "out of that one, too.",
            hint="In which week would the old recommender show it?",
        ),
    ),
    hints=(
        "Two numbers of the three refuse. Which?",
        "Say of each what it does to the interval.",
        "End with something that can be done on Monday.",
    ),
    insight="A refusal with a plan is an answer.",
    minutes=3,
    points=2,
)
