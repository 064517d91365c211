"""A metric from few human and many machine labels: prediction-powered inference."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from recsys_metrics._core import confidence_intervals
from recsys_metrics._core.checks import check_bounds, check_level, is_real, to_float
from recsys_metrics._core.confidence_intervals import UNBOUNDED, Bounds
from recsys_metrics._core.inputs.arrays import FloatArray, MatchedValues
from recsys_metrics._core.inputs.columns import match_keys
from recsys_metrics._core.inputs.frames import refuse_other_labels
from recsys_metrics.protocol._checks import sample
from recsys_metrics.protocol.significance._gains import gain_and_p
from recsys_metrics.protocol.significance._intervals import (
    check_within_bounds,
    explain_missing_interval,
    interval_of_mean,
    moments,
)
from recsys_metrics.protocol.significance._results import Interval

Weight: TypeAlias = float | Literal["optimal"]
ValuesOfOne: TypeAlias = tuple[MatchedValues, MatchedValues, MatchedValues]

FEWEST = 10
"""With fewer human labels neither the weight nor the spread is known well enough."""


@dataclass(frozen=True)
class PredictionPowered(Interval):
    """A mean that people's labels correct and a judge's labels make more precise.

    Attributes
    ----------
    weight : float
        How much the judge counts, from 0 (people alone) to 1.
    standard_error : float
        Of the estimate.
    n_machine : int
        Lists that the judge alone labelled; `n` counts those that people labelled too.
    judge_bias : Interval
        The judge's mean minus the mean of people, over the lists that both labelled.
    human : Interval
        What the labels of people say without the judge.

    Examples
    --------
    >>> import numpy as np
    >>> from recsys_metrics.protocol.judges import prediction_powered_mean
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(2_100)
    >>> judge = np.clip(truth + rng.normal(0.1, 0.1, 2_100), 0, 1)
    >>> found = prediction_powered_mean(truth[:100], judge[:100], judge[100:], bounds=(0, 1))
    >>> print(found)
    0.506 [0.483, 0.529] (95 %)
    >>> print(found.human)
    0.548 [0.486, 0.610] (95 %)
    >>> round(found.equivalent_labels)
    738
    """

    weight: float
    standard_error: float
    n_machine: int
    judge_bias: Interval
    human: Interval

    # A printer takes the last class that says how it is shown, which a data class does.
    _repr_pretty_ = Interval._repr_pretty_

    @property
    def equivalent_labels(self) -> float:
        """Human labels that would give an interval of this width without the judge."""
        return self.n * (self.human.half_width / self.half_width) ** 2


class _Parts(NamedTuple):
    estimate: float
    spread: float  # the standard error times the square root of n, as of n plain values
    weight: float


def prediction_powered_mean(
    human: MatchedValues,
    machine: MatchedValues,
    machine_only: MatchedValues,
    *,
    bounds: Bounds = UNBOUNDED,
    weight: Weight = "optimal",
    level: float = 0.95,
) -> PredictionPowered:
    r"""How would people value all lists, if they label a few and a judge labels many?

    Parameters
    ----------
    human : (n,) array of float, or mapping from user to value
        Values of a metric for the lists that people labelled, computed from their labels; at least
        ten. They must be a random sample of all lists.
    machine : (n,) array of float, or mapping from user to value
        Values of the same lists, computed from the labels of the judge.
    machine_only : (N,) array of float, or mapping from user to value
        Values of the lists that only the judge labelled; at least two.
    bounds : (float, float)
        Between which values every value must lie, (0, 1) for most measures; minus or plus
        infinity where there is none.
    weight : float or "optimal"
        How much the judge counts: 0 uses people alone, 1 trusts every difference that the judge
        sees between lists, and "optimal" estimates the weight of least variance.
    level : float
        Confidence, between 0 and 1.

    Returns
    -------
    PredictionPowered
        An `Interval` of the mean that people would give to all lists.

    Raises
    ------
    TypeError, ValueError
        If lengths or keys differ, there are fewer than ten human labels, a value is not finite or
        outside the bounds, or a weight is none.

    Notes
    -----
    The judge's mean over all lists is corrected by what the judge gets wrong on the lists that
    people labelled:

    .. math:: \hat\theta = \frac{1}{n} \sum_{i=1}^{n} y_i + \lambda \left( \frac{1}{N}
              \sum_{j=1}^{N} f_j - \frac{1}{n} \sum_{i=1}^{n} f_i \right)

    where :math:`y_i` is the value from people's labels and :math:`f_i` that from the judge's.
    Since the two means of the judge have the same expectation, the estimate is unbiased for every
    fixed :math:`\lambda`, however biased the judge is. Its variance is

    .. math:: \frac{\operatorname{Var}(y - \lambda f)}{n} + \lambda^2 \frac{\operatorname{Var}(f)}
              {N}, \qquad \lambda^* = \frac{\operatorname{Cov}(y, f)}{(1 + n / N)
              \operatorname{Var}(f)}

    with the weight :math:`\lambda^*` of least variance, estimated and kept between 0 and 1
    (PPI++). The variance of :math:`y - \lambda f` has the denominator n - 2 where the weight is
    estimated and above 0. The interval is that of `mean_interval` for n values with the same
    standard error; with a weight of 0 it is that of people alone.

    The sample must be random: if people label what is easy or popular, the correction is that of
    other lists. The judge must be the same for both groups, and must not have been tuned on the
    lists that people labelled. For values with a normal distribution the judge makes the estimate
    more precise only if the correlation of its values with those of people is above
    :math:`1 / \sqrt{n - 2}` (Mani and others).

    References
    ----------
    Angelopoulos, Bates, Fannjiang, Jordan and Zrnic (2023), Prediction-powered inference, Science
    382. Angelopoulos, Duchi and Zrnic (2023), PPI++: efficient prediction-powered inference,
    arXiv:2311.01453. Mani, Xu, Lipton and Oberst (2025), No free lunch: non-asymptotic analysis of
    prediction-powered inference, arXiv:2505.20178.

    Examples
    --------
    People gave ten lists a mean of 0.5; the judge is 0.1 too generous, but sees that the other
    lists are better:

    >>> from recsys_metrics.protocol.judges import prediction_powered_mean
    >>> human = [0.2, 0.3, 0.4, 0.4, 0.5, 0.5, 0.6, 0.6, 0.7, 0.8]
    >>> machine = [0.3, 0.4, 0.5, 0.5, 0.6, 0.6, 0.7, 0.7, 0.8, 0.9]
    >>> found = prediction_powered_mean(human, machine, [0.7, 0.8] * 50, weight=1)
    >>> round(found.estimate, 3), round(found.judge_bias.estimate, 3)
    (0.65, 0.1)
    """
    limits = check_bounds(bounds)
    rows = _read("", (human, machine, machine_only), limits)
    parts = _combine(*rows, _check_weight(weight))
    level = check_level(level)
    parts = parts._replace(estimate=min(max(parts.estimate, limits[0]), limits[1]))
    n = len(rows[0])
    found = interval_of_mean(parts.estimate, parts.spread, n, bounds=limits, level=level)
    alone = interval_of_mean(*moments(rows[0]), bounds=limits, level=level)
    if found is None or alone is None:
        raise ValueError(f"there is no confidence interval: {explain_missing_interval(n)}")
    return _result(parts, rows, found, alone, limits)


def prediction_powered_gain(
    a: ValuesOfOne,
    b: ValuesOfOne,
    *,
    bounds: Bounds = UNBOUNDED,
    weight: Weight = "optimal",
    level: float = 0.95,
) -> PredictionPowered:
    r"""How much better is b for people, if they label a few lists and a judge labels many?

    Parameters
    ----------
    a, b : (human, machine, machine_only)
        Values of the old and the new recommender, as `prediction_powered_mean` takes them. Both
        are of the same users in the same order, or mappings from the same users.
    bounds : (float, float)
        Between which values every value must lie, (0, 1) for most measures.
    weight : float or "optimal"
    level : float
        Confidence, between 0 and 1.

    Returns
    -------
    PredictionPowered
        An `Interval` of the mean of b - a; its `human` is that of `gain_interval`.

    Raises
    ------
    TypeError, ValueError
        As `prediction_powered_mean`, and if a or b has not three parts.

    Notes
    -----
    It is the prediction-powered mean of the differences :math:`b_i - a_i`, in which what the judge
    gets wrong for both recommenders cancels. What the judge gets wrong for one of them only, such
    as a preference for lists that a model of its own kind wrote, is corrected by the lists that
    people labelled. The interval is that of `gain_interval` with this standard error.

    References
    ----------
    Angelopoulos, Duchi and Zrnic (2023), PPI++: efficient prediction-powered inference,
    arXiv:2311.01453.

    Examples
    --------
    >>> import numpy as np
    >>> from recsys_metrics.protocol.judges import prediction_powered_gain
    >>> rng = np.random.default_rng(0)
    >>> old = rng.random(1_050)
    >>> new = np.clip(old + rng.normal(0.05, 0.1, 1_050), 0, 1)
    >>> judged = [np.clip(each + rng.normal(0, 0.05, 1_050), 0, 1) for each in (old, new + 0.1)]
    >>> parts = [(each[:50], f[:50], f[50:]) for each, f in zip((old, new), judged)]
    >>> found = prediction_powered_gain(*parts, bounds=(0, 1))
    >>> found.human.half_width > found.half_width
    True
    """
    limits = check_bounds(bounds)
    sides = []
    for name, side in (("a", a), ("b", b)):
        if not isinstance(side, tuple | list) or len(side) != 3:
            raise TypeError(
                f"{name} is (human, machine, machine_only), three rows of values of one "
                f"recommender; got {side!r:.80}"
            )
        sides.append(side)
    rows = [match_keys(a=old, b=new) for old, new in zip(*sides, strict=True)]
    first, second = (
        _read(f"{name}: ", [row[place] for row in rows], limits)
        for place, name in enumerate(("a", "b"))
    )
    for what, old, new in zip(("human", "machine", "machine_only"), first, second, strict=True):
        if len(old) != len(new):
            raise ValueError(
                f"{what} has {len(old)} values in a and {len(new)} in b; give both recommenders "
                "for the same users in the same order"
            )
    y, f, others = (new - old for old, new in zip(first, second, strict=True))
    level = check_level(level)
    parts = _combine(y, f, others, _check_weight(weight))
    n = len(y)
    up, down = int((y > 0).sum()), int((y < 0).sum())
    found, _ = gain_and_p(parts.estimate, parts.spread, n, up, down, bounds=limits, level=level)
    alone, _ = gain_and_p(*moments(y), up, down, bounds=limits, level=level)
    if found is None or alone is None:
        raise ValueError(
            f"there is no confidence interval: {explain_missing_interval(n, gain=True)}"
        )
    most = limits[1] - limits[0]
    return _result(parts, (y, f, others), found, alone, (-most, most))


def _result(
    parts: _Parts,
    rows: tuple[FloatArray, FloatArray, FloatArray],
    found: Interval,
    alone: Interval,
    bounds: Bounds,
) -> PredictionPowered:
    """Return what was found of values within bounds, with that of people alone."""
    y, f, others = rows
    return PredictionPowered(
        parts.estimate,
        found.low,
        found.high,
        found.level,
        len(y),
        parts.weight,
        parts.spread / math.sqrt(len(y)),
        len(others),
        _bias(f - y, bounds, found.level),
        alone,
    )


def _read(prefix: str, rows: Any, bounds: Bounds) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the three rows of values of one recommender, checked."""
    human, machine, others = rows
    if isinstance(others, Mapping):
        others = list(others.values())
    refuse_other_labels(human=human, machine=machine)
    human, machine = match_keys(human=human, machine=machine)
    named = {f"{prefix}human": human, f"{prefix}machine": machine, f"{prefix}machine_only": others}
    y, f, rest = (
        sample(name, values, least=least, source="labels")
        for (name, values), least in zip(named.items(), (FEWEST, FEWEST, 2), strict=True)
    )
    for name, values in zip(named, (y, f, rest), strict=True):
        check_within_bounds(name, values, bounds)
    if len(y) != len(f):
        raise ValueError(
            f"{prefix}human has {len(y)} values and machine {len(f)}; give both for the same lists "
            "in the same order, and lists that only the judge labelled in machine_only"
        )
    return y, f, rest


