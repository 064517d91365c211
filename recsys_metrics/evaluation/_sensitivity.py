"""Sensitivity of a conclusion to what was assumed: one assumption at a time, corrected."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from recsys_metrics._core.checks import check_count, check_level, check_mapping, check_real
from recsys_metrics._core.colors import BLUE, GREY, VERMILION
from recsys_metrics._core.inputs.arrays import as_numbers
from recsys_metrics._core.plotting import axes_for, finish, plots
from recsys_metrics.evaluation._comparability import prepare_comparison
from recsys_metrics.evaluation._comparison import find_shared_measures
from recsys_metrics.evaluation._difference import compute_differences
from recsys_metrics.evaluation._rendering import RenderableTable, View
from recsys_metrics.evaluation._report import Report
from recsys_metrics.evaluation._table_style import DEFAULT_STYLE, TableStyle
from recsys_metrics.protocol.significance import Interval, gain_interval

Conclusion = Literal["better", "worse", "no difference detected"]
Compare = Callable[..., Any]
_MOST_HALVINGS = 60


@dataclass(frozen=True)
class Setting:
    """The conclusion with one value of one assumption.

    Attributes
    ----------
    assumption : str
        What was varied.
    value
        To which value.
    estimate : float
        The difference; positive is an improvement.
    interval : Interval or None
        Simultaneous with those of all other settings; None where the values allow none.
    assumed : bool
        Whether it is the value that was assumed.

    Examples
    --------
    >>> import numpy as np
    >>> from recsys_metrics.evaluation import sensitivity
    >>> gains = np.linspace(-1, 3, 50)
    >>> found = sensitivity(lambda cap: np.minimum(gains, cap), {"cap": [0, 3]}, assumed={"cap": 3})
    >>> [(each.value, each.conclusion, each.assumed) for each in found.settings]
    [(0, 'worse', False), (3, 'better', True)]
    """

    assumption: str
    value: Any
    estimate: float
    interval: Interval | None
    assumed: bool

    @property
    def conclusion(self) -> Conclusion:
        """Better or worse if the simultaneous interval excludes 0."""
        if self.interval is None or 0 in self.interval:
            return "no difference detected"
        return "better" if self.interval.low > 0 else "worse"


@dataclass(frozen=True)
class TurningPoint:
    """Two neighbouring settings of an assumption with different conclusions.

    Attributes
    ----------
    assumption : str
    before, after : Setting
        The neighbours.
    sign_change : float or None
        Where the estimate itself becomes 0 between them, if the values are numbers and it does.

    Examples
    --------
    >>> import numpy as np
    >>> from recsys_metrics.evaluation import sensitivity
    >>> gains = np.linspace(-1, 3, 50)
    >>> compare = lambda shift: gains - shift
    >>> found = sensitivity(compare, {"shift": [0, 2]}, assumed={"shift": 0}, halvings=30)
    >>> (turn,) = found.turning_points
    >>> turn.before.conclusion, turn.after.conclusion, round(turn.sign_change, 3)
    ('better', 'worse', 1.0)
    """

    assumption: str
    before: Setting
    after: Setting
    sign_change: float | None

    def __str__(self) -> str:
        text = (
            f"{self.assumption}: {self.before.conclusion} at {_show(self.before.value)}, "
            f"{self.after.conclusion} at {_show(self.after.value)}"
        )
        if self.sign_change is None:
            return text
        return f"{text} (the estimate is 0 at {self.sign_change:.4g})"


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(RenderableTable):
    """How a conclusion depends on what was assumed; made by `sensitivity`.

    Attributes
    ----------
    settings : tuple of Setting
        In the order in which they were given.
    turning_points : tuple of TurningPoint
    level : float
        Confidence of all intervals together.
    n_intervals : int
        How many different settings the intervals are corrected for.

    Examples
    --------
    >>> import numpy as np
    >>> from recsys_metrics.evaluation import sensitivity
    >>> gains = np.linspace(-1, 3, 50)
    >>> found = sensitivity(lambda cap: np.minimum(gains, cap), {"cap": [1, 2]}, assumed={"cap": 3})
    >>> print(found.conclusion)
    The conclusion with what was assumed is better, and it holds at all 3 settings.
    """

    settings: tuple[Setting, ...]
    turning_points: tuple[TurningPoint, ...]
    level: float
    n_intervals: int

    @property
    def base(self) -> Setting:
        """The setting in which every assumption has its assumed value."""
        return next(each for each in self.settings if each.assumed)

    @property
    def conclusion(self) -> str:
        """At how many settings the conclusion holds, and where it turns, in a sentence."""
        different = {(each.assumption, _show(each.value)): each for each in self.settings}
        others = [each for each in different.values() if not each.assumed]
        same = 1 + sum(each.conclusion == self.base.conclusion for each in others)
        total = 1 + len(others)
        start = f"The conclusion with what was assumed is {self.base.conclusion}, and it holds at "
        if same == total:
            return f"{start}all {total} settings."
        turns = "; ".join(map(str, self.turning_points))
        return f"{start}{same} of {total} settings. It turns for {turns}."

    def of(self, assumption: str) -> tuple[Setting, ...]:
        """Return the settings of one assumption.

        Parameters
        ----------
        assumption : str
        """
        found = tuple(each for each in self.settings if each.assumption == assumption)
        if not found:
            there = ", ".join(dict.fromkeys(each.assumption for each in self.settings))
            raise ValueError(f"{assumption!r} was not varied; there are {there}")
        return found

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns of `to_frame`, one row per setting."""
        ends = [
            (np.nan, np.nan) if s.interval is None else tuple(s.interval) for s in self.settings
        ]
        return {
            "assumption": [each.assumption for each in self.settings],
            "value": [_show(each.value) for each in self.settings],
            "assumed": [each.assumed for each in self.settings],
            "estimate": [each.estimate for each in self.settings],
            "low": [low for low, _ in ends],
            "high": [high for _, high in ends],
            "conclusion": [each.conclusion for each in self.settings],
        }

    @plots
    def plot(self, assumption: str | None = None, *, axes: Any = None) -> Any:
        """Draw the difference at each value of one assumption, with its simultaneous interval.

        Parameters
        ----------
        assumption : str, optional
            By default the first for which the conclusion turns, or else the first.
        """
        turning = [each.assumption for each in self.turning_points]
        name = assumption or next(iter([*turning, self.settings[0].assumption]))
        settings = self.of(name)
        axes = axes_for(axes)
        axes.axhline(0, color=GREY, linewidth=1)
        said = []
        colors = {"better": BLUE, "worse": VERMILION, "no difference detected": GREY}
        markers = {"better": "^", "worse": "v", "no difference detected": "o"}
        for place, each in enumerate(settings):
            color, marker = colors[each.conclusion], markers[each.conclusion]
            if each.interval is not None:
                axes.plot([place] * 2, [*each.interval], color=color, linewidth=2.5)
            axes.plot(place, each.estimate, marker, color=color, markersize=8)
            ends = "" if each.interval is None else " [{:.3f}, {:.3f}]".format(*each.interval)
            said.append(f"{_show(each.value)}: {each.estimate:.3f}{ends}, {each.conclusion}")
        labels = [f"{_show(s.value)}\n(assumed)" if s.assumed else _show(s.value) for s in settings]
        axes.set_xticks(range(len(settings)), labels)
        axes.set_xlim(-0.5, len(settings) - 0.5)
        title = self._title(name)
        return finish(
            axes,
            title=title,
            x=name,
            y=f"difference, simultaneous {100 * self.level:g}% CI",
            alt=f"{title}. {'; '.join(said)}",
        )

    def _title(self, assumption: str) -> str:
        turns = [each for each in self.turning_points if each.assumption == assumption]
        if not turns:
            return f"At every value of {assumption}: {self.of(assumption)[0].conclusion}"
        steps = ", ".join(
            f"between {_show(each.before.value)} and {_show(each.after.value)}" for each in turns
        )
        return f"The conclusion turns with {assumption}: {steps}"

    def _names(self) -> list[str]:
        return []

    def _view(self, style: TableStyle = DEFAULT_STYLE) -> View:
        rows: dict[str, tuple[None, list[str]]] = {}
        for each in self.settings:
            mark = " (assumed)" if each.assumed else ""
            ends = "none"
            if each.interval is not None:
                ends = style.interval(each.interval)
            rows[f"{each.assumption} = {_show(each.value)}{mark}"] = (
                None,
                [style.number(each.estimate), ends, each.conclusion],
            )
        level = f"{100 * self.level:g}%"
        n_varied = len({each.assumption for each in self.settings})
        return View(
            title=f"Sensitivity to {n_varied} assumption{'s' if n_varied != 1 else ''}",
            headings=["Setting", "Difference", f"Simultaneous {level} CI", "Conclusion"],
            rows=rows,
            legend=(
                "One assumption is varied at a time. A positive difference is an improvement. "
                f"Intervals are simultaneous (Bonferroni, {self.n_intervals} settings): together "
                f"they contain all true differences with {level} confidence. The conclusion is "
                "better or worse if the interval excludes 0."
            ),
            conclusion=self.conclusion,
        )


