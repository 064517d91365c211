"""Probabilities of every event by a calibration that was not fitted on it."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
from numpy.typing import ArrayLike

from recsys_metrics._core.checks import check_count, generator
from recsys_metrics._core.inputs.arrays import FloatArray
from recsys_metrics._core.inputs.columns import check_same_rows, check_zero_one
from recsys_metrics.calibration._calibrator import Calibrator
from recsys_metrics.calibration._checks import check_scores, units_of
from recsys_metrics.calibration._split import refuse_test_part


def cross_fit(
    calibrator: Calibrator,
    scores: ArrayLike,
    labels: ArrayLike,
    *,
    n_folds: int = 5,
    users: ArrayLike | None = None,
    seed: int | np.random.Generator = 0,
) -> FloatArray:
    """How likely is each event, by a calibration that did not learn from it?

    Parameters
    ----------
    calibrator : Calibrator
        Any calibration of this module; it is copied, and stays as it is.
    scores : (n,) array of float
        What a frozen model predicted for events that it was not trained on.
    labels : (n,) array of 0 and 1
        The observed outcomes.
    n_folds : int
        2 or more. Each fold gets its probabilities from a calibration fitted on all others.
    users : (n,) array, optional
        Whose event each is. A user's events then share a fold.
    seed : int or numpy.random.Generator
        Deals the events, or the users, out to the folds.

    Returns
    -------
    (n,) array
        Probabilities in the order of the scores.

    Raises
    ------
    ValueError
        If there are fewer events, or users, than folds, or `fit` refuses what is left without
        one fold: all its labels are alike, say.

    Notes
    -----
    Where labels are few, a split wastes half of them; here every event calibrates and every
    event tests. The folds have maps of their own, so the order of two events of different folds
    can change. To calibrate new events, fit once more on everything.

    References
    ----------
    Platt (1999), Probabilistic outputs for support vector machines, in Advances in Large Margin
    Classifiers. Zadrozny and Elkan (2002), Transforming classifier scores into accurate
    multiclass probability estimates, KDD.

    Examples
    --------
    >>> from recsys_metrics.calibration import HistogramBinning, cross_fit
    >>> labels = [0, 0, 1, 0, 1, 1, 0, 1]
    >>> cross_fit(HistogramBinning(n_bins=2), [0.2] * 4 + [0.8] * 4, labels, n_folds=4).shape
    (8,)
    """
    refuse_test_part(scores, labels)
    given, happened = check_scores(scores), check_zero_one("labels", labels)
    check_same_rows(scores=scores, labels=labels, users=users)
    if isinstance(calibrator, type):
        raise TypeError(f"calibrator is a class; pass {calibrator.__name__}()")
    if not hasattr(calibrator, "fit"):
        raise TypeError(f"calibrator must have fit and predict; got {type(calibrator).__name__}")
    folds = check_count("n_folds", n_folds, 2)
    units, n_units, what = units_of(given, users)
    if n_units < folds:
        raise ValueError(f"{n_units} {what} cannot be dealt out to {folds} folds; take fewer folds")
    fold_of_unit = np.empty(n_units, dtype=np.intp)
    fold_of_unit[generator(seed).permutation(n_units)] = np.arange(n_units) % folds
    fold = fold_of_unit[units]
    probabilities = np.empty(len(given))
    for number in range(folds):
        left_out = fold == number
        fitted = deepcopy(calibrator).fit(given[~left_out], happened[~left_out])
        probabilities[left_out] = fitted.predict(given[left_out])
    return probabilities
