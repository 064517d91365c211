"""WarpRec, which ranks the scores of all items in 32 bits, on the device."""

from __future__ import annotations

import importlib
import inspect
from importlib.metadata import version

import numpy as np
import pytest

import recsys_metrics as rm
from recsys_metrics.beyond_accuracy import (
    expected_free_discovery,
    expected_popularity_complement,
    recommendation_counts,
    shannon_entropy,
)
from recsys_metrics.bias.off_policy import unbiased_dcg, unbiased_recall
from tests.peers.cases import CUTS, agree, are_known, compared, draw
from tests.peers.worlds import N_ITEMS, N_USERS, agree_on_worlds, worlds

bases = pytest.importorskip(
    "warprec.evaluation.metrics.base_metric", reason="WarpRec is not installed"
)
torch = pytest.importorskip("torch", reason="PyTorch is not installed")

VERSION = version("warprec")
FAMILIES = [
    importlib.import_module(f"warprec.evaluation.metrics.{family}")
    for family in importlib.import_module("warprec.evaluation.metrics").__all__
]
METRICS = {
    name: found
    for family in FAMILIES
    for name, found in vars(family).items()
    if inspect.isclass(found) and issubclass(found, bases.BaseMetric)
}
CLASSES = {
    "f1": "F1",
    "hitrate": "HitRate",
    "map": "MAP",
    "mrr": "MRR",
    "ndcgrendle2020": "nDCGRendle2020",
    "precision": "Precision",
    "recall": "Recall",
}
# Items that are never relevant and fill each list, since WarpRec ranks all items for each user.
FILLERS = [*range(30, 30 + CUTS[-1])]


def computed(name, lists, relevant, k, *, n_items, **settings):
    """Return what a metric gives for lists of the same length, from scores that make them."""
    scores = np.tile(-np.arange(1000, 1000 + n_items, dtype=float), (len(lists), 1))
    target = np.zeros((len(lists), n_items))
    for row, (ranked, grades) in enumerate(zip(lists, relevant, strict=True)):
        scores[row, ranked] = -np.arange(len(ranked))
        target[row, list(grades)] = list(grades.values())
    settings = {"k": k, "num_users": len(lists), "num_items": n_items, **settings}
    metric = METRICS[name](**settings)
    preds, ground = torch.as_tensor(scores), torch.as_tensor(target).float()
    blocks = {
        "ground": ground,
        "binary_relevance": metric.binary_relevance(ground),
        "discounted_relevance": metric.discounted_relevance(ground),
        "valid_users": metric.valid_users(ground),
    }
    values, indices = torch.topk(preds, k, dim=1)
    blocks |= {f"top_{k}_values": values, f"top_{k}_indices": indices}
    for kind in ("binary", "discounted"):
        best = torch.gather(blocks[f"{kind}_relevance"], 1, indices)
        blocks[f"top_{k}_{kind}_relevance"] = best
    metric.update(preds, user_indices=torch.arange(len(lists)), **blocks)
    (value,) = metric.compute().values()
    return np.asarray(value, dtype=float)


def drawn():
    """Return users with something relevant and full lists: it knows no others."""
    cases = draw(1200)
    lists = {user: [*row, *FILLERS] for user, row in cases.lists.items()}
    return type(cases)(lists, cases.truths).only(cases.with_something)


def per_user(name, cases, k, **settings):
    relevant = [cases.relevant[user] for user in cases.lists]
    return computed(name, [*cases.lists.values()], relevant, k, n_items=70, **settings)


def test_every_metric_is_compared():
    assert {*CLASSES, *BEYOND} == set(compared("warprec"))


@pytest.mark.parametrize("name", CLASSES)
def test_every_metric_agrees(name):
    def theirs(cases, k):
        return dict(zip(cases.lists, per_user(CLASSES[name], cases, k), strict=True))

    lacks = {"nothing relevant", "no list", "a list shorter than k"}
    agree("warprec", VERSION, name, drawn(), theirs, tolerance=1e-6, lacks=lacks)


@pytest.mark.parametrize("k", CUTS)
def test_ndcg_raises_each_grade_by_one(k):
    cases = drawn()
    raised = [{item: g + 1 for item, g in cases.relevant[user].items()} for user in cases.lists]
    ours = rm.ndcg(rm.judge([*cases.lists.values()], raised), k, gain="exponential")
    np.testing.assert_allclose(ours, per_user("nDCG", cases, k), atol=1e-6)


