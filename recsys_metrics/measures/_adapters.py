"""Functions that give metrics of the lists themselves the parameters that a measure can fill."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics import beyond_accuracy, ranking
from recsys_metrics._core.arithmetic import divide
from recsys_metrics._core.checks import UndefinedMetricError
from recsys_metrics._core.inputs.frames import by_key
from recsys_metrics._core.inputs.lists import read_lists
from recsys_metrics._core.inputs.tables import distinct, occurrences
from recsys_metrics._core.inputs.users import check_same_users
from recsys_metrics._core.position_weights import Attention, Patience
from recsys_metrics.beyond_accuracy._arguments import Base
from recsys_metrics.beyond_accuracy._category_shares import Mixed
from recsys_metrics.beyond_accuracy._concentration import gini_of_shown
from recsys_metrics.beyond_accuracy._coverage import AtLeast, catalog_size, locate_in_catalog
from recsys_metrics.beyond_accuracy._discounted_novelty import Discount
from recsys_metrics.beyond_accuracy._item_counts import read_counts
from recsys_metrics.beyond_accuracy._novelty import check_users
from recsys_metrics.beyond_accuracy._personalization import mean_distance
from recsys_metrics.beyond_accuracy._serendipity import Reading
from recsys_metrics.ranking import _per_list
from recsys_metrics.ranking._rank_biased_overlap import Rest


def gini(recommended: Any, catalog: Any, *, normalized: bool = False) -> float:
    """How unequally are the items of the catalogue shown?"""
    return gini_of_counts(
        count_recommendations(recommended, catalog), catalog, normalized=normalized
    )


def gini_of_counts(times: Any, catalog: Any, *, normalized: bool = False) -> float:
    """Return the Gini index of how often items were shown."""
    counts, n_unseen = _counts_and_unseen(times, catalog)
    return gini_of_shown(counts, n_unseen, normalized=normalized)


def shannon_entropy(recommended: Any, catalog: Any, *, base: Base = 2) -> float:
    """How many bits does it take to say which item was shown?"""
    return entropy_of_counts(count_recommendations(recommended, catalog), catalog, base=base)


def entropy_of_counts(times: Any, catalog: Any, *, base: Base = 2) -> float:
    """Return the entropy of how often items were shown."""
    counts, _ = _counts_and_unseen(times, catalog)
    # What was never shown changes nothing.
    return beyond_accuracy.shannon_entropy(counts, base=base)


def count_recommendations(recommended: Any, catalog: Any) -> Any:
    """Return how often each item is recommended.

    In the order of the catalogue, or by id where the catalogue is the number of its items, or a
    range of them, and may be of any size: for a measure of counts that is enough.
    """
    lists = read_lists(recommended)
    retrieved, total, places = locate_in_catalog(lists, catalog)
    times = occurrences(lists.items, retrieved)
    if places is None or isinstance(catalog, range) or not isinstance(catalog, Iterable):
        return Counter(dict(zip(lists.ids.labels(retrieved), times.tolist(), strict=True)))
    counts = np.zeros(total, dtype=np.intp)
    counts[places] = times
    return counts


def _counts_and_unseen(times: Any, catalog: Any) -> tuple[Any, int]:
    """Return how often items were shown, in any order, and how many others there are."""
    if not isinstance(times, Counter):
        return times, 0
    n_unseen = catalog_size(catalog, len(times)) - len(times)
    # Without any item that was shown there is one in the catalogue all the same.
    return ([*times.values()], n_unseen) if times else ([0], n_unseen - 1)


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
    """How surprising, in bits, are the items that the user examines?"""
    counts = item_counts.values() if isinstance(item_counts, Mapping) else item_counts
    # One by one as floats: small whole numbers of numpy wrap around.
    n_events = int(math.fsum(map(float, counts)))
    return beyond_accuracy.expected_free_discovery(
        recommended, item_counts, n_events, discount=discount, base=base
    )


def rank_biased_overlap(
    recommended: Any,
    baseline: Any,
    *,
    k: int | None = None,
    p: _per_list.Patience = 0.9,
    rest: Rest = "extrapolate",
) -> Any:
    """How much does the list agree with the baseline's, with most weight on the first ranks?"""
    lists = read_lists(recommended)
    keyed = None if lists.users is None else by_key(baseline)
    if keyed is not None and lists.users is not None:
        check_same_users(lists.users, keyed, "recommended", "baseline", must_meet=False)
        baseline = [keyed.get(user, []) for user in lists.users]
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
        recommended, _history_as_lists(history), _features_as_categories(features), per="list"
    )
    return beyond_accuracy.genre_calibration(
        shares.training, shares.recommended, alpha=alpha, base=base
    )


