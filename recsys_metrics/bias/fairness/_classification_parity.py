"""Demographic parity, equal opportunity and equalized odds of selections."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.checks import check_lengths, check_level
from recsys_metrics._core.inputs.arrays import BoolArray
from recsys_metrics._core.inputs.columns import check_zero_one
from recsys_metrics._core.inputs.frames import refuse_other_labels
from recsys_metrics.bias.fairness._report import GroupReport, number_groups, rate_report


def demographic_parity(
    selected: ArrayLike, groups: ArrayLike, *, level: float = 0.95
) -> GroupReport:
    r"""At what rate is each group selected?

    Parameters
    ----------
    selected : (n,) array of 0 and 1
        Whether each candidate (item, provider, user) was selected.
    groups : (n,) array
        The group of each.
    level : float
        Confidence of the intervals.

    Returns
    -------
    GroupReport
        With `.per_group`, `.gap`, `.ratio` and intervals: Clopper and Pearson's for a rate,
        Newcombe's for the gap, Katz's for the ratio.

    Raises
    ------
    ValueError
        If an entry is neither 0 nor 1, or lengths differ.

    Notes
    -----
    .. math:: \mathrm{rate}_c = \frac{|\{i : c_i = c,\ z_i = 1\}|}{|\{i : c_i = c\}|}

    where :math:`z_i` is 1 if case :math:`i` was selected and 0 otherwise; :math:`c_i` is the group
    of case :math:`i`; :math:`c` is a group.

    These are **rates**: a group with 80 % of the candidates and 80 % of the places is at
    parity. Shares of the places are another question, see `exposure_by_group`; both agree on
    the ratio only for groups of equal size.

    References
    ----------
    Dwork et al. (2012), Fairness through awareness, ITCS. Newcombe (1998), Interval estimation
    for the difference between independent proportions, Statistics in Medicine 17(8).

    Examples
    --------
    80 of 100 places go to group A, which has 400 of the 500 candidates:

    >>> import numpy as np
    >>> from recsys_metrics.bias.fairness import demographic_parity
    >>> groups = np.repeat(["A", "B"], [400, 100])
    >>> selected = np.concatenate([np.arange(400) < 80, np.arange(100) < 20])
    >>> parity = demographic_parity(selected, groups)
    >>> parity.per_group, parity.gap, parity.ratio
    ({'A': 0.2, 'B': 0.2}, 0.0, 1.0)
    """
    refuse_other_labels(selected=selected, groups=groups)
    chosen = check_zero_one("selected", selected)
    return _rates("selection rate", slice(None), chosen, groups, level, of="candidates")


def equal_opportunity(
    labels: ArrayLike, selected: ArrayLike, groups: ArrayLike, *, level: float = 0.95
) -> GroupReport:
    r"""Among those who would like it, what fraction of each group gets it?

    Parameters
    ----------
    labels : (n,) array of 0 and 1
        Whether selecting would have been right: the user likes the item.
    selected : (n,) array of 0 and 1
        Whether it was selected.
    groups : (n,) array
        The group of each case.
    level : float
        Confidence of the intervals.

    Returns
    -------
    GroupReport
        True-positive rates with gap, ratio and intervals, as in `demographic_parity`. A group
        without a label 1 has NaN and stands in `.undefined`; it is in neither gap nor ratio.

    Raises
    ------
    ValueError
        If an entry is neither 0 nor 1, or lengths differ.

    Notes
    -----
    .. math:: \mathrm{recall}_c = \frac{|\{i : c_i = c,\ y_i = 1,\ z_i = 1\}|}
              {|\{i : c_i = c,\ y_i = 1\}|}

    where :math:`y_i` is the observed value of case :math:`i`, which is a rating, or 1 for yes and 0
    for no; :math:`z_i` is 1 if case :math:`i` was selected and 0 otherwise; :math:`c_i` is the
    group of case :math:`i`; :math:`c` is a group.

    References
    ----------
    Hardt, Price and Srebro (2016), Equality of opportunity in supervised learning, NeurIPS.

    Examples
    --------
    120 of 200 users of one group get what they would like, 80 of 200 of the other:

    >>> import numpy as np
    >>> from recsys_metrics.bias.fairness import equal_opportunity
    >>> groups = np.repeat([1, 2], 200)
    >>> selected = np.concatenate([np.arange(200) < 120, np.arange(200) < 80])
    >>> found = equal_opportunity(np.ones(400), selected, groups)
    >>> found.per_group, round(found.gap, 3), [round(end, 3) for end in found.gap_interval]
    ({1: 0.6, 2: 0.4}, 0.2, [0.099, 0.297])
    """
    refuse_other_labels(labels=labels, selected=selected, groups=groups)
    right = check_zero_one("labels", labels)
    chosen = check_zero_one("selected", selected)
    check_lengths(labels=right, selected=chosen)
    return _rates("true-positive rate", right, right & chosen, groups, level)


@dataclass(frozen=True, eq=False, repr=False)
class EqualizedOdds:
    """Rates of right and of wrong selections, by group.

    Attributes
    ----------
    true_positive, false_positive : GroupReport
        Rate of selection among the labels 1, and among the labels 0.

    Examples
    --------
    >>> from recsys_metrics.bias.fairness import equalized_odds
    >>> equalized_odds([1, 0, 1, 0], [1, 0, 1, 1], ["a", "a", "b", "b"]).gap
    1.0
    """

    true_positive: GroupReport
    false_positive: GroupReport

    @property
    def gap(self) -> float:
        """The larger gap of the two; NaN if either has none."""
        return float(np.maximum(self.true_positive.gap, self.false_positive.gap))

    @property
    def ratio(self) -> float:
        """The smaller ratio of the two; NaN if either has none."""
        return float(np.minimum(self.true_positive.ratio, self.false_positive.ratio))

    def __repr__(self) -> str:
        return f"{self.true_positive!r}\n{self.false_positive!r}\nlarger gap {self.gap:.4g}"


def equalized_odds(
    labels: ArrayLike, selected: ArrayLike, groups: ArrayLike, *, level: float = 0.95
) -> EqualizedOdds:
    r"""Are those who would like it, and those who would not, selected equally often in all groups?

    Parameters
    ----------
    labels, selected, groups, level
        As in `equal_opportunity`.

    Returns
    -------
    EqualizedOdds
        `.true_positive` and `.false_positive`, each a report with gap, ratio and intervals, and
        the worse `.gap` and `.ratio` of the two.

    Raises
    ------
    ValueError
        As in `equal_opportunity`.

    Notes
    -----
    .. math:: \mathrm{rate}_{c,v} = \frac{|\{i : c_i = c,\ y_i = v,\ z_i = 1\}|}
              {|\{i : c_i = c,\ y_i = v\}|}

    where :math:`y_i` is the observed value of case :math:`i`, which is a rating, or 1 for yes and 0
    for no; :math:`z_i` is 1 if case :math:`i` was selected and 0 otherwise; :math:`c_i` is the
    group of case :math:`i`; :math:`c` is a group; :math:`v` is 1 for the cases with a positive
    label and 0 for the others.

    `.gap` and `.ratio` are fairlearn's equalized odds difference and ratio ("worst case").

    References
    ----------
    Hardt, Price and Srebro (2016), Equality of opportunity in supervised learning, NeurIPS.

    Examples
    --------
    Both groups get what they would like; one gets half of what it would not like, too:

    >>> from recsys_metrics.bias.fairness import equalized_odds
    >>> odds = equalized_odds([1, 1, 0, 0] * 2, [1, 1, 0, 0, 1, 1, 1, 0], ["a"] * 4 + ["b"] * 4)
    >>> odds.true_positive.gap, odds.false_positive.gap, odds.gap
    (0.0, 0.5, 0.5)
    """
    liked = equal_opportunity(labels, selected, groups, level=level)
    others, chosen = ~check_zero_one("labels", labels), check_zero_one("selected", selected)
    wrong = others & chosen
    return EqualizedOdds(liked, _rates("false-positive rate", others, wrong, groups, level))


def _rates(
    name: str,
    among: BoolArray | slice,
    hits: BoolArray,
    groups: ArrayLike,
    level: float,
    *,
    of: str = "cases",
) -> GroupReport:
    """Return which share each group's hits are of its cases."""
    level = check_level(level)
    names, group = number_groups(groups, len(hits), of)
    some, all_cases = (np.bincount(group[rows], minlength=len(names)) for rows in (hits, among))
    return rate_report(name, names, some, all_cases, level)
