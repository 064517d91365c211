"""A course to test with; without nbgrader or a sandbox there is nothing to test."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.conftest import make_once
from tests.course.simulated_people import Desk


@pytest.fixture(scope="session")
def empty_course(shared) -> Path:
    """A course without an assignment; making its database takes nbgrader seconds."""
    pytest.importorskip("nbgrader", reason="the extra `course` is not installed")
    from recsys_metrics.workbook.course import course_folder, gradebook

    def make(place: Path) -> None:
        with gradebook.opened(course_folder.create(place, "recsys")):
            pass

    return make_once(shared / "empty-course", make)


@pytest.fixture(scope="session")
def sandbox():
    """Skip where submissions cannot be run as they are for an instructor."""
    pytest.importorskip("nbgrader", reason="the extra `course` is not installed")
    if not shutil.which("bwrap"):
        pytest.skip("bubblewrap is not installed")


@pytest.fixture(scope="session")
def desk(empty_course, tmp_path_factory) -> Callable[..., Desk]:
    """Release an assignment in a course of its own."""
    from recsys_metrics.workbook.course import course_folder
    from recsys_metrics.workbook.grading import signatures

    def make(
        students: Sequence[str], exercises: Sequence[str], *, page: bool = False, **limits: int
    ) -> Desk:
        root = tmp_path_factory.mktemp("desk") / "recsys"
        shutil.copytree(empty_course, root)
        # The copy draws its own numbers: what they do by chance, they do in one test, not in all.
        settings = root / course_folder.SETTINGS
        key = course_folder.read(root).key
        settings.write_text(
            settings.read_text("utf-8").replace(key, signatures.create_key()), "utf-8"
        )
        return Desk.release(root, students, exercises, limits, page=page)

    return make
