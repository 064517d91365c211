"""One call, many measures: the values, the forms it takes, what it says of itself."""

from __future__ import annotations

import itertools
import re
import sys

import numpy as np
import pytest

import recsys_metrics as rm
from recsys_metrics import beyond_accuracy as ba
from recsys_metrics.interactions import Interactions
from recsys_metrics.measures import METRICS

LISTS = {"ann": ["A", "B", "C"], "bob": ["B", "D", "A"], "cem": ["C", "A"], "dee": []}
WANTED = {"ann": {"B": 1, "E": 3}, "bob": {"D": 2}, "cem": {}, "eve": {"A": 1}}
SEEN = {"ann": {"D"}, "bob": {"C"}, "cem": {"A", "B"}, "fay": {"A", "B", "E"}}
KINDS = {"A": {"war"}, "B": {"war", "drama"}, "C": {"comedy"}, "D": {"drama"}, "E": {"war"}}
EVERYTHING = {
    "history": SEEN,
    "features": KINDS,
    "catalog": list("ABCDE"),
    "split": "last basket",
}


def assert_alike(one, other):
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)


# Values ------------------------------------------------------------------------------------------


def test_a_single_list_is_evaluated():
    report = rm.evaluate(list("ABCDE"), {"B", "C", "E", "G"}, ["recall@5", "ndcg", "map@5"])
    assert report["recall@5"].mean == 0.75
    assert report["ndcg"].mean == rm.ndcg(rm.judge(list("ABCDE"), {"B", "C", "E", "G"}))
    assert report["average_precision@5"].per_user.tolist() == [pytest.approx(53 / 120)]
    assert report["recall@5"].interval() is None
    assert "over 1 user" in repr(report["recall@5"])


def test_ranking_results_equal_the_metric_functions():
    judged = rm.judge(LISTS, WANTED)
    report = rm.evaluate(LISTS, WANTED, ["ndcg(gain=exponential)@2", "precision@3"], split="x")
    assert_alike(report["precision@3"].per_user, rm.precision(judged, 3))
    assert_alike(
        report["ndcg(gain=exponential)@2"].per_user, rm.ndcg(judged, 2, gain="exponential")
    )
    assert report.users == ("ann", "bob", "cem", "dee", "eve")
    assert (report["precision@3"].n, report["precision@3"].n_skipped) == (3, 2)


def test_other_results_equal_their_functions():
    names = [name for name, metric in METRICS.items() if metric.family == "beyond accuracy"]
    recommended = {user: LISTS.get(user, [])[:2] for user in (*LISTS, "eve")}
    full = {user: row for user, row in recommended.items() if len(row) == 2}
    counts = {"A": 2, "B": 2, "C": 1, "D": 1, "E": 1}
    seen = {user: SEEN.get(user, set()) for user in recommended}
    times = ba.recommendation_counts(recommended, list("ABCDE"))
    shares = ba.category_shares(
        recommended, {user: list(row) for user, row in seen.items()}, KINDS, per="list"
    )
    expected = {
        "average_popularity": ba.average_popularity(recommended, counts),
        "alpha_ndcg": ba.alpha_ndcg(recommended, WANTED, KINDS, k=2),
        "catalog_coverage": 0.8,
        "expected_free_discovery": ba.expected_free_discovery(recommended, counts, 7),
        "expected_popularity_complement": ba.expected_popularity_complement(recommended, counts, 4),
        "exposure_gini": ba.gini(ba.exposure_of_items(recommended, list("ABCDE"))),
        "intent_aware_average_precision": ba.intent_aware_average_precision(
            recommended, WANTED, KINDS
        ),
        "intent_aware_precision": ba.intent_aware_precision(recommended, WANTED, KINDS, k=2),
        "intent_aware_expected_reciprocal_rank": ba.intent_aware_expected_reciprocal_rank(
            recommended, WANTED, KINDS, k=2
        ),
        "popularity_serendipity": ba.popularity_serendipity(recommended, WANTED, counts, 5, k=2),
        "rank_biased_entropy": ba.rank_biased_entropy(recommended, KINDS),
        "rank_biased_overlap": rm.rank_biased_overlap([*recommended.values()], [["A", "B"]] * 5),
        "subtopic_recall": ba.subtopic_recall(recommended, WANTED, KINDS),
        "exposure_novelty": ba.exposure_novelty(recommended, counts, 4),
        "genre_calibration": ba.genre_calibration(shares.training, shares.recommended),
        "gini": ba.gini(times),
        "intra_list_diversity": ba.intra_list_diversity(recommended, features=KINDS),
        "long_tail_share": ba.long_tail_share(recommended, counts),
        "popularity_complement": ba.popularity_complement(recommended, counts, 4),
        "popularity_lift": ba.popularity_lift(recommended, seen, counts),
        "self_information": ba.self_information(recommended, counts, 4),
        "serendipity": ba.serendipity(recommended, WANTED, ["A", "B"], k=2),
        "shannon_entropy": ba.shannon_entropy(times),
        "unexpectedness": ba.unexpectedness(recommended, seen, KINDS),
        "user_coverage": 3 / 5,
    }
    report = rm.evaluate(LISTS, WANTED, expected, ks=[2], **EVERYTHING)
    for name, value in expected.items():
        found = report[f"{name}@2"]
        assert_alike(found.value if found.values is None else found.per_user, value)
        if found.values is not None:
            assert_alike(found.mean, np.nanmean(value))
    alone = rm.evaluate(full, {"ann": {"B"}}, ["personalization@2"], split="x")
    assert_alike(alone["personalization@2"].mean, ba.personalization(full))
    assert {*expected, "personalization"} == set(names)


