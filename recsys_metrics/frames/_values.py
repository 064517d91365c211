"""Per-user values as a lazy query that an engine groups, pairs and aggregates."""

from __future__ import annotations

import operator
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import narwhals as nw
import numpy as np

from recsys_metrics._core.inputs.arrays import FloatArray, as_read_only
from recsys_metrics._core.inputs.encoded import number_ids
from recsys_metrics._core.inputs.fingerprint import Digests, hash_ids, truth_digests
from recsys_metrics._core.inputs.frames import is_frame
from recsys_metrics._core.inputs.tables import row_pointers
from recsys_metrics.evaluation._aggregate import Aggregate, PairedAggregates
from recsys_metrics.evaluation._user_values import ROUNDING, MemoryValues, UserValues
from recsys_metrics.frames import _tables
from recsys_metrics.frames._checks import check_rows
from recsys_metrics.frames._plan import Expr, collect, one_row
from recsys_metrics.measures import Measure
from recsys_metrics.protocol.significance._gains import MOST_RANDOMIZED, changed_gains


def aggregate_expressions(key: str, value: Expr) -> dict[str, Expr]:
    """Return what an `Aggregate` of a column is made from."""
    return {f"n_{key}": value.count(), f"mean_{key}": value.mean(), f"sd_{key}": value.std()}


def aggregate_from_sums(key: str, found: Mapping[str, Any]) -> Aggregate:
    """Return an aggregate from a row of such sums and the number of users."""
    n = int(found[f"n_{key}"])
    return Aggregate.from_sums(int(found["users"]), n, found[f"mean_{key}"], found[f"sd_{key}"])


@dataclass(frozen=True)
class FrameValues(UserValues):
    """Values that an engine has yet to compute.

    Attributes
    ----------
    frame : narwhals.LazyFrame
        One row per user: user, n_relevant, and a column for each measure that users have a value
        of; null for users who are left out.
    column : mapping
        The column of each measure, under a name that every engine takes.
    users : Table
        Whose ids the users are, to hold those of other tables to.
    truth : narwhals.LazyFrame
        What is relevant, a row for each user and item with its grade.
    names : mapping
        Which column is which in tables of groups, where their names do not say so.
    """

    frame: nw.LazyFrame[Any]
    column: Mapping[Measure, str]
    users: _tables.LongTable
    truth: nw.LazyFrame[Any]
    names: Mapping[str, str]

    @cached_property
    def in_memory(self) -> MemoryValues:
        """The values as arrays, in the order of the users; collected when first asked for."""
        rows = collect(self.frame).sort("user")
        users = tuple(rows["user"].to_list())
        return MemoryValues(
            {measure: _array(rows[column]) for measure, column in self.column.items()},
            users,
            _array(rows["n_relevant"]).astype(np.intp),
            _digests(collect(self.truth), users),
        )

    def native(self) -> Any:
        """One row per user with a column for each measure, in the engine's own frame."""
        names = {column: str(measure) for measure, column in self.column.items()}
        return self.frame.select("user", *names).rename(names).to_native()

    def by_group(
        self, groups: Any, measures: Sequence[Measure]
    ) -> tuple[dict[Hashable, int], dict[Measure, dict[Hashable, Aggregate]]]:
        """Group users by a table of users and groups, in the engine, or by what arrays take."""
        if not is_frame(groups):
            return self.in_memory.by_group(groups, measures)
        table = _tables.read(groups, "groups", self.names)
        _, table = _tables.unify_id_types([self.users, table], "user")
        check_rows(table, once=None)
        pairs = table.frame.unique()
        several = pairs.group_by("user").agg(n=nw.len())
        many = one_row(several.select(n=(nw.col("n") > 1).cast(nw.Int32).sum()))["n"]
        if many:
            raise _tables.TableError(
                "groups", f"has {int(many):,} users in several groups; keep one row for each"
            )
        parts: dict[str, Expr] = {"users": nw.len()}
        for measure in measures:
            parts |= aggregate_expressions(self.column[measure], nw.col(self.column[measure]))
        joined = self.frame.join(pairs, on="user", how="inner")
        rows = [*collect(joined.group_by("group").agg(**parts)).sort("group").iter_rows(named=True)]
        if not rows:
            raise ValueError("no user of the report is in the table of groups")
        sizes: dict[Hashable, int] = {row["group"]: int(row["users"]) for row in rows}
        return sizes, {
            measure: {row["group"]: aggregate_from_sums(self.column[measure], row) for row in rows}
            for measure in measures
        }

    def _n_other_truths(self, old: FrameValues) -> int:
        """Return how many users have other relevant items, or other grades, in another report."""
        theirs = old.truth.select("user", "item", grade_old=nw.col("grade"))
        pairs = self.truth.join(theirs, on=["user", "item"], how="full", suffix="_of_old")
        differs = (nw.col("grade") - nw.col("grade_old")).fill_null(1.0) != 0
        users = pairs.filter(differs).select(
            user=nw.coalesce("user", "user_of_old"),
        )
        return int(one_row(users.unique().select(n=nw.len()))["n"])

    def paired(
        self, old: UserValues, measures: Sequence[Measure]
    ) -> dict[Measure, PairedAggregates]:
        """Pair users within the engine; in memory where the other values are elsewhere."""
        if (
            not isinstance(old, FrameValues)
            or old.frame.implementation is not self.frame.implementation
        ):
            return self.in_memory.paired(old, measures)
        theirs = old.frame.select(
            "user",
            theirs=nw.lit(1.0),
            n_relevant_old=nw.col("n_relevant"),
            **{f"{self.column[measure]}_old": nw.col(old.column[measure]) for measure in measures},
        )
        ours = self.frame.with_columns(ours=nw.lit(1.0))
        joined = ours.join(theirs, on="user", how="full", suffix="_of_old")
        keys = [self.column[measure] for measure in measures]
        gains = {f"gain_{key}": _gain(nw.col(key), nw.col(f"{key}_old")) for key in keys}
        if gains:
            joined = joined.with_columns(**gains)
        other = nw.col("n_relevant") != nw.col("n_relevant_old")
        parts: dict[str, Expr] = {
            "new": nw.col("ours").count(),
            "old": nw.col("theirs").count(),
            "users": (nw.col("ours") + nw.col("theirs")).count(),
            "disagree": other.cast(nw.Int32).sum(),
        }
        for key in keys:
            gain = nw.col(f"gain_{key}")
            both = ~gain.is_null()
            parts |= aggregate_expressions(key, gain)
            parts |= {
                f"new_{key}": nw.when(both).then(nw.col(key)).mean(),
                f"old_{key}": nw.when(both).then(nw.col(f"{key}_old")).mean(),
                f"up_{key}": (gain > 0).cast(nw.Int32).sum(),
                f"down_{key}": (gain < 0).cast(nw.Int32).sum(),
            }
        found = one_row(joined.select(**parts))
        if not found["new"] == found["old"] == found["users"]:
            raise ValueError(
                f"the reports are of {found['new']:,} and {found['old']:,} users and share "
                f"{found['users']:,}. Evaluate both on the same users, or pass users='shared' to "
                "compare on those that both have"
            )
        disagree = int(found["disagree"] or 0) or self._n_other_truths(old)
        if disagree:
            raise ValueError(
                f"the reports do not agree on what is relevant to {disagree:,} users. A "
                "difference over another truth means nothing; evaluate both against the same"
            )
        changed = _changed_gains(
            joined,
            {key: int((found[f"up_{key}"] or 0) + (found[f"down_{key}"] or 0)) for key in keys},
        )
        return {
            measure: PairedAggregates(
                _float(found[f"new_{key}"]),
                _float(found[f"old_{key}"]),
                aggregate_from_sums(key, found),
                int(found[f"up_{key}"] or 0),
                int(found[f"down_{key}"] or 0),
                changed[key],
            )
            for measure, key in zip(measures, keys, strict=True)
        }


