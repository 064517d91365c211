"""The workbook in a reader's folder: laid out, kept, and opened in JupyterLab."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.tiers import in_a_lab

jupytext = pytest.importorskip("jupytext", reason="jupytext is not installed")

from nbformat.v4 import new_output  # noqa: E402

import recsys_metrics  # noqa: E402
from recsys_metrics.workbook.common import content as chapters  # noqa: E402
from recsys_metrics.workbook.common import state_file as memory  # noqa: E402
from recsys_metrics.workbook.common.content import PAIR, ContentSource, find_source  # noqa: E402
from recsys_metrics.workbook.common.state_file import Manifest, Record, WorkbookError  # noqa: E402
from recsys_metrics.workbook.lab import server as lab  # noqa: E402
from recsys_metrics.workbook.lab import workspace as place  # noqa: E402
from recsys_metrics.workbook.lab.contents import list_contents  # noqa: E402
from recsys_metrics.workbook.lab.user_edits import fingerprint  # noqa: E402
from recsys_metrics.workbook.lab.workspace import Fate, install_chapters  # noqa: E402
from tests.conftest import chromium  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
TEXT = """---
jupytext:
  formats: ipynb,md:myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

# A small chapter

```{note}
A note of MyST.
```

```{code-cell} ipython3
answer = 6 * 7
answer
```
"""
PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle r="9"/></svg>'


def write_pair(root: Path, name: str, text: str = TEXT) -> None:
    """Write a text and its notebook, with outputs."""
    path = root / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    notebook = jupytext.read(path)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.execution_count = 1
            shown = {"text/plain": "42", "image/svg+xml": PICTURE}
            cell.outputs = [new_output("execute_result", shown, execution_count=1)]
    jupytext.write(notebook, path.with_suffix(".ipynb"))


@pytest.fixture(autouse=True)
def record_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this machine remembers workbooks: not in the home of who runs the tests."""
    monkeypatch.setenv(memory.VARIABLE, str(tmp_path / "remembered"))
    return tmp_path / "remembered"


