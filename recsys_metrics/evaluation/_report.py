"""The result of `evaluate`: a value for each measure, with its users, interval and protocol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.data_frames import Backend, build_frame
from recsys_metrics._core.plotting import draw_intervals, finish, in_words, plots
from recsys_metrics.evaluation._comparability import Users
from recsys_metrics.evaluation._comparison import Comparison, compare
from recsys_metrics.evaluation._flat_values import flatten_values
from recsys_metrics.evaluation._grouped import GroupedReport, find_grouping, group_report
from recsys_metrics.evaluation._rendering import Renderable, View
from recsys_metrics.evaluation._report_file import load, save
from recsys_metrics.evaluation._result import ReportData, Result
from recsys_metrics.evaluation._table_style import DEFAULT_STYLE, TableStyle, names_of_measures
from recsys_metrics.measures import Measure, MeasureMapping
from recsys_metrics.measures._text import list_measures
from recsys_metrics.protocol.significance import Interval


@dataclass(frozen=True, eq=False, repr=False)
class Report(
    ReportData,
    MeasureMapping[Result],
    Renderable,
    entries="results",
    absent="was not measured; there are",
):
    """The value of each metric, and how it was computed; made by `evaluate`.

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
        table of users and groups.
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
    ['recall@1', 'recall@3', 'coverage@1', 'coverage@3']
    >>> report["coverage@3"].mean
    0.8
    """

    def interval(self, measure: str | Measure, *, level: float = 0.95) -> Interval | None:
        """Return the confidence interval of a metric's mean; see `Result.interval`."""
        return self[measure].interval(level=level)

    def by(self, groups: str | ArrayLike | Any, *, level: float = 0.95) -> GroupedReport:
        """Return every metric with per-user values, by groups of users.

        Parameters
        ----------
        groups : str, (n,) array, mapping or frame
            The name of a grouping that `evaluate` was given; the group of each user, in the order
            of the lists or by user; or a table with a row for each user and the user's group.
            Users without a row in it are in no group.
        level : float
            Confidence of the intervals.

        Returns
        -------
        GroupedReport
        """
        grouping, groups = find_grouping(self.groups, groups)
        measures = [measure for measure in self.results if measure.metric.per_user]
        sizes, aggregates = self.user_values.by_group(groups, measures)
        return group_report(grouping, sizes, aggregates, level=level)

    def compare(
        self,
        other: Report,
        *,
        level: float = 0.95,
        margin: float | None = None,
        decide_on: str | Measure | None = None,
        users: Users = "same",
    ) -> Comparison:
        """Return the gain of this report over another of the same users.

        Parameters
        ----------
        other : Report
            What to compare with; the same users and truths.
        level : float
            Confidence of the intervals.
        margin : float, optional
            The smallest gain that matters, above 0, in the unit of the metric. Without it the
            conclusion says whether there is a difference, and not whether it matters.
        decide_on : str or Measure, optional
            The metric that the conclusion is about. By default the first accuracy metric: one
            measure, chosen beforehand, so that nobody can look for the one that won.
        users : {"same", "shared"}
            Whether different users are an error, or the reports are compared on those that both
            have; the comparison then says how many are left out.

        Returns
        -------
        Comparison
            Its `warnings` name a different split, candidate set or treatment of ties, and a large
            difference in how many items the users already know.

        Raises
        ------
        ValueError
            If the users, what is relevant to them, the threshold or the number of sampled
            candidates differ; the message says how many users.
        """
        return compare(self, other, level=level, margin=margin, decide_on=decide_on, users=users)

    def to_frame(self, *, per_user: bool = False, backend: Backend | None = None) -> Any:
        """Return the report as a data frame.

        Parameters
        ----------
        per_user : bool
            One row per user and one column per measure, rather than one row per measure.
        backend : {"polars", "pandas", "pyarrow"}, optional
            Which library's frame. By default the first of these that is installed.

        Returns
        -------
        polars.DataFrame, pandas.DataFrame or pyarrow.Table
        """
        return build_frame(self.columns(per_user=per_user), backend)

    def columns(self, *, per_user: bool = False) -> dict[str, list[Any]]:
        """Return the columns of `to_frame`, for any other use."""
        if per_user:
            users = self.users
            keys = list(range(self.protocol.n_lists)) if users is None else list(users)
            kept = {
                measure.label: values.tolist()
                for measure, values in self.user_values.in_memory.by_measure.items()
            }
            return {"user": keys, **kept}
        found = [(result, result.interval()) for result in self.results.values()]
        return {
            "measure": [result.measure.label for result, _ in found],
            "value": [result.value for result, _ in found],
            "low": [np.nan if i is None else i.low for _, i in found],
            "high": [np.nan if i is None else i.high for _, i in found],
            "users": [result.n for result, _ in found],
            "n_skipped": [result.n_skipped for result, _ in found],
        }

    def as_dict(self, *, plain: bool = False) -> dict[str, float]:
        """Return values and ends of intervals as one flat mapping, for an experiment logger.

        Parameters
        ----------
        plain : bool
            Write names of letters, digits and underscores alone, which every store of MLflow and
            Weights & Biases take: ``ndcg_at_10``, with its interval from ``ndcg_at_10_low`` to
            ``ndcg_at_10_high``. Two underscores stand around the name of an option.

        Raises
        ------
        ValueError
            If two measures of one's own get the same plain name.

        Examples
        --------
        >>> from recsys_metrics import evaluate
        >>> report = evaluate([["A"]], [{"A"}], ["hit_rate@1", "ndcg(gain=exponential)@1"])
        >>> report.as_dict(plain=True)
        {'hit_rate_at_1': 1.0, 'ndcg__gain__exponential_at_1': 1.0}
        """
        return flatten_values(self.results.values(), plain=plain)

    @plots
    def plot(self, measures: Sequence[str | Measure] | None = None, *, axes: Any = None) -> Any:
        """Draw values with their intervals.

        Parameters
        ----------
        measures : sequence of str or Measure, optional
            Which; by default all. They share one axis.
        """
        wanted = self.results if measures is None else list_measures(measures)
        found = [self[each] for each in wanted]
        if not found:
            raise ValueError(f"measures is empty; there are {', '.join(self)}")
        names = [result.measure.label for result in found]
        values, ends = [r.value for r in found], [r.interval() for r in found]
        axes = draw_intervals(axes, names, values, ends)
        alt = f"{self.name}: {in_words(names, values, ends)}"
        title = f"{self.name}: {names[0]} is {DEFAULT_STYLE.with_interval(values[0], ends[0])}"
        return finish(axes, title=title, x="value, with its 95% CI", alt=alt)

    def save(
        self, path: str | PathLike[str], *, per_user: bool = True, overwrite: bool = False
    ) -> None:
        """Write the report to a file, as JSON.

        It holds values, conventions, protocol, versions, groups and digests of what is relevant to
        users; `recsys_metrics/data/report.schema.json` is its schema.

        Parameters
        ----------
        path : str or path
            A file that does not exist yet.
        per_user : bool
            Whether to write the values of each user, which comparisons and groups need, if they
            were kept.
        overwrite : bool
            Whether to replace a file that exists.

        Raises
        ------
        FileExistsError
            If the file exists and ``overwrite`` is False; it stays as it is.
        TypeError
            If users or groups are neither text nor whole numbers.
        """
        save(self, path, per_user=per_user, overwrite=overwrite)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Report:
        """Read a report that `save` wrote; it compares and groups as the one that was saved.

        Parameters
        ----------
        path : str or path

        Raises
        ------
        ValueError
            If the file is no report, one of a later form, or one that contradicts itself or the
            measures that this library knows: values outside of their bounds, or counts of users
            that do not add up to the lists.
        """
        return load(path, cls)

    def _names(self) -> list[str]:
        return [self.name, *names_of_measures(self.results)]

    def _view(self, style: TableStyle = DEFAULT_STYLE) -> View:
        return _build_view(self, style)


