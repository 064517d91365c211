"""Checks of the rows of the tables, and of what a measure can take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import narwhals as nw
import numpy as np

from recsys_metrics._core.checks import MOST_RANKS, UndefinedMetricError
from recsys_metrics.frames import _per_item, _per_list
from recsys_metrics.frames._plan import (
    Expr,
    QueryPlan,
    collect,
    cutoff_suffix,
    is_counted,
    one_row,
    total,
)
from recsys_metrics.frames._tables import Fault, LongTable, TableError
from recsys_metrics.measures import Measure
from recsys_metrics.ranking._dcg import compute_gains


def _is_missing(role: str) -> Fault:
    return Fault(
        role,
        nw.col(role).is_null(),
        f"without {'an' if role == 'item' else 'a'} {role}; leave them out",
        "nothing is there",
    )


def _is_infinite(role: str) -> Fault:
    value = nw.col(role).cast(nw.Float64)
    return Fault(
        role,
        ~value.is_finite(),
        f"with a {role} that is no finite number; leave them out",
        f"the {role} is {{{role}}}, no finite number",
    )


def row_faults(table: LongTable) -> list[Fault]:
    """Return what can be wrong with a row of a table."""
    faults = [_is_missing(role) for role in table.columns]
    if "item" in table.columns and table.frame.collect_schema()["item"].is_signed_integer():
        faults.append(
            Fault(
                "item",
                nw.col("item") == -1,
                "with the item -1; if it is padding, leave such rows out, and if it is an id, give "
                "items ids of 0 or more",
                "the item is -1: padding, or an id?",
            )
        )
    if "rank" in table.columns:
        # Beyond this no float is cast, for an engine may raise in words of its own.
        rank = nw.col("rank").cast(nw.Float64)
        faults += [
            Fault(
                "rank",
                rank < 1,
                "with a rank below 1; ranks start at 1",
                "the rank is {rank}; ranks start at 1",
            ),
            Fault(
                "rank",
                ~(rank <= MOST_RANKS) | (rank.floor() != rank),
                f"with a rank that is no whole number up to {MOST_RANKS:,}",
                f"the rank is {{rank}}, no whole number up to {MOST_RANKS:,}",
            ),
        ]
    if "score" in table.columns:
        faults.append(_is_infinite("score"))
    if "grade" in table.columns:
        faults += [
            _is_infinite("grade"),
            Fault(
                "grade",
                nw.col("grade").cast(nw.Float64) < 0,
                "with a grade below 0; a grade is 0 or more",
                "the grade is {grade}; a grade is 0 or more",
            ),
        ]
    return faults


def duplicate_faults(table: LongTable) -> list[Fault]:
    """Return what may not stand twice in a table."""
    twice = Fault(
        "item",
        None,
        "with an item twice; it would count twice, so keep one row",
        "user {user!r} has item {item!r} a second time",
    )
    one_rank = Fault(
        "rank",
        None,
        "with two items at one rank; rank each item once",
        "user {user!r} has two items at rank {rank}",
    )
    return [twice, one_rank] if "rank" in table.columns else [twice]


def check_rows(table: LongTable, *, once: Literal["both", "rank"] | None = "both") -> None:
    """Raise if a row is at fault, or a user has an item or a rank twice that may be there `once`.

    A pass of its own before that of the measures: to see that nothing comes twice, an engine
    holds all items of a user, and beside the sums of the measures it would hold those as well.
    """
    faults = [
        *row_faults(table),
        *(fault for fault in duplicate_faults(table) if once == "both" or fault.role == once),
    ]
    counts = {
        f"fault_{i}": (nw.col(fault.role).n_unique() < nw.len()).cast(nw.Int32)
        if fault.bad is None
        else fault.bad.cast(nw.Int32).sum()
        for i, fault in enumerate(faults)
    }
    of_users = table.frame.group_by("user").agg(**counts)
    found = one_row(of_users.select(nw.col(*counts).sum()))
    for name, fault in zip(counts, faults, strict=True):
        if found[name]:
            many, what = int(found[name]), "user" if fault.bad is None else "row"
            said = f"has {many:,} {what}{'s' if many != 1 else ''} {fault.words}"
            if fault.bad is None:
                said += f" ({_find_first_duplicate(table, fault)})"
            elif where := _find_first_row(table, fault):
                said += f" (the first: {where})"
            raise TableError(table.name, said, fault=fault)


def _find_first_duplicate(table: LongTable, fault: Fault) -> str:
    """Return who has what twice, the first of all in the order of the ids."""
    rows = table.frame.group_by("user", fault.role).agg(times=nw.len())
    several = rows.filter(nw.col("times") > 1).sort("user", fault.role).head(1)
    first = collect(several.select("user", fault.role)).to_dict(as_series=False)
    return fault.row.format(**{role: values[0] for role, values in first.items()})


def _find_first_row(table: LongTable, fault: Fault) -> str:
    """Return the user and the item of a row at fault, the first of all in the order of the ids."""
    ids = [role for role in ("user", "item") if role in table.columns and role != fault.role]
    if not ids or fault.bad is None:
        return ""
    first = collect(table.frame.filter(fault.bad).select(*ids).sort(*ids).head(1))
    found = first.to_dict(as_series=False)
    # An engine may read a file with faults differently when it is asked again.
    return ", ".join(f"{role} {found[role][0]!r}" for role in ids if found[role])


def compute_sums(plan: QueryPlan, measures: Sequence[Measure]) -> dict[str, Expr]:
    """Return, over all users, what `check_measure` and measures of all lists look at."""
    plan.total("highest", nw.col("grade").max())
    found: dict[str, Expr] = {}
    for measure in measures:
        cut, conventions = cutoff_suffix(measure.k), measure.conventions
        size = f"size{cut}", total(is_counted(measure.k).cast(nw.Float64), None)
        if measure.name == "self_information" and conventions.get("unseen", "raise") == "raise":
            never = total((nw.col("met") == 0).cast(nw.Float64), measure.k)
            found[f"never{cut}"] = plan.total(f"never{cut}", never).sum()
        if measure.name == "personalization":
            found[f"fewest{cut}"] = plan.total(*size).min()
            found[f"most{cut}"] = plan.total(*size).max()
            if measure.k is not None:
                shorter = plan.total(*size) < float(measure.k)
                found[f"shorter{cut}"] = shorter.cast(nw.Float64).sum()
        if measure.name == "user_coverage":
            enough = plan.total(*size) >= conventions.get("at_least", 1)
            found[_per_item.coverage_column(measure)] = enough.cast(nw.Float64).sum()
    return found


def check_measure(measure: Measure, found: Mapping[str, Any], threshold: float | None) -> None:
    """Raise if a measure cannot take what is in the tables."""
    cut, users = cutoff_suffix(measure.k), int(found["users"])
    allowed = _per_list.highest_allowed_grade(measure) if _per_list.supports(measure.name) else None
    if allowed is not None and found["highest"] > allowed:
        raise ValueError(
            f"{measure}: the highest grade here is {found['highest']:g}, above {allowed:g}"
        )
    if "gain" in measure.conventions:
        # Raises for a power that no float holds, as over arrays.
        compute_gains(np.array([found["highest"]]), measure.conventions["gain"], threshold)
    if measure.conventions.get("no_relevant") == "raise" and found["nothing"]:
        raise ValueError(f"{measure}: {int(found['nothing']):,} users have nothing relevant")
    if measure.name == "self_information" and found.get(f"never{cut}"):
        raise ValueError(
            f"{measure}: {int(found[f'never{cut}']):,} recommended items are of no user's "
            "history, so their self-information is infinite. Write unseen=drop in its brackets to "
            "leave them out, or unseen=one to count them as seen by one user"
        )
    if measure.name == "personalization":
        low, high = found[f"fewest{cut}"], found[f"most{cut}"]
        if low != high or not high or users < 2:
            n_short = found.get(f"shorter{cut}")
            short = f", {n_short:,.0f} of them shorter than {measure.k}" if n_short else ""
            raise UndefinedMetricError(
                f"{measure} compares users' lists of one length, of two users or more; there are "
                f"{users:,} lists of {low:g} to {high:g} items{short}"
            )
