"""Write what the Open Bandit Pipeline makes of synthetic logs of its own.

`obp.json` holds small logs and its estimates, `recsys_metrics/data/obp_logs.json` tables to draw
500 logs from and its mean relative errors.

Needs Python 3.11 and obp 0.5.7 with pyieoe 0.1.1, installed without their dependencies (`--no-deps
--ignore-requires-python`)
with `matplotlib mypy-extensions numpy pandas pyyaml scikit-learn scipy seaborn torch tqdm`.
"""

from __future__ import annotations

import json
import platform
from importlib.metadata import version
from pathlib import Path

import numpy as np

GOLDEN = Path(__file__).with_name("obp.json")
MANY = Path(__file__).parents[2] / "recsys_metrics" / "data" / "obp_logs.json"
CAP, THRESHOLD, SHRINKAGE, SHARE = 1.2, 1.5, 3.0, 0.3
N_LOGS, N_ROUNDS = 500, 400


def rounded(table, digits=6):
    """Return numbers that JSON holds in few characters."""
    return np.round(np.asarray(table, dtype=float), digits)


def chances(table):
    """Return rows of few characters that sum to 1."""
    short = rounded(table, 4)
    short[:, -1] = rounded(1 - short[:, :-1].sum(axis=1), 4)
    return short


def logs_of(tables, seed):
    """Yield logs drawn from tables: their contexts, actions and rewards."""
    rng = np.random.RandomState(seed)  # its streams are frozen
    behavior, reward = np.asarray(tables["behavior"]), np.asarray(tables["expected"])
    edges = behavior.cumsum(axis=1)
    for _ in range(N_LOGS):
        context = rng.randint(len(behavior), size=N_ROUNDS)
        draws = rng.random_sample((N_ROUNDS, 2))
        action = (draws[:, :1] > edges[context, :-1]).sum(axis=1)
        yield context, action, (draws[:, 1] < reward[context, action]).astype(int)


def estimators():
    """Return obp's estimators by our names."""
    from obp import ope

    return {
        "ips": ope.InverseProbabilityWeighting(estimator_name="ips"),
        "clipped_ips": ope.InverseProbabilityWeighting(lambda_=CAP, estimator_name="clipped_ips"),
        "snips": ope.SelfNormalizedInverseProbabilityWeighting(estimator_name="snips"),
        "subgaussian_ips": ope.SubGaussianInverseProbabilityWeighting(
            lambda_=SHARE, estimator_name="subgaussian_ips"
        ),
        "direct_method": ope.DirectMethod(estimator_name="direct_method"),
        "doubly_robust": ope.DoublyRobust(estimator_name="doubly_robust"),
        "self_normalized_doubly_robust": ope.SelfNormalizedDoublyRobust(
            estimator_name="self_normalized_doubly_robust"
        ),
        "switch_doubly_robust": ope.SwitchDoublyRobust(
            lambda_=THRESHOLD, estimator_name="switch_doubly_robust"
        ),
        "shrinkage_doubly_robust": ope.DoublyRobustWithShrinkage(
            lambda_=SHRINKAGE, estimator_name="shrinkage_doubly_robust"
        ),
        "subgaussian_doubly_robust": ope.SubGaussianDoublyRobust(
            lambda_=SHARE, estimator_name="subgaussian_doubly_robust"
        ),
    }


def single(seed, reward_type, n=30):
    """Return a log of single actions, and what each estimator makes of it."""
    from obp import dataset

    world = dataset.SyntheticBanditDataset(
        n_actions=4,
        dim_context=3,
        reward_type=reward_type,
        reward_function=dataset.logistic_reward_function
        if reward_type == "binary"
        else dataset.linear_reward_function,
        beta=-1.0,
        random_state=seed,
    )
    log = world.obtain_batch_bandit_feedback(n_rounds=n)
    rng = np.random.RandomState(seed)
    expected = log["expected_reward"]
    grown = np.exp(3 * expected - 3 * expected.max(axis=1, keepdims=True))
    given = {
        "rewards": rounded(log["reward"]),
        "actions": log["action"],
        "propensities": rounded(log["pscore"]),
        "policy": chances(grown / grown.sum(axis=1, keepdims=True)),
        "reward_model": rounded(expected + rng.normal(0, 0.2, expected.shape), 4),
    }
    common = {
        "reward": given["rewards"],
        "action": given["actions"],
        "pscore": given["propensities"],
        "position": np.zeros(n, dtype=int),
        "action_dist": given["policy"][:, :, None],
        "estimated_rewards_by_reg_model": given["reward_model"][:, :, None],
    }
    values = {
        name: float(one.estimate_policy_value(**common)) for name, one in estimators().items()
    }
    return {"log": {k: np.asarray(v).tolist() for k, v in given.items()}, "values": values}


