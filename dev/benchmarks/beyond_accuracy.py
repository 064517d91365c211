"""W3: what lists are like beyond accuracy, from lists of ten and what is known of the items."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dev.benchmarks.runner import OURS, Answers, Call, Inputs, Task, Way, plain
from dev.benchmarks.workloads import first_short_lists, short_lists

N_USERS = 100_000


def diversity_of_ours(inputs: Inputs) -> Call:
    from recsys_metrics.beyond_accuracy import intra_list_diversity

    def run() -> Answers:
        return {"diversity": intra_list_diversity(inputs["items"], features=inputs["features"])}

    return plain(run)


def diversity_of_numpy(inputs: Inputs) -> Call:
    def run() -> Answers:
        features = inputs["features"]
        units = features / np.linalg.norm(features, axis=1, keepdims=True)
        values = np.empty(len(inputs["items"]))
        for start in range(0, len(values), 1_000):
            rows = units[inputs["items"][start : start + 1_000]]
            alike = rows @ rows.transpose(0, 2, 1)
            n = alike.shape[1]
            values[start : start + 1_000] = 1 - (alike.sum(axis=(1, 2)) - n) / (n * (n - 1))
        return {"diversity": values}

    return plain(run)


def diversity_of_rectools(inputs: Inputs) -> Call:
    import pandas as pd
    from rectools.metrics import IntraListDiversity, PairwiseDistanceCalculator

    features = inputs["features"]
    units = features / np.linalg.norm(features, axis=1, keepdims=True)

    class Cosine(PairwiseDistanceCalculator):  # type: ignore[misc]
        def _get_distances_for_item_pairs(self, one: Any, other: Any) -> Any:
            return 1 - np.einsum("ij,ij->i", units[np.asarray(one)], units[np.asarray(other)])

    def convert() -> Any:
        n_users, k = inputs["items"].shape
        return pd.DataFrame(
            {
                "user_id": np.repeat(np.arange(n_users), k),
                "item_id": inputs["items"].ravel(),
                "rank": np.tile(np.arange(1, k + 1), n_users),
            }
        )

    def run(recommended: Any) -> Answers:
        metric = IntraListDiversity(inputs["items"].shape[1], Cosine())
        return {"diversity": metric.calc_per_user(recommended).to_numpy()}

    return Call(convert, run)


def counts_of_ours(inputs: Inputs) -> Call:
    from recsys_metrics import beyond_accuracy as beyond

    items, counts = inputs["items"], inputs["counts"]
    n_items = len(counts)

    def run() -> Answers:
        return {
            "personalization": beyond.personalization(items),
            "coverage": beyond.catalog_coverage(items, n_items),
            "gini": beyond.gini(beyond.recommendation_counts(items, n_items)),
            "popularity": beyond.average_popularity(items, counts),
        }

    return plain(run)


def counts_of_numpy(inputs: Inputs) -> Call:
    items, counts = inputs["items"], inputs["counts"]
    n_items = len(counts)

    def run() -> Answers:
        recommended = np.bincount(items.ravel(), minlength=n_items)
        n, k = items.shape
        shared = (recommended * (recommended - 1)).sum() / (n * (n - 1) * k)
        ranks = np.arange(1, n_items + 1)
        ordered = np.sort(recommended)
        return {
            "personalization": 1 - shared,
            "coverage": (recommended > 0).mean(),
            "gini": ((2 * ranks - n_items - 1) * ordered).sum() / (n_items * ordered.sum()),
            "popularity": counts[items].mean(axis=1),
        }

    return plain(run)


def personalization_of_ours(inputs: Inputs) -> Call:
    from recsys_metrics.beyond_accuracy import personalization

    return plain(lambda: {"personalization": personalization(inputs["items"])})


def personalization_by_pairs(inputs: Inputs) -> Call:
    """Compare every user with every other, as one who starts from the definition does."""
    from scipy import sparse

    def run() -> Answers:
        n, k = inputs["items"].shape
        rows = np.repeat(np.arange(n), k)
        table = sparse.csr_array((np.ones(n * k), (rows, inputs["items"].ravel())))
        return {"personalization": 1 - ((table @ table.T).sum() / k - n) / (n * (n - 1))}

    return plain(run)


def _make(scale: float) -> Inputs:
    return short_lists(round(N_USERS * scale))


def _task(title: str, ways: dict[str, Way]) -> Task:
    make: Callable[[float], Inputs] = _make
    return Task(title=title, make=make, head=first_short_lists, ways=ways)


TASKS: dict[str, Task] = {
    "diversity": _task(
        "Intra-list diversity, cosine of 64 features; 100,000 lists of ten",
        {
            OURS: Way(diversity_of_ours),
            "numpy by hand": Way(diversity_of_numpy, package="numpy"),
            "RecTools": Way(diversity_of_rectools, environment="rectools", share=0.25),
        },
    ),
    "from_counts": _task(
        "Personalization, coverage, Gini and popularity; 100,000 lists of ten",
        {OURS: Way(counts_of_ours), "numpy by hand": Way(counts_of_numpy, package="numpy")},
    ),
    "personalization": _task(
        "Personalization; 100,000 lists of ten",
        {
            OURS: Way(personalization_of_ours),
            "all pairs, scipy": Way(personalization_by_pairs, share=0.1, package="scipy"),
        },
    ),
}
