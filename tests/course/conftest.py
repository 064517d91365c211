"""A course to test with; without nbgrader or a sandbox there is nothing to test."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.course.people import Desk


@pytest.fixture(scope="session")
def empty_course(tmp_path_factory) -> Path:
    """A course without an assignment; making its database takes nbgrader seconds."""
    pytest.importorskip("nbgrader", reason="the extra `course` is not installed")
    from recsys_metrics.workbook.course import folder, gradebook

    course = folder.create(tmp_path_factory.mktemp("course") / "recsys", "recsys")
    with gradebook.opened(course):
        pass
    return course.root


@pytest.fixture(scope="session")
def sandbox():
    """Skip where submissions cannot be run as they are for an instructor."""
    pytest.importorskip("nbgrader", reason="the extra `course` is not installed")
    if not shutil.which("bwrap"):
        pytest.skip("bubblewrap is not installed")


@pytest.fixture(scope="session")
def desk(empty_course, tmp_path_factory) -> Callable[..., Desk]:
    """Release an assignment in a course of its own."""

    def make(students: Sequence[str], exercises: Sequence[str], **limits: int) -> Desk:
        root = tmp_path_factory.mktemp("desk") / "recsys"
        shutil.copytree(empty_course, root)
        return Desk.release(root, students, exercises, limits)

    return make
