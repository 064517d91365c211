"""Reliability curves, and calibration errors over bins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core.blocks import over_blocks_with_scratch
from recsys_metrics._core.checks import (
    MOST_REPEATS,
    check_choice,
    check_count,
    check_flag,
    check_share,
)
from recsys_metrics._core.colors import BLUE
from recsys_metrics._core.confidence_intervals import of_proportion
from recsys_metrics._core.inputs.arrays import BoolArray, FloatArray
from recsys_metrics._core.plotting import draw_on_square, finish, plots
from recsys_metrics.calibration._checks import ROWS, check_events

Binning = Literal["equal-width", "equal-mass"]
Norm = Literal["l1", "l2", "max"]


@dataclass(frozen=True, eq=False)
class ReliabilityCurve:
    """Predicted against observed rate, one entry per bin with an event.

    Attributes
    ----------
    predicted : (b,) array
        Mean probability in the bin.
    observed : (b,) array
        Observed rate: the share of its events with label 1.
    count : (b,) array of int
        How many events it holds.
    lower, upper : (b,) array
        Binomial interval of the observed rate.
    left, right : (b,) array
        The bin holds probabilities above `left` up to and including `right`; the first bin
        includes its left end.
    level : float
        Confidence of the interval.

    Examples
    --------
    >>> from recsys_metrics.calibration import reliability_curve
    >>> curve = reliability_curve([1, 1, 1, 0, 0, 1, 0, 0, 0, 0], [0.8] * 5 + [0.2] * 5)
    >>> len(curve), curve.gap.round(2)
    (2, array([0. , 0.2]))
    """

    predicted: FloatArray
    observed: FloatArray
    count: NDArray[np.intp]
    lower: FloatArray
    upper: FloatArray
    left: FloatArray
    right: FloatArray
    level: float

    @property
    def gap(self) -> FloatArray:
        """Predicted minus observed: above 0 where the probabilities are too high."""
        difference: FloatArray = self.predicted - self.observed
        return difference

    @plots
    def plot(self, *, axes: Any = None) -> Any:
        """Draw observed against predicted rates, bin by bin."""
        axes = draw_on_square(axes)
        axes.vlines(self.predicted, self.lower, self.upper, color=BLUE, linewidth=2.5)
        axes.plot(self.predicted, self.observed, "o", color=BLUE)
        largest = int(np.abs(self.gap).argmax())
        words = (
            f"where {self.predicted[largest]:.2f} was predicted, {self.observed[largest]:.2f} "
            "was observed"
        )
        n = len(self)
        return finish(
            axes,
            title=f"Largest gap: {words}",
            x="mean predicted probability in the bin",
            y=f"observed rate, {100 * self.level:g}% CI",
            alt=f"Observed against predicted rates in {n} bins, with the diagonal; {words}",
        )

    def __len__(self) -> int:
        return len(self.count)


def reliability_curve(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    n_bins: int = 10,
    binning: Binning = "equal-width",
    level: float = 0.95,
) -> ReliabilityCurve:
    r"""Among events with the same predicted probability, what fraction was observed?

    Parameters
    ----------
    labels : (n,) array of 0 and 1
        The observed outcomes.
    probabilities : (n,) array of float
        The probability of a 1.
    n_bins : int
        How many bins; those without an event are left out.
    binning : {"equal-width", "equal-mass"}
        Bins that cut [0, 1] into equal parts, or at the quantiles of the probabilities, so
        that each holds about as many events. Equal probabilities always share a bin, so bins
        of equal mass can be fewer or uneven where many are tied.
    level : float
        Confidence of the interval of the observed rate (Clopper and Pearson's, as everywhere in
        the library: see `protocol.significance.proportion_interval`).

    Returns
    -------
    ReliabilityCurve
        With `.predicted`, `.observed`, `.count`, `.lower`, `.upper` and `.gap` per bin.

    Raises
    ------
    ValueError
        If a label is neither 0 nor 1, a probability is NaN or outside [0, 1], lengths differ,
        there is no event, or a convention has an unknown value.

    Notes
    -----
    A bin holds probabilities above its left edge and up to its right edge, as in
    `calibration_curve` of scikit-learn, whose "uniform" and "quantile" these are.

    References
    ----------
    Niculescu-Mizil and Caruana (2005), Predicting good probabilities with supervised learning,
    ICML. Clopper and Pearson (1934), The use of confidence or fiducial limits illustrated in the
    case of the binomial, Biometrika 26(4).

    Examples
    --------
    >>> from recsys_metrics.calibration import reliability_curve
    >>> labels = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    >>> curve = reliability_curve(labels, [0.8] * 5 + [0.2] * 5, n_bins=2)
    >>> curve.predicted.round(2), curve.observed, curve.count
    (array([0.2, 0.8]), array([0.2, 0.6]), array([5, 5]))
    >>> curve.lower.round(2), curve.upper.round(2)
    (array([0.01, 0.15]), array([0.72, 0.95]))
    """
    level = check_share("level", level, "a confidence")
    bins = _fill_bins(labels, probabilities, n_bins, binning)
    lower, upper = of_proportion(bins.hits, bins.count, level)
    return ReliabilityCurve(
        predicted=bins.predicted,
        observed=bins.observed,
        count=bins.count,
        lower=lower,
        upper=upper,
        left=bins.left,
        right=bins.right,
        level=float(level),
    )


@dataclass(frozen=True, eq=False)
class _Bins:
    """The bins that hold an event: what a curve has of them without their intervals."""

    count: NDArray[np.intp]
    hits: FloatArray
    predicted: FloatArray
    left: FloatArray
    right: FloatArray

    @property
    def observed(self) -> FloatArray:
        rate: FloatArray = self.hits / self.count
        return rate

    @property
    def gap(self) -> FloatArray:
        difference: FloatArray = self.predicted - self.observed
        return difference


def _fill_bins(labels: ArrayLike, probabilities: ArrayLike, n_bins: int, binning: Binning) -> _Bins:
    happened, said = check_events(labels, probabilities)
    n_bins = check_count("n_bins", n_bins, most=MOST_REPEATS)
    check_choice("binning", binning, Binning)
    edges = np.linspace(0.0, 1.0, n_bins + 1)
    if binning == "equal-mass":
        edges = np.quantile(said, edges)
    count, total, hits = _sum_bins(said, happened, edges, even=binning == "equal-width")
    used = np.flatnonzero(count)
    return _Bins(count[used], hits[used], total[used] / count[used], edges[used], edges[used + 1])


def expected_calibration_error(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    n_bins: int = 10,
    binning: Binning = "equal-width",
    norm: Norm = "l1",
    debias: bool = False,
) -> float:
    r"""How far are predicted and observed rates apart?

    Parameters
    ----------
    labels : (n,) array of 0 and 1
        The observed outcomes.
    probabilities : (n,) array of float
        The probability of a 1.
    n_bins, binning
        As in `reliability_curve`.
    norm : {"l1", "l2", "max"}
        How the gaps of the bins become one number: their mean, weighted by the events in each
        bin; the square root of the weighted mean of their squares; or the largest gap (the
        maximum calibration error).
    debias : bool
        Whether what chance alone adds is taken off, as far as it can be estimated; for "l1" and
        "l2". What falls below 0 is 0.

    Returns
    -------
    float
        Between 0 and 1; 0 where every bin's rate is the one predicted.

    Raises
    ------
    ValueError
        As in `reliability_curve`; with `debias` also if a bin holds one event, whose chance
        cannot be estimated, or if norm is "max".

    Notes
    -----
    .. math:: \mathrm{ECE} = \sum_b \frac{n_b}{n} \, |\bar p_b - \bar y_b|

    where :math:`\bar y_b` is the mean of :math:`y` in bin :math:`b`; :math:`\bar p_b` is the mean
    predicted probability in bin :math:`b`; :math:`n_b` is the number of cases in bin :math:`b`;
    :math:`n` is the number of cases.

    It depends on the bins, and it is above 0 for a perfect model too, because a rate observed
    on few events wanders: state `n_bins` and `binning` with the number. It says nothing of
    order: the base rate for everyone has an ECE of 0.

    `debias` with "l2" takes :math:`\bar y_b (1 - \bar y_b) / (n_b - 1)` off each squared gap. With
    "l1" it takes off how much larger the gaps would be on average if each observed rate were
    resampled from a normal distribution around it; the paper draws, here the mean of the
    folded normal is computed.

    References
    ----------
    Naeini, Cooper and Hauskrecht (2015), Obtaining well calibrated probabilities using
    Bayesian binning, AAAI. Guo et al. (2017), On calibration of modern neural networks, ICML.
    Kumar, Liang and Ma (2019), Verified uncertainty calibration, NeurIPS.

    Examples
    --------
    >>> from recsys_metrics.calibration import expected_calibration_error
    >>> labels = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    >>> round(expected_calibration_error(labels, [0.8] * 5 + [0.2] * 5), 3)
    0.1
    >>> expected_calibration_error(labels, [0.8] * 5 + [0.2] * 5, norm="l2", debias=True)
    0.0
    """
    check_choice("norm", norm, Norm)
    check_flag("debias", debias)
    if debias and norm == "max":
        raise ValueError("debias is for the norms 'l1' and 'l2'; the largest gap has no estimate")
    bins = _fill_bins(labels, probabilities, n_bins, binning)
    share = bins.count / bins.count.sum()
    gap = np.abs(bins.gap)
    if debias:
        return _debiased(bins, share, gap, norm)
    if norm == "max":
        return float(gap.max())
    if norm == "l2":
        return float(np.sqrt((share * gap**2).sum()))
    return float((share * gap).sum())


def average_calibration_error(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    n_bins: int = 10,
    binning: Binning = "equal-width",
) -> float:
    r"""How far are predicted and observed rates apart if every bin has the same weight?

    Parameters
    ----------
    labels, probabilities, n_bins, binning
        As in `reliability_curve`.

    Returns
    -------
    float
        Between 0 and 1; the mean over the bins that hold an event.

    Raises
    ------
    ValueError
        As in `reliability_curve`.

    Notes
    -----
    .. math:: \mathrm{ACE} = \operatorname{mean}_b \, |\bar p_b - \bar y_b|

    where :math:`\bar y_b` is the mean of :math:`y` in bin :math:`b`; :math:`\bar p_b` is the mean
    predicted probability in bin :math:`b`.

    netcal's ACE. A bin with one event counts as much as one with a thousand, so the number
    wanders; `expected_calibration_error` weighs the bins. With equal-mass bins both agree.

    References
    ----------
    Neumann, Zisserman and Vedaldi (2018), Relaxed softmax: efficient confidence
    auto-calibration for safe pedestrian detection, NeurIPS workshop.

    Examples
    --------
    >>> from recsys_metrics.calibration import average_calibration_error
    >>> round(average_calibration_error([1, 0, 0, 0], [0.9, 0.1, 0.1, 0.1]), 3)
    0.1
    """
    return float(np.abs(_fill_bins(labels, probabilities, n_bins, binning).gap).mean())


def _debiased(bins: _Bins, share: FloatArray, gap: FloatArray, norm: Norm) -> float:
    """Return the error without what chance is expected to add to it."""
    if bins.count.min() < 2:
        alone = int(bins.count.argmin())
        raise ValueError(
            f"the bin from {bins.left[alone]:g} to {bins.right[alone]:g} contains one event, and "
            "the contribution of chance there cannot be estimated; take fewer bins, or "
            "binning='equal-mass'"
        )
    variance = bins.observed * (1.0 - bins.observed)
    if norm == "l2":
        square = float((share * (gap**2 - variance / (bins.count - 1))).sum())
        return float(np.sqrt(max(square, 0.0)))
    from scipy.special import ndtr

    deviation = np.sqrt(variance / bins.count)
    # A bin in which all or none happened does not vary.
    distance = np.divide(gap, deviation, out=np.full(len(gap), np.inf), where=deviation > 0)
    density = np.exp(-(distance**2) / 2) * np.sqrt(2 / np.pi)
    again = deviation * density + gap * (1.0 - 2.0 * ndtr(-distance))
    return max(float((share * (2 * gap - again)).sum()), 0.0)


def _sum_bins(
    said: FloatArray, happened: BoolArray, edges: FloatArray, *, even: bool
) -> tuple[NDArray[np.intp], FloatArray, FloatArray]:
    """Return each bin's number of events, sum of probabilities and number of hits."""
    n_bins = len(edges) - 1

    def fill(rows: slice, scratch: FloatArray) -> tuple[FloatArray, NDArray[np.intp]]:
        part = said[rows]
        which = np.empty(len(part), dtype=np.intp)
        if even:
            _find_even_bins(part, edges, scratch, which)
        else:
            which[...] = np.searchsorted(edges[1:-1], part)
        total: FloatArray = np.bincount(which, part, n_bins).astype(np.float64, copy=False)
        # Hits in a second row of bins: one count does for both.
        which += np.multiply(happened[rows], n_bins, dtype=np.intp)
        return total, np.bincount(which, minlength=2 * n_bins).reshape(2, n_bins)

    total, count = np.zeros(n_bins), np.zeros((2, n_bins), dtype=np.intp)
    for totals, counts in over_blocks_with_scratch(fill, len(said), 1, ROWS, n_buffers=2):
        total += totals
        count += counts
    return count.sum(axis=0), total, count[1].astype(np.float64)


def _find_even_bins(
    part: FloatArray, edges: FloatArray, scratch: FloatArray, which: NDArray[np.intp]
) -> None:
    """Write `searchsorted(edges[1:-1], part)` for edges that are equally far apart."""
    scaled, whole = scratch[:2]
    np.multiply(part, len(edges) - 1, out=scaled)
    np.copyto(which, scaled, casting="unsafe")
    # Only next to an edge can rounding, or who owns the edge, make a difference.
    scaled -= np.rint(scaled, out=whole)
    near = np.flatnonzero(np.abs(scaled, out=scaled) < 1e-9 * len(edges))
    which[near] = np.searchsorted(edges[1:-1], part[near])
