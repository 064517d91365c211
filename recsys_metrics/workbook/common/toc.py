"""The table of contents: which pages there are, and how long a part takes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from recsys_metrics.workbook.common.content import PAIR

_MINUTES = re.compile(r"\*\*About (\d+) minutes")
_TITLE = re.compile(r"^# (.+?) *$", re.MULTILINE)


def list_pages(node: Mapping[str, Any]) -> Iterator[tuple[PurePosixPath, str]]:
    """Yield the pages of a table of contents and their titles, a part's with its chapter's."""
    for part in node.get("parts") or []:
        for entry, chapter in list_entries(part):
            title = str(entry.get("title", ""))
            if chapter is not None:
                title = f"{chapter.get('title', '')}: {title}"
            yield PurePosixPath(entry["file"]), title


def list_entries(
    part: Mapping[str, Any],
) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any] | None]]:
    """Yield the entries of a heading that have a file, a section with the chapter that it is in."""
    for chapter in part.get("chapters") or []:
        if "file" in chapter:
            yield chapter, None
        for section in chapter.get("sections") or []:
            if "file" in section:
                yield section, chapter


def find_page(folder: Path, name: str) -> str | None:
    """Return the file of a page that a workbook has: its notebook, or its text without one."""
    files = (f"{name}{ending}" for ending in PAIR)
    return next((file for file in files if (folder / file).is_file()), None)


def read_minutes(text: Path) -> int | None:
    """Return how long a part takes by its own words."""
    try:
        told = _MINUTES.search(text.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return int(told[1]) if told else None


def read_title(text: Path) -> str | None:
    """Return the first heading of a text."""
    try:
        found = _TITLE.search(text.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found[1] if found else None
