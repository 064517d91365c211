"""Shares of item categories in the recommendations, compared with the users' history."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Annotated, Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.arithmetic import divide
from recsys_metrics._core.checks import check_choice, first_true, is_missing
from recsys_metrics._core.inputs.arrays import FloatArray, IntArray, as_numbers
from recsys_metrics._core.inputs.frames import (
    by_item,
    by_key,
    entries_of,
    is_column,
    refuse_other_columns,
)
from recsys_metrics._core.inputs.ids import refuse_names_alike, refuse_types_alike
from recsys_metrics._core.inputs.lists import Lists, read_lists
from recsys_metrics._core.inputs.scalar_or_batch import ManyRows, OneRow, of_lists
from recsys_metrics._core.inputs.tables import distinct, positions
from recsys_metrics._core.inputs.users import check_same_users
from recsys_metrics._core.parameter_domains import Domain, check_number
from recsys_metrics.beyond_accuracy._arguments import Base, check_numbered, logarithm, sort_labels
from recsys_metrics.interactions import Interactions

Per = Literal["all", "list"]
Mixed = Annotated[float, Domain("how much of the target is mixed in", least=0, below=1)]


@dataclass(frozen=True, eq=False)
class CategoryShares:
    """The share of each category among what was recommended, and in training.

    Attributes
    ----------
    categories : tuple
        The categories, sorted.
    recommended, training : (G,) or (n, G) array
        Share of each, adding up to 1; one row per list where asked for. A list without items
        has NaN.

    Examples
    --------
    >>> from recsys_metrics.beyond_accuracy import category_shares
    >>> shares = category_shares(["A", "A", "B"], ["A", "B"], {"A": "comedy", "B": "war"})
    >>> dict(zip(shares.categories, shares.ratio.round(2).tolist()))
    {'comedy': 1.33, 'war': 0.67}
    """

    categories: tuple[Hashable, ...]
    recommended: FloatArray
    training: FloatArray

    @property
    def difference(self) -> FloatArray:
        """Recommended minus training, in shares: above 0 where the category is shown more."""
        return self.recommended - self.training

    @property
    def ratio(self) -> FloatArray:
        """Recommended over training; NaN where neither has the category, infinite for new."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.recommended / self.training

    @property
    def disparity(self) -> FloatArray:
        """Bias disparity: by which part of its share in training a category gained, -1 to ∞.

        Tsintzou, Pitoura and Tsaparas (2019), Bias disparity in recommendation systems, compare
        the preference of a group of users for a category with the category's part of the
        catalogue, before and after; that part cancels. Give the lists and the training data of
        one group.
        """
        return self.ratio - 1.0


def category_shares(
    recommended: Any,
    training: Any,
    categories: Any,
    *,
    per: Per = "all",
) -> CategoryShares:
    r"""Which categories have a larger share of the lists than of the training data, and which less?

    Parameters
    ----------
    recommended
        What was recommended: one list of ids, a sequence of lists, a mapping from user to list, or
        an array of whole numbers of shape (n, K) with -1 for an empty slot. For user bias,
        the users of the current data, one entry per event.
    training
        What the training data hold, in any of these forms, or `Interactions`, whose items
        count; an id counts as often as it occurs, once in a set. With `per="list"`, the
        history of each list's user: as many lists or sets, or `Interactions` whose user i
        belongs to list i.
    categories : mapping from id to category, or (n_items,) array
        The category of each item (or user); a set or list of them if it has several, each of
        which then counts an equal part. A number such as a year is cut into categories first,
        with `numpy.digitize` for instance.
    per : {"all", "list"}
        One distribution over everything, or one for each list.

    Returns
    -------
    CategoryShares
        `.categories`, `.recommended`, `.training`, `.difference`, `.ratio`.

    Raises
    ------
    ValueError
        If an id has no category, nothing was recommended or trained on, or, with
        `per="list"`, the two sides differ in length.
    TypeError
        If an input is of none of the forms.

    Notes
    -----
    .. math:: q_c = \frac{\sum_u \sum_{i \in L_u} p_{c,i}}{\sum_u |L_u|}

    Item bias and user bias in Evidently are pictures of these two distributions. With
    `per="list"` they are what `genre_calibration` compares.

    References
    ----------
    Steck (2018), Calibrated recommendations, RecSys.

    Examples
    --------
    >>> from recsys_metrics.beyond_accuracy import category_shares
    >>> genre = {"A": "comedy", "B": "comedy", "C": ["drama", "war"]}
    >>> shares = category_shares([["A", "B"], ["A", "C"]], ["A", "C", "C", "B"], genre)
    >>> shares.categories, shares.recommended, shares.training
    (('comedy', 'drama', 'war'), array([0.75 , 0.125, 0.125]), array([0.5 , 0.25, 0.25]))
    """
    check_choice("per", per, Per)
    retrieved = read_lists(recommended, repeats="keep")
    trained = _read_training(training, retrieved, per)
    used = distinct(np.concatenate([distinct(side.items) for side in (retrieved, trained)]))
    names, parts = _read_categories(categories, used, retrieved)
    shares = [
        _shares(positions(side.items, used), parts, len(names), per)
        for side in (retrieved, trained)
    ]
    for name, share in zip(("recommended", "training"), shares, strict=True):
        if per == "all" and np.isnan(share).any():
            raise ValueError(f"{name} contains no item, so it has no shares")
    if per == "list" and retrieved.single:
        shares = [share[0] for share in shares]
    return CategoryShares(names, *shares)


