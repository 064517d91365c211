"""Where the chapters of this installation are, and in which order they are read.

A *document* is a text and its notebook: `chapters/02_ranking.md` and `.ipynb` are one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import Any

from recsys_metrics import __version__
from recsys_metrics._core.package_names import CONTENT, content_folder, how_to_install
from recsys_metrics.workbook.common.state_file import WorkbookError

PAIR = (".ipynb", ".md")
_FOLDERS = ("chapters", "solutions")
_SETTINGS = "jupytext.toml"
_WORKBOOK = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class ContentSource:
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
        # Python in a browser has none, and its notebooks ask a source for texts only.
        import yaml

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

    def read_in_order(self) -> list[str]:
        """Return the pages that are read one after another; in the others things are looked up."""
        first, *_ = self.toc().get("parts") or [{}]
        return list(_pages(first))

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
        chosen = {name: path for name, path in found.items() if document_name(name) != front}
        return {**chosen, _SETTINGS: _WORKBOOK / "lab" / "jupyter" / _SETTINGS}


def _pages(node: Mapping[str, Any]) -> Iterator[str]:
    if "file" in node:
        yield document_name(str(node["file"]))
    for key in ("parts", "subtrees", "chapters", "sections", "entries"):
        for child in node.get(key) or []:
            yield from _pages(child)


def find_source(clone: Path = _WORKBOOK.parents[1]) -> ContentSource:
    """Return where the chapters are: in the clone around the library, or installed beside it.

    Parameters
    ----------
    clone : Path
        Folder that `recsys_metrics` lies in.

    Raises
    ------
    WorkbookError
        If no chapters are installed, or those of another version.
    """
    if _has_chapters(clone):
        return ContentSource(clone, checkout=True)
    installed = content_folder()
    if installed is None or not _has_chapters(installed):
        raise WorkbookError(
            f"the chapters are not installed: they come with {CONTENT}. "
            f"Install it with {how_to_install('workbook')}"
        )
    theirs = metadata.version(CONTENT)
    if theirs != __version__:
        raise WorkbookError(
            f"the chapters are those of version {theirs}, and the library is {__version__}. "
            f"Install both in one version: {how_to_install('workbook')}"
        )
    return ContentSource(installed, checkout=False)


def _has_chapters(folder: Path) -> bool:
    return (folder / "_toc.yml").is_file() and (folder / "chapters").is_dir()


def document_name(name: str) -> str:
    """Return the document a file belongs to.

    >>> document_name("chapters/02_ranking.ipynb"), document_name("chapters/wheel.png")
    ('chapters/02_ranking', 'chapters/wheel.png')
    """
    return name.removesuffix(PurePosixPath(name).suffix) if name.endswith(PAIR) else name
