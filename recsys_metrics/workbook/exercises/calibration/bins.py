"""Bins of events: the reliability curve, read and computed, and the error that sums it up."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics.calibration import expected_calibration_error, reliability_curve
from recsys_metrics.workbook.charts.calibration import reliability_diagram
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.function import Case

# One bin by hand ------------------------------------------------------------------------------


def _upper(inputs: Inputs) -> tuple[list[float], list[int]]:
    """Return what was said and what happened in the upper bin."""
    pairs = zip(inputs["said"], inputs["clicked"], strict=True)
    said, clicked = zip(*((p, y) for p, y in pairs if p > 0.5), strict=True)
    return list(said), list(clicked)


def _solve_upper(inputs: Inputs) -> dict[str, float]:
    curve = reliability_curve(inputs["clicked"], inputs["said"], n_bins=2)
    said, happened = float(curve.predicted[-1]), float(curve.observed[-1])
    return {"said": said, "happened": happened, "gap": said - happened}


def _with_gap(said: float, happened: float) -> dict[str, float]:
    return {"said": said, "happened": happened, "gap": said - happened}


def _middle(inputs: Inputs) -> dict[str, float]:
    return _with_gap(0.75, _solve_upper(inputs)["happened"])


def _share_of_clicks(inputs: Inputs) -> dict[str, float]:
    _, clicked = _upper(inputs)
    return _with_gap(_solve_upper(inputs)["said"], sum(clicked) / sum(inputs["clicked"]))


def _share_of_events(inputs: Inputs) -> dict[str, float]:
    _, clicked = _upper(inputs)
    return _with_gap(_solve_upper(inputs)["said"], sum(clicked) / len(inputs["clicked"]))


def _everything(inputs: Inputs) -> dict[str, float]:
    return _with_gap(float(np.mean(inputs["said"])), float(np.mean(inputs["clicked"])))


def _gap_turned(inputs: Inputs) -> dict[str, float]:
    return {"gap": -_solve_upper(inputs)["gap"]}


def _draw_events(rng: np.random.Generator) -> dict[str, Any]:
    low = rng.choice(np.arange(1, 10), int(rng.integers(3, 6)), replace=False) / 20
    high = rng.choice(np.arange(11, 20), int(rng.integers(4, 7)), replace=False) / 20
    while True:
        clicked = np.append(rng.random(len(low)) < 0.35, rng.random(len(high)) < 0.6)
        if clicked[: len(low)].sum() > 0 and 0 < clicked[len(low) :].sum() < len(high):
            said = sorted([*low.tolist(), *high.tolist()])
            return {"said": said, "clicked": clicked.astype(int).tolist()}


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
    said = rng.uniform(0.02, 0.98, 3000)
    odds = _KINDS[inputs["kind"]](np.log(said) - np.log1p(-said))
    return rng.random(3000) < 1 / (1 + np.exp(-odds)), said


def _diagram(inputs: Inputs) -> Picture:
    curve = reliability_curve(*_events(inputs), n_bins=8)
    rows = [f"{p:.2f} and {y:.2f}" for p, y in zip(curve.predicted, curve.observed, strict=True)]
    return reliability_diagram(
        curve,
        title="",
        alt=f"Reliability diagram. Said and happened, bin by bin: {'; '.join(rows)}.",
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

_read_diagram_bias_for_noise = _picks((*_SLOPES, *_SHIFTS), "calibrated")

_read_diagram_noise_for_bias = _picks(("calibrated",), *_SLOPES)

_read_diagram_few_below_for_all = _picks(("calibrated",), "too-high")

_read_diagram_few_above_for_all = _picks(("calibrated",), "too-low")


# The error ------------------------------------------------------------------------------------


def _gaps(inputs: Inputs) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return events and signed gaps of the bins."""
    events = np.array(inputs["events"], dtype=float)
    return events, np.array(inputs["said"]) - np.array(inputs["clicks"]) / events


def _expand(inputs: Inputs) -> tuple[list[int], list[float]]:
    """Return the single events behind the bins."""
    labels: list[int] = []
    said: list[float] = []
    for n, p, hits in zip(inputs["events"], inputs["said"], inputs["clicks"], strict=True):
        labels += [1] * hits + [0] * (n - hits)
        said += [p] * n
    return labels, said


def _solve_ece(inputs: Inputs) -> dict[str, float]:
    labels, said = _expand(inputs)
    return {
        "ece": expected_calibration_error(labels, said, n_bins=100),
        "largest": expected_calibration_error(labels, said, n_bins=100, norm="max"),
    }


def _unweighted(inputs: Inputs) -> dict[str, float]:
    return {"ece": float(np.abs(_gaps(inputs)[1]).mean())}


def _signed(inputs: Inputs) -> dict[str, float]:
    events, gaps = _gaps(inputs)
    return {"ece": abs(float(np.average(gaps, weights=events)))}


def _root_mean_square(inputs: Inputs) -> dict[str, float]:
    events, gaps = _gaps(inputs)
    return {"ece": math.sqrt(float(np.average(gaps**2, weights=events)))}


def _by_clicks(inputs: Inputs) -> dict[str, float]:
    _, gaps = _gaps(inputs)
    return {"ece": float(np.average(np.abs(gaps), weights=inputs["clicks"]))}


def _weighted_largest(inputs: Inputs) -> dict[str, float]:
    events, gaps = _gaps(inputs)
    return {"largest": float((np.abs(gaps) * events / events.sum()).max())}


