"""What the reader of an explorable can move."""

from __future__ import annotations

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
    kind : {"slider", "choice"}
        A slider for things that grow, a drop-down for the rest.
    """

    name: str
    label: str
    values: Mapping[Any, str]
    start: Any
    kind: Literal["slider", "choice"] = "choice"

    def __post_init__(self) -> None:
        if self.start not in self.values:
            raise ValueError(
                f"control {self.name!r} starts at {self.start!r}, which is none of its values "
                f"{list(self.values)}"
            )