def _show(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float | np.floating) else str(value)


def sensitivity(
    compare: Compare,
    assumptions: Mapping[str, Sequence[Any]],
    *,
    assumed: Mapping[str, Any],
    null: float = 0.0,
    level: float = 0.95,
    halvings: int = 0,
) -> Sensitivity:
    r"""Would the conclusion be another if something else had been assumed, and from where on?

    Parameters
    ----------
    compare : callable
        Takes the assumptions as keyword arguments and returns the comparison: two `Report` of one
        metric, the new one first; or the gains of users or rounds, an array; or an estimate with
        `value` and `interval(level)`, as `bias.off_policy` returns.
    assumptions : mapping from name to sequence
        The values to try, in order: relevance thresholds, cut-offs, exponents of position bias,
        clipping thresholds, propensity floors, numbers of sampled negatives, lengths of the
        history, split dates, or anything else that `compare` takes.
    assumed : mapping from name to value
        What was assumed; it is kept for the assumptions that are not varied.
    null : float
        The value of "no difference", for estimates: the value of the logging policy.
    level : float
        Confidence of all intervals together.
    halvings : int
        How often the distance between two values is halved in search of the point at which the
        estimate changes its sign, if both are numbers; by default it is interpolated.

    Returns
    -------
    Sensitivity

    Raises
    ------
    ValueError, TypeError
        If nothing is varied, an assumption has no assumed value, or compare returns something else
        or fails; the message names the setting.

    Notes
    -----
    With :math:`c` different settings, that of all assumed values among them, each interval has the
    level

    .. math:: 1 - \frac{\alpha}{c}

    where :math:`\alpha` = 1 - `level` (Bonferroni), so that all of them together contain the true
    differences with a probability of at least `level`, however the settings depend on each other.
    A conclusion turns between two neighbouring values if it differs; whether the difference between
    the two settings is itself significant is another question. The intervals are about users or
    rounds: no interval says which assumption is right.

    References
    ----------
    Dunn (1961), Multiple comparisons among means, JASA 56(293). Saltelli et al. (2008), Global
    sensitivity analysis: the primer, Wiley. Steegen, Tuerlinckx, Gelman and Vanpaemel (2016),
    Increasing transparency through a multiverse analysis, Perspectives on Psychological Science
    11(5).

    Examples
    --------
    The value of a policy, if the propensities of a log were never below a floor:

    >>> import numpy as np
    >>> from recsys_metrics.evaluation import sensitivity
    >>> rng = np.random.default_rng(0)
    >>> propensity = rng.choice([0.02, 0.5], 4000)
    >>> clicks = rng.random(4000) < np.where(propensity < 0.1, 0.3, 0.1)
    >>> def gains(floor):
    ...     return clicks * (0.26 / np.maximum(propensity, floor) - 1)
    >>> floors = {"floor": [0.01, 0.1, 0.3, 0.5]}
    >>> found = sensitivity(gains, floors, assumed={"floor": 0.01}, halvings=30)
    >>> print(found.conclusion)
    The conclusion with what was assumed is better, and it holds at 2 of 4 settings. It turns for
    floor: better at 0.1, worse at 0.3 (the estimate is 0 at 0.2213).
    """
    level = check_level(level)
    null = check_real("null", null)
    check_count("halvings", halvings, least=0, most=_MOST_HALVINGS)
    check_mapping("assumptions", assumptions, "from a name to the values to try")
    check_mapping("assumed", assumed, "from a name to a value")
    varied = {name: [*values] for name, values in assumptions.items()}
    if not any(varied.values()):
        raise ValueError("assumptions names nothing to vary; give a sequence of values for each")
    for name in varied:
        if name not in assumed:
            raise ValueError(f"{name} is varied and has no assumed value: assumed={{{name!r}: …}}")
    planned = [*_plan(varied, assumed)]
    count = 1 + sum(not is_assumed for *_, is_assumed in planned)
    run = _Runs(compare, assumed, float(null), check_level(1 - (1 - level) / count))
    settings = tuple(Setting(*each[:2], *run.at(*each[:2]), each[2]) for each in planned)
    turns = [
        TurningPoint(one.assumption, one, two, run.find_sign_change(one, two, halvings))
        for one, two in pairwise(settings)
        if one.assumption == two.assumption and one.conclusion != two.conclusion
    ]
    return Sensitivity(settings, tuple(turns), level, count)


