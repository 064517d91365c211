"""Down-sample the interactions of the most popular items."""

from __future__ import annotations

import numpy as np

from recsys_metrics._core.checks import Seed, check_at_least, generator
from recsys_metrics._core.sorted_arrays import factorize_pairs
from recsys_metrics.interactions import Interactions, check_interactions


def down_sample_popular(
    interactions: Interactions, *, iqr_factor: float = 1.5, seed: Seed = 0
) -> Interactions:
    r"""Keep of the most popular items no more users than a box plot allows.

    Parameters
    ----------
    interactions : Interactions
        The events to test on.
    iqr_factor : float
        How many interquartile ranges above the third quartile the limit is; 0 or more.
    seed : int or numpy.random.Generator
        Draws the users that are kept of an item above the limit.

    Returns
    -------
    Interactions
        The events that are left, in their order, with the users and items of the whole. Users
        can be left without an event.

    Raises
    ------
    TypeError, ValueError
        If iqr_factor is below 0 or not finite, or seed is none.

    Notes
    -----
    .. math:: \mathrm{limit} = \lfloor Q_3 + c \, (Q_3 - Q_1) \rfloor

    with the quartiles of users per item, over the items with an event, and the factor c. It is
    RecTools' `DebiasConfig`. A metric on what is left says how well a model does on less popular
    items, but it throws events away and depends on the seed; `bias.off_policy.unbiased_recall`
    weighs all of them instead.

    References
    ----------
    Tukey (1977), Exploratory data analysis, section 2D.

    Examples
    --------
    Of five items one has 9 users and the others 1 or 2, so that the limit is 2 + 1.5 * (2 - 1):

    >>> from recsys_metrics.interactions import Interactions
    >>> from recsys_metrics.protocol import down_sample_popular
    >>> test = Interactions([*range(9), 0, 1, 0, 1, 2, 3], [0] * 9 + [1, 1, 2, 2, 3, 4])
    >>> down_sample_popular(test)
    Interactions(9 events of 9 users with 5 items)
    """
    check_interactions("interactions", interactions)
    iqr_factor = check_at_least("iqr_factor", iqr_factor, 0)
    random = generator(seed)
    if not len(interactions):
        return interactions
    items, _, pair_of_event = factorize_pairs(interactions.item, interactions.user)
    users = np.bincount(items)
    lower, upper = np.quantile(users[users > 0], [0.25, 0.75])
    limit = int(upper + iqr_factor * (upper - lower))
    lot = random.permutation(len(items))
    drawn = lot[np.argsort(items[lot], kind="stable")]
    place = np.empty(len(items), dtype=np.intp)
    place[drawn] = np.arange(len(items)) - (np.cumsum(users) - users)[items[drawn]]
    return interactions.take((place < limit)[pair_of_event])
