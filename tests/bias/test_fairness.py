"""Fairness by group: rates, shares, attention, strata."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recsys_metrics import judge, recall
from recsys_metrics.bias.fairness import (
    attention_weighted_rank_fairness,
    by_group,
    demographic_parity,
    equal_opportunity,
    equalized_odds,
    exposure_by_group,
    head_tail,
    ndkl,
    ranking_equal_opportunity,
    ranking_statistical_parity,
    restrict_relevant,
)
from recsys_metrics.bias.feedback import simulate_feedback_loop
from recsys_metrics.protocol.significance import mean_interval
from tests.examples import examples

quick = examples(60)


def counts(*pairs):
    """Return 0/1 rows: the first `hits` of each `n`, in turn."""
    return np.concatenate([np.arange(n) < hits for hits, n in pairs])


def test_shares_of_the_worked_example():
    slots = np.repeat([0, 1], [85, 15]).reshape(20, 5)
    shares = exposure_by_group(slots, ["A", "B"], attention="none", per="share")
    assert shares.per_group == pytest.approx({"A": 0.85, "B": 0.15})
    assert shares.gap == pytest.approx(0.7)
    rates = exposure_by_group(slots, ["A", "B"], attention="none", per="rate")
    assert rates.per_group == pytest.approx({"A": 1.7, "B": 0.3})
    assert rates.count == {"A": 85, "B": 15}
    assert (rates.highest, rates.lowest) == ("A", "B")


def test_parity_of_shares_is_not_parity_of_rates():
    # A owns 80 of 100 items and fills 80 of 100 slots.
    groups = np.repeat(["A", "B"], [80, 20])
    slots = np.concatenate([np.arange(80), np.arange(80, 100)]).reshape(10, 10)
    rates = exposure_by_group(slots, groups, attention="none", per="rate")
    assert rates.per_group == pytest.approx({"A": 1, "B": 1})
    assert (rates.gap, rates.ratio) == pytest.approx((0, 1))
    shares = exposure_by_group(slots, groups, attention="none", per="share")
    assert shares.per_group == pytest.approx({"A": 0.8, "B": 0.2})
    assert shares.gap == pytest.approx(0.6)
    parity = demographic_parity(counts((80, 400), (20, 100)), np.repeat(["A", "B"], [400, 100]))
    assert parity.per_group == {"A": 0.2, "B": 0.2}
    assert (parity.gap, parity.ratio) == (0, 1)


def test_equal_opportunity_of_the_worked_example():
    found = equal_opportunity(np.ones(400), counts((120, 200), (80, 200)), np.repeat([1, 2], 200))
    assert found.per_group == {1: 0.6, 2: 0.4}
    assert found.gap == pytest.approx(0.2)
    assert found.ratio == pytest.approx(2 / 3)
    assert found.gap_interval[0] > 0


def test_a_group_without_positives_is_nan_and_listed_as_undefined():
    found = equal_opportunity([1, 1, 0, 0], [1, 0, 1, 0], ["a", "b", "c", "c"])
    assert found.undefined == ("c",)
    assert math.isnan(found.per_group["c"])
    assert found.count == {"a": 1, "b": 1, "c": 0}
    assert (found.gap, found.ratio) == (1, 0)
    assert "c: not defined, 0 cases" in repr(found)
    assert all(math.isnan(end) for end in found.intervals["c"])
    alone = equal_opportunity([1, 0], [1, 0], ["a", "b"])
    assert math.isnan(alone.gap)
    assert math.isnan(alone.ratio)
    assert alone.highest is None


def test_parity_and_opportunity_can_disagree():
    # Both groups are selected at rate 0.5; one of them where it is liked, the other not.
    selected, groups = [1, 1, 0, 0] * 2, ["a"] * 4 + ["b"] * 4
    labels = [1, 1, 0, 0, 0, 0, 1, 1]
    assert demographic_parity(selected, groups).gap == 0
    assert equal_opportunity(labels, selected, groups).gap == 1


def test_intervals_of_rates():
    found = demographic_parity(counts((56, 70), (48, 80)), np.repeat(["x", "y"], [70, 80]))
    # Newcombe's square-and-add of the two exact intervals: 56/70 against 48/80.
    low, high = (found.intervals[group] for group in "xy")
    below, above = math.hypot(0.8 - low[0], high[1] - 0.6), math.hypot(low[1] - 0.8, 0.6 - high[0])
    assert found.gap_interval == pytest.approx((0.2 - below, 0.2 + above))
    stats = pytest.importorskip("scipy.stats")
    for hits, n, group in ((56, 70, "x"), (48, 80, "y")):
        wanted = stats.binomtest(hits, n).proportion_ci(method="exact")
        assert found.intervals[group] == pytest.approx((wanted.low, wanted.high))
    wanted = stats.contingency.relative_risk(48, 80, 56, 70).confidence_interval()
    assert found.ratio_interval == pytest.approx((wanted.low, wanted.high))


def test_when_nobody_is_selected_the_ratio_is_nan():
    found = demographic_parity([0, 0, 0, 0], ["a", "a", "b", "b"])
    assert found.gap == 0
    assert math.isnan(found.ratio)
    assert all(math.isnan(end) for end in found.ratio_interval)


def test_attention_by_rank():
    # One list A B B: B has two of three slots and less than its share of the attention.
    report = exposure_by_group([[0, 1, 2]], ["A", "B", "B"], per="share")
    weights = 1 / np.log2([2, 3, 4])
    assert report.per_group["A"] == pytest.approx(1 / weights.sum())
    geometric = exposure_by_group(
        [[0, 1, 2]], ["A", "B", "B"], per="share", attention="geometric", patience=0.5
    )
    assert geometric.per_group == pytest.approx({"A": 1 / 1.75, "B": 0.75 / 1.75})
    # A single list has no spread.
    assert math.isnan(report.gap_interval[0])


def test_empty_slots_keep_their_rank():
    with_gap = exposure_by_group([[0, -1, 1]], ["A", "B"], per="share")
    assert with_gap.per_group["A"] == pytest.approx(1 / 1.5)
    ids = exposure_by_group(
        [["p"], ["p", "q"]], {"p": "A", "q": "B"}, attention="none", per="share"
    )
    assert ids.per_group == pytest.approx({"A": 2 / 3, "B": 1 / 3})


def test_exposure_by_merit_of_the_six_items_of_the_chapter():
    # Singh and Joachims: mean exposure over mean merit of a group; the sizes cancel in the ratio.
    merit = np.array([0.82, 0.81, 0.80, 0.79, 0.78, 0.77])
    looks = 1 / np.log2(np.arange(2, 8))
    found = exposure_by_group([range(6)], list("AAABBB"), per="merit", merit=merit)
    a, b = (looks[part].mean() / merit[part].mean() for part in (slice(3), slice(3, 6)))
    assert found.ratio == pytest.approx(b / a)
    owed = merit[:3].sum() / merit.sum()
    assert found.per_group["A"] == pytest.approx(looks[:3].sum() / looks.sum() / owed)
    named = exposure_by_group(
        [list("abcdef")],
        dict(zip("abcdef", "AAABBB", strict=True)),
        per="merit",
        merit=dict(zip("fedcba", merit[::-1], strict=True)),
    )
    assert named.per_group == found.per_group


def test_with_equal_merit_exposure_by_merit_is_exposure_by_size():
    lists, groups = [[0, 2, 3], [3, 1, 2]], ["x", "x", "y", "y"]
    same = exposure_by_group(lists, groups, per="merit", merit=[0.3] * 4)
    by_size = exposure_by_group(lists, groups, per="rate")
    assert same.per_group == pytest.approx(by_size.per_group)
    assert same.gap_interval == pytest.approx(by_size.gap_interval)
    assert same.ratio_interval == pytest.approx(by_size.ratio_interval)
    # What is worth nothing to anybody is owed no attention, so none can be in proportion.
    nothing = exposure_by_group(lists, groups, per="merit", merit=[0, 0, 1, 1])
    assert nothing.undefined == ("x",)


def test_invalid_merit_raises():
    six = [range(2)], ["A", "B"]
    for wrong in ({"per": "merit"}, {"merit": [1, 2]}, {"per": "share", "merit": [1, 2]}):
        with pytest.raises(ValueError, match="per='merit' and merit= go together"):
            exposure_by_group(*six, **wrong)
    for merit, message in (
        ([1, 2, 3], "merit has 3 items and groups 2"),
        ([1, -1], "merit.*-1"),
        ([[1, 2]], "merit"),
    ):
        with pytest.raises(ValueError, match=message):
            exposure_by_group(*six, per="merit", merit=merit)
    with pytest.raises(TypeError, match="a mapping from item to merit where groups is one"):
        exposure_by_group(*six, per="merit", merit={0: 1.0, 1: 2.0})
    with pytest.raises(ValueError, match="item 'q' has a group and no merit"):
        exposure_by_group([["p"]], {"p": "A", "q": "B"}, per="merit", merit={"p": 1})


def test_string_ids_and_item_numbers_agree():
    numbers = np.array([[0, 2, 1], [3, 0, 2]])
    groups = ["x", "y", "x", "z"]
    by_id = dict(zip("abcd", groups, strict=True))
    lists = {"u": ["a", "c", "b"], "v": ["d", "a", "c"]}
    one, two = exposure_by_group(numbers, groups), exposure_by_group(lists, by_id)
    assert one.per_group == two.per_group
    assert one.intervals == two.intervals
    for metric in (attention_weighted_rank_fairness, ndkl):
        np.testing.assert_array_equal(metric(numbers, groups), metric(lists, by_id))
        single = metric(["a", "c", "b"], by_id)
        assert type(single) is float
        assert single == metric(numbers, groups)[0] == metric(numbers[0], groups)
    # Tuples are ids where they have a group.
    pairs = {("a", 1): "x", ("b", 2): "y"}
    assert ndkl([[("a", 1), ("b", 2)]], pairs).shape == (1,)


def test_exposure_intervals_cover():
    rng, inside, truth = np.random.default_rng(2), 0, 0.7
    for _ in range(200):
        lists = (rng.random((80, 4)) > truth).astype(int)
        low, high = exposure_by_group(lists, ["A", "B"], per="share").intervals["A"]
        inside += low <= truth <= high
    assert 180 <= inside <= 199


@quick
@given(st.integers(0, 10**6), st.sampled_from(["log2", "geometric", "none"]))
@example(7047, "geometric")  # two groups with the same rate, but for the last digit of a sum
def test_exposure_shares_sum_to_1_in_any_row_order(seed, attention):
    rng = np.random.default_rng(seed)
    lists = np.argsort(rng.random((15, 12)), axis=1)[:, :5]
    groups = rng.permutation(np.repeat(["a", "b", "c"], [6, 4, 2]))
    shares = exposure_by_group(lists, groups, attention=attention, per="share")
    assert sum(shares.per_group.values()) == pytest.approx(1)
    rates = exposure_by_group(lists, groups, attention=attention)
    for name, size in (("a", 0.5), ("b", 1 / 3), ("c", 1 / 6)):
        assert rates.per_group[name] * size == pytest.approx(shares.per_group[name])
    turned = rng.permutation(15)
    again = exposure_by_group(lists[turned], groups, attention=attention)
    assert again.per_group == pytest.approx(rates.per_group)
    assert again.gap_interval == pytest.approx(rates.gap_interval)
    for metric in (attention_weighted_rank_fairness, ndkl):
        np.testing.assert_array_equal(metric(lists[turned], groups), metric(lists, groups)[turned])
        np.testing.assert_array_equal(metric(lists[3], groups), metric(lists, groups)[3])


@quick
@given(st.integers(0, 10**6), st.sampled_from(["jensen-shannon", "total-variation"]))
def test_rank_fairness_is_bounded_and_best_at_its_target(seed, distance):
    rng = np.random.default_rng(seed)
    lists = np.argsort(rng.random((10, 8)), axis=1)[:, :4]
    groups = np.repeat(["a", "b"], 4)
    values = attention_weighted_rank_fairness(lists, groups, distance=distance)
    assert ((values >= -1e-12) & (values <= 1 + 1e-12)).all()
    shares = exposure_by_group(lists[:1], groups, per="share").per_group
    at_target = attention_weighted_rank_fairness(lists[0], groups, target=shares, distance=distance)
    assert at_target == pytest.approx(1)


def test_rank_fairness_against_scipy():
    spatial = pytest.importorskip("scipy.spatial.distance")
    stats = pytest.importorskip("scipy.stats")
    groups, target = ["a", "b", "c", "c"], {"a": 0.5, "b": 0.3, "c": 0.2}
    weights = 1 / np.log2([2, 3, 4])
    shares = np.array([weights[1], weights[0], weights[2]]) / weights.sum()
    wanted = np.array([0.5, 0.3, 0.2])
    assert attention_weighted_rank_fairness([1, 0, 3], groups, target=target) == pytest.approx(
        1 - spatial.jensenshannon(shares, wanted, base=2) ** 2
    )
    prefixes = np.array([[0, 1, 0], [0.5, 0.5, 0], [1 / 3, 1 / 3, 1 / 3]])
    apart = [stats.entropy(prefix, wanted) for prefix in prefixes]
    assert ndkl([1, 0, 3], groups, target=target) == pytest.approx(
        (weights * apart).sum() / weights.sum()
    )


def test_ndkl_by_hand():
    groups = ["a", "a", "b", "b"]
    # First half of a pair is one group alone: KL = ln 2; the pair is even: 0.
    weights = 1 / np.log2([2, 3])
    assert ndkl([0, 2], groups) == pytest.approx(math.log(2) * weights[0] / weights.sum())
    assert ndkl([0, 1], groups, base=2) == pytest.approx(1)
    assert ndkl([0, -1], groups, base=2) == pytest.approx(1)
    values = ndkl([[-1, -1], [0, 2]], groups)
    assert math.isnan(values[0])
    assert not math.isnan(values[1])
    assert math.isnan(attention_weighted_rank_fairness([[-1, -1], [0, 2]], groups)[0])


def test_by_group_of_means():
    values, groups = [0.5, 0.7, 0.1, 0.3, 0.2, np.nan], ["n", "n", "o", "o", "o", "o"]
    found = by_group(values, groups)
    assert found.per_group == pytest.approx({"n": 0.6, "o": 0.2})
    assert found.count == {"n": 2, "o": 3}
    assert (found.gap, found.ratio) == pytest.approx((0.4, 1 / 3))
    assert found.intervals["o"] == pytest.approx(tuple(mean_interval(values[2:5], bounds=(0, 1))))
    free = by_group(values, groups, bounds=(-math.inf, math.inf))
    stats = pytest.importorskip("scipy.stats")
    halves = [
        stats.t.ppf(0.975, len(part) - 1) * stats.sem(part) for part in (values[:2], values[2:5])
    ]
    assert free.intervals["o"] == pytest.approx((0.2 - halves[1], 0.2 + halves[1]))
    # Square-and-add of intervals that are symmetric.
    assert free.gap_interval == pytest.approx(
        (0.4 - math.hypot(*halves), 0.4 + math.hypot(*halves))
    )
    with pytest.raises(
        ValueError, match=r"values\[1\] is 7, outside bounds=\(0, 1\); give the least"
    ):
        by_group([0, 7], ["x", "y"])


def test_by_group_without_values_or_spread():
    found = by_group([np.nan, 1, 1, 1], ["x", "y", "z", "z"])
    assert found.undefined == ("x",)
    assert found.gap == 0
    assert {found.highest, found.lowest} == {"y", "z"}
    assert math.isnan(found.intervals["y"][0])
    flat = by_group([1, 1, 2, 2], ["x", "x", "y", "y"], bounds=(0, math.inf))
    # No spread was seen, which is no certainty.
    assert all(math.isnan(end) for end in (*flat.gap_interval, *flat.intervals["x"]))
    known = by_group([0, 0, 1, 1], ["x", "x", "y", "y"], bounds=(0, 1))
    assert known.intervals["x"] == pytest.approx((0, 1 - 0.025**0.5))
    assert -1 <= known.gap_interval[0] < 0 < known.gap_interval[1] <= 1
    absent = by_group([np.nan, 1, 0], ["x", "y", "y"], bounds=(0, 1))
    assert absent.undefined == ("x",)
    assert all(math.isnan(end) for end in absent.intervals["x"])
    below = by_group([-1, -2, 3, 4], ["x", "x", "y", "y"], bounds=(-5, 5))
    assert math.isnan(below.ratio)


def test_by_group_of_any_function():
    rng = np.random.default_rng(0)
    error, groups = rng.normal(0, np.repeat([1, 3], 200)), np.repeat(["calm", "wild"], 200)

    def rmse(rows):
        return float(np.sqrt(np.mean(error[rows] ** 2)))

    found = by_group(rmse, groups, n_resamples=300, seed=1)
    assert found.name == "rmse"
    assert found.per_group["wild"] == rmse(np.arange(200, 400))
    assert found.intervals["calm"][0] < 1 < found.intervals["calm"][1]
    assert found.gap_interval[0] < 2 < found.gap_interval[1]
    assert found.ratio_interval[0] < found.ratio < found.ratio_interval[1]
    again = by_group(rmse, groups, n_resamples=300, seed=1)
    assert again.gap_interval == found.gap_interval
    with pytest.raises(ValueError, match="group 'b' has 1 case, which cannot be resampled"):
        by_group(rmse, ["a", "a", "b"])


def test_head_and_tail():
    popular = [50, 3, 2, 40, 5]
    assert head_tail(popular, head=0.4).tolist() == ["head", "tail", "tail", "head", "tail"]
    assert head_tail(popular, head=0.5, by="interactions").tolist() == ["head"] + ["tail"] * 4
    # Equally popular items stay together, and the head never exceeds its share.
    assert head_tail([9, 5, 5, 1, 1], head=0.4).tolist() == ["head"] + ["tail"] * 4
    assert head_tail([9, 5, 5, 1, 1], head=0.6).tolist() == ["head"] * 3 + ["tail"] * 2
    assert (head_tail(np.arange(35), head=0.2) == "head").sum() == 7
    with pytest.raises(ValueError, match="the 4 most popular items, with 2 interactions each"):
        head_tail([2, 2, 2, 2], head=0.5)


@quick
@given(
    st.lists(st.integers(0, 6), min_size=2, max_size=40).filter(lambda c: max(c) > 0),
    st.floats(0.05, 0.95),
    st.sampled_from(["items", "interactions"]),
)
def test_the_head_holds_the_most_popular_items_up_to_its_share(popular, head, by):
    popular = np.array(popular)
    try:
        strata = head_tail(popular, head=head, by=by)
    except ValueError:
        return
    in_head = strata == "head"
    weight = np.ones(len(popular)) if by == "items" else popular
    assert weight[in_head].sum() <= head * weight.sum() + 1e-9
    if not in_head.all():
        assert popular[in_head].min() > popular[~in_head].max()


def test_a_metric_restricted_to_head_and_tail():
    # The whole of the recall comes from the head; the average hides the tail.
    lists, relevant = [["A", "B"], ["A", "C"]], [{"A", "Z"}, {"A": 2, "Y": 1, "B": 0}]
    strata = {"A": "head", "B": "head", "C": "tail", "Y": "tail", "Z": "tail"}
    parts = {
        name: recall(judge(lists, restrict_relevant(relevant, strata, name)), k=2).mean()
        for name in ("head", "tail")
    }
    assert recall(judge(lists, relevant), k=2).mean() == 0.5
    assert parts == {"head": 1, "tail": 0}
    by_user = restrict_relevant({"u": [0, 2]}, ["head", "head", "tail"], "tail")
    assert by_user == {"u": {2}}
    with pytest.raises(ValueError, match="no item belongs to stratum 'torso'; there are 'head'"):
        restrict_relevant(relevant, strata, "torso")
    with pytest.raises(ValueError, match="item 'Q', relevant to user 0, belongs to no stratum"):
        restrict_relevant([{"Q"}], strata, "tail")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: demographic_parity([1, 2], ["a", "b"]), r"selected\[1\] is 2; it must be 0 or 1"),
        (lambda: demographic_parity([1, 0], ["a"]), "one group for each of 2 candidates"),
        (lambda: demographic_parity([], []), "selected is empty"),
        (
            lambda: demographic_parity([1, 0], [1.0, np.nan]),
            r"groups\[1\] is nan, which is no group",
        ),
        (lambda: demographic_parity([1, 0], ["a", "b"], level=95), "level is a confidence"),
        (lambda: equal_opportunity([1], [1, 0], ["a", "b"]), "labels 1, selected 2"),
        (lambda: equal_opportunity([1, 0], [1, np.nan], ["a", "b"]), r"selected\[1\] is nan"),
        (lambda: exposure_by_group([[0, 5]], ["a", "b"]), r"recommended\[0, 1\] is 5"),
        (lambda: exposure_by_group([[-1, -1]], ["a", "b"]), "every slot is empty"),
        (lambda: exposure_by_group([[0]], []), "name the group of every item"),
        (lambda: exposure_by_group([["q"]], {"p": "a"}), "item 'q' at rank 1, which has no group"),
        (lambda: exposure_by_group([], {"p": "a"}), "there must be a list with an item"),
        (lambda: exposure_by_group([[0]], ["a"], attention="linear"), "attention must be one of"),
        (lambda: exposure_by_group([[0]], ["a"], per="item"), "per must be one of"),
        (lambda: exposure_by_group([[0]], ["a"], patience=1), "patience is the probability"),
        (lambda: ndkl([[0]], ["a"], base=1), "base of the logarithm must be above 1"),
        (lambda: ndkl([[0]], ["a", "b"], target={"a": 0, "b": 1}), "whose target is 0"),
        (lambda: ndkl([[0]], ["a", "b"], target={"a": 1}), "gives no share to group 'b'"),
        (lambda: ndkl([[0]], ["a"], target={"a": 1, "c": 0}), "names group 'c', which no item"),
        (lambda: ndkl([[0]], ["a", "b"], target={"a": 1, "b": 1}), "sum to 1"),
        (lambda: by_group([1, np.inf], ["a", "b"]), r"values\[1\] is inf"),
        (lambda: by_group([], []), "values is empty"),
        (lambda: by_group([1, 0], ["a"]), "one group for each of 2 values"),
        (lambda: head_tail([1, -1]), r"counts\[1\] is -1"),
        (lambda: head_tail([1, 2], head=1), "head is a share between 0 and 1"),
        (lambda: head_tail([1, 2], by="users"), "by must be one of"),
    ],
)
def test_invalid_arguments_raise(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("other", ["new ", "New", "n\u200bew", "ne w"])
@pytest.mark.parametrize(
    "call",
    [
        lambda labels: by_group([0.5, 0.7], labels),
        lambda labels: by_group(len, labels * 2),
        lambda labels: by_group(pd.Series([0.5, 0.7]), pd.Series(labels, dtype="category")),
        lambda labels: demographic_parity([1, 0], np.array(labels)),
        lambda labels: equal_opportunity([1, 1], [1, 0], labels),
        lambda labels: equalized_odds([1, 0], [1, 0], labels),
        lambda labels: exposure_by_group([[0, 1]], labels),
        lambda labels: ndkl([["p", "q"]], dict(zip("pq", labels, strict=True))),
        lambda labels: attention_weighted_rank_fairness([[0, 1]], labels),
        lambda labels: ranking_statistical_parity([[0, 1]], labels),
        lambda labels: ranking_equal_opportunity([[0, 1]], [{0}], labels),
        lambda labels: restrict_relevant([{0, 1}], labels, "new"),
        lambda labels: simulate_feedback_loop(np.ones((2, 2)), k=1, groups=labels),
    ],
)
def test_groups_that_look_alike_raise(call, other):
    with pytest.raises(ValueError, match=r"labels '.+' and '.+', which differ only in blanks"):
        call(["new", other])


def test_invalid_types_raise():
    with pytest.raises(TypeError, match="recommended is an array of floats; ids are whole numbers"):
        exposure_by_group([[0.5]], ["a"])
    with pytest.raises(TypeError, match="groups must be of one kind"):
        exposure_by_group([["p"]], {"p": "a", "q": 1})


@pytest.mark.parametrize("per", ["share", "rate"])
def test_exposure_intervals_stay_within_their_bounds(per):
    lists = np.array([[0, 2], [0, 2], [0, 1]])
    report = exposure_by_group(lists, ["a", "b", "a"], per=per, attention="none")
    everything = {"a": 1.0, "b": 1.0} if per == "share" else {"a": 1.5, "b": 3.0}
    for group, (low, high) in report.intervals.items():
        assert 0 <= low <= report.per_group[group] <= high <= everything[group]
    low, high = report.gap_interval
    assert -everything[report.lowest] <= low <= report.gap <= high <= everything[report.highest]
    # Wide enough to have been cut.
    assert report.intervals["a"][1] == everything["a"]
