"""What these numbers do and do not say when systems are compared."""

from __future__ import annotations

from typing import Any

import numpy as np

from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.open_answer import Text


def _always(key: str) -> Any:
    return lambda inputs: key


# Coverage and the crowd -----------------------------------------------------------------------


def _draw_crowd(rng: np.random.Generator) -> Inputs:
    few = int(rng.choice([50, 100, 200]))
    return {
        "few": few,
        "many": few * int(rng.choice([10, 20, 50])),
        "low": int(rng.integers(15, 25)),
        "high": int(rng.integers(35, 60)),
    }


crowd_coverage = Choice(
    id="beyond_accuracy.crowd_coverage",
    title="Which covers more",
    same_for_all=True,
    prompt="""
System A was tested on {few} users and covers {low} % of the catalogue.
System B was tested on {many} users and covers {high} % of the same catalogue.
Both show ten items to each user.

What follows?
""",
    options={
        "nothing": "Nothing yet: both must be tested on the same users.",
        "b_wider": "B reaches more of the catalogue than A.",
        "per_user": "A is wider: divide each coverage by its number of users.",
        "b_diverse": "B's lists are more varied than A's.",
    },
    solve=_always("nothing"),
    inputs={"few": 100, "many": 2_000, "low": 20, "high": 45},
    draw=_draw_crowd,
    reasons={"nothing": "Every further user can only add items, never remove one."},
    misconceptions=(
        Misconception(
            id="crowd-coverage",
            name="crowd coverage",
            wrong_answer=_always("b_wider"),
            cause="Coverage never falls as users are added. B had more of them.",
            hint="What would A cover if it were shown to {many} users?",
        ),
        Misconception(
            id="per-user",
            name="coverage per user",
            wrong_answer=_always("per_user"),
            cause="Coverage does not grow in proportion: later users are shown much that earlier "
            "ones were shown already.",
            hint="If all users get one list, how does the coverage per user change with them?",
        ),
        Misconception(
            id="between-for-within",
            name="between for within",
            wrong_answer=_always("b_diverse"),
            cause="Coverage looks at all lists together. Each of them can be of one kind.",
            hint="Give each user ten films of one series, a different one to each. Which number is "
            "high?",
        ),
    ),
    hints=(
        "Imagine that one more user arrives. Which way can coverage go?",
        "The two systems differ in two things, and one of them is not the system.",
        "Which comparison would leave only the system to explain the gap?",
    ),
    steps=(
        Step(
            "One system, tested on more and more users: coverage only rises.",
            "import numpy as np\n\n"
            "rng = np.random.default_rng(0)\n"
            "lists = rng.integers(0, 1000, size=(2000, 10))\n"
            "[len(np.unique(lists[:n])) / 1000 for n in (50, 100, 200, 500, 2000)]",
        ),
        Step("So the number of users is a part of the number, as K is."),
    ),
    insight="Quote coverage with K and with the number of users.",
    minutes=2,
)


# What a profile supports ----------------------------------------------------------------------


_SAYS = {"coverage": "wider", "novelty": "rarer", "personalization": "differ"}


def _draw_profile(rng: np.random.Generator) -> Inputs:
    rose = [name for name in _SAYS if rng.random() < 0.5] or list(_SAYS)
    return {
        "coverage": round(float(rng.uniform(0.12, 0.4)), 2),
        "novelty": round(float(rng.uniform(6.0, 9.0)), 1),
        "same": round(float(rng.uniform(0.96, 0.99)), 2),
        "rose": rose,
    }


def _profile(inputs: Inputs) -> str:
    rose, others = inputs["rose"], [name for name in _SAYS if name not in inputs["rose"]]
    lower = "all three" if not others else f"{' and '.join(rose)}, and not in {' or '.join(others)}"
    return f"""
A new recommender has coverage {inputs["coverage"]}, novelty {inputs["novelty"]} bits and \
personalization {inputs["same"]}.
The old one is lower in {lower}, on the same users and with the same K.

Which of these do the three numbers support? The lists of the new one …
"""


