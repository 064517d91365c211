"""How unevenly items are shown: Gini in numbers, and as a function; entropy in bits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from recsys_metrics.beyond_accuracy import gini, lorenz_curve, shannon_entropy
from recsys_metrics.workbook.exercises.base import Inputs, Misconception, Step
from recsys_metrics.workbook.exercises.choice import Choice
from recsys_metrics.workbook.exercises.function import Case, Function
from recsys_metrics.workbook.exercises.lettered_options import LetteredOptions
from recsys_metrics.workbook.exercises.numbers import Numbers


def _both(value: Any) -> Any:
    """Return answers of someone who takes this for the Gini of any counts."""

    def wrong(inputs: Inputs) -> dict[str, float]:
        own, other = value(inputs["counts"]), value(inputs["counts_before"])
        return {"gini": own, "change": own - other}

    return wrong


def _gaps(counts: Sequence[float]) -> float:
    return float(sum(abs(one - other) for one in counts for other in counts))


def _each_pair_once(counts: Sequence[float]) -> float:
    return gini(counts) / 2


def _no_two(counts: Sequence[float]) -> float:
    return gini(counts) * 2


def _shown_only(counts: Sequence[float]) -> float:
    return gini([count for count in counts if count])


def _mean_of_shown(counts: Sequence[float]) -> float:
    shown = [count for count in counts if count]
    return _gaps(counts) / (2 * len(counts) ** 2 * sum(shown) / len(shown))


def _area(counts: Sequence[float]) -> float:
    return 1 / 2 - lorenz_curve(counts).area


def _normalized(counts: Sequence[float]) -> float:
    return gini(counts, normalized=True)


def _turned(counts: Sequence[float]) -> float:
    return 1 - gini(counts)


def _draw_counts(rng: np.random.Generator) -> Inputs:
    """Return five counts with an item that nobody is shown, and the counts to compare with."""
    while True:
        counts = sorted((int(count) for count in rng.integers(0, 8, 5)), reverse=True)
        if counts.count(0) in (1, 2) and len(set(counts)) > 2 and sum(counts) >= 6:
            break
    return {"counts": counts, "counts_before": [8, 2, 0, 0, 0]}


gini_of_exposure = Numbers(
    attribute="gini_of_exposure",
    id="beyond_accuracy.e8a",
    title="A second shop window",
    prompt="""
A catalogue has five items. How often each of them was recommended in one week: {counts}.

