"""Comparison of recommenders by several goals: front, hypervolume, distance, and weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

from recsys_metrics._core.checks import (
    check_count,
    check_level,
    check_mapping,
    check_real,
    check_resamples,
    generator,
)
from recsys_metrics._core.colors import CYCLE, GREY
from recsys_metrics._core.inputs.arrays import FloatArray
from recsys_metrics._core.plotting import axes_for, finish, plots
from recsys_metrics.evaluation._comparability import Users, prepare_comparison, values_in_step
from recsys_metrics.evaluation._comparison import find_among, find_shared_measures
from recsys_metrics.evaluation._leaderboard import index_by_name
from recsys_metrics.evaluation._pareto import on_front, volume_of
from recsys_metrics.evaluation._rendering import RenderableTable, View
from recsys_metrics.evaluation._report import Report
from recsys_metrics.evaluation._table_style import DEFAULT_STYLE, TableStyle, names_of_measures
from recsys_metrics.measures import Measure
from recsys_metrics.measures._measure_mapping import find_measure
from recsys_metrics.protocol.significance import Interval, adjust, paired_t_test

OfGoals = Mapping[str | Measure, float]

_LEAST_USERS = 20
_LEAST_RESAMPLES = 100
_COUNTS_AT_ONCE = 4_000_000
"""How often each user is drawn, in this many counts at a time."""


@dataclass(frozen=True)
class WinnerChange:
    """A weight at which another recommender becomes the best.

    Attributes
    ----------
    goal : Measure
        The goal whose weight grows; the weights of the others keep their proportions.
    weight : float
        Share of the goal in the sum of all weights.
    interval : Interval
        Of the weight, over users; an end at 0 or 1 means that one of the two may be better at every
        weight.
    before, after : str
        The best recommender below and above the weight.

    Examples
    --------
    >>> from recsys_metrics.evaluation import compare_goals
    >>> from recsys_metrics import evaluate
    >>> truth = [{"A", "C"}] * 60
    >>> rows = {"early": [["A", "B", "D"]] * 60, "both": [["B", "A", "C"]] * 60}
    >>> reports = [evaluate(row, truth, ["mrr@3", "recall@3"], name=n) for n, row in rows.items()]
    >>> (change,) = compare_goals(reports, n_resamples=200).changes
    >>> change.goal.label, change.weight, change.before, change.after
    ('mrr@3', 0.5, 'both', 'early')
    """

    goal: Measure
    weight: float
    interval: Interval
    before: str
    after: str


@dataclass(frozen=True, eq=False, repr=False)
class GoalComparison(RenderableTable):
    """Recommenders that are compared by several goals; made by `compare_goals`.

    Attributes
    ----------
    goals : tuple of Measure
    values : mapping from name to mapping from Measure to Interval
        The mean of each goal, with its simultaneous interval.
    front : tuple of str
        The recommenders on the Pareto front, by their means.
    front_shares : mapping from name to float
        In which share of the resamples each is on the front.
    dominated_by : mapping from name to tuple of str
        Recommenders that are better in every goal, by a test that is corrected for all pairs.
    hypervolume : Interval
        Of the front, between the reference and the ideal: 1 is the ideal.
    contributions : mapping from name to Interval
        How much smaller the hypervolume is without each recommender.
    distances : mapping from name to Interval
        From the ideal point, in units of the distance between reference and ideal.
    changes : tuple of WinnerChange
        The weights at which the winner changes.
    weights : mapping from Measure to float
        Of the weighted sum, which the changes start from.
    reference, ideal : mapping from Measure to float
        The worst and the best value that each goal is scaled by.
    level : float
        Confidence of all intervals of one kind together.
    n, n_resamples : int
        How many users there are, and how often they were resampled.
    warnings : tuple of str

    Examples
    --------
    >>> from recsys_metrics import evaluate
    >>> from recsys_metrics.evaluation import compare_goals
    >>> truth = [{"A", "C"}] * 60
    >>> rows = {"early": [["A", "B", "D"]] * 60, "both": [["B", "A", "C"]] * 60}
    >>> reports = [evaluate(row, truth, ["mrr@3", "recall@3"], name=n) for n, row in rows.items()]
    >>> found = compare_goals(reports, ["mrr@3", "recall@3"], n_resamples=200)
    >>> found.front, round(found.hypervolume.estimate, 3)
    (('early', 'both'), 0.75)
    >>> [(each.weight, each.before, each.after) for each in found.changes]
    [(0.5, 'both', 'early')]
    """

    goals: tuple[Measure, ...]
    values: Mapping[str, Mapping[Measure, Interval]]
    front: tuple[str, ...]
    front_shares: Mapping[str, float]
    dominated_by: Mapping[str, tuple[str, ...]]
    hypervolume: Interval
    contributions: Mapping[str, Interval]
    distances: Mapping[str, Interval]
    changes: tuple[WinnerChange, ...]
    weights: Mapping[Measure, float]
    reference: Mapping[Measure, float]
    ideal: Mapping[Measure, float]
    level: float
    n: int
    n_resamples: int
    warnings: tuple[str, ...] = ()

    @property
    def conclusion(self) -> str:
        """The front, and what decides between those on it, in a sentence."""
        return self._sentence(DEFAULT_STYLE)

    def _sentence(self, style: TableStyle) -> str:
        beaten = [style.rename(name) for name, others in self.dominated_by.items() if others]
        text = f"On the Pareto front: {', '.join(map(style.rename, self.front))}."
        if beaten:
            text += f" Worse than another in every goal: {', '.join(beaten)}."
        if not self.changes:
            winner = style.rename(self.winner(self.weights))
            return f"{text} {winner} is best at every weight of each goal."
        told = [
            f"{style.rename(each.after)} instead of {style.rename(each.before)} from a weight of "
            f"{each.weight:.2f} for {style.rename_measure(each.goal)}, CI "
            f"{each.interval.low:.2f} to {each.interval.high:.2f}"
            for each in self.changes
        ]
        return f"{text} The winner depends on the weights: {'; '.join(told)}."

    def winner(self, weights: Mapping[Measure, float]) -> str:
        """Return the recommender with the highest weighted sum of scaled means."""
        return max(self.values, key=lambda name: self._scaled_sum(name, weights))

    def _scaled_sum(self, name: str, weights: Mapping[Measure, float]) -> float:
        return sum(weights[goal] * self._scaled(name, goal) for goal in self.goals)

    def _scaled(self, name: str, goal: Measure) -> float:
        low, high = self.reference[goal], self.ideal[goal]
        return (self.values[name][goal].estimate - low) / (high - low)

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns of `to_frame`, one row per recommender."""
        names = [*self.values]
        columns: dict[str, list[Any]] = {"name": names}
        for goal in self.goals:
            columns[goal.label] = [self.values[name][goal].estimate for name in names]
        columns["on the front"] = [name in self.front for name in names]
        columns["share of resamples on the front"] = [self.front_shares[name] for name in names]
        columns["contribution"] = [self.contributions[name].estimate for name in names]
        columns["distance to the ideal"] = [self.distances[name].estimate for name in names]
        columns["dominated by"] = [", ".join(self.dominated_by[name]) for name in names]
        return columns

    @plots
    def plot(self, *, axes: Any = None) -> Any:
        """Draw the first two goals: a cross of intervals for each recommender, and the front."""
        one, two = self.goals[:2]
        axes = axes_for(axes, (5.6, 4.2))
        said = []
        for at, (name, found) in enumerate(self.values.items()):
            color = CYCLE[at % len(CYCLE)]
            x, y = found[one], found[two]
            axes.plot([*x], [y.estimate] * 2, color=color, linewidth=2)
            axes.plot([x.estimate] * 2, [*y], color=color, linewidth=2)
            marker = "o" if name in self.front else "s"
            face = color if name in self.front else "none"
            axes.plot(x.estimate, y.estimate, marker, color=color, markerfacecolor=face)
            axes.annotate(
                name,
                (x.estimate, y.estimate),
                xytext=(6, 6 if at % 2 else -14),
                textcoords="offset points",
            )
            place = "on the front" if name in self.front else "not on the front"
            said.append(f"{name} {x.estimate:.3f} and {y.estimate:.3f}, {place}")
        if len(self.goals) == 2:
            points = sorted(
                (self.values[n][one].estimate, self.values[n][two].estimate) for n in self.front
            )
            axes.plot(*zip(*points, strict=True), color=GREY, linewidth=1, linestyle="--", zorder=0)
        front = ", ".join(self.front)
        return finish(
            axes,
            title=f"On the Pareto front (filled): {front}",
            x=f"{one.label}, simultaneous {100 * self.level:g}% CI",
            y=two.label,
            alt=f"On the Pareto front: {front}. {one.label} and {two.label}: {'; '.join(said)}",
        )

    def _names(self) -> list[str]:
        return [*self.values, *names_of_measures(self.goals)]

    def _view(self, style: TableStyle = DEFAULT_STYLE) -> View:
        rows: dict[str, tuple[None, list[str]]] = {}
        for name, found in self.values.items():
            cells = [_format(found[goal], style) for goal in self.goals]
            share = self.front_shares[name]
            cells += [
                f"{'yes' if name in self.front else 'no'} ({100 * share:.0f}%)",
                _format(self.contributions[name], style),
                _format(self.distances[name], style),
                ", ".join(map(style.rename, self.dominated_by[name])) or "none",
            ]
            rows[style.rename(name)] = (None, cells)
        level = f"{100 * self.level:g}%"
        changes = [
            (
                f"weight of {style.rename_measure(each.goal)}",
                f"{style.rename(each.before)} below {each.weight:.2f} "
                f"[{each.interval.low:.2f}, {each.interval.high:.2f}], {style.rename(each.after)} "
                "above",
            )
            for each in self.changes
        ]
        return View(
            title=f"{len(self.values)} recommenders by {len(self.goals)} goals",
            headings=[
                "",
                *map(style.rename_measure, self.goals),
                "On the front",
                "Contribution",
                "Distance to the ideal",
                "Dominated by",
            ],
            rows=rows,
            legend=(
                f"Intervals are simultaneous {level} CIs within a column, from "
                f"{self.n_resamples:,} resamples of the {self.n:,} users, in parentheses the share "
                "of resamples in which a recommender is on the front. The contribution is the "
                "hypervolume that is lost without it. It is dominated by those that are better in "
                "every goal, by paired t-tests corrected (Holm) for all pairs."
            ),
            conclusion=self._sentence(style),
            protocol_rows=[("hypervolume", _format(self.hypervolume, style)), *changes],
            warnings=self.warnings,
        )


