"""Functions that give metrics of the lists themselves the parameters that a measure can fill."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics import beyond_accuracy, ranking
from recsys_metrics._attention import Attention, Patience
from recsys_metrics._inputs.lists import read_lists
from recsys_metrics.beyond_accuracy._arguments import Base
from recsys_metrics.beyond_accuracy._discovery import Discount
from recsys_metrics.beyond_accuracy._serendipity import Reading
from recsys_metrics.beyond_accuracy._shares import Mixed
from recsys_metrics.ranking import _per_list
from recsys_metrics.ranking._overlap import Rest


def gini(recommended: Any, catalog: Any, *, normalized: bool = False) -> float:
    """How unequally are the items of the catalogue shown?"""
    counts = beyond_accuracy.times_recommended(recommended, catalog)
    return beyond_accuracy.gini(counts, normalized=normalized)


def shannon_entropy(recommended: Any, catalog: Any, *, base: Base = 2) -> float:
    """How many bits does it take to say which item was shown?"""
    counts = beyond_accuracy.times_recommended(recommended, catalog)
    return beyond_accuracy.shannon_entropy(counts, base=base)


def exposure_gini(
    recommended: Any,
    catalog: Any,
    *,
    attention: Attention = "log2",
    patience: Patience = 0.8,
    normalized: bool = False,
) -> float:
    """How unequally do the items of the catalogue get attention?"""
    exposure = beyond_accuracy.exposure_of_items(
        recommended, catalog, attention=attention, patience=patience
    )
    return beyond_accuracy.gini(exposure, normalized=normalized)


def expected_free_discovery(
    recommended: Any, item_counts: Any, *, discount: Discount = "log2", base: Base = 2
) -> Any:
    """How surprising, in bits, are the items that the reader meets?"""
    counts = item_counts.values() if isinstance(item_counts, Mapping) else item_counts
    return beyond_accuracy.expected_free_discovery(
        recommended, item_counts, int(sum(counts)), discount=discount, base=base
    )


def rank_biased_overlap(
    recommended: Any,
    baseline: Any,
    *,
    k: int | None = None,
    p: _per_list.Patience = 0.9,
    rest: Rest = "extrapolate",
) -> Any:
    """How much does the list agree with the obvious one, the first ranks counting most?"""
    lists = read_lists(recommended)
    if isinstance(baseline, Mapping) and lists.users is not None:
        baseline = [baseline.get(user, []) for user in lists.users]
    obvious = read_lists(baseline, "baseline", ids=lists.ids)
    if obvious.single and not lists.single:
        everyone = np.broadcast_to(obvious.items, (len(lists), obvious.items.shape[1]))
        obvious = replace(obvious, items=everyone, single=False)
    return ranking.rank_biased_overlap(lists, obvious, k, p=p, rest=rest)


def unexpectedness(
    recommended: Any,
    relevant: Any,
    history: Any,
    features: Any,
    *,
    reading: Reading = "distance",
) -> Any:
    """How far are the recommended items from what the user already knows?"""
    looked_at = None if reading == "distance" else relevant
    return beyond_accuracy.unexpectedness(
        recommended, history, features, relevant=looked_at, reading=reading
    )


def genre_calibration(
    recommended: Any, history: Any, features: Any, *, alpha: Mixed = 0.01, base: Base = 2
) -> Any:
    """How far is the mix of features in the list from the mix of the user's history?"""
    shares = beyond_accuracy.category_shares(
        recommended, _as_lists(history), _as_categories(features), per="list"
    )
    return beyond_accuracy.genre_calibration(
        shares.training, shares.recommended, alpha=alpha, base=base
    )


def _as_lists(history: Any) -> Any:
    """Return what each user met as lists."""
    if hasattr(history, "tocsr"):
        table = history.tocsr()
        return np.split(table.indices, table.indptr[1:-1])
    if isinstance(history, Mapping):
        return {user: list(items) for user, items in history.items()}
    return [list(items) for items in history]


def _as_categories(features: Any) -> Any:
    """Return features as categories: an item belongs to the columns that are not 0."""
    if isinstance(features, Mapping):
        return features
    table: NDArray[Any] = features.toarray() if hasattr(features, "toarray") else features
    categories = np.empty(len(table), dtype=object)
    categories[:] = [tuple(np.flatnonzero(row).tolist()) for row in np.asarray(table)]
    return categories
