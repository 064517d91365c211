"""Did a recommender get worse? Checks of paired differences against margins, for a build."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.checks import check_choice, check_level, check_positive, is_one_of
from recsys_metrics._core.confidence_intervals import Bounds, all_or_nothing, of_gain
from recsys_metrics._core.inputs.arrays import refuse_mask
from recsys_metrics._core.inputs.ids import refuse_names_alike
from recsys_metrics._core.plotting import draw_intervals, finish, in_words, plots
from recsys_metrics.evaluation._aggregate import PairedAggregates, interval_and_p_of_gain
from recsys_metrics.evaluation._comparability import Users, prepare_comparison
from recsys_metrics.evaluation._comparison import find_among, find_shared_measures
from recsys_metrics.evaluation._grouped import find_grouping
from recsys_metrics.evaluation._rendering import RenderableTable, View
from recsys_metrics.evaluation._report import Report
from recsys_metrics.evaluation._table_style import DEFAULT_STYLE, TableStyle, names_of_measures
from recsys_metrics.measures import Measure
from recsys_metrics.measures._catalogue import Better
from recsys_metrics.protocol.significance import Interval
from recsys_metrics.protocol.significance._conclusion import LEAST_USERS, count_decimals
from recsys_metrics.protocol.significance._intervals import explain_missing_interval
from recsys_metrics.protocol.significance._power import (
    check_power,
    paired_sample_size,
    smallest_sample,
    unchanged_sample_size,
)

GateOutcome = Literal["pass", "fail", "undecided"]
GateCorrection = Literal["bonferroni", "sidak", "none"]

# With more margins to a standard deviation, it would take more users than there are people.
_MOST_MARGINS = 1e5

_METHODS = {"bonferroni": "Bonferroni", "sidak": "Šidák"}


@dataclass(frozen=True)
class GateRule:
    """How much a metric may lose, for all users or for groups of users.

    Attributes
    ----------
    metric : str or Measure
        A metric with per-user values.
    margin : float
        The largest loss that is accepted, above 0, in the unit of the metric. Choose it before
        you look at the candidate.
    direction : {"higher", "lower"} or None
        Which side is better; needed only for a metric of which neither side is.
    groups : sequence of groups, "each" or None
        Groups that may not lose, with a check for each; "each" stands for every group there is.
        By default there is one check, of all users.

    Examples
    --------
    >>> from recsys_metrics.evaluation import GateRule
    >>> GateRule("ndcg@10", 0.01, groups=["new users"])
    GateRule(metric='ndcg@10', margin=0.01, direction=None, groups=('new users',))
    """

    metric: str | Measure
    margin: float
    direction: Better | None = None
    groups: Sequence[Hashable] | Literal["each"] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.metric, str | Measure):
            raise TypeError(
                f"metric is a text such as 'ndcg@10' or a Measure; got {self.metric!r:.60}"
            )
        object.__setattr__(self, "margin", check_positive(f"the margin of {self}", self.margin))
        if self.direction is not None:
            check_choice(f"the direction of {self}", self.direction, Better)
        if self.groups is None or is_one_of(self.groups, ("each",)):
            return
        texts = isinstance(self.groups, str | bytes | bytearray | memoryview)
        if texts or not (isinstance(self.groups, Sequence) and len(self.groups)):
            raise ValueError(
                f"the groups of {self} are a list of groups that may not lose, or 'each' for "
                f"every group; got {self.groups!r:.80}"
            )
        object.__setattr__(self, "groups", tuple(self.groups))

    def __str__(self) -> str:
        return str(self.metric)


@dataclass(frozen=True)
class GateCheck:
    """One check of a gate: a difference, its interval, and what follows from the margin.

    Attributes
    ----------
    measure : Measure
    group : hashable or None
        The group of users; None for all users.
    direction : {"higher", "lower"}
        Which side of the metric is better.
    margin : float
        The largest loss that is accepted.
    candidate, baseline : float
        The two means, over the users who have both values.
    estimate : float
        The mean difference of the users, candidate minus baseline; the other way round if lower is
        better, so that a positive difference is always an improvement.
    interval : Interval or None
        Of the estimate, at a level that is corrected for the number of checks; None if the users'
        values allow none.
    n : int
        How many users have both values.
    standard_deviation : float
        Of the users' differences.
    outcome : {"pass", "fail", "undecided"}
        "fail" if the interval lies below minus the margin, "pass" if it lies above, "undecided"
        if it does neither, or if there are fewer than 20 users.
    users_to_decide : int or None
        How many users would make the check pass with the power of the gate if the true difference
        were 0: from the margin and the standard deviation, not from the estimate. None if nothing
        is known of the standard deviation, or the margin is so small that no number would do.

    Examples
    --------
    >>> from recsys_metrics import evaluate, gate
    >>> truth = [{"A"}] * 40
    >>> old = evaluate([["A"]] * 30 + [["B"]] * 10, truth, ["hit_rate@1"], name="old")
    >>> new = evaluate([["A"]] * 28 + [["B"]] * 12, truth, ["hit_rate@1"], name="new")
    >>> (check,) = gate(new, old, rules={"hit_rate@1": 0.1}).checks
    >>> round(check.estimate, 3), check.n, check.outcome, check.users_to_decide
    (-0.05, 40, 'undecided', 65)
    """

    measure: Measure
    group: Hashable | None
    direction: Better
    margin: float
    candidate: float
    baseline: float
    estimate: float
    interval: Interval | None
    n: int
    standard_deviation: float
    outcome: GateOutcome
    users_to_decide: int | None

    @property
    def name(self) -> str:
        """The metric, and the group if it is a check of one."""
        return self.measure.label if self.group is None else f"{self.measure.label}, {self.group}"


@dataclass(frozen=True, eq=False, repr=False)
class GateResult(RenderableTable):
    """Whether a candidate got worse than a baseline, check by check; made by `gate`.

    Attributes
    ----------
    candidate, baseline : str
        Names of the two reports.
    checks : tuple of GateCheck
    correction : str
        How the levels of the intervals were corrected for the number of checks.
    level : float
        The confidence of all intervals together.
    power : float
        For which the number of users is given that would decide a check.
    warnings : tuple of str
        How the two evaluations differ, and who was left out.

    Examples
    --------
    >>> from recsys_metrics import evaluate, gate
    >>> truth = [{"A"}] * 200
    >>> old = evaluate([["A"]] * 150 + [["B"]] * 50, truth, ["hit_rate@1"], name="old")
    >>> new = evaluate([["A"]] * 100 + [["B"]] * 100, truth, ["hit_rate@1"], name="new")
    >>> result = gate(new, old, rules={"hit_rate@1": 0.1})
    >>> result.outcome
    'fail'
    >>> print(result.conclusion)
    Outcome: fail. The candidate lost more than the margin in the only check (hit_rate@1).
    """

    candidate: str
    baseline: str
    checks: tuple[GateCheck, ...]
    correction: GateCorrection
    level: float
    power: float
    warnings: tuple[str, ...] = ()

    @property
    def outcome(self) -> GateOutcome:
        """The outcome: "fail" if any check fails, "pass" if all pass, otherwise "undecided"."""
        outcomes = {check.outcome for check in self.checks}
        if "fail" in outcomes:
            return "fail"
        return "pass" if outcomes == {"pass"} else "undecided"

    @property
    def conclusion(self) -> str:
        """The outcome in a sentence, with the checks that it depends on."""
        count = len(self.checks)
        named = [check.name for check in self.checks if check.outcome == self.outcome]
        number = "the only check" if count == 1 else f"{len(named)} of {count} checks"
        which = f"{number} ({'; '.join(named)})"
        if self.outcome == "fail":
            return f"Outcome: fail. The candidate lost more than the margin in {which}."
        if self.outcome == "undecided":
            return f"Outcome: undecided. The data do not decide {which}."
        return f"Outcome: pass. A loss of the margin or more is excluded in {which}."

    def explain(self, check: GateCheck) -> str:
        """Return why a check has its outcome, in a sentence.

        Parameters
        ----------
        check : GateCheck
            One of `checks`.

        Examples
        --------
        >>> from recsys_metrics import evaluate, gate
        >>> truth = [{"A"}] * 40
        >>> old = evaluate([["A"]] * 30 + [["B"]] * 10, truth, ["hit_rate@1"], name="old")
        >>> new = evaluate([["A"]] * 28 + [["B"]] * 12, truth, ["hit_rate@1"], name="new")
        >>> result = gate(new, old, rules={"hit_rate@1": 0.1})
        >>> print(result.explain(result.checks[0]))
        hit_rate@1: the difference is -0.050, 95% CI -0.169 to 0.048 (n = 40 users), and the margin
        is 0.1. The interval contains -0.1, so the check is undecided. If the true difference were
        0, 65 users would decide it with a probability of 80%.
        """
        if not isinstance(check, GateCheck):
            raise TypeError(f"check is one of the checks of a gate; got {check!r:.60}")
        return " ".join([*_explain(check), *self._advise(check)])

    def _advise(self, check: GateCheck) -> Iterator[str]:
        """Yield how many users would decide what is undecided."""
        if check.outcome != "undecided" or check.users_to_decide is None:
            return
        whose = "users" if check.group is None else "users of the group"
        yield (
            f"If the true difference were 0, {check.users_to_decide:,} {whose} would decide it "
            f"with a probability of {100 * self.power:g}%."
        )
        if check.n >= check.users_to_decide:
            yield (
                f"There are {check.n:,}, so the true difference is probably closer to the margin "
                "than to 0, and more users may be needed."
            )

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns of `to_frame`, one row per check."""
        checks = self.checks
        ends = [(np.nan, np.nan) if c.interval is None else tuple(c.interval) for c in checks]
        return {
            "measure": [check.measure.label for check in checks],
            "group": [check.group for check in checks],
            "direction": [check.direction for check in checks],
            "candidate": [check.candidate for check in checks],
            "baseline": [check.baseline for check in checks],
            "estimate": [check.estimate for check in checks],
            "low": [low for low, _ in ends],
            "high": [high for _, high in ends],
            "margin": [check.margin for check in checks],
            "users": [check.n for check in checks],
            "outcome": [check.outcome for check in checks],
            "users_to_decide": [check.users_to_decide for check in checks],
        }

    @plots
    def plot(self, *, axes: Any = None) -> Any:
        """Draw the differences in units of their margins: a check passes to the right of -1."""
        names = [f"{check.name}: {check.outcome}" for check in self.checks]
        values = [check.estimate / check.margin for check in self.checks]
        ends = [
            None if check.interval is None else [end / check.margin for end in check.interval]
            for check in self.checks
        ]
        axes = draw_intervals(axes, names, values, ends, zero=True)
        axes.axvline(-1, color="black", linewidth=1, linestyle="--")
        alt = f"{self.conclusion} Differences in units of the margin: "
        x = f"difference in margins (dashed: -1), {self._interval_name}"
        return finish(
            axes,
            title=self.conclusion.removesuffix("."),
            x=x,
            alt=alt + in_words(names, values, ends),
        )

    @property
    def _interval_name(self) -> str:
        together = "simultaneous " if len(self.checks) > 1 and self.correction != "none" else ""
        return f"{together}{100 * self.level:g}% CI"

    def _names(self) -> list[str]:
        measures = [check.measure for check in self.checks]
        return [self.candidate, self.baseline, *names_of_measures(measures)]

    def _view(self, style: TableStyle = DEFAULT_STYLE) -> View:
        candidate, baseline = map(style.rename, (self.candidate, self.baseline))
        return View(
            title=f"Gate: {candidate} against {baseline}",
            headings=[
                "Check",
                candidate,
                baseline,
                "Difference",
                self._interval_name,
                "Margin",
                "Users",
                "Outcome",
                "Users to decide",
            ],
            rows={_row_name(check, style): (None, _cells(check, style)) for check in self.checks},
            legend=self._legend,
            conclusion=self.conclusion,
            warnings=[
                *(self.explain(check) for check in self.checks if check.outcome == "undecided"),
                *self.warnings,
            ],
        )

    @property
    def _legend(self) -> str:
        count = len(self.checks)
        used = _level_of_check(self.level, count, self.correction)
        if count == 1:
            levels = "There is one check, so its level is not corrected. "
        elif self.correction == "none":
            levels = (
                f"The intervals are not corrected: each of the {count} has a level of "
                f"{100 * self.level:g}%. "
            )
        else:
            levels = (
                f"The intervals are simultaneous: each has a level of {100 * used:.4g}% "
                f"({_METHODS[self.correction]}'s correction for {count} checks), so that all of "
                f"them together contain the true differences with {100 * self.level:g}% "
                "confidence. "
            )
        return (
            "Differences are paired by user, candidate minus baseline, with the sign reversed if "
            "lower is better: a positive difference is an improvement. " + levels + "A check fails "
            "if its interval lies below minus the margin, passes if it lies above, and is "
            f"undecided otherwise, and with fewer than {LEAST_USERS} users. The last column is the "
            f"number of users with which it passes with a probability of {100 * self.power:g}% if "
            "the true difference is 0; it follows from the margin and the standard deviation of "
            "the users' differences."
        )


