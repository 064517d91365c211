"""Measures that are seldom asked for: kinds, what was not met, hits above their popularity."""

from __future__ import annotations

import math

import numpy as np
import pytest

from recsys_metrics.beyond_accuracy import (
    popularity_serendipity,
    serendipity,
    unique_category_share,
    unseen_share,
)

GENRES = {"A": "comedy", "B": "comedy", "C": ["drama", "war"], "D": ["war", "comedy"]}


def test_unique_categories_by_hand():
    assert unique_category_share(["A", "B"], GENRES) == 1 / 2
    # Drama, war and comedy, of four that two films could show.
    assert unique_category_share(["C", "D"], GENRES) == 3 / 4
    found = unique_category_share([["A"], ["A", "B", "C"]], GENRES)
    assert found.tolist() == [1, 3 / 4]
    rows = np.array([[0, 1, -1], [2, 1, 0]])
    assert unique_category_share(rows, ["x", "y", "x"]).tolist() == [1, 2 / 3]


def test_an_empty_list_is_nan_and_an_item_without_category_raises():
    assert math.isnan(unique_category_share([[], ["A"]], GENRES)[0])
    with pytest.raises(ValueError, match="'Z' has no category"):
        unique_category_share(["A", "Z"], GENRES)


def test_unseen_share_computed_by_hand():
    assert unseen_share([["A", "B"], ["C"]], [{"A"}, {"A"}]).tolist() == [0.5, 1]
    assert unseen_share({"u": ["A"], "v": ["A", "B", "C"]}, {"u": {"A"}, "v": {"C"}}).tolist() == [
        0,
        pytest.approx(2 / 3),
    ]
    assert unseen_share(np.array([[0, 1, -1]]), [{1}]).tolist() == [0.5]
    assert math.isnan(unseen_share([[], ["A"]], [{"A"}, {"A"}])[0])


COUNTS = {"A": 9, "B": 4, "C": 4, "D": 1, "E": 0}


def test_popularity_serendipity_computed_by_hand():
    # By popularity A is 1, B and C are 2, D is 3; E, which nobody met, comes after all ten.
    assert popularity_serendipity(["D", "E", "A"], {"D", "A"}, COUNTS, 10, k=3) == pytest.approx(
        (3 - 1) / 10 / 3
    )
    assert popularity_serendipity(["D", "E", "A"], {"E"}, COUNTS, 10, k=2) == pytest.approx(
        (11 - 2) / 10 / 2
    )
    # A list in the order of popularity lifts nothing; a short one is divided by k.
    assert popularity_serendipity(["A", "B", "D"], set("ABD"), COUNTS, 10, k=3) == 0
    assert popularity_serendipity(["D"], {"D"}, COUNTS, 10, k=4) == pytest.approx(0.2 / 4)


@pytest.mark.parametrize("k", [1, 3, 6])
def test_popularity_serendipity_accepts_every_input_form(k):
    rng = np.random.default_rng(k)
    counts = rng.integers(0, 5, 12)
    rows = np.array([rng.permutation(12)[:6] for _ in range(9)])
    rows[3, 4:] = -1
    wanted = [set(rng.permutation(12)[:5].tolist()) for _ in rows]
    order = sorted({*counts.tolist()} - {0}, reverse=True)

    def plain(row, liked):
        total = 0.0
        for rank, item in enumerate(row[:k], start=1):
            place = order.index(counts[item]) + 1 if counts[item] else 13
            total += (item in liked) * max(0, place - rank) / 12
        return total / k

    lists = [row[row >= 0].tolist() for row in rows]
    expected = [plain(row, liked) for row, liked in zip(lists, wanted, strict=True)]
    named = {f"u{n}": [f"i{item}" for item in row] for n, row in enumerate(lists)}
    liked = {f"u{n}": {f"i{item}" for item in row} for n, row in enumerate(wanted)}
    for found in (
        popularity_serendipity(rows, wanted, counts, 12, k=k),
        popularity_serendipity(lists, wanted, dict(enumerate(counts)), range(12), k=k),
        popularity_serendipity(named, liked, {f"i{n}": c for n, c in enumerate(counts)}, 12, k=k),
    ):
        assert found == pytest.approx(expected, abs=1e-12)
    everything = [set(range(12))] * len(rows)
    most = popularity_serendipity(rows, everything, counts, 12, k=k)
    assert (most <= serendipity(rows, everything, [], k=k) + 1e-12).all()


def test_popularity_serendipity_checks_catalogue_size_and_users():
    with pytest.raises(ValueError, match="5 distinct items were recommended from a catalogue of 4"):
        popularity_serendipity(["E", "A"], {"A"}, COUNTS, 4, k=2)
    with pytest.raises(ValueError, match="has no relevant item"):
        popularity_serendipity(["A"], set(), COUNTS, 9, k=1, no_relevant="raise")
    assert math.isnan(popularity_serendipity(["A"], set(), COUNTS, 9, k=1))
    assert popularity_serendipity([], {"A"}, COUNTS, 9, k=1) == 0
