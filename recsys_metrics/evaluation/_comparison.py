"""Two reports of the same users, side by side: gain, interval, p-value, conclusion."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from numpy.typing import ArrayLike

from recsys_metrics._core.checks import check_level, check_real
from recsys_metrics._core.plotting import draw_intervals, finish, in_words, plots
from recsys_metrics.evaluation._comparability import Users, prepare_comparison
from recsys_metrics.evaluation._difference import (
    Difference,
    compute_differences,
    correct_p_values,
    difference_columns,
    explain_lower_is_better,
    format_difference,
)
from recsys_metrics.evaluation._grouped import find_grouping
from recsys_metrics.evaluation._grouped_comparison import GroupedComparison, compare_by_group
from recsys_metrics.evaluation._rendering import RenderableTable, View
from recsys_metrics.evaluation._result import ReportData
from recsys_metrics.evaluation._table_style import DEFAULT_STYLE, TableStyle, names_of_measures
from recsys_metrics.measures import Measure, MeasureMapping
from recsys_metrics.measures._measure_mapping import find_measure
from recsys_metrics.measures._text import list_measures
from recsys_metrics.protocol.significance import Conclusion, Interval
from recsys_metrics.protocol.significance._conclusion import LEAST_USERS, explain_disagreement
from recsys_metrics.protocol.significance._intervals import explain_missing_interval
from recsys_metrics.protocol.significance._multiple import Adjustment

ByGroup = Callable[[Any, Sequence[str | Measure] | None, Adjustment], GroupedComparison]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(
    MeasureMapping[Difference],
    RenderableTable,
    entries="differences",
    absent="is not in both reports; both have",
):
    """The gains of one report over another, metric by metric, and a conclusion about one of them.

    Made by `Report.compare`. A mapping: ``comparison["ndcg@10"].interval``.

    Attributes
    ----------
    new, old : str
        Names of the two reports.
    differences : mapping from Measure to Difference
    decided_on : Measure or None
        What the conclusion is about; None if no metric has values of single users.
    conclusion : Conclusion or None
        None if there are fewer than 20 users.
    level : float
        Confidence of the intervals.
    warnings : tuple of str
        How the two evaluations differ, and who was left out.

    Examples
    --------
    >>> from recsys_metrics import evaluate
    >>> truth = [{"A"}, {"B"}, {"C"}, {"A"}] * 10
    >>> old = evaluate([["B"], ["B"], ["A"], ["B"]] * 10, truth, ["hit_rate@1"], name="old")
    >>> new = evaluate([["A"], ["B"], ["C"], ["B"]] * 10, truth, ["hit_rate@1"], name="new")
    >>> compared = new.compare(old, margin=0.1)
    >>> compared["hit_rate@1"].gain
    0.5
    >>> print(compared.conclusion)
    better: difference 0.500, 95% CI 0.316 to 0.662 (n = 40), beyond the margin of 0.1
    """

    new: str
    old: str
    differences: Mapping[Measure, Difference]
    decided_on: Measure | None
    conclusion: Conclusion | None
    level: float
    warnings: tuple[str, ...] = ()
    _by_group: ByGroup | None = field(default=None, repr=False)

    def by(
        self,
        groups: str | ArrayLike | Any,
        *,
        measures: Sequence[str | Measure] | None = None,
        correction: Adjustment = "holm",
    ) -> GroupedComparison:
        """Did some groups of users gain while others lost?

        Parameters
        ----------
        groups : str, (n,) array, mapping or frame
            As in `Report.by`: the name of a grouping that `evaluate` was given for the new
            report, the group of each user, or a table of users and groups.
        measures : sequence of str or Measure, optional
            Which to compare by; by default all that have values of single users. Each more costs
            correction.
        correction : str
            As in `protocol.significance.adjust`, for all groups and metrics together.

        Returns
        -------
        GroupedComparison

        Raises
        ------
        ValueError, TypeError
            If there is no such grouping or metric, or a user has no group.

        Examples
        --------
        >>> from recsys_metrics import evaluate
        >>> truth = [{"A"}] * 60
        >>> old = evaluate([["B"]] * 30 + [["A"]] * 30, truth, ["hit_rate@1"], name="old")
        >>> new = evaluate([["A"]] * 50 + [["B"]] * 10, truth, ["hit_rate@1"], name="new")
        >>> grouped = new.compare(old).by(["light"] * 30 + ["heavy"] * 30)
        >>> round(grouped["hit_rate@1"]["heavy"].gain, 3), grouped["hit_rate@1"]["light"].gain
        (-0.333, 1.0)
        """
        assert self._by_group is not None
        return self._by_group(groups, measures, correction)

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns of `to_frame`, one row per metric."""
        return difference_columns(self.differences.items())

    @plots
    def plot(self, *, axes: Any = None) -> Any:
        """Draw the gains with their intervals."""
        names, found = [*self], [*self.differences.values()]
        gains, ends = [each.gain for each in found], [each.interval for each in found]
        axes = draw_intervals(axes, names, gains, ends, zero=True)
        alt = f"Gains of {self.new} over {self.old}: {in_words(names, gains, ends)}"
        title = alt if self.conclusion is None else self._sentence().removesuffix(".")
        x = f"gain of {self.new} over {self.old}, {100 * self.level:g}% CI"
        return finish(axes, title=title, x=x, alt=alt)

    def _names(self) -> list[str]:
        return [self.new, self.old, *names_of_measures(self.differences)]

    def _view(self, style: TableStyle = DEFAULT_STYLE) -> View:
        new, old = map(style.rename, (self.new, self.old))
        interval, users = f"{100 * self.level:g}% CI", "Users up / down / equal"
        return View(
            title=f"{new} against {old}",
            headings=["Metric", new, old, "Gain", interval, "p (Holm)", users],
            rows={
                style.rename_measure(made): (made, format_difference(gain, style))
                for made, gain in self.differences.items()
            },
            legend="Gains are paired: each user's value minus the same user's value in the other "
            "report. p is that of a randomization test (McNemar's exact test for hits; the paired "
            "t test if more than 1,000 users changed), corrected for all rows by Holm's method. "
            "The confidence intervals are not corrected. The conclusion is about one "
            "metric, which has to be "
            "chosen beforehand." + explain_lower_is_better(self.differences),
            conclusion=self._sentence(style),
            warnings=[*self.warnings, *self._explain_intervals()],
        )

    def _sentence(self, style: TableStyle = DEFAULT_STYLE) -> str:
        """Return what can be concluded, or why nothing can."""
        if self.decided_on is None:
            return ""
        metric = style.rename_measure(self.decided_on)
        if self.conclusion is None:
            n = self._n_users(self.decided_on)
            return f"By {metric}: no conclusion, {n} users are too few (fewer than 20)."
        lower = self.decided_on.metric.better == "lower"
        side = " (lower is better; the difference is the old value minus the new)" if lower else ""
        return f"By {metric}{side}: {self.conclusion}."

    def _n_users(self, made: Measure) -> int:
        difference = self.differences[made]
        return difference.better + difference.worse + difference.equal

    def _explain_intervals(self) -> Iterator[str]:
        """Yield why a metric has no interval, or one that disagrees with its p-value."""
        for made, difference in self.differences.items():
            if made.metric.per_user and difference.interval is None:
                why = explain_missing_interval(self._n_users(made), gain=True)
                yield f"No confidence interval for {made.label}: {why}."
            elif difference.interval is not None:
                why = explain_disagreement(difference.interval, difference.p_value)
                if why:
                    yield f"{made.label}: {why}."


