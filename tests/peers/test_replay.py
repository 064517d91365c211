"""RePlay, from dictionaries of lists."""

from __future__ import annotations

from importlib.metadata import version

import pytest

from recsys_metrics.measures import LIBRARIES
from tests.peers.cases import agree, draw

metrics = pytest.importorskip("replay.metrics", reason="RePlay is not installed")

CLASSES = {
    "hitrate": "HitRate",
    "precision": "Precision",
    "recall": "Recall",
    "mrr": "MRR",
    "map": "MAP",
    "ndcg": "NDCG",
}


def ask(name, lists, truths, k):
    """Return RePlay's value of each user."""
    metric = getattr(metrics, name)(k, mode=metrics.PerUser())
    scored = {u: [(i, -float(r)) for r, i in enumerate(row)] for u, row in lists.items()}
    (found,) = metric(scored, {user: list(row) for user, row in truths.items()}).values()
    return found


def test_every_measure_is_compared():
    readings = LIBRARIES["replay"].measures
    assert set(CLASSES) == {name for name, reading in readings.items() if not reading.fault}


@pytest.mark.parametrize("name", CLASSES)
def test_every_measure(name):
    def theirs(cases, k):
        return ask(CLASSES[name], cases.lists, cases.relevant, k)

    agree("replay", version("replay-rec"), name, draw(empty_lists=True), theirs)


def test_area_inside_the_list():
    lists = {1: [10, 11, 12]}
    assert ask("RocAuc", lists, {1: {10: 1, 11: 1, 12: 1}}, 3)[1] == 1
    assert ask("RocAuc", lists, {1: {10: 1, 99: 1}}, 3)[1] == 1
