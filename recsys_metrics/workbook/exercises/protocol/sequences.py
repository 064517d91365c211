"""Sequences: what is held out, sessions, leaks across users; filters and cold start."""

from __future__ import annotations

import math
import string
from collections.abc import Sequence
from typing import Any

import numpy as np

from recsys_metrics.interactions import Interactions
from recsys_metrics.protocol import k_core, sessions
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.function import Case

# Sessions --------------------------------------------------------------------------------------


def _n_sessions(times: Sequence[int], gap: int) -> int:
    log = Interactions([0] * len(times), [0] * len(times), timestamp=times)
    return int(sessions(log, gap=gap).max()) + 1


def _visit(*times: int, gap: int, why: str = "") -> Case:
    return Case({"times": list(times), "gap": gap}, why)


def _draw_visits(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return ascending minutes, with pauses that are as long as the gap among them."""
    drawn = []
    for _ in range(6):
        gap = int(rng.choice([20, 30, 45]))
        pauses = rng.choice([2, 5, 10, gap, gap + 1, 3 * gap, 5 * gap], int(rng.integers(5, 9)))
        pauses[int(rng.integers(len(pauses)))] = gap
        start = int(rng.integers(60))
        drawn.append(_visit(start, *(start + np.cumsum(pauses)).tolist(), gap=gap))
    return tuple(drawn)


_count_sessions_cases = (
    _visit(0, 10, 90, 100, 300, gap=30),
    _visit(5, 35, 65, gap=30, why="the pauses are exactly as long as the gap"),
    _visit(0, 20, 40, 60, 80, gap=30, why="one long session of short pauses"),
    _visit(0, 31, 62, 93, gap=30, why="every pause is longer than the gap"),
    _visit(12, gap=30, why="there is one event"),
    _visit(100, 100, 190, 200, 400, 405, gap=60),
)

# Three targets ---------------------------------------------------------------------------------


def _three_targets(inputs: Inputs) -> dict[str, float]:
    later = [i for i, t in zip(inputs["items"], inputs["times"], strict=True) if t > inputs["cut"]]
    ranks = {item: rank for rank, item in enumerate(inputs["recommended"], 1)}
    return {
        "next_item": 1 / ranks[later[0]],
        "all_later": sum(item in ranks for item in later) / len(later),
        "last_item": 1 / ranks[later[-1]],
    }


def _draw_sequence(rng: np.random.Generator) -> Inputs:
    """Return a sequence of which the next and the last item are in the list, and one is not."""
    while True:
        letters = [str(each) for each in rng.permutation([*string.ascii_uppercase[:14]])]
        n_before, n_later = int(rng.integers(2, 4)), int(rng.integers(3, 6))
        items, others = letters[: n_before + n_later], letters[n_before + n_later :]
        later = items[n_before:]
        middle = later[1:-1]
        some = middle[: int(rng.integers(len(middle)))]
        chosen = [later[0], later[-1], *some]
        recommended = [*chosen, *others[: 7 - len(chosen)]]
        rng.shuffle(recommended)
        times = np.cumsum(rng.integers(1, 6, len(items))).tolist()
        inputs = {
            "items": items,
            "times": times,
            "cut": times[n_before - 1],
            "recommended": recommended,
        }
        values = [*_three_targets(inputs).values()]
        # The list has an item between each of the two and the top, so that no slip is right.
        if min(abs(a - b) for n, a in enumerate(values) for b in values[:n]) > 0.02 and all(
            value < 1 for value in values
        ):
            return inputs


# Later events of other users -------------------------------------------------------------------

Events = Sequence[tuple[str, int]]


def _future_share(train: Events, test: Events) -> float:
    shares = []
    for user, time in test:
        others = [when for other, when in train if other != user]
        shares.append(sum(when > time for when in others) / len(others))
    return sum(shares) / len(shares)


def _pooled_share(train: Events, test: Events) -> float:
    pairs = [(when, time) for user, time in test for other, when in train if other != user]
    return sum(when > time for when, time in pairs) / len(pairs)


def _of_any_test(train: Events, test: Events) -> float:
    earliest = min(time for _, time in test)
    return sum(when > earliest for _, when in train) / len(train)


def _events(train: Events, test: Events, why: str = "") -> Case:
    return Case({"train": [*train], "test": [*test]}, why)


def _draw_events(rng: np.random.Generator) -> tuple[Case, ...]:
    drawn = []
    for _ in range(6):
        train, test = [], []
        for user in ("ann", "bob", "cem", "eve")[: int(rng.integers(3, 5))]:
            times = sorted(int(t) for t in rng.integers(1, 25, int(rng.integers(2, 6))))
            test.append((user, times.pop(int(rng.integers(len(times))))))
            train += [(user, time) for time in times]
        rng.shuffle(train)
        drawn.append(_events([(str(user), int(time)) for user, time in train], test))
    return tuple(drawn)


_future_share_cases = (
    _events(
        [("alice", 1), ("alice", 2), ("bob", 3), ("bob", 6), ("cem", 5), ("cem", 8)],
        [("alice", 4), ("bob", 9), ("cem", 10)],
        "each user's last event is held out",
    ),
    _events([("ann", 3), ("bob", 5)], [("ann", 5), ("bob", 7)], "two events have one time"),
    _events([("ann", 9), ("bob", 1)], [("ann", 4), ("bob", 8)], "a user's own event is later"),
    _events(
        [("ann", 1), ("bob", 2), ("bob", 4), ("bob", 7), ("cem", 5)],
        [("ann", 3), ("bob", 8), ("cem", 6)],
        "the users have unequal numbers of events",
    ),
    _events([("ann", 2), ("bob", 3)], [("ann", 10), ("bob", 12)], "nothing is later"),
)

# A 2-core --------------------------------------------------------------------------------------


def _log(events: Sequence[str]) -> Interactions:
    numbers = [(string.ascii_uppercase.index(event[0]), int(event[1])) for event in events]
    return Interactions(*zip(*numbers, strict=True))


def _sizes(log: Interactions) -> tuple[int, int, int]:
    return len({*log.user.tolist()}), len({*log.item.tolist()}), len(log)


def _two_core(inputs: Inputs) -> dict[str, float]:
    n_users, n_items, n_events = _sizes(k_core(_log(inputs["events"]), 2))
    return {"n_users": n_users, "n_items": n_items, "density": n_events / (n_users * n_items)}


def _one_pass(log: Interactions) -> Interactions:
    counts = [np.bincount(ids)[ids] for ids in (log.user, log.item)]
    return log.take((counts[0] >= 2) & (counts[1] >= 2))


# Users, items and events of a 2-core; each is drawn as often as another.
_CORES = [
    (users, items, events)
    for users in range(3, 6)
    for items in range(3, 6)
    for events in range(2 * max(users, items), min(users * items, 15))
]


def _draw_core(rng: np.random.Generator) -> Inputs:
    """Return a log whose 2-core takes more than one pass, and is found by neither side alone."""
    n_users, n_items, n_events = size = _CORES[int(rng.integers(len(_CORES)))]
    most = max(n_users, n_items)
    # Each user and each item of this ring has two events or more.
    ring = {(n % n_users, (n + more) % n_items) for n in range(most) for more in (0, 1)}
    others = [cell for cell in np.ndindex(n_users, n_items) if cell not in ring]
    while True:
        more = rng.permutation(len(others))[: n_events - len(ring)]
        core = [*ring, *(others[int(n)] for n in more)]
        # One user has an item of the core, and one that nobody else has who is left.
        chain = [(n_users, int(rng.integers(n_items))), (n_users, n_items)]
        lone = [(n_users + 1, n_items), (int(rng.integers(n_users)), n_items + 1)]
        users = rng.permutation([*string.ascii_uppercase[:8]])
        items = rng.permutation([*string.digits[1:9]])
        events = sorted(f"{users[user]}{items[item]}" for user, item in [*core, *chain, *lone])
        log = _log(events)
        wrong = (_one_pass(log), k_core(log, 2, of="users"), k_core(log, 2, of="items"), log)
        if _sizes(k_core(log, 2)) == size and len({size, *map(_sizes, wrong)}) == 5:
            return {"events": events}


# In words --------------------------------------------------------------------------------------


def _draw_papers(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "model": str(rng.choice(["GRU", "transformer", "graph"])),
        "paper": int(rng.integers(22, 30)) / 100,
        "own": int(rng.integers(14, 20)) / 100,
    }


def _row_of_group(old: int, gain: int, half: int, tests: int) -> dict[str, float]:
    """Return what a table says of a group, from thousandths; p is corrected for some tests."""
    two_sided = math.erfc(gain / half * 1.96 / math.sqrt(2))
    ends = {"old": old, "new": old + gain, "gain": gain, "low": gain - half, "high": gain + half}
    p = max(round(min(1.0, tests * two_sided), 3), 0.001)
    return {**{name: value / 1000 for name, value in ends.items()}, "p": p}


def _draw_groups(rng: np.random.Generator) -> dict[str, Any]:
    """Return a gain that is detected in one group, and one that is not in the other."""

    def between(low: int, high: int) -> int:
        return int(rng.integers(low, high))

    rows = {
        "short": _row_of_group(between(200, 260), between(4, 13), between(30, 45), tests=1),
        "long": _row_of_group(between(120, 160), between(22, 31), between(14, 18), tests=2),
    }
    drawn = {f"{group}_{name}": value for group, row in rows.items() for name, value in row.items()}
    return {"n_short": between(45, 80), "n_long": between(180, 260), **drawn}


def _draw_ties(rng: np.random.Generator) -> dict[str, Any]:
    users = int(rng.integers(3, 12)) * 100
    return {"users": users, "tied": int(users * rng.uniform(0.15, 0.4))}
