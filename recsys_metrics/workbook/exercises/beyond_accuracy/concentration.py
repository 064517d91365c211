"""How unevenly items are shown: Gini in numbers, and as a function; entropy in bits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from recsys_metrics.beyond_accuracy import gini, shannon_entropy
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.function import Case
from recsys_metrics.workbook.exercises.lettered_options import LetteredOptions


def _draw_counts(rng: np.random.Generator) -> Inputs:
    """Return five counts with an item that nobody is shown, and the counts to compare with."""
    while True:
        counts = sorted((int(count) for count in rng.integers(0, 8, 5)), reverse=True)
        if counts.count(0) in (1, 2) and len(set(counts)) > 2 and sum(counts) >= 6:
            break
    return {"counts": counts, "counts_before": [8, 2, 0, 0, 0]}


def _gini_of_exposure_solve(inputs: Inputs) -> dict[str, float]:
    now, before = gini(inputs["counts"]), gini(inputs["counts_before"])
    return {"gini": now, "change": now - before}


def _gini_of_exposure_change_follows(own: Any) -> Any:
    return own["gini"] - gini([8, 2, 0, 0, 0])


def _of_both_weeks(index: Callable[[Sequence[int]], float]) -> Callable[[Inputs], Inputs]:
    """Return the answers of somebody who takes another index for Gini, in both weeks."""

    def answers(inputs: Inputs) -> Inputs:
        now, before = index(inputs["counts"]), index(inputs["counts_before"])
        return {"gini": now, "change": now - before}

    return answers


def _herfindahl(counts: Sequence[float]) -> float:
    return sum((count / sum(counts)) ** 2 for count in counts)


def _impurity_of(counts: Sequence[float]) -> float:
    return 1 - _herfindahl(counts)


def _entropy_of(counts: Sequence[float]) -> float:
    return float(shannon_entropy(counts))


def _nats_of(counts: Sequence[float]) -> float:
    return float(shannon_entropy(counts, base=np.e))


def _relative_deviation(counts: Sequence[float]) -> float:
    mean = sum(counts) / len(counts)
    return sum(abs(count - mean) for count in counts) / sum(counts)


def _hoover(counts: Sequence[float]) -> float:
    return _relative_deviation(counts) / 2


_half_gaps_from_mean = _of_both_weeks(_hoover)

_gaps_from_mean = _of_both_weeks(_relative_deviation)

_squared_shares = _of_both_weeks(_herfindahl)

_impurity = _of_both_weeks(_impurity_of)

_entropy_in_bits = _of_both_weeks(_entropy_of)

_entropy_in_nats = _of_both_weeks(_nats_of)

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


def _area_of_rectangles(counts: Sequence[float]) -> float:
    points = np.cumsum(sorted(counts)) / sum(counts)
    return float(1 - 2 * points.mean())


def _area_below(counts: Sequence[float]) -> float:
    return (1 - _gini(counts)) / 2


def _of_different_counts(counts: Sequence[float]) -> float:
    return _gini(sorted(set(counts)))


def _by_median(counts: Sequence[float]) -> float:
    gaps = sum(abs(one - other) for one in counts for other in counts)
    median = float(np.median(counts))
    return gaps / (2 * len(counts) ** 2 * median) if median else 0.0


def _variation(counts: Sequence[float]) -> float:
    return float(np.std(counts) / np.mean(counts))


def _sample_variation(counts: Sequence[float]) -> float:
    return float(np.std(counts, ddof=1) / np.mean(counts))


def _range(counts: Sequence[float]) -> float:
    return (max(counts) - min(counts)) / sum(counts)


def _case(counts: list[int], why: str = "") -> Case:
    return Case({"counts": counts}, why)


_EDGES = (
    _case([3, 3, 3], "all are shown alike"),
    _case([0, 0, 7, 0], "one item gets everything"),
)
STATED = (
    _case([8, 2, 0, 0, 0]),
    _case([0, 3, 1, 6, 0, 2], "the counts are in no order"),
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


_bits_by_hand_solve = _bits.key("right")

_bits_by_hand_as_if_even = _bits.key("as-if-even")

_bits_by_hand_never_shown = _bits.key("never-shown")

_bits_by_hand_natural_log = _bits.key("natural-log")
