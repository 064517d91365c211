"""Write a file whole or not at all, so that an error leaves the one that was there."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def naming(file: Path) -> Iterator[None]:
    """Name the file in an error of the system that names none, or the draft of it."""
    try:
        yield
    except FileExistsError:
        raise
    except OSError as problem:
        raise OSError(f"{file}: {problem.strerror or problem}") from None


def begin_draft_name(file: Path) -> str:
    """Return what the name of a draft of a file begins with: it may not be longer than a name."""
    return f".{file.name[:40]}."


def _draft_name(file: Path) -> str:
    return f"{begin_draft_name(file)}{os.getpid()}.{threading.get_ident()}"


def replace_file(file: Path, lines: Iterable[str]) -> None:
    """Write the lines of a file, in UTF-8 and with the line ends of Unix.

    A file of this name, or the one that a link leads to, is replaced when all lines are written.

    Raises
    ------
    OSError
        If the name is that of a folder, or the file's folder is not there.
    """
    if file.is_dir():
        raise IsADirectoryError(f"{file} is a folder; give the name of a file in it")
    target = file.resolve()
    if not target.parent.is_dir():
        raise FileNotFoundError(f"{file.parent} is no folder; make it first")
    if target.exists() and not target.is_file():
        # A pipe or a device is no file that another could take the place of.
        with file.open("w", encoding="utf-8", newline="\n") as open_file:
            open_file.writelines(lines)
        return
    beside = target.with_name(_draft_name(target))
    try:
        with naming(file), beside.open("w", encoding="utf-8", newline="\n") as new:
            new.writelines(lines)
        if target.exists():
            beside.chmod(target.stat().st_mode)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


def write_new_file(file: Path, lines: Iterable[str]) -> None:
    """Write the lines of a file that is not there yet.

    Raises
    ------
    FileExistsError
        If there is such a file or link; it stays as it is.
    """
    if file.exists() or file.is_symlink():
        raise FileExistsError(f"{file} is there already and stays as it is")
    beside = file.with_name(_draft_name(file))
    try:
        with naming(file), beside.open("w", encoding="utf-8", newline="\n") as new:
            new.writelines(lines)
        give_name(beside, file)
    finally:
        beside.unlink(missing_ok=True)


def give_name(draft: Path, file: Path) -> None:
    """Give a draft in the same folder the name of a file that is not there yet, also if others try.

    Raises
    ------
    FileExistsError
        If there is such a file or link; it stays as it is.
    """
    try:
        os.link(draft, file)
    except FileExistsError:
        raise
    except (AttributeError, OSError):
        # Some file systems have no links, nor has Python in a browser: the draft is copied.
        with file.open("xb") as target:
            try:
                target.write(draft.read_bytes())
            except OSError:
                file.unlink()
                raise
