"""Bins of events: the reliability curve, read and computed, and the error that sums it up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics.calibration import expected_calibration_error, reliability_curve
from recsys_metrics.workbook.charts.calibration import reliability_diagram
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.function import Case

# One bin by hand ------------------------------------------------------------------------------


def _solve_upper(inputs: Inputs) -> dict[str, float]:
    curve = reliability_curve(inputs["clicked"], inputs["probabilities"], n_bins=2)
    predicted, observed = float(curve.predicted[-1]), float(curve.observed[-1])
    return {"predicted": predicted, "observed": observed, "gap": predicted - observed}


def _draw_events(rng: np.random.Generator) -> dict[str, Any]:
    """Return events whose upper bin has clicks, not only clicks, and a gap that can be seen."""
    while True:
        inputs = _draw_two_bins(rng)
        if abs(_solve_upper(inputs)["gap"]) >= 1 / 20:
            return inputs


def _draw_two_bins(rng: np.random.Generator) -> dict[str, Any]:
    low = rng.choice(np.arange(1, 10), int(rng.integers(3, 6)), replace=False) / 20
    high = rng.choice(np.arange(11, 20), int(rng.integers(4, 7)), replace=False) / 20
    while True:
        clicked = np.append(rng.random(len(low)) < 0.35, rng.random(len(high)) < 0.6)
        if clicked[: len(low)].sum() > 0 and 0 < clicked[len(low) :].sum() < len(high):
            probabilities = sorted([*low.tolist(), *high.tolist()])
            return {"probabilities": probabilities, "clicked": clicked.astype(int).tolist()}


# A diagram to read ----------------------------------------------------------------------------

_KINDS: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "calibrated": lambda odds: odds,
    "overconfident": lambda odds: 0.4 * odds,
    "underconfident": lambda odds: 2.6 * odds,
    "too-high": lambda odds: odds - 1.1,
    "too-low": lambda odds: odds + 1.1,
}


def _events(inputs: Inputs) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    rng = np.random.default_rng(inputs["seed"])
    predicted = rng.uniform(0.02, 0.98, 3000)
    odds = _KINDS[inputs["kind"]](np.log(predicted) - np.log1p(-predicted))
    return rng.random(3000) < 1 / (1 + np.exp(-odds)), predicted


def _diagram(inputs: Inputs) -> Picture:
    curve = reliability_curve(*_events(inputs), n_bins=8)
    rows = [f"{p:.2f} and {y:.2f}" for p, y in zip(curve.predicted, curve.observed, strict=True)]
    return reliability_diagram(
        curve,
        title="",
        alt=f"Reliability diagram. Prediction and observed rate of each bin: {'; '.join(rows)}.",
    )


def _draw_kind(rng: np.random.Generator) -> dict[str, Any]:
    kind = str(rng.choice(list(_KINDS)))
    while True:
        inputs = {"kind": kind, "seed": int(rng.integers(10_000))}
        if kind != "calibrated" or _follows_the_diagonal(inputs):
            return inputs


def _follows_the_diagonal(inputs: Inputs) -> bool:
    """Whether every interval holds the diagonal: an honest model can look otherwise by chance."""
    curve = reliability_curve(*_events(inputs), n_bins=8)
    return bool(((curve.lower <= curve.predicted) & (curve.predicted <= curve.upper)).all())


_SLOPES, _SHIFTS = ("overconfident", "underconfident"), ("too-high", "too-low")
_TURNED = dict(
    (*zip(_SLOPES, _SLOPES[::-1], strict=True), *zip(_SHIFTS, _SHIFTS[::-1], strict=True))
)


def _picks(kinds: tuple[str, ...], *picked: str) -> Callable[[Inputs], tuple[str, ...] | None]:
    """Return the mistake of picking these where the diagram is of one of the kinds."""
    return lambda inputs: picked if inputs["kind"] in kinds else None


def _read_diagram_solve(inputs: Inputs) -> Any:
    return str(inputs["kind"])


def _read_diagram_axes_swapped(inputs: Inputs) -> Any:
    return _TURNED.get(inputs["kind"])


_read_diagram_shift_for_slope = _picks(_SLOPES, *_SHIFTS)

_read_diagram_slope_for_shift = _picks(_SHIFTS, *_SLOPES)


_read_diagram_noise_for_bias = _picks(("calibrated",), *_SLOPES)

_read_diagram_few_below_for_all = _picks(("calibrated",), "too-high")

_read_diagram_few_above_for_all = _picks(("calibrated",), "too-low")


# The error ------------------------------------------------------------------------------------


def _expand(inputs: Inputs) -> tuple[list[int], list[float]]:
    """Return the single events behind the bins."""
    labels: list[int] = []
    predicted: list[float] = []
    for n, p, hits in zip(inputs["events"], inputs["predicted"], inputs["clicks"], strict=True):
        labels += [1] * hits + [0] * (n - hits)
        predicted += [p] * n
    return labels, predicted


def _solve_ece(inputs: Inputs) -> dict[str, float]:
    labels, predicted = _expand(inputs)
    return {
        "ece": expected_calibration_error(labels, predicted, n_bins=100),
        "largest": expected_calibration_error(labels, predicted, n_bins=100, norm="max"),
    }


def _ece_largest_bin_cause(inputs: Inputs) -> str:
    events = inputs["events"]
    rows = zip(inputs["predicted"], events, inputs["clicks"], strict=True)
    terms = [abs(p * n - c) for p, n, c in rows]
    if terms.index(max(terms)) == events.index(max(events)):
        return "This is the gap of the bin with the most events, which also adds most to the ECE."
    return "This is the gap of the bin with the most events."


def _draw_bins(rng: np.random.Generator) -> dict[str, Any]:
    predicted = np.sort(rng.choice(np.arange(2, 19), 3, replace=False)) / 20
    events = rng.choice([4, 5, 8, 10, 20, 25, 40], 3, replace=False)
    clicks = [int(rng.integers(1, n)) for n in events]
    return {"predicted": predicted.tolist(), "events": [int(n) for n in events], "clicks": clicks}


# The function ---------------------------------------------------------------------------------


def _ece(labels: Sequence[int], probabilities: Sequence[float], n_bins: int) -> float:
    return expected_calibration_error(labels, probabilities, n_bins=n_bins)


def _brier(labels: Sequence[int], probabilities: Sequence[float], n_bins: int) -> float:
    return sum((p - y) ** 2 for p, y in zip(probabilities, labels, strict=True)) / len(labels)


_Events = list[tuple[float, int]]


def _bins_of_equal_width(
    labels: Sequence[int], probabilities: Sequence[float], n_bins: int
) -> list[_Events]:
    bins: dict[int, _Events] = {}
    for p, y in zip(probabilities, labels, strict=True):
        bins.setdefault(min(int(p * n_bins), n_bins - 1), []).append((p, y))
    return [*bins.values()]


def _excess(events: _Events) -> float:
    return sum(p - y for p, y in events)


def _equal_counts(labels: Sequence[int], probabilities: Sequence[float], n_bins: int) -> float:
    events = sorted(zip(probabilities, labels, strict=True))
    n = len(events)
    bins = [events[i * n // n_bins : (i + 1) * n // n_bins] for i in range(n_bins)]
    return sum(abs(_excess(held)) for held in bins) / n


def _equal_counts_by_place(
    labels: Sequence[int], probabilities: Sequence[float], n_bins: int
) -> float:
    events = sorted(zip(probabilities, labels, strict=True))
    bins: dict[int, _Events] = {}
    for i, event in enumerate(events):
        bins.setdefault(i * n_bins // len(events), []).append(event)
    return sum(abs(_excess(held)) for held in bins.values()) / len(events)


def _equal_counts_from_the_front(
    labels: Sequence[int], probabilities: Sequence[float], n_bins: int
) -> float:
    """Return the same where the first bins hold the events that are left over, as numpy splits."""
    events = sorted(zip(probabilities, labels, strict=True))
    size, more = divmod(len(events), n_bins)
    ends = np.cumsum([0] + [size + (i < more) for i in range(n_bins)])
    bins = [events[start:end] for start, end in pairwise(ends)]
    return sum(abs(_excess(held)) for held in bins) / len(events)


def _bins_of_the_range(labels: Sequence[int], probabilities: Sequence[float], n_bins: int) -> float:
    low = min(probabilities)
    width = (max(probabilities) - low) / n_bins or 1.0
    bins: dict[int, _Events] = {}
    for p, y in zip(probabilities, labels, strict=True):
        bins.setdefault(min(int((p - low) / width), n_bins - 1), []).append((p, y))
    return sum(abs(_excess(held)) for held in bins.values()) / len(labels)


def _of_the_confidence(labels: Sequence[int], probabilities: Sequence[float], n_bins: int) -> float:
    guessed = [
        (y, p) if p >= 0.5 else (1 - y, 1 - p) for p, y in zip(probabilities, labels, strict=True)
    ]
    return _ece([y for y, _ in guessed], [p for _, p in guessed], n_bins)


def _of_the_confidence_without_floor(
    labels: Sequence[int], probabilities: Sequence[float], n_bins: int
) -> float:
    """Return the same where the bins cut the way from one half to 1."""
    bins: dict[int, _Events] = {}
    for p, y in zip(probabilities, labels, strict=True):
        sure, right = (p, y) if p >= 0.5 else (1 - p, 1 - y)
        bins.setdefault(min(int((2 * sure - 1) * n_bins), n_bins - 1), []).append((sure, right))
    return sum(abs(_excess(held)) for held in bins.values()) / len(labels)


def _weighted_by_clicks(
    labels: Sequence[int], probabilities: Sequence[float], n_bins: int
) -> float:
    bins = _bins_of_equal_width(labels, probabilities, n_bins)
    total = sum(abs(_excess(held)) / len(held) * sum(y for _, y in held) for held in bins)
    return total / sum(labels)


def _largest_signed_gap(
    labels: Sequence[int], probabilities: Sequence[float], n_bins: int
) -> float:
    bins = _bins_of_equal_width(labels, probabilities, n_bins)
    return max(_excess(held) / len(held) for held in bins)


def _case(labels: list[int], probabilities: list[float], n_bins: int, why: str = "") -> Case:
    return Case({"labels": labels, "probabilities": probabilities, "n_bins": n_bins}, why)


_CASES = (
    _case(
        [1, 1, 1, 0, 0, 1, 0, 0, 0, 0],
        [0.85, 0.85, 0.85, 0.85, 0.85, 0.15, 0.15, 0.15, 0.15, 0.15],
        10,
        "there are two bins with five events each",
    ),
    _case([0, 1, 1, 0, 1], [0.05, 0.15, 0.17, 0.62, 0.64], 4, "the bins differ in size"),
    _case([0, 0, 1, 1, 1, 1], [0.31, 0.33, 0.37, 0.81, 0.83, 0.97], 3, "one bin is empty"),
    _case([1, 0, 1, 1], [1.0, 1.0, 0.93, 0.22], 5, "one probability is exactly 1"),
    _case([1, 1, 0, 0, 0], [0.31, 0.72, 0.42, 0.61, 0.93], 2, "the gaps have opposite signs"),
    _case([0, 1, 0], [0.12, 0.47, 0.72], 1, "there is one bin"),
)


def _draw_cases(rng: np.random.Generator) -> tuple[Case, ...]:
    drawn = []
    for _ in range(4):
        n, n_bins = int(rng.integers(6, 14)), int(rng.integers(2, 8))
        # No probability on an edge between bins: either of them would be right.
        place = rng.integers(0, n_bins, n) + rng.uniform(0.1, 0.9, n)
        labels = [int(y) for y in rng.random(n) < 0.5]
        drawn.append(_case(labels, [round(float(p), 4) for p in place / n_bins], n_bins))
    predicted = [round(float(p), 3) for p in rng.uniform(0.81, 0.99, 3)]
    drawn.append(_case([0, 1, 1, 1], [1.0, *predicted], 5, "one probability is exactly 1"))
    return tuple(drawn)
