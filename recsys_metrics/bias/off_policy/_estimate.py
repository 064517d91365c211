"""An off-policy estimate: its value, standard error and interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.arithmetic import divide
from recsys_metrics._core.blocks import row_blocks
from recsys_metrics._core.checks import (
    check_choice,
    check_level,
    check_resamples,
    generator,
    is_one_of,
)
from recsys_metrics._core.confidence_intervals import normal_quantile
from recsys_metrics._core.inputs.arrays import FloatArray
from recsys_metrics.bias.off_policy._by_user import Users, UserSums, number_users
from recsys_metrics.bias.off_policy._formulas import (
    ESTIMATORS,
    Estimator,
    Terms,
    is_absent,
    value_of,
)
from recsys_metrics.bias.off_policy._importance_weights import (
    few_rounds_warnings,
    mean_weight_interval,
    mean_weight_warnings,
)
from recsys_metrics.bias.off_policy._logs import Log
from recsys_metrics.bias.off_policy._sufficient_statistics import Rounds, read

Method = Literal["bootstrap", "normal"]

# Numbers drawn at once: resamples come in blocks of bounded memory.
_DRAWN_AT_ONCE = 2**21


# A policy may put so much of its probability on actions that a log of this size happens to lack.
_UNSUPPORTED = 0.01


class Spread(NamedTuple):
    """The spread of an estimate whose rounds stay elsewhere."""

    standard_error: float
    effective_sample_size: float
    mean_weight: tuple[float, float] | None = None
    unsupported: float = 0.0


@dataclass(frozen=True, eq=False, repr=False)
class Estimate:
    """What a target policy would have earned per round, from the log of a logging policy.

    The log's arrays are not copied. The intervals, the standard error and the effective sample
    size go back to them when asked for, so do not change the arrays in between.

    Attributes
    ----------
    name : str
        Of the estimator.
    value : float
        In the unit of the rewards, per round.
    n : int
        Rounds in the log.
    n_users : int or None
        Whose rounds they are; None if no users were given, so that rounds count as independent.

    Examples
    --------
    >>> from recsys_metrics.bias.off_policy import snips
    >>> estimate = snips([1, 0, 1, 1], [0.5, 0.25, 0.1, 0.25], [0.6, 0.2, 0.6, 0.2])
    >>> round(estimate.value, 3), round(estimate.effective_sample_size, 2)
    (0.909, 2.0)
    >>> low, high = estimate.interval()
    >>> bool(low <= estimate.value <= high)
    True
    """

    name: str
    value: float
    n: int
    _spread: Rounds | Spread
    _users: Users | UserSums | None = None

    @property
    def n_users(self) -> int | None:
        """How many users the rounds are of; None if no users were given."""
        if self._users is None:
            return None
        return self._users.n if isinstance(self._users, Users) else len(self._users.rounds)

    @cached_property
    def _by_user(self) -> UserSums | None:
        if isinstance(self._users, Users) and isinstance(self._spread, Rounds):
            return UserSums.of(self._spread.terms(), self._users)
        return self._users if isinstance(self._users, UserSums) else None

    @property
    def effective_sample_size(self) -> float:
        """The effective sample size (ESS) of the weighted rounds."""
        return self._spread.effective_sample_size

    @property
    def standard_error(self) -> float:
        r"""Of the value, by linearisation; NaN for a single round.

        Rounds of one user are not independent. If users were given, they are the clusters of

        .. math:: \mathrm{SE} = \sqrt{\frac{G}{G - 1} \sum_{g=1}^{G}
            \left(\frac{1}{n}\sum_{i \in g} \psi_i\right)^2}

        where :math:`G` is the number of users; :math:`n` is the number of rounds; :math:`\psi_i` is
        the influence of round :math:`i` on the value (Cameron and Miller, 2015).
        """
        by_user = self._by_user
        return self._spread.standard_error if by_user is None else by_user.standard_error

    @property
    def warnings(self) -> tuple[str, ...]:
        """Signs that the log cannot be used to evaluate the policy."""
        found = []
        if self._spread.unsupported > _UNSUPPORTED:
            found.append(
                f"The policy gives {self._spread.unsupported:.0%} of its probability to actions "
                "that the log never shows, so the log contains nothing about their "
                "rewards (no support)."
            )
        if self._spread.mean_weight is not None:
            mean, error = self._spread.mean_weight
            found += mean_weight_warnings(mean, *mean_weight_interval(mean, error))
        return (*found, *few_rounds_warnings(self.n, self.effective_sample_size))

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        of_users = "" if self.n_users is None else f" of {self.n_users:,} users"
        text = (
            f"{self.name} {self.value:.5g} ± {self.standard_error:.2g} (standard error) from "
            f"{self.n:,} rounds{of_users}, effective sample size {self.effective_sample_size:,.0f}"
        )
        return "\n".join([text, *self.warnings])

    def interval(
        self,
        level: float = 0.95,
        *,
        method: Method | None = None,
        n_resamples: int = 2000,
        seed: int | np.random.Generator = 0,
    ) -> tuple[float, float]:
        r"""Return the confidence interval of the value.

        Parameters
        ----------
        level : float
            Its confidence.
        method : {"bootstrap", "normal"}, optional
            Percentiles over resampled logs, where every resample computes the whole estimate
            again (a ratio with its own denominator, not a mean of terms already divided); or
            the value plus and minus standard errors. By default the bootstrap, and for a table,
            whose rounds stay in their engine, the normal interval.
        n_resamples : int
            How many logs are resampled; at least one for each tail of the interval, so 40 or
            more at 95%.
        seed : int or numpy.random.Generator
            Chooses them; one seed gives one interval, in whatever order the rounds come.

        Returns
        -------
        low, high : float

        Raises
        ------
        ValueError
            If there are fewer than two rounds, an argument is out of range, or a bootstrap is asked
            of a table without users.

        Notes
        -----
        An interval that takes the rounds of one user for independent is too narrow. If the estimate
        was given users, the rounds of a user stay together: users are resampled, or are the
        clusters of the standard error, and the interval generalises to other users.

        Both methods speak of the rounds that were logged. An action the log never shows, or a
        reward so rare that it did not come up, is not in them. With few rewards on large weights
        both are too narrow; the effective sample size tells.

        References
        ----------
        Cameron and Miller (2015), A practitioner's guide to cluster-robust inference, Journal of
        Human Resources 50(2).

        Examples
        --------
        >>> from recsys_metrics.bias.off_policy import ips
        >>> log = [1, 1, 0, 0, 1, 1, 0, 0], [0.5] * 8, [0.5] * 8
        >>> [round(end, 2) for end in ips(*log).interval(method="normal")]
        [0.13, 0.87]
        >>> of_users = ips(*log, users=list("aabbccdd"))
        >>> [round(end, 2) for end in of_users.interval(method="normal")]
        [-0.07, 1.07]
        """
        level = check_level(level)
        if method is None:
            method = "bootstrap" if isinstance(self._spread, Rounds) else "normal"
        check_choice("method", method, Method)
        if self.n < 2:
            raise ValueError(
                "one round has no standard error; a confidence interval needs at least two"
            )
        if method == "normal":
            half = normal_quantile(level) * self.standard_error
            return self.value - half, self.value + half
        by_user = self._by_user
        n_resamples = check_resamples(n_resamples, level)
        rng = generator(seed)
        if by_user is not None:
            values = by_user.resample(n_resamples, rng, _DRAWN_AT_ONCE)
        elif isinstance(self._spread, Rounds):
            values = _resample(self._spread.terms(), n_resamples, rng)
        else:
            raise ValueError(
                f"method {method!r} needs every round; over a table without users there is "
                "'normal', or collect the columns and use recsys_metrics.bias.off_policy"
            )
        # A resample in which no round has weight has no ratio.
        low, high = np.nanquantile(values, [(1 - level) / 2, (1 + level) / 2])
        return float(low), float(high)


def estimate(
    by: str, log: Log, limit: float | None = None, users: ArrayLike | None = None
) -> Estimate:
    """Return the estimate that an estimator makes of a log."""
    estimator = ESTIMATORS[by]
    if estimator.parameter is not None:
        estimator = estimator.with_limit(limit)
    return compute_estimates(log, [estimator], users)[0]


def select_weighted(
    names: Mapping[str, str], weights: str, **limits: float | None
) -> tuple[str, float | None]:
    """Return the estimator that has some weights, and their limit.

    Raises
    ------
    ValueError
        If there are no such weights, they lack their limit, or one was given that belongs to
        others.
    """
    if not is_one_of(weights, names):
        allowed = ", ".join(map(repr, names))
        raise ValueError(f"weights must be one of {allowed}; got {weights!r:.80}")
    parameter = ESTIMATORS[names[weights]].parameter
    for limit in limits:
        if limits[limit] is not None and (parameter is None or parameter.name != limit):
            of = [
                repr(kind)
                for kind, name in names.items()
                if (other := ESTIMATORS[name].parameter) and other.name == limit
            ]
            raise ValueError(
                f"{limit}= is for weights={' or '.join(of)}, and weights is {weights!r}"
            )
    if parameter is None:
        return names[weights], None
    if limits[parameter.name] is None:
        raise ValueError(f"weights={weights!r} needs {parameter.name}=, which {parameter.meaning}")
    return names[weights], limits[parameter.name]


def compute_estimates(
    log: Log, estimators: Sequence[Estimator], users: ArrayLike | None = None
) -> list[Estimate]:
    """Return the estimates of several from one reading."""
    of_users = None if users is None else number_users(users, log.n)
    return [
        Estimate(rounds.estimator.title, value_of(*rounds.means), log.n, rounds, of_users)
        for rounds in read(log, estimators)
    ]


def _resample(terms: Terms, n_resamples: int, rng: np.random.Generator) -> FloatArray:
    """Return the estimate on resampled logs.

    Equal rounds are pooled and put in order first. That makes the draw the same for every order
    of the rounds, and short where most rounds have no reward.
    """
    columns = {name: c for name, c in terms._asdict().items() if not is_absent(c)}
    columns.pop("weight", None)
    order = np.lexsort([*columns.values()])
    n = len(order)
    rounds = np.column_stack([column[order] for column in columns.values()])
    starts = np.flatnonzero(np.append(True, (rounds[1:] != rounds[:-1]).any(axis=1)))
    pooled = len(starts) <= n // 4
    chance = np.diff(np.append(starts, n)) / n
    rounds = rounds[starts] if pooled else rounds
    values = np.empty(n_resamples)
    for block in row_blocks(n_resamples, len(rounds), _DRAWN_AT_ONCE):
        size = block.stop - block.start
        if pooled:
            totals = [*(rng.multinomial(n, chance, size=size) @ rounds).T]
        else:
            drawn = rng.integers(0, n, size=(size, n))
            totals = [column[drawn].sum(axis=1) for column in rounds.T]
        resampled = Terms()._replace(**dict(zip(columns, totals, strict=True)))
        values[block] = resampled.base / n + divide(resampled.top, resampled.bottom)
    return values
