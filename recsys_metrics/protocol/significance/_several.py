"""Comparisons of several recommenders: wins and losses, Tukey, Friedman."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import factorial, prod
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.arithmetic import ROUNDING, exponent_of, rounding_of
from recsys_metrics._core.checks import (
    LARGEST_SQUARED,
    MOST_REPEATS,
    check_at_least,
    check_choice,
    check_count,
    check_level,
    first_true,
    generator,
)
from recsys_metrics._core.inputs.arrays import FloatArray, MatchedValues, as_columns_of_scores
from recsys_metrics._core.inputs.frames import refuse_other_labels
from recsys_metrics.protocol._checks import Missing, paired_values
from recsys_metrics.protocol.significance._results import Interval, Significance


@dataclass(frozen=True)
class WinTieLoss:
    """How many cases b wins, ties and loses.

    Attributes
    ----------
    wins, ties, losses : int
        Cases in which b is above a, as good, and below.

    Examples
    --------
    >>> from recsys_metrics.protocol.significance import win_tie_loss
    >>> print(win_tie_loss([0.3, 0.2, 0.5], [0.4, 0.2, 0.8]))
    2 wins, 1 tie, 0 losses of 3
    """

    wins: int
    ties: int
    losses: int

    @property
    def n(self) -> int:
        """How many cases there are."""
        return self.wins + self.ties + self.losses

    @property
    def share(self) -> float:
        """Share of the cases that b wins, a tie counting one half."""
        return (self.wins + self.ties / 2) / self.n

    def __str__(self) -> str:
        def some(count: int, one: str, more: str) -> str:
            return f"{count} {one if count == 1 else more}"

        won, lost = some(self.wins, "win", "wins"), some(self.losses, "loss", "losses")
        return f"{won}, {some(self.ties, 'tie', 'ties')}, {lost} of {self.n}"


@dataclass(frozen=True)
class PairOfSeveral:
    """Two of several recommenders, compared as if all pairs were one test.

    Attributes
    ----------
    a, b
        Their names.
    p_value : float
        How often any pair would look as different as this one, if none were.
    interval : Interval
        Of the mean gain of b over a; all intervals hold at once.

    Examples
    --------
    >>> from recsys_metrics.protocol.significance import tukey_hsd
    >>> values = {"old": [0.3, 0.4, 0.5, 0.2], "new": [0.5, 0.6, 0.8, 0.4]}
    >>> (pair,) = tukey_hsd(values)
    >>> pair.a, pair.b, round(pair.interval.estimate, 3), round(pair.p_value, 4)
    ('old', 'new', 0.225, 0.0029)
    """

    a: Hashable
    b: Hashable
    p_value: float
    interval: Interval


def win_tie_loss(
    a: MatchedValues, b: MatchedValues, *, within: float = 0.0, missing: Missing = "raise"
) -> WinTieLoss:
    """For how many users is b better than a, and for how many worse?

    Parameters
    ----------
    a, b : (n,) array of float, or mapping from user to value
        The old and the new recommender's values for the same users, in the same order.
    within : float
        Values that are no further apart than this are a tie.
    missing : {"raise", "omit"}
        What to do with pairs in which a value is NaN.

    Returns
    -------
    WinTieLoss
        `sign_test` says whether chance could have done it.

    Raises
    ------
    TypeError, ValueError
        If lengths differ, there is no pair, a value is not finite, or `within` is negative.

    Examples
    --------
    >>> from recsys_metrics.protocol.significance import win_tie_loss
    >>> win_tie_loss([0.3, 0.2, 0.5], [0.4, 0.2, 0.8], within=0.2)
    WinTieLoss(wins=1, ties=2, losses=0)
    """
    within = check_at_least("within", within, 0)
    old, new = paired_values(a, b, least=1, missing=missing)
    with np.errstate(over="ignore"):  # an infinite difference is one, too
        gains = new - old
    # A difference that rounding left between equal values is none.
    margin = within + rounding_of(np.concatenate([old, new]))
    wins, losses = int((gains > margin).sum()), int((gains < -margin).sum())
    return WinTieLoss(wins, len(gains) - wins - losses, losses)


def tukey_hsd(
    values: Mapping[Hashable, ArrayLike], *, level: float = 0.95, missing: Missing = "raise"
) -> list[PairOfSeveral]:
    r"""Which of several recommenders differ, if every pair is compared?

    Parameters
    ----------
    values : mapping of name to (n,) array of float
        Each recommender's values for the same users, in the same order; two recommenders or
        more, and two users or more.
    level : float
        Confidence that all intervals hold their differences.
    missing : {"raise", "omit"}
        What to do with users for whom a value is NaN.

    Returns
    -------
    list of PairOfSeveral
        Every pair, in the order of the names.

    Raises
    ------
    TypeError, ValueError
        If there are too few recommenders or users, lengths differ, a value is not finite, or
        nothing varies but by recommender and user, so that there is no variation to compare with.

    Notes
    -----
    Tukey's honestly significant difference with users as blocks: the difference of two means is
    compared with the range that m means would have by chance,

    .. math:: q = \frac{|\bar x_a - \bar x_b|}{\sqrt{s^2 / n}}

    where s² is what is left of the variance after users and recommenders have explained theirs,
    with (m - 1)(n - 1) degrees of freedom. With two recommenders it is the paired t test.

    References
    ----------
    Tukey (1949), Comparing individual means in the analysis of variance, Biometrics 5(2).
    Carterette (2012), Multiple testing in statistical analysis of systems-based information
    retrieval experiments, ACM TOIS 30(1).

    Examples
    --------
    >>> from recsys_metrics.protocol.significance import tukey_hsd
    >>> runs = {"A": [0.3, 0.5, 0.4, 0.6], "B": [0.4, 0.6, 0.5, 0.9], "C": [0.3, 0.6, 0.3, 0.7]}
    >>> [(pair.a, pair.b, round(pair.p_value, 3)) for pair in tukey_hsd(runs)]
    [('A', 'B', 0.049), ('A', 'C', 0.867), ('B', 'C', 0.093)]
    """
    from scipy.stats import studentized_range

    level = check_level(level)
    names, table = _as_table(values, missing)
    n_users, n_systems = table.shape
    means = table.mean(axis=0)
    left = table - means - table.mean(axis=1, keepdims=True) + table.mean()
    freedom = (n_systems - 1) * (n_users - 1)
    error = float(np.sqrt((left**2).sum() / freedom / n_users))
    if error <= ROUNDING * float(np.abs(table).max()):
        raise ValueError(
            "the differences between the recommenders are the same for every user, so there is "
            "no variation to compare them with"
        )
    critical = float(studentized_range.ppf(level, n_systems, freedom))
    pairs = []
    for first, second in combinations(range(n_systems), 2):
        gain = float(means[second] - means[first])
        p_value = float(studentized_range.sf(abs(gain) / error, n_systems, freedom))
        reach = critical * error
        interval = Interval(gain, gain - reach, gain + reach, level=level, n=n_users)
        pairs.append(PairOfSeveral(names[first], names[second], p_value, interval))
    return pairs


def friedman(
    values: Mapping[Hashable, ArrayLike],
    *,
    method: Literal["F", "chi-square", "randomization"] = "F",
    n_samples: int = 2000,
    seed: int | np.random.Generator = 0,
    missing: Missing = "raise",
) -> Significance:
    r"""Is any of several recommenders different, before pairs are compared?

    Parameters
    ----------
    values : mapping of name to (n,) array of float
        As in `tukey_hsd`.
    method : {"F", "chi-square", "randomization"}
        Where the p-value comes from: Iman and Davenport's F, which Demšar recommends because the
        chi-square finds too little; Friedman's own chi-square; or the same statistic over users
        whose values are handed to recommenders at random, which needs no distribution and not
        many users.
    n_samples : int
        How often they are handed out.
    seed : int or numpy.random.Generator
        For that.
    missing : {"raise", "omit"}
        What to do with users for whom a value is NaN.

    Returns
    -------
    Significance
        `.statistic` is the F, or the chi-square; `.gain` is by how many ranks the mean rank of
        the best is above that of the worst; `.n` counts the users for whom not all values tie.

    Raises
    ------
    TypeError, ValueError
        If there are too few recommenders or users, lengths differ, or a value is not finite.

    Notes
    -----
    Each user ranks the m recommenders, ties sharing the mean of their ranks r:

    .. math:: \chi^2_F = \frac{\sum_j \bigl(\sum_u r_{uj} - n (m + 1) / 2\bigr)^2}
                            {\sum_{u,j} (r_{uj} - (m + 1) / 2)^2 / (m - 1)},
              \qquad F_F = \frac{(n - 1) \chi^2_F}{n (m - 1) - \chi^2_F}

    with m - 1 and (m - 1)(n - 1) degrees of freedom. Where all n users agree on the order, F is
    infinite, and the p-value is the chance that they do. It asks who is ahead more often, not
    whose mean is higher.

    References
    ----------
    Friedman (1937), The use of ranks to avoid the assumption of normality implicit in the
    analysis of variance, JASA 32. Iman and Davenport (1980), Approximations of the critical
    region of the Friedman statistic, Communications in Statistics 9(6). Demšar (2006),
    Statistical comparisons of classifiers over multiple data sets, JMLR 7.

    Examples
    --------
    >>> from recsys_metrics.protocol.significance import friedman
    >>> runs = {"A": [0.3, 0.5, 0.4, 0.6], "B": [0.4, 0.6, 0.5, 0.9], "C": [0.3, 0.6, 0.3, 0.7]}
    >>> test = friedman(runs, method="chi-square")
    >>> round(test.statistic, 3), round(test.p_value, 3)
    (5.571, 0.062)
    """
    from scipy.stats import chi2, f, rankdata

    check_choice("method", method, Literal["F", "chi-square", "randomization"])
    n_samples, rng = check_count("n_samples", n_samples, most=MOST_REPEATS), generator(seed)
    _, table = _as_table(values, missing)
    # A difference that rounding left between equal values is none.
    ranks = rankdata(np.round(_in_units(table), 12), axis=1)
    n, m = ranks.shape
    spread = float(((ranks - (m + 1) / 2) ** 2).sum()) / (m - 1)
    means = ranks.mean(axis=0)
    gain = float(means.max() - means.min())
    decided = int((ranks != (m + 1) / 2).any(axis=1).sum())
    if not spread:
        return Significance(0.0, 1.0, gain, decided)
    statistic = _friedman(ranks, spread)
    if method == "randomization":
        drawn = (_friedman(rng.permuted(ranks, axis=1), spread) for _ in range(n_samples))
        # The same sums in another order differ in the last digits.
        as_extreme = sum(value >= statistic * (1 - 1e-12) for value in drawn)
        return Significance(statistic, (as_extreme + 1) / (n_samples + 1), gain, decided)
    if method == "chi-square":
        return Significance(statistic, float(chi2.sf(statistic, m - 1)), gain, decided)
    left = n * (m - 1) - statistic
    if left < 1e-9 * n:
        tied = Counter(ranks[0].tolist()).values()
        orders = factorial(m) / prod(map(factorial, tied))
        return Significance(np.inf, float(orders ** (1 - n)), gain, decided)
    ratio = float((n - 1) * statistic / left)
    return Significance(ratio, float(f.sf(ratio, m - 1, (m - 1) * (n - 1))), gain, decided)


def _in_units(table: FloatArray) -> FloatArray:
    """Return numbers that are all much smaller than 1 as some of about 1."""
    exponent = exponent_of(table)
    return table if exponent >= 0 else np.ldexp(table, -exponent)


def _friedman(ranks: FloatArray, spread: float) -> float:
    """Return Friedman's statistic of ranks, whose variance is what ties left of it."""
    n, m = ranks.shape
    return float(((ranks.sum(axis=0) - n * (m + 1) / 2) ** 2).sum() / spread)


