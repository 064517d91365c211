"""An explorable drawn ahead: every state it can reach, in one file that a page's script reads.

The file is a script that hands over a table, so that it loads from a server and from a folder
alike. It is small although an explorable may have thousands of states, because

- a number, a picture or a sentence is kept once, however many states show it;
- what does not depend on a control is not repeated for that control's values;
- a picture is a row of marks, marks that often stand together are kept as blocks, and both are
  named by packed numbers instead of being written out.

All text is written here, rounded by Python; the script only picks it. The reader is in
``book/_static/explorables.js``.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys_metrics.workbook.explorables.base import Explorable

# Characters from # to ~ without the backslash: none needs an escape in a string.
_SIGNS = "".join(chr(code) for code in range(35, 127) if code != 92)
_BASE = len(_SIGNS)
_BLOCKS = (1, 2, 3, 4, 6, 8, 12, 16, 24)


def pack(values: Iterable[int]) -> tuple[str, int]:
    """Return whole numbers as text, and how many characters each of them takes.

    Parameters
    ----------
    values : iterable of int
        From 0.

    Returns
    -------
    text : str
    wide : int
    """
    numbers = list(values)
    names = _names(max(numbers, default=0))
    return "".join([names[number] for number in numbers]), len(names[0])


def precompute_states(explorable: Explorable) -> dict[str, Any]:
    """Return every state of an explorable as a table that can be written as JSON.

    Parameters
    ----------
    explorable : Explorable

    Returns
    -------
    dict
        Its facts, and a column for each number, for the goals, for the pictures and for the
        sentences that stand for them.
    """
    facts = explorable.describe()
    numbers, svgs, alts, marks = (
        [_Numbered() for _ in facts["numbers"]],
        _Numbered(),
        _Numbered(),
        _Numbered(),
    )
    reached = [_Numbered() for _ in facts["goals"]]
    for state in explorable.states():
        shown = explorable.render_state(state)
        for column, (text, place) in zip(numbers, shown["numbers"], strict=True):
            column.add((text, place))
        for goal, here in zip(reached, shown["goals"], strict=True):
            goal.add(here)
        svgs.add(shown["svg"])
        alts.add(shown["alt"])
    rows = [
        tuple([marks.number(mark) for mark in re.findall(r"<[^>]*>[^<]*", svg)])
        for svg in svgs.things
    ]
    shape = [len(control.values) for control in explorable.controls]
    return {
        "facts": facts,
        "numbers": [{"shown": column.things, **column.column(shape)} for column in numbers],
        "goals": [{"shown": goal.things, **goal.column(shape)} for goal in reached],
        "picture": {**_in_blocks(rows), "marks": marks.things, **svgs.column(shape)},
        "alt": {"shown": alts.things, **alts.column(shape)},
    }


def as_script(explorable: Explorable) -> str:
    """Return the table as a script that hands it over to the page."""
    table = json.dumps(precompute_states(explorable), ensure_ascii=True, separators=(",", ":"))
    return f"recsysBook.drawn({json.dumps(explorable.id)},{table});\n"


class _Numbered:
    """Things, each kept once, and which of them was met when."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}
        self._met: list[int] = []

    @property
    def things(self) -> list[Any]:
        return list(self._numbers)

    def number(self, thing: Hashable) -> int:
        """Return the number of a thing; a new one gets the next."""
        return self._numbers.setdefault(thing, len(self._numbers))

    def add(self, thing: Hashable) -> None:
        """Note that this is what the next state has."""
        self._met.append(self.number(thing))

    def column(self, shape: Sequence[int]) -> dict[str, Any]:
        """Return which thing each state has, along the controls that it depends on."""
        met: NDArray[np.int64] = np.array(self._met).reshape(shape)
        on = []
        for axis in range(len(shape)):
            first = met.take([0], axis=axis)
            if (met == first).all():
                met = first
            else:
                on.append(axis)
        at, wide = pack(met.ravel().tolist())
        return {"on": on, "at": at, "wide": wide}


def _in_blocks(rows: Sequence[tuple[int, ...]]) -> dict[str, Any]:
    """Return rows of marks as rows of blocks of marks, in the length that is shortest."""
    return min((_cut(rows, length) for length in _BLOCKS), key=lambda cut: len(json.dumps(cut)))


def _cut(rows: Sequence[tuple[int, ...]], length: int) -> dict[str, Any]:
    blocks: dict[tuple[int, ...], int] = {}
    frames = []
    for row in rows:
        cut = [row[at : at + length] for at in range(0, len(row), length)]
        frames.append([blocks.setdefault(block, len(blocks)) for block in cut])
    of_block, of_mark = _names(len(blocks)), _names(max(map(max, rows)))
    return {
        "frames": " ".join(["".join([of_block[n] for n in row]) for row in frames]),
        "frameWide": len(of_block[0]),
        "blocks": " ".join(["".join([of_mark[n] for n in row]) for row in blocks]),
        "blockWide": len(of_mark[0]),
    }


def _names(most: int) -> list[str]:
    """Return the numbers from 0 as text, each as long as the largest of them needs."""
    wide = 1
    while _BASE**wide <= most:
        wide += 1
    signs = itertools.product(_SIGNS, repeat=wide)
    return ["".join(number) for number in itertools.islice(signs, most + 1)]
