"""Recomputed entries on splits, candidates and significance."""

from __future__ import annotations

from typing import Any

import numpy as np

import recsys_metrics as rm
from recsys_metrics import judge
from recsys_metrics._core.sorted_arrays import distinct
from recsys_metrics.calibration import reliability_curve
from recsys_metrics.interactions import Interactions
from recsys_metrics.protocol import leakage, leave_last_n_out, temporal_split
from recsys_metrics.protocol.candidates import expected_sampled_metric, metric_at_rank
from recsys_metrics.protocol.significance import (
    bootstrap_interval,
    paired_t_test,
    t_interval,
)
from recsys_metrics.workbook.experiments.movielens import keep_liked, movielens_experiment

Values = dict[str, Any]


def seeds(values: list[float]) -> Values:
    """Return mean, spread, interval and test of a few runs, or of a few gains."""
    interval = t_interval(values)
    test = paired_t_test(np.zeros(len(values)), values)
    return {
        "mean": interval.estimate,
        "standard_deviation": interval.standard_deviation,
        "standard_error": interval.standard_error,
        "degrees_of_freedom": interval.degrees_of_freedom,
        "t_critical": interval.critical,
        "half_width": interval.half_width,
        "low": interval.low,
        "high": interval.high,
        "t": test.statistic,
        "p_value": test.p_value,
        "ship": interval.low > 0,
    }


def rounded_on_the_way(values: list[float], printed_deviation: str) -> Values:
    """Return the standard error, and what a rounded standard deviation makes of it."""
    interval = t_interval(values)
    return {
        "standard_error": interval.standard_error,
        "from_rounded_deviation": float(printed_deviation) / np.sqrt(interval.n).item(),
        "standard_deviation": interval.standard_deviation,
    }


