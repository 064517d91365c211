"""Ten thousand lists, and the part of their evaluation that a process does.

A process that is started imports this and not the tests.
"""

from __future__ import annotations

import numpy as np

from recsys_metrics import Evaluation

MANY = np.random.default_rng(5).permuted(np.tile(np.arange(300), (10_000, 1)), axis=1)[:, :12]
SOME = ["ndcg@10", "recall@5", "coverage@10", "gini@10", "exposure_gini@10", "personalization@10"]


def work(rows):
    """Return the evaluation of some of them, in three batches."""
    evaluation = Evaluation(SOME, catalog=300)
    for batch in np.array_split(rows, 3):
        evaluation.update(MANY[batch, :10], MANY[batch, 8:], users=batch)
    return evaluation
