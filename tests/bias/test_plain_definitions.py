"""Estimates made block by block are those of the plain definitions, at the edges too."""

from __future__ import annotations

import math

import numpy as np
import pytest

from recsys_metrics._core.checks import between_zero_and_one
from recsys_metrics.bias import off_policy
from recsys_metrics.bias.off_policy import _sufficient_statistics, effective_sample_size
from recsys_metrics.bias.off_policy._formulas import is_absent

# More than the rounds of one block, with and without tables; the last block is short.
MANY = 70_003


@pytest.fixture(autouse=True)
def use_small_blocks(monkeypatch):
    monkeypatch.setattr(_sufficient_statistics, "_CELLS", 2**17)


def log_of(n, seed=0, n_actions=3):
    rng = np.random.default_rng(seed)
    behaviour, policy = (rng.dirichlet(np.ones(n_actions), n) + 1e-3 for _ in range(2))
    behaviour, policy = (table / table.sum(axis=1, keepdims=True) for table in (behaviour, policy))
    actions = rng.integers(0, n_actions, n)
    return {
        "rewards": rng.normal(1, 1, n),
        "actions": actions,
        "propensities": behaviour[np.arange(n), actions],
        "policy": policy,
        "reward_model": rng.random((n, n_actions)),
    }


def plain(log):
    """Return, by estimator, its base, top, bottom and weights over the whole log."""
    rows = np.arange(len(log["actions"]))
    weights = log["policy"][rows, log["actions"]] / log["propensities"]
    expected = (log["policy"] * log["reward_model"]).sum(axis=1)
    missed = log["rewards"] - log["reward_model"][rows, log["actions"]]
    clipped, trusted = np.minimum(weights, 2.0), np.where(weights <= 2, weights, 0.0)
    optimistic, harmonic = 3 * weights / (weights**2 + 3), weights / (0.5 + 0.5 * weights)
    return {
        "ips": (weights * log["rewards"], None, None, weights),
        "clipped_ips": (clipped * log["rewards"], None, None, clipped),
        "snips": (None, weights * log["rewards"], weights, weights),
        "clipped_snips": (None, clipped * log["rewards"], clipped, clipped),
        "subgaussian_ips": (harmonic * log["rewards"], None, None, harmonic),
        "direct_method": (expected, None, None, None),
        "doubly_robust": (expected + weights * missed, None, None, weights),
        "self_normalized_doubly_robust": (expected, weights * missed, weights, weights),
        "switch_doubly_robust": (expected + trusted * missed, None, None, trusted),
        "shrinkage_doubly_robust": (expected + optimistic * missed, None, None, optimistic),
        "subgaussian_doubly_robust": (expected + harmonic * missed, None, None, harmonic),
    }


# The function of each estimator and its options, where these are not its name and none.
CALLS = {
    "clipped_ips": ("ips", {"weights": "clipped", "cap": 2}),
    "clipped_snips": ("snips", {"weights": "clipped", "cap": 2}),
    "subgaussian_ips": ("ips", {"weights": "sub-gaussian", "shrinkage": 0.5}),
    "self_normalized_doubly_robust": ("doubly_robust", {"weights": "self-normalized"}),
    "switch_doubly_robust": ("doubly_robust", {"weights": "switch", "threshold": 2}),
    "shrinkage_doubly_robust": ("doubly_robust", {"weights": "shrinkage", "shrinkage": 3}),
    "subgaussian_doubly_robust": ("doubly_robust", {"weights": "sub-gaussian", "shrinkage": 0.5}),
}


def estimated(name, log):
    if name == "direct_method":
        return off_policy.direct_method(log["policy"], log["reward_model"])
    function, options = CALLS.get(name, (name, {}))
    estimator = getattr(off_policy, function)
    if not name.endswith("doubly_robust"):
        target = log["policy"][np.arange(len(log["actions"])), log["actions"]]
        return estimator(log["rewards"], log["propensities"], target, **options)
    return estimator(**log, **options)


@pytest.mark.parametrize("n", [1, 2, 7, 1_000, MANY])
@pytest.mark.parametrize("name", plain(log_of(2)))
def test_estimates_in_blocks_equal_the_plain_definition(name, n):
    log = log_of(n)
    found = estimated(name, log)
    base, top, bottom, weights = plain(log)[name]
    value, influence = 0.0, np.zeros(n)
    if base is not None:
        value += base.mean()
        influence += base - base.mean()
    if top is not None:
        below = 1.0 if bottom is None else bottom.mean()
        ratio = top.mean() / below
        value += ratio
        influence += (top - (ratio if bottom is None else ratio * bottom)) / below
    assert (found.n, found.value) == (n, pytest.approx(value, rel=1e-12, abs=1e-13))
    size = n if weights is None else effective_sample_size(weights)
    assert found.effective_sample_size == pytest.approx(size, rel=1e-12)
    if n == 1:
        assert math.isnan(found.standard_error)
        return
    error = math.sqrt((influence**2).sum() / (n - 1) / n)
    assert found.standard_error == pytest.approx(error, rel=1e-9)
    for mine, theirs in zip(found._spread.terms(), plain(log)[name], strict=True):
        assert is_absent(mine) == (theirs is None)
        if theirs is not None:
            np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 1_000, MANY])