Compute the Gini index from the gaps between the counts, without normalizing it.
The week before, the counts were {counts_before}.
How much has the Gini index changed since? Below 0 means less concentrated.
""",
    asks={"gini": "Gini index", "change": "change since the week before"},
    inputs={"counts": [6, 3, 1, 0, 0], "counts_before": [8, 2, 0, 0, 0]},
    solve=_both(gini),
    draw=_draw_counts,
    follows={"change": lambda own: own["gini"] - gini([8, 2, 0, 0, 0])},
    misconceptions=(
        Misconception(
            id="each-pair-once",
            name="each pair once",
            wrong_answer=_both(_each_pair_once),
            cause="Each pair of items was taken once. The double sum meets every pair twice, and "
            "the 2 below the line is there for that.",
            hint="How many terms has a sum over five items and, for each of them, five items?",
            ambiguous_with=("area-for-share",),
        ),
        Misconception(
            id="forgotten-two",
            name="forgotten two",
            wrong_answer=_both(_no_two),
            cause="The sum over all pairs, both ways around, was not halved.",
            hint="What would one item with all the recommendations score? It must stay below 1.",
        ),
        Misconception(
            id="forgotten-zeros",
            name="forgotten zeros",
            wrong_answer=_both(_shown_only),
            cause="The items that nobody was shown were left out. They are the most unequally "
            "treated of all.",
            hint="How many items does the catalogue have?",
        ),
        Misconception(
            id="mean-of-shown",
            name="mean of the shown",
            wrong_answer=_both(_mean_of_shown),
            cause="The mean count was taken over the items that were shown, not over all five.",
            hint="How many recommendations are there, and by how many items must you divide?",
        ),
        Misconception(
            id="area-for-share",
            name="area for share",
            wrong_answer=_both(_area),
            cause="That is the area between the curve and the line of equality. The Gini index "
            "is its share of the whole triangle.",
            hint="How large is the triangle under the line of equality?",
        ),
        Misconception(
            id="normalized",
            name="borrowed scale",
            wrong_answer=_both(_normalized),
            cause="That is the normalized index, divided by the most that five items can reach.",
            hint="Which of the two scales was asked for?",
        ),
        Misconception(
            id="turned-round",
            name="one minus",
            wrong_answer=_both(_turned),
            cause="That is 1 less the Gini index, which is highest when all are shown alike.",
            hint="Which of your two numbers should equal counts give: 0 or 1?",
        ),
        Misconception(
            id="sign",
            name="change the wrong way round",
            wrong_answer=lambda inputs: {
                "change": gini(inputs["counts_before"]) - gini(inputs["counts"])
            },
            cause="The new index was taken from the old one.",
            hint="If the index went down, should the change be above or below 0?",
        ),
    ),
    hints=(
        "Take every item with every item, itself included, and add up the gaps between their "
        "counts.",
        "Five items make 25 gaps. The mean count is all recommendations over five.",
        "Divide the sum of the gaps by 2 times 25 times the mean. Then take the index of the week "
        "before from it.",
    ),
    steps=(
        Step(
            "Every item against every item: the sum of the gaps.",
            "gaps = sum(abs(one - other) for one in counts for other in counts)\ngaps",
        ),
        Step(
            "Divide by 2, by the number of pairs and by the mean count.",
            "n, mean = len(counts), sum(counts) / len(counts)\n"
            "gini = gaps / (2 * n**2 * mean)\nround(gini, 3)",
        ),
        Step(
            "The same for the week before, and the difference.",
            "gaps_before = sum(abs(a - b) for a in counts_before for b in counts_before)\n"
            "gini_before = gaps_before / (2 * n * sum(counts_before))\n"
            "change = gini - gini_before\n"
            "round(gini_before, 3), round(change, 3)",
        ),
    ),
    insight="Zeros count: an item that nobody is shown makes a gap to every item that is.",
    minutes=6,
    points=3,
)


# The function ---------------------------------------------------------------------------------


def _gini(counts: Sequence[float]) -> float:
    return gini(counts)


def _descending(counts: Sequence[float]) -> float:
    n, ordered = len(counts), sorted(counts, reverse=True)
    total = sum((2 * i - n - 1) * count for i, count in enumerate(ordered, 1))
    return total / (n * sum(counts))


def _unsorted(counts: Sequence[float]) -> float:
    n = len(counts)
    return sum((2 * i - n - 1) * x for i, x in enumerate(counts, 1)) / (n * sum(counts))


def _places_from_zero(counts: Sequence[float]) -> float:
    n, ordered = len(counts), sorted(counts)
    return sum((2 * i - n - 1) * x for i, x in enumerate(ordered)) / (n * sum(counts))


def _case(counts: list[int], why: str = "") -> Case:
    return Case({"counts": counts}, why)


_EDGES = (
    _case([3, 3, 3], "all are shown alike"),
    _case([0, 0, 7, 0], "one item gets everything"),
)
STATED = (
    _case([8, 2, 0, 0, 0]),
    _case([0, 3, 1, 6, 0, 2], "the counts stand in no order"),
    _case([1, 2, 3, 4]),
    _case([5, 1, 5, 0]),
    *_EDGES,
)


def draw_cases(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return other counts, in no order and with zeros among them."""
    drawn = []
    for _ in range(5):
        counts = [int(count) for count in rng.integers(0, 9, int(rng.integers(4, 9)))]
        counts[int(rng.integers(len(counts)))] = 0
        counts[0] = counts[0] or 5
        drawn.append(_case(counts))
    return (*drawn, *_EDGES)


write_gini = Function(
    id="beyond_accuracy.write_gini",
    title="Gini from counts",
    prompt="""
Write `my_gini(counts)`: the Gini index of how often the items of a catalogue were shown, not
normalized.

- `counts` is a list with one number for each item, in no order. Zeros belong to it.
- At least one item was shown.
""",
    function="my_gini",
    solve=_gini,
    cases=STATED,
    draw=draw_cases,
    misconceptions=(
        Misconception(
            id="forgotten-zeros",
            name="forgotten zeros",
            wrong_answer=_shown_only,
            cause="The items that nobody was shown are left out.",
            hint="What should the result be where one item of four gets everything?",
        ),
        Misconception(
            id="unsorted",
            name="unsorted counts",
            wrong_answer=_unsorted,
            cause="The formula with places needs the counts in ascending order, and takes them "
            "here as they come.",
            hint="Does your result change when the same counts come in another order?",
        ),
        Misconception(
            id="descending",
            name="sorted the wrong way",
            wrong_answer=_descending,
            cause="The counts are sorted with the largest first. The result is the right one with "
            "its sign turned.",
            hint="Which item should get the smallest place?",
        ),
        Misconception(
            id="off-by-one-rank",
            name="off-by-one rank",
            wrong_answer=_places_from_zero,
            cause="The places are counted from 0; the formula counts them from 1.",
            hint="What do you get for equal counts?",
        ),
        Misconception(
            id="normalized",
            name="borrowed scale",
            wrong_answer=_normalized,
            cause="The result is divided by the most that n items can reach.",
            hint="Which of the two scales is asked for?",
        ),
        Misconception(
            id="turned-round",
            name="one minus",
            wrong_answer=_turned,
            cause="The result is 1 less the Gini index.",
            hint="Which value should equal counts have?",
        ),
        Misconception(
            id="forgotten-two",
            name="forgotten two",
            wrong_answer=_no_two,
            variants=(_each_pair_once,),
            cause="The pairs are counted twice, or half of them, against what stands below the "
            "line.",
            hint="Does your sum meet each pair once or twice, and do you divide accordingly?",
        ),
    ),
    hints=(
        "There are two ways: the gaps between all pairs, or the places of the sorted counts.",
        "With gaps: a sum over all pairs, both ways around, divided by twice n times n times the "
        "mean.",
        "With places: sort ascending, give the i-th count the weight 2i less n less 1, add up, and "
        "divide by n times the sum of the counts.",
    ),
    steps=(
        Step(
            "The gaps between every item and every item, and what they are compared with.",
            "def my_gini(counts):\n"
            "    gaps = sum(abs(one - other) for one in counts for other in counts)\n"
            "    return gaps / (2 * len(counts) * sum(counts))",
        ),
        Step(
            "n times n times the mean is n times the sum. The counts of the chapter:",
            "my_gini([8, 2, 0, 0, 0])",
        ),
    ),
    insight="The gaps take n times n steps. Sorted once, the places take n, and give the same.",
    minutes=8,
    points=3,
)


