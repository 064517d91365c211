"""Errors of predicted ratings and probabilities: intervals over users, groups and comparisons."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core.arithmetic import ROUNDING, rounding_of
from recsys_metrics._core.checks import check_level, check_mapping, missing_entries
from recsys_metrics._core.inputs.arrays import FloatArray, as_labels, as_numbers
from recsys_metrics._core.inputs.columns import check_zero_one, match_keys
from recsys_metrics._core.inputs.frames import (
    by_key,
    is_column,
    is_frame,
    refuse_other_labels,
    refuse_unsorted_numbers,
)
from recsys_metrics._core.inputs.ids import refuse_names_alike
from recsys_metrics._core.inputs.several import read_several
from recsys_metrics._core.plotting import draw_intervals, finish, in_words, plots
from recsys_metrics._core.sorted_arrays import factorize
from recsys_metrics.bias.fairness._by_group import report_of_means
from recsys_metrics.calibration._checks import check_probabilities
from recsys_metrics.evaluation._aggregate import Aggregate, PairedAggregates, aggregate_interval
from recsys_metrics.evaluation._comparison import (
    Comparison,
    build_comparison,
    find_among,
    find_shared_measures,
)
from recsys_metrics.evaluation._difference import (
    Difference,
    correct_p_values,
    difference_of_pairs,
)
from recsys_metrics.evaluation._flat_values import flatten_values
from recsys_metrics.evaluation._grouped import GroupedReport, find_grouping
from recsys_metrics.evaluation._grouped_comparison import GroupedComparison
from recsys_metrics.evaluation._prediction_file import load, save
from recsys_metrics.evaluation._prediction_metrics import (
    PREDICTION_METRICS,
    PredictionMetric,
    find_prediction_metric,
)
from recsys_metrics.evaluation._protocol import check_words
from recsys_metrics.evaluation._rendering import RenderableTable, View
from recsys_metrics.evaluation._table_style import DEFAULT_STYLE, TableStyle, names_of_measures
from recsys_metrics.evaluation._user_values import read_groups
from recsys_metrics.measures import Measure, MeasureMapping
from recsys_metrics.measures._text import suggest_names
from recsys_metrics.protocol.significance import Interval
from recsys_metrics.protocol.significance._gains import changed_gains
from recsys_metrics.protocol.significance._multiple import Adjustment

_LEGEND = (
    "The value over all rows with its 95% confidence interval, from leaving out one user after "
    "the other (the jackknife)."
)
_ROWS_ALONE = (
    "No users were given, so rows count as independent. Ratings of one person are not: pass "
    "users= for intervals that generalise to other people."
)


@dataclass(frozen=True)
class PredictionResult:
    """The value of one metric over all rows, and how it varies with the users.

    Attributes
    ----------
    measure : Measure
        The metric.
    value : float
        Over all rows.
    aggregate : Aggregate
        Number of users, and the standard deviation of their jackknife pseudo-values.

    Examples
    --------
    >>> from recsys_metrics.evaluation import evaluate_predictions
    >>> report = evaluate_predictions([5, 2, 4, 1, 5], [4.2, 2.8, 3.5, 1.5, 4.7], ["mae"])
    >>> round(report["mae"].value, 3), report["mae"].n
    (0.58, 5)
    """

    measure: Measure
    value: float
    aggregate: Aggregate

    @property
    def n(self) -> int:
        """How many users, or rows without users, the value is over."""
        return self.aggregate.n

    @property
    def standard_error(self) -> float:
        """Of the value, by the jackknife; NaN for fewer than two users."""
        return self.aggregate.standard_deviation / np.sqrt(self.n) if self.n > 1 else np.nan

    def interval(self, *, level: float = 0.95) -> Interval | None:
        """Between which values does it lie, with other users of the same kind?

        Parameters
        ----------
        level : float
            Confidence.

        Returns
        -------
        Interval or None
            None where the users allow none: fewer than two, or none that changes the value.
        """
        return aggregate_interval(self.measure, self.aggregate, level=check_level(level))


@dataclass(frozen=True, eq=False, repr=False)
class PredictionReport(
    MeasureMapping[PredictionResult],
    RenderableTable,
    entries="results",
    absent="was not measured; there are",
):
    """What was found for each metric of predictions; made by `evaluate_predictions`.

    A mapping: ``report["rmse"].interval()``.

    Attributes
    ----------
    name : str
        Of what was evaluated.
    results : mapping from Measure to PredictionResult
    actual, predicted : (n,) array of float
        The rows.
    users : (n,) array of int or None
        The number of each row's user; None where rows are on their own.
    user_ids : tuple
        The user of each number.
    groups : mapping
        Group of each row or user, by the name of the grouping.
    warnings : tuple of str
        What to keep in mind.

    Examples
    --------
    >>> from recsys_metrics.evaluation import evaluate_predictions
    >>> report = evaluate_predictions([5, 2, 4, 1], [4, 2, 3, 1], ["mae"], users=list("abab"))
    >>> report.by({"a": "old", "b": "new"})["mae"].per_group
    {'new': 0.0, 'old': 1.0}
    """

    name: str
    results: Mapping[Measure, PredictionResult]
    actual: FloatArray
    predicted: FloatArray
    users: NDArray[np.intp] | None
    user_ids: tuple[Hashable, ...]
    groups: Mapping[str, Any]
    warnings: tuple[str, ...]

    def interval(self, measure: str | Measure, *, level: float = 0.95) -> Interval | None:
        """Return between which values a metric lies."""
        return self[measure].interval(level=level)

    def by(
        self, groups: str | ArrayLike | Mapping[Any, Any], *, level: float = 0.95
    ) -> GroupedReport:
        """Return every metric by groups of users or of rows.

        Parameters
        ----------
        groups : str, (n,) array, mapping or table
            The name of a grouping that `evaluate_predictions` was given; the group of each row;
            or of each user, as a mapping or a table.
        level : float
            Confidence of the intervals.

        Returns
        -------
        GroupedReport
        """
        grouping, given = find_grouping(self.groups, groups)
        members = self.rows_by_group(given)
        names = np.empty(len(members), dtype=object)
        names[:] = list(members)
        reports = {}
        for measure in self.results:
            metric = PREDICTION_METRICS[measure.name]
            found = [self._aggregate(metric, rows) for rows in members.values()]
            count = np.array([each.n for each in found])
            deviation = np.array([each.standard_deviation for each in found])
            means = np.array([each.mean for each in found])
            reports[measure] = report_of_means(
                names, means, count, deviation, check_level(level), bounds=measure.metric.bounds
            )
        sizes = {name: self._sums_users(rows)[1] for name, rows in members.items()}
        return GroupedReport(grouping, sizes, reports, of_rows=True)

    def compare(
        self,
        other: PredictionReport,
        *,
        level: float = 0.95,
        margin: float | None = None,
        decide_on: str | Measure | None = None,
    ) -> Comparison:
        """Return the difference to another model that predicted the same rows.

        Parameters
        ----------
        other : PredictionReport
            Of the same actual values and users, in the same order.
        level : float
            Confidence of the intervals.
        margin : float, optional
            The smallest difference that matters, above 0, in the unit of the metric.
        decide_on : str or Measure, optional
            The metric that the conclusion is about; by default the first that has a better side.

        Returns
        -------
        Comparison
            Users up and down are those whose own value is higher and lower; for a metric that
            single users do not have, those who move the difference up and down.

        Raises
        ------
        ValueError
            If the actual values or the users differ.
        """
        level = check_level(level)
        shared = find_shared_measures([self, other])
        raw = self.differences(other, shared, level)

        def by_group(
            groups: Any, measures: Sequence[str | Measure] | None, correction: Adjustment
        ) -> GroupedComparison:
            chosen = shared if measures is None else find_among(measures, shared)
            return self._compare_by_group(other, groups, chosen, level, correction)

        return build_comparison(
            (self.name, other.name),
            correct_p_values(raw, "holm"),
            level=level,
            margin=margin,
            decide_on=decide_on,
            warnings=self.warnings,
            by_group=by_group,
        )

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns of `to_frame`, one row per metric."""
        found = [(result, result.interval()) for result in self.results.values()]
        return {
            "measure": [result.measure.label for result, _ in found],
            "value": [result.value for result, _ in found],
            "low": [np.nan if i is None else i.low for _, i in found],
            "high": [np.nan if i is None else i.high for _, i in found],
            "users": [result.n for result, _ in found],
            "rows": [len(self.actual)] * len(found),
        }

    def as_dict(self, *, plain: bool = False) -> dict[str, float]:
        """Return values and ends of intervals as one flat mapping, for an experiment logger.

        Parameters
        ----------
        plain : bool
            Write names of letters, digits and underscores alone, as `Report.as_dict` does.

        Examples
        --------
        >>> from recsys_metrics.evaluation import evaluate_predictions
        >>> report = evaluate_predictions([5, 2, 4], [4, 2, 3], ["MAE"])
        >>> [*report.as_dict(plain=True)]
        ['MAE', 'MAE_low', 'MAE_high']
        """
        return flatten_values(self.results.values(), plain=plain)

    def save(self, path: str | PathLike[str], *, overwrite: bool = False) -> None:
        """Write the report to a file, as JSON.

        It holds values, rows, users and groups;
        `recsys_metrics/data/prediction_report.schema.json` is its schema.

        Parameters
        ----------
        path : str or path
            A file that does not exist yet.
        overwrite : bool
            Whether to replace a file that exists.

        Raises
        ------
        FileExistsError
            If the file exists and ``overwrite`` is False; it stays as it is.
        TypeError
            If users or groups are neither text nor whole numbers.
        """
        save(self, path, overwrite=overwrite)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> PredictionReport:
        """Read a report that `save` wrote; it compares and groups as the one that was saved.

        Parameters
        ----------
        path : str or path

        Raises
        ------
        ValueError
            If the file is no report of predictions, one of a later form, or one that contradicts
            itself: values that its rows do not give.
        """
        return load(path, evaluate_predictions)

    def differences(
        self, other: PredictionReport, measures: Sequence[Measure], level: float
    ) -> dict[Measure, Difference]:
        """Return the difference to another model by each metric, with uncorrected p-values."""
        self._check_same_rows(other)
        every = np.arange(len(self.actual))
        return {
            measure: difference_of_pairs(measure, self._pairs(other, measure, every), level=level)
            for measure in measures
        }

    @plots
    def plot(self, *, axes: Any = None) -> Any:
        """Draw values with their intervals."""
        names, found = [*self], [*self.results.values()]
        values, ends = [r.value for r in found], [r.interval() for r in found]
        axes = draw_intervals(axes, names, values, ends)
        first = DEFAULT_STYLE.with_interval(values[0], ends[0])
        alt = f"{self.name}: {in_words(names, values, ends)}"
        title = f"{self.name}: {names[0]} is {first}"
        return finish(axes, title=title, x="value, with its 95% CI", alt=alt)

    def _names(self) -> list[str]:
        return [self.name, *names_of_measures(self.results)]

    def _view(self, style: TableStyle = DEFAULT_STYLE) -> View:
        return View(
            title=style.rename(self.name),
            headings=["Metric", "Value"],
            rows={
                style.rename_measure(measure): (
                    measure,
                    [style.mean(result, default="interval")],
                )
                for measure, result in self.results.items()
            },
            show_questions=True,
            legend=_LEGEND,
            protocol_rows=[
                ("rows", f"{len(self.actual):,}"),
                ("users", "not given" if self.users is None else f"{len(self.user_ids):,}"),
            ],
            warnings=self.warnings,
        )

    def _sums_users(self, rows: NDArray[np.intp]) -> tuple[NDArray[np.intp], int]:
        """Return the number of each row's user among the users of these rows, and how many."""
        if self.users is None:
            return np.arange(len(rows)), len(rows)
        if len(rows) == len(self.users):
            return self.users, len(self.user_ids)
        _, number = np.unique(self.users[rows], return_inverse=True)
        return number, int(number.max(initial=-1)) + 1

    def _pseudo_values(
        self, metric: PredictionMetric, rows: NDArray[np.intp]
    ) -> tuple[float, FloatArray, FloatArray]:
        """Return the value, each user's jackknife pseudo-value, and each user's own value."""
        number, n = self._sums_users(rows)
        sums = metric.sums(self.actual[rows], self.predicted[rows], number, n)
        totals = [column.sum() for column in sums]
        with np.errstate(all="ignore"):
            value = float(metric.combine(*totals))
            left_out = metric.combine(
                *(total - column for total, column in zip(totals, sums, strict=True))
            )
            pseudo = n * value - (n - 1) * np.asarray(left_out, dtype=float)
            own = np.asarray(metric.combine(*sums), dtype=float)
        return value, pseudo if n > 1 else np.full(n, value), own

    def _aggregate(self, metric: PredictionMetric, rows: NDArray[np.intp]) -> Aggregate:
        value, pseudo, _ = self._pseudo_values(metric, rows)
        return replace(_spread(pseudo), mean=value, n=len(pseudo), n_skipped=0)

    def _pairs(
        self, other: PredictionReport, measure: Measure, rows: NDArray[np.intp]
    ) -> PairedAggregates:
        metric = PREDICTION_METRICS[measure.name]
        new, new_pseudo, new_own = self._pseudo_values(metric, rows)
        old, old_pseudo, old_own = other._pseudo_values(metric, rows)
        gains = new_pseudo - old_pseudo
        near = rounding_of(np.concatenate([new_pseudo, old_pseudo]))
        gains[np.abs(gains) <= near + ROUNDING * np.abs(old_pseudo)] = 0.0
        turned = new_own - old_own if metric.of_single_users else gains
        better, worse = (int(np.count_nonzero(side)) for side in (turned > 0, turned < 0))
        found = replace(_spread(gains), mean=new - old, n=len(gains), n_skipped=0)
        return PairedAggregates(new, old, found, better, worse, changed_gains(gains))

    def _compare_by_group(
        self,
        other: PredictionReport,
        groups: Any,
        measures: Sequence[Measure],
        level: float,
        correction: Adjustment,
    ) -> GroupedComparison:
        grouping, given = find_grouping(self.groups, groups)
        members = self.rows_by_group(given)
        raw = {
            (measure, name): difference_of_pairs(
                measure, self._pairs(other, measure, rows), level=level
            )
            for measure in measures
            for name, rows in members.items()
        }
        corrected = correct_p_values(raw, correction)
        return GroupedComparison(
            new=self.name,
            old=other.name,
            grouping=grouping,
            sizes={name: self._sums_users(rows)[1] for name, rows in members.items()},
            differences={
                measure: {name: corrected[measure, name] for name in members}
                for measure in measures
            },
            correction=correction,
            level=level,
        )

    def rows_by_group(self, groups: Any) -> dict[Hashable, NDArray[np.intp]]:
        """Return the rows of each group of rows, or of users where a mapping says theirs."""
        if is_frame(groups):
            groups = read_groups(groups)
        elif is_column(groups) and len(groups) != len(self.actual):
            # A column with a row for each user, by its index.
            groups = by_key(groups) or groups
        if isinstance(groups, Mapping):
            if self.users is None:
                raise TypeError("groups is a mapping from user to group, so pass users=, too")
            without = [user for user in self.user_ids if user not in groups]
            if without:
                raise ValueError(f"groups has no group for user {without[0]!r}")
            groups = [groups[self.user_ids[number]] for number in self.users.tolist()]
        refuse_unsorted_numbers("groups", groups, rows="prediction")
        labels = as_labels(groups, "groups", fill="'none'")
        if labels.shape != self.actual.shape:
            raise ValueError(
                f"groups has shape {labels.shape}; give the group of each of {len(self.actual):,} "
                "rows, or a mapping from user to group"
            )
        if (missing := missing_entries(labels)).any():
            row = int(missing.argmax())
            raise ValueError(
                f"groups has {labels[row]!r} for row {row}; give rows of unknown group a name of "
                "their own"
            )
        names, number = factorize(labels)
        refuse_names_alike(names.tolist(), "groups has the labels")
        return {name: np.flatnonzero(number == place) for place, name in enumerate(names.tolist())}

    def _check_same_rows(self, other: PredictionReport) -> None:
        if not isinstance(other, PredictionReport):
            raise TypeError(
                "predictions are compared with predictions, as evaluate_predictions returns them; "
                f"got {other!r:.60}"
            )
        ours, theirs = len(self.actual), len(other.actual)
        if ours != theirs:
            raise ValueError(f"the reports are of {ours:,} and {theirs:,} rows; compare the same")
        differs = self.actual != other.actual
        if differs.any():
            row = int(differs.argmax())
            raise ValueError(
                f"the reports do not agree on what was observed in {int(differs.sum()):,} of "
                f"{ours:,} rows, row {row} for one: {self.actual[row]:g} and "
                f"{other.actual[row]:g}. Give both the same rows in the same order"
            )
        same_users = self.user_ids == other.user_ids and (
            np.array_equal(self.users, other.users)
            if self.users is not None and other.users is not None
            else self.users is other.users
        )
        if not same_users:
            raise ValueError("the reports have different users; give both the same users=")


