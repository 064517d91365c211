"""Off-policy estimators over a log in a long table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement
from typing import Any, NoReturn

import narwhals as nw
import numpy as np

from recsys_metrics._core.checks import check_mapping
from recsys_metrics._core.inputs.arrays import FloatArray
from recsys_metrics._core.inputs.several import read_several
from recsys_metrics.bias.off_policy import Estimate
from recsys_metrics.bias.off_policy._by_user import UserSums, check_several
from recsys_metrics.bias.off_policy._estimate import Spread
from recsys_metrics.bias.off_policy._formulas import (
    Columns,
    Estimator,
    EstimatorName,
    Operations,
    Terms,
    is_absent,
    select,
    value_of,
)
from recsys_metrics.frames._queries import Expr, collect, divide, minimum, one_row
from recsys_metrics.frames._tables import TableError, as_lazy, format_names, refuse_pattern

ROLES = ("reward", "propensity", "target", "model", "value", "user")

_COLUMNS = Columns(r=nw.col("reward"), w=nw.col("weight"), q=nw.col("model"), v=nw.col("value"))
_ALLOWED = {"propensity": (0.0, 1.0, "above 0 and at most 1"), "target": (0.0, 1.0, "from 0 to 1")}
_CURES = {
    "propensity": "The event was observed, so its probability is above 0. Percentages need a "
    "division by 100, estimates of 0 a floor",
    "target": "Percentages need a division by 100",
}
_OPERATIONS = Operations(
    minimum=lambda one, other: minimum(one, nw.lit(other)),
    where=lambda condition, then, otherwise: nw.when(condition).then(then).otherwise(otherwise),
    divide=divide,
)


def off_policy(
    log: Any,
    estimators: Sequence[EstimatorName] | EstimatorName = ("ips", "snips"),
    *,
    cap: float | None = None,
    threshold: float | None = None,
    columns: Mapping[str, str] | None = None,
) -> dict[str, Estimate]:
    r"""How much would the target policy earn per round, from a log on disk or in a cluster?

    Parameters
    ----------
    log : frame
        One row per logged round: `reward`, the `propensity` of its action under the logging
        policy, and the `target` probability of that action under the target policy; for
        estimators with a model also `model`, the reward it expects of what was done, and
        `value`, the reward it expects of the policy in that round. With a column `user`, the
        rounds of one user are kept together, as they are not independent.
    estimators : str or sequence of str
        Any of "ips", "clipped_ips", "snips", "clipped_snips", "direct_method", "doubly_robust",
        "self_normalized_doubly_robust" and "switch_doubly_robust".
    cap : float, optional
        The largest weight of the clipped ones.
    threshold : float, optional
        The largest weight that switch doubly robust corrects by.
    columns : mapping, optional
        The names of these columns, where they have others.

    Returns
    -------
    dict from str to Estimate
        As from `recsys_metrics.bias.off_policy`, with the normal interval by default: the bootstrap
        of rounds needs the rounds themselves, which stay in the engine. With users,
        ``interval(method="bootstrap")`` resamples their sums.

    Raises
    ------
    ValueError
        If a column is missing, a role is unknown, a number is not finite or out of range, the
        policy takes none of the logged actions, or a round has no user.

    Notes
    -----
    The table is read once for all estimators: each is a mean plus a ratio of means, whose
    standard error comes from the sums of squares and products. With users it is read a second
    time, and the sums of each user leave the engine.

    Examples
    --------
    >>> import pytest
    >>> pl = pytest.importorskip("polars")
    >>> from recsys_metrics import frames
    >>> log = pl.DataFrame(
    ...     {"reward": [1, 0, 1, 1], "propensity": [0.5, 0.25, 0.1, 0.25],
    ...      "target": [0.6, 0.2, 0.6, 0.2]}
    ... )
    >>> {name: round(found.value, 4) for name, found in frames.off_policy(log).items()}
    {'ips': 2.0, 'snips': 0.9091}
    >>> of_users = frames.off_policy(log.with_columns(visitor=pl.Series(list("abab"))),
    ...     columns={"user": "visitor"})
    >>> of_users["snips"].n_users
    2
    """
    return estimate_rounds(log, estimators, cap=cap, threshold=threshold, columns=columns)


def estimate_rounds(
    log: Any,
    estimators: Sequence[EstimatorName] | EstimatorName,
    *,
    cap: float | None,
    threshold: float | None,
    columns: Mapping[str, str] | None,
    row: str | None = None,
) -> dict[str, Estimate]:
    """Do what `off_policy` does; `row` is the column with the number that an error names."""
    names = read_several("estimators", estimators, "names such as ['ips', 'snips']", alone=str)
    columns = {} if columns is None else columns
    check_mapping("columns", columns, "from a role to the name of a column")
    if unknown := [role for role in columns if role not in ROLES]:
        raise ValueError(
            f"columns names {unknown[0]!r}, which is no role; there are {', '.join(ROLES)}"
        )
    selected = select(names, {"cap": cap, "threshold": threshold})
    if not selected:
        raise ValueError("estimators is empty; name at least one, such as 'ips'")
    needed = sorted({role for estimator in selected.values() for role in estimator.needs})
    rounds = _Rounds(as_lazy(log, "log"), needed, columns, row)
    checked = [*needed, *(["user"] if rounds.has_users else [])]
    faults = {f"faults {role}": rounds.fault(role).cast(nw.Int32).sum() for role in checked}
    sums = {name: _term_expressions(estimator) for name, estimator in selected.items()}
    flat = {f"{name} {of}": mean for name, means in sums.items() for of, mean in means.items()}
    totals = one_row(rounds.frame.select(n=nw.len(), **faults, **flat), "log")
    if not totals["n"]:
        raise ValueError("the log is empty; there is no round to learn from")
    for role in checked:
        if many := totals[f"faults {role}"]:
            rounds.refuse_role(role, int(many))
    means = {name: {of: totals[f"{name} {of}"] for of in sums[name]} for name in selected}
    for name, estimator in selected.items():
        # The mean of the weights before a limit is for a warning only.
        used = [mean for of, mean in means[name].items() if not of.startswith("raw")]
        if not all(map(math.isfinite, used)):
            rounds.refuse_size(estimator)
    n = int(totals["n"])
    of_users = _sum_by_user(rounds.frame, selected, n) if rounds.has_users else {}
    return {
        name: _estimate(estimator, means[name], n, of_users.get(name))
        for name, estimator in selected.items()
    }


class _Rounds:
    """The columns of a log by their roles, and where in it something is."""

    def __init__(
        self,
        log: nw.LazyFrame[Any],
        needed: Sequence[str],
        names: Mapping[str, str],
        row: str | None,
    ) -> None:
        self.needed, self.names, self.row = needed, names, row
        self.has_users = "user" in names or "user" in log.collect_schema().names()
        self.frame = _read(log, [*needed, *(["user"] if self.has_users else [])], names, row)
        self._has_nan = self.has_users and self.frame.collect_schema()["user"].is_float()

    def fault(self, role: str) -> Expr:
        """Return whether a row has no valid entry there."""
        if role != "user":
            return _fault(role)
        user = nw.col("user")
        return user.is_null() | user.is_nan() if self._has_nan else user.is_null()

    def refuse_role(self, role: str, many: int) -> None:
        """Raise about the rows in which a number of a role is not valid."""
        if role == "user":
            self._refuse_no_user(many)
        words = _ALLOWED[role][-1] if role in _ALLOWED else "a finite number"
        rows = f"{many:,} rows of the log have" if many > 1 else "1 row of the log has"
        place, first = self._first(self.frame.filter(_fault(role)), role)
        is_one = "is empty" if first is None else f"is {first:g}"
        cure = _CURES.get(role, "Leave such rows out, or find out why no number was logged")
        column = self.names.get(role, role)
        raise ValueError(
            f"{rows} a {role} that is not {words}: column {column!r} {is_one} in {place}. {cure}"
        )

    def _refuse_no_user(self, many: int) -> NoReturn:
        rows = f"{many:,} rows of the log have" if many > 1 else "1 row of the log has"
        place, _ = self._first(self.frame.filter(self.fault("user")), "user")
        raise ValueError(
            f"{rows} no user: column {self.names.get('user', 'user')!r} is empty in {place}. Give "
            "each visitor without an id one of their own"
        )

    def refuse_size(self, estimator: Estimator) -> None:
        """Raise about the number that is too large for the sums of an estimator."""
        role = self._largest_role(estimator)
        sized = self.frame.with_columns(size=nw.col(role).abs())
        place, first = self._first(sized, role, by="size")
        if role != "weight":
            what = f"column {self.names.get(role, role)!r} is {first:g} in {place}"
            cure = "Divide the rewards, and what a model predicts of them, by the same number"
        else:
            columns = [self.names.get(each, each) for each in ("target", "propensity")]
            what = (
                f"the largest weight, {columns[0]!r} over {columns[1]!r}, is {first:g} in {place}"
            )
            cure = (
                "If its propensity is too close to 0 to divide by, give it a floor, or the weights "
                "a cap (clipped_ips); if the rewards are so large, divide all by the same number"
            )
        raise ValueError(
            f"{estimator.title} is the sum of numbers larger than a float holds: {what}. {cure}"
        )

    def _largest_role(self, estimator: Estimator) -> str:
        """Return which of the numbers that an estimator multiplies has the largest size."""
        roles = [role for role in self.needed if role in ("reward", "model", "value")]
        roles = ["weight", *roles] if estimator.uses_weights else roles
        largest = one_row(self.frame.select(**{role: nw.col(role).abs().max() for role in roles}))
        return max(roles, key=lambda role: float(largest[role]))

    def _first(self, rows: nw.LazyFrame[Any], role: str, by: str = "") -> tuple[str, Any]:
        """Return where the first of some rows is, or the one with most, and what it has there."""
        order = by or self.row or role
        wanted = [*dict.fromkeys([role, order, *([self.row] if self.row else [])])]
        ordered = rows.select(*wanted).sort(order, descending=bool(by))
        first = one_row(ordered.head(1))
        return (f"row {first[self.row]}" if self.row else "one of them"), first[role]


def _read(
    frame: nw.LazyFrame[Any], needed: Sequence[str], names: Mapping[str, str], row: str | None
) -> nw.LazyFrame[Any]:
    schema = frame.collect_schema()
    there = schema.names()
    absent = [role for role in needed if names.get(role, role) not in there]
    if absent:
        listed = ", ".join(f"{names.get(role, role)!r} for the {role}" for role in absent)
        raise TableError(
            "log",
            f"has no column {listed}; there are {format_names([c for c in there if c != row])}",
            roles=absent,
        )
    roles: dict[str, str] = {}
    for role in needed:
        column = names.get(role, role)
        refuse_pattern(column, role, "log")
        if (other := roles.setdefault(column, role)) != role:
            raise TableError(
                "log",
                f"has one column, {column!r}, for the {other} and the {role}; name a column for "
                "each",
            )
        dtype = schema[column]
        if role != "user" and not (
            dtype.is_numeric() or isinstance(dtype, nw.Boolean | nw.Unknown)
        ):
            raise TableError(
                "log",
                f"has values of type {dtype} in {names.get(role, role)!r}, where the {role} should "
                "be a number; cast the column or name another",
            )
    numbers = {
        role: nw.col(column) if role == "user" else nw.col(column).cast(nw.Float64)
        for column, role in roles.items()
    }
    read = frame.select(*([row] if row else []), **numbers)
    if "propensity" not in needed:
        return read
    return read.with_columns(weight=divide(nw.col("target"), nw.col("propensity")))


def _fault(role: str) -> Expr:
    """Return whether a row has no valid number there."""
    value = nw.col(role)
    fault = value.is_null() | ~value.is_finite()
    if role in _ALLOWED:
        low, high, _ = _ALLOWED[role]
        fault = fault | (value <= low if role == "propensity" else value < low) | (value > high)
    return fault


def _term_expressions(estimator: Estimator) -> dict[str, Expr]:
    """Return the means of an estimator's terms, and of the products that its spread needs."""
    terms = {
        of: term
        for of, term in estimator.terms(_COLUMNS, _OPERATIONS)._asdict().items()
        if not is_absent(term)
    }
    pairs = [*combinations_with_replacement([of for of in terms if of != "weight"], 2)]
    if estimator.uses_weights:
        pairs.append(("weight", "weight"))
    means = {of: term.mean() for of, term in terms.items()}
    if estimator.uses_weights:
        # Before any limit: limited weights have a mean below 1 by design.
        raw = _COLUMNS.w
        means |= {"raw": raw.mean(), "raw raw": (raw * raw).mean()}
    return means | {f"{of} {other}": (terms[of] * terms[other]).mean() for of, other in pairs}


