"""What this machine remembers of a workbook: kept with the user, never in the workbook's folder.

A folder may come from somebody else, as an archive or over a shared disk, and then holds what that
person put there. What Jupyter runs when it starts, which notebooks it trusts, and which files
count as left alone are therefore kept in the user's data folder, under the real path of the
workbook's folder. The environment variable `RECSYS_METRICS_WORKBOOKS` names another place.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import secrets
import stat
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from recsys_metrics._core.inputs.json_text import parse_json
from recsys_metrics._core.package_names import USER_FOLDER

VARIABLE = "RECSYS_METRICS_WORKBOOKS"
# Where the first version kept all this: in the folder, where anybody may have written it.
EARLIER = f".{USER_FOLDER}"


class WorkbookError(Exception):
    """What went wrong with the reader's workbook, in words for the reader."""


def records_folder() -> Path:
    """Return where the records of all workbooks are."""
    if named := os.environ.get(VARIABLE):
        return _expand(named).absolute()
    from platformdirs import user_data_path

    return user_data_path(USER_FOLDER, appauthor=False) / "workbooks"


@dataclass(frozen=True)
class Manifest:
    """What was put into a folder, by hash.

    Attributes
    ----------
    laid : mapping of str to str
        Hash of each file as it was laid down. A file that still has it was not edited.
    offered : mapping of str to str
        Hash of the newest version the reader has, laid down or put beside an edited one.
    """

    laid: Mapping[str, str] = field(default_factory=dict)
    offered: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Record:
    """What is remembered of one workbook.

    Attributes
    ----------
    folder : Path
        Of the workbook.
    place : Path
        Where it is remembered.
    """

    folder: Path
    place: Path

    @classmethod
    def for_folder(cls, folder: Path) -> Record:
        """Return the record of a folder, which need not exist yet; nothing is written."""
        real = real_path(folder)
        name = re.sub(r"[^A-Za-z0-9._-]", "_", real.name)[:40]
        return cls(
            real, records_folder() / f"{name}-{hashlib.sha256(os.fsencode(real)).hexdigest()[:16]}"
        )

    @property
    def manifest(self) -> Path:
        """Return the file that tells what was laid down."""
        return self.place / "manifest.json"

    @property
    def jupyter(self) -> Path:
        """Return the folder of Jupyter's configuration and of what the reader sets in it."""
        return self.place / "jupyter"

    @property
    def trust_folder(self) -> Path:
        """Return the folder that tells which notebooks may show all of their outputs."""
        return self.jupyter / "trust"

    @property
    def log(self) -> Path:
        """Return the file of what JupyterLab says."""
        return self.place / "jupyter.log"

    @property
    def rewritten_texts(self) -> Path:
        """Return the folder of texts that were written again from their notebooks."""
        return self.place / "kept"

    @property
    def shipped_texts(self) -> Path:
        """Return the folder of the texts of the newest version that the reader has."""
        return self.place / "shipped"

    def create(self) -> None:
        """Make the place, for nobody but this user.

        Raises
        ------
        WorkbookError
            If it cannot be made.
        """
        try:
            self.trust_folder.mkdir(parents=True, exist_ok=True)
            self.place.chmod(0o700)
        except OSError as error:
            raise WorkbookError(
                f"cannot keep the settings of this workbook in {self.place}: "
                f"{error.strerror or error}. Make that folder writable, or name another one for "
                f"them: {VARIABLE}=DIR"
            ) from error

    def read(self) -> Manifest:
        """Return what was laid down in the folder; nothing if nothing is remembered.

        Raises
        ------
        WorkbookError
            If the manifest is there and cannot be read.
        """
        try:
            refuse_device(self.manifest)
            found = parse_json(self.manifest.read_text(encoding="utf-8-sig"))
            return Manifest(_hashes(found, "laid"), _hashes(found, "offered"))
        except FileNotFoundError:
            return Manifest()
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise WorkbookError(
                f"{self.manifest} is damaged ({error}). It tells which files you edited, so "
                "nothing was copied. Remove it and run the command again: every file that is not "
                "as it was shipped then counts as edited, is kept, and gets the shipped version "
                "next to it."
            ) from error

    def write(self, manifest: Manifest, version: str) -> None:
        """Remember what was laid down.

        Parameters
        ----------
        manifest : Manifest
        version : str
            Of this package.
        """
        content = {
            "folder": os.fsdecode(self.folder),
            "version": version,
            "laid": manifest.laid,
            "offered": manifest.offered,
        }
        write_atomically(self.manifest, json.dumps(content, indent=1, sort_keys=True).encode())


def _hashes(manifest: Any, key: str) -> dict[str, str]:
    hashes = manifest[key]
    if not isinstance(hashes, dict) or not all(isinstance(one, str) for one in hashes.values()):
        raise TypeError(f"{key!r} is not a table of hashes")
    return hashes


def resolve_place(variable: str, otherwise: Callable[[], Path]) -> Path | None:
    """Return the place that a variable of the environment names; None if it says ``off``.

    A relative place is one below the folder in which the program was when it first asked, so that
    a change of the folder does not divide what is kept.
    """
    named = os.environ.get(variable)
    if named is None:
        return otherwise()
    off = named.strip().lower() in {"", "off", "0", "no", "none"}
    return None if off else _make_absolute(_expand(named))


@lru_cache
def _make_absolute(place: Path) -> Path:
    return place.absolute()


def _expand(named: str) -> Path:
    """Return a path with the home of a user in place of `~`; as it is if there is none."""
    try:
        return Path(named).expanduser()
    except RuntimeError:
        return Path(named)


def make_folder_of(path: Path) -> None:
    """Make the folder of a file; raise OSError for the home of a user who is not there."""
    home = next((one for one in path.parents if one.name.startswith("~")), None)
    if home is not None and not home.exists():
        problem = "there is no such user, so ~ stands for no home; make the folder if it is one"
        raise FileNotFoundError(errno.ENOENT, problem, str(home))
    path.parent.mkdir(parents=True, exist_ok=True)


def real_path(path: Path) -> Path:
    """Return a path without links; of links that lead in a circle, as far as they lead."""
    return Path(os.path.realpath(path))


def refuse_device(path: Path) -> None:
    """Raise OSError for a device, which has no end, a pipe, which is waited for, or a folder."""
    with suppress(FileNotFoundError):
        if not stat.S_ISREG(path.stat().st_mode):
            raise OSError(errno.EINVAL, "it is no file but a folder, a pipe or a device", str(path))


def write_atomically(path: Path, content: bytes, *, mode: int = 0o666) -> None:
    """Write a file so that at every moment it is the old one or the new one; never through a link.

    Parameters
    ----------
    path : Path
    content : bytes
    mode : int
        What of its rights the file gets that the process's umask allows.

    Raises
    ------
    OSError
        If it cannot be written; the old one is there then.
    """
    make_folder_of(path)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(6)}.new")
    try:
        draft.touch(mode, exist_ok=False)
        with draft.open("r+b") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise


def is_draft(name: str, of: str = "") -> bool:
    """Whether a file is one that `write_atomically` was killed over, perhaps of a file by its name.

    Examples
    --------
    >>> is_draft(".grades.csv.0123456789ab.new"), is_draft(".mine.new")
    (True, False)
    >>> is_draft(".grades.csv.0123456789ab.new", "grades")
    False
    """
    file = re.escape(of) or ".+"
    return re.fullmatch(rf"\.{file}\.[0-9a-f]{{12}}\.new", name) is not None
