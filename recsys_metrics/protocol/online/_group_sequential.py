"""Group-sequential tests: planned interim analyses and their boundaries."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.checks import check_alpha, check_choice, check_count
from recsys_metrics._core.inputs.arrays import FloatArray, as_numbers, shape_of
from recsys_metrics.protocol._checks import Missing
from recsys_metrics.protocol.online._experiment import (
    Experiment,
    experiment_from_errors,
    sample_ratio,
)
from recsys_metrics.protocol.online._sequential import read_large_groups
from recsys_metrics.protocol.significance._power import check_power

Family = Literal["obrien-fleming", "pocock"]
By = Literal["spending", "constant"]

# Nodes of the integral over where the statistic may stand after a look: with 60 the bounds of ten
# looks are those of 200 to 1e-10.
_NODES = 80
# With many more the bounds of neighbours are too close to be told apart.
_MOST_LOOKS = 500
# Beyond this no normal float has a tail, and no look a bound.
_FARTHEST = 37.0


@dataclass(frozen=True)
class GroupSequential:
    """The bounds of a test with several planned interim analyses.

    Attributes
    ----------
    fractions : tuple of float
        Which share of all planned users each look has; the last is 1.
    bounds : tuple of float
        How many standard errors from 0 the gain must be at each look, to either side, for the
        test to stop.
    alpha_spent : tuple of float
        The chance of a false alarm at that look or before.
    alpha : float
        Of a false alarm at any look.
    family : {"obrien-fleming", "pocock"}
    by : {"spending", "constant"}

    Examples
    --------
    >>> from recsys_metrics.protocol.online import group_sequential
    >>> design = group_sequential(2, family="pocock", by="constant")
    >>> [round(bound, 3) for bound in design.bounds], design.fractions
    ([2.178, 2.178], (0.5, 1.0))
    """

    fractions: tuple[float, ...]
    bounds: tuple[float, ...]
    alpha_spent: tuple[float, ...]
    alpha: float
    family: Family
    by: By

    def power(self, drift: float) -> float:
        """Return the probability of stopping at one of the analyses.

        Parameters
        ----------
        drift : float
            The true gain in standard errors of the last look.
        """
        chances, before = 0.0, _Continuation()
        for fraction, bound in zip(self.fractions, self.bounds, strict=True):
            chances += before.crossing_probability(bound, fraction, drift)
            before = before.continue_to(bound, fraction, drift)
        return chances

    def inflation(self, power: float = 0.8) -> float:
        """Return how many times the users of a test with one analysis are planned.

        Parameters
        ----------
        power : float
            The chance to find the gain that was planned for, the same in both tests.
        """
        from scipy.optimize import brentq
        from scipy.special import ndtri

        check_power(power, self.alpha)
        bound = float(ndtri(1 - self.alpha / 2))
        single = GroupSequential((1.0,), (bound,), (), self.alpha, self.family, self.by)
        far = bound + max(self.bounds) + float(ndtri(max(power, 0.5)))
        several = brentq(lambda drift: self.power(drift) - power, 0.0, far)
        one = brentq(lambda drift: single.power(drift) - power, 0.0, far)
        return float((several / one) ** 2)


def group_sequential(
    looks: int | Sequence[float],
    *,
    alpha: float = 0.05,
    family: Family = "obrien-fleming",
    by: By = "spending",
) -> GroupSequential:
    r"""How far from 0 must the gain be at each planned interim analysis?

    Parameters
    ----------
    looks : int or sequence of float
        How many looks, evenly spaced; or which share of all planned users each has, rising to 1.
    alpha : float
        The chance of a false alarm at any of the looks.
    family : {"obrien-fleming", "pocock"}
        Bounds that are high at the first analyses and near that of a single analysis at the last,
        or bounds that are about equal at every analysis.
    by : {"spending", "constant"}
        Whether the analyses spend alpha as a function of the share of users (so that they may be
        made at other times than planned, if these do not depend on the data), or all bounds come
        from one constant, as in the first papers. Only with "constant" are the bounds Pocock's, or
        O'Brien and Fleming's, own; "spending" gives Lan and DeMets' bounds that are like them.

    Returns
    -------
    GroupSequential

    Raises
    ------
    TypeError, ValueError
        If shares do not rise, or not to 1, or alpha is no share.

    Notes
    -----
    Bounds by a constant, over shares of the users :math:`t_k`: :math:`c / \sqrt{t_k}` for
    O'Brien-Fleming, and :math:`c` for Pocock. Spent by :math:`t`:

    .. math:: 4 - 4 \Phi\left(z_{\alpha / 4} / \sqrt t\right)
              \quad\text{or}\quad \alpha \ln(1 + (e - 1)\, t)

    (half of it to either side, as Lan and DeMets' function for one side with half of alpha).

    The chance to cross a bound at a look and none before is an integral over where the statistic
    can stand before, done look after look by Gauss and Legendre's rule.

    References
    ----------
    Pocock (1977), Group sequential methods in the design and analysis of clinical trials,
    Biometrika 64(2). O'Brien and Fleming (1979), A multiple testing procedure for clinical
    trials, Biometrics 35(3). Lan and DeMets (1983), Discrete sequential boundaries for clinical
    trials, Biometrika 70(3). Armitage, McPherson and Rowe (1969), Repeated significance tests on
    accumulating data, JRSS A 132(2).

    Examples
    --------
    >>> from recsys_metrics.protocol.online import group_sequential
    >>> [round(bound, 2) for bound in group_sequential(5).bounds]
    [4.88, 3.36, 2.68, 2.29, 2.03]
    >>> round(group_sequential(5, family="pocock", by="constant").bounds[0], 3)
    2.413
    """
    alpha = check_alpha(alpha)
    check_choice("family", family, Family)
    check_choice("by", by, By)
    fractions = _fractions(looks)
    find = _bounds_of_spending if by == "spending" else _bounds_of_constant
    bounds, spent = find(fractions, alpha, family)
    return GroupSequential(fractions, bounds, spent, float(alpha), family, by)


def group_sequential_test(
    control: ArrayLike,
    treatment: ArrayLike,
    *,
    design: GroupSequential,
    look: int,
    control_per: ArrayLike | None = None,
    treatment_per: ArrayLike | None = None,
    shares: tuple[float, float] = (1.0, 1.0),
    missing: Missing = "raise",
) -> Experiment:
    """Can the experiment be stopped at this planned interim analysis?

    Parameters
    ----------
    control, treatment, control_per, treatment_per, shares, missing
        The users so far, as in `ab_test`; at least 100 in each group.
    design : GroupSequential
        The looks and their bounds, fixed before the experiment.
    look : int
        Which look it is, from 1.

    Returns
    -------
    Experiment
        As of `ab_test`. `.gain.interval` is as wide as the bound of the look says, so that the
        intervals of all looks together hold the true gain with a chance of 1 less alpha;
        `.gain.p_value` is the smallest alpha at which a design of this kind would stop here;
        `.gain.statistic` is the gain in standard errors, and `.ratio` the check of the group
        sizes that may be repeated at every look.

    Raises
    ------
    TypeError, ValueError
        As in `ab_test`; also if a group has fewer than 100 users, or there is no such look.

    References
    ----------
    Jennison and Turnbull (2000), Group sequential methods with applications to clinical trials,
    chapter 9 (repeated confidence intervals).

    Examples
    --------
    >>> import numpy as np
    >>> from recsys_metrics.protocol.online import group_sequential, group_sequential_test
    >>> rng = np.random.default_rng(0)
    >>> old, new = rng.normal(1.0, 1, 800), rng.normal(1.2, 1, 800)
    >>> design = group_sequential(4)
    >>> first = group_sequential_test(old[:200], new[:200], design=design, look=1)
    >>> last = group_sequential_test(old, new, design=design, look=4)
    >>> 0 in first.gain.interval, 0 in last.gain.interval
    (True, False)
    """
    if not isinstance(design, GroupSequential):
        raise TypeError(f"design is what group_sequential returns; got {design!r:.80}")
    number = check_count(
        "look", look, 1, "the number of the interim analysis", most=len(design.bounds)
    )
    old, new = read_large_groups(control, treatment, control_per, treatment_per, missing)
    z = (new.value - old.value) / math.sqrt(old.squared_error + new.squared_error)
    return experiment_from_errors(
        old,
        new,
        statistic=z,
        p=_p_value(z, design, number),
        reach=design.bounds[number - 1],
        level=1 - design.alpha,
        ratio=sample_ratio([old.n, new.n], shares=shares, looks="any"),
    )


class _Continuation:
    """Where the sum of all gains so far may stand without a bound crossed, and how likely."""

    def __init__(
        self,
        at: float = 0.0,
        where: FloatArray | None = None,
        chance: FloatArray | None = None,
    ) -> None:
        self.at = at
        self.where = np.zeros(1) if where is None else where
        self.chance = np.ones(1) if chance is None else chance

    def crossing_probability(self, bound: float, fraction: float, drift: float = 0.0) -> float:
        """Return the chance to be beyond a bound at the next look."""
        from scipy.special import ndtr

        step = fraction - self.at
        edge, mean, spread = bound * math.sqrt(fraction), self.where + drift * step, math.sqrt(step)
        outside = ndtr((-edge - mean) / spread) + ndtr((mean - edge) / spread)
        return float(self.chance @ outside)

    def continue_to(self, bound: float, fraction: float, drift: float = 0.0) -> _Continuation:
        """Return the same after a look that was not beyond its bound."""
        step, edge = fraction - self.at, bound * math.sqrt(fraction)
        nodes, weights = _quadrature_rule()
        # No farther than nine standard deviations, where nothing is.
        edge = min(edge, 9 * math.sqrt(fraction) + abs(drift) * fraction)
        where = edge * nodes
        away = where[:, None] - self.where - drift * step
        density = np.exp(-(away**2) / (2 * step)) / math.sqrt(2 * math.pi * step)
        return _Continuation(fraction, where, edge * weights * (density @ self.chance))


@cache
def _quadrature_rule() -> tuple[FloatArray, FloatArray]:
    return np.polynomial.legendre.leggauss(_NODES)


def _fractions(looks: int | Sequence[float]) -> tuple[float, ...]:
    if not shape_of(looks, "looks"):
        count = check_count("looks", looks, meaning="how many there are", most=_MOST_LOOKS)
        return tuple((np.arange(1, count + 1) / count).tolist())
    given = as_numbers(looks, "looks")
    rising = given.ndim == 1 and len(given) and given[0] > 0 and (np.diff(given) > 0).all()
    if not rising or given[-1] != 1:
        raise ValueError(
            "looks is the number of interim analyses, or the share of all planned users "
            "at each, each "
            f"above the one before and the last 1; got {looks!r}"
        )
    if len(given) > _MOST_LOOKS:
        raise ValueError(f"looks are at most {_MOST_LOOKS}; got {len(given):,}")
    return tuple(given.tolist())


def _alpha_spent(fraction: float, alpha: float, family: Family) -> float:
    from scipy.special import ndtr, ndtri

    if family == "pocock":
        return alpha * math.log1p((math.e - 1) * fraction)
    return float(4 * ndtr(ndtri(alpha / 4) / math.sqrt(fraction)))


def _bounds_of_spending(
    fractions: Sequence[float], alpha: float, family: Family
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    bounds: list[float] = []
    spent = [_alpha_spent(fraction, alpha, family) for fraction in fractions]
    before = _Continuation()
    for fraction, all_so_far, until_then in zip(fractions, spent, [0.0, *spent], strict=False):
        bound = _find_bound(
            lambda b, at=fraction, left=all_so_far - until_then, from_=before: (  # type: ignore[misc]
                from_.crossing_probability(b, at) - left
            )
        )
        bounds.append(bound)
        before = before.continue_to(bound, fraction)
    return tuple(bounds), tuple(spent)


def _bounds_of_constant(
    fractions: Sequence[float], alpha: float, family: Family
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    factors = np.ones(len(fractions)) if family == "pocock" else 1 / np.sqrt(fractions)

    def spent(constant: float) -> FloatArray:
        before, chances = _Continuation(), []
        for fraction, bound in zip(fractions, constant * factors, strict=True):
            chances.append(before.crossing_probability(bound, fraction))
            before = before.continue_to(bound, fraction)
        return np.cumsum(chances)

    constant = _find_bound(lambda c: float(spent(c)[-1]) - alpha)
    return tuple((constant * factors).tolist()), tuple(spent(constant).tolist())


def _find_bound(excess: Callable[[float], float]) -> float:
    """Return where a falling function of a bound is 0; beyond all floats if it never is."""
    from scipy.optimize import brentq

    return _FARTHEST if excess(_FARTHEST) >= 0 else float(brentq(excess, 0.0, _FARTHEST))


def _p_value(z: float, design: GroupSequential, look: int) -> float:
    """Return the smallest alpha at which a design of this kind stops at this look."""
    from scipy.optimize import brentq

    find = _bounds_of_spending if design.by == "spending" else _bounds_of_constant

    def bound_less_z(log_alpha: float) -> float:
        return find(design.fractions, math.exp(log_alpha), design.family)[0][look - 1] - abs(z)

    least, most = -600.0, math.log(1 - 1e-9)
    if bound_less_z(least) < 0:
        return 0.0
    if bound_less_z(most) > 0:
        return 1.0
    return float(math.exp(brentq(bound_less_z, least, most, xtol=1e-9)))
