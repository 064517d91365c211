"""Frames give what arrays give: every measure, every convention, every engine."""

from __future__ import annotations

import itertools
from typing import Literal, get_args, get_origin

import numpy as np
import pytest

import recsys_metrics as rm
from recsys_metrics import frames
from recsys_metrics.frames import _blocks, _engines
from recsys_metrics.measures import METRICS, Measure, measure
from tests.frames.engines import ENGINES, in_polars, in_spark
from tests.tiers import on_spark

pl = pytest.importorskip("polars", reason="the extra `frames` is not installed")


EACH = pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.__name__)
SOME = pytest.mark.sweep("engine", keep=1, always=[in_polars], pools={in_spark: on_spark})


def engines(test):
    return SOME(EACH(test))


def draw(seed, *, graded=True):
    """Return lists and truths by user: short lists, users in one table only."""
    rng = np.random.default_rng(seed)
    lists, truth = {}, {}
    for user in range(40):
        recommended = rng.permutation(25)[: rng.integers(0, 13)].tolist()
        grades = rng.integers(0, 4, 25) if graded else (rng.random(25) < 0.2).astype(int)
        wanted = rng.permutation(25)[: rng.integers(0, 9)].tolist()
        # A table knows no user without a row.
        if user % 9 and recommended:
            lists[user] = recommended
        if user % 7 and wanted:
            truth[user] = {item: int(grades[item]) for item in wanted}
    return lists, truth


def as_tables(lists, truth):
    shown = [(u, i, r) for u, row in lists.items() for r, i in enumerate(row, 1)]
    wanted = [(u, i, g) for u, row in truth.items() for i, g in row.items()]
    rng = np.random.default_rng(0)
    shown = [shown[i] for i in rng.permutation(len(shown))]
    columns = [list(column) for column in zip(*shown, strict=True)]
    others = [list(column) for column in zip(*wanted, strict=True)]
    return (
        dict(zip(("user", "item", "rank"), columns, strict=True)),
        dict(zip(("user", "item", "grade"), others, strict=True)),
    )


def texts():
    """Yield every ranking measure with every combination of its words, at several cuts."""
    for name, metric in METRICS.items():
        if metric.family != "accuracy":
            continue
        hints = metric._annotations
        words = {
            convention: get_args(hints[convention])
            for convention in metric.conventions
            if convention != "no_relevant" and get_origin(hints[convention]) is Literal
        }
        fixed = {
            "expected_reciprocal_rank": ["max_grade=3", "max_grade=4.5"],
            "f_beta": ["beta=1", "beta=0.5"],
            "interpolated_precision": ["", "recall=0.3", "recall=1"],
            "rank_biased_precision": ["p=0.8", "p=0.25"],
        }.get(name, [""])
        for extra, *chosen in itertools.product(fixed, *words.values()):
            inside = [f"{c}={w}" for c, w in zip(words, chosen, strict=True)]
            inside += [extra] if extra else []
            for k in ("@1", "@3", "@10", "@40", ""):
                if "ideal=full" in inside and (not k or "gain=binary" not in inside):
                    continue
                yield f"{name}({', '.join(inside)}){k}" if inside else f"{name}{k}"


TEXTS = list(texts())


def compare(arrays, over_frames, *, tolerance=1e-12):
    order = np.argsort(np.array(arrays.users))
    assert over_frames.users == tuple(np.array(arrays.users)[order].tolist())
    for made, result in arrays.results.items():
        found = over_frames.results[made]
        np.testing.assert_allclose(found.value, result.value, rtol=0, atol=tolerance)
        if result.values is None:
            continue
        assert (found.n, found.n_skipped) == (result.n, result.n_skipped)
        values = found.per_user
        np.testing.assert_allclose(values, result.values[order], rtol=0, atol=tolerance)
        least, most = made.metric.bounds
        known = values[~np.isnan(values)]
        assert ((known >= least - tolerance) & (known <= most + tolerance)).all()
        one, other = found.interval(), result.interval()
        assert (one is None) == (other is None)
        if other is not None:
            np.testing.assert_allclose([*one], [*other], rtol=0, atol=10 * tolerance)


def test_every_ranking_metric_is_compared():
    assert {text.partition("(")[0].partition("@")[0] for text in TEXTS} == {
        name for name, metric in METRICS.items() if metric.family == "accuracy"
    }
    assert len(TEXTS) > 200


