"""The correlation does not see the scale of ratings, however large or small they are."""

from __future__ import annotations

import pytest

from recsys_metrics.rating import correlation


@pytest.mark.parametrize("size", [5e-324 * 2**60, 1e-200, 1.0, 1e200, 1e308])
def test_the_correlation_of_any_size_is_that_of_size_1(size):
    assert correlation([size, 0.0], [0.0, size]) == pytest.approx(-1)
    users = [0, 0, 1, 1]
    found = correlation([size, 0, 1, 2], [size, 0, 2, 1], users=users)
    assert found == pytest.approx([1, -1])
