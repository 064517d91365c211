"""Evaluate a model batch by batch, as a training loop sees its lists.

A batch holds the numbers of its users, the items that the model ranks first for each of them
(`scores.topk(10).indices` of torch), and the held-out items, -1 where a row has fewer. Tensors of
any library will do, on any device.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from recsys_metrics import Evaluation
from recsys_metrics.evaluation import Report


def evaluate_batches(batches: Iterable[tuple[Any, Any, Any]], n_items: int) -> Report:
    """Return the report on all batches."""
    measures = ["ndcg@10", "recall@10", "coverage@10"]
    evaluation = Evaluation(measures, catalog=n_items)
    for users, top_items, held_out in batches:
        evaluation.update(top_items, held_out, users=users)
    return evaluation.report(split="the last item of each user")