def test_input_forms_give_equal_reports():
    number = {label: i for i, label in enumerate("ABCDE")}
    table = np.array([[0, 1, 2], [1, 3, 0], [2, 0, -1], [-1, -1, -1], [-1, -1, -1]])
    users = [*LISTS, "eve"]
    truth = np.zeros((5, 5))
    for row, user in enumerate(users):
        for item, grade in WANTED.get(user, {}).items():
            truth[row, number[item]] = grade
    people = [*LISTS, "eve", "fay"]
    events = [(people.index(u), number[i]) for u, row in SEEN.items() for i in sorted(row)]
    history = Interactions(*zip(*events, strict=True), n_users=6, n_items=5)
    features = np.array([[k in KINDS[i] for k in ("comedy", "drama", "war")] for i in "ABCDE"])
    from scipy.sparse import csr_array

    asked = ["ndcg", "coverage", "gini", "ild", "self_information", "popularity_lift"]
    asked += ["unexpectedness(reading=times-relevance)", "serendipity@3", "genre_calibration"]
    by_name = rm.evaluate(LISTS, WANTED, asked, ks=[1, 3], **EVERYTHING)
    by_number = rm.evaluate(
        table,
        csr_array(truth),
        asked,
        ks=[1, 3],
        history=history,
        history_rows=np.arange(5),
        features=features.astype(float),
    )
    in_rows = rm.evaluate(
        [LISTS.get(user, []) for user in users],
        [WANTED.get(user, {}) for user in users],
        ["ndcg", "coverage", "gini", "ild", "unexpectedness(reading=times-relevance)"],
        ks=[1, 3],
        history=[SEEN.get(user, set()) for user in users],
        features=KINDS,
        catalog=list("ABCDE"),
    )
    for name, result in in_rows.items():
        assert_alike(result.value, by_name[name].value)
    # One person more is known, without any history.
    for name in by_name:
        if name.startswith("self_information"):
            continue
        one, other = by_name[name], by_number[name]
        assert_alike(one.value, other.value)
        if one.values is not None:
            assert_alike(one.per_user, other.per_user)


def test_the_order_of_users_changes_nothing():
    asked = ["ndcg@2", "gini@2", "serendipity@2", "unexpectedness@2", "coverage@2"]
    turned = dict(reversed(LISTS.items()))
    one = rm.evaluate(LISTS, WANTED, asked, **EVERYTHING)
    other = rm.evaluate(
        turned, WANTED, asked, **{**EVERYTHING, "history": dict(reversed(SEEN.items()))}
    )
    for name in asked:
        assert_alike(one[name].value, other[name].value)


