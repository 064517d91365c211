"""How a file of answers is forged or damaged: `forged_hand_ins.py` and `damaged_hand_ins.py` do it.

A student called Ann has a file that the page saved, whose answers are all wrong, and each file is
made from it. What Ann could not know, another student's file for example, is given as well.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Saved = dict[str, Any]
NUMBERS, FUNCTION, CHOICE, ORDER, TEXT = (
    "ranking.e2",
    "ranking.write_precision",
    "ranking.which_pages",
    "ranking.order_average_precision",
    "ranking.explain_ideal",
)
EXERCISES = (NUMBERS, FUNCTION, CHOICE, ORDER, TEXT)


@dataclass(frozen=True)
class Known:
    """What is at hand: Ann's file, whose answers are wrong, and those of others."""

    ann: Saved
    """All answers are wrong, and earn nothing."""
    right: Saved
    """The same with right answers, which earn all points but those for words."""
    bob: Saved
    """Bob's file, with right answers to his variants."""
    other_variants: list[dict[str, Any]]
    """Right answers to variants that Ann was not asked."""
    elsewhere: Saved
    """Ann's file of the same assignment in another course, with right answers."""
    other: Saved
    """Ann's file of another assignment of this course, with right answers."""
    notebook: bytes
    """Ann's notebook, as released."""
    course: Path


@dataclass(frozen=True)
class Forgery:
    """A file of Ann's, what it tries, and how it comes among the downloads."""

    name: str
    tries: str
    write: Callable[[Known, Path], None]
    """Writes files into Ann's folder among the downloads."""


def encode(saved: Any) -> bytes:
    return json.dumps(saved, indent=1).encode()


def answer_to(saved: Saved, exercise: str) -> dict[str, Any]:
    """Return the entry of an exercise in a file."""
    (entry,) = (entry for entry in saved["answers"] if entry["exercise"] == exercise)
    return entry  # type: ignore[no-any-return]


FILE = "ps1.hand-in.json"
TOUCHED = "/tmp/forged"
"""What code of an answer would write if it ran where it must not."""
FORGERIES: list[Forgery] = []


def _written(change: Callable[[Known], bytes], name: str = FILE) -> Callable[[Known, Path], None]:
    def write(known: Known, folder: Path) -> None:
        (folder / name).write_bytes(change(known))

    return write


def forgery(
    tries: str, file: str = FILE
) -> Callable[[Callable[[Known], bytes]], Callable[[Known], bytes]]:
    """Add the file whose bytes a function returns."""

    def add(change: Callable[[Known], bytes]) -> Callable[[Known], bytes]:
        FORGERIES.append(Forgery(change.__name__, tries, _written(change, file)))
        return change

    return add


def placed(
    tries: str,
) -> Callable[[Callable[[Known, Path], None]], Callable[[Known, Path], None]]:
    """Add what a function puts into Ann's folder."""

    def add(write: Callable[[Known, Path], None]) -> Callable[[Known, Path], None]:
        FORGERIES.append(Forgery(write.__name__, tries, write))
        return write

    return add


def edited(
    name: str,
    tries: str,
    edit: Callable[[Saved], None],
    *,
    right: bool = False,
) -> None:
    """Add Ann's file, or the one with right answers, with an edit."""

    def change(known: Known) -> bytes:
        saved = copy.deepcopy(known.right if right else known.ann)
        edit(saved)
        return encode(saved)

    FORGERIES.append(Forgery(name, tries, _written(change)))


def in_each(**more: Any) -> Callable[[Saved], None]:
    def edit(saved: Saved) -> None:
        for entry in saved["answers"]:
            entry.update(more)

    return edit


def date_all(moment: str) -> Callable[[Saved], None]:
    def edit(saved: Saved) -> None:
        saved["saved"] = moment
        in_each(when=moment)(saved)

    return edit


def set_fields(**more: Any) -> Callable[[Saved], None]:
    return lambda saved: saved.update(more)


def give(exercise: str, answer: Any) -> Callable[[Saved], None]:
    def edit(saved: Saved) -> None:
        answer_to(saved, exercise)["answer"] = answer

    return edit


def give_code(text: str) -> Callable[[Saved], None]:
    return give(FUNCTION, text)
