"""Histogram binning: a bin's score becomes the rate that was observed in it."""

from __future__ import annotations

import numpy as np

from recsys_metrics._core.checks import MOST_REPEATS, check_count
from recsys_metrics._core.inputs.arrays import BoolArray, FloatArray
from recsys_metrics._core.sorted_arrays import distinct
from recsys_metrics.calibration._calibrator import Calibrator


class HistogramBinning(Calibrator):
    r"""Which rate was observed among the events with about the same score?

    Parameters
    ----------
    n_bins : int
        How many bins of about as many events each.

    Attributes
    ----------
    edges_ : (m - 1,) array
        The highest score of each bin but the last.
    probabilities_ : (m,) array
        The rate in each bin.

    Notes
    -----
    Equal scores are never split over two bins, so there may be fewer bins than asked for.

    The rates need not rise with the score: unlike `IsotonicCalibration` it can turn the order of
    two events around, and AUC can fall. Within a bin all events get one probability.

    References
    ----------
    Zadrozny and Elkan (2001), Obtaining calibrated probability estimates from decision trees
    and naive Bayesian classifiers, ICML.

    Examples
    --------
    >>> from recsys_metrics.calibration import HistogramBinning
    >>> binning = HistogramBinning(n_bins=2).fit([0.1, 0.2, 0.6, 0.9], [0, 1, 1, 1])
    >>> binning.predict([0.0, 0.15, 0.7])
    array([0.5, 0.5, 1. ])
    """

    edges_: FloatArray
    probabilities_: FloatArray

    def __init__(self, *, n_bins: int = 10) -> None:
        self.n_bins = check_count("n_bins", n_bins, most=MOST_REPEATS)

    def __repr__(self) -> str:
        bins = f": {len(self.probabilities_)} bins" if self._fitted else ""
        return f"HistogramBinning(n_bins={self.n_bins}){bins}"

    def _learn(self, scores: FloatArray, happened: BoolArray) -> None:
        ordered = np.sort(scores)
        last = np.arange(1, self.n_bins) * len(scores) // self.n_bins - 1
        edges = distinct(ordered[last[last >= 0]])
        self.edges_ = edges[edges < ordered[-1]]
        which = np.searchsorted(self.edges_, scores)
        count = np.bincount(which)
        self.probabilities_ = np.bincount(which, weights=happened) / count

    def _apply(self, scores: FloatArray) -> FloatArray:
        return self.probabilities_[np.searchsorted(self.edges_, scores)]
