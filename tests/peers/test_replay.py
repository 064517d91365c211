"""RePlay, from dictionaries of lists."""

from __future__ import annotations

import inspect
from dataclasses import replace
from importlib.metadata import version

import numpy as np
import pytest

import recsys_metrics as rm
from tests.peers.cases import agree, are_known, compared, draw
from tests.peers.worlds import N_USERS, agree_on_worlds, worlds

metrics = pytest.importorskip("replay.metrics", reason="RePlay is not installed")

CLASSES = {
    "hitrate": "HitRate",
    "precision": "Precision",
    "recall": "Recall",
    "mrr": "MRR",
    "map": "MAP",
    "ndcg": "NDCG",
}


def ask(name, lists, truths, k):
    """Return RePlay's value of each user."""
    metric = getattr(metrics, name)(k, mode=metrics.PerUser())
    scored = {u: [(i, -float(r)) for r, i in enumerate(row)] for u, row in lists.items()}
    (found,) = metric(scored, {user: list(row) for user, row in truths.items()}).values()
    return found


def test_every_metric_is_compared():
    assert {*CLASSES, "coverage"} == set(compared("replay"))


@pytest.mark.parametrize("name", CLASSES)
def test_every_metric_agrees(name):
    def theirs(cases, k):
        return ask(CLASSES[name], cases.lists, cases.relevant, k)

    agree("replay", version("replay-rec"), name, draw(empty_lists=True), theirs)


def scored(world):
    return {u: [(i, -float(r)) for r, i in enumerate(row)] for u, row in world.lists.items()}


def test_coverage():
    def theirs(world, k):
        return metrics.Coverage(k)(scored(world), world.history)[f"Coverage@{k}"]

    def known(world):
        return replace(world.known, catalog={item for _, item in world.events})

    agree_on_worlds("replay", version("replay-rec"), "coverage", theirs, known=known, met_only=True)


def test_the_documented_calls_work():
    for world in worlds(100):
        lists, users = [*world.lists.values()], [*world.lists]
        long_enough = [user for user in users if len(world.lists[user]) >= 2]
        (found,) = metrics.Surprisal(2, mode=metrics.PerUser())(
            scored(world), world.history
        ).values()
        ours = rm.beyond_accuracy.self_information(
            [row[:2] for row in lists], world.item_counts, N_USERS, base=N_USERS, unseen="one"
        )
        for user in long_enough:
            assert ours[users.index(user)] == pytest.approx(found[user], abs=1e-9)
        (found,) = metrics.Novelty(3, mode=metrics.PerUser())(scored(world), world.history).values()
        judged = rm.judge(lists, [set(world.history[user]) for user in users])
        ours = 1 - rm.precision(judged, 3, denominator="recommended", no_relevant="zero")
        np.testing.assert_allclose(ours, [found[user] for user in users], atol=1e-9)
        (found,) = metrics.Unexpectedness(2, mode=metrics.PerUser())(
            scored(world), {user: [(i, 0.0) for i in (1, 2)] for user in users}
        ).values()
        ours = 1 - rm.precision(rm.judge(lists, [{1, 2}] * len(lists)), 2)
        for user in long_enough:
            assert ours[users.index(user)] == pytest.approx(found[user], abs=1e-9)


def test_public_names_are_in_the_table():
    names = [n for n in dir(metrics) if inspect.isclass(getattr(metrics, n))]
    means = "how a measure is put together over users"
    left_out = dict.fromkeys(
        ("CalculationDescriptor", "ConfidenceInterval", "Mean", "Median", "PerUser"), means
    )
    left_out |= dict.fromkeys(("Experiment", "OfflineMetrics"), "runs measures, is none")
    are_known("replay", names, {**left_out, "Metric": "how a measure is written"})


def test_auc_is_computed_inside_the_list():
    lists = {1: [10, 11, 12]}
    assert ask("RocAuc", lists, {1: {10: 1, 11: 1, 12: 1}}, 3)[1] == 1
    assert ask("RocAuc", lists, {1: {10: 1, 99: 1}}, 3)[1] == 1
