"""One value per group, with the gap and the ratio between the extremes."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core import confidence_intervals
from recsys_metrics._core.arithmetic import divide, rounding_of
from recsys_metrics._core.confidence_intervals import Bounds, Ends, normal_quantile
from recsys_metrics._core.console import one_line
from recsys_metrics._core.inputs.arrays import FloatArray, IntArray, as_labels
from recsys_metrics._core.inputs.columns import number_labels
from recsys_metrics._core.inputs.ids import refuse_names_alike

NOWHERE: Bounds = (float("nan"), float("nan"))


@dataclass(frozen=True, eq=False, repr=False)
class GroupReport:
    """A value for each group, the gap and the ratio between the extremes.

    Attributes
    ----------
    name : str
        What was measured.
    per_group : dict
        Group to value; NaN where it is not defined.
    count : dict
        Group to how many cases the value rests on.
    intervals : dict
        Group to (low, high).
    gap : float
        Highest minus lowest value; 0 is parity. NaN with fewer than two defined groups.
    gap_interval : (float, float)
        With more than two groups it is too narrow, for the extremes were chosen on the data.
    ratio : float
        Lowest over highest value; 1 is parity. Below 0.8 it breaks the "four-fifths
        rule" of hiring in the United States. NaN where the highest is 0, or one is negative.
    ratio_interval : (float, float)
        As for the gap.
    highest, lowest : hashable or None
        The two groups.
    undefined : tuple
        Groups without a value.
    level : float
        Confidence of the intervals.

    Examples
    --------
    >>> from recsys_metrics.bias.fairness import demographic_parity
    >>> demographic_parity([1, 1, 0, 0, 1, 0, 0, 0], ["a"] * 4 + ["b"] * 4)
    selection rate by group (95% confidence intervals)
      a: 0.5 [0.06759, 0.9324], 4 cases
      b: 0.25 [0.006309, 0.8059], 4 cases
      gap 0.25 [-0.4543, 0.7464], ratio 0.5
    """

    name: str
    per_group: dict[Hashable, float]
    count: dict[Hashable, int]
    intervals: dict[Hashable, Bounds]
    gap: float
    gap_interval: Bounds
    ratio: float
    ratio_interval: Bounds
    highest: Hashable | None
    lowest: Hashable | None
    undefined: tuple[Hashable, ...]
    level: float

    @property
    def relative_deviation(self) -> float:
        """Standard deviation of the groups' values over their mean, 0 at parity.

        The number that RSP and REO are. Groups without a value are left out; NaN with fewer than
        two, or if the mean is 0. The standard deviation is that of a population, as these are all
        groups.
        """
        values = self._defined
        if len(values) < 2 or values.mean() == 0:
            return float("nan")
        return float(values.std() / values.mean())

    @property
    def mean_difference(self) -> float:
        """Mean absolute difference (MAD) over all pairs of groups, 0 at parity.

        Groups without a value are left out; NaN with fewer than two.
        """
        values = self._defined
        if len(values) < 2:
            return float("nan")
        one, other = np.triu_indices(len(values), k=1)
        return float(np.abs(values[one] - values[other]).mean())

    @property
    def _defined(self) -> FloatArray:
        values = np.array(list(self.per_group.values()), dtype=np.float64)
        return values[np.isfinite(values)]

    def __repr__(self) -> str:
        known = any(map(_format_interval, self.intervals.values()))
        lines = [f"{self.name} by group" + f" ({self.level:.0%} confidence intervals)" * known]
        for group, value in self.per_group.items():
            name = one_line(str(group))
            if group in self.undefined:
                lines.append(f"  {name}: not defined, {self.count[group]:,} cases")
                continue
            within = _format_interval(self.intervals[group])
            lines.append(f"  {name}: {value:.4g}{within}, {self.count[group]:,} cases")
        lines.append(
            f"  gap {self.gap:.4g}{_format_interval(self.gap_interval)}, ratio {self.ratio:.4g}"
        )
        return "\n".join(lines)


def _format_interval(interval: Bounds) -> str:
    """Return an interval in brackets; of one that cannot be computed, nothing."""
    low, high = interval
    return f" [{low:.4g}, {high:.4g}]" if low == low and high == high else ""


def number_groups(groups: ArrayLike, n: int, of: str) -> tuple[NDArray[np.object_], IntArray]:
    """Return the groups, ascending, and the number of each entry's group."""
    given = as_labels(groups, "groups", fill="'unknown'")
    if given.ndim != 1 or len(given) != n:
        raise ValueError(
            f"groups must name one group for each of {n} {of}; got shape {given.shape}"
        )
    words = "; give those of unknown group a name of their own, or leave them out"
    names, number = number_labels("groups", groups, f", which is no group{words}")
    plain = np.empty(len(names), dtype=object)
    plain[:] = names.tolist()
    refuse_names_alike(plain, "groups has the labels")
    return plain, number