def kinds(seed, n=30):
    """Return a log with kinds of actions, and what marginalised IPS makes of it."""
    from obp import dataset, ope

    world = dataset.SyntheticBanditDatasetWithActionEmbeds(
        n_actions=6, dim_context=3, n_cat_dim=1, n_cat_per_dim=3, beta=-1.0, random_state=seed
    )
    log = world.obtain_batch_bandit_feedback(n_rounds=n)
    given = {
        "rewards": rounded(log["reward"]),
        "embeddings": log["action_embed"][:, 0],
        "logging": chances(log["pi_b"][:, :, 0]),
        "policy": chances(
            np.random.RandomState(seed).dirichlet(np.ones(6), size=n),
        ),
        "action_embeddings": chances(log["p_e_a"][:, :, 0]),
    }
    common = {
        "reward": given["rewards"],
        "action": log["action"],
        "position": np.zeros(n, dtype=int),
        "pi_b": given["logging"][:, :, None],
        "action_dist": given["policy"][:, :, None],
        "context": log["context"],
        "action_embed": given["embeddings"][:, None],
        "p_e_a": given["action_embeddings"][:, :, None],
    }
    mips = ope.MarginalizedInverseProbabilityWeighting(n_actions=6)
    return {
        "log": {k: np.asarray(v).tolist() for k, v in given.items()},
        "values": {"marginalized_ips": float(mips.estimate_policy_value(**common))},
    }


def slates(seed, structure, n=20, slots=3, items=5):
    """Return a log of slates, and what each estimator makes of it."""
    from obp import dataset, ope

    world = dataset.SyntheticSlateBanditDataset(
        n_unique_action=items,
        len_list=slots,
        dim_context=2,
        reward_type="binary",
        reward_structure=structure,
        click_model=None,
        behavior_policy_function=dataset.linear_behavior_policy_logit,
        base_reward_function=dataset.logistic_reward_function,
        random_state=seed,
    )
    log = world.obtain_batch_bandit_feedback(n_rounds=n)
    rng = np.random.RandomState(seed)
    logits = rng.normal(0, 1, (n, items))
    whole, by_item, top = world.obtain_pscore_given_evaluation_policy_logit(
        action=log["action"], evaluation_policy_logit_=logits
    )
    chance = world.calc_evaluation_policy_action_dist(
        action=log["action"], evaluation_policy_logit_=logits
    )
    next_item = chances(chance.reshape(n * slots, items))
    model = rounded(rng.random_sample((n * slots, items)), 4)
    pairs = {
        "whole": (rounded(log["pscore"]), rounded(whole)),
        "top": (rounded(log["pscore_cascade"]), rounded(top)),
        "slot": (rounded(log["pscore_item_position"]), rounded(by_item)),
    }
    common = {
        "slate_id": log["slate_id"],
        "reward": log["reward"],
        "action": log["action"],
        "position": log["position"],
        "pscore": pairs["whole"][0],
        "evaluation_policy_pscore": pairs["whole"][1],
        "pscore_cascade": pairs["top"][0],
        "evaluation_policy_pscore_cascade": pairs["top"][1],
        "pscore_item_position": pairs["slot"][0],
        "evaluation_policy_pscore_item_position": pairs["slot"][1],
        "q_hat": model.ravel(),
        "evaluation_policy_action_dist": next_item.ravel(),
    }
    found = {
        "whole": ope.SlateStandardIPS(len_list=slots),
        "top": ope.SlateRewardInteractionIPS(len_list=slots),
        "slot": ope.SlateIndependentIPS(len_list=slots),
        "cascade_doubly_robust": ope.SlateCascadeDoublyRobust(
            len_list=slots, n_unique_action=items
        ),
        "whole, self-normalised": ope.SelfNormalizedSlateStandardIPS(len_list=slots),
        "top, self-normalised": ope.SelfNormalizedSlateRewardInteractionIPS(len_list=slots),
        "slot, self-normalised": ope.SelfNormalizedSlateIndependentIPS(len_list=slots),
    }
    by_slot = (n, slots)
    return {
        "log": {
            "rewards": log["reward"].reshape(by_slot).tolist(),
            "actions": log["action"].reshape(by_slot).tolist(),
            "chances": {
                name: [column.reshape(by_slot).tolist() for column in pair]
                for name, pair in pairs.items()
            },
            "model": model.reshape(n, slots, items).tolist(),
            "next_item": next_item.reshape(n, slots, items).tolist(),
        },
        "values": {k: float(one.estimate_policy_value(**common)) for k, one in found.items()},
    }


