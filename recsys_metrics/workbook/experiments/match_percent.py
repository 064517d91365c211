"""How likely is this person to like this film? The small model of chapter 05, and its three parts.

The chapter builds it step by step; its exercises start from the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics.datasets import MovieLens, load_movielens
from recsys_metrics.workbook.experiments.movielens import LIKED


@dataclass(frozen=True)
class MatchPercent:
    """All ratings in the order of time, and what the model said of each before it was given.

    Attributes
    ----------
    films : MovieLens
        Titles, years and genres, by film number.
    user, item : (n,) array of int
        Who rated what.
    liked : (n,) array of bool
        Four stars or more.
    score : (n,) array of float
        The probability that the model said.
    early, middle, late : array of int
        Rows to learn the base rate from, to fit a map on, and to judge it on: the oldest six
        tenths, the next two, the newest two.
    """

    films: MovieLens
    user: NDArray[np.signedinteger[Any]]
    item: NDArray[np.signedinteger[Any]]
    liked: NDArray[np.bool_]
    score: NDArray[np.float64]
    early: NDArray[np.int64]
    middle: NDArray[np.int64]
    late: NDArray[np.int64]

    def select_genre(self, genre: str) -> NDArray[np.bool_]:
        """Return which ratings are of a film with this genre."""
        has = np.array([genre in genres for genres in self.films.genres])
        return np.asarray(has[self.item])


@lru_cache(maxsize=1)
def movielens_match_percent() -> MatchPercent:
    """Return what the model says of every rating, from those before it alone."""
    films = load_movielens()
    log = films.interactions
    assert log.timestamp is not None
    log = log.take(np.argsort(log.timestamp, kind="stable"))
    assert log.rating is not None
    liked = log.rating >= LIKED
    n = len(liked)
    early, middle, late = np.split(np.arange(n), [n * 6 // 10, n * 8 // 10])
    base = liked[early].mean()
    score = _sigmoid(
        _log_odds(base) + sum(_evidence(group, liked, base) for group in (log.user, log.item))
    )
    return MatchPercent(films, log.user, log.item, liked, score, early, middle, late)


def _evidence(group: NDArray[Any], liked: NDArray[np.bool_], base: float) -> NDArray[np.float64]:
    """Return what the earlier ratings of a person or of a film add, as log-odds."""
    order = np.argsort(group, kind="stable")
    likes: NDArray[np.int64] = np.cumsum(liked[order]) - liked[order]
    first = np.searchsorted(group[order], group[order])
    back = np.argsort(order)
    rated = (np.arange(len(group)) - first)[back]
    found = _log_odds(((likes - likes[first])[back] + base) / (rated + 1)) - _log_odds(base)
    return np.asarray(found)


def _log_odds(p: Any) -> Any:
    return np.log(p / (1 - p))


def _sigmoid(z: Any) -> Any:
    return 1 / (1 + np.exp(-z))
