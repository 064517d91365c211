"""W6: what a policy would have earned, from the log of another."""

from __future__ import annotations

import numpy as np

from dev.benchmarks.runner import OURS, Answers, Call, Inputs, Task, Way, plain
from dev.benchmarks.workloads import first_rows, logged_rounds

CAP = 10.0
ESTIMATORS = ("ips", "clipped_ips", "snips", "doubly_robust")


def ours(inputs: Inputs) -> Call:
    """Four values; what each also knows of its own spread waits until it is asked."""
    from recsys_metrics.bias import off_policy

    names = ("rewards", "actions", "propensities", "policy", "model")
    log = [inputs[name] for name in names]

    def run() -> Answers:
        found = off_policy.estimates(*log, estimators=ESTIMATORS, cap=CAP)
        found["dr"] = found.pop("doubly_robust")
        return {name: one.value for name, one in found.items()}

    return plain(run)


def by_hand(inputs: Inputs) -> Call:
    """Four values, and nothing checked."""
    rewards, actions, policy = inputs["rewards"], inputs["actions"], inputs["policy"]
    rows = np.arange(len(actions))

    def run() -> Answers:
        weights = policy[rows, actions] / inputs["propensities"]
        expected = np.einsum("ij,ij->i", policy, inputs["model"])
        missed = rewards - inputs["model"][rows, actions]
        return {
            "ips": (weights * rewards).mean(),
            "clipped_ips": (np.minimum(weights, CAP) * rewards).mean(),
            "snips": (weights * rewards).sum() / weights.sum(),
            "dr": (expected + weights * missed).mean(),
        }

    return plain(run)


def obp(inputs: Inputs) -> Call:
    """The estimators of the Open Bandit Pipeline, which take three axes."""
    from obp.ope import (
        DoublyRobust,
        InverseProbabilityWeighting,
        SelfNormalizedInverseProbabilityWeighting,
    )

    def run() -> Answers:
        log = {
            "reward": inputs["rewards"],
            "action": inputs["actions"],
            "pscore": inputs["propensities"],
            "action_dist": inputs["policy"][:, :, None],
        }
        model = inputs["model"][:, :, None]
        robust = DoublyRobust()
        return {
            "ips": InverseProbabilityWeighting().estimate_policy_value(**log),
            "clipped_ips": InverseProbabilityWeighting(lambda_=CAP).estimate_policy_value(**log),
            "snips": SelfNormalizedInverseProbabilityWeighting().estimate_policy_value(**log),
            "dr": robust.estimate_policy_value(**log, estimated_rewards_by_reg_model=model),
        }

    return plain(run)


def obp_formulas(inputs: Inputs) -> Call:
    """The formulas of obp's estimators, as its source writes them, for where it cannot run."""
    reward, action, pscore = inputs["rewards"], inputs["actions"], inputs["propensities"]

    def run() -> Answers:
        action_dist, model = inputs["policy"][:, :, None], inputs["model"][:, :, None]
        n = action.shape[0]
        position = np.zeros(n, dtype=int)
        rounds = np.arange(n)

        def weight(cap: float = np.inf) -> np.ndarray:  # type: ignore[type-arg]
            return np.minimum(action_dist[rounds, action, position] / pscore, cap)

        iw = weight()
        q_hat = model[rounds, :, position]
        pi_e = action_dist[rounds, :, position]
        robust = np.average(q_hat, weights=pi_e, axis=1)
        robust += weight() * (reward - model[rounds, action, position])
        return {
            "ips": (reward * weight()).mean(),
            "clipped_ips": (reward * weight(CAP)).mean(),
            "snips": (reward * iw / iw.mean()).mean(),
            "dr": robust.mean(),
        }

    return plain(run)


TASKS: dict[str, Task] = {
    "off_policy": Task(
        title="IPS, clipped IPS, SNIPS and doubly robust; 5,000,000 rounds, 10 actions",
        make=lambda scale: logged_rounds(round(5_000_000 * scale)),
        head=first_rows,
        ways={
            OURS: Way(ours),
            "numpy by hand": Way(by_hand, package="numpy"),
            "obp's formulas": Way(obp_formulas, package="numpy"),
            "obp": Way(obp, environment="obp"),
        },
    ),
}
