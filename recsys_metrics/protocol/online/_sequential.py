"""Sequential tests that stay valid under continuous monitoring."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.checks import check_level, check_positive, refuse
from recsys_metrics._core.inputs.arrays import FloatArray, as_numbers
from recsys_metrics._core.inputs.frames import refuse_other_labels
from recsys_metrics._core.inputs.scalar_or_batch import Many
from recsys_metrics.protocol._checks import Missing
from recsys_metrics.protocol.online._experiment import (
    Experiment,
    Group,
    check_spread,
    experiment_from_errors,
    read_groups,
    sample_ratio,
)

# Users of each group before the first look: see the notes of `sequential_test`.
_FIRST_LOOK = 100
# Fourth powers of it and of its inverse are floats.
_LARGEST = 1e70


Values = TypeVar("Values", float, FloatArray)


@dataclass(frozen=True, eq=False)
class AlwaysValid(Generic[Values]):
    """Confidence intervals and p-values, one per analysis; arrays, or floats for a single one.

    Attributes
    ----------
    low, high : float or array
        The ends.
    p_value : float or array
        Of the hypothesis that the gain is 0, at each look by itself. The smallest one so far is
        a valid p-value too.

    Examples
    --------
    >>> from recsys_metrics.protocol.online import always_valid_interval
    >>> looks = always_valid_interval([0.02, 0.03], [0.01, 0.005], expected_gain=0.02)
    >>> (looks.low > 0).tolist()
    [False, True]
    """

    low: Values
    high: Values
    p_value: Values


@overload
def always_valid_interval(
    gain: float, standard_error: float, *, expected_gain: float, level: float = 0.95
) -> AlwaysValid[float]: ...
@overload
def always_valid_interval(
    gain: Many, standard_error: Many, *, expected_gain: float, level: float = 0.95
) -> AlwaysValid[FloatArray]: ...
def always_valid_interval(
    gain: ArrayLike,
    standard_error: ArrayLike,
    *,
    expected_gain: float,
    level: float = 0.95,
) -> AlwaysValid[float] | AlwaysValid[FloatArray]:
    r"""Where does the gain lie, whenever it is analysed?

    Parameters
    ----------
    gain : float or array
        The gain so far, at one look or at each of several.
    standard_error : float or array
        Its standard error at the same looks, above 0.
    expected_gain : float
        The size of gain that was planned for, fixed before the experiment. Any value above 0
        gives a valid interval; it is narrowest for gains of about this size.
    level : float
        The chance that the interval holds the true gain at *all* looks together.

    Returns
    -------
    AlwaysValid

    Raises
    ------
    TypeError, ValueError
        If a standard error is not above 0, a gain is not finite, or shapes differ.

    Notes
    -----
    With :math:`V` the squared standard error and :math:`\tau` the expected gain, the mixture of
    likelihood ratios over gains from a normal distribution around 0 with standard
    deviation :math:`\tau` is

    .. math:: \Lambda(\delta) = \sqrt{\frac{V}{V + \tau^2}}
              \exp \frac{\tau^2 (\hat\delta - \delta)^2}{2 V (V + \tau^2)}

    It is a martingale if :math:`\delta` is the gain, so it ever reaches :math:`1 / \alpha` with
    a chance of at most :math:`\alpha` (Ville). The interval holds every :math:`\delta` with
    :math:`\Lambda(\delta) < 1 / \alpha`, and :math:`p = \min(1, 1 / \Lambda(0))`.

    Exact for normal values of known variance. With an estimated one it holds for large groups:
    do not look before there are a hundred users in each (`sequential_test` refuses to). It is
    never less than one and a half times as wide as the 95% interval for one planned analysis: the
    price of looking.

    References
    ----------
    Robbins (1970), Statistical methods related to the law of the iterated logarithm, Ann. Math.
    Stat. 41(5). Johari, Koomen, Pekelis and Walsh (2017), Peeking at A/B tests, KDD. Howard,
    Ramdas, McAuliffe and Sekhon (2021), Time-uniform, nonparametric, nonasymptotic confidence
    sequences, Ann. Statist. 49(2).

    Examples
    --------
    A gain two standard errors above 0 is enough for one planned look, not for any look:

    >>> from recsys_metrics.protocol.online import always_valid_interval
    >>> found = always_valid_interval(0.02, 0.01, expected_gain=0.02)
    >>> round(found.low, 3), round(found.high, 3), round(found.p_value, 2)
    (-0.011, 0.051, 0.45)
    """
    level = check_level(level)
    planned = check_positive("expected_gain", expected_gain)
    refuse_other_labels(gain=gain, standard_error=standard_error)
    found = as_numbers(gain, "gain")
    error = as_numbers(standard_error, "standard_error")
    if found.shape != error.shape:
        raise ValueError(f"gain has shape {found.shape} and standard_error {error.shape}")
    refuse(~np.isfinite(found), "gain", found, "; a gain is finite")
    words = "; a standard error is finite and above 0, so wait until the values vary"
    refuse(~(np.isfinite(error) & (error > 0)), "standard_error", error, words)
    sizes = {"gain": found, "standard_error": error, "expected_gain": np.asarray(planned)}
    for name, numbers in sizes.items():
        odd = (np.abs(numbers) > _LARGEST) | ((numbers != 0) & (np.abs(numbers) < 1 / _LARGEST))
        words = ", whose fourth power no float holds; multiply gains and errors by one number first"
        refuse(odd, name, numbers, words)
    tau = planned**2
    variance: FloatArray = error**2
    widened = np.log1p(tau / variance)
    half = np.sqrt(2 * variance * (variance + tau) / tau * (-np.log1p(-level) + widened / 2))
    log_ratio = _log_ratio(found, variance, tau)
    p = np.exp(-np.maximum(log_ratio, 0.0))
    if found.ndim == 0:
        return AlwaysValid(float(found - half), float(found + half), float(p))
    return AlwaysValid(found - half, found + half, p)


def sequential_test(
    control: ArrayLike,
    treatment: ArrayLike,
    *,
    expected_gain: float,
    level: float = 0.95,
    control_per: ArrayLike | None = None,
    treatment_per: ArrayLike | None = None,
    shares: tuple[float, float] = (1.0, 1.0),
    missing: Missing = "raise",
) -> Experiment:
    """Can the experiment be stopped at this analysis?

    Parameters
    ----------
    control, treatment, control_per, treatment_per, shares, missing
        The users so far, as in `ab_test`; at least 100 in each group.
    expected_gain : float
        The size of gain that was planned for, fixed before the experiment; above 0.
    level : float
        The chance that the intervals of all looks together hold the true gain.

    Returns
    -------
    Experiment
        As of `ab_test`. `.gain.interval` is the always-valid interval; `.gain.p_value` falls to
        alpha at any look with a chance of about alpha at most if there is no gain;
        `.gain.statistic` is the mixture likelihood ratio, whose size is evidence in itself.
        `.ratio` is the check of the group sizes that may be repeated at every look.

    Raises
    ------
    TypeError, ValueError
        As in `ab_test` and `always_valid_interval`; also if a group has fewer than 100 users.

    Notes
    -----
    See `always_valid_interval` for the formula. Call it after every batch of users; stop when
    the interval excludes 0, or when money runs out.

    The formula takes the variance for known, and that of a few users is not. Simulated with a
    look after every user up to 2,000, for values from hits to log-normal ones, the share of false
    alarms where 5 % are allowed is up to 20 % with looks from 2 users a group on, and at most
    5.4 % from 100 on (4.5 % but for the log-normal ones in groups of one to four).

    References
    ----------
    Johari, Koomen, Pekelis and Walsh (2017), Peeking at A/B tests, KDD.

    Examples
    --------
    >>> import numpy as np
    >>> from recsys_metrics.protocol.online import sequential_test
    >>> rng = np.random.default_rng(0)
    >>> old, new = rng.normal(1.0, 1, 2000), rng.normal(1.2, 1, 2000)
    >>> test = sequential_test(old, new, expected_gain=0.1)
    >>> 0 in test.gain.interval, test.gain.p_value < 0.001, test.ratio.mismatch
    (False, True, False)
    """
    old, new = read_large_groups(control, treatment, control_per, treatment_per, missing)
    gain, squared = new.value - old.value, old.squared_error + new.squared_error
    expected_gain = check_positive("expected_gain", expected_gain)
    found = always_valid_interval(
        gain, math.sqrt(squared), expected_gain=expected_gain, level=level
    )
    # Beyond e**700 there is no float; such a ratio is as good as infinite.
    likelihood = float(np.exp(min(_log_ratio(gain, squared, expected_gain**2), 700.0)))
    return experiment_from_errors(
        old,
        new,
        statistic=likelihood,
        p=found.p_value,
        reach=(found.high - gain) / math.sqrt(squared),
        level=level,
        ratio=sample_ratio([old.n, new.n], shares=shares, looks="any"),
    )


def read_large_groups(
    control: ArrayLike,
    treatment: ArrayLike,
    control_per: ArrayLike | None,
    treatment_per: ArrayLike | None,
    missing: Missing,
) -> tuple[Group, Group]:
    """Return two groups; raise if one has too few users for a test that may be repeated."""
    groups = read_groups(control, treatment, control_per, treatment_per, missing)
    for name, group in zip(("control", "treatment"), groups, strict=True):
        if group.n < _FIRST_LOOK:
            raise ValueError(
                f"{name} has {group.n} users; the variance of fewer than {_FIRST_LOOK} is not "
                "known well enough for a test at any time. Analyse later, or once with ab_test"
            )
    check_spread(*groups)
    return groups


def _log_ratio(gain: Any, variance: Any, tau: float) -> Any:
    """Return the logarithm of the mixture likelihood ratio against a gain of 0."""
    with np.errstate(over="ignore"):
        return tau * gain**2 / (2 * variance * (variance + tau)) - np.log1p(tau / variance) / 2
