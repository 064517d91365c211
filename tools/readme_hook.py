"""The README as it is read away from the clone: on the package's page, by `pip show`.

A link to a file of the project leads to the project's address, if `pyproject.toml` has one
(`Source` in `project.urls`); without an address its words stay, and a picture is left out.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_CODE = re.compile(r"(^```.*?^```$|`[^`\n]+`)", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(?P<picture>!?)\[(?P<words>[^\]]*)\]\((?P<target>[^)\s]+)\)")


def standalone(text: str, source: str | None) -> str:
    """Return a README whose links lead somewhere wherever it is read.

    Parameters
    ----------
    text : str
        Markdown.
    source : str or None
        Address of the project's repository.
    """

    def replaced(link: re.Match[str]) -> str:
        picture, words, target = link["picture"], link["words"], link["target"]
        if "://" in target or target.startswith(("#", "mailto:")):
            return link[0]
        if source is None:
            return "" if picture else words
        return f"{picture}[{words}]({source}/{'raw' if picture else 'blob'}/HEAD/{target})"

    parts = _CODE.split(text)
    parts[::2] = [_LINK.sub(replaced, part) for part in parts[::2]]
    return re.sub(r"\n{3,}", "\n\n", "".join(parts))


class ReadmeHook(MetadataHookInterface):
    """Gives the package its description."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the README to the project's metadata."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        source = metadata.get("urls", {}).get("Source")
        metadata["readme"] = {"content-type": "text/markdown", "text": standalone(text, source)}
