"""The weighted harmonic mean of two metrics, for models that must be good at both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core.arithmetic import divide
from recsys_metrics._core.checks import refuse
from recsys_metrics._core.inputs.arrays import FloatArray, as_numbers
from recsys_metrics._core.inputs.frames import refuse_other_labels
from recsys_metrics._core.parameter_domains import Domain, check_number

Beta = Annotated[float, Domain("the weight of the second metric", above=0)]
Values = Sequence[float] | NDArray[Any]


# Its square is a float, and the first value counts nothing.
_LARGEST = 1e100


@overload
def f_beta_score(first: float, second: float, *, beta: Beta = ...) -> float: ...
@overload
def f_beta_score(first: Values, second: Values, *, beta: Beta = ...) -> FloatArray: ...
@overload
def f_beta_score(first: ArrayLike, second: ArrayLike, *, beta: Beta = ...) -> Any: ...
def f_beta_score(first: ArrayLike, second: ArrayLike, *, beta: Beta = 1.0) -> Any:
    r"""How good is each list by both of two metrics, neither of which compensates for the other?

    Parameters
    ----------
    first, second : float or (n,) array
        Values of two measures of the same lists, high is good and none below 0: recall and
        diversity, say. NaN where a list has none.
    beta : float
        How many times as much the second counts.

    Returns
    -------
    float or (n,) array
        Between the two values; 0 where one of them is 0, NaN where one is NaN.

    Raises
    ------
    ValueError
        If a value is below 0 or infinite, the shapes differ, or beta is not above 0.

    Notes
    -----
    .. math:: F_\beta = \frac{(1 + \beta^2) \, a \, b}{\beta^2 a + b}

    Elliot's `ExtendedF1`, for beta of 1. Both should have one scale: of two measures with very
    different sizes it follows the smaller one. `recsys_metrics.f_beta` is that of precision and
    recall, with their denominators.

    References
    ----------
    van Rijsbergen (1979), Information retrieval, chapter 7.

    Examples
    --------
    >>> from recsys_metrics.beyond_accuracy import f_beta_score
    >>> f_beta_score([0.5, 0.5, 0.0], [0.5, 1.0, 1.0]).round(3)
    array([0.5  , 0.667, 0.   ])
    """
    refuse_other_labels(first=first, second=second)
    weight = min(check_number("beta", beta, Beta), _LARGEST) ** 2
    values = []
    for name, given in (("first", first), ("second", second)):
        numbers = as_numbers(given, name)
        wrong = np.atleast_1d((numbers < 0) | np.isinf(numbers))
        refuse(wrong, name, np.atleast_1d(numbers), "; F-beta takes finite values of 0 or more")
        values.append(numbers)
    one, other = values
    if one.shape != other.shape or one.ndim > 1:
        raise ValueError(
            f"first and second have one value for each of the same lists; got shapes {one.shape} "
            f"and {other.shape}"
        )
    # Scaled by the larger, so that no product of small values is lost.
    largest = np.maximum(one, other)
    one_share, other_share = divide(one, largest, 0.0), divide(other, largest, 0.0)
    both = divide((1.0 + weight) * one_share * other_share, weight * one_share + other_share, 0.0)
    means = np.where(np.isnan(largest), np.nan, largest * both)
    return float(means) if means.ndim == 0 else means
