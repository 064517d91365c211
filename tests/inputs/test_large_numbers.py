"""Whole numbers that are large, or small and wrapped by their type, are counted or refused."""

from __future__ import annotations

import numpy as np
import pytest

from recsys_metrics import beyond_accuracy as ba
from recsys_metrics import rating
from recsys_metrics.bias import propensity
from recsys_metrics.measures import Context, measure
from recsys_metrics.protocol.online import ab_test, sample_ratio
from recsys_metrics.protocol.significance import t_interval


def test_the_users_of_two_groups_are_added_without_wrapping_around():
    found = sample_ratio([2**62, 2**62])
    assert found.expected == (2.0**62, 2.0**62)
    assert (found.statistic, found.p_value, found.mismatch) == (0, 1, False)
    assert found.counts == (2**62, 2**62)
    assert sample_ratio([2**62, 2**62 + 2**40]).mismatch


def test_too_many_users_for_any_number_of_looks_are_an_error():
    assert not sample_ratio([5 * 10**11, 5 * 10**11], looks="any").mismatch
    with pytest.raises(ValueError, match="keeps its digits up to 1,000,000,000,000; pass looks="):
        sample_ratio([10**12, 10**12], looks="any")


def test_shares_may_be_large_but_not_nothing_beside_each_other():
    assert sample_ratio([50, 70], shares=[1e308, 1e308]) == sample_ratio([50, 70])
    with pytest.raises(ValueError, match=r"shares\[0\] is so small compared with the others"):
        sample_ratio([5, 7], shares=[1e-320, 1e308])


def test_counts_of_a_narrow_type_do_not_wrap_around():
    lists, efd = [[0, 1]], measure("expected_free_discovery@2")
    narrow = np.array([100, 50, 100], dtype=np.int8)
    wide = efd.of_lists(lists, Context(item_counts=narrow.astype(float)))
    assert efd.of_lists(lists, Context(item_counts=narrow)) == wide
    assert ba.gini(narrow) == ba.gini([100, 50, 100])


def test_numbers_beyond_an_index_are_an_error():
    with pytest.raises(ValueError, match=r"positions\[0\] is 9223372036854775809; they run from 1"):
        propensity.position_bias_em([1, 0], [0, 1], np.array([2**63 + 1, 1], dtype=np.uint64))


def test_a_large_offset_leaves_what_values_vary_by():
    small, far = np.array([0.0, 1, 3]), 1e15 + np.array([0.0, 1, 3])
    ratings = [1.0, 2, 3]
    assert rating.correlation(far, ratings) == pytest.approx(rating.correlation(small, ratings))
    # Each prediction is 1 too high: 1 - 3 / (42 / 9).
    assert rating.r2(far, far + 1) == pytest.approx(1 - 3 / (42 / 9), rel=1e-12)
    # 14 / 3 over two degrees of freedom.
    assert t_interval(far).standard_deviation == pytest.approx((14 / 3 / 2) ** 0.5, rel=1e-12)
    p_values = [ab_test(values, values + 1).gain.p_value for values in (small, far)]
    assert p_values[1] == pytest.approx(p_values[0], rel=1e-12)