# Metrics of all lists together, as sums over parts of them ------------------------------------


def distinct_items(recommended: Any, catalog: Any) -> Counter[Any]:
    """Return the items that lists hold, all of the catalogue."""
    lists = read_lists(recommended)
    retrieved, _, _ = locate_in_catalog(lists, catalog)
    return Counter(dict.fromkeys(lists.ids.labels(retrieved), 1))


def catalog_share(shown: Counter[Any], catalog: Any) -> float:
    """Return the share of the catalogue that is shown."""
    return len(shown) / catalog_size(catalog, len(shown))


def count_full_lists(recommended: Any, *, at_least: AtLeast = 1) -> NDArray[np.intp]:
    """Return how many lists are long enough, and how many there are."""
    lists = read_lists(recommended)
    return np.array([np.count_nonzero(lists.lengths >= at_least), len(lists)])


def share_of_full_lists(counts: NDArray[np.intp]) -> float:
    """Return the share of the lists that are long enough."""
    return int(counts[0]) / int(counts[1])


def items_and_lengths(recommended: Any) -> Counter[Any]:
    """Return how many lists hold each item, and how many lists there are of each length."""
    lists = read_lists(recommended)
    used = distinct(lists.items)
    times = dict(zip(lists.ids.labels(used), occurrences(lists.items, used).tolist(), strict=True))
    lengths = Counter(lists.lengths.tolist())
    return Counter({("item", item): n for item, n in times.items()}) + Counter(
        {("length", length): n for length, n in lengths.items()}
    )


def mean_distance_of_lists(counts: Counter[Any]) -> float:
    """Return which share of their items two lists do not have in common, on average."""
    lengths = {length: n for (kind, length), n in counts.items() if kind == "length"}
    if len(lengths) > 1:
        n_short = sum(lengths.values()) - lengths[max(lengths)]
        raise UndefinedMetricError(
            f"lists must be of one length to compare, and {n_short:,} of "
            f"{sum(lengths.values()):,} lists have fewer than {max(lengths):,} items. Shorten them "
            "to the same k or leave short ones out"
        )
    times = [n for (kind, _), n in counts.items() if kind == "item"]
    ((length, n_lists),) = lengths.items()
    return mean_distance(np.array(times, dtype=np.int64), n_lists, length)


def exposure_and_weight(recommended: Any, item_counts: Any, n_users: int) -> Any:
    """Return how many lists hold each item, and the sum of its weights in their means."""
    lists = read_lists(recommended)
    counts, (items,) = read_counts(item_counts, lists)
    rest = check_users(n_users, counts) - counts
    counted = np.append(rest > 0, False)[items]
    sizes = counted.sum(axis=1)
    weights = np.bincount(
        items[counted], np.repeat(divide(1.0, sizes, 0.0), sizes), minlength=len(counts)
    )
    shown = np.bincount(items[items >= 0], minlength=len(counts))
    numbers = np.zeros(len(counts), dtype=np.intp)
    numbers[items[items >= 0]] = lists.items[items >= 0]
    used = np.flatnonzero(shown)
    tally: Any = Counter({"lists": np.count_nonzero(sizes)})
    labels = lists.ids.labels(numbers[used])
    for item, times, weight in zip(labels, shown[used], weights[used], strict=True):
        tally["shown", item], tally["weight", item] = int(times), float(weight)
    return tally


def mean_exposure_novelty(tally: Counter[Any], item_counts: Any, n_users: int) -> tuple[float, int]:
    """Return the mean over the lists that have a value, and how many they are."""
    added = math.fsum(
        weight * (1.0 - tally["shown", key[1]] / (n_users - item_counts[key[1]]))
        for key, weight in tally.items()
        if key[0] == "weight" and weight
    )
    return (added / tally["lists"], int(tally["lists"])) if tally["lists"] else (math.nan, 0)


def _history_as_lists(history: Any) -> Any:
    """Return what each user interacted with as lists."""
    if hasattr(history, "tocsr"):
        table = history.tocsr()
        return np.split(table.indices, table.indptr[1:-1])
    if isinstance(history, Mapping):
        return {user: list(items) for user, items in history.items()}
    return [list(items) for items in history]


def _features_as_categories(features: Any) -> Any:
    """Return features as categories: an item belongs to the columns that are not 0."""
    if isinstance(features, Mapping):
        return features
    table: NDArray[Any] = features.toarray() if hasattr(features, "toarray") else features
    categories = np.empty(len(table), dtype=object)
    categories[:] = [tuple(np.flatnonzero(row).tolist()) for row in np.asarray(table)]
    return categories
