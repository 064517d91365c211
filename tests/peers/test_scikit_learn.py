"""scikit-learn knows one row of scored items and nothing else."""

from __future__ import annotations

import inspect
import warnings
from dataclasses import replace
from importlib.metadata import version

import numpy as np
import pytest

from tests.peers.cases import agree, are_known, compared, draw

metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")


def in_order(row):
    """Return scores that put the items in the order of the list."""
    return np.arange(len(row), 0, -1, dtype=float)


THEIRS = {
    "dcg": lambda row, k: metrics.dcg_score([row], [in_order(row)], k=k),
    "ndcg": lambda row, k: metrics.ndcg_score([row], [in_order(row)], k=k),
    "average_precision": lambda row, k: metrics.average_precision_score(
        np.array(row) > 0, in_order(row)
    ),
    "label_ranking_average_precision": lambda row, k: metrics.label_ranking_average_precision_score(
        [np.array(row) > 0], [in_order(row)]
    ),
}


def test_every_metric_of_lists_is_compared():
    assert {*THEIRS, "top_k_accuracy"} == set(compared("scikit-learn"))


@pytest.mark.parametrize("name", THEIRS)
def test_every_metric_agrees(name):
    drawn = draw(1600)
    users = {user for user, row in drawn.lists.items() if len(row) > 1}
    if name == "label_ranking_average_precision":
        # It gives 1 for a row without a hit, whatever was missed outside of it.
        users &= {u for u, row in drawn.rows.items() if any(row)} | (users - drawn.with_something)

    def theirs(cases, k):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="No positive class")
            return {user: THEIRS[name](row, k) for user, row in cases.rows.items()}

    some, lacks = drawn.only(users), {"no list"}
    if name == "label_ranking_average_precision":
        lacks |= {"relevant, and not listed"}
    agree(
        "scikit-learn",
        version("scikit-learn"),
        name,
        some,
        theirs,
        whole=True,
        spread=True,
        lacks=lacks,
    )


def test_accuracy_of_the_first_k_classes():
    """One class of each row is the right one: the first relevant item that is listed."""
    drawn = draw(1600)
    rights = {
        user: next((i for i in row if drawn.truths[user].get(i)), None)
        for user, row in drawn.lists.items()
    }
    users = {user for user, right in rights.items() if right is not None}
    some = replace(drawn.only(users), truths={user: {rights[user]: 1} for user in users})

    def ask(row, right, k):
        classes = np.arange(30)
        scores = np.zeros((1, 30))
        scores[0, row] = in_order(row)
        return metrics.top_k_accuracy_score([right], scores, k=k, labels=classes)

    def theirs(cases, k):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="'k'")
            return {
                user: ask(row, rights[user], min(k, len(row))) for user, row in cases.lists.items()
            }

    lacks = {"no list", "nothing relevant", "more relevant than k", "grades above 1"}
    lacks |= {"relevant, and not listed"}
    agree("scikit-learn", version("scikit-learn"), "top_k_accuracy", some, theirs, lacks=lacks)


# What the other functions of `sklearn.metrics` are about, by where they are written.
OTHERS = {
    "_base": "means over classes",
    "_bicluster": "clusters",
    "_classification": "classes, not rankings",
    "_dist_metrics": "distances of vectors",
    "_pairwise_distances_reduction": "distances of vectors",
    "_plot": "pictures",
    "_scorer": "for the choice of a model",
    "cluster": "clusters",
    "pairwise": "distances of vectors",
}
OURS_TOO = {"log_loss", "brier_score_loss"}
ERRORS = {
    "mean_absolute_error",
    "mean_squared_error",
    "root_mean_squared_error",
    "r2_score",
    "explained_variance_score",
    "median_absolute_error",
}


def test_public_names_are_in_the_table():
    left_out = {}
    names = {n for n in metrics.__all__ if not inspect.ismodule(getattr(metrics, n))}
    for name in names:
        where = getattr(metrics, name).__module__.removeprefix("sklearn.metrics.").split(".")[0]
        if name not in OURS_TOO and where in OTHERS:
            left_out[name] = OTHERS[where]
        elif where == "_regression" and name not in ERRORS:
            left_out[name] = "other errors of predictions"
    left_out["confusion_matrix_at_thresholds"] = "a table"
    left_out["metric_at_thresholds"] = "a curve of another metric"
    are_known("scikit-learn", names, {n: why for n, why in left_out.items() if n in names})
