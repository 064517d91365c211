"""Exercises on lists that models write: items that do not exist, repeats, runs, contamination."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.function import Case

_CATALOG = frozenset("ABCDEFG")

# Valid slots -----------------------------------------------------------------------------------


def _valid_share(recommended: Sequence[str], catalog: Collection[str], k: int) -> float:
    return len(set(recommended) & set(catalog)) / k


def _list(recommended: list[str], k: int, why: str = "") -> Case:
    return Case({"recommended": recommended, "catalog": set(_CATALOG), "k": k}, why)


def _draw_lists(rng: np.random.Generator) -> tuple[Case, ...]:
    drawn = []
    for k in (4, 5, 6, 7):
        n = int(rng.integers(k - 1, k + 1))
        drawn.append(_list(rng.choice([*"ABCDEXYZ"], size=n).tolist(), k))
    return (
        *drawn,
        _list(["A", "B", "A", "Z"], 5, "one item is repeated, one unknown, one missing"),
        _list(["C", "A", "B"], 3, "all slots are valid"),
        _list([], 3, "the list is empty"),
    )


_valid_cases = (
    _list(["A", "B", "A", "Z"], 5),
    _list(["A", "X", "C", "C", "B"], 6),
    _list(["Y", "Z"], 4),
    _list(["C", "A", "B"], 3, "all slots are valid"),
    _list([], 3, "the list is empty"),
)


# Faults in metrics -----------------------------------------------------------------------------


def _faults(inputs: Inputs) -> dict[str, float]:
    written, catalog, relevant = (inputs[name] for name in ("recommended", "catalog", "relevant"))
    fresh = [item in catalog and item not in written[:place] for place, item in enumerate(written)]
    hits = [ok and item in relevant for item, ok in zip(written, fresh, strict=True)]
    left = [hit for hit, ok in zip(hits, fresh, strict=True) if ok]
    return {
        "valid": sum(fresh) / len(written),
        "precision": sum(hits) / len(written),
        "kept": 1 / (hits.index(True) + 1),
        "moved": 1 / (left.index(True) + 1),
    }


def _draw_faults(rng: np.random.Generator) -> dict[str, Any]:
    films = rng.permutation([*"ABCDEFGH"]).tolist()
    unknown = rng.permutation([*"VWXZ"]).tolist()
    n_unknown, n_repeats = [(1, 2), (2, 1), (3, 1), (3, 2)][int(rng.integers(4))]
    n_valid = int(rng.integers(4, 6))
    # The film that is repeated is no hit, and a fault is in front of the first one that is.
    behind = [*films[1:n_valid], *unknown[1:n_unknown], *[films[0]] * (n_repeats - 1)]
    front = [unknown[0], films[0], films[0]]
    written = [*front, *rng.permutation(behind).tolist()]
    n_hits = int(rng.integers(1, 3))
    relevant = {*films[1 : 1 + n_hits], films[n_valid], *films[6 : 6 + int(rng.integers(1, 3))]}
    return {
        "k": len(written),
        "recommended": written,
        "catalog": set("ABCDEFGH"),
        "relevant": relevant,
    }


def _strict_precision(
    recommended: Sequence[str], catalog: Collection[str], relevant: Collection[str], k: int
) -> float:
    return len(set(recommended[:k]) & set(relevant)) / k


def _strict(recommended: list[str], relevant: set[str], k: int, why: str = "") -> Case:
    inputs = {"recommended": recommended, "catalog": set(_CATALOG), "relevant": relevant, "k": k}
    return Case(inputs, why)


def _draw_strict(rng: np.random.Generator) -> tuple[Case, ...]:
    drawn = []
    for k in (3, 4, 5, 6):
        relevant = set(rng.permutation([*"ABCDEFG"])[:3].tolist())
        n = k + int(rng.integers(-1, 3))
        drawn.append(_strict(rng.choice([*"ABCDEXYZ"], size=n).tolist(), relevant, k))
    return (
        *drawn,
        _strict(["B", "Z", "B", "A"], {"B", "C"}, 4, "a relevant item is repeated"),
        _strict(["Z", "A", "B", "C"], {"C", "D"}, 3, "a relevant item is behind rank k"),
        _strict([*"ZABCD"], {"C", "D"}, 3, "two relevant items are behind rank k"),
        _strict([*"ABCDE"], {"A", "E"}, 4, "the list has no fault"),
        _strict(["A"], {"A", "B"}, 4, "the list is shorter than k"),
        _strict([], {"A"}, 3, "the list is empty"),
    )


_strict_cases = (
    _strict(["B", "Z", "B", "A"], {"B", "C"}, 4),
    _strict(["A", "C", "X", "B", "D"], {"A", "B", "D"}, 5),
    _strict(["Z", "A", "B", "C"], {"C", "D"}, 3, "a relevant item is behind rank k"),
    _strict([*"ZABCD"], {"C", "D"}, 3, "two relevant items are behind rank k"),
    _strict([*"ABCDE"], {"A", "E"}, 4, "the list has no fault"),
    _strict(["A"], {"A", "B"}, 4, "the list is shorter than k"),
    _strict([], {"A"}, 3, "the list is empty"),
)


# Users and runs --------------------------------------------------------------------------------


def _components(inputs: Inputs) -> dict[str, float]:
    user, run, residual = (inputs[name] for name in ("user", "run", "residual"))
    users, runs = inputs["n_users"], inputs["n_runs"]
    left = residual / (users * runs)
    return {
        "both": math.sqrt(user / users + run / runs + left),
        "only": math.sqrt(user / users + left),
        "more": math.sqrt(user / (4 * users) + run / runs + left / 4),
    }


def _draw_components(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "user": int(rng.integers(4, 10)) / 100,
        "run": int(rng.integers(4, 16)) / 10_000,
        "residual": int(rng.integers(5, 9)) / 100,
        "n_users": int(rng.choice([100, 150, 200, 300])),
        "n_runs": int(rng.choice([3, 4, 5])),
    }
