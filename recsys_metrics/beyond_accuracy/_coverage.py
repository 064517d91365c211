"""Catalogue coverage and user coverage of the lists."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Annotated, Any, NoReturn

import numpy as np

from recsys_metrics._core.checks import MOST_ENTRIES, check_count, first_true
from recsys_metrics._core.inputs.arrays import IntArray, refuse_mask
from recsys_metrics._core.inputs.catalog import catalog_ids
from recsys_metrics._core.inputs.lists import Lists, read_lists
from recsys_metrics._core.inputs.several import read_several
from recsys_metrics._core.inputs.tables import distinct, occurrences
from recsys_metrics._core.parameter_domains import Domain, check_number
from recsys_metrics._core.sorted_arrays import first_rows

AtLeast = Annotated[int, Domain("how many items a list needs", least=1, whole=True)]


def catalog_coverage(recommended: Any, catalog: int | Iterable[Hashable]) -> float:
    r"""Of the catalogue, what fraction is recommended to at least one user?

    Parameters
    ----------
    recommended
        What was recommended: one list of ids, a sequence of lists, a mapping from user to list, or
        an array of whole numbers of shape (n, K) with -1 for an empty slot.
    catalog : int or collection of ids
        What could have been recommended: the ids, or how many there are.

    Returns
    -------
    float
        Between 0 and 1: distinct items recommended, divided by the items of the catalogue. It
        never falls as users are added, so compare coverages over as many users only.

    Raises
    ------
    ValueError
        If a recommended item is not in the catalogue, the catalogue is empty, or a list holds
        an item twice.
    TypeError
        If an input is of none of the forms.

    Notes
    -----
    .. math:: \mathrm{coverage} = \frac{|\bigcup_u L_u|}{|I|}

    where :math:`L_u` is the list of user :math:`u`; :math:`I` is the catalogue, the set of all
    items.

    Evidently and RePlay take the items seen in training as the catalogue and leave others out
    of the count; recommenders does not leave them out, so its coverage can exceed 1.

    References
    ----------
    Ge, Delgado-Battenfeld and Jannach (2010), Beyond accuracy: evaluating recommender systems
    by coverage and serendipity, RecSys.

    Examples
    --------
    >>> from recsys_metrics.beyond_accuracy import catalog_coverage
    >>> catalog_coverage([["A", "B"], ["A", "C"], ["B", "D"]], catalog=10)
    0.4
    >>> catalog_coverage([["A", "B"], ["A", "C"]], catalog=[*"ABCDEF"])
    0.5
    """
    lists = read_lists(recommended)
    retrieved, total, _ = locate_in_catalog(lists, catalog)
    return len(retrieved) / total


def user_coverage(
    recommended: Any, users: int | Iterable[Hashable] | None = None, *, at_least: AtLeast = 1
) -> float:
    r"""Of the users, what fraction gets a list that is long enough?

    Parameters
    ----------
    recommended
        As in `catalog_coverage`.
    users : int or collection of ids, optional
        Who should have been recommended: how many users, or their ids if `recommended` is keyed by
        user. By default everyone who has a list, even an empty one.
    at_least : int
        How many items a list needs to count.

    Returns
    -------
    float
        Between 0 and 1.

    Raises
    ------
    ValueError
        If there are no users, fewer users than lists, or a list for someone who is not among
        the users.
    TypeError
        If an input is of none of the forms, or ids of users are given for lists without.

    Notes
    -----
    .. math:: \mathrm{UC} = \frac{|\{u : |L_u| \ge K\}|}{|U|}

    where :math:`K` is the cut-off, the number of ranks that count; :math:`L_u` is the list of user
    :math:`u`; :math:`U` is the set of all users.

    References
    ----------
    Ge, Delgado-Battenfeld and Jannach (2010), Beyond accuracy: evaluating recommender systems
    by coverage and serendipity, RecSys.

    Examples
    --------
    >>> from recsys_metrics.beyond_accuracy import user_coverage
    >>> user_coverage({"ann": ["A", "B"], "bob": []}, users=["ann", "bob", "cy", "di"])
    0.25
    """
    lists = read_lists(recommended)
    needed = check_number("at_least", at_least, AtLeast)
    if users is None:
        total = len(lists)
    elif isinstance(users, int | np.integer):
        total = check_count("users", users, meaning="how many users there are")
    else:
        total = _count_users(lists, users)
    if total < max(1, len(lists)):
        raise ValueError(
            f"recommended has {len(lists)} lists for {total} users; each list needs its user"
        )
    return int((lists.lengths >= needed).sum()) / total


def recommendation_counts(recommended: Any, catalog: int | Iterable[Hashable]) -> IntArray:
    """How often is each item of the catalogue recommended?

    Parameters
    ----------
    recommended, catalog
        As in `catalog_coverage`. With a number as the catalogue, items must be whole numbers
        below it.

    Returns
    -------
    (n_items,) array of int
        One count per item, zeros included, in the order of the catalogue: what `gini`,
        `lorenz_curve` and `shannon_entropy` take.

    Raises
    ------
    ValueError, TypeError
        As in `catalog_coverage`; also if the catalogue is a number and items are not.

    Examples
    --------
    >>> from recsys_metrics.beyond_accuracy import gini, recommendation_counts
    >>> recommendation_counts([["A", "B"], ["A", "C"]], catalog=["A", "B", "C", "D", "E"])
    array([2, 1, 1, 0, 0])
    >>> round(gini(_), 3)
    0.5
    """
    lists = read_lists(recommended)
    retrieved, total, places = places_in_catalog(lists, catalog)
    counts = np.zeros(total, dtype=np.intp)
    counts[places] = occurrences(lists.items, retrieved)
    return counts


def locate_in_catalog(
    lists: Lists, catalog: int | Iterable[Hashable]
) -> tuple[IntArray, int, IntArray | None]:
    """Return the recommended items, the size of the catalogue, and their places in it."""
    refuse_mask(catalog, "catalog")
    retrieved = distinct(lists.items)
    whole = not lists.ids.index
    if isinstance(catalog, int | np.integer) or not isinstance(catalog, Iterable):
        total = check_count("catalog", catalog, meaning="the ids of the catalogue, or their number")
        # Numbers from 0 are places; other numbers are ids like any other, as in a data frame.
        are_places = whole and not (retrieved.size and retrieved[-1] >= total)
        return retrieved, catalog_size(catalog, len(retrieved)), retrieved if are_places else None
    if isinstance(catalog, range):
        return _locate_in_range(lists, retrieved, catalog)
    numbers: Any = np.asarray(catalog) if isinstance(catalog, np.ndarray) else None
    if whole and numbers is not None and numbers.dtype.kind in "iu":
        return _locate_in_numbers(retrieved, numbers)
    known: dict[Hashable, int] = {}
    for item in catalog_ids(catalog):
        known.setdefault(item, len(known))
    if not known:
        raise ValueError("the catalogue is empty; give the ids of all items, or their number")
    places = np.empty(len(retrieved), dtype=np.intp)
    for j, number in enumerate(retrieved):
        label = lists.ids.label(int(number))
        place = known.get(label)
        if place is None:
            _refuse_stranger(lists, int(number), len(known))
        places[j] = place
    return retrieved, len(known), places


def _locate_in_range(
    lists: Lists, retrieved: IntArray, catalog: range
) -> tuple[IntArray, int, IntArray]:
    """Return the same for a range, whose numbers nobody lists: there may be very many."""
    total = catalog_size(catalog, 0)
    if not total:
        raise ValueError("the catalogue is empty; give the ids of all items, or their number")
    places = []
    for number in retrieved.tolist():
        label: Any = lists.ids.label(number)
        # Whether a text is in a range, Python answers by going through all of it.
        whole = isinstance(label, int | np.integer) and not isinstance(label, bool)
        if not whole or int(label) not in catalog:
            _refuse_stranger(lists, number, total)
        places.append(catalog.index(int(label)))
    return retrieved, total, np.array(places, dtype=np.intp)


def _refuse_stranger(lists: Lists, number: int, total: int) -> NoReturn:
    """Raise about an item that is recommended and of no catalogue."""
    row, _ = first_true(lists.items == number)
    raise ValueError(
        f"{lists.name(row)} contains item {lists.ids.label(number)!r}, which is not in the "
        f"catalogue of {total} items; add it or remove it from the list"
    )


def places_in_catalog(
    lists: Lists, catalog: int | Iterable[Hashable]
) -> tuple[IntArray, int, IntArray]:
    """Return the same where each item needs its place, which a number of items does not tell."""
    retrieved, total, places = locate_in_catalog(lists, catalog)
    if places is not None:
        if total > MOST_ENTRIES:
            raise ValueError(
                f"catalog has {total:,} items, and the result has a number for each, at most "
                f"{MOST_ENTRIES:,}; leave out items that cannot be recommended"
            )
        return retrieved, total, places
    label = lists.ids.label(int(retrieved[-1]))
    what = (
        f"item {label!r} is outside a catalogue of {total} items, which are numbered from 0 to "
        f"{total - 1}"
        if not lists.ids.index
        else f"catalog={total} gives only the number of items, but this needs to know which item "
        f"{label!r} is"
    )
    raise TypeError(f"{what}. Pass the item ids: catalog=[…]")


def catalog_size(catalog: int | Iterable[Hashable], n_shown: int) -> int:
    """Return how many items a catalogue has, of which so many were recommended."""
    if isinstance(catalog, range):
        # Its length may be more than len() can say.
        n_items = max(0, -(-(catalog.stop - catalog.start) // catalog.step))
        return check_count("the number of items in catalog", n_items, 0)
    if isinstance(catalog, Iterable):
        return len(set(catalog_ids(catalog)))
    catalog = check_count("catalog", catalog, meaning="how many items there are")
    if n_shown > catalog:
        raise ValueError(f"{n_shown} distinct items were recommended from a catalogue of {catalog}")
    return catalog


def _locate_in_numbers(retrieved: IntArray, catalog: IntArray) -> tuple[IntArray, int, IntArray]:
    """Return the same for a catalogue that is an array of whole numbers."""
    if not catalog.size:
        raise ValueError("the catalogue is empty; give the ids of all items, or their number")
    ids, first = first_rows(catalog)
    at = np.minimum(np.searchsorted(ids, retrieved), len(ids) - 1)
    outside = ids[at] != retrieved
    if outside.any():
        raise ValueError(
            f"item {retrieved[outside.argmax()]} is recommended but not in the catalogue of "
            f"{len(ids)} items; add it or remove it from the lists"
        )
    # Repeats in the catalogue do not count: an item's place is that among the distinct ones.
    place_of = np.empty(len(ids), dtype=np.intp)
    place_of[np.argsort(first)] = np.arange(len(ids))
    return retrieved, len(ids), place_of[at]


def _count_users(lists: Lists, users: Iterable[Hashable]) -> int:
    """Return how many users there are, having checked that every list has one."""
    if lists.users is None:
        raise TypeError(
            "the lists are not keyed by user, so users must be their number; or give recommended "
            "as a mapping from user to list"
        )
    refuse_mask(users, "users")
    known = {*read_several("users", users, "ids, or their number")}
    strangers = [user for user in lists.users if user not in known]
    if strangers:
        raise ValueError(
            f"{len(strangers)} lists are for someone who is not among the {len(known)} users, "
            f"{strangers[0]!r} for one"
        )
    return len(known)