def _format(found: Interval, style: TableStyle) -> str:
    return style.with_interval(found.estimate, found)


def compare_goals(
    reports: Sequence[Report] | Mapping[str, Report],
    goals: Sequence[str | Measure] | None = None,
    *,
    weights: OfGoals | None = None,
    reference: OfGoals | None = None,
    ideal: OfGoals | None = None,
    users: Users = "same",
    level: float = 0.95,
    n_resamples: int = 2000,
    seed: int | np.random.Generator = 0,
) -> GoalComparison:
    r"""Which recommenders are worth considering if there are several goals, and what decides?

    Parameters
    ----------
    reports : sequence of Report, or mapping of name to Report
        Two or more, of the same users and truths; each with a name of its own.
    goals : sequence of str or Measure, optional
        Two or more metrics with per-user values; by default all that the reports share.
    weights : mapping from goal to float, optional
        Of each goal in the weighted sum; 1 for those that are not named.
    reference, ideal : mapping from goal to float, optional
        The worst and the best value of a goal; by default the bounds of the metric. For a metric of
        which neither side is better by itself, such as novelty, the two say which is the goal.
    users : {"same", "shared"}
        As in `Report.compare`.
    level : float
        Confidence of all intervals of one kind together.
    n_resamples : int
        How often the users are resampled, 100 or more.
    seed : int or numpy.random.Generator
        For the resamples.

    Returns
    -------
    GoalComparison

    Raises
    ------
    ValueError, TypeError
        If there are fewer than two reports or goals, a goal has no per-user values, or no better
        side or finite bounds and no reference and ideal of its own, weights are negative or all 0,
        the ideal is no better than the reference, or fewer than 20 users have all values.

    Notes
    -----
    Each goal is scaled, so that the reference is 0 and the ideal is 1. The weighted sum of
    recommender :math:`a` is

    .. math:: U_a(w) = \sum_{j=1}^{m} w_j s_{aj}, \qquad
       s_{aj} = \frac{\bar{x}_{aj} - r_j}{z_j - r_j}, \qquad \sum_{j=1}^{m} w_j = 1

    where :math:`\bar{x}_{aj}` is its mean in goal :math:`j`, :math:`m` is the number of goals,
    :math:`r_j` is the reference, :math:`z_j` is the ideal, and :math:`w_j` is the weight of the
    goal. Its distance to the ideal is

    .. math:: d_a = \sqrt{\frac{1}{m} \sum_{j=1}^{m} (1 - s_{aj})^2}

    While the weight of one goal grows from 0 to 1 and the others keep their proportions,
    :math:`U_a` is a straight line for each recommender, and the winner changes where the highest
    lines cross.

    Users are resampled with all their values, so that recommenders and goals stay paired. The
    interval of each number consists of percentiles at the level :math:`1 - \alpha/c`, where
    :math:`\alpha` = 1 - `level` and :math:`c` is the number of intervals of its kind (Bonferroni).
    A recommender is dominated by another if the other is better in every goal: the p-value of the
    pair is the largest of the one-sided p-values of the goals (Berger's intersection-union test),
    corrected by Holm's procedure for all ordered pairs.

    References
    ----------
    Zitzler and Thiele (1999), as for `pareto_front`. Berger (1982), Multiparameter hypothesis
    testing and acceptance sampling, Technometrics 24(4). Ribeiro et al. (2014), Multiobjective
    Pareto-efficient approaches for recommender systems, ACM TIST 5(4).

    Examples
    --------
    >>> from recsys_metrics import evaluate
    >>> from recsys_metrics.evaluation import compare_goals
    >>> truth = [{"A", "C"}] * 60
    >>> rows = {"early": [["A", "B", "D"]] * 60, "both": [["B", "A", "C"]] * 60}
    >>> reports = [evaluate(row, truth, ["mrr@3", "recall@3"], name=n) for n, row in rows.items()]
    >>> found = compare_goals(reports, ["mrr@3", "recall@3"], n_resamples=200)
    >>> {name: round(each.estimate, 3) for name, each in found.distances.items()}
    {'early': 0.354, 'both': 0.354}
    """
    level = check_level(level)
    check_count("n_resamples", n_resamples, least=_LEAST_RESAMPLES)
    check_resamples(n_resamples, level)
    named = index_by_name(reports)
    prepared, warnings = prepare_comparison([*named.values()], users)
    shared = find_shared_measures(prepared)
    chosen = tuple(shared if goals is None else find_among(goals, shared))
    if twice := [goal for goal, times in Counter(chosen).items() if times > 1]:
        raise ValueError(f"goals names {twice[0]} twice; name each metric once")
    scale = _Scale.read(chosen, reference, ideal, weights)
    named = dict(zip(named, prepared, strict=True))
    cube = _values_of_users(named, chosen)
    n = cube.shape[1]
    rng = generator(seed)
    scaled = scale.apply(_resample_means(cube, n_resamples, rng))
    names = [*named]
    resampled = _Resampled(scaled, names, level, n)
    front = on_front(scaled)
    return GoalComparison(
        goals=chosen,
        values={
            name: {
                goal: scale.restore(resampled.interval(scaled[:, at, j], len(names)), j)
                for j, goal in enumerate(chosen)
            }
            for at, name in enumerate(names)
        },
        front=tuple(name for name, there in zip(names, front[0], strict=True) if there),
        front_shares=dict(zip(names, front[1:].mean(axis=0).tolist(), strict=True)),
        dominated_by=_find_dominating(cube * scale.signs, names, level),
        hypervolume=resampled.interval(volume_of(scaled), 1),
        contributions=resampled.contributions(),
        distances=resampled.distances(),
        changes=resampled.changes(chosen, scale.weights),
        weights=dict(zip(chosen, scale.weights.tolist(), strict=True)),
        reference=dict(zip(chosen, scale.reference.tolist(), strict=True)),
        ideal=dict(zip(chosen, scale.ideal.tolist(), strict=True)),
        level=level,
        n=n,
        n_resamples=n_resamples,
        warnings=tuple(warnings),
    )


