"""Columns of pandas with an entry per item are read by their labels, or refused."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest

from recsys_metrics import beyond_accuracy as ba
from recsys_metrics import evaluate, evaluate_predictions, rank_from_scores, rating
from recsys_metrics._core.inputs.frames import refuse_other_labels
from recsys_metrics.bias import fairness, feedback, off_policy, propensity
from recsys_metrics.evaluation import hypervolume
from recsys_metrics.interactions import Interactions
from recsys_metrics.protocol import candidates
from tests.public import modules

pd = pytest.importorskip("pandas")

LISTS = np.array([[0, 1], [2, 3]])
RELEVANT = [{0, 1}, {2}]
COUNTS = [9, 1, 6, 2]
GROUPS = ["a", "b", "c", "b"]
KINDS = ["drama", "war|drama", "war", "comedy"]
SCORES = np.array([[0.1, 0.9, 0.4, 0.7], [0.8, 0.2, 0.6, 0.3]])

# By name of the function and of the argument: what is called with the argument, and its values.
READ = {
    ("average_popularity", "item_counts"): (lambda x: ba.average_popularity(LISTS, x), COUNTS),
    ("expected_free_discovery", "item_counts"): (
        lambda x: ba.expected_free_discovery(LISTS, x, 20),
        COUNTS,
    ),
    ("expected_popularity_complement", "item_counts"): (
        lambda x: ba.expected_popularity_complement(LISTS, x, 20),
        COUNTS,
    ),
    ("exposure_novelty", "recommendation_counts"): (
        lambda x: ba.exposure_novelty(LISTS, COUNTS, 20, recommendation_counts=x),
        [4, 3, 2, 1],
    ),
    ("exposure_novelty", "item_counts"): (lambda x: ba.exposure_novelty(LISTS, x, 20), COUNTS),
    ("popularity_complement", "item_counts"): (
        lambda x: ba.popularity_complement(LISTS, x, 20),
        COUNTS,
    ),
    ("long_tail_share", "item_counts"): (lambda x: ba.long_tail_share(LISTS, x, head=0.5), COUNTS),
    ("popularity_lift", "item_counts"): (
        lambda x: ba.popularity_lift(LISTS, [[2, 3], [0]], x),
        COUNTS,
    ),
    ("popularity_serendipity", "item_counts"): (
        lambda x: ba.popularity_serendipity(LISTS, RELEVANT, x, 4, k=2),
        COUNTS,
    ),
    ("self_information", "item_counts"): (lambda x: ba.self_information(LISTS, x, 20), COUNTS),
    ("alpha_ndcg", "features"): (lambda x: ba.alpha_ndcg(LISTS, RELEVANT, x), KINDS),
    ("rank_biased_entropy", "features"): (lambda x: ba.rank_biased_entropy(LISTS, x), KINDS),
    ("category_shares", "categories"): (
        lambda x: ba.category_shares(LISTS[:1], LISTS, x).recommended,
        GROUPS,
    ),
    ("unique_category_share", "categories"): (
        lambda x: ba.unique_category_share(LISTS, x),
        GROUPS,
    ),
    ("ndkl", "groups"): (lambda x: fairness.ndkl(LISTS, x), GROUPS),
    ("attention_weighted_rank_fairness", "groups"): (
        lambda x: fairness.attention_weighted_rank_fairness(LISTS, x),
        GROUPS,
    ),
    ("exposure_by_group", "groups"): (
        lambda x: [*fairness.exposure_by_group(LISTS[:1], x).per_group.values()],
        GROUPS,
    ),
    ("exposure_by_group", "merit"): (
        lambda x: [
            *fairness.exposure_by_group(LISTS, GROUPS, merit=x, per="merit").per_group.values()
        ],
        COUNTS,
    ),
    ("ranking_statistical_parity", "groups"): (
        lambda x: [*fairness.ranking_statistical_parity(LISTS[:1], x).per_group.values()],
        GROUPS,
    ),
    ("ranking_equal_opportunity", "groups"): (
        lambda x: [
            *fairness.ranking_equal_opportunity(LISTS[:1], [{0, 2, 3}], x).per_group.values()
        ],
        GROUPS,
    ),
    ("restrict_relevant", "strata"): (
        lambda x: [len(left) for left in fairness.restrict_relevant(RELEVANT, x, "b")],
        GROUPS,
    ),
    ("simulate_feedback_loop", "groups"): (
        lambda x: (
            feedback.simulate_feedback_loop(
                np.linspace(0, 1, 12).reshape(3, 4), n_rounds=2, k=1, groups=x
            ).group_exposure
        ),
        GROUPS,
    ),
    ("sampled_ranks", "weights"): (
        lambda x: candidates.sampled_ranks(SCORES, [[2], [2]], n_samples=1, weights=x).rank,
        [1, 0, 0, 0],
    ),
    ("sampled_ranks", "item_counts"): (
        lambda x: (
            candidates.sampled_ranks(
                SCORES, [[2], [2]], n_samples=1, weights="popularity", item_counts=x
            ).rank
        ),
        [1, 0, 0, 0],
    ),
}

# What comes back, or is drawn, has no labels that would say which order was meant.
REFUSED = {
    ("head_tail", "counts"): (lambda x: fairness.head_tail(x, head=0.5), COUNTS),
    ("popularity_propensity", "counts"): (propensity.popularity_propensity, COUNTS),
    ("rank_from_scores", "scores"): (lambda x: rank_from_scores(x, 2), SCORES[0]),
    ("full_ranks", "scores"): (lambda x: candidates.full_ranks(x, [1]).rank, SCORES[0]),
    ("correction_table", "prior"): (
        lambda x: candidates.correction_table(
            4, 2, "reciprocal_rank", method="bias-variance", prior=x
        ),
        [0.4, 0.3, 0.2, 0.1],
    ),
    ("amortized_attention", "relevance"): (
        lambda x: (
            fairness.amortized_attention(
                LISTS, pd.concat([x, x], axis=1).T if isinstance(x, pd.Series) else [x, x]
            ).unfairness
        ),
        COUNTS,
    ),
    ("simulate_feedback_loop", "affinity"): (
        lambda x: (
            feedback.simulate_feedback_loop(
                pd.concat([x, x], axis=1).T if isinstance(x, pd.Series) else [x, x], n_rounds=1, k=1
            ).exposure
        ),
        SCORES[0],
    ),
    ("intra_list_diversity", "similarity"): (
        lambda x: ba.intra_list_diversity(
            LISTS,
            similarity=pd.DataFrame(np.eye(4), index=x.index)
            if isinstance(x, pd.Series)
            else np.eye(4),
        ),
        COUNTS,
    ),
}

# Only how the numbers are spread counts, so no order is wrong; and rows of two columns, which
# `test_labels.py` has.
ANY_ORDER = {
    ("gini", "counts"),
    ("lorenz_curve", "counts"),
    ("shannon_entropy", "counts"),
    ("fit_popularity_power", "counts"),
    ("fit_popularity_power", "exposures"),
    ("genre_calibration", "target"),
}


def turned(values):
    return pd.Series(list(values)).iloc[[2, 0, 3, 1]]


@pytest.mark.parametrize("case", READ, ids="-".join)
def test_an_entry_per_item_is_read_by_its_label(case):
    function, values = READ[case]
    expected = np.asarray(function(values))
    assert np.array_equal(function(turned(values)), expected)
    assert not np.array_equal(function(turned(values).to_list()), expected)


NAMED = {
    "average_popularity": lambda x: ba.average_popularity(["A", "B"], x),
    "ndkl": lambda x: fairness.ndkl(["A", "B"], x),
    "unique_category_share": lambda x: ba.unique_category_share(["A", "B"], x),
    "restrict_relevant": lambda x: fairness.restrict_relevant([{"A", "B"}], x, 1),
}


@pytest.mark.parametrize("name", NAMED)
def test_labels_may_be_the_ids_of_the_items(name):
    column = pd.Series([1, 2, 1, 3], index=list("CADB"))
    assert NAMED[name](column) == NAMED[name](column.to_dict())


@pytest.mark.parametrize("case", REFUSED, ids="-".join)
def test_numbers_of_items_in_another_order_are_an_error_where_places_count(case):
    function, values = REFUSED[case]
    assert np.array_equal(function(pd.Series(values)), function(values))
    with pytest.raises(ValueError, match=r"is read by position, .* is 0, after 2") as caught:
        function(turned(values))
    assert "drop the labels, .to_numpy()" in str(caught.value)


def test_each_argument_with_an_entry_per_item_is_tried():
    found = {
        (name, parameter)
        for module in modules()
        for name in module.__all__
        if inspect.isfunction(getattr(module, name))
        for parameter in per_item(getattr(module, name))
    }
    tried = {*READ, *REFUSED, *ANY_ORDER}
    assert found <= tried


def per_item(function):
    """Return the parameters whose documented form is an entry per item."""
    parameters = inspect.getdoc(function).split("Returns")[0]
    return [
        name
        for names, text in re.findall(r"^([\w, ]+) : (.*)$", parameters, re.M)
        if re.search(r"n_items[,)]|mapping from (id|item|genre|group) to", text)
        for name in names.split(", ")
    ]


def test_a_label_twice_is_an_error_that_names_it():
    twice = pd.Series(COUNTS, index=[0, 1, 2, 1])
    with pytest.raises(ValueError, match="the index of a column has 1 twice; give each label one"):
        ba.average_popularity(LISTS, twice)


def test_shares_are_matched_by_genre():
    target, shown = pd.Series({"x": 0.2, "y": 0.8}), pd.Series({"y": 0.8, "x": 0.2})
    assert ba.genre_calibration(target, shown) == 0
    assert ba.genre_calibration(target, shown.to_dict()) == 0
    counted = pd.Series([0.2, 0.8])
    assert ba.genre_calibration(counted, counted[::-1]) == 0
    tables = (
        pd.DataFrame([[0.2, 0.8]], columns=list("xy")),
        pd.DataFrame([[0.8, 0.2]], columns=list("yx")),
    )
    with pytest.raises(ValueError, match="column 0 is 'x' in target and 'y' in recommended"):
        ba.genre_calibration(*tables)


def test_the_target_of_groups_may_be_a_column():
    target = pd.Series({"b": 0.3, "a": 0.6, "c": 0.1})
    assert fairness.ndkl(LISTS[0], GROUPS, target=target) == fairness.ndkl(
        LISTS[0], GROUPS, target=target.to_dict()
    )
    with pytest.raises(TypeError, match="target must be a mapping from group to share; got list"):
        fairness.ndkl(LISTS[0], GROUPS, target=[0.3, 0.6, 0.1])


def test_entries_follow_the_columns_of_the_table():
    items = list("dbca")
    affinity = pd.DataFrame(np.linspace(0, 1, 12).reshape(3, 4), columns=list("abcd"))
    named = pd.Series(GROUPS, index=list("abcd"))
    loops = [
        feedback.simulate_feedback_loop(affinity, n_rounds=2, k=1, groups=groups)
        for groups in (GROUPS, named, named[items])
    ]
    assert all(np.array_equal(loops[0].group_exposure, loop.group_exposure) for loop in loops)
    points = pd.DataFrame([[0.4, 0.1]], columns=["a", "b"])
    assert hypervolume(points, reference=pd.Series({"b": 0, "a": 0.2})) == pytest.approx(0.02)


CELLS = {
    "direct_method": off_policy.direct_method,
    "slate_ips": lambda rewards, target: off_policy.slate_ips(
        rewards, np.full((2, 2), 0.5), target
    ),
    "cascade_model": lambda clicks, items: propensity.cascade_model(clicks.round(), items.round()),
}


@pytest.mark.parametrize("name", CELLS)
def test_columns_of_tables_in_another_order_are_an_error(name):
    one = pd.DataFrame(np.array([[0.6, 0.4], [0.6, 0.4]]), columns=["x", "y"])
    CELLS[name](one, one.to_numpy())
    with pytest.raises(ValueError, match=r"column 0 is 'x' in .* and 'y' in"):
        CELLS[name](one, one[["y", "x"]])
    with pytest.raises(ValueError, match=r"row 0 is 0 in .* and 1 in"):
        CELLS[name](one, one[::-1])


def test_tables_may_name_their_columns_in_their_own_ways():
    def table(*columns):
        return pd.DataFrame(np.zeros((1, len(columns))), columns=columns)

    refuse_other_labels(a=table("p1", "p2"), b=table("r1", "r2"), c=table(0, 1))
    refuse_other_labels(a=table(1, 2, 3), b=table(0, 1, 2))
    refuse_other_labels(a=table("id", "p2"), b=table("id", "r2"))
    with pytest.raises(ValueError, match="column 0 is 'x' in a and 'y' in b"):
        refuse_other_labels(a=table("x", "y", "z"), b=table("y", "z", "w"))


def test_labels_of_the_first_and_the_last_column_are_compared_as_well():
    a, b = pd.Series([1.0, 2.0], index=["u", "v"]), pd.Series([1.0, 2.0], index=["v", "u"])
    with pytest.raises(ValueError, match="row 0 is 'u' in actual and 'v' in weights"):
        rating.mae(a, pd.Series([1.0, 2.0]), weights=b)


def test_a_missing_label_equals_itself():
    column = pd.Series([1.0, 2.0], index=[np.nan, 1.0])
    assert rating.mae(column, column.copy()) == 0


def test_scores_and_what_belongs_to_their_rows_have_one_order():
    scores = pd.DataFrame(SCORES, index=["u", "v"])
    held = pd.Series([[1], [0]], index=["v", "u"])
    for function in (
        lambda: candidates.full_ranks(scores, held),
        lambda: rank_from_scores(scores, 2, exclude=held),
    ):
        with pytest.raises(ValueError, match="row 0 is 'u' in scores and 'v' in"):
            function()
    with pytest.raises(ValueError, match="scores is read by position, column 1 for item 1"):
        rank_from_scores(scores[[2, 0, 3, 1]], 2)


def test_groups_and_users_of_lists_follow_their_order():
    lists, relevant = [["A"], ["B"]], [{"A"}, {"C"}]
    column = pd.Series(["x", "y"], index=[1, 0])
    with pytest.raises(ValueError, match="the grouping 'g' is read by position, row 1 for list 1"):
        evaluate(lists, relevant, ["hit_rate@1"], groups={"g": column})
    with pytest.raises(ValueError, match="users is read by position, row 1 for list 1"):
        evaluate(lists, relevant, ["hit_rate@1"], users=column)
    # The rows count, and the users have the same numbers.
    report = evaluate({1: ["A"], 0: ["B"]}, {1: {"A"}, 0: {"C"}}, ["hit_rate@1"])
    counted = pd.Series(["x", "y"])
    with pytest.raises(ValueError, match="are the labels users, or do they count the rows"):
        report.by(counted)
    by_user = report.by(counted.to_dict())["hit_rate@1"].per_group
    assert by_user == {"x": 0, "y": 1}
    assert report.by(column)["hit_rate@1"].per_group == {"x": 1, "y": 0}
    assert report.by(counted.to_numpy())["hit_rate@1"].per_group == {"x": 1, "y": 0}


def test_groups_of_predictions_follow_their_rows():
    actual = pd.Series([1.0, 2.0], index=[1, 0])
    groups = pd.Series(["x", "y"], index=[0, 1])
    predicted = actual * [1, 1.5]
    with pytest.raises(ValueError, match="row 0 is 1 in actual and 0 in groups"):
        evaluate_predictions(actual, predicted, ["mae"], groups={"g": groups})
    report = evaluate_predictions(actual, predicted, ["mae"], groups={"g": groups[::-1]})
    assert report.by("g")["mae"].per_group == {"x": 1, "y": 0}
    with pytest.raises(ValueError, match="groups is read by position, row 1 for prediction 1"):
        report.by(groups[::-1])


def test_a_baseline_by_user_is_matched_by_user():
    lists = pd.Series([["A", "B"], ["C", "D"]], index=["u", "v"])
    baseline, relevant = lists[::-1], {"u": {"A"}, "v": {"C"}}
    as_mappings = ba.serendipity(lists.to_dict(), relevant, baseline.to_dict(), k=2)
    assert ba.serendipity(lists, relevant, baseline, k=2).tolist() == as_mappings.tolist() == [0, 0]
    backwards = pd.Series(relevant)[::-1]
    assert ba.serendipity(lists, backwards, baseline, k=2).tolist() == [0, 0]
    for given in (baseline, baseline.to_dict()):
        report = evaluate(lists, relevant, ["rank_biased_overlap@2"], baseline=given)
        assert report["rank_biased_overlap@2"].value == pytest.approx(1)


@pytest.mark.parametrize("ids", [{"a", "b"}, {"a": 1, "b": 2}])
def test_events_are_rows_in_an_order(ids):
    with pytest.raises(TypeError, match="which has no row for each event"):
        Interactions.from_ids(ids, ["x", "y"])
