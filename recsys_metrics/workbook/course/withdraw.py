"""Takes back a release that nobody has handed anything in for.

Nothing is deleted but rows of the gradebook that have no grade: what was released is moved to
`withdrawn`, and an interrupted withdrawal can be given again.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from recsys_metrics.workbook.course import assignment as assignments
from recsys_metrics.workbook.course import gradebook, handout, locking, provenance
from recsys_metrics.workbook.course.course_folder import Course
from recsys_metrics.workbook.course.grading_report import NOTHING, read_report
from recsys_metrics.workbook.course.provenance import Origin
from recsys_metrics.workbook.grading.limits import GradingError


def withdraw(course: Course, name: str, *, wait: bool = False) -> tuple[Path, int]:
    """Take back the release of an assignment.

    Parameters
    ----------
    course : Course
    name : str
        Of the assignment; afterwards another may have it.
    wait : bool
        Whether to wait while another works on the course.

    Returns
    -------
    place : Path
        Where what was released is now.
    count : int
        How many notebooks there are.

    Raises
    ------
    GradingError
        If it was not released, or somebody has handed something in.
    """
    assignments.load(course, name)
    with locking.held(course, f"release {name} --undo", wait=wait):
        if came := _handed_in(course, name):
            few = ", ".join(came[:5]) + (f" and {len(came) - 5} more" if len(came) > 5 else "")
            raise GradingError(
                f"{name} stays: {few} handed in something for it. Release the next one under "
                "another name, and leave this one out where you use the grades"
            )
        now = datetime.now(UTC)
        place = course.root / "withdrawn" / f"{name}-{now:%Y%m%dT%H%M%S%fZ}"
        notebooks = sorted(course.root.glob(f"release/*/{name}"))
        with gradebook.opened(course) as book:
            book.remove(name)
        for folder in notebooks:
            _move(folder, place / "release" / folder.parent.name / name)
        _move(course.root / "source" / name, place / "source" / name)
        kept = (course.own_exercises(name), *handout.files(course, name))
        for file in (*kept, course.report(name), course.collected(name), course.requests(name)):
            _move(file, place / file.relative_to(course.root))
        # The last one: with it the assignment is gone.
        _move(course.manifest(name), place / "assignments" / course.manifest(name).name)
    return place, len(notebooks)


def _handed_in(course: Course, name: str) -> list[str]:
    """Return what students, or places, have of what was handed in."""
    steps = ("submitted", "submitted_earlier", "to_decide", "autograded")
    found = {
        folder.parent.name
        for step in steps
        for folder in course.root.glob(f"{step}/*/{name}")
        if not folder.is_dir() or any(folder.iterdir())
    }
    origins = provenance.read(course, name)
    found |= {student for student, one in origins.items() if one != Origin()}
    report = read_report(course, name)
    found |= {student for student, one in report.items() if one.get("problem") != NOTHING}
    return sorted(found)


def _move(old: Path, new: Path) -> None:
    if old.exists():
        new.parent.mkdir(parents=True, exist_ok=True)
        old.rename(new)
