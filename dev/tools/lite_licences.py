"""The licences of what the site of `make lite` holds of others: their texts, in one file."""

from __future__ import annotations

import re
import sys
import zipfile
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "book"))

import licences

FILE = "licences.txt"
# What is no wheel, or one without a text: by its name, the part of the book that has the text, or
# the texts that the book keeps.
RUNTIME = {part.name: part for part in licences.RUNTIME}
RIGHTS: Mapping[str, tuple[str, ...]] = {
    r"pyodide[.-].*": (RUNTIME["Pyodide"].text(),),
    r"python_stdlib\.zip": (RUNTIME["CPython"].text(),),
    r"sqlite3-.*\.whl": (RUNTIME["CPython"].text(), "SQLite is in the public domain."),
    r"ssl-.*\.whl": (RUNTIME["CPython"].text(),),
    r"openssl-.*\.zip": (licences.kept("OpenSSL"),),
    r"openblas-.*\.zip": (RUNTIME["SciPy, with OpenBLAS"].text(),),
}
# Scripts: who brings them has a text, and those whose work they hold stand in a file beside them.
SCRIPTS = (
    "jupyterlite-core",
    "jupyterlite-pyodide-kernel",
    "jupyterlab-widgets",
    "jupyterlab-myst",
)
BESIDE = "third-party-licenses.json"


def of_scripts(package: str) -> str:
    """Return the text that a package of scripts brings."""
    files = [file for file in metadata.files(package) or () if licences.TEXT.search(str(file))]
    return "\n\n".join(Path(str(file.locate())).read_text(encoding="utf-8") for file in files)


def of_file(path: Path) -> str:
    """Return the text for a file that Python in the browser loads; empty if there is none."""
    for name, texts in RIGHTS.items():
        if re.fullmatch(name, path.name):
            return "\n\n".join(texts)
    if path.suffix != ".whl":
        return ""
    with zipfile.ZipFile(path) as wheel:
        names = [name for name in wheel.namelist() if licences.TEXT.search(name)]
        return "\n\n".join(wheel.read(name).decode(errors="replace") for name in names)


def loaded(site: Path) -> Iterator[Path]:
    """Yield the files that Python in the browser loads, and that hold somebody's work."""
    beside = site / "static" / "pyodide"
    yield from sorted(beside.iterdir() if beside.is_dir() else ())
    yield from sorted(site.rglob("pypi/*.whl"))


def write(site: Path) -> None:
    """Write the texts into the site.

    Raises
    ------
    LookupError
        If something has none.
    """
    found = {package: of_scripts(package) for package in SCRIPTS}
    found |= {path.name: of_file(path) for path in loaded(site)}
    if missing := [name for name, text in found.items() if not text]:
        raise LookupError(f"no text of a licence for {', '.join(missing)}; RIGHTS can give one")
    scripts = [path.relative_to(site).as_posix() for path in sorted(site.rglob(BESIDE))]
    head = "What this site holds of others. What its scripts hold of others stands in\n"
    parts = [head + "\n".join(scripts)]
    parts += [f"{'=' * 80}\n{name}\n{'=' * 80}\n\n{text}" for name, text in found.items()]
    (site / FILE).write_text("\n\n".join(parts), encoding="utf-8")
