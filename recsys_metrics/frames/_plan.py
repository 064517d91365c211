"""The columns and sums that all measures need, computed in one query.

A measure asks the plan for parts: a column of each row, a sum over each user's rows. A part that
two measures ask for is computed once, because it has a name.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import narwhals as nw

Expr = nw.Expr


@dataclass
class QueryPlan:
    """The parts that were asked for, by name.

    Attributes
    ----------
    rows : dict
        Columns of each row of the two tables joined, computed within a user's list, in order: a
        later one may use an earlier one.
    sums : dict
        Sums over each user's rows.
    numbers : dict
        Numbers of each user, made of these sums.
    numbers_of_numbers : dict
        Numbers of each user, made of these numbers.
    relevant_rows : dict
        Columns of each row of what was wanted, computed before the join.
    threshold : float or None
        Lowest grade that counts as relevant; None means any grade above 0.
    """

    rows: dict[str, Expr] = field(default_factory=dict)
    sums: dict[str, Expr] = field(default_factory=dict)
    numbers: dict[str, Expr] = field(default_factory=dict)
    numbers_of_numbers: dict[str, Expr] = field(default_factory=dict)
    relevant_rows: dict[str, Expr] = field(default_factory=dict)
    threshold: float | None = None

    def row(self, name: str, made: Expr) -> Expr:
        """Ask for a column of each row."""
        return _request_part(self.rows, name, made)

    def total(self, name: str, made: Expr) -> Expr:
        """Ask for a sum over each user's rows; 0 for a user without one."""
        return _request_part(self.sums, name, made)

    def number(self, name: str, made: Expr, *, of_numbers: bool = False) -> Expr:
        """Ask for a number made of a user's sums that is used more than once.

        An expression that stands in another is written out anew wherever it stands, and what two
        of them hold becomes many times as long. One made of such numbers says so.
        """
        return _request_part(self.numbers_of_numbers if of_numbers else self.numbers, name, made)

    def relevant_row(self, name: str, made: Expr) -> Expr:
        """Ask for a column of each row of what was wanted; null where nobody wanted the item."""
        return _request_part(self.relevant_rows, name, made)

    # What several measures share ------------------------------------------------------------

    def list_length(self) -> Expr:
        """Return how many ranks the list uses."""
        return self.total("list_length", nw.col("rank").max().cast(nw.Float64))

    def counted(self, k: int | None) -> Expr:
        """Return how many ranks count."""
        return self.list_length() if k is None else nw.lit(float(k))

    def hits(self, k: int | None) -> Expr:
        """Return how many hits the ranks that count hold."""
        return self.total(f"hits{cutoff_suffix(k)}", total(nw.col("hit"), k))

    def hit_at(self, rank: int) -> Expr:
        """Return whether there is a hit at a rank."""
        here = nw.when(nw.col("rank") == rank).then(nw.col("hit")).otherwise(0.0)
        return self.total(f"hit at {rank}", here.sum())

    def relevant(self) -> Expr:
        """Return how many items are relevant."""
        return self.total("n_relevant", nw.col("hit").sum())

    def each_relevant(self) -> Expr:
        """Return, at each row of an item that was wanted, how many items are relevant."""
        return self.relevant_row("all relevant", nw.col("hit").sum().over("user"))

    def each_nonrelevant(self) -> Expr:
        """Return, at each row of an item that was wanted, how many were judged and are not."""
        return self.relevant_row("all rejected", nw.col("rejected").sum().over("user"))

    def cumulative(self, column: str) -> Expr:
        """Return, at each rank, the sum of a column down to it."""
        in_list = self.row(f"listed {column}", values_in_list(nw.col(column)))
        return self.row(f"{column} so far", in_list.cum_sum().over("user", order_by="rank"))

    # The query ------------------------------------------------------------------------------

    def per_user(
        self, recommendations: nw.LazyFrame[Any], truth: nw.LazyFrame[Any]
    ) -> nw.LazyFrame[Any]:
        """Return one row per user with every sum and number that was asked for.

        The tables are joined once, every row of both is kept, and all sums are taken in one
        grouping: so each table is read once, and a user may be in one of them only.
        """
        self.relevant()
        self.list_length()
        self.total("ideal gain", (nw.col("grade") > 0).cast(nw.Float64).sum())
        # What is in the join is held in memory: what can be told from the grade is made after it.
        kept = [name for name in self.relevant_rows if name != WORST_FIRST]
        wanted = _add_columns_in_steps(mark_hits(truth, self.threshold), self.relevant_rows)
        wanted = wanted.select("user", "item", "grade", *kept)
        rows = (
            _join_tables(recommendations, wanted)
            .with_columns(
                nw.coalesce("user", f"user{_OTHER}").alias("user"),
                nw.coalesce("item", f"item{_OTHER}").alias("item"),
            )
            .drop(f"user{_OTHER}", f"item{_OTHER}")
        )
        rows = mark_hits(rows, self.threshold).with_columns(
            nw.col("grade", "hit", "rejected").fill_null(0.0)
        )
        summed = _add_columns_in_steps(rows, self.rows).group_by("user").agg(**self.sums)
        summed = summed.with_columns(nw.col(*self.sums).fill_null(0.0))
        for numbers in filter(None, (self.numbers, self.numbers_of_numbers)):
            summed = summed.with_columns(**numbers)
        return summed