@pytest.mark.parametrize("k", CUTS)
def test_average_recall_is_divided_by_the_hits_that_k_ranks_can_hold(k):
    cases = drawn()
    of_relevant = rm.average_recall(cases.judged, k, denominator="relevant")
    n_relevant = cases.judged.n_relevant
    ours = of_relevant * n_relevant / np.minimum(n_relevant, k)
    np.testing.assert_allclose(ours, per_user("MAR", cases, k), atol=1e-6)


def test_areas_count_one_negative_too_many():
    cases = drawn()
    labels, scores = np.zeros((len(cases.lists), 70)), np.zeros((len(cases.lists), 70))
    for row, (user, ranked) in enumerate(cases.lists.items()):
        labels[row, list(cases.relevant[user])] = 1
        scores[row] = -1000 - np.arange(70)
        scores[row, ranked] = -np.arange(len(ranked))
    n_negatives = 70 - labels.sum(axis=1)
    ours = (rm.roc_auc(labels, scores) * n_negatives + 1) / (n_negatives + 1)
    np.testing.assert_allclose(ours, per_user("GAUC", cases, 1), atol=1e-6)
    together = per_user("AUC", cases, 1)
    assert together == pytest.approx(np.average(ours, weights=labels.sum(axis=1)), abs=1e-6)


def of_world(name, world, k, **settings):
    relevant = [dict.fromkeys(world.relevant[user], 1) for user in world.lists]
    counts = torch.as_tensor(world.item_counts).float()
    settings = {"item_interactions": counts, **settings}
    return computed(name, [*world.lists.values()], relevant, k, n_items=N_ITEMS, **settings)


BEYOND = {
    "arp": lambda world, k: dict(zip(world.lists, of_world("ARP", world, k), strict=True)),
    "gini": lambda world, k: float(of_world("Gini", world, k)),
}


@pytest.mark.parametrize("name", BEYOND)
def test_every_metric_beyond_accuracy_agrees(name):
    # It fills each list from all items, so that a cut-off longer than the lists is left out.
    agree_on_worlds(
        "warprec",
        VERSION,
        name,
        BEYOND[name],
        cuts=(1, 2),
        tolerance=1e-5,
        of_one_length=True,
        met_only=True,
    )


@pytest.mark.parametrize("k", [1, 2])
def test_novelty_of_the_hits(k):
    for world in worlds(100, of_one_length=True, met_only=True):
        lists = [row[:k] for row in world.lists.values()]
        relevant = [world.relevant[user] for user in world.lists]
        for name, ours in (
            ("EFD", expected_free_discovery(
                lists, world.item_counts, world.n_events, relevant=relevant)),
            ("EPC", expected_popularity_complement(
                lists, world.item_counts, N_USERS, relevant=relevant)),
        ):  # fmt: skip
            np.testing.assert_allclose(ours, of_world(name, world, k), atol=1e-5)


def test_entropy_is_in_nats():
    for world in worlds(100, of_one_length=True):
        lists = [row[:2] for row in world.lists.values()]
        ours = shannon_entropy(recommendation_counts(lists, N_ITEMS), base=np.e)
        assert ours == pytest.approx(float(of_world("ShannonEntropy", world, 2)), abs=1e-5)


@pytest.mark.parametrize("k", CUTS)
def test_hits_weighted_by_propensities(k):
    cases = drawn()
    propensities = np.random.default_rng(1).uniform(0.1, 1, 70)
    known = {"propensity": torch.as_tensor(propensities)}
    of = {
        name: per_user(name, cases, k, **known)
        for name in ("IPSRecall", "SNIPSRecall", "IPSDCG", "SNIPSDCG")
    }
    for row, (user, ranked) in enumerate(cases.lists.items()):
        items = list(cases.relevant[user])
        p = propensities[items]
        ranks = [ranked.index(i) + 1 if i in ranked else np.inf for i in items]
        recall, dcg = unbiased_recall(ranks, p, k=k), unbiased_dcg(ranks, p, k=k)
        ours = {
            "SNIPSRecall": recall,
            "SNIPSDCG": dcg,
            "IPSRecall": recall * (1 / p).mean(),
            "IPSDCG": dcg * (1 / p).sum(),
        }
        assert ours == pytest.approx({name: of[name][row] for name in ours}, abs=1e-5)


def test_public_names_are_in_the_table():
    left_out = {"InversePropensityMetric": "what the metrics with propensities share"}
    are_known("warprec", METRICS, left_out)
