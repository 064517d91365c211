"""Distinct whole numbers and membership, as a ratio to numpy's own functions."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from recsys_metrics._core.sorted_arrays import distinct, factorize, first_rows, is_in

N = 1_000_000


def report() -> None:
    """Print how much longer numpy takes, for keys far apart and for dense numbers."""
    rng = np.random.default_rng(0)
    columns = {
        "pairs of user and item": rng.integers(0, 10**12, N),
        "item numbers": rng.integers(0, N, N),
        "60,000 items": rng.integers(0, 60_000, N).astype(np.int32),
    }
    print(f"{N:,} whole numbers; seconds, and how many times as long numpy takes\n")
    for title, values in columns.items():
        asked = values[: N // 5] + 1
        ways: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
            "distinct": (lambda v=values: distinct(v), lambda v=values: np.unique(v)),
            "factorize": (
                lambda v=values: factorize(v),
                lambda v=values: np.unique(v, return_inverse=True),
            ),
            "first_rows": (
                lambda v=values: first_rows(v),
                lambda v=values: np.unique(v, return_index=True),
            ),
            "is_in": (
                lambda a=asked, v=values: is_in(a, v),
                lambda a=asked, v=values: np.isin(a, v),
            ),
        }
        for name, (ours, theirs) in ways.items():
            for one, other in zip(_parts(ours()), _parts(theirs()), strict=True):
                np.testing.assert_array_equal(one, other)
            mine, numpys = _seconds(ours), _seconds(theirs)
            print(f"{title:24}{name:12}{mine:8.4f} s {numpys / mine:8.1f}")


def _parts(found: Any) -> tuple[Any, ...]:
    return found if isinstance(found, tuple) else (found,)


def _seconds(work: Callable[[], Any], runs: int = 3) -> float:
    best = np.inf
    for _ in range(runs):
        started = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - started)
    return float(best)
