"""Variety in words: what three numbers do not say."""

from __future__ import annotations

from recsys_metrics.workbook.exercises.base import Misconception
from recsys_metrics.workbook.exercises.open_answer import Text

explain_variety = Text(
    id="beyond_accuracy.explain_variety",
    title="Tell Mara what the numbers ask",
    prompt="""
A new recommender raises novelty by {bits} bits, diversity by {percent} %, and personalization as
well. "People will call it less boring", says its author. Mara asks you whether that follows.
Answer in three or four sentences.
""",
    inputs={"bits": 2, "percent": 30},
    draw=lambda rng: {"bits": int(rng.integers(2, 5)), "percent": int(rng.integers(10, 60))},
    model="It does not follow. None of the three asks whether anybody wanted the films: a "
    "recommender that draws lots would raise all three. Ask for a measure of hits beside them, "
    "NDCG or serendipity, on the same users, with the interval of its difference. And say which "
    "similarity the diversity uses, and what was expected in the serendipity. Whether people are "
    "bored, only people can say: a test with users, or a question to them.",
    criteria=(
        "It says that none of the three asks whether the films were wanted, or that lots would "
        "raise them all.",
        "It asks for an accuracy measure or serendipity beside them.",
        "It asks how one of the numbers was made: similarity, baseline, users, or an interval.",
    ),
    misconceptions=(
        Misconception(
            id="variety-for-taste",
            name="different for fitting",
            wrong_answer=lambda inputs: None,
            cause="Lists that are new, varied and different need not fit anybody.",
            hint="Which recommender would win a contest in these three numbers?",
        ),
    ),
    hints=(
        "Which recommender, that nobody would launch, is best in all three?",
        "Which measure of this part asks what somebody liked?",
        "What would you have to know about each number before you compare it with another?",
    ),
    insight="Variety is easy to have. The question is what it does to the hits.",
    minutes=4,
    points=2,
)
