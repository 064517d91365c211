"""scikit-learn knows one row of scored items and nothing else."""

from __future__ import annotations

import warnings
from importlib.metadata import version

import numpy as np
import pytest

from recsys_metrics.measures import LIBRARIES
from tests.peers.cases import agree, draw

metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")


def in_order(row):
    """Return scores that put the items in the order of the list."""
    return np.arange(len(row), 0, -1, dtype=float)


THEIRS = {
    "dcg": lambda row, k: metrics.dcg_score([row], [in_order(row)], k=k),
    "ndcg": lambda row, k: metrics.ndcg_score([row], [in_order(row)], k=k),
    "average_precision": lambda row, k: metrics.average_precision_score(
        np.array(row) > 0, in_order(row)
    ),
    "label_ranking_average_precision": lambda row, k: metrics.label_ranking_average_precision_score(
        [np.array(row) > 0], [in_order(row)]
    ),
}


def test_every_measure_of_lists_is_compared():
    readings = LIBRARIES["scikit-learn"].measures
    assert set(THEIRS) == {name for name, reading in readings.items() if not reading.fault}


@pytest.mark.parametrize("name", THEIRS)
def test_every_measure(name):
    drawn = draw(1600)
    users = {user for user, row in drawn.lists.items() if len(row) > 1}
    if name == "label_ranking_average_precision":
        # It gives 1 for a row without a hit, whatever was missed outside of it.
        users &= {u for u, row in drawn.rows.items() if any(row)} | (users - drawn.with_something)

    def theirs(cases, k):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="No positive class")
            return {user: THEIRS[name](row, k) for user, row in cases.rows.items()}

    agree("scikit-learn", version("scikit-learn"), name, drawn.only(users), theirs, spread=True)
