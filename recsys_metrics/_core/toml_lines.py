"""Where a key of a TOML file is, which tomllib does not say."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from typing import Any


def find_line(text: str, path: Sequence[str | int]) -> int | None:
    r"""Return the line in which a key is written first, or None if it is not found.

    A line is tried if it contains the key's last part: the beginning of the text up to there has
    the key, and the beginning up to the line before has not. Of an entry of a list, which has no
    key of its own, that of the list is looked for.

    Parameters
    ----------
    text : str
        Valid TOML.
    path : sequence of str or int
        The tables that lead to the key, and the key; a number is the place in a list, from 0.

    Examples
    --------
    >>> find_line("[limits]\nseconds = 5\n[deadlines.ps1]\n", ["deadlines", "ps1"])
    3
    >>> find_line("[[check]]\n[[check]]\nmargin = 1\n", ["check", 1, "margin"])
    3
    """
    # A line of TOML ends in nothing else, and text may hold other line ends.
    lines = text.replace("\r\n", "\n").split("\n")
    key = next((each for each in reversed(path) if isinstance(each, str)), None)
    for first, line in enumerate(lines):
        if key is None or key not in line:
            continue
        # A value may end in a later line.
        for last in range(first + 1, len(lines) + 1):
            try:
                begun = tomllib.loads("\n".join(lines[:last]))
            except ValueError:
                continue
            if _has(begun, path):
                return first + 1
            break
    return None


def _has(given: Any, path: Sequence[str | int]) -> bool:
    for key in path:
        if isinstance(key, int):
            if not isinstance(given, list) or key >= len(given):
                return False
        elif not isinstance(given, Mapping) or key not in given:
            return False
        given = given[key]
    return True
