"""Explorables of chapter 08: human and machine labels combined, and the faults of a list."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.colors import BLUE, GREEN, GREY, VERMILION
from recsys_metrics.protocol.judges import (
    PredictionPowered,
    drop_faults,
    list_validity,
    prediction_powered_mean,
    replace_faults,
)
from recsys_metrics.protocol.significance import Interval, t_interval
from recsys_metrics.ranking import judge, ndcg, precision, reciprocal_rank
from recsys_metrics.workbook.charts.board import board
from recsys_metrics.workbook.charts.marks import group, upright
from recsys_metrics.workbook.charts.protocol import Scale
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.explorables import handles
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, Quantity, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess

FloatArray = NDArray[np.float64]

# Two kinds of labels ---------------------------------------------------------------------------

TRUTH, SPREAD, MACHINE = 0.5, 0.25, 2_000
"""Mean and standard deviation of the human values, and the number of the judge's lists."""

_PEOPLE = (25, 50, 100, 200, 400)
_BIASES = (-0.1, -0.05, 0.0, 0.05, 0.1)
_CORRELATIONS = (0.2, 0.5, 0.7, 0.9)
_WEIGHTS = {"optimal": "best", 1.0: "1", 0.0: "0"}


@cache
def _patterns(n: int) -> tuple[FloatArray, FloatArray]:
    """Return two rows of n values with mean 0, standard deviation 1, and no correlation."""
    from scipy.special import ndtri

    first = ndtri((np.arange(n) + 0.5) / n)
    first = first / first.std(ddof=1)
    other = np.random.default_rng(0).permutation(first)
    other = other - first * (first @ other) / (first @ first)
    return first, other / other.std(ddof=1)


@cache
def combine(people: int, bias: float, correlation: float, weight: float | str) -> PredictionPowered:
    """Return the prediction-powered mean of values with exactly these moments."""
    own, noise = _patterns(people)
    human = TRUTH + SPREAD * own
    off = correlation * own + (1 - correlation**2) ** 0.5 * noise
    machine, others = TRUTH + bias + SPREAD * off, TRUTH + bias + SPREAD * _patterns(MACHINE)[0]
    return prediction_powered_mean(human, machine, others, weight=weight)  # type: ignore[arg-type]


@cache
def judge_alone(bias: float) -> Interval:
    """Return the interval of the judge's own mean."""
    return t_interval(TRUTH + bias + SPREAD * _patterns(MACHINE)[0])


def _combined(state: State) -> PredictionPowered:
    return combine(state["people"], state["bias"], state["correlation"], state["weight"])


def _compute(state: State) -> Numbers:
    found, alone = _combined(state), judge_alone(state["bias"])
    return {
        "people": found.human.half_width,
        "judge": alone.half_width,
        "combined": found.half_width,
        "error": abs(alone.estimate - TRUTH),
        "labels": found.equivalent_labels,
        "weight": found.weight,
    }


_X = Scale(0.36, 0.64, 8, 472)
_ROWS = (14.0, 84.0, 140.0)


def _draw(state: State, numbers: Numbers) -> Picture:
    found, alone = _combined(state), judge_alone(state["bias"])
    misses = TRUTH not in alone
    says = (
        f"The judge alone {'misses' if misses else 'contains'} the truth; "
        f"{state['people']} lists are worth {numbers['labels']:,.0f}"
    )
    parts = [upright(_X(TRUTH), 0, _ROWS[2] + 28, GREY, wide=1.5)]
    rows = (
        ("human labels alone", found.human, BLUE),
        ("judge alone", alone, VERMILION if misses else GREEN),
        ("human labels and judge", found, GREEN),
    )
    for (name, interval, colour), y in zip(rows, _ROWS, strict=True):
        low, high = _X(interval.low), _X(interval.high)
        parts += [
            svg.text(0, y + 24, name),
            svg.box(low, y - 3, high - low, 6, colour),
            *(svg.box(x - 1.5, y - 9, 3, 18, colour) for x in (low, high)),
            svg.dot(_X(interval.estimate), y, colour, size=6),
        ]
    stops = [_X(TRUTH + bias) for bias in _BIASES]
    words = f"{state['bias']:+.2f}".replace("-", "−")
    parts.append(
        handles.drag("bias", stops, (_X(alone.estimate), _ROWS[1] - 26), along="x", words=words)
    )
    parts.append(svg.text(_X(TRUTH) + 8, _ROWS[2] + 24, "true mean"))
    top = _ROWS[2] + 42
    parts += [
        handles.button("people", str(state["people"]), (0, top, 148, 30), name="people:"),
        handles.button(
            "correlation", f"{state['correlation']:g}", (156, top, 170, 30), name="correlation:"
        ),
        handles.button("weight", _WEIGHTS[state["weight"]], (334, top, 146, 30), name="weight:"),
    ]
    alt = (
        f"Three 95% confidence intervals around a true mean of {TRUTH:g}. Human labels alone: "
        f"{found.human.low:.3f} to {found.human.high:.3f}. Judge alone: {alone.low:.3f} to "
        f"{alone.high:.3f}. Both: {found.low:.3f} to {found.high:.3f}."
    )
    return board(says, top + 36, parts, alt)


