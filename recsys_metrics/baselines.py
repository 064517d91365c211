"""Small honest recommenders, so that real lists exist.

Each is a few lines of numpy and scipy: `fit` learns from interactions, `scores` answers with
one row per user and one column per item. Seen items are scored too; leave them out when you
rank, with `rank_from_scores(…, exclude=…)`.

The default settings did best on a validation split inside the first four fifths of MovieLens
latest-small; choose your own on your own data.

Stable: names and meanings stay from now on, and the changelog announces any change. Default
settings, and with them the lists, may change.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core.checks import MOST_ENTRIES, check_at_least, check_count, check_positive
from recsys_metrics._core.inputs.arrays import FloatArray, as_array
from recsys_metrics.interactions import Interactions, check_interactions

__all__ = ["EASE", "ItemKNN", "Popularity", "RandomScores"]


def __dir__() -> list[str]:
    return __all__


class _Baseline(ABC):
    """What the baselines share: the training table and the check that there is one."""

    _train: Interactions | None = None

    def fit(self, interactions: Interactions) -> Self:
        """Learn from interactions.

        Parameters
        ----------
        interactions : Interactions
            The training events.

        Returns
        -------
        self
        """
        check_interactions("interactions", interactions)
        if interactions.n_items > MOST_ENTRIES:
            raise ValueError(
                f"interactions has {interactions.n_items:,} items, and a user's scores are a "
                f"number for each, at most {MOST_ENTRIES:,}; number the items from the start, "
                "without gaps"
            )
        self._train = interactions
        self._learn(interactions)
        return self

    def scores(self, users: ArrayLike, history: Interactions | None = None) -> FloatArray:
        """Score every item for some users.

        Parameters
        ----------
        users : (m,) array of int
            Numbers of the users.
        history : Interactions, optional
            What is known of these users when they are recommended; by default the training events.
            What was learned from everybody else stays as it was.

        Returns
        -------
        (m, n_items) array
            Higher is better. The scale means nothing.
        """
        if self._train is None:
            raise RuntimeError(f"{type(self).__name__} is not fitted yet; call fit first")
        known = self._train if history is None else history
        if known.n_items != self._train.n_items:
            raise ValueError(
                f"the history numbers {known.n_items} items and the training {self._train.n_items}"
            )
        asked = as_array(users, "users")
        if asked.size == 0:
            asked = asked.astype(np.intp)
        if asked.ndim != 1 or asked.dtype.kind not in "iu":
            raise TypeError("users must be a row of whole numbers")
        if asked.size and not (asked.min() >= 0 and asked.max() < known.n_users):
            raise ValueError(f"users are numbered from 0 to {known.n_users - 1}")
        return self._score(asked, known)

    @abstractmethod
    def _learn(self, interactions: Interactions) -> None:
        """Keep what scoring needs."""

    @abstractmethod
    def _score(self, users: NDArray[Any], history: Interactions) -> FloatArray:
        """Return the scores of users that were checked."""


class RandomScores(_Baseline):
    """Score every item at random: what a metric gives for no knowledge at all.

    Parameters
    ----------
    seed : int
        A user's scores depend on the seed and the user, not on who else is asked for.

    Examples
    --------
    >>> from recsys_metrics.interactions import Interactions
    >>> train = Interactions(user=[0, 0, 1, 1, 2], item=[0, 1, 0, 1, 2], n_users=3, n_items=3)
    >>> model = RandomScores(seed=1).fit(train)
    >>> bool((model.scores([0, 1])[1] == model.scores([1])[0]).all())
    True
    """

    def __init__(self, seed: int) -> None:
        # Of any length that a hash has.
        self.seed = check_count("seed", seed, 0, most=2**512)

    def _learn(self, interactions: Interactions) -> None:
        self._n_items = interactions.n_items

    def _score(self, users: NDArray[Any], history: Interactions) -> FloatArray:
        rows = [np.random.default_rng([self.seed, int(u)]).random(self._n_items) for u in users]
        return np.stack(rows) if rows else np.empty((0, self._n_items))


class Popularity(_Baseline):
    """Score every item by how many users interacted with it, the same for all users.

    Examples
    --------
    >>> from recsys_metrics.interactions import Interactions
    >>> train = Interactions(user=[0, 0, 1, 1, 2], item=[0, 1, 0, 1, 2], n_users=3, n_items=3)
    >>> Popularity().fit(train).scores([0])
    array([[2., 2., 1.]])
    """

    def _learn(self, interactions: Interactions) -> None:
        self._counts: FloatArray = np.asarray(interactions.matrix().sum(axis=0), dtype=np.float64)

    def _score(self, users: NDArray[Any], history: Interactions) -> FloatArray:
        return np.tile(self._counts, (len(users), 1))


class ItemKNN(_Baseline):
    """Score an item by its similarity to the user's items (cosine between items' users).

    Parameters
    ----------
    neighbours : int
        How many of the most similar items each item listens to.
    shrinkage : float
        Added to the product of the norms, so that two items with few users look less alike.

    References
    ----------
    Deshpande and Karypis (2004), Item-based top-N recommendation algorithms, ACM TOIS 22(1).

    Examples
    --------
    Items 0 and 1 have the same users, and no item votes for itself.

    >>> from recsys_metrics.interactions import Interactions
    >>> train = Interactions(user=[0, 0, 1, 1, 2], item=[0, 1, 0, 1, 2], n_users=3, n_items=3)
    >>> ItemKNN(shrinkage=0).fit(train).scores([0]).round(2)
    array([[1., 1., 0.]])
    """

    def __init__(self, neighbours: int = 100, shrinkage: float = 10.0) -> None:
        self.neighbours = check_count("neighbours", neighbours)
        self.shrinkage = check_at_least("shrinkage", shrinkage, 0)

    def _learn(self, interactions: Interactions) -> None:
        from scipy.sparse import csr_array, vstack

        seen = interactions.matrix()
        norms = np.sqrt(np.asarray(seen.sum(axis=0)))
        items_first = seen.T.tocsr()
        blocks = []
        # A block of items at a time: likeness to the items they share a user with, of which the
        # best are kept.
        for start in range(0, interactions.n_items, 512):
            alike = csr_array(items_first[start : start + 512] @ seen)
            item = start + np.repeat(np.arange(alike.shape[0]), np.diff(alike.indptr))
            alike.data = alike.data / (norms[item] * norms[alike.indices] + self.shrinkage)
            alike.data[alike.indices == item] = 0.0
            alike.eliminate_zeros()
            alike.sort_indices()
            alike.data[~_largest_in_each_row(alike, self.neighbours)] = 0.0
            alike.eliminate_zeros()
            blocks.append(alike)
        self._likeness = vstack(blocks, format="csr").T.tocsr()

    def _score(self, users: NDArray[Any], history: Interactions) -> FloatArray:
        return np.asarray((history.matrix()[users] @ self._likeness).toarray(), dtype=np.float64)


def _largest_in_each_row(table: Any, kept: int) -> NDArray[np.bool_]:
    """Return which entries of a sparse array are among the largest of their row.

    Of equal ones the first are: which a partition leaves in front depends on the processor.
    """
    largest = np.ones(table.nnz, dtype=np.bool_)
    lengths = np.diff(table.indptr)
    long = np.flatnonzero(lengths > kept)
    long = long[np.argsort(lengths[long], kind="stable")]
    # Rows of about the same length, side by side.
    for start in range(0, len(long), 64):
        rows = long[start : start + 64]
        width = int(lengths[rows[-1]])
        there = np.arange(width) < lengths[rows, None]
        entry = np.where(there, table.indptr[rows, None] + np.arange(width), 0)
        values = np.where(there, table.data[entry], -np.inf)
        least = np.partition(values, width - kept, axis=1)[:, width - kept, None]
        above, equal = values > least, values == least
        n_equal = kept - above.sum(axis=1, keepdims=True)
        best = above | (equal & (equal.cumsum(axis=1) <= n_equal))
        largest[entry[there]] = best[there]
    return largest


class EASE(_Baseline):
    """Score items by a linear model from all items to each, in closed form.

    Parameters
    ----------
    regularisation : float
        How strongly large weights are held down.

    Notes
    -----
    With X the users x items table and P the inverse of X'X + λI, the weights are
    B = I − P diag(1 / diag P), whose diagonal is 0: no item votes for itself. Where users are
    fewer than items, P = (I − X'AX) / λ with A the inverse of XX' + λI, so that the small side
    is inverted and no items x items table is made. Scores are rounded to nine decimals.

    References
    ----------
    Steck (2019), Embarrassingly shallow autoencoders for sparse data, WWW.

    Examples
    --------
    >>> from recsys_metrics.interactions import Interactions
    >>> train = Interactions(user=[0, 0, 1, 1, 2], item=[0, 1, 0, 1, 2], n_users=3, n_items=3)
    >>> EASE(regularisation=1).fit(train).scores([0]).round(2)
    array([[0.67, 0.67, 0.  ]])
    """

    def __init__(self, regularisation: float = 200.0) -> None:
        self.regularisation = check_positive("regularisation", regularisation)

    def _learn(self, interactions: Interactions) -> None:
        seen = interactions.matrix()
        self._seen = seen
        self._small = seen.shape[0] < seen.shape[1]
        if self._small:
            gram = (seen @ seen.T).toarray()
            inverse = np.linalg.inv(gram + self.regularisation * np.eye(len(gram)))
            self._inner = np.asarray(seen.T @ inverse).T
            voted = np.asarray(seen.multiply(self._inner).sum(axis=0)).ravel()
            self._diagonal = (1.0 - voted) / self.regularisation
        else:
            gram = (seen.T @ seen).toarray()
            self._inverse = np.linalg.inv(gram + self.regularisation * np.eye(len(gram)))
            self._diagonal = np.diag(self._inverse).copy()

    def _score(self, users: NDArray[Any], history: Interactions) -> FloatArray:
        known = history.matrix()[users]
        had = known.toarray()
        # Users x items, so the steps are taken in place.
        if self._small:
            scores: FloatArray = (known @ self._seen.T).toarray() @ self._inner
            np.subtract(had, scores, out=scores)
            scores /= self.regularisation
        else:
            scores = np.asarray(known @ self._inverse)
        scores /= self._diagonal
        np.subtract(had, scores, out=scores)
        # Items with the same evidence are equal but for the last digits, which depend on the order
        # in which a processor adds; as ties, they are ranked alike on every machine.
        return np.round(scores, 9, out=scores)
