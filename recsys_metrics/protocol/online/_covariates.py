"""Variance reduction with pre-experiment data: CUPED and post-stratification."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core.arithmetic import ROUNDING
from recsys_metrics._core.checks import check_choice, check_level, check_squares, refuse
from recsys_metrics._core.inputs.arrays import (
    FloatArray,
    IntArray,
    MatchedValues,
    as_labels,
    as_numbers,
)
from recsys_metrics._core.inputs.columns import match_keys, number_labels
from recsys_metrics._core.inputs.ids import refuse_names_alike
from recsys_metrics.protocol._checks import Alternative, sample
from recsys_metrics.protocol.online._experiment import (
    Experiment,
    Group,
    check_spread,
    compare_amounts,
    linearise,
    sample_ratio,
)

# As for the sample ratio: at 0.05 one sound experiment in twenty would warn.
_IMBALANCE = 0.001


class CovariateImbalanceWarning(UserWarning):
    """What was known of the users before differs between the groups.

    Parameters
    ----------
    what : str
        How the message calls what differs.
    column : int
        Which of the things that were known, from 0.
    means : tuple of float
        Of the control and of the treatment.
    p_value : float
    """

    def __init__(
        self, what: str, *, column: int, means: tuple[float, float], p_value: float
    ) -> None:
        super().__init__(
            f"{what} differ before the experiment: their means are {means[0]:.4g} and "
            f"{means[1]:.4g} (p = {p_value:.2g}). Check how users were assigned; CUPED assumes "
            "that the groups are alike"
        )
        self.column, self.means, self.p_value = column, means, p_value

    def rename(self, what: str) -> CovariateImbalanceWarning:
        """Return this warning with another name for what differs."""
        return CovariateImbalanceWarning(
            what, column=self.column, means=self.means, p_value=self.p_value
        )


@dataclass(frozen=True, eq=False)
class Adjusted:
    """Values of two groups without what was known of the users before.

    Attributes
    ----------
    control, treatment : (m,), (n,) array of float
        What to hand to any test of two groups.
    weights : (p,) array of float
        By how much each thing known before moves a value.
    variance_ratio : float
        Which share of the variance within the groups is left; as many of the users give the same
        interval.

    Examples
    --------
    >>> from recsys_metrics.protocol.online import cuped
    >>> found = cuped([1, 2, 3], [2, 3, 4], control_before=[1, 2, 3], treatment_before=[1, 2, 3])
    >>> found.control, found.treatment, round(found.variance_ratio, 6)
    (array([2., 2., 2.]), array([3., 3., 3.]), 0.0)
    """

    control: FloatArray
    treatment: FloatArray
    weights: FloatArray
    variance_ratio: float


def cuped(
    control: MatchedValues,
    treatment: MatchedValues,
    *,
    control_before: MatchedValues,
    treatment_before: MatchedValues,
    control_per: MatchedValues | None = None,
    treatment_per: MatchedValues | None = None,
) -> Adjusted:
    r"""How much of the users' values does their past not explain?

    Parameters
    ----------
    control, treatment : (m,), (n,) array of float, or mapping from user to value
        One value per user, as in `ab_test`.
    control_before, treatment_before : (m,), (n,) or (m, p), (n, p) array of float
        What was known of each user before the experiment began: the same measure of the weeks
        before, as a rule. Nothing that the treatment could have changed. In the order of the
        values, or keyed by user where they are. For a ratio, two columns: what it divides, and by
        what, in the weeks before.
    control_per, treatment_per : arrays of float, optional
        For a ratio of sums, such as clicks per impression: each user's denominator, as in
        `ab_test`. Hand the adjusted values to `ab_test` without denominators.

    Returns
    -------
    Adjusted

    Raises
    ------
    TypeError, ValueError
        If the lengths differ, a number is not finite, what was known is the same for all, or
        denominators are below 0 or add up to 0.

    Notes
    -----
    .. math:: y_i - \theta^\top (x_i - \bar x)

    with :math:`\bar x` the mean over both groups and :math:`\theta` from least squares within the
    groups. The gain stays what it was in expectation, since the groups are drawn alike; its
    variance falls by the share that the past explains, :math:`\rho^2` for one thing known.

    For a ratio of sums :math:`R = \sum x_i / \sum y_i` a user's value is
    :math:`R + (x_i - R\, y_i) / \bar y` in each group: its mean is the ratio, and its variance that
    of the delta method, so that the two are combined as Deng, Knoblich and Lu do.

    A user who is new has no past: give 0 and a second column with 1 for the new ones.

    There is a warning if what was known differs between the groups (Welch's test, p < 0.001 after
    Bonferroni's correction), because users that were assigned at random do not differ before the
    experiment.

    References
    ----------
    Deng, Xu, Kohavi and Walker (2013), Improving the sensitivity of online controlled experiments
    by utilizing pre-experiment data, WSDM. Lin (2013), Agnostic notes on regression adjustments
    to experimental data, Ann. Appl. Stat. 7(1). Deng, Knoblich and Lu (2018), Applying the delta
    method in metric analytics, KDD.

    Examples
    --------
    >>> import numpy as np
    >>> from recsys_metrics.protocol.online import ab_test, cuped
    >>> rng = np.random.default_rng(0)
    >>> past = rng.normal(10, 3, 400)
    >>> now = past + rng.normal(0, 1, 400) + 0.4 * (np.arange(400) >= 200)
    >>> found = cuped(
    ...     now[:200], now[200:], control_before=past[:200], treatment_before=past[200:]
    ... )
    >>> plain, better = ab_test(now[:200], now[200:]), ab_test(found.control, found.treatment)
    >>> round(plain.gain.interval.half_width, 2), round(better.gain.interval.half_width, 2)
    (0.64, 0.2)
    """
    if (control_per is None) != (treatment_per is None):
        raise TypeError(
            "a ratio needs the denominators of both groups: control_per and treatment_per"
        )
    old, old_before, old_per = match_keys(
        control=control, control_before=control_before, control_per=control_per
    )
    new, new_before, new_per = match_keys(
        treatment=treatment, treatment_before=treatment_before, treatment_per=treatment_per
    )
    values = [
        _linearised("control", old, old_per),
        _linearised("treatment", new, new_per),
    ]
    before = [
        _read_covariates("control_before", old_before, len(values[0])),
        _read_covariates("treatment_before", new_before, len(values[1])),
    ]
    if before[0].shape[1] != before[1].shape[1]:
        raise ValueError(
            f"control_before knows {before[0].shape[1]} things of a user and treatment_before "
            f"{before[1].shape[1]}"
        )
    inside = np.concatenate([known - known.mean(0) for known in before])
    spread = np.concatenate([numbers - numbers.mean() for numbers in values])
    # What rounding left of the mean of equal numbers is no spread.
    sizes = np.abs(np.concatenate(before)).max(0)
    refuse(
        np.abs(inside).max(0) <= ROUNDING * sizes,
        "before",
        np.concatenate(before)[0],
        " for every user of a group; what all share explains nothing, leave it out",
    )
    _warn_of_imbalance(*before)
    # Each by a power of two, so that no covariate vanishes beside one in another unit.
    exponents = np.frexp(np.abs(inside).max(0))[1]
    inside = np.ldexp(inside, -exponents)
    weights, *_ = np.linalg.lstsq(inside, spread, rcond=None)
    middle = np.concatenate(before).mean(0)
    adjusted = [
        numbers - np.ldexp(known - middle, -exponents) @ weights
        for numbers, known in zip(values, before, strict=True)
    ]
    total = float(spread @ spread)
    left = spread - inside @ weights
    share = max(0.0, float(left @ left) / total) if total else float("nan")
    with np.errstate(over="ignore"):
        weights = np.ldexp(weights, -exponents)
    return Adjusted(adjusted[0], adjusted[1], weights, share)


def _linearised(name: str, values: Any, per: Any) -> FloatArray:
    """Return users' values; of a ratio those whose mean is the ratio of the sums."""
    if per is None:
        return sample(name, values, source="live")
    ratio, linear = linearise(name, values, per)
    return ratio + linear


def _warn_of_imbalance(control: FloatArray, treatment: FloatArray) -> None:
    """Warn where a covariate differs between the groups by more than chance allows."""
    from scipy.stats import ttest_ind

    varies = (control.std(0) > 0) | (treatment.std(0) > 0)
    if len(control) < 2 or len(treatment) < 2 or not varies.any():
        return
    p_values = np.ones(control.shape[1])
    # By a power of two, so that no square of a variance leaves the floats.
    exponent = np.frexp(np.maximum(np.abs(control).max(0), np.abs(treatment).max(0)))[1]
    groups = (np.ldexp(group, -exponent)[:, varies] for group in (control, treatment))
    p_values[varies] = ttest_ind(*groups, equal_var=False).pvalue
    worst = int(np.nanargmin(p_values))
    p = min(1.0, float(p_values[worst]) * len(p_values))
    if p < _IMBALANCE:
        which = "" if len(p_values) == 1 else f"[:, {worst}]"
        warnings.warn(
            CovariateImbalanceWarning(
                f"control_before{which} and treatment_before{which}",
                column=worst,
                means=(float(control[:, worst].mean()), float(treatment[:, worst].mean())),
                p_value=p,
            ),
            stacklevel=3,
        )


def stratified_test(
    control: MatchedValues,
    treatment: MatchedValues,
    *,
    control_strata: MatchedValues,
    treatment_strata: MatchedValues,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
    shares: tuple[float, float] = (1.0, 1.0),
) -> Experiment:
    r"""Is the treatment group better off, like compared with like?

    Parameters
    ----------
    control, treatment : (m,), (n,) array of float, or mapping from user to value
        One value per user, as in `ab_test`.
    control_strata, treatment_strata : (m,), (n,) array
        A kind of user each, known before the experiment: a country, a device, new or not. In the
        order of the values, or keyed by user where they are.
    alternative : {"two-sided", "greater", "less"}
        Which direction of the gain speaks against chance.
    level : float
        Confidence of the interval, which is two-sided.
    shares : (float, float)
        How the users were meant to be split.

    Returns
    -------
    Experiment
        As of `ab_test`; the values of the groups are the strata's, weighed by all users.

    Raises
    ------
    TypeError, ValueError
        As in `ab_test`; also if a stratum has fewer than two users in a group.

    Notes
    -----
    .. math:: \sum_s \frac{n_s}{n} (\bar y_{s, b} - \bar y_{s, a})

    with the variances of the strata's means weighed by :math:`(n_s / n)^2`. Strata that differ
    take their differences out of the noise, and a group that happened to get more of the better
    users is no longer better for it.

    References
    ----------
    Miratrix, Sekhon and Yu (2013), Adjusting treatment effect estimates by post-stratification in
    randomized experiments, JRSS B 75(2).

    Examples
    --------
    >>> from recsys_metrics.protocol.online import ab_test, stratified_test
    >>> old, new = [1, 2, 1, 9, 8], [2, 3, 10, 9, 9]
    >>> kinds = ["new", "new", "new", "old", "old"], ["new", "new", "old", "old", "old"]
    >>> test = stratified_test(old, new, control_strata=kinds[0], treatment_strata=kinds[1])
    >>> round(ab_test(old, new).gain.gain, 2), round(test.gain.gain, 2)
    (2.4, 1.0)
    """
    check_choice("alternative", alternative, Alternative)
    level = check_level(level)
    of_control, control_kinds = match_keys(control=control, control_strata=control_strata)
    of_treatment, treatment_kinds = match_keys(
        treatment=treatment, treatment_strata=treatment_strata
    )
    values = (
        sample("control", of_control, source="live"),
        sample("treatment", of_treatment, source="live"),
    )
    names = []
    for name, numbers, strata in (
        ("control", values[0], control_kinds),
        ("treatment", values[1], treatment_kinds),
    ):
        names.append(as_labels(strata, f"{name}_strata").astype(object))
        if names[-1].shape != numbers.shape:
            raise ValueError(
                f"{name}_strata names one stratum for each of the {len(numbers)} users of "
                f"{name}; got shape {names[-1].shape}"
            )
    words = ", which is no stratum; give users of whom it is not known one of their own"
    kinds, code = number_labels("strata", np.concatenate(names), words)
    refuse_names_alike(kinds.tolist(), "control_strata and treatment_strata have the strata")
    codes = code[: len(values[0])], code[len(values[0]) :]
    weights = np.bincount(code) / len(code)
    old, new = (
        _stratified_mean(name, numbers, which, kinds, weights)
        for name, numbers, which in zip(("control", "treatment"), values, codes, strict=True)
    )
    check_spread(old, new)
    return compare_amounts(
        old, new, alternative, level, sample_ratio([old.n, new.n], shares=shares)
    )


def _stratified_mean(
    name: str, values: FloatArray, code: IntArray, kinds: NDArray[Any], weights: FloatArray
) -> Group:
    """Return a group's mean with each stratum at its share of all users."""
    users = np.bincount(code, minlength=len(kinds))
    if users.min() < 2:
        raise ValueError(
            f"{name} has {users.min()} users of the stratum {kinds[users.argmin()]!r}, and it "
            "takes two to know how much they vary; join it with another"
        )
    means = np.bincount(code, values, len(kinds)) / users
    squares = np.bincount(code, (values - means[code]) ** 2, len(kinds))
    error = weights**2 @ (squares / (users - 1) / users)
    return Group(float(weights @ means), float(error), len(values), hits=False)


def _read_covariates(name: str, before: ArrayLike, users: int) -> FloatArray:
    numbers = as_numbers(before, name)
    if numbers.ndim not in (1, 2) or len(numbers) != users:
        raise ValueError(
            f"{name} has shape {numbers.shape}; it is what was known of each of the {users} users"
        )
    refuse(~np.isfinite(numbers), name, numbers, ", not a finite number; see the notes")
    columns = numbers.reshape(users, -1)
    check_squares(name, columns)
    return columns