def evaluate_predictions(
    actual: ArrayLike | Mapping[Any, Any],
    predicted: ArrayLike | Mapping[Any, Any],
    metrics: Iterable[str],
    *,
    users: ArrayLike | Mapping[Any, Any] | None = None,
    groups: Mapping[str, Any] | None = None,
    name: str = "",
) -> PredictionReport:
    r"""How far off are these predicted ratings or probabilities, and how sure is that?

    Parameters
    ----------
    actual : (n,) array of float, or mapping
        Ratings that were given; or observed outcomes, 0 and 1, for metrics of probabilities.
    predicted : (n,) array of float, or mapping
        Predicted ratings, or the probability of a 1, in the same order or by the same keys.
    metrics : iterable of str
        Of ratings: "mae", "mse", "rmse", "error_ratio", "r2", "explained_variance". Of
        probabilities: "log_loss", "brier_score", "normalized_entropy", "calibration_ratio",
        "expected_calibration_error" and "average_calibration_error" (10 bins of equal width).
        Common short names such as "ECE" are read, too.
    users : (n,) array or mapping, optional
        Whose row it is. Without it rows count as independent.
    groups : mapping, optional
        Name of each grouping, and the group of each row, or a mapping from user to group.
    name : str
        What is evaluated.

    Returns
    -------
    PredictionReport
        A mapping from metric to result, with `.by(groups)`, `.compare(other)`, `.to_frame()`,
        `.plot()`, `.save(path)` and tables, as a `Report` of ranking has them.

    Raises
    ------
    ValueError, TypeError
        If a metric is unknown or of the other kind, lengths differ, a value is not finite, or a
        label or probability is none; the message says what to give.

    Notes
    -----
    The value is that of the function of the same name over all rows. Users are left out one
    after the other, and the spread of their pseudo-values gives the standard error:

    .. math:: \theta_u = n \hat\theta - (n - 1) \hat\theta_{-u}, \qquad
              \mathrm{SE} = \frac{s(\theta_1, \ldots, \theta_n)}{\sqrt{n}}

    where :math:`\hat\theta` is the value over all rows, :math:`\hat\theta_{-u}` that without user
    :math:`u`, :math:`n` the number of users and :math:`s` the standard deviation. The interval is
    that of `protocol.significance.mean_interval`. It covers a calibration error that is close to 0
    badly, because an estimated error cannot be negative.

    References
    ----------
    Efron and Stein (1981), The jackknife estimate of variance, Annals of Statistics 9(3).

    Examples
    --------
    >>> from recsys_metrics.evaluation import evaluate_predictions
    >>> actual, predicted = [5, 2, 4, 1, 5, 3], [4.2, 2.8, 3.5, 1.5, 4.7, 3.6]
    >>> report = evaluate_predictions(actual, predicted, ["MAE", "RMSE"], users=list("aabbcc"))
    >>> round(report["rmse"].value, 3), report["rmse"].n
    (0.61, 3)
    """
    given = {} if groups is None else groups
    check_mapping("groups", given, "from a name to a grouping")
    check_words("name", name)
    chosen = _read_metrics(metrics)
    observed, said, owner = match_keys(actual=actual, predicted=predicted, users=users)
    if chosen[0].subject == "probability":
        observed = check_zero_one("actual", observed).astype(float)
        said = check_probabilities("predicted", said)
    else:
        observed, said = _finite("actual", observed), _finite("predicted", said)
    if len(observed) != len(said):
        raise ValueError(f"actual has {len(observed):,} rows and predicted {len(said):,}")
    if not len(observed):
        raise ValueError("there are no rows; give at least one")
    number, ids = _number_users(owner, len(observed))
    empty = PredictionReport(
        name=name or "the predictions",
        results={},
        actual=observed,
        predicted=said,
        users=number,
        user_ids=ids,
        groups={
            grouping: _groups_of_rows(grouping, each, actual) for grouping, each in given.items()
        },
        warnings=() if owner is not None else (_ROWS_ALONE,),
    )
    for grouping in empty.groups.values():
        empty.rows_by_group(grouping)
    every = np.arange(len(observed))
    results = {}
    for metric in chosen:
        # The function says what is wrong with the rows, and what an infinite value means.
        value = float(metric.measure.metric.function(observed, said))
        aggregate = replace(empty._aggregate(metric, every), mean=value)
        results[metric.measure] = PredictionResult(metric.measure, value, aggregate)
    return replace(empty, results=results)


