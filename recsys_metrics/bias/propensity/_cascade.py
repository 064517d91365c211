"""Click models of a reader who goes down the list: cascade, and dynamic Bayesian network."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core.arithmetic import divide
from recsys_metrics._core.checks import check_count, check_positive, first_true, refuse, zero_one
from recsys_metrics._core.duplicates import repeat_in_rows
from recsys_metrics._core.inputs.arrays import BoolArray, FloatArray, IntArray, as_array
from recsys_metrics._core.inputs.frames import refuse_other_labels
from recsys_metrics.bias._checks import number_items

_LEAST = 1e-9
# How far apart two searches may end and still have found the same value. Steps below the
# tolerance leave some hundred times as much to go where EM is slow.
_SAME = 0.01


@dataclass(frozen=True, eq=False)
class ClickModel:
    """A user who examines rank after rank until satisfied, or abandons the list.

    Attributes
    ----------
    items : (n_items,) array
        The items, ascending.
    attractiveness : (n_items,) array
        How likely each item is clicked once it is looked at; NaN if it never was, or if the
        clicks do not tell.
    satisfaction : (n_items,) array
        How likely a click on it ends the search; NaN if it was never clicked, or if the clicks
        do not tell.
    continuation : float
        How likely a reader who is not satisfied looks at the next rank; NaN if the clicks do
        not tell.
    log_likelihood : array
        Mean per list, after each step of EM; empty where the fit is a count.
    converged : bool
        Whether the last step changed nothing by more than the tolerance.

    Examples
    --------
    >>> from recsys_metrics.bias.propensity import simplified_dbn
    >>> found = simplified_dbn([[1, 1, 0], [0, 1, 0]], [["a", "b", "c"], ["a", "b", "c"]])
    >>> dict(zip(found.items.tolist(), found.relevance.round(2).tolist()))
    {'a': 0.0, 'b': 1.0, 'c': nan}
    """

    items: NDArray[Any]
    attractiveness: FloatArray
    satisfaction: FloatArray
    continuation: float
    log_likelihood: FloatArray
    converged: bool

    @property
    def relevance(self) -> FloatArray:
        """How likely an examined item is to be clicked and to satisfy."""
        # What never attracts a click satisfies nobody, though that was never seen.
        never = self.attractiveness == 0
        return np.where(never, 0.0, self.attractiveness * self.satisfaction)


def cascade_model(clicks: ArrayLike, items: ArrayLike) -> ClickModel:
    r"""How attractive is each item, if users stop at the first click?

    Parameters
    ----------
    clicks : (lists, K) array of 0 and 1
        Which rank of each list was clicked.
    items : (lists, K) array
        What was shown there, best first, in any values that can be sorted; whole numbers may
        have -1 for an empty slot.

    Returns
    -------
    ClickModel
        With `.attractiveness`; every click satisfies.

    Raises
    ------
    ValueError
        If a click is neither 0 nor 1, an empty slot was clicked, or shapes differ.

    Notes
    -----
    .. math:: \hat\gamma_i = \frac{\text{first clicks on } i}
              {\text{lists with } i \text{ no lower than the first click}}

    the most likely values in closed form. A list without a click was read to its end. Clicks
    below the first one, which the model rules out, are not looked at.

    References
    ----------
    Craswell, Zoeter, Taylor and Ramsey (2008), An experimental comparison of click
    position-bias models, WSDM.

    Examples
    --------
    a is looked at twice and clicked once, b once and clicked; c is never looked at:

    >>> from recsys_metrics.bias.propensity import cascade_model
    >>> found = cascade_model([[1, 0, 0], [0, 1, 0]], [["a", "b", "c"], ["a", "b", "c"]])
    >>> dict(zip(found.items.tolist(), found.attractiveness.tolist()))
    {'a': 0.5, 'b': 1.0, 'c': nan}
    """
    clicked, item, names = _read(clicks, items)
    looked_at = (np.cumsum(clicked, axis=1) - clicked == 0) & (item >= 0)
    n = len(names)
    hits = _sum_by_item(item, clicked & looked_at, n)
    attractiveness = divide(hits, _sum_by_item(item, looked_at, n))
    satisfaction = np.where(hits > 0, 1.0, np.nan)
    return ClickModel(names, attractiveness, satisfaction, 1.0, np.zeros(0), True)


def simplified_dbn(clicks: ArrayLike, items: ArrayLike) -> ClickModel:
    r"""How attractive and satisfying is each item, if users stop only when satisfied?

    Parameters
    ----------
    clicks, items
        As in `cascade_model`, with any number of clicks per list.

    Returns
    -------
    ClickModel
        With `.attractiveness`, `.satisfaction` and their product `.relevance`.

    Raises
    ------
    ValueError
        As in `cascade_model`.

    Notes
    -----
    .. math:: \hat a_i = \frac{\text{clicks on } i}{\text{lists with } i \text{ no lower than the
              last click}}, \qquad
              \hat s_i = \frac{\text{lists whose last click is } i}{\text{clicks on } i}

    The dynamic Bayesian network of `dynamic_bayesian_network` with readers who never tire, so
    that nothing is hidden but whether the last click satisfied, which is taken for granted: two
    counts. A list without a click was read to its end.

    References
    ----------
    Chapelle and Zhang (2009), A dynamic Bayesian network click model for web search ranking, WWW.

    Examples
    --------
    >>> from recsys_metrics.bias.propensity import simplified_dbn
    >>> found = simplified_dbn([[1, 0, 1], [1, 0, 0]], [["a", "b", "c"], ["a", "b", "c"]])
    >>> found.attractiveness, found.satisfaction
    (array([1., 0., 1.]), array([0.5, nan, 1. ]))
    """
    clicked, item, names = _read(clicks, items)
    last = _last_click(clicked)
    ranks = np.arange(clicked.shape[1])
    looked_at = ((ranks <= last[:, None]) | (last < 0)[:, None]) & (item >= 0)
    n = len(names)
    hits = _sum_by_item(item, clicked, n)
    attractiveness = divide(hits, _sum_by_item(item, looked_at, n))
    ended = clicked & (ranks == last[:, None])
    satisfaction = divide(_sum_by_item(item, ended, n), hits)
    return ClickModel(names, attractiveness, satisfaction, 1.0, np.zeros(0), True)


def dynamic_bayesian_network(
    clicks: ArrayLike,
    items: ArrayLike,
    *,
    max_steps: int = 500,
    tolerance: float = 1e-6,
) -> ClickModel:
    r"""How attractive and satisfying is each item, if users may also abandon the list?

    Parameters
    ----------
    clicks, items
        As in `simplified_dbn`.
    max_steps : int
        Steps of EM.
    tolerance : float
        Stop when no probability changes by more.

    Returns
    -------
    ClickModel
        With `.attractiveness`, `.satisfaction`, `.continuation` and `.log_likelihood`. A value that
        the clicks leave open is NaN.

    Raises
    ------
    ValueError
        As in `cascade_model`; also if nothing was clicked.

    Warns
    -----
    RuntimeWarning
        If the steps ran out before the tolerance was met.

    Notes
    -----
    The first rank is looked at. What is looked at is clicked with the item's attractiveness; a
    click satisfies with the item's satisfaction, and then the search ends; else the next rank
    is looked at with probability γ. With :math:`\beta_k` the chance that nothing is clicked
    from rank k on by a reader who looks at k,

    .. math:: \beta_k = (1 - a_k)\,(1 - \gamma + \gamma \beta_{k+1})

    and a list with its last click at l has the likelihood of what was clicked down to l, times
    :math:`s_l + (1 - s_l)(1 - \gamma + \gamma \beta_{l+1})`. EM shares each list out over where
    its reader can have stopped.

    Clicks need not settle every value: lists of one rank say nothing of going on, and items that
    always come in one order leave open who was satisfied and who tired. So EM climbs a second
    time, from a quarter away from where it arrived, and a value that ends more than 0.01
    elsewhere is NaN: it would tell where the search began.

    References
    ----------
    Chapelle and Zhang (2009), A dynamic Bayesian network click model for web search ranking, WWW.
    Chuklin, Markov and de Rijke (2015), Click models for web search, Morgan & Claypool.

    Examples
    --------
    a is clicked whenever it is looked at. That b is clicked half as often can be a's doing, b's, or
    that of tired readers; one order of two items cannot tell:

    >>> from recsys_metrics.bias.propensity import dynamic_bayesian_network
    >>> found = dynamic_bayesian_network([[1, 1], [1, 0]] * 50, [["a", "b"]] * 100)
    >>> found.attractiveness.round(2), found.satisfaction, found.continuation
    (array([ 1., nan]), array([nan, nan]), nan)
    """
    clicked, item, names = _read(clicks, items)
    max_steps = check_count("max_steps", max_steps)
    tolerance = check_positive("tolerance", tolerance)
    if not clicked.any():
        raise ValueError("nothing was clicked, so the items cannot be distinguished")
    n = len(names)
    hits = _sum_by_item(item, clicked, n)
    start = np.concatenate([np.full(n, 0.5), np.full(n, 0.5), [0.8]])
    here, heights, converged = _run_em(clicked, item, hits, start, max_steps, tolerance)
    if not converged:
        warnings.warn(
            f"EM did not settle in {max_steps} steps; the values are not final. Give more "
            "max_steps",
            RuntimeWarning,
            stacklevel=2,
        )
    aside = np.where(here < 0.5, here + 0.25, here - 0.25)
    again, _, _ = _run_em(clicked, item, hits, aside, max_steps, tolerance)
    settled = np.where(np.abs(again - here) <= _SAME, here, np.nan)
    attractiveness = settled[:n]
    satisfaction = np.where(hits > 0, settled[n : 2 * n], np.nan)
    return ClickModel(
        names, attractiveness, satisfaction, float(settled[-1]), np.array(heights), converged
    )


def _run_em(
    clicked: BoolArray,
    item: IntArray,
    hits: FloatArray,
    start: FloatArray,
    max_steps: int,
    tolerance: float,
) -> tuple[FloatArray, list[float], bool]:
    """Return where EM's steps lead from a start, how high each was, and whether they settled."""
    here, heights = start, []
    for _ in range(max_steps):
        there, height = _em_step(clicked, item, hits, here)
        heights.append(height)
        moved = float(np.abs(there - here).max())
        here = there
        if moved < tolerance:
            return here, heights, True
    return here, heights, False


