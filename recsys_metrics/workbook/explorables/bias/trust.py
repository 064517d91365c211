"""Which log may be trusted: coverage of 95% intervals by overlap and length."""

from __future__ import annotations

import math
from functools import lru_cache

from recsys_metrics._core.colors import BLUE, GREEN, ORANGE
from recsys_metrics._core.confidence_intervals import of_proportion
from recsys_metrics.workbook.charts.board import axes, board
from recsys_metrics.workbook.charts.marks import spread_apart, upright
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


_LENGTH = Scale(ROUNDS[0], ROUNDS[-1], 64, 400, math.log10)
_SHARE = Scale(0.4, 1, 206, 74)


def _draw(state: State, numbers: Numbers) -> Picture:
    sharpness, rounds = state["sharpness"], state["rounds"]
    parts = axes(
        _LENGTH,
        _SHARE,
        x_ticks={float(n): f"{n:,}" for n in ROUNDS},
        y_ticks={0.4: "40%", 0.6: "60%", 0.8: "80%", 1.0: "100%"},
        x_label="impressions in the log",
        y_label="",
    )
    promised = _SHARE(0.95)
    parts.append(svg.line(_LENGTH.start, promised, _LENGTH.end, promised, wide=1.5, dashed=True))
    x, stops = _LENGTH(rounds), [_LENGTH(n) for n in ROUNDS]
    moved = [upright(x, 62, _SHARE.start, ORANGE)]
    ends = [_SHARE(_by_setting()[sharpness, ROUNDS[-1]][key].coverage) for key in _NAMES]
    apart = spread_apart(ends, 19, 70, _SHARE.start)
    for (key, (name, colour)), end in zip(_NAMES.items(), apart, strict=True):
        rows = [_by_setting()[sharpness, n][key] for n in ROUNDS]
        parts.append(svg.stroke([(_LENGTH(r.rounds), _SHARE(r.coverage)) for r in rows], colour))
        parts.append(svg.text(_LENGTH.end + 10, end + 6, name, bold=True))
        here = next(row for row in rows if row.rounds == rounds)
        low, high = (float(side) for side in of_proportion(here.n_covered, here.logs, 0.95))
        moved.append(svg.box(x - 2, _SHARE(high), 4, _SHARE(low) - _SHARE(high), colour))
        moved.append(svg.dot(x, _SHARE(here.coverage), colour, size=6))
    words = f"{rounds:,}"
    parts.append(
        handles.drag("rounds", stops, (x, 49), along="x", parts=moved, words=words, wide=104)
    )
    parts.append(
        handles.button("sharpness", f"{sharpness:g}", (232, 0, 230, 28), name="inverse temperature")
    )
    shares = ", ".join(f"{name} {numbers[f'{key} holds']:.0%}" for key, (name, _) in _NAMES.items())
    alt = (
        f"An effective sample size of {numbers['worth']:,.0f} from {rounds:,} impressions. Of the "
        f"95% confidence intervals these contain the truth: {shares}."
    )
    return board(f"Coverage: {shares}", _SHARE.start + 46, parts, alt)


trust = Explorable(
    id="bias.trust",
    question="How long must a log be for reliable confidence intervals?",
    hint="Dashed: the nominal coverage of 95%.",
    guess=Guess(
        "Inverse temperature 4, not 1. The coverage of SNIPS intervals will …",
        {"sharpness": 4.0},
        "snips holds",
        "A confidence interval is computed from the weights in the log, and this log has "
        "few of the "
        "largest weights.",
    ),
    goals=(
        Goal(
            "Inverse temperature 4: make 90% of SNIPS intervals contain the truth.",
            lambda s, n: s["sharpness"] == 4 and n["snips holds"] >= 0.9,
            "This takes the longest log, whose effective sample size is only about 300.",
        ),
    ),
    controls=(
        Control(
            "sharpness",
            "Inverse temperature of the logging policy",
            {s: f"{s:g}" for s in SHARPNESS},
            1.0,
            "press",
        ),
        Control("rounds", "Impressions in the log", {n: f"{n:,}" for n in ROUNDS}, 500, "slider"),
    ),
    compute=_compute,
    draw=_draw,
    labels={
        "worth": Quantity("ESS", high=None, places=0),
        "ips holds": "IPS: coverage",
        "snips holds": "SNIPS: coverage",
        "doubly_robust holds": "DR: coverage",
        "ips error": "IPS: error",
        "snips error": "SNIPS: error",
        "doubly_robust error": "DR: error",
    },
    in_picture=("ips holds", "snips holds", "doubly_robust holds"),
)
