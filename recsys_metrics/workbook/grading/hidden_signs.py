"""Signs that a reader does not see and a program obeys: in a terminal, a page or an editor."""

from __future__ import annotations

import unicodedata

from recsys_metrics._core import console

# Python's names of signs leave out those that a terminal obeys.
_CONTROLS = {"\x00": "NULL", "\x07": "BELL", "\x1b": "ESCAPE", "\r": "CARRIAGE RETURN"}


def describe_hidden_sign(text: str) -> str:
    r"""Return what to say of the first sign in a text that is not to be read; empty without any.

    The end of a line and a tab are to be read, and so are the joiners of Persian, of Indian scripts
    and of emoji.

    Examples
    --------
    >>> describe_hidden_sign("Two\u202eweeks").partition(", ")[0]
    'contains U+202E (RIGHT-TO-LEFT OVERRIDE)'
    >>> describe_hidden_sign("Two\nweeks")
    ''
    """
    for sign in text:
        if sign not in "\n\t" and not console.is_plain(sign):
            name = _CONTROLS.get(sign) or unicodedata.name(sign, "")
            shown = f"U+{ord(sign):04X} ({name})" if name else f"U+{ord(sign):04X}"
            return (
                f"contains {shown}, a character that is not seen and that changes what a terminal "
                "or a page shows; delete it"
            )
    return ""
