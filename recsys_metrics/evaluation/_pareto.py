"""Several goals at once: the Pareto front and the volume that it dominates."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core.checks import refuse
from recsys_metrics._core.inputs.arrays import FloatArray, as_scores
from recsys_metrics._core.inputs.frames import in_order_of_columns

_NOT_FINITE = "; every goal has a finite value, so leave out recommenders or goals without one"


def pareto_front(points: ArrayLike) -> NDArray[np.bool_]:
    r"""Which of these points are not dominated by another one?

    Parameters
    ----------
    points : (n, m) array of float
        A row for each recommender and a column for each goal; higher is better in every column.

    Returns
    -------
    (n,) array of bool
        Whether no other point is at least as good in every goal and better in one.

    Raises
    ------
    ValueError
        If it is no table of finite numbers.

    Notes
    -----
    Point :math:`a` dominates point :math:`b` if

    .. math:: a_j \ge b_j \text{ for all } j \text{ and } a_j > b_j \text{ for some } j

    where :math:`a_j` is the value of :math:`a` in goal :math:`j`. Equal points are on the front
    together. Goals of which lower values are better enter with the opposite sign.

    References
    ----------
    Zitzler and Thiele (1999), Multiobjective evolutionary algorithms: a comparative case study and
    the strength Pareto approach, IEEE Transactions on Evolutionary Computation 3(4).

    Examples
    --------
    >>> from recsys_metrics.evaluation import pareto_front
    >>> pareto_front([[0.4, 0.1], [0.3, 0.5], [0.2, 0.4]]).tolist()
    [True, True, False]
    """
    return on_front(_read_points(points))


def on_front(points: FloatArray) -> NDArray[np.bool_]:
    """Return which of the points (…, n, m) are not dominated."""
    ours, others = points[..., :, np.newaxis, :], points[..., np.newaxis, :, :]
    dominated = ((others >= ours).all(axis=-1) & (others > ours).any(axis=-1)).any(axis=-1)
    return np.asarray(~dominated, dtype=np.bool_)


def hypervolume(points: ArrayLike, *, reference: ArrayLike) -> float:
    r"""How large is the part of the goal space that at least one of these points dominates?

    Parameters
    ----------
    points : (n, m) array of float
        A row for each recommender and a column for each goal; higher is better in every column.
    reference : (m,) array of float
        The corner that the volume is measured from, such as the worst possible values.

    Returns
    -------
    float
        0 if no point is better than the reference in every goal.

    Raises
    ------
    ValueError
        If points or reference are not finite, or differ in the number of goals.

    Notes
    -----
    .. math:: \mathrm{HV}(A) = \lambda\left( \bigcup_{a \in A} [r_1, a_1] \times \cdots \times
       [r_m, a_m] \right)

    where :math:`A` is the set of points, :math:`a_j` is the value of point :math:`a` in goal
    :math:`j`, :math:`r` is the reference point, :math:`m` is the number of goals, and
    :math:`\lambda` is the volume (Lebesgue measure). It is computed exactly, by slicing along one
    goal after another.

    References
    ----------
    Zitzler and Thiele (1999), as for `pareto_front`. While, Hingston, Barone and Huband (2006), A
    faster algorithm for calculating hypervolume, IEEE Transactions on Evolutionary Computation
    10(1).

    Examples
    --------
    Two rectangles of 0.4 x 0.1 and 0.3 x 0.5, which share 0.3 x 0.1:

    >>> from recsys_metrics.evaluation import hypervolume
    >>> round(hypervolume([[0.4, 0.1], [0.3, 0.5]], reference=[0, 0]), 3)
    0.16
    """
    read = _read_points(points)
    corner = as_scores(in_order_of_columns(reference, points), "reference")
    if corner.shape != read.shape[1:]:
        raise ValueError(
            f"reference has the shape {corner.shape} and the points have {read.shape[1]} goals; "
            "give a value for each"
        )
    refuse(~np.isfinite(corner), "reference", corner, _NOT_FINITE)
    with np.errstate(over="ignore", invalid="ignore"):
        volume = float(volume_of(read - corner))
    if not np.isfinite(volume):
        raise ValueError(
            "points are so far from the reference that the volume is no float; divide each goal, "
            "and its reference, by one number first"
        )
    if volume == 0 and (read > corner).all(axis=1).any():
        raise ValueError(
            "points are so close to the reference that the volume is too small for a float; "
            "multiply each goal, and its reference, by one number first"
        )
    return volume


def volume_of(points: FloatArray) -> FloatArray:
    """Return the volume that points (…, n, m) dominate from 0, for each set of n points."""
    above = np.maximum(points, 0.0)
    if above.shape[-1] == 1:
        found: FloatArray = above[..., 0].max(axis=-1, initial=0.0)
        return found
    # Slices along the last goal: within one, the points that reach it dominate the other goals.
    order = np.argsort(-above[..., -1], axis=-1)
    ordered = np.take_along_axis(above, order[..., np.newaxis], axis=-2)
    height = ordered[..., -1]
    lower = np.concatenate([height[..., 1:], np.zeros_like(height[..., :1])], axis=-1)
    volume: FloatArray = np.zeros(above.shape[:-2])
    for at in range(above.shape[-2]):
        depth = height[..., at] - lower[..., at]
        if depth.any():
            volume = volume + depth * volume_of(ordered[..., : at + 1, :-1])
    return volume


def _read_points(points: ArrayLike) -> FloatArray:
    # By their order: numbers that a float takes for equal would not dominate each other.
    read = as_scores(points, "points")
    if read.ndim != 2 or not read.size:
        raise ValueError(
            "points must be a table with a row for each recommender and a column for each goal; "
            f"got the shape {read.shape}"
        )
    refuse(~np.isfinite(read), "points", read, _NOT_FINITE)
    return read
