"""What the explorables of chapters 00 and 07 show is what plain definitions give."""

from __future__ import annotations

import ast
import math
import re
from pathlib import Path

import numpy as np
import pytest

from recsys_metrics.protocol.significance import minimum_detectable_effect
from recsys_metrics.workbook.explorables import REGISTRY
from recsys_metrics.workbook.explorables.choosing import (
    FILMS,
    LIKED,
    RATED,
    TRUE,
    lists,
    predictions,
    three_questions,
)
from recsys_metrics.workbook.explorables.minimum_detectable_effect import gains
from recsys_metrics.workbook.explorables.two_lists import RANKS, WANTED, goal, hits, letters

ROOT = Path(__file__).resolve().parents[3]


def plain_ndcg(recommended, liked):
    gain = sum(1 / math.log2(i + 2) for i, film in enumerate(recommended) if film in liked)
    best = sum(1 / math.log2(i + 2) for i in range(min(len(liked), len(recommended))))
    return gain / best


def plain_diversity(recommended):
    pairs = [(a, b) for i, a in enumerate(recommended) for b in recommended[i + 1 :]]
    differ = [FILMS[a][0] != FILMS[b][0] for a, b in pairs]
    return sum(differ) / len(differ) if differ else math.nan


def test_the_figures_are_registered():
    assert {"choosing.three_questions", "choosing.goal"} <= set(REGISTRY)


def test_three_questions_in_every_state():
    liked = [{film for film, stars in enumerate(row) if stars >= LIKED} for row in TRUE]
    assert min(map(len, liked)) >= 1
    for state in three_questions.states():
        numbers, recommended = three_questions.compute(state), lists(state)
        assert [len(set(films)) for films in recommended] == [state["k"]] * 4
        off = abs(predictions(state)[0] - RATED)
        assert numbers["mae"] == pytest.approx(off.mean(), abs=1e-12)
        ndcg = [plain_ndcg(films, wanted) for films, wanted in zip(recommended, liked, strict=True)]
        assert numbers["ndcg"] == pytest.approx(sum(ndcg) / 4, abs=1e-12)
        assert numbers["coverage"] == len({f for films in recommended for f in films}) / len(FILMS)
        diversity = [plain_diversity(films) for films in recommended]
        if state["k"] == 1:
            assert math.isnan(numbers["diversity"])
        else:
            assert numbers["diversity"] == pytest.approx(sum(diversity) / 4, abs=1e-12)


def test_lists_have_the_highest_predictions_or_alternate_genres():
    for state in three_questions.states():
        for scores, films in zip(predictions(state)[1], lists(state), strict=True):
            if state["varied"]:
                assert {FILMS[film][0] for film in films[:3]} == set("DAC") or state["k"] < 3
            else:
                worst_shown = min(scores[films])
                assert sum(scores > worst_shown) < state["k"]


def test_the_goals_can_be_reached():
    start = three_questions.start
    before = three_questions.compute(start)
    assert before["mae"] == 0
    assert before["ndcg"] == 1
    shifted = three_questions.compute({**start, "shift": 2.0})
    assert shifted["mae"] == 2
    assert {**shifted, "mae": 0} == before
    crowd = three_questions.compute({**start, "crowd": 1.0})
    assert crowd["mae"] == 0
    assert crowd["ndcg"] < before["ndcg"] / 3
    assert crowd["coverage"] == pytest.approx(1 / 3)
    varied = three_questions.compute({**start, "varied": True})
    assert varied["diversity"] == 1
    assert varied["mae"] == 0
    assert varied["ndcg"] < before["ndcg"]


def test_the_picture_is_small():
    for state in list(three_questions.states())[::17]:
        assert len(three_questions.draw(state, three_questions.compute(state)).svg) < 12_000


