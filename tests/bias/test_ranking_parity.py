"""RSP, REO, MAD, equalized odds, amortized attention: by hand, by definition, by identity."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from recsys_metrics.bias.fairness import (
    amortized_attention,
    by_group,
    demographic_parity,
    equal_opportunity,
    equalized_odds,
    ranking_equal_opportunity,
    ranking_statistical_parity,
)

RNG = np.random.default_rng(0)
N_LISTS, N_ITEMS, K = 40, 25, 5
GROUPS = np.array(["a", "b", "c"])[RNG.integers(0, 3, N_ITEMS)]
SEEN = RNG.random((N_LISTS, N_ITEMS)) < 0.2
LISTS = np.array([RNG.permutation(np.flatnonzero(~seen))[:K] for seen in SEEN])
WANTED = (RNG.random((N_LISTS, N_ITEMS)) < 0.3) & ~SEEN
SERVED = np.zeros((N_LISTS, N_ITEMS), dtype=bool)
np.put_along_axis(SERVED, LISTS, True, axis=1)


def test_parity_rates_equal_demographic_parity_over_all_user_item_pairs():
    pairs = np.nonzero(~SEEN)
    found = ranking_statistical_parity(LISTS, GROUPS, history=csr_array(SEEN.astype(float)))
    plain = demographic_parity(SERVED[pairs], GROUPS[pairs[1]])
    assert found.per_group == pytest.approx(plain.per_group)
    rates = np.array(list(plain.per_group.values()))
    assert found.relative_deviation == pytest.approx(rates.std() / rates.mean())
    found = ranking_equal_opportunity(LISTS, csr_array(WANTED.astype(float)), GROUPS)
    plain = equal_opportunity(WANTED[pairs], SERVED[pairs], GROUPS[pairs[1]])
    assert found.per_group == pytest.approx(plain.per_group)
    assert found.count == plain.count


def test_string_ids_and_item_numbers_agree():
    name = np.array([f"item {j}" for j in range(N_ITEMS)])
    groups = dict(zip(name.tolist(), GROUPS.tolist(), strict=True))
    lists = {f"u{row}": name[items].tolist() for row, items in enumerate(LISTS)}
    wanted = {f"u{row}": set(name[own].tolist()) for row, own in enumerate(WANTED)}
    by_id = ranking_equal_opportunity(lists, wanted, groups)
    by_number = ranking_equal_opportunity(LISTS, [np.flatnonzero(own) for own in WANTED], GROUPS)
    assert by_id.per_group == by_number.per_group


def test_deviation_is_zero_where_groups_are_recommended_equally():
    parity = ranking_statistical_parity([[0, 1], [2, 3]], ["a", "b", "a", "b"])
    assert parity.relative_deviation == 0.0
    assert parity.per_group == {"a": 0.5, "b": 0.5}


def test_mean_difference_by_hand():
    report = by_group([0.1, 0.1, 0.4, 0.4, 0.9, 0.9], ["x", "x", "y", "y", "z", "z"])
    assert report.mean_difference == pytest.approx((0.3 + 0.5 + 0.8) / 3)
    assert report.relative_deviation == pytest.approx(
        np.std([0.1, 0.4, 0.9]) / np.mean([0.1, 0.4, 0.9])
    )
    assert np.isnan(demographic_parity([1, 0], ["x", "x"]).mean_difference)


def test_equalized_odds_is_the_larger_of_two_gaps():
    labels, selected = RNG.random(300) < 0.5, RNG.random(300) < 0.4
    groups = RNG.integers(0, 2, 300)
    odds = equalized_odds(labels, selected, groups)
    right = equal_opportunity(labels, selected, groups)
    wrong = equal_opportunity(~labels, selected, groups)
    assert odds.gap == max(right.gap, wrong.gap)
    assert odds.ratio == min(right.ratio, wrong.ratio)
    assert "larger gap" in repr(odds)


def test_amortized_attention_by_hand():
    found = amortized_attention([[0, 1], [0, 1]], [[3, 1], [1, 3]], attention="none")
    assert found.attention.tolist() == [0.5, 0.5]
    assert found.unfairness == 0.0
    # All attention on an item that deserves nothing.
    assert amortized_attention([[0]], [[0, 1]]).unfairness == 2.0
    sparse = amortized_attention(LISTS, csr_array(SERVED.astype(float)))
    assert sparse.attention.sum() == pytest.approx(1)
    assert sparse.relevance.sum() == pytest.approx(1)


def test_invalid_input_raises():
    with pytest.raises(ValueError, match="recommends an item of its user's history"):
        ranking_statistical_parity([[0, 1]], ["a", "b"], history=[[1]])
    with pytest.raises(ValueError, match="has 1 lists and relevant 2 entries"):
        ranking_equal_opportunity([[0, 1]], [[1], [0]], ["a", "b"])
    with pytest.raises(ValueError, match="item 'z' at rank 1, which has no group"):
        ranking_statistical_parity([["z"]], {"y": "a"})
    with pytest.raises(TypeError, match="relevant is keyed by user"):
        ranking_equal_opportunity([[0]], {"u": [0]}, ["a", "b"])
    with pytest.raises(ValueError, match="relevance 0 is empty or all 0"):
        amortized_attention([[0]], [[0, 0]])
