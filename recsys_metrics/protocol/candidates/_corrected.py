"""Correct sampled metrics: estimate the full metric from sampled ranks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.checks import (
    MOST_ENTRIES,
    check_choice,
    check_count,
    check_flag,
    check_real,
)
from recsys_metrics._core.inputs.arrays import FloatArray, as_numbers
from recsys_metrics._core.inputs.frames import refuse_unsorted_numbers
from recsys_metrics.protocol.candidates._expected import CELLS, check_drawable, distribution
from recsys_metrics.protocol.candidates._one_item import (
    Metric,
    accept_ranks,
    check_metric,
    check_ranks,
    value_at_rank,
)

Correction = Literal["bias-variance", "rank", "least-squares", "monotone"]


@accept_ranks
def corrected_metric(
    ranks: ArrayLike,
    n_items: int,
    n_samples: int,
    metric: Metric,
    *,
    k: int | None = None,
    method: Correction,
    gamma: float = 0.1,
    prior: ArrayLike | None = None,
    replacement: bool = False,
) -> Any:
    """How much of the metric over the whole catalogue is in a sampled rank?

    Parameters
    ----------
    ranks : int or (m,) array of int
        Rank of each held-out item among itself and the sample, from 1 to n_samples + 1.
    n_items : int
        Size of the catalogue that was sampled from, the held-out item included.
    n_samples : int
        How many items were drawn, all with the same chance.
    metric, k
        The full metric that is wanted, as in `metric_at_rank`.
    method, gamma, prior, replacement
        As in `correction_table`.

    Returns
    -------
    float or (m,) array
        An estimate per held-out item. One of them means little, and may be below 0 or above 1;
        their mean is the estimate of the full metric.

    Raises
    ------
    TypeError, ValueError
        As in `correction_table`; also if a rank is beyond n_samples + 1.

    Notes
    -----
    No correction brings back what was never drawn, and no method is near the truth in general, so
    there is no default. The estimate depends on the `prior`: with all full ranks equally likely,
    "bias-variance" is too low for a recommender that often puts the held-out item near the top.
    Repeat the estimate with several samples and report how it varies, or rank the whole
    catalogue.

    References
    ----------
    Krichene and Rendle (2020), On sampled metrics for item recommendation, KDD, section 6.

    Examples
    --------
    The item at full rank 100 of 10,000 often comes out first among 99 sampled ones. That
    is no sign of a reciprocal rank of 1:

    >>> from recsys_metrics.protocol.candidates import corrected_metric
    >>> round(corrected_metric(1, 10_000, 99, "reciprocal_rank", method="bias-variance"), 3)
    0.101
    """
    table = correction_table(
        n_items,
        n_samples,
        metric,
        k=k,
        method=method,
        gamma=gamma,
        prior=prior,
        replacement=replacement,
    )
    values = table[check_ranks(ranks, n_samples + 1) - 1]
    return float(values) if np.ndim(values) == 0 else values


def correction_table(
    n_items: int,
    n_samples: int,
    metric: Metric,
    *,
    k: int | None = None,
    method: Correction,
    gamma: float = 0.1,
    prior: ArrayLike | None = None,
    replacement: bool = False,
) -> FloatArray:
    r"""Which value should each sampled rank have?

    Parameters
    ----------
    n_items, n_samples, metric, k
        As in `corrected_metric`.
    method : {"bias-variance", "rank", "least-squares", "monotone"}
        "bias-variance" minimises squared bias plus `gamma` times variance; "least-squares" the
        squared bias alone, at the price of a variance without bound: with a hundred samples of
        thousands of items its values can be of any size; "monotone" the same among tables
        that do not rise with the rank (CLS in the paper); "rank" takes the metric at the rank
        the sample suggests, scaled up.
    gamma : float
        From 0 (bias only) to 1 (the mean of the metric given the sampled rank), for
        "bias-variance". The paper's experiments favour 0.1.
    prior : (n_items,) array of float, optional
        How often each full rank is expected. By default all the same.
    replacement : bool
        Whether one item may be drawn twice, as in the paper.

    Returns
    -------
    (n_samples + 1,) array of float
        The worth of the sampled ranks 1, 2, …

    Raises
    ------
    TypeError, ValueError
        If n_items is below 2, more items are drawn than there are, gamma is not between 0 and
        1, the prior does not fit, or the metric is unknown.

    Notes
    -----
    With :math:`p(\tilde r \mid r)` from `sampled_rank_distribution` and the prior :math:`p(r)`,

    .. math:: \hat M = \arg\min_M \sum_r p(r) \Bigl[ \bigl( \mathrm{E}[M_{\tilde r} \mid r] -
              M(r) \bigr)^2 + \gamma \, \mathrm{Var}[M_{\tilde r} \mid r] \Bigr]

    "rank" uses :math:`\hat r = 1 + (\tilde r - 1)(n - 1) / m`, rounded to the nearest whole
    rank for a metric given as a function.

    The n x m table of probabilities is reduced block by block, so memory does not grow with
    the catalogue.

    References
    ----------
    Krichene and Rendle (2020), On sampled metrics for item recommendation, KDD, section 6.

    Examples
    --------
    >>> from recsys_metrics.protocol.candidates import correction_table
    >>> correction_table(10_000, 99, "hit_rate", k=10, method="rank")[:3]
    array([1., 0., 0.])
    """
    check_metric(metric, k)
    check_choice("method", method, Correction)
    items = check_count("n_items", n_items, 2, most=MOST_ENTRIES)
    # A table with a row and a column for each sampled rank, but for the rank alone.
    most = MOST_ENTRIES if method == "rank" else math.isqrt(MOST_ENTRIES) - 1
    drawn = check_count("n_samples", n_samples, most=most)
    check_flag("replacement", replacement)
    check_drawable(drawn, items - 1, replacement)
    gamma = check_real("gamma", gamma)
    if not 0 <= gamma <= 1:
        raise ValueError(f"gamma lies between 0 (bias only) and 1; got {gamma!r}")
    weights = _read_prior(prior, items)
    if method == "rank":
        return _at_suggested_rank(items, drawn, metric, k)
    rows = _Rows(items, drawn, metric, k, weights, replacement)
    if method == "monotone":
        return _fit_nonincreasing(*rows.triangle())
    if method == "least-squares" or gamma == 0:
        return np.asarray(np.linalg.lstsq(*rows.triangle(), rcond=None)[0], dtype=np.float64)
    square, mass, pulled = rows.square()
    # Sampled ranks that no full rank of the prior leads to are worth nothing.
    seen = mass > 0
    normal = (1 - gamma) * square + gamma * np.diag(mass)
    worth = np.zeros(drawn + 1)
    worth[seen] = np.linalg.solve(normal[np.ix_(seen, seen)], pulled[seen])
    return worth


def _read_prior(prior: ArrayLike | None, n_items: int) -> FloatArray:
    if prior is None:
        return np.full(n_items, 1 / n_items)
    refuse_unsorted_numbers("prior", prior, rows="entry")
    weights = as_numbers(prior, "prior")
    if weights.shape != (n_items,):
        raise ValueError(
            f"the prior has shape {weights.shape}; give one weight for each of the {n_items} ranks"
        )
    if not (np.isfinite(weights).all() and weights.min() >= 0 and weights.sum() > 0):
        raise ValueError("the prior's weights are finite, 0 or more, and not all 0")
    shares: FloatArray = weights / weights.sum()
    return shares


def _at_suggested_rank(n_items: int, n_samples: int, metric: Metric, k: int | None) -> FloatArray:
    suggested = 1 + np.arange(n_samples + 1) * ((n_items - 1) / n_samples)
    if callable(metric):
        suggested = np.rint(suggested).astype(np.intp)
    # The formulas take fractions of a rank as they are, as the paper does.
    return value_at_rank(suggested, metric, k, n_items)


@dataclass(frozen=True)
class _Rows:
    """The weighted table A (full ranks x sampled ranks) and the metric b, never whole."""

    n_items: int
    n_samples: int
    metric: Metric
    k: int | None
    prior: FloatArray
    replacement: bool

    def blocks(self) -> Iterator[tuple[FloatArray, FloatArray, FloatArray]]:
        """Yield (prior, probabilities, metric) of some full ranks after others."""
        width = self.n_samples + 1
        step = max(2 * width, CELLS // width)
        for start in range(0, self.n_items, step):
            ranks = np.arange(start + 1, min(start + step, self.n_items) + 1)
            sizes = np.full(len(ranks), self.n_items)
            yield (
                self.prior[start : start + len(ranks)],
                distribution(ranks, sizes, self.n_samples, self.replacement),
                value_at_rank(ranks, self.metric, self.k, self.n_items),
            )

    def triangle(self) -> tuple[FloatArray, FloatArray]:
        """Return R and Q'b of A = QR, which keep the digits that A'A would lose."""
        width = self.n_samples + 1
        stacked: Any = np.zeros((0, width + 1))
        for share, chances, wanted in self.blocks():
            block = np.sqrt(share)[:, None] * np.column_stack([chances, wanted])
            stacked = np.linalg.qr(np.concatenate([stacked, block]), mode="r")
        return stacked[:width, :width], stacked[:width, width]

    def square(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return A'A, the probability of each sampled rank, and A'b."""
        width = self.n_samples + 1
        square, mass, pulled = np.zeros((width, width)), np.zeros(width), np.zeros(width)
        for share, chances, wanted in self.blocks():
            square += (chances * share[:, None]).T @ chances
            mass += share @ chances
            pulled += (share * wanted) @ chances
        return square, mass, pulled


def _fit_nonincreasing(triangle: FloatArray, target: FloatArray) -> FloatArray:
    """Return the least-squares table among those that never rise."""
    from scipy.optimize import lsq_linear

    # Each entry is the last one plus steps that may not be negative. A triangle with more samples
    # than items is wider than high.
    width = triangle.shape[1]
    steps = np.tri(width).T
    low = np.append(np.zeros(width - 1), -np.inf)
    solved = lsq_linear(triangle @ steps, target, bounds=(low, np.inf), method="bvls")
    table: FloatArray = steps @ solved.x
    return table
