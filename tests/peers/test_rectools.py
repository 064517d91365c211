"""RecTools: frames in, a value per user out; users with nothing relevant are left out."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
import pytest

import recsys_metrics as rm
from tests.chapters.recipe_code import run_recipe
from tests.peers.cases import agree, are_known, compared, draw
from tests.peers.worlds import N_ITEMS, agree_on_worlds, worlds

metrics = pytest.importorskip("rectools.metrics", reason="RecTools is not installed")

THEIRS = {
    "hit_rate": metrics.HitRate,
    "precision": metrics.Precision,
    "precision(r_precision=true)": lambda k: metrics.Precision(k, r_precision=True),
    "recall": metrics.Recall,
    "f1beta": metrics.F1Beta,
    "map": metrics.MAP,
    "map(divide_by_k=true)": lambda k: metrics.MAP(k, divide_by_k=True),
    "mrr": metrics.MRR,
    "ndcg": metrics.NDCG,
    "ndcg(divide_by_achievable=true)": lambda k: metrics.NDCG(k, divide_by_achievable=True),
}


def frames(cases):
    pandas = pytest.importorskip("pandas")
    rows = [(u, i, r) for u, row in cases.lists.items() for r, i in enumerate(row, 1)]
    met = [(u, i) for u, row in cases.relevant.items() for i in row]
    return (
        pandas.DataFrame(rows, columns=["user_id", "item_id", "rank"]),
        pandas.DataFrame(met, columns=["user_id", "item_id"]),
    )


def test_every_metric_is_compared():
    assert {*THEIRS, *BEYOND} == set(compared("rectools"))


@pytest.mark.parametrize("name", THEIRS)
def test_every_metric_agrees(name):
    drawn = draw(1200, empty_lists=True)

    def theirs(cases, k):
        return THEIRS[name](k=k).calc_per_user(*frames(cases)).to_dict()

    leaves_out = set(drawn.lists) - drawn.with_something
    lacks = {"nothing relevant"}
    agree("rectools", version("rectools"), name, drawn, theirs, leaves_out=leaves_out, lacks=lacks)


def recommended(world):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(world.ranked(), columns=["user_id", "item_id", "rank"])


def met(world):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(world.events, columns=["user_id", "item_id"])


class Cosine(metrics.PairwiseDistanceCalculator):
    """1 - cosine of two items' features."""

    def __init__(self, features):
        units = features / np.linalg.norm(features, axis=1, keepdims=True)
        self.distances = 1 - units @ units.T

    def _get_distances_for_item_pairs(self, items_0, items_1):
        return self.distances[np.asarray(items_0, int), np.asarray(items_1, int)]


BEYOND = {
    "avgrecpopularity": lambda world, k: (
        metrics.AvgRecPopularity(k).calc_per_user(recommended(world), met(world)).to_dict()
    ),
    "catalogcoverage(normalize=true)": lambda world, k: metrics.CatalogCoverage(
        k, normalize=True
    ).calc(recommended(world), catalog=range(N_ITEMS)),
    "intralistdiversity": lambda world, k: (
        metrics.IntraListDiversity(k, Cosine(world.features))
        .calc_per_user(recommended(world))
        .to_dict()
    ),
    "meaninvuserfreq": lambda world, k: (
        metrics.MeanInvUserFreq(k).calc_per_user(recommended(world), met(world)).to_dict()
    ),
}


@pytest.mark.parametrize("name", BEYOND)
def test_every_metric_beyond_accuracy_agrees(name):
    agree_on_worlds("rectools", version("rectools"), name, BEYOND[name])


def test_the_documented_calls_work():
    for world in worlds(100):
        lists, counts = [*world.lists.values()], world.item_counts
        shares = metrics.AvgRecPopularity(9, normalize=True)
        ours = rm.beyond_accuracy.average_popularity(lists, counts / counts.sum())
        theirs = shares.calc_per_user(recommended(world), met(world))
        np.testing.assert_allclose(ours, theirs, atol=1e-9)
        shown = rm.beyond_accuracy.recommendation_counts(lists, N_ITEMS)
        theirs = metrics.CatalogCoverage(9).calc(recommended(world), catalog=range(N_ITEMS))
        assert (shown > 0).sum() == theirs


