"""The explorable of chapter 07: two lists, and the goal that decides between them."""

from __future__ import annotations

import re

from recsys_metrics.measures import measure
from recsys_metrics.ranking import Judged
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.picture import Picture
from recsys_metrics.workbook.slots import ranked_list

RELEVANT = 4
_GOALS = {
    "reciprocal_rank@5": "one good item, fast: MRR",
    "hit_rate@5": "anything at all: hit rate",
    "hit_rate@1": "only the first one: hit rate@1",
    "precision@3": "no slot wasted, three on the screen: precision@3",
    "recall@5": "find them all: recall@5",
    "average_precision@5": "all of them high: average precision@5",
    "ndcg@5": "high, gently discounted: NDCG@5",
}
_HITS = {
    (1,): "one hit, at rank 1",
    (2, 3): "hits at 2 and 3",
    (1, 5): "hits at 1 and 5",
    (3, 4, 5): "hits at 3, 4 and 5",
    (2, 4, 5): "hits at 2, 4 and 5",
    (1, 2): "hits at 1 and 2",
}
_WIDTH, _ROW = 400, 112


def _judged(ranks: tuple[int, ...]) -> Judged[float]:
    gains = [1.0 if rank in ranks else 0.0 for rank in range(1, 6)]
    return Judged.from_gains(gains, ideal=[1.0] * RELEVANT)


def _compute(state: State) -> Numbers:
    made = measure(state["goal"])
    first, second = (float(made(_judged(state[name]))) for name in ("first", "second"))
    return {"first": first, "second": second}


def _draw(state: State, numbers: Numbers) -> Picture:
    first, second = numbers["first"], numbers["second"]
    verdicts = {
        "first": "ahead" if first > second else "behind" if first < second else "level",
        "second": "ahead" if second > first else "behind" if second < first else "level",
    }
    cut = measure(state["goal"]).k
    parts = []
    for row, name in enumerate(("first", "second")):
        served = [f"{'AB'[row]}{rank}" for rank in range(1, 6)]
        grades = {item: 1.0 for rank, item in enumerate(served, 1) if rank in state[name]}
        drawn = ranked_list(served, grades, k=cut).svg
        # One picture is one `<svg>`: the list is moved down as a group within it.
        inner = re.sub(r"^<svg[^>]*>", f'<g transform="translate(0 {row * _ROW + 18})">', drawn)
        inner = inner.removesuffix("</svg>") + "</g>"
        sign = {"ahead": "▲", "behind": "▽", "level": "="}[verdicts[name]]
        parts.append(
            f'<text x="8" y="{row * _ROW + 14}" font-size="13" font-weight="600" '
            f'fill="currentColor">{name.capitalize()} list {sign} {verdicts[name]}</text>{inner}'
        )
    winner = next((name for name, word in verdicts.items() if word == "ahead"), None)
    said = f"the {winner} list is ahead" if winner else "the two lists are level"
    return Picture(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {2 * _ROW}" '
        f'width="{_WIDTH}" height="{2 * _ROW}" font-family="system-ui, sans-serif">'
        + "".join(parts)
        + "</svg>",
        f"For {_GOALS[state['goal']]}, {said}: first list with {_HITS[state['first']]}, second "
        f"with {_HITS[state['second']]}.",
    )


goal = Explorable(
    id="choosing.goal",
    question="Leave the two lists as they are and change the goal. How often does the winner "
    "change?",
    goals=(
        Goal(
            "Leave the two lists, and let the second one win.",
            lambda s, n: (
                (s["first"], s["second"]) == ((1,), (3, 4, 5)) and n["second"] > n["first"]
            ),
            "The same lists, another goal, another winner.",
        ),
        Goal(
            "Leave the two lists, and find a goal that calls them level.",
            lambda s, n: (
                (s["first"], s["second"]) == ((1,), (3, 4, 5)) and n["first"] == n["second"]
            ),
            "Of what that goal asks for, both have as much.",
        ),
    ),
    controls=(
        Control("goal", "Goal", _GOALS, "reciprocal_rank@5"),
        Control("first", "First list", _HITS, (1,)),
        Control("second", "Second list", _HITS, (3, 4, 5)),
    ),
    compute=_compute,
    draw=_draw,
    labels={"first": "First list", "second": "Second list"},
)

EXPLORABLES: tuple[Explorable, ...] = (goal,)