def compare(
    new: ReportData,
    old: ReportData,
    *,
    level: float,
    margin: float | None,
    decide_on: str | Measure | None,
    users: Users = "same",
) -> Comparison:
    """Return the gains of one report over another of the same users."""
    if not isinstance(old, type(new)):
        raise TypeError(f"compare takes another report, as evaluate returns it; got {old!r:.60}")
    level = check_level(level)
    (new, old), warnings = prepare_comparison([new, old], users)
    shared = find_shared_measures([new, old])

    def by_group(
        groups: Any, measures: Sequence[str | Measure] | None, correction: Adjustment
    ) -> GroupedComparison:
        chosen = [measure for measure in shared if measure.metric.per_user]
        if measures is not None:
            chosen = find_among(measures, chosen)
        grouping, labels = find_grouping(new.groups, groups)
        return compare_by_group(
            (new, old), grouping, labels, chosen, level=level, correction=correction
        )

    return build_comparison(
        (new.name, old.name),
        correct_p_values(compute_differences(new, old, shared, level), "holm"),
        level=level,
        margin=margin,
        decide_on=decide_on,
        warnings=warnings,
        by_group=by_group,
    )


def build_comparison(
    names: tuple[str, str],
    differences: Mapping[Measure, Difference],
    *,
    level: float,
    margin: float | None,
    decide_on: str | Measure | None,
    warnings: Sequence[str],
    by_group: ByGroup,
) -> Comparison:
    """Return a comparison with the conclusion that its differences allow."""
    if margin is not None:
        margin = check_real("margin", margin)
    decided_on = _choose_decisive(differences, decide_on)
    conclusion = None
    if decided_on is not None:
        decisive = differences[decided_on]
        interval = _improvement_interval(decisive)
        if interval.n >= LEAST_USERS:
            conclusion = Conclusion.of(interval, margin=margin, p_value=decisive.p_value)
    new, old = names
    return Comparison(
        new, old, differences, decided_on, conclusion, level, tuple(warnings), by_group
    )


