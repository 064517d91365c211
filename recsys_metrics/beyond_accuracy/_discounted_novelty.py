"""Novelty discounted by rank, and by relevance where it is given."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from recsys_metrics._core.arithmetic import divide
from recsys_metrics._core.checks import check_choice, check_count
from recsys_metrics._core.inputs.align import read_sets
from recsys_metrics._core.inputs.arrays import FloatArray
from recsys_metrics._core.inputs.lists import Lists, read_lists
from recsys_metrics._core.inputs.membership import contained
from recsys_metrics._core.inputs.scalar_or_batch import of_lists
from recsys_metrics._core.parameter_domains import check_number
from recsys_metrics._core.position_weights import attention_at
from recsys_metrics.beyond_accuracy._arguments import Base, logarithm
from recsys_metrics.beyond_accuracy._item_counts import ItemCounts, check_in_history, read_counts
from recsys_metrics.beyond_accuracy._novelty import check_users

Discount = Literal["log2", "none"]


@of_lists
def expected_popularity_complement(
    recommended: Any,
    item_counts: ItemCounts,
    n_users: int,
    *,
    relevant: Any = None,
    discount: Discount = "log2",
) -> Any:
    r"""Of all users, what fraction does not know the items that a user examines and likes?

    Parameters
    ----------
    recommended
        What was recommended: one list of ids, a sequence of lists, a mapping from user to list, or
        an array of whole numbers of shape (n, K) with -1 for an empty slot.
    item_counts : mapping from id to count, or (n_items,) array
        How many users interacted with each item in the training data.
    n_users : int
        How many users there are.
    relevant : optional
        What each user wanted, as `serendipity` takes it; other items then count 0. By default
        every item counts.
    discount : {"log2", "none"}
        How much less a lower rank is looked at: 1/log2(rank + 1), or not at all.

    Returns
    -------
    float or (n,) array
        The mean over the ranks, weighed by the attention they get, between 0 and 1; NaN for an
        empty list.

    Raises
    ------
    ValueError, TypeError
        As in `popularity_complement`; also for a user missing from `relevant`.

    Notes
    -----
    .. math:: \mathrm{EPC} = \frac{\sum_i a_i \, [L_i \in R] \, (1 - n_{L_i} / |U|)}{\sum_i a_i}

    where :math:`L_i` is the item at rank :math:`i`; :math:`R` is the set of relevant items;
    :math:`U` is the set of all users; :math:`n_i` is the number of users who interacted with item
    :math:`i`; :math:`a_i` is the attention that rank :math:`i` receives.

    With `discount="none"` and without `relevant` it is `popularity_complement`.

    References
    ----------
    Vargas and Castells (2011), Rank and relevance in novelty and diversity metrics for
    recommender systems, RecSys.

    Examples
    --------
    >>> from recsys_metrics.beyond_accuracy import expected_popularity_complement
    >>> met = {"rare": 1, "common": 50}
    >>> lists = [["rare", "common"], ["common", "rare"]]
    >>> expected_popularity_complement(lists, met, 100).round(3)
    array([0.8 , 0.69])
    """
    lists = read_lists(recommended)
    counts, (items,) = read_counts(item_counts, lists)
    users = check_users(n_users, counts)
    worth = np.append(1.0 - counts / users, 0.0)[items]
    return lists.finish(_discounted_means(lists, worth, relevant, discount))


@of_lists
def expected_free_discovery(
    recommended: Any,
    item_counts: ItemCounts,
    n_events: int,
    *,
    relevant: Any = None,
    discount: Discount = "log2",
    base: Base = 2,
) -> Any:
    r"""How surprising, in bits, are the items that the user examines and likes?

    Parameters
    ----------
    recommended, relevant, discount
        As in `expected_popularity_complement`.
    item_counts : mapping from id to count, or (n_items,) array
        Interactions of each item in the training data; above 0 for every item of the lists.
    n_events : int
        How many such events there are in all.
    base : float
        Base of the logarithm: 2 for bits, `math.e` for nats.

    Returns
    -------
    float or (n,) array
        The mean over the ranks, weighed by the attention they get; NaN for an empty list.

    Raises
    ------
    ValueError, TypeError
        As in `expected_popularity_complement`; also for an item without interactions.

    Notes
    -----
    .. math:: \mathrm{EFD} = \frac{\sum_i a_i \, [L_i \in R] \, \log_2 (|E| / n_{L_i})}{\sum_i a_i}

    where :math:`L_i` is the item at rank :math:`i`; :math:`R` is the set of relevant items;
    :math:`E` is the set of all interactions; :math:`n_i` is the number of users who interacted with
    item :math:`i`; :math:`a_i` is the attention that rank :math:`i` receives.

    It divides by the events E, `self_information` by the users.

    References
    ----------
    Vargas and Castells (2011), Rank and relevance in novelty and diversity metrics for
    recommender systems, RecSys.

    Examples
    --------
    >>> from recsys_metrics.beyond_accuracy import expected_free_discovery
    >>> expected_free_discovery(["a", "b"], {"a": 1, "b": 4}, 8, discount="none")
    2.0
    >>> expected_free_discovery(["a", "b"], {"a": 1, "b": 4}, 8, relevant={"b"}, discount="none")
    0.5
    """
    events = check_count("n_events", n_events, meaning="how many events there are")
    unit = check_number("base", base, Base)
    lists = read_lists(recommended)
    counts, (items,) = read_counts(item_counts, lists)
    if counts.max(initial=0.0) > events:
        raise ValueError(f"item_counts contains {counts.max():g}, more than the {events} events")
    words = "its self-information is infinite; leave it out or give it a count above 0"
    check_in_history(lists, items, counts == 0, words)
    # Adding 0 turns -0.0, of an item that is all there is, into 0.0.
    surprise = -logarithm(np.maximum(counts, 1e-300) / events, unit) + 0.0
    worth = np.append(surprise, 0.0)[items]
    return lists.finish(_discounted_means(lists, worth, relevant, discount))


def _discounted_means(
    lists: Lists, worth: FloatArray, relevant: Any, discount: Discount
) -> FloatArray:
    """Return the mean worth of each list's items, by the attention their ranks get."""
    check_choice("discount", discount, Discount)
    looked_at = np.where(lists.filled, attention_at(lists.items.shape[1], discount), 0.0)
    if relevant is not None:
        wanted = read_sets(relevant, lists, "relevant", graded=True)
        worth = np.where(contained(lists, wanted), worth, 0.0)
    return divide((looked_at * worth).sum(axis=1), looked_at.sum(axis=1))
