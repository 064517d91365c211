"""The expectation of a sampled metric, computed without drawing a sample."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core.blocks import row_blocks
from recsys_metrics._core.checks import MOST_ENTRIES, check_count, check_flag
from recsys_metrics._core.inputs.arrays import FloatArray, as_array, shape_of
from recsys_metrics._core.sorted_arrays import factorize_pairs
from recsys_metrics.protocol.candidates._one_item import (
    Metric,
    accept_ranks,
    check_metric,
    check_ranks,
    value_at_rank,
)

# Cells of one block of probabilities: 16 MB.
CELLS = 2**21


@accept_ranks
def expected_sampled_metric(
    ranks: ArrayLike,
    n_items: Any,
    n_samples: int,
    metric: Metric,
    *,
    k: int | None = None,
    replacement: bool = False,
) -> Any:
    r"""How high would the metric be on average if each item were ranked against a sample?

    Parameters
    ----------
    ranks : int or (m,) array of int
        Full rank of each held-out item, from 1.
    n_items : int or (m,) array of int
        How many items it was ranked among, itself included.
    n_samples : int
        How many of the others are drawn, all with the same chance.
    metric : str or callable
        As in `metric_at_rank`.
    k : int, optional
        How many ranks of the sampled list count.
    replacement : bool
        Whether one item may be drawn twice.

    Returns
    -------
    float or (m,) array
        Expected value per item; the mean is what a sampled evaluation reports on average.

    Raises
    ------
    TypeError, ValueError
        If a rank is not from 1 to n_items, more items are drawn than there are (without
        replacement), or the metric is unknown.

    Notes
    -----
    The sampled rank is one more than the number of drawn items that rank higher, which is
    hypergeometric without replacement and binomial with it:

    .. math:: \tilde r - 1 \sim \mathrm{Hypergeometric}(n - 1,\, r - 1,\, m)
              \quad\text{or}\quad \mathrm{Binomial}\bigl(m,\, \tfrac{r - 1}{n - 1}\bigr).

    where :math:`r` is the rank among all items; :math:`\tilde r` is the rank among the sampled
    items; :math:`n` is the number of all items; :math:`m` is the number of sampled items.

    Without replacement the sampled rank never exceeds the full one, so hit rate, NDCG and
    reciprocal rank are never below the full ones: an upper bound, not a lower one. With
    replacement an item above may be drawn several times and this can fail. AUC alone keeps its
    value, on average. Which recommender is ahead may change.

    References
    ----------
    Krichene and Rendle (2020), On sampled metrics for item recommendation, KDD.

    Examples
    --------
    The item at rank 500 of 10,000 misses the top 10, but hardly ever among 100 sampled ones:

    >>> from recsys_metrics.protocol.candidates import expected_sampled_metric
    >>> round(expected_sampled_metric(500, 10_000, 100, "hit_rate", k=10), 3)
    0.973
    """
    check_metric(metric, k)
    n_samples = check_count("n_samples", n_samples, most=MOST_ENTRIES)
    full, sizes = _ranks_and_sizes(ranks, n_items, n_samples, replacement)
    worth = value_at_rank(np.arange(1, n_samples + 2), metric, k, n_samples + 1)
    # Many users share a rank; each is worked out once.
    rank, size, place = factorize_pairs(full.ravel(), sizes.ravel())
    expected = np.empty(len(rank))
    for block in row_blocks(len(expected), n_samples + 1, CELLS):
        chances = distribution(rank[block], size[block], n_samples, replacement)
        expected[block] = np.einsum("ij,j->i", chances, worth)
    values = expected[place].reshape(full.shape)
    return float(values) if values.ndim == 0 else values


def sampled_rank_distribution(
    ranks: ArrayLike, n_items: Any, n_samples: int, *, replacement: bool = False
) -> FloatArray:
    """How likely is each sampled rank, given the full one?

    Parameters
    ----------
    ranks, n_items, n_samples, replacement
        As in `expected_sampled_metric`.

    Returns
    -------
    (n_samples + 1,) or (m, n_samples + 1) array of float
        Probability of the sampled ranks 1 to n_samples + 1.

    Raises
    ------
    TypeError, ValueError
        As in `expected_sampled_metric`.

    Examples
    --------
    >>> from recsys_metrics.protocol.candidates import sampled_rank_distribution
    >>> sampled_rank_distribution(2, 5, 2)
    array([0.5, 0.5, 0. ])
    """
    n_samples = check_count("n_samples", n_samples, most=MOST_ENTRIES)
    full, sizes = _ranks_and_sizes(ranks, n_items, n_samples, replacement)
    check_count("n_samples", n_samples, most=max(1, MOST_ENTRIES // max(1, full.size)))
    chances = distribution(full.ravel(), sizes.ravel(), n_samples, replacement)
    return chances.reshape(*full.shape, n_samples + 1)


def _ranks_and_sizes(
    ranks: ArrayLike, n_items: Any, n_samples: int, replacement: bool
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    sizes = as_array(n_items, "n_items")
    if sizes.dtype.kind not in "iu":
        raise TypeError(f"n_items counts the items that were ranked; got {n_items!r}")
    of_ranks = shape_of(ranks, "ranks")
    try:
        shape = np.broadcast_shapes(of_ranks, sizes.shape)
    except ValueError:
        raise ValueError(
            f"ranks have shape {of_ranks} and n_items {sizes.shape}; give one size for "
            "all or one per rank"
        ) from None
    sizes = np.broadcast_to(sizes, shape).astype(np.intp)
    full = np.broadcast_to(check_ranks(ranks, sizes), shape)
    if sizes.size and sizes.min() < 2:
        raise ValueError("there is nothing to sample: an item was ranked among fewer than 2")
    check_flag("replacement", replacement)
    if sizes.size:
        check_drawable(n_samples, sizes.min() - 1, replacement)
    return full, sizes


def check_drawable(n_samples: int, others: int, replacement: bool) -> None:
    """Raise if fewer items are there than are to be drawn."""
    if not replacement and n_samples > others:
        raise ValueError(
            f"{n_samples} different items cannot be drawn from {others}; lower n_samples or pass "
            "replacement=True"
        )


def distribution(
    ranks: NDArray[np.intp], sizes: NDArray[np.intp], n_samples: int, replacement: bool
) -> FloatArray:
    """Return the probability of 0 … n_samples drawn items above, a row per rank.

    Each probability is the one before it times a ratio of small numbers. The products are
    taken in logarithms and scaled to sum to 1, which keeps 13 digits where differences of
    log-factorials would lose half of them.
    """
    above = (ranks - 1)[:, None].astype(np.float64)
    below = (sizes - ranks)[:, None].astype(np.float64)
    drawn = np.arange(n_samples, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        if replacement:
            ratios = (n_samples - drawn) / (drawn + 1) * (above / below)
            least = np.where(below == 0, n_samples, 0)
        else:
            spare = below - n_samples + drawn + 1
            ratios = np.maximum(above - drawn, 0) * (n_samples - drawn) / ((drawn + 1) * spare)
            least = np.maximum(0, n_samples - below)
        # Fewer than `least` cannot be: the chain starts there.
        steps = np.where(drawn < least, 0.0, np.log(ratios))
    logs = np.concatenate([np.zeros((len(ranks), 1)), np.cumsum(steps, axis=1)], axis=1)
    logs[np.arange(n_samples + 1) < least] = -np.inf
    logs -= logs.max(axis=1, keepdims=True)
    chances = np.exp(logs)
    shares: FloatArray = chances / chances.sum(axis=1, keepdims=True)
    return shares
