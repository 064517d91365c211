"""Which log may be trusted: coverage of 95 % intervals by overlap and length."""

from __future__ import annotations

from functools import lru_cache

from recsys_metrics._intervals import wilson
from recsys_metrics.workbook import svg
from recsys_metrics.workbook.coverage import ROUNDS, SHARPNESS, Row, kept_rows
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.palette import BLUE, GREEN, ORANGE
from recsys_metrics.workbook.picture import Picture

_NAMES = {"ips": ("IPS", ORANGE), "snips": ("SNIPS", BLUE), "doubly_robust": ("DR", GREEN)}


@lru_cache(maxsize=1)
def _by_setting() -> dict[tuple[float, int], dict[str, Row]]:
    found: dict[tuple[float, int], dict[str, Row]] = {}
    for row in kept_rows():
        found.setdefault((row.sharpness, row.rounds), {})[row.estimator] = row
    return found


def _compute(state: State) -> Numbers:
    rows = _by_setting()[state["sharpness"], state["rounds"]]
    numbers = {f"{name} holds": row.coverage for name, row in rows.items()}
    numbers |= {f"{name} error": row.relative_error for name, row in rows.items()}
    return {"worth": rows["ips"].effective_sample_size, **numbers}


def _draw(state: State, numbers: Numbers) -> Picture:
    left, wide, low = 70, 340, 0.4
    rows = _by_setting()[state["sharpness"], state["rounds"]]

    def place(share: float) -> float:
        return left + (share - low) / (1 - low) * wide

    parts = [
        svg.text(0, 14, f"{numbers['worth']:,.0f} rounds speak", bold=True),
        svg.line(place(0.95), 30, place(0.95), 130, wide=1.5, dashed=True),
        svg.text(place(0.95), 26, "95 %", anchor="middle"),
        svg.line(left, 132, left + wide, 132),
    ]
    ticks = (0.4, 0.6, 0.8, 1.0)
    parts += [svg.text(place(tick), 148, f"{100 * tick:.0f} %", anchor="middle") for tick in ticks]
    said = []
    for at, (key, (name, colour)) in enumerate(_NAMES.items()):
        row, y = rows[key], 50 + 30 * at
        begin, end = (float(x) for x in wilson(row.held, row.logs, 0.95))
        parts.append(svg.text(0, y + 4, name))
        parts.append(svg.box(place(begin), y - 2.5, place(end) - place(begin), 5, colour))
        parts.append(svg.dot(place(row.coverage), y, colour, size=5))
        said.append(f"{name} {100 * row.coverage:.0f} %")
    parts.append(svg.text(left, 166, "logs whose interval holds the truth, ± its own interval"))
    alt = (
        f"An effective sample size of {numbers['worth']:,.0f}. Of the 95 % intervals so many hold "
        f"the truth: {', '.join(said)}."
    )
    return svg.sheet(480, 174, parts, alt)


trust = Explorable(
    id="bias.trust",
    question="Popularity chose what was shown, more or less surely. How long must a log be until "
    "nine in ten of SNIPS' intervals hold the truth: at a sharpness of 1, and at 4? And how many "
    "rounds speak there?",
    goals=(
        Goal(
            "At a sharpness of 4, find a log for which nine in ten of the intervals of SNIPS hold.",
            lambda s, n: s["sharpness"] == 4 and n["snips holds"] >= 0.9,
            "It takes the longest log here, and few of its rounds speak.",
        ),
    ),
    controls=(
        Control("sharpness", "Sharpness of the log", {s: f"{s:g}" for s in SHARPNESS}, 1.0),
        Control("rounds", "Rounds in the log", {n: f"{n:,}" for n in ROUNDS}, 500, "slider"),
    ),
    compute=_compute,
    draw=_draw,
    labels={
        "worth": Quantity("effective sample size", high=None, places=0, unit="rounds"),
        "ips holds": "IPS: intervals that hold",
        "snips holds": "SNIPS: intervals that hold",
        "doubly_robust holds": "DR: intervals that hold",
        "ips error": "IPS: relative error",
        "snips error": "SNIPS: relative error",
        "doubly_robust error": "DR: relative error",
    },
)
