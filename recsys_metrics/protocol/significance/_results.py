"""Result types of tests and intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from recsys_metrics.protocol._checks import Alternative


@dataclass(frozen=True)
class Interval:
    """An estimate and the range of values that the data do not rule out.

    Unpacks as ``low, high = interval``; ``0 in interval`` asks whether a value is held.

    Attributes
    ----------
    estimate : float
        The value computed from the data, in their unit.
    low, high : float
        The ends; both belong to the interval.
    level : float
        Confidence, 0.95 for 95 %.
    n : int
        How many values it was made from.

    Examples
    --------
    >>> from recsys_metrics.protocol.significance import Interval
    >>> interval = Interval(0.002, -0.014, 0.018, level=0.95, n=5)
    >>> print(interval)
    0.002 [-0.014, 0.018] (95 %)
    >>> 0 in interval, round(interval.half_width, 3)
    (True, 0.016)
    """

    estimate: float
    low: float
    high: float
    level: float
    n: int

    @property
    def half_width(self) -> float:
        """Half the distance between the ends."""
        return (self.high - self.low) / 2

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))

    def __str__(self) -> str:
        return f"{self.estimate:.3f} [{self.low:.3f}, {self.high:.3f}] ({100 * self.level:g} %)"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        # A notebook shows as many digits of it as of any other number.
        with printer.group(1, f"{type(self).__name__}(", ")"):
            for place, field in enumerate(fields(self)):
                if place:
                    printer.text(",")
                    printer.breakable()
                printer.text(f"{field.name}=")
                printer.pretty(getattr(self, field.name))


@dataclass(frozen=True)
class TInterval(Interval):
    """An interval from Student's t, with what it was made of.

    Attributes
    ----------
    standard_deviation : float
        Of the values, with the denominator n - 1.
    standard_error : float
        Standard deviation over the square root of n.
    degrees_of_freedom : float
    critical : float
        The quantile t* that the standard error is multiplied by.

    Examples
    --------
    >>> from recsys_metrics.protocol.significance import t_interval
    >>> found = t_interval([0.40, 0.41, 0.42, 0.43, 0.44])
    >>> round(found.standard_error, 4), round(found.critical, 3), found.degrees_of_freedom
    (0.0071, 2.776, 4.0)
    """

    standard_deviation: float
    standard_error: float
    degrees_of_freedom: float
    critical: float

    # A printer takes the last class that says how it is shown, which a data class does.
    _repr_pretty_ = Interval._repr_pretty_


def p_of_tails(below: float, above: float, alternative: Alternative) -> float:
    """Return the p-value from the chances of so low a value, and of so high a one."""
    tails = {"two-sided": min(1.0, 2 * min(below, above)), "greater": above, "less": below}
    return tails[alternative]


@dataclass(frozen=True)
class Significance:
    """The answer of a test of "there is no difference".

    Attributes
    ----------
    statistic : float
        What the test computes; each test's own page says what it is.
    p_value : float
        How often a statistic at least as extreme comes up if there is no difference.
    gain : float
        The mean (or share) that the test is about; above 0 speaks for `b`.
    n : int
        How many cases decided: pairs that tie may not.
    alternative : str
        "two-sided", "greater" or "less".
    interval : Interval or None
        Of the gain, where the test has one; always two-sided.

    Examples
    --------
    >>> from recsys_metrics.protocol.significance import sign_test
    >>> test = sign_test([0.3, 0.2, 0.5, 0.1, 0], [0.4, 0.4, 0.8, 0.5, 0])
    >>> test.statistic, test.n, test.p_value
    (4.0, 4, 0.125)
    """

    statistic: float
    p_value: float
    gain: float
    n: int
    alternative: str = "two-sided"
    interval: Interval | None = None
