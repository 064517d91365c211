"""A simulated model that writes lists of films, with faults whose rates are known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core.checks import Seed, generator

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Requests:
    """Users, the candidates that a prompt presents for each of them, and what they want.

    Attributes
    ----------
    candidates : (n, m) array of int
        Films of the catalogue, without repeats.
    relevant : (n, m) array of bool
        Which of them the user wants.
    taste : (n, m) array of float
        What a good recommender knows of them: higher for relevant films, with errors.
    n_films : int
        Films of the catalogue, which are numbered from 0.

    Examples
    --------
    >>> from recsys_metrics.workbook.simulator import Requests
    >>> requests = Requests.draw(100, seed=0)
    >>> requests.candidates.shape, float(requests.relevant.mean().round(2))
    ((100, 20), 0.25)
    """

    candidates: IntArray
    relevant: BoolArray
    taste: FloatArray
    n_films: int

    @classmethod
    def draw(
        cls, n: int, *, n_candidates: int = 20, n_films: int = 500, seed: Seed = 0
    ) -> Requests:
        """Return requests of n users; about a quarter of their candidates is relevant."""
        rng = generator(seed)
        candidates = np.argsort(rng.random((n, n_films)), axis=1)[:, :n_candidates]
        relevant = rng.random((n, n_candidates)) < 0.25
        relevant[:, 0] |= ~relevant.any(axis=1)  # every user wants a film
        taste = 1.2 * relevant + rng.normal(size=(n, n_candidates))
        return cls(candidates, relevant, taste, n_films)

    @property
    def catalog(self) -> list[str]:
        """The titles of all films."""
        return [_title(film) for film in range(self.n_films)]

    @property
    def truth(self) -> list[set[str]]:
        """The titles that each user wants."""
        return [
            {_title(film) for film in films[wanted]}
            for films, wanted in zip(self.candidates, self.relevant, strict=True)
        ]

    def shuffle(self, seed: Seed) -> IntArray:
        """Return an order in which the candidates of each user are presented, from 0."""
        return generator(seed).random(self.candidates.shape).argsort(axis=1)


@dataclass(frozen=True)
class Writer:
    """A model that writes a list of titles and makes known faults; no model is called.

    Attributes
    ----------
    invented, repeated, unreadable : float
        The probability that a slot holds a title that does not exist, or one that the list has
        already, and that an answer cannot be read as a list at all.
    position : float
        How much an earlier place in the prompt adds to the score of a candidate, from 0 for the
        last place to this for the first.
    temperature : float
        Size of the random part of a score, which is another one in each run.
    drift : float
        Standard deviation of what a whole run adds to its quality, such as another version of the
        model behind the same name.
    memory : float
        What is added to the score of a film that the model remembers from its training data.

    Examples
    --------
    >>> from recsys_metrics.workbook.simulator import Requests, Writer
    >>> requests = Requests.draw(3, seed=0)
    >>> Writer(invented=0.4).write(requests, k=3, seed=1)[0]
    ['The Lost Film 8', 'film 92', 'film 269']
    """

    invented: float = 0.0
    repeated: float = 0.0
    unreadable: float = 0.0
    position: float = 0.0
    temperature: float = 0.0
    drift: float = 0.0
    memory: float = 0.0

    def write(
        self,
        requests: Requests,
        *,
        k: int = 10,
        order: IntArray | None = None,
        known: ArrayLike | None = None,
        seed: Seed = 0,
    ) -> list[list[str] | None]:
        """Return a list of k titles for each user, best first; None for an answer without a list.

        Parameters
        ----------
        requests : Requests
        k : int
        order : (n, m) array of int, optional
            In which order the candidates are presented, by their columns; as they are by default.
        known : (n, m) array of bool, optional
            Which candidates the model has seen together with the user in its training data.
        seed : int or numpy Generator
            Of the run.
        """
        rng = generator(seed)
        scores = self._scores(requests, order, known, rng)
        chosen = np.argsort(-scores, axis=1)[:, :k]
        films = np.take_along_axis(requests.candidates, chosen, axis=1)
        fault, which = rng.random(films.shape), rng.integers(10, size=films.shape)
        failed = rng.random(len(films)) < self.unreadable
        answers: list[list[str] | None] = []
        for row, faults, numbers, lost in zip(films, fault, which, failed, strict=True):
            titles: list[str] = []
            for film, luck, number in zip(row.tolist(), faults, numbers.tolist(), strict=True):
                if luck < self.invented:
                    titles.append(f"The Lost Film {number}")
                elif luck < self.invented + self.repeated and titles:
                    titles.append(titles[number % len(titles)])
                else:
                    titles.append(_title(film))
            answers.append(None if lost else titles)
        return answers

    def places(
        self, requests: Requests, *, k: int = 10, order: IntArray, seed: Seed = 0
    ) -> IntArray:
        """Return at which place, from 1, each recommended candidate was presented."""
        chosen = np.argsort(-self._scores(requests, order, None, generator(seed)), axis=1)[:, :k]
        return np.take_along_axis(_place(order), chosen, axis=1) + 1

    def _scores(
        self,
        requests: Requests,
        order: IntArray | None,
        known: ArrayLike | None,
        rng: np.random.Generator,
    ) -> FloatArray:
        quality = 1 + self.drift * rng.normal()
        scores = quality * requests.taste
        scores = scores + self.temperature * rng.gumbel(size=scores.shape)
        n_candidates = scores.shape[1]
        place = np.arange(n_candidates) if order is None else _place(order)
        scores = scores + self.position * (1 - place / (n_candidates - 1))
        if known is not None:
            scores = scores + self.memory * (np.asarray(known, dtype=bool) & requests.relevant)
        return np.asarray(scores)


def _place(order: IntArray) -> IntArray:
    """Return the place of each column in an order of the columns."""
    return np.asarray(order).argsort(axis=1)


def _title(film: int) -> str:
    return f"film {film}"
