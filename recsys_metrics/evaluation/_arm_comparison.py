"""An A/B test from a table of users: every metric of every arm against the control."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from recsys_metrics._core.checks import (
    check_choice,
    check_level,
    check_mapping,
    check_positive,
    is_one_of,
)
from recsys_metrics._core.inputs.arrays import FloatArray, refuse_mask
from recsys_metrics._core.inputs.several import read_several
from recsys_metrics.evaluation._experiment_metrics import (
    ExperimentMetric,
    UserTable,
    find_arm,
    open_table,
    read_metrics,
    read_users,
    suggest,
)
from recsys_metrics.evaluation._scorecard import Scorecard, ScorecardRow, conclude_row
from recsys_metrics.protocol.online import (
    EquivalenceResult,
    Experiment,
    ab_test,
    cuped,
    non_inferiority_test,
    quantile_test,
    sample_ratio,
)
from recsys_metrics.protocol.online._covariates import CovariateImbalanceWarning
from recsys_metrics.protocol.online._equivalence import hold_to_margins
from recsys_metrics.protocol.online._quantiles import compare_quantiles
from recsys_metrics.protocol.significance import adjust
from recsys_metrics.protocol.significance._multiple import Adjustment

_OUTCOMES = {"value": "auto", "mean": "amounts", "rate": "hits"}

# What an error of a test calls its arguments, with the index among an arm's users, which are no
# rows of the table; a name in quotes is the caller's.
_PARAMETER = re.compile(
    r"(?<![\w'\"])(?:(control|treatment)(_per|_before)?(?:\[[\d, ]+\])?|before\[(\d+)\])(?![\w'\"])"
)


def scorecard(
    frame: Any,
    *,
    control: Hashable,
    metrics: Sequence[Any] | Mapping[str, Any],
    arm: str | None = None,
    user: str | None = None,
    before: Mapping[str, str | Sequence[str]] | None = None,
    guardrails: Mapping[str, float] | None = None,
    lower_is_better: Collection[str] = (),
    expected_shares: Mapping[Any, float] | None = None,
    correction: Adjustment = "holm",
    level: float = 0.95,
) -> Scorecard:
    """Which metrics did an A/B test change, arm by arm, and can the test be trusted?

    Parameters
    ----------
    frame
        One row per user, everyone who was assigned included: a data frame of pandas, Polars,
        PyArrow, DuckDB or another library, or a mapping from column to values.
    control : object
        The arm that every other one is compared with.
    metrics : sequence, or mapping from name to metric
        Each is a column of numbers, or a text: ``"mean(revenue)"``, ``"rate(converted)"`` of 0 and
        1, ``"ratio(clicks, impressions)"`` of the sums of two columns, or
        ``"quantile(load_time, 0.9)"``. A column alone is a rate if all values are 0 or 1, and a
        mean otherwise. A column whose name has a comma in it is given in a tuple,
        ``("mean", "a, b")``.
    arm : str, optional
        The column that says which arm a user was assigned to; by default the one with a usual
        name, such as ``variant``.
    user : str, optional
        The column of user ids, which is checked for repeats; by default one with a usual name, if
        there is one.
    before : mapping from name of a metric to column or columns, optional
        What was known of each user before the experiment, for CUPED: the same metric of the weeks
        before, as a rule. For a ratio, its numerator and denominator. A user without a value is
        new: an indicator of the new users is a second covariate.
    guardrails : mapping from name of a metric to float, optional
        Metrics that must not become worse, with the loss that would matter, above 0, in the
        metric's unit.
    lower_is_better : collection of str
        The metrics of which less is better, such as load times and bounces.
    expected_shares : mapping from arm to float, optional
        What each arm was meant to get: shares that sum to 1 or 100, or whole numbers, such as
        counts; by default the same.
    correction : str
        As in `protocol.significance.adjust`, for all metrics and arms together.
    level : float
        Confidence of the intervals; 1 minus it is what corrected p-values are compared with.

    Returns
    -------
    Scorecard

    Raises
    ------
    ValueError, TypeError
        If a column is absent, holds text or has a gap, a user has several rows, an arm has no
        users, or as in `protocol.online.ab_test`. The message says which row is wrong.

    Notes
    -----
    The sizes of the arms come first (`protocol.online.sample_ratio`): if they are not as planned,
    there is no conclusion. Each metric of each arm is then compared with the control by
    `protocol.online.ab_test` or `quantile_test`, of values that `cuped` adjusted where `before` has
    the metric. An outcome is better or worse if the interval excludes 0 and the corrected p-value
    is at most 1 minus the level.

    A guardrail is `non_inferiority_test` at an alpha of half of 1 minus the level: it holds exactly
    if the interval of the scorecard excludes a loss of its margin. Since all guardrails have to
    hold, they are not corrected for their number.

    References
    ----------
    Kohavi, Tang and Xu (2020), Trustworthy online controlled experiments, chapters 7, 17 and 21.
    Fabijan et al. (2019), Diagnosing sample ratio mismatch in online controlled experiments, KDD.

    Examples
    --------
    >>> import numpy as np
    >>> from recsys_metrics import scorecard
    >>> rng = np.random.default_rng(0)
    >>> treated = np.arange(2000) % 2 == 1
    >>> views = rng.poisson(20, 2000) + 1
    >>> users = {
    ...     "arm": np.where(treated, "new", "old"),
    ...     "clicks": rng.binomial(views, np.where(treated, 0.12, 0.10)),
    ...     "views": views,
    ...     "seconds": rng.lognormal(1, 0.5, 2000),
    ... }
    >>> card = scorecard(
    ...     users,
    ...     arm="arm",
    ...     control="old",
    ...     metrics={"CTR": "ratio(clicks, views)", "p90 load": "quantile(seconds, 0.9)"},
    ...     lower_is_better=["p90 load"],
    ...     guardrails={"p90 load": 0.6},
    ... )
    >>> print(card.conclusion)
    new against old: better by CTR; no difference detected in p90 load. No guardrail fails (1
    checked).
    """
    check_choice("correction", correction, Adjustment)
    level = check_level(level)
    refuse_mask(lower_is_better, "lower_is_better")
    table, there = open_table(frame)
    arm = find_arm(there) if arm is None else arm
    wanted = read_metrics(metrics, before, there)
    named = {metric.name: metric for metric in wanted}
    margins = _check_guardrails(guardrails, named)
    lower = _check_lower(lower_is_better, named)
    expected = None if expected_shares is None else _check_shares(expected_shares)
    users = read_users(table, wanted, arm=arm, control=control, user=user, expected=expected)
    shares = {each: 1.0 if expected is None else expected[each] for each in users.arms}
    ratio = sample_ratio([*users.sizes.values()], shares=[*shares.values()])
    compared: list[ScorecardRow] = []
    notes: list[str] = []
    for metric in wanted:
        for other in users.arms[1:]:
            pair = _ArmPair(
                metric,
                users,
                other,
                level=level,
                shares=(shares[control], shares[other]),
                lower_is_better=metric.name in lower,
                margin=margins.get(metric.name),
            )
            row, said = pair.compare()
            compared.append(row)
            notes += said
    notes += _count_new_users(wanted, users)
    p_adjusted = adjust([row.experiment.gain.p_value for row in compared], method=correction)
    rows = [replace(row, p_adjusted=float(p)) for row, p in zip(compared, p_adjusted, strict=True)]
    broken = ratio.mismatch or any(row.experiment.ratio.mismatch for row in rows)
    return Scorecard(
        control=control,
        sizes=users.sizes,
        rows=tuple(replace(row, outcome=conclude_row(row, mismatch=broken)) for row in rows),
        ratio=ratio,
        correction=correction,
        level=level,
        user=users.user,
        warnings=tuple(notes),
    )


def _count_new_users(wanted: Sequence[ExperimentMetric], users: UserTable) -> list[str]:
    """Return how many users have no past, metric by metric."""
    notes = []
    for metric in wanted:
        past = [np.isnan(users.numbers[column]) for column in metric.before]
        if n_new := int(np.any(past, axis=0).sum()) if past else 0:
            notes.append(
                f"metric {metric.name!r}: {n_new:,} of {len(users.code):,} users have no value in "
                f"{', '.join(map(repr, metric.before))} and count as new."
            )
    return notes


@dataclass(frozen=True, eq=False)
class _ArmPair:
    """A metric of the control and of another arm, and how they are compared."""

    metric: ExperimentMetric
    users: UserTable
    other: Hashable
    level: float
    shares: tuple[float, float]
    lower_is_better: bool
    margin: float | None

    @property
    def name(self) -> str:
        """What errors and warnings call it."""
        return f"metric {self.metric.name!r}, arm {self.other!r} against {self.users.arms[0]!r}"

    def columns(self, column: str) -> list[FloatArray]:
        """Return the values of the control and of the other arm."""
        return [self.users.of(column, arm) for arm in (self.users.arms[0], self.other)]

    def compare(self) -> tuple[ScorecardRow, list[str]]:
        """Return the row, before the correction, and what is to be kept in mind."""
        kind: str = self.metric.kind
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", UserWarning)
                if kind == "quantile":
                    found, rail = self._compare_quantile()
                    left = None
                else:
                    found, rail, left = self._compare_values()
        except ValueError as problem:
            raise ValueError(f"{self.name}: {self._in_own_words(problem)}") from None
        if kind == "value":
            values = np.concatenate(self.columns(self.metric.columns[0]))
            kind = "rate" if ((values == 0) | (values == 1)).all() else "mean"
        row = ScorecardRow(
            metric=self.metric.name,
            kind=kind,
            arm=self.other,
            experiment=found,
            p_adjusted=math.nan,
            lower_is_better=self.lower_is_better,
            variance_ratio=left,
            guardrail=rail,
            outcome="",
        )
        return row, [f"{self.name}: {self._name_columns(each.message)}." for each in caught]

    def _in_own_words(self, problem: Exception) -> str:
        """Return an error of a test with columns and arms in place of the test's parameters."""

        def rename(found: re.Match[str]) -> str:
            group, role, index = found.groups()
            if group is None:
                return self._name_covariate(int(index))
            arm = self.users.arms[0] if group == "control" else self.other
            columns = self.metric.columns[:1]
            if role == "_per":
                columns = self.metric.columns[1:]
            elif role == "_before":
                columns = self.metric.before
            return f"column {' or '.join(map(repr, columns))} of arm {arm!r}"

        return _PARAMETER.sub(rename, str(problem))

    def _name_covariate(self, number: int) -> str:
        if number < len(self.metric.before):
            return f"column {self.metric.before[number]!r}"
        return "whether a user is new (1 or 0)"

    def _name_columns(self, message: Warning | str) -> Warning | str:
        """Return a warning of `cuped` with the names of the columns, and any other as it is."""
        if not isinstance(message, CovariateImbalanceWarning):
            return message
        if message.column < len(self.metric.before):
            column = self.metric.before[message.column]
            return message.rename(f"the values of column {column!r} in both arms")
        return message.rename("the shares of users without a past in both arms")

    def _compare_quantile(self) -> tuple[Experiment, EquivalenceResult | None]:
        assert self.metric.quantile is not None
        values, shares = self.columns(self.metric.columns[0]), self.shares
        found = quantile_test(
            *values, quantile=self.metric.quantile, level=self.level, shares=shares
        )
        if self.margin is None:
            return found, None
        if self.lower_is_better:
            values, shares = values[::-1], shares[::-1]
        old, new = map(np.sort, values)
        test = compare_quantiles(old, new, self.metric.quantile, shares=shares)
        return found, hold_to_margins(test, -self.margin, math.inf, self._alpha)

    def _compare_values(self) -> tuple[Experiment, EquivalenceResult | None, float | None]:
        values, shares = self.columns(self.metric.columns[0]), self.shares
        per: list[Any] = [None, None]
        if self.metric.kind == "ratio":
            per = self.columns(self.metric.columns[1])
        outcome: Any = _OUTCOMES.get(self.metric.kind, "auto")
        left = None
        if self.metric.before:
            past = self._read_past()
            adjusted = cuped(
                *values,
                control_before=past[0],
                treatment_before=past[1],
                control_per=per[0],
                treatment_per=per[1],
            )
            values, per = [adjusted.control, adjusted.treatment], [None, None]
            left, outcome = adjusted.variance_ratio, "amounts"
        found = ab_test(
            *values,
            control_per=per[0],
            treatment_per=per[1],
            outcome=outcome,
            level=self.level,
            shares=shares,
        )
        if self.margin is None:
            return found, None, left
        if self.lower_is_better:
            values, per, shares = values[::-1], per[::-1], shares[::-1]
        rail = non_inferiority_test(
            *values,
            margin=self.margin,
            alpha=self._alpha,
            control_per=per[0],
            treatment_per=per[1],
            outcome=outcome,
            shares=shares,
        )
        return found, rail, left

    def _read_past(self) -> list[FloatArray]:
        """Return what was known of the users of both arms, with an indicator of new users.

        A user without a past has 0 in its place, so that the indicator takes up the difference.
        """
        columns = [*zip(*map(self.columns, self.metric.before), strict=True)]
        past = [np.column_stack(of_arm) for of_arm in columns]
        is_new = [np.isnan(of_arm).any(axis=1, keepdims=True) for of_arm in past]
        every = np.concatenate(is_new)
        if every.all():
            names = ", ".join(map(repr, self.metric.before))
            raise ValueError(f"no user has a past in {names}; leave it out of before")
        known = [np.where(new, 0.0, of_arm) for new, of_arm in zip(is_new, past, strict=True)]
        if not every.any():
            return known
        return [np.hstack([of_arm, new]) for of_arm, new in zip(known, is_new, strict=True)]

    @property
    def _alpha(self) -> float:
        """The alpha at which a guardrail is held to the interval that the scorecard shows."""
        return (1 - self.level) / 2