def gate(
    candidate: Report,
    baseline: Report,
    *,
    rules: Mapping[str | Measure, float] | Sequence[GateRule],
    groups: str | ArrayLike | Any | None = None,
    correction: GateCorrection = "bonferroni",
    level: float = 0.95,
    power: float = 0.8,
    users: Users = "same",
) -> GateResult:
    r"""Did a recommender get worse by more than you accept?

    Parameters
    ----------
    candidate, baseline : Report
        Of the same users and truths, with the values of each user.
    rules : mapping from metric to margin, or sequence of GateRule
        How much each metric may lose; a `GateRule` may also name groups of users and a direction.
    groups : str, (n,) array, mapping or frame, optional
        As in `Report.by`, if a rule names groups. By default the one grouping that the candidate
        was evaluated with.
    correction : {"bonferroni", "sidak", "none"}
        How the levels of the intervals are corrected for the number of checks.
    level : float
        The confidence of all intervals together.
    power : float
        For which the number of users is given that would decide a check.
    users : {"same", "shared"}
        As in `Report.compare`: whether different users are an error, or the reports are compared
        on those that both have.

    Returns
    -------
    GateResult
        Its `outcome` is "fail" if any check fails, "pass" if all pass, otherwise "undecided".

    Raises
    ------
    TypeError, ValueError
        If there is no rule, a metric is missing, has no per-user values or no better side, a margin
        allows every loss, there is no such group, or the users, truths, thresholds or numbers of
        sampled candidates of the reports differ.

    Notes
    -----
    Each check is decided by the interval of `protocol.significance.gain_interval`, from
    :math:`l` to :math:`h`, of the mean of the users' differences, and by the margin :math:`m`:
    it fails if :math:`h < -m` and passes if :math:`l > -m`. For :math:`c` checks and
    :math:`\alpha` = 1 - `level`, the interval has the level :math:`1 - \alpha / c` (Bonferroni) or
    :math:`(1 - \alpha)^{1/c}` (Šidák), so that the probability of any wrong outcome is at most
    :math:`\alpha`. An interval at this level is two-sided, so a single check of a candidate that
    loses exactly the margin passes wrongly with a probability of :math:`\alpha / 2`.

    The number of users that would decide a check is the smallest :math:`n` for which a paired
    t-test against :math:`-m` at level :math:`\alpha / (2c)` reaches the power if the true
    difference is 0: about :math:`(z_{1 - \alpha / (2c)} + z_{power})^2 s^2 / m^2`, where :math:`s`
    is the standard deviation of the users' differences. For hits it is the number at which the
    exact interval of as many users who gain as who lose leaves that power. The estimate is not
    used, because the power for an observed difference says no more than its p-value.

    References
    ----------
    Piaggio et al. (2012), Reporting of noninferiority and equivalence randomized trials, JAMA
    308(24). Hoenig and Heisey (2001), The abuse of power, The American Statistician 55(1).
    Dunn (1961), Multiple comparisons among means, JASA 56(293). Šidák (1967), JASA 62.

    Examples
    --------
    >>> from recsys_metrics import evaluate, gate
    >>> truth = [{"A"}] * 400
    >>> old = evaluate([["A"]] * 300 + [["B"]] * 100, truth, ["hit_rate@1"], name="old")
    >>> new = evaluate([["A"]] * 299 + [["B"]] * 101, truth, ["hit_rate@1"], name="new")
    >>> gate(new, old, rules={"hit_rate@1": 0.02}).outcome
    'pass'
    """
    level = check_level(level)
    check_choice("correction", correction, GateCorrection)
    check_power(power, 1 - level)
    for words, report in (("candidate", candidate), ("baseline", baseline)):
        if not isinstance(report, Report):
            raise TypeError(f"{words} must be a report, as evaluate returns it; got {report!r:.60}")
    refuse_mask(groups, "groups")
    read = _read_rules(rules)
    if groups is not None and all(rule.groups is None for rule in read):
        raise ValueError(
            "groups= was given, but no rule is about groups; write GateRule(metric, margin, "
            "groups='each') for all of them, or leave groups= out"
        )
    (new, old), warnings = prepare_comparison([candidate, baseline], users)
    shared = find_shared_measures([new, old])
    resolved = [_resolve(rule, find_among([rule.metric], shared)[0]) for rule in read]
    planned = [*_plan(resolved, new, old, groups)]
    _refuse_duplicates(planned)
    used = _level_of_check(level, len(planned), correction)
    return GateResult(
        candidate=new.name,
        baseline=old.name,
        checks=tuple(_check(*each, level=used, power=power) for each in planned),
        correction=correction,
        level=level,
        power=float(power),
        warnings=tuple(warnings),
    )


