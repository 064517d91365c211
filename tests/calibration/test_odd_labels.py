"""Labels of which a value is neither 0 nor 1, nor any answer to the question."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from recsys_metrics import calibration, ranking
from recsys_metrics.bias import fairness


@pytest.mark.parametrize("odd", [pd.NA, None, Decimal("sNaN"), "1", 2, float("nan")])
def test_a_label_that_is_none_is_named(odd):
    labels = np.empty(3, dtype=object)
    labels[:] = [1, 0, 1]
    labels[1] = odd
    words = r"(labels|protected)(\[(0, )?1\] is .*; it must be 0 or 1| must be 0 and 1; got '1')"
    for call in (
        lambda: calibration.brier_score(labels, [0.5, 0.5, 0.5]),
        lambda: ranking.roc_auc(labels, [0.5, 0.4, 0.3]),
        lambda: fairness.fa_ir_test(labels, share=0.5),
    ):
        with pytest.raises((ValueError, TypeError), match=words):
            call()


def test_whole_columns_of_objects_are_labels():
    for labels in ([1, 0, 1], [True, False, True], [Decimal(1), Decimal(0), 1.0]):
        column = np.array(labels, dtype=object)
        assert calibration.brier_score(column, [0.5, 0.5, 0.5]) == 0.25
    assert calibration.brier_score(pd.Series([1, 0], dtype="Int64"), [0.5, 0.5]) == 0.25
    with pytest.raises(ValueError, match=r"labels\[1\] is (<NA>|nan); it must be 0 or 1"):
        calibration.brier_score(pd.Series([1, pd.NA], dtype="Int64"), [0.5, 0.5])
