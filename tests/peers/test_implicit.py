"""implicit judges a model, so the model here is a list that is known already."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
import pytest
from scipy import sparse

import recsys_metrics as rm
from tests.peers.cases import N_ITEMS, agree, are_known, compared, draw

evaluation = pytest.importorskip("implicit.evaluation", reason="implicit is not installed")


class Listed:
    """A model that recommends the lists it was given, a user at a time."""

    def __init__(self, lists):
        self.lists = lists

    def recommend(self, users, user_items, N, **how):
        rows = np.full((len(users), N), -1, dtype=np.int32)
        for place, user in enumerate(users):
            rows[place, : len(self.lists[user])] = self.lists[user][:N]
        return rows, np.zeros(rows.shape, dtype=np.float32)


def ask(lists, truths, k):
    """Return its values of one user."""
    wanted = sparse.csr_matrix(
        (np.ones(len(truths)), ([0] * len(truths), [*truths])), shape=(1, N_ITEMS + 50)
    )
    nothing = sparse.csr_matrix(wanted.shape)
    return evaluation.ranking_metrics_at_k(
        Listed([lists]), nothing, wanted, K=k, show_progress=False, num_threads=1
    )


@pytest.mark.parametrize("name", compared("implicit"))
def test_every_metric_agrees(name):
    drawn = draw(1200)
    # Its model always fills k ranks: the rest are items that nobody wanted.
    lists = {u: [*row, *range(N_ITEMS, N_ITEMS + 40)] for u, row in drawn.lists.items()}
    some = type(drawn)(lists, drawn.truths).only(drawn.with_something)

    def theirs(cases, k):
        return {u: ask(row[:k], cases.relevant[u], k)[name] for u, row in cases.lists.items()}

    lacks = {"nothing relevant", "no list", "a list shorter than k"}
    agree("implicit", version("implicit"), name, some, theirs, lacks=lacks, spread=True)


def test_auc_treats_unlisted_items_as_tied():
    drawn = draw(60)
    for user in sorted(drawn.with_something):
        row = [*drawn.lists[user], *range(N_ITEMS, N_ITEMS + 40)][:10]
        labels = np.isin(np.arange(N_ITEMS + 50), [*drawn.relevant[user]]).astype(int)
        scores = np.zeros(len(labels))
        scores[row] = np.arange(10, 0, -1)
        ours = rm.limited_auc(labels, scores, 10)
        theirs = ask(row, drawn.relevant[user], 10)["auc"]
        assert ours == pytest.approx(theirs, abs=1e-9)


def test_precision_is_micro_averaged():
    """Two users who could have had 1 and 2 hits: one hit in all is a third."""
    wanted = sparse.csr_matrix(([1, 1, 1], ([0, 1, 1], [0, 1, 2])), shape=(2, 5))
    found = evaluation.ranking_metrics_at_k(
        Listed([[0, 3], [3, 4]]), sparse.csr_matrix((2, 5)), wanted, K=2, show_progress=False
    )
    judged = rm.judge([[0, 3], [3, 4]], [{0}, {1, 2}])
    each = rm.like("implicit", "precision@2")(judged)
    assert found["precision"] == np.average(each, weights=np.minimum(2, judged.n_relevant)) == 1 / 3


def test_public_names_are_in_the_table():
    names = set(ask([0], [0], 1))
    are_known("implicit", names, {})