@dataclass(frozen=True)
class _Scale:
    """Between which values each goal is scaled, and how much it weighs."""

    reference: FloatArray
    ideal: FloatArray
    weights: FloatArray

    @classmethod
    def read(
        cls,
        goals: Sequence[Measure],
        reference: OfGoals | None,
        ideal: OfGoals | None,
        weights: OfGoals | None,
    ) -> _Scale:
        if len(goals) < 2:
            raise ValueError(f"give two goals or more; there is {', '.join(map(str, goals))}")
        worst, best = zip(*map(_bounds, goals), strict=True)
        corner = _fill_in("reference", worst, reference, goals)
        top = _fill_in("ideal", best, ideal, goals)
        for goal, low, high in zip(goals, corner, top, strict=True):
            _check_goal(goal, low, high)
        share = _fill_in("weights", [1.0] * len(goals), weights, goals)
        if (share < 0).any() or not share.sum() > 0 or not np.isfinite(share).all():
            raise ValueError(f"weights are 0 or more and not all 0; got {share.tolist()}")
        return cls(corner, top, share / share.sum())

    @property
    def signs(self) -> FloatArray:
        """1 where higher values are better, -1 where lower ones are."""
        signs: FloatArray = np.sign(self.ideal - self.reference)
        return signs

    def apply(self, means: FloatArray) -> FloatArray:
        """Return means as shares of the way from the reference to the ideal."""
        scaled: FloatArray = (means - self.reference) / (self.ideal - self.reference)
        return scaled

    def restore(self, found: Interval, at: int) -> Interval:
        """Return an interval of scaled means in the unit of the goal."""
        low, length = self.reference[at], self.ideal[at] - self.reference[at]
        estimate, *ends = (float(low + length * each) for each in (found.estimate, *found))
        return Interval(estimate, min(ends), max(ends), found.level, found.n)


