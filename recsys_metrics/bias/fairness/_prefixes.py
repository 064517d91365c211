"""The test of FA*IR: enough items of the protected group in every prefix of a list."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.checks import check_alpha, check_flag, check_share, zero_one
from recsys_metrics._core.inputs.arrays import BoolArray, FloatArray, IntArray, as_array

_HALVINGS = 60


@dataclass(frozen=True, eq=False)
class FairPrefixes:
    """Which lists pass the test of ranked group fairness.

    Attributes
    ----------
    fair : (n,) array of bool
        Whether the list has the minimum in every prefix.
    first_failed_rank : (n,) array of int
        The first rank, from 1, at which too few were protected; 0 for a list that is fair.
    count, minimum : (n, k) array of int and (k,) array of int
        How many of the first ranks are protected, and how many must be.
    adjusted_alpha : float
        The significance of the test of each prefix.

    Examples
    --------
    >>> from recsys_metrics.bias.fairness import fa_ir_test
    >>> fa_ir_test([[0, 0, 0, 1], [0, 0, 0, 0]], share=0.5, adjust=False).first_failed_rank
    array([0, 4])
    """

    fair: BoolArray
    first_failed_rank: IntArray
    count: IntArray
    minimum: IntArray
    adjusted_alpha: float


def fa_ir_test(
    protected: ArrayLike, *, share: float, alpha: float = 0.1, adjust: bool = True
) -> FairPrefixes:
    r"""Could so few protected items at the top be chance, in every prefix of the list?

    Parameters
    ----------
    protected : (k,) or (n, k) array of 0 and 1
        Whether the item at each rank belongs to the protected group.
    share : float
        The share of protected items that would be fair, between 0 and 1.
    alpha : float
        How many of the lists that were drawn with this share may fail.
    adjust : bool
        Whether alpha is the chance that a fair list fails at any rank, so that the tests of
        prefixes are made stricter; otherwise it is that of each prefix, and many more fail.

    Returns
    -------
    FairPrefixes
        With `.fair` and `.first_failed_rank` of each list, and `.minimum` of each rank.

    Raises
    ------
    ValueError
        If an entry is neither 0 nor 1, there is no rank, or a share is not between 0 and 1.

    Notes
    -----
    .. math:: m_i = \min \{ m : F(m; i, p) > \alpha_c \}

    with the distribution function F of a binomial of i draws with share p. The adjusted
    :math:`\alpha_c` is the largest for which a list of independent draws fails at some rank with
    probability alpha or less; that probability is computed, not simulated.

    References
    ----------
    Zehlike et al. (2017), FA*IR: a fair top-k ranking algorithm, CIKM.

    Examples
    --------
    >>> from recsys_metrics.bias.fairness import fa_ir_test
    >>> test = fa_ir_test([0, 0, 0, 0, 1, 0, 1, 1], share=0.5, adjust=False)
    >>> test.minimum, test.fair, test.first_failed_rank
    (array([0, 0, 0, 1, 1, 1, 2, 2]), array([False]), array([4]))
    """
    shown = np.atleast_2d(as_array(protected, "protected"))
    if shown.ndim != 2 or shown.shape[1] == 0:
        raise ValueError(f"protected is one list of 0 and 1, or one a row; got shape {shown.shape}")
    fair_share, chance = check_share("share", share), check_alpha(alpha)
    check_flag("adjust", adjust)
    k = shown.shape[1]
    used = _adjust_alpha(k, fair_share, chance) if adjust else chance
    minimum = _minimum_counts(k, fair_share, used)
    count: IntArray = np.cumsum(zero_one(shown, "protected"), axis=1)
    failed: BoolArray = np.asarray(count < minimum)
    fails: BoolArray = np.logical_or.reduce(failed, axis=1)
    first: IntArray = np.where(fails, failed.argmax(axis=1) + 1, 0)
    return FairPrefixes(~fails, first, count, minimum, used)


def _minimum_counts(k: int, share: float, alpha: float) -> IntArray:
    """Return how many of the first 1, 2, …, k must be protected."""
    from scipy.stats import binom

    ranks = np.arange(1, k + 1)
    least = binom.ppf(alpha, ranks, share).astype(np.int64)
    # `ppf` reaches alpha, and a list passes that is above it.
    minimum: IntArray = least + (binom.cdf(least, ranks, share) <= alpha)
    return minimum


def _adjust_alpha(k: int, share: float, alpha: float) -> float:
    """Return the largest significance of a prefix at which a fair list fails seldom enough."""
    low, high = 0.0, alpha
    if _failure_probability(_minimum_counts(k, share, high), share) <= alpha:
        return high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _failure_probability(_minimum_counts(k, share, middle), share) <= alpha:
            low = middle
        else:
            high = middle
    return low


def _failure_probability(minimum: IntArray, share: float) -> float:
    """Return how likely independent draws have fewer than the minimum after one of them."""
    passing: FloatArray = np.zeros(len(minimum) + 1)
    passing[0] = 1.0
    for least in minimum.tolist():
        passing[1:] = passing[1:] * (1.0 - share) + passing[:-1] * share
        passing[0] *= 1.0 - share
        passing[:least] = 0.0
    return 1.0 - float(passing.sum())
