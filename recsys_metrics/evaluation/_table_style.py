"""How numbers and names are written in a table: digits, uncertainty, other names, emphasis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, get_args

import numpy as np

from recsys_metrics._core.checks import check_choice, check_count
from recsys_metrics.measures import Measure
from recsys_metrics.protocol.significance import Interval


class AnyResult(Protocol):
    """A value with its interval and standard error."""

    @property
    def value(self) -> float:
        """The value."""

    @property
    def standard_error(self) -> float:
        """Of the value."""

    def interval(self) -> Interval | None:
        """Between which values it lies."""


Uncertainty = Literal["interval", "standard error", "none"]
Emphasis = Literal["first", "second"]

_MOST_DIGITS = 15
_DEFAULT_DIGITS = 3


@dataclass(frozen=True)
class TableStyle:
    """How the numbers and names of a table are written.

    Attributes
    ----------
    digits : int or None
        How many decimals; None for three, or one for numbers of 100 and more.
    names : mapping of str to str
        Other names for metrics and recommenders.
    uncertainty : {"interval", "standard error", "none"} or None
        What stands behind a mean; None for what the table has by default.
    emphasize : bool
        Whether the best value of each metric is bold and the second underlined.
    """

    digits: int | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    uncertainty: Uncertainty | None = None
    emphasize: bool = False

    @classmethod
    def read(
        cls,
        known: Iterable[str],
        *,
        digits: int | None,
        names: Mapping[str, str] | None,
        uncertainty: Uncertainty | None,
        emphasize: bool,
    ) -> TableStyle:
        """Return a style that was checked against the names that a table has."""
        if digits is not None:
            digits = check_count("digits", digits, least=0, most=_MOST_DIGITS)
        if uncertainty is not None:
            check_choice("uncertainty", uncertainty, Uncertainty)
        there = dict.fromkeys(known)
        for name, other in (names or {}).items():
            if name not in there:
                raise ValueError(
                    f"names has {name!r}, which is not in the table; there are {', '.join(there)}"
                )
            if not isinstance(other, str):
                raise TypeError(f"names[{name!r}] must be text; got {other!r:.60}")
        shown = [(names or {}).get(name, name) for name in there]
        for name in names or {}:
            if shown.count(other := (names or {})[name]) > 1:
                raise ValueError(
                    f"names[{name!r}] is {other!r}, which something else is called too"
                )
        return cls(digits, dict(names or {}), uncertainty, emphasize)

    def rename(self, name: str) -> str:
        """Return what a recommender is called."""
        return self.names.get(name, name)

    def rename_measure(self, measure: Measure) -> str:
        """Return what a metric is called; a name without cut-off gets the cut-off."""
        for name in (measure.label, str(measure)):
            if name in self.names:
                return self.names[name]
        whole = measure.at(None)
        for name in (whole.label, str(whole)):
            if name in self.names:
                return self.names[name] + ("" if measure.k is None else f"@{measure.k}")
        return measure.label

    def number(self, value: float, *, signed: bool = False) -> str:
        """Return a number as text."""
        if np.isnan(value):
            return "–"
        places = self.digits
        if places is None:
            places = _DEFAULT_DIGITS if abs(value) < 100 else 1
        # Adding 0 turns the -0.0 that rounding can leave into 0.0.
        rounded = round(float(value), places) + 0.0
        return f"{rounded:{'+' if signed and rounded else ''},.{places}f}"

    def interval(self, ends: Any) -> str:
        """Return the ends of an interval; nothing where there is none."""
        if ends is None:
            return ""
        low, high = ends
        if np.isnan(low) or np.isnan(high):
            return ""
        return f"[{self.number(low)}, {self.number(high)}]"

    def with_interval(self, value: float, ends: Any) -> str:
        """Return a value and the ends of its interval, if there are any."""
        if np.isnan(value):
            return "not defined"
        return f"{self.number(value)} {self.interval(ends)}".strip()

    def mean(self, result: AnyResult, *, default: Uncertainty, marks: str = "") -> str:
        """Return a mean and its marks, with its interval, standard error, or neither."""
        if np.isnan(result.value):
            return "not defined"
        shown = self.uncertainty or default
        behind = ""
        if shown == "interval":
            behind = self.interval(result.interval())
        elif shown == "standard error" and not np.isnan(result.standard_error):
            behind = f"({self.number(result.standard_error)})"
        return " ".join(filter(None, (self.number(result.value), marks, behind)))

    def find_best(self, values: Mapping[str, float], measure: Measure) -> dict[str, Emphasis]:
        """Return whose value is best and whose is second, as far as the digits tell them apart."""
        direction = {"higher": -1, "lower": 1, None: 0}[measure.metric.better]
        if not direction or not self.emphasize:
            return {}
        texts = {
            name: (direction * value, self.number(value))
            for name, value in values.items()
            if not np.isnan(value)
        }
        ordered = list(dict.fromkeys(text for _, text in sorted(texts.values())))
        ranks: Sequence[Emphasis] = get_args(Emphasis)
        marks = dict(zip(ordered, ranks, strict=False))
        # If all are alike, none stands out.
        if len(ordered) < 2:
            return {}
        return {name: marks[text] for name, (_, text) in texts.items() if text in marks}


DEFAULT_STYLE = TableStyle()


def names_of_measures(measures: Iterable[Measure]) -> list[str]:
    """Return all texts by which a table can be told of its metrics."""
    return [
        text
        for measure in measures
        for each in (measure, measure.at(None))
        for text in (each.label, str(each))
    ]
