"""A log of rounds as checked columns.

Whether a column can be one at all is checked at once. Its numbers are checked by
`is_valid_fast`, block by block while an estimate reads them, and where that says no, by
`check`, which names the first that is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core.checks import between_zero_and_one, first_true
from recsys_metrics._core.inputs.arrays import FloatArray, as_array, is_array, shape_of
from recsys_metrics._core.inputs.columns import (
    check_between,
    check_numbers,
    check_same_rows,
    check_whole,
)
from recsys_metrics.bias._checks import check_propensities
from recsys_metrics.bias.off_policy._formulas import Columns


@dataclass(frozen=True, eq=False)
class Log:
    """What was logged, and what is known of a policy.

    Attributes
    ----------
    arrays : mapping from str to array
        By the name of the argument. There are `rewards` and `propensities` with either `target`
        or `actions` and `policy`, or none of them; and with `policy` perhaps `reward_model`.
    """

    arrays: Mapping[str, NDArray[Any]]

    @property
    def n(self) -> int:
        """Rounds."""
        return len(next(iter(self.arrays.values())))

    @property
    def width(self) -> int:
        """Numbers of a round that an estimate reads."""
        return int(sum(array.shape[1] for array in self.arrays.values() if array.ndim == 2)) or 8

    @cached_property
    def unsupported(self) -> float:
        """The mean probability that a known policy gives to actions that were never logged."""
        if "actions" not in self.arrays:
            return 0.0
        policy = self.arrays["policy"]
        never = np.bincount(self.arrays["actions"], minlength=policy.shape[1]) == 0
        return float(policy[:, never].sum()) / self.n if never.any() else 0.0

    def columns(self, block: slice, scratch: FloatArray, *, with_model: bool) -> Columns:
        """Return some rounds of a checked log, with what is computed in the scratch rows."""
        part = {name: array[block] for name, array in self.arrays.items()}
        names = ("policy", "reward_model") if with_model else ("policy",)
        # Row after row: the last digit of a sum hangs on the order.
        tables = [np.ascontiguousarray(part[name]) for name in names if name in part]
        v = PolicyValue(*tables) if with_model else None
        if "rewards" not in part:
            return Columns(v=v)
        if "actions" in part:
            # One offset into the flat tables serves both; an index of rows and columns takes
            # thrice the time.
            offsets = np.arange(0, tables[0].size, tables[0].shape[1])
            offsets += part["actions"]
            # The actions were checked; mode="raise" would go through a copy.
            target, *predicted = (
                table.reshape(-1).take(offsets, out=row, mode="clip")
                for table, row in zip(tables, scratch, strict=False)
            )
        else:
            target, predicted = part["target"], []
        weights = np.divide(target, part["propensities"], out=scratch[0])
        return Columns(part["rewards"], weights, v, *predicted)

    def is_valid_fast(self, block: slice, scratch: FloatArray) -> bool:
        """Return whether a block's numbers are surely valid; may be wrongly False."""
        part = {name: array[block] for name, array in self.arrays.items()}
        chances = [part[name] for name in ("propensities", "target", "policy") if name in part]
        valid = all(map(between_zero_and_one, chances))
        if "propensities" in part:
            valid = valid and part["propensities"].min() > 0
        if "policy" in part:
            # A product of BLAS, quick and exact enough to be compared with a tolerance.
            sums = np.matmul(part["policy"], np.ones(part["policy"].shape[1]), out=scratch[0])
            valid = valid and sums.min() > 1 - 9e-7 and sums.max() < 1 + 9e-7
        if "actions" in part:
            done = part["actions"]
            valid = valid and done.min() >= 0 and done.max() < part["policy"].shape[1]
        return bool(valid)

    def check(self) -> None:
        """Raise if a number anywhere is not valid, and say which."""
        for name, array in self.arrays.items():
            if name == "propensities":
                check_propensities(array)
            elif name in ("target", "policy"):
                check_between(name, array, 0.0, 1.0, axes=array.ndim)
            elif name == "actions":
                check_whole(name, array, 0, self.arrays["policy"].shape[1] - 1)
            else:
                check_numbers(name, array, array.ndim)
        if "policy" in self.arrays:
            check_sums("the policy", self.arrays["policy"])