@pytest.mark.parametrize("k", [1, 2, 4])
def test_serendipity_divides_by_the_ranks_that_a_list_has(k):
    pandas = pytest.importorskip("pandas")
    for world in worlds(100):
        wanted = [(user, item) for user, row in world.relevant.items() for item in row]
        likes = pandas.DataFrame(wanted, columns=["user_id", "item_id"])
        theirs = metrics.Serendipity(k).calc_per_user(
            recommended(world), likes, met(world), range(N_ITEMS)
        )
        ours = rm.beyond_accuracy.popularity_serendipity(
            world.lists, world.relevant, world.item_counts, N_ITEMS, k=k
        )
        has = np.array([min(k, len(row)) for row in world.lists.values()])
        np.testing.assert_allclose(ours * k / has, theirs, atol=1e-9)


@pytest.mark.parametrize(("k", "ref_k"), [(1, 1), (2, 4), (4, 2), (4, None)])
def test_intersection_is_a_share_of_the_own_list(k, ref_k):
    for one, other in zip(worlds(100), worlds(100, seed=1), strict=True):
        theirs = metrics.Intersection(k, ref_k).calc_per_user(recommended(one), recommended(other))
        own = {user: set(row[:k]) for user, row in one.lists.items()}
        ours = rm.recall(rm.judge(other.lists, own), ref_k or k)
        np.testing.assert_allclose(ours, theirs.loc[[*one.lists]], atol=1e-9)


@pytest.mark.parametrize("k", [1, 2, 4])
def test_correlation_over_the_catalogue(k):
    pandas = pytest.importorskip("pandas")
    for world in worlds(100):
        wanted = [(user, item) for user, row in world.relevant.items() for item in row]
        likes = pandas.DataFrame(wanted, columns=["user_id", "item_id"])
        theirs = metrics.MCC(k).calc_per_user(recommended(world), likes, range(N_ITEMS))
        # A list shorter than k counts as one of k.
        full = [user for user, row in world.lists.items() if len(row) >= k]
        if full:
            judged = rm.judge([world.lists[u] for u in full], [world.relevant[u] for u in full])
            ours = rm.matthews_correlation(judged, k, n_items=N_ITEMS)
            np.testing.assert_allclose(ours, theirs.loc[full], atol=1e-9)


def test_public_names_are_in_the_table():
    distances = "a distance of two items, for its intra-list diversity"
    left_out = {name: distances for name in metrics.__all__ if name.endswith("Calculator")}
    left_out["calc_metrics"] = "runs measures, is none"
    for name in ("DebiasConfig", "debias_interactions"):
        left_out[name] = "takes away popular interactions before a measure is computed"
    are_known("rectools", metrics.__all__, left_out)


def test_the_recipe_of_its_recommendations():
    pandas = pytest.importorskip("pandas")
    dataset = pytest.importorskip("rectools.dataset").Dataset
    rng = np.random.default_rng(0)
    rows = pandas.DataFrame(
        [(f"u{user}", f"i{item}") for user in range(40) for item in rng.permutation(30)[:12]],
        columns=["user_id", "item_id"],
    )
    test = rows.groupby("user_id").head(4)
    train = dataset.construct(rows.drop(test.index).assign(weight=1, datetime="2026-11-27"))
    model = pytest.importorskip("rectools.models").PopularModel().fit(train)
    table = model.recommend(test["user_id"].unique(), train, k=10, filter_viewed=True)
    found = run_recipe("RecTools recommends", {"rm": rm, "table": table, "test": test})
    values = metrics.NDCG(10, divide_by_achievable=True).calc(table, test)
    assert 0 < found.value == pytest.approx(values)
