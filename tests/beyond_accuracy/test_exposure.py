"""Attention of items and of kinds: by hand, and what it comes to without discount."""

from __future__ import annotations

import math

import numpy as np
import pytest

from recsys_metrics.beyond_accuracy import (
    exposure_of_items,
    gini,
    rank_biased_entropy,
    recommendation_counts,
    shannon_entropy,
)

RNG = np.random.default_rng(0)
LISTS = [RNG.permutation(9)[: RNG.integers(1, 6)].tolist() for _ in range(40)]


def test_exposure_computed_by_hand():
    found = exposure_of_items([["A", "B"], ["B"]], list("CBA"), attention="geometric", patience=0.5)
    assert found.tolist() == [0.0, 1.5, 1.0]
    found = exposure_of_items([["A", "B", "C"]], list("ABC"))
    np.testing.assert_allclose(found, [1, 1 / math.log2(3), 0.5])


def test_without_discount_exposure_is_the_recommendation_count():
    counted = exposure_of_items(LISTS, 9, attention="none")
    np.testing.assert_array_equal(counted, recommendation_counts(LISTS, 9))
    table = np.full((40, 6), -1)
    for row, items in zip(table, LISTS, strict=True):
        row[: len(items)] = items
    np.testing.assert_array_equal(exposure_of_items(table, 9), exposure_of_items(LISTS, 9))


def test_first_rank_gets_all_exposure_as_patience_goes_to_zero():
    same = [["A", "B"]] * 3
    impatient = exposure_of_items(same, ["A", "B"], attention="geometric", patience=1e-9)
    assert gini(impatient) == pytest.approx(0.5)


def test_exposure_gini_equals_the_value_of_lenskit():
    # ExposureGini(items=20) of LensKit 2025.8.1 on these lists, in single precision.
    rng = np.random.default_rng(0)
    lists = [rng.permutation(20)[:6].tolist() for _ in range(15)]
    exposure = exposure_of_items(lists, 20, attention="geometric", patience=0.85)
    assert gini(exposure) == pytest.approx(0.20500356, abs=1e-7)


def test_rank_biased_entropy_equals_its_definition():
    kinds = {item: [{"x"}, {"y"}, {"x", "y"}][item % 3] for item in range(9)}
    found = rank_biased_entropy(LISTS, kinds, attention="none")
    for row, value in zip(LISTS, found, strict=True):
        counts = [sum((kind in kinds[i]) / len(kinds[i]) for i in row) for kind in "xy"]
        assert value == pytest.approx(shannon_entropy(counts), abs=1e-12)
    # Rank 1 has weight 1, rank 2 has 0.85.
    p = 1 / 1.85
    by_hand = -(p * math.log2(p) + (1 - p) * math.log2(1 - p))
    assert rank_biased_entropy([0, 1], kinds) == pytest.approx(by_hand)
    assert math.isnan(rank_biased_entropy([[], [0]], kinds)[0])


def test_invalid_arguments_raise():
    with pytest.raises(ValueError, match="attention must be one of"):
        exposure_of_items([["A"]], ["A"], attention="some")
    with pytest.raises(ValueError, match="patience is the probability"):
        exposure_of_items([["A"]], ["A"], patience=1)
    with pytest.raises(ValueError, match="0 or more"):
        rank_biased_entropy([0], [[-1.0, 2.0]])
