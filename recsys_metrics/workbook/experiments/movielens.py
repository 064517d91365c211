"""The experiment that every chapter judges: MovieLens, cut by time, and four recommenders.

Chapter 02 builds it step by step. The later chapters start from its result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from recsys_metrics import baselines
from recsys_metrics._core.sorted_arrays import distinct
from recsys_metrics.datasets import MovieLens, load_movielens
from recsys_metrics.interactions import Interactions, concatenate
from recsys_metrics.protocol import leave_last_n_out, temporal_split
from recsys_metrics.workbook.experiments.recommendation_cache import recommended_lists

LIKED = 4.0
"""Stars from which on a film counts as liked."""
_LONGEST = 50


@dataclass(frozen=True)
class MovieLensExperiment:
    """MovieLens cut by time, the people it is tested on, and what four models show them.

    Attributes
    ----------
    films : MovieLens
        The ratings, titles, years and genres.
    train : Interactions
        All ratings before the cut-off time; models learn from those of four stars or more.
    known : Interactions
        What is known when the lists are made: `train`, and the first half of what each user
        rates after the cut-off time.
    hidden : Interactions
        The second half.
    users : array of int, shape (n_users,)
        Those who liked at least one held-out film, in the order of every row below.
    seen : sparse array, shape (n_users, n_items)
        Films each of them has rated already; they are not recommended again.
    truth : sparse array, shape (n_users, n_items)
        1 for each held-out film that the user liked, whatever the stars.
    """

    films: MovieLens
    train: Interactions
    known: Interactions
    hidden: Interactions
    users: NDArray[np.signedinteger[Any]]
    seen: Any
    truth: Any

    @property
    def past(self) -> Interactions:
        """The liked films of the training time, which the models learned from."""
        return keep_liked(self.train)

    @cached_property
    def models(self) -> Mapping[str, Any]:
        """Name to fitted recommender: random, popularity, item kNN, EASE."""
        return {name: model.fit(self.past) for name, model in recommenders().items()}

    @cached_property
    def scores(self) -> dict[str, NDArray[np.float64]]:
        """Every model's score for every film, users x films."""
        history = keep_liked(self.known)
        return {name: model.scores(self.users, history) for name, model in self.models.items()}

    @cached_property
    def features(self) -> NDArray[np.float64]:
        """Films x genres, 1 where a film has the genre; the last column says it has none."""
        names = sorted({genre for genres in self.films.genres for genre in genres})
        column = {genre: place for place, genre in enumerate(names)}
        table = np.zeros((len(self.films.genres), len(names) + 1))
        for film, genres in enumerate(self.films.genres):
            table[film, [column[genre] for genre in genres] or [len(names)]] = 1
        return table

    def lists(self, k: int = 10) -> dict[str, NDArray[np.intp]]:
        """Return every model's k best films that the user has not rated, users x k."""
        if not 1 <= k <= _LONGEST:
            return self._lists(k)
        return {name: lists[:, :k].copy() for name, lists in self._longest.items()}

    @cached_property
    def _longest(self) -> dict[str, NDArray[np.intp]]:
        """The lists that shorter ones are the beginning of: one fit serves them all."""
        return self._lists(_LONGEST)

    def _lists(self, k: int) -> dict[str, NDArray[np.intp]]:
        history = keep_liked(self.known)
        return {
            name: recommended_lists(
                model, self.past, self.users, history=history, seen=self.known, k=k
            )
            for name, model in recommenders().items()
        }


def recommenders() -> dict[str, Any]:
    """Return the four recommenders, not yet fitted, with the settings that chapter 04 chooses."""
    return {
        "random": baselines.RandomScores(seed=0),
        "popularity": baselines.Popularity(),
        "item kNN": baselines.ItemKNN(),
        "EASE": baselines.EASE(),
    }


def keep_liked(ratings: Interactions) -> Interactions:
    """Return the ratings of four stars or more."""
    if ratings.rating is None:
        raise ValueError("these interactions have no ratings, so none of them can be called liked")
    return ratings.take(ratings.rating >= LIKED)


@cache
def movielens_experiment(
    test_share: float = 1 / 5, edition: Literal["latest-small", "1m"] = "latest-small"
) -> MovieLensExperiment:
    """Cut MovieLens by time as chapter 02 does; its four recommenders are fitted when needed.

    Parameters
    ----------
    test_share : float
        Which share of the ratings, the latest, comes after the cut-off time.
    edition : {"latest-small", "1m"}
        Which ratings; the second is looked for where `datasets.fetch_movielens` puts it.

    Returns
    -------
    Experiment
        The same on every machine, and one value for each cut: who asks again gets the same.
    """
    films = _movielens(edition)
    train, later = temporal_split(films.interactions, test_share=test_share)
    first_half, hidden = leave_last_n_out(later, share=1 / 2)
    known = concatenate([train, first_half])
    users = distinct(keep_liked(hidden).user)
    return MovieLensExperiment(
        films=films,
        train=train,
        known=known,
        hidden=hidden,
        users=users,
        seen=known.matrix()[users],
        truth=keep_liked(hidden).matrix()[users],
    )


@cache
def _movielens(edition: Literal["latest-small", "1m"]) -> MovieLens:
    # Every cut is of the same ratings.
    return load_movielens(edition)
