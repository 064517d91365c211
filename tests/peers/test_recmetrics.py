"""recmetrics, which rounds, and calls average precision recall."""

from __future__ import annotations

import inspect
import warnings
from importlib.metadata import version

import numpy as np
import pytest

import recsys_metrics as rm
from tests.peers.cases import agree, are_known, compared, draw
from tests.peers.worlds import N_USERS, agree_on_worlds, worlds

metrics = pytest.importorskip("recmetrics.metrics", reason="recmetrics is not installed")
pandas = pytest.importorskip("pandas")

VERSION = version("recmetrics")
THEIRS = {
    "mark": lambda row, wanted, k: metrics.mark([wanted], [row], k),
    "recommender_recall": lambda row, wanted, k: metrics.recommender_recall([row], [wanted]),
    "recommender_precision": lambda row, wanted, k: metrics.recommender_precision([row], [wanted]),
}
BEYOND = {
    "personalization": lambda world, _: metrics.personalization([*world.lists.values()]),
    "novelty": lambda world, _: dict(
        enumerate(
            metrics.novelty(
                [*world.lists.values()],
                dict(enumerate(world.item_counts)),
                N_USERS,
                len(world.lists[0]),
            )[1]
        )
    ),
}


def test_every_metric_is_compared():
    assert {*THEIRS, *BEYOND} == set(compared("recmetrics"))


@pytest.mark.parametrize("name", THEIRS)
def test_every_metric_agrees(name):
    drawn = draw(1200, empty_lists=name == "mark")
    rounded = name != "mark"
    # Rounded is what it gives for a user; nobody's nothing is a division by 0 there.
    some = drawn.only(drawn.with_something) if rounded else drawn

    def theirs(cases, k):
        return {u: THEIRS[name](row, [*cases.relevant[u]], k) for u, row in cases.lists.items()}

    lacks = {"nothing relevant", "no list"} if rounded else set()
    decimals = 4 if rounded else None
    agree("recmetrics", VERSION, name, some, theirs, lacks=lacks, decimals=decimals)


@pytest.mark.parametrize("name", BEYOND)
def test_every_metric_beyond_accuracy_agrees(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        agree_on_worlds(
            "recmetrics",
            VERSION,
            name,
            BEYOND[name],
            cuts=(None,),
            of_one_length=True,
            met_only=True,
        )


def test_catalog_coverage_is_drawn_by_chance():
    lists, catalog = [[item] for item in range(30)], [*range(30)]
    assert len({metrics.catalog_coverage(lists, catalog, 10) for _ in range(40)}) > 1


def test_the_documented_calls_work():
    for world in worlds(50):
        lists = [*world.lists.values()]
        ours = rm.beyond_accuracy.catalog_coverage(lists, 12)
        theirs = metrics.prediction_coverage(lists, [*range(12)])
        assert theirs == pytest.approx(100 * ours, abs=0.006)
        some = [row for row in lists if len(row) > 1]
        if some:
            diversity = rm.beyond_accuracy.intra_list_diversity(some, features=world.features)
            theirs = metrics.intra_list_similarity(some, pandas.DataFrame(world.features))
            assert 1 - np.mean(diversity) == pytest.approx(theirs, abs=1e-9)


def test_public_names_are_in_the_table():
    names = [
        name
        for name, found in vars(metrics).items()
        if inspect.isfunction(found) and found.__module__ == metrics.__name__
        if not name.startswith("_")
    ]
    are_known("recmetrics", names, {})
