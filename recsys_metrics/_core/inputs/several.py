"""Arguments that take several things of a kind: metrics, reports, tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from recsys_metrics._core.inputs.frames import is_frame
from recsys_metrics._core.inputs.ids import kind


def read_several(
    name: str, given: Any, words: str, *, alone: type | tuple[type, ...] = ()
) -> list[Any]:
    """Return the entries of an argument that is a list.

    Parameters
    ----------
    name : str
        Of the argument.
    given
        What the caller passed.
    words : str
        What the list holds: "metrics such as ['ndcg@10', 'recall@10']".
    alone : type or tuple of type
        Types of which one need not stand in a list.

    Raises
    ------
    TypeError
        If it is one thing, or a data frame, whose entries would be the names of its columns.
    """
    if isinstance(given, alone):
        return [given]
    if isinstance(given, str | bytes) or not isinstance(given, Iterable) or is_frame(given):
        raise TypeError(f"{name} must be a list of {words}; got {kind(given)}")
    return [*given]
