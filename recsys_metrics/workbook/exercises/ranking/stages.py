"""Two stages: what retrieval keeps, what ranking loses, and what conditional metrics show."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from recsys_metrics.ranking import stage_recall
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.function import Case

# With two decimals no answer looks like another one, nor like what a mistake gives.
_APART = 0.02

# Three numbers of a pipeline -------------------------------------------------------------------


def _three_numbers(inputs: Inputs) -> dict[str, float]:
    wanted, kept, shown = inputs["relevant"], inputs["retrieved"], inputs["shown"]
    stages = {
        "retrieval": [[*range(n)] for n in kept],
        "ranking": [[*range(n)] for n in shown],
    }
    found = stage_recall(stages, [{*range(n)} for n in wanted])
    return {
        "retrieval": float(found.recall[0].mean()),
        "conditional": float(np.nanmean(found.conditional_recall[1])),
        "lost": float(found.lost[1].mean()),
    }


def _draw_pipeline(rng: np.random.Generator) -> Inputs:
    """Return four or five users, of whom one has nothing retrieved."""
    while True:
        n = int(rng.integers(4, 6))
        wanted = [int(each) for each in rng.integers(2, 7, n)]
        kept = [int(rng.integers(1, each + 1)) for each in wanted]
        shown = [int(rng.integers(0, each + 1)) for each in kept]
        alone = int(rng.integers(n))
        kept[alone] = shown[alone] = 0
        inputs = {"relevant": wanted, "retrieved": kept, "shown": shown}
        values = _three_numbers(inputs)
        whole = values["retrieval"] - values["lost"]
        others = [whole, 1 - values["retrieval"], 1 - values["conditional"], 1 - whole]
        gaps = np.diff(sorted([*values.values(), *others]))
        if gaps.min() >= _APART and values["lost"] > _APART:
            return inputs


# What a ranking stage loses --------------------------------------------------------------------


def _lost(relevant: AbstractSet[Any], retrieved: AbstractSet[Any], shown: AbstractSet[Any]) -> Any:
    return len((relevant & retrieved) - shown) / len(relevant)


def _user(relevant: str, retrieved: str, shown: str, why: str = "") -> Case:
    return Case(
        {"relevant": {*relevant}, "retrieved": {*retrieved}, "shown": {*shown}},
        why,
    )


def _draw_letters(rng: np.random.Generator) -> tuple[str, str, str]:
    letters = [str(each) for each in rng.permutation([*"ABCDEFGHIJKLMNOP"])]
    wanted = letters[: int(rng.integers(3, 7))]
    others = letters[len(wanted) :]
    some = wanted[: int(rng.integers(1, len(wanted)))]
    kept = [*some, *others[: int(rng.integers(3, 7))]]
    rng.shuffle(kept)
    return "".join(wanted), "".join(kept), "".join(kept[: int(rng.integers(2, len(kept)))])


def _draw_users(rng: np.random.Generator) -> tuple[Case, ...]:
    return tuple(_user(*_draw_letters(rng)) for _ in range(6))


_complete_lost_cases = (
    _user("ADFP", "DMANGRFB", "AGD", "one relevant item is lost at each stage"),
    _user("ABC", "ABCDE", "DE", "the list has no relevant item"),
    _user("ABCD", "EFG", "EF", "nothing relevant was retrieved"),
    _user("AB", "ABXY", "AB", "nothing is lost"),
    _user("ABCDE", "AXBYCZ", "XA", "two of five are lost in the ranking stage"),
)


# Conditional recall from its first line --------------------------------------------------------


def _conditional(
    relevant: Sequence[AbstractSet[Any]],
    retrieved: Sequence[AbstractSet[Any]],
    shown: Sequence[AbstractSet[Any]],
) -> float:
    stages = {"retrieval": [*map(sorted, retrieved)], "ranking": [*map(sorted, shown)]}
    found = stage_recall(stages, [*relevant])
    return float(np.nanmean(found.conditional_recall[1]))


def _pooled(relevant: Any, retrieved: Any, shown: Any) -> float:
    reached = [wanted & kept for wanted, kept in zip(relevant, retrieved, strict=True)]
    found = [of & final for of, final in zip(reached, shown, strict=True)]
    return sum(map(len, found)) / sum(map(len, reached))


def _ratio_of_means(relevant: Any, retrieved: Any, shown: Any) -> float:
    first = [len(r & kept) / len(r) for r, kept in zip(relevant, retrieved, strict=True)]
    last = [len(r & final) / len(r) for r, final in zip(relevant, shown, strict=True)]
    return sum(last) / sum(first)


def _users(*rows: tuple[str, str, str], why: str = "") -> Case:
    names = ("relevant", "retrieved", "shown")
    columns = zip(*rows, strict=True)
    return Case(
        {name: [{*each} for each in of] for name, of in zip(names, columns, strict=True)}, why
    )


def _draw_many_users(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return users of whom one has nothing retrieved, in most of the cases."""
    drawn = []
    for number in range(6):
        rows = [_draw_letters(rng) for _ in range(int(rng.integers(2, 5)))]
        if number % 3:
            rows.insert(int(rng.integers(len(rows) + 1)), ("XYZ", "ABC", "AB"))
        drawn.append(_users(*rows))
    return tuple(drawn)


_mean_conditional_cases = (
    _users(("ADFP", "DMANGRFB", "AGD"), ("BC", "BCDE", "BD"), why="every user has items retrieved"),
    _users(("ADFP", "DMANGRFB", "AGD"), ("XY", "ABCD", "AB"), why="a user has nothing retrieved"),
    _users(("ABC", "ABCXYZ", "XYA"), ("AB", "AXYZ", "AX"), ("DEF", "DEXY", "XY")),
    _users(("ABCD", "ABCDWXYZ", "ABCD"), ("E", "EFGH", "FG"), why="the users have unequal numbers"),
    _users(("XY", "ABCD", "A"), ("ABCDE", "ABCWXYZ", "AWX"), ("F", "FGH", "FG")),
)


# Which conclusions follow ----------------------------------------------------------------------


def _draw_two_pipelines(rng: np.random.Generator) -> Inputs:
    wide = int(rng.integers(56, 66))
    narrow = int(rng.integers(26, 34))
    return {
        "wide": 500,
        "narrow": 50,
        "wide_recall": wide / 100,
        "narrow_recall": narrow / 100,
        # More is lost before ranking than in it, and less than half of what is left.
        "wide_list": int(rng.integers(wide - 34, wide - 28)) / 100,
        "narrow_list": int(rng.integers(narrow - 9, narrow - 5)) / 100,
        "wide_conditional": int(rng.integers(44, 50)) / 100,
        "narrow_conditional": int(rng.integers(68, 78)) / 100,
    }


# In words --------------------------------------------------------------------------------------


def _draw_narrower(rng: np.random.Generator) -> Inputs:
    many, few = ((1000, 100), (500, 50), (400, 40))[int(rng.integers(3))]
    before = int(rng.integers(30, 36))
    return {"many": many, "few": few, "before": before / 100, "after": (before + 24) / 100}
