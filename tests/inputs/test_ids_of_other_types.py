"""Ids, scores and grades of types that were once read without a word, and wrongly."""

from __future__ import annotations

import datetime as dt
import enum
import subprocess
import sys
import time
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import recsys_metrics as rm
from recsys_metrics import beyond_accuracy, convert, rating
from recsys_metrics._core.inputs.fingerprint import hash_ids
from recsys_metrics.bias import fairness, off_policy
from recsys_metrics.interactions import Interactions
from recsys_metrics.protocol import online


class Number:
    """A tensor of one number as torch has it: an array that is equal by identity alone."""

    def __init__(self, value):
        self.value = value

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.value, dtype=dtype)

    def __repr__(self):
        return f"tensor({self.value})"


ONE = Number(1)
OF_ONE_NUMBER = "an array or tensor of one number, which never equals another id"


@pytest.mark.parametrize(
    "call",
    [
        lambda: rm.judge([ONE, Number(2)], {2}),
        lambda: rm.judge([1, 2], {ONE}),
        lambda: rm.judge([ONE], [{ONE}][0]),
        lambda: rm.judge([1, 2], {ONE: 3}),
        lambda: rm.judge([np.array(1), np.array(2)], {2}),
        lambda: rm.judge({ONE: [1, 2]}, {1: {2}}),
        lambda: rm.judge({1: [1, 2]}, {ONE: {2}}),
        lambda: Interactions.from_ids([ONE, Number(2)], ["a", "b"]),
        lambda: Interactions.from_ids(["a", "b"], [ONE, Number(2)]),
        lambda: rm.evaluate([[1]], [{1}], ["coverage@1"], catalog=[ONE, 2]),
    ],
)
def test_arrays_of_one_number_are_no_ids(call):
    with pytest.raises(TypeError, match=OF_ONE_NUMBER):
        call()


def test_whole_columns_of_arrays_are_read():
    users, items = np.array([5, 6, 5]), np.array([1, 1, 2])
    log, user_ids, item_ids = Interactions.from_ids(users, items, item_ids=np.array([2, 9]))
    assert (user_ids, item_ids) == ((5, 6), (2, 9, 1))
    assert log.item.tolist() == [2, 2, 0]
    for ids in (pd.Series(["b", "a"]), np.array(["b", "a"]), iter("ba")):
        assert Interactions.from_ids(["u"], ["a"], item_ids=ids)[2] == ("b", "a")
    with pytest.raises(TypeError, match="item_ids is the single id 'ab'; write"):
        Interactions.from_ids(["u"], ["a"], item_ids="ab")


def test_columns_of_events_are_aligned_by_their_index():
    user, item = pd.Series(["x", "y"], index=[1, 0]), pd.Series(["a", "b"])
    with pytest.raises(ValueError, match="user and item are read row by row"):
        Interactions.from_ids(user, item)


@pytest.mark.parametrize("index", [["A", "B"], pd.Index(["A", "B"], dtype="category")])
def test_scores_or_grades_in_a_series_by_item_are_no_ids(index):
    scores = pd.Series([0.1, 0.9], index=index)
    with pytest.raises(TypeError, match=r"are the values ids, or numbers .* \.to_dict\(\)"):
        rm.judge({"u": scores}, {"u": {"B"}})
    with pytest.raises(TypeError, match=r"are the values ids, or numbers .* \.to_dict\(\)"):
        rm.judge({"u": ["A", "B"]}, {"u": pd.Series([0, 3], index=index)})
    # Rows that a data frame was split into keep its row numbers.
    split = pd.DataFrame({"user": ["u", "v", "u"], "item": ["A", "B", "C"]}).groupby("user")["item"]
    assert rm.judge(dict(iter(split)), {"u": {"C"}, "v": {"B"}}).gains.tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize("kind", [np.uint8, np.uint64, np.int8, np.float16])
