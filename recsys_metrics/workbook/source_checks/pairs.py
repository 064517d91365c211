"""Recomputed entries on AUC, concordant pairs and the pairwise loss."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from recsys_metrics import fraction_of_concordant_pairs, roc_auc
from recsys_metrics.calibration import log_loss

Values = dict[str, Any]


def auc(relevant: list[float], others: list[float]) -> Values:
    """Return AUC, its pairs, and the area under the curve drawn point by point."""
    labels = [1] * len(relevant) + [0] * len(others)
    scores = [*relevant, *others]
    each = [roc_auc([1, 0], [a, b]) for a, b in itertools.product(relevant, others)]
    levels = sorted(set(scores), reverse=True)
    x = np.array([0.0, *(np.mean(np.array(others) >= level) for level in levels)])
    y = np.array([0.0, *(np.mean(np.array(relevant) >= level) for level in levels)])
    area = float(np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2))
    value = roc_auc(labels, scores)
    return {
        "pairs": len(each),
        "correct": sum(one == 1 for one in each),
        "auc": value,
        "roc_area": area,
        "area_is_share_of_pairs": bool(np.isclose(area, np.mean(each)) and value == np.mean(each)),
    }


def concordance(preferred: list[str], recommended: list[str]) -> Values:
    """Return FCP of a recommended order, and the outcome of every pair of preferences."""
    likes = {item: -place for place, item in enumerate(preferred)}
    scores = {item: -place for place, item in enumerate(recommended)}
    outcomes = {
        f"{a}>{b}": fraction_of_concordant_pairs([likes[a], likes[b]], [scores[a], scores[b]])
        for a, b in itertools.combinations(preferred, 2)
    }
    words = {pair: "concordant" if one else "discordant" for pair, one in outcomes.items()}
    items = list(preferred)
    return {
        "concordant": list(words.values()).count("concordant"),
        "discordant": list(words.values()).count("discordant"),
        "fcp": fraction_of_concordant_pairs([likes[i] for i in items], [scores[i] for i in items]),
        "pairs": [list(pair) for pair in words.items()],
        "b_and_c": words["B>C"],
    }


def loss_and_auc(apart_a: list[float], apart_b: list[float]) -> Values:
    """Return the pairwise loss and the AUC of two models, from the score gap of each pair."""

    def loss(gaps: list[float]) -> float:
        # The loss of a pair is the log loss of "the first is preferred" at sigmoid(gap).
        chances = 1 / (1 + np.exp(-np.array(gaps)))
        return log_loss(np.ones(len(gaps)), chances)

    def share(gaps: list[float]) -> float:
        return float(np.mean([roc_auc([1, 0], [gap, 0]) for gap in gaps]))

    losses, aucs = (list(map(f, (apart_a, apart_b))) for f in (loss, share))
    return {
        "loss_a": losses[0],
        "loss_b": losses[1],
        "auc_a": aucs[0],
        "auc_b": aucs[1],
        "lower_loss_means_higher_auc": (losses[0] < losses[1]) == (aucs[0] > aucs[1]),
    }


WAYS = {
    auc: "ch08-auc ch08-auc-area ch08-auc-perfect ch08-auc-random ch14-e6",
    concordance: "notes-fcp-counts notes-fcp",
    loss_and_auc: "ch08-bpr-auc",
}
