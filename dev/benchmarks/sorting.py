"""Distinct whole numbers and membership, beside numpy's own functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dev.benchmarks.runner import OURS, Answers, Call, Inputs, Task, Way, plain
from dev.benchmarks.workloads import first_rows

N = 1_000_000


def ours(inputs: Inputs) -> Call:
    """Sort, or look up where numbers are dense."""
    from recsys_metrics._core import sorted_arrays as ours

    return _each(inputs, ours.distinct, ours.factorize, ours.first_rows, ours.is_in)


def with_numpy(inputs: Inputs) -> Call:
    """Ask numpy, which hashes whole numbers since 2.3."""
    return _each(
        inputs,
        np.unique,
        lambda values: np.unique(values, return_inverse=True),
        lambda values: np.unique(values, return_index=True),
        np.isin,
    )


def _each(
    inputs: Inputs,
    distinct: Callable[[Any], Any],
    factorize: Callable[[Any], Any],
    find_first: Callable[[Any], Any],
    is_in: Callable[[Any, Any], Any],
) -> Call:
    values, members = inputs["values"], inputs["members"]

    def run() -> Answers:
        return {
            "distinct": distinct(values),
            "factorize": factorize(values)[1],
            "first_rows": find_first(values)[1],
            "is_in": is_in(members, values),
        }

    return plain(run)


def _values(highest: int, dtype: type = np.int64) -> Callable[[float], Inputs]:
    def make(scale: float) -> Inputs:
        n = round(N * scale)
        values = np.random.default_rng(0).integers(0, max(1, round(highest * scale)), n)
        return {"values": values.astype(dtype), "members": values[: n // 5].astype(dtype) + 1}

    return make


TASKS: dict[str, Task] = {
    name: Task(
        title=f"Distinct values, codes, first rows and membership of a million {words}",
        make=make,
        head=first_rows,
        ways={OURS: Way(ours), "numpy": Way(with_numpy)},
    )
    for name, words, make in (
        ("distinct_sparse", "pairs of user and item", _values(10**12)),
        ("distinct_dense", "numbers of 60,000 items", _values(60_000, np.int32)),
    )
}