def find_shared_measures(reports: Sequence[Any]) -> list[Measure]:
    """Return the measures that all reports have, in the order of the first."""
    first, *others = reports
    shared = [each for each in first.results if all(each in other.results for other in others)]
    if not shared:
        listed = " against ".join(", ".join(map(str, each.results)) for each in reports)
        raise ValueError(f"the reports share no metric: {listed}")
    return shared


def find_among(asked: Sequence[str | Measure], shared: Sequence[Measure]) -> list[Measure]:
    """Return the metrics that were named, of those that the reports share."""
    wanted = [find_measure(each, shared) for each in list_measures(asked)]
    absent = [str(each) for each in wanted if each not in shared]
    if absent or not wanted:
        what = f"not all reports have {', '.join(absent)}" if absent else "measures is empty"
        raise ValueError(f"{what}; the reports share {', '.join(map(str, shared))}")
    return wanted


def _choose_decisive(
    differences: Mapping[Measure, Difference], asked: str | Measure | None
) -> Measure | None:
    """Return the measure that the conclusion is about."""
    if asked is not None:
        wanted = find_measure(asked, differences)
        if wanted not in differences:
            raise ValueError(
                f"{wanted} is not in both reports; there are {', '.join(map(str, differences))}"
            )
        if wanted.metric.better is None:
            raise ValueError(f"neither side of {wanted} is better by itself; decide on another")
        if differences[wanted].interval is None:
            raise ValueError(f"{wanted} has no confidence interval of its gain; decide on another")
        return wanted
    can = [m for m, d in differences.items() if d.interval is not None and m.metric.better]
    return next((m for m in can if m.metric.family == "accuracy"), next(iter(can), None))


def _improvement_interval(difference: Difference) -> Interval:
    """Return the interval of the gain, with the other sign where less is better."""
    interval = difference.interval
    assert interval is not None
    if difference.measure.metric.better == "lower":
        return replace(
            interval, estimate=-interval.estimate, low=-interval.high, high=-interval.low
        )
    return interval