@dataclass(frozen=True)
class _ResolvedRule:
    """A rule whose metric both reports have, and whose better side is known."""

    measure: Measure
    margin: float
    direction: Better
    groups: Sequence[Hashable] | Literal["each"] | None


_Planned = tuple[_ResolvedRule, Hashable | None, PairedAggregates]


def _read_rules(rules: Any) -> list[GateRule]:
    if isinstance(rules, Mapping):
        rules = [GateRule(metric, margin) for metric, margin in rules.items()]
    read = list(rules) if isinstance(rules, Sequence) and not isinstance(rules, str) else []
    if not read:
        raise ValueError(
            "rules says how much each metric may lose, for example {'ndcg@10': 0.01}; "
            f"got {rules!r:.80}"
        )
    for rule in read:
        if not isinstance(rule, GateRule):
            raise TypeError(
                "rules is a mapping from metric to margin, or a list of GateRule; it holds "
                f"{rule!r:.80}"
            )
    return read


def _resolve(rule: GateRule, measure: Measure) -> _ResolvedRule:
    """Return a rule of a metric that can be decided by users, with its better side."""
    better = measure.metric.better
    if not measure.metric.per_user:
        raise ValueError(
            f"{measure.label} is an aggregate over all lists and has no per-user values, so its "
            "difference has no confidence interval and no gate can decide on it; leave it out"
        )
    if better is None and rule.direction is None:
        raise ValueError(
            f"neither a higher nor a lower {measure.label} is better by itself; give the "
            'direction that you want: direction = "higher" or "lower"'
        )
    if better is not None and rule.direction not in (None, better):
        raise ValueError(
            f"a {better} {measure.label} is better, and its direction is given as "
            f"{rule.direction!r}; leave direction out"
        )
    low, high = measure.metric.bounds
    if rule.margin >= high - low:
        raise ValueError(
            f"the margin of {measure.label} is {rule.margin:g}, and its values lie between "
            f"{low:g} and {high:g}, so that nothing could fail; give a smaller margin"
        )
    direction: Any = better or rule.direction
    return _ResolvedRule(measure, rule.margin, direction, rule.groups)


