"""Two reports of the same users, side by side: gain, interval, p-value, conclusion."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from recsys_metrics._core.plotting import draw_intervals, finish, in_words, plots
from recsys_metrics.evaluation._aggregate import interval_and_p_of_gain
from recsys_metrics.evaluation._comparability import Users, prepare_comparison
from recsys_metrics.evaluation._rendering import Renderable, View, format_number
from recsys_metrics.evaluation._result import ReportData
from recsys_metrics.measures import Measure, MeasureMapping
from recsys_metrics.measures._measure_mapping import find_measure
from recsys_metrics.protocol.significance import Conclusion, Interval, adjust
from recsys_metrics.protocol.significance._conclusion import LEAST_USERS, explain_disagreement
from recsys_metrics.protocol.significance._intervals import explain_missing_interval
from recsys_metrics.protocol.significance._multiple import Adjustment

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True)
class Difference:
    """What one measure gained.

    Attributes
    ----------
    measure : Measure
    new, old : float
        The two values, over the users who have both.
    gain : float
        New less old, whichever side is better.
    interval : Interval or None
        Of the gain, paired by user (`protocol.significance.gain_interval`); None for a measure
        of all lists together, and where the users' gains allow none.
    p_value : float
        Of the randomization test, which for hits is McNemar's: exact for up to 40 changed users,
        from 9,999 random signs for up to 1,000, and of the paired t test for more.
    p_adjusted : float
        The p-value corrected for all measures of the comparison, by Holm's method; on a
        `Leaderboard` for all its pairs and measures, by the board's.
    better, worse, equal : int
        How many users have a higher, a lower and an equal value.

    Examples
    --------
    >>> from recsys_metrics import evaluate
    >>> old = evaluate([["A"], ["A"]], [{"A"}, {"B"}], ["hit_rate@1"])
    >>> new = evaluate([["A"], ["B"]], [{"A"}, {"B"}], ["hit_rate@1"])
    >>> found = new.compare(old)["hit_rate@1"]
    >>> found.gain, found.better, found.worse, found.equal
    (0.5, 1, 0, 1)
    """

    measure: Measure
    new: float
    old: float
    gain: float
    interval: Interval | None = None
    p_value: float = np.nan
    p_adjusted: float = np.nan
    better: int = 0
    worse: int = 0
    equal: int = 0


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(
    MeasureMapping[Difference],
    Renderable,
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

    @plots
    def plot(self, *, axes: Any = None) -> Any:
        """Draw the gains with their intervals."""
        names, found = [*map(str, self.differences)], [*self.differences.values()]
        gains, ends = [each.gain for each in found], [each.interval for each in found]
        axes = draw_intervals(axes, names, gains, ends, zero=True)
        alt = f"Gains of {self.new} over {self.old}: {in_words(names, gains, ends)}"
        title = alt if self.conclusion is None else f"By {self.decided_on}: {self.conclusion}"
        x = f"gain of {self.new} over {self.old}, {100 * self.level:g}% CI"
        return finish(axes, title=title, x=x, alt=alt)

    def _view(self) -> View:
        interval, users = f"{100 * self.level:g}% CI", "Users up / down / equal"
        return View(
            title=f"{self.new} against {self.old}",
            headings=["Measure", self.new, self.old, "Gain", interval, "p (Holm)", users],
            rows={
                str(made): (made, _format_cells(gain)) for made, gain in self.differences.items()
            },
            legend="Gains are paired: each user's value minus the same user's value in the other "
            "report. p is that of a randomization test (McNemar's exact test for hits; the paired "
            "t test if more than 1,000 users changed), corrected for all rows by Holm's method. "
            "The intervals are not corrected. The conclusion is about one metric, which has to be "
            "chosen beforehand.",
            conclusion=self._sentence(),
            warnings=[*self.warnings, *self._explain_intervals()],
        )

    def _sentence(self) -> str:
        """Return what can be concluded, or why nothing can."""
        if self.decided_on is None:
            return ""
        if self.conclusion is None:
            n = self._n_users(self.decided_on)
            return f"By {self.decided_on}: no conclusion, {n} users are too few (fewer than 20)."
        return f"By {self.decided_on}: {self.conclusion}."

    def _n_users(self, made: Measure) -> int:
        difference = self.differences[made]
        return difference.better + difference.worse + difference.equal

    def _explain_intervals(self) -> Iterator[str]:
        """Yield why a metric has no interval, or one that disagrees with its p-value."""
        for made, difference in self.differences.items():
            if made.metric.per_user and difference.interval is None:
                why = explain_missing_interval(self._n_users(made), gain=True)
                yield f"No interval for {made}: {why}."
            elif difference.interval is not None:
                why = explain_disagreement(difference.interval, difference.p_value)
                if why:
                    yield f"{made}: {why}."


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
    (new, old), warnings = prepare_comparison([new, old], users)
    differences = correct_p_values(
        compute_differences(new, old, find_shared_measures([new, old]), level), "holm"
    )
    decided_on = _choose_decisive(differences, decide_on)
    conclusion = None
    if decided_on is not None:
        decisive = differences[decided_on]
        interval = _improvement_interval(decisive)
        if interval.n >= LEAST_USERS:
            conclusion = Conclusion.of(interval, margin=margin, p_value=decisive.p_value)
    return Comparison(
        new.name, old.name, differences, decided_on, conclusion, level, tuple(warnings)
    )


def find_shared_measures(reports: Sequence[ReportData]) -> list[Measure]:
    """Return the measures that all reports have, in the order of the first."""
    first, *others = reports
    shared = [each for each in first.results if all(each in other.results for other in others)]
    if not shared:
        listed = " against ".join(", ".join(map(str, each.results)) for each in reports)
        raise ValueError(f"the reports share no measure: {listed}")
    return shared


def compute_differences(
    new: ReportData, old: ReportData, measures: Sequence[Measure], level: float
) -> dict[Measure, Difference]:
    """Return what each measure gained, with p-values that know of no other."""
    of_users = [measure for measure in measures if measure.metric.per_user]
    paired = new.user_values.paired(old.user_values, of_users)
    differences = {}
    for each in measures:
        if each not in paired:
            values = new.results[each].value, old.results[each].value
            differences[each] = Difference(each, *values, values[0] - values[1])
            continue
        pairs = paired[each]
        interval, p_value = interval_and_p_of_gain(each, pairs, level=level)
        differences[each] = Difference(
            each,
            pairs.new,
            pairs.old,
            pairs.gain.mean,
            interval,
            p_value,
            better=pairs.better,
            worse=pairs.worse,
            equal=pairs.gain.n - pairs.better - pairs.worse,
        )
    return differences


def correct_p_values(
    differences: Mapping[K, Difference], correction: Adjustment
) -> dict[K, Difference]:
    """Return differences with their p-values corrected for all of them."""
    tested = {key: each for key, each in differences.items() if not np.isnan(each.p_value)}
    adjusted = adjust([each.p_value for each in tested.values()], method=correction)
    by_key = dict(zip(tested, adjusted.tolist(), strict=True))
    return {
        key: replace(each, p_adjusted=by_key.get(key, np.nan)) for key, each in differences.items()
    }


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
            raise ValueError(f"{wanted} has no interval of its gain; decide on another")
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


def _format_cells(difference: Difference) -> list[str]:
    interval = difference.interval
    counts = (difference.better, difference.worse, difference.equal)
    return [
        format_number(difference.new),
        format_number(difference.old),
        format_number(difference.gain, signed=True),
        ""
        if interval is None
        else f"[{format_number(interval.low)}, {format_number(interval.high)}]",
        "" if np.isnan(difference.p_adjusted) else format_p_value(difference.p_adjusted),
        " / ".join(f"{n:,}" for n in counts) if any(counts) else "",
    ]


def format_p_value(value: float, name: str = "") -> str:
    """Return a p-value with three decimals, by a name if it has one."""
    if value < 0.001:
        return f"{name} < 0.001".strip()
    return f"{name} = {value:.3f}" if name else f"{value:.3f}"
