"""What the built site holds of others, under which terms, with the texts that these ask for.

Every file in the site's `_static` that is not the book's own belongs to one `Part`; a file that
belongs to none is a warning, with which the build fails: a new version of a theme may bring more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import in_page
from sphinx.util import logging

from recsys_metrics._core.package_names import CONTENT, content_folder

PLACE = "_static/licences"
COMMENT = "<!-- licences -->"
_TEXTS = Path(__file__).resolve().with_suffix("")
_OWN = Path(__file__).resolve().parent / "_static"
# What the build itself writes, beside the files of that folder; and the data, whose terms are among
# the texts of our own.
_WRITTEN = re.compile(
    r"(alone|cells|exercises|explorables|licences|reviews)/[\w.-]+\.(js|txt)|python/manifest\.js|front\.js"
    r"|search_index\.js|front/(card|explorable)\.(js|css)"
    r"|python/(movielens_latest_small|open_bandit_sample)-\w+\.npz"
)


# The texts that a package brings.
TEXT = re.compile(r"\.dist-info/(.*/)?(LICEN[CS]E|COPYING)[^/]*$")


@dataclass(frozen=True)
class Part:
    """What the site holds of one author.

    Attributes
    ----------
    name, what : str
        What it is called, and what it is for.
    licence : str
        Of SPDX.
    files : str
        A pattern of the paths in `_static`.
    package : str
        The Python package that brings it, whose text of the licence is shown unless `rights` are
        given; empty where none does.
    rights : str
        Who has them, where the package has no text of its own for it.
    texts : tuple of str
        The texts in `book/licences` that follow the rights.
    """

    name: str
    what: str
    licence: str
    files: str
    package: str
    rights: str = ""
    texts: tuple[str, ...] = ()

    @property
    def page(self) -> str:
        """The name of the file with its text."""
        return re.sub(r"\W+", "-", self.name.lower()) + ".txt"

    def text(self) -> str:
        """Return the text that the licence asks for, with whose rights they are."""
        if self.rights:
            return "\n\n".join([self.rights, *map(kept, self.texts)])
        found = [
            Path(str(file.locate())).read_text(encoding="utf-8")
            for file in metadata.files(self.package) or ()
            if TEXT.search(str(file))
        ]
        if not found:
            raise LookupError(f"{self.package} brings no text of its licence; give its rights")
        return "\n\n".join(found)


PARTS = (
    Part(
        "Sphinx",
        "search and small scripts of the pages",
        "BSD-2-Clause",
        r"(basic\.css|(doctools|documentation_options|language_data|searchtools|sphinx_highlight)"
        r"\.js|(file|minus|plus)\.png)",
        "sphinx",
    ),
    Part(
        "Snowball",
        "word stems for the search",
        "BSD-3-Clause",
        r"(base|english)-stemmer\.js",
        "snowballstemmer",
    ),
    Part("Pygments", "colours of code", "BSD-2-Clause", r"pygments\.css", "pygments"),
    Part(
        "accessible-pygments",
        "the choice of these colours",
        "BSD-3-Clause",
        r"pygments\.css",
        "accessible-pygments",
    ),
    Part(
        "PyData Sphinx Theme",
        "layout of the pages",
        "BSD-3-Clause",
        r"(scripts|styles)/pydata-sphinx-theme\..*|styles/theme\.css|webpack-macros\.html",
        "pydata-sphinx-theme",
    ),
    Part(
        "Sphinx Book Theme",
        "layout of the pages",
        "BSD-3-Clause",
        r"(scripts|styles)/sphinx-book-theme\..*|sbt-webpack-macros\.html|locales/.*"
        r"|images/logo_\w+\.(svg|png)",
        "sphinx-book-theme",
    ),
    Part(
        "Bootstrap",
        "menus and dialogues",
        "MIT",
        r"scripts/bootstrap\.js.*",
        "pydata-sphinx-theme",
        rights="Copyright (c) 2011-2024 The Bootstrap Authors\n"
        "Popper, which it contains: Copyright (c) 2019 Federico Zivolo",
        texts=("MIT",),
    ),
    Part(
        "Font Awesome Free",
        "icons: code MIT, pictures CC BY 4.0, fonts under the SIL Open Font License",
        "MIT AND CC-BY-4.0 AND OFL-1.1",
        r"scripts/fontawesome\.js.*|vendor/fontawesome/.*",
        "pydata-sphinx-theme",
        rights="Font Awesome Free, https://fontawesome.com\n"
        "Copyright (c) 2026 Fonticons, Inc. (https://fontawesome.com), with Reserved Font Name: "
        '"Font Awesome".\n'
        "Icons: CC BY 4.0, https://creativecommons.org/licenses/by/4.0/legalcode\n"
        "Code: MIT License. Fonts: SIL Open Font License 1.1. Both follow.",
        texts=("MIT", "OFL-1.1"),
    ),
    Part(
        "clipboard.js",
        "copies code",
        "MIT",
        r"clipboard\.min\.js",
        "sphinx-copybutton",
        rights="Copyright (c) Zeno Rocha",
        texts=("MIT",),
    ),
    Part(
        "sphinx-copybutton",
        "the button that copies code",
        "MIT",
        r"copybutton.*\.(css|js)|(check-solid|copy-button)\.svg",
        "sphinx-copybutton",
    ),
    Part(
        "CodeMirror",
        "the editor of code in a page",
        "MIT",
        r"editor\.js",
        "",
        rights="CodeMirror, Lezer and crelt, style-mod, w3c-keyname, find-cluster-break\n"
        "Copyright (C) 2016-2024 by Marijn Haverbeke <marijn@haverbeke.berlin> and "
        "others",
        texts=("MIT",),
    ),
    Part(
        "hyparquet",
        "reading Parquet on the page Evaluate my own lists, with decompressors of others",
        "MIT",
        r"parquet\.js",
        "",
        rights="hyparquet and hyparquet-compressors, by Hyperparam, https://hyperparam.app\n"
        "fzstd: Copyright (c) 2020 Arjun Barrett\n"
        "fflate, of which the decompressor of gzip is adapted: Copyright (c) 2023 Arjun Barrett",
        texts=("MIT",),
    ),
    Part(
        "markdown-it-py",
        "sentences of the feedback, in the Python of a page",
        "MIT",
        r"python/library-\w+\.packed",
        "markdown-it-py",
    ),
    Part(
        "mdurl",
        "addresses in these sentences",
        "MIT",
        r"python/library-\w+\.packed",
        "mdurl",
    ),
    Part(
        "IPython",
        "printing of numbers, lists and tables, in the Python of a page",
        "BSD-3-Clause",
        r"python/rest-\w+\.packed",
        "ipython",
    ),
    Part(
        "platformdirs",
        "the name of a folder that data may be in, in the Python of a page",
        "MIT",
        r"python/rest-\w+\.packed",
        "platformdirs",
    ),
    Part(
        "Narwhals",
        "names of columns, in the Python of a page",
        "MIT",
        r"python/numbers-\w+\.packed",
        "narwhals",
    ),
    Part("MyST-NB", "layout of cells", "BSD-3-Clause", r"mystnb\.\w+\.css", "myst-nb"),
)


# Where the Python of the pages is beside the book, and not at its public address.
RUNTIME = (
    Part(
        "Pyodide",
        "Python in a page",
        "MPL-2.0",
        r"python/pyodide\..*",
        "",
        rights="Copyright (c) 2018-2025 Pyodide contributors and Mozilla\n"
        "This Source Code Form is subject to the terms of the Mozilla Public License, v. 2.0. "
        "You can obtain one at https://mozilla.org/MPL/2.0/.\n"
        f"The source code is at https://github.com/pyodide/pyodide/tree/{in_page.VERSION}.",
    ),
    Part(
        "CPython",
        "the language itself and its standard library",
        "PSF-2.0",
        r"python/(pyodide\.asm\.wasm|python_stdlib\.zip)",
        "",
        rights="Python 3.12",
        texts=("PSF-2.0",),
    ),
    Part("NumPy", "arrays in a page", "BSD-3-Clause", r"python/numpy-.*\.whl", "numpy"),
    Part(
        "SciPy, with OpenBLAS",
        "distributions and tests in a page, where a cell needs them",
        "BSD-3-Clause",
        r"python/(scipy-.*\.whl|openblas-.*\.zip)",
        "scipy",
    ),
    Part(
        "Matplotlib, with its dependencies",
        "plots in a page, where a cell draws one",
        "Python-2.0 and MIT and BSD-3-Clause and HPND",
        r"python/(matplotlib|contourpy|cycler|fonttools|kiwisolver|packaging|pillow|pyparsing"
        r"|python_dateutil|pytz|six|matplotlib_pyodide)-.*\.whl",
        "matplotlib",
    ),
)


def parts() -> tuple[Part, ...]:
    """Return what the site holds that is built now."""
    return (*PARTS, *RUNTIME) if in_page.is_folder(in_page.place()) else PARTS


def kept(name: str) -> str:
    """Return a text of a licence that stands beside this file."""
    return (_TEXTS / f"{name}.txt").read_text(encoding="utf-8")


def of_ours() -> dict[str, str]:
    """Return the texts of what the project itself is under, by the names of their files."""
    folder = content_folder()
    if folder is None:
        raise LookupError(f"{CONTENT} is not installed: the book shows its data")
    return {
        f"{file.stem.lower()}.txt": file.read_text(encoding="utf-8")
        for file in sorted(folder.glob("LICENSE*"))
    }


def table() -> str:
    """Return the table of the parts, in Markdown, each with a link to its text."""
    rows = [
        f"| {part.name} | {part.what} | {part.licence} | {_link(part.page)} |" for part in parts()
    ]
    head = ["| part | what for | licence | text |", "| --- | --- | --- | --- |"]
    return "\n".join([*head, *rows])


def _link(file: str) -> str:
    return f'<a href="../{PLACE}/{file}">{file}</a>'


def of_lite(lite: str) -> str:
    """Return where the texts of JupyterLite stand, whose site is at an address or in a folder."""
    if not lite:
        return ""
    address = lite if "//" in lite else f"../{lite}"
    link = f'<a href="{address}licences.txt">one file</a>'
    return f"\n\nThe notebooks open in JupyterLite, which has its texts in {link}."


def place(app: Any, docname: str, source: list[str]) -> None:
    """Put the table where a page has the comment for it, and links where it names a text."""
    if COMMENT in source[0]:
        lite = of_lite(app.config.html_context.get("lite", ""))
        source[0] = source[0].replace(COMMENT, table() + lite)
        for file in of_ours():
            source[0] = source[0].replace(f"<!-- text: {file} -->", _link(file))


def write(app: Any) -> None:
    """Write the texts into the site."""
    if app.builder.format != "html":
        return
    folder = Path(app.outdir) / PLACE
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in {**of_ours(), **{part.page: part.text() for part in parts()}}.items():
        (folder / name).write_text(text, encoding="utf-8")


def unnamed(static: Path) -> Iterator[str]:
    """Yield the files of others that no part names."""
    for path in sorted(static.rglob("*")):
        name = path.relative_to(static).as_posix()
        named = (_WRITTEN.pattern, *(part.files for part in parts()))
        if not path.is_file() or (_OWN / name).is_file():
            continue
        if not any(re.fullmatch(files, name) for files in named):
            yield name


def check(app: Any, problem: Exception | None) -> None:
    """Warn of what the site holds and the page does not list."""
    if problem is None and app.builder.format == "html":
        for name in unnamed(Path(app.outdir) / "_static"):
            logging.getLogger(__name__).warning(
                "_static/%s is not the book's own and no part of book/licences.py names it", name
            )
