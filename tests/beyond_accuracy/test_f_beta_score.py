"""F-beta of any two measures."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import recsys_metrics as rm
from recsys_metrics.beyond_accuracy import f_beta_score

VALUES = st.floats(0, 1)
BETAS = st.floats(0.1, 10)


def test_values_computed_by_hand():
    assert f_beta_score(0.5, 1.0) == pytest.approx(2 * 0.5 * 1 / 1.5)
    assert f_beta_score(0.5, 1.0, beta=2) == pytest.approx(5 * 0.5 * 1 / (4 * 0.5 + 1))
    assert f_beta_score(0.0, 1.0) == f_beta_score(0.0, 0.0) == 0
    assert f_beta_score(1e-200, 1e-200) == 1e-200
    assert isinstance(f_beta_score(1, 1), float)
    assert np.isnan(f_beta_score([np.nan, 1], [1, np.nan])).all()


def test_f_beta_score_of_precision_and_recall_is_f_beta():
    lists, wanted = [list("ABCDE"), list("AEBCD"), list("DAE")], [set("BCEG"), set("A"), set("X")]
    judged = rm.judge(lists, wanted)
    for beta in (0.5, 1, 2):
        got = f_beta_score(rm.precision(judged, 3), rm.recall(judged, 3), beta=beta)
        assert got == pytest.approx(rm.f_beta(judged, 3, beta=beta))


@given(VALUES, VALUES, BETAS)
def test_value_lies_between_both_metrics_and_inverse_beta_swaps_them(a, b, beta):
    value = f_beta_score(a, b, beta=beta)
    assert min(a, b) * (1 - 1e-12) <= value <= max(a, b) * (1 + 1e-12) or 0 in (a, b)
    assert value == pytest.approx(f_beta_score(b, a, beta=1 / beta), rel=1e-9, abs=1e-300)
    assert f_beta_score(7 * a, 7 * b, beta=beta) == pytest.approx(7 * value, rel=1e-9, abs=1e-300)


@given(st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=9), BETAS)
def test_a_single_pair_equals_its_row_in_a_batch(pairs, beta):
    batch = f_beta_score(*zip(*pairs, strict=True), beta=beta)
    assert batch.tolist() == [f_beta_score(a, b, beta=beta) for a, b in pairs]


def test_negative_infinite_and_mismatched_values_raise():
    with pytest.raises(ValueError, match=r"-0\.5.*finite values of 0 or more"):
        f_beta_score([0.5, -0.5], [1, 1])
    with pytest.raises(ValueError, match="finite values"):
        f_beta_score(math.inf, 1)
    with pytest.raises(ValueError, match=r"shapes \(2,\) and \(3,\)"):
        f_beta_score([1, 1], [1, 1, 1])
    with pytest.raises(ValueError, match="weight of the second metric"):
        f_beta_score(1, 1, beta=0)
