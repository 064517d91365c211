"""Categories of items, from a table, a column or texts in which a sign separates several."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from recsys_metrics._core.checks import missing_entries
from recsys_metrics._core.inputs.frames import (
    ColumnError,
    by_key,
    entries_of,
    find_column,
    in_memory,
    is_column,
    is_frame,
)

CATEGORY_SEPARATOR = "|"
"""Stands between the categories of an item that are in one text, as in MovieLens."""


def split_categories(text: str) -> set[str]:
    """Return the categories that one text names.

    Examples
    --------
    >>> sorted(split_categories("Action|Comedy"))
    ['Action', 'Comedy']
    """
    return {name for part in text.split(CATEGORY_SEPARATOR) if (name := part.strip())}


def read_categories(features: Any) -> Any:
    """Return features as sets by item where they came as a table, a column or as texts.

    Everything else is returned as it is.

    Raises
    ------
    ValueError
        If a table has no column of items or of categories, or one of them has a missing value.
    """
    if is_frame(features):
        return _of_table(features)
    keyed = by_key(features)
    if keyed is not None:
        if not any(isinstance(entry, str) for entry in keyed.values()):
            return keyed
        return {
            item: split_categories(entry) if isinstance(entry, str) else entry
            for item, entry in keyed.items()
        }
    texts = entries_of(features) if is_column(features) else features
    if isinstance(texts, np.ndarray) and texts.ndim == 1 and texts.dtype.kind in "OU":
        texts = texts.tolist()
    # A row by the number of the item.
    if isinstance(texts, list | tuple) and texts and all(isinstance(each, str) for each in texts):
        return dict(enumerate(map(split_categories, texts)))
    return features


def _of_table(features: Any) -> Mapping[Hashable, set[str]]:
    frame = in_memory(features)
    try:
        items, categories = (
            entries_of(find_column(frame, role, None, needed=True)) for role in ("item", "category")
        )
    except ColumnError as error:
        raise ValueError(
            "features is a table and needs a column of items and one of their categories, called "
            f"item and category or the like: {error.problem}. Rename the columns. Of a table of "
            "numbers pass a mapping from item to its row, dict(zip(items, rows))"
        ) from None
    found: dict[Hashable, set[str]] = {}
    for role, column in (("item", items), ("category", categories)):
        if (missing := missing_entries(column)).any():
            raise ValueError(
                f"row {int(missing.argmax())} of features has no {role}; leave such rows out, or "
                "give them a category of their own"
            )
    for item, category in zip(items, categories, strict=True):
        found.setdefault(item, set()).update(split_categories(str(category)))
    return found
