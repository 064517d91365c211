"""Every form that `judge` takes, and every error it owes."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

import recsys_metrics as rm
from recsys_metrics import Judged, judge, ndcg, precision, recall

LISTS = {"ann": ["A", "B", "C"], "bob": ["D"], "eve": []}
TRUTH = {"ann": {"B": 3, "X": 1, "A": 0}, "bob": {"A": 2}, "eve": {"C": 1}}


def same(one: Judged, other: Judged) -> bool:
    return (
        one.gains.tolist() == other.gains.tolist()
        and one.ideal.tolist() == other.ideal.tolist()
        and one.n_returned.tolist() == other.n_returned.tolist()
        and one.n_relevant.tolist() == other.n_relevant.tolist()
        and one.n_nonrelevant.tolist() == other.n_nonrelevant.tolist()
    )


def test_forms_of_a_batch_agree():
    keyed = judge(LISTS, TRUTH)
    in_order = judge(list(LISTS.values()), list(TRUTH.values()))
    number = {"A": 0, "B": 1, "C": 2, "D": 3, "X": 4}
    table = np.array([[0, 1, 2], [3, -1, -1], [-1, -1, -1]])
    numbered = [{number[item]: grade for item, grade in t.items()} for t in TRUTH.values()]
    indptr = np.array([0, 3, 4, 5])
    items = np.array([1, 4, 0, 0, 2])
    grades = np.array([3.0, 1.0, 0.0, 2.0, 1.0])
    for other in (
        in_order,
        judge(table, numbered),
        judge(table, (indptr, items, grades)),
        judge(table.astype(np.int16), sp.csr_array((grades, items, indptr), shape=(3, 5))),
        judge([[0, 1, 2], [3], []], sp.csr_matrix((grades, items, indptr), shape=(3, 5))),
        judge(list(LISTS.values()), [*TRUTH.values()], threshold=1),
    ):
        assert same(keyed, other)
    assert keyed.users == ("ann", "bob", "eve")
    assert in_order.users is None
    assert keyed.gains.tolist() == [[0, 3, 0], [0, 0, 0], [0, 0, 0]]
    assert keyed.n_nonrelevant.tolist() == [1, 0, 0]


def test_forms_of_a_single_list_agree():
    expected = [0, 1, 1, 0, 1]
    letters = ["A", "B", "C", "D", "E"]
    for recommended, relevant in (
        (letters, {"B", "C", "E", "G"}),
        (letters, ["B", "C", "E", "G"]),
        (letters, {"B": 1, "C": 1, "E": 1, "G": 1}),
        (np.array(letters), frozenset({"B", "C", "E", "G"})),
        ([0, 1, 2, 3, 4], {1, 2, 4, 6}),
        (np.array([0, 1, 2, 3, 4]), {1, 2, 4, 6}),
        ([0.0, ("f", 1), ("f", 2), 3, ("f", 4)], {("f", 1), ("f", 2), ("f", 4), ("g",)}),
    ):
        judged = judge(recommended, relevant)
        assert judged.single
        assert judged.gains.tolist() == expected
        assert judged.n_relevant == 4


def test_users_on_one_side_only_are_kept_in_order():
    judged = judge({"ann": ["A"], "bob": ["B"]}, {"zoe": {"A"}, "bob": {"B"}})
    assert judged.users == ("ann", "bob", "zoe")
    assert judged.n_returned.tolist() == [1, 1, 0]
    assert judged.n_relevant.tolist() == [0, 1, 1]
    assert recall(judged, k=1, no_relevant="zero").tolist() == [0, 1, 0]


def test_an_empty_slot_keeps_its_rank_inside_and_shortens_at_the_end():
    judged = judge(np.array([[-1, 7, -1, 8], [7, -1, -1, -1], [-1, -1, -1, -1]]), [{7, 8}] * 3)
    assert judged.gains.tolist() == [[0, 1, 0, 1], [1, 0, 0, 0], [0, 0, 0, 0]]
    assert judged.n_returned.tolist() == [4, 1, 0]
    assert precision(judged).tolist() == [0.5, 1.0, 0.0]


def test_an_empty_batch_is_accepted():
    assert len(judge({}, {})) == 0
    assert len(judge([], [])) == 0
    assert ndcg(judge([], []), 5).shape == (0,)
    assert ndcg(judge([], {"A"}), 5) == 0.0
    assert len(judge(np.empty((0, 5), dtype=int), sp.csr_array((0, 9)))) == 0


def test_threshold_applies_to_binary_metrics_and_not_to_gains():
    ratings = {"B": 3, "C": 5}
    judged = judge(["A", "B", "C"], ratings, threshold=4)
    assert (judged.n_relevant, judged.n_nonrelevant) == (1, 1)
    assert precision(judged, k=3) == pytest.approx(1 / 3)
    assert ndcg(judged, k=3) == ndcg(judge(["A", "B", "C"], ratings), k=3)
    assert ndcg(judged, k=3, gain="binary") == 0.5


def test_grades_of_exact_numbers_are_read_as_the_nearest_float():
    exact = [{"A": Decimal("2.5"), "B": Fraction(1, 3)}, {"B": Decimal("0.1")}]
    floats = [{each: float(grade) for each, grade in own.items()} for own in exact]
    lists = [["B", "A"], ["A", "B"]]
    assert ndcg(judge(lists, exact)).tolist() == ndcg(judge(lists, floats)).tolist()
    assert judge(lists, exact).gains.tolist() == judge(lists, floats).gains.tolist()


def test_fractional_and_many_distinct_grades():
    rng = np.random.default_rng(0)
    grades = rng.random(3000) * 10
    judged = judge(np.arange(3000)[None], [dict(enumerate(grades))])
    assert len(judged._levels) == 3001
    assert judged.gains[0].tolist() == grades.tolist()
    assert judged.ideal[0].tolist() == sorted(grades.tolist(), reverse=True)


def test_ids_too_large_for_a_table_are_renumbered():
    judged = judge(np.array([[10**15, 3, -1], [4, -1, 10**15]]), [{10**15: 2, 9: 1}, {4: 1}])
    assert judged.gains.tolist() == [[2, 0, 0], [1, 0, 0]]


@pytest.mark.parametrize("large", [2**63 + 1, 2**64 - 1, 2**40])
def test_ids_beyond_the_index_range_are_valid(large):
    # A hash of 64 bits, or any id above 2**31 where a machine counts with 32.
    shown = np.array([[large, 3], [4, large - 1]], dtype=np.uint64)
    for wanted in (
        [{large: 2, 9: 1}, {4: 1}],
        [[large, 9], [4]],
        [np.array([large, 9], dtype=np.uint64), np.array([4])],
        np.array([[large, 9], [4, 4 + large // 2]], dtype=np.uint64),
    ):
        judged = judge(shown, wanted)
        assert (judged.gains > 0).tolist() == [[True, False], [True, False]]
        assert judged.n_relevant.tolist() == [2, 2] if isinstance(wanted, np.ndarray) else [2, 1]
    catalog = [large, large - 1, 3, 4, 5, 6, 7, 8]
    assert rm.beyond_accuracy.catalog_coverage(shown, catalog) == 0.5
    if large > np.iinfo(np.intp).max:
        with pytest.raises(ValueError, match=f"list 0 recommends item {large} twice"):
            judge(np.array([[large, large]], dtype=np.uint64), [{large}])
        with pytest.raises(ValueError, match="can never match"):
            judge(shown, [{"a"}, {"b"}])


def test_more_lists_than_a_block_holds():
    n = 10_000
    items = np.arange(n)[:, None] % 7 + np.arange(5) * 7
    judged = judge(items, [{int(row[2])} for row in items])
    assert judged.gains[:, 2].all()
    assert judged.gains.sum() == n


def test_inputs_are_not_modified_and_judged_is_read_only():
    items = np.array([[1, 2, 3]])
    before = items.copy()
    judged = judge(items, [{2}])
    assert (items == before).all()
    with pytest.raises(AttributeError):
        judged.threshold = 3


def test_from_gains_needs_an_ideal_containing_the_list():
    with pytest.raises(ValueError, match=r"list 0 shows the grades \[3.0\].*ideal has only \[1"):
        Judged.from_gains([3, 0], [1, 1])
    with pytest.raises(ValueError, match=r"gains of list 1 contains -1\.0 at rank 2"):
        Judged.from_gains([[1, 0], [0, -1]])
    with pytest.raises(ValueError, match="gains has 2 lists and ideal 1"):
        Judged.from_gains([[1, 0], [0, 1]], [[1]])


@pytest.mark.parametrize(
    ("recommended", "relevant", "error", "message"),
    [
        (
            {"a": ["A"], "u42": ["A", "B", "C", "D", "B"]},
            {"a": {"A"}, "u42": {"B"}},
            ValueError,
            r"list 1 \(user 'u42'\) recommends item 'B' twice, at ranks 2 and 5; .* Remove",
        ),
        (["A", "A"], {"A"}, ValueError, "the list recommends item 'A' twice, at ranks 1 and 2"),
        (
            np.array([[1, 2], [3, 3]]),
            sp.csr_array(np.ones((2, 4))),
            ValueError,
            "list 1 recommends item 3 twice, at ranks 1 and 2",
        ),
        ([["A"]], [{"A": -1}], ValueError, "list 0 has grade -1.0 for item 'A'"),
        ([["A"]], [{"A": float("nan")}], ValueError, "list 0 has grade nan for item 'A'"),
        ([["A"]], [{"A": float("inf")}], ValueError, "list 0 has grade inf"),
        ([["A"]], [{"A": Decimal("sNaN")}], ValueError, r"list 0 has grade Decimal\('sNaN'\) for"),
        ([["A"]], [{"A": Decimal("1e400")}], ValueError, "list 0 has grade inf for item 'A'"),
        ([["A"]], [{"A": 1 + 1j}], TypeError, r"grade \(1\+1j\) for item 'A'.*with float\("),
        (["A"], {"A": "3"}, TypeError, "the list has grade '3' for item 'A'; a grade is a number"),
        ([["A"], ["B"]], [{"A"}], ValueError, "has 2 lists and relevant 1 entries"),
        (
            np.array([[1]]),
            sp.csr_array(np.ones((2, 4))),
            ValueError,
            "has 1 lists and relevant 2",
        ),
        (["A"], [{"A"}, {"B"}], ValueError, "one list but relevant has 2 entries"),
        ([["A"], "B"], [{"A"}, {"B"}], TypeError, "mixes lists and ids"),
        ([["A", ["x"]]], [{"A"}], TypeError, r"list 0 recommends \['x'\] at rank 2, a list, which"),
        (["A", None], {"A"}, ValueError, "recommends None at rank 2, which is no id"),
        (["A", float("nan")], {"A"}, ValueError, "recommends nan at rank 2, which is no id"),
        (["A"], ["A", "A"], ValueError, "has the relevant item 'A' twice"),
        (
            ["1", "2"],
            {1, 2},
            ValueError,
            "the lists contain text, '1' for one, .* numbers, 1 for one",
        ),
        (
            np.array([[1, 2]]),
            [{"1"}],
            ValueError,
            "lists contain numbers, 1 .* items text, '1' for",
        ),
        ("ABC", {"A"}, TypeError, r"the single id 'ABC', not a list of ids; write \['ABC'\]"),
        (["A"], "A", TypeError, "the relevant items 'A', which is one id; write {'A'} for a set"),
        ({"A", "B"}, {"A"}, TypeError, "a set, which has no order"),
        ([{"A", "B"}], [{"A"}], TypeError, "list 0 is a set, which has no order; a ranked list"),
        ({"u": ["A"]}, [{"A"}], TypeError, "keyed by user, so relevant must be too"),
        ({"u": ["A"]}, {"u": "A"}, TypeError, "relevant items 'A', which is one id"),
        ([["A"]], {"A"}, TypeError, "has 1 lists, so relevant must be a sequence"),
        (np.array([[0.1, 0.9]]), [{1}], TypeError, "array of floats.*rank_from_scores"),
        (np.array([[1, -2]]), [{1}], ValueError, "list 0 recommends the id -2 at rank 2"),
        (np.array([[1]]), [{-4}], ValueError, "list 0 has the relevant item -4"),
        (np.zeros((1, 1, 1), dtype=int), [{1}], TypeError, "recommended has 3 dimensions"),
        (
            np.array([[1]]),
            (np.array([0, 2]), np.array([1]), np.array([1.0])),
            ValueError,
            r"no valid \(indptr, items, grades\)",
        ),
        ([["A"]], sp.csr_array(np.ones((1, 4))), ValueError, "ids such as 'A', but relevant came"),
        (7, {"A"}, TypeError, "recommended must be a list of ids"),
    ],
)
def test_invalid_input_names_the_list_and_the_item(recommended, relevant, error, message):
    with pytest.raises(error, match=message):
        judge(recommended, relevant)


@pytest.mark.parametrize("threshold", [0, -1, float("nan"), float("inf")])
def test_a_threshold_of_zero_or_less_raises(threshold):
    with pytest.raises(ValueError, match="threshold is the lowest grade"):
        judge(["A"], {"A"}, threshold=threshold)


@pytest.mark.parametrize("threshold", [True, "4"])
def test_a_threshold_that_is_not_a_number_raises(threshold):
    with pytest.raises(TypeError, match="that counts as relevant, a number"):
        judge(["A"], {"A"}, threshold=threshold)


@pytest.mark.parametrize(("k", "error"), [(0, ValueError), (-3, ValueError)])
def test_k_below_one_raises(k, error):
    with pytest.raises(error, match="a whole number of 1 or more"):
        precision(judge(["A"], {"A"}), k)


@pytest.mark.parametrize("k", [2**31, 10**12, 10**25])
def test_k_beyond_the_integer_range_raises(k):
    judged = judge(["A"], {"A"})
    for call in (
        lambda: ndcg(judged, k, ideal="full"),
        lambda: precision(judged, k),
        lambda: rm.rank_from_scores([0.1, 0.9], k),
    ):
        with pytest.raises(ValueError, match="a whole number of at most 2,147,483,647; got"):
            call()
    assert recall(judged, 2**31 - 1) == 1


@pytest.mark.parametrize("k", [2.0, "5", True, np.True_, [5]])
def test_a_fractional_k_raises(k):
    with pytest.raises(TypeError, match="k is how many ranks count"):
        precision(judge(["A"], {"A"}), k)


def test_k_may_be_a_numpy_integer():
    assert precision(judge(["A"], {"A"}), np.int64(2)) == 0.5


def test_a_metric_of_unjudged_lists_raises():
    with pytest.raises(TypeError, match=r"not a list; call judge\(recommended, relevant\) first"):
        precision(["A", "B"], 2)


def test_readable_repr():
    assert repr(judge(["A", "B"], {"B", "C"})) == "Judged(○ ●; 2 relevant)"
    assert repr(judge([["A", "B"], []], [{"B"}, {"A"}])) == "Judged(2 lists of up to 2)"


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda j: rm.f_beta(j, beta="2"), TypeError, "beta is the weight of recall, a number"),
        (lambda j: rm.f_beta(j, beta=-1), ValueError, "must be above 0; got -1"),
        (lambda j: rm.f_beta(j, beta=float("nan")), ValueError, "must be finite; got nan"),
        (
            lambda j: rm.rank_biased_precision(j, p=1),
            ValueError,
            "between 0 and 1, both excluded; got 1",
        ),
        (lambda j: rm.rank_biased_precision(j, p=None), TypeError, "a number; got None"),
        (
            lambda j: rm.expected_reciprocal_rank(j, max_grade=0),
            ValueError,
            "top of the scale and must be above 0; got 0",
        ),
        (
            lambda j: rm.expected_reciprocal_rank(j, max_grade=1),
            ValueError,
            "the highest grade here is 3, above max_grade=1",
        ),
    ],
)
def test_numeric_options_out_of_range_raise(call, error, message):
    with pytest.raises(error, match=message):
        call(judge(["A", "B"], {"B": 3}))


# A threshold, in every form ----------------------------------------------------------------------


STARS = {"A": 3, "B": 5, "C": 4, "D": 1}


def in_arrays():
    table = np.array([[0, 1, 2, 3], [3, 0, -1, -1]])
    grades = sp.csr_array(np.array([[3.0, 5, 4, 1], [3, 5, 4, 1]]))
    return table, grades


def in_a_triple():
    table, grades = in_arrays()
    return table, (grades.indptr, grades.indices, grades.data)


def in_lists():
    return [["A", "B", "C", "D"], ["D", "A"]], [STARS, STARS]


def in_mappings():
    return {"ann": ["A", "B", "C", "D"], "bob": ["D", "A"]}, {"ann": STARS, "bob": STARS}


def in_numbers():
    return in_arrays()[0], [{0: 3, 1: 5, 2: 4, 3: 1}] * 2


@pytest.mark.parametrize("form", [in_arrays, in_a_triple, in_lists, in_mappings, in_numbers])
def test_the_threshold_applies_to_every_input_form(form):
    judged = judge(*form(), threshold=4)
    assert judged.threshold == 4
    assert judged.n_relevant.tolist() == [2, 2]
    assert judged.n_nonrelevant.tolist() == [2, 2]
    assert precision(judged, 2).tolist() == [0.5, 0]
    assert judged.gains[0].tolist() == [3, 5, 4, 1]
    assert judge(*form()).n_relevant.tolist() == [4, 4]


def test_from_gains_accepts_a_threshold():
    one = Judged.from_gains([3, 5, 0.5], ideal=[5, 4, 3, 0.5], threshold=4)
    assert (one.single, one.n_relevant, one.n_nonrelevant, one.n_returned) == (True, 2, 2, 3)
    assert one.gains.tolist() == [3, 5, 0.5]
    assert one.ideal.tolist() == [5, 4, 3, 0.5]
    assert precision(one, 2) == 0.5
    many = Judged.from_gains([[3, 5, 0.5]], ideal=[[0.25, 5, 3, 0.5]])
    assert not many.single
    assert many.n_relevant.tolist() == [4]
    assert many.ideal.tolist() == [[5, 3, 0.5, 0.25]]
    assert Judged.from_gains([[1], [0]], threshold=1).n_relevant.tolist() == [1, 0]


@pytest.mark.parametrize("n_levels", [255, 256, 257, 300, 70_000])
def test_many_grades_are_stored_without_loss(n_levels):
    grades = np.arange(1.0, n_levels + 1)
    judged = Judged.from_gains(grades)
    assert judged.gains.tolist() == grades.tolist()
    width = 1 if n_levels < 256 else 2 if n_levels < 65536 else 4
    assert judged._codes.nbytes == n_levels * width


# Errors say whose list it is ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("recommended", "relevant", "error", "said"),
    [
        (
            {"ann": ["A"], "bob": ["A", ["B"]]},
            {"ann": {"A"}, "bob": {"A"}},
            TypeError,
            "list 1 (user 'bob') recommends ['B'] at rank 2, a list, which cannot be an id; ids "
            "are strings, numbers or tuples",
        ),
        (
            [["A"], ["A", float("nan")]],
            [{"A"}, {"A"}],
            ValueError,
            "list 1 recommends nan at rank 2, which is no id; leave missing items out",
        ),
        (
            {"ann": ["A"], "bob": ["A"]},
            {"ann": {"A"}, "bob": ["B", None]},
            ValueError,
            "list 1 (user 'bob') has the relevant item None, which is no id; leave missing items "
            "out",
        ),
        (
            {"ann": ["A"], "bob": ["A"]},
            {"ann": {"A"}, "bob": "AB"},
            TypeError,
            "list 1 (user 'bob') has the relevant items 'AB', which is one id; write {'AB'} for a "
            "set of one",
        ),
        (
            np.array([[0, 1], [2, 3]]),
            [{1}, {2, "C"}],
            ValueError,
            "the lists contain whole numbers but list 1 has the relevant item 'C', which can never "
            "match; use the same ids on both sides",
        ),
        (
            np.array([[0, 1], [2, -5]]),
            [{1}, {2}],
            ValueError,
            "list 1 recommends the id -5 at rank 2; ids are 0 or more, and -1 is an empty slot",
        ),
        (
            [["A"], ["B"]],
            [{1, 2}, {3}],
            ValueError,
            "the lists contain text, 'A' for one, and the relevant items numbers, 1 for one: they "
            "can never match. Use the same ids on both sides",
        ),
    ],
)
def test_errors_name_the_list_the_user_and_the_item(recommended, relevant, error, said):
    with pytest.raises(error, match=f"^{re.escape(said)}$"):
        judge(recommended, relevant)
