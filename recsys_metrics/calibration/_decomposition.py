"""Decomposition of a loss into miscalibration, discrimination and uncertainty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core.checks import check_choice
from recsys_metrics._core.colors import BLUE
from recsys_metrics._core.inputs.arrays import FloatArray
from recsys_metrics._core.plotting import draw_on_square, finish, plots
from recsys_metrics._core.sorted_arrays import factorize
from recsys_metrics.calibration._checks import check_events

Loss = Literal["brier", "log"]
Recalibration = Literal["isotonic", "rates"]


@dataclass(frozen=True, eq=False)
class ScoreDecomposition:
    """A loss in three parts: ``loss = miscalibration - discrimination + uncertainty``.

    Attributes
    ----------
    loss : float
        The mean loss of the probabilities.
    miscalibration : float
        What a recalibration takes off the loss; 0 for calibrated probabilities.
    discrimination : float
        What the recalibrated probabilities are better than the base rate for everyone; high is
        good, and 0 where they tell nothing apart.
    uncertainty : float
        The loss of the base rate for everyone; the model has no part in it.
    predicted : (m,) array
        The distinct probabilities, ascending.
    recalibrated : (m,) array
        The probability that each of them should have been.
    count : (m,) array of int
        How many events each was predicted for.

    Examples
    --------
    >>> from recsys_metrics.calibration import score_decomposition
    >>> parts = score_decomposition([0, 1, 0, 1], [0.2, 0.4, 0.6, 0.8])
    >>> parts.predicted, parts.recalibrated
    (array([0.2, 0.4, 0.6, 0.8]), array([0. , 0.5, 0.5, 1. ]))
    """

    loss: float
    miscalibration: float
    discrimination: float
    uncertainty: float
    predicted: FloatArray
    recalibrated: FloatArray
    count: NDArray[np.intp]

    @plots
    def plot(self, *, axes: Any = None) -> Any:
        """Draw the recalibrated against the predicted probabilities."""
        axes = draw_on_square(axes)
        axes.plot(self.predicted, self.recalibrated, "o-", color=BLUE, markersize=3)
        words = (
            f"miscalibration {self.miscalibration:.3g}, discrimination "
            f"{self.discrimination:.3g}, uncertainty {self.uncertainty:.3g}"
        )
        return finish(
            axes,
            title=f"Loss {self.loss:.3g}: {words}",
            x="predicted probability",
            y="recalibrated probability",
            alt=f"Recalibrated against predicted probabilities, with the diagonal; {words}",
        )


def score_decomposition(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    loss: Loss = "brier",
    recalibration: Recalibration = "isotonic",
) -> ScoreDecomposition:
    r"""How much of the loss is miscalibration, and how much does discrimination reduce it?

    Parameters
    ----------
    labels : (n,) array of 0 and 1
        The observed outcomes.
    probabilities : (n,) array of float
        The probability of a 1.
    loss : {"brier", "log"}
        Which loss is taken apart: `brier_score` or `log_loss`.
    recalibration : {"isotonic", "rates"}
        What each probability should have been: the best fit that never falls (CORP), or the rate
        of the events with exactly this probability (Murphy), which is for models with few
        distinct probabilities: where all differ it is the label itself.

    Returns
    -------
    ScoreDecomposition
        With `.loss`, `.miscalibration`, `.discrimination`, `.uncertainty`, and the points of the
        reliability diagram, `.predicted` and `.recalibrated`; `.plot()` draws it.

    Raises
    ------
    ValueError
        If a label is neither 0 nor 1, a probability is NaN or outside [0, 1], lengths differ,
        there is no event, or a convention has an unknown value.

    Notes
    -----
    .. math:: \bar S = \underbrace{\bar S - \bar S_c}_{\mathrm{MCB}} -
              \underbrace{(\bar S_r - \bar S_c)}_{\mathrm{DSC}} +
              \underbrace{\bar S_r}_{\mathrm{UNC}}

    with the mean loss :math:`\bar S` of the probabilities, :math:`\bar S_c` of the recalibrated
    ones and :math:`\bar S_r` of the base rate. No part is below 0. The isotonic fit needs no
    bins, so nothing about the diagram is a choice. For the Brier score and "rates" the parts are
    Murphy's reliability, resolution and uncertainty. All three are of these events: the fit is
    made on them, so miscalibration is above 0 for a perfect model too, as an ECE is.

    References
    ----------
    Dimitriadis, Gneiting and Jordan (2021), Stable reliability diagrams for probabilistic
    classifiers, PNAS 118(8). Murphy (1973), A new vector partition of the probability score,
    Journal of Applied Meteorology 12(4).

    Examples
    --------
    >>> from recsys_metrics.calibration import score_decomposition
    >>> labels = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    >>> parts = score_decomposition(labels, [0.8] * 5 + [0.2] * 5)
    >>> [round(part, 3) for part in (parts.loss, parts.miscalibration, parts.discrimination)]
    [0.22, 0.02, 0.04]
    >>> round(parts.uncertainty, 3)
    0.24
    """
    from scipy.optimize import isotonic_regression

    check_choice("loss", loss, Loss)
    check_choice("recalibration", recalibration, Recalibration)
    happened, said = check_events(labels, probabilities)
    predicted, which = factorize(said)
    count = np.bincount(which, minlength=len(predicted))
    rate = np.bincount(which, happened, len(predicted)) / count
    recalibrated = rate
    if recalibration == "isotonic":
        recalibrated = np.clip(isotonic_regression(rate, weights=count).x, 0.0, 1.0)
    base = np.full(len(rate), float((rate * count).sum() / count.sum()))
    share = count / count.sum()
    of_model, of_map, of_base = (
        float((share * _expected(loss, rate, each)).sum())
        for each in (predicted, recalibrated, base)
    )
    return ScoreDecomposition(
        loss=of_model,
        # The map is the best of its kind, so what is below 0 here is rounding.
        miscalibration=max(of_model - of_map, 0.0),
        discrimination=max(of_base - of_map, 0.0),
        uncertainty=of_base,
        predicted=predicted,
        recalibrated=recalibrated,
        count=count,
    )


def _expected(loss: Loss, rate: FloatArray, predicted: FloatArray) -> FloatArray:
    """Return the mean loss of each prediction where it comes true at this rate."""
    if loss == "brier":
        squares: FloatArray = rate * (1.0 - predicted) ** 2 + (1.0 - rate) * predicted**2
        return squares
    from scipy.special import xlog1py, xlogy

    surprise: FloatArray = -xlogy(rate, predicted) - xlog1py(1.0 - rate, -predicted)
    return surprise
