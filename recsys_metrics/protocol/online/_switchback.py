"""Switchback experiments: one treatment for the whole market, switched over time."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.arithmetic import divide
from recsys_metrics._core.checks import check_count
from recsys_metrics._core.inputs.arrays import BoolArray, as_labels
from recsys_metrics._core.inputs.columns import check_zero_one, number_labels
from recsys_metrics._core.inputs.frames import refuse_other_labels
from recsys_metrics.protocol._checks import Alternative, sample
from recsys_metrics.protocol.online._experiment import Experiment, ab_test

# Fewer runs by so many standard deviations are no accident (p = 0.001).
_FEW_RUNS = 3.1


def switchback_test(
    values: ArrayLike,
    treated: ArrayLike,
    *,
    blocks: ArrayLike | None = None,
    washout: int = 0,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
    shares: tuple[float, float] = (1.0, 1.0),
) -> Experiment:
    r"""Is the market better off while the treatment is on?

    For treatments that reach users who do not have them: a shared stock of rooms, drivers or
    slots, prices, a feed of what others like. All users get the same at a time.

    Parameters
    ----------
    values : (t,) array of float
        The measure of each period, in their order.
    treated : (t,) array of 0 and 1
        Whether the treatment was on.
    blocks : (t,) array, optional
        Which block each period belongs to: what a coin was thrown for. By default each period is
        a block of its own.
    washout : int
        How many periods to leave out at the beginning of each block that follows one with the
        other recommender: as long as what was done before still works.
    alternative : {"two-sided", "greater", "less"}
        Which direction of the gain speaks against chance.
    level : float
        Confidence of the interval, which is two-sided.
    shares : (float, float)
        With which chances a block was meant to be without and with the treatment.

    Returns
    -------
    Experiment
        As of `ab_test`, with a block as what was drawn.

    Raises
    ------
    TypeError, ValueError
        If the columns differ in length, a block is treated in part, or fewer than two blocks
        without or with the treatment are left.

    Notes
    -----
    Welch's t-test of the blocks' means. It is valid if each block was assigned independently, and
    if the washout is as long as any effect lasts; without a washout, what is carried over makes the
    gain look smaller. If the treatment stays on or off for many periods and no `blocks` are given,
    periods that depend on each other are counted as independent, and there is a warning: with
    weekly switches and an autocorrelation of 0.5 from day to day, 22% of the tests of two equal
    recommenders would be significant at 5%.

    References
    ----------
    Bojinov, Simchi-Levi and Zhao (2023), Design and analysis of switchback experiments,
    Management Science 69(7).

    Examples
    --------
    The first period of each block still has half of the block before:

    >>> from recsys_metrics.protocol.online import switchback_test
    >>> values = [10, 10, 11, 12, 11, 10.1, 11, 12.1]
    >>> treated = [0, 0, 1, 1, 0, 0, 1, 1]
    >>> when = dict(blocks=["mo", "mo", "tu", "tu", "we", "we", "th", "th"])
    >>> round(switchback_test(values, treated, **when).gain.gain, 2)
    1.25
    >>> round(switchback_test(values, treated, **when, washout=1).gain.gain, 2)
    2.0
    """
    refuse_other_labels(values=values, treated=treated, blocks=blocks)
    numbers = sample("values", values, source="live")
    on = check_zero_one("treated", treated)
    given = np.arange(len(numbers)) if blocks is None else as_labels(blocks, "blocks")
    skipped = check_count("washout", washout, 0)
    for name, column in (("treated", on), ("blocks", given)):
        if column.shape != numbers.shape:
            raise ValueError(
                f"{name} says one thing of each of the {len(numbers)} periods; got the shape "
                f"{column.shape}"
            )
    names, block = number_labels("blocks", given, ", which is no block")
    size = np.bincount(block)
    treatment = np.bincount(block, on) / size
    if ((treatment > 0) & (treatment < 1)).any():
        odd = names.tolist()[((treatment > 0) & (treatment < 1)).argmax()]
        raise ValueError(
            f"block {odd!r} is treated in some periods and not in others; a block is what one "
            "coin was thrown for"
        )
    if blocks is None:
        _warn_of_long_runs(on)
    kept = _is_after_washout(on, skipped)
    left = np.bincount(block[kept], minlength=len(size))
    mean = divide(np.bincount(block[kept], numbers[kept], len(size)), left)[left > 0]
    with_it = treatment[left > 0] == 1
    return ab_test(
        mean[~with_it],
        mean[with_it],
        outcome="amounts",
        alternative=alternative,
        level=level,
        shares=shares,
    )


def _warn_of_long_runs(on: BoolArray) -> None:
    """Warn where the treatment switches far less often than single periods at random would."""
    n, treated = len(on), int(on.sum())
    other = n - treated
    expected = 1 + 2 * treated * other / n
    # Wald and Wolfowitz's number of runs.
    variance = (expected - 1) * (expected - 2) / (n - 1)
    runs = 1 + int(np.count_nonzero(np.diff(on.astype(np.int8))))
    if variance > 0 and runs < expected - _FEW_RUNS * np.sqrt(variance):
        warnings.warn(
            f"the treatment stays on or off for {n / runs:.1f} periods on average, longer than if "
            "each period had been assigned independently; periods of one run are not independent, "
            "so the confidence interval is too narrow. Pass blocks=, the unit that was assigned",
            stacklevel=3,
        )


def _is_after_washout(on: BoolArray, washout: int) -> BoolArray:
    """Return which periods are not too soon after a switch."""
    periods = np.arange(len(on))
    switched = np.flatnonzero(np.diff(on.astype(np.int8), prepend=np.int8(on[0])))
    last = np.full(len(on), -washout - 1)
    last[switched] = switched
    kept: BoolArray = periods - np.maximum.accumulate(last) >= washout
    return kept
