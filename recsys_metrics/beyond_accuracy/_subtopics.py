"""Intent-aware metrics: relevance and diversity over the categories that a user wants.

A user's kinds are those of the user's relevant items, each as important as the other. An item
serves its kinds if the user wanted the item; whatever else is in the list serves none.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core.arithmetic import divide
from recsys_metrics._core.checks import check_choice, check_count
from recsys_metrics._core.inputs.align import read_sets
from recsys_metrics._core.inputs.arrays import FloatArray, IntArray
from recsys_metrics._core.inputs.item_sets import ItemSets
from recsys_metrics._core.inputs.lists import Lists, read_lists
from recsys_metrics._core.inputs.membership import contained
from recsys_metrics._core.inputs.scalar_or_batch import of_lists
from recsys_metrics._core.long_sums import sum_of_smooth
from recsys_metrics._core.parameter_domains import Domain, check_number
from recsys_metrics.beyond_accuracy._features import read_kinds

Scale = Literal["most", "ideal", "none"]
Redundancy = Annotated[
    float, Domain("the share of its gain that a category loses once recommended", least=0, below=1)
]
Satisfied = Annotated[float, Domain("the probability that an item satisfies", above=0, below=1)]


@of_lists
def alpha_ndcg(
    recommended: Any, relevant: Any, features: Any, *, k: int | None = None, alpha: Redundancy = 0.5
) -> Any:
    r"""How good is the list if each further item of a category counts less than the one before?

    Parameters
    ----------
    recommended
        What was recommended: one list of ids, a sequence of lists, a mapping from user to list, or
        an array of whole numbers of shape (n, K) with -1 for an empty slot.
    relevant
        What each user wanted: a set of ids, or a mapping from id to grade of which the grades
        above 0 count; one per list, in the same form.
    features : mapping from id to set of kinds, or (n_items, n_kinds) array
        The kinds of every item that is relevant; in an array, those that are not 0. Other items
        of a list need none.
    k : int, optional
        Ranks below k do not count. By default the whole list does, and the ideal is uncut.
    alpha : float
        How much of its worth a kind loses each time it was recommended, from 0 up to, not
        including, 1.

    Returns
    -------
    float or (n,) array
        0 where nothing wanted is recommended, 1 for a list as good as the ideal; NaN for a user who
        wanted nothing.

    Raises
    ------
    ValueError
        If a relevant item has no kind, a list holds an item twice, k is below 1 or alpha out of
        range.
    TypeError
        If an input is of none of the forms.

    Notes
    -----
    .. math:: \text{α-DCG@}K = \sum_{i \le K} \frac{[L_i \in R] \sum_{c \in C_{L_i}}
              (1 - \alpha)^{m_{c,i}}}{\log_2(i + 1)}

    where :math:`K` is the cut-off, the number of ranks that count; :math:`L_i` is the item at rank
    :math:`i`; :math:`R` is the set of relevant items; :math:`C_i` is the set of categories of item
    :math:`i`; :math:`m_{c,i}` is the number of relevant items of category :math:`c` above rank
    :math:`i`; :math:`\alpha` is the share of an item's gain that a repeated category loses.

    The value is this sum divided by that of an ideal list. The best list is hard to find, so the
    ideal is built greedily: each time the item is added that adds most, and among equal items the
    one whose id sorts last, as in TREC's ndeval. A list can therefore exceed 1 slightly, and other
    ids for the same items can change the value slightly. With `alpha=0` and one category per
    item it is NDCG.

    References
    ----------
    Clarke et al. (2008), Novelty and diversity in information retrieval evaluation, SIGIR.

    Examples
    --------
    >>> from recsys_metrics.beyond_accuracy import alpha_ndcg
    >>> kinds = dict(A=["war"], B=["war"], C=["love"], D=["love"], E=["war"], G=["sea"])
    >>> round(alpha_ndcg(["A", "B", "C", "D", "E"], {"B", "C", "E", "G"}, kinds), 3)
    0.564
    """
    wanted = _read(recommended, relevant, features, k)
    keeps = 1.0 - check_number("alpha", alpha, Redundancy)
    discount = 1.0 / np.log2(np.arange(2.0, wanted.deepest + 2))
    found = wanted.discounted(wanted.recommended, keeps, discount)
    best = wanted.discounted(wanted.ideal(keeps), keeps, discount)
    return wanted.finish(found, best)


@of_lists
def intent_aware_expected_reciprocal_rank(
    recommended: Any,
    relevant: Any,
    features: Any,
    *,
    k: int | None = None,
    alpha: Satisfied = 0.5,
    scale: Scale = "most",
) -> Any:
    r"""At what reciprocal rank is a user satisfied, averaged over the categories they want?

    Parameters
    ----------
    recommended, relevant, features, k
        As in `alpha_ndcg`.
    alpha : float
        How likely a wanted item satisfies a reader who looks for its kind, above 0 and below 1.
    scale : {"most", "ideal", "none"}
        Divide by what a list would have whose every item recommended every kind (ERR-IA in TREC's
        ndeval), by the same of the user's ideal list (nERR-IA), or by nothing.

    Returns
    -------
    float or (n,) array
        Between 0 and 1; NaN for a user who wanted nothing.

    Raises
    ------
    ValueError, TypeError
        As in `alpha_ndcg`.

    Notes
    -----
    .. math:: \text{ERR-IA@}K = \frac{1}{|C|} \sum_{c \in C} \sum_{i \le K} \frac{1}{i} \,
              \alpha \, (1 - \alpha)^{m_{c,i}} \, [L_i \in R,\ c \in C_{L_i}]

    where :math:`K` is the cut-off, the number of ranks that count; :math:`L_i` is the item at rank
    :math:`i`; :math:`R` is the set of relevant items; :math:`C_i` is the set of categories of item
    :math:`i`; :math:`C` is the set of categories that the user is interested in; :math:`m_{c,i}` is
    the number of relevant items of category :math:`c` above rank :math:`i`; :math:`\alpha` is the
    probability that a relevant item of the category satisfies the user.

    This is the value before scaling, the mean `expected_reciprocal_rank` over the categories.

    References
    ----------
    Chapelle et al. (2011), Intent-based diversification of web search results: metrics and
    algorithms, Information Retrieval 14(6). Clarke, Craswell, Soboroff and Ashkan (2011), A
    comparative analysis of cascade measures for novelty and diversity, WSDM.

    Examples
    --------
    >>> from recsys_metrics.beyond_accuracy import intent_aware_expected_reciprocal_rank
    >>> kinds = dict(A=["war"], B=["war"], C=["love"], D=["love"], E=["war"], G=["sea"])
    >>> shown, wanted = ["A", "B", "C", "D", "E"], {"B", "C", "E", "G"}
    >>> round(intent_aware_expected_reciprocal_rank(shown, wanted, kinds, scale="none"), 4)
    0.1556
    """
    check_choice("scale", scale, Scale)
    satisfied = check_number("alpha", alpha, Satisfied)
    wanted = _read(recommended, relevant, features, k)
    keeps = 1.0 - satisfied
    discount = 1.0 / np.arange(1.0, wanted.deepest + 1)
    found = wanted.discounted(wanted.recommended, keeps, discount)
    if scale == "none":
        return wanted.finish(satisfied * found, wanted.n_kinds)
    if scale == "ideal":
        best = wanted.discounted(wanted.ideal(keeps), keeps, discount)
        return wanted.finish(found, best)
    if wanted.k is not None:
        # A rank beyond the list still could have had something.
        return wanted.finish(found, wanted.n_kinds * _most_of_a_kind(wanted.k, keeps))
    ranks = np.arange(int(wanted.ranks.max(initial=0)))
    could = np.append(0.0, np.cumsum(keeps**ranks / (ranks + 1)))
    return wanted.finish(found, wanted.n_kinds * could[wanted.ranks])


def _most_of_a_kind(n_ranks: int, keeps: float) -> float:
    """Return what a kind adds to a list that has it at every rank, however many."""
    from scipy.special import exp1

    decay = -math.log(keeps)

    def integral(first: float, last: float) -> float:
        if not decay:
            return math.log(last / first)
        near, far = exp1([decay * first, decay * last])
        return float(near - far) / keeps

    def slope(rank: float) -> float:
        return -math.exp(-decay * (rank - 1)) * (decay + 1 / rank) / rank

    return sum_of_smooth(n_ranks, lambda ranks: keeps ** (ranks - 1) / ranks, integral, slope)


@of_lists
def intent_aware_precision(
    recommended: Any, relevant: Any, features: Any, *, k: int | None = None
) -> Any:
    r"""Of the list, what fraction is relevant to a category, averaged over wanted categories?

    Parameters
    ----------
    recommended, relevant, features, k
        As in `alpha_ndcg`. By default the length of each list stands for k.

    Returns
    -------
    float or (n,) array
        Between 0 and 1; NaN for a user who wanted nothing.

    Raises
    ------
    ValueError, TypeError
        As in `alpha_ndcg`.

    Notes
    -----
    .. math:: \text{P-IA@}K = \frac{1}{|C|} \sum_{c \in C}
              \frac{|\{i \in R \cap L_{\le K} : c \in C_i\}|}{K}

    where :math:`K` is the cut-off, the number of ranks that count; :math:`L_{\le K}` is the first
    :math:`K` items of the list; :math:`R` is the set of relevant items; :math:`C_i` is the set of
    categories of item :math:`i`; :math:`C` is the set of categories that the user is interested in.

    References
    ----------
    Agrawal, Gollapudi, Halverson and Ieong (2009), Diversifying search results, WSDM.

    Examples
    --------
    Three hits of one kind each, five ranks and three kinds:

    >>> from recsys_metrics.beyond_accuracy import intent_aware_precision
    >>> kinds = dict(A=["war"], B=["war"], C=["love"], D=["love"], E=["war"], G=["sea"])
    >>> intent_aware_precision(["A", "B", "C", "D", "E"], {"B", "C", "E", "G"}, kinds)
    0.2
    """
    wanted = _read(recommended, relevant, features, k)
    found = np.bincount(wanted.recommended.row, minlength=len(wanted.lists)).astype(np.float64)
    return wanted.finish(found, wanted.n_kinds * wanted.ranks.astype(np.float64))


@of_lists
def intent_aware_average_precision(
    recommended: Any, relevant: Any, features: Any, *, k: int | None = None
) -> Any:
    r"""How high are the relevant items of a category, averaged over the wanted categories?

    Parameters
    ----------
    recommended, relevant, features, k
        As in `alpha_ndcg`.

    Returns
    -------
    float or (n,) array
        Between 0 and 1; NaN for a user who wanted nothing.

    Raises
    ------
    ValueError, TypeError
        As in `alpha_ndcg`.

    Notes
    -----
    The average precision of each kind, whose wanted items alone are relevant then (denominator:
    how many of them there are), averaged over the kinds. The mean over users is MAP-IA.

    References
    ----------
    Agrawal, Gollapudi, Halverson and Ieong (2009), Diversifying search results, WSDM.

    Examples
    --------
    War has hits at ranks 2 and 5 of two, love at 3 of one, sea none:

    >>> from recsys_metrics.beyond_accuracy import intent_aware_average_precision
    >>> kinds = dict(A=["war"], B=["war"], C=["love"], D=["love"], E=["war"], G=["sea"])
    >>> shown, wanted = ["A", "B", "C", "D", "E"], {"B", "C", "E", "G"}
    >>> round(intent_aware_average_precision(shown, wanted, kinds), 4)
    0.2611
    """
    wanted = _read(recommended, relevant, features, k)
    own = wanted.recommended
    of_kind = wanted.counts[own.row, own.kind]
    worth = (own.before + 1) / (own.rank + 1) / of_kind
    found = np.bincount(own.row, worth, minlength=len(wanted.lists))
    return wanted.finish(found, wanted.n_kinds)


@of_lists
def subtopic_recall(recommended: Any, relevant: Any, features: Any, *, k: int | None = None) -> Any:
    r"""Of the wanted categories, what fraction is covered by a relevant item of the list?

    Parameters
    ----------
    recommended, relevant, features, k
        As in `alpha_ndcg`.

    Returns
    -------
    float or (n,) array
        Between 0 and 1; NaN for a user who wanted nothing.

    Raises
    ------
    ValueError, TypeError
        As in `alpha_ndcg`.

    Notes
    -----
    .. math:: \text{S-recall@}K = \frac{|\bigcup_{i \in R \cap L_{\le K}} C_i|}
              {|\bigcup_{i \in R} C_i|}

    where :math:`K` is the cut-off, the number of ranks that count; :math:`L_{\le K}` is the first
    :math:`K` items of the list; :math:`R` is the set of relevant items; :math:`C_i` is the set of
    categories of item :math:`i`.

    References
    ----------
    Zhai, Cohen and Lafferty (2003), Beyond independent relevance: methods and evaluation metrics
    for subtopic retrieval, SIGIR.

    Examples
    --------
    Of war, love and sea the list serves the first two:

    >>> from recsys_metrics.beyond_accuracy import subtopic_recall
    >>> kinds = dict(A=["war"], B=["war"], C=["love"], D=["love"], E=["war"], G=["sea"])
    >>> round(subtopic_recall(["A", "B", "C", "D", "E"], {"B", "C", "E", "G"}, kinds), 3)
    0.667
    """
    wanted = _read(recommended, relevant, features, k)
    own = wanted.recommended
    new = own.row[own.before == 0]
    found = np.bincount(new, minlength=len(wanted.lists)).astype(np.float64)
    return wanted.finish(found, wanted.n_kinds)


@dataclass(frozen=True, eq=False)
class _RankedKinds:
    """One entry for each kind of each wanted item that is recommended.

    `before` counts the entries of the same list and kind at ranks above; `rank` starts at 0.
    """

    row: IntArray
    rank: IntArray
    kind: IntArray

    @cached_property
    def before(self) -> IntArray:
        order = np.lexsort((self.rank, self.kind, self.row))
        row, kind = self.row[order], self.kind[order]
        starts = np.ones(len(order), dtype=bool)
        starts[1:] = (row[1:] != row[:-1]) | (kind[1:] != kind[:-1])
        first = np.flatnonzero(starts)
        count = np.empty(len(order), dtype=np.intp)
        count[order] = np.arange(len(order)) - np.repeat(first, np.diff([*first, len(order)]))
        return count


@dataclass(frozen=True, eq=False)
class _RelevantSubtopics:
    """The kinds of what each user wanted, and where the list serves them."""

    lists: Lists
    sets: ItemSets
    rows: Any
    members: IntArray
    recommended: _RankedKinds
    k: int | None

    @cached_property
    def counts(self) -> IntArray:
        """How many wanted items each user has of each kind."""
        user, kind, _ = self._entries
        n_kinds = self.rows.shape[1]
        flat: IntArray = np.bincount(user * n_kinds + kind, minlength=len(self.lists) * n_kinds)
        return flat.reshape(len(self.lists), n_kinds)

    @property
    def n_kinds(self) -> FloatArray:
        """How many kinds each user wants."""
        n_kinds: FloatArray = (self.counts > 0).sum(axis=1).astype(np.float64)
        return n_kinds

    @property
    def ranks(self) -> IntArray:
        """How many ranks of each list count: k, or all down to its last item."""
        if self.k is not None:
            return np.full(len(self.lists), self.k, dtype=np.intp)
        used: IntArray = (self.lists.filled * np.arange(1, self.lists.items.shape[1] + 1)).max(
            axis=1, initial=0
        )
        return used

    @property
    def deepest(self) -> int:
        """The last rank that any list, or ideal list, can use."""
        width: int = self.lists.items.shape[1]
        return max(width, int(self.sets.sizes.max(initial=0)), 1)

    @cached_property
    def _entries(self) -> tuple[IntArray, IntArray, IntArray]:
        """Return the user, the kind and the wanted item of each kind of each wanted item."""
        places, kinds = _list_kinds(self.rows, self.members)
        return self.sets.rows[places], kinds, places

    def ideal(self, keeps: float) -> _RankedKinds:
        """Return the list that takes, at each rank, the wanted item that adds most."""
        user, kind, item = self._entries
        rows = self.sets.rows
        # Equal gains go to the id that sorts last, as in ndeval, whatever the order of the lists.
        left = np.ones(len(self.members), dtype=bool)
        worth_of_kind = np.ones(self.counts.shape)
        most = int(self.sets.sizes.max(initial=0))
        parts: list[tuple[IntArray, IntArray, IntArray]] = []
        nonempty = np.flatnonzero(self.sets.sizes)
        starts = self.sets.indptr[:-1][nonempty]
        for rank in range(most if self.k is None else min(self.k, most)):
            gain = np.bincount(item, worth_of_kind[user, kind], minlength=len(left))
            gain = np.where(left, gain, -1.0)
            top = np.maximum.reduceat(gain, starts)
            best = gain >= np.repeat(top, self.sets.sizes[nonempty])
            best &= left
            if not best.any():
                break
            places = np.flatnonzero(best)
            whose = rows[places]
            taken = places[np.append(whose[1:] != whose[:-1], True)]
            left[taken] = False
            chosen = np.zeros(len(left), dtype=bool)
            chosen[taken] = True
            now = chosen[item]
            worth_of_kind[user[now], kind[now]] *= keeps
            parts.append((user[now], np.full(int(now.sum()), rank), kind[now]))
        if not parts:
            nothing = np.zeros(0, dtype=np.intp)
            return _RankedKinds(nothing, nothing, nothing)
        return _RankedKinds(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def discounted(self, own: _RankedKinds, keeps: float, discount: FloatArray) -> FloatArray:
        """Return what each list is worth, later items of a kind and lower ranks less."""
        worth = keeps**own.before * discount[own.rank]
        return np.bincount(own.row, worth, minlength=len(self.lists)).astype(np.float64)

    def finish(self, found: NDArray[Any], most: FloatArray) -> Any:
        """Return the shares, NaN for who wanted nothing."""
        return self.lists.finish(np.where(self.sets.sizes > 0, divide(found, most, 0.0), np.nan))


def _read(recommended: Any, relevant: Any, features: Any, k: int | None) -> _RelevantSubtopics:
    """Return what was wanted and where it was recommended, checked."""
    from scipy import sparse

    lists = read_lists(recommended)
    if k is not None:
        lists = lists.cut(check_count("k", k, meaning="how many ranks count"))
    sets = read_sets(relevant, lists, "relevant", graded=True)
    row, rank = np.nonzero(contained(lists, sets))
    table, (members, hits) = read_kinds(features, lists, sets.items, lists.items[row, rank])
    # By id, so that the ideal does not hang on which items the lists named first.
    by_id = np.lexsort((members, sets.rows))
    sets, members = ItemSets(sets.indptr, sets.items[by_id]), members[by_id]
    rows = sparse.csr_array(table)
    places, kinds = _list_kinds(rows, hits)
    return _RelevantSubtopics(
        lists, sets, rows, members, _RankedKinds(row[places], rank[places], kinds), k
    )


def _list_kinds(rows: Any, items: IntArray) -> tuple[IntArray, IntArray]:
    """Return, for each kind of each item, the place of the item and the kind."""
    own = rows[items]
    sizes = np.diff(own.indptr).astype(np.intp)
    return np.repeat(np.arange(len(items)), sizes), own.indices.astype(np.intp)
