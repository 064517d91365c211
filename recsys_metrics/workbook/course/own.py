"""A course's own exercises, kept in a file of its own and in no package.

The file is Python, and the instructor's: it is run as the instructor.
"""

from __future__ import annotations

import hashlib
import traceback
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from recsys_metrics.workbook.course.folder import CourseError
from recsys_metrics.workbook.exercises import REGISTRY
from recsys_metrics.workbook.exercises.base import Exercise
from recsys_metrics.workbook.exercises.predict import Predict

NAME = "EXERCISES"


def load(file: Path) -> dict[str, Exercise]:
    """Return the exercises that a file declares, by id.

    Parameters
    ----------
    file : Path
        Python, with a tuple ``EXERCISES``.

    Raises
    ------
    CourseError
        If it cannot be read or run, or holds something else.
    """
    try:
        source = file.read_bytes()
    except OSError as problem:
        raise CourseError(f"{file} cannot be read: {problem.strerror or problem}") from None
    return _declared(str(file), source)


@cache
def _declared(file: str, source: bytes) -> dict[str, Exercise]:
    module = ModuleType(f"own_exercises_{hashlib.sha256(source).hexdigest()[:16]}")
    module.__file__ = file
    try:
        exec(compile(source, file, "exec"), module.__dict__)
    except Exception as problem:
        raise CourseError(f"{file}{_line(file, problem)}: {_said(problem)}") from None
    found = getattr(module, NAME, None)
    if not isinstance(found, tuple | list) or not found:
        raise CourseError(f"{file} declares no {NAME}; end it with `{NAME} = (mine, another)`")
    return _by_id(file, found)


def _by_id(file: str, found: Any) -> dict[str, Exercise]:
    by_id: dict[str, Exercise] = {}
    for one in found:
        if not isinstance(one, Exercise) or isinstance(one, Predict):
            raise CourseError(
                f"{file}: {NAME} holds a {type(one).__name__}; it may hold Numbers, Function, "
                "Choice, Order and Text"
            )
        if one.id in REGISTRY:
            raise CourseError(
                f"{file}: {one.id} is an exercise of the workbook; give it another id"
            )
        if one.id in by_id:
            raise CourseError(f"{file}: two exercises have the id {one.id}")
        by_id[one.id] = one
    return by_id


def _line(file: str, problem: Exception) -> str:
    if isinstance(problem, SyntaxError):
        return f", line {problem.lineno}"
    lines = [at.lineno for at in traceback.extract_tb(problem.__traceback__) if at.filename == file]
    return f", line {lines[-1]}" if lines else ""


def _said(problem: Exception) -> str:
    return f"{type(problem).__name__}: {problem}".partition("\n")[0]
