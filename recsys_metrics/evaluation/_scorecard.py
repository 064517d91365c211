"""The scorecard of an A/B test: every metric and arm of a table of users, and a conclusion."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from recsys_metrics._core.checks import check_positive, is_among, is_one_of
from recsys_metrics._core.plotting import draw_intervals, finish, in_words, plots
from recsys_metrics.evaluation._difference import format_p_value
from recsys_metrics.evaluation._experiment_metrics import suggest
from recsys_metrics.evaluation._rendering import RenderableTable, View
from recsys_metrics.evaluation._table_style import DEFAULT_STYLE, TableStyle
from recsys_metrics.protocol.online import (
    EquivalenceResult,
    Experiment,
    SampleRatio,
    ShipDecision,
)
from recsys_metrics.protocol.significance import Conclusion, Interval
from recsys_metrics.protocol.significance._conclusion import LEAST_USERS

_METHODS = {
    "mean": "means by Welch's t-test",
    "rate": "rates by Fisher's exact test",
    "ratio": "ratios by the delta method",
    "quantile": "quantiles by order statistics",
}
_NONE_DETECTED = "no difference detected"
_NO_CONCLUSION = "no conclusion"


@dataclass(frozen=True, eq=False)
class ScorecardRow:
    """One metric of one arm, compared with the control.

    Attributes
    ----------
    metric : str
    kind : str
        "mean", "rate", "ratio" or "quantile".
    arm : object
        The arm that was compared with the control.
    experiment : Experiment
        What `protocol.online.ab_test` returns for the values of both, or `quantile_test`; of values
        that `cuped` adjusted where a pre-period was given.
    p_adjusted : float
        The p-value after the correction for all rows of the scorecard.
    lower_is_better : bool
    variance_ratio : float or None
        Which share of the variance CUPED left; None without a pre-period.
    guardrail : EquivalenceResult or None
        The non-inferiority test, of the groups swapped where less is better.
    outcome : str
        "better", "worse", "no difference detected", or "no conclusion" where the sample ratio is
        off, there are fewer than 20 users, or the interval has no width.

    Examples
    --------
    >>> from recsys_metrics import scorecard
    >>> users = {"arm": ["A", "B"] * 30, "clicks": [0, 1, 1, 3, 2, 2] * 10}
    >>> row = scorecard(users, arm="arm", control="A", metrics=["clicks"])["clicks"]
    >>> row.experiment.gain.gain, row.outcome
    (1.0, 'better')
    """

    metric: str
    kind: str
    arm: Hashable
    experiment: Experiment
    p_adjusted: float
    lower_is_better: bool
    variance_ratio: float | None
    guardrail: EquivalenceResult | None
    outcome: str

    @property
    def improvement(self) -> Interval:
        """The difference and its interval, with the other sign where less is better."""
        interval = self.experiment.gain.interval
        assert interval is not None
        if not self.lower_is_better:
            return interval
        return replace(
            interval, estimate=-interval.estimate, low=-interval.high, high=-interval.low
        )


@dataclass(frozen=True, eq=False, repr=False)
class Scorecard(RenderableTable):
    """The metrics of an A/B test, arm by arm, with one correction and a conclusion.

    Made by `scorecard`. ``card["revenue"]`` is the row of a metric, and ``card["revenue", "B"]``
    that of an arm where there are several.

    Attributes
    ----------
    control : object
        The arm that the others are compared with.
    sizes : mapping from arm to int
        How many users each arm has, the control first.
    rows : tuple of ScorecardRow
    ratio : SampleRatio
        The check of the sizes of all arms.
    correction : str
        How the p-values were corrected, as in `protocol.significance.adjust`, for all rows.
    level : float
        Confidence of the intervals; corrected p-values are compared with 1 minus it.
    user : str or None
        The column of user ids that was checked for repeats.
    warnings : tuple of str
        What to keep in mind.

    Examples
    --------
    >>> from recsys_metrics import scorecard
    >>> users = {"arm": ["A", "B"] * 30, "clicks": [0, 1, 1, 3, 2, 2] * 10, "views": [4] * 60}
    >>> card = scorecard(users, arm="arm", control="A", metrics=["clicks", "ratio(clicks, views)"])
    >>> print(card.conclusion)
    B against A: better by clicks and ratio(clicks, views).
    """

    control: Hashable
    sizes: Mapping[Hashable, int]
    rows: tuple[ScorecardRow, ...]
    ratio: SampleRatio
    correction: str
    level: float
    user: str | None
    warnings: tuple[str, ...] = ()

    def __getitem__(self, key: str | tuple[str, Hashable]) -> ScorecardRow:
        metric, *arm = key if isinstance(key, tuple) else (key,)
        return self._find_row(metric, arm[0] if arm else None)

    @property
    def metrics(self) -> list[str]:
        """The names of the metrics."""
        return [*dict.fromkeys(row.metric for row in self.rows)]

    @property
    def arms(self) -> list[Hashable]:
        """The arms that were compared with the control."""
        return [each for each in self.sizes if each != self.control]

    @property
    def mismatch(self) -> SampleRatio | None:
        """The check of sample sizes that failed, of all arms or of one with the control."""
        checks = [self.ratio, *(row.experiment.ratio for row in self.rows)]
        return next((check for check in checks if check.mismatch), None)

    @property
    def conclusion(self) -> str:
        """What was found, after the correction; why nothing can be concluded, if so."""
        return self._conclude(DEFAULT_STYLE)

    def _conclude(self, style: TableStyle) -> str:
        if self.mismatch is not None:
            return f"No conclusion: {_describe_mismatch(self.mismatch)}."
        return " ".join(self._sentence(arm, style) for arm in self.arms)

    def decide(self, metric: str, *, margin: float, arm: Hashable | None = None) -> ShipDecision:
        """Decide whether to ship an arm.

        Parameters
        ----------
        metric : str
            The one that the decision is about (the overall evaluation criterion), chosen before the
            experiment.
        margin : float
            The smallest improvement that is worth shipping, above 0, in the unit of the metric.
        arm : optional
            Which arm, where there are several.

        Returns
        -------
        ShipDecision
            To ship, the interval of the improvement has to lie above the margin, the corrected
            p-value has to be significant, and every guardrail of the arm has to hold.

        Raises
        ------
        ValueError
            If nothing can be concluded, because the sample ratio is off or there are fewer than 20
            users, the margin is not above 0, or there is no such metric or arm.

        Examples
        --------
        >>> from recsys_metrics import scorecard
        >>> users = {"arm": ["A", "B"] * 30, "clicks": [0, 1, 1, 3, 2, 2] * 10}
        >>> card = scorecard(users, arm="arm", control="A", metrics=["clicks"])
        >>> card.decide("clicks", margin=0.2).ship
        True
        """
        row = self._find_row(metric, arm)
        if row.outcome == _NO_CONCLUSION:
            why = _obstacle(row.experiment, self.mismatch)
            raise ValueError(f"there is nothing to decide: {why}")
        margin = check_positive("margin", margin)
        found = Conclusion.of(row.improvement, margin=margin, p_value=row.p_adjusted)
        guarded = [each for each in self.rows if each.arm == row.arm and each.guardrail]
        failed = tuple(
            each.metric for each in guarded if each.guardrail and not each.guardrail.holds
        )
        above = found.outcome == "better" and bool(found.exceeds_margin)
        return ShipDecision(above and not failed, found, failed, len(guarded))

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns of `to_frame`, one row per metric and arm."""
        columns: dict[str, list[Any]] = {}
        for row in self.rows:
            for name, value in self._as_columns(row).items():
                columns.setdefault(name, []).append(value)
        return columns

    @plots
    def plot(self, *, relative: bool = True, axes: Any = None) -> Any:
        """Draw the difference of each metric and arm from the control, with its interval.

        Parameters
        ----------
        relative : bool
            Whether differences are in percent of the control's value, so that metrics of several
            units share an axis. A metric whose control may be 0 has no interval then.
        """
        names = [self._row_name(row, DEFAULT_STYLE) for row in self.rows]
        values, ends = [], []
        for row in self.rows:
            found = row.experiment
            value, interval = found.gain.gain, found.gain.interval
            if relative:
                value, interval = 100 * found.lift, found.lift_interval
            scale = 100 if relative else 1
            values.append(value)
            finite = interval is not None and _is_finite(interval)
            ends.append([scale * end for end in interval or ()] if finite else None)
        axes = draw_intervals(axes, names, values, ends, zero=True)
        what = f"difference from {self.control}" + (" in percent" if relative else "")
        detected = sum(row.outcome in ("better", "worse") for row in self.rows)
        title = (
            "No conclusion: sample ratio mismatch"
            if self.mismatch
            else f"{detected} of {len(self.rows)} differences detected (p ≤ {1 - self.level:.3g}, "
            f"{self.correction})"
        )
        return finish(
            axes,
            title=title,
            x=f"{what}, {100 * self.level:g}% CI",
            alt=f"{title}. {what}: {in_words(names, values, ends)}",
        )

    def _find_row(self, metric: str, arm: Hashable | None) -> ScorecardRow:
        found = [row for row in self.rows if is_one_of(metric, (row.metric,))]
        if not found:
            named = suggest(str(metric), self.metrics)
            raise KeyError(f"metric={metric!r:.60} is not on the scorecard{named}")
        if arm is None and len(found) > 1:
            raise ValueError(
                f"there are {len(found)} arms beside the control; name one of "
                f"{', '.join(map(repr, self.arms))}"
            )
        chosen = [row for row in found if arm is None or is_among(arm, (row.arm,))]
        if not chosen:
            raise KeyError(
                f"arm={arm!r:.60} is no arm; there are {', '.join(map(repr, self.arms))}"
            )
        return chosen[0]

    def _sentence(self, arm: Hashable, style: TableStyle) -> str:
        rows = [row for row in self.rows if row.arm == arm]
        by_outcome = {
            outcome: [style.rename(row.metric) for row in rows if row.outcome == outcome]
            for outcome in ("better", "worse", _NONE_DETECTED, _NO_CONCLUSION)
        }
        words = {_NONE_DETECTED: "{} in", _NO_CONCLUSION: "{} by"}
        parts = [
            f"{words.get(outcome, '{} by').format(outcome)} {_join(names)}"
            for outcome, names in by_outcome.items()
            if names
        ]
        arm_name, control = (style.rename(str(each)) for each in (arm, self.control))
        text = f"{arm_name} against {control}: {'; '.join(parts)}."
        guarded = [row for row in rows if row.guardrail is not None]
        failed = [
            style.rename(row.metric) for row in guarded if row.guardrail and not row.guardrail.holds
        ]
        if failed:
            several = "guardrails do" if len(failed) > 1 else "guardrail does"
            text += f" The {several} not hold: {_join(failed)}."
        elif guarded:
            text += f" No guardrail fails ({len(guarded)} checked)."
        return text

    def _as_columns(self, row: ScorecardRow) -> dict[str, Any]:
        found = row.experiment
        assert found.gain.interval is not None
        rail = row.guardrail
        return {
            "metric": row.metric,
            "kind": row.kind,
            "arm": row.arm,
            "users_control": self.sizes[self.control],
            "users_arm": self.sizes[row.arm],
            "control": found.control,
            "treatment": found.treatment,
            "difference": found.gain.gain,
            "low": found.gain.interval.low,
            "high": found.gain.interval.high,
            "lift": found.lift,
            "lift_low": found.lift_interval.low,
            "lift_high": found.lift_interval.high,
            "p_value": found.gain.p_value,
            "p_adjusted": row.p_adjusted,
            "outcome": row.outcome,
            "variance_ratio": row.variance_ratio,
            "margin": None if rail is None else -rail.low,
            "guardrail_holds": None if rail is None else rail.holds,
        }

    def _names(self) -> list[str]:
        return [*self.metrics, *map(str, self.sizes)]

    def _row_name(self, row: ScorecardRow, style: TableStyle) -> str:
        name = style.rename(row.metric) + (" (lower is better)" if row.lower_is_better else "")
        return name if len(self.arms) == 1 else f"{name}, {style.rename(str(row.arm))}"

    def _view(self, style: TableStyle = DEFAULT_STYLE) -> View:
        control, *others = (style.rename(str(each)) for each in self.sizes)
        with_guardrails = any(row.guardrail for row in self.rows)
        one = len(others) == 1
        interval = f"{100 * self.level:g}% CI"
        headings = [
            "Metric" if one else "Metric, arm",
            control,
            others[0] if one else "Arm",
            f"Difference, {interval}",
            f"Relative, {interval}",
            f"p ({self.correction})",
            "Outcome",
        ]
        kinds = [kind for kind in _METHODS if any(row.kind == kind for row in self.rows)]
        return View(
            title=f"{_join(others)} against {control}",
            headings=headings + ["Guardrail"] * with_guardrails,
            rows={
                self._row_name(row, style): (None, self._cells(row, style, with_guardrails))
                for row in self.rows
            },
            legend=f"Differences are arm minus control: {', '.join(_METHODS[k] for k in kinds)}. "
            f"{self._describe_correction()} Better and worse need an interval that excludes 0 and "
            f"a corrected p of at most {1 - self.level:.3g}."
            + " A guardrail holds if the interval excludes a loss of its margin."
            * with_guardrails,
            protocol_rows=self._protocol_rows(),
            warnings=self.warnings,
            conclusion=self._conclude(style),
        )

    def _describe_correction(self) -> str:
        if len(self.rows) == 1:
            return "There is one row, so nothing has to be corrected."
        return (
            f"p is corrected ({self.correction}) for all {len(self.rows)} rows of this table; the "
            "intervals are not corrected."
        )

    def _cells(self, row: ScorecardRow, style: TableStyle, with_guardrails: bool) -> list[str]:
        found = row.experiment
        gain, lift = found.gain.interval, found.lift_interval
        assert gain is not None
        written = _with_digits(style, gain)
        cells = [written.number(found.control), written.number(found.treatment)]
        if self.mismatch:
            cells += ["–", "–", "–", _NO_CONCLUSION]
        else:
            cells += [
                f"{written.number(gain.estimate, signed=True)} {_ends(gain, written)}".strip(),
                _percent(lift, style),
                format_p_value(row.p_adjusted),
                row.outcome,
            ]
        if with_guardrails:
            cells.append("" if row.guardrail is None else _describe_guardrail(row.guardrail))
        return cells

    def _protocol_rows(self) -> list[tuple[str, str]]:
        sizes = ", ".join(f"{each} {count:,}" for each, count in self.sizes.items())
        expected = " : ".join(f"{count:,.0f}" for count in self.ratio.expected)
        repeats = (
            "one row per user; no column of user ids was named, so repeats were not looked for"
            if self.user is None
            else f"one row per user; no {self.user} occurs twice"
        )
        rows = [
            ("users", f"{sizes}; {repeats}"),
            ("sample ratio", f"p = {self.ratio.p_value:.3g}, expected {expected}"),
        ]
        adjusted = [
            f"{self._row_name(row, DEFAULT_STYLE)}: {1 - row.variance_ratio:.0%} of the variance "
            "explained"
            for row in self.rows
            if row.variance_ratio is not None
        ]
        if adjusted:
            rows.append(
                (
                    "CUPED",
                    f"{'; '.join(adjusted)}. The values of both arms are those after adjustment",
                )
            )
        return rows


