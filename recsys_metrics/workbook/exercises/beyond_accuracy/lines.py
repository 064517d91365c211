"""One line to complete: the Lorenz curve, the pairs of a list, the nearest film."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from recsys_metrics.beyond_accuracy import gini
from recsys_metrics.workbook.exercises.base import Misconception, Step
from recsys_metrics.workbook.exercises.beyond_accuracy import concentration
from recsys_metrics.workbook.exercises.function import Case, Function

# The curve ------------------------------------------------------------------------------------


def _gini(counts: Sequence[float]) -> float:
    return gini(counts)


def _with_share(
    after: Callable[[float, float, Sequence[float]], float],
) -> Callable[[Sequence[float]], float]:
    """Return the index by the curve whose next point is this of the last, a count and all."""

    def wrong(counts: Sequence[float]) -> float:
        share, area = 0.0, 0.0
        for count in sorted(counts):
            reached = after(share, count, counts)
            area += (share + reached) / 2 / len(counts)
            share = reached
        return 1 - 2 * area

    return wrong


complete_gini = Function(
    id="beyond_accuracy.complete_gini",
    title="Gini by the curve, with one line missing",
    prompt="""
Complete the line with `...`: the next point of the Lorenz curve, that is, the share of all
showings that the items up to this one have together.

- `counts` is a list with one number for each item, in no order. At least one item was shown.
- `before` is the point that came before, and the items come from the least shown to the most.
""",
    function="my_gini_by_curve",
    solve=_gini,
    template="""
before, area = 0.0, 0.0
for count in sorted(counts):
    after = ...
    area, before = area + (before + after) / 2 / len(counts), after