combined_labels = Explorable(
    id="judges.combined_labels",
    question="How many human labels does a judge save?",
    goals=(
        Goal(
            "Make 100 lists with human labels worth 250 or more.",
            lambda s, n: s["people"] == 100 and n["labels"] >= 250,
            "Only a judge whose values follow the human values closely saves that many.",
        ),
        Goal(
            "Make the combined interval wider than the one from human labels alone.",
            lambda s, n: n["combined"] > 1.05 * n["people"],
            "With weight 1, the noise of a poor judge is added; the optimal weight would be small.",
        ),
    ),
    guess=Guess(
        "The judge becomes more generous, from +0.05 to +0.10. The combined width will …",
        {"bias": 0.1},
        "combined",
        "The bias is the same in all lists, so the human labels remove it completely.",
    ),
    hint="Drag the judge; press the rest.",
    controls=(
        Control(
            "bias",
            "Bias of the judge",
            {bias: f"{bias:+.2f}".replace("-", "−") for bias in _BIASES},
            0.05,
            "slider",
        ),
        Control("people", "Lists with human labels", {n: str(n) for n in _PEOPLE}, 100, "press"),
        Control(
            "correlation",
            "Correlation between the judge's values and the human values",
            {r: f"{r:g}" for r in _CORRELATIONS},
            0.7,
            "press",
        ),
        Control("weight", "Weight of the judge", _WEIGHTS, "optimal", "press"),
    ),
    compute=_compute,
    draw=_draw,
    labels={
        "people": Quantity("Half-width, human labels", high=0.2),
        "judge": Quantity("Half-width, judge alone", high=0.2),
        "combined": Quantity("Half-width, both", high=0.2),
        "error": Quantity("Error of the judge alone", high=0.2),
        "labels": Quantity("Lists people would need to label", high=None, places=0),
        "weight": "Weight of the judge",
    },
    in_picture=("labels", "error"),
)

# Faults of a list ------------------------------------------------------------------------------

FILMS = "ABCDEF"
"""What the model writes if it makes no fault; C and E are relevant."""
RELEVANT = frozenset("CE")
CATALOG = (*"ABCDEFGH",)
_MAY_FAIL = (1, 2, 4, 6)
_KINDS = {"ok": "a film", "unknown": "does not exist", "repeat": "a repeat"}
_COUNTED = {"miss": "a miss", "drop": "removed"}
_SIDE, _STEP, _TOP = 64, 82, 30


def written(state: State) -> list[str]:
    """Return the list as the model wrote it."""
    found: list[str] = []
    for rank, film in enumerate(FILMS, 1):
        kind = state.get(f"slot{rank}", "ok")
        # The relevant film behind is not repeated in front of itself; the first has none before.
        found.append(
            {"ok": film, "unknown": f"Z{rank}", "repeat": found[0] if found else film}[kind]
        )
    return found


def _shown(state: State) -> list[str]:
    repair = replace_faults if state["counted"] == "miss" else drop_faults
    (shown,) = repair([written(state)], CATALOG, k=len(FILMS))
    return list(shown)


def _compute_faults(state: State) -> Numbers:
    judged = judge(_shown(state), RELEVANT)
    validity = list_validity([written(state)] * 2, CATALOG, k=len(FILMS))
    return {
        "valid": validity.valid.estimate,
        "precision": float(precision(judged, k=len(FILMS))),
        "ndcg": float(ndcg(judged, k=len(FILMS))),
        "reciprocal_rank": float(reciprocal_rank(judged, k=len(FILMS))),
    }


