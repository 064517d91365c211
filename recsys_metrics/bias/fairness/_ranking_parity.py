"""Statistical parity and equal opportunity of items in ranked lists, by group."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.checks import check_level
from recsys_metrics._core.inputs.align import read_sets
from recsys_metrics._core.inputs.arrays import IntArray
from recsys_metrics._core.sorted_arrays import is_in
from recsys_metrics.bias.fairness._grouped_lists import GroupedLists, Groups
from recsys_metrics.bias.fairness._report import GroupReport, rate_report


def ranking_statistical_parity(
    recommended: Any, groups: Groups, *, history: Any = None, level: float = 0.95
) -> GroupReport:
    r"""How likely is an item of each group to be recommended to a user who does not have it?

    Parameters
    ----------
    recommended : (lists, K) array of int, or lists of ids, or mapping from user to list
        Item numbers, best first, -1 for an empty slot; or ids of any kind.
    groups : (n_items,) array, or mapping
        Group of every item of the catalogue, by its number or by its id.
    history : optional
        Earlier items of each list's user, which could not be shown: a set or list of items per
        list, a mapping by user, or a sparse lists x items matrix. By default nothing.
    level : float
        Confidence of the intervals.

    Returns
    -------
    GroupReport
        Rates with gap and ratio; RSP is its `.relative_deviation`.

    Raises
    ------
    ValueError
        If an item has no group, or the numbers of lists differ.

    Notes
    -----
    .. math:: \mathrm{RSP} = \frac{\operatorname{std}_c P_c}{\operatorname{mean}_c P_c},
              \qquad P_c = \frac{\sum_u |L_u \cap I_c|}{\sum_u |I_c \setminus H_u|}

    where :math:`L_u` is the list of user :math:`u`; :math:`I_c` is the set of items of group
    :math:`c`; :math:`H_u` is the set of items that user :math:`u` has interacted with; :math:`c` is
    a group.

    The intervals take each pair of user and item for one case; pairs of one list depend on each
    other a little, so they are rough.

    References
    ----------
    Zhu, Wang and Caverlee (2020), Measuring and mitigating item under-recommendation bias in
    personalized ranking systems, SIGIR.

    Examples
    --------
    Two of the two slots for head items are filled, one of the six for tail items:

    >>> from recsys_metrics.bias.fairness import ranking_statistical_parity
    >>> groups = {"a": "head", "b": "tail", "c": "tail", "d": "tail"}
    >>> parity = ranking_statistical_parity([["a", "b"], ["a"]], groups)
    >>> {group: round(rate, 3) for group, rate in parity.per_group.items()}
    {'head': 1.0, 'tail': 0.167}
    >>> round(parity.relative_deviation, 3)
    0.714
    """
    level = check_level(level)
    shown = _ListItemPairs(recommended, groups)
    sizes = np.bincount(shown.group, minlength=len(shown.names))
    cases = len(shown.items) * sizes
    if history is not None:
        rows, items = shown.read(history, "history")
        _check_not_in_history(shown, rows, items)
        cases = cases - np.bincount(shown.group[items], minlength=len(sizes))
    retrieved = shown.items[shown.items >= 0]
    hits = np.bincount(shown.group[retrieved], minlength=len(sizes))
    return rate_report("recommendation rate", shown.names, hits, cases, level)


def ranking_equal_opportunity(
    recommended: Any, relevant: Any, groups: Groups, *, level: float = 0.95
) -> GroupReport:
    r"""How likely is an item of each group to be recommended to a user for whom it is relevant?

    Parameters
    ----------
    recommended, groups, level
        As in `ranking_statistical_parity`.
    relevant
        What each list's user wanted, in the forms of `history` there; a mapping from id to
        grade counts those above 0.

    Returns
    -------
    GroupReport
        Rates with gap and ratio; REO is its `.relative_deviation`. A group that nobody wants
        has NaN and stands in `.undefined`.

    Raises
    ------
    ValueError
        As in `ranking_statistical_parity`.

    Notes
    -----
    .. math:: \mathrm{REO} = \frac{\operatorname{std}_c P_c}{\operatorname{mean}_c P_c},
              \qquad P_c = \frac{\sum_u |L_u \cap R_u \cap I_c|}{\sum_u |R_u \cap I_c|}

    where :math:`L_u` is the list of user :math:`u`; :math:`R_u` is the set of items relevant to
    user :math:`u`; :math:`I_c` is the set of items of group :math:`c`; :math:`c` is a group.

    P is the recall of each group of items, pooled over users.

    References
    ----------
    Zhu, Wang and Caverlee (2020), Measuring and mitigating item under-recommendation bias in
    personalized ranking systems, SIGIR.

    Examples
    --------
    >>> from recsys_metrics.bias.fairness import ranking_equal_opportunity
    >>> groups = {"a": "head", "b": "tail", "c": "tail", "d": "tail"}
    >>> wanted = [{"a", "b"}, {"a", "c"}]
    >>> found = ranking_equal_opportunity([["a", "b"], ["a", "d"]], wanted, groups)
    >>> found.per_group, round(found.relative_deviation, 3)
    ({'head': 1.0, 'tail': 0.5}, 0.333)
    """
    level = check_level(level)
    shown = _ListItemPairs(recommended, groups)
    rows, items = shown.read(relevant, "relevant")
    cases = np.bincount(shown.group[items], minlength=len(shown.names))
    found = items[is_in(shown.pairs(rows, items), shown.recommended_pairs)]
    hits = np.bincount(shown.group[found], minlength=len(shown.names))
    return rate_report("rate among the relevant", shown.names, hits, cases, level)


class _ListItemPairs(GroupedLists):
    """Lists as pairs of list and item, beside what else is given per list."""

    @property
    def recommended_pairs(self) -> IntArray:
        rows, ranks = np.nonzero(self.items >= 0)
        return self.pairs(rows, self.items[rows, ranks])

    def pairs(self, rows: NDArray[Any], items: NDArray[Any]) -> IntArray:
        """Return one number for each pair of list and item."""
        keys: IntArray = rows.astype(np.intp) * len(self.group) + items
        return keys

    def read(self, given: Any, name: str) -> tuple[IntArray, IntArray]:
        """Return the list and the item of everything given per list, each pair once."""
        sets = read_sets(given, self.lists, name, graded=True)
        if not sets.items.size:
            return sets.rows, sets.items.astype(np.intp)
        return sets.rows, self.numbers(sets.items, name)


def _check_not_in_history(shown: _ListItemPairs, rows: IntArray, items: IntArray) -> None:
    """Raise if a list holds what is in its user's history, for then no rate is a probability."""
    known = is_in(shown.recommended_pairs, shown.pairs(rows, items))
    if known.any():
        row = int(shown.recommended_pairs[known][0] // len(shown.group))
        raise ValueError(
            f"list {row} recommends an item of its user's history; such items are no candidates, "
            "so remove them from the list or from the history"
        )
