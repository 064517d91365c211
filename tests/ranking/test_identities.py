"""What must hold for any lists: agreement with the plain definitions, bounds, invariances."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator
from functools import partial
from typing import Any, Literal, get_args, get_origin

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import recsys_metrics as rm
from recsys_metrics import judge
from recsys_metrics.measures import METRICS as MEASURES
from recsys_metrics.measures import Metric
from tests.examples import examples
from tests.ranking import reference

recommended_lists = st.lists(st.integers(0, 15), max_size=12, unique=True)
truths = st.dictionaries(st.integers(0, 15), st.integers(0, 4), max_size=12)
users = st.lists(st.tuples(recommended_lists, truths), min_size=1, max_size=6)
cuts = st.none() | st.integers(1, 20)

# The values of conventions that are numbers; of another one its default alone is tried.
NUMBERS = {
    "beta": (1.0, 2.0),
    "max_grade": (4,),
    "n_items": (17,),
    "p": (0.7,),
    "recall": (None, 0.0, 0.25, 0.5, 1.0),
}


def words(metric: Metric, convention: str) -> tuple[Any, ...]:
    """Return the values to try of a convention."""
    if convention in NUMBERS:
        return NUMBERS[convention]
    annotation = metric._annotations[convention]
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    return (metric.defaults[convention],)


def with_conventions(function: Any) -> Iterator[partial]:
    """Return a metric of judged lists with every combination of its conventions."""
    metric = Metric(function)
    names = [name for name in metric.conventions if name != "no_relevant"]
    for values in itertools.product(*(words(metric, name) for name in names)):
        conventions = dict(zip(names, values, strict=True))
        # An ideal list of k items of gain 1 exists for binary gains only.
        if conventions.get("ideal") != "full" or conventions["gain"] == "binary":
            yield partial(function, **conventions)


METRICS = [
    metric
    for name in rm.ranking.__all__
    if callable(function := getattr(rm, name))
    and "judged" in inspect.signature(function).parameters
    for metric in with_conventions(function)
]


BOUNDS = {name: metric.bounds for name, metric in MEASURES.items()}
BOUNDS["matthews_correlation"] = (-1.0, 1.0)


def label(metric: partial) -> str:
    return f"{metric.func.__name__}({', '.join(f'{k}={v}' for k, v in metric.keywords.items())})"


def batch(cases):
    return judge([recommended for recommended, _ in cases], [truth for _, truth in cases])


@examples(200)
@given(cases=users, k=cuts)
def test_every_metric_equals_its_plain_definition(cases, k):
    judged = batch(cases)
    for metric in METRICS:
        values = metric(judged, k, no_relevant="zero")
        plain = getattr(reference, metric.func.__name__)
        expected = [
            plain(recommended, truth, k, **metric.keywords) if any(truth.values()) else 0.0
            for recommended, truth in cases
        ]
        assert values == pytest.approx(expected, abs=1e-12), label(metric)


def test_every_value_of_every_option_is_tried():
    tried = {(m.func.__name__, name, value) for m in METRICS for name, value in m.keywords.items()}
    assert {m.func.__name__ for m in METRICS} >= {"ndcg", "recall", "fall_out"}
    assert len({m.func.__name__ for m in METRICS}) >= 17
    for name, word in (("gain", "exponential-from-threshold"), ("ideal", "full")):
        assert ("ndcg", name, word) in tried


@examples(100)
@given(cases=users, k=cuts, shuffle=st.randoms(use_true_random=False))
def test_a_single_list_equals_its_row_in_any_order_of_users(cases, k, shuffle):
    order = list(range(len(cases)))
    shuffle.shuffle(order)
    judged, shuffled = batch(cases), batch([cases[i] for i in order])
    alone = [judge(recommended, truth) for recommended, truth in cases]
    metrics = METRICS
    # Compared in one table: numpy takes longer to compare a column than to compute it.
    values = np.array([metric(judged, k) for metric in metrics])
    rows = "a row for each of " + ", ".join(map(label, metrics))
    # To the last digit: a user's value must not depend on the order of the batch.
    again = np.array([metric(shuffled, k) for metric in metrics])
    np.testing.assert_array_equal(again, values[:, order], rows)
    one_by_one = [[metric(single, k) for single in alone] for metric in metrics]
    assert all(type(value) is float for row in one_by_one for value in row)
    np.testing.assert_allclose(one_by_one, values, rtol=1e-14, err_msg=rows)


@examples(100)
@given(truth=st.dictionaries(st.integers(0, 30), st.integers(1, 5), min_size=1), k=cuts)
def test_a_perfect_list_has_ndcg_one(truth, k):
    best_first = sorted(truth, key=truth.get, reverse=True)
    for gain in ("linear", "binary", "exponential"):
        for discount in ("log2", "log2-from-2", "none"):
            value = rm.ndcg(judge(best_first, truth), k, gain=gain, discount=discount)
            assert value == pytest.approx(1.0)


@examples(100)
@given(
    recommended=st.lists(st.integers(0, 9), min_size=2, unique=True), truth=truths, data=st.data()
)
def test_swapping_items_of_equal_grade_changes_nothing(recommended, truth, data):
    i = data.draw(st.integers(0, len(recommended) - 1))
    j = data.draw(st.integers(0, len(recommended) - 1))
    grade = data.draw(st.integers(0, 3))
    truth = {**truth, recommended[i]: grade, recommended[j]: grade}
    swapped = recommended.copy()
    swapped[i], swapped[j] = swapped[j], swapped[i]
    before, after = judge(recommended, truth), judge(swapped, truth)
    for metric in METRICS:
        np.testing.assert_array_equal(metric(after), metric(before), label(metric))


@examples(100)
@given(cases=users)
def test_recall_and_hit_rate_never_fall_with_k(cases):
    judged = batch(cases)
    for metric in (rm.recall, rm.hit_rate, rm.reciprocal_rank, rm.dcg):
        values = np.array([metric(judged, k, no_relevant="zero") for k in range(1, 15)])
        assert (np.diff(values, axis=0) >= -1e-12).all()


@examples(100)
@given(cases=users, k=cuts)
def test_values_lie_between_zero_and_one(cases, k):
    judged = batch(cases)
    for metric in METRICS:
        values = metric(judged, k, no_relevant="zero")
        low, high = BOUNDS.get(metric.func.__name__, (0.0, 1.0))
        assert (values >= low).all(), label(metric)
        assert (values <= high + 1e-12).all(), label(metric)


@examples(100)
@given(recommended=recommended_lists, truth=truths, k=st.integers(1, 12))
def test_missing_ranks_equal_irrelevant_items(recommended, truth, k):
    padded = recommended + list(range(100, 112))
    for metric in (rm.precision, rm.recall, rm.average_precision, rm.ndcg, rm.reciprocal_rank):
        np.testing.assert_allclose(
            metric(judge(recommended, truth), k), metric(judge(padded, truth), k)
        )
