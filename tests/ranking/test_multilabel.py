"""LRAP, coverage error and ranking loss: by hand, against scikit-learn, with and without ties."""

from __future__ import annotations

import math

import numpy as np
import pytest

from recsys_metrics import (
    average_precision,
    coverage_error,
    judge_scores,
    label_ranking_average_precision,
    ranking_loss,
    roc_auc,
)

RNG = np.random.default_rng(0)
LABELS = (RNG.random((300, 9)) < 0.35).astype(float)
TIED = RNG.integers(0, 4, (300, 9)).astype(float)
APART = RNG.random((300, 9))


def test_values_computed_by_hand():
    # Scores descend 3, 2, 2, 1; relevant are one of the tied and the last.
    labels, scores = [0, 1, 0, 1], [3, 2, 2, 1]
    assert label_ranking_average_precision(labels, scores) == pytest.approx((1 / 3 + 2 / 4) / 2)
    assert coverage_error(labels, scores) == 4
    assert ranking_loss(labels, scores) == 1.0


@pytest.mark.slow
@pytest.mark.parametrize("scores", [TIED, APART], ids=["tied", "apart"])
def test_agrees_with_scikit_learn(scores):
    peers = pytest.importorskip("sklearn.metrics")
    some = (LABELS.sum(axis=1) > 0) & (LABELS.sum(axis=1) < 9)
    for row in range(len(LABELS)):
        one = LABELS[row : row + 1], scores[row : row + 1]
        mine = LABELS[row], scores[row]
        assert coverage_error(*mine) == peers.coverage_error(*one)
        assert ranking_loss(*mine) == pytest.approx(peers.label_ranking_loss(*one), abs=1e-12)
        if some[row]:
            found = label_ranking_average_precision(*mine)
            theirs = peers.label_ranking_average_precision_score(*one)
            assert found == pytest.approx(theirs, abs=1e-12)


def test_without_ties_values_equal_the_ranking_metrics():
    judged = judge_scores(LABELS, APART)
    lrap = label_ranking_average_precision(LABELS, APART)
    np.testing.assert_allclose(lrap, average_precision(judged))
    # The worst order of ties has the same last relevant rank, but not the same precisions.
    worst = average_precision(judge_scores(LABELS, TIED, ties="worst"))
    given = label_ranking_average_precision(LABELS, TIED)
    assert np.nanmin(given - worst) >= -1e-12
    for labels, scores in zip(LABELS[:50], APART[:50], strict=True):
        if 0 < labels.sum() < 9:
            assert ranking_loss(labels, scores) == pytest.approx(1 - roc_auc(labels, scores))


def test_users_without_relevant_items():
    nothing = [0, 0], [0.1, 0.2]
    assert math.isnan(label_ranking_average_precision(*nothing))
    assert coverage_error(*nothing) == 0.0
    assert ranking_loss([1, 1], [0.1, 0.2], no_relevant="one") == 1.0
    with pytest.raises(ValueError, match="row 0 has no relevant candidate"):
        coverage_error(*nothing, no_relevant="raise")
    with pytest.raises(ValueError, match="labels have shape"):
        ranking_loss([1, 0], [0.1])
