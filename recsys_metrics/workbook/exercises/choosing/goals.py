"""Exercises on going from a goal to a measure."""

from __future__ import annotations

import numpy as np

from recsys_metrics import judge, recall, reciprocal_rank
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.numbers import Numbers

e9a = Choice(
    id="choosing.e9a",
    title="One perfect next song",
    same_for_all=True,
    prompt="""
A button plays one song, and the user hears that one or skips it.
Only the first suggestion matters.
Which measure do you report?
""",
    options={
        "mrr": "MRR: the mean of one over the rank of the first hit",
        "hr1": "HR@1: the share of users whose first item is a hit",
        "hr10": "HR@10: the share of users with a hit among ten",
        "recall": "Recall@20: the share of the relevant items among twenty",
        "coverage": "Catalogue coverage: the share of songs anyone gets to hear",
    },
    solve=lambda _: ("hr1", "mrr"),
    reasons={
        "hr1": "Only the first suggestion matters, and nothing else is counted.",
        "mrr": "It rewards the first hit for standing high. Mind that it still pays one half for "
        "a hit at rank 2, which nobody hears here; HR@1 does not.",
    },
    misconceptions=(
        Misconception(
            id="ranks-nobody-sees",
            name="ranks nobody sees",
            wrong=lambda _: "hr10",
            cause="Ten ranks are counted, and the user meets one of them.",
            ask="How many items does the user of this button ever see?",
        ),
        Misconception(
            id="all-for-one",
            name="all where one will do",
            wrong=lambda _: "recall",
            cause="Recall asks whether everything relevant was found. One song is played.",
            ask="What does the user lose if the second best song is missing?",
        ),
        Misconception(
            id="health-for-accuracy",
            name="health for accuracy",
            wrong=lambda _: "coverage",
            cause="Coverage says how much of the catalogue is used, not whether the song was "
            "right.",
            ask="Could a list of random songs score well by this measure?",
        ),
    ),
    hints=(
        "Write down which ranks the user of this feature meets.",
        "A measure fits if it changes when, and only when, that rank changes.",
        "Two of the options look at the first hit or at the first rank.",
    ),
    steps=(
        Step("The user meets rank 1 and no other. What do the two candidates pay for a first hit?"),
        Step(
            "At ranks 1, 2 and 10, one line for MRR and one for HR@1:",
            "from recsys_metrics import Judged, hit_rate, reciprocal_rank\n"
            "import numpy as np\n"
            "lists = Judged.from_gains(np.eye(10)[[0, 1, 9]])\n"
            "[reciprocal_rank(lists).tolist(), hit_rate(lists, k=1).tolist()]",
        ),
    ),
    insight="A measure fits a goal if it moves exactly when the goal moves.",
    minutes=2,
)

