"""A course that is worked on is held, so that two at once never write into it."""

from __future__ import annotations

import getpass
import json
import os
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from recsys_metrics._core import console
from recsys_metrics._core.inputs.json_text import parse_json
from recsys_metrics._core.package_names import how_to_install
from recsys_metrics.workbook.common.state_file import refuse_device
from recsys_metrics.workbook.course.course_folder import Course
from recsys_metrics.workbook.grading import atomic_files
from recsys_metrics.workbook.grading.limits import GradingError

_LOCK = ".lock"
_HOLDER = ".lock.json"
MISSING = f"filelock is not installed, which locks a course: {how_to_install('course')}"


class HeldError(GradingError):
    """Somebody else works on the course."""


@contextmanager
def held(course: Course, doing: str, *, wait: bool = False) -> Iterator[None]:
    """Hold a course, and remove what one that was killed has left.

    The system lets go of it when the process ends, however it ends.

    Parameters
    ----------
    course : Course
    doing : str
        What it is held for: "grade ps1".
    wait : bool
        Whether to wait until another lets go of it.

    Raises
    ------
    HeldError
        If another holds it; it names the process, the machine, the user and the time.
    StorageError
        If nothing can be written there.
    """
    try:
        from filelock import FileLock, Timeout
    except ModuleNotFoundError:
        raise GradingError(MISSING) from None

    lock = FileLock(course.root / _LOCK, thread_local=False)
    try:
        try:
            lock.acquire(timeout=0)
        except Timeout:
            if not wait:
                raise HeldError(
                    f"{_who(course)}; give the command again when that has ended, or --wait"
                ) from None
            print(f"{_who(course)}; waiting until that has ended", file=sys.stderr)
            lock.acquire()
    except OSError as problem:
        raise atomic_files.explain_refusal(course.root / _LOCK, problem) from None
    try:
        atomic_files.remove_unfinished(course.root)
        atomic_files.remove_abandoned()
        atomic_files.replace_file(course.root / _HOLDER, json.dumps(_here(doing)))
        yield
    finally:
        with suppress(OSError):
            (course.root / _HOLDER).unlink(missing_ok=True)
        lock.release()


def _here(doing: str) -> dict[str, object]:
    return {
        "doing": doing,
        "pid": os.getpid(),
        "host": platform.node(),
        "user": _user(),
        "since": f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC",
    }


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may run under a number without a name
        return str(os.getuid())


def _who(course: Course) -> str:
    """Say who holds a course."""
    file: Path = course.root / _HOLDER
    try:
        refuse_device(file)
        holder = parse_json(file.read_text(encoding="utf-8"))
        said = (
            f"{course.root} is locked by process {holder['pid']} of {holder['user']} on "
            f"{holder['host']} since {holder['since']} (course {holder['doing']})"
        )
    except (OSError, ValueError, TypeError, KeyError):
        said = f"{course.root} is locked by another process"
    return console.printable(said, 400)
