"""What exercises on MovieLens work out in a short way is what the long way gives."""

from __future__ import annotations

import numpy as np
import pytest

from recsys_metrics import rank_from_scores
from recsys_metrics.workbook.exercises import REGISTRY, movielens
from recsys_metrics.workbook.exercises.beyond_accuracy import movielens as variety
from recsys_metrics.workbook.experiments.movielens import movielens_experiment

IDS = [
    "choosing.lots",
    "rating.choose_added",
    "rating.worse_off",
    "ranking.ties_at_cut",
    "ranking.who_decides",
    "beyond_accuracy.of_the_limit",
    "beyond_accuracy.variety_budget",
]


def test_the_three_users_have_scores_for_all_items():
    rated = np.array([[1, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 1, 0, 1, 0]], bool)
    scores = np.array([5.0, 2.0, 3.0, 3.0, 1.0])
    assert movielens.same_for_all(scores, 2, rated).tolist() == [[2, 3], [0, 2], [0, 2]]


@pytest.mark.parametrize("share", [1 / 5, 0.36])
def test_lists_of_all_users_equal_rank_from_scores(share):
    data = movielens.experiment(share)
    likes = movielens.likes(data.train)
    assert likes.sum() == len(data.past)
    expected = rank_from_scores(np.tile(likes, (len(data.users), 1)), 41, exclude=data.seen)
    assert (movielens.same_for_all(likes, 41, movielens.seen(share)) == expected).all()


def test_the_split_of_the_chapters_is_shared():
    assert 1 / 5 in movielens.SHARES
    assert movielens.experiment(1 / 5) is movielens_experiment()


def by_the_chapter(row, units, k, weight):
    """Choose films as the function in chapter 03 does, for one user."""
    alike, place, chosen = units[row] @ units[row].T, np.linspace(1, 0, len(row)), []
    for _ in range(k):
        nearest = alike[:, chosen].max(axis=1, initial=0)
        worth = (1 - weight) * place - weight * nearest
        worth[chosen] = -np.inf
        chosen.append(int(worth.argmax()))
    return row[chosen]


def test_reranking_all_users_equals_reranking_each_user():
    features = movielens_experiment().features
    units = features / np.linalg.norm(features, axis=1, keepdims=True)
    fifty = variety._best_of_ease()
    for weight in (0.0, 0.3, 0.7):
        together = variety._rerank(8, weight)
        for user in range(0, len(fifty), 12):
            assert (together[user] == by_the_chapter(fifty[user], units, 8, weight)).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", IDS)
def test_variants_differ_from_the_numbers_in_the_chapter(name):
    base = REGISTRY[name]
    drawn = [base.variant(seed) for seed in range(40)]
    assert sum(one.answer == base.answer for one in drawn) <= 2
