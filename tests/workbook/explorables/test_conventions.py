"""What the explorables of the conventions show is what plain definitions give."""

from __future__ import annotations

import math

import pytest

from recsys_metrics.peers import interpretations
from recsys_metrics.workbook.explorables.conventions import (
    EXPLORABLES,
    GRADES,
    SERVED,
    average_precision,
    bars,
    denominator,
    ndcg,
    value,
    whose,
)
from tests.ranking import reference


def test_every_ndcg_state_equals_the_plain_definition():
    for state in ndcg.states():
        found = ndcg.compute(state)["value"]
        if state["ideal"] == "full" and state["gain"] != "binary":
            assert math.isnan(found)
        else:
            assert found == pytest.approx(reference.ndcg(SERVED, GRADES, **state))


def test_every_average_precision_state_equals_the_plain_definition():
    for state in average_precision.states():
        found = average_precision.compute(state)["value"]
        assert found == pytest.approx(reference.average_precision(SERVED, GRADES, **state))


@pytest.mark.parametrize("explorable", EXPLORABLES, ids=lambda explorable: explorable.id)
def test_highlighted_libraries_have_the_displayed_value(explorable):
    metric = explorable.id.partition(".")[2]
    (cuts,) = [control.values for control in explorable.controls if control.name == "k"]
    values = {
        k: {who: value(theirs) for who, theirs in interpretations(metric, k).items() if theirs.k}
        for k in cuts
    }
    for state in explorable.states():
        numbers = explorable.compute(state)
        same = [
            who
            for who, theirs in values[state["k"]].items()
            if theirs == pytest.approx(numbers["value"], abs=1e-9)
        ]
        assert numbers["agree"] == len(same)
        assert whose(metric, state["k"], numbers["value"]) == same


def test_every_library_corresponds_to_a_state():
    """No library's number is out of the reader's reach."""
    for explorable in EXPLORABLES:
        metric, lit = explorable.id.partition(".")[2], set()
        for state in explorable.states():
            lit |= set(whose(metric, state["k"], explorable.compute(state)["value"]))
        assert lit == {who for who, made in interpretations(metric, 5).items() if made.k}


def test_the_picture_names_the_libraries_with_the_value():
    picture = ndcg.draw(ndcg.start, ndcg.compute(ndcg.start))
    assert picture.alt.startswith("ndcg@5 is 0.485 for this list, the value of 4 of the")
    full = {**ndcg.start, "ideal": "full"}
    assert "is not defined for this list" in ndcg.draw(full, ndcg.compute(full)).alt


def test_the_ratio_of_bar_sums_equals_ndcg():
    for state in ndcg.states():
        own, ideal = bars(state)
        found = ndcg.compute(state)["value"]
        if not math.isnan(found):
            assert sum(own) / sum(ideal) == pytest.approx(found, abs=1e-12)


def test_the_denominator_follows_the_convention():
    hits = [rank for rank, item in enumerate(SERVED, 1) if item in GRADES]
    for state in average_precision.states():
        k = state["k"]
        plain = {
            "relevant": len(GRADES),
            "achievable": min(k, len(GRADES)),
            "recommended": min(k, len(SERVED), len(GRADES)),
            "k": k,
            "hits": sum(rank <= k for rank in hits),
            "listed": len(hits),
            "prefixes": k,
        }
        assert denominator(state) == pytest.approx(plain[state["denominator"]])


@pytest.mark.parametrize("explorable", EXPLORABLES, ids=lambda explorable: explorable.id)
def test_every_library_is_in_the_picture(explorable):
    metric = explorable.id.partition(".")[2]
    for state in explorable.states():
        numbers = explorable.compute(state)
        svg = explorable.draw(state, numbers).svg.replace("\N{NON-BREAKING HYPHEN}", "-")
        for who in whose(metric, state["k"], numbers["value"]):
            assert f"{who.partition(' ')[0]}" in svg
