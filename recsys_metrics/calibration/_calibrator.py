"""What all calibrators share: fit on one part, predict on another, refuse the test part."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.checks import refuse
from recsys_metrics._core.inputs.arrays import BoolArray, FloatArray
from recsys_metrics._core.inputs.columns import check_same_rows, check_zero_one
from recsys_metrics.calibration._checks import check_both_classes, check_probabilities, check_scores
from recsys_metrics.calibration._split import refuse_test_part

# So many rows show what most data show.
_FIRST = 2**16

On = Literal["scores", "log-odds"]


class Calibrator(ABC):
    """A map from scores to probabilities that is learned from labels."""

    _fitted = False

    def fit(self, scores: ArrayLike, labels: ArrayLike) -> Self:
        """Learn the map from events whose outcome is known.

        Parameters
        ----------
        scores : (n,) array of float
            What the frozen model predicted.
        labels : (n,) array of 0 and 1
            The observed outcomes.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If the scores were set aside for testing by `calibration_split`, a score is not
            finite, a label is neither 0 nor 1, lengths differ, all labels are alike, or the
            labels leave the map undetermined (the message says how).
        """
        refuse_test_part(scores, labels)
        given, happened = self._read(scores), check_zero_one("labels", labels)
        check_same_rows(scores=scores, labels=labels)
        check_both_classes(happened)
        self._learn(given, happened)
        self._fitted = True
        return self

    def predict(self, scores: ArrayLike) -> FloatArray:
        """Return the probability that belongs to each score.

        Parameters
        ----------
        scores : (n,) array of float
            What the frozen model says of new events.

        Returns
        -------
        (n,) array
            Probabilities between 0 and 1.

        Raises
        ------
        RuntimeError
            If nothing was learned yet.
        ValueError
            If a score is not finite, or no probability where probabilities are expected.
        """
        if not self._fitted:
            raise RuntimeError(
                f"{type(self).__name__} is not fitted yet; call fit(scores, labels) first"
            )
        return self._apply(self._read(scores))

    def _read(self, scores: ArrayLike) -> FloatArray:
        return check_scores(scores)

    @abstractmethod
    def _learn(self, scores: FloatArray, happened: BoolArray) -> None:
        """Keep what the map needs."""

    @abstractmethod
    def _apply(self, scores: FloatArray) -> FloatArray:
        """Return the probabilities of checked scores."""


class LogOddsCalibrator(Calibrator):
    """A calibration that is a straight line in scores or in log-odds."""

    on: On

    def _read(self, scores: ArrayLike) -> FloatArray:
        if self.on == "scores":
            return check_scores(scores)
        return check_probabilities("scores", scores)

    def _line(self, scores: FloatArray) -> FloatArray:
        return scores if self.on == "scores" else log_odds(scores)


def log_odds(probabilities: FloatArray) -> FloatArray:
    """Return ln(p / (1 - p)); plus or minus infinity for 1 and 0."""
    with np.errstate(divide="ignore"):
        odds: FloatArray = np.log(probabilities) - np.log1p(-probabilities)
    return odds


def check_inside(probabilities: FloatArray) -> None:
    """Raise if a probability to fit on is 0 or 1, whose log-odds are infinite."""
    refuse(
        (probabilities == 0) | (probabilities == 1),
        "scores",
        probabilities,
        "; its log-odds are infinite; move such values inside first, with "
        "numpy.clip(scores, 1e-6, 1 - 1e-6) for instance",
    )


def sigmoid(eta: FloatArray) -> FloatArray:
    """Return 1 / (1 + exp(-eta)), without overflow."""
    small = np.exp(-np.abs(eta))
    chance: FloatArray = np.where(eta >= 0, 1.0, small) / (1.0 + small)
    return chance


def multiply_finite(slope: float, values: FloatArray) -> FloatArray:
    """Return the product, with 0 for a slope of 0 even where a value is infinite."""
    return np.zeros_like(values) if slope == 0 else slope * values


def _overlap(scores: FloatArray, happened: BoolArray) -> bool:
    """Whether no threshold splits the labels."""
    hits, misses = scores[happened], scores[~happened]
    if not (hits.size and misses.size):
        return False
    return bool(misses.max() > hits.min() and hits.max() > misses.min())


def check_overlap(scores: FloatArray, happened: BoolArray, remedy: str) -> None:
    """Raise if a threshold splits the labels, so that the steepest curve would be likeliest."""
    # Where the first of many rows overlap, all of them do.
    if len(scores) > 2 * _FIRST and _overlap(scores[:_FIRST], happened[:_FIRST]):
        return
    hits, misses = scores[happened], scores[~happened]
    rising = misses.max() <= hits.min()
    if rising or hits.max() <= misses.min():
        edge = float(misses.max() if rising else hits.max())
        above = 1 if rising else 0
        raise ValueError(
            f"a threshold at {edge:g} splits the labels: every score above it has label {above}, "
            f"every score below it label {1 - above}. The likelihood grows with the slope, "
            f"so there is no best one. {remedy}"
        )
