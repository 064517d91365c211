"""The answer of `evaluate`: a value for each measure, with its users, interval and protocol."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._plots import draw_intervals, finish, in_words, plots
from recsys_metrics.evaluation._aggregate import Aggregate, FloatArray, interval_of
from recsys_metrics.evaluation._comparison import Comparison, compare
from recsys_metrics.evaluation._grouped import GroupedReport, grouped
from recsys_metrics.evaluation._protocol import Protocol
from recsys_metrics.evaluation._saved import load, save
from recsys_metrics.evaluation._values import UserValues
from recsys_metrics.evaluation._views import (
    Backend,
    Shown,
    View,
    as_frame,
    of_report,
    with_interval,
)
from recsys_metrics.measures import ByMeasure, Measure
from recsys_metrics.protocol.significance import Interval, bootstrap_interval


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """One measure's value, and the values of the users it was made from.

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
        """The mean over users who have a value, or the value of all lists together."""
        return self.aggregate.mean

    @property
    def mean(self) -> float:
        """The mean over users; for a measure of all lists together, its value."""
        return self.value

    @property
    def values(self) -> FloatArray | None:
        """As `per_user`; None for a measure of all lists together."""
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
                f"{self.measure} looks at all lists together and has no value of one user"
            )
        return self.user_values.in_memory.by_measure[self.measure]

    @property
    def n(self) -> int:
        """How many users the mean is over; 0 for a measure of all lists together."""
        return self.aggregate.n

    @property
    def left_out(self) -> int:
        """How many users have no value."""
        return self.aggregate.left_out

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
        if method == "bounded" or self.n < 2:
            return interval_of(self.measure, self.aggregate, level=level)
        # Users who are all alike leave resamples nothing to vary.
        if not self.aggregate.standard_deviation:
            return None
        return bootstrap_interval(self.per_user, level=level, missing="omit", seed=seed)

    def __repr__(self) -> str:
        found = self.interval()
        text = f"{self.measure}: {self.value:.3f}"
        if found is not None:
            text += f" [{found.low:.3f}, {found.high:.3f}]"
        if not self.measure.metric.per_user:
            return f"{text}, all lists together"
        text += f" over {self.n:,} user{'s' if self.n != 1 else ''}"
        return f"{text}, {self.left_out:,} left out" if self.left_out else text


