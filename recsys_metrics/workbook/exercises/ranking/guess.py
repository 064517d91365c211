"""The guesses at the start of each part."""

from __future__ import annotations

from recsys_metrics.workbook.exercises.prediction import Predict
from recsys_metrics.workbook.exercises.ranking import running_list

first_guess = Predict(
    id="ranking.first_guess",
    title="One list, three numbers",
    prompt="Which of these numbers will be the highest for this list?",
    options={
        "precision": "Of the films shown, the share that is wanted.",
        "recall": "Of the films wanted, the share that is shown.",
        "ndcg": "What wanted films add, less the lower they stand, out of the most they could.",
        "alike": "They will be nearly the same.",
    },
    beliefs={
        "precision": "You look at what is shown, and most of it is good. Look out for how many "
        "films stand below the line of the fraction.",
        "recall": "You ask what was missed, and little was. Look out for what happens when "
        "somebody wants more films than the list can hold.",
        "ndcg": "You expect the order to help: good films, high number. Look out for what stands "
        "at the first rank here.",
        "alike": "You expect one list to have one quality. Look out for what each number is a "
        "share of.",
    },
    observed="For this list recall was the highest, and NDCG the lowest. All three count the same "
    "hits. Each divides by something else, and not all of them mind the order.",
    inputs=running_list.STATED,
    picture=running_list.picture,
)

one_hit_more = Predict(
    id="ranking.one_hit_more",
    title="One hit more",
    prompt="""
A list of five holds one hit, at rank 1, for Alice, who wants four films.
Then it gets a second one, at rank 5, and loses nothing.
Can an average over its hits go down?
""",
    options={
        "yes": "Yes, it can",
        "no": "No: there is one hit more, and nothing else has changed",
    },
    beliefs={
        "yes": "You ask what the average divides by. Watch for the denominator that makes it fall.",
        "no": "You expect a better list to get a higher number. Watch what stands below the line.",
    },
    observed="""
Yes, if it divides by the hits found: the second hit stands low, and a mean gives both one weight.
Divided by all that is relevant, it cannot.
""",
)

top_and_bottom = Predict(
    id="ranking.top_and_bottom",
    title="The first rank and the tenth",
    prompt="""
A page shows a list of ten, and its hits stand at ranks 1 and 10.
By the most common discount, how many times as much does the first count as the last?
""",
    options={
        "once": "As much: a hit is a hit",
        "some": "Two to four times as much",
        "ten": "Ten times as much",
    },
    beliefs={
        "once": "You mind whether a film is shown, and not where. Watch what *cumulative* alone "
        "leaves out.",
        "some": "You expect people to look further down than the first film. Watch by how much.",
        "ten": "You divide by the rank. Watch which curve does so, and which does not.",
    },
    observed="""
Two to four times: divided by a logarithm, a gain falls gently. Divided by the rank itself it would
be ten times.
""",
    ordered=True,
)

lower_loss = Predict(
    id="ranking.lower_loss",
    title="A lower loss, a better order?",
    prompt="""
Two models score the same three pairs, each of a relevant item and another one.
One of them has the lower loss over the pairs, which is the number that training makes small.
Has it put at least as many of the three the right way round?
""",
    options={
        "yes": "Yes: a lower loss is a better order",
        "no": "Not necessarily",
    },
    beliefs={
        "yes": "You expect the loss to count what the order counts. Watch three pairs, and what "
        "each adds to the loss.",
        "no": "You expect the loss to see something else, too. Watch what that is.",
    },
    observed="""
Not necessarily. The loss depends on the margin of the relevant item, and AUC only on its sign.
""",
)

pairs_apart = Predict(
    id="ranking.pairs_apart",
    title="Four in a row",
    prompt="""
Put the four in order, by how well they find what people came to love.
That makes three pairs of neighbours.
How many of the three will a test of about a hundred and fifty people tell apart?
""",
    options={
        "all": "All three",
        "two": "Two",
        "one": "One",
        "none": "None",
    },
    beliefs={
        "all": "You expect so many people to be enough. Watch the width of the intervals.",
        "two": "You expect one pair to be too close. Watch which one.",
        "one": "You expect one of the four to stand out. Watch whether anybody else does.",
        "none": "You expect people to differ more than recommenders. Watch what chance finds.",
    },
    # claim 5f73: 02_ranking_movielens: popularity > random (NDCG@10)
    # claim 5c64: 02_ranking_movielens: item kNN ? popularity (NDCG@10)
    observed="""
One: popularity is better than random. For item kNN and popularity no difference is detected. For
EASE and item kNN the interval excludes 0, but three pairs are compared at once, and the corrected
p-value is 0.073.
""",
    ordered=True,
)
