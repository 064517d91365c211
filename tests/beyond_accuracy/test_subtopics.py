"""Relevance and variety: values of TREC's ndeval, plain definitions, identities."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys_metrics import average_precision, expected_reciprocal_rank, judge, ndcg, precision
from recsys_metrics.beyond_accuracy import (
    alpha_ndcg,
    intent_aware_average_precision,
    intent_aware_expected_reciprocal_rank,
    intent_aware_precision,
    subtopic_recall,
)
from tests.examples import examples

# Shown, wanted, the kinds of each item, and what pyndeval 0.0.8 (TREC's ndeval) gave for
# alpha-nDCG@5, ERR-IA@5, nERR-IA@5, P-IA@5, MAP-IA and strec@5 with alpha 0.5.
NDEVAL = [
    (
        "JKDFBINEAG",
        "BCEIK",
        "A:bd B:ace C:c D:abe E:d F:ab G:e I:e J:e K:ade N:ab",
        (0.5527661853262108, 0.3449319213313162, 0.4376199616122841, 0.3, 0.34791666666666665, 1.0),
    ),
    (
        "KJNHE",
        "ABEHLMN",
        "A:d B:bde E:b H:cd J:bc K:d L:ae M:bce N:cde",
        (
            0.41646251412863755,
            0.21059001512859302,
            0.30221450282240553,
            0.24,
            0.1272222222222222,
            0.8,
        ),
    ),
    (
        "FJMNCIADK",
        "ACEGJLM",
        "A:acd C:ade D:c E:b F:de G:b I:d J:bcd K:abd L:b M:b N:abe",
        (0.563966141420829, 0.3146747352496218, 0.4475043029259897, 0.28, 0.30238095238095236, 1.0),
    ),
    (
        "LEHCIA",
        "BL",
        "A:bde B:ad C:ade E:ab H:abe I:ade L:ae",
        (
            0.6787956981029196,
            0.4841149773071105,
            0.7272727272727273,
            0.13333333333333333,
            0.5,
            0.6666666666666666,
        ),
    ),
    (
        "FBDMLH",
        "HLM",
        "B:ab D:ce F:e H:e L:a M:cd",
        (
            0.3986694118440367,
            0.12708018154311648,
            0.24705882352941175,
            0.15,
            0.21666666666666667,
            0.75,
        ),
    ),
]
EVERY = [
    alpha_ndcg,
    intent_aware_average_precision,
    intent_aware_precision,
    intent_aware_expected_reciprocal_rank,
    subtopic_recall,
]


@pytest.mark.parametrize(("shown", "wanted", "kinds", "values"), NDEVAL)
def test_values_equal_those_of_ndeval(shown, wanted, kinds, values):
    features = {part[0]: set(part[2:]) for part in kinds.split()}
    case = list(shown), set(wanted), features
    found = (
        alpha_ndcg(*case, k=5),
        intent_aware_expected_reciprocal_rank(*case, k=5),
        intent_aware_expected_reciprocal_rank(*case, k=5, scale="ideal"),
        intent_aware_precision(*case, k=5),
        intent_aware_average_precision(*case),
        subtopic_recall(*case, k=5),
    )
    assert found == pytest.approx(values, abs=1e-12)


def test_values_computed_by_hand():
    kinds = {"A": {"war"}, "B": {"war"}, "C": {"love"}}
    case = ["A", "B", "C"], {"A", "B", "C"}, kinds
    # The second war counts half; the ideal puts love in its place.
    got, best = 1 + 0.5 / math.log2(3) + 0.5, 1 + 1 / math.log2(3) + 0.25
    assert alpha_ndcg(*case) == pytest.approx(got / best)
    raw = (0.5 + 0.25 / 2 + 0.5 / 3) / 2
    assert intent_aware_expected_reciprocal_rank(*case, scale="none") == pytest.approx(raw)
    assert intent_aware_precision(*case) == 0.5
    assert intent_aware_average_precision(*case) == pytest.approx((1 + 1 / 3) / 2)
    assert [subtopic_recall(*case, k=k) for k in (1, 2, 3)] == [0.5, 0.5, 1.0]


items = st.lists(st.integers(0, 11), max_size=8, unique=True)
wants = st.sets(st.integers(0, 11), min_size=1)
tables = st.lists(st.sets(st.integers(0, 3), min_size=1), min_size=12, max_size=12)
cuts = st.none() | st.integers(1, 10)


@examples(100)
@given(st.lists(st.tuples(items, wants), min_size=1, max_size=5), tables, cuts)
def test_a_single_list_equals_its_row_in_a_batch(cases, kinds, k):
    features = dict(enumerate(kinds))
    shown, wanted = [case[0] for case in cases], [case[1] for case in cases]
    for metric in EVERY:
        together = metric(shown, wanted, features, k=k)
        alone = [metric([row], [want], features, k=k)[0] for row, want in cases]
        np.testing.assert_allclose(together, alone, atol=1e-12)
        assert ((together >= 0) & (together <= 1.2)).all()


@examples(100)
@given(items, wants, cuts)
def test_with_one_subtopic_for_all_items_it_is_the_plain_metric(shown, wanted, k):
    one = [[shown], [wanted], dict.fromkeys(range(12), frozenset({"all"}))]
    judged = judge([shown], [wanted])
    np.testing.assert_allclose(alpha_ndcg(*one, k=k, alpha=0.0), ndcg(judged, k))
    np.testing.assert_allclose(
        intent_aware_expected_reciprocal_rank(*one, k=k, scale="none"),
        expected_reciprocal_rank(judged, k, max_grade=1),
    )
    np.testing.assert_allclose(
        intent_aware_average_precision(*one, k=k), average_precision(judged, k)
    )
    np.testing.assert_allclose(intent_aware_precision(*one, k=k), precision(judged, k))


def test_input_forms_agree_and_no_relevant_item_is_nan():
    table = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    by_number = alpha_ndcg(np.array([[0, 1], [2, -1]]), [{0, 2}, set()], table)
    kinds = {"a": {0}, "b": {0}, "c": {1}}
    by_name = alpha_ndcg({"u": ["a", "b"], "v": ["c"]}, {"u": {"a": 2, "c": 1}, "v": {}}, kinds)
    np.testing.assert_array_equal(by_number, by_name)
    assert math.isnan(by_number[1])
    assert alpha_ndcg([], {"a"}, kinds) == 0.0


@pytest.mark.parametrize("metric", EVERY)
def test_items_that_are_not_relevant_need_no_kind(metric):
    kinds = {"A": ["war"], "B": ["war", "love"], "C": ["love"]}
    shown, wanted = ["X", "A", "Y", "B", "D"], {"A", "B", "C"}
    found = metric(shown, wanted, kinds)
    for unjudged in ([], (), set(), ["none"], {"war"}):
        described = kinds | {"X": unjudged, "Y": ["sea"], "D": unjudged}
        assert metric(shown, wanted, described) == found
    table = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0]])
    # Item 9 has no row at all.
    assert metric([3, 0, 9, 1, 8], {0, 1, 2}, table) == pytest.approx(found)


@pytest.mark.parametrize("lacking", [set(), [], ()])
def test_a_relevant_item_without_a_kind_raises(lacking):
    message = "item 'B' is relevant and has no category; give it one, or remove it from the"
    with pytest.raises(ValueError, match=message):
        alpha_ndcg(["A"], {"A", "B"}, {"A": ["war"], "B": lacking})
    with pytest.raises(ValueError, match="item 1 is relevant and has no category"):
        alpha_ndcg([0], {0, 1}, np.array([[1.0], [0.0]]))


def test_invalid_input_raises():
    kinds = {"A": {"war"}}
    with pytest.raises(ValueError, match="alpha is the share of its gain"):
        alpha_ndcg(["A"], {"A"}, kinds, alpha=1)
    with pytest.raises(ValueError, match="an item satisfies and must be between 0 and 1"):
        intent_aware_expected_reciprocal_rank(["A"], {"A"}, kinds, alpha=0)
    with pytest.raises(ValueError, match="item 'B' is not in features"):
        alpha_ndcg(["A"], {"A", "B"}, kinds)
    with pytest.raises(ValueError, match="scale must be one of"):
        intent_aware_expected_reciprocal_rank(["A"], {"A"}, kinds, scale="best")


def greedy(shown, wanted, kinds, k, alpha):
    """Return alpha-NDCG from its definition, with the ideal of ndeval: of ties the last id."""

    def worth(items):
        total, seen = 0.0, dict.fromkeys("wxyz", 0)
        for rank, item in enumerate(items[:k], start=1):
            for kind in kinds[item] if item in wanted else ():
                total += (1 - alpha) ** seen[kind] / math.log2(rank + 1)
                seen[kind] += 1
        return total

    left, ideal, seen = sorted(wanted, reverse=True), [], dict.fromkeys("wxyz", 0)
    while left:
        best = max(left, key=lambda item: sum((1 - alpha) ** seen[kind] for kind in kinds[item]))
        left.remove(best)
        ideal.append(best)
        for kind in kinds[best]:
            seen[kind] += 1
    return worth(shown) / worth(ideal)


def test_among_equal_gains_the_ideal_takes_the_last_id():
    # B, C and E all add 2. After E (w, y) comes C (x, z), then B adds 1, D and A a half each. Had B
    # come first, no later item could have added 2.
    kinds = {"A": {"z"}, "B": {"w", "z"}, "C": {"x", "z"}, "D": {"w"}, "E": {"w", "y"}}
    shown = ["D", "A", "B", "E", "C"]
    gains = [1, 1, 1, 1.25, 1.25]
    ideal = [2, 2, 1, 0.25, 0.25]
    value = alpha_ndcg(shown, set(kinds), kinds)
    discount = [1 / math.log2(rank + 1) for rank in range(1, 6)]
    assert value == pytest.approx(np.dot(gains, discount) / np.dot(ideal, discount), abs=1e-12)


@given(st.data())
def test_the_ideal_is_that_of_a_plain_greedy_search(data):
    kinds = {item: data.draw(st.sets(st.sampled_from("wxyz"), min_size=1)) for item in "ABCDEFG"}
    shown = data.draw(st.permutations("ABCDEFG"))
    wanted = data.draw(st.sets(st.sampled_from("ABCDEFG"), min_size=1))
    k = data.draw(st.integers(1, 7))
    assert alpha_ndcg(shown, wanted, kinds, k=k) == pytest.approx(
        greedy(shown, wanted, kinds, k, 0.5), abs=1e-12
    )


@pytest.mark.parametrize("k", [1, 5, 65_536, 65_537, 300_000])
@pytest.mark.parametrize("alpha", [0.5, 1e-5, 1e-18])
def test_the_most_that_err_ia_divides_by_is_the_sum_over_k_ranks(k, alpha):
    keeps, ranks = 1.0 - alpha, np.arange(1.0, k + 1)
    most = math.fsum(keeps ** (ranks - 1) / ranks)
    found = intent_aware_expected_reciprocal_rank(["A"], {"A"}, {"A": ["war"]}, k=k, alpha=alpha)
    # The one hit, at rank 1, counts alpha / alpha.
    assert found == pytest.approx(1 / most, rel=1e-12)
