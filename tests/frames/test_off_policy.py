"""Estimates over a table are those over arrays, on every engine."""

from __future__ import annotations

from typing import get_args

import narwhals as nw
import numpy as np
import pytest

from recsys_metrics import frames
from recsys_metrics.bias import off_policy
from recsys_metrics.bias.off_policy import _sufficient_statistics
from recsys_metrics.bias.off_policy._formulas import (
    ESTIMATORS,
    Columns,
    EstimatorName,
    is_absent,
)
from recsys_metrics.frames._off_policy import _OPERATIONS
from tests.frames.engines import ENGINES, in_duckdb, in_pandas, in_polars, in_spark
from tests.tiers import on_spark

EACH = pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.__name__)
SOME = pytest.mark.sweep(
    "engine", keep=0, always=[in_polars, in_pandas, in_duckdb], pools={in_spark: on_spark}
)


def engines(test):
    return SOME(EACH(test))


BY_HAND = {
    "reward": [1, 0, 1, 1],
    "propensity": [0.5, 0.25, 0.1, 0.25],
    "target": [0.6, 0.2, 0.6, 0.2],
}


@engines
def test_estimates_computed_by_hand(engine):
    found = frames.off_policy(engine(BY_HAND), ["ips", "snips", "clipped_ips"], cap=2)
    # Weights 1.2, 0.8, 6 and 0.8; three of them earn a reward of 1.
    assert found["ips"].value == pytest.approx((1.2 + 6 + 0.8) / 4)
    assert found["snips"].value == pytest.approx(8 / 8.8)
    assert found["clipped_ips"].value == pytest.approx((1.2 + 2 + 0.8) / 4)


@engines
def test_estimates_equal_those_of_arrays(engine):
    rng = np.random.default_rng(0)
    n, actions = 400, 5
    policy = rng.dirichlet(np.ones(actions), n)
    model, logged = rng.random((n, actions)), rng.dirichlet(np.full(actions, 3.0), n)
    done = np.array([rng.choice(actions, p=row) for row in logged])
    rows = np.arange(n)
    reward = (rng.random(n) < model[rows, done]).astype(float)
    chance, wanted = logged[rows, done], policy[rows, done]
    log = {
        "reward": reward,
        "propensity": chance,
        "target": wanted,
        "value": (policy * model).sum(axis=1),
        "model": model[rows, done],
    }
    limits = {"cap": 1.5, "threshold": 2.0}
    expected = off_policy.estimates(reward, done, chance, policy, model, **limits)
    assert [*expected] == [*get_args(EstimatorName)]
    found = frames.off_policy(engine(log), [*expected], **limits)
    for name, one in expected.items():
        other = found[name]
        assert (other.name, other.n) == (one.name, one.n)
        np.testing.assert_allclose(
            [other.value, other.standard_error, *other.interval()],
            [one.value, one.standard_error, *one.interval(method="normal")],
            rtol=0,
            atol=1e-12,
        )
        np.testing.assert_allclose(other.effective_sample_size, one.effective_sample_size)


@engines
@pytest.mark.parametrize("kind", [str, int])
def test_rounds_are_kept_together_by_user_as_over_arrays(engine, kind):
    rng = np.random.default_rng(1)
    n, policy, model = 300, rng.dirichlet(np.ones(4), 300), rng.random((300, 4))
    done, chance = rng.integers(0, 4, n), rng.uniform(0.1, 0.9, n)
    users = rng.integers(0, 40, n)
    reward = (rng.random(n) < 0.1 + 0.8 * (users % 2)).astype(float)
    rows = np.arange(n)
    log = {
        "visitor": users.astype(kind),
        "reward": reward,
        "propensity": chance,
        "target": policy[rows, done],
        "value": (policy * model).sum(axis=1),
        "model": model[rows, done],
    }
    limits = {"cap": 1.5, "threshold": 2.0}
    expected = off_policy.estimates(reward, done, chance, policy, model, users=users, **limits)
    asked = [*expected], {"user": "visitor"}
    found = frames.off_policy(engine(log), asked[0], columns=asked[1], **limits)
    for name, one in expected.items():
        other = found[name]
        assert other.n_users == one.n_users == 40
        for method in ("normal", "bootstrap"):
            np.testing.assert_allclose(
                other.interval(method=method), one.interval(method=method), rtol=0, atol=1e-9
            )
        assert "of 40 users" in repr(other)


def test_a_column_that_is_called_user_is_one():
    log = in_polars({**BY_HAND, "user": [*"aabb"]})
    assert frames.off_policy(log, "ips")["ips"].n_users == 2
    assert frames.off_policy(in_polars(BY_HAND), "ips")["ips"].n_users is None


