"""What a reader says before the first move, and is told after it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from recsys_metrics.workbook.explorables.control import Numbers, Quantity

Direction = Literal["rise", "fall", "stay"]
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)


@dataclass(frozen=True)
class Guess:
    """One number and one move: will it rise, fall or stay?

    Parameters
    ----------
    text : str
        The move and the number, up to the word that is to be guessed: "One film more is shown: K
        goes from 5 to 6. Precision will …"
    move : mapping
        What the move changes of the start.
    number : str
        Which of the explorable's numbers.
    reason : str
        Why it came so, a sentence, said after the answer.
    """

    text: str
    move: Mapping[str, Any]
    number: str
    reason: str

    def find_direction(self, quantity: Quantity, before: Numbers, after: Numbers) -> Direction:
        """Return which way the number went, as it is shown: what no digit says did not move.

        Parameters
        ----------
        quantity : Quantity
            How the number reads.
        before, after : mapping
            All numbers of the start and of the state after the move.
        """
        old, new = before[self.number], after[self.number]
        if quantity.format_value(old) == quantity.format_value(new):
            return "stay"
        return "rise" if new > old else "fall"

    def explain_guesses(
        self, quantity: Quantity, before: Numbers, after: Numbers
    ) -> dict[str, str]:
        """Return what each guess is told, which quotes it and has both numbers.

        Whoever moved without a guess, which is an empty one, is told the same without a quote.

        Parameters
        ----------
        quantity : Quantity
            How the number reads.
        before, after : mapping
            All numbers of the start and of the state after the move.

        Raises
        ------
        ValueError
            If the number is not defined before or after the move.
        """
        old, new = before[self.number], after[self.number]
        if math.isnan(old) or math.isnan(new):
            raise ValueError(f"the guess asks about {self.number!r}, which is not defined there")
        came = self.find_direction(quantity, before, after)
        label, then, now = quantity.label, quantity.format_value(old), quantity.format_value(new)
        fact = (
            f"{label}: {then} before and after." if came == "stay" else f"{label}: {then} → {now}."
        )
        quoted: dict[str, str] = {
            way: f"{'✓' if way == came else '✗'} Your guess was: {way}. {fact} {self.reason}"
            for way in DIRECTIONS
        }
        return {"": f"{fact} {self.reason}", **quoted}
