"""The data that measures need besides lists and relevance, aligned with the lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.checks import MOST_ENTRIES
from recsys_metrics._core.inputs.arrays import as_array, is_array, refuse_mask
from recsys_metrics._core.inputs.catalog import catalog_ids
from recsys_metrics._core.inputs.categories import read_categories
from recsys_metrics._core.inputs.frames import refuse_frame
from recsys_metrics._core.inputs.ids import flatten
from recsys_metrics._core.inputs.item_sets import ItemSets
from recsys_metrics._core.inputs.lists import Lists
from recsys_metrics._core.inputs.users import check_same_users, refuse_no_user
from recsys_metrics.beyond_accuracy._coverage import catalog_size
from recsys_metrics.interactions import Interactions
from recsys_metrics.measures import Context

# How long the obvious list is where nobody gave one.
_OBVIOUS = 1000


class _HistoryCounts(Counter[Hashable]):
    """How many users interacted with each item; 0 for one that no history holds."""

    def get(self, item: Hashable, default: Any = None) -> int:
        """Return how many users interacted with an item."""
        return self[item]


@dataclass(frozen=True)
class EvaluationContext:
    """What measures may need besides lists and relevance, read once.

    Attributes
    ----------
    history
        A users x items table, a mapping from user to items, or one set of items per list.
    item_counts, n_users, catalog, features, baseline
        As in `Context`.
    """

    history: Any
    item_counts: Any
    n_users: int | None
    catalog: Any
    features: Any
    baseline: Any

    @classmethod
    def read(cls, *, history: Any, features: Any, catalog: Any, baseline: Any) -> EvaluationContext:
        """Read what `evaluate` was told."""
        history, counts, n_users, size = _read_history(history)
        catalog = size if catalog is None else catalog
        return cls.of_counts(
            counts,
            history=history,
            n_users=n_users,
            features=features,
            catalog=catalog,
            baseline=baseline,
        )

    @classmethod
    def of_counts(
        cls,
        counts: Any,
        *,
        history: Any = None,
        n_users: int | None,
        features: Any,
        catalog: Any,
        baseline: Any,
    ) -> EvaluationContext:
        """Return what is known where the items of a history are counted already.

        Parameters
        ----------
        counts : mapping from id to count, (n_items,) array of int, or None
            How many users interacted with each item.
        history, n_users, features, catalog, baseline
            As the attributes; by default the baseline is the most popular items.
        """
        if isinstance(catalog, range) and catalog_size(catalog, 0) > MOST_ENTRIES:
            # A report says with a digest of the ids which catalogue it was.
            raise ValueError(
                f"catalog is {catalog!r:.80}, and each of its items is read, at most "
                f"{MOST_ENTRIES:,}; pass the number of items, or leave out those that cannot be "
                "recommended"
            )
        if baseline is None and counts is not None:
            baseline = _rank_by_popularity(counts)
        if isinstance(counts, Mapping):
            counts = _HistoryCounts(counts)
            if catalog is not None and not is_count(catalog):
                catalog = catalog_ids(catalog)
                counts.update(dict.fromkeys(catalog, 0))
        if not is_count(catalog) and not isinstance(catalog, np.ndarray):
            # Read once: a generator is empty the second time.
            catalog = catalog_ids(catalog)
        return cls(history, counts, n_users, catalog, read_categories(features), baseline)

    def depends_on_list_order(self, lists: Lists) -> bool:
        """Whether the order of lists alone tells whose history is whose."""
        if self.history is None or isinstance(self.history, Mapping):
            return False
        return isinstance(self.history, list) or lists.users is None

    @property
    def context(self) -> Context:
        """What is known of all lists."""
        return Context(
            catalog=self.catalog,
            item_counts=self.item_counts,
            n_users=self.n_users,
            features=self.features,
            baseline=self.baseline,
        )

    def for_lists(self, lists: Lists, relevant: ItemSets | None, users: Any = None) -> Context:
        """Return what is known of some lists, in their order."""
        return replace(self.context, relevant=relevant, history=self._rows(lists, users))

    def check_width(self, relevant: Any) -> None:
        """Raise if what is relevant has another number of items than the history.

        Raises
        ------
        ValueError
            If both are tables and differ in width, so that one number may mean two items.
        """
        if not hasattr(self.history, "tocsr"):
            return
        if isinstance(relevant, Interactions):
            width = relevant.n_items
        elif hasattr(relevant, "tocsr"):
            width = relevant.shape[1]
        else:
            return
        if width != self.history.shape[1]:
            raise ValueError(
                f"history has {self.history.shape[1]:,} items and relevant {width:,}: were they "
                "numbered apart, so that one number means two items? Number both alike, "
                "Interactions.from_ids(…, item_ids=the ids of the history), or say n_items= of "
                "both if they are numbered alike already"
            )

    def _rows(self, lists: Lists, users: Any) -> Any:
        if self.history is None:
            return None
        if isinstance(self.history, list):
            if len(self.history) != len(lists):
                raise ValueError(
                    f"history has {len(self.history)} entries for {len(lists)} lists; give one "
                    "per list, or Interactions with history_rows= to say which row is whose"
                )
            return self.history
        if isinstance(self.history, Mapping):
            if lists.users is None:
                raise TypeError(
                    "history is keyed by user, so the lists must be too: a mapping from user to "
                    "list, or an array with users="
                )
            check_same_users(lists.users, self.history, "recommended", "history", must_meet=False)
            return {user: self.history.get(user, set()) for user in lists.users}
        return _select_rows(self.history, lists, users)


def is_count(catalog: Any) -> bool:
    """Whether a catalogue is the number of its items, or no collection of them."""
    return isinstance(catalog, int | np.integer) or not isinstance(catalog, Iterable)


def _read_history(history: Any) -> tuple[Any, Any, Any, Any]:
    """Return the history, item counts, the number of users, and the size of the catalogue."""
    if history is None:
        return None, None, None, None
    refuse_frame(history, "history")
    refuse_mask(history, "history")
    if isinstance(history, Mapping):
        refuse_no_user(history, "history")
        for user, row in history.items():
            if not isinstance(row, AbstractSet | Sequence | np.ndarray) or isinstance(
                row, str | bytes
            ):
                raise TypeError(
                    f"history of user {user!r} must be a set or list of ids, not {row!r}"
                )
        return history, _count_users_per_item(history.values()), len(history), None
    if isinstance(history, Interactions):
        history = history.matrix()
    if hasattr(history, "tocsr"):
        table = history.tocsr()
        if not table.has_canonical_format or not table.data.all():
            table = table.copy()
            table.sum_duplicates()
            table.eliminate_zeros()
        counts = np.bincount(table.indices, minlength=table.shape[1])
        return table, counts, table.shape[0], table.shape[1]
    if isinstance(history, Sequence) and not isinstance(history, str | bytes):
        rows = [as_array(row, "history").tolist() if is_array(row) else row for row in history]
        return rows, _count_users_per_item(rows), len(rows), None
    raise TypeError(
        "history must be Interactions, a sparse users x items table, a mapping from user to "
        f"items, or one set of items per list, not {type(history).__name__}"
    )


def _count_users_per_item(rows: Iterable[Any]) -> _HistoryCounts:
    return _HistoryCounts(item for row in rows for item in {*flatten([row])})


def _select_rows(table: Any, lists: Lists, users: Any) -> Any:
    """Return the rows of a users x items table that belong to the lists."""
    numbers, name = users, "history_rows"
    if numbers is None and lists.users is not None:
        numbers, name = list(lists.users), "users"
    if numbers is None:
        # Whose rows they are is only known if there are as many.
        return table if table.shape[0] == len(lists) else None
    rows: NDArray[Any] = as_array(numbers, name)
    if rows.shape != (len(lists),) or rows.dtype.kind not in "iu":
        raise TypeError(
            f"{name} must contain the row of each list's user in the history, {len(lists)} whole "
            f"numbers; got {rows.dtype} of shape {rows.shape}"
        )
    if rows.size and not (rows.min() >= 0 and rows.max() < table.shape[0]):
        bad = rows[(rows < 0) | (rows >= table.shape[0])][0]
        raise ValueError(
            f"{name} contains {bad}, but history has the rows 0 to {table.shape[0] - 1}"
        )
    return table[rows]


def _rank_by_popularity(counts: Any) -> Any:
    """Return the most popular items, the first of those that tie first."""
    if isinstance(counts, np.ndarray):
        return np.argsort(-counts, kind="stable")[:_OBVIOUS]
    # By name where they tie, so that no order of users decides.
    ordered = sorted(counts, key=lambda item: (-counts[item], type(item).__name__, repr(item)))
    return ordered[:_OBVIOUS]
