"""How long six ranking metrics at 10 take from what people hold, with reading inside the time.

Each row of `FORMS` is a form of the same lists and truths, and each row of `WAYS` a way to evaluate
one of them. All ways are timed in turns in one process, and their means have to agree.
"""

from __future__ import annotations

import gc
import math
import random
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

import recsys_metrics as rm

MEASURES = ("ndcg@10", "recall@10", "precision@10", "map@10", "mrr@10", "hit_rate@10")
K = 10


def lists_and_sets(n_users: int) -> tuple[dict[str, list[str]], dict[str, set[str]]]:
    """Return 100 recommended items and 20 relevant ones of 20,000 for each user, as text."""
    rng, chance = np.random.default_rng(0), random.Random(0)
    names = np.array([f"item{number:05}" for number in range(20_000)], dtype=object)
    lists, truths = {}, {}
    for user in range(n_users):
        row = names[[*dict.fromkeys(rng.integers(0, len(names), 200).tolist())][:100]].tolist()
        others = names[rng.integers(0, len(names), 15)].tolist()
        lists[f"u{user}"], truths[f"u{user}"] = row, {*chance.sample(row, 5), *others}
    return lists, truths


def scores_of(lists: dict[str, list[str]]) -> dict[str, dict[str, float]]:
    """Return lists as scores by item, best first."""
    return {u: {item: float(-place) for place, item in enumerate(row)} for u, row in lists.items()}


def shuffled(scores: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    """Return the same scores with the items in any order."""
    chance = random.Random(1)
    return {u: dict(chance.sample([*row.items()], len(row))) for u, row in scores.items()}


def columns(lists: dict[str, list[str]], truths: dict[str, set[str]]) -> tuple[Any, Any]:
    """Return lists and truths as the columns of two long tables."""
    served = {
        "user": [user for user, row in lists.items() for _ in row],
        "item": [item for row in lists.values() for item in row],
        "rank": [rank for row in lists.values() for rank in range(1, len(row) + 1)],
    }
    wanted = {
        "user": [user for user, row in truths.items() for _ in row],
        "item": [item for row in truths.values() for item in row],
    }
    return served, wanted


def in_pandas(lists: Any, truths: Any) -> tuple[Any, Any]:
    import pandas as pd

    return tuple(pd.DataFrame(table) for table in columns(lists, truths))  # type: ignore[return-value]


def in_polars(lists: Any, truths: Any) -> tuple[Any, Any]:
    import polars as pl

    return tuple(pl.DataFrame(table) for table in columns(lists, truths))  # type: ignore[return-value]


FORMS: dict[str, Callable[[Any, Any], tuple[Any, Any]]] = {
    "lists and sets": lambda lists, truths: (lists, truths),
    "scores, best first": lambda lists, truths: (scores_of(lists), truths),
    "scores, in any order": lambda lists, truths: (shuffled(scores_of(lists)), truths),
    "pandas": in_pandas,
    "Polars": in_polars,
}


def ours(served: Any, wanted: Any) -> dict[str, float]:
    """Evaluate with intervals, protocol and digests."""
    report = rm.evaluate(served, wanted, MEASURES)
    return {measure: report[measure].mean for measure in MEASURES}


def plain_loop(served: Any, wanted: Any) -> dict[str, float]:
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
        measure: sum(metric(served[u], wanted[u]) for u in wanted) / len(wanted)
        for measure, metric in zip(MEASURES, metrics, strict=True)
    }


def pytrec_eval(served: Any, wanted: Any) -> dict[str, float]:
    """Ask pytrec_eval, which takes grades by item."""
    import pytrec_eval as library

    names = ("ndcg_cut_10", "recall_10", "P_10", "map_cut_10", "recip_rank", "success_10")
    truths = {user: dict.fromkeys(items, 1) for user, items in wanted.items()}
    found = library.RelevanceEvaluator(truths, {*names}).evaluate(served)
    means = {
        measure: sum(values[name] for values in found.values()) / len(found)
        for measure, name in zip(MEASURES, names, strict=True)
    }
    del means["mrr@10"]  # its reciprocal rank has no cut-off
    return means


def pandas_merge(served: Any, wanted: Any) -> dict[str, float]:
    """Merge the two tables, and add up by user."""
    top = served[served["rank"] <= K]
    hits = top.merge(wanted, on=["user", "item"]).sort_values(["user", "rank"])
    hits["nth"] = hits.groupby("user").cumcount() + 1
    by_user = hits.assign(
        gain=1 / np.log2(hits["rank"] + 1), precision=hits["nth"] / hits["rank"]
    ).groupby("user")
    sizes = wanted.groupby("user").size()
    best = np.concatenate([[0], np.cumsum(1 / np.log2(np.arange(2, K + 2)))])
    sums = by_user.agg(
        n=("rank", "size"), first=("rank", "min"), gain=("gain", "sum"), ap=("precision", "sum")
    ).reindex(sizes.index)
    found = sums["n"].fillna(0)
    values = {
        "ndcg@10": sums["gain"].fillna(0) / best[np.minimum(sizes, K)],
        "recall@10": found / sizes,
        "precision@10": found / K,
        "map@10": sums["ap"].fillna(0) / sizes,
        "mrr@10": (1 / sums["first"]).fillna(0),
        "hit_rate@10": found > 0,
    }
    return {measure: float(column.mean()) for measure, column in values.items()}


# The form, the name of the way, and what it needs besides.
WAYS: tuple[tuple[str, str, Callable[[Any, Any], dict[str, float]], str], ...] = (
    ("lists and sets", "ours", ours, ""),
    ("lists and sets", "a plain loop", plain_loop, ""),
    ("scores, best first", "ours", ours, ""),
    ("scores, best first", "pytrec_eval", pytrec_eval, "pytrec_eval"),
    ("scores, in any order", "ours", ours, ""),
    ("scores, in any order", "pytrec_eval", pytrec_eval, "pytrec_eval"),
    ("pandas", "ours", ours, "pandas"),
    ("pandas", "a merge", pandas_merge, "pandas"),
    ("Polars", "ours", ours, "polars"),
)


def measure(n_users: int = 20_000, rounds: int = 5) -> list[tuple[str, str, float, float]]:
    """Return form, way, seconds, and the seconds of ours in that form, all timed in turns.

    Raises
    ------
    AssertionError
        If two ways disagree.
    """
    lists, truths = lists_and_sets(n_users)
    ways = [way for way in WAYS if not way[3] or find_spec(way[3])]
    inputs = {form: FORMS[form](lists, truths) for form in {way[0] for way in ways}}
    seconds = {way[:2]: math.inf for way in ways}
    expected = plain_loop(lists, truths)
    for _ in range(rounds):
        for form, name, run, _ in ways:
            gc.collect()
            started = time.perf_counter()
            means = run(*inputs[form])
            seconds[form, name] = min(seconds[form, name], time.perf_counter() - started)
            for one, mean in means.items():
                assert math.isclose(mean, expected[one], rel_tol=1e-9), (form, name, one)
    return [(form, name, took, seconds[form, "ours"]) for (form, name), took in seconds.items()]


def report(n_users: int = 20_000) -> None:
    """Print the table."""
    print(
        f"{n_users:,} users, 100 recommended and 20 relevant text ids each, {len(MEASURES)} metrics"
    )
    for form, name, took, own in measure(n_users):
        print(f"{form:22} {name:14} {1000 * took:8.0f} ms {took / own:7.2f} of ours")