def luck_of_equal_seeds(runs: int, quarter: int, directions: int) -> Values:
    """Return how two models go together over runs that start from equal seeds, on MovieLens.

    One counts the likes of a part of the people, drawn anew in each run; the other lets films meet
    in random directions. Beside it: the same two models, fitted once, on parts of the test users.
    """
    from scipy.stats import pearsonr

    data = movielens_experiment()
    likes, known = data.past.matrix(), keep_liked(data.known).matrix()[data.users]
    people = distinct(data.past.user)

    def popular(seed: int) -> Any:
        drawn = np.random.default_rng(seed).choice(people, len(people) // quarter)
        return np.tile(np.asarray(likes[drawn].sum(axis=0)), (len(data.users), 1))

    def projected(seed: int) -> Any:
        ways = np.random.default_rng(seed).normal(size=(likes.shape[0], directions))
        traits = likes.T @ ways
        return (known @ traits) @ traits.T

    def by_user(scores: Any) -> Any:
        recommended = rm.rank_from_scores(scores, 10, exclude=data.seen)
        return rm.ndcg(judge(recommended, data.truth), 10)

    one, other = ([by_user(way(seed)) for seed in range(runs)] for way in (popular, projected))
    fitted = np.array([one[0], other[0]])
    halves = [
        np.random.default_rng(seed).choice(len(data.users), len(data.users) // 2, replace=False)
        for seed in range(runs)
    ]
    apart = pearsonr([v.mean() for v in one], [v.mean() for v in other])
    together = pearsonr(*np.array([fitted[:, half].mean(axis=1) for half in halves]).T)
    return {
        "equal_seeds_share_luck": bool(apart.pvalue < 1 / 20),
        "correlation_of_equal_seeds": float(apart.statistic),
        "p_value_of_equal_seeds": float(apart.pvalue),
        "equal_users_share_luck": bool(together.pvalue < 1 / 20),
        "correlation_on_equal_users": float(together.statistic),
        "first": [float(v.mean()) for v in one],
        "second": [float(v.mean()) for v in other],
    }


def bootstrap_of_hits(users: int, hits: int, resamples: list[int], k: int) -> Values:
    """Return the hit rate of users, of two resamples of them, and its percentile interval."""

    def rate(found: int) -> Any:
        lists = [["found"] if user < found else ["other"] for user in range(users)]
        return rm.hit_rate(judge(lists, [{"found"}] * users), k)

    interval = bootstrap_interval(rate(hits))
    return {
        "mean": interval.estimate,
        "resample_means": [float(rate(found).mean()) for found in resamples],
        "low": interval.low,
        "high": interval.high,
    }


def coverage_of_bootstrap(users: int, rate: float) -> Values:
    """Return how often the nominal 95 % percentile interval holds the true rate."""
    from scipy.stats import binom

    held = 0.0
    for hits in range(users + 1):
        interval = bootstrap_interval(np.arange(users) < hits)
        held += float(binom.pmf(hits, users, rate)) * (rate in interval)
    nobody = bootstrap_interval(np.zeros(users))
    exact = reliability_curve(np.zeros(users), np.full(users, rate))
    return {
        "coverage": held,
        "interval_when_no_hits": [nobody.low, nobody.high],
        "exact_upper_when_no_hits": float(exact.upper[0]),
    }


def sampled_against_full(catalog: int, rank: int, negatives: int, k: int) -> Values:
    """Return the metrics of one item by its full rank, and their means under sampling."""

    def full(metric: Any, cut: int | None) -> float:
        return float(metric_at_rank(rank, metric, k=cut, n_items=catalog))

    def sampled(metric: Any, cut: int | None) -> float:
        return float(expected_sampled_metric(rank, catalog, negatives, metric, k=cut))

    values = {
        "full_hit_rate": full("hit_rate", k),
        "sampled_hit_rate": sampled("hit_rate", k),
        "full_ndcg": full("ndcg", k),
        "sampled_ndcg": sampled("ndcg", k),
        "full_auc": full("auc", None),
        "sampled_auc": sampled("auc", None),
    }
    below = (
        values["sampled_hit_rate"] <= values["full_hit_rate"]
        and values["sampled_ndcg"] <= values["full_ndcg"]
    )
    return {**values, "sampled_is_a_lower_bound": below}


def reversal(
    catalog: int, ranks_a: list[int], ranks_b: list[int], negatives: int, k: int
) -> Values:
    """Return the hit rate of two models over the catalogue and over a sample of it."""

    def full(ranks: list[int]) -> float:
        return float(metric_at_rank(ranks, "hit_rate", k=k, n_items=catalog).mean())

    def sampled(ranks: list[int]) -> float:
        means = expected_sampled_metric(ranks, catalog, negatives, "hit_rate", k=k)
        return float(np.mean(means))

    a, b = (full(ranks_a), sampled(ranks_a)), (full(ranks_b), sampled(ranks_b))
    return {
        "full_a": a[0],
        "full_b": b[0],
        "sampled_a": a[1],
        "sampled_b": b[1],
        "winner_reverses": (a[0] > b[0]) != (a[1] > b[1]),
    }


def not_yet_evidence(
    gain: float, catalog: int, ranks_a: list[int], ranks_b: list[int], negatives: int, k: int
) -> Values:
    """Return that one gain has no interval, and that sampling can reverse a winner."""
    try:
        t_interval([gain])
        has_interval = True
    except ValueError:
        has_interval = False
    reversed_ = reversal(catalog, ranks_a, ranks_b, negatives, k)["winner_reverses"]
    return {"one_gain_has_an_interval": has_interval, "sampling_can_reverse_the_winner": reversed_}


def leave_one_out_leak(events: list[list[Any]]) -> Values:
    """Return what training knows of the time after a user's held-out event."""
    users, items, times = (list(column) for column in zip(*events, strict=True))
    log, user_ids, item_ids = Interactions.from_ids(users, items, timestamp=times)
    train, test = leave_last_n_out(log)
    found = leakage(train, test)
    rows = [] if found.later_rows is None else found.later_rows.tolist()
    place = dict(zip(items, events, strict=True))
    cut = min(place[item_ids[i]][2] for i in test.item)
    return {
        "hidden": [[user_ids[u], item_ids[i]] for u, i in zip(test.user, test.item, strict=True)],
        "leaking": [place[item_ids[train.item[r]]] for r in rows],
        "leaks": found.later,
        "leak_free": found.leak_free,
        "global_cut_is_leak_free": leakage(*temporal_split(log, at=cut)).leak_free,
    }


WAYS = {
    seeds: ("ch11d-seed-mean-std ch11d-seed-ci ch11d-paired-t ch11d-paired-ci ch14-e11"),
    rounded_on_the_way: "ch11d-seed-se",
    luck_of_equal_seeds: "ch11d-equal-seeds",
    bootstrap_of_hits: "ch11d-bootstrap",
    coverage_of_bootstrap: "ch11d-bootstrap-coverage",
    sampled_against_full: "ch11b-lower-bound",
    reversal: "ch11b-reversal",
    not_yet_evidence: "ch14-e10",
    leave_one_out_leak: "ch11a-loo-leak book-loo-leak",
}