@engines
@pytest.mark.parametrize("threshold", [None, 2])
@pytest.mark.parametrize("whole", [False, True], ids=["cut", "whole"])
def test_every_ranking_metric_and_option_equals_arrays(engine, threshold, whole):
    lists, truth = draw(1)
    shown, wanted = map(engine, as_tables(lists, truth))
    # One measure of whole lists, and the engine cuts none.
    asked = TEXTS if whole else [text for text in TEXTS if "@" in text and "@40" not in text]
    arrays = rm.evaluate(lists, truth, asked, threshold=threshold)
    compare(arrays, frames.evaluate(shown, wanted, asked, threshold=threshold))


@engines
def test_blocks_of_few_rows_equal_arrays(engine, monkeypatch):
    lists, truth = draw(7)
    shown, wanted = map(engine, as_tables(lists, truth))
    history = {user: set(row[:2]) for user, row in draw(8)[0].items()}
    met = [(user, item) for user, row in history.items() for item in row]
    seen = engine({"user": [u for u, _ in met], "item": [i for _, i in met]})
    asked = ["ndcg@5", "recall", "gini@5", "personalization@5", "average_popularity@5"]
    more = {"catalog": 30, "repeats": "drop"}
    arrays = rm.evaluate(lists, truth, asked, history=history, **more)
    monkeypatch.setattr(_engines, "BLOCK_ROWS", 40)
    monkeypatch.setattr(_blocks, "_CELLS", 20)
    found = frames.evaluate(shown, wanted, asked, history=seen, **more)
    compare(arrays, found)
    protocol = dict(found.protocol.lines())
    assert {**protocol, "known": ""} == {**dict(arrays.protocol.lines()), "known": ""}
    assert found.protocol.digest == arrays.protocol.digest
    sums = frames.evaluate(shown, wanted, asked, history=seen, keep="sums", **more)
    for name in found:
        assert sums[name].value == pytest.approx(found[name].value, abs=1e-12, nan_ok=True)
    with pytest.raises(ValueError, match="values of single users were not stored"):
        sums.compare(found)


@engines
@pytest.mark.parametrize("no_relevant", ["zero", "one"])
def test_users_without_relevant_items_equal_arrays(engine, no_relevant):
    lists, truth = draw(2, graded=False)
    asked = [f"{name}(no_relevant={no_relevant})@5" for name in ("ndcg", "recall", "map", "mrr")]
    shown, wanted = map(engine, as_tables(lists, truth))
    compare(rm.evaluate(lists, truth, asked), frames.evaluate(shown, wanted, asked))


TOGETHER = ["catalog_coverage", "gini", "gini(normalized=true)", "shannon_entropy"]
TOGETHER += ["shannon_entropy(base=10)", "user_coverage", "user_coverage(at_least=4)"]
OF_ITEMS = ["average_popularity", "popularity_complement", "self_information(unseen=one)"]
OF_ITEMS += ["self_information(unseen=drop)", "self_information(base=3, unseen=one)"]


@engines
def test_metrics_beyond_accuracy_equal_arrays(engine):
    lists, truth = draw(3)
    rng = np.random.default_rng(4)
    history = {u: set(rng.permutation(23)[:6].tolist()) for u in range(100)}
    met = [(u, i) for u, row in history.items() for i in sorted(row)]
    users, items = (list(column) for column in zip(*met, strict=True))
    asked = [*TOGETHER, *OF_ITEMS]
    baseline = [3, 1, 4, 15, 9]
    more = ["serendipity@3", "serendipity@7"]
    arrays = rm.evaluate(
        lists,
        truth,
        [*asked, *more],
        ks=[1, 5, 20],
        history=history,
        catalog=range(30),
        baseline=baseline,
    )
    shown, wanted = map(engine, as_tables(lists, truth))
    found = frames.evaluate(
        shown,
        wanted,
        [*asked, *more],
        ks=[1, 5, 20],
        history=engine({"user": users, "item": items}),
        catalog=30,
        baseline=baseline,
    )
    compare(arrays, found)


