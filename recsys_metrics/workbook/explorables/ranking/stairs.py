"""Average precision as the area of stairs: a step for each hit, as high as the precision there."""

from __future__ import annotations

from recsys_metrics._core.colors import BLUE
from recsys_metrics.ranking import Judged, average_precision, precision, recall
from recsys_metrics.workbook.charts.board import board
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.explorables import handles
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess
from recsys_metrics.workbook.explorables.ranking import row

_RANKS = 8
_STEP = 50
_HIT = {False: "○ not relevant", True: "● relevant"}
_TALL, _FLOOR, _LEFT, _WIDE = 96, 200, 34, 440


def _marks(state: State) -> list[int]:
    return [int(state[f"r{rank}"]) for rank in range(1, _RANKS + 1)]


def judged(state: State) -> Judged[float]:
    """Return the list with what it missed."""
    marks = _marks(state)
    return Judged.from_gains(marks, ideal=[1] * (sum(marks) + state["missed"]))


def _compute(state: State) -> Numbers:
    found = judged(state)
    return {
        "ap": average_precision(found),
        "hits": average_precision(found, denominator="hits"),
        "precision": precision(found),
        "recall": recall(found),
    }


def _draw(state: State, numbers: Numbers) -> Picture:
    marks = _marks(state)
    parts = [
        row.film(f"r{rank}", (rank - 1) * _STEP + 2, str(rank), "", wanted=bool(hit))
        for rank, hit in enumerate(marks, 1)
    ]
    parts.append(_missed(state["missed"]))
    parts.append(svg.line(_LEFT, _FLOOR, _LEFT + _WIDE, _FLOOR))
    parts += [
        svg.text(_LEFT - 6, _FLOOR + 5, "0", anchor="end"),
        svg.text(_LEFT - 6, _FLOOR - _TALL + 6, "1", anchor="end"),
    ]
    ranks = [rank for rank, hit in enumerate(marks, 1) if hit]
    n_relevant = len(ranks) + state["missed"]
    step = _WIDE / n_relevant if n_relevant else 0.0
    found = judged(state)
    # A step for every rank, so that one that comes grows out of nothing; one that is no hit has no
    # width.
    done = 0
    for rank in range(1, _RANKS + 1):
        hit = rank in ranks
        tall = _TALL * float(precision(found, rank)) if hit else 0.0
        parts.append(svg.box(_LEFT + done * step + 1, _FLOOR - tall, (step - 2) * hit, tall, BLUE))
        words = f"{tall / _TALL:.2f}" if hit and step > 40 else ""
        inside = tall > 28
        middle, base = _LEFT + (done + 0.5) * step, _FLOOR - tall + (21 if inside else -6)
        ink = "#ffffff" if inside else ""
        parts.append(svg.text(middle, base, words, anchor="middle", ink=ink))
        done += hit
    lost = state["missed"] * step
    parts.append(
        svg.box(_LEFT + _WIDE - lost + 1, _FLOOR - _TALL, max(lost - 2, 0), _TALL, dashed=True)
    )
    parts.append(
        svg.text(
            _LEFT + _WIDE - lost / 2, _FLOOR - 40, "missed" if lost > 60 else "", anchor="middle"
        )
    )
    parts.append(
        svg.text(_LEFT + _WIDE, _FLOOR + 21, "a step for each relevant film", anchor="end")
    )
    return board("", _FLOOR + 26, parts, _alt(ranks, state["missed"], numbers))


def _missed(number: int) -> str:
    x = _RANKS * _STEP + 14
    marks = [
        svg.text(x + row.SLOT / 2, row.TOP - 8, "missed", anchor="middle"),
        svg.box(x, row.TOP, row.SLOT, row.SLOT, dashed=True),
        svg.text(x + row.SLOT / 2, row.TOP + 30, f"◌ {number}", anchor="middle", bold=True),
    ]
    hit = (x - 5, 0, row.SLOT + 20, row.TOP + row.SLOT + 3)
    plate = (x, row.TOP, row.SLOT, row.SLOT)
    return handles.press("missed", marks, plate=plate, hit=hit, is_slot=True, dashed=True)


def _alt(ranks: list[int], missed: int, numbers: Numbers) -> str:
    lost = f"{missed} relevant film{'s' * (missed != 1)}"
    if not ranks:
        return f"Eight ranks without a hit, {lost} missed: there are no steps."
    where = ", ".join(map(str, ranks))
    return (
        f"Steps for hits at {where} of eight ranks, with {lost} missed. Their area, average "
        f"precision, is {numbers['ap']:.3f}; divided by the hits only, it is "
        f"{numbers['hits']:.3f}."
    )


stairs = Explorable(
    id="ranking.stairs",
    question="What lowers average precision?",
    goals=(
        Goal(
            "3 hits, none missed: get average precision below 1/3.",
            lambda s, n: sum(_marks(s)) == 3 and s["missed"] == 0 and n["ap"] < 1 / 3,
            "No relevant film is missed, but the steps are low.",
        ),
        Goal(
            "Make AP divided by the hits 1, and AP at most 0.5.",
            lambda s, n: n["hits"] == 1 and n["ap"] <= 0.5,
            "With the hits as the denominator, missed films cost nothing.",
        ),
    ),
    guess=Guess(
        "A third hit is added at rank 8. AP divided by the hits will …",
        {"r8": True},
        "hits",
        "The new step is lower than the others, so their mean decreases.",
    ),
    controls=(
        *(
            Control(f"r{rank}", f"Rank {rank}", _HIT, rank in (1, 3), "press")
            for rank in range(1, _RANKS + 1)
        ),
        Control("missed", "Relevant films missed", {n: str(n) for n in range(4)}, 1, "press"),
    ),
    compute=_compute,
    draw=_draw,
    labels={
        "ap": "Average precision",
        "hits": "… divided by the hits",
        "precision": "Precision",
        "recall": "Recall",
    },
)
