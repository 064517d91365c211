"""Amortized attention: exposure over many lists, compared with relevance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.checks import first_true
from recsys_metrics._core.inputs.arrays import FloatArray
from recsys_metrics._core.inputs.columns import check_between, check_whole
from recsys_metrics._core.inputs.frames import refuse_other_rows, refuse_unsorted_numbers
from recsys_metrics._core.position_weights import Attention, attention_at


@dataclass(frozen=True, eq=False)
class AmortizedAttention:
    """What each item got over all lists, and what it deserved.

    Attributes
    ----------
    attention, relevance : (n_items,) array
        Share of the lists' attention, and of their relevance; both add up to 1.

    Examples
    --------
    >>> from recsys_metrics.bias.fairness import amortized_attention
    >>> found = amortized_attention([[0, 1], [0, 1]], [[1, 1], [1, 1]])
    >>> found.attention.round(3), found.relevance, round(found.unfairness, 3)
    (array([0.613, 0.387]), array([0.5, 0.5]), 0.226)
    """

    attention: FloatArray
    relevance: FloatArray

    @property
    def unfairness(self) -> float:
        """Summed distance of what was got and deserved: 0 if equal, at most 2."""
        return float(np.abs(self.attention - self.relevance).sum())


def amortized_attention(
    recommended: ArrayLike,
    relevance: Any,
    *,
    attention: Attention = "log2",
    patience: float = 0.8,
) -> AmortizedAttention:
    r"""Is attention in proportion to relevance, item by item, summed over the lists?

    Parameters
    ----------
    recommended : (lists, K) array of int
        Item numbers, best first, -1 for an empty slot.
    relevance : (lists, n_items) array, or sparse matrix
        How relevant each item is to each list's user, 0 or more.
    attention, patience
        As in `exposure_by_group`.

    Returns
    -------
    AmortizedAttention
        `.attention` and `.relevance` per item, and `.unfairness`, the distance of both.

    Raises
    ------
    ValueError
        If a relevance is negative, a list's user finds nothing relevant, a list is empty, or
        the numbers of lists differ.
    TypeError
        If item numbers are no whole numbers.

    Notes
    -----
    .. math:: \mathrm{unfairness} = \frac{1}{|U|} \sum_i
              \Bigl| \sum_u a_{u,i} - \sum_u \rho_{u,i} \Bigr|

    where :math:`U` is the set of all users; :math:`a_i` is the attention that rank :math:`i`
    receives; :math:`\rho_{u,i}` is the share of item :math:`i` in the relevance of all items to
    user :math:`u`.

    The attention and the relevance of each list are divided by their sums first. The inequity
    of amortized attention of the paper (IAA in FairRankTune) is n times this, so it grows with
    the number of lists. No single list can be fair in this sense, because it has one first rank;
    many lists can.

    References
    ----------
    Biega, Gummadi and Weikum (2018), Equity of attention: amortizing individual fairness in
    rankings, SIGIR.

    Examples
    --------
    Two items as relevant take turns on top:

    >>> from recsys_metrics.bias.fairness import amortized_attention
    >>> amortized_attention([[0, 1], [1, 0]], [[1, 1], [1, 1]]).unfairness
    0.0
    """
    refuse_other_rows(recommended=recommended, relevance=relevance)
    refuse_unsorted_numbers("relevance", relevance, columns="item")
    table = relevance.toarray() if hasattr(relevance, "toarray") else relevance
    deserved = check_between("relevance", table, 0.0, np.inf, axes=2)
    items = check_whole("recommended", recommended, -1, deserved.shape[1] - 1, axes=2)
    if len(items) != len(deserved):
        raise ValueError(
            f"recommended has {len(items)} lists and relevance {len(deserved)} rows; each list "
            "needs its own"
        )
    looked_at = np.where(items >= 0, attention_at(items.shape[1], attention, patience), 0.0)
    sums = {"list": looked_at.sum(axis=1), "relevance": deserved.sum(axis=1)}
    for name, each in sums.items():
        if at := first_true(each == 0):
            raise ValueError(
                f"{name} {at[0]} is empty or all 0, so there is nothing to distribute; leave such "
                "lists out"
            )
    shares = looked_at / sums["list"][:, None]
    filled = items >= 0
    got = np.bincount(items[filled], weights=shares[filled], minlength=deserved.shape[1])
    due = (deserved / sums["relevance"][:, None]).sum(axis=0)
    return AmortizedAttention(got / len(items), due / len(items))
