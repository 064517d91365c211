"""What the error of a cell means to the student, where Python's own words do not say it.

A notebook is run with nobody at the keyboard, with no other file, no network and no other program.
"""

from __future__ import annotations

import re

LATE = "OutOfTime"
"""What a cell raises that is stopped because it took too long."""
_FILE = re.compile(r"<ipython-input-[^>]*>, ")
_MEANINGS = {
    "EOFError": (
        "Nobody can type anything when the notebook is graded. Write the value into the cell in "
        "place of `input()`."
    ),
    "FileNotFoundError": "No other file is there when the notebook is graded.",
    "MemoryError": "The cell took more memory than a notebook may have.",
    "ModuleNotFoundError": (
        "This module is not installed where notebooks are graded. Answer without it."
    ),
    "URLError": "There is no network when the notebook is graded.",
    "ConnectionError": "There is no network when the notebook is graded.",
    "gaierror": "There is no network when the notebook is graded.",
}


def format_error(text: str) -> str:
    """Return an error as its student reads it.

    Parameters
    ----------
    text : str
        The name of the error, a colon and its message.

    Examples
    --------
    >>> format_error("SyntaxError: '(' was never closed (<ipython-input-1-05a62>, line 2)")
    "SyntaxError: '(' was never closed (line 2)"
    >>> format_error("OutOfTime: it took too long")
    'it took too long and was stopped'
    """
    if text.partition(":")[0] == LATE:
        return "it took too long and was stopped"
    return _FILE.sub("", text)


def explain_error(text: str) -> str:
    """Return what an error means where a notebook is graded; empty if Python says it well.

    Parameters
    ----------
    text : str
        The name of the error, a colon and its message.

    Examples
    --------
    >>> explain_error("FileNotFoundError: [Errno 2] No such file or directory: 'a.csv'")
    'No other file is there when the notebook is graded.'
    >>> explain_error("ZeroDivisionError: division by zero")
    ''
    """
    name, _, message = text.partition(":")
    if name == "PermissionError" and "Errno 1]" in message:
        return "No other program can be started when the notebook is graded."
    return _MEANINGS.get(name, "")
