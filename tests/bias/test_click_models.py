"""Click models: counts by hand, parameters recovered from simulated readers, bad input."""

from __future__ import annotations

import numpy as np
import pytest

from recsys_metrics.bias.propensity import (
    cascade_model,
    dynamic_bayesian_network,
    simplified_dbn,
)


def simulate(n_lists, width, attracts, satisfies, going_on, seed):
    """Return clicks and items of readers who follow the dynamic Bayesian network."""
    rng = np.random.default_rng(seed)
    items = np.array([rng.permutation(len(attracts))[:width] for _ in range(n_lists)])
    items[np.arange(width) >= rng.integers(2, width + 1, n_lists)[:, None]] = -1
    clicks, reading = np.zeros((n_lists, width), dtype=int), np.ones(n_lists, dtype=bool)
    for rank in range(width):
        reading &= items[:, rank] >= 0
        clicked = reading & (rng.random(n_lists) < attracts[items[:, rank]])
        clicks[clicked, rank] = 1
        happy = clicked & (rng.random(n_lists) < satisfies[items[:, rank]])
        reading &= ~happy & (rng.random(n_lists) < going_on)
    return clicks, items


ATTRACTS = np.array([0.15, 0.3, 0.45, 0.6, 0.25, 0.5])
SATISFIES = np.array([0.8, 0.5, 0.2, 0.6, 0.4, 0.3])


def test_cascade_by_hand():
    clicks = [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    found = cascade_model(clicks, [["a", "b", "c"], ["b", "a", "c"], ["a", "c", "b"]])
    # a is looked at in lists 1 and 3; b in all; c in list 3 only.
    np.testing.assert_allclose(found.attractiveness, [0, 2 / 3, 0])
    np.testing.assert_allclose(found.relevance, [0, 2 / 3, 0])


def test_simplified_by_hand():
    clicks = [[1, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 0]]
    found = simplified_dbn(clicks, [[0, 1, 2, 3]] * 3)
    # List 1 is read down to rank 3, list 2 to rank 1, list 3 to the end.
    np.testing.assert_allclose(found.attractiveness, [2 / 3, 0, 1 / 2, 0])
    np.testing.assert_array_equal(found.satisfaction, [0.5, np.nan, 1.0, np.nan])
    np.testing.assert_allclose(found.relevance, [1 / 3, 0, 1 / 2, 0])


@pytest.mark.slow
def test_each_model_recovers_parameters_it_was_simulated_with():
    clicks, items = simulate(20_000, 5, ATTRACTS, np.ones(6), 1.0, seed=0)
    np.testing.assert_allclose(cascade_model(clicks, items).attractiveness, ATTRACTS, atol=0.02)
    clicks, items = simulate(20_000, 5, ATTRACTS, SATISFIES, 0.8, seed=1)
    found = dynamic_bayesian_network(clicks, items)
    assert found.converged
    np.testing.assert_allclose(found.attractiveness, ATTRACTS, atol=0.03)
    np.testing.assert_allclose(found.satisfaction, SATISFIES, atol=0.08)
    assert found.continuation == pytest.approx(0.8, abs=0.03)
    assert np.diff(found.log_likelihood).min() >= -1e-12


def test_the_likelihood_sums_over_all_hidden_paths():
    # One list, no click on a, a click on b, no click on c: sum over all that may have happened.
    a, b, c, s, going_on = 0.5, 0.5, 0.5, 0.5, 0.8
    go = (1 - s) * going_on * (1 - c)
    stop = s + (1 - s) * (1 - going_on)
    likelihood = (1 - a) * going_on * b * (stop + go)
    with pytest.warns(RuntimeWarning, match="did not settle in 1 steps"):
        found = dynamic_bayesian_network([[0, 1, 0]], [["a", "b", "c"]], max_steps=1)
    assert found.log_likelihood[0] == pytest.approx(np.log(likelihood))


@pytest.mark.parametrize(
    ("clicks", "items", "attractiveness"),
    [
        # One rank: nobody could go on.
        ([[1], [0]], [["a"], ["a"]], [0.5]),
        # b is never clicked, so a's reader may have left or read on.
        ([[1, 0]], [["a", "b"]], [1, 0]),
        # Always one order: satisfied by a, tired, or not attracted by b.
        ([[1, 1], [1, 0]] * 5, [["a", "b"]] * 10, [1, np.nan]),
    ],
)
def test_parameters_that_clicks_cannot_identify_are_nan(clicks, items, attractiveness):
    found = dynamic_bayesian_network(clicks, items)
    np.testing.assert_allclose(found.attractiveness, attractiveness, atol=1e-4)
    assert np.isnan(found.satisfaction).all()
    assert np.isnan(found.continuation)


def test_invalid_input_raises():
    with pytest.raises(ValueError, match="tables of one shape"):
        cascade_model([1, 0], ["a", "b"])
    with pytest.raises(ValueError, match=r"clicks\[0, 1\] is 2"):
        cascade_model([[1, 2]], [["a", "b"]])
    with pytest.raises(ValueError, match="the slot is empty"):
        simplified_dbn([[0, 1]], [[4, -1]])
    with pytest.raises(ValueError, match="empty slots come last"):
        simplified_dbn([[0, 1]], [[-1, 4]])
    with pytest.raises(ValueError, match="nothing was clicked"):
        dynamic_bayesian_network([[0, 0]], [["a", "b"]])


@pytest.mark.parametrize("model", [cascade_model, simplified_dbn, dynamic_bayesian_network])
@pytest.mark.parametrize(
    ("items", "words"),
    [
        ([[1, 2], [3, 3]], r"list 1 shows item 3 twice, at ranks 1 and 2"),
        ([["a", "b"], ["c", "c"]], r"list 1 shows item c twice"),
        ([[1.0, 2.0], [np.nan, 3.0]], r"items\[1, 0\] is nan, which is no item"),
        ([["a", "b"], ["c", None]], r"items\[1, 1\] is None, which is no item"),
        # numpy would write the NaN as the item "nan".
        ([["a", "b"], ["c", float("nan")]], r"items\[1, 1\] is nan, which is no item"),
        (np.array([["a", "b"], [3, 4]], dtype=object), "of one kind that can be sorted"),
    ],
)
def test_missing_and_duplicate_items_raise(model, items, words):
    with pytest.raises((TypeError, ValueError), match=words):
        model([[1, 0], [0, 1]], items)


def test_empty_slots_are_not_duplicates_and_other_negative_ids_are_items():
    found = cascade_model([[1, 0, 0], [0, 1, 0]], [[-7, -1, -1], [2, -7, -1]])
    assert found.items.tolist() == [-7, 2]
    np.testing.assert_array_equal(found.attractiveness, [1.0, 0.0])