def _as_table(
    values: Mapping[Hashable, ArrayLike], missing: Missing
) -> tuple[list[Hashable], FloatArray]:
    """Return the names and a users x recommenders table of finite numbers."""
    check_choice("missing", missing, Missing)
    if not isinstance(values, Mapping) or len(values) < 2:
        raise ValueError(
            "values maps the name of each recommender to its values, two recommenders or more"
        )
    given = {f"values[{name!r}]": column for name, column in values.items()}
    refuse_other_labels(**given)
    columns = dict(zip(values, as_columns_of_scores(given), strict=True))
    shapes = {column.shape for column in columns.values()}
    if len(shapes) > 1 or len(next(iter(shapes))) != 1:
        listed = ", ".join(f"{name!r} {column.shape}" for name, column in columns.items())
        raise ValueError(f"each recommender has one value per user; got shapes {listed}")
    table = np.column_stack(list(columns.values()))
    if missing == "omit":
        table = table[~np.isnan(table).any(axis=1)]
    if at := first_true(~(np.abs(table) <= LARGEST_SQUARED)):
        user, column = at
        value = table[user, column]
        words = ", not a finite number"
        if np.isnan(value):
            words += "; pass missing='omit' to leave users without a value out"
        elif np.isfinite(value):
            words = ", too large to square; divide all values by one number first"
        raise ValueError(f"value {user} of {list(columns)[column]!r} is {value}{words}")
    if 0 < np.abs(table).max(initial=0.0) < 1 / LARGEST_SQUARED:
        raise ValueError(
            f"all values are below {1 / LARGEST_SQUARED:g}, too small to square; multiply all "
            "values by one number first"
        )
    if len(table) < 2:
        raise ValueError(f"{len(table)} users are too few to know how much they vary; two at least")
    return list(columns), table
