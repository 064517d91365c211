"""Split labelled scores into a part to calibrate on and a part to test on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core.checks import check_share, generator
from recsys_metrics._core.inputs.arrays import BoolArray, FloatArray
from recsys_metrics._core.inputs.columns import check_same_rows, check_zero_one
from recsys_metrics._core.sorted_arrays import distinct
from recsys_metrics.calibration._checks import check_moments, check_scores, units_of


class TestPart(np.ndarray[Any, np.dtype[np.float64]]):
    """Scores set aside for testing. A calibration refuses to be fitted on them.

    The mark stays on slices, copies and what is computed from them (`part + 0`, `numpy.sort`,
    `astype`, pickling). It is lost where a new array or list is made: by `list`, `tolist`,
    `numpy.array`, `numpy.asarray`, `numpy.concatenate`, and so by scikit-learn and pandas, which
    call them. The guard catches a slip, not every way round it.
    """

    # Its name is no invitation to pytest.
    __test__ = False


@dataclass(frozen=True, eq=False)
class Labelled:
    """Scores with their labels.

    Attributes
    ----------
    scores : (n,) array of float
    labels : (n,) array of bool
    rows : (n,) array of int
        Where they stood in the whole.
    """

    scores: FloatArray
    labels: BoolArray
    rows: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, eq=False)
class CalibrationSplit:
    """Two parts of one table; unpacks as ``calibration, test = split``.

    Attributes
    ----------
    calibration : Labelled
        To fit a calibration on.
    test : Labelled
        To judge it on; its scores are marked, and `fit` refuses them.

    Examples
    --------
    >>> from recsys_metrics.calibration import calibration_split
    >>> split = calibration_split([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1], test_share=0.25)
    >>> len(split.calibration), len(split.test)
    (3, 1)
    """

    calibration: Labelled
    test: Labelled

    def __iter__(self) -> Iterator[Labelled]:
        return iter((self.calibration, self.test))


def calibration_split(
    scores: ArrayLike,
    labels: ArrayLike,
    *,
    test_share: float = 0.5,
    users: ArrayLike | None = None,
    timestamps: ArrayLike | None = None,
    seed: int | np.random.Generator = 0,
) -> CalibrationSplit:
    """Which events may the calibration be fitted on, and which evaluate it?

    Parameters
    ----------
    scores : (n,) array of float
        What a frozen model predicted for events that it was not trained on.
    labels : (n,) array of 0 and 1
        The observed outcomes.
    test_share : float
        About which share of the events, or of the users, is set aside for testing.
    users : (n,) array, optional
        Whose event each is. A user's events then stay together, so that the test also speaks
        for users that the calibration has not seen.
    timestamps : (n,) array of float or datetime64, optional
        When each event happened, in any unit. The newest are then set aside, and all that
        happened at one moment stays together: every event to calibrate on is older than every
        event to test on, as it is when a calibration goes live.
    seed : int or numpy.random.Generator
        Chooses the parts; without effect where `timestamps` do.

    Returns
    -------
    CalibrationSplit
        Parts `calibration` and `test`, each with `.scores`, `.labels` and `.rows`, in the
        order of the whole. `fit` of every calibration refuses the scores of `test`, and what
        is computed from them.

    Raises
    ------
    ValueError
        If a label is neither 0 nor 1, a score or timestamp is not finite, lengths differ,
        `test_share` is not between 0 and 1, users and timestamps are both given, or a part
        would be empty.

    Notes
    -----
    An error measured on the events the map was fitted on is too small: isotonic regression
    has an ECE near 0 there whatever the model is worth.

    The scores of the test part are a marked array, and the mark is lost where a new array or list
    is made of them: by `list`, `tolist`, `numpy.array`, `numpy.asarray`, `numpy.concatenate`, and
    so by scikit-learn and pandas. `fit` cannot refuse what went through these.

    Examples
    --------
    >>> from recsys_metrics.calibration import PlattScaling, calibration_split
    >>> calibration, test = calibration_split([0.2, 0.8] * 6, [0, 1, 1, 0, 0, 1] * 2, seed=1)
    >>> len(calibration), len(test)
    (6, 6)
    >>> PlattScaling().fit(test.scores, test.labels)
    Traceback (most recent call last):
    ValueError: these 6 scores were set aside for testing by calibration_split...

    The newest quarter judges:

    >>> when = [5, 1, 4, 8, 2, 3, 7, 6]
    >>> _, test = calibration_split([0.5] * 8, [0, 1] * 4, timestamps=when, test_share=0.25)
    >>> test.rows.tolist()
    [3, 6]
    """
    given, happened = check_scores(scores), check_zero_one("labels", labels)
    check_same_rows(scores=scores, labels=labels, users=users, timestamps=timestamps)
    share = check_share("test_share", test_share)
    if timestamps is None:
        of_test = _select_random(given, share, users, seed)
    elif users is None:
        moments = check_moments(timestamps)
        of_test = _select_newest(moments, share)
    else:
        raise ValueError(
            "give users, to test on users that are not in the calibration part, or "
            "timestamps, to test on "
            "later events; one split cannot do both"
        )
    parts = [np.flatnonzero(~of_test), np.flatnonzero(of_test)]
    fit, test = (Labelled(given[rows], happened[rows], rows) for rows in parts)
    return CalibrationSplit(fit, Labelled(test.scores.view(TestPart), test.labels, test.rows))


def _select_random(
    scores: FloatArray, share: float, users: ArrayLike | None, seed: int | np.random.Generator
) -> BoolArray:
    """Return which events are for the test where chance decides."""
    units, n_units, what = units_of(scores, users)
    n_test = round(share * n_units)
    if not 0 < n_test < n_units:
        raise ValueError(
            f"a test share of {share:g} of {n_units} {what} leaves a part empty; give more "
            f"{what} or another share"
        )
    aside = np.zeros(n_units, dtype=bool)
    aside[generator(seed).permutation(n_units)[:n_test]] = True
    return aside[units]


def _select_newest(moments: FloatArray, share: float) -> BoolArray:
    """Return which events are for the test where time decides."""
    n_test = round(share * len(moments))
    if n_test:
        of_test: BoolArray = moments >= np.partition(moments, -n_test)[-n_test]
        if not of_test.all():
            return of_test
    raise ValueError(
        f"a test share of {share:g} of {len(moments)} events at {len(distinct(moments))} times "
        "leaves a part empty; events at the same time stay together. Give more events or "
        "another share"
    )


def refuse_test_part(*columns: ArrayLike) -> None:
    """Raise if one of the columns was set aside for testing."""
    for column in columns:
        if isinstance(column, TestPart):
            raise ValueError(
                f"these {column.size} scores were set aside for testing by calibration_split; a "
                "calibration fitted on them would be evaluated on its own training data. "
                "Fit on the "
                "part `calibration`"
            )
