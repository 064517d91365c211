"""Pairs of items: AUC, ties, group AUC, negative sampling, and concordant pairs."""

from __future__ import annotations

import string
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from recsys_metrics import fraction_of_concordant_pairs, group_auc, roc_auc
from recsys_metrics.calibration import correct_negative_sampling
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.function import Case


def _auc(inputs: Inputs) -> float:
    good, bad = inputs["relevant"], inputs["other"]
    return float(roc_auc([1] * len(good) + [0] * len(bad), [*good, *bad]))


def _solve(inputs: Inputs) -> dict[str, float]:
    good, bad = inputs["relevant"], inputs["other"]
    return {
        "pairs": len(good) * len(bad),
        "correct": sum(g > b for g in good for b in bad),
        "auc": _auc(inputs),
    }


def _draw(rng: np.random.Generator) -> dict[str, Any]:
    """Return two to four scores a side, all different."""
    n_good, n_bad = (int(n) for n in rng.integers(2, 5, size=2))
    scores = [int(s) / 100 for s in rng.permutation(np.arange(5, 100, 5))[: n_good + n_bad]]
    return {
        "relevant": sorted(scores[:n_good], reverse=True),
        "other": sorted(scores[n_good:], reverse=True),
    }


# Ties ----------------------------------------------------------------------------------------


def _draw_tied(rng: np.random.Generator) -> dict[str, Any]:
    """Return scores of which some stand on both sides."""
    values = rng.permutation(np.arange(5, 100, 5)) / 100
    n_good, n_bad = int(rng.integers(3, 6)), int(rng.integers(3, 6))
    good, bad = values[:n_good], values[n_good : n_good + n_bad].copy()
    n_ties = int(rng.integers(1, 3))
    bad[:n_ties] = good[:n_ties]
    return {
        "relevant": sorted(good.tolist(), reverse=True),
        "other": sorted(bad.tolist(), reverse=True),
    }


# AUC with one line missing -------------------------------------------------------------------


def _auc_of(relevant: Sequence[float], other: Sequence[float]) -> float:
    return _auc({"relevant": relevant, "other": other})


def _scores(relevant: Sequence[float], other: Sequence[float], why: str = "") -> Case:
    return Case({"relevant": [*relevant], "other": [*other]}, why)


