"""Evidently knows the rows of one table: a user, a rank, a grade."""

from __future__ import annotations

from importlib.metadata import version

import pytest

from tests.peers.cases import agree, draw

ROOM = "evidently.legacy.metrics.recsys"
counting = pytest.importorskip(f"{ROOM}.precision_recall_k", reason="Evidently is not installed")
hits = pytest.importorskip(f"{ROOM}.hit_rate_k")
gains = pytest.importorskip(f"{ROOM}.ndcg_k")
firsts = pytest.importorskip(f"{ROOM}.mrr")
pandas = pytest.importorskip("pandas")


def table(rows):
    found = [(u, int(g > 0), r) for u, row in rows.items() for r, g in enumerate(row, 1)]
    return pandas.DataFrame(found, columns=["users", "target", "preds"])


def counts(rows, k):
    return counting.PrecisionRecallCalculation(max_k=k).get_precision_and_recall_dict(rows, k)


def _ndcg(row, k):
    frame = table({0: row})
    frame["target"] = row
    # It answers for every cut up to the length of the list.
    return gains.NDCGKMetric(k=k).calculate_ndcg(frame, k)[min(k, len(row))]


THEIRS = {
    "precision": lambda row, k: counts(table({0: row}), k)["precision"][-1],
    "recall": lambda row, k: counts(table({0: row}), k)["recall"][-1],
    "hit_rate": lambda row, k: hits.HitRateKMetric(k=k).get_values(table({0: row}), k).iloc[-1],
    "mrr": lambda row, k: firsts.MRRKMetric(k=k).get_values(table({0: row}), k).iloc[-1],
    "ndcg": _ndcg,
}


@pytest.mark.parametrize("name", THEIRS)
def test_every_measure(name):
    drawn = draw(1600)
    # Users without a hit anywhere in the list are left out of its means.
    some = drawn.only({user for user, row in drawn.rows.items() if any(row)})

    def theirs(cases, k):
        return {user: THEIRS[name](row, k) for user, row in cases.rows.items()}

    agree("evidently", version("evidently"), name, some, theirs, spread=True)


def test_average_precision_depends_on_the_order_of_rows():
    rows = table({1: [1, 0, 1]})
    assert counts(rows, 3)["map"][-1] == pytest.approx(5 / 6)
    assert counts(rows[::-1], 3)["map"][-1] > 1


def test_average_precision_counts_the_last_hit_of_a_short_list_again():
    rows = table({1: [1], 2: [0, 0, 1]})
    assert counts(rows, 3)["map"][-1] == pytest.approx((3 + 1 / 3) / 2)