def _changed_gains(
    joined: nw.LazyFrame[Any], n_changed: Mapping[str, int]
) -> dict[str, FloatArray | None]:
    """Return for each column the gains that are not 0, where they are few enough to collect."""
    few = [key for key, n in n_changed.items() if n <= MOST_RANDOMIZED]
    gains: dict[str, FloatArray | None] = dict.fromkeys(n_changed)
    if not few:
        return gains
    changed = reduce(operator.or_, ((nw.col(f"gain_{key}") != 0).fill_null(False) for key in few))
    rows = collect(joined.filter(changed).select(*(f"gain_{key}" for key in few)))
    for key in few:
        values = _array(rows[f"gain_{key}"])
        gains[key] = changed_gains(values[~np.isnan(values)])
    return gains


def _digests(truth: nw.DataFrame[Any], users: Sequence[Hashable]) -> Digests:
    """Return a digest of what is relevant to each user, as evaluations of lists have it."""
    rows, _ = number_ids(truth["user"].to_list(), users, "user")
    # Each item is hashed once, however many users it is relevant to.
    codes, items = number_ids(truth["item"].to_list(), (), "item")
    order = np.argsort(rows, kind="stable")
    hashes = hash_ids(items)[codes[order]] if items else np.zeros(0, dtype=np.uint64)
    indptr = row_pointers(np.bincount(rows, minlength=len(users)))
    return truth_digests(hashes, _array(truth["grade"])[order], indptr)


def _gain(new: Expr, old: Expr) -> Expr:
    gain = new - old
    return nw.when(gain.abs() <= ROUNDING * (1 + old.abs())).then(nw.lit(0.0)).otherwise(gain)


def _float(value: float | None) -> float:
    return np.nan if value is None else float(value)


def _array(column: nw.Series[Any]) -> FloatArray:
    """Return a column as floats, NaN for null."""
    return as_read_only(column.cast(nw.Float64).fill_null(np.nan).to_numpy())