@of_lists
def unique_category_share(recommended: Any, categories: Any) -> Any:
    r"""How many different categories are in a list, relative to the largest possible number?

    Parameters
    ----------
    recommended
        What was recommended, as in `category_shares`.
    categories : mapping from id to category, or (n_items,) array
        As in `category_shares`.

    Returns
    -------
    float or (n,) array
        Between 0 and 1: 1 if no two items share a category; NaN for an empty list.

    Raises
    ------
    ValueError, TypeError
        As in `category_shares`.

    Notes
    -----
    .. math:: \mathrm{unique} = \frac{|\bigcup_{i \in L} C_i|}{\sum_{i \in L} |C_i|}

    where :math:`L` is the recommended list; :math:`C_i` is the set of categories of item :math:`i`.

    With one category for each item it is the share of different categories among the ranks.
    Long lists run out of categories, so compare lists of one length.

    References
    ----------
    The measure is RePlay's `CategoricalDiversity`.

    Examples
    --------
    >>> from recsys_metrics.beyond_accuracy import unique_category_share
    >>> genre = {"A": "comedy", "B": "comedy", "C": "drama", "D": "war"}
    >>> unique_category_share([["A", "B", "C", "D"], ["A", "B"]], genre)
    array([0.75, 0.5 ])
    """
    lists = read_lists(recommended)
    used = distinct(lists.items)
    names, parts = _read_categories(categories, used, lists)
    places = positions(lists.items, used)
    different = (_shares(places, parts, len(names), "list") > 0).sum(axis=1)
    # Behind the last item stands the empty slot's.
    sizes = np.array([*(len(own) for own in parts), 0])
    return lists.finish(divide(different, sizes[places].sum(axis=1)))


