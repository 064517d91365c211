"""One list or many: which it is, said to a type checker.

What takes lists in many forms returns a float for one list and an array for many. Its name stands
for both, so the decorators here give it a type with two faces, and a third that promises nothing:
the type of an array does not tell how many axes it has. At run time they change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Concatenate, ParamSpec, Protocol, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsys_metrics._core.inputs.arrays import FloatArray

P = ParamSpec("P")

# A text is a sequence of texts, too: whether something is one list is to be asked first.
OneList = Sequence[str | bytes | int | np.generic]
ManyLists = Mapping[Any, Any] | Sequence[Sequence[Any] | Mapping[Any, Any] | NDArray[Any]]

Many = Sequence[Any] | NDArray[Any]
"""Numbers, where a single one has another meaning."""

OneRow = Sequence[float] | Sequence[np.generic]
ManyRows = Sequence[Sequence[float]] | Sequence[NDArray[Any]]


class OfLists(Protocol[P]):
    """A function of ranked lists with a value for each."""

    @overload
    def __call__(self, recommended: OneList, *args: P.args, **kwargs: P.kwargs) -> float: ...
    @overload
    def __call__(self, recommended: ManyLists, *args: P.args, **kwargs: P.kwargs) -> FloatArray: ...
    @overload
    def __call__(self, recommended: Any, *args: P.args, **kwargs: P.kwargs) -> Any: ...


class OfRows(Protocol[P]):
    """A function of candidates, some of them relevant, with a value for each row."""

    @overload
    def __call__(self, labels: OneRow, *args: P.args, **kwargs: P.kwargs) -> float: ...
    @overload
    def __call__(self, labels: ManyRows, *args: P.args, **kwargs: P.kwargs) -> FloatArray: ...
    @overload
    def __call__(self, labels: ArrayLike, *args: P.args, **kwargs: P.kwargs) -> Any: ...


def of_lists(function: Callable[Concatenate[Any, P], Any]) -> OfLists[P]:
    """Say of a function of ranked lists that one gives a float and many an array."""
    return cast("OfLists[P]", function)


def of_rows(function: Callable[Concatenate[ArrayLike, P], Any]) -> OfRows[P]:
    """Say of a function of labelled candidates that one row gives a float and many an array."""
    return cast("OfRows[P]", function)
