"""What is installed and typed: the name of the distribution, which its command has, too.

It is not the name of the import. `recsys-metrics` on PyPI is another project, whose import is
`recsys_metrics` as well: the command line warns where both are installed.
"""

from __future__ import annotations

DISTRIBUTION = "recsys-workbook"
COMMAND = DISTRIBUTION
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