def _draw_scores(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return scores of both kinds, most with ties between the kinds."""
    drawn = []
    for _ in range(6):
        values = rng.permutation(np.arange(5, 100, 5))[:6] / 100
        good = rng.choice(values, int(rng.integers(2, 6))).tolist()
        drawn.append(_scores(good, rng.choice(values, int(rng.integers(2, 6))).tolist()))
    return tuple(drawn)


_complete_auc_cases = (
    _scores([0.7, 0.2], [0.5, 0.2, 0.1], "two scores are equal"),
    _scores([0.9, 0.8, 0.3], [0.6, 0.4]),
    _scores([0.5, 0.5], [0.5, 0.5, 0.5], "all scores are equal"),
    _scores([0.1], [0.6, 0.9], "every pair is the wrong way round"),
    _scores([3, 1, 2], [2, 0, 2, 1], "the scores are counts"),
)


# In words ------------------------------------------------------------------------------------


def _explain_auc_draw(rng: np.random.Generator) -> Any:
    return {
        "films": int(rng.choice([5000, 9000, 20000])),
        "auc": float(rng.choice([0.92, 0.95, 0.97])),
    }


# Group AUC -----------------------------------------------------------------------------------


def _group_auc(inputs: Inputs) -> dict[str, float]:
    labels: list[int] = []
    scores: list[float] = []
    users: list[str] = []
    for user in ("ann", "bob", "cem"):
        for kind, label in (("clicked", 1), ("other", 0)):
            given = inputs.get(f"{user}_{kind}", [])
            labels += [label] * len(given)
            scores += given
            users += [user] * len(given)
    one_each = {
        user: _auc({"relevant": inputs[f"{user}_clicked"], "other": inputs[f"{user}_other"]})
        for user in ("ann", "bob")
    }
    return {**one_each, "gauc": group_auc(labels, scores, users)}


def _draw_users(rng: np.random.Generator) -> Inputs:
    """Return scores of three users, all different, of whom two have pairs."""
    while True:
        scores = (rng.permutation(np.arange(2, 98)) / 100).tolist()
        sizes = {
            "ann_clicked": int(rng.integers(2, 4)),
            "ann_other": int(rng.integers(2, 5)),
            "bob_clicked": int(rng.integers(1, 3)),
            "bob_other": int(rng.integers(2, 4)),
            "cem_other": int(rng.integers(2, 4)),
        }
        drawn = {
            name: sorted((scores.pop() for _ in range(n)), reverse=True)
            for name, n in sizes.items()
        }
        found = _group_auc(drawn)
        if 0 < found["ann"] < 1 and found["bob"] > 0 and found["ann"] != found["bob"]:
            return drawn


# Negative sampling ---------------------------------------------------------------------------


def _undo_sampling(inputs: Inputs) -> dict[str, float]:
    predicted, share = inputs["predicted"], inputs["share"]
    (corrected,) = correct_negative_sampling([predicted], sampling_rate=share).tolist()
    return {"odds": predicted / (1 - predicted), "corrected": corrected}


def _draw_sampling(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "share": float(rng.choice([0.02, 0.04, 0.05, 0.08, 0.1, 0.15, 0.2, 0.25])),
        "predicted": int(rng.integers(15, 90)) / 100,
    }


# Concordant pairs ----------------------------------------------------------------------------


def _fcp(inputs: Inputs) -> dict[str, float]:
    liked, ranked = inputs["liked"], inputs["ranked"]
    preference = [-liked.index(item) for item in ranked]
    scores = [-rank for rank in range(len(ranked))]
    share = fraction_of_concordant_pairs(preference, scores)
    n_pairs = len(ranked) * (len(ranked) - 1) // 2
    concordant = round(share * n_pairs)
    return {"concordant": concordant, "discordant": n_pairs - concordant, "fcp": share}


def _draw_order(rng: np.random.Generator) -> dict[str, Any]:
    """Return an order of four to six items that keeps some pairs and breaks some."""
    liked = list(string.ascii_uppercase[: int(rng.integers(4, 7))])
    # Every count is as likely as another: of orders drawn blindly most keep half of the pairs.
    wanted = int(rng.integers(1, len(liked) * (len(liked) - 1) // 2))
    while True:
        ranked = [str(item) for item in rng.permutation(liked)]
        if sum(a < b for a, b in combinations(ranked, 2)) == wanted:
            return {"liked": liked, "ranked": ranked}


# FCP from its first line ---------------------------------------------------------------------


def _share(preference: Sequence[float], scores: Sequence[float]) -> float:
    return float(fraction_of_concordant_pairs(preference, scores, ties="average"))


def _at_the_same_place(preference: Sequence[float], scores: Sequence[float]) -> float:
    films = range(len(preference))
    liked, scored = (sorted(films, key=lambda film: -of[film]) for of in (preference, scores))
    return sum(map(int.__eq__, liked, scored)) / len(films)


def _right_over_wrong(preference: Sequence[float], scores: Sequence[float]) -> float:
    share = _share(preference, scores)
    return share / (1 - share) if share < 1 else 1.0


def _strictly_right_over_wrong(preference: Sequence[float], scores: Sequence[float]) -> float:
    films = range(len(preference))
    gaps = [scores[a] - scores[b] for a in films for b in films if preference[a] > preference[b]]
    wrong = sum(gap < 0 for gap in gaps)
    return sum(gap > 0 for gap in gaps) / wrong if wrong else 1.0


def _liking(preference: Sequence[float], scores: Sequence[float], why: str = "") -> Case:
    return Case({"preference": [*preference], "scores": [*scores]}, why)


def _draw_liking(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return stars of five to eight films, some alike, and scores of which some tie."""
    drawn: list[Case] = []
    while len(drawn) < 6:
        n = int(rng.integers(5, 9))
        stars = [int(star) for star in rng.integers(1, 6, n)]
        scores = [int(score) / 10 for score in rng.integers(1, 10, n)]
        if len(set(stars)) > 1 and len(set(scores)) < n and len(set(stars)) < n:
            drawn.append(_liking(stars, scores))
    return tuple(drawn)


_write_fcp_cases = (
    _liking([5, 4, 2, 1], [4, 2, 3, 1], "only one pair is reversed"),
    _liking([5, 3, 3, 1], [0.9, 0.4, 0.7, 0.5], "two films are liked alike"),
    _liking([4, 2, 5, 1], [0.5, 0.5, 0.8, 0.2], "two scores are equal"),
    _liking([1, 2, 3], [0.9, 0.5, 0.1], "every pair is the wrong way round"),
    _liking([2, 5, 3, 3, 1], [3, 3, 3, 3, 3], "all scores are equal"),
    _liking([5, 1, 4, 2, 3], [0.3, 0.2, 0.9, 0.2, 0.6], "the best film is not the first"),
)
