"""RecBole, which reads whether each rank holds a hit, and how many items were wanted."""

from __future__ import annotations

import inspect
from importlib.metadata import version

import numpy as np
import pytest

from recsys_metrics.beyond_accuracy import recommendation_counts, shannon_entropy
from tests.peers.cases import CUTS, agree, are_known, compared, draw
from tests.peers.worlds import N_ITEMS, agree_on_worlds, worlds

# It was written for a numpy that still had these names for Python's own types.
for _name, _type in (("float", float), ("bool", bool), ("int", int)):
    if not hasattr(np, _name):
        setattr(np, _name, _type)

metrics = pytest.importorskip("recbole.evaluator.metrics", reason="RecBole is not installed")

VERSION = version("recbole")
CLASSES = {
    "hit": "Hit",
    "map": "MAP",
    "mrr": "MRR",
    "ndcg": "NDCG",
    "precision": "Precision",
    "recall": "Recall",
}


def made(name):
    return getattr(metrics, name)({"topk": [*CUTS], "metric_decimal_place": 15, "tail_ratio": None})


def test_every_metric_is_compared():
    assert {*CLASSES, *BEYOND} == set(compared("recbole"))


@pytest.mark.parametrize("name", CLASSES)
def test_every_metric_agrees(name):
    drawn = draw(1200)
    # It fills every rank, and knows users only who want something.
    lists = {u: [*row, *range(30, 30 + 40)] for u, row in drawn.lists.items()}
    some = type(drawn)(lists, drawn.truths).only(drawn.with_something)

    def theirs(cases, k):
        hits = np.array([[g > 0 for g in row[:k]] for row in cases.rows.values()])
        n_wanted = np.array([len(cases.relevant[user]) for user in cases.lists])
        function = made(CLASSES[name]).metric_info
        takes_both = "pos_len" in inspect.signature(function).parameters
        found = function(hits, n_wanted) if takes_both else function(hits)
        return dict(zip(cases.lists, found[:, k - 1], strict=True))

    lacks = {"nothing relevant", "no list", "a list shorter than k"}
    agree("recbole", VERSION, name, some, theirs, lacks=lacks)


def items_of(world, k):
    return np.array([row[:k] for row in world.lists.values()])


def popularity(world, k):
    counts = dict(enumerate(world.item_counts))
    metric = made("AveragePopularity")
    found = metric.metric_info(metric.get_pop(items_of(world, k).astype(float), counts))
    return dict(zip(world.lists, found[:, -1], strict=True))


BEYOND = {
    "averagepopularity": popularity,
    "giniindex": lambda world, k: made("GiniIndex").get_gini(items_of(world, k), N_ITEMS),
    "itemcoverage": lambda world, k: made("ItemCoverage").get_coverage(items_of(world, k), N_ITEMS),
}


@pytest.mark.parametrize("name", BEYOND)
def test_every_metric_beyond_accuracy_agrees(name):
    agree_on_worlds("recbole", VERSION, name, BEYOND[name], of_one_length=True)


def test_entropy_is_divided_by_the_items_recommended():
    for world in worlds(100, of_one_length=True):
        shown = recommendation_counts([*world.lists.values()], N_ITEMS)
        ours = shannon_entropy(shown, base=np.e) / (shown > 0).sum()
        theirs = made("ShannonEntropy").get_entropy(items_of(world, 9))
        assert ours == pytest.approx(theirs, abs=1e-9)


def test_public_names_are_in_the_table():
    names = [
        name
        for name, found in vars(metrics).items()
        if inspect.isclass(found) and found.__module__ == metrics.__name__
    ]
    are_known("recbole", names, {})
