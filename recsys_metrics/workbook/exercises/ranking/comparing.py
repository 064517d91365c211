"""Numbers that somebody else computed: what they say, and whether they can stand side by side."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from recsys_metrics import average_precision
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step, render_text
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.open_answer import Text
from recsys_metrics.workbook.exercises.ranking import running_list

# Three pages, three denominators -----------------------------------------------------------------

_PAGES = ("P", "Q", "R")


def _values(inputs: Inputs) -> dict[str, float]:
    """Return the value on each page."""
    judged = running_list.judged(inputs)
    return {
        page: float(average_precision(judged, inputs["k"], denominator=denominator))
        for page, denominator in zip(_PAGES, inputs["denominators"], strict=True)
    }


def _pages_prompt(inputs: Inputs) -> str:
    values = ", ".join(f"page {page} {value:.3f}" for page, value in _values(inputs).items())
    told = render_text(
        "The list holds {recommended}, best first. The user would have liked {relevant}.", inputs
    )
    return (
        f"{told}\n\nThree pages report AP@{inputs['k']} for it: {values}. One divides by all "
        "relevant items, one by the hits found, one by K. Which page divides by all relevant "
        "items, and which by the hits?"
    )


def _page_of(inputs: Inputs, denominator: str) -> str:
    return _PAGES[inputs["denominators"].index(denominator)].lower()


def _pair(first: str, second: str) -> Any:
    """Return the choice of the pages with these denominators, by the inputs."""
    return lambda inputs: _page_of(inputs, first) + _page_of(inputs, second)


def _two_places_off(inputs: Inputs) -> tuple[str, ...]:
    return _pair("hits", "k")(inputs), _pair("k", "relevant")(inputs)


def _draw_pages(rng: np.random.Generator) -> Inputs:
    """Return a list whose three denominators differ, and the pages in another order."""
    while True:
        inputs = running_list.draw(rng)
        counts = {len(inputs["relevant"]), len(running_list.hit_ranks(inputs)), inputs["k"]}
        if len(counts) == 3:
            break
    return {**inputs, "denominators": [str(d) for d in rng.permutation(["relevant", "hits", "k"])]}


which_pages = Choice(
    id="ranking.which_pages",
    title="Three pages, three denominators",
    prompt=_pages_prompt,
    options={
        f"{first}{second}".lower(): f"Page {first} divides by all relevant items, page {second} "
        "by the hits."
        for first in _PAGES
        for second in _PAGES
        if first != second
    },
    inputs={**running_list.STATED, "denominators": ["hits", "k", "relevant"]},
    solve=_pair("relevant", "hits"),
    draw=_draw_pages,
    picture=running_list.picture,
    misconceptions=(
        Misconception(
            id="swapped-denominators",
            name="swapped denominators",
            wrong_answer=_pair("hits", "relevant"),
            cause="The pages for all relevant items and for the hits have changed places.",
            hint="Which of the two counts is larger, and is the value then higher or lower?",
        ),
        Misconception(
            id="list-for-relevant",
            name="list denominator",
            wrong_answer=_pair("k", "hits"),
            cause="The page that divides by K was taken for the one that divides by all relevant "
            "items.",
            hint="How many items are relevant, and how many ranks does the list have?",
        ),
        Misconception(
            id="list-for-hits",
            name="hits divisor",
            wrong_answer=_pair("relevant", "k"),
            cause="The page that divides by K was taken for the one that divides by the hits.",
            hint="How many of the ranks are hits? A small denominator makes a large value.",
        ),
        Misconception(
            id="two-places-off",
            name="two denominators mixed up",
            wrong_answer=_two_places_off,
            cause="Both pages are those of another denominator.",
            hint="Put the three counts in order, then the three values. Which goes with which?",
        ),
    ),
    hints=(
        "All three pages have the same sum above the line.",
        "Count the relevant items, the hits and the ranks. The larger the count, the lower the "
        "value.",
        "The hits are the smallest count of the three, so their page has the largest value. Is "
        "the next one K, or the relevant items?",
    ),
    steps=(
        Step(
            "The sum above the line is common to all three.",
            "ranks = [rank for rank, item in enumerate(recommended[:k], 1) if item in relevant]\n"
            "total = sum(found / rank for found, rank in enumerate(ranks, 1))\n"
            "round(total, 3)",
        ),
        Step(
            "Divide it by each count, and look for the page.",
            'counts = {"relevant": len(relevant), "hits": len(ranks), "k": k}\n'
            "{name: round(total / count, 3) for name, count in counts.items()}",
        ),
    ),
    reasons={},
    insight="Three values, one list: from the counts alone you can tell who divides by what.",
    minutes=4,
    points=2,
)


# A table with one wrong cell --------------------------------------------------------------------


def _right_cells(inputs: Inputs) -> list[float]:
    return [grade / math.log2(rank + 1) for rank, grade in enumerate(inputs["grades"], 1)]


def _wrong_row(inputs: Inputs) -> str:
    """Return the rank whose printed cell is furthest from its value."""
    gaps = [
        abs(cell - right)
        for cell, right in zip(inputs["printed"], _right_cells(inputs), strict=True)
    ]
    return str(1 + gaps.index(max(gaps)))


def _row(place: int) -> Any:
    """Return how a row of the table reads."""
    return lambda inputs: (
        f"grade {inputs['grades'][place]}, divided by log₂({place + 2}): "
        f"`{inputs['printed'][place]:.3f}`"
    )


def _table_prompt(inputs: Inputs) -> str:
    return (
        "A page shows a list of six films with their stars, and how much each adds to the DCG "
        "(linear gain), rank by rank. The total under the table, "
        f"`{sum(inputs['printed']):.3f}`, is the exact sum of the column.\n\n"
        "One contribution is wrong in its last digits. At which rank?"
    )


def _draw_table(rng: np.random.Generator) -> Inputs:
    """Return other grades, and a slip in a row below the first with at least three stars."""
    grades = [int(grade) for grade in rng.permutation([5, 5, 4, 4, 3, 1])]
    if grades[0] == 1:
        grades.reverse()
    printed = [round(cell, 3) for cell in _right_cells({"grades": grades})]
    place = int(rng.choice([i for i in range(1, 6) if grades[i] >= 3]))
    slip = float(rng.choice([-0.005, -0.004, -0.003, 0.003, 0.004, 0.005]))
    printed[place] = round(printed[place] + slip, 3)
    return {"grades": grades, "printed": printed}


def _rows(inputs: Inputs, which: Any) -> tuple[str, ...] | None:
    """Return the right rows of a kind, if there are any."""
    wrong = _wrong_row(inputs)
    places = [str(i) for i, grade in enumerate(inputs["grades"], 1) if which(i, grade)]
    return tuple(place for place in places if place != wrong) or None


wrong_cell = Choice(
    id="ranking.wrong_cell",
    title="A table with a wrong cell",
    prompt=_table_prompt,
    options={str(place + 1): _row(place) for place in range(6)},
    ordered=True,
    inputs={
        "grades": [5, 4, 1, 5, 1, 5],
        "printed": [5.0, 2.524, 0.5, 2.156, 0.387, 1.781],
    },
    solve=_wrong_row,
    draw=_draw_table,
    misconceptions=(
        Misconception(
            id="off-by-one-rank",
            name="off-by-one rank",
            wrong_answer=lambda inputs: _rows(inputs, lambda place, grade: place == 1),
            cause="The first row is right: its logarithm is that of 2, which is 1, so the first "
            "film counts in full.",
            hint="What is log₂(1 + 1)?",
        ),
        Misconception(
            id="low-grade",
            name="small is not wrong",
            wrong_answer=lambda inputs: _rows(
                inputs, lambda place, grade: place > 1 and grade == 1
            ),
            cause="This row is right. A film with one star adds little wherever it stands.",
            hint="Divide 1 by the logarithm yourself: what do you get?",
        ),
        Misconception(
            id="not-recomputed",
            name="row not recomputed",
            wrong_answer=lambda inputs: _rows(inputs, lambda place, grade: place > 1 and grade > 1),
            cause="This row is right to its last digit.",
            hint="Which of the other rows have you divided yourself, with all digits of the "
            "logarithm?",
        ),
    ),
    hints=(
        "The total agrees with the column, so it will not help. Divide each grade yourself.",
        "Take the logarithm with all its digits, and round at the end.",
        "The slip is below the first row, and the film has at least three stars.",
    ),
    steps=(
        Step(
            "Divide each grade by its logarithm, and compare.",
            "from math import log2\n\n"
            "right = [grade / log2(rank + 1) for rank, grade in enumerate(grades, 1)]\n"
            "[round(cell, 3) for cell in right]",
        ),
        Step(
            "How far is each printed cell from that?",
            "gaps = [abs(cell - value) for cell, value in zip(printed, right)]\n"
            "[round(gap, 3) for gap in gaps]",
        ),
        Step("The largest gap shows the row.", "gaps.index(max(gaps)) + 1"),
    ),
    insight="A sum that agrees with its column proves the addition, and no cell of the column.",
    minutes=4,
    points=2,
)


# What two NDCG must share -----------------------------------------------------------------------

comparable = Choice(
    id="ranking.comparable",
    title="Can they stand side by side?",
    same_for_all=True,
    prompt="""
