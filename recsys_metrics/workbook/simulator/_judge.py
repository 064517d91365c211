"""A simulated judge whose biases are known, and lists that people and the judge have labelled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics import ranking
from recsys_metrics._core.checks import Seed, generator

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

K = 10
POOL = 30
# A user without a relevant item has the value 0: people and the judge may not agree on who has one.
METRICS: Mapping[str, Callable[[ranking.Judged[FloatArray]], FloatArray]] = {
    "precision": partial(ranking.precision, k=K, no_relevant="zero"),
    "recall": partial(ranking.recall, k=K, no_relevant="zero"),
    "F1": partial(ranking.f_beta, k=K, no_relevant="zero"),
    "NDCG": partial(ranking.ndcg, k=K, no_relevant="zero"),
    "average precision": partial(ranking.average_precision, k=K, no_relevant="zero"),
    "reciprocal rank": partial(ranking.reciprocal_rank, k=K, no_relevant="zero"),
    "hit rate": partial(ranking.hit_rate, k=K, no_relevant="zero"),
    "RBP": partial(ranking.rank_biased_precision, k=K, p=0.8, no_relevant="zero"),
    "R-precision": partial(ranking.r_precision, no_relevant="zero"),
    "ERR": partial(ranking.expected_reciprocal_rank, k=K, max_grade=1, no_relevant="zero"),
}
"""What `JudgedLists.values` computes, all at 10 but R-precision; each lies between 0 and 1."""


@dataclass(frozen=True)
class SimulatedJudge:
    """A judge that makes known errors; no model is called.

    Attributes
    ----------
    hits, false_alarms : float
        The probability that it calls a relevant item relevant, and one that is not.
    verbosity : float
        What a description that is longer by one standard deviation adds to the log-odds of
        "relevant", or of being preferred.
    self_preference : float
        What a list of a recommender of the judge's own kind adds to the log-odds of each item.
    position : float
        What the first place adds to the log-odds of being preferred.
    list_effect : float
        Standard deviation of an error, in log-odds, that all labels of one list share.
    sharpness : float
        How much a difference of 1 in quality adds to the log-odds of being preferred.

    Examples
    --------
    >>> from recsys_metrics.workbook.simulator import SimulatedJudge
    >>> judge = SimulatedJudge(hits=0.9, false_alarms=0.2)
    >>> relevant = [[True] * 500 + [False] * 500]
    >>> said = judge.label(relevant, seed=0)
    >>> float(said[0, :500].mean().round(2)), float(said[0, 500:].mean().round(2))
    (0.88, 0.19)
    """

    hits: float = 0.85
    false_alarms: float = 0.2
    verbosity: float = 0.0
    self_preference: float = 0.0
    position: float = 0.0
    list_effect: float = 0.0
    sharpness: float = 4.0

    def label(
        self,
        relevant: ArrayLike,
        *,
        length: ArrayLike = 0.0,
        own_kind: bool = False,
        seed: Seed = 0,
    ) -> BoolArray:
        """Return whether the judge calls each item relevant.

        Parameters
        ----------
        relevant : (n, m) array of bool
            What people say.
        length : array that has this shape, or one number
            Of the descriptions, in standard deviations from their mean.
        own_kind : bool
            Whether a recommender of the judge's kind chose the items.
        seed : int or numpy Generator
        """
        rng = generator(seed)
        truth = np.asarray(relevant, dtype=bool)
        odds = np.where(truth, _logit(self.hits), _logit(self.false_alarms))
        odds = odds + self.verbosity * np.asarray(length) + self.self_preference * own_kind
        odds = odds + rng.normal(0, self.list_effect, (len(truth), 1))
        found: BoolArray = rng.random(truth.shape) < _logistic(odds)
        return found

    def prefer(
        self,
        quality_a: ArrayLike,
        quality_b: ArrayLike,
        *,
        length_a: ArrayLike = 0.0,
        length_b: ArrayLike = 0.0,
        swapped: bool = False,
        seed: Seed = 0,
    ) -> IntArray:
        """Return for each pair 1 if the judge prefers b, and -1 if it prefers a.

        Parameters
        ----------
        quality_a, quality_b : (n,) array of float
            How good people find the two, as a metric says.
        length_a, length_b : (n,) array of float
            Of the texts that describe them, in standard deviations.
        swapped : bool
            Whether b is presented first.
        seed : int or numpy Generator
        """
        first = self.position if swapped else -self.position
        odds = self.sharpness * (np.asarray(quality_b) - np.asarray(quality_a)) + first
        odds = odds + self.verbosity * (np.asarray(length_b) - np.asarray(length_a))
        return np.where(generator(seed).random(np.shape(odds)) < _logistic(odds), 1, -1)


@dataclass(frozen=True, eq=False)
class JudgedLists:
    """The lists of one recommender, with the labels of people and of a judge.

    Attributes
    ----------
    lists : (n, 10) array of int
        The items that are recommended, of the pool of the user, which are numbered from 0.
    human, machine : (n, 30) array of bool
        Which items of the pool people, and the judge, call relevant.
    """

    lists: IntArray
    human: BoolArray
    machine: BoolArray

    def values(self, metric: str, of: str = "human") -> FloatArray:
        """Return the value of each list by one of `METRICS`, from "human" or "machine" labels."""
        return np.asarray(METRICS[metric](self._judged[of]), dtype=np.float64)

    @cached_property
    def _judged(self) -> dict[str, ranking.Judged[FloatArray]]:
        from scipy import sparse  # not there where a page checks exercises

        return {
            name: ranking.judge(self.lists, sparse.csr_matrix(labels))
            for name, labels in (("human", self.human), ("machine", self.machine))
        }


@dataclass(frozen=True)
class JudgedCatalogue:
    """Users with a pool of items each, two recommenders that order it, and a judge of both.

    Attributes
    ----------
    judge : SimulatedJudge
    relevant : float
        The mean share of the pool that is relevant.
    spread : float
        How much this share differs between users: the standard deviation of its log-odds.
    old, new : float
        How well each recommender orders the pool: the difference in the mean score of relevant and
        of other items, in standard deviations of the scores. The new one is of the judge's kind.
    shared : float
        The correlation of the two recommenders' errors.

    Examples
    --------
    >>> from recsys_metrics.workbook.simulator import JudgedCatalogue, SimulatedJudge
    >>> old, new = JudgedCatalogue(SimulatedJudge(false_alarms=0.4)).draw(2_000, seed=0)
    >>> [round(float(old.values("precision", of).mean()), 2) for of in ("human", "machine")]
    [0.46, 0.61]
    """

    judge: SimulatedJudge
    relevant: float = 0.25
    spread: float = 0.8
    old: float = 1.0
    new: float = 1.2
    shared: float = 0.7

    def draw(self, n: int, *, seed: Seed = 0) -> tuple[JudgedLists, JudgedLists]:
        """Return what both recommenders recommend to n users, labelled by people and the judge."""
        rng = generator(seed)
        share = _logistic(_logit(self.relevant) + rng.normal(0, self.spread, (n, 1)))
        human = rng.random((n, POOL)) < share
        length = rng.normal(size=(n, POOL))
        common = rng.normal(size=(n, POOL)) * self.shared**0.5
        found: list[JudgedLists] = []
        for quality, own_kind in ((self.old, False), (self.new, True)):
            noise = common + rng.normal(size=(n, POOL)) * (1 - self.shared) ** 0.5
            lists = np.argsort(-(quality * human + noise), axis=1)[:, :K]
            # A judge asked once about an item gives one label; if it prefers its kind, it is asked
            # about the items of each recommender.
            if not found or self.judge.self_preference:
                machine = self.judge.label(human, length=length, own_kind=own_kind, seed=rng)
            found.append(JudgedLists(lists, human, machine))
        return found[0], found[1]


def _logit(share: ArrayLike) -> FloatArray:
    p = np.asarray(share, dtype=np.float64)
    return np.asarray(np.log(p) - np.log1p(-p))


def _logistic(odds: ArrayLike) -> FloatArray:
    return np.asarray(1 / (1 + np.exp(-np.asarray(odds, dtype=np.float64))))
