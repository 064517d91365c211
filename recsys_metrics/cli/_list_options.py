"""Options of the commands that evaluate lists in files: metrics, columns, choices."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Annotated

import typer

ThresholdOption = Annotated[
    float | None, typer.Option(help="The lowest grade that counts as relevant.")
]
RepeatsOption = Annotated[
    str | None,
    typer.Option(help="raise, drop or blank: what becomes of an item that a list has twice."),
]
SampledOption = Annotated[
    int | None,
    typer.Option(
        min=1, help="How many other items each relevant one was ranked against, if not all."
    ),
]
ColumnOption = Annotated[
    list[str] | None,
    typer.Option(metavar="ROLE=NAME", help="A column by its name: user=who, score=points."),
]
EngineOption = Annotated[
    str | None, typer.Option(help="polars, duckdb or spark; by default polars.")
]

_ROLES = ("user", "item", "rank", "score", "grade", "group", "category")
_HISTORY = ("history", "--history FILE: the interactions of the training data")
_NEEDED = {
    "catalog": ("catalog", "--catalog N: how many items could have been recommended"),
    "features": ("features", "--features FILE: the categories of the items"),
    **dict.fromkeys(("item_counts", "history", "baseline"), _HISTORY),
}
"""Which option gives what a metric needs to know, and what it takes."""


def check_metric(text: str, given: Collection[str]) -> None:
    """Raise if a text is no metric, or an option is missing that the metric needs."""
    from recsys_metrics.measures import measure

    try:
        wanted = measure(text)
    except ValueError as problem:
        raise ValueError(f"{text}: {problem}") from None
    for need in wanted.metric.needs:
        option, words = _NEEDED.get(need, ("", ""))
        if option and option not in given:
            raise ValueError(f"{text} needs {words}")


def check_option(option: str, value: str | None, choices: Iterable[str]) -> None:
    """Raise if an option has none of its values."""
    *others, last = choices
    if value not in (*others, last):
        raise ValueError(f"{option} is {', '.join(others)} or {last}, not {value!r}")


def parse_pairs(
    option: str, given: Sequence[str], form: str, keys: Sequence[str] = ()
) -> dict[str, str]:
    """Return what stands on either side of the first equals sign, of the keys that are allowed."""
    pairs: dict[str, str] = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals or not key or not value or (keys and key not in keys):
            roles = f" with one of the roles {', '.join(keys)}" if keys else ""
            raise ValueError(f"{option} {text!r} is not {form}{roles}")
        if key in pairs:
            raise ValueError(f"{option} names {key} twice: {pairs[key]!r} and {value!r}")
        pairs[key] = value
    return pairs


def read_columns(given: Sequence[str], *more: str) -> dict[str, str]:
    """Return the columns by their roles, and by `more` roles, from texts as user=who."""
    return parse_pairs("--column", given, "ROLE=NAME", (*_ROLES, *more))


def refuse_unused_columns(columns: Mapping[str, str], used: Collection[str]) -> None:
    """Raise if a column was named that no file has."""
    for role in columns:
        if role not in used:
            raise ValueError(
                f"--column {role}={columns[role]}: no file has such a column for the {role}"
            )


def name_columns(problem: object, roles: Sequence[str]) -> str:
    """Return what is wrong with a file, and how to name the columns that were not recognised."""
    named = " ".join(f"--column {role}=NAME" for role in roles)
    it = "it" if len(roles) == 1 else "them"
    return f"{problem}. Name {it}: {named}" if named else str(problem)
