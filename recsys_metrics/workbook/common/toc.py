"""The table of contents: which pages there are, and how long a part takes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

_MINUTES = re.compile(r"\*\*About (\d+) minutes")


def list_pages(node: Mapping[str, Any]) -> Iterator[tuple[PurePosixPath, str]]:
    """Yield the pages of a table of contents and their titles, a part's with its chapter's."""
    for part in node.get("parts") or []:
        for chapter in part.get("chapters") or []:
            title = str(chapter.get("title", ""))
            if "file" in chapter:
                yield PurePosixPath(chapter["file"]), title
            for section in chapter.get("sections") or []:
                if "file" in section:
                    named = f"{title}: {section.get('title', '')}"
                    yield PurePosixPath(section["file"]), named


def read_minutes(text: Path) -> int | None:
    """Return how long a part takes by its own words."""
    try:
        told = _MINUTES.search(text.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return int(told[1]) if told else None
