"""Exercises on going from a goal to a measure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from recsys_metrics import judge, recall, reciprocal_rank
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.function import Case

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


def _reasons_for_three_goals_prompt(inputs: Inputs) -> str:
    return (
        "\n".join(
            f"- ({letter}) {goal}" for letter, goal in zip("abc", _of_each(inputs, 0), strict=True)
        )
        + """

For each of these goals of a film site, name the one measure that you would report, with its K where
it has one. Say in a few words why it fits, and of one of the three what it will not see.
"""
    )


def _reasons_for_three_goals_draw(rng: np.random.Generator) -> Any:
    return {"goals": [str(rng.choice([*kind])) for kind in (_ONE, _MANY, _ALL)]}


def _reasons_for_three_goals_model(inputs: Inputs) -> str:
    return (
        " ".join(
            f"({letter}) {said}." for letter, said in zip("abc", _of_each(inputs, 1), strict=True)
        )
        + " The last of the three does not see whether anybody liked what was shown."
    )


_reasons_for_three_goals_criterion_1 = _criterion(0)

_reasons_for_three_goals_criterion_2 = _criterion(1)

_reasons_for_three_goals_criterion_3 = _criterion(2)

# A measure made from a goal -----------------------------------------------------------------------


def _two_found(recommended: Sequence[str], wanted: set[str], k: int) -> float:
    return float(len(wanted.intersection(recommended[:k])) >= 2)


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


_complete_two_cases = (
    _evening("ABCDE", "BCEG", 5),
    _evening("XYZ", "BCEG", 3, "the list has no good film"),
    *_EVENINGS,
)


def _both(inputs: Inputs) -> dict[str, float]:
    found = {}
    for name in ("first", "second"):
        judged = judge(inputs[name], set(inputs["wanted"]))
        found[f"rr_{name}"] = reciprocal_rank(judged, 5)
        found[f"recall_{name}"] = recall(judged, 5)
    return found


def _draw(rng: np.random.Generator) -> Inputs:
    """Return two lists of which one has its first hit higher and the other more hits."""
    letters = [str(letter) for letter in rng.permutation(list("ABCDEFGHJKLMNP"))]
    n = int(rng.integers(4, 10))
    wanted, others = letters[:n], letters[n:]
    high = int(rng.integers(1, 3))
    low = int(rng.integers(high + 1, 4))
    few, many = 1 + int(rng.integers(0, 2)), int(rng.integers(3, 7 - low))
    lists = []
    for start, hits in ((high, few), (low, many)):
        rest = rng.permutation(np.arange(start + 1, 6))[: hits - 1].tolist()
        ranks = {start, *map(int, rest)}
        hit, miss = iter(wanted), iter(others)
        lists.append([next(hit) if rank in ranks else next(miss) for rank in range(1, 6)])
    return {"first": lists[0], "second": lists[1], "wanted": sorted(wanted)}