def test_scores_of_any_numbers_of_numpy_rank_alike(kind):
    scores = {"u": {"A": kind(0), "B": kind(3), "C": kind(1)}}
    assert convert.lists_from_scores(scores) == {"u": ["B", "C", "A"]}


@pytest.mark.parametrize("value", [np.timedelta64(3, "D"), np.datetime64("2020-01-01"), 1j, pd.NA])
def test_times_and_complex_numbers_are_no_scores_and_no_grades(value):
    with pytest.raises((TypeError, ValueError), match="a score is a finite number"):
        rm.judge({"u": {"A": value, "B": value}}, {"u": {"B"}})
    with pytest.raises((TypeError, ValueError), match=r"a grade is a (finite )?number"):
        rm.judge(["A"], {"A": value})
    with pytest.raises(TypeError, match="a grade is a number"):
        rm.judge(["A"], {"A": dt.timedelta(days=1)})


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, float])
def test_a_grade_reaches_its_own_threshold(kind):
    report = rm.evaluate([["A"]], [{"A": kind(0.7)}], ["hit_rate@1"], threshold=0.7)
    assert report["hit_rate@1"].mean == 1
    if kind is not np.float16:  # scipy.sparse has none
        table = sparse.csr_array(np.array([[kind(0.7)]]))
        report = rm.evaluate(np.array([[0]]), table, ["hit_rate@1"], threshold=0.7)
        assert report["hit_rate@1"].mean == 1


@pytest.mark.parametrize(
    ("catalog", "message"),
    [
        (["A", "B", None], "entry 2 of catalog is None, which is no id"),
        ([1.0, np.nan], "entry 1 of catalog is nan, which is no id"),
        ([1, -1], "entry 1 of catalog is -1, which is no id"),
        ("ABC", "catalog is the single id 'ABC'"),
    ],
)
def test_a_catalogue_with_missing_items_is_refused(catalog, message):
    recommended = [["A"]] if "A" in catalog else [[1]]
    with pytest.raises((TypeError, ValueError), match=message):
        rm.evaluate(recommended, [{recommended[0][0]}], ["coverage@1"], catalog=catalog)


@pytest.mark.parametrize("form", [list, set, tuple, iter, pd.Series, np.array, dict.fromkeys])
def test_a_catalogue_of_any_form_is_read_once(form):
    report = rm.evaluate([["A"]], [{"A"}], ["coverage@1", "gini@1"], catalog=form(["A", "B"]))
    assert report["coverage@1"].mean == 0.5


def test_scores_are_no_lists_for_files():
    scores = {"u": {"A": 0.1, "B": 0.9}}
    with pytest.raises(TypeError, match="which has no order; write_run takes lists, best first"):
        convert.write_run("run.txt", scores)
    with pytest.raises(TypeError, match="which has no order; scores_from_lists takes lists"):
        convert.scores_from_lists(scores)


@pytest.mark.parametrize("padding", ["", "nan", "None"])
def test_padding_in_arrays_of_text_is_refused(padding):
    table = np.array([["A", padding], ["B", "C"]])
    with pytest.raises(ValueError, match="is it an empty slot, or the id of an item"):
        rm.judge(table, [{"A"}, {"B"}])
    with pytest.raises(ValueError, match="is it an empty slot, or the id of an item"):
        rm.judge([*table], [{"A"}, {"B"}])
    assert rm.judge(table.tolist(), [{"A"}, {"B"}]).gains.tolist() == [[1, 0], [1, 0]]


def test_missing_and_mixed_ids_of_tables_are_refused():
    table = {"user": ["a", "a", None], "item": ["x", "y", "z"], "rank": [1, 2, 1]}
    with pytest.raises(ValueError, match=r"row 2 of 'user' is (None|nan), which is no id"):
        convert.lists_from_frame(pd.DataFrame(table), user="user", item="item", rank="rank")
    mixed = pd.DataFrame({"user": ["a", "a"], "item": ["1", 1]}, dtype=object)
    with pytest.raises(ValueError, match="the column 'item' contains numbers and text"):
        convert.relevant_from_frame(mixed, user="user", item="item")