def _plan(
    rules: Sequence[_ResolvedRule], new: Report, old: Report, groups: Any
) -> Iterator[_Planned]:
    """Yield what is to be checked, in the order of the rules and groups."""
    measures = list(dict.fromkeys(rule.measure for rule in rules))
    ours, theirs = new.user_values.in_memory, old.user_values.in_memory
    paired = ours.paired(theirs, measures)
    by_group: Mapping[Measure, Mapping[Hashable, PairedAggregates]] = {}
    if any(rule.groups is not None for rule in rules):
        _, by_group = ours.paired_by_group(theirs, _choose_groups(new, groups), measures)
    for rule in rules:
        if rule.groups is None:
            yield rule, None, paired[rule.measure]
            continue
        there = by_group[rule.measure]
        names = [*there] if rule.groups == "each" else rule.groups
        for name in names:
            group = _find_group(name, [*there], rule)
            yield rule, group, there[group]


def _choose_groups(report: Report, groups: Any) -> Any:
    """Return the groups of users that were given, or the one grouping of the report."""
    if groups is None:
        names = [*report.groups]
        if len(names) != 1:
            there = f"several groupings ({', '.join(names)})" if names else "no grouping"
            raise ValueError(
                f"a rule names groups, and the report of the candidate has {there}; pass the "
                "group of each user as groups="
            )
        groups = names[0]
    return find_grouping(report.groups, groups)[1]