e9b = Choice(
    id="choosing.e9b",
    title="All of it, somewhere among twenty",
    same_for_all=True,
    prompt="""
A rail on the homepage shows twenty items at once.
All that is relevant to the user should be somewhere on it.
Which measure do you report?
""",
    options={
        "recall": "Recall@20",
        "precision": "Precision@20",
        "mrr": "MRR",
        "hr": "HR@20",
        "auc": "AUC",
    },
    solve=lambda _: "recall",
    reasons={
        "recall": "It asks which share of all that is relevant is among the twenty; their order "
        "on the rail does not count, and is not asked for.",
    },
    misconceptions=(
        Misconception(
            id="slots-for-items",
            name="slots for items",
            wrong=lambda _: "precision",
            cause="Precision divides by the twenty slots. It asks whether slots were wasted, not "
            "whether anything was missed.",
            ask="A user has two relevant items, both shown. What does each measure say?",
        ),
        Misconception(
            id="first-hit-only",
            name="first hit only",
            wrong=lambda _: "mrr",
            cause="MRR stops at the first hit and does not see what follows, or what is missing.",
            ask="Nine of ten relevant items are missing. Does MRR notice?",
        ),
        Misconception(
            id="any-for-all",
            name="any for all",
            wrong=lambda _: "hr",
            cause="The hit rate is content with one item. All are asked for.",
            ask="A rail with one of ten relevant items: what is its hit rate?",
        ),
        Misconception(
            id="catalogue-for-rail",
            name="whole catalogue for a rail",
            wrong=lambda _: "auc",
            cause="AUC compares pairs over the whole catalogue. What stands below rank 20 is not "
            "on the rail.",
            ask="Which pairs of items does a user of this rail ever compare?",
        ),
    ),
    hints=(
        "What is the mistake that hurts here: a slot wasted, or an item missed?",
        "Which measure divides by the number of relevant items?",
        "It has the cut-off of the rail in its name.",
    ),
    steps=(
        Step(
            "What hurts is a relevant item that is not on the rail, so the divisor is all that "
            "is relevant, and the cut-off is what the rail holds."
        ),
        Step(
            "Someone has three relevant items and two of them are shown. Recall and hit rate:",
            "from recsys_metrics import hit_rate, judge, recall\n"
            'rail = judge(list("ABCDEFGHIJ"), {"B", "J", "Z"})\n'
            "round(recall(rail, k=20), 3), hit_rate(rail, k=20)",
        ),
    ),
    insight="Ask which mistake hurts. The divisor of the measure is the answer.",
    minutes=2,
)

e9c = Choice(
    id="choosing.e9c",
    title="Not only blockbusters",
    same_for_all=True,
    prompt="""
You want to know whether the recommender collapses onto a handful of blockbusters.
Which measure do you report?
""",
    options={
        "gini": "The Gini coefficient of how often each item is shown",
        "coverage": "Catalogue coverage",
        "ndcg": "NDCG@10",
        "ild": "Intra-list diversity",
        "rmse": "RMSE",
    },
    solve=lambda _: ("gini", "coverage"),
    reasons={
        "gini": "It measures how unequally exposure is spread, over the whole catalogue, items "
        "that are never shown included.",
        "coverage": "It says which share of the catalogue anyone gets to see. Mind that one "
        "showing counts as much as a million; Gini tells those apart.",
    },
    misconceptions=(
        Misconception(
            id="accuracy-for-health",
            name="accuracy for health",
            wrong=lambda _: "ndcg",
            cause="NDCG asks whether the list holds what was wanted. Popular items are often "
            "wanted, so a collapse can raise it.",
            ask="What happens to NDCG if everybody is shown the ten most popular items?",
        ),
        Misconception(
            id="one-list-for-all-lists",
            name="one list for all lists",
            wrong=lambda _: "ild",
            cause="Intra-list diversity looks inside one list. Everybody can get the same varied "
            "list of blockbusters.",
            ask="Ten very different blockbusters for everyone: what does this measure say?",
        ),
        Misconception(
            id="ratings-for-lists",
            name="ratings for lists",
            wrong=lambda _: "rmse",
            cause="RMSE is about predicted ratings, and says nothing about which items are shown.",
            ask="Which items must be recommended before RMSE can be computed?",
        ),
    ),
    hints=(
        "The question is about all lists together, not about one user.",
        "Count how often each item of the catalogue is shown. What would you do with the counts?",
        "One option says how unequal the counts are, another how many are not zero.",
    ),
    steps=(
        Step("The question is about exposure, so start from how often each item is shown."),
        Step(
            "Two systems, ten showings each, a catalogue of five. Gini, then coverage:",
            "from recsys_metrics.beyond_accuracy import gini\n"
            "import numpy as np\n"
            "collapsed, even = np.array([9, 1, 0, 0, 0]), np.array([5, 5, 0, 0, 0])\n"
            "[(gini(shown), float(np.mean(shown > 0))) for shown in (collapsed, even)]",
        ),
        Step("Coverage is the same for both. Gini tells nine and one from five and five."),
    ),
    insight="Accuracy is about one user and one list; health is about all lists together.",
    minutes=2,
)

