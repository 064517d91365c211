"""Pairs of items: AUC, ties, and concordant pairs."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from recsys_metrics import fraction_of_concordant_pairs, roc_auc
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.exercises.function import Case


def _auc(inputs: Inputs) -> float:
    good, bad = inputs["relevant"], inputs["other"]
    return float(roc_auc([1] * len(good) + [0] * len(bad), [*good, *bad]))


def _won(good: Sequence[float], bad: Sequence[float]) -> int:
    return sum(g > b for g in good for b in bad)


def _tied(inputs: Inputs) -> int:
    return sum(g == b for g in inputs["relevant"] for b in inputs["other"])


def _n_pairs(inputs: Inputs) -> int:
    return len(inputs["relevant"]) * len(inputs["other"])


def _solve(inputs: Inputs) -> dict[str, float]:
    n_pairs = _n_pairs(inputs)
    return {
        "pairs": n_pairs,
        "correct": _won(inputs["relevant"], inputs["other"]),
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


def _reversed(inputs: Inputs) -> dict[str, float]:
    lost = _won(inputs["other"], inputs["relevant"])
    return {"correct": lost, "auc": lost / _n_pairs(inputs)}


def _all_items(inputs: Inputs) -> dict[str, float]:
    n_items = len(inputs["relevant"]) + len(inputs["other"])
    n_pairs = n_items * (n_items - 1) // 2
    return {"pairs": n_pairs, "auc": _won(inputs["relevant"], inputs["other"]) / n_pairs}


def _side_by_side(inputs: Inputs) -> dict[str, float]:
    beside = list(zip(inputs["relevant"], inputs["other"], strict=False))
    won = sum(g > b for g, b in beside)
    return {"pairs": len(beside), "correct": won, "auc": won / len(beside)}


def _count(inputs: Inputs) -> dict[str, float]:
    return {"auc": _won(inputs["relevant"], inputs["other"])}


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


def _ties_won(inputs: Inputs) -> float:
    return (_won(inputs["relevant"], inputs["other"]) + _tied(inputs)) / _n_pairs(inputs)


def _ties_lost(inputs: Inputs) -> float:
    return _won(inputs["relevant"], inputs["other"]) / _n_pairs(inputs)


def _ties_dropped(inputs: Inputs) -> float:
    return _won(inputs["relevant"], inputs["other"]) / (_n_pairs(inputs) - _tied(inputs))


def _tied_auc_reversed_pairs(inputs: Inputs) -> Any:
    return 1 - _auc(inputs)


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


# Concordant pairs ----------------------------------------------------------------------------


def _fcp(inputs: Inputs) -> dict[str, float]:
    liked, ranked = inputs["liked"], inputs["ranked"]
    preference = [-liked.index(item) for item in ranked]
    scores = [-rank for rank in range(len(ranked))]
    share = fraction_of_concordant_pairs(preference, scores)
    n_pairs = len(ranked) * (len(ranked) - 1) // 2
    concordant = round(share * n_pairs)
    return {"concordant": concordant, "discordant": n_pairs - concordant, "fcp": share}


def _counted(concordant: int, discordant: int) -> dict[str, float]:
    share = concordant / (concordant + discordant)
    return {"concordant": concordant, "discordant": discordant, "fcp": share}


def _items_in_place(inputs: Inputs) -> dict[str, float]:
    in_place = sum(a == b for a, b in zip(inputs["liked"], inputs["ranked"], strict=True))
    return _counted(in_place, len(inputs["liked"]) - in_place)


def _changed_places(inputs: Inputs) -> dict[str, float]:
    right = _fcp(inputs)
    return _counted(int(right["discordant"]), int(right["concordant"]))


def _neighbours(inputs: Inputs) -> dict[str, float]:
    liked = inputs["liked"]
    kept = [liked.index(a) < liked.index(b) for a, b in pairwise(inputs["ranked"])]
    return _counted(sum(kept), len(kept) - sum(kept))


def _odds(inputs: Inputs) -> dict[str, float]:
    right = _fcp(inputs)
    return {"fcp": right["concordant"] / right["discordant"]}


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


def _share(liking: Sequence[float], scores: Sequence[float]) -> float:
    return float(fraction_of_concordant_pairs(liking, scores, ties="average"))


def _each_pair(
    liking: Sequence[float], scores: Sequence[float]
) -> Iterator[tuple[float, float, float]]:
    """Yield by how much each pair differs in liking, and the scores of the two."""
    for (a, s), (b, t) in combinations(zip(liking, scores, strict=True), 2):
        yield (a - b, s, t) if a >= b else (b - a, t, s)


def _mean(worth: Iterable[float]) -> float:
    values = list(worth)
    return sum(values) / len(values) if values else 0.0


def _pair_by(value: Callable[[float, float], float]) -> Callable[..., float]:
    """Return the mistake of giving each pair of the better one's score and the other's a value."""
    return lambda liking, scores: _mean(
        value(better, worse) for apart, better, worse in _each_pair(liking, scores) if apart
    )


def _equals_kept(liking: Sequence[float], scores: Sequence[float]) -> float:
    return _mean(
        (better > worse) + (better == worse) / 2 if apart else 0.0
        for apart, better, worse in _each_pair(liking, scores)
    )


def _equals_kept_as_order(liking: Sequence[float], scores: Sequence[float]) -> float:
    return _mean(
        (better > worse) + (better == worse) / 2
        for apart, better, worse in _each_pair(liking, scores)
    )


def _neighbours_alone(liking: Sequence[float], scores: Sequence[float]) -> float:
    both = list(zip(liking, scores, strict=True))
    return _mean(
        ((a > b) == (s > t)) if s != t else 0.5 for (a, s), (b, t) in pairwise(both) if a != b
    )


def _tied_left_out(liking: Sequence[float], scores: Sequence[float]) -> float:
    apart = [(s, t) for liked, s, t in _each_pair(liking, scores) if liked and s != t]
    return _mean(float(better > worse) for better, worse in apart)


def _not_shared(liking: Sequence[float], scores: Sequence[float]) -> float:
    return sum(
        (better > worse) + (better == worse) / 2
        for apart, better, worse in _each_pair(liking, scores)
        if apart
    )


def _liking(liking: Sequence[float], scores: Sequence[float], why: str = "") -> Case:
    return Case({"liking": [*liking], "scores": [*scores]}, why)


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
    _liking([5, 4, 2, 1], [4, 2, 3, 1], "only one pair is turned round"),
    _liking([5, 3, 3, 1], [0.9, 0.4, 0.7, 0.5], "two films are liked alike"),
    _liking([4, 2, 5, 1], [0.5, 0.5, 0.8, 0.2], "two scores are equal"),
    _liking([1, 2, 3], [0.9, 0.5, 0.1], "every pair is the wrong way round"),
    _liking([2, 5, 3, 3, 1], [3, 3, 3, 3, 3], "all scores are equal"),
    _liking([5, 1, 4, 2, 3], [0.3, 0.2, 0.9, 0.2, 0.6], "the best film is not the first"),
)

_write_fcp_ties_lost = _pair_by(lambda better, worse: float(better > worse))

_write_fcp_ties_won = _pair_by(lambda better, worse: float(better >= worse))


def _write_fcp_reversed_pairs(liking: Any, scores: Any) -> Any:
    return 1 - _share(liking, scores)


_write_fcp_reversed_pairs_2 = _pair_by(lambda better, worse: float(better < worse))


def _write_fcp_wrong_pairs_charged(liking: Any, scores: Any) -> Any:
    return 2 * _share(liking, scores) - 1
