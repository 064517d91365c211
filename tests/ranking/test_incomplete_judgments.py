"""Average precision from a sample of the pool: by hand, as an estimate, and as trec_eval's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import recsys_metrics as rm
from recsys_metrics import inferred_average_precision
from tests.examples import examples

ITEMS = st.sampled_from("ABCDEFGHIJ")
LISTS = st.lists(ITEMS, max_size=8, unique=True)


def test_inferred_average_precision_computed_by_hand():
    # B at rank 2: 1/2 + 1/2 of the pool share 1/1 times one half, since nothing is judged above.
    # C at rank 3: 1/3 + 2/3 of the pool share 2/2 times 1, since of A and B one was judged: B.
    judged = {"B": 1, "C": 1, "E": 0}
    found = inferred_average_precision(["A", "B", "C", "D", "E"], judged, {"A", "D", "F"})
    assert found == pytest.approx((1 / 2 + 1 / 4 + 1 / 3 + 2 / 3) / 2, abs=1e-4)
    # Outside the pool is not relevant.
    found = inferred_average_precision(["A", "B", "C", "D", "E"], judged, {"D", "F"})
    assert found == pytest.approx((1 / 2 + 1 / 3 + 1 / 3) / 2, abs=1e-4)


@examples(50)
@given(LISTS, st.dictionaries(ITEMS, st.integers(0, 2), min_size=1))
def test_with_complete_judgments_it_is_average_precision(recommended, grades):
    plain = rm.average_precision(rm.judge(recommended, grades))
    assert inferred_average_precision(recommended, grades, ()) == pytest.approx(
        plain, abs=1e-4, nan_ok=True
    )


def test_over_random_samples_it_approximates_average_precision():
    rng = np.random.default_rng(5)
    recommended, n = [*range(100)], 400
    truth = {item: int(rng.random() < 0.6 - item / 250) for item in recommended}
    whole = rm.average_precision(rm.judge(recommended, truth))
    drawn = [set(rng.permutation(100)[:40].tolist()) for _ in range(n)]
    estimates = inferred_average_precision(
        [recommended] * n,
        [{item: truth[item] for item in known} for known in drawn],
        [set(recommended) - known for known in drawn],
    )
    error = estimates.std(ddof=1) / math.sqrt(n)
    assert abs(estimates.mean() - whole) < 3 * error + 0.005
    # The sample alone, the rest as not relevant, is nowhere near.
    naive = rm.average_precision(
        rm.judge([recommended] * n, [{i for i in known if truth[i]} for known in drawn])
    )
    assert naive.mean() < whole - 0.2


@examples(60)
@given(LISTS, st.dictionaries(ITEMS, st.integers(0, 2), min_size=1), st.sets(ITEMS))
def test_inferred_average_precision_equals_trec_eval(recommended, grades, rest):
    pytrec_eval = pytest.importorskip("pytrec_eval", reason="pytrec_eval is not installed")
    rest -= set(grades)
    qrels = {"u": {**grades, **dict.fromkeys(rest, -1)}}
    run = {"u": {item: float(-rank) for rank, item in enumerate(recommended)}}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"infAP"}).evaluate(run)
    ours = inferred_average_precision(recommended, grades, rest, no_relevant="zero")
    # It says nothing of a user without a list.
    assert ours == pytest.approx(theirs["u"]["infAP"] if recommended else 0.0, abs=1e-9)


def test_batches_thresholds_and_user_keys():
    judged = {"u": {"A": 2, "B": 5}, "v": {"C": 1}}
    found = inferred_average_precision(
        {"u": ["A", "B"], "v": ["C"]}, judged, {"u": {"D"}, "v": set()}, threshold=4
    )
    assert found == pytest.approx([0.5, math.nan], abs=1e-4, nan_ok=True)


def test_an_item_that_is_both_judged_and_unjudged_raises():
    with pytest.raises(ValueError, match="list 1: item 'B' is judged and unjudged; leave it out"):
        inferred_average_precision([["A"], ["A", "B"]], [{"A": 1}, {"B": 1}], [(), {"B"}])
