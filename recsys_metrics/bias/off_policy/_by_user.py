"""The spread of an estimate whose rounds come in users, which stay together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.arithmetic import divide, exponent_of
from recsys_metrics._core.blocks import row_blocks
from recsys_metrics._core.checks import check_lengths
from recsys_metrics._core.inputs.arrays import FloatArray, IndexArray, as_labels
from recsys_metrics._core.inputs.columns import check_shape, number_labels
from recsys_metrics.bias.off_policy._formulas import Column, Terms, is_absent

_MISSING = ", no user; give each visitor without an id one of their own"


class Users(NamedTuple):
    """Whose round each is.

    Attributes
    ----------
    number : (n,) array of int
        The number of each round's user.
    n : int
        How many users there are.
    """

    number: IndexArray
    n: int


def number_users(users: ArrayLike, n: int) -> Users:
    """Return the number of the user of each of n rounds.

    Raises
    ------
    ValueError
        If a round has no user, there is not one for each, or all are of one user.
    """
    check_shape("users", as_labels(users, "users"), kind="labels")
    labels, number = number_labels("users", users, _MISSING)
    check_lengths(users=number, rounds=range(n))
    check_several(len(labels), n)
    return Users(number, len(labels))


def check_several(n_users: int, n: int) -> None:
    """Raise if all rounds are of one user."""
    if n_users < 2:
        raise ValueError(
            f"all {n:,} rounds are of one user, who does not show how users vary; leave the users "
            "out for an interval over rounds"
        )


@dataclass(frozen=True, eq=False)
class UserSums:
    """The sums of an estimate's terms over the rounds of each user.

    Attributes
    ----------
    rounds : (users,) array of float
        How many each user has.
    base, top, bottom : (users,) array of float or None
        None where an estimator has no such term.
    """

    rounds: FloatArray
    base: FloatArray | None
    top: FloatArray | None
    bottom: FloatArray | None

    @classmethod
    def of(cls, terms: Terms, users: Users) -> UserSums:
        """Add the terms of all rounds up by their users."""

        def add_up(column: Column) -> FloatArray | None:
            if is_absent(column):
                return None
            return np.bincount(users.number, weights=np.asarray(column)).astype(np.float64)

        rounds = np.bincount(users.number).astype(np.float64)
        return cls(rounds, add_up(terms.base), add_up(terms.top), add_up(terms.bottom))

    @property
    def standard_error(self) -> float:
        """Of the value, by linearisation with the users as clusters."""
        n, n_users = self.rounds.sum(), len(self.rounds)
        influence = np.zeros(n_users)
        if self.base is not None:
            influence += self.base - self.rounds * (self.base.sum() / n)
        if self.top is not None and self.bottom is not None:
            top, bottom = self.top.sum(), self.bottom.sum()
            influence += (self.top - top / bottom * self.bottom) / (bottom / n)
        # By a power of two, so that no square leaves the floats.
        exponent = exponent_of(influence)
        influence = np.ldexp(influence, -exponent)
        error = math.sqrt(n_users / (n_users - 1) * float(influence @ influence)) / float(n)
        return math.ldexp(error, exponent)

    def resample(self, n_resamples: int, rng: np.random.Generator, most: int) -> FloatArray:
        """Return the estimate on samples of as many users, at most so many numbers drawn at once.

        One seed gives one result, in whatever order the users come: they are put in order first.
        """
        columns = [self.rounds, self.base, self.top, self.bottom]
        there = [column for column in columns if column is not None]
        table = np.column_stack(there)[np.lexsort(there)]
        n_users = len(table)
        values = np.empty(n_resamples)
        for block in row_blocks(n_resamples, n_users, most):
            drawn = rng.integers(0, n_users, size=(block.stop - block.start, n_users))
            totals = iter([table[:, at][drawn].sum(axis=1) for at in range(table.shape[1])])
            rounds = next(totals)
            base = 0.0 if self.base is None else next(totals) / rounds
            has_ratio = self.top is not None and self.bottom is not None
            values[block] = base + (divide(next(totals), next(totals)) if has_ratio else 0.0)
        return values
