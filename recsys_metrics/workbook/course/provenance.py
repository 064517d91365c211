"""Where each submission came from and when, as it was when it was collected."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from recsys_metrics.workbook.course.course_folder import Course
from recsys_metrics.workbook.course.stored_state import (
    FROM_A_BACKUP,
    Shape,
    is_flag,
    is_number,
    is_refusal,
    is_text,
    or_none,
    read_state,
)
from recsys_metrics.workbook.grading import atomic_files
from recsys_metrics.workbook.grading.limits import Refusal
from recsys_metrics.workbook.grading.strict_json import is_moment

_VERSION = 1
_SHAPE: Shape = {
    "version?": is_number,
    "students": {
        str: {
            **dict.fromkeys(("source?", "path?", "digest?", "time_from?", "problem?"), is_text),
            "refused_file?": is_text,
            "refusal?": is_refusal,
            **dict.fromkeys(("is_owned?", "is_late?"), is_flag),
            "when": or_none(is_moment),
            "refused?": [is_text],
        }
    },
}
A_PERSON = "a person's decision"


@dataclass(frozen=True)
class Origin:
    """Where a student's submission came from.

    Attributes
    ----------
    source : str
        The account or the name it was handed in under; empty if that is not known.
    path : str
        What it was called among the downloads.
    digest : str
        Hash of the notebook that was taken; empty if none was.
    is_owned : bool
        Whether the source, and not the signature alone, said whose it is.
    when : datetime or None
    time_from : str
        What says when: "the learning system" or "the file".
    is_late : bool
        Whether the learning system marks it as late.
    refused : list of str
        Hashes of notebooks that a person decided not to be the student's.
    problem : str
        Why what was handed in last was not taken; empty if it was.
    refusal : Refusal
        Of which kind that is.
    refused_file : str
        The name of a file of answers that was not taken.
    """

    source: str = ""
    path: str = ""
    digest: str = ""
    is_owned: bool = False
    when: datetime | None = None
    time_from: str = ""
    is_late: bool = False
    refused: list[str] = field(default_factory=list)
    problem: str = ""
    refusal: Refusal = Refusal.OTHER
    refused_file: str = ""

    def but(
        self,
        problem: str,
        path: str = "",
        *,
        refusal: Refusal = Refusal.OTHER,
        refused_file: str = "",
    ) -> Origin:
        """Return this with a reason why another file was not taken.

        Where nothing was taken before, its path stays as that of the student's folder.
        """
        noted = replace(self, problem=problem, refusal=refusal, refused_file=refused_file)
        if self.path or not path:
            return noted
        return replace(noted, path=path, is_owned=True)

    def is_other(self, source: str, digest: str, *, is_owned: bool) -> bool:
        """Whether what is there must not be replaced by a file from another source.

        What a person decided on gives way to the student's own account, and to nothing else.
        """
        if not self.source or digest in self.refused:
            return False
        decided = self.source == A_PERSON and is_owned
        return self.source != source and not decided


def read(course: Course, assignment: str) -> dict[str, Origin]:
    """Return where the submissions came from, by student; empty before they were collected."""
    raw = read_state(course.collected(assignment), _SHAPE, FROM_A_BACKUP)
    return {student: _parsed(one) for student, one in raw["students"].items()} if raw else {}


def save(course: Course, assignment: str, origins: Mapping[str, Origin]) -> None:
    """Write down where the submissions came from."""
    students = {
        student: {
            **{name: value for name, value in vars(one).items() if name != "when"},
            "when": one.when.isoformat() if one.when else None,
        }
        for student, one in origins.items()
    }
    text = json.dumps({"version": _VERSION, "students": students}, indent=1, ensure_ascii=False)
    atomic_files.replace_file(course.collected(assignment), f"{text}\n")


def write_timestamp(notebook: Path, when: datetime) -> None:
    """Write when a notebook was handed in beside it, where nbgrader looks for it."""
    text = f"{when.astimezone(UTC):%Y-%m-%d %H:%M:%S.%f} UTC"
    atomic_files.replace_file(notebook.with_name("timestamp.txt"), text)


def _parsed(raw: dict[str, Any]) -> Origin:
    when, refusal = raw.pop("when"), Refusal(raw.pop("refusal", ""))
    return Origin(**raw, refusal=refusal, when=datetime.fromisoformat(when) if when else None)
