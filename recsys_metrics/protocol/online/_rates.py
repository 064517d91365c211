"""Rates of online experiments: click-through, conversion and bounce rates."""

from __future__ import annotations

from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.arithmetic import divide
from recsys_metrics._core.checks import check_choice, refuse
from recsys_metrics._core.inputs.arrays import FloatArray, as_numbers, shape_of
from recsys_metrics._core.inputs.columns import check_shape, number_labels
from recsys_metrics._core.inputs.frames import refuse_other_labels
from recsys_metrics._core.inputs.scalar_or_batch import Many

BounceUnit = Literal["sessions", "users"]


@overload
def click_through_rate(clicks: float, impressions: float) -> float: ...
@overload
def click_through_rate(clicks: Many, impressions: ArrayLike) -> FloatArray: ...
@overload
def click_through_rate(clicks: ArrayLike, impressions: Many) -> FloatArray: ...
def click_through_rate(clicks: ArrayLike, impressions: ArrayLike) -> float | FloatArray:
    r"""Of the impressions, what fraction was clicked?

    Parameters
    ----------
    clicks, impressions : float or array
        Counts, 0 or more, of one shape (or one of them a single number). Count an impression
        as clicked at most once.

    Returns
    -------
    float or array
        Clicks over impressions, between 0 and 1; NaN without impressions.

    Raises
    ------
    TypeError, ValueError
        If a count is below 0 or not finite, shapes differ, or there are more clicks than
        impressions.

    Notes
    -----
    .. math:: \mathrm{CTR} = \frac{\text{clicks}}{\text{impressions}}

    The rate of the sums, not the mean of the users' rates; users who see much weigh more.

    Examples
    --------
    >>> from recsys_metrics.protocol.online import click_through_rate
    >>> click_through_rate(50, 1000)
    0.05
    """
    return _rate(clicks, impressions, "clicks", "impressions", share=True)


@overload
def conversion_rate(
    conversions: float, *, clicks: float | None = None, users: float | None = None
) -> float: ...
@overload
def conversion_rate(
    conversions: Many, *, clicks: ArrayLike | None = None, users: ArrayLike | None = None
) -> FloatArray: ...
@overload
def conversion_rate(
    conversions: ArrayLike, *, clicks: Many | None = None, users: Many | None = None
) -> FloatArray: ...
def conversion_rate(
    conversions: ArrayLike, *, clicks: ArrayLike | None = None, users: ArrayLike | None = None
) -> float | FloatArray:
    """How often does a click, or a user, lead to the desired action?

    Parameters
    ----------
    conversions : float or array
        Purchases, subscriptions; with `users`, the users who converted, each counted once.
    clicks, users : float or array
        What to divide by; give exactly one. Per click says whether clicks were worth it, per
        user what share of the audience was won. Two of the source documents use one each.

    Returns
    -------
    float or array
        Between 0 and 1; NaN where the denominator is 0.

    Raises
    ------
    TypeError, ValueError
        If not exactly one denominator is given, a count is below 0 or not finite, shapes differ, or
        there are more conversions than clicks or users.

    Examples
    --------
    >>> from recsys_metrics.protocol.online import conversion_rate
    >>> conversion_rate(5, clicks=50), conversion_rate(5, users=100)
    (0.1, 0.05)
    """
    if clicks is not None and users is None:
        return _rate(conversions, clicks, "conversions", "clicks", share=True)
    if users is not None and clicks is None:
        return _rate(conversions, users, "conversions", "users", share=True)
    raise TypeError("a conversion rate is per click or per user: give clicks= or users=, not both")


@overload
def clicks_per_user(clicks: float, users: float) -> float: ...
@overload
def clicks_per_user(clicks: Many, users: ArrayLike) -> FloatArray: ...
@overload
def clicks_per_user(clicks: ArrayLike, users: Many) -> FloatArray: ...
def clicks_per_user(clicks: ArrayLike, users: ArrayLike) -> float | FloatArray:
    """How many clicks does a user make on average?

    Parameters
    ----------
    clicks, users : float or array
        Counts; users without a click are users too.

    Returns
    -------
    float or array
        0 or more; NaN without users.

    Raises
    ------
    TypeError, ValueError
        If a count is below 0 or not finite, or shapes differ.

    Examples
    --------
    >>> from recsys_metrics.protocol.online import clicks_per_user
    >>> clicks_per_user(50, 100)
    0.5
    """
    return _rate(clicks, users, "clicks", "users", share=False)


