"""The result of each measure, and the data of a report."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.checks import check_choice, generator
from recsys_metrics.evaluation._aggregate import Aggregate, FloatArray, aggregate_interval
from recsys_metrics.evaluation._protocol import Protocol
from recsys_metrics.evaluation._user_values import UserValues
from recsys_metrics.measures import Measure
from recsys_metrics.protocol.significance import Interval, bootstrap_interval


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """One metric's value, and the values of the users it was made from.

    Attributes
    ----------
    measure : Measure
        What was measured.
    aggregate : Aggregate
        The mean over users who have a value, how many they are and how they vary; or the value of
        all lists together.
    user_values : UserValues
        Where the users' values are held.

    Examples
    --------
    >>> from recsys_metrics import evaluate
    >>> found = evaluate([["A", "B"], ["C"], ["B"]], [{"A"}, {"A"}, set()], ["recall@2"])
    >>> found["recall@2"]
    recall@2: 0.500 [0.013, 0.987] over 2 users, 1 left out
    >>> found["recall@2"].per_user.tolist()
    [1.0, 0.0, nan]
    """

    measure: Measure
    aggregate: Aggregate
    user_values: UserValues = field(repr=False)

    @property
    def value(self) -> float:
        """The mean over users who have a value, or an aggregate over all lists."""
        return self.aggregate.mean

    @property
    def mean(self) -> float:
        """The mean over users; for an aggregate over all lists, its value."""
        return self.value

    @property
    def values(self) -> FloatArray | None:
        """As `per_user`; None for an aggregate over all lists."""
        return self.per_user if self.measure.metric.per_user else None

    @property
    def per_user(self) -> FloatArray:
        """One value per user in the order of the lists, NaN for users who are left out.

        Over frames they are collected when first asked for, in the order of the users.

        Raises
        ------
        ValueError
            If the measure has one value for all lists together.
        """
        if not self.measure.metric.per_user:
            raise ValueError(
                f"{self.measure.label} is an aggregate over all lists and has no per-user values"
            )
        return self.user_values.in_memory.by_measure[self.measure]

    @property
    def standard_error(self) -> float:
        """Of the mean over users; NaN for fewer than two, and for a metric of all lists."""
        return self.aggregate.standard_deviation / math.sqrt(self.n) if self.n > 1 else math.nan

    @property
    def n(self) -> int:
        """How many users the mean is over; 0 for an aggregate over all lists."""
        return self.aggregate.n

    @property
    def n_skipped(self) -> int:
        """How many users have no value."""
        return self.aggregate.n_skipped

    def interval(
        self,
        *,
        level: float = 0.95,
        method: Literal["bounded", "bootstrap"] = "bounded",
        seed: int | np.random.Generator = 0,
    ) -> Interval | None:
        """Between which values does the mean lie, with other users of the same kind?

        Parameters
        ----------
        level : float
            Confidence.
        method : {"bounded", "bootstrap"}
            The interval of a mean between the measure's bounds, of hits the exact one of a share
            (`protocol.significance.mean_interval`); or percentiles of means of resampled users,
            which are too narrow for few users.
        seed : int or numpy.random.Generator
            For the bootstrap.

        Returns
        -------
        Interval or None
            None where the users' values allow none: fewer than two, or for a measure without
            two bounds fewer than 50, or all alike. None also for a measure of all lists
            together: resampled users would repeat lists, which lowers coverage by itself.
        """
        check_choice("method", method, Literal["bounded", "bootstrap"])
        rng = generator(seed)
        if method == "bounded" or self.n < 2:
            return aggregate_interval(self.measure, self.aggregate, level=level)
        # Users who are all alike leave resamples nothing to vary.
        if not self.aggregate.standard_deviation:
            return None
        return bootstrap_interval(self.per_user, level=level, missing="omit", seed=rng)

    def __repr__(self) -> str:
        found = self.interval()
        text = f"{self.measure.label}: {self.value:.3f}"
        if found is not None:
            text += f" [{found.low:.3f}, {found.high:.3f}]"
        if not self.measure.metric.per_user:
            return f"{text}, over all lists"
        text += f" over {self.n:,} user{'s' if self.n != 1 else ''}"
        return f"{text}, {self.n_skipped:,} left out" if self.n_skipped else text


@dataclass(frozen=True, eq=False, repr=False)
class ReportData:
    """The data of a report, without what it can do; `Report` describes the attributes."""

    name: str
    results: Mapping[Measure, Result]
    groups: Mapping[str, Any]
    protocol: Protocol
    warnings: tuple[str, ...]
    user_values: UserValues = field(repr=False)

    @property
    def users(self) -> tuple[Hashable, ...] | None:
        """The users' keys in the order of the values, where the lists came keyed by user."""
        return self.user_values.in_memory.users

    @property
    def n_relevant(self) -> NDArray[Any]:
        """How many items are relevant to each user."""
        return self.user_values.in_memory.n_relevant