@pytest.fixture
def source(tmp_path: Path) -> ContentSource:
    """A workbook of two chapters, their front page and a picture."""
    root = tmp_path / "shipped"
    for name in ("chapters/01_first", "chapters/02_second", "solutions/01_first"):
        write_pair(root, name)
    (root / "chapters" / "index.md").write_text("# The front page of the book\n")
    (root / "chapters" / "wheel.png").write_bytes(b"a picture")
    (root / "chapters" / ".ipynb_checkpoints").mkdir()
    (root / "chapters" / ".ipynb_checkpoints" / "01_first.ipynb").write_text("{}")
    (root / "_toc.yml").write_text(
        "root: chapters/index\nparts:\n- caption: Chapters\n  chapters:\n"
        "  - file: chapters/01_first\n    title: 01 First\n"
        "  - file: chapters/02_second\n    title: 02 Second\n"
    )
    return ContentSource(root, checkout=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of the reader's that is not there yet, with a space in its name."""
    return tmp_path / "of mine" / "workbook"


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def edit(path: Path, old: str = "6 * 7", new: str = "7 * 6 + 0") -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


# Laying out


def test_all_files_except_the_front_page_are_copied_unchanged(source, folder):
    laid = install_chapters(source, folder, "1.0")
    assert set(contents(folder)) == {
        "chapters/01_first.ipynb",
        "chapters/01_first.md",
        "chapters/02_second.ipynb",
        "chapters/02_second.md",
        "chapters/wheel.png",
        "jupytext.toml",
        "solutions/01_first.ipynb",
        "solutions/01_first.md",
    }
    for name, path in source.files().items():
        assert contents(folder)[name] == path.read_bytes()
    assert set(laid.fates.values()) == {Fate.NEW}
    assert str(laid) == f"Workbook in {folder}: 5 new, 0 updated, 0 kept because you edited them"


def test_copying_again_changes_nothing(source, folder):
    install_chapters(source, folder, "1.0")
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*.md")}
    assert set(install_chapters(source, folder, "1.0").fates.values()) == {Fate.SAME}
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*.md")} == before


@pytest.mark.parametrize("suffix", [".md", ".ipynb"])
def test_editing_one_file_of_a_pair_protects_both(source, folder, suffix):
    install_chapters(source, folder, "1.0")
    edit(folder / f"chapters/01_first{suffix}")
    mine = contents(folder)
    for again in range(2):
        laid = install_chapters(source, folder, "1.0")
        assert laid.list_by_fate(Fate.KEPT) == ["chapters/01_first"], again
        assert laid.beside == {}
        assert contents(folder) == mine
    assert str(laid).splitlines()[1:] == ["  kept: chapters/01_first"]


def test_an_upgrade_replaces_unedited_files_and_adds_copies_beside_edited_ones(source, folder):
    install_chapters(source, folder, "1.0")
    edit(folder / "chapters/01_first.ipynb")
    mine = contents(folder)
    for name in ("chapters/01_first", "chapters/02_second"):
        write_pair(source.root, name, TEXT.replace("6 * 7", "21 * 2"))
    shipped = {name: path.read_bytes() for name, path in source.files().items()}
    laid = install_chapters(source, folder, "1.1")
    now = contents(folder)
    assert laid.list_by_fate(Fate.UPDATED) == ["chapters/02_second"]
    assert laid.list_by_fate(Fate.BESIDE) == ["chapters/01_first"]
    for suffix in (".md", ".ipynb"):
        assert now[f"chapters/01_first{suffix}"] == mine[f"chapters/01_first{suffix}"]
        assert now[f"chapters/01_first.new-1.1{suffix}"] == shipped[f"chapters/01_first{suffix}"]
        assert now[f"chapters/02_second{suffix}"] == shipped[f"chapters/02_second{suffix}"]
    assert str(laid).splitlines() == [
        f"Workbook in {folder}: 0 new, 1 updated, 1 kept because you edited them",
        "  updated: chapters/02_second",
        "  kept: chapters/01_first; the newer version is next to it: chapters/01_first.new-1.1",
        '    new in it: 1 line under "A small chapter"; see chapters/01_first.new-1.1.diff',
        "  What you answered is known in the newer versions too.",
    ]
    # It is offered once, though it is still newer the next time.
    again = install_chapters(source, folder, "1.1")
    assert again.list_by_fate(Fate.KEPT) == ["chapters/01_first"]
    assert contents(folder) == now


def test_the_chapter_diff_separates_updates_from_edits(source, folder):
    install_chapters(source, folder, "1.0")
    edit(folder / "chapters/01_first.md", "6 * 7", "6 * 7 + 1  # mine")
    write_pair(source.root, "chapters/01_first", f"{TEXT}\n## More\n\nAnother line.\n")
    laid = install_chapters(source, folder, "1.1")
    said = (folder / "chapters/01_first.new-1.1.diff").read_text(encoding="utf-8")
    assert "+Another line." in said
    assert "mine" not in said
    assert 'under "More"; see' in str(laid)
    # Of a folder that this machine does not know, there is only what stands in it.
    shutil.rmtree(Record.for_folder(folder).place)
    install_chapters(source, folder, "1.1")
    said = (folder / "chapters/01_first.new-1.1-2.diff").read_text(encoding="utf-8")
    assert said.startswith("How version 1.1 of chapters/01_first differs from yours")
    assert "-answer = 6 * 7 + 1  # mine" in said


@in_a_lab
def test_saving_a_chapter_is_not_an_edit(folder):
    """As Jupytext saves them, in JupyterLab and in Notebook 7."""
    contentsmanager = pytest.importorskip("jupytext.sync_contentsmanager")
    ours = find_source()
    install_chapters(ours, folder, "1.0")
    manager = contentsmanager.build_sync_jupytext_contents_manager_class(
        pytest.importorskip("jupyter_server.services.contents.largefilemanager").LargeFileManager
    )(root_dir=str(folder))
    halves = place.group_documents(name for name in ours.files() if name.endswith(PAIR))
    names = [names[0] for names in halves.values()]  # saving one of a pair writes the other
    assert len(names) > 40
    for name in names:
        model = manager.get(name, type="notebook")
        manager.save({"type": "notebook", "format": "json", "content": model["content"]}, name)
    laid = install_chapters(ours, folder, "1.0")
    assert laid.list_by_fate(Fate.SAME) == list(laid.fates)


def test_two_upgrades_with_one_version_number_are_both_kept(source, folder):
    install_chapters(source, folder, "1.0")
    edit(folder / "chapters/01_first.md")
    for value in ("21 * 2", "42 * 1"):
        write_pair(source.root, "chapters/01_first", TEXT.replace("6 * 7", value))
        laid = install_chapters(source, folder, "1.1")
    assert laid.beside == {"chapters/01_first": "chapters/01_first.new-1.1-2"}
    assert "21 * 2" in (folder / "chapters/01_first.new-1.1.md").read_text()
    assert "42 * 1" in (folder / "chapters/01_first.new-1.1-2.md").read_text()


def test_edited_pictures_are_kept(source, folder):
    install_chapters(source, folder, "1.0")
    (folder / "chapters/wheel.png").write_bytes(b"my picture")
    (source.root / "chapters/wheel.png").write_bytes(b"a better picture")
    assert install_chapters(source, folder, "1.1").beside == {
        "chapters/wheel.png": "chapters/wheel.new-1.1.png"
    }
    assert (folder / "chapters/wheel.png").read_bytes() == b"my picture"
    assert (folder / "chapters/wheel.new-1.1.png").read_bytes() == b"a better picture"


def test_deleted_files_are_restored(source, folder):
    install_chapters(source, folder, "1.0")
    for suffix in (".md", ".ipynb"):
        (folder / f"chapters/01_first{suffix}").unlink()
    (folder / "chapters/02_second.ipynb").unlink()
    laid = install_chapters(source, folder, "1.0")
    assert laid.list_by_fate(Fate.NEW) == ["chapters/01_first"]
    assert laid.list_by_fate(Fate.UPDATED) == ["chapters/02_second"]
    assert set(contents(folder)) == set(source.files())


def test_the_deleted_half_of_an_edited_pair_is_not_restored(source, folder):
    install_chapters(source, folder, "1.0")
    edit(folder / "chapters/01_first.ipynb")
    (folder / "chapters/01_first.md").unlink()
    assert install_chapters(source, folder, "1.0").list_by_fate(Fate.KEPT) == ["chapters/01_first"]
    assert not (folder / "chapters/01_first.md").exists()


def test_files_of_the_user_are_not_overwritten(source, folder):
    (folder / "chapters").mkdir(parents=True)
    (folder / "chapters/01_first.md").write_text("my own notes")
    (folder / "chapters/scratch.ipynb").write_text("mine as well")
    laid = install_chapters(source, folder, "1.0")
    assert laid.beside == {"chapters/01_first": "chapters/01_first.new-1.0"}
    assert (folder / "chapters/01_first.md").read_text() == "my own notes"
    assert (folder / "chapters/scratch.ipynb").read_text() == "mine as well"
    assert not (folder / "chapters/01_first.ipynb").exists()


def as_jupyterlab_saves(path: Path, **cell: Any) -> None:
    """Change what JupyterLab changes in a notebook that was opened and run."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    notebook["metadata"]["kernelspec"]["display_name"] = "Python 3 (ipykernel)"
    notebook["metadata"]["language_info"] = {"name": "python", "version": "3.12.1"}
    code = notebook["cells"][-1]
    code["execution_count"] = code["outputs"][0]["execution_count"] = 17
    code["metadata"]["scrolled"] = True
    code.update(cell)
    path.write_text(json.dumps(notebook), encoding="utf-8")


def test_running_a_chapter_is_not_an_edit(source, folder):
    install_chapters(source, folder, "1.0")
    as_jupyterlab_saves(folder / "chapters/01_first.ipynb")
    edit(folder / "chapters/01_first.md", "display_name: Python 3", "display_name: Other")
    before = contents(folder)
    assert set(install_chapters(source, folder, "1.0").fates.values()) == {Fate.SAME}
    assert contents(folder) == before


@pytest.mark.parametrize(
    "change",
    [
        {"outputs": []},
        {"source": "answer = 43"},
        {"cell_type": "raw"},
        {"metadata": {"tags": ["mine"]}},
        {"attachments": {"a.png": {}}},
    ],
    ids=lambda change: next(iter(change)),
)
def test_changing_a_cell_is_an_edit(source, folder, change):
    install_chapters(source, folder, "1.0")
    as_jupyterlab_saves(folder / "chapters/01_first.ipynb", **change)
    assert install_chapters(source, folder, "1.0").list_by_fate(Fate.KEPT) == ["chapters/01_first"]


HEADERS = [
    ("---\njupytext:", "---\n# my remark\njupytext:"),
    ("---\njupytext:", "---\ntitle: mine\njupytext:"),
    ("  formats: ipynb,md:myst\n", "  formats: ipynb,md:myst\n  main_language: mine\n"),
    ("name: python3\n", "name: another\n"),
    ("name: python3\n", "name: python3\nabstract: |\n  my lines\n  language: of mine\n"),
]


@pytest.mark.parametrize("suffix", [".md", ".ipynb"])
@pytest.mark.parametrize(("old", "new"), HEADERS, ids=lambda text: text.splitlines()[-1])
def test_metadata_added_by_the_user_survive_an_upgrade(source, folder, old, new, suffix):
    install_chapters(source, folder, "1.0")
    if suffix == ".md":
        edit(folder / "chapters/01_first.md", old, new)
    else:
        path = folder / "chapters/01_first.ipynb"
        notebook = json.loads(path.read_text(encoding="utf-8"))
        notebook["metadata"]["jupytext"]["remark"] = new
        path.write_text(json.dumps(notebook), encoding="utf-8")
    mine = contents(folder)
    write_pair(source.root, "chapters/01_first", TEXT.replace("6 * 7", "21 * 2"))
    laid = install_chapters(source, folder, "1.1")
    assert laid.list_by_fate(Fate.BESIDE) == ["chapters/01_first"]
    assert {name: contents(folder)[name] for name in mine} == mine


def test_metadata_written_by_tools_are_not_an_edit():
    """As Jupytext and JupyterLab of other versions write the chapters of this clone."""
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "chapters").glob("0*.md")]
    headers = {text[: text.index("\n---\n") + 5] for text in texts}
    assert headers
    for header in headers:
        text = f"{header}\n# A small chapter\n"
        again = jupytext.writes(jupytext.reads(text, fmt="md:myst"), fmt="md:myst")
        older = text.replace("jupytext_version: ", "jupytext_version: 0.").replace(
            "display_name: Python 3", "display_name: Python 3 (ipykernel)"
        )
        assert older != text
        assert len({fingerprint("a.md", one.encode()) for one in (text, again, older)}) == 1


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not a notebook",
        b"[]",
        b'{"cells": [1]}',
        b"\xff",
        b'{"metadata": {}, "cells": 7}',
        b"[" * 100_000,
    ],
    ids=lambda content: content[:30],
)
def test_a_broken_notebook_counts_as_an_edit(source, folder, content):
    install_chapters(source, folder, "1.0")
    (folder / "chapters/01_first.ipynb").write_bytes(content)
    assert install_chapters(source, folder, "1.0").list_by_fate(Fate.KEPT) == ["chapters/01_first"]
    assert (folder / "chapters/01_first.ipynb").read_bytes() == content


def test_upgrade_decisions_depend_on_names_and_hashes_only():
    names = ("a.ipynb", "a.md")
    new, old, mine = dict.fromkeys(names, "new"), dict.fromkeys(names, "old"), {"a.md": "mine"}
    known = Manifest(old, old)
    assert place.decide_fate(names, new, {}, Manifest()) is Fate.NEW
    assert place.decide_fate(names, new, new, Manifest()) is Fate.SAME
    assert place.decide_fate(names, new, old, known) is Fate.UPDATED
    assert place.decide_fate(names, new, {"a.ipynb": "new", "a.md": "old"}, known) is Fate.UPDATED
    assert place.decide_fate(names, old, {**old, **mine}, known) is Fate.KEPT
    assert place.decide_fate(names, new, {**old, **mine}, known) is Fate.BESIDE
    assert place.decide_fate(names, new, {**old, **mine}, Manifest(old, new)) is Fate.KEPT
    assert place.decide_fate(names, new, old, Manifest()) is Fate.BESIDE


# Folders of somebody else


def make_first_version_folder(folder: Path) -> None:
    """Put the record of a folder where the first version kept it."""
    record = Record.for_folder(folder)
    shutil.copytree(record.place, folder / memory.EARLIER)
    (folder / memory.EARLIER / "kept").mkdir(exist_ok=True)
    shutil.rmtree(record.place)


def test_a_folder_of_the_first_version_keeps_its_edits_but_is_not_trusted(source, folder):
    install_chapters(source, folder, "0.1.0")
    edit(folder / "chapters/01_first.md")
    make_first_version_folder(folder)
    write_pair(source.root, "chapters/02_second", TEXT.replace("6 * 7", "21 * 2"))
    mine = contents(folder)
    laid = install_chapters(source, folder, "0.2.0")
    # The second chapter was left alone, which only the record in the folder says.
    assert laid.list_by_fate(Fate.BESIDE) == ["chapters/01_first", "chapters/02_second"]
    assert {name: contents(folder)[name] for name in mine} == mine
    said = str(laid)
    assert "Nothing is remembered of this folder here" in said
    assert f"{folder / memory.EARLIER} came with an earlier version" in said
    again = str(install_chapters(source, folder, "0.2.0"))
    assert "Nothing is remembered" not in again
    assert memory.EARLIER not in again


def test_a_record_belongs_to_one_folder_and_not_to_its_copies(source, folder, record_folder):
    install_chapters(source, folder, "1.0")
    link = folder.with_name("link")
    link.symlink_to(folder)
    assert Record.for_folder(link) == Record.for_folder(folder)
    copy = folder.with_name("copy")
    shutil.copytree(folder, copy)
    assert Record.for_folder(copy).place != Record.for_folder(folder).place
    assert Record.for_folder(copy).read() == Manifest()
    assert Record.for_folder(folder).place.parent == record_folder
    assert not [path for path in folder.rglob("*") if path.name.startswith(".")]


def test_an_unwritable_record_folder_raises(source, folder, record_folder):
    record_folder.write_text("a file")
    with pytest.raises(
        WorkbookError, match=rf"settings .* in {record_folder}.*{memory.VARIABLE}=DIR"
    ):
        install_chapters(source, folder, "1.0")


def test_trust_depends_on_the_content_of_a_notebook(source, folder):
    install_chapters(source, folder, "1.0")
    record = Record.for_folder(folder)
    names = ["chapters/01_first.ipynb", "chapters/02_second.ipynb", "chapters/gone.ipynb"]
    # A state of a widget is markup, and no edit of a reader.
    path = folder / "chapters/01_first.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    notebook["metadata"]["widgets"] = {"state": "<img onerror>"}
    path.write_text(json.dumps(notebook), encoding="utf-8")
    assert names[0] in place.find_unedited(folder)
    assert lab.trust_notebooks(record, names, source.files().values()) == [
        "chapters/02_second.ipynb"
    ]


IN_THE_WAY = {
    "a folder for a file": ("chapters/01_first.md", "is a folder; a file of the workbook"),
    "a file for a folder": ("chapters", "is a file; a folder of the workbook"),
    "a link": ("chapters/01_first.md", "is a link to "),
    "a link to nothing": ("chapters/01_first.md", "is a link to "),
    "a linked folder": ("chapters", "is a link to "),
    "a pipe": ("chapters/01_first.md", "is no plain file; a file of the workbook"),
}


@pytest.mark.parametrize("what", IN_THE_WAY)
def test_conflicting_paths_are_reported_before_writing(source, folder, tmp_path, what):
    name, said = IN_THE_WAY[what]
    path = folder / name
    path.parent.mkdir(parents=True)
    outside = tmp_path / "outside"
    if "link" in what:
        if what == "a linked folder":
            outside.mkdir()
        elif what == "a link":
            outside.write_text("theirs")
        path.symlink_to(outside)
    elif what == "a folder for a file":
        path.mkdir()
    elif what == "a file for a folder":
        path.touch()
    else:
        os.mkfifo(path)
    before = sorted(folder.rglob("*"))
    with pytest.raises(WorkbookError, match=re.escape(f"{path} {said}")) as error:
        install_chapters(source, folder, "1.0")
    assert "Nothing was copied. Move it away" in str(error.value)
    assert sorted(folder.rglob("*")) == before
    if outside.is_dir():
        assert list(outside.iterdir()) == []
    elif outside.exists():
        assert outside.read_text() == "theirs"
    path.rmdir() if what == "a folder for a file" else path.unlink()
    assert set(install_chapters(source, folder, "1.0").fates.values()) == {Fate.NEW}


def test_an_interrupted_copy_can_be_completed(source, folder, monkeypatch):
    replace = Path.replace

    def full(path: Path, target: Path) -> None:
        if target.name == "02_second.ipynb":
            raise OSError(28, "No space left on device", str(target))
        replace(path, target)

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(WorkbookError, match="Free some space on the disk"):
        install_chapters(source, folder, "1.0")
    monkeypatch.setattr(Path, "replace", replace)
    assert "chapters/01_first.md" in Record.for_folder(folder).read().laid
    # What was laid down is updated, for nobody edited it.
    write_pair(source.root, "chapters/01_first", TEXT.replace("6 * 7", "21 * 2"))
    laid = install_chapters(source, folder, "1.1")
    assert laid.list_by_fate(Fate.UPDATED) == ["chapters/01_first"]
    assert laid.list_by_fate(Fate.KEPT, Fate.BESIDE) == []


# What goes wrong


def test_a_record_that_is_a_pipe_or_a_device_is_not_read(source, folder, tmp_path):
    install_chapters(source, folder, "1.0")
    manifest = Record.for_folder(folder).manifest
    for make in (os.mkfifo, lambda path: path.symlink_to("/dev/zero")):
        manifest.unlink()
        make(manifest)
        with pytest.raises(WorkbookError, match="it is no file but a folder, a pipe or a device"):
            install_chapters(source, folder, "1.1")
    circle = tmp_path / "circle"
    circle.symlink_to("circle")
    with pytest.raises(WorkbookError, match="circle"):
        install_chapters(source, Record.for_folder(circle).folder, "1.0")


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "{}", '{"laid": {}, "offered": []}', '{"laid": {"a": 1}, "offered": {}}'],
)
def test_a_damaged_record_raises_without_data_loss(source, folder, content):
    install_chapters(source, folder, "1.0")
    edit(folder / "chapters/01_first.md")
    write_pair(source.root, "chapters/02_second", TEXT.replace("6 * 7", "21 * 2"))
    manifest = Record.for_folder(folder).manifest
    manifest.write_text(content)
    before = contents(folder)
    with pytest.raises(WorkbookError, match=r"manifest\.json is damaged .* nothing was copied"):
        install_chapters(source, folder, "1.1")
    assert contents(folder) == before
    # The way out that the message names: all that differs counts as edited.
    manifest.unlink()
    laid = install_chapters(source, folder, "1.1")
    assert laid.list_by_fate(Fate.BESIDE) == ["chapters/01_first", "chapters/02_second"]
    assert {name: contents(folder)[name] for name in before} == before


def test_an_unwritable_folder_raises(source, tmp_path):
    (tmp_path / "file").write_text("a file")
    with pytest.raises(WorkbookError, match=r"cannot write the workbook to .*file/below: "):
        install_chapters(source, tmp_path / "file" / "below", "1.0")


def test_a_full_disk_leaves_no_partial_files(source, folder, monkeypatch):
    install_chapters(source, folder, "1.0")
    before = contents(folder)
    write_pair(source.root, "chapters/02_second", TEXT.replace("6 * 7", "21 * 2"))

    replace = Path.replace

    def full(path: Path, target: Path) -> None:
        if target.is_relative_to(folder):
            raise OSError(28, "No space left on device", str(target))
        replace(path, target)

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(
        WorkbookError, match=r"No space left on device .* Free some space on the disk"
    ):
        install_chapters(source, folder, "1.1")
    monkeypatch.setattr(Path, "replace", replace)
    assert contents(folder) == before
    assert install_chapters(source, folder, "1.1").list_by_fate(Fate.UPDATED) == [
        "chapters/02_second"
    ]


def test_an_installation_without_chapters_raises(tmp_path, monkeypatch):
    monkeypatch.setattr(chapters, "content_folder", lambda: None)
    with pytest.raises(WorkbookError, match=r"pip install \"recsys-workbook\[workbook\]\""):
        chapters.find_source(tmp_path)
    # A folder of that name which holds the data alone is no workbook.
    monkeypatch.setattr(chapters, "content_folder", lambda: tmp_path / "content")
    with pytest.raises(WorkbookError, match="the chapters are not installed"):
        chapters.find_source(tmp_path)


def test_chapters_must_match_the_library_version(tmp_path, monkeypatch):
    (tmp_path / "content" / "chapters").mkdir(parents=True)
    (tmp_path / "content" / "_toc.yml").touch()
    monkeypatch.setattr(chapters, "content_folder", lambda: tmp_path / "content")
    versions = {"recsys-workbook-content": recsys_metrics.__version__}
    monkeypatch.setattr(chapters.metadata, "version", versions.get)
    assert chapters.find_source(tmp_path) == ContentSource(tmp_path / "content", checkout=False)
    versions["recsys-workbook-content"] = "0.0.9"
    with pytest.raises(WorkbookError, match=r"those of version 0\.0\.9, and the library is "):
        chapters.find_source(tmp_path)


def test_a_checkout_is_a_content_source():
    source = chapters.find_source()
    assert source == ContentSource(ROOT, checkout=True)
    assert source.first_chapter() in place.group_documents(source.files())
    assert {"chapters/02_ranking.ipynb", "chapters/02_ranking.md"} <= set(source.files())


@pytest.mark.parametrize(
    ("toc", "first"),
    [
        ("root: index\nchapters: [{file: a.md}, {file: b}]", "a"),
        ("root: index\nsubtrees: [{entries: [{url: x}, {file: b}]}]", "b"),
        ("root: index\nparts: [{caption: none}, {chapters: [{file: c/d}]}]", "c/d"),
    ],
)
def test_the_first_chapter_follows_the_front_page(source, toc, first):
    (source.root / "_toc.yml").write_text(toc)
    assert source.first_chapter() == first


@pytest.mark.parametrize("toc", ["", "root: index", "root: index\nparts: []"])
def test_a_source_without_chapters_raises(source, toc):
    (source.root / "_toc.yml").write_text(toc)
    with pytest.raises(WorkbookError, match="lists no chapter"):
        source.first_chapter()


# Pairs


def test_workbook_texts_are_formatted_like_those_of_the_checkout():
    settings = tomllib.loads((lab.SETTINGS / "jupytext.toml").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    ours = project["tool"]["jupytext"]
    assert settings == {name: value for name, value in ours.items() if name != "formats"}


def later(path: Path, seconds: float = 3600) -> None:
    stamp = path.stat().st_mtime + seconds
    os.utime(path, (stamp, stamp))


def settle(source: ContentSource, folder: Path) -> list[str]:
    install_chapters(source, folder, "1.0")
    return lab.sync_pairs(
        Record.for_folder(folder), ["chapters/01_first"], place.find_unedited(folder)
    )


def test_a_newer_notebook_updates_its_text(source, folder):
    install_chapters(source, folder, "1.0")
    text, notebook = (folder / f"chapters/01_first{suffix}" for suffix in (".md", ".ipynb"))
    edit(notebook)
    later(notebook)
    assert settle(source, folder) == [
        "chapters/01_first.md was written again from chapters/01_first.ipynb, which is newer"
    ]
    assert "7 * 6 + 0" in text.read_text()
    assert settle(source, folder) == []


def test_a_conflicting_text_is_backed_up(source, folder):
    install_chapters(source, folder, "1.0")
    text, notebook = (folder / f"chapters/01_first{suffix}" for suffix in (".md", ".ipynb"))
    edit(notebook)
    edit(text, "A note", "My note")
    mine = text.read_bytes()
    later(notebook)
    (said,) = settle(source, folder)
    kept = Path(said.rpartition("the text as it was: ")[2])
    assert kept.read_bytes() == mine
    assert "7 * 6 + 0" in text.read_text()
    assert "My note" not in text.read_text()


def test_an_edited_text_is_marked_newer_than_its_notebook(source, folder):
    install_chapters(source, folder, "1.0")
    text, notebook = (folder / f"chapters/01_first{suffix}" for suffix in (".md", ".ipynb"))
    edit(text)
    later(text, -7200)
    mine = text.read_bytes()
    assert settle(source, folder) == []
    assert text.read_bytes() == mine
    assert text.stat().st_mtime >= notebook.stat().st_mtime


@pytest.mark.parametrize("broken", [".md", ".ipynb"])
def test_unreadable_or_missing_files_are_not_changed(source, folder, broken):
    install_chapters(source, folder, "1.0")
    text, notebook = (folder / f"chapters/01_first{suffix}" for suffix in (".md", ".ipynb"))
    if broken == ".ipynb":
        notebook.write_text("not a notebook")
        later(notebook)
    else:
        text.unlink()
        edit(notebook)
    before = contents(folder)
    assert settle(source, folder) == []
    assert contents(folder) == before


# The server


def test_the_jupyterlab_command_and_environment(tmp_path, record_folder):
    one = lab.Lab(
        Record.for_folder(tmp_path / "a b"),
        "chapters/é 1.ipynb",
        9001,
        True,
        "secret",
        browser=False,
    )
    command = one.command(root=True)
    assert command[:4] == [sys.executable, "-P", "-m", "jupyterlab"]
    assert f"--ServerApp.root_dir={tmp_path / 'a b'}" in command
    assert "--LabApp.default_url=/lab/tree/chapters/%C3%A9%201.ipynb" in command
    assert {"--ServerApp.port=9001", "--ServerApp.port_retries=0"} <= set(command)
    assert {"--no-browser", "--allow-root"} <= set(command)
    assert not any("secret" in word for word in command)
    windowed = lab.Lab(one.record, "a.md", 9001, False, "secret", browser=True).command(root=False)
    assert "--ServerApp.port_retries=0" not in windowed
    assert not {"--no-browser", "--allow-root"} & set(windowed)
    assert one.url(9002) == "http://localhost:9002/lab/tree/chapters/%C3%A9%201.ipynb?token=secret"

    theirs = {"HOME": "/h", "JUPYTERLAB_SETTINGS_DIR": "/theirs", "JUPYTER_PATH": "/kernels"}
    found = one.environment(theirs)
    assert found["HOME"] == "/h"
    assert found["JUPYTER_TOKEN"] == "secret"
    assert Path(found["JUPYTER_CONFIG_DIR"]).is_relative_to(record_folder)
    first, *others = found["JUPYTER_PATH"].split(os.pathsep)
    assert Path(first).is_relative_to(record_folder)
    assert others == ["/kernels"]
    assert "JUPYTERLAB_SETTINGS_DIR" not in found
    for name in ("default_setting_overrides", "page_config"):
        file = Path(found["JUPYTER_CONFIG_PATH"]) / "labconfig" / f"{name}.json"
        assert json.loads(file.read_text())


@pytest.fixture
def port_in_use() -> Iterator[int]:
    """A port that a program listens on."""
    with closing(socket.create_server(("localhost", 0))) as server:
        yield server.getsockname()[1]


def test_a_requested_port_in_use_raises(port_in_use, monkeypatch):
    with pytest.raises(WorkbookError, match=f"port {port_in_use} is taken"):
        lab.find_free_port(str(port_in_use))
    monkeypatch.setattr(lab, "_PORTS", range(port_in_use, port_in_use + 1))
    with pytest.raises(WorkbookError, match="all taken"):
        lab.find_free_port(None)
    monkeypatch.setattr(lab, "_PORTS", range(port_in_use, port_in_use + 50))
    assert port_in_use < lab.find_free_port(None) < port_in_use + 50


def test_the_contents_are_in_reading_order(source, folder):
    """Which no sorting of names gives; what a workbook lacks or has no title is left out."""
    for name in ("chapters/02_second_more", "chapters/errata"):
        write_pair(source.root, name)
    (source.root / "_toc.yml").write_text(
        "root: chapters/index\nparts:\n- caption: Chapters\n  chapters:\n"
        "  - file: chapters/02_second\n    title: Second\n    sections:\n"
        "    - file: chapters/02_second_more\n      title: More\n"
        "  - file: chapters/01_first\n    title: First\n  - file: chapters/gone\n    title: Gone\n"
        "- caption: To look up\n  chapters:\n  - file: chapters/errata\n  - glob: api/*\n"
        "- caption: Nothing\n  chapters:\n  - file: api/index\n"
    )
    install_chapters(source, folder, "1.0")
    (folder / "chapters/01_first.ipynb").unlink()
    home = {"path": "home.ipynb", "title": "Home"}
    groups = list_contents(folder, source.toc(), [home])
    assert [(one["title"], [page["title"] for page in one["pages"]]) for one in groups] == [
        ("", ["Home"]),
        ("Chapters", ["Second", "More", "First"]),
        ("To look up", ["A small chapter"]),
    ]
    assert [(page["path"], page["below"]) for page in groups[1]["pages"]] == [
        ("chapters/02_second.ipynb", False),
        ("chapters/02_second_more.ipynb", True),
        ("chapters/01_first.md", False),
    ]
    assert list_contents(folder, {}) == []


def test_the_page_to_open_is_the_notebook_or_the_text(tmp_path):
    with pytest.raises(WorkbookError, match=r"neither a\.ipynb nor a\.md"):
        lab.find_page(tmp_path, "a")
    (tmp_path / "a.md").touch()
    assert lab.find_page(tmp_path, "a") == "a.md"
    (tmp_path / "a.ipynb").touch()
    assert lab.find_page(tmp_path, "a") == "a.ipynb"


# The first free port is taken by somebody else before JupyterLab gets there.
RUN = """
import socket, sys
from pathlib import Path
from recsys_metrics.workbook.common import content
from recsys_metrics.workbook.lab import server as lab
free = lab.find_free_port(None)
neighbour = socket.create_server(("localhost", free))
lab.find_free_port = lambda asked: free
try:
    lab.run_lab(content.ContentSource(Path(sys.argv[1]), False), Path(sys.argv[2]),
                port=None, opened=True, browser=False)
except lab.WorkbookError as error:
    sys.exit(str(error))
"""


@dataclass
class Running:
    """A JupyterLab as `recsys-workbook lab` starts it."""

    process: subprocess.Popen[str]
    greeting: str

    @property
    def url(self) -> str:
        found = re.search(r"http://localhost:\S+", self.greeting)
        assert found is not None, self.greeting
        return found[0]

    @property
    def port(self) -> int:
        return int(self.url.split(":")[2].split("/")[0])

    def stop(self, by: signal.Signals) -> str:
        self.process.send_signal(by)
        return self.process.communicate(timeout=30)[0]


@pytest.fixture
def start(source: ContentSource, folder: Path, tmp_path: Path) -> Iterator[Callable[[], Running]]:
    """Start JupyterLab on the small workbook, and end it whatever happens."""
    running: list[subprocess.Popen[str]] = []

    def start() -> Running:
        process = subprocess.Popen(
            [sys.executable, "-c", RUN, str(source.root), str(folder)],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        running.append(process)
        assert process.stdout is not None
        greeting = ""
        for line in process.stdout:
            greeting += line
            if "Ctrl-C" in line:
                return Running(process, greeting)
        pytest.fail(f"JupyterLab did not start:\n{greeting}")

    yield start
    for process in running:
        if process.poll() is None:
            # It ends its server when it is asked to; the last resort would leave that behind.
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()


def listens(port: int) -> bool:
    try:
        socket.create_connection(("localhost", port), timeout=2).close()
    except OSError:
        return False
    return True


def ends_cleanly(running: Running, folder: Path, by: signal.Signals) -> None:
    """End a JupyterLab by a signal, and see that it is gone and what it says."""
    assert listens(running.port)
    said = running.stop(by)
    assert running.process.returncode == 0
    assert said.strip() == f"Stopping JupyterLab. Your work is in {folder}"
    assert not listens(running.port)


@in_a_lab
def test_the_server_prints_its_address_and_stops_cleanly(start, folder):
    """When it is asked to; that it does when it is interrupted is seen where it was looked at."""
    running = start()
    assert running.greeting.startswith(f"Workbook in {folder}: 5 new")
    assert running.url.startswith(f"http://localhost:{running.port}/lab/tree/home.ipynb?token=")
    ends_cleanly(running, folder, signal.SIGTERM)


def test_errors_of_a_failing_server_are_quoted(tmp_path, monkeypatch):
    record = Record.for_folder(tmp_path / "workbook")
    record.create()
    broken = [sys.executable, "-c", "print('no such door'); raise SystemExit(3)"]
    monkeypatch.setattr(lab.Lab, "command", lambda self, root: broken)
    with pytest.raises(WorkbookError, match=r"exit code 3\. .*\n  no such door"):
        lab.serve_lab(lab.Lab(record, "a.md", 9, True, "t", browser=False))


# In a browser


def visit(url: str, path: str, folder: Path) -> dict[str, Any]:
    """Open the lab, look, run a chapter, edit a text and save; say what was seen."""
    from playwright.sync_api import sync_playwright

    seen: dict[str, Any] = {"elsewhere": []}
    with sync_playwright() as driver:
        window = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = window.new_page(viewport={"width": 1200, "height": 800})
        page.set_default_timeout(120_000)
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith(
                    ("http://localhost:", "ws://localhost:", "data:", "blob:")
                )
                else seen["elsewhere"].append(request.url)
            ),
        )
        page.goto(url)
        tabs = page.locator("#jp-main-dock-panel .lm-TabBar-tabLabel")
        shown = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")
        changed = page.locator("#jp-main-dock-panel .lm-TabBar-tab.jp-mod-dirty")
        # Home comes first, and beside it the contents in reading order.
        shown.locator("h1", has_text="Home").wait_for()
        contents = page.get_by_role("navigation", name="Contents of the workbook")
        contents.wait_for()
        seen["first"] = tabs.all_inner_texts()
        seen["contents"] = contents.get_by_role("link").all_inner_texts()
        seen["current"] = contents.locator("[aria-current]").all_inner_texts()
        contents.get_by_role("link", name="01 First").click()
        shown.locator("h1", has_text="A small chapter").wait_for()
        # A note of MyST is a box only where jupyterlab-myst draws it.
        shown.locator("aside", has_text="A note of MyST").wait_for()
        # JupyterLab draws a saved picture only in a notebook that it trusts.
        seen["picture"] = shown.locator(".jp-RenderedSVG img").count()
        # Nothing has run: a note says how to, and no notebook that was opened counts as changed.
        note = shown.locator(".recsys-note")
        note.wait_for()
        shown.locator(".jp-Toolbar-kernelName", has_text="Python 3").wait_for()
        page.wait_for_timeout(2000)
        seen["changed"] = changed.count()
        note.get_by_role("button", name="Run all cells").click()
        shown.locator(".jp-OutputArea-output", has_text="42").wait_for()
        note.wait_for(state="detached")
        # Whoever looks for a file finds the list of files as ever.
        page.get_by_role("tab", name="File Browser").click()
        page.locator(".jp-DirListing-item", has_text="chapters").dblclick()
        page.locator(".jp-DirListing-item", has_text="02_second.ipynb").wait_for()
        seen["files"] = page.locator(".jp-DirListing-itemText").all_inner_texts()
        page.goto(url.replace("home.ipynb", "chapters/02_second.md"))
        page.locator(".lm-TabBar-tab.lm-mod-current", has_text="02_second.md").wait_for()
        shown.locator("h1", has_text="A small chapter").wait_for()
        # Whether the other tab comes back is JupyterLab's affair.
        seen["second"] = page.locator("#jp-main-dock-panel .lm-mod-current").all_inner_texts()
        seen["editors"] = page.locator(".jp-FileEditor").count()
        code = shown.locator(".jp-CodeCell .cm-content").first
        code.click()
        page.keyboard.press("Control+End")
        page.keyboard.type("  # mine")
        changed.first.wait_for()
        page.keyboard.press("Control+s")
        text = folder / "chapters/02_second.md"
        deadline = time.monotonic() + 30
        while "# mine" not in text.read_text() and time.monotonic() < deadline:
            page.wait_for_timeout(200)
        page.wait_for_timeout(500)
        seen["dialogs"] = page.locator(".jp-Dialog").all_inner_texts()
        seen["news"] = page.locator(".Toastify__toast").all_inner_texts()
        window.close()
    return seen


@in_a_lab
@pytest.mark.browser
def test_the_lab_opens_the_chapter_and_texts_as_notebooks(start, source, folder):
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = chromium()
    install_chapters(source, folder, "1.0")
    # As after git or a copy: the notebook of the second chapter seems an hour newer.
    later(folder / "chapters/02_second.ipynb")
    (folder / "chapters/mine.md").write_text("A note of the reader's.", encoding="utf-8")
    running = start()
    # In a thread, because another test of this process may hold a browser of its own.
    with ThreadPoolExecutor(1) as pool:
        seen = pool.submit(visit, running.url, path, folder).result()
    assert seen == {
        "elsewhere": [],
        "first": ["home.ipynb"],
        "contents": ["Home", "01 First", "02 Second"],
        "current": ["Home"],
        "changed": 0,
        "files": ["01_first.ipynb", "02_second.ipynb", "mine.md", "wheel.png"],
        "picture": 1,
        "second": ["02_second.md"],
        "editors": 0,
        "dialogs": [],
        "news": [],
    }
    # Both halves were saved, and the workbook knows that they are the reader's now.
    ends_cleanly(running, folder, signal.SIGINT)
    for suffix in (".md", ".ipynb"):
        assert "# mine" in (folder / f"chapters/02_second{suffix}").read_text()
    laid = install_chapters(source, folder, "1.1")
    assert laid.list_by_fate(Fate.KEPT) == ["chapters/02_second"]
    assert laid.list_by_fate(Fate.UPDATED) == []
