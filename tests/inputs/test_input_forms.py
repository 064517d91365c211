"""One reader: the same lists and truths in every form give the same numbers, in every subject."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from recsys_metrics import beyond_accuracy as beyond
from recsys_metrics import evaluate, judge
from recsys_metrics._core.inputs.align import read_sets
from recsys_metrics._core.inputs.lists import read_lists
from recsys_metrics.interactions import Interactions
from tests.examples import examples

LISTS = [[3, 1, 0], [2, 4, 1]]
TRUTH = [{1, 2}, {2}]


class Tensor:
    """What torch has that matters here: no numbers before `detach` and `cpu`."""

    def __init__(self, values, *, learns=False, elsewhere=False):
        self.values, self.learns, self.elsewhere = np.asarray(values), learns, elsewhere

    @property
    def shape(self):
        return self.values.shape

    def detach(self):
        return Tensor(self.values, elsewhere=self.elsewhere)

    def cpu(self):
        return Tensor(self.values, learns=self.learns)

    def __len__(self):
        return len(self.values)

    def __iter__(self):
        return iter([Tensor(value) for value in self.values])

    def __array__(self, dtype=None, copy=None):
        if self.learns:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
        if self.elsewhere:
            raise TypeError("can't convert cuda:0 device type tensor to numpy.")
        return self.values if dtype is None else self.values.astype(dtype)


def forms_of_lists():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    arrow = pytest.importorskip("pyarrow")
    table = np.array(LISTS)
    in_order_of_scores = [{0: 0.5, 3: 9.0, 1: 1.0}, {4: 2.0, 1: -1.0, 2: 3.0}]
    return {
        "lists": LISTS,
        "a tuple of lists": tuple(LISTS),
        "an array": table,
        "small unsigned numbers": table.astype(np.uint8),
        "arrays in a list": list(table),
        "arrays in a tuple": tuple(table.astype(np.int16)),
        "an array of objects": np.array(LISTS, dtype=object),
        "a tensor": Tensor(table),
        "a tensor that learns": Tensor(table, learns=True),
        "a tensor on another device": Tensor(table, learns=True, elsewhere=True),
        "tensors in a list": [Tensor(row) for row in table],
        "a pandas column of lists": pandas.Series(LISTS),
        "pandas columns": [pandas.Series(row) for row in LISTS],
        "a Polars column of lists": polars.Series(LISTS),
        "an Arrow column of lists": arrow.array(LISTS),
        "scores by item": in_order_of_scores,
    }


def forms_of_truths():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    arrow = pytest.importorskip("pyarrow")
    dense = np.array([[0, 1, 1, 0, 0], [0, 0, 1, 0, 0]])
    return {
        "sets": TRUTH,
        "lists": [[1, 2], [2]],
        "tuples": [(2, 1), (2,)],
        "a tuple of sets": tuple(TRUTH),
        "grades": [{1: 1, 2: 1}, {2: 1}],
        "a set and grades": [{1, 2}, {2: 1}],
        "arrays": [np.array([1, 2]), np.array([2])],
        "a table": np.array([[1, 2], [2, -1]]),
        "a tensor": Tensor([[1, 2], [2, -1]], learns=True),
        "a sparse array": sp.csr_array(dense),
        "a sparse matrix": sp.coo_matrix(dense),
        "a triple": (np.array([0, 2, 3]), np.array([1, 2, 2]), np.array([1, 1, 1])),
        "a triple of tensors": (Tensor([0, 2, 3]), Tensor([1, 2, 2]), Tensor([1, 1, 1])),
        "interactions": Interactions([1, 0, 0], [2, 2, 1]),
        "a pandas column": pandas.Series([[1, 2], [2]]),
        "a Polars column": polars.Series([[1, 2], [2]]),
        "an Arrow column": arrow.array([[1, 2], [2]]),
    }


@pytest.mark.parametrize("form", forms_of_lists())
def test_lists_are_accepted_in_every_form(form):
    lists = forms_of_lists()[form]
    judged = judge(lists, TRUTH)
    assert judged.gains.tolist() == [[0, 1, 0], [1, 0, 0]]
    assert beyond.catalog_coverage(lists, 10) == 0.5
    assert beyond.average_popularity(lists, [1, 2, 3, 4, 5]).tolist() == [7 / 3, 10 / 3]
    report = evaluate(lists, TRUTH, ["precision@2", "coverage@2"], catalog=5)
    assert [report[name].mean for name in report] == [0.5, 0.8]


@pytest.mark.parametrize("form", forms_of_truths())
def test_relevant_items_are_accepted_in_every_form(form):
    relevant = forms_of_truths()[form]
    judged = judge(LISTS, relevant)
    assert judged.gains.tolist() == [[0, 1, 0], [1, 0, 0]]
    assert judged.ideal.tolist() == [[1, 1], [1, 0]]
    assert beyond.serendipity(LISTS, relevant, [9], k=1).tolist() == [0, 1]
    report = evaluate(LISTS, relevant, ["recall@2", "serendipity@1"], baseline=[9])
    assert [report[name].mean for name in report] == [0.75, 0.5]


@pytest.mark.parametrize(
    "row",
    [range(3), np.arange(3), Tensor(np.arange(3), learns=True), {0: 3, 1: 2.5, 2: -1}, [0, 1, 2]],
)
def test_a_row_is_accepted_in_every_form(row):
    assert judge([row, [5]], [{2}, {5}]).gains.tolist() == [[0, 0, 1], [1, 0, 0]]
    assert beyond.catalog_coverage([row], 5) == 0.6
    assert judge({"u": row}, {"u": {0: 2.0}}).gains.tolist() == [[2, 0, 0]]


def test_a_single_list_is_accepted_in_every_form():
    for one in (range(3), np.arange(3), Tensor(np.arange(3)), [0, 1, 2], np.arange(3, dtype="u1")):
        assert judge(one, {1}).gains.tolist() == [0, 1, 0]
        assert beyond.average_popularity(one, [1, 2, 6]) == 3.0
    for truth in (np.array([1]), Tensor([1], learns=True), range(1, 2), [1], (1,), {1: 1.0}):
        assert judge([0, 1, 2], truth).gains.tolist() == [0, 1, 0]


def test_indexed_columns_are_keyed_by_their_index():
    pandas = pytest.importorskip("pandas")
    rows = pandas.DataFrame({"who": ["b", "a", "b"], "what": ["X", "Y", "Z"]})
    recommended = rows.groupby("who")["what"].agg(list)
    wanted = pandas.Series([{"Y"}, {"Z"}], index=["a", "b"])
    judged = judge(recommended, wanted)
    assert judged.users == ("a", "b")
    assert judged.gains.tolist() == [[1, 0], [0, 1]]
    # In another order, or with a user more, the index decides and not the place.
    assert judge(recommended, wanted[::-1]).gains.tolist() == [[1, 0], [0, 1]]
    with pytest.raises(TypeError, match="keyed by user, so relevant must be too"):
        judge(recommended, [{"Y"}, {"Z"}])
    with pytest.raises(TypeError, match=r"index is not 0, 1, 2.* relevant.tolist\(\)"):
        judge([["Y"], ["X"]], wanted)
    with pytest.raises(ValueError, match="index of a column has 'a' twice"):
        judge(pandas.Series([["X"], ["Y"]], index=["a", "a"]), {"a": {"X"}})


def test_scores_by_user_and_item_are_ranked():
    run = {"u": {"b": 0.5, "a": 0.5, "c": 2.0}, "v": {"a": 1.0}}
    assert judge(run, {"u": {"a"}, "v": {"b"}}).gains.tolist() == [[0, 1, 0], [0, 0, 0]]
    in_order = judge(run, {"u": {"a"}, "v": {"b"}}, ties="order")
    assert in_order.gains.tolist() == [[0, 0, 1], [0, 0, 0]]
    report = evaluate(run, {"u": {"a"}, "v": {"b"}}, ["mrr@3", "coverage@2"], catalog=4)
    assert [report[name].mean for name in report] == [0.25, 0.5]
    assert evaluate(run, {"u": {"a"}}, ["mrr@3"], ties="order")["mrr@3"].mean == 1 / 3


def test_equal_scores_are_ordered_as_utf_8_sorts_and_numbers_by_value():
    ids = ["b", "B", "10", "9", "é", "😀", "ａ"]
    by_bytes = sorted(ids, key=lambda item: item.encode())
    truth = {"u": {by_bytes[i]: i + 1 for i in range(len(ids))}}
    assert judge({"u": dict.fromkeys(ids, 1.0)}, truth).gains.tolist() == [[1, 2, 3, 4, 5, 6, 7]]
    judged = judge({"u": dict.fromkeys([10, 9, 100], 0)}, {"u": {9: 1, 10: 2, 100: 3}})
    assert judged.gains.tolist() == [[1, 2, 3]]


@pytest.mark.parametrize(
    ("run", "error", "message"),
    [
        ({"u": {"a": float("nan")}}, ValueError, r"\(user 'u'\) gives item 'a' the score nan"),
        ({"u": {"a": float("inf")}}, ValueError, "a score is a finite number"),
        ({"u": {"a": "high"}}, ValueError, "item 'a' the score 'high'"),
        ({"u": {"a": None}}, ValueError, "item 'a' the score None"),
        ({"a": 0.5, "b": 0.1}, TypeError, "to the number 0.5: is that the score of an item .* or"),
        ({"a": 7}, TypeError, r"lists, \{'a': \[7\]\}"),
    ],
)
def test_invalid_scores_raise(run, error, message):
    with pytest.raises(error, match=message):
        judge(run, {"u": {"a"}})


@pytest.mark.parametrize("ties", ["random", "best", "worst", "average", "expected"])
def test_invalid_ties_options_for_lists_raise(ties):
    with pytest.raises(ValueError, match=f"ties='{ties}' is not for this: .* judge_scores"):
        judge({"u": {"a": 1}}, {"u": {"a"}}, ties=ties)
    with pytest.raises(
        ValueError, match="ties must be one of 'id', 'id-descending', 'order'; got 'first'"
    ):
        judge({"u": {"a": 1}}, {"u": {"a"}}, ties="first")


def ids_cannot_match(listed, wanted):
    """Whether one side holds text and the other numbers, or lists of item numbers meet text."""
    texts = [{isinstance(item, str) for item in side} for side in (listed, wanted)]
    numbered = all(isinstance(item, int | float) and item in range(10) for item in listed)
    return bool(listed and wanted) and (not texts[0] & texts[1] or (numbered and True in texts[1]))


# Without -1, which may be padding.
whole = st.integers(0, 6) | st.sampled_from([-3, -2])
ids = st.one_of(whole, st.sampled_from("abc"), st.sampled_from([2.5, 3.0]))


@given(
    lists=st.lists(st.lists(ids, max_size=4, unique=True), min_size=1, max_size=4),
    truths=st.lists(st.sets(ids, max_size=4), min_size=4, max_size=4),
)
@examples(200)
def test_ids_of_any_type_are_compared_as_in_python(lists, truths):
    truths = truths[: len(lists)]
    listed, wanted = set().union(*lists), set().union(*truths)
    mixed = len({isinstance(item, str) for item in listed | wanted}) == 2
    if mixed or ids_cannot_match(listed, wanted):
        # Or an id below 0 is met first.
        refused = r"can never match|ids are 0 or more|turn all into one type"
        with pytest.raises(ValueError, match=refused):
            judge(lists, truths)
        return
    judged = judge(lists, truths)
    expected = [
        [float(item in truth) for item in row] for row, truth in zip(lists, truths, strict=True)
    ]
    width = max(map(len, lists))
    assert judged.gains.tolist() == [row + [0.0] * (width - len(row)) for row in expected]


def test_the_fake_tensor_is_as_strict_as_torch():
    with pytest.raises(RuntimeError):
        np.asarray(Tensor([1], learns=True))
    with pytest.raises(TypeError):
        np.asarray(Tensor([1], elsewhere=True))


def test_a_tensor_without_array_conversion_raises():
    class Elsewhere(SimpleNamespace):
        def __array__(self, dtype=None, copy=None):
            raise TypeError("on a device")

    with pytest.raises(TypeError, match=r"recommended cannot be read as an array \(on a device"):
        judge(Elsewhere(shape=(2, 2)), [{1}, {2}])


def test_evaluate_reads_its_inputs_once():
    opened = {"recommended": 0, "relevant": 0}

    class Once(dict):
        def __init__(self, name, entries):
            super().__init__(entries)
            self.name = name

        def values(self):
            opened[self.name] += 1
            return super().values()

        def get(self, *key):
            opened[self.name] += 1
            return super().get(*key)

    lists = Once("recommended", {"ann": ["A", "B"], "bob": ["C", "A"]})
    truth = Once("relevant", {"ann": {"B"}, "bob": {"A"}})
    one, many = (
        ["coverage@2"],
        ["ndcg@2", "coverage@1", "coverage@2", "gini@2", "serendipity@1", "personalization@2"],
    )
    context = {"catalog": list("ABCD"), "baseline": ["A"]}
    for measures in (one, many):
        opened.update(recommended=0, relevant=0)
        evaluate(lists, truth, measures, **context)
        assert opened == {"recommended": 1, "relevant": 2}, measures


def test_parsed_inputs_are_not_parsed_again():
    lists = read_lists(LISTS)
    assert read_lists(lists) is lists
    sets = read_sets(TRUTH, lists, "relevant", graded=True)
    assert read_sets(sets, lists, "relevant") is sets
    assert beyond.catalog_coverage(lists.cut(1), 10) == 0.2
    with pytest.raises(AttributeError):
        lists.items = None
