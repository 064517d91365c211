"""Multilabel ranking metrics: LRAP, coverage error and ranking loss."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.blocks import over_blocks
from recsys_metrics._core.checks import refuse
from recsys_metrics._core.inputs.scalar_or_batch import of_rows
from recsys_metrics.ranking._grade_codes import FloatArray
from recsys_metrics.ranking._per_list import NoRelevant, divide, fill_undefined
from recsys_metrics.ranking._ties import Tied, group_ties, read_scored


@of_rows
def label_ranking_average_precision(
    labels: ArrayLike, scores: ArrayLike, *, no_relevant: NoRelevant = "nan"
) -> Any:
    r"""Of the items down to a relevant one, ties included, what fraction is relevant?

    Parameters
    ----------
    labels : (m,) or (n, m) array of float
        Above 0 where a candidate is relevant; with two axes, a user per row.
    scores : array of float, same shape
        The model's scores, in any unit.
    no_relevant : {"nan", "zero", "one", "raise"}
        Value for a user with nothing relevant. scikit-learn has 1, also for a user for whom
        everything is relevant.

    Returns
    -------
    float or (n,) array
        Above 0 and at most 1. The mean over users is LRAP.

    Raises
    ------
    ValueError
        If shapes differ, a score is NaN, a label is not finite, or, if asked for, nothing is
        relevant.

    Notes
    -----
    .. math:: \mathrm{LRAP} = \frac{1}{|R|} \sum_{i \in R}
              \frac{|\{j \in R : s_j \ge s_i\}|}{|\{j : s_j \ge s_i\}|}

    where :math:`R` is the set of relevant items; :math:`s_i` is the score of item :math:`i`.

    Without ties it is `average_precision` of the whole ranking. Of equal scores each is taken
    for the last.

    References
    ----------
    Tsoumakas, Katakis and Vlahavas (2010), Mining multi-label data, in Data mining and knowledge
    discovery handbook.

    Examples
    --------
    >>> from recsys_metrics import label_ranking_average_precision
    >>> label_ranking_average_precision([1, 0, 0], [0.75, 0.5, 1])
    0.5
    >>> label_ranking_average_precision([1, 0], [0.5, 0.5])
    0.5
    """
    tied, n_relevant, single = _read(labels, scores)
    shares = (tied.heads * (tied.above + tied.relevant) / tied.depth).sum(axis=1)
    return _finish(divide(shares, n_relevant), n_relevant, single, no_relevant)


@of_rows
def coverage_error(
    labels: ArrayLike, scores: ArrayLike, *, no_relevant: NoRelevant = "zero"
) -> Any:
    r"""How many items must a user examine to find all relevant ones?

    Parameters
    ----------
    labels, scores
        As in `label_ranking_average_precision`.
    no_relevant : {"nan", "zero", "one", "raise"}
        Value for a user with nothing relevant, who need not look at any.

    Returns
    -------
    float or (n,) array
        At best the number of relevant items, at worst the number of candidates.

    Raises
    ------
    ValueError
        As in `label_ranking_average_precision`.

    Notes
    -----
    .. math:: \mathrm{CE} = \max_{i \in R} |\{j : s_j \ge s_i\}|

    where :math:`R` is the set of relevant items; :math:`s_i` is the score of item :math:`i`.

    References
    ----------
    Tsoumakas, Katakis and Vlahavas (2010), Mining multi-label data, in Data mining and knowledge
    discovery handbook.

    Examples
    --------
    >>> from recsys_metrics import coverage_error
    >>> coverage_error([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]])
    array([2., 3.])
    """
    found, values = _read_labels(labels, scores)
    relevant, rows = np.atleast_2d(found > 0), np.atleast_2d(values)
    depth = np.empty(len(rows))

    def count(block: slice) -> None:
        # No order is needed: the list ends at the lowest score of a relevant candidate.
        lowest = np.where(relevant[block], rows[block], np.inf).min(axis=1, keepdims=True)
        depth[block] = np.count_nonzero(rows[block] >= lowest, axis=1)

    over_blocks(count, *rows.shape)
    return _finish(depth, relevant.sum(axis=1), found.ndim == 1, no_relevant)


@of_rows
def ranking_loss(labels: ArrayLike, scores: ArrayLike, *, no_relevant: NoRelevant = "zero") -> Any:
    r"""In what fraction of the pairs is an item that is not relevant as high as a relevant one?

    Parameters
    ----------
    labels, scores
        As in `label_ranking_average_precision`.
    no_relevant : {"nan", "zero", "one", "raise"}
        Value for a user without a pair: nothing is relevant, or everything.

    Returns
    -------
    float or (n,) array
        Between 0, every relevant item on top, and 1.

    Raises
    ------
    ValueError
        As in `label_ranking_average_precision`.

    Notes
    -----
    .. math:: \mathrm{RL} = \frac{|\{(i, j) : i \in R,\ j \in N,\ s_i \le s_j\}|}{|R| \, |N|}

    where :math:`R` is the set of relevant items; :math:`N` is the set of items judged not relevant;
    :math:`s_i` is the score of item :math:`i`.

    A tie counts as a loss; without ties it is 1 minus `roc_auc`, which counts ties half.

    References
    ----------
    Tsoumakas, Katakis and Vlahavas (2010), Mining multi-label data, in Data mining and knowledge
    discovery handbook.

    Examples
    --------
    >>> from recsys_metrics import ranking_loss
    >>> ranking_loss([1, 0, 0], [0.75, 0.5, 1])
    0.5
    """
    tied, n_relevant, single = _read(labels, scores)
    others_above = tied.depth - tied.above - tied.relevant
    pairs = n_relevant * (tied.size.shape[1] - n_relevant)
    loss = divide((tied.heads * others_above).sum(axis=1), pairs)
    return _finish(loss, pairs, single, no_relevant)


def _read_labels(labels: ArrayLike, scores: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return labels and scores; a label that is not known is neither relevant nor irrelevant."""
    found, values = read_scored(labels, scores, "labels")
    words = "; it is a finite number, above 0 where a candidate is relevant"
    refuse(~np.isfinite(found), "labels", found, words)
    return found, values


def _read(labels: ArrayLike, scores: ArrayLike) -> tuple[Tied, FloatArray, bool]:
    """Return the groups of equal scores, how many are relevant, and whether it is one row."""
    found, values = _read_labels(labels, scores)
    tied = group_ties(np.atleast_2d(values), np.atleast_2d(found > 0).astype(np.float64))
    return tied, tied.heads.sum(axis=1), found.ndim == 1


def _finish(values: FloatArray, counted: FloatArray, single: bool, no_relevant: NoRelevant) -> Any:
    """Return the values; a row is without one where what is counted is 0."""
    values = fill_undefined(
        values,
        counted == 0,
        no_relevant,
        lambda row: f"row {row} has no relevant candidate, or none to compare it with",
    )
    return float(values[0]) if single else values
