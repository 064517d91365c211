"""Events in files as interactions, for the commands that split them and look for leakage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from recsys_metrics._core.inputs.ids import (
    explain_lookalikes,
    find_ids_alike,
    find_misspelt,
    may_look_alike,
)
from recsys_metrics.interactions import Interactions
from recsys_metrics.protocol import Leakage

if TYPE_CHECKING:
    from recsys_metrics.frames._whole_tables import WholeTable

ROLES = ("user", "item", "timestamp")


@dataclass(frozen=True)
class EventFile:
    """The columns of a file of events: ids as text, and times where it has any."""

    table: WholeTable
    columns: Mapping[str, str]
    user: Any
    item: Any
    times: Any


def read_events(table: WholeTable, names: Mapping[str, str], *, timed: bool) -> EventFile:
    """Return the events of a table; `timed` says whether they need times."""
    needed = ("user", "item", "timestamp") if timed else ("user", "item")
    columns = table.find(needed, () if timed else ("timestamp",), names)
    times = table.times(columns["timestamp"]) if "timestamp" in columns else None
    user, item = (_read_ids(table, columns[role], role) for role in ("user", "item"))
    return EventFile(table, columns, user, item, times)


def _read_ids(table: WholeTable, column: str, role: str) -> Any:
    """Return a column of ids; raise if two of them only look alike."""
    # With the tables, so that other commands start without polars.
    from recsys_metrics.frames._text_files import FileError

    ids = table.ids(column, role)
    if found := find_ids_alike(ids.unique(maintain_order=True).to_list()):
        raise FileError(
            f"{table.path}, column {column!r} has the {role} {found[0]!a} and {found[1]!a}: "
            f"{explain_lookalikes(*found)}"
        )
    return ids


def describe_leakage(found: Leakage) -> list[tuple[str, str]]:
    """Return what `leakage` counted, as rows of a name and a text."""
    rows = []
    if found.later is not None:
        rows += [
            (
                "training events later than some test event",
                _share(found.later, found.n_train),
            ),
            (
                "… of the same user",
                _share(found.later_within_user or 0, found.n_train),
            ),
            (
                "test events that some training event is later than",
                _share(found.tests_with_later_training or 0, found.n_test),
            ),
        ]
    return [
        *rows,
        (
            "test events whose user trained on the same item",
            _share(found.duplicates, found.n_test),
        ),
        ("users tested and never trained on", f"{len(found.cold_users):,}"),
        ("items tested and never trained on", f"{len(found.cold_items):,}"),
        ("test events of such a user or item", _share(found.cold_events, found.n_test)),
    ]


def leakage_data(found: Leakage) -> dict[str, Any]:
    """Return what `leakage` counted, for JSON."""
    return {
        "train": found.n_train,
        "test": found.n_test,
        "leak_free": found.leak_free,
        "later": found.later,
        "later_within_user": found.later_within_user,
        "tests_with_later_training": found.tests_with_later_training,
        "duplicates": found.duplicates,
        "cold_users": len(found.cold_users),
        "cold_items": len(found.cold_items),
        "cold_events": found.cold_events,
    }


def number_parts(train: EventFile, test: EventFile) -> tuple[Interactions, Interactions]:
    """Return two parts whose users and items are numbered alike."""
    import polars as pl

    for role in ("user", "item"):
        sides = [getattr(each, role).unique().to_list() for each in (train, test)]
        if may_look_alike(*sides) and (found := find_misspelt(*sides)):
            raise ValueError(
                f"{train.table.path} has the {role} {found[0]!a} and {test.table.path} the {role} "
                f"{found[1]!a}: {explain_lookalikes(*found)}"
            )
    users, items = (
        pl.concat([one.rename("id"), other.rename("id")])
        for one, other in ((train.user, test.user), (train.item, test.item))
    )
    whole, user_ids, item_ids = Interactions.from_ids(users, items)
    is_test = np.arange(len(users)) >= len(train.user)
    sizes = {"n_users": len(user_ids), "n_items": len(item_ids)}
    timed = train.times is not None and test.times is not None
    return (
        Interactions(
            whole.user[~is_test],
            whole.item[~is_test],
            timestamp=train.times if timed else None,
            **sizes,
        ),
        Interactions(
            whole.user[is_test],
            whole.item[is_test],
            timestamp=test.times if timed else None,
            **sizes,
        ),
    )


def _share(count: int, total: int) -> str:
    return f"{count:,} of {total:,} ({count / total:.1%})"
