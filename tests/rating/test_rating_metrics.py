"""Rating measures: identities, agreement with scikit-learn, users, and bad input."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys_metrics import rating
from recsys_metrics.rating import (
    error_ratio,
    explained_variance,
    mae,
    median_absolute_error,
    mse,
    r2,
    rmse,
)
from tests.examples import examples

# No error is a share of 0, so these rows are not for `mape`, and a correlation has no weights;
# test_relative.py and test_correlation.py have their own.
MEASURES = [getattr(rating, name) for name in rating.__all__ if name not in ("mape", "correlation")]
stars = st.floats(-10, 10, allow_nan=False).map(lambda x: round(x, 3))
rows = st.lists(st.tuples(stars, stars, st.integers(0, 3), st.integers(0, 4)), min_size=1)


def same(a, b):
    return np.array_equal(np.asarray(a), np.asarray(b), equal_nan=True)


@examples(100)
@given(rows, st.randoms(use_true_random=False))
def test_values_do_not_depend_on_the_order_of_rows(table, random):
    shuffled = list(table)
    random.shuffle(shuffled)
    for measure in MEASURES:
        values = []
        for part in (table, shuffled):
            actual, predicted, user, weight = (list(column) for column in zip(*part, strict=True))
            weights = [w + 0.1 for w in weight]
            values.append(
                (
                    measure(actual, predicted),
                    measure(actual, predicted, users=user),
                    measure(actual, predicted, weights=weights),
                    measure(actual, predicted, weights=weights, users=user),
                )
            )
        assert all(same(a, b) for a, b in zip(*values, strict=True)), measure.__name__


@examples(100)
@given(rows)
def test_per_user_values_equal_separate_tables(table):
    actual, predicted, user, weight = (np.array(column) for column in zip(*table, strict=True))
    for measure in MEASURES:
        got = measure(actual, predicted, users=user)
        for value, who in zip(got, np.unique(user), strict=True):
            own = user == who
            assert same(value, measure(actual[own], predicted[own])) or value == pytest.approx(
                measure(actual[own], predicted[own]), rel=1e-12
            )
        if not weight.any():
            continue
        weighted = measure(actual, predicted, users=user, weights=weight)
        for value, who in zip(weighted, np.unique(user), strict=True):
            own = user == who
            if not weight[own].any():
                assert math.isnan(value)
            else:
                alone = measure(actual[own], predicted[own], weights=weight[own])
                assert value == pytest.approx(alone, rel=1e-9, nan_ok=True)


@examples(100)
@given(rows)
def test_integer_weights_equal_repeated_rows(table):
    actual, predicted, _, weight = (np.array(column) for column in zip(*table, strict=True))
    if not weight.any():
        return
    for measure in MEASURES:
        repeated = measure(np.repeat(actual, weight), np.repeat(predicted, weight))
        weighted = measure(actual, predicted, weights=weight)
        assert weighted == pytest.approx(repeated, rel=1e-9, abs=1e-12, nan_ok=True)


@examples(100)
@given(rows)
def test_metrics_stay_within_their_bounds(table):
    actual, predicted, _, _ = (np.array(column) for column in zip(*table, strict=True))
    assert mae(actual, predicted) <= rmse(actual, predicted) * (1 + 1e-12)
    assert rmse(actual, predicted) == pytest.approx(math.sqrt(mse(actual, predicted)))
    assert mae(actual, predicted) == mae(predicted, actual)
    ratio = error_ratio(actual, predicted)
    if math.isnan(ratio):
        assert mae(actual, predicted) == 0
    else:
        assert 1 - 1e-12 <= ratio <= math.sqrt(len(actual)) * (1 + 1e-12)
    if not math.isnan(r2(actual, predicted)):
        assert explained_variance(actual, predicted) >= r2(actual, predicted) - 1e-9 * (
            1 + abs(r2(actual, predicted))
        )
        assert r2(actual, actual) == 1.0
        assert r2(actual, np.full(len(actual), actual.mean())) == pytest.approx(0, abs=1e-9)


def test_sums_are_exact_where_plain_ones_are_not():
    rng = np.random.default_rng(3)
    actual = rng.normal(size=2_000)
    exact = sum(Fraction(abs(float(x))) for x in actual)
    assert mae(actual, np.zeros(2_000)) == float(exact) / 2_000
    assert mae([1e300, -1e300], [0, 0]) == 1e300


def test_values_too_large_for_the_grid_are_still_summed():
    assert mae([1.5e308], [0.0]) == 1.5e308


@pytest.mark.slow
def test_agrees_with_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    peers = {
        mae: metrics.mean_absolute_error,
        mse: metrics.mean_squared_error,
        rmse: metrics.root_mean_squared_error,
        r2: metrics.r2_score,
        explained_variance: metrics.explained_variance_score,
    }
    for _ in range(100):
        n = int(rng.integers(2, 60))
        actual = rng.integers(1, 6, n) + rng.normal(size=n) * 0.01
        predicted, weights = rng.normal(3, 1, n), rng.random(n) + 0.01
        for ours, theirs in peers.items():
            assert ours(actual, predicted) == pytest.approx(theirs(actual, predicted), rel=1e-12)
            assert ours(actual, predicted, weights=weights) == pytest.approx(
                theirs(actual, predicted, sample_weight=weights), rel=1e-10
            )
        assert median_absolute_error(actual, predicted) == pytest.approx(
            metrics.median_absolute_error(actual, predicted), rel=1e-12
        )


def test_macro_and_micro_averages_differ():
    """A busy user with small errors hides a quiet one with large errors in the pooled value."""
    actual, predicted = [3, 3, 3, 3, 3, 3, 3, 3, 3, 3], [3.1] * 9 + [5]
    users = ["busy"] * 9 + ["quiet"]
    assert mae(actual, predicted) == pytest.approx(0.29)
    assert mae(actual, predicted, users=users) == pytest.approx([0.1, 2.0])
    assert mae(actual, predicted, users=users).mean() == pytest.approx(1.05)


def test_per_user_values_are_sorted_by_user():
    assert mae([1, 1, 1], [1, 2, 4], users=["c", "a", "b"]).tolist() == [1.0, 3.0, 0.0]
    assert mae([1, 1, 1], [1, 2, 4], users=[30, 10, 20]).tolist() == [1.0, 3.0, 0.0]


def test_constant_ratings_have_nan_explained_variance():
    for measure in (r2, explained_variance):
        assert math.isnan(measure([3], [4]))
        assert math.isnan(measure([0.1] * 7, [0.2] * 7))
        assert math.isnan(measure([0.1] * 7, [0.1] * 7))
        assert math.isnan(measure([1, 2], [1, 2], weights=[1, 0]))
    by_user = r2([5, 4, 3], [5, 4, 1], users=["a", "a", "b"])
    assert by_user[0] == 1.0
    assert math.isnan(by_user[1])


def test_exact_predictions_have_a_nan_error_ratio():
    assert math.isnan(error_ratio([3, 4], [3, 4]))


def test_weighted_median_between_two_errors():
    assert median_absolute_error([0, 0, 0, 0], [1, 2, 3, 4]) == 2.5
    assert median_absolute_error([0, 0], [1, 3], weights=[0.1, 0.1]) == 2.0
    assert median_absolute_error([0, 0, 0], [1, 3, 9], weights=[0.1, 0.2, 0.3]) == 6.0
    assert median_absolute_error([0, 0, 0], [1, 3, 9], weights=[1, 1, 5]) == 9.0
    assert median_absolute_error([0, 0, 0], [7, 3, 9], weights=[1, 0, 0]) == 7.0


def test_a_single_user_gives_an_array():
    assert mae([1, 2], [1, 3], users=[7, 7]).tolist() == [0.5]
    assert isinstance(mae([1, 2], [1, 3]), float)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.__name__)
@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (([], []), {}, ValueError, "there are no ratings"),
        (([1, 2], [1]), {}, ValueError, "actual 2, predicted 1"),
        (([1, 2], [1, 2]), {"weights": [1]}, ValueError, "weights 1"),
        (([1, 2], [1, 2]), {"users": ["a"]}, ValueError, "users 1"),
        (([1, math.nan], [1, 2]), {}, ValueError, r"actual\[1\] is nan"),
        (([1, 2], [math.inf, 2]), {}, ValueError, r"predicted\[0\] is inf"),
        (([1, 2], [1, 2]), {"weights": [1, math.nan]}, ValueError, r"weights\[1\] is nan"),
        (([1, 2], [1, 2]), {"weights": [1, -2]}, ValueError, r"weights\[1\] is -2"),
        (([1, 2], [1, 2]), {"weights": [0, 0]}, ValueError, "all weights are 0"),
        (([[1, 2]], [[1, 2]]), {}, ValueError, r"actual .* got shape \(1, 2\)"),
        ((3, 4), {}, ValueError, r"one dimension; got shape \(\)"),
        ((["good"], [1]), {}, TypeError, "actual must be numbers"),
        (([1, 2], [1, 2]), {"users": [["a", "b"]]}, ValueError, r"one user per rating; got shape"),
        (([1, 2], [1, 2]), {"users": np.array(["a", 1], dtype=object)}, TypeError, "one kind"),
        (([1, 2], [1, 2]), {"users": [1.0, math.nan]}, ValueError, r"users\[1\] is nan"),
    ],
)
def test_invalid_input_raises(measure, arguments, options, error, message):
    with pytest.raises(error, match=message):
        measure(*arguments, **options)


@pytest.mark.parametrize("size", [1e200, 1e-200])
def test_the_root_of_squares_that_leave_the_floats_is_right(size):
    assert rating.rmse([size, 0, 0, 0], [0, 0, 0, 0]) == pytest.approx(size / 2)
    by_user = rating.rmse([size, size, 1, 3], [0, 0, 0, 0], users=[1, 1, 2, 2])
    assert by_user == pytest.approx([size, 5**0.5])


@pytest.mark.parametrize("size", [1e200, 1e-200, 1.0])
def test_explained_variance_does_not_depend_on_the_scale(size):
    actual, predicted = size * np.array([1.0, 2.0, 3.0]), size * np.array([1.0, 2.0, 4.0])
    assert rating.r2(actual, predicted) == pytest.approx(0.5)
    assert rating.explained_variance(actual, predicted) == pytest.approx(2 / 3)


@pytest.mark.parametrize("of", [np.array([1 + 2j, 1]), np.array(["2020-01-01"], "M8[D]")])
def test_complex_numbers_and_dates_are_no_ratings(of):
    with pytest.raises(TypeError, match=r"actual must be numbers.*got \w+\S* values"):
        rating.mae(of, of)
