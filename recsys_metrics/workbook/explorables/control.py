"""What the reader of an explorable can move, and what it then says."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

State = Mapping[str, Any]
Numbers = Mapping[str, float]


@dataclass(frozen=True)
class Control:
    """One thing the reader can move.

    Parameters
    ----------
    name : str
        Key in the state.
    label : str
        What it means, as shown.
    values : mapping
        Each value and how it reads, in order.
    start : value
        The value at the start and after a reset.
    kind : {"slider", "choice", "press"}
        A slider for things that grow, a drop-down for the rest; what is pressed in the picture has
        neither, and each press goes on to the next value.
    """

    name: str
    label: str
    values: Mapping[Any, str]
    start: Any
    kind: Literal["slider", "choice", "press"] = "choice"

    def __post_init__(self) -> None:
        if self.start not in self.values:
            raise ValueError(
                f"control {self.name!r} starts at {self.start!r}, which is none of its values "
                f"{list(self.values)}"
            )
        keys = list(self.keys.values())
        if len(set(keys)) < len(keys):
            raise ValueError(f"control {self.name!r} has two values that read the same: {keys}")

    @property
    def keys(self) -> dict[Any, str]:
        """What each value is called in an address."""
        return {
            value: re.sub(r"[^A-Za-z0-9.+-]+", "_", str(value)).strip("_") for value in self.values
        }


@dataclass(frozen=True)
class Quantity:
    """How a number of an explorable reads.

    Parameters
    ----------
    label : str
        What it is, as shown.
    low, high : float
        Ends of its bar; without `high` there is no bar.
    places : int
        Decimals.
    unit : str
        Written after the number.
    """

    label: str
    low: float = 0.0
    high: float | None = 1.0
    places: int = 3
    unit: str = ""

    def format_value(self, value: float) -> str:
        """Return a value as it is shown."""
        if math.isnan(value):
            return "not defined"
        written = f"{value:z,.{self.places}f}".replace("-", "−")
        return f"{written} {self.unit}".rstrip()
