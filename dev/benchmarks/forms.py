"""Six ranking metrics at 10 from what people hold, with reading inside the time.

Each form is made of the same numbers before the clock starts: lists and sets of text, scores by
item, data frames, tensors, TREC files. Every way reads its form and answers with means.
"""

from __future__ import annotations

import math
import random
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from dev.benchmarks.runner import OURS, Answers, Call, Inputs, Task, Way, plain
from dev.benchmarks.workloads import first_lists

K = 10
N_ITEMS = 20_000
MEASURES = {
    "ndcg": "ndcg@10",
    "recall": "recall@10",
    "precision": "precision@10",
    "ap": "map@10",
    "rr": "mrr@10",
    "hit_rate": "hit_rate@10",
}
DISCOUNTS = 1 / np.log2(np.arange(2, K + 2))
IDEAL = np.concatenate([[0], np.cumsum(DISCOUNTS)])

Lists = dict[str, list[str]]
Truths = dict[str, set[str]]
Held = Callable[[Inputs], tuple[Any, Any]]
Evaluate = Callable[[Any, Any], Answers]


def make_lists(scale: float) -> Inputs:
    """Return 100 recommended and 20 relevant items of 20,000 for each user, a quarter in both."""
    rng, chance = np.random.default_rng(0), random.Random(0)
    n_users = max(2, round(20_000 * scale))
    items, relevant = [], []
    for _ in range(n_users):
        row = [*dict.fromkeys(rng.integers(0, N_ITEMS, 200).tolist())][:100]
        others = rng.integers(0, N_ITEMS, 30).tolist()
        items.append(row)
        relevant.append([*dict.fromkeys([*chance.sample(row, 5), *others])][:20])
    return {
        "items": np.array(items, dtype=np.int32),
        "indptr": np.arange(0, 20 * n_users + 1, 20),
        "relevant": np.array(relevant, dtype=np.int32).reshape(-1),
        "grades": np.ones(20 * n_users, dtype=np.int8),
    }


def lists_and_sets(inputs: Inputs) -> tuple[Lists, Truths]:
    names = [f"item{number:05}" for number in range(N_ITEMS)]
    lists = {
        f"u{user}": [names[item] for item in row]
        for user, row in enumerate(inputs["items"].tolist())
    }
    relevant = [names[item] for item in inputs["relevant"].tolist()]
    ends = pairwise(inputs["indptr"].tolist())
    return lists, {f"u{user}": {*relevant[a:b]} for user, (a, b) in enumerate(ends)}


def scores_best_first(inputs: Inputs) -> tuple[Any, Truths]:
    lists, truths = lists_and_sets(inputs)
    scores = {
        u: {item: float(-place) for place, item in enumerate(row)} for u, row in lists.items()
    }
    return scores, truths


def scores_shuffled(inputs: Inputs) -> tuple[Any, Truths]:
    scores, truths = scores_best_first(inputs)
    chance = random.Random(1)
    return {u: dict(chance.sample([*row.items()], len(row))) for u, row in scores.items()}, truths


def columns(inputs: Inputs) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    """Return lists and truths as the columns of two long tables."""
    lists, truths = lists_and_sets(inputs)
    recommended = {
        "user": [user for user, row in lists.items() for _ in row],
        "item": [item for row in lists.values() for item in row],
        "rank": [rank for row in lists.values() for rank in range(1, len(row) + 1)],
    }
    wanted = {
        "user": [user for user, row in truths.items() for _ in row],
        "item": [item for row in truths.values() for item in row],
    }
    return recommended, wanted


def pandas_frames(inputs: Inputs) -> tuple[Any, Any]:
    import pandas as pd

    recommended, wanted = columns(inputs)
    return pd.DataFrame(recommended), pd.DataFrame(wanted)


def polars_frames(inputs: Inputs) -> tuple[Any, Any]:
    import polars as pl

    recommended, wanted = columns(inputs)
    return pl.DataFrame(recommended), pl.DataFrame(wanted)


def tensors(inputs: Inputs) -> tuple[Any, Any]:
    import torch

    relevant = inputs["relevant"].reshape(len(inputs["items"]), -1)
    return torch.tensor(inputs["items"]).long(), torch.tensor(relevant).long()


def trec_files(inputs: Inputs) -> tuple[Any, Any]:
    lists, truths = lists_and_sets(inputs)
    folder = Path(tempfile.mkdtemp(prefix="forms-"))
    run, qrels = folder / "run.trec", folder / "qrels.txt"
    run.write_text(
        "".join(
            f"{user} Q0 {item} {place} {1000 - place} bench\n"
            for user, row in lists.items()
            for place, item in enumerate(row, 1)
        ),
        encoding="utf-8",
    )
    qrels.write_text(
        "".join(f"{user} 0 {item} 1\n" for user, row in truths.items() for item in row),
        encoding="utf-8",
    )
    return run, qrels


def ours(recommended: Any, relevant: Any) -> Answers:
    """Evaluate with intervals, protocol and digests."""
    import recsys_metrics as rm

    report = rm.evaluate(recommended, relevant, MEASURES.values())
    return {name: report[measure].mean for name, measure in MEASURES.items()}