PLAIN = {
    "reciprocal_rank@5": lambda ranks: 1 / min(ranks) if ranks else 0,
    "hit_rate@5": lambda ranks: float(bool(ranks)),
    "hit_rate@1": lambda ranks: float(1 in ranks),
    "precision@3": lambda ranks: sum(rank <= 3 for rank in ranks) / 3,
    "recall@5": lambda ranks: len(ranks) / 4,
    "average_precision@5": lambda ranks: sum(n / rank for n, rank in enumerate(ranks, 1)) / 4,
    "ndcg@5": lambda ranks: (
        sum(1 / math.log2(rank + 1) for rank in ranks)
        / sum(1 / math.log2(rank + 1) for rank in range(1, 5))
    ),
}


def test_two_lists_equal_the_plain_definitions_in_every_state():
    assert len(WANTED) == 4
    for state in goal.states():
        numbers = goal.compute(state)
        for name in ("first", "second"):
            plain = PLAIN[state["goal"]](hits(state, name))
            assert numbers[name] == pytest.approx(plain, abs=1e-12)


def test_the_winner_of_the_two_lists_depends_on_the_goal():
    assert hits(goal.start, "first") == (1,)
    assert hits(goal.start, "second") == (3, 4, 5)
    ahead = {}
    for name in PLAIN:
        numbers = goal.compute({**goal.start, "goal": name})
        ahead[name] = (numbers["first"] > numbers["second"]) - (
            numbers["first"] < numbers["second"]
        )
    assert sorted(ahead.values()) == [-1, -1, -1, 0, 0, 1, 1]
    assert ahead["reciprocal_rank@5"] == 1
    assert ahead["recall@5"] == -1


def test_the_two_lists_equal_those_of_the_chapter():
    text = (ROOT / "chapters" / "07_choosing.md").read_text(encoding="utf-8")
    wanted = ast.literal_eval(re.search(r"^wanted = (.*)$", text, re.MULTILINE)[1])
    assert wanted == set(WANTED)
    for name, called in (("first", "early"), ("second", "late")):
        recommended = ast.literal_eval(re.search(rf"^{called} = (.*)$", text, re.MULTILINE)[1])
        assert list(letters(hits(goal.start, name))) == recommended


def test_no_list_has_more_hits_than_relevant_films():
    state = goal.start | {f"A{rank}": 1 for rank in RANKS}
    assert hits(state, "first") == (1, 2, 3, 4)
    assert letters((1, 2, 3, 4)) == "BCEGX"
    assert goal.compute(state | {"goal": "recall@5"})["first"] == 1


def test_a_list_is_named_by_its_hits():
    for ranks, words in (((), "no hit"), ((2,), "hits at 2"), ((1, 4), "hits at 1, 4")):
        state = goal.start | {f"A{rank}": int(rank in ranks) for rank in RANKS}
        assert f": {words} against hits at 3, 4, 5." in goal.draw(state, goal.compute(state)).alt


# How many users a gain takes -------------------------------------------------------------------


def test_difference_equals_the_capstone_and_mde_equals_the_library():
    found = REGISTRY["choosing.minimum_detectable_effect"]
    each, today = gains()
    assert len(each) == 196
    for state in found.states():
        numbers = found.compute(state)
        n, power = state["users"], state["power"]
        smallest = minimum_detectable_effect(sd=each.std(ddof=1), n=n, power=power)
        assert numbers["smallest"] == pytest.approx(smallest, abs=1e-8)
        assert numbers["measured"] == pytest.approx(each.mean())
        assert numbers["share"] == pytest.approx(100 * smallest / today, abs=1e-5)


def test_the_minimum_detectable_effect_has_the_stated_power():
    each, _ = gains()
    rng, spread = np.random.default_rng(0), each.std(ddof=1)
    smallest = minimum_detectable_effect(sd=spread, n=196, power=0.8)
    drawn = rng.normal(smallest, spread, size=(4_000, 196))
    t = drawn.mean(axis=1) / (drawn.std(axis=1, ddof=1) / np.sqrt(196))
    assert (t > 1.9718).mean() == pytest.approx(0.8, abs=0.02)
