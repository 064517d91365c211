"""Where data sets outside the package are stored, and their terms of use."""

from __future__ import annotations

import functools
import sys
from os import PathLike
from pathlib import Path
from typing import Any

from recsys_metrics._core.package_names import DISTRIBUTION, how_to_install


class DatasetNotFoundError(FileNotFoundError):
    """Data that are fetched, or put there by hand, are not there.

    Attributes
    ----------
    name : str
        Of the data.
    remedy : str
        What brings them there.

    Examples
    --------
    >>> from recsys_metrics.datasets import DatasetNotFoundError
    >>> str(DatasetNotFoundError("Coat", "Unpack it there", "the folder has no train.ascii"))
    'the folder has no train.ascii. Unpack it there'
    """

    def __init__(self, name: str, remedy: str, lacking: str) -> None:
        super().__init__(f"{lacking}. {remedy}")
        self.name, self.remedy = name, remedy


def data_folder() -> Path:
    """Return where data that do not come with the workbook are looked for.

    Returns
    -------
    Path
        A folder of the user's cache. `directory` of a loader names another one.

    Raises
    ------
    ImportError
        If platformdirs, which knows the user's folders, is not installed.

    Examples
    --------
    >>> from recsys_metrics.datasets import data_folder
    >>> data_folder().name
    'recsys-workbook'
    """
    try:
        from platformdirs import user_cache_path
    except ImportError:
        raise ImportError(
            "without directory= the data are looked for in the user's cache folder, which "
            f"platformdirs knows; give directory=, or {how_to_install('workbook')}"
        ) from None
    return user_cache_path(DISTRIBUTION)


def read_directory(directory: Any) -> Path:
    """Return the folder that an argument names."""
    if not isinstance(directory, str | PathLike):
        raise TypeError(f"directory is the path of a folder; got {directory!r:.80}")
    return Path(directory)


def find_files(there: Path, names: tuple[str, ...], *, of: str, remedy: str) -> list[Path]:
    """Return the paths of files that somebody put into a folder."""
    lacking = [name for name in names if not (there / name).is_file()]
    if lacking:
        raise DatasetNotFoundError(of, remedy, f"{there} has no {' and no '.join(lacking)}")
    return [there / name for name in names]


@functools.cache
def print_terms(name: str, terms: str) -> None:
    """Say on the first use in a process on which terms data were published."""
    print(f"{name}: {terms}", file=sys.stderr)