@pytest.mark.parametrize(
    ("users", "message"),
    [
        (["a", None, "b", None], "2 rows of the log have no user: column 'who' is empty in one of"),
        ([1.0, float("nan"), 2.0, 2.0], "1 row of the log has no user: column 'who' is empty"),
        (["a"] * 4, "all 4 rounds are of one user"),
    ],
)
def test_users_that_cannot_be_clusters_raise(users, message):
    log = in_polars({**BY_HAND, "who": users})
    with pytest.raises(ValueError, match=message):
        frames.off_policy(log, "ips", columns={"user": "who"})


def test_roles_that_are_none_raise():
    with pytest.raises(ValueError, match="columns names 'users', which is no role; there are rewa"):
        frames.off_policy(in_polars(BY_HAND), "ips", columns={"users": "who"})


@pytest.mark.parametrize("limit", [0.5, 1])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_formulas_give_equal_terms_for_arrays_and_expressions(name, limit):
    rng = np.random.default_rng(1)
    columns = {letter: 3 * rng.random(50) for letter in Columns._fields}
    columns["w"][:5] = 0
    estimator = ESTIMATORS[name].with_limit(limit)
    arrays = estimator.terms(Columns(**columns), _sufficient_statistics._OPERATIONS)
    expressions = estimator.terms(Columns(*map(nw.col, columns)), _OPERATIONS)
    table = nw.from_native(in_polars(columns)).lazy()
    for array, expression in zip(arrays, expressions, strict=True):
        if is_absent(array):
            assert expression == array
        else:
            there = table.select(term=expression).collect()["term"].to_numpy()
            np.testing.assert_allclose(there, array, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    ("change", "asked", "message"),
    [
        (
            {"propensity": [0.5, 0, 0.1, 0.2]},
            ["ips"],
            "1 row of the log has a propensity that is not above 0 and at most 1: column "
            "'propensity' is 0 in one of them",
        ),
        (
            {"target": [0.5, 1.5, 0.1, 2]},
            ["ips"],
            "2 rows of the log have a target that is not from 0 to 1: column 'target' is 1.5 in",
        ),
        (
            {"reward": [1, None, 0, 0]},
            ["ips"],
            "1 row of the log has a reward that is not a finite number: column 'reward' is empty",
        ),
        ({"target": [0.0] * 4}, ["snips"], "takes none of the logged actions"),
        ({}, ["direct_method"], "log has no column 'value' for the value; there are 'reward'"),
        ({}, ["clipped_ips"], "clipped_ips needs cap, the largest weight"),
        ({}, ["switch_doubly_robust"], "switch_doubly_robust needs threshold, the largest weight"),
        ({}, ["dr"], "there is no estimator 'dr'; there are ips"),
        ({name: [] for name in BY_HAND}, ["ips"], "the log is empty"),
    ],
)
def test_invalid_logs_and_estimators_raise(change, asked, message):
    with pytest.raises(ValueError, match=message):
        frames.off_policy(in_polars({**BY_HAND, **change}), asked)


def test_columns_can_be_named_and_the_bootstrap_raises():
    named = {"earned": BY_HAND["reward"], **{n: BY_HAND[n] for n in ("propensity", "target")}}
    found = frames.off_policy(in_polars(named), "ips", columns={"reward": "earned"})["ips"]
    assert found.value == 2
    with pytest.raises(ValueError, match="needs every round"):
        found.interval(method="bootstrap")


WEIGHTED = ("ips", "snips", "doubly_robust")
TOO_LARGE = [
    *(
        (name, {"propensity": [0.5, 1e-320, 0.1, 0.25]}, "'propensity', is inf")
        for name in WEIGHTED
    ),
    *((name, {"propensity": [0.5, 1e-200, 0.1, 0.25]}, "'propensity', is 2e") for name in WEIGHTED),
    ("direct_method", {"value": [1.0, -1e300, 1.0, 1.0]}, "column 'value' is -1e"),
    ("ips", {"reward": [1e300, 0.0, 1.0, 1.0]}, "column 'reward' is 1e"),
]


@engines
@pytest.mark.parametrize(("name", "change", "words"), TOO_LARGE)
def test_numbers_too_large_for_the_sums_are_refused(engine, name, change, words):
    log = BY_HAND | {"value": [0.5] * 4, "model": [0.5] * 4} | change
    with pytest.raises(ValueError, match=f"{words}.* in one of them"):
        frames.off_policy(engine(log), [name])


def test_a_capped_weight_may_be_infinite_before():
    log = BY_HAND | {"propensity": [0.5, 1e-320, 0.1, 0.25]}
    found = frames.off_policy(in_polars(log), "clipped_ips", cap=2)["clipped_ips"]
    assert found.value == pytest.approx((1.2 + 0 + 2 + 0.8) / 4)
    assert found.standard_error > 0
