"""Whether all that the lab needs is installed: known before anything is copied.

This module imports nothing that may be missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import metadata

from recsys_metrics._core.package_names import CONTENT, DISTRIBUTION, how_to_install
from recsys_metrics.workbook.common.state_file import WorkbookError

_EXTRA = "workbook"
_REQUIREMENT = re.compile(r"([\w.-]+)(?:\[([\w,-]+)\])?")
_MARKER = re.compile(r"""extra *== *["']([\w-]+)["']""")


def require_packages() -> None:
    """Raise if a package is missing that the lab or a chapter needs.

    Raises
    ------
    WorkbookError
        With the names of all that are missing, and how to install them.
    """
    # A clone has the chapters without that package; where they are looked for, that is known.
    needed = dict.fromkeys(name for name in list_packages(_EXTRA) if name != CONTENT)
    missing = [name for name in needed if not _is_installed(name)]
    if missing:
        are, them = ("is", "it") if len(missing) == 1 else ("are", "them")
        raise WorkbookError(
            f"{', '.join(missing)} {are} not installed, and the lab needs {them}. Nothing was "
            f"copied. Install {them} with {how_to_install(_EXTRA)}"
        )


def list_packages(extra: str) -> Iterator[str]:
    """Yield the distributions that an extra brings, with those of the extras that it names.

    A source tree that is not installed says nothing of this, and none are yielded.
    """
    try:
        required = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return
    for line in required:
        marker = _MARKER.search(line)
        if marker is None or marker[1] != extra:
            continue
        found = _REQUIREMENT.match(line)
        assert found is not None
        name, extras = found.groups()
        if name != DISTRIBUTION:
            yield name
            continue
        for other in (extras or "").split(","):
            yield from list_packages(other)


def _is_installed(name: str) -> bool:
    try:
        return bool(metadata.version(name))
    except metadata.PackageNotFoundError:
        return False
