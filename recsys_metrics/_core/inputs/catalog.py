"""The ids of a catalogue, in any form."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from recsys_metrics._core.checks import is_missing
from recsys_metrics._core.inputs.arrays import as_array, is_array
from recsys_metrics._core.inputs.frames import entries_of, is_column, refuse_frame
from recsys_metrics._core.inputs.ids import refuse_arrays


def catalog_ids(catalog: Iterable[Hashable]) -> Sequence[Hashable]:
    """Return the ids of a catalogue: of a set, a generator, an array, a tensor or a column.

    Raises
    ------
    TypeError, ValueError
        If it is a single text or a data frame, or an entry is missing, -1 or an array.
    """
    if isinstance(catalog, str | bytes):
        raise TypeError(
            f"catalog is the single id {catalog!r}; pass the ids of all items, or their number"
        )
    refuse_frame(catalog, "catalog")
    if not isinstance(catalog, Iterable):
        raise TypeError(f"catalog is {catalog!r:.60}; pass the ids of all items, or their number")
    if getattr(catalog, "ndim", 1) == 0:
        raise TypeError(
            f"catalog is an array of one number, {catalog!r:.60}; pass the ids of all items, or "
            "their number, .item()"
        )
    if isinstance(catalog, range):
        return catalog
    ids: list[Hashable]
    if is_column(catalog):
        ids = entries_of(catalog)
    else:
        ids = as_array(catalog, "catalog").tolist() if is_array(catalog) else [*catalog]
    if {*map(type, ids)} <= {str}:
        return ids
    refuse_arrays(ids, "an entry of the catalogue")
    for at, item in enumerate(ids):
        if is_missing(item) or (isinstance(item, int) and item == -1):
            raise ValueError(
                f"entry {at} of catalog is {item!r}, which is no id; leave missing items out"
            )
    return ids
