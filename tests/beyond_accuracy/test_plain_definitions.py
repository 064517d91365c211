"""The fast ways give what the plain definitions give, on random input and at the edges."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys_metrics import beyond_accuracy as beyond
from recsys_metrics._core.inputs.lists import read_lists
from recsys_metrics._core.inputs.tables import distinct, occurrences, positions
from recsys_metrics.beyond_accuracy._features import unit_rows
from recsys_metrics.beyond_accuracy._item_counts import list_means
from tests.examples import examples


def draw_lists(n, width, n_items, *, empty=0.0, seed=0):
    rng = np.random.default_rng(seed)
    items = rng.random((n, n_items)).argsort(axis=1)[:, :width]
    return np.where(rng.random(items.shape) < empty, -1, items)


@pytest.mark.parametrize("empty", [0.0, 0.3])
def test_diversity_from_the_sum_of_vectors_equals_the_mean_over_pairs(empty):
    # More lists than one block holds, the last block short.
    items = draw_lists(5_003, 4, 30, empty=empty)
    features = np.random.default_rng(1).standard_normal((40, 64))
    units = features / np.linalg.norm(features, axis=1, keepdims=True)
    found = beyond.intra_list_diversity(items, features=features)
    for row, value in zip(items[::97], found[::97], strict=True):
        pairs = [1 - units[a] @ units[b] for a, b in itertools.combinations(row[row >= 0], 2)]
        if pairs:
            assert value == pytest.approx(np.mean(pairs), rel=1e-12, abs=1e-12)
        else:
            assert np.isnan(value)


def test_features_are_not_modified():
    features = np.random.default_rng(0).standard_normal((10, 3))
    for given_features in (features, np.asfortranarray(features), features.astype(np.float32)):
        before = given_features.copy()
        beyond.intra_list_diversity(np.arange(10), features=given_features)
        assert (given_features == before).all()


@pytest.mark.parametrize("scale", [1e-320, 1e-200, 1e-110, 1.0, 1e110, 1e200, 1e307])
def test_unit_rows_of_every_size(scale):
    rows = np.array([[3.0, 4.0], [-4.0, 3.0], [0.0, 1.0]])
    units = unit_rows(rows * scale)
    # Of a number near the least there is, few digits are left.
    np.testing.assert_allclose(
        units, rows / [[5], [5], [1]], rtol=1e-3 if scale < 1e-300 else 1e-14
    )


def test_very_small_and_very_large_features_are_valid():
    tiny, huge = np.array([[1e-170, 0], [1e-170, 1e-170]]), np.array([[1e170, 0], [1e170, 1e170]])
    expected = pytest.approx(1 - np.sqrt(0.5))
    for features in (tiny, huge, np.stack([tiny[0], huge[1]])):
        assert beyond.intra_list_diversity([0, 1], features=features) == expected


@given(
    rows=st.lists(st.lists(st.integers(-1, 7), min_size=5, max_size=5), min_size=1, max_size=6),
    width=st.integers(1, 5),
)
@examples(200)
def test_a_duplicate_is_detected_within_a_list_and_not_across_lists(rows, width):
    table = np.array(rows)[:, :width]
    items = [[x for x in row if x >= 0] for row in table.tolist()]
    if any(len(set(row)) < len(row) for row in items):
        with pytest.raises(ValueError, match="twice"):
            read_lists(table)
    else:
        assert (read_lists(table).items == table).all()


def test_a_list_may_begin_with_the_last_item_of_the_list_before():
    assert beyond.personalization(np.array([[0, 1], [1, 2], [2, 3]])) == 2 / 3
    with pytest.raises(ValueError, match="list 70000 recommends item 5 twice, at ranks 1 and 2"):
        beyond.personalization(np.vstack([np.tile([4, 5], (70_000, 1)), [[5, 5]]]))


@given(
    rows=st.lists(st.lists(st.integers(-1, 7), min_size=3, max_size=3), max_size=6),
    far=st.booleans(),
)
@examples(100)
def test_occurrences_are_counted_number_by_number(rows, far):
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    table = np.where(table > 4, table + 10**12 * far, table)
    used = distinct(table)
    assert used.tolist() == sorted({x for row in table.tolist() for x in row if x >= 0})
    assert occurrences(table, used).tolist() == [(table == x).sum() for x in used]
    places = positions(table, used)
    assert (np.append(used, -1)[places] == table).all()


@pytest.mark.parametrize("empty", [0.0, 0.2])
def test_means_of_full_and_of_short_lists(empty):
    items = draw_lists(400, 5, 20, empty=empty)
    worth = np.random.default_rng(2).random(20)
    plain = [worth[row[row >= 0]].mean() if (row >= 0).any() else np.nan for row in items]
    np.testing.assert_allclose(list_means(items, worth), plain, rtol=1e-13)
    lengths = read_lists(items).lengths
    assert lengths.tolist() == (items >= 0).sum(axis=1).tolist()


def test_lists_without_a_slot():
    nothing = np.zeros((3, 0), dtype=int)
    assert read_lists(nothing).lengths.tolist() == [0, 0, 0]
    assert np.isnan(beyond.average_popularity(nothing, [1, 2])).all()
    assert beyond.recommendation_counts(nothing, 2).tolist() == [0, 0]
