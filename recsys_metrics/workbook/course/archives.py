"""Opens the zip that a learning platform gives, and a student's zip with one notebook in it.

Sizes, names and times in an archive are whatever its maker wrote: no more of a file is read than a
notebook may have, and nothing is written outside of the folder that it is unpacked into.
"""

from __future__ import annotations

import os
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path, PurePosixPath

from recsys_metrics._core import console
from recsys_metrics.workbook.course.course_folder import is_copy, is_left_out, is_notebook
from recsys_metrics.workbook.grading import atomic_files, hand_ins
from recsys_metrics.workbook.grading.limits import GradingError

# In the flags of a file: encrypted in one of two ways, and named in UTF-8.
_ENCRYPTED, _UTF_8 = 0x1 | 0x40, 0x800
# What stands for the method of compression where a file is encrypted by AES.
_AES = 99
# What some programs compress by, and zipfile does not read.
_METHODS = {9: "Deflate64", 93: "Zstandard", 95: "XZ", 98: "PPMd"}
_PACK_AGAIN = "unpack it, and zip it again with the tool of your system"
_LINK = 0o120000
_MANY = 100_000
# Of how many members a message names.
_FEW = 3


def is_zip(path: Path) -> bool:
    """Whether a file has the name of a zip archive."""
    return path.suffix.lower() == ".zip"


@contextmanager
def unpacked(archive: Path, megabytes: float, say: Callable[[str, str], None]) -> Iterator[Path]:
    """Unpack the zip of a learning platform into a folder, for as long as it is read.

    Parameters
    ----------
    archive : Path
    megabytes : float
        No more than this of a file is unpacked, and a bit: enough to see that it is too large.
    say : callable
        Takes the name of a member and what is wrong with it.

    Raises
    ------
    GradingError
        If it is no zip archive, or has too many members.
    """
    with tempfile.TemporaryDirectory(prefix="collect-") as place:
        with _opened(archive) as packed:
            members = packed.infolist()
            if len(members) > _MANY:
                raise GradingError(
                    f"{archive} has {len(members):,} members, more than {_MANY:,}; unpack it "
                    "yourself and name the folder"
                )
            for member in members:
                if not member.is_dir():
                    _unpack(packed, member, Path(place), megabytes, say)
        yield Path(place)


def read_only_notebook(archive: Path, megabytes: float) -> tuple[str, bytes]:
    """Return the name and the content of the one notebook, or file of answers, in a student's zip.

    Raises
    ------
    GradingError
        If it has none or several, or cannot be read.
    """
    with _opened(archive) as packed:
        files = [
            one
            for one in packed.infolist()
            if not one.is_dir() and not _is_left_out(PurePosixPath(_name(one)))
        ]
        books = [
            one
            for one in files
            if is_notebook(_name(one)) or hand_ins.is_hand_in(PurePosixPath(_name(one)).name, b"")
        ]
        # What Jupyter saves on its own lies beside the notebook, and counts if it is alone.
        books = [one for one in books if not is_copy(PurePosixPath(_name(one)).name)] or books
        if len(books) != 1:
            raise GradingError(
                f"it is a zip with {len(books) or 'no'} notebook{'s' * (len(books) != 1)}"
                f"{_list([_name(one) for one in books or files])}; hand in the one file, not packed"
            )
        content = _read(packed, books[0], megabytes)
        if len(content) > megabytes * 1_000_000:
            raise GradingError(
                f"its notebook is larger than {megabytes:g} MB; clear the outputs of all cells"
            )
        return _name(books[0]), content


def read_named(archive: Path, name: str, megabytes: float) -> list[bytes]:
    """Return what the members of one name hold, in whatever folders they are.

    Raises
    ------
    GradingError
        If the archive is damaged.
    OSError
        If it cannot be read.
    """
    with _opened(archive) as packed:
        members = [one for one in packed.infolist() if PurePosixPath(_name(one)).name == name]
        return [_read(packed, one, megabytes) for one in members]


def plain_name(name: str) -> str:
    r"""Return the name of a folder with blanks for the signs that a terminal obeys.

    Moodle reads only the number in it.

    >>> plain_name("Ann \u202eeeL_1001_assignsubmission_file")
    'Ann  eeL_1001_assignsubmission_file'
    """
    return "".join(sign if console.is_plain(sign) else " " for sign in name)


@contextmanager
def _opened(archive: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(archive) as packed:
            yield packed
    except NotImplementedError as problem:  # a later version of the format
        raise GradingError(
            f"{archive.name} is a zip that cannot be read ({problem}); {_PACK_AGAIN}"
        ) from None
    except (zipfile.BadZipFile, EOFError) as problem:
        raise GradingError(f"{archive.name} is damaged or no zip archive ({problem})") from None


def _unpack(
    packed: zipfile.ZipFile,
    member: zipfile.ZipInfo,
    place: Path,
    megabytes: float,
    say: Callable[[str, str], None],
) -> None:
    name = PurePosixPath(_name(member))
    shown = console.printable(str(name))
    if name.is_absolute() or ".." in name.parts:
        say(shown, "is not unpacked: its name leads out of the archive")
        return
    if member.external_attr >> 16 & 0o170000 == _LINK:
        say(shown, "is a symbolic link, which is never followed")
        return
    file = place / name
    try:
        if file.exists():
            say(shown, "is twice in the archive; the first one is read")
            return
        content = _read(packed, member, megabytes)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    except GradingError as problem:
        say(shown, f"cannot be unpacked: {problem}")
        return
    except OSError as problem:
        if atomic_files.is_disk_full(problem):
            raise atomic_files.explain_refusal(str(place), problem) from None
        # A name that is too long, or that of a folder and of a file.
        say(shown, f"cannot be unpacked: {problem.strerror}")
        return
    try:
        when = datetime(*member.date_time).timestamp()
    except (ValueError, OverflowError):
        say(shown, "has no date in the archive; its time is that of unpacking")
        return
    os.utime(file, (when, when))


def _read(packed: zipfile.ZipFile, member: zipfile.ZipInfo, megabytes: float) -> bytes:
    """Return what a member holds, cut off behind what tells that it is too large."""
    if member.flag_bits & _ENCRYPTED or member.compress_type == _AES:
        raise GradingError("it has a password; ask for it without one")
    try:
        with packed.open(member) as stream:
            return stream.read(int(megabytes * 1_000_000) + 1)
    except NotImplementedError:
        number = member.compress_type
        method = f"{_METHODS[number]}, method {number}" if number in _METHODS else f"{number}"
        raise GradingError(
            f"it is compressed by a method that cannot be read ({method}); {_PACK_AGAIN}"
        ) from None
    except Exception as problem:
        # Each way of packing has errors of its own: zlib's, lzma's, a checksum.
        raise GradingError(f"it is damaged ({type(problem).__name__}: {problem})") from None


def _name(member: zipfile.ZipInfo) -> str:
    """Return the name of a member: macOS writes UTF-8 and does not say so, Windows backslashes."""
    name = member.filename
    if not member.flag_bits & _UTF_8:
        with suppress(UnicodeError):
            name = name.encode("cp437").decode("utf-8")
    return name.replace("\\", "/")


def _is_left_out(name: PurePosixPath) -> bool:
    return is_left_out(name.name, is_folder=False) or any(
        is_left_out(part, is_folder=True) for part in name.parts[:-1]
    )


def _list(names: list[str]) -> str:
    if not names:
        return ""
    more = f" and {len(names) - _FEW} more" if len(names) > _FEW else ""
    return f" ({console.printable(', '.join(names[:_FEW]))}{more})"