def _bounds(goal: Measure) -> tuple[float, float]:
    """Return the worst and the best value that a metric can have, NaN where that is open."""
    low, high = goal.metric.bounds
    if goal.metric.better is None:
        return np.nan, np.nan
    return (low, high) if goal.metric.better == "higher" else (high, low)


def _check_goal(goal: Measure, worst: float, best: float) -> None:
    """Raise if a metric cannot be a goal between two values."""
    if not goal.metric.per_user:
        raise ValueError(
            f"{goal.label} is an aggregate over all lists and has no per-user values, so there is "
            "no interval over users; take a metric of each list, such as self_information or "
            "intra_list_diversity, or leave it out of goals"
        )
    if not np.isfinite([worst, best]).all():
        why = "neither side of it is better by itself"
        if goal.metric.better is not None:
            why = "it can have any value"
        raise ValueError(
            f"{goal.label} has no worst and best value, because {why}: give reference= and ideal= "
            f"with a number for {goal.label!r}"
        )
    side = "higher" if best > worst else "lower"
    if best == worst or goal.metric.better not in (None, side):
        raise ValueError(
            f"the ideal of {goal.label} is {best:g} and the reference {worst:g}, which is no worse"
        )


def _fill_in(
    name: str, defaults: Sequence[float], given: OfGoals | None, goals: Sequence[Measure]
) -> FloatArray:
    """Return a number for each goal, the default where none is given."""
    if given is not None:
        check_mapping(name, given, "from a goal to a number")
    values = dict(zip(goals, defaults, strict=True))
    for text, value in (given or {}).items():
        number = check_real(f"{name} of {text}", value)
        goal = find_measure(text, values)
        if goal not in values:
            raise ValueError(
                f"{name} names {goal.label}, which is no goal; there are "
                f"{', '.join(each.label for each in goals)}"
            )
        values[goal] = number
    return np.array([*values.values()], dtype=np.float64)