def _find_group(name: Hashable, there: Sequence[Hashable], rule: _ResolvedRule) -> Hashable:
    """Return the group that a name means; one that is read from a file may be text for a number."""
    for known in there:
        if known == name or str(known) == str(name):
            return known
    refuse_names_alike(
        [name, *there], f"{rule.measure.label}: the rule and the users have the groups"
    )
    listed = ", ".join(map(str, there))
    raise ValueError(f"{rule.measure.label}: there is no group {name!r}; there are {listed}")


def _refuse_duplicates(planned: Sequence[_Planned]) -> None:
    seen = set()
    for rule, group, _ in planned:
        if (rule.measure, group) in seen:
            whose = "all users" if group is None else f"group {group}"
            raise ValueError(f"there are two rules for {rule.measure.label} of {whose}; keep one")
        seen.add((rule.measure, group))


def _level_of_check(level: float, count: int, correction: GateCorrection) -> float:
    """Return the level of the interval of each check."""
    if correction == "bonferroni":
        return check_level(1 - (1 - level) / count)
    return check_level(level ** (1 / count)) if correction == "sidak" else level


def _check(
    rule: _ResolvedRule,
    group: Hashable | None,
    pairs: PairedAggregates,
    *,
    level: float,
    power: float,
) -> GateCheck:
    # Without the gains of the users no test is made, which would cost time and is not needed.
    interval, _ = interval_and_p_of_gain(rule.measure, replace(pairs, changed=None), level=level)
    estimate = pairs.gain.mean
    if rule.direction == "lower":
        estimate = -estimate + 0.0
        if interval is not None:
            interval = replace(interval, estimate=estimate, low=-interval.high, high=-interval.low)
    return GateCheck(
        measure=rule.measure,
        group=group,
        direction=rule.direction,
        margin=rule.margin,
        candidate=pairs.new,
        baseline=pairs.old,
        estimate=estimate,
        interval=interval,
        n=pairs.gain.n,
        standard_deviation=pairs.gain.standard_deviation,
        outcome=_decide(interval, rule.margin),
        users_to_decide=_count_users_to_decide(rule, pairs, level, power),
    )


