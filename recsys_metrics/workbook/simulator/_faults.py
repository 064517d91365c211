"""What goes wrong between the people and the log."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from recsys_metrics.workbook.simulator._shop import Traffic


def lose_users(traffic: Traffic, share: float, *, seed: int = 0) -> Traffic:
    """Lose some of the treated: those who came least, whose page did not load.

    Parameters
    ----------
    traffic : Traffic
    share : float
        Of the treated light visitors, how many are gone.
    seed : int
    """
    rng = np.random.default_rng([seed, 3])
    light = traffic.treated & (traffic.kinds == "light")
    gone = light & (rng.random(len(light)) < share)
    return traffic.take(np.flatnonzero(~gone))


def duplicate_users(traffic: Traffic, share: float, *, seed: int = 0) -> Traffic:
    """Write some people's rows twice, as a join over two devices does.

    Parameters
    ----------
    traffic : Traffic
    share : float
        Of all people.
    seed : int
    """
    rng = np.random.default_rng([seed, 4])
    twice = np.flatnonzero(rng.random(len(traffic.treated)) < share)
    return traffic.take(np.concatenate([np.arange(len(traffic.treated)), twice]))


def add_bots(
    traffic: Traffic, n: int, *, treated: bool, visits: float = 60.0, seed: int = 0
) -> Traffic:
    """Add programs that visit all day and click on nearly everything, all in one group.

    Parameters
    ----------
    traffic : Traffic
    n : int
    treated : bool
        In which group they are.
    visits : float
        Sessions of each on a day.
    seed : int
    """
    rng = np.random.default_rng([seed, 5])
    rows = traffic.take(np.zeros(n, dtype=np.intp))
    sessions = rng.poisson(visits, rows.sessions.shape)
    bots = replace(
        rows,
        treated=np.full(n, treated),
        sessions=sessions,
        clicks=rng.binomial(sessions * traffic.slots, 0.8),
        orders=np.zeros_like(rows.orders),
        revenue=np.zeros_like(rows.revenue),
        kinds=np.full(n, "heavy", dtype=traffic.kinds.dtype),
        user=traffic.user.max() + 1 + np.arange(n),
    )
    return traffic.concatenate(bots)


def start_late(traffic: Traffic, days: int) -> Traffic:
    """Write some days later than it was when the experiment began.

    The first days of the treatment leak into the past, which is to be the same for both groups.

    Parameters
    ----------
    traffic : Traffic
    days : int
    """
    return replace(traffic, starts=traffic.starts + days)
