"""What rating metrics share: reading rows, and sums that do not depend on their order."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core.arithmetic import divide, scale_exponent, scale_weights
from recsys_metrics._core.checks import check_lengths, refuse
from recsys_metrics._core.inputs.arrays import FloatArray as FloatArray
from recsys_metrics._core.inputs.arrays import as_labels, as_scores
from recsys_metrics._core.inputs.columns import match_keys, number_labels

_Weights = ArrayLike | None


class PerUser(Protocol):
    """A metric that is a number over all ratings, and an array with one for each of the users."""

    @overload
    def __call__(
        self, actual: ArrayLike, predicted: ArrayLike, *, weights: _Weights = ..., users: None = ...
    ) -> float: ...
    @overload
    def __call__(
        self, actual: ArrayLike, predicted: ArrayLike, *, weights: _Weights = ..., users: ArrayLike
    ) -> FloatArray: ...


def per_user(measure: Callable[..., Any]) -> PerUser:
    """Say of a metric that users make its result an array."""
    return cast("PerUser", measure)


@dataclass(frozen=True, eq=False)
class Rows:
    """Ratings, said and predicted, with their weights and the group each belongs to.

    Without users there is one group. `weights` is None where every row counts the same.
    """

    actual: FloatArray
    predicted: FloatArray
    weights: FloatArray | None
    group: NDArray[np.intp] | None
    n_groups: int

    @property
    def errors(self) -> FloatArray:
        """Predicted minus actual."""
        with np.errstate(over="ignore"):
            errors: FloatArray = self.predicted - self.actual
        words = ", more than a number can hold; divide all ratings by one number first"
        refuse(~np.isfinite(errors), "predicted - actual", errors, words)
        return errors

    def sums(self, values: FloatArray) -> FloatArray:
        """Return each group's weighted sum."""
        if self.weights is not None:
            values = values * self.weights
        return ordered_sums(values, self.group, self.n_groups)

    def means(self, values: FloatArray) -> FloatArray:
        """Return each group's weighted mean; NaN where all its weights are 0."""
        if exponent := scale_exponent(values):
            scaled: FloatArray = np.ldexp(self.means(np.ldexp(values, -exponent)), exponent)
            return scaled
        return divide(self.sums(values), self._totals())

    def _totals(self) -> FloatArray:
        """Return the sum of each group's weights: how many rows it has, where they weigh alike."""
        if self.weights is not None:
            return ordered_sums(self.weights, self.group, self.n_groups)
        if self.group is None:
            return np.array([float(len(self.actual))])
        return np.bincount(self.group, minlength=self.n_groups).astype(np.float64)

    def spread(self, values: FloatArray) -> FloatArray:
        """Return each row's value minus the mean of its group."""
        # The mean of large values is rounded, so what is left has a mean of its own.
        for _ in range(2):
            means = self.means(values)
            values = values - (means[0] if self.group is None else means[self.group])
        return values

    def constant(self, values: FloatArray) -> NDArray[np.bool_]:
        """Return whether all of a group's values that count are equal."""
        kept = slice(None) if self.weights is None else self.weights > 0
        group = np.zeros(len(values), dtype=np.intp) if self.group is None else self.group
        lowest, highest = np.full(self.n_groups, np.inf), np.full(self.n_groups, -np.inf)
        np.minimum.at(lowest, group[kept], values[kept])
        np.maximum.at(highest, group[kept], values[kept])
        constant: NDArray[np.bool_] = highest <= lowest
        return constant

    def finish(self, values: FloatArray) -> Any:
        """Return a float without users, else one value per user."""
        return float(values[0]) if self.group is None else values


def read_rows(
    actual: ArrayLike,
    predicted: ArrayLike,
    weights: ArrayLike | None,
    users: ArrayLike | None,
) -> Rows:
    """Return the rows, checked."""
    actual, predicted, weights, users = match_keys(
        actual=actual, predicted=predicted, weights=weights, users=users
    )
    columns = {"actual": _numbers("actual", actual), "predicted": _numbers("predicted", predicted)}
    if weights is not None:
        columns["weights"] = _numbers("weights", weights)
    owner = None if users is None else as_labels(users, "users")
    if owner is not None and owner.ndim != 1:
        raise ValueError(f"users must name one user per rating; got shape {owner.shape}")
    check_lengths(**columns, **({} if owner is None else {"users": owner}))
    if not len(columns["actual"]):
        raise ValueError("there are no ratings, so no error; give at least one")
    weight = columns.get("weights")
    if weight is not None:
        refuse(weight < 0, "weights", weight, "; a weight is 0 or more")
        if not weight.any():
            raise ValueError("all weights are 0, so no rating counts; give one of them a weight")
    if owner is None:
        weight = None if weight is None else scale_weights(weight)
        return Rows(columns["actual"], columns["predicted"], weight, None, 1)
    everyone, group = number_labels("users", users, "; every rating needs its user")
    if weight is not None:
        weight = scale_weights(weight, group, len(everyone))
    return Rows(columns["actual"], columns["predicted"], weight, group, len(everyone))


def ordered_sums(values: FloatArray, group: NDArray[np.intp] | None, n_groups: int) -> FloatArray:
    """Return each group's sum, the same to the last digit in whatever order the rows come.

    Floating-point sums depend on the order because each step rounds. Here every value is cut
    into three pieces, coarse to fine, on a grid so wide that sums of pieces need no rounding
    (Demmel and Nguyen, 2013, Fast reproducible floating-point summation). Three pieces hold
    more digits than a float has, so nothing is lost.
    """
    total = np.zeros(n_groups)
    rest = values
    for _ in range(3):
        largest = float(np.abs(rest).max(initial=0.0))
        if largest == 0.0 or not math.isfinite(largest):
            break
        # Twice the number of values times the next power of two above the largest.
        exponent = math.frexp(largest)[1] + len(values).bit_length() + 1
        if exponent > 1023:
            break
        grid = math.ldexp(1.0, exponent)
        piece = (rest + grid) - grid
        total += _plain_sums(piece, group, n_groups)
        rest = rest - piece
    else:
        return total
    return total + _plain_sums(rest, group, n_groups)


def _plain_sums(values: FloatArray, group: NDArray[np.intp] | None, n_groups: int) -> FloatArray:
    if group is None:
        return np.array([values.sum()])
    sums: FloatArray = np.bincount(group, weights=values, minlength=n_groups).astype(np.float64)
    return sums


def _numbers(name: str, given: ArrayLike) -> FloatArray:
    """Return a column of finite numbers."""
    column = as_scores(given, name, what="numbers, one per rating")
    if column.ndim != 1:
        raise ValueError(
            f"{name} must have one number per rating, in one dimension; got shape {column.shape}"
        )
    words = "; leave ratings out that were not given or predicted"
    refuse(~np.isfinite(column), name, column, words)
    return column
