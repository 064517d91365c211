"""Names in the settings of a course: one that nothing reads is refused, with the nearest known."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from recsys_metrics._core import console

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_DATE = re.compile(r"\d{1,2}[./]\d{1,2}[./]\d{2,4}")
_TYPOGRAPHIC = "“”„‘’«»"


class SettingError(ValueError):
    """A setting that makes no sense.

    Parameters
    ----------
    says : str
        Which it is, what is wrong with it, and what it should be.
    path : sequence of str
        The tables that lead to the setting, and its name.
    """

    def __init__(self, says: str, path: Sequence[str]) -> None:
        self.path = (*path,)
        super().__init__(says)


def join_keys(path: Sequence[str]) -> str:
    """Return a key with its tables, as TOML writes it.

    Examples
    --------
    >>> join_keys(["deadlines", "ps1", "extensions", "ann.lee"])
    'deadlines.ps1.extensions."ann.lee"'
    """
    keys = (key if _BARE.fullmatch(key) else f'"{console.printable(key)}"' for key in path)
    return ".".join(keys)


def find_unknown(given: Mapping[str, Any], known: Collection[str]) -> tuple[str, str] | None:
    """Return the first name that is not known, and which may be meant and which there are.

    Examples
    --------
    >>> find_unknown({"name": "a", "time_zon": "UTC"}, ["name", "time_zone"])
    ('time_zon', 'did you mean `time_zone`? There are name, time_zone')
    """
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name.lower(), known, n=1)
            guess = f"did you mean `{near[0]}`? There are" if near else "there are"
            return name, f"{guess} {', '.join(known)}"
    return None


def explain_syntax(line: str) -> str:
    """Return how to write a line that TOML does not take, or nothing where that is not known.

    Examples
    --------
    >>> explain_syntax("ann@uni.org = 2026-11-27T23:59:00Z")
    '; put the name in quotation marks: "ann@uni.org" = …'
    >>> explain_syntax("late_per = day")
    '; put the text in quotation marks: "day"'
    """
    if header := re.match(r"""\s*\[+([^\]"']*)\]""", line):
        odd = [one.strip() for one in header[1].split(".") if not _BARE.fullmatch(one.strip())]
        return f'; put the name in quotation marks: "{_show(odd[0])}"' if odd else ""
    key, equals, rest = (part.strip() for part in line.partition("="))
    if not equals:
        named = re.match(r"([\w-]+)\s*:", key)
        return f"; write {_show(named[1])} = …, with = in place of the colon" if named else ""
    if key and not _BARE.fullmatch(key) and not {*key} & {*"#\"'["}:
        return f'; put the name in quotation marks: "{_show(key)}" = …'
    value = rest.partition("#")[0].strip()
    if not value:
        return f"; write a value for {_show(key)} behind the ="
    if date := _DATE.match(value):
        return f"; write a date and a time as 2026-11-20T23:59:00+01:00, and not as {date[0]}"
    if (text := value.strip(_TYPOGRAPHIC)) and text[0].isalpha():
        return f'; put the text in quotation marks: "{_show(text)}"'
    return ""


def _show(given: str) -> str:
    return console.printable(given, 60)
