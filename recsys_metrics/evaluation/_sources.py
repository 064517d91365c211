"""What `evaluate` knows besides lists and relevance, put into the order of the lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._inputs.arrays import as_array, refuse_mask
from recsys_metrics._inputs.frames import refuse_frame
from recsys_metrics._inputs.item_sets import ItemSets
from recsys_metrics._inputs.lists import Lists
from recsys_metrics._inputs.tables import distinct
from recsys_metrics._inputs.users import check_same_users, refuse_no_user
from recsys_metrics.interactions import Interactions
from recsys_metrics.measures import Context
from recsys_metrics.ranking import Judged

# How long the obvious list is where nobody gave one.
_OBVIOUS = 1000


def gather(
    judged: Judged[Any],
    lists: Lists,
    relevant: ItemSets,
    *,
    history: Any,
    users: Any,
    features: Any,
    catalog: Any,
    baseline: Any,
) -> Context:
    """Return all that measures may need, from what was given."""
    counts, n_users, rows, size = _read_history(history, judged, users)
    if isinstance(counts, Counter):
        # What no user of the history met has been met by nobody.
        counts.update({lists.ids.label(item): 0 for item in distinct(lists.items).tolist()})
    if catalog is None:
        catalog = size
    if baseline is None and counts is not None:
        baseline = _most_popular(counts)
    return Context(
        relevant=relevant,
        catalog=catalog,
        item_counts=counts,
        n_users=n_users,
        history=rows,
        features=features,
        baseline=baseline,
    )


def _read_history(history: Any, judged: Judged[Any], users: Any) -> tuple[Any, Any, Any, Any]:
    """Return item counts, number of users, each list's history, and the catalogue."""
    if history is None:
        return None, None, None, None
    refuse_frame(history, "history")
    refuse_mask(history, "history")
    if isinstance(history, Mapping):
        return _read_mapping(history, judged)
    if isinstance(history, Interactions):
        history = history.matrix()
    if hasattr(history, "tocsr"):
        table = history.tocsr()
        counts = np.bincount(table.indices, minlength=table.shape[1])
        return counts, table.shape[0], _rows_of(table, judged, users), table.shape[1]
    if isinstance(history, Sequence) and not isinstance(history, str | bytes):
        if len(history) != len(judged):
            raise ValueError(
                f"history has {len(history)} entries for {len(judged)} lists; give one per list, "
                "or Interactions with users= to say which user each list belongs to"
            )
        held: Counter[Hashable] = Counter(item for row in history for item in set(row))
        return held, len(history), list(history), None
    raise TypeError(
        "history must be Interactions, a sparse users x items table, a mapping from user to "
        f"items, or one set of items per list, not {type(history).__name__}"
    )


def _read_mapping(history: Mapping[Any, Any], judged: Judged[Any]) -> tuple[Any, Any, Any, Any]:
    if judged.users is None:
        raise TypeError(
            "history is keyed by user, so the lists must be too: a mapping from user to list"
        )
    refuse_no_user(history, "history")
    check_same_users(judged.users, history, "recommended", "history", must_meet=False)
    for user, row in history.items():
        if not isinstance(row, AbstractSet | Sequence | np.ndarray) or isinstance(row, str | bytes):
            raise TypeError(f"history of user {user!r} must be a set or list of ids, not {row!r}")
    met: Counter[Hashable] = Counter(item for row in history.values() for item in set(row))
    rows = {user: history.get(user, set()) for user in judged.users}
    return met, len(history), rows, None


def _rows_of(table: Any, judged: Judged[Any], users: Any) -> Any:
    """Return the rows of a users x items table that belong to the lists."""
    numbers = users
    if numbers is None and judged.users is not None:
        numbers = list(judged.users)
    if numbers is None:
        # Whose rows they are is only known if there are as many.
        return table if table.shape[0] == len(judged) else None
    rows: NDArray[Any] = as_array(numbers, "users")
    if rows.shape != (len(judged),) or rows.dtype.kind not in "iu":
        raise TypeError(
            f"users must hold the number of each list's user, {len(judged)} whole numbers; got "
            f"{rows.dtype} of shape {rows.shape}"
        )
    if rows.size and not (rows.min() >= 0 and rows.max() < table.shape[0]):
        bad = rows[(rows < 0) | (rows >= table.shape[0])][0]
        raise ValueError(f"users holds {bad}, but history has the users 0 to {table.shape[0] - 1}")
    return table[rows]


def _most_popular(counts: Any) -> Any:
    """Return the most popular items, the first of those that tie first."""
    if isinstance(counts, np.ndarray):
        return np.argsort(-counts, kind="stable")[:_OBVIOUS]
    # By name where they tie, so that no order of users decides.
    ordered = sorted(counts, key=lambda item: (-counts[item], type(item).__name__, repr(item)))
    return ordered[:_OBVIOUS]
