"""A difference of two reports is refused, or explained, where the evaluations were not alike."""

from __future__ import annotations

import numpy as np
import pytest

from recsys_metrics import compare_many, evaluate
from recsys_metrics.evaluation import Report
from recsys_metrics.interactions import Interactions

N = 60
USERS = [f"u{i}" for i in range(N)]
LISTS = {user: ["a", "b"] for user in USERS}
TRUTH = {user: {"a"} if i % 3 else {"b"} for i, user in enumerate(USERS)}


def columns(lists):
    rows = [(u, item, rank) for u, row in lists.items() for rank, item in enumerate(row, 1)]
    return dict(zip(("user", "item", "rank"), map(list, zip(*rows, strict=True)), strict=True))


def grades(truth):
    rows = [(user, item, 1.0) for user, items in truth.items() for item in sorted(items)]
    return dict(zip(("user", "item", "grade"), map(list, zip(*rows, strict=True)), strict=True))


def of_lists(lists, truth, **options):
    return evaluate(lists, truth, ["ndcg@2"], **options)


def of_saved(lists, truth, **options):
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.json"
        of_lists(lists, truth, **options).save(path)
        return Report.load(path)


def of_polars(lists, truth, **options):
    pl = pytest.importorskip("polars")
    return evaluate(
        pl.DataFrame(columns(lists)), pl.DataFrame(grades(truth)), ["ndcg@2"], **options
    )


def of_duckdb(lists, truth, **options):
    duckdb, pa = pytest.importorskip("duckdb"), pytest.importorskip("pyarrow")
    recommended, wanted = (duckdb.from_arrow(pa.table(t)) for t in (columns(lists), grades(truth)))
    return evaluate(recommended, wanted, ["ndcg@2"], **options)


FORMS = [of_lists, of_saved, of_polars, of_duckdb]


@pytest.mark.parametrize("one_form", FORMS)
@pytest.mark.parametrize("other_form", FORMS)
def test_other_relevant_items_are_an_error_in_every_form(one_form, other_form):
    # As many items for each user, as leave-one-out has it, but not the same ones.
    other = {user: {"b"} if i < 2 else items for i, (user, items) in enumerate(TRUTH.items())}
    assert sum(other[user] != TRUTH[user] for user in USERS) == 1
    one, two = one_form(LISTS, TRUTH, name="one"), other_form(LISTS, other, name="two")
    with pytest.raises(ValueError, match=r"do not agree on what is relevant to 1( of 60)? users"):
        one.compare(two)
    with pytest.raises(ValueError, match=r"do not agree on what is relevant to 1( of 60)? users"):
        compare_many([one, two])
    same = other_form(LISTS, TRUTH, name="same")
    assert one.compare(same)["ndcg@2"].gain == 0


@pytest.mark.parametrize("form", FORMS)
def test_other_grades_are_an_error(form):
    pytest.importorskip("polars")
    graded = {user: dict.fromkeys(items, 2.0) for user, items in TRUTH.items()}
    one, other = of_lists(LISTS, TRUTH), of_lists(LISTS, graded)
    with pytest.raises(ValueError, match="do not agree on what is relevant to 60"):
        form(LISTS, TRUTH).compare(other)
    assert one.compare(form(LISTS, TRUTH))["ndcg@2"].equal == N


def test_other_thresholds_and_samples_are_an_error_that_names_both():
    stars = {user: dict.fromkeys(items, 5) for user, items in TRUTH.items()}
    one = of_lists(LISTS, stars, threshold=4, name="A")
    for other, words in (
        (of_lists(LISTS, stars, name="B"), r"threshold=4 \(A\) and no threshold, any grade above"),
        (of_lists(LISTS, stars, threshold=3, name="B"), r"threshold=4 \(A\) and threshold=3 \(B"),
        (of_lists(LISTS, stars, threshold=4, sampled=99, name="B"), r"sampled=99 \(B\)"),
    ):
        for compare in (one.compare, lambda x: compare_many([one, x])):
            with pytest.raises(ValueError, match=words):
                compare(other)


def test_other_splits_and_candidates_are_mentioned():
    one = of_lists(LISTS, TRUTH, split="temporal", candidates="all", name="A")
    two = of_lists(LISTS, TRUTH, split="random", candidates="top 100", name="B")
    for compared in (one.compare(two), compare_many([one, two])):
        text = repr(compared)
        assert "different splits of training and test data (A: temporal, B: random)" in text
        assert "different candidate items (A: all, B: top 100)" in " ".join(text.split())
    unstated = of_lists(LISTS, TRUTH, name="B")
    assert one.compare(unstated).warnings == ()


def test_known_items_are_counted_on_frames_and_mentioned_in_comparisons():
    pl = pytest.importorskip("polars")
    history = {user: {"a", "z"} for user in USERS}
    repeated = {user: ["a", "b"] for user in USERS}
    fresh = {user: ["c", "b"] for user in USERS}
    measures = ["ndcg@1", "novelty(unseen=one)@1"]
    reports = [
        evaluate(lists, TRUTH, measures, history=history, name=name)
        for name, lists in (("repeated", repeated), ("fresh", fresh))
    ]
    frames = [
        evaluate(
            pl.DataFrame(columns(lists)),
            pl.DataFrame(grades(TRUTH)),
            measures,
            history=pl.DataFrame(grades(history)).select("user", "item"),
            name=name,
        )
        for name, lists in (("repeated", repeated), ("fresh", fresh))
    ]
    for one, other in (reports, frames):
        assert (one.protocol.n_in_history, one.protocol.n_recommended) == (N, N)
        assert (other.protocol.n_in_history, other.protocol.share_in_history) == (0, 0)
        (warning,) = one.compare(other).warnings
        assert "already know from their history (repeated: 100%, fresh: 0%)" in warning
        assert one.compare(one).warnings == ()


