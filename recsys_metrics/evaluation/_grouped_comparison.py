"""Two reports of the same users, compared within groups of these users."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from recsys_metrics._core.plotting import draw_intervals, finish, in_words, plots
from recsys_metrics.evaluation._difference import (
    Difference,
    correct_p_values,
    difference_columns,
    difference_of_pairs,
    explain_lower_is_better,
    format_difference,
)
from recsys_metrics.evaluation._rendering import RenderableTable, View
from recsys_metrics.evaluation._result import ReportData
from recsys_metrics.evaluation._table_style import DEFAULT_STYLE, TableStyle, names_of_measures
from recsys_metrics.measures import Measure, MeasureMapping
from recsys_metrics.measures._measure_mapping import find_measure
from recsys_metrics.protocol.significance._multiple import Adjustment

ByGroup = Mapping[Hashable, Difference]


@dataclass(frozen=True, eq=False, repr=False)
class GroupedComparison(
    MeasureMapping[ByGroup],
    RenderableTable,
    entries="differences",
    absent="was not compared by group; there are",
):
    """The gains of one report over another within each group of users, metric by metric.

    Made by `Comparison.by`. A mapping: ``grouped["ndcg@10"]["light"].gain``.

    Attributes
    ----------
    new, old : str
        Names of the two reports.
    grouping : str
        What the groups are.
    sizes : mapping
        How many users each group has.
    differences : mapping from Measure to mapping of group to Difference
    correction : str
        How the p-values were corrected, as in `protocol.significance.adjust`, for all groups and
        metrics together.
    level : float
        Confidence of the intervals; corrected p-values are compared with 1 minus it.

    Examples
    --------
    >>> from recsys_metrics import evaluate
    >>> truth = [{"A"}] * 60
    >>> old = evaluate([["B"]] * 30 + [["A"]] * 30, truth, ["hit_rate@1"], name="old")
    >>> new = evaluate([["A"]] * 50 + [["B"]] * 10, truth, ["hit_rate@1"], name="new")
    >>> grouped = new.compare(old).by(["light"] * 30 + ["heavy"] * 30)
    >>> grouped.better("hit_rate@1"), grouped.worse("hit_rate@1")
    (['light'], ['heavy'])
    """

    new: str
    old: str
    grouping: str
    sizes: Mapping[Hashable, int]
    differences: Mapping[Measure, ByGroup]
    correction: str
    level: float

    def better(self, measure: str | Measure) -> list[Hashable]:
        """Return the groups in which the new report is better, after the correction."""
        return self._groups_with_sign(measure, 1)

    def worse(self, measure: str | Measure) -> list[Hashable]:
        """Return the groups in which the new report is worse, after the correction."""
        return self._groups_with_sign(measure, -1)

    def _groups_with_sign(self, measure: str | Measure, sign: int) -> list[Hashable]:
        wanted = find_measure(measure, self.differences)
        direction = {"higher": 1, "lower": -1, None: 0}[wanted.metric.better]
        return [
            group
            for group, found in self[wanted].items()
            if found.p_adjusted <= 1 - self.level and direction * np.sign(found.gain) == sign
        ]

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns of `to_frame`, one row per metric and group."""
        rows = [
            (measure, group, found)
            for measure, groups in self.differences.items()
            for group, found in groups.items()
        ]
        columns = difference_columns((measure, found) for measure, _, found in rows)
        return {
            "measure": columns.pop("measure"),
            "group": [group for _, group, _ in rows],
            "users": [self.sizes[group] for _, group, _ in rows],
            **columns,
        }

    @plots
    def plot(self, measure: str | Measure | None = None, *, axes: Any = None) -> Any:
        """Draw the gain within each group, with its interval.

        Parameters
        ----------
        measure : str or Measure, optional
            By default the first.
        """
        wanted = self._find_or_first(measure)
        found = self[wanted]
        names = [f"{group} ({self.sizes[group]:,})" for group in found]
        gains, ends = [d.gain for d in found.values()], [d.interval for d in found.values()]
        axes = draw_intervals(axes, names, gains, ends, zero=True)
        x = f"{wanted.label}: {self.new} minus {self.old}, {100 * self.level:g}% CI"
        alt = f"{wanted.label} of {self.new} minus {self.old}: {in_words(names, gains, ends)}"
        return finish(axes, title=self._sentence(wanted), x=x, alt=alt)

    def _names(self) -> list[str]:
        return [self.new, self.old, *names_of_measures(self.differences)]

    def _view(self, style: TableStyle = DEFAULT_STYLE) -> View:
        new, old = map(style.rename, (self.new, self.old))
        interval = f"{100 * self.level:g}% CI"
        headings = [f"Metric, {self.grouping}", "Users", new, old, "Gain", interval]
        return View(
            title=f"{new} against {old} by {self.grouping}",
            headings=[*headings, f"p ({self.correction})", "Users up / down / equal"],
            rows={
                f"{style.rename_measure(measure)}, {group}": (
                    measure,
                    [f"{self.sizes[group]:,}", *format_difference(found, style)],
                )
                for measure, groups in self.differences.items()
                for group, found in groups.items()
            },
            legend="Gains are paired by user within each group. p is that of a randomization test, "
            f"corrected ({self.correction}) for all rows of this table; the intervals are not "
            "corrected. A group in which a difference is detected and another in which none is do "
            "not show by themselves that the groups differ."
            + explain_lower_is_better(self.differences),
            conclusion=" ".join(
                self._sentence(measure)
                for measure in self.differences
                if measure.metric.better is not None
            ),
        )

    def _sentence(self, measure: Measure) -> str:
        """Return in which groups a difference is detected."""
        sides = [
            f"{word} in {', '.join(map(str, groups))}"
            for word, groups in (("better", self.better(measure)), ("worse", self.worse(measure)))
            if groups
        ]
        found = " and ".join(sides) or f"no difference detected in any of {len(self.sizes)} groups"
        return (
            f"By {measure.label}, {self.new} is {found}."
            if sides
            else f"By {measure.label}, {found}."
        )


def compare_by_group(
    reports: tuple[ReportData, ReportData],
    grouping: str,
    groups: Any,
    measures: Sequence[Measure],
    *,
    level: float,
    correction: Adjustment,
) -> GroupedComparison:
    """Return the gains of one report over another within each group of users."""
    if not measures:
        raise ValueError("every metric is an aggregate over all lists, so none has values by group")
    new, old = (report.user_values.in_memory for report in reports)
    sizes, paired = new.paired_by_group(old, groups, measures)
    raw = {
        (measure, group): difference_of_pairs(measure, pairs, level=level)
        for measure, by_group in paired.items()
        for group, pairs in by_group.items()
    }
    corrected = correct_p_values(raw, correction)
    return GroupedComparison(
        new=reports[0].name,
        old=reports[1].name,
        grouping=grouping,
        sizes=sizes,
        differences={
            measure: {group: corrected[measure, group] for group in by_group}
            for measure, by_group in paired.items()
        },
        correction=correction,
        level=level,
    )
