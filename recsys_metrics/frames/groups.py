"""A report over frames, group by group of users."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import narwhals as nw

from recsys_metrics.frames.plan import plain
from recsys_metrics.frames.report import FrameReport, FrameResult
from recsys_metrics.frames.tables import lazy, read_groups
from recsys_metrics.measures import Measure


def by_group(
    report: FrameReport, groups: Any, *, columns: Mapping[str, str] | None = None
) -> dict[str, dict[Measure, FrameResult]]:
    """For whom are the lists good, and for whom not?

    Parameters
    ----------
    report : FrameReport
    groups : frame of the same engine
        One row per user with the user's group; a user without one is in none of them.
    columns : mapping, optional
        Which column is the user and which the group, where its name does not say so.

    Returns
    -------
    dict from group to dict from Measure to FrameResult
        In the order of the groups' names; measures of all lists together are left out.

    Raises
    ------
    ValueError
        If a column is missing, or no user of the report is in a group.

    Examples
    --------
    >>> import pytest
    >>> pl = pytest.importorskip("polars")
    >>> from recsys_metrics import frames
    >>> lists = pl.DataFrame({"user": [1, 2], "item": ["A", "A"], "rank": [1, 2]})
    >>> wanted = pl.DataFrame({"user": [1, 2], "item": ["A", "A"]})
    >>> ages = pl.DataFrame({"user": [1, 2], "group": ["old", "young"]})
    >>> found = frames.by_group(frames.evaluate(lists, wanted, ["mrr"]), ages)
    >>> {group: [result.mean for result in each.values()] for group, each in found.items()}
    {'old': [1.0], 'young': [0.5]}
    """
    asked = [made for made in report.results if made.metric.per_user]
    table = read_groups(lazy(groups, "groups"), columns or {})
    together = report.of_users.join(table, on="user", how="inner")
    parts: dict[str, nw.Expr] = {"users": nw.len()}
    for name in (plain(str(made)) for made in asked):
        value = nw.col(name)
        parts |= {
            f"mean {name}": value.mean(),
            f"sd {name}": value.std(),
            f"n {name}": value.count(),
        }
    found = together.group_by("group").agg(**parts).sort("group").collect()
    rows = list(found.iter_rows(named=True))
    if not rows:
        raise ValueError("no user of the report is in the table of groups")
    return {
        str(row["group"]): {made: _result(made, plain(str(made)), row) for made in asked}
        for row in rows
    }


def _result(made: Measure, name: str, row: Mapping[str, Any]) -> FrameResult:
    n = int(row[f"n {name}"])
    spread = row[f"sd {name}"]
    return FrameResult(
        made,
        float(row[f"mean {name}"]) if n else math.nan,
        n,
        int(row["users"]) - n,
        float(spread) if spread is not None and n > 1 else math.nan,
    )
