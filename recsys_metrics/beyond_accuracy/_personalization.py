"""How different the lists of different users are."""

from __future__ import annotations

from typing import Any

from recsys_metrics._core.checks import UndefinedMetricError, first_true
from recsys_metrics._core.inputs.arrays import IntArray
from recsys_metrics._core.inputs.lists import Lists, read_lists
from recsys_metrics._core.inputs.tables import distinct, occurrences


def personalization(recommended: Any) -> float:
    r"""How different are the lists of two users, on average?

    Parameters
    ----------
    recommended
        What was recommended to at least two users: a sequence of lists, a mapping from user to
        list, or an array of whole numbers of shape (n, K) with -1 for an empty slot. All
        lists must hold as many items.

    Returns
    -------
    float
        1 minus the mean over all pairs of users of the share of items their lists have in
        common. 0 if all lists hold the same items, in any order; 1 if no item is in two
        lists.

    Raises
    ------
    ValueError
        If there are fewer than two lists, they are empty or differ in length, or one holds an
        item twice.
    TypeError
        If the input is of none of the forms.

    Notes
    -----
    .. math:: \mathrm{personalization} = 1 - \frac{2}{|U| \, (|U| - 1)}
              \sum_{u < v} \frac{|L_u \cap L_v|}{K}

    where :math:`K` is the cut-off, the number of ranks that count; :math:`L_u` is the list of user
    :math:`u`; :math:`L_v` is the list of user :math:`v`; :math:`U` is the set of all users.

    An item in c lists is shared by c (c - 1) / 2 pairs of users, so the sum runs over items,
    not over pairs: exact, and linear in the number of users. It is not the share of unique
    items in a list: the lists ab, bc and ca have no unique item and a personalization of 0.5.

    References
    ----------
    Zhou et al. (2010), Solving the apparent diversity-accuracy dilemma of recommender systems,
    PNAS 107(10).

    Examples
    --------
    >>> from recsys_metrics.beyond_accuracy import personalization
    >>> personalization([["a", "b"], ["b", "c"], ["c", "a"]])
    0.5
    """
    lists = read_lists(recommended)
    n = len(lists)
    if lists.single or n < 2:
        raise ValueError(f"personalization compares users' lists, so give two or more; got {n}")
    return mean_distance(
        occurrences(lists.items, distinct(lists.items)), n, check_equal_lengths(lists)
    )


def check_equal_lengths(lists: Lists) -> int:
    """Return how many items every list holds."""
    lengths = lists.lengths
    if at := first_true(lengths != lengths[0]):
        raise UndefinedMetricError(
            f"lists must be of one length to compare: {lists.name(0)} has {lengths[0]} items, "
            f"{lists.name(at[0])} {lengths[at]}; {_count_short(lengths)}. Shorten them to "
            f"the same k "
            "or leave short ones out"
        )
    return int(lengths[0])


def _count_short(lengths: IntArray) -> str:
    """Return, in words, how many lists are shorter than the longest."""
    n_short = int((lengths < lengths.max()).sum())
    return f"{n_short:,} of {len(lengths):,} lists have fewer than {lengths.max():,} items"


def mean_distance(counts: IntArray, n: int, k: int) -> float:
    """Return the share of items that two of n lists of k items do not share, from their counts."""
    if n < 2:
        raise UndefinedMetricError(
            f"personalization compares users' lists, so give two or more; got {n}"
        )
    if k == 0:
        raise UndefinedMetricError("all lists are empty, so there is nothing to compare")
    # Whole numbers throughout, so the one division is the only rounding.
    shared = int((counts * (counts - 1) // 2).sum())
    pairs = n * (n - 1) // 2 * k
    return (pairs - shared) / pairs