return 1 - 2 * area
""".strip(),
    template_answer="before + count / sum(counts)",
    cases=concentration.STATED,
    draw=concentration.draw_cases,
    misconceptions=(
        Misconception(
            id="one-share",
            name="one share for all so far",
            wrong_answer=_with_share(lambda _, count, counts: count / sum(counts)),
            cause="That is the share of this item alone. The curve adds up what came before.",
            hint="Where does the curve have to end, at the last item?",
        ),
        Misconception(
            id="counts-for-shares",
            name="counts for shares",
            wrong_answer=_with_share(lambda before, count, _: before + count),
            cause="The showings are added up as counts. The curve runs from 0 to 1.",
            hint="Which share of all showings is one count?",
        ),
        Misconception(
            id="items-for-showings",
            name="items for showings",
            wrong_answer=_with_share(lambda before, count, counts: before + count / len(counts)),
            cause="The count is divided by the number of items, and not by all showings.",
            hint="What do you divide by, so that all shares add up to 1?",
        ),
        Misconception(
            id="largest-for-all",
            name="largest for all",
            wrong_answer=_with_share(lambda before, count, counts: before + count / max(counts)),
            cause="The count is divided by the largest one, and not by all showings.",
            hint="What do you divide by, so that all shares add up to 1?",
        ),
        Misconception(
            id="diagonal",
            name="the diagonal",
            wrong_answer=_with_share(lambda before, _, counts: before + 1 / len(counts)),
            cause="Every item moves the curve up by the same amount: that is the diagonal of "
            "equal counts.",
            hint="By how much does an item move the curve up that was never shown?",
        ),
    ),
    hints=(
        "At each item the curve goes up by what that item has.",
        "An item has its count out of all showings.",
        "Add that share to `before`.",
    ),
    steps=(
        Step("At each item the curve goes up by the item's share of all showings."),
        Step("The counts of the chapter:", "my_gini_by_curve([8, 2, 0, 0, 0])"),
    ),
    insight="The curve needs one sorting and one pass; the gaps need every pair.",
    minutes=2,
    points=1,
)

# The pairs ------------------------------------------------------------------------------------

_Table = Sequence[Sequence[float]]


def _total(similarity: _Table) -> float:
    n = len(similarity)
    return float(sum(1 - similarity[i][j] for i in range(n) for j in range(i)))


def _over(denominator: Callable[[int], float]) -> Callable[[_Table], float]:
    return lambda similarity: _total(similarity) / denominator(len(similarity))


def _diversity(similarity: _Table) -> float:
    return _total(similarity) / (len(similarity) * (len(similarity) - 1) / 2)


def _mean_likeness(similarity: _Table) -> float:
    return 1 - _diversity(similarity)


def _table(pairs: Sequence[float], n: int) -> list[list[float]]:
    """Return a table of similarities from those of the pairs, row by row below its diagonal."""
    table = np.eye(n)
    table[np.tril_indices(n, -1)] = pairs
    table = np.maximum(table, table.T)
    return [[float(value) for value in row] for row in table]


def _draw_tables(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return tables of three to six films, none of them all alike."""
    found = []
    for n in (3, 4, 5, 6):
        pairs = rng.integers(0, 10, n * (n - 1) // 2) / 10
        pairs[0] = 0.3
        found.append(Case({"similarity": _table(pairs.tolist(), n)}))
    return (*found, _TWO)


_TWO = Case({"similarity": _table([0.25], 2)}, "two films, one pair")

complete_diversity = Function(
    id="beyond_accuracy.complete_diversity",
    title="Diversity with one line missing",
    prompt="""
Complete the line with `...`: the diversity of a list of n films.

- `similarity[i][j]` is how alike the films i and j are. The list has two films or more.
- `total` is the sum of the distances, with each pair of films once.
""",
    function="my_diversity",
    solve=_diversity,
    template="""
n = len(similarity)
total = sum(1 - similarity[i][j] for i in range(n) for j in range(i))
return ...
""".strip(),
    template_answer="total / (n * (n - 1) / 2)",
    cases=(
        Case({"similarity": _table([0.5, 0.0, 0.5], 3)}),
        Case({"similarity": _table([0.9, 0.2, 0.4, 0.0, 0.6, 0.1], 4)}),
        Case({"similarity": _table([0.0] * 10, 5)}, "no two films are alike"),
        _TWO,
    ),
    draw=_draw_tables,
    misconceptions=(
        Misconception(
            id="length-denominator",
            name="length denominator",
            wrong_answer=_over(float),
            cause="The sum over pairs is divided by the number of films. The same mix then looks "
            "more varied in a longer list.",
            hint="How many pairs do four films make?",
        ),
        Misconception(
            id="pairs-twice",
            name="pairs twice",
            wrong_answer=_over(lambda n: float(n * (n - 1))),
            cause="Below the line each pair is counted twice, above it once.",
            hint="What should come out for films of which no two are alike?",
        ),
        Misconception(
            id="films-with-themselves",
            name="films with themselves",
            wrong_answer=_over(lambda n: n * (n + 1) / 2),
            cause="Below the line each film makes a pair with itself, too.",
            hint="How many pairs do two films make?",
        ),
        Misconception(
            id="whole-table",
            name="whole table",
            wrong_answer=_over(lambda n: float(n * n)),
            cause="The sum is divided by all cells of the table: each pair twice, and each film "
            "with itself.",
            hint="How many pairs do two films make, and how many cells has their table?",
        ),
        Misconception(
            id="not-divided",
            name="sum for mean",
            wrong_answer=_total,
            cause="That is the sum of the distances. A diversity is their mean.",
            hint="Should a longer list be more varied because it has more pairs?",
        ),
        Misconception(
            id="brackets-left-out",
            name="brackets left out",
            wrong_answer=lambda similarity: (
                _total(similarity) / len(similarity) * (len(similarity) - 1) / 2
            ),
            cause="Python divides by n and then multiplies by n − 1: what stands after a `/` needs "
            "brackets to stand below the line.",
            hint="What does `12 / 3 * 2` give?",
        ),
        Misconception(
            id="neighbours",
            name="neighbours for pairs",
            wrong_answer=_over(lambda n: float(n - 1)),
            cause="n − 1 are the films that one film meets, or the neighbours in a row. Pairs are "
            "more.",
            hint="How many pairs do four films make?",
        ),
        Misconception(
            id="similarity-for-distance",
            name="similarity for distance",
            wrong_answer=_mean_likeness,
            cause="That is how alike the films are. The distances stand in `total` already.",
            hint="What should come out for films of which no two are alike?",
        ),
    ),
    hints=(
        "A diversity is a mean over pairs, and `total` is the sum.",
        "Each of n films makes a pair with n − 1 others; so each pair is met twice.",
        "Divide by n times n − 1, halved.",
    ),
    steps=(
        Step("Each of n films meets n − 1 others, and each pair is met twice that way."),
        Step(
            "The three films of the chapter:",
            "my_diversity([[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]])",
        ),
    ),
    insight="Pairs grow faster than films: four films make six pairs, ten make forty-five.",
    minutes=2,
    points=1,
)

# The nearest film -----------------------------------------------------------------------------

_Likenesses = Sequence[float]
_Worth = Callable[[float, _Likenesses, float], float]


def _worth_by(likeness: Callable[[_Likenesses], float]) -> _Worth:
    """Return the rule that puts this in place of the likeness to the nearest film."""
    return lambda score, alike, variety: (1 - variety) * score - variety * likeness(alike)


def _worth(score: float, alike: _Likenesses, variety: float) -> float:
    return (1 - variety) * score - variety * max(alike, default=0)


def _draw_places(rng: np.random.Generator) -> tuple[Case, ...]:
    found = []
    for n in (4, 5, 5):
        low, *middle, high = sorted((rng.choice(np.arange(1, 10), n, replace=False) / 10).tolist())
        # The first and the last chosen are neither the nearest nor the furthest.
        first, last, *others = rng.permutation(middle).tolist()
        alike = [first, *rng.permutation([low, high, *others]).tolist(), last]
        found.append(_place(int(rng.integers(5, 20)) / 20, alike, int(rng.integers(2, 9)) / 10))
    return (*found, _FIRST)


def _place(score: float, alike: list[float], variety: float, why: str = "") -> Case:
    return Case({"score": score, "alike": alike, "variety": variety}, why)


_FIRST = _place(0.8, [], 0.5, "no film is chosen yet")

complete_worth = Function(
    id="beyond_accuracy.complete_worth",
    title="What a film is worth, with one line missing",
    prompt="""
Complete the line with `...`: the likeness of a film to the nearest of those that are chosen.

- `alike` holds its likeness to each chosen film, between 0 and 1. The list is empty as long as no
  film is chosen; then nothing is repeated, and only the score counts.
- The last line is the rule: the score, minus the likeness to the nearest, each with its weight.
""",
    function="my_worth",
    solve=_worth,
    template="""
nearest = ...
return (1 - variety) * score - variety * nearest
""".strip(),
    template_answer="max(alike, default=0)",
    cases=(
        _place(0.9, [0.3, 0.8, 0.5], 0.4),
        _place(0.5, [0.1, 0.7, 0.2], 0.5),
        _place(0.7, [0.6, 0.9, 0.2, 0.4], 0.3),
        _FIRST,
    ),
    draw=_draw_places,
    misconceptions=(
        Misconception(
            id="mean-likeness",
            name="mean likeness",
            wrong_answer=_worth_by(lambda alike: sum(alike) / len(alike) if alike else 0.0),
            variants=(_worth_by(lambda alike: sum(alike) / len(alike)),),
            cause="The likeness to all chosen films is averaged. A twin of one film hides well "
            "among strangers.",
            hint="What is a copy of one chosen film worth by your line?",
        ),
        Misconception(
            id="last-chosen",
            name="last chosen only",
            wrong_answer=_worth_by(lambda alike: alike[-1] if alike else 0.0),
            variants=(_worth_by(lambda alike: alike[-1]),),
            cause="Only the film that was chosen last is looked at. The reader sees the whole "
            "list.",
            hint="Which of the chosen films is this one most like?",
        ),
        Misconception(
            id="first-chosen",
            name="first chosen only",
            wrong_answer=_worth_by(lambda alike: alike[0] if alike else 0.0),
            variants=(_worth_by(lambda alike: alike[0]),),
            cause="Only the film that was chosen first is looked at. The reader sees the whole "
            "list.",
            hint="Which of the chosen films is this one most like?",
        ),
        Misconception(
            id="sum-of-likenesses",
            name="likenesses added up",
            wrong_answer=_worth_by(sum),
            cause="The likenesses are added up. Then every film loses more, the longer the list "
            "already is.",
            hint="How large can that sum become at the tenth place, and how large can a score?",
        ),
        Misconception(
            id="least-alike",
            name="least alike",
            wrong_answer=_worth_by(lambda alike: min(alike, default=0.0)),
            variants=(_worth_by(min),),
            cause="That is the likeness to the film that is least like this one. The rule asks for "
            "the nearest.",
            hint="Does a film repeat the list when it is unlike one of its films, or when it is "
            "like one?",
        ),
        Misconception(
            id="distance-for-likeness",
            name="distance for likeness",
            wrong_answer=_worth_by(lambda alike: 1 - max(alike, default=0.0)),
            cause="That is how far the nearest film is. The rule subtracts how alike it is.",
            hint="Should a copy of a chosen film lose more than a stranger, or less?",
        ),
        Misconception(
            id="empty-for-alike",
            name="like what is not there",
            wrong_answer=_worth_by(lambda alike: max(alike, default=1.0)),
            cause="With no film chosen the likeness is 1 here, so that the first film loses for "
            "a repetition that is none.",
            hint="What does a film repeat on an empty list?",
        ),
    ),
    hints=(
        "Near is what is alike: which number of `alike` belongs to the nearest film?",
        "It is the largest.",
        "The largest of an empty list is an error; `max(alike, default=...)` says what to take "
        "then.",
    ),
    steps=(
        Step("The nearest film has the largest likeness; an empty list has none to be like."),
        Step("Score and three likenesses:", "my_worth(0.9, [0.3, 0.8, 0.5], 0.4)"),
    ),
    insight="One film that is nearly the same is enough to be a repetition.",
    minutes=2,
    points=1,
)
