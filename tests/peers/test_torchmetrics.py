"""torchmetrics knows one row of scored items and computes in 32 bits."""

from __future__ import annotations

from importlib.metadata import version

import pytest

from recsys_metrics.measures import LIBRARIES
from tests.peers.cases import agree, draw

retrieval = pytest.importorskip(
    "torchmetrics.functional.retrieval", reason="torchmetrics is not installed"
)
torch = pytest.importorskip("torch")

NAMES = list(LIBRARIES["torchmetrics"].measures)


@pytest.mark.parametrize("name", NAMES)
def test_every_measure(name):
    function, _, option = name.partition("(")
    options = {"adaptive_k": True} if option else {}
    graded = function == "normalized_dcg"

    def ask(row, k):
        target = torch.tensor(row)
        target = target if graded else target > 0
        # Scores of 0 or less would be misses to it.
        scores = torch.arange(len(row), 0, -1, dtype=torch.float32)
        function_of = getattr(retrieval, f"retrieval_{function}")
        return function_of(scores, target, top_k=k, **options)

    def theirs(cases, k):
        return {user: ask(row, k) for user, row in cases.rows.items()}

    agree("torchmetrics", version("torchmetrics"), name, draw(), theirs, tolerance=1e-6)


def test_a_score_of_zero_or_less_is_a_miss_to_some_of_its_measures_only():
    scores, target = torch.tensor([-1.0, -2.0]), torch.tensor([True, False])
    assert float(retrieval.retrieval_recall(scores, target, top_k=1)) == 0
    assert float(retrieval.retrieval_hit_rate(scores, target, top_k=1)) == 1