_OTHER = " of the wanted"
WORST_FIRST = "worst first"


def mark_hits(rows: nw.LazyFrame[Any], threshold: float | None) -> nw.LazyFrame[Any]:
    """Add what counts as a hit, and what was judged and does not."""
    grade = nw.col("grade")
    relevant = grade > 0 if threshold is None else grade >= threshold
    return rows.with_columns(hit=relevant.cast(nw.Float64), rejected=(~relevant).cast(nw.Float64))


def escape_name(name: str) -> str:
    """Return a name that every engine takes for a column's: Spark reads a dot as a path."""
    return name.replace(".", ",")


def _join_tables(recommendations: nw.LazyFrame[Any], truth: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Return every row of both tables, side by side where user and item are the same."""
    how: dict[str, Any] = {"on": ["user", "item"], "how": "full", "suffix": _OTHER}
    if recommendations.implementation.is_polars():
        # Left to itself, Polars holds in memory whichever table arrives first, and the long one
        # takes three times the memory.
        left, right = recommendations.to_native(), truth.to_native()
        joined: nw.LazyFrame[Any] = nw.from_native(
            left.join(right, **how, build_side="prefer_right")
        )
        return joined
    return recommendations.join(truth, **how)


def _request_part(parts: dict[str, Expr], name: str, made: Expr) -> Expr:
    parts.setdefault(escape_name(name), made)
    return nw.col(escape_name(name))


class EngineError(RuntimeError):
    """A query that an engine could not run; the message holds the first line of its own."""


def one_row(frame: nw.LazyFrame[Any]) -> dict[str, Any]:
    """Return a frame of one row as a mapping."""
    rows = collect(frame)
    return {name: rows[name][0] for name in rows.columns}


def collect(frame: nw.LazyFrame[Any]) -> nw.DataFrame[Any]:
    """Run a query; Polars streams the tables through it."""
    try:
        if frame.implementation.is_polars():
            return frame.collect("polars", engine="streaming")
        return frame.collect()
    except Exception as problem:  # each engine has errors of its own
        lines = filter(None, map(str.strip, str(problem).splitlines()))
        said = next(lines, type(problem).__name__)
        raise EngineError(f"{frame.implementation.name.lower()} says: {said}") from problem


def is_counted(k: int | None) -> Expr:
    """Return whether a rank counts; what was wanted and not shown has none."""
    return ~nw.col("rank").is_null() if k is None else nw.col("rank") <= k


def values_in_list(what: Expr, k: int | None = None) -> Expr:
    """Return what stands at a rank that counts, and 0 elsewhere."""
    return nw.when(is_counted(k)).then(what).otherwise(0.0)


def total(what: Expr, k: int | None) -> Expr:
    """Return the sum over the ranks that count."""
    return values_in_list(what, k).sum()


def cutoff_suffix(k: int | None) -> str:
    """Return the cut-off as part of a name."""
    return "" if k is None else f"@{k}"


def divide(top: Expr, bottom: Expr) -> Expr:
    """Divide, with 0 where there is nothing to divide by."""
    some = bottom != 0
    # Spark writes both sides of a division out several times: the long one stays outside it.
    over = 1.0 / nw.when(some).then(bottom).otherwise(1.0)
    return nw.when(some).then(top * over).otherwise(0.0)


def minimum(one: Expr, other: Expr) -> Expr:
    """Return the smaller of two values."""
    return nw.when(one <= other).then(one).otherwise(other)


def _add_columns_in_steps(frame: nw.LazyFrame[Any], columns: dict[str, Expr]) -> nw.LazyFrame[Any]:
    """Add columns one after another, for a later one may use an earlier one."""
    for name, made in columns.items():
        frame = frame.with_columns(made.alias(name))
    return frame
