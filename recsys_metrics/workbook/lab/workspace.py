"""The workbook laid out in a folder of the reader's, again and again, without losing an edit.

Who edits a text or its notebook has edited both. What was laid down is remembered by its hash, so
that a newer version replaces what the reader left alone and nothing else.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from itertools import count
from pathlib import Path, PurePosixPath

from recsys_metrics._core.package_names import COMMAND
from recsys_metrics.workbook.common.content import ContentSource, document_name
from recsys_metrics.workbook.common.state_file import (
    EARLIER,
    Manifest,
    Record,
    WorkbookError,
    refuse_device,
    write_atomically,
)
from recsys_metrics.workbook.lab.chapter_diff import Changes, compare_texts
from recsys_metrics.workbook.lab.user_edits import fingerprint

# Of the file that says what a newer version changed.
CHANGES = ".diff"


def group_documents(names: Iterable[str]) -> dict[str, list[str]]:
    """Return the files of each document.

    >>> group_documents(["a.md", "a.ipynb", "b.md"])
    {'a': ['a.ipynb', 'a.md'], 'b': ['b.md']}
    """
    grouped: dict[str, list[str]] = {}
    for name in sorted(names):
        grouped.setdefault(document_name(name), []).append(name)
    return grouped


class Fate(Enum):
    """What happens to a document."""

    NEW = "new"
    UPDATED = "updated"
    SAME = "already up to date"
    KEPT = "kept"
    BESIDE = "kept, with the new version next to it"


def decide_fate(
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
class InstallResult:
    """What was done to a folder.

    Attributes
    ----------
    folder : Path
    fates : mapping of str to Fate
        What happened to each document.
    beside : mapping of str to str
        For each edited document with a newer version, the document it was put down as.
    changes : mapping of str to Changes
        What is otherwise in that newer version, where the document has a text.
    remembered : bool
        Whether this machine had laid a workbook out there before.
    """

    folder: Path
    fates: Mapping[str, Fate]
    beside: Mapping[str, str]
    changes: Mapping[str, Changes] = field(default_factory=dict)
    remembered: bool = True

    def list_by_fate(self, *fates: Fate) -> list[str]:
        """Return the documents that had one of some fates."""
        return [name for name, fate in self.fates.items() if fate in fates]

    def __str__(self) -> str:
        new, updated = self.list_by_fate(Fate.NEW), self.list_by_fate(Fate.UPDATED)
        kept = self.list_by_fate(Fate.KEPT, Fate.BESIDE)
        lines = [
            f"Workbook in {self.folder}: {len(new)} new, {len(updated)} updated, "
            f"{len(kept)} kept because you edited them"
        ]
        # In an empty folder everything is new, and a list of it says nothing.
        if len(new) < len(self.fates):
            lines += [f"  new: {name}" for name in new]
        lines += [f"  updated: {name}" for name in updated]
        for name in kept:
            where = self.beside.get(name)
            lines.append(
                f"  kept: {name}" + (f"; the newer version is next to it: {where}" if where else "")
            )
            if name in self.changes:
                lines.append(f"    new in it: {self.changes[name]}; see {where}{CHANGES}")
        if self.beside:
            lines.append("  What you answered is known in the newer versions too.")
        return "\n".join([*lines, *self._cautions(bool(kept))])

    def _cautions(self, kept: bool) -> list[str]:
        """Return what to know of a folder that this machine has not laid out."""
        if self.remembered:
            return []
        said = []
        if kept:
            said.append(
                "  Nothing is remembered of this folder here, so each document that is not as "
                "this version ships it counts as edited. If you received it from someone "
                "else: a cell runs "
                "with your rights, so read it before you run it."
            )
        if (self.folder / EARLIER).exists():
            said.append(
                f"  {self.folder / EARLIER} came with an earlier version or with the folder. "
                "Nothing in it is used. Texts that were put aside are in its folder kept; delete "
                "it when you need none of them."
            )
        return said


def install_chapters(source: ContentSource, folder: Path, version: str) -> InstallResult:
    """Copy the workbook into a folder, again if need be, and keep what the reader edited.

    An edited document is never written to. If there is a newer version of it, that is put
    beside it, once, as `NAME.new-VERSION`. A document that was deleted comes back.

    Nothing in the folder says what was laid down: that is remembered with the user, and a folder
    of which nothing is remembered is kept as it is but for the documents that it lacks.

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
        If the folder cannot be written to, if something else stands where a file belongs, or what
        was laid down before cannot be known.
    """
    files = source.files()
    record = Record.for_folder(folder)
    try:
        _check_way(folder, files)
        folder.mkdir(parents=True, exist_ok=True)
        record.create()
        return _install_document(files, record, folder, version)
    except OSError as error:
        raise WorkbookError(
            f"cannot write the workbook to {folder}: {error.strerror or error} "
            f"({error.filename or folder}). Nothing you edited was changed. {_cure(error)}"
        ) from error


def _cure(error: OSError) -> str:
    """Return what to do about it."""
    another = f"name another: {COMMAND} lab DIR"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "Free some space on the disk and run the command again"
    if error.errno in (errno.ENOTDIR, errno.EEXIST):
        return f"There is a file where the folder should be. Move it away, or {another}"
    return f"Make the folder writable, or {another}"


def _check_way(folder: Path, names: Iterable[str]) -> None:
    """Refuse a folder where something else stands in the place of a file or a folder of ours.

    A link is refused wherever it leads: through it the workbook, and JupyterLab when it saves,
    would write outside of the folder.
    """
    for name in names:
        path = folder
        for part in (parts := PurePosixPath(name).parts):
            path = path / part
            last = path == folder.joinpath(*parts)
            if path.is_symlink():
                what = f"a link to {path.readlink()}"
            elif not path.exists():
                break
            elif path.is_file() if last else path.is_dir():
                continue
            else:
                what = (
                    "a folder" if path.is_dir() else "a file" if path.is_file() else "no plain file"
                )
            wanted = "a file" if last else "a folder"
            raise WorkbookError(
                f"{path} is {what}; {wanted} of the workbook belongs there. Nothing was copied. "
                f"Move it away, or name another folder: {COMMAND} lab DIR"
            )


def _install_document(
    files: Mapping[str, Path], record: Record, folder: Path, version: str
) -> InstallResult:
    manifest = record.read()
    shipped = {name: _hash(path) for name, path in files.items()}
    found = {name: _hash(folder / name) for name in files if (folder / name).exists()}
    laid, offered = dict(manifest.laid), dict(manifest.offered)
    fates: dict[str, Fate] = {}
    beside: dict[str, str] = {}
    changes: dict[str, Changes] = {}
    try:
        for one, names in group_documents(files).items():
            fate = fates[one] = decide_fate(names, shipped, found, manifest)
            if fate is Fate.KEPT:
                continue
            if fate is Fate.BESIDE:
                tag = _free_tag(folder, names, version)
                beside[one] = document_name(_tagged(names[0], tag))
                for name in names:
                    write_atomically(folder / _tagged(name, tag), files[name].read_bytes())
                if f"{one}.md" in names:
                    changes[one] = _changes(one, files, record, folder, version)
                    content = changes[one].text.encode()
                    write_atomically(folder / f"{beside[one]}{CHANGES}", content)
            else:
                for name in names:
                    if found.get(name) != shipped[name]:
                        write_atomically(folder / name, files[name].read_bytes())
                    laid[name] = shipped[name]
            offered.update({name: shipped[name] for name in names})
            for name in names:
                kept = record.shipped_texts / name
                if name.endswith(".md") and _text_of(kept) != _text_of(files[name]):
                    write_atomically(kept, files[name].read_bytes())
    finally:
        # Also of a folder that is half laid out: what is there is known for what it is.
        record.write(Manifest(laid, offered), version)
    return InstallResult(folder, fates, beside, changes, remembered=bool(manifest.laid))


def _changes(
    one: str, files: Mapping[str, Path], record: Record, folder: Path, version: str
) -> Changes:
    """Return what this version has that the reader's document was not laid down with."""
    name = f"{one}.md"
    before = _text_of(record.shipped_texts / name)
    mine = _text_of(folder / name) or ""
    after = files[name].read_text(encoding="utf-8")
    return compare_texts(before or mine, after, one, version, known=before is not None)


def _text_of(path: Path) -> str | None:
    try:
        refuse_device(path)
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None


def _tagged(name: str, tag: str) -> str:
    path = PurePosixPath(name)
    return str(path.with_name(f"{path.stem}.{tag}{path.suffix}"))


def _free_tag(folder: Path, names: Iterable[str], version: str) -> str:
    """Return what to add to the names of a document so that no file has them."""
    names = list(names)
    tags = (f"new-{version}" if again == 1 else f"new-{version}-{again}" for again in count(1))
    return next(
        tag
        for tag in tags
        if not any(
            os.path.lexists(folder / _tagged(name, tag))
            for name in (*names, f"{document_name(names[0])}{CHANGES}")
        )
    )


def _hash(path: Path) -> str:
    return fingerprint(path.name, path.read_bytes())


def find_unedited(folder: Path) -> frozenset[str]:
    """Return the files of a folder that are as they were laid down."""
    return frozenset(
        name
        for name, laid in Record.for_folder(folder).read().laid.items()
        if (folder / name).is_file() and _hash(folder / name) == laid
    )
