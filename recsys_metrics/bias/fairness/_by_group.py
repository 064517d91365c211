"""A metric by group: groups of users, and the head and tail of the catalogue."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core import confidence_intervals
from recsys_metrics._core.arithmetic import divide
from recsys_metrics._core.checks import (
    check_bounds,
    check_choice,
    check_level,
    check_resamples,
    check_share,
    check_squares,
    generator,
    is_among,
    refuse,
)
from recsys_metrics._core.confidence_intervals import Bounds
from recsys_metrics._core.inputs.arrays import (
    FloatArray,
    IntArray,
    as_array,
    as_labels,
    as_scores,
)
from recsys_metrics._core.inputs.columns import check_between, check_shape
from recsys_metrics._core.inputs.frames import (
    by_item,
    refuse_other_labels,
    refuse_unsorted_numbers,
)
from recsys_metrics._core.inputs.ids import refuse_names_alike
from recsys_metrics._core.inputs.several import read_several
from recsys_metrics._core.sorted_arrays import factorize
from recsys_metrics.bias.fairness._report import (
    NOWHERE,
    GroupReport,
    build_report,
    extremes,
    gap_interval_from_ends,
    number_groups,
)

By = Literal["items", "interactions"]

User = TypeVar("User", bound=Hashable)
Items = Iterable[Any] | Mapping[Any, Any]
"""What is relevant to one user: items, or grades by item."""


def by_group(
    values: ArrayLike | Callable[[IntArray], float],
    groups: ArrayLike,
    *,
    bounds: Bounds = (0.0, 1.0),
    level: float = 0.95,
    n_resamples: int = 1000,
    seed: int | np.random.Generator = 0,
) -> GroupReport:
    r"""How high is the mean of each group?

    Parameters
    ----------
    values : (n,) array of float, or callable
        One value per user (or list, or event), whose mean is taken; NaN is left out, as by
        `numpy.nanmean`. Or a function that is given the numbers of some cases and returns the
        measure over them, for measures that are no mean, such as RMSE or AUC.
    groups : (n,) array
        The group of each case.
    bounds : (float, float)
        Between which values each value must lie: (0, 1) for hits and most metrics, minus or plus
        infinity where there is no bound. For a function they are not used.
    level : float
        Confidence of the intervals.
    n_resamples : int
        For a function: on how many resamples of each group it is called; at least one for each
        tail of the interval, so 40 or more at 95%.
    seed : int or numpy.random.Generator
        For a function: draws the resamples.

    Returns
    -------
    GroupReport
        With `.per_group`, `.gap`, `.ratio` and intervals. For means they are those of
        `protocol.significance.mean_interval`, and NaN where a group's values allow none; the gap's
        follows from the two groups' own (square-and-add), the ratio's is linearised. For a function
        they are percentiles of the bootstrap. A group with NaN only is in `.undefined`.

    Raises
    ------
    ValueError
        If lengths differ, a value is infinite or outside the bounds, or a group of a function's
        cases is too small to resample (fewer than 2).

    Notes
    -----
    The aggregate hides who is underserved; the gap shows it. `Report.by` gives the same intervals,
    with the bounds of each metric. A function's value does not depend on the order of the cases,
    but which cases a resample draws does.

    References
    ----------
    Ekstrand et al. (2018), All the cool kids, how do they fit in?, FAT*. Zou and Donner (2008),
    Construction of confidence limits about effect measures, Statistics in Medicine 27(10).

    Examples
    --------
    >>> from recsys_metrics.bias.fairness import by_group
    >>> report = by_group([0.5, 0.7, 0.1, 0.3, 0.2], ["new", "new", "old", "old", "old"])
    >>> {group: round(value, 3) for group, value in report.per_group.items()}
    {'new': 0.6, 'old': 0.2}
    >>> round(report.gap, 3), round(report.ratio, 3)
    (0.4, 0.333)
    """
    refuse_other_labels(values=values, groups=groups)
    level = check_level(level)
    rng, n_resamples = generator(seed), check_resamples(n_resamples, level)
    if callable(values):
        return _report_of_function(values, groups, level, n_resamples, rng)
    given = as_scores(values, "values")
    check_shape("values", given)
    refuse(np.isinf(given), "values", given, "; every value must be finite, or NaN")
    check_squares("values", given)
    least, most = check_bounds(bounds)
    refuse(
        (given < least) | (given > most),
        "values",
        given,
        f", outside bounds=({least:g}, {most:g}); give the least and the most that a value can be, "
        "infinite where there is no bound: bounds=(0, math.inf)",
    )
    names, group = number_groups(groups, len(given), "values")
    known = ~np.isnan(given)
    count = np.bincount(group[known], minlength=len(names))
    sums = np.bincount(group[known], weights=given[known], minlength=len(names))
    means = divide(sums, count)
    apart = given[known] - means[group[known]]
    # Each group by a power of two, so that no square leaves the floats.
    farthest = np.zeros(len(names))
    np.maximum.at(farthest, group[known], np.abs(apart))
    exponent = np.frexp(farthest)[1]
    squares = np.square(np.ldexp(apart, -exponent[group[known]]))
    spread = np.bincount(group[known], weights=squares, minlength=len(names))
    deviation = np.ldexp(np.sqrt(divide(spread, count - 1.0)), exponent)
    return report_of_means(names, means, count, deviation, level, bounds=bounds)


def report_of_means(
    names: NDArray[np.object_],
    means: FloatArray,
    count: IntArray,
    deviation: FloatArray,
    level: float,
    *,
    bounds: Bounds,
) -> GroupReport:
    """Return the report of groups' means from the deviation, over n - 1, of each one's values."""
    # A group without a value has no interval, as one with a single value has none.
    users = np.maximum(count, 1)
    ends = confidence_intervals.of_mean(means, np.nan_to_num(deviation), users, bounds, level)
    gap_interval = gap_interval_from_ends(means, ends)
    ratio_interval = _linearised_ratio_interval(means, deviation, count, level)
    return build_report("mean", names, means, count, ends, gap_interval, ratio_interval, level)


def head_tail(counts: ArrayLike, *, head: float = 0.2, by: By = "items") -> NDArray[np.str_]:
    """Which items are the popular head of the catalogue, which its tail?

    Parameters
    ----------
    counts : (n_items,) array of float
        Interactions with each item in the training data.
    head : float
        The head's share.
    by : {"items", "interactions"}
        Of what: the most popular items up to that share of the catalogue, or up to that share
        of all interactions.

    Returns
    -------
    (n_items,) array of str
        "head" or "tail". Items that are equally popular stay together, so the head may be
        smaller than its share and is never larger.

    Raises
    ------
    ValueError
        If a count is negative or not finite, the share is not between 0 and 1, or the items
        tied for the first place exceed it, so that the head would be empty.

    Examples
    --------
    >>> from recsys_metrics.bias.fairness import head_tail
    >>> head_tail([50, 3, 2, 40, 5]).tolist()
    ['head', 'tail', 'tail', 'tail', 'tail']
    >>> head_tail([50, 3, 2, 40, 5], head=0.9, by="interactions").tolist()
    ['head', 'tail', 'tail', 'head', 'tail']
    """
    check_choice("by", by, By)
    refuse_unsorted_numbers("counts", counts, rows="item")
    popular = check_between("counts", counts, 0.0, np.inf)
    head = check_share("head", head)
    levels, level = factorize(popular)
    tied = np.bincount(level)
    held = tied if by == "items" else tied * levels
    # What a head holds that reaches down to each level of popularity.
    reach = np.cumsum(held[::-1])[::-1]
    # So that a fifth of 35 items is 7: products of floats can fall just short.
    in_head = reach <= head * reach[0] * (1 + 1e-12)
    if not in_head.any():
        raise ValueError(
            f"the {tied[-1]} most popular items, with {levels[-1]:g} interactions each, have "
            f"more than {head:g} of all {by}, so the head would be empty; give it a larger share"
        )
    return np.where(in_head[level], "head", "tail")


@overload
def restrict_relevant(
    relevant: Mapping[User, Items], strata: ArrayLike | Mapping[Any, Hashable], stratum: Hashable
) -> dict[User, set[Any] | dict[Any, Any]]: ...
@overload
def restrict_relevant(
    relevant: Sequence[Items], strata: ArrayLike | Mapping[Any, Hashable], stratum: Hashable
) -> list[set[Any] | dict[Any, Any]]: ...
def restrict_relevant(
    relevant: Mapping[Any, Items] | Sequence[Items],
    strata: ArrayLike | Mapping[Any, Hashable],
    stratum: Hashable,
) -> dict[Any, set[Any] | dict[Any, Any]] | list[set[Any] | dict[Any, Any]]:
    """Keep only the relevant items of one stratum, to evaluate the same lists on them.

    Parameters
    ----------
    relevant : sequence or mapping
        What is relevant to each user: sets or sequences of items, or mappings from item to
        grade; in a row, or keyed by user.
    strata : (n_items,) array, or mapping
        Stratum of every item, by its number or by its id.
    stratum : hashable
        Which to keep, "tail" for instance.

    Returns
    -------
    list or dict
        In the form that was given. A user may have nothing left; metrics then leave the user
        out by default.

    Raises
    ------
    ValueError
        If no item belongs to the stratum, or a relevant item to none.

    Examples
    --------
    Half of all that is relevant is found, but nothing of the tail:

    >>> from recsys_metrics import judge, recall
    >>> from recsys_metrics.bias.fairness import restrict_relevant
    >>> lists, relevant = [["A", "B"]], [{"A", "Z"}]
    >>> strata = {"A": "head", "B": "head", "Z": "tail"}
    >>> recall(judge(lists, relevant)).tolist()
    [0.5]
    >>> recall(judge(lists, restrict_relevant(relevant, strata, "tail"))).tolist()
    [0.0]
    """
    strata = by_item(strata)
    if not isinstance(strata, Mapping):
        check_shape("strata", as_labels(strata, "strata"), kind="labels")
    table: Mapping[Any, Hashable] = (
        strata
        if isinstance(strata, Mapping)
        else dict(enumerate(as_labels(strata, "strata").tolist()))
    )
    refuse_names_alike(table.values(), "strata has the labels")
    if not is_among(stratum, table.values()):
        known = ", ".join(sorted(map(repr, set(table.values()))))
        raise ValueError(f"no item belongs to stratum {stratum!r:.60}; there are {known or 'none'}")

    def kept(items: Items, who: Any) -> set[Any] | dict[Any, Any]:
        if isinstance(items, str | bytes) or not isinstance(items, Iterable):
            raise TypeError(f"relevant has {items!r:.60} for user {who!r}, and not a set of items")
        for unknown in (item for item in items if item not in table):
            raise ValueError(
                f"item {unknown!r}, relevant to user {who!r}, belongs to no stratum; give every "
                "item of the catalogue one"
            )
        if isinstance(items, Mapping):
            return {item: grade for item, grade in items.items() if table[item] == stratum}
        return {item for item in items if table[item] == stratum}

    if isinstance(relevant, Mapping):
        return {user: kept(items, user) for user, items in relevant.items()}
    rows = read_several("relevant", relevant, "the relevant items of each user")
    return [kept(items, row) for row, items in enumerate(rows)]


def _linearised_ratio_interval(
    means: FloatArray, deviation: FloatArray, count: IntArray, level: float
) -> Bounds:
    """Return the interval of the lowest over the highest mean, with Welch's degrees of freedom."""
    from scipy.special import stdtrit

    # Rounding is no spread, and no spread is no certainty.
    error = deviation / np.sqrt(np.maximum(count, 1))
    error = np.where(error <= 1e-12 * np.abs(means), np.nan, error)
    pair = extremes(means)
    if pair is None or count[[*pair]].min() < 2 or means[pair.bottom] <= 0:
        return NOWHERE
    # Beside each other, so that no square leaves the floats.
    both = np.square(error[[*pair]] / error[[*pair]].max())
    freedom = both.sum() ** 2 / (both**2 / (count[[*pair]] - 1)).sum()
    if np.isnan(freedom):
        return NOWHERE
    log_error = math.hypot(*(error[[*pair]] / means[[*pair]]))
    return pair.ratio_interval(means, float(stdtrit(freedom, (1 + level) / 2)) * log_error)


