"""The closed loop, step by step."""

from __future__ import annotations

from recsys_metrics.workbook.exercises.base import Misconception, Step
from recsys_metrics.workbook.exercises.order import Order

_ROUND = ("score", "show", "click", "log", "train")

order_loop = Order(
    id="bias.order_loop",
    title="One round of the loop",
    prompt="""
A model has been trained. Put one round of the feedback loop in order, up to the next training, as
it runs in most systems, with nothing corrected.
""",
    lines={
        "score": "The model scores every item for every user.",
        "show": "Each user is shown the items with the best scores.",
        "click": "Users click some of what they are shown.",
        "log": "Items and clicks are added to the log.",
        "train": "The model is trained again, on the whole log.",
        "like": "Users click what they like best of the whole catalogue.",
        "weigh": "Each click in the log is weighed by one over its propensity.",
    },
    code=False,
    solve=lambda inputs: _ROUND,
    misconceptions=(
        Misconception(
            id="free-choice",
            name="silence for dislike",
            wrong_answer=lambda inputs: [
                ("score", "show", "like", "log", "train"),
                ("like", "log", "train", "score", "show"),
            ],
            cause="Users were given the whole catalogue to click. They can click what is shown, "
            "and nothing else: that is where exposure bias enters.",
            hint="Which of the two lines about clicks does the recommender allow?",
        ),
        Misconception(
            id="corrected",
            name="loop corrected",
            wrong_answer=lambda inputs: [
                ("score", "show", "click", "log", "weigh", "train"),
                ("score", "show", "click", "weigh", "log", "train"),
            ],
            cause="The clicks are weighed before training. That is one of the remedies; most "
            "systems learn from clicks as logged.",
            hint="What does the round look like with nothing corrected?",
        ),
        Misconception(
            id="trained-first",
            name="trained before logged",
            wrong_answer=lambda inputs: [
                ("train", "score", "show", "click", "log"),
                ("score", "show", "click", "train", "log"),
            ],
            cause="The model was trained before the new clicks were in the log, so it would not "
            "learn from them.",
            hint="The round begins with a trained model. What must be there before the next one?",
        ),
        Misconception(
            id="clicked-unseen",
            name="clicked before shown",
            wrong_answer=lambda inputs: ("score", "click", "show", "log", "train"),
            cause="Users clicked before they were shown anything.",
            hint="What has a user seen by the time of the click?",
        ),
    ),
    hints=(
        "It begins with the model and ends with the model.",
        "Users stand in the middle: after something is shown, before something is logged.",
        "Two lines do not belong: one gives users too much to choose from, one repairs the loop.",
    ),
    steps=(
        Step(
            "What the model shows limits what can be clicked; what is clicked is what the next "
            "model learns from. Output becomes input, and a lead becomes a larger lead."
        ),
    ),
    insight="Break the circle anywhere: show some items at random, weigh the clicks, or watch the "
    "concentration from training to training.",
    minutes=3,
    points=2,
)
