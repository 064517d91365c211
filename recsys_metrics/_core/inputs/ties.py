"""Equal scores: which words there are for them in the whole library, and the order by id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Literal, get_args

import numpy as np

from recsys_metrics._core.checks import is_one_of

Ties = Literal["id", "id-descending", "order", "random", "best", "worst", "average", "expected"]
"""Which of two equal scores comes first.

"id"        the smaller item id: numbers by value, texts by code point, as UTF-8 bytes sort
"id-descending"  the larger item id, as trec_eval has it
"order"     the one that was given first, where there is an order
"random"    any, drawn with a seed
"best"      the relevant one, so that no order could be better
"worst"     the relevant one last, so that no order could be worse
"average"   none: a pair counts half, a rank is the mean of those that are tied
"expected"  all orders: the mean of the metric over them
"""


ListTies = Literal["id", "id-descending", "order"]
"""Of scores that become a list."""

_BY_ITEM = "judge and convert take it, for scores by item; of a table, reverse the columns"
_NO_LIST = dict.fromkeys(
    ("random", "best", "worst", "average", "expected"),
    "scores by item become one list; judge_scores and expected_over_ties take grades and scores",
)


def check_list_ties(ties: Any) -> None:
    """Raise if scores cannot become a list in this way."""
    check_ties(ties, ListTies, _NO_LIST)


def check_ties(ties: Any, choices: Any, reasons: Mapping[str, str]) -> None:
    """Raise if a function cannot treat ties so; `reasons` says why, and what to do instead."""
    allowed = get_args(choices)
    if is_one_of(ties, allowed):
        return
    listed = ", ".join(map(repr, allowed))
    if is_one_of(ties, get_args(Ties)):
        reason = _BY_ITEM if ties == "id-descending" else reasons[ties]
        raise ValueError(f"ties={ties!r} is not for this: {reason}. There are {listed}")
    raise ValueError(f"ties must be one of {listed}; got {ties!r:.80}")


def in_order_of_scores(scores: Mapping[Any, Any], ties: ListTies, whose: str) -> list[Any]:
    """Return the items of one mapping from item to score, best first."""
    if not isinstance(scores, Mapping):
        raise TypeError(f"{whose} has {type(scores).__name__}, not scores by item")
    values = scores.values()
    if {*map(type, values)} <= {float, int} and len({*values}) == len(scores):
        with suppress(OverflowError):  # A whole number that no float holds beside floats.
            total = sum(values)
            if total - total == 0:  # Each is finite, and no two are equal.
                return sorted(scores, key=scores.__getitem__, reverse=True)
    if any(issubclass(kind, np.number) for kind in {*map(type, values)}):
        # numpy's unsigned numbers have no sign to turn, and its times are no scores.
        scores = {item: _plain(score) for item, score in scores.items()}
    for item, score in scores.items():
        try:
            if isinstance(score, np.longdouble):  # Wider than Python's own, compared as it is.
                finite = bool(np.isfinite(score))
            else:
                finite = score - score == 0 and not isinstance(score, np.generic | complex)
        except (TypeError, ArithmeticError):  # A decimal may signal.
            finite = False
        if not finite:
            raise ValueError(
                f"{whose} gives item {item!r} the score {score!r}; a score is a finite number"
            )
    try:
        return best_first(scores, scores, ties)
    except TypeError:
        raise TypeError(
            f"the items of {whose} are of several types, which have no order for equal "
            "scores; give ids of one type, or ties='order'"
        ) from None


def _plain(score: Any) -> Any:
    """Return a number of numpy as Python's own; anything else as it is."""
    is_number = isinstance(score, np.number) and not isinstance(score, np.timedelta64)
    return score.item() if is_number else score


def best_first(items: Iterable[Any], scores: Mapping[Any, Any], ties: ListTies) -> list[Any]:
    """Return items by their scores, the highest first.

    Raises
    ------
    TypeError
        If items have no order.
    """
    ranked = list(items) if ties == "order" else sorted(items, reverse=ties == "id-descending")
    return sorted(ranked, key=lambda item: -scores[item])
