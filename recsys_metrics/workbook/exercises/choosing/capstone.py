"""Exercises around a whole evaluation: its steps, and the decision at its end."""

from __future__ import annotations

from recsys_metrics.workbook.exercises.base import Misconception, Step
from recsys_metrics.workbook.exercises.order import Order
from recsys_metrics.workbook.exercises.predict import Predict
from recsys_metrics.workbook.exercises.text import Text

_STEPS = ("goal", "split", "tune", "fit", "rank", "interval", "decide")

which_ships = Predict(
    id="choosing.which_ships",
    title="Will it ship?",
    prompt="""
A film site shows everybody the most popular films of the last five years.
You have trained EASE, a recommender that learns from what each user has seen.
Will the evaluation at the end of this chapter say: ship it?
""",
    options={
        "ship": "Yes: it knows the user, and popularity knows nobody",
        "no_gain": "No: it will not be more accurate",
        "unsure": "No: it may well be better, but there will not be evidence enough",
    },
    says={
        "ship": "Personal beats popular, most people expect. Watch the interval of the gain.",
        "no_gain": "Simple baselines are often underrated. Watch the sign of the gain.",
        "unsure": "You think of the number of users. Watch how large a gain they could show.",
    },
    came_out="""
The gain is above 0 and its interval holds 0: with so few users the evidence is missing.
What does differ for certain is the lists: more of the catalogue, fewer of the same films.
""",
)

evaluation_steps = Order(
    id="choosing.evaluation_steps",
    title="An evaluation from goal to decision",
    prompt="Put the steps of an offline evaluation into the order in which they keep each other "
    "honest.",
    code=False,
    lines={
        "goal": "Say what the list is for, and choose the one measure that will decide.",
        "split": "Cut the data in time: before the cut is known, after it is hidden.",
        "tune": "Choose settings for every model, the baseline too, on a part before the cut.",
        "fit": "Train the chosen models on all that lies before the cut.",
        "rank": "Rank the whole catalogue for each test user and judge the lists.",
        "interval": "Take the gain user by user, with its interval.",
        "decide": "Decide by the measure chosen, and write down everything else beside it.",
        "pick_best": "Look through all measures for one on which the new model wins.",
        "tune_on_test": "Choose settings by the values on the hidden part.",
    },
    solve=lambda _: _STEPS,
    misconceptions=(
        Misconception(
            id="trophy-metric",
            name="trophy measure",
            wrong=lambda _: [
                ("split", "tune", "fit", "rank", "interval", "pick_best", "decide"),
                ("goal", "split", "tune", "fit", "rank", "interval", "pick_best", "decide"),
                ("split", "tune", "fit", "rank", "interval", "goal", "decide"),
            ],
            cause="The measure was chosen after the results were seen. Of many measures, some "
            "come out well by chance.",
            ask="Which step must be done before anyone has seen a number?",
        ),
        Misconception(
            id="tuned-on-test",
            name="tuned on the test part",
            wrong=lambda _: [
                ("goal", "split", "fit", "rank", "tune_on_test", "interval", "decide"),
                ("goal", "split", "fit", "tune_on_test", "rank", "interval", "decide"),
                ("goal", "split", "tune_on_test", "fit", "rank", "interval", "decide"),
            ],
            cause="Settings were chosen by what they get on the hidden part, which then is no "
            "longer hidden.",
            ask="Which data may a setting be chosen on?",
        ),
        Misconception(
            id="leak-from-the-future",
            name="leak from the future",
            wrong=lambda _: [
                ("goal", "tune", "split", "fit", "rank", "interval", "decide"),
                ("goal", "fit", "split", "tune", "rank", "interval", "decide"),
                ("goal", "tune", "fit", "split", "rank", "interval", "decide"),
            ],
            cause="Models learned, or were chosen, before the data were cut, so they have seen "
            "what is tested.",
            ask="What must be hidden before any model learns?",
        ),
        Misconception(
            id="untuned-baseline",
            name="weak opponent",
            wrong=lambda _: ("goal", "split", "fit", "rank", "interval", "decide"),
            cause="Nobody chose settings, so at best the new model was cared for.",
            ask="Where does the baseline get the same care as the new model?",
        ),
    ),
    hints=(
        "Two of the lines are mistakes, and stay out.",
        "What must be decided before any number is seen comes first.",
        "Data are cut before anything learns, and settings are chosen before the last training.",
    ),
    steps=(
        Step(
            "The goal and the measure that decides come first, so that no result can choose them."
        ),
        Step(
            "Then the data are cut. All that learns or is chosen, settings included, uses the "
            "part before the cut."
        ),
        Step(
            "Only then are the hidden films looked at: lists, gains with their interval, decision."
        ),
    ),
    insight="Each step protects the next from what somebody would like to see.",
    minutes=4,
    points=2,
)

recommendation = Text(
    id="choosing.recommendation",
    title="Ship, or not?",
    prompt="""
Write your recommendation to the people who run the film site, in four or five sentences:
what you measured, what you found, how sure you are, and what they should do next.
""",
    model="""
We judged both systems on the same users, on films they liked after the cut, ranking the whole
catalogue. By NDCG@10, the measure chosen beforehand, EASE is ahead of the popular films of the
last five years, and the interval of the gain holds 0: do not replace the one by the other on this
evidence. With so few users only a much larger gain could have been seen. What does differ is the
lists: those of EASE are less popular and more varied, and use more of the catalogue. Of films of
the long tail today's list finds eleven and EASE none, too few to compare. Run an A/B test, long
enough for a gain of this size, with the coverage of the catalogue beside it.
""",
    criteria=(
        "It says which measure decided, with its K, and that it was chosen beforehand.",
        "It gives the gain with its interval, not only the two means.",
        "It does not read a missing proof as a proof that there is no gain.",
        "It has something beyond accuracy, and for whom the lists are worse.",
        "It says what to do next.",
    ),
    hints=(
        "Begin with what was compared, on whom, and with which measure.",
        "The interval decides; the beyond-accuracy measures say what the decision would cost.",
        "End with one thing they can do on Monday.",
    ),
    insight="A recommendation that fits in five sentences will be read.",
    minutes=10,
    points=3,
)
