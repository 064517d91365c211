"""What would another policy have earned? The estimators over a log that is a long table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from recsys_metrics.bias.off_policy import Estimate
from recsys_metrics.bias.off_policy.estimate import TITLES, Method
from recsys_metrics.bias.off_policy.together import Estimator, recipe_of
from recsys_metrics.frames.plan import Expr, divide, least, one_row
from recsys_metrics.frames.tables import lazy

_WEIGHED = ("reward", "propensity", "target")
_NEEDS: Mapping[str, tuple[str, ...]] = {
    "ips": _WEIGHED,
    "clipped_ips": _WEIGHED,
    "snips": _WEIGHED,
    "direct_method": ("value",),
    "doubly_robust": (*_WEIGHED, "value", "model"),
    "self_normalized_doubly_robust": (*_WEIGHED, "value", "model"),
    "switch_doubly_robust": (*_WEIGHED, "value", "model"),
}


@dataclass(frozen=True, eq=False, repr=False)
class SummedEstimate(Estimate):
    """An estimate of which only the sums are known."""

    effective_sample_size: float = math.nan
    standard_error: float = math.nan

    def interval(
        self,
        level: float = 0.95,
        *,
        method: Method = "normal",
        n_resamples: int = 2000,
        seed: int | np.random.Generator = 0,
    ) -> tuple[float, float]:
        """Return the value plus and minus standard errors; `Estimate.interval` says more."""
        if method != "normal":
            raise ValueError(
                f"method {method!r} needs every round; over a table there is 'normal', or collect "
                "the columns and use recsys_metrics.bias.off_policy"
            )
        return super().interval(level, method=method, n_resamples=n_resamples, seed=seed)


def off_policy(
    log: Any,
    estimators: Sequence[Estimator] | Estimator = ("ips", "snips"),
    *,
    cap: float | None = None,
    threshold: float | None = None,
    columns: Mapping[str, str] | None = None,
) -> dict[str, SummedEstimate]:
    r"""How much would a policy have earned per round, from a log on disk or in a cluster?

    Parameters
    ----------
    log : frame
        One row per logged round: `reward`, the `propensity` with which the log's policy did what
        it did, and the `target` probability with which the policy in question does that; for
        estimators with a model also `model`, the reward it expects of what was done, and
        `value`, the reward it expects of the policy in that round.
    estimators : one or many of {"ips", "clipped_ips", "snips", "direct_method", "doubly_robust", \
"self_normalized_doubly_robust", "switch_doubly_robust"}
    cap : float, optional
        The largest weight of clipped IPS.
    threshold : float, optional
        The largest weight that switch doubly robust corrects by.
    columns : mapping, optional
        The names of these columns, where they have others.

    Returns
    -------
    dict from str to SummedEstimate
        As from `recsys_metrics.bias.off_policy`, with the normal interval only: the bootstrap
        needs the rounds themselves, which stay in the engine.

    Raises
    ------
    ValueError
        If a column is missing, a number is not finite or out of range, or the policy takes none
        of the logged actions.

    Notes
    -----
    The table is read once for all estimators: each is a mean plus a ratio of means, whose
    standard error comes from the sums of squares and products.

    Examples
    --------
    >>> import pytest
    >>> pl = pytest.importorskip("polars")
    >>> from recsys_metrics import frames
    >>> log = pl.DataFrame(
    ...     {"reward": [1, 0, 1, 1], "propensity": [0.5, 0.25, 0.1, 0.25],
    ...      "target": [0.6, 0.2, 0.6, 0.2]}
    ... )
    >>> {name: round(found.value, 4) for name, found in frames.off_policy(log).items()}
    {'ips': 2.0, 'snips': 0.9091}
    """
    if isinstance(estimators, str):
        estimators = (estimators,)
    for name in estimators:
        recipe_of(name, {"clipped_ips": cap, "switch_doubly_robust": threshold})
    frame = _read(lazy(log, "log"), estimators, columns or {})
    weights = _weights(cap, threshold)
    bases, tops, bottoms = _terms(weights)
    sums: dict[str, Expr] = {"n": nw.len(), **_faults(estimators)}
    for name in estimators:
        parts = {"base": bases.get(name), "top": tops.get(name), "bottom": bottoms.get(name)}
        given = {part: term for part, term in parts.items() if term is not None}
        for part, term in given.items():
            sums[f"{name} {part}"] = term.mean()
        for first, one in given.items():
            for second, other in given.items():
                if first <= second:
                    sums[f"{name} {first} {second}"] = (one * other).mean()
        if name in weights:
            sums[f"{name} weights"] = weights[name].sum()
            sums[f"{name} squares"] = (weights[name] * weights[name]).sum()
    found = one_row(frame.select(**sums))
    _check(found)
    return {name: _estimate(name, found) for name in estimators}


def _read(
    frame: nw.LazyFrame[Any], estimators: Sequence[str], names: Mapping[str, str]
) -> nw.LazyFrame[Any]:
    needed = sorted({role for name in estimators for role in _NEEDS[name]})
    there = frame.collect_schema().names()
    for role in needed:
        if names.get(role, role) not in there:
            raise ValueError(
                f"log has no column {names.get(role, role)!r} for the {role}; there are "
                f"{', '.join(map(repr, there))}"
            )
    read = frame.select(**{role: nw.col(names.get(role, role)).cast(nw.Float64) for role in needed})
    return read.with_columns(**_derived(needed))


def _derived(needed: Sequence[str]) -> dict[str, Expr]:
    if "propensity" not in needed:
        return {}
    return {"weight": divide(nw.col("target"), nw.col("propensity"))}


def _weights(cap: float | None, threshold: float | None) -> dict[str, Expr]:
    """Return, by estimator, what a round's reward is weighed by."""
    weight = nw.col("weight")
    plain: tuple[str, ...] = ("ips", "snips", "doubly_robust", "self_normalized_doubly_robust")
    weights = dict.fromkeys(plain, weight)
    if cap is not None:
        weights["clipped_ips"] = least(weight, nw.lit(float(cap)))
    if threshold is not None:
        weights["switch_doubly_robust"] = nw.when(weight <= threshold).then(weight).otherwise(0.0)
    return weights


