"""A capstone in the course's folder: what each student gets, and what stays.

`capstone/NAME/cases/ID`      what the student gets
`capstone/NAME/kept`          tests that are not opened, and what is wrong with each case
`capstone/NAME/kept/reports`  reports as they were marked
`capstone/NAME/opened`        what a test said, once
`capstone/NAME/marking`       pages and levels of each marker
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from recsys_metrics._core.inputs.json_text import parse_json
from recsys_metrics.workbook.common.state_file import refuse_device
from recsys_metrics.workbook.course import archives
from recsys_metrics.workbook.course.capstone import (
    diagnosis,
    frozen_test,
    models,
    report,
    rubric,
    tables,
)
from recsys_metrics.workbook.course.capstone.expected_numbers import NUMBERS, Tables
from recsys_metrics.workbook.course.capstone.frozen_test import FrozenPlan, FrozenResult
from recsys_metrics.workbook.course.capstone.report import CapstoneReport
from recsys_metrics.workbook.course.capstone.scenario import FAULTS, CapstoneCase, deal
from recsys_metrics.workbook.course.capstone.tables import Table
from recsys_metrics.workbook.course.course_folder import (
    Course,
    Student,
    check_name,
    enrolled,
    is_copy,
    is_left_out,
    is_notebook,
    read_bounded,
    refuse_other_case,
)
from recsys_metrics.workbook.course.identity import Identities
from recsys_metrics.workbook.course.stored_state import (
    FROM_A_BACKUP,
    Shape,
    check_shape,
    is_count,
    is_text,
)
from recsys_metrics.workbook.grading import atomic_files, signatures
from recsys_metrics.workbook.grading import submissions as notebook
from recsys_metrics.workbook.grading.limits import GradingError

_SHOPS = ("Larkspur", "Quillhaven", "Ember & Oak", "Northlight", "Tidewater", "Millbrook")
_OWNERS = ("Ines", "Tomasz", "Aiko", "Farid", "Marta", "Oluchi")
_ATTEMPTS = 20
_SHAPE: Shape = {
    str: {
        "number": is_count,
        "seed": is_text,
        "faults": [is_text],
        "truth": {str: lambda value: type(value) in (int, float)},
    }
}
_TEST = "test"
NAMES = ("train", "clicks", "lists_a", "lists_b", "trials", "feed", "experiment", _TEST)
"""A case's files; the last stays with the course."""


@dataclass(frozen=True)
class HandedReport:
    """A file among what was handed in.

    Attributes
    ----------
    path : str
        Within the downloads.
    student : str
        Whose it is; where it is not taken, whose its name says it is. Empty if nobody knows.
    report : CapstoneReport or None
        None if it is not taken.
    problem : str
        Why not.
    is_foreign : bool
        Whether it is another student's.
    """

    path: str
    student: str = ""
    report: CapstoneReport | None = None
    problem: str = ""
    is_foreign: bool = False

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.path.rpartition("/")[2]

    @property
    def label(self) -> str:
        """How a message calls the file: many students hand in one of the same name."""
        return f"{self.path} ({self.student})" if self.student else self.path


