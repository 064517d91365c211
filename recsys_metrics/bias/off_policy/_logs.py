"""A log of rounds as checked columns: what was earned, and how it is weighed.

Whether a column can be one at all is checked at once. Its numbers are checked by `fine`, block
by block while an estimate reads them, and where that says no, by `check`, which names the first
that is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._checks import between_zero_and_one
from recsys_metrics.bias._checks import (
    FloatArray,
    IntArray,
    check_between,
    check_lengths,
    check_numbers,
    check_propensities,
    check_whole,
)
from recsys_metrics.bias.off_policy._recipes import Product, Rounds


@dataclass(frozen=True, eq=False)
class Tables:
    """The policy and, if there is one, the model of the rewards; (n, actions) each."""

    policy: FloatArray
    model: FloatArray | None

    @property
    def n(self) -> int:
        return len(self.policy)

    @property
    def width(self) -> int:
        return (1 if self.model is None else 2) * int(self.policy.shape[1])

    def rounds(self, block: slice, room: FloatArray, *, modelled: bool) -> Rounds:
        return Rounds(expected=self.rows(block) if modelled else None)

    def rows(self, block: slice) -> Product:
        """Return some rows of both, row after row: the last digit of a sum hangs on the order."""
        assert self.model is not None
        return np.ascontiguousarray(self.policy[block]), np.ascontiguousarray(self.model[block])

    def fine(self, block: slice, room: FloatArray) -> bool:
        chances = self.policy[block]
        # A product of BLAS, quick and exact enough to be compared with a tolerance.
        sums = np.matmul(chances, np.ones(chances.shape[1]), out=room[0])
        return bool(
            between_zero_and_one(chances) and sums.min() > 1 - 9e-7 and sums.max() < 1 + 9e-7
        )

    def check(self) -> None:
        check_between("policy", self.policy, 0.0, 1.0, axes=2)
        if self.model is not None:
            check_numbers("reward_model", self.model, axes=2)
        sums = self.policy.sum(axis=1)
        odd = np.abs(sums - 1.0) > 1e-6
        if odd.any():
            row = int(odd.argmax())
            raise ValueError(
                f"row {row} of the policy sums to {sums[row]:.6g}; the probabilities of all "
                "actions sum to 1"
            )


@dataclass(frozen=True, eq=False)
class WeighedLog:
    """Rewards, and the probabilities of what earned them: the log's, and the policy's."""

    rewards: FloatArray
    propensities: FloatArray
    target: FloatArray

    @property
    def n(self) -> int:
        return len(self.rewards)

    @property
    def width(self) -> int:
        return 8

    def rounds(self, block: slice, room: FloatArray, *, modelled: bool) -> Rounds:
        assert not modelled, "a log of columns has no model"
        weights = np.divide(self.target[block], self.propensities[block], out=room[0])
        return Rounds(self.rewards[block], weights)

    def fine(self, block: slice, room: FloatArray) -> bool:
        return probabilities_of_what_happened(self.propensities[block]) and between_zero_and_one(
            self.target[block]
        )

    def check(self) -> None:
        check_numbers("rewards", self.rewards)
        check_propensities(self.propensities)
        check_between("target", self.target, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class ModelledLog:
    """Rewards, the actions that earned them with the log's probabilities, and the tables."""

    rewards: FloatArray
    actions: IntArray
    propensities: FloatArray
    tables: Tables

    @property
    def n(self) -> int:
        return len(self.rewards)

    @property
    def width(self) -> int:
        return self.tables.width

    def rounds(self, block: slice, room: FloatArray, *, modelled: bool) -> Rounds:
        tables = self.tables.rows(block) if modelled else (self.tables.policy[block],)
        policy, rewards = tables[0], self.rewards[block]
        # One place in the flat tables serves both; an index of rows and columns takes thrice
        # the time.
        steps = np.arange(0, policy.size, policy.shape[1])
        place = np.add(self.actions[block], steps, out=room[0].view(np.intp))
        # The actions were checked; mode="raise" would go through a copy.
        weights = policy.reshape(-1).take(place, out=room[1], mode="clip")
        weights /= self.propensities[block]
        if len(tables) == 1:
            return Rounds(rewards, weights)
        missed = tables[1].reshape(-1).take(place, out=room[2], mode="clip")
        np.subtract(rewards, missed, out=missed)
        return Rounds(rewards, weights, missed, tables)

    def fine(self, block: slice, room: FloatArray) -> bool:
        done = self.actions[block]
        return (
            probabilities_of_what_happened(self.propensities[block])
            and bool(done.min() >= 0 and done.max() < self.tables.policy.shape[1])
            and self.tables.fine(block, room)
        )

    def check(self) -> None:
        check_numbers("rewards", self.rewards)
        check_propensities(self.propensities)
        self.tables.check()
        check_whole("actions", self.actions, 0, self.tables.policy.shape[1] - 1)


def weighed_log(rewards: ArrayLike, propensities: ArrayLike, target: ArrayLike) -> WeighedLog:
    """Return a log of columns of one length."""
    earned, logged = _column("rewards", rewards), _column("propensities", propensities)
    if np.ndim(target) == 0:
        check_between("target", np.array([target]), 0.0, 1.0)
        wanted = np.broadcast_to(np.asarray(target, dtype=np.float64), len(logged))
    else:
        wanted = _column("target", target)
    check_lengths(propensities=logged, target=wanted)
    check_lengths(rewards=earned, propensities=logged)
    return WeighedLog(earned, logged, wanted)


def modelled_log(
    rewards: ArrayLike,
    actions: ArrayLike,
    propensities: ArrayLike,
    policy: ArrayLike,
    reward_model: ArrayLike,
) -> ModelledLog:
    """Return a log of columns and tables of one length."""
    return _with_tables(rewards, actions, propensities, tables(policy, reward_model))


def policy_log(
    rewards: ArrayLike, actions: ArrayLike, propensities: ArrayLike, policy: ArrayLike
) -> ModelledLog:
    """Return the same without a model."""
    return _with_tables(rewards, actions, propensities, Tables(_column("policy", policy, 2), None))


def _with_tables(
    rewards: ArrayLike, actions: ArrayLike, propensities: ArrayLike, both: Tables
) -> ModelledLog:
    earned, logged = _column("rewards", rewards), _column("propensities", propensities)
    done = np.asarray(actions)
    if done.ndim != 1 or not np.issubdtype(done.dtype, np.integer):
        check_whole("actions", actions, 0, None)
    check_lengths(rewards=earned, actions=done, propensities=logged, policy=both.policy)
    return ModelledLog(earned, done.astype(np.intp, copy=False), logged, both)


def tables(policy: ArrayLike, reward_model: ArrayLike) -> Tables:
    """Return the tables of a policy and a model of one shape."""
    chances, expected = _column("policy", policy, 2), _column("reward_model", reward_model, 2)
    if chances.shape != expected.shape:
        raise ValueError(
            f"policy has shape {chances.shape} and reward_model {expected.shape}; both need one "
            "row per round and one column per action"
        )
    return Tables(chances, expected)


def probabilities_of_what_happened(values: FloatArray) -> bool:
    """Whether all numbers are above 0 and at most 1."""
    return between_zero_and_one(values) and bool(values.min() > 0)


def _column(name: str, values: Any, axes: int = 1) -> FloatArray:
    """Return floats of so many axes, whose numbers are still to be checked."""
    given = np.asarray(values)
    if given.dtype == np.float64 and given.ndim == axes and given.size:
        return given
    return check_numbers(name, values, axes)
