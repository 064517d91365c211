"""The guesses at the start of the parts."""

from __future__ import annotations

from recsys_metrics.workbook.exercises.prediction import Predict

first_guess = Predict(
    id="bias.first_guess",
    title="Twenty items that everybody likes equally",
    prompt="""
Twenty items are liked equally by all of {users} users. Each user is shown three of them a day, at
random on the first day. From then on a recommender shows the three items with the most clicks so
far. After ten days, how many different items are still being shown?
""",
    options={
        "all": "All twenty: none is better than another.",
        "most": "Most of them; a few fall behind by chance.",
        "half": "About half of them.",
        "few": "Three or four.",
    },
    beliefs={
        "all": "You expect equal items to be treated equally. Look out for what the recommender "
        "knows: clicks, and not what was liked.",
        "most": "You expect chance to average out as days go by. Look out for who gets the next "
        "click, and whether a lead can ever be caught up.",
        "half": "You expect some drift. Look out for how many days it takes.",
        "few": "You expect a small lead to feed on itself. Look out for what it costs, and for "
        "whether anybody would notice from the clicks.",
    },
    observed="Three were left from the second day on. In this simulation the items were equal; "
    "the log was not, and the recommender learned from the log.",
    inputs={"users": 100},
)

liked_better = Predict(
    id="bias.liked_better",
    title="As many clicks, and seldom shown",
    prompt="""
Matinee showed *Armageddon* {times} times as often as *Brief Encounter*. People clicked each
{clicks} times. Which do they like better?
""",
    options={
        "often": "*Armageddon*: it was shown more, and that has its reasons.",
        "seldom": "*Brief Encounter*.",
        "alike": "Both alike: the clicks are equal.",
        "unknown": "The clicks do not say.",
    },
    beliefs={
        "often": "You trust whoever chose what to show. Look out for what was shown often because "
        "it had been clicked, and clicked because it was shown.",
        "seldom": "You ask how often each could have been clicked. Look out for how to put that "
        "into a number.",
        "alike": "You count clicks. Look out for what a click needs before anybody can like "
        "anything.",
        "unknown": "You would want to know more than the clicks. Look out for what is known beside "
        "them.",
    },
    observed="*Brief Encounter*, by these clicks: it had a ninth of the impressions, and the same "
    "number of clicks.",
    inputs={"times": "nine", "clicks": "twenty"},
)

which_log = Predict(
    id="bias.which_log",
    title="Two logs of one week",
    prompt="""
A policy that shows items at random ran for a week; one that learns ran beside it. Each has a log
of {rounds} rounds. From which log can you say more about the other policy?
""",
    options={
        "random": "From the random one.",
        "learned": "From the learned one: it shows what works.",
        "same": "As much from both, since they are of one length.",
    },
    beliefs={
        "random": "You think of what a log has looked at. Look out for how many even rounds each "
        "is worth.",
        "learned": "You think of what brings clicks. Look out for what the learned policy hardly "
        "ever shows.",
        "same": "You count rounds. Look out for what a round weighs when another policy is asked "
        "about.",
    },
    observed="From the random one: in this sample its rounds were worth several times as many.",
    inputs={"rounds": "ten thousand"},
)

intervals_that_hold = Predict(
    id="bias.intervals_that_hold",
    title="An interval that looks narrow enough",
    prompt="""
The sharpest old policy of this part shows little but the most popular films. You ask its log of
{rounds} rounds about a new policy, by IPS. The weights are worth {worth} even rounds, and the 95 %
interval looks narrow enough to decide. Over many such logs, what share of these intervals holds
the truth?
""",
    options={
        "all": "About 95 %, as the interval says.",
        "most": "About 90 %.",
        "fewer": "About 80 %.",
    },
    beliefs={
        "all": "You trust the formula of the interval. Look out for what it is computed from.",
        "most": "You expect the weights to cost something. Look out for what the log has not seen.",
        "fewer": "You expect the weights to cost much. Look out for where the missing weight is, "
        "and whether the log could have told you.",
    },
    observed="In this simulation, with the sharpest policy about eighty in a hundred; with a "
    "gentler one, of about the same worth, more than ninety. The heaviest rounds came up in few of "
    "the logs; without them the interval is too narrow, around a value that is too low.",
    inputs={"rounds": "5,000", "worth": "300"},
    ordered=True,
)

tail_attention = Predict(
    id="bias.tail_attention",
    title="Half of the likes",
    prompt="""
{likes} of all likes on MovieLens go to a few films, the head; the others go to all other films,
the tail. The recommender EASE learned from these likes. What share of its users' attention does it
give to the tail?
""",
    options={
        "half": "About half.",
        "fifth": "About a fifth.",
        "tenth": "Less than a tenth.",
    },
    beliefs={
        "half": "You expect a model to give back what it learned. Look out for who takes the ten "
        "slots of a list.",
        "fifth": "You expect the head to gain, and the tail to keep something. Look out for how "
        "many films share the likes of the tail.",
        "tenth": "You expect the ten slots to go to what many like. Look out for whether any model "
        "does otherwise.",
    },
    observed="Three hundredths. A film of the tail has few likes, so it seldom is among the ten "
    "best of anybody.",
    inputs={"likes": "Half"},
    ordered=True,
)