def _report_of_function(
    measure: Callable[[IntArray], float],
    groups: ArrayLike,
    level: float,
    n_resamples: int,
    rng: np.random.Generator,
) -> GroupReport:
    names, group = number_groups(groups, len(as_array(groups, "groups")), "cases")
    count = np.bincount(group, minlength=len(names))
    if count.min() < 2:
        which = int(count.argmin())
        raise ValueError(
            f"group {names[which]!r} has {count[which]} case, which cannot be resampled; leave "
            "it out or join it with another"
        )
    cases = [np.flatnonzero(group == code) for code in range(len(names))]
    # A copy: a function that changes its argument in place would change what is resampled.
    values = np.array([float(measure(rows.copy())) for rows in cases])
    drawn = np.array(
        [
            [float(measure(rows[rng.integers(0, len(rows), len(rows))])) for rows in cases]
            for _ in range(n_resamples)
        ]
    )

    def ends(resampled: FloatArray) -> Any:
        return np.nanquantile(resampled, [(1 - level) / 2, (1 + level) / 2], axis=0)

    gap_interval = ratio_interval = NOWHERE
    if pair := extremes(values):
        top, bottom = drawn[:, pair.top], drawn[:, pair.bottom]
        gap_interval = tuple(ends(top - bottom).tolist())
        if (top > 0).all() and (bottom >= 0).all():
            ratio_interval = tuple(ends(bottom / top).tolist())
    name = getattr(measure, "__name__", "measure")
    return build_report(
        name, names, values, count, ends(drawn), gap_interval, ratio_interval, level
    )