@overload
def click_through_probability(users_who_clicked: float, users_shown: float) -> float: ...
@overload
def click_through_probability(users_who_clicked: Many, users_shown: ArrayLike) -> FloatArray: ...
@overload
def click_through_probability(users_who_clicked: ArrayLike, users_shown: Many) -> FloatArray: ...
def click_through_probability(
    users_who_clicked: ArrayLike, users_shown: ArrayLike
) -> float | FloatArray:
    """Of the users who were shown a list, what fraction clicked in the part they could see?

    Parameters
    ----------
    users_who_clicked : float or array
        Users with at least one click in the visible window, each counted once.
    users_shown : float or array
        Users who were shown recommendations.

    Returns
    -------
    float or array
        Between 0 and 1; NaN if nobody was shown anything.

    Raises
    ------
    TypeError, ValueError
        If a count is below 0 or not finite, shapes differ, or more users clicked than were
        shown a list.

    Notes
    -----
    It shares its name with the offline hit rate (`recsys_metrics.hit_rate`: a held-out relevant
    item is among the first k), which counts items nobody may have been shown.

    Examples
    --------
    >>> from recsys_metrics.protocol.online import click_through_probability
    >>> click_through_probability(30, 100)
    0.3
    """
    return _rate(users_who_clicked, users_shown, "users_who_clicked", "users_shown", share=True)


def bounce_rate(
    pages: ArrayLike, *, users: ArrayLike | None = None, by: BounceUnit = "sessions"
) -> float:
    """Of the sessions, what fraction ends after one page?

    Parameters
    ----------
    pages : (n,) array of int
        Pages viewed in each session, 1 or more.
    users : (n,) array, optional
        Whose session it was; needed by "users".
    by : {"sessions", "users"}
        The share of sessions with a single page, or of users with at least one such session.
        Descriptions often say users where the formula counts sessions.

    Returns
    -------
    float
        Between 0 and 1.

    Raises
    ------
    TypeError, ValueError
        If there is no session, a count is no whole number of 1 or more, or users are missing.

    Examples
    --------
    >>> from recsys_metrics.protocol.online import bounce_rate
    >>> bounce_rate([1, 4, 3, 2], users=["u1", "u1", "u1", "u2"])
    0.25
    >>> bounce_rate([1, 4, 3, 2], users=["u1", "u1", "u1", "u2"], by="users")
    0.5
    """
    refuse_other_labels(pages=pages, users=users)
    check_choice("by", by, BounceUnit)
    viewed = _counts("pages", pages)
    check_shape("pages", viewed, kind="counts, one per session")
    wrong = (viewed < 1) | (viewed != np.floor(viewed))
    refuse(wrong, "pages", viewed, "; a session views 1, 2, … pages")
    of_users = viewed.shape if users is None else shape_of(users, "users")
    if of_users != viewed.shape:
        raise ValueError(f"there are {len(viewed)} sessions and users of shape {of_users}")
    if by == "sessions":
        return float((viewed == 1).mean())
    if users is None:
        raise ValueError("by='users' needs users=, whose session each was")
    who, user = number_labels("users", users, "; every session needs its user")
    bounced = np.zeros(len(who), dtype=bool)
    bounced[user[viewed == 1]] = True
    return float(bounced.mean())


def _rate(
    top: ArrayLike, bottom: ArrayLike, name: str, of: str, *, share: bool
) -> float | FloatArray:
    refuse_other_labels(**{name: top, of: bottom})
    above, below = _counts(name, top), _counts(of, bottom)
    if above.shape != below.shape and above.ndim and below.ndim:
        raise ValueError(f"{name} has shape {above.shape} and {of} {below.shape}")
    above, below = np.broadcast_arrays(above, below)
    if share and (more := above > below).any():
        raise ValueError(
            f"there are more {name} ({above[more][0]:g}) than {of} ({below[more][0]:g}); count "
            "each of them at most once"
        )
    with np.errstate(over="ignore"):
        rate = divide(above, below)
    refuse(np.isinf(rate), of, below, ", so close to 0 that nothing can be divided by it")
    return float(rate) if rate.ndim == 0 else rate


def _counts(name: str, values: ArrayLike) -> FloatArray:
    counts = as_numbers(values, name, what="counts")
    refuse(~(np.isfinite(counts) & (counts >= 0)), name, counts, "; a count is 0 or more")
    return counts
