"""Names that Windows cannot give a file: who works there could not open what others made."""

from __future__ import annotations

import re

# Also with an ending, and with blanks before it.
_DEVICE = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\..*)?", re.IGNORECASE
)
_SIGNS = re.compile(r'[<>:"/\\|?*\x00-\x1f]')


def find_fault_of_name(name: str) -> str:
    """Return why no file or folder has a name on Windows, as a clause; empty if one can have it.

    Examples
    --------
    >>> find_fault_of_name("nul.csv")
    'which keeps the name for a device'
    >>> find_fault_of_name("ann."), find_fault_of_name("a?"), find_fault_of_name("console")
    ('which drops a dot or blank at the end', 'which has no ? in names', '')
    """
    if _DEVICE.fullmatch(name):
        return "which keeps the name for a device"
    if name.endswith((".", " ")):
        return "which drops a dot or blank at the end"
    if sign := _SIGNS.search(name):
        shown = sign[0] if sign[0].isprintable() else repr(sign[0])
        return f"which has no {shown} in names"
    return ""