@dataclass(frozen=True)
class Capstone:
    """A capstone of a course.

    Attributes
    ----------
    course : Course
    name : str
    """

    course: Course
    name: str

    @property
    def root(self) -> Path:
        """Where it is."""
        return self.course.root / "capstone" / self.name

    def case(self, student: str) -> Path:
        """Return the folder of what a student gets."""
        return self.root / "cases" / student

    def result(self, student: str) -> Path:
        """Return where a student gets what the test said."""
        return self.case(student) / "test.json"

    def opened(self, student: str) -> Path:
        """Return where it is kept what a student's test said."""
        return self.root / "opened" / f"{student}.json"

    def marking(self, marker: str) -> Path:
        """Return the folder of a marker."""
        return self.root / "marking" / check_name(marker, "a marker")

    @cached_property
    def given(self) -> dict[str, Any]:
        """What is wrong with each student's case, and its truth."""
        try:
            refuse_device(self._manifest)
            found = parse_json(self._manifest.read_text(encoding="utf-8"), with_nan=True)
            check_shape(found, _SHAPE)
        except FileNotFoundError:
            raise GradingError(
                f"there is no capstone {self.name!r}; make it: course capstone {self.name}"
            ) from None
        except (OSError, ValueError) as problem:
            raise GradingError(
                f"{self._manifest} is damaged ({problem}); {FROM_A_BACKUP}"
            ) from None
        return dict(found)

    @property
    def _manifest(self) -> Path:
        return self.root / "kept" / "cases.json"

    def tables(self, student: str, names: Collection[str] = NAMES) -> dict[str, Table]:
        """Return a student's files as the course has them, the test included, or some of them."""
        return {name: tables.read(self._file(student, name)) for name in names}

    def _file(self, student: str, name: str) -> Path:
        if name == _TEST:
            return self.root / "kept" / f"{student}.csv"
        return self.case(student) / f"{name}.csv"

    def code(self, student: str) -> str:
        """Return what stands for a student's name where names are not to be seen."""
        return signatures.sign_notebook(self.course.key, f"{self.name} marking", student)[:6]

    def submissions(self, downloads: Path) -> Iterator[HandedReport]:
        """Return what was handed in: whose it is, and the report, or what is amiss.

        Whose a notebook is, the signature says, and a name of the roster in the path has to agree.
        Of a student who handed in no notebook the other files are named, and of nobody else.

        Parameters
        ----------
        downloads : Path
            A folder, the zip that a platform gives, or one notebook.

        Raises
        ------
        GradingError
            If there is nothing.
        """
        if not downloads.exists():
            raise GradingError(f"{downloads} is not there; name the folder or zip of the downloads")
        if not (downloads.is_file() and archives.is_zip(downloads)):
            yield from self._look(downloads)
            return
        problems: list[tuple[str, str]] = []
        say = lambda name, what: problems.append((name, what))  # noqa: E731
        with archives.unpacked(downloads, self.course.limits.notebook_mb, say) as place:
            yield from self._look(place)
        for name, what in problems:
            yield HandedReport(name, problem=what)

    def _look(self, place: Path) -> Iterator[HandedReport]:
        found = [place] if place.is_file() else [one for one in place.rglob("*") if one.is_file()]
        # A copy that a program keeps counts where there is nothing else, and the newest first.
        found.sort(key=lambda file: (is_copy(file.name), -file.stat().st_mtime, str(file)))
        identities = Identities(list(self.given), enrolled(self.course))
        seen: set[str] = set()
        others: dict[str, str] = {}
        for file in found:
            within = file.relative_to(place) if file != place else Path(file.name)
            if is_left_out(file.name, is_folder=False) or any(
                is_left_out(part, is_folder=True) for part in within.parts[:-1]
            ):
                continue
            claim = identities.claim(within)
            claimed = claim.students if claim else ()
            if is_notebook(file.name) or archives.is_zip(file):
                one = self._read_report(file, within.as_posix(), claimed)
                seen.add(one.student)
                yield one
            elif len(claimed) == 1:
                others.setdefault(claimed[0], within.as_posix())
        for student, name in others.items():
            if student not in seen:
                yield HandedReport(name, student, problem="it is no notebook; hand in the .ipynb")

    def _read_report(self, file: Path, within: str, claimed: Sequence[str]) -> HandedReport:
        most = self.course.limits.notebook_mb
        refused = HandedReport(within, claimed[0] if len(claimed) == 1 else "")
        try:
            if archives.is_zip(file):
                content = archives.read_only_notebook(file, most)[1]
            else:
                content = read_bounded(file, most)
            came = notebook.parse_notebook(content)
        except GradingError as problem:
            return replace(refused, problem=str(problem))
        owner = came.find_owner(self.course.key)
        if owner is None or owner[1] != self.name or owner[0] not in self.given:
            says = f"it does not carry the signature of a case of {self.name}"
            return replace(refused, problem=says)
        if claimed and owner[0] not in claimed:
            says = f"it is the notebook of {owner[0]}, handed in as {' or '.join(claimed)}'s; it "
            return replace(refused, problem=f"{says}is not taken", is_foreign=True)
        return HandedReport(within, owner[0], report.read(came, own_cells()))

    def opened_for(self, student: str) -> FrozenResult | None:
        """Return what a student's test said, or None if it is closed."""
        return frozen_test.remembered(self.opened(student))


def make(capstone: Capstone, students: Sequence[Student]) -> Iterator[tuple[str, bool]]:
    """Write a case for each student who has none; one that is there stays as it is.

    Yields
    ------
    (str, bool)
        A student, and whether the case is new.

    Raises
    ------
    GradingError
        If an assignment has the name.
    """
    check_name(capstone.name, "a capstone")
    if capstone.course.manifest(capstone.name).exists():
        raise GradingError(f"{capstone.name} is an assignment of this course; take another name")
    refuse_other_case(capstone.name, capstone.course.assignments())
    given = capstone.given if capstone._manifest.exists() else {}
    for student in students:
        if student.id in given and capstone.case(student.id).is_dir():
            yield student.id, False
            continue
        number = given.get(student.id, {}).get("number", len(given))
        case, found, claim, seed = _sound_case(capstone, student.id, number)
        _write(capstone, student, case, found, claim)
        given[student.id] = {
            "number": number,
            "seed": seed,
            "faults": sorted(case.faults),
            "truth": {name: float(np.round(value, 6)) for name, value in case.truth().items()},
        }
        # After each student: what is written is never without its key.
        atomic_files.replace_file(capstone._manifest, json.dumps(given, indent=1) + "\n")
        yield student.id, True
    vars(capstone).pop("given", None)
    for name in models.NAMES:
        file = capstone.root / "models" / f"{name}.html"
        file.parent.mkdir(exist_ok=True)
        atomic_files.replace_file(file, models.model(name).page())


