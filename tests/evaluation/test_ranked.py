"""Reports of ranks of held-out items, among all items or a sample."""

from __future__ import annotations

import numpy as np
import pytest

import recsys_metrics as rm
from recsys_metrics.evaluation import evaluate_ranks
from recsys_metrics.protocol.candidates import full_ranks, metric_at_rank, sampled_ranks

RNG = np.random.default_rng(0)
HELD = [RNG.choice(200, RNG.integers(1, 4), replace=False).tolist() for _ in range(120)]
GOOD = RNG.random((120, 200))
for user, items in enumerate(HELD):
    GOOD[user, items] += 0.5
BAD = RNG.random((120, 200))


def test_the_hand_computed_case():
    # User 0: rank 2. User 1: ranks 2 and 3.
    found = full_ranks([[0.1, 0.9, 0.4], [0.3, 0.2, 0.8]], [[2], [0, 1]])
    report = evaluate_ranks(found, ["hit_rate@2", "mrr", "ndcg@2", "precision@2"], name="knn")
    assert report["hit_rate@2"].per_user.tolist() == [1, 0.5]
    assert report["mrr"].per_user.tolist() == [1 / 2, (1 / 2 + 1 / 3) / 2]
    assert report["ndcg@2"].per_user.tolist() == [1 / np.log2(3), 1 / np.log2(3) / 2]
    assert report["precision@2"].mean == 3 / 8
    assert report.users == (0, 1)
    assert report.protocol.n_lists == 2
    assert [*report] == ["hit_rate@2", "mrr", "ndcg@2", "precision@2"]


def test_one_item_for_each_user_is_evaluated_like_a_list():
    held = [[items[0]] for items in HELD]
    lists = rm.rank_from_scores(GOOD, 10)
    names = ["hit_rate@10", "recall@10", "ndcg@10", "mrr@10", "map@10"]
    ours = evaluate_ranks(full_ranks(GOOD, held, ties="id"), names)
    theirs = rm.evaluate(lists, held, names)
    for name in names:
        np.testing.assert_allclose(ours[name].per_user, theirs[name].per_user)
        assert tuple(ours[name].interval()) == pytest.approx(tuple(theirs[name].interval()))


def test_two_models_are_compared_within_one_way_of_ranking():
    full = [evaluate_ranks(full_ranks(s, HELD), ["ndcg@10"], name=n) for s, n in MODELS]
    few = [
        evaluate_ranks(sampled_ranks(s, HELD, n_samples=20), ["ndcg@10"], name=n) for s, n in MODELS
    ]
    for new, old in (full, few):
        assert new.compare(old).conclusion.outcome == "better"
        assert new.compare(old)["ndcg@10"].gain == pytest.approx(
            new["ndcg@10"].mean - old["ndcg@10"].mean
        )
    assert few[0]["ndcg@10"].mean > full[0]["ndcg@10"].mean
    assert "among 20 sampled items" in few[0].warnings[0]
    assert full[0].warnings == ()
    with pytest.raises(ValueError, match=r"sampled=20 .* and no sampled"):
        few[0].compare(full[1])


MODELS = [(GOOD, "good"), (BAD, "bad")]


def test_other_held_out_items_are_not_compared():
    other = [items[:1] for items in HELD]
    one, two = (evaluate_ranks(full_ranks(GOOD, held), ["mrr"]) for held in (HELD, other))
    with pytest.raises(ValueError, match="do not agree on what is relevant"):
        one.compare(two)


def test_groups_files_and_tables(tmp_path):
    groups = np.where(np.arange(120) < 50, "new", "old")
    report = evaluate_ranks(full_ranks(GOOD, HELD), ["mrr"], groups={"age": groups}, split="time")
    assert report.by("age").sizes == {"new": 50, "old": 70}
    report.save(tmp_path / "a.json")
    again = rm.Report.load(tmp_path / "a.json")
    assert again.as_dict() == report.as_dict()
    assert "split" in dict(report.protocol.lines())
    assert report.to_markdown()


def test_every_value_is_that_of_metric_at_rank():
    found = full_ranks(GOOD, HELD)
    report = evaluate_ranks(found, ["ndcg@5"])
    per_item = metric_at_rank(found.rank, "ndcg", k=5)
    for user in (0, 7, 119):
        assert report["ndcg@5"].per_user[user] == pytest.approx(per_item[found.user == user].mean())


@pytest.mark.parametrize(
    ("measures", "error", "message"),
    [
        (["coverage@10"], ValueError, "coverage@10 has no value at a single rank; there are hit_r"),
        (["ndcg(gain=exponential)@10"], ValueError, "states gain, but in a ranking with one rel"),
        (["rmse"], ValueError, "unknown metric 'rmse'"),
        ([], ValueError, "measures is empty"),
    ],
)
def test_what_has_no_value_at_a_rank_is_an_error(measures, error, message):
    with pytest.raises(error, match=message):
        evaluate_ranks(full_ranks(GOOD, HELD), measures)


def test_ranks_must_be_ranks():
    with pytest.raises(TypeError, match=r"ranks must be those of protocol.candidates.full_ranks"):
        evaluate_ranks([1, 2, 3], ["mrr"])
    with pytest.raises(TypeError, match="Mean ranks of tied items"):
        evaluate_ranks(full_ranks(np.zeros((3, 4)), [[0], [1], [2]], ties="average"), ["mrr"])


def test_rows_may_have_the_names_of_users():
    ranks = full_ranks([[0.1, 0.9, 0.4], [0.3, 0.2, 0.8]], [[2], [0, 1]])
    groups = {"plan": {"ann": "free", "bob": "paid"}}
    report = evaluate_ranks(ranks, ["hit_rate@2"], users=["ann", "bob"], groups=groups)
    assert report.users == ("ann", "bob")
    assert report.by("plan").sizes == {"free": 1, "paid": 1}
    assert report["hit_rate@2"].value == evaluate_ranks(ranks, ["hit_rate@2"])["hit_rate@2"].value
    for users, words in (
        (["ann"], "users names 1 users, and row 1 of the scores has held-out items"),
        (["ann", "ann"], "users names 'ann' twice; give each user one row"),
        (["ann", None], "users has the user None, entry 1"),
    ):
        with pytest.raises(ValueError, match=words):
            evaluate_ranks(ranks, ["hit_rate@2"], users=users)
