"""Interpolated precision by hand and in trec_eval's values; fall-out by hand."""

from __future__ import annotations

import numpy as np
import pytest

import recsys_metrics as rm

JUDGED = rm.judge(["A", "B", "C", "D", "E"], {"B", "C", "E", "G"})


def test_interpolated_precision_by_hand():
    # Precision at the hits: 1/2, 2/3, 3/5; recall 1/4, 2/4, 3/4.
    at = [rm.interpolated_precision(JUDGED, recall=r) for r in (0, 0.25, 0.5, 0.75, 0.76, 1)]
    assert at == pytest.approx([2 / 3, 2 / 3, 2 / 3, 3 / 5, 0, 0])
    assert rm.interpolated_precision(JUDGED, k=2, recall=0) == 0.5
    eleven = (6 * 2 / 3 + 2 * 3 / 5) / 11
    assert rm.interpolated_precision(JUDGED) == pytest.approx(eleven)


def test_interpolated_precision_never_increases_with_recall():
    rng = np.random.default_rng(0)
    judged = rm.Judged.from_gains(rng.random((50, 12)) < 0.3, ideal=np.ones((50, 12)))
    steps = [rm.interpolated_precision(judged, recall=r / 20) for r in range(21)]
    assert (np.diff(steps, axis=0) <= 1e-12).all()


def test_fall_out_by_hand():
    assert rm.fall_out(JUDGED, n_items=14) == 2 / 10
    assert rm.fall_out(JUDGED, k=3, n_items=14) == 1 / 10
    assert rm.fall_out(rm.judge(["A"], {"A"}), n_items=1) == 0.0


def test_invalid_input_raises():
    with pytest.raises(ValueError, match=r"recall is the share .* must be from 0 to 1; got 2"):
        rm.interpolated_precision(JUDGED, recall=2)
    with pytest.raises(ValueError, match="have 6 items, but n_items is 5"):
        rm.fall_out(JUDGED, n_items=5)
