"""The workbook laid out in a folder of the reader's, again and again, without losing an edit.

A *document* is a text and its notebook: `chapters/02_ranking.md` and `.ipynb` are one, and who
edits either has edited both. What was laid down is remembered by its hash, so that a newer
version replaces what the reader left alone and nothing else.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from itertools import count
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

PRIVATE = ".recsys-metrics"
PAIR = (".ipynb", ".md")
_FOLDERS = ("chapters", "solutions")
_SETTINGS = "jupytext.toml"
_HEADER = re.compile(rb"\A---\r?\n.*?^---\r?\n", re.DOTALL | re.MULTILINE)
# Names a widget of a kernel that has ended; it shows nothing.
_WIDGET = "application/vnd.jupyter.widget-view+json"
# How a cell is looked at, and when it ran.
_VIEW = {"collapsed", "editable", "execution", "jupyter", "scrolled", "trusted"}
_HERE = Path(__file__).resolve().parent


class WorkbookError(Exception):
    """What went wrong with the reader's workbook, in words for the reader."""


@dataclass(frozen=True)
class Source:
    """Where the chapters of this installation are.

    Attributes
    ----------
    root : Path
        Holds `chapters`, `solutions` and `_toc.yml`.
    checkout : bool
        True for a clone of the project, False for an installed package.
    """

    root: Path
    checkout: bool

    def toc(self) -> dict[str, Any]:
        """Return the table of contents that the book has too."""
        content = yaml.safe_load((self.root / "_toc.yml").read_text(encoding="utf-8"))
        return content if isinstance(content, dict) else {}

    def first_chapter(self) -> str:
        """Return the page to begin with, without its suffix.

        Raises
        ------
        WorkbookError
            If the table of contents lists none.
        """
        for page in _pages(self.toc()):
            return page
        raise WorkbookError(f"{self.root / '_toc.yml'} lists no chapter after its root to open")

    def files(self) -> dict[str, Path]:
        """Return what belongs in a workbook, by its name there.

        The front page of the book leads from there into the workbook and is not part of it.
        """
        front = str(self.toc().get("root"))
        found = {
            path.relative_to(self.root).as_posix(): path
            for folder in _FOLDERS
            for path in sorted((self.root / folder).rglob("*"))
            if path.is_file()
            and not any(part.startswith((".", "__")) for part in path.relative_to(self.root).parts)
        }
        chosen = {name: path for name, path in found.items() if document(name) != front}
        return {**chosen, _SETTINGS: _HERE / "jupyter" / _SETTINGS}


def _pages(node: Mapping[str, Any]) -> Iterator[str]:
    if "file" in node:
        yield document(str(node["file"]))
    for key in ("parts", "subtrees", "chapters", "sections", "entries"):
        for child in node.get(key) or []:
            yield from _pages(child)


def find_source(package: Path = _HERE) -> Source:
    """Return where the chapters are: in the installed package, or in the clone around it.

    Parameters
    ----------
    package : Path
        Folder of `recsys_metrics.workbook`.

    Raises
    ------
    WorkbookError
        If this installation carries no chapters.
    """
    for source in (Source(package / "notebooks", False), Source(package.parents[1], True)):
        if (source.root / "_toc.yml").is_file() and (source.root / "chapters").is_dir():
            return source
    raise WorkbookError(
        f"this installation of recsys-metrics carries no chapters: neither {package / 'notebooks'} "
        f"nor {package.parents[1]} holds a _toc.yml with chapters beside it. Install it again: "
        'pip install --force-reinstall "recsys-metrics[workbook]"'
    )


def document(name: str) -> str:
    """Return the document a file belongs to.

    >>> document("chapters/02_ranking.ipynb"), document("chapters/wheel.png")
    ('chapters/02_ranking', 'chapters/wheel.png')
    """
    return name.removesuffix(PurePosixPath(name).suffix) if name.endswith(PAIR) else name


def documents(names: Iterable[str]) -> dict[str, list[str]]:
    """Return the files of each document.

    >>> documents(["a.md", "a.ipynb", "b.md"])
    {'a': ['a.ipynb', 'a.md'], 'b': ['b.md']}
    """
    grouped: dict[str, list[str]] = {}
    for name in sorted(names):
        grouped.setdefault(document(name), []).append(name)
    return grouped


