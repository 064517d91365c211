"""How far the labels of a judge agree with those of people."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core import confidence_intervals
from recsys_metrics._core.checks import (
    check_choice,
    check_lengths,
    check_level,
    missing_entries,
    refuse,
)
from recsys_metrics._core.confidence_intervals import UNBOUNDED
from recsys_metrics._core.inputs.arrays import FloatArray, IndexArray, as_labels, as_numbers
from recsys_metrics._core.inputs.columns import check_shape, number_labels
from recsys_metrics._core.inputs.frames import refuse_other_labels
from recsys_metrics._core.inputs.ids import id_kinds, kind, refuse_types_alike
from recsys_metrics._core.sorted_arrays import factorize
from recsys_metrics.protocol.significance._results import Interval

Weights = Literal["none", "linear", "quadratic"]


@dataclass(frozen=True, eq=False)
class JudgeAgreement:
    """How far a judge agrees with people.

    Attributes
    ----------
    observed : Interval
        Share of labels that are equal; its `n` counts groups, which are labels where none were
        given.
    kappa : Interval
        Cohen's kappa, weighted as asked.
    by_chance : float
        Share of equal labels that the two would reach by chance with the labels that each gives.
    labels : tuple
        The different labels, in order.
    counts : (n_labels, n_labels) array of int
        How often people gave the label of the row and the judge that of the column.

    Examples
    --------
    >>> from recsys_metrics.protocol.judges import agreement
    >>> found = agreement([1, 1, 1, 0, 0, 0, 0, 0, 0, 0], [1, 1, 0, 1, 0, 0, 0, 0, 0, 0])
    >>> found.counts.tolist(), round(found.by_chance, 2)
    ([[6, 1], [1, 2]], 0.58)
    >>> print(found.observed)
    0.800 [0.444, 0.975] (95 %)
    """

    observed: Interval
    kappa: Interval
    by_chance: float
    labels: tuple[object, ...]
    counts: NDArray[np.int64]


def cohen_kappa(human: ArrayLike, machine: ArrayLike, *, weights: Weights = "none") -> float:
    r"""How far do two raters agree beyond what chance would give?

    Parameters
    ----------
    human, machine : (n,) array
        The labels that two raters, here people and a judge, gave to the same things. For weights
        other than "none" they are numbers, such as grades.
    weights : {"none", "linear", "quadratic"}
        How a disagreement counts: every one the same, by the distance of the two grades, or by the
        square of the distance.

    Returns
    -------
    float
        1 if they always agree, 0 if as often as by chance; NaN if both gave one and the same label
        to all.

    Raises
    ------
    TypeError, ValueError
        If lengths differ, there is no label, or weights need numbers and labels are none.

    Notes
    -----
    .. math:: \kappa = 1 - \frac{\sum_{ij} w_{ij} O_{ij}}{\sum_{ij} w_{ij} E_{ij}}

    where :math:`O_{ij}` is the share of things with label i by people and j by the judge;
    :math:`E_{ij}` is the product of the shares of label i by people and of label j by the judge;
    :math:`w_{ij}` is the weight of the disagreement, 1 for i ≠ j without weights.

    Where one label is rare, kappa is low even if nearly all labels are equal, and it depends on
    how common the labels are. Report it together with the share of equal labels.

    References
    ----------
    Cohen (1960), A coefficient of agreement for nominal scales, Educational and Psychological
    Measurement 20(1). Cohen (1968), Weighted kappa: nominal scale agreement with provision for
    scaled disagreement or partial credit, Psychological Bulletin 70(4).

    Examples
    --------
    Eight of ten labels are equal, where chance would give 5.8:

    >>> from recsys_metrics.protocol.judges import cohen_kappa
    >>> human, machine = [1, 1, 1, 0, 0, 0, 0, 0, 0, 0], [1, 1, 0, 1, 0, 0, 0, 0, 0, 0]
    >>> round(cohen_kappa(human, machine), 3)
    0.524
    >>> round(cohen_kappa([0, 1, 2, 3], [0, 1, 2, 2], weights="quadratic"), 3)
    0.875
    """
    refuse_other_labels(human=human, machine=machine)
    labels, first, second = _number_both(human, machine)
    table = _counts(np.zeros_like(first), first, second, (1, len(labels)))
    return float(_kappas(table, _weights(labels, weights))[0])


def agreement(
    human: ArrayLike,
    machine: ArrayLike,
    *,
    weights: Weights = "none",
    groups: ArrayLike | None = None,
    level: float = 0.95,
) -> JudgeAgreement:
    r"""How far does a judge agree with people, and how sure is that with so many labels?

    Parameters
    ----------
    human, machine : (n,) array
        Labels of the same things, as `cohen_kappa` takes them.
    weights : {"none", "linear", "quadratic"}
    groups : (n,) array, optional
        The user or list that each label belongs to. Labels of one list are not independent, so
        that an interval that treats them as such is too narrow.
    level : float
        Confidence, between 0 and 1.

    Returns
    -------
    JudgeAgreement

    Raises
    ------
    TypeError, ValueError
        As `cohen_kappa`; if there are fewer than three groups; if both gave one and the same label
        to all, so that kappa is not defined.

    Notes
    -----
    The standard errors come from the jackknife over groups:

    .. math:: \mathrm{SE}^2 = \frac{G - 1}{G} \sum_{g=1}^{G} \left( \hat\kappa_{(g)} -
              \bar\kappa_{(\cdot)} \right)^2

    where :math:`\hat\kappa_{(g)}` is computed without group g and :math:`\bar\kappa_{(\cdot)}` is
    the mean of these. The interval of kappa is Student's with G - 1 degrees of freedom, that of the
    share of equal labels is the one of `mean_interval`. If all labels are equal, the interval of
    kappa follows from that of the share.

    References
    ----------
    Cohen (1960), A coefficient of agreement for nominal scales, Educational and Psychological
    Measurement 20(1). Efron and Tibshirani (1993), An introduction to the bootstrap, chapter 11.

    Examples
    --------
    >>> from recsys_metrics.protocol.judges import agreement
    >>> human = [1, 1, 0, 0] * 25
    >>> machine = [1, 0, 0, 0] * 25
    >>> print(agreement(human, machine).kappa)
    0.500 [0.349, 0.651] (95 %)
    """
    level = check_level(level)
    refuse_other_labels(human=human, machine=machine, groups=groups)
    labels, first, second = _number_both(human, machine)
    weight = _weights(labels, weights)
    if groups is None:
        group: IndexArray = np.arange(len(first))
        n_groups = len(first)
    else:
        check_lengths(human=first, groups=np.asarray(groups))
        named, group = number_labels("groups", groups, "a user or a list")
        n_groups = len(named)
    if n_groups < 3:
        raise ValueError(
            f"groups: {n_groups} cannot show how much agreement varies; label three lists or more"
        )
    tables = _counts(group, first, second, (n_groups, len(labels)))
    total = tables.sum(axis=0)
    kappa = float(_kappas(total[None], weight)[0])
    if math.isnan(kappa):
        raise ValueError(
            f"people and the judge gave the label {labels.tolist()[0]!r} to all; kappa is not "
            "defined"
        )
    equal = float(np.trace(total) / total.sum())
    without = total - tables
    observed = _of_share(equal, _jackknife(_equal_shares(without)), n_groups, level)
    expected = np.outer(total.sum(axis=1), total.sum(axis=0)) / total.sum() ** 2
    by_chance = float(np.trace(expected))
    return JudgeAgreement(
        observed,
        _of_kappa(kappa, _jackknife(_kappas(without, weight)), observed, by_chance),
        by_chance,
        tuple(labels.tolist()),
        total.astype(np.intp),
    )


def _number_both(
    human: ArrayLike, machine: ArrayLike
) -> tuple[NDArray[np.generic], IndexArray, IndexArray]:
    """Return the different labels, in order, and the number of each label of both."""
    sides = {}
    for name, given in (("human", human), ("machine", machine)):
        side = np.asarray(as_labels(given, name))
        check_shape(name, side, kind="labels")
        refuse(missing_entries(given), name, side, ", which is no label; leave it out of both")
        sides[name] = side
    check_lengths(**sides)
    _refuse_other_types(sides["human"], sides["machine"])
    labels, numbers = factorize(np.concatenate([*sides.values()]))
    n = len(sides["human"])
    return labels, numbers[:n], numbers[n:]


def _refuse_other_types(human: NDArray[Any], machine: NDArray[Any]) -> None:
    """Raise if one side has numbers and the other text, of which numpy would make one type."""
    different = [dict.fromkeys(side.tolist()) for side in (human, machine)]
    refuse_types_alike(different[0], different[1], "human", "machine", "label")
    kinds = [id_kinds(side) for side in different]
    if kinds[0] != kinds[1]:
        one, other = (next(iter(side)) for side in different)
        raise TypeError(
            f"human has the label {one!r:.60} and machine the label {other!r:.60}, {kind(one)} and "
            f"{kind(other)}, which never match; give both raters the same labels of one type"
        )


def _counts(
    group: IndexArray, first: IndexArray, second: IndexArray, sizes: tuple[int, int]
) -> FloatArray:
    """Return how often each pair of labels occurs in each group."""
    n_groups, n_labels = sizes
    cells = (group * n_labels + first) * n_labels + second
    counts = np.bincount(cells, minlength=n_groups * n_labels**2)
    return counts.reshape(n_groups, n_labels, n_labels).astype(np.float64)


def _weights(labels: NDArray[np.generic], weights: Weights) -> FloatArray:
    """Return how much each pair of labels counts as a disagreement."""
    check_choice("weights", weights, Weights)
    if weights == "none":
        return 1.0 - np.eye(len(labels))
    grades = as_numbers(labels, "the labels, for weights,")
    apart = np.abs(grades[:, None] - grades[None, :])
    return apart if weights == "linear" else apart**2


def _kappas(tables: FloatArray, weight: FloatArray) -> FloatArray:
    """Return the kappa of each table of counts, NaN where chance alone never disagrees."""
    n = tables.sum(axis=(1, 2))
    seen = (tables * weight).sum(axis=(1, 2)) / n
    chance = np.einsum("gi,ij,gj->g", tables.sum(axis=2), weight, tables.sum(axis=1)) / n**2
    with np.errstate(divide="ignore", invalid="ignore"):
        found: FloatArray = np.where(chance > 0, 1 - seen / chance, np.nan)
    return found


def _equal_shares(tables: FloatArray) -> FloatArray:
    shares: FloatArray = np.trace(tables, axis1=1, axis2=2) / tables.sum(axis=(1, 2))
    return shares


def _jackknife(without: FloatArray) -> float:
    """Return the standard error from the values without each group."""
    n = len(without)
    return math.sqrt((n - 1) / n * float(((without - without.mean()) ** 2).sum()))


def _of_share(share: float, error: float, n: int, level: float) -> Interval:
    low, high = confidence_intervals.of_mean(share, error * math.sqrt(n), n, (0.0, 1.0), level)
    return Interval(share, float(low), float(high), level, n)


def _of_kappa(kappa: float, error: float, observed: Interval, by_chance: float) -> Interval:
    n, level = observed.n, observed.level
    if error > 0:
        ends = confidence_intervals.of_mean(kappa, error * math.sqrt(n), n, UNBOUNDED, level)
        low, high = map(float, ends)
    else:
        # Equal labels in every group have no spread; that of the share is known.
        low, high = (1 - (1 - end) / (1 - by_chance) for end in observed)
    return Interval(kappa, max(low, -1.0), min(high, 1.0), level, n)