def _decide(interval: Interval | None, margin: float) -> GateOutcome:
    if interval is None or interval.n < LEAST_USERS:
        return "undecided"
    if interval.high < -margin:
        return "fail"
    return "pass" if interval.low > -margin else "undecided"


def _count_users_to_decide(
    rule: _ResolvedRule, pairs: PairedAggregates, level: float, power: float
) -> int | None:
    """Return how many users would decide a check if the true difference were 0."""
    deviation = pairs.gain.standard_deviation
    low, high = rule.measure.metric.bounds
    if math.isnan(deviation) or deviation > _MOST_MARGINS * rule.margin:
        return None
    if deviation > 0 and _are_hits(pairs, (low, high)):
        wanted = smallest_sample(
            lambda n: margin_to_decide_hits(deviation, n, (low, high), level, power) <= rule.margin,
            (2.8 * deviation / rule.margin) ** 2,
        )
    elif deviation > 0:
        wanted = paired_sample_size(rule.margin, sd=deviation, alpha=1 - level, power=power)
    elif pairs.better + pairs.worse == 0 and high - low < _MOST_MARGINS**2 * rule.margin:
        # Nobody changed: the interval is as wide as a kind of user that is not in the sample.
        wanted = unchanged_sample_size(rule.margin / (high - low), level=level)
    else:
        return None
    return max(LEAST_USERS, wanted)