@pytest.mark.parametrize("modelled", [True, False])
def test_estimates_of_all_estimators_equal_the_single_functions(n, modelled):
    log = log_of(n)
    given = log if modelled else {**log, "reward_model": None}
    found = off_policy.estimates(**given, cap=2, threshold=2)
    assert len(found) == (8 if modelled else 4)
    for name, one in found.items():
        alone = estimated(name, log)
        assert (one.name, one.n) == (alone.name, alone.n)
        for about in ("value", "standard_error", "effective_sample_size"):
            assert getattr(one, about) == pytest.approx(getattr(alone, about), rel=1e-12), name
        low, high = one.interval(n_resamples=40)
        assert (low, high) == pytest.approx(alone.interval(n_resamples=40), rel=1e-12), name


@pytest.mark.parametrize("name", ["ips", "doubly_robust"])
def test_estimates_do_not_depend_on_dtype_and_memory_layout(name):
    log = log_of(MANY)
    log["rewards"] = np.round(log["rewards"])
    other = {
        "rewards": log["rewards"].astype(np.int8),
        "actions": log["actions"].astype(np.uint8),
        "propensities": np.repeat(log["propensities"], 2)[::2],
        "policy": np.asfortranarray(log["policy"]),
        "reward_model": log["reward_model"].tolist(),
    }
    assert estimated(name, other).value == estimated(name, log).value


def test_a_target_for_all_rounds_is_the_same_for_each():
    log = log_of(MANY)
    given = log["rewards"], log["propensities"]
    one, each = off_policy.snips(*given, 0.3), off_policy.snips(*given, np.full(MANY, 0.3))
    assert (one.value, one.standard_error) == (each.value, each.standard_error)


@pytest.mark.parametrize(
    ("column", "at", "value", "message"),
    [
        ("rewards", MANY - 1, np.nan, rf"rewards\[{MANY - 1}\] is nan"),
        ("rewards", 0, np.inf, r"rewards\[0\] is inf"),
        ("propensities", MANY - 2, 0.0, rf"propensities\[{MANY - 2}\] is 0"),
        ("propensities", 60_000, -0.0, r"propensities\[60000\] is -0"),
        ("propensities", 60_000, 1.1, r"propensities\[60000\] is 1.1"),
        ("actions", 60_000, 3, r"actions\[60000\] is 3; they run from 0 to 2"),
        ("actions", 60_000, -1, r"actions\[60000\] is -1; they run from 0 to 2"),
        ("policy", (60_000, 1), -0.1, r"policy\[60000, 1\] is -0.1"),
        ("policy", (60_000, 1), np.nan, r"policy\[60000, 1\] is nan"),
        ("policy", (60_000, 1), 0.999999, r"row 60000 of the policy sums to"),
        ("reward_model", (60_000, 1), np.nan, r"reward_model\[60000, 1\] is nan"),
        ("reward_model", (60_000, 2), -np.inf, r"reward_model\[60000, 2\] is -inf"),
    ],
)
def test_an_invalid_number_is_named_at_any_position(column, at, value, message):
    log = log_of(MANY)
    log[column][at] = value
    # A weight of 0 hides nothing.
    with pytest.raises(ValueError, match=message):
        off_policy.doubly_robust(**log)
    if column in ("rewards", "propensities"):
        with pytest.raises(ValueError, match=message):
            off_policy.ips(log["rewards"], log["propensities"], 0.0)


def test_the_bitwise_check_accepts_floats_from_zero_to_one():
    for value in (0.0, 5e-324, 0.5, np.nextafter(1, 0), 1.0):
        assert between_zero_and_one(np.array([0.2, value]))
    for value in (np.nextafter(1, 2), -5e-324, -1.0, np.nan, -np.nan, np.inf, -np.inf):
        assert not between_zero_and_one(np.array([0.2, value]))
    # What only looks wrong is looked at again.
    assert off_policy.ips([1.0, 1.0], [0.5, 0.5], [-0.0, 0.5]).value == 0.5


def test_infinite_importance_weights_raise():
    with np.errstate(over="ignore"):
        with pytest.raises(ValueError, match=r"weights\[1\] is inf"):
            off_policy.ips([1.0, 1.0], [0.5, 1e-310], 1)
        assert off_policy.ips([1.0, 1.0], [0.5, 1e-310], 1, weights="clipped", cap=4).value == 3
        log = log_of(MANY)
        log["propensities"][60_000] = 1e-310
        with pytest.raises(ValueError, match=r"weights\[60000\] is inf: its propensity is too"):
            off_policy.doubly_robust(**log)


def test_a_target_without_support_has_effective_sample_size_0():
    assert off_policy.ips([1.0, 2.0], [0.5, 0.5], 0).effective_sample_size == 0
    tiny = off_policy.ips([1.0, 2.0], [1.0, 1.0], [1e-200, 1e-200])
    assert tiny.effective_sample_size == pytest.approx(2)
