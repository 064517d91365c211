"""The side bar of the lab: the pages of a workbook in the order in which they are read.

JupyterLab sorts files by their names in a way of its own, in which `01_rating_guess` comes before
`01_rating`, and no setting changes that. An extension shows the contents of the book instead, and
says above a notebook how its cards come alive.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from recsys_metrics.workbook.common.state_file import write_atomically
from recsys_metrics.workbook.common.toc import find_page, list_entries, read_title

_EXTENSION = Path(__file__).resolve().parent / "labextension"


def list_contents(
    folder: Path, toc: Mapping[str, Any], first: Sequence[Mapping[str, Any]] = ()
) -> list[dict[str, Any]]:
    """Return the pages that are in a workbook, under the headings of its table of contents.

    Parameters
    ----------
    folder : Path
        Where the workbook is.
    toc : mapping
        The table of contents that the book has too.
    first : sequence of mapping
        The `path` and `title` of pages that stand before all others.

    Returns
    -------
    list of dict
        Of each heading its `title` and its `pages`, each with `path`, `title`, and `below` where
        it is a part of the page before.
    """
    groups: list[dict[str, Any]] = [{"title": "", "pages": [*first]}]
    for part in toc.get("parts") or []:
        found = [
            _page(folder, entry, below=chapter is not None) for entry, chapter in list_entries(part)
        ]
        groups.append({"title": part.get("caption", ""), "pages": [page for page in found if page]})
    return [group for group in groups if group["pages"]]


def _page(folder: Path, entry: Mapping[str, Any], *, below: bool) -> dict[str, Any] | None:
    name = str(entry["file"])
    title = entry.get("title") or read_title(folder / f"{name}.md")
    path = find_page(folder, name)
    return {"path": path, "title": title, "below": below} if path and title else None


def add_extension(place: Path, contents: Sequence[Mapping[str, Any]]) -> None:
    """Put the extension where a server finds it, with the contents that it shows.

    Parameters
    ----------
    place : Path
        A folder of Jupyter's search path.
    contents : sequence of mapping
        What `list_contents` returned.
    """
    folder = place / "labextensions" / "recsys-workbook"
    for file in _EXTENSION.iterdir():
        write_atomically(folder / file.name, file.read_bytes())
    write_atomically(folder / "contents.json", json.dumps(contents).encode())