def _draw_bins(rng: np.random.Generator) -> dict[str, Any]:
    said = np.sort(rng.choice(np.arange(2, 19), 3, replace=False)) / 20
    events = rng.choice([4, 5, 8, 10, 20, 25, 40], 3, replace=False)
    clicks = [int(rng.integers(1, n)) for n in events]
    return {"said": said.tolist(), "events": [int(n) for n in events], "clicks": clicks}


# The function ---------------------------------------------------------------------------------


def _ece(labels: Sequence[int], probabilities: Sequence[float], n_bins: int) -> float:
    return expected_calibration_error(labels, probabilities, n_bins=n_bins)


def _filled(
    labels: Sequence[int], probabilities: Sequence[float], n_bins: int
) -> list[list[tuple[float, int]]]:
    """Return the events of each bin that holds one."""
    bins: dict[int, list[tuple[float, int]]] = {}
    for p, y in zip(probabilities, labels, strict=True):
        bins.setdefault(min(int(p * n_bins), n_bins - 1), []).append((p, y))
    return [bins[key] for key in sorted(bins)]


def _gap(events: Sequence[tuple[float, int]]) -> float:
    return sum(p - y for p, y in events) / len(events)


def _w_unweighted(labels: Sequence[int], probabilities: Sequence[float], n_bins: int) -> float:
    bins = _filled(labels, probabilities, n_bins)
    return sum(abs(_gap(events)) for events in bins) / len(bins)


def _w_over_all_bins(labels: Sequence[int], probabilities: Sequence[float], n_bins: int) -> float:
    return sum(abs(_gap(events)) for events in _filled(labels, probabilities, n_bins)) / n_bins


def _w_signed(labels: Sequence[int], probabilities: Sequence[float], n_bins: int) -> float:
    return float(np.mean(probabilities) - np.mean(labels))


def _w_signed_then_positive(
    labels: Sequence[int], probabilities: Sequence[float], n_bins: int
) -> float:
    return abs(_w_signed(labels, probabilities, n_bins))


def _w_middle(labels: Sequence[int], probabilities: Sequence[float], n_bins: int) -> float:
    total = 0.0
    for events in _filled(labels, probabilities, n_bins):
        middle = (min(int(events[0][0] * n_bins), n_bins - 1) + 0.5) / n_bins
        total += abs(middle * len(events) - sum(y for _, y in events))
    return total / len(labels)


def _w_squared(labels: Sequence[int], probabilities: Sequence[float], n_bins: int) -> float:
    bins = _filled(labels, probabilities, n_bins)
    return math.sqrt(sum(len(events) * _gap(events) ** 2 for events in bins) / len(labels))


def _w_largest(labels: Sequence[int], probabilities: Sequence[float], n_bins: int) -> float:
    return max(abs(_gap(events)) for events in _filled(labels, probabilities, n_bins))


def _w_each_event(labels: Sequence[int], probabilities: Sequence[float], n_bins: int) -> float:
    return float(np.abs(np.array(probabilities) - np.array(labels)).mean())


def _w_last_bin_open(labels: Sequence[int], probabilities: Sequence[float], n_bins: int) -> float:
    inside = [(p, y) for p, y in zip(probabilities, labels, strict=True) if p < 1]
    if not inside:
        return 0.0
    bins = _filled([y for _, y in inside], [p for p, _ in inside], n_bins)
    return sum(len(events) * abs(_gap(events)) for events in bins) / len(labels)


def _w_one_bin_too_many(
    labels: Sequence[int], probabilities: Sequence[float], n_bins: int
) -> float:
    bins: list[list[tuple[float, int]]] = [[] for _ in range(n_bins)]
    for p, y in zip(probabilities, labels, strict=True):
        bins[int(p * n_bins)].append((p, y))
    return sum(len(events) * abs(_gap(events)) for events in bins if events) / len(labels)


def _case(labels: list[int], probabilities: list[float], n_bins: int, why: str = "") -> Case:
    return Case({"labels": labels, "probabilities": probabilities, "n_bins": n_bins}, why)


_CASES = (
    _case(
        [1, 1, 1, 0, 0, 1, 0, 0, 0, 0],
        [0.85, 0.85, 0.85, 0.85, 0.85, 0.15, 0.15, 0.15, 0.15, 0.15],
        10,
        "two bins of five events",
    ),
    _case([0, 1, 1, 0, 1], [0.05, 0.15, 0.17, 0.62, 0.64], 4, "bins of different sizes"),
    _case([0, 0, 1, 1, 1, 1], [0.31, 0.33, 0.37, 0.81, 0.83, 0.97], 3, "an empty bin"),
    _case([1, 0, 1, 1], [1.0, 1.0, 0.93, 0.22], 5, "a probability of exactly 1"),
    _case([1, 1, 0, 0, 0], [0.31, 0.72, 0.42, 0.61, 0.93], 2, "the gaps have opposite signs"),
    _case([0, 1, 0], [0.12, 0.47, 0.72], 1, "one bin"),
)


def _draw_cases(rng: np.random.Generator) -> tuple[Case, ...]:
    drawn = []
    for _ in range(4):
        n, n_bins = int(rng.integers(6, 14)), int(rng.integers(2, 8))
        # No probability on an edge between bins: either of them would be right.
        place = rng.integers(0, n_bins, n) + rng.uniform(0.1, 0.9, n)
        labels = [int(y) for y in rng.random(n) < 0.5]
        drawn.append(_case(labels, [round(float(p), 4) for p in place / n_bins], n_bins))
    said = [round(float(p), 3) for p in rng.uniform(0.81, 0.99, 3)]
    drawn.append(_case([0, 1, 1, 0], [1.0, *said], 5, "a probability of exactly 1"))
    return tuple(drawn)
