"""Maximum likelihood of a logistic curve over a few columns, by Newton's method."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from recsys_metrics.calibration._checks import BoolArray, FloatArray, blocks

_MOST_STEPS = 200
# A step's promised gain in mean log likelihood below which it is the last. Newton's next gain
# would be about its square, far below rounding.
_LAST_GAIN = 1e-14
# The same on a sixteenth of the rows, whose peak is about as far from that of all of them.
_LAST_GAIN_OF_PART = 1e-7
# Curvature along the flattest direction, over the steepest: below this there is no peak, the
# likelihood rises for ever along a straight line.
_FLAT = 1e-13
# Above this many rows a sixteenth of them finds the neighbourhood of the peak.
_LARGE = 2**18


def fit_logistic(
    columns: Sequence[FloatArray], targets: FloatArray | BoolArray, *, intercept: bool = True
) -> tuple[FloatArray, float] | None:
    """Return (coefficients, intercept) of the likeliest curve, or None where none is likeliest.

    `targets` may lie between 0 and 1. Without a peak (a threshold splits the labels, say) the
    coefficients would grow without end.
    """
    # Columns of one size and around 0: Newton's matrix is then well conditioned.
    centre = np.array([column.mean() if intercept else 0.0 for column in columns])
    size = np.array([_spread(column, c) for column, c in zip(columns, centre, strict=True)])
    if not size.all():
        return None
    place = np.zeros(len(columns) + intercept)
    if len(targets) > _LARGE:
        started = _climb(
            [column[::16] for column in columns],
            targets[::16],
            centre,
            size,
            place,
            intercept,
            _LAST_GAIN_OF_PART,
        )
        place = place if started is None else started
    found = _climb(columns, targets, centre, size, place, intercept)
    if found is None:
        return None
    slopes = found[: len(columns)] / size
    return slopes, float(found[-1] - slopes @ centre) if intercept else 0.0


def _spread(column: FloatArray, centre: float) -> float:
    """Return the root of the mean squared distance from the centre."""
    total = 0.0
    for rows in blocks(len(column)):
        apart = column[rows] - centre
        total += float(np.einsum("i,i", apart, apart))
    return float(np.sqrt(total / len(column)))


def mean_log_likelihood(eta: FloatArray, targets: FloatArray) -> float:
    """Return the mean log likelihood of targets at given log-odds."""
    return float((targets * eta - np.logaddexp(0.0, eta)).mean())


def _climb(
    columns: Sequence[FloatArray],
    targets: FloatArray | BoolArray,
    centre: FloatArray,
    size: FloatArray,
    place: FloatArray,
    intercept: bool,
    last_gain: float = _LAST_GAIN,
) -> FloatArray | None:
    height, slope, bend = _surroundings(columns, targets, centre, size, place, intercept)
    for _ in range(_MOST_STEPS):
        curvature = np.linalg.eigvalsh(bend)
        if curvature[0] <= _FLAT * max(curvature[-1], 1e-3):
            return None
        step = np.linalg.solve(bend, slope)
        gain = float(slope @ step)
        if gain < last_gain:
            return place + step
        factor = 1.0
        while True:
            there = place + factor * step
            ahead = _surroundings(columns, targets, centre, size, there, intercept)
            if ahead[0] >= height + 1e-4 * factor * gain:
                break
            factor /= 2
            if factor < 1e-4:
                # Heights that differ by rounding only: a whole Newton step is the last word.
                return place + step if gain < 1e-12 else None
        place, (height, slope, bend) = there, ahead
    return None


def _surroundings(
    columns: Sequence[FloatArray],
    targets: FloatArray | BoolArray,
    centre: FloatArray,
    size: FloatArray,
    place: FloatArray,
    intercept: bool,
) -> tuple[float, FloatArray, FloatArray]:
    """Return mean log likelihood, gradient and negative Hessian at a place."""
    width, n = len(place), len(targets)
    height, slope, bend = 0.0, np.zeros(width), np.zeros((width, width))
    design = np.empty((width, 0))
    for rows in blocks(n):
        goal = targets[rows].astype(np.float64)
        if design.shape[1] != len(goal):
            design = np.ones((width, len(goal)))
        for row, values in enumerate(columns):
            np.subtract(values[rows], centre[row], out=design[row])
            design[row] /= size[row]
        # Row by row and by einsum: for so few rows BLAS only starts threads that wait.
        eta = place[0] * design[0]
        for row in range(1, width):
            eta += place[row] * design[row]
        small = np.exp(-np.abs(eta))
        height += float((goal * eta - np.maximum(eta, 0.0) - np.log1p(small)).sum())
        larger = 1.0 / (1.0 + small)
        smaller = small * larger
        missed, spread = goal - np.where(eta >= 0, larger, smaller), larger * smaller
        for row in range(width):
            slope[row] += np.einsum("i,i", design[row], missed)
            weighted = design[row] * spread
            for column in range(row + 1):
                bend[row, column] += np.einsum("i,i", weighted, design[column])
    bend = np.tril(bend) + np.tril(bend, -1).T
    return height / n, slope / n, bend / n
