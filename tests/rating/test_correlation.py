"""Whether predictions rise and fall with the ratings."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from recsys_metrics.rating import correlation

STARS = st.lists(
    st.tuples(st.integers(1, 5), st.integers(1, 10), st.integers(0, 3)), min_size=2, max_size=25
)
THEIRS = {
    "pearson": lambda a, b: stats.pearsonr(a, b).statistic,
    "spearman": lambda a, b: stats.spearmanr(a, b).statistic,
    "kendall": lambda a, b: stats.kendalltau(a, b).statistic,
}


def scipy_correlation(kind, actual, predicted):
    if len(set(actual)) < 2 or len(set(predicted)) < 2:
        return math.nan
    return THEIRS[kind](actual, predicted)


@pytest.mark.parametrize("kind", THEIRS)
@given(rows=STARS)
def test_correlations_equal_scipy_overall_and_per_user(kind, rows):
    actual, predicted, users = np.array(rows).T
    assert correlation(actual, predicted, kind=kind) == pytest.approx(
        scipy_correlation(kind, actual, predicted), nan_ok=True, abs=1e-12
    )
    found = correlation(actual, predicted, kind=kind, users=users)
    wanted = [
        scipy_correlation(kind, actual[users == user], predicted[users == user])
        for user in np.unique(users)
    ]
    assert found.tolist() == pytest.approx(wanted, nan_ok=True, abs=1e-12)


def test_correlations_computed_by_hand():
    # Deviations of 1, 0, -1 and of 2, -1, -1.
    assert correlation([5, 4, 3], [4, 1, 1]) == pytest.approx(3 / math.sqrt(2 * 6))
    assert correlation([5, 4, 3], [9, 4, 1], kind="spearman") == pytest.approx(1)
    assert correlation([5, 4, 3], [4, 9, 1], kind="kendall") == pytest.approx(1 / 3)


def test_correlation_is_invariant_to_linear_transformations():
    rng = np.random.default_rng(0)
    actual, predicted = rng.normal(0, 1, (2, 50))
    for kind in THEIRS:
        assert correlation(actual, 3 * predicted + 7, kind=kind) == pytest.approx(
            correlation(actual, predicted, kind=kind)
        )
        assert correlation(actual, -predicted, kind=kind) == pytest.approx(
            -correlation(actual, predicted, kind=kind)
        )


def test_an_unknown_kind_raises():
    with pytest.raises(ValueError, match="kind must be one of 'pearson', 'spearman', 'kendall'"):
        correlation([1, 2], [1, 2], kind="cosine")
