"""Arithmetic that several subjects share."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Between these the product of two numbers, and the sum of many, is a float with all its digits.
_SMALL, _LARGE = 2.0**-400, 2.0**400
ROUNDING = 1e-12
"""As close as this, in proportion, are equal sums that were added up in different orders."""
# Up to here a sum of any number of them is a float.
_SUMMED = 2.0**960


def scale_weights(
    weights: NDArray[np.float64], group: NDArray[np.intp] | None = None, n_groups: int = 1
) -> NDArray[np.float64]:
    """Return weights that count only beside each other, so that no sum or product leaves floats.

    Those of each group are multiplied by a power of two, where one of them is very large or small.
    """
    odd = (weights > _LARGE) | ((weights > 0) & (weights < _SMALL))
    if not odd.any():
        return weights
    if group is None:
        largest = np.asarray(weights.max(initial=0.0))
    else:
        of_groups = np.zeros(n_groups)
        np.maximum.at(of_groups, group, weights)
        largest = of_groups[group]
    scaled: NDArray[np.float64] = np.ldexp(weights, -np.frexp(largest)[1])
    return scaled


def rounding_of(values: NDArray[np.float64]) -> float:
    """Return how far apart rounding may leave numbers that are equal; NaN is none.

    Numbers of about 1 are sums and differences of others of about 1; where all are smaller, they
    come in another unit, and so does what rounding leaves.
    """
    return ROUNDING * min(1.0, float(np.fmax.reduce(np.abs(values), axis=None, initial=0.0)))


def sum_of_squares(values: NDArray[np.float64]) -> float:
    """Return the sum of squared deviations from the mean of some numbers.

    The mean of large numbers is rounded, so the deviations from it have a mean that is not 0; what
    that adds to their squares is taken off (Chan, Golub and LeVeque, 1983).
    """
    apart = values - np.add.reduce(values) / len(values)
    added = float(np.add.reduce(apart)) ** 2 / len(values)
    return max(0.0, float(np.add.reduce(apart * apart)) - added)


def exp2_minus_1(powers: NDArray[np.float64], scale: float = 0.0) -> NDArray[np.float64]:
    """Return 2 to each power, minus 1, times 2 to the power of `scale`.

    So that neither powers near 0, to which 2 is 1, nor large ones with a small `scale` are lost.
    """
    small: NDArray[np.float64] = np.exp2(scale) * np.expm1(np.minimum(powers, 1.0) * math.log(2.0))
    # Of whole powers the difference is exact.
    return np.where(powers < 1.0, small, np.exp2(powers + scale) - np.exp2(scale))


def divide(top: ArrayLike, bottom: ArrayLike, otherwise: float = math.nan) -> NDArray[np.float64]:
    """Return quotients where the denominator is above 0, and one value elsewhere."""
    shape, other = np.shape(top), np.shape(bottom)
    quotients = np.full(shape if shape == other else np.broadcast_shapes(shape, other), otherwise)
    np.divide(top, bottom, out=quotients, where=np.greater(bottom, 0))
    return quotients


def exponent_of(values: NDArray[np.float64]) -> int:
    """Return the power of two by which to divide numbers so that the largest is about 1."""
    return math.frexp(float(np.abs(values).max(initial=0.0)))[1]


def scale_exponent(values: NDArray[np.float64]) -> int:
    """Return by which power of two to divide numbers so that no sum of them leaves the floats."""
    largest = float(np.abs(values).max(initial=0.0))
    return exponent_of(values) if _SUMMED < largest < math.inf else 0


def mean_of(values: NDArray[np.float64]) -> float:
    """Return the mean of some numbers, which is a float even where their sum is none."""
    exponent = scale_exponent(values)
    return math.ldexp(float(np.ldexp(values, -exponent).mean()), exponent)
