"""Explorables of chapter 02, ranking."""

from __future__ import annotations

import itertools
import math
from functools import cache
from typing import Any

import numpy as np

from recsys_metrics._inputs.arrays import FloatArray
from recsys_metrics.ranking import (
    Judged,
    average_precision,
    f_beta,
    hit_rate,
    judge,
    ndcg,
    precision,
    recall,
    reciprocal_rank,
    roc_auc,
)
from recsys_metrics.workbook.explorables.base import Explorable
from recsys_metrics.workbook.explorables.control import Control, Numbers, State
from recsys_metrics.workbook.explorables.goals import Goal
from recsys_metrics.workbook.picture import Picture
from recsys_metrics.workbook.plots.ranking import bar_on_scores, each_of_them
from recsys_metrics.workbook.slots import ranked_list

SERVED = ("A", "B", "C", "D", "E")
MISSED = "G"
_START = {"B", "C", "E", MISSED}
_GRADES = {0: "○ not relevant", 1: "● relevant (1)", 3: "● loved (3)"}


def _relevance(item: str) -> Control:
    label = item if item != MISSED else f"{item} (not served)"
    return Control(item, label, _GRADES, int(item in _START))


def _grades(state: State) -> dict[str, int]:
    return {item: state[item] for item in (*SERVED, MISSED)}


@cache
def _judged() -> tuple[Judged[FloatArray], dict[tuple[int, ...], int]]:
    """Judge every list that the controls can make at once, and say where each is.

    A state alone takes a thousand times as long, and the book shows fourteen thousand.
    """
    rows = list(itertools.product(_GRADES, repeat=len(SERVED) + 1))
    truths = [dict(zip((*SERVED, MISSED), row, strict=True)) for row in rows]
    return judge([list(SERVED)] * len(rows), truths), {row: at for at, row in enumerate(rows)}


@cache
def _verdicts_of_all(k: int, gain: Any) -> dict[str, Any]:
    judged, _ = _judged()
    return {
        "hit_rate": hit_rate(judged, k),
        "precision": precision(judged, k),
        "recall": recall(judged, k),
        "f1": f_beta(judged, k),
        "reciprocal_rank": reciprocal_rank(judged, k),
        "average_precision": average_precision(judged, k),
        "ndcg": ndcg(judged, k, gain=gain),
    }


def _verdicts(state: State) -> Numbers:
    at = _judged()[1][tuple(_grades(state).values())]
    found = _verdicts_of_all(state["k"], state["gain"])
    return {name: float(values[at]) for name, values in found.items()}


def _list(state: State, numbers: Numbers) -> Picture:
    return ranked_list(SERVED, _grades(state), k=state["k"], bars=True)


verdicts = Explorable(
    id="ranking.verdicts",
    question="Move K from 1 to 10. Which verdicts only rise, which can fall, which stand still?",
    goals=(
        Goal(
            "Make recall 1 at a precision of a half or less.",
            lambda s, n: n["recall"] == 1 and n["precision"] <= 0.5,
            "All that was wanted is there, among as much again that was not.",
        ),
        Goal(
            "Make precision 1 with an NDCG below 1.",
            lambda s, n: n["precision"] == 1 and n["ndcg"] < 1,
            "Every rank is a hit; the best ones stand too low, or were missed.",
        ),
    ),
    controls=(
        Control("k", "K, ranks that count", {k: str(k) for k in range(1, 11)}, 5, "slider"),
        *(_relevance(item) for item in (*SERVED, MISSED)),
        Control(
            "gain",
            "Gain in NDCG",
            {"linear": "linear: the grade", "exponential": "exponential: 2^grade − 1"},
            "linear",
        ),
    ),
    compute=_verdicts,
    draw=_list,
    labels={
        "hit_rate": "Hit rate",
        "precision": "Precision",
        "recall": "Recall",
        "f1": "F1",
        "reciprocal_rank": "Reciprocal rank",
        "average_precision": "Average precision",
        "ndcg": "NDCG",
    },
)

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

EXPLORABLES = (verdicts, threshold)
