"""Is an item of each group as likely to be recommended: to anyone, and to those who want it?"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._sorted import distinct, is_in
from recsys_metrics.bias._checks import IntArray, check_level, check_whole
from recsys_metrics.bias.fairness._lists import Groups
from recsys_metrics.bias.fairness.report import GroupReport, number_groups, rate_report


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
        What each list's user met before, and so could not be shown: a set or list of items per
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
    .. math:: P(\text{shown} \mid g) = \frac{\sum_u |\{i \in L_u : g_i = g\}|}
              {\sum_u |\{i \notin H_u : g_i = g\}|}, \qquad
              \mathrm{RSP} = \frac{\mathrm{std}_g\, P(\text{shown} \mid g)}
              {\mathrm{mean}_g\, P(\text{shown} \mid g)}

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
    check_level(level)
    shown = _Shown(recommended, groups)
    sizes = np.bincount(shown.group, minlength=len(shown.names))
    cases = len(shown.items) * sizes
    if history is not None:
        rows, items = shown.read(history, "history")
        _refuse_known(shown, rows, items)
        cases = cases - np.bincount(shown.group[items], minlength=len(sizes))
    served = shown.items[shown.items >= 0]
    hits = np.bincount(shown.group[served], minlength=len(sizes)).astype(np.float64)
    return rate_report("rate of recommendation", shown.names, hits, cases, level)


def ranking_equal_opportunity(
    recommended: Any, relevant: Any, groups: Groups, *, level: float = 0.95
) -> GroupReport:
    r"""How likely is an item of each group to be recommended to a user who wants it?

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
    .. math:: P(\text{shown} \mid g, \text{wanted}) = \frac{\sum_u |\{i \in L_u \cap R_u :
              g_i = g\}|}{\sum_u |\{i \in R_u : g_i = g\}|}

    the recall of each group of items, pooled over users.

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
    check_level(level)
    shown = _Shown(recommended, groups)
    rows, items = shown.read(relevant, "relevant")
    cases = np.bincount(shown.group[items], minlength=len(shown.names))
    found = items[is_in(shown.pairs(rows, items), shown.served_pairs)]
    hits = np.bincount(shown.group[found], minlength=len(shown.names)).astype(np.float64)
    return rate_report("rate among the wanted", shown.names, hits, cases, level)


class _Shown:
    """Lists as item numbers, with the group of each number."""

    def __init__(self, recommended: Any, groups: Groups) -> None:
        self.users: tuple[Hashable, ...] | None = None
        if isinstance(recommended, Mapping):
            self.users = tuple(recommended)
            recommended = list(recommended.values())
        self.number: Mapping[Any, int] | None = None
        if isinstance(groups, Mapping):
            self.number = {item: j for j, item in enumerate(groups)}
        per_item = np.asarray([*groups.values()] if isinstance(groups, Mapping) else groups)
        self.names, self.group = number_groups(per_item, len(per_item), "items")
        if self.number is None:
            table = np.asarray(recommended)
            if table.ndim != 2:
                raise ValueError(
                    f"recommended must be a table of item numbers, lists x ranks; got shape "
                    f"{table.shape}"
                )
            self.items = check_whole("recommended", table, -1, len(self.group) - 1, axes=2)
        else:
            rows, numbers = self._flat(list(recommended), "recommended")
            sizes = np.bincount(rows, minlength=len(recommended))
            self.items = np.full((len(sizes), int(sizes.max(initial=0))), -1, dtype=np.intp)
            self.items[np.arange(self.items.shape[1]) < sizes[:, None]] = numbers

    @property
    def served_pairs(self) -> IntArray:
        rows, ranks = np.nonzero(self.items >= 0)
        return self.pairs(rows, self.items[rows, ranks])

    def pairs(self, rows: NDArray[Any], items: NDArray[Any]) -> IntArray:
        """Return one number for each pair of list and item."""
        keys: IntArray = rows.astype(np.intp) * len(self.group) + items
        return keys

    def read(self, given: Any, name: str) -> tuple[IntArray, IntArray]:
        """Return the list and the item of everything given per list, each pair once."""
        if hasattr(given, "tocsr"):
            table = given.tocsr()
            n_lists, kept = table.shape[0], table.data > 0
            rows = np.repeat(np.arange(n_lists), np.diff(table.indptr).astype(np.intp))[kept]
            items = table.indices[kept].astype(np.intp)
        else:
            if isinstance(given, Mapping):
                if self.users is None:
                    raise TypeError(
                        f"{name} is keyed by user, so recommended must be too: a mapping from "
                        "user to list"
                    )
                given = [given.get(user, ()) for user in self.users]
            n_lists = len(given)
            rows, items = self._flat([_chosen(own) for own in given], name)
        if n_lists != len(self.items):
            raise ValueError(
                f"recommended holds {len(self.items)} lists and {name} {n_lists} entries; each "
                "list needs its own"
            )
        keys = distinct(self.pairs(rows, items))
        return keys // len(self.group), keys % len(self.group)

    def _flat(self, entries: Sequence[Any], name: str) -> tuple[IntArray, IntArray]:
        rows = np.repeat(np.arange(len(entries)), [len(own) for own in entries])
        flat = [item for own in entries for item in own]
        if self.number is None:
            if not flat:
                return rows, np.zeros(0, dtype=np.intp)
            return rows, check_whole(name, flat, 0, len(self.group) - 1)
        unknown = next((j for j, item in enumerate(flat) if item not in self.number), None)
        if unknown is not None:
            raise ValueError(
                f"{name} of list {rows[unknown]} has item {flat[unknown]!r}, which has no group; "
                "give every item of the catalogue one"
            )
        return rows, np.array([self.number[item] for item in flat], dtype=np.intp)


def _chosen(own: Any) -> Any:
    """Return the ids of a mapping whose grade is above 0, or what is no mapping."""
    return [item for item, grade in own.items() if grade > 0] if isinstance(own, Mapping) else own


def _refuse_known(shown: _Shown, rows: IntArray, items: IntArray) -> None:
    """Raise if a list holds what its user met before, for then no rate is a probability."""
    known = is_in(shown.served_pairs, shown.pairs(rows, items))
    if known.any():
        row = int(shown.served_pairs[known][0] // len(shown.group))
        raise ValueError(
            f"list {row} recommends an item of its user's history; such items are no candidates, "
            "so remove them from the list or from the history"
        )
