"""Bias, mean squared error and coverage of estimators, over many logs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.arithmetic import exponent_of, mean_of
from recsys_metrics._core.checks import check_level, check_mapping, check_squares, refuse
from recsys_metrics._core.confidence_intervals import normal_quantile, of_proportion
from recsys_metrics._core.inputs.arrays import FloatArray, as_numbers
from recsys_metrics._core.inputs.columns import check_numbers
from recsys_metrics._core.inputs.several import read_several
from recsys_metrics.bias.off_policy._estimate import Estimate

Interval = tuple[float, float]


@dataclass(frozen=True)
class EstimatorErrors:
    """The errors of an estimator over many logs, with confidence intervals over the logs.

    Attributes
    ----------
    n_logs : int
    mean : float
        Of the estimates.
    bias : float
        Mean of estimate minus truth.
    bias_interval : (float, float)
    standard_deviation : float
        Standard deviation of the errors; NaN for a single log.
    mean_squared_error : float
    mean_squared_error_interval : (float, float)
    relative_error : float
        Mean of the error without its sign, over the truth without its sign; NaN where a truth
        is 0.
    relative_error_interval : (float, float)
    coverage : float
        Share of logs whose own interval holds the truth; NaN where the estimates are plain
        numbers.
    coverage_interval : (float, float)
        Clopper and Pearson's.
    effective_sample_size : float
        Mean over the logs; NaN where the estimates are plain numbers.

    Examples
    --------
    >>> from recsys_metrics.bias.off_policy import evaluate_estimators
    >>> errors = evaluate_estimators([{"ips": 0.5}, {"ips": 0.2}], 0.4)["ips"]
    >>> round(errors.bias, 3), round(errors.mean_squared_error, 3), errors.n_logs
    (-0.05, 0.025, 2)
    """

    n_logs: int
    mean: float
    bias: float
    bias_interval: Interval
    standard_deviation: float
    mean_squared_error: float
    mean_squared_error_interval: Interval
    relative_error: float
    relative_error_interval: Interval
    coverage: float
    coverage_interval: Interval
    effective_sample_size: float


def evaluate_estimators(
    estimates: Iterable[Mapping[str, Estimate | float]],
    truth: float | ArrayLike,
    *,
    level: float = 0.95,
) -> dict[str, EstimatorErrors]:
    r"""How far off is each estimator, over many logs, for a policy whose value is known?

    Parameters
    ----------
    estimates : iterable of mappings from str to Estimate or float
        For each log, what each estimator made of it: as `estimates` returns, or any numbers of
        one's own by name. A generator will do.
    truth : float or (n_logs,) array of float
        What the policy truly earns: from a simulation, or for each log the mean reward of rounds
        that the policy made itself, next to that log.
    level : float
        Confidence of all intervals, also of those that are asked whether they hold the truth.

    Returns
    -------
    dict from str to EstimatorErrors
        In the order of the first log.

    Raises
    ------
    ValueError
        If there is no log, logs have other estimators than the first, a number is not finite, or
        there are fewer or more truths than logs.

    Notes
    -----
    .. math:: \mathrm{bias} = \overline{\hat V - V}, \qquad
              \mathrm{MSE} = \overline{(\hat V - V)^2}, \qquad
              \mathrm{relative\ error} = \overline{|\hat V - V| \,/\, |V|}

    The mean squared error is the square of the bias plus the variance of the errors (with all
    logs in the denominator). Intervals of means are normal: with fewer than about 30 logs they
    are too narrow. The coverage is of the estimates' normal intervals. A truth that was measured
    has an error of its own, which counts here as the estimator's; one log of the policy's own
    that is shared by all logs moves all errors together, and no interval shows it.

    References
    ----------
    Saito, Aihara, Matsutani and Narita (2021), Open Bandit Dataset and Pipeline, NeurIPS
    Datasets and Benchmarks. Saito, Udagawa, Kiyohara, Mogi, Narita and Tateno (2021), Evaluating
    the robustness of off-policy evaluation, RecSys.

    Examples
    --------
    >>> import numpy as np
    >>> from recsys_metrics.bias.off_policy import evaluate_estimators, ips, snips
    >>> def a_log(rng, n=200):
    ...     of_b = rng.random(n) < 0.1
    ...     return rng.random(n) < np.where(of_b, 0.4, 0.2), np.where(of_b, 0.1, 0.9), 0.5
    >>> logs = [a_log(np.random.default_rng(seed)) for seed in range(300)]
    >>> found = evaluate_estimators(({"ips": ips(*log), "snips": snips(*log)} for log in logs), 0.3)
    >>> {name: round(one.relative_error, 2) for name, one in found.items()}
    {'ips': 0.18, 'snips': 0.15}
    """
    level = check_level(level)
    rows = read_several("estimates", estimates, "mappings, one for each log")
    if not rows:
        raise ValueError("estimates contains no log; give one mapping per log")
    for at, row in enumerate(rows):
        check_mapping(f"estimates[{at}]", row, "from the name of an estimator to its estimate")
        if [*row] != [*rows[0]]:
            raise ValueError(
                f"log {at} has estimates by {', '.join(row) or 'no estimator'}, and the "
                f"first log by "
                f"{', '.join(rows[0]) or 'no estimator'}; give the same, in one order"
            )
    worth = as_numbers(truth, "truth")
    if worth.ndim == 0:
        worth = np.full(len(rows), worth)
    worth = check_numbers("truth", worth)
    if len(worth) != len(rows):
        raise ValueError(
            f"there are {len(worth)} truths for {len(rows)} logs; give one, or one each"
        )
    return {name: _errors([row[name] for row in rows], worth, name, level) for name in rows[0]}


def _errors(
    found: list[Estimate | float], truth: FloatArray, name: str, level: float
) -> EstimatorErrors:
    given = [one.value if isinstance(one, Estimate) else one for one in found]
    values = check_numbers(f"the estimates by {name}", given)
    with np.errstate(over="ignore"):
        error = values - truth
    check_squares(f"the error of {name}", error)
    n = len(error)
    nan = float("nan")
    bias, bias_interval = _mean(error, level)
    squared, squared_interval = _mean(error**2, level)
    relative, relative_interval = nan, (nan, nan)
    if truth.all():
        with np.errstate(over="ignore"):
            share = np.abs(error / truth)
        words = ", so close to 0 that no error can be divided by it; multiply all by one number"
        refuse(np.isinf(share), "truth", truth, words)
        relative, relative_interval = _mean(share, level)
    coverage, ends, worth = nan, (nan, nan), nan
    if all(isinstance(one, Estimate) for one in found):
        full = [one for one in found if isinstance(one, Estimate)]
        half = normal_quantile(level) * np.array([one.standard_error for one in full])
        held = int((np.abs(error) <= half).sum())
        coverage = held / n
        low, high = of_proportion(held, n, level)
        ends = float(low), float(high)
        worth = float(np.mean([one.effective_sample_size for one in full]))
    return EstimatorErrors(
        n_logs=n,
        mean=mean_of(values),
        bias=bias,
        bias_interval=bias_interval,
        standard_deviation=_scaled_spread(error),
        mean_squared_error=squared,
        mean_squared_error_interval=squared_interval,
        relative_error=relative,
        relative_error_interval=relative_interval,
        coverage=coverage,
        coverage_interval=ends,
        effective_sample_size=worth,
    )


def _scaled_spread(values: FloatArray) -> float:
    """Return the standard deviation over n - 1, NaN of one value; no square leaves the floats."""
    if len(values) < 2:
        return math.nan
    exponent = exponent_of(values)
    return math.ldexp(float(np.ldexp(values, -exponent).std(ddof=1)), exponent)


def _mean(values: FloatArray, level: float) -> tuple[float, Interval]:
    # By a power of two, so that no square leaves the floats.
    exponent = exponent_of(values)
    mean, n = float(np.ldexp(values, -exponent).mean()), len(values)
    half = normal_quantile(level) * math.ldexp(_scaled_spread(values), -exponent) / n**0.5
    low, middle, high = (math.ldexp(each, exponent) for each in (mean - half, mean, mean + half))
    return middle, (low, high)
