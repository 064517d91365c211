"""The surrogate index: least squares by hand, its interval, and what it cannot know."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys_metrics.protocol.online import ab_test, surrogate_index


def drawn(seed, n=200):
    """Return surrogates and outcomes of the past, and the surrogates of two groups."""
    rng = np.random.default_rng(seed)
    past = rng.poisson([3.0, 2.0], (n, 2)).astype(float)
    outcome = past @ [0.2, -0.1] + rng.normal(0, 1 + past[:, 0], n)
    return past, outcome, rng.poisson([3.0, 2.0], (n, 2)), rng.poisson([3.5, 2.5], (n, 2))


@given(seed=st.integers(0, 999))
def test_the_gain_and_its_error_are_those_of_least_squares(seed):
    past, outcome, control, treatment = drawn(seed)
    design = np.column_stack([np.ones(len(past)), past])
    weights, *_ = np.linalg.lstsq(design, outcome, rcond=None)
    left = outcome - design @ weights
    bread = np.linalg.inv(design.T @ design)
    robust = bread @ (design.T * left**2) @ design @ bread * len(past) / (len(past) - 3)
    change = np.append(0.0, treatment.mean(axis=0) - control.mean(axis=0))
    spread = sum(np.cov(group.T) / len(group) for group in (control, treatment))
    error = weights[1:] @ spread @ weights[1:] + change @ robust @ change
    found = surrogate_index(past, outcome, control, treatment)
    assert found.gain == pytest.approx(float(change @ weights))
    assert found.statistic == pytest.approx(found.gain / np.sqrt(error))
    assert found.interval.half_width == pytest.approx(1.959964 * np.sqrt(error))
    assert found.n == 400


@given(seed=st.integers(0, 999), unit=st.sampled_from([1e-6, 0.5, 1e6]))
def test_the_unit_of_a_surrogate_does_not_matter(seed, unit):
    past, outcome, *groups = drawn(seed)
    found = surrogate_index(past, outcome, *groups)
    scaled = [part * [unit, 1] for part in (past, *groups)]
    other = surrogate_index(scaled[0], outcome, *scaled[1:])
    assert (other.gain, other.statistic) == pytest.approx((found.gain, found.statistic))


def test_one_surrogate_may_be_a_column_or_a_list():
    past, outcome, control, treatment = (
        part[..., 0] if part.ndim == 2 else part for part in drawn(1)
    )
    one = surrogate_index(past, outcome, control, treatment)
    assert one == surrogate_index(past[:, None], outcome, control[:, None], treatment[:, None])
    assert surrogate_index(past, outcome, treatment, control).gain == pytest.approx(-one.gain)


def test_coefficients_that_are_known_exactly_leave_the_test_of_two_groups():
    past, _, control, treatment = drawn(2)
    of_index = surrogate_index(past, past @ [2.0, 1.0], control, treatment)
    plain = ab_test(control @ [2.0, 1.0], treatment @ [2.0, 1.0], outcome="amounts").gain
    assert of_index.gain == pytest.approx(plain.gain)
    assert of_index.statistic == pytest.approx(plain.statistic)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_one_sided_p_values_are_the_two_tails(alternative):
    found = surrogate_index(*drawn(3), alternative=alternative)
    two = surrogate_index(*drawn(3)).p_value
    side = two / 2 if (found.gain > 0) == (alternative == "greater") else 1 - two / 2
    assert found.p_value == pytest.approx(two if alternative == "two-sided" else side)


def test_rows_of_the_past_in_another_order_are_an_error():
    past, outcome, *groups = drawn(5)
    table, column = pd.DataFrame(past), pd.Series(outcome)
    gain = surrogate_index(past, outcome, *groups).gain
    assert surrogate_index(table, column, *groups).gain == pytest.approx(gain)
    with pytest.raises(ValueError, match="their indexes differ"):
        surrogate_index(table, column[::-1], *groups)


def replaced(**parts):
    names = ("past_surrogates", "past_outcome", "control", "treatment")
    return {**dict(zip(names, drawn(4), strict=True)), **parts}


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"past_outcome": np.arange(150.0)}, "200 users and past_outcome 150"),
        ({"past_outcome": np.ones(200)}, "past_outcome is 1 for all 200 past users"),
        ({"control": np.ones((50, 3))}, "control has 3 surrogates and past_surrogates 2"),
        ({"treatment": np.ones((5, 2))}, "at least 20"),
        ({"past_surrogates": np.ones((200, 2))}, "it predicts nothing"),
        ({"past_surrogates": np.outer(range(200), [1, 2])}, "a sum of the others"),
        ({"past_surrogates": np.ones((2, 2, 2))}, "one number per user"),
        ({"control": np.full((200, 2), np.nan)}, "control"),
        ({"control": np.ones((30, 2)), "treatment": np.ones((30, 2))}, "same surrogates"),
    ],
)
def test_invalid_inputs_raise(parts, message):
    with pytest.raises(ValueError, match=message):
        surrogate_index(**replaced(**parts))


def test_too_few_past_users_are_not_cured_by_more_seeds():
    with pytest.raises(ValueError, match=r"past_outcome: 2 values, .*; wait for more users"):
        surrogate_index([[1], [2], [3]], [0, 1], [[1], [2]], [[1], [2]])
