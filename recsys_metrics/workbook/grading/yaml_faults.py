"""What usually leads to each fault of YAML, for those who write exercises and no other YAML."""

from __future__ import annotations

import re
from collections.abc import Collection

_EXPLAINED = (
    (r"\btab\b|\\t", "indent with blanks, not with tabs"),
    (
        r"mapping values are not allowed",
        "put a text that has a colon and a blank in it in quotation marks, and indent the fields "
        "of one exercise alike",
    ),
    (
        r"cannot start any token",
        "a text cannot begin with this character; put the whole text in quotation marks",
    ),
    (r"the quotation mark is not closed|a colon and a blank are missing", ""),
    (
        r"end of stream|quoted scalar",
        "a quotation mark or a bracket is opened and not closed",
    ),
    (
        r"expected '-' indicator",
        "entries that begin with `- ` and fields do not mix; write mistakes, inputs and options "
        "as fields, without `- `",
    ),
    (
        r"expected key|block end|expected ':'",
        "this line does not fit those above it; indent the fields of one exercise or mistake "
        "alike, and if a text begins with a quotation mark or a bracket, put all of it in "
        "quotation marks",
    ),
    (
        r"expected ',' or",
        "a comma or a closing bracket is missing; put texts in braces in quotation marks",
    ),
    (
        r"another document",
        "delete the line `---`; one file may contain several exercises, each with its name at the "
        "left margin",
    ),
    (
        r"\b(alias|anchor|tag)\b|alphabetic or numeric character",
        "a text that begins with &, * or ! needs quotation marks",
    ),
)


def explain_yaml_fault(problem: str) -> str:
    """Return what to do about a fault that a reader of YAML found, to be added to its words.

    >>> explain_yaml_fault("this is not valid YAML: found a tab character")
    '; indent with blanks, not with tabs'
    """
    _, is_yaml, found = problem.partition("this is not valid YAML: ")
    for words, explanation in _EXPLAINED if is_yaml else ():
        if re.search(words, found):
            return f"; {explanation}" if explanation else ""
    return ""


# Blanks that are none for YAML; a web page or a word processor has them.
_OTHER_BLANKS = "\u00a0\u2000-\u200b\u202f\u3000"


def find_layout_fault(text: str, line: int, fields: Collection[str]) -> tuple[int, str] | None:
    """Return the line that makes a text invalid and what to do about it, if the layout shows it.

    Parameters
    ----------
    text : str
        It is not valid YAML.
    line : int
        Where a reader of YAML has found that.
    fields : collection of str
        The names of the fields of an exercise.
    """
    lines = text.splitlines()[:line]
    for number, each in enumerate(lines, 1):
        if re.match(rf" *[{_OTHER_BLANKS}]", each):
            return number, (
                "the line is indented with no-break spaces, perhaps copied from a web page; delete "
                "them and type blanks"
            )
    if lines and re.match(r" *\t", lines[-1]):
        return line, "the line is indented with a tab; delete it and type blanks"
    for number, each in enumerate(lines, 1):
        name = re.match(r"(\w+):(?: |$)", each)
        if name and name[1] in fields and not _begins_exercise(text, number):
            return number, describe_left_margin(name[1])
    for number, each in enumerate(lines, 1):
        if re.fullmatch(r"\w+ *", each) and _begins_exercise(text, number):
            return number, f"a colon is missing after the name of the exercise: `{each.strip()}:`"
    dashed = re.match(r" *- +([\w-]+):(?: |$)", lines[-1]) if lines else None
    if dashed and not any(re.match(r" *- ", each) for each in lines[-2:-1]):
        return line, f"fields are expected here, and no list; delete the dash before `{dashed[1]}:`"
    return None


def describe_left_margin(name: str) -> str:
    """Return what to say of a field that stands where the names of exercises do."""
    says = f"`{name}` is a field and is at the left margin"
    return f"{says}; indent `{name}` below the exercise's name"


def has_other_blanks(name: str) -> bool:
    """Whether a name begins with a blank that is none for YAML."""
    return re.match(rf" *[{_OTHER_BLANKS}]", name) is not None


def _begins_exercise(text: str, number: int) -> bool:
    """Whether fields are indented below a line, so that it is the name of an exercise."""
    below = [each for each in text.splitlines()[number:] if each.strip()]
    return bool(below) and re.match(r" +kind:", below[0]) is not None
