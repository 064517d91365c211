"""Exercises on going from a goal to a measure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from recsys_metrics import judge, recall, reciprocal_rank
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.function import Case, Function
from recsys_metrics.workbook.exercises.numbers import Numbers
from recsys_metrics.workbook.exercises.open_answer import Text
from recsys_metrics.workbook.exercises.prediction import Predict

seven_judges = Predict(
    id="choosing.seven_judges",
    title="One list, seven measures",
    prompt="""
A list of five finds three of the {wanted} films that Alice wants, all of them late. Another list
finds one of the {wanted}, and shows it first. Of seven common measures, how many call the list
with three films better?
""",
    options={
        "all": "All seven: three are more than one.",
        "most": "Five or six.",
        "some": "Two to four.",
        "few": "None, or one.",
    },
    beliefs={
        "all": "You count what was found. Look out for a measure that stops at the first hit.",
        "most": "You expect what was found to count nearly everywhere. Look out for measures that "
        "see the top of a list alone.",
        "some": "You expect the measures to differ. Look out for what each of them asks.",
        "few": "You expect the first place to count most. Look out for measures that do not see "
        "the order.",
    },
    observed="Three. Two call the other list better, and two call them level; none of the seven is "
    "wrong.",
    inputs={"wanted": "four"},
    ordered=True,
)

one_next_song = Choice(
    attribute="one_next_song",
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
            wrong_answer=lambda _: "hr10",
            cause="Ten ranks are counted, and the user meets one of them.",
            hint="How many items does the user of this button ever see?",
        ),
        Misconception(
            id="all-for-one",
            name="all where one will do",
            wrong_answer=lambda _: "recall",
            cause="Recall asks whether everything relevant was found. One song is played.",
            hint="What does the user lose if the second best song is missing?",
        ),
        Misconception(
            id="health-for-accuracy",
            name="health for accuracy",
            wrong_answer=lambda _: "coverage",
            cause="Coverage says how much of the catalogue is used, not whether the song was "
            "right.",
            hint="Could a list of random songs score well by this measure?",
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

all_among_twenty = Choice(
    attribute="all_among_twenty",
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
            wrong_answer=lambda _: "precision",
            cause="Precision divides by the twenty slots. It asks whether slots were wasted, not "
            "whether anything was missed.",
            hint="A user has two relevant items, both shown. What does each measure say?",
        ),
        Misconception(
            id="first-hit-only",
            name="first hit only",
            wrong_answer=lambda _: "mrr",
            cause="MRR stops at the first hit and does not see what follows, or what is missing.",
            hint="Nine of ten relevant items are missing. Does MRR notice?",
        ),
        Misconception(
            id="any-for-all",
            name="any for all",
            wrong_answer=lambda _: "hr",
            cause="The hit rate is content with one item. All are asked for.",
            hint="A rail with one of ten relevant items: what is its hit rate?",
        ),
        Misconception(
            id="catalogue-for-rail",
            name="whole catalogue for a rail",
            wrong_answer=lambda _: "auc",
            cause="AUC compares pairs over the whole catalogue. What stands below rank 20 is not "
            "on the rail.",
            hint="Which pairs of items does a user of this rail ever compare?",
        ),
    ),
    hints=(
        "What is the mistake that hurts here: a slot wasted, or an item missed?",
        "Which measure divides by the number of relevant items?",
        "It has the cut-off of the rail in its name.",
    ),
    steps=(
        Step(
            "What hurts is a relevant item that is not on the rail, so the denominator is all that "
            "is relevant, and the cut-off is what the rail holds."
        ),
        Step(
            "Someone has three relevant items and two of them are shown. Recall and hit rate:",
            "from recsys_metrics import hit_rate, judge, recall\n"
            'rail = judge(list("ABCDEFGHIJ"), {"B", "J", "Z"})\n'
            "round(recall(rail, k=20), 3), hit_rate(rail, k=20)",
        ),
    ),
    insight="Ask which mistake hurts. The denominator of the measure is the answer.",
    minutes=2,
)

beyond_blockbusters = Choice(
    attribute="beyond_blockbusters",
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
            wrong_answer=lambda _: "ndcg",
            cause="NDCG asks whether the list holds what was wanted. Popular items are often "
            "wanted, so a collapse can raise it.",
            hint="What happens to NDCG if everybody is shown the ten most popular items?",
        ),
        Misconception(
            id="one-list-for-all-lists",
            name="one list for all lists",
            wrong_answer=lambda _: "ild",
            cause="Intra-list diversity looks inside one list. Everybody can get the same varied "
            "list of blockbusters.",
            hint="Ten very different blockbusters for everyone: what does this measure say?",
        ),
        Misconception(
            id="ratings-for-lists",
            name="ratings for lists",
            wrong_answer=lambda _: "rmse",
            cause="RMSE is about predicted ratings, and says nothing about which items are shown.",
            hint="Which items must be recommended before RMSE can be computed?",
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

# The reason, in words -----------------------------------------------------------------------------

# What a list is for, a measure that fits, and why: one of each kind makes an exercise.
_ONE = {
    "tonight": (
        "a button *Tonight* plays one film at once, and nobody sees a second one",
        "HR@1, since the first film is all that anybody meets; what stands at rank 2 may not count",
        "HR@1 or MRR, because only the first place is met",
    ),
    "trailer": (
        "a player shows trailers one after another, until the person takes a film",
        "MRR, since the person stops at the first good film, and each trailer before it costs time",
        "MRR, because the person stops at the first good film",
    ),
}
_MANY = {
    "rail": (
        "a page shows twenty films at once, and all that the person would like should be on it",
        "Recall@20, since a film that is missing is what hurts, and the order on the page does not "
        "count",
        "Recall@20, because what is missing is what hurts",
    ),
    "letter": (
        "a letter has five films, and each that nobody wants makes people stop reading letters",
        "Precision@5, since a wasted place is what hurts, and the films that are left out do not",
        "Precision@5, because a wasted place is what hurts",
    ),
    "page": (
        "a page of ten is read from the top, and people like some films far more than others",
        "NDCG@10 with stars as gains, since a better film is worth more and should stand higher",
        "NDCG@10, because both place and degree count",
    ),
}
_ALL = {
    "blockbusters": (
        "the site wants to notice when its lists shrink to a handful of blockbusters",
        "the Gini coefficient of how often each film is shown, since it rises when few films take "
        "most of the places",
        "Gini or coverage, because the question is about all lists together",
    ),
    "shelf": (
        "whoever lends films to the site asks which share of them anybody is shown at all",
        "catalogue coverage, since it counts each film that is shown, however often",
        "coverage, because one showing is enough for this question",
    ),
}
_GOALS = _ONE | _MANY | _ALL


def _of_each(inputs: Inputs, what: int) -> list[str]:
    """Return the goal, the model answer or the criterion of each of the three."""
    return [_GOALS[goal][what] for goal in inputs["goals"]]


def _criterion(place: int) -> Callable[[Inputs], str]:
    return lambda inputs: f"For ({'abc'[place]}) it takes {_of_each(inputs, 2)[place]}."


reasons_for_three_goals = Text(
    attribute="reasons_for_three_goals",
    id="choosing.e9_why",
    title="Three goals, three reasons",
    prompt=lambda inputs: (
        "\n".join(
            f"- ({letter}) {goal}" for letter, goal in zip("abc", _of_each(inputs, 0), strict=True)
        )
        + """