def ours_from_files(run: Path, qrels: Path) -> Answers:
    from recsys_metrics import convert

    return ours(convert.read_run(run), convert.read_qrels(qrels))


def plain_loop(lists: Lists, truths: Truths) -> Answers:
    """Compute each metric in a function of its own, as most people write it."""

    def ndcg(row: list[str], truth: set[str]) -> float:
        gain = sum(1 / math.log2(i + 2) for i, item in enumerate(row[:K]) if item in truth)
        return gain / sum(1 / math.log2(i + 2) for i in range(min(len(truth), K)))

    def recall(row: list[str], truth: set[str]) -> float:
        return sum(item in truth for item in row[:K]) / len(truth)

    def precision(row: list[str], truth: set[str]) -> float:
        return sum(item in truth for item in row[:K]) / K

    def average_precision(row: list[str], truth: set[str]) -> float:
        hits, total = 0, 0.0
        for rank, item in enumerate(row[:K], 1):
            if item in truth:
                hits += 1
                total += hits / rank
        return total / len(truth)

    def reciprocal_rank(row: list[str], truth: set[str]) -> float:
        for rank, item in enumerate(row[:K], 1):
            if item in truth:
                return 1 / rank
        return 0.0

    def hit_rate(row: list[str], truth: set[str]) -> float:
        return float(any(item in truth for item in row[:K]))

    metrics = (ndcg, recall, precision, average_precision, reciprocal_rank, hit_rate)
    return {
        name: sum(metric(lists[u], truths[u]) for u in truths) / len(truths)
        for name, metric in zip(MEASURES, metrics, strict=True)
    }


def ask_pytrec_eval(scores: Any, truths: Any) -> Answers:
    """Ask pytrec_eval, which takes grades by item; its reciprocal rank has no cut-off."""
    import pytrec_eval

    names = {
        "ndcg": "ndcg_cut_10",
        "recall": "recall_10",
        "precision": "P_10",
        "ap": "map_cut_10",
        "rr": "recip_rank",
        "hit_rate": "success_10",
    }
    grades = {user: dict.fromkeys(items, 1) for user, items in truths.items()}
    found = pytrec_eval.RelevanceEvaluator(grades, {*names.values()}).evaluate(scores)
    means = {
        ours: sum(values[theirs] for values in found.values()) / len(found)
        for ours, theirs in names.items()
    }
    del means["rr"]
    return means


def pytrec_eval_from_files(run: Path, qrels: Path) -> Answers:
    import pytrec_eval

    with run.open(encoding="utf-8") as lines:
        scores = pytrec_eval.parse_run(lines)
    with qrels.open(encoding="utf-8") as lines:
        return ask_pytrec_eval(scores, pytrec_eval.parse_qrel(lines))


def ask_ranx(scores: Any, truths: Any) -> Answers:
    """Ask ranx, which has compiled itself in its first answer, and has our names of metrics."""
    from ranx import Qrels, Run

    grades = {user: dict.fromkeys(items, 1) for user, items in truths.items()}
    return _means_of_ranx(Qrels(grades), Run(scores))


def ranx_from_files(run: Path, qrels: Path) -> Answers:
    from ranx import Qrels, Run

    graded = Qrels.from_file(str(qrels), kind="trec")
    return _means_of_ranx(graded, Run.from_file(str(run), kind="trec"))


def _means_of_ranx(qrels: Any, run: Any) -> Answers:
    from ranx import evaluate

    found = evaluate(qrels, run, [*MEASURES.values()])
    return {name: float(found[measure]) for name, measure in MEASURES.items()}


def ask_rectools(recommended: Any, wanted: Any) -> Answers:
    """Ask RecTools, which takes frames with its own names of columns."""
    from rectools import metrics

    asked = {
        "recall": metrics.Recall(K),
        "precision": metrics.Precision(K),
        "ap": metrics.MAP(K),
        "rr": metrics.MRR(K),
        "hit_rate": metrics.HitRate(K),
        "ndcg": metrics.NDCG(K, divide_by_achievable=True),
    }
    names = {"user": "user_id", "item": "item_id"}
    found = metrics.calc_metrics(
        asked, reco=recommended.rename(columns=names), interactions=wanted.rename(columns=names)
    )
    return {name: float(value) for name, value in found.items()}


def pandas_merge(recommended: Any, wanted: Any) -> Answers:
    """Merge the two tables, and add up by user."""
    top = recommended[recommended["rank"] <= K]
    hits = top.merge(wanted, on=["user", "item"]).sort_values(["user", "rank"])
    hits["nth"] = hits.groupby("user").cumcount() + 1
    by_user = hits.assign(
        gain=1 / np.log2(hits["rank"] + 1), precision=hits["nth"] / hits["rank"]
    ).groupby("user")
    sizes = wanted.groupby("user").size()
    sums = by_user.agg(
        n=("rank", "size"), first=("rank", "min"), gain=("gain", "sum"), ap=("precision", "sum")
    ).reindex(sizes.index)
    found = sums["n"].fillna(0)
    values = {
        "ndcg": sums["gain"].fillna(0) / IDEAL[np.minimum(sizes, K)],
        "recall": found / sizes,
        "precision": found / K,
        "ap": sums["ap"].fillna(0) / sizes,
        "rr": (1 / sums["first"]).fillna(0),
        "hit_rate": found > 0,
    }
    return {name: float(column.mean()) for name, column in values.items()}


