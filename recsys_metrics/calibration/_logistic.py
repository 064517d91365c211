"""Maximum likelihood of a logistic curve over a few columns, by Newton's method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from recsys_metrics._core.blocks import over_blocks, over_blocks_with_scratch
from recsys_metrics._core.inputs.arrays import BoolArray, FloatArray
from recsys_metrics.calibration._checks import ROWS

_MOST_STEPS = 200
# A step's promised gain in mean log likelihood below which it is the last. Newton's next gain
# would be about its square, far below rounding.
_LAST_GAIN = 1e-14
# The same on a sixteenth of the rows, whose peak is about as far from that of all of them.
_LAST_GAIN_OF_PART = 1e-7
# Curvature along the flattest direction, over the steepest: below this there is no peak, the
# likelihood rises for ever along a straight line.
_FLAT = 1e-13
# The squares of such values, and the sum of many of them, are still floats.
_LARGEST = 1e140
# Above this many rows a sixteenth of them finds the neighbourhood of the peak.
_LARGE = 2**18


def fit_logistic(
    columns: Sequence[FloatArray], targets: FloatArray | BoolArray, *, intercept: bool = True
) -> tuple[FloatArray, float] | None:
    """Return (coefficients, intercept) of the likeliest curve, or None where none is likeliest.

    `targets` may lie between 0 and 1. Without a peak (a threshold splits the labels, say) the
    coefficients would grow without end.
    """
    if any(max(column.max(), -column.min()) > _LARGEST for column in columns):
        return None
    # Columns of one size and around 0: Newton's matrix is then well conditioned.
    centre = np.array([column.mean() if intercept else 0.0 for column in columns])
    size = np.array([_spread(column, c) for column, c in zip(columns, centre, strict=True)])
    if not size.all():
        return None
    data = _Data(columns, targets, centre, size, intercept)
    place = np.zeros(len(columns) + intercept)
    if len(targets) > _LARGE:
        started = _maximize(data.every(16), place, _LAST_GAIN_OF_PART)
        place = place if started is None else started
    found = _maximize(data, place, _LAST_GAIN)
    if found is None:
        return None
    slopes = found[: len(columns)] / size
    return slopes, float(found[-1] - slopes @ centre) if intercept else 0.0


def mean_log_likelihood(eta: FloatArray, targets: FloatArray | BoolArray) -> float:
    """Return the mean log likelihood of targets at given log-odds."""
    return float((targets * eta - np.logaddexp(0.0, eta)).mean())


def _spread(column: FloatArray, centre: float) -> float:
    """Return the root of the mean squared distance from the centre."""

    def squares(rows: slice) -> float:
        apart = column[rows] - centre
        return float(np.einsum("i,i", apart, apart))

    return float(np.sqrt(sum(over_blocks(squares, len(column), 1, ROWS)) / len(column)))


def _maximize(data: _Data, place: FloatArray, last_gain: float) -> FloatArray | None:
    """Return the peak, from a place near it or far away; None where there is none."""
    slope, bend = data.slope_and_bend(place)
    for _ in range(_MOST_STEPS):
        curvature = np.linalg.eigvalsh(bend)
        if curvature[0] <= _FLAT * max(curvature[-1], 1e-3):
            return None
        step: FloatArray = np.linalg.solve(bend, slope).astype(np.float64, copy=False)
        gain = float(slope @ step)
        if gain < last_gain:
            return place + step
        ahead = data.slope_and_bend(place + step)
        # Where the next step promises far less, this one was right, and heights need no look.
        if not _expected_gain(*ahead) < gain / 4:
            factor = _backtrack(data, place, step, gain)
            if factor is None:
                # Heights that differ by rounding only: a whole Newton step is the last word.
                return place + step if gain < 1e-12 else None
            if factor < 1:
                step *= factor
                ahead = data.slope_and_bend(place + step)
        place, (slope, bend) = place + step, ahead
    return None


def _expected_gain(slope: FloatArray, bend: FloatArray) -> float:
    """Return the gain that Newton's step promises, infinity where there is no such step."""
    try:
        return float(slope @ np.linalg.solve(bend, slope))
    except np.linalg.LinAlgError:
        return np.inf


