"""What the package's metadata take from elsewhere: the project's addresses, and the README.

The README is read away from the clone, too: on the package's page and by `pip show`. There a link
to a file of the project leads to the project's address; without an address (`ADDRESS` in
`recsys_metrics/_core/package_names.py`) its words stay, and a picture is left out.
"""

from __future__ import annotations

import re
import runpy
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


class AddressesHook(MetadataHookInterface):
    """Gives the package its addresses and its description."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add both to the project's metadata."""
        root = Path(self.root)
        # By its path: what builds the package has none of the library's dependencies.
        names = runpy.run_path(str(root / "recsys_metrics" / "_core" / "package_names.py"))
        metadata["urls"] = names["project_urls"](names["ADDRESS"])
        text = (root / "README.md").read_text(encoding="utf-8")
        source = metadata["urls"].get("Source")
        metadata["readme"] = {"content-type": "text/markdown", "text": standalone(text, source)}
