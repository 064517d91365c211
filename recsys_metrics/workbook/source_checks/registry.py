"""From an entry to its values: which function recomputes it, and what status that gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from recsys_metrics.workbook.source_checks import (
    beyond_accuracy,
    bias,
    calibration,
    gain,
    online,
    pairs,
    protocol,
    ranking,
    rating,
)
from recsys_metrics.workbook.source_checks.entry import ENTRIES, Entry

Recomputation = Callable[..., dict[str, Any]]


def _collect() -> dict[str, Recomputation]:
    ways: dict[str, Recomputation] = {}
    for module in (
        rating,
        ranking,
        gain,
        pairs,
        beyond_accuracy,
        protocol,
        online,
        calibration,
        bias,
    ):
        for way, ids in module.WAYS.items():
            for name in ids.split():
                if name in ways:
                    raise ValueError(f"two functions recompute {name!r}; remove one")
                ways[name] = way
    return ways


RECOMPUTATIONS: Mapping[str, Recomputation] = MappingProxyType(_collect())


def recompute(entry: str | Entry) -> dict[str, Any]:
    """Return an entry's quantities, computed from its inputs with the library.

    Parameters
    ----------
    entry : str or Entry
        The entry or its id.

    Raises
    ------
    KeyError
        If there is no such entry.

    Examples
    --------
    >>> from recsys_metrics.workbook.source_checks import recompute
    >>> round(recompute("ch07-ndcg")["ndcg"], 3)
    0.593
    """
    chosen = ENTRIES[entry] if isinstance(entry, str) else entry
    return RECOMPUTATIONS[chosen.id](**chosen.inputs)