def _backtrack(data: _Data, place: FloatArray, step: FloatArray, gain: float) -> float | None:
    """Return the part of a step that leads up by a fair part of its promise."""
    height = data.height(place)
    factor = 1.0
    while factor >= 1e-4:
        if data.height(place + factor * step) >= height + 1e-4 * factor * gain:
            return factor
        factor /= 2
    return None


@dataclass(frozen=True, eq=False)
class _Data:
    """Columns and targets; a place is coefficients of columns moved and scaled, and a constant."""

    columns: Sequence[FloatArray]
    targets: FloatArray | BoolArray
    centre: FloatArray
    size: FloatArray
    intercept: bool

    def every(self, nth: int) -> _Data:
        """Return the data of every nth row."""
        columns = [column[::nth] for column in self.columns]
        return replace(self, columns=columns, targets=self.targets[::nth])

    def height(self, place: FloatArray) -> float:
        """Return the mean log likelihood at a place."""

        def total(rows: slice, scratch: FloatArray) -> float:
            eta = self._log_odds(rows, place, scratch)
            return mean_log_likelihood(eta, self.targets[rows]) * len(eta)

        n = len(self.targets)
        return sum(over_blocks_with_scratch(total, n, 1, ROWS, n_buffers=len(self.columns) + 2)) / n

    def slope_and_bend(self, place: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the gradient and the negative Hessian of the mean log likelihood."""
        n, width = len(self.targets), len(place)
        slope, bend = np.zeros(width), np.zeros((width, width))
        for slopes, bends in over_blocks_with_scratch(
            lambda rows, scratch: self._sums(rows, scratch, place),
            n,
            1,
            ROWS,
            n_buffers=len(self.columns) + 4,
        ):
            slope += slopes
            bend += bends
        bend = np.tril(bend) + np.tril(bend, -1).T
        size = np.append(self.size, 1.0)[:width]
        return slope / size / n, bend / np.outer(size, size) / n

    def _sums(
        self, rows: slice, scratch: FloatArray, place: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the sums of some rows for the gradient and the lower half of the Hessian."""
        n_columns, width = len(self.columns), len(place)
        eta = self._log_odds(rows, place, scratch)
        small, spread, missed = scratch[n_columns + 1 :]
        # exp of a number below 0 cannot overflow.
        np.abs(eta, out=small)
        np.negative(small, out=small)
        np.exp(small, out=small)
        # The chance of the likelier side, 1 / (1 + small); from it the chance of a 1.
        np.add(small, 1.0, out=missed)
        np.divide(1.0, missed, out=missed)
        np.multiply(small, missed, out=spread)
        spread *= missed
        missed -= 0.5
        np.copysign(missed, eta, out=missed)
        missed += 0.5
        np.subtract(self.targets[rows], missed, out=missed)

        slope, bend = np.zeros(width), np.zeros((width, width))
        for row in range(n_columns):
            # By einsum: for so few rows BLAS only starts threads that wait.
            slope[row] = np.einsum("i,i", scratch[row], missed)
            np.multiply(scratch[row], spread, out=small)
            for column in range(row + 1):
                bend[row, column] = np.einsum("i,i", small, scratch[column])
            if self.intercept:
                bend[-1, row] = small.sum()
        if self.intercept:
            slope[-1], bend[-1, -1] = missed.sum(), spread.sum()
        return slope, bend

    def _log_odds(self, rows: slice, place: FloatArray, scratch: FloatArray) -> FloatArray:
        """Return the log-odds of some rows; the scratch gets the moved columns, these, and more."""
        n_columns = len(self.columns)
        eta: FloatArray = scratch[n_columns]
        eta[...] = place[-1] if self.intercept else 0.0
        product = scratch[n_columns + 1]
        for row, column in enumerate(self.columns):
            np.subtract(column[rows], self.centre[row], out=scratch[row])
            np.multiply(scratch[row], place[row] / self.size[row], out=product)
            eta += product
        return eta
