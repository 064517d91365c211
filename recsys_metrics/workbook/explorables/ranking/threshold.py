"""A threshold that is lowered through the scores of a model, and its point on two curves."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from recsys_metrics._core.colors import BLUE, ORANGE
from recsys_metrics.ranking import average_precision, precision, recall, roc_auc
from recsys_metrics.workbook.charts.board import board, slot
from recsys_metrics.workbook.charts.marks import upright
from recsys_metrics.workbook.charts.protocol import Scale
from recsys_metrics.workbook.charts.ranking import repeat_negatives
from recsys_metrics.workbook.common import svg
from recsys_metrics.workbook.common.picture import Picture
from recsys_metrics.workbook.explorables import handles
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.explorables.guess import Guess

_ORDERS = {
    "good": (1, 1, 0, 1, 0, 0, 0, 0),
    "fair": (1, 0, 0, 1, 0, 1, 0, 0),
    "turned": (0, 0, 0, 0, 1, 0, 1, 1),
}


def _at_the_bar(state: State) -> Numbers:
    hits, times, above = _ORDERS[state["order"]], state["times"], state["above"]
    judged = repeat_negatives(hits, times)
    here = sum(1 if hit else times for hit in hits[:above])
    labels = judged.gains.ravel()
    found = float(recall(judged, here)) if here else 0.0
    return {
        "recall": found,
        "others": (here - found * sum(hits)) / float((labels == 0).sum()),
        "precision": float(precision(judged, here)) if here else math.nan,
        "auc": roc_auc(labels, -np.arange(len(labels))),
        "average_precision": float(average_precision(judged)),
    }


_STEP, _SIDE, _TOP = 58, 46, 4
_ENDS = [max(above * _STEP - 6, 2) for above in range(9)]


def _bar(state: State, numbers: Numbers) -> Picture:
    hits, above, times = _ORDERS[state["order"]], state["above"], state["times"]
    parts = []
    for place, hit in enumerate(hits):
        mark = "●" if hit else ("○" if times == 1 else f"{times}○")
        drawn = slot(place * _STEP + 0.7, _TOP, _SIDE, mark, BLUE if hit else "")
        parts.append(f'<g opacity="{1 if place < above else 0.4}">{"".join(drawn)}</g>')
    parts += _curves(hits, above, times)
    line, at = upright(_ENDS[above], 0, 55, ORANGE), (_ENDS[above], 68.5)
    parts.append(
        handles.drag("above", _ENDS, at, along="x", parts=[line], words=f"{above} of 8", wide=98)
    )
    return board("", 258, parts, _alt(state, numbers))


def _curves(hits: Sequence[int], above: int, times: int) -> list[str]:
    """Draw the two curves with a dot at the threshold."""
    judged = repeat_negatives(hits, times)
    n_all, n_relevant = judged.gains.shape[-1], sum(hits)
    # Counted at every item, though the threshold is only between the drawn ones.
    found = [0.0, *(float(recall(judged, k)) for k in range(1, n_all + 1))]
    exact = [float(precision(judged, k)) for k in range(1, n_all + 1)]
    others = [k - n_relevant * share for k, share in enumerate(found)]
    here = sum(1 if hit else times for hit in hits[:above])
    parts: list[str] = []
    for left, across, up, at, names in (
        (26.0, others, found, here, ("false positive rate", "ROC: true positive rate")),
        (284.0, found[1:], exact, max(here, 1) - 1, ("recall", "precision")),
    ):
        x, y = Scale(0, max(across), left, left + 186), Scale(0, 1, 224, 118)
        if left < 100:
            parts.append(svg.line(x.start, y(0), x.end, y(1), dashed=True))
        parts.append(svg.stroke([(x(a), y(b)) for a, b in zip(across, up, strict=True)], BLUE))
        parts.append(svg.dot(x(across[at]), y(up[at]), ORANGE, size=8 if here or left < 100 else 0))
        parts.append(svg.line(x.start, y(0), x.end, y(0)))
        parts.append(svg.line(x.start, y(0), x.start, y(1)))
        parts += [svg.text(x.start - 6, y(end) + 6, f"{end}", anchor="end") for end in (0, 1)]
        parts.append(svg.text(x.start, y(1) - 9, names[1]))
        parts.append(svg.text(x.end, y(0) + 21, names[0], anchor="end"))
    return parts


def _alt(state: State, numbers: Numbers) -> str:
    above, times = state["above"], state["times"]
    marks = "".join("●" if hit else "○" for hit in _ORDERS[state["order"]])
    says = f"recall {numbers['recall']:.2f}, "
    precise = numbers["precision"]
    says += "precision not defined" if math.isnan(precise) else f"precision {precise:.2f}"
    each = "" if times == 1 else f", each ○ {times} items"
    return (
        f"Items by score: {marks}{each}; {above} of 8 are above the threshold: {says}. AUC "
        f"{numbers['auc']:.2f}, average precision {numbers['average_precision']:.2f}."
    )


threshold = Explorable(
    id="ranking.threshold",
    question="Does catalogue size change a curve?",
    goals=(
        Goal(
            "Make recall 1 with precision below 0.25 and AUC above 0.9.",
            lambda s, n: n["recall"] == 1 and n["precision"] < 1 / 4 and n["auc"] > 0.9,
            "AUC depends on fractions of the other items, but a user of the list sees their "
            "number.",
        ),
    ),
    controls=(
        Control("above", "Items above the threshold", {n: str(n) for n in range(9)}, 2, "slider"),
        Control(
            "order",
            "Relevant items are",
            {"good": "mostly at the top", "fair": "spread out", "turned": "at the bottom"},
            "good",
        ),
        Control("times", "Each ○ represents", {1: "one item", 10: "ten items"}, 1),
    ),
    compute=_at_the_bar,
    draw=_bar,
    labels={
        "recall": "Recall",
        "others": "False positive rate",
        "precision": "Precision",
        "auc": "AUC, left area",
        "average_precision": "Average precision",
    },
    guess=Guess(
        "Each ○ becomes 10 items. AUC will …",
        {"times": 10},
        "auc",
        "AUC is the fraction of pairs in the right order, and every pair now occurs 10 times.",
    ),
)
