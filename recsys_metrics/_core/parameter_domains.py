"""Domains of numeric parameters, declared in their annotations.

A parameter of words is annotated with a `Literal`, one of numbers with ``Annotated[float,
Domain(…)]``. The metric checks its argument against it, and whoever reads a measure from a text
checks the text against the same annotation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from recsys_metrics._core.checks import check_count, is_real, to_float


@dataclass(frozen=True)
class Domain:
    """The numbers that a parameter may be, and what it means."""

    meaning: str
    above: float = -math.inf
    below: float = math.inf
    least: float = -math.inf
    most: float = math.inf
    whole: bool = False

    def __contains__(self, number: float) -> bool:
        return self.above < number < self.below and self.least <= number <= self.most

    def __str__(self) -> str:
        if math.isfinite(self.above) and math.isfinite(self.below):
            return f"between {self.above:g} and {self.below:g}, both excluded"
        if math.isfinite(self.least) and math.isfinite(self.most):
            return f"from {self.least:g} to {self.most:g}"
        words = {"above": self.above, "at least": self.least}
        words |= {"below": self.below, "at most": self.most}
        return " and ".join(f"{word} {end:g}" for word, end in words.items() if math.isfinite(end))


def check_number(name: str, value: Any, annotation: Any) -> float:
    """Return a number, or raise if the annotation of its parameter does not allow it."""
    domain = get_args(annotation)[1]
    if domain.whole:
        return check_count(name, value, int(domain.least), domain.meaning)
    if isinstance(value, bool | np.bool_) or not is_real(value):
        raise TypeError(f"{name} is {domain.meaning}, a number; got {value!r:.80}")
    try:
        number = to_float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{name} is {domain.meaning} and must be finite; got {value!s:.80}")
    if number not in domain:
        raise ValueError(f"{name} is {domain.meaning} and must be {domain}; got {value!r:.80}")
    return number