@overload
def genre_calibration(
    target: OneRow | Mapping[Any, float], recommended: Any, *, alpha: Mixed = ..., base: Base = ...
) -> float: ...
@overload
def genre_calibration(
    target: ManyRows, recommended: Any, *, alpha: Mixed = ..., base: Base = ...
) -> FloatArray: ...
@overload
def genre_calibration(
    target: ArrayLike, recommended: Any, *, alpha: Mixed = ..., base: Base = ...
) -> Any: ...
def genre_calibration(
    target: ArrayLike | Mapping[Any, float],
    recommended: ArrayLike | Mapping[Any, float],
    *,
    alpha: Mixed = 0.01,
    base: Base = 2,
) -> Any:
    r"""How far is the mix of genres in the list from the mix the user likes?

    Parameters
    ----------
    target : (G,) or (n, G) array, or mapping from genre to share
        The distribution over genres of the user's history, for one user or for many.
    recommended : same form
        The distribution over genres of the list.
    alpha : float
        How much of the target is mixed into `recommended`, so that a genre missing from the list
        does not make the value infinite; from 0 up to, not including, 1.
    base : float
        Base of the logarithm: 2 for bits, `math.e` for nats.

    Returns
    -------
    float or (n,) array
        Kullback-Leibler divergence: 0 if the mixes are equal (well calibrated), at most
        log(1 / alpha), reached if they share no genre. Infinite for `alpha=0` where a genre
        of the target is missing. A row of NaN on either side gives NaN.

    Raises
    ------
    ValueError
        If shapes differ, a share is negative, shares do not add up to 1, or alpha or base is
        out of range.
    TypeError
        If one side is a mapping and the other is not.

    Notes
    -----
    .. math:: \mathrm{KL} = \sum_c p_c \log_2 \frac{p_c}{\tilde q_c},
              \qquad \tilde q_c = (1 - \alpha) \, q_c + \alpha \, p_c

    where :math:`p_c` is the share of category :math:`c` in the user's history; :math:`q_c` is the
    share of category :math:`c` in the list; :math:`\alpha` is the share of the user's own
    distribution that is mixed into that of the list.

    `category_shares(…, per="list")` makes both.

    References
    ----------
    Steck (2018), Calibrated recommendations, RecSys.

    Examples
    --------
    A user who watches 70 % romance and 30 % action gets romance only:

    >>> from recsys_metrics.beyond_accuracy import genre_calibration
    >>> round(genre_calibration([0.7, 0.3], [1.0, 0.0]), 3)
    1.636
    >>> genre_calibration({"romance": 0.7, "action": 0.3}, {"action": 0.3, "romance": 0.7})
    0.0
    """
    unit = check_number("base", base, Base)
    alpha = check_number("alpha", alpha, Mixed)
    target, recommended = _by_genre(target, recommended)
    if isinstance(target, Mapping) != isinstance(recommended, Mapping):
        raise TypeError(
            "target and recommended must both be mappings from genre to share, or arrays"
        )
    if isinstance(target, Mapping) and isinstance(recommended, Mapping):
        refuse_types_alike(target, recommended, "target", "recommended", "genre")
        genres = [*target, *(genre for genre in recommended if genre not in target)]
        refuse_names_alike(genres, "target and recommended have the genres")
        target, recommended = (
            [side.get(genre, 0.0) for genre in genres] for side in (target, recommended)
        )
    wanted, given = (
        as_numbers(side, name) for name, side in (("target", target), ("recommended", recommended))
    )
    if wanted.shape != given.shape or wanted.ndim not in (1, 2) or not wanted.shape[-1]:
        raise ValueError(
            "target and recommended must contain one share per genre, (G,) or (n, G) with the same "
            f"genres; got shapes {wanted.shape} and {given.shape}"
        )
    p, q = (
        _check_distributions(name, np.atleast_2d(side))
        for name, side in (("target", wanted), ("recommended", given))
    )
    mixed = (1 - alpha) * q + alpha * p
    positive = p > 0
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = np.where(positive, p / np.where(positive, mixed, 1.0), 1.0)
        logs = logarithm(ratio, unit)
        # A ratio beyond the floats has a logarithm, that of its parts.
        beyond = np.isinf(ratio) & (mixed > 0)
        logs[beyond] = logarithm(p[beyond], unit) - logarithm(mixed[beyond], unit)
        values = np.maximum(0.0, (p * logs).sum(axis=1))
    values = np.where(np.isnan(p).any(axis=1) | np.isnan(q).any(axis=1), np.nan, values)
    return float(values[0]) if wanted.ndim == 1 else values


def _by_genre(target: Any, recommended: Any) -> tuple[Any, Any]:
    """Return shares as mappings where pandas labels them by genre; tables have to agree."""
    refuse_other_columns(target=target, recommended=recommended)
    keyed = [by_key(side) for side in (target, recommended)]
    if keyed[0] is None and keyed[1] is None:
        return target, recommended
    one, other = (
        dict(enumerate(entries_of(side))) if known is None and is_column(side) else known
        for known, side in zip(keyed, (target, recommended), strict=True)
    )
    return target if one is None else one, recommended if other is None else other


def _read_training(training: Any, retrieved: Lists, per: Per) -> Lists:
    """Return the training data as lists."""
    if isinstance(training, Interactions):
        training = training.item if per == "all" else _histories(training)
    elif per == "list" and retrieved.users is not None and isinstance(training, Mapping):
        check_same_users(retrieved.users, training, "recommended", "training")
        training = {user: training.get(user, []) for user in retrieved.users}
    if isinstance(training, Mapping):
        training = {user: _flatten(row) for user, row in training.items()}
    elif isinstance(training, list):
        training = [_flatten(row) for row in training]
    trained = read_lists(training, "training", ids=retrieved.ids, repeats="keep")
    if per == "list" and (
        len(trained) != len(retrieved) or (trained.users is None) != (retrieved.users is None)
    ):
        raise ValueError(
            f"per='list' compares each list with its user's training data, in the same form, but "
            f"recommended has {len(retrieved)} lists and training {len(trained)}"
        )
    return trained


