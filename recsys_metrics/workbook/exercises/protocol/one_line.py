"""Functions of the protocol with a gap in the code, each after the example that it repeats."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from recsys_metrics.protocol.candidates import expected_sampled_metric
from recsys_metrics.workbook.exercises.function import Case

# First in a sample -----------------------------------------------------------------------------


def _first(rank: int, n_items: int, n_drawn: int) -> float:
    return float(expected_sampled_metric(rank, n_items, n_drawn, "hit_rate", k=1))


def _sampled(rank: int, n_items: int, n_drawn: int, why: str = "") -> Case:
    return Case({"rank": rank, "n_items": n_items, "n_drawn": n_drawn}, why)


def _draw_samples(rng: np.random.Generator) -> tuple[Case, ...]:
    drawn = []
    for _ in range(4):
        n_items = int(rng.integers(8, 30))
        rank = int(rng.integers(2, n_items // 2))
        drawn.append(_sampled(rank, n_items, int(rng.integers(2, n_items - rank))))
    n = int(rng.integers(8, 15))
    return (
        *drawn,
        _sampled(1, n, 3, "no item is above it"),
        _sampled(n, n, 2, "all other items are above it"),
        _sampled(n - 1, n, 2, "one item is below it, and two are drawn"),
    )


_complete_first_cases = (
    _sampled(3, 6, 2),
    _sampled(2, 10, 4),
    _sampled(5, 20, 3),
    _sampled(1, 9, 3, "no item is above it"),
    _sampled(9, 9, 2, "all other items are above it"),
    _sampled(8, 9, 2, "one item is below it, and two are drawn"),
)


# A standard error ------------------------------------------------------------------------------


# With numpy alone: a page that checks functions has no more.
def _error(runs: Sequence[float]) -> float:
    return float(np.std(runs, ddof=1) / np.sqrt(len(runs)))


def _runs(*runs: float, why: str = "") -> Case:
    return Case({"runs": list(runs)}, why)


def _draw_runs(rng: np.random.Generator) -> tuple[Case, ...]:
    drawn = []
    for n in (3, 4, 5, 7, 10):
        start = int(rng.integers(10, 50))
        steps = rng.choice(24, size=n, replace=False)
        drawn.append(_runs(*((start + int(step)) / 100 for step in steps)))
    return (*drawn, _runs(0.3, 0.3, 0.3, why="the runs do not differ"))


_complete_error_cases = (
    _runs(0.40, 0.41, 0.42, 0.43, 0.44),
    _runs(0.31, 0.36, 0.29, 0.38),
    _runs(0.5, 0.1),
    _runs(0.22, 0.31, 0.28, 0.25, 0.36, 0.21, 0.33, 0.27),
    _runs(0.3, 0.3, 0.3, why="the runs do not differ"),
)


# Users and films drawn again -------------------------------------------------------------------

_Rows = Sequence[Sequence[int]]
_Counts = Sequence[int]


def _lead(lead: _Rows, users: _Counts, films: _Counts) -> float:
    return float(np.asarray(users) @ np.asarray(lead) @ np.asarray(films)) / sum(users)


def _drawn_again(lead: list[list[int]], users: list[int], films: list[int], why: str = "") -> Case:
    return Case({"lead": lead, "users": users, "films": films}, why)


def _draw_again(rng: np.random.Generator) -> tuple[Case, ...]:
    drawn = []
    for _ in range(5):
        n, m = (int(size) for size in rng.integers(2, 5, size=2))
        drawn.append(
            _drawn_again(
                rng.integers(-1, 2, size=(n, m)).tolist(),
                rng.multinomial(n, [1 / n] * n).tolist(),
                rng.multinomial(m, [1 / m] * m).tolist(),
            )
        )
    return (
        *drawn,
        _drawn_again([[1, 0, -1], [0, 1, 1]], [2, 0], [1, 2, 0]),
        _drawn_again([[1, -1], [1, 0]], [1, 1], [1, 1], "every user and film was drawn once"),
    )


_complete_lead_cases = (
    _drawn_again([[1, 0, -1], [0, 1, 1]], [2, 0], [1, 2, 0]),
    _drawn_again([[1, 1], [0, -1], [1, 0]], [0, 1, 2], [2, 0]),
    _drawn_again([[0, 1, 0, 1], [-1, 0, 0, 1]], [1, 1], [0, 3, 1, 0]),
    _drawn_again([[1, 1, 0], [1, 0, 1], [0, 1, -1]], [3, 0, 0], [0, 2, 1]),
    _drawn_again([[1, -1], [1, 0]], [1, 1], [1, 1], "every user and film was drawn once"),
)


# Who is ahead of whom --------------------------------------------------------------------------


def _ahead(old: Sequence[int], new: Sequence[int]) -> float:
    lead = np.sign(np.subtract.outer(np.asarray(new), np.asarray(old)))
    return float((lead.mean() + 1) / 2)


def _watched(old: list[int], new: list[int], why: str = "") -> Case:
    return Case({"old": old, "new": new}, why)


def _draw_watched(rng: np.random.Generator) -> tuple[Case, ...]:
    drawn = []
    for _ in range(5):
        n, m = (int(size) for size in rng.integers(2, 6, size=2))
        drawn.append(
            _watched(rng.integers(1, 12, size=n).tolist(), rng.integers(1, 12, size=m).tolist())
        )
    return (
        *drawn,
        _watched([3, 7], [7, 9, 7], "some pairs are ties"),
        _watched([1, 2], [90], "the new user watched longer than all others"),
    )


_complete_superiority_cases = (
    _watched([4, 9, 12], [5, 20]),
    _watched([3, 7], [7, 9, 7], "some pairs are ties"),
    _watched([10, 30, 50, 5], [8, 12, 300]),
    _watched([6, 6], [6], "all pairs are ties"),
    _watched([1, 2], [90], "the new user watched longer than all others"),
)


# The error of a ratio --------------------------------------------------------------------------


def _ratio_error(clicks: Sequence[int], shown: Sequence[int]) -> float:
    y, x = np.asarray(clicks), np.asarray(shown)
    moves = (y - y.sum() / x.sum() * x) / x.mean()
    return float(moves.std(ddof=1) / np.sqrt(len(moves)))


def _people(clicks: list[int], shown: list[int], why: str = "") -> Case:
    return Case({"clicks": clicks, "shown": shown}, why)


def _draw_people(rng: np.random.Generator) -> tuple[Case, ...]:
    drawn = []
    for n in (3, 4, 5, 6):
        shown = rng.choice(np.arange(4, 25), size=n, replace=False).tolist()
        drawn.append(_people([int(rng.integers(1, 4)) for _ in shown], shown))
    return (*drawn, _people([0, 0, 3], [5, 5, 30], "two users did not click"))


_complete_moves_cases = (
    _people([1, 0, 3, 4], [10, 10, 20, 40]),
    _people([2, 5, 1], [10, 12, 20]),
    _people([1, 1, 2, 6, 3], [8, 4, 9, 20, 5]),
    _people([0, 0, 3], [5, 5, 30], "two users did not click"),
)
