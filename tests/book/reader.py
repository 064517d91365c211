"""The tables of the book's explorables read in Python, by the rules of its script."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

_SIGNS = {chr(code): n for n, code in enumerate(c for c in range(35, 127) if c != 92)}


def unpacked(text: str, wide: int) -> list[int]:
    """Return the numbers of a packed text."""
    numbers = []
    for at in range(0, len(text), wide):
        number = 0
        for sign in text[at : at + wide]:
            number = number * len(_SIGNS) + _SIGNS[sign]
        numbers.append(number)
    return numbers


class Drawn:
    """An explorable as a page has it.

    Parameters
    ----------
    path : Path
        Its script.
    """

    def __init__(self, path: Path) -> None:
        text = path.read_text(encoding="ascii")
        head = f'recsysBook.drawn("{path.stem}",'
        assert text.startswith(head)
        assert text.endswith(");\n")
        self.table: dict[str, Any] = json.loads(text[len(head) : -3])

    @property
    def sizes(self) -> list[int]:
        return [len(control["texts"]) for control in self.table["facts"]["controls"]]

    def picked(self, column: Mapping[str, Any], state: Sequence[int]) -> int:
        """Return which of its things a column has for a state."""
        at = 0
        for axis in column["on"]:
            at = at * self.sizes[axis] + state[axis]
        wide = column["wide"]
        return unpacked(column["at"][at * wide : (at + 1) * wide], wide)[0]

    def numbers(self, state: Sequence[int]) -> list[list[Any]]:
        """Return the text and the place of every number."""
        return [column["shown"][self.picked(column, state)] for column in self.table["numbers"]]

    def alt(self, state: Sequence[int]) -> str:
        return self.table["alt"]["shown"][self.picked(self.table["alt"], state)]

    def svg(self, state: Sequence[int]) -> str:
        picture = self.table["picture"]
        row = self._rows[self.picked(picture, state)]
        return "".join(self._parts[n] for n in unpacked(row, picture["frameWide"]))

    @cached_property
    def _rows(self) -> list[str]:
        return self.table["picture"]["frames"].split(" ")

    @cached_property
    def _parts(self) -> list[str]:
        picture = self.table["picture"]
        return [
            "".join(picture["marks"][n] for n in unpacked(block, picture["blockWide"]))
            for block in picture["blocks"].split(" ")
        ]


def walk(sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield states that differ in one control each time and show every value of every control."""
    state = [0] * len(sizes)
    yield tuple(state)
    for axis, size in enumerate(sizes):
        for _ in range(size - 1):
            state[axis] += 1
            yield tuple(state)


def steps(sizes: Sequence[int]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield the control that is moved and the state after it."""
    for before, after in pairwise(walk(sizes)):
        axis = next(i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b)
        yield axis, after
