"""Novelty: how unpopular, or how new to the user, the recommended items are."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from recsys_metrics._core.arithmetic import divide
from recsys_metrics._core.checks import check_choice, check_count
from recsys_metrics._core.inputs.align import read_sets
from recsys_metrics._core.inputs.arrays import FloatArray
from recsys_metrics._core.inputs.lists import read_lists
from recsys_metrics._core.inputs.membership import contained
from recsys_metrics._core.inputs.scalar_or_batch import of_lists
from recsys_metrics._core.parameter_domains import check_number
from recsys_metrics.beyond_accuracy._arguments import Base, logarithm
from recsys_metrics.beyond_accuracy._item_counts import (
    ItemCounts,
    check_in_history,
    list_means,
    read_counts,
)

Unseen = Literal["raise", "drop", "one"]


@of_lists
def self_information(
    recommended: Any,
    item_counts: ItemCounts,
    n_users: int,
    *,
    base: Base = 2,
    unseen: Unseen = "raise",
) -> Any:
    r"""How surprising is it, in bits, that a user knows the items of the list?

    Parameters
    ----------
    recommended
        What was recommended: one list of ids, a sequence of lists, a mapping from user to list, or
        an array of whole numbers of shape (n, K) with -1 for an empty slot.
    item_counts : mapping from id to count, or (n_items,) array
        Number of users of each item in the training data. An array is indexed by item number.
    n_users : int
        How many users there are.
    base : float
        Base of the logarithm: 2 for bits, `math.e` for nats.
    unseen : {"raise", "drop", "one"}
        What to do with an item without users, whose self-information would be infinite: an error;
        leave it out of the list, and out of its length; or count one user for it.

    Returns
    -------
    float or (n,) array
        The mean over the list's items; 0 if every user has them all, at most log(n_users). NaN
        for a list without an item that counts.

    Raises
    ------
    ValueError
        If an item has no users (with `unseen="raise"`), a count is above `n_users`,
        negative or not finite, or a list holds an item twice.
    TypeError
        If an input is of none of the forms.

    Notes
    -----
    .. math:: \mathrm{novelty} = \frac{1}{|L|} \sum_{i \in L} \log_2 \frac{|U|}{n_i}

    where :math:`L` is the recommended list; :math:`U` is the set of all users; :math:`n_i` is the
    number of users who interacted with item :math:`i`.

    Novelty in RecTools ("one"), Evidently ("drop") and RePlay (as Surprisal, divided by
    log2(n_users)). recommenders divides by the number of interactions instead of users; pass
    that number as `n_users` for its values. Relevance does not enter: a list of rare items
    nobody wants is novel.

    References
    ----------
    Zhou et al. (2010), Solving the apparent diversity-accuracy dilemma of recommender systems,
    PNAS 107(10). Castells, Vargas and Wang (2011), Novelty and diversity metrics for
    recommender systems.

    Examples
    --------
    Of 100 users one interacted with "rare" and fifty with "common":

    >>> from recsys_metrics.beyond_accuracy import self_information
    >>> self_information([["rare"], ["common"]], {"rare": 1, "common": 50}, 100).round(2)
    array([6.64, 1.  ])
    """
    check_choice("unseen", unseen, Unseen)
    unit = check_number("base", base, Base)
    lists = read_lists(recommended)
    absent = None if unseen == "raise" else 0.0
    counts, (items,) = read_counts(item_counts, lists, absent=absent)
    users = check_users(n_users, counts)
    never = counts == 0
    if unseen == "raise":
        words = (
            "its self-information is infinite. Pass unseen='drop' to leave such items out, or "
            "'one' to count them as known to one user"
        )
        check_in_history(lists, items, never, words)
    # Adding 0 turns -0.0, of an item everyone met, into 0.0.
    worth = -logarithm(np.where(never, 1.0, counts) / users, unit) + 0.0
    return lists.finish(list_means(items, worth, ~never if unseen == "drop" else None))


@of_lists
def popularity_complement(recommended: Any, item_counts: ItemCounts, n_users: int) -> Any:
    r"""Of all users, what fraction does not know an item of the list, on average?

    Parameters
    ----------
    recommended, item_counts, n_users
        As in `self_information`. An item without interactions must have the count 0.

    Returns
    -------
    float or (n,) array
        The mean over the list's items, between 0 (all users have them all) and 1 (no user has
        any); NaN for an empty list.

    Raises
    ------
    ValueError
        If an item has no count, a count is above `n_users`, negative or not finite, or a list
        holds an item twice.
    TypeError
        If an input is of none of the forms.

    Notes
    -----
    .. math:: \mathrm{PC} = \frac{1}{|L|} \sum_{i \in L} \Bigl( 1 - \frac{n_i}{|U|} \Bigr)

    where :math:`L` is the recommended list; :math:`U` is the set of all users; :math:`n_i` is the
    number of users who interacted with item :math:`i`.

    Elliot and WarpRec call it EPC. Unlike `self_information` it hardly tells rare from very
    rare items.

    References
    ----------
    Vargas and Castells (2011), Rank and relevance in novelty and diversity metrics for
    recommender systems, RecSys.

    Examples
    --------
    >>> from recsys_metrics.beyond_accuracy import popularity_complement
    >>> popularity_complement(["rare", "common"], {"rare": 1, "common": 50}, 100)
    0.745
    """
    lists = read_lists(recommended)
    counts, (items,) = read_counts(item_counts, lists)
    users = check_users(n_users, counts)
    return lists.finish(list_means(items, 1.0 - counts / users))


@of_lists
def exposure_novelty(
    recommended: Any,
    item_counts: ItemCounts,
    n_users: int,
    *,
    recommendation_counts: ItemCounts | None = None,
) -> Any:
    r"""Of the users who do not know an item, what fraction is not recommended it either?

    Parameters
    ----------
    recommended, item_counts, n_users
        As in `self_information`. An item without interactions must have the count 0.
    recommendation_counts : mapping from id to count, or (n_items,) array, optional
        To how many users each item is recommended. By default, in how many of these lists.

    Returns
    -------
    float or (n,) array
        The mean over the list's items: 1 if nobody is shown them, 0 if exactly as many users
        are shown an item as have not interacted with it, negative if items are shown to users who
        have. An item with which every user interacted is left out; NaN if none is left.

    Raises
    ------
    ValueError, TypeError
        As in `popularity_complement`.

    Notes
    -----
    .. math:: \mathrm{EN} = \frac{1}{|L|} \sum_{i \in L}
              \Bigl( 1 - \frac{|\{u : i \in L_u\}|}{|U| - n_i} \Bigr)

    where :math:`L_u` is the list of user :math:`u`; :math:`L` is the recommended list; :math:`U` is
    the set of all users; :math:`n_i` is the number of users who interacted with item :math:`i`.

    Some texts define novelty so. It measures exposure, not rarity: a blockbuster that is never
    recommended has 1, a niche item that is shown to everyone 0. Use `self_information` for
    rarity.

    Examples
    --------
    >>> from recsys_metrics.beyond_accuracy import exposure_novelty
    >>> met, shown = {"blockbuster": 50, "niche": 1}, {"blockbuster": 0, "niche": 99}
    >>> exposure_novelty([["blockbuster"], ["niche"]], met, 100, recommendation_counts=shown)
    array([1., 0.])
    """
    lists = read_lists(recommended)
    counts, (items,) = read_counts(item_counts, lists)
    users = check_users(n_users, counts)
    if recommendation_counts is None:
        showings = np.bincount(items[items >= 0], minlength=len(counts)).astype(np.float64)
    else:
        given, (places,) = read_counts(recommendation_counts, lists)
        showings = np.zeros(len(counts))
        showings[items[items >= 0]] = given[places[places >= 0]]
    rest = users - counts
    ratio = divide(showings, rest, 0.0)
    return lists.finish(list_means(items, 1.0 - ratio, rest > 0))


@of_lists
def average_popularity(recommended: Any, item_counts: ItemCounts) -> Any:
    r"""How popular is an item of the list, on average?

    Parameters
    ----------
    recommended
        As in `self_information`.
    item_counts : mapping from id to count, or (n_items,) array
        Interactions of each item in the training data. An array is indexed by item number.
        An item without interactions must have the count 0.

    Returns
    -------
    float or (n,) array
        The mean count of the list's items, in the unit of the counts; NaN for an empty list.
        The mean over users is the average recommendation popularity, ARP.

    Raises
    ------
    ValueError
        If an item has no count, a count is negative or not finite, or a list holds an item
        twice.
    TypeError
        If an input is of none of the forms.

    Notes
    -----
    .. math:: \mathrm{ARP} = \frac{1}{|L|} \sum_{i \in L} n_i

    where :math:`L` is the recommended list; :math:`n_i` is the number of users who interacted with
    item :math:`i`.

    Not normalised: it grows with the size of the training data. `popularity_lift` compares it
    with what the users interacted with themselves.

    References
    ----------
    Yin et al. (2012), Challenging the long tail recommendation, VLDB 5(9).

    Examples
    --------
    >>> from recsys_metrics.beyond_accuracy import average_popularity
    >>> per_user = average_popularity([["a", "b"], ["a", "c"]], {"a": 10, "b": 4, "c": 1})
    >>> per_user, float(per_user.mean())
    (array([7. , 5.5]), 6.25)
    """
    lists = read_lists(recommended)
    counts, (items,) = read_counts(item_counts, lists)
    return lists.finish(list_means(items, counts))


def check_users(n_users: int, counts: FloatArray) -> int:
    """Return the number of users, which no count may exceed."""
    users = check_count("n_users", n_users, meaning="how many users there are")
    if counts.max(initial=0.0) > users:
        raise ValueError(
            f"item_counts contains {counts.max():g}, more than the {users} users there are; count "
            "the users who interacted with an item, not how often they did"
        )
    return users


@of_lists
def unseen_share(recommended: Any, history: Any) -> Any:
    r"""Of the items in a list, what fraction is new to its user?

    Parameters
    ----------
    recommended
        What was recommended, as in `popularity_complement`.
    history
        Items of each user's history: a set of ids each, in the forms of `relevant` in
        `serendipity`.

    Returns
    -------
    float or (n,) array
        Between 0 and 1; NaN for an empty list.

    Raises
    ------
    ValueError, TypeError
        As in `serendipity`.

    Notes
    -----
    .. math:: \mathrm{new} = \frac{|L \setminus H|}{|L|}

    where :math:`L` is the recommended list; :math:`H` is the set of items that the user has
    interacted with.

    1 for every recommender that leaves out the history. Where things are bought again,
    the rest is the share of repeats.

    References
    ----------
    The measure is RePlay's `Novelty`.

    Examples
    --------
    >>> from recsys_metrics.beyond_accuracy import unseen_share
    >>> unseen_share(["A", "B", "C", "D", "E"], {"B", "C", "E", "G"})
    0.4
    """
    lists = read_lists(recommended)
    met = contained(lists, read_sets(history, lists, "history"))
    retrieved = (lists.items >= 0).sum(axis=1)
    return lists.finish(divide(retrieved - met.sum(axis=1), retrieved))
