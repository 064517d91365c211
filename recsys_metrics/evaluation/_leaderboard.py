"""Comparison of several reports over the same users."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any, Literal, cast

import numpy as np

from recsys_metrics._core.checks import check_choice, check_level, generator, is_one_of
from recsys_metrics._core.inputs.several import read_several
from recsys_metrics._core.plotting import draw_intervals, finish, in_words, plots
from recsys_metrics.evaluation._comparability import Users, prepare_comparison, values_in_step
from recsys_metrics.evaluation._comparison import find_among, find_shared_measures
from recsys_metrics.evaluation._difference import (
    Difference,
    compute_differences,
    correct_p_values,
    format_p_value,
)
from recsys_metrics.evaluation._pareto import on_front
from recsys_metrics.evaluation._predictions import PredictionReport, PredictionResult
from recsys_metrics.evaluation._rendering import (
    ABOVE,
    BELOW,
    LETTERS,
    ON_THE_LINE,
    RenderableTable,
    View,
)
from recsys_metrics.evaluation._report import Report
from recsys_metrics.evaluation._result import Result
from recsys_metrics.evaluation._table_style import DEFAULT_STYLE, TableStyle, names_of_measures
from recsys_metrics.measures import Measure, MeasureMapping
from recsys_metrics.measures._measure_mapping import find_measure
from recsys_metrics.protocol.significance import Significance, friedman
from recsys_metrics.protocol.significance._multiple import Adjustment

_UNCERTAINTY = {
    "interval": "A mean over users has its 95% confidence interval. ",
    "standard error": "A mean over users has its standard error in parentheses. ",
    "none": "",
}
_EMPHASIS = (
    " The best value is bold and the second underlined, whether or not a difference is detected."
)

Pairs = Mapping[tuple[str, str], Difference]
Omnibus = Literal["F", "chi-square", "randomization"]


@dataclass(frozen=True, eq=False, repr=False)
class Leaderboard(
    MeasureMapping[Pairs],
    RenderableTable,
    entries="differences",
    absent="is not on the board; there are",
):
    r"""Several reports in one table, with marks where one is better than another.

    Made by `compare_many`. A mapping: ``board["ndcg@10"]["new", "old"]`` is the `Difference` of
    two reports, by their names.

    Attributes
    ----------
    results : mapping of name to mapping from Measure to Result
        Each report's results; the best by the first metric comes first.
    differences : mapping from Measure to mapping of (new, old) to Difference
        Of every pair, or of every report with the baseline.
    omnibus : mapping from Measure to Significance
        Friedman's test of "none of them differs"; not for two reports, or where no two users
        have a value in all.
    baseline : str or None
        The name of the report that all others are compared with; None for all pairs.
    correction : str
        How p-values were corrected, as in `protocol.significance.adjust`.
    level : float
        Confidence of the intervals; 1 less it is what corrected p-values are held to.
    warnings : tuple of str
        How the evaluations differ, and who was left out.
    of_predictions : bool
        Whether the reports are of predictions, and no lists.

    Examples
    --------
    >>> from recsys_metrics import compare_many, evaluate
    >>> truth = [{"A"} for _ in range(60)]
    >>> lists = {"popular": [["B"]] * 60, "knn": [["A"]] * 20 + [["B"]] * 40, "ease": [["A"]] * 60}
    >>> reports = [evaluate(rows, truth, ["hit_rate@1"], name=name) for name, rows in lists.items()]
    >>> board = compare_many(reports)
    >>> print(board.to_markdown().partition("\n\n")[2].partition("\n\n")[0])
    |  | hit_rate@1 |
    | --- | --- |
    | a ease | 1.000 ᵇᶜ |
    | b knn | 0.333 ᶜ |
    | c popular | 0.000 |
    >>> round(board["hit_rate@1"]["knn", "popular"].gain, 3)
    0.333
    """

    results: Mapping[str, Mapping[Measure, Result | PredictionResult]]
    differences: Mapping[Measure, Pairs]
    omnibus: Mapping[Measure, Significance]
    baseline: str | None
    correction: str
    level: float
    warnings: tuple[str, ...] = ()
    of_predictions: bool = False

    @property
    def by_report(self) -> dict[str, dict[Measure, float]]:
        """Each report's values; the best by the first metric comes first."""
        return {
            name: {measure: result.value for measure, result in found.items()}
            for name, found in self.results.items()
        }

    def better_than(self, name: str, measure: str | Measure) -> list[str]:
        """Return the names of those that a report is better than, after the correction."""
        wanted = find_measure(measure, self.differences)
        if not is_one_of(name, self.by_report):
            raise ValueError(f"{name!r:.60} is no report; there are {', '.join(self.by_report)}")
        return [other for other in self.by_report if self._compare_sign(name, other, wanted) > 0]

    def _compare_sign(self, name: str, other: str, measure: Measure) -> int:
        """Return 1 where a report is better than another, -1 where it is worse, 0 if undecided."""
        direction = {"higher": 1, "lower": -1, None: 0}[measure.metric.better]
        found, turn = self._find_pair(name, other, measure)
        if found is None or not found.p_adjusted <= 1 - self.level:
            return 0
        return direction * turn * int(np.sign(found.gain))

    def _find_pair(self, name: str, other: str, measure: Measure) -> tuple[Difference | None, int]:
        """Return the difference of two reports, if any, and -1 where it is that of the other."""
        pairs = self.differences[measure]
        if (name, other) in pairs:
            return pairs[name, other], 1
        return pairs.get((other, name)), -1

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns of `to_frame`, one row per report."""
        columns: dict[str, list[Any]] = {"name": list(self.by_report)}
        for measure in self.differences:
            columns[measure.label] = [values[measure] for values in self.by_report.values()]
            columns[f"{measure.label} is better than"] = [
                ", ".join(self.better_than(name, measure)) for name in self.by_report
            ]
        return columns

    @plots
    def plot(self, measure: str | Measure | None = None, *, axes: Any = None) -> Any:
        """Draw by how much each report differs from the baseline, or from the best.

        Parameters
        ----------
        measure : str or Measure, optional
            By default the first.
        """
        wanted = self._find_or_first(measure)
        base = self.baseline or next(iter(self.by_report))
        names = [name for name in self.by_report if name != base]
        gains, ends = [], []
        for name in names:
            found, turn = self._find_pair(name, base, wanted)
            assert found is not None
            gains.append(turn * found.gain)
            interval = found.interval
            ends.append(None if interval is None else sorted(turn * end for end in interval))
        axes = draw_intervals(axes, names, gains, ends, zero=True)
        n_different = sum(bool(self._compare_sign(name, base, wanted)) for name in names)
        return finish(
            axes,
            title=f"{n_different} of {len(names)} differ from {base} (p ≤ {1 - self.level:.3g}, "
            f"{self.correction})",
            x=f"{wanted.label} minus that of {base}, {100 * self.level:g}% CI",
            alt=f"{wanted.label} minus that of {base}: {in_words(names, gains, ends)}",
        )

    def _names(self) -> list[str]:
        return [*self.results, *names_of_measures(self.differences)]

    def _view(self, style: TableStyle = DEFAULT_STYLE) -> View:
        letter = dict(zip(self.results, LETTERS, strict=False))
        rows: dict[str, tuple[None, list[str]]] = {}
        emphasis = {}
        ranked = {
            measure: style.find_best(
                {name: found[measure].value for name, found in self.results.items()}, measure
            )
            for measure in self.differences
        }
        for name, results in self.results.items():
            plain = "" if self.baseline else f"{ON_THE_LINE[letter[name]]} "
            row = plain + style.rename(name)
            cells = []
            for place, measure in enumerate(self.differences):
                if name in ranked[measure]:
                    emphasis[row, place] = ranked[measure][name]
                if self.baseline is None:
                    marks = "".join(letter[other] for other in self.better_than(name, measure))
                else:
                    sign = self._compare_sign(name, self.baseline, measure)
                    marks = {1: ABOVE, -1: BELOW, 0: ""}[sign]
                cells.append(style.mean(results[measure], default="none", marks=marks))
            rows[row] = (None, cells)
        alpha = f"{1 - self.level:.3g}"
        means = (
            f"A letter stands for a {self._models[:-1]} that the value is better than"
            if self.baseline is None
            else f"{ABOVE} is better and {BELOW} worse than {style.rename(self.baseline)}"
        )
        legend = (
            f"{means}, where the p-value of the paired gain is at most {alpha}, corrected "
            f"({self.correction}) for all pairs and metrics of this table."
        )
        return View(
            title=f"{len(self.by_report)} {self._models}"
            + ("" if self.baseline is None else f" against {style.rename(self.baseline)}"),
            headings=["", *map(style.rename_measure, self.differences)],
            rows=rows,
            emphasis=emphasis,
            legend=self._explain_uncertainty(style) + legend + _EMPHASIS * style.emphasize,
            protocol_rows=[
                *self._front_row(style),
                *(
                    (
                        f"any difference, {style.rename_measure(measure)}",
                        f"{self._omnibus_name}, p {format_p_value(test.p_value)}",
                    )
                    for measure, test in self.omnibus.items()
                ),
            ],
            warnings=self._list_caveats(style),
        )

    @property
    def _models(self) -> str:
        return "models" if self.of_predictions else "recommenders"

    def _explain_uncertainty(self, style: TableStyle) -> str:
        words = _UNCERTAINTY[style.uncertainty or "none"]
        return words.replace("mean over users", "value over all rows", int(self.of_predictions))

    @property
    def front(self) -> tuple[str, ...]:
        """The reports on the Pareto front, by their values: none is better in every metric.

        Metrics of which neither side is better do not count. `compare_goals` says how sure it is.
        """
        goals = [measure for measure in self.differences if measure.metric.better is not None]
        points = np.array(
            [
                [(-1 if goal.metric.better == "lower" else 1) * found[goal].value for goal in goals]
                for found in self.results.values()
            ]
        )
        there = on_front(np.where(np.isnan(points), -np.inf, points))
        return tuple(name for name, front in zip(self.results, there, strict=True) if front)

    def _front_row(self, style: TableStyle) -> list[tuple[str, str]]:
        """Return the front, where there are several goals."""
        if sum(measure.metric.better is not None for measure in self.differences) < 2:
            return []
        names = ", ".join(map(style.rename, self.front))
        return [("Pareto front", f"{names} (by the values; see compare_goals)")]

    @property
    def _omnibus_name(self) -> str:
        return f"Friedman's test of {len(self.by_report)} recommenders"

    def _list_caveats(self, style: TableStyle) -> list[str]:
        untested = [
            style.rename_measure(measure)
            for measure, pairs in self.differences.items()
            if any(np.isnan(each.p_adjusted) for each in pairs.values())
        ]
        neither = [
            style.rename_measure(measure)
            for measure in self.differences
            if measure.metric.better is None
        ]
        care = [*self.warnings]
        if untested:
            care.append(
                f"Some pairs have no p-value for {', '.join(untested)}: the metric is an aggregate "
                "over all lists, or fewer than two users have a value in both."
            )
        if neither:
            care.append(f"Neither side of {', '.join(neither)} is better by itself: no marks.")
        return care


def compare_many(
    reports: Sequence[Report | PredictionReport] | Mapping[str, Report | PredictionReport],
    *,
    baseline: str | None = None,
    measures: Sequence[str | Measure] | None = None,
    correction: Adjustment = "holm",
    omnibus: Omnibus = "F",
    level: float = 0.95,
    users: Users = "same",
    seed: int | np.random.Generator = 0,
) -> Leaderboard:
    """Which of several recommenders is better than which, if all pairs are compared?

    Parameters
    ----------
    reports : sequence of Report or PredictionReport, or mapping of name to one
        Two or more, of the same users and truths; each with a name of its own. All are of lists, or
        all of predictions of the same rows.
    baseline : str, optional
        The name of the report that all others are compared with. By default every pair is, which
        costs more correction.
    measures : sequence of str or Measure, optional
        Which to compare by; by default all that the reports share. Each more costs correction.
    correction : str
        As in `protocol.significance.adjust`, for all pairs and measures together.
    omnibus : {"F", "chi-square", "randomization"}
        As in `protocol.significance.friedman`.
    level : float
        Confidence of intervals; 1 less it is what corrected p-values are held to.
    users : {"same", "shared"}
        As in `Report.compare`: whether all reports are compared on the users that all have.
    seed : int or numpy.random.Generator
        For the randomization.

    Returns
    -------
    Leaderboard

    Raises
    ------
    ValueError, TypeError
        If there are fewer than two reports, two have one name, they share no measure, or their
        users, truths, thresholds or numbers of sampled candidates differ; for all pairs, if there
        are more than 25.

    Notes
    -----
    Pairs are tested as `Report.compare` tests two: by a randomization test, McNemar's for hits.
    Friedman's test comes first, as Demšar recommends: where it finds nothing, marks deserve no
    trust. Values per user over frames are collected for it. Reports of predictions have no such
    test, because most of their metrics have no value of a single user.

    References
    ----------
    Demšar (2006), Statistical comparisons of classifiers over multiple data sets, JMLR 7.
    Carterette (2012), Multiple testing in statistical analysis of systems-based information
    retrieval experiments, ACM TOIS 30(1). Smucker, Allan and Carterette (2007), A comparison of
    statistical significance tests for information retrieval evaluation, CIKM.

    Examples
    --------
    >>> from recsys_metrics import compare_many, evaluate
    >>> truth = [{"A"} for _ in range(60)]
    >>> old = evaluate([["B"]] * 60, truth, ["hit_rate@1"], name="old")
    >>> new = evaluate([["A"]] * 60, truth, ["hit_rate@1"], name="new")
    >>> compare_many([old, new], baseline="old").better_than("new", "hit_rate@1")
    ['old']
    """
    level = check_level(level)
    named = index_reports(reports)
    check_choice("omnibus", omnibus, Omnibus)
    rng = generator(seed)
    if baseline is not None and not is_one_of(baseline, named):
        raise ValueError(f"baseline {baseline!r:.60} is no report; there are {', '.join(named)}")
    if baseline is None and len(named) > len(LETTERS):
        raise ValueError(
            f"{len(named)} reports have {len(named) * (len(named) - 1) // 2} pairs; name a baseline"
        )
    of_predictions = isinstance(next(iter(named.values())), PredictionReport)
    warnings: list[str] = []
    if of_predictions:
        check_choice("users", users, Users)
        if users == "shared":
            raise ValueError("reports of predictions are compared on the same rows; give no users=")
    else:
        prepared, warnings = prepare_comparison(cast(list[Report], [*named.values()]), users)
        named = dict(zip(named, prepared, strict=True))
    shared = find_shared_measures([*named.values()])
    if measures is not None:
        shared = find_among(measures, shared)
    names = sorted(named, key=lambda name: _sort_key(named[name], shared[0]))
    pairs = (
        [(new, old) for new, old in permutations(names, 2) if names.index(new) < names.index(old)]
        if baseline is None
        else [(name, baseline) for name in names if name != baseline]
    )
    raw = {
        (measure, pair): difference
        for pair in pairs
        for measure, difference in _differences(
            named[pair[0]], named[pair[1]], shared, level
        ).items()
    }
    found = correct_p_values(raw, correction)
    return Leaderboard(
        results={name: {each: named[name].results[each] for each in shared} for name in names},
        differences={each: {pair: found[each, pair] for pair in pairs} for each in shared},
        omnibus={}
        if of_predictions or len(named) < 3
        else _run_omnibus_tests(cast(dict[str, Report], named), shared, omnibus, rng),
        baseline=baseline,
        correction=correction,
        level=level,
        warnings=tuple(warnings),
        of_predictions=of_predictions,
    )


def _differences(
    new: Report | PredictionReport,
    old: Report | PredictionReport,
    measures: Sequence[Measure],
    level: float,
) -> dict[Measure, Difference]:
    if isinstance(new, PredictionReport):
        return new.differences(cast(PredictionReport, old), measures, level)
    return compute_differences(new, cast(Report, old), measures, level)


def index_reports(reports: Any) -> dict[str, Report | PredictionReport]:
    """Return two or more reports of one kind by their names."""
    named = _index_by_name(reports, (Report, PredictionReport))
    kinds = {type(each) for each in named.values()}
    if len(kinds) > 1:
        raise TypeError(
            "some reports are of lists and others of predictions; compare each kind by itself"
        )
    return named


def index_by_name(reports: Any) -> dict[str, Report]:
    """Return two or more reports of lists by their names."""
    return _index_by_name(reports, (Report,))


def _index_by_name(reports: Any, kinds: tuple[type, ...]) -> dict[str, Any]:
    words = "reports, as evaluate returns them, or a mapping from name to report"
    if isinstance(reports, Report | PredictionReport):
        raise TypeError(f"reports must be a list of {words}; got one report")
    if not isinstance(reports, Mapping):
        reports = read_several("reports", reports, words)
        names = [getattr(report, "name", None) for report in reports]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None and len(names) > 1:
            raise ValueError(
                f"two reports are called {twice!r}; evaluate with name=, or pass a mapping of names"
            )
        reports = dict(zip(names, reports, strict=True))
    for each in reports.values():
        if not isinstance(each, kinds):
            what = type(each).__name__ if isinstance(each, PredictionReport) else f"{each!r:.60}"
            raise TypeError(f"reports are compared, as evaluate returns them; got {what}")
    if len(reports) < 2:
        raise ValueError(f"a comparison takes two reports or more; got {len(reports)}")
    return dict(reports)


def _sort_key(report: Report | PredictionReport, measure: Measure) -> float:
    value = report.results[measure].value
    if np.isnan(value):
        return np.inf
    return value if measure.metric.better == "lower" else -value


def _run_omnibus_tests(
    named: Mapping[str, Report], measures: Sequence[Measure], method: Omnibus, rng: Any
) -> dict[Measure, Significance]:
    in_step = values_in_step([*named.values()])
    found = {}
    for measure in measures:
        if not measure.metric.per_user:
            continue
        columns = [each.by_measure[measure][order] for each, order in in_step]
        if np.count_nonzero(~np.isnan(columns).any(axis=0)) > 1:
            found[measure] = friedman(
                dict(zip(named, columns, strict=True)), method=method, seed=rng, missing="omit"
            )
    return found
