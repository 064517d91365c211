"""What the explorables of lists show is what counting gives."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest

from recsys_metrics.workbook.explorables import REGISTRY
from recsys_metrics.workbook.explorables.ranking import hits, stairs, ties
from recsys_metrics.workbook.explorables.ranking.threshold import _ORDERS, threshold
from recsys_metrics.workbook.explorables.ranking.two_stages import RANKED, RETRIEVED, two_stages
from tests.ranking import reference


def test_the_figure_is_registered():
    assert REGISTRY["ranking.threshold"] is threshold


def test_threshold_numbers_are_correct_in_every_state():
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


def test_auc_does_not_depend_on_the_number_of_negatives():
    for order in _ORDERS:
        few, many = (
            threshold.compute({**threshold.start, "order": order, "times": times})
            for times in (1, 10)
        )
        assert few["auc"] == many["auc"]
        assert many["average_precision"] < few["average_precision"]


def test_hits_are_counted_in_every_state():
    wanted_besides = 3
    for state in hits.states():
        marks, k = [state[item] for item in "MNOPQR"], state["k"]
        found, n_relevant = sum(marks[:k]), sum(marks) + wanted_besides
        numbers = hits.compute(state)
        p, r = Fraction(found, k), Fraction(found, n_relevant)
        assert numbers["hit_rate"] == (found > 0)
        assert numbers["precision"] == pytest.approx(float(p))
        assert numbers["recall"] == pytest.approx(float(r))
        assert numbers["f1"] == pytest.approx(float(2 * p * r / (p + r)) if found else 0)
        first = marks.index(True) + 1 if any(marks[:k]) else math.inf
        assert numbers["reciprocal_rank"] == pytest.approx(1 / first)


def test_average_precision_is_the_mean_precision_at_the_hits():
    for number, state in enumerate(stairs.states()):
        if number % 5:
            continue
        marks = [state[f"r{rank}"] for rank in range(1, 9)]
        ranks = [rank for rank, hit in enumerate(marks, 1) if hit]
        steps = [Fraction(n, rank) for n, rank in enumerate(ranks, 1)]
        numbers = stairs.compute(state)
        n_relevant = len(ranks) + state["missed"]
        if not n_relevant:
            assert all(math.isnan(value) for value in numbers.values())
            continue
        assert numbers["ap"] == pytest.approx(float(sum(steps) / n_relevant))
        if ranks:
            assert numbers["hits"] == pytest.approx(float(sum(steps) / len(ranks)))


def test_steps_are_drawn_to_scale():
    state = {**stairs.start, "r8": True}
    shown = stairs.render_state(state)
    assert shown["svg"].count("<rect") == stairs.render_state(stairs.start)["svg"].count("<rect")
    assert "hits at 1, 3, 8" in shown["alt"]


def test_the_range_of_a_tie_covers_all_orders():
    for number, state in enumerate(ties.states()):
        if number % 29:
            continue
        marks = [int(state[f"r{place}"]) for place in range(1, 7)]
        numbers = ties.compute(state)
        if not any(marks):
            assert math.isnan(numbers["gap"])
            continue
        tied = state["tied"]
        values = [
            reference.ndcg(
                list(range(6)),
                dict(enumerate([marks[0], *order, *marks[1 + tied :]])),
                state["k"],
            )
            for order in itertools.permutations(marks[1 : 1 + tied])
        ]
        assert numbers["best"] == pytest.approx(max(values))
        assert numbers["worst"] == pytest.approx(min(values))
        assert numbers["expected"] == pytest.approx(sum(values) / len(values))
        assert numbers["gap"] == pytest.approx(max(values) - min(values), abs=1e-12)


def test_two_stages_are_counted_in_every_state():
    for state in two_stages.states():
        order, k = RETRIEVED[state["retrieval"]], state["k"]
        kept = order[:k]
        second = RANKED.get(state["ranking"], order)
        shown = [item for item in second if item in kept][:3]
        reached = [item for item in kept if item in "ADF"]
        dcg = sum(1 / math.log2(rank + 1) for rank, item in enumerate(shown, 1) if item in "ADF")
        ideal = [sum(1 / math.log2(rank + 1) for rank in range(1, n + 1)) for n in range(4)]
        numbers = two_stages.compute(state)
        assert numbers["retrieval"] == pytest.approx(len(reached) / 3)
        assert numbers["whole"] == pytest.approx(dcg / ideal[3])
        if reached:
            assert numbers["conditional"] == pytest.approx(dcg / ideal[len(reached)])
        else:
            assert math.isnan(numbers["conditional"])
        n_shown = sum(item in "ADF" for item in shown)
        assert numbers["lost_before"] == pytest.approx(1 - len(reached) / 3)
        assert numbers["lost_in"] == pytest.approx((len(reached) - n_shown) / 3)


def test_more_candidates_help_and_then_hurt_a_fair_ranking():
    values = [
        two_stages.compute({"k": k, "retrieval": "poor", "ranking": "fair"})["whole"]
        for k in range(3, 11)
    ]
    assert max(values) > max(values[0], values[-1])
