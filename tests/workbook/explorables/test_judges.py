"""What the explorables of chapter 08 show is what plain definitions give."""

from __future__ import annotations

import math

import pytest

from recsys_metrics.workbook.explorables import REGISTRY
from recsys_metrics.workbook.explorables.judges import (
    MACHINE,
    RELEVANT,
    SPREAD,
    TRUTH,
    combine,
    combined_labels,
    faulty_list,
    judge_alone,
    written,
)


def test_the_figures_are_registered():
    assert {"judges.combined_labels", "judges.faulty_list"} <= set(REGISTRY)


def test_combined_widths_follow_the_formula():
    for state in combined_labels.states():
        numbers = combined_labels.compute(state)
        n, rho = state["people"], state["correlation"]
        weight = numbers["weight"]
        left = SPREAD**2 * (1 + weight**2 - 2 * rho * weight)
        lost = 2 if state["weight"] == "optimal" else 1
        error = math.sqrt(left * (n - 1) / (n - lost) / n + (weight * SPREAD) ** 2 / MACHINE)
        found = combine(n, state["bias"], rho, state["weight"])
        assert found.standard_error == pytest.approx(error, rel=1e-9)
        assert found.estimate == pytest.approx(TRUTH, abs=1e-12)
        assert numbers["error"] == pytest.approx(abs(state["bias"]), abs=1e-12)
        if state["weight"] == 0:
            assert numbers["labels"] == pytest.approx(n)


def test_the_bias_is_outside_the_interval_of_the_judge():
    assert TRUTH in judge_alone(0.0)
    assert all(TRUTH not in judge_alone(bias) for bias in (-0.1, -0.05, 0.05, 0.1))


def test_a_faulty_list_in_every_state():
    for state in faulty_list.states():
        wrote, numbers = written(state), faulty_list.compute(state)
        valid = [x in "ABCDEFGH" and x not in wrote[:at] for at, x in enumerate(wrote)]
        assert numbers["valid"] == pytest.approx(sum(valid) / 6)
        hits = [ok and x in RELEVANT for x, ok in zip(wrote, valid, strict=True)]
        assert numbers["precision"] == pytest.approx(2 / 6)
        if state["counted"] == "drop":
            hits = [hit for hit, ok in zip(hits, valid, strict=True) if ok]
        assert numbers["reciprocal_rank"] == pytest.approx(1 / (hits.index(True) + 1))
        gain = sum(hit / math.log2(rank + 1) for rank, hit in enumerate(hits, 1))
        assert numbers["ndcg"] == pytest.approx(gain / (1 + 1 / math.log2(3)))
