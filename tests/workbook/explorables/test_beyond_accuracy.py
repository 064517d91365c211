"""The explorables of chapter 03 against plain definitions, over all their states."""

from __future__ import annotations

import math
from itertools import combinations, pairwise

import pytest

from recsys_metrics.workbook.explorables.beyond_accuracy import arrows, counts, reranking
from recsys_metrics.workbook.explorables.beyond_accuracy.reranking import FILMS, WANTED, recommended


def plain_gini(values):
    return sum(abs(a - b) for a in values for b in values) / (2 * len(values) * sum(values))


def test_five_counts_equal_the_plain_definitions():
    for state in counts.states():
        given, numbers = list(state.values()), counts.compute(state)
        shown = [count for count in given if count > 0]
        assert numbers["coverage"] == len(shown) / 5
        if not shown:
            assert all(math.isnan(v) for name, v in numbers.items() if name != "coverage")
            continue
        expected = plain_gini(given)
        assert numbers["gini"] == pytest.approx(expected, abs=1e-12)
        assert numbers["normalized"] == pytest.approx(expected * 5 / 4, abs=1e-12)
        assert numbers["shown_only"] == pytest.approx(plain_gini(shown), abs=1e-12)
        held = [sum(sorted(given)[:n]) / sum(given) for n in range(6)]
        area = sum((a + b) / 2 / 5 for a, b in pairwise(held))
        assert numbers["area"] == pytest.approx(area, abs=1e-12)
        bits = -sum(c / sum(given) * math.log2(c / sum(given)) for c in shown)
        assert numbers["bits"] == pytest.approx(bits, abs=1e-12)
        assert numbers["alike"] == pytest.approx(2**bits, abs=1e-9)


def test_the_goal_of_the_counts_figure_can_be_reached():
    found = [(state, counts.compute(state)) for state in counts.states()]
    shown = [(state, numbers) for state, numbers in found if any(state.values())]
    for state, numbers in shown:
        assert (numbers["gini"] < 1e-9) == (len(set(state.values())) == 1)
    most = max(numbers["gini"] for _, numbers in shown)
    at_most = [state for state, numbers in shown if numbers["gini"] > most - 1e-9]
    assert most == pytest.approx(4 / 5)
    assert all(sorted(state.values())[:4] == [0] * 4 for state in at_most)


def test_arrows_equal_the_cosines_of_their_angles():
    for state in arrows.states():
        angles = {"a": 0, "b": state["b"]} | ({"c": state["c"]} if state["c"] >= 0 else {})
        numbers = arrows.compute(state)
        apart = []
        for one, other in combinations("abc", 2):
            if {one, other} <= set(angles):
                cosine = math.cos(math.radians(angles[one] - angles[other]))
                assert numbers[one + other] == pytest.approx(cosine, abs=1e-12)
                apart.append(1 - cosine)
            else:
                assert math.isnan(numbers[one + other])
        assert numbers["diversity"] == pytest.approx(sum(apart) / len(apart), abs=1e-12)
        assert numbers["by_length"] == pytest.approx(sum(apart) / len(angles), abs=1e-12)
        assert numbers["diversity"] <= numbers["most"] + 1e-12


def test_the_goal_of_the_arrows_figure_can_be_reached():
    three = {
        (state["b"], state["c"]): arrows.compute(state)["diversity"]
        for state in arrows.states()
        if state["c"] >= 0
    }
    assert max(three.values()) == pytest.approx(1.5)
    assert {pair for pair, v in three.items() if v > 1.5 - 1e-9} == {(120, 240), (240, 120)}
    quarter = {pair: v for pair, v in three.items() if max(pair) <= 90}
    assert max(quarter.values()) == pytest.approx(2 / 3)
    assert {pair for pair, v in quarter.items() if v > 2 / 3 - 1e-9} == {(0, 90), (90, 0), (90, 90)}


def plain_cosine(one, other):
    first, second = (set(FILMS[film][1]) for film in (one, other))
    return len(first & second) / math.sqrt(len(first) * len(second))


def plain_list(k, weight):
    listed = []
    while len(listed) < k:
        left = [film for film in FILMS if film not in listed]

        def worth(film):
            nearest = max((plain_cosine(film, other) for other in listed), default=0)
            return (1 - weight) * FILMS[film][0] - weight * nearest

        best = max(map(worth, left))
        listed.append(next(film for film in left if worth(film) > best - 1e-9))
    return listed


def test_reranked_lists_equal_the_plain_rule():
    for state in reranking.states():
        k, numbers = state["k"], reranking.compute(state)
        listed = recommended(state)
        assert listed == plain_list(k, state["variety"] / 10)
        hits = [film in WANTED for film in listed]
        assert numbers["precision"] == pytest.approx(sum(hits) / k)
        dcg = sum(hit / math.log2(rank + 1) for rank, hit in enumerate(hits, 1))
        ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(k, len(WANTED)) + 1))
        assert numbers["ndcg"] == pytest.approx(dcg / ideal)
        pairs = list(combinations(listed, 2))
        apart = sum(1 - plain_cosine(*pair) for pair in pairs) / len(pairs)
        assert numbers["diversity"] == pytest.approx(apart, abs=1e-12)
        best = sorted((score for score, _ in FILMS.values()), reverse=True)[:k]
        kept = sum(FILMS[film][0] for film in listed) / sum(best)
        assert numbers["score"] == pytest.approx(kept)
        assert numbers["genres"] == len({g for film in listed for g in FILMS[film][1]}) / 4


def test_the_goal_of_the_reranking_figure_can_be_reached():
    hits = {
        weight: round(reranking.compute({"variety": weight, "k": 5})["precision"] * 5)
        for weight in range(11)
    }
    assert hits == {weight: 4 if weight == 2 else 3 for weight in range(11)}
    assert reranking.start == {"variety": 0, "k": 5}