Two papers report {metric}@{k} on one data set: `{first}` in one, `{second}` in the other.
Which of these must be the same in both before you may call one model better?
""",
    options={
        "gain": "how a grade becomes a gain",
        "ideal": "whose order is the ideal one: all relevant items, or the listed ones",
        "users": "the test users, and what was hidden from each",
        "nothing": "what a user with nothing relevant counts",
        "base": "the base of the logarithm",
        "library": "the library that computed it",
        "time": "how long the models took to train",
    },
    inputs={"metric": "NDCG", "k": 10, "first": 0.41, "second": 0.38},
    solve=lambda inputs: frozenset({"gain", "ideal", "users", "nothing"}),
    draw=lambda rng: {
        "metric": "NDCG",
        "k": int(rng.choice([5, 10, 20])),
        "first": round(float(rng.uniform(0.3, 0.5)), 2),
        "second": round(float(rng.uniform(0.1, 0.3)), 2),
    },
    reasons={
        "gain": "Linear and exponential gain can order two models differently.",
        "ideal": "With the listed items as the ideal, what was missed is free.",
        "users": "A mean over other people is another question.",
        "nothing": "Each user who counts 0 pulls the mean down.",
    },
    misconceptions=(
        Misconception(
            id="natural-log",
            name="natural log",
            wrong_answer=lambda inputs: "base",
            cause="The base of the logarithm changes DCG and its ideal by one factor, and their "
            "quotient not at all.",
            hint="What is left of a factor that stands above and below the line?",
        ),
        Misconception(
            id="name-for-definition",
            name="name for definition",
            wrong_answer=lambda inputs: "library",
            cause="Two libraries agree where their conventions do, and one library offers several.",
            hint="What would you write down, so that somebody with another library gets your "
            "number?",
        ),
        Misconception(
            id="cost-for-quality",
            name="cost for quality",
            wrong_answer=lambda inputs: "time",
            cause="The time of training may decide which model you take; it is no part of how "
            "good its lists are.",
            hint="Does the training time occur in the formula of the metric?",
        ),
        Misconception(
            id="formula-taken-for-granted",
            name="formula taken for granted",
            wrong_answer=lambda inputs: frozenset({"users"}),
            cause="The same users are needed. Under one name the formula itself may differ, too.",
            hint="Which words of the name NDCG leave a choice open?",
        ),
        Misconception(
            id="borrowed-gain",
            name="borrowed gain",
            wrong_answer=lambda inputs: frozenset({"ideal", "users", "nothing"}),
            cause="The gain is missing: a linear and an exponential NDCG are two metrics.",
            hint="What is a grade of 3 worth in each of the two formulas?",
        ),
        Misconception(
            id="own-list-ideal",
            name="own-list ideal",
            wrong_answer=lambda inputs: frozenset({"gain", "users", "nothing"}),
            cause="The ideal is missing: built from the listed items, it makes every miss free.",
            hint="The best order of *what* stands below the line?",
        ),
        Misconception(
            id="silent-users",
            name="silent users",
            wrong_answer=lambda inputs: frozenset({"gain", "ideal", "users"}),
            cause="Something about users is missing: those whom no list could have pleased.",
            hint="What is 0 over 0, and what did each paper do with it?",
        ),
    ),
    hints=(
        "Write the formula down, and mark every letter that somebody could fill differently.",
        "One of the seven changes DCG and leaves NDCG as it is.",
        "Four of the seven are needed: three are about the formula, one is about whom it is "
        "averaged over.",
    ),
    steps=(
        Step(
            "Five grades in the order recommended, and a favourite that was missed. With one base "
            "of the logarithm or another, the quotient is the same.",
            "from math import log, log2\n\n"
            "grades, best = [3, 0, 1, 0, 2], [3, 3, 2, 1]\n\n\n"
            "def ndcg(log):\n"
            "    dcg = sum(grade / log(rank + 1) for rank, grade in enumerate(grades, 1))\n"
            "    return dcg / sum(grade / log(rank + 1) for rank, grade in enumerate(best, 1))\n"
            "\n\n"
            "[round(ndcg(log2), 3), round(ndcg(log), 3)]",
        ),
        Step(
            "Another gain or another ideal makes another number.",
            "import recsys_metrics as rm\n\n"
            "found = rm.Judged.from_gains(grades, ideal=best)\n"
            "changed = rm.ndcg(found, gain='exponential'), rm.ndcg(found, ideal='list')\n"
            "[round(float(value), 3) for value in changed]",
        ),
    ),
    insight="A name, a K and a data set are not enough: say the gain, the ideal, and who counts.",
    minutes=4,
    points=2,
)


# In words ---------------------------------------------------------------------------------------

explain_ideal = Text(
    id="ranking.explain_ideal",
    title="Tell a colleague",
    prompt="""
