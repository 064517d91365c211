"""Categories of items, from a table, a column or texts in which a sign separates several."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from recsys_metrics._core.checks import is_missing
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
    frame = in_memory(features, "features")
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
    return categories_by_item(items, categories)


def categories_by_item(
    items: Iterable[Hashable], categories: Iterable[Any]
) -> Mapping[Hashable, set[str]]:
    """Return the categories of each item, from two columns of a table.

    Raises
    ------
    ValueError, TypeError
        If a row has no item or no category, or its category is no text, number or list of texts.
    """
    found: dict[Hashable, set[str]] = {}
    for row, (item, category) in enumerate(zip(items, categories, strict=True)):
        for role, value in (("item", item), ("category", category)):
            if is_missing(value):
                raise ValueError(
                    f"row {row} of features has no {role}; leave such rows out, or give them a "
                    "category of their own"
                )
        found.setdefault(item, set()).update(_categories_in(category, item))
    return found


def _categories_in(cell: Any, item: Hashable) -> set[str]:
    """Return the categories that a cell of a table names."""
    if is_column(cell) or isinstance(cell, np.ndarray):
        cell = entries_of(cell)
    if isinstance(cell, Sequence | AbstractSet) and not isinstance(cell, str | bytes):
        if all(isinstance(each, str) for each in cell):
            return {name for each in cell for name in split_categories(each)}
    elif not isinstance(cell, Mapping):
        return split_categories(str(cell))
    raise TypeError(
        f"features has {cell!r:.60} as the category of item {item!r}; a category is a text or a "
        "number, or a list of texts. Of vectors pass a mapping from item to its row, "
        "dict(zip(items, rows))"
    )
