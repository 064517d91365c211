"""What per-list metrics share: the cut-off, users without relevant items, the output shape."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Annotated, Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from recsys_metrics._core import arithmetic
from recsys_metrics._core.blocks import over_blocks
from recsys_metrics._core.checks import MOST_RANKS, check_count
from recsys_metrics._core.checks import check_choice as check_choice
from recsys_metrics._core.parameter_domains import Domain
from recsys_metrics.ranking._grade_codes import BoolArray, FloatArray
from recsys_metrics.ranking._judged import Judged, Values

NoRelevant = Literal["nan", "zero", "one", "raise"]
Patience = Annotated[float, Domain("the probability of reading on", above=0, below=1)]

# Up to so many ranks the hits of a list are one of few patterns.
_WIDEST_PATTERN = 16

_STAND_IN = {"nan": np.nan, "zero": 0.0, "one": 1.0}


def check_k(k: Any) -> int | None:
    """Return k as an int, or None for the whole list."""
    meaning = "how many ranks count (None for the whole list)"
    return None if k is None else check_count("k", k, meaning=meaning, most=MOST_RANKS)


def check_judged(judged: Any, k: Any) -> int | None:
    """Return k as `check_k` does; raise if nobody judged the lists, or not so far down."""
    if not isinstance(judged, Judged):
        raise TypeError(
            f"a ranking metric takes judged lists, not a {type(judged).__name__}; "
            "call judge(recommended, relevant) first"
        )
    cut, last = check_k(k), judged._cut
    if last is not None and (cut is None or cut > last):
        raise ValueError(
            f"the lists were judged down to rank {last}, and "
            + (
                f"without k whole lists count; pass k={last} or less, or call judge without k"
                if cut is None
                else f"k={cut} needs deeper ranks; call judge with k={cut} or more"
            )
        )
    return cut


def check_whole(judged: Judged[Any], asking: str) -> None:
    """Raise if the lists were not judged down to their ends."""
    if judged._cut is not None:
        raise ValueError(
            f"the lists were judged down to rank {judged._cut}, and {asking} needs whole lists; "
            "call judge without k"
        )


def ranks_counted(judged: Judged[Any], k: int | None) -> NDArray[np.intp]:
    """Return how many ranks count in each list: k, or all that were recommended."""
    return judged._lengths if k is None else np.full(len(judged), k, dtype=np.intp)


def hits_within(judged: Judged[Any], k: int | None) -> FloatArray:
    """Return how many of each list's first k ranks are hits."""
    return over_hits(judged, k, lambda hits: hits.sum(axis=1))


def hits_of_list(judged: Judged[Any]) -> NDArray[np.intp]:
    """Return how many ranks of each whole list are hits."""
    check_whole(judged, "denominator='listed'")
    return hits_within(judged, None).astype(np.intp)


def divide(numerator: Any, denominator: Any) -> FloatArray:
    """Divide, with 0 where there is nothing to divide by."""
    return arithmetic.divide(numerator, denominator, otherwise=0.0)


def apply_weights(table: NDArray[Any], factors: FloatArray) -> FloatArray:
    """Return each row's sum of products with the factors.

    Not a matrix product: that may add a row up differently depending on the rows around it,
    and a list's value must not change in the last digit with the order of the users.
    """
    total: FloatArray = np.einsum("ij,j->i", table, factors, dtype=np.float64, casting="safe")
    return total


def over_hits(
    judged: Judged[Any], k: int | None, kernel: Callable[[BoolArray], NDArray[Any]]
) -> FloatArray:
    """Apply a kernel to the hits of each list's first k ranks; one value per list.

    Ten ranks have only 1,024 patterns of hits. Where there are many more lists than patterns,
    the kernel sees each pattern once and every list looks its value up.
    """
    width = judged._codes[:, :k].shape[1]
    if width > _WIDEST_PATTERN or len(judged) < 4 << width:
        return over_levels(judged, k, judged._is_relevant, kernel)
    values = np.asarray(kernel(_patterns(width)), dtype=np.float64)
    found: FloatArray = values[judged._hit_pattern & np.uint16((1 << width) - 1)]
    return found


@cache
def _patterns(width: int) -> BoolArray:
    """Return every pattern of hits at so many ranks, a row each in the order of their numbers."""
    numbers = np.arange(1 << width)
    hits: BoolArray = (numbers[:, None] >> np.arange(width) & 1).astype(bool)
    hits.flags.writeable = False
    return hits


def over_levels(
    judged: Judged[Any],
    k: int | None,
    worth: NDArray[Any],
    kernel: Callable[[Any], NDArray[Any]],
) -> FloatArray:
    """Apply a kernel to what the first k ranks are worth, a block of lists at a time.

    `worth[c]` is the worth of code c. Blocks keep the intermediate arrays in the cache and
    the memory flat, however many lists there are.
    """
    codes = judged._codes[:, :k]
    values = np.empty(len(judged))

    def fill(block: slice) -> None:
        values[block] = kernel(worth.take(codes[block], mode="clip"))

    over_blocks(fill, *codes.shape)
    return values


def finish(
    judged: Judged[Values],
    values: FloatArray,
    no_relevant: NoRelevant,
    nothing: BoolArray | None = None,
) -> Values:
    """Return values with the users who have nothing relevant treated as asked.

    `nothing` marks those users; by default they are the ones without a relevant item.
    """
    if nothing is None:
        nothing = judged._n_relevant == 0

    def problem(row: int) -> str:
        who = f" (user {judged.users[row]!r})" if judged.users is not None else ""
        which = "the list" if judged.single else f"list {row}{who}"
        return f"{which} has no relevant item, so the metric is not defined there"

    values = fill_undefined(values, nothing, no_relevant, problem)
    return cast("Values", float(values[0]) if judged.single else values)


def fill_undefined(
    values: FloatArray,
    nothing: BoolArray,
    no_relevant: NoRelevant,
    problem: Callable[[int], str],
) -> FloatArray:
    """Return values with what was asked for where there is nothing relevant."""
    check_choice("no_relevant", no_relevant, NoRelevant)
    if not nothing.any():
        return values
    if no_relevant == "raise":
        raise ValueError(
            f"{problem(int(nothing.argmax()))}. Pass "
            'no_relevant="nan" to leave such users out, or "zero" or "one" to count them'
        )
    return np.where(nothing, _STAND_IN[no_relevant], values)
