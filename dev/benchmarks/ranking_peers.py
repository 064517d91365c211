"""Ranking metrics by other libraries; each function imports its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from dev.benchmarks.runner import Answers, Call, Inputs

K = 10


def pytrec_eval(inputs: Inputs) -> Call:
    """trec_eval from Python: dictionaries of strings."""
    import pytrec_eval as trec

    asked = {"ndcg_cut.10", "recall.10", "P.10", "recip_rank", "map_cut.10", "success.10"}

    def convert() -> Any:
        qrels, scored = _dictionaries(inputs)
        return trec.RelevanceEvaluator(qrels, asked), scored

    def run(converted: Any) -> Answers:
        evaluator, scored = converted
        rows = list(evaluator.evaluate(scored).values())
        found = {
            ours: np.array([row[theirs] for row in rows])
            for ours, theirs in {
                "ndcg": "ndcg_cut_10",
                "recall": "recall_10",
                "precision": "P_10",
                "rr": "recip_rank",
                "ap": "map_cut_10",
                "hit_rate": "success_10",
            }.items()
        }
        # It knows no cut of the reciprocal rank.
        found["rr"] = np.where(found["rr"] >= 1 / (K + 0.5), found["rr"], 0.0)
        return found

    return Call(convert, run)


def ir_measures(inputs: Inputs) -> Call:
    """Ask ir-measures by its names."""
    import ir_measures as ir

    names = {
        "ndcg": "nDCG@10",
        "recall": "R@10",
        "precision": "P@10",
        "rr": "RR@10",
        "ap": "AP@10",
        "hit_rate": "Success@10",
    }
    asked = {ir.parse_measure(theirs): ours for ours, theirs in names.items()}

    def run(converted: Any) -> Answers:
        qrels, scored = converted
        found = {ours: np.empty(len(qrels)) for ours in names}
        for value in ir.iter_calc(list(asked), qrels, scored):
            found[asked[value.measure]][int(value.query_id)] = value.value
        return found

    return Call(lambda: _dictionaries(inputs), run)


def ranx(inputs: Inputs) -> Call:
    """Ask ranx, which has compiled itself in its first answer."""
    from ranx import Qrels, Run, evaluate

    names = {
        "ndcg": "ndcg@10",
        "recall": "recall@10",
        "precision": "precision@10",
        "rr": "mrr@10",
        "ap": "map@10",
        "hit_rate": "hit_rate@10",
    }

    def convert() -> Any:
        qrels, scored = _dictionaries(inputs)
        return Qrels(qrels), Run(scored)

    def run(converted: Any) -> Answers:
        found = evaluate(*converted, list(names.values()), return_mean=False)
        return {ours: np.asarray(found[theirs]) for ours, theirs in names.items()}

    return Call(convert, run)


def rectools(inputs: Inputs) -> Call:
    """Ask RecTools for means; it shares work between its metrics."""
    from rectools import metrics

    asked = {
        "ndcg_binary": metrics.NDCG(K, divide_by_achievable=True),
        "recall": metrics.Recall(K),
        "precision": metrics.Precision(K),
        "rr": metrics.MRR(K),
        "ap": metrics.MAP(K),
        "hit_rate": metrics.HitRate(K),
    }

    def run(frames: Any) -> Answers:
        recommended, wanted = frames
        return dict(metrics.calc_metrics(asked, reco=recommended, interactions=wanted))

    return Call(lambda: _frames(inputs, "user_id", "item_id", "rank"), run)


def replay(inputs: Inputs) -> Call:
    """Ask RePlay for means, from dictionaries."""
    from replay import metrics

    asked = {
        "ndcg_binary": metrics.NDCG(K),
        "recall": metrics.Recall(K),
        "precision": metrics.Precision(K),
        "rr": metrics.MRR(K),
        "ap_achievable": metrics.MAP(K),
        "hit_rate": metrics.HitRate(K),
    }

    def convert() -> Any:
        scores = [-float(rank) for rank in range(inputs["items"].shape[1])]
        lists = {
            user: list(zip(row, scores, strict=True))
            for user, row in enumerate(inputs["items"].tolist())
        }
        return lists, {user: row.tolist() for user, row in enumerate(_truths(inputs))}

    def run(converted: Any) -> Answers:
        return {name: next(iter(metric(*converted).values())) for name, metric in asked.items()}

    return Call(convert, run)


def recommenders(inputs: Inputs) -> Call:
    """Ask recommenders for means of the metrics it has."""
    from recommenders.evaluation import python_evaluation as theirs

    functions = {
        "ndcg_binary": theirs.ndcg_at_k,
        "recall": theirs.recall_at_k,
        "precision": theirs.precision_at_k,
        "ap_achievable": theirs.map_at_k,
    }

    def convert() -> Any:
        recommended, wanted = _frames(inputs, "userID", "itemID", "prediction")
        recommended["prediction"] = -recommended["prediction"].astype(float)
        return wanted.assign(rating=1.0), recommended

    def run(frames: Any) -> Answers:
        return {name: function(*frames, k=K) for name, function in functions.items()}

    return Call(convert, run)


def lenskit(inputs: Inputs) -> Call:
    """Ask LensKit list by list; its NDCG and its recall are other measures and not compared."""
    from lenskit.data import ItemList
    from lenskit.metrics import ranking as theirs

    asked = {
        "hit_rate": theirs.Hit(n=K),
        "precision": theirs.Precision(n=K),
        "rr": theirs.RecipRank(n=K),
        "ap_achievable": theirs.AveragePrecision(n=K),
        "their recall": theirs.Recall(n=K),
        "their ndcg": theirs.NDCG(n=K),
    }

    def convert() -> Any:
        recommended = [
            ItemList(item_ids=row.astype(np.int64), ordered=True) for row in inputs["items"]
        ]
        wanted = [ItemList(item_ids=row.astype(np.int64)) for row in _truths(inputs)]
        return list(zip(recommended, wanted, strict=True))

    def run(pairs: Any) -> Answers:
        return {
            name: np.array([metric.measure_list(*pair) for pair in pairs])
            for name, metric in asked.items()
        }

    return Call(convert, run)


def torchmetrics(inputs: Inputs) -> Call:
    """Ask torchmetrics for means; items that were missed stand below the list."""
    import torch
    from torchmetrics import retrieval

    asked = {
        "ndcg": retrieval.RetrievalNormalizedDCG,
        "recall": retrieval.RetrievalRecall,
        "precision": retrieval.RetrievalPrecision,
        "rr": retrieval.RetrievalMRR,
        "hit_rate": retrieval.RetrievalHitRate,
    }

    def convert() -> Any:
        users, ranks, grades = _rows(inputs)
        scores = torch.from_numpy(1.0 / ranks)
        return scores, torch.from_numpy(grades), torch.from_numpy(users)

    def run(tensors: Any) -> Answers:
        scores, grades, users = tensors
        found = {}
        for name, metric_of in asked.items():
            metric = metric_of(top_k=K)
            target = grades if name == "ndcg" else grades > 0
            metric.update(scores, target, indexes=users)
            found[name] = float(metric.compute())
        return found

    return Call(convert, run)


def evidently(inputs: Inputs) -> Call:
    """Ask Evidently for means; items that were missed stand below the list."""
    import pandas as pd
    from evidently.legacy.metrics.recsys import hit_rate_k, mrr, ndcg_k, precision_recall_k

    def convert() -> Any:
        users, ranks, grades = _rows(inputs)
        return pd.DataFrame({"users": users, "target": (grades > 0).astype(int), "preds": ranks})

    def run(frame: Any) -> Answers:
        counts = precision_recall_k.PrecisionRecallCalculation(max_k=K)
        found = counts.get_precision_and_recall_dict(frame, K)
        return {
            "precision": found["precision"][K - 1],
            "recall": found["recall"][K - 1],
            "hit_rate": hit_rate_k.HitRateKMetric(k=K).get_values(frame, K).iloc[K - 1],
            "rr": mrr.MRRKMetric(k=K).get_values(frame, K).iloc[K - 1],
            "ndcg_binary": ndcg_k.NDCGKMetric(k=K).calculate_ndcg(frame, K)[K],
        }

    return Call(convert, run)


def _truths(inputs: Inputs) -> list[Any]:
    return np.split(inputs["relevant"], inputs["indptr"][1:-1])


def _dictionaries(inputs: Inputs) -> Any:
    """Return grades and scores by user and item, all named by text that sorts like the numbers."""
    grades = np.split(inputs["grades"], inputs["indptr"][1:-1])
    qrels = {
        f"{user:07d}": dict(zip(map(str, row.tolist()), grade.tolist(), strict=True))
        for user, (row, grade) in enumerate(zip(_truths(inputs), grades, strict=True))
    }
    scores = [-float(rank) for rank in range(inputs["items"].shape[1])]
    scored = {
        f"{user:07d}": dict(zip(map(str, row), scores, strict=True))
        for user, row in enumerate(inputs["items"].tolist())
    }
    return qrels, scored


def _frames(inputs: Inputs, user: str, item: str, rank: str) -> Any:
    """Return pandas frames of what was recommended and of what was wanted."""
    import pandas as pd

    n_users, depth = inputs["items"].shape
    recommended = pd.DataFrame(
        {
            user: np.repeat(np.arange(n_users), depth),
            item: inputs["items"].reshape(-1),
            rank: np.tile(np.arange(1, depth + 1), n_users),
        }
    )
    owner = np.repeat(np.arange(n_users), np.diff(inputs["indptr"]))
    return recommended, pd.DataFrame({user: owner, item: inputs["relevant"]})


def _rows(inputs: Inputs) -> tuple[Any, Any, Any]:
    """Return user, rank and grade of every listed item, then of every item that was missed."""
    users, ranks, grades = [], [], []
    truth_grades = np.split(inputs["grades"], inputs["indptr"][1:-1])
    truths = zip(_truths(inputs), truth_grades, strict=True)
    for user, (row, (wanted, worth)) in enumerate(zip(inputs["items"], truths, strict=True)):
        of_item = dict(zip(wanted.tolist(), worth.tolist(), strict=True))
        found = [of_item.pop(item, 0) for item in row.tolist()]
        found.extend(of_item.values())
        users.extend([user] * len(found))
        ranks.extend(range(1, len(found) + 1))
        grades.extend(found)
    return np.array(users), np.array(ranks), np.array(grades)