def many(seed, n_contexts=20):
    """Return tables to draw logs from, and obp's mean relative error over 500 such logs."""
    from obp import dataset, ope

    world = dataset.SyntheticBanditDataset(
        n_actions=4,
        dim_context=3,
        reward_function=dataset.logistic_reward_function,
        beta=-2.0,
        random_state=seed,
    )
    log = world.obtain_batch_bandit_feedback(n_rounds=n_contexts)
    expected = rounded(log["expected_reward"], 4)
    grown = np.exp(5 * expected)
    tables = {
        "behavior": chances(log["pi_b"][:, :, 0]),
        "expected": expected,
        "policy": chances(grown / grown.sum(axis=1, keepdims=True)),
        "reward_model": rounded(
            np.clip(expected + np.random.RandomState(seed).normal(0, 0.2, expected.shape), 0, 1), 4
        ),
    }
    tables = {name: table.tolist() for name, table in tables.items()}
    behavior, expected, policy, model = (np.array(table) for table in tables.values())
    truth = float((policy * expected).sum(axis=1).mean())
    errors: dict[str, list[float]] = {}
    for context, action, reward in logs_of(tables, seed):
        feedback = {
            "action": action,
            "reward": reward,
            "pscore": behavior[context, action],
            "position": np.zeros(len(action), dtype=int),
            "context": context[:, None],
            "n_rounds": len(action),
            "n_actions": 4,
        }
        evaluation = ope.OffPolicyEvaluation(
            bandit_feedback=feedback, ope_estimators=[*estimators().values()]
        )
        found = evaluation.evaluate_performance_of_estimators(
            ground_truth_policy_value=truth,
            action_dist=policy[context][:, :, None],
            estimated_rewards_by_reg_model=model[context][:, :, None],
            metric="relative-ee",
        )
        for name, value in found.items():
            errors.setdefault(name, []).append(float(value))
    return {
        "seed": seed,
        "tables": tables,
        "relative_error": {name: float(np.mean(each)) for name, each in errors.items()},
    }


def main() -> None:
    names = ("obp", "numpy", "scikit-learn", "scipy")
    golden = {
        "made with": {"python": platform.python_version()} | {n: version(n) for n in names},
        "options": {
            "cap": CAP,
            "threshold": THRESHOLD,
            "shrinkage": SHRINKAGE,
            "share": SHARE,
        },
        "single": [single(1, "binary"), single(2, "continuous")],
        "kinds": [kinds(3)],
        "slates": [slates(4, "independent"), slates(5, "cascade_additive")],
    }
    together = {"with": f"obp {version('obp')}", "options": golden["options"], **many(6)}
    MANY.write_text(json.dumps(together, separators=(",", ":")) + "\n")
    GOLDEN.write_text(json.dumps(golden, separators=(",", ":")).replace('"log"', '\n"log"') + "\n")


if __name__ == "__main__":
    main()