def polars_join(recommended: Any, wanted: Any) -> Answers:
    """Join the two tables, and add up by user."""
    import polars as pl

    rank = pl.col("rank")
    hits = (
        recommended.lazy()
        .filter(rank <= K)
        .join(wanted.lazy(), on=["user", "item"])
        .sort("user", "rank")
        .with_columns(nth=pl.int_range(1, pl.len() + 1).over("user"))
        .group_by("user")
        .agg(
            n=pl.len(),
            first=rank.min(),
            gain=(1 / (rank + 1).log(2)).sum(),
            ap=(pl.col("nth") / rank).sum(),
        )
    )
    sizes = wanted.lazy().group_by("user").agg(size=pl.len())
    table = sizes.join(hits, on="user", how="left").with_columns(
        pl.col("n", "gain", "ap").fill_null(0)
    )
    rows = table.collect()
    size, n = rows["size"].to_numpy(), rows["n"].to_numpy()
    values = {
        "ndcg": rows["gain"].to_numpy() / IDEAL[np.minimum(size, K)],
        "recall": n / size,
        "precision": n / K,
        "ap": rows["ap"].to_numpy() / size,
        "rr": (1 / rows["first"]).fill_null(0).to_numpy(),
        "hit_rate": n > 0,
    }
    return {name: float(column.mean()) for name, column in values.items()}


def torch_by_hand(items: Any, relevant: Any) -> Answers:
    """Compare the first ten of each row with all of its relevant items."""
    import torch

    hits = (items[:, :K, None] == relevant[:, None, :]).any(-1).double()
    size = torch.full((len(items),), float(relevant.shape[1]))
    ranks = torch.arange(1, K + 1)
    precisions = hits.cumsum(1) / ranks * hits
    found = hits.sum(1)
    values = {
        "ndcg": hits @ torch.tensor(DISCOUNTS) / torch.tensor(IDEAL)[size.clamp(max=K).long()],
        "recall": found / size,
        "precision": found / K,
        "ap": precisions.sum(1) / size,
        "rr": (hits / ranks).max(1).values,
        "hit_rate": (found > 0).double(),
    }
    return {name: float(column.mean()) for name, column in values.items()}


def way(held: Held, evaluate: Evaluate, package: str = "", **options: Any) -> Way:
    """Return a way whose clock starts where the form is there."""

    def build(inputs: Inputs) -> Call:
        form = held(inputs)
        return plain(lambda: evaluate(*form))

    return Way(build, package=package, **options)


_PYTREC = {"package": "pytrec-eval-terrier"}
_RANX = {"environment": "ranx", "tolerance": 1e-6}
_OF_SCORES = {"pytrec_eval": (ask_pytrec_eval, _PYTREC), "ranx": (ask_ranx, _RANX)}
_FORMS: dict[str, tuple[str, Held, Evaluate, dict[str, tuple[Evaluate, dict[str, Any]]]]] = {
    "read_lists": (
        "lists and sets of text",
        lists_and_sets,
        ours,
        {"a plain loop": (plain_loop, {"package": "numpy"})},
    ),
    "read_scores": (
        "scores by item, best first",
        scores_best_first,
        ours,
        _OF_SCORES,
    ),
    "read_shuffled_scores": (
        "scores by item, in any order",
        scores_shuffled,
        ours,
        _OF_SCORES,
    ),
    "read_pandas": (
        "two tables of pandas",
        pandas_frames,
        ours,
        {
            "a merge": (pandas_merge, {"package": "pandas"}),
            "RecTools": (ask_rectools, {"environment": "rectools"}),
        },
    ),
    "read_polars": (
        "two tables of Polars",
        polars_frames,
        ours,
        {"a join": (polars_join, {"package": "polars"})},
    ),
    "read_tensors": (
        "tensors of item numbers",
        tensors,
        ours,
        {"torch by hand": (torch_by_hand, {"package": "torch"})},
    ),
    "read_trec": (
        "TREC files",
        trec_files,
        ours_from_files,
        {"pytrec_eval": (pytrec_eval_from_files, _PYTREC), "ranx": (ranx_from_files, _RANX)},
    ),
}

TASKS: dict[str, Task] = {
    name: Task(
        title=f"six ranking metrics at 10 from {words}; 20,000 users, 100 recommended and 20 "
        "relevant items each",
        make=make_lists,
        head=first_lists,
        ways={
            OURS: way(held, evaluate),
            **{library: way(held, ask, **options) for library, (ask, options) in others.items()},
        },
    )
    for name, (words, held, evaluate, others) in _FORMS.items()
}
