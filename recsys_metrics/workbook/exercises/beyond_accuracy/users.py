"""Between users: how different their lists are, and what a mix of genres is worth."""

from __future__ import annotations

import string
from itertools import combinations
from typing import Any

import numpy as np

from recsys_metrics.beyond_accuracy import genre_calibration, personalization
from recsys_metrics.workbook.exercises.base import Inputs

_USERS = ("ann", "bob", "cem")


def _lists(inputs: Inputs) -> list[list[str]]:
    return [inputs[user] for user in _USERS]


def _personalization(inputs: Inputs) -> float:
    return float(personalization(_lists(inputs)))


def _unique(inputs: Inputs) -> float:
    lists = _lists(inputs)
    recommended = [item for each in lists for item in each]
    return sum(recommended.count(item) == 1 for item in recommended) / len(recommended)


def _jaccard(inputs: Inputs) -> float:
    pairs = list(combinations(map(set, _lists(inputs)), 2))
    return 1 - sum(len(one & two) / len(one | two) for one, two in pairs) / len(pairs)


def _with_self(inputs: Inputs) -> float:
    return _personalization(inputs) * 6 / 9


def _common_to_all(inputs: Inputs) -> float:
    lists = list(map(set, _lists(inputs)))
    return 1 - len(lists[0] & lists[1] & lists[2]) / len(lists[0])


def _draw_lists(rng: np.random.Generator) -> Inputs:
    """Return lists that have much or little in common: any overlap is as likely as another."""
    k = int(rng.integers(3, 8))
    letters = [str(letter) for letter in rng.permutation(list(string.ascii_uppercase))]
    lists: list[list[str]] = []
    for _ in _USERS:
        seen = sorted({item for each in lists for item in each})
        shared = rng.permutation(seen)[: int(rng.integers(0, k + 1))]
        fresh = [letter for letter in letters if letter not in seen]
        lists.append([*map(str, shared), *fresh][:k])
    return dict(
        zip(_USERS, ([str(i) for i in rng.permutation(each)] for each in lists), strict=True)
    )


def _three_lists_overlap(inputs: Inputs) -> Any:
    return 1 - _personalization(inputs)


# The mix of genres ----------------------------------------------------------------------------


def _mixes(inputs: Inputs) -> tuple[list[float], list[float]]:
    share, recommended = inputs["share"], inputs["recommended"]
    return [share, 1 - share], [recommended, 1 - recommended]


def _calibration(inputs: Inputs, **how: Any) -> float:
    return float(genre_calibration(*_mixes(inputs), **{"alpha": inputs["alpha"], **how}))


def _swapped(inputs: Inputs) -> float:
    target, recommended = _mixes(inputs)
    return float(genre_calibration(recommended, target, alpha=inputs["alpha"]))


def _gap(inputs: Inputs) -> float:
    target, recommended = _mixes(inputs)
    return sum(abs(one - two) for one, two in zip(target, recommended, strict=True))


def _first_genre(inputs: Inputs) -> float:
    (share, _), (recommended, _) = _mixes(inputs)
    return share * float(
        np.log2(share / ((1 - inputs["alpha"]) * recommended + inputs["alpha"] * share))
    )


def _mixed_other_way(inputs: Inputs) -> float:
    return _calibration(inputs, alpha=1 - inputs["alpha"])


def _draw_mix(rng: np.random.Generator) -> Inputs:
    return {
        "share": int(rng.integers(5, 9)) / 10,
        "recommended": float(rng.choice([0.9, 0.95, 1.0])),
        "alpha": float(rng.choice([0.01, 0.02, 0.05])),
    }


def _mix_of_genres_natural_log(inputs: Inputs) -> Any:
    return _calibration(inputs, base=np.e)
