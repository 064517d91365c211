"""recpack, from sparse matrices of scores and of what was wanted."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
import pytest
from scipy import sparse

import recsys_metrics as rm
from tests.peers.cases import N_ITEMS, agree, are_known, compared, draw
from tests.peers.worlds import N_ITEMS as N_IN_WORLD
from tests.peers.worlds import agree_on_worlds

metrics = pytest.importorskip("recpack.metrics", reason="recpack is not installed")

VERSION = version("recpack")
BEYOND = {"coveragek": "CoverageK", "intralistdiversityk": "IntraListDiversityK"}
CLASSES = {
    "calibratedrecallk": "CalibratedRecallK",
    "dcgk": "DCGK",
    "ndcgk": "NDCGK",
    "precisionk": "PrecisionK",
    "recallk": "RecallK",
    "reciprocalrankk": "ReciprocalRankK",
}


def scores(lists, n_items):
    """Return scores that put the items in the order of the lists."""
    cells = [
        (row, item, 1.0 / (rank + 1))
        for row, items in enumerate(lists)
        for rank, item in enumerate(items)
    ]
    rows, columns, values = zip(*cells, strict=True)
    return sparse.csr_matrix((values, (rows, columns)), shape=(len(lists), n_items))


def wanted(truths, n_items):
    cells = [(row, item) for row, items in enumerate(truths) for item in items]
    rows, columns = zip(*cells, strict=True)
    return sparse.csr_matrix((np.ones(len(cells)), (rows, columns)), shape=(len(truths), n_items))


def test_every_metric_is_compared():
    assert {*CLASSES, *BEYOND} == set(compared("recpack"))


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.filterwarnings("ignore")
def test_every_metric_agrees(name):
    drawn = draw(1200, empty_lists=True)
    if name == "dcgk":
        drawn = type(drawn)(
            drawn.lists, {u: dict.fromkeys(row, 1) for u, row in drawn.relevant.items()}
        )

    def theirs(cases, k):
        metric = getattr(metrics, CLASSES[name])(k)
        truths = [cases.relevant[user] for user in cases.lists]
        table = scores([*cases.lists.values()], N_ITEMS)
        metric.calculate(wanted(truths, N_ITEMS), table)
        found = metric.results
        users = [*cases.lists]
        return {users[int(u)]: v for u, v in zip(found.user_id, found.score, strict=True)}

    lacks = {"nothing relevant"} | ({"grades above 1"} if name == "dcgk" else set())
    nobody = set(drawn.lists) - drawn.with_something
    agree("recpack", VERSION, name, drawn, theirs, leaves_out=nobody, lacks=lacks)


@pytest.mark.parametrize("name", BEYOND)
@pytest.mark.filterwarnings("ignore")
def test_every_metric_beyond_accuracy_agrees(name):
    def theirs(world, k):
        metric = getattr(metrics, BEYOND[name])(k)
        if name == "intralistdiversityk":
            metric.fit(sparse.csr_matrix((world.features > 0).astype(float)))
        table = scores([*world.lists.values()], N_IN_WORLD)
        metric.calculate(wanted([*world.relevant.values()], N_IN_WORLD), table)
        if name == "coveragek":
            return float(metric.value)
        return dict(zip(metric.results.user_id, metric.results.score, strict=True))

    def known(world):
        sets = {item: set(np.flatnonzero(row)) for item, row in enumerate(world.features)}
        return rm.measures.Context(catalog=N_IN_WORLD, features=sets)

    agree_on_worlds("recpack", VERSION, name, theirs, known=known)


def test_hits_are_counted():
    metric = metrics.HitK(3)
    metric.calculate(wanted([{0, 1}], 5), scores([[0, 1, 2]], 5))
    assert metric.value == 2 == 3 * rm.precision(rm.judge([0, 1, 2], {0, 1}), 3)


def test_public_names_are_in_the_table():
    names = [n for n in dir(metrics) if isinstance(getattr(metrics, n), type)]
    are_known("recpack", names, {})
