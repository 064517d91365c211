"""LensKit, whose discount leaves ranks 1 and 2 whole."""

from __future__ import annotations

import importlib
from importlib.metadata import version

import numpy as np
import pytest

import recsys_metrics as rm
from recsys_metrics.beyond_accuracy import intra_list_diversity
from tests.chapters.recipe_code import prepare_log, run_recipe
from tests.peers.cases import agree, are_known, compared, draw
from tests.peers.worlds import N_ITEMS, agree_on_worlds

metrics = pytest.importorskip("lenskit.metrics.ranking", reason="LensKit is not installed")
data = pytest.importorskip("lenskit.data", reason="LensKit is not installed")

THEIRS = {
    "hit": metrics.Hit,
    "precision": metrics.Precision,
    "recall": metrics.Recall,
    "averageprecision": metrics.AveragePrecision,
    "reciprank": metrics.RecipRank,
    "ndcg": metrics.NDCG,
    "ndcg(gain=rating)": lambda n: metrics.NDCG(n, gain="rating"),
    "dcg": metrics.DCG,
    "dcg(gain=rating)": lambda n: metrics.DCG(n, gain="rating"),
    "rbp": metrics.RBP,
}


def retrieved(row):
    return data.ItemList(item_ids=np.array(row, dtype=np.int64), ordered=True)


def wanted(row):
    return data.ItemList(
        item_ids=np.array(list(row), dtype=np.int64), rating=np.array([*row.values()], dtype=float)
    )


def test_every_metric_is_compared():
    assert {*THEIRS, *CONCENTRATION} == set(compared("lenskit"))


@pytest.mark.parametrize("name", THEIRS)
def test_every_metric_agrees(name):
    # What a list without items scores there is the subject of a test of its own.
    no_number = name in ("precision", "averageprecision")
    drawn = draw(1200, empty_lists=not no_number)
    lists = {user: retrieved(row) for user, row in drawn.lists.items()}
    truths = {user: wanted(drawn.relevant[user]) for user in drawn.with_something}

    def theirs(_, k):
        metric = THEIRS[name](n=k)
        return {user: metric.measure_list(lists[user], row) for user, row in truths.items()}

    leaves_out = set(drawn.lists) - drawn.with_something
    lacks = {"nothing relevant", "no list"} if no_number else {"nothing relevant"}
    agree(
        "lenskit",
        version("lenskit"),
        name,
        drawn,
        theirs,
        whole=True,
        leaves_out=leaves_out,
        lacks=lacks,
    )


CONCENTRATION = {"listgini": metrics.ListGini, "exposuregini": metrics.ExposureGini}


@pytest.mark.parametrize("name", CONCENTRATION)
def test_concentration(name):
    items = data.Vocabulary(np.arange(N_ITEMS))

    def theirs(world, k):
        metric = CONCENTRATION[name](k, items=items)
        total = metric.create_accumulator()
        for row in world.lists.values():
            total.add(metric.measure_list(retrieved(row), None))
        return total.accumulate()

    agree_on_worlds("lenskit", version("lenskit"), name, theirs)


def test_public_names_are_in_the_table():
    names = {
        name
        for module in ("lenskit.metrics", "lenskit.metrics.ranking")
        for name in importlib.import_module(module).__all__
    }
    base = "part of how a measure is written, not one"
    left_out = dict.fromkeys(("Metric", "MetricFunction", "ListMetric", "RankingMetricBase"), base)
    left_out |= dict.fromkeys(("RankWeight", "GeometricRankWeight", "LogRankWeight"), "a discount")
    left_out |= dict.fromkeys(
        (
            *("MeasurementCollector", "RunAnalysis", "RunAnalysisResult", "RunMetrics"),
            *("MetricResult", "MetricVal", "quick_measure_model"),
        ),
        "runs measures, is none",
    )
    left_out["rank_biased_precision"] = "the sum under RBP"
    are_known("lenskit", names, left_out)


def test_similarity_is_one_minus_diversity():
    similarity = importlib.import_module("lenskit.metrics.ranking._ils").intra_list_similarity
    vectors = np.random.default_rng(0).random((8, 3))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    for n in (2, 5, 8):
        ours = 1 - intra_list_diversity([*range(n)], features=vectors)
        assert ours == pytest.approx(similarity(retrieved([*range(n)]), vectors[:n]), abs=1e-9)
    assert similarity(retrieved([0]), vectors[:1]) == 1


def test_rank_biased_overlap():
    overlap = pytest.importorskip("lenskit.metrics.reranking").rank_biased_overlap
    rng = np.random.default_rng(0)
    for _ in range(1000):
        one, other = (rng.permutation(15)[:10].tolist() for _ in range(2))
        ours = rm.rank_biased_overlap(one, other, p=0.85, rest="normalize")
        assert ours == pytest.approx(overlap(retrieved(one), retrieved(other)), abs=1e-9)


def test_least_item_promoted_counts_ranks_from_0():
    theirs = pytest.importorskip("lenskit.metrics.reranking").least_item_promoted
    rng = np.random.default_rng(0)
    for k in (1, 3, 8):
        for _ in range(200):
            before = rng.permutation(12).tolist()
            after = rng.permutation(before)[:8].tolist()
            ours = rm.least_item_promoted(after, before, k)
            assert theirs(retrieved(before), retrieved(after), k) == max(0, ours - 1)
    assert theirs(retrieved([1, 2, 3, 4, 5, 6]), retrieved([1, 6, 2]), 3) == 2


