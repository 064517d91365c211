"""Faults and conventions met in other libraries, as tests of what this one does."""

from __future__ import annotations

import math

import numpy as np
import pytest

from recsys_metrics.beyond_accuracy import (
    catalog_coverage,
    genre_calibration,
    gini,
    intra_list_diversity,
    popularity_lift,
    score_entropy,
    self_information,
    serendipity,
    shannon_entropy,
    unexpectedness,
)


@pytest.mark.parametrize("k", [2, 3, 4, 10, 50])
def test_diversity_does_not_grow_with_the_list(k):
    """Dividing the sum over pairs by the length gives 1.5 for four items at distance 1."""
    assert intra_list_diversity(np.arange(k), features=np.eye(k)) == pytest.approx(1.0)


def test_distance_from_the_history_is_a_mean_over_the_relevant_items():
    """Summing over two relevant items at distance 0.2 gives -0.6 where both should be 0.2."""
    features = {"met": [1.0, 0.0], "a": [0.8, 0.6], "b": [0.8, -0.6]}
    for reading in ("relevant-only", "times-relevance"):
        got = unexpectedness(["a", "b"], ["met"], features, relevant={"a", "b"}, reading=reading)
        assert got == pytest.approx(0.2)


def test_coverage_never_exceeds_one():
    """Without the intersection, five items recommended from a catalogue of three give 1.667."""
    with pytest.raises(ValueError, match="not in the catalogue"):
        catalog_coverage([["a", "b"], ["c", "x"], ["y"]], ["a", "b", "c"])


@pytest.mark.parametrize(("unseen", "value"), [("drop", 1.0), ("one", (1 + math.log2(100)) / 2)])
def test_an_item_without_interactions_has_the_value_of_the_unseen_option(unseen, value):
    """Elsewhere it counts as one user, is dropped with or without its place, or adds 18.61."""
    for counts in ({"seen": 50}, {"seen": 50, "new": 0}):
        got = self_information(["seen", "new"], counts, 100, unseen=unseen)
        assert got == pytest.approx(value)
        with pytest.raises(ValueError, match="item 'new'"):
            self_information(["seen", "new"], counts, 100)


def test_gini_over_the_vocabulary_and_normalized():
    assert gini([0, 0, 0, 1]) == pytest.approx(0.75)
    assert gini([2, 1], normalized=True) == pytest.approx(1 / 3)


def test_a_user_without_a_list_does_not_change_other_users():
    wanted = {"u": {"a"}, "v": {"b"}}
    recommended = {"u": ["a", "x"], "v": ["b", "a"]}
    before = serendipity(recommended, wanted, ["a"], k=2)
    after = serendipity({**recommended, "w": []}, {**wanted, "w": {"a"}}, ["a"], k=2)
    assert before.tolist() == [0.0, 0.5]
    assert after.tolist() == [0.0, 0.5, 0.0]


def test_entropies_agree_with_scipy():
    special, stats = pytest.importorskip("scipy.special"), pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(1)
    for _ in range(50):
        counts = rng.integers(0, 9, 12)
        counts[0] += 1
        for base in (2, math.e, 10, 3):
            assert shannon_entropy(counts, base=base) == pytest.approx(
                stats.entropy(counts, base=base), abs=1e-12
            )
        scores = rng.normal(size=(4, 6)) * 5
        assert score_entropy(scores, base=2) == pytest.approx(
            stats.entropy(special.softmax(scores, axis=1), base=2, axis=1), abs=1e-12
        )
        p, q = rng.dirichlet(np.ones(5), 3), rng.dirichlet(np.ones(5), 3)
        assert genre_calibration(p, q) == pytest.approx(
            stats.entropy(p, 0.99 * q + 0.01 * p, base=2, axis=1), abs=1e-12
        )


def test_diversities_agree_with_scikit_learn_and_scipy():
    pairwise = pytest.importorskip("sklearn.metrics.pairwise")
    distance = pytest.importorskip("scipy.spatial.distance")
    rng = np.random.default_rng(1)
    features = rng.normal(size=(30, 5))
    categories = rng.random((30, 6)) < 0.4
    categories[:, 0] |= ~categories.any(axis=1)
    lists = np.argsort(rng.random((40, 30)), axis=1)[:, :7]
    alike = pairwise.cosine_similarity(features)
    upper = np.triu_indices(7, 1)
    expected = [1 - alike[np.ix_(row, row)][upper].mean() for row in lists]
    assert intra_list_diversity(lists, features=features) == pytest.approx(expected, abs=1e-12)
    assert intra_list_diversity(lists, similarity=alike) == pytest.approx(expected, abs=1e-12)
    expected = [distance.pdist(categories[row], "jaccard").mean() for row in lists]
    got = intra_list_diversity(lists, features=categories, metric="jaccard")
    assert got == pytest.approx(expected, abs=1e-12)


def test_the_lift_of_a_group_is_not_the_mean_of_its_users_lifts():
    counts = {"hit": 100, "mid": 10, "rare": 1}
    recommended, met = [["hit"], ["hit"]], [{"hit"}, {"rare"}]
    per_user = popularity_lift(recommended, met, counts)
    assert per_user.tolist() == [0.0, 99.0]
    assert popularity_lift(recommended, met, counts, pooling="groups") == pytest.approx(99 / 101)


def test_genre_calibration_separates_lists_of_equal_precision():
    """Steck's example: 70 % romance and 30 % action, recommended only romance, or as wished."""
    target = np.array([[0.7, 0.3], [0.7, 0.3], [0.7, 0.3]])
    recommended = np.array([[1.0, 0.0], [0.7, 0.3], [0.8, 0.2]])
    values = genre_calibration(target, recommended)
    assert values[1] == 0.0
    assert values[0] > values[2] > 0
    assert genre_calibration([1.0, 0.0], [0.0, 1.0]) == pytest.approx(math.log2(100))
    assert genre_calibration([0.7, 0.3], [1.0, 0.0], alpha=0) == math.inf
