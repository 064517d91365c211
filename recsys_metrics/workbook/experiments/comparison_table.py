"""A comparison of two recommenders: difference, confidence interval, p-value, result.

The statistics are the library's (`protocol.significance`, `Report.compare`); here they become the
numbers of one sentence, so that a chapter prints what its prose claims. The test in
`tests/chapters/test_claims.py` reads these lines in the notebooks that were run.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core.confidence_intervals import UNBOUNDED, Bounds
from recsys_metrics._core.inputs.arrays import as_array
from recsys_metrics._core.sorted_arrays import factorize
from recsys_metrics.evaluation import Report
from recsys_metrics.evaluation._difference import format_p_value
from recsys_metrics.protocol._checks import Missing, paired_gains
from recsys_metrics.protocol.online import ab_test
from recsys_metrics.protocol.significance import (
    Interval,
    adjust,
    bootstrap_interval,
    gain_interval,
    randomization_test,
)
from recsys_metrics.protocol.significance._conclusion import (
    LEAST_USERS,
    count_decimals,
    format_fixed,
)
from recsys_metrics.protocol.significance._gains import changed_gains, gain_and_p
from recsys_metrics.protocol.significance._intervals import moments
from recsys_metrics.workbook.common.tables import FormattedNumber, table

# A space at which no line breaks.
_NO_BREAK = "\N{NO-BREAK SPACE}"
# In place of a p-value where the library has no test.
_NONE = "–"
# Percentile intervals of fewer units are too narrow.
_LEAST_RESAMPLED = 50

Statistic = Callable[[NDArray[Any]], float]


@dataclass(frozen=True)
class ValueComparison:
    """One comparison; its text is the numbers of one sentence.

    Attributes
    ----------
    names : (str, str)
        The difference is the first minus the second.
    interval : Interval
        Of the difference.
    p_value : float
        Of "there is no difference"; NaN where the library has no test for it.
    unit : str
        What was sampled independently, and is resampled as a whole: a user, a person, a seed.
    measure : str
        What was measured; empty where the text around says it.
    p_adjusted : float
        The p-value corrected for all comparisons of a table, by Holm's method; NaN outside of one.

    Examples
    --------
    >>> from recsys_metrics.protocol.significance import Interval
    >>> interval = Interval(0.019, 0.001, 0.036, 0.95, 145)
    >>> found = ValueComparison(("EASE", "item kNN"), interval, 0.0356)
    >>> found
    EASE - item kNN: 0.019 [0.001, 0.036], p = 0.036: CI excludes 0
    >>> found.detected
    True
    """

    names: tuple[str, str]
    interval: Interval
    p_value: float = field(default=np.nan)
    unit: str = "user"
    measure: str = ""
    p_adjusted: float = field(default=np.nan)

    @property
    def difference(self) -> float:
        """The first value minus the second."""
        return self.interval.estimate

    @property
    def excludes_zero(self) -> bool:
        """Whether the confidence interval excludes 0."""
        return 0 not in self.interval

    @property
    def detected(self) -> bool:
        """Whether there is a difference: by the interval, and by the p-value where there is one.

        The p-value is the corrected one in a table of several comparisons. Fewer than 20 units
        detect nothing.
        """
        p = self.p_value if np.isnan(self.p_adjusted) else self.p_adjusted
        enough = self.interval.n >= LEAST_USERS
        return enough and self.excludes_zero and not p >= 1 - self.interval.level

    @property
    def result(self) -> str:
        """What the comparison shows, in a few words."""
        if self.interval.n < LEAST_USERS:
            return f"too few {self._plural()}"
        if not self.excludes_zero:
            return "CI includes 0"
        if self.detected:
            return "CI excludes 0"
        bound = f"p ≥ {1 - self.interval.level:.2g}"
        return f"CI excludes 0, {bound if np.isnan(self.p_adjusted) else f'corrected {bound}'}"

    def __repr__(self) -> str:
        one, other = self.names
        of = f" ({self.measure})" if self.measure else ""
        value, ends = self._numbers()
        parts = [f"{one} - {other}{of}: {value} {ends}"]
        if not np.isnan(self.p_value):
            parts.append(format_p_value(self.p_value, "p"))
        if not np.isnan(self.p_adjusted):
            parts.append(format_p_value(self.p_adjusted, "Holm"))
        return f"{', '.join(parts)}: {self.result}"

    def _repr_html_(self) -> str:
        return Comparisons([self])._repr_html_()

    def _numbers(self) -> tuple[str, str]:
        """Return the difference and its interval, in as many decimals as the interval needs."""
        decimals = count_decimals(*self.interval)
        low, high = (format_fixed(end, decimals) for end in self.interval)
        level = "" if self.interval.level == 0.95 else f" ({100 * self.interval.level:g}%)"
        return format_fixed(self.difference, decimals), f"[{low}, {high}]{level}"

    def _plural(self) -> str:
        return "people" if self.unit == "person" else f"{self.unit}s"

    def _units(self) -> str:
        return f"{self.interval.n:,} {self._plural()}"


class Comparisons(tuple[ValueComparison, ...]):
    """Several comparisons, corrected together: a table in a notebook, lines elsewhere.

    The p-values are corrected for all comparisons of the table by Holm's method.

    Examples
    --------
    >>> from recsys_metrics.protocol.significance import Interval
    >>> ahead, open_ = Interval(0.019, 0.001, 0.036, 0.95, 145), Interval(0, -0.02, 0.02, 0.95, 145)
    >>> pairs = (("EASE", "item kNN"), ahead, 0.036), (("A", "B"), open_, 0.9)
    >>> Comparisons([ValueComparison(*pair) for pair in pairs])
    EASE - item kNN: 0.019 [0.001, 0.036], p = 0.036, Holm = 0.072:
    CI excludes 0, corrected p ≥ 0.05
    A - B: 0.000 [-0.020, 0.020], p = 0.900, Holm = 0.900: CI includes 0
    """

    __slots__ = ()

    def __new__(cls, comparisons: Iterable[ValueComparison] = ()) -> Comparisons:
        """Correct the p-values of two comparisons or more."""
        given = [*comparisons]
        tested = [one.p_value for one in given if not np.isnan(one.p_value)]
        if len(given) < 2 or not tested:
            return super().__new__(cls, given)
        adjusted = iter(adjust(tested, method="holm").tolist())
        return super().__new__(
            cls,
            [
                one if np.isnan(one.p_value) else replace(one, p_adjusted=next(adjusted))
                for one in given
            ],
        )

    def __repr__(self) -> str:
        return "\n".join(map(repr, self))

    def _repr_html_(self) -> str:
        """Return a table with the columns that hold something; below it what all have in common."""
        usual = all(one.interval.level == 0.95 for one in self)
        units = [one._units() for one in self]
        measures = [one.measure for one in self]
        columns: dict[str, list[str]] = {
            "Comparison": [f"{one.names[0]} − {one.names[1]}" for one in self],
            "Metric": measures if len(set(measures)) > 1 else [],
            "Difference": [FormattedNumber(one._numbers()[0]) for one in self],
            "95% CI" if usual else "CI": [
                FormattedNumber(_on_one_line(one._numbers()[1])) for one in self
            ],
            "p": [_p_cell(one.p_value) for one in self],
            "p (Holm)": [_p_cell(one.p_adjusted) for one in self],
            "Result": [one.result for one in self],
            "n": units if len(set(units)) > 1 else [],
        }
        filled = {name: column for name, column in columns.items() if {*column} - {"", _NONE}}
        rows = table(list(filled), list(zip(*filled.values(), strict=True)))
        same = [] if "Metric" in filled else [measures[0]]
        same += [] if "n" in filled else [units[0]]
        below = ", ".join(word for word in same if word)
        return f"{rows._repr_html_()}<p>{html.escape(below)}</p>" if below else rows._repr_html_()


def _p_cell(p_value: float) -> FormattedNumber:
    return FormattedNumber(_NONE if np.isnan(p_value) else _on_one_line(format_p_value(p_value)))


def _on_one_line(words: str) -> str:
    return words.replace(" ", _NO_BREAK)


def compare_values(
    a: ArrayLike | Report,
    b: ArrayLike | Report,
    *,
    names: tuple[str, str] | None = None,
    measure: str = "",
    unit: str = "user",
    paired: bool = True,
    people: ArrayLike | None = None,
    statistic: Statistic | None = None,
    bounds: Bounds = UNBOUNDED,
    missing: Missing = "raise",
    level: float = 0.95,
    n_resamples: int = 2_000,
    seed: int = 0,
) -> ValueComparison:
    r"""How large is the difference between a and b, and could it be 0 for other users?

    Parameters
    ----------
    a, b : (n,) array of float, (n, k) array of float, or Report
        The two recommenders' values for the same units in the same order: one number for each
        user, or a row for each where `statistic` says what rows come to, or one for each event
        where `people` says whose it is. Two reports of the same users are compared by `measure`.
    names : (str, str), optional
        What to call them; reports have names of their own.
    measure : str
        What was measured.
    unit : str
        What was drawn independently.
    paired : bool
        Whether the values are of the same units. If not, a and b are two groups of other users,
        which may differ in number, and Welch's test compares their means.
    people : (n,) array, optional
        Who each event belongs to. A person's events stand or fall together, so people are
        resampled with all their events.
    statistic : callable, optional
        What the rows of many units come to, computed for a and b from the same resample of at
        least 50 units.
    bounds : (float, float)
        Between which values every user's value must lie, (0, 1) for most measures.
    missing : {"raise", "omit"}
        What to do with users in whose values there is a NaN.
    level : float
        Confidence of the interval.
    n_resamples, seed : int
        For events and for rows, which are resampled. The same seed gives the same interval,
        whatever the order of the units.

    Returns
    -------
    ValueComparison
        Of a minus b, whichever side is better. For values of users the interval is that of
        `gain_interval`, and p that of `Report.compare`; for events they are those of
        `bootstrap_interval` and of `randomization_test` over people; for rows there is an interval
        alone.

    Raises
    ------
    TypeError, ValueError
        If a and b are not two of a kind, differ in length, hold a value that is not finite, or
        allow no interval.

    Examples
    --------
    >>> from recsys_metrics.workbook.experiments.comparison_table import compare_values
    >>> ease, knn = [0.6, 0.9, 0.4, 0.8, 0.5], [0.5, 0.7, 0.4, 0.7, 0.3]
    >>> compare_values(ease, knn, names=("EASE", "item kNN"), bounds=(0, 1))
    EASE - item kNN: 0.120 [-0.003, 0.243], p = 0.125: too few users

    What one group of users gains and what another gains:

    >>> compare_values(ease * 5, knn[:3] * 5, names=("long", "short"), measure="gain", paired=False)
    long - short (gain): 0.107 [0.004, 0.209], p = 0.041: CI excludes 0

    60 people with two events each, and both events of a person have the same value:

    >>> import numpy as np
    >>> who = np.repeat(np.arange(60), 2)
    >>> compare_values(who % 3, np.ones(120), people=who, unit="person")
    A - B: 0.000 [-0.200, 0.200], p = 1.000: CI includes 0
    """
    if isinstance(a, Report) or isinstance(b, Report):
        return _of_reports(a, b, names, measure, unit, level)
    p_value = np.nan
    if not paired:
        if people is not None or statistic is not None:
            raise TypeError("paired=False compares one value per user; leave people and statistic")
        groups = [as_array(values, name) for name, values in (("b", b), ("a", a))]
        found = ab_test(*groups, outcome="amounts", level=level, missing=missing).gain
        assert found.interval is not None
        return ValueComparison(names or ("A", "B"), found.interval, found.p_value, unit, measure)
    if people is not None:
        first, second = _sums(a, b, people)
        gains = first[:, 0] - second[:, 0]
        # Which person meets which random sign must not depend on which of the two stands first.
        gains *= np.copysign(1.0, gains.sum())
        p_value = randomization_test(np.zeros(len(gains)), gains, seed=seed).p_value
        interval = _of_rows(first, second, _ratio, missing, level, n_resamples, seed)
    elif statistic is not None:
        interval = _of_rows(
            as_array(a, "a"), as_array(b, "b"), statistic, missing, level, n_resamples, seed
        )
    else:
        # The library subtracts its first argument from its second.
        interval = gain_interval(b, a, bounds=bounds, level=level, missing=missing)
        gains = paired_gains(b, a, missing=missing)
        up, down = int((gains > 0).sum()), int((gains < 0).sum())
        changed = changed_gains(gains)
        p_value = gain_and_p(
            *moments(gains), up, down, bounds=bounds, level=level, changed=changed
        )[1]
    return ValueComparison(names or ("A", "B"), interval, p_value, unit, measure)


def _of_reports(
    a: ArrayLike | Report,
    b: ArrayLike | Report,
    names: tuple[str, str] | None,
    measure: str,
    unit: str,
    level: float,
) -> ValueComparison:
    if not (isinstance(a, Report) and isinstance(b, Report)):
        raise TypeError("a report is compared with a report; take report[measure].per_user of it")
    if not measure:
        raise ValueError(f"say by which measure=… to compare them; there are {', '.join(a)}")
    found = a.compare(b, level=level)[measure]
    if found.interval is None:
        raise ValueError(
            f"{measure} has no confidence interval of its gain: it is an aggregate over "
            f"all lists, or no "
            "user has another value"
        )
    return ValueComparison(names or (a.name, b.name), found.interval, found.p_value, unit, measure)


def _sums(a: ArrayLike, b: ArrayLike, people: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return each person's sum of values and number of events, for a and for b."""
    paired_gains(b, a)
    values = [np.asarray(as_array(side, name), np.float64) for side, name in ((a, "a"), (b, "b"))]
    who = as_array(people, "people")
    if who.shape != values[0].shape:
        raise ValueError(f"people names {len(who)} events' people, and a has {len(values[0])}")
    _, places = factorize(who)
    events = np.bincount(places)
    first, second = (np.column_stack([np.bincount(places, v), events]) for v in values)
    return first, second


