"""What a platform scores, how the checker is installed there, and how its files are written."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from recsys_metrics import __version__
from recsys_metrics._core.package_names import CONTENT, DISTRIBUTION
from recsys_metrics._core.windows_names import find_fault_of_name

_NOTEBOOK = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9._-]*/)*[A-Za-z0-9_][A-Za-z0-9._-]*\.ipynb")
# PEP 427: the first two hyphens end the name, which has none itself, and the version.
_WHEEL = re.compile(r"([A-Za-z0-9_.]+)-([A-Za-z0-9_.+!]+)-[A-Za-z0-9_.-]+\.whl")
_BUILD = "pip wheel --no-deps --wheel-dir dist . ./recsys_workbook_content"


class AutograderError(Exception):
    """What keeps an autograder from being written, in words for the instructor."""


@dataclass(frozen=True)
class Scoring:
    """What is scored, and how the checker is installed.

    Attributes
    ----------
    exercises : sequence of str
        Ids.
    notebook : str
        The name of the file that is handed in.
    seconds : int
        How long it may take.
    wheels : sequence of Path
        What to install; without any, the release of this version from PyPI.
    """

    exercises: Sequence[str]
    notebook: str
    seconds: int = 120
    wheels: Sequence[Path] = ()

    def check(self) -> None:
        """Raise AutograderError unless all of it can be used.

        The library asks for the chapters and the exercises in exactly its own version. Where no
        index has them, an installation fails unless both wheels are there.
        """
        if not self.exercises:
            raise AutograderError("name a chapter or exercises to score")
        if not _NOTEBOOK.fullmatch(self.notebook):
            raise AutograderError(
                f"{self.notebook!r} cannot name the notebook; use letters, digits, . _ - and /, "
                "with .ipynb at the end"
            )
        for part in self.notebook.split("/"):
            if fault := find_fault_of_name(part):
                raise AutograderError(
                    f"{self.notebook!r} cannot name the notebook of a student on Windows, {fault}; "
                    "give another name"
                )
        for one in self.wheels:
            if not _WHEEL.fullmatch(one.name):
                raise AutograderError(f"{one} is no wheel; its name ends in .whl")
        if not self.wheels:
            return
        versions = {name: self._version_of(name) for name in (DISTRIBUTION, CONTENT)}
        for name, version in versions.items():
            if version is None:
                raise AutograderError(
                    f"--package names no wheel of {name}; give both wheels, each with a --package "
                    f"of its own. In a clone `{_BUILD}` builds them"
                )
        if versions[DISTRIBUTION] != versions[CONTENT]:
            raise AutograderError(
                f"the wheels are of two versions, {DISTRIBUTION} {versions[DISTRIBUTION]} and "
                f"{CONTENT} {versions[CONTENT]}; build both from one clone"
            )

    @cached_property
    def requirements(self) -> list[str]:
        """What to install, where the wheels lie in the folder in which pip is started."""
        if not self.wheels:
            return [f"{DISTRIBUTION}[workbook]=={__version__}"]
        extras = {DISTRIBUTION: "[workbook]"}
        return [f"./{one.name}{extras.get(_name_of(one), '')}" for one in self.wheels]

    def _version_of(self, distribution: str) -> str | None:
        for one in self.wheels:
            if _name_of(one) == distribution and (found := _WHEEL.fullmatch(one.name)):
                return found[2]
        return None


def _name_of(wheel: Path) -> str:
    return wheel.name.partition("-")[0].replace("_", "-")


def write_files(folder: Path, texts: Mapping[str, str], scoring: Scoring) -> None:
    """Write files and the wheels into a folder that is not there yet.

    Raises
    ------
    AutograderError
        If the folder is there, or cannot be written.
    """
    try:
        folder.mkdir(parents=True)
        for name, text in texts.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
            if text.startswith("#!"):
                (folder / name).chmod(0o755)
        for wheel in scoring.wheels:
            shutil.copy(wheel, folder)
    except FileExistsError:
        raise AutograderError(f"{folder} is there already; give another name") from None
    except OSError as problem:
        raise AutograderError(f"{folder} cannot be written: {problem.strerror}") from None
