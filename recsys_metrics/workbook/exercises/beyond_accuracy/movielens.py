"""What real lists reach of what they could, and how much variety a little accuracy buys."""

from __future__ import annotations

from functools import cache

import numpy as np

from recsys_metrics import baselines, judge, ndcg, rank_from_scores
from recsys_metrics.beyond_accuracy import catalog_coverage, intra_list_diversity
from recsys_metrics.protocol.significance import gain_interval, mean_interval
from recsys_metrics.workbook.exercises import movielens
from recsys_metrics.workbook.exercises.base import Inputs
from recsys_metrics.workbook.experiments.movielens import keep_liked

_SHARE = 1 / 5


@cache
def _best_of_ease() -> movielens.Whole:
    """Return EASE's fifty best films for each user; a shorter list is their beginning."""
    data = movielens.experiment(_SHARE)
    model = baselines.EASE().fit(data.past)
    scores = model.scores(data.users, keep_liked(data.known))
    return rank_from_scores(scores, 50, exclude=data.seen)


# Coverage, as a share of what there is room for ----------------------------------------------


def _of_the_limit(inputs: Inputs) -> dict[str, float]:
    k, users = inputs["k"], inputs["users"]
    n_films = movielens.experiment(_SHARE).train.n_items
    coverage = catalog_coverage(_best_of_ease()[:users, :k], n_films)
    return {"coverage": coverage, "share": coverage / min(1.0, users * k / n_films)}


def _n_films() -> int:
    return int(movielens.experiment(_SHARE).train.n_items)


def _highest(inputs: Inputs) -> float:
    return min(1.0, float(inputs["users"] * inputs["k"] / _n_films()))


def _films_counted(inputs: Inputs) -> dict[str, float]:
    return {"coverage": round(_of_the_limit(inputs)["coverage"] * _n_films())}


def _limit_alone(inputs: Inputs) -> dict[str, float]:
    return {"share": _highest(inputs)}


def _times_limit(inputs: Inputs) -> dict[str, float]:
    return {"share": _of_the_limit(inputs)["coverage"] * _highest(inputs)}


def _of_one_list(inputs: Inputs) -> dict[str, float]:
    coverage = inputs["k"] / _n_films()
    return {"coverage": coverage, "share": coverage / _highest(inputs)}


def _draw_lists(rng: np.random.Generator) -> Inputs:
    lengths = [k for k in range(4, 41) if k != 10]
    return {"users": int(rng.integers(30, 130)), "k": int(rng.choice(lengths))}


# Variety for a little accuracy ----------------------------------------------------------------

_WEIGHTS = [weight / 10 for weight in range(1, 10)]


@cache
def _rerank(k: int, weight: float) -> movielens.Whole:
    """Return k of each user's fifty films, chosen as the chapter does, for all users at once."""
    fifty, genres = _best_of_ease(), movielens.experiment(_SHARE).features
    units = genres / np.linalg.norm(genres, axis=1, keepdims=True)
    rows = np.arange(len(fifty))
    place = np.linspace(1, 0, fifty.shape[1])
    nearest = np.zeros(fifty.shape)
    free = np.ones(fifty.shape, bool)
    chosen = []
    for _ in range(k):
        worth = np.where(free, (1 - weight) * place - weight * nearest, -np.inf)
        best = worth.argmax(axis=1)
        free[rows, best] = False
        chosen.append(fifty[rows, best])
        likeness = (units[fifty] @ units[chosen[-1]][:, :, None])[:, :, 0]
        nearest = np.maximum(nearest, likeness)
    return np.stack(chosen, axis=1)


@cache
def _values(k: int, weight: float) -> tuple[movielens.Reals, movielens.Reals]:
    """Return each user's NDCG and the diversity of each list."""
    data = movielens.experiment(_SHARE)
    films = _rerank(k, weight)
    diversity = intra_list_diversity(films, features=data.features)
    return ndcg(judge(films, data.truth), k=k), np.asarray(diversity)


@cache
def _most_lost(k: int, users: int, weight: float, *, paired: bool) -> float:
    """Return the most that the first users may lose on average, as a share of their NDCG."""
    before, after = _values(k, 0.0)[0][:users], _values(k, weight)[0][:users]
    if paired:
        lost = gain_interval(after, before, bounds=(0, 1)).high
    else:
        apart = mean_interval(before, bounds=(0, 1)), mean_interval(after, bounds=(0, 1))
        lost = apart[0].high - apart[1].low
    return float(lost / before.mean())


def _highest_weight(inputs: Inputs, *, paired: bool) -> dict[str, float]:
    k, users, budget = inputs["k"], inputs["users"], inputs["percent"] / 100
    kept = [w for w in inputs["weights"] if _most_lost(k, users, w, paired=paired) <= budget]
    weight = max(kept, default=0.0)
    return {"weight": weight, "diversity": float(_values(k, weight)[1][:users].mean())}


def _draw_budget(rng: np.random.Generator) -> Inputs:
    return {
        "weights": _WEIGHTS,
        "k": int(rng.choice([12, 16, 20, 24])),
        "users": int(rng.integers(90, 146)),
        "percent": int(rng.integers(3, 12)),
    }


def _variety_budget_solve(inputs: Inputs) -> dict[str, float]:
    return _highest_weight(inputs, paired=True)


def _diversity_before(inputs: Inputs) -> dict[str, float]:
    return {"diversity": float(_values(inputs["k"], 0.0)[1][: inputs["users"]].mean())}


def _variety_budget_unpaired(inputs: Inputs) -> dict[str, float]:
    return _highest_weight(inputs, paired=False)
