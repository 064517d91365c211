"""The students' pages in one archive that a learning system hands out.

Moodle takes it as "Upload multiple feedback files in a zip" (mod/assign/feedback/file): a folder
for each student, named as in its download of submissions, `Ann Lee_1001_assignsubmission_file`.
Whoever handed in elsewhere has a folder with their id.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from recsys_metrics.workbook.course import archives, locking, page_writing, provenance
from recsys_metrics.workbook.course.assignment import Assignment
from recsys_metrics.workbook.course.course_folder import Course
from recsys_metrics.workbook.course.text_tables import check_ending
from recsys_metrics.workbook.grading import atomic_files
from recsys_metrics.workbook.grading.limits import GradingError

# The plugin's name ends the part that Moodle looks at.
_MOODLE = re.compile(r"[^_]*_\d+_assignsubmission_file(?=_|$)")


@dataclass
class HandedBack:
    """What an archive holds.

    Attributes
    ----------
    moodle, plain : list of str
        Students with a folder named as Moodle names it, and those with one named by their id.
    without : list of str
        Students who have no page.
    """

    moodle: list[str] = field(default_factory=list)
    plain: list[str] = field(default_factory=list)
    without: list[str] = field(default_factory=list)


def archive(course: Course, assignment: Assignment, file: Path) -> HandedBack:
    """Write the feedback pages of an assignment into an archive, as the gradebook is now.

    Raises
    ------
    GradingError
        If the file is there and is no earlier archive of these pages, its name is of another
        format, or nobody has a page.
    """
    _refuse_other_file(file, assignment.name)
    with locking.held(course, f"feedback {assignment.name}"):
        page_writing.write_all(course, assignment)
    origins = provenance.read(course, assignment.name)
    paths = {student: one.path for student, one in origins.items() if one.is_owned}
    return archive_pages(course, assignment.name, assignment.students, paths, file)


def archive_pages(
    course: Course, name: str, students: Sequence[str], paths: Mapping[str, str], file: Path
) -> HandedBack:
    """Write the pages of an assignment or a capstone into an archive.

    Parameters
    ----------
    course : Course
    name : str
    students : sequence of str
    paths : mapping of str to str
        Where each submission lay in what the learning system gave, if that is known.
    file : Path
        An earlier archive of the same pages is replaced.

    Raises
    ------
    GradingError
        If the file is there and is no earlier archive of these pages, its name is of another
        format, or nobody has a page.
    """
    _refuse_other_file(file, name)
    done = HandedBack()
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as pages:
        for student in students:
            page = course.feedback(student, name)
            if not page.is_file():
                done.without.append(student)
                continue
            folder = _folder(paths.get(student, ""))
            (done.moodle if folder else done.plain).append(student)
            # One moment for all, so that equal pages make an equal archive.
            place = f"{folder or student}/{name}.html"
            pages.writestr(zipfile.ZipInfo(place), page.read_bytes(), zipfile.ZIP_DEFLATED)
    if len(done.without) == len(students):
        raise GradingError(f"nobody has a page for {name} yet; grade it first")
    atomic_files.replace_file(file, content.getvalue())
    return done


def _refuse_other_file(file: Path, name: str) -> None:
    """Raise GradingError unless a file is new or an earlier archive of the same pages."""
    check_ending(file, ".zip")
    if file.exists() and not _has_pages_alone(file, name):
        raise GradingError(
            f"{file} is there, is no earlier archive of the pages of {name}, and stays as it is; "
            "give another name"
        )


def _has_pages_alone(file: Path, name: str) -> bool:
    if not file.is_file():
        return False
    try:
        with zipfile.ZipFile(file) as pages:
            members = pages.namelist()
    except (OSError, zipfile.BadZipFile):
        return False
    return bool(members) and all(PurePosixPath(one).name == f"{name}.html" for one in members)


def _folder(path: str) -> str:
    """Return what Moodle calls a student's folder; empty where it was not Moodle."""
    parts = PurePosixPath(path.replace("\\", "/")).parts
    names = (found[0] for part in parts if (found := _MOODLE.match(part)))
    return archives.plain_name(next(names, ""))