def test_the_threshold_applies_to_all_binary_metrics():
    asked = ["hit_rate@3", "serendipity@3", "unexpectedness(reading=relevant-only)@3"]
    report = rm.evaluate(LISTS, WANTED, asked, threshold=2, **EVERYTHING, baseline=["C"])
    assert report["hit_rate@3"].per_user.tolist()[:2] == [0, 1]
    assert_alike(report["serendipity@3"].per_user[:2], [0, 1 / 3])
    assert np.isnan(report["unexpectedness(reading=relevant-only)@3"].per_user[0])
    assert "a grade of 2 or more" in report.protocol.relevance


def test_intervals_equal_those_of_the_protocol_package():
    rng = np.random.default_rng(3)
    gains = rng.random((60, 5)) < 0.3
    table = np.tile(np.arange(5), (60, 1))
    truth = [set(np.flatnonzero(row).tolist()) for row in gains]
    report = rm.evaluate(table, truth, ["precision@5"], split="x")
    values = report["precision@5"].per_user
    kept = values[~np.isnan(values)]
    found = report["precision@5"].interval(level=0.9)
    assert found == rm.protocol.significance.mean_interval(kept, bounds=(0, 1), level=0.9)
    again = report["precision@5"].interval(method="bootstrap", seed=1)
    assert again == rm.protocol.significance.bootstrap_interval(kept, seed=1)
    with pytest.raises(ValueError, match="method must be one of 'bounded', 'bootstrap'; got 'z'"):
        report["precision@5"].interval(method="z")


@pytest.mark.parametrize(
    ("hits", "ends"),
    [([1, 0], [0.0126, 0.9874]), ([1, 1], [0.1581, 1]), ([0] * 5, [0, 0.5218])],
)
def test_intervals_of_few_binary_values_stay_in_0_to_1(hits, ends):
    lists = [["A"] if hit else ["B"] for hit in hits]
    report = rm.evaluate(lists, [{"A"}] * len(hits), ["hit_rate@1"])
    found = report["hit_rate@1"]
    assert [*found.interval()] == pytest.approx(ends, abs=1e-4)
    if len(set(hits)) == 1:
        assert found.interval(method="bootstrap") is None


def test_a_report_says_why_there_is_no_interval():
    lists, wanted = [["A", "B"], ["B", "C"], ["C", "A"]], [{"A"}, {"C"}, {"B"}]
    asked = ["recall@2", "dcg@2", "arhr@2", "coverage@2"]
    report = rm.evaluate(lists, wanted, asked, catalog=4)
    assert report["dcg@2"].interval().low >= 0
    alone = rm.evaluate(lists[:1], wanted[:1], ["recall@2"])
    assert (
        "No confidence interval for recall@2: 1 user cannot show how much users vary."
        in alone.warnings
    )
    same = rm.evaluate(lists[:1] * 60, wanted[:1] * 60, ["dcg@2", "arhr@2"])
    why = "all 60 users have the same value, and a metric without two bounds may vary by any amount"
    text = f"No confidence interval for dcg@2, arhr@2: {why}."
    assert text in same.warnings
    assert text in " ".join(repr(same).split())
    assert text in same._repr_html_()


# How it is read ----------------------------------------------------------------------------------


def test_metrics_are_combined_with_each_cutoff_once():
    report = rm.evaluate(LISTS, WANTED, ["ndcg", "recall@1", "recall", "mrr@2"], ks=[1, 2])
    assert list(report) == [
        "ndcg@1",
        "ndcg@2",
        "recall@1",
        "recall@2",
        "mrr@2",
    ]
    assert len(report) == 5
    assert report[rm.measure("ndcg(gain=linear)@1")] is report["ndcg@1"]


def test_the_text_names_every_value_question_and_caveat():
    report = rm.evaluate(
        LISTS, WANTED, ["ndcg", "coverage"], ks=[1, 3], catalog=list("ABCDE"), name="first try"
    )
    text, page = repr(report), report._repr_html_()
    for said in ("first try", "@1", "@3", "ndcg", "coverage", "0.800", "not stated"):
        assert said in text
        assert said in page.replace("<wbr>", "")
    assert "How close is the list to the best possible order" in text
    assert "2 users, treated according to each metric's no_relevant" in text
    assert "graded, 1 to 3" in text
    assert max(map(len, text.splitlines())) <= 100
    assert "color:inherit" in page
    assert not re.search(r"#[0-9a-fA-F]{3,6}\b|(?<!-)color:(?!inherit)", page)


