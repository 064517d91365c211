"""Off-policy estimators beside the Open Bandit Pipeline, on synthetic logs of its own."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from recsys_metrics.bias import off_policy
from recsys_metrics.workbook.experiments import interval_coverage

GOLDEN = json.loads(Path(__file__).with_name("obp.json").read_text())
OPTIONS = GOLDEN["options"]
CALLS = {
    "clipped_ips": ("ips", {"weights": "clipped", "cap": OPTIONS["cap"]}),
    "self_normalized_doubly_robust": ("doubly_robust", {"weights": "self-normalized"}),
    "switch_doubly_robust": (
        "doubly_robust",
        {"weights": "switch", "threshold": OPTIONS["threshold"]},
    ),
    "shrinkage_doubly_robust": (
        "doubly_robust",
        {"weights": "shrinkage", "shrinkage": OPTIONS["shrinkage"]},
    ),
    "subgaussian_ips": ("ips", {"weights": "sub-gaussian", "shrinkage": OPTIONS["share"]}),
    "subgaussian_doubly_robust": (
        "doubly_robust",
        {"weights": "sub-gaussian", "shrinkage": OPTIONS["share"]},
    ),
}


def ours(name, rewards, actions, propensities, policy, reward_model):
    function, limits = CALLS.get(name, (name, {}))
    estimator = getattr(off_policy, function)
    policy = np.asarray(policy)
    if name == "direct_method":
        return estimator(policy, reward_model)
    if "doubly" in name:
        return estimator(rewards, actions, propensities, policy, reward_model, **limits)
    target = policy[np.arange(len(policy)), actions]
    return estimator(rewards, propensities, target, **limits)


@pytest.mark.parametrize("world", GOLDEN["single"], ids=["clicks", "continuous rewards"])
@pytest.mark.parametrize("name", GOLDEN["single"][0]["values"])
def test_single_action_estimators_equal_obp(world, name):
    found = ours(name, **world["log"])
    assert found.value == pytest.approx(world["values"][name], abs=1e-9)


def test_marginalized_ips_over_action_categories_equals_obp():
    for world in GOLDEN["kinds"]:
        found = off_policy.marginalized_ips(**world["log"])
        assert found.value == pytest.approx(world["values"]["marginalized_ips"], abs=1e-9)


@pytest.mark.parametrize("self_normalized", [False, True])
@pytest.mark.parametrize("kind", ["whole", "top", "slot"])
@pytest.mark.parametrize("world", GOLDEN["slates"], ids=["alone", "cascade"])
def test_slate_estimators_equal_obp(world, kind, self_normalized):
    log = world["log"]
    found = off_policy.slate_ips(
        log["rewards"], *log["chances"][kind], self_normalized=self_normalized
    )
    theirs = world["values"][kind + ", self-normalised" * self_normalized]
    assert found.value == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("world", GOLDEN["slates"], ids=["alone", "cascade"])
def test_cascade_doubly_robust_equals_obp(world):
    log = world["log"]
    model, next_item = np.array(log["model"]), np.array(log["next_item"])
    actions = np.array(log["actions"])
    predicted = np.take_along_axis(model, actions[:, :, None], axis=2)[:, :, 0]
    found = off_policy.cascade_doubly_robust(
        log["rewards"], *log["chances"]["top"], predicted, (model * next_item).sum(axis=2)
    )
    assert found.value == pytest.approx(world["values"]["cascade_doubly_robust"], abs=1e-9)


@pytest.mark.slow
def test_relative_errors_over_500_logs_match_obp():
    theirs = interval_coverage.obp_relative_errors()
    found = [
        {name: ours(name, *log).value for name in theirs} for log in interval_coverage.obp_logs()
    ]
    assert len(found) == 500
    errors = off_policy.evaluate_estimators(found, interval_coverage.obp_truth())
    assert {n: e.relative_error for n, e in errors.items()} == pytest.approx(theirs, abs=1e-9)


def test_the_pseudo_inverse_estimate_equals_the_matrix_formula():
    # Swaminathan and others, equation 4, with every slate of the log's policy written out.
    sizes, rng = (3, 2, 2), np.random.default_rng(8)
    logging, policy = ([rng.dirichlet(np.ones(size)) for size in sizes] for _ in range(2))
    slates = [*itertools.product(*map(range, sizes))]
    coded = np.array(
        [np.concatenate([np.eye(n)[i] for n, i in zip(sizes, s, strict=True)]) for s in slates]
    )
    chance = [
        np.prod([p[i] for p, i in zip(of, s, strict=True)])
        for of in (logging, policy)
        for s in slates
    ]
    of_log, of_policy = np.split(np.array(chance), 2)
    inverse = np.linalg.pinv(coded.T @ (of_log[:, None] * coded))
    weights = of_policy @ coded @ inverse @ coded.T
    for slate, weight in zip(slates, weights, strict=True):
        chances = [[[p[i] for p, i in zip(of, slate, strict=True)]] for of in (logging, policy)]
        assert off_policy.pseudo_inverse([1.0], *chances).value == pytest.approx(weight, abs=1e-9)


def test_self_normalised_slate_estimates_vary_by_their_standard_error():
    rng = np.random.default_rng(9)
    chances = np.array([[0.5, 0.5], [0.2, 0.8]])  # of the log: of item 0 and 1 in either slot
    wanted = np.array([[0.8, 0.2], [0.6, 0.4]])
    found = []
    for _ in range(400):
        items = (rng.random((300, 2)) > chances[:, 0]).astype(int)
        rewards = rng.random((300, 2)) < np.array([0.6, 0.3])[items]
        both = [table[np.arange(2), items] for table in (chances, wanted)]
        found.append({"slot": off_policy.slate_ips(rewards, *both, self_normalized=True)})
    truth = float((wanted * [0.6, 0.3]).sum())
    errors = off_policy.evaluate_estimators(found, truth)["slot"]
    spread = np.mean([one["slot"].standard_error for one in found])
    assert spread == pytest.approx(errors.standard_deviation, rel=0.1)
    assert errors.bias_interval[0] < 0 < errors.bias_interval[1]
    assert 0.92 < errors.coverage < 0.98
    with pytest.raises(ValueError, match=r"in slot 1 .* the policy shows nothing that was logged"):
        off_policy.slate_ips([[1, 0]], [[0.5, 0.5]], [[0.5, 0]], self_normalized=True)