def _flatten(met: Any) -> Any:
    """Return a set as a list; its order says nothing, and must not move the last digit."""
    return sorted(met, key=repr) if isinstance(met, AbstractSet) else met


def _histories(log: Interactions) -> IntArray:
    """Return each user's items as a row, -1 behind the last."""
    sizes = np.bincount(log.user, minlength=log.n_users)
    table = np.full((log.n_users, int(sizes.max(initial=0))), -1, dtype=np.intp)
    by_user = np.argsort(log.user, kind="stable")
    table[np.arange(table.shape[1]) < sizes[:, None]] = log.item[by_user]
    return table


def _read_categories(
    categories: Any, used: IntArray, lists: Lists
) -> tuple[tuple[Hashable, ...], list[tuple[int, ...]]]:
    """Return all categories, sorted, and those of each item that occurs."""
    found: list[tuple[Hashable, ...]] = []
    labels = [lists.ids.label(int(number)) for number in used]
    categories = by_item(categories)
    if not isinstance(categories, Mapping):
        check_numbered(lists, "categories", categories, "id to category")
        given = np.asarray(categories, dtype=object)
        if used.size and used[-1] >= len(given):
            raise ValueError(
                f"item {used[-1]} has no category: there are {len(given)}, numbered from 0"
            )
        entries = [given[number] for number in used]
    else:
        entries = [categories.get(label) for label in labels]
    for label, entry in zip(labels, entries, strict=True):
        several = isinstance(entry, list | tuple | AbstractSet | np.ndarray)
        own = tuple(entry) if several else (entry,)
        if not own or any(map(is_missing, own)):
            raise ValueError(f"{label!r} has no category; give it one, 'unknown' for instance")
        found.append(own)
    every: set[Any] = {category for own in found for category in own}
    names = sort_labels(every)
    refuse_names_alike(names, "the items have the categories")
    place = {category: j for j, category in enumerate(names)}
    return tuple(names), [tuple(sorted({place[category] for category in own})) for own in found]


def _shares(items: IntArray, parts: list[tuple[int, ...]], n_names: int, per: Per) -> FloatArray:
    """Return the share of each category, over everything or in each row."""
    filled = items >= 0
    sizes = np.array([len(own) for own in parts], dtype=np.intp)
    owned = np.concatenate([np.array(own, dtype=np.intp) for own in parts] or [np.zeros(0, int)])
    starts = np.cumsum(sizes) - sizes
    n_rows = 1 if per == "all" else len(items)
    totals = np.zeros((n_rows, n_names))
    numbers = items[filled]
    rows = np.zeros(len(numbers), dtype=np.intp) if per == "all" else np.nonzero(filled)[0]
    # Items with as many categories are counted together, in whole numbers, so that no
    # rounding depends on the order of the lists.
    for size in distinct(sizes):
        alike = sizes[numbers] == size
        cells = (
            np.repeat(rows[alike] * n_names, size)
            + owned[(starts[numbers[alike]][:, None] + np.arange(size)).reshape(-1)]
        )
        counts = np.bincount(cells, minlength=n_rows * n_names)
        totals += counts.reshape(n_rows, n_names) / size
    shares = divide(totals, np.bincount(rows, minlength=n_rows)[:, None])
    return shares[0] if per == "all" else shares


def _check_distributions(name: str, table: FloatArray) -> FloatArray:
    """Return rows of shares that add up to 1, checked; rows of NaN pass."""
    unknown = np.asarray(np.isnan(table).all(axis=1))
    if at := first_true(~((table >= 0) & (table <= 1 + 1e-9)) & ~unknown[:, None]):
        row, column = at
        raise ValueError(
            f"{name} has the share {table[row, column]:g} in row {row}, genre {column}; a share "
            "lies between 0 and 1"
        )
    totals = table.sum(axis=1)
    if at := first_true((np.abs(totals - 1) > 1e-6) & ~unknown):
        raise ValueError(
            f"the shares of {name} in row {at[0]} add up to {totals[at]:.6g}, not 1; divide counts "
            "by their sum"
        )
    return table
