"""What has two readings is an error that names both, and how to say which is meant."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from recsys_metrics import beyond_accuracy as beyond
from recsys_metrics import evaluate, judge, rating, recall
from recsys_metrics.interactions import Interactions

READERS = {
    "judge": lambda lists: judge(lists, [{"A"}, {"C"}]),
    "coverage": lambda lists: beyond.catalog_coverage(lists, 5),
    "evaluate": lambda lists: evaluate(lists, [{"A"}, {"C"}], ["ndcg@2"]),
}


@pytest.mark.parametrize("reader", READERS)
def test_rows_that_are_tuples_raise(reader):
    with pytest.raises(TypeError) as caught:
        READERS[reader]([("A", "B"), ("C", "D")])
    said = str(caught.value)
    assert "is each a list of 2 ids, or one id of 2 parts?" in said
    assert "[list(row) for row in recommended]" in said
    assert "[recommended], many lists with one among them" in said


def test_both_remedies_for_rows_that_are_tuples():
    rows = [("A", "B"), ("C",)]
    assert beyond.catalog_coverage([list(row) for row in rows], 5) == 0.6
    assert beyond.catalog_coverage([rows], 5) == 0.4
    assert judge([rows], [{("C",)}]).gains.tolist() == [[0, 1]]
    pandas = pytest.importorskip("pandas")
    with pytest.raises(TypeError, match="contains tuples"):
        judge(pandas.Series(rows), [{"A"}, {"B"}])


def test_three_arrays_are_read_as_a_triple_and_the_error_says_so():
    rows = tuple(np.array([i, i + 1]) for i in range(3))
    with pytest.raises(ValueError, match="items of three lists, pass them in a list"):
        judge([[0], [1], [2]], rows)
    assert judge([[0], [1], [2]], list(rows)).gains.tolist() == [[1], [1], [1]]


@pytest.mark.parametrize(
    ("lists", "triple"),
    [
        ([[0], [1]], ([0, 1, 2], [0, 1], [1, 3])),
        ([[0], [1]], ([0, 1, 2], np.array([0, 1]), (1, 3))),
        ([[0], [1]], ([0, 1, 2], [0, 1], [1, 3, 3])),
        ([0, 1, 2], ([0, 2], [0, 1], [1, 0.5])),
        # Three lists, so that each part could be the items of one.
        ([[0], [1], [2]], ([0, 1, 2, 3], [0, 1, 2], [1, 2, 3])),
    ],
)
def test_a_triple_of_plain_lists_raises(lists, triple):
    for call in (judge, lambda a, b: evaluate(a, b, ["recall@1"])):
        with pytest.raises(TypeError, match="or the items of three lists") as caught:
            call(lists, triple)
        said = str(caught.value)
        assert "tuple(map(numpy.asarray, relevant))" in said
        assert "list(relevant)" in said
    with pytest.raises(TypeError, match=r"numpy.asarray, history\)"):
        beyond.popularity_lift([[1]], ([0, 2], [0, 1], [1, 1]), [1, 2, 3])


def test_both_remedies_for_a_triple_of_plain_lists():
    lists, triple = [[0], [1], [2]], ([0, 1, 2, 3], [0, 1, 2], [1, 2, 3])
    assert judge(lists, tuple(map(np.asarray, triple))).gains.tolist() == [[1], [2], [3]]
    assert judge(lists, list(triple)).gains.tolist() == [[1], [1], [1]]


def test_a_tuple_of_three_items_is_a_list():
    lists = [[0], [1], [2]]
    for entries in (([0], [1], [2]), ([0, 5], (), [2]), ({0}, {1}, {2}), ({0: 1}, [1], [2])):
        assert judge(lists, entries).gains.tolist()[0] == [1]
    assert judge(["a", "b"], ("a", "b", "c")).gains.tolist() == [1, 1]
    assert judge([4, 5], (4, 5, 6)).gains.tolist() == [1, 1]
    assert judge([(0, 1), "a"], ((0, 1), (0, 0), (1, 1))).gains.tolist() == [1, 0]


def test_a_missing_id_is_reported_before_a_type_mismatch():
    for missing in (None, float("nan")):
        with pytest.raises(ValueError, match=r"the relevant item .*, which is no id"):
            judge(["a"], [missing])


def test_a_tuple_among_other_ids_is_an_id():
    assert judge(["A", ("f", 1)], {("f", 1)}).gains.tolist() == [0, 1]


@pytest.mark.parametrize(
    "dense",
    [
        np.array([[0, 1, 2]]),
        np.array([[0, 1, 0]]),
        np.array([[False, True, False]]),
        np.array([[0.0, 3.5, 1.0]]),
    ],
)
def test_a_dense_table_of_grades_as_relevant_raises(dense):
    for call in (judge, lambda a, b: evaluate(a, b, ["recall@1"])):
        with pytest.raises(TypeError, match="grades, a column for each item, or the ids") as caught:
            call([[2, 0, 1]], dense)
        assert "scipy.sparse.csr_array(relevant)" in str(caught.value)
        assert "relevant.tolist()" in str(caught.value)
    with pytest.raises(TypeError, match=r"csr_array\(history\)"):
        beyond.popularity_lift([[2, 0, 1]], dense, [1, 2, 3])


def test_both_remedies_for_a_dense_table():
    dense = np.array([[0, 1, 2]])
    assert recall(judge([[2, 0, 1]], sp.csr_array(dense)), 1).tolist() == [0.5]
    assert recall(judge([[2, 0, 1]], dense.tolist()), 3).tolist() == [1.0]


def test_a_table_of_ids_is_not_read_as_grades():
    for ids in (np.array([[5, 1]]), np.array([[0], [1]]), np.array([[0, 1, -1]])):
        lists = np.tile([[3, 1, 0]], (len(ids), 1))
        assert judge(lists, ids).n_relevant.tolist() == (ids >= 0).sum(axis=1).tolist()


def test_the_error_for_nested_zeros_and_ones_names_the_remedy():
    with pytest.raises(ValueError, match=r"item 0 twice; .* scipy.sparse.csr_array\(relevant\)"):
        judge([[2, 0, 1]], [[0, 0, 1]])


def test_one_relevant_item_per_list_needs_a_column():
    top, following = np.array([[1, 2], [3, 4]]), np.array([2, 7])
    with pytest.raises(TypeError, match=r"Write relevant\[:, None\] for one item each"):
        judge(top, following)
    with pytest.raises(TypeError, match=r"relevant\[:, None\]"):
        evaluate(top, following, ["recall@2"])
    assert judge(top, following[:, None]).gains.tolist() == [[0, 1], [0, 0]]
    with pytest.raises(TypeError, match=r"relevant items 2, which is one id; write \{2\}"):
        judge(top, [2, 7])


@pytest.mark.parametrize(
    ("recommended", "wanted", "message"),
    [
        (
            {1: ["a"], 2: ["b"]},
            {"1": {"a"}, "2": {"b"}},
            "user 1 and relevant the user '1'",
        ),
        ({"1": ["a"], "x": ["b"]}, {1: {"a"}, "x": {"b"}}, "the user '1' and relevant the user 1"),
        ({1: ["a"], 2: ["b"]}, {3: {"a"}}, "no user of recommended is in relevant: 1 .* against 3"),
        ({1: ["a"]}, {"x": {"a"}}, r"against 'x' \(numbers and text\)"),
    ],
)
def test_users_without_overlap_raise(recommended, wanted, message):
    for call in (judge, lambda a, b: evaluate(a, b, ["ndcg@1"])):
        with pytest.raises(ValueError, match=message):
            call(recommended, wanted)


def test_users_with_partial_overlap():
    judged = judge({1: ["a"], 2: ["b"]}, {2: {"b"}, 3: {"a"}})
    assert judged.users == (1, 2, 3)
    assert judge({1: ["a"]}, {}).users == (1,)
    assert judge({1.0: ["a"]}, {1: {"a"}}).gains.tolist() == [[1]]
    assert judge({np.int64(1): ["a"]}, {1: {"a"}}).gains.tolist() == [[1]]


@pytest.mark.parametrize("nobody", [None, float("nan"), np.datetime64("NaT", "s")])
def test_a_missing_user_id_raises(nobody):
    with pytest.raises(ValueError, match=r"recommended has the user .*, entry 1: a missing value"):
        judge({"u": ["a"], nobody: ["b"]}, {"u": {"a"}})
    with pytest.raises(ValueError, match=r"relevant has the user .*, entry 1: a missing value"):
        judge({"u": ["a"]}, {"u": {"a"}, nobody: {"b"}})
    with pytest.raises(ValueError, match="history has the user"):
        evaluate({"u": ["a"]}, {"u": {"a"}}, ["novelty@1"], history={"u": {"a"}, nobody: {"a"}})


@pytest.mark.parametrize("nothing", [None, float("nan")])
def test_events_with_missing_ids_raise(nothing):
    with pytest.raises(
        ValueError, match=r"row 1 has the user .*, which is no id; leave out events"
    ):
        Interactions.from_ids(["u", nothing], ["a", "b"])
    with pytest.raises(
        ValueError, match=r"row 1 has the item .*, which is no id; leave out events"
    ):
        Interactions.from_ids(["u", "v"], ["a", nothing])


def test_pandas_missing_values_are_not_ids():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="recommends <NA> at rank 2, which is no id"):
        judge(["a", pandas.NA], {"a"})
    with pytest.raises(ValueError, match="has the user <NA>"):
        judge({pandas.NA: ["a"]}, {})


MASKED = np.ma.masked_array([[3, 1], [2, 0]], mask=[[True, False], [False, False]])


@pytest.mark.parametrize(
    "call",
    [
        lambda: judge(MASKED, [{1}, {2}]),
        lambda: judge([MASKED[0], [1]], [{1}, {2}]),
        lambda: judge(np.array([[1], [2]]), MASKED),
        lambda: judge([[1], [2]], [MASKED[0], {2}]),
        lambda: evaluate(MASKED, [{1}, {2}], ["recall@1"]),
        lambda: beyond.catalog_coverage(MASKED, 5),
        lambda: beyond.popularity_lift([[1]], MASKED[:1], [1, 2, 3, 4]),
    ],
)
def test_a_masked_array_of_ids_raises(call):
    with pytest.raises(TypeError, match="is a masked array: are its masked entries missing, or"):
        call()


def test_both_remedies_for_a_masked_array():
    truth = sp.csr_array([[1, 1, 1, 1], [0, 0, 1, 0]])
    assert judge(MASKED.filled(-1), truth).gains.tolist() == [[0, 1], [1, 0]]
    assert judge(MASKED.data, truth).gains.tolist() == [[1, 1], [1, 0]]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "duckdb"])
def test_a_data_frame_instead_of_lists_raises(library):
    frame = a_frame(library, {"user": [1, 1], "item": [3, 4], "rank": [1, 2]})
    for call in (
        lambda: judge(frame, [{1}]),
        lambda: judge([[1]], frame),
        lambda: beyond.catalog_coverage(frame, 5),
    ):
        with pytest.raises(
            TypeError, match=r"frames\.evaluate\(recommendations, truth, measures\)"
        ):
            call()


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_relevant_items_of_a_frame_need_the_users_of_the_lists(library):
    frame = a_frame(library, {"user": [1, 1], "item": [3, 4]})
    with pytest.raises(TypeError, match=r"relevant is keyed by user, .*lists_from_array\(recomm"):
        evaluate([[1]], frame, ["recall@1"])
    assert evaluate({1: [3, 5]}, frame, ["recall@2"])["recall@2"].mean == 0.5


def a_frame(library, columns):
    module = pytest.importorskip(library)
    if library == "pyarrow":
        return module.table(columns)
    if library == "duckdb":
        pandas = pytest.importorskip("pandas")
        return module.connect().from_df(pandas.DataFrame(columns))
    return module.DataFrame(columns)


def test_a_masked_array_without_masked_entries_raises():
    # Whether anything is missing must not decide whether the call works.
    with pytest.raises(TypeError, match="masked array"):
        rating.mae(np.ma.masked_array([1.0, 2.0]), [1, 2])


def test_a_masked_grouping_raises():
    report = evaluate([["a"], ["b"]], [{"a"}, {"a"}], ["recall@1"])
    groups = np.ma.masked_array(["old", "new"], mask=[True, False])
    with pytest.raises(TypeError, match="the grouping 'group' is a masked array"):
        report.by(groups)
    with pytest.raises(TypeError, match="the grouping 'age' is a masked array"):
        evaluate([["a"], ["b"]], [{"a"}, {"a"}], ["recall@1"], groups={"age": groups})


@pytest.mark.parametrize("nothing", [None, float("nan"), pd.NA, pd.NaT], ids=repr)
def test_a_grouping_with_missing_values_raises(nothing):
    # Numpy writes the NaN of a list of text as the text "nan": a group that nobody named.
    lists, relevant = {"u": ["a"], "v": ["b"]}, {"u": {"a"}, "v": {"a"}}
    report = evaluate(lists, relevant, ["recall@1"])
    for groups in (["old", nothing], {"u": "old", "v": nothing}):
        with pytest.raises(
            ValueError, match=r"the grouping 'group' contains \S+ for user 'v'; give"
        ):
            report.by(groups)
    unkeyed = evaluate([["a"], ["b"]], [{"a"}, {"a"}], ["recall@1"])
    with pytest.raises(ValueError, match=r"contains \S+ for list 1"):
        unkeyed.by(["old", nothing])


@pytest.mark.parametrize(
    "mask",
    [np.array([True, False]), np.array([[True, False]]), [np.array([True, False])]],
    ids=["row", "table", "rows"],
)
def test_a_mask_is_no_list_of_the_items_1_and_0(mask):
    for call in (judge, lambda a, b: evaluate(a, b, ["recall@1"])):
        with pytest.raises(TypeError, match="is an array of booleans, and lists hold ids"):
            call(mask, [{1}])
    with pytest.raises(TypeError, match="is an array of booleans, and lists hold ids"):
        judge({"ann": np.array([True, False])}, {"ann": {1}})
