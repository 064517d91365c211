"""What all measures need of the tables, collected once and computed in one query.

A measure asks the plan for parts: a column of each row, a sum over each list, a sum over what
each user wanted. A part that two measures ask for is computed once, because it has a name.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import narwhals as nw

Expr = nw.Expr


@dataclass
class Plan:
    """The parts that were asked for, by name.

    Attributes
    ----------
    rows : dict
        Columns of each recommended row, computed within a user's list, in order: a later one
        may use an earlier one.
    lists : dict
        Sums over each list.
    wanted_rows, wanted : dict
        The same for what each user wanted.
    knows_wanted : bool
        Whether a row must know what its user wanted in all.
    threshold : float or None
        Lowest grade that counts as relevant; None means any grade above 0.
    """

    rows: dict[str, Expr] = field(default_factory=dict)
    lists: dict[str, Expr] = field(default_factory=dict)
    wanted_rows: dict[str, Expr] = field(default_factory=dict)
    wanted: dict[str, Expr] = field(default_factory=dict)
    knows_wanted: bool = False
    threshold: float | None = None

    def row(self, name: str, made: Expr) -> Expr:
        """Ask for a column of each row."""
        self.rows.setdefault(name, made)
        return nw.col(name)

    def over_list(self, name: str, made: Expr) -> Expr:
        """Ask for a sum over each list; 0 for a user without one."""
        self.lists.setdefault(name, made)
        return nw.col(name)

    def wanted_row(self, name: str, made: Expr) -> Expr:
        """Ask for a column of each row of what was wanted."""
        self.wanted_rows.setdefault(name, made)
        return nw.col(name)

    def over_wanted(self, name: str, made: Expr) -> Expr:
        """Ask for a sum over what each user wanted; 0 for a user who wanted nothing."""
        self.wanted.setdefault(name, made)
        return nw.col(name)

    # What several measures share ------------------------------------------------------------

    def served(self) -> Expr:
        """Return how many ranks the list uses."""
        return self.over_list("served", nw.col("rank").max().cast(nw.Float64))

    def counted(self, k: int | None) -> Expr:
        """Return how many ranks count."""
        return self.served() if k is None else nw.lit(float(k))

    def hits(self, k: int | None) -> Expr:
        """Return how many hits the ranks that count hold."""
        return self.over_list(f"hits{at(k)}", total(nw.col("hit"), k))

    def relevant(self) -> Expr:
        """Return how many items are relevant."""
        return self.over_wanted("n_relevant", nw.col("hit").sum())

    def nonrelevant(self) -> Expr:
        """Return how many items were judged and are not relevant."""
        return self.over_wanted("n_rejected", nw.col("rejected").sum())

    def found_so_far(self) -> Expr:
        """Return, at each rank, how many hits there were down to it."""
        return self.row("found", nw.col("hit").cum_sum().over("user", order_by="rank"))

    # The query ------------------------------------------------------------------------------

    def per_user(
        self, recommendations: nw.LazyFrame[Any], truth: nw.LazyFrame[Any]
    ) -> nw.LazyFrame[Any]:
        """Return one row per user with every sum that was asked for."""
        self.relevant()
        self.served()
        wanted = _in_steps(truth, self.wanted_rows)
        per_wanted = wanted.group_by("user").agg(
            **self.wanted, _ideal=(nw.col("grade") > 0).cast(nw.Float64).sum()
        )
        rows = recommendations.join(
            truth.select("user", "item", "grade", "hit", "rejected"),
            on=["user", "item"],
            how="left",
        ).with_columns(nw.col("grade", "hit", "rejected").fill_null(0.0))
        if self.knows_wanted:
            rows = rows.join(per_wanted, on="user", how="left").with_columns(
                nw.col(*self.wanted).fill_null(0.0)
            )
        per_list = _in_steps(rows, self.rows).group_by("user").agg(**self.lists)
        users = nw.concat([recommendations.select("user"), truth.select("user")]).unique()
        together = users.join(per_list, on="user", how="left").join(
            per_wanted, on="user", how="left"
        )
        return together.with_columns(nw.col("_ideal", *self.lists, *self.wanted).fill_null(0.0))


def within(k: int | None) -> Expr:
    """Return whether a rank counts."""
    return nw.lit(True) if k is None else nw.col("rank") <= k


def total(what: Expr, k: int | None) -> Expr:
    """Return the sum over the ranks that count."""
    return what.sum() if k is None else nw.when(within(k)).then(what).otherwise(0.0).sum()


def at(k: int | None) -> str:
    """Return the cut-off as part of a name."""
    return "" if k is None else f"@{k}"


def divide(top: Expr, bottom: Expr) -> Expr:
    """Divide, with 0 where there is nothing to divide by."""
    some = bottom != 0
    return nw.when(some).then(top / nw.when(some).then(bottom).otherwise(1.0)).otherwise(0.0)


def least(one: Expr, other: Expr) -> Expr:
    """Return the smaller of two values."""
    return nw.when(one <= other).then(one).otherwise(other)


def _in_steps(frame: nw.LazyFrame[Any], columns: dict[str, Expr]) -> nw.LazyFrame[Any]:
    """Add columns one after another, for a later one may use an earlier one."""
    for name, made in columns.items():
        frame = frame.with_columns(made.alias(name))
    return frame
