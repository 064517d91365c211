"""Where data lie that do not come with the workbook, and on which terms they were published."""

from __future__ import annotations

import functools
import sys
from pathlib import Path

from recsys_metrics._distribution import DISTRIBUTION, how_to_install


def folder_of(directory: str | Path | None) -> Path:
    """Return the folder that was named, or the user's cache folder of the workbook."""
    if directory is not None:
        return Path(directory)
    try:
        from platformdirs import user_cache_path
    except ImportError:
        raise ImportError(
            "without directory= the data are looked for in the user's cache folder, which "
            f"platformdirs knows; give directory=, or {how_to_install('workbook')}"
        ) from None
    return user_cache_path(DISTRIBUTION)


def files_in(folder: Path, names: tuple[str, ...], cure: str) -> list[Path]:
    """Return the paths of files that somebody put into a folder."""
    lacking = [name for name in names if not (folder / name).is_file()]
    if lacking:
        raise FileNotFoundError(f"{folder} has no {' and no '.join(lacking)}. {cure}")
    return [folder / name for name in names]


@functools.cache
def tell_terms(name: str, terms: str) -> None:
    """Say on the first use in a process on which terms data were published."""
    print(f"{name}: {terms}", file=sys.stderr)
