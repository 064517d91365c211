"""An evaluation of epochs gives what one of all lists gives, and begins again."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import recsys_metrics as rm
from recsys_metrics.evaluation import EpochEvaluation

ASKED = ["recall@5", "ndcg@5", "catalog_coverage@5"]
rng = np.random.default_rng(3)
LISTS = np.array([rng.permutation(30)[:8] for _ in range(20)])
TRUTH = [set(rng.permutation(30)[:4].tolist()) for _ in range(20)]


def test_the_running_example():
    metric = EpochEvaluation(["recall@5", "precision@5"])
    metric.update([["A", "B", "C", "D", "E"]], [{"B", "C", "E", "G"}])
    assert metric.compute() == {"recall@5": 0.75, "precision@5": 0.6}


def test_batches_equal_one_evaluation_of_all_lists():
    metric = EpochEvaluation(ASKED, catalog=30, prefix="val/")
    for start in range(0, 20, 7):
        metric.update(LISTS[start : start + 7], TRUTH[start : start + 7])
    whole = rm.evaluate(LISTS, TRUTH, ASKED, catalog=30)
    found = metric.compute()
    assert found == {f"val/{name}": whole[name].value for name in whole}
    # To compute is not to forget.
    assert metric.compute() == found
    assert metric.report(name="epoch 1")["ndcg@5"].interval() == whole["ndcg@5"].interval()


def test_reset_forgets_all_lists():
    metric = EpochEvaluation(ASKED, catalog=30)
    metric.update(LISTS[:5], TRUTH[:5], users=range(5))
    metric.reset()
    with pytest.raises(ValueError, match="there is no list to evaluate"):
        metric.compute()
    metric.update(LISTS[:9], TRUTH[:9], users=range(9))
    assert (
        metric.compute()["recall@5"]
        == rm.evaluate(LISTS[:9], TRUTH[:9], ASKED[:1])["recall@5"].value
    )
    assert repr(metric) == "EpochEvaluation(recall@5, ndcg@5, catalog_coverage@5; 9 lists)"
    assert pickle.loads(pickle.dumps(metric)).compute() == metric.compute()


def test_a_user_who_comes_twice_in_an_epoch_is_an_error():
    metric = EpochEvaluation(ASKED, catalog=30)
    metric.update(LISTS[:5], TRUTH[:5], users=range(5))
    with pytest.raises(ValueError, match="user 4 comes in two batches"):
        metric.update(LISTS[4:6], TRUTH[4:6], users=[4, 5])
    with pytest.raises(TypeError, match="prefix is what names begin with"):
        EpochEvaluation(ASKED, prefix=3)