def rate_report(
    name: str, names: NDArray[np.object_], hits: IntArray, cases: IntArray, level: float
) -> GroupReport:
    """Return the report of rates: Clopper and Pearson's, Newcombe's and Katz's intervals."""
    rates = divide(hits, cases)
    ends = confidence_intervals.of_proportion(hits, cases, level)
    ratio_interval = NOWHERE
    pair = extremes(rates)
    if pair and hits[pair.bottom] > 0:
        # Of the logarithm of a rate.
        log_variance = 1 / hits[[*pair]] - 1 / cases[[*pair]]
        error = normal_quantile(level) * np.sqrt(log_variance.sum())
        ratio_interval = pair.ratio_interval(rates, error)
    return build_report(
        name, names, rates, cases, ends, gap_interval_from_ends(rates, ends), ratio_interval, level
    )


class Extremes(NamedTuple):
    """The places of the groups with the highest and the lowest value."""

    top: int
    bottom: int

    def ratio_interval(self, values: FloatArray, log_error: float) -> Bounds:
        """Return the interval of the lowest over the highest, from its logarithm's."""
        ratio = values[self.bottom] / values[self.top]
        return float(ratio * np.exp(-log_error)), float(ratio * np.exp(log_error))


def extremes(values: FloatArray) -> Extremes | None:
    """Return the places of the highest and the lowest value, if two are defined.

    Of equal values the first counts. Sums of the same numbers in another order differ in their
    last digits, so values are equal that differ by no more than that.
    """
    if np.isfinite(values).sum() < 2:
        return None
    top, bottom = (
        int(np.flatnonzero(np.isclose(values, extreme, rtol=1e-9, atol=rounding_of(values)))[0])
        for extreme in (np.nanmax(values), np.nanmin(values))
    )
    if top == bottom:
        # All alike: any other defined group is as low.
        bottom = int(np.flatnonzero(np.isfinite(values))[-1])
    return Extremes(top, bottom)


def gap_interval_from_ends(values: FloatArray, ends: Ends) -> Bounds:
    """Return the interval of the gap between the extremes, from the groups' own intervals."""
    pair = extremes(values)
    if pair is None:
        return NOWHERE
    one, other = ((ends[0][at], ends[1][at]) for at in pair)
    low, high = confidence_intervals.of_difference(
        values[pair.top], one, values[pair.bottom], other
    )
    return float(low), float(high)


def build_report(
    name: str,
    names: NDArray[np.object_],
    values: FloatArray,
    cases: IntArray,
    ends: Ends,
    gap_interval: Bounds,
    ratio_interval: Bounds,
    level: float,
) -> GroupReport:
    """Return the report of values whose intervals are known."""
    pair = extremes(values)
    gap = ratio = float("nan")
    if pair:
        high, low = values[[*pair]].tolist()
        gap = high - low
        if high > 0 and low >= 0:
            ratio = low / high
    return GroupReport(
        name=name,
        per_group=dict(zip(names, values.tolist(), strict=True)),
        count=dict(zip(names, [int(case) for case in cases], strict=True)),
        intervals=dict(zip(names, zip(*(end.tolist() for end in ends), strict=True), strict=True)),
        gap=gap,
        gap_interval=gap_interval,
        ratio=ratio,
        ratio_interval=ratio_interval,
        highest=names[pair.top] if pair else None,
        lowest=names[pair.bottom] if pair else None,
        undefined=tuple(names[~np.isfinite(values)]),
        level=level,
    )