def _em_step(
    clicked: BoolArray, item: IntArray, hits: FloatArray, values: FloatArray
) -> tuple[FloatArray, float]:
    """Return the values after a step of EM, and the mean log likelihood before it."""
    n, (n_lists, width) = len(hits), clicked.shape
    filled = item >= 0
    attracts = np.where(filled, values[:n][item], 0.0)
    satisfies = np.where(filled, values[n : 2 * n][item], 0.0)
    continuation = values[-1]
    last = _last_click(clicked)
    rows = np.arange(n_lists)
    some = last >= 0
    # Column k: the chance of no click from rank k on, for one who looks at k.
    silent = np.ones((n_lists, width + 1))
    for k in range(width - 1, -1, -1):
        silent[:, k] = (1 - attracts[:, k]) * (1 - continuation + continuation * silent[:, k + 1])
        silent[~filled[:, k], k] = 1.0
    after = silent[rows, last + 1]
    satisfied = np.where(some, satisfies[rows, last], 0.0)
    quiet = 1 - continuation + continuation * after
    tail = np.where(some, satisfied + (1 - satisfied) * quiet, silent[:, 0])
    # The chance, given the clicks, that each rank was looked at.
    looks = np.zeros((n_lists, width))
    could = np.zeros((n_lists, width))
    ranks = np.arange(width)
    looks[ranks <= last[:, None]] = 1.0
    going = np.where(some, (1 - satisfied) * continuation * after / np.maximum(tail, _LEAST), 1.0)
    for k in range(width):
        first = (last + 1 == k) & filled[:, k]
        beyond = (last + 1 < k) & filled[:, k]
        if k:
            rate = (
                continuation
                * silent[:, k]
                / np.maximum(1 - continuation + continuation * silent[:, k], _LEAST)
            )
            looks[beyond, k] = (looks[:, k - 1] * rate)[beyond]
            # Who looked at rank k - 1 and was not satisfied could go on to rank k.
            unsatisfied = np.where(
                last == k - 1, 1 - satisfied / np.maximum(tail, _LEAST), looks[:, k - 1]
            )
            could[:, k] = np.where(filled[:, k], unsatisfied, 0.0)
        looks[first, k] = going[first]
    n_lists_with = np.maximum(_sum_by_item(item, looks, n), _LEAST)
    new_attracts = np.where(_sum_by_item(item, looks, n) > 0, hits / n_lists_with, values[:n])
    ended = np.zeros((n_lists, width))
    ended[rows[some], last[some]] = (satisfied / np.maximum(tail, _LEAST))[some]
    new_satisfies = np.where(
        hits > 0, _sum_by_item(item, ended, n) / np.maximum(hits, 1), values[n : 2 * n]
    )
    total = float(could.sum())
    new_going = float(looks[:, 1:].sum()) / total if total > 0 else continuation
    with np.errstate(divide="ignore"):
        seen = np.where(clicked, np.log(attracts), np.log1p(-attracts))
        unsatisfied_logs = np.where(clicked, np.log1p(-satisfies), 0.0) + np.log(continuation)
    down_to = ranks <= last[:, None]
    height = np.where(down_to, seen, 0.0).sum() + np.log(np.maximum(tail, _LEAST)).sum()
    height += np.where(ranks < last[:, None], unsatisfied_logs, 0.0).sum()
    new = np.concatenate([new_attracts, new_satisfies, [new_going]])
    return np.clip(new, 0.0, 1.0), float(height) / n_lists