@pytest.mark.parametrize(
    ("measures", "more", "said"),
    [
        (["ndcg@2"], {}, "Only accuracy was measured"),
        (["ndcg@2"], {"sampled": 100}, "Ranks were taken among 100 sampled items"),
        (["ndcg@2"], {}, "The split was not stated"),
        (["ndcg@3"], {}, "3 of 5 lists are shorter than the largest cut-off"),
        (["ndcg@3"], {}, "A mean over 3 users says little"),
    ],
)
def test_reports_warn_about_questionable_settings(measures, more, said):
    report = rm.evaluate(LISTS, WANTED, measures, **more)
    assert any(said in warning for warning in report.warnings)
    assert said in repr(report)
    assert said in report._repr_html_()


def test_a_fully_specified_evaluation_has_no_warnings():
    n = 40
    table = np.column_stack([np.arange(n), np.arange(n) + 1])
    report = rm.evaluate(
        table,
        [{i} for i in range(n)],
        ["hit_rate@2", "coverage@2"],
        catalog=n + 1,
        split="by time",
        seed=7,
    )
    assert report.warnings == ()
    assert "Read with care" not in repr(report)
    card = dict(report.protocol.lines())
    assert (card["lists"], card["split"], card["seed"]) == ("40, of 2 items", "by time", "7")
    assert card["known"] == "a catalogue of 41 items"
    assert report.protocol.measures[0] == "hit_rate(no_relevant=nan)@2"


def test_to_frame_needs_only_polars(monkeypatch):
    pl = pytest.importorskip("polars", reason="the extra `frames` is not installed")
    for name in ("pandas", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    assert isinstance(rm.evaluate(LISTS, WANTED, ["recall@1"]).to_frame(), pl.DataFrame)


def test_to_frame_returns_data_frames():
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars", reason="the extra `frames` is not installed")
    report = rm.evaluate(LISTS, WANTED, ["recall@1", "coverage@1"], catalog=list("ABCDE"))
    assert isinstance(report.to_frame(), pl.DataFrame)
    frame = report.to_frame(backend="pandas")
    assert isinstance(frame, pd.DataFrame)
    assert frame["measure"].tolist() == ["recall@1", "coverage@1"]
    assert frame["users"].tolist() == [3, 0]
    wide = report.to_frame(per_user=True, backend="pandas")
    assert wide["user"].tolist() == list(report.users)
    assert "catalog_coverage@1" not in wide
    with pytest.raises(
        ValueError, match=r"backend must be one of 'polars', 'pandas', .*; got 'arrow'"
    ):
        report.to_frame(backend="arrow")


# Bad input ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measures", "more", "message"),
    [
        ([], {}, "measures is empty"),
        (["ngcd@1"], {}, "unknown metric 'ngcd'; did you mean 'ndcg'"),
        (["ndcg"], {"ks": [0]}, "a k of ks is a whole number of 1 or more; got 0"),
        (["coverage@1"], {}, "catalog_coverage@1 needs catalog: what could have been"),
        (["gini@1"], {"catalog": ["A"]}, "gini@1: .*not in the catalogue"),
        (["ild@2"], {}, "intra_list_diversity@2 needs features"),
        (["novelty@2"], {}, "self_information@2 needs item_counts: the training data"),
        (["serendipity@2"], {}, "serendipity@2 needs baseline"),
        (["serendipity"], {"baseline": ["A"]}, "serendipity needs a cut-off; write serendipity@10"),
        (["ndcg@1"], {"groups": {"age": {"ann": "old"}}}, "'age' has no group for user 'bob'"),
        (["ndcg@1"], {"groups": {"age": ["old"]}}, "'age' has shape .1,.; give one group"),
        (
            ["ndcg@1"],
            {"groups": {"age": dict(zip(sorted({*LISTS, *WANTED}), "aAbcd", strict=True))}},
            "the grouping 'age' has the groups 'A' and 'a', which differ only in blanks, case",
        ),
        (["ndcg@1"], {"sampled": 0}, "sampled is a whole number of 1 or more; got 0"),
    ],
)
def test_missing_arguments_are_named(measures, more, message):
    with pytest.raises(ValueError, match=message):
        rm.evaluate(LISTS, WANTED, measures, **more)


