"""Decide from the interval of a gain whether to ship."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from recsys_metrics.protocol.significance._results import Interval, Significance


@dataclass(frozen=True)
class Verdict:
    """A decision about a gain, read from its interval; its text says why.

    Made by `Verdict.of`.

    Attributes
    ----------
    ship : bool
        True only if the whole interval lies above `worthwhile`.
    interval : Interval
        Of the gain, the new recommender's value less the old one's.
    worthwhile : float
        The smallest gain that would be worth it.

    Examples
    --------
    >>> from recsys_metrics.protocol.significance import Interval, Verdict
    >>> verdict = Verdict.of(Interval(0.007, 0.002, 0.012, level=0.95, n=400), worthwhile=0.005)
    >>> verdict.ship
    False
    >>> print(verdict)
    do not ship: the 95 % interval of the gain is [0.002, 0.012], above 0 but not above the 0.005
    that would be worth it
    """

    ship: bool
    interval: Interval
    worthwhile: float = 0.0

    @classmethod
    def of(cls, evidence: Interval | Significance, *, worthwhile: float = 0.0) -> Verdict:
        """Decide from an interval of a gain, or from a test that has one.

        Parameters
        ----------
        evidence : Interval or Significance
            Of the gain; where less is better, of the old value less the new one.
        worthwhile : float
            The smallest gain that would be worth shipping, 0 or more.

        Returns
        -------
        Verdict

        Raises
        ------
        TypeError, ValueError
            If a test has no interval, an end is NaN, the interval has no width, or worthwhile is
            below 0.

        Notes
        -----
        "Do not ship" is no proof that there is no gain: the interval may be too wide to tell.
        `minimum_detectable_effect` says how many users would.

        Examples
        --------
        >>> from recsys_metrics.protocol.significance import Verdict, t_interval
        >>> print(Verdict.of(t_interval([0.01, -0.01, 0.02, -0.01, 0.00])))
        do not ship: the 95 % interval of the gain is [-0.014, 0.018] and holds 0
        >>> print(Verdict.of(t_interval([0.012, 0.014, 0.017, 0.013, 0.011])))
        ship: the 95 % interval of the gain is [0.011, 0.016] and lies above 0
        """
        interval = evidence.interval if isinstance(evidence, Significance) else evidence
        if not isinstance(interval, Interval):
            raise TypeError(
                "a verdict is read from the interval of the gain, and there is none here; use "
                "t_interval or bootstrap_interval on the gains"
            )
        if np.isnan([interval.low, interval.high]).any():
            raise ValueError(f"the interval of the gain is [{interval.low}, {interval.high}]")
        if interval.low == interval.high:
            raise ValueError(
                f"all gains are {interval.low:g}, so the interval has no width: nothing was seen "
                "to vary, which is no certainty. See gain_interval for what such users allow"
            )
        if not (np.isfinite(worthwhile) and worthwhile >= 0):
            raise ValueError(f"worthwhile is a gain of 0 or more; got {worthwhile!r}")
        return cls(interval.low > worthwhile, interval, float(worthwhile))

    def __str__(self) -> str:
        low, high, bar = self.interval.low, self.interval.high, self.worthwhile
        decimals = count_decimals(low, high, bar)
        text = (
            f"{'ship' if self.ship else 'do not ship'}: the {100 * self.interval.level:g} % "
            f"interval of the gain is [{format_fixed(low, decimals)}, "
            f"{format_fixed(high, decimals)}]"
        )
        if self.ship:
            return f"{text} and lies above {bar:g}"
        if high < 0:
            return f"{text} and lies below 0"
        if low <= 0:
            return f"{text} and holds 0"
        if high < bar:
            return f"{text}, above 0 but below the {bar:g} that would be worth it"
        return f"{text}, above 0 but not above the {bar:g} that would be worth it"


def count_decimals(low: float, high: float, bar: float = 0.0) -> int:
    """Return how many decimals show the width, and on which side of 0 and the bar an end is."""
    width = high - low
    decimals = 3
    if 0 < width < math.inf:
        decimals = max(decimals, -math.floor(math.log10(width / 2)))
    marks = [(end, mark) for end in (low, high) for mark in (0.0, bar) if end != mark]
    while decimals < 12 and any(
        math.isfinite(end) and round(end, decimals) == round(mark, decimals) for end, mark in marks
    ):
        decimals += 1
    return decimals


def format_fixed(value: float, decimals: int) -> str:
    """Return a number with so many decimals, and 0 without a sign."""
    # Adding 0 turns the -0.0 that rounding can leave into 0.0.
    return f"{round(value, decimals) + 0.0:.{decimals}f}"
