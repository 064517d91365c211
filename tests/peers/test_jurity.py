"""jurity, from tables of clicks; it gives means only, so every user is asked for alone."""

from __future__ import annotations

from importlib.metadata import version

import pytest

from tests.peers.cases import agree, are_known, compared, draw

recommenders = pytest.importorskip("jurity.recommenders", reason="jurity is not installed")
pandas = pytest.importorskip("pandas")

CLASSES = {"precision": "Precision", "recall": "Recall", "map": "MAP", "ndcg": "NDCG"}


@pytest.mark.parametrize("name", compared("jurity"))
@pytest.mark.filterwarnings("ignore")
def test_every_measure(name):
    # Users without a click, or without a list, are not in its tables.
    drawn = draw(1200)
    some = drawn.only(drawn.with_something)

    def ask(row, wanted, k):
        served = pandas.DataFrame({"user_id": 1, "item_id": row, "clicks": range(len(row), 0, -1)})
        clicked = pandas.DataFrame({"user_id": 1, "item_id": [*wanted], "clicks": 1})
        # It cannot merge tables that have no item in common.
        metric = getattr(recommenders, CLASSES[name])("clicks", k=k)
        return metric.get_score(clicked, served)

    def theirs(cases, k):
        return {u: ask(row, cases.relevant[u], k) for u, row in cases.lists.items()}

    lacks = {"nothing relevant", "no list"}
    agree("jurity", version("jurity"), name, some, theirs, lacks=lacks, spread=True)


def test_every_public_name_is_known():
    names = [n for n in dir(recommenders) if isinstance(getattr(recommenders, n), type)]
    groups = ("BinaryRecoMetrics", "CombinedMetrics", "DiversityRecoMetrics", "RankingRecoMetrics")
    left_out = dict.fromkeys(groups, "names for several of its measures together")
    are_known("jurity", names, left_out | {"NamedTuple": "a class of Python"})