@pytest.mark.parametrize(
    ("history", "more", "message"),
    [
        (7, {}, "history must be Interactions, a sparse users x items table"),
        ({"ann": "AB"}, {}, "history of user 'ann' must be a set or list of ids, not 'AB'"),
        (Interactions([0], [0]), {}, "must contain the row of each list's user in the history"),
    ],
)
def test_invalid_histories_raise(history, more, message):
    with pytest.raises(TypeError, match=message):
        rm.evaluate(LISTS, WANTED, ["novelty@1"], history=history, **more)


def test_a_history_table_must_match_the_users():
    log = Interactions([0, 1, 2], [0, 1, 0], n_users=3, n_items=2)
    with pytest.raises(ValueError, match="contains 5, but history has the rows 0 to 2"):
        rm.evaluate([[0], [1]], [{0}, {1}], ["popularity_lift@1"], history=log, history_rows=[0, 5])
    # Whose history it is need not be known where only the counts are asked for.
    counted = rm.evaluate([[0], [1]], [{0}, {1}], ["arp@1"], history=log)
    assert counted["arp@1"].per_user.tolist() == [2, 1]
    with pytest.raises(ValueError, match="popularity_lift@1 needs history"):
        rm.evaluate([[0], [1]], [{0}, {1}], ["popularity_lift@1"], history=log)
    with pytest.raises(ValueError, match="history has 1 entries for 2 lists"):
        rm.evaluate([[0], [1]], [{0}, {1}], ["arp@1"], history=[{0}])
    with pytest.raises(TypeError, match="keyed by user, so the lists must be too"):
        rm.evaluate([[0], [1]], [{0}, {1}], ["arp@1"], history={0: {0}})


def test_metrics_that_were_not_evaluated_raise():
    report = rm.evaluate(LISTS, WANTED, ["ndcg@1", "coverage@1"], catalog=list("ABCDE"))
    with pytest.raises(KeyError, match="recall@1 was not measured; there are ndcg@1"):
        report["recall@1"]
    with pytest.raises(ValueError, match="is an aggregate over all lists and has no per-user"):
        _ = report["coverage@1"].per_user
    with pytest.raises(ValueError, match="read-only"):
        report["ndcg@1"].per_user[0] = 1
    with pytest.raises(ValueError, match="there is no list to evaluate"):
        rm.evaluate({}, {}, ["ndcg@1"])


def test_values_do_not_depend_on_the_other_metrics():
    asked = ["ndcg@1", "map@3", "ild@2", "gini@3"]
    alone = {name: rm.evaluate(LISTS, WANTED, [name], **EVERYTHING)[name].value for name in asked}
    for some in itertools.permutations(asked, 3):
        report = rm.evaluate(LISTS, WANTED, some, **EVERYTHING)
        for name in some:
            assert report[name].value == alone[name]


def test_no_name_steers_a_terminal_or_turns_the_text():
    name = "new\x1b[31m\u202egnp.\x07"
    lists, truths = {"ann": ["A"], name: ["B"]}, {"ann": {"A"}, name: {"A"}}
    report = rm.evaluate(lists, truths, ["ndcg@1"], name=name, groups={name: {"ann": 1, name: 2}})
    other = rm.evaluate({"ann": ["B"], name: ["A"]}, truths, ["ndcg@1"], name="old")
    shown = [report, report.by(report.groups[name]), report.compare(other)]
    for each in shown:
        for text in (repr(each), each.to_markdown(), each.to_latex(), each.to_html()):
            assert not set(text) & set("\x1b\u202e\x07")
    # In LaTeX and Markdown what stands for the sign is text, no command.
    assert r"\textbackslash{}x1b" in report.to_latex()
    assert r"new\\x1b\[31m\\u202egnp.\\x07" in report.to_markdown()
