"""What is installed and typed: the name of the distribution, which its command has, too.

It is not the name of the import. `recsys-metrics` on PyPI is another project, whose import is
`recsys_metrics` as well: the command line warns where both are installed.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

DISTRIBUTION = "recsys-workbook"
COMMAND = DISTRIBUTION
# Chapters, solutions and data sets, which are not under the library's licence.
CONTENT = "recsys-workbook-content"
# Learners' progress and the records of their workbooks were in this folder before the distribution
# had its name, and stay there.
USER_FOLDER = "recsys-metrics"


def how_to_install(extra: str) -> str:
    """Return what to type to get what an extra brings.

    Parameters
    ----------
    extra : str
        One of `pyproject.toml`.

    Examples
    --------
    >>> how_to_install("frames")
    'pip install "recsys-workbook[frames]"'
    """
    return f'pip install "{DISTRIBUTION}[{extra}]"'


def content_folder() -> Path | None:
    """Return the folder of the data sets and, where they are installed, the chapters.

    Returns
    -------
    Path or None
        None if only the library is installed.
    """
    found = find_spec(CONTENT.replace("-", "_"))
    return None if found is None or found.origin is None else Path(found.origin).parent
