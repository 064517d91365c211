"""The numbers of the running list, worked out by hand, and the golden cases of other libraries."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import recsys_metrics as rm
from recsys_metrics import judge


@pytest.fixture
def judged():
    return judge(["A", "B", "C", "D", "E"], {"B", "C", "E", "G"})


@pytest.mark.parametrize(
    ("metric", "conventions", "value"),
    [
        (rm.hit_rate, {}, 1),
        (rm.precision, {}, Fraction(3, 5)),
        (rm.recall, {}, Fraction(3, 4)),
        (rm.f_beta, {}, Fraction(2, 3)),
        (rm.f_beta, {"beta": 2}, 5 * 0.6 * 0.75 / (4 * 0.6 + 0.75)),
        (rm.reciprocal_rank, {}, Fraction(1, 2)),
        (rm.reciprocal_hit_rate, {}, Fraction(1, 2) + Fraction(1, 3) + Fraction(1, 5)),
        (rm.reciprocal_hit_rate, {"reduce": "mean"}, Fraction(31, 90)),
        (rm.average_precision, {}, Fraction(53, 120)),
        (rm.average_precision, {"denominator": "hits"}, Fraction(53, 90)),
        (rm.average_precision, {"denominator": "k"}, Fraction(53, 150)),
        (rm.average_precision, {"denominator": "achievable"}, Fraction(53, 120)),
        (
            rm.average_precision,
            {"denominator": "prefixes"},
            (Fraction(1, 2) + Fraction(2, 3) + Fraction(2, 4) + Fraction(3, 5)) / 5,
        ),
        (rm.average_recall, {}, Fraction(1, 2)),
        (rm.average_recall, {"denominator": "relevant"}, Fraction(3, 8)),
        (rm.average_recall, {"denominator": "prefixes"}, Fraction(1 + 2 + 2 + 3, 20)),
        (rm.r_precision, {}, Fraction(1, 2)),
        (rm.dcg, {}, 1 / math.log2(3) + 1 / 2 + 1 / math.log2(6)),
        (
            rm.ndcg,
            {},
            (1 / math.log2(3) + 1 / 2 + 1 / math.log2(6))
            / (1 + 1 / math.log2(3) + 1 / 2 + 1 / math.log2(5)),
        ),
        (
            rm.ndcg,
            {"ideal": "list"},
            (1 / math.log2(3) + 1 / 2 + 1 / math.log2(6)) / (1 + 1 / math.log2(3) + 1 / 2),
        ),
        (rm.dcg, {"discount": "none"}, 3),
        (rm.dcg, {"discount": "log2-from-2"}, 1 + 1 / math.log2(3) + 1 / math.log2(5)),
        (rm.rank_biased_precision, {"p": 0.5}, 0.5 * (1 / 2 + 1 / 4 + 1 / 16)),
        (
            rm.expected_reciprocal_rank,
            {"max_grade": 1},
            Fraction(1, 4) + Fraction(1, 4) / 3 + Fraction(1, 8) / 5,
        ),
    ],
)
def test_metrics_at_5(judged, metric, conventions, value):
    assert metric(judged, k=5, **conventions) == pytest.approx(float(value), abs=1e-15)


def test_one_list_gives_floats_and_flat_properties(judged):
    assert judged.gains.tolist() == [0, 1, 1, 0, 1]
    assert judged.ideal.tolist() == [1, 1, 1, 1]
    assert (judged.n_returned, judged.n_relevant, judged.n_nonrelevant) == (5, 4, 0)
    assert type(rm.precision(judged, k=5)) is float


def test_graded_example_with_its_own_ideal():
    judged = judge(["a", "b", "c", "d", "e"], {"a": 3, "c": 1, "e": 2})
    assert rm.ndcg(judged, k=5, ideal="list") == pytest.approx(0.8974867083034288, abs=1e-15)
    assert rm.ndcg(judged, k=5, ideal="list", gain="exponential") == pytest.approx(
        0.9220433016555235, abs=1e-15
    )
    from_grades = rm.Judged.from_gains([3, 0, 1, 0, 2])
    assert rm.ndcg(from_grades, k=5) == rm.ndcg(judged, k=5, ideal="list")


def test_a_k_beyond_the_list_counts_the_missing_ranks_as_misses(judged):
    assert rm.precision(judged, k=10) == pytest.approx(0.3)
    assert rm.precision(judged, k=10, denominator="recommended") == pytest.approx(0.6)
    assert rm.recall(judged, k=10) == rm.recall(judged, k=5)
    # The ideal still holds only four relevant items, so NDCG does not change.
    assert rm.ndcg(judged, k=10) == rm.ndcg(judged, k=5)


def test_without_k_the_whole_list_counts_and_the_ideal_is_not_cut():
    judged = judge([["A"], ["A", "B", "C"]], [{"A", "B"}, {"C"}])
    assert rm.precision(judged).tolist() == pytest.approx([1, 1 / 3])
    one_of_two = 1 / (1 + 1 / math.log2(3))
    assert rm.ndcg(judged).tolist() == pytest.approx([one_of_two, 0.5])


# Toy users whose values 27 libraries were run on: what each convention must give at 3.
A = ([1, 2, 3, 4, 6], {2: 1, 3: 1, 5: 1, 7: 1})
GRADED_A = ([1, 2, 3, 4, 6], {1: 2, 3: 3, 5: 1, 7: 1})
B = ([1, 2, 3], {2: 1})
C = ([1], {1: 1, 2: 1})


@pytest.mark.parametrize(
    ("metric", "conventions", "values"),
    [
        (rm.average_precision, {}, [0.4167, 0.5, 0.5]),
        (rm.average_precision, {"denominator": "achievable"}, [0.5556, 0.5, 0.5]),
        (rm.average_precision, {"denominator": "k"}, [0.5556, 0.1667, 0.3333]),
        (rm.average_precision, {"denominator": "hits"}, [0.8333, 0.5, 1.0]),
        (rm.average_precision, {"denominator": "prefixes"}, [0.7222, 0.2778, 0.6111]),
        (rm.average_recall, {"denominator": "prefixes"}, [0.3333, 0.6667, 0.5]),
        (rm.ndcg, {"gain": "binary"}, [0.7039, 0.6309, 0.6131]),
        (rm.ndcg, {"gain": "binary", "ideal": "full"}, [0.7039, 0.2961, 0.4693]),
        (rm.ndcg, {"gain": "binary", "ideal": "uncut"}, [0.5856, 0.6309, 0.6131]),
        (rm.ndcg, {"gain": "binary", "ideal": "list"}, [0.9197, 0.6309, 1.0]),
        (rm.precision, {}, [0.6667, 0.3333, 0.3333]),
        (rm.precision, {"denominator": "recommended"}, [0.6667, 0.3333, 1.0]),
        (rm.precision, {"denominator": "achievable"}, [0.6667, 1.0, 0.5]),
        (rm.recall, {}, [0.5, 1.0, 0.5]),
        (rm.recall, {"denominator": "achievable"}, [0.6667, 1.0, 0.5]),
        (rm.rank_biased_precision, {"p": 0.8}, [0.328, 0.16, 0.2]),
    ],
)
def test_values_equal_those_of_other_libraries(metric, conventions, values):
    users = [(GRADED_A[0], GRADED_A[1]), B, C]
    judged = judge([recommended for recommended, _ in users], [truth for _, truth in users])
    assert metric(judged, k=3, **conventions).round(4).tolist() == values


@pytest.mark.parametrize(
    ("metric", "conventions", "value"),
    [
        (rm.ndcg, {}, 0.7350),
        (rm.ndcg, {"gain": "exponential"}, 0.6920),
        (rm.ndcg, {"ideal": "list"}, 0.8212),
        (rm.ndcg, {"discount": "log2-from-2"}, 0.6913),
        (rm.expected_reciprocal_rank, {"max_grade": 4}, 0.3060),
    ],
)
def test_graded_values_equal_those_of_other_libraries(metric, conventions, value):
    assert round(metric(judge(*GRADED_A), k=3, **conventions), 4) == value


def test_recall_with_one_relevant_item_is_the_hit_rate():
    truth = {0: {7}, 1: {3}, 2: {9}}
    lists = {0: [7, 1, 5], 1: [4, 8, 3], 2: [2, 6, 0]}
    judged = judge(lists, truth)
    assert rm.recall(judged, k=3).tolist() == rm.hit_rate(judged, k=3).tolist()
    assert rm.recall(judged, k=3).mean() == pytest.approx(2 / 3)
    assert rm.ndcg(judged, k=3).mean() == pytest.approx(0.5)
    assert rm.average_precision(judged, k=3).mean() == pytest.approx(4 / 9)


def test_finding_one_more_item_can_lower_ap_over_hits():
    early = rm.Judged.from_gains([1, 0, 0, 0, 0], [1, 1, 1, 1])
    more = rm.Judged.from_gains([1, 0, 0, 0, 1], [1, 1, 1, 1])
    assert rm.average_precision(more, denominator="hits") < rm.average_precision(
        early, denominator="hits"
    )
    assert rm.average_precision(more) > rm.average_precision(early)


def test_average_recall_ignores_the_order():
    top = rm.Judged.from_gains([1, 1, 0, 0, 0], [1] * 4)
    bottom = rm.Judged.from_gains([0, 0, 0, 1, 1], [1] * 4)
    for denominator in ("hits", "relevant"):
        assert rm.average_recall(top, denominator=denominator) == rm.average_recall(
            bottom, denominator=denominator
        )
    assert rm.average_recall(top, denominator="prefixes") > rm.average_recall(
        bottom, denominator="prefixes"
    )


def test_macro_and_micro_averaged_recall_differ():
    judged = judge([["a"], ["b"]], [{"a"}, {"b", "c", "d", "e"}])
    assert rm.recall(judged, k=1).mean() == 0.625
    assert (rm.precision(judged, k=1).sum() / judged.n_relevant.sum()) == pytest.approx(0.4)


def test_an_ideal_from_the_retrieved_list_ignores_missed_items():
    flat = rm.Judged.from_gains([1] * 6, [5] * 5 + [1] * 6)
    assert rm.ndcg(flat, ideal="list") == 1.0
    assert rm.ndcg(flat, k=6) < 0.3


def test_a_user_without_relevant_items_follows_the_option(judged):
    nobody = judge([["A"], ["A"]], [set(), {"A"}])
    for metric in (rm.hit_rate, rm.precision, rm.recall, rm.ndcg, rm.dcg, rm.bpref):
        assert np.isnan(metric(nobody)[0]), metric
        assert metric(nobody, no_relevant="zero").tolist() == [0.0, 1.0]
        assert metric(nobody, no_relevant="one").tolist() == [1.0, 1.0]
        with pytest.raises(ValueError, match="list 0 has no relevant item"):
            metric(nobody, no_relevant="raise")
    with pytest.raises(ValueError, match="no_relevant must be one of 'nan', 'zero'"):
        rm.recall(judged, no_relevant="drop")