class Fate(Enum):
    """What happens to a document."""

    NEW = "new"
    UPDATED = "updated"
    SAME = "already up to date"
    KEPT = "kept"
    BESIDE = "kept, the new version beside it"


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


def decide(
    names: Iterable[str],
    shipped: Mapping[str, str],
    found: Mapping[str, str],
    manifest: Manifest,
) -> Fate:
    """Return what happens to one document.

    Parameters
    ----------
    names : iterable of str
        Its files.
    shipped, found : mapping of str to str
        Hashes of the files of this version, and of those that are in the reader's folder.
    manifest : Manifest

    Returns
    -------
    Fate
    """
    names = list(names)
    present = [name for name in names if name in found]
    if not present:
        return Fate.NEW
    if any(found[name] not in (shipped[name], manifest.laid.get(name)) for name in present):
        known = all(shipped[name] == manifest.offered.get(name) for name in names)
        return Fate.KEPT if known else Fate.BESIDE
    return Fate.SAME if all(found.get(name) == shipped[name] for name in names) else Fate.UPDATED


@dataclass(frozen=True)
class Laid:
    """What was done to a folder.

    Attributes
    ----------
    folder : Path
    fates : mapping of str to Fate
        What happened to each document.
    beside : mapping of str to str
        For each edited document with a newer version, the document it was put down as.
    """

    folder: Path
    fates: Mapping[str, Fate]
    beside: Mapping[str, str]

    def of(self, *fates: Fate) -> list[str]:
        """Return the documents that had one of some fates."""
        return [name for name, fate in self.fates.items() if fate in fates]

    def __str__(self) -> str:
        new, updated = self.of(Fate.NEW), self.of(Fate.UPDATED)
        kept = self.of(Fate.KEPT, Fate.BESIDE)
        lines = [
            f"Workbook in {self.folder}: {len(new)} new, {len(updated)} updated, "
            f"{len(kept)} kept because you edited them"
        ]
        # In an empty folder everything is new, and a list of it says nothing.
        if len(new) < len(self.fates):
            lines += [f"  new: {name}" for name in new]
        lines += [f"  updated: {name}" for name in updated]
        lines += [
            f"  kept: {name}"
            + (
                f"; the newer version is beside it: {self.beside[name]}"
                if name in self.beside
                else ""
            )
            for name in kept
        ]
        return "\n".join(lines)


def lay_out(source: Source, folder: Path, version: str) -> Laid:
    """Copy the workbook into a folder, again if need be, and keep what the reader edited.

    An edited document is never written to. If there is a newer version of it, that is put
    beside it, once, as `NAME.new-VERSION`. A document that was deleted comes back.

    Parameters
    ----------
    source : Source
    folder : Path
        Made if it does not exist.
    version : str
        Names the newer version of an edited document.

    Returns
    -------
    Laid

    Raises
    ------
    WorkbookError
        If the folder cannot be written to, or what was laid down before cannot be known.
    """
    try:
        return _lay_out(source, folder, version)
    except OSError as error:
        raise WorkbookError(
            f"cannot write the workbook to {folder}: {error.strerror or error} "
            f"({error.filename or folder}). Nothing you edited was changed. "
            "Make the folder writable, or name another: recsys-metrics lab DIR"
        ) from error


def _lay_out(source: Source, folder: Path, version: str) -> Laid:
    files = source.files()
    manifest = read_manifest(folder)
    shipped = {name: _hash(path) for name, path in files.items()}
    found = {name: _hash(folder / name) for name in files if (folder / name).is_file()}
    laid, offered = dict(manifest.laid), dict(manifest.offered)
    fates: dict[str, Fate] = {}
    beside: dict[str, str] = {}
    make_private(folder)
    for one, names in documents(files).items():
        fate = fates[one] = decide(names, shipped, found, manifest)
        if fate is Fate.KEPT:
            continue
        offered.update({name: shipped[name] for name in names})
        if fate is Fate.BESIDE:
            tag = _free_tag(folder, names, version)
            beside[one] = document(_tagged(names[0], tag))
            targets = {name: _tagged(name, tag) for name in names}
        else:
            laid.update({name: shipped[name] for name in names})
            targets = {name: name for name in names if found.get(name) != shipped[name]}
        for name, target in targets.items():
            _write(folder / target, files[name].read_bytes())
    _write_manifest(folder, Manifest(laid, offered), version)
    return Laid(folder, fates, beside)


