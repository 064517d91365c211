"""The formula of every estimator, written once for arrays and for tables.

The value of a policy is ``mean(base) + mean(top) / mean(bottom)``. Each of the three has one
entry per logged round, or is absent: 0, and 1 for the bottom. A column of entries is a numpy
array or an expression of a data frame: both know + - * / and comparisons, and `Operations`
brings the rest. The letters are those of the papers: w the weight, r the reward, q and v what
the model predicts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from math import inf, nan
from typing import Any, Literal, NamedTuple, get_args

from recsys_metrics._core.checks import check_real, is_one_of

Column = Any
"""An array or an expression."""


class Columns(NamedTuple):
    """A log's columns, as far as they are needed.

    Attributes
    ----------
    r : column
        What the round earned.
    w : column
        Its importance weight: the policy's probability of what was done, over the log's.
    v : column
        What the model predicts for the policy, the mean over its actions.
    q : column
        What the model predicts for what was done.
    """

    r: Column = None
    w: Column = None
    v: Column = None
    q: Column = None


class Terms(NamedTuple):
    """What each round adds to an estimate, and the weight that its reward got."""

    base: Column = 0.0
    top: Column = 0.0
    bottom: Column = 1.0
    weight: Column = None


def is_absent(column: Column) -> bool:
    """Return whether an estimator has no such term."""
    return column is None or isinstance(column, float)


class Operations(NamedTuple):
    """What arrays and expressions do under different names.

    Attributes
    ----------
    minimum : callable
        Of a column and a number.
    where : callable
        Of a condition, a column to take where it holds, and the number elsewhere.
    divide : callable
        Of two columns; 0 where the second is 0.
    """

    minimum: Callable[[Column, float], Column]
    where: Callable[[Column, Column, float], Column]
    divide: Callable[[Column, Column], Column]


# The weights ---------------------------------------------------------------------------------


def clipped(w: Column, cap: float, ops: Operations) -> Column:
    """Lower larger weights to the cap."""
    return ops.minimum(w, cap)


def switched(w: Column, threshold: float, ops: Operations) -> Column:
    """Leave the rounds of larger weights to the model."""
    return ops.where(w <= threshold, w, 0.0)


def optimistic(w: Column, shrinkage: float, ops: Operations) -> Column:
    """Shrink each weight, those above the square root of the shrinkage most."""
    # The limit of the ratio, which floats do not take themselves.
    return w if shrinkage == inf else ops.divide(shrinkage * w, w * w + shrinkage)


def harmonic(w: Column, shrinkage: float, ops: Operations) -> Column:
    """Take the weighted harmonic mean of each weight and 1."""
    return ops.divide(w, 1.0 - shrinkage + shrinkage * w)


class Parameter(NamedTuple):
    """What tells how large weights may become: its name, its meaning, its values."""

    name: str
    meaning: str
    allows: Callable[[float], bool]

    def check(self, limit: Any) -> float:
        """Return the limit if it is one."""
        if isinstance(limit, bool):
            raise ValueError(f"{self.name} {self.meaning}; got {limit}")
        number = check_real(self.name, limit)
        fits = math.isinf(number) or abs(number) < 10**300
        if not (fits and self.allows(number)):
            raise ValueError(f"{self.name} {self.meaning}; got {limit!r:.80}")
        return number


LARGEST = "is the largest weight and must be above 0"
CAP = Parameter("cap", LARGEST, lambda limit: limit > 0)
THRESHOLD = Parameter("threshold", LARGEST, lambda limit: limit > 0)
SHRINKAGE = Parameter("shrinkage", "is 0 or more", lambda limit: limit >= 0)
SHARE = Parameter("shrinkage", "of a harmonic mean is from 0 to 1", lambda limit: 0 <= limit <= 1)


# The estimators ------------------------------------------------------------------------------


def ips(log: Columns, w: Column) -> Terms:
    """Take the mean weighed reward."""
    return Terms(base=w * log.r)


def snips(log: Columns, w: Column) -> Terms:
    """Take the weighted mean reward."""
    return Terms(top=w * log.r, bottom=w)


def direct_method(log: Columns, w: Column) -> Terms:
    """Take what the model predicts."""
    return Terms(base=log.v)


def doubly_robust(log: Columns, w: Column) -> Terms:
    """Take what the model predicts, and the mean of its weighed errors."""
    return Terms(base=log.v + w * (log.r - log.q))


def self_normalized_doubly_robust(log: Columns, w: Column) -> Terms:
    """Take what the model predicts, and the weighted mean of its errors."""
    return Terms(base=log.v, top=w * (log.r - log.q), bottom=w)


LOGGED = ("reward", "propensity", "target")
MODELLED = ("value",)
BOTH = (*LOGGED, *MODELLED, "model")


@dataclass(frozen=True)
class Estimator:
    """An estimator: its formula, the columns it needs, and what it makes of the weights.

    Attributes
    ----------
    title : str
        What it is called.
    formula : callable
        Returns the terms from a log and weights.
    needs : tuple of str
        The columns, as a table names them.
    reweigh : callable, optional
        Returns the weights to be used from the importance weights and a limit.
    parameter : Parameter, optional
        Of the limit.
    limit : float
        Set by `with_limit`.
    """

    title: str
    formula: Callable[[Columns, Column], Terms]
    needs: tuple[str, ...]
    reweigh: Callable[[Column, float, Operations], Column] | None = None
    parameter: Parameter | None = None
    limit: float = nan

    @property
    def uses_weights(self) -> bool:
        """Whether it weighs what was logged."""
        return "reward" in self.needs

    @property
    def has_model(self) -> bool:
        """Whether it needs a model of the rewards."""
        return "value" in self.needs

    def with_limit(self, limit: Any) -> Estimator:
        """Return the estimator at a limit, if it has one."""
        return replace(self, limit=self.parameter.check(limit)) if self.parameter else self

    def terms(self, log: Columns, ops: Operations) -> Terms:
        """Return what each round adds."""
        w = log.w if self.uses_weights else None
        if self.reweigh is not None:
            w = self.reweigh(w, self.limit, ops)
        return self.formula(log, w)._replace(weight=w)


ESTIMATORS: Mapping[str, Estimator] = {
    "ips": Estimator("IPS", ips, LOGGED),
    "clipped_ips": Estimator("clipped IPS", ips, LOGGED, clipped, CAP),
    "snips": Estimator("SNIPS", snips, LOGGED),
    "clipped_snips": Estimator("clipped SNIPS", snips, LOGGED, clipped, CAP),
    "subgaussian_ips": Estimator("sub-Gaussian IPS", ips, LOGGED, harmonic, SHARE),
    "direct_method": Estimator("direct method", direct_method, MODELLED),
    "doubly_robust": Estimator("doubly robust", doubly_robust, BOTH),
    "self_normalized_doubly_robust": Estimator(
        "self-normalised doubly robust", self_normalized_doubly_robust, BOTH
    ),
    "switch_doubly_robust": Estimator(
        "switch doubly robust", doubly_robust, BOTH, switched, THRESHOLD
    ),
    "shrinkage_doubly_robust": Estimator("DRos", doubly_robust, BOTH, optimistic, SHRINKAGE),
    "subgaussian_doubly_robust": Estimator(
        "sub-Gaussian doubly robust", doubly_robust, BOTH, harmonic, SHARE
    ),
}

EstimatorName = Literal[
    "ips",
    "clipped_ips",
    "snips",
    "clipped_snips",
    "direct_method",
    "doubly_robust",
    "self_normalized_doubly_robust",
    "switch_doubly_robust",
]
"""The estimators that may be asked for together."""


def limit_of(name: str) -> str | None:
    """Return the parameter of an estimator that limits its weights, if it has one."""
    estimator = ESTIMATORS.get(name)
    return estimator.parameter.name if estimator and estimator.parameter else None


def select(
    names: Iterable[str] | None, limits: Mapping[str, float | None], *, has_model: bool = True
) -> dict[str, Estimator]:
    """Return estimators by their names, or all that need nothing else.

    The limits stand by parameter; None is none.
    """
    known = get_args(EstimatorName)
    selected = {}
    limits = {
        parameter.name: None
        if (limit := limits[parameter.name]) is None
        else parameter.check(limit)
        for parameter in (CAP, THRESHOLD)
    }
    for name in known if names is None else names:
        if not is_one_of(name, known):
            raise ValueError(f"there is no estimator {name!r:.60}; there are {', '.join(known)}")
        estimator, lacks = ESTIMATORS[name], ""
        limit = limits[estimator.parameter.name] if estimator.parameter else None
        if estimator.parameter and limit is None:
            lacks = f"{estimator.parameter.name}, the largest weight allowed"
        elif estimator.has_model and not has_model:
            lacks = "reward_model, what each action is expected to earn"
        if lacks and names is not None:
            raise ValueError(f"{name} needs {lacks}")
        if not lacks:
            selected[name] = estimator.with_limit(limit)
    return selected


def value_of(base: float, top: float, bottom: float) -> float:
    """Return the estimate from the means of its terms."""
    if bottom == 0:
        raise ValueError(
            "the policy takes none of the logged actions, so all weights are 0 and there is "
            "nothing to divide by; this log cannot be used to evaluate it"
        )
    return base + top / bottom
