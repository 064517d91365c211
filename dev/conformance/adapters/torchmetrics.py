"""torchmetrics, which knows one row of scored items, and nothing that is not in it."""

from __future__ import annotations

from importlib.metadata import version

import torch
from torchmetrics.functional import retrieval

LIBRARY, VERSION = "torchmetrics", version("torchmetrics")


def asked(function, *, graded=False, **options):
    """Return a callable for a function of the library."""

    def ask(lists, grades, k):
        values = {}
        for user, row in lists.items():
            found = [grades[user].get(item, 0) for item in row]
            target = torch.tensor(found if graded else [grade > 0 for grade in found])
            scores = torch.arange(len(row), 0, -1, dtype=torch.float32)
            values[user] = float(function(scores, target, top_k=k, **options))
        return values

    return ask


MEASURES = {
    "retrieval_average_precision": asked(retrieval.retrieval_average_precision),
    "retrieval_hit_rate": asked(retrieval.retrieval_hit_rate),
    "retrieval_normalized_dcg": asked(retrieval.retrieval_normalized_dcg, graded=True),
    "retrieval_precision": asked(retrieval.retrieval_precision),
    "retrieval_precision(adaptive_k=True)": asked(retrieval.retrieval_precision, adaptive_k=True),
    "retrieval_recall": asked(retrieval.retrieval_recall),
    "retrieval_reciprocal_rank": asked(retrieval.retrieval_reciprocal_rank),
}
