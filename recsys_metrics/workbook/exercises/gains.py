"""The gain between two rows of users' values, as it is computed and as it is often mistaken."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from recsys_metrics.protocol.online import ab_test
from recsys_metrics.protocol.significance import t_interval


def paired(old: NDArray[Any], new: NDArray[Any], *, scale: float) -> dict[str, float]:
    """Return the mean gain and the ends of its interval, user by user."""
    found = t_interval(new - old)
    return {"gain": scale * found.estimate, "low": scale * found.low, "high": scale * found.high}


def unpaired(old: NDArray[Any], new: NDArray[Any], *, scale: float) -> dict[str, float]:
    """Return the same as if the rows were two groups of strangers."""
    found = ab_test(old, new, outcome="amounts").gain.interval
    assert found is not None
    return {"low": scale * found.low, "high": scale * found.high}


def ends_apart(old: NDArray[Any], new: NDArray[Any], *, scale: float) -> dict[str, float]:
    """Return the ends of one interval less those of the other."""
    one, other = t_interval(new), t_interval(old)
    return {"low": scale * (one.low - other.high), "high": scale * (one.high - other.low)}


def turned(right: dict[str, float]) -> dict[str, float]:
    """Return the old less the new."""
    return {"gain": -right["gain"], "low": -right["high"], "high": -right["low"]}
