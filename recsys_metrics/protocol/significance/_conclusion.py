"""Conclude from a difference and its confidence interval: better, worse, or none detected."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from recsys_metrics._core.checks import check_real
from recsys_metrics.protocol.significance._results import Interval, Significance

Outcome = Literal["better", "worse", "no difference detected"]

LEAST_USERS = 20
"""With fewer users there is an estimate and an interval, but no conclusion."""


@dataclass(frozen=True)
class Conclusion:
    """What a difference shows: better, worse, or no difference detected; its text says why.

    Made by `Conclusion.of`. To decide whether to ship after a live experiment, see
    `protocol.online.Experiment.decide`.

    Attributes
    ----------
    outcome : {"better", "worse", "no difference detected"}
        "better" and "worse" only if the interval excludes 0 and the p-value, where there is one, is
        below 1 less the level.
    interval : Interval
        Of the difference, the new recommender's value minus the old one's.
    margin : float or None
        The smallest difference that matters.
    p_value : float
        Of "there is no difference"; NaN where no test was made.

    Examples
    --------
    >>> from recsys_metrics.protocol.significance import Conclusion, Interval
    >>> found = Conclusion.of(Interval(0.007, 0.002, 0.012, level=0.95, n=400), margin=0.005)
    >>> found.outcome, found.exceeds_margin
    ('better', False)
    >>> print(found)
    better: difference 0.007, 95% CI 0.002 to 0.012 (n = 400), but a difference below the margin of
    0.005 is compatible with the data
    """

    outcome: Outcome
    interval: Interval
    margin: float | None = None
    p_value: float = math.nan

    @classmethod
    def of(
        cls,
        evidence: Interval | Significance,
        *,
        margin: float | None = None,
        p_value: float = math.nan,
    ) -> Conclusion:
        """Conclude from an interval of a difference, or from a test that has one.

        Parameters
        ----------
        evidence : Interval or Significance
            Of the difference; where less is better, of the old value minus the new one.
        margin : float, optional
            The smallest difference that matters, above 0, in the unit of the metric. Choose it
            before you look.
        p_value : float
            Of a test of the same values, if `evidence` is an interval.

        Returns
        -------
        Conclusion

        Raises
        ------
        TypeError, ValueError
            If a test has no interval, an end is NaN, the interval has no width, there are fewer
            than 20 cases, or the margin is not above 0.

        Examples
        --------
        >>> from recsys_metrics.protocol.significance import Conclusion, gain_interval
        >>> old, new = [0.2, 0.4, 0.1] * 20, [0.3, 0.3, 0.2] * 20
        >>> print(Conclusion.of(gain_interval(old, new, bounds=(0, 1))))
        better: difference 0.033, 95% CI 0.009 to 0.058 (n = 60); no margin was given, so this does
        not say whether the difference matters
        >>> print(Conclusion.of(gain_interval([0, 1] * 20, [1, 0] * 20, bounds=(0, 1)), margin=0.1))
        no difference detected: difference 0.000, 95% CI -0.324 to 0.324 (n = 40); the largest
        difference compatible with the data is 0.324, above the margin of 0.1
        """
        if margin is not None:
            margin = check_real("margin", margin)
        interval = evidence
        if isinstance(evidence, Significance):
            interval, p_value = evidence.interval, evidence.p_value  # type: ignore[assignment]
        p_value = check_real("p_value", p_value)
        if not isinstance(interval, Interval):
            raise TypeError(
                "a conclusion is read from the confidence interval of the difference, and "
                "there is none here; "
                "use gain_interval or bootstrap_interval"
            )
        low, high = interval
        if np.isnan([low, high]).any():
            raise ValueError(f"the confidence interval of the difference is [{low}, {high}]")
        if low == high:
            raise ValueError(
                f"all differences are {low:g}, so the confidence interval has no width. "
                f"That is no certainty: "
                "use gain_interval, whose intervals always have a width"
            )
        if interval.n < LEAST_USERS:
            raise ValueError(
                f"{interval.n} cases allow an estimate and a confidence interval, but no "
                f"conclusion; it "
                f"takes {LEAST_USERS}"
            )
        if margin is not None and not (np.isfinite(margin) and margin > 0):
            raise ValueError(
                f"margin is the smallest difference that matters, above 0; got {margin!r}"
            )
        detected = (low > 0 or high < 0) and not p_value >= 1 - interval.level
        outcome: Outcome = "no difference detected"
        if detected:
            outcome = "better" if low > 0 else "worse"
        return cls(outcome, interval, margin, p_value)

    @property
    def exceeds_margin(self) -> bool | None:
        """Whether the whole interval lies beyond the margin, on either side; None without one."""
        if self.margin is None:
            return None
        low, high = self.interval
        return bool(self.outcome != "no difference detected") and (
            low > self.margin or high < -self.margin
        )

    @property
    def largest_compatible(self) -> float:
        """The largest difference, in either direction, that is inside the interval."""
        return max(abs(end) for end in self.interval)

    def __str__(self) -> str:
        low, high = self.interval
        decimals = count_decimals(low, high, self.margin or 0.0)
        estimate, *ends = (
            format_fixed(value, decimals) for value in (self.interval.estimate, low, high)
        )
        text = (
            f"{self.outcome}: difference {estimate}, {100 * self.interval.level:g}% CI {ends[0]} "
            f"to {ends[1]} (n = {self.interval.n:,})"
        )
        return text + self._explain(decimals)

    def _explain(self, decimals: int) -> str:
        """Return what the margin, or its absence, adds."""
        if self.outcome == "no difference detected":
            largest = format_fixed(self.largest_compatible, decimals)
            text = f"; the largest difference compatible with the data is {largest}"
            if self.margin is None:
                return text
            side = "below" if self.largest_compatible < self.margin else "above"
            return f"{text}, {side} the margin of {self.margin:g}"
        if self.margin is None:
            return "; no margin was given, so this does not say whether the difference matters"
        if self.exceeds_margin:
            return f", beyond the margin of {self.margin:g}"
        return f", but a difference below the margin of {self.margin:g} is compatible with the data"


def explain_disagreement(interval: Interval, p_value: float) -> str:
    """Return why an interval and a p-value disagree about 0; nothing where they agree."""
    excludes, low_p = 0 not in interval, p_value < 1 - interval.level
    if math.isnan(p_value) or excludes == low_p:
        return ""
    side = "excludes" if excludes else "includes"
    return (
        f"the {100 * interval.level:g}% CI {side} 0 and p = {p_value:.3f}: the interval depends on "
        "the spread of the gains, the p-value on how often random signs give so large a mean. With "
        "few changed users, or a few large gains, the two can differ; no difference is concluded"
    )


def count_decimals(low: float, high: float, margin: float = 0.0) -> int:
    """Return how many decimals show the width, and on which side of 0 and the margin an end is."""
    width = high - low
    decimals = 3
    if 0 < width < math.inf:
        decimals = max(decimals, -math.floor(math.log10(width / 2)))
    marks = [(end, mark) for end in (low, high) for mark in (0.0, margin) if end != mark]
    while decimals < 12 and any(
        math.isfinite(end) and round(end, decimals) == round(mark, decimals) for end, mark in marks
    ):
        decimals += 1
    return decimals


def format_fixed(value: float, decimals: int) -> str:
    """Return a number with so many decimals, and 0 without a sign."""
    # Adding 0 turns the -0.0 that rounding can leave into 0.0.
    return f"{round(value, decimals) + 0.0:.{decimals}f}"
