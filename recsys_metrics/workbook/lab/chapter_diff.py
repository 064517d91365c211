"""What a newer version of a chapter changed, for a reader who has edited an older one."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from recsys_metrics._core import console

_HEADING = re.compile(r"#{1,3} +(.+?) *")
_NAMED = 3


@dataclass(frozen=True)
class Changes:
    """What stands otherwise in a newer text.

    Attributes
    ----------
    lines : int
        How many are new or changed, and how many are gone where nothing came.
    sections : tuple of str
        The headings that these stand under, in reading order.
    text : str
        A unified diff, with a line above it that says how to read it.
    """

    lines: int
    sections: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        r"""Return it as a clause: how much, and where.

        >>> print(compare_texts("# A\n\none\n", "# A\n\ntwo\n", "a", "1.1"))
        1 line under "A"
        """
        counted = console.count(self.lines, "line")
        named = ", ".join(f'"{one}"' for one in self.sections[:_NAMED])
        more = len(self.sections) - _NAMED
        rest = f" and {console.count(more, 'more heading')}" if more > 0 else ""
        return f"{counted} under {named}{rest}" if named else counted


def compare_texts(
    before: str, after: str, name: str, version: str, *, known: bool = True
) -> Changes:
    """Return what a newer text has that an older one has not.

    Parameters
    ----------
    before, after : str
    name : str
        Of the chapter.
    version : str
        The newer one.
    known : bool
        Whether `before` is what the reader began from; False for the reader's own text, whose
        edits then look as if they had been taken out.
    """
    old, new = before.splitlines(), after.splitlines()
    blocks = difflib.SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes()
    changed = [one for one in blocks if one[0] != "equal"]
    lines, places = 0, []
    for _, gone, gone_end, begin, end in changed:
        here = [at for at in range(begin, end) if new[at].strip()]
        lines += max(len(here), sum(bool(line.strip()) for line in old[gone:gone_end]))
        # Where lines are only gone, what stood above them tells where.
        places += here or [max(begin - 1, 0)]
    sections = dict.fromkeys(heading for at in places if (heading := _heading(new, at)))
    begun = "the version you began from" if known else "yours"
    diff = difflib.unified_diff(old, new, begun, f"version {version}", n=2, lineterm="")
    if not known:
        says = (
            f"How version {version} of {name} differs from yours: what begins with - is only in "
            "yours, your own edits too; what begins with + is only in the newer one."
        )
    else:
        says = (
            f"What version {version} changed in {name} since the version you began from: what "
            "begins with - is gone, what begins with + is new. Your edits are not in it."
        )
    return Changes(lines, tuple(sections), "\n".join([says, "", *diff, ""]))


def _heading(lines: Sequence[str], at: int) -> str:
    """Return the nearest heading at a line or above it; code, which has comments, has none."""
    found, inside = "", False
    for line in lines[: at + 1]:
        if line.startswith("```"):
            inside = not inside
        elif not inside and (heading := _HEADING.fullmatch(line)):
            found = heading[1]
    return found
