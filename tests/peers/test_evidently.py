"""Evidently knows the rows of one table: a user, a rank, a grade."""

from __future__ import annotations

import importlib
from dataclasses import replace
from importlib.metadata import version

import numpy as np
import pytest

import recsys_metrics as rm
from recsys_metrics.beyond_accuracy import gini, recommendation_counts
from tests.peers.cases import agree, are_known, compared, draw
from tests.peers.worlds import N_ITEMS, N_USERS, agree_on_worlds, worlds

MODULE = "evidently.legacy.metrics.recsys"
MODULE_NOW = "evidently.metrics.recsys"
counting = pytest.importorskip(f"{MODULE}.precision_recall_k", reason="Evidently is not installed")
hits = pytest.importorskip(f"{MODULE}.hit_rate_k")
gains = pytest.importorskip(f"{MODULE}.ndcg_k")
f_betas = pytest.importorskip(f"{MODULE}.f_beta_top_k")
columns = pytest.importorskip("evidently.legacy.pipeline.column_mapping")
firsts = pytest.importorskip(f"{MODULE}.mrr")
pandas = pytest.importorskip("pandas")

VERSION = version("evidently")


def table(rows):
    found = [(u, int(g > 0), r) for u, row in rows.items() for r, g in enumerate(row, 1)]
    return pandas.DataFrame(found, columns=["users", "target", "preds"])


def counts(rows, k):
    return counting.PrecisionRecallCalculation(max_k=k).get_precision_and_recall_dict(rows, k)


def _ndcg(row, k):
    frame = table({0: row})
    frame["target"] = row
    # It answers for every cut up to the length of the list.
    return gains.NDCGKMetric(k=k).calculate_ndcg(frame, k)[min(k, len(row))]


THEIRS = {
    "precision": lambda row, k: counts(table({0: row}), k)["precision"][-1],
    "recall": lambda row, k: counts(table({0: row}), k)["recall"][-1],
    "hit_rate": lambda row, k: hits.HitRateKMetric(k=k).get_values(table({0: row}), k).iloc[-1],
    "mrr": lambda row, k: firsts.MRRKMetric(k=k).get_values(table({0: row}), k).iloc[-1],
    "ndcg": _ndcg,
}


@pytest.mark.parametrize("name", THEIRS)
def test_every_metric_agrees(name):
    drawn = draw(1600)
    # Users without a hit anywhere in the list are left out of its means.
    some = drawn.only({user for user, row in drawn.rows.items() if any(row)})

    def theirs(cases, k):
        return {user: THEIRS[name](row, k) for user, row in cases.rows.items()}

    lacks = {"nothing relevant", "no list"}
    agree("evidently", VERSION, name, some, theirs, spread=True, lacks=lacks)


def ranked(world):
    return pandas.DataFrame(world.ranked(), columns=["user", "item", "rank"])


def novelty(world, k):
    shares = pandas.Series(world.item_counts / N_USERS)
    metric = importlib.import_module(f"{MODULE}.novelty").NoveltyMetric(k=k)
    with np.errstate(divide="ignore"):
        found, _ = metric.get_miuf(
            ranked(world), k, columns.RecomType.RANK, "user", "item", "rank", shares
        )
    return found.to_dict()


def personalization(world, k):
    metric = importlib.import_module(f"{MODULE}.personalisation").PersonalizationMetric(k=k)
    rank = columns.RecomType.RANK
    return metric.get_diversity(ranked(world), "user", "item", "rank", k, rank)[0]


def popularity(world, k):
    met = pandas.Series(world.item_counts)[world.item_counts > 0]
    metric = importlib.import_module(f"{MODULE}.popularity_bias").PopularityBias(k=k)
    return metric, met


def average_popularity(world, k):
    metric, met = popularity(world, k)
    return metric.get_apr(k, ranked(world), met, False, "rank", "user", "item")[0]


def coverage(world, k):
    metric, met = popularity(world, k)
    return metric.get_coverage(k, ranked(world), met, "rank", "item")


BEYOND = {
    "novelty": (novelty, {}),
    "personalization": (personalization, {"of_one_length": True, "cuts": (1, 2)}),
    "popularitybias(metric=arp)": (average_popularity, {"met_only": True, "mean": True}),
    "popularitybias(metric=coverage)": (
        coverage,
        {
            "met_only": True,
            "known": lambda world: replace(
                world.known, catalog=np.flatnonzero(world.item_counts).tolist()
            ),
        },
    ),
}


