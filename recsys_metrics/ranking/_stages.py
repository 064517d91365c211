"""Recall after each stage of a pipeline, and the relevant items that each stage loses."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.arithmetic import divide
from recsys_metrics._core.console import one_line
from recsys_metrics._core.data_frames import Backend, build_frame
from recsys_metrics.ranking._grade_codes import FloatArray
from recsys_metrics.ranking._judged import Judged
from recsys_metrics.ranking._judging import judge
from recsys_metrics.ranking._per_list import hits_within

_HEADINGS = ("Stage", "Items", "Recall", "Conditional", "Lost")


@dataclass(frozen=True, eq=False, repr=False)
class StageRecall:
    """What `stage_recall` counted; its text is a table with the means over users.

    Attributes
    ----------
    names : tuple of str
        The stages, first to last.
    users : tuple or None
        The users' keys in the order of the columns, where the stages came keyed by user.
    n_relevant : (n_users,) array of int
        Relevant items of each user.
    n_items, hits : (n_stages, n_users) array of int
        Items of each user that leave a stage, and how many of them are relevant.

    Examples
    --------
    >>> from recsys_metrics import stage_recall
    >>> stages = {"retrieval": [["A", "B", "C"], ["D", "E"]], "ranking": [["C"], ["D"]]}
    >>> found = stage_recall(stages, [{"A", "C"}, {"E", "F"}])
    >>> found.recall.tolist()
    [[1.0, 0.5], [0.5, 0.0]]
    >>> found
    StageRecall(retrieval → ranking; 2 users)
    """

    names: tuple[str, ...]
    users: tuple[Hashable, ...] | None
    n_relevant: NDArray[np.intp]
    n_items: NDArray[np.intp]
    hits: NDArray[np.intp]

    @property
    def recall(self) -> FloatArray:
        """Share of each user's relevant items that leave a stage; NaN without relevant items."""
        return divide(self.hits, self.n_relevant, otherwise=np.nan)

    @property
    def conditional_recall(self) -> FloatArray:
        """Share of the relevant items entering a stage that leave it; NaN if none enters."""
        return divide(self.hits, self._entering, otherwise=np.nan)

    @property
    def lost(self) -> FloatArray:
        """Share of each user's relevant items that enter a stage and do not leave it."""
        return divide(self._entering - self.hits, self.n_relevant, otherwise=np.nan)

    @property
    def _entering(self) -> NDArray[np.intp]:
        return np.vstack([self.n_relevant[np.newaxis], self.hits[:-1]])

    def to_frame(self, *, backend: Backend | None = None) -> Any:
        """Return the means over users as a data frame, one row for each stage.

        Parameters
        ----------
        backend : {"polars", "pandas", "pyarrow"}, optional
            As in `Report.to_frame`.
        """
        return build_frame(self._columns(), backend)

    def _columns(self) -> dict[str, Any]:
        """Return the columns of the table; a mean is over the users for whom there is a value."""
        return {
            "stage": list(self.names),
            "items": self.n_items.mean(axis=1),
            "recall": _mean_of_defined(self.recall),
            "conditional_recall": _mean_of_defined(self.conditional_recall),
            "lost": _mean_of_defined(self.lost),
        }

    def __str__(self) -> str:
        names, items, *shares = self._columns().values()
        rows = [
            (one_line(name), f"{items[place]:,.1f}", *(f"{share[place]:.3f}" for share in shares))
            for place, name in enumerate(names)
        ]
        wide = [max(map(len, column)) for column in zip(_HEADINGS, *rows, strict=True)]
        lines = [
            "  ".join([row[0].ljust(wide[0]), *map(str.rjust, row[1:], wide[1:])])
            for row in (_HEADINGS, *rows)
        ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        names = " → ".join(map(one_line, self.names))
        return f"StageRecall({names}; {len(self.n_relevant):,} users)"


def stage_recall(
    stages: Mapping[str, Any], relevant: Any, *, threshold: float | None = None
) -> StageRecall:
    r"""How many relevant items does each stage of a pipeline keep, and how many does it lose?

    Parameters
    ----------
    stages : mapping of str to lists
        What leaves each stage, from the first stage to the last, in a form that `judge` takes:
        many lists, keyed by user or all in one order. Every item that leaves a stage must have
        left the stage before it.
    relevant
        What each user wanted, as in `judge`.
    threshold : float, optional
        Lowest grade that counts as relevant. By default any grade above 0.

    Returns
    -------
    StageRecall

    Raises
    ------
    ValueError
        If there is no stage, two stages have other users, or an item leaves a stage that had not
        left the one before it; also as in `judge`.
    TypeError
        If `stages` is no mapping, or a stage is one list; also as in `judge`.

    Notes
    -----
    .. math:: \mathrm{Recall}_s = \frac{|R \cap S_s|}{|R|}, \qquad
              \mathrm{Conditional}_s = \frac{|R \cap S_s|}{|R \cap S_{s-1}|}, \qquad
              \mathrm{Lost}_s = \mathrm{Recall}_{s-1} - \mathrm{Recall}_s

    where :math:`R` is the set of relevant items; :math:`S_s` is the set of items that leave stage
    :math:`s`, and :math:`S_0` is the whole catalogue, so that :math:`\mathrm{Recall}_0 = 1`.

    What the stages lose and what the last one keeps add up to 1, for each user and in the mean over
    users. The conditional recalls of one user multiply to the recall of the last stage; their means
    over users do not, because a user of whom nothing relevant enters a stage is left out there.

    References
    ----------
    Covington, Adams and Sargin (2016), Deep neural networks for YouTube recommendations, RecSys.

    Examples
    --------
    >>> from recsys_metrics import stage_recall
    >>> retrieved = {"ann": ["A", "B", "C", "D"], "bob": ["E", "F"]}
    >>> shown = {"ann": ["B", "A"], "bob": ["F"]}
    >>> found = stage_recall(
    ...     {"retrieval": retrieved, "ranking": shown}, {"ann": {"A", "C"}, "bob": {"F", "G", "H"}}
    ... )
    >>> print(found)
    Stage      Items  Recall  Conditional   Lost
    retrieval    3.0   0.667        0.667  0.333
    ranking      1.5   0.417        0.750  0.250
    """
    if not isinstance(stages, Mapping):
        raise TypeError(
            f"stages is a mapping from the name of a stage to the items that leave it, not a "
            f"{type(stages).__name__}; pass {{'retrieval': ..., 'ranking': ...}}"
        )
    if not stages:
        raise ValueError("there is no stage; pass what leaves each stage, from the first on")
    judged = {name: judge(lists, relevant, threshold=threshold) for name, lists in stages.items()}
    for name, found in judged.items():
        if found.single:
            raise TypeError(
                f"the stage {name!r} is one list; pass a list of each user, or for one user [list]"
            )
    for (before, wider), (name, lists) in pairwise(stages.items()):
        _check_subset(name, lists, before, wider)
    counts = [_count_common(lists, lists) for lists in stages.values()]
    users = tuple(dict.fromkeys(user for found in judged.values() for user in found.users or ()))
    n_users = len(users) or len(next(iter(judged.values())))
    place = {user: column for column, user in enumerate(users)}

    def in_columns(found: Judged[Any], values: NDArray[Any]) -> NDArray[np.intp]:
        """Return counts in the order of all users; who is missing from a stage has none."""
        columns = np.zeros(n_users, dtype=np.intp)
        columns[[place[user] for user in found.users] if found.users else slice(None)] = values
        return columns

    hits = [in_columns(found, hits_within(found, None)) for found in judged.values()]
    wanted = [in_columns(found, np.asarray(found.n_relevant)) for found in judged.values()]
    return StageRecall(
        names=tuple(map(str, stages)),
        users=users or None,
        n_relevant=np.max(wanted, axis=0),
        n_items=np.array([in_columns(*count) for count in counts]),
        hits=np.array(hits),
    )


def _count_common(lists: Any, others: Any) -> tuple[Judged[Any], NDArray[Any]]:
    """Return how many items of each list are also in the user's other list."""
    if isinstance(others, Mapping):
        # Scores of a run are no grades.
        others = {user: list(items) for user, items in others.items()}
    found = judge(lists, others)
    return found, hits_within(found, None)


def _check_subset(name: Any, lists: Any, before: Any, wider: Any) -> None:
    """Raise if an item leaves a stage that had not left the one before it."""
    found, common = _count_common(lists, wider)
    own = _count_common(lists, lists)[1]
    # Users of the stage come first, in its order.
    extra = own - common[: len(own)]
    if extra.any():
        row = int(np.flatnonzero(extra)[0])
        user = f"list {row}" if found.users is None else f"user {found.users[row]!r}"
        raise ValueError(
            f"of {user}, {extra[row]:.0f} of the items that leave the stage {name!r} had not left "
            f"{before!r}; pass the stages from the first to the last, each with items of the one "
            "before it only"
        )


def _mean_of_defined(values: FloatArray) -> FloatArray:
    """Return the mean of each row over the users with a value; NaN if there is none."""
    defined = ~np.isnan(values)
    return divide(np.where(defined, values, 0.0).sum(axis=1), defined.sum(axis=1))