def test_history_of_arrays_is_counted_in_rows():
    items = np.array([[0, 1], [2, 3]])
    seen = Interactions([0, 1, 1], [1, 2, 3], n_items=4)
    report = evaluate(items, [{0}, {3}], ["recall@2", "novelty(unseen=one)@2"], history=seen)
    assert (report.protocol.n_in_history, report.protocol.n_recommended) == (3, 4)


@pytest.mark.parametrize("form", FORMS)
def test_reports_of_other_users_are_compared_on_request_on_those_they_share(form):
    part = USERS[:50]
    fewer = {user: LISTS[user] for user in part}, {user: TRUTH[user] for user in part}
    swapped = {user: ["b", "a"] for user in USERS[5:]}, {user: TRUTH[user] for user in USERS[5:]}
    one, other = form(*fewer, name="A"), form(*swapped, name="B")
    with pytest.raises(ValueError, match=r"50 and 55 users.* users='shared' to compare on th"):
        one.compare(other)
    compared = one.compare(other, users="shared")
    (warning,) = compared.warnings
    assert "on the 45 users that all reports have; left out are 5 of A and 10 of B" in warning
    shared = USERS[5:50]
    exact = of_lists(*({u: x[u] for u in shared} for x in fewer)).compare(
        of_lists(*({u: x[u] for u in shared} for x in swapped))
    )
    ours, theirs = compared["ndcg@2"], exact["ndcg@2"]
    ends = [(each.gain, each.interval.low, each.interval.high) for each in (ours, theirs)]
    assert ends[0] == pytest.approx(ends[1])
    board = compare_many([one, other], users="shared")
    assert board["ndcg@2"]["A", "B"].better == theirs.better
    assert [*board.by_report["A"].values()] == [pytest.approx(theirs.new)]
    assert warning in board.warnings


def test_users_that_are_not_named_or_not_shared_raise():
    one = evaluate([["a"]], [{"a"}], ["ndcg@1"])
    with pytest.raises(ValueError, match="pass lists and relevant items as mappings"):
        one.compare(one, users="shared")
    alone = of_lists({"x": ["a"]}, {"x": {"a"}})
    with pytest.raises(ValueError, match="share no user"):
        of_lists(LISTS, TRUTH).compare(alone, users="shared")
    with pytest.raises(ValueError, match="users must be one of 'same', 'shared'"):
        alone.compare(alone, users="both")
    message = "60 only in this report, 'u0' for one and 1 only in the other, 'x' for one"
    with pytest.raises(ValueError, match=message):
        of_lists(LISTS, TRUTH).compare(alone)


def test_other_catalogues_are_named():
    def of(catalog, name):
        measures = ["ndcg@2", "coverage@2"]
        return evaluate(LISTS, TRUTH, measures, catalog=catalog, split="by time", name=name)

    four, ten = of(4, "four"), of(10, "ten")
    (warning,) = four.compare(ten).warnings
    assert warning == (
        "The reports have different catalogues (four: 4 items, ten: 10 items), so their values of "
        "coverage@2 and lists that were chosen from other items are not comparable. Evaluate all "
        "with the same catalog=."
    )
    ids, others = of(["a", "b", "c", "d"], "ids"), of(["a", "b", "c", "x"], "others")
    (warning,) = ids.compare(others).warnings
    assert warning.startswith("The catalogues of the reports have 4 items each, but not the same")
    assert any("have 4 items each" in each for each in compare_many([ids, others]).warnings)
    for same in (of(["d", "c", "b", "a"], "order"), of(np.array(["a", "b", "c", "d"]), "array")):
        assert not ids.compare(same).warnings
    # Of a number nothing says which items they are.
    assert not ids.compare(four).warnings


@pytest.mark.parametrize("form", [of_saved, of_polars, of_duckdb])
def test_other_catalogues_and_histories_are_named_in_every_form(form):
    pl = pytest.importorskip("polars")
    past = {user: {"c"} for user in USERS}
    table = pl.DataFrame({"user": USERS, "item": ["c"] * N})
    history = past if form is of_saved else table
    alike = form(LISTS, TRUTH, catalog=["a", "b", "c"], history=history)
    ours = of_lists(LISTS, TRUTH, catalog=["c", "b", "a"], history=past)
    assert not ours.compare(alike).warnings
    other = form(LISTS, TRUTH, catalog=["a", "b", "d"], history=history)
    (warning,) = ours.compare(other).warnings
    assert "so lists that were chosen from other items are not comparable" in warning


def test_other_histories_are_named_where_a_metric_depends_on_them():
    def of(history, measures):
        return evaluate(LISTS, TRUTH, measures, history=history, name="x")

    past = {user: {"c"} for user in USERS}
    more = past | {"u0": {"c", "a"}}
    novelty = "self_information(unseen=one)@2"
    found = of(past, ["ndcg@2", novelty]).compare(of(more, ["ndcg@2", novelty])).warnings
    assert found == (
        "The reports have different histories, so their values of "
        f"{novelty} are not comparable. Evaluate all with the same history=.",
    )
    assert not of(past, ["ndcg@2"]).compare(of(more, ["ndcg@2"])).warnings