def _tagged(name: str, tag: str) -> str:
    path = PurePosixPath(name)
    return str(path.with_name(f"{path.stem}.{tag}{path.suffix}"))


def _free_tag(folder: Path, names: Iterable[str], version: str) -> str:
    """Return what to add to the names of a document so that no file has them."""
    names = list(names)
    tags = (f"new-{version}" if again == 1 else f"new-{version}-{again}" for again in count(1))
    return next(
        tag for tag in tags if not any((folder / _tagged(name, tag)).exists() for name in names)
    )


def fingerprint(name: str, content: bytes) -> str:
    """Return a hash of what a reader can edit in a file.

    JupyterLab writes its own version, the kernel's and a count of runs into a notebook that was
    only opened or run. None of that is an edit; cells and outputs are.

    Parameters
    ----------
    name : str
        Tells a notebook or a text by its suffix.
    content : bytes

    Returns
    -------
    str
    """
    if name.endswith(".md"):
        content = _HEADER.sub(b"", content).strip()
    elif name.endswith(".ipynb"):
        # What cannot be read as a notebook was edited by somebody, and stays as it is.
        with suppress(ValueError, TypeError, KeyError, AttributeError):
            cells = [_essence(cell) for cell in json.loads(content)["cells"]]
            content = json.dumps(cells, sort_keys=True).encode()
    return hashlib.sha256(content).hexdigest()


def _essence(cell: Mapping[str, Any]) -> list[Any]:
    outputs = [
        {key: value for key, value in output.items() if key != "execution_count"}
        for output in cell.get("outputs", [])
    ]
    for output in outputs:
        if "data" in output:
            output["data"] = {k: v for k, v in output["data"].items() if k != _WIDGET}
    metadata = {k: v for k, v in cell["metadata"].items() if k not in _VIEW}
    source = "".join(cell["source"])
    return [cell["cell_type"], source, metadata, cell.get("attachments"), outputs]


def _hash(path: Path) -> str:
    return fingerprint(path.name, path.read_bytes())


def _write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        draft.write_bytes(content)
        draft.replace(path)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise


def untouched(folder: Path) -> frozenset[str]:
    """Return the files of a folder that are as they were laid down."""
    return frozenset(
        name
        for name, laid in read_manifest(folder).laid.items()
        if (folder / name).is_file() and _hash(folder / name) == laid
    )


def make_private(folder: Path) -> None:
    """Make the folder for what the reader need not see, and keep it out of their git."""
    private = folder / PRIVATE
    private.mkdir(parents=True, exist_ok=True)
    if not (private / ".gitignore").exists():
        _write(private / ".gitignore", b"*\n")


def manifest_path(folder: Path) -> Path:
    """Return where a folder remembers what was laid down in it."""
    return folder / PRIVATE / "manifest.json"


def read_manifest(folder: Path) -> Manifest:
    """Return what was laid down in a folder, nothing if the folder does not remember.

    Raises
    ------
    WorkbookError
        If the record is there and cannot be read.
    """
    path = manifest_path(folder)
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return Manifest(_hashes(found, "laid"), _hashes(found, "offered"))
    except FileNotFoundError:
        return Manifest()
    except (ValueError, TypeError, KeyError) as error:
        raise WorkbookError(
            f"{path} is damaged ({error}). It tells which files you edited, so nothing was copied. "
            "Remove it and run the command again: every file that is not as it was shipped then "
            "counts as edited, is kept, and gets the shipped version beside it."
        ) from error


def _hashes(manifest: Any, key: str) -> dict[str, str]:
    hashes = manifest[key]
    if not isinstance(hashes, dict) or not all(isinstance(one, str) for one in hashes.values()):
        raise TypeError(f"{key!r} is not a table of hashes")
    return hashes


def _write_manifest(folder: Path, manifest: Manifest, version: str) -> None:
    content = {"version": version, "laid": manifest.laid, "offered": manifest.offered}
    _write(manifest_path(folder), json.dumps(content, indent=1, sort_keys=True).encode())
