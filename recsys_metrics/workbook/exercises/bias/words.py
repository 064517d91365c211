"""Bias in words: what a log of the old system says about a new one."""

from __future__ import annotations

from recsys_metrics.workbook.exercises.base import Misconception
from recsys_metrics.workbook.exercises.text import Text

explain_log = Text(
    id="bias.explain_log",
    title="Tell the product owner",
    prompt="""
The new recommender shows other films than the old one. On last week's clicks of the old one it has
{share} % fewer hits, and the product owner wants to drop it.
Tell them in two or three sentences what these clicks cannot say about the new recommender, and
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
            wrong=lambda inputs: None,
            cause="More weeks of the same log leave out the same films.",
            ask="In which week would a film be clicked that is never shown?",
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
