"""Popularity bias: how popular the lists are, compared with what the users chose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, overload

import numpy as np

from recsys_metrics._core.arithmetic import divide
from recsys_metrics._core.checks import check_choice
from recsys_metrics._core.inputs.align import read_sets
from recsys_metrics._core.inputs.arrays import FloatArray
from recsys_metrics._core.inputs.frames import by_item
from recsys_metrics._core.inputs.lists import read_lists
from recsys_metrics._core.inputs.scalar_or_batch import ManyLists, OneList, of_lists
from recsys_metrics._core.parameter_domains import Domain, check_number
from recsys_metrics.beyond_accuracy._arguments import read_numbers
from recsys_metrics.beyond_accuracy._item_counts import ItemCounts, list_means, read_counts

Pooling = Literal["users", "groups"]
HeadOf = Literal["items", "interactions"]
Head = Annotated[float, Domain("the share of popular items, 0.2 for a fifth,", above=0, below=1)]


@overload
def popularity_lift(
    recommended: Any, history: Any, item_counts: ItemCounts, *, pooling: Literal["groups"]
) -> float: ...
@overload
def popularity_lift(
    recommended: OneList, history: Any, item_counts: ItemCounts, *, pooling: Pooling = ...
) -> float: ...
@overload
def popularity_lift(
    recommended: ManyLists,
    history: Any,
    item_counts: ItemCounts,
    *,
    pooling: Literal["users"] = ...,
) -> FloatArray: ...
@overload
def popularity_lift(
    recommended: Any, history: Any, item_counts: ItemCounts, *, pooling: Pooling = ...
) -> Any: ...
def popularity_lift(
    recommended: Any,
    history: Any,
    item_counts: ItemCounts,
    *,
    pooling: Pooling = "users",
) -> Any:
    r"""How much more popular are the recommended items than those in the user's history?

    Parameters
    ----------
    recommended
        What was recommended: one list of ids, a sequence of lists, a mapping from user to list, or
        an array of whole numbers of shape (n, K) with -1 for an empty slot.
    history
        Each user's earlier items: a set or list of ids for each list, a mapping from user to
        these, a sparse lists x items matrix, a table of item numbers with -1 for nothing, or
        `Interactions` whose user i belongs to list i. An item counts once.
    item_counts : mapping from id to count, or (n_items,) array
        Interactions of each item in the training data. An array is indexed by item number.
        An item without interactions must have the count 0.
    pooling : {"users", "groups"}
        One value per list; or one value for all of them as a group, the lift of the group's
        mean popularity.

    Returns
    -------
    float or (n,) array
        0 if the list is as popular as the history, 1 if twice as popular, at least -1. With
        "users", NaN for a user without a list or a history. With "groups" a float over the
        users who have both, NaN if there are none. NaN where the history has no popularity.

    Raises
    ------
    ValueError
        If an item has no count, a count is negative or not finite, lengths differ, or a list
        holds an item twice.
    TypeError
        If an input is of none of the forms.

    Notes
    -----
    .. math:: \mathrm{lift} = \frac{\bar n(L) - \bar n(H)}{\bar n(H)},
              \qquad \bar n(S) = \frac{1}{|S|} \sum_{i \in S} n_i

    where :math:`L` is the recommended list; :math:`H` is the set of items that the user has
    interacted with; :math:`n_i` is the number of users who interacted with item :math:`i`.

    With "groups", the means of all users are added up before they are compared. That is the
    lift of the paper, and not the mean of the users' lifts.

    References
    ----------
    Abdollahpouri, Mansoury, Burke and Mobasher (2020), The connection between popularity bias,
    calibration, and fairness in recommendation, RecSys.

    Examples
    --------
    >>> from recsys_metrics.beyond_accuracy import popularity_lift
    >>> counts = {"a": 10, "b": 4, "c": 1}
    >>> popularity_lift([["a", "b"], ["a", "c"]], [{"b"}, {"a", "c"}], counts)
    array([0.75, 0.  ])
    >>> round(popularity_lift([["a", "b"], ["a", "c"]], [{"b"}, {"a", "c"}], counts,
    ...                       pooling="groups"), 3)
    0.316
    """
    check_choice("pooling", pooling, Pooling)
    lists = read_lists(recommended)
    met = read_sets(history, lists, "history")
    counts, (items, known) = read_counts(item_counts, lists, met.items)
    retrieved = list_means(items, counts)
    sums = np.bincount(met.rows, weights=counts[known], minlength=len(lists))
    own = divide(sums, met.sizes)
    if pooling == "users":
        return lists.finish(divide(retrieved - own, own))
    both = ~np.isnan(retrieved) & ~np.isnan(own)
    # Sorted, so that the order of the users cannot change a digit.
    retrieved, own = (np.sort(part[both]).sum() for part in (retrieved, own))
    return float(divide(retrieved - own, own))


@of_lists
def long_tail_share(
    recommended: Any,
    item_counts: ItemCounts,
    *,
    head: Head = 0.2,
    of: HeadOf = "items",
) -> Any:
    r"""Of the items in the list, what fraction comes from the long tail?

    Parameters
    ----------
    recommended
        As in `popularity_lift`.
    item_counts : mapping from id to count, or (n_items,) array
        Interactions of each item in the training data, for the whole catalogue: the head is
        a share of it.
    head : float
        How large the head is, between 0 and 1; what is less popular is the tail.
    of : {"items", "interactions"}
        What `head` is a share of: the items, so that 0.2 makes the most popular fifth of the
        catalogue the head; or the interactions, so that the head is the fewest items that
        gather a fifth of them.

    Returns
    -------
    float or (n,) array
        Between 0 and 1; NaN for an empty list. Items as popular as the least popular item of
        the head belong to the head.

    Raises
    ------
    ValueError
        If `head` is not between 0 and 1, an item has no count, a count is negative or not
        finite, all counts are 0, or a list holds an item twice.
    TypeError
        If an input is of none of the forms.

    Notes
    -----
    .. math:: \mathrm{tail} = \frac{|L \cap T|}{|L|}, \qquad T = \{ i : n_i < n_{\mathrm{head}} \}

    where :math:`L` is the recommended list; :math:`n_i` is the number of users who interacted with
    item :math:`i`.

    Its mean over users is the average percentage of long-tail items, APLT.

    References
    ----------
    Abdollahpouri, Burke and Mobasher (2019), Managing popularity bias in recommender systems
    with personalized re-ranking, FLAIRS.

    Examples
    --------
    One of five items is the head, and B, C, D and E are the tail:

    >>> from recsys_metrics.beyond_accuracy import long_tail_share
    >>> counts = {"A": 80, "B": 10, "C": 6, "D": 4, "E": 0}
    >>> long_tail_share([["A", "B"], ["C", "D"]], counts)
    array([0.5, 1. ])
    """
    check_choice("of", of, HeadOf)
    head = check_number("head", head, Head)
    lists = read_lists(recommended)
    counts, (items,) = read_counts(item_counts, lists)
    catalogue: Any = by_item(item_counts)
    if isinstance(catalogue, Mapping):
        catalogue = read_numbers([*catalogue.values()], "item_counts", [*catalogue])
    least = _head_threshold(np.asarray(catalogue, dtype=np.float64), float(head), of)
    return lists.finish(list_means(items, (counts < least).astype(np.float64)))


def _head_threshold(counts: FloatArray, head: float, of: HeadOf) -> float:
    """Return the count of the least popular item of the head."""
    if not counts.any():
        raise ValueError("all item_counts are 0, so no item is more popular than another")
    falling = np.sort(counts)[::-1]
    # A share such as 0.07 of 100 is 7, though its product is a digit above.
    if of == "items":
        n_head = int(np.ceil(head * len(falling) - 1e-9))
    else:
        needed = head * falling.sum() * (1 - 1e-12)
        n_head = int(np.searchsorted(np.cumsum(falling), needed)) + 1
    return float(falling[max(n_head, 1) - 1])