def open_tests(capstone: Capstone, downloads: Path) -> Iterator[tuple[str, str]]:
    """Open the test for each plan that was handed in.

    Yields
    ------
    (str, str)
        A student, or a file if nobody's it is, and what happened.
    """
    plans: dict[str, set[FrozenPlan]] = {}
    problems: dict[str, str] = {}
    for one in capstone.submissions(downloads):
        if one.report is None:
            yield one.label, one.problem
            continue
        found = plans.setdefault(one.student, set())
        try:
            found.add(frozen_test.plan_of(one.report))
        except GradingError as problem:
            problems.setdefault(one.student, str(problem))
    for student, found in plans.items():
        if (before := capstone.opened_for(student)) is not None:
            if not capstone.result(student).exists():  # the disk was full, say
                atomic_files.replace_file(capstone.result(student), before.to_json())
            yield student, f"was opened on {before.when}, and is not opened again"
            continue
        if len(found) != 1:
            several = (
                "several notebooks have different plans, and a test is opened once; leave the one "
                "that counts"
            )
            yield student, f"not opened: {several if found else problems[student]}"
            continue
        try:
            tables = capstone.tables(student, ("lists_a", "lists_b", _TEST))
            opened = frozen_test.ask(tables, *found)
        except GradingError as problem:
            yield student, f"not opened: {problem}"
            continue
        frozen_test.keep(capstone.opened(student), opened)
        atomic_files.replace_file(capstone.result(student), opened.to_json())
        yield student, f"opened, by {opened.measure} and a margin of {opened.margin:g}"


def _sound_case(
    capstone: Capstone, student: str, number: int
) -> tuple[CapstoneCase, dict[str, Table], diagnosis.Claim, str]:
    """Return a case whose files show what is wrong with it, and nothing else.

    A sound split looks broken by chance once in a thousand: such a case is drawn again.
    """
    key = capstone.course.key
    planted = deal(key, capstone.name, number)
    for attempt in range(_ATTEMPTS):
        seed = signatures.derive_seed(key, f"capstone {capstone.name}", student, str(attempt))
        case = CapstoneCase(seed, planted)
        found = case.tables()
        claim = case.claim(found["experiment"])
        if diagnosis.found(found, claim) == set(planted):
            return case, found, claim, seed
    raise GradingError(f"no case of {student} shows just what is wrong with it; report this")


def _write(
    capstone: Capstone, student: Student, case: CapstoneCase, found: Tables, claim: diagnosis.Claim
) -> None:
    place = capstone.case(student.id)
    place.mkdir(parents=True, exist_ok=True)
    (capstone.root / "kept").mkdir(exist_ok=True)
    for name, table in found.items():
        atomic_files.replace_file(capstone._file(student.id, name), tables.as_csv(table))
    atomic_files.replace_file(place / "brief.md", brief(case, found, claim))
    atomic_files.replace_file(place / "rubric.md", rubric.as_markdown())
    atomic_files.replace_file(place / "peer_review.md", rubric.peer_form())
    atomic_files.replace_file(place / f"{capstone.name}.ipynb", _notebook(capstone, student.id))


def brief(case: CapstoneCase, found: Tables, claim: diagnosis.Claim) -> str:
    """Return the page of the product owner."""
    place = sum(case.seed.encode())
    gain, low, high = claim
    return _template("brief.md").format(
        shop=_SHOPS[place % len(_SHOPS)],
        owner=_OWNERS[place // 7 % len(_OWNERS)],
        cut=case.cut,
        slates=len(found["feed"]["click"]),
        gain=gain,
        low=low,
        high=high,
    )


def _notebook(capstone: Capstone, student: str) -> str:
    cells = []
    for place, (role, source) in enumerate(_cells()):
        kind = "code" if role == "code" else "markdown"
        cell: dict[str, Any] = {"cell_type": kind, "id": f"capstone-{place}", "metadata": {}}
        cell["source"] = source
        if kind == "code":
            cell.update(execution_count=None, outputs=[])
        cells.append(cell)
    about = {
        "assignment": capstone.name,
        "student": student,
        "tag": signatures.sign_notebook(capstone.course.key, capstone.name, student),
    }
    content = {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
            notebook.OURS: about,
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _cells() -> Iterator[tuple[str, str]]:
    text = _template("report.md").format(
        faults="\n".join(f"- `{name}`: {about}" for name, about in FAULTS.items()),
        numbers="\n".join(f"| `{one.name}` | {one.about} |" for one in NUMBERS.values()),
    )
    first, *others = text.split("---cell ")
    yield "ours", first.strip()
    for other in others:
        role, _, source = other.partition("\n")
        yield role.strip(), source.strip()


def own_cells() -> list[str]:
    """Return those cells of a notebook that are not the student's to write."""
    return [source for role, source in _cells() if role == "ours"]


def _template(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")