def _check_weight(weight: Any) -> float | None:
    """Return a fixed weight, None for the one of least variance."""
    if isinstance(weight, str) and weight == "optimal":
        return None
    if not is_real(weight) or isinstance(weight, bool) or not 0 <= weight <= 1:
        raise ValueError(f"weight is 'optimal' or a number from 0 to 1; got {weight!r:.80}")
    return to_float(weight)


def _combine(y: FloatArray, f: FloatArray, others: FloatArray, weight: float | None) -> _Parts:
    """Return the estimate, its spread and the weight of the judge."""
    n, more = len(y), len(others)
    lost = 1
    if weight is None:
        weight = _best_weight(y, f, others)
        # A weight of 0 leaves the mean of people, which needs no slope.
        lost = 2 if weight else 1
    left = y - weight * f
    _, deviation, _ = moments(left)
    _, of_judge, _ = moments(others)
    # The slope that was estimated takes one more degree of freedom.
    variance = deviation**2 * (n - 1) / (n - lost) + weight**2 * of_judge**2 * n / more
    estimate = float(y.mean() + weight * (others.mean() - f.mean()))
    return _Parts(estimate, math.sqrt(variance), weight)


def _best_weight(y: FloatArray, f: FloatArray, others: FloatArray) -> float:
    n = len(y)
    _, of_judge, _ = moments(np.concatenate([f, others]))
    if of_judge == 0:  # a judge that says the same of all lists says nothing
        return 0.0
    together = float(((y - y.mean()) * (f - f.mean())).sum()) / n
    return min(max(together / ((1 + n / len(others)) * of_judge**2), 0.0), 1.0)


def _bias(apart: FloatArray, bounds: Bounds, level: float) -> Interval:
    """Return the interval of the judge's mean error, without width where it is always the same."""
    mean, deviation, n = moments(apart)
    most = bounds[1] - bounds[0]
    low, high = confidence_intervals.of_mean(mean, deviation, n, (-most, most), level)
    ends = (mean, mean) if np.isnan(low) or np.isnan(high) else (float(low), float(high))
    return Interval(mean, *ends, level, n)