For each of these goals of a film site, name the one measure that you would report, with its K where
it has one. Say in a few words why it fits, and of one of the three what it will not see.
"""
    ),
    inputs={"goals": ["tonight", "rail", "blockbusters"]},
    draw=lambda rng: {"goals": [str(rng.choice([*kind])) for kind in (_ONE, _MANY, _ALL)]},
    model=lambda inputs: (
        " ".join(
            f"({letter}) {said}." for letter, said in zip("abc", _of_each(inputs, 1), strict=True)
        )
        + " The last of the three does not see whether anybody liked what was shown."
    ),
    criteria=(
        _criterion(0),
        _criterion(1),
        _criterion(2),
        "It names something that one of the measures does not see.",
    ),
    misconceptions=(
        Misconception(
            id="name-for-reason",
            name="a name for a reason",
            wrong_answer=lambda _: None,
            cause="The measure is called usual, standard or well known. That says what others "
            "report, not what this list is for.",
            hint="What would have to happen to a list for this number to rise?",
        ),
        Misconception(
            id="formula-for-reason",
            name="a formula for a reason",
            wrong_answer=lambda _: None,
            cause="The answer says how the number is computed, and leaves out why that is what "
            "people want here.",
            hint="Who is better off when the number rises?",
        ),
        Misconception(
            id="one-for-all",
            name="one measure for all goals",
            wrong_answer=lambda _: None,
            cause="One measure is taken for all three, NDCG for instance. It moves when none of "
            "these people is better off.",
            hint="Change what stands at rank 2. Which of the three goals notices?",
        ),
    ),
    hints=(
        "Say first what a person does with this list, and when the person is content.",
        "A measure fits if it moves when that moves, and stays when it stays.",
        "For a blind spot, change something in the list that the formula does not use.",
    ),
    insight="A measure without its reason is a habit. To a reason somebody can object.",
    minutes=5,
    points=3,
)

# A measure made from a goal -----------------------------------------------------------------------


def _count(recommended: Sequence[str], wanted: set[str], k: int) -> int:
    return len(wanted.intersection(recommended[:k]))


def _two_found(recommended: Sequence[str], wanted: set[str], k: int) -> float:
    return float(_count(recommended, wanted, k) >= 2)


def _one_found(recommended: Sequence[str], wanted: set[str], k: int) -> float:
    return float(_count(recommended, wanted, k) >= 1)


def _exactly_two(recommended: Sequence[str], wanted: set[str], k: int) -> float:
    return float(_count(recommended, wanted, k) == 2)


def _three_found(recommended: Sequence[str], wanted: set[str], k: int) -> float:
    return float(_count(recommended, wanted, k) > 2)


def _how_many(recommended: Sequence[str], wanted: set[str], k: int) -> float:
    return float(_count(recommended, wanted, k))


def _share_of_slots(recommended: Sequence[str], wanted: set[str], k: int) -> float:
    return _count(recommended, wanted, k) / k


def _share_of_wanted(recommended: Sequence[str], wanted: set[str], k: int) -> float:
    return _count(recommended, wanted, k) / len(wanted)


def _half_each(recommended: Sequence[str], wanted: set[str], k: int) -> float:
    return min(_count(recommended, wanted, k), 2) / 2


def _whole_evenings(recommended: Sequence[str], wanted: set[str], k: int) -> float:
    return float(_count(recommended, wanted, k) // 2)


def _uncapped_half(recommended: Sequence[str], wanted: set[str], k: int) -> float:
    return _count(recommended, wanted, k) / 2


def _evening(recommended: str, wanted: str, k: int, why: str = "") -> Case:
    """Return a list and what is wanted, a letter a film."""
    return Case({"recommended": [*recommended], "wanted": {*wanted}, "k": k}, why)


_EVENINGS = (
    _evening("ABCD", "BG", 4, "one good film is among the first k"),
    _evening("ABCDE", "BCD", 5, "three good films are among the first k"),
    _evening("ADFB", "BGH", 3, "the good film stands below rank k"),
    _evening("BCDA", "BC", 4, "there are two good films, and both are found"),
    _evening("BCEGA", "BCEGH", 5, "four good films are among the first k"),
    _evening("XBYCE", "BCEG", 3, "more good films stand below rank k than above"),
    _evening("BXCY", "BC", 3, "the second good film stands at rank k"),
)


def _draw_evenings(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return lists with none to four hits, and the edges."""
    drawn = []
    for _ in range(5):
        letters = [str(letter) for letter in rng.permutation([*"ABCDEFGHIJKLMNOP"])]
        recommended = "".join(letters[:6])
        wanted = "".join(letters[: rng.integers(0, 5)] + letters[6 : 6 + int(rng.integers(1, 4))])
        drawn.append(_evening(recommended, wanted, int(rng.integers(3, 6))))
    return (*drawn, *_EVENINGS)


