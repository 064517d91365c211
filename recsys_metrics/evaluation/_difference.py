"""The paired difference of two reports by one metric: gain, interval, p-value and users."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from recsys_metrics.evaluation._aggregate import PairedAggregates, interval_and_p_of_gain
from recsys_metrics.evaluation._result import ReportData
from recsys_metrics.evaluation._table_style import TableStyle
from recsys_metrics.measures import Measure
from recsys_metrics.protocol.significance import Interval, adjust
from recsys_metrics.protocol.significance._multiple import Adjustment

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True)
class Difference:
    """The difference of one metric between two reports.

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
        differences[each] = difference_of_pairs(each, paired[each], level=level)
    return differences


def difference_of_pairs(measure: Measure, pairs: PairedAggregates, *, level: float) -> Difference:
    """Return the difference of paired values of users, with an uncorrected p-value."""
    interval, p_value = interval_and_p_of_gain(measure, pairs, level=level)
    return Difference(
        measure,
        pairs.new,
        pairs.old,
        pairs.gain.mean,
        interval,
        p_value,
        better=pairs.better,
        worse=pairs.worse,
        equal=pairs.gain.n - pairs.better - pairs.worse,
    )


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


def difference_columns(differences: Iterable[tuple[Measure, Difference]]) -> dict[str, list[Any]]:
    """Return the columns of a data frame with a row for each difference."""
    found = [*differences]
    ends = [(np.nan, np.nan) if d.interval is None else tuple(d.interval) for _, d in found]
    return {
        "measure": [measure.label for measure, _ in found],
        "new": [d.new for _, d in found],
        "old": [d.old for _, d in found],
        "gain": [d.gain for _, d in found],
        "low": [low for low, _ in ends],
        "high": [high for _, high in ends],
        "p_value": [d.p_value for _, d in found],
        "p_adjusted": [d.p_adjusted for _, d in found],
        "better": [d.better for _, d in found],
        "worse": [d.worse for _, d in found],
        "equal": [d.equal for _, d in found],
    }


def explain_lower_is_better(measures: Iterable[Measure]) -> str:
    """Return what the sign of a gain means for those metrics of which lower is better."""
    lower = [measure.label for measure in measures if measure.metric.better == "lower"]
    if not lower:
        return ""
    return f" Lower is better for {', '.join(lower)}, so a negative gain is an improvement."


def format_difference(difference: Difference, style: TableStyle) -> list[str]:
    """Return the cells of a difference: both values, gain, interval, p-value, users."""
    interval = difference.interval
    counts = (difference.better, difference.worse, difference.equal)
    return [
        style.number(difference.new),
        style.number(difference.old),
        style.number(difference.gain, signed=True),
        style.interval(interval),
        "" if np.isnan(difference.p_adjusted) else format_p_value(difference.p_adjusted),
        " / ".join(f"{n:,}" for n in counts) if any(counts) else "",
    ]


def format_p_value(value: float, name: str = "") -> str:
    """Return a p-value with three decimals, by a name if it has one."""
    if value < 0.001:
        return f"{name} < 0.001".strip()
    return f"{name} = {value:.3f}" if name else f"{value:.3f}"
