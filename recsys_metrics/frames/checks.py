"""What is wrong with the tables, and what a measure cannot take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw

from recsys_metrics.frames import of_items, per_list
from recsys_metrics.frames.plan import Expr, Plan, at, one_row, total, within
from recsys_metrics.frames.tables import UNRANKED
from recsys_metrics.measures import Measure

_OF_LISTS = {
    "items twice": "a user is shown an item twice; it would count twice",
    "unranked": "a recommended item has no rank or score; leave it out or rank it",
    "before first": "a rank is below 1; ranks start at 1",
    "ranks twice": "a user has two items at one rank; rank each item once",
}


def check_tables(recommendations: nw.LazyFrame[Any], truth: nw.LazyFrame[Any]) -> None:
    """Raise if a user has an item or a rank twice, a rank is missing or a grade is negative.

    A pass of its own before that of the measures: to see that nothing comes twice, an engine
    holds all items of a user, and beside the sums of the measures it would hold those as well.
    """
    rows, rank = nw.len(), nw.col("rank")
    twice = nw.col("item").n_unique() < rows
    wanted = truth.group_by("user").agg(twice=twice.cast(nw.Int32), lowest=nw.col("grade").min())
    found = one_row(wanted.select(nw.col("twice").sum(), nw.col("lowest").min()))
    if found["twice"]:
        raise ValueError(
            _of_users(
                "truth holds a user and an item twice; keep one row with its grade", found["twice"]
            )
        )
    if found["lowest"] is not None and found["lowest"] < 0:
        raise ValueError(f"truth holds the grade {found['lowest']:g}; a grade is 0 or more")
    faults = {
        "items twice": twice,
        "unranked": rank.min() == UNRANKED,
        "before first": rank.min() < 1,
        "ranks twice": rank.n_unique() < rows,
    }
    named = {f"fault {i}": fault.cast(nw.Int32) for i, fault in enumerate(faults.values())}
    lists = recommendations.group_by("user").agg(**named)
    users = one_row(lists.select(nw.col(*named).sum()))
    for fault, many in zip(faults, users.values(), strict=True):
        if many:
            raise ValueError(_of_users(_OF_LISTS[fault], many))


def _of_users(said: str, many: float) -> str:
    return f"{said} ({int(many):,} user{'s' if many != 1 else ''})"


def ask(plan: Plan, asked: Sequence[Measure]) -> None:
    """Ask for the sums that show what a measure cannot take, in the pass of the measures."""
    plan.total("highest", nw.col("grade").max())
    for made in asked:
        if made.name in of_items.TOGETHER:
            plan.total(f"size{at(made.k)}", total(within(made.k).cast(nw.Float64), None))
        if made.name == "self_information" and made.conventions.get("unseen", "raise") == "raise":
            never = (nw.col("met") == 0).cast(nw.Float64)
            plan.total(f"never{at(made.k)}", total(never, made.k))


def sums(plan: Plan) -> dict[str, Expr]:
    """Return, over all users, what `check_measures` looks at."""
    parts = {"highest": nw.col("highest").max()}
    for name in plan.sums:
        if name.startswith("never"):
            parts[name] = nw.col(name).sum()
        if name.startswith("size"):
            parts[f"smallest{name[4:]}"] = nw.col(name).min()
            parts[f"largest{name[4:]}"] = nw.col(name).max()
    return parts


def check_measures(asked: Sequence[Measure], found: Mapping[str, Any]) -> None:
    """Raise if a measure cannot take what is in the tables."""
    if not found["users"]:
        raise ValueError("there is no list to evaluate: both tables are empty")
    for made in asked:
        _check_measure(made, found)


def _check_measure(made: Measure, found: Mapping[str, Any]) -> None:
    allowed = per_list.highest_allowed(made) if per_list.supports(made.name) else None
    if allowed is not None and found["highest"] > allowed:
        raise ValueError(
            f"{made}: the highest grade here is {found['highest']:g}, above {allowed:g}"
        )
    if made.conventions.get("no_relevant") == "raise" and found["nothing"]:
        raise ValueError(f"{made}: {int(found['nothing']):,} users have nothing relevant")
    if made.name == "self_information" and found.get(f"never{at(made.k)}"):
        raise ValueError(
            f"{made}: {int(found[f'never{at(made.k)}']):,} recommended items were met by "
            "nobody, so their self-information is infinite. Pass unseen=drop to leave them "
            "out, or unseen=one to count them as met by one user"
        )
    if made.name == "personalization":
        smallest, largest = found[f"smallest{at(made.k)}"], found[f"largest{at(made.k)}"]
        if smallest != largest or not largest or found["users"] < 2:
            raise ValueError(
                f"{made} compares users' lists of one length, of two users or more; there "
                f"are {found['users']:,} lists of {smallest:g} to {largest:g} items"
            )
