"""implicit judges a model, so the model here is a list that is known already."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
import pytest
from scipy import sparse

import recsys_metrics as rm
from tests.chapters.recipe_code import prepare_log, run_recipe
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


@pytest.mark.filterwarnings("ignore")
def test_the_recipe_of_its_recommendations():
    als = pytest.importorskip("implicit.als").AlternatingLeastSquares
    rng = np.random.default_rng(0)
    rows = np.array([rng.permutation(15)[:9] for _ in range(40)])
    # The last user has seen all items but 8.
    seen = sparse.lil_matrix((40, 15), dtype=np.float32)
    for user, row in enumerate(rows):
        seen[user, row[: 7 if user == 39 else 5]] = 1
    seen, truth = seen.tocsr(), sparse.lil_matrix((40, 15))
    for user, row in enumerate(rows):
        truth[user, row[7:]] = 1
    truth = truth.tocsr()
    model = als(factors=4, random_state=0, num_threads=1, use_gpu=False)
    model.fit(seen, show_progress=False)
    ids, values = model.recommend(np.arange(40), seen, N=10)
    known = {"rm": rm, "np": np, "ids": ids, "values": values, "truth": truth}
    found = run_recipe("implicit recommends", known)
    # 8 places are filled for the last user, and the rest is empty.
    assert (known["ids"][39] == -1).sum() == 2
    theirs = evaluation.ranking_metrics_at_k(model, seen, truth, K=10, show_progress=False)
    assert 0 < found.value == pytest.approx(theirs["ndcg"])


@pytest.mark.filterwarnings("ignore")
def test_a_model_on_the_page_of_the_log():
    known = prepare_log()
    found = run_recipe("implicit: arrays", known, "your_log")["NDCG@10"]
    wanted = sparse.csr_matrix(known["test"].matrix())
    theirs = evaluation.ranking_metrics_at_k(
        known["model"], known["matrix"], wanted, K=10, show_progress=False
    )
    assert found.n == len(known["users"])
    assert 0.4 < found.value == pytest.approx(theirs["ndcg"])
