"""A report by groups of users."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from recsys_metrics._core.checks import check_level
from recsys_metrics._core.plotting import draw_intervals, finish, in_words, plots
from recsys_metrics.bias.fairness import GroupReport
from recsys_metrics.bias.fairness._by_group import report_of_means
from recsys_metrics.evaluation._aggregate import Aggregate
from recsys_metrics.evaluation._rendering import RenderableTable, View
from recsys_metrics.evaluation._table_style import DEFAULT_STYLE, TableStyle, names_of_measures
from recsys_metrics.measures import Measure, MeasureMapping
from recsys_metrics.protocol.significance._intervals import explain_missing_interval


@dataclass(frozen=True, eq=False, repr=False)
class GroupedReport(
    MeasureMapping[GroupReport],
    RenderableTable,
    entries="reports",
    absent="has no values by group; there are",
):
    """Each metric's mean for every group, with confidence intervals, the gap and the ratio.

    Made by `Report.by`. A mapping: ``grouped["ndcg@10"].gap``.

    Attributes
    ----------
    grouping : str
        What the groups are.
    sizes : mapping
        How many users each group has.
    reports : mapping from Measure to GroupReport
    of_rows : bool
        Whether a value is over the rows of a group, as of predictions, and no mean over users.

    Examples
    --------
    >>> from recsys_metrics import evaluate
    >>> report = evaluate([["A"], ["B"], ["A"]], [{"A"}, {"A"}, {"A"}], ["hit_rate@1"])
    >>> by_age = report.by(["old", "young", "old"])
    >>> by_age["hit_rate@1"].per_group
    {'old': 1.0, 'young': 0.0}
    """

    grouping: str
    sizes: Mapping[Hashable, int]
    reports: Mapping[Measure, GroupReport]
    of_rows: bool = False

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns of `to_frame`, one row per metric and group."""
        rows = [
            (measure.label, name, size, found.per_group[name], *found.intervals[name])
            for measure, found in self.reports.items()
            for name, size in self.sizes.items()
        ]
        names = ("measure", "group", "users", "value", "low", "high")
        return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))

    @plots
    def plot(self, measure: str | Measure | None = None, *, axes: Any = None) -> Any:
        """Draw the value of each group, with its interval.

        Parameters
        ----------
        measure : str or Measure, optional
            By default the first.
        """
        wanted = self._find_or_first(measure)
        found = self[wanted]
        names = [f"{name} ({size:,})" for name, size in self.sizes.items()]
        values = [found.per_group[name] for name in self.sizes]
        ends = [_interval_to_draw(*found.intervals[name]) for name in self.sizes]
        axes = draw_intervals(axes, names, values, ends)
        gap = DEFAULT_STYLE.with_interval(found.gap, found.gap_interval)
        return finish(
            axes,
            title=f"{wanted.label}: the gap is {gap}",
            x=f"{wanted.label}, {100 * found.level:g}% CI",
            alt=f"{wanted.label} by {self.grouping}: {in_words(names, values, ends)}",
        )

    def _names(self) -> list[str]:
        return names_of_measures(self.reports)

    def _view(self, style: TableStyle = DEFAULT_STYLE) -> View:
        sized = [f"{name} ({size:,})" for name, size in self.sizes.items()]
        level = next(iter(self.reports.values())).level
        whose = "Values over the rows" if self.of_rows else "Means over the users"
        return View(
            title=f"By {self.grouping}",
            headings=["Metric", *sized, "Gap"],
            rows={
                style.rename_measure(made): (made, self._cells(found, style))
                for made, found in self.reports.items()
            },
            legend=f"{whose} of each group with {100 * level:g}% confidence intervals; the gap is "
            "the highest minus the lowest.",
            warnings=[
                f"No confidence interval for {text}." for text in _explain_missing_intervals(self)
            ],
        )

    def _cells(self, found: GroupReport, style: TableStyle) -> list[str]:
        values = [(found.per_group[name], found.intervals[name]) for name in self.sizes]
        return [style.with_interval(*value) for value in [*values, (found.gap, found.gap_interval)]]


def _interval_to_draw(low: float, high: float) -> tuple[float, float] | None:
    return (low, high) if low <= high else None


def find_grouping(groupings: Mapping[str, Any], groups: Any) -> tuple[str, Any]:
    """Return the name of a grouping and its groups, which a name stands for."""
    if not isinstance(groups, str):
        return "group", groups
    if groups not in groupings:
        there = ", ".join(map(repr, groupings)) or "none"
        raise ValueError(
            f"there is no grouping {groups!r}; evaluate was given {there}. Pass the group "
            "of each user instead"
        )
    return groups, groupings[groups]


def group_report(
    grouping: str,
    sizes: Mapping[Hashable, int],
    aggregates: Mapping[Measure, Mapping[Hashable, Aggregate]],
    *,
    level: float,
) -> GroupedReport:
    """Return the report of what each group's values come to."""
    if not aggregates:
        raise ValueError("every metric is an aggregate over all lists, so none has values by group")
    level = check_level(level)
    names = np.empty(len(sizes), dtype=object)
    names[:] = list(sizes)
    reports = {}
    for measure, of_group in aggregates.items():
        each = [of_group[name] for name in sizes]
        count = np.array([aggregate.n for aggregate in each])
        deviation = np.array([aggregate.standard_deviation for aggregate in each])
        means = np.array([aggregate.mean for aggregate in each])
        reports[measure] = report_of_means(
            names, means, count, deviation, level, bounds=measure.metric.bounds
        )
    return GroupedReport(grouping, sizes, reports)


def _explain_missing_intervals(grouped: GroupedReport) -> list[str]:
    without: dict[str, list[str]] = {}
    for made, found in grouped.reports.items():
        for name, (low, high) in found.intervals.items():
            if name not in found.undefined and not low <= high:
                why = f"in group {name}: {explain_missing_interval(found.count[name])}"
                without.setdefault(why, []).append(made.label)
    return [f"{', '.join(measures)} {why}" for why, measures in without.items()]
