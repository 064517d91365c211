"""All ranking metrics at 10 for many users: the library beside numpy written by hand."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import recsys_metrics as rm
from benchmarks.workloads import Lists

Values = dict[str, NDArray[np.float64]]
METRICS = (
    rm.ndcg,
    rm.recall,
    rm.precision,
    rm.reciprocal_rank,
    rm.average_precision,
    rm.hit_rate,
)


def library(lists: Lists, k: int = 10) -> Values:
    """Judge once, then ask; from plain arrays to values per user."""
    ones = np.ones(len(lists.relevant), dtype=np.int8)
    judged = rm.judge(lists.items, (lists.indptr, lists.relevant, ones))
    return {metric.__name__: metric(judged, k) for metric in METRICS}


def by_hand(lists: Lists, k: int = 10) -> Values:
    """Give what an engineer writes in ten lines of numpy."""
    n_users = len(lists.items)
    sizes = np.diff(lists.indptr)
    wanted = np.repeat(np.arange(n_users), sizes) * lists.n_items + lists.relevant
    shown = np.arange(n_users)[:, None] * lists.n_items + lists.items[:, :k]
    hits = np.isin(shown, wanted)
    found = hits.sum(axis=1)
    discounts = 1 / np.log2(np.arange(2, k + 2))
    ideal = np.concatenate([[0], np.cumsum(discounts)])[np.minimum(sizes, k)]
    precisions = hits.cumsum(axis=1) / np.arange(1, k + 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return {
            "ndcg": hits @ discounts / ideal,
            "recall": found / sizes,
            "precision": np.where(sizes, found / k, np.nan),
            "reciprocal_rank": np.where(
                sizes, np.where(found, 1 / (hits.argmax(axis=1) + 1), 0), np.nan
            ),
            "average_precision": (precisions * hits).sum(axis=1) / sizes,
            "hit_rate": np.where(sizes, (found > 0).astype(float), np.nan),
        }


def one_pass(lists: Lists) -> float:
    """Read every byte of the input once: the floor of any implementation."""
    return float(lists.items.sum() + lists.relevant.sum() + lists.grades.sum())