def _sum_by_user(
    frame: nw.LazyFrame[Any], selected: Mapping[str, Estimator], n: int
) -> dict[str, UserSums]:
    """Return the sums of each estimator's terms over the rounds of each user."""
    terms = {
        f"{name} {of}": term
        for name, estimator in selected.items()
        for of, term in estimator.terms(_COLUMNS, _OPERATIONS)._asdict().items()
        if of != "weight" and not is_absent(term)
    }
    rows = frame.select("user", **terms).group_by("user")
    sums = collect(rows.agg(nw.len().alias("rounds"), *(nw.col(name).sum() for name in terms)))
    check_several(len(sums), n)
    order = np.lexsort([sums[name].to_numpy() for name in ("rounds", *terms)])

    def column(name: str) -> FloatArray | None:
        if name not in sums.columns:
            return None
        return sums[name].to_numpy()[order].astype(np.float64)

    rounds = sums["rounds"].to_numpy()[order].astype(np.float64)
    return {
        name: UserSums(rounds, *(column(f"{name} {of}") for of in ("base", "top", "bottom")))
        for name in selected
    }


def _estimate(
    estimator: Estimator, means: Mapping[str, float], n: int, of_users: UserSums | None
) -> Estimate:
    """Return the estimate whose spread is that of ``base + (top - ratio * bottom) / bottom``."""
    base, top, bottom, _ = (means.get(of, absent) for of, absent in Terms()._asdict().items())
    value = value_of(base, top, bottom)
    factors = {"base": 1.0, "top": 1 / bottom, "bottom": -top / bottom**2}
    variance = sum(
        (1 if of == other else 2)
        * (factors[of] * factors[other] * (means[f"{of} {other}"] - means[of] * means[other]))
        for of, other in combinations_with_replacement(factors, 2)
        if f"{of} {other}" in means
    )
    error = math.sqrt(max(0.0, variance) / (n - 1)) if n > 1 else math.nan
    size, mean_weight = float(n), None
    if estimator.uses_weights:
        squares = means["weight weight"]
        size = n * means["weight"] ** 2 / squares if squares else 0.0
        if n > 1:
            spread = max(0.0, means["raw raw"] - means["raw"] ** 2) / (n - 1)
            mean_weight = means["raw"], math.sqrt(spread)
    found = Spread(error, size, mean_weight)
    return Estimate(estimator.title, float(value), n, found, of_users)
