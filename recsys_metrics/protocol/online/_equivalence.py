"""Non-inferiority and equivalence tests."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.checks import check_alpha, check_positive
from recsys_metrics.protocol._checks import Missing
from recsys_metrics.protocol.online._experiment import (
    Experiment,
    Outcome,
    compare_groups,
    read_groups,
)
from recsys_metrics.protocol.significance import Interval

# The confidence of an interval that is as good as a point.
_NARROWEST = 1e-12
_FARTHEST = 1e300


@dataclass(frozen=True)
class EquivalenceResult:
    """The answer of a test against a margin; its text is the conclusion.

    Attributes
    ----------
    gain : Interval
        Treatment less control with its interval at a confidence of 1 less twice alpha.
    low, high : float
        Between which gains the treatment counts as not worse, or as good as equal.
    p_value : float
        The smallest alpha at which the interval lies between them.
    alpha : float
    test : Experiment
        The A/B test of the same users, at the confidence of the interval.

    Examples
    --------
    >>> from recsys_metrics.protocol.online import non_inferiority_test
    >>> test = non_inferiority_test([1, 2, 3, 2, 2, 3], [2, 2, 3, 2, 2, 3], margin=1)
    >>> test.holds, round(test.p_value, 3)
    (True, 0.006)
    """

    gain: Interval
    low: float
    high: float
    p_value: float
    alpha: float
    test: Experiment

    @property
    def holds(self) -> bool:
        """Whether the confidence interval is between the margins; never if the ratio is off."""
        inside = self.low < self.gain.low and self.gain.high < self.high
        return inside and not self.test.ratio.mismatch

    def __str__(self) -> str:
        if self.test.ratio.mismatch:
            return str(self.test)
        one_sided = np.isinf(self.high)
        claim = (
            f"not worse by {-self.low:g} or more"
            if one_sided
            else f"equal but for less than {-self.low:g} down and {self.high:g} up"
        )
        open_ = (
            f"a loss of {-self.low:g} or more is not ruled out"
            if one_sided
            else f"not shown to be {claim}"
        )
        said = claim if self.holds else open_
        ends = f"[{self.gain.low:.3f}, {self.gain.high:.3f}]"
        return f"{said}: the {100 * self.gain.level:g}% CI of the gain is {ends}"


def non_inferiority_test(
    control: ArrayLike,
    treatment: ArrayLike,
    *,
    margin: float,
    alpha: float = 0.05,
    control_per: ArrayLike | None = None,
    treatment_per: ArrayLike | None = None,
    outcome: Outcome = "auto",
    shares: tuple[float, float] = (1.0, 1.0),
    missing: Missing = "raise",
) -> EquivalenceResult:
    r"""Is the treatment worse by less than the margin (non-inferior)?

    "Not significantly worse" does not answer it: ten users never show a loss.

    Parameters
    ----------
    control, treatment, control_per, treatment_per, outcome, shares, missing
        As in `ab_test`.
    margin : float
        The loss that would matter, above 0, in the unit of the gain; fixed before the
        experiment. Where less is better (bounces), swap the groups.
    alpha : float
        The chance to say "not worse" of a treatment that is worse by the margin.

    Returns
    -------
    Equivalence

    Raises
    ------
    TypeError, ValueError
        As in `ab_test`; also if the margin is not above 0, or alpha is not below one half.

    Notes
    -----
    Holds if the lower end of the interval of confidence :math:`1 - 2 \alpha` is above the margin
    taken negative: for amounts, Welch's one-sided test against that gain.

    References
    ----------
    Schuirmann (1987), A comparison of the two one-sided tests procedure and the power approach,
    J. Pharmacokinetics and Biopharmaceutics 15(6). Piaggio et al. (2012), Reporting of
    noninferiority and equivalence randomized trials, JAMA 308(24).

    Examples
    --------
    >>> from recsys_metrics.protocol.online import non_inferiority_test
    >>> old, new = [1, 2, 3, 2, 2, 3], [2, 2, 3, 2, 2, 3]
    >>> print(non_inferiority_test(old, new, margin=1))
    not worse by 1 or more: the 90% CI of the gain is [-0.518, 0.851]
    >>> print(non_inferiority_test(old, new, margin=0.5))
    a loss of 0.5 or more is not ruled out: the 90% CI of the gain is [-0.518, 0.851]
    """
    groups = read_groups(control, treatment, control_per, treatment_per, missing)
    test = compare_groups(*groups, outcome=outcome, shares=shares)
    return hold_to_margins(test, -check_positive("margin", margin), math.inf, alpha)


def equivalence_test(
    control: ArrayLike,
    treatment: ArrayLike,
    *,
    margin: float | tuple[float, float],
    alpha: float = 0.05,
    control_per: ArrayLike | None = None,
    treatment_per: ArrayLike | None = None,
    outcome: Outcome = "auto",
    shares: tuple[float, float] = (1.0, 1.0),
    missing: Missing = "raise",
) -> EquivalenceResult:
    """Are the groups equal up to a margin?

    Parameters
    ----------
    control, treatment, control_per, treatment_per, outcome, shares, missing
        As in `ab_test`.
    margin : float or (float, float)
        The difference that would matter, above 0, in the unit of the gain; or the loss and the
        rise that would. Fixed before the experiment.
    alpha : float
        The chance to say "equal" of groups that differ by the margin.

    Returns
    -------
    Equivalence

    Raises
    ------
    TypeError, ValueError
        As in `ab_test`; also if a margin is not above 0, or alpha is not below one half.

    Notes
    -----
    Two one-sided tests: holds if the interval of confidence 1 less twice alpha lies between the
    margins.

    References
    ----------
    Schuirmann (1987), A comparison of the two one-sided tests procedure and the power approach,
    J. Pharmacokinetics and Biopharmaceutics 15(6).

    Examples
    --------
    >>> from recsys_metrics.protocol.online import equivalence_test
    >>> test = equivalence_test([1, 2, 3, 2, 2, 3], [2, 2, 3, 2, 2, 3], margin=1)
    >>> test.holds, round(test.p_value, 3)
    (True, 0.026)
    """
    ends = margin if isinstance(margin, tuple) else (margin, margin)
    if len(ends) != 2:
        raise ValueError(f"margin is one number, or the loss and the rise; got {margin!r}")
    loss, rise = (check_positive("margin", end) for end in ends)
    groups = read_groups(control, treatment, control_per, treatment_per, missing)
    return hold_to_margins(
        compare_groups(*groups, outcome=outcome, shares=shares), -loss, rise, alpha
    )


def hold_to_margins(
    test: Callable[[float], Experiment], low: float, high: float, alpha: float
) -> EquivalenceResult:
    """Return whether the interval of a test, given by its confidence, lies between margins."""
    if not check_alpha(alpha) < 0.5:
        raise ValueError(f"alpha is below one half; got {alpha!r}")

    def interval(found: Experiment) -> Interval:
        assert found.gain.interval is not None
        return found.gain.interval

    def worst(tail: float) -> float:
        """Return how far inside the margins the interval is that leaves so much out at an end."""
        # An interval that leaves out more than half at either end is one turned round.
        found = interval(test(max(abs(1 - 2 * tail), _NARROWEST)))
        low_end, high_end = (found.low, found.high) if tail < 0.5 else (found.high, found.low)
        # An interval of quantiles may be open, and a root is not looked for at infinity.
        return max(min(low_end - low, high - high_end), -_FARTHEST)

    found = test(1 - 2 * alpha)
    return EquivalenceResult(interval(found), low, high, _p_value(worst), alpha, found)


def _p_value(worst: Callable[[float], float]) -> float:
    from scipy.optimize import brentq

    least = 1e-12
    if worst(least) > 0:
        return 0.0
    if worst(1 - least) < 0:
        return 1.0
    return float(brentq(worst, least, 1 - least, xtol=1e-13))