@engines
def test_lists_of_equal_length_equal_arrays(engine):
    rng = np.random.default_rng(5)
    lists = {u: rng.permutation(30)[:6].tolist() for u in range(50)}
    truth = {u: {int(row[0]): 1} for u, row in lists.items()}
    shown, wanted = map(engine, as_tables(lists, truth))
    asked = ["personalization", "gini"]
    arrays = rm.evaluate(lists, truth, asked, ks=[2, 6], catalog=range(30))
    compare(arrays, frames.evaluate(shown, wanted, asked, ks=[2, 6], catalog=30))


@engines
def test_scores_can_replace_ranks(engine):
    lists, truth = draw(6)
    shown, wanted = as_tables(lists, truth)
    ranks = shown.pop("rank")
    by_score = {**shown, "score": [-2.5 * rank for rank in ranks]}
    asked = ["ndcg@5", "map@10"]
    compare(
        rm.evaluate(lists, truth, asked),
        frames.evaluate(engine(by_score), engine(wanted), asked),
    )


@engines
def test_gaps_in_the_ranks_count_as_misses(engine):
    shown = {"user": [1, 1], "item": [5, 6], "rank": [2, 4]}
    wanted = {"user": [1, 1, 1], "item": [5, 6, 7]}
    asked = [text for text in TEXTS if text.endswith(("@3", "@10"))]
    arrays = rm.evaluate(np.array([[-1, 5, -1, 6]]), [{5, 6, 7}], asked)
    found = frames.evaluate(engine(shown), engine(wanted), asked)
    for made, result in arrays.results.items():
        np.testing.assert_allclose(found.results[made].value, result.value, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("asked", "more", "message"),
    [
        ("ild@5", {}, "intra_list_diversity@5 needs features: what is known of each item"),
        ("novelty@5", {}, "self_information@5 needs item_counts: the training data, as history="),
        ("coverage@5", {}, "catalog_coverage@5 needs catalog: what could have been recommended"),
        ("coverage@5", {"catalog": 1}, "2 distinct items were recommended from a catalogue of 1"),
        (
            "serendipity@5",
            {},
            "serendipity@5 needs baseline: the recommendations of a popularity baseline",
        ),
        ("serendipity", {"baseline": [1]}, "serendipity needs a cut-off"),
        ("err(max_grade=1)@5", {}, "the highest grade here is 2, above max_grade=1"),
        ("ndcg(ideal=full)@5", {}, "but the highest gain here is 2"),
        ("recall(no_relevant=raise)@5", {"threshold": 9}, "user 1.? has no relevant item"),
        ("ndcg@5", {"columns": {"user": "who"}}, "no table has a column 'who' for the user"),
        ("ndcg@5", {"columns": {"usr": "user"}}, "there is no role 'usr'; there are user, item"),
    ],
)
def test_metrics_with_missing_arguments_raise(asked, more, message):
    shown = pl.DataFrame({"user": [1, 1], "item": [5, 6], "rank": [1, 2]})
    wanted = pl.DataFrame({"user": [1], "item": [5], "grade": [2]})
    with pytest.raises(ValueError, match=message):
        frames.evaluate(shown, wanted, [asked], **more)


def test_a_metric_without_a_value_has_a_warning():
    shown = pl.DataFrame({"user": [1, 1], "item": [5, 6], "rank": [1, 2]})
    wanted = pl.DataFrame({"user": [1], "item": [5], "grade": [2]})
    report = frames.evaluate(shown, wanted, ["personalization@5", "recall@5"])
    assert np.isnan(report["personalization@5"].mean)
    assert report["recall@5"].mean == 1
    assert "compares users' lists, so give two or more; got 1" in " ".join(report.warnings)


def test_items_without_interactions_equal_arrays():
    shown = pl.DataFrame({"user": [1, 1], "item": [5, 6], "rank": [1, 2]})
    wanted = pl.DataFrame({"user": [1], "item": [5]})
    met = pl.DataFrame({"user": [1, 2], "item": [5, 5]})
    with pytest.raises(ValueError, match="contains item 6, which no user interacted with"):
        frames.evaluate(shown, wanted, ["novelty@5"], history=met)
    assert frames.evaluate(shown, wanted, ["novelty@1"], history=met)["novelty@1"].mean == 0


