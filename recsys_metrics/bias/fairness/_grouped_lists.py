"""Lists as groups: the group of the item at each rank, and the attention of each rank."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core.blocks import row_blocks
from recsys_metrics._core.checks import check_mapping, first_true
from recsys_metrics._core.inputs.arrays import FloatArray, IntArray, shape_of
from recsys_metrics._core.inputs.columns import check_between, check_whole
from recsys_metrics._core.inputs.frames import by_item, by_key, entries_of, is_column
from recsys_metrics._core.inputs.lists import read_lists
from recsys_metrics._core.inputs.tables import distinct, positions
from recsys_metrics.bias.fairness._report import number_groups

Groups = ArrayLike | Mapping[Any, Hashable]
Merit = ArrayLike | Mapping[Any, float]


class GroupedLists:
    """Lists as numbers of the catalogue's items, with the group of each number.

    `groups` is a row of groups in the order of the items' numbers, or a mapping from id to group.
    """

    def __init__(self, recommended: Any, groups: Groups) -> None:
        self._number: dict[Hashable, int] | None = None
        groups = by_item(groups)
        per_item: Any = groups
        if isinstance(groups, Mapping):
            self._number = {item: number for number, item in enumerate(groups)}
            per_item = np.empty(len(groups), dtype=object)
            per_item[:] = list(groups.values())
        if len(shape_of(per_item, "groups")) != 1 or not len(per_item):
            raise ValueError(
                "groups must name the group of every item of the catalogue: one row in the order "
                "of the items' numbers, or a mapping from item to group"
            )
        self.names, self.group = number_groups(per_item, len(per_item), "items")
        if self._number is None and isinstance(recommended, list | tuple):
            # The catalogue is numbered: lists of its numbers are a table, with -1 for nothing.
            with suppress(ValueError):
                recommended = np.array(recommended)
        self.lists = read_lists(recommended, repeats="keep")
        self.items = self.numbers(self.lists.items, "recommended")

    def numbers(self, items: IntArray, name: str) -> IntArray:
        """Return the numbers of the items of lists, or of sets beside them; -1 stays."""
        lists = self.lists
        if self._number is None:
            if lists.ids.index:
                raise TypeError(
                    f"the lists contain ids such as {lists.ids.label(0)!r}, so groups must be a "
                    "mapping from item to group"
                )
            return check_whole(name, items, -1, len(self.group) - 1, axes=items.ndim)
        used = distinct(items)
        # The last entry answers for -1, an empty slot.
        numbers = np.full(len(used) + 1, -1, dtype=np.intp)
        for at, item in enumerate(used.tolist()):
            label = lists.ids.label(item)
            if label not in self._number:
                at_first = first_true(items == item)
                rank = f" at rank {at_first[1] + 1}" if items.ndim == 2 else ""
                where = lists.name(at_first[0]) if rank else name
                raise ValueError(
                    f"{where} has item {label!r}{rank}, which has no group; give every item of the "
                    "catalogue one"
                )
            numbers[at] = self._number[label]
        return numbers[positions(items, used)]


def grouped_lists(
    recommended: Any, groups: Groups
) -> tuple[IntArray, NDArray[np.object_], FloatArray, bool]:
    """Return the group at each rank (-1 if empty), the groups, their sizes, and if it is one."""
    shown = GroupedLists(recommended, groups)
    if not shown.items.size:
        raise ValueError("there must be a list with an item; recommended contains none")
    sizes = np.bincount(shown.group, minlength=len(shown.names)).astype(np.float64)
    return np.append(shown.group, -1)[shown.items], shown.names, sizes, shown.lists.single


def merit_per_group(merit: Merit, groups: Groups, names: NDArray[np.object_]) -> FloatArray:
    """Return the summed merit of each group's items."""
    groups, merit = by_item(groups), by_item(merit)
    in_groups: Any = groups
    per_item: Any = merit
    if isinstance(groups, Mapping) != isinstance(merit, Mapping):
        raise TypeError(
            "merit is a mapping from item to merit where groups is one from item to group, and one "
            "row in the order of the items' numbers where groups is one"
        )
    if isinstance(groups, Mapping):
        lacking = [item for item in groups if item not in per_item]
        if lacking:
            raise ValueError(f"item {lacking[0]!r} has a group and no merit; give every item one")
        in_groups, per_item = list(groups.values()), [per_item[item] for item in groups]
    known = check_between("merit", per_item, 0.0, np.inf, axes=1)
    if len(known) != len(in_groups):
        raise ValueError(f"merit has {len(known)} items and groups {len(in_groups)}")
    _, group = number_groups(in_groups, len(known), "items")
    sums: FloatArray = np.bincount(group, weights=known, minlength=len(names)).astype(np.float64)
    return sums


def attention_per_group(codes: IntArray, weights: FloatArray, n_groups: int) -> FloatArray:
    """Return how much attention each group gets in each list."""
    per_list = np.empty((len(codes), n_groups))
    for rows in row_blocks(*codes.shape):
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


def target_shares(
    target: Mapping[Any, float] | None, names: NDArray[np.object_], sizes: FloatArray
) -> FloatArray:
    """Return the share each group should have; by default its share of the catalogue."""
    if target is None:
        shares: FloatArray = sizes / sizes.sum()
        return shares
    if is_column(target):
        labelled = by_key(target)
        target = dict(enumerate(entries_of(target))) if labelled is None else labelled
    check_mapping("target", target, "from group to share")
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
