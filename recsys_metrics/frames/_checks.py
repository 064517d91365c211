"""Checks of the rows of the tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw

from recsys_metrics._core.checks import MOST_RANKS
from recsys_metrics._core.inputs.item_sets import GRADE_CURE
from recsys_metrics.frames._queries import collect, one_row
from recsys_metrics.frames._tables import Fault, LongTable, TableError

# A number of an item that every array takes.
_LARGEST_ITEM = 2**62
# Up to here floats tell whole numbers apart.
_EXACT = 2.0**53


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


def _is_empty(role: str) -> Fault:
    return Fault(
        role,
        nw.col(role) == "",
        f"with an empty text as the {role}; leave them out",
        "an empty text is there",
    )


def row_faults(table: LongTable) -> list[Fault]:
    """Return what can be wrong with a row of a table."""
    faults = [_is_missing(role) for role in table.columns]
    schema = table.frame.collect_schema()
    ids = [role for role in ("user", "item", "group") if role in table.columns]
    faults += [_is_empty(role) for role in ids if schema[role] == nw.String]
    if "item" in table.columns and schema["item"].is_signed_integer():
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
        if isinstance(schema["score"], nw.Decimal):
            # Ranked as floats, among which larger whole numbers would be equal.
            faults.append(
                Fault(
                    "score",
                    nw.col("score").cast(nw.Float64).abs() >= _EXACT,
                    "with a score of more digits than a float stores; subtract the smallest from "
                    "all, or divide them",
                    "the score {score} has more digits than a float stores",
                )
            )
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
        "with an item twice; it would count twice, so keep one row, or take repeats out with "
        "repeats='drop'",
        "user {user!r} has item {item!r} a second time",
    )
    one_rank = Fault(
        "rank",
        None,
        "with two items at one rank; rank each item once, and give each recommender a table of its "
        "own",
        "user {user!r} has two items at rank {rank}",
    )
    return [twice, one_rank] if "rank" in table.columns else [twice]


@dataclass(frozen=True)
class RowSummary:
    """What is known of the rows of a table.

    Attributes
    ----------
    n_rows : int
    longest : int
        The last rank; 0 without ranks.
    has_item_numbers : bool
        Whether the items are whole numbers that can stand for themselves.
    """

    n_rows: int
    longest: int
    has_item_numbers: bool


def check_rows(table: LongTable) -> RowSummary:
    """Raise if a row is at fault; return what else is known of the rows from the same pass."""
    faults = row_faults(table)
    counts = {f"fault_{i}": _count(fault.bad) for i, fault in enumerate(faults)}
    more = {"rows": nw.len()}
    if "rank" in table.columns:
        more["longest"] = nw.col("rank").max()
    whole = "item" in table.columns and table.frame.collect_schema()["item"].is_integer()
    if whole:
        more |= {"lowest": nw.col("item").min(), "highest": nw.col("item").max()}
    is_decimal = "score" in table.columns and isinstance(
        table.frame.collect_schema()["score"], nw.Decimal
    )
    if is_decimal:
        score = nw.col("score")
        more |= {"scores": score.n_unique(), "floats": score.cast(nw.Float64).n_unique()}
    found = one_row(table.frame.select(**counts, **more), table.name)
    for name, fault in zip(counts, faults, strict=True):
        if many := int(found[name] or 0):
            said = f"has {many:,} row{'s' if many != 1 else ''} {fault.words}"
            if where := _find_first_row(table, fault):
                said += f" (the first: {where})"
            raise TableError(table.name, said, fault=fault)
    if is_decimal and found["scores"] != found["floats"]:
        raise TableError(
            table.name,
            f"has {found['scores']:,} different scores, of which a float tells only "
            f"{found['floats']:,} apart; write ranks, or round the scores",
        )
    n_rows = int(found["rows"])
    fits = whole and (not n_rows or (found["lowest"] >= 0 and found["highest"] < _LARGEST_ITEM))
    return RowSummary(n_rows, int(found.get("longest") or 0), fits)


def _count(bad: nw.Expr | None) -> nw.Expr:
    assert bad is not None
    return bad.cast(nw.Int64).sum()


def refuse_repeats(table: LongTable, *, items: bool) -> None:
    """Raise if a user has a rank twice, or an item twice where that is an error, and say where."""
    for fault in duplicate_faults(table):
        if fault.role == "item" and not items:
            continue
        rows = table.frame.group_by("user", fault.role).agg(times=nw.len())
        several = rows.filter(nw.col("times") > 1)
        many = int(one_row(several.select(n=nw.col("user").n_unique()))["n"] or 0)
        if many:
            said = f"has {many:,} user{'s' if many != 1 else ''} {fault.words}"
            said += f" ({_find_first_duplicate(several, fault)})"
            raise TableError(table.name, said, fault=fault)


def refuse_contradictory_grades(table: LongTable) -> None:
    """Raise if a user has one item with two grades, and say which."""
    if "grade" not in table.columns:
        return
    grade = nw.col("grade").cast(nw.Float64)
    pairs = table.frame.group_by("user", "item").agg(low=grade.min(), high=grade.max())
    several = pairs.filter(nw.col("low") != nw.col("high"))
    many = int(one_row(several.select(n=nw.len()))["n"] or 0)
    if many:
        first = collect(several.sort("user", "item").head(1)).to_dict(as_series=False)
        user, item, low, high = (first[name][0] for name in ("user", "item", "low", "high"))
        raise TableError(
            table.name,
            f"has {many:,} pair{'s' if many != 1 else ''} of a user and an item with two grades "
            f"(user {user!r} has item {item!r} with the grades {low:g} and {high:g}); {GRADE_CURE}",
        )


def _find_first_duplicate(several: nw.LazyFrame[Any], fault: Fault) -> str:
    """Return who has what twice, the first of all in the order of the ids."""
    first = several.select("user", fault.role).sort("user", fault.role).head(1)
    found = collect(first).to_dict(as_series=False)
    return fault.row.format(**{role: values[0] for role, values in found.items()})


def _find_first_row(table: LongTable, fault: Fault) -> str:
    """Return the user and the item of a row at fault, the first of all in the order of the ids."""
    ids = [role for role in ("user", "item") if role in table.columns and role != fault.role]
    if not ids or fault.bad is None:
        return ""
    first = collect(table.frame.filter(fault.bad).select(*ids).sort(*ids).head(1))
    found = first.to_dict(as_series=False)
    # An engine may read a file with faults differently when it is asked again.
    return ", ".join(f"{role} {found[role][0]!r}" for role in ids if found[role])
