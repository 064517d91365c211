"""FA*IR's test: minimum counts, and how often fair lists fail."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys_metrics.bias.fairness import fa_ir_test


def test_minimum_counts_equal_the_table_of_fairsearchcore():
    # In its README: k = 20, p = 0.25, alpha = 0.1, unadjusted.
    found = fa_ir_test(np.zeros(20), share=0.25, adjust=False)
    assert found.minimum.tolist() == [0] * 8 + [1] * 6 + [2] * 5 + [3]


def count_below(most, rank, share):
    """How likely at most so many of the first ranks are protected, by the definition."""
    return sum(math.comb(rank, m) * share**m * (1 - share) ** (rank - m) for m in range(most + 1))


@pytest.mark.parametrize("share", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7])
def test_minimum_counts_by_the_definition(share):
    found = fa_ir_test(np.zeros(12), share=share, adjust=False)
    for rank, least in enumerate(found.minimum.tolist(), start=1):
        assert (
            count_below(least, rank, share)
            > 0.1
            >= (count_below(least - 1, rank, share) if least else 0)
        )


def test_a_prefix_whose_probability_equals_alpha_fails():
    # None of three, each with one half: 0.125.
    found = fa_ir_test([0, 0, 0], share=0.5, alpha=0.125, adjust=False)
    assert found.minimum.tolist() == [0, 0, 1]


def failure_probability(minimum, share):
    """Every list there is, weighed by how likely it is."""
    lists = np.array(list(product([0, 1], repeat=len(minimum))))
    likely = share ** lists.sum(axis=1) * (1 - share) ** (1 - lists).sum(axis=1)
    return likely[(lists.cumsum(axis=1) < minimum).any(axis=1)].sum()


@pytest.mark.parametrize("share", [0.2, 0.5, 0.7])
@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.3])
def test_fair_lists_fail_with_the_largest_probability_up_to_alpha(share, alpha):
    found = fa_ir_test(np.zeros(12), share=share, alpha=alpha)
    assert failure_probability(found.minimum, share) <= alpha + 1e-12
    assert found.adjusted_alpha <= alpha
    if found.adjusted_alpha < alpha:
        # With a significance that is any higher, too many would fail.
        more = fa_ir_test(
            np.zeros(12), share=share, alpha=found.adjusted_alpha + 1e-9, adjust=False
        )
        assert failure_probability(more.minimum, share) > alpha


def test_without_adjustment_more_fair_lists_fail():
    drawn = np.random.default_rng(2).random((20_000, 40)) < 0.4
    adjusted = fa_ir_test(drawn, share=0.4).fair
    assert 0.05 < 1 - adjusted.mean() <= 0.1 + 3 * np.sqrt(0.09 / 20_000)
    assert 1 - fa_ir_test(drawn, share=0.4, adjust=False).fair.mean() > 0.2


@pytest.mark.slow
@given(st.lists(st.integers(0, 1), min_size=1, max_size=30), st.floats(0.05, 0.95))
def test_the_first_failure_is_the_first_prefix_below_its_minimum(row, share):
    found = fa_ir_test([row, [1] * len(row)], share=share)
    short = [i for i in range(1, len(row) + 1) if sum(row[:i]) < found.minimum[i - 1]]
    assert found.first_failed_rank.tolist() == [short[0] if short else 0, 0]
    assert found.fair.tolist() == [not short, True]
    alone = fa_ir_test(row, share=share)
    assert alone.first_failed_rank[0] == found.first_failed_rank[0]


def test_invalid_arguments_raise():
    with pytest.raises(ValueError, match="2"):
        fa_ir_test([0, 2], share=0.5)
    with pytest.raises(ValueError, match="share"):
        fa_ir_test([0, 1], share=1.5)
    with pytest.raises(ValueError, match=r"one list of 0 and 1, or one a row; got shape \(1, 0\)"):
        fa_ir_test([], share=0.5)
