"""Evaluate in several processes, each with its share of the users, and merge what they found.

    python examples/evaluate_processes.py

joblib, Dask and Ray merge alike: an `Evaluation` travels as a pickle.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor

import numpy as np

from recsys_metrics import Evaluation

N_USERS, N_ITEMS = 10_000, 500


def evaluate_users(users: range) -> Evaluation:
    """Return the evaluation of some users, whose lists are drawn here, in place of a model."""
    rng = np.random.default_rng(users.start)
    lists = rng.permuted(np.tile(np.arange(N_ITEMS), (len(users), 1)), axis=1)
    evaluation = Evaluation(["ndcg@10", "recall@10", "coverage@10"], catalog=N_ITEMS)
    return evaluation.update(lists[:, :10], lists[:, 8:15], users=users)


def main(n_processes: int = 4) -> Evaluation:
    """Return the evaluation of all users."""
    shares = [range(N_USERS)[start::n_processes] for start in range(n_processes)]
    with ProcessPoolExecutor(n_processes) as pool:
        first, *others = pool.map(evaluate_users, shares)
    for other in others:
        first.merge(other)
    return first


if __name__ == "__main__":
    print(main().report(name="random lists"))