# In bits --------------------------------------------------------------------------------------

# Shares that are halves, quarters, eighths: their logarithms are whole.
_HALVED = ((4, 2, 1, 1, 0), (2, 1, 1, 0, 0), (2, 2, 2, 1, 1, 0), (8, 4, 2, 1, 1, 0))


def _bits_of(ways: Callable[[Sequence[int]], float]) -> Callable[[Inputs], str]:
    return lambda inputs: f"{round(ways(inputs['counts']), 2):g} bits"


_bits = LetteredOptions(
    {
        "right": _bits_of(shannon_entropy),
        "as-if-even": _bits_of(lambda counts: float(np.log2(np.count_nonzero(counts)))),
        "never-shown": _bits_of(lambda counts: float(np.log2(len(counts)))),
        "natural-log": _bits_of(lambda counts: shannon_entropy(counts, base=np.e)),
    }
)


def _draw_halved(rng: np.random.Generator) -> Inputs:
    times = int(rng.integers(1, 6))
    return {"counts": [times * count for count in _HALVED[int(rng.integers(len(_HALVED)))]]}


bits_by_hand = Choice(
    id="beyond_accuracy.bits_by_hand",
    title="Which item was it",
    prompt="""
How often each item of a catalogue was shown: {counts}.

How many yes-or-no questions does it take, on average, to find out which item was shown, if each
question splits what is left into two halves that are equally likely?
""",
    options=_bits.options,
    ordered=True,
    solve=_bits.key("right"),
    inputs={"counts": [4, 2, 1, 1, 0]},
    draw=_draw_halved,
    reasons=_bits.reasons(
        "An item with half of the showings takes one question, one with a quarter takes two, and "
        "each counts by its share."
    ),
    misconceptions=(
        Misconception(
            id="as-if-even",
            name="as if even",
            wrong_answer=_bits.key("as-if-even"),
            cause="That many questions it takes where all shown items are shown alike.",
            hint="Which first question has yes and no as answers equally often?",
        ),
        Misconception(
            id="never-shown",
            name="questions about what is never shown",
            wrong_answer=_bits.key("never-shown"),
            cause="That is the logarithm of all items. An item that was never shown is never the "
            "answer.",
            hint="What does an item with the share 0 add?",
        ),
        Misconception(
            id="natural-log",
            name="natural log",
            wrong_answer=_bits.key("natural-log"),
            cause="The logarithm was the natural one. A question with two answers needs base two.",
            hint="How many questions does it take to tell two items apart that are shown alike?",
        ),
    ),
    hints=(
        "Divide each count by the sum of all.",
        "A share of one half takes one question, of one quarter two, of one eighth three.",
        "Add up share times questions.",
    ),
    steps=(
        Step(
            "The shares of the items that were shown, and the questions that each takes.",
            "import numpy as np\n\nshares = np.array([n for n in counts if n]) / sum(counts)\n"
            "-np.log2(shares)",
        ),
        Step("Each counts by its share.", "round(-(shares * np.log2(shares)).sum(), 2)"),
        Step(
            "What the others computed: shown items alike, all items alike, the natural logarithm.",
            "alike = np.log2([len(shares), len(counts)])\n"
            "np.append(alike, -(shares * np.log(shares)).sum()).round(2)",
        ),
    ),
    insight="Entropy is the mean number of questions; it is highest where all are shown alike.",
    minutes=2,
)