def _terms(
    weights: Mapping[str, Expr],
) -> tuple[dict[str, Expr], dict[str, Expr], dict[str, Expr]]:
    """Return what each estimate is made of: ``mean(base) + mean(top) / mean(bottom)``."""
    reward, value = nw.col("reward"), nw.col("value")
    weighed = {name: weight * reward for name, weight in weights.items()}
    corrections = {name: weight * (reward - nw.col("model")) for name, weight in weights.items()}
    robust = "self_normalized_doubly_robust"
    bases: dict[str, Expr] = {"direct_method": value, robust: value}
    bases |= {name: weighed[name] for name in ("ips", "clipped_ips") if name in weighed}
    for name in ("doubly_robust", "switch_doubly_robust"):
        if name in corrections:
            bases[name] = value + corrections[name]
    tops = {"snips": weighed["snips"], robust: corrections[robust]}
    return bases, tops, {name: weights[name] for name in tops}


def _faults(estimators: Sequence[str]) -> dict[str, Expr]:
    """Return, by what is wrong with them, how many rows are at fault."""
    needed = sorted({role for name in estimators for role in _NEEDS[name]})
    faults = {}
    for role in needed:
        value = nw.col(role)
        odd = value.is_null() | ~value.is_finite()
        low, high, words = _ALLOWED.get(role, (-math.inf, math.inf, "a finite number"))
        if role in _ALLOWED:
            below = value <= low if role == "propensity" else value < low
            odd = odd | below | (value > high)
        faults[f"fault {role}: {words}"] = odd.cast(nw.Int32).sum()
    return faults


_ALLOWED = {"propensity": (0.0, 1.0, "above 0 and at most 1"), "target": (0.0, 1.0, "from 0 to 1")}


def _check(found: Mapping[str, Any]) -> None:
    if not found["n"]:
        raise ValueError("the log is empty; there is no round to learn from")
    for name, many in found.items():
        if name.startswith("fault ") and many:
            role, words = name.removeprefix("fault ").split(": ")
            raise ValueError(f"{int(many):,} rows of the log have a {role} that is not {words}")


def _estimate(name: str, found: Mapping[str, Any]) -> SummedEstimate:
    n = int(found["n"])
    mean = {
        part: found[f"{name} {part}"]
        for part in ("base", "top", "bottom")
        if f"{name} {part}" in found
    }
    value, factors = mean.get("base", 0.0), dict.fromkeys(mean, 1.0)
    if "bottom" in mean:
        if mean["bottom"] == 0:
            raise ValueError(
                "the policy takes none of the logged actions, so all weights are 0 and there is "
                "nothing to divide by; this log cannot speak for it"
            )
        ratio = mean["top"] / mean["bottom"]
        value += ratio
        factors |= {"top": 1 / mean["bottom"], "bottom": -ratio / mean["bottom"]}
    spread = 0.0
    for first in mean:
        for second in mean:
            together = found[f"{name} {min(first, second)} {max(first, second)}"]
            spread += factors[first] * factors[second] * (together - mean[first] * mean[second])
    size = float(n)
    if f"{name} weights" in found:
        squares = found[f"{name} squares"]
        size = found[f"{name} weights"] ** 2 / squares if squares else 0.0
    return SummedEstimate(
        name=TITLES[name],
        value=float(value),
        n=n,
        effective_sample_size=float(size),
        standard_error=math.sqrt(max(0.0, spread) / (n - 1)) if n > 1 else math.nan,
    )
