"""What the bar among scored items shows is what counting gives."""

from __future__ import annotations

import math

import pytest

from recsys_metrics.workbook.explorables import REGISTRY
from recsys_metrics.workbook.explorables.ranking.threshold import _ORDERS, threshold


def test_it_is_registered():
    assert REGISTRY["ranking.threshold"] is threshold


def test_the_bar_in_every_state():
    for state in threshold.states():
        hits, times, above = _ORDERS[state["order"]], state["times"], state["above"]
        numbers = threshold.compute(state)
        found = sum(hits[:above])
        wasted = (above - found) * times
        assert numbers["recall"] == pytest.approx(found / 3)
        assert numbers["others"] == pytest.approx(wasted / (5 * times))
        if above:
            assert numbers["precision"] == pytest.approx(found / (found + wasted))
        else:
            assert math.isnan(numbers["precision"])
        places = [n for n, hit in enumerate(hits) if hit]
        right = sum(not hits[n] for place in places for n in range(place + 1, 8))
        assert numbers["auc"] == pytest.approx(right / 15)
        there = [(n + 1) / (n + 1 + (place - n) * times) for n, place in enumerate(places)]
        assert numbers["average_precision"] == pytest.approx(sum(there) / 3)


def test_auc_does_not_notice_how_many_others_there_are():
    for order in _ORDERS:
        few, many = (
            threshold.compute({**threshold.start, "order": order, "times": times})
            for times in (1, 10)
        )
        assert few["auc"] == many["auc"]
        assert many["average_precision"] < few["average_precision"]
