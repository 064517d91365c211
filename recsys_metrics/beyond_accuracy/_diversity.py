"""Intra-list diversity: how different the items of one list are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from recsys_metrics._core.arithmetic import divide
from recsys_metrics._core.blocks import over_blocks, row_blocks
from recsys_metrics._core.checks import check_choice, first_true
from recsys_metrics._core.inputs.arrays import FloatArray, IntArray, as_numbers
from recsys_metrics._core.inputs.frames import refuse_unsorted_numbers
from recsys_metrics._core.inputs.lists import Lists, read_lists
from recsys_metrics._core.inputs.scalar_or_batch import of_lists
from recsys_metrics._core.inputs.tables import is_full
from recsys_metrics._core.sorted_arrays import factorize_pairs
from recsys_metrics.beyond_accuracy._arguments import check_numbered
from recsys_metrics.beyond_accuracy._features import read_features, unit_rows

Metric = Literal["cosine", "jaccard", "co-occurrence"]
Single = Literal["nan", "zero"]

# The sums of a block of lists: twice the default, for the matrix of each has a price.
_CELLS = 2**18


@of_lists
def intra_list_diversity(
    recommended: Any,
    *,
    features: Any = None,
    similarity: Any = None,
    metric: Metric = "cosine",
    single: Single = "nan",
) -> Any:
    r"""How different are two items of the list, on average?

    Parameters
    ----------
    recommended
        What was recommended: one list of ids, a sequence of lists, a mapping from user to list, or
        an array of whole numbers of shape (n, K) with -1 for an empty slot.
    features : optional
        What is known of the items: an (n_items, d) array or sparse matrix, indexed by item
        number, a mapping from id to a vector, to a set of categories or to a text such as
        ``"Action|Comedy"``, or a table of items and categories. With `metric="co-occurrence"`, who
        interacted with each item: `Interactions`, an items x users
        matrix, or a mapping from id to a set of users.
    similarity : optional
        How alike two items are, in place of features: an (n_items, n_items) array or sparse
        matrix, or a mapping from pairs of ids (either way around) to a number from -1 to 1.
        If the two directions differ, their mean counts.
    metric : {"cosine", "jaccard", "co-occurrence"}
        How features are compared: the cosine of the angle between them; the features both
        have over those either has; or the users of both over the geometric mean of the users
        of each. Without meaning where `similarity` is given.
    single : {"nan", "zero"}
        Value of a list of fewer than two items, which has no pair.

    Returns
    -------
    float or (n,) array
        Mean of 1 - similarity over the pairs of a list. 0 if all items are alike. At most 1
        where no similarity is negative, as with categories and counts; with vectors of any
        sign a list of K items reaches K / (K - 1): 2 for two items, 1.5 for three.

    Raises
    ------
    ValueError
        If neither or both of features and similarity are given, an item has no features, only
        zeros, or one that is not finite, a similarity is outside [-1, 1], or a list holds an
        item twice.
    TypeError
        If an input is of none of the forms.

    Notes
    -----
    .. math:: \mathrm{ILD} = \frac{2}{|L| \, (|L| - 1)} \sum_{i < j}
              \bigl( 1 - \operatorname{sim}(L_i, L_j) \bigr)

    where :math:`L_i` is the item at rank :math:`i`; :math:`L` is the recommended list.

    A mean over pairs does not grow with the list. Dividing by the length instead, as Evidently
    does, gives (K - 1) / 2 times as much. RecTools and recpack give a single item 0, others
    leave it out.

    For cosines no pair is visited: the sum of all of them is the squared length of the sum of
    the unit vectors.

    References
    ----------
    Ziegler et al. (2005), Improving recommendation lists through topic diversification, WWW.
    Smyth and McClave (2001), Similarity vs. diversity, ICCBR.

    Examples
    --------
    >>> from recsys_metrics.beyond_accuracy import intra_list_diversity
    >>> alike = {("A", "B"): 0.5, ("A", "C"): 0, ("B", "C"): 0.5}
    >>> round(intra_list_diversity(["A", "B", "C"], similarity=alike), 3)
    0.667
    >>> genres = {"A": {"comedy"}, "B": {"comedy", "drama"}, "C": {"war"}}
    >>> intra_list_diversity([["A", "B"], ["A", "C"]], features=genres, metric="jaccard")
    array([0.5, 1. ])
    """
    check_choice("metric", metric, Metric)
    check_choice("single", single, Single)
    lists = read_lists(recommended)
    if (features is None) == (similarity is None):
        given = "neither was" if features is None else "both were"
        raise ValueError(
            "give features, from which similarities are computed, or similarity itself; "
            f"{given} given"
        )
    if similarity is not None:
        total = _similarity_sums(lists, similarity)
    elif metric == "jaccard":
        rows, (items,) = read_features(features, lists, presence=True)
        total = _jaccard_sums(items, rows)
    else:
        of_users = metric == "co-occurrence"
        rows, (items,) = read_features(features, lists, presence=of_users, of_users=of_users)
        total = _cosine_sums(items, unit_rows(rows))
    sizes = lists.lengths
    pairs = sizes * (sizes - 1) / 2
    alone = np.nan if single == "nan" else 0.0
    mean = divide(total, pairs, 1.0)
    # A sum of rounded cosines can miss the end of the range by a digit.
    return lists.finish(np.where(pairs > 0, np.maximum(0.0, 1.0 - mean), alone))


def _cosine_sums(items: IntArray, units: Any) -> FloatArray:
    """Return the sum of the cosines over each list's pairs."""
    from scipy import sparse

    sums = np.zeros(len(items))
    dense = isinstance(units, np.ndarray)
    width = max(units.shape[1], items.shape[1])
    if not dense:
        width = items.shape[1] * (1 + units.nnz // max(1, units.shape[0]))
    full = is_full(items)
    # Narrow numbers are sorted within vector registers.
    narrow = np.int32 if units.shape[0] < 2**31 else np.int64

    def add_up(block: slice) -> None:
        # In the order of the items, so that a list's order cannot change the last digit.
        numbers = np.sort(items[block].astype(narrow), axis=1)
        sizes = np.full(len(numbers), numbers.shape[1])
        if not full:
            present = numbers >= 0
            sizes = present.sum(axis=1)
            numbers = numbers[present]
        ends = np.concatenate([[0], np.cumsum(sizes)])
        members = sparse.csr_array(
            (np.ones(ends[-1]), numbers.reshape(-1), ends), shape=(len(sizes), units.shape[0])
        )
        together = members @ units
        if dense:
            squares = np.einsum("ij,ij->i", together, together)
        else:
            squares = np.asarray(together.multiply(together).sum(axis=1)).ravel()
        # The square holds each item with itself once, and each pair twice.
        sums[block] = (squares - sizes) / 2

    over_blocks(add_up, len(items), width, _CELLS)
    return sums


def _jaccard_sums(items: IntArray, rows: Any) -> FloatArray:
    """Return the sum of the Jaccard similarities over each list's pairs."""
    from scipy import sparse

    has = sparse.csr_array(rows)
    sizes = np.diff(has.indptr).astype(np.intp)
    n_features = has.shape[1]
    sums = np.zeros(len(items))
    for block in row_blocks(len(items), items.shape[1] ** 2):
        owner, column = np.nonzero(items[block] >= 0)
        if not owner.size:
            continue
        number = items[block][owner, column]
        # Each list gets columns of its own, so that a product only meets items of one list.
        part = has[number]
        shift = np.repeat(owner * n_features, sizes[number])
        wide = sparse.csr_array(
            (part.data, part.indices.astype(np.int64) + shift, part.indptr),
            shape=(len(number), (int(owner[-1]) + 1) * n_features),
        )
        both = (wide @ wide.T).tocoo()
        one, other = both.row, both.col
        upper = one < other
        one, other, common = one[upper], other[upper], both.data[upper]
        either = sizes[number[one]] + sizes[number[other]] - common
        sums[block] = np.bincount(owner[one], weights=common / either, minlength=len(items[block]))
    return sums


def _similarity_sums(lists: Lists, similarity: Any) -> FloatArray:
    """Return the sum of given similarities over each list's pairs."""
    first, second = np.triu_indices(lists.items.shape[1], 1)
    sums = np.zeros(len(lists))
    look_up = _look_up_pairs if isinstance(similarity, Mapping) else _look_up_cells
    if not isinstance(similarity, Mapping):
        similarity = _check_square(similarity, lists)
    for block in row_blocks(len(lists), len(first)):
        one, other = lists.items[block][:, first], lists.items[block][:, second]
        present = (one >= 0) & (other >= 0)
        one, other = one[present], other[present]
        values = look_up(similarity, one, other, lists)
        # Negated, so that NaN is caught as well.
        if at := first_true(~(np.abs(values) <= 1 + 1e-9)):
            a, b = (lists.ids.label(int(number[at])) for number in (one, other))
            raise ValueError(
                f"the similarity of items {a!r} and {b!r} is {values[at]:g}; a similarity lies "
                "between -1 and 1, where 1 is an item's with itself"
            )
        table = np.zeros(present.shape)
        table[present] = values
        sums[block] = table.sum(axis=1)
    return sums


def _check_square(similarity: Any, lists: Lists) -> Any:
    """Return a square table of numbers that has a row for every item."""
    check_numbered(lists, "similarity", similarity, "pairs of ids to a number")
    refuse_unsorted_numbers("similarity", similarity, rows="item", columns="item")
    table = (
        similarity.tocsr() if hasattr(similarity, "tocsr") else as_numbers(similarity, "similarity")
    )
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise ValueError(f"similarity must have a row and a column per item; got {table.shape}")
    if lists.items.max(initial=-1) >= table.shape[0]:
        raise ValueError(
            f"item {lists.items.max()} has no similarities: there are {table.shape[0]} rows, "
            "numbered from 0"
        )
    return table


def _look_up_cells(similarity: Any, one: IntArray, other: IntArray, lists: Lists) -> FloatArray:
    there = np.asarray(similarity[one, other], dtype=np.float64).ravel()
    back = np.asarray(similarity[other, one], dtype=np.float64).ravel()
    return (there + back) / 2


def _look_up_pairs(
    similarity: Mapping[Any, float], one: IntArray, other: IntArray, lists: Lists
) -> FloatArray:
    """Return the similarity of each pair, looked up once per pair that occurs."""
    low, high = np.minimum(one, other), np.maximum(one, other)
    low, high, which = factorize_pairs(low, high)
    values = np.empty(len(low))
    for row, pair in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
        a, b = (lists.ids.label(number) for number in pair)
        known = [similarity[way] for way in ((a, b), (b, a)) if way in similarity]
        if not known:
            raise ValueError(
                f"similarity has no entry for the pair ({a!r}, {b!r}), either way around; add it"
            )
        values[row] = as_numbers(known, f"similarity of ({a!r}, {b!r})").mean()
    return values[which]