def test_batches_have_ids_of_one_kind():
    state = rm.Evaluation(["mrr@1"]).update({"a": ["1"]}, {"a": {"1"}})
    with pytest.raises(ValueError, match="the items of one batch are text, those of another num"):
        state.update({"b": [1]}, {"b": {1}})
    with pytest.raises(ValueError, match="the users of one batch are text, those of another num"):
        state.update({2: ["1"]}, {2: {"1"}})
    other = rm.Evaluation(["mrr@1"]).update({"c": [1]}, {"c": {1}})
    with pytest.raises(ValueError, match="the items of one batch"):
        state.merge(other)
    state.update({"b": ["2"]}, {"b": set()})
    assert state.report().users == ("a", "b")


def test_a_history_with_zeros_and_repeats_counts_what_is_in_it():
    repeated = sparse.csr_array(([1, 1, 0], [0, 0, 1], [0, 3]), shape=(1, 3))
    once = sparse.csr_array(([1], [0], [0, 1]), shape=(1, 3))
    given, expected = (
        rm.evaluate(np.array([[0, 2]]), [{2}], ["arp@2"], history=table)["arp@2"].mean
        for table in (repeated, once)
    )
    assert given == expected


@pytest.mark.parametrize("engine", ["pandas", "polars"])
def test_minus_one_is_no_item_of_a_table(engine):
    library = pytest.importorskip(engine)
    lists = library.DataFrame({"user": [1, 1], "item": [-1, 2], "rank": [1, 2]})
    truth = library.DataFrame({"user": [1], "item": [2]})
    with pytest.raises(ValueError, match="with the item -1; if it is padding"):
        rm.evaluate(lists, truth, ["mrr@2"])


# Digests ----------------------------------------------------------------------------------------


class Color(str, enum.Enum):  # noqa: UP042 - StrEnum prints its text, this does not
    """Members that equal their text."""

    RED = "red"
    BLUE = "blue"


@pytest.mark.parametrize(
    "same",
    [
        [1, 1.0, True, np.int8(1), np.float64(1), Fraction(1)],
        ["red", Color.RED, np.str_("red")],
        [0.5, np.float64(0.5)],
        [2**64, np.float64(2**64)],
        [("a", 1), ("a", np.int64(1)), ("a", 1.0)],
        [frozenset({"a", "b"}), frozenset({"b", "a"})],
    ],
)
def test_equal_ids_have_equal_digests(same):
    assert all(each == same[0] for each in same)
    assert len({int(hash_ids([each])[0]) for each in same}) == 1


def test_different_ids_have_different_digests():
    ids = [
        0,
        1,
        -2,
        2**64,
        2**64 + 1,
        0.5,
        "1",
        Color.RED,
        Color.BLUE,
        (1,),
        ("1",),
        frozenset({1}),
    ]
    assert len({int(hash_ids([each])[0]) for each in ids}) == len(ids)
    assert len({*hash_ids(list(Color)).tolist()}) == 2