A colleague computes NDCG@{k} and takes the recommended items, sorted, as the ideal list.
Every model of hers is above {high}.
Tell her in two or three sentences what such a value does not see, and what to do.
""",
    inputs={"k": 10, "high": 0.9},
    draw=lambda rng: {"k": int(rng.choice([5, 10, 20])), "high": float(rng.choice([0.8, 0.9]))},
    model="The ideal is the best order of the items that were recommended, so an item that was "
    "missed is in neither line of the fraction and costs nothing. A list of mediocre items in "
    "their best "
    "order is then perfect. Build the ideal from all items that are relevant for the user, as far "
    "as they fit within K, and compare with what a random order gets.",
    criteria=(
        "It says that missed items cost nothing.",
        "It says what the ideal should be made from.",
        "It gives an example or a comparison: a mediocre list, chance, another model.",
    ),
    misconceptions=(
        Misconception(
            id="k-too-large",
            name="K to blame",
            wrong_answer=lambda inputs: None,
            cause="A smaller K makes the lists shorter; the missed items stay free.",
            hint="What is the ideal of a shorter list made from?",
        ),
    ),
    hints=(
        "Where would a favourite that nobody recommended turn up in her formula?",
        "Think of a list of six items that the user finds so-so, in the best order.",
        "Say what stands below the line now, and what should stand there.",
    ),
    insight="Whoever can say it in three sentences will see it in the next paper.",
    minutes=4,
    points=2,
)
