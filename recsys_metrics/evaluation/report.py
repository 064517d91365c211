"""The answer of `evaluate`: a value for each measure, with its users, interval and protocol."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics.evaluation.comparison import Comparison, compare
from recsys_metrics.evaluation.grouped import GroupedReport, grouped
from recsys_metrics.evaluation.protocol import Protocol
from recsys_metrics.evaluation.views import frame, report_as_html, report_as_text
from recsys_metrics.measures import ByMeasure, Measure
from recsys_metrics.protocol.significance import Interval, bootstrap_interval
from recsys_metrics.protocol.significance.intervals import interval_of_mean, moments

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """One measure's value, and the values of the users it was made from.

    Attributes
    ----------
    measure : Measure
        What was measured.
    value : float
        The mean over users who have a value, or the value of all lists together.
    values : (n,) array of float, or None
        One per user, NaN for a user who is left out; None for a measure of all lists together.

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
    value: float
    values: FloatArray | None

    @property
    def mean(self) -> float:
        """The mean over users; for a measure of all lists together, its value."""
        return self.value

    @property
    def per_user(self) -> FloatArray:
        """One value per user in the order of the lists, NaN for users who are left out.

        Raises
        ------
        ValueError
            If the measure has one value for all lists together.
        """
        if self.values is None:
            raise ValueError(
                f"{self.measure} looks at all lists together and has no value of one user"
            )
        return self.values

    @property
    def n(self) -> int:
        """How many users the mean is over; 0 for a measure of all lists together."""
        return 0 if self.values is None else int(np.count_nonzero(~np.isnan(self.values)))

    @property
    def left_out(self) -> int:
        """How many users have no value."""
        return 0 if self.values is None else len(self.values) - self.n

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
        if method not in ("bounded", "bootstrap"):
            raise ValueError(f"method must be one of 'bounded', 'bootstrap'; got {method!r}")
        if self.values is None or self.n < 2:
            return None
        mean, deviation, n = moments(self.values[~np.isnan(self.values)])
        if method == "bounded":
            bounds = self.measure.metric.bounds
            return interval_of_mean(mean, deviation, n, bounds=bounds, level=level)
        # Users who are all alike leave resamples nothing to vary.
        if not deviation:
            return None
        return bootstrap_interval(self.values, level=level, missing="omit", seed=seed)

    def __repr__(self) -> str:
        found = self.interval()
        text = f"{self.measure}: {self.value:.3f}"
        if found is not None:
            text += f" [{found.low:.3f}, {found.high:.3f}]"
        if self.values is None:
            return f"{text}, all lists together"
        text += f" over {self.n:,} user{'s' if self.n != 1 else ''}"
        return f"{text}, {self.left_out:,} left out" if self.left_out else text


@dataclass(frozen=True, eq=False, repr=False)
class Report(ByMeasure[Result], entries="results", absent="was not measured; there are"):
    """What was found for each measure, and how it came about; made by `evaluate`.

    A mapping: ``report["ndcg@10"]`` gives the `Result`, however the measure is written, as
    long as it means the same.

    Attributes
    ----------
    name : str
        Of what was evaluated.
    results : mapping from Measure to Result
        In the order they were asked for.
    users : tuple or None
        The users' keys in the order of the lists, where the lists came keyed by user.
    groups : mapping
        Group of each user, by the name of the grouping.
    protocol : Protocol
        How the numbers came about.
    warnings : tuple of str
        What to keep in mind when reading them.
    truth : array
        Marks what was relevant, so that reports of different truths are not compared.

    Examples
    --------
    >>> from recsys_metrics import evaluate
    >>> lists = [["A", "B", "C"], ["B", "D", "A"], ["C", "A", "B"]]
    >>> wanted = [{"B"}, {"A", "D"}, {"A"}]
    >>> report = evaluate(lists, wanted, ["recall", "coverage"], ks=[1, 3], catalog=list("ABCDE"))
    >>> list(report)
    ['recall@1', 'recall@3', 'catalog_coverage@1', 'catalog_coverage@3']
    >>> report["coverage@3"].mean
    0.8
    """

    name: str
    results: Mapping[Measure, Result]
    users: tuple[Hashable, ...] | None
    groups: Mapping[str, NDArray[Any]]
    protocol: Protocol
    warnings: tuple[str, ...]
    truth: NDArray[Any] = field(repr=False)

    def by(self, groups: str | ArrayLike, *, level: float = 0.95) -> GroupedReport:
        """Return every measure that users have a value of, by groups of users.

        Parameters
        ----------
        groups : str, or (n,) array
            The name of a grouping that `evaluate` was given, or the group of each user in the
            order of the lists.
        level : float
            Confidence of the intervals.

        Returns
        -------
        GroupedReport
        """
        values = {m: r.values for m, r in self.results.items() if r.values is not None}
        return grouped(values, self.groups, self.protocol.n_lists, groups, level=level)

    def compare(
        self,
        other: Report,
        *,
        level: float = 0.95,
        worthwhile: float = 0.0,
        decide_on: str | Measure | None = None,
    ) -> Comparison:
        """Return the gain of this report over another of the same users.

        Parameters
        ----------
        other : Report
            What to compare with; the same users and truths.
        level : float
            Confidence of the intervals.
        worthwhile : float
            The smallest gain that would be worth shipping.
        decide_on : str or Measure, optional
            The measure that the verdict is about. By default the first accuracy measure: one
            measure, chosen beforehand, so that nobody can look for the one that won.

        Returns
        -------
        Comparison
        """
        return compare(self, other, level=level, worthwhile=worthwhile, decide_on=decide_on)

    def to_frame(self, *, per_user: bool = False, library: str = "pandas") -> Any:
        """Return the report as a data frame.

        Parameters
        ----------
        per_user : bool
            One row per user and one column per measure, rather than one row per measure.
        library : {"pandas", "polars"}
            Which library's frame; it must be installed.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
        """
        return frame(self.columns(per_user=per_user), library)

    def columns(self, *, per_user: bool = False) -> dict[str, list[Any]]:
        """Return the columns of `to_frame`, for any other use."""
        if per_user:
            n = self.protocol.n_lists
            keys = list(range(n)) if self.users is None else list(self.users)
            kept = {str(m): r.values for m, r in self.results.items() if r.values is not None}
            return {"user": keys, **{name: values.tolist() for name, values in kept.items()}}
        found = [(result, result.interval()) for result in self.results.values()]
        return {
            "measure": [str(result.measure) for result, _ in found],
            "value": [result.value for result, _ in found],
            "low": [np.nan if i is None else i.low for _, i in found],
            "high": [np.nan if i is None else i.high for _, i in found],
            "users": [result.n for result, _ in found],
            "left_out": [result.left_out for result, _ in found],
        }

    def __repr__(self) -> str:
        return report_as_text(self)

    def _repr_html_(self) -> str:
        return report_as_html(self)