@pytest.mark.parametrize(
    ("shown", "wanted", "error", "message"),
    [
        ([1, 2], {"user": [1], "item": [1]}, TypeError, "recommended must be a data frame"),
        ({"who": [1], "item": [1]}, {"user": [1], "item": [1]}, ValueError, "looks like the user"),
        ({"user": [1], "item": [1]}, {"user": [1], "item": [1]}, ValueError, "ranks or scores"),
        (
            {"user": [1], "item": [1], "rank": [1]},
            {"user": [1], "film": [1]},
            ValueError,
            "relevant has no column that looks like the item; there are 'user', 'film'",
        ),
    ],
)
def test_unreadable_tables_raise(shown, wanted, error, message):
    made = [pl.DataFrame(t) if isinstance(t, dict) else t for t in (shown, wanted)]
    with pytest.raises(error, match=message):
        frames.evaluate(*made, ["ndcg@5"])


def test_columns_are_found_by_their_usual_names_and_reported():
    shown = pl.DataFrame({"User_ID": [1], "DocNo": [5], "Position": [1]})
    wanted = pl.DataFrame({"qid": [1], "item_id": [5], "rel": [2]})
    assert frames.evaluate(shown, wanted, ["ndcg@5"])["ndcg@5"].mean == 1
    films = pl.DataFrame({"userId": [1], "movieId": [5], "rating": [2]})
    report = frames.evaluate(films.rename({"rating": "prediction"}), films, ["ndcg@5"])
    assert report["ndcg@5"].mean == 1
    known = dict(report.protocol.lines())["known"]
    assert "userId as user; movieId as item; prediction as score; rating as grade" in known
    other = shown.rename({"User_ID": "a", "DocNo": "b", "Position": "c"})
    named = {"user": "a", "item": "b", "rank": "c"}
    assert frames.evaluate(other, wanted, ["ndcg@5"], columns=named)["ndcg@5"].mean == 1
    with pytest.raises(ValueError, match="no table has a column 'x' for the user"):
        frames.evaluate(other, wanted, ["ndcg@5"], columns={**named, "user": "x"})


def test_the_report_has_the_same_text_as_for_arrays():
    lists, truth = draw(8)
    shown, wanted = as_tables(lists, truth)
    report = frames.evaluate(
        in_polars(shown), in_polars(wanted), ["ndcg", "coverage"], ks=[1, 5], catalog=30
    )
    text = repr(report)
    assert "How close is the list to the best possible order" in text
    assert "a catalogue of 30 items" in text
    assert "The split was not stated" in text
    assert "<table" in report._repr_html_()
    assert len(report) == 4
    with pytest.raises(KeyError, match="recall@1 was not measured"):
        report["recall@1"]


def newcomers(items, history):
    """Which share of the items has the user not met?"""
    return sum(item not in history for item in items) / max(len(items), 1)


def share_of_newcomers(lists, history):
    """Which share of all items has its user not met?"""
    values = [newcomers(items, met) for items, met in zip(lists, history, strict=True)]
    return sum(values) / len(values)


@engines
@pytest.mark.parametrize("kind", [int, "i{:02}".format], ids=["numbers", "text"])
def test_measures_of_features_histories_and_the_callers_own_equal_arrays(engine, kind, monkeypatch):
    lists, truth = (
        {user: [kind(i) for i in row] for user, row in draw(9)[0].items()},
        {user: {kind(i): grade for i, grade in row.items()} for user, row in draw(9)[1].items()},
    )
    rng = np.random.default_rng(10)
    features = {kind(i): {f"g{g}" for g in rng.integers(0, 5, 2)} for i in range(25)}
    history = {u: {kind(i) for i in rng.permutation(25)[:6].tolist()} for u in {**lists, **truth}}
    met = [(user, item) for user, row in history.items() for item in sorted(row)]
    users, items = (list(column) for column in zip(*met, strict=True))
    asked = ["ild@5", "genre_calibration@5", "popularity_lift@5", "unexpectedness@5"]
    asked += ["alpha_ndcg@5", "subtopic_recall@5", "rank_biased_overlap@5", "serendipity@5"]
    asked += [measure("gini@5"), measure("exposure_novelty@5"), Measure.of(newcomers)]
    asked += [Measure.of(share_of_newcomers, per="all")]
    more = {"features": features, "catalog": sorted(features)}
    arrays = rm.evaluate(lists, truth, asked, history=history, **more)
    monkeypatch.setattr(_engines, "BLOCK_ROWS", 100)
    shown, wanted = map(engine, as_tables(lists, truth))
    seen = engine({"user": users, "item": items})
    compare(arrays, frames.evaluate(shown, wanted, asked, history=seen, **more))