def _groups_of_rows(name: str, groups: Any, actual: Any) -> Any:
    """Return a grouping of the rows without its labels, which are those of the actual values."""
    if not is_column(groups) or len(groups) != len(actual):
        return groups
    refuse_other_labels(**{"actual": actual, f"groups[{name!r}]": groups})
    return as_labels(groups, f"groups[{name!r}]", fill="'none'")


def _read_metrics(metrics: Iterable[str]) -> list[PredictionMetric]:
    names = read_several("metrics", metrics, "metrics such as ['MAE', 'RMSE']", alone=str)
    if not names:
        raise ValueError('metrics names none; ask for "rmse", for instance')
    found: dict[str, PredictionMetric] = {}
    for name in names:
        metric = find_prediction_metric(name)
        if metric is None:
            raise ValueError(
                f"unknown metric of predictions {name!r}"
                f"{suggest_names(str(name), PREDICTION_METRICS, PREDICTION_METRICS)}"
            )
        label = str(name).strip()
        measure = metric.measure
        if label != measure.name:
            measure = replace(measure, requested=label + "@{k}")
        found.setdefault(metric.measure.name, replace(metric, measure=measure))
    kinds = {metric.subject: name for name, metric in found.items()}
    if len(kinds) > 1:
        raise ValueError(
            f"{kinds['rating']} is of ratings and {kinds['probability']} of probabilities; "
            "evaluate them in two calls"
        )
    return [*found.values()]


def _finite(name: str, values: Any) -> FloatArray:
    numbers = as_numbers(values, name)
    if numbers.ndim != 1:
        raise ValueError(f"{name} must be one row of numbers; got shape {numbers.shape}")
    wrong = ~np.isfinite(numbers)
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(f"{name}[{row}] is {numbers[row]}; every row needs a finite number")
    return numbers


def _number_users(users: Any, n: int) -> tuple[NDArray[np.intp] | None, tuple[Hashable, ...]]:
    if users is None:
        return None, ()
    owner = as_labels(users, "users")
    if owner.shape != (n,):
        raise ValueError(f"users has shape {owner.shape}; give the user of each of {n:,} rows")
    if (missing := missing_entries(owner)).any():
        raise ValueError(f"users[{int(missing.argmax())}] is NaN; every row needs its user")
    try:
        ids, number = factorize(owner)
    except TypeError:
        raise TypeError("users must be of one kind that can be sorted, such as text") from None
    return number, tuple(ids.tolist())


def _spread(values: FloatArray) -> Aggregate:
    """Return the aggregate of pseudo-values; without a spread if one of them is not finite."""
    if not np.isfinite(values).all():
        return Aggregate(np.nan, len(values))
    return Aggregate.from_values(values)