def _ratio(rows: NDArray[Any]) -> float:
    return float(rows[:, 0].sum() / rows[:, 1].sum())


def _of_rows(
    a: NDArray[Any],
    b: NDArray[Any],
    statistic: Statistic,
    missing: Missing,
    level: float,
    n_resamples: int,
    seed: int,
) -> Interval:
    """Return the interval of statistic(a) - statistic(b), units resampled whole."""
    if a.shape != b.shape:
        raise ValueError(
            f"a and b are rows of the same units, but their shapes are {a.shape} and {b.shape}"
        )
    if len(a) < _LEAST_RESAMPLED:
        raise ValueError(
            f"a bootstrap confidence interval of {len(a)} units is too narrow; it takes "
            f"{_LEAST_RESAMPLED}"
        )
    # Which of the two stands first decides which unit a draw means: let it be the larger one, and
    # b less a is a less b with the other sign, to the last digit.
    turned = statistic(a) < statistic(b)
    columns = [side.reshape(len(side), -1) for side in ((b, a) if turned else (a, b))]
    width, shape = columns[0].shape[1], a.shape[1:]

    def difference(rows: NDArray[Any]) -> float:
        first, second = rows[:, :width], rows[:, width:]
        return statistic(first.reshape(-1, *shape)) - statistic(second.reshape(-1, *shape))

    found = bootstrap_interval(
        np.hstack(columns),
        statistic=difference,
        level=level,
        n_resamples=n_resamples,
        missing=missing,
        seed=seed,
    )
    if found.low == found.high:
        raise ValueError(
            f"all resamples differ by {found.low:g}: nothing was seen to vary, which is no "
            "certainty"
        )
    if not turned:
        return found
    return Interval(-found.estimate, -found.high, -found.low, level, found.n)
