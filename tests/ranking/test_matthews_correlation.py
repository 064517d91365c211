"""Measures that are seldom asked for: MCC, least item promoted."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import matthews_corrcoef

import recsys_metrics as rm

HITS = st.lists(st.booleans(), min_size=1, max_size=12)


def judged(hits, missed=0):
    """Return a judged list with hits at these ranks, and so many relevant items missed."""
    items = [*range(len(hits))]
    wanted = {item for item, hit in zip(items, hits, strict=True) if hit}
    return rm.judge(
        items, wanted | {-2 - n for n in range(missed)} | ({99} if not wanted else set())
    )


@pytest.mark.slow
@given(HITS, st.integers(0, 4), st.integers(0, 9))
def test_mcc_equals_scikit_learn_over_the_catalogue(hits, missed, rest):
    one = judged(hits, missed)
    missed = missed + (not any(hits))
    n_items = len(hits) + missed + rest
    listed = [True] * len(hits) + [False] * (missed + rest)
    wanted = [*hits, *[True] * missed, *[False] * rest]
    assert rm.matthews_correlation(one, n_items=n_items) == pytest.approx(
        matthews_corrcoef(wanted, listed)
    )


def test_least_item_promoted_by_hand():
    before = ["A", "B", "C", "D", "E", "F"]
    assert rm.least_item_promoted(["A", "B", "C"], before, 3) == 0
    assert rm.least_item_promoted(["F", "B"], before, 2) == 4
    # What stands below rank k of the new list is not recommended.
    assert rm.least_item_promoted(["A", "B", "F"], before, 2) == 0
    assert rm.least_item_promoted([["B"], ["C"]], [before, before], 1).tolist() == [1, 2]
    assert math.isnan(rm.least_item_promoted([], before, 2))
    with pytest.raises(ValueError, match="list 1 of reranked has an item"):
        rm.least_item_promoted([["A"], ["Z"]], [before, before], 1)
    with pytest.raises(ValueError, match="reranked has 1 lists and original 2"):
        rm.least_item_promoted([["A"]], [before, before], 1)