@dataclass(frozen=True, eq=False, repr=False)
class Report(ByMeasure[Result], Shown, entries="results", absent="was not measured; there are"):
    """What was found for each measure, and how it came about; made by `evaluate`.

    A mapping: ``report["ndcg@10"]`` gives the `Result`, however the measure is written, as
    long as it means the same. One class for lists in memory and for tables that stay in an
    engine: there, the users' values are a query until something asks for them.

    Attributes
    ----------
    name : str
        Of what was evaluated.
    results : mapping from Measure to Result
        In the order they were asked for.
    groups : mapping
        Group of each user, by the name of the grouping: an array in the order of the lists, or a
        frame of users and groups.
    protocol : Protocol
        How the numbers came about.
    warnings : tuple of str
        What to keep in mind when reading them.
    user_values : UserValues
        Where the users' values are held.

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

    def interval(self, measure: str | Measure, *, level: float = 0.95) -> Interval | None:
        """Return between which values a measure's mean lies; `Result.interval` says more."""
        return self[measure].interval(level=level)

    def by(self, groups: str | ArrayLike | Any, *, level: float = 0.95) -> GroupedReport:
        """Return every measure that users have a value of, by groups of users.

        Parameters
        ----------
        groups : str, (n,) array, mapping or frame
            The name of a grouping that `evaluate` was given; the group of each user, in the order
            of the lists or by user; or, over frames, a table of the same engine with a row for
            each user and the user's group. Users without a row in it are in no group.
        level : float
            Confidence of the intervals.

        Returns
        -------
        GroupedReport
        """
        grouping = groups if isinstance(groups, str) else "group"
        if isinstance(groups, str):
            if groups not in self.groups:
                there = ", ".join(map(repr, self.groups)) or "none"
                raise ValueError(
                    f"there is no grouping {groups!r}; evaluate was given {there}. Pass the group "
                    "of each user instead"
                )
            groups = self.groups[groups]
        measures = [measure for measure in self.results if measure.metric.per_user]
        sizes, aggregates = self.user_values.by_group(groups, measures)
        return grouped(grouping, sizes, aggregates, level=level)

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

    def to_frame(
        self, *, per_user: bool = False, backend: Backend | Literal["native"] | None = None
    ) -> Any:
        """Return the report as a data frame.

        Parameters
        ----------
        per_user : bool
            One row per user and one column per measure, rather than one row per measure.
        backend : {"polars", "pandas", "pyarrow", "native"}, optional
            Which library's frame. By default the first of these that is installed. "native" is
            for values per user over frames: a frame of the engine's own, as lazy as the tables
            were.

        Returns
        -------
        polars.DataFrame, pandas.DataFrame, pyarrow.Table, or a frame of the engine
        """
        if backend == "native" and per_user:
            return self.user_values.native()
        return as_frame(self.columns(per_user=per_user), backend)

    def columns(self, *, per_user: bool = False) -> dict[str, list[Any]]:
        """Return the columns of `to_frame`, for any other use."""
        if per_user:
            users = self.users
            keys = list(range(self.protocol.n_lists)) if users is None else list(users)
            kept = {
                str(measure): values.tolist()
                for measure, values in self.user_values.in_memory.by_measure.items()
            }
            return {"user": keys, **kept}
        found = [(result, result.interval()) for result in self.results.values()]
        return {
            "measure": [str(result.measure) for result, _ in found],
            "value": [result.value for result, _ in found],
            "low": [np.nan if i is None else i.low for _, i in found],
            "high": [np.nan if i is None else i.high for _, i in found],
            "users": [result.n for result, _ in found],
            "left_out": [result.left_out for result, _ in found],
        }

    def as_dict(self, *, plain: bool = False) -> dict[str, float]:
        """Return values and ends of intervals as one flat mapping, for an experiment logger.

        Parameters
        ----------
        plain : bool
            Write names without the signs that some loggers refuse: ``ndcg_at_10``.

        Examples
        --------
        >>> from recsys_metrics import evaluate
        >>> evaluate([["A"]], [{"A"}], ["hit_rate@1"]).as_dict(plain=True)
        {'hit_rate_at_1': 1.0}
        """
        found = {}
        for result in self.results.values():
            name = str(result.measure)
            if plain:
                name = re.sub(r"\W+", "_", name.replace("@", "_at_").replace(")_", "_"))
            found[name] = result.value
            if interval := result.interval():
                found |= {f"{name}/low": interval.low, f"{name}/high": interval.high}
        return found

    @plots
    def plot(self, measures: Sequence[str | Measure] | None = None, *, axes: Any = None) -> Any:
        """Draw values with their intervals.

        Parameters
        ----------
        measures : sequence of str or Measure, optional
            Which; by default all. They share one axis.
        """
        found = [self[each] for each in (self.results if measures is None else measures)]
        if not found:
            raise ValueError(f"measures names none; there are {', '.join(self)}")
        names = [str(result.measure) for result in found]
        values, ends = [r.value for r in found], [r.interval() for r in found]
        axes = draw_intervals(axes, names, values, ends)
        alt = f"{self.name}: {in_words(names, values, ends)}"
        title = f"{self.name}: {names[0]} is {with_interval(values[0], ends[0])}"
        return finish(axes, title=title, x="value, with its 95 % interval", alt=alt)

    def save(self, path: str | PathLike[str], *, per_user: bool = True) -> None:
        """Write the report to a new file, as JSON.

        It holds values, conventions, protocol, versions and a digest of lists and relevance;
        `recsys_metrics/data/report.schema.json` is its schema. Groupings that are tables of an
        engine are left out.

        Parameters
        ----------
        path : str or path
            A file that is not there yet.
        per_user : bool
            Whether to write the values of each user, which comparisons and groups need, if they
            were kept. Over frames they are collected.

        Raises
        ------
        FileExistsError
            If there is such a file; it stays as it is.
        TypeError
            If users are neither text nor whole numbers.
        """
        save(self, path, per_user=per_user)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Report:
        """Read a report that `save` wrote; it compares and groups as the one that was saved.

        Parameters
        ----------
        path : str or path

        Raises
        ------
        ValueError
            If the file is no report, or one of a later form.
        """
        return load(path, cls)

    def _view(self) -> View:
        return of_report(self)
