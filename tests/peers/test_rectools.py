"""RecTools: frames in, a value per user out; users with nothing relevant are left out."""

from __future__ import annotations

from importlib.metadata import version

import pytest

from recsys_metrics.measures import LIBRARIES
from tests.peers.cases import agree, draw

metrics = pytest.importorskip("rectools.metrics", reason="RecTools is not installed")

THEIRS = {
    "hit_rate": metrics.HitRate,
    "precision": metrics.Precision,
    "precision(r_precision=true)": lambda k: metrics.Precision(k, r_precision=True),
    "recall": metrics.Recall,
    "f1beta": metrics.F1Beta,
    "map": metrics.MAP,
    "map(divide_by_k=true)": lambda k: metrics.MAP(k, divide_by_k=True),
    "mrr": metrics.MRR,
    "ndcg": metrics.NDCG,
    "ndcg(divide_by_achievable=true)": lambda k: metrics.NDCG(k, divide_by_achievable=True),
}


def frames(cases):
    pandas = pytest.importorskip("pandas")
    rows = [(u, i, r) for u, row in cases.lists.items() for r, i in enumerate(row, 1)]
    met = [(u, i) for u, row in cases.relevant.items() for i in row]
    return (
        pandas.DataFrame(rows, columns=["user_id", "item_id", "rank"]),
        pandas.DataFrame(met, columns=["user_id", "item_id"]),
    )


def test_every_measure_is_compared():
    assert set(THEIRS) == set(LIBRARIES["rectools"].measures)


@pytest.mark.parametrize("name", THEIRS)
def test_every_measure(name):
    drawn = draw(1200, empty_lists=True)

    def theirs(cases, k):
        return THEIRS[name](k=k).calc_per_user(*frames(cases)).to_dict()

    leaves_out = set(drawn.lists) - drawn.with_something
    agree("rectools", version("rectools"), name, drawn, theirs, leaves_out=leaves_out)
