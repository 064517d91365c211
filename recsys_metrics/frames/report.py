"""The answer over frames: means and their intervals, and the users' values still as a query."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import narwhals as nw

from recsys_metrics.evaluation.protocol import Protocol
from recsys_metrics.evaluation.views import report_as_html, report_as_text
from recsys_metrics.frames.plan import plain
from recsys_metrics.measures import ByMeasure, Measure
from recsys_metrics.protocol.significance import Interval
from recsys_metrics.protocol.significance.intervals import interval_of_mean


@dataclass(frozen=True)
class FrameResult:
    """One measure's value, with what its interval is made from.

    Attributes
    ----------
    measure : Measure
    value : float
        The mean over users who have a value, or the value of all lists together.
    n : int
        How many users the mean is over; 0 for a measure of all lists together.
    left_out : int
        How many users have no value.
    standard_deviation : float
        Of the users' values, with n - 1 below the line; NaN where there are fewer than two.

    Examples
    --------
    >>> from recsys_metrics.frames import FrameResult
    >>> from recsys_metrics import measure
    >>> FrameResult(measure("ndcg@10"), 0.5, 100, 3, 0.2).interval().half_width.__round__(3)
    0.04
    """

    measure: Measure
    value: float
    n: int = 0
    left_out: int = 0
    standard_deviation: float = math.nan

    @property
    def mean(self) -> float:
        """The mean over users; for a measure of all lists together, its value."""
        return self.value

    def interval(self, *, level: float = 0.95) -> Interval | None:
        """Return the interval of the mean, as `evaluation.Result` does."""
        if self.n < 2:
            return None
        bounds = self.measure.metric.bounds
        return interval_of_mean(
            self.value, self.standard_deviation, self.n, bounds=bounds, level=level
        )


@dataclass(frozen=True, eq=False, repr=False)
class FrameReport(ByMeasure[FrameResult], entries="results", absent="was not measured; there are"):
    """What was found for each measure over frames; made by `frames.evaluate`.

    A mapping, as `recsys_metrics.evaluation.Report` is: ``report["ndcg@10"].mean``.

    Attributes
    ----------
    name : str
        Of what was evaluated.
    results : mapping from Measure to FrameResult
    protocol : Protocol
        How the numbers came about.
    warnings : tuple of str
        What to keep in mind when reading them.
    of_users : narwhals.LazyFrame
        One row per user with a column for each measure that users have a value of, under names
        that every engine takes.

    Examples
    --------
    >>> import pytest
    >>> pl = pytest.importorskip("polars")
    >>> from recsys_metrics import frames
    >>> lists = pl.LazyFrame({"user": [1, 1, 2], "item": [7, 8, 7], "rank": [1, 2, 1]})
    >>> wanted = pl.LazyFrame({"user": [1, 2], "item": [8, 7]})
    >>> report = frames.evaluate(lists, wanted, ["mrr"])
    >>> sorted(report.per_user.collect()["reciprocal_rank"].to_list())
    [0.5, 1.0]
    """

    name: str
    results: Mapping[Measure, FrameResult]
    protocol: Protocol
    warnings: tuple[str, ...]
    of_users: nw.LazyFrame[Any] = field(repr=False)

    @property
    def per_user(self) -> Any:
        """One row per user with a column for each measure that users have a value of.

        Null for users who are left out. A frame of the engine's own, as lazy as the tables were:
        collect it, or write it to a file.
        """
        named = {plain(str(made)): str(made) for made in self.results if made.metric.per_user}
        return self.of_users.rename(named).to_native()

    def __repr__(self) -> str:
        return report_as_text(self)

    def _repr_html_(self) -> str:
        return report_as_html(self)
