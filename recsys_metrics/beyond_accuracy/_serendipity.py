"""Serendipity and unexpectedness: relevant items that a baseline would not recommend."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from recsys_metrics._core.arithmetic import divide
from recsys_metrics._core.blocks import row_blocks
from recsys_metrics._core.checks import check_choice, check_count
from recsys_metrics._core.inputs.align import read_sets
from recsys_metrics._core.inputs.arrays import BoolArray, FloatArray, IntArray
from recsys_metrics._core.inputs.frames import by_item, by_key
from recsys_metrics._core.inputs.item_sets import ItemSets
from recsys_metrics._core.inputs.lists import Lists, read_lists
from recsys_metrics._core.inputs.membership import contained
from recsys_metrics._core.inputs.scalar_or_batch import of_lists
from recsys_metrics._core.inputs.users import check_same_users
from recsys_metrics._core.sorted_arrays import distinct
from recsys_metrics.beyond_accuracy._coverage import catalog_size
from recsys_metrics.beyond_accuracy._features import membership, read_features, unit_rows
from recsys_metrics.beyond_accuracy._item_counts import ItemCounts, read_counts

Reading = Literal["distance", "relevant-only", "times-relevance"]
NoRelevant = Literal["nan", "zero", "raise"]


@of_lists
def serendipity(
    recommended: Any,
    relevant: Any,
    baseline: Any,
    *,
    k: int,
    no_relevant: NoRelevant = "nan",
) -> Any:
    r"""How many of the k items are relevant and not in the list of the baseline?

    Parameters
    ----------
    recommended
        What was recommended, best first: one list of ids, a sequence of lists, a mapping from user
        to list, or an array of whole numbers of shape (n, K) with -1 for an empty slot.
    relevant
        What each user wanted: a set of ids, or a mapping from id to grade in which a grade
        above 0 counts; for many lists a sequence or a mapping from user to these. For an array
        also a sparse lists x items matrix or a triple `(indptr, items, grades)`.
    baseline
        What a baseline recommends, the most popular items for instance: one list for
        everybody, or one for each list of `recommended`, in the same form.
    k : int
        How many ranks of both count.
    no_relevant : {"nan", "zero", "raise"}
        Value for a user with nothing relevant; "nan" leaves the user out of `numpy.nanmean`.

    Returns
    -------
    float or (n,) array
        Between 0 and the precision at k: hits that are not among the first k of the baseline,
        over k. An empty list has 0. With mappings, users who have relevant items and no list
        follow at the end with an empty one.

    Raises
    ------
    ValueError
        If a user has no baseline, lengths differ, a list holds an item twice, a grade is
        negative or not finite, k is below 1, or, with `no_relevant="raise"`, a user has
        nothing relevant.
    TypeError
        If an input is of none of the forms.

    Notes
    -----
    .. math:: \mathrm{serendipity@}K = \frac{|(L_{\le K} \cap R) \setminus B_{\le K}|}{K}

    where :math:`K` is the cut-off, the number of ranks that count; :math:`L_{\le K}` is the first
    :math:`K` items of the list; :math:`R` is the set of relevant items; :math:`B` is the list of
    the baseline.

    Other measures go by the same name. `unexpectedness` has those that compare with the
    user's history by features, as Evidently and recommenders do.

    References
    ----------
    Ge, Delgado-Battenfeld and Jannach (2010), Beyond accuracy: evaluating recommender systems
    by coverage and serendipity, RecSys.

    Examples
    --------
    Three hits, one of which the popular items hold as well:

    >>> from recsys_metrics.beyond_accuracy import serendipity
    >>> recommended, popular = ["A", "B", "C", "D", "E"], ["B", "P", "Q", "S", "T"]
    >>> serendipity(recommended, {"B", "C", "E", "G"}, popular, k=5)
    0.4
    """
    check_choice("no_relevant", no_relevant, NoRelevant)
    cut = check_count("k", k, meaning="how many ranks count")
    lists = _attach_users(read_lists(recommended), relevant)
    wanted = read_sets(relevant, lists, "relevant", graded=True)
    lists = lists.cut(cut)
    obvious = _baseline_sets(baseline, lists, cut)
    values = (contained(lists, wanted) & ~contained(lists, obvious)).sum(axis=1) / cut
    return lists.finish(_apply_no_relevant(values, wanted, lists, no_relevant))


@of_lists
def popularity_serendipity(
    recommended: Any,
    relevant: Any,
    item_counts: ItemCounts,
    catalog: int | Iterable[Hashable],
    *,
    k: int,
    no_relevant: NoRelevant = "nan",
) -> Any:
    r"""How far above their rank by popularity are the relevant items?

    Parameters
    ----------
    recommended, relevant
        As in `serendipity`.
    item_counts : mapping from id to count, or (n_items,) array
        Number of users of each item in the training data. An array is indexed by item number.
        Items without a count have no interactions.
    catalog : int, or the ids of all items
        How many items could have been recommended.
    k : int
        How many ranks count.
    no_relevant : {"nan", "zero", "raise"}
        Value for a user with nothing relevant; "nan" leaves the user out of `numpy.nanmean`.

    Returns
    -------
    float or (n,) array
        Between 0 and the precision at k: 0 where each hit stands no higher than it does by
        popularity. An empty list has 0.

    Raises
    ------
    ValueError
        As in `serendipity`; also if the catalogue is smaller than the items with interactions or
        recommended, or a count is negative or not finite.
    TypeError
        If an input is of none of the forms.

    Notes
    -----
    .. math:: \mathrm{pserendipity@}K = \frac{1}{K} \sum_{i \le K} [L_i \in R]
              \max \Bigl( 0, \frac{\rho_{L_i} - i}{|I|} \Bigr)

    where :math:`K` is the cut-off, the number of ranks that count; :math:`L_i` is the item at rank
    :math:`i`; :math:`R` is the set of relevant items; :math:`I` is the catalogue, the set of all
    items; :math:`\rho_j` is the rank of item :math:`j` by popularity, 1 for the most popular.

    An item's rank by popularity is 1 for the most popular. Items with the same number of users
    share one rank, and the next rank is one more, as in RecTools; items without users come after
    the whole catalogue. RecTools, whose `Serendipity` this is, takes the mean over the ranks
    that a list has, which is another number for a list shorter than k. In a large catalogue
    many counts are equal, so that the last rank is far below the number of items.

    References
    ----------
    RecTools, `rectools.metrics.Serendipity`.

    Examples
    --------
    Of five items, B is the most popular, and E, at rank 5, and C have no users:

    >>> from recsys_metrics.beyond_accuracy import popularity_serendipity
    >>> recommended, counts = ["A", "B", "C", "D", "E"], {"B": 9, "A": 4, "D": 4, "G": 1}
    >>> round(popularity_serendipity(recommended, {"B", "C", "E", "G"}, counts, 6, k=5), 3)
    0.2
    """
    check_choice("no_relevant", no_relevant, NoRelevant)
    cut = check_count("k", k, meaning="how many ranks count")
    lists = _attach_users(read_lists(recommended), relevant)
    wanted = read_sets(relevant, lists, "relevant", graded=True)
    lists = lists.cut(cut)
    counts, (items,) = read_counts(item_counts, lists, absent=0.0)
    catalogue = by_item(item_counts)
    every = np.asarray(
        list(catalogue.values()) if isinstance(catalogue, Mapping) else catalogue, np.float64
    )
    met = distinct(every[every > 0])
    shown = items[items >= 0]
    n_known = np.count_nonzero(every > 0) + np.count_nonzero(counts[distinct(shown)] == 0)
    n_items = catalog_size(catalog, int(n_known))
    if not n_items:
        raise ValueError("catalog is empty, so no item has a rank by popularity")
    by_popularity = np.where(counts > 0, len(met) - np.searchsorted(met, counts), n_items + 1)
    ranks = np.arange(1, lists.items.shape[1] + 1)
    # An empty slot, -1, reads the last entry, and is no hit.
    above = np.append(by_popularity, 0)[items] - ranks
    worth = np.where(contained(lists, wanted), np.maximum(above, 0) / n_items, 0.0)
    return lists.finish(_apply_no_relevant(worth.sum(axis=1) / cut, wanted, lists, no_relevant))


@of_lists
def unexpectedness(
    recommended: Any,
    history: Any,
    features: Any,
    *,
    relevant: Any = None,
    reading: Reading = "distance",
) -> Any:
    r"""How far are the recommended items from what the user already knows?

    Parameters
    ----------
    recommended
        As in `serendipity`.
    history
        Each user's earlier items: a set or list of ids for each list, a mapping from user to
        these, a sparse lists x items matrix, a table of item numbers with -1 for nothing, or
        `Interactions` whose user i belongs to list i. An item counts once.
    features
        What is known of the items, those of the history included: an (n_items, d) array or
        sparse matrix, indexed by item number, a mapping from id to a vector, to a set of
        categories or to a text such as ``"Action|Comedy"``, or a table of items and categories.
    relevant : optional
        What each user wanted, as in `serendipity`, for the readings that use it.
    reading : {"distance", "relevant-only", "times-relevance"}
        What is averaged: the distance of all items of the list; that of its relevant items
        only; or that of all items with 0 in place of items that are not relevant.

    Returns
    -------
    float or (n,) array
        The distance of an item is the mean of 1 - cosine over the user's history: 0 for more
        of the same, 1 for something unrelated, at most 2 and at most 1 if no feature is
        negative. NaN for a user without a history, an empty list, or, with "relevant-only", a
        list without a relevant item.

    Raises
    ------
    ValueError
        If an item has no features, only zeros, or one that is not finite; if relevance is
        missing or not used; if lengths differ or a list holds an item twice.
    TypeError
        If an input is of none of the forms.

    Notes
    -----
    .. math:: \mathrm{unexpectedness} = \frac{1}{|L| \, |H|} \sum_{i \in L} \sum_{j \in H}
              \bigl( 1 - \operatorname{sim}(i, j) \bigr)

    where :math:`L` is the recommended list; :math:`H` is the set of items that the user has
    interacted with.

    "times-relevance" multiplies each term by its relevance, 0 or 1, and is what recommenders
    calls serendipity, "relevant-only" what Evidently's reference page describes in words; its
    displayed formula is "distance". Popularity does not enter: a blockbuster that is unlike
    the history is unexpected.

    References
    ----------
    Zhang et al. (2012), Auralist: introducing serendipity into music recommendation, WSDM.

    Examples
    --------
    >>> from recsys_metrics.beyond_accuracy import unexpectedness
    >>> features = {"a": [1, 0], "b": [1, 1], "c": [0, 1]}
    >>> recommended, met, wanted = ["a", "c", "b"], {"a", "b"}, {"a", "c"}
    >>> round(unexpectedness(recommended, met, features), 3)
    0.313
    >>> of_relevant = {"relevant": wanted, "reading": "relevant-only"}
    >>> round(unexpectedness(recommended, met, features, **of_relevant), 3)
    0.396
    """
    check_choice("reading", reading, Reading)
    if (relevant is None) != (reading == "distance"):
        raise ValueError(
            "reading='distance' does not use relevance, so relevant would have no effect; choose "
            "'relevant-only' or 'times-relevance'"
            if relevant is not None
            else f"reading={reading!r} needs to know what was relevant; pass relevant="
        )
    lists = read_lists(recommended)
    met = read_sets(history, lists, "history")
    hits = None
    if relevant is not None:
        hits = contained(lists, read_sets(relevant, lists, "relevant", graded=True))
    rows, (items, known) = read_features(features, lists, met.items)
    distances = _distances(items, replace(met, items=known), unit_rows(rows))
    counted = lists.filled
    if hits is not None and reading == "relevant-only":
        counted = hits
    elif hits is not None:
        distances = np.where(hits, distances, 0.0)
    values = divide(np.where(counted, distances, 0.0).sum(axis=1), counted.sum(axis=1))
    return lists.finish(np.where(met.sizes > 0, values, np.nan))


def _apply_no_relevant(
    values: FloatArray, wanted: ItemSets, lists: Lists, no_relevant: NoRelevant
) -> FloatArray:
    """Return the values, those of users with nothing relevant as was asked."""
    nothing = wanted.sizes == 0
    if not nothing.any():
        return values
    if no_relevant == "raise":
        raise ValueError(
            f"{lists.name(int(nothing.argmax()))} has no relevant item, so nothing could be a "
            'hit. Pass no_relevant="nan" to leave such users out, or "zero" to count them'
        )
    return np.where(nothing, np.nan if no_relevant == "nan" else 0.0, values)


def _attach_users(lists: Lists, relevant: Any) -> Lists:
    """Return the lists, with an empty one for each user who has relevant items only."""
    relevant = by_key(relevant) if lists.users is not None else None
    if lists.users is None or relevant is None:
        return lists
    check_same_users(lists.users, relevant, "recommended", "relevant")
    listed = set(lists.users)
    extra = [user for user in relevant if user not in listed]
    if not extra:
        return lists
    nothing = np.full((len(extra), lists.items.shape[1]), -1, dtype=np.intp)
    return replace(
        lists, items=np.concatenate([lists.items, nothing]), users=(*lists.users, *extra)
    )


def _baseline_sets(baseline: Any, lists: Lists, k: int) -> ItemSets:
    """Return the first k items of each list's baseline."""
    keyed = None if lists.users is None else by_key(baseline)
    if keyed is not None and lists.users is not None:
        baseline = keyed
        check_same_users(lists.users, baseline, "recommended", "baseline")
        missing = [user for user in lists.users if user not in baseline]
        if missing:
            raise ValueError(
                f"{len(missing)} users have no baseline, {missing[0]!r} for one; give each user "
                "one, or one list for all users"
            )
        baseline = {user: baseline[user] for user in lists.users}
    obvious = read_lists(baseline, "baseline", ids=lists.ids).cut(k)
    table = obvious.items
    if obvious.single:
        table = np.broadcast_to(table, (len(lists), table.shape[1]))
    elif (obvious.users is None) != (lists.users is None) or lists.single:
        raise TypeError("baseline must be one list for all users, or have the form of recommended")
    elif len(obvious) != len(lists):
        raise ValueError(
            f"recommended has {len(lists)} lists and baseline {len(obvious)}; each list needs "
            "its own, or all of them one"
        )
    filled = table >= 0
    indptr = np.zeros(len(table) + 1, dtype=np.intp)
    np.cumsum(filled.sum(axis=1), out=indptr[1:])
    return ItemSets(indptr, table[filled])


def _distances(items: IntArray, met: ItemSets, units: Any) -> FloatArray:
    """Return each item's mean cosine distance from its user's history."""
    n_items, width = units.shape
    dense = isinstance(units, np.ndarray)
    distances = np.ones(items.shape)
    sizes = np.maximum(1, met.sizes)
    cells = items.shape[1] * (width if dense else 1 + units.nnz // max(1, n_items))
    for block in row_blocks(len(items), cells):
        here = slice(int(met.indptr[block.start]), int(met.indptr[block.stop]))
        n_rows = block.stop - block.start
        owner = np.repeat(np.arange(n_rows), met.sizes[block])
        profile = membership(owner, met.items[here], (n_rows, n_items)) @ units
        filled: BoolArray = items[block] >= 0
        rows, columns = np.nonzero(filled)
        numbers = items[block][rows, columns]
        if dense:
            alike = np.einsum("ij,ij->i", units[numbers], profile[rows])
        else:
            alike = np.asarray(units[numbers].multiply(profile[rows]).sum(axis=1)).ravel()
        part = distances[block]
        part[filled] = np.clip(1.0 - alike / sizes[block][rows], 0.0, 2.0)
    return distances