# `RunAnalysis` is how LensKit evaluates a run; `measure_list` is one list of it.
def run_analysis(name, lists, truths, k):
    """Return the value of each user, and the mean, as `RunAnalysis` reports them."""
    recommended, test = (data.ItemListCollection.empty(["user_id"]) for _ in range(2))
    for user, row in lists.items():
        recommended.add(retrieved(row), user_id=user)
    for user, row in truths.items():
        test.add(wanted(row), user_id=user)
    analysis = importlib.import_module("lenskit.metrics").RunAnalysis()
    analysis.add_metric(THEIRS[name](n=k), label=name)
    found = analysis.measure(recommended, test)
    return found.list_metrics()[name], found.list_summary()["mean"][name]


@pytest.mark.parametrize("k", [None, 3])
@pytest.mark.parametrize("name", [name for name in THEIRS if name != "averageprecision"])
@pytest.mark.filterwarnings("ignore")
def test_users_with_nothing_relevant_in_a_run(name, k):
    drawn = draw(300)
    assert len(drawn.lists) - len(drawn.with_something) > 10
    truths = {user: drawn.relevant[user] for user in drawn.with_something}
    values, mean = run_analysis(name, drawn.lists, truths, k)
    made = rm.like("lenskit", name if k is None else f"{name}@{k}")
    if version("lenskit") == "2025.8.1":  # as `other_versions` says of it
        made = made.with_options(no_relevant="zero")
    ours = made(rm.judge(drawn.lists, truths))
    np.testing.assert_allclose(ours, values.loc[[*drawn.lists]], atol=1e-9)
    assert np.nanmean(ours) == pytest.approx(mean)


@pytest.mark.parametrize("k", [None, 3])
def test_nothing_relevant_has_no_average_precision(k):
    with pytest.raises(ZeroDivisionError):
        THEIRS["averageprecision"](n=k).measure_list(retrieved([1]), wanted({}))


def test_a_user_without_a_list_is_left_out_of_a_run():
    values, mean = run_analysis("recall", {0: [1]}, {0: {1: 1}, 1: {1: 1}}, None)
    assert [*values.index] == [0]
    assert mean == 1


def test_recall_of_a_whole_list_is_divided_by_everything_relevant():
    judged = rm.judge(["1"], {"1", "3"})
    assert rm.like("lenskit", "recall")(judged) == 0.5
    assert rm.like("lenskit", "recall@1")(judged) == 1
    for k in (None, 1):
        found = THEIRS["recall"](n=k).measure_list(retrieved([1]), wanted({1: 1, 3: 1}))
        assert found == (0.5 if k is None else 1)


@pytest.mark.parametrize("name", ["precision", "averageprecision"])
def test_an_empty_list_has_no_precision(name):
    assert np.isnan(THEIRS[name](n=3).measure_list(retrieved([]), wanted({1: 1.0})))
    assert rm.like("lenskit", f"{name}@3")(rm.judge([[]], [{1}])).tolist() == [0]


@pytest.mark.filterwarnings("ignore")
def test_the_recipe_of_its_recommendations():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    rows = pandas.DataFrame(
        [(user, item) for user in range(40) for item in rng.permutation(30)[:12].tolist()],
        columns=["user_id", "item_id"],
    )
    held_out = rows.groupby("user_id").head(4).assign(rating=1.0)
    train = data.from_interactions_df(rows.drop(held_out.index))
    test = data.ItemListCollection.from_df(held_out, ["user_id"])
    pipeline = importlib.import_module("lenskit.pipeline").topn_pipeline(
        importlib.import_module("lenskit.basic").PopScorer()
    )
    pipeline.train(train)
    recommend = importlib.import_module("lenskit.batch").recommend
    recommended = recommend(pipeline, [*range(40)], n=10, n_jobs=1)
    known = {"rm": rm, "recs": recommended.to_df(), "held_out": test.to_df()}
    found = run_recipe("LensKit recommends", known)
    lists = {key.user_id: row.ids().tolist() for key, row in recommended}
    wants = held_out.groupby("user_id")["item_id"].agg(set).to_dict()
    assert 0 < found.value == pytest.approx(rm.evaluate(lists, wants, ["ndcg@10"])["ndcg@10"].value)


@pytest.mark.filterwarnings("ignore")
def test_a_model_on_the_page_of_the_log():
    known = {**prepare_log(), "pd": pytest.importorskip("pandas")}
    found = run_recipe("LensKit: a table", known, "your_log")["NDCG@10"]
    later = known["later"].drop_duplicates()
    lists, truths = (
        table.groupby("user_id")["item_id"].agg(list) for table in (known["recs"], later)
    )
    # A user who is new has no list, which counts as 0.
    values = [
        THEIRS["ndcg"](n=10).measure_list(
            data.ItemList(item_ids=lists.get(user, []), ordered=True),
            data.ItemList(item_ids=truths[user]),
        )
        for user in truths.index
    ]
    as_theirs = rm.like("lenskit", "ndcg@10")  # which discounts from rank 3 on
    report = rm.evaluate(known["recs"], later, [as_theirs])
    assert 0.4 < report[as_theirs].value == pytest.approx(np.mean(values))
    assert 0.4 < found.value < report[as_theirs].value
