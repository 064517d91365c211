"""The table of the data card: what the data files hold, counted when the book is built."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, get_args

import numpy as np

from recsys_metrics.datasets import load_movielens, load_open_bandit
from recsys_metrics.datasets._open_bandit import Campaign, Policy

COMMENT = "<!-- data sets -->"
_DAY = 86_400
_HEAD = "| fact | MovieLens latest-small | Open Bandit sample |\n| --- | ---: | ---: |"


def table() -> str:
    """Return the facts of both data sets as a table in Markdown."""
    rows = {
        name: [one, other] for (name, one), other in zip(films().items(), bandit(), strict=True)
    }
    return "\n".join(
        [_HEAD, *(f"| {name} | {one} | {other} |" for name, (one, other) in rows.items())]
    )


def films() -> dict[str, str]:
    """Return the facts of MovieLens."""
    log = load_movielens().interactions
    assert log.rating is not None
    assert log.timestamp is not None
    counts = np.bincount(log.user)
    first = np.full(log.n_users, np.iinfo(np.int64).max)
    last = np.zeros(log.n_users, dtype=np.int64)
    np.minimum.at(first, log.user, log.timestamp)
    np.maximum.at(last, log.user, log.timestamp)
    return {
        "rows": f"{len(log):,} ratings",
        "users": f"{log.n_users:,}",
        "items": f"{log.n_items:,} films",
        "rows for each user": f"{counts.min()} to {counts.max():,}, median {np.median(counts):g}",
        "users whose rows span at most one day": f"{np.mean(last - first <= _DAY):.0%}",
        "positive rows": f"{np.mean(log.rating >= 4):.0%} (4 stars or more)",
        "period": _period(log.timestamp),
    }


def bandit() -> list[str]:
    """Return the same facts of the Open Bandit sample."""
    logs = {
        (policy, campaign): load_open_bandit(policy, campaign)
        for policy in get_args(Policy)
        for campaign in get_args(Campaign)
    }
    clicks = [int(log.click.sum()) for log in logs.values()]
    n_items = [logs["random", campaign].n_items for campaign in get_args(Campaign)]
    n_rows = sum(map(len, logs.values()))
    return [
        f"{n_rows:,} impressions in {len(logs)} logs",
        "not identified",
        f"{', '.join(map(str, n_items))} in the campaigns {', '.join(get_args(Campaign))}",
        "not known",
        "not known",
        f"{sum(clicks) / n_rows:.2%} (clicks; {min(clicks)} to {max(clicks)} in a log)",
        _period(np.concatenate([log.timestamp for log in logs.values()]) // 1000),
    ]


def _period(seconds: Any) -> str:
    first, last = (datetime.fromtimestamp(int(at), UTC) for at in (seconds.min(), seconds.max()))
    return f"{first:%Y-%m-%d} to {last:%Y-%m-%d}"


def place(app: Any, docname: str, source: list[str]) -> None:
    """Put the table where a page has the comment for it."""
    if COMMENT in source[0]:
        source[0] = source[0].replace(COMMENT, table())