def _values_of_users(named: Mapping[str, Report], goals: Sequence[Measure]) -> FloatArray:
    """Return values by recommender, user and goal, of the users who have all of them."""
    in_step = values_in_step([*named.values()])
    cube = np.stack(
        [
            np.stack([values.by_measure[goal][order] for goal in goals], axis=1)
            for values, order in in_step
        ]
    )
    there = ~np.isnan(cube).any(axis=(0, 2))
    if there.sum() < _LEAST_USERS:
        raise ValueError(
            f"{int(there.sum())} users have a value in every goal; resampling fewer than "
            f"{_LEAST_USERS} says little about other users"
        )
    return np.asarray(cube[:, there], dtype=np.float64)


def _resample_means(cube: FloatArray, n_resamples: int, rng: np.random.Generator) -> FloatArray:
    """Return means by resample, recommender and goal, those of the users themselves first."""
    n = cube.shape[1]
    flat = cube.transpose(1, 0, 2).reshape(n, -1)
    means = [flat.mean(axis=0)[np.newaxis]]
    for at in range(0, n_resamples, block := max(1, _COUNTS_AT_ONCE // n)):
        size = min(block, n_resamples - at)
        means.append(rng.multinomial(n, np.full(n, 1 / n), size=size) @ flat / n)
    return np.concatenate(means).reshape(-1, cube.shape[0], cube.shape[2])


def _find_dominating(
    cube: FloatArray, names: list[str], level: float
) -> dict[str, tuple[str, ...]]:
    """Return by which recommenders each is dominated, by a corrected test."""
    pairs = [*permutations(range(len(names)), 2)]
    p_values = [
        max(_p_of_better(better, worse) for better, worse in zip(cube[a].T, cube[b].T, strict=True))
        for a, b in pairs
    ]
    adjusted = adjust(p_values, method="holm")
    found: dict[str, tuple[str, ...]] = dict.fromkeys(names, ())
    for (a, b), p_value in zip(pairs, adjusted, strict=True):
        if p_value <= 1 - level:
            found[names[b]] += (names[a],)
    return found


def _p_of_better(better: FloatArray, worse: FloatArray) -> float:
    gains = better - worse
    if not gains.any():
        return 1.0
    if (gains == gains[0]).all():
        return 0.0 if gains[0] > 0 else 1.0
    return float(paired_t_test(worse, better, alternative="greater").p_value)


@dataclass(frozen=True)
class _Resampled:
    """Scaled means of all recommenders: of the users, and then of each resample."""

    scaled: FloatArray
    names: list[str]
    level: float
    n: int

    def interval(self, values: FloatArray, count: int) -> Interval:
        """Return the percentiles of resampled values, of which there are several."""
        level = check_level(1 - (1 - self.level) / count)
        tail = (1 - level) / 2
        low, high = np.nanquantile(values[1:], [tail, 1 - tail])
        estimate = float(values[0])
        return Interval(
            estimate, min(float(low), estimate), max(float(high), estimate), level, self.n
        )

    def contributions(self) -> dict[str, Interval]:
        """Return how much smaller the hypervolume is without each recommender."""
        whole = volume_of(self.scaled)
        return {
            name: self.interval(
                np.maximum(whole - volume_of(np.delete(self.scaled, at, axis=1)), 0.0),
                len(self.names),
            )
            for at, name in enumerate(self.names)
        }

    def distances(self) -> dict[str, Interval]:
        """Return the distance of each recommender from the ideal point."""
        distance = np.sqrt(((1 - self.scaled) ** 2).mean(axis=2))
        return {
            name: self.interval(distance[:, at], len(self.names))
            for at, name in enumerate(self.names)
        }

    def changes(self, goals: Sequence[Measure], weights: FloatArray) -> tuple[WinnerChange, ...]:
        """Return where the winner changes while the weight of one goal grows from 0 to 1."""
        swept = range(1) if len(goals) == 2 else range(len(goals))
        ends = {}
        for j in swept:
            rest = np.delete(weights, j)
            rest = rest / rest.sum() if rest.sum() else np.full(len(rest), 1 / len(rest))
            ends[j] = np.delete(self.scaled, j, axis=2) @ rest, self.scaled[:, :, j]
        found = [
            (j, *turn) for j, (at_0, at_1) in ends.items() for turn in _envelope(at_0[0], at_1[0])
        ]
        return tuple(
            WinnerChange(
                goals[j],
                weight,
                self.interval(_crossings(*ends[j], before, after), len(found)),
                self.names[before],
                self.names[after],
            )
            for j, weight, before, after in found
        )


def _envelope(at_0: FloatArray, at_1: FloatArray) -> list[tuple[float, int, int]]:
    """Return where the highest of several lines changes from 0 to 1, and which before and after."""
    slope = at_1 - at_0
    current = max(range(len(at_0)), key=lambda line: (at_0[line], slope[line]))
    position = 0.0
    found: list[tuple[float, int, int]] = []
    while True:
        steeper = [line for line in range(len(at_0)) if slope[line] > slope[current]]
        crossing = {
            line: (at_0[current] - at_0[line]) / (slope[line] - slope[current]) for line in steeper
        }
        ahead = {line: where for line, where in crossing.items() if position <= where < 1}
        if not ahead:
            return found
        after = min(ahead, key=lambda line: (ahead[line], -slope[line]))
        position = float(ahead[after])
        if position > 0:
            found.append((position, current, after))
        current = after


def _crossings(at_0: FloatArray, at_1: FloatArray, before: int, after: int) -> FloatArray:
    """Return where one line overtakes another, by resample; 0 or 1 where one is always ahead."""
    start, end = at_0[:, after] - at_0[:, before], at_1[:, after] - at_1[:, before]
    with np.errstate(divide="ignore", invalid="ignore"):
        where = -start / (end - start)
    crossing = np.where(start >= 0, 0.0, np.where(end <= 0, 1.0, where))
    # Where the two have changed places, neither weight is a change from the one to the other.
    return np.where((start > 0) & (end < 0), np.nan, crossing)
