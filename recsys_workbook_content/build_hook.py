"""Adds chapters, solutions and `_toc.yml` to what is built.

In a clone they stand beside this folder, where the book and the notebooks are made from them; in
an sdist they stand in it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ContentHook(BuildHookInterface[Any]):
    """Adds files to what is built."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Say where each file goes: to its name in the root of what is built."""
        here = Path(self.root)
        source = here if (here / "_toc.yml").is_file() else here.parent
        files = [source / "_toc.yml"]
        for folder in ("chapters", "solutions"):
            files += (source / folder).rglob("*")
        for file in files:
            name = file.relative_to(source)
            if file.is_file() and not any(part.startswith((".", "__")) for part in name.parts):
                build_data["force_include"][str(file)] = name.as_posix()
