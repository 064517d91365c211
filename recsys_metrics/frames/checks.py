"""What is wrong with the tables, and what a measure cannot take."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw

from recsys_metrics.frames import per_list
from recsys_metrics.frames.plan import Expr, Plan, at, one_row, total, within
from recsys_metrics.frames.tables import Table, TableError
from recsys_metrics.measures import Measure

# What a rank is held in.
MOST = 2**31 - 1


@dataclass(frozen=True)
class Fault:
    """What can be wrong with a row, as an expression that finds it in any engine.

    Attributes
    ----------
    role : str
        Of the column.
    bad : narwhals.Expr
        Whether a row is at fault.
    rows : str
        What such rows are said to be: "2 rows …".
    row : str
        What the first of them is said to be, with `{value}` for what stands there.
    """

    role: str
    bad: Expr
    rows: str
    row: str


@dataclass(frozen=True)
class Repeat:
    """A pair of values that may stand in one row only: a user and an item, a user and a rank.

    Attributes
    ----------
    role : str
        Of the column that repeats within a user.
    users : str
        What users with a repeat are said to have: "2 users …".
    row : str
        What the second row is said to be.
    """

    role: str
    users: str
    row: str


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
        f"the {role} is {{value}}, no finite number",
    )


def row_faults(table: Table) -> list[Fault]:
    """Return what can be wrong with a row of a table."""
    faults = [_is_missing(role) for role in table.columns]
    if "rank" in table.columns:
        # Beyond this no float is cast, for an engine may raise in words of its own.
        rank = nw.col("rank").cast(nw.Float64)
        faults += [
            Fault(
                "rank",
                rank < 1,
                "with a rank below 1; ranks start at 1",
                "the rank is {value}; ranks start at 1",
            ),
            Fault(
                "rank",
                ~(rank <= MOST) | (rank.floor() != rank),
                f"with a rank that is no whole number up to {MOST:,}",
                f"the rank is {{value}}, no whole number up to {MOST:,}",
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
                "the grade is {value}; a grade is 0 or more",
            ),
        ]
    return faults


def repeats(table: Table) -> list[Repeat]:
    """Return what may not stand twice in a table."""
    twice = Repeat(
        "item",
        "with an item twice; it would count twice, so keep one row",
        "user {user!r} has item {item!r} a second time",
    )
    one_rank = Repeat(
        "rank",
        "with two items at one rank; rank each item once",
        "user {user!r} has two items at rank {rank}",
    )
    return [twice, one_rank] if "rank" in table.columns else [twice]


def check_rows(table: Table) -> None:
    """Raise if a row is at fault, or a user has an item or a rank twice.

    A pass of its own before that of the measures: to see that nothing comes twice, an engine
    holds all items of a user, and beside the sums of the measures it would hold those as well.
    """
    faults, repeated = row_faults(table), repeats(table)
    counts = {f"fault_{i}": _count(fault.bad) for i, fault in enumerate(faults)}
    again = {
        f"repeat_{i}": (nw.col(repeat.role).n_unique() < nw.len()).cast(nw.Int32)
        for i, repeat in enumerate(repeated)
    }
    users = table.frame.group_by("user").agg(**counts, **again)
    found = one_row(users.select(nw.col(*counts, *again).sum()))
    for name, fault in zip(counts, faults, strict=True):
        if found[name]:
            raise TableError(table.name, f"has {rows(found[name])} {fault.rows}", fault=fault)
    for name, repeat in zip(again, repeated, strict=True):
        if found[name]:
            many = int(found[name])
            raise TableError(
                table.name,
                f"has {many:,} user{'s' if many != 1 else ''} {repeat.users}",
                fault=repeat,
            )


def check_missing(table: Table) -> None:
    """Raise if a row lacks a user, an item or a group."""
    faults = [_is_missing(role) for role in table.columns]
    counts = {f"fault_{i}": _count(fault.bad) for i, fault in enumerate(faults)}
    found = one_row(table.frame.select(**counts))
    for name, fault in zip(counts, faults, strict=True):
        if found[name]:
            raise TableError(table.name, f"has {rows(found[name])} {fault.rows}", fault=fault)


def _count(bad: Expr) -> Expr:
    return bad.cast(nw.Int32).sum()


def rows(many: float) -> str:
    """Return how many rows, in words."""
    return f"{int(many):,} row{'s' if many != 1 else ''}"


@dataclass(frozen=True)
class Condition:
    """What a measure asks of the tables, looked at in the pass of the measures.

    Attributes
    ----------
    measure : Measure
    sums : mapping
        Expressions over all users, by name.
    problem : callable
        Takes the sums that were found and returns what is wrong, or nothing.
    """

    measure: Measure
    sums: Mapping[str, Expr]
    problem: Callable[[Mapping[str, Any]], str]


def conditions(plan: Plan, measures: Sequence[Measure]) -> list[Condition]:
    """Return what the measures ask of the tables."""
    plan.total("highest", nw.col("grade").max())
    return [condition for measure in measures for condition in _conditions(plan, measure)]


def _conditions(plan: Plan, measure: Measure) -> list[Condition]:
    found = []
    allowed = per_list.highest_allowed(measure) if per_list.supports(measure.name) else None
    if allowed is not None:
        found.append(
            Condition(
                measure,
                {},
                lambda sums: (
                    f"the highest grade here is {sums['highest']:g}, above {allowed:g}"
                    if sums["highest"] > allowed
                    else ""
                ),
            )
        )
    if measure.conventions.get("no_relevant") == "raise":
        found.append(
            Condition(
                measure,
                {},
                lambda sums: (
                    f"{int(sums['nothing']):,} users have nothing relevant"
                    if sums["nothing"]
                    else ""
                ),
            )
        )
    if measure.name == "self_information":
        found += _seen_before(plan, measure)
    if measure.name == "personalization":
        found.append(_one_length(plan, measure))
    return found


def _seen_before(plan: Plan, measure: Measure) -> list[Condition]:
    if measure.conventions.get("unseen", "raise") != "raise":
        return []
    never, name = (nw.col("met") == 0).cast(nw.Float64), f"never{at(measure.k)}"
    count = plan.total(name, total(never, measure.k)).sum()
    return [
        Condition(
            measure,
            {name: count},
            lambda sums: (
                f"{int(sums[name]):,} recommended items are of no user's history, so their "
                "self-information is infinite. Pass unseen=drop to leave them out, or unseen=one "
                "to count them as seen by one user"
                if sums[name]
                else ""
            ),
        )
    ]


def _one_length(plan: Plan, measure: Measure) -> Condition:
    size = list_size(plan, measure.k)
    shortest, longest = f"shortest_size{at(measure.k)}", f"longest_size{at(measure.k)}"

    def problem(sums: Mapping[str, Any]) -> str:
        low, high, users = sums[shortest], sums[longest], int(sums["users"])
        if low == high and high and users > 1:
            return ""
        return (
            f"compares users' lists of one length, of two users or more; there are {users:,} "
            f"lists of {low:g} to {high:g} items"
        )

    return Condition(measure, {shortest: size.min(), longest: size.max()}, problem)


def list_size(plan: Plan, k: int | None) -> Expr:
    """Return how many items a list has among the ranks that count."""
    return plan.total(f"size{at(k)}", total(within(k).cast(nw.Float64), None))


def check_conditions(asked: Sequence[Condition], found: Mapping[str, Any]) -> None:
    """Raise if a measure cannot take what is in the tables."""
    if not found["users"]:
        raise ValueError("there is no list to evaluate: both tables are empty")
    for condition in asked:
        problem = condition.problem(found)
        if problem:
            raise ValueError(f"{condition.measure}: {problem}")