complete_two = Function(
    id="choosing.complete_two",
    title="Two films for one evening",
    prompt="""
A festival shows two films in one evening. A person looks at the first k films of a list, and is
content if two of them, or more, are wanted. One alone is of no use, and a third one adds nothing.

Complete the line with `...`, so that the number is 1 for a person who is content, and 0 otherwise.

- `recommended` is a list of films, best first.
- `wanted` is a set of films.
""",
    function="my_evening",
    solve=_two_found,
    template="""
hits = sum(film in wanted for film in recommended[:k])
return float(...)
""".strip(),
    template_answer="hits >= 2",
    cases=(
        _evening("ABCDE", "BCEG", 5),
        _evening("XYZ", "BCEG", 3, "the list has no good film"),
        *_EVENINGS,
    ),
    draw=_draw_evenings,
    misconceptions=(
        Misconception(
            id="any-for-two",
            name="any for two",
            wrong_answer=_one_found,
            cause="That is the hit rate, which is content with one good film. An evening needs "
            "two.",
            hint="What should a list with a single good film get?",
        ),
        Misconception(
            id="exactly-two",
            name="two and no more",
            wrong_answer=_exactly_two,
            cause="A third good film turns the number back to 0, as if it did harm.",
            hint="Is a person less content who finds three good films?",
        ),
        Misconception(
            id="more-than-two",
            name="more than two",
            wrong_answer=_three_found,
            cause="Two good films are not enough for this line; it asks for more than two.",
            hint="What should come back for two good films?",
        ),
        Misconception(
            id="count-for-goal",
            name="count for the goal",
            wrong_answer=_how_many,
            variants=(_uncapped_half,),
            cause="The number grows with every good film. By this goal the first one earns nothing "
            "yet, and a third one nothing more.",
            hint="Between which two counts does a person become content?",
        ),
        Misconception(
            id="evenings-for-one",
            name="evenings for one",
            wrong_answer=_whole_evenings,
            cause="That counts how many evenings the films would fill. One evening is asked about.",
            hint="What should come back for four good films?",
        ),
        Misconception(
            id="half-each",
            name="half a film each",
            wrong_answer=_half_each,
            cause="One good film gets a half. By this goal it is of no use alone.",
            hint="Could a person fill the evening with the one film?",
        ),
        Misconception(
            id="precision-by-habit",
            name="precision by habit",
            wrong_answer=_share_of_slots,
            cause="That is precision, which asks how few slots are wasted. Nobody minds a wasted "
            "slot here.",
            hint="Does this person care how many of the films shown are not wanted?",
        ),
        Misconception(
            id="recall-by-habit",
            name="recall by habit",
            wrong_answer=_share_of_wanted,
            cause="That is recall, which asks whether everything was found. Two films are enough "
            "here.",
            hint="What does this person lose if five wanted films are missing, and two are there?",
        ),
    ),
    hints=(
        "Write down what the number should be for no hit, for one, for two and for three.",
        "Only between one and two hits does anything change for the person.",
        "`float(...)` turns True into 1 and False into 0, so the line wants a comparison.",
    ),
    steps=(
        Step("The number has one step, where the goal has it: from one hit to two."),
        Step(
            "Two wanted films among five; then the same list read to rank 2.",
            'list_of_five = ["X", "B", "Y", "C", "Z"]\n'
            'my_evening(list_of_five, {"B", "C"}, 5), my_evening(list_of_five, {"B", "C"}, 2)',
        ),
    ),
    insight="If no measure of the table moves with your goal, write the one that does, and say so.",
    minutes=3,
    points=2,
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
            wrong_answer=lambda _: "accuracy",
            cause="Three accuracy measures see the same side of the lists. None of them notices "
            "that everybody is shown the same items.",
            hint="Which number in that line would change if all users got one list?",
        ),
        Misconception(
            id="naked-number",
            name="naked number",
            wrong_answer=lambda _: "no_k",
            cause="Without K nobody knows how many ranks were counted.",
            hint="Is NDCG@5 of a list the same as NDCG@50?",
        ),
        Misconception(
            id="relevance-unsaid",
            name="relevance unsaid",
            wrong_answer=lambda _: "no_relevance",
            cause="Recall of what? A click, a purchase and five stars give three different "
            "numbers.",
            hint="Could you compute this recall from the line alone?",
        ),
        Misconception(
            id="health-alone",
            name="health alone",
            wrong_answer=lambda _: "health",
            cause="Random lists do well by all of these. Nothing says whether anyone liked them.",
            hint="How would a recommender that draws items at random do?",
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
            wrong_answer=_from_zero,
            cause="Ranks were counted from 0. The first item has rank 1.",
            hint="At which rank does the first item of a list stand?",
        ),
        Misconception(
            id="last-hit",
            name="last hit",
            wrong_answer=_last_hit,
            cause="The reciprocal rank was taken at the last hit. It is the first that counts.",
            hint="After which hit does someone stop who wants one good item?",
        ),
        Misconception(
            id="slots-for-items",
            name="slots for items",
            wrong_answer=_precision,
            cause="The hits were divided by the five slots. Recall divides by all that is wanted.",
            hint="How many items does the user want?",
        ),
        Misconception(
            id="lists-swapped",
            name="lists swapped",
            wrong_answer=_swapped,
            cause="These are the values of the other list.",
            hint="Which list has its first hit higher?",
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