def _read(clicks: ArrayLike, items: ArrayLike) -> tuple[BoolArray, IntArray, NDArray[Any]]:
    """Return the clicks, the number of each item (-1 in an empty slot), and the items."""
    refuse_other_labels(clicks=clicks, items=items)
    given, shown = as_array(clicks, "clicks", fill="0"), as_array(items, "items")
    if given.ndim != 2 or given.shape != shown.shape or not given.size:
        raise ValueError(
            f"clicks and items must be tables of one shape, lists x ranks; got {given.shape} and "
            f"{shown.shape}"
        )
    clicked = zero_one(given, "clicks")
    empty = shown == -1 if shown.dtype.kind in "iu" else np.zeros(shown.shape, bool)
    refuse(clicked & empty, "clicks", given, ", but the slot is empty")
    if at := first_true(empty[:, :-1] & ~empty[:, 1:]):
        raise ValueError(f"list {at[0]} has an empty slot above an item; empty slots come last")
    if empty.all():
        raise ValueError("every slot is empty, so there is nothing that could be clicked")
    names, item = number_items("items", items)
    if empty.any():
        gap = int(np.searchsorted(names, -1))
        names, item = np.delete(names, gap), np.where(empty, -1, item - (item > gap))
    repeat = repeat_in_rows(item)
    if repeat is not None:
        row, first, second = repeat
        raise ValueError(
            f"list {row} shows item {names[item[row, first]]!s} twice, at ranks {first + 1} and "
            f"{second + 1}; a user examines an item once. Keep the rank where it was seen first"
        )
    return clicked, item, names


def _last_click(clicked: BoolArray) -> IntArray:
    """Return the place of each list's last click, -1 where there is none."""
    last: IntArray = (clicked * np.arange(1, clicked.shape[1] + 1)).max(axis=1) - 1
    return last


def _sum_by_item(item: IntArray, weights: NDArray[Any], n: int) -> FloatArray:
    """Return the sum of the weights of each item's slots."""
    filled = item >= 0
    sums = np.bincount(item[filled], weights=weights[filled], minlength=n)
    return np.asarray(sums, dtype=np.float64)
