"""W2: from scores of the whole catalogue to lists, ranks and AUC per user."""

from __future__ import annotations

from typing import Any

import numpy as np

from dev.benchmarks.runner import OURS, Answers, Call, Inputs, Task, Way, plain
from dev.benchmarks.workloads import first_rows, score_table

K = 100


def _masked(inputs: Inputs) -> Any:
    scores = inputs["scores"].copy()
    scores[np.arange(len(scores))[:, None], inputs["seen"]] = -np.inf
    return scores


def _labels(inputs: Inputs) -> Any:
    labels = np.zeros(inputs["scores"].shape, dtype=bool)
    labels[np.arange(len(labels))[:, None], inputs["held_out"]] = True
    return labels


def top_of_ours(inputs: Inputs) -> Call:
    import recsys_metrics as rm

    def run() -> Answers:
        lists = rm.rank_from_scores(inputs["scores"], K, exclude=inputs["seen"])
        return {"best": np.take_along_axis(inputs["scores"], lists, 1)}

    return plain(run)


def top_of_torch(inputs: Inputs) -> Call:
    import torch

    scores, seen = torch.from_numpy(inputs["scores"]), torch.from_numpy(inputs["seen"])

    def run() -> Answers:
        masked = scores.clone().scatter_(1, seen, -torch.inf)
        lists = torch.topk(masked, K).indices.numpy()
        return {"best": np.take_along_axis(inputs["scores"], lists, 1)}

    return plain(run)


def top_of_numpy(inputs: Inputs) -> Call:
    def run() -> Answers:
        scores = _masked(inputs)
        best = np.argpartition(-scores, K, axis=1)[:, :K]
        order = np.argsort(-np.take_along_axis(scores, best, 1), axis=1, kind="stable")
        lists = np.take_along_axis(best, order, 1)
        return {"best": np.take_along_axis(inputs["scores"], lists, 1)}

    return plain(run)


def ranks_of_ours(inputs: Inputs) -> Call:
    from recsys_metrics.protocol.candidates import full_ranks

    def run() -> Answers:
        given = inputs["scores"], inputs["held_out"]
        return {"ranks": full_ranks(*given, exclude=inputs["seen"]).rank}

    return plain(run)


def ranks_of_numpy(inputs: Inputs) -> Call:
    def run() -> Answers:
        order = np.argsort(-_masked(inputs), axis=1)
        places = np.empty_like(order)
        np.put_along_axis(places, order, np.arange(1, order.shape[1] + 1)[None], axis=1)
        return {"ranks": np.take_along_axis(places, inputs["held_out"], 1).ravel()}

    return plain(run)


def ranks_of_scipy(inputs: Inputs) -> Call:
    from scipy.stats import rankdata

    def run() -> Answers:
        rows = zip(_masked(inputs), inputs["held_out"], strict=True)
        ranks = [rankdata(-scores, method="max")[held_out] for scores, held_out in rows]
        return {"ranks": np.concatenate(ranks)}

    return plain(run)


def auc_of_ours(inputs: Inputs) -> Call:
    import recsys_metrics as rm

    labels = _labels(inputs)
    return plain(lambda: {"auc": rm.roc_auc(labels, inputs["scores"])})


def auc_of_scipy(inputs: Inputs) -> Call:
    from scipy.stats import rankdata

    labels = _labels(inputs)

    def run() -> Answers:
        values = np.empty(len(labels))
        for user, (row, scores) in enumerate(zip(labels, inputs["scores"], strict=True)):
            wanted = row.sum()
            above = rankdata(scores)[row].sum() - wanted * (wanted + 1) / 2
            values[user] = above / (wanted * (len(row) - wanted))
        return {"auc": values}

    return plain(run)


def auc_of_scikit_learn(inputs: Inputs) -> Call:
    from sklearn.metrics import roc_auc_score

    labels = _labels(inputs)

    def run() -> Answers:
        pairs = zip(labels, inputs["scores"], strict=True)
        return {"auc": np.array([roc_auc_score(*pair) for pair in pairs])}

    return plain(run)


def _make(scale: float) -> Inputs:
    return score_table(round(2_000 * scale))


# Of 50,000 scores in 32 bits some are equal, and one order of two is as good as the other. So
# the scores of the lists are compared, not their items, and argsort's rank may be one or two off.
TASKS: dict[str, Task] = {
    "top_k": Task(
        title="Top 100 of 50,000 scores without 50 seen items; 2,000 users",
        make=_make,
        head=first_rows,
        ways={
            OURS: Way(top_of_ours),
            "numpy by hand": Way(top_of_numpy, share=0.25, package="numpy"),
            "torch": Way(top_of_torch, environment="torchmetrics"),
        },
    ),
    "full_ranks": Task(
        title="Full ranks of 12 held-out items among 50,000; 2,000 users",
        make=_make,
        head=first_rows,
        ways={
            OURS: Way(ranks_of_ours),
            "numpy by hand": Way(ranks_of_numpy, share=0.1, package="numpy", tolerance=2),
            "scipy rankdata": Way(ranks_of_scipy, share=0.1, package="scipy"),
        },
    ),
    "auc": Task(
        title="AUC per user, 12 relevant of 50,000 items; 2,000 users",
        make=_make,
        head=first_rows,
        ways={
            OURS: Way(auc_of_ours),
            "scipy rankdata": Way(auc_of_scipy, share=0.1, package="scipy"),
            "scikit-learn": Way(auc_of_scikit_learn, share=0.1),
        },
    ),
}
