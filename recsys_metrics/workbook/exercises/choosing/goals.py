"""Exercises on going from a goal to a metric."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from recsys_metrics import judge, recall, reciprocal_rank
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.function import Case

# The reason, in words -----------------------------------------------------------------------------

# What a list is for, a metric that fits, and why: one of each kind makes an exercise.
_ONE = {
    "tonight": (
        "a button *Tonight* starts one film, and users see no second one",
        "HR@1, because users see only the first film, so rank 2 should not count",
        "HR@1 or MRR, because users see only the first rank",
    ),
    "trailer": (
        "a player shows trailers one after another until the user chooses a film",
        "MRR, because the user stops at the first good film, and each trailer before it costs time",
        "MRR, because the user stops at the first good film",
    ),
}
_MANY = {
    "rail": (
        "a page shows 20 films at once, and all films that the user would like should be on it",
        "Recall@20, because a missing film is the mistake that matters, and the order on the page "
        "does not matter",
        "Recall@20, because a missing film is the mistake that matters",
    ),
    "letter": (
        "a letter lists five films, and each film that is not relevant makes users stop reading",
        "Precision@5, because a wasted slot is the mistake that matters, and a missed film is not",
        "Precision@5, because a wasted slot is the mistake that matters",
    ),
    "page": (
        "a page of ten films is read from the top, and users like some films far more than others",
        "NDCG@10 with stars as gains, because a better film counts more and should rank higher",
        "NDCG@10, because both the rank and the degree of relevance matter",
    ),
}
_ALL = {
    "blockbusters": (
        "the site wants to notice when its lists concentrate on a handful of blockbusters",
        "the Gini index of the impressions of all films, because it rises when a few films get "
        "most of them",
        "the Gini index or coverage, because the question is about all lists together",
    ),
    "shelf": (
        "a film distributor asks what fraction of its films is shown to at least one user",
        "catalogue coverage, because it counts each film that is shown, however often",
        "coverage, because one impression is enough for this question",
    ),
}
_GOALS = _ONE | _MANY | _ALL


def _of_each(inputs: Inputs, what: int) -> list[str]:
    """Return the goal, the model answer or the criterion of each of the three."""
    return [_GOALS[goal][what] for goal in inputs["goals"]]


def _criterion(place: int) -> Callable[[Inputs], str]:
    return lambda inputs: f"For ({'abc'[place]}) it chooses {_of_each(inputs, 2)[place]}."


def _reasons_for_three_goals_prompt(inputs: Inputs) -> str:
    return (
        "\n".join(
            f"- ({letter}) {goal}" for letter, goal in zip("abc", _of_each(inputs, 0), strict=True)
        )
        + """

For each of these goals of a film site, name one metric that you would report, with its K if it has
one. Explain in a few words why it fits. For one of the three metrics, also say what it ignores.
"""
    )


def _reasons_for_three_goals_draw(rng: np.random.Generator) -> Any:
    return {"goals": [str(rng.choice([*kind])) for kind in (_ONE, _MANY, _ALL)]}


def _reasons_for_three_goals_model(inputs: Inputs) -> str:
    return (
        " ".join(
            f"({letter}) {said}." for letter, said in zip("abc", _of_each(inputs, 1), strict=True)
        )
        + " The last of the three metrics ignores whether users liked the films."
    )


_reasons_for_three_goals_criterion_1 = _criterion(0)

_reasons_for_three_goals_criterion_2 = _criterion(1)

_reasons_for_three_goals_criterion_3 = _criterion(2)

# A measure made from a goal -----------------------------------------------------------------------


def _two_found(recommended: Sequence[str], relevant: set[str], k: int) -> float:
    return float(len(relevant.intersection(recommended[:k])) >= 2)


def _evening(recommended: str, relevant: str, k: int, why: str = "") -> Case:
    """Return a list and what is relevant, a letter a film."""
    return Case({"recommended": [*recommended], "relevant": {*relevant}, "k": k}, why)


_EVENINGS = (
    _evening("ABCD", "BG", 4, "one good film is among the first k"),
    _evening("ABCDE", "BCD", 5, "three good films are among the first k"),
    _evening("ADFB", "BGH", 3, "the good film is below rank k"),
    _evening("BCDA", "BC", 4, "there are two good films, and both are found"),
    _evening("BCEGA", "BCEGH", 5, "four good films are among the first k"),
    _evening("XBYCE", "BCEG", 3, "more good films are below rank k than above"),
    _evening("BXCY", "BC", 3, "the second good film is at rank k"),
    _evening("BACD", "BC", 1, "only one film is looked at"),
    _evening("XBYZCA", "BCF", 6, "two good films are fewer than half of the first k"),
)


def _draw_evenings(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return lists with none to four hits, and the edges."""
    drawn = []
    for _ in range(5):
        letters = [str(letter) for letter in rng.permutation([*"ABCDEFGHIJKLMNOP"])]
        recommended = "".join(letters[:6])
        relevant = "".join(letters[: rng.integers(0, 5)] + letters[6 : 6 + int(rng.integers(1, 4))])
        drawn.append(_evening(recommended, relevant, int(rng.integers(3, 6))))
    return (*drawn, *_EVENINGS)


_complete_two_cases = (
    _evening("ABCDE", "BCEG", 5),
    _evening("XYZ", "BCEG", 3, "the list has no good film"),
    *_EVENINGS,
)


def _both(inputs: Inputs) -> dict[str, float]:
    found = {}
    for name in ("first", "second"):
        judged = judge(inputs[name], set(inputs["relevant"]))
        found[f"rr_{name}"] = reciprocal_rank(judged, 5)
        found[f"recall_{name}"] = recall(judged, 5)
    return found


def _draw(rng: np.random.Generator) -> Inputs:
    """Return two lists of which one has its first hit higher and the other more hits."""
    letters = [str(letter) for letter in rng.permutation(list("ABCDEFGHJKLMNP"))]
    n = int(rng.integers(4, 10))
    relevant, others = letters[:n], letters[n:]
    high = int(rng.integers(1, 3))
    low = int(rng.integers(high + 1, 4))
    few, many = 1 + int(rng.integers(0, 2)), int(rng.integers(3, 7 - low))
    lists = []
    for start, hits in ((high, few), (low, many)):
        rest = rng.permutation(np.arange(start + 1, 6))[: hits - 1].tolist()
        ranks = {start, *map(int, rest)}
        hit, miss = iter(relevant), iter(others)
        lists.append([next(hit) if rank in ranks else next(miss) for rank in range(1, 6)])
    return {"first": lists[0], "second": lists[1], "relevant": sorted(relevant)}
