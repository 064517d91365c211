"""Writing into the course's folder: whole files or none, and a sentence where a disk refuses."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from recsys_metrics.workbook.common.state_file import is_draft, write_atomically
from recsys_metrics.workbook.grading.limits import GradingError

_SCRATCH = "recsys-course-"
_CURES = {
    errno.ENOSPC: "the disk is full; free some space",
    errno.EDQUOT: "your share of the disk is used up; free some space",
    errno.EFBIG: "the file would be larger than is allowed here; raise the limit (`ulimit -f`)",
    errno.EROFS: "the folder can only be read; copy the course to where you may write",
    errno.EACCES: "you may not write there; ask its owner, or copy the course to your own folder",
    errno.EPERM: "you may not write there; ask its owner, or copy the course to your own folder",
}


_IN_THE_WAY = {errno.EISDIR, errno.ENOTDIR, errno.EEXIST, errno.ELOOP}


class StorageError(GradingError):
    """A disk that does not take what is to be written: nobody's submission has part in it."""


def explain_refusal(what: object, problem: OSError) -> StorageError:
    """Return what to say when something could not be written.

    Parameters
    ----------
    what
        A file or a folder.
    problem : OSError
    """
    cure = _CURES.get(problem.errno or 0)
    if problem.errno in _IN_THE_WAY:
        return StorageError(
            f"{what} could not be written: something else is in its place, a folder, a file or a "
            "link; move it away, and give the same command again"
        )
    if cure is None:
        return StorageError(f"{what} could not be written ({problem.strerror or problem})")
    return StorageError(
        f"{what} could not be written: {cure}, and give the same command again. What was done is "
        "kept"
    )


def is_disk_full(problem: OSError) -> bool:
    """Whether a disk, and no submission, is the cause."""
    return problem.errno in _CURES


def replace_file(file: Path, content: str | bytes) -> None:
    """Write a file so that at every moment it is either the old one or the new one.

    Raises
    ------
    StorageError
        If it cannot be written; the old one is there then.
    """
    try:
        write_atomically(file, content.encode() if isinstance(content, str) else content)
    except OSError as problem:
        raise explain_refusal(file, problem) from None


def remove_unfinished(root: Path) -> None:
    """Remove what a writer that was killed has left in a course; nobody else may write then."""
    for here, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in files:
            if is_draft(name):
                with suppress(OSError):
                    Path(here, name).unlink()


@contextmanager
def create_scratch() -> Iterator[Path]:
    """Make a folder for one submission among the system's temporary ones.

    It is locked as long as it is used: so a folder that can be locked is one that a killed
    grader has left, whatever its process was called and on whichever side of a container it ran.
    """
    folder, handle = _locked_folder()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(handle)


def remove_abandoned() -> None:
    """Remove the temporary folders of graders that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_SCRATCH}*"):
        with suppress(OSError):
            if folder.is_symlink() or not folder.is_dir() or folder.stat().st_uid != os.getuid():
                continue
            handle = _lock(folder)
            if handle is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(handle)


def _locked_folder() -> tuple[Path, int]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_SCRATCH))
        handle = _lock(folder)
        # Another may have taken it for a left one before it was locked.
        if handle is not None:
            if folder.is_dir():
                return folder, handle
            os.close(handle)


def _lock(folder: Path) -> int | None:
    import fcntl

    try:
        handle = os.open(folder, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle
