"""A metric, a gain, a discount of one's own: beside the library's, and held to what it returns."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import recsys_metrics as rm
from recsys_metrics.measures import Measure, measure

LISTS = {"ann": ["A", "B", "C"], "bob": ["B", "D", "A"], "cem": ["C", "A"], "dee": []}
WANTED = {"ann": {"B": 1, "E": 3}, "bob": {"D": 2}, "cem": {}, "dee": {"A": 1}}


def first_hit(recommended, relevant):
    """Is the first item wanted?"""
    return float(bool(recommended) and recommended[0] in relevant)


def own_ndcg(judged, k):
    """How close to the best order, written anew?"""
    gains, ideal = judged.gains[:, :k], judged.ideal[:, :k]
    with np.errstate(invalid="ignore"):
        return discounted(gains) / discounted(ideal)


def discounted(gains):
    return (gains / np.log2(np.arange(2, gains.shape[1] + 2))).sum(axis=1)


def length(recommended):
    return len(recommended)


def distinct_items(recommended):
    return len({item for row in recommended for item in row})


def squared(grades):
    return grades**2


def by_rank(ranks):
    return ranks


def evaluate(*measures, lists=LISTS, wanted=WANTED, **context):
    return rm.evaluate(lists, wanted, measures, split="x", **context)


# Values -----------------------------------------------------------------------------------------


def test_a_function_of_one_list_computed_by_hand():
    mine = Measure.of(first_hit, bounds=(0, 1))
    report = evaluate(mine.at(2), "hit_rate@1")
    assert list(report) == ["first_hit@2", "hit_rate@1"]
    assert report["first_hit@2"].per_user.tolist() == [0, 0, 0, 0]
    wanted = {**WANTED, "ann": {"A"}, "bob": {"D"}}
    report = evaluate(mine, wanted=wanted)
    assert report["first_hit"].per_user.tolist() == [1, 0, 0, 0]
    assert report[mine].interval() is not None
    assert "Is the first item wanted?" in str(report)


def test_functions_get_truncated_lists_and_the_arguments_they_name():
    seen = {"ann": {"D"}, "bob": {"C", "A"}, "fay": {"E"}}

    def told(recommended, history, catalog, n_users, *, weight=1.0):
        return weight * (len(recommended) + 10 * len(history) + 100 * catalog + 1000 * n_users)

    mine = Measure.of(told, better=None)
    report = evaluate(mine.at(2), mine.with_options(weight=2.0).at(1), history=seen, catalog=7)
    assert list(report) == ["told@2", "told(weight=2.0)@1"]
    assert report["told@2"].per_user.tolist() == [3712, 3722, 3702, 3700]
    assert report["told(weight=2.0)@1"].per_user.tolist() == [7422, 7442, 7402, 7400]


@pytest.mark.parametrize("k", [1, 2, 10])
def test_a_custom_ndcg_equals_the_built_in_one_everywhere(k):
    mine = Measure.of(own_ndcg, name="mine", bounds=(0, 1)).at(k)
    built_in = measure(f"ndcg@{k}")
    rng = np.random.default_rng(1)
    lists = {u: rng.permutation(30)[:10].tolist() for u in range(200)}
    other = {u: rng.permutation(30)[:10].tolist() for u in range(200)}
    wanted = {u: {int(i): 1 + i % 3 for i in rng.permutation(30)[: u % 7]} for u in range(200)}
    new = rm.evaluate(lists, wanted, [mine, built_in])
    old = rm.evaluate(other, wanted, [mine, built_in])
    np.testing.assert_allclose(new[mine].per_user, new[built_in].per_user, atol=1e-12)
    assert (new[mine].n, new[mine].n_skipped) == (new[built_in].n, new[built_in].n_skipped)
    for ours, theirs in (
        (new[mine].interval(), new[built_in].interval()),
        (new.compare(old)[mine].interval, new.compare(old)[built_in].interval),
    ):
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)
    groups = new.by(rng.integers(0, 3, 200))
    assert groups[mine].per_group == pytest.approx(groups[built_in].per_group, abs=1e-12)
    decided = new.compare(old, decide_on=f"mine@{k}")
    assert decided.decided_on == mine
    assert str(decided.conclusion) == str(new.compare(old, decide_on=built_in).conclusion)


def test_functions_without_k_get_truncated_judged_lists():
    def hits(judged):
        return judged.gains.astype(bool).sum(axis=1) / judged.n_returned.clip(1)

    report = evaluate(Measure.of(hits).at(2), "precision(denominator=recommended)@2")
    np.testing.assert_array_equal(
        report["hits@2"].per_user[[0, 1, 3]],
        report["precision(denominator=recommended)@2"].per_user[[0, 1, 3]],
    )
    judged = rm.judge(["A", "B"], {"B"})
    assert Measure.of(lambda judged: judged.gains.sum(axis=1), name="x")(judged) == 1.0


def test_a_function_of_all_lists():
    mine = Measure.of(distinct_items, per="all").at(1)
    report = evaluate(mine)
    assert (report[mine].mean, report[mine].n) == (3, 0)
    assert report[mine].interval() is None
    total = Measure.of(lambda judged, k: judged.gains[:, :k].sum(), name="total", per="all")
    assert evaluate(total)["total"].mean == 3


def test_lower_is_better_is_used_in_comparisons():
    mine = Measure.of(length, better="lower", bounds=(0, 10))
    lists = {u: [1, 2, 3] for u in range(100)}
    shorter = {u: [1] for u in range(100)}
    wanted = {u: {1} for u in range(100)}
    old, new = (rm.evaluate(each, wanted, [mine]) for each in (lists, shorter))
    assert new.compare(old)[mine].gain == -2
    assert new.compare(old).conclusion.outcome == "better"


# Text, equality ---------------------------------------------------------------------------------


def test_a_custom_measure_is_identified_by_its_text():
    mine = Measure.of(first_hit)
    again = Measure.of(first_hit)
    assert mine == again
    assert hash(mine) == hash(again)
    assert mine != mine.at(3)
    assert str(mine.at(3)) == "first_hit@3"
    assert Measure.of(first_hit, name="mine") != mine
    back = pickle.loads(pickle.dumps(mine.at(3)))
    assert back == mine.at(3)
    assert evaluate(back)[back].per_user.tolist() == [0, 0, 0, 0]
    report = pickle.loads(pickle.dumps(evaluate(mine)))
    assert report["first_hit"].mean == 0


def test_two_functions_with_one_name_raise():
    other = Measure.of(length, name="first_hit")
    mine = Measure.of(first_hit)
    with pytest.raises(ValueError, match="two different metrics are called first_hit@2"):
        evaluate(mine.at(2), other.at(2))
    ndcg = measure("ndcg@2")
    linear = ndcg.with_options(gain=named(lambda grades: grades, "squared"))
    with pytest.raises(ValueError, match=r"called ndcg.gain=squared"):
        evaluate(ndcg.with_options(gain=squared), linear)


def named(function, name):
    function.__name__ = name
    return function


def test_custom_measures_are_not_registered():
    Measure.of(first_hit)
    with pytest.raises(ValueError, match="unknown metric 'first_hit'"):
        measure("first_hit@2")
    report = evaluate(Measure.of(first_hit).at(2))
    with pytest.raises(KeyError, match="was not measured; there are first_hit@2"):
        report["ndcg@2"]


@pytest.mark.parametrize(
    ("function", "more", "error", "message"),
    [
        (first_hit, {"name": "ndcg"}, ValueError, "'ndcg' is a metric of the library"),
        (first_hit, {"name": "map"}, ValueError, "'map' is a metric of the library"),
        (first_hit, {"name": "my own"}, ValueError, "one word of letters, digits and _; got 'my o"),
        (lambda recommended: 1, {}, ValueError, "without a name, '<lambda>'"),
        (3, {}, TypeError, "a metric is a function; got 3"),
        (first_hit, {"better": "more"}, ValueError, "better must be one of 'higher', 'lower'"),
        (first_hit, {"per": "user"}, ValueError, "per must be one of 'list', 'all'"),
        (first_hit, {"missing": "drop"}, ValueError, "missing must be one of 'raise', 'omit'"),
        (first_hit, {"bounds": (1, 0)}, ValueError, "bounds are the least and the most"),
        (lambda judged, truth: 1, {"name": "x"}, TypeError, "x takes truth, which evaluate does"),
        (lambda: 1, {"name": "x"}, TypeError, "x takes nothing; its first parameter is the list"),
    ],
)
def test_invalid_functions_raise(function, more, error, message):
    with pytest.raises(error, match=message):
        Measure.of(function, **more)


def test_passing_a_function_explains_measure_of():
    with pytest.raises(TypeError, match=r"Measure.of makes one from a function"):
        evaluate(first_hit)


# What functions may return ----------------------------------------------------------------------


def only_for(lists, value):
    def odd(recommended):
        return value if recommended in lists else 1.0

    return odd


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (None, TypeError, r"mine@2: mine returned None for list \d .user 'bob'.; return a number"),
        ("0.5", TypeError, r"returned '0.5' for list \d .user 'bob'."),
        ([0.5], TypeError, r"returned \[0.5\] for list \d .user 'bob'."),
        (
            np.nan,
            ValueError,
            r"mine is nan for list \d .user 'bob'.; return a finite number, or pass missing",
        ),
        (np.inf, ValueError, r"mine is inf for list \d .user 'bob'."),
        (2.0, ValueError, r"mine is 2 for list \d .user 'bob'., outside its bounds \(0.0, 1.0\)"),
    ],
)
def test_an_invalid_value_for_one_list_names_metric_and_user(value, error, message):
    mine = Measure.of(only_for([["B", "D"]], value), name="mine", bounds=(0, 1))
    with pytest.raises(error, match=message):
        evaluate(mine.at(2))


def test_a_function_that_raises_names_metric_and_user():
    def mine(recommended):
        return 1 / len(recommended)

    with pytest.raises(
        ValueError, match=r"mine@2: mine raised ZeroDivisionError for list \d .user 'dee'.: d"
    ):
        evaluate(Measure.of(mine).at(2))
    with pytest.raises(ValueError, match=r"mine raised IndexError for list 0 .user 'ann'.:"):
        evaluate(Measure.of(lambda judged: judged.gains[:, 99], name="mine"))


@pytest.mark.parametrize(
    ("returned", "error", "message"),
    [
        (
            None,
            TypeError,
            "mine must return an array of 4 numbers, one for each list; it returned N",
        ),
        ("abcd", TypeError, "it returned 'abcd'"),
        (0.5, TypeError, "it returned 0.5"),
        (np.zeros((4, 2)), TypeError, r"it returned one of shape \(4, 2\)"),
        (np.zeros(3), TypeError, r"it returned one of shape \(3,\)"),
        ([1, None, 1, 1], TypeError, r"it returned \[1, None, 1, 1\]"),
        ([1, np.nan, np.nan, 1], ValueError, r"mine is nan for list \d .user 'bob'."),
        ([1, 1, np.inf, 1], ValueError, r"mine is inf for list \d .user 'cem'."),
        ([1, 1, 1, 7], ValueError, r"mine is 7 for list \d .user 'dee'., outside its bounds"),
    ],
)
def test_invalid_values_for_all_lists_name_metric_and_user(returned, error, message):
    mine = Measure.of(lambda judged: returned, name="mine", bounds=(0, 1))
    with pytest.raises(error, match=message):
        evaluate(mine)


@pytest.mark.parametrize("returned", [None, "x", [1.0], np.zeros(4), np.nan])
def test_an_invalid_aggregate_value_raises(returned):
    mine = Measure.of(lambda recommended: returned, name="mine", per="all")
    with pytest.raises(
        (TypeError, ValueError), match=r"mine.*(a number; it returned|is nan for all)"
    ):
        evaluate(mine)


def test_returned_arrays_are_copied():
    buffer = np.ones(4)
    report = evaluate(Measure.of(lambda judged: buffer, name="mine"))
    buffer[0] = 7
    assert report["mine"].per_user.tolist() == [1, 1, 1, 1]


def test_users_without_a_value_are_omitted():
    nothing = Measure.of(lambda judged: [1, 1, np.nan, 1], name="mine")
    assert evaluate(nothing)["mine"].n_skipped == 1
    lists = {"ann": ["A"], "bob": ["B"]}
    omit = Measure.of(only_for([["B"]], np.nan), name="mine", missing="omit")
    assert evaluate(omit, lists=lists, wanted={"ann": {"A"}, "bob": {"A"}})["mine"].n == 1


# Gain and discount ------------------------------------------------------------------------------

JUDGED = rm.judge(["A", "B", "C"], {"A": 1, "C": 2, "D": 3})


def test_custom_gain_and_discount_computed_by_hand():
    assert rm.dcg(JUDGED, 3, gain=squared, discount="none") == 5
    assert rm.dcg(JUDGED, 3, gain=[0, 1, 5, 6], discount=[1, 2, 4]) == 1 + 5 / 4
    assert rm.ndcg(JUDGED, 2, gain=squared, discount=by_rank) == pytest.approx(1 / (9 + 4 / 2))
    assert rm.discounts(3, by_rank).tolist() == [1, 1 / 2, 1 / 3]
    assert rm.expected_over_ties("dcg", [1, 2], [3, 3], gain=squared, discount=[1, 1]) == 5


graded = st.lists(st.integers(0, 4), min_size=1, max_size=8)


@given(graded, st.sampled_from(["all", "list", "listed", "uncut"]), st.integers(1, 9))
def test_built_in_gains_and_discounts_equal_custom_functions(grades, ideal, k):
    judged = rm.Judged.from_gains([grades], [[*grades, 3, 1]])
    built_in = rm.ndcg(judged, k, gain="exponential", ideal=ideal)
    function = rm.ndcg(
        judged, k, gain=lambda g: 2**g - 1, discount=lambda rank: np.log2(rank + 1), ideal=ideal
    )
    table = rm.ndcg(
        judged, k, gain=[0, 1, 3, 7, 15], discount=np.log2(np.arange(2, 13)), ideal=ideal
    )
    np.testing.assert_allclose(function, built_in, atol=1e-12)
    np.testing.assert_allclose(table, built_in, atol=1e-12)


def test_measures_include_custom_gains_and_discounts():
    ndcg = measure("ndcg@3")
    mine = ndcg.with_options(gain=squared, discount=np.array([1, 2, 2.5]))
    assert str(mine) == "ndcg(discount=[1 2 2.5], gain=squared)@3"
    assert mine == ndcg.with_options(discount=[1, 2, 2.5], gain=squared)
    assert hash(mine) == hash(ndcg.with_options(discount=(1, 2, 2.5), gain=squared))
    assert mine != ndcg.with_options(gain=squared)
    assert "gain=squared" in mine.canonical
    report = evaluate(mine, "dcg@3")
    expected = rm.ndcg(rm.judge(LISTS, WANTED), 3, gain=squared, discount=[1, 2, 2.5])
    np.testing.assert_array_equal(report[str(mine)].per_user, expected)
    assert "ndcg(discount=[1 2 2.5], gain=squared" in report.protocol.measures[0]
    assert pickle.loads(pickle.dumps(mine)) == mine


def test_tables_of_gains_survive_text_conversion():
    mine = measure("dcg@3").with_options(gain=[0, 1, 1e-3], discount=[1, 2, 1 / 0.3])
    assert measure(str(mine)) == mine
    assert measure("dcg(discount=[1  2 4])@3").conventions == {"discount": (1, 2, 4)}
    with pytest.raises(ValueError, match=r"'dcg.discount=\[1 x\].@3': could not convert"):
        measure("dcg(discount=[1 x])@3")
    with pytest.raises(ValueError, match="discount must be one of 'log2', 'none'"):
        measure("expected_free_discovery(discount=[1 2])@3")


@pytest.mark.parametrize(
    ("convention", "error", "message"),
    [
        ({"gain": lambda g: g}, ValueError, "gain= is a function without a name"),
        ({"gain": named(lambda g: g, "binary")}, ValueError, "gain=binary is a convention"),
        ({"weight": squared}, ValueError, "ndcg has no convention 'weight'"),
    ],
)
def test_gains_without_a_name_raise(convention, error, message):
    with pytest.raises(error, match=message):
        measure("ndcg@3").with_options(**convention)


@pytest.mark.parametrize(
    ("convention", "error", "message"),
    [
        ({"gain": [0, 1]}, ValueError, "an array for the grades 0 to 1, and there is the grade 2"),
        (
            {"gain": [1, 2, 3, 4]},
            ValueError,
            "gain of grade 0 is 1; it must be 0: the item is not relevant",
        ),
        ({"gain": [0, 3, 2, 4]}, ValueError, "gain of grade 2 is 2; it is less than for a lower"),
        ({"gain": np.zeros((2, 2))}, ValueError, "gain has one axis as an array"),
        (
            {"gain": lambda g: -g},
            ValueError,
            "gain=<lambda> of grade 1 is -1; it must be 0 or more",
        ),
        ({"gain": lambda g: g + np.inf}, ValueError, "is inf; it must be finite"),
        ({"gain": lambda g: None}, ValueError, r"returned one of shape \(\)"),
        ({"gain": lambda g: "x"}, TypeError, "must be a function that returns numbers; got 'x'"),
        ({"gain": 3}, TypeError, "gain is a name, a function or an array; got 3"),
        ({"discount": [1, 0.5, 0.4]}, ValueError, "discount of rank 2 is 0.5; .* give 1 / factor"),
        ({"discount": np.log2}, ValueError, "discount=log2 of rank 1 is 0; it must be above 0"),
        ({"discount": [1]}, ValueError, "an array for the ranks 1 to 1, and there is the rank 2"),
    ],
)
def test_invalid_gains_and_discounts_raise(convention, error, message):
    with pytest.raises(error, match=message):
        rm.ndcg(JUDGED, 3, **convention)


def test_functions_of_the_callers_run_on_frames():
    pl = pytest.importorskip("polars")
    shown = pl.DataFrame({"user": [1, 1, 2], "item": [2, 5, 3], "rank": [1, 2, 1]})
    wanted = pl.DataFrame({"user": [1, 2], "item": [5, 3], "grade": [1, 3]})
    asked = [
        Measure.of(first_hit),
        measure("ndcg@3").with_options(gain=squared),
        measure("ndcg").with_options(discount=by_rank),
        measure("ndcg(ideal=uncut)@3").with_options(discount=by_rank),
    ]
    over_frames = rm.evaluate(shown, wanted, asked)
    expected = rm.evaluate({1: [2, 5], 2: [3]}, {1: {5: 1}, 2: {3: 3}}, asked)
    for each in asked:
        np.testing.assert_array_equal(over_frames[each].per_user, expected[each].per_user)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_frames_accept_a_custom_discount_up_to_the_cutoff(engine):
    pl = pytest.importorskip("polars")
    shown = pl.DataFrame(
        [(u, i, r) for u, row in LISTS.items() for r, i in enumerate(row, 1)],
        ["user", "item", "rank"],
        orient="row",
    )
    truth = pl.DataFrame(
        [(u, i, float(g)) for u, row in WANTED.items() for i, g in row.items()],
        ["user", "item", "grade"],
        orient="row",
    )
    tables = (shown, truth)
    if engine == "duckdb":
        duckdb = pytest.importorskip("duckdb")
        tables = (duckdb.sql("from shown"), duckdb.sql("from truth"))
    measures = [
        measure(f"{name}@{k}").with_options(discount=discount)
        for name in ("dcg", "ndcg", "ndcg(ideal=list)", "ndcg(ideal=listed)")
        for k, discount in ((1, by_rank), (3, by_rank), (3, [1, 1.5, 4]), (2, [1, 1.5, 4]))
    ]
    framed = rm.evaluate(*tables, measures)
    whole = evaluate(*measures)
    for each in measures:
        values = dict(zip(framed.users, framed[each].per_user, strict=True))
        expected = dict(zip(whole.users, whole[each].per_user, strict=True))
        for user in values:
            assert values[user] == pytest.approx(expected[user], abs=1e-12, nan_ok=True)
        assert framed[each].mean == pytest.approx(whole[each].mean, abs=1e-12)