def _plan(
    varied: Mapping[str, list[Any]], assumed: Mapping[str, Any]
) -> Iterator[tuple[str, Any, bool]]:
    """Yield the assumption, the value, and whether it is the assumed one, of each setting."""
    for name, values in varied.items():
        wanted = assumed[name]
        if not any(_is_same(value, wanted) for value in values):
            values = _insert(values, wanted)
        for value in values:
            yield name, value, _is_same(value, wanted)


def _is_same(one: Any, other: Any) -> bool:
    return one is other or bool(one == other)


def _insert(values: list[Any], wanted: Any) -> list[Any]:
    """Return values with the assumed one at its place if they ascend, or else at the beginning."""
    try:
        if sorted(values) == values:
            return sorted([*values, wanted])
    except TypeError:
        pass
    return [wanted, *values]


@dataclass(frozen=True)
class _Runs:
    """Calls of compare, one assumption changed at a time."""

    compare: Compare
    assumed: Mapping[str, Any]
    null: float
    level: float

    def at(self, name: str, value: Any) -> tuple[float, Interval | None]:
        """Return the difference and its interval with one value of one assumption."""
        try:
            found = self.compare(**{**self.assumed, name: value})
            return self._read(found)
        except (TypeError, ValueError) as problem:
            kind = TypeError if isinstance(problem, TypeError) else ValueError
            raise kind(f"compare with {name}={_show(value)}: {problem}") from problem

    def _read(self, found: Any) -> tuple[float, Interval | None]:
        if isinstance(found, tuple) and all(isinstance(each, Report) for each in found):
            return self._read_reports(*found)
        if hasattr(found, "interval") and hasattr(found, "value"):
            low, high = found.interval(level=self.level)
            estimate = float(found.value) - self.null
            n = int(getattr(found, "n", 0))
            return estimate, Interval(
                estimate, float(low) - self.null, float(high) - self.null, self.level, n
            )
        if isinstance(found, tuple | list) and any(hasattr(each, "interval") for each in found):
            raise ValueError(
                "it returned several estimates, which together have no interval; return one, and "
                "give null= the value to compare it with, or return the gain of each user or row"
            )
        gains = as_numbers(found, "what it returned")
        if gains.ndim != 1 or len(gains) < 2:
            raise ValueError(
                "it returned neither two reports, nor an array of the gains of two or more users, "
                f"nor an estimate with an interval, but {found!r:.80}"
            )
        there = gains[~np.isnan(gains)] - self.null
        if not there.any():
            return 0.0, None
        interval = gain_interval(np.zeros_like(there), there, level=self.level)
        return interval.estimate, interval

    def _read_reports(self, new: Report, old: Report) -> tuple[float, Interval | None]:
        (new, old), _ = prepare_comparison([new, old], "same")
        shared = find_shared_measures([new, old])
        if len(shared) != 1:
            raise ValueError(
                f"the reports share {len(shared)} metrics, {', '.join(map(str, shared))}; evaluate "
                "the one that the conclusion is about"
            )
        (measure,) = shared
        found = compute_differences(new, old, shared, self.level)[measure]
        sign = -1.0 if measure.metric.better == "lower" else 1.0
        if found.interval is None:
            return sign * found.gain, None
        low, high = sorted(sign * end for end in found.interval)
        return sign * found.gain, Interval(
            sign * found.gain, low, high, self.level, found.interval.n
        )

    def find_sign_change(self, one: Setting, two: Setting, halvings: int) -> float | None:
        """Return where the estimate is 0 between two settings, if it is."""
        numbers = all(
            isinstance(each.value, int | float | np.number) and not isinstance(each.value, bool)
            for each in (one, two)
        )
        if not numbers or one.estimate * two.estimate >= 0:
            return None
        low, high = (one.value, one.estimate), (two.value, two.estimate)
        for _ in range(halvings):
            middle = (low[0] + high[0]) / 2
            estimate, _ = self.at(one.assumption, middle)
            if estimate * low[1] > 0:
                low = (middle, estimate)
            else:
                high = (middle, estimate)
        return float(low[0] - low[1] * (high[0] - low[0]) / (high[1] - low[1]))
