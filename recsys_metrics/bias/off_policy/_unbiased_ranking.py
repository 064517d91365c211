"""Recall and DCG from held-out items that were more likely to be observed if popular."""

from __future__ import annotations

from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.checks import check_count, refuse
from recsys_metrics._core.inputs.arrays import FloatArray, as_numbers
from recsys_metrics._core.inputs.columns import (
    check_between,
    check_same_rows,
    check_shape,
    number_labels,
)


@overload
def unbiased_recall(
    ranks: ArrayLike, propensities: ArrayLike, *, k: int, users: None = None
) -> float: ...
@overload
def unbiased_recall(
    ranks: ArrayLike, propensities: ArrayLike, *, k: int, users: ArrayLike
) -> FloatArray: ...
def unbiased_recall(
    ranks: ArrayLike, propensities: ArrayLike, *, k: int, users: ArrayLike | None = None
) -> float | FloatArray:
    r"""Of all liked items, seen or not, what fraction is among the first k?

    Parameters
    ----------
    ranks : (n,) array
        Rank, from 1, that the recommender gave each held-out item; infinity where it is not
        on the list. Ranks over the whole catalogue come from
        `protocol.candidates.full_ranks`.
    propensities : (n,) array of float
        How likely each of these items was to be observed, above 0. Only ratios within a user
        count, so any scale will do; `popularity_propensity` for instance.
    k : int
        How many ranks count.
    users : (n,) array, optional
        Whose held-out item each is. By default one user's.

    Returns
    -------
    float or (users,) array
        Between 0 and 1; one value per user, in ascending order of `users`.

    Raises
    ------
    ValueError
        If a rank is below 1 or no whole number, a propensity is not above 0, or lengths
        differ.

    Notes
    -----
    .. math:: \hat R_u = \frac{\sum_{i \in S_u} [\mathrm{rank}_i \le k] / p_i}
                              {\sum_{i \in S_u} 1 / p_i}

    where S is the user's held-out items. With equal propensities it is plain recall, which is
    too high for a recommender that favours popular items: those are the ones that were
    observed. The ratio is the paper's self-normalised estimator; it is nearly, not exactly,
    unbiased.

    References
    ----------
    Yang, Cui, Xuan, Wang, Belongie and Estrin (2018), Unbiased offline recommender evaluation
    for missing-not-at-random implicit feedback, RecSys.

    Examples
    --------
    A user's popular item is found at rank 1, the one seen a quarter as often is not:

    >>> from recsys_metrics.bias.off_policy import unbiased_recall
    >>> unbiased_recall([1, 60], [0.8, 0.2], k=10), unbiased_recall([1, 60], [1, 1], k=10)
    (0.2, 0.5)
    """
    k = check_count("k", k)
    positions = _ranks(ranks)
    check_same_rows(ranks=ranks, propensities=propensities, users=users)
    return _weighted_mean(positions, np.where(positions <= k, 1.0, 0.0), propensities, users)


@overload
def unbiased_dcg(
    ranks: ArrayLike, propensities: ArrayLike, *, k: int | None = None, users: None = None
) -> float: ...
@overload
def unbiased_dcg(
    ranks: ArrayLike, propensities: ArrayLike, *, k: int | None = None, users: ArrayLike
) -> FloatArray: ...
def unbiased_dcg(
    ranks: ArrayLike,
    propensities: ArrayLike,
    *,
    k: int | None = None,
    users: ArrayLike | None = None,
) -> float | FloatArray:
    r"""How much discounted gain does a liked item earn, seen or not?

    Parameters
    ----------
    ranks, propensities, users
        As in `unbiased_recall`.
    k : int, optional
        Items below rank k earn nothing. By default every rank earns.

    Returns
    -------
    float or (users,) array
        Between 0 and 1: the mean of 1/log2(rank + 1) over the user's liked items.

    Raises
    ------
    ValueError
        As in `unbiased_recall`.

    Notes
    -----
    .. math:: \hat D_u = \frac{\sum_{i \in S_u} 1 / (p_i \log_2(1 + \mathrm{rank}_i))}
                              {\sum_{i \in S_u} 1 / p_i}

    A mean over items, not the sum that DCG otherwise is.

    References
    ----------
    Yang et al. (2018), as in `unbiased_recall`.

    Examples
    --------
    >>> from recsys_metrics.bias.off_policy import unbiased_dcg
    >>> round(unbiased_dcg([1, 3], [0.8, 0.2]), 3), unbiased_dcg([1, 3], [1, 1])
    (0.6, 0.75)
    """
    positions = _ranks(ranks)
    gain = 1.0 / np.log2(positions + 1.0)
    if k is not None:
        gain = np.where(positions <= check_count("k", k), gain, 0.0)
    check_same_rows(ranks=ranks, propensities=propensities, users=users)
    return _weighted_mean(positions, gain, propensities, users)


def _ranks(ranks: ArrayLike) -> FloatArray:
    positions = as_numbers(ranks, "ranks")
    check_shape("ranks", positions)
    odd = ~((positions >= 1) & ((positions == np.floor(positions)) | np.isinf(positions)))
    words = "; ranks are whole numbers from 1, or infinity for an item that is not on the list"
    refuse(odd, "ranks", positions, words)
    return positions


def _weighted_mean(
    positions: FloatArray, gain: FloatArray, propensities: ArrayLike, users: ArrayLike | None
) -> float | FloatArray:
    chances = check_between("propensities", propensities, 0.0, np.inf, open_low=True)
    owner = np.zeros(len(positions), dtype=np.intp) if users is None else users
    user = number_labels("users", owner, "; every hit needs its user")[1]
    # Relative to the smallest, so that no weight overflows.
    weights = chances.min() / chances
    top, bottom = (np.bincount(user, weights=column) for column in (weights * gain, weights))
    values = top / bottom
    return float(values[0]) if users is None else values
