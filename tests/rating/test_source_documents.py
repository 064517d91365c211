"""Every number of the source documents on rating errors, by its entry in the ledger."""

from __future__ import annotations

import math

import numpy as np
import pytest

from recsys_metrics.rating import error_ratio, mae, median_absolute_error, mse, rmse

CHAPTER = ([5, 2, 3, 3], [4, 2, 5, 3])
EXERCISE = ([4, 5, 4, 3], [3, 5, 2, 4])
POST = ([5.0, 2.0, 4.0, 1.0, 5.0], [4.2, 2.8, 3.5, 1.5, 4.7])
OUTLIER = ([5, 4, 3, 2, 1], [1, 4.1, 3.1, 1.9, 1.1])


@pytest.mark.parametrize(
    ("entry", "measure", "rows", "value"),
    [
        ("ch02-errors", error_ratio, CHAPTER, 1.4907119849998598),
        ("ch02-mae", mae, CHAPTER, 0.75),
        ("ch02-mse", mse, CHAPTER, 1.25),
        ("ch02-rmse", rmse, CHAPTER, 1.118033988749895),
        ("ch14-e1", mae, EXERCISE, 1.0),
        ("ch14-e1", mse, EXERCISE, 1.5),
        ("ch14-e1", rmse, EXERCISE, 1.224744871391589),
        ("ch14-e1", error_ratio, EXERCISE, 1.224744871391589),
        # Printed as 0.14, 0.56, 0.67 and 1.20.
        ("blog-mae-intro", mae, ([5, 4, 5, 3, 4], [4.8, 4.1, 4.9, 3.2, 4.0]), 0.12),
        ("blog-mae", mae, POST, 0.58),
        ("blog-rmse", rmse, POST, 0.6115553940568261),
        ("blog-rmse", mse, POST, 0.374),
        ("blog-ratio", error_ratio, POST, 1.0544058518221142),
        ("blog-ratio-consistent", mae, ([5, 4, 3, 2, 1], [4.5, 3.5, 2.5, 1.5, 0.5]), 0.5),
        ("blog-ratio-consistent", rmse, ([5, 4, 3, 2, 1], [4.5, 3.5, 2.5, 1.5, 0.5]), 0.5),
        ("blog-ratio-consistent", error_ratio, ([5, 4, 3, 2, 1], [4.5, 3.5, 2.5, 1.5, 0.5]), 1.0),
        ("blog-ratio-outlier", mae, OUTLIER, 0.88),
        ("blog-ratio-outlier", rmse, OUTLIER, 1.7910890541790492),
        ("blog-ratio-outlier", error_ratio, OUTLIER, 2.035328470658011),
    ],
)
def test_printed_numbers(entry, measure, rows, value):
    assert measure(*rows) == pytest.approx(value, abs=1e-12), entry


@pytest.mark.parametrize(
    ("entry", "rows", "errors", "share", "largest"),
    [
        ("ch02-errors", CHAPTER, [-1, 0, 2, 0], 0.8, 3),
        ("ch14-e1", EXERCISE, [-1, 0, -2, 1], 2 / 3, 3),
    ],
)
def test_one_error_supplies_most_of_the_squared_error(entry, rows, errors, share, largest):
    each = [mse([a], [p]) for a, p in zip(*rows, strict=True)]
    assert [p - a for a, p in zip(*rows, strict=True)] == errors, entry
    assert [mae([a], [p]) for a, p in zip(*rows, strict=True)] == [abs(e) for e in errors]
    assert max(each) / sum(each) == pytest.approx(share)
    assert each.index(max(each)) + 1 == largest
    assert rmse(*rows) > mae(*rows)
    assert sum(e >= 1 for e in each) == sum(abs(e) >= 1 for e in errors)


def test_blog_mae_weights_errors_by_their_size():
    """MAE is said to treat errors of 0.5 and 2.0 equally; the second weighs four times as much."""
    small, large = ([0.5], [0.0]), ([2.0], [0.0])
    assert mae(*large) / mae(*small) == 4.0
    assert mse(*large) / mse(*small) == 16.0


def test_blog_ratio_label_the_ratio_does_not_count_large_errors():
    assert error_ratio(*OUTLIER) == pytest.approx(2.035328470658011)
    assert sum(abs(p - a) >= 1 for a, p in zip(*OUTLIER, strict=True)) == 1
    always_off_by_two = ([5, 4, 3], [3, 2, 1])
    assert error_ratio(*always_off_by_two) == 1.0
    assert median_absolute_error(*always_off_by_two) == 2.0


def test_blog_constant_mean_is_not_perfect_accuracy():
    actual = [5, 4, 5, 3, 4]
    predicted = [4.2] * 5
    assert mae(actual, predicted) == pytest.approx(0.64)
    assert rmse(actual, predicted) == pytest.approx(0.7483314773547882)
    assert rmse(actual, predicted) == pytest.approx(np.std(actual))


def test_the_ratio_is_at_most_the_root_of_the_number_of_rows():
    assert error_ratio([0, 0, 0, 0], [0, 0, 7, 0]) == pytest.approx(math.sqrt(4))


def test_gaussian_errors_have_a_ratio_of_1_253():
    errors = np.random.default_rng(0).normal(size=200_000)
    assert error_ratio(np.zeros_like(errors), errors) == pytest.approx(
        math.sqrt(math.pi / 2), abs=0.005
    )