def test_digests_do_not_depend_on_the_process():
    code = (
        "from recsys_metrics._core.inputs.fingerprint import hash_ids\n"
        "print(hash_ids([frozenset('abcdef'), ('a', frozenset('xyz'))]).tolist())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(found) == 1


COMPOSED, DECOMPOSED = "Beyonc\u00e9", "Beyonce\u0301"


@pytest.mark.parametrize(
    ("recommended", "relevant", "says"),
    [
        ([[COMPOSED, "b"]], [[DECOMPOSED]], r"'Beyonce\\u0301', which looks like .* Unicode form"),
        ({"u": [COMPOSED, "b"]}, {"u": {DECOMPOSED: 1}}, r"only in their Unicode form"),
        ([["a", "b"], ["c", "d"]], [{"a "}, {"c"}], r"'a ', which looks like the id 'a': .*strip"),
        ([["a", "b"]], [["a", "a ", "b "]], r"'b ', which looks like the id 'b'"),
        ([["a\t"]], [["a"]], r"only in blanks at an end"),
        ([["a"]], [["\ufeffa"]], r"not seen, .* id.replace\('.ufeff'"),
        ([["u2"]], [["u\u200b2"]], r"only in characters that are not seen"),
        ([["a\x07"]], [["a"]], r"only in characters that are not seen"),
        ([["a\0"]], [["a"]], r"only in characters that are not seen"),
        ([["a b"]], [["a\u00a0b"]], r"only in the kind of blank, .*split"),
        # The user is on both sides, and once more in another writing.
        ({"u": ["a"], "u ": ["b"]}, {"u": ["b"]}, r"only in blanks at an end"),
        ({"u": ["a"]}, {"u": ["b"], "u\u200b": ["b"]}, r"only in characters that are not seen"),
        ({"u": ["a"], "v ": ["b"]}, {"u": ["a"], "v": ["b"]}, r"user 'v ' and relevant .* 'v'"),
        ({COMPOSED: ["a"], "v": ["b"]}, {DECOMPOSED: ["a"], "v": ["b"]}, r"only in their Unicode"),
    ],
)
def test_ids_that_only_look_alike_are_refused(recommended, relevant, says):
    with pytest.raises(ValueError, match=says):
        rm.evaluate(recommended, relevant, ["recall@2"])
    with pytest.raises(ValueError, match=says):
        rm.evaluate(recommended, relevant, ["coverage@2"], catalog=9)


def test_a_history_in_another_writing_is_refused():
    with pytest.raises(ValueError, match=r"in history the item 'a ', which looks like the id 'a'"):
        rm.evaluate({"u": ["a"]}, {"u": ["a"]}, ["recall@1"], history={"u": ["b", "a "]})


@pytest.mark.parametrize(
    ("recommended", "relevant", "hits"),
    [
        # Two ids that are on both sides, or on one side alone, are two ids.
        ([["a", "b"], ["c", "d"]], [{"a "}, {"a"}], 0),
        ([["a", "a "]], [{"a "}], 1),
        ([["The Wire", COMPOSED]], [["The Wire", COMPOSED]], 2),
        ([[" x "]], [[" x "]], 1),
    ],
)
def test_ids_with_blanks_that_are_written_alike_are_ids(recommended, relevant, hits):
    report = rm.evaluate(recommended, relevant, ["precision@2"])
    assert report["precision@2"].mean * 2 * len(recommended) == hits


@pytest.mark.parametrize("measures", [None, 5])
def test_measures_that_are_none_raise(measures):
    with pytest.raises(TypeError, match=r"measures must be a list of metrics such as .*; got an? "):
        rm.evaluate([["a"]], [["a"]], measures)


LABELS = {
    "text and number": [1, "1", 2],
    "bool and number": [1, True, 2],
    "bytes and text": [b"a", "a", "b"],
    "beyond the floats": [2**53 + 1, 2**53, 1.0],
    "signs": [2**63, 2**63 + 1, -1],
    "missing": [float("nan"), "a", "b"],
}


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize(
    "call",
    [
        lambda users: rating.rmse([1, 2, 3], [1, 2, 2], users=users),
        lambda users: rm.group_auc([1, 0, 1], [0.5, 0.2, 0.1], users),
        lambda users: rm.fraction_of_concordant_pairs([1, 0, 1], [0.5, 0.2, 0.1], users=users),
        lambda users: off_policy.unbiased_dcg([1, 2, 3], [0.5, 0.5, 0.5], users=users),
        lambda users: online.bounce_rate([1, 4, 3], users=users, by="users"),
        lambda groups: fairness.by_group([0.1, 0.2, 0.3], groups),
    ],
    ids=[
        "rmse",
        "group_auc",
        "fraction_of_concordant_pairs",
        "unbiased_dcg",
        "bounce_rate",
        "by_group",
    ],
)
def test_numpy_does_not_make_one_label_of_two(call, labels):
    with pytest.raises((TypeError, ValueError), match=r"of one kind|no float tells|\[0\] is nan"):
        call(labels)
    call(["a", "b", "b"])


@pytest.mark.parametrize("text", ["1", "1_0", "\u0661", " 1 ", "nan", "0,5", b"1"], ids=repr)
@pytest.mark.parametrize(
    "form", [lambda x: [x, 2], lambda x: np.array([x, x]), lambda x: np.array([x, 2], object)]
)
def test_text_is_no_number(text, form):
    with pytest.raises(TypeError, match=r"actual must be numbers, one per rating; got .*, a text"):
        rating.mae(form(text), [1, 2])


def test_ids_of_any_length_have_a_digest_at_once():
    ids = ["a", "b" * 256, "c" * 257, "d" * 5_000_000, "\ud800" * 300]
    started = time.perf_counter()
    found = hash_ids(ids).tolist()
    assert time.perf_counter() - started < 20
    assert found == [int(hash_ids([each])[0]) for each in ids]
    assert len({*found}) == len(ids)


@pytest.mark.parametrize(
    "ids", [[1, "1", 2], [1, True, 2], [b"a", "a", "b"], [np.int64(1), "x", "y"]], ids=str
)
def test_ids_of_several_kinds_are_no_column_of_events(ids):
    with pytest.raises(TypeError, match="user must be of one kind"):
        Interactions.from_ids(ids, ["x", "y", "z"])
    with pytest.raises(TypeError, match="item must be of one kind"):
        Interactions.from_ids(["x", "y", "z"], ids)
    with pytest.raises(TypeError, match="user must be of one kind"):
        Interactions.from_ids(ids[1:], ["x", "y"], user_ids=ids[:1])
    assert Interactions.from_ids([np.int64(1), 2, 1.0], ["x", "y", "z"])[1] == (1, 2)


@pytest.mark.parametrize("truth", [{True}, {1}])
def test_true_and_false_are_no_ids(truth):
    with pytest.raises(TypeError, match=r"^list 0 recommends True at rank 1, and True and False"):
        rm.evaluate([[True, False]], [truth], ["recall@2"])
    with pytest.raises(TypeError, match=r"True and False are no ids"):
        rm.evaluate([[1, 0]], [{True}], ["recall@2"])


def test_views_of_memory_are_arrays():
    view = memoryview(np.array(["A", "B"]))
    assert rm.recall(rm.judge(view, {"A"})) == 1
    assert rm.rank_from_scores(
        [0.1, 0.9, 0.4], 2, exclude=memoryview(np.array([[1]]))
    ).tolist() == [
        2,
        0,
    ]


@pytest.mark.parametrize("value", [None, pd.NA, pd.Series(["id"]), np.array(["id"]), ["id"], 1])
def test_what_is_no_word_is_refused_in_words(value):
    judged = rm.judge(["A"], {"A"})
    for call in (
        lambda: rm.ndcg(judged, ideal=value),
        lambda: rm.evaluate({"u": {"A": 1}}, {"u": {"A"}}, ["mrr"], ties=value),
        lambda: rm.evaluate([["A"]], [{"A"}], ["mrr"], repeats=value),
    ):
        with pytest.raises(ValueError, match=r"(ideal|ties|repeats) must be one of 'a?"):
            call()
    for flag in ("yes", 1, pd.NA, pd.Series([True])):
        with pytest.raises(TypeError, match=r"^digests is True or False; got"):
            rm.evaluate([["A"]], [{"A"}], ["mrr"], digests=flag)


@pytest.mark.parametrize("value", [np.complex64(1), np.timedelta64(1, "D"), 10**400])
def test_numbers_that_are_not_real_are_refused(value):
    with pytest.raises((TypeError, ValueError), match=r"^threshold is the lowest grade"):
        rm.evaluate([["A"]], [{"A"}], ["mrr"], threshold=value)
    with pytest.raises((TypeError, ValueError), match=r"^(cap|beta) is"):
        rm.bias.off_policy.ips([1], [0.5], [0.5], weights="clipped", cap=value)


@pytest.mark.parametrize(
    "call",
    [
        lambda u: rm.inferred_average_precision({1: ["A", "B"]}, {1: {"B": 1}}, {u: {"A"}}),
        lambda u: beyond_accuracy.unseen_share({1: ["A"]}, {u: ["A"]}),
        lambda u: beyond_accuracy.expected_free_discovery(
            {1: ["A"]}, {"A": 1}, 2, relevant={u: {"A"}}
        ),
        lambda u: beyond_accuracy.expected_popularity_complement(
            {1: ["A"]}, {"A": 1}, 2, relevant={u: {"A"}}
        ),
        lambda u: beyond_accuracy.popularity_serendipity({1: ["A"]}, {u: {"A"}}, {"A": 1}, 2, k=1),
        lambda u: beyond_accuracy.serendipity({1: ["A"]}, {u: {"A"}}, ["B"], k=1),
        lambda u: beyond_accuracy.serendipity({1: ["A"]}, {1: {"A"}}, {u: ["B"]}, k=1),
        lambda u: fairness.ranking_statistical_parity(
            {1: ["A"]}, {"A": "x", "B": "y"}, history={u: ["B"]}
        ),
        lambda u: fairness.ranking_equal_opportunity({1: ["A"]}, {u: {"A"}}, {"A": "x", "B": "y"}),
        lambda u: beyond_accuracy.alpha_ndcg({1: ["A"]}, {u: {"A"}}, {"A": ["x"]}),
        lambda u: beyond_accuracy.intent_aware_precision({1: ["A"]}, {u: {"A"}}, {"A": ["x"]}),
        lambda u: beyond_accuracy.subtopic_recall({1: ["A"]}, {u: {"A"}}, {"A": ["x"]}),
        lambda u: beyond_accuracy.unexpectedness({1: ["A"]}, {u: ["A"]}, {"A": [1, 0]}),
        lambda u: beyond_accuracy.popularity_lift({1: ["A"]}, {u: ["A"]}, {"A": 1}),
        lambda u: rm.evaluate(
            {1: ["A"]}, {1: {"A"}}, ["rank_biased_overlap@1"], baseline={u: ["A"]}
        ),
        lambda u: rm.evaluate(
            {1: ["A"], 2: ["A"]}, {1: {"A"}, 2: {"A"}}, ["mrr"], name="a"
        ).compare(
            rm.evaluate({u: ["B"], 2: ["A"]}, {u: {"A"}, 2: {"A"}}, ["mrr"], name="b"),
            users="shared",
        ),
        lambda u: rm.preflight(
            {1: ["A"], 2: ["B"]},
            {1: {"A"}, 2: {"B"}},
            measure="mrr@1",
            again={u: ["A"], 2: ["B"]},
        ),
        lambda u: rm.evaluate({1: ["A"], 2: ["A"], "x": ["A"]}, {2: {"A"}}, ["mrr"]).by(
            pd.DataFrame({"user": pd.Series([u, 2, "x"], dtype=object), "group": ["g", "g", "h"]})
        ),
    ],
    ids=[
        *("inferred_average_precision", "unseen_share", "expected_free_discovery"),
        *("expected_popularity_complement", "popularity_serendipity", "serendipity", "baseline"),
        *("ranking_statistical_parity", "ranking_equal_opportunity", "alpha_ndcg"),
        *("intent_aware_precision", "subtopic_recall", "unexpectedness", "popularity_lift"),
        *("rank_biased_overlap", "shared", "again", "by_group"),
    ],
)
def test_users_of_two_sides_that_differ_in_type_are_refused(call):
    call(1)
    with pytest.raises(ValueError, match="an int and a str, which never match"):
        call("1")
