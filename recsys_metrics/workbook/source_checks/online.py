"""Recomputed entries on live traffic."""

from __future__ import annotations

from typing import Any

import numpy as np

import recsys_metrics as rm
from recsys_metrics import judge
from recsys_metrics.protocol import online
from recsys_metrics.protocol.significance import bootstrap_interval

Values = dict[str, Any]


def rates(
    impressions: int, clicks: int, conversions: int, users: int, converting_users: int
) -> Values:
    """Return the rates of one day, with conversion per click and per user."""
    return {
        "ctr": online.click_through_rate(clicks, impressions),
        "clicks_per_user": online.clicks_per_user(clicks, users),
        "conversion_per_click": online.conversion_rate(conversions, clicks=clicks),
        "conversion_per_user": online.conversion_rate(converting_users, users=users),
    }


def durations(start: float, end: float) -> Values:
    """Return a stay as end less start, and whether the other way round can be one."""
    try:
        online.dwell_time(end, start)
        other_way_round = True
    except ValueError:
        other_way_round = False
    return {
        "end_less_start": float(online.dwell_time(start, end)),
        "dwell_time": float(online.dwell_time(start, end)),
        "start_less_end": float(start - end),
        "start_less_end_is_a_duration": other_way_round,
    }


def bounces(sessions: list[list[Any]]) -> Values:
    """Return the bounce rate by sessions and by users."""
    users, pages = zip(*sessions, strict=True)
    by_sessions = online.bounce_rate(pages)
    by_users = online.bounce_rate(pages, users=users, by="users")
    return {
        "by_sessions": by_sessions,
        "by_users": by_users,
        "readings_agree": bool(np.isclose(by_sessions, by_users)),
    }


def two_hit_rates(users: int, clicked_in_window: int, users_with_a_hit: int) -> Values:
    """Return the hit rate of live traffic and the offline one."""
    relevant = [{"found"} if user < users_with_a_hit else {"other"} for user in range(users)]
    judged = judge([["found"]] * users, relevant)
    return {
        "online_hit_rate": online.click_through_probability(clicked_in_window, users),
        "offline_hit_rate": float(rm.hit_rate(judged, 1).mean()),
    }


def mean_and_median(a: list[float], b: list[float]) -> Values:
    """Return mean and median watch time of two groups, and the chance that b is longer."""
    means, medians = (
        [bootstrap_interval(group, statistic=how, n_resamples=100).estimate for group in (a, b)]
        for how in ("mean", "median")
    )
    return {
        "mean_a": means[0],
        "mean_b": means[1],
        "median_a": medians[0],
        "median_b": medians[1],
        "chance_that_b_is_longer": online.mann_whitney(a, b).superiority,
        "median_and_mean_agree": (means[0] > means[1]) == (medians[0] > medians[1]),
    }


WAYS = {
    rates: "notes-online",
    durations: "notes-session notes-dwell",
    bounces: "notes-bounce",
    two_hit_rates: "notes-hit-rate",
    mean_and_median: "ch11c-median-mean",
}