def _check_guardrails(
    given: Mapping[str, float] | None, named: Mapping[str, ExperimentMetric]
) -> dict[str, float]:
    if given is None:
        return {}
    check_mapping("guardrails", given, "from a metric to the loss that would matter")
    for name in given:
        if name not in named:
            raise ValueError(
                f"guardrails has {name!r:.80}, which is no metric{suggest(name, named)}"
            )
    return {
        name: check_positive(f"the margin of guardrail {name!r}", margin)
        for name, margin in given.items()
    }


def _check_lower(given: Collection[str], named: Mapping[str, ExperimentMetric]) -> set[str]:
    names = read_several("lower_is_better", given, "names of metrics", alone=str)
    for name in names:
        if not is_one_of(name, named):
            raise ValueError(
                f"lower_is_better has {name!r:.60}, which is no metric{suggest(str(name), named)}"
            )
    return {*names}


def _check_shares(given: Mapping[Any, float]) -> dict[Any, float]:
    check_mapping("expected_shares", given, "from an arm to its share of the users")
    shares = {
        arm: check_positive(f"the expected share of arm {arm!r}", share)
        for arm, share in given.items()
    }
    check_sum_of_shares("expected_shares", shares)
    return shares


def check_sum_of_shares(name: str, shares: Mapping[Any, float]) -> None:
    """Raise if shares are no parts of 1 or of 100, and no whole numbers such as counts."""
    total = math.fsum(shares.values())
    # Thirds are written 0.33.
    is_whole = any(abs(total - whole) <= 0.011 * whole for whole in (1, 100))
    if shares and not is_whole and not all(float(each).is_integer() for each in shares.values()):
        listed = ", ".join(f"{arm!r}: {share:g}" for arm, share in shares.items())
        raise ValueError(
            f"{name} sum to {total:g} ({listed}); shares of the users sum to 1, or to 100 in per "
            "cent, and a ratio or the planned numbers of users are whole numbers, 2 and 1"
        )