def check_sums(name: str, table: FloatArray) -> None:
    """Raise if a row of probabilities does not sum to 1."""
    sums = table.sum(axis=1)
    if at := first_true(np.abs(sums - 1.0) > 1e-6):
        raise ValueError(
            f"row {at[0]} of {name} sums to {sums[at]:.6g}; the probabilities of all actions sum "
            "to 1"
        )


class PolicyValue:
    """A column: what a model predicts for a policy, the mean over its actions, plus others.

    Its sum over rounds is one product of two tables, which takes half the time of the column.
    """

    def __init__(self, policy: FloatArray, model: FloatArray, *others: FloatArray) -> None:
        self.policy, self.model, self.others = policy, model, others

    def __add__(self, other: FloatArray) -> PolicyValue:
        return PolicyValue(self.policy, self.model, *self.others, other)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> FloatArray:
        return sum(self.others, start=np.einsum("ij,ij->i", self.policy, self.model))

    def sum(self) -> float:
        """Return the sum over all rounds."""
        # Not a product of BLAS, whose last digit may hang on the number of threads.
        value = float(np.einsum("ij,ij", self.policy, self.model))
        return value + sum(float(other.sum()) for other in self.others)


def log_of_columns(
    rewards: ArrayLike,
    propensities: ArrayLike,
    target: ArrayLike,
    users: ArrayLike | None = None,
) -> Log:
    """Return a log of columns of one length, whose rows are those of the users."""
    log = {"rewards": _column("rewards", rewards)}
    log["propensities"] = _column("propensities", propensities)
    if not shape_of(target, "target"):
        chance = check_between("target", np.array([target]), 0.0, 1.0)
        log["target"] = np.broadcast_to(chance, len(log["propensities"]))
    else:
        log["target"] = _column("target", target)
    check_same_rows(
        rewards=rewards,
        propensities=propensities,
        target=target if np.ndim(target) else None,
        users=users,
    )
    return Log(log)


def log_of_tables(
    rewards: ArrayLike,
    actions: ArrayLike,
    propensities: ArrayLike,
    *,
    users: ArrayLike | None = None,
    **tables: ArrayLike,
) -> Log:
    """Return a log of columns and tables of one length: `policy`, perhaps `reward_model`."""
    log = {"rewards": _column("rewards", rewards)}
    log["propensities"] = _column("propensities", propensities)
    log |= log_without_rounds(**tables).arrays
    done = as_array(actions, "actions")
    if done.ndim != 1 or done.dtype.kind not in "iu":
        check_whole("actions", actions, 0, None)
    check_same_rows(
        rewards=rewards, actions=actions, propensities=propensities, **tables, users=users
    )
    return Log({**log, "actions": done.astype(np.intp, copy=False)})


def log_without_rounds(**tables: ArrayLike) -> Log:
    """Return tables of one shape."""
    log = {name: _column(name, table, 2) for name, table in tables.items()}
    shapes = {name: table.shape for name, table in log.items()}
    if len({*shapes.values()}) > 1:
        raise ValueError(
            f"policy has shape {shapes['policy']} and reward_model {shapes['reward_model']}; both "
            "need one row per round and one column per action"
        )
    return Log(log)


def _column(name: str, values: Any, axes: int = 1) -> FloatArray:
    """Return floats of so many axes, whose numbers are still to be checked."""
    array = as_array(values, name, fill="numpy.nan") if is_array(values) else np.asarray(values)
    if array.dtype == np.float64 and array.ndim == axes and array.size:
        return array
    return check_numbers(name, values, axes)
