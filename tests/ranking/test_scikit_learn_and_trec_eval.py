"""Agreement with scikit-learn and trec_eval on random lists: short, long, tied, empty."""

from __future__ import annotations

import numpy as np
import pytest

import recsys_metrics as rm

sklearn_metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
pytrec_eval = pytest.importorskip("pytrec_eval", reason="pytrec_eval is not installed")

N_CASES = 1000


@pytest.fixture(scope="module")
def random_runs():
    """Scored lists with ties, shorter and longer than k, and users with nothing relevant."""
    rng = np.random.default_rng(20261121)
    runs, truths = {}, {}
    for case in range(N_CASES):
        user = f"u{case:04d}"
        items = rng.permutation(30)[: rng.integers(1, 25)]
        scores = rng.integers(0, 12, len(items)) / 4
        judged = rng.permutation(30)[: rng.integers(1, 20)]
        grades = rng.integers(0, 4, len(judged)) * (rng.random() > 0.05)
        runs[user] = {f"d{i:02d}": float(s) for i, s in zip(items, scores, strict=True)}
        truths[user] = {f"d{i:02d}": int(g) for i, g in zip(judged, grades, strict=True)}
    return runs, truths


@pytest.fixture(scope="module")
def judged(random_runs):
    """Return the same lists in trec_eval's order: by score, then by id, both descending."""
    runs, truths = random_runs
    lists = {
        user: sorted(run, key=lambda item, run=run: (run[item], item), reverse=True)
        for user, run in runs.items()
    }
    return rm.judge(lists, truths)


TREC = {
    "map": lambda j: rm.average_precision(j, no_relevant="zero"),
    "map_cut_5": lambda j: rm.average_precision(j, 5, no_relevant="zero"),
    "map_cut_30": lambda j: rm.average_precision(j, 30, no_relevant="zero"),
    "ndcg": lambda j: rm.ndcg(j, no_relevant="zero"),
    "ndcg_cut_5": lambda j: rm.ndcg(j, 5, no_relevant="zero"),
    "ndcg_cut_30": lambda j: rm.ndcg(j, 30, no_relevant="zero"),
    "P_5": lambda j: rm.precision(j, 5, no_relevant="zero"),
    "P_30": lambda j: rm.precision(j, 30, no_relevant="zero"),
    "recall_5": lambda j: rm.recall(j, 5, no_relevant="zero"),
    "recall_30": lambda j: rm.recall(j, 30, no_relevant="zero"),
    "success_1": lambda j: rm.hit_rate(j, 1, no_relevant="zero"),
    "success_5": lambda j: rm.hit_rate(j, 5, no_relevant="zero"),
    "recip_rank": lambda j: rm.reciprocal_rank(j, no_relevant="zero"),
    "Rprec": lambda j: rm.r_precision(j, no_relevant="zero"),
    "bpref": lambda j: rm.bpref(j, no_relevant="zero"),
    "set_F": lambda j: rm.f_beta(j, no_relevant="zero"),
}


@pytest.mark.parametrize("measure", TREC)
def test_metrics_equal_trec_eval(random_runs, judged, measure):
    runs, truths = random_runs
    name, _, cut = measure.rpartition("_")
    asked = f"{name}.{cut}" if cut.isdigit() else measure
    theirs = pytrec_eval.RelevanceEvaluator(truths, {asked}).evaluate(runs)
    expected = [theirs[user][measure] for user in judged.users]
    np.testing.assert_allclose(TREC[measure](judged), expected, atol=1e-12)


@pytest.mark.parametrize("k", [1, 5, 20, 40])
def test_scikit_learn_ndcg_over_the_supplied_items(k):
    rng = np.random.default_rng(k)
    for _ in range(N_CASES // 4):
        grades = rng.integers(0, 5, 20) * (rng.random() > 0.05)
        scores = rng.permutation(20).astype(float)
        order = np.argsort(-scores)
        ours = rm.ndcg(rm.Judged.from_gains(grades[order]), k, no_relevant="zero")
        theirs = sklearn_metrics.ndcg_score([grades], [scores], k=k)
        assert ours == pytest.approx(theirs, abs=1e-12)


def test_scikit_learn_auc_with_ties():
    rng = np.random.default_rng(0)
    lengths = range(2, 40)
    for length in lengths:
        labels = rng.integers(0, 2, (length, 1 + N_CASES // len(lengths)))
        scores = rng.integers(-4, 5, labels.shape) / 2
        ours = np.array([rm.roc_auc(*case) for case in zip(labels.T, scores.T, strict=True)])
        mixed = labels.min(axis=0) < labels.max(axis=0)
        assert np.isnan(ours[~mixed]).all()
        # Each case is a label of its own there: asked one by one, it checks itself for most of it.
        theirs = sklearn_metrics.roc_auc_score(labels[:, mixed], scores[:, mixed], average=None)
        np.testing.assert_allclose(ours[mixed], theirs, rtol=0, atol=1e-12)


def test_scikit_learn_ndcg_averages_over_tied_orders():
    grades, tied = np.array([5, 4, 1, 5, 1, 5]), np.zeros(6)
    theirs = sklearn_metrics.ndcg_score([grades], [tied])
    orders = [grades[np.random.default_rng(seed).permutation(6)] for seed in range(4000)]
    each = rm.ndcg(rm.Judged.from_gains(orders))
    assert np.mean(each) == pytest.approx(theirs, abs=0.005)
    assert rm.ndcg(rm.Judged.from_gains(grades)) > theirs