golden_rule = Choice(
    id="choosing.golden_rule",
    title="Which reports can be used?",
    same_for_all=True,
    prompt="""
Six teams report on their recommenders.
Which of these lines keep the golden rule: one accuracy measure, one beyond it, each with its K,
and what counts as relevant?
""",
    options={
        "full": "NDCG@10 and catalogue coverage@10; relevant is four stars or more",
        "other": "Recall@20 and Gini@20; relevant is a purchase",
        "accuracy": "NDCG@10, Recall@10 and MAP@10; relevant is a click",
        "no_k": "NDCG and catalogue coverage; relevant is four stars or more",
        "no_relevance": "Recall@10 and Gini@10",
        "health": "Coverage@10, Gini@10 and novelty@10; nothing has to be relevant",
    },
    solve=lambda _: frozenset({"full", "other"}),
    reasons={
        "full": "Accuracy, coverage, K and relevance are there.",
        "other": "Another pair, and as complete.",
    },
    misconceptions=(
        Misconception(
            id="accuracy-alone",
            name="accuracy alone",
            wrong=lambda _: "accuracy",
            cause="Three accuracy measures see the same side of the lists. None of them notices "
            "that everybody is shown the same items.",
            ask="Which number in that line would change if all users got one list?",
        ),
        Misconception(
            id="naked-number",
            name="naked number",
            wrong=lambda _: "no_k",
            cause="Without K nobody knows how many ranks were counted.",
            ask="Is NDCG@5 of a list the same as NDCG@50?",
        ),
        Misconception(
            id="relevance-unsaid",
            name="relevance unsaid",
            wrong=lambda _: "no_relevance",
            cause="Recall of what? A click, a purchase and five stars give three different "
            "numbers.",
            ask="Could you compute this recall from the line alone?",
        ),
        Misconception(
            id="health-alone",
            name="health alone",
            wrong=lambda _: "health",
            cause="Random lists do well by all of these. Nothing says whether anyone liked them.",
            ask="How would a recommender that draws items at random do?",
        ),
    ),
    hints=(
        "Check four things in each line: accuracy, something beyond it, K, relevance.",
        "Two lines fail because all their measures are of one kind.",
        "Two more lack a piece of information without which the number cannot be computed.",
    ),
    steps=(
        Step(
            "Go through the lines with four questions: is accuracy there, is something beyond "
            "it, is K, is what counts as relevant?"
        ),
        Step(
            "`evaluate` asks the first two itself:",
            "from recsys_metrics import evaluate\n"
            'report = evaluate([["a", "b"]], [{"b"}], ["ndcg@2", "map@2"], split="by time")\n'
            "report.warnings[0].partition('.')[0]",
        ),
    ),
    insight="A number that cannot be computed again from its own line is an advertisement.",
    minutes=3,
    points=2,
)


def _both(inputs: Inputs) -> dict[str, float]:
    found = {}
    for name in ("first", "second"):
        judged = judge(inputs[name], set(inputs["wanted"]))
        found[f"rr_{name}"] = reciprocal_rank(judged, 5)
        found[f"recall_{name}"] = recall(judged, 5)
    return found


def _places(inputs: Inputs, name: str) -> list[int]:
    wanted = set(inputs["wanted"])
    return [rank for rank, item in enumerate(inputs[name], 1) if item in wanted]


def _from_zero(inputs: Inputs) -> dict[str, float]:
    return {
        f"rr_{name}": 1 / (_places(inputs, name)[0] - 1) if _places(inputs, name)[0] > 1 else 0.0
        for name in ("first", "second")
    }


def _last_hit(inputs: Inputs) -> dict[str, float]:
    return {f"rr_{name}": 1 / _places(inputs, name)[-1] for name in ("first", "second")}


def _precision(inputs: Inputs) -> dict[str, float]:
    return {f"recall_{name}": len(_places(inputs, name)) / 5 for name in ("first", "second")}


