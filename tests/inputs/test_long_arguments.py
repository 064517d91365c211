"""Errors name what was wrong in a line, however long the argument is."""

from __future__ import annotations

import pytest

import recsys_metrics as rm
from recsys_metrics.measures import measure

LONG = [
    "ndcg@" + "9" * 5000, "ndcg@" + "0" * 5000, "(" * 10**5, "ndcg(" + "a=1," * 50000 + ")@3",
    "x" * 10**5, "ndcg(gain=" + "y" * 10**4 + ")@3", "ndcg(" + "z" * 10**4 + "=1)@3",
    "ndcg(" + "z" * 10**4 + ")@3", "rank_biased_precision(p=" + "9" * 10**4 + ")@3",
]  # fmt: skip


@pytest.mark.parametrize("text", LONG, ids=lambda text: text[:12])
def test_a_long_measure_is_shown_by_its_beginning(text):
    with pytest.raises(ValueError, match=r"…|cut-off after @") as raised:
        measure(text)
    assert len(str(raised.value)) < 1500
    assert "set_int_max_str_digits" not in str(raised.value)


def test_leading_zeros_of_a_cutoff_do_not_count():
    assert measure("ndcg@0010") == measure("ndcg@10")
    assert measure("ndcg@" + "0" * 5000 + "3") == measure("ndcg@3")


def test_what_cannot_be_compared_is_named():
    report = rm.evaluate([["A"]] * 20, [{"A"}] * 20, ["ndcg@1"], split="x")
    for other in (None, "x", [report]):
        with pytest.raises(TypeError, match=r"^compare takes another report"):
            report.compare(other)
    with pytest.raises(TypeError, match=r"^margin is a number; got '0\.05'"):
        report.compare(report, margin="0.05")
    predictions = rm.evaluate_predictions([1, 2, 3], [1, 2, 4], ["mae"])
    with pytest.raises(TypeError, match=r"^margin is a number"):
        predictions.compare(predictions, margin="0.05")
