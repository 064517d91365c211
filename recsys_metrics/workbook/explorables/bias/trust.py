"""Which log may be trusted: coverage of 95 % intervals by overlap and length."""

from __future__ import annotations

import math
from functools import lru_cache

from recsys_metrics._core.colors import BLUE, GREEN, ORANGE
from recsys_metrics._core.confidence_intervals import of_proportion
from recsys_metrics.workbook.charts.board import board
from recsys_metrics.workbook.charts.marks import group
from recsys_metrics.workbook.charts.protocol import Scale
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.experiments.interval_coverage import ROUNDS, SHARPNESS, Row, read_rows
from recsys_metrics.workbook.explorables import handles
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess

_NAMES = {"ips": ("IPS", ORANGE), "snips": ("SNIPS", BLUE), "doubly_robust": ("DR", GREEN)}


@lru_cache(maxsize=1)
def _by_setting() -> dict[tuple[float, int], dict[str, Row]]:
    found: dict[tuple[float, int], dict[str, Row]] = {}
    for row in read_rows():
        found.setdefault((row.sharpness, row.rounds), {})[row.estimator] = row
    return found


def _compute(state: State) -> Numbers:
    rows = _by_setting()[state["sharpness"], state["rounds"]]
    numbers = {f"{name} holds": row.coverage for name, row in rows.items()}
    numbers |= {f"{name} error": row.relative_error for name, row in rows.items()}
    return {"worth": rows["ips"].effective_sample_size, **numbers}


_SHARE = Scale(0.4, 1, 76, 456)
_LENGTH = Scale(ROUNDS[0], ROUNDS[-1], 76, 400, math.log10)


def _draw(state: State, numbers: Numbers) -> Picture:
    rows = _by_setting()[state["sharpness"], state["rounds"]]
    floor = 122
    parts = [
        svg.line(_SHARE(0.95), 20, _SHARE(0.95), floor, wide=1.5, dashed=True),
        svg.text(_SHARE(0.95), 15, "95 %", anchor="middle"),
        svg.line(_SHARE.start, floor, _SHARE.end, floor),
    ]
    parts += [
        svg.text(_SHARE(tick), floor + 20, f"{100 * tick:.0f} %", anchor="middle")
        for tick in (0.4, 0.6, 0.8, 1.0)
    ]
    said = []
    for at, (key, (name, colour)) in enumerate(_NAMES.items()):
        row, y = rows[key], 42 + 30 * at
        begin, end = (float(x) for x in of_proportion(row.n_covered, row.logs, 0.95))
        parts.append(svg.text(0, y + 6, name))
        parts.append(svg.box(_SHARE(begin), y - 3, _SHARE(end) - _SHARE(begin), 6, colour))
        parts.append(svg.dot(_SHARE(row.coverage), y, colour, size=6))
        said.append(f"{name} {100 * row.coverage:.0f} %")
    parts.append(svg.text(_SHARE.end, floor + 42, "intervals that hold the truth", anchor="end"))
    parts += _length(state["rounds"], floor + 92)
    alt = (
        f"An effective sample size of {numbers['worth']:,.0f}. Of the 95 % intervals so many hold "
        f"the truth: {', '.join(said)}."
    )
    title = f"{numbers['worth']:,.0f} of {state['rounds']:,} rounds speak"
    return board(title, floor + 106, parts, alt)


def _length(rounds: int, y: float) -> list[str]:
    """Draw how long the log is on a scale of powers, with a knob that is dragged."""
    stops = [_LENGTH(n) for n in ROUNDS]
    x = _LENGTH(rounds)
    parts = [svg.text(0, y + 6, "rounds"), svg.line(stops[0], y, stops[-1], y)]
    parts += [svg.line(stop, y - 5, stop, y + 5) for stop in stops]
    words = svg.text(0, -16, f"{rounds:,}", anchor="middle")
    knob = group([svg.dot(0, 0, BLUE, size=11), words], x=x, y=y)
    grip = (x - 22, y - 22, 44, 40)
    return [*parts, handles.drag("rounds", stops, [knob], along="x", grip=grip)]


trust = Explorable(
    id="bias.trust",
    question="How long must a log be until nine in ten intervals of SNIPS hold?",
    hint="Drag the knob: how many rounds the log has.",
    guess=Guess(
        "Popularity chose more surely: sharpness 4, not 1. The 95 % intervals that hold will …",
        {"sharpness": 4.0},
        "snips holds",
        "An interval knows the weights that it saw, and a sharp log shows few of the largest.",
    ),
    goals=(
        Goal(
            "At a sharpness of 4, find a log for which nine in ten of the intervals of SNIPS hold.",
            lambda s, n: s["sharpness"] == 4 and n["snips holds"] >= 0.9,
            "It takes the longest log here, and few of its rounds speak.",
        ),
    ),
    controls=(
        Control("sharpness", "Sharpness", {s: f"{s:g}" for s in SHARPNESS}, 1.0),
        Control("rounds", "Rounds in the log", {n: f"{n:,}" for n in ROUNDS}, 500, "slider"),
    ),
    compute=_compute,
    draw=_draw,
    labels={
        "worth": Quantity("Sample worth", high=None, places=0, unit="rounds"),
        "ips holds": "IPS: hold",
        "snips holds": "SNIPS: hold",
        "doubly_robust holds": "DR: hold",
        "ips error": "IPS: error",
        "snips error": "SNIPS: error",
        "doubly_robust error": "DR: error",
    },
)
