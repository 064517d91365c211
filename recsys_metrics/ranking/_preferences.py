"""Metrics that look only at items somebody judged."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._blocks import row_blocks
from recsys_metrics.ranking._judged import Judged, Values
from recsys_metrics.ranking._per_list import NoRelevant, check_judged, divide, finish


def bpref(
    judged: Judged[Values], k: int | None = None, *, no_relevant: NoRelevant = "nan"
) -> Values:
    r"""How rarely does an item judged not relevant stand above a relevant one?

    Parameters
    ----------
    judged : Judged
        Lists made by `judge` with grades of 0 for items judged not relevant (or, with a
        threshold, below it). Items that nobody judged are passed over.
    k : int, optional
        Hits below rank k do not count. By default the whole list does.
    no_relevant : {"nan", "zero", "one", "raise"}
        Value for a user with nothing relevant; "nan" leaves the user out of `numpy.nanmean`.

    Returns
    -------
    float or (n,) array
        Between 0 and 1.

    Raises
    ------
    TypeError, ValueError
        As in `hit_rate`.

    Notes
    -----
    With N items judged not relevant, and n_r of them above the relevant item r,

    .. math:: \mathrm{bpref} = \frac{1}{|R|} \sum_{r \in L_{1..k}}
              \Bigl( 1 - \frac{\min(n_r, |R|)}{\min(N, |R|)} \Bigr)

    as trec_eval computes it.

    References
    ----------
    Buckley and Voorhees (2004), Retrieval evaluation with incomplete information, SIGIR.

    Examples
    --------
    >>> from recsys_metrics import bpref, judge
    >>> grades = {"B": 1, "C": 1, "E": 1, "G": 1, "A": 0, "D": 0}
    >>> bpref(judge(["A", "B", "C", "D", "E"], grades))
    0.25
    """
    cut = check_judged(judged, k)
    codes = judged._codes[:, :cut]
    values = np.empty(len(judged))
    for block in row_blocks(len(codes), codes.shape[1]):
        values[block] = _kernel(
            judged._is_relevant[codes[block]],
            judged._is_rejected[codes[block]],
            judged._n_relevant[block],
            judged._n_nonrelevant[block],
        )
    return finish(judged, values, no_relevant)


def _kernel(
    hits: NDArray[Any], rejected: NDArray[Any], relevant: NDArray[Any], nonrelevant: NDArray[Any]
) -> NDArray[Any]:
    above = np.minimum(np.cumsum(rejected, axis=1), relevant[:, None])
    credit = 1.0 - divide(above, np.minimum(relevant, nonrelevant)[:, None])
    return divide((hits * credit).sum(axis=1), relevant)
