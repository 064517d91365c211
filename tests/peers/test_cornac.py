"""Cornac, whose measures take a ranking of everything."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
import pytest

import recsys_metrics as rm
from tests.peers.cases import agree, are_known, compared, draw

metrics = pytest.importorskip("cornac.metrics", reason="Cornac is not installed")

CLASSES = {
    "hitratio": metrics.HitRatio,
    "precision": metrics.Precision,
    "recall": metrics.Recall,
    "fmeasure": metrics.FMeasure,
    "ndcg": metrics.NDCG,
    "ncrr": metrics.NCRR,
    "mrr": lambda _: metrics.MRR(),
    "map": lambda _: metrics.MAP(),
}


def of_average_precision(row, wanted):
    """Return its value where the scores put the items in the order of the list."""
    return metrics.MAP().compute(
        item_indices=np.array(row), pd_scores=-np.arange(len(row), dtype=float), gt_pos=wanted
    )


def test_every_metric_is_compared():
    assert set(CLASSES) == set(compared("cornac"))


@pytest.mark.parametrize("name", CLASSES)
def test_every_metric_agrees(name):
    drawn = draw(1600 if name == "mrr" else 1200)
    users = drawn.with_something
    lists = drawn.lists
    if name in ("ncrr", "map"):
        lists = {u: [*row, *sorted(set(range(30)) - set(row))] for u, row in lists.items()}
    some = type(drawn)(lists, drawn.truths).only(users)
    if name == "mrr":
        some = some.only({user for user, row in some.rows.items() if any(row)})

    def theirs(cases, k):
        metric = CLASSES[name](-1 if k is None else k)
        wanted = {user: np.array([*row]) for user, row in cases.relevant.items()}
        if name == "map":
            return {u: of_average_precision(row, wanted[u]) for u, row in cases.lists.items()}
        return {u: metric.compute(wanted[u], np.array(row)) for u, row in cases.lists.items()}

    lacks = {"nothing relevant", "no list"}
    if name in ("ncrr", "map"):
        lacks |= {"a list shorter than k", "relevant, and not listed"}
    agree("cornac", version("cornac"), name, some, theirs, whole=True, lacks=lacks)


def test_tied_pairs_count_as_lost():
    scores, labels = np.array([1.0, 1.0, 0.5, 2.0]), np.array([1, 0, 0, 1])
    theirs = metrics.AUC().compute(np.arange(4), scores, np.flatnonzero(labels))
    assert theirs == rm.fraction_of_concordant_pairs(labels, scores) == 0.75


def test_a_user_without_a_hit_is_an_error_in_its_reciprocal_rank():
    with pytest.raises(ValueError, match="No matched"):
        metrics.MRR().compute(np.array([1]), np.array([2, 3]))


def test_public_names_are_in_the_table():
    names = [name for name in dir(metrics) if isinstance(getattr(metrics, name), type)]
    base = "what its measures are built on"
    are_known("cornac", names, {"RankingMetric": base, "RatingMetric": base})