def _swapped(inputs: Inputs) -> dict[str, float]:
    right = _both(inputs)
    return {
        f"{kind}_{one}": right[f"{kind}_{other}"]
        for kind in ("rr", "recall")
        for one, other in (("first", "second"), ("second", "first"))
    }


def _draw(rng: np.random.Generator) -> Inputs:
    """Return two lists of which one has its first hit higher and the other more hits."""
    letters = [str(letter) for letter in rng.permutation(list("ABCDEFGHJKLMNP"))]
    n = int(rng.integers(4, 10))
    wanted, others = letters[:n], letters[n:]
    high, low = 1, int(rng.integers(2, 4))
    few, many = 1 + int(rng.integers(0, 2)), int(rng.integers(3, 7 - low))
    lists = []
    for start, hits in ((high, few), (low, many)):
        rest = rng.permutation(np.arange(start + 1, 6))[: hits - 1].tolist()
        ranks = {start, *map(int, rest)}
        hit, miss = iter(wanted), iter(others)
        lists.append([next(hit) if rank in ranks else next(miss) for rank in range(1, 6)])
    return {"first": lists[0], "second": lists[1], "wanted": sorted(wanted)}


two_goals = Numbers(
    id="choosing.two_goals",
    title="The winner depends on the goal",
    prompt="""
A user wants {wanted}.
The first recommender shows {first}, the second {second}, best first.

Compute the reciprocal rank and the recall at 5 of both.
Which would you ship for "one good item, fast", and which for "find them all"?
""",
    asks={
        "rr_first": "reciprocal rank, first",
        "rr_second": "reciprocal rank, second",
        "recall_first": "Recall@5, first",
        "recall_second": "Recall@5, second",
    },
    inputs={
        "first": ["F", "S", "T", "U", "V"],
        "second": ["S", "T", "D", "H", "K"],
        "wanted": ["D", "F", "H", "K", "L", "M"],
    },
    solve=_both,
    draw=_draw,
    misconceptions=(
        Misconception(
            id="off-by-one-rank",
            name="off-by-one rank",
            wrong=_from_zero,
            cause="Ranks were counted from 0. The first item has rank 1.",
            ask="At which rank does the first item of a list stand?",
        ),
        Misconception(
            id="last-hit",
            name="last hit",
            wrong=_last_hit,
            cause="The reciprocal rank was taken at the last hit. It is the first that counts.",
            ask="After which hit does someone stop who wants one good item?",
        ),
        Misconception(
            id="slots-for-items",
            name="slots for items",
            wrong=_precision,
            cause="The hits were divided by the five slots. Recall divides by all that is wanted.",
            ask="How many items does the user want?",
        ),
        Misconception(
            id="lists-swapped",
            name="lists swapped",
            wrong=_swapped,
            cause="These are the values of the other list.",
            ask="Which list has its first hit higher?",
        ),
    ),
    hints=(
        "Mark the hits of both lists first.",
        "Reciprocal rank: one over the rank of the first hit. Recall: hits over wanted items.",
        "Both recalls have the number of wanted items below the line.",
    ),
    steps=(
        Step(
            "The ranks of the hits in each list, counted from 1:",
            "hits = [[rank for rank, item in enumerate(shown, 1) if item in wanted]\n"
            "        for shown in (first, second)]\n"
            "hits",
        ),
        Step(
            "One over the first of them is the reciprocal rank:",
            "rr_first, rr_second = (1 / ranks[0] for ranks in hits)\nrr_first, round(rr_second, 3)",
        ),
        Step(
            "How many there are, over how many are wanted, is the recall:",
            "recall_first, recall_second = (len(ranks) / len(wanted) for ranks in hits)\n"
            "recall_first, recall_second",
        ),
    ),
    insight="The first list wins for one good item, the second for finding them all. "
    "Neither is better before the goal is said.",
    minutes=4,
    points=2,
)
