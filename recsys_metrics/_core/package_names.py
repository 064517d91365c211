"""Names of the distribution, the command and the extras, and how to install them.

It is not the name of the import. `recsys-metrics` on PyPI is another project, whose import is
`recsys_metrics` as well: the command line warns where both are installed.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

# Address of the repository, such as "https://github.com/OWNER/NAME"; empty until the owner sets it.
# The metadata of both packages, the book and the release check derive every other address from it.
ADDRESS = ""

DISTRIBUTION = "recsys-workbook"
COMMAND = DISTRIBUTION
# Chapters, solutions and data sets, which are not under the library's licence.
CONTENT = "recsys-workbook-content"
# The extras that need it.
WITH_CONTENT = frozenset({"book", "chapters", "course", "lite", "test", "workbook"})
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
    >>> print(how_to_install("frames"))
    pip install "recsys-workbook[frames]", or in a clone: pip install ".[frames]"
    >>> print(how_to_install("chapters"))  # doctest: +ELLIPSIS
    pip install "...", or in a clone: pip install ./recsys_workbook_content ".[chapters]"
    """
    # A clone holds the distribution of the content, which no index may have yet.
    content = f"./{CONTENT.replace('-', '_')} " if extra in WITH_CONTENT else ""
    clone = f'pip install {content}".[{extra}]"'
    return f'pip install "{DISTRIBUTION}[{extra}]", or in a clone: {clone}'


def project_urls(address: str) -> dict[str, str]:
    """Return the links that a package index shows for the project.

    Parameters
    ----------
    address : str
        Of the repository; without one there are no links.

    Returns
    -------
    dict of str
        Address by label. Only GitHub serves the book, at the address of its Pages.

    Raises
    ------
    ValueError
        If the address does not start with https:// or ends with a slash or with ``.git``.

    Examples
    --------
    >>> project_urls("https://github.com/us/workbook")["Documentation"]
    'https://us.github.io/workbook/'
    >>> list(project_urls("https://example.org/us/workbook"))
    ['Source', 'Changelog', 'Issues']
    >>> project_urls("")
    {}
    """
    if not address:
        return {}
    if not re.fullmatch(r"https://[\w.-]+(/[\w.-]+)+", address) or address.endswith(".git"):
        raise ValueError(
            f"the project's address is {address!r}; it starts with https:// and ends with the name "
            "of the repository, without a slash or .git, as in https://github.com/OWNER/NAME"
        )
    urls = {
        "Source": address,
        "Documentation": book_address(address),
        "Changelog": f"{address}/blob/HEAD/CHANGELOG.md",
        "Issues": f"{address}/issues",
    }
    return {label: url for label, url in urls.items() if url}


def book_address(address: str) -> str:
    """Return where GitHub Pages serves the book of a repository, with a slash at the end.

    Examples
    --------
    >>> book_address("https://github.com/Us/us.github.io")
    'https://us.github.io/'
    >>> book_address("https://example.org/us/workbook")
    ''
    """
    project = re.fullmatch(r"https://github\.com/([\w-]+)/([\w.-]+)", address)
    if project is None:
        return ""
    host = f"{project[1].lower()}.github.io"
    return f"https://{host}/" if project[2].lower() == host else f"https://{host}/{project[2]}/"


def content_folder() -> Path | None:
    """Return the folder of the data sets and, where they are installed, the chapters.

    Returns
    -------
    Path or None
        None if only the library is installed.
    """
    found = find_spec(CONTENT.replace("-", "_"))
    return None if found is None or found.origin is None else Path(found.origin).parent
