"""Corrections of p-values for multiple comparisons."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.checks import check_choice, refuse
from recsys_metrics._core.inputs.arrays import FloatArray, as_numbers
from recsys_metrics._core.inputs.columns import check_shape

Adjustment = Literal[
    "holm",
    "benjamini-hochberg",
    "bonferroni",
    "hochberg",
    "sidak",
    "holm-sidak",
    "benjamini-yekutieli",
]


def adjust(p_values: ArrayLike, *, method: Adjustment = "holm") -> FloatArray:
    r"""How large is a p-value after correction for several tests?

    Parameters
    ----------
    p_values : (m,) array of float
        One per comparison, between 0 and 1: every comparison that was made, not only those that
        are reported.
    method : str
        "holm" and "bonferroni" keep the chance of any false alarm below the level, whatever the
        tests have to do with each other, and Holm finds at least as much; "sidak", "holm-sidak"
        and "hochberg" do so for independent tests (Hochberg also for positively dependent ones).
        "benjamini-hochberg" keeps the expected share of false alarms among the alarms below the
        level, for independent or positively dependent tests, "benjamini-yekutieli" for any.

    Returns
    -------
    (m,) array of float
        Adjusted p-values in the order they were given; compare each with the level.

    Raises
    ------
    ValueError
        If a value is NaN or not between 0 and 1, or the method is unknown.

    Notes
    -----
    With :math:`p_{(1)} \le \ldots \le p_{(m)}`:

    ==========================  ===================================================
    bonferroni                  :math:`m p`
    sidak                       :math:`1 - (1 - p)^m`
    holm                        largest :math:`(m - j + 1) p_{(j)}` up to here
    holm-sidak                  largest :math:`1 - (1 - p_{(j)})^{m-j+1}` up to here
    hochberg                    smallest :math:`(m - j + 1) p_{(j)}` from here on
    benjamini-hochberg          smallest :math:`m p_{(j)} / j` from here on
    benjamini-yekutieli         the same times :math:`1 + 1/2 + \ldots + 1/m`
    ==========================  ===================================================

    References
    ----------
    Holm (1979), Scand. J. Statist. 6. Hochberg (1988), Biometrika 75. Benjamini and Hochberg
    (1995), J. R. Stat. Soc. B 57. Benjamini and Yekutieli (2001), Ann. Statist. 29. Šidák
    (1967), JASA 62.

    Examples
    --------
    >>> from recsys_metrics.protocol.significance import adjust
    >>> adjust([0.01, 0.04, 0.03]).round(3)
    array([0.03, 0.06, 0.06])
    >>> adjust([0.01, 0.04, 0.03], method="benjamini-hochberg").round(3)
    array([0.03, 0.04, 0.04])
    """
    check_choice("method", method, Adjustment)
    given = as_numbers(p_values, "p_values")
    check_shape("p_values", given, may_be_empty=True)
    refuse(~((given >= 0) & (given <= 1)), "p_values", given, "; a p-value lies between 0 and 1")
    m = len(given)
    order = np.argsort(given, kind="stable")
    p, place = given[order], np.arange(1, m + 1)
    # 1 - (1 - p)**n loses the digits of a small p.
    with np.errstate(divide="ignore"):
        log_kept = np.log1p(-p)
    if method == "bonferroni":
        raised = m * p
    elif method == "sidak":
        raised = -np.expm1(m * log_kept)
    elif method == "holm":
        raised = np.maximum.accumulate((m - place + 1) * p)
    elif method == "holm-sidak":
        raised = np.maximum.accumulate(-np.expm1((m - place + 1) * log_kept))
    elif method == "hochberg":
        raised = np.minimum.accumulate(((m - place + 1) * p)[::-1])[::-1]
    else:
        factor = m * ((1 / place).sum() if method == "benjamini-yekutieli" else 1.0)
        raised = np.minimum.accumulate((factor * p / place)[::-1])[::-1]
    adjusted = np.empty(m)
    adjusted[order] = np.minimum(raised, 1.0)
    return adjusted
