"""What is guessed before the parts on evidence, on MovieLens, on people and on live tests."""

from __future__ import annotations

from recsys_metrics.workbook.exercises.prediction import Predict

overlap = Predict(
    id="protocol.overlap",
    title="Five against five",
    prompt="""
The old recommender was trained with five seeds, and the new one with the same five. The mean of
the new one is higher. Its five values and those of the old one overlap nearly whole.

What may you write about the gain?
""",
    options={
        "shown": "It is shown: the mean is higher.",
        "none": "It is shown that there is none: the values overlap.",
        "open": "Neither: one has to look at something else.",
    },
    beliefs={
        "shown": "You trust a mean of five runs. Watch for how far such a mean moves from five "
        "runs to the next five.",
        "none": "You hold one crowd against the other. Watch for what becomes of that when the "
        "runs come in pairs.",
        "open": "You expect the two rows to hold more than two means and two ranges. Watch for "
        "what is subtracted from what.",
    },
    observed="Neither the means nor the overlap settles it: the gains do, one for each seed. The "
    "interval of two independent groups includes 0; of these runs, taken as pairs that share what "
    "the seed fixed, each gain is above 0, and the interval excludes 0.",
)

other_moments = Predict(
    id="protocol.other_moments",
    title="Another moment",
    prompt="""
At one cut of the log the interval of the difference between EASE and item kNN excludes 0. Cut the
same log at four earlier times, train both again, and compare again.

At how many of the five cuts is a difference detected, if the p-values are corrected for five?
""",
    options={
        "all": "At all five: a difference that was detected once is real.",
        "some": "At some: the conclusion is not the same at every cut.",
        "one": "At that one only: it was chance.",
    },
    beliefs={
        "all": "You take the result for one about the models alone. Watch for which users are "
        "tested at each cut.",
        "some": "You expect the cut to matter, and not everything to be chance. Watch for the sign "
        "of the other differences.",
        "one": "You suspect that somebody picked the cut. Watch for which side of 0 the other "
        "gains lie on.",
    },
    # claim c709: 04_protocol_movielens: EASE > item kNN (40 % train)
    # claim c709: 04_protocol_movielens: EASE > item kNN (50 % train)
    # claim c709: 04_protocol_movielens: EASE ? item kNN (60 % train)
    # claim c709: 04_protocol_movielens: EASE ? item kNN (70 % train)
    # claim c709: 04_protocol_movielens: EASE ~ item kNN (80 % train)
    observed="At two of the five. The mean of EASE is higher at all five cuts, but at two of them "
    "the interval includes 0, and at the last one the corrected p-value is 0.11. The settings were "
    "chosen on ratings that the four earlier cuts test.",
    ordered=True,
)

twenty_looks = Predict(
    id="protocol.twenty_looks",
    title="Twenty looks at nothing",
    prompt="""
Two groups get the very same recommender. Somebody looks at the test twenty times, and stops at the
first look at which the difference convinces at 5 %.

Of a hundred such tests, how many report a difference?
""",
    options={
        "five": "About five: that is what 5 % means.",
        "ten": "About ten.",
        "twenty-five": "About twenty-five.",
        "all": "Nearly all: with twenty looks one of them convinces.",
    },
    beliefs={
        "five": "You hold the promise of one look to be that of the whole test. Watch for how "
        "many chances it gets.",
        "ten": "You expect looks to cost something. Watch for how much each further look adds.",
        "twenty-five": "You expect looks to cost much, and to resemble each other. Watch for where "
        "it ends with more of them.",
        "all": "Twenty looks that knew nothing of each other would come near that. Watch for what "
        "one look shares with the next.",
    },
    observed="About twenty-five. One look at the end is wrong about five times in a hundred. Each "
    "look adds a chance, and all looks share most of their users, so the errors of twenty looks do "
    "not add up.",
    ordered=True,
)

which_unit = Predict(
    id="protocol.which_unit",
    title="People, or what they were shown",
    prompt="""
Four hundred live tests compare a recommender with itself. Clicks per impression is what decides, at
5 %. One team counts people as its cases, another counts impressions, of which there are many more.

How often does the second team report a difference, where there is none?
""",
    options={
        "seldom": "Less often than one time in twenty: more cases, surer results.",
        "promised": "One time in twenty, as the first: the unit is a matter of taste.",
        "often": "Several times as often.",
    },
    beliefs={
        "seldom": "You expect more cases to say more. Watch for how much the tenth impression of a "
        "person says after nine.",
        "promised": "You trust the 5 %. Watch for what the test supposes of its cases.",
        "often": "You expect impressions to come in bundles, one for each person. Watch for how "
        "much that costs.",
    },
    observed="Several times as often: more than one such test in three reports a difference, where "
    "one in twenty was promised. With people as cases the promise holds.",
    ordered=True,
)

__all__ = ["other_moments", "overlap", "twenty_looks", "which_unit"]