def conclude_row(row: ScorecardRow, *, mismatch: bool) -> str:
    """Return the outcome of a row from its interval, corrected p-value and the sample ratio."""
    interval = row.improvement
    if mismatch or interval.n < LEAST_USERS or interval.low == interval.high:
        return _NO_CONCLUSION
    return Conclusion.of(interval, p_value=row.p_adjusted).outcome


def _obstacle(found: Experiment, mismatch: SampleRatio | None) -> str:
    if mismatch is not None:
        return _describe_mismatch(mismatch)
    if found.gain.n < LEAST_USERS:
        return f"{found.gain.n} users are too few, it takes {LEAST_USERS}"
    return "the interval has no width, because the values around the quantile are all the same"


def _describe_mismatch(ratio: SampleRatio) -> str:
    sizes = " and ".join(f"{count:,}" for count in ratio.counts)
    meant = " and ".join(f"{count:,.0f}" for count in ratio.expected)
    return (
        f"sample ratio mismatch, the arms have {sizes} users where {meant} were expected "
        f"(p = {ratio.p_value:.2g}). Find out which users are missing first{_if_unequal(ratio)}"
    )


def _if_unequal(ratio: SampleRatio) -> str:
    """Return the cure of shares that were not stated, where the arms count as equal."""
    if len({*ratio.expected}) > 1:
        return ""
    return (
        ", or give the shares if the arms were not meant to be equal: expected_shares=, or --share "
        "on the command line"
    )


def _describe_guardrail(rail: EquivalenceResult) -> str:
    words = "holds" if rail.holds else "does not hold"
    return f"{words}, margin {-rail.low:g}"


def _with_digits(style: TableStyle, interval: Interval) -> TableStyle:
    """Return a style with two digits of the interval's half width, if no other was asked for."""
    half = interval.half_width
    if style.digits is not None or not (math.isfinite(half) and half > 0):
        return style
    return replace(style, digits=min(max(1 - math.floor(math.log10(half)), 0), 12))


def _ends(interval: Interval, style: TableStyle) -> str:
    return style.interval(tuple(interval)) if _is_finite(interval) else ""


def _percent(lift: Interval, style: TableStyle) -> str:
    scaled = Interval(100 * lift.estimate, 100 * lift.low, 100 * lift.high, lift.level, lift.n)
    written = _with_digits(style, scaled)
    if not math.isfinite(scaled.estimate):
        return "–"
    text = f"{written.number(scaled.estimate, signed=True)}%"
    if not _is_finite(scaled):
        return text
    return f"{text} [{written.number(scaled.low)}%, {written.number(scaled.high)}%]"


def _is_finite(interval: Interval) -> bool:
    return bool(np.isfinite([interval.low, interval.high]).all())


def _join(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
