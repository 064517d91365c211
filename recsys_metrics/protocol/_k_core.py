"""k-core filtering: keep users and items with enough events."""

from __future__ import annotations

from typing import Literal

import numpy as np

from recsys_metrics._core.checks import check_choice, check_count
from recsys_metrics.interactions import Interactions, check_interactions

Filtered = Literal["both", "users", "items"]


def k_core(interactions: Interactions, k: int, *, of: Filtered = "both") -> Interactions:
    r"""Keep the events of users and items that have at least k events each.

    Parameters
    ----------
    interactions : Interactions
        Each row counts as an event, also where a user repeats an item.
    k : int
        The least number of events.
    of : {"both", "users", "items"}
        Whether users and items both need k events, or only one of the two, as users do in the
        MovieLens datasets.

    Returns
    -------
    Interactions
        The events that are left, in their order, with the numbers of users and items of the whole;
        empty if no part of the data is as dense as that.

    Raises
    ------
    TypeError, ValueError
        If k is no whole number of 1 or more, or `of` is none of the words.

    Notes
    -----
    .. math:: |\{e \in C : u_e = u\}| \ge k \quad\text{and}\quad |\{e \in C : i_e = i\}| \ge k

    for each user u and each item i with an event in the largest such set C of events. To remove a
    user lowers the counts of the user's items, and the other way round, so both are removed until
    nothing changes.

    The filter reads all events that it is given. Applied to a whole log before a temporal split it
    keeps users because of what they do after the cut-off time; filter the training set and test on
    all users, or say that the result describes the users who are left.

    References
    ----------
    Seidman (1983), Network structure and minimum degree, Social Networks 5(3). Beel and Brunel
    (2019), Data pruning in recommender systems research: best-practice or malpractice?, RecSys.

    Examples
    --------
    User 2 has one event. Without it item 2 has one event, too, and then so has user 1:

    >>> from recsys_metrics.interactions import Interactions
    >>> from recsys_metrics.protocol import k_core
    >>> log = Interactions([0, 0, 1, 1, 2, 3, 3], [0, 1, 0, 2, 2, 0, 1])
    >>> core = k_core(log, 2)
    >>> core.user.tolist(), core.item.tolist()
    ([0, 0, 3, 3], [0, 1, 0, 1])
    """
    check_interactions("interactions", interactions)
    least = check_count("k", k, meaning="the least number of events of a user and of an item")
    check_choice("of", of, Filtered)
    left = interactions
    while True:
        keep = np.ones(len(left), dtype=bool)
        if of != "items":
            keep &= np.bincount(left.user, minlength=1)[left.user] >= least
        if of != "users":
            keep &= np.bincount(left.item, minlength=1)[left.item] >= least
        if keep.all():
            return left
        left = left.take(keep)