def _draw_faults(state: State, numbers: Numbers) -> Picture:
    wrote, shown = written(state), _shown(state)
    parts = [svg.text(0, 14, "the model wrote")]
    for rank, film in enumerate(wrote, 1):
        kind = state.get(f"slot{rank}", "ok")
        drawn = _slot(rank, film, _TOP, film in RELEVANT, "" if kind == "ok" else VERMILION)
        plate = (_left(rank), float(_TOP), float(_SIDE), float(_SIDE))
        if rank in _MAY_FAIL:
            drawn = [handles.press(f"slot{rank}", drawn, plate=plate, is_slot=True)]
        parts += drawn
    top = _TOP + _SIDE + 34
    parts.append(svg.text(0, top - 12, "the metrics read"))
    for rank in range(1, len(FILMS) + 1):
        film = shown[rank - 1] if rank <= len(shown) else ""
        real = film in CATALOG
        drawn = _slot(rank, film if real else "", top, film in RELEVANT, "")
        parts.append(group(drawn, opacity=1 if film else 0.4))
    foot = top + _SIDE + 12
    counted = _COUNTED[state["counted"]]
    parts.append(handles.button("counted", counted, (0, foot, 230, 30), name="a fault is"))
    faults = round(6 * (1 - numbers["valid"]))
    title = f"{faults} of 6 slots with a fault: NDCG {numbers['ndcg']:.3f}"
    number = "1 fault" if faults == 1 else f"{faults} faults"
    alt = (
        f"A list of six films with {number}, and what metrics read if a fault is "
        f"{counted}. NDCG is {numbers['ndcg']:.3f}."
    )
    return board(title, foot + 34, parts, alt)


def _left(rank: int) -> float:
    return 2.0 + _STEP * (rank - 1)


def _slot(rank: int, film: str, y: float, hit: bool, edge: str) -> list[str]:
    """Draw a slot; one with a fault has a coloured foot, and its mark says so."""
    x, ink = _left(rank), "#ffffff" if hit else ""
    mark = "✗" if edge else "●" if hit else "○" if film else "–"
    marks = [
        svg.box(x, y, _SIDE, _SIDE, BLUE if hit else ""),
        svg.text(x + _SIDE / 2, y + 25, film, anchor="middle", ink=ink, bold=True),
        svg.text(x + _SIDE / 2, y + 48, mark, anchor="middle", ink=ink),
    ]
    return [*marks, svg.box(x, y + _SIDE - 5, _SIDE, 5, edge)] if edge else marks


faulty_list = Explorable(
    id="judges.faulty_list",
    question="What does a fault of a generated list cost?",
    goals=(
        Goal(
            "With faults removed: raise NDCG to 1.",
            lambda s, n: s["counted"] == "drop" and n["ndcg"] == 1,
            "Each fault before a relevant film raises NDCG, although the model wrote a worse list.",
        ),
        Goal(
            "With faults as misses: make four faults and keep the reciprocal rank at 1/3.",
            lambda s, n: s["counted"] == "miss" and n["valid"] < 0.4,
            "A fault counted as a miss replaces a film that was not relevant either.",
        ),
    ),
    guess=Guess(
        "The film at rank 1 does not exist, and the fault counts as a miss. Precision@6 will …",
        {"slot1": "unknown"},
        "precision",
        "The film at rank 1 was not a hit, so the number of hits in the six slots is the same.",
    ),
    hint="Press ranks 1, 2, 4 and 6.",
    controls=(
        *(
            Control(
                f"slot{rank}",
                f"Rank {rank}",
                {key: words for key, words in _KINDS.items() if rank > 1 or key != "repeat"},
                "ok",
                "press",
            )
            for rank in _MAY_FAIL
        ),
        Control("counted", "A fault is", _COUNTED, "miss", "press"),
    ),
    compute=_compute_faults,
    draw=_draw_faults,
    labels={
        "valid": "Valid slots",
        "precision": "Precision@6",
        "ndcg": "NDCG@6",
        "reciprocal_rank": "Reciprocal rank",
    },
    in_picture=("valid", "ndcg"),
)

EXPLORABLES: tuple[Explorable, ...] = (combined_labels, faulty_list)
