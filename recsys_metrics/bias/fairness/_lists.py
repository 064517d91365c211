"""Lists as groups: which group stands at each rank, and how much attention a rank gets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics.bias._checks import FloatArray, IntArray, check_choice, check_whole
from recsys_metrics.bias.fairness.report import number_groups

Attention = Literal["log2", "geometric", "none"]
Groups = ArrayLike | Mapping[Any, Hashable]

# Cells of lists x ranks in one block.
_AT_ONCE = 2**18


def grouped_lists(
    recommended: Any, groups: Groups
) -> tuple[IntArray, NDArray[np.object_], FloatArray, bool]:
    """Return the group at each rank (-1 if empty), the groups, their sizes, and if it is one list.

    Item numbers with a row of groups, or ids of any kind with a mapping from id to group.
    """
    if isinstance(groups, Mapping):
        return _from_ids(recommended, groups)
    table = np.asarray(recommended)
    single = table.ndim == 1
    table = np.atleast_2d(table)
    n_items = np.shape(groups)[0] if np.ndim(groups) == 1 else 0
    if n_items == 0:
        raise ValueError(
            "groups must name the group of every item of the catalogue: one row in the order of "
            "the items' numbers, or a mapping from item to group"
        )
    items = check_whole("recommended", table, -1, n_items - 1, axes=2)
    names, group = number_groups(groups, n_items, "items")
    sizes = np.bincount(group, minlength=len(names)).astype(np.float64)
    # The last entry answers for -1, an empty slot.
    return np.append(group, -1)[items], names, sizes, single


def attention_at(n_ranks: int, attention: Attention, patience: float) -> FloatArray:
    """Return how much attention each rank gets."""
    check_choice("attention", attention, Attention)
    if isinstance(patience, bool) or not 0 < patience < 1:
        raise ValueError(
            f"patience, how likely the next rank is looked at too, is between 0 and 1; got "
            f"{patience!r}"
        )
    if attention == "log2":
        return np.asarray(1.0 / np.log2(np.arange(2.0, n_ranks + 2)))
    # The same chance of going on at every rank; at once with certainty, where all count alike.
    going_on = patience if attention == "geometric" else 1.0
    factors: FloatArray = np.power(going_on, np.arange(n_ranks, dtype=np.float64))
    return factors


def attention_per_group(codes: IntArray, weights: FloatArray, n_groups: int) -> FloatArray:
    """Return how much attention each group gets in each list."""
    per_list = np.empty((len(codes), n_groups))
    for rows in list_blocks(codes):
        block = codes[rows]
        # Column 0 collects the empty slots.
        cells = np.arange(len(block))[:, None] * (n_groups + 1) + block + 1
        sums = np.bincount(
            cells.ravel(),
            weights=np.broadcast_to(weights, block.shape).ravel(),
            minlength=len(block) * (n_groups + 1),
        )
        per_list[rows] = sums.reshape(len(block), n_groups + 1)[:, 1:]
    return per_list


def list_blocks(codes: IntArray) -> Iterator[slice]:
    """Return slices over the lists, so that memory stays bounded."""
    step = max(1, _AT_ONCE // max(codes.shape[1], 1))
    return (slice(start, start + step) for start in range(0, len(codes), step))


def target_shares(
    target: Mapping[Any, float] | None, names: NDArray[np.object_], sizes: FloatArray
) -> FloatArray:
    """Return the share each group should have; by default its share of the catalogue."""
    if target is None:
        shares: FloatArray = sizes / sizes.sum()
        return shares
    unknown = [name for name in target if name not in set(names)]
    if unknown:
        raise ValueError(f"target names group {unknown[0]!r}, which no item belongs to")
    missing = [name for name in names if name not in target]
    if missing:
        raise ValueError(f"target gives no share to group {missing[0]!r}; give every group one")
    given = np.array([float(target[name]) for name in names])
    if not ((given >= 0).all() and abs(given.sum() - 1) < 1e-9):
        raise ValueError(f"target shares are 0 or more and sum to 1; got {dict(target)!r}")
    return given


def _from_ids(
    recommended: Any, groups: Mapping[Any, Hashable]
) -> tuple[IntArray, NDArray[np.object_], FloatArray, bool]:
    lists: Sequence[Any] = list(
        recommended.values() if isinstance(recommended, Mapping) else recommended
    )
    if not lists or not groups:
        raise ValueError("there must be a list of items, and a group for each item")
    # A tuple can be an id, a list of ids cannot.
    first = lists[0]
    single = not isinstance(first, list | np.ndarray) and not (
        isinstance(first, tuple) and first not in groups
    )
    lists = [lists] if single else lists
    sizes = Counter(groups.values())
    try:
        names = sorted(sizes)  # type: ignore[type-var]
    except TypeError:
        raise TypeError("groups must be of one kind that can be sorted, such as text") from None
    number = {name: code for code, name in enumerate(names)}
    codes = np.full((len(lists), max(map(len, lists))), -1, dtype=np.intp)
    for row, items in enumerate(lists):
        for rank, item in enumerate(items):
            if item not in groups:
                raise ValueError(
                    f"list {row} has item {item!r} at rank {rank + 1}, which has no group; give "
                    "every item of the catalogue one"
                )
            codes[row, rank] = number[groups[item]]
    plain = np.empty(len(names), dtype=object)
    plain[:] = names
    return codes, plain, np.array([float(sizes[name]) for name in names]), single
