"""Data that a reader may fetch: a section that needs them runs when they are there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from recsys_metrics.datasets import DatasetNotFoundError
from recsys_metrics.workbook.common.note import Note

Data = TypeVar("Data")


def load_if_available(load: Callable[[], Data], *, place: str = "") -> Data | None:
    """Return data if they are on this computer; if not, say in a note how they come there.

    Parameters
    ----------
    load : callable
        Loads them, and downloads nothing.
    place : str
        Where they are looked for, below `datasets.data_folder()`.

    Returns
    -------
    data or None

    Examples
    --------
    >>> from recsys_metrics.datasets import load_movielens
    >>> load_if_available(load_movielens)
    MovieLens latest-small: 100,004 ratings of 9,066 films by 671 users
    """
    try:
        return load()
    except DatasetNotFoundError as missing:
        from IPython.display import display

        where = f' It is looked for in `datasets.data_folder() / "{place}"`.' if place else ""
        display(
            Note(
                f"{missing.name} is not on this computer",
                "The section goes on without it, and shows its numbers once it is there. "
                f"{missing.remedy}.{where}",
            )
        )
        return None
