"""An entry: what one document prints in one place, and when that agrees with a value."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Literal, get_args

Status = Literal["match", "convention", "unprinted", "erratum"]

# The documents have authors; the numbers are what is at issue, so they go by what they are.
DOCUMENTS: Mapping[str, str] = MappingProxyType(
    {
        "000": "the book chapter",
        "001": "the metrics reference page",
        "002": "the blog post",
        "003": "the notes page",
        "004": "the short chapter",
    }
)

# Printed decimals are compared at their own number of digits. The margin lets an exact tie such
# as 5/8 agree with either of its two roundings, whichever way the last bit of the float falls.
_MARGIN = 1e-9


@dataclass(frozen=True)
class Entry:
    """A number or a claim as printed, with the inputs it is recomputed from.

    Attributes
    ----------
    id : str
        Short name: the document's prefix and the subject.
    document, section : str
        Key of `DOCUMENTS`, and where in it.
    subject : str
        One of the six subjects, "choosing" for a question of choice.
    about : str
        What it is, in our words.
    inputs : mapping
        Keyword arguments of the recomputation.
    printed : mapping
        By quantity: a number as text, digit by digit as printed; a claim as a boolean or a
        number; a list of either. Empty if the document prints nothing here.
    values : mapping
        By quantity: the value we state. A test recomputes every one of them.
    status : {"match", "convention", "unprinted", "erratum"}
        "match": printed and recomputed agree. "convention": they agree under a choice the
        document leaves open. "unprinted": asked for or implied, not printed. "erratum": they
        differ, and `values` has what is right.
    differs : tuple of str
        Of an erratum: the quantities printed otherwise.
    choice : str
        Of a convention: what is left open.
    why : str
        What is behind an erratum, a convention or a caution.
    """

    id: str
    document: str
    section: str
    subject: str
    about: str
    inputs: Mapping[str, Any]
    printed: Mapping[str, Any]
    values: Mapping[str, Any]
    status: Status
    differs: tuple[str, ...] = field(default=())
    choice: str = ""
    why: str = ""

    @property
    def place(self) -> str:
        """Document and section, as a reader would say it."""
        return f"{DOCUMENTS[self.document]}, {self.section}"


def agrees(printed: Any, value: Any) -> bool:
    """Whether a value, rounded to the digits that were printed, is what was printed.

    Parameters
    ----------
    printed : str, bool, number or list
        A number as text is compared at its own digits, a claim exactly, a list item by item.
    value : object
        The recomputed value.

    Examples
    --------
    >>> from recsys_metrics.workbook.source_checks import agrees
    >>> agrees("0.67", 2 / 3), agrees("0.667", 0.67), agrees("0.62", 5 / 8), agrees("0.63", 5 / 8)
    (True, False, True, True)
    """
    if isinstance(printed, list):
        return (
            isinstance(value, list)
            and len(printed) == len(value)
            and all(map(agrees, printed, value))
        )
    if isinstance(printed, bool) or isinstance(value, bool | str):
        return bool(type(printed) is type(value) and printed == value)
    if isinstance(printed, str):
        digits = len(printed.partition(".")[2])
        return bool(abs(float(printed.lstrip("~")) - value) <= 0.5 * 10.0**-digits + _MARGIN)
    return math.isclose(printed, value, rel_tol=_MARGIN, abs_tol=_MARGIN)


def _load() -> dict[str, Entry]:
    text = files(__package__).joinpath("entries.json").read_text(encoding="utf-8")
    entries: dict[str, Entry] = {}
    for row in json.loads(text):
        entry = Entry(**{**row, "differs": tuple(row.get("differs", ()))})
        if entry.id in entries:
            raise ValueError(
                f"entries.json has the id {entry.id!r} twice; each entry needs its own"
            )
        if entry.document not in DOCUMENTS or entry.status not in get_args(Status):
            raise ValueError(
                f"entry {entry.id!r} has document {entry.document!r} and status {entry.status!r}; "
                f"there are {', '.join(DOCUMENTS)} and {', '.join(get_args(Status))}"
            )
        entries[entry.id] = entry
    return entries


ENTRIES: Mapping[str, Entry] = MappingProxyType(_load())