def _build_view(report: ReportData, style: TableStyle) -> View:
    """Return what a report shows."""
    cuts = sorted({made.k for made in report.results if made.k is not None})
    has_uncut = any(made.k is None for made in report.results)
    columns: list[int | None] = [*cuts, *([None] if has_uncut else [])]
    by_cut: dict[str, dict[int | None, Result]] = {}
    for made, result in report.results.items():
        by_cut.setdefault(style.rename_measure(made.at(None)), {})[made.k] = result
    return View(
        title=style.rename(report.name),
        headings=["Metric", *("whole list" if k is None else f"@{k}" for k in columns)],
        rows={
            name: (
                next(iter(found.values())).measure,
                [_format_cell(found.get(k), style) for k in columns],
            )
            for name, found in by_cut.items()
        },
        show_questions=True,
        legend=_LEGENDS[style.uncertainty or "interval"],
        protocol_rows=report.protocol.lines(),
        warnings=report.warnings,
    )


_ALONE = "one value alone is an aggregate over all lists, or of users who allow no"
_LEGENDS = {
    "interval": f"A mean over users with its 95% confidence interval; {_ALONE} interval.",
    "standard error": f"A mean over users with its standard error in parentheses; {_ALONE} error.",
    "none": "Means over users, and values of all lists together.",
}


def _format_cell(result: Result | None, style: TableStyle) -> str:
    if result is None:
        return ""
    return style.mean(result, default="interval")
