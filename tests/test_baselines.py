"""The baselines against definitions, and what must hold for any of them."""

from __future__ import annotations

import numpy as np
import pytest

from recsys_metrics.baselines import EASE, ItemKNN, Popularity, RandomScores
from recsys_metrics.interactions import Interactions

ALL = [RandomScores(0), Popularity(), ItemKNN(3, 1.0), EASE(2.0)]


def random_log(n_users, n_items, n=60, seed=0):
    rng = np.random.default_rng(seed)
    return Interactions(
        rng.integers(0, n_users, n), rng.integers(0, n_items, n), n_users=n_users, n_items=n_items
    )


def test_popularity_counts_users_and_not_events():
    log = Interactions([0, 0, 1, 2], [0, 0, 0, 1])
    assert Popularity().fit(log).scores([0, 2]).tolist() == [[2, 1], [2, 1]]


def test_knn_scores_computed_by_hand():
    # Items 0 and 1 share two of their users (norms √2, √3), item 2 shares one with item 1.
    log = Interactions([0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 1, 2])
    scores = ItemKNN(neighbours=2, shrinkage=0.0).fit(log).scores([0])
    near, far = 2 / np.sqrt(2 * 3), 1 / np.sqrt(3)
    np.testing.assert_allclose(scores, [[near, near, far]])


def test_knn_uses_only_the_nearest_neighbours():
    log = random_log(20, 8)
    seen = log.matrix().toarray()
    likeness = seen.T @ seen / (np.sqrt(np.outer(seen.sum(0), seen.sum(0))) + 1.0)
    np.fill_diagonal(likeness, 0)
    kept = likeness * (likeness >= np.sort(likeness, axis=1)[:, -8:][:, :1])
    np.testing.assert_allclose(
        ItemKNN(neighbours=8, shrinkage=1.0).fit(log).scores(range(20)), seen @ kept.T
    )
    few = ItemKNN(neighbours=2, shrinkage=1.0).fit(log)._likeness.toarray()
    assert ((few > 0).sum(axis=0) <= 2).all()


def test_knn_breaks_ties_between_equal_similarities_by_item():
    # Likeness takes few values here, so that many are equal; an item with 300 others is enough
    # for a partition to run in the registers, whose width decides what it leaves in front. More
    # items than are looked at together.
    log = random_log(60, 700, n=5000)
    seen = log.matrix().toarray()
    likeness = seen.T @ seen / (np.sqrt(seen.sum(0))[:, None] * np.sqrt(seen.sum(0)) + 1.0)
    np.fill_diagonal(likeness, 0)
    best = np.argsort(-likeness, axis=1, kind="stable")[:, :4]
    kept = np.zeros_like(likeness)
    np.put_along_axis(kept, best, np.take_along_axis(likeness, best, axis=1), axis=1)
    model = ItemKNN(neighbours=4, shrinkage=1.0).fit(log)
    np.testing.assert_allclose(model.scores(range(60)), seen @ kept.T, atol=1e-12)


@pytest.mark.parametrize(("n_users", "n_items"), [(6, 15), (15, 6)])
def test_ease_equals_its_definition_for_many_users_or_items(n_users, n_items):
    log = random_log(n_users, n_items)
    seen = log.matrix().toarray()
    inverse = np.linalg.inv(seen.T @ seen + 2.0 * np.eye(n_items))
    weights = -inverse / np.diag(inverse)
    np.fill_diagonal(weights, 0)
    scores = EASE(2.0).fit(log).scores(range(n_users))
    np.testing.assert_allclose(scores, seen @ weights, rtol=0, atol=1e-9)


def test_ease_ranks_items_with_the_same_evidence_alike():
    # For each user another one has the mirror image of the items, but for ten that both may have;
    # of users with items of these ten alone, an item and its image have the same evidence.
    rng = np.random.default_rng(0)
    seen = rng.random((40, 50)) < 0.3
    mirrored = seen[:, [*range(10), *range(30, 50), *range(10, 30)]]
    asked = np.hstack([rng.random((20, 10)) < 0.4, np.zeros((20, 40), bool)])
    user, item = np.nonzero(np.vstack([seen, mirrored, asked]))
    model = EASE(0.5).fit(Interactions(user=user, item=item, n_users=100, n_items=50))
    scores = model.scores(range(80, 100))
    assert (scores[:, 10:30] == scores[:, 30:]).all()


@pytest.mark.parametrize("model", [ItemKNN(3, 1.0), EASE(2.0)])
def test_items_have_no_similarity_to_themselves(model):
    train = random_log(6, 12)
    for item in range(12):
        alone = Interactions([0], [item], n_users=6, n_items=12)
        assert model.fit(train).scores([0], history=alone)[0, item] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("model", ALL, ids=lambda m: type(m).__name__)
def test_scores_of_a_user_do_not_depend_on_other_users(model):
    model.fit(random_log(9, 7))
    together = model.scores([4, 0, 8])
    for row, user in enumerate([4, 0, 8]):
        np.testing.assert_allclose(model.scores([user])[0], together[row], atol=1e-12)
    assert model.scores([]).shape == (0, 7)


def test_a_history_changes_the_scores_and_not_the_model():
    train, later = random_log(9, 7), random_log(9, 7, seed=1)
    for model in (ItemKNN(3, 1.0), EASE(2.0)):
        fresh = model.fit(train).scores([2])
        with_history = model.scores([2], history=later)
        assert not np.allclose(fresh, with_history)
        np.testing.assert_array_equal(model.scores([2]), fresh)


def test_random_scores_differ_by_user_and_by_seed():
    log = random_log(5, 50)
    one, other = (RandomScores(seed).fit(log).scores([0, 1]) for seed in (1, 2))
    assert (one[0] != one[1]).all()
    assert (one != other).all()


@pytest.mark.parametrize("model", ALL, ids=lambda m: type(m).__name__)
def test_invalid_use_raises(model):
    with pytest.raises(RuntimeError, match=f"{type(model).__name__} is not fitted yet"):
        type(model)(**({"seed": 0} if isinstance(model, RandomScores) else {})).scores([0])
    model.fit(random_log(4, 5))
    with pytest.raises(ValueError, match="numbered from 0 to 3"):
        model.scores([4])
    with pytest.raises(TypeError, match="whole numbers"):
        model.scores([0.5])
    with pytest.raises(ValueError, match="numbers 6 items and the training 5"):
        model.scores([0], history=random_log(4, 6))


def test_settings_out_of_range_raise():
    with pytest.raises(ValueError, match="neighbours is a whole number of 1 or more"):
        ItemKNN(neighbours=0)
    with pytest.raises(ValueError, match="shrinkage is a finite number, 0 or more; got nan"):
        ItemKNN(shrinkage=np.nan)
    with pytest.raises(ValueError, match="is a finite number above 0"):
        EASE(0)


@pytest.mark.parametrize("seed", [-1, 1.5, True, "a", None])
def test_a_seed_that_is_none_is_refused_before_scoring(seed):
    with pytest.raises((TypeError, ValueError), match="seed is a whole number of 0 or more; got"):
        RandomScores(seed)


def test_a_seed_may_be_as_long_as_a_hash():
    train = Interactions([0], [0], n_users=1, n_items=3)
    scores = RandomScores(2**200).fit(train).scores([0])
    assert scores.shape == (1, 3)
