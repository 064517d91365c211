"""A bar that is lowered through the scores of a model, and where it stands on two curves."""

from __future__ import annotations

import math

import numpy as np

from recsys_metrics.ranking import average_precision, precision, recall, roc_auc
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.picture import Picture
from recsys_metrics.workbook.plots.ranking import bar_on_scores, each_of_them

_ORDERS = {
    "good": (1, 1, 0, 1, 0, 0, 0, 0),
    "fair": (1, 0, 0, 1, 0, 1, 0, 0),
    "turned": (0, 0, 0, 0, 1, 0, 1, 1),
}


def _at_the_bar(state: State) -> Numbers:
    hits, times, above = _ORDERS[state["order"]], state["times"], state["above"]
    judged = each_of_them(hits, times)
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


def _bar(state: State, numbers: Numbers) -> Picture:
    above, times = state["above"], state["times"]
    marks = "".join("●" if hit else "○" for hit in _ORDERS[state["order"]])
    precise = numbers["precision"]
    says = f"recall {numbers['recall']:.2f}, "
    says += "no precision yet" if math.isnan(precise) else f"precision {precise:.2f}"
    each = "" if times == 1 else f", each ○ {times} items"
    alt = f"Items by score: {marks}{each}; the bar lets {above} of 8 through: {says}. "
    alt += f"AUC {numbers['auc']:.2f}, average precision {numbers['average_precision']:.2f}."
    title = f"{above} of 8 above the bar: {says}"
    return bar_on_scores(_ORDERS[state["order"]], above, times, title=title, alt=alt)


threshold = Explorable(
    id="ranking.threshold",
    question="Lower the bar and follow the dots. Then let each of the others stand for ten: which "
    "curve moves, and which does not notice?",
    goals=(
        Goal(
            "Find all relevant items at a precision below a quarter, with an AUC above nine "
            "tenths.",
            lambda s, n: n["recall"] == 1 and n["precision"] < 1 / 4 and n["auc"] > 0.9,
            "AUC counts shares of the others; a reader of the list meets their number.",
        ),
    ),
    controls=(
        Control("above", "Items above the bar", {n: str(n) for n in range(9)}, 2, "slider"),
        Control(
            "order",
            "The model puts relevant items",
            {"good": "mostly on top", "fair": "here and there", "turned": "at the bottom"},
            "good",
        ),
        Control("times", "Each other item stands for", {1: "one", 10: "ten"}, 1),
    ),
    compute=_at_the_bar,
    draw=_bar,
    labels={
        "recall": "recall: relevant items above the bar",
        "others": "share of the others above the bar",
        "precision": "precision above the bar",
        "auc": "AUC, area under the left curve",
        "average_precision": "average precision, area under the steps on the right",
    },
)
