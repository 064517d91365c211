"""The students' pages in one archive that a learning system hands out.

Moodle takes it as "Upload multiple feedback files in a zip" (mod/assign/feedback/file): a folder
for each student, named as in its download of submissions, `Ann Lee_1001_assignsubmission_file`.
Whoever handed in elsewhere has a folder with their id.
"""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from recsys_metrics.workbook.course import provenance
from recsys_metrics.workbook.course.assignment import Assignment
from recsys_metrics.workbook.course.course_folder import Course
from recsys_metrics.workbook.course.provenance import Origin
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
    """Write the feedback pages of an assignment into a new archive.

    Raises
    ------
    GradingError
        If the file is there already, or nobody has a page.
    """
    if file.exists():
        raise GradingError(f"{file} is there already and stays as it is; give another name")
    origins = provenance.read(course, assignment.name)
    done = HandedBack()
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as pages:
        for student in assignment.students:
            page = course.feedback(student, assignment.name)
            if not page.is_file():
                done.without.append(student)
                continue
            folder = _folder(origins.get(student, Origin()))
            (done.moodle if folder else done.plain).append(student)
            # One moment for all, so that equal pages make an equal archive.
            name = f"{folder or student}/{assignment.name}.html"
            pages.writestr(zipfile.ZipInfo(name), page.read_bytes(), zipfile.ZIP_DEFLATED)
    if len(done.without) == len(assignment.students):
        raise GradingError(f"nobody has a page for {assignment.name} yet; grade it first")
    atomic_files.replace_file(file, content.getvalue())
    return done


def _folder(origin: Origin) -> str:
    """Return what Moodle calls a student's folder; empty where it was not Moodle."""
    if not origin.is_owned:
        return ""
    parts = PurePosixPath(origin.path.replace("\\", "/")).parts
    return next((found[0] for part in parts if (found := _MOODLE.match(part))), "")
