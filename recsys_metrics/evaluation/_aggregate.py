"""Aggregates of users' values, and the intervals computed from them.

Arrays and frames both end here: whatever holds the users' values gives an `Aggregate`, and nothing
else is needed for a result, a group, a gain or their intervals.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.inputs.arrays import as_scores
from recsys_metrics._core.inputs.columns import check_shape
from recsys_metrics.measures import Measure
from recsys_metrics.protocol.significance import Interval
from recsys_metrics.protocol.significance._gains import gain_and_p
from recsys_metrics.protocol.significance._intervals import interval_of_mean, moments

FloatArray = NDArray[np.float64]

# Equal values, summed: a spread this far below the mean is rounding alone.
_ROUNDING = 1e-14


@dataclass(frozen=True)
class Aggregate:
    """The number, mean and spread of users' values.

    Attributes
    ----------
    mean : float
        NaN where no user has a value.
    n : int
        How many users the mean is over; 0 for a value of all lists together.
    n_skipped : int
        How many users have no value.
    standard_deviation : float
        With the denominator n - 1; NaN for fewer than two users.

    Examples
    --------
    >>> import numpy as np
    >>> from recsys_metrics.evaluation import Aggregate
    >>> Aggregate.from_values(np.array([0.0, 1.0, 0.5, np.nan]))
    Aggregate(mean=0.5, n=3, n_skipped=1, standard_deviation=0.5)
    """

    mean: float
    n: int = 0
    n_skipped: int = 0
    standard_deviation: float = math.nan

    @classmethod
    def from_values(cls, values: FloatArray) -> Aggregate:
        """Return the aggregate of values in memory, NaN for users without one."""
        values = as_scores(values, "values")
        check_shape("values", values, may_be_empty=True)
        kept = values[~np.isnan(values)]
        if not kept.size:
            return cls.from_sums(len(values), 0, None, None)
        mean, spread, n = moments(kept)
        return cls.from_sums(len(values), n, mean, spread)

    @classmethod
    def from_sums(cls, users: int, n: int, mean: float | None, spread: float | None) -> Aggregate:
        """Return the aggregate of what an engine has summed up.

        Parameters
        ----------
        users, n : int
            How many users there are, and how many of them have a value.
        mean, spread : float or None
            Mean and standard deviation of those values.
        """
        if not n or mean is None:
            return cls(math.nan, 0, int(users - n))
        if spread is None or n < 2:
            spread = math.nan
        elif spread <= _ROUNDING * abs(mean):
            spread = 0.0
        return cls(float(mean), int(n), int(users - n), float(spread))


@dataclass(frozen=True)
class Sums:
    """Number, mean and squared distances from it: what aggregates of parts add up to.

    Attributes
    ----------
    users, n : int
        How many users there are, and how many of them have a value.
    mean, squares : float
        Mean of the values, and the sum of their squared distances from it.
    """

    users: int = 0
    n: int = 0
    mean: float = 0.0
    squares: float = 0.0

    @classmethod
    def from_values(cls, values: FloatArray) -> Sums:
        """Return the sums of values in memory, NaN for users without one."""
        found = Aggregate.from_values(values)
        if not found.n:
            return cls(len(values))
        spread = 0.0 if found.n < 2 else found.standard_deviation
        return cls(len(values), found.n, found.mean, (found.n - 1) * spread**2)

    def __add__(self, other: Sums) -> Sums:
        users, n = self.users + other.users, self.n + other.n
        if not n:
            return Sums(users)
        # Chan, Golub and LeVeque (1983): no difference of two large sums.
        apart, share = other.mean - self.mean, other.n / n
        squares = self.squares + other.squares + apart**2 * self.n * share
        return Sums(users, n, self.mean + apart * share, squares)

    @property
    def aggregate(self) -> Aggregate:
        """What it all comes to."""
        spread = math.sqrt(self.squares / (self.n - 1)) if self.n > 1 else None
        return Aggregate.from_sums(self.users, self.n, self.mean, spread)


@dataclass(frozen=True)
class PairedAggregates:
    """What the same users' values in two reports come to, over users who have both.

    Attributes
    ----------
    new, old : float
        The two means.
    gain : Aggregate
        Of each user's new value less the old one.
    better, worse : int
        How many users have a higher and a lower value.
    changed : array of float or None
        The gains of these users, ascending; None where they are too many for a randomization test.
    """

    new: float
    old: float
    gain: Aggregate
    better: int
    worse: int
    changed: FloatArray | None


# Here, and nowhere else, intervals of means are made ------------------------------------------


def aggregate_interval(
    measure: Measure, aggregate: Aggregate, *, level: float = 0.95
) -> Interval | None:
    """Return between which values a measure's mean lies; None where its users allow none."""
    if aggregate.n < 2 or math.isnan(aggregate.standard_deviation):
        return None
    return interval_of_mean(
        aggregate.mean,
        aggregate.standard_deviation,
        aggregate.n,
        bounds=measure.metric.bounds,
        level=level,
    )


def interval_and_p_of_gain(
    measure: Measure, paired: PairedAggregates, *, level: float
) -> tuple[Interval | None, float]:
    """Return the interval of a gain, if there is one, and the p-value of "there is no gain"."""
    gain = paired.gain
    if gain.n < 2:
        return None, math.nan
    return gain_and_p(
        gain.mean,
        gain.standard_deviation,
        gain.n,
        paired.better,
        paired.worse,
        bounds=measure.metric.bounds,
        level=level,
        changed=paired.changed,
    )