def _unmoved(inputs: Inputs) -> tuple[str, ...] | None:
    return tuple(key for name, key in _SAYS.items() if name not in inputs["rose"]) or None


read_profile = Choice(
    id="beyond_accuracy.read_profile",
    title="A profile without accuracy",
    prompt=_profile,
    options={
        "wider": "reach more of the catalogue.",
        "rarer": "hold films that fewer people know.",
        "differ": "differ more from user to user.",
        "taste": "fit the taste of each user better.",
        "surprise": "hold more pleasant surprises.",
        "varied": "are each more varied in genre.",
    },
    solve=lambda inputs: frozenset(_SAYS[name] for name in inputs["rose"]),
    inputs={"coverage": 0.15, "novelty": 7.4, "same": 0.99, "rose": list(_SAYS)},
    draw=_draw_profile,
    reasons={
        "wider": "That is coverage.",
        "rarer": "That is novelty.",
        "differ": "That is what personalization measures, whatever its name promises.",
    },
    misconceptions=(
        Misconception(
            id="unmoved",
            name="a number that did not rise",
            wrong_answer=_unmoved,
            cause="One of these sentences is about a number in which the old one is not lower.",
            hint="Which of the three numbers is higher than that of the old one?",
        ),
        Misconception(
            id="taste",
            name="different for fitting",
            wrong_answer=_always("taste"),
            cause="Lists can differ from user to user and fit none of them: random lists do.",
            hint="What would a recommender that draws lots score in personalization?",
        ),
        Misconception(
            id="surprise",
            name="surprise alone",
            wrong_answer=_always("surprise"),
            cause="A pleasant surprise is wanted as well as unexpected, and none of the three "
            "asks what was wanted.",
            hint="Which of the three numbers would fall if nobody liked the films?",
        ),
        Misconception(
            id="between-for-within",
            name="between for within",
            wrong_answer=_always("varied"),
            cause="All three compare items with the crowd or lists with lists. None looks at the "
            "pairs within one list.",
            hint="Which measure of this chapter compares the items of one list?",
        ),
    ),
    hints=(
        "Say in words what each of the three numbers is a share or a mean of.",
        "Test each claim with a recommender that draws lots: would the claim hold for it?",
        "None of the three numbers knows what anybody liked.",
    ),
    steps=(
        Step(
            "Coverage counts distinct items, novelty counts who knows them, personalization "
            "compares lists. A recommender that draws lots has all three high."
        ),
        Step(
            "What was liked, and what the items of one list have in common, is in none of them. "
            "Ask for an accuracy measure, for serendipity, for diversity."
        ),
    ),
    insight="A number supports the sentence that defines it. For taste, ask for accuracy.",
    minutes=3,
    points=2,
)


# In words -------------------------------------------------------------------------------------

explain_trade = Text(
    id="beyond_accuracy.explain_trade",
    title="Nothing but coverage",
    prompt="""
A colleague proposes to choose the next recommender by catalogue coverage alone: "the long tail is
our treasure". Answer in three or four sentences.
""",
    model="""
Coverage counts which films were shown, and not whether anybody liked them: a recommender that draws
lots would win. Choose among those that are accurate enough, and say beforehand how much accuracy
you would give for how much reach. Compare them on the same users and with the same K, since
coverage grows with both. And look at the Gini index beside it, because a film that was shown once
counts as covered.
""",
    criteria=(
        "It says that coverage does not ask whether anything was liked, or that random wins.",
        "It asks for accuracy beside it, or for a price in accuracy that is fixed beforehand.",
        "It names a condition of the comparison: the same users, K, or catalogue.",
        "It names another number that sees what coverage does not: Gini, long tail share, novelty.",
    ),
    hints=(
        "Which recommender would win such a contest?",
        "Which number must not fall too far, and who decides how far?",
        "What does coverage say of a film that was shown once, and of one shown a thousand times?",
    ),
    insight="A goal without a price is met by the worst means.",
    minutes=5,
    points=2,
)
