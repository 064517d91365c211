"""Where a key of a TOML file is, which tomllib does not say."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from typing import Any


def find_line(text: str, path: Sequence[str]) -> int | None:
    r"""Return the line in which a key is written first, or None if it is not found.

    A line is tried if it contains the key's last part: the beginning of the text up to there has
    the key, and the beginning up to the line before has not.

    Parameters
    ----------
    text : str
        Valid TOML.
    path : sequence of str
        The tables that lead to the key, and the key.

    Examples
    --------
    >>> find_line("[limits]\nseconds = 5\n[deadlines.ps1]\n", ["deadlines", "ps1"])
    3
    """
    lines = text.splitlines(keepends=True)
    for first, line in enumerate(lines):
        if not path or path[-1] not in line:
            continue
        # A value may end in a later line.
        for last in range(first + 1, len(lines) + 1):
            try:
                begun = tomllib.loads("".join(lines[:last]))
            except ValueError:
                continue
            if _has(begun, path):
                return first + 1
            break
    return None


def _has(given: Any, path: Sequence[str]) -> bool:
    for key in path:
        if not isinstance(given, Mapping) or key not in given:
            return False
        given = given[key]
    return True
