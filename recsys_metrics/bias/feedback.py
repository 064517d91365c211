"""Simulation of a feedback loop: a recommender that is trained on clicks on its own lists.

A model of what happens, not a measure.

May change: names and meanings are not settled.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core.blocks import row_blocks
from recsys_metrics._core.checks import (
    MOST_ENTRIES,
    check_choice,
    check_count,
    check_real,
    generator,
)
from recsys_metrics._core.inputs.arrays import FloatArray, IntArray, as_numbers
from recsys_metrics._core.inputs.columns import check_between
from recsys_metrics._core.inputs.frames import in_order_of_columns, refuse_unsorted_numbers
from recsys_metrics._core.position_weights import attention_at
from recsys_metrics._core.sorted_arrays import distinct
from recsys_metrics.bias._checks import gini
from recsys_metrics.bias.fairness._report import number_groups

__all__ = ["FeedbackLoop", "simulate_feedback_loop"]


def __dir__() -> list[str]:
    return __all__


Model = Literal["popularity", "click-rate", "random"]
Attention = Literal["log2", "none"]
Scorer = Callable[[FloatArray, FloatArray], Any]

# Numbers in one block of users x items while lists are drawn.
_AT_ONCE = 2**21


@dataclass(frozen=True, eq=False)
class FeedbackLoop:
    """Exposure round by round. Round 0 shows items at random.

    Attributes
    ----------
    gini : (rounds,) array
        Concentration of the exposure of each round over the items: 0 is equal, (n - 1)/n is
        everything on one item.
    cumulative_gini : (rounds,) array
        The same of all exposure so far.
    coverage : (rounds,) array
        Share of the items that were shown in the round.
    group_exposure : (rounds, groups) array
        Each group's share of the round's exposure.
    groups : tuple
        Whose share each column is.
    click_rate : (rounds,) array
        Clicks per item shown.
    best_click_rate : float
        What it would be on average if every user got the items they like best, in order.
    exposure : (rounds, n_items) array
        Attention each item received: expected examinations.

    Examples
    --------
    >>> from recsys_metrics.bias.feedback import simulate_feedback_loop
    >>> loop = simulate_feedback_loop([[1.0, 0.0]] * 50, n_rounds=3, k=1, groups=["a", "b"])
    >>> loop.groups, loop.group_exposure[1:].tolist(), loop.click_rate[1:].tolist()
    (('a', 'b'), [[1.0, 0.0], [1.0, 0.0]], [1.0, 1.0])
    """

    gini: FloatArray
    cumulative_gini: FloatArray
    coverage: FloatArray
    group_exposure: FloatArray
    groups: tuple[Hashable, ...]
    click_rate: FloatArray
    best_click_rate: float
    exposure: FloatArray

    def __len__(self) -> int:
        return len(self.gini)


def simulate_feedback_loop(
    affinity: ArrayLike,
    *,
    n_rounds: int = 20,
    k: int = 10,
    model: Model | Scorer = "popularity",
    attention: Attention = "log2",
    exploration: float = 0.0,
    groups: ArrayLike | None = None,
    seed: int | np.random.Generator = 0,
) -> FeedbackLoop:
    r"""How far does a recommender that learns from its own clicks narrow what is shown?

    Parameters
    ----------
    affinity : (n_users, n_items) array of float
        The truth no model sees: how likely a user is to click an examined item.
    n_rounds : int
        How often the model is trained and serves, the random first round included.
    k : int
        Items shown to each user in a round.
    model : {"popularity", "click-rate", "random"} or callable
        What serves after round 0: the most clicked items; the items with most clicks per
        examination, which corrects for exposure; random ones; or a function of two arrays of shape
        (n_users, n_items), the clicks and the expected examinations so far, that returns
        scores per item or per user and item.
    attention : {"log2", "none"}
        How likely rank i is examined: 1/log2(i + 1), or 1.
    exploration : float
        Share of the lists that are random instead of the model's.
    groups : (n_items,) array, optional
        Group of each item. By default all are one.
    seed : int or numpy.random.Generator
        Draws lists, examinations and clicks. One seed gives one course of events.

    Returns
    -------
    FeedbackLoop
        With `.gini`, `.group_exposure`, `.click_rate` and more, per round.

    Raises
    ------
    ValueError
        If an affinity is outside [0, 1], k exceeds the number of items, an argument is out of
        range, or the model returns scores of another shape or NaN.

    Notes
    -----
    Each round: score, show each user the k best (equal scores in random order), draw clicks
    with probability attention x affinity, add them to the log, train again on all of it.

    "popularity" takes what was shown often for what is good, so that an early lead grows.
    "click-rate" divides by the examinations (with one at the average rate added, so that
    an item hardly seen is not judged by one click).

    References
    ----------
    Chaney, Stewart and Engelhardt (2018), How algorithmic confounding in recommendation systems
    increases homogeneity and decreases utility, RecSys. Mansoury et al. (2020), Feedback loop
    and bias amplification in recommender systems, CIKM.

    Examples
    --------
    Twenty items that everybody likes equally; popularity shows ever fewer of them:

    >>> import numpy as np
    >>> from recsys_metrics.bias.feedback import simulate_feedback_loop
    >>> loop = simulate_feedback_loop(np.full((200, 20), 0.3), n_rounds=5, k=3, seed=1)
    >>> bool(loop.gini[0] < 0.1), bool(loop.gini[-1] > 0.8)
    (True, True)
    """
    refuse_unsorted_numbers("affinity", affinity, columns="item")
    groups = in_order_of_columns(groups, affinity)
    truth = check_between("affinity", affinity, 0.0, 1.0, axes=2)
    n_users, n_items = truth.shape
    n_rounds = check_count("n_rounds", n_rounds, most=max(1, MOST_ENTRIES // n_items))
    if check_count("k", k) > n_items:
        raise ValueError(f"k is {k}, but there are only {n_items} items to show")
    if not callable(model):
        check_choice("model", model, Model)
    check_choice("attention", attention, Attention)
    exploration = check_real("exploration", exploration)
    if not 0 <= exploration <= 1:
        raise ValueError(f"exploration is a share between 0 and 1; got {exploration!r}")
    names: tuple[Hashable, ...] = ("all",)
    group: NDArray[Any] = np.zeros(n_items, dtype=np.intp)
    if groups is not None:
        labels, group = number_groups(groups, n_items, "items")
        names = tuple(labels.tolist())
    rng = generator(seed)
    look = attention_at(k, attention)
    clicks, looks = np.zeros(truth.shape), np.zeros(truth.shape)
    exposure = np.zeros((n_rounds, n_items))
    covered, rate = np.zeros(n_rounds), np.zeros(n_rounds)
    users = np.arange(n_users)[:, None]
    for turn in range(n_rounds):
        scores = np.zeros(n_items)
        if turn > 0:
            scores = _scores(model, clicks, looks)
        shown = _recommend(scores, n_users, k, rng)
        if exploration > 0 and turn > 0:
            explored = np.less(rng.random(n_users), exploration)
            shown[explored] = _recommend(np.zeros(n_items), int(explored.sum()), k, rng)
        clicked = rng.random(shown.shape) < look * truth[users, shown]
        # An item stands once on a list, so no cell is written twice.
        looks[users, shown] += look
        clicks[users, shown] += clicked
        exposure[turn] = np.bincount(
            shown.ravel(), weights=np.tile(look, n_users), minlength=n_items
        )
        covered[turn] = len(distinct(shown)) / n_items
        rate[turn] = clicked.mean()
    best = -np.sort(-truth, axis=1)[:, :k]
    sums = exposure.sum(axis=1, keepdims=True)
    per_group = np.stack([exposure[:, group == g].sum(axis=1) for g in range(len(names))], axis=1)
    return FeedbackLoop(
        gini=np.array([gini(row) for row in exposure]),
        cumulative_gini=np.array([gini(row) for row in np.cumsum(exposure, axis=0)]),
        coverage=covered,
        group_exposure=per_group / sums,
        groups=names,
        click_rate=rate,
        best_click_rate=float((best * look).mean()),
        exposure=exposure,
    )


def _scores(model: Model | Scorer, clicks: FloatArray, looks: FloatArray) -> FloatArray:
    n_users, n_items = clicks.shape
    if callable(model):
        scores = as_numbers(model(clicks.copy(), looks.copy()), "what the model returned")
        if scores.shape not in ((n_items,), (n_users, n_items)):
            raise ValueError(
                f"the model returned scores of shape {scores.shape}; give one per item, "
                f"({n_items},), or one per user and item, ({n_users}, {n_items})"
            )
        if np.isnan(scores).any():
            raise ValueError("the model returned NaN among its scores; every item needs a score")
        return scores
    if model == "random":
        return np.zeros(n_items)
    per_item, seen = clicks.sum(axis=0), looks.sum(axis=0)
    if model == "popularity":
        return np.asarray(per_item)
    average = per_item.sum() / seen.sum()
    return np.asarray((per_item + average) / (seen + 1.0))


def _recommend(scores: FloatArray, n_users: int, k: int, rng: np.random.Generator) -> IntArray:
    """Return each user's k best items, best first, equal scores in random order."""
    n_items = scores.shape[-1]
    shown = np.empty((n_users, k), dtype=np.intp)
    for rows in row_blocks(n_users, n_items, _AT_ONCE):
        part = scores[rows] if scores.ndim == 2 else scores
        size = (rows.stop - rows.start, n_items)
        keys = (rng.random(size), np.broadcast_to(-part, size))
        shown[rows] = np.lexsort(keys, axis=1)[:, :k]
    return shown