@pytest.mark.parametrize("name", BEYOND)
def test_every_metric_beyond_accuracy_agrees(name):
    theirs, how = BEYOND[name]
    agree_on_worlds("evidently", VERSION, name, theirs, **how)


def test_every_metric_is_compared():
    assert {*THEIRS, *BEYOND} == set(compared("evidently"))


def test_gini_counts_only_recommended_items():
    for world in worlds(100):
        metric, _ = popularity(world, 9)
        shown = recommendation_counts([*world.lists.values()], N_ITEMS)
        ours = gini(shown[shown > 0], normalized=True)
        assert ours == pytest.approx(metric.get_gini(9, ranked(world), "rank", "item"), abs=1e-9)


def test_f_beta_of_a_user_with_a_hit():
    drawn = draw(120)
    for row in drawn.rows.values():
        found = counts(table({0: row}), 5)
        if found["precision"][-1:] > [0]:
            both = (np.array(found[name][-1:]) for name in ("precision", "recall"))
            theirs = f_betas.FBetaTopKMetric(k=5).fbeta(*both)[0]
            judged = rm.Judged.from_gains([float(grade) for grade in row])
            ours = rm.f_beta(
                judged, 5, precision_denominator="recommended", recall_denominator="listed"
            )
            assert ours == pytest.approx(theirs, abs=1e-9)


def test_diversity_exceeds_1():
    table = pandas.DataFrame({"user": [1] * 4, "item": [*"abcd"], "rank": [1, 2, 3, 4]})
    metric = importlib.import_module(f"{MODULE}.diversity").DiversityMetric(k=4, item_features=[])
    names = {name: number for number, name in enumerate("abcd")}
    _, value = metric.get_ild(
        table, 4, columns.RecomType.RANK, "user", "item", "rank", 1 - np.eye(4), names
    )
    assert value == 1.5


def test_serendipity_falls_below_0():
    recommended = pandas.DataFrame({"u": [1, 1], "i": ["a", "b"], "rank": [1, 2], "liked": [1, 1]})
    met = pandas.DataFrame({"u": [1], "i": ["h"]})
    far = np.array([[0, 0.5, 0.2], [0.5, 0, 0.2], [0.2, 0.2, 0]])
    metric = importlib.import_module(f"{MODULE}.serendipity").SerendipityMetric(
        k=2, item_features=[]
    )
    names = {name: number for number, name in enumerate("abh")}
    rank = columns.RecomType.RANK
    _, value = metric.get_serendipity(
        2, recommended, rank, met, far, "rank", "liked", "u", "i", names, None
    )
    assert value == pytest.approx(-0.6)


def test_entropy_of_scores_is_that_of_all_lists_together_in_nats():
    scores = pytest.importorskip(f"{MODULE}.scores_distribution")
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame(
        {"user_id": np.repeat(np.arange(4), 6), "score": rng.normal(size=24).round(2)}
    )
    *_, theirs = scores.ScoreDistribution(k=3).get_distr(frame.copy(), "user_id", "score")
    best = frame.sort_values("score").groupby("user_id")["score"].tail(3)
    ours = rm.beyond_accuracy.score_entropy(best.to_numpy(), base=np.e)
    assert theirs == pytest.approx(ours)


def test_public_names_are_in_the_table():
    module = importlib.import_module("evidently.metrics.recsys")
    public = set(importlib.import_module("evidently.metrics").__all__)
    names = {
        name for name in public if getattr(vars(module).get(name), "__module__", "") == MODULE_NOW
    }
    assert "PopularityBiasMetric" in names
    # It is three numbers, told apart by an option.
    names = names - {"PopularityBiasMetric"} | {"PopularityBias(metric=arp)"}
    are_known("evidently", names, {})


def test_average_precision_depends_on_the_order_of_rows():
    rows = table({1: [1, 0, 1]})
    assert counts(rows, 3)["map"][-1] == pytest.approx(5 / 6)
    assert counts(rows[::-1], 3)["map"][-1] > 1


def test_average_precision_counts_the_last_hit_of_a_short_list_again():
    rows = table({1: [1], 2: [0, 0, 1]})
    assert counts(rows, 3)["map"][-1] == pytest.approx((3 + 1 / 3) / 2)
