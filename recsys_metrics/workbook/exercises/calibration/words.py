"""Calibration in words: what two numbers do not say."""

from __future__ import annotations

from recsys_metrics.workbook.exercises.base import Misconception
from recsys_metrics.workbook.exercises.open_answer import Text

explain_ece = Text(
    id="calibration.explain_ece",
    title="Tell the one who deploys it",
    prompt="""
Team A reports an ECE of {low} % on {few} events in {bins} bins, team B one of {high} % on {many}
events in 10 bins. The manager wants to deploy A's model, "which is better calibrated".
Tell them in two or three sentences why these two numbers do not decide it, and what would.
""",
    inputs={"low": 4, "high": 5, "few": 300, "many": "50,000", "bins": 3},
    draw=lambda rng: {
        "low": int(rng.choice([3, 4])),
        "high": int(rng.choice([5, 6])),
        "few": int(rng.choice([200, 300, 400])),
        "many": str(rng.choice(["20,000", "50,000", "80,000"])),
        "bins": int(rng.choice([2, 3, 4])),
    },
    model="An ECE depends on its bins and on how many events fill them: few wide bins let errors "
    "of opposite sign cancel, and few events add a gap of their own by chance. The two were "
    "computed on other events with other bins, so their difference may be neither model's. "
    "Compute both on the same events with the same bins, with an interval, or compare a proper "
    "score such as the Brier score or the log loss.",
    criteria=(
        "It says that the number of bins, or of events, moves an ECE whatever the model.",
        "It asks for the same events and the same bins for both, or for an interval.",
        "It names a score that sees more than calibration: Brier score, log loss, or a diagram.",
    ),
    misconceptions=(
        Misconception(
            id="lower-is-calibrated",
            name="the lower number",
            wrong_answer=lambda inputs: None,
            cause="The lower ECE comes from fewer, wider bins: errors of opposite sign can cancel "
            "within one.",
            hint="What would B's model get in as few bins?",
        ),
    ),
    hints=(
        "Which of the two had more chance to hide an error within a bin?",
        "What ECE does a model without any error have on few events?",
        "Say what both would have to share before they are compared.",
    ),
    insight="An ECE without its bins and its events is half a number.",
    minutes=4,
    points=2,
)

explain_badge = Text(
    id="calibration.explain_badge",
    title="May Matinee print the badge?",
    prompt="""
Matinee wants to print "you will like it nine times in ten" beside films to which Platt's map gives
nine tenths or more. Of all such films in the test, {liked} % were liked; the interval, with people
kept whole, holds nine tenths. "So everybody can rely on it", says Bob.
Tell Mara in three or four sentences what she may promise, to whom, and what she has to watch.
""",
    inputs={"liked": 93},
    draw=lambda rng: {"liked": int(rng.integers(90, 95))},
    model="For all people together nothing speaks against the promise: the interval holds nine "
    "tenths. It is a promise about many films and people on average, so some people may find "
    "fewer than nine in ten; look at groups, newcomers above all, since a map that is right on "
    "average can be off for each. The films were rated by choice, so it says little of films that "
    "nobody chose. Compute said against liked again each month, by time, and take the badge away "
    "when the interval leaves nine tenths.",
    criteria=(
        "It says that the promise holds on average, and that this does not make it hold for each "
        "person or group.",
        "It names a group or a kind of film to be looked at by itself.",
        "It says what is to be watched: the newest ratings again, with an interval by people.",
    ),
    misconceptions=(
        Misconception(
            id="average-for-each",
            name="calibrated on average",
            wrong_answer=lambda inputs: None,
            cause="A share over everybody can be right while it is too high for some and too low "
            "for others.",
            hint="What did the split by earlier ratings show?",
        ),
    ),
    hints=(
        "Whose nine in ten is it: that of each person, or that of all films with a badge?",
        "For whom was the same map off, and in which direction?",
        "The test is the past. What has to be computed again, and how often?",
    ),
    insight="A promise is about somebody. Say about whom, and look again.",
    minutes=5,
    points=2,
)