def _are_hits(pairs: PairedAggregates, bounds: Bounds) -> bool:
    """Return whether every difference is 0 or the whole distance between the bounds."""
    gain, changed = pairs.gain, pairs.better + pairs.worse
    found = all_or_nothing(gain.mean, gain.standard_deviation, gain.n, changed, bounds)
    return bool(found)


def margin_to_decide_hits(
    deviation: float, n: int, bounds: Bounds, level: float, power: float
) -> float:
    """Return the margin that no true difference of hits passes with a power.

    The interval of hits is exact, and wider than Student's where few users change. It is that of
    as many users who gain as who lose.
    """
    from scipy.special import ndtri

    scale = bounds[1] - bounds[0]
    changed = n * (deviation / scale) ** 2 / 2
    spread = deviation * math.sqrt(n / (n - 1))
    low, _ = of_gain(0.0, spread, n, changed, changed, bounds, level)
    return float(-low + ndtri(power) * deviation / math.sqrt(n))


def _explain(check: GateCheck) -> Iterator[str]:
    """Yield the difference and what follows from its interval."""
    if check.interval is None:
        why = explain_missing_interval(check.n, gain=True)
        yield f"{check.name}: there is no interval of the difference, {why}."
        return
    style = _precise_style(check, DEFAULT_STYLE)
    low, high = map(style.number, check.interval)
    yield (
        f"{check.name}: the difference is {style.number(check.estimate)}, "
        f"{100 * check.interval.level:.4g}% CI {low} to {high} (n = {check.n:,} users), and the "
        f"margin is {check.margin:g}."
    )
    bound = f"-{check.margin:g}"
    if check.outcome == "fail":
        yield f"The interval lies below {bound}, so the candidate lost more than the margin."
    elif check.outcome == "pass":
        yield f"The interval lies above {bound}, so a loss of the margin or more is excluded."
    elif check.n < LEAST_USERS:
        yield f"Fewer than {LEAST_USERS} users decide nothing."
    else:
        yield f"The interval contains {bound}, so the check is undecided."


def _precise_style(check: GateCheck, style: TableStyle) -> TableStyle:
    """Return a style with enough decimals to show on which side of the margin an end is."""
    if style.digits is not None or check.interval is None or max(map(abs, check.interval)) >= 100:
        return style
    low, high = check.interval
    return replace(style, digits=count_decimals(low, high, -check.margin))


def _row_name(check: GateCheck, style: TableStyle) -> str:
    name = style.rename_measure(check.measure)
    return name if check.group is None else f"{name}, {check.group}"


def _cells(check: GateCheck, style: TableStyle) -> list[str]:
    precise = _precise_style(check, style)
    return [
        style.number(check.candidate),
        style.number(check.baseline),
        precise.number(check.estimate, signed=True),
        precise.interval(check.interval),
        f"{check.margin:g}",
        f"{check.n:,}",
        check.outcome,
        "" if check.users_to_decide is None else f"{check.users_to_decide:,}",
    ]
